// SPDX-License-Identifier: MIT
// Merge sort: blocks sort runs in shared memory, then pairs of runs are merged with the merge path:
// every thread finds its cut by binary search on its diagonal.
#include <algorithm>
#include <functional>
#include <vector>

#include "../helper.h"

template <typename T, typename Less>
__device__ int mergePath(const T *a, int aCount, const T *b, int bCount, int diag, Less less) {
    int begin = max(0, diag - bCount), end = min(diag, aCount);
    while (begin < end) {
        int mid = (begin + end) >> 1;
        if (!less(b[diag - 1 - mid], a[mid])) begin = mid + 1;
        else end = mid;
    }
    return begin;
}

template <typename T, typename Less, int RUN> __global__ void sortRuns(T *data, int n, Less less) {
    __shared__ T keys[2][RUN];
    int base = blockIdx.x * RUN, count = min(RUN, n - base), from = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) keys[0][i] = data[base + i];
    __syncthreads();
    for (int width = 1; width < RUN; width *= 2, from ^= 1) {
        for (int i = threadIdx.x; i < count; i += blockDim.x) {
            int start = i / (2 * width) * (2 * width);
            const T *a = keys[from] + start;
            int aCount = min(width, count - start);
            int bCount = max(0, min(width, count - start - width));
            const T *b = a + aCount;
            int x = mergePath(a, aCount, b, bCount, i - start, less), y = i - start - x;
            bool takeA = y >= bCount || (x < aCount && !less(b[y], a[x]));
            keys[from ^ 1][i] = takeA ? a[x] : b[y];
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < count; i += blockDim.x) data[base + i] = keys[from][i];
}

template <typename T, typename Less>
__global__ void mergePass(const T *in, T *out, int n, int width, int perThread, Less less) {
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * perThread;
    if (first >= n) return;
    int start = first / (2 * width) * (2 * width);
    const T *a = in + start;
    int aCount = min(width, n - start), bCount = max(0, min(width, n - start - width));
    const T *b = a + aCount;
    int x = mergePath(a, aCount, b, bCount, first - start, less), y = first - start - x;
    for (int k = 0; k < perThread && first + k < n; k++) {
        bool takeA = y >= bCount || (x < aCount && !less(b[y], a[x]));
        out[first + k] = takeA ? a[x++] : b[y++];
    }
}

struct Record {
    int key;
    short tag, index;
};
struct ByKey {
    __host__ __device__ bool operator()(const Record &a, const Record &b) const {
        return a.key < b.key;
    }
};
template <typename T> struct Descending {
    __host__ __device__ bool operator()(T a, T b) const { return b < a; }
};

template <typename T, typename Less> static void mergeSort(std::vector<T> &data, Less less) {
    constexpr int RUN = 512;
    int n = (int)data.size();
    T *buffers[2];
    for (T *&buffer : buffers) checkCudaErrors(cudaMalloc(&buffer, n * sizeof(T)));
    checkCudaErrors(cudaMemcpy(buffers[0], data.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    sortRuns<T, Less, RUN><<<divUp(n, RUN), 128>>>(buffers[0], n, less);
    int from = 0;
    for (int width = RUN; width < n; width *= 2, from ^= 1)
        mergePass<<<divUp(n, 8 * 128), 128>>>(buffers[from], buffers[from ^ 1], n, width, 8, less);
    getLastCudaError("merge sort");
    checkCudaErrors(cudaMemcpy(data.data(), buffers[from], n * sizeof(T), cudaMemcpyDeviceToHost));
    for (T *buffer : buffers) checkCudaErrors(cudaFree(buffer));
}

int main(int argc, char **argv) {
    int n = intOption(argc, argv, "n", 20001);
    HostRandom random(11);
    std::vector<Record> records(n);
    for (int i = 0; i < n; i++) records[i] = {random.below(500), (short)(i % 7), (short)i};
    std::vector<Record> wantRecords = records;
    std::stable_sort(wantRecords.begin(), wantRecords.end(), ByKey());
    mergeSort(records, ByKey());
    bool stable = true;
    for (int i = 0; i < n; i++)
        stable = stable && records[i].key == wantRecords[i].key &&
                 records[i].index == wantRecords[i].index && records[i].tag == wantRecords[i].tag;
    printf("%d records, stable: %s\n", n, stable ? "yes" : "NO");

    std::vector<double> numbers(3000);
    for (double &v : numbers) v = random.below(1 << 20) / 64.0;
    std::vector<double> wantNumbers = numbers;
    std::sort(wantNumbers.begin(), wantNumbers.end(), std::greater<double>());
    mergeSort(numbers, Descending<double>());
    printf("doubles from %.3f down to %.3f\n", numbers.front(), numbers.back());
    return finish("sort_merge", stable && numbers == wantNumbers);
}
