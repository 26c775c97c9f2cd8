// Matrix-vector products of every order in a range, by two kernels in the manner of 2008, with the
// modelled rate of each: what docs/cards.md shows of a GeForce 8800 GTX beside Fujimoto's figure 3.
//   direct   blocks of 16 x 16 threads, 16 rows each; half-warps read the matrix as it lies in
//   memory,
//            so that rows are aligned when the order is a multiple of 16 (the library's part)
//   texture  the same blocks; the matrix is read through a texture of float4 with padded rows (the
//            paper's part)
//   ./program_gemv_orders [FROM TO STEP]     prints order,direct,texture in 10^9 operations per
//   second
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define TILE    16
#define COLUMNS (TILE * TILE)

#define MUST(call)                                                                                 \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) {                                                                \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code_));                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// Partial sums of a block, one per thread, to y[first .. first + 15]. All threads must call.
__device__ void write_rows(float sum, float *y, int first, int n) {
    __shared__ float partial[TILE][TILE + 1];
    int tx = threadIdx.x, ty = threadIdx.y;
    partial[ty][tx] = sum;
    for (int stride = TILE / 2; stride >= 1; stride /= 2) {
        __syncthreads();
        if (tx < stride) partial[ty][tx] += partial[ty][tx + stride];
    }
    __syncthreads();
    if (ty == 0 && first + tx < n) y[first + tx] = partial[tx][0];
}

// a: [n][n] row-major, x, y: [n]
__global__ void __launch_bounds__(COLUMNS) direct(const float *a, const float *x, float *y, int n) {
    __shared__ float xs[COLUMNS];
    int tx = threadIdx.x, ty = threadIdx.y, mine = TILE * ty + tx;
    int first = TILE * blockIdx.x, row = first + ty;
    const float *from = a + (size_t)(row < n ? row : n - 1) * n + tx;
    float sum = 0;
    int c = 0;
    for (; c + COLUMNS <= n; c += COLUMNS) {
        __syncthreads();
        xs[mine] = x[c + mine];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) sum += from[c + TILE * k] * xs[TILE * k + tx];
    }
    __syncthreads();
    if (c + mine < n) xs[mine] = x[c + mine];
    __syncthreads();
    for (int k = tx; c + k < n; k += TILE) sum += from[c + k - tx] * xs[k];
    write_rows(sum, y, first, n);
}

// The matrix as a texture of [rows][width / 4] float4; what lies beyond its rows is 0.
__global__ void __launch_bounds__(COLUMNS)
    textured(cudaTextureObject_t a, const float *x, float *y, int n) {
    __shared__ float xs[COLUMNS];
    int tx = threadIdx.x, ty = threadIdx.y, mine = TILE * ty + tx;
    int first = TILE * blockIdx.x, row = first + ty;
    float sum = 0;
    for (int c = 0; c < n; c += COLUMNS) {
        __syncthreads();
        xs[mine] = c + mine < n ? x[c + mine] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < COLUMNS / 4; k += TILE) {
            float4 v = tex2D<float4>(a, c / 4 + k + tx + 0.5f, row + 0.5f);
            const float *with = xs + 4 * (k + tx);
            sum += v.x * with[0] + v.y * with[1] + v.z * with[2] + v.w * with[3];
        }
    }
    write_rows(sum, y, first, n);
}

typedef struct vectors {
    float *d_x, *d_y;
    std::vector<float> want, got;
} vectors;

// Integers below 8: sums are exact.
static float element(int row, int column) { return (float)((row * 3 + column * 5) % 8); }

static void must_agree(vectors *v, int n, const char *what) {
    MUST(cudaMemcpy(v->got.data(), v->d_y, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (v->got[i] != v->want[i]) {
            fprintf(stderr, "%s, order %d: y[%d] is %g, not %g\n", what, n, i, v->got[i],
                    v->want[i]);
            exit(1);
        }
}

// Rate of what lies between the events.
static double rate(cudaEvent_t start, cudaEvent_t stop, int n) {
    float ms = 0;
    MUST(cudaEventSynchronize(stop));
    MUST(cudaEventElapsedTime(&ms, start, stop));
    return 2e-6 * n * n / ms;
}

static double run_direct(const std::vector<float> &a, vectors *v, int n, cudaEvent_t start,
                         cudaEvent_t stop) {
    float *d_a;
    MUST(cudaMalloc(&d_a, a.size() * sizeof(float)));
    MUST(cudaMemcpy(d_a, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaEventRecord(start));
    direct<<<(n + TILE - 1) / TILE, dim3(TILE, TILE)>>>(d_a, v->d_x, v->d_y, n);
    MUST(cudaGetLastError());
    MUST(cudaEventRecord(stop));
    double result = rate(start, stop, n);
    must_agree(v, n, "direct");
    MUST(cudaFree(d_a));
    return result;
}

static double run_textured(const std::vector<float> &a, vectors *v, int n, cudaEvent_t start,
                           cudaEvent_t stop) {
    size_t width = (size_t)(n + COLUMNS - 1) / COLUMNS * COLUMNS / 4; // as the paper pads it
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float4>();
    cudaArray_t array;
    std::vector<float> padded(4 * width * n, 0.0f);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) padded[4 * width * i + j] = a[(size_t)i * n + j];
    MUST(cudaMallocArray(&array, &format, width, n));
    MUST(cudaMemcpy2DToArray(array, 0, 0, padded.data(), width * sizeof(float4),
                             width * sizeof(float4), n, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    MUST(cudaEventRecord(start));
    textured<<<(n + TILE - 1) / TILE, dim3(TILE, TILE)>>>(texture, v->d_x, v->d_y, n);
    MUST(cudaGetLastError());
    MUST(cudaEventRecord(stop));
    double result = rate(start, stop, n);
    must_agree(v, n, "texture");
    MUST(cudaDestroyTextureObject(texture));
    MUST(cudaFreeArray(array));
    return result;
}

static void run_order(int n) {
    std::vector<float> a((size_t)n * n), x(n);
    vectors v;
    cudaEvent_t start, stop;
    v.want.assign(n, 0.0f);
    v.got.resize(n);
    for (int j = 0; j < n; j++) x[j] = (float)(j % 4);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) v.want[i] += (a[(size_t)i * n + j] = element(i, j)) * x[j];
    MUST(cudaEventCreate(&start));
    MUST(cudaEventCreate(&stop));
    MUST(cudaMalloc(&v.d_x, n * sizeof(float)));
    MUST(cudaMalloc(&v.d_y, n * sizeof(float)));
    MUST(cudaMemcpy(v.d_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    double by_direct = run_direct(a, &v, n, start, stop);
    double by_texture = run_textured(a, &v, n, start, stop);
    printf("%d,%.3f,%.3f\n", n, by_direct, by_texture);
    fflush(stdout);
    MUST(cudaFree(v.d_x));
    MUST(cudaFree(v.d_y));
    MUST(cudaEventDestroy(start));
    MUST(cudaEventDestroy(stop));
}

int main(int argc, char **argv) {
    int from = argc > 3 ? atoi(argv[1]) : 64, to = argc > 3 ? atoi(argv[2]) : 66;
    int step = argc > 3 ? atoi(argv[3]) : 1;
    if (from < 1 || to > 12800 || step < 1) {
        fprintf(stderr, "usage: %s [FROM TO STEP], orders of 1 to 12800\n", argv[0]);
        return 2;
    }
    for (int n = from; n <= to; n += step) run_order(n);
    return 0;
}
