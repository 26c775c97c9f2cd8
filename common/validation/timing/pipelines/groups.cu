// Micro-benchmarks of warp groups that share an SM's tensor cores, with the functions of lab 14:
// when a group's products are taken, alone and beside another group's, and how long the softmax of
// 64 rows and 128 keys takes alone, beside another one, and beside products. CSV after a line that
// names the card: name,value,unit, in cycles of one block.
#include <stdio.h>

#include "../../check.h"
#include "boxes.cuh"

enum { KEYS = 128, PRODUCTS = 16, TIMES = 16, MOST = 400 };
enum other { NOTHING, SOFTMAX, FROM_SHARED, FROM_REGISTERS };
typedef struct tiles {
    tile<128, GROUP_ROWS> q;
    tile<128, KEYS> k[2];
} tiles;

static __device__ inline unsigned now(void) {
    unsigned cycle;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycle)::"memory");
    return cycle;
}

static __device__ inline tiles *clear(unsigned char *memory) {
    for (int i = threadIdx.x; i < (int)sizeof(tiles) / 4; i += blockDim.x)
        ((unsigned *)memory)[i] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    return (tiles *)memory;
}

// Group g issues its products `delay` g cycles after the first; out: [2][PRODUCTS + 1] when each
// was taken, and when all were done. The first rounds fetch the code.
__global__ void __launch_bounds__(2 * GROUP, 1) taken(int groups, int delay, unsigned *out) {
    extern __shared__ __align__(1024) unsigned char memory[];
    tiles *s = clear(memory);
    const int group = threadIdx.x / GROUP;
    float x[KEYS / 2] = {};
    unsigned at[PRODUCTS + 1];
    for (int round = 0; round < 3; round++) {
        __syncthreads();
        const unsigned begin = now();
        while (now() - begin < (unsigned)(group * delay)) {}
        if (group >= groups) continue;
        hold(x);
        begin_products();
#pragma unroll
        for (int p = 0; p < PRODUCTS; p++) {
            multiply_tiles<KEYS>(x, name_rows(s->q.box[p / 4 % 2]) + p % 4 * 2,
                                 name_rows(s->k[p / 8].box[p / 4 % 2]) + p % 4 * 2, p > 0);
            at[p] = now();
        }
        end_products();
        wait_products<0>(x);
        at[PRODUCTS] = now();
        if (threadIdx.x % GROUP == 0)
            for (int i = 0; i <= PRODUCTS; i++) out[group * (PRODUCTS + 1) + i] = at[i] - begin;
    }
    float sum = 0;
    for (int i = 0; i < KEYS / 2; i++) sum += x[i];
    if (sum != 0) out[0] = 0; // it is; what is computed must be used
}

// Group 0 has the softmax TIMES times. out: [2] cycles of each group for one.
template <int other> __global__ void __launch_bounds__(2 * GROUP, 1) softmax(unsigned *out) {
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ volatile int done;
    tiles *s = clear(memory);
    const int group = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
    float x[KEYS / 2], o[KEYS / 2];
    unsigned p[KEYS / 4] = {};
    rows r = no_rows();
    for (int i = 0; i < KEYS / 2; i++) x[i] = o[i] = (float)(i + lane);
    if (threadIdx.x == 0) done = 0;
    __syncthreads();
    const unsigned begin = now();
    int times = 0;
    if (group == 0 || other == SOFTMAX) {
        for (; times < TIMES; times++) {
            hold(x);
            hold(o);
            add_scores<KEYS, KEYS>(x, &r);
            to_halves<KEYS>(p, x);
            rescale(o, &r);
            hold(p);
        }
        if (group == 0) done = 1;
    } else if (other != NOTHING) {
        for (; times < MOST && !done; times++) {
            hold(o);
            hold(p);
            begin_products();
#pragma unroll
            for (int q = 0; q < PRODUCTS / 2; q++)
                if constexpr (other == FROM_SHARED)
                    multiply_tiles<KEYS>(o, name_rows(s->q.box[q / 4]) + q % 4 * 2,
                                         name_rows(s->k[0].box[q / 4]) + q % 4 * 2, true);
                else multiply_words<KEYS>(o, &p[4 * q], name_depth_rows(&s->k[0]) + q * 128, true);
            end_products();
            wait_products<0>(o);
        }
    }
    if (lane == 0 && times) out[group] = (now() - begin) / (unsigned)times;
    float sum = r.sum[0] + r.most[1];
    for (int i = 0; i < KEYS / 2; i++) sum += x[i] + o[i] + (float)p[i / 2];
    if (sum == 12345) out[0] = 0;
}

static void print_taken(const char *name, int groups, int delay, unsigned *d_out) {
    unsigned out[2 * (PRODUCTS + 1)];
    taken<<<1, 2 * GROUP, sizeof(tiles)>>>(groups, delay, d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int g = 0; g < groups; g++) {
        for (int i = 0; i < PRODUCTS; i++)
            printf("%s_group_%d_product_%d,%u,cycles\n", name, g, i + 1,
                   out[g * (PRODUCTS + 1) + i]);
        printf("%s_group_%d_done,%u,cycles\n", name, g, out[g * (PRODUCTS + 1) + PRODUCTS]);
    }
}

template <int other> static void print_softmax(const char *name, unsigned *d_out) {
    unsigned out[2];
    CHECK(cudaFuncSetAttribute(softmax<other>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               sizeof(tiles)));
    for (int i = 0; i < 2; i++) softmax<other><<<1, 2 * GROUP, sizeof(tiles)>>>(d_out);
    CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    printf("softmax_64_rows_128_keys_%s,%u,cycles\n", name, out[0]);
    if (other >= FROM_SHARED) printf("8_products_beside_softmax_%s,%u,cycles\n", name, out[1]);
}

int main(void) {
    unsigned *d_out;
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    printf("# %s\nname,value,unit\n", device.name);
    CHECK(cudaMalloc(&d_out, 2 * (PRODUCTS + 1) * sizeof *d_out));
    CHECK(cudaFuncSetAttribute(taken, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(tiles)));
    print_taken("taken_alone", 1, 0, d_out);
    print_taken("taken_together", 2, 0, d_out);
    print_taken("taken_500_later", 2, 500, d_out);
    print_softmax<NOTHING>("alone", d_out);
    print_softmax<SOFTMAX>("2_groups", d_out);
    print_softmax<FROM_SHARED>("products", d_out);
    print_softmax<FROM_REGISTERS>("products_of_registers", d_out);
    return 0;
}
