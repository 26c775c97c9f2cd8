// SPDX-License-Identifier: MIT
// Lab 08, step 9: the preparation looks at the matrix once and chooses. The kernels are those of earlier steps, with what
// an H100 asks for beside: several independent loads a thread before the first is needed, and, where the matrix is read as
// one stream, entries marked as read once, so that they do not push x out of the caches (__ldcs).
//   few diagonals, well filled     step 3's: half the bytes
//   rows of about one length       step 2's: no work but the entries
//   some rows far above the others step 6's: even work whatever the lengths
//   long rows of clusters          the same with larger blocks, and several lanes a row when adding up
//   anything else                  step 7's: as many lanes a row as rows are long
//
// What it cures: no kernel is best for all matrices.
// What it costs: one pass over the matrix on the host.
#include "spmv.h"

#include <cuda_runtime.h>
#include <stdlib.h>

// SOLUTION BEGIN
#define IMPLEMENTED 1
// SOLUTION TODO: set this to 1 when you have written the code below
// SOLUTION STUB: #define IMPLEMENTED 0
// SOLUTION END

#define THREADS        128
#define ENTRIES        512  // of a block of rows; THREADS divides it
#define LONG_ENTRIES   1024 // of a block of long rows
#define PIECES         4    // a huge row is cut into pieces of so many blocks' entries
#define AT_ONCE        4    // independent loads of a thread
#define MOST_DIAGONALS 256
#define ALL_LANES      0xffffffffu

enum kernel {
    DIAGONALS,
    PADDED,
    PADDED_8,
    LANES_2,
    LANES_4,
    LANES_8,
    LANES_16,
    LANES_32,
    BLOCKS,
    LONG_BLOCKS
};

typedef struct auto_plan {
    int64_t kernel;
    int64_t diagonals;  // of DIAGONALS
    int64_t width;      // of PADDED and PADDED_8: entries of the longest row
    int64_t blocks;     // of BLOCKS and LONG_BLOCKS
    int64_t has_pieces; // of these: some row is shared by several
} auto_plan;

static int32_t *offsets_of(const spmv_prepared *p) {
    return (int32_t *)p->d_memory;
}
template <typename T> static T *values_of(const spmv_prepared *p) {
    return (T *)(offsets_of(p) + MOST_DIAGONALS);
}

template <bool ONCE, typename V> __device__ V load(const V *at) {
    return ONCE ? __ldcs(at) : *at;
}

// The products of N entries begin, begin + stride, .. before end: all columns and values are asked for before the first
// of x. each(u, product) takes the u-th one. ONCE: entries are marked as read once.
template <int N, bool ONCE, typename T, typename F>
__device__ void products_of(int32_t begin, int32_t stride, int32_t end, const int32_t *col,
                            const T *val, const T *x, F each) {
    int32_t c[N];
    T v[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        int32_t k = begin + u * stride;
        c[u] = k < end ? load<ONCE>(&col[k]) : -1;
        v[u] = k < end ? load<ONCE>(&val[k]) : T(0);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        if (c[u] >= 0) {
            each(u, v[u] * x[c[u]]);
        }
    }
}

// ---- step 3's kernels ------------------------------------------------------------------------

// val: [diagonals][rows], all 0 before. offset ascends, so the place of an entry is found by halving.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    lay_out(const int32_t *ptr, const int32_t *col, const T *csr_val, int64_t rows,
            const int32_t *offset, int64_t diagonals, T *val) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows) {
        return;
    }
    for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
        int64_t wanted = col[k] - i;
        int64_t low = 0, high = diagonals - 1;
        while (low < high) {
            int64_t middle = (low + high) / 2;
            if (offset[middle] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        val[low * rows + i] += csr_val[k]; // equal columns add up
    }
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    dia(const int32_t *__restrict__ offset, int diagonals, const T *__restrict__ val, int64_t rows,
        int64_t cols, const T *__restrict__ x, T *__restrict__ y) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        T sum = 0;
#pragma unroll 4
        for (int d = 0; d < diagonals; d++) {
            int64_t c = i + offset[d];
            if (c >= 0 && c < cols) {
                sum += val[d * rows + i] * x[c];
            }
        }
        y[i] = sum;
    }
}

// ---- step 7's kernel -------------------------------------------------------------------------

template <typename T, int LANES>
__global__ void __launch_bounds__(THREADS)
    subwarp(const int32_t *__restrict__ ptr, const int32_t *__restrict__ col,
            const T *__restrict__ val, int64_t rows, const T *__restrict__ x, T *__restrict__ y) {
    int64_t i = (int64_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    int lane = threadIdx.x % LANES;
    T sum = 0;
    if (i < rows) {
        int32_t end = ptr[i + 1];
        for (int32_t k = ptr[i] + lane; k < end; k += AT_ONCE * LANES) {
            products_of<AT_ONCE, false>(k, LANES, end, col, val, x,
                                        [&](int, T product) { sum += product; });
        }
    }
    for (int step = LANES / 2; step > 0; step /= 2) { // all lanes of the warp are here
        sum += __shfl_down_sync(ALL_LANES, sum, step, LANES);
    }
    if (i < rows && lane == 0) {
        y[i] = sum;
    }
}

// ---- step 2's kernels ------------------------------------------------------------------------

// Entry e of row i goes to place e * rows + i; places behind a row's end get column -1.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    pad(const int32_t *ptr, const int32_t *csr_col, const T *csr_val, int64_t rows, int64_t width,
        int32_t *col, T *val) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < rows) {
        int32_t first = ptr[i];
        int32_t length = ptr[i + 1] - first;
        for (int64_t e = 0; e < width; e++) {
            col[e * rows + i] = e < length ? csr_col[first + e] : -1;
            val[e * rows + i] = e < length ? csr_val[first + e] : T(0);
        }
    }
}

// Products of N places of a padded row, `stride` apart; CHECKED: only the first `places` of them are there.
template <int N, bool CHECKED, typename T>
__device__ T padded_sum(const int32_t *col, const T *val, int64_t stride, int64_t places,
                        const T *x) {
    int32_t c[N];
    T v[N], sum = 0;
#pragma unroll
    for (int u = 0; u < N; u++) {
        bool there = !CHECKED || u < places;
        c[u] = there ? __ldcs(&col[u * stride]) : -1;
        v[u] = there ? __ldcs(&val[u * stride]) : T(0);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        if (c[u] >= 0) {
            sum += v[u] * x[c[u]];
        }
    }
    return sum;
}

// N entries of a row at once.
template <typename T, int N>
__global__ void __launch_bounds__(THREADS)
    ell(const int32_t *__restrict__ col, const T *__restrict__ val, int64_t rows, int64_t width,
        const T *__restrict__ x, T *__restrict__ y) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows) {
        return;
    }
    T sum = 0;
    int64_t e = 0;
    for (; e + N <= width; e += N) {
        sum += padded_sum<N, false>(col + e * rows + i, val + e * rows + i, rows, N, x);
    }
    if (e < width) {
        sum += padded_sum<N, true>(col + e * rows + i, val + e * rows + i, rows, width - e, x);
    }
    y[i] = sum;
}

// ---- step 6's kernel and row blocks ----------------------------------------------------------

// One thread block's work: rows first .. first + count - 1, or with count 1 the row's piece of this number.
typedef struct row_block {
    int32_t first, count, piece, pieces;
} row_block;

template <typename T> __device__ T block_sum(T sum, T *room) {
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(ALL_LANES, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        room[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    T total = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        total += room[w];
    }
    return total;
}

// A row, or a piece of one, by all threads of the block, N entries of each at once.
template <int N, bool ONCE, typename T>
__device__ void long_row(row_block b, int32_t piece_entries, int32_t begin, int32_t end,
                         const int32_t *col, const T *val, const T *x, T *y, T *room) {
    if (b.pieces > 1) {
        begin += b.piece * piece_entries;
        end = end - begin > piece_entries ? begin + piece_entries : end;
    }
    T sum = 0;
    for (int32_t k = begin + (int32_t)threadIdx.x; k < end; k += N * THREADS) {
        products_of<N, ONCE>(k, THREADS, end, col, val, x, [&](int, T product) { sum += product; });
    }
    sum = block_sum(sum, room);
    if (threadIdx.x == 0) {
        if (b.pieces > 1) {
            atomicAdd(&y[b.first], sum);
        } else {
            y[b.first] = sum;
        }
    }
}

// Entries of the block's row r, counted from the block's first one.
typedef struct span {
    int32_t from, to;
} span;

__device__ span span_of(row_block b, int r, const int32_t *ptr, int32_t begin) {
    span none = {0, 0};
    return r < b.count ? span{ptr[b.first + r] - begin, ptr[b.first + r + 1] - begin} : none;
}

// Adds up the products of a row with the `lanes` neighbouring threads that have it; lane 0 gets the sum.
template <typename T> __device__ T sum_of(span row, int lane, int lanes, const T *products) {
    T sum = 0;
    for (int32_t k = row.from + lane; k < row.to; k += lanes) {
        sum += products[k];
    }
    for (int step = lanes / 2; step > 0; step /= 2) {
        sum += __shfl_down_sync(ALL_LANES, sum, step, lanes);
    }
    return sum;
}

// SIZE entries a block. LONG_ROWS: several lanes add up a row where the block has fewer rows than threads.
template <typename T, int SIZE, bool LONG_ROWS>
__global__ void __launch_bounds__(THREADS)
    adaptive(const row_block *__restrict__ blocks, const int32_t *__restrict__ ptr,
             const int32_t *__restrict__ col, const T *__restrict__ val, const T *__restrict__ x,
             T *__restrict__ y) {
    __shared__ T products[SIZE];
    row_block b = blocks[blockIdx.x];
    int32_t begin = ptr[b.first], end = ptr[b.first + b.count];
    int me = (int)threadIdx.x, lanes = 1;
    if (b.count == 1) {
        long_row<SIZE / THREADS, LONG_ROWS>(b, PIECES * SIZE, begin, end, col, val, x, y, products);
        return;
    }
    while (LONG_ROWS && lanes < 32 && 2 * lanes * b.count <= THREADS) {
        lanes *= 2;
    }
    products_of<SIZE / THREADS, LONG_ROWS>(
        begin + me, THREADS, end, col, val, x,
        [&](int u, T product) { products[me + u * THREADS] = product; });
    int r = me / lanes;
    span row = span_of(b, r, ptr, begin); // asked for before the barrier
    __syncthreads();
    T sum = sum_of(row, me % lanes, lanes, products);
    if (r < b.count && me % lanes == 0) {
        y[b.first + r] = sum;
    }
    for (r += THREADS; r < b.count; r += THREADS) { // more rows than threads: lanes is 1
        y[b.first + r] = sum_of(span_of(b, r, ptr, begin), 0, 1, products);
    }
}

// Cuts the rows into blocks of at most `entries` entries and as many rows; out may be NULL to count them.
static int64_t cut_rows(const int32_t *ptr, int64_t rows, int64_t entries, row_block *out,
                        int64_t *out_has_pieces) {
    int64_t count = 0;
    int64_t i = 0;
    while (i < rows) {
        int64_t first = i;
        while (i < rows && ptr[i + 1] - ptr[first] <= entries && i - first < entries) {
            i++;
        }
        int32_t pieces = 1;
        if (i == first) { // this row alone is too long to stream
            i++;
            pieces = (int32_t)((ptr[i] - ptr[first] + PIECES * entries - 1) / (PIECES * entries));
        }
        for (int32_t piece = 0; piece < pieces; piece++, count++) {
            if (out != NULL) {
                out[count] = {(int32_t)first, (int32_t)(i - first), piece, pieces};
            }
        }
        *out_has_pieces |= pieces > 1;
    }
    return count;
}

// ---- the choice ------------------------------------------------------------------------------

// Offsets of the diagonals that hold an entry, ascending. ptr, col: copies on the host.
static int64_t list_diagonals(const spmv_matrix *a, const int32_t *ptr, const int32_t *col,
                              unsigned char *seen, int32_t *offset) {
    for (int64_t i = 0; i < a->rows; i++) {
        for (int32_t k = ptr[i]; k < ptr[i + 1]; k++) {
            seen[col[k] - i + a->rows - 1] = 1;
        }
    }
    int64_t count = 0;
    for (int64_t d = 0; d < a->rows + a->cols; d++) {
        if (seen[d] && count++ < MOST_DIAGONALS) {
            offset[count - 1] = (int32_t)(d - (a->rows - 1));
        }
    }
    return count;
}

// True when most entries lie near the one before them in their row, so that x is read by sectors, not by elements.
static bool is_clustered(const spmv_matrix *a, const int32_t *ptr, const int32_t *col) {
    int64_t near = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        for (int32_t k = ptr[i] + 1; k < ptr[i + 1]; k++) {
            near += abs(col[k] - col[k - 1]) < 8;
        }
    }
    return 2 * near > a->nnz;
}

// ptr, col: copies on the host; offset: [MOST_DIAGONALS].
static void choose(const spmv_matrix *a, const int32_t *ptr, const int32_t *col,
                   unsigned char *seen, int32_t *offset, auto_plan *plan) {
    double mean = (double)a->nnz / (double)a->rows;
    int64_t longest = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t length = ptr[i + 1] - ptr[i];
        longest = length > longest ? length : longest;
    }
    plan->diagonals = list_diagonals(a, ptr, col, seen, offset);
    plan->width = longest;
    bool clustered = is_clustered(a, ptr, col);
    // SOLUTION BEGIN
    double places = (double)plan->diagonals * (double)a->rows;
    int64_t row_bytes = longest * (int64_t)spmv_value_bytes(a->type);
    bool uneven = (double)longest > 4 * mean + 16;
    if (plan->diagonals <= MOST_DIAGONALS && places <= 1.25 * (double)a->nnz) {
        plan->kernel = DIAGONALS;
    } else if ((double)longest <= 1.25 * mean && row_bytes <= 160 && a->rows >= 1 << 15) {
        plan->kernel = longest <= 8 ? PADDED : PADDED_8;
    } else if (uneven) {
        plan->kernel = BLOCKS;
    } else if (clustered && mean > 40 && a->nnz >= 500000) {
        plan->kernel = LONG_BLOCKS;
    } else {
        plan->kernel = mean <= 3    ? LANES_2
                       : mean <= 6  ? LANES_4
                       : mean <= 12 ? LANES_8
                       : mean <= 24 ? LANES_16
                                    : LANES_32;
    }
    // SOLUTION TODO: compare the places of the diagonals with the entries, and the longest row with the
    // SOLUTION TODO: mean; this takes row blocks for all
    // SOLUTION STUB: (void)mean, (void)clustered;
    // SOLUTION STUB: plan->kernel = BLOCKS;
    // SOLUTION END
}

static unsigned blocks_for(int64_t items) {
    return (unsigned)((items + THREADS - 1) / THREADS);
}

template <typename T>
static int store_diagonals(const spmv_matrix *a, const int32_t *offset, int64_t diagonals,
                           const spmv_prepared *prepared) {
    int status = cudaMemcpy(offsets_of(prepared), offset, (size_t)diagonals * sizeof *offset,
                            cudaMemcpyHostToDevice);
    if (status == cudaSuccess) {
        status = cudaMemset(values_of<T>(prepared), 0, (size_t)(diagonals * a->rows) * sizeof(T));
    }
    if (status == cudaSuccess) {
        lay_out<<<blocks_for(a->rows), THREADS>>>(a->ptr, a->col, (const T *)a->val, a->rows,
                                                  offsets_of(prepared), diagonals,
                                                  values_of<T>(prepared));
        status = cudaGetLastError();
    }
    return status;
}

// Of ELL: values first, then columns.
template <typename T> static T *padded_values(const spmv_prepared *p) {
    return (T *)p->d_memory;
}
template <typename T>
static int32_t *padded_columns(const spmv_prepared *p, int64_t rows, int64_t width) {
    return (int32_t *)(padded_values<T>(p) + rows * width);
}

template <typename T>
static int store_padded(const spmv_matrix *a, int64_t width, const spmv_prepared *prepared) {
    pad<<<blocks_for(a->rows), THREADS>>>(a->ptr, a->col, (const T *)a->val, a->rows, width,
                                          padded_columns<T>(prepared, a->rows, width),
                                          padded_values<T>(prepared));
    return cudaGetLastError();
}

static int store_blocks(const spmv_matrix *a, const int32_t *ptr, auto_plan *plan,
                        const spmv_prepared *prepared) {
    int64_t entries = plan->kernel == BLOCKS ? ENTRIES : LONG_ENTRIES;
    plan->blocks = cut_rows(ptr, a->rows, entries, NULL, &plan->has_pieces);
    size_t bytes = (size_t)plan->blocks * sizeof(row_block);
    row_block *blocks = (row_block *)malloc(bytes + 1);
    if (blocks == NULL || bytes > prepared->bytes) {
        free(blocks);
        return cudaErrorMemoryAllocation;
    }
    cut_rows(ptr, a->rows, entries, blocks, &plan->has_pieces);
    int status = cudaMemcpy(prepared->d_memory, blocks, bytes, cudaMemcpyHostToDevice);
    free(blocks);
    return status;
}

template <typename T>
static int store(const spmv_matrix *a, const int32_t *ptr, const int32_t *offset, auto_plan *plan,
                 const spmv_prepared *prepared) {
    switch ((enum kernel)plan->kernel) {
    case DIAGONALS: return store_diagonals<T>(a, offset, plan->diagonals, prepared);
    case PADDED:
    case PADDED_8: return store_padded<T>(a, plan->width, prepared);
    case BLOCKS:
    case LONG_BLOCKS: return store_blocks(a, ptr, plan, prepared);
    default: return cudaSuccess; // the lanes take the matrix as it is
    }
}

extern "C" int spmv_prepare9(const spmv_matrix *a, const spmv_prepared *prepared) {
    auto_plan *plan = (auto_plan *)prepared->h_plan;
    int32_t offset[MOST_DIAGONALS];
    plan->kernel = LANES_2;
    if (a->rows == 0 || a->nnz == 0) {
        return cudaSuccess;
    }
    size_t ptr_bytes = (size_t)(a->rows + 1) * sizeof(int32_t);
    size_t col_bytes = (size_t)a->nnz * sizeof(int32_t);
    int32_t *ptr = (int32_t *)malloc(ptr_bytes);
    int32_t *col = (int32_t *)malloc(col_bytes);
    unsigned char *seen = (unsigned char *)calloc((size_t)(a->rows + a->cols), 1);
    int status = cudaErrorMemoryAllocation;
    if (ptr != NULL && col != NULL && seen != NULL) {
        status = cudaMemcpy(ptr, a->ptr, ptr_bytes, cudaMemcpyDeviceToHost);
        if (status == cudaSuccess) {
            status = cudaMemcpy(col, a->col, col_bytes, cudaMemcpyDeviceToHost);
        }
    }
    if (status == cudaSuccess) {
        choose(a, ptr, col, seen, offset, plan);
        status = a->type == SPMV_FLOAT ? store<float>(a, ptr, offset, plan, prepared)
                                       : store<double>(a, ptr, offset, plan, prepared);
    }
    free(ptr);
    free(col);
    free(seen);
    return status;
}

template <typename T, int LANES> static int run_lanes(const spmv_matrix *a, const T *x, T *y) {
    int64_t rows_a_block = THREADS / LANES;
    subwarp<T, LANES><<<(unsigned)((a->rows + rows_a_block - 1) / rows_a_block), THREADS>>>(
        a->ptr, a->col, (const T *)a->val, a->rows, x, y);
    return cudaGetLastError();
}

template <typename T, int N>
static int run_padded(const spmv_matrix *a, const T *x, T *y, const auto_plan *plan,
                      const spmv_prepared *prepared) {
    ell<T, N><<<blocks_for(a->rows), THREADS>>>(padded_columns<T>(prepared, a->rows, plan->width),
                                                padded_values<T>(prepared), a->rows, plan->width, x,
                                                y);
    return cudaGetLastError();
}

template <typename T>
static int run_blocks(const spmv_matrix *a, const T *x, T *y, const auto_plan *plan,
                      const spmv_prepared *prepared) {
    if (plan->has_pieces) { // pieces add to what is there
        cudaError_t status = cudaMemsetAsync(y, 0, (size_t)a->rows * sizeof(T));
        if (status != cudaSuccess) {
            return status;
        }
    }
    const row_block *blocks = (const row_block *)prepared->d_memory;
    const T *val = (const T *)a->val;
    if (plan->kernel == BLOCKS) {
        adaptive<T, ENTRIES, false>
            <<<(unsigned)plan->blocks, THREADS>>>(blocks, a->ptr, a->col, val, x, y);
    } else {
        adaptive<T, LONG_ENTRIES, true>
            <<<(unsigned)plan->blocks, THREADS>>>(blocks, a->ptr, a->col, val, x, y);
    }
    return cudaGetLastError();
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    const auto_plan *plan = (const auto_plan *)prepared->h_plan;
    const T *d_x = (const T *)x;
    T *d_y = (T *)y;
    if (a->rows == 0) {
        return cudaSuccess;
    }
    switch ((enum kernel)plan->kernel) {
    case DIAGONALS:
        dia<<<blocks_for(a->rows), THREADS>>>(offsets_of(prepared), (int)plan->diagonals,
                                              values_of<T>(prepared), a->rows, a->cols, d_x, d_y);
        return cudaGetLastError();
    case PADDED: return run_padded<T, 4>(a, d_x, d_y, plan, prepared);
    case PADDED_8: return run_padded<T, 8>(a, d_x, d_y, plan, prepared);
    case LANES_2: return run_lanes<T, 2>(a, d_x, d_y);
    case LANES_4: return run_lanes<T, 4>(a, d_x, d_y);
    case LANES_8: return run_lanes<T, 8>(a, d_x, d_y);
    case LANES_16: return run_lanes<T, 16>(a, d_x, d_y);
    case LANES_32: return run_lanes<T, 32>(a, d_x, d_y);
    case BLOCKS:
    case LONG_BLOCKS: return run_blocks(a, d_x, d_y, plan, prepared);
    }
    return cudaErrorInvalidValue;
}

extern "C" int spmv_step9(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) {
        return SPMV_NOT_IMPLEMENTED;
    }
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
