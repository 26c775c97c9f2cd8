// A program without code for the device: built for an old architecture's machine code only.
// build: none
#include "catalogue.h"

__device__ int number;

__global__ void kernel() { number = 1; }

int main() {
    cudaFuncAttributes about;
    int word = 0, count = 0;
    printf("no_image:");
    say(cudaGetDeviceCount(&count));
    kernel<<<1, 1>>>();
    say(cudaGetLastError());
    say(cudaGetLastError());
    say(cudaDeviceSynchronize());
    say(cudaFuncGetAttributes(&about, kernel));
    say(cudaMemcpyToSymbol(number, &word, sizeof word));
    say(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, 32, 0));
    say(cudaGetLastError());
    say(cudaDeviceSynchronize());
    printf("\n");
    return 0;
}
