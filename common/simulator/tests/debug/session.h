// For tests of the debugger: an engine in a process of its own that launches one kernel, and its
// client.
#pragma once

#include "debug/debugger.h"
#include "suite.h"

// Lines of debug_kernel, "debug.cu", of which each thread does:
//   10 reads its parameters   11 tile[tid] = index     12 __syncthreads
//   14 (even threads) sum = 3 * index   16 (odd ones) sum = index + 7
//   19, 20 the loop: sum += i, i++      22 out[0] = sum   23 out[1 + bad * index] = sum
extern const char debug_kernel[];
enum { DEBUG_GRID = 2, DEBUG_BLOCK = 64 };

typedef struct debug_session {
    sim_debug_client client;
    pid_t engine;
    uint64_t out; // device address
} debug_session;

// Starts a launch with `iterations` iterations, which stands at its beginning. bad: how far apart
// threads write on line 23.
debug_session debug_begin(sim_mode mode, uint32_t iterations, uint32_t bad);
// Lets it go on and waits for the next stop.
const sim_debug_stop *debug_go(debug_session *session, sim_debug_way way, sim_debug_step step,
                               uint64_t time);
// Forwards to the engine's end, past all stops; its exit status.
int debug_end(debug_session *session);
void debug_points(debug_session *session, const sim_debug_point *points, uint32_t count);
sim_debug_point debug_at_line(uint32_t number, uint32_t line);
// The source line of a thread.
uint32_t debug_line(debug_session *session, sim_debug_thread thread);
