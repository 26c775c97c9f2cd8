// Counter kernels: global loads and stores. A warp-level instruction with a lane on is one request;
// it costs the distinct 32-byte sectors that its lanes touch. Every thread stores one word besides,
// 4 sectors a full warp. Must not read or write outside the arrays that counter_kernels.h
// describes.
#include "counter_kernels.h"

// Element `thread * stride` of `width` bytes, `offset` bytes into the array.
#define GLOBAL_LOAD(name, width, bytes, stride, offset)                                            \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        out[THREAD] =                                                                              \
            load_##width(in_bytes(in) + THREAD * (stride) * (bytes) + (offset)) ^ THREAD;          \
    }

GLOBAL_LOAD(global_load_stride_1, 4, 4, 1, 0)
GLOBAL_LOAD(global_load_stride_2, 4, 4, 2, 0)
GLOBAL_LOAD(global_load_stride_3, 4, 4, 3, 0)
GLOBAL_LOAD(global_load_stride_4, 4, 4, 4, 0)
GLOBAL_LOAD(global_load_stride_8, 4, 4, 8, 0)
GLOBAL_LOAD(global_load_stride_16, 4, 4, 16, 0)
GLOBAL_LOAD(global_load_stride_32, 4, 4, 32, 0)
GLOBAL_LOAD(global_load_offset_1, 4, 4, 1, 4)
GLOBAL_LOAD(global_load_offset_4, 4, 4, 1, 16)
GLOBAL_LOAD(global_load_offset_8, 4, 4, 1, 32)
GLOBAL_LOAD(global_load_offset_31, 4, 4, 1, 124)
GLOBAL_LOAD(global_load_width_1, 1, 1, 1, 0)
GLOBAL_LOAD(global_load_width_2, 2, 2, 1, 0)
GLOBAL_LOAD(global_load_width_8, 8, 8, 1, 0)
GLOBAL_LOAD(global_load_width_8v, 8v, 8, 1, 0)
GLOBAL_LOAD(global_load_width_16, 16, 16, 1, 0)
GLOBAL_LOAD(global_load_width_1_stride_4, 1, 1, 4, 0)
GLOBAL_LOAD(global_load_width_1_offset_31, 1, 1, 1, 31)
GLOBAL_LOAD(global_load_width_2_stride_3, 2, 2, 3, 0)
GLOBAL_LOAD(global_load_width_8_offset_8, 8, 8, 1, 8)
GLOBAL_LOAD(global_load_width_8_stride_2, 8, 8, 2, 0)
GLOBAL_LOAD(global_load_width_16_offset_16, 16, 16, 1, 16)
GLOBAL_LOAD(global_load_width_16_stride_2, 16, 16, 2, 0)

// Word `word(thread)` of the array.
#define GLOBAL_LOAD_AT(name, word)                                                                 \
    COUNTER_KERNEL_BODY(name) { out[THREAD] = load_4(in + (word)) ^ THREAD; }

GLOBAL_LOAD_AT(global_load_broadcast, THREAD / 32)
GLOBAL_LOAD_AT(global_load_reversed, THREAD - LANE + (31 - LANE))
GLOBAL_LOAD_AT(global_load_one_sector, THREAD - LANE + LANE * 5 % 8)
GLOBAL_LOAD_AT(global_load_two_sectors, THREAD - LANE + LANE % 2 * 24 + LANE / 2 % 8)
GLOBAL_LOAD_AT(global_load_permuted, THREAD - LANE + LANE * 13 % 32)
GLOBAL_LOAD_AT(global_load_gather, index[THREAD])
GLOBAL_LOAD_AT(global_load_gather_near, index[THREAD] % 256)

COUNTER_KERNEL_BODY(global_load_nc) {
    uint32_t value;
    asm volatile("ld.global.nc.b32 %0, [%1];" : "=r"(value) : "l"(in + 3 * THREAD));
    out[THREAD] = value ^ THREAD;
}

COUNTER_KERNEL_BODY(global_load_cg) {
    uint32_t value;
    asm volatile("ld.global.cg.b32 %0, [%1];" : "=r"(value) : "l"(in + 3 * THREAD));
    out[THREAD] = value ^ THREAD;
}

// Stores: the value is `thread` and so never the poison.
#define GLOBAL_STORE(name, width, bytes, stride, offset)                                           \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        store_##width(out_bytes(out) + THREAD * (stride) * (bytes) + (offset), THREAD % 128);      \
    }

GLOBAL_STORE(global_store_stride_1, 4, 4, 1, 0)
GLOBAL_STORE(global_store_stride_2, 4, 4, 2, 0)
GLOBAL_STORE(global_store_stride_3, 4, 4, 3, 0)
GLOBAL_STORE(global_store_stride_8, 4, 4, 8, 0)
GLOBAL_STORE(global_store_stride_32, 4, 4, 32, 0)
GLOBAL_STORE(global_store_offset_1, 4, 4, 1, 4)
GLOBAL_STORE(global_store_offset_31, 4, 4, 1, 124)
GLOBAL_STORE(global_store_width_1, 1, 1, 1, 0)
GLOBAL_STORE(global_store_width_2, 2, 2, 1, 0)
GLOBAL_STORE(global_store_width_8, 8, 8, 1, 0)
GLOBAL_STORE(global_store_width_16, 16, 16, 1, 0)
GLOBAL_STORE(global_store_width_16_offset_16, 16, 16, 1, 16)
GLOBAL_STORE(global_store_width_8_stride_2, 8, 8, 2, 0)

COUNTER_KERNEL_BODY(global_store_one_word) { store_4(out + THREAD / 32, THREAD / 32); }

COUNTER_KERNEL_BODY(global_store_scatter) { store_4(out + index[THREAD], THREAD); }

// Partial warps: the launch has 1, 7, 17, 31, 33 or 100 threads per block, the row is as long as
// the block.
#define PARTIAL_WARP(name)                                                                         \
    COUNTER_KERNEL_BODY(name) { store_4(out + THREAD, load_4(in + THREAD) ^ THREAD); }

PARTIAL_WARP(lanes_1)
PARTIAL_WARP(lanes_7)
PARTIAL_WARP(lanes_17)
PARTIAL_WARP(lanes_31)
PARTIAL_WARP(lanes_33)
PARTIAL_WARP(lanes_100)

// Load and store under a predicate, without a branch in the PTX.
#define PREDICATED(name, condition)                                                                \
    COUNTER_KERNEL_BODY(name) {                                                                    \
        uint32_t on = (condition);                                                                 \
        asm volatile("{ .reg .pred p; .reg .b32 t;\n"                                              \
                     "setp.ne.u32 p, %2, 0;\n"                                                     \
                     "@p ld.global.b32 t, [%0];\n"                                                 \
                     "@p xor.b32 t, t, %3;\n"                                                      \
                     "@p st.global.b32 [%1], t; }" ::"l"(in + THREAD),                             \
                     "l"(out + THREAD), "r"(on), "r"(THREAD)                                       \
                     : "memory");                                                                  \
    }

PREDICATED(predicate_odd_warps, threadIdx.x / 32 % 2)
// The launch has 8 blocks, so none is past block 1000; the compiler cannot know.
PREDICATED(predicate_all_off, blockIdx.x > 1000)
PREDICATED(predicate_half_lanes, LANE < 16)
PREDICATED(predicate_even_lanes, LANE % 2 == 0)
