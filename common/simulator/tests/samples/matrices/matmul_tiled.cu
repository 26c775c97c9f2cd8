// SPDX-License-Identifier: MIT
// SGEMM in the manner of the tuning tutorials: 64x64 block tiles, 4x4 results a thread, float4
// loads, two shared buffers, the next tile prefetched into registers while the current one is
// multiplied.
#include <vector>

#include "../helper.h"

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN))
    sgemm(int M, int N, int K, float alpha, const float *__restrict__ A,
          const float *__restrict__ B, float beta, float *__restrict__ C) {
    constexpr int THREADS = (BM / TM) * (BN / TN);
    static_assert(BM * BK == THREADS * 4 && BK * BN == THREADS * 4, "one float4 a thread and tile");
    __shared__ __align__(16) float As[2][BK][BM];
    __shared__ __align__(16) float Bs[2][BK][BN];
    const int tid = threadIdx.x, row = tid / (BN / TN) * TM, col = tid % (BN / TN) * TN;
    const int aRow = tid / (BK / 4), aCol = tid % (BK / 4) * 4;
    const int bRow = tid / (BN / 4), bCol = tid % (BN / 4) * 4;
    A += blockIdx.y * BM * K;
    B += blockIdx.x * BN;
    C += blockIdx.y * BM * N + blockIdx.x * BN;

    float accumulator[TM][TN] = {};
    float4 a = *reinterpret_cast<const float4 *>(&A[aRow * K + aCol]);
    float4 b = *reinterpret_cast<const float4 *>(&B[bRow * N + bCol]);
    int stage = 0;
    for (int k0 = 0; k0 < K; k0 += BK) {
        As[stage][aCol + 0][aRow] = a.x;
        As[stage][aCol + 1][aRow] = a.y;
        As[stage][aCol + 2][aRow] = a.z;
        As[stage][aCol + 3][aRow] = a.w;
        *reinterpret_cast<float4 *>(&Bs[stage][bRow][bCol]) = b;
        __syncthreads();
        if (k0 + BK < K) {
            a = *reinterpret_cast<const float4 *>(&A[aRow * K + aCol + k0 + BK]);
            b = *reinterpret_cast<const float4 *>(&B[(bRow + k0 + BK) * N + bCol]);
        }
#pragma unroll
        for (int k = 0; k < BK; k++) {
            float regM[TM], regN[TN];
#pragma unroll
            for (int i = 0; i < TM; i++) regM[i] = As[stage][k][row + i];
#pragma unroll
            for (int j = 0; j < TN; j++) regN[j] = Bs[stage][k][col + j];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++) accumulator[i][j] += regM[i] * regN[j];
        }
        stage ^= 1;
    }
#pragma unroll
    for (int i = 0; i < TM; i++) {
        float4 *out = reinterpret_cast<float4 *>(&C[(row + i) * N + col]);
        float4 old = *out;
        old.x = alpha * accumulator[i][0] + beta * old.x;
        old.y = alpha * accumulator[i][1] + beta * old.y;
        old.z = alpha * accumulator[i][2] + beta * old.z;
        old.w = alpha * accumulator[i][3] + beta * old.w;
        *out = old;
    }
}

int main(int argc, char **argv) {
    const int M = intOption(argc, argv, "m", 128), N = intOption(argc, argv, "n", 192);
    const int K = intOption(argc, argv, "k", 160);
    std::vector<float> A(M * K), B(K * N), C(M * N), got(M * N);
    HostRandom random(17);
    for (float &v : A) v = (float)(random.below(9) - 4);
    for (float &v : B) v = (float)(random.below(9) - 4);
    for (float &v : C) v = (float)random.below(10);
    float *d_A, *d_B, *d_C;
    checkCudaErrors(cudaMalloc(&d_A, A.size() * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_B, B.size() * sizeof(float)));
    checkCudaErrors(cudaMalloc(&d_C, C.size() * sizeof(float)));
    checkCudaErrors(cudaMemcpy(d_A, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_B, B.data(), B.size() * sizeof(float), cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_C, C.data(), C.size() * sizeof(float), cudaMemcpyHostToDevice));
    sgemm<64, 64, 16, 4, 4><<<dim3(N / 64, M / 64), 256>>>(M, N, K, 0.5f, d_A, d_B, 2.0f, d_C);
    getLastCudaError("sgemm");
    checkCudaErrors(
        cudaMemcpy(got.data(), d_C, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool passed = true;
    double trace = 0;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += A[i * K + k] * B[k * N + j];
            passed = passed && got[i * N + j] == 0.5f * sum + 2.0f * C[i * N + j];
            if (i == j) trace += got[i * N + j];
        }
    printf("%dx%dx%d: trace %.1f\n", M, N, K, trace);
    return finish("matmul_tiled", passed);
}
