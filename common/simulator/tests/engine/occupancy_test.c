// SPDX-License-Identifier: MIT
// Occupancy against NVIDIA's own calculation: every row from compute capability 3.0 on against
// cuda_occupancy.h of the toolkit, over many launches; the older rules against published examples.
#include <stdio.h>
#include <string.h>

#include <cuda_occupancy.h>

#include "device/device.h"
#include "device/device_text.h"
#include "suite.h"

static cudaOccDeviceProp properties_of(const sim_device *d) {
    cudaOccDeviceProp p;
    memset(&p, 0, sizeof p);
    p.computeMajor = (int)d->compute_major;
    p.computeMinor = (int)d->compute_minor;
    p.maxThreadsPerBlock = (int)d->threads_per_block;
    p.maxThreadsPerMultiprocessor = (int)d->threads_per_sm;
    p.regsPerBlock = (int)d->registers_per_block;
    p.regsPerMultiprocessor = (int)d->registers_per_sm;
    p.warpSize = 32;
    p.sharedMemPerBlock = d->shared_bytes_per_block;
    p.sharedMemPerMultiprocessor = d->shared_bytes_per_sm;
    p.sharedMemPerBlockOptin = d->shared_bytes_per_block_optin;
    p.reservedSharedMemPerBlock = d->shared_reserved_bytes;
    p.numSms = (int)d->sm_count;
    return p;
}

// Blocks per SM as the toolkit's header says it; -1: it knows no such device.
static int blocks_by_header(const sim_device *d, uint32_t threads, uint32_t registers,
                            uint32_t shared_bytes, uint32_t barriers) {
    cudaOccDeviceProp properties = properties_of(d);
    cudaOccFuncAttributes attributes;
    cudaOccDeviceState state;
    cudaOccResult result;
    memset(&attributes, 0, sizeof attributes);
    memset(&state, 0, sizeof state);
    attributes.maxThreadsPerBlock = (int)d->threads_per_block;
    attributes.numRegs = (int)registers;
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = d->shared_bytes_per_block_optin;
    attributes.numBlockBarriers = (int)barriers;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes, &state,
                                                (int)threads, shared_bytes) != CUDA_OCC_SUCCESS)
        return -1;
    return result.activeBlocksPerMultiprocessor;
}

static int compare(const sim_device *d) {
    static const uint32_t threads[] = {1,   31,  32,  33,  64,  96,  128, 192, 256, 288,
                                       320, 384, 448, 512, 640, 672, 768, 800, 992, 1024};
    static const uint32_t kib_quarters[] = {0, 1, 3, 8, 16, 31, 40, 64, 100, 130, 190};
    int compared = 0;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++)
        for (uint32_t registers = 8; registers <= d->registers_per_thread; registers += 3)
            for (size_t s = 0; s < sizeof kib_quarters / sizeof *kib_quarters; s++) {
                uint32_t shared = 256 * kib_quarters[s], barriers = 1 + (registers / 3) % 2;
                sim_occupancy got;
                if (shared > d->shared_bytes_per_block_optin) continue;
                sim_occupancy_compute(d, threads[t], registers, shared, &got);
                sim_occupancy_limit_barriers(d, threads[t], barriers, &got);
                int want = blocks_by_header(d, threads[t], registers, shared, barriers);
                ck_assert_msg(
                    (int)got.blocks_per_sm == want,
                    "%s: %u threads, %u registers, %u bytes, %u barriers: %u blocks, not %d", d->id,
                    threads[t], registers, shared, barriers, got.blocks_per_sm, want);
                compared++;
            }
    return compared;
}

START_TEST(rows_agree_with_the_toolkit) {
    static const char *const ids[] = {"h100", "h200", "a100", "rtx4060", "k40"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        ck_assert_int_gt(compare(sim_device_find(ids[i])), 10000);
}
END_TEST

// Launches worked out by hand.
START_TEST(launches_of_a_k40) {
    const sim_device *d = sim_device_find("k40");
    static const struct {
        uint32_t threads, registers, shared_bytes, blocks;
    } rows[] = {
        {256, 32, 0, 8},     // all 64 warps
        {256, 33, 0, 6},     // 33 x 32 = 1056 -> 1280 a warp: 51 -> 48 warps
        {64, 8, 0, 16},      // 16 blocks of an SM
        {128, 16, 12288, 4}, // 48 KB
        {1024, 64, 0, 1},    // 65536 registers
        {128, 37, 3000, 12}, // 37 x 32 = 1184 -> 1280: 51 -> 48 warps; 3072 bytes: 16
        {32, 255, 0, 8},     // 8160 -> 8192 a warp
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_occupancy got;
        sim_occupancy_compute(d, rows[i].threads, rows[i].registers, rows[i].shared_bytes, &got);
        ck_assert_msg(got.blocks_per_sm == rows[i].blocks, "row %zu: %u", i, got.blocks_per_sm);
    }
}
END_TEST

// "If each block has 16 x 16 threads and each thread uses 10 registers, how many threads can run on
// each SM?" Three blocks; with one register more two, a third less. (A lecture on the G80; the
// paper on the matrix-vector product says the same of 16 registers: two blocks.)
START_TEST(the_register_cliff_of_the_g80) {
    const sim_device *d = sim_device_find("gtx8800");
    static const uint32_t rows[][2] = {{10, 3}, {11, 2}, {16, 2}, {17, 1}, {32, 1}, {33, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sim_occupancy got;
        sim_occupancy_compute(d, 256, rows[i][0], 0, &got);
        ck_assert_uint_eq(got.blocks_per_sm, rows[i][1]);
        ck_assert_int_eq(got.limiter, rows[i][0] == 10 ? SIM_LIMITER_WARPS : SIM_LIMITER_REGISTERS);
    }
}
END_TEST

// The occupancy calculator's window in the same lecture: compute capability 1.3, blocks of 4 warps,
// 25 registers, of which a block gets 3584; 4 blocks, 16 warps, 50 %, limited by registers.
START_TEST(the_calculator_of_the_lecture) {
    const sim_device *d;
    kl_error err = {0};
    sim_occupancy got;
    ck_assert_int_eq(sim_device_from_text("like=gtx8800;name=of compute capability 1.3;"
                                          "compute_minor=3;coalescing=2;warps_per_sm=32;"
                                          "threads_per_sm=1024;registers_per_sm=16384;"
                                          "registers_per_block=16384;register_unit=512",
                                          &d, &err),
                     SIM_OK);
    sim_occupancy_compute(d, 128, 25, 1024, &got);
    ck_assert_uint_eq(got.blocks_per_sm, 4);
    ck_assert_uint_eq(got.warps_per_sm, 16);
    ck_assert_double_eq(got.fraction, 0.5);
    ck_assert_int_eq(got.limiter, SIM_LIMITER_REGISTERS);
    ck_assert_uint_eq(got.limit_registers, 4);
    ck_assert_uint_eq(got.limit_shared, 16);
    ck_assert_uint_eq(got.limit_blocks, 8);
}
END_TEST

KL_TEST_MAIN("occupancy", rows_agree_with_the_toolkit, launches_of_a_k40,
             the_register_cliff_of_the_g80, the_calculator_of_the_lecture)
