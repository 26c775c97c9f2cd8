// Means: A shuffle reads from a lane that does not execute it: what comes is undefined.
// Fix: Let all lanes of the mask execute the shuffle, and put the condition around what is done
// with the value.
// Sanitizer: No tool reports it.
__global__ void sum(float *x) {
    float value = threadIdx.x;
    if (threadIdx.x < 16) value += __shfl_down_sync(0x0000ffff, value, 8);
    x[threadIdx.x] = value;
}
int main() {
    float *x;
    cudaMalloc(&x, 128);
    sum<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}
