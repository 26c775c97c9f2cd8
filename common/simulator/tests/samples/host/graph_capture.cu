// SPDX-License-Identifier: MIT
// CUDA graphs: a fork and join captured from two streams and launched many times with new input,
// and the same sum built node by node with dependencies, memset, copies, kernels and a host
// function.
#include <vector>

#include "../helper.h"

__global__ void scale(const float *in, float *out, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = factor * in[i];
}
__global__ void combine(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
__global__ void sumAll(const float *in, double *sum, int n) {
    double mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) mine += in[i];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

struct HostNode {
    double *sum;
    int calls;
    double total;
};
static void CUDART_CB hostNode(void *data) {
    HostNode *node = (HostNode *)data;
    node->calls++;
    node->total += *node->sum;
}

int main() {
    const int n = 4000, blocks = divUp(n, 128);
    float *h_in, *d_in, *d_a, *d_b, *d_out;
    double *h_sum, *d_sum;
    checkCudaErrors(cudaMallocHost(&h_in, n * sizeof(float)));
    checkCudaErrors(cudaMallocHost(&h_sum, sizeof(double)));
    for (float **p : {&d_in, &d_a, &d_b, &d_out}) checkCudaErrors(cudaMalloc(p, n * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_sum, sizeof(double)));
    cudaStream_t main_stream, side;
    cudaEvent_t forked, joined;
    checkCudaErrors(cudaStreamCreate(&main_stream));
    checkCudaErrors(cudaStreamCreate(&side));
    checkCudaErrors(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    checkCudaErrors(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    *h_sum = -1;

    checkCudaErrors(cudaStreamBeginCapture(main_stream, cudaStreamCaptureModeGlobal));
    checkCudaErrors(cudaMemcpyAsync(d_in, h_in, n * 4, cudaMemcpyHostToDevice, main_stream));
    checkCudaErrors(cudaEventRecord(forked, main_stream));
    checkCudaErrors(cudaStreamWaitEvent(side, forked, 0));
    scale<<<blocks, 128, 0, main_stream>>>(d_in, d_a, 2.0f, n);
    scale<<<blocks, 128, 0, side>>>(d_in, d_b, 3.0f, n);
    checkCudaErrors(cudaMemsetAsync(d_sum, 0, sizeof(double), side));
    checkCudaErrors(cudaEventRecord(joined, side));
    checkCudaErrors(cudaStreamWaitEvent(main_stream, joined, 0));
    combine<<<blocks, 128, 0, main_stream>>>(d_a, d_b, d_out, n);
    sumAll<<<1, 128, 0, main_stream>>>(d_out, d_sum, n);
    checkCudaErrors(cudaMemcpyAsync(h_sum, d_sum, 8, cudaMemcpyDeviceToHost, main_stream));
    checkCudaErrors(cudaStreamEndCapture(main_stream, &graph));
    bool passed = *h_sum == -1; // nothing ran while it was captured
    size_t nodes = 0;
    checkCudaErrors(cudaGraphGetNodes(graph, NULL, &nodes));
    printf("captured %zu nodes\n", nodes);
    checkCudaErrors(cudaGraphInstantiate(&exec, graph, 0));
    for (int round = 1; round <= 3; round++) {
        double want = 0;
        for (int i = 0; i < n; i++) want += 5 * (h_in[i] = (float)((i * round) % 10));
        checkCudaErrors(cudaGraphLaunch(exec, main_stream));
        checkCudaErrors(cudaStreamSynchronize(main_stream));
        printf("round %d: %.0f\n", round, *h_sum);
        passed = passed && *h_sum == want;
    }
    checkCudaErrors(cudaGraphExecDestroy(exec));
    checkCudaErrors(cudaGraphDestroy(graph));

    checkCudaErrors(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t copyIn, clear, scaleNode, sumNode, copyOut, hostFunction;
    checkCudaErrors(cudaGraphAddMemcpyNode1D(&copyIn, graph, NULL, 0, d_in, h_in, n * sizeof(float),
                                             cudaMemcpyHostToDevice));
    cudaMemsetParams memset = {};
    memset.dst = d_sum;
    memset.elementSize = 4;
    memset.width = 2;
    memset.height = 1;
    checkCudaErrors(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &memset));
    float factor = 0.5f;
    int count = n;
    void *scaleArguments[] = {&d_in, &d_a, &factor, &count};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)scale;
    kernel.gridDim = dim3(blocks);
    kernel.blockDim = dim3(128);
    kernel.kernelParams = scaleArguments;
    checkCudaErrors(cudaGraphAddKernelNode(&scaleNode, graph, &copyIn, 1, &kernel));
    void *sumArguments[] = {&d_a, &d_sum, &count};
    kernel.func = (void *)sumAll;
    kernel.gridDim = dim3(1);
    kernel.kernelParams = sumArguments;
    cudaGraphNode_t before[] = {scaleNode, clear};
    checkCudaErrors(cudaGraphAddKernelNode(&sumNode, graph, before, 2, &kernel));
    checkCudaErrors(cudaGraphAddMemcpyNode1D(&copyOut, graph, &sumNode, 1, h_sum, d_sum, 8,
                                             cudaMemcpyDeviceToHost));
    HostNode state = {h_sum, 0, 0};
    cudaHostNodeParams host = {};
    host.fn = hostNode;
    host.userData = &state;
    checkCudaErrors(cudaGraphAddHostNode(&hostFunction, graph, &copyOut, 1, &host));
    checkCudaErrors(cudaGraphInstantiate(&exec, graph, 0));
    double want = 0;
    for (int i = 0; i < n; i++) want += 0.5 * h_in[i];
    for (int i = 0; i < 4; i++) checkCudaErrors(cudaGraphLaunch(exec, main_stream));
    checkCudaErrors(cudaStreamSynchronize(main_stream));
    printf("built by hand: %d calls, total %.0f\n", state.calls, state.total);
    passed = passed && state.calls == 4 && state.total == 4 * want;
    checkCudaErrors(cudaGraphExecDestroy(exec));
    checkCudaErrors(cudaGraphDestroy(graph));
    return finish("graph_capture", passed);
}
