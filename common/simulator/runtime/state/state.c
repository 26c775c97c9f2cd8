// SPDX-License-Identifier: MIT
// The one state of the process, as it is before the first call.
#include "runtime/state/state.h"

runtime_state runtime = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .next_stream_id = 3, // after the two default streams
};

// Defaults of a Hopper GPU; sizes in bytes.
void runtime_limits_reset(void) {
    runtime.limits[cudaLimitStackSize] = 1024;
    runtime.limits[cudaLimitPrintfFifoSize] = 1 << 20;
    runtime.limits[cudaLimitMallocHeapSize] = 8 << 20;
    runtime.limits[cudaLimitDevRuntimeSyncDepth] = 0;
    runtime.limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
    runtime.limits[cudaLimitMaxL2FetchGranularity] = 64;
    const sim_device *device =
        runtime.engine ? sim_engine_device(runtime.engine) : sim_device_find(NULL);
    // 9830400 on an H100, 11796480 on an H200, in a fresh process
    runtime.limits[cudaLimitPersistingL2CacheSize] = device->l2_bytes / 16 * 3;
    runtime.cache = cudaFuncCachePreferNone;
}
