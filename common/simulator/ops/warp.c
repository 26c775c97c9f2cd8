// Warp-level operations (PTX ISA, "shfl.sync", "vote.sync", "match.sync", "redux.sync",
// "elect.sync", "bar.warp.sync", "activemask"). Each first makes sure that all lanes of its member
// mask are here (warps/sync.c); what a lane would read from one that is not is undefined on the
// hardware and a conspicuous value here.
#include "ops/ops.h"
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

// Whether every active lane's members are all active lanes, as in most instructions.
static bool all_take_part(const sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    if (instr->src[3] == SIM_NO_SLOT) return true;
    const uint32_t *masks = SLOT(const uint32_t, instr->src[3]);
    uint32_t omitted = 0;
    EACH_LANE omitted |= lanes & lane_bit[i] ? ~masks[i] : 0;
    return !(omitted & lanes);
}

// ---- shfl ----

// Source lane of each lane, and as bits which are in range. `mode`: a constant.
static inline __attribute__((always_inline)) uint32_t
find_sources(uint8_t mode, const uint32_t *b, const uint32_t *c, int32_t source[SIM_WARP_LANES]) {
    uint32_t in_range = 0;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        bool inside;
        source[i] = sim_shuffle_source(mode, i, b[i], c[i], &inside);
        in_range |= inside ? lane_bit[i] : 0;
    }
    return in_range;
}

static uint32_t sources_of(const sim_instr *instr, const uint32_t *b, const uint32_t *c,
                           int32_t source[SIM_WARP_LANES]) {
    switch (instr->variant) {
    case SIM_SHFL_UP: return find_sources(SIM_SHFL_UP, b, c, source);
    case SIM_SHFL_DOWN: return find_sources(SIM_SHFL_DOWN, b, c, source);
    case SIM_SHFL_BFLY: return find_sources(SIM_SHFL_BFLY, b, c, source);
    default: return find_sources(SIM_SHFL_IDX, b, c, source);
    }
}

HANDLER(shfl) {
    if (!together(warp, instr, lanes)) return;
    SRC(uint32_t, a, 0);
    SRC(uint32_t, b, 1);
    SRC(uint32_t, c, 2);
    uint32_t value[SIM_WARP_LANES], from_absent = 0;
    int32_t source[SIM_WARP_LANES];
    uint32_t in_range = sources_of(instr, b, c, source);
    for (int i = 0; i < SIM_WARP_LANES; i++) value[i] = a[source[i]];
    for (int i = 0; lanes != SIM_ALL_LANES && i < SIM_WARP_LANES; i++) {
        if (lanes & lane_bit[source[i]]) continue;
        value[i] = SIM_POISON;
        from_absent |= lanes & lane_bit[i];
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
BIND(VOTE) { return instr->dst == SIM_NO_SLOT ? NULL : vote; }

// ---- match ----

// Lanes whose values are equal to that of `lane`.
ALWAYS_INLINE uint32_t equal_lanes_32(const uint32_t *value, int lane) {
    uint32_t equal = 0, wanted = value[lane];
    EACH_LANE equal |= value[i] == wanted ? lane_bit[i] : 0;
    return equal;
}
ALWAYS_INLINE uint32_t equal_lanes_64(const uint64_t *value, int lane) {
    uint64_t equal = 0, wanted = value[lane]; // as wide as the comparison, or it stays scalar
    EACH_LANE equal |= value[i] == wanted ? (uint64_t)lane_bit[i] : 0;
    return (uint32_t)equal;
}
ALWAYS_INLINE void match_lanes(sim_warp *warp, const sim_instr *instr, uint32_t lanes, bool wide) {
    if (!together(warp, instr, lanes)) return;
    uint32_t result[SIM_WARP_LANES] = {0}, all_equal = 0;
    bool whole = all_take_part(warp, instr, lanes);
    for (uint32_t rest = lanes; rest;) {
        int lane = __builtin_ctz(rest);
        uint32_t members = whole ? lanes : member_mask(warp, instr, lanes, lane);
        uint32_t equal =
            members & (wide ? equal_lanes_64(SLOT(const uint64_t, instr->src[0]), lane)
                            : equal_lanes_32(SLOT(const uint32_t, instr->src[0]), lane));
        // Lanes with the same value and the same members have the same result.
        uint32_t same = whole ? equal : lane_bit[lane];
        if (equal == members) all_equal |= same;
        rest &= ~same;
        if (instr->variant != SIM_MATCH_ANY && equal != members) continue;
        for (; same; same &= same - 1) result[__builtin_ctz(same)] = equal;
    }
    if (instr->dst != SIM_NO_SLOT) {
        DST(uint32_t);
        LANES(uint32_t, d, result[i]);
    }
    write_predicate(warp, instr->dst2, lanes, all_equal);
}
HANDLER(match_32) { match_lanes(warp, instr, lanes, false); }
HANDLER(match_64) { match_lanes(warp, instr, lanes, true); }
BIND(MATCH) { return ptx_type_bytes((ptx_type)instr->type) == 8 ? match_64 : match_32; }

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
// Over the active lanes; the others take the first one's value, or 0 where that would count twice.
static uint32_t reduce_all(const sim_instr *instr, const uint32_t *a, uint32_t lanes) {
    bool twice = instr->variant == SIM_ATOMIC_ADD || instr->variant == SIM_ATOMIC_XOR;
    uint32_t value[SIM_WARP_LANES], first = a[__builtin_ctz(lanes)], rest = twice ? 0 : first;
    EACH_LANE value[i] = lanes & lane_bit[i] ? a[i] : rest;
    for (int half = SIM_WARP_LANES / 2; half; half /= 2)
        for (int i = 0; i < half; i++) value[i] = reduce(instr, value[i], value[i + half]);
    return value[0];
}
HANDLER(redux) {
    if (!together(warp, instr, lanes)) return;
    SRC(uint32_t, a, 0);
    if (all_take_part(warp, instr, lanes)) {
        uint32_t value = reduce_all(instr, a, lanes);
        if (instr->dst == SIM_NO_SLOT) return;
        DST(uint32_t);
        LANES(uint32_t, d, value);
        return;
    }
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
BIND(REDUX) { return instr->type == PTX_F32 ? NULL : redux; }

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
    if (warp->block->grid->lanes_apart && sim_sync_part(warp, instr, lanes)) return;
    DST(uint32_t);
    LANES(uint32_t, d, lanes);
}
BIND(ACTIVEMASK) { return instr->dst == SIM_NO_SLOT ? NULL : activemask; }

HANDLER(warpsync) { together(warp, instr, lanes); }
BIND(WARPSYNC) {
    (void)instr;
    return warpsync;
}
