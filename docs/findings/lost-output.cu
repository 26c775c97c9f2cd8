// Means: A kernel prints, and the program ends without waiting for it: the text may never appear.
// Fix: cudaDeviceSynchronize() before the end.
// Sanitizer: No tool reports it.
#include <cstdio>
__global__ void hello() {
    printf("hello from thread %d\n", threadIdx.x);
}
int main() {
    hello<<<1, 4>>>();
}
