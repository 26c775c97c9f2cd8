// SPDX-License-Identifier: MIT
// Warp-level operations (PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync",
// "elect.sync", "bar.warp.sync", "activemask"). Each first makes sure that all lanes of its member
// mask are here (warps/sync.c); what a lane would read from one that is not is undefined on the
// hardware and a conspicuous value here.
#include "warps/observe.h"
#include "warps/lanes.h"

// False: the lanes wait, or some of them do and the instruction comes again for the others.
static bool together(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    if (instr->src[3] == SIM_NO_SLOT) return true; // forms without .sync: the lanes that are here
    const uint32_t *masks = SLOT(const uint32_t, instr->src[3]);
    if (!sim_sync_ready(warp, instr, lanes, masks)) return false;
    if (warp->observing) sim_observe_warp(warp, instr, lanes, masks);
    return true;
}

// A whole warp with a mask that omits some of its lanes: they take part all the same.
static uint32_t member_mask(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                            int lane) {
    if (instr->src[3] == SIM_NO_SLOT) return lanes;
    const uint32_t *masks = SLOT(const uint32_t, instr->src[3]);
    bool omits = lanes & ~masks[lane] && sim_sync_unnamed(lanes, masks);
    return omits ? lanes : masks[lane] & lanes;
}

// ---- shfl ----

// Source lane of `lane`, and whether it is in range; c holds the segment mask (bits 8..12) and the
// clamp (0..4).
static uint32_t source_lane(uint8_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *in_range) {
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    uint32_t highest = (lane & segment) | (clamp & ~segment), lowest = lane & segment;
    b &= 31;
    int32_t source;
    switch (mode) {
    case SIM_SHFL_UP:
        source = (int32_t)lane - (int32_t)b;
        *in_range = source >= (int32_t)highest; // for .up the clamp is the lowest lane
        break;
    case SIM_SHFL_DOWN:
        source = (int32_t)(lane + b);
        *in_range = source <= (int32_t)highest;
        break;
    case SIM_SHFL_BFLY:
        source = (int32_t)(lane ^ b);
        *in_range = source <= (int32_t)highest;
        break;
    default:
        source = (int32_t)(lowest | (b & ~segment));
        *in_range = source <= (int32_t)highest;
        break;
    }
    return *in_range ? (uint32_t)source : lane;
}

HANDLER(shfl) {
    if (!together(warp, instr, lanes)) return;
    SRC(uint32_t, a, 0);
    SRC(uint32_t, b, 1);
    SRC(uint32_t, c, 2);
    uint32_t value[SIM_WARP_LANES], in_range = 0, from_absent = 0;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        bool inside;
        uint32_t source = source_lane(instr->variant, lane, b[lane], c[lane], &inside);
        if (inside) in_range |= lane_bit[lane];
        value[lane] = lanes & lane_bit[source] ? a[source] : SIM_POISON;
        if (!(lanes & lane_bit[source])) from_absent |= lanes & lane_bit[lane];
    }
    if (warp->observing && from_absent) sim_observe_shuffle(warp, instr, from_absent);
    if (instr->dst != SIM_NO_SLOT) {
        DST(uint32_t);
        LANES(uint32_t, d, value[i]);
    }
    write_predicate(warp, instr->dst2, lanes, in_range);
}
BIND(SHFL) {
    (void)instr;
    return shfl;
}

// ---- vote ----

HANDLER(vote) {
    if (!together(warp, instr, lanes)) return;
    uint32_t votes = read_predicate_c(warp, instr), result = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint32_t members = member_mask(warp, instr, lanes, lane);
        uint32_t yes = votes & members;
        bool holds;
        switch (instr->variant) {
        case SIM_VOTE_ALL: holds = yes == members; break;
        case SIM_VOTE_ANY: holds = yes != 0; break;
        case SIM_VOTE_UNI: holds = yes == members || yes == 0; break;
        default: SLOT(uint32_t, instr->dst)[lane] = yes; continue;
        }
        if (holds) result |= lane_bit[lane];
    }
    if (instr->variant != SIM_VOTE_BALLOT) write_predicate(warp, instr->dst, lanes, result);
}
BIND(VOTE) {
    return instr->dst == SIM_NO_SLOT ? NULL : vote;
}

// ---- match ----

static uint64_t match_value(const sim_warp *warp, const sim_instr *instr, int lane) {
    if (ptx_type_bytes((ptx_type)instr->type) == 8)
        return SLOT(const uint64_t, instr->src[0])[lane];
    return SLOT(const uint32_t, instr->src[0])[lane];
}
HANDLER(match) {
    if (!together(warp, instr, lanes)) return;
    uint32_t result[SIM_WARP_LANES] = {0}, all_equal = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint32_t members = member_mask(warp, instr, lanes, lane), equal = 0;
        for (uint32_t others = members; others; others &= others - 1) {
            int other = __builtin_ctz(others);
            if (match_value(warp, instr, other) == match_value(warp, instr, lane))
                equal |= lane_bit[other];
        }
        if (instr->variant == SIM_MATCH_ANY)
            result[lane] = equal;
        else if (equal == members)
            result[lane] = members;
        if (equal == members) all_equal |= lane_bit[lane];
    }
    if (instr->dst != SIM_NO_SLOT) {
        DST(uint32_t);
        LANES(uint32_t, d, result[i]);
    }
    write_predicate(warp, instr->dst2, lanes, all_equal);
}
BIND(MATCH) {
    (void)instr;
    return match;
}

// ---- redux ----

static uint32_t reduce(const sim_instr *instr, uint32_t x, uint32_t y) {
    bool is_signed = instr->type == PTX_S32;
    switch (instr->variant) {
    case SIM_ATOMIC_ADD: return x + y;
    case SIM_ATOMIC_MIN: return is_signed ? ((int32_t)x < (int32_t)y ? x : y) : x < y ? x : y;
    case SIM_ATOMIC_MAX: return is_signed ? ((int32_t)x > (int32_t)y ? x : y) : x > y ? x : y;
    case SIM_ATOMIC_AND: return x & y;
    case SIM_ATOMIC_OR: return x | y;
    default: return x ^ y;
    }
}
HANDLER(redux) {
    if (!together(warp, instr, lanes)) return;
    SRC(uint32_t, a, 0);
    uint32_t result[SIM_WARP_LANES] = {0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint32_t members = member_mask(warp, instr, lanes, lane) | lane_bit[lane];
        uint32_t value = a[__builtin_ctz(members)];
        for (uint32_t others = members & (members - 1); others; others &= others - 1)
            value = reduce(instr, value, a[__builtin_ctz(others)]);
        result[lane] = value;
    }
    if (instr->dst == SIM_NO_SLOT) return;
    DST(uint32_t);
    LANES(uint32_t, d, result[i]);
}
BIND(REDUX) {
    return instr->type == PTX_F32 ? NULL : redux;
}

// ---- elect, activemask, bar.warp.sync ----

// The lowest lane of the mask is elected.
HANDLER(elect) {
    if (!together(warp, instr, lanes)) return;
    uint32_t elected = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint32_t leader =
            (uint32_t)__builtin_ctz(member_mask(warp, instr, lanes, lane) | lane_bit[lane]);
        if (instr->dst != SIM_NO_SLOT) SLOT(uint32_t, instr->dst)[lane] = leader;
        if (leader == (uint32_t)lane) elected |= lane_bit[lane];
    }
    write_predicate(warp, instr->dst2, lanes, elected);
}
BIND(ELECT) {
    (void)instr;
    return elect;
}

HANDLER(activemask) {
    DST(uint32_t);
    LANES(uint32_t, d, lanes);
}
BIND(ACTIVEMASK) {
    return instr->dst == SIM_NO_SLOT ? NULL : activemask;
}

HANDLER(warpsync) {
    together(warp, instr, lanes);
}
BIND(WARPSYNC) {
    (void)instr;
    return warpsync;
}
