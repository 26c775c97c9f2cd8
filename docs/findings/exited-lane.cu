// Means: A member mask names lanes that have returned from the kernel. Present GPUs leave them
// out; the programming guide does not promise that, so it is a warning.
// Fix: Let no lane return before the last warp function, or make the mask of those that are left.
// Sanitizer: No tool reports it.
__global__ void vote(unsigned *x) {
    if (threadIdx.x >= 20) return;
    x[threadIdx.x] = __ballot_sync(0xffffffff, threadIdx.x & 1);
}
int main() {
    unsigned *x;
    cudaMalloc(&x, 128);
    vote<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}
