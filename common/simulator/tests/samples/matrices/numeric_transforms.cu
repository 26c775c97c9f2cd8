// SPDX-License-Identifier: MIT
// Transforms: a radix-2 FFT in shared memory there and back, a number-theoretic transform that
// multiplies polynomials exactly, a Walsh-Hadamard transform, and the 8x8 DCT of image blocks with
// its inverse.
#include <cmath>
#include <vector>

#include "../helper.h"

typedef unsigned long long u64;
const unsigned P = 998244353;

__host__ __device__ inline unsigned mulmod(unsigned a, unsigned b) {
    return (u64)a * b % P;
}
__host__ __device__ inline unsigned powmod(unsigned a, unsigned e) {
    unsigned r = 1;
    for (; e; e >>= 1, a = mulmod(a, a))
        if (e & 1) r = mulmod(r, a);
    return r;
}

template <int LOG> __global__ void fft(float2 *data, float sign) {
    constexpr int N = 1 << LOG;
    __shared__ float2 s[N];
    float2 *row = data + blockIdx.x * N;
    for (int i = threadIdx.x; i < N; i += blockDim.x) s[__brev(i) >> (32 - LOG)] = row[i];
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        for (int t = threadIdx.x; t < N / 2; t += blockDim.x) {
            int k = t % half, i = t / half * 2 * half + k;
            float c, d;
            sincospif(sign * k / half, &d, &c);
            float2 a = s[i], b = s[i + half];
            float2 w = make_float2(b.x * c - b.y * d, b.x * d + b.y * c);
            s[i] = make_float2(a.x + w.x, a.y + w.y);
            s[i + half] = make_float2(a.x - w.x, a.y - w.y);
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N; i += blockDim.x) row[i] = s[i];
}

__global__ void nttStage(unsigned *a, int half, unsigned root, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2) return;
    int k = t % half, i = t / half * 2 * half + k;
    unsigned x = a[i], y = mulmod(a[i + half], powmod(root, k));
    a[i] = x + y >= P ? x + y - P : x + y;
    a[i + half] = x >= y ? x - y : x + P - y;
}
__global__ void bitReverse(const unsigned *in, unsigned *out, int log) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1 << log) out[__brev(i) >> (32 - log)] = in[i];
}
__global__ void multiply(unsigned *a, const unsigned *b, int n, unsigned factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = mulmod(mulmod(a[i], b ? b[i] : 1), factor);
}
static void ntt(unsigned *&a, unsigned *&scratch, int log, bool inverse) {
    int n = 1 << log, blocks = divUp(n, 128);
    bitReverse<<<blocks, 128>>>(a, scratch, log);
    std::swap(a, scratch);
    for (int half = 1; half < n; half *= 2) {
        unsigned root = powmod(3, (P - 1) / (2 * half));
        nttStage<<<blocks, 128>>>(a, half, inverse ? powmod(root, P - 2) : root, n);
    }
    if (inverse) multiply<<<blocks, 128>>>(a, nullptr, n, powmod(n, P - 2));
}

__global__ void walsh(float *data, int n) {
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[i];
    for (int stride = n / 2; stride > 0; stride >>= 1) {
        __syncthreads();
        for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
            int i = 2 * t - (t & (stride - 1));
            float a = s[i], b = s[i + stride];
            s[i] = a + b;
            s[i + stride] = a - b;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s[i];
}

__constant__ float basis[8][8];
__global__ void dct8x8(const float *in, float *out, int width, bool inverse) {
    __shared__ float block[8][8], rows[8][9];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
    block[y][x] = in[at];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += block[y][k] * (inverse ? basis[k][x] : basis[x][k]);
    rows[y][x] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += rows[k][x] * (inverse ? basis[k][y] : basis[y][k]);
    out[at] = sum;
}

int main() {
    HostRandom random(18);
    const int N = 256, batch = 4;
    float2 *signal;
    checkCudaErrors(cudaMallocManaged(&signal, N * batch * sizeof(float2)));
    std::vector<float2> start(N * batch);
    for (int i = 0; i < N * batch; i++)
        start[i] = signal[i] = make_float2(random.uniform(), random.uniform() - 0.5f);
    fft<8><<<batch, 64>>>(signal, -1.0f);
    checkCudaErrors(cudaDeviceSynchronize());
    double worst = 0;
    for (int k = 0; k < N; k += 17) {
        double re = 0, im = 0;
        for (int i = 0; i < N; i++) {
            double angle = -2 * 3.14159265358979323846 * k * i / N, c = cos(angle), s = sin(angle);
            re += start[N + i].x * c - start[N + i].y * s;
            im += start[N + i].x * s + start[N + i].y * c;
        }
        worst = fmax(worst, fmax(fabs(signal[N + k].x - re), fabs(signal[N + k].y - im)));
    }
    printf("fft: constant term %.3f\n", signal[0].x);
    fft<8><<<batch, 64>>>(signal, 1.0f);
    checkCudaErrors(cudaDeviceSynchronize());
    double back = 0;
    for (int i = 0; i < N * batch; i++) back = fmax(back, fabs(signal[i].x / N - start[i].x));
    bool passed = worst < 1e-3 && back < 1e-5;

    const int log = 11, n = 1 << log;
    unsigned *a, *b, *scratch;
    for (unsigned **p : {&a, &b, &scratch})
        checkCudaErrors(cudaMallocManaged(p, n * sizeof(unsigned)));
    std::vector<unsigned> f(n / 2), g(n / 2);
    for (int i = 0; i < n; i++) {
        a[i] = b[i] = 0;
        if (i < n / 2) a[i] = f[i] = random.next() % P, b[i] = g[i] = random.next() % P;
    }
    ntt(a, scratch, log, false);
    ntt(b, scratch, log, false);
    multiply<<<divUp(n, 128), 128>>>(a, b, n, 1);
    ntt(a, scratch, log, true);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int k = 0; k < n; k += 53) {
        unsigned sum = 0;
        for (int i = 0; i <= k; i++)
            if (i < n / 2 && k - i < n / 2) sum = (sum + mulmod(f[i], g[k - i])) % P;
        passed = passed && a[k] == sum;
    }
    printf("polynomial product: %u %u\n", a[0], a[1000]);

    float *w;
    checkCudaErrors(cudaMallocManaged(&w, 1024 * sizeof(float)));
    for (int i = 0; i < 1024; i++) w[i] = (float)(i % 37 - 18);
    walsh<<<1, 256, 1024 * sizeof(float)>>>(w, 1024);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int k = 0; k < 1024; k += 31) {
        float sum = 0;
        for (int i = 0; i < 1024; i++)
            sum += (__builtin_popcount(i & k) & 1 ? -1.0f : 1.0f) * (i % 37 - 18);
        passed = passed && w[k] == sum;
    }
    printf("walsh: %.0f %.0f\n", w[0], w[1023]);

    float table[8][8], *image, *spectrum;
    for (int k = 0; k < 8; k++)
        for (int i = 0; i < 8; i++)
            table[k][i] = (k ? 0.5f : 0.35355339f) * cosf((2 * i + 1) * k * 3.14159265f / 16);
    checkCudaErrors(cudaMemcpyToSymbol(basis, table, sizeof table));
    checkCudaErrors(cudaMallocManaged(&image, 64 * 64 * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&spectrum, 64 * 64 * sizeof(float)));
    for (int i = 0; i < 64 * 64; i++) image[i] = (float)(i * 31 % 256) - 128;
    dct8x8<<<dim3(8, 8), dim3(8, 8)>>>(image, spectrum, 64, false);
    dct8x8<<<dim3(8, 8), dim3(8, 8)>>>(spectrum, spectrum, 64, true);
    checkCudaErrors(cudaDeviceSynchronize());
    back = 0;
    for (int i = 0; i < 64 * 64; i++) back = fmax(back, fabs(spectrum[i] - image[i]));
    printf("dct: there and back %s\n", back < 1e-3 ? "right" : "WRONG");
    return finish("numeric_transforms", passed && back < 1e-3);
}
