// Issue, dependences, pipes, barriers and blocks: see internal.h. A scheduler stays with its warp
// while that can issue, and else takes the one that has been able to for longest.
#include "timing/sm/internal.h"

enum { STEPS_MAX = 1 << 26, LINE_INSTRUCTIONS = 8 };

// ---- Codes ----

static void make_code(sm *s, const sim_function *function) {
    issue_code *code = &s->codes[function - s->input->launch->program->functions];
    if (!code->function && !issue_code_make(code, s->input->launch->device, function)) {
        issue_code_free(code); // the next launch tries again
        s->failed = true;
    }
}

// NULL: no memory.
static issue_code *codes_of(const sim_sm_input *input) {
    uint32_t count = input->launch->program->function_count;
    sim_issue_codes *codes = *input->codes;
    if (!codes) codes = calloc(1, sizeof *codes + count * sizeof *codes->of);
    if (!codes) return NULL;
    codes->count = count;
    *input->codes = codes;
    return codes->of;
}

// Boards and lists fit every region that a warp of the launch came to.
static void fit(sm *s) {
    const sim_recorded *result = s->input->recorded;
    for (uint32_t f = 0; f < result->function_count; f++) {
        const issue_code *code = &s->codes[f];
        const uint64_t *ran = result->counts[f].ran;
        uint32_t end = code->function ? code->function->code_count : 0;
        for (uint32_t pc = ran && end ? sim_next_ran(ran, 0, end) : end; pc < end;) {
            const issue_region *region = &code->regions[code->region_of[pc]];
            if (region->numbers > s->registers) s->registers = region->numbers;
            if (region->length > s->longest) s->longest = region->length;
            pc = sim_next_ran(ran, region->last + 1, end);
        }
    }
}

static bool make_codes(sm *s) {
    const sim_warp_traces *paths = s->input->traces;
    uint32_t count = s->extent.same ? s->extent.first + 1 : s->extent.recorded;
    for (uint32_t b = 0; b < count; b++)
        for (uint32_t w = 0; w < paths->warps_a_block; w++) {
            const sim_warp_trace *path = &sim_warp_traces_modelled(paths, b)->warps[w];
            const sim_function *before = NULL;
            for (uint32_t r = 0; r < path->count && !s->failed; r++) {
                if (path->runs[r].function == before) continue;
                before = path->runs[r].function;
                make_code(s, before);
            }
        }
    if (!s->failed) fit(s);
    return !s->failed;
}

// ---- Blocks and barriers ----

uint32_t sm_count_of(const sim_launch *launch) {
    enum { LARGE_CLUSTER = 4 };
    const sim_device *device = launch->device;
    bool alone = sim_launch_shared_bytes(launch) > device->shared_bytes_per_sm / 2;
    if (!alone || sim_launch_cluster_blocks(launch) < LARGE_CLUSTER) return device->sm_count;
    return (uint32_t)(device->sm_count * machine_constant.cluster_sms + 0.5);
}

// SMs that work as long as this one: those that have as many blocks as the youngest here.
static void share_with_others(sm *s) {
    if (s->extent.only_sm) {
        s->memory->sms = 1;
        return;
    }
    if (s->extent.sms > 0) {
        s->memory->sms = s->extent.sms;
        return;
    }
    double all = (double)sim_launch_blocks(s->input->launch), sum = 0, count = 0;
    double sms = sm_count_of(s->input->launch);
    for (uint32_t g = 0; g * s->warps_a_block < s->slots; g++) {
        if (!s->live[g]) continue;
        double rest = all - sms * (double)s->block_of[g];
        sum += rest < sms ? rest : sms;
        count++;
    }
    if (count > 0) s->memory->sms = sum / count;
}

// The card hands out one block after the other; an SM gets every 132nd.
static uint32_t block_gap(const sm *s) {
    const sim_device *device = s->input->launch->device;
    double all = (double)sim_launch_blocks(s->input->launch), sms = device->sm_count;
    double ns = machine_constant.block_ns * (all < sms ? all : sms);
    return sm_whole(ns * device->clock_mhz * 1e-3);
}

// When the caches' replay began a block that it runs.
static uint32_t start_in_caches(const sm *s, uint32_t index) {
    const sim_cache_result *cache = s->input->cache;
    uint64_t number = sim_warp_traces_modelled_number(s->input->traces, index);
    return number < cache->start_count ? cache->starts[number] : 0;
}

// taken: cycle at which the SM takes it, if the card has one then.
static void start_block(sm *s, uint32_t group, uint32_t taken, uint32_t setup) {
    uint32_t now = taken + setup > s->start_free ? taken + setup : s->start_free;
    s->start_free = now + block_gap(s);
    if (s->timeline) timeline_block(s->timeline, now - setup);
    uint64_t index = s->next_block++;
    uint32_t number = s->extent.same ? s->extent.first : (uint32_t)index;
    const sim_traced_block *block = sim_warp_traces_modelled(s->input->traces, number);
    s->arrived[group] = s->live[group] = 0;
    s->mbarriers[group] = (sm_mbarriers){0};
    memset(s->part_arrived[group], 0, sizeof s->part_arrived[group]);
    s->block_of[group] = index;
    for (uint32_t i = 0; i < s->warps_a_block; i++) {
        uint32_t slot = group * s->warps_a_block + i;
        sm_warp *w = &s->warps[slot];
        w->path = block->warps[i].count ? &block->warps[i] : NULL;
        w->next = SM_NEVER;
        if (!w->path) continue;
        memset(w->board, 0, s->registers * sizeof *w->board);
        memset(w->scoreboards, 0, sizeof w->scoreboards);
        memset(w->groups_end, 0, sizeof w->groups_end);
        memset(w->store_groups_end, 0, sizeof w->store_groups_end);
        w->products_end = w->stores_end = 0;
        w->waits_for = w->waits_at = 0;
        w->drained = false;
        w->cut = w->path->cut || w->path->count > s->extent.runs;
        w->runs = w->path->count < s->extent.runs ? w->path->count : s->extent.runs;
        w->start = w->cut || s->extent.any_time ? SM_ANY_TIME : start_in_caches(s, number);
        w->at_barrier = false;
        warp_trace_begin(w, s->codes, s->input->launch->program->functions);
        if (s->timeline) timeline_begin(s->timeline, slot, now - setup);
        if (!sm_prepare(s, w, now, SIM_PHASE_START)) {
            if (s->timeline) timeline_end(s->timeline, slot, now);
            continue;
        }
        s->live[group]++;
        sm_wake(s, slot);
    }
    s->progress->started = now;
    share_with_others(s);
}

static void open_barrier(sm *s, uint32_t group, uint32_t now) {
    uint32_t first = group * s->warps_a_block;
    double latency = machine_constant.barrier;
    if (s->cluster_waits[group])
        latency += machine_constant.cluster_barrier + issue_fence_more(s->input->launch->device);
    s->cluster_waits[group] = false;
    s->arrived[group] = 0;
    for (uint32_t slot = first; slot < first + s->warps_a_block; slot++) {
        sm_warp *w = &s->warps[slot];
        if (!w->path || !w->at_barrier) continue;
        w->at_barrier = false;
        sm_go_on(s, slot, now + (uint32_t)latency, SIM_PHASE_BARRIER, now);
    }
}

static void end_warp(sm *s, uint32_t slot, uint32_t now) {
    uint32_t group = slot / s->warps_a_block;
    sm_warp *w = &s->warps[slot];
    w->path = NULL;
    w->next = SM_NEVER;
    if (s->timeline) {
        timeline_end(s->timeline, slot, now);
        bool unknown = s->next_block >= s->extent.recorded && s->next_block < s->extent.blocks;
        if (w->cut || (unknown && s->live[group] == 1)) timeline_stop(s->timeline, now);
    }
    if (w->cut) { // its block stays where it is, and the others go on if they come and go
        s->cut = true;
        s->stopped =
            s->stopped || s->progress->refilled == 0 || s->next_block >= s->extent.recorded;
        return;
    }
    if (--s->live[group]) {
        if (s->arrived[group] == s->live[group]) open_barrier(s, group, now);
        sm_open_stuck(s, group, now);
        return;
    }
    if (s->block_of[group] >= s->extent.first + s->extent.resident) s->progress->drained = now;
    if (s->next_block >= s->extent.blocks) {
        share_with_others(s);
        return;
    }
    if (s->next_block >= s->extent.recorded) return;
    bool first = s->progress->refilled == 0;
    start_block(s, group, now, (uint32_t)machine_constant.block_start);
    // The first blocks began together: how fast others come is known when all of them have ended.
    if (s->next_block == s->extent.first + 2 * s->extent.resident)
        s->progress->steady = s->progress->started;
    if (!first) return;
    s->progress->refilled = s->progress->started;
    // The recorded blocks behind the first ones stand for all of the rest.
    s->memory->each =
        (double)(s->extent.blocks - s->extent.resident) / (s->extent.recorded - s->extent.resident);
}

// ---- Issue ----

static double wavefronts_of(const sm *s, const sim_function *function, const issue_op *op) {
    const sim_program *program = s->input->launch->program;
    const sim_raw_counts *counts = s->input->recorded->counts[function - program->functions].by_pc;
    if (!counts || !counts[op->pc].executed || function->code[op->pc].op == SIM_OP_SHFL) return 1;
    return (double)counts[op->pc].wavefronts / (double)counts[op->pc].executed;
}

// Whether the warp's next operation is a product of warp groups.
static bool is_group_product(const sm_warp *w) {
    return w->at->pipes == 1u << ISSUE_PIPE_TENSOR &&
           w->code->function->code[w->at->pc].op == SIM_OP_WGMMA;
}

// When the pipes of its machine instructions take them.
static double works_ready(const sm *s, uint32_t scheduler, const issue_op *op) {
    const double *pipes = s->pipe_free[scheduler];
    double ready = op->works[SIM_MACHINE_PIPE_ALU] ? pipes[ISSUE_PIPE_ALU] : 0;
    if (op->works[SIM_MACHINE_PIPE_PRODUCT] || op->works[SIM_MACHINE_PIPE_WIDE])
        ready = sim_larger(ready, pipes[ISSUE_PIPE_FMA]);
    if (op->works[SIM_MACHINE_PIPE_SPECIAL]) ready = sim_larger(ready, pipes[ISSUE_PIPE_XU]);
    if (op->works[SIM_MACHINE_PIPE_FLOAT])
        ready = sim_larger(ready, fmin(pipes[ISSUE_PIPE_FMA], pipes[ISSUE_PIPE_FMA_LITE]));
    return ready;
}

static void take_pipe(sm *s, uint32_t scheduler, uint32_t pipe, uint32_t count, uint32_t now) {
    double *end = &s->pipe_free[scheduler][pipe];
    if (count) *end = sim_larger(*end, now) + count * s->pipe_cycles[pipe];
}

// The machine instructions go to their pipes; those of float to the one that is free first.
static void take_works(sm *s, uint32_t scheduler, const issue_op *op, uint32_t now) {
    const double *pipes = s->pipe_free[scheduler];
    take_pipe(s, scheduler, ISSUE_PIPE_ALU, op->works[SIM_MACHINE_PIPE_ALU], now);
    take_pipe(s, scheduler, ISSUE_PIPE_FMA,
              op->works[SIM_MACHINE_PIPE_PRODUCT] + 2u * op->works[SIM_MACHINE_PIPE_WIDE], now);
    take_pipe(s, scheduler, ISSUE_PIPE_XU, op->works[SIM_MACHINE_PIPE_SPECIAL], now);
    for (uint32_t i = 0; i < op->works[SIM_MACHINE_PIPE_FLOAT]; i++) {
        bool lite = pipes[ISSUE_PIPE_FMA_LITE] <= pipes[ISSUE_PIPE_FMA];
        take_pipe(s, scheduler, lite ? ISSUE_PIPE_FMA_LITE : ISSUE_PIPE_FMA, 1, now);
    }
}

// Cycles of the scheduler beyond one per instruction.
static uint32_t dispatch_more(const issue_op *op) {
    return op->works[SIM_MACHINE_PIPE_WIDE] * ((uint32_t)machine_constant.wide_dispatch - 1) +
           op->works[SIM_MACHINE_PIPE_BRANCH] * ((uint32_t)machine_constant.branch_dispatch - 1);
}

// When the pipe of an operation takes it, not before `now`; the pipe in *out_pipe.
static double pipe_ready(const sm *s, uint32_t slot, const issue_op *op, uint32_t now,
                         uint32_t *out_pipe) {
    uint32_t scheduler = slot % s->schedulers;
    double best = 1e30, others = 0;
    *out_pipe = ISSUE_PIPES;
    if (op->counted) others = works_ready(s, scheduler, op);
    if (!op->pipes) return sim_larger(others, now);
    if (is_group_product(&s->warps[slot])) { // goes into a queue
        best = s->product_ends[scheduler][s->products[scheduler]];
        *out_pipe = ISSUE_PIPE_TENSOR;
        return best > now ? best : now;
    }
    for (uint32_t p = 0; p < ISSUE_PIPES; p++) {
        if (!(op->pipes >> p & 1) || s->pipe_free[scheduler][p] >= best) continue;
        best = s->pipe_free[scheduler][p];
        *out_pipe = p;
    }
    return sim_larger(sim_larger(best, others), now);
}

// When its pipe or the load/store unit takes the operation, not before `now`.
static uint32_t unit_ready(const sm *s, uint32_t slot, const issue_op *op, uint32_t now,
                           uint32_t *out_pipe) {
    const sm_warp *w = &s->warps[slot];
    double ready = pipe_ready(s, slot, op, now, out_pipe);
    bool asks = op->kind == ISSUE_TEXTURE || op->kind == ISSUE_GLOBAL || op->kind == ISSUE_SHARED ||
                op->kind == ISSUE_CONSTANT;
    if (asks && !w->off) ready = sm_memory_ready(s->memory, &w->code->function->code[op->pc], now);
    return sm_whole(ready);
}

// Whether the operation can start in this cycle; else the warp is put off.
static bool can_start(sm *s, uint32_t slot, const issue_op *op, uint32_t now, uint32_t *out_pipe) {
    s->warps[slot].next = unit_ready(s, slot, op, now, out_pipe);
    if (s->warps[slot].next > now) return false;
    s->warps[slot].next = sm_release_ready(s, &s->warps[slot], op, now);
    return s->warps[slot].next <= now;
}

// For a timeline: what a scheduler, its pipes and the load/store unit are busy with after `now`
// keeps warps from issuing whose operands are there.
static void note_throttles(sm *s, uint32_t now) {
    for (uint32_t slot = 0; slot < s->slots; slot++) {
        const sm_warp *w = &s->warps[slot];
        uint32_t scheduler = slot % s->schedulers, pipe, from = w->ready > now ? w->ready : now + 1;
        if (!w->path || w->next == SM_NEVER) continue;
        if (s->issued[scheduler] > from) from = s->issued[scheduler];
        uint32_t free = s->free[scheduler], until = unit_ready(s, slot, w->at, now + 1, &pipe);
        if (free > from) timeline_throttle(s->timeline, slot, SIM_PHASE_DISPATCH, now, from, free);
        if (free > from) from = free;
        if (until > from)
            timeline_throttle(s->timeline, slot, stall_of_unit(w->at), now, from, until);
    }
}

static double shared_finish(sm *s, const sim_function *function, const issue_op *op, uint32_t now) {
    const sim_instr *instr = &function->code[op->pc];
    double wavefronts = wavefronts_of(s, function, op);
    if (issue_is_loop_of_sums(instr)) { // of two wavefronts per iteration
        double iterations = wavefronts > 2 ? wavefronts / 2 : 1;
        double cost = issue_is_one_address(function, instr) ? machine_constant.float_add_cost
                                                            : machine_constant.float_add_own;
        double latency = machine_constant.float_add_latency * iterations - iterations * cost;
        return sm_memory_shared(s->memory, iterations * cost, latency > 0 ? latency : 0, now);
    }
    double latency = op->latency + (wavefronts > 1 ? wavefronts - 1 : 0);
    return sm_memory_shared(s->memory, wavefronts, latency, now);
}

// Of an access to shared memory by an address that may lie anywhere: of clusters it is another
// block's.
static double generic_latency(const sm *s) {
    return sm_is_of_cluster(s) ? machine_constant.remote_latency
                               : s->input->launch->device->shared_latency_cycles;
}

static double finish_of(sm *s, sm_warp *w, const issue_op *op, uint32_t now) {
    const sim_function *function = w->code->function;
    const sim_instr *instr = &function->code[op->pc];
    switch ((issue_kind)op->kind) {
    case ISSUE_SHARED: return shared_finish(s, function, op, now);
    case ISSUE_GLOBAL: {
        const sim_traced_line *lines;
        uint32_t count = warp_trace_lines(w, op, &lines);
        if (count) return sm_memory_request(s->memory, instr, w->start, lines, count, now);
        double wavefronts = wavefronts_of(s, function, op); // of shared memory, or no lane is on
        return wavefronts > 0 ? sm_memory_shared(s->memory, wavefronts, generic_latency(s), now)
                              : now + 1;
    }
    case ISSUE_TEXTURE: {
        const sim_traced_line *lines;
        uint32_t count = warp_trace_lines(w, op, &lines);
        return sm_memory_texture(s->memory, instr, lines, count, now);
    }
    case ISSUE_CONSTANT:
        if (op->works[SIM_MACHINE_PIPE_UNIFORM]) return sm_memory_uniform(s->memory, s->slots, now);
        return sm_memory_constant(s->memory, wavefronts_of(s, function, op), op->latency, now);
    default: return now + op->latency;
    }
}

// Adds what tensor core and special-function unit have done up to `now`. Both started before.
static void count_units(sm *s, uint32_t scheduler, double now) {
    double from = s->units_counted[scheduler];
    double tensor = fmin(now, s->pipe_free[scheduler][ISSUE_PIPE_TENSOR]) - from;
    double xu = fmin(now, s->pipe_free[scheduler][ISSUE_PIPE_XU]) - from;
    double both = fmax(0, fmin(tensor, xu));
    s->progress->units.both += both;
    s->progress->units.tensor_alone += fmax(0, tensor) - both;
    s->progress->units.xu_alone += fmax(0, xu) - both;
    s->units_counted[scheduler] = fmax(from, now);
}

static double pipe_cycles_of(const sm *s, const sim_instr *instr, const issue_op *op,
                             uint32_t pipe) {
    if (instr->op == SIM_OP_WGMMA) return issue_group_cycles(instr) * s->tensor_cycles;
    return op->holds * s->pipe_cycles[pipe];
}

// wgmma.commit_group, wgmma.wait_group: when the warp goes on, at `after` or when its products end.
static uint32_t pass_group(sm_warp *w, const sim_instr *instr, uint32_t after) {
    if (instr->src[0] != SIM_NO_SLOT) return sm_not_before(after, w->groups_end[instr->variant]);
    issue_commit_group(w->groups_end, SIM_MOST_GROUPS, w->products_end);
    return after;
}

// Starts the operation. Returns the cycles for which the scheduler is busy with it.
static uint32_t issue(sm *s, uint32_t slot, const issue_op *op, uint32_t pipe, uint32_t now) {
    sm_warp *w = &s->warps[slot];
    uint32_t group = slot / s->warps_a_block, scheduler = slot % s->schedulers;
    issue_kind kind = (issue_kind)op->kind;
    const sim_instr *instr = &w->code->function->code[op->pc];
    if (pipe == ISSUE_PIPE_TENSOR || pipe == ISSUE_PIPE_XU) count_units(s, scheduler, now);
    if (op->counted) take_works(s, scheduler, op, now);
    if (pipe < ISSUE_PIPES)
        s->pipe_free[scheduler][pipe] =
            (s->pipe_free[scheduler][pipe] > now ? s->pipe_free[scheduler][pipe] : now) +
            pipe_cycles_of(s, instr, op, pipe);
    uint32_t issues = op->issues,
             after = now + (op->stall > issues && kind != ISSUE_BRANCH ? op->stall : issues);
    sim_warp_phase phase = SIM_PHASE_WAIT;
    if (s->timeline) timeline_issue(s->timeline, slot, now, issues);
    if (!w->off) {
        double finish = finish_of(s, w, op, now);
        if (instr->op == SIM_OP_WGMMA) {
            double end = s->pipe_free[scheduler][ISSUE_PIPE_TENSOR];
            uint32_t *next = &s->products[scheduler];
            s->product_ends[scheduler][*next] = end;
            *next = (*next + 1) % ISSUE_GROUP_QUEUE;
            s->group_products[scheduler] = true;
            finish = w->products_end = end + (double)op->latency;
        }
        if (w->stalls) stall_of_results(w, op, finish);
        sm_write_results(w, op, finish);
        s->progress->instructions++;
        if (s->timeline && op->kind == ISSUE_GLOBAL && op->results)
            timeline_request(s->timeline, now, finish);
        // The next load into the same uniform register waits for who reads this one.
        if ((op->kind == ISSUE_SHARED && issue_is_loop_of_sums(instr)) ||
            (op->kind == ISSUE_CONSTANT && op->works[SIM_MACHINE_PIPE_UNIFORM])) {
            after = sm_whole(finish);
            phase = SIM_PHASE_SHORT;
        }
        if (instr->op == SIM_OP_WGMMA_GROUP) {
            after = pass_group(w, instr, after);
            phase = SIM_PHASE_SHORT;
        }
        if (instr->op == SIM_OP_BULK_GROUP) {
            after = sm_pass_stores(w, instr, after);
            phase = SIM_PHASE_MEMORY;
        }
        if (issue_has_events(instr)) {
            after = sm_pass_events(s, slot, op, now, after);
            phase = kind == ISSUE_BARRIER ? SIM_PHASE_BARRIER : SIM_PHASE_MEMORY;
        }
        if (instr->op == SIM_OP_FENCE || issue_is_release(instr)) {
            after = now + sm_whole(issue_fence_cycles(s->input->launch->device, instr));
            phase = SIM_PHASE_FENCE;
        }
    }
    s->progress->end = now + op->issues;
    w->at++;
    if (kind == ISSUE_BRANCH) {
        w->branched = w->code->function;
        w->branch_pc = op->pc;
        w->branch_stall = op->stall;
    }
    if (kind == ISSUE_BARRIER && !issue_is_part_barrier(instr)) {
        w->at_barrier = true;
        w->next = SM_NEVER;
        s->arrived[group]++;
        if (s->timeline) timeline_wait(s->timeline, slot, SIM_PHASE_BARRIER, TIMELINE_OPEN);
        s->cluster_waits[group] = instr->op == SIM_OP_BAR_CLUSTER;
        uint32_t arrival = sm_take_arrival(s, now);
        if (s->arrived[group] == s->live[group]) open_barrier(s, group, arrival);
        sm_open_stuck(s, group, now);
    } else if (after == SM_NEVER) {
        w->next = SM_NEVER;
        if (s->timeline) timeline_wait(s->timeline, slot, phase, TIMELINE_OPEN);
        sm_open_stuck(s, group, now);
    } else if (!sm_prepare(s, w, after, phase)) {
        end_warp(s, slot, now + issues);
    }
    return issues + (w->off ? 0 : dispatch_more(op));
}

// A bank gives one register per cycle; what an instruction reads has to be there some cycles after
// its issue. Returns the cycles by which the next issue is later for that.
static uint32_t read_registers(sm *s, uint32_t scheduler, const issue_op *op, bool follows,
                               uint32_t now) {
    const uint8_t *reads = follows ? op->reads : op->reads_alone;
    uint32_t last = now + (op->issues > 1 ? op->issues - 1 : 0);
    uint32_t *banks = s->banks[scheduler],
             latest = last + (uint32_t)machine_constant.register_window;
    uint32_t waits = 0;
    for (uint32_t bank = 0; bank < SIM_REGISTER_BANKS; bank++) {
        if (!reads[bank]) continue;
        banks[bank] = (banks[bank] > now ? banks[bank] : now) + reads[bank];
        if (banks[bank] > latest + waits) waits = banks[bank] - latest;
    }
    return waits;
}

// Warps of several groups hand their products to a tensor core alternately: the next one in the
// order of slots whose product could issue, too, else the warp itself.
static uint32_t next_product(const sm *s, uint32_t slot, uint32_t now) {
    for (uint32_t p = slot + s->schedulers; p != slot; p += s->schedulers) {
        if (p >= s->slots) p = slot % s->schedulers;
        if (p == slot) break;
        const sm_warp *w = &s->warps[p];
        if (w->path && w->next <= now && is_group_product(w)) return p;
    }
    return slot;
}

// Products of warp groups keep the registers busy: what other instructions read comes later. By so
// many cycles the next issue is later for that.
static uint32_t wait_for_products(sm *s, uint32_t scheduler, const issue_op *op, uint32_t now) {
    double *owed = &s->product_waits[scheduler];
    if (s->pipe_free[scheduler][ISSUE_PIPE_TENSOR] <= now || !s->group_products[scheduler] ||
        !op->sources)
        return 0;
    *owed += machine_constant.product_dispatch;
    uint32_t waits = (uint32_t)*owed;
    *owed -= waits;
    return waits;
}

// One cycle of one scheduler. Leaves in wake[] when it is to be asked again.
static void schedule(sm *s, uint32_t scheduler, uint32_t now) {
    uint32_t slot = s->last[scheduler], pipe;
    while (true) {
        if (s->warps[slot].next > now) {
            slot = scheduler;
            for (uint32_t p = scheduler; p < s->slots; p += s->schedulers)
                if (s->warps[p].next < s->warps[slot].next) slot = p;
            if (s->warps[slot].next > now) break;
        }
        if (slot == s->last[scheduler] && is_group_product(&s->warps[slot]))
            slot = next_product(s, slot, now);
        const issue_op *op = s->warps[slot].at;
        if (!can_start(s, slot, op, now, &pipe)) continue;
        // Registers that the warp's last instruction has kept are lost when another warp comes.
        uint32_t waits = read_registers(s, scheduler, op, slot == s->last[scheduler], now);
        waits += wait_for_products(s, scheduler, op, now);
        s->last[scheduler] = slot;
        s->issued[scheduler] = now + issue(s, slot, op, pipe, now);
        s->free[scheduler] = s->issued[scheduler] + waits;
        break;
    }
    uint32_t next = SM_NEVER;
    for (uint32_t p = scheduler; p < s->slots; p += s->schedulers)
        if (s->warps[p].next < next) next = s->warps[p].next;
    s->wake[scheduler] = next;
}

static bool open_waiting(sm *s, uint32_t now) {
    bool any = false;
    for (uint32_t g = 0; g * s->warps_a_block < s->slots; g++) {
        any = any || s->arrived[g];
        if (s->arrived[g]) open_barrier(s, g, now);
        for (uint32_t b = 0; b < SM_PART_BARRIERS; b++) any = sm_open_part(s, g, b, now) || any;
    }
    return any;
}

// Each mark is set at twice the cycle of the one before.
static void mark(sm_progress *p, uint32_t now) {
    const uint32_t first = 1 << 10;
    if (now < first || now < 2 * p->marks[1]) return;
    p->marks[0] = p->marks[1];
    p->at_marks[0] = p->at_marks[1];
    p->marks[1] = now;
    p->at_marks[1] = p->instructions;
}

static void run(sm *s) {
    uint32_t now = 0;
    for (uint32_t steps = 0; !s->stopped && !s->failed && steps < STEPS_MAX; steps++) {
        uint32_t next = SM_NEVER;
        for (uint32_t i = 0; i < s->schedulers; i++) {
            uint32_t at = s->wake[i];
            if (at != SM_NEVER && at < s->free[i]) at = s->free[i];
            if (at < next) next = at;
        }
        if (next == SM_NEVER) {
            if (open_waiting(s, now)) continue; // barriers of a part of a block
            s->progress->complete = !s->cut;
            return;
        }
        now = next;
        if (s->progress->refilled == 0 || now <= s->progress->refilled)
            s->progress->at_refilled = s->progress->instructions;
        if (s->progress->steady == 0 || now <= s->progress->steady)
            s->progress->at_steady = s->progress->instructions;
        if (now <= s->progress->started) s->progress->at_started = s->progress->instructions;
        mark(s->progress, now);
        for (uint32_t i = 0; i < s->schedulers && !s->stopped; i++)
            if (s->wake[i] <= now && s->free[i] <= now) schedule(s, i, now);
        if (s->timeline && now < SIM_TIMELINE_CYCLES) note_throttles(s, now);
    }
}

// ---- A launch ----

// When the first blocks begin. Code that fits one line of memory came with the launch.
static uint32_t first_start(const sm *s) {
    const sim_warp_trace *path = &sim_warp_traces_modelled(s->input->traces, 0)->warps[0];
    const issue_code *code =
        path->count ? &s->codes[path->runs[0].function - s->input->launch->program->functions]
                    : NULL;
    uint32_t instructions = 0;
    for (uint32_t i = 0; code && i < code->region_count; i++)
        for (uint32_t k = 0; k < code->regions[i].op_count && instructions <= LINE_INSTRUCTIONS;
             k++)
            instructions += code->ops[code->regions[i].ops + k].issues;
    return instructions > LINE_INSTRUCTIONS ? (uint32_t)machine_constant.cold_start : 0;
}

static bool set_warps(sm *s) {
    for (uint32_t i = 0; i < s->slots; i++) {
        sm_warp *w = &s->warps[i];
        w->next = SM_NEVER;
        w->board = calloc((size_t)s->registers + 1, sizeof *w->board);
        w->requests = calloc(s->longest + 1, sizeof *w->requests);
        w->counts = calloc(s->longest + 1, sizeof *w->counts);
        w->passes = calloc(s->longest + 1, sizeof *w->passes);
        if (s->timeline) w->stalls = calloc((size_t)s->registers + 1, sizeof *w->stalls);
        if (!w->board || !w->requests || !w->counts || !w->passes || (s->timeline && !w->stalls))
            return false;
    }
    return true;
}

static void release(sm *s) {
    for (uint32_t i = 0; i < s->slots; i++) {
        free(s->warps[i].board);
        free(s->warps[i].requests);
        free(s->warps[i].counts);
        free(s->warps[i].passes);
        free(s->warps[i].stalls);
    }
    free(s);
}

bool sm_run(const sim_sm_input *input, sm_memory *memory, const sm_extent *extent,
            sm_progress *out_progress) {
    *out_progress = (sm_progress){0};
    sm *s = calloc(1, sizeof *s);
    if (!s) return false;
    s->input = input;
    s->memory = memory;
    s->progress = out_progress;
    s->schedulers = input->launch->device->schedulers_per_sm;
    s->warps_a_block = input->traces->warps_a_block;
    s->extent = *extent;
    s->timeline = extent->timeline;
    s->next_block = extent->first;
    s->codes = codes_of(input);
    for (uint32_t i = 0; i < s->schedulers; i++) s->wake[i] = SM_NEVER;
    const sim_device *device = input->launch->device;
    for (int p = 0; p < ISSUE_PIPES; p++) s->pipe_cycles[p] = issue_pipe_cycles(device, p);
    s->tensor_cycles = s->pipe_cycles[ISSUE_PIPE_TENSOR] / 4;
    bool made = s->codes && make_codes(s);
    s->slots = extent->resident * s->warps_a_block;
    made = made && s->slots <= SM_WARPS && set_warps(s);
    for (uint32_t i = 0; i < s->schedulers; i++) s->last[i] = i < s->slots ? i : 0;
    uint32_t start = made ? first_start(s) : 0;
    for (uint32_t g = 0; made && g < extent->resident; g++) start_block(s, g, 0, start);
    if (made) run(s);
    for (uint32_t i = 0; made && i < s->schedulers; i++) count_units(s, i, s->progress->end);
    made = made && !s->failed;
    release(s);
    return made;
}
