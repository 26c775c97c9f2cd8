// SPDX-License-Identifier: MIT
// Control flow: switches, loops with several ways out, loops without one, early returns, local
// arrays. Input of decode/nvcc.c: what nvcc makes of it must decode; nobody runs it.
extern "C" __global__ void switches(int *out, int n) {
    switch (out[5]) {
    case 0: out[6] = 1; break;
    case 1: out[6] = sinf(out[7]); break;
    case 2: out[6] = out[9] * out[8]; break;
    case 3: out[6] = out[7] / 3; break;
    case 4: out[6] = atomicAdd(out, 1); break;
    case 5: out[6] = 7;
    case 6: out[6] += out[6] * 9; break;
    case 7: out[1] = 2; break;
    case 9: return;
    default: out[6] = 99;
    }
    alignas(16) char bytes[64];
    for (int i = 0; i < 64; i++) bytes[i] = out[i];
    out[10] = bytes[n & 63];
}

extern "C" __global__ void loops(int *out, int n) {
    for (int i = threadIdx.x; i < n; i++) {
        if (out[i] == 3) break;
        if (out[i] == 4) continue;
        for (int j = i; j > 0; j /= 2) {
            if (out[j] == 5) goto done;
            if (out[j] == 6) return;
            out[j]++;
        }
    }
done:
    __syncthreads();
    out[0] = 1;
    while (true)
        if (atomicAdd(out, 1) > 5) break;
}

extern "C" __global__ void endless(int *out) {
    for (;;) atomicAdd(out, 1);
}

__device__ int lock;
extern "C" __global__ void locks(volatile int *out) {
    for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            out[0]++;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}
