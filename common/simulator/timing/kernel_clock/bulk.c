// Bulk copies into shared memory, as a thread that waits at their mbarrier sees them: from the L2,
// one after the other.
#include "ops/memory/probe.h"
#include "timing/kernel_clock/internal.h"

// Bytes that a lane's copy moves.
static uint32_t bytes_of(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (instr->op == SIM_OP_BULK) return SLOT(const uint32_t, instr->src[2])[lane];
    sim_tensor_map map;
    uint64_t address = SLOT(const uint64_t, instr->src[0])[lane] + (uint64_t)instr->offset;
    if (instr->mods & SIM_MOD_ADDRESS32) return 0;
    const uint8_t *bytes = sim_warp_peek(warp, lane, address, sizeof map);
    if (!bytes) return 0; // the copy will fault
    memcpy(&map, bytes, sizeof map);
    return sim_tensor_map_is_valid(&map) ? sim_tensor_box_bytes(&map) : 0;
}

static uint32_t barrier_of(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    int64_t add = (int32_t)instr->reconverge;
    if (instr->mods & SIM_MOD_DST64)
        return (uint32_t)(SLOT(const uint64_t, instr->src[3])[lane] + (uint64_t)add) %
               SIM_WINDOW_BYTES;
    return (SLOT(const uint32_t, instr->src[3])[lane] + (uint32_t)add) % SIM_WINDOW_BYTES;
}

static void note(clock_block *block, uint32_t mbarrier, double arrives) {
    uint32_t at = 0;
    while (at < CLOCK_BULK_BARRIERS && block->bulk[at].mbarrier != mbarrier + 1) at++;
    if (at == CLOCK_BULK_BARRIERS) {
        at = block->bulk_next++ % CLOCK_BULK_BARRIERS;
        block->bulk[at].arrives = 0;
    }
    block->bulk[at].mbarrier = mbarrier + 1;
    block->bulk[at].arrives = sim_larger(block->bulk[at].arrives, arrives);
}

void clock_bulk(clock_block *block, const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                double now) {
    enum { FIRST_BYTES = 1024 };
    if (instr->variant != SIM_BULK_TO_SHARED) return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), bytes = bytes_of(warp, instr, lane);
        uint32_t first = bytes < FIRST_BYTES ? bytes : FIRST_BYTES;
        double begin = sim_larger(now, block->bulk_free);
        double more = (bytes - first) * machine_constant.bulk_byte;
        block->bulk_free = begin + bytes * machine_constant.bulk_byte;
        note(block, barrier_of(warp, instr, lane),
             begin + machine_constant.bulk_latency +
                 first * machine_constant.bulk_first / FIRST_BYTES + more);
    }
}

void clock_arrive(clock_block *block, sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                  double seen) {
    uint64_t addresses[SIM_WARP_LANES];
    sim_read_addresses(warp, instr, lanes, addresses);
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        note(block, (uint32_t)(addresses[__builtin_ctz(rest)] % SIM_WINDOW_BYTES), seen);
}

double clock_bulk_all(const clock_block *block) {
    double arrives = 0;
    for (uint32_t i = 0; i < CLOCK_BULK_BARRIERS; i++)
        arrives = sim_larger(arrives, block->bulk[i].arrives);
    return arrives;
}

double clock_bulk_seen(const clock_block *block, sim_warp *warp, const sim_instr *instr,
                       uint32_t lanes) {
    uint64_t addresses[SIM_WARP_LANES];
    sim_read_addresses(warp, instr, lanes, addresses);
    uint32_t mbarrier = (uint32_t)(addresses[__builtin_ctz(lanes)] % SIM_WINDOW_BYTES);
    for (uint32_t i = 0; i < CLOCK_BULK_BARRIERS; i++)
        if (block->bulk[i].mbarrier == mbarrier + 1) return block->bulk[i].arrives;
    return 0;
}
