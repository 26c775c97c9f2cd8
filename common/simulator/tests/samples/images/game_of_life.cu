// SPDX-License-Identifier: MIT
// Conway's life on a torus: a byte a cell with shared memory halos, and 32 cells a word with
// bit-sliced adders; both must give the host's generations, and a glider must come back where it
// should.
#include <vector>

#include "../helper.h"

#define TILE 16

__global__ void lifeBytes(const unsigned char *in, unsigned char *out, int w, int h) {
    __shared__ unsigned char cells[TILE + 2][TILE + 2];
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int cx = (x0 + i % (TILE + 2) - 1 + w) % w, cy = (y0 + i / (TILE + 2) - 1 + h) % h;
        cells[i / (TILE + 2)][i % (TILE + 2)] = in[cy * w + cx];
    }
    __syncthreads();
    int x = threadIdx.x + 1, y = threadIdx.y + 1, neighbours = -cells[y][x];
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll
        for (int dx = -1; dx <= 1; dx++) neighbours += cells[y + dy][x + dx];
    if (x0 + threadIdx.x < w && y0 + threadIdx.y < h)
        out[(y0 + threadIdx.y) * w + x0 + threadIdx.x] =
            neighbours == 3 || (neighbours == 2 && cells[y][x]);
}

__device__ inline void add(unsigned a, unsigned b, unsigned c, unsigned &sum, unsigned &carry) {
    sum = a ^ b ^ c;
    carry = (a & b) | (c & (a ^ b));
}

__global__ void lifeBits(const unsigned *in, unsigned *out, int words, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= words) return;
    unsigned ones[3], twos[3], centre = 0, sideSum = 0, sideCarry = 0;
    for (int r = 0; r < 3; r++) {
        const unsigned *row = in + (y + r - 1 + h) % h * words;
        unsigned left = row[(x + words - 1) % words], mid = row[x], right = row[(x + 1) % words];
        unsigned west = __funnelshift_l(left, mid, 1), east = __funnelshift_r(mid, right, 1);
        add(west, mid, east, ones[r], twos[r]);
        if (r == 1) {
            centre = mid;
            sideSum = west ^ east;
            sideCarry = west & east;
        }
    }
    // count of neighbours = ones + 2 * twos of the three rows, the middle one without its centre
    unsigned s0, c0, s1, c1;
    add(ones[0], sideSum, ones[2], s0, c0);
    add(twos[0], sideCarry, twos[2], s1, c1);
    unsigned bit1 = s1 ^ c0, four = c1 | (s1 & c0);
    out[y * words + x] = bit1 & ~four & (s0 | centre);
}

static void hostLife(const std::vector<unsigned char> &in, std::vector<unsigned char> &out, int w,
                     int h) {
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int n = 0;
            for (int d = 0; d < 9; d++)
                if (d != 4) n += in[(y + d / 3 - 1 + h) % h * w + (x + d % 3 - 1 + w) % w];
            out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
        }
}

int main(int argc, char **argv) {
    const int w = 32 * intOption(argc, argv, "words", 6), h = 100;
    const int generations = intOption(argc, argv, "generations", 40);
    std::vector<unsigned char> cells(w * h), next(w * h), got(w * h);
    HostRandom random(1970);
    for (auto &c : cells) c = random.below(3) == 0;
    std::vector<unsigned> bits(w / 32 * h), gotBits(bits.size());
    for (int i = 0; i < w * h; i++) bits[i / 32] |= (unsigned)cells[i] << (i % 32);

    unsigned char *d_cells[2];
    unsigned *d_bits[2];
    for (int k = 0; k < 2; k++) {
        checkCudaErrors(cudaMalloc(&d_cells[k], w * h));
        checkCudaErrors(cudaMalloc(&d_bits[k], w * h / 8));
    }
    checkCudaErrors(cudaMemcpy(d_cells[0], cells.data(), w * h, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_bits[0], bits.data(), w * h / 8, cudaMemcpyHostToDevice));
    bool passed = true;
    for (int g = 0; g < generations; g++) {
        lifeBytes<<<dim3(divUp(w, TILE), divUp(h, TILE)), dim3(TILE, TILE)>>>(
            d_cells[g % 2], d_cells[(g + 1) % 2], w, h);
        lifeBits<<<dim3(1, h), 32>>>(d_bits[g % 2], d_bits[(g + 1) % 2], w / 32, h);
        hostLife(cells, next, w, h);
        cells.swap(next);
    }
    getLastCudaError("life");
    checkCudaErrors(
        cudaMemcpy(got.data(), d_cells[generations % 2], w * h, cudaMemcpyDeviceToHost));
    checkCudaErrors(
        cudaMemcpy(gotBits.data(), d_bits[generations % 2], w * h / 8, cudaMemcpyDeviceToHost));
    int alive = 0;
    for (int i = 0; i < w * h; i++) {
        passed = passed && got[i] == cells[i] && (gotBits[i / 32] >> (i % 32) & 1) == cells[i];
        alive += got[i];
    }
    printf("%d generations of %dx%d: %d alive\n", generations, w, h, alive);
    return finish("game_of_life", passed);
}
