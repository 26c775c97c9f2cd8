// Matrix instructions: fragments of mma.h, and mma.sync, ldmatrix, stmatrix, movmatrix in inline
// PTX with the layouts that PTX documents. Small integers are exact in every type, so results are
// too; fractions are compared with a tolerance of the accumulator's rounding.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <vector>

#include "../check.h"

using namespace nvcuda;

template <class T> __host__ __device__ T from(float value) { return T(value); }

// ---- wmma: c = a * b + c, row-major or column-major operands ------------------------------------

template <int M, int N, int K, class In, class Fragment, class Out, class LayoutA, class LayoutB>
__global__ void wmma_product(Out *out, const In *a, const In *b, const Out *c) {
    wmma::fragment<wmma::matrix_a, M, N, K, Fragment, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Fragment, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Out> fc;
    bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
    bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    wmma::load_matrix_sync(fa, a, a_rows ? K : M);
    wmma::load_matrix_sync(fb, b, b_rows ? N : K);
    wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
    wmma::mma_sync(fc, fa, fb, fc);
    for (int i = 0; i < fc.num_elements; i++) fc.x[i] = fc.x[i] + fc.x[i];
    wmma::store_matrix_sync(out, fc, N, wmma::mem_row_major);
}

template <class T> T *upload(const std::vector<T> &host) {
    T *device;
    CUDA_CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

static int small(int i, int seed) { return (i * 7 + seed * 13 + i / 5) % 7 - 3; }

template <int M, int N, int K, class In, class Fragment, class Out, class LayoutA, class LayoutB>
void check_wmma(const char *name) {
    std::vector<In> a(M * K), b(K * N);
    std::vector<Out> c(M * N), out(M * N);
    bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
    bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
    int shift = std::is_same<In, unsigned char>::value ? 3 : 0;
    for (int i = 0; i < M * K; i++) a[i] = from<In>((float)(small(i, 1) + shift));
    for (int i = 0; i < K * N; i++) b[i] = from<In>((float)(small(i, 2) + shift));
    for (int i = 0; i < M * N; i++) c[i] = from<Out>((float)small(i, 3));
    In *d_a = upload(a), *d_b = upload(b);
    Out *d_c = upload(c), *d_out = upload(out);
    wmma_product<M, N, K, In, Fragment, Out, LayoutA, LayoutB><<<1, 32>>>(d_out, d_a, d_b, d_c);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(Out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = (float)c[i * N + j];
            for (int k = 0; k < K; k++)
                sum += (float)a[a_rows ? i * K + k : k * M + i] *
                       (float)b[b_rows ? k * N + j : j * K + k];
            if ((float)out[i * N + j] == 2 * sum) continue;
            fprintf(stderr, "%s: (%d, %d) is %g, not %g\n", name, i, j, (float)out[i * N + j],
                    2 * sum);
            exit(1);
        }
}

#define CHECK_WMMA(m, n, k, in, fragment, out)                                                     \
    check_wmma<m, n, k, in, fragment, out, wmma::row_major, wmma::col_major>(#in " " #m " rc");    \
    check_wmma<m, n, k, in, fragment, out, wmma::col_major, wmma::row_major>(#in " " #m " cr")

// ---- mma.sync with documented layouts -----------------------------------------------------------

// Lane and register of an element follow PTX's tables for .f16: one kernel a shape.
__global__ void mma_f16(float *out, const __half *a, const __half *b, const float *c) {
    int group = (int)threadIdx.x / 4, inner = (int)threadIdx.x % 4;
    __half fa[8], fb[4];
    float d[4], fc[4];
    for (int i = 0; i < 8; i++) {
        int row = group + ((i / 2) % 2) * 8, column = inner * 2 + i % 2 + (i / 4) * 8;
        fa[i] = a[row * 16 + column];
    }
    for (int i = 0; i < 4; i++) fb[i] = b[(inner * 2 + i % 2 + (i / 2) * 8) * 8 + group];
    for (int i = 0; i < 4; i++) fc[i] = c[(group + (i / 2) * 8) * 8 + inner * 2 + i % 2];
    const unsigned *pa = (const unsigned *)fa, *pb = (const unsigned *)fb;
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(pa[0]), "r"(pa[1]), "r"(pa[2]), "r"(pa[3]), "r"(pb[0]), "r"(pb[1]), "f"(fc[0]),
          "f"(fc[1]), "f"(fc[2]), "f"(fc[3]));
    for (int i = 0; i < 4; i++) out[(group + (i / 2) * 8) * 8 + inner * 2 + i % 2] = d[i];
}

__global__ void mma_tf32(float *out, const float *a, const float *b, const float *c) {
    int group = (int)threadIdx.x / 4, inner = (int)threadIdx.x % 4;
    float d[4], fa[4], fb[2], fc[4];
    for (int i = 0; i < 4; i++) fa[i] = a[(group + i % 2 * 8) * 8 + inner + i / 2 * 4];
    for (int i = 0; i < 2; i++) fb[i] = b[(inner + i * 4) * 8 + group];
    for (int i = 0; i < 4; i++) fc[i] = c[(group + (i / 2) * 8) * 8 + inner * 2 + i % 2];
    const unsigned *pa = (const unsigned *)fa, *pb = (const unsigned *)fb;
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%10,%11,%12,%13};"
        : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
        : "r"(pa[0]), "r"(pa[1]), "r"(pa[2]), "r"(pa[3]), "r"(pb[0]), "r"(pb[1]), "f"(fc[0]),
          "f"(fc[1]), "f"(fc[2]), "f"(fc[3]));
    for (int i = 0; i < 4; i++) out[(group + (i / 2) * 8) * 8 + inner * 2 + i % 2] = d[i];
}

__global__ void mma_s8(int *out, const signed char *a, const signed char *b, const int *c) {
    int group = (int)threadIdx.x / 4, inner = (int)threadIdx.x % 4, d[4], fc[4];
    __align__(4) signed char fa[16], fb[8];
    for (int i = 0; i < 16; i++)
        fa[i] = a[(group + (i / 4) % 2 * 8) * 32 + inner * 4 + i % 4 + i / 8 * 16];
    for (int i = 0; i < 8; i++) fb[i] = b[(inner * 4 + i % 4 + i / 4 * 16) * 8 + group];
    for (int i = 0; i < 4; i++) fc[i] = c[(group + (i / 2) * 8) * 8 + inner * 2 + i % 2];
    const unsigned *pa = (const unsigned *)fa, *pb = (const unsigned *)fb;
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11,%12,%13};"
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
        : "r"(pa[0]), "r"(pa[1]), "r"(pa[2]), "r"(pa[3]), "r"(pb[0]), "r"(pb[1]), "r"(fc[0]),
          "r"(fc[1]), "r"(fc[2]), "r"(fc[3]));
    for (int i = 0; i < 4; i++) out[(group + (i / 2) * 8) * 8 + inner * 2 + i % 2] = d[i];
}

__global__ void mma_f64(double *out, const double *a, const double *b, const double *c) {
    int group = (int)threadIdx.x / 4, inner = (int)threadIdx.x % 4;
    double d0, d1;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
        : "=d"(d0), "=d"(d1)
        : "d"(a[group * 4 + inner]), "d"(b[inner * 8 + group]), "d"(c[group * 8 + inner * 2]),
          "d"(c[group * 8 + inner * 2 + 1]));
    out[group * 8 + inner * 2] = d0;
    out[group * 8 + inner * 2 + 1] = d1;
}

// `scale` makes fractions of the operands; `tolerance` is relative to the sum of magnitudes.
template <class In, class Out>
void check_mma(const char *name, void (*kernel)(Out *, const In *, const In *, const Out *), int m,
               int k, float scale, double tolerance) {
    const int n = 8;
    std::vector<In> a(m * k), b(k * n);
    std::vector<Out> c(m * n), out(m * n);
    for (int i = 0; i < m * k; i++) a[i] = from<In>((float)small(i, 1) * scale);
    for (int i = 0; i < k * n; i++) b[i] = from<In>((float)small(i, 2) * scale);
    for (int i = 0; i < m * n; i++) c[i] = from<Out>((float)small(i, 3) * scale);
    In *d_a = upload(a), *d_b = upload(b);
    Out *d_c = upload(c), *d_out = upload(out);
    kernel<<<1, 32>>>(d_out, d_a, d_b, d_c);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(Out), cudaMemcpyDeviceToHost));
    for (int i = 0; i < m * n; i++) {
        double sum = (double)c[i], size = fabs(sum);
        for (int x = 0; x < k; x++) {
            double term = (double)(float)a[i / n * k + x] * (double)(float)b[x * n + i % n];
            sum += term;
            size += fabs(term);
        }
        if (fabs((double)out[i] - sum) <= tolerance * size) continue;
        fprintf(stderr, "%s: element %d is %.9g, not %.9g\n", name, i, (double)out[i], sum);
        exit(1);
    }
}

// ---- moving 8x8 matrices ------------------------------------------------------------------------

// out[0..3]: four matrices as ldmatrix gives them; out[4..7]: transposed; [8]: the first through
// movmatrix; tile: the four stored back by stmatrix, transposed.
__global__ void moves(unsigned *out, unsigned short *back, const unsigned short *in) {
    __shared__ __align__(16) unsigned short tile[4][8][8], copy[4][8][8];
    int lane = (int)threadIdx.x;
    for (int i = lane; i < 256; i += 32) (&tile[0][0][0])[i] = in[i];
    __syncwarp();
    unsigned row = (unsigned)__cvta_generic_to_shared(&tile[lane / 8][lane % 8][0]);
    unsigned target = (unsigned)__cvta_generic_to_shared(&copy[lane / 8][lane % 8][0]);
    unsigned r[4], t[4], moved;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(t[0]), "=r"(t[1]), "=r"(t[2]), "=r"(t[3])
                 : "r"(row));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved) : "r"(r[0]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%4], {%0,%1,%2,%3};" ::"r"(r[0]),
                 "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(target)
                 : "memory");
    __syncwarp();
    for (int i = 0; i < 4; i++) {
        out[i * 32 + lane] = r[i];
        out[(4 + i) * 32 + lane] = t[i];
    }
    out[8 * 32 + lane] = moved;
    for (int i = lane; i < 256; i += 32) back[i] = (&copy[0][0][0])[i];
}

static void check_moves() {
    std::vector<unsigned short> in(256), back(256);
    std::vector<unsigned> out(9 * 32);
    for (int i = 0; i < 256; i++) in[i] = (unsigned short)(i * 257 + 3);
    unsigned short *d_in = upload(in), *d_back = upload(back);
    unsigned *d_out = upload(out);
    moves<<<1, 32>>>(d_out, d_back, d_in);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(back.data(), d_back, back.size() * 2, cudaMemcpyDeviceToHost));
    for (int m = 0; m < 4; m++)
        for (int lane = 0; lane < 32; lane++)
            for (int half = 0; half < 2; half++) {
                int row = lane / 4, column = lane % 4 * 2 + half;
                unsigned short plain = in[m * 64 + row * 8 + column];
                unsigned short turned = in[m * 64 + column * 8 + row];
                EXPECT((unsigned short)(out[m * 32 + lane] >> 16 * half) == plain);
                EXPECT((unsigned short)(out[(4 + m) * 32 + lane] >> 16 * half) == turned);
                if (m == 0) EXPECT((unsigned short)(out[8 * 32 + lane] >> 16 * half) == turned);
                EXPECT(back[m * 64 + column * 8 + row] == plain);
            }
}

int main() {
    CHECK_WMMA(16, 16, 16, __half, __half, float);
    CHECK_WMMA(32, 8, 16, __half, __half, float);
    CHECK_WMMA(8, 32, 16, __half, __half, float);
    CHECK_WMMA(16, 16, 16, __half, __half, __half);
    CHECK_WMMA(16, 16, 16, __nv_bfloat16, __nv_bfloat16, float);
    CHECK_WMMA(32, 8, 16, __nv_bfloat16, __nv_bfloat16, float);
    CHECK_WMMA(16, 16, 8, float, wmma::precision::tf32, float);
    CHECK_WMMA(16, 16, 16, signed char, signed char, int);
    CHECK_WMMA(8, 32, 16, unsigned char, unsigned char, int);
    CHECK_WMMA(8, 8, 4, double, double, double);
    check_mma("f16", mma_f16, 16, 16, 1, 0);
    check_mma("f16 fractions", mma_f16, 16, 16, 0.1f, 0x1p-22);
    check_mma("tf32", mma_tf32, 16, 8, 1, 0);
    check_mma("s8", mma_s8, 16, 32, 1, 0);
    check_mma("f64", mma_f64, 8, 4, 1, 0);
    check_moves();
    printf("ok\n");
    return 0;
}
