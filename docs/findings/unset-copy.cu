// Means: Device memory goes to the host though nothing has written it: the kernel does not reach
// every element. Padding of structures and of rows is left out, and what threads fill as far as
// their data goes. A warning: the program may not use those bytes.
// Fix: Compare the number of threads with the number of elements; cudaMemset() what is to be 0.
// Sanitizer: initcheck reports it.
__global__ void ones(int *x) {
    x[threadIdx.x] = 1;
}
int main() {
    int h[256], *x;
    cudaMalloc(&x, sizeof h);
    ones<<<1, 128>>>(x); // 128 of 256
    cudaMemcpy(h, x, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(x);
}
