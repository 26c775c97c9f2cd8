// SPDX-License-Identifier: MIT
// Sorting networks on key-value pairs: bitonic with shared memory and global merge steps, and
// odd-even merge sort; both orders, many short arrays and one long one.
#include <algorithm>
#include <cooperative_groups.h>
#include <vector>

#include "../helper.h"

namespace cg = cooperative_groups;
typedef unsigned int uint;
#define SHARED_SIZE_LIMIT 512U

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir) {
    uint t;
    if ((keyA > keyB) == dir) {
        t = keyA;
        keyA = keyB;
        keyB = t;
        t = valA;
        valA = valB;
        valB = t;
    }
}

__global__ void bitonicSortShared(uint *key, uint *val, uint arrayLength, uint dir,
                                  bool alternate) {
    cg::thread_block cta = cg::this_thread_block();
    __shared__ uint s_key[SHARED_SIZE_LIMIT], s_val[SHARED_SIZE_LIMIT];
    key += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    val += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    s_key[threadIdx.x] = key[0];
    s_val[threadIdx.x] = val[0];
    s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2] = key[SHARED_SIZE_LIMIT / 2];
    s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2] = val[SHARED_SIZE_LIMIT / 2];
    uint last = alternate ? blockIdx.x & 1 : dir;
    for (uint size = 2; size <= arrayLength; size <<= 1) {
        uint ddd = size < arrayLength ? dir ^ ((threadIdx.x & (size / 2)) != 0) : last;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            cg::sync(cta);
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    cg::sync(cta);
    key[0] = s_key[threadIdx.x];
    val[0] = s_val[threadIdx.x];
    key[SHARED_SIZE_LIMIT / 2] = s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2];
    val[SHARED_SIZE_LIMIT / 2] = s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2];
}

__global__ void bitonicMergeGlobal(uint *key, uint *val, uint arrayLength, uint size, uint stride,
                                   uint dir) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x, comparatorI = i & (arrayLength / 2 - 1);
    uint ddd = dir ^ ((comparatorI & (size / 2)) != 0);
    uint pos = 2 * i - (i & (stride - 1));
    uint keyA = key[pos], valA = val[pos], keyB = key[pos + stride], valB = val[pos + stride];
    Comparator(keyA, valA, keyB, valB, ddd);
    key[pos] = keyA;
    val[pos] = valA;
    key[pos + stride] = keyB;
    val[pos + stride] = valB;
}

static void bitonicSort(uint *key, uint *val, uint batch, uint length, uint dir) {
    uint blocks = batch * length / SHARED_SIZE_LIMIT, threads = SHARED_SIZE_LIMIT / 2;
    if (length <= SHARED_SIZE_LIMIT) {
        bitonicSortShared<<<blocks, threads>>>(key, val, length, dir, false);
        return;
    }
    bitonicSortShared<<<blocks, threads>>>(key, val, SHARED_SIZE_LIMIT, 1, true);
    for (uint size = SHARED_SIZE_LIMIT; size <= length; size <<= 1)
        for (uint stride = size / 2; stride > 0; stride >>= 1)
            bitonicMergeGlobal<<<blocks, threads>>>(key, val, length, size, stride, dir);
}

__global__ void oddEvenMergeGlobal(uint *key, uint *val, uint arrayLength, uint size, uint stride,
                                   uint dir) {
    uint i = blockIdx.x * blockDim.x + threadIdx.x;
    uint pos = 2 * i - (i & (stride - 1));
    if (stride < size / 2) {
        uint offset = i & ((size / 2) - 1);
        if (offset >= stride) {
            uint keyA = key[pos - stride], valA = val[pos - stride];
            uint keyB = key[pos], valB = val[pos];
            Comparator(keyA, valA, keyB, valB, dir);
            key[pos - stride] = keyA;
            val[pos - stride] = valA;
            key[pos] = keyB;
            val[pos] = valB;
        }
    } else {
        uint keyA = key[pos], valA = val[pos];
        uint keyB = key[pos + stride], valB = val[pos + stride];
        Comparator(keyA, valA, keyB, valB, dir);
        key[pos] = keyA;
        val[pos] = valA;
        key[pos + stride] = keyB;
        val[pos + stride] = valB;
    }
}

static void oddEvenMergeSort(uint *key, uint *val, uint batch, uint length, uint dir) {
    uint blocks = batch * length / 2 / 256;
    for (uint size = 2; size <= length; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1)
            oddEvenMergeGlobal<<<blocks, 256>>>(key, val, length, size, stride, dir);
}

static bool validate(const std::vector<uint> &in, std::vector<uint> key, std::vector<uint> val,
                     uint batch, uint length, uint dir) {
    for (uint b = 0; b < batch; b++) {
        auto first = key.begin() + b * length;
        for (uint i = 0; i < length; i++) {
            if (val[b * length + i] / length != b) return false; // from another array
            if (in[val[b * length + i]] != first[i]) return false;
            if (i > 0 && (dir ? first[i - 1] > first[i] : first[i - 1] < first[i])) return false;
        }
        auto value = val.begin() + b * length;
        std::sort(value, value + length);
        for (uint i = 0; i < length; i++)
            if (value[i] != b * length + i) return false; // every pair once
    }
    return true;
}

int main(int argc, char **argv) {
    const uint N = intOption(argc, argv, "n", 1 << 14);
    std::vector<uint> in(N), index(N), key(N), val(N);
    HostRandom random(2001);
    for (uint i = 0; i < N; i++) {
        in[i] = random.next() % 65536;
        index[i] = i;
    }
    uint *d_key, *d_val;
    checkCudaErrors(cudaMalloc(&d_key, N * sizeof(uint)));
    checkCudaErrors(cudaMalloc(&d_val, N * sizeof(uint)));
    bool passed = true;
    for (int network = 0; network < 2; network++) {
        for (uint length = 64; length <= N; length *= 4) {
            uint dir = (length >> 6) & 1 ? 1 : network;
            checkCudaErrors(cudaMemcpy(d_key, in.data(), N * 4, cudaMemcpyHostToDevice));
            checkCudaErrors(cudaMemcpy(d_val, index.data(), N * 4, cudaMemcpyHostToDevice));
            if (network == 0)
                bitonicSort(d_key, d_val, N / length, length, dir);
            else
                oddEvenMergeSort(d_key, d_val, N / length, length, dir);
            getLastCudaError("sort");
            checkCudaErrors(cudaMemcpy(key.data(), d_key, N * 4, cudaMemcpyDeviceToHost));
            checkCudaErrors(cudaMemcpy(val.data(), d_val, N * 4, cudaMemcpyDeviceToHost));
            bool right = validate(in, key, val, N / length, length, dir);
            printf("%s, %u arrays of %u: first %u, middle %u\n", network ? "odd-even" : "bitonic",
                   N / length, length, key[0], key[N / 2]);
            passed = passed && right;
        }
    }
    return finish("sort_networks", passed);
}
