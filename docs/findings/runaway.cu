// Means: A loop that does not end: its iterations change nothing that its condition depends on. Or
// the launch took more instructions than its limit (10^10 warp instructions; in labs, that of the
// step). The message says which loop.
// Fix: Look at what the loop's condition depends on, and whether the body changes it. A loop that
// does end needs a higher limit: --max-instructions.
// Sanitizer: No tool ends such a program (stopped after 20 s).
__global__ void halve(int *x, int step) {
    for (int i = 64; i > 0; i /= step) // step is 1
        x[threadIdx.x] = i;
}
int main() {
    int *x;
    cudaMalloc(&x, 128);
    halve<<<1, 32>>>(x, 1);
    cudaDeviceSynchronize();
}
