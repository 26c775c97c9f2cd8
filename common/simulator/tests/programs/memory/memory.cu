// Kinds of memory.
// engine: yes
#include "../check.h"

#include <chrono>
#include <thread>

// A polynomial whose coefficients lie in constant memory, whole and in part replaced by the host.
namespace constant_memory {

__constant__ float coefficients[4] = {1, 0, 0, 0};

__global__ void evaluate(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0;
    for (int k = 3; k >= 0; k--) sum = sum * x[i] + coefficients[k];
    y[i] = sum;
}

static void run_all() {
    const int n = 100;
    float x[n], y[n], *d_x, *d_y;
    for (int i = 0; i < n; i++) x[i] = (float)(i % 7);
    CUDA_CHECK(cudaMalloc(&d_x, sizeof x));
    CUDA_CHECK(cudaMalloc(&d_y, sizeof y));
    CUDA_CHECK(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice));

    evaluate<<<1, 128>>>(d_x, d_y, n); // the initial values: 1
    CUDA_CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(y[i] == 1.0f);

    const float cubic[4] = {2, -1, 3, 1};
    CUDA_CHECK(cudaMemcpyToSymbol(coefficients, cubic, sizeof cubic));
    const float seven = 7;
    CUDA_CHECK(cudaMemcpyToSymbol(coefficients, &seven, sizeof seven, sizeof(float)));
    evaluate<<<1, 128>>>(d_x, d_y, n);
    CUDA_CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(y[i] == 2 + 7 * x[i] + 3 * x[i] * x[i] + x[i] * x[i] * x[i]);

    float back[4];
    CUDA_CHECK(cudaMemcpyFromSymbol(back, coefficients, sizeof back));
    EXPECT(back[0] == 2 && back[1] == 7 && back[2] == 3 && back[3] == 1);
    EXPECT_ERROR(cudaMemcpyToSymbol(coefficients, cubic, sizeof cubic, 4), cudaErrorInvalidValue);
}

} // namespace constant_memory

// Dynamic shared memory: the usual 48 KiB, the opt-in beyond it, and what happens without opting
// in.
namespace dynamic_shared {

__global__ void reverse(int *data, int n) {
    extern __shared__ int copy[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) copy[i] = data[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = copy[n - 1 - i];
}

__global__ void count_both(int *out) {
    extern __shared__ int dynamic[];
    __shared__ int fixed[4];
    dynamic[threadIdx.x] = 1;
    if (threadIdx.x < 4) fixed[threadIdx.x] = 10;
    __syncthreads();
    if (threadIdx.x == 0) *out = dynamic[255] + fixed[3];
}

// Without opting in, 48 KiB hold the fixed part too; a program that asks for 48 KiB of dynamic
// memory beside it gets them.
static void run_beside_fixed(void) {
    int *out, host = 0;
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaMalloc(&out, sizeof(int)));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, count_both));
    EXPECT(attributes.maxDynamicSharedSizeBytes == 49152 - (int)attributes.sharedSizeBytes);
    count_both<<<1, 256, 49152>>>(out);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    CUDA_CHECK(
        cudaFuncSetAttribute(count_both, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152));
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, count_both));
    EXPECT(attributes.maxDynamicSharedSizeBytes == 49152);
    count_both<<<1, 256, 49152>>>(out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&host, out, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT(host == 11);
    CUDA_CHECK(cudaFree(out));
}

static void run(int n) {
    int *host = new int[n], *device;
    for (int i = 0; i < n; i++) host[i] = 3 * i;
    CUDA_CHECK(cudaMalloc(&device, n * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(device, host, n * sizeof(int), cudaMemcpyHostToDevice));
    reverse<<<1, 256, n * sizeof(int)>>>(device, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) EXPECT(host[i] == 3 * (n - 1 - i));
    CUDA_CHECK(cudaFree(device));
    delete[] host;
}

static void run_all() {
    run(1000);
    run(12288); // 48 KiB exactly
    run_beside_fixed();
    int optin;
    CUDA_CHECK(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    EXPECT(optin > 49152);
    int *device;
    CUDA_CHECK(cudaMalloc(&device, 64 * 1024));
    reverse<<<1, 256, 64 * 1024>>>(device, 16384);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    CUDA_CHECK(
        cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024));
    run(16384);
    EXPECT_ERROR(
        cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1),
        cudaErrorInvalidValue);
    cudaGetLastError();
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaDeviceSynchronize());
}

} // namespace dynamic_shared

// Atomics on local memory, which PTX leaves undefined: the simulator does them, an H100 ends the
// launch with cudaErrorLaunchFailure. The one program of this folder that the two treat
// differently.
namespace local_atomics {

enum { THREADS = 64 };

struct sums {
    unsigned long long added, swapped, exchanged;
    double real;
    unsigned word;
};

// What `elsewhere` might be keeps the compiler from seeing that these pointers lead to local
// memory.
__global__ void local_atomics(sums *out, int pick, void *elsewhere) {
    unsigned long long cells[4] = {1, 2, 3, 4};
    double reals[2] = {0.5, 0.25};
    unsigned words[3] = {7, 8, 9}, i = threadIdx.x;
    auto *cell = elsewhere ? (unsigned long long *)elsewhere : &cells[pick];
    auto *real = elsewhere ? (double *)elsewhere : &reals[pick & 1];
    auto *word = elsewhere ? (unsigned *)elsewhere : &words[pick];
    atomicAdd(cell, 1ull << 40);
    atomicAdd(cell, (unsigned long long)i);
    atomicAdd(real, i + 0.125);
    atomicMax(word, i);
    out[i].added = cells[pick];
    out[i].swapped = atomicCAS(cell, (1ull << 40) + 3 + i, 99ull);
    out[i].exchanged = atomicExch(cell, 5ull) + cells[pick];
    out[i].real = reals[pick & 1];
    out[i].word = words[pick];
}

static void run_all() {
    sums *out;
    CUDA_CHECK(cudaMallocManaged(&out, THREADS * sizeof *out));
    local_atomics<<<1, THREADS>>>(out, 2, NULL);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < THREADS; i++) {
        EXPECT(out[i].added == (1ull << 40) + 3 + i);
        EXPECT(out[i].swapped == (1ull << 40) + 3 + i);
        EXPECT(out[i].exchanged == 99 + 5);
        EXPECT(out[i].real == 0.5 + i + 0.125);
        EXPECT(out[i].word == (i > 9 ? i : 9));
    }
    CUDA_CHECK(cudaFree(out));
}

} // namespace local_atomics

// Unified memory: a linked list that host and kernel both walk, __managed__ variables, advice.
namespace managed {

struct node {
    int value;
    node *next;
};

__managed__ int total = 100;
__managed__ float weights[3];

__global__ void walk(node *list) {
    for (node *at = list; at; at = at->next) {
        total += at->value;
        at->value = -at->value;
    }
    weights[2] = weights[0] + weights[1];
}

static void run_all() {
    node *list = nullptr;
    for (int i = 1; i <= 5; i++) {
        node *made;
        CUDA_CHECK(cudaMallocManaged(&made, sizeof *made));
        *made = {i, list};
        list = made;
    }
    EXPECT(total == 100);
    weights[0] = 1.5f;
    weights[1] = 2.25f;
    walk<<<1, 1>>>(list);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(total == 115);
    EXPECT(weights[2] == 3.75f);
    int want = -5;
    for (node *at = list; at; want++) {
        EXPECT(at->value == want);
        node *next = at->next;
        CUDA_CHECK(cudaFree(at));
        at = next;
    }

    float *large;
    const size_t bytes = 3 << 20;
    CUDA_CHECK(cudaMallocManaged(&large, bytes));
    for (size_t i = 0; i < bytes / sizeof(float); i++) EXPECT(large[i] == 0);
#if CUDART_VERSION >= 13000
    cudaMemLocation device = {};
    device.type = cudaMemLocationTypeDevice;
#else
    const int device = 0;
#endif
    CUDA_CHECK(cudaMemAdvise(large, bytes, cudaMemAdviseSetPreferredLocation, device));
    CUDA_CHECK(cudaMemPrefetchAsync(large, bytes, device, 0));
    CUDA_CHECK(cudaMemset(large, 0x40, bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(large[12345] > 3.0f && large[12345] < 3.1f);
    cudaPointerAttributes about;
    CUDA_CHECK(cudaPointerGetAttributes(&about, large + 7));
    EXPECT(about.type == cudaMemoryTypeManaged);
    CUDA_CHECK(cudaFree(large));
}

} // namespace managed

// Zero-copy: kernels that read and write page-locked host memory, allocated or registered.
namespace mapped_memory {

__global__ void square(const int *in, int *out, int n) {
    int i = threadIdx.x;
    if (i < n) out[i] = in[i] * in[i];
}

__global__ void slowly(int *out, unsigned iterations) {
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < iterations; i++) x = x * 1664525 + i;
    out[threadIdx.x] = x != 0 ? 1 : 2;
}

// A thread of the program fills one half of registered memory while a kernel writes the other one.
static void both_at_once() {
    int *halves = (int *)aligned_alloc(4096, 4096);
    for (int i = 0; i < 1024; i++) halves[i] = 0;
    CUDA_CHECK(cudaHostRegister(halves, 4096, cudaHostRegisterMapped));
    std::thread writer([=] {
        for (int i = 0; i < 64; i++) {
            halves[512 + i] = i + 1;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
    });
    slowly<<<1, 32>>>(halves, 3000000);
    CUDA_CHECK(cudaDeviceSynchronize());
    writer.join();
    for (int i = 0; i < 32; i++) EXPECT(halves[i] != 0);
    for (int i = 0; i < 64; i++) EXPECT(halves[512 + i] == i + 1);
    CUDA_CHECK(cudaHostUnregister(halves));
    free(halves);
}

static void run_all() {
    const int n = 100;
    int *in, *out, *d_in, *d_out;
    CUDA_CHECK(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&d_in, in, 0));
    CUDA_CHECK(cudaHostGetDevicePointer(&d_out, out, 0));
    for (int i = 0; i < n; i++) in[i] = i - 50;
    square<<<1, 128>>>(d_in, d_out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) EXPECT(out[i] == (i - 50) * (i - 50));

    for (int i = 0; i < n; i++) in[i] = i;
    square<<<1, 128>>>(in, out, n); // unified addressing: the host's own pointers
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) EXPECT(out[i] == i * i);

    int *plain = (int *)aligned_alloc(4096, 4096);
    CUDA_CHECK(cudaHostRegister(plain, 4096, cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostGetDevicePointer(&d_out, plain, 0));
    square<<<1, 128>>>(d_in, d_out, n);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(plain[9] == 81);
    CUDA_CHECK(cudaHostUnregister(plain));
    free(plain);
    both_at_once();
    CUDA_CHECK(cudaFreeHost(in));
    CUDA_CHECK(cudaFreeHost(out));
}

} // namespace mapped_memory

// Stream-ordered allocation from the default pool and from one of the program's own.
namespace memory_pools {

__global__ void fill(int *data, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = value;
}

static void run_all() {
    const int n = 5000;
    int *memory, last;
    cudaStream_t stream;
    cudaMemPool_t pool;
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    unsigned long long threshold = ~0ull, used;
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    for (int round = 0; round < 5; round++) {
        CUDA_CHECK(cudaMallocAsync(&memory, n * sizeof(int), stream));
        fill<<<(n + 255) / 256, 256, 0, stream>>>(memory, n, round);
        CUDA_CHECK(
            cudaMemcpyAsync(&last, memory + n - 1, sizeof last, cudaMemcpyDeviceToHost, stream));
        CUDA_CHECK(cudaFreeAsync(memory, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        EXPECT(last == round);
    }
    CUDA_CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    EXPECT(used == 0);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CUDA_CHECK(cudaMemPoolCreate(&pool, &properties));
    CUDA_CHECK(cudaMallocFromPoolAsync((void **)&memory, n * sizeof(int), pool, stream));
    fill<<<(n + 255) / 256, 256, 0, stream>>>(memory, n, 77);
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaFreeAsync(memory, stream));
    CUDA_CHECK(cudaMemPoolDestroy(pool));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

} // namespace memory_pools

// Rows with a pitch: cudaMallocPitch, two-dimensional copies in all directions, cudaMemset2D.
namespace pitched_copy {

__global__ void scale_rows(float *data, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) ((float *)((char *)data + y * pitch))[x] *= (float)(y + 1);
}

static void run_all() {
    const int width = 45, height = 11;
    float in[height][width + 3], out[height][width + 3];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width + 3; x++) in[y][x] = (float)(100 * y + x), out[y][x] = -1;
    float *first, *second;
    size_t pitch, second_pitch;
    CUDA_CHECK(cudaMallocPitch(&first, &pitch, width * sizeof(float), height));
    CUDA_CHECK(cudaMallocPitch(&second, &second_pitch, width * sizeof(float), height));
    EXPECT(pitch >= width * sizeof(float) && pitch % 32 == 0);
    CUDA_CHECK(cudaMemcpy2D(first, pitch, in, sizeof in[0], width * sizeof(float), height,
                            cudaMemcpyHostToDevice));
    scale_rows<<<dim3(2, 3), dim3(32, 4)>>>(first, pitch, width, height);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemset2D(second, second_pitch, 0, width * sizeof(float), height));
    CUDA_CHECK(cudaMemcpy2D(second, second_pitch, first, pitch, width * sizeof(float), height - 1,
                            cudaMemcpyDeviceToDevice));
    CUDA_CHECK(cudaMemcpy2DAsync(out, sizeof out[0], second, second_pitch, width * sizeof(float),
                                 height, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width + 3; x++) {
            float want = y == height - 1 ? 0 : in[y][x] * (float)(y + 1);
            EXPECT(out[y][x] == (x < width ? want : -1.0f));
        }
    EXPECT_ERROR(cudaMemcpy2D(first, 8, in, sizeof in[0], 16, 2, cudaMemcpyHostToDevice),
                 cudaErrorInvalidPitchValue);
}

} // namespace pitched_copy

int main() {
    return run_parts({constant_memory::run_all, dynamic_shared::run_all, local_atomics::run_all,
                      managed::run_all, mapped_memory::run_all, memory_pools::run_all,
                      pitched_copy::run_all});
}
