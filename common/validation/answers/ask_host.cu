// Questions about streams, events, captures and graphs: orders, codes, what an update may change.
#include "ask.h"
#include <atomic>
#include <string>
#include <thread>

static __device__ int cell[64];
__global__ void put(int *at, int value) { *at = value; }
__global__ void add(int value) { atomicAdd(&cell[0], value); }
__global__ void add_at(int index, int value) { atomicAdd(&cell[index], value); }
__global__ void nothing() {}
__global__ void digit(int value) { cell[0] = cell[0] * 10 + value; }
__global__ void bad(int *at) { *at = 1; }

static int cell_is(int index = 0) {
    int value[64];
    int error = cudaMemcpyFromSymbol(value, cell, sizeof value);
    return error ? -error : value[index];
}
static void clear() {
    int zero[64] = {};
    cudaMemcpyToSymbol(cell, zero, sizeof zero);
}

// ---- a stream that is held by a host function until it is let go -------------------------------

static std::atomic<int> gate;
static void CUDART_CB wait_for_gate(void *) {
    for (int i = 0; i < 2000 && !gate; i++) usleep(100);
}
static void hold(cudaStream_t stream) {
    gate = 0;
    cudaLaunchHostFunc(stream, wait_for_gate, nullptr);
}
static void let_go() {
    gate = 1;
    cudaDeviceSynchronize();
}
static cudaEvent_t new_event() {
    cudaEvent_t event;
    cudaEventCreate(&event);
    return event;
}
static cudaStream_t begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    cudaStream_t stream = new_stream();
    cudaStreamBeginCapture(stream, mode);
    return stream;
}
static void settle(cudaStream_t stream) { // what a stream can do while another is held
    cudaStreamSynchronize(stream);
}

HOST(1101) {
    cudaStream_t s = new_stream();
    cudaEvent_t first = new_event(), behind = new_event();
    float ms;
    cudaEventRecord(first, s);
    hold(s);
    cudaEventRecord(behind, s);
    say(" %d %d", cudaStreamQuery(s), cudaEventQuery(behind));
    say(" %d", cudaEventElapsedTime(&ms, first, behind));
    let_go();
    say(" %d", cudaEventQuery(behind));
}
HOST(1102) {
    cudaStream_t s1 = new_stream(), s2 = new_stream(), s3 = new_stream();
    cudaEvent_t e = new_event();
    hold(s1);
    cudaEventRecord(e, s1);
    cudaStreamWaitEvent(s2, e, 0);
    cudaEventRecord(e, s3);
    settle(s3);
    say(" %d", cudaStreamQuery(s2));
    let_go();
}
HOST(1103) {
    cudaStream_t s1 = new_stream(), s2 = new_stream();
    cudaEvent_t e = new_event();
    hold(s1);
    cudaStreamWaitEvent(s2, e, 0);
    say(" %d", cudaStreamSynchronize(s2));
    let_go();
}
HOST(1104) {
    cudaStream_t s1 = new_stream(0), free = new_stream();
    hold(s1);
    nothing<<<1, 1>>>();
    nothing<<<1, 1, 0, free>>>();
    settle(free);
    say(" %d %d", cudaStreamQuery(0), cudaStreamQuery(free));
    let_go();
}
HOST(1105) {
    cudaStream_t s1 = new_stream(0), s2 = new_stream(0);
    hold(s1);
    nothing<<<1, 1, 0, cudaStreamPerThread>>>();
    say(" %d", cudaStreamSynchronize(cudaStreamPerThread));
    let_go();
    hold(0);
    nothing<<<1, 1, 0, s2>>>();
    say(" %d", cudaStreamQuery(s2));
    let_go();
}
HOST(1106) {
    cudaStream_t s = new_stream();
    clear();
    hold(s);
    add<<<1, 1, 0, s>>>(1);
    say(" %d", cudaStreamDestroy(s));
    let_go();
    say(" %d", cell_is());
}
static int in_function[5];
static void CUDART_CB call_runtime(void *) {
    void *memory;
    cudaEvent_t event;
    int device;
    in_function[0] = cudaMalloc(&memory, 4);
    in_function[1] = cudaStreamQuery(0);
    in_function[2] = cudaGetLastError();
    in_function[3] = cudaEventCreate(&event);
    in_function[4] = cudaGetDevice(&device);
}
HOST(1107) {
    cudaStream_t s = new_stream();
    cudaLaunchHostFunc(s, call_runtime, nullptr);
    cudaStreamSynchronize(s);
    for (int code : in_function) say(" %d", code);
}
static int callback_status = -1, function_ran;
static void CUDART_CB note_status(cudaStream_t, cudaError_t status, void *) {
    callback_status = status;
}
static void CUDART_CB note_function(void *) { function_ran = 1; }
ALONE(1108) {
    cudaStream_t s = new_stream();
    hold(s);
    bad<<<1, 1, 0, s>>>((int *)16);
    cudaStreamAddCallback(s, note_status, nullptr, 0);
    cudaLaunchHostFunc(s, note_function, nullptr);
    let_go();
    sleep(1);
    say(" %d %d", callback_status, function_ran);
}
HOST(1109) {
    cudaStream_t s = new_stream(), t = new_stream();
    cudaEvent_t a = new_event(), b = new_event(), c = new_event();
    float ms = 7, other;
    cudaEventRecord(a, s);
    cudaStreamSynchronize(s);
    usleep(2000);
    cudaEventRecord(b, s);
    cudaEventRecord(c, t);
    cudaDeviceSynchronize();
    int code = cudaEventElapsedTime(&ms, b, a), two = cudaEventElapsedTime(&other, a, c);
    say(" %d %d %d", code, ms < 0 ? -1 : ms > 0, two);
}
static u64 capture_id(cudaStream_t stream) {
    cudaStreamCaptureStatus status;
    u64 id = 0;
    cudaStreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr, nullptr, nullptr);
    return id;
}
static cudaGraph_t end(cudaStream_t stream, int *code = nullptr) {
    cudaGraph_t graph = nullptr;
    int error = cudaStreamEndCapture(stream, &graph);
    if (code) *code = error;
    return graph;
}
HOST(1110) {
    cudaStream_t none = new_stream(), s = begin(), t = begin();
    u64 first = capture_id(s), second = capture_id(t);
    say(" %llu %d %lld", capture_id(none), first == second, (long long)(second - first));
    end(s), end(t);
}
HOST(1111) {
    cudaStream_t s = new_stream(), t = begin();
    int device = -1;
    int code = cudaStreamGetDevice(s, &device);
    say(" %d %d %d", code, device, cudaStreamGetDevice(t, &device));
    end(t);
}
static void count(cudaGraph_t graph, bool roots = false) {
    size_t nodes = 0, edges = 0, first = 0;
    cudaGraphGetNodes(graph, nullptr, &nodes);
    cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
    cudaGraphGetRootNodes(graph, nullptr, &first);
    if (roots) say(" %zu %zu", edges, first);
    else say(" %zu %zu", nodes, edges);
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
HOST(1112) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t root = empty_node(graph);
    cudaStream_t s = new_stream();
    cudaStreamBeginCaptureToGraph(s, graph, &root, nullptr, 1, cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 2; i++) nothing<<<1, 1, 0, s>>>();
    cudaGraph_t got = end(s);
    count(graph);
    say(" %d", got == graph);
}
HOST(1113) {
    cudaStream_t s = begin();
    nothing<<<1, 1, 0, s>>>();
    cudaStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0, cudaStreamSetCaptureDependencies);
    nothing<<<1, 1, 0, s>>>();
    count(end(s), true);
}
HOST(1114) {
    cudaStream_t s = begin(cudaStreamCaptureModeRelaxed), t = new_stream();
    cudaEvent_t e = new_event(), f = new_event();
    float ms;
    cudaEventRecord(f, t);
    cudaStreamSynchronize(t);
    cudaEventRecord(e, s);
    int waits = cudaEventSynchronize(e), elapsed = cudaEventElapsedTime(&ms, f, e);
    end(s);
    say(" %d %d %d", waits, elapsed, cudaEventQuery(e));
    cudaEventRecord(e, t);
    cudaStreamSynchronize(t);
    say(" %d", cudaEventQuery(e));
}
HOST(1115) {
    cudaStream_t s = begin(), t = new_stream();
    cudaEvent_t e = new_event();
    int code;
    cudaEventRecord(e, t);
    say(" %d", cudaStreamWaitEvent(s, e, 0));
    end(s, &code);
    say(" %d", code);
}
HOST(1116) {
    cudaStream_t s = begin(), t = begin();
    cudaEvent_t e = new_event();
    int first, second;
    cudaEventRecord(e, s);
    say(" %d", cudaStreamWaitEvent(t, e, 0));
    end(s, &first), end(t, &second);
    say(" %d %d", first, second);
}
HOST(1117) {
    cudaStream_t s = begin();
    int other, own;
    std::thread([&] { end(s, &other); }).join();
    end(s, &own);
    say(" %d %d", other, own);
}
HOST(1118) {
    cudaStream_t s = begin(), t = new_stream();
    cudaEvent_t e = new_event();
    int code, own;
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    end(t, &code);
    end(s, &own);
    say(" %d %d", code, own);
}
HOST(1119) {
    cudaStream_t s = new_stream(), t = begin();
    cudaEvent_t e = new_event();
    say(" %d", cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
    cudaEventRecordWithFlags(e, t, cudaEventRecordExternal);
    cudaStreamWaitEvent(t, e, cudaEventWaitExternal);
    count(end(t));
}
static int launch_with(cudaStream_t stream, cudaLaunchAttributeID id, cudaLaunchAttributeValue v) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = id, attribute.val = v;
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &attribute, config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, nothing);
}
HOST(1120) {
    cudaLaunchAttributeValue value = {};
    cudaStream_t s;
    value.priority = -5;
    say(" %d", launch_with(new_stream(), cudaLaunchAttributePriority, value));
    cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, -3);
    cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &value);
    say(" %d", value.priority);
}
HOST(1121) {
    cudaLaunchAttributeValue value = {};
    cudaStream_t s = new_stream();
    value.priority = -2;
    say(" %d", cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &value));
    value.priority = 77;
    cudaStreamGetAttribute(s, cudaLaunchAttributePriority, &value);
    say(" %d", value.priority);
    value.priority = 9;
    say(" %d", cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &value));
}
HOST(1122) {
    cudaStream_t s = new_stream(), t;
    int priority = 77;
    cudaStreamCreateWithPriority(&t, cudaStreamNonBlocking, -3);
    say(" %d", cudaStreamCopyAttributes(s, t));
    cudaStreamGetPriority(s, &priority);
    say(" %d", priority);
}
HOST(1123) {
    cudaStream_t s = begin();
    cudaLaunchAttributeValue value = {};
    nothing<<<1, 1, 0, s>>>();
    value.programmaticStreamSerializationAllowed = 1;
    launch_with(s, cudaLaunchAttributeProgrammaticStreamSerialization, value);
    cudaGraphNode_t from[4], to[4];
    cudaGraphEdgeData data[4] = {};
    size_t edges = 4;
    cudaGraphGetEdges(end(s), from, to, data, &edges);
    say(" %zu %d %d", edges, data[0].type, data[0].from_port);
}
HOST(1124) {
    cudaEvent_t e;
    say(" %d", cudaEventCreateWithFlags(&e, cudaEventInterprocess));
    say(" %d", cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
    say(" %d", cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming |
                                                cudaEventBlockingSync));
}
HOST(1125) {
    cudaStream_t s = new_stream();
    cudaEvent_t e = new_event();
    cudaEventRecord(e, s);
    say(" %d %d", cudaStreamWaitEvent(s, e, 0), cudaStreamWaitEvent(0, e, 0));
    cudaDeviceSynchronize();
}
HOST(1126) {
    cudaStream_t s = new_stream();
    say(" %d %d %d", cudaLaunchHostFunc(s, nullptr, nullptr),
        cudaStreamAddCallback(s, note_status, nullptr, 1),
        cudaStreamAddCallback(s, nullptr, nullptr, 0));
    cudaStreamSynchronize(s);
}
static std::atomic<int> digits;
static void CUDART_CB add_digit(void *value) { digits = digits * 10 + (int)(size_t)value; }
static void CUDART_CB add_callback(cudaStream_t, cudaError_t, void *value) { add_digit(value); }
__global__ void take_digit(int *from_host, int value) { *from_host = *from_host * 10 + value; }
HOST(1127) {
    cudaStream_t s = new_stream();
    int *shared;
    cudaMallocHost(&shared, 8);
    *shared = 0, digits = 0;
    cudaLaunchHostFunc(s, add_digit, (void *)1);
    take_digit<<<1, 1, 0, s>>>(shared, 7);
    cudaStreamAddCallback(s, add_callback, (void *)2, 0);
    cudaMemsetAsync(shared, 0, 4, s);
    cudaLaunchHostFunc(s, add_digit, (void *)3);
    cudaStreamSynchronize(s);
    say(" %d %d", (int)digits, *shared);
}
HOST(1128) {
    cudaStream_t s = new_stream();
    void *managed, *memory;
    cudaMallocManaged(&managed, 4096);
    cudaMalloc(&memory, 4096);
    say(" %d", cudaStreamAttachMemAsync(s, managed, 0, 9));
    say(" %d", cudaStreamAttachMemAsync(s, memory, 0, cudaMemAttachSingle));
    say(" %d", cudaStreamAttachMemAsync(0, managed, 0, cudaMemAttachSingle));
}
HOST(1129) {
    cudaStreamCaptureMode mode = (cudaStreamCaptureMode)9; // of a null pointer a card's driver dies
    say(" %d", cudaThreadExchangeStreamCaptureMode(&mode));
}
HOST(1130) {
    void *entry;
    cudaDriverEntryPointQueryResult status = (cudaDriverEntryPointQueryResult)77;
    int code = cudaGetDriverEntryPointByVersion("cuNoSuchCall", &entry, 12000, 0, &status);
    say(" %d %d", code, status);
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 5000, 0, &status);
    say(" %d", status);
}
HOST(1131) {
    say(" %d", cudaMemcpyAsync(nullptr, nullptr, 0, cudaMemcpyHostToDevice, 0));
    say(" %d", cudaMemsetAsync(nullptr, 0, 0, 0));
    say(" %d", cudaMemcpy2DAsync(nullptr, 8, nullptr, 8, 4, 0, cudaMemcpyHostToDevice, 0));
}
HOST(1132) {
    cudaStream_t s = new_stream(), t = new_stream();
    void *memory;
    say(" %d", cudaMallocAsync(&memory, 100, s));
    say(" %d", cudaFreeAsync(memory, t));
    cudaDeviceSynchronize();
}
static cudaMemPoolProps pool_of(int device, size_t most) {
    cudaMemPoolProps p = {};
    p.allocType = cudaMemAllocationTypePinned;
    p.location.type = cudaMemLocationTypeDevice;
    p.location.id = device;
    p.maxSize = most;
    return p;
}
HOST(1133) {
    cudaMemPool_t pool;
    cudaMemPoolProps p = pool_of(9, 0);
    u64 value = 0;
    say(" %d", cudaMemPoolCreate(&pool, &p));
    cudaDeviceGetDefaultMemPool(&pool, 0);
    say(" %d", cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)99, &value));
    say(" %d", cudaMemPoolDestroy(pool));
}
HOST(1134) {
    cudaMemPool_t pool, got, before, after;
    cudaMemPoolProps p = pool_of(0, 0);
    cudaDeviceGetDefaultMemPool(&before, 0);
    cudaMemPoolCreate(&pool, &p);
    cudaDeviceSetMemPool(0, pool);
    cudaDeviceGetMemPool(&got, 0);
    cudaDeviceGetDefaultMemPool(&after, 0);
    say(" %d %d", got == pool, before == after);
    cudaDeviceSetMemPool(0, before);
}
HOST(1135) {
    cudaMemPool_t pool;
    cudaMemPoolProps p = pool_of(0, 3 << 20);
    void *memory;
    cudaMemPoolCreate(&pool, &p);
    for (size_t bytes : {2ull << 20, 2ull << 20, 100ull << 20})
        say(" %d", cudaMallocFromPoolAsync(&memory, bytes, pool, 0));
    cudaDeviceSynchronize();
}
static long long apart(const void *a, const void *b) { return llabs((char *)a - (char *)b); }
HOST(1136) {
    for (size_t bytes : {1, 1000, 5000, 70000}) {
        void *a, *b;
        cudaMallocHost(&a, bytes);
        cudaMallocHost(&b, bytes);
        say(" %lld", apart(a, b));
    }
}
HOST(1137) {
    for (size_t bytes : {1, 1000, 5000, 70000}) {
        void *a, *b;
        cudaMallocManaged(&a, bytes);
        cudaMallocManaged(&b, bytes);
        say(" %lld", apart(a, b));
    }
}
HOST(1138) {
    for (unsigned flags :
         {cudaHostAllocPortable, cudaHostAllocMapped, cudaHostAllocWriteCombined}) {
        void *a, *b;
        cudaHostAlloc(&a, 1, flags);
        cudaHostAlloc(&b, 1, flags);
        say(" %lld", apart(a, b));
    }
}
HOST(1139) {
    void *a, *b;
    cudaMallocHost(&a, 100);
    cudaFreeHost(a);
    cudaMallocHost(&b, 100);
    say(" %d", a == b);
    cudaMallocManaged(&a, 100);
    cudaFree(a);
    cudaMallocManaged(&b, 100);
    say(" %d", a == b);
}
