// Functions of the driver API for programs that ask the runtime for them (CUDA Runtime API
// reference, "Driver Entry Point Access"): those of driver_calls.def, which are other names of the
// runtime's. The only contexts are the devices' primary ones. Any other name is "not found", and
// standard error says so. Compiled once more it is libcuda.so.1, for programs that are linked with
// -lcuda beside the runtime: the same functions under their own names, and under those of their
// second version; all others (unsupported_driver.def) are refused by name there.
#include "runtime/api/api.h"
#include "runtime/memory/memory.h"

// The primary context of a device is its number, from 1 on.
#define RUNTIME_CONTEXT(device)         ((void *)(intptr_t)((device) + 1))
#define RUNTIME_CONTEXT_DEVICE(context) ((int)(intptr_t)(context)-1)

// A failed call of the driver is no error of the runtime's.
#define KEEP_ERROR                                                                                 \
    __attribute__((cleanup(sim_runtime_error_set))) cudaError_t before = cudaPeekAtLastError();

// Each element by its bytes: the runtime fills with single ones.
static cudaError_t driver_fill(unsigned char *to, unsigned value, size_t element, size_t count) {
    cudaError_t status = (uintptr_t)to % element ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; i < element && !status; i++)
        status = cudaMemset2D(to + i, element, (int)(value >> 8 * i & 0xFF), count ? 1 : 0, count);
    return status;
}

// `extra` is a list that ends with NULL: 1 and the bytes of all parameters, 2 and their number, of
// which those that are missing are 0.
static cudaError_t driver_launch(const cudaLaunchConfig_t *config, cudaKernel_t function,
                                 void **arguments, void **extra) {
    enum { MOST_BYTES = 32764, MOST_PARAMETERS = 4096 };
    const unsigned char *given = NULL;
    const size_t *bytes = NULL;
    size_t count = 0, end = 0;
    for (; extra && extra[0]; extra += 2)
        if (extra[0] == (void *)1) given = extra[1];
        else if (extra[0] == (void *)2) bytes = extra[1];
        else return cudaErrorInvalidValue;
    if (!given || !bytes) return cudaLaunchKernelExC(config, (const void *)function, arguments);
    unsigned char *copy = calloc(1, MOST_BYTES + MOST_PARAMETERS * sizeof(void *));
    cudaError_t status =
        copy ? cudaFuncGetParamCount((const void *)function, &count) : cudaErrorMemoryAllocation;
    void **list = (void **)(copy + (MOST_BYTES & ~7));
    for (size_t i = 0; i < count && i < MOST_PARAMETERS && !status; i++) {
        size_t offset = 0, size = 0;
        status = cudaFuncGetParamInfo((const void *)function, i, &offset, &size);
        list[i] = copy + offset;
        end = offset + size;
    }
    if (!status && (*bytes > end || end > MOST_BYTES)) status = cudaErrorLaunchOutOfResources;
    if (!status) memcpy(copy, given, *bytes);
    if (!status) status = cudaLaunchKernelExC(config, (const void *)function, list);
    free(copy);
    return status;
}

// CUlaunchConfig.
typedef struct driver_launch_config {
    unsigned grid[3], block[3], shared_bytes;
    cudaStream_t stream;
    cudaLaunchAttribute *attributes;
    unsigned attribute_count;
} driver_launch_config;

// CUDA_MEMCPY2D: the kinds are 1 host, 2 device, 4 unified.
typedef struct driver_side {
    size_t x, y;
    int kind;
    void *host, *device, *array;
    size_t pitch;
} driver_side;
typedef struct driver_copy {
    driver_side from, to;
    size_t width, height;
} driver_copy;

static void *driver_start(const driver_side *side) {
    char *start = side->kind == 1 ? side->host : side->device;
    return start + side->y * side->pitch + side->x;
}

static cudaError_t driver_copy_rows(const driver_copy *c) {
    if (c->from.array || c->to.array) return cudaErrorNotSupported;
    size_t from = c->from.pitch ? c->from.pitch : c->width,
           to = c->to.pitch ? c->to.pitch : c->width;
    if (c->width > from || c->width > to) return cudaErrorInvalidValue;
    return cudaMemcpy2D(driver_start(&c->to), to, driver_start(&c->from), from, c->width, c->height,
                        cudaMemcpyDefault);
}

// The block of most threads per SM, and the blocks that fill the device.
static cudaError_t driver_block_size(int *out_grid, int *out_threads, cudaKernel_t function,
                                     size_t (*bytes_of)(int), size_t shared_bytes, int most) {
    struct cudaFuncAttributes a;
    int device = 0, sms = 0, best = 0;
    cudaError_t status = cudaFuncGetAttributes(&a, (const void *)function);
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!status && (most <= 0 || most > a.maxThreadsPerBlock)) most = a.maxThreadsPerBlock;
    for (int threads = most, step; !status && threads > 0; threads -= step) {
        int blocks = 0;
        size_t bytes = bytes_of ? bytes_of(threads) : shared_bytes;
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)function,
                                                               threads, bytes);
        step = threads % 32 ? threads % 32 : 32;
        if (blocks * threads <= best) continue;
        best = blocks * threads;
        *out_threads = threads;
        *out_grid = blocks * sms;
    }
    return status;
}

// CU_JIT_INFO_LOG_BUFFER and CU_JIT_ERROR_LOG_BUFFER, each followed by its size.
static void driver_write_logs(cudaError_t status, unsigned count, const int *options,
                              void **values) {
    enum { INFO_LOG = 3, ERROR_LOG = 5 };
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < count; k++) {
            bool is_log = options[i] == INFO_LOG || options[i] == ERROR_LOG;
            if (!is_log || options[k] != options[i] + 1 || !values[i] || !values[k]) continue;
            const char *text = status && options[i] == ERROR_LOG ? sim_runtime_reason() : "";
            int length = snprintf(values[i], (size_t)values[k], "%s", text);
            values[k] = (void *)(size_t)length;
        }
}

#if defined(SIM_DRIVER_LIBRARY)
#define DRIVER_CALL(name, since, parameters, ...)                                                  \
    __attribute__((visibility("default"))) cudaError_t name parameters { KEEP_ERROR __VA_ARGS__ }  \
    extern __typeof__(name) name##_v2 __attribute__((alias(#name), visibility("default")));
#include "runtime/api/driver_calls.def"

// unsupported.c, in the runtime that the program has loaded.
int sim_runtime_refuse(const char *function);
#define REFUSED(name)                                                                              \
    __attribute__((visibility("default"))) int name(void);                                         \
    int name(void) { return sim_runtime_refuse(#name); }
#include "runtime/api/unsupported_driver.def"
#else
#define DRIVER_CALL(name, since, parameters, ...)                                                  \
    static cudaError_t driver_##name parameters { KEEP_ERROR __VA_ARGS__ }
#include "runtime/api/driver_calls.def"
#undef DRIVER_CALL

typedef void (*any_function)(void);

static const struct driver_row {
    const char *name;
    unsigned since;
    any_function function;
} rows[] = {
#define DRIVER_CALL(name, since, parameters, ...) {#name, since, (any_function)driver_##name},
#include "runtime/api/driver_calls.def"
#undef DRIVER_CALL
};

static const struct driver_row *find_row(const char *name) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

static cudaError_t find_entry(const char *name, void **out_function, unsigned version,
                              unsigned long long flags,
                              enum cudaDriverEntryPointQueryResult *out_result) {
    const unsigned long long known =
        cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream; // which stream 0 is
    if (!name || !out_function || (flags & ~known) || version > RUNTIME_CUDA_VERSION)
        return cudaErrorInvalidValue;
    const struct driver_row *row = find_row(name);
    enum cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
    if (!row) result = cudaDriverEntryPointSymbolNotFound;
    if (row && version < row->since) result = cudaDriverEntryPointVersionNotSufficent;
    *out_function = NULL;
    if (result == cudaDriverEntryPointSuccess)
        memcpy(out_function, &row->function, sizeof row->function);
    if (out_result) *out_result = result;
    if (!row) fprintf(stderr, "simulator: the driver's function %.200s is not supported\n", name);
    return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
                                             unsigned int cudaVersion, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *driverStatus) {
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cudaGetDriverEntryPointByVersion(%s, %u)",
                                       symbol ? symbol : "NULL", cudaVersion);
    if (!status) status = find_entry(symbol, funcPtr, cudaVersion, flags, driverStatus);
    return runtime_leave(status);
}

// -------------------------------------------------------------------------------------------------
// Contexts: which one is current in a thread is which device is.

static cudaError_t context_call(runtime_context_call call, void **context) {
    enum { MOST = 64 };
    static __thread int pushed[MOST], count;
    void *current = runtime.now->has_context ? RUNTIME_CONTEXT(runtime.device) : NULL;
    int device = call == RUNTIME_CONTEXT_GET || call == RUNTIME_CONTEXT_POP
                     ? runtime.device
                     : RUNTIME_CONTEXT_DEVICE(*context);
    if (!runtime_has_device(device))
        return call == RUNTIME_CONTEXT_ASK ? cudaErrorInvalidDevice : cudaErrorDeviceUninitialized;
    switch (call) {
    case RUNTIME_CONTEXT_GET: *context = current; return cudaSuccess;
    case RUNTIME_CONTEXT_ASK:
        if (!runtime.devices[device].has_context) *context = NULL;
        return cudaSuccess;
    case RUNTIME_CONTEXT_PUSH:
        if (count == MOST) return cudaErrorMemoryAllocation;
        pushed[count++] = runtime.device;
        break;
    case RUNTIME_CONTEXT_POP:
        if (count == 0) return cudaErrorDeviceUninitialized;
        *context = current;
        device = pushed[--count];
        break;
    default: break;
    }
    runtime_thread_device_set(device);
    return cudaSuccess;
}

cudaError_t sim_runtime_context(runtime_context_call call, void **context) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cuCtx(%d)", (int)call);
    if (!status) status = context ? context_call(call, context) : cudaErrorInvalidValue;
    return runtime_leave_driver(status);
}

// -------------------------------------------------------------------------------------------------
// Tensor maps. What is refused and why: device/tensor_map.c.

static cudaError_t check_map(const void *map) {
    if (!runtime.now->has_context)
        return runtime_refuse(cudaErrorDeviceUninitialized,
                              "no context: a call such as cudaFree(0) makes one");
    return map ? cudaSuccess : runtime_refuse(cudaErrorInvalidValue, "no place for the map");
}

cudaError_t sim_runtime_tensor_map_encode(void *map, const sim_tensor_request *request) {
    sim_tensor_map made;
    sim_tensor_request asked = *request;
    const char *why = NULL;
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cuTensorMapEncodeTiled(%p)", map);
    if (!status) status = check_map(map);
    if (!status) asked.recent = sim_engine_device(runtime.engine)->compute_major >= 10;
    if (!status) status = runtime_status(sim_tensor_map_encode(&asked, &made, &why));
    if (why) runtime_refuse(status, "%s", why);
    if (!status) memcpy(map, &made, sizeof made);
    return runtime_leave_driver(status);
}

cudaError_t sim_runtime_tensor_map_move(void *map, void *address) {
    sim_tensor_map moved;
    const char *why = NULL;
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cuTensorMapReplaceAddress(%p)", map);
    if (!status) status = check_map(map);
    if (!status) memcpy(&moved, map, sizeof moved);
    if (!status) status = runtime_status(sim_tensor_map_move(&moved, (uintptr_t)address, &why));
    if (why) runtime_refuse(status, "%s", why);
    if (!status) memcpy(map, &moved, sizeof moved);
    return runtime_leave_driver(status);
}
#endif
