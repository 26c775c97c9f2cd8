// Means: An asynchronous copy in one of several streams names ordinary host memory. The driver
// copies that by way of a buffer of its own, and the call waits: nothing overlaps.
// Fix: Host memory from cudaMallocHost(), or cudaHostRegister() on what is there.
// Sanitizer: No tool reports it.
static char h[1 << 20];
int main() {
    char *x;
    cudaStream_t streams[2];
    cudaMalloc(&x, sizeof h);
    for (int i = 0; i < 2; i++) cudaStreamCreate(&streams[i]);
    cudaMemcpyAsync(x, h, sizeof h, cudaMemcpyHostToDevice, streams[0]);
    for (int i = 0; i < 2; i++) cudaStreamDestroy(streams[i]);
    cudaFree(x);
}
