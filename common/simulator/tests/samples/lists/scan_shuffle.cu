// SPDX-License-Identifier: MIT
// Prefix sums with warp shuffles, and an integral image: rows scanned with shuffles over uint4
// loads, columns with running sums in registers.
#include <vector>

#include "../helper.h"

__global__ void shfl_scan_test(int *data, int width, int *partial_sums = NULL) {
    extern __shared__ int sums[];
    int id = ((blockIdx.x * blockDim.x) + threadIdx.x);
    int lane_id = id % warpSize, warp_id = threadIdx.x / warpSize;
    int value = data[id];
#pragma unroll
    for (int i = 1; i <= width; i *= 2) {
        unsigned int mask = 0xffffffff;
        int n = __shfl_up_sync(mask, value, i, width);
        if (lane_id >= i) value += n;
    }
    if (threadIdx.x % warpSize == warpSize - 1) sums[warp_id] = value;
    __syncthreads();
    if (warp_id == 0 && lane_id < (blockDim.x / warpSize)) {
        int warp_sum = sums[lane_id];
        int mask = (1 << (blockDim.x / warpSize)) - 1;
        for (int i = 1; i <= (blockDim.x / warpSize); i *= 2) {
            int n = __shfl_up_sync(mask, warp_sum, i, (blockDim.x / warpSize));
            if (lane_id >= i) warp_sum += n;
        }
        sums[lane_id] = warp_sum;
    }
    __syncthreads();
    int blockSum = 0;
    if (warp_id > 0) blockSum = sums[warp_id - 1];
    value += blockSum;
    data[id] = value;
    if (partial_sums != NULL && threadIdx.x == blockDim.x - 1) partial_sums[blockIdx.x] = value;
}

__global__ void uniform_add(int *data, int *partial_sums, int len) {
    __shared__ int buf;
    int id = ((blockIdx.x * blockDim.x) + threadIdx.x);
    if (id > len) return;
    if (threadIdx.x == 0) buf = partial_sums[blockIdx.x];
    __syncthreads();
    data[id] += buf;
}

static bool shuffle_scan(int n_elements) {
    std::vector<int> h(n_elements), result(n_elements);
    HostRandom random(77);
    for (int &v : h) v = random.below(10);
    int blockSize = 256, gridSize = n_elements / blockSize, *d_data, *d_partial;
    checkCudaErrors(cudaMalloc(&d_data, n_elements * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_partial, gridSize * sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_data, h.data(), n_elements * sizeof(int), cudaMemcpyDefault));
    int smem = (blockSize / 32) * sizeof(int);
    shfl_scan_test<<<gridSize, blockSize, smem>>>(d_data, 32, d_partial);
    shfl_scan_test<<<gridSize / blockSize, blockSize, smem>>>(d_partial, 32);
    uniform_add<<<gridSize - 1, blockSize>>>(d_data + blockSize, d_partial, n_elements);
    getLastCudaError("shuffle scan");
    checkCudaErrors(cudaMemcpy(result.data(), d_data, n_elements * sizeof(int), cudaMemcpyDefault));
    checkCudaErrors(cudaFree(d_data));
    checkCudaErrors(cudaFree(d_partial));
    int sum = 0;
    for (int i = 0; i < n_elements; i++) {
        sum += h[i];
        if (sum != result[i]) return false;
    }
    printf("shuffle scan of %d: total %d\n", n_elements, result[n_elements - 1]);
    return true;
}

// One warp a row: every lane takes 16 bytes.
__global__ void integral_rows(const uint4 *img, uint4 *integral, int width) {
    int row = blockIdx.x, lane = threadIdx.x, carry = 0;
    for (int chunk = 0; chunk < width / (16 * 32); chunk++) {
        uint4 data = img[row * (width / 16) + chunk * 32 + lane];
        const unsigned char *bytes = reinterpret_cast<const unsigned char *>(&data);
        unsigned int result[16];
        result[0] = bytes[0];
#pragma unroll
        for (int i = 1; i < 16; i++) result[i] = result[i - 1] + bytes[i];
        unsigned int sum = result[15];
        for (int i = 1; i < 32; i *= 2) {
            unsigned int n = __shfl_up_sync(0xffffffff, sum, i, 32);
            if (lane >= i) sum += n;
        }
        unsigned int before = sum - result[15] + carry;
#pragma unroll
        for (int i = 0; i < 16; i++) result[i] += before;
        carry += __shfl_sync(0xffffffff, sum, 31);
#pragma unroll
        for (int i = 0; i < 4; i++)
            integral[(row * width + (chunk * 32 + lane) * 16) / 4 + i] =
                make_uint4(result[4 * i], result[4 * i + 1], result[4 * i + 2], result[4 * i + 3]);
    }
}

__global__ void integral_columns(unsigned int *img, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int sum = 0;
    for (int y = 0; y < height; y++) {
        sum += img[y * width + x];
        img[y * width + x] = sum;
    }
}

static bool integral_image(int width, int height) {
    std::vector<unsigned char> image(width * height);
    std::vector<unsigned int> sums(width * height);
    HostRandom random(8);
    for (unsigned char &v : image) v = (unsigned char)random.below(256);
    unsigned char *d_image;
    unsigned int *d_sums;
    checkCudaErrors(cudaMalloc(&d_image, image.size()));
    checkCudaErrors(cudaMalloc(&d_sums, sums.size() * 4));
    checkCudaErrors(cudaMemcpy(d_image, image.data(), image.size(), cudaMemcpyHostToDevice));
    integral_rows<<<height, 32>>>((const uint4 *)d_image, (uint4 *)d_sums, width);
    integral_columns<<<width / 64, 64>>>(d_sums, width, height);
    getLastCudaError("integral image");
    checkCudaErrors(cudaMemcpy(sums.data(), d_sums, sums.size() * 4, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaFree(d_image));
    checkCudaErrors(cudaFree(d_sums));
    std::vector<unsigned int> above(width, 0);
    for (int y = 0; y < height; y++) {
        unsigned int row = 0;
        for (int x = 0; x < width; x++) {
            row += image[y * width + x];
            above[x] += row;
            if (above[x] != sums[y * width + x]) return false;
        }
    }
    printf("integral image %dx%d: total %u\n", width, height, sums.back());
    return true;
}

int main() {
    bool passed = shuffle_scan(65536);
    passed = integral_image(1024, 270) && passed;
    return finish("scan_shuffle", passed);
}
