// Matching of machine code to PTX (machine.h). Operation codes are the low 12 bits of an
// instruction's first word, its predicate bits 12-15 of it (7: always), an access's width bits 9-11
// of the second word; read off what ptxas 13.0 writes for sm_90.
#include "machine/machine.h"

enum {
    CODE_BYTES = 16, // of an instruction
    ALWAYS = 7,
    ATOMS_COUNT = 0xF8C, // popc.inc
    MAX_ACCESSES = 1 << 16,
    WINDOW = 4096 // instructions of a basic block that are looked at together
};

typedef enum access_class {
    LOAD_GLOBAL,
    LOAD_SHARED,
    STORE_GLOBAL,
    STORE_SHARED,
    ATOMIC,
    VOTE,
    NONE
} access_class;

static const struct {
    uint16_t code;
    uint8_t class;
} codes[] = {{0x981, LOAD_GLOBAL},  {0x984, LOAD_SHARED},  {0x986, STORE_GLOBAL},
             {0x386, STORE_GLOBAL}, {0x388, STORE_SHARED}, {0x988, STORE_SHARED},
             {0x98E, ATOMIC},       {0x9A6, ATOMIC},       {0x9A8, ATOMIC},
             {0x38C, ATOMIC},       {0x98C, ATOMIC},       {ATOMS_COUNT, ATOMIC},
             {0x806, VOTE},         {0x886, VOTE}};

// A machine instruction that matters here.
typedef struct machine_access {
    uint32_t line; // of PTX
    uint16_t code;
    uint8_t class, bytes, predicate;
} machine_access;

// What begins at an instruction. What follows a branch is reached from there alone.
typedef enum block_start { INSIDE, BEHIND_BRANCH, ANYWHERE } block_start;

typedef struct match {
    sim_function *function;
    machine_access *accesses; // ascending by line
    uint32_t count;
    uint8_t *starts; // [code_count + 1]: block_start
} match;

static uint8_t class_of(uint16_t code) {
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code) return codes[i].class;
    return NONE;
}

static uint8_t width_of(uint64_t second_word) {
    static const uint8_t bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};
    return bytes[second_word >> 9 & 7];
}

static int by_line(const void *left, const void *right) {
    const machine_access *a = left, *b = right;
    return a->line < b->line ? -1 : a->line > b->line;
}

static bool read_accesses(match *m, const sim_cubin_kernel *kernel, const sim_cubin_line *lines,
                          uint32_t line_count) {
    for (size_t at = 0; at + CODE_BYTES <= kernel->code_bytes; at += CODE_BYTES) {
        uint64_t words[2];
        memcpy(words, kernel->code + at, sizeof words);
        uint16_t code = words[0] & 0xFFF;
        uint8_t class = class_of(code);
        if (class == NONE) continue;
        const sim_cubin_line *line = sim_cubin_line_at(lines, line_count, (uint32_t)at);
        if (!line || m->count == MAX_ACCESSES) return false;
        m->accesses[m->count++] = (machine_access){line->line, code, class, width_of(words[1]),
                                                   (uint8_t)(words[0] >> 12 & 15)};
    }
    qsort(m->accesses, m->count, sizeof *m->accesses, by_line);
    return true;
}

static uint32_t first_of_line(const match *m, uint32_t line) {
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->accesses[middle].line < line) low = middle + 1;
        else high = middle;
    }
    return low;
}

// What an instruction's class is in machine code; NONE: not one that is matched.
static uint8_t class_of_instr(const sim_instr *instr) {
    bool shared = instr->space == PTX_SPACE_SHARED, global = instr->space == PTX_SPACE_GLOBAL;
    if (!shared && !global) return NONE;
    if (!sim_is_access(instr)) return NONE;
    if (sim_is_atomic(instr)) return ATOMIC;
    if (sim_is_load(instr)) return shared ? LOAD_SHARED : LOAD_GLOBAL;
    return shared ? STORE_SHARED : STORE_GLOBAL;
}

static uint32_t bytes_of(const sim_instr *instr) {
    return ptx_type_bytes((ptx_type)instr->type) * (instr->vector ? instr->vector : 1);
}

// Number of machine instructions for this one; *out_bytes their width, 0 when they differ.
static uint32_t find_machine(const match *m, const sim_instr *instr, uint8_t *out_bytes) {
    uint8_t class = class_of_instr(instr);
    uint32_t found = 0;
    *out_bytes = 0;
    for (uint32_t i = first_of_line(m, instr->ptx_line);
         i < m->count && m->accesses[i].line == instr->ptx_line; i++) {
        if (m->accesses[i].class != class) continue;
        *out_bytes = found == 0 || *out_bytes == m->accesses[i].bytes ? m->accesses[i].bytes : 0;
        found++;
    }
    return found;
}

// Whether the PTX has at `line` what gives machine code of this class: the access itself, or an
// operation that consists of accesses.
static bool explains(const sim_instr *instr, uint8_t class) {
    if (!sim_is_access(instr)) return true; // votes, matrix operations, calls ..
    return class == VOTE || instr->space == PTX_SPACE_NONE || instr->space == PTX_SPACE_PARAM ||
           class_of_instr(instr) == class ||
           (instr->space == PTX_SPACE_CONST && class == LOAD_GLOBAL) ||
           (class_of_instr(instr) == ATOMIC && instr->space == PTX_SPACE_SHARED); // loops of cas
}

// Whether the line table belongs to this PTX: every machine access has a line on which the function
// has something that explains it. A PTX of other lines would fail that nearly always.
static bool belongs(const match *m) {
    const sim_instr *code = m->function->code;
    uint32_t pc = 0, end = m->function->code_count;
    for (uint32_t i = 0; i < m->count; i++) { // both ascend
        const machine_access *access = &m->accesses[i];
        while (pc < end && code[pc].ptx_line < access->line) pc++;
        bool explained = access->class == VOTE;
        for (uint32_t at = pc; at < end && code[at].ptx_line == access->line && !explained; at++)
            explained = explains(&code[at], access->class);
        if (!explained) return false;
    }
    return true;
}

static bool lines_ascend(const sim_function *function) {
    for (uint32_t pc = 1; pc < function->code_count; pc++)
        if (function->code[pc].ptx_line < function->code[pc - 1].ptx_line) return false;
    return true;
}

static void find_blocks(const match *m) {
    const sim_function *function = m->function;
    m->starts[0] = ANYWHERE;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        uint8_t next = INSIDE;
        if (sim_is_switch(instr) || sim_is_call(instr) || sim_is_return(instr) ||
            sim_is_barrier(instr) || sim_is_fence(instr))
            next = ANYWHERE;
        if (sim_is_jump(instr)) {
            if (instr->target < function->code_count) m->starts[instr->target] = ANYWHERE;
            next = BEHIND_BRANCH;
        }
        for (uint32_t i = 0; sim_is_switch(instr) && i < instr->target_count; i++)
            if (function->slots[instr->target + i] < function->code_count)
                m->starts[function->slots[instr->target + i]] = ANYWHERE;
        if (next > m->starts[pc + 1]) m->starts[pc + 1] = next;
    }
}

// ---- Loads and stores ----

typedef struct family_member {
    uint32_t pc;
    uint32_t found; // machine instructions
    uint8_t bytes;  // their width
} family_member;

static bool is_relative(const sim_instr *a, const sim_instr *b) {
    return class_of_instr(a) == class_of_instr(b) && a->base == b->base && a->guard == b->guard &&
           a->guard_negated == b->guard_negated && bytes_of(a) == bytes_of(b) &&
           (a->mods & SIM_MOD_ADDRESS32) == (b->mods & SIM_MOD_ADDRESS32);
}

static void sort_by_offset(const sim_instr *code, family_member *members, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        family_member moved = members[i];
        uint32_t at = i;
        for (; at && code[members[at - 1].pc].offset > code[moved.pc].offset; at--)
            members[at] = members[at - 1];
        members[at] = moved;
    }
}

// How many members from the first on one wide access serves; 0: there is none that fits exactly.
static uint32_t find_wide(const sim_instr *code, const family_member *members, uint32_t count,
                          uint32_t *out_leader) {
    uint32_t width = bytes_of(&code[members[0].pc]), leader = 0;
    while (leader < count && !members[leader].found) leader++;
    if (leader == count || members[leader].bytes <= width) return 0;
    uint32_t served = members[leader].bytes / width;
    if (served > count || leader >= served || members[leader].bytes % width) return 0;
    for (uint32_t i = 0; i < served; i++) {
        int64_t expected = code[members[0].pc].offset + (int64_t)i * width;
        if (code[members[i].pc].offset != expected || (i != leader && members[i].found)) return 0;
    }
    *out_leader = leader;
    return served;
}

static void mark_wide(sim_instr *code, const family_member *members, uint32_t served,
                      uint32_t leader) {
    for (uint32_t k = 0; k < served; k++) code[members[k].pc].machine = SIM_MACHINE_MERGED;
    sim_instr *wide = &code[members[leader].pc];
    wide->machine = SIM_MACHINE_WIDE;
    wide->machine_bytes = members[leader].bytes;
    wide->machine_shift = (int16_t)(code[members[0].pc].offset - wide->offset);
}

static void mark_family(sim_instr *code, family_member *members, uint32_t count) {
    sort_by_offset(code, members, count);
    for (uint32_t i = 0; i < count;) {
        sim_instr *instr = &code[members[i].pc];
        uint32_t width = bytes_of(instr), leader = 0;
        uint32_t served = find_wide(code, &members[i], count - i, &leader);
        if (members[i].found && members[i].bytes == width) {
            instr->machine = SIM_MACHINE_SAME;
        } else if (served) {
            mark_wide(code, &members[i], served, leader);
        } else {
            bool dropped = !members[i].found && instr->unread;
            instr->machine = dropped ? SIM_MACHINE_MERGED : SIM_MACHINE_DIFFERS;
        }
        i += served ? served : 1;
    }
}

static bool is_plain(const sim_instr *instr) {
    uint8_t class = class_of_instr(instr);
    return class < ATOMIC && instr->machine == SIM_MACHINE_UNKNOWN;
}

static void match_plain(const match *m, family_member *members) {
    sim_instr *code = m->function->code;
    uint32_t end = m->function->code_count;
    for (uint32_t pc = 0; pc < end; pc++) {
        if (!is_plain(&code[pc])) continue;
        uint32_t count = 0, last = end - pc > WINDOW ? pc + WINDOW : end;
        for (uint32_t other = pc; other < last && (other == pc || !m->starts[other]); other++) {
            if (!is_plain(&code[other]) || !is_relative(&code[pc], &code[other])) continue;
            members[count].pc = other;
            members[count].found = find_machine(m, &code[other], &members[count].bytes);
            count++;
        }
        mark_family(code, members, count);
    }
}

static bool is_constant(const sim_function *function, uint32_t slot) {
    for (uint32_t i = 0; i < function->constant_count; i++)
        if (function->constants[i].slot == slot) return true;
    return false;
}

// An array with a name: the address is known without a register.
static bool is_named_load(const sim_function *function, const sim_instr *instr) {
    return sim_is_ld(instr) && instr->guard == SIM_NO_SLOT &&
           instr->machine == SIM_MACHINE_DIFFERS && is_constant(function, instr->src[0]);
}

static bool leads(const family_member *members, uint32_t count, uint32_t leader) {
    for (uint32_t i = 0; i < count; i++)
        if (members[i].pc < members[leader].pc) return false;
    return true;
}

// Loads that a branch may leave out but that nothing jumps between: those of a loop over a named
// array with a way out in each iteration, once it is unrolled. ptxas loads ahead there, with the
// first of them.
static void match_ahead(const match *m, family_member *members) {
    sim_instr *code = m->function->code;
    uint32_t end = m->function->code_count;
    for (uint32_t pc = 0; pc < end; pc++) {
        if (!is_named_load(m->function, &code[pc])) continue;
        uint32_t count = 0, leader = 0, last = end - pc > WINDOW ? pc + WINDOW : end;
        for (uint32_t at = pc; at < last && (at == pc || m->starts[at] != ANYWHERE); at++) {
            if (!is_named_load(m->function, &code[at]) || code[at].src[0] != code[pc].src[0] ||
                class_of_instr(&code[at]) != class_of_instr(&code[pc]) ||
                bytes_of(&code[at]) != bytes_of(&code[pc]))
                continue;
            members[count].pc = at;
            members[count].found = find_machine(m, &code[at], &members[count].bytes);
            count++;
        }
        sort_by_offset(code, members, count);
        for (uint32_t i = 0, served; i < count; i += served ? served : 1) {
            served = find_wide(code, &members[i], count - i, &leader);
            if (served && leads(&members[i], served, leader))
                mark_wide(code, &members[i], served, leader);
        }
    }
}

// ---- Loops ----

// Of a loop that ptxas has unrolled by itself the machine has copies for many iterations at once
// and others for the rest. Lanes that leave at different times pass the rest together, at the end:
// more requests than iterations.
static void match_loop(const match *m, sim_instr *branch, uint32_t pc) {
    uint32_t accesses = 0, copies = 0;
    for (uint32_t at = branch->target; at < pc; at++) {
        const sim_instr *instr = &m->function->code[at];
        uint8_t bytes;
        bool exact = instr->machine == SIM_MACHINE_SAME || instr->machine == SIM_MACHINE_WIDE;
        if (!exact || class_of_instr(instr) >= ATOMIC) continue;
        accesses++;
        if (find_machine(m, instr, &bytes) > 1) copies++;
    }
    if (!copies) return;
    branch->machine = SIM_MACHINE_UNROLLED;
    branch->machine_bytes = (uint8_t)(accesses < UINT8_MAX ? accesses : UINT8_MAX);
}

static void match_loops(const match *m) {
    for (uint32_t pc = 0; pc < m->function->code_count; pc++) {
        sim_instr *branch = &m->function->code[pc];
        if (sim_is_jump(branch) && branch->target < pc) match_loop(m, branch, pc);
    }
}

// ---- Atomics ----

// One lane that acts for all is found by a vote, and the atomic is predicated on being that lane.
static void match_atomic(const match *m, sim_instr *instr) {
    uint32_t atomics = 0, predicated = 0, counting = 0;
    bool votes = false;
    for (uint32_t i = first_of_line(m, instr->ptx_line);
         i < m->count && m->accesses[i].line == instr->ptx_line; i++) {
        votes = votes || m->accesses[i].class == VOTE;
        if (m->accesses[i].class != ATOMIC) continue;
        atomics++;
        predicated += m->accesses[i].predicate != ALWAYS;
        counting += m->accesses[i].code == ATOMS_COUNT;
    }
    if (atomics == 0) return; // not told apart from what is not understood
    if (predicated == atomics && (votes || instr->guard == SIM_NO_SLOT))
        instr->machine = SIM_MACHINE_AGGREGATED;
    else if (counting == atomics) instr->machine = SIM_MACHINE_COUNTED;
    else if (predicated == 0 && counting == 0) instr->machine = SIM_MACHINE_SAME;
}

// A kernel without a stack frame has no local memory: ptxas has put into registers what PTX has in
// it.
static void match_local(sim_function *function, const sim_cubin_kernel *kernel) {
    if (kernel->stack_bytes > 0 || kernel->is_stack_unknown) return;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        bool plain = sim_is_ld(instr) || sim_is_st(instr);
        if (plain && instr->space == PTX_SPACE_LOCAL) instr->machine = SIM_MACHINE_MERGED;
    }
}

bool sim_machine_match_lines(sim_function *function, const sim_cubin_kernel *kernel,
                             const sim_cubin_line *lines, uint32_t line_count) {
    match_local(function, kernel);
    match m = {.function = function};
    size_t capacity = kernel->code_bytes / CODE_BYTES;
    m.accesses =
        calloc((capacity < MAX_ACCESSES ? capacity : MAX_ACCESSES) + 1, sizeof *m.accesses);
    m.starts = calloc((size_t)function->code_count + 1, sizeof *m.starts);
    family_member *members = calloc((size_t)function->code_count + 1, sizeof *members);
    bool matched = m.accesses && m.starts && members && lines_ascend(function) &&
                   read_accesses(&m, kernel, lines, line_count) && belongs(&m);
    if (matched) {
        find_blocks(&m);
        match_plain(&m, members);
        match_ahead(&m, members);
        match_loops(&m);
        for (uint32_t pc = 0; pc < function->code_count; pc++)
            if (class_of_instr(&function->code[pc]) == ATOMIC)
                match_atomic(&m, &function->code[pc]);
    }
    free(m.accesses);
    free(m.starts);
    free(members);
    return matched;
}

void sim_machine_match(sim_arena *arena, sim_function *function, sim_cubin *cubin,
                       const sim_cubin_kernel *kernel) {
    const sim_cubin_line *lines = NULL;
    uint32_t count = 0;
    if (sim_cubin_ptx_lines(cubin, kernel->name, &lines, &count, NULL) != SIM_OK) count = 0;
    if (sim_machine_match_lines(function, kernel, lines, count)) // none without -lineinfo
        sim_machine_list(arena, function, kernel, lines, count);
}
