// Means: A conversion of a kernel's printf reads another number of bytes than the argument has: the
// device reads the arguments one behind the other, so that all behind it come out wrong, too. Or
// there are more than the 32 arguments that a kernel's printf takes; or a length modifier that it
// does not know (z, j, t, hh). A warning: only the text is wrong.
// Fix: %lld or %llu for 8 bytes, also for a size_t, %d or %u for 4 bytes; two calls for more than
// 32 arguments.
// Sanitizer: No tool reports it.
#include <cstdio>
__global__ void show(long long *big, int *small) {
    printf("%d %d\n", *big, *small); // %d reads 4 of the 8 bytes of *big
}
int main() {
    long long *big;
    int *small;
    cudaMalloc(&big, 8);
    cudaMalloc(&small, 4);
    cudaMemset(big, 1, 8);
    cudaMemset(small, 1, 4);
    show<<<1, 1>>>(big, small);
    cudaDeviceSynchronize();
    cudaFree(big);
    cudaFree(small);
}
