// What the runtime answers to its less common calls, right ones and mistakes: batches of copies,
// peers, entry points of the driver, logs, libraries, pools, registration, stack and heap of
// kernels, fork. An H100's answers are kept (docs/validation.md).
// since: 13.0
// test: none
// check: stopped
#include "../check.h"

#include <cstdint>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

__global__ void add_one(int *place) { atomicAdd(place, 1); }

// 256 bytes and more a call, which the compiler cannot turn into a loop.
__device__ __noinline__ int descend(int depth, int seed) {
    volatile int frame[64];
    for (int i = 0; i < 64; i++) frame[i] = seed + i;
    if (depth == 0) return frame[seed & 63];
    return descend(depth - 1, frame[7] + 1) + frame[depth & 63];
}

__global__ void recurse(int depth, int *out) { *out = descend(depth, depth); }

__global__ void exhaust(size_t bytes, int *count, int *again) {
    void *first = malloc(bytes), *last = first;
    int given = 0;
    for (void *next = first; next; given++) {
        *(void **)next = last;
        last = next;
        next = malloc(bytes);
    }
    *count = given;
    free(first);
    *again = malloc(bytes) != nullptr;
}

static const char ptx[] = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .global .attribute(.managed) .align 4 .u32 shared_counter = 9;
.visible .entry first(.param .u64 p) { ret; }
.visible .entry second() { ret; }
.func (.param .b32 r) helper() { st.param.b32 [r], 3; ret; }
)";

SECTION(batch_copies) {
    char host[4][16] = {"zero", "one", "two", "three"}, back[4][16] = {};
    char *device;
    SAY(cudaMalloc(&device, 64));
    cudaStream_t stream;
    SAY(cudaStreamCreate(&stream));
    void *to[4], *from[4];
    size_t sizes[4] = {16, 16, 16, 16}, first[1] = {0}, wrong_first[1] = {1};
    for (int i = 0; i < 4; i++) to[i] = device + 16 * i, from[i] = host[i];
    cudaMemcpyAttributes how = {};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    void *out[4];
    for (int i = 0; i < 4; i++) out[i] = back[3 - i];
    SAY(cudaMemcpyBatchAsync(out, to, sizes, 4, &how, first, 1, stream));
    SAY(cudaStreamSynchronize(stream));
    SHOW("%s %s %s %s", back[0], back[1], back[2], back[3]);
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, nullptr));
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 0, &how, first, 1, stream));
    SAY(cudaMemcpyBatchAsync(nullptr, from, sizes, 4, &how, first, 1, stream));
    SAY(cudaMemcpyBatchAsync(to, from, nullptr, 4, &how, first, 1, stream));
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, nullptr, first, 1, stream));
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, wrong_first, 1, stream));
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 0, stream));
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 1, &how, first, 2, stream));
    how.srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    how.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    how.srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    how.flags = cudaMemcpyFlagPreferOverlapWithCompute;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    how.flags = 8;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    how.flags = 0;
    sizes[2] = 0;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    sizes[2] = 64;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    sizes[2] = 16;
    to[1] = nullptr;
    SAY(cudaMemcpyBatchAsync(to, from, sizes, 4, &how, first, 1, stream));
    cudaMemcpy3DBatchOp op = {};
    op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
    op.src.op.ptr.ptr = host[1];
    op.dst.op.ptr.ptr = device;
    op.extent = make_cudaExtent(8, 2, 1);
    op.src.op.ptr.rowLength = op.dst.op.ptr.rowLength = 16;
    op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    SAY(cudaMemcpy3DBatchAsync(1, &op, 0, stream));
    SAY(cudaMemcpy(back, device, 64, cudaMemcpyDeviceToHost));
    SHOW("%s %s %s", back[0], back[1], back[2]);
    SAY(cudaMemcpy3DBatchAsync(1, nullptr, 0, stream));
    SAY(cudaMemcpy3DBatchAsync(1, &op, 1, stream));
    SAY(cudaStreamDestroy(stream));
    SAY(cudaFree(device));
}

SECTION(peers) {
    int yes = 7;
    SAY(cudaDeviceCanAccessPeer(&yes, 0, 0));
    SHOW("%d", yes);
    SAY(cudaDeviceCanAccessPeer(&yes, 0, 99));
    SAY(cudaDeviceEnablePeerAccess(0, 0));
    SAY(cudaDeviceDisablePeerAccess(0));
    SAY(cudaDeviceGetP2PAttribute(&yes, cudaDevP2PAttrAccessSupported, 0, 0));
    SAY(cudaDeviceGetP2PAttribute(&yes, cudaDevP2PAttrAccessSupported, 0, 99));
    char *a, *b, back[64] = {};
    SAY(cudaMalloc(&a, 64));
    SAY(cudaMalloc(&b, 64));
    SAY(cudaMemset(a, 'a', 64));
    SAY(cudaMemset(b, 'b', 64));
    SAY(cudaMemcpyPeer(b, 0, a, 0, 3));
    SAY(cudaMemcpyPeer(b, 0, a, 99, 3));
    cudaMemcpy3DPeerParms p = {};
    p.srcPtr = make_cudaPitchedPtr(a, 16, 16, 4);
    p.dstPtr = make_cudaPitchedPtr(b, 16, 16, 4);
    p.dstPos = make_cudaPos(4, 1, 0);
    p.extent = make_cudaExtent(5, 2, 1);
    SAY(cudaMemcpy3DPeer(&p));
    SAY(cudaMemcpy3DPeerAsync(&p, nullptr));
    p.srcDevice = 99;
    SAY(cudaMemcpy3DPeer(&p));
    SAY(cudaMemcpy3DPeer(nullptr));
    SAY(cudaMemcpy(back, b, 64, cudaMemcpyDeviceToHost));
    SHOW("%.64s", back);
    SAY(cudaFree(a));
    SAY(cudaFree(b));
}

SECTION(entry_points) {
    static const char *const names[] = {"cuInit",         "cuDriverGetVersion", "cuMemAlloc",
                                        "cuLaunchKernel", "cuModuleLoadData",   "cuNoSuchThing"};
    for (const char *name : names) {
        void *function = (void *)1;
        cudaDriverEntryPointQueryResult result = (cudaDriverEntryPointQueryResult)9;
        cudaError_t error =
            cudaGetDriverEntryPointByVersion(name, &function, 13000, cudaEnableDefault, &result);
        printf("%s: %s, result %d, pointer %s\n", name, cudaGetErrorName(error), (int)result,
               function == (void *)1 ? "kept"
               : function            ? "given"
                                     : "null");
    }
}

static void on_log(void *, cudaLogLevel, char *, size_t) {}

SECTION(logs) {
    cudaLogsCallbackHandle handle = nullptr;
    cudaLogIterator at = 0;
    char text[256] = "unchanged";
    size_t bytes = sizeof text;
    SAY(cudaLogsRegisterCallback(on_log, nullptr, &handle));
    SAY(cudaLogsCurrent(&at, 0));
    SAY(cudaLogsCurrent(nullptr, 0));
    SAY(cudaLogsDumpToMemory(nullptr, text, &bytes, 0));
    bytes = sizeof text;
    SAY(cudaLogsDumpToMemory(&at, text, &bytes, 0));
    SAY(cudaLogsDumpToMemory(&at, nullptr, &bytes, 0));
    SAY(cudaLogsDumpToFile(nullptr, "/dev/null", 0));
    SAY(cudaLogsDumpToFile(nullptr, "/no/such/folder/file", 0));
    SAY(cudaLogsUnregisterCallback(handle));
    SAY(cudaLogsUnregisterCallback(nullptr));
}

SECTION(libraries) {
    cudaLibrary_t library;
    cudaKernel_t kernels[4] = {}, kernel;
    unsigned count = 9;
    void *place = nullptr;
    size_t bytes = 0;
    SAY(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    SAY(cudaLibraryGetKernelCount(&count, library));
    SHOW("%u kernels", count);
    SAY(cudaLibraryGetKernelCount(nullptr, library));
    SAY(cudaLibraryEnumerateKernels(kernels, 4, library));
    SHOW("%d%d%d%d", kernels[0] != nullptr, kernels[1] != nullptr, kernels[2] != nullptr,
         kernels[3] != nullptr);
    SAY(cudaLibraryEnumerateKernels(kernels, 1, library));
    SAY(cudaLibraryEnumerateKernels(nullptr, 1, library));
    SAY(cudaLibraryEnumerateKernels(kernels, 0, library));
    SAY(cudaLibraryGetKernel(&kernel, library, "second"));
    SAY(cudaLibraryGetKernel(&kernel, library, "third"));
    SAY(cudaLibraryGetGlobal(&place, &bytes, library, "counter"));
    SHOW("%zu bytes", bytes);
    int value = 0;
    SAY(cudaMemcpy(&value, place, sizeof value, cudaMemcpyDeviceToHost));
    SHOW("%d", value);
    SAY(cudaLibraryGetManaged(&place, &bytes, library, "shared_counter"));
    SHOW("%zu bytes, %d", bytes, *(int *)place);
    SAY(cudaLibraryGetManaged(&place, &bytes, library, "counter"));
    SAY(cudaLibraryGetManaged(&place, &bytes, library, "nothing"));
    SAY(cudaLibraryGetUnifiedFunction(&place, library, "helper"));
    SAY(cudaLibraryGetUnifiedFunction(&place, library, "nothing"));
    SAY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536,
                                        0));
    SAY(cudaKernelSetAttributeForDevice(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536,
                                        99));
    SAY(cudaLibraryUnload(library));
}

SECTION(pools) {
    cudaMemPool_t pool, same, host_pool, managed_pool;
    cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
    cudaMemLocation far = {cudaMemLocationTypeDevice, 99};
    void *a, *b;
    int reuse = -1;
    uint64_t threshold = 1, used = 0, reserved = 0;
    SAY(cudaDeviceGetDefaultMemPool(&pool, 0));
    SAY(cudaDeviceGetMemPool(&same, 0));
    SHOW("same: %d", pool == same);
    SAY(cudaMemGetDefaultMemPool(&same, &here, cudaMemAllocationTypePinned));
    SHOW("same: %d", pool == same);
    SAY(cudaMemGetDefaultMemPool(&host_pool, &host, cudaMemAllocationTypePinned));
    SAY(cudaMemGetDefaultMemPool(&managed_pool, &here, cudaMemAllocationTypeManaged));
    SAY(cudaMemGetDefaultMemPool(&same, &far, cudaMemAllocationTypePinned));
    SAY(cudaMemGetDefaultMemPool(nullptr, &here, cudaMemAllocationTypePinned));
    SAY(cudaMemGetDefaultMemPool(&same, nullptr, cudaMemAllocationTypePinned));
    SAY(cudaMemGetDefaultMemPool(&same, &here, cudaMemAllocationTypeInvalid));
    SAY(cudaMemGetMemPool(&same, &here, cudaMemAllocationTypePinned));
    SHOW("same: %d", pool == same);
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    SHOW("%llu", (unsigned long long)threshold);
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &reuse));
    SHOW("%d", reuse);
    SAY(cudaMemPoolDestroy(pool));
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = here;
    SAY(cudaMemPoolCreate(&same, &properties));
    SAY(cudaMemSetMemPool(&here, cudaMemAllocationTypePinned, same));
    SAY(cudaMallocAsync(&a, 1 << 20, 0));
    SAY(cudaMemPoolGetAttribute(same, cudaMemPoolAttrUsedMemCurrent, &used));
    SAY(cudaMemPoolGetAttribute(same, cudaMemPoolAttrReservedMemCurrent, &reserved));
    SHOW("used %llu, reserved at least: %d", (unsigned long long)used, reserved >= used);
    SAY(cudaFreeAsync(a, 0));
    SAY(cudaMallocFromPoolAsync(&b, 1 << 20, pool, 0));
    SAY(cudaFreeAsync(b, 0));
    SAY(cudaStreamSynchronize(0));
    SAY(cudaMemPoolTrimTo(same, 0));
    SAY(cudaMemPoolGetAttribute(same, cudaMemPoolAttrReservedMemCurrent, &reserved));
    SHOW("reserved %llu", (unsigned long long)reserved);
    SAY(cudaMemPoolDestroy(same));
    SAY(cudaDeviceGetMemPool(&same, 0));
    SHOW("default again: %d", pool == same);
    int descriptor = -1;
    SAY(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor,
                                           0));
    SAY(cudaFreeAsync(nullptr, 0));
    SAY(cudaMallocAsync(&a, 0, 0));
    SAY(cudaMallocAsync(&a, (size_t)1 << 50, 0));
}

// Whether a recursion of `depth` calls fits.
static void recurse_with(int depth) {
    int *out;
    size_t given = 0;
    SAY(cudaDeviceGetLimit(&given, cudaLimitStackSize));
    cudaMalloc(&out, sizeof *out);
    recurse<<<1, 32>>>(depth, out);
    cudaError_t launch = cudaGetLastError(), end = cudaDeviceSynchronize();
    SHOW("stack of %zu bytes, depth %d: %s, %s", given, depth, cudaGetErrorName(launch),
         cudaGetErrorName(end));
}

SECTION(stack) {
    recurse_with(1);
    recurse_with(60);
}

SECTION(heap) {
    int *counts, host[2] = {};
    size_t bytes = 0;
    SAY(cudaDeviceGetLimit(&bytes, cudaLimitMallocHeapSize));
    SHOW("%zu", bytes);
    SAY(cudaMalloc(&counts, sizeof host));
    exhaust<<<1, 1>>>(1 << 20, counts, counts + 1);
    SAY(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    SHOW("some fit: %d, all eight: %d, and again: %d", host[0] >= 4, host[0] > 8, host[1]);
    exhaust<<<1, 1>>>((size_t)1 << 40, counts, counts + 1);
    SAY(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
    SHOW("%d %d", host[0], host[1]);
    SAY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
    SAY(cudaFree(counts));
}

SECTION(after_fork) {
    int *device, answer = 41;
    SAY(cudaMalloc(&device, sizeof *device));
    SAY(cudaMemcpy(device, &answer, sizeof answer, cudaMemcpyHostToDevice));
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int count = -1, current = -1;
        void *more;
        SAY(cudaGetDeviceCount(&count));
        SAY(cudaGetDevice(&current));
        SAY(cudaSetDevice(0));
        SAY(cudaMalloc(&more, 64));
        SAY(cudaMemcpy(&answer, device, sizeof answer, cudaMemcpyDeviceToHost));
        add_one<<<1, 1>>>(device);
        SAY(cudaGetLastError());
        SAY(cudaDeviceSynchronize());
        SAY(cudaDeviceReset());
        SAY(cudaFree(device));
        SHOW("child ends, answer %d", answer);
        fflush(stdout);
        exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    SHOW("child exited: %d, status %d", WIFEXITED(status), WEXITSTATUS(status));
    add_one<<<1, 1>>>(device);
    SAY(cudaGetLastError());
    SAY(cudaMemcpy(&answer, device, sizeof answer, cudaMemcpyDeviceToHost));
    SHOW("parent's answer %d", answer);
    SAY(cudaFree(device));
}

SECTION(registration) {
    static char pages[4 * 4096];
    char *stack = (char *)alloca(64);
    void *device;
    unsigned flags = 99;
    int yes = -1;
    SAY(cudaHostRegister(pages + 100, 200, cudaHostRegisterMapped));
    SAY(cudaHostRegister(pages + 400, 200, cudaHostRegisterDefault));
    SAY(cudaHostRegister(pages + 250, 100, cudaHostRegisterDefault));
    SAY(cudaHostRegister(nullptr, 100, cudaHostRegisterDefault));
    SAY(cudaHostRegister(pages + 8192, 0, cudaHostRegisterDefault));
    SAY(cudaHostRegister(pages + 8192, 100, 64));
    SAY(cudaHostRegister(stack, 64, cudaHostRegisterPortable));
    SAY(cudaHostGetDevicePointer(&device, pages + 150, 0));
    SHOW("same: %d", device == pages + 150);
    SAY(cudaHostGetDevicePointer(&device, pages + 8192, 0));
    SAY(cudaHostGetFlags(&flags, pages + 100));
    SHOW("flags %u", flags);
    cudaPointerAttributes about;
    SAY(cudaPointerGetAttributes(&about, pages + 120));
    SHOW("type %d, device %d, same: %d", (int)about.type, about.device,
         about.devicePointer == pages + 120);
    SAY(cudaHostUnregister(pages + 150));
    SAY(cudaHostUnregister(pages + 100));
    SAY(cudaHostUnregister(pages + 100));
    SAY(cudaHostUnregister(pages + 400));
    SAY(cudaHostUnregister(stack));
    SAY(cudaDeviceGetAttribute(&yes, cudaDevAttrCanUseHostPointerForRegisteredMem, 0));
    SHOW("%d", yes);
    SAY(cudaDeviceGetAttribute(&yes, cudaDevAttrHostRegisterReadOnlySupported, 0));
    SHOW("%d", yes);
    void *pinned;
    SAY(cudaHostAlloc(&pinned, 100, cudaHostAllocWriteCombined));
    SAY(cudaHostGetFlags(&flags, pinned));
    SHOW("flags %u", flags);
    SAY(cudaHostGetDevicePointer(&device, (char *)pinned + 7, 0));
    SHOW("same: %d", device == (char *)pinned + 7);
    SAY(cudaFreeHost((char *)pinned + 4));
    SAY(cudaFree(pinned));
    SAY(cudaFreeHost(pinned));
    SAY(cudaFreeHost(pinned));
    SAY(cudaHostAlloc(&pinned, 0, 0));
    SAY(cudaFreeHost(nullptr));
}

int main(int argc, char **argv) { return transcript_run(argc, argv); }
