// Means: Two threads of a block access one address, at least one of them writes, and nothing
// orders them. The result depends on which warp runs first. What is missing follows from the two
// accesses: an atomic operation where each thread reads, computes and writes back; a barrier
// between a write and the read of another thread; a second one at the end of a loop whose next
// iteration writes again. Two writes of different values to one element of shared memory are
// told where the program uses the value that they leave.
// Fix: __syncthreads() between the two lines, outside of any branch; __syncwarp() between lanes of
// a warp, because votes and shuffles are no memory barriers; atomicAdd() for counters and sums.
// Sanitizer: racecheck reports it.
__global__ void reverse(float *x) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = x[t];
    x[t] = s[63 - t]; // another thread may not have written it yet
}
int main() {
    float *x;
    cudaMalloc(&x, 256);
    cudaMemset(x, 0, 256);
    reverse<<<1, 64>>>(x);
    cudaDeviceSynchronize();
}
