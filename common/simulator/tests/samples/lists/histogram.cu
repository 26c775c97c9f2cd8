// SPDX-License-Identifier: MIT
// Histograms of bytes: 64 bins with one byte counter a thread and bin, 256 bins with one table a
// warp and shared atomics, and plain global atomics; each against the host.
#include <vector>

#include "../helper.h"

typedef unsigned int uint;
typedef unsigned char uchar;

#define HISTOGRAM64_BIN_COUNT  64
#define HISTOGRAM64_BLOCK      64
#define HISTOGRAM256_BIN_COUNT 256
#define WARP_COUNT             6
#define HISTOGRAM256_BLOCK     (WARP_COUNT * 32)

// A byte counter must not pass 255: the grid is large enough that no thread sees more values.
__device__ inline void addByte(uchar *s_ThreadBase, uint data) {
    s_ThreadBase[data * HISTOGRAM64_BLOCK]++;
}

__global__ void histogram64Kernel(uint *d_Partial, const uint4 *d_Data, uint dataCount) {
    __shared__ uchar s_Hist[HISTOGRAM64_BLOCK * HISTOGRAM64_BIN_COUNT];
    // Neighbouring threads' bytes lie in different banks.
    const uint threadPos =
        ((threadIdx.x & ~63) >> 0) | ((threadIdx.x & 15) << 2) | ((threadIdx.x & 48) >> 4);
    for (int i = 0; i < HISTOGRAM64_BIN_COUNT / 4; i++)
        ((uint *)s_Hist)[threadIdx.x + i * HISTOGRAM64_BLOCK] = 0;
    __syncthreads();
    uchar *s_ThreadBase = s_Hist + threadPos;
    for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount;
         pos += gridDim.x * blockDim.x) {
        uint4 data = d_Data[pos];
        uint words[4] = {data.x, data.y, data.z, data.w};
#pragma unroll
        for (int w = 0; w < 4; w++)
#pragma unroll
            for (int b = 0; b < 4; b++) addByte(s_ThreadBase, (words[w] >> (8 * b + 2)) & 0x3FU);
    }
    __syncthreads();
    if (threadIdx.x < HISTOGRAM64_BIN_COUNT) {
        uchar *s_HistBase = s_Hist + threadIdx.x * HISTOGRAM64_BLOCK;
        uint sum = 0, pos = 4 * (threadIdx.x & 15);
        for (uint i = 0; i < HISTOGRAM64_BLOCK / 4; i++) {
            sum += s_HistBase[pos + 0] + s_HistBase[pos + 1] + s_HistBase[pos + 2] +
                   s_HistBase[pos + 3];
            pos = (pos + 4) & (HISTOGRAM64_BLOCK - 1);
        }
        d_Partial[blockIdx.x * HISTOGRAM64_BIN_COUNT + threadIdx.x] = sum;
    }
}

__global__ void histogram256Kernel(uint *d_Partial, const uint *d_Data, uint dataCount) {
    __shared__ uint s_Hist[WARP_COUNT * HISTOGRAM256_BIN_COUNT];
    uint *s_WarpHist = s_Hist + (threadIdx.x >> 5) * HISTOGRAM256_BIN_COUNT;
    for (uint i = threadIdx.x; i < WARP_COUNT * HISTOGRAM256_BIN_COUNT; i += HISTOGRAM256_BLOCK)
        s_Hist[i] = 0;
    __syncthreads();
    for (uint pos = blockIdx.x * blockDim.x + threadIdx.x; pos < dataCount;
         pos += blockDim.x * gridDim.x) {
        uint data = d_Data[pos];
        atomicAdd(s_WarpHist + ((data >> 0) & 0xFFU), 1);
        atomicAdd(s_WarpHist + ((data >> 8) & 0xFFU), 1);
        atomicAdd(s_WarpHist + ((data >> 16) & 0xFFU), 1);
        atomicAdd(s_WarpHist + ((data >> 24) & 0xFFU), 1);
    }
    __syncthreads();
    for (uint bin = threadIdx.x; bin < HISTOGRAM256_BIN_COUNT; bin += HISTOGRAM256_BLOCK) {
        uint sum = 0;
        for (uint i = 0; i < WARP_COUNT; i++) sum += s_Hist[bin + i * HISTOGRAM256_BIN_COUNT];
        d_Partial[blockIdx.x * HISTOGRAM256_BIN_COUNT + bin] = sum;
    }
}

// One block a bin.
__global__ void mergeHistograms(uint *d_Histogram, const uint *d_Partial, uint count, uint bins) {
    __shared__ uint data[64];
    uint sum = 0;
    for (uint i = threadIdx.x; i < count; i += 64) sum += d_Partial[blockIdx.x + i * bins];
    data[threadIdx.x] = sum;
    for (uint stride = 32; stride > 0; stride >>= 1) {
        __syncthreads();
        if (threadIdx.x < stride) data[threadIdx.x] += data[threadIdx.x + stride];
    }
    if (threadIdx.x == 0) d_Histogram[blockIdx.x] = data[0];
}

__global__ void histogramGlobal(const uchar *data, uint *bins, uint n) {
    for (uint i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i]], 1);
}

static bool compare(const char *name, const uint *d_bins, const std::vector<uint> &want) {
    std::vector<uint> got(want.size());
    checkCudaErrors(
        cudaMemcpy(got.data(), d_bins, got.size() * sizeof(uint), cudaMemcpyDeviceToHost));
    printf("%s: bin 0 %u, bin 37 %u, last %u\n", name, got[0], got[37], got.back());
    return got == want;
}

int main(int argc, char **argv) {
    uint n = intOption(argc, argv, "n", 1 << 20);
    std::vector<uchar> data(n);
    std::vector<uint> want64(64), want256(256);
    HostRandom random(2007);
    for (uchar &v : data) {
        uint a = random.next();
        v = (uchar)((a & 0xff) & (a >> 8)); // not uniform
        want64[v >> 2]++;
        want256[v]++;
    }
    uchar *d_data;
    uint *d_partial, *d_bins;
    checkCudaErrors(cudaMalloc(&d_data, n));
    checkCudaErrors(cudaMemcpy(d_data, data.data(), n, cudaMemcpyHostToDevice));
    uint blocks64 = divUp(n / 16, HISTOGRAM64_BLOCK * 8), blocks256 = 48;
    checkCudaErrors(cudaMalloc(&d_partial, (blocks64 * 64 + blocks256 * 256) * sizeof(uint)));
    checkCudaErrors(cudaMalloc(&d_bins, 256 * sizeof(uint)));

    histogram64Kernel<<<blocks64, HISTOGRAM64_BLOCK>>>(d_partial, (uint4 *)d_data, n / 16);
    mergeHistograms<<<64, 64>>>(d_bins, d_partial, blocks64, 64);
    getLastCudaError("histogram64");
    bool passed = compare("64 bins", d_bins, want64);
    histogram256Kernel<<<blocks256, HISTOGRAM256_BLOCK>>>(d_partial, (uint *)d_data, n / 4);
    mergeHistograms<<<256, 64>>>(d_bins, d_partial, blocks256, 256);
    getLastCudaError("histogram256");
    passed = compare("256 bins", d_bins, want256) && passed;
    checkCudaErrors(cudaMemset(d_bins, 0, 256 * sizeof(uint)));
    histogramGlobal<<<64, 256>>>(d_data, d_bins, n);
    passed = compare("global atomics", d_bins, want256) && passed;
    return finish("histogram", passed);
}
