// What the runtime answers to calls about graphs and stream capture, right ones and mistakes. An
// H100's answers are kept (docs/validation.md).
// since: 13.0
// test: none
// check: block-race (a node gets a second block that adds to the same number)
#include <cstdint>

#include <unistd.h>

#include "../check.h"

__global__ void add(int *data, int value) { *data += value; }
__global__ void twice(int *data) { *data *= 2; }

static int *device_int() {
    int *memory;
    cudaMalloc(&memory, 256);
    cudaMemset(memory, 0, 256);
    return memory;
}

SECTION(capture_states) {
    cudaStream_t s, other;
    cudaGraph_t g = nullptr;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    int *memory = device_int(), host = 0;
    cudaEvent_t e;
    cudaEventCreate(&e);
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    SAY(cudaStreamEndCapture(s, &g));
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(s, (cudaStreamCaptureMode)9));
    SAY(cudaStreamIsCapturing(s, &status));
    SHOW("%d", (int)status);
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamIsCapturing(s, &status));
    SHOW("%d", (int)status);
    SAY(cudaStreamIsCapturing(other, &status));
    SHOW("%d", (int)status);
    SAY(cudaStreamIsCapturing(0, &status));
    add<<<1, 1, 0, s>>>(memory, 3);
    SAY(cudaGetLastError());
    cudaGraph_t going = nullptr;
    const cudaGraphNode_t *nodes = nullptr;
    const cudaGraphEdgeData *edges = nullptr;
    size_t count = 0;
    SAY(cudaStreamGetCaptureInfo(s, &status, &id, &going, &nodes, &edges, &count));
    SHOW("%d %d %d %zu", (int)status, id != 0, going != nullptr, count);
    SAY(cudaMemcpyAsync(&host, memory, 4, cudaMemcpyDeviceToHost, s));
    SAY(cudaMemsetAsync(memory, 0, 4, s));
    SAY(cudaStreamEndCapture(s, &g));
    count = 0;
    SAY(cudaGraphGetNodes(g, nullptr, &count));
    SHOW("%zu", count);
    SAY(cudaStreamEndCapture(s, nullptr));
    SAY(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    cudaGraph_t empty = nullptr;
    SAY(cudaStreamEndCapture(s, &empty));
    SAY(cudaGraphGetNodes(empty, nullptr, &count));
    SHOW("%zu", count);
    SAY(cudaGraphDestroy(empty));
    SAY(cudaGraphDestroy(g));
}

// A call that a capturing thread must not make; the capture is then invalid.
#define UNSAFE(mode, call)                                                                         \
    do {                                                                                           \
        cudaGraph_t g_ = nullptr;                                                                  \
        cudaStreamCaptureStatus status_;                                                           \
        cudaStreamBeginCapture(s, mode);                                                           \
        printf(#mode " ");                                                                         \
        SAY(call);                                                                                 \
        cudaError_t after_ = cudaStreamIsCapturing(s, &status_);                                   \
        cudaError_t end_ = cudaStreamEndCapture(s, &g_);                                           \
        printf("    %s %d, end %s %d\n", cudaGetErrorName(after_), (int)status_,                   \
               cudaGetErrorName(end_), g_ != nullptr);                                             \
        cudaGetLastError();                                                                        \
        if (g_) cudaGraphDestroy(g_);                                                              \
    } while (0)
#define UNSAFE_ALL(call)                                                                           \
    UNSAFE(cudaStreamCaptureModeGlobal, call);                                                     \
    UNSAFE(cudaStreamCaptureModeThreadLocal, call);                                                \
    UNSAFE(cudaStreamCaptureModeRelaxed, call)

SECTION(unsafe_calls) {
    cudaStream_t s, blocking, apart;
    cudaEvent_t e, recorded;
    int *memory = device_int(), host = 0, *fresh = nullptr;
    cudaStreamCreate(&s);
    cudaStreamCreate(&blocking);
    cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaEventCreate(&recorded);
    cudaEventRecord(recorded, apart);
    cudaDeviceSynchronize();
    UNSAFE_ALL(cudaDeviceSynchronize());
    UNSAFE_ALL(cudaStreamSynchronize(s));
    UNSAFE_ALL(cudaStreamQuery(s));
    UNSAFE_ALL(cudaStreamSynchronize(apart));
    UNSAFE_ALL(cudaStreamSynchronize(blocking));
    UNSAFE_ALL(cudaStreamQuery(apart));
    UNSAFE_ALL(cudaEventQuery(recorded));
    UNSAFE_ALL(cudaEventSynchronize(recorded));
    UNSAFE_ALL(cudaMemcpy(&host, memory, 4, cudaMemcpyDeviceToHost));
    UNSAFE_ALL(cudaMemset(memory, 0, 4));
    UNSAFE_ALL(cudaMemcpyAsync(&host, memory, 4, cudaMemcpyDeviceToHost, 0));
    UNSAFE_ALL(cudaMemcpyAsync(&host, memory, 4, cudaMemcpyDeviceToHost, apart));
    UNSAFE_ALL(cudaMemcpyAsync(&host, memory, 4, cudaMemcpyDeviceToHost, blocking));
    UNSAFE_ALL((add<<<1, 1>>>(memory, 1), cudaPeekAtLastError()));
    UNSAFE_ALL((add<<<1, 1, 0, blocking>>>(memory, 1), cudaPeekAtLastError()));
    UNSAFE_ALL(cudaMalloc(&fresh, 64));
    UNSAFE_ALL(cudaFree(fresh));
    UNSAFE_ALL(cudaMallocHost((void **)&fresh, 64));
    UNSAFE_ALL(cudaFreeHost(fresh));
    UNSAFE_ALL(cudaMallocAsync(&fresh, 64, apart));
    UNSAFE_ALL(cudaEventRecord(e, 0));
    UNSAFE_ALL(cudaEventRecord(e, apart));
    UNSAFE_ALL(cudaStreamWaitEvent(s, recorded, 0));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    SAY(cudaStreamDestroy(s)); // ends the capture
    cudaStreamCreate(&s);
    cudaFuncAttributes attributes;
    UNSAFE_ALL(cudaFuncGetAttributes(&attributes, add));
    UNSAFE_ALL(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    cudaGraph_t g = nullptr;
    SAY(cudaStreamEndCapture(blocking, &g));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    SHOW("%d", (int)mode);
    UNSAFE(cudaStreamCaptureModeGlobal, cudaMalloc(&fresh, 64));
    mode = (cudaStreamCaptureMode)7;
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    mode = cudaStreamCaptureModeGlobal;
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    SHOW("%d", (int)mode);
}

SECTION(joined_streams) {
    cudaStream_t a, b;
    cudaEvent_t fork, join, other;
    cudaGraph_t g = nullptr;
    cudaStreamCaptureStatus status;
    int *memory = device_int();
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaEventCreate(&other);
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, a>>>(memory, 1);
    SAY(cudaEventRecord(fork, a));
    SAY(cudaEventQuery(fork));
    SAY(cudaStreamIsCapturing(a, &status));
    SHOW("%d", (int)status);
    cudaStreamEndCapture(a, &g);
    cudaGetLastError();
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, a>>>(memory, 1);
    SAY(cudaEventRecord(fork, a));
    SAY(cudaStreamWaitEvent(b, fork, 0));
    SAY(cudaStreamIsCapturing(b, &status));
    SHOW("%d", (int)status);
    twice<<<1, 1, 0, b>>>(memory);
    SAY(cudaStreamEndCapture(b, &g));
    SAY(cudaStreamIsCapturing(a, &status));
    SHOW("%d", (int)status);
    SAY(cudaStreamEndCapture(a, &g));
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, a>>>(memory, 1);
    SAY(cudaEventRecord(fork, a));
    SAY(cudaStreamWaitEvent(b, fork, 0));
    twice<<<1, 1, 0, b>>>(memory);
    SAY(cudaStreamEndCapture(a, &g));
    SHOW("%d", g != nullptr);
    SAY(cudaStreamIsCapturing(b, &status));
    SHOW("%d", (int)status);
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, a>>>(memory, 1);
    SAY(cudaEventRecord(fork, a));
    SAY(cudaStreamWaitEvent(b, fork, 0));
    twice<<<1, 1, 0, b>>>(memory);
    SAY(cudaEventRecord(join, b));
    SAY(cudaStreamWaitEvent(a, join, 0));
    SAY(cudaEventSynchronize(join));
    SAY(cudaStreamEndCapture(a, &g));
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, a>>>(memory, 1);
    SAY(cudaEventRecord(fork, a));
    SAY(cudaStreamWaitEvent(b, fork, 0));
    twice<<<1, 1, 0, b>>>(memory);
    add<<<1, 1, 0, a>>>(memory, 5);
    SAY(cudaEventRecord(join, b));
    SAY(cudaStreamWaitEvent(a, join, 0));
    add<<<1, 1, 0, a>>>(memory, 7);
    SAY(cudaStreamEndCapture(a, &g));
    size_t nodes = 0, edges = 0, roots = 0;
    SAY(cudaGraphGetNodes(g, nullptr, &nodes));
    SAY(cudaGraphGetEdges(g, nullptr, nullptr, nullptr, &edges));
    SAY(cudaGraphGetRootNodes(g, nullptr, &roots));
    SHOW("%zu nodes, %zu edges, %zu roots", nodes, edges, roots);
    SAY(cudaStreamIsCapturing(b, &status));
    SHOW("%d", (int)status);
    SAY(cudaEventQuery(fork));
    SAY(cudaEventSynchronize(fork));
    SAY(cudaStreamWaitEvent(b, fork, 0));
    // Two captures that meet
    cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed);
    cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed);
    SAY(cudaEventRecord(fork, a));
    SAY(cudaStreamWaitEvent(b, fork, 0));
    SAY(cudaStreamEndCapture(a, &g));
    SAY(cudaStreamEndCapture(b, &g));
    // An event of before the capture
    SAY(cudaEventRecord(other, b));
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamWaitEvent(a, other, 0));
    SAY(cudaStreamEndCapture(a, &g));
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeRelaxed));
    SAY(cudaStreamWaitEvent(a, other, cudaEventWaitExternal));
    SAY(cudaEventRecordWithFlags(other, a, cudaEventRecordExternal));
    SAY(cudaStreamEndCapture(a, &g));
    nodes = 0;
    SAY(cudaGraphGetNodes(g, nullptr, &nodes));
    SHOW("%zu nodes", nodes);
    float ms;
    SAY(cudaEventElapsedTime(&ms, fork, join));
}

// A stream that joins, may work, and is destroyed before the capture ends.
static void destroyed_stream(bool work, bool record, bool before, bool after, bool more) {
    cudaStream_t a, b;
    cudaEvent_t fork, join;
    cudaGraph_t g = nullptr;
    cudaStreamCaptureStatus status;
    int *memory = device_int();
    size_t nodes = 0;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    SHOW("work %d, recorded %d, joined before %d, after %d, more work %d", work, record, before,
         after, more);
    cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal);
    add<<<1, 1, 0, a>>>(memory, 1);
    cudaEventRecord(fork, a);
    cudaStreamWaitEvent(b, fork, 0);
    if (work) add<<<1, 1, 0, b>>>(memory, 2);
    if (record) cudaEventRecord(join, b);
    if (before) SAY(cudaStreamWaitEvent(a, join, 0));
    if (more) add<<<1, 1, 0, b>>>(memory, 4);
    SAY(cudaStreamDestroy(b));
    SAY(cudaStreamIsCapturing(a, &status));
    SHOW("%d", (int)status);
    if (after) SAY(cudaStreamWaitEvent(a, join, 0));
    add<<<1, 1, 0, a>>>(memory, 8);
    SAY(cudaStreamEndCapture(a, &g));
    if (g) cudaGraphGetNodes(g, nullptr, &nodes);
    SHOW("%zu nodes", nodes);
    cudaGetLastError();
}

SECTION(destroyed_streams) {
    for (int i = 0; i < 32; i++) {
        bool recorded = i & 2, before = i & 4, after = i & 8;
        if ((before || after) && !recorded) continue;
        if (!(before && after)) destroyed_stream(i & 1, recorded, before, after, i & 16);
    }
}

SECTION(explicit_graphs) {
    cudaGraph_t g, other, clone = nullptr;
    cudaGraphNode_t a, b, c, kernel, found = nullptr;
    cudaGraphExec_t exec = nullptr;
    int *memory = device_int(), value = 5;
    SAY(cudaGraphCreate(nullptr, 0));
    SAY(cudaGraphCreate(&g, 1));
    SAY(cudaGraphCreate(&g, 0));
    SAY(cudaGraphCreate(&other, 0));
    SAY(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
    SAY(cudaGraphAddEmptyNode(&b, g, &a, 1));
    SAY(cudaGraphAddEmptyNode(nullptr, g, &a, 1));
    SAY(cudaGraphAddEmptyNode(&c, g, nullptr, 1));
    SAY(cudaGraphAddEmptyNode(&c, other, &a, 1));
    cudaGraphNode_t twice_a[] = {a, a};
    SAY(cudaGraphAddEmptyNode(&c, g, twice_a, 2));
    SAY(cudaGraphAddEmptyNode(&c, g, nullptr, 0));
    SAY(cudaGraphAddDependencies(g, &a, &b, nullptr, 1));
    SAY(cudaGraphAddDependencies(g, &a, &a, nullptr, 1));
    SAY(cudaGraphAddDependencies(g, &b, &c, nullptr, 1));
    SAY(cudaGraphAddDependencies(g, &c, &a, nullptr, 1));
    SAY(cudaGraphInstantiate(&exec, g, 0));
    SAY(cudaGraphRemoveDependencies(g, &c, &a, nullptr, 1));
    SAY(cudaGraphRemoveDependencies(g, &c, &a, nullptr, 1));
    cudaGraphNodeType type;
    SAY(cudaGraphNodeGetType(a, &type));
    SHOW("%d", (int)type);
    SAY(cudaGraphNodeGetType(nullptr, &type));
    cudaGraphNode_t list[4] = {nullptr, nullptr, nullptr, nullptr};
    size_t count = 1;
    SAY(cudaGraphGetNodes(g, list, &count));
    SHOW("%zu %d", count, list[0] == a);
    count = 4;
    SAY(cudaGraphGetNodes(g, list, &count));
    SHOW("%zu %d %d %d", count, list[0] == a, list[1] == b, list[3] == nullptr);
    count = 4;
    SAY(cudaGraphNodeGetDependencies(c, list, nullptr, &count));
    SHOW("%zu %d", count, list[0] == b);
    count = 4;
    SAY(cudaGraphNodeGetDependentNodes(a, list, nullptr, &count));
    SHOW("%zu %d", count, list[0] == b);
    cudaKernelNodeParams k = {};
    void *arguments[] = {&memory, &value};
    SAY(cudaGraphAddKernelNode(&kernel, g, nullptr, 0, &k));
    k.func = (void *)add;
    k.gridDim = k.blockDim = dim3(1);
    SAY(cudaGraphAddKernelNode(&kernel, g, nullptr, 0, &k));
    k.kernelParams = arguments;
    SAY(cudaGraphAddKernelNode(&kernel, g, nullptr, 0, nullptr));
    k.blockDim.x = 2000;
    SAY(cudaGraphAddKernelNode(&kernel, g, nullptr, 0, &k));
    k.blockDim.x = 1;
    SAY(cudaGraphAddKernelNode(&kernel, g, &c, 1, &k));
    cudaKernelNodeParams got;
    SAY(cudaGraphKernelNodeGetParams(kernel, &got));
    SHOW("%d %u %d", got.func == (void *)add, got.gridDim.x, *(int *)got.kernelParams[1]);
    SAY(cudaGraphKernelNodeGetParams(a, &got));
    SAY(cudaGraphClone(&clone, g));
    SAY(cudaGraphNodeFindInClone(&found, kernel, clone));
    SHOW("%d", found != nullptr && found != kernel);
    SAY(cudaGraphNodeFindInClone(&found, kernel, other));
    value = 7;
    SAY(cudaGraphKernelNodeSetParams(kernel, &k));
    SAY(cudaGraphInstantiate(&exec, g, 0));
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaGraphLaunch(nullptr, 0));
    SAY(cudaDeviceSynchronize());
    int host = 0;
    cudaMemcpy(&host, memory, 4, cudaMemcpyDeviceToHost);
    SHOW("%d", host);
    value = 100;
    SAY(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
    SAY(cudaGraphExecKernelNodeSetParams(exec, a, &k));
    SAY(cudaGraphExecKernelNodeSetParams(exec, found, &k));
    k.gridDim.x = 2;
    SAY(cudaGraphExecKernelNodeSetParams(exec, kernel, &k));
    void *only[] = {&memory};
    cudaKernelNodeParams changed = k;
    changed.func = (void *)twice;
    changed.gridDim.x = 1;
    changed.kernelParams = only;
    SAY(cudaGraphExecKernelNodeSetParams(exec, kernel, &changed));
    SAY(cudaGraphLaunch(exec, 0));
    cudaMemcpy(&host, memory, 4, cudaMemcpyDeviceToHost);
    SHOW("%d", host);
    unsigned enabled = 7;
    SAY(cudaGraphNodeSetEnabled(exec, kernel, 0));
    SAY(cudaGraphNodeGetEnabled(exec, kernel, &enabled));
    SHOW("%u", enabled);
    SAY(cudaGraphNodeSetEnabled(exec, a, 0));
    SAY(cudaGraphLaunch(exec, 0));
    cudaMemcpy(&host, memory, 4, cudaMemcpyDeviceToHost);
    SHOW("%d", host);
    unsigned long long flags = 99;
    SAY(cudaGraphExecGetFlags(exec, &flags));
    SHOW("%llu", flags);
    SAY(cudaGraphUpload(exec, 0));
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphExecDestroy(nullptr));
    SAY(cudaGraphDestroyNode(b));
    count = 4;
    SAY(cudaGraphNodeGetDependencies(c, list, nullptr, &count));
    SHOW("%zu", count);
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphDestroy(clone));
    SAY(cudaGraphDestroy(other));
    SAY(cudaGraphDestroy(nullptr));
    SAY(cudaGraphInstantiate(&exec, nullptr, 0));
}

static void host_add(void *data) { *(int *)data += 1; }

SECTION(memory_nodes) {
    cudaGraph_t g, child;
    cudaGraphNode_t set, copy, host_node, sub, nested;
    cudaGraphExec_t exec = nullptr;
    int *memory = device_int(), host[4] = {1, 2, 3, 4}, calls = 0;
    cudaGraphCreate(&g, 0);
    cudaMemsetParams m;
    memset(&m, 0, sizeof m);
    m.dst = memory;
    m.elementSize = 3;
    m.width = 4;
    m.height = 1;
    SAY(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &m));
    m.elementSize = 4;
    m.value = 0x01020304;
    SAY(cudaGraphAddMemsetNode(&set, g, nullptr, 0, &m));
    SAY(cudaGraphAddMemcpyNode1D(&copy, g, &set, 1, host, memory, 16, cudaMemcpyHostToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&copy, g, &set, 1, host, memory, 16, cudaMemcpyDeviceToHost));
    cudaMemcpy3DParms p;
    SAY(cudaGraphMemcpyNodeGetParams(copy, &p));
    SHOW("%d %zu %zu %zu %d", p.dstPtr.ptr == host, p.extent.width, p.extent.height, p.extent.depth,
         (int)p.kind);
    cudaHostNodeParams h = {host_add, &calls};
    SAY(cudaGraphAddHostNode(&host_node, g, &copy, 1, &h));
    cudaHostNodeParams no_h = {nullptr, nullptr};
    SAY(cudaGraphAddHostNode(&nested, g, &copy, 1, &no_h));
    cudaGraphCreate(&child, 0);
    SAY(cudaGraphAddHostNode(&nested, child, nullptr, 0, &h));
    SAY(cudaGraphAddChildGraphNode(&sub, g, &host_node, 1, child));
    cudaGraph_t inside = nullptr;
    SAY(cudaGraphChildGraphNodeGetGraph(sub, &inside));
    SHOW("%d", inside != nullptr && inside != child);
    SAY(cudaGraphInstantiate(&exec, g, 0));
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaDeviceSynchronize());
    SHOW("%08x %08x %d", host[0], host[3], calls);
    SAY(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, host + 1, memory, 4,
                                           cudaMemcpyDeviceToHost));
    m.value = 9;
    SAY(cudaGraphExecMemsetNodeSetParams(exec, set, &m));
    int others = 10;
    h.userData = &others;
    SAY(cudaGraphExecHostNodeSetParams(exec, host_node, &h));
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaDeviceSynchronize());
    SHOW("%08x %08x %d %d", host[0], host[1], calls, others);
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphDestroy(g));
}

SECTION(event_nodes) {
    cudaGraph_t g;
    cudaGraphNode_t record, wait;
    cudaGraphExec_t exec = nullptr;
    cudaEvent_t e1, e2, got;
    cudaEventCreate(&e1);
    cudaEventCreate(&e2);
    cudaGraphCreate(&g, 0);
    SAY(cudaGraphAddEventRecordNode(&record, g, nullptr, 0, e1));
    SAY(cudaGraphAddEventWaitNode(&wait, g, &record, 1, e2));
    SAY(cudaGraphAddEventRecordNode(&record, g, nullptr, 0, nullptr));
    SAY(cudaGraphEventWaitNodeGetEvent(wait, &got));
    SHOW("%d", got == e2);
    SAY(cudaGraphEventRecordNodeSetEvent(record, e2));
    SAY(cudaGraphInstantiate(&exec, g, 0));
    SAY(cudaGraphExecEventWaitNodeSetEvent(exec, wait, e1));
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaEventSynchronize(e1));
}

static void build(cudaGraph_t *g, cudaGraphNode_t *node, int **memory, int *value, unsigned grid) {
    cudaKernelNodeParams k = {};
    void *arguments[] = {memory, value};
    k.func = (void *)add;
    k.gridDim = dim3(grid);
    k.blockDim = dim3(1);
    k.kernelParams = arguments;
    cudaGraphCreate(g, 0);
    cudaGraphAddKernelNode(node, *g, nullptr, 0, &k);
}

SECTION(updates) {
    cudaGraph_t g, same, more, kind;
    cudaGraphNode_t n, n2, extra;
    cudaGraphExec_t exec;
    int *memory = device_int(), one = 1, two = 2, host = 0;
    build(&g, &n, &memory, &one, 1);
    build(&same, &n2, &memory, &two, 2);
    build(&more, &n2, &memory, &two, 1);
    cudaGraphAddEmptyNode(&extra, more, &n2, 1);
    cudaGraphCreate(&kind, 0);
    cudaGraphAddEmptyNode(&extra, kind, nullptr, 0);
    SAY(cudaGraphInstantiate(&exec, g, 0));
    cudaGraphExecUpdateResultInfo info;
    memset(&info, 0, sizeof info);
    SAY(cudaGraphExecUpdate(exec, same, &info));
    SHOW("%d", (int)info.result);
    SAY(cudaGraphLaunch(exec, 0));
    cudaMemcpy(&host, memory, 4, cudaMemcpyDeviceToHost);
    SAY(cudaGraphExecUpdate(exec, more, &info));
    SHOW("%d", (int)info.result);
    SAY(cudaGraphExecUpdate(exec, kind, &info));
    SHOW("%d %d", (int)info.result, info.errorNode == extra);
    SAY(cudaGraphExecUpdate(exec, nullptr, &info));
    cudaGraphInstantiateParams p;
    memset(&p, 0, sizeof p);
    SAY(cudaGraphInstantiateWithParams(&exec, g, &p));
    SHOW("%d", (int)p.result_out);
    p.flags = cudaGraphInstantiateFlagUpload;
    SAY(cudaGraphInstantiateWithParams(&exec, g, &p));
    SAY(cudaGraphInstantiateWithFlags(&exec, g, 0x1000));
    SAY(cudaGraphInstantiateWithFlags(&exec, g, cudaGraphInstantiateFlagUseNodePriority));
    cudaGraphNodeParams np = {};
    np.type = cudaGraphNodeTypeEmpty;
    SAY(cudaGraphAddNode(&extra, g, &n, nullptr, 1, &np));
    np.reserved0[0] = 1;
    SAY(cudaGraphAddNode(&extra, g, &n, nullptr, 1, &np));
    cudaKernelNodeAttrValue attribute;
    memset(&attribute, 0, sizeof attribute);
    SAY(cudaGraphKernelNodeGetAttribute(n, cudaKernelNodeAttributePriority, &attribute));
    SHOW("%d", attribute.priority);
    attribute.priority = -2;
    SAY(cudaGraphKernelNodeSetAttribute(n, cudaKernelNodeAttributePriority, &attribute));
    SAY(cudaGraphKernelNodeCopyAttributes(n2, n));
    SAY(cudaGraphKernelNodeGetAttribute(n2, cudaKernelNodeAttributePriority, &attribute));
    SHOW("%d", attribute.priority);
    SAY(cudaGraphDebugDotPrint(g, "/nowhere/graph.dot", 0));
}

static void destroy_object(void *data) { *(int *)data += 1; }

SECTION(user_objects) {
    int destroyed = 0;
    cudaUserObject_t object;
    cudaGraph_t g, clone;
    cudaGraphExec_t exec;
    SAY(cudaUserObjectCreate(&object, &destroyed, destroy_object, 1, 0));
    SAY(cudaUserObjectCreate(&object, &destroyed, destroy_object, 0,
                             cudaUserObjectNoDestructorSync));
    SAY(cudaUserObjectCreate(&object, &destroyed, destroy_object, 1,
                             cudaUserObjectNoDestructorSync));
    SAY(cudaUserObjectRetain(object, 1));
    SAY(cudaUserObjectRelease(object, 1));
    SAY(cudaUserObjectRetain(object, 0));
    cudaGraphCreate(&g, 0);
    SAY(cudaGraphRetainUserObject(g, object, 1, 5));
    SAY(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    SAY(cudaGraphClone(&clone, g));
    SAY(cudaGraphInstantiate(&exec, g, 0));
    SAY(cudaGraphDestroy(g));
    SAY(cudaGraphDestroy(clone));
    SHOW("%d", destroyed);
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaDeviceSynchronize());
    SAY(cudaGraphExecDestroy(exec));
    cudaDeviceSynchronize();
    while (!*(volatile int *)&destroyed) usleep(1000);
    SHOW("%d", destroyed);
    destroyed = 0;
    SAY(cudaUserObjectCreate(&object, &destroyed, destroy_object, 2,
                             cudaUserObjectNoDestructorSync));
    SAY(cudaGraphCreate(&g, 0));
    SAY(cudaGraphRetainUserObject(g, object, 1, 0));
    SAY(cudaUserObjectRelease(object, 2));
    SHOW("%d", destroyed);
    SAY(cudaGraphReleaseUserObject(g, object, 1));
    while (!*(volatile int *)&destroyed) usleep(1000);
    SHOW("%d", destroyed);
    SAY(cudaGraphDestroy(g));
}

int main(int argc, char **argv) { return transcript_run(argc, argv); }
