// What one request to memory takes that a warp waits for: the lines that its lanes touch, where
// they are, and its wavefronts. Of other warps' requests only those of its block are seen.
#include "ops/memory/probe.h"
#include "timing/kernel_clock/internal.h"

enum { LINE_BYTES = 128, CONSTANT_LINE_BYTES = 64, MATRIX_ROW_BYTES = 16 };

static bool is_real(const sim_instr *instr) {
    return instr->type >= PTX_F16 && instr->type <= PTX_F64;
}

static double clock_ghz(const clock_block *block) {
    return block->clocks->device->clock_mhz * 1e-3;
}

// Takes the load/store unit for so many cycles; a warp waits where so much is before its request
// that the unit takes no more. When it begins.
static double use_unit(clock_warp *w, clock_block *block, double work, double now) {
    double begin = sim_larger(now, w->unit_free);
    if (block->shared) begin = clock_use(&block->units.memory, begin, work);
    w->unit_free = begin + work;
    w->now = sim_larger(w->now, begin - machine_constant.queue_cycles);
    return begin;
}

// ---- Lines of global memory ----

typedef struct lines {
    uint64_t line[SIM_WARP_LANES];
    uint8_t sectors[SIM_WARP_LANES];
    uint32_t count, sector_count;
} lines;

static void find_lines(const uint64_t *addresses, uint32_t lanes, uint32_t bytes, lines *out) {
    out->count = out->sector_count = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t address = addresses[__builtin_ctz(rest)], line = address / LINE_BYTES;
        uint32_t at = out->count; // mostly the line of the lane before
        while (at > 0 && out->line[at - 1] != line) at--;
        if (at == 0) {
            out->line[out->count] = line;
            out->sectors[out->count++] = 0;
            at = out->count;
        }
        uint32_t first = address / SIM_SECTOR_BYTES % 4;
        uint32_t last = (address + bytes - 1) / SIM_SECTOR_BYTES % 4;
        out->sectors[at - 1] |= (uint8_t)(1u << first | 1u << last);
    }
    for (uint32_t i = 0; i < out->count; i++)
        out->sector_count += (uint32_t)__builtin_popcount(out->sectors[i]);
}

static double level_latency(const clock_block *block, caches_level level) {
    const sim_device *device = block->clocks->device;
    double l2 = issue_l2_latency(device);
    switch (level) {
    case CACHES_L1:
        return device->compute_major == 9 ? machine_constant.l1_latency : device->l1_latency_cycles;
    case CACHES_L2: return l2;
    case CACHES_L2_FIRST:
        return device->l2_partitions > 1 ? l2 + machine_constant.l2_first_more : l2;
    default: return device->dram_latency_ns * clock_ghz(block);
    }
}

// Lanes that name the address which most of them name.
static uint32_t most_on_one(const uint64_t *addresses, uint32_t lanes) {
    uint32_t most = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t same = 0;
        for (uint32_t other = rest; other; other &= other - 1)
            same += addresses[__builtin_ctz(other)] == addresses[__builtin_ctz(rest)];
        if (same > most) most = same;
    }
    return most;
}

// Passes the caches for every line; the farthest decides. Cycles of the port to the L2 in
// *out_port.
static double farthest(clock_block *block, const sim_warp *warp, const lines *touched, bool past_l1,
                       double *out_port) {
    caches *caches = &block->clocks->caches;
    uint32_t sm = (uint32_t)(warp->block->index % block->clocks->device->sm_count);
    double last = 0, port = 0;
    for (uint32_t i = 0; i < touched->count; i++) {
        caches_level level = caches_find(caches, sm, touched->line[i], past_l1);
        last = sim_larger(last, level_latency(block, level));
        if (level == CACHES_L1) continue;
        port += machine_constant.port_line +
                (__builtin_popcount(touched->sectors[i]) - 1) * machine_constant.port_sector;
    }
    *out_port = port;
    return last;
}

static bool goes_past_l1(const sim_instr *instr) {
    return !sim_is_ld(instr) || instr->cache == SIM_CACHE_PAST_L1 || instr->mods & SIM_MOD_VOLATILE;
}

static double global_access(clock_warp *w, clock_block *block, sim_warp *warp,
                            const sim_instr *instr, const uint64_t *addresses, uint32_t lanes,
                            double now) {
    const sim_device *device = block->clocks->device;
    lines touched;
    uint32_t bytes =
        instr->machine == SIM_MACHINE_WIDE ? instr->machine_bytes : sim_access_bytes(instr);
    find_lines(addresses, lanes, bytes ? bytes : 1, &touched);
    double rate = device->l1_sector_rate > 0 ? device->l1_sector_rate : 4, port;
    double work =
        sim_larger(sim_larger(1 / device->lsu_rate, touched.sector_count / rate), touched.count);
    if (block->shared) {
        work = sim_larger(sim_larger(1 / device->lsu_rate, ceil(touched.count / rate)),
                          sim_access_banks(addresses, lanes, bytes ? bytes : 1).wavefronts);
        if (sim_is_load(instr)) work = sim_larger(work, machine_constant.l1_load);
    }
    double begin = use_unit(w, block, work, now);
    double latency = farthest(block, warp, &touched, goes_past_l1(instr), &port);
    if (port > 0 && block->shared) {
        double asked = sim_larger(port, machine_constant.port_request);
        latency += clock_use(&block->units.port, begin, asked) - begin;
    }
    double next = port > 0 ? 1 : 1 + machine_constant.conflict; // of a line beyond the first
    if (port > 1) latency += port - 1;
    double answered = begin + latency + (work - 1) * next;
    if (sim_is_atomic(instr)) {
        double ns = is_real(instr) ? machine_constant.atomic_float_ns : machine_constant.atomic_ns;
        uint32_t most =
            instr->machine == SIM_MACHINE_AGGREGATED ? 1 : most_on_one(addresses, lanes);
        answered = begin + issue_l2_latency(device) + (most - 1) * ns * clock_ghz(block);
    }
    if (sim_is_cp_async(instr)) w->copied = sim_larger(w->copied, answered);
    if (sim_is_st(instr) || sim_is_red(instr))
        w->stored = sim_larger(w->stored, begin + issue_l2_latency(device));
    return answered;
}

// ---- Shared memory ----

static double shared_latency(const clock_block *block, const sim_instr *instr, const clock_op *op) {
    if (instr->space == PTX_SPACE_SHARED || block->clocks->device->compute_major != 9)
        return op->latency;
    return sim_is_atomic(instr) ? machine_constant.shared_atomic_latency
                                : machine_constant.shared_latency;
}

static double shared_access(clock_warp *w, clock_block *block, const sim_warp *warp,
                            const sim_instr *instr, const clock_op *op, uint64_t *offsets,
                            uint32_t lanes, double now) {
    bool matrix = sim_cost_of(instr) == SIM_COST_MATRICES;
    uint32_t bytes = matrix ? MATRIX_ROW_BYTES : sim_access_bytes(instr), passes;
    if (matrix && instr->vector < 4) lanes &= (1u << 8 * instr->vector) - 1;
    for (int lane = 0; lane < SIM_WARP_LANES; lane++) offsets[lane] %= SIM_WINDOW_BYTES;
    if (sim_is_atomic(instr)) passes = sim_access_atomic_passes(offsets, lanes, bytes);
    else passes = sim_access_banks(offsets, lanes, bytes).wavefronts;
    if (passes == 0) passes = 1;
    double latency = shared_latency(block, instr, op);
    double next = 1 / block->clocks->device->wavefront_rate, cost = next;
    bool loops = issue_is_loop_of_sums(instr);
    if (loops) {
        latency = passes * machine_constant.float_add_latency;
        cost = issue_is_one_address(warp->frame->function, instr) ? machine_constant.float_add_cost
                                                                  : machine_constant.float_add_own;
    }
    double begin = use_unit(w, block, passes * cost, now);
    double end = begin + latency + (passes - 1) * (next + 1);
    if (loops) w->now = sim_larger(w->now, end);
    return end;
}

double clock_shuffle(clock_warp *w, clock_block *block, double now) {
    return use_unit(w, block, 1 / block->clocks->device->lsu_rate, now);
}

// ---- An instruction ----

static bool is_in(uint64_t address, uint64_t window, uint64_t bytes) {
    return address - window < bytes;
}

double clock_memory(clock_warp *w, clock_block *block, sim_warp *warp, const sim_instr *instr,
                    const clock_op *op, uint32_t lanes, double now) {
    uint64_t addresses[SIM_WARP_LANES];
    sim_read_addresses(warp, instr, lanes, addresses);
    uint64_t any = addresses[__builtin_ctz(lanes)];
    bool generic = instr->space == PTX_SPACE_NONE;
    if (instr->space == PTX_SPACE_SHARED ||
        (generic && is_in(any, SIM_SHARED_WINDOW, SIM_CLUSTER_WINDOW_BYTES)))
        return shared_access(w, block, warp, instr, op, addresses, lanes, now);
    if (instr->space == PTX_SPACE_LOCAL ||
        (generic && is_in(any, SIM_LOCAL_WINDOW, SIM_WINDOW_BYTES)))
        return now + level_latency(block, CACHES_L1); // what it has stored itself
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t *address = &addresses[__builtin_ctz(rest)];
        *address = sim_device_address(warp, *address);
    }
    return global_access(w, block, warp, instr, addresses, lanes, now);
}

// The youngest lines of constants; true: it was among them.
static bool has_constant(clock_block *block, uint64_t line) {
    uint32_t at = 0;
    while (at < CLOCK_CONSTANT_LINES && block->constants[at] != line) at++;
    bool found = at < CLOCK_CONSTANT_LINES;
    if (!found) at = CLOCK_CONSTANT_LINES - 1;
    for (; at > 0; at--) block->constants[at] = block->constants[at - 1];
    block->constants[0] = line;
    return found;
}

double clock_constant(clock_block *block, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      double now) {
    uint64_t addresses[SIM_WARP_LANES];
    double rate = block->clocks->device->constant_rate;
    bool near = true;
    sim_read_addresses(warp, instr, lanes, addresses);
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        near &= has_constant(block, addresses[__builtin_ctz(rest)] / CONSTANT_LINE_BYTES);
    // Measured with the product that makes an address of an index.
    double latency =
        (near ? machine_constant.constant_latency : machine_constant.constant_far_latency) -
        machine_constant.fma_latency;
    double words = sim_access_constant_words(addresses, lanes);
    if (block->shared)
        now = clock_use(&block->units.constants, now,
                        sim_larger(1, words) * machine_constant.constant_word);
    return now + latency + (words > 1 && rate > 0 ? (words - 1) / rate : 0);
}
