// More answers about graphs and stream capture: what each captured call becomes, dependencies by
// hand, parameters of every kind of node, the general functions, updates. An H100's answers
// are kept (docs/validation.md).
// since: 13.0
// test: none
// check: race (likewise, and a second thread)
#include <cstdint>

#include "../check.h"

__device__ int variable[16];

__global__ void add(int *data, int value) { *data += value; }
__global__ void add_again(int *data, int value) { *data += value; }
__global__ void twice(int *data) { *data *= 2; }
static void count_call(void *data) { ++*(int *)data; }
static void callback(cudaStream_t, cudaError_t, void *data) { ++*(int *)data; }

static int *device_ints() {
    int *memory;
    cudaMalloc(&memory, 4096);
    cudaMemset(memory, 0, 4096);
    cudaDeviceSynchronize();
    return memory;
}

static int value_at(const int *memory) {
    int value = -1;
    cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

// Types of the nodes in the order in which the graph lists them, and the edges by index.
static void show(cudaGraph_t g) {
    cudaGraphNode_t nodes[32], from[64], to[64];
    size_t count = 32, edges = 64;
    cudaGraphGetNodes(g, nodes, &count);
    cudaGraphGetEdges(g, from, to, nullptr, &edges);
    printf("    nodes");
    for (size_t i = 0; i < count; i++) {
        cudaGraphNodeType type;
        cudaGraphNodeGetType(nodes[i], &type);
        printf(" %d", (int)type);
    }
    printf("; edges");
    for (size_t i = 0; i < edges; i++) {
        int a = -1, b = -1;
        for (size_t k = 0; k < count; k++) {
            if (nodes[k] == from[i]) a = (int)k;
            if (nodes[k] == to[i]) b = (int)k;
        }
        printf(" %d-%d", a, b);
    }
    printf("\n");
}

// One call, captured alone; how the capture ends and what it holds.
#define CAPTURED(call)                                                                             \
    do {                                                                                           \
        cudaGraph_t g_ = nullptr;                                                                  \
        cudaStreamCaptureStatus status_ = cudaStreamCaptureStatusNone;                             \
        cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);                                   \
        SAY(call);                                                                                 \
        cudaStreamIsCapturing(s, &status_);                                                        \
        cudaError_t end_ = cudaStreamEndCapture(s, &g_);                                           \
        printf("    %d, %s\n", (int)status_, cudaGetErrorName(end_));                              \
        cudaGetLastError();                                                                        \
        if (g_) show(g_);                                                                          \
        if (g_) cudaGraphDestroy(g_);                                                              \
    } while (0)

SECTION(captured_calls) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *memory = device_ints(), host[64] = {0}, calls = 0, *pinned;
    cudaMallocHost(&pinned, 256);
    cudaEvent_t e, never;
    cudaEventCreate(&e);
    cudaEventCreate(&never);
    CAPTURED(cudaMemcpyAsync(host, memory, 16, cudaMemcpyDeviceToHost, s));
    CAPTURED(cudaMemcpyAsync(memory, memory + 64, 16, cudaMemcpyDeviceToDevice, s));
    CAPTURED(cudaMemcpyAsync(memory, host, 0, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemcpyAsync(memory, nullptr, 16, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemcpyAsync(host, memory, 16, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemcpyAsync(memory, host, 16, (cudaMemcpyKind)9, s));
    CAPTURED(cudaMemcpyAsync(memory, pinned, 65536, cudaMemcpyDefault, s));
    CAPTURED(cudaMemcpy2DAsync(memory, 64, host, 16, 16, 4, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemcpy2DAsync(memory, 8, host, 16, 16, 4, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemcpyToSymbolAsync(variable, host, 64, 0, cudaMemcpyHostToDevice, s));
    CAPTURED(cudaMemcpyFromSymbolAsync(host, variable, 64, 4, cudaMemcpyDeviceToHost, s));
    CAPTURED(cudaMemsetAsync(memory, 1, 16, s));
    CAPTURED(cudaMemsetAsync(memory, 1, 0, s));
    CAPTURED(cudaMemsetAsync(nullptr, 1, 16, s));
    CAPTURED(cudaMemset2DAsync(memory, 64, 1, 16, 4, s));
    CAPTURED((add<<<1, 1, 0, s>>>(memory, 1), cudaPeekAtLastError()));
    CAPTURED((add<<<0, 1, 0, s>>>(memory, 1), cudaPeekAtLastError()));
    CAPTURED((add<<<1, 2000, 0, s>>>(memory, 1), cudaPeekAtLastError()));
    CAPTURED((add<<<1, 1, 1 << 20, s>>>(memory, 1), cudaPeekAtLastError()));
    CAPTURED(cudaLaunchHostFunc(s, count_call, &calls));
    CAPTURED(cudaLaunchHostFunc(s, nullptr, &calls));
    CAPTURED(cudaStreamAddCallback(s, callback, &calls, 0));
    CAPTURED(cudaEventRecord(e, s));
    CAPTURED(cudaStreamWaitEvent(s, never, 0));
    CAPTURED(cudaStreamWaitEvent(s, nullptr, 0));
    CAPTURED(cudaStreamWaitEvent(s, never, 7));
    CAPTURED(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    CAPTURED(cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
    unsigned flags;
    CAPTURED(cudaStreamGetFlags(s, &flags));
    int priority;
    CAPTURED(cudaStreamGetPriority(s, &priority));
    CAPTURED(cudaGetLastError());
    SHOW("%d calls, %d", calls, value_at(memory));
}

SECTION(captured_launches) {
    cudaStream_t s;
    cudaStreamCreate(&s);
    int *memory = device_ints(), calls = 0;
    cudaGraph_t g, outer;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, s>>>(memory, 3);
    twice<<<1, 1, 0, s>>>(memory);
    cudaLaunchHostFunc(s, count_call, &calls);
    SAY(cudaStreamEndCapture(s, &g));
    show(g);
    SHOW("%d %d", calls, value_at(memory));
    SAY(cudaGraphInstantiate(&exec, g, 0));
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphLaunch(exec, s));
    SAY(cudaGraphLaunch(exec, s));
    SAY(cudaStreamSynchronize(s));
    SHOW("%d %d", calls, value_at(memory));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaGraphLaunch(exec, s));
    add<<<1, 1, 0, s>>>(memory, 100);
    SAY(cudaGraphLaunch(exec, s));
    SAY(cudaStreamEndCapture(s, &outer));
}

SECTION(dependencies) {
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    int *memory = device_ints();
    cudaGraph_t g, same = nullptr;
    cudaGraphNode_t a, b, c;
    cudaGraphCreate(&g, 0);
    cudaGraphAddEmptyNode(&a, g, nullptr, 0);
    cudaGraphAddEmptyNode(&b, g, nullptr, 0);
    cudaGraphNode_t both[] = {a, b};
    SAY(cudaStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCaptureToGraph(s, g, both, nullptr, 2, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, s>>>(memory, 1);
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, id2 = 0;
    const cudaGraphNode_t *latest = nullptr;
    size_t count = 9;
    SAY(cudaStreamGetCaptureInfo(s, &status, &id, &same, &latest, nullptr, &count));
    SHOW("%d %d %zu", (int)status, same == g, count);
    cudaGraphNodeType type;
    if (count) cudaGraphNodeGetType(latest[0], &type);
    SHOW("%d", (int)type);
    SAY(cudaStreamUpdateCaptureDependencies(s, &a, nullptr, 1, cudaStreamAddCaptureDependencies));
    SAY(cudaStreamGetCaptureInfo(s, &status, &id2, nullptr, &latest, nullptr, &count));
    SHOW("%d %zu", id == id2, count);
    twice<<<1, 1, 0, s>>>(memory);
    SAY(cudaStreamUpdateCaptureDependencies(s, &b, nullptr, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(memory, 1);
    SAY(cudaStreamUpdateCaptureDependencies(s, &b, nullptr, 1, 9));
    SAY(cudaStreamUpdateCaptureDependencies(t, &b, nullptr, 1, 0));
    SAY(cudaStreamEndCapture(s, &same));
    SHOW("%d", same == g);
    show(g);
    SAY(cudaStreamGetCaptureInfo(s, &status, &id, &same, &latest, nullptr, &count));
    SHOW("%d", (int)status);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0,
                                            cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, s>>>(memory, 1);
    SAY(cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0,
                                            cudaStreamSetCaptureDependencies));
    SAY(cudaStreamEndCapture(s, &same));
    if (same) show(same);
    cudaGraphDestroy(g);
    cudaGraphCreate(&g, 0);
    cudaGraphAddEmptyNode(&a, g, nullptr, 0);
    cudaGraphAddEmptyNode(&b, g, &a, 1);
    cudaGraphAddEmptyNode(&c, g, &b, 1);
    cudaGraphNode_t from[] = {a, a}, to[] = {c, c}, list[4];
    SAY(cudaGraphAddDependencies(g, from, to, nullptr, 2));
    SAY(cudaGraphAddDependencies(g, from, to, nullptr, 1));
    SAY(cudaGraphAddDependencies(g, nullptr, nullptr, nullptr, 0));
    SAY(cudaGraphAddDependencies(g, nullptr, to, nullptr, 1));
    SAY(cudaGraphAddDependencies(nullptr, from, to, nullptr, 1));
    show(g);
    count = 1;
    SAY(cudaGraphNodeGetDependencies(c, list, nullptr, &count));
    SHOW("%zu %d", count, list[0] == b);
    count = 4;
    cudaGraphEdgeData edges[4];
    memset(edges, 0x55, sizeof edges);
    SAY(cudaGraphNodeGetDependencies(c, list, edges, &count));
    SHOW("%zu %d %d %d", count, list[0] == b, list[1] == a, edges[0].from_port + edges[0].type);
    count = 0;
    SAY(cudaGraphGetRootNodes(g, nullptr, &count));
    SHOW("%zu", count);
    count = 3;
    SAY(cudaGraphGetRootNodes(g, list, &count));
    SHOW("%zu %d %d", count, list[0] == a, list[1] == nullptr);
    SAY(cudaGraphGetNodes(g, nullptr, nullptr));
    SAY(cudaGraphGetEdges(g, list, nullptr, nullptr, &count));
    SAY(cudaGraphNodeGetDependentNodes(a, nullptr, nullptr, &count));
    SHOW("%zu", count);
    SAY(cudaGraphRemoveDependencies(g, from, to, nullptr, 1));
    show(g);
    SAY(cudaGraphDestroyNode(b));
    show(g);
    SAY(cudaGraphDestroyNode(nullptr));
}

SECTION(node_parameters) {
    int *memory = device_ints(), host[16] = {0}, calls = 0, other_calls = 0;
    cudaGraph_t g;
    cudaGraphNode_t set, copy, copy1, symbol, call, plain, record, rows;
    cudaEvent_t e, e2;
    cudaEventCreate(&e);
    cudaEventCreate(&e2);
    cudaGraphCreate(&g, 0);
    cudaMemsetParams m = {memory, 0, 7, 2, 8, 1}, got_m;
    SAY(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &m));
    SAY(cudaGraphMemsetNodeGetParams(set, &got_m));
    SHOW("%d %zu %u %u %zu %zu", got_m.dst == memory, got_m.pitch, got_m.value, got_m.elementSize,
         got_m.width, got_m.height);
    m.value = 0x12345;
    SAY(cudaGraphMemsetNodeSetParams(set, &m));
    m.value = 3;
    m.dst = nullptr;
    SAY(cudaGraphMemsetNodeSetParams(set, &m));
    m.dst = memory;
    m.width = 0;
    SAY(cudaGraphMemsetNodeSetParams(set, &m));
    m.width = 4;
    m.height = 0;
    SAY(cudaGraphMemsetNodeSetParams(set, &m));
    m.height = 3;
    m.pitch = 4;
    SAY(cudaGraphMemsetNodeSetParams(set, &m));
    m.pitch = 32;
    SAY(cudaGraphAddMemsetNode(&rows, g, nullptr, 0, &m));
    SAY(cudaGraphMemsetNodeGetParams(rows, &got_m));
    SHOW("%zu %zu %zu", got_m.pitch, got_m.width, got_m.height);
    SAY(cudaGraphMemsetNodeSetParams(set, nullptr));
    SAY(cudaGraphMemsetNodeGetParams(set, nullptr));
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    SAY(cudaGraphAddMemcpyNode(&copy, g, nullptr, 0, &p));
    p.srcPtr = make_cudaPitchedPtr(memory, 64, 16, 4);
    p.dstPtr = make_cudaPitchedPtr(host, 16, 16, 4);
    p.extent = make_cudaExtent(16, 4, 1);
    p.kind = cudaMemcpyDeviceToHost;
    SAY(cudaGraphAddMemcpyNode(&copy, g, nullptr, 0, &p));
    p.kind = cudaMemcpyHostToDevice;
    SAY(cudaGraphMemcpyNodeSetParams(copy, &p));
    SAY(cudaGraphMemcpyNodeSetParams(set, &p));
    SAY(cudaGraphAddMemcpyNode1D(&copy1, g, &copy, 1, memory, host, 64, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&copy1, g, &copy, 1, memory, host, 0, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&copy1, g, &copy, 1, nullptr, host, 4, cudaMemcpyHostToDevice));
    SAY(cudaGraphMemcpyNodeSetParams1D(copy1, memory + 4, host, 8, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms got;
    SAY(cudaGraphMemcpyNodeGetParams(copy1, &got));
    SHOW("%d %zu %zu %zu %d %zu", got.dstPtr.ptr == memory + 4, got.extent.width, got.extent.height,
         got.extent.depth, (int)got.kind, got.dstPtr.pitch);
    SAY(cudaGraphAddMemcpyNodeToSymbol(&symbol, g, nullptr, 0, variable, host, 8, 4,
                                       cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNodeToSymbol(&symbol, g, nullptr, 0, variable, host, 80, 0,
                                       cudaMemcpyHostToDevice));
    SAY(cudaGraphMemcpyNodeSetParamsToSymbol(symbol, variable, host + 1, 4, 0,
                                             cudaMemcpyHostToDevice));
    SAY(cudaGraphMemcpyNodeSetParamsFromSymbol(symbol, host, variable, 4, 0,
                                               cudaMemcpyDeviceToHost));
    cudaHostNodeParams h = {count_call, &calls}, got_h;
    SAY(cudaGraphAddHostNode(&call, g, nullptr, 0, &h));
    h.userData = &other_calls;
    SAY(cudaGraphHostNodeSetParams(call, &h));
    SAY(cudaGraphHostNodeGetParams(call, &got_h));
    SHOW("%d %d", got_h.fn == count_call, got_h.userData == &other_calls);
    h.fn = nullptr;
    SAY(cudaGraphHostNodeSetParams(call, &h));
    SAY(cudaGraphHostNodeGetParams(set, &got_h));
    cudaEvent_t seen = nullptr;
    SAY(cudaGraphAddEventRecordNode(&record, g, nullptr, 0, e));
    SAY(cudaGraphEventRecordNodeGetEvent(record, &seen));
    SHOW("%d", seen == e);
    SAY(cudaGraphEventWaitNodeGetEvent(record, &seen));
    SAY(cudaGraphEventRecordNodeSetEvent(record, e2));
    SAY(cudaGraphEventRecordNodeSetEvent(record, nullptr));
    cudaGraph_t inside;
    SAY(cudaGraphChildGraphNodeGetGraph(set, &inside));
    SAY(cudaGraphAddEmptyNode(&plain, g, nullptr, 0));
    show(g);
}

SECTION(general_functions) {
    int *memory = device_ints(), value = 2, host[4] = {5, 6, 7, 8}, calls = 0;
    cudaGraph_t g, child;
    cudaGraphNode_t n, k, last;
    cudaGraphExec_t exec;
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    void *arguments[] = {&memory, &value};
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = (void *)add;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = arguments;
    SAY(cudaGraphAddNode(&k, g, nullptr, nullptr, 0, &p));
    p.reserved2 = 1;
    SAY(cudaGraphAddNode(&k, g, nullptr, nullptr, 0, &p));
    cudaGraphNodeParams c = {};
    c.type = cudaGraphNodeTypeMemcpy;
    c.memcpy.copyParams.srcPtr = make_cudaPitchedPtr(host, 16, 16, 1);
    c.memcpy.copyParams.dstPtr = make_cudaPitchedPtr(memory, 16, 16, 1);
    c.memcpy.copyParams.extent = make_cudaExtent(16, 1, 1);
    c.memcpy.copyParams.kind = cudaMemcpyHostToDevice;
    SAY(cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &c));
    SAY(cudaGraphAddDependencies(g, &n, &k, nullptr, 1));
    cudaGraphNodeParams m = {};
    m.type = cudaGraphNodeTypeMemset;
    m.memset.dst = memory + 4;
    m.memset.elementSize = 1;
    m.memset.width = 16;
    m.memset.height = 1;
    m.memset.value = 1;
    SAY(cudaGraphAddNode(&last, g, &k, nullptr, 1, &m));
    cudaGraphNodeParams h = {};
    h.type = cudaGraphNodeTypeHost;
    h.host.fn = count_call;
    h.host.userData = &calls;
    SAY(cudaGraphAddNode(&n, g, &last, nullptr, 1, &h));
    SAY(cudaGraphAddNode(&n, child, nullptr, nullptr, 0, &h));
    cudaGraphNodeParams s = {};
    s.type = cudaGraphNodeTypeGraph;
    s.graph.graph = child;
    SAY(cudaGraphAddNode(&n, g, &last, nullptr, 1, &s));
    s.type = (cudaGraphNodeType)99;
    SAY(cudaGraphAddNode(&n, g, &last, nullptr, 1, &s));
    SAY(cudaGraphAddNode(&n, g, &last, nullptr, 1, nullptr));
    show(g);
    SAY(cudaGraphInstantiate(&exec, g, 0));
    SAY(cudaGraphLaunch(exec, 0));
    SHOW("%d %d", value_at(memory), value_at(memory + 4));
    value = 30;
    p.reserved2 = 0;
    SAY(cudaGraphExecNodeSetParams(exec, k, &p));
    SAY(cudaGraphExecNodeSetParams(exec, last, &p));
    SAY(cudaGraphLaunch(exec, 0));
    SHOW("%d", value_at(memory));
    value = 500;
    SAY(cudaGraphNodeSetParams(k, &p));
    SAY(cudaGraphNodeSetParams(last, &p));
    SAY(cudaGraphLaunch(exec, 0));
    SHOW("%d", value_at(memory));
    cudaGraphExecUpdateResultInfo info;
    SAY(cudaGraphExecUpdate(exec, g, &info));
    SHOW("%d", (int)info.result);
    SAY(cudaGraphLaunch(exec, 0));
    SHOW("%d", value_at(memory));
    cudaGraphEdgeData edge;
    memset(&edge, 0, sizeof edge);
    SAY(cudaGraphAddNode(&n, g, &last, &edge, 1, &h));
    edge.type = 1;
    SAY(cudaGraphAddNode(&n, g, &last, &edge, 1, &h));
    edge.type = 0;
    edge.reserved[0] = 1;
    SAY(cudaGraphAddNode(&n, g, &last, &edge, 1, &h));
}

// A chain of a kernel, a memset and a copy, with one thing changed.
static cudaGraph_t chain(int *memory, int *host, int change, cudaGraphNode_t *nodes) {
    cudaGraph_t g;
    int value = 1;
    void *arguments[] = {&memory, &value};
    cudaKernelNodeParams k = {};
    k.func = change == 1 ? (void *)add_again : change == 2 ? (void *)twice : (void *)add;
    k.gridDim = k.blockDim = dim3(change == 3 ? 2 : 1);
    k.kernelParams = arguments;
    cudaMemsetParams m = {memory + 8, 0, 7, 4, change == 4 ? 8u : 4u, 1};
    if (change == 5) m.elementSize = 1;
    if (change == 6) {
        m.height = 2;
        m.pitch = 64;
    }
    cudaGraphCreate(&g, 0);
    cudaGraphAddKernelNode(&nodes[0], g, nullptr, 0, &k);
    cudaGraphAddMemsetNode(&nodes[1], g, &nodes[0], change == 7 ? 0 : 1, &m);
    if (change == 8)
        cudaGraphAddMemcpyNode1D(&nodes[2], g, &nodes[1], 1, memory + 16, memory, 16,
                                 cudaMemcpyDeviceToDevice);
    else
        cudaGraphAddMemcpyNode1D(&nodes[2], g, &nodes[1], 1, host, memory, change == 9 ? 8 : 16,
                                 cudaMemcpyDeviceToHost);
    if (change == 10) cudaGraphAddDependencies(g, &nodes[0], &nodes[2], nullptr, 1);
    return g;
}

SECTION(changes) {
    int *memory = device_ints(), *host;
    cudaMallocHost(&host, 64);
    cudaGraphNode_t nodes[3], others[3];
    cudaGraph_t g = chain(memory, host, 0, nodes);
    for (int change = 0; change <= 10; change++) {
        cudaGraphExec_t exec;
        cudaGraphInstantiate(&exec, g, 0);
        cudaGraph_t other = chain(memory, host, change, others);
        cudaGraphExecUpdateResultInfo info;
        memset(&info, 0, sizeof info);
        SAY(cudaGraphExecUpdate(exec, other, &info));
        int which = -1, from = -1;
        for (int i = 0; i < 3; i++) {
            if (info.errorNode == others[i]) which = i;
            if (info.errorFromNode == others[i]) from = i;
        }
        SHOW("change %d: %d, node %d from %d", change, (int)info.result, which, from);
        SAY(cudaGraphLaunch(exec, 0));
        cudaDeviceSynchronize();
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(other);
    }
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, g, 0);
    cudaMemsetParams m = {memory + 8, 0, 9, 4, 4, 1};
    SAY(cudaGraphExecMemsetNodeSetParams(exec, nodes[1], &m));
    m.width = 2;
    SAY(cudaGraphExecMemsetNodeSetParams(exec, nodes[1], &m));
    m.height = 2;
    m.pitch = 64;
    SAY(cudaGraphExecMemsetNodeSetParams(exec, nodes[1], &m));
    SAY(cudaGraphExecMemsetNodeSetParams(exec, nodes[0], &m));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[2], host, memory, 8,
                                           cudaMemcpyDeviceToHost));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[2], memory, host, 8,
                                           cudaMemcpyHostToDevice));
    SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, nodes[2], memory + 32, memory, 8,
                                           cudaMemcpyDeviceToDevice));
    SAY(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, nodes[2], host, variable, 8, 0,
                                                   cudaMemcpyDeviceToHost));
    SAY(cudaGraphLaunch(nullptr, 0));
    SAY(cudaGraphUpload(nullptr, 0));
    SAY(cudaGraphExecGetFlags(nullptr, nullptr));
    SAY(cudaGraphNodeSetEnabled(exec, nodes[1], 0));
    SAY(cudaGraphNodeSetEnabled(exec, nodes[2], 0));
    unsigned enabled = 9;
    SAY(cudaGraphNodeGetEnabled(exec, nodes[2], &enabled));
    SHOW("%u", enabled);
}

SECTION(printed) {
    int *memory = device_ints(), value = 1, calls = 0;
    cudaGraph_t g;
    cudaGraphNode_t k, m, h;
    cudaGraphCreate(&g, 0);
    void *arguments[] = {&memory, &value};
    cudaKernelNodeParams p = {};
    p.func = (void *)add;
    p.gridDim = dim3(2, 3, 1);
    p.blockDim = dim3(32);
    p.kernelParams = arguments;
    cudaMemsetParams s = {memory, 0, 7, 4, 4, 1};
    cudaHostNodeParams f = {count_call, &calls};
    cudaGraphAddKernelNode(&k, g, nullptr, 0, &p);
    cudaGraphAddMemsetNode(&m, g, &k, 1, &s);
    cudaGraphAddHostNode(&h, g, &m, 1, &f);
    SAY(cudaGraphDebugDotPrint(nullptr, "graph_more.dot", 0));
    SAY(cudaGraphDebugDotPrint(g, nullptr, 0));
    SAY(cudaGraphDebugDotPrint(g, "graph_more.dot", 0));
    FILE *file = fopen("graph_more.dot", "r");
    char line[1024];
    while (file && fgets(line, sizeof line, file)) printf("| %s", line);
    if (file) fclose(file);
    SAY(cudaGraphDebugDotPrint(g, "graph_more.dot", cudaGraphDebugDotFlagsKernelNodeParams));
    file = fopen("graph_more.dot", "r");
    while (file && fgets(line, sizeof line, file)) printf("| %s", line);
    if (file) fclose(file);
    remove("graph_more.dot");
}

int main(int argc, char **argv) { return transcript_run(argc, argv); }
