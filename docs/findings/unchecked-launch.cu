// Means: A launch failed before the kernel ran, and nobody asked: `<<<..>>>` returns nothing. The
// message says which limit it breaks.
// Fix: cudaGetLastError() after each launch; at most 1024 threads per block.
// Sanitizer: memcheck reports the error of the launch.
__global__ void ones(float *x) {
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
int main() {
    float *x;
    cudaMalloc(&x, 8192);
    ones<<<1, 2048>>>(x);
    cudaFree(x);
}
