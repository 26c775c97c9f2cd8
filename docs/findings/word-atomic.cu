// Means: cuda::atomic_ref of a type of 1 or 2 bytes is a compare-and-swap of the word of 4 bytes
// around it, because cards have no smaller one that does it. At the end of an allocation whose size
// is not a multiple of 4 the word reaches past the end. A card executes it and writes back what it
// found there. A warning: the result is right.
// Fix: A size that is a multiple of 4 bytes, if tools are to be silent.
// Sanitizer: memcheck reports an invalid read.
#include <cuda/atomic>
__global__ void lowest(signed char *x) {
    cuda::atomic_ref<signed char, cuda::thread_scope_device> last(x[4]);
    last.fetch_min((signed char)(8 - threadIdx.x)); // x[4] to x[7]
}
int main() {
    signed char *x;
    cudaMalloc(&x, 5);
    cudaMemset(x, 100, 5);
    lowest<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    cudaFree(x);
}
