// Memory that graphs allocate and release: by nodes, by captured streams, and by the program after
// a launch.
// engine: yes
#include "../check.h"

#include <cstdint>
#include <cstring>

enum { N = 1000 };

__global__ void fill(int *x, int value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = value + i;
}

__global__ void add(const int *a, const int *b, int *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) sum[i] = a[i] + b[i];
}

static cudaMemAllocNodeParams allocation(size_t bytes) {
    cudaMemAllocNodeParams params;
    memset(&params, 0, sizeof params);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = bytes;
    return params;
}

static uint64_t used(cudaGraphMemAttributeType what) {
    uint64_t bytes;
    CUDA_CHECK(cudaDeviceGetGraphMemAttribute(0, what, &bytes));
    return bytes;
}

static void set_kernel(cudaKernelNodeParams *params, void *function, void **arguments) {
    memset(params, 0, sizeof *params);
    params->func = function;
    params->gridDim = dim3((N + 127) / 128);
    params->blockDim = dim3(128);
    params->kernelParams = arguments;
}

// Allocates, fills, copies out, releases: launched three times, its memory gone after each.
static void nodes_of_one_graph() {
    cudaGraph_t graph, clone;
    cudaGraphExec_t exec, second;
    cudaGraphNode_t made, filled, cleared, copied, gone, other;
    int host[N], value = 7, n = N;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = allocation(N * sizeof(int)), got, nothing = allocation(0);
    EXPECT_ERROR(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &nothing),
                 cudaErrorInvalidValue);
    CUDA_CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &params));
    EXPECT(params.dptr != nullptr);
    CUDA_CHECK(cudaGraphMemAllocNodeGetParams(made, &got));
    EXPECT(got.dptr == params.dptr && got.bytesize == N * sizeof(int));
    void *arguments[] = {&params.dptr, &value, &n};
    cudaKernelNodeParams kernel;
    set_kernel(&kernel, (void *)fill, arguments);
    CUDA_CHECK(cudaGraphAddKernelNode(&filled, graph, &made, 1, &kernel));
    cudaMemsetParams zero = {};
    zero.dst = params.dptr;
    zero.elementSize = 4;
    zero.width = 10;
    zero.height = 1;
    CUDA_CHECK(cudaGraphAddMemsetNode(&cleared, graph, &filled, 1, &zero));
    CUDA_CHECK(cudaGraphAddMemcpyNode1D(&copied, graph, &cleared, 1, host, params.dptr, sizeof host,
                                        cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&gone, graph, &copied, 1, params.dptr));
    EXPECT_ERROR(cudaGraphAddMemFreeNode(&other, graph, &copied, 1, params.dptr),
                 cudaErrorInvalidValue);
    EXPECT_ERROR(cudaGraphAddMemFreeNode(&other, graph, &copied, 1, host), cudaErrorInvalidValue);
    void *released;
    CUDA_CHECK(cudaGraphMemFreeNodeGetParams(gone, &released));
    EXPECT(released == params.dptr);
    EXPECT_ERROR(cudaGraphClone(&clone, graph), cudaErrorNotSupported); // as on an H100
    EXPECT_ERROR(cudaGraphDestroyNode(copied), cudaErrorNotSupported);
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT_ERROR(cudaGraphInstantiateWithFlags(&second, graph, 0), cudaErrorNotSupported);
    cudaGetLastError();
    for (int iteration = 0; iteration < 3; iteration++) {
        memset(host, 0xFF, sizeof host);
        CUDA_CHECK(cudaGraphLaunch(exec, 0));
        CUDA_CHECK(cudaStreamSynchronize(0));
        for (int i = 0; i < N; i++) EXPECT(host[i] == (i < 10 ? 0 : 7 + i));
    }
    EXPECT(used(cudaGraphMemAttrUsedMemHigh) >= N * sizeof(int));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaStreamSynchronize(0));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

// What the graph leaves behind is the program's: it reads it and frees it.
static void left_to_the_program(bool frees_on_launch) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t made, filled;
    int host[N], value = 3, n = N;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = allocation(N * sizeof(int));
    CUDA_CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &params));
    void *arguments[] = {&params.dptr, &value, &n};
    cudaKernelNodeParams kernel;
    set_kernel(&kernel, (void *)fill, arguments);
    CUDA_CHECK(cudaGraphAddKernelNode(&filled, graph, &made, 1, &kernel));
    CUDA_CHECK(cudaGraphInstantiateWithFlags(
        &exec, graph, frees_on_launch ? cudaGraphInstantiateFlagAutoFreeOnLaunch : 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    CUDA_CHECK(cudaMemcpy(host, params.dptr, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT(host[N - 1] == 3 + N - 1);
    if (frees_on_launch) {
        CUDA_CHECK(cudaGraphLaunch(exec, 0));
        CUDA_CHECK(cudaFreeAsync(params.dptr, 0));
    } else {
        EXPECT_ERROR(cudaGraphLaunch(exec, 0), cudaErrorInvalidValue);
        cudaGetLastError();
        CUDA_CHECK(cudaFree(params.dptr));
        CUDA_CHECK(cudaGraphLaunch(exec, 0));
        CUDA_CHECK(cudaFree(params.dptr));
    }
    CUDA_CHECK(cudaStreamSynchronize(0));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

// A library's function with temporary memory, captured as it is.
static void captured() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *a, *b, *d_sum, host[N];
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaMalloc(&d_sum, N * sizeof(int)));
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA_CHECK(cudaMallocAsync(&a, N * sizeof(int), stream));
    CUDA_CHECK(cudaMallocAsync(&b, N * sizeof(int), stream));
    EXPECT(a && b && a != b);
    void *none = &host;
    CUDA_CHECK(cudaMallocAsync(&none, 0, stream)); // no node
    EXPECT(none == nullptr);
    fill<<<(N + 127) / 128, 128, 0, stream>>>(a, 1, N);
    CUDA_CHECK(cudaMemsetAsync(b, 0, N * sizeof(int), stream));
    add<<<(N + 127) / 128, 128, 0, stream>>>(a, b, d_sum, N);
    CUDA_CHECK(cudaFreeAsync(a, stream));
    CUDA_CHECK(cudaFreeAsync(b, stream));
    CUDA_CHECK(cudaMemcpyAsync(host, d_sum, sizeof host, cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    size_t count;
    CUDA_CHECK(cudaGraphGetNodes(graph, nullptr, &count));
    EXPECT(count == 8);
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    for (int iteration = 0; iteration < 2; iteration++) {
        memset(host, 0, sizeof host);
        CUDA_CHECK(cudaGraphLaunch(exec, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        for (int i = 0; i < N; i++) EXPECT(host[i] == 1 + i);
    }
    uint64_t zero = 0;
    CUDA_CHECK(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    EXPECT(used(cudaGraphMemAttrUsedMemHigh) == used(cudaGraphMemAttrUsedMemCurrent));
    CUDA_CHECK(cudaDeviceGraphMemTrim(0));
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaFree(d_sum));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

// One graph's kernel reads the memory after another graph's node released it: run with an argument.
static void used_after_release() {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t made, filled, gone;
    int value = 3, n = N;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams params = allocation(N * sizeof(int));
    CUDA_CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &params));
    CUDA_CHECK(cudaGraphAddMemFreeNode(&gone, graph, &made, 1, params.dptr));
    void *arguments[] = {&params.dptr, &value, &n};
    cudaKernelNodeParams kernel;
    set_kernel(&kernel, (void *)fill, arguments);
    CUDA_CHECK(cudaGraphAddKernelNode(&filled, graph, &gone, 1, &kernel));
    CUDA_CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    CUDA_CHECK(cudaGraphLaunch(exec, 0));
    EXPECT_ERROR(cudaStreamSynchronize(0), cudaErrorIllegalAddress);
    printf("a use after the release: cudaErrorIllegalAddress\n");
}

int main(int argc, char **) {
    if (argc > 1) {
        used_after_release();
        return 0;
    }
    nodes_of_one_graph();
    left_to_the_program(false);
    left_to_the_program(true);
    captured();
    printf("ok\n");
    return 0;
}
