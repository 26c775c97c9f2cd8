// Means: The kernel reads memory that nothing has written: no kernel, copy or fill. Its value is
// undefined; on a GPU it is often 0, so that the program seems right. A read of shared memory is
// told where the program uses the value: in a branch, as an address, in a result.
// Fix: cudaMemset() or a copy before the launch; of shared memory, write every element that is
// read.
// Sanitizer: initcheck reports it.
__global__ void add(float *sum, const float *x) {
    sum[threadIdx.x] += x[threadIdx.x]; // sum was never set to 0
}
int main() {
    float *sum, *x;
    cudaMalloc(&sum, 128);
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    add<<<1, 32>>>(sum, x);
    cudaDeviceSynchronize();
}
