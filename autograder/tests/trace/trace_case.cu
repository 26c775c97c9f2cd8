// Small programs for `ladder trace`: one with what makes it slow, and its twin in which that is
// done otherwise; `trace_case NAME`. On a card `trace_case NAME TIMES` tells the least time by the
// host's clock from the first copy or launch to the end.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t code = (call);                                                                 \
        if (code != cudaSuccess) {                                                                 \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorName(code));                            \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static bool is_timed;
static double begun_us, least_us = 1e30;

static double now_us() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void begin() {
    if (is_timed) CHECK(cudaDeviceSynchronize());
    begun_us = now_us();
}

static void end() {
    double us = now_us() - begun_us;
    if (us < least_us) least_us = us;
}

enum { CHUNKS = 8, N = 1 << 18, SMALL = 1 << 10 }; // elements of a chunk, and of a short kernel's

static __global__ void scale(float *x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? x[i] : 0;
    for (int r = 0; r < rounds; r++) value = value * 1.0001f + 0.5f;
    if (i < n) x[i] = value;
}

static void launch(float *x, int n, int rounds, cudaStream_t stream) {
    scale<<<(n + 255) / 256, 256, 0, stream>>>(x, n, rounds);
}

// Nobody looks at what the kernels make of it.
static float *device_memory(int n) {
    float *d_x;
    CHECK(cudaMalloc(&d_x, n * sizeof(float)));
    return d_x;
}

// Copies in, kernels, copies out, chunk by chunk in as many streams.
static void pipeline(bool pinned, int streams, bool in_default) {
    float *h_x, *d_x;
    cudaStream_t stream[2];
    size_t bytes = N * sizeof(float);
    if (pinned) CHECK(cudaMallocHost(&h_x, CHUNKS * bytes));
    else h_x = (float *)malloc(CHUNKS * bytes);
    memset(h_x, 0, CHUNKS * bytes);
    CHECK(cudaMalloc(&d_x, CHUNKS * bytes));
    for (int s = 0; s < 2; s++) CHECK(cudaStreamCreate(&stream[s]));
    begin();
    for (int c = 0; c < CHUNKS; c++) {
        cudaStream_t own = stream[c % streams];
        float *h_part = h_x + c * N, *d_part = d_x + c * N;
        CHECK(cudaMemcpyAsync(d_part, h_part, bytes, cudaMemcpyHostToDevice, own));
        launch(d_part, N, 400, own);
        CHECK(cudaMemcpyAsync(h_part, d_part, bytes, cudaMemcpyDeviceToHost, own));
        if (in_default) launch(d_part, SMALL, 1, 0); // of all streams the one that all wait for
    }
    CHECK(cudaDeviceSynchronize());
    end();
}

// A kernel for each step of a loop; the host waits for each, or once.
static void steps(bool waits) {
    float *d_x = device_memory(N);
    begin();
    for (int i = 0; i < 16; i++) {
        launch(d_x, N, 10, 0);
        if (waits) CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceSynchronize());
    end();
}

// One kernel after the other has its results, in two streams.
static void two_streams(bool event) {
    float *d_x = device_memory(N);
    cudaStream_t first, second;
    cudaEvent_t done;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    begin();
    for (int i = 0; i < 8; i++) {
        launch(d_x, N, 4, first);
        if (event) {
            CHECK(cudaEventRecord(done, first));
            CHECK(cudaStreamWaitEvent(second, done, 0));
        } else CHECK(cudaStreamSynchronize(first));
        launch(d_x, N, 4, second);
        if (event) {
            CHECK(cudaEventRecord(done, second));
            CHECK(cudaStreamWaitEvent(first, done, 0));
        } else CHECK(cudaStreamSynchronize(second));
    }
    CHECK(cudaDeviceSynchronize());
    end();
}

// Many short kernels, one call each or as nodes of a graph.
static void short_kernels(bool graph) {
    enum { KERNELS = 64 };
    float *d_x = device_memory(SMALL);
    cudaStream_t stream;
    cudaGraph_t captured;
    cudaGraphExec_t exec;
    CHECK(cudaStreamCreate(&stream));
    begin();
    if (graph) CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < KERNELS; i++) launch(d_x, SMALL, 1, stream);
    if (graph) {
        CHECK(cudaStreamEndCapture(stream, &captured));
        CHECK(cudaGraphInstantiate(&exec, captured, 0));
        begin();
        CHECK(cudaGraphLaunch(exec, stream));
    }
    CHECK(cudaStreamSynchronize(stream));
    end();
}

// The second device goes on with what the first has made.
static void two_devices(bool event) {
    float *d_x[2];
    cudaStream_t stream[2];
    cudaEvent_t done;
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        d_x[d] = device_memory(N);
        CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    launch(d_x[0], N, 400, stream[0]);
    if (event) CHECK(cudaEventRecord(done, stream[0]));
    else CHECK(cudaStreamSynchronize(stream[0]));
    CHECK(cudaSetDevice(1));
    if (event) CHECK(cudaStreamWaitEvent(stream[1], done, 0));
    CHECK(cudaMemcpyPeerAsync(d_x[1], 1, d_x[0], 0, N * sizeof(float), stream[1]));
    launch(d_x[1], N, 400, stream[1]);
    CHECK(cudaStreamSynchronize(stream[1]));
}

static void fault() {
    float *d_x = device_memory(SMALL);
    launch(d_x, SMALL, 1, 0);
    launch(d_x + (1 << 28), SMALL, 1, 0);
    CHECK(cudaDeviceSynchronize());
}

// The host uses an address of the device.
static void crash() {
    float *d_x = device_memory(SMALL);
    launch(d_x, SMALL, 1, 0);
    *(volatile float *)d_x = 1;
}

static int run(const char *name) {
    if (strcmp(name, "pageable") == 0) pipeline(false, 2, false);
    else if (strcmp(name, "one_stream") == 0) pipeline(true, 1, false);
    else if (strcmp(name, "default_stream") == 0) pipeline(true, 2, true);
    else if (strcmp(name, "overlapping") == 0) pipeline(true, 2, false);
    else if (strcmp(name, "waits") == 0) steps(true);
    else if (strcmp(name, "waits_once") == 0) steps(false);
    else if (strcmp(name, "no_event") == 0) two_streams(false);
    else if (strcmp(name, "event") == 0) two_streams(true);
    else if (strcmp(name, "launches") == 0) short_kernels(false);
    else if (strcmp(name, "graph") == 0) short_kernels(true);
    else if (strcmp(name, "devices_no_event") == 0) two_devices(false);
    else if (strcmp(name, "devices_event") == 0) two_devices(true);
    else if (strcmp(name, "fault") == 0) fault();
    else if (strcmp(name, "crash") == 0) crash();
    else if (strcmp(name, "nothing") != 0) return 3;
    return 0;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    int times = argc > 2 ? atoi(argv[2]) : 1, code = 0;
    is_timed = argc > 2;
    for (int i = 0; i < times && code == 0; i++) code = run(name);
    if (is_timed) printf("%s %.1f us\n", name, least_us);
    return code;
}
