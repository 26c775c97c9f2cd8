// How many machine instructions the warps of a kernel execute (machine.h), by laying the branches
// of its machine code beside those of its PTX. Both are walked from their first instructions: where
// a path of the one ends at a branch, one of the other has to, with as many accesses to memory,
// barriers, shuffles and special functions on the way. Operation codes and distances of branches as
// in list.c; besides, bits 23 .. 25 of a branch's second word are a further predicate, bits
// 16 .. 19 of the first word of BSSY and BSYNC their register.
#include "machine/machine.h"
#include <stdlib.h>

enum {
    MOST = 512,      // machine instructions of a kernel that is looked at
    STEPS = 1 << 14, // paths that are walked until the search is given up
    REGISTERS = 16,  // that BSSY may name
    NOWHERE = -1
};

// What is counted along a path, and how it goes on.
typedef enum role {
    PATH_FREE,
    PATH_LOAD,
    PATH_STORE,
    PATH_ATOMIC,
    PATH_BARRIER,
    PATH_SHUFFLE,
    PATH_SPECIAL,
    PATH_BRANCH,
    PATH_END,
    PATH_BSSY,
    PATH_BSYNC,
    PATH_OTHER
} role;
enum { COUNTED = PATH_BRANCH }; // roles below it

static const struct {
    uint16_t first, last; // operation codes
    uint8_t role;
} roles[] = {
    {0x108, 0x108, PATH_SPECIAL}, {0x11D, 0x11D, PATH_BARRIER}, {0x141, 0x141, PATH_BSYNC},
    {0x142, 0x144, PATH_OTHER},   {0x145, 0x145, PATH_BSSY},    {0x146, 0x146, PATH_OTHER},
    {0x147, 0x147, PATH_BRANCH},  {0x148, 0x14C, PATH_OTHER},   {0x14D, 0x14D, PATH_END},
    {0x150, 0x156, PATH_OTHER},   {0x180, 0x181, PATH_LOAD},    {0x184, 0x184, PATH_LOAD},
    {0x185, 0x186, PATH_STORE},   {0x188, 0x188, PATH_STORE},   {0x189, 0x189, PATH_SHUFFLE},
    {0x18A, 0x18E, PATH_ATOMIC},  {0x1A6, 0x1A6, PATH_ATOMIC},  {0x1A8, 0x1A9, PATH_ATOMIC}};

static role role_of_code(uint64_t word) {
    uint32_t code = (uint32_t)word & MACHINE_OPCODE_BITS;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (code >= roles[i].first && code <= roles[i].last) return (role)roles[i].role;
    return PATH_FREE;
}

static role role_of_instr(const sim_instr *instr) {
    bool counts = instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_SHARED ||
                  instr->space == PTX_SPACE_NONE;
    if (sim_is_atomic(instr)) return PATH_ATOMIC;
    if (sim_is_ld(instr)) return counts ? PATH_LOAD : PATH_FREE;
    if (sim_is_st(instr)) return counts ? PATH_STORE : PATH_FREE;
    if (sim_is_barrier(instr)) return PATH_BARRIER;
    if (sim_is_shuffle(instr)) return PATH_SHUFFLE;
    if (sim_is_jump(instr)) return PATH_BRANCH;
    if (sim_is_return(instr)) return PATH_END;
    if (sim_is_switch(instr) || sim_is_call(instr)) return PATH_OTHER;
    sim_cost cost = sim_cost_of(instr);
    return cost >= SIM_COST_DIVISION && cost <= SIM_COST_TANGENT ? PATH_SPECIAL : PATH_FREE;
}

// One way from a place to the next branch or end.
typedef struct path {
    int32_t at;                // of the branch with a predicate, or of the end
    bool branches, fails;      // it ends with a branch; it cannot be followed
    uint32_t counted[COUNTED]; // by role
} path;

// Where both codes are laid side by side so far.
typedef struct walk {
    const sim_cubin_kernel *kernel;
    const sim_function *function;
    int32_t count; // of the kernel's instructions
    uint32_t *steps;
    bool loosely;         // accesses along a path are compared by kind, not by number
    int32_t branch[MOST]; // pc of the PTX branch that one of the machine code is; NOWHERE: of none
    bool turned[MOST];    // it is taken where that one is not
    int32_t reconverge_pc[MOST]; // of a BSYNC: pc at which its lanes are together again
} walk;

// Where lanes that part will meet, by register: NOWHERE as long as no branch parts them.
typedef struct reconvergence {
    int32_t pc[REGISTERS];
    bool open[REGISTERS];
} reconvergence;

static bool may_skip(uint64_t word, uint64_t control) {
    enum { PREDICATE = 23, ALWAYS = SIM_MACHINE_ALWAYS };
    return (word >> 12 & 15) != ALWAYS ||
           ((word & MACHINE_OPCODE_BITS) == MACHINE_BRA && (control >> PREDICATE & 7) != ALWAYS);
}

static uint32_t reconvergence_register(uint64_t word) { return word >> 16 & (REGISTERS - 1); }

// From machine instruction `at` on; NOWHERE: from an end.
static path follow_machine(walk *w, int32_t at, reconvergence *m) {
    enum { PLAIN_BRANCH = 0x947, APART = 27 };
    path p = {.at = at};
    while (at != NOWHERE) {
        if (at >= w->count) return (path){.fails = true};
        uint64_t word = machine_word(w->kernel, (size_t)at),
                 control = machine_control(w->kernel, (size_t)at);
        role r = role_of_code(word);
        p.at = at;
        if (r < PATH_BRANCH) p.counted[r]++;
        if (r == PATH_OTHER) p.fails = true;
        if (r == PATH_BSSY)
            m->open[reconvergence_register(word)] = true,
            m->pc[reconvergence_register(word)] = NOWHERE;
        if (r == PATH_BSYNC) {
            uint32_t b = reconvergence_register(word);
            if (!m->open[b] || m->pc[b] == NOWHERE ||
                (w->reconverge_pc[at] != NOWHERE && w->reconverge_pc[at] != m->pc[b]))
                p.fails = true;
            w->reconverge_pc[at] = m->pc[b];
            m->open[b] = false;
        }
        if (r == PATH_BRANCH && ((word & 0xFFF) != PLAIN_BRANCH || control >> APART & 1))
            p.fails = true;
        if (r == PATH_END || r == PATH_BRANCH) p.branches = may_skip(word, control);
        if (p.fails || p.branches || r == PATH_END) return p;
        int64_t next = r == PATH_BRANCH ? machine_target(word, (size_t)at) : at + 1;
        if (next <= at) return (path){.fails = true}; // a loop
        at = (int32_t)next;
    }
    return p;
}

static void count_instr(path *p, const sim_instr *instr) {
    role r = role_of_instr(instr);
    if (r < PATH_BRANCH) p->counted[r]++;
}

// Goes on with `p` at pc `at`; NOWHERE: at an end.
static void follow_ptx(const sim_function *function, int32_t at, path *p) {
    p->branches = false;
    p->at = at;
    while (at != NOWHERE) {
        const sim_instr *instr = &function->code[at];
        role r = role_of_instr(instr);
        p->at = at;
        count_instr(p, instr);
        p->fails = p->fails || r == PATH_OTHER;
        if (r == PATH_END || r == PATH_BRANCH) p->branches = instr->guard != SIM_NO_SLOT;
        if (p->fails || p->branches || r == PATH_END) return;
        int32_t next = r == PATH_BRANCH ? (int32_t)instr->target : at + 1;
        p->fails = next <= at || next >= (int32_t)function->code_count;
        if (p->fails) return;
        at = next;
    }
}

// Past a branch of the PTX that ptxas made predicates of: both of its sides are executed.
static bool pass_predicated(const sim_function *function, path *p) {
    const sim_instr *branch = &function->code[p->at];
    if (!sim_is_jump(branch) || branch->reconverge == SIM_PC_EXIT) return false;
    if ((int32_t)branch->reconverge <= p->at) return false;
    for (int32_t pc = p->at + 1; pc < (int32_t)branch->reconverge; pc++) {
        const sim_instr *instr = &function->code[pc];
        role r = role_of_instr(instr);
        if (r == PATH_OTHER || r == PATH_END || (r == PATH_BRANCH && (int32_t)instr->target <= pc))
            return false;
        count_instr(p, instr);
    }
    follow_ptx(function, (int32_t)branch->reconverge, p);
    return !p->fails;
}

static int32_t taken_of_ptx(const sim_function *function, int32_t pc) {
    return sim_is_jump(&function->code[pc]) ? (int32_t)function->code[pc].target : NOWHERE;
}

static int32_t taken_of_machine(const walk *w, int32_t at) {
    uint64_t word = machine_word(w->kernel, (size_t)at);
    return role_of_code(word) == PATH_BRANCH ? (int32_t)machine_target(word, (size_t)at) : NOWHERE;
}

static bool lay(walk *w, int32_t at, int32_t pc, reconvergence m);

static bool lay_sides(walk *w, int32_t at, int32_t pc, bool turned, const reconvergence *m) {
    int32_t taken = taken_of_ptx(w->function, pc), machine_taken = taken_of_machine(w, at);
    if (machine_taken != NOWHERE && machine_taken <= at) return false;
    if (taken != NOWHERE && taken <= pc) return false;
    if (w->branch[at] != NOWHERE && (w->branch[at] != pc || w->turned[at] != turned)) return false;
    w->branch[at] = pc;
    w->turned[at] = turned;
    return lay(w, machine_taken, turned ? pc + 1 : taken, *m) &&
           lay(w, at + 1, turned ? taken : pc + 1, *m);
}

// Both branches are one, in one of two ways, but not in both.
static bool lay_branch(walk *w, int32_t at, int32_t pc, reconvergence m) {
    for (uint32_t b = 0; b < REGISTERS; b++)
        if (m.open[b] && m.pc[b] == NOWHERE) {
            uint32_t reconverge_pc = w->function->code[pc].reconverge;
            if (reconverge_pc == SIM_PC_EXIT) return false;
            m.pc[b] = (int32_t)reconverge_pc;
        }
    walk *other = malloc(sizeof *other);
    if (!other) return false;
    *other = *w;
    bool straight = lay_sides(w, at, pc, false, &m), turned = lay_sides(other, at, pc, true, &m);
    if (turned) *w = *other;
    free(other);
    return straight != turned;
}

// ptxas joins neighbouring accesses, drops those whose value it has, and divides in its own ways.
static bool are_same(const path *machine, const path *ptx, bool loosely) {
    for (uint32_t r = PATH_LOAD; r < COUNTED; r++) {
        uint32_t a = machine->counted[r], b = ptx->counted[r];
        bool joined = loosely && r < PATH_BARRIER && a > 0 && a < b;
        if (a != b && !joined && !(loosely && r == PATH_SPECIAL)) return false;
    }
    return true;
}

static bool lay(walk *w, int32_t at, int32_t pc, reconvergence m) {
    if (++*w->steps > STEPS) return false;
    path machine = follow_machine(w, at, &m), ptx = {0};
    if (machine.fails) return false;
    for (follow_ptx(w->function, pc, &ptx); !ptx.fails;) {
        bool same = are_same(&machine, &ptx, w->loosely);
        if (same && !machine.branches && !ptx.branches) return true;
        if (same && machine.branches && ptx.branches && lay_branch(w, machine.at, ptx.at, m))
            return true;
        if (!ptx.branches || !pass_predicated(w->function, &ptx)) return false;
    }
    return false;
}

// ---- weights ------------------------------------------------------------------------------------

// Instructions from `at` to the next branch with a predicate, BSYNC or end, it included.
static int32_t length_from(const walk *w, int32_t at) {
    for (int32_t length = 1;; length++) {
        uint64_t word = machine_word(w->kernel, (size_t)at);
        role r = role_of_code(word);
        if (r == PATH_BSYNC || r == PATH_END || w->branch[at] != NOWHERE) return length;
        at = r == PATH_BRANCH ? (int32_t)machine_target(word, (size_t)at) : at + 1;
    }
}

typedef struct weights {
    sim_machine_weight *by_pc; // [code_count]
    const uint32_t *from;      // [code_count + 1]: ways that lead to an instruction
} weights;

// The warps that come to the side of the PTX branch at `pc` that begins at `side`, times `times`.
// False: not known.
static bool add_side(const sim_function *function, weights *all, int32_t pc, bool taken,
                     int32_t times) {
    int32_t target = taken_of_ptx(function, pc);
    bool knows_next = all->from[pc + 1] == 1,
         knows_target = target != NOWHERE && all->from[target] == 1;
    if (knows_next && !taken) all->by_pc[pc + 1].executed += times;
    else if (knows_target && taken) all->by_pc[target].executed += times;
    else if (knows_next ||
             knows_target) { // as many as come to the branch, and once more those that it splits
        all->by_pc[pc].executed += times;
        all->by_pc[pc].divergent += times;
        all->by_pc[knows_next ? pc + 1 : target].executed -= times;
    } else return false;
    return true;
}

static bool add_branch(const walk *w, weights *all, int32_t at) {
    int32_t pc = w->branch[at], taken = taken_of_machine(w, at);
    bool turned = w->turned[at];
    if (taken != NOWHERE && !add_side(w->function, all, pc, !turned, length_from(w, taken)))
        return false;
    return add_side(w->function, all, pc, turned, length_from(w, at + 1));
}

static void count_ways(const sim_function *function, uint32_t *from) {
    from[0] = 1;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        role r = role_of_instr(instr);
        bool ends = (r == PATH_BRANCH || r == PATH_END) && instr->guard == SIM_NO_SLOT;
        if (r == PATH_BRANCH) from[instr->target]++;
        if (!ends) from[pc + 1]++;
    }
}

static bool weigh(const walk *w, weights *all) {
    all->by_pc[0].executed += length_from(w, 0);
    for (int32_t at = 0; at < w->count; at++) {
        if (w->branch[at] != NOWHERE && !add_branch(w, all, at)) return false;
        if (w->reconverge_pc[at] == NOWHERE) continue;
        if (all->from[w->reconverge_pc[at]] == 0) return false;
        all->by_pc[w->reconverge_pc[at]].executed += length_from(w, at + 1);
    }
    return true;
}

// No two BSYNC end at one place of the PTX, where the lanes of one would be taken for the other's.
static bool reconverges_once(const walk *w) {
    for (int32_t i = 0; i < w->count; i++)
        for (int32_t k = i + 1; k < w->count && w->reconverge_pc[i] != NOWHERE; k++)
            if (w->reconverge_pc[k] == w->reconverge_pc[i]) return false;
    return true;
}

static void begin(walk *w, const sim_function *function, const sim_cubin_kernel *kernel,
                  bool loosely) {
    *w = (walk){.kernel = kernel,
                .function = function,
                .count = (int32_t)(kernel->code_bytes / SIM_MACHINE_BYTES),
                .loosely = loosely};
    for (uint32_t i = 0; i < MOST; i++) w->branch[i] = w->reconverge_pc[i] = NOWHERE;
}

void sim_machine_keep(sim_arena *arena, sim_function *function, const sim_cubin_kernel *kernel) {
    size_t count = kernel->code_bytes / SIM_MACHINE_BYTES;
    if (count == 0 || count > MOST || function->code_count == 0) return;
    uint8_t *code = sim_arena_array(arena, kernel->code_bytes, 1);
    if (!code) return;
    memcpy(code, kernel->code, kernel->code_bytes);
    function->machine_code = code;
    function->machine_code_bytes = (uint32_t)kernel->code_bytes;
}

void sim_machine_weigh(sim_arena *arena, sim_function *function) {
    const sim_cubin_kernel kernel = {.code = function->machine_code,
                                     .code_bytes = function->machine_code_bytes};
    uint32_t code = function->code_count;
    walk *w = kernel.code ? malloc(sizeof *w) : NULL;
    uint32_t *from = w ? calloc(code + 1, sizeof *from) : NULL;
    bool laid = false;
    function->machine_code = NULL;
    for (int loosely = 0; from && loosely < 2 && !laid; loosely++) {
        const reconvergence none = {.open = {false}};
        uint32_t steps = 0;
        begin(w, function, &kernel, loosely);
        w->steps = &steps;
        laid = lay(w, 0, 0, none) && reconverges_once(w);
    }
    if (laid) {
        weights all = {.by_pc = sim_arena_array(arena, code, sizeof *all.by_pc), .from = from};
        count_ways(function, from);
        if (all.by_pc && weigh(w, &all)) function->machine_weights = all.by_pc;
    }
    free(from);
    free(w);
}
