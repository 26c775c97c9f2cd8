// ld.param and st.param (PTX ISA, "Parameter State Space"). A kernel's parameters lie in one block
// that all threads share; parameters and results of device functions lie in frames, each lane's
// bytes together.
#include "ops/memory/memory.h"

// ---- Entry parameters ----

static bool same_address(const sim_instr *instr, const void *slot, uint64_t *out_address) {
    uint64_t differs = 0;
    if (has(instr, SIM_MOD_ADDRESS32)) {
        const uint32_t *a = slot;
        for (int i = 0; i < SIM_WARP_LANES; i++) differs |= a[i] ^ a[0];
        *out_address = a[0];
    } else {
        const uint64_t *a = slot;
        for (int i = 0; i < SIM_WARP_LANES; i++) differs |= a[i] ^ a[0];
        *out_address = a[0];
    }
    *out_address += (uint64_t)instr->offset;
    return differs == 0;
}

// One place for all lanes, as nearly always.
#define LOAD_ENTRY(name, memory_type, slot_type)                                                   \
    HANDLER(name) {                                                                                \
        uint64_t address;                                                                          \
        bool uniform = same_address(instr, SLOT(const uint8_t, instr->src[0]), &address);          \
        bool inside =                                                                              \
            address < warp->param_bytes && sizeof(memory_type) <= warp->param_bytes - address;     \
        if (!uniform || !inside || address % sizeof(memory_type)) {                                \
            SIM_VARIANT(sim_load_any)(warp, instr, lanes);                                         \
            return;                                                                                \
        }                                                                                          \
        memory_type value;                                                                         \
        memcpy(&value, warp->params + address, sizeof value);                                      \
        DST(slot_type);                                                                            \
        LANES(slot_type, d, value);                                                                \
    }
LOAD_ENTRY(entry_u8, uint8_t, uint32_t)
LOAD_ENTRY(entry_s8, int8_t, uint32_t)
LOAD_ENTRY(entry_u16, uint16_t, uint32_t)
LOAD_ENTRY(entry_s16, int16_t, uint32_t)
LOAD_ENTRY(entry_32, uint32_t, uint32_t)
LOAD_ENTRY(entry_64, uint64_t, uint64_t)

static sim_exec_fn bind_entry(const sim_instr *instr) {
    bool is_signed = instr->type >= PTX_S8 && instr->type <= PTX_S64;
    if (instr->vector > 1 || has(instr, SIM_MOD_DST64)) return SIM_VARIANT(sim_load_any);
    switch (ptx_type_bytes((ptx_type)instr->type)) {
    case 1: return is_signed ? entry_s8 : entry_u8;
    case 2: return is_signed ? entry_s16 : entry_u16;
    case 4: return entry_32;
    case 8: return entry_64;
    default: return SIM_VARIANT(sim_load_any);
    }
}

// ---- Parameters in a frame: slot src[0], `target` bytes per lane ----

static uint8_t *frame_lane(const sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    return warp->registers + instr->src[0] + (size_t)lane * instr->target + instr->offset;
}

HANDLER(load_frame) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    bool is_signed = instr->type >= PTX_S8 && instr->type <= PTX_S64;
    bool wide = bytes >= 8 || has(instr, SIM_MOD_DST64);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const uint8_t *from = frame_lane(warp, instr, lane);
        for (uint32_t part = 0; part < instr->vector; part++, from += bytes) {
            uint32_t slot = part_slot(warp, instr, part, instr->dst),
                     unused = 64 - 8 * (bytes & 15);
            if (slot == SIM_NO_SLOT) continue;
            if (bytes == 16) {
                memcpy(SLOT(uint64_t, slot) + lane, from, 8);
                memcpy(SLOT(uint64_t, slot) + SIM_WARP_LANES + lane, from + 8, 8);
                continue;
            }
            uint64_t value = 0;
            memcpy(&value, from, bytes);
            if (is_signed) value = (uint64_t)((int64_t)(value << unused) >> unused);
            if (wide) SLOT(uint64_t, slot)[lane] = value;
            else SLOT(uint32_t, slot)[lane] = (uint32_t)value;
        }
    }
}

HANDLER(store_frame) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    bool wide = bytes >= 8 || has(instr, SIM_MOD_SRC64);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint8_t *to = frame_lane(warp, instr, lane);
        for (uint32_t part = 0; part < instr->vector; part++, to += bytes) {
            uint32_t slot = part_slot(warp, instr, part, instr->src[1]);
            if (bytes == 16) {
                memcpy(to, SLOT(uint64_t, slot) + lane, 8);
                memcpy(to + 8, SLOT(uint64_t, slot) + SIM_WARP_LANES + lane, 8);
            } else if (wide) {
                memcpy(to, SLOT(uint64_t, slot) + lane, bytes);
            } else {
                memcpy(to, SLOT(uint32_t, slot) + lane, bytes);
            }
        }
    }
}

// The decoder guarantees that a displacement stays inside the variable; what does not is refused
// here.
static bool fits_variable(const sim_instr *instr) {
    uint32_t bytes = sim_access_bytes(instr);
    return bytes && instr->offset >= 0 && (uint64_t)instr->offset + bytes <= instr->target;
}

sim_exec_fn SIM_VARIANT(sim_bind_param)(const sim_instr *instr) {
    bool is_load = instr->op != SIM_OP_ST;
    if (has(instr, SIM_MOD_FRAME)) {
        if (!fits_variable(instr)) return NULL;
        return is_load ? load_frame : store_frame;
    }
    return is_load ? bind_entry(instr) : NULL; // a kernel's parameters are read only
}
