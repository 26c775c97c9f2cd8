// Means: Two launches, copies or fills use one address, one of them writes it, and nothing in the
// program puts one before the other: they are in different streams or in nodes of a graph without
// an edge, or a call returned before its work was done: cudaMemset, a copy on the device, or a
// copy from pageable memory to the device, which waits only until the bytes are staged ("API
// synchronization behavior" in the CUDA Runtime API reference). The simulator runs them in the
// order of the calls, so that the result does not show it; on a GPU they may run at the same
// time. Work that passes a flag in memory by atomics or volatile accesses is ordered by it.
// Fix: Let the second wait for the first: cudaEventRecord() and cudaStreamWaitEvent() between
// streams, cudaStreamSynchronize() before a call that uses the result, a dependency between nodes
// of a graph. Streams made with cudaStreamNonBlocking do not wait for the default stream, nor it
// for them.
// Sanitizer: No tool reports it.
__global__ void compute(int *x) {
    x[0] = 42;
}
int main() {
    int *x, result;
    cudaStream_t stream;
    cudaMalloc(&x, 4);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    compute<<<1, 1, 0, stream>>>(x);
    cudaMemcpy(&result, x, 4, cudaMemcpyDeviceToHost); // does not wait for the stream
    cudaDeviceSynchronize();
}
