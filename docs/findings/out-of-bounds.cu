// Means: The access is outside of the array that its pointer or variable is of: past the end,
// before the start, or by a pointer to host memory. The message says by how many bytes, and which
// argument of the kernel points to the array. Of shared memory, an index that leaves one array for
// the next is found, but not one inside memory that the program divides by hand.
// Fix: Compare the index with the size before the access: `if (i < n)`; of a stencil, the first
// and the last element too.
// Sanitizer: memcheck reports it.
__global__ void shift(const float *x, float *y) {
    int i = threadIdx.x;
    y[i] = x[i - 1]; // i is 0 in the first thread
}
int main() {
    float *x, *y;
    cudaMalloc(&x, 128);
    cudaMalloc(&y, 128);
    cudaMemset(x, 0, 128);
    shift<<<1, 32>>>(x, y);
    cudaDeviceSynchronize();
}
