// The host's own use of memory that it shares with the device, before and after it has waited: see
// check_case.h. A case whose result is not what it is without checks ends the program with 4.
// options: -g
// checked: --host-accesses
#include <signal.h>

// A handler that is there before the first call of CUDA.
static void on_fault(int);
#define BEFORE_CUDA(name)                                                                          \
    if (strcmp(name, "handler_before_not") == 0) signal(SIGSEGV, on_fault)
#include "check_case.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MANY (64 * N) // of a buffer of many pages

static cudaStream_t one, two;
static volatile float sum; // what the host reads is used
static __managed__ float variable[N];

__global__ void store(float *y, float value) {
    y[blockIdx.x * BLOCK + threadIdx.x] = value;
}

__global__ void copy(float *y, const float *x) {
    y[blockIdx.x * BLOCK + threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
}

static void is_right(bool right) {
    if (!right) exit(4);
}

static float *pinned(size_t count) {
    float *h;
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaMallocHost(&h, count * sizeof *h);
    for (size_t i = 0; i < count; i++) h[i] = -1;
    return h;
}

static float *managed() {
    float *both;
    cudaStreamCreate(&one);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaMallocManaged(&both, N * sizeof *both);
    for (int i = 0; i < N; i++) both[i] = -1;
    return both;
}

// ---- the host waits, or does not ----

enum between {
    NOTHING,
    STREAM,
    OTHER_STREAM,
    DEVICE,
    EVENT,
    EARLY_EVENT,
    EVENT_QUERY,
    STREAM_QUERY,
    ONE_QUERY,
    CALLBACK,
    FREE,
    WAITING_COPY
};

static volatile int is_done;
static void say_done(void *) {
    is_done = 1;
}

static cudaEvent_t event;
static void before_work(between how) {
    cudaEventCreate(&event);
    if (how == EARLY_EVENT) cudaEventRecord(event, one);
}

static void wait(between how) {
    float *d_other, h_other;
    if (how == STREAM) cudaStreamSynchronize(one);
    if (how == OTHER_STREAM) cudaStreamSynchronize(two);
    if (how == DEVICE) cudaDeviceSynchronize();
    if (how == EVENT || how == EVENT_QUERY) cudaEventRecord(event, one);
    if (how == EVENT || how == EARLY_EVENT) cudaEventSynchronize(event);
    while (how == EVENT_QUERY && cudaEventQuery(event) == cudaErrorNotReady) {
    }
    while (how == STREAM_QUERY && cudaStreamQuery(one) == cudaErrorNotReady) {
    }
    if (how == ONE_QUERY) is_right(cudaStreamQuery(one) == cudaErrorNotReady);
    if (how == CALLBACK) cudaLaunchHostFunc(one, say_done, NULL);
    while (how == CALLBACK && !is_done) {
    }
    if (how == FREE) cudaMalloc(&d_other, 4);
    if (how == FREE) cudaFree(d_other);
    if (how == WAITING_COPY) cudaMemcpy(&h_other, d_x, sizeof h_other, cudaMemcpyDeviceToHost);
}

// The copy to the host is in a blocking stream, which a copy in the default stream waits for.
static void copies_back(between how) {
    float *h = pinned(N);
    before_work(how);
    cudaMemcpyAsync(h, d_x, N * sizeof *h, cudaMemcpyDeviceToHost, one);
    wait(how);
    sum += h[N - 1];
    cudaDeviceSynchronize();
    is_right(h[N - 1] == (N - 1) % 100);
    cudaFreeHost(h);
}

static void managed_read(between how) {
    float *both = managed();
    before_work(how);
    store<<<GRID, BLOCK, 0, one>>>(both, 1);
    wait(how);
    sum += both[N - 1];
    cudaDeviceSynchronize();
    is_right(both[0] == 1);
    cudaFree(both);
}

// The default stream alone.
static void variable_read(bool waits) {
    store<<<GRID, BLOCK>>>(variable, 1);
    if (waits) cudaDeviceSynchronize();
    sum += variable[N / 2];
}

static void managed_written(between how) {
    float *both = managed(), first;
    before_work(how);
    copy<<<GRID, BLOCK, 0, one>>>(d_y, both);
    wait(how);
    both[0] = 2;
    cudaDeviceSynchronize();
    cudaMemcpy(&first, d_y, sizeof first, cudaMemcpyDeviceToHost);
    is_right(first == -1 && both[0] == 2);
    cudaFree(both);
}

static void source_written(between how, bool writes) {
    float *h = pinned(MANY), *d_many;
    cudaMalloc(&d_many, MANY * sizeof *h);
    before_work(how);
    cudaMemcpyAsync(d_many, h, MANY * sizeof *h, cudaMemcpyHostToDevice, one);
    wait(how);
    for (int i = 0; i < MANY; i++)
        if (writes)
            h[i] = (float)i;
        else
            sum += h[i];
    cudaFree(d_many);
    cudaFreeHost(h);
}

static void filled(bool async) {
    float *h = pinned(N);
    if (async)
        cudaMemsetAsync(h, 0, N * sizeof *h, one);
    else
        cudaMemset(h, 0, N * sizeof *h);
    sum += h[1];
    cudaDeviceSynchronize();
    is_right(h[1] == 0);
    cudaFreeHost(h);
}

static void graph(bool waits) {
    cudaGraph_t made;
    cudaGraphExec_t exec;
    float *h = pinned(N);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    store<<<GRID, BLOCK, 0, one>>>(h, 1);
    cudaStreamEndCapture(one, &made);
    cudaGraphInstantiate(&exec, made, 0);
    cudaGraphLaunch(exec, one);
    if (waits) cudaStreamSynchronize(one);
    sum += h[0];
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(made);
    cudaFreeHost(h);
}

// By a function of the C library.
static void by_memcpy(bool waits) {
    static float own[MANY];
    float *h = pinned(MANY), *d_many;
    cudaMalloc(&d_many, MANY * sizeof *h);
    cudaMemset(d_many, 0, MANY * sizeof *h);
    cudaMemcpyAsync(h, d_many, MANY * sizeof *h, cudaMemcpyDeviceToHost, one);
    if (waits) cudaStreamSynchronize(one);
    memcpy(own, h, sizeof own);
    is_right(own[MANY - 1] == 0);
    cudaFree(d_many);
    cudaFreeHost(h);
}

// Work and host use different bytes of one page, up to `first`.
static void neighbours(int first) {
    float *both = managed();
    store<<<1, BLOCK, 0, one>>>(both, 1);
    for (int i = first; i < N; i++) both[i] = 2;
    cudaDeviceSynchronize();
    is_right(both[BLOCK] == 2 && both[N - 1] == 2);
    cudaFree(both);
}

// ---- flags and counters ----

__global__ void gives(float *y, volatile int *flag, bool of_system) {
    y[threadIdx.x] = 1;
    of_system ? __threadfence_system() : __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) *flag = 1;
}

static void polled(bool polls, bool of_system) {
    float *h = pinned(N);
    volatile int *flag = (volatile int *)pinned(1);
    *flag = 0;
    gives<<<1, BLOCK, 0, two>>>(h, flag, of_system);
    while (polls && *flag == 0) {
    }
    sum += h[BLOCK - 1];
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    cudaFreeHost((void *)flag);
}

__global__ void counts(int *count, bool of_system) {
    if (of_system)
        atomicAdd_system(count, 1);
    else
        atomicAdd(count, 1);
}

static void counted(bool of_system) {
    volatile int *count = (volatile int *)pinned(1);
    *count = 0;
    counts<<<GRID, BLOCK, 0, one>>>((int *)count, of_system);
    while (*count < N) {
    }
    cudaDeviceSynchronize();
    cudaFreeHost((void *)count);
}

// ---- memory of the program's own ----

static void registered(bool waits) {
    static float own[4 * MANY];
    float *h = own + 3; // in the middle of a page
    cudaStreamCreate(&one);
    is_right(cudaHostRegister(h, MANY * sizeof *h, cudaHostRegisterDefault) == cudaSuccess);
    store<<<MANY / BLOCK, BLOCK, 0, one>>>(h, 1);
    own[0] = own[MANY + 3] = 5; // neighbours
    if (waits) cudaStreamSynchronize(one);
    sum += h[MANY / 2];
    cudaDeviceSynchronize();
    is_right(h[0] == 1 && h[MANY - 1] == 1 && own[MANY + 3] == 5);
    cudaHostUnregister(h);
    h[MANY / 2] = 3;
}

// A small block of the heap, whose pages hold others too; and pages that are taken away.
static void registered_apart() {
    float *small = (float *)malloc(N * sizeof *small), *blocks[64];
    size_t bytes = MANY * sizeof(float);
    float *mapped =
        (float *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cudaStreamCreate(&one);
    cudaHostRegister(small, N * sizeof *small, cudaHostRegisterDefault);
    cudaHostRegister(mapped, bytes, cudaHostRegisterDefault);
    store<<<GRID, BLOCK, 0, one>>>(small, 1);
    store<<<MANY / BLOCK, BLOCK, 0, one>>>(mapped, 1);
    for (float *&block : blocks) block = (float *)calloc(32, sizeof *block);
    for (float *block : blocks) free(block);
    cudaStreamSynchronize(one);
    is_right(small[N - 1] == 1 && mapped[MANY - 1] == 1);
    cudaHostUnregister(small);
    copy<<<GRID, BLOCK, 0, one>>>(d_y, mapped);
    cudaHostUnregister(mapped);
    munmap(mapped, bytes);
    free(small);
}

// ---- what must go on as it does without checks ----

// System calls that read and write what work in progress uses.
static void calls(bool early) {
    float *h = pinned(MANY), *other = pinned(MANY), *d_many;
    size_t bytes = MANY * sizeof *h;
    FILE *file = tmpfile();
    cudaMalloc(&d_many, bytes);
    cudaMemset(d_many, 0, bytes);
    cudaMemcpyAsync(h, d_many, bytes, cudaMemcpyDeviceToHost, one);
    cudaMemcpyAsync(d_many, other, bytes, cudaMemcpyHostToDevice, one);
    if (!early) cudaDeviceSynchronize();
    is_right(fwrite(h, 1, bytes, file) == bytes && fflush(file) == 0);
    is_right(pread(fileno(file), other, bytes, 0) == (ssize_t)bytes);
    is_right(memcmp(h, other, bytes) == 0);
    fclose(file);
    cudaFree(d_many);
    cudaFreeHost(h);
    cudaFreeHost(other);
}

static sigjmp_buf back;
static void on_fault(int) {
    siglongjmp(back, 1);
}

// A handler of the program's for faults of its own.
static void own_handler(bool first) {
    char *nothing = (char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    float *h = pinned(N);
    volatile int faults = 0;
    if (!first) signal(SIGSEGV, on_fault);
    cudaMemcpyAsync(h, d_x, N * sizeof *h, cudaMemcpyDeviceToHost, one);
    if (sigsetjmp(back, 1) == 0)
        *nothing = 1;
    else
        faults++;
    cudaStreamSynchronize(one);
    is_right(faults == 1 && h[1] == 1);
    cudaFreeHost(h);
}

static volatile int ticks;
static void on_tick(int) {
    ticks++;
    is_right(write(STDERR_FILENO, "", 0) == 0);
}

// A timer's handler, which blocks all signals and makes a call.
static void timer() {
    struct sigaction action = {};
    struct itimerval soon = {{0, 1000}, {0, 1000}}, never = {};
    float *h = pinned(MANY), *d_many;
    cudaMalloc(&d_many, MANY * sizeof *h);
    action.sa_handler = on_tick;
    sigfillset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    while (ticks < 20) {
        cudaMemcpyAsync(d_many, h, MANY * sizeof *h, cudaMemcpyHostToDevice, one);
        for (int i = 0; i < MANY; i++) sum += h[i];
    }
    setitimer(ITIMER_REAL, &never, NULL);
    cudaDeviceSynchronize();
    cudaFree(d_many);
    cudaFreeHost(h);
}

static void *read_last(void *h) {
    sum += ((float *)h)[N - 1];
    is_right(write(STDERR_FILENO, h, 0) == 0);
    return NULL;
}

// Threads and processes that begin while work is in progress.
static void others() {
    float *h = pinned(N);
    pthread_t thread;
    int status = -1;
    cudaMemcpyAsync(h, d_x, N * sizeof *h, cudaMemcpyDeviceToHost, one);
    is_right(pthread_create(&thread, NULL, read_last, h) == 0);
    store<<<GRID, BLOCK, 0, one>>>(d_y, 1);
    pthread_join(thread, NULL);
    cudaStreamSynchronize(one);
    store<<<GRID, BLOCK, 0, one>>>(h, 3);
    pid_t child = fork();
    if (child == 0) _exit(h[1] == 3 && write(STDERR_FILENO, h, 0) == 0 ? 0 : 1);
    waitpid(child, &status, 0);
    is_right(status == 0 && system("exit 3") == 3 << 8);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
}

// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h.N - 1
//   ~     write by cudaMemcpyAsync at check_accesses.cu:[0-9]+\n *cudaMemcpyAsync.h, d_x
//   ~     global memory: .*allocation 4 .2048 bytes. . 2044\n
//   ~ cudaMemcpyAsync.. returns before its work is done.*read what was there[ \n]+before
//   ~ cudaStreamSynchronize.*\n1 finding in
// finds nothing as off
//   $
//   ~ no kernel was launched
CASE(pinned_read, copies_back(NOTHING));
CASE(pinned_read_not, copies_back(STREAM));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h
//   ~     write by cudaMemcpyAsync at check_accesses.cu:[0-9]+\n *cudaMemcpyAsync.h, d_x
//   ~     global memory: .*.*\n1 finding in
CASE(other_stream, copies_back(OTHER_STREAM));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h
//   ~     write by cudaMemcpyAsync at check_accesses.cu:[0-9]+\n *cudaMemcpyAsync.h, d_x
//   ~     global memory: .*.*\n1 finding in
CASE(early_event, copies_back(EARLY_EVENT));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h
//   ~     write by cudaMemcpyAsync at check_accesses.cu:[0-9]+\n *cudaMemcpyAsync.h, d_x
//   ~     global memory: .*.*\n1 finding in
CASE(one_query, copies_back(ONE_QUERY));
CASE(device_waited_not, copies_back(DEVICE));
CASE(event_waited_not, copies_back(EVENT));
CASE(event_polled_not, copies_back(EVENT_QUERY));
CASE(stream_polled_not, copies_back(STREAM_QUERY));
CASE(told_by_callback_not, copies_back(CALLBACK));
CASE(freed_between_not, copies_back(FREE));
CASE(copy_between_not, copies_back(WAITING_COPY));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= both
//   ~     write in kernel store at check_accesses.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~     global memory: .*A launch returns before
//   ~ the kernel is launched[ \n]+at[ \n]+[^\n]*check_accesses.cu:[0-9]+.*\n1 finding in
CASE(managed_read, managed_read(NOTHING));
CASE(managed_read_not, managed_read(EVENT));
CASE(managed_freed_not, managed_read(FREE));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= variable.N / 2
//   ~     write in kernel store at check_accesses.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~     global memory: .*A launch returns before
//   ~ the kernel is launched[ \n]+at[ \n]+[^\n]*check_accesses.cu:[0-9]+.*\n1 finding in
PAIR(variable_read, variable_read(right));
// finds host-race:     write by host code at check_accesses.cu:[0-9]+\n *both.0. = 2
//   ~     read in kernel copy at check_accesses.cu:[0-9]+\n *y.*    global memory:[ ]
//   ~ overwrite what is still to be[ \n]+read.*the kernel is launched at check_accesses.cu
//   ~ \n1 finding in
CASE(managed_written, managed_written(NOTHING));
CASE(managed_written_not, managed_written(STREAM));
// finds host-race:     write by host code at check_accesses.cu:[0-9]+\n *h.i. =[ ]
//   ~     read by cudaMemcpyAsync at check_accesses.cu:[0-9]+\n *cudaMemcpyAsync.d_many, h
//   ~     global memory: .*overwrite what is still to be[ \n]+read.*\n1 finding in
CASE(source_written, source_written(NOTHING, true));
CASE(source_written_not, source_written(STREAM_QUERY, true));
CASE(source_read_not, source_written(NOTHING, false));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h.1
//   ~     write by cudaMemsetAsync at check_accesses.cu:[0-9]+\n *cudaMemsetAsync
//   ~     global memory: .*.*\n1 finding in
PAIR(filled, filled(!right));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h.0
//   ~     write in kernel store at check_accesses.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~     global memory: .*the kernel is launched at check_accesses.cu:[0-9]+.*\n1 finding in
PAIR(graph, graph(right));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *memcpy.own, h
//   ~     write by cudaMemcpyAsync.*    global memory: .*.*\n1 finding in
PAIR(by_memcpy, by_memcpy(right));
// finds host-race:     write by host code at check_accesses.cu:[0-9]+\n *.*both.i. = 2
//   ~     write in kernel store at check_accesses.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~     global memory: .*allocation 4 .2048 bytes. . 508\n.*write before or after that work does
//   ~ \n1 finding in
CASE(neighbours, neighbours(BLOCK - 1));
CASE(neighbours_not, neighbours(BLOCK));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h.BLOCK - 1
//   ~     write in kernel gives at check_accesses.cu:[0-9]+\n *y.threadIdx.x. = 1
//   ~     global memory: .*A launch returns before
//   ~ the kernel is launched[ \n]+at[ \n]+[^\n]*check_accesses.cu:[0-9]+.*\n1 finding in
CASE(polled, polled(false, true));
CASE(polled_not, polled(true, true));
// finds flag-fence:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h.BLOCK - 1
//   ~     write in kernel gives at check_accesses.cu:[0-9]+\n *y.threadIdx.x. = 1
//   ~ __threadfence_system..[ \n]+behind.*\n1 finding in
CASE(polled_fence, polled(true, false));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *while ..count < N
//   ~     atomic in kernel counts at check_accesses.cu:[0-9]+\n *atomicAdd.count
//   ~     global memory: .*if[ \n]+the[ \n]+host[ \n]+polls.*\n1 finding in
//   advice HOST_SCOPE
PAIR(counted, counted(right));
// finds host-race:     read by host code at check_accesses.cu:[0-9]+\n *sum .= h.MANY / 2
//   ~     write in kernel store at check_accesses.cu:[0-9]+\n *y.blockIdx.x . BLOCK . threadIdx.x
//     . = value
//   ~     global memory: .*registered host memory.*A launch returns before
//   ~ the kernel is launched[ \n]+at[ \n]+[^\n]*check_accesses.cu:[0-9]+.*\n1 finding in
PAIR(registered, registered(right));
CASE(registered_apart_not, registered_apart());
// finds host-race
//   ~ read by host code at.*fwrite.h.*write by host code at.*pread.*2 findings in
PAIR(calls, calls(!right));
CASE(handler_not, own_handler(false));
CASE(handler_before_not, own_handler(true));
CASE(timer_not, timer());
CASE(others_not, others());
