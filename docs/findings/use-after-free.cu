// Means: The memory was freed before the kernel used it.
// Fix: Free it after the last launch that uses it; set the pointer to NULL, so that the mistake
// shows at once.
// Sanitizer: memcheck reports it.
__global__ void ones(float *x) {
    x[threadIdx.x] = 1;
}
int main() {
    float *x;
    cudaMalloc(&x, 128);
    cudaFree(x);
    ones<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}
