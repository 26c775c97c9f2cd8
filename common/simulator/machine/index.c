// Counts and order of machine instructions: see machine.h.
#include "machine/machine.h"

enum { MOST_COPIES = 64, MOST_DEPTH = 15, SUBROUTINE_ISSUES = 4 };

static void sort_positions(machine_index *machine) {
    const sim_function *function = machine->function;
    uint32_t count = function->code_count;
    memset(machine->first, 0, ((size_t)count + 2) * sizeof *machine->first);
    // first[pc + 1] counts up from where the instructions of pc begin to where they end
    for (uint32_t i = 0; i < function->machine_count; i++) machine->first[machine->pcs[i] + 2]++;
    for (uint32_t pc = 0; pc < count; pc++) machine->first[pc + 2] += machine->first[pc + 1];
    for (uint32_t i = 0; i < function->machine_count; i++)
        machine->positions[machine->first[machine->pcs[i] + 1]++] = i;
}

bool machine_index_make(machine_index *machine, const sim_function *function) {
    *machine = (machine_index){.function = function};
    if (!function->machine) return true;
    machine->first = calloc((size_t)function->code_count + 2, sizeof *machine->first);
    machine->pcs = calloc((size_t)function->machine_count + 1, sizeof *machine->pcs);
    machine->positions = calloc((size_t)function->machine_count + 1, sizeof *machine->positions);
    if (!machine->first || !machine->pcs || !machine->positions) return false;
    for (uint32_t i = 0; i < function->machine_count; i++)
        machine->pcs[i] = function->machine[i].pc;
    sort_positions(machine);
    return true;
}

void machine_index_free(machine_index *machine) {
    free(machine->first);
    free(machine->pcs);
    free(machine->positions);
}

// Which machine instructions are looked at: those that issue with one PTX instruction, with so many
// loops around them.
typedef struct choice {
    uint32_t pc, depth;
    bool own;      // only those that it became: not what ptxas has moved there from a loop
    bool accesses; // only those that access memory
} choice;

static bool is_chosen(const machine_index *machine, const choice *wanted, uint32_t i) {
    const sim_machine_op *op = &machine->function->machine[machine->positions[i]];
    return op->depth == wanted->depth && (op->accesses || !wanted->accesses) &&
           (op->pc == wanted->pc || !wanted->own);
}

static uint32_t count_chosen(const machine_index *machine, const choice *wanted) {
    uint32_t found = 0;
    for (uint32_t i = machine->first[wanted->pc]; i < machine->first[wanted->pc + 1]; i++)
        found += is_chosen(machine, wanted, i);
    return found;
}

static uint32_t count_issued(const machine_index *machine, uint32_t pc, uint32_t depth) {
    return count_chosen(machine, &(choice){.pc = pc, .depth = depth});
}

static uint32_t count_own(const machine_index *machine, uint32_t pc, uint32_t depth) {
    return count_chosen(machine, &(choice){.pc = pc, .depth = depth, .own = true});
}

// What ptxas neither merges nor leaves out: a copy of the region has one.
static bool is_anchor(const sim_instr *instr) {
    if (sim_is_ld(instr) || sim_is_st(instr))
        return instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_SHARED;
    if (sim_is_add(instr) || sim_is_mul(instr))
        return instr->type == PTX_F32 || instr->type == PTX_F64;
    return sim_is_red(instr) || sim_is_shuffle(instr) || sim_cost_of(instr) == SIM_COST_TEXEL ||
           sim_is_fma(instr) || instr->op == SIM_OP_MMA;
}

// Cycles that the machine instructions of the one at `pc` keep their warp, all copies.
static uint32_t stalls_at(const machine_index *machine, uint32_t pc, uint32_t depth) {
    uint32_t cycles = 0;
    for (uint32_t i = machine->first[pc]; i < machine->first[pc + 1]; i++) {
        const sim_machine_op *op = &machine->function->machine[machine->positions[i]];
        if (op->depth == depth && !op->aside) cycles += op->stall;
    }
    return cycles;
}

// Registers that they read from each bank, all copies.
typedef struct register_use {
    double behind[SIM_REGISTER_BANKS], alone[SIM_REGISTER_BANKS];
} register_use;

static void add_reads(const machine_index *machine, uint32_t pc, uint32_t depth, uint32_t copies,
                      register_use *use) {
    for (uint32_t i = machine->first[pc]; i < machine->first[pc + 1]; i++) {
        const sim_machine_op *op = &machine->function->machine[machine->positions[i]];
        for (uint32_t bank = 0; op->depth == depth && bank < SIM_REGISTER_BANKS; bank++) {
            use->behind[bank] += (double)op->reads[bank] / copies;
            use->alone[bank] += (double)op->reads_alone[bank] / copies;
        }
    }
}

// Machine instructions by pipe, those of one copy.
static void add_works(const machine_index *machine, uint32_t pc, uint32_t depth, uint32_t copies,
                      double works[SIM_MACHINE_PIPES]) {
    for (uint32_t i = machine->first[pc]; i < machine->first[pc + 1]; i++) {
        const sim_machine_op *op = &machine->function->machine[machine->positions[i]];
        if (op->depth == depth && !op->aside) works[op->pipe] += 1.0 / copies;
    }
}

// Takes what is owed, to the nearest whole number, as far as a byte holds it.
static uint8_t whole_of(double *owed) {
    uint8_t whole = *owed < UINT8_MAX ? (uint8_t)(*owed + 0.5) : UINT8_MAX;
    *owed -= whole;
    return whole;
}

// The pipes of an operation are those of its machine instructions, if they are known.
static void take_works(issue_op *op, double works[SIM_MACHINE_PIPES]) {
    uint8_t known = 1u << ISSUE_PIPE_ALU | 1u << ISSUE_PIPE_FMA | 1u << ISSUE_PIPE_FMA_LITE;
    op->counted = true;
    for (uint32_t p = 0; p < SIM_MACHINE_PIPES; p++)
        op->works[p] = (uint8_t)(op->works[p] + whole_of(&works[p]));
    if (op->works[SIM_MACHINE_PIPE_SPECIAL]) known |= 1u << ISSUE_PIPE_XU;
    op->pipes &= (uint8_t)~known;
}

// Loops of the machine code around the region: what ptxas does before a loop, or peels off it,
// lies outside and is seldom executed.
static uint32_t depth_of(const machine_index *machine, uint32_t first, uint32_t last) {
    const sim_function *function = machine->function;
    uint32_t deepest[2] = {0, 0}; // of all, of anchors
    bool anchored = false;
    for (uint32_t pc = first; pc <= last; pc++)
        for (uint32_t i = machine->first[pc]; i < machine->first[pc + 1]; i++) {
            uint32_t depth = function->machine[machine->positions[i]].depth;
            bool anchor = is_anchor(&function->code[pc]);
            if (depth > deepest[anchor]) deepest[anchor] = depth;
            anchored = anchored || anchor;
        }
    return deepest[anchored];
}

static bool accesses_memory(const sim_instr *instr) {
    return sim_is_ld(instr) || sim_is_st(instr) || sim_is_red(instr);
}

static uint32_t count_anchor(const machine_index *machine, uint32_t pc, uint32_t depth) {
    const sim_instr *instr = &machine->function->code[pc];
    if (!is_anchor(instr)) return 0;
    return count_chosen(
        machine,
        &(choice){.pc = pc, .depth = depth, .own = true, .accesses = accesses_memory(instr)});
}

static bool is_loop_end(const sim_instr *instr) {
    return sim_is_jump(instr) && instr->target <= instr->pc;
}

// Whether a loop of the PTX is around it.
static bool is_in_loop(const sim_function *function, uint32_t first) {
    for (uint32_t pc = first; pc < function->code_count; pc++)
        if (is_loop_end(&function->code[pc]) && function->code[pc].target <= first) return true;
    return false;
}

// Copies of the region at a depth: the median of its anchors, else, of a loop, of all that is
// there.
static uint32_t copies_at(const machine_index *machine, uint32_t first, uint32_t last,
                          uint32_t depth) {
    int passes = is_in_loop(machine->function, first) ? 2 : 1;
    for (int any = 0; any < passes; any++) {
        uint32_t seen[MOST_COPIES + 1] = {0}, all = 0, below = 0;
        for (uint32_t pc = first; pc <= last; pc++) {
            uint32_t count = any ? count_own(machine, pc, depth) : count_anchor(machine, pc, depth);
            if (count == 0) continue;
            seen[count < MOST_COPIES ? count : MOST_COPIES]++;
            all++;
        }
        for (uint32_t n = 0; all > 0 && n <= MOST_COPIES; n++) {
            below += seen[n];
            if (2 * below >= all) return n;
        }
    }
    return 1;
}

// depths[pc]: loops of the machine code around its region.
static void find_depths(const machine_index *machine, const uint32_t *region_of, uint32_t *depths) {
    uint32_t count = machine->function->code_count;
    for (uint32_t first = 0, last = 0; first < count; first = ++last) {
        while (last + 1 < count && region_of[last + 1] == region_of[first]) last++;
        uint32_t depth = depth_of(machine, first, last);
        for (uint32_t pc = first; pc <= last; pc++) depths[pc] = depth;
    }
}

// Whether the machine code has iterations of a region outside of its innermost loop, too.
static bool is_peeled(const machine_index *machine, const uint32_t *region_of, uint32_t pc,
                      uint32_t depth) {
    uint32_t count = machine->function->code_count, region = region_of[pc];
    while (pc > 0 && region_of[pc - 1] == region) pc--;
    for (; pc < count && region_of[pc] == region; pc++)
        if (count_anchor(machine, pc, depth) > 0) return true;
    return false;
}

bool machine_index_hoist(machine_index *machine, const uint32_t *region_of) {
    if (!machine->first) return true;
    const sim_function *function = machine->function;
    uint32_t before[MOST_DEPTH + 1]; // pc of the last one in its own position at each depth
    uint32_t *depths = malloc((size_t)function->code_count * sizeof *depths);
    if (!depths) return false;
    find_depths(machine, region_of, depths);
    memset(before, 0xFF, sizeof before);
    for (uint32_t i = 0; i < function->machine_count; i++) {
        uint32_t depth = function->machine[i].depth, pc = function->machine[i].pc;
        if (depth > MOST_DEPTH) continue;
        if (depth >= depths[pc]) before[depth] = pc;
        else if (before[depth] != UINT32_MAX && !is_peeled(machine, region_of, pc, depth))
            machine->pcs[i] = before[depth];
        if (function->machine[i].jumps) before[depth] = UINT32_MAX; // may not come to the next one
    }
    free(depths);
    sort_positions(machine);
    return true;
}

uint32_t machine_index_copies(const machine_index *machine, uint32_t first, uint32_t last) {
    return machine->first ? copies_at(machine, first, last, depth_of(machine, first, last)) : 1;
}

// Of what is free where it becomes no machine instruction.
static double latency_of_move(const sim_function *function, const sim_instr *instr) {
    if (sim_is_ld(instr)) return machine_constant.constant_latency; // parameters are constants
    for (uint32_t i = 0; i < function->special_count; i++) {
        uint8_t id = function->specials[i].id;
        bool constant = (id >= SIM_SPECIAL_NTID_X && id <= SIM_SPECIAL_NTID_Z) ||
                        (id >= SIM_SPECIAL_NCTAID_X && id <= SIM_SPECIAL_NCTAID_Z);
        if (function->specials[i].slot == instr->src[0] && sim_is_mov(instr))
            return constant ? machine_constant.constant_latency : machine_constant.special_latency;
    }
    return machine_constant.fma_latency;
}

// Whether it is one machine instruction at least, whatever line that is said to be of.
static bool is_always_issued(const sim_function *function, const issue_op *op) {
    sim_cost cost = sim_cost_of(&function->code[op->pc]);
    return cost == SIM_COST_ASYNC || cost == SIM_COST_BARRIER ||
           (op->kind != ISSUE_PLAIN && op->kind != ISSUE_FREE);
}

// `own`: machine instructions of this operation; `owed`: parts of one that operations before it
// have not issued yet, which the iterations of a loop share. Returns what is left of these.
static double give_issues(const sim_function *function, issue_op *op, double own, double owed) {
    bool must = is_always_issued(function, op);
    uint32_t issues = (uint32_t)own;
    double part = own - issues;
    owed += part;
    if (part > 0 && owed > 0.5) {
        issues++;
        owed -= 1;
    }
    if (must && issues == 0) issues = 1;
    if (issues > UINT8_MAX) issues = UINT8_MAX;
    if (op->kind == ISSUE_PLAIN && issues == 0) op->kind = ISSUE_FREE;
    if (op->kind == ISSUE_FREE && issues > 0) {
        op->kind = ISSUE_PLAIN;
        op->latency = (uint16_t)latency_of_move(function, &function->code[op->pc]);
    }
    op->issues = (uint8_t)issues;
    return owed;
}

// Takes position and scoreboards from the machine instructions that are the operation, one of so
// many copies. Returns the position in the machine code, from 1; 0: it is not there.
static uint32_t take_control(const machine_index *machine, uint32_t depth, uint32_t copies,
                             issue_op *op) {
    bool memory = op->kind == ISSUE_GLOBAL || op->kind == ISSUE_SHARED ||
                  op->kind == ISSUE_CONSTANT || op->kind == ISSUE_TEXTURE;
    choice wanted = {.pc = op->pc, .depth = depth, .own = true, .accesses = memory};
    uint32_t own = count_chosen(machine, &wanted), found = 0, position = 0;
    if (own < copies && memory) {
        wanted.accesses = false;
        own = count_chosen(machine, &wanted);
    }
    // What is left over comes first: all copies share it, such as the load of a parameter.
    uint32_t shared = own < copies ? 0 : own % copies, each = own - shared;
    uint32_t from = shared + op->copy * each / copies, to = shared + (op->copy + 1) * each / copies;
    for (uint32_t i = machine->first[op->pc]; i < machine->first[op->pc + 1]; i++) {
        if (!is_chosen(machine, &wanted, i)) continue;
        const sim_machine_op *instr = &machine->function->machine[machine->positions[i]];
        if (found == from) position = machine->positions[i] + 1;
        if (found >= from && found < to && !op->sets) {
            op->sets |= instr->sets;
            op->waits |= instr->waits;
        }
        found++;
    }
    return position;
}

// What ptxas may call a function for, which lies elsewhere in the machine code.
static bool is_subroutine(const sim_function *function, const issue_op *op) {
    return op->issues >= SUBROUTINE_ISSUES &&
           sim_cost_of(&function->code[op->pc]) != SIM_COST_PRODUCT &&
           !issue_has_reciprocal(function, op->pc);
}

void machine_index_take(const machine_index *machine, uint32_t first, uint32_t last, issue_op *ops,
                        uint32_t count, uint32_t *out_positions) {
    const sim_function *function = machine->function;
    for (uint32_t i = 0; i < count; i++) out_positions[i] = 0;
    if (!machine->first) return;
    uint32_t depth = depth_of(machine, first, last);
    uint32_t copies = copies_at(machine, first, last, depth);
    double owed = 0, stall = 0, works[SIM_MACHINE_PIPES] = {0};
    register_use use = {{0}, {0}};
    for (uint32_t i = 0; i < count; i++) {
        issue_op *op = &ops[i];
        uint32_t own = count_issued(machine, op->pc, depth);
        stall += (double)stalls_at(machine, op->pc, depth) / copies;
        out_positions[i] = take_control(machine, depth, copies, op);
        if (issue_is_predicated(function, op->pc)) continue;
        add_works(machine, op->pc, depth, copies, works);
        if (op->issues > 0) take_works(op, works);
        if (is_subroutine(function, op)) continue;
        add_reads(machine, op->pc, depth, copies, &use);
        if (is_loop_end(&function->code[op->pc])) // beside it stands what was done before the loop
            op->issues = 1;
        else owed = give_issues(function, op, (double)own / copies, owed);
        if (op->issues == 0) continue;
        op->stall = whole_of(&stall);
        take_works(op, works);
        for (uint32_t bank = 0; bank < SIM_REGISTER_BANKS; bank++) {
            op->reads[bank] = whole_of(&use.behind[bank]);
            op->reads_alone[bank] = whole_of(&use.alone[bank]);
        }
    }
}
