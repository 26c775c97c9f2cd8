// SPDX-License-Identifier: MIT
// The client's end of the debugger: what commands of a terminal, an editor or a page are made of.
// It waits for stops, reads what a stopped launch looks like, and lets it go on in either
// direction. While the program's host code runs, or a launch, nothing can be read: SIM_CONNECTION.
#ifndef SIM_DEBUG_CLIENT_H
#define SIM_DEBUG_CLIENT_H

#include "debug/protocol.h"

// One engine's client.
typedef struct sim_debug_client {
    int descriptor;      // of its socket
    bool stopped;        // a launch is; `stop` says where
    sim_debug_stop stop; // the last one
} sim_debug_client;

// The next stop, which has arrived when the descriptor can be read. SIM_CONNECTION: the engine has
// gone. SIM_DEBUG_END leaves `stopped` false.
sim_status sim_debug_wait(sim_debug_client *client, kl_error *err);
// Lets the launch go on; it stops no more until sim_debug_wait.
sim_status sim_debug_go(sim_debug_client *client, const sim_debug_plan *plan, kl_error *err);
// Asks a launch that runs to stop. Without effect while the host runs.
void sim_debug_ask_to_stop(sim_debug_client *client);

// All breakpoints and watchpoints that there are from now on, for this launch: each launch begins
// without any.
sim_status sim_debug_set_points(sim_debug_client *client, const sim_debug_point *points,
                                uint32_t count, kl_error *err);
// Where a breakpoint lies. SIM_NOT_FOUND.
sim_status sim_debug_resolve(sim_debug_client *client, const sim_debug_point *point,
                             sim_debug_place *out_place, kl_error *err);

// Blocks that run: at most `most`.
sim_status sim_debug_blocks(sim_debug_client *client, sim_debug_block *out_blocks, uint32_t most,
                            uint32_t *out_count, kl_error *err);
// The lanes of a thread's warp.
sim_status sim_debug_lanes(sim_debug_client *client, const sim_debug_thread *thread,
                           sim_debug_lane out_lanes[SIM_DEBUG_LANES], kl_error *err);
// Calls of a thread, the innermost first; of callers the place of the call.
sim_status sim_debug_frames(sim_debug_client *client, const sim_debug_thread *thread,
                            sim_debug_place out_frames[SIM_DEBUG_FRAMES], uint32_t *out_count,
                            kl_error *err);
// A register by its name in PTX, or a special one, of all lanes. SIM_NOT_FOUND.
sim_status sim_debug_read_register(sim_debug_client *client, const sim_debug_thread *thread,
                                   uint32_t frame, const char *name,
                                   sim_debug_register *out_register, kl_error *err);
// Names of a frame's registers, each with a NUL, and one more: for the caller to free.
sim_status sim_debug_names(sim_debug_client *client, const sim_debug_thread *thread, uint32_t frame,
                           char **out_names, kl_error *err);
// The instruction that is next, and the memory that it is about to touch.
sim_status sim_debug_next_instruction(sim_debug_client *client, sim_debug_instruction *out,
                                      kl_error *err);
// Memory as a thread sees it. space: ptx_space; NONE takes generic addresses.
sim_status sim_debug_read_memory(sim_debug_client *client, const sim_debug_thread *thread,
                                 uint32_t space, uint64_t address, void *out, uint64_t bytes,
                                 kl_error *err);
// Where a variable of the PTX lies. SIM_NOT_FOUND.
sim_status sim_debug_find_symbol(sim_debug_client *client, const sim_debug_thread *thread,
                                 uint32_t frame, const char *name, sim_debug_symbol *out_symbol,
                                 kl_error *err);
// The program's PTX, for the caller to free.
sim_status sim_debug_text(sim_debug_client *client, char **out_text, size_t *out_bytes,
                          kl_error *err);
// A number that is equal for equal states of the launch.
sim_status sim_debug_digest(sim_debug_client *client, uint64_t *out_digest, kl_error *err);
// Times of the snapshots: at most `most`.
sim_status sim_debug_times(sim_debug_client *client, uint64_t *out_times, uint32_t most,
                           uint32_t *out_count, kl_error *err);

#endif
