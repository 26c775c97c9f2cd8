// SPDX-License-Identifier: MIT
// Control flow for the executor's tests: every kernel writes one int a thread that the test
// computes too.
// ptx: flow -O3 -lineinfo
// ptx: flow_debug -G

extern "C" __global__ void nested(int *out, int depth) {
    int t = threadIdx.x, v = 0;
    if (t % 2) {
        if (t % 3) v += t;
        else v -= t;
        for (int i = 0; i < t % 5; i++) {
            if ((i + t) % 2) v += 3 * i;
            else v ^= i;
            if (v % 7 == 6) break;
            if (v % 5 == 4) continue;
            v += depth;
        }
    } else {
        int i = 0;
        while (true) {
            v += i * t;
            if (++i > t / 4) break;
        }
        if (t > 16) v = -v;
    }
    out[t] = v;
}

extern "C" __global__ void early_return(int *out, int n) {
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    if (t >= n) return;
    if (t % 7 == 3) {
        out[t] = -1;
        return;
    }
    int v = t;
    for (int i = 0; i < 100; i++) {
        v = v * 3 + 1;
        if (v % 64 == t % 64) {
            out[t] = i;
            return;
        }
    }
    out[t] = v;
}

extern "C" __global__ void cases(int *out) {
    int t = threadIdx.x, v;
    switch (t % 11) {
    case 0: v = 5; break;
    case 1: v = t * 2; break;
    case 2: v = 7; // falls through
    case 3: v = 9 + t; break;
    case 4: v = t ^ 85; break;
    case 5: v = 1 << (t & 7); break;
    case 6: v = t / 3; break;
    case 7: v = -t; break;
    case 8: v = 1000; break;
    default: v = 2000 + t % 11; break;
    }
    out[t] = v;
}

__device__ __noinline__ int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ int even(int n);
__device__ __noinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__device__ __noinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }

extern "C" __global__ void recursion(int *out) {
    int t = threadIdx.x;
    out[t] = t % 3 ? fibonacci(t % 12) : 100 + even(t);
}

__device__ __noinline__ int triple(int x) { return 3 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ __noinline__ int minus(int x) {
    int a[8];
    for (int i = 0; i < 8; i++) a[i] = x * i;
    return -a[x & 7];
}
typedef int (*unary)(int);
__device__ unary table[3] = {triple, square, minus};

extern "C" __global__ void pointers(int *out) {
    int t = threadIdx.x;
    unary f = table[t % 3];
    int v = f(t);
    if (t % 2) v += table[(t / 2) % 3](v);
    out[t] = v;
}

// 1 + 2 + .. + n on a stack of local memory, a different depth for each thread.
__device__ __noinline__ int deep(int n) {
    volatile int mine[4];
    mine[n & 3] = n;
    if (n == 0) return 0;
    int below = deep(n - 1);
    return below + mine[n & 3];
}
extern "C" __global__ void local_stack(int *out) { out[threadIdx.x] = deep(threadIdx.x); }
extern "C" __global__ void endless_recursion(int *out) {
    out[threadIdx.x] = deep(1000000 + out[0]);
}

// Every lane of every warp takes the same lock in turn.
extern "C" __global__ void lane_lock(int *lock, int *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            volatile int *c = counter;
            *c = *c + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}
// The textbook form that deadlocks before Volta: the winner waits for the losers behind the loop.
extern "C" __global__ void naive_lock(int *lock, int *counter) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    volatile int *c = counter;
    *c = *c + 1;
    __threadfence();
    atomicExch(lock, 0);
}
// One lane waits for another of its warp, in the order that a stack would never finish.
extern "C" __global__ void lane_waits(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        while (flag[0] == 0) {}
        out[0] = flag[1];
    } else if (threadIdx.x == 31) {
        flag[1] = 77;
        __threadfence();
        flag[0] = 1;
    }
}
extern "C" __global__ void warp_waits(volatile int *flag, int *out) {
    __shared__ volatile int ready;
    if (threadIdx.x == 0) ready = 0;
    __syncthreads();
    if (threadIdx.x < 32) {
        while (!ready) {}
        out[threadIdx.x] = flag[threadIdx.x];
    } else {
        flag[threadIdx.x - 32] = threadIdx.x * 3;
        __threadfence_block();
        __syncwarp();
        if (threadIdx.x == 40) ready = 1;
    }
}
extern "C" __global__ void endless(int *out) {
    while (out[0] == 0) out[1] += 1;
}
extern "C" __global__ void waits_for_ever(volatile int *flag) {
    while (flag[0] == 0) {}
}
