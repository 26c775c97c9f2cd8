// Mistakes of host code: calls that fail unseen, memory that nobody wrote: see check_case.h.
// options: -g
#include <stdlib.h>
#include <mma.h>

#include "check_case.h"

__global__ void ones(float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = 1;
}

__global__ void ones_of_rows(float *y, size_t pitch, int width) {
    float *row = (float *)((char *)y + blockIdx.x * pitch);
    if ((int)threadIdx.x < width) row[threadIdx.x] = 1;
}

struct padded {
    double value;
    int index;
};
__global__ void fill_padded(padded *all, int n) {
    int i = threadIdx.x;
    if (i < n) {
        all[i].value = i;
        all[i].index = i;
    }
}

__global__ void keep_large(const float *x, float *y, int *count) {
    float value = x[blockIdx.x * BLOCK + threadIdx.x];
    if (value > 50) y[atomicAdd(count, 1)] = value;
}

__global__ void speak(void) {
    printf("thread %d\n", threadIdx.x);
}

__global__ void every_second(float *y, int n) {
    int i = 2 * threadIdx.x;
    if (i < n) y[i] = 1;
}

using namespace nvcuda;
__global__ void product(const half *a, float *c, int stride, int shift) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a + shift, stride);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

static char h[4 * N * 4];

// ---- calls that fail ----

static cudaError_t copy_back(float *from, size_t bytes) {
    return cudaMemcpy(h, from, bytes, cudaMemcpyDeviceToHost);
}

static void failing(int which) {
    float *d_w;
    ones<<<GRID, BLOCK>>>(d_y, N);
    switch (which) {
    case 0: cudaMemcpy(h, d_y, N * 4, cudaMemcpyHostToDevice); break;
    case 1: cudaMalloc(&d_w, (size_t)1 << 50); break;
    case 2: copy_back(d_y, N * 4 + 4); break;
    case 3:
        if (copy_back(d_y, N * 4 + 4) != cudaSuccess) puts("seen");
        break;
    case 4:
        cudaMalloc(&d_w, (size_t)1 << 50);
        printf("%s\n", cudaGetErrorString(cudaGetLastError()));
        break;
    }
}

// ---- what comes back ----

static void back(void *from, size_t bytes) {
    cudaMemcpy(h, from, bytes, cudaMemcpyDeviceToHost);
}

static void partly(int n, bool by_two) {
    float *d_w;
    cudaMalloc(&d_w, N * 4);
    if (by_two)
        every_second<<<1, N / 2>>>(d_w, N);
    else
        ones<<<GRID, BLOCK>>>(d_w, n);
    back(d_w, N * 4);
    cudaFree(d_w);
}

static void rows(bool pitched) {
    size_t pitch = 512;
    float *d_w;
    if (pitched)
        cudaMallocPitch(&d_w, &pitch, 100 * 4, 4);
    else
        cudaMalloc(&d_w, 4 * pitch);
    ones_of_rows<<<4, BLOCK>>>(d_w, pitch, 100);
    back(d_w, 4 * pitch);
    cudaFree(d_w);
}

static void structures(void) {
    padded *d_w;
    cudaMalloc(&d_w, 100 * sizeof *d_w);
    fill_padded<<<1, BLOCK>>>(d_w, 100);
    back(d_w, 100 * sizeof *d_w);
    cudaFree(d_w);
}

static void compaction(void) {
    float *d_w;
    int *d_count;
    cudaMalloc(&d_w, N * 4);
    cudaMalloc(&d_count, 4);
    cudaMemset(d_count, 0, 4);
    keep_large<<<GRID, BLOCK>>>(d_x, d_w, d_count);
    back(d_w, N * 4);
    cudaFree(d_w);
    cudaFree(d_count);
}

static void product_of(int stride, int shift) {
    half *d_a;
    cudaMalloc(&d_a, 2048);
    cudaMemset(d_a, 0, 2048);
    product<<<1, 32>>>(d_a, d_y, stride, shift);
    cudaFree(d_a);
}

static void in_streams(bool pinned) {
    const size_t bytes = 1 << 20;
    cudaStream_t streams[2];
    char *d_w, *from = NULL;
    cudaMalloc(&d_w, bytes);
    if (pinned)
        cudaMallocHost(&from, bytes);
    else
        from = (char *)malloc(bytes);
    memset(from, 1, bytes);
    for (int i = 0; i < 2; i++) cudaStreamCreate(&streams[i]);
    for (int i = 0; i < 2; i++)
        cudaMemcpyAsync(d_w + i * bytes / 2, from + i * bytes / 2, bytes / 2,
                        cudaMemcpyHostToDevice, streams[i]);
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) cudaStreamDestroy(streams[i]);
    if (pinned)
        cudaFreeHost(from);
    else
        free(from);
    cudaFree(d_w);
}

// Host functions in a stream, by all three ways; `calls`: they call CUDA.
static cudaError_t inside;
static bool calls_inside;
static void call_cuda(void *) {
    static float value;
    if (!calls_inside) { // what an H200 lets it do
        int count;
        inside = cudaGetDeviceCount(&count);
        if (!inside) inside = cudaRuntimeGetVersion(&count);
        if (!inside) inside = cudaDriverGetVersion(&count);
        if (!inside) inside = cudaPeekAtLastError();
        return;
    }
    cudaError_t error = cudaMemcpy(&value, d_x, sizeof value, cudaMemcpyDeviceToHost);
    if (cudaSetDevice(0) != error) error = cudaErrorUnknown;
    if (!inside) inside = error;
    ones<<<1, 1>>>(d_y, 1);
}
static void call_back(cudaStream_t, cudaError_t, void *data) {
    call_cuda(data);
}
static void in_host_function(bool calls) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    calls_inside = calls;
    cudaStreamCreate(&stream);
    cudaLaunchHostFunc(stream, call_cuda, nullptr);
    cudaStreamAddCallback(stream, call_back, nullptr, 0);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaLaunchHostFunc(stream, call_cuda, nullptr);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiateWithFlags(&exec, graph, 0);
    cudaGraphLaunch(exec, stream);
    cudaError_t after = cudaStreamSynchronize(stream);
    printf("%s, then %s, %s\n", cudaGetErrorName(inside), cudaGetErrorName(after),
           cudaGetErrorName(cudaGetLastError()));
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

// A program that ignores what the simulator refuses, and falls over it later.
static void ignores_refusal(void) {
    cudaExternalMemory_t memory;
    cudaExternalMemoryHandleDesc handle = {};
    cudaExternalMemoryBufferDesc buffer = {};
    void *y;
    cudaImportExternalMemory(&memory, &handle);
    cudaExternalMemoryGetMappedBuffer(&y, memory, &buffer);
    ones<<<1, BLOCK>>>(nullptr, BLOCK);
}

__constant__ float weights[4];
__global__ void weigh(float *y) {
    y[threadIdx.x] = weights[threadIdx.x % 4];
}
static void shadowed(bool hides) {
    static const float ones[4] = {1, 1, 1, 1};
    if (hides) {
        float weights[4] = {1, 1, 1, 1};
        cudaMemcpyToSymbol(weights, weights, sizeof weights);
    } else {
        cudaMemcpyToSymbol(weights, ones, sizeof ones);
    }
    weigh<<<1, 32>>>(d_y);
}

// More, or less, than the buffer of printf holds.
__global__ void count_up(int n) {
    for (int i = 0; i < n; i++) printf("%d %d %d %d %d %d %d %d\n", i, i, i, i, i, i, i, i);
}
static void speak_much(int lines) {
    cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 512 << 10);
    count_up<<<1, 1>>>(lines);
    cudaDeviceSynchronize();
}

static void speak_last(bool wait) {
    cudaFree(d_x);
    cudaFree(d_y);
    cudaFree(d_z);
    speak<<<1, 2>>>();
    if (wait) cudaDeviceSynchronize();
    exit(0);
}

// finds unchecked-call: at check_host.cu:[0-9]+\n.*cudaMemcpyHostToDevice
//   ~ the first pointer is to host[ \n]+memory and the second to device memory: cudaMemcpyDeviceToH
//     ost
CASE(wrong_way, failing(0));
// finds unchecked-call: at check_host.cu:[0-9]+\n.*cudaMalloc.*cudaErrorMemoryAllocation.*asked for
CASE(too_much, failing(1));
// finds unchecked-call: return cudaMemcpy.*2052 bytes, of which 2048 are left
CASE(too_long, failing(2));
CASE(too_long_not, failing(3));
CASE(too_much_not, failing(4));
// finds unset-copy: at check_host.cu:[0-9]+\n.*has written 4 of the 2048 bytes.*byte[ \n]+2044
CASE(unset_rest, partly(N - 1, false));
CASE(unset_rest_not, partly(N, false));
// finds unset-copy: has written 1024 of the 2048 bytes
CASE(unset_holes, partly(N, true));
// finds unset-copy: has written 448 of the 2048 bytes
PAIR(unset_rows, rows(right));
CASE(unset_padding_back_not, structures());
CASE(unset_end_not, compaction());
// finds misaligned: load_matrix_sync.fa.*multiple of 16 bytes.*34 bytes
CASE(matrix_stride, product_of(17, 0));
CASE(matrix_stride_not, product_of(24, 0));
// finds misaligned: load_matrix_sync.fa.*multiple of 32 bytes.*16 bytes past one
CASE(matrix_address, product_of(16, 8));
CASE(matrix_address_not, product_of(16, 16));
// finds pageable-copy: cudaMemcpyAsync.*cudaMallocHost
PAIR(pageable, in_streams(right));
// finds lost-output: about 528000 bytes.*buffer[ \n]+of[ \n]+524288.*lost
CASE(ring_full, speak_much(6000));
CASE(ring_full_not, speak_much(5900));
// finds lost-output: cudaDeviceSynchronize.*thread 0
PAIR(unheard, speak_last(right));
// finds host-function
//   ~ cudaErrorNotPermitted, then cudaSuccess, cudaSuccess.*host-function:[ ]
//   ~ at check_host.cu:[0-9]+\n.*= cudaMemcpy
//   ~ cudaMemcpy is called in a host function that[ \n]+cudaLaunchHostFunc.*host-function:[ ]
//   ~ A kernel launch is called
PAIR(in_host_function, in_host_function(!right));
// finds unchecked-call: at check_host.cu:[0-9]+\n.*weights, weights
//   ~ not[ \n]+a[ \n]+device[ \n]+variable[ \n]+but host memory.*variables: weights\n
PAIR(shadowed, shadowed(!right));
// finds refused: at check_host.cu:[0-9]+\n.*cudaImportExternalMemory is not supported.*refused:[ ]
//   ~ cudaExternalMemoryGetMappedBuffer.*\n2 findings in
CASE(ignores_refusal, ignores_refusal());
