// Questions about launches from kernels (dynamic parallelism).
#include "ask.h"

static __device__ int cell[64];
static __device__ u32 order_of(int value) { // appends a digit
    int old = atomicAdd(&cell[0], 0);
    return atomicExch(&cell[0], old * 10 + value);
}
__global__ void nothing() {}
__global__ void digit(int value) { order_of(value); }
__global__ void digit_later(int value) {
    for (int i = 0; i < 100; i++) __nanosleep(1000);
    order_of(value);
}
__global__ void count(int index) { atomicAdd(&cell[index], 1); }
__global__ void with_array(int *p) {
    __shared__ int tile[100];
    tile[threadIdx.x % 100] = p[0];
    __syncthreads();
    p[1] = tile[(threadIdx.x + 1) % 100];
}
static void clear() {
    int zero[64] = {};
    cudaMemcpyToSymbol(cell, zero, sizeof zero);
}
static void say_cells(int count) {
    int value[64];
    int error = cudaDeviceSynchronize();
    if (!error) error = cudaMemcpyFromSymbol(value, cell, sizeof value);
    if (error) say(" error %d", error);
    for (int i = 0; i < count && !error; i++) say(" %d", value[i]);
}
#define CELLS(number, words, threads)                                                              \
    static __global__ void parent##number();                                                       \
    HOST(number) {                                                                                 \
        clear();                                                                                   \
        parent##number<<<1, threads>>>();                                                          \
        say_cells(words);                                                                          \
    }                                                                                              \
    static __global__ void parent##number()

CELLS(1201, 3, 1) {
    int version = 7;
    cudaGetDevice(&cell[0]);
    cudaDeviceGetAttribute(&cell[1], cudaDevAttrMultiProcessorCount, 0);
    cudaRuntimeGetVersion(&version);
    cell[2] = version;
}
CELLS(1202, 2, 1) {
    nothing<<<1, 1025>>>();
    cell[0] = cudaGetLastError(), cell[1] = cudaGetLastError();
}
CELLS(1203, 3, 1) {
    nothing<<<0, 1>>>();
    cell[0] = cudaGetLastError();
    nothing<<<dim3(1, 65536), 1>>>();
    cell[1] = cudaGetLastError();
    nothing<<<1, 1, 49153>>>();
    cell[2] = cudaGetLastError();
}
__global__ void deeper(int depth, int most) {
    cell[0]++;
    if (depth == most) return;
    deeper<<<1, 1>>>(depth + 1, most);
    int error = cudaGetLastError();
    if (error) cell[1] = error;
}
ALONE(1204) {
    clear();
    deeper<<<1, 1>>>(0, 30);
    say_cells(2);
}
CELLS(1205, 1, 1) {
    digit<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
    digit_later<<<1, 1>>>(1);
    digit<<<1, 1>>>(2);
}
CELLS(1206, 1, 1) {
    digit<<<1, 1, 0, cudaStreamTailLaunch>>>(2);
    digit<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
    digit_later<<<1, 1, 0, cudaStreamFireAndForget>>>(1);
}
static __device__ void *device_memory;
static __global__ void parent1207() {
    void *own = nullptr;
    cell[0] = cudaMalloc(&device_memory, 64);
    cudaMalloc(&own, 64);
    cell[1] = cudaFree(own);
}
HOST(1207) {
    void *memory = nullptr;
    parent1207<<<1, 1>>>();
    say_cells(2);
    cudaMemcpyFromSymbol(&memory, device_memory, sizeof memory);
    say(" %d", cudaFree(memory));
}
CELLS(1208, 4, 1) {
    cudaStream_t s;
    cudaEvent_t e;
    cell[0] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cell[1] = cudaStreamCreateWithFlags(&s, 0);
    cell[2] = cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    cell[3] = cudaEventCreateWithFlags(&e, 0);
}
__global__ void see(int thread) {
    atomicAdd(&cell[0], 1);
    if (cell[8 + thread] == thread + 1) atomicAdd(&cell[1], 1);
}
CELLS(1209, 2, 32) {
    cell[8 + threadIdx.x] = threadIdx.x + 1;
    see<<<1, 1>>>(threadIdx.x);
}
CELLS(1210, 3, 1) {
    cudaFuncAttributes a;
    cell[2] = cudaFuncGetAttributes(&a, with_array);
    cell[0] = a.maxThreadsPerBlock, cell[1] = (int)a.sharedSizeBytes;
}
CELLS(1211, 2, 1) {
    cell[0] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&cell[1], (const void *)nothing, 64, 0);
}
CELLS(1212, 3, 1) {
    size_t heap = 7, stack = 7;
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    cell[2] = cudaDeviceGetLimit(&stack, cudaLimitStackSize);
    cell[0] = (int)heap, cell[1] = (int)stack;
}
CELLS(1213, 1, 1) {
    cell[10] = cudaMemsetAsync(&cell[2], 7, 4, cudaStreamTailLaunch);
    cudaMemcpyAsync(&cell[0], &cell[2], 4, cudaMemcpyDeviceToDevice, cudaStreamTailLaunch);
}
__global__ void child_with_tail() {
    digit_later<<<1, 1, 0, cudaStreamTailLaunch>>>(2);
    order_of(1);
}
CELLS(1214, 1, 1) {
    digit<<<1, 1, 0, cudaStreamTailLaunch>>>(3);
    child_with_tail<<<1, 1>>>();
}
__global__ void thrice(int depth) {
    if (depth == 3) atomicAdd(&cell[0], 1);
    else
        for (int i = 0; i < 3; i++) thrice<<<1, 1, 0, cudaStreamFireAndForget>>>(depth + 1);
}
HOST(1215) {
    clear();
    thrice<<<1, 1>>>(0);
    say_cells(1);
}
CELLS(1216, 3, 1) {
    const char *name = cudaGetErrorName(cudaErrorInvalidConfiguration);
    cell[0] = name[0] == 'c' && name[9] == 'I' && name[10] == 'n';
    nothing<<<1, 2000>>>();
    cell[1] = cudaPeekAtLastError(), cell[2] = cudaGetLastError();
}
CELLS(1217, 1, 1) {
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    digit_later<<<1, 1, 0, s>>>(1);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    digit<<<1, 1, 0, t>>>(2);
}
__global__ void largest_rank() {
    int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    atomicMax(&cell[0], (int)(block * blockDim.x + threadIdx.x));
}
CELLS(1218, 1, 1) { largest_rank<<<dim3(3, 2, 2), 4>>>(); }
__global__ void store_at(int *p) { *p = 1; }
__global__ void parent_of_fault() { store_at<<<1, 1>>>((int *)16); }
ALONE(1219) {
    parent_of_fault<<<1, 1>>>();
    say(" %d", cudaDeviceSynchronize());
}
__global__ void parent_of_two() {
    count<<<1, 1>>>(0);
    count<<<1, 1>>>(0);
}
HOST(1220) {
    cudaGraph_t graph;
    cudaGraphExec_t exec = nullptr;
    cudaGraphNode_t node;
    cudaKernelNodeParams p = {};
    clear();
    cudaGraphCreate(&graph, 0);
    p.func = (void *)parent_of_two, p.gridDim = p.blockDim = dim3(1);
    cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p);
    cudaGraphInstantiate(&exec, graph, 0);
    say(" %d", cudaGraphLaunch(exec, 0));
    say_cells(1);
}
CELLS(1221, 2, 1) {
    cell[0] = cudaSuccess;
    digit<<<1, 1, 0, cudaStreamPerThread>>>(5);
    cell[1] = cudaGetLastError();
}
