// Made matrices: see sparse.h. Each generator first gives the length of every row, then
// fills the rows; nothing depends on the order in which that happens.

#include "random.h"
#include "sparse_internal.h"

static double make_value(uint64_t seed, int64_t at) {
    int32_t sixteenth = (int32_t)kl_random_below(kl_random_fork(seed, 1), (uint64_t)at, 128);
    return (sixteenth < 64 ? sixteenth - 64 : sixteenth - 63) / 16.0; // -64..-1, 1..64
}

void kl_make_values(kl_csr *csr, uint64_t seed) {
    for (int64_t k = 0; k < csr->nnz; k++) csr->val[k] = make_value(seed, k);
}

// `count` different columns of 0 .. cols-1, ascending: one from each of `count` equal slices, which
// spreads them evenly, never repeats and needs no sorting.
static void draw_columns(int32_t *col, int64_t count, int64_t cols, uint64_t seed) {
    for (int64_t e = 0; e < count; e++) {
        int64_t from = (int64_t)((__int128)cols * e / count);
        int64_t to = (int64_t)((__int128)cols * (e + 1) / count);
        col[e] = (int32_t)(from + kl_random_below(seed, (uint64_t)e, (uint64_t)(to - from)));
    }
}

kl_status kl_make_rows(int64_t rows, int64_t cols, const int32_t *lengths, uint64_t seed,
                       kl_csr *out_csr, kl_error *err) {
    int64_t nnz = 0;
    memset(out_csr, 0, sizeof *out_csr);
    for (int64_t i = 0; i < rows; i++) {
        if (lengths[i] < 0 || lengths[i] > cols) {
            return kl_fail(err, KL_ERROR_INPUT, "row %lld cannot have %d entries in %lld columns",
                           (long long)i, lengths[i], (long long)cols);
        }
        nnz += lengths[i];
    }
    TRY(kl_csr_alloc(rows, cols, nnz, out_csr, err));
    for (int64_t i = 0; i < rows; i++) {
        int32_t from = out_csr->ptr[i];
        draw_columns(out_csr->col + from, lengths[i], cols, kl_random_fork(seed, (uint64_t)i + 2));
        out_csr->ptr[i + 1] = from + lengths[i];
    }
    kl_make_values(out_csr, seed);
    return KL_OK;
}

// Rows of lengths that `length_of` gives.
typedef int64_t row_length(const void *how, int64_t row);

static kl_status make_by_length(int64_t rows, int64_t cols, row_length *length_of, const void *how,
                                uint64_t seed, kl_csr *out_csr, kl_error *err) {
    memset(out_csr, 0, sizeof *out_csr);
    TRY(kl_sparse_check_shape(rows, cols, 0, err));
    int32_t *lengths = NULL;
    TRY(kl_sparse_alloc((uint64_t)rows, sizeof *lengths, false, &lengths, err));
    for (int64_t i = 0; i < rows; i++) {
        int64_t length = length_of(how, i);
        lengths[i] = length > INT32_MAX ? INT32_MAX : (int32_t)length;
    }
    kl_status status = kl_make_rows(rows, cols, lengths, seed, out_csr, err);
    free(lengths);
    return status;
}

typedef struct row_plan {
    int64_t rows, per_row, giants, giant_nnz;
} row_plan;

static int64_t planned_length(const void *how, int64_t row) {
    const row_plan *plan = how;
    // Giant g is in the middle of the g-th of `giants` equal parts.
    if (plan->giants > 0) {
        int64_t part = (int64_t)((__int128)row * plan->giants / plan->rows);
        int64_t middle = (int64_t)(((__int128)2 * part + 1) * plan->rows / (2 * plan->giants));
        if (row == middle) return plan->giant_nnz;
    }
    return plan->per_row;
}

kl_status kl_make_uniform(int64_t rows, int64_t cols, int64_t per_row, uint64_t seed,
                          kl_csr *out_csr, kl_error *err) {
    row_plan plan = {.rows = rows, .per_row = per_row};
    return make_by_length(rows, cols, planned_length, &plan, seed, out_csr, err);
}

kl_status kl_make_giant_rows(int64_t rows, int64_t cols, int64_t per_row, int64_t giants,
                             int64_t giant_nnz, uint64_t seed, kl_csr *out_csr, kl_error *err) {
    if (giants < 0 || giants > rows) {
        return kl_fail(err, KL_ERROR_INPUT, "%lld giant rows among %lld rows", (long long)giants,
                       (long long)rows);
    }
    row_plan plan = {.rows = rows, .per_row = per_row, .giants = giants, .giant_nnz = giant_nnz};
    return make_by_length(rows, cols, planned_length, &plan, seed, out_csr, err);
}

kl_status kl_make_band(int64_t n, int64_t lower, int64_t upper, uint64_t seed, kl_csr *out_csr,
                       kl_error *err) {
    memset(out_csr, 0, sizeof *out_csr);
    if (lower < 0 || upper < 0)
        return kl_fail(err, KL_ERROR_INPUT, "a band's widths are not negative");
    TRY(kl_sparse_check_shape(n, n, 0, err));
    int64_t nnz = 0;
    for (int64_t i = 0; i < n; i++)
        nnz += (i < lower ? i : lower) + 1 + (n - 1 - i < upper ? n - 1 - i : upper);
    TRY(kl_csr_alloc(n, n, nnz, out_csr, err));
    int32_t end = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t last = n - 1 - i < upper ? n - 1 : i + upper;
        for (int64_t j = i < lower ? 0 : i - lower; j <= last; j++)
            out_csr->col[end++] = (int32_t)j;
        out_csr->ptr[i + 1] = end;
    }
    kl_make_values(out_csr, seed);
    return KL_OK;
}

// ---- stencils --------------------------------------------------------------------------------

// True when the neighbour at distance (dx, dy, dz), each -1..1, belongs to the stencil.
static bool in_stencil(kl_stencil stencil, int dx, int dy, int dz) {
    int moves = abs(dx) + abs(dy) + abs(dz);
    switch (stencil) {
    case KL_STENCIL_5: return dz == 0 && moves <= 1;
    case KL_STENCIL_9: return dz == 0;
    case KL_STENCIL_7: return moves <= 1;
    case KL_STENCIL_27: return true;
    }
    return false;
}

typedef struct grid {
    kl_stencil stencil;
    int64_t nx, ny, nz;
} grid;

// The columns of one row, ascending; col may be NULL to count them only.
static int32_t stencil_row(const grid *g, int64_t row, int32_t *col) {
    int64_t x = row % g->nx, y = row / g->nx % g->ny, z = row / (g->nx * g->ny);
    int32_t count = 0;
    for (int dz = -1; dz <= 1; dz++) {
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                bool inside = x + dx >= 0 && x + dx < g->nx && y + dy >= 0 && y + dy < g->ny &&
                              z + dz >= 0 && z + dz < g->nz;
                if (!inside || !in_stencil(g->stencil, dx, dy, dz)) continue;
                if (col) col[count] = (int32_t)(row + dx + g->nx * (dy + g->ny * dz));
                count++;
            }
        }
    }
    return count;
}

kl_status kl_make_stencil(kl_stencil stencil, int64_t nx, int64_t ny, int64_t nz, uint64_t seed,
                          kl_csr *out_csr, kl_error *err) {
    memset(out_csr, 0, sizeof *out_csr);
    bool flat = stencil == KL_STENCIL_5 || stencil == KL_STENCIL_9;
    if (nx < 1 || ny < 1 || nz < 1 || (flat && nz != 1) ||
        (double)nx * (double)ny * (double)nz > (double)KL_SPARSE_MAX_SIDE) {
        return kl_fail(err, KL_ERROR_INPUT, "no stencil on a grid of %lld x %lld x %lld points",
                       (long long)nx, (long long)ny, (long long)nz);
    }
    grid g = {stencil, nx, ny, nz};
    int64_t n = nx * ny * nz, nnz = 0;
    for (int64_t i = 0; i < n; i++) nnz += stencil_row(&g, i, NULL);
    TRY(kl_csr_alloc(n, n, nnz, out_csr, err));
    for (int64_t i = 0; i < n; i++)
        out_csr->ptr[i + 1] = out_csr->ptr[i] + stencil_row(&g, i, out_csr->col + out_csr->ptr[i]);
    kl_make_values(out_csr, seed);
    return KL_OK;
}

// ---- R-MAT -----------------------------------------------------------------------------------

static void draw_edge(int scale, double a, double b, double c, uint64_t seed, uint64_t edge,
                      int32_t *out_row, int32_t *out_col) {
    int32_t row = 0, col = 0;
    for (int level = 0; level < scale; level++) {
        double u = kl_random_unit(seed, edge * 32 + (uint64_t)level);
        int quadrant = u < a ? 0 : u < a + b ? 1 : u < a + b + c ? 2 : 3;
        row = 2 * row + (quadrant >> 1);
        col = 2 * col + (quadrant & 1);
    }
    *out_row = row;
    *out_col = col;
}

kl_status kl_make_rmat(int scale, int64_t edges, double a, double b, double c, bool repeats,
                       uint64_t seed, kl_csr *out_csr, kl_error *err) {
    memset(out_csr, 0, sizeof *out_csr);
    if (scale < 0 || scale > 28 || edges < 0 || !(a >= 0 && b >= 0 && c >= 0 && a + b + c <= 1)) {
        return kl_fail(
            err, KL_ERROR_INPUT,
            "R-MAT: scale %d (0..28), %lld edges, probabilities %g %g %g (a sum of at most 1)",
            scale, (long long)edges, a, b, c);
    }
    kl_coo coo = {.rows = INT64_C(1) << scale, .cols = INT64_C(1) << scale, .nnz = edges};
    TRY(kl_sparse_check_shape(coo.rows, coo.cols, edges, err));
    kl_status status = kl_sparse_alloc((uint64_t)edges, sizeof *coo.row, false, &coo.row, err);
    if (status == KL_OK)
        status = kl_sparse_alloc((uint64_t)edges, sizeof *coo.col, false, &coo.col, err);
    if (status == KL_OK)
        status = kl_sparse_alloc((uint64_t)edges, sizeof *coo.val, true, &coo.val, err);
    if (status == KL_OK) {
        uint64_t stream = kl_random_fork(seed, 3);
        for (int64_t k = 0; k < edges; k++)
            draw_edge(scale, a, b, c, stream, (uint64_t)k, &coo.row[k], &coo.col[k]);
        status =
            repeats ? kl_csr_group_coo(&coo, out_csr, err) : kl_csr_from_coo(&coo, out_csr, err);
    }
    kl_coo_free(&coo);
    if (status == KL_OK) kl_make_values(out_csr, seed);
    return status;
}
