// Means: The kernel stopped itself: a failed assert(), __trap(), more stack than there is, or
// grid.sync() in a launch that is not cooperative.
// Fix: What the message says.
// Sanitizer: memcheck reports the assertion.
#undef NDEBUG
#include <cassert>
__global__ void check(const float *x) {
    assert(x[threadIdx.x] > 0);
}
int main() {
    float *x;
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    check<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}
