// The one state of the process, as it is before the first call.
#include "runtime/state/state.h"

runtime_state runtime = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .last_context_id = SIM_MOST_DEVICES,
    .next_stream_id = 13, // as on an H200; 7 is the legacy default stream
    .device_count = 1,
    .now = runtime.devices,
};

// Defaults of a Hopper GPU; sizes in bytes.
void runtime_limits_reset(runtime_device *of) {
    of->limits[cudaLimitStackSize] = 1024;
    of->limits[cudaLimitPrintfFifoSize] = SIM_DEFAULT_OUTPUT_BYTES;
    of->limits[cudaLimitMallocHeapSize] = 8 << 20;
    of->limits[cudaLimitDevRuntimeSyncDepth] = 0;
    of->limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
    of->limits[cudaLimitMaxL2FetchGranularity] = 64;
    const sim_device *device =
        runtime.engine ? sim_engine_device(runtime.engine) : sim_device_find(NULL);
    // 9830400 on an H100, 11796480 on an H200, in a fresh process
    of->limits[cudaLimitPersistingL2CacheSize] = device->l2_bytes / 16 * 3;
    of->cache = cudaFuncCachePreferNone;
}

void runtime_use(int device) {
    runtime.device = device;
    runtime.now = &runtime.devices[device];
    if (!runtime.engine || runtime.engine_device == device) return;
    runtime.engine_device = device;
    sim_device_use(runtime.engine, (uint32_t)device, NULL);
}

// -------------------------------------------------------------------------------------------------
// The table of live memory that the program got from the runtime, sorted by address. Knows sizes
// and kinds; the bytes are elsewhere.

// Index of the first range that starts after `address`.
static size_t upper_bound(uint64_t address) {
    size_t low = 0, high = runtime.range_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runtime.ranges[middle].base <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

runtime_range *runtime_range_find(uint64_t address) {
    size_t index = upper_bound(address);
    if (index == 0) return NULL;
    runtime_range *range = &runtime.ranges[index - 1];
    return address - range->base < range->bytes ? range : NULL;
}

cudaError_t runtime_range_add(const runtime_range *range) {
    if (!sim_reserve(&runtime.ranges, &runtime.range_capacity, runtime.range_count, sizeof *range))
        return cudaErrorMemoryAllocation;
    size_t index = upper_bound(range->base);
    runtime_range *place = &runtime.ranges[index];
    memmove(place + 1, place, (runtime.range_count - index) * sizeof *place);
    *place = *range;
    runtime.range_count++;
    runtime.copied_count += range->is_copied;
    return cudaSuccess;
}

void runtime_range_remove(runtime_range *range) {
    size_t index = (size_t)(range - runtime.ranges);
    runtime.copied_count -= range->is_copied;
    runtime.order.changed = true;
    memmove(range, range + 1, (runtime.range_count - index - 1) * sizeof *range);
    runtime.range_count--;
}

// -------------------------------------------------------------------------------------------------
// Captures under way: the list, and what is refused meanwhile. What is answered follows an H100
// (tests/programs/graphs/graph_api.cu).

typedef runtime_capture capture;

static __thread enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

capture *runtime_capture_find(unsigned long long id) {
    for (capture *c = runtime.captures; c; c = c->next)
        if (c->id == id) return c;
    return NULL;
}

cudaError_t runtime_capture_no_unsafe(void) {
    cudaError_t status = cudaSuccess;
    if (thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    for (capture *c = runtime.captures; c; c = c->next) {
        bool own = pthread_equal(c->thread, pthread_self());
        bool forbids = own ? c->mode != cudaStreamCaptureModeRelaxed
                           : thread_mode == cudaStreamCaptureModeGlobal &&
                                 c->mode == cudaStreamCaptureModeGlobal;
        if (!forbids) continue;
        c->invalid = true;
        status = cudaErrorStreamCaptureUnsupported;
    }
    return status;
}

cudaError_t runtime_capture_no_device(void) {
    for (capture *c = runtime.captures; c; c = c->next) c->invalid = true;
    return runtime.captures ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

enum cudaStreamCaptureMode runtime_capture_thread_mode(enum cudaStreamCaptureMode mode) {
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = mode;
    return before;
}
