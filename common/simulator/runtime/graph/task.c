// Work that waits: see graph.h. Tasks are done one at a time: first the kernels that are set aside
// and can go on (sim_launch_go_on), then what waits for nothing any more, in the order of its
// submission: so a kernel sees what comes for it, and not what comes after that. On the virtual
// clock a task begins no sooner than the call that made it.
#include "runtime/graph/graph.h"
#include <signal.h>
#include <time.h>

struct runtime_task {
    runtime_task *next;
    unsigned long long number; // no other has it
    runtime_work work;
    runtime_queue own, *queue; // that of a stream, or its own
    struct CUstream_st *stream;
    struct CUgraphNode_st *begins, *node; // a node that begins with it; that is done with it
    struct CUgraphExec_st *exec;          // with it a launch of this ends, and `ended` is told
    void (*ended)(struct CUgraphExec_st *exec);
    const struct CUgraph_st *graph; // all nodes of which are done with it
    sim_queue first;                // for the checks: what is before its graph
    int device;
    runtime_way way;
    runtime_moment submitted; // the host's time
    size_t waiting;           // tasks that it waits for
    runtime_task **followers; // that wait for it: [count]
    uint32_t count, capacity;
    runtime_held held; // number 0: it has not begun
};

static void settle(int device);
static void begin_to_help(void);

static runtime_task *append(runtime_task *task) {
    static unsigned long long numbers;
    if (!task) return NULL;
    task->number = ++numbers;
    task->device = runtime.device;
    task->submitted = runtime.clock.host;
    runtime_task **link = &runtime.tasks;
    while (*link) link = &(*link)->next;
    *link = task;
    runtime.settle = settle;
    begin_to_help();
    return task;
}

runtime_task *runtime_task_start(runtime_moment ready) {
    runtime_task *task = append(calloc(1, sizeof *task));
    if (!task) return NULL;
    task->own.ready = ready;
    task->work.type = cudaGraphNodeTypeEmpty;
    task->queue = &task->own;
    return task;
}

runtime_task *runtime_task_of(runtime_work *work, const runtime_queue *queue) {
    runtime_task *task = runtime_task_start(queue->ready);
    if (!task) {
        runtime_work_free(work);
        return NULL;
    }
    task->work = *work;
    task->own = *queue;
    task->way = queue->in_graph ? RUNTIME_IN_GRAPH : RUNTIME_LATER;
    return task;
}

runtime_task *runtime_task_held(const runtime_held *held, const runtime_queue *queue) {
    runtime_task *task = runtime_task_start(queue->ready);
    if (!task) return NULL;
    task->own = *queue;
    task->held = *held;
    return task;
}

void runtime_task_after(runtime_task *task, runtime_task *earlier) {
    if (!earlier || earlier == task) return;
    if (!sim_reserve(&earlier->followers, &earlier->capacity, earlier->count, sizeof task)) {
        runtime_fault(cudaErrorMemoryAllocation); // an order is lost
        return;
    }
    earlier->followers[earlier->count++] = task;
    task->waiting++;
}

// What the stream waits for: CUDA C++ Programming Guide, "Default Stream".
static runtime_task *other_before(const struct CUstream_st *stream, size_t *at) {
    const runtime_queue *queue = &stream->queue;
    const struct CUstream_st *other;
    while (queue->blocking && (other = runtime_stream_next(at))) {
        bool counts = queue->legacy ? other->queue.blocking : other->queue.legacy;
        if (counts && other != stream && other->queue.device == queue->device && other->last)
            return other->last;
    }
    return NULL;
}

bool runtime_stream_is_held(const struct CUstream_st *stream) {
    size_t at = 0;
    return runtime.tasks && (stream->last || other_before(stream, &at));
}

void runtime_task_in_stream(runtime_task *task, struct CUstream_st *stream) {
    runtime_task *earlier;
    runtime_task_after(task, stream->last);
    for (size_t at = 0; (earlier = other_before(stream, &at));) runtime_task_after(task, earlier);
    task->stream = stream;
    task->queue = &stream->queue;
    stream->last = task;
}

void runtime_task_begins(runtime_task *task, struct CUgraphNode_st *node, sim_queue first) {
    task->begins = node;
    task->first = first;
    if (first && !node->own_line) node->own_line = runtime_order_name(SIM_QUEUE_NODES);
}

void runtime_task_of_node(runtime_task *task, struct CUgraphNode_st *node, sim_queue first) {
    task->node = node;
    task->first = first;
    node->task = task;
}

void runtime_task_ends(runtime_task *task, const struct CUgraph_st *graph, sim_queue order,
                       sim_queue first) {
    task->graph = graph;
    task->own.order = order;
    task->first = first;
}

void runtime_task_ends_graph(runtime_task *task, struct CUgraphExec_st *exec,
                             void (*ended)(struct CUgraphExec_st *exec)) {
    task->exec = exec;
    task->ended = ended;
    exec->last = task;
}

cudaError_t runtime_stream_put(struct CUstream_st *stream, runtime_work *work) {
    const sim_device *device = sim_engine_device(runtime.engine);
    if (work->type == cudaGraphNodeTypeKernel) runtime_clock_launch(&runtime.clock, device);
    else if (work->type <= cudaGraphNodeTypeHost) runtime_clock_order(&runtime.clock, true);
    struct CUevent_st *event =
        work->type == cudaGraphNodeTypeEventRecord ? runtime_event_find(work->event) : NULL;
    runtime_task *task = runtime_task_of(work, &stream->queue);
    if (!task) return cudaErrorMemoryAllocation;
    runtime_task_in_stream(task, stream);
    if (event) event->task = task;
    return cudaSuccess;
}

cudaError_t runtime_stream_put_held(struct CUstream_st *stream, const runtime_held *held) {
    runtime_task *task = runtime_task_held(held, &stream->queue);
    if (!task) return cudaErrorMemoryAllocation;
    runtime_task_in_stream(task, stream);
    return cudaSuccess;
}

cudaError_t runtime_stream_put_record(struct CUstream_st *stream, struct CUevent_st *event) {
    event->task = NULL;
    if (!runtime_stream_is_held(stream)) {
        runtime_event_record(event, &stream->queue);
        return cudaSuccess;
    }
    runtime_work work = {.type = cudaGraphNodeTypeEventRecord, .event = event};
    return runtime_stream_put(stream, &work);
}

cudaError_t runtime_stream_put_wait(struct CUstream_st *stream, struct CUevent_st *event) {
    runtime_task *before = event->task;
    if (!before && !runtime_stream_is_held(stream)) {
        runtime_event_wait(event, &stream->queue);
        return cudaSuccess;
    }
    runtime_work work = {.type = cudaGraphNodeTypeWaitEvent, .event = event};
    cudaError_t status = runtime_stream_put(stream, &work);
    if (!status) runtime_task_after(stream->last, before);
    return status;
}

// ---- what the checks are told of graphs ---------------------------------------------------------

// The line that a node runs in: that of a node it waits for, which no other one goes on in, or its
// own. It comes after all that it waits for, or what was in the stream before the graph.
void runtime_node_order(struct CUgraphNode_st *node, sim_queue start) {
    if (!node->end) node->end = runtime_order_name(SIM_QUEUE_EVENT);
    struct CUgraphNode_st *follows = NULL;
    bool is_graph = node->work.type == cudaGraphNodeTypeGraph; // whose nodes may be named already
    for (size_t i = 0; i < node->before.count; i++) {
        node->before.nodes[i]->has_next = true;
        if (!follows && !is_graph && !node->before.nodes[i]->goes_on)
            follows = node->before.nodes[i];
    }
    node->goes_on = node->has_next = false;
    if (follows) {
        follows->goes_on = true;
        node->line = follows->line;
    } else {
        if (!node->own_line) node->own_line = runtime_order_name(SIM_QUEUE_NODES);
        node->line = node->own_line;
    }
    for (size_t i = 0; i < node->before.count; i++)
        if (node->before.nodes[i] != follows)
            runtime_order_after(node->line, node->before.nodes[i]->end);
    if (node->before.count == 0) runtime_order_after(node->line, start);
}

void runtime_graph_order(const struct CUgraph_st *graph, sim_queue order, sim_queue first) {
    for (size_t i = 0; first && i < graph->nodes.count; i++)
        if (!graph->nodes.nodes[i]->has_next)
            runtime_order_after(order, graph->nodes.nodes[i]->end);
    runtime_order_gone(first);
}

// ---- done ---------------------------------------------------------------------------------------

static bool is_join(const runtime_task *task) {
    return task->work.type == cudaGraphNodeTypeEmpty && !task->held.kernel;
}

static void leave_stream(runtime_task *task) {
    struct CUstream_st *stream = task->stream;
    if (stream->last != task) return;
    stream->last = NULL;
    if (stream->is_doomed) runtime_stream_free(stream);
}

static void finish(runtime_task *task, cudaError_t status) {
    runtime_task **link = &runtime.tasks;
    while (*link != task) link = &(*link)->next;
    *link = task->next;
    if (status && !runtime.now->pending && !runtime.sticky) runtime_fault(status);
    if (is_join(task) && task->stream)
        runtime_clock_wait(&runtime.clock, task->queue, task->own.ready);
    runtime_moment end = task->queue->ready;
    if (task->queue == &task->own) end.cause = SIM_CAUSE_GRAPH;
    if (task->stream) leave_stream(task);
    struct CUevent_st *event = task->work.type == cudaGraphNodeTypeEventRecord
                                   ? runtime_event_find(task->work.event)
                                   : NULL;
    if (event && event->task == task) event->task = NULL;
    if (task->node && task->node->task == task) {
        task->node->task = NULL;
        task->node->end_of_run = end;
    }
    if (task->node && task->first) runtime_order_after(task->node->end, task->node->line);
    if (task->graph) runtime_graph_order(task->graph, task->own.order, task->first);
    for (size_t i = 0; i < task->count; i++) {
        runtime_task *follower = task->followers[i];
        follower->waiting--;
        if (follower->own.ready.us < end.us) follower->own.ready = end;
    }
    if (task->exec && task->exec->last == task) {
        task->exec->last = NULL;
        task->ended(task->exec);
    }
    runtime_work_free(&task->work);
    free(task->followers);
    free(task);
}

// ---- going on -----------------------------------------------------------------------------------

// What it does is charged as if the host were still in the call that submitted it.
static cudaError_t at_its_time(runtime_task *task, const sim_launch_result *result,
                               const kl_error *err) {
    runtime_moment host = runtime.clock.host;
    runtime.clock.host = task->submitted;
    runtime_use(task->device);
    cudaError_t status = result
                             ? runtime_launch_ended(&task->held, task->queue, result, err)
                             : runtime_work_run(&task->work, task->queue, task->way, &task->held);
    runtime.clock.host = host;
    return status;
}

static bool do_next(void) {
    runtime_task *task = runtime.tasks;
    while (task && (task->waiting || task->held.number)) task = task->next;
    if (!task) return false;
    task->held.kernel = NULL;
    if (task->begins && task->first) {
        runtime_node_order(task->begins, task->first);
        task->own.order = task->begins->line;
    }
    bool is_gone = runtime.unloading && task->work.type == cudaGraphNodeTypeHost;
    cudaError_t status = is_join(task) || is_gone ? cudaSuccess : at_its_time(task, NULL, NULL);
    if (status || !task->held.number) finish(task, status);
    return true;
}

// False: none of the kernels that are set aside can.
static bool end_next(sim_patience patience) {
    sim_launch_result result = {0};
    kl_error err = {0};
    runtime_task *task = runtime.tasks;
    while (task && !task->held.number) task = task->next;
    if (!task) return false;
    cudaError_t status = runtime_copies_to_device();
    err.status = sim_launch_go_on(runtime.engine, patience, &result, &err);
    if (!status) status = runtime_copies_to_host();
    for (task = runtime.tasks; task && task->held.number != result.held;) task = task->next;
    if (!result.held || !task) {
        if (err.status == SIM_CONNECTION) runtime_fail(&err);
        return false;
    }
    status = at_its_time(task, &result, &err);
    finish(task, status);
    return true;
}

static void go_on(sim_patience patience, bool (*is_done)(const void *), const void *context) {
    int device = runtime.device;
    if (runtime.going_on) return;
    runtime.going_on = true;
    while (runtime.tasks && !(is_done && is_done(context)))
        if (!end_next(SIM_WAIT_NOT) && !do_next() && !end_next(patience)) break;
    runtime.going_on = false;
    runtime_use(device);
}

void runtime_tasks_go_on(sim_patience patience) {
    if (runtime.tasks) go_on(patience, NULL, NULL);
}

void runtime_tasks_poll(void) {
    enum { MOST = 10000 };
    static uint32_t fruitless;
    static const runtime_task *first;
    if (!runtime.tasks) return;
    go_on(SIM_WAIT_UNTIL_STUCK, NULL, NULL);
    fruitless = runtime.tasks == first ? fruitless + 1 : 0;
    first = runtime.tasks;
    if (first && fruitless >= MOST) go_on(SIM_WAIT_TO_THE_END, NULL, NULL);
}

// A host function, which runs with the lock free, may be one of the tasks of another thread.
static void let_others_go_on(void) {
    const struct timespec while_ = {.tv_nsec = 100000};
    while (runtime.going_on && !runtime_in_host_function()) {
        pthread_mutex_unlock(&runtime.lock);
        nanosleep(&while_, NULL);
        pthread_mutex_lock(&runtime.lock);
    }
}

static cudaError_t wait_until(bool (*is_done)(const void *), const void *context) {
    if (!runtime.tasks || is_done(context)) return runtime.sticky;
    let_others_go_on();
    go_on(SIM_WAIT_UNTIL_STUCK, is_done, context);
    if (runtime.tasks && !is_done(context)) go_on(SIM_WAIT_TO_THE_END, is_done, context);
    runtime_output_flush();
    runtime_fault_surface();
    return runtime.sticky;
}

static bool task_is_done(const void *context) {
    const runtime_task *task = runtime.tasks;
    while (task && task->number != *(const unsigned long long *)context) task = task->next;
    return !task;
}

static bool stream_is_done(const void *context) { return !runtime_stream_is_held(context); }

static bool event_is_done(const void *context) {
    return !((const struct CUevent_st *)context)->task;
}

static bool device_is_done(const void *context) {
    const runtime_task *task = runtime.tasks;
    while (task && task->device != *(const int *)context) task = task->next;
    return !task;
}

cudaError_t runtime_task_wait(const runtime_task *task) {
    unsigned long long number = task->number;
    return wait_until(task_is_done, &number);
}

cudaError_t runtime_stream_wait(const struct CUstream_st *stream) {
    return wait_until(stream_is_done, stream);
}

cudaError_t runtime_event_task_wait(const struct CUevent_st *event) {
    return wait_until(event_is_done, event);
}

cudaError_t runtime_device_wait(int device) { return wait_until(device_is_done, &device); }

// What the program has not waited for by its end goes on as far as it can. A check tells of what
// cannot.
static void settle(int device) {
    if (device >= 0) runtime_device_wait(device);
    else
        go_on(runtime.faults_are_findings ? SIM_WAIT_TO_THE_END : SIM_WAIT_UNTIL_STUCK, NULL, NULL);
}

// ---- a host that polls --------------------------------------------------------------------------
// On a card kernels go on while the host reads page-locked or managed memory in a loop, without any
// call. Here a thread goes on with them then: when the host has computed that long since its last
// call or, asleep in between, has made none for that long.

enum { HELP_EACH_NS = 1000000, HELP_AFTER_CPU_MS = 100, HELP_AFTER_MS = 5000 };

static double milliseconds(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static double host_cpu_ms(void) {
    return milliseconds(CLOCK_PROCESS_CPUTIME_ID) - milliseconds(CLOCK_THREAD_CPUTIME_ID);
}

static bool host_sees_memory(void) {
    for (size_t i = 0; i < runtime.range_count; i++)
        if (runtime.ranges[i].kind != RUNTIME_MEMORY_DEVICE) return true;
    return false;
}

static pthread_cond_t has_tasks = PTHREAD_COND_INITIALIZER;

// It stays to the end of the process, so that host_watch.c knows how many threads there are.
static void *help(void *unused) {
    const struct timespec each = {.tv_nsec = HELP_EACH_NS};
    uint64_t calls = 0;
    double cpu_ms = 0, ms = 0;
    pthread_mutex_lock(&runtime.lock);
    for (;;) {
        while (!runtime.tasks) pthread_cond_wait(&has_tasks, &runtime.lock);
        if (calls != runtime.calls) {
            calls = runtime.calls;
            cpu_ms = host_cpu_ms();
            ms = milliseconds(CLOCK_MONOTONIC);
        }
        bool polls = host_cpu_ms() - cpu_ms > HELP_AFTER_CPU_MS ||
                     milliseconds(CLOCK_MONOTONIC) - ms > HELP_AFTER_MS;
        if (polls && host_sees_memory() && !runtime.going_on && !runtime.unloading)
            go_on(SIM_WAIT_UNTIL_STUCK, NULL, NULL);
        pthread_mutex_unlock(&runtime.lock);
        nanosleep(&each, NULL);
        pthread_mutex_lock(&runtime.lock);
    }
    return unused;
}

// Signals are for the program's threads. Without one of ours all goes on at the next call.
static void begin_to_help(void) {
    pthread_t thread;
    sigset_t all, before;
    if (runtime.is_helped) pthread_cond_signal(&has_tasks);
    if (runtime.is_helped) return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    runtime.is_helped = pthread_create(&thread, NULL, help, NULL) == 0;
    if (runtime.is_helped) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// ---- the work of nodes, done when a graph is launched -------------------------------------------

// The kernel is looked up again: its module may be gone.
static cudaError_t run_kernel(const runtime_kernel_work *work, runtime_queue *queue,
                              runtime_way way, runtime_held *out_held) {
    struct CUkern_st *kernel;
    cudaError_t status = runtime_launch_check(&work->launch, &kernel);
    if (status) return status;
    if (kernel->info.param_bytes != work->block_bytes) return cudaErrorInvalidValue;
    return runtime_launch_run(&work->launch, kernel, work->block, queue, way, out_held);
}

static cudaError_t run_copy(const runtime_box *box, runtime_queue *queue) {
    runtime_transfer moved;
    cudaError_t status = runtime_box_move(box, queue, RUNTIME_NODE, &moved);
    if (!status && moved.bytes)
        runtime_clock_transfer(&runtime.clock, queue, sim_engine_device(runtime.engine), &moved,
                               false);
    return status;
}

static cudaError_t run_fill(const runtime_filling *filling, runtime_queue *queue) {
    runtime_transfer moved;
    cudaError_t status = runtime_filling_do(filling, queue, RUNTIME_NODE, &moved);
    if (!status)
        runtime_clock_transfer(&runtime.clock, queue, sim_engine_device(runtime.engine), &moved,
                               false);
    return status;
}

static void run_event(const runtime_work *work, runtime_queue *queue) {
    struct CUevent_st *event = runtime_event_find(work->event);
    if (!event) return; // destroyed: nobody can wait for it
    if (work->type == cudaGraphNodeTypeWaitEvent) {
        runtime_event_wait(event, queue);
        return;
    }
    runtime_event_record(event, queue);
}

// Nothing runs on a device that has faulted. A child graph is run by its parent's walk.
cudaError_t runtime_work_run(const runtime_work *work, runtime_queue *queue, runtime_way way,
                             runtime_held *out_held) {
    out_held->number = 0;
    if (runtime.now->pending || runtime.sticky) return cudaSuccess;
    switch (work->type) {
    case cudaGraphNodeTypeKernel: return run_kernel(work->kernel, queue, way, out_held);
    case cudaGraphNodeTypeMemcpy: return run_copy(&work->copy.box, queue);
    case cudaGraphNodeTypeMemset: return run_fill(&work->fill, queue);
    case cudaGraphNodeTypeHost: {
        struct cudaHostNodeParams host = work->host;
        runtime_order_host_waits(queue); // it may tell the host
        pthread_mutex_unlock(&runtime.lock);
        runtime_host_function(way == RUNTIME_IN_GRAPH ? "cudaGraphLaunch" : "cudaLaunchHostFunc");
        host.fn(host.userData);
        runtime_host_function(NULL);
        pthread_mutex_lock(&runtime.lock);
        return cudaSuccess;
    }
    case cudaGraphNodeTypeWaitEvent:
    case cudaGraphNodeTypeEventRecord: run_event(work, queue); return cudaSuccess;
    case cudaGraphNodeTypeMemAlloc:
    case cudaGraphNodeTypeMemFree: return runtime_work_run_memory(work);
    default: return cudaSuccess;
    }
}
