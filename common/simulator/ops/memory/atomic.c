// Atomics (PTX ISA, "atom", "red"): lanes in ascending order, blocks in the order of the virtual
// schedule, so that floating-point sums come out the same every time.
#include "ops/memory/internal.h"

// Bytes of a lane's access, to and from `data`. In local memory the words of the lanes interleave.
static inline void fetch(const sim_warp *warp, const lane_hosts *hosts, uint32_t lane, void *data,
                         uint32_t bytes) {
    if (hosts->host[lane]) memcpy(data, hosts->host[lane], bytes);
    else
        for (uint32_t at = 0; at < bytes; at += 4)
            memcpy((uint8_t *)data + at,
                   warp->local + sim_local_word(hosts->address[lane] + at, lane),
                   bytes < 4 ? bytes : 4);
}
static inline void put(sim_warp *warp, const lane_hosts *hosts, uint32_t lane, const void *data,
                       uint32_t bytes) {
    if (hosts->host[lane]) memcpy(hosts->host[lane], data, bytes);
    else
        for (uint32_t at = 0; at < bytes; at += 4)
            memcpy(warp->local + sim_local_word(hosts->address[lane] + at, lane),
                   (const uint8_t *)data + at, bytes < 4 ? bytes : 4);
}

// Shared memory, or device memory in a block whose turn it is: one check for all lanes.
static bool resolve_quick(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t bytes,
                          lane_hosts *hosts) {
    bool shared = instr->space == PTX_SPACE_SHARED, narrow = has(instr, SIM_MOD_ADDRESS32);
    if (warp->observing || narrow != shared ||
        (!shared && (!warp->block->ordered || warp->block->draws_in_order)))
        return false;
    if (!shared && instr->space != PTX_SPACE_GLOBAL && instr->space != PTX_SPACE_NONE) return false;
    lane_addresses a;
    find_addresses(warp, instr, lanes, narrow, bytes, &a);
    const sim_site *site = site_of(warp, instr);
    uint64_t base = shared ? warp->shared_first : site->base;
    uint64_t end = shared ? base + warp->shared_bytes : site->end;
    if ((a.set_bits & (bytes - 1)) || !lies_inside(&a, base, end, bytes)) return false;
    if (warp->counting && shared) count_shared_atomic(warp, instr, &a, bytes);
    if (warp->counting && !shared) count_global_atomic(warp, instr, &a, bytes);
    uint8_t *memory = shared ? warp->shared_origin : warp->origin;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        hosts->host[lane] = memory + address_of(&a, lane);
        hosts->space[lane] = shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
    }
    return true;
}

static bool resolve(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t bytes,
                    lane_hosts *hosts) {
    // An observer would no longer know a thread's own plain read among those of all others.
    if (instr->variant == SIM_ATOMIC_CAS && instr->space != PTX_SPACE_SHARED &&
        !warp->block->grid->observer && !sim_warp_give_way(warp, instr, lanes))
        return false;
    return resolve_quick(warp, instr, lanes, bytes, hosts) ||
           SIM_VARIANT(sim_memory_resolve)(warp, instr, lanes, bytes, SIM_ACCESS_ATOMIC, hosts);
}

// change: digest of what has changed, if anything has.
static void note(sim_warp *warp, const sim_instr *instr, bool changed, uint64_t change) {
    if (changed) sim_note_tracked(warp, change);
    else sim_note_poll(warp, instr);
}

// old: the value in memory; b[i], c[i]: the operands. Registers of narrow types are 32-bit slots.
#define ATOMIC(name, type, slot_type, expression)                                                  \
    HANDLER(name) {                                                                                \
        lane_hosts hosts;                                                                          \
        bool changed = false;                                                                      \
        uint64_t change = 0;                                                                       \
        if (!resolve(warp, instr, lanes, sizeof(type), &hosts)) return;                            \
        SRC(slot_type, b, 1);                                                                      \
        SRC(slot_type, c, instr->src[2] == SIM_NO_SLOT ? 1 : 2);                                   \
        (void)b;                                                                                   \
        (void)c;                                                                                   \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            uint32_t i = (uint32_t)__builtin_ctz(rest);                                            \
            type old, result;                                                                      \
            fetch(warp, &hosts, i, &old, sizeof old);                                              \
            result = (type)(expression);                                                           \
            changed = changed || memcmp(&result, &old, sizeof old) != 0;                           \
            change += sim_change_digest(hosts.host[i], &old, &result, sizeof old);                 \
            put(warp, &hosts, i, &result, sizeof result);                                          \
            if (sim_is_atom(instr) && instr->dst != SIM_NO_SLOT)                                   \
                SLOT(slot_type, instr->dst)[i] = (slot_type)old;                                   \
        }                                                                                          \
        note(warp, instr, changed, change);                                                        \
    }

ATOMIC(add_32, uint32_t, uint32_t, old + b[i])
ATOMIC(add_64, uint64_t, uint64_t, old + b[i])
ATOMIC(add_f32, float, float, sum_f32(old, b[i], hosts.space[i]))
ATOMIC(add_f64, double, double, sum_f64(old, b[i], hosts.space[i]))
ATOMIC(min_u32, uint32_t, uint32_t, b[i] < old ? b[i] : old)
ATOMIC(min_s32, int32_t, int32_t, b[i] < old ? b[i] : old)
ATOMIC(min_u64, uint64_t, uint64_t, b[i] < old ? b[i] : old)
ATOMIC(min_s64, int64_t, int64_t, b[i] < old ? b[i] : old)
ATOMIC(max_u32, uint32_t, uint32_t, b[i] > old ? b[i] : old)
ATOMIC(max_s32, int32_t, int32_t, b[i] > old ? b[i] : old)
ATOMIC(max_u64, uint64_t, uint64_t, b[i] > old ? b[i] : old)
ATOMIC(max_s64, int64_t, int64_t, b[i] > old ? b[i] : old)
ATOMIC(inc_32, uint32_t, uint32_t, old >= b[i] ? 0 : old + 1)
ATOMIC(dec_32, uint32_t, uint32_t, old == 0 || old > b[i] ? b[i] : old - 1)
ATOMIC(and_32, uint32_t, uint32_t, old &b[i])
ATOMIC(and_64, uint64_t, uint64_t, old &b[i])
ATOMIC(or_32, uint32_t, uint32_t, old | b[i])
ATOMIC(or_64, uint64_t, uint64_t, old | b[i])
ATOMIC(xor_32, uint32_t, uint32_t, old ^ b[i])
ATOMIC(xor_64, uint64_t, uint64_t, old ^ b[i])
ATOMIC(exch_32, uint32_t, uint32_t, b[i])
ATOMIC(exch_64, uint64_t, uint64_t, b[i])
ATOMIC(cas_16, uint16_t, uint32_t, old == (uint16_t)b[i] ? c[i] : old)
ATOMIC(cas_32, uint32_t, uint32_t, old == b[i] ? c[i] : old)
ATOMIC(cas_64, uint64_t, uint64_t, old == b[i] ? c[i] : old)

// ---- Halves, one or two a register ----

// One register's worth of memory, 2 or 4 bytes wide: old and operand as bits.
static uint32_t element_result(const sim_instr *instr, uint32_t old, uint32_t operand) {
    uint32_t low = half_result(instr->type, instr->variant, old & 0xFFFF, operand & 0xFFFF);
    if (ptx_type_bytes((ptx_type)instr->type) == 2) return low;
    return low | half_result(instr->type, instr->variant, old >> 16, operand >> 16) << 16;
}

HANDLER(atomic_element) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    const uint32_t *b = SLOT(const uint32_t, instr->src[1]);
    lane_hosts hosts;
    bool changed = false;
    uint64_t change = 0;
    if (!resolve(warp, instr, lanes, bytes, &hosts)) return;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(rest), old = 0;
        fetch(warp, &hosts, i, &old, bytes);
        uint32_t result = element_result(instr, old, b[i]);
        changed = changed || memcmp(&old, &result, bytes) != 0;
        change += sim_change_digest(hosts.host[i], &old, &result, bytes);
        put(warp, &hosts, i, &result, bytes);
        if (sim_is_atom(instr) && instr->dst != SIM_NO_SLOT) SLOT(uint32_t, instr->dst)[i] = old;
    }
    note(warp, instr, changed, change);
}

// exch and cas of 128 bits: registers are pairs of slots.
HANDLER(atomic_128) {
    lane_hosts hosts;
    bool changed = false, swaps = instr->variant == SIM_ATOMIC_CAS;
    uint64_t change = 0;
    if (!resolve(warp, instr, lanes, 16, &hosts)) return;
    const uint64_t *b = SLOT(const uint64_t, instr->src[1]);
    const uint64_t *c = swaps ? SLOT(const uint64_t, instr->src[2]) : b;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(rest);
        uint64_t old[2], wanted[2] = {b[i], b[i + SIM_WARP_LANES]};
        uint64_t value[2] = {c[i], c[i + SIM_WARP_LANES]};
        fetch(warp, &hosts, i, old, sizeof old);
        bool writes = !swaps || memcmp(old, wanted, sizeof old) == 0;
        if (writes) {
            changed = changed || memcmp(old, value, sizeof old) != 0;
            for (int half = 0; half < 2; half++)
                change += sim_change_digest(hosts.host[i] + 8 * half, &old[half], &value[half], 8);
            put(warp, &hosts, i, value, sizeof value);
        }
        if (instr->dst == SIM_NO_SLOT || !sim_is_atom(instr)) continue;
        SLOT(uint64_t, instr->dst)[i] = old[0];
        SLOT(uint64_t, instr->dst)[i + SIM_WARP_LANES] = old[1];
    }
    note(warp, instr, changed, change);
}

// ---- Binding ----

static sim_exec_fn by_bits(const sim_instr *instr, sim_exec_fn word, sim_exec_fn wide) {
    return ptx_type_bytes((ptx_type)instr->type) == 8 ? wide : word;
}

static sim_exec_fn by_sign(const sim_instr *instr, sim_exec_fn u32, sim_exec_fn s32,
                           sim_exec_fn u64, sim_exec_fn s64) {
    switch (instr->type) {
    case PTX_U32: return u32;
    case PTX_S32: return s32;
    case PTX_U64: return u64;
    case PTX_S64: return s64;
    default: return NULL;
    }
}

static sim_exec_fn bind_integer(const sim_instr *instr) {
    switch (instr->variant) {
    case SIM_ATOMIC_ADD: return by_bits(instr, add_32, add_64);
    case SIM_ATOMIC_MIN: return by_sign(instr, min_u32, min_s32, min_u64, min_s64);
    case SIM_ATOMIC_MAX: return by_sign(instr, max_u32, max_s32, max_u64, max_s64);
    case SIM_ATOMIC_INC: return inc_32;
    case SIM_ATOMIC_DEC: return dec_32;
    case SIM_ATOMIC_AND: return by_bits(instr, and_32, and_64);
    case SIM_ATOMIC_OR: return by_bits(instr, or_32, or_64);
    case SIM_ATOMIC_XOR: return by_bits(instr, xor_32, xor_64);
    case SIM_ATOMIC_EXCH: return by_bits(instr, exch_32, exch_64);
    case SIM_ATOMIC_CAS:
        if (ptx_type_bytes((ptx_type)instr->type) == 2) return cas_16;
        return by_bits(instr, cas_32, cas_64);
    default: return NULL;
    }
}

// Vector forms come as one instruction an element.
static sim_exec_fn bind_atomic(const sim_instr *instr) {
    bool adds = instr->variant == SIM_ATOMIC_ADD;
    bool extreme = instr->variant == SIM_ATOMIC_MIN || instr->variant == SIM_ATOMIC_MAX;
    bool moves = instr->variant == SIM_ATOMIC_EXCH || instr->variant == SIM_ATOMIC_CAS;
    switch (instr->type) {
    case PTX_F32: return adds ? add_f32 : NULL;
    case PTX_F64: return adds ? add_f64 : NULL;
    case PTX_F16:
    case PTX_BF16:
    case PTX_F16X2:
    case PTX_BF16X2: return adds || extreme ? atomic_element : NULL;
    case PTX_B128: return moves ? atomic_128 : NULL;
    default: return bind_integer(instr);
    }
}
BIND(ATOM) { return bind_atomic(instr); }
BIND(RED) { return bind_atomic(instr); }
