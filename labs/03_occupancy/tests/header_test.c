// Lab 03's table of limits against the toolkit's own calculator, cuda_occupancy.h, for the compute
// capabilities that the toolkit still knows: portions, slots, parts of the register file, and how
// they are put together.
// links: CUDA::cudart
#include <limits.h>

#include <cuda_occupancy.h>

#include "random.h"
#include "reference.h"
#include "suite.h"

// What a device says of itself comes from the table; the rest is the header's.
static cudaOccDeviceProp properties(const occupancy_limits *l) {
    return (cudaOccDeviceProp){
        .computeMajor = l->compute / 10,
        .computeMinor = l->compute % 10,
        .maxThreadsPerBlock = l->threads_per_block,
        .maxThreadsPerMultiprocessor = l->warps * 32,
        .regsPerBlock = l->registers,
        .regsPerMultiprocessor = l->registers,
        .warpSize = 32,
        .sharedMemPerBlock = 49152,
        .sharedMemPerMultiprocessor = (size_t)l->shared,
        .numSms = 1,
        .sharedMemPerBlockOptin = (size_t)l->shared_per_block,
        .reservedSharedMemPerBlock = (size_t)l->shared_reserved,
    };
}

// Blocks that the header lets run at once; 0 when it refuses the configuration.
static int header_blocks(const occupancy_config *c) {
    cudaOccDeviceProp device = properties(occupancy_limits_of(c->compute));
    cudaOccFuncAttributes function = {
        .maxThreadsPerBlock = INT_MAX,
        .numRegs = c->registers,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = device.sharedMemPerBlockOptin,
        .numBlockBarriers = 1,
    };
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_SHARED,
                                .carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED};
    cudaOccResult result;
    cudaOccError code = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &device, &function, &state, c->threads, (size_t)c->shared_bytes);
    return code == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : 0;
}

KL_TEST(the_toolkits_calculator_agrees) {
    enum { CASES = 20000 };
    static const int computes[] = {35, 80, 89, 90};
    for (size_t k = 0; k < sizeof computes / sizeof computes[0]; k++) {
        const occupancy_limits *l = occupancy_limits_of(computes[k]);
        int more_than_none = 0;
        for (uint64_t i = 0; i < CASES; i++) {
            uint64_t seed = kl_random_fork(7, (uint64_t)computes[k]);
            uint32_t most = (uint32_t)l->shared_per_block / (1 + kl_random_below(seed, 4 * i, 32));
            occupancy_config c = {
                .compute = computes[k],
                .threads = 1 + (int)kl_random_below(seed, 4 * i + 1, 1024),
                .registers = 1 + (int)kl_random_below(seed, 4 * i + 2, 255),
                .shared_bytes = (int)kl_random_below(seed, 4 * i + 3, (uint64_t)most + 1),
            };
            int want = header_blocks(&c), got = occupancy_reference(&c).blocks;
            ck_assert_msg(
                got == want, "%d.%d, %d threads, %d registers, %d bytes: %d blocks, the toolkit %d",
                c.compute / 10, c.compute % 10, c.threads, c.registers, c.shared_bytes, got, want);
            more_than_none += want > 0;
        }
        ck_assert_int_ge(more_than_none, CASES / 2);
    }
}

KL_TEST_MAIN("occupancy_header")
