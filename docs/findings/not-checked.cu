// Means: The simulator's process got no memory for its checks: they need up to 32 times the
// address space of what the program allocates. The program ran on without them. This is a limit of
// the tool, not a mistake of the program.
// Fix: Raise the limit (ulimit -v), or check a smaller size. The program below does so under
// `ulimit -v 30000000`.
// Sanitizer: It has limits of its own.
__global__ void last(char *x, size_t n) {
    x[n - 1] = 7;
}
int main() {
    char *x;
    size_t n = (size_t)2 << 30;
    cudaMalloc(&x, n);
    last<<<1, 1>>>(x, n);
    cudaDeviceSynchronize();
    cudaFree(x);
}
