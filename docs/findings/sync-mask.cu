// Means: A lane executes a warp function whose member mask does not name it: undefined.
// Fix: The mask names the lanes that come there: 0xffffffff where all do, __ballot_sync() of the
// condition before a branch.
// Sanitizer: No tool reports it.
__global__ void vote(unsigned *x) {
    x[threadIdx.x] = __ballot_sync(0x0000ffff, threadIdx.x & 1); // all 32 lanes come here
}
int main() {
    unsigned *x;
    cudaMalloc(&x, 128);
    vote<<<1, 32>>>(x);
    cudaDeviceSynchronize();
}
