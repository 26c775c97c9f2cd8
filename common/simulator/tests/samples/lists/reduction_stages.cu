// SPDX-License-Identifier: MIT
// The seven classic stages of a parallel sum, from interleaved addressing with divergent branches
// to several elements a thread, each a template over the element type; the last two over the block
// size.
#include "../helper.h"

template <class T> struct SharedMemory {
    __device__ inline operator T *() {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};
template <> struct SharedMemory<double> {
    __device__ inline operator double *() {
        extern __shared__ double __smem_d[];
        return (double *)__smem_d;
    }
};

template <class T> __global__ void reduce0(T *g_idata, T *g_odata, unsigned int n) {
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if ((tid % (2 * s)) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T> __global__ void reduce1(T *g_idata, T *g_odata, unsigned int n) {
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockDim.x) sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T> __global__ void reduce2(T *g_idata, T *g_odata, unsigned int n) {
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    sdata[tid] = (i < n) ? g_idata[i] : 0;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T> __global__ void reduce3(T *g_idata, T *g_odata, unsigned int n) {
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    T mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

// The last warp works with shuffles.
template <class T> __global__ void reduce4(T *g_idata, T *g_odata, unsigned int n) {
    T *sdata = SharedMemory<T>();
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
    T mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
        __syncthreads();
    }
    if (tid < 32) {
        if (blockDim.x >= 64) mySum += sdata[tid + 32];
        for (int offset = 16; offset > 0; offset /= 2)
            mySum += __shfl_down_sync(0xffffffff, mySum, offset);
    }
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

template <class T, unsigned int blockSize>
__device__ T finishBlock(T *sdata, T mySum, unsigned int tid) {
    sdata[tid] = mySum;
    __syncthreads();
    if ((blockSize >= 512) && (tid < 256)) sdata[tid] = mySum = mySum + sdata[tid + 256];
    __syncthreads();
    if ((blockSize >= 256) && (tid < 128)) sdata[tid] = mySum = mySum + sdata[tid + 128];
    __syncthreads();
    if ((blockSize >= 128) && (tid < 64)) sdata[tid] = mySum = mySum + sdata[tid + 64];
    __syncthreads();
    if (tid < 32) {
        if (blockSize >= 64) mySum += sdata[tid + 32];
#pragma unroll
        for (int offset = 16; offset > 0; offset /= 2)
            mySum += __shfl_down_sync(0xffffffff, mySum, offset);
    }
    return mySum;
}

template <class T, unsigned int blockSize>
__global__ void reduce5(T *g_idata, T *g_odata, unsigned int n) {
    unsigned int tid = threadIdx.x, i = blockIdx.x * (blockSize * 2) + threadIdx.x;
    T mySum = (i < n) ? g_idata[i] : 0;
    if (i + blockSize < n) mySum += g_idata[i + blockSize];
    mySum = finishBlock<T, blockSize>(SharedMemory<T>(), mySum, tid);
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

template <class T, unsigned int blockSize, bool nIsPow2>
__global__ void reduce6(T *g_idata, T *g_odata, unsigned int n) {
    unsigned int tid = threadIdx.x, gridSize = blockSize * 2 * gridDim.x;
    T mySum = 0;
    for (unsigned int i = blockIdx.x * blockSize * 2 + threadIdx.x; i < n; i += gridSize) {
        mySum += g_idata[i];
        if (nIsPow2 || i + blockSize < n) mySum += g_idata[i + blockSize];
    }
    mySum = finishBlock<T, blockSize>(SharedMemory<T>(), mySum, tid);
    if (tid == 0) g_odata[blockIdx.x] = mySum;
}

template <class T, unsigned int B>
void reduceSized(int which, int blocks, int smem, T *in, T *out, unsigned int n) {
    if (which == 5)
        reduce5<T, B><<<blocks, B, smem>>>(in, out, n);
    else if ((n & (n - 1)) == 0)
        reduce6<T, B, true><<<blocks, B, smem>>>(in, out, n);
    else
        reduce6<T, B, false><<<blocks, B, smem>>>(in, out, n);
}

template <class T> void reduce(int which, int threads, int blocks, T *in, T *out, unsigned int n) {
    int smem = (threads <= 32) ? 2 * threads * sizeof(T) : threads * sizeof(T);
    switch (which) {
    case 0: reduce0<T><<<blocks, threads, smem>>>(in, out, n); break;
    case 1: reduce1<T><<<blocks, threads, smem>>>(in, out, n); break;
    case 2: reduce2<T><<<blocks, threads, smem>>>(in, out, n); break;
    case 3: reduce3<T><<<blocks, threads, smem>>>(in, out, n); break;
    case 4: reduce4<T><<<blocks, threads, smem>>>(in, out, n); break;
    default:
        switch (threads) {
        case 512: reduceSized<T, 512>(which, blocks, smem, in, out, n); break;
        case 256: reduceSized<T, 256>(which, blocks, smem, in, out, n); break;
        case 128: reduceSized<T, 128>(which, blocks, smem, in, out, n); break;
        case 64: reduceSized<T, 64>(which, blocks, smem, in, out, n); break;
        }
    }
    getLastCudaError("Kernel execution failed");
}

template <class T> bool runTest(const char *type, int size, int threads, const char *format) {
    T *h_idata = new T[size], total = 0, *d_idata, *d_odata;
    HostRandom random(99);
    for (int i = 0; i < size; i++) total += h_idata[i] = (T)(random.next() & 0xFF);
    checkCudaErrors(cudaMalloc((void **)&d_idata, size * sizeof(T)));
    checkCudaErrors(cudaMalloc((void **)&d_odata, divUp(size, threads) * sizeof(T)));
    checkCudaErrors(cudaMemcpy(d_idata, h_idata, size * sizeof(T), cudaMemcpyHostToDevice));
    bool passed = true;
    for (int which = 0; which < 7; which++) {
        int blocks = which < 3 ? divUp(size, threads) : divUp(size, threads * 2);
        if (which == 6 && blocks > 64) blocks = 64;
        reduce<T>(which, threads, blocks, d_idata, d_odata, size);
        T *partial = new T[blocks], result = 0;
        checkCudaErrors(cudaMemcpy(partial, d_odata, blocks * sizeof(T), cudaMemcpyDeviceToHost));
        for (int i = 0; i < blocks; i++) result += partial[i];
        passed = passed && result == total; // whole numbers below 2^24: exact in every type
        printf("%s, %d elements, stage %d: ", type, size, which);
        printf(format, result);
        delete[] partial;
    }
    delete[] h_idata;
    checkCudaErrors(cudaFree(d_idata));
    checkCudaErrors(cudaFree(d_odata));
    return passed;
}

int main(int argc, char **argv) {
    int size = intOption(argc, argv, "n", 1 << 16), threads = intOption(argc, argv, "threads", 256);
    bool passed = runTest<int>("int", size, threads, "%d\n");
    passed = runTest<int>("int", 99999, 128, "%d\n") && passed;
    passed = runTest<float>("float", size, threads, "%.1f\n") && passed;
    passed = runTest<double>("double", size - 3, 512, "%.1f\n") && passed;
    return finish("reduction_stages", passed);
}
