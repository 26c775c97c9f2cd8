// SPDX-License-Identifier: MIT
// Telling the launch's observer (events.h) what the executor does. Every function here may be
// called only when warp->observing is set or the grid has an observer; nothing here changes what a
// kernel computes.
#ifndef SIM_WARPS_OBSERVE_H
#define SIM_WARPS_OBSERVE_H

#include "warps/block.h"

struct lane_addresses;

// An access whose lanes' addresses are listed, and one whose pattern is known (address.h).
void sim_observe_access(const sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint8_t space,
                        uint32_t bytes, sim_access_kind kind, const uint64_t *addresses);
void sim_observe_quick(const sim_warp *warp, const sim_instr *instr,
                       const struct lane_addresses *addresses, uint8_t space, uint32_t bytes,
                       bool is_store);
// In the shared memory of other blocks of the cluster, by the addresses of base/base.h.
void sim_observe_remote(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                        uint32_t bytes, sim_access_kind kind, const uint64_t *addresses);
// Weak, of a regular warp.
void sim_observe_rows(const sim_warp *warp, const sim_instr *instr, const sim_access_rows *rows);

// A read of shared memory by a product of a warp group: at its issue, and again at its end because
// it may come as late as that.
void sim_observe_product(const sim_warp *warp, sim_product *product, uint32_t lanes, uint32_t bytes,
                         const uint64_t *addresses);

// A matrix of wmma: where it begins, and the bytes from one row (or column) to the next.
void sim_observe_matrix(const sim_warp *warp, const sim_instr *instr, uint64_t address,
                        uint64_t stride_bytes);

// For an observer that is told of an access by `instr`: it wants to be told each instruction of the
// warp from the next one on, or only those with sim_instr.touches.
void sim_observe_watch(const sim_warp *warp, const sim_instr *instr, bool where_touched);
// An instruction of a warp that the observer or a debugger watches.
void sim_observe_step(sim_warp *warp, const sim_instr *instr, uint32_t lanes, uint32_t on);

// A fence, or lanes that exit.
void sim_observe_sync(const sim_warp *warp, const sim_instr *instr, sim_sync_kind kind,
                      uint32_t lanes);
void sim_observe_warp(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                      const uint32_t *masks);
void sim_observe_shuffle(const sim_warp *warp, const sim_instr *instr, uint32_t lanes);
// A lane's printf whose format and arguments do not fit: what is wrong, as a sentence.
void sim_observe_format(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                        const char *text);
void sim_observe_barrier_arrive(const sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                uint32_t barrier, uint32_t threads, bool arrive_only);
void sim_observe_barrier_open(const sim_block *block, uint32_t barrier);
void sim_observe_cluster_met(const sim_block *block);
// `lanes` have announced to, or waited for, the mbarrier at `offset` of block `owner`'s shared
// memory.
void sim_observe_mbarrier(const sim_warp *warp, const sim_instr *instr,
                          const sim_function *function, uint32_t lanes, uint64_t owner,
                          uint32_t offset, sim_sync_kind kind);
void sim_observe_local(const sim_warp *warp, uint32_t lanes, uint32_t base, uint32_t bytes);
void sim_observe_heap(const sim_warp *warp, uint64_t address, uint64_t bytes);

#endif
