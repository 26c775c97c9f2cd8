// Work of several streams, of graphs and of calls that do not wait: see check_case.h.
// options: -g
#include "check_case.h"

static cudaStream_t one, two;
static float h_y[N];

__global__ void store(float *y, float value) {
    y[blockIdx.x * BLOCK + threadIdx.x] = value;
}

__global__ void copy(float *y, const float *x) {
    y[blockIdx.x * BLOCK + threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
}

static void make_streams(unsigned flags) {
    cudaDeviceSynchronize(); // the input has arrived
    cudaStreamCreateWithFlags(&one, flags);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
}

// Stream `to` waits for what is in `from` by now.
static void wait_for(cudaStream_t to, cudaStream_t from) {
    cudaEvent_t event;
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaEventRecord(event, from);
    cudaStreamWaitEvent(to, event, 0);
    cudaEventDestroy(event);
}

// ---- the host waits, or does not ----

enum between {
    NOTHING,
    STREAM,
    EVENT,
    EVENT_QUERY,
    STREAM_QUERY,
    CALLBACK,
    FREE,
    SAME_STREAM,
    EARLY_EVENT,
    DESTROY
};

static volatile int is_done;
static void say_done(void *) {
    is_done = 1;
}

static void copies_back(unsigned flags, between how) {
    float *d_other;
    cudaEvent_t event;
    cudaMalloc(&d_other, sizeof h_y);
    cudaEventCreate(&event);
    make_streams(flags);
    if (how == EARLY_EVENT) cudaEventRecord(event, one);
    store<<<GRID, BLOCK, 0, one>>>(d_y, 1);
    if (how == STREAM) cudaStreamSynchronize(one);
    if (how == EVENT || how == EVENT_QUERY) cudaEventRecord(event, one);
    if (how == EVENT || how == EARLY_EVENT) cudaEventSynchronize(event);
    while (how == EVENT_QUERY && cudaEventQuery(event) == cudaErrorNotReady) {
    }
    while (how == STREAM_QUERY && cudaStreamQuery(one) == cudaErrorNotReady) {
    }
    if (how == CALLBACK) cudaLaunchHostFunc(one, say_done, NULL);
    while (how == CALLBACK && !is_done) {
    }
    if (how == FREE) cudaFree(d_other);
    if (how == DESTROY) cudaStreamDestroy(one);
    if (how == SAME_STREAM)
        cudaMemcpyAsync(h_y, d_y, sizeof h_y, cudaMemcpyDeviceToHost, one);
    else
        cudaMemcpy(h_y, d_y, sizeof h_y, cudaMemcpyDeviceToHost);
    cudaDeviceSynchronize();
    if (how != FREE) cudaFree(d_other);
}

// ---- streams among themselves ----

static void two_streams(bool wait) {
    make_streams(cudaStreamDefault);
    store<<<GRID, BLOCK, 0, one>>>(d_y, 1);
    if (wait) wait_for(two, one);
    copy<<<GRID, BLOCK, 0, two>>>(d_z, d_y);
}

static void default_first(unsigned flags, bool wait) {
    make_streams(flags);
    store<<<GRID, BLOCK>>>(d_y, 1);
    if (wait) wait_for(one, NULL);
    copy<<<GRID, BLOCK, 0, one>>>(d_z, d_y);
}

// The first launch runs before there is a stream to be in conflict with.
static void before_stream(bool wait) {
    store<<<GRID, BLOCK>>>(d_y, 1);
    if (wait) cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    copy<<<GRID, BLOCK, 0, one>>>(d_z, d_y);
}

static void per_thread(unsigned flags) {
    make_streams(flags);
    store<<<GRID, BLOCK, 0, cudaStreamPerThread>>>(d_y, 1);
    store<<<1, 1>>>(d_z, 1); // the default stream waits for the one before, a blocking one for it
    copy<<<GRID, BLOCK, 0, one>>>(d_z, d_y);
}

static void last_reader(int waits) {
    cudaStream_t readers[4];
    make_streams(cudaStreamNonBlocking);
    for (int i = 0; i < 4; i++) {
        cudaStreamCreateWithFlags(&readers[i], cudaStreamNonBlocking);
        copy<<<1, BLOCK, 0, readers[i]>>>(d_y + BLOCK * i, d_x);
    }
    for (int i = 0; i < waits; i++) wait_for(one, readers[i]);
    store<<<1, BLOCK, 0, one>>>(d_x, 0);
}

__global__ void store_some(float *y, int first, int end) {
    int i = first + (int)(blockIdx.x * BLOCK + threadIdx.x);
    if (i < end) y[i] = 1;
}

static void halves(int second) {
    make_streams(cudaStreamNonBlocking);
    store_some<<<GRID, BLOCK, 0, one>>>(d_y, 0, N / 2);
    store_some<<<GRID, BLOCK, 0, two>>>(d_y, second, N);
}

__global__ void store_bytes(char *y, int count) {
    for (int i = threadIdx.x; i < count; i += BLOCK) y[i] = 1;
}

static void odd_bytes() {
    make_streams(cudaStreamNonBlocking);
    store_bytes<<<1, BLOCK, 0, one>>>((char *)d_y, 1001);
    store_bytes<<<1, BLOCK, 0, two>>>((char *)d_y + 1001, 999);
    cudaMemsetAsync((char *)d_y + 2000, 0, 7, one);
    cudaMemsetAsync((char *)d_y + 2007, 0, 41, two);
}

// The shadow of a kernel with bytes is finer than that of one without.
static void wide_and_narrow(bool wait) {
    make_streams(cudaStreamNonBlocking);
    store_bytes<<<1, BLOCK, 0, one>>>((char *)d_y, 1001);
    if (wait) wait_for(two, one);
    store<<<1, BLOCK, 0, two>>>(d_y + 128, 1);
    store<<<1, BLOCK, 0, two>>>(d_y, 1);
}

// ---- copies and fills that do not wait ----

static void fills_first(bool wait) {
    make_streams(cudaStreamNonBlocking);
    cudaMemset(d_y, 0, sizeof h_y);
    if (wait) cudaStreamSynchronize(NULL);
    store<<<GRID, BLOCK, 0, one>>>(d_y, 1);
}

static void copies_first(bool pinned) {
    float *from = h_y;
    if (pinned) cudaMallocHost(&from, sizeof h_y);
    make_streams(cudaStreamNonBlocking);
    cudaMemcpy(d_y, from, sizeof h_y, cudaMemcpyHostToDevice);
    copy<<<GRID, BLOCK, 0, one>>>(d_z, d_y);
    cudaDeviceSynchronize();
    if (pinned) cudaFreeHost(from);
}

static void copies_on_device(bool wait) {
    make_streams(cudaStreamNonBlocking);
    cudaMemcpy(d_y, d_x, sizeof h_y, cudaMemcpyDeviceToDevice);
    if (wait) cudaDeviceSynchronize();
    copy<<<GRID, BLOCK, 0, one>>>(d_z, d_y);
}

// The page-locked buffer is what the two copies share.
static void through_host(bool wait) {
    float *buffer;
    cudaMallocHost(&buffer, sizeof h_y);
    make_streams(cudaStreamNonBlocking);
    cudaMemcpyAsync(buffer, d_x, sizeof h_y, cudaMemcpyDeviceToHost, one);
    if (wait) wait_for(two, one);
    cudaMemcpyAsync(d_y, buffer, sizeof h_y, cudaMemcpyHostToDevice, two);
    cudaDeviceSynchronize();
    cudaFreeHost(buffer);
}

// ---- flags and counters ----

__global__ void count_all(int *count) {
    atomicAdd(count, 1);
}

static void counted(bool wait) {
    int h_count;
    cudaMemset(d_y, 0, sizeof(int));
    cudaDeviceSynchronize();
    make_streams(cudaStreamNonBlocking);
    count_all<<<GRID, BLOCK, 0, one>>>((int *)d_y);
    count_all<<<GRID, BLOCK, 0, two>>>((int *)d_y); // atomics of both add up
    if (wait) cudaStreamSynchronize(one);
    if (wait) cudaStreamSynchronize(two);
    cudaMemcpy(&h_count, d_y, sizeof(int), cudaMemcpyDeviceToHost);
}

// The default stream sets what atomics of another one add to.
static void filled(bool wait) {
    make_streams(cudaStreamNonBlocking);
    cudaMemset(d_y, 0, sizeof(int));
    if (wait) cudaDeviceSynchronize();
    count_all<<<GRID, BLOCK, 0, one>>>((int *)d_y);
}

__global__ void gives(float *y, volatile int *flag) {
    y[threadIdx.x] = 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}

__global__ void takes(float *z, const float *y, volatile int *flag, bool poll) {
    if (threadIdx.x == 0)
        while (poll && *flag == 0) {
        }
    __threadfence();
    __syncthreads();
    z[threadIdx.x] = y[threadIdx.x];
}

// A kernel that polls comes after what the other one did before it set the flag.
static void flag_between(bool poll) {
    cudaMemset(d_x, 0, sizeof(int));
    make_streams(cudaStreamNonBlocking);
    gives<<<1, BLOCK, 0, one>>>(d_y, (volatile int *)d_x);
    takes<<<1, BLOCK, 0, two>>>(d_z, d_y, (volatile int *)d_x, poll);
}

// The flag comes later: a card may run both at the same time, unless an event forbids it.
static void flag_later(bool behind) {
    cudaMemset(d_x, 0, sizeof(int));
    make_streams(cudaStreamNonBlocking);
    takes<<<1, BLOCK, 0, two>>>(d_z, d_y, (volatile int *)d_x, true);
    if (behind) wait_for(one, two);
    gives<<<1, BLOCK, 0, one>>>(d_y, (volatile int *)d_x);
}

static void flag_by_copy() {
    static const int set = 1;
    make_streams(cudaStreamNonBlocking);
    cudaMemcpyAsync(d_x, &set, sizeof set, cudaMemcpyHostToDevice, one);
    takes<<<1, BLOCK, 0, two>>>(d_z, d_x + BLOCK, (volatile int *)d_x, true);
}

__global__ void uses_heap(float *y) {
    float *mine = (float *)malloc(4 * sizeof(float));
    mine[0] = (float)threadIdx.x;
    y[threadIdx.x] = mine[0];
    free(mine);
}

static void heaps() {
    make_streams(cudaStreamNonBlocking);
    uses_heap<<<1, BLOCK, 0, one>>>(d_y);
    uses_heap<<<1, BLOCK, 0, two>>>(d_z);
}

// ---- graphs ----

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *before, void *kernel,
                                  void **arguments) {
    cudaGraphNode_t node;
    cudaKernelNodeParams params = {};
    params.func = kernel;
    params.gridDim = dim3(GRID);
    params.blockDim = dim3(BLOCK);
    params.kernelParams = arguments;
    cudaGraphAddKernelNode(&node, graph, before, before ? 1 : 0, &params);
    return node;
}

static void launch(cudaGraph_t graph, int times) {
    cudaGraphExec_t exec;
    cudaGraphInstantiate(&exec, graph, 0);
    for (int i = 0; i < times; i++) cudaGraphLaunch(exec, one);
    cudaStreamSynchronize(one);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

static void graph_nodes(bool edge) {
    cudaGraph_t graph;
    float value = 1, *d_3;
    void *storing[] = {&d_y, &value}, *copying[] = {&d_z, &d_y}, *other[] = {&d_3, &d_x};
    cudaMalloc(&d_3, sizeof h_y);
    make_streams(cudaStreamNonBlocking);
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t first = add_kernel(graph, NULL, (void *)store, storing);
    add_kernel(graph, edge ? &first : NULL, (void *)copy, copying);
    add_kernel(graph, &first, (void *)copy, other);
    launch(graph, 2);
    cudaFree(d_3);
}

static void graph_copy(bool edge) {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    float value = 1;
    void *storing[] = {&d_y, &value};
    make_streams(cudaStreamNonBlocking);
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t first = add_kernel(graph, NULL, (void *)store, storing);
    cudaGraphAddMemcpyNode1D(&node, graph, &first, edge ? 1 : 0, h_y, d_y, sizeof h_y,
                             cudaMemcpyDeviceToHost);
    launch(graph, 2);
}

// A graph is work of the stream that it is launched into.
static void graph_behind(bool wait) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float value = 1;
    void *storing[] = {&d_y, &value};
    make_streams(cudaStreamNonBlocking);
    cudaGraphCreate(&graph, 0);
    add_kernel(graph, NULL, (void *)store, storing);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, one);
    if (wait) wait_for(two, one);
    copy<<<GRID, BLOCK, 0, two>>>(d_z, d_y);
}

// The launch of a graph does not wait, not even for a copy to pageable memory.
static void graph_reads(bool wait) {
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    make_streams(cudaStreamNonBlocking);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, h_y, d_x, sizeof h_y, cudaMemcpyDeviceToHost);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, one);
    if (wait) cudaStreamSynchronize(one);
    store<<<GRID, BLOCK, 0, two>>>(d_x, 1);
}

static void captured(bool late) {
    cudaGraph_t graph;
    make_streams(cudaStreamNonBlocking);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    if (!late) wait_for(two, one);
    store<<<GRID, BLOCK, 0, one>>>(d_y, 1);
    if (late) wait_for(two, one);
    copy<<<GRID, BLOCK, 0, two>>>(d_z, d_y);
    wait_for(one, two);
    cudaStreamEndCapture(one, &graph);
    launch(graph, 1);
}

// ---- memory of streams, memory of both sides ----

static void async_memory(bool wait_before, bool wait_behind) {
    float *d_w;
    make_streams(cudaStreamNonBlocking);
    cudaMallocAsync(&d_w, sizeof h_y, one);
    if (wait_before) wait_for(two, one);
    copy<<<GRID, BLOCK, 0, two>>>(d_w, d_x);
    if (wait_behind) wait_for(one, two);
    cudaFreeAsync(d_w, one);
}

static void managed(bool wait) {
    float *both;
    cudaMallocManaged(&both, sizeof h_y);
    make_streams(cudaStreamNonBlocking);
    store<<<GRID, BLOCK, 0, one>>>(both, 1);
    if (wait) wait_for(two, one);
    copy<<<GRID, BLOCK, 0, two>>>(d_z, both);
    cudaDeviceSynchronize();
    cudaFree(both);
}

// ---- captures ----

enum capture_call { NO_BREAK, WAITS, USES_DEFAULT, USES_CAPTURED, ASKS_EVENT, ASKS_LATER };

static void launch_graph(cudaGraph_t graph, cudaStream_t stream, cudaEvent_t after) {
    cudaGraphExec_t exec;
    if (!graph) return;
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    if (after) cudaEventRecord(after, stream);
    if (after) cudaEventSynchronize(after);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
}

// A call in the middle of a capture.
static void breaks_capture(capture_call what) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaGraph_t graph = nullptr;
    cudaStreamCreate(&stream);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    store<<<GRID, BLOCK, 0, stream>>>(d_y, 1);
    cudaEventRecord(event, stream);
    if (what == WAITS) cudaDeviceSynchronize();
    if (what == USES_DEFAULT) cudaMemsetAsync(d_z, 0, N * sizeof *d_z, 0);
    if (what == USES_CAPTURED) cudaMemsetAsync(d_z, 0, N * sizeof *d_z, stream);
    if (what == ASKS_EVENT) cudaEventSynchronize(event);
    cudaStreamEndCapture(stream, &graph);
    launch_graph(graph, stream, what == ASKS_LATER ? event : nullptr);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
}

// A second stream comes into the capture.
static void forks_capture(bool joins) {
    cudaStream_t stream, second;
    cudaEvent_t event;
    cudaGraph_t graph = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&second);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    store<<<GRID, BLOCK, 0, stream>>>(d_y, 1);
    cudaEventRecord(event, stream);
    cudaStreamWaitEvent(second, event, 0);
    store<<<GRID, BLOCK, 0, second>>>(d_z, 1);
    cudaEventRecord(event, second);
    if (joins) cudaStreamWaitEvent(stream, event, 0);
    cudaStreamEndCapture(stream, &graph);
    launch_graph(graph, stream, nullptr);
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
    cudaStreamDestroy(second);
}

// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read by cudaMemcpy at check_streams.cu:[0-9]+\n *cudaMemcpy.h_y, d_y
//   ~ global memory: .*cudaStreamNonBlocking do not wait[ \n]+for each other.*cudaStreamSynchronize
//   ~ order of the calls.*\n1 finding in
//   advice WAIT_FOR_STREAM
CASE(late_copy, copies_back(cudaStreamNonBlocking, NOTHING));
CASE(late_copy_not, copies_back(cudaStreamNonBlocking, STREAM));
CASE(blocking_copy_not, copies_back(cudaStreamDefault, NOTHING));
CASE(event_waited_not, copies_back(cudaStreamNonBlocking, EVENT));
CASE(event_polled_not, copies_back(cudaStreamNonBlocking, EVENT_QUERY));
CASE(stream_polled_not, copies_back(cudaStreamNonBlocking, STREAM_QUERY));
CASE(told_by_callback_not, copies_back(cudaStreamNonBlocking, CALLBACK));
CASE(freed_between_not, copies_back(cudaStreamNonBlocking, FREE));
CASE(copy_in_stream_not, copies_back(cudaStreamNonBlocking, SAME_STREAM));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read by cudaMemcpy at check_streams.cu:[0-9]+\n *cudaMemcpy.h_y, d_y
//   ~ global memory: .*cudaStreamNonBlocking do not wait[ \n]+for each other.*\n1 finding in
CASE(early_event, copies_back(cudaStreamNonBlocking, EARLY_EVENT));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read by cudaMemcpy at check_streams.cu:[0-9]+\n *cudaMemcpy.h_y, d_y
//   ~ global memory: .*cudaStreamNonBlocking do not wait[ \n]+for each other.*\n1 finding in
CASE(stream_gone, copies_back(cudaStreamNonBlocking, DESTROY));
CASE(stream_gone_not, copies_back(cudaStreamDefault, DESTROY));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*work in[ \n]+different streams may run at the same time: cudaEventRecord
//   ~ cudaStreamWaitEvent.*\n1 finding in
//   advice EVENT_BETWEEN
PAIR(two_streams, two_streams(right));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*cudaStreamNonBlocking do not wait[ \n]+for each other.*\n1 finding in
CASE(default_first, default_first(cudaStreamNonBlocking, false));
CASE(default_first_not, default_first(cudaStreamDefault, false));
CASE(default_waits_not, default_first(cudaStreamNonBlocking, true));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*cudaStreamNonBlocking do not wait[ \n]+for each other.*\n1 finding in
PAIR(before_stream, before_stream(right));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*work in[ \n]+different streams may run at the same time.*\n1 finding in
CASE(per_thread, per_thread(cudaStreamNonBlocking));
CASE(per_thread_not, per_thread(cudaStreamDefault));
// finds stream-race:     write by cudaMemset at check_streams.cu:[0-9]+\n *cudaMemset.d_y
//   ~     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~ global memory:[ ]
//   ~ returns before the memory is set.*cudaStreamNonBlocking do not wait[ \n]+for each other
//   ~ \n1 finding in
PAIR(set_early, fills_first(right));
// finds stream-race:     write by cudaMemcpy at check_streams.cu:[0-9]+\n *cudaMemcpy.d_y, from
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory:[ ]
//   ~ before the bytes[ \n]+have[ \n]+arrived: from[ \n]+pageable[ \n]+memory[ \n]+it[ \n]+waits[ \
//     n]+only[ \n]+until[ \n]+they[ \n]+are[ \n]+staged
//   ~ \n1 finding in
PAIR(staged, copies_first(right));
// finds stream-race:     write by cudaMemcpy at check_streams.cu:[0-9]+\n *cudaMemcpy.d_y, d_x
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory:[ ]
//   ~ before the bytes[ \n]+have[ \n]+arrived.*on[ \n]+the[ \n]+device it does[ \n]+not wait
//   ~ \n1 finding in
PAIR(on_device, copies_on_device(right));
// finds stream-race:     write by cudaMemcpyAsync at check_streams.cu:[0-9]+\n *.*buffer, d_x
//   ~     read by cudaMemcpyAsync at check_streams.cu:[0-9]+\n *.*d_y, buffer
//   ~ global memory:[ ]
//   ~ work in[ \n]+different streams may run at the same time.*\n1 finding in
PAIR(through_host, through_host(right));
// finds stream-race:     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~ global memory:[ ]
//   ~ work in[ \n]+different streams may run at the same time.*\n1 finding in
CASE(last_reader, last_reader(3));
CASE(last_reader_not, last_reader(4));
CASE(halves_not, halves(N / 2));
// finds stream-race:     write in kernel store_some .*y.i. = 1.*    write in kernel store_some
//   ~ global memory: .*allocation 2 .2048 bytes. . 1020\n
//   ~ work in[ \n]+different streams may run at the same time.*\n1 finding in
CASE(halves, halves(N / 2 - 1));
CASE(odd_bytes_not, odd_bytes());
// finds stream-race:     atomic in kernel count_all at check_streams.cu:[0-9]+\n *atomicAdd
//   ~     read by cudaMemcpy at check_streams.cu:[0-9]+\n *.*h_count
//   ~ global memory:[ ]
//   ~ cudaStreamNonBlocking do not wait[ \n]+for each other.*\n1 finding in
PAIR(counted, counted(right));
// finds stream-race:     write by cudaMemset at check_streams.cu:[0-9]+
//   ~     atomic in kernel count_all at check_streams.cu:[0-9]+\n *atomicAdd
PAIR(filled, filled(right));
CASE(flag_between_not, flag_between(true));
// finds stream-race:     write in kernel gives at check_streams.cu:[0-9]+\n *y.threadIdx.x. = 1
//   ~     read in kernel takes at check_streams.cu:[0-9]+\n *z.threadIdx.x. = y
//   ~ global memory:[ ]
//   ~ work in[ \n]+different streams may run at the same time.*\n1 finding in
CASE(flag_between, flag_between(false));
CASE(flag_by_copy_not, flag_by_copy());
CASE(heaps_not, heaps());
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*no edges lead from one.*add the[ \n]+dependency.*\n1 finding in
//   advice GRAPH_EDGE
PAIR(graph_nodes, graph_nodes(right));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read by cudaGraphLaunch at check_streams.cu:[0-9]+
//   ~ global memory: .*no edges lead.*\n1 finding in
PAIR(graph_copy, graph_copy(right));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*work in[ \n]+different streams may run at the same time.*\n1 finding in
PAIR(graph_behind, graph_behind(right));
// finds stream-race:     read by cudaGraphLaunch at check_streams.cu:[0-9]+\n *cudaGraphLaunch.exec
//     , one
//   ~     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~ global memory: .*work in[ \n]+different streams may run at the same time.*\n1 finding in
PAIR(graph_reads, graph_reads(right));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*no edges lead.*\n1 finding in
PAIR(captured, captured(right));
// finds stream-race:     write by cudaMallocAsync at check_streams.cu:[0-9]+\n *cudaMallocAsync
//   ~     write in kernel copy
//   ~ global memory:[ ]
//   ~ only when its stream has come.*\n1 finding in
CASE(taken_early, async_memory(false, true));
// finds stream-race:     write in kernel copy
//   ~     write by cudaFreeAsync at check_streams.cu:[0-9]+\n *cudaFreeAsync
//   ~ global memory: .*given back while.*\n1 finding in
CASE(given_early, async_memory(true, false));
CASE(async_memory_not, async_memory(true, true));
// finds stream-race:     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOC
//     K . threadIdx.x. = value
//   ~     read in kernel copy at check_streams.cu:[0-9]+\n *y.blockIdx.x
//   ~ global memory: .*work in[ \n]+different streams may run at the same time.*\n1 finding in
PAIR(managed, managed(right));
// finds stream-race:     write in kernel store_bytes at check_streams.cu:[0-9]+\n *for
//   ~     write in kernel store at check_streams.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~ global memory:[ ]
//   ~ work in[ \n]+different streams may run at the same time.*\n1 finding in
PAIR(wide_and_narrow, wide_and_narrow(right));
// finds unchecked-call: cudaDeviceSynchronize.. returned cudaErrorStreamCaptureUnsupported
//   ~ is[ \n]+done[ \n]+when[ \n]+its[ \n]+graph[ \n]+is[ \n]+launched
//   ~ cudaStreamEndCapture.*cudaErrorStreamCaptureInvalidated
//   ~ cudaDeviceSynchronize..[ \n]+has[ \n]+made
//   advice CAPTURE_OUTSIDE
CASE(capture_waits, breaks_capture(WAITS));
CASE(capture_waits_not, breaks_capture(NO_BREAK));
// finds unchecked-call: cudaMemset.*returned[ \n]+cudaErrorStreamCaptureImplicit
//   ~ would[ \n]+have[ \n]+to[ \n]+wait[ \n]+for[ \n]+the[ \n]+captured
//   advice CAPTURE_OTHER_STREAM
CASE(capture_default, breaks_capture(USES_DEFAULT));
CASE(capture_default_not, breaks_capture(USES_CAPTURED));
// finds unchecked-call: cudaStreamEndCapture.*cudaErrorStreamCaptureUnjoined
//   ~ that[ \n]+the[ \n]+first[ \n]+stream[ \n]+does[ \n]+not[ \n]+wait[ \n]+for
//   advice CAPTURE_JOIN
PAIR(capture_unjoined, forks_capture(right));
// finds unchecked-call: cudaEventSynchronize.*cudaErrorCapturedEvent
//   ~ orders[ \n]+nodes[ \n]+of[ \n]+its[ \n]+graph
//   advice CAPTURE_EVENT
CASE(capture_event, breaks_capture(ASKS_EVENT));
CASE(capture_event_not, breaks_capture(ASKS_LATER));
CASE(flag_later, flag_later(false));
// finds deadlock: argument[ \n]+3[ \n]+.flag.[ \n]+of.*All that the program has put into other
//   ~ streams[ \n]+is[ \n]+done.*put[ \n]+into[ \n]+another[ \n]+stream
CASE(flag_later_behind, flag_later(true));
