// SPDX-License-Identifier: MIT
// A problem of your own (labs/10_pruning/README.md): 2 of every 4 weights stay, and the product
// with one vector reads little more than those. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
// counts: l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum/sim__shared_ld_requests.sum
#include "../../labs/own.cuh"

enum { ROWS = 1024, COLS = 1024, GROUPS = COLS / 4, PASSES = GROUPS / 32 };
enum { WARPS = 8, THREADS = 32 * WARPS, ROWS_PER_BLOCK = 2 * WARPS };

// Lane l has the groups l, l + 32, .. of a row. An index takes 2 bits, so a group takes 4, and the
// PASSES = 8 groups of a lane take one word.
//   val   [ROWS][PASSES][32]: the two weights of a group that stay
//   index [ROWS][32]: bits 4 t .. 4 t + 3 are those of group 32 t + lane
__global__ void __launch_bounds__(THREADS)
    product(const float2 *val, const uint32_t *index, const float *x, float *y) {
    // x[4 g + i] lies at s_x[i][g]: lane l reads a word of bank l, whatever its index is.
    __shared__ float s_x[4 * GROUPS];
    for (int g = threadIdx.x; g < GROUPS; g += THREADS) {
        float4 four = ((const float4 *)x)[g];
        s_x[g] = four.x;
        s_x[GROUPS + g] = four.y;
        s_x[2 * GROUPS + g] = four.z;
        s_x[3 * GROUPS + g] = four.w;
    }
    __syncthreads();
    int lane = threadIdx.x % 32;
    for (int i = threadIdx.x / 32; i < ROWS_PER_BLOCK; i += WARPS) {
        int row = blockIdx.x * ROWS_PER_BLOCK + i;
        uint32_t bits = index[row * 32 + lane];
        float sum = 0;
#pragma unroll
        for (int t = 0; t < PASSES; t++) {
            float2 two = val[(row * PASSES + t) * 32 + lane];
            const float *own = s_x + 32 * t + lane;
            sum += two.x * own[(bits >> (4 * t) & 3) * GROUPS];
            sum += two.y * own[(bits >> (4 * t + 2) & 3) * GROUPS];
        }
        for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
        if (lane == 0) y[row] = sum;
    }
}

// The indices of the two largest magnitudes of four weights, by ascending index; of equal ones
// those with the smaller index stay.
static void two_of_four(const float *four, int *a, int *b) {
    int first = 0, second = -1;
    for (int i = 1; i < 4; i++)
        if (fabsf(four[i]) > fabsf(four[first])) first = i;
    for (int i = 0; i < 4; i++)
        if (i != first && (second < 0 || fabsf(four[i]) > fabsf(four[second]))) second = i;
    *a = first < second ? first : second;
    *b = first < second ? second : first;
}

// Packs w, whose pruned weights become 0.
static void prune(float *w, float2 *val, uint32_t *index) {
    for (int k = 0; k < ROWS * GROUPS; k++) {
        int row = k / GROUPS, g = k % GROUPS, a, b;
        float *four = w + row * COLS + 4 * g;
        two_of_four(four, &a, &b);
        val[(row * PASSES + g / 32) * 32 + g % 32] = make_float2(four[a], four[b]);
        index[row * 32 + g % 32] |= (uint32_t)(a | b << 2) << (4 * (g / 32));
        for (int i = 0; i < 4; i++)
            if (i != a && i != b) four[i] = 0;
    }
}

static int wrong_rows(const float *w, const float *x, const float *y) {
    int wrong = 0;
    for (int row = 0; row < ROWS; row++) {
        double sum = 0, magnitudes = 0;
        for (int c = 0; c < COLS; c++) {
            sum += (double)w[row * COLS + c] * x[c];
            magnitudes += fabs((double)w[row * COLS + c] * x[c]);
        }
        wrong += !(fabs(y[row] - sum) <= 1e-6 * magnitudes); // 21 roundings of a lane's sum
    }
    return wrong;
}

int main(void) {
    static float w[ROWS * COLS], x[COLS], y[ROWS];
    static float2 val[ROWS * GROUPS];
    static uint32_t index[ROWS * 32];
    uint32_t state = 10;
    for (int i = 0; i < ROWS * COLS + COLS; i++) {
        state = state * 1664525u + 1013904223u;
        *(i < COLS ? &x[i] : &w[i - COLS]) = (float)(state >> 8) / 8388608.0f - 1;
    }
    prune(w, val, index);
    float2 *d_val = NULL;
    uint32_t *d_index = NULL;
    float *d_x = NULL, *d_y = NULL;
    must(cudaMalloc(&d_val, sizeof val), "allocating values");
    must(cudaMalloc(&d_index, sizeof index), "allocating indices");
    must(cudaMalloc(&d_x, sizeof x), "allocating x");
    must(cudaMalloc(&d_y, sizeof y), "allocating y");
    must(cudaMemcpy(d_val, val, sizeof val, cudaMemcpyHostToDevice), "copying values");
    must(cudaMemcpy(d_index, index, sizeof index, cudaMemcpyHostToDevice), "copying indices");
    must(cudaMemcpy(d_x, x, sizeof x, cudaMemcpyHostToDevice), "copying x");
    product<<<ROWS / ROWS_PER_BLOCK, THREADS>>>(d_val, d_index, d_x, d_y);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost), "copying y");
    must(cudaDeviceReset(), "freeing the memory");
    int wrong = wrong_rows(w, x, y);
    printf("%d of %d rows are wrong\n", wrong, ROWS);
    return wrong != 0;
}
