// Tensor memory (PTX ISA 9.1, sections 9.7.16.7, 9.7.16.8, 9.7.16.12): its allocation, loads and
// stores, and the mbarriers that follow products.
// From the manual, not compared with a card. Loads and stores take effect when they are issued: a
// program that waits where it must cannot tell.
#include "ops/internal.h"
#include "ops/memory/internal.h"
#include "program/fpmath.h"

enum { WARP_TMEM_LANES = 32, QUARTERS = SIM_TMEM_LANES / WARP_TMEM_LANES };

// `.sync.aligned`: the whole warp, and the same address in all lanes.
static bool whole_warp(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    bool same = true;
    uint32_t lane = (uint32_t)__builtin_ctz(lanes);
    bool has_address = instr->src[0] != SIM_NO_SLOT && instr->variant != SIM_TMEM_ALLOC;
    const uint32_t *address = has_address ? SLOT(const uint32_t, instr->src[0]) : NULL;
    for (uint32_t i = 0; address && i < SIM_WARP_LANES; i++) same &= address[i] == address[0];
    if (lanes == SIM_ALL_LANES && same) return true;
    if (!same)
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "an instruction on tensor memory whose lanes have different addresses");
    else
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "an instruction on tensor memory with lanes 0x%08x: all 32 lanes of the "
                       "warp must execute it together",
                       lanes);
    return false;
}

// ---- Allocation ---------------------------------------------------------------------------------

static bool fail(sim_warp *warp, const sim_instr *instr, const char *why, uint32_t columns) {
    sim_fault_text(warp, instr, 0, SIM_ILLEGAL_INSTRUCTION, "tensor memory, %u columns: %s",
                   columns, why);
    return false;
}

static bool is_size(uint32_t columns) {
    return columns >= SIM_TMEM_UNIT && columns <= SIM_TMEM_COLUMNS && !(columns & (columns - 1));
}

// The first of `units` free ones at a multiple of their number; UNITS: there are none.
enum { UNITS = SIM_TMEM_COLUMNS / SIM_TMEM_UNIT };
static uint32_t find_free(const sim_tmem *tmem, uint32_t units) {
    for (uint32_t first = 0; first < UNITS; first += units) {
        uint32_t free = 0;
        while (free < units && !tmem->owner[first + free]) free++;
        if (free == units) return first;
    }
    return UNITS;
}

// The block's; NULL: no host memory.
static sim_tmem *tmem_of(sim_warp *warp) {
    sim_block *block = warp->block;
    if (!block->tmem) block->tmem = calloc(1, sizeof *block->tmem);
    if (!block->tmem) sim_fault_memory(warp);
    return block->tmem;
}

static bool may_allocate(sim_warp *warp, const sim_instr *instr, const sim_tmem *tmem,
                         uint32_t columns) {
    if (!is_size(columns))
        return fail(warp, instr, "the number must be a power of two from 32 to 512", columns);
    if (tmem->relinquished)
        return fail(warp, instr, "the block has given up the permit to allocate", columns);
    if (tmem->latest && columns > tmem->latest)
        return fail(warp, instr, "a later allocation of a block must not be larger than one before",
                    columns);
    if (find_free(tmem, columns / SIM_TMEM_UNIT) < UNITS) return true;
    return fail(warp, instr,
                "the block has no such number of its 512 free, and would wait for ever", columns);
}

static void allocate(sim_warp *warp, const sim_instr *instr, sim_tmem *tmem) {
    uint32_t columns = SLOT(const uint32_t, instr->src[1])[0];
    lane_hosts hosts;
    if (!may_allocate(warp, instr, tmem, columns)) return;
    if (!SIM_VARIANT(sim_memory_resolve)(warp, instr, 1, 4, SIM_ACCESS_WRITE, &hosts)) return;
    uint32_t units = columns / SIM_TMEM_UNIT, first = find_free(tmem, units);
    uint32_t address = first * SIM_TMEM_UNIT;
    memset(&tmem->owner[first], (int)(first + 1), units);
    for (uint32_t i = 0; i < columns; i++)
        for (uint32_t lane = 0; lane < SIM_TMEM_LANES; lane++)
            tmem->cells[address + i][lane] = SIM_POISON;
    tmem->latest = columns;
    tmem->allocated = instr;
    tmem->function = warp->frame->function;
    memcpy(hosts.host[0], &address, sizeof address);
    if (!warp->observing) return;
    uint32_t all[SIM_WARP_LANES]; // whose lanes may read the address at once (section 9.7.16.6.1)
    EACH_LANE all[i] = SIM_ALL_LANES;
    sim_observe_warp(warp, instr, SIM_ALL_LANES, all);
}

static void deallocate(sim_warp *warp, const sim_instr *instr, sim_tmem *tmem) {
    uint32_t address = SLOT(const uint32_t, instr->src[0])[0];
    uint32_t columns = SLOT(const uint32_t, instr->src[1])[0], units = 0;
    uint32_t first = address / SIM_TMEM_UNIT;
    bool begins = first < UNITS && address % SIM_TMEM_UNIT == 0;
    while (begins && first + units < UNITS && tmem->owner[first + units] == first + 1) units++;
    if (units == 0 || units * SIM_TMEM_UNIT != columns) {
        fail(warp, instr, "they are not one allocation of the block, from its beginning", columns);
        return;
    }
    if (warp->observing)
        sim_observe_tmem(warp, instr, SIM_ALL_LANES, warp->block, address, columns, 0xFF, true);
    memset(&tmem->owner[first], 0, units);
}

HANDLER(fence) {
    if (warp->observing) sim_observe_tmem(warp, instr, lanes, warp->block, 0, 0, 0, false);
}

HANDLER(manage) {
    if (!whole_warp(warp, instr, lanes)) return;
    sim_tmem *tmem = tmem_of(warp);
    if (!tmem) return;
    fence(warp, instr, lanes);
    switch (instr->variant) {
    case SIM_TMEM_ALLOC: allocate(warp, instr, tmem); break;
    case SIM_TMEM_DEALLOC: deallocate(warp, instr, tmem); break;
    case SIM_TMEM_RELINQUISH: tmem->relinquished = true; break;
    default: return; // waits: everything has been done
    }
    sim_note_change(warp);
}
// ---- Commit -------------------------------------------------------------------------------------

// What arrives at the mbarrier of each block that is named.
static bool commit(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    uint64_t address = shared_address(warp, instr->src[0], !has(instr, SIM_MOD_ADDRESS32),
                                      (uint32_t)instr->offset, lane);
    const sim_block *block = warp->block;
    bool multicast = instr->src[1] != SIM_NO_SLOT;
    uint32_t ranks = multicast ? SLOT(const uint32_t, instr->src[1])[lane] & 0xFFFF : 1;
    for (uint32_t rest = ranks; rest; rest &= rest - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(rest);
        uint64_t window = rank == block->cluster_rank ? 0 : (rank + 1) * SIM_WINDOW_BYTES;
        bulk_place place;
        if (multicast) address = window + address % SIM_WINDOW_BYTES;
        if (!find_place(warp, instr, lane, address, 8, 8, &place)) return false;
        sim_delivery *delivery = sim_async_delivery(warp, place.block, 0);
        if (!delivery) return false;
        delivery->instr = instr;
        delivery->function = warp->frame->function;
        delivery->lanes = lane_bit[lane];
        delivery->mbarrier = place.offset;
        delivery->arrivals = 1;
        if (warp->observing)
            sim_observe_tmem(warp, instr, lane_bit[lane], place.block, place.offset, 0, 0, false);
    }
    return true;
}

HANDLER(commit_all) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (!commit(warp, instr, (uint32_t)__builtin_ctz(rest))) return;
    sim_note_change(warp);
}

BIND(TMEM) {
    bool fences = instr->variant == SIM_TMEM_FENCE_BEFORE || instr->variant == SIM_TMEM_FENCE_AFTER;
    if (instr->variant == SIM_TMEM_COMMIT) return commit_all;
    return fences ? fence : manage;
}

bool SIM_VARIANT(sim_tmem_check)(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                                 const sim_block *of, uint32_t column, uint32_t count) {
    uint32_t end = column + count, first = column / SIM_TMEM_UNIT, last = first;
    while (of->tmem && last < UNITS && last * SIM_TMEM_UNIT < end && of->tmem->owner[last]) last++;
    if (last * SIM_TMEM_UNIT >= end && last > first) return true;
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                   "columns %u to %u of tensor memory: the block has not allocated column %u",
                   column, end - 1, last > first ? last * SIM_TMEM_UNIT : column);
    return false;
}

// ---- Loads and stores ---------------------------------------------------------------------------

typedef struct cell {
    uint32_t lane, column; // from those of the address on
} cell;

// Where register `r` of a thread lies (section 9.7.16.2.3.1).
static cell cell_of(const sim_tmem_move *move, uint32_t thread, uint32_t r) {
    switch ((sim_tmem_shape)move->shape) {
    case SIM_TMEM_32X32: break;
    case SIM_TMEM_16X64: return (cell){thread / 4 + thread % 2 * 8, thread / 2 % 2 + r * 2};
    case SIM_TMEM_16X128: return (cell){thread / 4 + r % 2 * 8, thread % 4 + r / 2 * 4};
    case SIM_TMEM_16X256:
        return (cell){thread / 4 + r / 2 % 2 * 8, thread % 4 * 2 + r % 2 + r / 4 * 8};
    case SIM_TMEM_16X32X2: return (cell){thread % 16, r};
    }
    return (cell){thread, r};
}

// A warp reaches the quarter of the lanes that has its number in its group of four, whichever one
// the address names: the manual leaves others undefined, and published programs for a B200 rely on
// this. Tells the observer of them.
static bool find_lane(sim_warp *warp, const sim_instr *instr, uint32_t *lane) {
    const sim_tmem_move *move = instr->extra;
    uint32_t first = warp->index % QUARTERS * WARP_TMEM_LANES, in = *lane % WARP_TMEM_LANES;
    bool other = *lane - in != first;
    *lane = first + in;
    if (other && warp->observing)
        sim_observe_tmem(warp, instr, SIM_ALL_LANES, warp->block, 0, 0, 0, false);
    if (in == 0 || (move->shape != SIM_TMEM_32X32 && in == WARP_TMEM_LANES / 2)) return true;
    sim_fault_text(warp, instr, 0, SIM_ILLEGAL_ADDRESS,
                   "lane %u of tensor memory: this shape begins at a multiple of 32%s", *lane,
                   move->shape == SIM_TMEM_32X32 ? "" : ", or 16 behind it");
    return false;
}

// The address of the warp's move; false: a fault.
static bool resolve(sim_warp *warp, const sim_instr *instr, uint32_t lanes, cell *out) {
    const sim_tmem_move *move = instr->extra;
    if (!whole_warp(warp, instr, lanes)) return false;
    uint32_t address = SLOT(const uint32_t, instr->src[0])[0] + (uint32_t)instr->offset;
    *out = (cell){address >> 16, address & 0xFFFF};
    bool split = move->shape == SIM_TMEM_16X32X2;
    uint32_t last = cell_of(move, SIM_WARP_LANES - 1, instr->vector - 1u).column;
    uint32_t count = (last + 1) * (move->halves ? 2 : 1);
    const sim_block *block = warp->block;
    bool inside = find_lane(warp, instr, &out->lane) &&
                  SIM_VARIANT(sim_tmem_check)(warp, instr, 0, block, out->column, count) &&
                  (!split || SIM_VARIANT(sim_tmem_check)(warp, instr, 0, block,
                                                         out->column + move->second, count));
    if (!inside || !warp->observing) return inside;
    uint32_t part = out->lane / 16, parts = (move->shape == SIM_TMEM_32X32 ? 3u : 1u) << part;
    bool writes = instr->op == SIM_OP_TMEM_ST;
    sim_observe_tmem(warp, instr, lanes, block, out->column, count, parts, writes);
    if (split)
        sim_observe_tmem(warp, instr, lanes, block, out->column + move->second, count, parts,
                         writes);
    return true;
}

// The cell, or the first of two, of register `r` of a thread.
static uint32_t *find(const sim_warp *warp, const sim_tmem_move *move, cell from, uint32_t thread,
                      uint32_t r) {
    cell at = cell_of(move, thread, r);
    uint32_t column = from.column + at.column * (move->halves ? 2 : 1);
    if (move->shape == SIM_TMEM_16X32X2 && thread >= 16) column += move->second;
    return &warp->block->tmem->cells[column][from.lane + at.lane];
}

// What .red keeps of two; zeros have an order, as for min and max.
static uint32_t reduce(const sim_tmem_move *move, uint32_t x, uint32_t y) {
    if (move->reduced == PTX_U32) return (x < y) == move->least ? x : y;
    if (move->reduced == PTX_S32) return ((int32_t)x < (int32_t)y) == move->least ? x : y;
    float a = sim_float_from_bits(x), b = sim_float_from_bits(y);
    if (move->keeps_nan ? a != a || b != b : a != a && b != b) return SIM_NAN_F32;
    if (a != a || b != b) return a != a ? y : x;
    bool below = a < b || (a == b && x > y);
    return below == move->least ? x : y;
}

// Each thread's registers to one; other shapes have no such loads.
static void reduce_registers(const sim_warp *warp, const sim_instr *instr) {
    const sim_tmem_move *move = instr->extra;
    uint32_t *to = SLOT(uint32_t, instr->dst);
    uint32_t kept = move->reduced == PTX_F32 && move->magnitudes ? INT32_MAX : UINT32_MAX;
    for (uint32_t r = 0; r < instr->vector; r++) {
        const uint32_t *from = SLOT(const uint32_t, vector_slot(warp, instr, r));
        for (uint32_t i = 0; i < SIM_WARP_LANES; i++)
            to[i] = r ? reduce(move, to[i], from[i] & kept) : from[i] & kept;
    }
}

HANDLER(load) {
    const sim_tmem_move *move = instr->extra;
    cell from;
    if (!resolve(warp, instr, lanes, &from)) return;
    for (uint32_t r = 0; r < instr->vector; r++) {
        uint32_t *to = SLOT(uint32_t, vector_slot(warp, instr, r));
        for (uint32_t i = 0; i < SIM_WARP_LANES; i++) {
            const uint32_t *at = find(warp, move, from, i, r);
            to[i] = move->halves ? (at[0] & 0xFFFF) | at[SIM_TMEM_LANES] << 16 : at[0];
        }
    }
    if (move->reduced) reduce_registers(warp, instr);
}
BIND(TMEM_LD) {
    (void)instr;
    return load;
}

HANDLER(store) {
    const sim_tmem_move *move = instr->extra;
    cell from;
    if (!resolve(warp, instr, lanes, &from)) return;
    for (uint32_t r = 0; r < instr->vector; r++) {
        const uint32_t *value = SLOT(const uint32_t, vector_slot(warp, instr, r));
        for (uint32_t i = 0; i < SIM_WARP_LANES; i++) {
            uint32_t *at = find(warp, move, from, i, r);
            at[0] = move->halves ? value[i] & 0xFFFF : value[i];
            if (move->halves) at[SIM_TMEM_LANES] = value[i] >> 16;
        }
    }
    sim_note_change(warp);
}
BIND(TMEM_ST) {
    (void)instr;
    return store;
}
