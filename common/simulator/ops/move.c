// Selection and movement (PTX ISA, "selp", "slct", "mov", "cvta", "isspacep"), and special
// registers that change while a warp runs.
#include "program/fpmath.h"
#include "warps/lanes.h"

// ---- selp, slct ----

#define SELECT(name, type)                                                                         \
    HANDLER(name) {                                                                                \
        DST(type);                                                                                 \
        SRC(type, a, 0);                                                                           \
        SRC(type, b, 1);                                                                           \
        const uint32_t choice = read_predicate_c(warp, instr);                                     \
        LANES(type, d, choice &lane_bit[i] ? a[i] : b[i]);                                         \
    }
SELECT(selp_32, uint32_t)
SELECT(selp_64, uint64_t)
BIND(SELP) { return ptx_type_bytes((ptx_type)instr->type) == 8 ? selp_64 : selp_32; }

HANDLER_ABC(slct_32_s32, uint32_t, uint32_t, uint32_t, int32_t, c[i] >= 0 ? a[i] : b[i])
HANDLER_LONG_ABC(slct_64_s32, uint64_t, uint64_t, uint64_t, int32_t, c[i] >= 0 ? a[i] : b[i])
HANDLER_LONG_ABC(slct_32_f32, uint32_t, uint32_t, uint32_t, float, c[i] >= 0 ? a[i] : b[i])
HANDLER_LONG_ABC(slct_64_f32, uint64_t, uint64_t, uint64_t, float, c[i] >= 0 ? a[i] : b[i])
HANDLER_LONG_ABC(slct_32_ftz, uint32_t, uint32_t, uint32_t, float,
                 sim_flush(c[i]) >= 0 ? a[i] : b[i])
HANDLER_LONG_ABC(slct_64_ftz, uint64_t, uint64_t, uint64_t, float,
                 sim_flush(c[i]) >= 0 ? a[i] : b[i])
BIND(SLCT) {
    bool wide = ptx_type_bytes((ptx_type)instr->type) == 8;
    if (instr->type2 == PTX_S32) return wide ? slct_64_s32 : slct_32_s32;
    if (has(instr, SIM_MOD_FTZ)) return wide ? slct_64_ftz : slct_32_ftz;
    return wide ? slct_64_f32 : slct_32_f32;
}

// ---- mov ----

HANDLER_A(mov_32, uint32_t, uint32_t, a[i])
HANDLER_A(mov_64, uint64_t, uint64_t, a[i])
HANDLER(mov_128) { // two neighbouring slots of 64 bits
    DST(uint64_t);
    SRC(uint64_t, a, 0);
    LANES(uint64_t, d, a[i]);
    d += SIM_WARP_LANES;
    a += SIM_WARP_LANES;
    LANES(uint64_t, d, a[i]);
}
HANDLER(mov_pred) {
    write_predicate(warp, instr->dst, lanes, *SLOT(const uint32_t, instr->src[0]));
}
BIND(MOV) {
    if (has(instr, SIM_MOD_PRED_OPERANDS) || instr->type == PTX_PRED) return mov_pred;
    switch (ptx_type_bytes((ptx_type)instr->type)) {
    case 16: return mov_128;
    case 8: return mov_64;
    default: return mov_32;
    }
}

// ---- Packing: `vector` parts of equal width, low first ----

// Parts of 1, 2 or 4 bytes, into 32 or 64 bits.
static void pack_parts(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t bytes) {
    uint32_t width = bytes / instr->vector * 8;
    uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t whole[SIM_WARP_LANES] = {0};
    for (uint32_t part = 0; part < instr->vector; part++) {
        const uint32_t *a = SLOT(const uint32_t, vector_slot(warp, instr, part));
        uint32_t shift = part * width;
        EACH_LANE whole[i] |= (a[i] & mask) << shift;
    }
    if (bytes == 8) {
        DST(uint64_t);
        LANES(uint64_t, d, whole[i]);
    } else {
        DST(uint32_t);
        LANES(uint32_t, d, whole[i]);
    }
}
HANDLER(pack_32) { pack_parts(warp, instr, lanes, 4); }
HANDLER(pack_64) { pack_parts(warp, instr, lanes, 8); }
HANDLER(pack_128) { // two parts of 64 bits or four of 32
    uint64_t whole[2][SIM_WARP_LANES];
    for (int half = 0; half < 2; half++) {
        if (instr->vector == 2) {
            memcpy(whole[half], SLOT(uint64_t, vector_slot(warp, instr, (uint32_t)half)),
                   sizeof whole[0]);
            continue;
        }
        const uint32_t *low = SLOT(uint32_t, vector_slot(warp, instr, 2 * (uint32_t)half));
        const uint32_t *high = SLOT(uint32_t, vector_slot(warp, instr, 2 * (uint32_t)half + 1));
        EACH_LANE whole[half][i] = low[i] | (uint64_t)high[i] << 32;
    }
    for (int half = 0; half < 2; half++) {
        uint64_t *d = SLOT(uint64_t, instr->dst) + half * SIM_WARP_LANES;
        LANES(uint64_t, d, whole[half][i]);
    }
}
BIND(PACK) {
    switch (ptx_type_bytes((ptx_type)instr->type)) {
    case 16: return pack_128;
    case 8: return pack_64;
    default: return pack_32;
    }
}

static void unpack_parts(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                         const uint64_t *whole, uint32_t bytes) {
    uint32_t width = bytes / instr->vector * 8;
    for (uint32_t part = 0; part < instr->vector; part++) {
        uint32_t slot = vector_slot(warp, instr, part), shift = part * width;
        if (slot == SIM_NO_SLOT) continue;
        uint32_t *d = SLOT(uint32_t, slot);
        LANES(uint32_t, d, whole[i] >> shift); // upper bits of narrow parts are unspecified
    }
}
// The source is copied first: a part may be the source's own register.
HANDLER(unpack_32) {
    SRC(uint32_t, a, 0);
    uint64_t whole[SIM_WARP_LANES];
    EACH_LANE whole[i] = a[i];
    unpack_parts(warp, instr, lanes, whole, 4);
}
HANDLER(unpack_64) {
    uint64_t whole[SIM_WARP_LANES];
    memcpy(whole, SLOT(uint64_t, instr->src[0]), sizeof whole);
    unpack_parts(warp, instr, lanes, whole, 8);
}
HANDLER(unpack_128) {
    uint64_t whole[2 * SIM_WARP_LANES];
    memcpy(whole, SLOT(uint64_t, instr->src[0]), sizeof whole);
    for (uint32_t part = 0; part < instr->vector; part++) {
        uint32_t slot = vector_slot(warp, instr, part);
        if (slot == SIM_NO_SLOT) continue;
        if (instr->vector == 2) {
            uint64_t *d = SLOT(uint64_t, slot);
            const uint64_t *from = whole + part * SIM_WARP_LANES;
            LANES(uint64_t, d, from[i]);
        } else {
            uint32_t *d = SLOT(uint32_t, slot);
            const uint64_t *from = whole + part / 2 * SIM_WARP_LANES;
            uint32_t shift = part % 2 * 32;
            LANES(uint32_t, d, from[i] >> shift);
        }
    }
}
// What ops/memory/bulk.c answers: x, y and z of the first block, and 1 where it will not run.
HANDLER(launch_query) {
    const uint64_t *answer = SLOT(const uint64_t, instr->src[0]) + SIM_WARP_LANES;
    uint32_t cancelled = 0;
    EACH_LANE if (answer[i] >> 32 & 1) cancelled |= lane_bit[i];
    uint32_t without = lanes & ~cancelled;
    if (instr->list == SIM_NO_SLOT) {
        write_predicate(warp, instr->dst, lanes, cancelled);
        if (without) warp->block->all_begun = true;
    } else if (without) {
        sim_fault_text(
            warp, instr, (uint32_t)__builtin_ctz(without), SIM_ILLEGAL_INSTRUCTION,
            "the block of a launch that was not cancelled: the index is there only where "
            "clusterlaunchcontrol.query_cancel.is_canceled says so");
    } else {
        unpack_128(warp, instr, lanes);
    }
}
BIND(LAUNCH_QUERY) {
    (void)instr;
    return launch_query;
}
BIND(UNPACK) {
    switch (ptx_type_bytes((ptx_type)instr->type)) {
    case 16: return unpack_128;
    case 8: return unpack_64;
    default: return unpack_32;
    }
}

// ---- Clocks: one cycle an instruction of the block, plus what it slept. Deterministic ----

static uint64_t special_value(const sim_warp *warp, const sim_instr *instr) {
    const sim_block *block = warp->block;
    uint64_t ahead = (uint64_t)(warp->run_end - instr); // the run is accounted as a whole
    uint64_t cycles = block->executed + block->slept - (ahead < block->executed ? ahead : 0);
    uint64_t nanoseconds = cycles * 1000 / block->grid->launch->device->clock_mhz;
    switch (instr->variant) {
    case SIM_SPECIAL_CLOCK: return (uint32_t)cycles;
    case SIM_SPECIAL_CLOCK64: return cycles;
    case SIM_SPECIAL_CLOCK_HI: return cycles >> 32;
    case SIM_SPECIAL_GLOBALTIMER: return nanoseconds;
    case SIM_SPECIAL_GLOBALTIMER_LO: return (uint32_t)nanoseconds;
    default: return nanoseconds >> 32;
    }
}
HANDLER(sreg_32) {
    warp->clocks_read |= UINT64_C(1) << instr->pc % 64;
    DST(uint32_t);
    const uint32_t value = (uint32_t)special_value(warp, instr);
    LANES(uint32_t, d, value);
}
HANDLER(sreg_64) {
    warp->clocks_read |= UINT64_C(1) << instr->pc % 64;
    DST(uint64_t);
    const uint64_t value = special_value(warp, instr);
    LANES(uint64_t, d, value);
}
BIND(SREG) {
    if (instr->variant < SIM_SPECIAL_CLOCK) return NULL; // the others are slots
    return ptx_type_bytes((ptx_type)instr->type) == 8 ? sreg_64 : sreg_32;
}

// ---- Addresses: a generic address is the window's base plus the offset in that space ----

static uint64_t window_of(uint8_t space) {
    switch (space) {
    case PTX_SPACE_SHARED: return SIM_SHARED_WINDOW;
    case PTX_SPACE_LOCAL: return SIM_LOCAL_WINDOW;
    case PTX_SPACE_PARAM: return SIM_PARAM_WINDOW;
    default: return 0; // global and constant memory have their generic addresses
    }
}
HANDLER(cvta_to_generic) {
    DST(uint64_t);
    SRC(uint64_t, a, 0);
    const uint64_t window = window_of(instr->space);
    LANES(uint64_t, d, a[i] + window);
}
HANDLER(cvta_to_space) {
    DST(uint64_t);
    SRC(uint64_t, a, 0);
    const uint64_t window = window_of(instr->space);
    if (instr->space == PTX_SPACE_SHARED) LANES(uint64_t, d, (uint32_t)a[i]); // on an H200 of any
    else LANES(uint64_t, d, a[i] - window);
}
BIND(CVTA) {
    if (instr->type != PTX_U64 && instr->type != PTX_B64) return NULL;
    if (window_of(instr->space) == 0) return mov_64;
    return has(instr, SIM_MOD_TO) ? cvta_to_space : cvta_to_generic;
}

// Whatever is no window is global: host memory has its own addresses.
static bool is_global(uint64_t address) {
    return address - SIM_SHARED_WINDOW >= SIM_CLUSTER_WINDOW_BYTES &&
           address - SIM_LOCAL_WINDOW >= SIM_WINDOW_BYTES &&
           address - SIM_PARAM_WINDOW >= SIM_WINDOW_BYTES;
}

HANDLER(isspacep_any) {
    SRC(uint64_t, a, 0);
    uint64_t base = window_of(instr->space);
    uint64_t end = instr->variant ? SIM_CLUSTER_WINDOW_BYTES : SIM_WINDOW_BYTES;
    if (instr->space == PTX_SPACE_SHARED && !instr->variant)
        base += warp->block->cluster_rank * SIM_WINDOW_BYTES;
    uint32_t bits = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        bool inside = base ? a[i] - base < end : is_global(a[i]);
        bits |= inside ? lane_bit[i] : 0;
    }
    write_predicate(warp, instr->dst, lanes, bits);
}
BIND(ISSPACEP) {
    (void)instr;
    return isspacep_any;
}

// ---- Clusters: the same place in another block (base/base.h) ----

// A shared address, of whichever block, moved to the block of `rank`.
static uint64_t at_rank(uint64_t address, uint32_t rank) {
    return address % SIM_WINDOW_BYTES + rank * SIM_WINDOW_BYTES;
}

static bool check_ranks(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    SRC(uint32_t, rank, 1);
    uint32_t count = warp->block->cluster_count;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (rank[lane] < count) continue;
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "mapa to block %u of a cluster of %u block%s", rank[lane], count,
                       count == 1 ? "" : "s");
        return false;
    }
    return true;
}
HANDLER(mapa_32) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    SRC(uint32_t, rank, 1);
    if (!check_ranks(warp, instr, lanes)) return;
    LANES(uint32_t, d, (uint32_t)at_rank(a[i], rank[i]));
}
HANDLER(mapa_64) {
    DST(uint64_t);
    SRC(uint64_t, a, 0);
    SRC(uint32_t, rank, 1);
    const uint64_t window = instr->space == PTX_SPACE_SHARED ? 0 : SIM_SHARED_WINDOW;
    if (!check_ranks(warp, instr, lanes)) return;
    LANES(uint64_t, d, window + at_rank(a[i] - window, rank[i]));
}
BIND(MAPA) { return instr->type == PTX_U64 ? mapa_64 : mapa_32; }

HANDLER(getctarank_32) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    LANES(uint32_t, d, (uint32_t)(a[i] / SIM_WINDOW_BYTES));
}
HANDLER(getctarank_64) {
    DST(uint32_t);
    SRC(uint64_t, a, 0);
    const uint64_t window = instr->space == PTX_SPACE_SHARED ? 0 : SIM_SHARED_WINDOW;
    LANES(uint32_t, d, (uint32_t)((a[i] - window) / SIM_WINDOW_BYTES));
}
BIND(GETCTARANK) { return instr->type == PTX_U64 ? getctarank_64 : getctarank_32; }
