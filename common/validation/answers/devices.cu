// What two devices of one host answer about each other: contexts, streams, events, peers, pools,
// graphs, the driver's names of these, faults. One line a question, "number: answers ..", of which
// devices_h200.txt has two H200s' (CUDA 13.0, driver 580). Each section is a process of its own: a
// fault is the end of all contexts.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#define SAY(number, ...)                                                                           \
    (printf("%03d: ", number), printf(__VA_ARGS__), printf("\n"), fflush(stdout))
typedef unsigned long long u64;

static std::vector<void (*)()> sections; // in their order below
struct Enter {
    Enter(void (*section)()) { sections.push_back(section); }
};
#define SECTION(name)                                                                              \
    static void name();                                                                            \
    static Enter enter_##name(name);                                                               \
    static void name()

static void *entry(const char *name) {
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion(name, &found, 13000, 0, &result);
    return found;
}
#define CU(name) ((decltype(&name))entry(#name))

__device__ int variable = 5;
__global__ void set(int *p, int value) { *p = value; }
__global__ void get(const int *p, int *out) { *out = *p; }
__global__ void add(int *p, int value) { atomicAdd_system(p, value); }
__global__ void trap() { asm volatile("trap;"); }
__global__ void get_variable(int *out) { *out = variable; }
__global__ void spin(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}
__global__ void big(int *out) {
    extern __shared__ int s[];
    s[0] = 1;
    *out = s[0];
}
__global__ void fetch(cudaTextureObject_t t, float *out) { *out = tex1Dfetch<float>(t, 1); }
__global__ void take(int **out) {
    *out = (int *)malloc(64);
    **out = 7;
}

static int on(int device) { return cudaSetDevice(device); }
static int *make(int device, int value) {
    int *p = nullptr, before;
    cudaGetDevice(&before);
    on(device);
    cudaMalloc(&p, 1 << 20);
    cudaMemcpy(p, &value, sizeof value, cudaMemcpyHostToDevice);
    on(before);
    return p;
}
static int value_of(const int *p) {
    int v = -1;
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDefault);
    return v;
}
static void attributes(int number, const void *p) {
    cudaPointerAttributes a = {};
    int status = cudaPointerGetAttributes(&a, p);
    SAY(number, "%d %d %d %d", status, (int)a.type, a.device, a.devicePointer == p);
}

SECTION(devices) {
    int count = 0, device = -1;
    cudaGetDeviceCount(&count);
    SAY(401, "%d", count);
    int a = on(2), b = on(-1);
    cudaGetDevice(&device);
    SAY(402, "%d %d %d", a, b, device);
    SAY(403, "%d %d", cudaGetLastError(), cudaGetLastError());
    on(1);
    int there = -1, here = -1;
    std::thread([&] { cudaGetDevice(&there); }).join();
    cudaGetDevice(&here);
    SAY(404, "%d %d", there, here);
    on(0);
    cudaDeviceProp p[2];
    cudaGetDeviceProperties(&p[0], 0);
    cudaGetDeviceProperties(&p[1], 1);
    SAY(405, "%d %d %d %d", p[0].pciBusID != p[1].pciBusID || p[0].pciDomainID != p[1].pciDomainID,
        memcmp(&p[0].uuid, &p[1].uuid, sizeof p[0].uuid) != 0, p[0].pciDeviceID, p[1].pciDeviceID);
    char bus[2][32] = {};
    int s0 = cudaDeviceGetPCIBusId(bus[0], 32, 0), s1 = cudaDeviceGetPCIBusId(bus[1], 32, 1);
    int s2 = cudaDeviceGetPCIBusId(bus[0] + 16, 16, 2), back[2] = {-1, -1};
    cudaDeviceGetByPCIBusId(&back[0], bus[0]);
    cudaDeviceGetByPCIBusId(&back[1], bus[1]);
    SAY(406, "%d %d %d %d %d %d", s0, s1, s2, strcmp(bus[0], bus[1]) != 0, back[0], back[1]);
    int value = 0;
    a = cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 2);
    b = cudaGetDeviceProperties(&p[0], 2);
    SAY(407, "%d %d", a, b);
    cudaGetLastError();
    a = cudaInitDevice(1, 0, 0);
    cudaGetDevice(&device);
    SAY(408, "%d %d %d", a, device, cudaInitDevice(2, 0, 0));
    size_t free0, free1, total, after0, after1;
    on(1), cudaFree(0), cudaMemGetInfo(&free1, &total);
    on(0), cudaFree(0), cudaMemGetInfo(&free0, &total);
    void *large;
    cudaMalloc(&large, 1 << 30);
    cudaMemGetInfo(&after0, &total);
    on(1), cudaMemGetInfo(&after1, &total);
    SAY(409, "%zu %zu", (free0 - after0) >> 20, (free1 - after1) >> 20);
    on(0), cudaFree(large);
    cudaDeviceSetLimit(cudaLimitStackSize, 4096);
    size_t l0, l1;
    cudaDeviceGetLimit(&l0, cudaLimitStackSize);
    on(1), cudaDeviceGetLimit(&l1, cudaLimitStackSize);
    SAY(410, "%zu %zu", l0, l1);
    cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
    cudaFuncCache c0, c1;
    cudaDeviceGetCacheConfig(&c1);
    on(0), cudaDeviceGetCacheConfig(&c0);
    SAY(411, "%d %d", c0, c1);
    unsigned f0 = 0, f1 = 0;
    on(1);
    a = cudaSetDeviceFlags(cudaDeviceScheduleYield);
    cudaGetDeviceFlags(&f1);
    on(0), cudaGetDeviceFlags(&f0);
    SAY(412, "%d %u %u", a, f0, f1);
}

SECTION(pointers) {
    int *p0 = make(0, 10), *p1 = make(1, 11), *shared, *pinned, *plain = (int *)malloc(4096);
    attributes(421, p0);
    attributes(422, p1);
    on(1);
    cudaMallocManaged(&shared, 4096);
    cudaHostAlloc(&pinned, 4096, cudaHostAllocDefault);
    *shared = 3, *pinned = 4;
    on(0);
    attributes(423, shared);
    attributes(424, pinned);
    attributes(425, plain);
    cudaHostRegister(plain, 4096, cudaHostRegisterDefault);
    on(1);
    attributes(426, plain);
    on(0);
    int *out0 = make(0, 0);
    get<<<1, 1>>>(pinned, out0);
    int a = cudaDeviceSynchronize(), v = value_of(out0);
    get<<<1, 1>>>(shared, out0);
    SAY(427, "%d %d %d %d", a, v, cudaDeviceSynchronize(), value_of(out0));
    *plain = 9;
    on(1);
    int *out1 = make(1, 0);
    get<<<1, 1>>>(plain, out1);
    SAY(428, "%d %d", cudaDeviceSynchronize(), value_of(out1));
    on(0);
    SAY(429, "%d", cudaFree(p1));
    SAY(430, "%d %d", cudaFree(p1), cudaGetLastError());
    attributes(431, p1);
    on(1);
    SAY(432, "%d %d", cudaFreeHost(pinned), cudaFree(shared));
    SAY(433, "%d", cudaMemset(p0, 1, 4));
    SAY(434, "%d", value_of(p0));
    cudaMemLocation l = {cudaMemLocationTypeDevice, 1};
    on(0);
    cudaMallocManaged(&shared, 1 << 20);
    SAY(435, "%d", cudaMemPrefetchAsync(shared, 1 << 20, l, 0, 0));
    l.id = 2;
    SAY(436, "%d", cudaMemPrefetchAsync(shared, 1 << 20, l, 0, 0));
}

SECTION(streams) {
    cudaStream_t s0, s1;
    cudaEvent_t e0, e1, f0;
    int *p0 = make(0, 10), *p1 = make(1, 11), device = -1;
    on(1), cudaStreamCreate(&s1), cudaEventCreate(&e1);
    on(0), cudaStreamCreate(&s0), cudaEventCreate(&e0), cudaEventCreate(&f0);
    set<<<1, 1, 0, s1>>>(p1, 5);
    int a = cudaGetLastError();
    SAY(441, "%d %d", a, cudaDeviceSynchronize());
    SAY(442, "%d", cudaMemcpyAsync(p1, p0, 4, cudaMemcpyDeviceToDevice, s1));
    int host = 1;
    SAY(443, "%d %d", cudaMemcpyAsync(p1, &host, 4, cudaMemcpyHostToDevice, s1),
        cudaMemcpyAsync(p0, &host, 4, cudaMemcpyHostToDevice, s1));
    SAY(444, "%d %d", cudaMemsetAsync(p1, 0, 4, s1), cudaMemsetAsync(p1, 0, 4, s0));
    SAY(445, "%d %d %d", cudaEventRecord(e0, s1), cudaEventRecord(e1, s0), cudaEventRecord(e1, s1));
    cudaGetLastError();
    SAY(446, "%d", cudaEventRecord(e1, 0));
    on(1);
    SAY(447, "%d %d", cudaEventRecord(e1, 0), cudaEventRecord(e0, 0));
    on(0);
    cudaGetLastError();
    cudaEventRecord(e0, s0);
    SAY(448, "%d %d", cudaStreamWaitEvent(s0, e1, 0), cudaStreamWaitEvent(s1, e0, 0));
    SAY(449, "%d %d", cudaEventSynchronize(e1), cudaStreamSynchronize(s1));
    SAY(450, "%d %d", cudaEventQuery(e1), cudaStreamQuery(s1));
    float ms = -1;
    cudaEventSynchronize(e0);
    SAY(451, "%d %d", cudaEventElapsedTime(&ms, e0, e1), cudaEventElapsedTime(&ms, e1, e0));
    cudaGetLastError();
    cudaEventRecord(f0, s0), cudaEventSynchronize(f0);
    on(1);
    SAY(452, "%d %d", cudaEventElapsedTime(&ms, e0, f0), ms >= 0);
    on(0);
    a = cudaStreamGetDevice(s1, &device);
    SAY(453, "%d %d", a, device);
    on(1);
    a = cudaStreamGetDevice(0, &device);
    SAY(454, "%d %d", a, device);
    u64 id[4] = {};
    cudaStreamGetId(s0, &id[0]), cudaStreamGetId(s1, &id[1]), cudaStreamGetId(0, &id[2]);
    on(0), cudaStreamGetId(0, &id[3]);
    SAY(455, "%llu %llu %llu %llu", id[0], id[1], id[2], id[3]);
    SAY(456, "%d",
        cudaLaunchHostFunc(
            s1, [](void *p) { *(int *)p = 77; }, &host));
    cudaStreamSynchronize(s1);
    SAY(457, "%d", host);
    on(1);
    spin<<<1, 1, 0, s1>>>(1 << 24);
    a = cudaDeviceSynchronize() * 0 + cudaGetLastError();
    spin<<<1, 1, 0, s1>>>(1 << 24);
    on(0);
    a = cudaDeviceSynchronize();
    SAY(458, "%d %d", a, cudaStreamQuery(s1));
    set<<<1, 1>>>(p0, 6);
    a = cudaStreamSynchronize(0);
    SAY(459, "%d %d", a, cudaStreamQuery(s1));
    a = cudaStreamQuery(0);
    on(1);
    SAY(460, "%d %d", a, cudaStreamQuery(0));
    cudaDeviceSynchronize();
    on(0);
    void *arguments[] = {&p1, &host};
    SAY(461, "%d", cudaLaunchCooperativeKernel((void *)set, dim3(1), dim3(1), arguments, 0, s1));
    cudaGetLastError();
    cudaStream_t high;
    on(1), cudaStreamCreateWithPriority(&high, cudaStreamNonBlocking, -3), on(0);
    int priority = 9;
    unsigned flags = 9;
    a = cudaStreamGetPriority(high, &priority);
    SAY(462, "%d %d %d %u", a, priority, cudaStreamGetFlags(high, &flags), flags);
    SAY(463, "%d %d", cudaStreamDestroy(s1), cudaEventDestroy(e1));
    on(1);
    SAY(464, "%d %d", cudaStreamDestroy(s0), cudaEventDestroy(e0));
}

SECTION(code) {
    void *a0, *a1;
    int *o0 = make(0, 0), *o1 = make(1, 0), v = 8, w = 0;
    on(0), cudaGetSymbolAddress(&a0, variable);
    on(1), cudaGetSymbolAddress(&a1, variable);
    SAY(471, "%d", a0 != a1);
    attributes(472, a0);
    cudaMemcpyToSymbol(variable, &v, 4);
    on(0), cudaMemcpyFromSymbol(&w, variable, 4);
    get_variable<<<1, 1>>>(o0);
    on(1), get_variable<<<1, 1>>>(o1);
    SAY(473, "%d %d %d", w, value_of(o0), value_of(o1));
    on(0);
    int s = cudaFuncSetAttribute(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
    cudaFuncAttributes f0, f1;
    cudaFuncGetAttributes(&f0, big);
    on(1), cudaFuncGetAttributes(&f1, big);
    SAY(474, "%d %d %d", s, f0.maxDynamicSharedSizeBytes, f1.maxDynamicSharedSizeBytes);
    big<<<1, 1, 100000>>>(o1);
    SAY(475, "%d", cudaGetLastError());
    cudaFunction_t h0, h1;
    on(0), cudaGetFuncBySymbol(&h0, (const void *)set);
    on(1), cudaGetFuncBySymbol(&h1, (const void *)set);
    SAY(476, "%d", h0 == h1);
    void *arguments[] = {&o1, &v};
    SAY(477, "%d", cudaLaunchKernel((const void *)h0, dim3(1), dim3(1), arguments, 0, 0));
    SAY(478, "%d", cudaDeviceSynchronize());
    SAY(479, "%d", value_of(o1));
    cudaGetLastError();
    cudaKernel_t k0, k1;
    on(0), cudaGetKernel(&k0, (const void *)set);
    on(1), cudaGetKernel(&k1, (const void *)set);
    v = 21;
    s = cudaLaunchKernel((const void *)k0, dim3(1), dim3(1), arguments, 0, 0);
    SAY(480, "%d %d %d %d", k0 == k1, s, cudaDeviceSynchronize(), value_of(o1));
}

SECTION(peers) {
    int can[4] = {-1, -1, -1, -1};
    int a = cudaDeviceCanAccessPeer(&can[0], 0, 1), b = cudaDeviceCanAccessPeer(&can[1], 1, 0);
    int c = cudaDeviceCanAccessPeer(&can[2], 0, 0), d = cudaDeviceCanAccessPeer(&can[3], 0, 2);
    SAY(501, "%d:%d %d:%d %d:%d %d:%d", a, can[0], b, can[1], c, can[2], d, can[3]);
    cudaGetLastError();
    for (int attr = 1; attr <= 5; attr++) {
        int v = -9, w = -9;
        a = cudaDeviceGetP2PAttribute(&v, (cudaDeviceP2PAttr)attr, 0, 1);
        b = cudaDeviceGetP2PAttribute(&w, (cudaDeviceP2PAttr)attr, 1, 0);
        SAY(501 + attr, "%d:%d %d:%d", a, v, b, w);
    }
    int v = -9;
    SAY(507, "%d %d", cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 0),
        cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 2));
    SAY(508, "%d", cudaDeviceGetP2PAttribute(nullptr, cudaDevP2PAttrAccessSupported, 0, 1));
    cudaGetLastError();
    on(0);
    int *p0 = make(0, 10), *p1 = make(1, 11);
    SAY(509, "%d %d", cudaMemcpyPeer(p1, 1, p0, 0, 4), value_of(p1));
    int x = 12;
    cudaMemcpy(p0, &x, 4, cudaMemcpyDefault);
    SAY(510, "%d %d", cudaMemcpy(p1, p0, 4, cudaMemcpyDefault), value_of(p1));
    x = 13, cudaMemcpy(p0, &x, 4, cudaMemcpyDefault);
    SAY(511, "%d %d", cudaMemcpy(p1, p0, 4, cudaMemcpyDeviceToDevice), value_of(p1));
    SAY(512, "%d %d", cudaMemcpyPeer(p1, 0, p0, 1, 4), cudaMemcpyPeer(p1, 0, p0, 0, 4));
    SAY(513, "%d %d", cudaMemcpyPeer(p1, 2, p0, 0, 4), cudaMemcpyPeer(p1, 1, p0, -1, 4));
    SAY(514, "%d", cudaMemcpyPeer(p0 + 64, 0, p0, 0, 4));
    SAY(515, "%d %d", cudaMemcpyPeer(&x, 1, p0, 0, 4), cudaMemcpyPeer(p1, 1, &x, 0, 4));
    SAY(516, "%d %d", cudaMemcpyPeer(p1, 1, p0, 0, 0), cudaMemcpyPeer(p1, 1, p0, 0, 2 << 20));
    cudaGetLastError();
    cudaStream_t s0, s1;
    cudaStreamCreate(&s0), on(1), cudaStreamCreate(&s1), on(0);
    SAY(517, "%d %d %d", cudaMemcpyPeerAsync(p1, 1, p0, 0, 4, s0),
        cudaMemcpyPeerAsync(p1, 1, p0, 0, 4, s1), cudaMemcpyPeerAsync(p1, 1, p0, 0, 4, 0));
    cudaMemcpy3DPeerParms q = {};
    q.srcPtr = make_cudaPitchedPtr(p0, 64, 64, 4), q.dstPtr = make_cudaPitchedPtr(p1, 128, 64, 4);
    q.extent = make_cudaExtent(64, 4, 1), q.srcDevice = 0, q.dstDevice = 1;
    SAY(518, "%d", cudaMemcpy3DPeer(&q));
    SAY(519, "%d", cudaMemcpy2D(p1, 128, p0, 64, 64, 4, cudaMemcpyDeviceToDevice));
    SAY(520, "%d %d", cudaDeviceDisablePeerAccess(1), cudaDeviceDisablePeerAccess(2));
    SAY(521, "%d %d %d", cudaDeviceEnablePeerAccess(1, 1), cudaDeviceEnablePeerAccess(0, 0),
        cudaDeviceEnablePeerAccess(2, 0));
    cudaGetLastError();
    a = cudaDeviceEnablePeerAccess(1, 0), b = cudaDeviceEnablePeerAccess(1, 0);
    SAY(522, "%d %d %d", a, b, cudaGetLastError());
    int *out = make(0, 0);
    x = 40, cudaMemcpy(p1, &x, 4, cudaMemcpyDefault);
    get<<<1, 1>>>(p1, out);
    SAY(523, "%d %d", cudaDeviceSynchronize(), value_of(out));
    set<<<1, 1>>>(p1, 41);
    SAY(524, "%d %d", cudaDeviceSynchronize(), value_of(p1));
    add<<<4, 64>>>(p1, 1);
    SAY(525, "%d %d", cudaDeviceSynchronize(), value_of(p1));
    int *late = make(1, 50);
    get<<<1, 1>>>(late, out);
    SAY(526, "%d %d", cudaDeviceSynchronize(), value_of(out));
    SAY(527, "%d %d", cudaDeviceDisablePeerAccess(1), cudaDeviceDisablePeerAccess(1));
    cudaGetLastError();
    SAY(528, "%d", cudaDeviceEnablePeerAccess(1, 0));
    // reset of a device and what others hold
    on(1);
    SAY(529, "%d", cudaDeviceReset());
    on(0);
    attributes(530, p1);
    attributes(531, p0);
    SAY(532, "%d %d", cudaStreamQuery(s0), value_of(p0) != -1);
    a = cudaDeviceEnablePeerAccess(1, 0);
    SAY(533, "%d %d", a, cudaDeviceEnablePeerAccess(1, 0));
    cudaGetLastError();
    SAY(534, "%d", cudaMemcpyPeer(p0, 0, p1, 1, 4));
}

SECTION(pools) {
    cudaMemPool_t q0, q1, r;
    cudaStream_t s0, s1;
    int *p, *p1 = nullptr, v = 60;
    on(1), cudaStreamCreate(&s1), on(0), cudaStreamCreate(&s0);
    cudaDeviceGetDefaultMemPool(&q0, 0), cudaDeviceGetDefaultMemPool(&q1, 1);
    SAY(541, "%d %d", q0 != q1, cudaDeviceGetDefaultMemPool(&r, 2));
    cudaGetLastError();
    int a = cudaMallocAsync(&p, 4096, s1);
    cudaStreamSynchronize(s1);
    SAY(542, "%d", a);
    if (!a) attributes(543, p);
    a = cudaMallocFromPoolAsync(&p1, 4096, q1, s0);
    SAY(544, "%d", a);
    if (!a) attributes(545, p1);
    cudaMemLocation there = {cudaMemLocationTypeDevice, 1}, here = {cudaMemLocationTypeDevice, 0};
    cudaMemAccessFlags before, own, after;
    cudaMemPoolGetAccess(&before, q0, &there), cudaMemPoolGetAccess(&own, q0, &here);
    cudaMemAccessDesc d = {there, cudaMemAccessFlagsProtReadWrite};
    a = cudaMemPoolSetAccess(q0, &d, 1);
    cudaMemPoolGetAccess(&after, q0, &there);
    SAY(546, "%d %d %d %d", before, own, a, after);
    cudaMallocAsync(&p, 4096, s0);
    cudaMemcpyAsync(p, &v, 4, cudaMemcpyDefault, s0), cudaStreamSynchronize(s0);
    int *out = make(1, 0);
    on(1), get<<<1, 1, 0, s1>>>(p, out);
    SAY(547, "%d %d", cudaStreamSynchronize(s1), value_of(out));
    SAY(548, "%d", cudaFreeAsync(p, s1));
    d.flags = cudaMemAccessFlagsProtNone;
    SAY(549, "%d", cudaMemPoolSetAccess(q0, &d, 1));
    d = {here, cudaMemAccessFlagsProtNone};
    SAY(550, "%d", cudaMemPoolSetAccess(q0, &d, 1));
    cudaGetLastError();
    cudaMemPool_t current;
    on(0), cudaDeviceSetMemPool(0, q1);
    SAY(551, "%d", cudaDeviceSetMemPool(0, q1));
    cudaDeviceGetMemPool(&current, 1);
    SAY(552, "%d", current == q1);
}

SECTION(graphs) {
    cudaStream_t s0, s1;
    cudaEvent_t fork, join;
    int *p0 = make(0, 0), *p1 = make(1, 0);
    on(1), cudaStreamCreate(&s1), cudaEventCreateWithFlags(&join, cudaEventDisableTiming);
    on(0), cudaStreamCreate(&s0), cudaEventCreateWithFlags(&fork, cudaEventDisableTiming);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t exec = nullptr;
    int a = cudaStreamBeginCapture(s0, cudaStreamCaptureModeGlobal);
    set<<<1, 1, 0, s0>>>(p0, 31);
    int b = cudaEventRecord(fork, s0), c = cudaStreamWaitEvent(s1, fork, 0);
    on(1);
    set<<<1, 1, 0, s1>>>(p1, 32);
    int d = cudaGetLastError(), e = cudaEventRecord(join, s1);
    on(0);
    int f = cudaStreamWaitEvent(s0, join, 0);
    int g = cudaMemcpyPeerAsync(p0 + 1, 0, p1, 1, 4, s0);
    int h = cudaStreamEndCapture(s0, &graph);
    SAY(561, "%d %d %d %d %d %d %d %d", a, b, c, d, e, f, g, h);
    a = cudaGraphInstantiate(&exec, graph, 0);
    b = cudaGraphLaunch(exec, s0);
    c = cudaStreamSynchronize(s0);
    SAY(562, "%d %d %d %d %d %d", a, b, c, value_of(p0), value_of(p1), value_of(p0 + 1));
    SAY(563, "%d", cudaGraphLaunch(exec, s1));
    SAY(564, "%d", cudaStreamSynchronize(s1));
    cudaGraph_t own;
    cudaGraphCreate(&own, 0);
    int v = 44;
    void *arguments[] = {&p1, &v};
    cudaKernelNodeParams k = {};
    k.func = (void *)set, k.gridDim = dim3(1), k.blockDim = dim3(1), k.kernelParams = arguments;
    cudaGraphNode_t node;
    on(1);
    a = cudaGraphAddKernelNode(&node, own, nullptr, 0, &k);
    on(0);
    b = cudaGraphInstantiate(&exec, own, 0);
    c = cudaGraphLaunch(exec, s0);
    SAY(565, "%d %d %d", a, b, c);
    a = cudaStreamSynchronize(s0);
    SAY(566, "%d %d", a, value_of(p1));
}

SECTION(driver) {
    CUcontext c0 = nullptr, c1 = nullptr, now = nullptr;
    CUdevice device = -1;
    int a = CU(cuInit)(0), count = 0;
    CU(cuDeviceGetCount)(&count);
    SAY(581, "%d %d %d", a, count, CU(cuDeviceGet)(&device, 2));
    unsigned flags = 9;
    int active[2] = {-1, -1};
    CU(cuDevicePrimaryCtxGetState)(0, &flags, &active[0]);
    CU(cuDevicePrimaryCtxGetState)(1, &flags, &active[1]);
    SAY(582, "%d %d %u", active[0], active[1], flags);
    a = CU(cuCtxGetCurrent)(&now);
    SAY(583, "%d %d %d", a, now == nullptr, CU(cuCtxGetDevice)(&device));
    on(1);
    CU(cuDevicePrimaryCtxGetState)(0, &flags, &active[0]);
    CU(cuDevicePrimaryCtxGetState)(1, &flags, &active[1]);
    CU(cuCtxGetDevice)(&device);
    SAY(584, "%d %d %d", active[0], active[1], device);
    a = CU(cuDevicePrimaryCtxRetain)(&c0, 0);
    CU(cuDevicePrimaryCtxRetain)(&c1, 1);
    CU(cuCtxGetCurrent)(&now);
    SAY(585, "%d %d %d", a, now == c1, c0 != c1);
    CU(cuCtxSetCurrent)(c0);
    int d = -1;
    cudaGetDevice(&d);
    SAY(586, "%d", d);
    a = CU(cuCtxPushCurrent)(c1);
    cudaGetDevice(&d);
    int before = d;
    CU(cuCtxPopCurrent)(&now);
    cudaGetDevice(&d);
    SAY(587, "%d %d %d %d", a, before, now == c1, d);
    CUdeviceptr p1;
    CU(cuCtxSetCurrent)(c1), CU(cuMemAlloc)(&p1, 4096), CU(cuCtxSetCurrent)(c0);
    int ordinal = -1, can = -1;
    a = CU(cuPointerGetAttribute)(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p1);
    CUcontext of = nullptr;
    CU(cuPointerGetAttribute)(&of, CU_POINTER_ATTRIBUTE_CONTEXT, p1);
    SAY(588, "%d %d %d", a, ordinal, of == c1);
    SAY(589, "%d %d", CU(cuDeviceCanAccessPeer)(&can, 0, 1), can);
    SAY(590, "%d %d", CU(cuDeviceCanAccessPeer)(&can, 0, 0), can);
    a = CU(cuCtxEnablePeerAccess)(c1, 0);
    SAY(591, "%d %d %d", a, CU(cuCtxEnablePeerAccess)(c1, 0), cudaDeviceEnablePeerAccess(1, 0));
    SAY(592, "%d", CU(cuCtxEnablePeerAccess)(c0, 0));
    SAY(593, "%d %d", CU(cuCtxDisablePeerAccess)(c1), CU(cuCtxDisablePeerAccess)(c1));
    CUdeviceptr p0;
    CU(cuMemAlloc)(&p0, 4096);
    SAY(594, "%d", CU(cuMemcpyPeer)(p1, c1, p0, c0, 64));
    SAY(595, "%d", CU(cuMemcpyPeer)(p1, c0, p0, c1, 64));
    CUstream s;
    CU(cuCtxSetCurrent)(c1), CU(cuStreamCreate)(&s, 0), CU(cuCtxSetCurrent)(c0);
    a = CU(cuStreamGetCtx)(s, &now);
    SAY(596, "%d %d", a, now == c1);
    SAY(597, "%d %d", CU(cuDevicePrimaryCtxRelease)(1), CU(cuCtxSynchronize)());
    int v = -1;
    SAY(598, "%d %d",
        CU(cuDeviceGetP2PAttribute)(&v, CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED, 0, 1), v);
}

#include "device_faults.h"

int main() {
    for (auto section : sections) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            section();
            fflush(stdout);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (!WIFEXITED(status)) printf("a section died of signal %d\n", WTERMSIG(status));
    }
    return 0;
}
