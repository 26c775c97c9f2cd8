// Streams, events, host functions; device management.
#include "catalogue.h"

#include <cstring>

case_list stream_cases, device_cases;

__global__ void spin(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}

static void ignore(void *) {}
static void ignore_callback(cudaStream_t, cudaError_t, void *) {}

ALONE(stream_cases, stream) {
    cudaStream_t stream;
    int priority = 55;
    unsigned flags = 0;
    say(cudaStreamCreate(nullptr));
    say(cudaStreamCreateWithFlags(&stream, 0x40));
    say(cudaStreamDestroy(nullptr));
    say(cudaStreamDestroy(cudaStreamLegacy));
    say(cudaStreamDestroy(cudaStreamPerThread));
    say(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -100));
    say(cudaStreamGetPriority(stream, &priority), priority);
    say(cudaStreamGetFlags(stream, &flags), flags);
    say(cudaStreamGetFlags(stream, nullptr));
    say(cudaStreamGetPriority(stream, nullptr));
    say(cudaStreamDestroy(stream));
    say(cudaStreamCreateWithPriority(&stream, 0, 100));
    say(cudaStreamGetPriority(stream, &priority), priority);
    say(cudaStreamDestroy(stream));
    int least = 55, greatest = 55;
    say(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printf(" %d %d", least, greatest);
}

ALONE(stream_cases, host_functions) {
    say(cudaLaunchHostFunc(0, nullptr, nullptr));
    say(cudaLaunchHostFunc(0, ignore, nullptr));
    say(cudaStreamAddCallback(0, nullptr, nullptr, 0));
    say(cudaStreamAddCallback(0, ignore_callback, nullptr, 1));
    say(cudaStreamAddCallback(0, ignore_callback, nullptr, 0));
    say(cudaDeviceSynchronize());
}

ALONE(stream_cases, event_creation) {
    cudaEvent_t event;
    say(cudaEventCreate(nullptr));
    say(cudaEventCreateWithFlags(&event, 0x100));
    say(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    say(cudaEventCreateWithFlags(nullptr, 0));
    say(cudaEventDestroy(nullptr));
    say(cudaEventRecord(nullptr, 0));
    say(cudaEventQuery(nullptr));
    say(cudaEventSynchronize(nullptr));
    say(cudaStreamWaitEvent(0, nullptr, 0));
}

ALONE(stream_cases, event_states) {
    cudaEvent_t first, second, untimed;
    float ms = -1;
    say(cudaEventCreate(&first));
    say(cudaEventCreate(&second));
    say(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    say(cudaEventQuery(first));
    say(cudaEventSynchronize(first));
    say(cudaStreamWaitEvent(0, first, 0));
    say(cudaStreamWaitEvent(0, first, 99));
    say(cudaEventElapsedTime(&ms, first, second));
    say(cudaEventRecord(first, 0));
    say(cudaEventElapsedTime(&ms, first, second));
    say(cudaEventRecord(second, 0));
    say(cudaEventRecord(untimed, 0));
    say(cudaDeviceSynchronize());
    say(cudaEventElapsedTime(&ms, first, second));
    say(ms >= 0 ? "forward" : "backward");
    say(cudaEventElapsedTime(&ms, second, first));
    say(cudaEventElapsedTime(nullptr, first, second));
    say(cudaEventElapsedTime(&ms, first, untimed));
    say(cudaEventElapsedTime(&ms, untimed, first));
    say(cudaEventElapsedTime(&ms, first, nullptr));
    say(cudaEventRecordWithFlags(first, 0, 99));
    say(cudaEventDestroy(first));
    say(cudaEventDestroy(second));
    say(cudaEventDestroy(untimed));
}

ALONE(stream_cases, not_ready) {
    cudaEvent_t first, second;
    float ms;
    cudaEventCreate(&first);
    cudaEventCreate(&second);
    say(cudaEventRecord(first, 0));
    spin<<<1, 1>>>(4000000);
    say(cudaEventRecord(second, 0));
    say(cudaStreamQuery(0));
    say(cudaGetLastError());
    say(cudaEventQuery(second));
    say(cudaGetLastError());
    say(cudaEventElapsedTime(&ms, first, second));
    say(cudaGetLastError());
    say(cudaDeviceSynchronize());
    say(cudaEventQuery(second));
    cudaEventDestroy(first);
    cudaEventDestroy(second);
}

ALONE(stream_cases, stream_attributes) {
    cudaStreamAttrValue value;
    memset(&value, 0, sizeof value);
    say(cudaStreamGetAttribute(0, cudaStreamAttributeAccessPolicyWindow, &value));
    say(cudaStreamGetAttribute(0, cudaStreamAttributePriority, &value));
    say(cudaStreamGetAttribute(0, (cudaStreamAttrID)99, &value));
    unsigned long long id = 0;
    say(cudaStreamGetId(0, &id));
    say(cudaStreamGetId(0, nullptr));
}

// ---- devices ------------------------------------------------------------------------------------

ALONE(device_cases, device_numbers) {
    cudaDeviceProp properties;
    int value = 0;
    char bus[4];
    say(cudaSetDevice(-1));
    say(cudaSetDevice(99));
    say(cudaGetDevice(nullptr));
    say(cudaGetDeviceCount(nullptr));
    say(cudaGetDeviceProperties(&properties, 99));
    say(cudaGetDeviceProperties(nullptr, 0));
    say(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    say(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    say(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    say(cudaDeviceGetPCIBusId(bus, 4, 0));
    say(cudaDeviceGetByPCIBusId(&value, "nonsense"));
    say(cudaChooseDevice(nullptr, &properties));
    say(cudaDeviceCanAccessPeer(&value, 0, 0), value);
    say(cudaDeviceCanAccessPeer(&value, 0, 99));
    say(cudaDeviceEnablePeerAccess(0, 0));
    say(cudaDeviceEnablePeerAccess(99, 0));
    say(cudaDeviceDisablePeerAccess(0));
    say(cudaDeviceDisablePeerAccess(99));
    say(cudaRuntimeGetVersion(nullptr));
    say(cudaSetDevice(0));
}

ALONE(device_cases, limits) {
    size_t value = 0;
    say(cudaDeviceGetLimit(&value, cudaLimitStackSize), value);
    say(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), value);
    say(cudaDeviceGetLimit(&value, cudaLimitDevRuntimeSyncDepth));
    say(cudaDeviceGetLimit(&value, cudaLimitDevRuntimePendingLaunchCount), value);
    say(cudaDeviceGetLimit(&value, cudaLimitMaxL2FetchGranularity), value);
    say(cudaDeviceGetLimit(&value, cudaLimitPersistingL2CacheSize), value);
    say(cudaDeviceGetLimit(&value, (cudaLimit)99));
    say(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    say(cudaDeviceSetLimit((cudaLimit)99, 1));
    say(cudaDeviceSetLimit(cudaLimitStackSize, 5000));
    say(cudaDeviceGetLimit(&value, cudaLimitStackSize), value);
    say(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40));
    say(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 100));
    say(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), value);
    say(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    say(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), value);
}

ALONE(device_cases, preferences) {
    unsigned flags = 0;
    cudaFuncCache cache;
    say(cudaDeviceSetCacheConfig((cudaFuncCache)17));
    say(cudaDeviceGetCacheConfig(nullptr));
    say(cudaDeviceGetCacheConfig(&cache));
    say(cudaSetDeviceFlags(0x4000));
    say(cudaGetDeviceFlags(&flags), flags);
    say(cudaGetDeviceFlags(nullptr));
    say(cudaSetValidDevices(nullptr, 1));
    say(cudaInitDevice(99, 0, 0));
}

CASE(device_cases, names) {
    printf(" %s", cudaGetErrorName((cudaError_t)12345));
    printf(" %s", cudaGetErrorString((cudaError_t)12345));
    printf(" %s", cudaGetErrorString(cudaErrorInvalidConfiguration));
}
