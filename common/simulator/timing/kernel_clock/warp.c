// The clock of a warp: instructions start in order when their registers are ready, as on an SM with
// a scoreboard, and each costs at least its issue slot. What could have started in an earlier wait
// is put there, as ptxas places it. Warps of a block meet at barriers, and share units (units.c).
#include "timing/kernel_clock/internal.h"
#include "warps/lanes.h"

enum { NO_BARRIER = 0xFF, SKIPPED_MOST = 64 };

// ---- Registers and issue slots ----

static double ready_of(const clock_warp *w, const struct sim_clock_code *code, const clock_op *op) {
    const uint16_t *operands = code->operands + op->operands;
    double ready = 0;
    for (uint32_t i = 0; i < op->sources; i++) ready = sim_larger(ready, w->ready[operands[i]]);
    return ready;
}

static void write_results(clock_warp *w, const struct sim_clock_code *code, const clock_op *op,
                          double cycle) {
    const uint16_t *operands = code->operands + op->operands + op->sources;
    for (uint32_t i = 0; i < op->results; i++) w->ready[operands[i]] = cycle;
    w->latest = sim_larger(w->latest, cycle);
}

// Starts after all that was issued before; returns the cycle.
static double start_next(clock_warp *w, double ready, double issues) {
    double begin = sim_larger(ready, w->now);
    w->idle += (double)(uint64_t)(begin - w->now);
    w->now = begin + issues;
    return begin;
}

// Starts in a wait that has passed, where its registers were ready then; else as above.
static double start(clock_warp *w, double ready, double issues) {
    if (ready > w->now || w->idle < issues) return start_next(w, ready, issues);
    w->idle -= issues;
    return sim_larger(ready, w->order);
}

// When an instruction can start that no other warp is in the way of.
static double earliest(const clock_warp *w, const clock_op *op, double ready) {
    bool waits = ready > w->now || w->idle < op->issues || op->kind != CLOCK_PLAIN;
    return sim_larger(ready, waits ? w->now : w->order);
}

// Nothing that follows starts before this cycle.
static void set_order(clock_warp *w, double cycle) {
    w->order_before = w->order;
    w->now = w->order = cycle;
    w->idle = 0;
}

// ---- Branches and barriers ----

// Whether a branch is taken, by some lanes (diverges) or by all.
static void branch(clock_warp *w, const sim_function *function, uint32_t pc, double ready,
                   bool taken, bool diverges) {
    const sim_instr *instr = &function->code[pc];
    double begin = start_next(w, ready + issue_branch_wait(instr), 1);
    double after = begin + issue_branch_cycles(function, pc, taken);
    if (diverges && issue_branch_reconverges(instr)) after += machine_constant.reconvergence;
    set_order(w, after);
}

static clock_barrier *barrier_at(clock_block *block, uint32_t number) {
    return number < SIM_BARRIERS ? &block->barriers[number] : &block->clocks->cluster;
}

// Whether nobody has come to this phase of a barrier yet.
static bool is_first(const sim_warp *warp, uint32_t number) {
    const sim_block *block = warp->block;
    if (number < SIM_BARRIERS) return block->barriers[number].arrived_threads == 0;
    for (uint32_t i = 0; i < block->cluster_count; i++)
        if (block->cluster[i].barriers[number].arrived_threads) return false;
    return true;
}

// Before the instruction runs, which may open the barrier.
static void arrive(clock_warp *w, clock_block *block, const sim_warp *warp, uint32_t number,
                   bool waits) {
    clock_barrier *barrier = barrier_at(block, number);
    if (is_first(warp, number)) {
        uint32_t slot = ++barrier->phase & 1;
        barrier->count[slot] = 0;
        barrier->latest[slot] = 0;
    }
    uint32_t slot = barrier->phase & 1;
    double begin = start_next(w, 0, 1), came = begin + machine_constant.arrival;
    if (barrier->count[slot]++ == 0 || came < barrier->earliest[slot])
        barrier->earliest[slot] = came;
    barrier->latest[slot] = sim_larger(barrier->latest[slot], came);
    if (number == SIM_CLUSTER_BARRIER) w->cluster_phase = barrier->phase;
    w->phase = barrier->phase;
    if (waits) w->barrier = (uint8_t)number;
}

// The first instruction behind a barrier: the SM takes one arrival after the other.
static void leave(clock_warp *w, clock_block *block) {
    const clock_barrier *barrier = barrier_at(block, w->barrier);
    uint32_t slot = w->phase & 1;
    double taken = barrier->earliest[slot] + (barrier->count[slot] - 1) * machine_constant.arrival;
    w->barrier = NO_BARRIER;
    set_order(
        w, sim_larger(w->now, sim_larger(taken, barrier->latest[slot]) + machine_constant.barrier));
}

static void pass_barrier(clock_warp *w, clock_block *block, const sim_warp *warp,
                         const sim_instr *instr, uint32_t lanes) {
    bool arrives = instr->variant == SIM_BAR_ARRIVE;
    if (sim_is_barrier(instr)) {
        uint32_t number = SLOT(const uint32_t, instr->src[0])[__builtin_ctz(lanes)];
        if (number < SIM_BARRIERS) arrive(w, block, warp, number, !arrives);
        return;
    }
    if (arrives) {
        arrive(w, block, warp, SIM_CLUSTER_BARRIER, false);
        return;
    }
    w->barrier = SIM_CLUSTER_BARRIER;
    w->phase = w->cluster_phase;
}

// ---- One instruction ----

static void sleep_for(clock_warp *w, const clock_block *block, const sim_warp *warp,
                      const sim_instr *instr, uint32_t lanes, double begin) {
    const uint32_t *ns = SLOT(const uint32_t, instr->src[0]);
    uint32_t longest = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (ns[__builtin_ctz(rest)] > longest) longest = ns[__builtin_ctz(rest)];
    double cycles = longest * block->clocks->device->clock_mhz * 1e-3;
    set_order(w, begin + sim_larger(cycles, machine_constant.sleep_least));
}

// A product of a warp group. Each warp of the group has a tensor core, which other groups use, too;
// so many products wait in its queue.
static double product(clock_warp *w, clock_block *block, const sim_warp *warp,
                      const sim_instr *instr, const clock_op *op, double ready) {
    clock_tensor *core = &block->tensor[warp->index % CLOCK_TENSOR_CORES];
    double *oldest = &core->ends[core->next];
    double begin = start_next(w, sim_larger(ready, *oldest), 1);
    core->next = (core->next + 1) % ISSUE_GROUP_QUEUE;
    core->free = sim_larger(core->free, begin) + issue_group_cycles(instr);
    *oldest = core->free;
    w->products_end = core->free + op->latency;
    w->latest = sim_larger(w->latest, w->products_end);
    return begin;
}

// Commits a group of products, or waits for groups.
static double pass_products(clock_warp *w, const sim_instr *instr, double ready) {
    double begin = start_next(w, ready, 1);
    if (instr->src[0] != SIM_NO_SLOT) {
        double end = w->groups_end[instr->variant];
        if (end > w->now) set_order(w, end);
        return begin;
    }
    issue_commit_group(w->groups_end, SIM_MOST_GROUPS, w->products_end);
    return begin;
}

// A block's threads see its stores at once; others wait until the L2 has them.
static double fence(clock_warp *w, const sim_device *device, const sim_instr *instr, double ready) {
    double from = sim_larger(ready, w->now);
    bool near = instr->scope == SIM_FENCE_CTA;
    double begin = start_next(w, near ? ready : sim_larger(ready, w->stored), 1);
    double cycles = near ? machine_constant.fence_block : machine_constant.fence_device;
    if (instr->scope == SIM_FENCE_SYS)
        cycles = machine_constant.fence_system + issue_fence_more(device);
    set_order(w, sim_larger(begin + cycles, near ? 0 : from + device->fence_cycles));
    return begin;
}

// Passes the instruction, before it runs; returns the cycle in which it starts.
static double pass(clock_warp *w, clock_block *block, sim_warp *warp, const sim_instr *instr,
                   const clock_op *op, uint32_t lanes) {
    const struct sim_clock_code *code = warp->frame->function->bound->clock;
    double ready = ready_of(w, code, op), begin;
    if (op->kind != CLOCK_FREE && !(op->hoists && ready <= w->order_before)) {
        double alone = earliest(w, op, ready);
        begin = clock_issue(block, warp, op, alone);
        if (begin > alone) ready = begin;
    }
    switch ((clock_kind)op->kind) {
    case CLOCK_FREE: write_results(w, code, op, ready); return ready;
    case CLOCK_PLAIN:
        if (op->hoists && ready <= w->order_before) {
            write_results(w, code, op, ready + op->latency);
            return ready;
        }
        begin = start(w, ready, op->issues);
        write_results(w, code, op, begin + op->latency);
        return begin;
    case CLOCK_SHUFFLE:
    case CLOCK_MEMORY:
    case CLOCK_CONSTANT: {
        begin = start_next(w, ready, 1);
        double finish = begin + op->latency;
        if (op->kind == CLOCK_SHUFFLE) finish = clock_shuffle(w, block, begin) + op->latency;
        if (op->kind == CLOCK_MEMORY)
            finish = clock_memory(w, block, warp, instr, op, lanes, begin);
        if (op->kind == CLOCK_CONSTANT) finish = clock_constant(block, warp, instr, lanes, begin);
        write_results(w, code, op, finish);
        return begin;
    }
    case CLOCK_BRANCH:
        branch(w, warp->frame->function, instr->pc, ready, true, lanes != warp->lanes);
        w->next = UINT32_MAX;
        return w->now;
    case CLOCK_BARRIER:
    case CLOCK_CLUSTER_BARRIER: pass_barrier(w, block, warp, instr, lanes); return w->now;
    case CLOCK_FENCE: return fence(w, block->clocks->device, instr, ready);
    case CLOCK_SLEEP:
        begin = start_next(w, ready, 1);
        sleep_for(w, block, warp, instr, lanes, begin);
        return begin;
    case CLOCK_BULK:
        begin = start_next(w, ready, 1);
        clock_bulk(block, warp, instr, lanes, begin);
        return begin;
    case CLOCK_BULK_WAIT: {
        begin = start_next(w, ready, 1);
        double seen = clock_bulk_seen(block, warp, instr, lanes);
        if (seen > w->now) set_order(w, seen);
        write_results(w, code, op, sim_larger(w->now, begin + op->latency));
        return begin;
    }
    case CLOCK_RELEASE:
        begin = start_next(w, ready, 1);
        set_order(w, sim_larger(sim_larger(begin, clock_bulk_all(block)) +
                                    machine_constant.mbarrier_release,
                                begin + block->clocks->device->fence_cycles));
        clock_arrive(block, warp, instr, lanes, w->now + machine_constant.mbarrier_wait);
        write_results(w, code, op, w->now);
        return begin;
    case CLOCK_PRODUCT: return product(w, block, warp, instr, op, ready);
    case CLOCK_ARRIVE:
        begin = start_next(w, ready, 1);
        clock_arrive(block, warp, instr, lanes, begin + machine_constant.mbarrier_wait);
        write_results(w, code, op, begin + op->latency);
        return begin;
    case CLOCK_PRODUCTS: return pass_products(w, instr, ready);
    case CLOCK_WAIT_COPIES: return start_next(w, sim_larger(ready, w->copied), 1);
    case CLOCK_READ:
        begin = start_next(w, ready, machine_constant.clock_read);
        write_results(w, code, op, w->now);
        set_order(w, w->now);
        return begin;
    }
    return w->now;
}

// Instructions between the last one and this whose predicates were false in all lanes: they have
// not been executed, but issued. Code without predicates was not passed: lanes have changed.
static void pass_skipped(clock_warp *w, const sim_warp *warp, const sim_instr *instr) {
    const sim_function *function = warp->frame->function;
    const struct sim_clock_code *code = function->bound->clock;
    uint32_t first = w->next;
    w->next = instr->pc + 1;
    if (first >= instr->pc || instr->pc - first > SKIPPED_MOST) return;
    for (uint32_t pc = first; pc < instr->pc; pc++)
        if (function->code[pc].guard == SIM_NO_SLOT) return;
    for (uint32_t pc = first; pc < instr->pc; pc++) {
        const clock_op *op = &code->ops[pc];
        double ready = ready_of(w, code, op);
        if (op->kind == CLOCK_BRANCH) branch(w, function, pc, ready, false, false);
        else if (op->kind != CLOCK_FREE) start(w, ready, 1);
    }
}

// Calls and returns wait for what is on its way: registers are known of one function at a time.
static void change_frame(clock_warp *w, const sim_warp *warp) {
    const struct sim_clock_code *code = warp->frame->function->bound->clock;
    w->frame = warp->frame;
    w->next = UINT32_MAX;
    memset(w->ready, 0, code->registers * sizeof *w->ready);
    set_order(w, sim_larger(w->now, w->latest));
}

// What a clock shows. Nanoseconds go on in steps.
static uint64_t shown(const sim_clocks *clocks, const sim_instr *instr, double cycle) {
    uint64_t cycles = (uint64_t)cycle, ns = (uint64_t)(cycle * 1000 / clocks->device->clock_mhz);
    ns -= ns % (uint64_t)machine_constant.timer_step_ns;
    switch (instr->variant) {
    case SIM_SPECIAL_CLOCK: return (uint32_t)cycles;
    case SIM_SPECIAL_CLOCK64: return cycles;
    case SIM_SPECIAL_CLOCK_HI: return cycles >> 32;
    case SIM_SPECIAL_GLOBALTIMER: return ns;
    case SIM_SPECIAL_GLOBALTIMER_LO: return (uint32_t)ns;
    default: return ns >> 32;
    }
}

static void show(const sim_clocks *clocks, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                 double cycle) {
    const uint64_t value = shown(clocks, instr, cycle);
    bool wide = ptx_type_bytes((ptx_type)instr->type) == 8;
    warp->clocks_read |= UINT64_C(1) << instr->pc % 64;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (wide) SLOT(uint64_t, instr->dst)[lane] = value;
        else SLOT(uint32_t, instr->dst)[lane] = (uint32_t)value;
    }
}

void sim_clock_exec(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const clock_op *op = &warp->frame->function->bound->clock->ops[instr->pc];
    clock_block *block;
    clock_warp *w = clock_warp_of(warp, &block);
    if (!w) {
        op->exec(warp, instr, lanes);
        return;
    }
    if (w->frame != warp->frame) change_frame(w, warp);
    if (w->barrier != NO_BARRIER) leave(w, block);
    pass_skipped(w, warp, instr);
    double cycle = pass(w, block, warp, instr, op, lanes);
    *block->place = sim_larger(*block->place, w->now);
    warp->cycle = (uint64_t)w->now;
    if (sim_warp_is_ahead(warp)) warp->quantum = -1; // others run
    if (op->kind == CLOCK_READ) show(block->clocks, warp, instr, lanes, cycle);
    else op->exec(warp, instr, lanes);
}
