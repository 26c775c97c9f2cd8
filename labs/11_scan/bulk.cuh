// SPDX-License-Identifier: MIT
// Given to step 10 of lab 11: bulk copies between global and shared memory, and the barriers that
// tell when they have arrived, a function for each instruction of PTX (its manual, section 9.7).
// Compute capability 9.0.
#pragma once

#include <stdint.h>

typedef uint64_t barrier; // in shared memory. Its phase ends when the bytes expected have arrived.

__device__ __forceinline__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void init_barrier(barrier *b) { // each phase: one expect_bytes
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(shared_address(b)) : "memory");
}

// Shows the barriers that this thread has initialised to the hardware that copies.
__device__ __forceinline__ void show_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

__device__ __forceinline__ void expect_bytes(barrier *b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(b)), "r"(bytes)
                 : "memory");
}

// Waits until the phase has ended: 0 for the first, then 1, 0, 1, ..
__device__ __forceinline__ void wait_for(barrier *b, unsigned phase) {
    unsigned ended = 0;
    while (!ended) {
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, p;\n"
                     "}"
                     : "=r"(ended)
                     : "r"(shared_address(b)), "r"(phase)
                     : "memory");
    }
}

// Copies from x to shared memory; both addresses and the size are multiples of 16 bytes.
__device__ __forceinline__ void start_load(void *memory, const void *x, unsigned bytes,
                                           barrier *b) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1], %2, [%3];"
                 :
                 : "r"(shared_address(memory)), "l"(x), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

// Every thread: bulk copies see what it has written to shared memory, after the next barrier.
__device__ __forceinline__ void before_bulk_store() {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

__device__ __forceinline__ void start_store(void *y, const void *memory, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :
                 : "l"(y), "r"(shared_address(memory)), "r"(bytes)
                 : "memory");
}

// Ends a round's group of stores, which may be empty; waits until those of all rounds before have
// left shared memory.
__device__ __forceinline__ void wait_until_one_is_read() {
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
    asm volatile("cp.async.bulk.wait_group.read 1;" : : : "memory");
}
__device__ __forceinline__ void wait_until_stored() {
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}
