// The clocks that a kernel can read: %clock, %clock64 and %globaltimer advance by modelled
// latencies while it runs. Only kernels that read one are watched, and what they call: their
// instructions get handlers that keep a time for each warp beside what they do. All other programs
// pay nothing. Results and counts are those of the handlers beneath.
#pragma once

#include "counters/counters.h"
#include "warps/block.h"

// The time of one device, and what its caches keep from launch to launch.
typedef struct sim_clocks sim_clocks;

// Gives the functions that a kernel with a clock reaches handlers that keep time: after all other
// binding but probes. *out_any: there are some. SIM_OUT_OF_MEMORY.
sim_status sim_clocks_bind(sim_program *program, const sim_device *device, bool *out_any,
                           kl_error *err);

// Time 0 and empty caches; NULL: no host memory.
sim_clocks *sim_clocks_new(const sim_device *device);
// Accepts NULL.
void sim_clocks_free(sim_clocks *clocks);

// A launch begins: what sim_grid.clocks is to be. NULL: the kernel reads no clock, or there is no
// memory for caches.
sim_clocks *sim_clocks_begin(sim_clocks *clocks, const sim_launch *launch);
// A launch has ended; us: its modelled time, which counts when no clock was kept in it.
void sim_clocks_end(sim_clocks *clocks, double us);

// A copy, a fill or a kernel without a clock may have brought [address, address + bytes) into the
// L2, and so driven out what was there.
void sim_clocks_touched(sim_clocks *clocks, uint64_t address, uint64_t bytes);
