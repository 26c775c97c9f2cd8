// A section of tensor_program.cu: what the driver says to descriptions of tensors.
#pragma once

#include "case.cuh"

static void tell(const char *what, const tensor *t, size_t shift) {
    CUtensorMap map;
    say("%s: code %d", what, (int)describe(&map, t, d_tensor + shift));
}

static tensor plain(void) {
    uint32_t dims[] = {64, 32, 8, 4, 2}, box[] = {16, 8, 4, 2, 1};
    return make(7, 3, dims, box, 0);
}

#define TELL(what, shift, change)                                                                  \
    do {                                                                                           \
        tensor t = plain();                                                                        \
        change;                                                                                    \
        tell(what, &t, shift);                                                                     \
    } while (0)

static void run_descriptions(void) {
    TELL("plain", 0, (void)0);
    TELL("rank 0", 0, t.rank = 0);
    TELL("rank 5", 0, t.rank = 5; for (int i = 3; i < 5; i++) t.dims[i] = t.box[i] = t.steps[i] = 1;
         t.strides[2] = t.strides[3] = 1 << 20);
    TELL("rank 6", 0, t.rank = 6);
    for (int type = 0; type < 17; type++) {
        char text[32];
        snprintf(text, sizeof text, "type %d", type);
        TELL(text, 0, t.type = type; t.dims[0] = 128; t.box[0] = 128; t.strides[0] = 1024;
             t.strides[1] = 65536; t.box[1] = 1);
    }
    TELL("type -1", 0, t.type = -1);
    TELL("address at 8", 8, (void)0);
    TELL("address at 16", 16, (void)0);
    TELL("dimension 0", 0, t.dims[1] = 0);
    TELL("dimension 2^32", 0, t.dims[1] = 1ull << 32);
    TELL("dimension 2^32 + 1", 0, t.dims[1] = (1ull << 32) + 1);
    TELL("stride 8", 0, t.strides[0] = 8);
    TELL("stride 16, rows overlap", 0, t.strides[0] = 16);
    TELL("stride 0", 0, t.strides[0] = 0);
    TELL("stride 264", 0, t.strides[0] = 264);
    TELL("stride 2^40", 0, t.strides[1] = 1ull << 40);
    TELL("stride 2^40 - 16", 0, t.strides[1] = (1ull << 40) - 16);
    TELL("outer stride below inner", 0, t.strides[1] = 128);
    TELL("outer stride not a multiple of inner", 0, t.strides[1] = t.strides[0] * 32 + 16);
    TELL("unused stride odd", 0, t.strides[2] = 3);
    TELL("box 0", 0, t.box[1] = 0);
    TELL("box 256", 0, t.box[1] = 256);
    TELL("box 257", 0, t.box[1] = 257);
    TELL("box above the dimension", 0, t.box[1] = 40);
    TELL("box of 256 x 256 x 256", 0, t.box[0] = t.box[1] = t.box[2] = 256);
    TELL("box of 256 x 64 words", 0, t.box[0] = 256; t.box[1] = 64; t.box[2] = 1);
    TELL("box of 256 x 128 words", 0, t.box[0] = 256; t.box[1] = 128; t.box[2] = 1);
    TELL("box of 256 x 227 words", 0, t.box[0] = 256; t.box[1] = 227; t.box[2] = 1);
    TELL("box of 256 x 228 words", 0, t.box[0] = 256; t.box[1] = 228; t.box[2] = 1);
    TELL("box of 256 x 255 words", 0, t.box[0] = 256; t.box[1] = 255; t.box[2] = 1);
    TELL("box of 256 x 256 words", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 1);
    TELL("box of 256 x 256 x 2 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 2; t.type = 0);
    TELL("box of 256 x 256 x 3 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 3; t.type = 0);
    TELL("box of 256 x 256 x 4 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 4; t.type = 0);
    TELL("box of 256 x 256 x 8 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 8; t.type = 0);
    TELL("box of 256 x 256 words, every 8th row", 0, t.box[0] = t.box[1] = 256; t.box[2] = 1;
         t.steps[1] = 8);
    TELL("inner box of 8 bytes", 0, t.box[0] = 2);
    TELL("inner box of 24 bytes", 0, t.box[0] = 6);
    TELL("element stride 0", 0, t.steps[1] = 0);
    TELL("element stride 8", 0, t.steps[1] = 8);
    TELL("element stride 9", 0, t.steps[1] = 9);
    TELL("inner element stride 0", 0, t.steps[0] = 0);
    TELL("inner element stride 2", 0, t.steps[0] = 2);
    TELL("inner element stride 9", 0, t.steps[0] = 9);
    TELL("swizzle 32, 32 bytes", 0, t.swizzle = 1; t.box[0] = 8);
    TELL("swizzle 32, 64 bytes", 0, t.swizzle = 1);
    TELL("swizzle 64, 64 bytes", 0, t.swizzle = 2);
    TELL("swizzle 64, 128 bytes", 0, t.swizzle = 2; t.box[0] = 32);
    TELL("swizzle 128, 128 bytes", 0, t.swizzle = 3; t.box[0] = 32);
    TELL("swizzle 128, 256 bytes", 0, t.swizzle = 3; t.box[0] = 64);
    for (int swizzle = 4; swizzle < 8; swizzle++) {
        char text[32];
        snprintf(text, sizeof text, "swizzle number %d", swizzle);
        TELL(text, 0, t.swizzle = swizzle);
    }
    TELL("interleave 3", 0, t.interleave = 3);
    TELL("promotion 3", 0, t.promotion = 3);
    TELL("promotion 4", 0, t.promotion = 4);
    TELL("fill 1", 0, t.fill = 1);
    TELL("fill 1 of integers", 0, t.fill = 1; t.type = 2);
    TELL("fill 2", 0, t.fill = 2);
    tensor t = plain();
    CUtensorMap map[2];
    say("no map: code %d", (int)describe(NULL, &t, d_tensor));
    say("map at 8: code %d", (int)describe((CUtensorMap *)((char *)map + 8), &t, d_tensor));
    say("no dimensions: code %d",
        (int)encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_tensor, NULL, t.strides, t.box,
                    t.steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    say("no strides of one dimension: code %d",
        (int)encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, d_tensor, t.dims, NULL, t.box, t.steps,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    say("no address: code %d", (int)describe(map, &t, NULL));
    say("host's address: code %d", (int)describe(map, &t, h_tensor));
}
