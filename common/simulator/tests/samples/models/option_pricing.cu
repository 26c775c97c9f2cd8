// SPDX-License-Identifier: MIT
// European options three ways: Black-Scholes in closed form, Monte Carlo with Box-Muller normals
// from a counter-based generator, and a binomial tree in shared memory; each against the host's
// double results.
#include <cmath>
#include <vector>

#include "../helper.h"

#define RISKFREE   0.02f
#define VOLATILITY 0.30f

__device__ inline float cndGPU(float d) {
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f;
    const float A5 = 1.330274429f, RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
    float cnd =
        RSQRT2PI * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0) cnd = 1.0f - cnd;
    return cnd;
}

__launch_bounds__(128) __global__
    void BlackScholesGPU(float2 *__restrict d_CallResult, float2 *__restrict d_PutResult,
                         float2 *__restrict d_StockPrice, float2 *__restrict d_OptionStrike,
                         float2 *__restrict d_OptionYears, float R, float V, int optN) {
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt >= optN / 2) return;
    float call[2], put[2];
    float S[2] = {d_StockPrice[opt].x, d_StockPrice[opt].y};
    float X[2] = {d_OptionStrike[opt].x, d_OptionStrike[opt].y};
    float T[2] = {d_OptionYears[opt].x, d_OptionYears[opt].y};
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float sqrtT = __fdividef(1.0F, rsqrtf(T[i]));
        float d1 = __fdividef(__logf(S[i] / X[i]) + (R + 0.5f * V * V) * T[i], V * sqrtT);
        float d2 = d1 - V * sqrtT, CNDD1 = cndGPU(d1), CNDD2 = cndGPU(d2);
        float expRT = __expf(-R * T[i]);
        call[i] = S[i] * CNDD1 - X[i] * expRT * CNDD2;
        put[i] = X[i] * expRT * (1.0f - CNDD2) - S[i] * (1.0f - CNDD1);
    }
    d_CallResult[opt] = make_float2(call[0], call[1]);
    d_PutResult[opt] = make_float2(put[0], put[1]);
}

__device__ unsigned int hash(unsigned int x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

__global__ void monteCarlo(float *sums, float S, float X, float drift, float spread, int paths) {
    __shared__ float partial[8];
    float sum = 0;
    for (int i = threadIdx.x; i < paths; i += blockDim.x) {
        unsigned int path = blockIdx.x * paths + i;
        float u1 = (hash(2 * path) + 0.5f) * 2.3283064e-10f,
              u2 = hash(2 * path + 1) * 2.3283064e-10f;
        float s, c, radius = sqrtf(-2.0f * logf(u1));
        sincospif(2.0f * u2, &s, &c);
        float up = S * expf(drift + spread * radius * c) - X,
              down = S * expf(drift + spread * radius * s) - X;
        sum += 0.5f * (fmaxf(up, 0.0f) + fmaxf(down, 0.0f));
    }
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) sum += partial[w];
        sums[blockIdx.x] = sum / paths;
    }
}

__global__ void binomialTree(float *result, float S, float X, float vDt, float puByDf, float pdByDf,
                             int steps) {
    extern __shared__ float call[];
    for (int i = threadIdx.x; i <= steps; i += blockDim.x)
        call[i] = fmaxf(S * expf(vDt * (2.0f * i - steps)) - X, 0.0f);
    __syncthreads();
    for (int i = steps; i > 0; i--) {
        for (int base = 0; base < i; base += blockDim.x) {
            int j = base + threadIdx.x;
            float value = j < i ? puByDf * call[j + 1] + pdByDf * call[j] : 0;
            __syncthreads();
            if (j < i) call[j] = value;
            __syncthreads();
        }
    }
    if (threadIdx.x == 0) *result = call[0];
}

static double cnd(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }
static void blackScholes(double &call, double &put, double S, double X, double T) {
    double sqrtT = sqrt(T);
    double d1 =
        (log(S / X) + (RISKFREE + 0.5 * VOLATILITY * VOLATILITY) * T) / (VOLATILITY * sqrtT);
    double d2 = d1 - VOLATILITY * sqrtT, expRT = exp(-RISKFREE * T);
    call = S * cnd(d1) - X * expRT * cnd(d2);
    put = X * expRT * (1.0 - cnd(d2)) - S * (1.0 - cnd(d1));
}

int main(int argc, char **argv) {
    const int OPT_N = intOption(argc, argv, "n", 20000), OPT_SZ = OPT_N * sizeof(float);
    std::vector<float> S(OPT_N), X(OPT_N), T(OPT_N), callGPU(OPT_N), putGPU(OPT_N);
    HostRandom random(5347);
    for (int i = 0; i < OPT_N; i++) {
        S[i] = 5.0f + 25.0f * random.uniform();
        X[i] = 1.0f + 99.0f * random.uniform();
        T[i] = 0.25f + 9.75f * random.uniform();
    }
    float *d[5];
    for (float *&p : d) checkCudaErrors(cudaMalloc((void **)&p, OPT_SZ));
    checkCudaErrors(cudaMemcpy(d[2], S.data(), OPT_SZ, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d[3], X.data(), OPT_SZ, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d[4], T.data(), OPT_SZ, cudaMemcpyHostToDevice));
    BlackScholesGPU<<<divUp(OPT_N / 2, 128), 128>>>((float2 *)d[0], (float2 *)d[1], (float2 *)d[2],
                                                    (float2 *)d[3], (float2 *)d[4], RISKFREE,
                                                    VOLATILITY, OPT_N);
    getLastCudaError("BlackScholesGPU() execution failed\n");
    checkCudaErrors(cudaMemcpy(callGPU.data(), d[0], OPT_SZ, cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpy(putGPU.data(), d[1], OPT_SZ, cudaMemcpyDeviceToHost));
    double sum_delta = 0, sum_ref = 0, worst = 0, call, put;
    for (int i = 0; i < OPT_N; i++) {
        blackScholes(call, put, S[i], X[i], T[i]);
        sum_delta += fabs(call - callGPU[i]);
        sum_ref += fabs(call);
        worst = fmax(worst, fabs(put - putGPU[i]));
    }
    bool passed = sum_delta / sum_ref < 1e-5 && worst < 1e-3;
    printf("closed form: call %.3f, put %.3f, L1 norm %s\n", callGPU[0], putGPU[0],
           passed ? "small" : "LARGE");

    const float s0 = 30, x0 = 27, years = 1.5f;
    blackScholes(call, put, s0, x0, years);
    const int blocks = 16, paths = 8192;
    monteCarlo<<<blocks, 256>>>(d[0], s0, x0, (RISKFREE - 0.5f * VOLATILITY * VOLATILITY) * years,
                                VOLATILITY * sqrtf(years), paths);
    float means[blocks], estimate = 0, tree = 0;
    checkCudaErrors(cudaMemcpy(means, d[0], sizeof means, cudaMemcpyDeviceToHost));
    for (float mean : means) estimate += mean / blocks * expf(-RISKFREE * years);
    printf("Monte Carlo: %.2f, expected %.2f\n", estimate, call);
    passed = passed && fabs(estimate - call) < 0.08;

    const int steps = 500;
    double dt = years / (double)steps, vDt = VOLATILITY * sqrt(dt), If = exp(RISKFREE * dt);
    double u = exp(vDt), pu = (If - 1 / u) / (u - 1 / u);
    binomialTree<<<1, 128, (steps + 1) * sizeof(float)>>>(
        d[0], s0, x0, (float)vDt, (float)(pu / If), (float)((1 - pu) / If), steps);
    getLastCudaError("binomialTree");
    checkCudaErrors(cudaMemcpy(&tree, d[0], sizeof tree, cudaMemcpyDeviceToHost));
    printf("binomial tree: %.2f\n", tree);
    return finish("option_pricing", passed && fabs(tree - call) < 0.01);
}
