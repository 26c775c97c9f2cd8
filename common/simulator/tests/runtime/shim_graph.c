// Protects graphs and stream capture on a fake engine: what runs, when and in which order; time on
// the virtual clock; threads; handles that are dead (the real runtime may crash on those, this one
// must not). Which error a mistake gives is held to an H100 by programs/graphs/graph_api.cu and
// graph_more.cu.
#include "runtime/shim.h"
#include "suite.h"

#include <pthread.h>

// ---- a log of what ran --------------------------------------------------------------------------

enum { LOG_CAPACITY = 64 };
static uint32_t ran[LOG_CAPACITY],
    ran_count; // second parameters of kernels; 1000 + n: host functions
static uint32_t chain_count;

static void log_number(uint32_t number) {
    if (ran_count < LOG_CAPACITY) ran[ran_count] = number;
    ran_count++;
}

static void log_kernel(const fake_engine_state *state) {
    uint32_t number;
    memcpy(&number, state->params + 8, sizeof number);
    log_number(number);
}

static void log_host(void *data) { log_number(1000 + *(uint32_t *)data); }

static void set_up(void) {
    shim_set_up();
    fake.kernel = log_kernel;
    ran_count = 0;
}

static void expect_log(const char *wanted) {
    char text[16 * LOG_CAPACITY] = "";
    for (uint32_t i = 0; i < ran_count && i < LOG_CAPACITY; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), i ? " %u" : "%u", ran[i]);
    ck_assert_str_eq(text, wanted);
}

static cudaError_t launch_number(uint32_t number, cudaStream_t stream) {
    void *pointer = NULL, *arguments[] = {&pointer, &number};
    return cudaLaunchKernel(&stub, one, one, arguments, 0, stream);
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, uint32_t number, const cudaGraphNode_t *before,
                                  size_t count) {
    void *pointer = NULL, *arguments[] = {&pointer, &number};
    struct cudaKernelNodeParams params = {
        .func = &stub, .gridDim = one, .blockDim = one, .kernelParams = arguments};
    cudaGraphNode_t node;
    OK(cudaGraphAddKernelNode(&node, graph, before, count, &params));
    return node;
}

static cudaGraph_t new_graph(void) {
    cudaGraph_t graph;
    OK(cudaGraphCreate(&graph, 0));
    return graph;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph) {
    cudaGraphExec_t exec;
    OK(cudaGraphInstantiate(&exec, graph, 0));
    return exec;
}

static cudaStream_t new_stream(void) {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    return stream;
}

static cudaEvent_t new_event(void) {
    cudaEvent_t event;
    OK(cudaEventCreate(&event));
    return event;
}

static void begin(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
    OK(cudaStreamBeginCapture(stream, mode));
}

// ---- what runs ----------------------------------------------------------------------------------

KL_FIXTURE(set_up, shim_tear_down)

KL_TEST(captured_work_runs_when_launched) {
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    uint32_t number = 7;
    char *memory, byte = 0;
    OK(cudaMalloc((void **)&memory, 16));
    OK(cudaMemset(memory, 1, 16));
    begin(stream, cudaStreamCaptureModeGlobal);
    OK(launch_number(1, stream));
    OK(cudaMemsetAsync(memory, 5, 16, stream));
    ck_assert_int_eq(cudaMemcpyAsync(&byte, memory + 3, 1, cudaMemcpyDeviceToHost, stream), 0);
    OK(cudaLaunchHostFunc(stream, log_host, &number));
    OK(launch_number(2, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    expect_log("");
    ck_assert_int_eq(byte, 0);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphLaunch(exec, stream));
    OK(cudaStreamSynchronize(stream));
    expect_log("1 1007 2");
    ck_assert_int_eq(byte, 5);
    OK(cudaGraphLaunch(exec, stream));
    expect_log("1 1007 2 1 1007 2");
    OK(cudaGraphExecDestroy(exec));
}

KL_TEST(dependencies_decide_the_order) {
    cudaGraph_t graph = new_graph(), child = new_graph();
    cudaGraphNode_t late = add_kernel(graph, 3, NULL, 0), early = add_kernel(graph, 1, NULL, 0);
    cudaGraphNode_t sub, inner = add_kernel(child, 21, NULL, 0);
    add_kernel(child, 22, &inner, 1);
    OK(cudaGraphAddChildGraphNode(&sub, graph, &early, 1, child));
    OK(cudaGraphDestroy(child)); // the node has a copy
    OK(cudaGraphAddDependencies(graph, &sub, &late, NULL, 1));
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, NULL));
    expect_log("1 21 22 3");
    OK(cudaGraphAddDependencies(graph, &late, &early, NULL, 1));
    ck_assert_int_eq(cudaGraphInstantiate(&exec, graph, 0), cudaErrorInvalidValue); // a cycle
}

KL_TEST(other_streams_join_through_events) {
    cudaStream_t a = new_stream(), b = new_stream();
    cudaEvent_t fork = new_event(), join = new_event();
    cudaGraph_t graph;
    begin(a, cudaStreamCaptureModeGlobal);
    OK(launch_number(1, a));
    OK(cudaEventRecord(fork, a));
    OK(cudaStreamWaitEvent(b, fork, 0));
    OK(launch_number(2, b));
    OK(launch_number(3, a));
    OK(cudaEventRecord(join, b));
    OK(cudaStreamWaitEvent(a, join, 0));
    OK(launch_number(4, a));
    OK(cudaStreamEndCapture(a, &graph));
    OK(launch_number(9, b)); // its own again
    expect_log("9");
    cudaGraphNode_t from[8], to[8];
    size_t edges = 8;
    OK(cudaGraphGetEdges(graph, from, to, NULL, &edges));
    ck_assert_uint_eq(edges, 4);
    // Time: three kernels of 10 us one after the other, the fourth beside them.
    cudaEvent_t start = new_event(), stop = new_event();
    cudaGraphExec_t exec = instantiate(graph);
    float forked_ms;
    OK(cudaEventRecord(start, a));
    OK(cudaGraphLaunch(exec, a));
    OK(cudaEventRecord(stop, a));
    OK(cudaStreamSynchronize(a));
    OK(cudaEventElapsedTime(&forked_ms, start, stop));
    ck_assert_double_ge(forked_ms, 0.030);
    ck_assert_double_lt(forked_ms, 0.040);
}

KL_TEST(launching_into_a_capture_is_refused) {
    cudaStream_t stream = new_stream();
    cudaGraph_t graph = new_graph(), none;
    add_kernel(graph, 5, NULL, 0);
    cudaGraphExec_t exec = instantiate(graph);
    begin(stream, cudaStreamCaptureModeRelaxed);
    ck_assert_int_eq(cudaGraphLaunch(exec, stream), cudaErrorStreamCaptureUnsupported);
    ck_assert_int_eq(cudaStreamEndCapture(stream, &none), cudaErrorStreamCaptureInvalidated);
    expect_log("");
    OK(cudaGraphLaunch(exec, stream));
    expect_log("5");
}

KL_TEST(a_fault_stops_what_follows) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t first = add_kernel(graph, 1, NULL, 0);
    add_kernel(graph, 2, &first, 1);
    cudaGraphExec_t exec = instantiate(graph);
    fake.fault = (sim_fault){.kind = SIM_ILLEGAL_ADDRESS, .kernel = "k"};
    strcpy(fake.fault.text, "k.cu:1: told to fail");
    OK(cudaGraphLaunch(exec, NULL));
    expect_log("1");
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGraphLaunch(exec, NULL), cudaErrorIllegalAddress);
}

// ---- changes ------------------------------------------------------------------------------------

KL_TEST(an_update_is_all_or_nothing) {
    cudaGraph_t graph = new_graph(), better = new_graph(), other = new_graph();
    cudaGraphNode_t node = add_kernel(graph, 1, NULL, 0), empty;
    add_kernel(graph, 2, &node, 1);
    node = add_kernel(better, 11, NULL, 0);
    add_kernel(better, 12, &node, 1);
    add_kernel(other, 21, NULL, 0);
    OK(cudaGraphAddEmptyNode(&empty, other, NULL, 0));
    cudaGraphExec_t exec = instantiate(graph);
    cudaGraphExecUpdateResultInfo info;
    ck_assert_int_eq(cudaGraphExecUpdate(exec, other, &info), cudaErrorGraphExecUpdateFailure);
    ck_assert_int_ne(info.result, cudaGraphExecUpdateSuccess);
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaGraphExecUpdate(exec, better, &info));
    OK(cudaGraphDestroy(better));
    OK(cudaGraphLaunch(exec, NULL));
    expect_log("1 2 11 12");
}

KL_TEST(nodes_can_be_switched_off_and_changed) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t first = add_kernel(graph, 1, NULL, 0), second = add_kernel(graph, 2, &first, 1);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphNodeSetEnabled(exec, first, 0));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaGraphNodeSetEnabled(exec, first, 1));
    uint32_t number = 30;
    void *pointer = NULL, *arguments[] = {&pointer, &number};
    struct cudaKernelNodeParams params = {
        .func = &stub, .gridDim = one, .blockDim = one, .kernelParams = arguments};
    OK(cudaGraphExecKernelNodeSetParams(exec, second, &params));
    number = 31; // the node has a copy
    OK(cudaGraphLaunch(exec, NULL));
    expect_log("2 1 30");
    params.func = &other_stub; // its image lacks the kernel
    ck_assert_int_ne(cudaGraphExecKernelNodeSetParams(exec, second, &params), cudaSuccess);
}

// ---- handles ------------------------------------------------------------------------------------

KL_TEST(dead_handles_are_refused) {
    cudaGraph_t graph = new_graph(), other = new_graph(), clone;
    cudaGraphNode_t node = add_kernel(graph, 1, NULL, 0), kept = add_kernel(other, 2, NULL, 0);
    cudaGraphExec_t exec = instantiate(graph);
    enum cudaGraphNodeType type;
    size_t count;
    OK(cudaGraphDestroy(graph));
    ck_assert_int_eq(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGraphGetNodes(graph, NULL, &count), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGraphClone(&clone, graph), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGraphNodeGetType(node, &type), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGraphNodeSetEnabled(exec, node, 0), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGraphNodeSetEnabled(exec, kept, 0), cudaErrorInvalidValue);
    OK(cudaGraphExecDestroy(exec));
    ck_assert_int_eq(cudaGraphExecDestroy(exec), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
    expect_log("");
}

static cudaGraphExec_t destroyed_inside;
static void destroy_exec(void *data) {
    (void)data;
    log_number(cudaGraphExecDestroy(destroyed_inside) == cudaErrorNotPermitted ? 1 : 9);
}

// Host functions must not call CUDA; one that does must not take the runtime down with it.
KL_TEST(host_functions_run_without_the_lock) {
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node;
    struct cudaHostNodeParams params = {destroy_exec, NULL};
    OK(cudaGraphAddHostNode(&node, graph, NULL, 0, &params));
    add_kernel(graph, 2, &node, 1);
    destroyed_inside = instantiate(graph);
    OK(cudaGraphLaunch(destroyed_inside, NULL));
    expect_log("1 2");
    OK(cudaGraphLaunch(destroyed_inside, NULL)); // it is still there
    expect_log("1 2 1 2");
}

KL_TEST(reset_forgets_captures_and_graphs) {
    cudaStream_t stream = new_stream();
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t sub;
    add_kernel(graph, 1, NULL, 0);
    OK(cudaGraphAddChildGraphNode(&sub, graph, NULL, 0, graph));
    cudaGraphExec_t exec = instantiate(graph);
    begin(stream, cudaStreamCaptureModeGlobal);
    OK(launch_number(1, stream));
    OK(cudaDeviceReset());
    ck_assert_int_eq(cudaGraphLaunch(exec, NULL), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGraphDestroy(graph), cudaErrorInvalidValue);
    OK(cudaDeviceSynchronize()); // no capture is left to be in the way
}

KL_TEST(a_graph_destroyed_while_it_is_captured) {
    cudaStream_t stream = new_stream();
    cudaGraph_t graph = NULL, none;
    enum cudaStreamCaptureStatus status;
    begin(stream, cudaStreamCaptureModeGlobal);
    OK(launch_number(1, stream));
    ck_assert_int_eq(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, NULL, NULL, NULL), 0);
    OK(cudaGraphDestroy(graph));
    ck_assert_int_eq(launch_number(2, stream), cudaErrorStreamCaptureInvalidated);
    ck_assert_int_eq(cudaStreamEndCapture(stream, &none), cudaErrorStreamCaptureInvalidated);
    ck_assert_ptr_null(none);
}

// ---- threads and sizes --------------------------------------------------------------------------

typedef struct elsewhere {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaError_t allocated, ended;
} elsewhere;

static void *act_elsewhere(void *context) {
    elsewhere *e = context;
    void *memory;
    e->allocated = cudaMalloc(&memory, 16);
    e->ended = cudaStreamEndCapture(e->stream, &e->graph);
    return NULL;
}

static elsewhere in_another_thread(enum cudaStreamCaptureMode mode) {
    elsewhere e = {.stream = new_stream()};
    pthread_t thread;
    begin(e.stream, mode);
    ck_assert_int_eq(pthread_create(&thread, NULL, act_elsewhere, &e), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    if (e.ended) cudaStreamEndCapture(e.stream, &e.graph);
    return e;
}

KL_TEST(modes_bind_threads) {
    elsewhere global = in_another_thread(cudaStreamCaptureModeGlobal);
    ck_assert_int_eq(global.allocated, cudaErrorStreamCaptureUnsupported);
    ck_assert_int_eq(global.ended, cudaErrorStreamCaptureWrongThread);
    ck_assert_ptr_null(global.graph);
    elsewhere local = in_another_thread(cudaStreamCaptureModeThreadLocal);
    OK(local.allocated);
    ck_assert_int_eq(local.ended, cudaErrorStreamCaptureWrongThread);
    ck_assert_ptr_null(local.graph); // nothing is left for its own thread to end, as on an H200
    elsewhere relaxed = in_another_thread(cudaStreamCaptureModeRelaxed);
    OK(relaxed.allocated);
    OK(relaxed.ended);
}

static void count_chain(const fake_engine_state *state) {
    (void)state;
    chain_count++;
}

KL_TEST(long_chains_are_no_burden) {
    enum { LENGTH = 20000 };
    cudaStream_t stream = new_stream();
    cudaGraph_t graph;
    chain_count = 0;
    fake.kernel = count_chain;
    begin(stream, cudaStreamCaptureModeGlobal);
    for (uint32_t i = 0; i < LENGTH; i++) OK(launch_number(i, stream));
    OK(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphLaunch(exec, stream));
    ck_assert_uint_eq(chain_count, LENGTH);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}

// ---- the rest -----------------------------------------------------------------------------------

KL_TEST(the_last_reference_destroys_a_user_object) {
    cudaGraph_t graph = new_graph();
    cudaUserObject_t object;
    uint32_t number = 4;
    ck_assert_int_eq(
        cudaUserObjectCreate(&object, &number, log_host, 1, cudaUserObjectNoDestructorSync), 0);
    ck_assert_int_eq(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), 0);
    cudaGraphExec_t exec = instantiate(graph);
    OK(cudaGraphDestroy(graph));
    expect_log("");
    OK(cudaGraphExecDestroy(exec));
    expect_log("1004");
    ck_assert_int_eq(cudaUserObjectRelease(object, 1), cudaErrorInvalidValue);
}

KL_TEST(a_graph_prints_its_nodes_and_edges) {
    char path[] = "/tmp/graph_dot_XXXXXX", text[2048] = "";
    int descriptor = mkstemp(path);
    ck_assert_int_ge(descriptor, 0);
    cudaGraph_t graph = new_graph();
    cudaGraphNode_t node = add_kernel(graph, 1, NULL, 0);
    add_kernel(graph, 2, &node, 1);
    OK(cudaGraphDebugDotPrint(graph, path, 0));
    ck_assert_int_gt(read(descriptor, text, sizeof text - 1), 0);
    close(descriptor);
    unlink(path);
    KL_HAS(text, "digraph", "label=\"0\nkernel\n", "_node_0\" -> ");
}

void shim_graph_tests(Suite *suite) { kl_add_tests(suite); }
