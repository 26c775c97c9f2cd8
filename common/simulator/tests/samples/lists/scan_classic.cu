// SPDX-License-Identifier: MIT
// Prefix sums of one block's array: the naive doubling scan with two buffers, the work-efficient up
// and down sweep, the same with padded indices, and a scan of large arrays built from it by
// recursion.
#include <vector>

#include "../helper.h"

#define NUM_BANKS               32
#define LOG_NUM_BANKS           5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)

__global__ void scan_naive(float *g_odata, const float *g_idata, int n) {
    extern __shared__ float temp[];
    int thid = threadIdx.x, pout = 0, pin = 1;
    temp[pout * n + thid] = (thid > 0) ? g_idata[thid - 1] : 0;
    for (int offset = 1; offset < n; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        __syncthreads();
        temp[pout * n + thid] = temp[pin * n + thid];
        if (thid >= offset) temp[pout * n + thid] += temp[pin * n + thid - offset];
    }
    __syncthreads();
    g_odata[thid] = temp[pout * n + thid];
}

__global__ void scan_workefficient(float *g_odata, const float *g_idata, int n) {
    extern __shared__ float temp[];
    int thid = threadIdx.x, offset = 1;
    temp[2 * thid] = g_idata[2 * thid];
    temp[2 * thid + 1] = g_idata[2 * thid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            float t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    __syncthreads();
    g_odata[2 * thid] = temp[2 * thid];
    g_odata[2 * thid + 1] = temp[2 * thid + 1];
}

// Exclusive scan of every block's 2 * blockDim.x elements; totals, when asked for, one a block.
template <typename T> __global__ void scan_best(T *g_odata, const T *g_idata, T *totals, int n) {
    extern __shared__ __align__(8) unsigned char raw[];
    T *temp = reinterpret_cast<T *>(raw);
    int size = 2 * blockDim.x, base = blockIdx.x * size, thid = threadIdx.x;
    int ai = thid, bi = thid + size / 2;
    int offsetA = CONFLICT_FREE_OFFSET(ai), offsetB = CONFLICT_FREE_OFFSET(bi);
    temp[ai + offsetA] = base + ai < n ? g_idata[base + ai] : T(0);
    temp[bi + offsetB] = base + bi < n ? g_idata[base + bi] : T(0);
    int offset = 1;
    for (int d = size >> 1; d > 0; d >>= 1, offset *= 2) {
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            temp[b + CONFLICT_FREE_OFFSET(b)] += temp[a + CONFLICT_FREE_OFFSET(a)];
        }
    }
    if (thid == 0) {
        int last = size - 1 + CONFLICT_FREE_OFFSET(size - 1);
        if (totals != nullptr) totals[blockIdx.x] = temp[last];
        temp[last] = 0;
    }
    for (int d = 1; d < size; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thid < d) {
            int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
            a += CONFLICT_FREE_OFFSET(a);
            b += CONFLICT_FREE_OFFSET(b);
            T t = temp[a];
            temp[a] = temp[b];
            temp[b] += t;
        }
    }
    __syncthreads();
    if (base + ai < n) g_odata[base + ai] = temp[ai + offsetA];
    if (base + bi < n) g_odata[base + bi] = temp[bi + offsetB];
}

template <typename T> __global__ void uniformAdd(T *data, const T *increments, int n) {
    __shared__ T increment;
    if (threadIdx.x == 0) increment = increments[blockIdx.x];
    __syncthreads();
    int first = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    if (first < n) data[first] += increment;
    if (first + blockDim.x < n) data[first + blockDim.x] += increment;
}

template <typename T> void prescan(T *out, const T *in, int n) {
    const int threads = 128, perBlock = 2 * threads;
    int blocks = divUp(n, perBlock);
    size_t smem = (perBlock + perBlock / NUM_BANKS) * sizeof(T);
    T *totals = nullptr;
    if (blocks > 1) checkCudaErrors(cudaMalloc(&totals, blocks * sizeof(T)));
    scan_best<T><<<blocks, threads, smem>>>(out, in, totals, n);
    getLastCudaError("scan_best");
    if (blocks > 1) {
        prescan<T>(totals, totals, blocks);
        uniformAdd<T><<<blocks, threads>>>(out, totals, n);
        checkCudaErrors(cudaFree(totals));
    }
}

template <typename T> static bool large(int n) {
    std::vector<T> in(n), out(n);
    HostRandom random(n);
    for (T &value : in) value = (T)random.below(100);
    T *d_in, *d_out;
    checkCudaErrors(cudaMalloc(&d_in, n * sizeof(T)));
    checkCudaErrors(cudaMalloc(&d_out, n * sizeof(T)));
    checkCudaErrors(cudaMemcpy(d_in, in.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    prescan<T>(d_out, d_in, n);
    checkCudaErrors(cudaMemcpy(out.data(), d_out, n * sizeof(T), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaFree(d_in));
    checkCudaErrors(cudaFree(d_out));
    T sum = 0;
    for (int i = 0; i < n; i++) {
        if (out[i] != sum) return false;
        sum += in[i];
    }
    printf("%d elements of %zu bytes: last %lld\n", n, sizeof(T), (long long)out[n - 1]);
    return true;
}

int main() {
    const int n = 512;
    std::vector<float> in(n), want(n), out(n);
    HostRandom random(1);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        in[i] = floorf(1000 * random.uniform());
        want[i] = sum;
        sum += in[i];
    }
    float *d_in, *d_out;
    checkCudaErrors(cudaMalloc(&d_in, n * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_out, n * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    bool passed = true;
    for (int kind = 0; kind < 2; kind++) {
        checkCudaErrors(cudaMemset(d_out, 0xff, n * sizeof(float)));
        if (kind == 0)
            scan_naive<<<1, n, 2 * n * sizeof(float)>>>(d_out, d_in, n);
        else
            scan_workefficient<<<1, n / 2, n * sizeof(float)>>>(d_out, d_in, n);
        getLastCudaError("scan");
        checkCudaErrors(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
        passed = passed && out == want;
        printf("%s: %.0f\n", kind == 0 ? "naive" : "work-efficient", out[n - 1]);
    }
    passed = large<int>(100000) && passed;
    passed = large<long long>(33333) && passed;
    passed = large<double>(1000) && passed;
    passed = large<unsigned short>(1) && passed;
    return finish("scan_classic", passed);
}
