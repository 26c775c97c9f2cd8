// SPDX-License-Identifier: MIT
// Atomics on local memory, which PTX leaves undefined: the simulator does them, an H100 ends the
// launch with cudaErrorLaunchFailure. The one program of this folder that the two treat
// differently.
#include "../check.h"

enum { THREADS = 64 };

struct sums {
    unsigned long long added, swapped, exchanged;
    double real;
    unsigned word;
};

// What `elsewhere` might be keeps the compiler from seeing that these pointers lead to local
// memory.
__global__ void local_atomics(sums *out, int pick, void *elsewhere) {
    unsigned long long cells[4] = {1, 2, 3, 4};
    double reals[2] = {0.5, 0.25};
    unsigned words[3] = {7, 8, 9}, i = threadIdx.x;
    auto *cell = elsewhere ? (unsigned long long *)elsewhere : &cells[pick];
    auto *real = elsewhere ? (double *)elsewhere : &reals[pick & 1];
    auto *word = elsewhere ? (unsigned *)elsewhere : &words[pick];
    atomicAdd(cell, 1ull << 40);
    atomicAdd(cell, (unsigned long long)i);
    atomicAdd(real, i + 0.125);
    atomicMax(word, i);
    out[i].added = cells[pick];
    out[i].swapped = atomicCAS(cell, (1ull << 40) + 3 + i, 99ull);
    out[i].exchanged = atomicExch(cell, 5ull) + cells[pick];
    out[i].real = reals[pick & 1];
    out[i].word = words[pick];
}

int main() {
    sums *out;
    CUDA_CHECK(cudaMallocManaged(&out, THREADS * sizeof *out));
    local_atomics<<<1, THREADS>>>(out, 2, NULL);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < THREADS; i++) {
        EXPECT(out[i].added == (1ull << 40) + 3 + i);
        EXPECT(out[i].swapped == (1ull << 40) + 3 + i);
        EXPECT(out[i].exchanged == 99 + 5);
        EXPECT(out[i].real == 0.5 + i + 0.125);
        EXPECT(out[i].word == (i > 9 ? i : 9));
    }
    CUDA_CHECK(cudaFree(out));
    printf("ok\n");
    return 0;
}
