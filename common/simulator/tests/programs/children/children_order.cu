// In which order launches from kernels run: one stream after another, tail launches behind all
// else, nested ones included, in the order that an H200 keeps.
// options: -rdc=true
// architectures: 90
// engine: yes
#include <cstring>

#include "../check.h"

__device__ int order[64];
__device__ unsigned noted;

__global__ void note(int id) { order[atomicAdd(&noted, 1)] = id; }

__global__ void inner(int id) {
    note<<<1, 1>>>(id + 1);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(id + 2);
    note<<<1, 1>>>(id + 3);
}

__global__ void outer() {
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(900);
    inner<<<1, 1>>>(100);
    inner<<<1, 1>>>(200);
    inner<<<1, 1, 0, cudaStreamTailLaunch>>>(300);
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(901);
}

// Launches in two streams of the kernel's: each stream keeps its order.
__global__ void two_streams() {
    cudaStream_t s[2];
    for (int i = 0; i < 2; i++) cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    for (int i = 0; i < 8; i++) note<<<1, 1, 0, s[i % 2]>>>(i);
}

// A loop of tail launches: each begins when the one before has ended.
__global__ void countdown(int left) {
    order[noted++] = left;
    if (left > 0) countdown<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1);
}

__global__ void add(int *sum, int value) { atomicAdd(sum, value); }

__global__ void publish(const int *sum, int *seen) { *seen = *sum; }

// Blocks launch at will; the tail launch sees the sum of all of them.
__global__ void many(int *sum, int *seen, int *mine) {
    mine[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    add<<<1, 2, 0, cudaStreamFireAndForget>>>(sum, mine[blockIdx.x * blockDim.x + threadIdx.x]);
    if (blockIdx.x == 0 && threadIdx.x == 0) publish<<<1, 1, 0, cudaStreamTailLaunch>>>(sum, seen);
}

// Parameters of all sizes, and what the parent wrote before.
struct wide {
    char c;
    double d;
    short s[5];
};

__global__ void take(char a, double b, wide w, const int *before, int *out) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        *out = a + (int)b + w.c + (int)w.d + w.s[4] + *before + shared[blockDim.x - 1] +
               (int)(gridDim.y * 1000);
}

__global__ void give(int *before, int *out) {
    *before = 7;
    wide w = {1, 2.0, {0, 0, 0, 0, 3}};
    take<<<dim3(1, 1), 32, 32 * sizeof(int)>>>(4, 5.0, w, before, out);
}

static void expect_order(const int *wanted, int count) {
    int got[64];
    unsigned number, zero = 0;
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpyFromSymbol(&number, noted, sizeof number));
    CUDA_CHECK(cudaMemcpyFromSymbol(got, order, sizeof got));
    CUDA_CHECK(cudaMemcpyToSymbol(noted, &zero, sizeof zero));
    EXPECT((int)number == count);
    for (int i = 0; i < count; i++) EXPECT(got[i] == wanted[i]);
}

static void expect_two_streams() {
    int got[64], last[2] = {-1, -1};
    unsigned zero = 0;
    two_streams<<<1, 1>>>();
    CUDA_CHECK(cudaMemcpyFromSymbol(got, order, sizeof got));
    CUDA_CHECK(cudaMemcpyToSymbol(noted, &zero, sizeof zero));
    for (int i = 0; i < 8; i++) {
        EXPECT(got[i] > last[got[i] % 2]);
        last[got[i] % 2] = got[i];
    }
}

int main() {
    const int nested[] = {101, 103, 102, 201, 203, 202, 900, 301, 303, 302, 901};
    outer<<<1, 1>>>();
    expect_order(nested, 11);
    expect_two_streams();
    int down[41];
    for (int i = 0; i <= 40; i++) down[i] = 40 - i;
    countdown<<<1, 1>>>(40);
    expect_order(down, 41);

    int *d, seen;
    CUDA_CHECK(cudaMalloc(&d, 1024));
    CUDA_CHECK(cudaMemset(d, 0, 1024));
    many<<<4, 8>>>(d, d + 1, d + 2);
    CUDA_CHECK(cudaMemcpy(&seen, d + 1, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen == 64);
    give<<<1, 1>>>(d, d + 1);
    CUDA_CHECK(cudaMemcpy(&seen, d + 1, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen == 4 + 5 + 1 + 2 + 3 + 7 + 31 + 1000);
    CUDA_CHECK(cudaFree(d));
    printf("ok\n");
    return 0;
}
