// Instructions that few programs have: atomics on 128 bits, a stack that grows at run time,
// clusters of one block, stores that complete an mbarrier, video instructions.
// since: 12.4
#include <cooperative_groups.h>
#include <cstdint>
#include <cstring>

#include "../check.h"

enum { THREADS = 64 };

// ---- 128 bits at once ----

// Each thread adds 1 to both halves in one step; a torn update would part them.
__global__ void add_to_both(ulonglong2 *pair) {
    ulonglong2 seen = {0, 0}, found;
    for (;;) {
        asm volatile("{ .reg .b128 want, next, old;\n"
                     " mov.b128 want, {%2, %3};\n mov.b128 next, {%4, %5};\n"
                     " atom.global.cas.b128 old, [%6], want, next;\n mov.b128 {%0, %1}, old; }"
                     : "=l"(found.x), "=l"(found.y)
                     : "l"(seen.x), "l"(seen.y), "l"(seen.x + 1), "l"(seen.y + 1), "l"(pair)
                     : "memory");
        if (found.x == seen.x && found.y == seen.y) return;
        seen = found;
    }
}

__global__ void exchange(ulonglong2 *pair, ulonglong2 *out) {
    asm volatile("{ .reg .b128 next, old;\n mov.b128 next, {%2, %3};\n"
                 " atom.global.exch.b128 old, [%4], next;\n mov.b128 {%0, %1}, old; }"
                 : "=l"(out->x), "=l"(out->y)
                 : "l"(7ull), "l"(8ull), "l"(pair)
                 : "memory");
}

static void check_wide_atomics() {
    ulonglong2 *pair;
    CUDA_CHECK(cudaMallocManaged(&pair, 2 * sizeof *pair));
    memset(pair, 0, 2 * sizeof *pair);
    add_to_both<<<4, THREADS>>>(pair);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(pair[0].x == 4 * THREADS && pair[0].y == 4 * THREADS);
    exchange<<<1, 1>>>(pair, pair + 1);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(pair[0].x == 7 && pair[0].y == 8);
    EXPECT(pair[1].x == 4 * THREADS && pair[1].y == 4 * THREADS);
    CUDA_CHECK(cudaFree(pair));
}

// ---- alloca ----

__device__ __noinline__ int sum_of(const int *values, int count) {
    int own[4] = {1, 1, 1, 1}, sum = 0;
    for (int i = 0; i < count; i++) sum += values[i] * own[i & 3];
    return sum;
}

// Threads take different amounts, again and again, and call a function that has a stack of its own.
__global__ void grow(int *out) {
    int count = 1 + threadIdx.x % 7, total = 0;
    for (int round = 0; round < 3; round++) {
        int *values = (int *)alloca(count * sizeof *values);
        for (int i = 0; i < count; i++) values[i] = (int)threadIdx.x + i * round;
        total += sum_of(values, count);
    }
    out[threadIdx.x] = total;
}

static void check_alloca() {
    int *out;
    CUDA_CHECK(cudaMallocManaged(&out, THREADS * sizeof *out));
    grow<<<1, THREADS>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int t = 0; t < THREADS; t++) {
        int count = 1 + t % 7, total = 0;
        for (int round = 0; round < 3; round++)
            for (int i = 0; i < count; i++) total += t + i * round;
        EXPECT(out[t] == total);
    }
    CUDA_CHECK(cudaFree(out));
}

// Space that is given back can be taken again: without that the stack would overflow.
__global__ void save_and_restore(int *out) {
    unsigned long long first, second;
#pragma unroll 1
    for (int i = 0; i < 10000; i++)
        asm volatile("{ .reg .b64 s; stacksave.u64 s; alloca.u64 %0, 256, 16; alloca.u64 %1, 64;\n"
                     " st.local.u32 [%1], %2; stackrestore.u64 s; }"
                     : "=l"(first), "=l"(second)
                     : "r"(i));
    out[0] = second - first >= 256;
}

static void check_stack() {
    int *out;
    CUDA_CHECK(cudaMallocManaged(&out, sizeof *out));
    save_and_restore<<<1, 32>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 1);
    CUDA_CHECK(cudaFree(out));
}

// ---- A cluster of one block ----

__global__ void cluster(unsigned *out) {
    namespace cg = cooperative_groups;
    __shared__ unsigned value;
    __shared__ alignas(16) uint4 stored;
    __shared__ alignas(8) unsigned long long barrier;
    auto group = cg::this_cluster();
    unsigned at = (unsigned)__cvta_generic_to_shared(&value), ready = 0;
    unsigned to = (unsigned)__cvta_generic_to_shared(&stored);
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
    if (threadIdx.x == 0) {
        value = 40;
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    }
    group.sync();
    unsigned *mapped = group.map_shared_rank(&value, 0);
    if (threadIdx.x == 0) {
        *mapped += 1;
        asm volatile("{ .reg .b64 s;\n"
                     " mbarrier.arrive.expect_tx.shared.b64 s, [%0], 20;\n"
                     " red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes"
                     ".add.u32 [%1], 1, [%0];\n"
                     " st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.u32"
                     " [%2], {1, 2, 3, 4}, [%0]; }" ::"r"(bar),
                     "r"(at), "r"(to)
                     : "memory");
    }
    while (!ready)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;\n"
                     " selp.u32 %0, 1, 0, p; }"
                     : "=r"(ready)
                     : "r"(bar)
                     : "memory");
    if (threadIdx.x != 0) return;
    unsigned rank;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(at));
    out[0] = value;
    out[1] = stored.x + 10 * stored.y + 100 * stored.z + 1000 * stored.w;
    out[2] = rank + group.num_blocks() * 10 + group.query_shared_rank(&value);
}

static void check_cluster() {
    unsigned *out;
    CUDA_CHECK(cudaMallocManaged(&out, 3 * sizeof *out));
    cluster<<<1, 32>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 42 && out[1] == 4321 && out[2] == 10);
    CUDA_CHECK(cudaFree(out));
}

// ---- Video instructions ----

__global__ void video(const unsigned *in, unsigned *out) {
    unsigned a = in[0], b = in[1], r;
    out[0] = __vabsdiffu4(a, b);
    out[1] = __vsadu4(a, b);
    out[2] = __vadd2(a, b);
    out[3] = __vmaxs2(a, b);
    asm("vadd.s32.u32.s32.sat %0.h1, %1.b3, %2.h0, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0x1234u));
    out[4] = r;
    asm("vmad.s32.s32.s32.shr7 %0, -%1.h0, %2.h1, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(1280u));
    out[5] = r;
}

static void check_video() {
    unsigned *cells;
    CUDA_CHECK(cudaMallocManaged(&cells, 8 * sizeof *cells));
    cells[0] = 0x80FF0102u, cells[1] = 0x7F01FF02u;
    video<<<1, 1>>>(cells, cells + 2);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(cells[2] == 0x01FEFE00u);
    EXPECT(cells[3] == 0x01 + 0xFE + 0xFE);
    EXPECT(cells[4] == 0x00000004u); // 0x80FF + 0x7F01, 0x0102 + 0xFF02
    EXPECT(cells[5] == 0x7F010102u); // signed halves
    EXPECT(cells[6] == ((unsigned)(0x80 + (short)0xFF02) << 16 | 0x1234)); // 0x80 - 254
    EXPECT(cells[7] == (unsigned)((-(int)0x0102 * (int)0x7F01 + 1280) >> 7));
    CUDA_CHECK(cudaFree(cells));
}

int main() {
    check_wide_atomics();
    check_alloca();
    check_stack();
    check_cluster();
    check_video();
    printf("ok\n");
    return 0;
}
