// Questions about graphs: what an update may change, clones, conditional nodes, memory nodes.
#include "ask.h"
#include <atomic>
#include <string>

static __device__ int cell[64];
__global__ void put(int index, int value) { cell[index] = value; }
__global__ void add(int index, int value) { atomicAdd(&cell[index], value); }
__global__ void nothing() {}

static int cell_is(int index = 0) {
    int value[64];
    int error = cudaMemcpyFromSymbol(value, cell, sizeof value);
    return error ? -error : value[index];
}
static void clear() {
    int zero[64] = {};
    cudaMemcpyToSymbol(cell, zero, sizeof zero);
}
static std::atomic<int> gate;
static void CUDART_CB wait_for_gate(void *) {
    for (int i = 0; i < 2000 && !gate; i++) usleep(100);
}
static void CUDART_CB ignore(void *) {}
static void hold(cudaStream_t stream) {
    gate = 0;
    cudaLaunchHostFunc(stream, wait_for_gate, nullptr);
}
static cudaGraph_t new_graph() {
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
    return graph;
}
static cudaGraphNode_t empty_node(cudaGraph_t graph, cudaGraphNode_t after = nullptr) {
    cudaGraphNode_t node = nullptr;
    cudaGraphAddEmptyNode(&node, graph, after ? &after : nullptr, after ? 1 : 0);
    return node;
}
static int argument_index, argument_value;
static void *arguments[] = {&argument_index, &argument_value};
static cudaKernelNodeParams call(void (*kernel)(int, int), int index, int value) {
    cudaKernelNodeParams p = {};
    argument_index = index, argument_value = value;
    p.func = (void *)kernel;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    return p;
}
static cudaGraphNode_t kernel_node(cudaGraph_t graph, cudaKernelNodeParams p,
                                   cudaGraphNode_t after = nullptr) {
    cudaGraphNode_t node = nullptr;
    cudaGraphAddKernelNode(&node, graph, after ? &after : nullptr, after ? 1 : 0, &p);
    return node;
}
static cudaGraphNode_t host_node(cudaGraph_t graph, cudaHostFn_t function) {
    cudaGraphNode_t node = nullptr;
    cudaHostNodeParams p = {function, nullptr};
    cudaGraphAddHostNode(&node, graph, nullptr, 0, &p);
    return node;
}
static cudaGraphExec_t exec_of(cudaGraph_t graph, unsigned flags = 0, int *code = nullptr) {
    cudaGraphExec_t exec = nullptr;
    int error = cudaGraphInstantiate(&exec, graph, flags);
    if (code) *code = error;
    return exec;
}
static int run(cudaGraphExec_t exec) {
    int code = cudaGraphLaunch(exec, 0);
    cudaDeviceSynchronize();
    return code;
}
static void say_update(cudaGraphExec_t exec, cudaGraph_t graph) {
    cudaGraphExecUpdateResultInfo info = {};
    int code = cudaGraphExecUpdate(exec, graph, &info);
    say(" %d %d", code, info.result);
    cudaGetLastError();
}

HOST(1141) {
    cudaGraph_t graph = new_graph();
    clear();
    kernel_node(graph, call(add, 0, 1));
    cudaGraphExec_t a = exec_of(graph), b = exec_of(graph);
    cudaGraphDestroy(graph);
    run(a), run(b);
    say(" %d", cell_is());
}
HOST(1142) {
    cudaGraph_t graph = new_graph(), clone, third = new_graph();
    cudaGraphNode_t node = empty_node(graph), other = empty_node(third), found;
    cudaGraphClone(&clone, graph);
    say(" %d", cudaGraphNodeFindInClone(&found, node, clone));
    say(" %d", cudaGraphNodeFindInClone(&found, other, clone));
}
HOST(1143) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = kernel_node(graph, call(put, 0, 1));
    cudaGraphExec_t exec = exec_of(graph);
    cudaKernelNodeParams p = call(put, 0, 2);
    cudaGraphKernelNodeSetParams(node, &p);
    run(exec);
    say(" %d", cell_is());
    cudaGraphExecUpdateResultInfo info;
    cudaGraphExecUpdate(exec, graph, &info);
    run(exec);
    say(" %d", cell_is());
}
HOST(1144) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = kernel_node(graph, call(put, 0, 1));
    cudaGraphExec_t exec = exec_of(graph);
    cudaKernelNodeParams p = call(add, 0, 1), q = call(put, 0, 1), r = call(put, 0, 1);
    q.gridDim = dim3(5), r.gridDim = dim3(0);
    for (cudaKernelNodeParams *each : {&p, &q, &r})
        say(" %d", cudaGraphExecKernelNodeSetParams(exec, node, each));
}
HOST(1145) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node;
    char *memory, *pinned;
    cudaMalloc(&memory, 64);
    cudaMallocHost(&pinned, 64);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, memory, pinned, 64, cudaMemcpyHostToDevice);
    cudaGraphExec_t exec = exec_of(graph);
    say(" %d",
        cudaGraphExecMemcpyNodeSetParams1D(exec, node, memory, pinned, 32, cudaMemcpyHostToDevice));
    say(" %d",
        cudaGraphExecMemcpyNodeSetParams1D(exec, node, pinned, memory, 64, cudaMemcpyDeviceToHost));
}
HOST(1146) {
    cudaGraph_t graph = new_graph(), child = new_graph(), same = new_graph(), other = new_graph();
    cudaGraphNode_t node;
    kernel_node(child, call(put, 0, 1));
    kernel_node(same, call(put, 0, 2));
    kernel_node(other, call(put, 0, 1), kernel_node(other, call(put, 0, 2)));
    cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child);
    cudaGraphExec_t exec = exec_of(graph);
    say(" %d", cudaGraphExecChildGraphNodeSetParams(exec, node, same));
    say(" %d", cudaGraphExecChildGraphNodeSetParams(exec, node, other));
}
HOST(1147) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = kernel_node(graph, call(put, 0, 1)), empty = empty_node(graph);
    cudaGraphExec_t exec = exec_of(graph);
    unsigned enabled = 7;
    clear();
    cudaGraphNodeSetEnabled(exec, node, 0);
    cudaGraphNodeGetEnabled(exec, node, &enabled);
    run(exec);
    say(" %u %d %d", enabled, cell_is(), cudaGraphNodeSetEnabled(exec, empty, 0));
}
static int connect(cudaGraph_t graph, cudaGraphNode_t from, cudaGraphNode_t to,
                   bool remove = false) {
    return remove ? cudaGraphRemoveDependencies(graph, &from, &to, nullptr, 1)
                  : cudaGraphAddDependencies(graph, &from, &to, nullptr, 1);
}
HOST(1148) {
    cudaGraph_t graph = new_graph(), other = new_graph();
    cudaGraphNode_t a = empty_node(graph), b = empty_node(graph), c = empty_node(other);
    say(" %d", connect(graph, a, b, true));
    say(" %d", connect(graph, a, c));
}
static void say_type(cudaGraphNode_t node) {
    cudaGraphNodeType type = (cudaGraphNodeType)77;
    cudaGraphNodeGetType(node, &type);
    say(" %d", type);
}
static cudaGraphNode_t alloc_node(cudaGraph_t graph, void **address = nullptr,
                                  size_t bytes = 1000) {
    cudaMemAllocNodeParams p = {};
    cudaGraphNode_t node = nullptr;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = bytes;
    cudaGraphAddMemAllocNode(&node, graph, nullptr, 0, &p);
    if (address) *address = p.dptr;
    return node;
}
HOST(1149) {
    cudaGraph_t graph = new_graph(), child = new_graph();
    cudaGraphNode_t node;
    cudaEvent_t event;
    cudaEventCreate(&event);
    cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, event);
    say_type(node);
    cudaGraphAddEventWaitNode(&node, graph, nullptr, 0, event);
    say_type(node);
    say_type(host_node(graph, ignore));
    cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child);
    say_type(node);
    say_type(empty_node(graph));
    say_type(alloc_node(graph));
}
static size_t nodes_of(cudaGraph_t graph) {
    size_t nodes = 77;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    return nodes;
}
HOST(1150) {
    cudaGraph_t graph = new_graph(), child = new_graph(), inside;
    cudaGraphNode_t node;
    empty_node(child);
    cudaGraphAddChildGraphNode(&node, graph, nullptr, 0, child);
    empty_node(child);
    cudaGraphChildGraphNodeGetGraph(node, &inside);
    say(" %zu %zu", nodes_of(inside), nodes_of(graph));
}
HOST(1151) {
    for (unsigned flags : {0, (int)cudaGraphInstantiateFlagAutoFreeOnLaunch}) {
        cudaGraph_t graph = new_graph();
        alloc_node(graph);
        cudaGraphExec_t exec = exec_of(graph, flags);
        for (int i = 0; i < 2; i++) say(" %d", run(exec));
    }
}
HOST(1152) {
    for (u64 flags :
         {0, (int)cudaGraphInstantiateFlagUseNodePriority, (int)cudaGraphInstantiateFlagUpload}) {
        cudaGraph_t graph = new_graph();
        cudaGraphInstantiateParams p = {};
        cudaGraphExec_t exec;
        u64 got = 77;
        empty_node(graph);
        p.flags = flags;
        cudaGraphInstantiateWithParams(&exec, graph, &p);
        cudaGraphExecGetFlags(exec, &got);
        say(" %llu", got);
    }
}

// ---- conditional nodes --------------------------------------------------------------------------

static cudaGraphConditionalHandle handle_of(cudaGraph_t graph, unsigned value,
                                            unsigned flags = cudaGraphCondAssignDefault) {
    cudaGraphConditionalHandle handle = 0;
    cudaGraphConditionalHandleCreate(&handle, graph, value, flags);
    return handle;
}
static int add_conditional(cudaGraph_t graph, cudaGraphConditionalHandle handle,
                           cudaGraphConditionalNodeType type, unsigned size, cudaGraph_t *bodies,
                           cudaGraphNode_t after = nullptr) {
    cudaGraphNodeParams p = {};
    cudaGraphNode_t node;
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    int code = cudaGraphAddNode(&node, graph, after ? &after : nullptr, nullptr, after ? 1 : 0, &p);
    for (unsigned i = 0; !code && i < size; i++) bodies[i] = p.conditional.phGraph_out[i];
    return code;
}
__global__ void set_if_below(cudaGraphConditionalHandle handle, int below) {
    int count = ++cell[0];
    cudaGraphSetConditional(handle, count < below);
}
__global__ void set_switch(cudaGraphConditionalHandle handle) {
    cudaGraphSetConditional(handle, cell[0] % 3);
}
__global__ void set_value(cudaGraphConditionalHandle handle, unsigned value) {
    cudaGraphSetConditional(handle, value);
}
static cudaGraphNode_t node_of(cudaGraph_t graph, void *kernel, void **with,
                               cudaGraphNode_t after = nullptr) {
    cudaKernelNodeParams p = {};
    p.func = kernel;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = with;
    return kernel_node(graph, p, after);
}
HOST(1153) {
    for (unsigned value : {0, 1, 7}) {
        cudaGraph_t graph = new_graph(), body;
        clear();
        add_conditional(graph, handle_of(graph, value), cudaGraphCondTypeIf, 1, &body);
        kernel_node(body, call(add, 0, 1));
        run(exec_of(graph));
        say(" %d", cell_is());
    }
}
HOST(1154) {
    cudaGraph_t graph = new_graph(), bodies[4];
    say(" %d", add_conditional(graph, handle_of(graph, 0), cudaGraphCondTypeIf, 0, bodies));
    say(" %d", add_conditional(graph, handle_of(graph, 0), cudaGraphCondTypeIf, 3, bodies));
    say(" %d", add_conditional(graph, handle_of(graph, 0), cudaGraphCondTypeWhile, 2, bodies));
    say(" %d", add_conditional(graph, handle_of(graph, 0), cudaGraphCondTypeSwitch, 0, bodies));
}
HOST(1155) {
    struct {
        cudaGraphConditionalNodeType type;
        unsigned size, value;
    } cases[] = {{cudaGraphCondTypeIf, 2, 0},
                 {cudaGraphCondTypeSwitch, 3, 2},
                 {cudaGraphCondTypeSwitch, 3, 3},
                 {cudaGraphCondTypeSwitch, 3, 7}};
    for (auto &c : cases) {
        cudaGraph_t graph = new_graph(), bodies[3];
        clear();
        if (add_conditional(graph, handle_of(graph, c.value), c.type, c.size, bodies)) {
            say(" -");
            continue;
        }
        for (unsigned i = 0; i < c.size; i++) kernel_node(bodies[i], call(put, 0, i + 1));
        run(exec_of(graph));
        say(" %d", cell_is());
    }
}
HOST(1156) {
    cudaGraph_t graph = new_graph(), body;
    cudaGraphConditionalHandle handle = handle_of(graph, 1);
    int below = 5;
    void *with[] = {&handle, &below};
    add_conditional(graph, handle, cudaGraphCondTypeWhile, 1, &body);
    node_of(body, (void *)set_if_below, with);
    cudaGraphExec_t exec = exec_of(graph);
    for (int i = 0; i < 2; i++) {
        clear();
        run(exec);
        say(" %d", cell_is());
    }
}
HOST(1157) {
    cudaGraph_t graph = new_graph(), body;
    cudaGraphConditionalHandle handle = handle_of(graph, 1);
    say(" %d", add_conditional(graph, handle, cudaGraphCondTypeIf, 1, &body));
    say(" %d", add_conditional(graph, handle, cudaGraphCondTypeIf, 1, &body));
}
HOST(1158) {
    cudaGraph_t graph = new_graph(), body, clone, parent = new_graph();
    cudaGraphNode_t node;
    add_conditional(graph, handle_of(graph, 1), cudaGraphCondTypeIf, 1, &body);
    say(" %d", cudaGraphClone(&clone, graph));
    say(" %d", cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph));
}
HOST(1159) {
    cudaGraph_t graph = new_graph(), body;
    cudaGraphNode_t node;
    cudaEvent_t event;
    int code;
    cudaEventCreate(&event);
    add_conditional(graph, handle_of(graph, 1), cudaGraphCondTypeIf, 1, &body);
    say(" %d", cudaGraphAddEventRecordNode(&node, body, nullptr, 0, event));
    exec_of(graph, 0, &code);
    say(" %d", code);
}
HOST(1160) {
    cudaGraph_t graph = new_graph();
    cudaKernelNodeParams p = call(put, 0, 1), got = {};
    p.gridDim = dim3(2), p.blockDim = dim3(32);
    cudaGraphNode_t a = kernel_node(graph, p), b = kernel_node(graph, p);
    cudaLaunchAttributeValue value = {};
    cudaGraphKernelNodeGetParams(a, &got);
    say(" %u %u", got.gridDim.x, got.blockDim.x);
    value.priority = -3;
    cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &value);
    cudaGraphKernelNodeCopyAttributes(b, a);
    for (cudaGraphNode_t node : {a, b}) {
        value.priority = 77;
        cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributePriority, &value);
        say(" %d", value.priority);
    }
}
HOST(1161) {
    cudaGraph_t graph = new_graph();
    cudaStream_t s;
    cudaStreamCreate(&s);
    kernel_node(graph, call(put, 0, 1));
    cudaGraphExec_t exec = exec_of(graph);
    int upload = cudaGraphUpload(exec, s);
    hold(s);
    cudaGraphLaunch(exec, s);
    int code = cudaGraphExecDestroy(exec);
    gate = 1;
    cudaDeviceSynchronize();
    say(" %d %d %d", upload, code, cell_is());
}
HOST(1162) {
    cudaGraph_t graph = new_graph();
    cudaGraphExec_t exec;
    cudaGraphInstantiateParams p = {};
    host_node(graph, ignore);
    p.flags = cudaGraphInstantiateFlagDeviceLaunch;
    int code = cudaGraphInstantiateWithParams(&exec, graph, &p);
    say(" %d %d", code, p.result_out);
}
static int destroyed;
static void CUDART_CB count_destroyed(void *) { destroyed++; }
HOST(1163) {
    cudaGraph_t graph = new_graph();
    cudaUserObject_t object;
    destroyed = 0;
    cudaUserObjectCreate(&object, nullptr, count_destroyed, 2, cudaUserObjectNoDestructorSync);
    cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove);
    cudaGraphDestroy(graph);
    usleep(100000);
    say(" %d", destroyed);
    cudaUserObjectRelease(object, 1);
    usleep(100000);
    say(" %d", destroyed);
}
HOST(1164) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t a = empty_node(graph), b = empty_node(graph, a);
    size_t edges = 7, roots = 7;
    empty_node(graph, b);
    cudaGraphDestroyNode(b);
    cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
    cudaGraphGetRootNodes(graph, nullptr, &roots);
    say(" %zu %zu", edges, roots);
}
HOST(1165) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t nodes[9];
    for (int i = 0; i < 3; i++) empty_node(graph);
    memset(nodes, 0x55, sizeof nodes);
    size_t few = 1, many = 9;
    cudaGraphGetNodes(graph, nodes, &few);
    cudaGraphGetNodes(graph, nodes, &many);
    say(" %zu %zu %d", few, many, nodes[3] == nullptr && nodes[8] == nullptr);
}
static void try_memset(unsigned element, unsigned value, size_t width, size_t height, size_t pitch,
                       bool byte) {
    cudaGraph_t graph = new_graph();
    cudaMemsetParams p = {};
    cudaGraphNode_t node;
    unsigned char bytes[64] = {}, *memory;
    cudaMalloc(&memory, 64);
    cudaMemset(memory, 0, 64);
    p.dst = memory, p.elementSize = element, p.value = value;
    p.width = width, p.height = height, p.pitch = pitch;
    int code = cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &p), set = 0;
    if (code) {
        say(" e%d", code);
        return;
    }
    run(exec_of(graph));
    cudaMemcpy(bytes, memory, 64, cudaMemcpyDeviceToHost);
    for (unsigned char each : bytes) set += each != 0;
    say(" %d", byte ? bytes[0] : set);
}
HOST(1166) {
    try_memset(3, 1, 1, 1, 0, true);
    try_memset(1, 511, 4, 1, 0, true);
    try_memset(2, 0x0101, 3, 1, 0, false);
}
HOST(1167) {
    try_memset(1, 1, 4, 2, 16, false);
    try_memset(1, 1, 4, 2, 2, false);
}
HOST(1168) {
    cudaGraph_t two = new_graph(), apart = new_graph(), other = new_graph();
    kernel_node(two, call(put, 0, 2), kernel_node(two, call(put, 0, 1)));
    kernel_node(apart, call(put, 0, 1));
    kernel_node(apart, call(put, 0, 2));
    empty_node(other, kernel_node(other, call(put, 0, 1)));
    say_update(exec_of(two), apart);
    say_update(exec_of(apart), two);
    say_update(exec_of(two), other);
}
HOST(1169) {
    for (cudaLaunchAttributeID id : {cudaLaunchAttributeCooperative, cudaLaunchAttributePriority}) {
        cudaGraph_t graph = new_graph(), changed = new_graph();
        cudaLaunchAttributeValue value = {};
        kernel_node(graph, call(put, 0, 1));
        cudaGraphNode_t node = kernel_node(changed, call(put, 0, 1));
        value.priority = id == cudaLaunchAttributePriority ? -3 : 1;
        cudaGraphKernelNodeSetAttribute(node, id, &value);
        say_update(exec_of(graph), changed);
    }
}
HOST(1170) {
    cudaGraph_t graph = new_graph(), clone, parent = new_graph();
    cudaGraphNode_t node;
    int code;
    alloc_node(graph);
    exec_of(graph);
    exec_of(graph, 0, &code);
    say(" %d", code);
    say(" %d", cudaGraphClone(&clone, graph));
    say(" %d", cudaGraphAddChildGraphNode(&node, parent, nullptr, 0, graph));
}
static u64 graph_memory(cudaGraphMemAttributeType attribute) {
    u64 value = 77;
    cudaDeviceGetGraphMemAttribute(0, attribute, &value);
    return value;
}
ALONE(1171) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node;
    void *address;
    cudaGraphNode_t alloc = alloc_node(graph, &address);
    cudaGraphAddMemFreeNode(&node, graph, &alloc, 1, address);
    run(exec_of(graph));
    say(" %llu %llu", graph_memory(cudaGraphMemAttrUsedMemCurrent),
        graph_memory(cudaGraphMemAttrReservedMemCurrent));
    cudaDeviceGraphMemTrim(0);
    say(" %llu", graph_memory(cudaGraphMemAttrReservedMemCurrent));
}
ALONE(1172) {
    void *first, *second;
    alloc_node(new_graph(), &first);
    alloc_node(new_graph(), &second);
    say(" %d %d", first == second, (size_t)first % 512 == 0);
}
HOST(1173) {
    cudaGraph_t graph = new_graph();
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    clear();
    for (int i = 0; i < 3; i++) kernel_node(graph, call(add, 0, 1));
    cudaGraphExec_t exec = exec_of(graph);
    hold(s);
    cudaGraphLaunch(exec, s);
    say(" %d", cudaStreamQuery(s));
    gate = 1;
    cudaDeviceSynchronize();
    say(" %d", cell_is());
}
HOST(1174) {
    cudaGraph_t graph = new_graph();
    cudaGraphNodeParams p = {};
    cudaGraphNode_t node;
    p.type = (cudaGraphNodeType)99;
    say(" %d", cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p));
    cudaKernelNodeParams k = call(put, 0, 1), large = call(put, 0, 1);
    k.func = nullptr, large.blockDim = dim3(1025);
    say(" %d", cudaGraphAddKernelNode(&node, graph, nullptr, 0, &k));
    say(" %d", cudaGraphAddKernelNode(&node, graph, nullptr, 0, &large));
}
HOST(1175) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t first, second;
    cudaEvent_t events[3];
    float ms = -1;
    for (cudaEvent_t &event : events) cudaEventCreate(&event);
    cudaGraphAddEventRecordNode(&first, graph, nullptr, 0, events[0]);
    cudaGraphAddEventRecordNode(&second, graph, &first, 1, events[1]);
    cudaGraphExec_t exec = exec_of(graph);
    say(" %d", cudaGraphExecEventRecordNodeSetEvent(exec, second, events[2]));
    run(exec);
    say(" %d", cudaEventElapsedTime(&ms, events[0], events[2]));
    say(" %d", ms >= 0);
}
static int called;
static void CUDART_CB call_one(void *) { called = 1; }
static void CUDART_CB call_two(void *) { called = 2; }
HOST(1176) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = host_node(graph, call_one);
    cudaGraphExec_t exec = exec_of(graph);
    cudaHostNodeParams two = {call_two, nullptr}, none = {nullptr, nullptr};
    cudaGraphHostNodeSetParams(node, &two);
    run(exec);
    say(" %d", called);
    cudaGraphExecHostNodeSetParams(exec, node, &two);
    run(exec);
    say(" %d %d", called, cudaGraphExecHostNodeSetParams(exec, node, &none));
}
HOST(1178) {
    cudaGraph_t graph = new_graph();
    char word[8] = {};
    empty_node(graph);
    say(" %d", cudaGraphDebugDotPrint(graph, "/nowhere/at/all", 0));
    cudaGraphDebugDotPrint(graph, "/tmp/ask_graph.dot", 0);
    FILE *file = fopen("/tmp/ask_graph.dot", "r");
    if (file && fscanf(file, "%7s", word) == 1) say(" %s", word);
    if (file) fclose(file);
    remove("/tmp/ask_graph.dot");
}
HOST(1179) {
    cudaGraph_t graph = new_graph();
    cudaUserObject_t object;
    cudaUserObjectCreate(&object, nullptr, count_destroyed, 1, cudaUserObjectNoDestructorSync);
    say(" %d", cudaGraphReleaseUserObject(graph, object, 1));
    say(" %d", cudaGraphRetainUserObject(graph, object, 0, 0));
}
HOST(1180) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t root = empty_node(graph);
    cudaGraphNodeType type;
    size_t number = 7;
    empty_node(graph, root);
    say(" %d", cudaGraphNodeGetType(nullptr, &type));
    cudaGraphNodeGetDependentNodes(root, nullptr, nullptr, &number);
    say(" %zu", number);
}
HOST(1181) {
    cudaGraph_t graph = new_graph(), body, bodies[3];
    cudaGraphConditionalHandle loop = handle_of(graph, 1), which = handle_of(graph, 0);
    int below = 4;
    void *with[] = {&loop, &below}, *with_which[] = {&which};
    clear();
    add_conditional(graph, loop, cudaGraphCondTypeWhile, 1, &body);
    cudaGraphNode_t set = node_of(body, (void *)set_switch, with_which);
    int code = add_conditional(body, which, cudaGraphCondTypeSwitch, 3, bodies, set);
    if (code) {
        say(" e%d", code);
        return;
    }
    for (int i = 0; i < 3; i++) kernel_node(bodies[i], call(add, i + 1, 1));
    cudaGraphNode_t last;
    size_t nodes = 2;
    cudaGraphNode_t both[2];
    cudaGraphGetNodes(body, both, &nodes);
    last = both[0] == set ? both[1] : both[0];
    node_of(body, (void *)set_if_below, with, last);
    run(exec_of(graph));
    for (int i = 1; i < 4; i++) say(" %d", cell_is(i));
}
HOST(1182) {
    cudaGraph_t graph = new_graph(), body;
    cudaGraphConditionalHandle handle = handle_of(graph, 1);
    int below = 3;
    unsigned one = 1;
    void *with[] = {&handle, &below}, *with_one[] = {&handle, &one};
    clear();
    add_conditional(graph, handle, cudaGraphCondTypeWhile, 1, &body);
    node_of(body, (void *)set_if_below, with, node_of(body, (void *)set_value, with_one));
    run(exec_of(graph));
    say(" %d", cell_is());
}
HOST(1183) {
    cudaGraph_t graph = new_graph(), body;
    cudaGraphConditionalHandle handle = 0;
    clear();
    say(" %d", cudaGraphConditionalHandleCreate(&handle, graph, 1, 2));
    add_conditional(graph, handle_of(graph, 1, 0), cudaGraphCondTypeIf, 1, &body);
    kernel_node(body, call(add, 0, 1));
    run(exec_of(graph));
    say(" %d", cell_is());
}
HOST(1184) {
    for (int port : {1, 7}) {
        cudaGraph_t graph = new_graph();
        cudaGraphNode_t a = kernel_node(graph, call(put, 0, 1)),
                        b = kernel_node(graph, call(put, 0, 1));
        cudaGraphEdgeData data = {};
        data.type = cudaGraphDependencyTypeProgrammatic;
        data.from_port = port;
        say(" %d", cudaGraphAddDependencies(graph, &a, &b, &data, 1));
    }
}
