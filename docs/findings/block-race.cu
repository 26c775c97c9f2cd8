// Means: Two blocks access one address, at least one of them writes, and nothing orders them.
// Blocks run at the same time and in any order; __syncthreads() does not reach beyond its block.
// Fix: Two launches, or a second array to write to; atomicAdd() for counters and sums; where a
// flag, a ticket or a lock tells another block that data is there, __threadfence() before it is set
// and after it is read, or a cuda::atomic_ref with memory_order_release and memory_order_acquire.
// Sanitizer: No tool reports it.
__global__ void shift(float *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float next = x[(i + 1) % 128];
    __syncthreads();
    x[i] = next; // the block before may still have to read it
}
int main() {
    float *x;
    cudaMalloc(&x, 512);
    cudaMemset(x, 0, 512);
    shift<<<4, 32>>>(x);
    cudaDeviceSynchronize();
}
