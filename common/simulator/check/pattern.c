// SPDX-License-Identifier: MIT
// Patterns of races: see pattern.h. Which of the two accesses comes first in the program, and
// whether a barrier is on every path between them, follows from the control flow; that a statement
// reads and writes back one element, from its address.
#include "check/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/paths.h"
#include "program/loop.h"

// ---- one element, read and written back ---------------------------------------------------------

static bool writes_slot(const sim_function *function, const sim_instr *instr, uint32_t slot) {
    if (instr->dst == slot || instr->dst2 == slot) return true;
    for (uint32_t i = 0; instr->list != SIM_NO_SLOT && i < sim_written_parts(instr); i++)
        if (function->slots[instr->list + i] == slot) return true;
    return false;
}

// Whether the load and the store behind it have one address register, with one value, and one
// displacement.
static bool is_update(const sim_function *function, uint32_t load, uint32_t store) {
    const sim_instr *read = &function->code[load], *write = &function->code[store];
    if (read->op != SIM_OP_LD || write->op != SIM_OP_ST || load >= store) return false;
    if (read->src[0] != write->src[0] || read->offset != write->offset) return false;
    for (uint32_t pc = load; pc < store; pc++)
        if (writes_slot(function, &function->code[pc], read->src[0])) return false;
    return true;
}

// Whether an access is half of such an update.
static bool is_half(const sim_function *function, uint32_t pc, bool is_write) {
    enum { NEAR = 64 }; // instructions of one statement
    for (uint32_t i = 1; i < NEAR; i++) {
        if (is_write && i <= pc && is_update(function, pc - i, pc)) return true;
        if (!is_write && pc + i < function->code_count && is_update(function, pc, pc + i))
            return true;
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
    if (reads_first && other_block) return CHECK_READ_THEN_WRITE;
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
    bool halves = lines[0] == lines[1] && lines[0] && is_half(function, read, false) &&
                  is_half(function, write, true);
    note->pcs[0] = read;
    note->pcs[1] = write;
    if (halves || is_update(function, read, write)) {
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
    const sim_program *program = checker->grid->program;
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
        if (a->writes[0] == a->writes[1])
            find_order(&paths, &note);
        else
            find_pattern(&paths, note.pcs[a->writes[0] ? 1 : 0], note.pcs[a->writes[0] ? 0 : 1],
                         a->other_block, &note);
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
    if (line && in_one_file(note))
        snprintf(text, LINE_TEXT, "line %" PRIu32, line);
    else if (line)
        snprintf(text, LINE_TEXT, "line %" PRIu32 " of %.64s", line, slash ? slash + 1 : file);
    else
        snprintf(text, LINE_TEXT, "%s", else_text);
    return text;
}

static bool is_one_line(const check_note *note) {
    uint32_t line = check_line_of(note->function, note->pcs[0]);
    return line && line == check_line_of(note->function, note->pcs[1]) && in_one_file(note);
}

static bool has_atomics(const sim_function *function) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool atomic = instr->op == SIM_OP_ATOM || instr->op == SIM_OP_RED;
        if (atomic && instr->space != PTX_SPACE_SHARED) return true;
    }
    return false;
}

static const char update_text[] =
    "each thread reads the old value, computes and writes the new one back; when two threads do so "
    "at the same time, one of the updates is lost. No barrier orders them: one atomic operation "
    "does all three (atomicAdd, atomicMax, .., atomicCAS for others)";

static bool advise_blocks(const check_note *note, char *text, size_t text_bytes) {
    char first[LINE_TEXT], second[LINE_TEXT];
    const char *fence = has_atomics(note->function)
                            ? "; where an atomic tells the other block that the data is there, "
                              "__threadfence() before it"
                            : "";
    static const char ways[] = "no barrier inside the kernel orders blocks, the end of the kernel "
                               "does";
    switch (note->pattern) {
    case CHECK_WRITE_THEN_READ:
    case CHECK_NEXT_READS:
        line_text(note, 0, "the write", first);
        line_text(note, 1, "the read", second);
        snprintf(text, text_bytes,
                 "blocks run at the same time and in any order, so %s may read before another "
                 "block has written in %s: %s: %s%s",
                 second, first, ways,
                 note->pattern == CHECK_NEXT_READS
                     ? "launch the kernel once per iteration (or grid.sync() in a cooperative "
                       "launch)"
                     : "do the reading in a second launch (or grid.sync() between them in a "
                       "cooperative launch)",
                 fence);
        return true;
    case CHECK_READ_THEN_WRITE:
    case CHECK_NEXT_WRITES:
        line_text(note, 0, "the read", first);
        line_text(note, 1, "the write", second);
        snprintf(text, text_bytes,
                 "blocks run at the same time and in any order, so %s may overwrite what another "
                 "block has still to read in %s: %s: write to a second array, or in a second "
                 "launch%s",
                 second, first, ways, fence);
        return true;
    default: return false;
    }
}

static bool advise_block(const check_note *note, char *text, size_t text_bytes) {
    char first[LINE_TEXT], second[LINE_TEXT];
    bool of_warp = note->one_warp && !note->needs_block;
    const char *barrier = of_warp ? "__syncwarp()" : "__syncthreads()";
    const char *why = of_warp ? " (the lanes of a warp need not run in step)" : "";
    const char *outside = ", outside of any `if`";
    switch (note->pattern) {
    case CHECK_WRITE_THEN_WRITE:
        line_text(note, 0, "the first one", first);
        line_text(note, 1, "the second", second);
        snprintf(text, text_bytes,
                 "no barrier is between the two writes to one address by two threads%s: put %s "
                 "between %s and %s",
                 why, barrier, first, second);
        return true;
    case CHECK_WRITE_THEN_READ:
        line_text(note, 0, "the write", first);
        line_text(note, 1, "the read", second);
        snprintf(text, text_bytes,
                 "no barrier is between the write and the read by another thread%s: put %s "
                 "between %s and %s%s",
                 why, barrier, first, second,
                 note->again ? ", and another one at the end of the loop, before the next "
                               "iteration writes again"
                             : "");
        return true;
    case CHECK_READ_THEN_WRITE:
        line_text(note, 0, "the read", first);
        line_text(note, 1, "the write", second);
        if (is_one_line(note))
            snprintf(text, text_bytes,
                     "the statement reads what another thread writes in the same statement%s: "
                     "read into a variable, then %s, then write",
                     why, barrier);
        else
            snprintf(text, text_bytes,
                     "%s overwrites what another thread has still to read in %s%s: no barrier is "
                     "between them: put %s there",
                     second, first, why, barrier);
        return true;
    case CHECK_NEXT_WRITES:
        line_text(note, 0, "the read", first);
        line_text(note, 1, "the write", second);
        snprintf(text, text_bytes,
                 "the next iteration of the loop overwrites in %s what other threads have still "
                 "to read in %s%s: no barrier is between the two iterations: put %s at the end of "
                 "the loop's body%s%s%s",
                 second, first, why, barrier, in_one_file(note) ? ", after " : "",
                 in_one_file(note) ? first : "", outside);
        return true;
    case CHECK_NEXT_READS:
        line_text(note, 0, "the write", first);
        line_text(note, 1, "the read", second);
        snprintf(text, text_bytes,
                 "the next iteration of the loop reads in %s what other threads write in %s%s: "
                 "no barrier is between the two iterations: put %s at the end of the loop's "
                 "body%s",
                 second, first, why, barrier, outside);
        return true;
    default: return false;
    }
}

bool check_pattern_advice(const check_note *note, char *text, size_t text_bytes) {
    if (note->pattern == CHECK_UPDATE) {
        snprintf(text, text_bytes, "%s", update_text);
        return true;
    }
    return note->other_block ? advise_blocks(note, text, text_bytes)
                             : advise_block(note, text, text_bytes);
}

static void ask_for_block(sim_checker *checker, sim_finding *finding, check_note *note) {
    char before[KL_ERROR_TEXT];
    if (!note->one_warp || note->needs_block || note->other_block) return;
    if (!check_pattern_advice(note, before, sizeof before) || strcmp(before, finding->text) != 0)
        return;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        const check_note *other = &checker->notes[i];
        bool of_block = other->function == note->function && !other->one_warp &&
                        !other->other_block && checker->findings[i].kind == SIM_CHECK_RACE;
        for (int pc = 0; pc < 4 && of_block; pc++)
            note->needs_block |= note->pcs[pc / 2] == other->pcs[pc % 2];
    }
    if (note->needs_block) check_pattern_advice(note, finding->text, sizeof finding->text);
}

void check_pattern_settle(sim_checker *checker) {
    const sim_program *program = checker->grid->program;
    for (uint32_t i = 0; i < checker->finding_count; i++) {
        check_note *note = &checker->notes[i];
        bool loaded = note->function >= program->functions &&
                      note->function < program->functions + program->function_count;
        if (loaded && checker->findings[i].kind == SIM_CHECK_RACE)
            ask_for_block(checker, &checker->findings[i], note);
    }
}

// ---- one cause ----------------------------------------------------------------------------------

static bool is_straight(const check_note *note) {
    return note->pattern == CHECK_WRITE_THEN_READ || note->pattern == CHECK_READ_THEN_WRITE ||
           note->pattern == CHECK_WRITE_THEN_WRITE;
}

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
