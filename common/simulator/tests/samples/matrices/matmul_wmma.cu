// SPDX-License-Identifier: MIT
// Half precision products with the matrix units: one 16x16x16 fragment product a warp from global
// memory, and a block of warps on shared tiles; single precision sums; a half precision accumulator
// too.
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

#include "../helper.h"

using namespace nvcuda;
const int T = 16;

template <typename ACC>
__global__ void simpleWmma(const half *a, const half *b, ACC *c, int M, int N, int K, float alpha,
                           float beta) {
    int warpM = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize;
    int warpN = blockIdx.y * blockDim.y + threadIdx.y;
    if (warpM * T >= M || warpN * T >= N) return;
    wmma::fragment<wmma::matrix_a, T, T, T, half, wmma::row_major> a_frag;
    wmma::fragment<wmma::matrix_b, T, T, T, half, wmma::col_major> b_frag;
    wmma::fragment<wmma::accumulator, T, T, T, ACC> acc_frag, c_frag;
    wmma::fill_fragment(acc_frag, ACC(0.0f));
    for (int i = 0; i < K; i += T) {
        wmma::load_matrix_sync(a_frag, a + warpM * T * K + i, K);
        wmma::load_matrix_sync(b_frag, b + warpN * T * K + i, K);
        wmma::mma_sync(acc_frag, a_frag, b_frag, acc_frag);
    }
    ACC *tile = c + warpM * T * N + warpN * T;
    wmma::load_matrix_sync(c_frag, tile, N, wmma::mem_row_major);
    for (int i = 0; i < c_frag.num_elements; i++)
        c_frag.x[i] = ACC(alpha * float(acc_frag.x[i]) + beta * float(c_frag.x[i]));
    wmma::store_matrix_sync(tile, c_frag, N, wmma::mem_row_major);
}

// 64x64 results a block of four warps, tiles of 32 in k through shared memory, padded against
// conflicts.
__global__ void sharedWmma(const half *A, const half *B, float *C, int M, int N, int K) {
    __shared__ half sA[64][32 + 8], sB[32][64 + 8];
    int warp = threadIdx.x / 32, warpRow = warp / 2 * 32, warpCol = warp % 2 * 32;
    wmma::fragment<wmma::accumulator, T, T, T, float> acc[2][2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.0f);
    for (int k0 = 0; k0 < K; k0 += 32) {
        for (int i = threadIdx.x; i < 64 * 4; i += blockDim.x)
            *(int4 *)&sA[i / 4][i % 4 * 8] =
                *(const int4 *)&A[(blockIdx.y * 64 + i / 4) * K + k0 + i % 4 * 8];
        for (int i = threadIdx.x; i < 32 * 8; i += blockDim.x)
            *(int4 *)&sB[i / 8][i % 8 * 8] =
                *(const int4 *)&B[(k0 + i / 8) * N + blockIdx.x * 64 + i % 8 * 8];
        __syncthreads();
        for (int k = 0; k < 32; k += T) {
            wmma::fragment<wmma::matrix_a, T, T, T, half, wmma::row_major> a[2];
            wmma::fragment<wmma::matrix_b, T, T, T, half, wmma::row_major> b[2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(a[i], &sA[warpRow + i * T][k], 40);
                wmma::load_matrix_sync(b[i], &sB[k][warpCol + i * T], 72);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], a[i], b[j], acc[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            wmma::store_matrix_sync(C + (blockIdx.y * 64 + warpRow + i * T) * N + blockIdx.x * 64 +
                                        warpCol + j * T,
                                    acc[i][j], N, wmma::mem_row_major);
}

int main() {
    const int M = 128, N = 64, K = 96;
    std::vector<half> A(M * K), B(K * N), Bt(K * N), C16(M * N, __float2half(1.0f));
    std::vector<float> fa(M * K), fb(K * N), got(M * N), C32(M * N, 1.0f);
    HostRandom random(16);
    for (int i = 0; i < M * K; i++) A[i] = __float2half(fa[i] = (float)(random.below(7) - 3));
    for (int k = 0; k < K; k++)
        for (int n = 0; n < N; n++) {
            fb[k * N + n] = (float)(random.below(7) - 3) * 0.5f;
            B[k * N + n] = Bt[n * K + k] = __float2half(fb[k * N + n]);
        }
    std::vector<float> product(M * N);
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++)
            for (int k = 0; k < K; k++) product[m * N + n] += fa[m * K + k] * fb[k * N + n];

    half *dA, *dB, *dBt, *dC16;
    float *dC32;
    checkCudaErrors(cudaMalloc(&dA, A.size() * sizeof(half)));
    checkCudaErrors(cudaMalloc(&dB, B.size() * sizeof(half)));
    checkCudaErrors(cudaMalloc(&dBt, B.size() * sizeof(half)));
    checkCudaErrors(cudaMalloc(&dC16, C16.size() * sizeof(half)));
    checkCudaErrors(cudaMalloc(&dC32, C32.size() * sizeof(float)));
    checkCudaErrors(cudaMemcpy(dA, A.data(), A.size() * sizeof(half), cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(dB, B.data(), B.size() * sizeof(half), cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(dBt, Bt.data(), B.size() * sizeof(half), cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(dC16, C16.data(), C16.size() * sizeof(half), cudaMemcpyDefault));
    checkCudaErrors(cudaMemcpy(dC32, C32.data(), C32.size() * sizeof(float), cudaMemcpyDefault));

    bool passed = true;
    dim3 block(64, 2), grid(divUp(M, 16 * 2), divUp(N, 16 * 2));
    simpleWmma<float><<<grid, block>>>(dA, dBt, dC32, M, N, K, 2.0f, 3.0f);
    checkCudaErrors(cudaMemcpy(got.data(), dC32, got.size() * sizeof(float), cudaMemcpyDefault));
    for (int i = 0; i < M * N; i++) passed = passed && got[i] == 2 * product[i] + 3;
    printf("float accumulator: %.1f %.1f %s\n", got[0], got[M * N - 1], passed ? "right" : "WRONG");

    simpleWmma<half><<<grid, block>>>(dA, dBt, dC16, M, N, K, 1.0f, 1.0f);
    checkCudaErrors(
        cudaMemcpy(C16.data(), dC16, C16.size() * sizeof(half), cudaMemcpyDeviceToHost));
    bool halves = true;
    for (int i = 0; i < M * N; i++) halves = halves && __half2float(C16[i]) == product[i] + 1;
    printf("half accumulator: %.1f %s\n", __half2float(C16[1]), halves ? "right" : "WRONG");

    checkCudaErrors(cudaMemset(dC32, 0xff, got.size() * sizeof(float)));
    sharedWmma<<<dim3(N / 64, M / 64), 128>>>(dA, dB, dC32, M, N, K);
    checkCudaErrors(cudaMemcpy(got.data(), dC32, got.size() * sizeof(float), cudaMemcpyDefault));
    bool shared = got == product;
    printf("shared tiles: %.1f %s\n", got[M * N / 2], shared ? "right" : "WRONG");
    return finish("matmul_wmma", passed && halves && shared);
}
