// Questions about what calls of the runtime and of the driver answer to unusual arguments, and what
// they leave in their outputs. CODES(number, call, ..): the calls' codes in their order.
#include "ask.h"

#define CODES(number, ...)                                                                         \
    HOST(number) {                                                                                 \
        for (long long code : {__VA_ARGS__}) say(" %lld", code);                                   \
    }
#define C(call) (long long)(call)

static __device__ int variable[4];
static __constant__ char letters[3];
__global__ void nothing() {}
__global__ void take(int *p, int value) { *p = value; }
__global__ void unaligned_shared(int *p) {
    __shared__ char a[1];
    __shared__ __align__(128) char b[1];
    a[0] = (char)p[0], b[0] = (char)p[1];
    __syncthreads();
    p[2] = a[p[3]] + b[p[3]];
}
__global__ void __launch_bounds__(256, 4) four_of_256() {}
__global__ void __cluster_dims__(2, 2) in_squares() {}

static char host_bytes[1 << 16];
template <typename T = char> static T *make(size_t bytes = 1 << 16) {
    T *p = nullptr;
    cudaMalloc((void **)&p, bytes);
    return p;
}
static cudaGraph_t new_graph() {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    return graph;
}

// ---- copies and fills --------------------------------------------------------------------------

HOST(1716) {
    cudaMemcpy3DParms p = {};
    cudaPitchedPtr box;
    cudaMalloc3D(&box, make_cudaExtent(64, 4, 2));
    p.dstPtr = box, p.srcPtr = make_cudaPitchedPtr(host_bytes, 64, 64, 4);
    p.extent = make_cudaExtent(64, 4, 2), p.kind = cudaMemcpyHostToDevice;
    say(" %d", cudaMemcpy3D(&p));
    p.dstPos.x = 1;
    say(" %d", cudaMemcpy3D(&p));
    p.dstPos.x = 0, p.dstPos.z = 1;
    say(" %d", cudaMemcpy3D(&p));
    p.dstPos.z = 0, p.srcPtr.pitch = 63;
    say(" %d", cudaMemcpy3D(&p));
    p.srcPtr.pitch = 64, p.srcPtr.ysize = 3;
    say(" %d", cudaMemcpy3D(&p));
    p.srcPtr.ysize = 4, p.kind = cudaMemcpyDeviceToHost;
    say(" %d", cudaMemcpy3D(&p));
    p.kind = cudaMemcpyHostToDevice, p.extent.depth = 0;
    say(" %d", cudaMemcpy3D(&p));
}
CODES(1717, C(cudaMemcpyToSymbol(variable, host_bytes, 16, 0)),
      C(cudaMemcpyToSymbol(variable, host_bytes, 1, 16)),
      C(cudaMemcpyToSymbol(variable, host_bytes, 0, 17)),
      C(cudaMemcpyToSymbol(variable, host_bytes, 8, (size_t)-4)),
      C(cudaMemcpyToSymbol(letters, host_bytes, 4)),
      C(cudaMemcpyFromSymbol(host_bytes, letters, 3)))
static cudaArray_t array_of(size_t w, size_t h, size_t d = 0, unsigned flags = 0, int bits = 32,
                            int *code = nullptr) {
    cudaChannelFormatDesc format =
        cudaCreateChannelDesc(bits, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t array = nullptr;
    int error = cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags);
    if (code) *code = error;
    else if (error) say(" e%d", error);
    return array;
}
CODES(1721,
      C(cudaMemcpy2DToArray(array_of(8, 4), 0, 0, host_bytes, 32, 32, 4, cudaMemcpyHostToDevice)),
      C(cudaMemcpy2DToArray(array_of(8, 4), 4, 0, host_bytes, 32, 32, 4, cudaMemcpyHostToDevice)),
      C(cudaMemcpy2DToArray(array_of(8, 4), 0, 1, host_bytes, 32, 32, 4, cudaMemcpyHostToDevice)),
      C(cudaMemcpy2DToArray(array_of(8, 4), 2, 0, host_bytes, 32, 8, 1, cudaMemcpyHostToDevice)),
      C(cudaMemcpy2DToArray(array_of(8, 4), 0, 0, host_bytes, 31, 32, 1, cudaMemcpyHostToDevice)),
      C(cudaMemcpy2DToArray(array_of(8, 4), 0, 0, host_bytes, 32, 6, 1, cudaMemcpyHostToDevice)),
      C(cudaMemcpy2DToArray(array_of(8, 4), 0, 0, host_bytes, 32, 32, 1, cudaMemcpyDeviceToHost)))
HOST(1723) {
    struct {
        size_t w, h, d;
        unsigned flags;
    } cases[] = {{8, 8, 0, cudaArrayCubemap},
                 {8, 8, 6, cudaArrayCubemap},
                 {8, 8, 5, cudaArrayCubemap},
                 {8, 4, 6, cudaArrayCubemap},
                 {8, 8, 12, cudaArrayCubemap},
                 {8, 8, 12, cudaArrayCubemap | cudaArrayLayered},
                 {8, 8, 13, cudaArrayCubemap | cudaArrayLayered},
                 {8, 0, 0, cudaArrayLayered},
                 {8, 0, 3, cudaArrayLayered},
                 {8, 0, 3, 0},
                 {8, 0, 0, cudaArrayTextureGather},
                 {8, 8, 0, cudaArrayTextureGather},
                 {8, 8, 2, cudaArrayTextureGather},
                 {8, 8, 0, 0x100},
                 {131073, 0, 0, 0},
                 {131072, 65537, 0, 0},
                 {8, 8, 16385, 0},
                 {8, 8, 2049, cudaArrayLayered}};
    for (auto &c : cases) {
        int code;
        cudaFreeArray(array_of(c.w, c.h, c.d, c.flags, 32, &code));
        say(" %d", code);
    }
}

// ---- pools -------------------------------------------------------------------------------------

static cudaMemPool_t new_pool(cudaMemAllocationHandleType handles = cudaMemHandleTypeNone,
                              size_t most = 0) {
    cudaMemPoolProps p = {};
    cudaMemPool_t pool = nullptr;
    p.allocType = cudaMemAllocationTypePinned, p.location.type = cudaMemLocationTypeDevice;
    p.handleTypes = handles, p.maxSize = most;
    int code = cudaMemPoolCreate(&pool, &p);
    if (code) say(" e%d", code);
    return pool;
}
HOST(1734) {
    cudaMemPool_t pool = new_pool();
    cudaMemAccessFlags flags = cudaMemAccessFlagsProtNone;
    cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, other = {cudaMemLocationTypeDevice, 5},
                    host = {cudaMemLocationTypeHost, 0};
    for (auto *where : {&device, &other, &host})
        say(" %d:%d", cudaMemPoolGetAccess(&flags, pool, where), (int)flags);
    cudaMemAccessDesc none = {device, cudaMemAccessFlagsProtNone},
                      read = {device, cudaMemAccessFlagsProtRead};
    say(" %d %d %d", cudaMemPoolSetAccess(pool, &none, 1), cudaMemPoolSetAccess(pool, &read, 1),
        cudaMemPoolSetAccess(pool, &none, 0));
}

// ---- kernels and occupancy ---------------------------------------------------------------------

static int set(const void *kernel, cudaFuncAttribute attribute, int value) {
    return cudaFuncSetAttribute(kernel, attribute, value);
}
HOST(1745) {
    size_t bytes[3] = {7, 7, 7};
    int codes[3];
    set((void *)four_of_256, cudaFuncAttributePreferredSharedMemoryCarveout, 10);
    codes[0] = cudaOccupancyAvailableDynamicSMemPerBlock(bytes, four_of_256, 4, 256);
    codes[1] = cudaOccupancyAvailableDynamicSMemPerBlock(bytes + 1, four_of_256, 4, 257);
    codes[2] = cudaOccupancyAvailableDynamicSMemPerBlock(bytes + 2, unaligned_shared, 2, 64);
    for (int i = 0; i < 3; i++) say(" %d:%zu", codes[i], bytes[i]);
}
struct Launch {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attributes[3] = {};
    Launch(unsigned grid, unsigned threads, size_t bytes = 0) {
        config.gridDim = grid, config.blockDim = threads, config.dynamicSmemBytes = bytes,
        config.attrs = attributes;
    }
    cudaLaunchAttributeValue &add(cudaLaunchAttributeID id) {
        attributes[config.numAttrs].id = id;
        return attributes[config.numAttrs++].val;
    }
    int go(void (*kernel)() = nothing) { return cudaLaunchKernelEx(&config, kernel); }
};
HOST(1748) {
    int size = -7;
    for (size_t bytes : {0, 60000, 200000, 240000}) {
        Launch l(64, 512, bytes);
        int code = cudaOccupancyMaxPotentialClusterSize(&size, nothing, &l.config);
        say(" %d:%d", code, size);
    }
    Launch l(64, 1024);
    say(" %d", cudaOccupancyMaxPotentialClusterSize(&size, in_squares, &l.config));
    say(":%d", size);
}
static int with(cudaLaunchAttributeID id, cudaLaunchAttributeValue v) {
    Launch l(8, 32);
    l.add(id) = v;
    return l.go();
}
template <typename Fill> static int with(cudaLaunchAttributeID id, Fill fill) {
    cudaLaunchAttributeValue v = {};
    fill(v);
    return with(id, v);
}
#define WITH(id, ...)                                                                              \
    C(with(cudaLaunchAttribute##id, [](cudaLaunchAttributeValue &v) { __VA_ARGS__; }))
CODES(1751, WITH(MemSyncDomain, v.memSyncDomain = cudaLaunchMemSyncDomainRemote),
      WITH(MemSyncDomain, v.memSyncDomain = (cudaLaunchMemSyncDomain)2),
      WITH(MemSyncDomainMap, v.memSyncDomainMap.default_ = 3, v.memSyncDomainMap.remote = 3),
      WITH(MemSyncDomainMap, v.memSyncDomainMap.remote = 4))
CODES(1752,
      WITH(ClusterSchedulingPolicyPreference,
           v.clusterSchedulingPolicyPreference = (cudaClusterSchedulingPolicy)9),
      WITH(Priority, v.priority = 5), WITH(Priority, v.priority = -9),
      WITH(Cooperative, v.cooperative = 2), WITH(Ignore, ),
      C(with((cudaLaunchAttributeID)99, [](cudaLaunchAttributeValue &) {})))
CODES(1753,
      WITH(PreferredClusterDimension, v.preferredClusterDim.x = 4,
           v.preferredClusterDim.y = v.preferredClusterDim.z = 1),
      WITH(ClusterDimension, v.clusterDim.x = 3, v.clusterDim.y = v.clusterDim.z = 1),
      WITH(ClusterDimension, v.clusterDim.x = 2),
      WITH(PreferredSharedMemoryCarveout, v.sharedMemCarveout = 101),
      WITH(PreferredSharedMemoryCarveout, v.sharedMemCarveout = 50),
      WITH(AccessPolicyWindow, v.accessPolicyWindow.num_bytes = 1ull << 40),
      WITH(SynchronizationPolicy, v.syncPolicy = cudaSyncPolicySpin))
HOST(1754) {
    cudaEvent_t timed, plain;
    cudaEventCreate(&timed), cudaEventCreateWithFlags(&plain, cudaEventDisableTiming);
    for (cudaEvent_t e : {timed, plain, (cudaEvent_t) nullptr}) {
        Launch l(1, 32), m(1, 32);
        l.add(cudaLaunchAttributeProgrammaticEvent).programmaticEvent.event = e;
        m.add(cudaLaunchAttributeLaunchCompletionEvent).launchCompletionEvent.event = e;
        say(" %d %d", l.go(), m.go());
    }
    cudaDeviceSynchronize();
    say(" %d", cudaEventQuery(plain));
}

// ---- the device --------------------------------------------------------------------------------

static void limit(cudaLimit at, size_t value) {
    size_t got = 7;
    int code = cudaDeviceSetLimit(at, value);
    cudaDeviceGetLimit(&got, at);
    say(" %d:%zu", code, got);
}
ALONE(1764) {
    for (size_t v : {0, 1, 2048, 2049, 100000}) limit(cudaLimitDevRuntimePendingLaunchCount, v);
    for (size_t v : {0, 1, 32, 128, 129}) limit(cudaLimitMaxL2FetchGranularity, v);
    limit(cudaLimitDevRuntimeSyncDepth, 3), limit((cudaLimit)7, 1);
}
HOST(1768) {
    for (auto f : {cudaCreateChannelDesc<char>(), cudaCreateChannelDesc<float>(),
                   cudaCreateChannelDesc<float4>(),
                   cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned)}) {
        size_t width = 7;
        int code = cudaDeviceGetTexture1DLinearMaxWidth(&width, &f, 0);
        say(" %d:%zu", code, width);
    }
}
HOST(1770) {
    cudaDeviceProp p = {};
    int device = -7, list[2] = {0, 9};
    int code = cudaChooseDevice(&device, &p);
    say(" %d:%d %d", code, device, cudaSetValidDevices(list, 1));
    say(" %d %d", cudaSetValidDevices(list, 2), cudaInitDevice(0, cudaDeviceScheduleSpin, 99));
    unsigned flags = 77;
    cudaGetDeviceFlags(&flags);
    say(" %u %d", flags, cudaSetDeviceFlags(0x1000));
}

// ---- graphs ------------------------------------------------------------------------------------

HOST(1781) {
    cudaGraphNode_t node;
    cudaMemcpy3DParms p = {};
    cudaGraphAddMemcpyNode1D(&node, new_graph(), nullptr, 0, make(), host_bytes, 100,
                             cudaMemcpyHostToDevice);
    say(" %d", cudaGraphMemcpyNodeGetParams(node, &p));
    say(" %zu %zu %zu %zu %zu %zu", p.extent.width, p.extent.height, p.extent.depth, p.srcPtr.pitch,
        p.srcPtr.xsize, p.srcPtr.ysize);
    say(" %d", (int)p.kind);
}
static cudaGraphNode_t kernel_node(cudaGraph_t graph, void (*kernel)() = nothing) {
    cudaGraphNode_t node = nullptr;
    cudaKernelNodeParams p = {};
    p.func = (void *)kernel, p.gridDim = p.blockDim = dim3(1);
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);
    return node;
}
HOST(1783) {
    cudaGraphNode_t node = kernel_node(new_graph());
    for (auto id :
         {cudaLaunchAttributeCooperative, cudaLaunchAttributePriority,
          cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributeClusterDimension,
          cudaLaunchAttributeMemSyncDomain, cudaLaunchAttributeClusterSchedulingPolicyPreference,
          cudaLaunchAttributeProgrammaticEvent, (cudaLaunchAttributeID)99}) {
        cudaLaunchAttributeValue v;
        memset((void *)&v, 0x55, sizeof v);
        int code = cudaGraphKernelNodeGetAttribute(node, id, &v);
        say(" %d:%d", code, (int)((unsigned char *)&v)[0]);
    }
}
HOST(1785) {
    cudaGraph_t g = new_graph(), h = new_graph(), empty = new_graph();
    cudaGraphExec_t e;
    cudaGraphExecUpdateResultInfo info;
    cudaGraphNode_t a = kernel_node(g), b = kernel_node(h, four_of_256);
    cudaGraphInstantiate(&e, g, 0);
    memset(&info, 0x55, sizeof info);
    int code = cudaGraphExecUpdate(e, h, &info);
    say(" %d:%d %d", code, (int)info.result, info.errorNode == nullptr);
    code = cudaGraphExecUpdate(e, empty, &info);
    say(" %d:%d %d", code, (int)info.result, info.errorNode == nullptr);
    cudaGraphAddEmptyNode(&b, h, nullptr, 0);
    code = cudaGraphExecUpdate(e, h, &info);
    say(" %d:%d %d", code, (int)info.result, info.errorNode == nullptr);
    say(" %d %d", cudaGraphExecUpdate(nullptr, h, &info), cudaGraphExecUpdate(e, nullptr, &info));
    (void)a;
}
HOST(1787) {
    cudaGraph_t g = new_graph();
    cudaGraphExec_t e = nullptr;
    cudaGraphInstantiateParams p = {};
    kernel_node(g);
    p.flags = cudaGraphInstantiateFlagUpload;
    p.uploadStream = new_stream();
    say(" %d:%d", cudaGraphInstantiateWithParams(&e, g, &p), (int)p.result_out);
    p.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority |
              cudaGraphInstantiateFlagAutoFreeOnLaunch;
    int code = cudaGraphInstantiateWithParams(&e, g, &p);
    say(" %d:%d", code, (int)p.result_out);
    p.flags = 1 << 20;
    code = cudaGraphInstantiateWithParams(&e, g, &p);
    say(" %d:%d", code, (int)p.result_out);
    for (unsigned flags : {0u, 1u, 2u, 4u, 8u, 16u}) say(" %d", cudaGraphInstantiate(&e, g, flags));
}
HOST(1789) {
    cudaGraph_t g = new_graph();
    cudaStream_t s = new_stream();
    cudaGraphExec_t e;
    kernel_node(g);
    cudaGraphInstantiate(&e, g, 0);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    say(" %d", cudaGraphLaunch(e, s));
    int upload = cudaGraphUpload(e, s);
    cudaGraph_t got = nullptr;
    size_t count = 7;
    int code = cudaStreamEndCapture(s, &got);
    if (got) cudaGraphGetNodes(got, nullptr, &count);
    say(" %d %d %zu", upload, code, count);
}
