// Means: A kernel and a grid that it has launched, or two such grids, access one address
// unordered.
// Fix: Launch into one stream, or as a tail launch (cudaStreamTailLaunch), which begins when the
// parent has ended.
// Sanitizer: No tool reports it: racecheck says that it does not support launches from kernels.
__global__ void child(int *x) {
    x[0] = 1;
}
__global__ void parent(int *x, int *y) {
    child<<<1, 1>>>(x);
    y[0] = x[0]; // the child may not have run yet
}
int main() {
    int *x, *y;
    cudaMalloc(&x, 4);
    cudaMalloc(&y, 4);
    cudaMemset(x, 0, 4);
    parent<<<1, 1>>>(x, y);
    cudaDeviceSynchronize();
}
