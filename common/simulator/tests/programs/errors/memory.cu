// Allocation and release: device, page-locked, registered, managed, pools; questions about
// pointers.
#include "catalogue.h"

#include <cstdlib>
#include <cstring>

case_list memory_cases;

static char host_bytes[8192];

CASE(memory_cases, malloc) {
    void *pointer = host_bytes;
    say(cudaMalloc((void **)nullptr, 4));
    say(cudaMalloc(&pointer, 0));
    say(pointer ? "pointer" : "null");
    say(cudaMalloc(&pointer, (size_t)1 << 46));
    say(cudaPeekAtLastError());
    say(cudaGetLastError());
    say(cudaGetLastError());
    say(cudaMalloc(&pointer, SIZE_MAX));
}

CASE(memory_cases, free) {
    char *memory = device_bytes(4096);
    say(cudaFree(nullptr));
    say(cudaFree(host_bytes));
    say(cudaFree(memory + 256));
    say(cudaFree(memory));
    say(cudaFree(memory));
    say(cudaFree((void *)1));
}

CASE(memory_cases, free_of_other_kinds) {
    void *pinned, *managed;
    char *memory = device_bytes(64);
    say(cudaMallocHost(&pinned, 64));
    say(cudaMallocManaged(&managed, 64));
    say(cudaFree(pinned));
    say(cudaFreeHost(memory));
    say(cudaFreeHost(managed));
    say(cudaFreeHost(host_bytes));
    say(cudaFreeHost(nullptr));
    say(cudaFreeHost((char *)pinned + 8));
    say(cudaFreeHost(pinned));
    say(cudaFreeHost(pinned));
    say(cudaFree(managed));
    say(cudaFree(memory));
}

CASE(memory_cases, pitched) {
    void *memory = nullptr;
    size_t pitch = 0;
    say(cudaMallocPitch(&memory, &pitch, 100, 0));
    say(memory ? "pointer" : "null");
    say(cudaMallocPitch(&memory, &pitch, 0, 100));
    say(memory ? "pointer" : "null");
    say(cudaMallocPitch((void **)nullptr, &pitch, 4, 4));
    say(cudaMallocPitch(&memory, (size_t *)nullptr, 4, 4));
    say(cudaMallocPitch(&memory, &pitch, (size_t)1 << 44, 4));
    say(cudaMallocPitch(&memory, &pitch, 1000, 3), pitch);
    cudaPitchedPtr box;
    say(cudaMalloc3D(&box, make_cudaExtent(100, 10, 10)));
    printf(" %zu %zu %zu", box.pitch, box.xsize, box.ysize);
    say(cudaMalloc3D(nullptr, make_cudaExtent(1, 1, 1)));
    say(cudaMalloc3D(&box, make_cudaExtent(100, 0, 10)));
}

CASE(memory_cases, host_alloc) {
    void *memory = nullptr;
    say(cudaHostAlloc((void **)nullptr, 64, 0));
    say(cudaHostAlloc(&memory, 64, 0x80));
    say(cudaHostAlloc(&memory, 0, 0));
    say(memory ? "pointer" : "null");
    say(cudaMallocHost(&memory, (size_t)1 << 46));
    say(cudaMallocHost((void **)nullptr, 64));
}

CASE(memory_cases, host_pointers) {
    void *pinned, *device = nullptr;
    unsigned flags = 0;
    say(cudaHostAlloc(&pinned, 64, cudaHostAllocPortable | cudaHostAllocMapped));
    say(cudaHostGetFlags(&flags, pinned), flags);
    say(cudaHostGetFlags(&flags, host_bytes));
    say(cudaHostGetFlags(nullptr, pinned));
    say(cudaHostGetDevicePointer(&device, pinned, 0));
    say(device == pinned ? "same" : "other");
    say(cudaHostGetDevicePointer(&device, (char *)pinned + 5, 0));
    say(cudaHostGetDevicePointer(&device, pinned, 1));
    say(cudaHostGetDevicePointer(&device, host_bytes, 0));
    say(cudaHostGetDevicePointer((void **)nullptr, pinned, 0));
    say(cudaFreeHost(pinned));
    say(cudaMallocHost(&pinned, 64));
    say(cudaHostGetFlags(&flags, pinned), flags);
    say(cudaFreeHost(pinned));
}

CASE(memory_cases, register) {
    char *memory = (char *)aligned_alloc(4096, 16384);
    void *device = nullptr;
    say(cudaHostRegister(nullptr, 64, 0));
    say(cudaHostRegister(memory, 0, 0));
    say(cudaHostRegister(memory, 64, 0x4000));
    say(cudaHostRegister(memory, 4096, 0));
    say(cudaHostRegister(memory, 4096, 0));
    say(cudaHostRegister(memory + 8192, 4096, cudaHostRegisterMapped));
    say(cudaHostGetDevicePointer(&device, memory, 0));
    say(cudaHostUnregister(memory + 4));
    say(cudaHostUnregister(memory));
    say(cudaHostUnregister(memory));
    say(cudaHostUnregister(nullptr));
    say(cudaHostUnregister(memory + 8192));
    say(cudaHostUnregister(device_bytes(64)));
    free(memory);
}

#if CUDART_VERSION >= 13000
static cudaMemLocation at_device(int id) {
    cudaMemLocation where;
    memset(&where, 0, sizeof where);
    where.type = cudaMemLocationTypeDevice;
    where.id = id;
    return where;
}
#else
static int at_device(int id) { return id; }
#endif

CASE(memory_cases, managed) {
    void *managed = nullptr;
    char *memory = device_bytes(4096);
    say(cudaMallocManaged(&managed, 0));
    say(cudaMallocManaged((void **)nullptr, 64));
    say(cudaMallocManaged(&managed, 64, 0x10));
    say(cudaMallocManaged(&managed, (size_t)1 << 60));
    say(cudaMallocManaged(&managed, 4096));
    say(cudaMemPrefetchAsync(managed, 4096, at_device(0), 0));
    say(cudaMemPrefetchAsync(managed, 4096, at_device(77), 0));
    say(cudaMemPrefetchAsync(managed, 0, at_device(0), 0));
    say(cudaMemPrefetchAsync(managed, (size_t)1 << 30, at_device(0), 0));
    say(cudaMemPrefetchAsync(memory, 4096, at_device(0), 0));
    say(cudaMemPrefetchAsync(host_bytes, 4096, at_device(0), 0));
    say(cudaMemAdvise(managed, 4096, cudaMemAdviseSetReadMostly, at_device(0)));
    say(cudaMemAdvise(memory, 4096, cudaMemAdviseSetReadMostly, at_device(0)));
    say(cudaMemAdvise(managed, 4096, (cudaMemoryAdvise)99, at_device(0)));
    say(cudaMemAdvise(managed, 4096, cudaMemAdviseSetPreferredLocation, at_device(9)));
    say(cudaFree(managed));
    say(cudaFree(memory));
}

CASE(memory_cases, managed_attributes) {
    int *managed, value = 55;
    say(cudaMallocManaged(&managed, 8192));
    say(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 8192), value);
    say(cudaMemAdvise(managed, 8192, cudaMemAdviseSetReadMostly, at_device(0)));
    say(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 8192), value);
    say(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, managed, 8192),
        value);
    say(cudaMemAdvise(managed, 8192, cudaMemAdviseSetPreferredLocation, at_device(0)));
    say(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, managed, 8192),
        value);
    say(cudaMemPrefetchAsync(managed, 8192, at_device(0), 0));
    say(cudaDeviceSynchronize());
    say(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, managed,
                                 8192),
        value);
    say(cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, managed, 8192));
    say(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)77, managed, 8192));
    say(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, device_bytes(64), 64));
    say(cudaFree(managed));
}

static void say_kind(const void *pointer) {
    cudaPointerAttributes about;
    memset(&about, 0x5A, sizeof about);
    say(cudaPointerGetAttributes(&about, pointer));
    printf(" %d/%d%s%s", (int)about.type, about.device, about.devicePointer ? "/d" : "",
           about.hostPointer ? "/h" : "");
}

CASE(memory_cases, pointer_attributes) {
    void *pinned, *managed;
    char *memory = device_bytes(64);
    say(cudaMallocHost(&pinned, 64));
    say(cudaMallocManaged(&managed, 64));
    say_kind(memory);
    say_kind(memory + 10);
    say_kind(pinned);
    say_kind(managed);
    say_kind(host_bytes);
    say_kind(nullptr);
    say(cudaPointerGetAttributes(nullptr, memory));
    say(cudaFree(memory));
    say(cudaFree(managed));
    say(cudaFreeHost(pinned));
}

CASE(memory_cases, memory_info) {
    size_t free_bytes = 0, total = 0;
    say(cudaMemGetInfo(&free_bytes, &total));
    say(free_bytes > 0 && free_bytes <= total ? "plausible" : "odd");
    say(cudaMemGetInfo(nullptr, &total));
    say(cudaMemGetInfo(&free_bytes, nullptr));
}

CASE(memory_cases, pool) {
    char *memory = nullptr, *plain = device_bytes(64);
    cudaMemPool_t pool = nullptr;
    say(cudaMallocAsync((void **)nullptr, 64, 0));
    say(cudaMallocAsync((void **)&memory, 0, 0));
    say(memory ? "pointer" : "null");
    say(cudaMallocAsync((void **)&memory, (size_t)1 << 46, 0));
    say(cudaMallocAsync((void **)&memory, 64, 0));
    say(cudaFreeAsync(memory, 0));
    say(cudaFreeAsync(nullptr, 0));
    say(cudaFreeAsync(host_bytes, 0));
    say(cudaFreeAsync(plain, 0));
    say(cudaMallocAsync((void **)&memory, 64, 0));
    say(cudaStreamSynchronize(0));
    say(cudaFree(memory));
    say(cudaDeviceGetDefaultMemPool(&pool, 0));
    say(cudaDeviceGetDefaultMemPool(&pool, 9));
    say(cudaDeviceGetDefaultMemPool(nullptr, 0));
    say(cudaMemPoolDestroy(pool));
    unsigned long long value = 0;
    say(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
    printf(" %llu", value);
    say(cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)77, &value));
    value = 5;
    say(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
    say(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
    say(cudaMemPoolTrimTo(pool, 0));
}

CASE(memory_cases, pool_properties) {
    cudaMemPool_t pool = nullptr;
    cudaMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    say(cudaMemPoolCreate(&pool, &properties));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 50;
    say(cudaMemPoolCreate(&pool, &properties));
    properties.location.id = 0;
    say(cudaMemPoolCreate(nullptr, &properties));
    say(cudaMemPoolCreate(&pool, &properties));
    say(cudaMemPoolDestroy(pool));
}
