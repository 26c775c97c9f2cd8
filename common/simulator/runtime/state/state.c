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
    runtime.limits[cudaLimitPersistingL2CacheSize] = 9830400; // an H100's, in a fresh process
    runtime.cache = cudaFuncCachePreferNone;
}
