// 200 KiB of dynamic shared memory: refused until a kernel asks for it, then one block sorts 50 000
// keys in it and counts 51 200 bins; occupancy falls to one block a multiprocessor.
#include <algorithm>
#include <vector>

#include "../helper.h"

#define LARGE_BYTES (200 * 1024)

extern __shared__ unsigned int pool[];

__global__ void sortInShared(unsigned int *keys, int n, int padded) {
    for (int i = threadIdx.x; i < padded; i += blockDim.x) pool[i] = i < n ? keys[i] : 0xffffffffu;
    __syncthreads();
    // odd-even transposition of runs: sort rows of 32 with shuffles first
    for (int base = threadIdx.x & ~31; base < padded; base += blockDim.x) {
        unsigned int key = pool[base + (threadIdx.x & 31)];
        for (int size = 2; size <= 32; size *= 2)
            for (int stride = size / 2; stride > 0; stride /= 2) {
                unsigned int other = __shfl_xor_sync(0xffffffff, key, stride);
                bool ascending = (threadIdx.x & size & 31) == 0 || size == 32;
                bool lower = (threadIdx.x & stride) == 0;
                key = (lower == ascending) ? min(key, other) : max(key, other);
            }
        pool[base + (threadIdx.x & 31)] = key;
    }
    __syncthreads();
    for (int gap = padded / 2; gap > 0; gap = gap > 1 ? (gap * 10 + 3) / 13 : 0) { // comb sort
        for (int phase = 0; phase < 2; phase++) {
            for (int i = threadIdx.x; i + gap < padded; i += blockDim.x) {
                if ((i / gap & 1) != phase) continue;
                unsigned int a = pool[i], b = pool[i + gap];
                if (a > b) {
                    pool[i] = b;
                    pool[i + gap] = a;
                }
            }
            __syncthreads();
        }
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = pool[i];
}

__global__ void bubbleOnce(unsigned int *keys, int n, int *swapped) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) pool[i] = keys[i];
    __syncthreads();
    bool again = true;
    while (again) {
        bool mine = false;
        for (int phase = 0; phase < 2; phase++) {
            for (int i = 2 * threadIdx.x + phase; i + 1 < n; i += 2 * blockDim.x)
                if (pool[i] > pool[i + 1]) {
                    unsigned int kept = pool[i];
                    pool[i] = pool[i + 1];
                    pool[i + 1] = kept;
                    mine = true;
                }
            __syncthreads();
        }
        again = __syncthreads_or(mine);
        if (threadIdx.x == 0 && again) ++*swapped;
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x) keys[i] = pool[i];
}

__global__ void countBins(const unsigned int *keys, int n, unsigned int *bins, int binCount) {
    for (int i = threadIdx.x; i < binCount; i += blockDim.x) pool[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&pool[keys[i] % binCount], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < binCount; i += blockDim.x) bins[i] = pool[i];
}

int main() {
    const int n = 50000, padded = LARGE_BYTES / 4;
    int optin, perMultiprocessor, blocks, rounds = 0, *d_rounds;
    checkCudaErrors(cudaDeviceGetAttribute(&optin, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    checkCudaErrors(
        cudaDeviceGetAttribute(&perMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    printf("shared memory: %d bytes a block on request, %d a multiprocessor\n", optin,
           perMultiprocessor);
    if (optin < LARGE_BYTES) return finish("large_shared", false);
    std::vector<unsigned int> keys(n), got(n), bins(padded);
    HostRandom random(200);
    for (unsigned int &key : keys) key = random.next() >> 4;
    unsigned int *d_keys, *d_bins;
    checkCudaErrors(cudaMalloc(&d_keys, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_bins, LARGE_BYTES));
    checkCudaErrors(cudaMalloc(&d_rounds, sizeof(int)));
    checkCudaErrors(cudaMemset(d_rounds, 0, sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice));

    countBins<<<1, 1024, LARGE_BYTES>>>(d_keys, n, d_bins, padded);
    printf("without asking: %s\n", cudaGetErrorName(cudaGetLastError()));
    checkCudaErrors(
        cudaFuncSetAttribute(countBins, cudaFuncAttributeMaxDynamicSharedMemorySize, LARGE_BYTES));
    checkCudaErrors(cudaFuncSetAttribute(sortInShared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         LARGE_BYTES));
    checkCudaErrors(
        cudaFuncSetAttribute(bubbleOnce, cudaFuncAttributeMaxDynamicSharedMemorySize, LARGE_BYTES));
    printf("more than there is: %s\n",
           cudaGetErrorName(cudaFuncSetAttribute(
               countBins, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1)));
    cudaGetLastError();
    for (size_t bytes : {(size_t)0, (size_t)(64 << 10), (size_t)(100 << 10), (size_t)LARGE_BYTES}) {
        checkCudaErrors(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, countBins, 256, bytes));
        printf("%zu bytes: %d blocks of 256 threads a multiprocessor\n", bytes, blocks);
    }
    countBins<<<1, 1024, LARGE_BYTES>>>(d_keys, n, d_bins, padded);
    getLastCudaError("countBins");
    checkCudaErrors(cudaMemcpy(bins.data(), d_bins, LARGE_BYTES, cudaMemcpyDeviceToHost));
    sortInShared<<<1, 1024, LARGE_BYTES>>>(d_keys, n, padded);
    bubbleOnce<<<1, 1024, LARGE_BYTES>>>(d_keys, n, d_rounds);
    getLastCudaError("sort");
    checkCudaErrors(cudaMemcpy(got.data(), d_keys, n * sizeof(int), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(&rounds, d_rounds, sizeof(int), cudaMemcpyDeviceToHost));

    std::vector<unsigned int> wantBins(padded, 0);
    for (unsigned int key : keys) wantBins[key % padded]++;
    std::sort(keys.begin(), keys.end());
    printf("sorted: %u %u .. %u; fullest bin %u; finished after %s rounds\n", got[0], got[1],
           got[n - 1], *std::max_element(bins.begin(), bins.end()), rounds < 1000 ? "few" : "many");
    checkCudaErrors(cudaFree(d_keys));
    checkCudaErrors(cudaFree(d_bins));
    checkCudaErrors(cudaFree(d_rounds));
    return finish("large_shared", got == keys && bins == wantBins);
}
