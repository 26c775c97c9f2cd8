// SPDX-License-Identifier: MIT
// A problem of your own (labs/00_first_kernel/README.md): each pixel becomes the mean of the 3 x 3
// pixels around it; pixels outside the image are 0. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
#include "../../labs/own.cuh"

enum { COLUMNS = 1000, ROWS = 700, PIXELS = COLUMNS * ROWS };
enum { TILE_X = 32, TILE_Y = 8, HALO_X = TILE_X + 2, HALO_Y = TILE_Y + 2, WORDS = HALO_X * HALO_Y };

// in, out: [ROWS][COLUMNS] row-major, in device memory.
__global__ void blur(const float *in, float *out) {
    __shared__ float tile[WORDS]; // the block's pixels and a border of one pixel: [HALO_Y][HALO_X]
    int thread = threadIdx.y * TILE_X + threadIdx.x;
    // The tile has more words than the block has threads: a loop over the tile, as step 3 does it
    // over an array. Five separate loads for the inner pixels and the four borders would be more
    // requests, each for fewer lanes.
    for (int w = thread; w < WORDS; w += TILE_X * TILE_Y) {
        int row = (int)blockIdx.y * TILE_Y + w / HALO_X - 1;
        int column = (int)blockIdx.x * TILE_X + w % HALO_X - 1;
        bool inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
        tile[w] = inside ? in[row * COLUMNS + column] : 0.0f;
    }
    __syncthreads();
    int row = blockIdx.y * TILE_Y + threadIdx.y, column = blockIdx.x * TILE_X + threadIdx.x;
    if (row >= ROWS || column >= COLUMNS) return; // only now: every thread has reached the barrier
    float sum = 0.0f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++) sum += tile[(threadIdx.y + dy) * HALO_X + threadIdx.x + dx];
    out[row * COLUMNS + column] = sum / 9;
}

static float pixel(const float *in, int row, int column) {
    bool inside = row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
    return inside ? in[row * COLUMNS + column] : 0.0f;
}

// The number of pixels that differ from the mean in double precision by more than its roundings.
static int wrong_pixels(const float *in, const float *out) {
    int wrong = 0;
    for (int i = 0; i < PIXELS; i++) {
        double sum = 0;
        for (int k = 0; k < 9; k++)
            sum += pixel(in, i / COLUMNS + k / 3 - 1, i % COLUMNS + k % 3 - 1);
        wrong += !(fabs(out[i] - sum / 9) <= 1e-6); // pixels below 1, ten roundings
    }
    return wrong;
}

int main(void) {
    static float h_in[PIXELS], h_out[PIXELS];
    float *d_in = NULL, *d_out = NULL;
    for (int i = 0; i < PIXELS; i++) h_in[i] = (float)(i * 31LL % 251) / 251;
    must(cudaMalloc(&d_in, sizeof h_in), "allocating the image");
    must(cudaMalloc(&d_out, sizeof h_out), "allocating the result");
    must(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice), "copying the image");
    dim3 grid((COLUMNS + TILE_X - 1) / TILE_X, (ROWS + TILE_Y - 1) / TILE_Y), block(TILE_X, TILE_Y);
    blur<<<grid, block>>>(d_in, d_out);
    must(cudaGetLastError(), "launching");
    must(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost), "copying the result");
    must(cudaFree(d_in), "freeing the image");
    must(cudaFree(d_out), "freeing the result");
    int wrong = wrong_pixels(h_in, h_out);
    printf("%d of %d pixels are wrong\n", wrong, PIXELS);
    return wrong != 0;
}
