// Registers, fragments and local arrays that nothing has written: see check_case.h.
#include <cuda_fp16.h>
#include <mma.h>

#include "check_case.h"

using namespace nvcuda;

__global__ void sum_of_row(const float *x, float *y, int n) {
    float s;
    for (int i = threadIdx.x; i < n; i += 32) s += x[i];
    y[threadIdx.x] = s;
}

__global__ void sums_of_four(const float *x, float *y, int n) {
    float acc[4];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 4; j++) acc[j] = fmaf(x[i], x[i + j], acc[j]);
    for (int j = 0; j < 4; j++) y[4 * threadIdx.x + j] = acc[j];
}

// The threads from n on have no value.
__global__ void value_in_branch(const float *x, float *y, int n) {
    float value;
    if (threadIdx.x < n) value = x[threadIdx.x] + 1;
    y[threadIdx.x] = value;
}
__global__ void value_in_both(const float *x, float *y, int n) {
    float value;
    if (threadIdx.x < n) value = x[threadIdx.x] + 1;
    if (threadIdx.x < n) y[threadIdx.x] = value;
}

__global__ void index_of(const float *x, float *y, float wanted, int n) {
    int at;
    for (int i = 0; i < n; i++)
        if (x[i] == wanted) at = i;
    if (at > 50) y[threadIdx.x] = 1;
}
__global__ void address_of(const float *x, float *y, float wanted, int n) {
    int at;
    for (int i = 0; i < n; i++)
        if (x[i] == wanted) at = i;
    y[at & 127] = 1;
}

// Passed on through a shuffle, shared memory or local memory, and used or not.
enum class path { SHUFFLE, SHARED, LOCAL, PACKED, PRINTED };
template <path BY> __global__ void passed_on(const float *x, float *y, int n, bool uses) {
    __shared__ float tile[BLOCK];
    float value, got = 0, local[8];
    if (threadIdx.x < n) value = x[threadIdx.x];
    if (BY == path::SHUFFLE) {
        got = __shfl_down_sync(0xffffffff, value, 8);
    } else if (BY == path::SHARED) {
        tile[threadIdx.x] = value;
        __syncthreads();
        got = tile[(threadIdx.x + 8) % 32];
    } else if (BY == path::LOCAL) {
        for (int i = 0; i < 8; i++) local[(i * n) & 7] = value;
        got = local[n & 7];
    } else if (BY == path::PACKED) {
        unsigned both;
        unsigned short lower = threadIdx.x, upper;
        if (threadIdx.x < n) upper = (unsigned short)x[threadIdx.x];
        asm volatile("mov.b32 %0, {%1, %2};" : "=r"(both) : "h"(lower), "h"(upper));
        asm volatile("{ .reg .b16 unused; mov.b32 {%0, unused}, %1; }" : "=h"(lower) : "r"(both));
        asm volatile("{ .reg .b16 unused; mov.b32 {unused, %0}, %1; }" : "=h"(upper) : "r"(both));
        got = uses ? (float)upper : (float)lower;
        uses = true;
    } else {
        if (uses || threadIdx.x < n) printf("%f\n", value);
    }
    if (uses || threadIdx.x + 8 < n) y[threadIdx.x] = got;
}

// An argument that the function may not look at, and a result that it may not give.
static __device__ __noinline__ float chosen(float value, bool valid) {
    return valid ? value : 1.0f;
}
__global__ void argument(const float *x, float *y, int n, bool valid) {
    float value;
    if (n > 5) value = x[threadIdx.x];
    y[threadIdx.x] = chosen(value, valid);
}

struct pair {
    float first, second;
};
static __device__ __noinline__ pair of_two(const float *x, int n) {
    pair p;
    p.first = x[0];
    if (n > 5) p.second = x[1];
    return p;
}
__global__ void result(const float *x, float *y, int n, bool second) {
    pair p = of_two(x, n);
    y[threadIdx.x] = second ? p.second : p.first;
}

enum class lacks { NOTHING, FILL, LOAD };
template <lacks LACKS> __global__ void wmma_product(const half *a, float *y, int n) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> total;
    if (LACKS != lacks::FILL) wmma::fill_fragment(total, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(left, a + k, 16);
        if (LACKS != lacks::LOAD) wmma::load_matrix_sync(right, a + k, 16);
        wmma::mma_sync(total, left, right, total);
    }
    wmma::store_matrix_sync(y, total, 16, wmma::mem_row_major);
}

static __device__ void multiply(float *d, float *y, int n) {
    for (int k = 0; k < n; k++)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                     "{%4, %4}, {%4}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(k));
    for (int i = 0; i < 4; i++) y[4 * threadIdx.x + i] = d[i];
}
__global__ void mma_product(float *y, int n) {
    float d[4];
    multiply(d, y, n);
}
__global__ void mma_from_zero(float *y, int n) {
    float d[4] = {0, 0, 0, 0};
    multiply(d, y, n);
}

// A predicate, and code that its guard makes safe in each lane.
__global__ void flag(const float *x, float *y, int n) {
    asm volatile("{ .reg .pred found; .reg .f32 value; .reg .pred less;\n\t"
                 "setp.lt.s32 less, %2, %3;\n\t"
                 "@less ld.global.f32 value, [%0];\n\t"
                 "@less add.f32 value, value, 0f3F800000;\n\t"
                 "@less st.global.f32 [%1], value;\n\t"
                 "@found st.global.f32 [%1+4], 0f3F800000; }" ::"l"(x),
                 "l"(y), "r"((int)threadIdx.x), "r"(n)
                 : "memory");
}
__global__ void guarded(const float *x, float *y, int n) {
    asm volatile("{ .reg .f32 value; .reg .pred less;\n\t"
                 "setp.lt.s32 less, %2, %3;\n\t"
                 "@less ld.global.f32 value, [%0];\n\t"
                 "@less add.f32 value, value, 0f3F800000;\n\t"
                 "@less st.global.f32 [%1], value; }" ::"l"(x),
                 "l"(y + threadIdx.x), "r"((int)threadIdx.x), "r"(n)
                 : "memory");
}

// As in CUB: what items after the end of a tile hold is added and stored; and a functor's sum.
static __device__ __noinline__ float sum_of_first(const float *x, int n) {
    float s;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}
namespace cub {
__global__ void partial_tile(const float *x, float *y, int n, bool calls) {
    float item;
    if (threadIdx.x < n) item = x[threadIdx.x];
    y[threadIdx.x] = (calls ? sum_of_first(x, n) : item) + 1;
}
} // namespace cub

// A local array of which only the first n elements are set; and one of structures with padding
// that is copied whole.
__global__ void part_of_array(const float *x, float *y, int n) {
    float history[8];
    for (int i = 0; i < n; i++) history[i] = x[i];
    float s = 0;
    for (int i = 0; i < 8; i++) s += history[(i * n) & 7];
    y[threadIdx.x] = s;
}
struct padded {
    char kind;
    double value;
};
__global__ void padded_copies(const float *x, float *y, int n) {
    padded list[4], copy[4];
    for (int i = 0; i < n; i++) list[i & 3].kind = 1, list[i & 3].value = x[i];
    for (int i = 0; i < 4; i++) copy[(i * n + n) & 3] = list[i];
    y[threadIdx.x] = (float)copy[n & 3].value;
}

// finds unset-variable: s .= x.i.;
//   ~ local variable s, declared at :[0-9]+ without[ \n]+a[ \n]+value.*such as 0 for a sum
CASE(sum_of_row, sum_of_row<<<1, 32>>>(d_x, d_y, 100));
// finds unset-variable: acc.j. = fmaf.*local variable acc, declared at
CASE(sums_of_four, sums_of_four<<<1, 32>>>(d_x, d_y, 10));
// finds unset-variable: thread .20,0,0. of block.*y.threadIdx.x. = value
//   ~ local variable value, declared
CASE(value_in_branch, value_in_branch<<<1, 32>>>(d_x, d_y, 20));
CASE(value_in_branch_not, value_in_branch<<<1, 32>>>(d_x, d_y, 32));
CASE(value_in_both_not, value_in_both<<<1, 32>>>(d_x, d_y, 20));
// finds unset-variable: local variable at, declared
CASE(branch, index_of<<<1, 32>>>(d_x, d_y, -1, 7));
CASE(branch_not, index_of<<<1, 32>>>(d_x, d_y, 5, 7));
// finds unset-variable: local variable at, declared
CASE(address, address_of<<<1, 32>>>(d_x, d_y, -1, 7));
CASE(address_not, address_of<<<1, 1>>>(d_x, d_y, 5, 7));
// finds unset-variable: thread .12,0,0.
PAIR(shuffle, passed_on<path::SHUFFLE><<<1, 32>>>(d_x, d_y, 20, !right));
// finds unset-variable: tile.threadIdx.x. = value
PAIR(shared, passed_on<path::SHARED><<<1, 32>>>(d_x, d_y, 20, !right));
// finds unset-variable: thread .20,0,0.
PAIR(local, passed_on<path::LOCAL><<<1, 32>>>(d_x, d_y, 20, !right));
// finds unset-variable: got = uses.*local variable upper
PAIR(packed, passed_on<path::PACKED><<<1, 32>>>(d_x, d_y, 20, !right));
// finds unset-variable: printf
PAIR(printed, passed_on<path::PRINTED><<<1, 32>>>(d_x, d_y, 20, !right));
// finds unset-variable: chosen.value, valid.*local variable value
PAIR(argument, argument<<<1, 32>>>(d_x, d_y, 2, !right));
// finds unset-variable: second . p.second
PAIR(result, result<<<1, 32>>>(d_x, d_y, 2, !right));
// finds unset-variable: wmma::mma_sync.total.*fragment total, declared
//   ~ never filled: wmma::fill_fragment
CASE(wmma_fill, wmma_product<lacks::FILL><<<1, 32>>>((const half *)d_y, d_x, 32));
// finds unset-variable: wmma::mma_sync.total.*fragment right, declared
//   ~ never loaded: wmma::load_matrix_sync
CASE(wmma_load, wmma_product<lacks::LOAD><<<1, 32>>>((const half *)d_y, d_x, 32));
// finds unset-variable: wmma::store_matrix_sync.*never filled
CASE(wmma_store, wmma_product<lacks::FILL><<<1, 32>>>((const half *)d_y, d_x, 0));
CASE(wmma_not, wmma_product<lacks::NOTHING><<<1, 32>>>((const half *)d_y, d_x, 32));
// finds unset-variable: an accumulator that nothing has written
CASE(mma, mma_product<<<1, 32>>>(d_y, 2));
CASE(mma_not, mma_from_zero<<<1, 32>>>(d_y, 2));
// finds unset-variable: read at check_unset.cu
CASE(flag, flag<<<1, 1>>>(d_x, d_y, 20));
CASE(guarded_not, guarded<<<1, 32>>>(d_x, d_y, 20));
CASE(library_not, cub::partial_tile<<<1, 32>>>(d_x, d_y, 20, false));
// finds unset-variable: s .= x.i.;.*local variable s, declared
CASE(library_functor, cub::partial_tile<<<1, 32>>>(d_x, d_y, 20, true));
// finds uninitialised: s .= history.*4 bytes of local memory: history, declared at
CASE(part_of_array, part_of_array<<<1, 32>>>(d_x, d_y, 5));
CASE(part_of_array_not, part_of_array<<<1, 32>>>(d_x, d_y, 8));
CASE(padded_copies_not, padded_copies<<<1, 32>>>(d_x, d_y, 3));
