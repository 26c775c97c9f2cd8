// Device management of the runtime API: which device a thread works on, and its limits, flags and
// preferences, which are remembered. What it is like is in properties.c, other devices' memory in
// peer.c.
#include "runtime/abi/interface.h"
#include "runtime/api/api.h"
#include "runtime/submit/submit.h"

enum { PCI_BUS_ID_BYTES = 13 };

// A simulated device is on no bus.
static void write_bus_id(int device, char text[PCI_BUS_ID_BYTES]) {
    snprintf(text, PCI_BUS_ID_BYTES, "0000:00:%02x.0", (unsigned)device & 0xFF);
}

cudaError_t cudaGetDeviceCount(int *count) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaGetDeviceCount()");
    if (count) *count = runtime_devices();
    else status = cudaErrorInvalidValue;
    return runtime_leave(status);
}

cudaError_t cudaGetDevice(int *device) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaGetDevice()");
    if (runtime.forked) status = cudaErrorInitializationError;
    else if (device) *device = runtime.device;
    else status = cudaErrorInvalidValue;
    return runtime_leave(status);
}

cudaError_t cudaSetDevice(int device) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaSetDevice(%d)", device);
    if (refused) return runtime_leave(refused);
    if (runtime.forked) return runtime_leave(cudaErrorInitializationError);
    if (!runtime_has_device(device)) return runtime_leave(cudaErrorInvalidDevice);
    if (runtime.is_lost) return runtime_leave(cudaErrorDevicesUnavailable);
    runtime.devices[device].has_context = true;
    runtime_thread_device_set(device);
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaInitDevice(%d)", device);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status && (flags & cudaInitDeviceFlagsAreValid))
        runtime.devices[device].flags = deviceFlags;
    if (!status) runtime.devices[device].has_context = true;
    return runtime_leave(status);
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaChooseDevice()");
    if (refused) return runtime_leave(refused);
    if (!device || !prop) return runtime_leave(cudaErrorInvalidValue);
    *device = 0;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaSetValidDevices(int *device_arr, int len) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaSetValidDevices(%d)", len);
    if (refused) return runtime_leave(refused);
    if ((len > 0 && !device_arr) || len > runtime.device_count)
        return runtime_leave(cudaErrorInvalidValue);
    for (int i = 0; i < len; i++)
        if (!runtime_has_device(device_arr[i])) return runtime_leave(cudaErrorInvalidDevice);
    if (len > 0) runtime.first_device = device_arr[0];
    return runtime_leave(len < 0 ? cudaErrorInvalidValue : cudaSuccess);
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaSetDeviceFlags(%u)", flags);
    if (refused) return runtime_leave(refused);
    if (flags & ~(unsigned)cudaDeviceMask) return runtime_leave(cudaErrorInvalidValue);
    runtime.now->flags = flags;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaGetDeviceFlags()");
    if (refused) return runtime_leave(refused);
    if (!flags) return runtime_leave(cudaErrorInvalidValue);
    *flags = runtime.now->flags | cudaDeviceMapHost;
    return runtime_leave(cudaSuccess);
}

static cudaError_t answer_version(const char *call, int version, int *out_version) {
    runtime_enter(RUNTIME_NOTHING, "%s()", call);
    if (!out_version) return runtime_leave(cudaErrorInvalidValue);
    *out_version = version;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion) {
    return answer_version("cudaRuntimeGetVersion", runtime_interface.version, runtimeVersion);
}

cudaError_t cudaDriverGetVersion(int *driverVersion) {
    return answer_version("cudaDriverGetVersion", RUNTIME_CUDA_VERSION, driverVersion);
}

// CU_LIMIT_SHMEM_SIZE: the shared memory that a block may have, which nobody sets.
enum { LIMIT_SHARED = 7 };

static cudaError_t check_limit(enum cudaLimit limit) {
    if ((unsigned)limit > LIMIT_SHARED) return cudaErrorInvalidValue;
    if (limit == cudaLimitDevRuntimeSyncDepth) return cudaErrorUnsupportedLimit; // since CUDA 12
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetLimit(%d)", (int)limit);
    if (!status && !pValue) status = cudaErrorInvalidValue;
    if (!status) status = check_limit(limit);
    if (!status)
        *pValue = (int)limit == LIMIT_SHARED
                      ? sim_engine_device(runtime.engine)->shared_bytes_per_block_optin
                      : runtime.now->limits[limit];
    return runtime_leave(status);
}

// Whole sixteenths of the L2, at most as many as the device sets aside.
static cudaError_t round_persisting(size_t *bytes) {
    const sim_device *device = sim_engine_device(runtime.engine);
    size_t unit = device->l2_bytes / 16;
    int most = 0;
    sim_attribute(device, cudaDevAttrMaxPersistingL2CacheSize, &most);
    if (*bytes > (size_t)most) return cudaErrorInvalidValue;
    if (unit) *bytes = (*bytes + unit - 1) / unit * unit;
    return cudaSuccess;
}

// The limits that kernels meet are the engine's; the others are only remembered.
static cudaError_t set_limit(enum cudaLimit limit, size_t value) {
    // What is asked for becomes `least` or the next multiple of `unit`; above `most` it is refused.
    // As an H200 answers.
    static const struct {
        size_t unit, least, most;
    } sizes[] = {[cudaLimitStackSize] = {16, 0, 523264},
                 [cudaLimitPrintfFifoSize] = {256, 512 << 10, SIZE_MAX},
                 [cudaLimitMallocHeapSize] = {64 << 10, 4 << 20, SIZE_MAX},
                 [cudaLimitDevRuntimeSyncDepth] = {1, 0, SIZE_MAX},
                 [cudaLimitDevRuntimePendingLaunchCount] = {1, 32, SIZE_MAX},
                 [cudaLimitMaxL2FetchGranularity] = {1, 0, 128},
                 [cudaLimitPersistingL2CacheSize] = {1, 0, SIZE_MAX}};
    static const struct {
        enum cudaLimit limit;
        sim_limit engine;
    } rows[] = {{cudaLimitStackSize, SIM_LIMIT_STACK},
                {cudaLimitPrintfFifoSize, SIM_LIMIT_OUTPUT},
                {cudaLimitMallocHeapSize, SIM_LIMIT_HEAP},
                {cudaLimitDevRuntimePendingLaunchCount, SIM_LIMIT_PENDING_LAUNCHES}};
    cudaError_t status = check_limit(limit);
    if (!status && (int)limit == LIMIT_SHARED) status = cudaErrorNotPermitted;
    if (status) return status;
    size_t unit = sizes[limit].unit;
    if (value > sizes[limit].most) return cudaErrorInvalidValue;
    if (value < sizes[limit].least) value = sizes[limit].least;
    if (value <= SIZE_MAX - unit) value = (value + unit - 1) / unit * unit;
    if (limit == cudaLimitPersistingL2CacheSize) status = round_persisting(&value);
    if (status) return status;
    if (limit == cudaLimitPrintfFifoSize && value > UINT64_C(2) << 30) value = UINT64_C(2) << 30;
    kl_error err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].limit == limit &&
            sim_limit_set(runtime.engine, rows[i].engine, value, &err) != SIM_OK)
            return runtime_fail(&err);
    runtime.now->limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceSetLimit(%d, %zu)", (int)limit, value);
    if (!status) status = set_limit(limit, value);
    return runtime_leave(status);
}

// A preference has no effect: the simulated SM gives each block what it asks for.
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceSetCacheConfig(%d)", (int)cacheConfig);
    if (!status && (unsigned)cacheConfig > cudaFuncCachePreferEqual) status = cudaErrorInvalidValue;
    if (!status) runtime.now->cache = cacheConfig;
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetCacheConfig()");
    if (!status && !pCacheConfig) status = cudaErrorInvalidValue;
    if (!status) *pCacheConfig = runtime.now->cache;
    return runtime_leave(status);
}

// Banks are four bytes wide on every device since Maxwell; other wishes are accepted and ignored.
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceSetSharedMemConfig(%d)", (int)config);
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetSharedMemConfig()");
    if (!status && !pConfig) status = cudaErrorInvalidValue;
    if (!status) *pConfig = cudaSharedMemBankSizeFourByte;
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaDeviceGetPCIBusId(%d)", device);
    if (refused) return runtime_leave(refused);
    if (!runtime_has_device(device)) return runtime_leave(cudaErrorInvalidDevice);
    if (!pciBusId || len < PCI_BUS_ID_BYTES) return runtime_leave(cudaErrorInvalidValue);
    runtime_say_difference(RUNTIME_DIFFERENCE_BUS);
    write_bus_id(device, pciBusId);
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaDeviceGetByPCIBusId()");
    if (refused) return runtime_leave(refused);
    if (!device || !pciBusId) return runtime_leave(cudaErrorInvalidValue);
    unsigned domain, bus, slot;
    if (sscanf(pciBusId, "%x:%x:%x", &domain, &bus, &slot) < 2)
        return runtime_leave(cudaErrorInvalidValue);
    for (int i = 0; i < runtime.device_count; i++) {
        char own[PCI_BUS_ID_BYTES];
        write_bus_id(i, own);
        if (strcmp(pciBusId, own) != 0) continue;
        *device = i;
        return runtime_leave(cudaSuccess);
    }
    return runtime_leave(cudaErrorInvalidDevice);
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    return runtime_leave(runtime_enter(RUNTIME_DEVICE, "cudaCtxResetPersistingL2Cache()"));
}

// Profiling is not started and stopped: reports of all launches are kept.
cudaError_t cudaProfilerStart(void) {
    return runtime_leave(runtime_enter(RUNTIME_DEVICE, "cudaProfilerStart()"));
}

cudaError_t cudaProfilerStop(void) {
    return runtime_leave(runtime_enter(RUNTIME_DEVICE, "cudaProfilerStop()"));
}

// ---- the device as a whole: wait for all its work, or give everything back ----------------------

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaDeviceSynchronize()");
    if (!status) status = runtime_capture_no_device();
    if (!status) status = runtime_device_wait(runtime.device);
    if (!status) {
        runtime_device_host_waits();
        runtime_pools_trim(NULL);
    }
    return runtime_leave(status);
}

// Gives back everything that the program holds on the device; the last error stays for
// cudaGetLastError. After a fault of a kernel the process has no such device from then on, as on a
// GPU; a kernel that the simulator ended because it did not end by itself is no such fault. Graphs
// are no one device's where there are several.
cudaError_t cudaDeviceReset(void) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaDeviceReset()");
    if (runtime.forked) return runtime_leave(cudaErrorInitializationError);
    if (runtime.engine) {
        runtime_report_unchecked();
        runtime_device_wait(runtime.device);
        runtime_device_host_waits();
        runtime_output_flush();
        if (runtime.device_count == 1) {
            runtime_captures_reset();
            runtime_execs_reset();
            runtime_graphs_reset();
        }
        runtime_textures_reset();
        runtime_arrays_reset();
        runtime_streams_reset();
        runtime_contexts_reset();
        runtime_events_reset();
        runtime_modules_reset();
        runtime_memory_reset();
        runtime_peers_reset();
    }
    cudaError_t fault = runtime.sticky ? runtime.sticky : runtime.now->pending;
    runtime.is_lost |= fault && fault != cudaErrorLaunchTimeout;
    runtime.now->pending = runtime.sticky = cudaSuccess;
    runtime.now->has_context = false;
    runtime.clock.devices[runtime.device] = (runtime_device_clock){0};
    if (runtime.device_count == 1 && !runtime.clock.record) runtime.clock.host.us = 0;
    runtime_limits_reset(runtime.now);
    return runtime_leave(status);
}
