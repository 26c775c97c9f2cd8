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

#if defined(SIM_DRIVER_LIBRARY)
#define DRIVER_CALL(name, since, parameters, ...)                                                  \
    __attribute__((visibility("default"))) cudaError_t name parameters { __VA_ARGS__ }             \
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
    static cudaError_t driver_##name parameters { __VA_ARGS__ }
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
    if (!name || !out_function || (flags & ~known)) return cudaErrorInvalidValue;
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
