// Counter kernel: an asynchronous copy from global to shared memory. In a program image of its own,
// because it is the instruction that a simulator is most likely to lack.
#include "counter_kernels.h"

// 16 bytes per thread travel without passing a register.
COUNTER_KERNEL_BODY(shared_copy_async) {
    __shared__ __align__(16) uint32_t tile[128 * 4];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(tile);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(base + threadIdx.x * 16),
                 "l"(in + THREAD * 4)
                 : "memory");
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    out[THREAD] = tile[threadIdx.x ^ 37] ^ THREAD;
}
