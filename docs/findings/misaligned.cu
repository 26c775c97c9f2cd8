// Means: The address is not a multiple of the size of the access: 16 for float4. With wmma: of 32
// bytes, and the stride of 16 bytes.
// Fix: Give rows a length that is a multiple of the vector, or load single elements where the
// address is odd.
// Sanitizer: memcheck reports it.
__global__ void load(const float *x, float4 *y) {
    y[threadIdx.x] = *(const float4 *)(x + 1); // 4 bytes past a multiple of 16
}
int main() {
    float *x;
    float4 *y;
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 512);
    cudaMemset(x, 0, 128);
    load<<<1, 32>>>(x, y);
    cudaDeviceSynchronize();
}
