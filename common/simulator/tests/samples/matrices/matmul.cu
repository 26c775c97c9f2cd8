// SPDX-License-Identifier: MIT
// C = A B with shared memory tiles, as a template over the tile size; sizes of the matrices are
// options.
#include <cmath>

#include "../helper.h"

template <int BLOCK_SIZE>
__global__ void MatrixMulCUDA(float *C, float *A, float *B, int wA, int wB) {
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int aBegin = wA * BLOCK_SIZE * by, aEnd = aBegin + wA - 1, aStep = BLOCK_SIZE;
    int bBegin = BLOCK_SIZE * bx, bStep = BLOCK_SIZE * wB;
    float Csub = 0;
    for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BLOCK_SIZE; ++k) Csub += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
    C[c + wB * ty + tx] = Csub;
}

// Any sizes, column-major, naive: one element a thread.
__global__ void gemmNaive(int M, int N, int K, float alpha, const float *A, const float *B,
                          float beta, float *C) {
    int row = blockIdx.x * blockDim.x + threadIdx.x, column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= M || column >= N) return;
    float sum = 0.0f;
    for (int k = 0; k < K; k++) sum += A[k * M + row] * B[column * K + k];
    C[column * M + row] = alpha * sum + beta * C[column * M + row];
}

static int MatrixMultiply(int block_size, const dim3 &dimsA, const dim3 &dimsB) {
    unsigned int size_A = dimsA.x * dimsA.y, size_B = dimsB.x * dimsB.y;
    float *h_A, *h_B, *h_C, *d_A, *d_B, *d_C;
    dim3 dimsC(dimsB.x, dimsA.y, 1);
    unsigned int mem_size_C = dimsC.x * dimsC.y * sizeof(float);
    checkCudaErrors(cudaMallocHost(&h_A, sizeof(float) * size_A));
    checkCudaErrors(cudaMallocHost(&h_B, sizeof(float) * size_B));
    checkCudaErrors(cudaMallocHost(&h_C, mem_size_C));
    const float valB = 0.01f;
    for (unsigned i = 0; i < size_A; ++i) h_A[i] = 1.0f;
    for (unsigned i = 0; i < size_B; ++i) h_B[i] = valB;
    cudaStream_t stream;
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_A), sizeof(float) * size_A));
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_B), sizeof(float) * size_B));
    checkCudaErrors(cudaMalloc(reinterpret_cast<void **>(&d_C), mem_size_C));
    checkCudaErrors(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    checkCudaErrors(
        cudaMemcpyAsync(d_A, h_A, sizeof(float) * size_A, cudaMemcpyHostToDevice, stream));
    checkCudaErrors(
        cudaMemcpyAsync(d_B, h_B, sizeof(float) * size_B, cudaMemcpyHostToDevice, stream));
    dim3 threads(block_size, block_size), grid(dimsB.x / threads.x, dimsA.y / threads.y);
    if (block_size == 16)
        MatrixMulCUDA<16><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
    else
        MatrixMulCUDA<32><<<grid, threads, 0, stream>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
    checkCudaErrors(cudaMemcpyAsync(h_C, d_C, mem_size_C, cudaMemcpyDeviceToHost, stream));
    checkCudaErrors(cudaStreamSynchronize(stream));

    bool correct = true;
    double eps = 1.e-6; // machine zero
    for (int i = 0; i < static_cast<int>(dimsC.x * dimsC.y); i++) {
        double abs_err = fabs(h_C[i] - (dimsA.x * valB)), dot_length = dimsA.x;
        double rel_err = abs_err / fabs(h_C[i]) / dot_length;
        if (!(rel_err <= eps)) correct = false;
    }
    printf("block %d, A %ux%u, B %ux%u: %.3f %s\n", block_size, dimsA.x, dimsA.y, dimsB.x, dimsB.y,
           h_C[0], correct ? "PASS" : "FAIL");
    checkCudaErrors(cudaFreeHost(h_A));
    checkCudaErrors(cudaFreeHost(h_B));
    checkCudaErrors(cudaFreeHost(h_C));
    checkCudaErrors(cudaFree(d_A));
    checkCudaErrors(cudaFree(d_B));
    checkCudaErrors(cudaFree(d_C));
    checkCudaErrors(cudaStreamDestroy(stream));
    return correct ? EXIT_SUCCESS : EXIT_FAILURE;
}

static bool oddSizes(int M, int N, int K) {
    float *A, *B, *C;
    checkCudaErrors(cudaMallocManaged(&A, M * K * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&B, K * N * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&C, M * N * sizeof(float)));
    for (int i = 0; i < M * K; i++) A[i] = (float)(i % 13 - 6);
    for (int i = 0; i < K * N; i++) B[i] = (float)(i % 7 - 3);
    for (int i = 0; i < M * N; i++) C[i] = (float)(i % 5);
    gemmNaive<<<dim3(divUp(M, 32), divUp(N, 4)), dim3(32, 4)>>>(M, N, K, 2.0f, A, B, -1.0f, C);
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = true;
    for (int n = 0; n < N; n++)
        for (int m = 0; m < M; m++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += A[k * M + m] * B[n * K + k];
            passed = passed && C[n * M + m] == 2.0f * sum - (float)((n * M + m) % 5);
        }
    printf("%dx%dx%d: corner %.0f\n", M, N, K, C[M * N - 1]);
    checkCudaErrors(cudaFree(A));
    checkCudaErrors(cudaFree(B));
    checkCudaErrors(cudaFree(C));
    return passed;
}

int main(int argc, char **argv) {
    dim3 dimsA(160, 160, 1), dimsB(320, 160, 1);
    dimsA.x = dimsB.y = intOption(argc, argv, "wA", dimsA.x);
    dimsA.y = intOption(argc, argv, "hA", dimsA.y);
    dimsB.x = intOption(argc, argv, "wB", dimsB.x);
    bool passed = MatrixMultiply(32, dimsA, dimsB) == EXIT_SUCCESS;
    passed = MatrixMultiply(16, dimsA, dimsB) == EXIT_SUCCESS && passed;
    passed = oddSizes(37, 51, 29) && passed;
    return finish("matmul", passed);
}
