// Means: Some threads of the block have returned before a barrier. Present GPUs do not wait for
// them; the programming guide does not promise that, so it is a warning.
// Fix: `if (i < n) { .. }` around the work instead of `if (i >= n) return;`, so that all threads
// come to the barrier.
// Sanitizer: No tool reports it.
__global__ void copy(const float *x, float *y, int n) {
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 256);
    cudaMalloc(&y, 256);
    cudaMemset(x, 0, 256);
    copy<<<1, 64>>>(x, y, 50);
    cudaDeviceSynchronize();
}
