// Lab 08 as data: kinds of matrices, sizes, work formula. Host only.
// Matrices are functions of (family, size, seed); their shapes and numbers of entries are functions
// of (family, size) alone, so that a case can be described without being made.
#include "problem.h"
#include "small_case.h"

#include "compare.h"
#include "random.h"
#include "reference.h"
#include "sparse.h"
#include "spmv.h"

#include "steps.h" // made from lab.json: steps[]

#define STEP(s) (UINT32_C(1) << (s))
enum {
    HOST_STEP = 1 << 0,
    ROW_STEPS = 0x3F2,      // 1, 4 .. 9: any matrix
    PADDED_STEPS = 0x3F6,   // and 2: rows of about one length
    DIAGONAL_STEPS = 0x3FE, // and 3: few diagonals
    TALL_PER_ROW = 5,
    SPARSE_PER_ROW = 6,
    SHORT_PER_ROW = 4,
    UNIFORM_PER_ROW = 8,
    VARIED_MOST = 16,
    FEW_ROWS_COLS = 6000,
    FEW_ROWS_PER_ROW = 5200, // more than step 9's largest piece of a row
    BAND_SIDE = 8,           // diagonals on each side
    LENGTHS_PERIOD = 320     // a multiple of the periods of row_length
};

#define FAMILY_LIST(F)                                                                             \
    F(CPU, "cpu", "as uniform, on the host: step 0", HOST_STEP)                                    \
    F(LECTURE, "lecture", "an example of 4 x 6, repeated every 4 rows and columns",                \
      DIAGONAL_STEPS)                                                                              \
    F(STENCIL, "stencil", "5-point stencil on a grid of n x n points", DIAGONAL_STEPS)             \
    F(STENCIL_F64, "stencil-f64", "the same in double precision", DIAGONAL_STEPS)                  \
    F(BAND, "band", "n x n, 17 full diagonals", DIAGONAL_STEPS)                                    \
    F(UNIFORM, "uniform", "n x n, 8 entries in each row, at random", PADDED_STEPS)                 \
    F(UNIFORM_F64, "uniform-f64", "the same in double precision", PADDED_STEPS)                    \
    F(TALL, "tall", "n x (n / 3 + 5), 5 entries in each row, some of them stored zeros",           \
      PADDED_STEPS)                                                                                \
    F(WIDE, "wide", "(n / 3 + 5) x n, 5 entries in each row, some of them stored zeros",           \
      PADDED_STEPS)                                                                                \
    F(VARIED, "varied", "n x n, 12 to 16 entries in each row", PADDED_STEPS)                       \
    F(EMPTY_ROWS, "empty-rows", "n x n, runs of empty rows between rows of 6", ROW_STEPS)          \
    F(GIANT_ROW, "giant-row", "n x n, 4 entries in each row but one, which is full", ROW_STEPS)    \
    F(LONG_LAST, "long-last", "n x n, 2 entries in each row but the last, which is full",          \
      ROW_STEPS)                                                                                   \
    F(LONG_ROWS, "long-rows", "n x n, 40 to 80 entries in each row", ROW_STEPS)                    \
    F(CLUSTERED, "clustered", "n x (n / 64 + 100), 40 to 80 entries in each row, near each other", \
      ROW_STEPS)                                                                                   \
    F(FEW_ROWS, "few-rows", "n x 6000, 5200 entries in each row", ROW_STEPS)                       \
    F(RMAT, "rmat", "power law: 8n edges drawn among n vertices, repeated ones kept", ROW_STEPS)   \
    F(RMAT_F64, "rmat-f64", "the same in double precision", ROW_STEPS)                             \
    F(NO_ENTRIES, "no-entries", "n x n without an entry: all of y is 0", ROW_STEPS)
KL_FAMILIES(FAMILY_LIST);

// Timed: a stencil of 512 x 512 points is 1.3 million entries; one of 2048 x 2048, and 2^20 rows of
// 8, exceed an H100's L2 cache.
static const kl_suite_entry suite[] = {
    {CPU, 1, KL_CHECK | KL_QUICK},
    {CPU, 1000, KL_CHECK | KL_QUICK},
    {LECTURE, 1, KL_CHECK | KL_QUICK},
    {LECTURE, 70, KL_CHECK},
    {STENCIL, 1, KL_CHECK},
    {STENCIL, 2, KL_CHECK},
    {STENCIL, 33, KL_CHECK | KL_QUICK},
    {STENCIL, 512, KL_CHECK | KL_TIME_SIM | KL_BENCH},
    {STENCIL, 2048, KL_TIME_GPU},
    {STENCIL_F64, 40, KL_CHECK | KL_QUICK},
    {STENCIL_F64, 2048, KL_BENCH},
    {BAND, 5, KL_CHECK},
    {BAND, 1000, KL_CHECK | KL_QUICK},
    {BAND, 1 << 20, KL_TIME_GPU},
    {UNIFORM, 1, KL_CHECK},
    {UNIFORM, 31, KL_CHECK},
    {UNIFORM, 1000, KL_CHECK | KL_QUICK},
    {UNIFORM, 1 << 17, KL_CHECK | KL_TIME_SIM | KL_BENCH},
    {UNIFORM, 1 << 20, KL_TIME_GPU},
    {UNIFORM_F64, 777, KL_CHECK | KL_QUICK},
    {UNIFORM_F64, 1 << 20, KL_BENCH},
    {TALL, 1, KL_CHECK},
    {TALL, 1000, KL_CHECK | KL_QUICK},
    {WIDE, 1, KL_CHECK},
    {WIDE, 1000, KL_CHECK | KL_QUICK},
    {VARIED, 1, KL_CHECK},
    {VARIED, 900, KL_CHECK | KL_QUICK},
    {VARIED, 40000, KL_CHECK},
    {VARIED, 1 << 20, KL_BENCH},
    {EMPTY_ROWS, 3, KL_CHECK},
    {EMPTY_ROWS, 5000, KL_CHECK | KL_QUICK},
    {EMPTY_ROWS, 1 << 20, KL_BENCH},
    {GIANT_ROW, 1, KL_CHECK},
    {GIANT_ROW, 2000, KL_CHECK | KL_QUICK},
    {GIANT_ROW, 100003, KL_CHECK},
    {GIANT_ROW, 1 << 20, KL_TIME_GPU},
    {LONG_LAST, 5, KL_CHECK},
    {LONG_LAST, 1500, KL_CHECK | KL_QUICK},
    {LONG_ROWS, 50, KL_CHECK},
    {LONG_ROWS, 10000, KL_CHECK},
    {LONG_ROWS, 1 << 17, KL_BENCH},
    {CLUSTERED, 10000, KL_CHECK},
    {FEW_ROWS, 3, KL_CHECK},
    {FEW_ROWS, 100, KL_CHECK},
    {RMAT, 1, KL_CHECK},
    {RMAT, 1000, KL_CHECK | KL_QUICK},
    {RMAT, 1 << 16, KL_CHECK | KL_TIME_SIM | KL_BENCH},
    {RMAT, 1 << 20, KL_TIME_GPU},
    {RMAT_F64, 2000, KL_CHECK | KL_QUICK},
    {RMAT_F64, 1 << 20, KL_BENCH},
    {NO_ENTRIES, 0, KL_CHECK},
    {NO_ENTRIES, 100, KL_CHECK | KL_QUICK},
};

// The largest power of two that is at most n.
static int floor_log2(int64_t n) {
    int bits = 0;
    while (n > 1) {
        n /= 2;
        bits++;
    }
    return bits;
}

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Entries of a row in the families that are made by lengths. EMPTY_ROWS: runs of 48 empty rows,
// then 16 that are not; VARIED: lengths go down from 16 to 12 and begin anew; LONG_ROWS and
// CLUSTERED: up from 40 to 80.
static int64_t row_length(int family, int64_t n, int64_t row) {
    switch ((enum family)family) {
    case EMPTY_ROWS: return row / 16 % 4 == 1 ? least(SPARSE_PER_ROW, n) : 0;
    case VARIED: return least(VARIED_MOST - row % 5, n);
    case LONG_LAST: return row == n - 1 ? n : least(2, n);
    case LONG_ROWS: return least(40 + row % 5 * 10, n);
    case CLUSTERED: return 40 + row % 5 * 10;
    default: return 0;
    }
}

static int64_t entries_of_rows(int family, int64_t n, int64_t rows) {
    int64_t entries = 0;
    for (int64_t row = 0; row < rows; row++) entries += row_length(family, n, row);
    return entries;
}

typedef struct shape {
    int64_t rows, cols, nnz;
    spmv_type type;
} shape;

static int64_t band_entries(int64_t n) {
    int64_t side = least(BAND_SIDE, n - 1);
    return n * (2 * side + 1) - side * (side + 1);
}

static shape shape_of(int family, int64_t n) {
    int64_t third = n / 3 + 5, side = INT64_C(1) << floor_log2(n);
    switch ((enum family)family) {
    case CPU:
    case UNIFORM: return (shape){n, n, n * least(UNIFORM_PER_ROW, n), SPMV_FLOAT};
    case UNIFORM_F64: return (shape){n, n, n * least(UNIFORM_PER_ROW, n), SPMV_DOUBLE};
    case LECTURE: return (shape){4 * n, 4 * n + 2, 8 * n, SPMV_FLOAT};
    case STENCIL: return (shape){n * n, n * n, 5 * n * n - 4 * n, SPMV_FLOAT};
    case STENCIL_F64: return (shape){n * n, n * n, 5 * n * n - 4 * n, SPMV_DOUBLE};
    case BAND: return (shape){n, n, band_entries(n), SPMV_FLOAT};
    case TALL: return (shape){n, third, n * TALL_PER_ROW, SPMV_FLOAT};
    case WIDE: return (shape){third, n, third * least(TALL_PER_ROW, n), SPMV_FLOAT};
    case VARIED:
    case LONG_ROWS:
    case CLUSTERED:
    case EMPTY_ROWS: {
        int64_t cols = family == CLUSTERED ? n / 64 + 100 : n;
        int64_t entries = n / LENGTHS_PERIOD * entries_of_rows(family, n, LENGTHS_PERIOD);
        entries += entries_of_rows(family, n, n % LENGTHS_PERIOD);
        return (shape){n, cols, entries, SPMV_FLOAT};
    }
    case FEW_ROWS: return (shape){n, FEW_ROWS_COLS, n * FEW_ROWS_PER_ROW, SPMV_FLOAT};
    case LONG_LAST: return (shape){n, n, (n - 1) * least(2, n) + n, SPMV_FLOAT};
    case GIANT_ROW: return (shape){n, n, (n - 1) * least(SHORT_PER_ROW, n) + n, SPMV_FLOAT};
    case RMAT: return (shape){side, side, 8 * side, SPMV_FLOAT};
    case RMAT_F64: return (shape){side, side, 8 * side, SPMV_DOUBLE};
    case NO_ENTRIES: return (shape){n, n, 0, SPMV_FLOAT};
    case FAMILIES: break;
    }
    return (shape){0, 0, 0, SPMV_FLOAT};
}

static void store(void *array, int64_t i, double value, spmv_type type) {
    if (type == SPMV_FLOAT) {
        ((float *)array)[i] = (float)value;
    } else {
        ((double *)array)[i] = value;
    }
}

void spmv_describe_matrix(int64_t rows, int64_t cols, int64_t nnz, spmv_type type,
                          kl_case *out_case) {
    kl_dtype dtype = type == SPMV_FLOAT ? KL_F32 : KL_F64;
    double value = (double)spmv_value_bytes(type);
    *out_case = (kl_case){.size = rows, .input_count = 4, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){.name = "ptr", .dtype = KL_I32, .elems = (uint64_t)rows + 1};
    out_case->inputs[1] = (kl_buffer){.name = "col", .dtype = KL_I32, .elems = (uint64_t)nnz};
    out_case->inputs[2] = (kl_buffer){.name = "val", .dtype = dtype, .elems = (uint64_t)nnz};
    out_case->inputs[3] = (kl_buffer){.name = "x", .dtype = dtype, .elems = (uint64_t)cols};
    // A matrix without rows gets one word, which must stay as it is.
    out_case->outputs[0] =
        (kl_buffer){.name = "y", .dtype = dtype, .elems = rows > 0 ? (uint64_t)rows : 1};
    out_case->picture_name = "A";
    out_case->picture_rows = rows;
    out_case->picture_cols = cols;
    out_case->ints[0] = rows;
    out_case->ints[1] = cols;
    out_case->ints[2] = nnz;
    out_case->ints[3] = type;
    out_case->prepared_bytes = spmv_prepared_bytes(rows, nnz, type);
    out_case->prepare_inputs = 3; // the matrix, not the vector
    // Each entry with its column once, the row pointers, x and y once.
    out_case->work_bytes =
        (double)nnz * (4.0 + value) + 4.0 * (double)(rows + 1) + value * (double)(rows + cols);
    out_case->work_ops = 2.0 * (double)nnz;
}

void spmv_make_vector(uint64_t seed, int64_t cols, spmv_type type, void *x) {
    uint64_t stream = kl_random_fork(seed, 99);
    for (int64_t j = 0; j < cols; j++) { // -4 .. 4 without 0
        int32_t drawn = (int32_t)kl_random_below(stream, (uint64_t)j, 8);
        store(x, j, drawn < 4 ? drawn - 4 : drawn - 3, type);
    }
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    bool empty_allowed = family == NO_ENTRIES;
    bool square = family == STENCIL || family == STENCIL_F64;
    int64_t most = square ? 1 << 14 : INT64_C(1) << 26;
    if (family < 0 || family >= FAMILIES || size < (empty_allowed ? 0 : 1) || size > most) {
        return kl_no_such_case(&spmv_problem, family, size,
                               "stencils end at 2^14 a side, the others at 2^26 rows", err);
    }
    shape s = shape_of(family, size);
    if (s.nnz > INT32_MAX) {
        return kl_fail(err, KL_ERROR_INPUT, "spmv: %s of size %lld would have %lld entries",
                       families[family].name, (long long)size, (long long)s.nnz);
    }
    spmv_describe_matrix(s.rows, s.cols, s.nnz, s.type, out_case);
    out_case->family = family;
    out_case->size = size;
    out_case->seed = seed;
    out_case->host = family == CPU;
    return KL_OK;
}

// ---- matrices --------------------------------------------------------------------------------

static kl_status make_lecture(int64_t copies, kl_csr *out_csr, kl_error *err) {
    static const int32_t row[] = {0, 0, 1, 1, 2, 2, 2, 3}, col[] = {0, 1, 1, 3, 2, 3, 4, 5};
    int64_t nnz = 8 * copies;
    kl_coo coo = {.rows = 4 * copies, .cols = 4 * copies + 2, .nnz = nnz};
    coo.row = malloc((size_t)nnz * sizeof *coo.row);
    coo.col = malloc((size_t)nnz * sizeof *coo.col);
    coo.val = malloc((size_t)nnz * sizeof *coo.val);
    kl_status status = KL_OK;
    if (!coo.row || !coo.col || !coo.val) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for the matrix of the example");
    } else {
        for (int64_t k = 0; k < nnz; k++) {
            coo.row[k] = (int32_t)(4 * (k / 8) + row[k % 8]);
            coo.col[k] = (int32_t)(4 * (k / 8) + col[k % 8]);
            coo.val[k] = 10.0 * (double)(k % 8 + 1);
        }
        status = kl_csr_from_coo(&coo, out_csr, err);
    }
    kl_coo_free(&coo);
    return status;
}

static kl_status make_by_length(const kl_case *c, kl_csr *out_csr, kl_error *err) {
    int64_t n = c->size;
    int32_t *lengths = malloc((size_t)n * sizeof *lengths);
    if (!lengths) return kl_fail(err, KL_ERROR_MEMORY, "no memory for %lld rows", (long long)n);
    for (int64_t i = 0; i < n; i++) lengths[i] = (int32_t)row_length(c->family, n, i);
    kl_status status = kl_make_rows(n, c->ints[1], lengths, c->seed, out_csr, err);
    free(lengths);
    return status;
}

static kl_status make_matrix(const kl_case *c, kl_csr *out_csr, kl_error *err) {
    int64_t n = c->size, rows = c->ints[0], cols = c->ints[1];
    switch ((enum family)c->family) {
    case CPU:
    case UNIFORM:
    case UNIFORM_F64:
        return kl_make_uniform(rows, cols, least(UNIFORM_PER_ROW, n), c->seed, out_csr, err);
    case LECTURE: return make_lecture(n, out_csr, err);
    case STENCIL:
    case STENCIL_F64: return kl_make_stencil(KL_STENCIL_5, n, n, 1, c->seed, out_csr, err);
    case BAND: return kl_make_band(n, BAND_SIDE, BAND_SIDE, c->seed, out_csr, err);
    case TALL:
    case WIDE: return kl_make_uniform(rows, cols, least(TALL_PER_ROW, cols), c->seed, out_csr, err);
    case VARIED:
    case EMPTY_ROWS:
    case LONG_ROWS:
    case CLUSTERED:
    case LONG_LAST: return make_by_length(c, out_csr, err);
    case GIANT_ROW:
        return kl_make_giant_rows(n, n, least(SHORT_PER_ROW, n), 1, n, c->seed, out_csr, err);
    case FEW_ROWS: return kl_make_uniform(rows, cols, FEW_ROWS_PER_ROW, c->seed, out_csr, err);
    case RMAT:
    case RMAT_F64:
        return kl_make_rmat(floor_log2(n), c->ints[2], 0.57, 0.19, 0.19, true, c->seed, out_csr,
                            err);
    case NO_ENTRIES: return kl_make_uniform(rows, cols, 0, c->seed, out_csr, err);
    case FAMILIES: break;
    }
    return kl_fail(err, KL_ERROR_INPUT, "spmv: no family %d", c->family);
}

static double load(const void *array, int64_t i, spmv_type type) {
    return type == SPMV_FLOAT ? (double)((const float *)array)[i] : ((const double *)array)[i];
}

// Values of double have digits that float cannot hold.
static void store_values(const kl_case *c, const kl_csr *csr, void *val) {
    spmv_type type = (spmv_type)c->ints[3];
    bool zeros = c->family == TALL || c->family == WIDE;
    uint64_t stream = kl_random_fork(c->seed, 98);
    for (int64_t k = 0; k < csr->nnz; k++) {
        double value = csr->val[k];
        if (type == SPMV_DOUBLE) {
            double digits = (double)kl_random_below(stream, (uint64_t)k, 1 << 20);
            value += ldexp(digits, -SPMV_DOUBLE_UNIT_BITS);
        }
        store(val, k, zeros && k % 7 == 3 ? 0.0 : value, type);
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    kl_csr csr;
    TRY(make_matrix(c, &csr, err));
    if (csr.rows != c->ints[0] || csr.cols != c->ints[1] || csr.nnz != c->ints[2]) {
        kl_csr_free(&csr);
        return kl_fail(err, KL_ERROR_INPUT, "spmv: family %s of size %lld is not as described",
                       families[c->family].name, (long long)c->size);
    }
    memcpy(inputs[0], csr.ptr, (size_t)(csr.rows + 1) * sizeof *csr.ptr);
    memcpy(inputs[1], csr.col, (size_t)csr.nnz * sizeof *csr.col);
    store_values(c, &csr, inputs[2]);
    spmv_make_vector(c->seed, csr.cols, (spmv_type)c->ints[3], inputs[3]);
    kl_csr_free(&csr);
    return KL_OK;
}

// The family's pattern with entries 1, 2, 3, .., and a vector of 1 to 4.
static bool readable(const kl_case *c, void *const *inputs) {
    kl_small_count_up(&c->inputs[2], 9, inputs[2]);
    kl_small_count_up(&c->inputs[3], 4, inputs[3]);
    return true;
}

// An element of the matrix; where nothing is stored there is none.
static double picture(const kl_case *c, const void *const *inputs, int64_t row, int64_t column) {
    const int32_t *ptr = inputs[0], *col = inputs[1];
    double sum = NAN;
    for (int32_t i = ptr[row]; i < ptr[row + 1]; i++)
        if (col[i] == column)
            sum = (isnan(sum) ? 0.0 : sum) +
                  kl_small_element(c->inputs[2].dtype, inputs[2], (uint64_t)i);
    return sum;
}

// ---- answer ----------------------------------------------------------------------------------

// y, then the bounds of its elements.
static uint64_t solution_bytes(const kl_case *c) {
    return 2 * sizeof(double) * (uint64_t)c->ints[0];
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    spmv_type type = (spmv_type)c->ints[3];
    int64_t rows = c->ints[0], cols = c->ints[1], nnz = c->ints[2];
    double *val = malloc((size_t)(nnz + 1) * sizeof *val);
    double *x = malloc((size_t)(cols + 1) * sizeof *x);
    if (!val || !x) {
        free(val);
        free(x);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the answer of lab 08");
    }
    for (int64_t k = 0; k < nnz; k++) val[k] = load(inputs[2], k, type);
    for (int64_t j = 0; j < cols; j++) x[j] = load(inputs[3], j, type);
    // The reference only reads the matrix.
    kl_csr csr = {rows, cols, nnz, (int32_t *)inputs[0], (int32_t *)inputs[1], val};
    double *y = out_solution;
    spmv_reference(&csr, x, type, y, y + rows);
    free(val);
    free(x);
    return KL_OK;
}

static void explain(const kl_case *c, const void *const *inputs, kl_verdict *verdict) {
    const int32_t *ptr = inputs[0];
    int64_t row = (int64_t)verdict->first_wrong;
    int32_t length = ptr[row + 1] - ptr[row];
    bool rounded = c->ints[3] == SPMV_DOUBLE &&
                   fabs(verdict->got - verdict->expected) <= 1e-5 * fabs(verdict->expected);
    const char *kind = length == 0             ? ": an empty row must give 0"
                       : rounded               ? ": as if float had been used on the way"
                       : row + 1 == c->ints[0] ? ": it is the last row"
                       : length > 32           ? ": a row longer than a warp"
                                               : "";
    snprintf(verdict->hint, sizeof verdict->hint, "row %lld has %d entr%s%s", (long long)row,
             length, length == 1 ? "y" : "ies", kind);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    uint64_t rows = (uint64_t)c->ints[0];
    const double *y = solution;
    if (rows == 0) { // the word that is there must be as it was
        static const unsigned char poison[4] = {0xFF, 0xFF, 0xFF, 0xFF};
        *out_verdict = (kl_verdict){.ok = memcmp(outputs[0], poison, 4) == 0, .compared = 1};
        return;
    }
    kl_comparison compared = c->ints[3] == SPMV_FLOAT
                                 ? kl_compare_f32(outputs[0], y, y + rows, 0.0, rows)
                                 : kl_compare_f64(outputs[0], y, y + rows, 0.0, rows);
    *out_verdict = kl_verdict_of(&compared);
    if (!compared.ok) explain(c, inputs, out_verdict);
}

static const char *unit_of(int family) {
    return family == STENCIL || family == STENCIL_F64 ? "points a side" : "rows";
}

const kl_problem spmv_problem = {
    .name = "spmv",
    .folder = "08_spmv",
    .title = "Sparse matrix times vector",
    .size_unit = "rows",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_READ,
    .default_seed = 2014, // the year of CSR-adaptive
    .max_size = INT64_C(1) << 26,
    .timed_family = "stencil",
    .picture = picture,
    KL_PROBLEM_PARTS,
};
