// SPDX-License-Identifier: MIT
// The functions that the drop-in runtime adds to CUDA's (runtime_query.h), and two of CUDA's own
// that touch no state.
#include "runtime_query.h"

#include "runtime.h"

#include <string.h>

static int answer(const char *key, double *out) {
    const sim_device *device = sim_engine_device(runtime.engine);
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"simulated", 1},
        {"ceiling.read_gbs", device->read_gbs},
        {"ceiling.copy_gbs", device->copy_gbs},
        {"ceiling.launch_us", device->launch_us},
        {"launches", (double)runtime.launches},
        {"warp_instructions", (double)runtime.warp_instructions},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, key) != 0) continue;
        *out = rows[i].value;
        return 0;
    }
    return -1;
}

int sim_runtime_query(const char *key, double *out) {
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "sim_runtime_query(%s)", key ? key : "NULL");
    int result = status || !key || !out ? -1 : answer(key, out);
    runtime_leave(cudaSuccess);
    return result;
}

sim_engine *sim_runtime_engine(void) {
    runtime_enter(RUNTIME_OPEN, "sim_runtime_engine()");
    sim_engine *engine = runtime.engine;
    runtime_leave(cudaSuccess);
    return engine;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
