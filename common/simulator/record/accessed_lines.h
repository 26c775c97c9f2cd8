// SPDX-License-Identifier: MIT
// Which sectors of which lines a warp-level access touches, for the sample of the cache model
// (cache_trace.h) and for warp traces. The executor calls these where one of the lines may be
// recorded (sim_warp_record.watched); the test is in its hot path, ops/memory/lines.h.
// `wavefronts`: of the whole request, needed where the warp has a trace.
#ifndef SIM_RECORD_ACCESSED_LINES_H
#define SIM_RECORD_ACCESSED_LINES_H

#include "record/record.h"

// From here on all lines of the warp go to `trace`, too; NULL: only the sampled ones are recorded.
static inline void sim_record_lines_to(sim_warp_record *warp, sim_warp_trace *trace) {
    warp->trace = trace;
    warp->watched = trace ? UINT32_MAX : warp->block->lines.bound;
}

// Of bytes [low, high + bytes) with all of them accessed when `dense`.
void sim_record_span(sim_warp_record *warp, const sim_instr *instr, uint64_t low, uint64_t high,
                     uint32_t bytes, bool dense, sim_trace_kind kind);
// Adds the lines of a fetch from a texture to the warp's trace alone.
void sim_record_texels(sim_warp_record *warp, const sim_instr *instr,
                       const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes);
// Adds what concerns an mbarrier or a bulk copy to the warp's trace, if it has one; `what`: of
// sim_traced_kind, without time and site.
void sim_record_event(sim_warp_record *warp, const sim_instr *instr, sim_traced_line what);
// Of 16 lanes at base[0] and 16 at base[1], all at one address (stride 0) or neighbours (stride
// `bytes`).
void sim_record_halves(sim_warp_record *warp, const sim_instr *instr, const uint64_t base[2],
                       uint32_t stride, uint32_t bytes, sim_trace_kind kind);
// Of any 32 addresses.
void sim_record_lanes(sim_warp_record *warp, const sim_instr *instr,
                      const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      uint32_t wavefronts, sim_trace_kind kind);
// Of 32 offsets into the lanes' local memory.
void sim_record_local(sim_warp_record *warp, const sim_instr *instr,
                      const uint64_t offsets[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      sim_trace_kind kind);

static inline uint32_t sim_line_of(uint64_t address) {
    return (uint32_t)((address - SIM_GLOBAL_BASE) / SIM_LINE_BYTES);
}

#endif
