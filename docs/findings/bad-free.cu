// Means: The pointer given to cudaFree() is not the start of a live allocation: freed already, or
// never allocated.
// Fix: One cudaFree() for each cudaMalloc(), with the same pointer.
// Sanitizer: memcheck reports the error of the call.
int main() {
    float *x;
    cudaMalloc(&x, 128);
    cudaFree(x);
    cudaFree(x);
}
