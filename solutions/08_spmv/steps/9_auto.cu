// SPDX-License-Identifier: MIT
// Lab 08, step 9: the preparation looks at the matrix once and chooses. The kernels are those of
// earlier steps, with what an H100 asks for beside: several independent loads per thread before the
// first is needed, and entries marked as read once, so that they do not push x out of the caches
// (__ldcs).
//   few diagonals, well filled     step 3's: half the bytes
//   rows of about one length       step 2's: no work but the entries
//   small, or nearly empty         step 7's: nothing to look up but the row pointers
//   anything else                  step 6's: even work whatever the lengths
//
// What it fixes: no kernel is best for all matrices.
// What it costs: one pass over the matrix on the device, and for row blocks one over the row
// pointers on the host.
#include "spmv.h"

#include <cuda_runtime.h>
#include <stdlib.h>

// SOLUTION SWITCH: set this to 1 when you have written the code below
#define IMPLEMENTED 1

#define THREADS        128
#define ENTRIES        512  // of a block of rows; THREADS divides it
#define PIECE          2048 // most entries of a block that has one row or a piece of it
#define LONG_AT_ONCE   8    // independent loads of a thread there
#define AT_ONCE        4    // independent loads of a thread
#define MOST_DIAGONALS 256
#define ALL_LANES      0xffffffffu

enum kernel { DIAGONALS, PADDED, PADDED_8, LANES_2, LANES_4, LANES_8, LANES_16, LANES_32, BLOCKS };

typedef struct auto_plan {
    int64_t kernel;
    int64_t diagonals; // of DIAGONALS
    int64_t width;     // entries of the longest row
    int64_t blocks;    // of BLOCKS
} auto_plan;

static int32_t *offsets_of(const spmv_prepared *p) {
    return (int32_t *)p->d_memory;
}
template <typename T> static T *values_of(const spmv_prepared *p) {
    return (T *)(offsets_of(p) + MOST_DIAGONALS);
}

// The products of the entries k, k + stride, .. (N of them) that are among the `count` ones from
// `first` on: all columns and values are asked for before the first of x, and marked as read once.
// each(u, product) takes the u-th one. Numbers of entries are unsigned where a stride is added: a
// matrix may have 2^31 - 1 of them.
template <int N, typename T, typename F>
__device__ void products_of(uint32_t k, uint32_t stride, uint32_t first, uint32_t count,
                            const int32_t *col, const T *val, const T *x, F each) {
    int32_t c[N];
    T v[N];
#pragma unroll
    for (int u = 0; u < N; u++) {
        uint32_t at = k + u * stride;
        bool there = at - first < count; // also false below `first`
        c[u] = there ? __ldcs(&col[at]) : 0;
        v[u] = there ? __ldcs(&val[at]) : T(0);
    }
#pragma unroll
    for (int u = 0; u < N; u++) {
        if (k + u * stride - first < count) {
            each(u, v[u] * x[c[u]]);
        }
    }
}

// ---- step 3's kernels ------------------------------------------------------------------------

// val: [diagonals][rows], all 0 before. offset ascends, so the place of an entry is found by
// halving.
template <typename T>
__global__ void __launch_bounds__(THREADS)
    lay_out(const int32_t *ptr, const int32_t *col, const T *csr_val, int64_t rows,
            const int32_t *offset, int64_t diagonals, T *val) {
    int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= rows) return;
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
        uint32_t first = (uint32_t)ptr[i], end = (uint32_t)ptr[i + 1];
        for (uint32_t k = first + lane; k < end; k += AT_ONCE * LANES) {
            products_of<AT_ONCE>(k, LANES, first, end - first, col, val, x,
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

// Products of N places of a padded row, `stride` apart; CHECKED: only the first `places` of them
// are there.
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
    if (i >= rows) return;
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

// One thread block's work: `count` rows from `first` on, or with count 1 the row or one of its
// `pieces`.
typedef struct __align__(32) row_block {
    int32_t first, count;
    int32_t begin, end; // its entries: with them here, nothing waits for row pointers
    int32_t pieces;     // of the row, side by side in the list
    int32_t first_piece;
}
row_block;

// Where a line of the caches begins: blocks load from there on, so that a warp's 32 columns lie in
// one line, not in two.
__host__ __device__ inline uint32_t line_of(uint32_t entry) {
    return entry & ~31u;
}

// What the blocks that have pieces of one row leave for the last of them. Both: [blocks].
template <typename T> struct left_sums {
    T *sum;           // of a piece
    uint32_t *ticket; // pieces done, at the number of the first one; 0 between calls
};

template <typename T> __device__ T block_sum(T sum, T *scratch) {
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_down_sync(ALL_LANES, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        scratch[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    T total = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        total += scratch[w];
    }
    return total;
}

// The sum of a row from those of its pieces, in the block that finishes last; false in the others.
template <typename T>
__device__ bool sum_pieces(row_block b, T sum, left_sums<T> left, T *scratch, T *out_sum) {
    __shared__ bool last;
    uint32_t pieces = (uint32_t)b.pieces;
    if (threadIdx.x == 0) {
        left.sum[blockIdx.x] = sum;
        // the sum is there before the ticket says so; the last ticket makes it 0 again
        __threadfence();
        last = atomicInc(&left.ticket[b.first_piece], pieces - 1) == pieces - 1;
    }
    __syncthreads();
    if (!last) return false;
    __threadfence();
    T total = 0;
    for (uint32_t p = threadIdx.x; p < pieces; p += THREADS) {
        total += __ldcg(&left.sum[b.first_piece + p]);
    }
    *out_sum = block_sum(total, scratch);
    return true;
}

// A row, or a piece of one, by all threads of the block.
template <typename T>
__device__ void long_row(row_block b, const int32_t *col, const T *val, const T *x, T *y,
                         left_sums<T> left, T *scratch) {
    uint32_t begin = b.begin, end = b.end;
    T sum = 0;
    for (uint32_t k = line_of(begin) + threadIdx.x; k < end; k += LONG_AT_ONCE * THREADS) {
        products_of<LONG_AT_ONCE>(k, THREADS, begin, end - begin, col, val, x,
                                  [&](int, T product) { sum += product; });
    }
    sum = block_sum(sum, scratch);
    bool all = b.pieces == 1 || sum_pieces(b, sum, left, scratch, &sum);
    if (all && threadIdx.x == 0) {
        y[b.first] = sum;
    }
}

// Entries of the block's row r, counted from the first one that the block loads.
typedef struct span {
    uint32_t from, to;
} span;

__device__ span span_of(row_block b, int r, const int32_t *ptr, uint32_t line) {
    span none = {0, 0};
    return r < b.count ? span{ptr[b.first + r] - line, ptr[b.first + r + 1] - line} : none;
}

template <typename T> __device__ T sum_of(span row, const T *products) {
    T sum = 0;
    for (uint32_t k = row.from; k < row.to; k++) {
        sum += products[k];
    }
    return sum;
}

// As many blocks are resident as a multiprocessor has threads for: they hide each other's waits.
template <typename T>
__global__ void __launch_bounds__(THREADS, 2048 / THREADS)
    adaptive(const row_block *__restrict__ blocks, const int32_t *__restrict__ ptr,
             const int32_t *__restrict__ col, const T *__restrict__ val, const T *__restrict__ x,
             T *__restrict__ y, left_sums<T> left) {
    __shared__ T products[ENTRIES];
    row_block b = blocks[blockIdx.x];
    int me = (int)threadIdx.x;
    if (b.count == 1) {
        long_row(b, col, val, x, y, left, products);
        return;
    }
    uint32_t line = line_of(b.begin);
    span row = span_of(b, me, ptr, line); // asked for together with the entries
    products_of<ENTRIES / THREADS>(line + me, THREADS, line, b.end - line, col, val, x,
                                   [&](int u, T product) { products[me + u * THREADS] = product; });
    __syncthreads();
    for (int r = me; r < b.count;) {
        y[b.first + r] = sum_of(row, products);
        r += THREADS;
        row = span_of(b, r, ptr, line);
    }
}

static bool is_huge(const int32_t *ptr, int64_t row) {
    return ptr[row + 1] - ptr[row] > PIECE;
}

// A huge row's pieces of about equal length, at list[count] and behind; gives the new count.
static int64_t cut_row(const int32_t *ptr, int64_t row, int64_t count, row_block *list) {
    int64_t line = line_of((uint32_t)ptr[row]), end = ptr[row + 1];
    int64_t pieces = (end - line + PIECE - 1) / PIECE;
    int64_t length = (end - line + pieces - 1) / pieces;
    length = (length + 31) / 32 * 32; // pieces begin with lines, too
    pieces = (end - line + length - 1) / length;
    for (int64_t p = 0; p < pieces && list != NULL; p++) {
        int64_t from = p == 0 ? ptr[row] : line + p * length;
        int64_t to = p == pieces - 1 ? end : line + (p + 1) * length;
        list[count + p] = {(int32_t)row,  1, (int32_t)from, (int32_t)to, (int32_t)pieces,
                           (int32_t)count};
    }
    return count + pieces;
}

// Cuts the rows into blocks of at most ENTRIES rows and as many entries, or of one longer row. Huge
// rows come first, so that short work fills the end. list may be NULL to count the blocks.
static int64_t cut_rows(const int32_t *ptr, int64_t rows, int64_t longest, row_block *list) {
    int64_t count = 0;
    for (int64_t i = 0; i < rows && longest > PIECE; i++) {
        if (is_huge(ptr, i)) {
            count = cut_row(ptr, i, count, list);
        }
    }
    for (int64_t i = 0; i < rows;) {
        int64_t first = i, line = line_of((uint32_t)ptr[first]);
        while (i < rows && ptr[i + 1] - line <= ENTRIES && i - first < ENTRIES) {
            i++;
        }
        if (i == first) { // it alone is more
            i++;
        }
        if (!is_huge(ptr, first)) {
            if (list != NULL) {
                list[count] = {(int32_t)first, (int32_t)(i - first), ptr[first], ptr[i], 1, 0};
            }
            count++;
        }
    }
    return count;
}

// ---- the choice ------------------------------------------------------------------------------

#define LOOK_LANES  8 // a row
#define LOOK_BLOCKS 2048

// What a look at the matrix finds.
typedef struct findings {
    uint32_t longest;   // row
    uint32_t diagonals; // that hold an entry; counted to just above MOST_DIAGONALS
    unsigned long long pairs,
        near; // entries of one row side by side; those less than 64 columns apart
    int32_t offset[MOST_DIAGONALS]; // of the diagonals
} findings;

// What other threads may be changing.
__device__ uint32_t now(const uint32_t *at) {
    return *(const volatile uint32_t *)at;
}

// seen: a bit a diagonal.
__device__ void note_diagonal(int64_t diagonal, int64_t rows, findings *found, uint32_t *seen) {
    uint32_t bit = 1u << diagonal % 32;
    if ((now(&seen[diagonal / 32]) & bit) == 0 &&
        (atomicOr(&seen[diagonal / 32], bit) & bit) == 0) { // the first one here
        uint32_t place = atomicAdd(&found->diagonals, 1);
        if (place < MOST_DIAGONALS) {
            found->offset[place] = (int32_t)(diagonal - (rows - 1));
        }
    }
}

// LOOK_LANES threads per row look at its first MOST_DIAGONALS entries; a longer row has too many
// diagonals anyway. found and seen: all 0 before; seen may be NULL, then diagonals are left out.
__global__ void __launch_bounds__(THREADS)
    look(const int32_t *ptr, const int32_t *col, int64_t rows, findings *found, uint32_t *seen) {
    int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t groups = (int64_t)gridDim.x * (THREADS / LOOK_LANES);
    unsigned pairs = 0, near = 0;
    for (int64_t i = thread / LOOK_LANES; i < rows; i += groups) {
        int32_t first = ptr[i], length = ptr[i + 1] - first;
        int32_t looked = length < MOST_DIAGONALS ? length : MOST_DIAGONALS;
        int32_t lane = (int32_t)(thread % LOOK_LANES);
        if (lane == 0 && length > (int32_t)now(&found->longest)) {
            atomicMax(&found->longest, (uint32_t)length);
        }
        if (lane == 0 && length > looked) {
            atomicMax(&found->diagonals, MOST_DIAGONALS + 1);
        }
        bool noting = seen != NULL && now(&found->diagonals) <= MOST_DIAGONALS;
        for (int32_t e = lane; e < looked; e += LOOK_LANES) {
            int32_t c = col[first + e];
            if (e > 0) {
                pairs++;
                near += abs(c - col[first + e - 1]) < 64;
            }
            if (noting) {
                note_diagonal(c - i + rows - 1, rows, found, seen);
            }
        }
    }
    for (int step = 16; step > 0; step /= 2) {
        pairs += __shfl_down_sync(ALL_LANES, pairs, step);
        near += __shfl_down_sync(ALL_LANES, near, step);
    }
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&found->pairs, pairs);
        atomicAdd(&found->near, near);
    }
}

static void sort(int32_t *list, int64_t count) {
    for (int64_t i = 1; i < count; i++) {
        int32_t moved = list[i];
        int64_t to = i;
        for (; to > 0 && list[to - 1] > moved; to--) {
            list[to] = list[to - 1];
        }
        list[to] = moved;
    }
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Uses the prepared memory, which no format has yet. Offsets come back ascending.
static int look_at(const spmv_matrix *a, const spmv_prepared *prepared, findings *out_found) {
    findings *d_found = (findings *)prepared->d_memory;
    size_t bits = (size_t)(a->rows + a->cols + 31) / 32 * sizeof(uint32_t);
    bool fits = sizeof(findings) + bits <= prepared->bytes; // else more than 100 columns per entry
    int status =
        cudaMemset(prepared->d_memory, 0, fits ? sizeof(findings) + bits : sizeof(findings));
    if (status == cudaSuccess) {
        int64_t blocks = (a->rows * LOOK_LANES + THREADS - 1) / THREADS;
        look<<<(unsigned)least(blocks, LOOK_BLOCKS), THREADS>>>(
            a->ptr, a->col, a->rows, d_found, fits ? (uint32_t *)(d_found + 1) : NULL);
        status = cudaMemcpy(out_found, d_found, sizeof *out_found, cudaMemcpyDeviceToHost);
    }
    if (!fits) {
        out_found->diagonals = MOST_DIAGONALS + 1;
    }
    sort(out_found->offset, least(out_found->diagonals, MOST_DIAGONALS));
    return status;
}

// The limits lie where an H100 changed its mind among 40 matrices in both precisions (README.md,
// "Which one?").
static void choose(const spmv_matrix *a, const findings *found, auto_plan *plan) {
    double mean = (double)a->nnz / (double)a->rows;
    int64_t longest = found->longest;
    plan->diagonals = found->diagonals;
    plan->width = longest;
    // SOLUTION BEGIN
    double places = (double)plan->diagonals * (double)a->rows;
    bool even = (double)longest <= 1.4 * mean; // little padding
    bool uneven = (double)longest > 4 * mean + 16;
    // x of neighbours is read by lines where lanes have neighbours of a row: in row blocks, but not
    // in padded rows.
    bool clustered = 2 * found->near > found->pairs;
    bool short_rows = longest * (int64_t)spmv_value_bytes(a->type) <= 64;
    if (plan->diagonals <= MOST_DIAGONALS && places <= 1.25 * (double)a->nnz) {
        plan->kernel = DIAGONALS;
    } else if (even && (short_rows || !clustered) && a->rows >= 1 << 15) { // threads enough
        plan->kernel = longest <= 8 ? PADDED : PADDED_8;
    } else if (uneven || (mean > 3 && a->nnz >= 1 << 18)) {
        plan->kernel = BLOCKS;
    } else { // short work, over before a list of blocks has been read
        plan->kernel = mean <= 3    ? LANES_2
                       : mean <= 6  ? LANES_4
                       : mean <= 12 ? LANES_8
                       : mean <= 24 ? LANES_16
                                    : LANES_32;
    }
    // SOLUTION TODO: compare the places of the diagonals with the entries, and the longest row with
    // SOLUTION TODO: the mean; this takes row blocks for all
    // SOLUTION STUB: (void)mean;
    // SOLUTION STUB: plan->kernel = BLOCKS;
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

// Of row blocks: the list, then what blocks leave for each other.
template <typename T> static left_sums<T> left_of(const spmv_prepared *p, int64_t blocks) {
    T *sums = (T *)((row_block *)p->d_memory + blocks);
    return {sums, (uint32_t *)(sums + blocks)};
}

template <typename T>
static int store_list(const row_block *list, int64_t blocks, const spmv_prepared *prepared) {
    if ((size_t)blocks * (sizeof *list + sizeof(T) + sizeof(uint32_t)) > prepared->bytes) {
        return cudaErrorMemoryAllocation;
    }
    int status =
        cudaMemcpy(prepared->d_memory, list, (size_t)blocks * sizeof *list, cudaMemcpyHostToDevice);
    if (status == cudaSuccess) {
        status =
            cudaMemset(left_of<T>(prepared, blocks).ticket, 0, (size_t)blocks * sizeof(uint32_t));
    }
    return status;
}

template <typename T>
static int store_blocks(const spmv_matrix *a, auto_plan *plan, const spmv_prepared *prepared) {
    size_t ptr_bytes = (size_t)(a->rows + 1) * sizeof(int32_t);
    int32_t *ptr = (int32_t *)malloc(ptr_bytes);
    row_block *list = NULL;
    int status = cudaErrorMemoryAllocation;
    if (ptr != NULL) {
        status = cudaMemcpy(ptr, a->ptr, ptr_bytes, cudaMemcpyDeviceToHost);
    }
    if (status == cudaSuccess) {
        plan->blocks = cut_rows(ptr, a->rows, plan->width, NULL);
        list = (row_block *)malloc((size_t)plan->blocks * sizeof *list);
        status = cudaErrorMemoryAllocation;
    }
    if (list != NULL) {
        cut_rows(ptr, a->rows, plan->width, list);
        status = store_list<T>(list, plan->blocks, prepared);
    }
    free(ptr);
    free(list);
    return status;
}

template <typename T>
static int store(const spmv_matrix *a, const int32_t *offset, auto_plan *plan,
                 const spmv_prepared *prepared) {
    switch ((enum kernel)plan->kernel) {
    case DIAGONALS: return store_diagonals<T>(a, offset, plan->diagonals, prepared);
    case PADDED:
    case PADDED_8: return store_padded<T>(a, plan->width, prepared);
    case BLOCKS: return store_blocks<T>(a, plan, prepared);
    default: return cudaSuccess; // the lanes take the matrix as it is
    }
}

extern "C" int spmv_prepare9(const spmv_matrix *a, const spmv_prepared *prepared) {
    auto_plan *plan = (auto_plan *)prepared->h_plan;
    findings found;
    plan->kernel = LANES_2;
    if (a->rows == 0 || a->nnz == 0) return cudaSuccess;
    int status = look_at(a, prepared, &found);
    if (status != cudaSuccess) return status;
    choose(a, &found, plan);
    return a->type == SPMV_FLOAT ? store<float>(a, found.offset, plan, prepared)
                                 : store<double>(a, found.offset, plan, prepared);
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
    const row_block *blocks = (const row_block *)prepared->d_memory;
    left_sums<T> left = left_of<T>(prepared, plan->blocks);
    const T *val = (const T *)a->val;
    adaptive<<<(unsigned)plan->blocks, THREADS>>>(blocks, a->ptr, a->col, val, x, y, left);
    return cudaGetLastError();
}

template <typename T>
static int run(const spmv_matrix *a, const void *x, void *y, const spmv_prepared *prepared) {
    const auto_plan *plan = (const auto_plan *)prepared->h_plan;
    const T *d_x = (const T *)x;
    T *d_y = (T *)y;
    if (a->rows == 0) return cudaSuccess;
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
    case BLOCKS: return run_blocks(a, d_x, d_y, plan, prepared);
    }
    return cudaErrorInvalidValue;
}

extern "C" int spmv_step9(const spmv_matrix *a, const void *x, void *y,
                          const spmv_prepared *prepared) {
    if (!IMPLEMENTED) return SPMV_NOT_IMPLEMENTED;
    return a->type == SPMV_FLOAT ? run<float>(a, x, y, prepared) : run<double>(a, x, y, prepared);
}
