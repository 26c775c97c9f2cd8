// Plain accesses of local memory (spilled registers, arrays with computed indices). Word w of lane
// i lies at 32-bit index w * 32 + i, so lanes that use the same variable move whole rows.
#include "ops/memory/count.h"
#include "ops/memory/memory.h"

// The lanes' offsets as a list; false: something for the complete path. *same: all use one offset.
static bool quick_local(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t bytes,
                        uint64_t offset[SIM_WARP_LANES], bool *same) {
    const uint64_t *a = SLOT(const uint64_t, instr->src[0]);
    const uint64_t first = a[__builtin_ctz(lanes)] + (uint64_t)instr->offset;
    uint64_t high = 0, bits = 0, differs = 0;
    if (warp->observing) return false;
    EACH_LANE offset[i] = lanes & lane_bit[i] ? a[i] + (uint64_t)instr->offset : first;
    for (int i = 0; i < SIM_WARP_LANES; i++) {
        high = offset[i] > high ? offset[i] : high;
        bits |= offset[i];
        differs |= offset[i] ^ first;
    }
    *same = differs == 0;
    return (bits & (bytes - 1)) == 0 && high < warp->local_bytes &&
           bytes <= warp->local_bytes - high;
}

static void count_local(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t bytes,
                        const uint64_t offset[SIM_WARP_LANES], bool same) {
    sim_raw_counts *counts = counts_of(warp, instr);
    uint32_t words = bytes / 4, first = (uint32_t)__builtin_ctz(lanes);
    uint64_t rows[SIM_WARP_LANES];
    counts->requests++;
    sim_record_local(&warp->record, instr, offset, lanes, bytes,
                     instr->op == SIM_OP_ST ? SIM_TRACE_STORE : SIM_TRACE_LOAD);
    if (same && lanes == SIM_ALL_LANES) {
        counts->sectors += 4 * words; // rows of 128 bytes
        return;
    }
    for (uint32_t word = 0; word < words; word++) {
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
            uint32_t on = lanes & lane_bit[lane] ? lane : first;
            rows[lane] = sim_local_word(offset[on] + 4 * word, on);
        }
        counts->sectors += count_sectors_any(rows);
    }
}

// Word `word` of every lane's access, read and written.
static inline void load_word(const sim_warp *warp, uint32_t lanes, const uint64_t *offset,
                             bool same, uint32_t word, uint32_t out[SIM_WARP_LANES]) {
    const uint32_t *memory = (const uint32_t *)warp->local;
    if (same) {
        memcpy(out, memory + (offset[0] / 4 + word) * SIM_WARP_LANES, SIM_WARP_LANES * sizeof *out);
        return;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        out[lane] = memory[(offset[lane] / 4 + word) * SIM_WARP_LANES + lane];
    }
}

static inline void store_word(sim_warp *warp, uint32_t lanes, const uint64_t *offset, bool same,
                              uint32_t word, const uint32_t in[SIM_WARP_LANES]) {
    uint32_t *memory = (uint32_t *)warp->local;
    if (same) {
        uint32_t *row = memory + (offset[0] / 4 + word) * SIM_WARP_LANES;
        LANES(uint32_t, row, in[i]);
        return;
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        memory[(offset[lane] / 4 + word) * SIM_WARP_LANES + lane] = in[lane];
    }
}

// Elements of 4 or 8 bytes, `vector` of them.
HANDLER(load_local) {
    uint64_t offset[SIM_WARP_LANES];
    uint32_t element = ptx_type_bytes((ptx_type)instr->type), bytes = element * instr->vector;
    uint32_t low[SIM_WARP_LANES], high[SIM_WARP_LANES];
    bool same;
    if (!quick_local(warp, instr, lanes, bytes, offset, &same)) {
        SIM_VARIANT(sim_load_any)(warp, instr, lanes);
        return;
    }
    if (warp->counting) count_local(warp, instr, lanes, bytes, offset, same);
    for (uint32_t part = 0; part < instr->vector; part++) {
        uint32_t slot = part_slot(warp, instr, part, instr->dst);
        if (slot == SIM_NO_SLOT) continue;
        load_word(warp, lanes, offset, same, part * element / 4, low);
        if (element == 4) {
            uint32_t *d = SLOT(uint32_t, slot);
            LANES(uint32_t, d, low[i]);
        } else {
            uint64_t *d = SLOT(uint64_t, slot);
            load_word(warp, lanes, offset, same, part * element / 4 + 1, high);
            LANES(uint64_t, d, low[i] | (uint64_t)high[i] << 32);
        }
    }
}

HANDLER(store_local) {
    uint64_t offset[SIM_WARP_LANES];
    uint32_t element = ptx_type_bytes((ptx_type)instr->type), bytes = element * instr->vector;
    uint32_t low[SIM_WARP_LANES], high[SIM_WARP_LANES];
    bool same;
    if (!quick_local(warp, instr, lanes, bytes, offset, &same)) {
        SIM_VARIANT(sim_store_any)(warp, instr, lanes);
        return;
    }
    if (warp->counting) count_local(warp, instr, lanes, bytes, offset, same);
    for (uint32_t part = 0; part < instr->vector; part++) {
        uint32_t slot = part_slot(warp, instr, part, instr->src[1]);
        if (element == 4) {
            store_word(warp, lanes, offset, same, part, SLOT(const uint32_t, slot));
            continue;
        }
        const uint64_t *s = SLOT(const uint64_t, slot);
        EACH_LANE low[i] = (uint32_t)s[i];
        EACH_LANE high[i] = (uint32_t)(s[i] >> 32);
        store_word(warp, lanes, offset, same, 2 * part, low);
        store_word(warp, lanes, offset, same, 2 * part + 1, high);
    }
}

sim_exec_fn SIM_VARIANT(sim_bind_local)(const sim_instr *instr) {
    uint32_t element = ptx_type_bytes((ptx_type)instr->type);
    bool plain =
        !(instr->mods & (SIM_MOD_VOLATILE | SIM_MOD_DST64 | SIM_MOD_SRC64 | SIM_MOD_ADDRESS32));
    if (!plain || (element != 4 && element != 8) || element * instr->vector > 16) return NULL;
    return instr->op == SIM_OP_ST ? store_local : load_local;
}
