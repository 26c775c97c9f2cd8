// Patterns of races: see rules.h. Which of the two accesses comes first in the program, and
// whether a barrier is on every path between them, follows from the control flow; that a statement
// reads and writes back one element, from its address.
#include "check/rules.h"
#include "advice.h"

// ---- one element, read and written back ---------------------------------------------------------

static bool writes_slot(const sim_function *function, const sim_instr *instr, uint32_t slot) {
    if (instr->dst == slot || instr->dst2 == slot) return true;
    for (uint32_t i = 0; instr->list != SIM_NO_SLOT && i < sim_written_parts(instr); i++)
        if (function->slots[instr->list + i] == slot) return true;
    return false;
}

// Whether the load and the store behind it have one address register, with one value, and one
// displacement.
static bool is_update(const check_paths *paths, uint32_t load, uint32_t store) {
    const sim_function *function = paths->function;
    const sim_instr *read = &function->code[load], *write = &function->code[store];
    if (!sim_is_ld(read) || !sim_is_st(write) || load >= store) return false;
    if (read->src[0] != write->src[0] || read->offset != write->offset) return false;
    for (uint32_t pc = load; pc < store; pc++)
        if (writes_slot(function, &function->code[pc], read->src[0])) return false;
    return check_paths_lead(paths, load, store, false);
}

// Whether an access is half of such an update.
static bool is_half(const check_paths *paths, uint32_t pc, bool is_write) {
    enum { NEAR = 64 }; // instructions of one statement
    for (uint32_t i = 1; i < NEAR; i++) {
        if (is_write && i <= pc && is_update(paths, pc - i, pc)) return true;
        if (!is_write && pc + i < paths->function->code_count && is_update(paths, pc, pc + i))
            return true;
    }
    return false;
}

// Whether another element of shared memory goes into what a statement stores, as in the step of a
// tree: that one changes, too, and an atomic operation would not do.
static bool takes_other(const sim_function *function, uint32_t store) {
    enum { NEAR = 64, MOST = 32, SOURCES = 4 };
    const sim_instr *to = &function->code[store];
    uint32_t wanted[MOST] = {to->src[1]}, count = 1, line = check_line_of(function, store);
    if (!sim_is_st(to) || to->space != PTX_SPACE_SHARED || to->vector > 1) return false;
    for (uint32_t pc = store; pc > 0 && store - pc < NEAR; pc--) {
        const sim_instr *from = &function->code[pc - 1];
        bool takes = false;
        for (uint32_t i = count; i-- > 0;) {
            if (!writes_slot(function, from, wanted[i])) continue;
            takes = true;
            if (from->guard == SIM_NO_SLOT) wanted[i] = wanted[--count]; // before: another value
        }
        if (!takes) continue;
        bool own = from->src[0] == to->src[0] && from->offset == to->offset;
        if (sim_is_ld(from) && from->space == PTX_SPACE_SHARED && !own &&
            check_line_of(function, pc - 1) == line)
            return to->src[0] != SIM_NO_SLOT; // a variable by its name has no other elements
        for (int i = 0; !sim_is_ld(from) && i < SOURCES && count < MOST; i++)
            if (from->src[i] != SIM_NO_SLOT) wanted[count++] = from->src[i];
    }
    return false;
}

// ---- the pattern --------------------------------------------------------------------------------

static check_pattern choose(check_paths *paths, uint32_t read, uint32_t write, bool other_block,
                            check_note *note) {
    paths->barred = !other_block; // no barrier of the block orders blocks
    bool reads_first = check_paths_lead(paths, read, write, false);
    bool writes_first = check_paths_lead(paths, write, read, false);
    note->again = check_paths_lead(paths, read, write, true) && !reads_first;
    if (writes_first) return CHECK_WRITE_THEN_READ;
    if (reads_first && !check_paths_lead(paths, write, read, true)) return CHECK_READ_THEN_WRITE;
    if (reads_first && other_block) return CHECK_NEXT_WRITES;
    if (check_paths_lead(paths, write, read, true)) return CHECK_NEXT_READS;
    return note->again ? CHECK_NEXT_WRITES : CHECK_NO_PATTERN;
}

// Whether the program has a barrier of the block on every path from one to the other already.
static bool is_barred(check_paths *paths, uint32_t from, uint32_t to) {
    paths->barred = false;
    bool joined = check_paths_lead(paths, from, to, true);
    paths->barred = true;
    return joined && !check_paths_lead(paths, from, to, true);
}

// Whether a barrier of all threads could stand nowhere between the two. An `if` that has become
// predicates is one of both.
static bool lies_in_branch(check_paths *paths, uint32_t from, uint32_t to) {
    const sim_instr *a = &paths->function->code[from], *b = &paths->function->code[to];
    if (a->guard != SIM_NO_SLOT && a->guard == b->guard && a->guard_negated == b->guard_negated)
        return true;
    paths->barred = false;
    bool passed = check_paths_passed_by(paths, from);
    for (uint32_t pc = from + 1; passed && pc <= to; pc++)
        passed = check_paths_passed_by(paths, pc) || !check_paths_lead(paths, from, pc, false);
    return passed;
}

// Whether threads of the block need not come to the instruction.
static bool may_be_skipped(check_paths *paths, uint32_t pc) {
    paths->barred = false;
    return paths->function->code[pc].guard != SIM_NO_SLOT || check_paths_passed_by(paths, pc);
}

// Votes and shuffles are often taken for memory barriers.
static uint32_t find_vote(check_paths *paths, uint32_t from, uint32_t to) {
    paths->barred = false;
    for (uint32_t pc = from + 1; pc < to; pc++) {
        const sim_instr *instr = &paths->function->code[pc];
        bool votes = sim_role_of(instr) == SIM_ROLE_EXCHANGE && instr->op != SIM_OP_ELECT;
        if (votes && check_paths_lead(paths, from, pc, false) &&
            check_paths_lead(paths, pc, to, false))
            return pc + 1;
    }
    return 0;
}

static bool is_straight(const check_note *note) {
    return note->pattern == CHECK_WRITE_THEN_READ || note->pattern == CHECK_READ_THEN_WRITE ||
           note->pattern == CHECK_WRITE_THEN_WRITE;
}

// What is between the two accesses, which come in this order.
static void look_between(check_paths *paths, check_note *note) {
    if (!is_straight(note)) return;
    note->in_branch = lies_in_branch(paths, note->pcs[0], note->pcs[1]);
    note->beside_branch = !note->in_branch && (may_be_skipped(paths, note->pcs[0]) ||
                                               may_be_skipped(paths, note->pcs[1]));
    if (note->one_warp) note->vote = find_vote(paths, note->pcs[0], note->pcs[1]);
}

static void find_loop(const sim_function *function, check_note *note) {
    sim_loop inner, outer;
    uint32_t low = note->pcs[0] < note->pcs[1] ? note->pcs[0] : note->pcs[1];
    uint32_t high = note->pcs[0] < note->pcs[1] ? note->pcs[1] : note->pcs[0];
    if (!sim_loops_around(function, low, &inner, &outer)) return;
    note->loop[0] = inner.last_pc >= high ? inner.first_pc : outer.first_pc;
    note->loop[1] = inner.last_pc >= high ? inner.last_pc : outer.last_pc;
}

static void find_pattern(check_paths *paths, uint32_t read, uint32_t write, bool other_block,
                         check_note *note) {
    const sim_function *function = paths->function;
    uint32_t lines[2];
    lines[0] = check_line_of(function, read);
    lines[1] = check_line_of(function, write);
    bool halves = lines[0] == lines[1] && lines[0] && is_half(paths, read, false) &&
                  is_half(paths, write, true);
    note->pcs[0] = read;
    note->pcs[1] = write;
    if ((halves || is_update(paths, read, write)) && !takes_other(function, write)) {
        note->pattern = CHECK_UPDATE;
        return;
    }
    note->pattern = choose(paths, read, write, other_block, note);
    if (note->pattern == CHECK_WRITE_THEN_READ || note->pattern == CHECK_NEXT_READS) {
        note->pcs[0] = write;
        note->pcs[1] = read;
    }
    find_loop(function, note);
    paths->one_warp = false;
    note->needs_block = is_barred(paths, write, read) || is_barred(paths, read, write);
}

// Of two writes, the one that comes first in the program.
static void find_order(check_paths *paths, check_note *note) {
    uint32_t first = note->pcs[0], second = note->pcs[1];
    note->pattern = CHECK_BOTH_WRITE;
    if (note->other_block) return;
    if (!check_paths_lead(paths, first, second, false)) {
        first = note->pcs[1];
        second = note->pcs[0];
    }
    if (!check_paths_lead(paths, first, second, false)) return;
    note->pattern = CHECK_WRITE_THEN_WRITE;
    note->pcs[0] = first;
    note->pcs[1] = second;
}

check_note check_pattern_of(const sim_checker *checker, const check_accesses *a) {
    const sim_program *program = checker->grid->launch->program;
    uint32_t f = check_find_function(checker, a->sites[0]);
    const sim_function *function = &program->functions[f];
    check_note note = {.function = function,
                       .files = program->files,
                       .one_warp = a->one_warp,
                       .other_block = a->other_block,
                       .pcs = {a->sites[0] - checker->first_site[f], 0}};
    if (check_find_function(checker, a->sites[1]) != f) return note;
    note.pcs[1] = a->sites[1] - checker->first_site[f];
    if (note.pcs[0] >= function->code_count || note.pcs[1] >= function->code_count) return note;
    if (a->writes[0] == a->writes[1] && note.pcs[0] == note.pcs[1]) {
        note.pattern = CHECK_BOTH_WRITE;
        return note;
    }
    check_paths paths;
    if (check_paths_open(program, function, &paths)) {
        paths.barred = true;
        paths.one_warp = a->one_warp;
        if (a->writes[0] == a->writes[1]) find_order(&paths, &note);
        else
            find_pattern(&paths, note.pcs[a->writes[0] ? 1 : 0], note.pcs[a->writes[0] ? 0 : 1],
                         a->other_block, &note);
        look_between(&paths, &note);
    }
    check_paths_close(&paths);
    return note;
}

// ---- advice -------------------------------------------------------------------------------------

enum { LINE_TEXT = 96 };

static const char *file_of(const check_note *note, uint32_t pc) {
    uint32_t location = note->function->code[pc].location;
    bool known = check_line_of(note->function, pc) != 0;
    return known ? note->files[note->function->locations[location].file] : "";
}

static bool in_one_file(const check_note *note) {
    return strcmp(file_of(note, note->pcs[0]), file_of(note, note->pcs[1])) == 0;
}

// "line 12", "line 12 of tile.cuh" where the other access is in another file, or what the access
// does where there are no lines.
static const char *line_text(const check_note *note, int which, const char *else_text,
                             char text[LINE_TEXT]) {
    uint32_t pc = note->pcs[which], line = check_line_of(note->function, pc);
    const char *file = file_of(note, pc), *slash = strrchr(file, '/');
    if (line && in_one_file(note)) snprintf(text, LINE_TEXT, "line %" PRIu32, line);
    else if (line)
        snprintf(text, LINE_TEXT, "line %" PRIu32 " of %.64s", line, slash ? slash + 1 : file);
    else snprintf(text, LINE_TEXT, "%s", else_text);
    return text;
}

// Whether the line of the second access does not come after that of the first one.
static bool goes_back(const check_note *note, bool or_stays) {
    uint32_t line = check_line_of(note->function, note->pcs[1]);
    return line && in_one_file(note) && is_straight(note) &&
           line < check_line_of(note->function, note->pcs[0]) + or_stays;
}

// Whether the second access is of another iteration of a loop that the compiler has unrolled, or of
// another call of a function.
static bool runs_again(const check_note *note) {
    return goes_back(note, note->pattern != CHECK_READ_THEN_WRITE);
}

// The lines of the two accesses, what comes first in the program before the other.
static void put_advice(const check_note *note, kl_advice row, const char *barrier, const char *why,
                       char *text, size_t text_bytes) {
    static const char *const names[][2] = {
        [CHECK_WRITE_THEN_READ] = {"the write", "the read"},
        [CHECK_NEXT_READS] = {"the write", "the read"},
        [CHECK_READ_THEN_WRITE] = {"the read", "the write"},
        [CHECK_NEXT_WRITES] = {"the read", "the write"},
        [CHECK_WRITE_THEN_WRITE] = {"the first one", "the second"},
    };
    char first[LINE_TEXT], second[LINE_TEXT];
    line_text(note, 0, names[note->pattern][0], first);
    line_text(note, 1, names[note->pattern][1], second);
    kl_advise(row, KL_WORDS(first, second, barrier, why), text, text_bytes);
}

static bool advise_blocks(const check_note *note, char *text, size_t text_bytes) {
    kl_advice row;
    switch (note->pattern) {
    case CHECK_WRITE_THEN_READ: row = KL_ADVICE_SECOND_LAUNCH; break;
    case CHECK_NEXT_READS: row = KL_ADVICE_LAUNCH_PER_ITERATION; break;
    case CHECK_READ_THEN_WRITE: row = KL_ADVICE_WRITE_ELSEWHERE; break;
    case CHECK_NEXT_WRITES: row = KL_ADVICE_LAUNCH_AND_SECOND_ARRAY; break;
    default: return false;
    }
    put_advice(note, row, "", "", text, text_bytes);
    return true;
}

// While the launch runs, another warp may still come to the two accesses. The barrier of the block
// orders lanes of a warp, too.
static bool is_of_warp(const check_note *note) {
    return note->one_warp && note->settled && !note->needs_block;
}

// Where both accesses are in a branch that not all threads take, no barrier may stand there.
static void out_of_branch(const check_note *note, char *text, size_t text_bytes) {
    size_t used = strlen(text);
    put_advice(note, KL_ADVICE_OUT_OF_BRANCH,
               is_of_warp(note) ? "all lanes that __syncwarp() names must come to it"
                                : "every thread of the block must come to __syncthreads()",
               note->pattern == CHECK_READ_THEN_WRITE ? ", which reads into a variable" : "",
               text + used, text_bytes - used);
}

static bool advise_block(const check_note *note, char *text, size_t text_bytes) {
    char why[160] = "";
    uint32_t vote = note->vote ? check_line_of(note->function, note->vote - 1) : 0;
    if (note->one_warp && !note->needs_block)
        snprintf(why, sizeof why, " (the lanes of a warp need not run in step%s%.0" PRIu32 "%s)",
                 !note->vote ? ""
                 : vote      ? ", and the vote or shuffle in line "
                             : ", and the vote or shuffle",
                 vote, note->vote ? " is no memory barrier" : "");
    kl_advice row = KL_ADVICE_BARRIER_BETWEEN_WRITES;
    switch (note->pattern) {
    case CHECK_WRITE_THEN_WRITE: break;
    case CHECK_WRITE_THEN_READ:
        row = note->again ? KL_ADVICE_TWO_BARRIERS : KL_ADVICE_BARRIER_BEFORE_READ;
        break;
    case CHECK_READ_THEN_WRITE:
        row = goes_back(note, true) ? KL_ADVICE_READ_BARRIER_WRITE : KL_ADVICE_BARRIER_BEFORE_WRITE;
        break;
    case CHECK_NEXT_WRITES: row = KL_ADVICE_BARRIER_IN_LOOP; break;
    case CHECK_NEXT_READS: row = KL_ADVICE_BARRIER_BEFORE_NEXT; break;
    default: return false;
    }
    if (runs_again(note)) row = KL_ADVICE_BARRIER_BEFORE_AGAIN;
    put_advice(note, row, is_of_warp(note) ? "__syncwarp()" : "__syncthreads()", why, text,
               text_bytes);
    return true;
}

bool check_pattern_advice(const check_note *note, char *text, size_t text_bytes) {
    if (note->pattern == CHECK_UPDATE) {
        kl_advise(KL_ADVICE_ONE_ATOMIC, KL_WORDS(NULL), text, text_bytes);
        return true;
    }
    if (note->other_block) return advise_blocks(note, text, text_bytes);
    if (!advise_block(note, text, text_bytes)) return false;
    if (note->in_branch && !runs_again(note)) out_of_branch(note, text, text_bytes);
    size_t used = strlen(text);
    if (note->beside_branch && !runs_again(note) && !is_of_warp(note))
        put_advice(note, KL_ADVICE_OUTSIDE_OF_BRANCH, "", "", text + used, text_bytes - used);
    return true;
}

// Of lanes of a warp, unless another finding says that the access races with other warps, too.
static void settle(sim_checker *checker, sim_finding *finding, check_note *note) {
    char before[KL_ERROR_TEXT];
    if (!note->one_warp || note->settled || note->other_block) return;
    if (!check_pattern_advice(note, before, sizeof before) || strcmp(before, finding->text) != 0)
        return;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        const check_note *other = &checker->notes[i];
        bool of_block = other->function == note->function && !other->one_warp &&
                        !other->other_block && checker->findings[i].kind == SIM_CHECK_RACE;
        for (int pc = 0; pc < 4 && of_block; pc++)
            note->needs_block |= note->pcs[pc / 2] == other->pcs[pc % 2];
    }
    note->settled = true;
    check_pattern_advice(note, finding->text, sizeof finding->text);
}

void check_pattern_settle(sim_checker *checker) {
    const sim_program *program = checker->grid->launch->program;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        check_note *note = &checker->notes[i];
        bool loaded = note->function >= program->functions &&
                      note->function < program->functions + program->function_count;
        if (loaded && checker->findings[i].kind == SIM_CHECK_RACE)
            settle(checker, &checker->findings[i], note);
    }
}

// ---- one cause ----------------------------------------------------------------------------------

bool check_pattern_has_same_cause(const check_note *first, const check_note *other) {
    if (first->function != other->function || first->other_block || other->other_block)
        return false;
    if (is_straight(first) && is_straight(other)) // a barrier in what they have in common
        return first->pcs[0] < other->pcs[1] && other->pcs[0] < first->pcs[1];
    bool next = first->pattern == CHECK_NEXT_WRITES || first->pattern == CHECK_NEXT_READS;
    bool other_next = other->pattern == CHECK_NEXT_WRITES || other->pattern == CHECK_NEXT_READS;
    return next && other_next && first->loop[0] == other->loop[0] &&
           first->loop[1] == other->loop[1];
}
