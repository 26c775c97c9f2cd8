// The waiting time inside a warp: a walk over a function's code in program order, a straight
// region at a time. ptxas reorders inside a region so that independent loads are in flight
// together; so an instruction starts here as soon as its operands are there, and a region lasts as
// long as its longest chain or its number of instructions. What is still in flight at its end is
// carried to the next region in layout order; loops' back edges are not followed, so a load that
// only the next iteration consumes costs nothing (that is what software pipelining is for).
#include "machine/machine.h"
#include "timing/bounds/bounds.h"

// Fitted to short blocks: the reduction ladder on an H100 at 2^24 elements.
const double sim_bounds_start_cycles = 600;

// Straight-line code, inside which ptxas moves instructions.
typedef struct region {
    uint32_t first, last; // pc
    // Of a latency that each iteration waits, where it is a loop that ptxas unrolls; else 1.
    double share;
} region;

// Of a global access, on average over the sectors that it found in the L1, in the L2 and in device
// memory.
static double global_latency(const sim_device *device, const sim_cache_counts *found) {
    double cycles_a_ns = device->clock_mhz * 1e-3;
    double dram_cycles = device->dram_latency_ns * cycles_a_ns;
    if (!found || !found->l1_sectors) return dram_cycles;
    double all = (double)found->l1_sectors, misses = all - (double)found->l1_hits;
    double dram = (double)found->dram_reads < misses ? (double)found->dram_reads : misses;
    return ((all - misses) * device->l1_latency_cycles +
            (misses - dram) * device->l2_latency_ns * cycles_a_ns + dram * dram_cycles) /
           all;
}

// Until the farthest of some lines is there, each of which is past the L1, or in device memory, as
// often as `found`.
static double farthest_latency(const sim_device *device, const sim_cache_lines_found *found,
                               double lines) {
    double cycles_a_ns = device->clock_mhz * 1e-3;
    double dram_cycles = device->dram_latency_ns * cycles_a_ns;
    double l2_cycles = device->l2_latency_ns * cycles_a_ns;
    double near = pow(1 - (double)found->past_l1 / (double)found->all, lines);
    double in_cache = pow(1 - (double)found->in_dram / (double)found->all, lines);
    return near * device->l1_latency_cycles + (in_cache - near) * l2_cycles +
           (1 - in_cache) * dram_cycles;
}

static double found_latency(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                            double share) {
    const sim_cache_site *site =
        code->cache ? sim_cache_site_of(code->cache, sim_trace_site(code->index, pc)) : NULL;
    uint64_t requests = code->launch ? code->launch[pc].requests : 0;
    if (!site || !requests || !site->longest.all)
        return global_latency(device, site ? &site->counts : NULL);
    double lines = (double)site->lines * code->cache->scale / (double)requests;
    if (lines < 1) lines = 1;
    return farthest_latency(device, &site->longest, lines / share);
}

static double memory_latency(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                             double share) {
    const sim_instr *instr = &code->function->code[pc];
    bool atomic = sim_is_atomic(instr);
    switch (instr->space) {
    case PTX_SPACE_SHARED:
        return atomic ? machine_constant.shared_atomic_latency : device->shared_latency_cycles;
    case PTX_SPACE_PARAM:
    case PTX_SPACE_CONST: return device->alu_latency_cycles;
    case PTX_SPACE_LOCAL: return device->shared_latency_cycles;
    default: return found_latency(device, code, pc, share);
    }
}

static double latency_of(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                         double share) {
    const sim_instr *instr = &code->function->code[pc];
    if (sim_is_load(instr)) return memory_latency(device, code, pc, share);
    if (sim_is_shuffle(instr)) return machine_constant.shuffle_latency;
    switch (sim_pipe_of(instr)) {
    case SIM_PIPE_XU: return machine_constant.xu_latency;
    case SIM_PIPE_FP64: return machine_constant.fp64_latency;
    case SIM_PIPE_TENSOR: return machine_constant.tensor_latency;
    default: return device->alu_latency_cycles;
    }
}

// Slots are spread over at most this many entries; two registers that share one only make the walk
// cautious.
enum { BOARD_SLOTS = 1 << 14 };

typedef struct scoreboard {
    double stored;              // when the last store of the region started: loads stay behind it
    double end;                 // of the longest chain so far
    uint32_t late[BOARD_SLOTS]; // [late_count] entries that may be above 0
    uint32_t late_count;        // of `late`
    uint32_t entries;           // of `of`
    struct {
        double ready; // cycle of the present region at which the slot can be read
        bool late;    // one of `late`
    } of[];           // [entries]: as many as the frame has words, BOARD_SLOTS at most
} scoreboard;

static scoreboard *make_board(uint32_t frame_bytes) {
    uint32_t words = frame_bytes / 4 + 1;
    if (frame_bytes == 0 || words > BOARD_SLOTS) words = BOARD_SLOTS;
    scoreboard *board = malloc(sizeof *board + words * sizeof board->of[0]);
    if (!board) return NULL;
    board->stored = board->end = 0;
    board->late_count = 0;
    board->entries = words;
    memset(board->of, 0, words * sizeof board->of[0]);
    return board;
}

// A slot's: the words of a frame, and what is beyond the board from the beginning again.
static uint32_t entry_of(const scoreboard *board, uint32_t slot) {
    uint32_t word = slot >> 2;
    return word < board->entries ? word : word % board->entries;
}

static void set_ready(scoreboard *board, uint32_t slot, double cycle) {
    uint32_t entry = entry_of(board, slot);
    if (!board->of[entry].late) board->late[board->late_count++] = entry;
    board->of[entry].late = true;
    board->of[entry].ready = cycle;
}

// After these nothing may be moved up: the region ends.
static bool ends_region(const sim_instr *instr) {
    return sim_pipe_of(instr) == SIM_PIPE_CTRL || sim_is_fence(instr);
}

// After an instruction that changes the flow: cycles until the warp's next one. At a barrier the SM
// takes the arrivals of the block's warps one after the other.
static double wait_after(const sim_bounds_code *code, const sim_instr *instr) {
    if (sim_is_barrier(instr))
        return machine_constant.barrier + code->warps * machine_constant.arrival;
    if (sim_is_branch(instr)) return machine_constant.jump;
    return 0;
}

static void place(const sim_device *device, const sim_bounds_code *code, uint32_t pc,
                  const region *within, scoreboard *board) {
    const sim_function *function = code->function;
    const sim_instr *instr = &function->code[pc];
    uint32_t slots[SIM_OPERAND_SLOTS];
    double start = pc - within->first;
    uint32_t count = sim_operand_sources(function, instr, slots);
    for (uint32_t i = 0; i < count; i++) {
        double ready = board->of[entry_of(board, slots[i])].ready;
        if (ready > start) start = ready;
    }
    if (sim_is_load(instr) && board->stored > start) start = board->stored;
    if (sim_is_write(instr) && start > board->stored) board->stored = start;
    double latency = latency_of(device, code, pc, within->share);
    count = sim_operand_results(function, instr, slots);
    for (uint32_t i = 0; i < count; i++) set_ready(board, slots[i], start + latency);
    double end = start + 1 + wait_after(code, instr);
    if (end > board->end) board->end = end;
}

static double length_of(uint32_t instructions, double share, double chain) {
    double issue = instructions;
    return issue >= chain ? issue : issue + (chain - issue) * share;
}

// The next region starts when this one ends: what is in flight has that much less to go.
static void close_region(scoreboard *board) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < board->late_count; i++) {
        uint32_t entry = board->late[i];
        double ready = board->of[entry].ready;
        board->of[entry].late = ready > board->end;
        board->of[entry].ready = ready > board->end ? ready - board->end : 0;
        if (board->of[entry].late) board->late[kept++] = entry;
    }
    board->late_count = kept;
    board->stored = board->end = 0;
}

// Loads from memory that wait for another one of the same iteration: col[k], then x[col[k]].
static uint32_t count_chained(const sim_function *function, uint32_t first, uint32_t last) {
    uint32_t loaded[ISSUE_UNROLLED_MOST * SIM_OPERAND_SLOTS], known = 0, chained = 0;
    for (uint32_t pc = first; pc <= last; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool load = sim_is_load(instr) && issue_is_in_memory(instr), waits = false;
        uint32_t slots[SIM_OPERAND_SLOTS];
        uint32_t count = sim_operand_sources(function, instr, slots);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < known; k++) waits = waits || slots[i] == loaded[k];
        chained += load && waits;
        if (!load && !waits) continue;
        count = sim_operand_results(function, instr, slots);
        for (uint32_t i = 0; i < count; i++) loaded[known++] = slots[i];
    }
    return chained;
}

// Iterations of a loop, from where it is entered to its end, on average; many where that cannot be
// told.
static double iterations_of(const sim_bounds_code *code, uint32_t first) {
    if (first == 0 || ends_region(&code->function->code[first - 1])) return ISSUE_UNROLL;
    uint64_t entered = code->counts[first - 1].executed;
    return entered ? (double)code->counts[first].executed / (double)entered : ISSUE_UNROLL;
}

// What share of its waiting each iteration of a region adds: what is unrolled waits together, as
// far as there are iterations. Instructions start in their order: where loads wait for loads, a
// warp that is alone has no more than four such chains under way, however many iterations the
// compilers wrote out (an H100 takes as long with 4 in the PTX's loop as with 1).
static double share_of(const sim_bounds_code *code, uint32_t first, uint32_t last) {
    if (!issue_is_unrolled(code->function, first, last)) return 1;
    double iterations = iterations_of(code, first), most = ISSUE_UNROLL;
    uint32_t chained = code->launch ? count_chained(code->function, first, last) : 0;
    if (chained > 1) most /= chained;
    if (iterations < most) most = iterations;
    return most > 1 ? 1 / most : 1;
}

static bool starts_region(const sim_function *function, uint32_t pc) {
    return pc == 0 || function->code[pc].jumped_to || ends_region(&function->code[pc - 1]);
}

// `first`: where a region starts.
static region region_from(const sim_bounds_code *code, uint32_t first) {
    const sim_function *function = code->function;
    region found = {.first = first, .last = first};
    while (found.last + 1 < function->code_count && !starts_region(function, found.last + 1))
        found.last++;
    found.share = share_of(code, found.first, found.last);
    return found;
}

// Its length in cycles.
static double walk_region(const sim_device *device, const sim_bounds_code *code,
                          const region *within, scoreboard *board) {
    for (uint32_t pc = within->first; pc <= within->last; pc++)
        place(device, code, pc, within, board);
    double length = length_of(within->last + 1 - within->first, within->share, board->end);
    if (length > board->end) board->end = length;
    close_region(board);
    return length;
}

// ---- Code where no warp of a launch was ----

// What is in flight behind such code depends only on what was in flight before it, and that is the
// same in most launches of a kernel: the result is kept, so that the code is not walked again.
typedef struct in_flight {
    uint32_t entry; // of the board
    double ready;
} in_flight;
typedef struct passed_code {
    uint32_t function, first, next, warps; // of the blocks
    bool longest;                          // of the launch's longest warp
    uint32_t before_count, behind_count;   // of `flights`
    in_flight *flights;                    // before it, and then behind it; NULL: nothing is known
} passed_code;

enum { PASSED_MOST = 64 }; // a power of two
struct sim_bounds_unvisited {
    passed_code of[PASSED_MOST]; // by a hash of what they are, the last one that had it
};

sim_bounds_unvisited *sim_bounds_unvisited_new(void) {
    return calloc(1, sizeof(sim_bounds_unvisited));
}

void sim_bounds_unvisited_free(sim_bounds_unvisited *kept) {
    for (uint32_t i = 0; kept && i < PASSED_MOST; i++) free(kept->of[i].flights);
    free(kept);
}

static passed_code *place_of(sim_bounds_unvisited *kept, const passed_code *wanted) {
    uint32_t hash = wanted->function * 31 + wanted->first;
    hash = (hash * 31 + wanted->next) * 31 + wanted->longest;
    return &kept->of[hash * UINT32_C(2654435769) >> 26 & (PASSED_MOST - 1)];
}

static bool is_same(const passed_code *a, const passed_code *b, const scoreboard *board) {
    bool same = a->flights && a->function == b->function && a->first == b->first &&
                a->next == b->next && a->warps == b->warps && a->longest == b->longest &&
                a->before_count == board->late_count;
    for (uint32_t i = 0; same && i < a->before_count; i++)
        same = board->of[a->flights[i].entry].ready == a->flights[i].ready;
    return same;
}

// Appends what is in flight at index `from`; false: no memory.
static bool note(passed_code *at, uint32_t from, const scoreboard *board) {
    in_flight *grown = realloc(at->flights, (from + board->late_count + 1) * sizeof *grown);
    if (!grown) return false;
    at->flights = grown;
    for (uint32_t i = 0; i < board->late_count; i++)
        grown[from + i] = (in_flight){board->late[i], board->of[board->late[i]].ready};
    return true;
}

static void set_behind(const passed_code *at, scoreboard *board) {
    board->end = INFINITY;
    close_region(board);
    for (uint32_t i = at->before_count; i < at->before_count + at->behind_count; i++)
        set_ready(board, at->flights[i].entry << 2, at->flights[i].ready);
}

static void walk_unvisited(const sim_device *device, const sim_bounds_code *code, uint32_t first,
                           uint32_t next, scoreboard *board) {
    while (first < next) {
        region within = region_from(code, first);
        walk_region(device, code, &within, board);
        first = within.last + 1;
    }
}

static void pass_over(const sim_device *device, const sim_bounds_code *code, uint32_t first,
                      uint32_t next, scoreboard *board) {
    passed_code wanted = {.function = code->index,
                          .first = first,
                          .next = next,
                          .warps = code->warps,
                          .longest = code->launch != NULL};
    passed_code *at = place_of(code->unvisited, &wanted);
    if (is_same(at, &wanted, board)) {
        set_behind(at, board);
        return;
    }
    free(at->flights);
    *at = wanted;
    at->before_count = board->late_count;
    bool noted = note(at, 0, board);
    walk_unvisited(device, code, first, next, board);
    at->behind_count = board->late_count;
    if (noted && note(at, at->before_count, board)) return;
    free(at->flights);
    *at = (passed_code){0};
}

// Where the region starts that some warp came to next, from `pc` on; code_count: none did.
static uint32_t next_visited(const sim_bounds_code *code, uint32_t pc) {
    uint32_t end = code->function->code_count, next = sim_next_ran(code->ran, pc, end);
    while (next > pc && next < end && !starts_region(code->function, next)) next--;
    return next;
}

double sim_bounds_serial_cycles(const sim_device *device, const sim_bounds_code *code) {
    uint32_t end = code->function->code_count;
    bool skips = code->ran && code->unvisited;
    scoreboard *board = make_board(code->function->frame_bytes);
    double total = 0;
    for (uint32_t pc = 0; board && pc < end;) {
        uint32_t next = skips ? next_visited(code, pc) : pc;
        if (next == end) break;
        if (next > pc) pass_over(device, code, pc, next, board);
        region within = region_from(code, next);
        double length = walk_region(device, code, &within, board);
        total += length * (double)code->counts[within.first].executed;
        pc = within.last + 1;
    }
    free(board);
    return total;
}
