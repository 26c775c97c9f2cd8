// Counter kernels: atomics on shared and global memory, with and without the old value, with and
// without lanes that name one word. Only commutative updates of shared words, so that results do
// not depend on the order.
#include "counter_kernels.h"

static __device__ uint32_t shared_address(const void *pointer) {
    return (uint32_t)__cvta_generic_to_shared(pointer);
}

static __device__ void shared_red(uint32_t *word, uint32_t value) {
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(shared_address(word)), "r"(value) : "memory");
}

// Word `word` of a zeroed tile gets `value`; afterwards each thread stores one word of the tile.
#define SHARED_ATOMIC(name, word, value)                                                           \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        __shared__ uint32_t tile[1024];                                                            \
        _Pragma("unroll 1") for (uint32_t i = threadIdx.x; i < 1024; i += blockDim.x) {            \
            tile[i] = 0;                                                                           \
        }                                                                                          \
        __syncthreads();                                                                           \
        shared_red(tile + (word), value);                                                          \
        __syncthreads();                                                                           \
        out[THREAD] = tile[threadIdx.x] ^ tile[(threadIdx.x % 32) * 32] ^ THREAD;                  \
    }

SHARED_ATOMIC(shared_atomic_distinct, threadIdx.x, threadIdx.x + 1)
SHARED_ATOMIC(shared_atomic_pairs, threadIdx.x / 2, threadIdx.x + 1)
SHARED_ATOMIC(shared_atomic_one_word, threadIdx.x / 32, threadIdx.x + 1)
SHARED_ATOMIC(shared_atomic_stride_32, LANE * 32, threadIdx.x + 1)
SHARED_ATOMIC(shared_atomic_histogram, index[threadIdx.x] % 64, 1)

COUNTER_KERNEL_BODY(shared_atomic_return) {
    __shared__ uint32_t tile[128];
    tile[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    uint32_t old;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"(shared_address(tile + (threadIdx.x ^ 1))), "r"(threadIdx.x)
                 : "memory");
    __syncthreads();
    out[THREAD] = old * 1024 + tile[threadIdx.x];
}

#define GLOBAL_RED(name, type, constraint, address, value)                                         \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        asm volatile("red.global.add." type " [%0], %1;" ::"l"(address), constraint(value)         \
                     : "memory");                                                                  \
    }

GLOBAL_RED(global_red_distinct, "u32", "r", out + THREAD, THREAD + 1)
GLOBAL_RED(global_red_stride_8, "u32", "r", out + THREAD * 8, THREAD + 1)
GLOBAL_RED(global_red_random, "u32", "r", out + index[THREAD] % 256, 1)
GLOBAL_RED(global_red_same_sector, "u32", "r", out + THREAD / 32 * 8 + LANE % 8, THREAD + 1)
GLOBAL_RED(global_red_64, "u64", "l", out + THREAD * 2, (THREAD + 1) * UINT64_C(0x100000001))
// The poison as a float is about -3e-16: lost in the first addition, so that sums stay exact.
GLOBAL_RED(global_red_f32, "f32", "f", out + THREAD, (float)(THREAD + 1))

// Old values go, changed, to the second half of what the kernel writes.
COUNTER_KERNEL_BODY(global_atom_distinct) {
    uint32_t old;
    asm volatile("atom.global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(out + THREAD), "r"(THREAD + 1)
                 : "memory");
    out[2048 + THREAD] = old + THREAD + 1;
}

COUNTER_KERNEL_BODY(global_atom_cas) {
    uint32_t old;
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(out + THREAD), "r"(0xA5A5A5A5u), "r"(THREAD)
                 : "memory");
    out[2048 + THREAD] = old + THREAD + 1;
}

COUNTER_KERNEL_BODY(global_atom_exch_stride_2) {
    uint32_t old;
    asm volatile("atom.global.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(out + THREAD * 2), "r"(THREAD)
                 : "memory");
    out[4096 + THREAD] = old + THREAD + 1;
}

// One address for all lanes. In PTX these are 32 lanes of one `atom` or `red`; ptxas counts or adds
// up the lanes and lets one of them go to memory, so that hardware sees one sector and one lane.
COUNTER_KERNEL_BODY(global_atomic_uniform) { atomicAdd(out, 1u); }

COUNTER_KERNEL_BODY(global_atomic_uniform_lane_values) { atomicAdd(out, index[THREAD]); }

COUNTER_KERNEL_BODY(global_atomic_uniform_return) {
    uint32_t ticket = atomicAdd(out, 1u) - 0xA5A5A5A5u; // from 0, in an order that may change
    out[8 + ticket] = ticket * 3;
}

COUNTER_KERNEL_BODY(global_atomic_uniform_f32) { atomicAdd((float *)out, 1.0f); }
