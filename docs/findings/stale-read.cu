// Means: A load goes through a cache that the running kernel's writes do not reach: the read-only
// data cache (__ldg(), or a pointer that is const and __restrict__: ld.global.nc in PTX), or that
// of a texture. The same launch writes the memory, so the load may return what was there before. No
// barrier and no fence helps, and the thread's own writes count, too.
// Fix: Read by a pointer without __ldg() or __restrict__ what the kernel writes; or read it in a
// later launch, which sees it.
// Sanitizer: No tool reports it.
__global__ void twice(int *x) {
    int t = threadIdx.x;
    x[t] = t;
    __syncthreads();
    x[t + 64] = 2 * __ldg(&x[63 - t]); // may be what was there before the launch
}
int main() {
    int *x;
    cudaMalloc(&x, 512);
    cudaMemset(x, 0, 512);
    twice<<<1, 64>>>(x);
    cudaDeviceSynchronize();
}
