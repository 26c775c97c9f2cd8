// Means: A function that cudaLaunchHostFunc or cudaStreamAddCallback puts into a stream, or a host
// node of a graph, calls CUDA. The call fails with cudaErrorNotPermitted, or waits for the very
// stream that waits for the function.
// Fix: Let the function set a flag or wake a thread, and make the call there.
// Sanitizer: No tool reports it.
static int *x, result;
static void CUDART_CB done(void *) {
    cudaMemcpy(&result, x, 4, cudaMemcpyDeviceToHost);
}
int main() {
    cudaMalloc(&x, 4);
    cudaMemset(x, 0, 4);
    cudaLaunchHostFunc(0, done, nullptr);
    cudaDeviceSynchronize();
    cudaFree(x);
}
