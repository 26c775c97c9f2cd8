// A section of tensor_program.cu: bulk reductions without a map.
#pragma once

#include "case.cuh"

static const struct {
    const char *name;
    int type;
} bulk_rows[] = {{"add.u32", 2},  {"add.s32", 3},       {"add.u64", 4},        {"add.f32", 7},
                 {"add.f64", 8},  {"add.noftz.f16", 6}, {"add.noftz.bf16", 9}, {"min.u32", 2},
                 {"max.s32", 3},  {"min.u64", 4},       {"max.s64", 5},        {"min.f16", 6},
                 {"max.bf16", 9}, {"inc.u32", 2},       {"dec.u32", 2},        {"and.b32", 2},
                 {"or.b64", 4},   {"xor.b32", 2}};

// The same rows.
__device__ static void reduce_bulk(uint8_t *to, const uint8_t *tile, int number) {
#define BULK(text)                                                                                 \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." text                        \
                 " [%0], [%1], %2;" ::"l"(to),                                                     \
                 "r"(shared_of(tile)), "r"(1024)                                                   \
                 : "memory")
    if (number == 0) BULK("add.u32");
    if (number == 1) BULK("add.s32");
    if (number == 2) BULK("add.u64");
    if (number == 3) BULK("add.f32");
    if (number == 4) BULK("add.f64");
    if (number == 5) BULK("add.noftz.f16");
    if (number == 6) BULK("add.noftz.bf16");
    if (number == 7) BULK("min.u32");
    if (number == 8) BULK("max.s32");
    if (number == 9) BULK("min.u64");
    if (number == 10) BULK("max.s64");
    if (number == 11) BULK("min.f16");
    if (number == 12) BULK("max.bf16");
    if (number == 13) BULK("inc.u32");
    if (number == 14) BULK("dec.u32");
    if (number == 15) BULK("and.b32");
    if (number == 16) BULK("or.b64");
    if (number == 17) BULK("xor.b32");
}

__global__ void bulk_kernel(uint8_t *to, const uint8_t *in, int number) {
    extern __shared__ __align__(1024) uint8_t tile[];
    for (uint32_t i = threadIdx.x; i < 1024; i += THREADS) tile[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    reduce_bulk(to, tile, number);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static void run_bulk(void) {
    for (int i = 0; i < (int)(sizeof bulk_rows / sizeof bulk_rows[0]); i++)
        for (int numbers = 0; numbers < 2; numbers++) {
            if (numbers && bulk_rows[i].type < 6) continue;
            fill(h_out, 1024, bulk_rows[i].type, numbers);
            fill(h_tensor, 1024, bulk_rows[i].type, numbers);
            must(cudaMemcpy(d_out, h_out, 1024, cudaMemcpyHostToDevice), "bulk");
            must(cudaMemcpy(d_tensor, h_tensor, 1024, cudaMemcpyHostToDevice), "bulk");
            bulk_kernel<<<1, THREADS, 1024>>>(d_tensor, d_out, i);
            must(cudaMemcpy(h_tensor, d_tensor, 1024, cudaMemcpyDeviceToHost), bulk_rows[i].name);
            say("bulk %s %s: %08x", bulk_rows[i].name, numbers ? "numbers" : "bits",
                hash_of(h_tensor, 1024));
        }
}
