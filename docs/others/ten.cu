// Ten programs with one mistake each, for docs/others.md: ten NAME runs one of them.
// Each ends by itself on a card, and may well print what it should.
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { THREADS = 128, BLOCKS = 4, COUNT = THREADS * BLOCKS };

static void check(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}
#define CHECK(call) check(call, #call)

static int *make(int count) {
    int *d_values;
    CHECK(cudaMalloc(&d_values, (size_t)count * sizeof *d_values));
    CHECK(cudaMemset(d_values, 0, (size_t)count * sizeof *d_values));
    return d_values;
}

static void show(int *d_values) {
    int first = 0;
    CHECK(cudaMemcpy(&first, d_values, sizeof first, cudaMemcpyDeviceToHost));
    printf("%d\n", first);
    CHECK(cudaFree(d_values));
}

// 1. Threads of two blocks add to one word of global memory, without an atomic.
__global__ void global_race(int *sum) { *sum += (int)blockIdx.x; }
static void run_global_race() {
    int *d_sum = make(1);
    global_race<<<2, 1>>>(d_sum);
    show(d_sum);
}

// 2. A neighbour's word of shared memory is read with no barrier before.
__global__ void shared_race(int *y) {
    __shared__ int tile[THREADS];
    tile[threadIdx.x] = (int)threadIdx.x;
    y[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}
static void run_shared_race() {
    int *d_y = make(THREADS);
    shared_race<<<1, THREADS>>>(d_y);
    show(d_y);
}

// 3. Global memory that nothing has written is read.
__global__ void copy(const int *x, int *y) { y[threadIdx.x] = x[threadIdx.x] + 1; }
static void run_global_unset() {
    int *d_y = make(THREADS), *d_x;
    CHECK(cudaMalloc(&d_x, THREADS * sizeof *d_x));
    copy<<<1, THREADS>>>(d_x, d_y);
    show(d_y);
    CHECK(cudaFree(d_x));
}

// 4. Shared memory that nothing has written is read.
__global__ void shared_unset(int *y) {
    __shared__ int tile[THREADS];
    if (threadIdx.x > 0) tile[threadIdx.x] = 1;
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x];
}
static void run_shared_unset() {
    int *d_y = make(THREADS);
    shared_unset<<<1, THREADS>>>(d_y);
    show(d_y);
}

// 5. The last thread writes one word behind an array, where the next array begins or nothing is.
__global__ void off_by_one(int *y, int n) {
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i <= n) y[i] = i;
}
static void run_off_by_one() {
    int *d_y = make(COUNT - 1);
    off_by_one<<<BLOCKS, THREADS>>>(d_y, COUNT - 1);
    show(d_y);
}

// 6. The two halves of a block wait at two different barriers.
__global__ void two_barriers(int *y) {
    if (threadIdx.x < THREADS / 2) {
        y[threadIdx.x] = 1;
        __syncthreads();
    } else {
        y[threadIdx.x] = 2;
        __syncthreads();
    }
}
static void run_two_barriers() {
    int *d_y = make(THREADS);
    two_barriers<<<1, THREADS>>>(d_y);
    show(d_y);
}

// 7. The host reads a result that is still being copied to it.
__global__ void fill(int *y, int value) { y[blockIdx.x * blockDim.x + threadIdx.x] = value; }
static void run_read_before_wait() {
    int *d_y = make(COUNT), *h_y;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost(&h_y, COUNT * sizeof *h_y));
    memset(h_y, 0, COUNT * sizeof *h_y);
    CHECK(cudaDeviceSynchronize());
    fill<<<BLOCKS, THREADS, 0, stream>>>(d_y, 7);
    CHECK(cudaMemcpyAsync(h_y, d_y, COUNT * sizeof *h_y, cudaMemcpyDeviceToHost, stream));
    printf("%d\n", h_y[COUNT - 1]);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaFreeHost(h_y));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_y));
}

// 8. A block publishes a value to another block behind a fence that holds for the block only.
__global__ void narrow_fence(int *y) {
    volatile int *flag = y + 1;
    if (blockIdx.x == 0) {
        y[0] = 42;
        __threadfence_block();
        *flag = 1;
    } else {
        for (int tries = 0; tries < 1000000 && *flag == 0; tries++) {}
        __threadfence_block();
        y[2] = y[0];
    }
}
static void run_narrow_fence() {
    int *d_y = make(3);
    narrow_fence<<<2, 1>>>(d_y);
    show(d_y);
}

// 9. A kernel in one stream reads what one in another stream writes, with no event between them.
static void run_stream_race() {
    int *d_x = make(COUNT), *d_y = make(THREADS);
    cudaStream_t streams[2];
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    fill<<<BLOCKS, THREADS, 0, streams[0]>>>(d_x, 7);
    copy<<<1, THREADS, 0, streams[1]>>>(d_x, d_y);
    CHECK(cudaDeviceSynchronize());
    show(d_y);
    for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(d_x));
}

// 10. A warp shuffles inside a branch that half of its lanes do not take.
__global__ void absent_lane(int *y) {
    int value = (int)threadIdx.x;
    if (threadIdx.x % 32 < 16) value += __shfl_down_sync(0x0000ffffu, value, 8);
    y[threadIdx.x] = value;
}
static void run_absent_lane() {
    int *d_y = make(32);
    absent_lane<<<1, 32>>>(d_y);
    show(d_y);
}

static const struct {
    const char *name;
    void (*run)();
} programs[] = {
    {"global_race", run_global_race},
    {"shared_race", run_shared_race},
    {"global_unset", run_global_unset},
    {"shared_unset", run_shared_unset},
    {"off_by_one", run_off_by_one},
    {"two_barriers", run_two_barriers},
    {"read_before_wait", run_read_before_wait},
    {"narrow_fence", run_narrow_fence},
    {"stream_race", run_stream_race},
    {"absent_lane", run_absent_lane},
};

int main(int argc, char **argv) {
    for (const auto &program : programs) {
        if (argc != 2 || strcmp(argv[1], program.name) != 0) continue;
        program.run();
        CHECK(cudaDeviceSynchronize());
        return 0;
    }
    fprintf(stderr, "usage: ten NAME, one of:");
    for (const auto &program : programs) fprintf(stderr, " %s", program.name);
    fprintf(stderr, "\n");
    return 2;
}
