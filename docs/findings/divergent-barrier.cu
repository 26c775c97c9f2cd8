// Means: Some threads of the block do not come to a __syncthreads(): a branch leads them past it.
// On a GPU the kernel hangs, or the barriers of two lines open each other. What happens after it
// is not told: it follows from this.
// Fix: Move the barrier out of the branch; let threads without work skip the work, not the
// barrier.
// Sanitizer: synccheck reports divergent threads.
__global__ void sum(float *x) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    if (t < 32) {
        __syncthreads(); // threads 32 to 63 do not come here
        s[t] += s[t + 32];
    }
    __syncthreads();
    x[t] = s[t];
}
int main() {
    float *x;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    sum<<<1, 64>>>(x);
    cudaDeviceSynchronize();
}
