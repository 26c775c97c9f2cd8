// Means: Host code reads or writes through a device pointer. On a GPU the program crashes there.
// Fix: cudaMemcpy() to host memory and back, or cudaMallocManaged().
// Sanitizer: No tool names the line: the program crashes.
int main() {
    float *x;
    cudaMalloc(&x, 128);
    cudaMemset(x, 0, 128);
    return x[0] > 1;
}
