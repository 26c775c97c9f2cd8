// Sections of tensor_program.cu: boxes that are loaded, stored and reduced, by type, shape,
// swizzle, stride and address of the map, and within a cluster.
#pragma once

#include "case.cuh"

// ---- Cases --------------------------------------------------------------------------------------

// Somewhere around the tensor, where rows begin at multiples of 16 bytes.
static void move_box(tensor *t) {
    uint32_t unit = types[t->type].bytes < 16 ? 16 / types[t->type].bytes : 1;
    for (uint32_t i = 0; i < t->rank; i++) {
        int span = (int)(t->dims[i] + 2 * t->box[i]);
        t->at[i] = (int)(random_bits() % (uint32_t)span) - (int)t->box[i];
        if (i == 0) t->at[0] = t->at[0] / (int)unit * (int)unit;
    }
}

static void run_types(void) {
    for (int type = 0; type < (int)TYPES; type++) {
        uint32_t unit = 16 / types[type].bytes;
        uint32_t dims[] = {5 * unit + 1, 9}, box[] = {2 * unit, 4};
        fill_tensor(type, false);
        for (int fill_nan = 0; fill_nan < 2; fill_nan++) {
            tensor t = make(type, 2, dims, box, 16);
            t.fill = fill_nan;
            run_load(&t, false);
            t.at[0] = 4 * (int)unit;
            t.at[1] = 7;
            run_load(&t, fill_nan);
            t.at[0] = -(int)unit;
            t.at[1] = -2;
            run_load(&t, false);
        }
    }
}

static void run_shapes(void) {
    for (uint32_t rank = 1; rank <= AXES; rank++)
        for (int round = 0; round < 6; round++) {
            uint32_t dims[] = {13, 7, 5, 4, 3}, box[] = {8, 3, 2, 3, 2};
            for (uint32_t i = 0; i < rank; i++)
                box[i] = i ? 1 + random_bits() % 4 : 4 + 4 * (random_bits() % 3);
            tensor t = make(2, rank, dims, box, 16 * (round % 2));
            fill_tensor(2, false);
            for (uint32_t i = 1; i < rank && round > 2; i++) t.steps[i] = 1 + random_bits() % 3;
            move_box(&t);
            run_load(&t, false);
            if (round % 2) run_send(&t, STORE, false);
        }
}

static void run_swizzles(void) {
    for (int swizzle = 1; swizzle <= 3; swizzle++)
        for (uint32_t inner = 16; inner <= 16u << swizzle; inner += 16)
            for (int type = 0; type <= 6; type += 2) {
                uint32_t dims[] = {256 / types[type].bytes, 40};
                uint32_t box[] = {inner / types[type].bytes, 24 + inner / 16 % 3};
                tensor t = make(type, 2, dims, box, 0);
                t.swizzle = swizzle;
                t.at[0] = 16 / (int)types[type].bytes;
                t.at[1] = 2;
                fill_tensor(type, false);
                if (type == 2 || inner == 32) run_load(&t, false);
                if (type == 2) run_send(&t, STORE, false);
            }
}

static void run_strides(void) {
    for (uint32_t step = 1; step <= 8; step++)
        for (uint32_t rows = 5; rows <= 16; rows += 11) {
            uint32_t dims[] = {24, 60}, box[] = {8, rows};
            tensor t = make(2, 2, dims, box, 0);
            t.steps[0] = step % 3 ? 1 : 2; // ignored
            t.steps[1] = step;
            t.at[0] = 4;
            t.at[1] = step % 2 ? -3 : 50;
            fill_tensor(2, false);
            run_load(&t, false);
            run_send(&t, STORE, false);
        }
}

// The types of elements for which each reduction exists, as far as a card has shown. And .or, .xor
// are tried without a map.
static const int reduced[][12] = {
    {-1},                      // a store
    {2, 3, 4, 6, 7, 8, 9, -1}, // add
    {2, 3, 4, 5, 6, 9, -1},    // min
    {2, 3, 4, 5, 6, 9, -1},    // max
    {2, -1},
    {2, -1},
    {2, 3, 4, -1},
    {-1},
    {-1}, // inc, dec, and, or, xor
};

static void run_reductions(void) {
    for (int operation = ADD; operation <= XOR; operation++)
        for (int i = 0; reduced[operation][i] >= 0; i++) {
            int type = reduced[operation][i];
            uint32_t unit = 16 / types[type].bytes;
            uint32_t dims[] = {6 * unit, 12}, box[] = {4 * unit, 8};
            tensor t = make(type, 2, dims, box, 16);
            t.at[0] = 3 * (int)unit;
            t.at[1] = -1;
            bool is_float = type >= 6;
            run_send(&t, operation, is_float);
            if (is_float) run_send(&t, operation, false);
        }
}

// What conversions the float types make, if any.
static void run_conversions(void) {
    static const uint32_t words[] = {0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800FFF,
                                     0x3F801000, 0x3F801001, 0x3F802FFF, 0x3F803000, 0x3F803001,
                                     0xBF801000, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00001,
                                     0x7F800001, 0xFFFFFFFF, 0x3F80F000, 0x3F80EFFF, 0x00001000,
                                     0x00003000, 0x80800FFF, 0x00000FFF, 0x40490FDB};
    static const int list[] = {7, 10, 11, 12};
    for (int type : list) {
        uint32_t dims[] = {8, 3}, box[] = {8, 3};
        tensor t = make(type, 2, dims, box, 0);
        CHECK(cudaMemcpy(d_tensor, words, sizeof words, cudaMemcpyHostToDevice));
        run_load(&t, true);
        CHECK(cudaMemset(d_tensor, 0, sizeof words));
        CUtensorMap map;
        if (describe(&map, &t, d_tensor)) continue;
        CHECK(cudaMemcpy(d_out, words, sizeof words, cudaMemcpyHostToDevice));
        sends[1]<<<1, THREADS, 1024>>>(d_out, map, coordinates_of(&t), sizeof words, STORE);
        CHECK(cudaMemcpy(h_out, d_tensor, sizeof words, cudaMemcpyDeviceToHost));
        say("stored as %s: %08x, %s", types[type].name, hash_of(h_out, sizeof words),
            memcmp(h_out, words, sizeof words) ? "changed" : "the same");
        if (memcmp(h_out, words, sizeof words)) say_words(h_out, sizeof words);
    }
}

static void run_maps_elsewhere(void) {
    uint32_t dims[] = {20, 10}, box[] = {8, 4};
    tensor t = make(2, 2, dims, box, 0);
    CUtensorMap map, *d_map;
    fill_tensor(2, false);
    if (describe(&map, &t, d_tensor)) return;
    CHECK(cudaMalloc(&d_map, 4 * sizeof map));
    CHECK(cudaMemcpy(d_map + 1, &map, sizeof map, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    load_by_constant<<<1, THREADS, 1024>>>(d_out, coordinates_of(&t), box_bytes(&t), 1024);
    CHECK(cudaMemcpy(h_out, d_out, 1024, cudaMemcpyDeviceToHost));
    say("map in constant memory: %08x", hash_of(h_out, 1024));
    load_by_pointer<<<1, THREADS, 1024>>>(d_out, d_map + 1, coordinates_of(&t), box_bytes(&t),
                                          1024);
    CHECK(cudaMemcpy(h_out, d_out, 1024, cudaMemcpyDeviceToHost));
    say("map in global memory: %08x", hash_of(h_out, 1024));
    say("another address: code %d", (int)replace(&map, d_tensor + 16));
    loads[1]<<<1, THREADS, 1024>>>(d_out, map, coordinates_of(&t), box_bytes(&t), 1024, 128);
    CHECK(cudaMemcpy(h_out, d_out, 1024, cudaMemcpyDeviceToHost));
    say("moved map: %08x", hash_of(h_out, 1024));
    say("misaligned address: code %d", (int)replace(&map, d_tensor + 8));
    cudaFree(d_map);
}

// ---- Clusters -----------------------------------------------------------------------------------

// Block 1 loads for both. Then each adds what it has to a tile of the other's, whose barrier counts
// the bytes.
__global__ void __cluster_dims__(2, 1, 1)
    cluster_kernel(uint8_t *out, const __grid_constant__ CUtensorMap map, uint32_t bytes) {
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ uint64_t full, sent, ready;
    uint32_t rank = blockIdx.x % 2, remote_tile, remote_sent, remote_ready;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&sent, 1);
        init(&ready, 1);
        expect(&full, bytes);
        expect(&sent, bytes);
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0 && rank == 1)
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
            ".multicast::cluster [%0], [%1, {%3, %4}], [%2], %5;" ::"r"(shared_of(tile)),
            "l"(&map), "r"(shared_of(&full)), "r"(4), "r"(1), "h"((uint16_t)3)
            : "memory");
    wait(&full, 0);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote_tile)
                 : "r"(shared_of(tile + 1024)), "r"(1 - rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote_sent)
                 : "r"(shared_of(&sent)), "r"(1 - rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
                 : "=r"(remote_ready)
                 : "r"(shared_of(&ready)), "r"(1 - rank));
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < bytes; i++) tile[1024 + i] = 7;
        tile[3] = (uint8_t)(10 * rank);
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile(
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote_ready)
            : "memory");
        asm volatile(
            "{.reg .pred p;\nAGAIN: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
            "p, [%0], 0;\n@!p bra AGAIN;\n}" ::"r"(shared_of(&ready))
            : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                     ".add.u32 [%0], [%1], %2, [%3];" ::"r"(remote_tile),
                     "r"(shared_of(tile)), "r"(bytes), "r"(remote_sent)
                     : "memory");
    }
    wait(&sent, 0);
    for (uint32_t i = threadIdx.x; i < bytes; i += THREADS) {
        out[2 * bytes * blockIdx.x + i] = tile[i];
        out[2 * bytes * blockIdx.x + bytes + i] = tile[1024 + i];
    }
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

static void run_cluster(void) {
    uint32_t dims[] = {20, 10}, box[] = {8, 4};
    tensor t = make(2, 2, dims, box, 0);
    CUtensorMap map;
    fill_tensor(2, false);
    if (describe(&map, &t, d_tensor)) return;
    uint32_t bytes = box_bytes(&t);
    cluster_kernel<<<4, THREADS, 2048>>>(d_out, map, bytes);
    CHECK(cudaMemcpy(h_out, d_out, 8 * bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 4; i++)
        say("block %d of clusters: %08x %08x", i, hash_of(h_out + 2 * i * bytes, bytes),
            hash_of(h_out + (2 * i + 1) * bytes, bytes));
}
