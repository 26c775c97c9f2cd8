// What the driver's functions for virtual memory answer, and what kernels and copies that use the
// memory get: an H200's answers are kept (docs/validation.md).
// check: bad-free out-of-bounds
#include "../check.h"

#include <cuda.h>
#include <dlfcn.h>

#define FUNCTIONS(X)                                                                               \
    X(cuMemGetAllocationGranularity)                                                               \
    X(cuMemAddressReserve)                                                                         \
    X(cuMemAddressFree)                                                                            \
    X(cuMemCreate)                                                                                 \
    X(cuMemRelease)                                                                                \
    X(cuMemMap)                                                                                    \
    X(cuMemUnmap)                                                                                  \
    X(cuMemSetAccess)                                                                              \
    X(cuMemGetAccess)                                                                              \
    X(cuMemGetAllocationPropertiesFromHandle)                                                      \
    X(cuMemRetainAllocationHandle)

#define DECLARE(name) static decltype(&name) f_##name;
FUNCTIONS(DECLARE)
static decltype(&cuMemGetAddressRange) f_cuMemGetAddressRange;

// The call as it is in the source, with its result's number.
#define D(function, ...) printf(#function #__VA_ARGS__ ": %d\n", (int)f_##function __VA_ARGS__)

#define MB (1ull << 20)
static CUmemAllocationProp prop;
static CUmemAccessDesc rw;
static CUdeviceptr base, other;
static CUmemGenericAllocationHandle h, h2, h3;
static int values[1 << 20];

__global__ void put(int *p, int v) { *p = v; }
__global__ void get(int *p, int *q) { *q = *p; }
__global__ void fill(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}

static void use(const char *what, CUdeviceptr p) {
    put<<<1, 1>>>((int *)p, 7);
    printf("%s: put %s", what, cudaGetErrorName(cudaDeviceSynchronize()));
    int v = -1;
    cudaError_t error = cudaMemcpy(&v, (void *)p, 4, cudaMemcpyDeviceToHost);
    printf(" copy %s %d\n", cudaGetErrorName(error), v);
}

SECTION(granularity) {
    size_t g = 5;
    D(cuMemGetAllocationGranularity, (&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    SHOW(" %zu", g);
    D(cuMemGetAllocationGranularity, (&g, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    SHOW(" %zu", g);
    D(cuMemGetAllocationGranularity, (nullptr, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    D(cuMemGetAllocationGranularity, (&g, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    D(cuMemGetAllocationGranularity, (&g, &prop, (CUmemAllocationGranularity_flags)7));
    prop.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    D(cuMemGetAllocationGranularity, (&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
}

SECTION(reserve) {
    CUdeviceptr a = 1, b = 1;
    size_t bytes;
    int *d;
    D(cuMemAddressReserve, (&a, 2 * MB, 0, 0, 0));
    SHOW(" aligned %d", a % (2 * MB) == 0);
    D(cuMemAddressReserve, (nullptr, 2 * MB, 0, 0, 0));
    D(cuMemAddressReserve, (&b, 0, 0, 0, 0));
    D(cuMemAddressReserve, (&b, 1 * MB, 0, 0, 0));
    D(cuMemAddressReserve, (&b, 3 * MB, 0, 0, 0));
    D(cuMemAddressReserve, (&b, 2 * MB, 3, 0, 0));
    D(cuMemAddressReserve, (&b, 2 * MB, 4096, 0, 0));
    SHOW(" %d", b % (2 * MB) == 0);
    D(cuMemAddressReserve, (&b, 2 * MB, 64 * MB, 0, 0));
    SHOW(" aligned %d", b % (64 * MB) == 0);
    D(cuMemAddressReserve, (&b, 2 * MB, 0, 0, 1));
    D(cuMemAddressReserve, (&b, 2 * MB, 0, a, 0));
    SHOW(" elsewhere %d", b != a);
    D(cuMemAddressReserve, (&other, 2 * MB, 0, 4097, 0));
    D(cuMemAddressReserve, (&other, 1ull << 50, 0, 0, 0));
    D(cuMemAddressFree, (0, 2 * MB));
    D(cuMemAddressFree, (a, MB));
    D(cuMemAddressFree, (a, 4 * MB));
    D(cuMemAddressFree, (a + MB, MB));
    D(cuMemAddressFree, (a, 0));
    D(cuMemAddressFree, (a, 2 * MB));
    D(cuMemAddressFree, (a, 2 * MB));
    SAY(cudaFree((void *)b));
    SAY(cudaMalloc(&d, 2 * MB));
    D(cuMemAddressFree, ((CUdeviceptr)d, 2 * MB));
    cudaPointerAttributes at;
    SAY(cudaPointerGetAttributes(&at, (void *)b));
    SHOW(" type %d device %d", at.type, at.device);
    D(cuMemGetAddressRange, (&a, &bytes, b));
    SAY(cudaFree(d));
}

SECTION(create) {
    CUmemAllocationProp q = prop;
    size_t before, after, total;
    cudaMemGetInfo(&before, &total);
    D(cuMemCreate, (&h, 2 * MB, &q, 0));
    cudaMemGetInfo(&after, &total);
    SHOW(" took %zu", before - after);
    D(cuMemCreate, (&h2, 8 * MB, &q, 0));
    cudaMemGetInfo(&after, &total);
    SHOW(" took %zu", before - after);
    D(cuMemCreate, (nullptr, 2 * MB, &q, 0));
    D(cuMemCreate, (&h3, 0, &q, 0));
    D(cuMemCreate, (&h3, MB, &q, 0));
    D(cuMemCreate, (&h3, 3 * MB, &q, 0));
    D(cuMemCreate, (&h3, 2 * MB, nullptr, 0));
    D(cuMemCreate, (&h3, 2 * MB, &q, 1));
    D(cuMemCreate, (&h3, 1ull << 42, &q, 0));
    q.location.id = 9;
    D(cuMemCreate, (&h3, 2 * MB, &q, 0));
    q = prop;
    q.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    D(cuMemCreate, (&h3, 2 * MB, &q, 0));
    q = prop;
    q.location.type = CU_MEM_LOCATION_TYPE_INVALID;
    D(cuMemCreate, (&h3, 2 * MB, &q, 0));
    memset(&q, 0xff, sizeof q);
    D(cuMemGetAllocationPropertiesFromHandle, (&q, h));
    SHOW(" %d %d %d %d", q.type, q.requestedHandleTypes, q.location.type, q.location.id);
    D(cuMemGetAllocationPropertiesFromHandle, (nullptr, h));
    D(cuMemGetAllocationPropertiesFromHandle, (&q, 0));
    D(cuMemRelease, (h));
    D(cuMemRelease, (h2));
    cudaMemGetInfo(&after, &total);
    SHOW(" took %zu", before - after);
    D(cuMemRelease, (0));
    D(cuMemRelease, (h));
}

SECTION(map) {
    int *d;
    D(cuMemAddressReserve, (&base, 8 * MB, 0, 0, 0));
    D(cuMemCreate, (&h, 2 * MB, &prop, 0));
    D(cuMemCreate, (&h2, 4 * MB, &prop, 0));
    D(cuMemMap, (base, 2 * MB, 0, h, 1));
    D(cuMemMap, (base, 0, 0, h, 0));
    D(cuMemMap, (base, MB, 0, h, 0));
    D(cuMemMap, (base + MB, 2 * MB, 0, h, 0));
    D(cuMemMap, (base, 4 * MB, 0, h, 0));
    D(cuMemMap, (base, 2 * MB, 2 * MB, h, 0));
    D(cuMemMap, (base, 2 * MB, 2 * MB, h2, 0));
    D(cuMemMap, (base, 2 * MB, 0, h2, 0));
    D(cuMemMap, (base + 8 * MB, 2 * MB, 0, h, 0));
    D(cuMemMap, (base, 2 * MB, 0, 0, 0));
    D(cuMemMap, (0, 2 * MB, 0, h, 0));
    SAY(cudaMalloc(&d, 4 * MB));
    D(cuMemMap, ((CUdeviceptr)d, 2 * MB, 0, h, 0));
    D(cuMemMap, (base, 2 * MB, 0, h, 0));
    D(cuMemMap, (base, 2 * MB, 0, h, 0));
    D(cuMemMap, (base + 2 * MB, 4 * MB, 0, h2, 0));
    D(cuMemAddressFree, (base, 8 * MB));
    D(cuMemUnmap, (base, MB));
    D(cuMemUnmap, (base, 4 * MB));
    D(cuMemUnmap, (base + MB, MB));
    D(cuMemUnmap, (base + 4 * MB, 2 * MB));
    D(cuMemUnmap, (base + 2 * MB, 2 * MB));
    D(cuMemUnmap, (0, 2 * MB));
    D(cuMemUnmap, (base, 0));
    D(cuMemUnmap, ((CUdeviceptr)d, 2 * MB));
    D(cuMemUnmap, (base, 2 * MB));
    D(cuMemUnmap, (base, 2 * MB));
    D(cuMemUnmap, (base + 4 * MB, 4 * MB));
    D(cuMemAddressFree, (base, 8 * MB));
    SAY(cudaFree(d));
}

SECTION(access) {
    unsigned long long fl = 9;
    CUmemLocation loc = rw.location;
    CUmemAccessDesc a = rw;
    CUmemGenericAllocationHandle k = 0;
    int *d;
    size_t sz;
    cudaMalloc(&d, 4);
    D(cuMemAddressReserve, (&base, 8 * MB, 0, 0, 0));
    D(cuMemCreate, (&h, 2 * MB, &prop, 0));
    D(cuMemCreate, (&h2, 4 * MB, &prop, 0));
    D(cuMemMap, (base, 2 * MB, 0, h, 0));
    D(cuMemMap, (base + 2 * MB, 4 * MB, 0, h2, 0));
    D(cuMemGetAccess, (&fl, &loc, base));
    SHOW(" %llu", fl);
    D(cuMemGetAccess, (nullptr, &loc, base));
    D(cuMemGetAccess, (&fl, nullptr, base));
    loc.id = 9;
    D(cuMemGetAccess, (&fl, &loc, base));
    loc.id = 0;
    loc.type = CU_MEM_LOCATION_TYPE_HOST;
    D(cuMemGetAccess, (&fl, &loc, base));
    D(cuMemSetAccess, (base, 2 * MB, nullptr, 1));
    D(cuMemSetAccess, (base, 2 * MB, &a, 0));
    D(cuMemSetAccess, (base, 0, &a, 1));
    D(cuMemSetAccess, (base, MB, &a, 1));
    D(cuMemSetAccess, (base + MB, MB, &a, 1));
    D(cuMemSetAccess, (base, 4 * MB, &a, 1));
    D(cuMemSetAccess, (base + 2 * MB, 2 * MB, &a, 1));
    D(cuMemSetAccess, (base + 4 * MB, 2 * MB, &a, 1));
    D(cuMemSetAccess, (0, 2 * MB, &a, 1));
    a.location.id = 9;
    D(cuMemSetAccess, (base, 2 * MB, &a, 1));
    a = rw;
    a.flags = (CUmemAccess_flags)2;
    D(cuMemSetAccess, (base, 2 * MB, &a, 1));
    a = rw;
    a.location.type = CU_MEM_LOCATION_TYPE_HOST;
    D(cuMemSetAccess, (base, 2 * MB, &a, 1));
    a = rw;
    a.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    D(cuMemSetAccess, (base, 2 * MB, &a, 1));
    D(cuMemGetAccess, (&fl, &rw.location, base));
    SHOW(" %llu", fl);
    D(cuMemSetAccess, (base, 2 * MB, &rw, 1));
    D(cuMemGetAccess, (&fl, &rw.location, base));
    SHOW(" %llu", fl);
    D(cuMemGetAccess, (&fl, &rw.location, base + 100));
    D(cuMemGetAccess, (&fl, &rw.location, base + 4 * MB));
    SHOW(" %llu", fl);
    a.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    D(cuMemSetAccess, (base, 2 * MB, &a, 1));
    D(cuMemGetAccess, (&fl, &rw.location, base));
    SHOW(" %llu", fl);
    D(cuMemSetAccess, (base, 2 * MB, &rw, 1));
    D(cuMemRetainAllocationHandle, (&k, (void *)base));
    SHOW(" same %d", k == h);
    D(cuMemRetainAllocationHandle, (&k, (void *)(base + 100)));
    SHOW(" same %d", k == h);
    D(cuMemRetainAllocationHandle, (&k, (void *)(base + 2 * MB)));
    D(cuMemRetainAllocationHandle, (nullptr, (void *)base));
    D(cuMemRetainAllocationHandle, (&k, d));
    D(cuMemRetainAllocationHandle, (&k, nullptr));
    D(cuMemGetAddressRange, (&other, &sz, base + 100));
    SHOW(" %d %zu", other == base, sz);
    cudaPointerAttributes at;
    SAY(cudaPointerGetAttributes(&at, (void *)(base + 100)));
    SHOW(" %d %d %d", at.type, at.device, at.devicePointer == (void *)(base + 100));
    SAY(cudaPointerGetAttributes(&at, (void *)(base + 2 * MB)));
    SHOW(" %d %d", at.type, at.device);
    SAY(cudaFree((void *)base));
    D(cuMemUnmap, (base, 2 * MB));
    D(cuMemUnmap, (base + 2 * MB, 4 * MB));
    D(cuMemAddressFree, (base, 8 * MB));
    D(cuMemRelease, (h));
    D(cuMemRelease, (h));
    D(cuMemRelease, (h));
    SAY(cudaFree(d));
}

static void setup() {
    D(cuMemAddressReserve, (&base, 16 * MB, 0, 0, 0));
    D(cuMemCreate, (&h, 2 * MB, &prop, 0));
    D(cuMemCreate, (&h2, 2 * MB, &prop, 0));
    D(cuMemMap, (base, 2 * MB, 0, h, 0));
    D(cuMemMap, (base + 2 * MB, 2 * MB, 0, h2, 0));
    D(cuMemSetAccess, (base, 4 * MB, &rw, 1));
}

SECTION(across) {
    int *a = values, bad = 0, *d;
    setup();
    fill<<<4096, 256>>>((int *)base, 1 << 20);
    SAY(cudaDeviceSynchronize());
    SAY(cudaMemcpy(a, (void *)base, 4 * MB, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1 << 20; i++) bad += a[i] != i;
    SHOW(" bad %d", bad);
    SAY(cudaMemset((void *)(base + MB), 1, 2 * MB));
    SAY(cudaMemcpy(a, (void *)(base + 2 * MB - 8), 16, cudaMemcpyDeviceToHost));
    SHOW(" %d %d", a[0], a[3]);
    SAY(cudaMemcpy((void *)(base + MB), (void *)base, 3 * MB - 5, cudaMemcpyDeviceToDevice));
    SAY(cudaMalloc(&d, 4 * MB));
    SAY(cudaMemcpy(d, (void *)base, 4 * MB, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpyAsync(a, (void *)base, 4 * MB, cudaMemcpyDefault, 0));
    SAY(cudaDeviceSynchronize());
    SAY(cudaMemcpy(a, (void *)(base + 2 * MB), 2 * MB + 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemset((void *)(base + 2 * MB), 0, 2 * MB + 4));
    SAY(cudaMemcpy(a, (void *)(base + 8 * MB), 4, cudaMemcpyDeviceToHost));
    D(cuMemCreate, (&h3, 2 * MB, &prop, 0));
    D(cuMemMap, (base + 4 * MB, 2 * MB, 0, h3, 0));
    SAY(cudaMemcpy(a, (void *)(base + 4 * MB), 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemset((void *)(base + 4 * MB), 0, 4));
    SAY(cudaDeviceSynchronize());
    SAY(cudaFree(d));
}

SECTION(keeps) {
    CUdeviceptr n;
    int v[2];
    setup();
    put<<<1, 1>>>((int *)base, 11);
    put<<<1, 1>>>((int *)(base + 2 * MB), 22);
    SAY(cudaDeviceSynchronize());
    D(cuMemUnmap, (base, 4 * MB));
    D(cuMemAddressReserve, (&n, 32 * MB, 0, 0, 0));
    D(cuMemMap, (n + 2 * MB, 2 * MB, 0, h, 0));
    D(cuMemMap, (n, 2 * MB, 0, h2, 0));
    D(cuMemSetAccess, (n, 4 * MB, &rw, 1));
    SAY(cudaMemcpy(v, (void *)n, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy(v + 1, (void *)(n + 2 * MB), 4, cudaMemcpyDeviceToHost));
    SHOW(" %d %d", v[0], v[1]);
    D(cuMemRelease, (h));
    D(cuMemRelease, (h2));
    use("released, still mapped", n);
}

SECTION(twice) {
    int v = 0;
    D(cuMemAddressReserve, (&base, 16 * MB, 0, 0, 0));
    D(cuMemCreate, (&h, 2 * MB, &prop, 0));
    D(cuMemMap, (base, 2 * MB, 0, h, 0));
    D(cuMemMap, (base + 2 * MB, 2 * MB, 0, h, 0));
    D(cuMemSetAccess, (base, 4 * MB, &rw, 1));
    put<<<1, 1>>>((int *)base + 5, 33);
    SAY(cudaDeviceSynchronize());
    SAY(cudaMemcpy(&v, (int *)(base + 2 * MB) + 5, 4, cudaMemcpyDeviceToHost));
    SHOW(" %d", v);
}

SECTION(reserved) {
    setup();
    use("mapped", base);
    use("reserved", base + 4 * MB);
}

SECTION(unmapped) {
    setup();
    use("mapped", base);
    D(cuMemUnmap, (base, 2 * MB));
    use("after unmap", base);
}

SECTION(no_access) {
    setup();
    D(cuMemCreate, (&h3, 2 * MB, &prop, 0));
    D(cuMemMap, (base + 4 * MB, 2 * MB, 0, h3, 0));
    use("no access", base + 4 * MB);
}

SECTION(access_taken) {
    CUmemAccessDesc a = rw;
    setup();
    a.flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    D(cuMemSetAccess, (base, 2 * MB, &a, 1));
    use("none", base);
}

SECTION(read_only) {
    CUmemAccessDesc a = rw;
    int *d;
    setup();
    a.flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    D(cuMemSetAccess, (base, 2 * MB, &a, 1));
    cudaMalloc(&d, 4);
    put<<<1, 1>>>((int *)(base + 2 * MB), 5);
    get<<<1, 1>>>((int *)(base + 2 * MB), d);
    get<<<1, 1>>>((int *)base, d);
    SAY(cudaDeviceSynchronize());
    use("read only", base);
}

SECTION(freed) {
    setup();
    D(cuMemUnmap, (base, 4 * MB));
    D(cuMemAddressFree, (base, 16 * MB));
    use("freed", base);
}

int main(int argc, char **argv) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) return 1;
#define FIND(name) f_##name = (decltype(&name))dlsym(driver, #name);
    FUNCTIONS(FIND)
    f_cuMemGetAddressRange =
        (decltype(&cuMemGetAddressRange))dlsym(driver, "cuMemGetAddressRange_v2");
    cudaFree(nullptr);
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    rw.location = prop.location;
    rw.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return transcript_run(argc, argv);
}
