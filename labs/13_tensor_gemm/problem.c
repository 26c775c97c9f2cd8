// Lab 13 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero:
// a card computes zeros with less power, and so with a faster clock.
#include "problem.h"
#include "small_case.h"

#include "random.h"
#include "reference.h"
#include "tensor_gemm.h"

#include "steps.h" // made from lab.json: steps[]

enum { FAST_STEPS = ~3u & 0xfff, ANY_SHAPE_STEPS = 1u << 11 };

enum family {
    SQUARE,
    RECTANGLE,
    INTEGERS,
    BFLOAT16,
    DEEP,
    SHALLOW,
    NO_DEPTH,
    NO_ROWS,
    LARGE,
    ODD,
    UNEVEN,
    A_COLUMNS,
    B_ROWS,
    A_COLUMNS_B_ROWS,
    NARROW,
    NARROW_DEEP,
    MANY_TILES,
    FAMILIES
};

static const kl_family families[FAMILIES] = {
    [SQUARE] = {"square", "m = n = k = the size, rounded up to a multiple of 128", 0},
    [RECTANGLE] = {"rectangle", "three different sides", 0},
    [INTEGERS] = {"integers", "as square, small integers whose sums are exact: bound 0", 0},
    [BFLOAT16] = {"bfloat16", "as square, with elements of type bfloat16", 0},
    [DEEP] = {"deep", "128 x 128, depth 64 times the size: one tile of D", 0},
    [SHALLOW] = {"shallow", "as square, depth 64: less than a pipeline of tiles holds", 0},
    [NO_DEPTH] = {"no-depth", "as square, depth 0: every element must be set to 0", 0},
    [NO_ROWS] = {"no-rows", "0 x n: nothing may be written", 0},
    [LARGE] = {"large", "as square, for the steps that are fast enough", FAST_STEPS},
    [ODD] = {"odd", "m = n = k = the size, whatever it is, for the last step", ANY_SHAPE_STEPS},
    [UNEVEN] = {"uneven", "three sides of any length, for the last step", ANY_SHAPE_STEPS},
    [A_COLUMNS] = {"a-columns",
                   "size, twice and half of it deep; A is column-major, for the last step",
                   ANY_SHAPE_STEPS},
    [B_ROWS] = {"b-rows", "likewise, B is row-major", ANY_SHAPE_STEPS},
    [A_COLUMNS_B_ROWS] = {"a-columns-b-rows", "likewise, both are", ANY_SHAPE_STEPS},
    [NARROW] = {"narrow", "the same sides, D has halves", ANY_SHAPE_STEPS},
    [NARROW_DEEP] = {"narrow-deep", "as deep, all of bfloat16, A column-major, B row-major",
                     ANY_SHAPE_STEPS},
    [MANY_TILES] = {"many-tiles", "as square, depth 192: more tiles than SMs, for the last step",
                    ANY_SHAPE_STEPS},
};

static const kl_suite_entry suite[] = {
    {SQUARE, 128, KL_CHECK | KL_QUICK},
    {SQUARE, 256, KL_CHECK | KL_TIME_SIM},
    {SQUARE, 384, KL_CHECK},
    {SQUARE, 1024, KL_TIME_GPU | KL_TIME_SIM},
    {SQUARE, 2048, KL_TIME_GPU},
    {SQUARE, 4096, KL_TIME_GPU},
    {LARGE, 8192, KL_TIME_GPU},
    {RECTANGLE, 100, KL_CHECK | KL_QUICK},
    {RECTANGLE, 300, KL_CHECK},
    {INTEGERS, 128, KL_CHECK | KL_QUICK},
    {INTEGERS, 256, KL_CHECK},
    {BFLOAT16, 128, KL_CHECK | KL_QUICK},
    {BFLOAT16, 384, KL_CHECK},
    {BFLOAT16, 4096, KL_BENCH},
    {DEEP, 3, KL_CHECK},
    {DEEP, 33, KL_CHECK | KL_QUICK},
    {DEEP, 1024, KL_BENCH},
    {SHALLOW, 256, KL_CHECK},
    {ODD, 1, KL_CHECK | KL_QUICK},
    {ODD, 129, KL_CHECK | KL_QUICK},
    {ODD, 330, KL_CHECK},
    {ODD, 4095, KL_BENCH},
    {UNEVEN, 200, KL_CHECK | KL_QUICK},
    {A_COLUMNS, 131, KL_CHECK | KL_QUICK},
    {A_COLUMNS, 136, KL_CHECK},
    {A_COLUMNS, 4096, KL_BENCH},
    {B_ROWS, 131, KL_CHECK},
    {B_ROWS, 136, KL_CHECK | KL_QUICK},
    {B_ROWS, 4096, KL_BENCH},
    {A_COLUMNS_B_ROWS, 100, KL_CHECK | KL_QUICK},
    {A_COLUMNS_B_ROWS, 4096, KL_BENCH},
    {NARROW, 131, KL_CHECK | KL_QUICK},
    {NARROW, 136, KL_CHECK},
    {NARROW, 4096, KL_BENCH},
    {NARROW_DEEP, 33, KL_CHECK | KL_QUICK},
    {MANY_TILES, 2048, KL_CHECK},
    {NO_DEPTH, 128, KL_CHECK | KL_QUICK},
    {NO_ROWS, 100, KL_CHECK | KL_QUICK},
};

typedef struct shape {
    int64_t m, n, k;
} shape;

static int64_t round_up(int64_t n, int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

static shape shape_of(int family, int64_t size) {
    int64_t n = round_up(size, TENSOR_GEMM_SIDE);
    switch ((enum family)family) {
    case SQUARE:
    case INTEGERS:
    case BFLOAT16:
    case LARGE: return (shape){n, n, n};
    case RECTANGLE:
        return (shape){n, round_up(size / 2, TENSOR_GEMM_SIDE) + TENSOR_GEMM_SIDE,
                       round_up(size / 3, TENSOR_GEMM_DEPTH) + TENSOR_GEMM_DEPTH};
    case NARROW_DEEP:
    case DEEP: return (shape){TENSOR_GEMM_SIDE, TENSOR_GEMM_SIDE, TENSOR_GEMM_DEPTH * size};
    case SHALLOW: return (shape){n, n, TENSOR_GEMM_DEPTH};
    case MANY_TILES: return (shape){n, n, 3 * TENSOR_GEMM_DEPTH};
    case NO_DEPTH: return (shape){n, n, 0};
    case NO_ROWS: return (shape){0, n, n};
    case ODD: return (shape){size, size, size};
    case UNEVEN: return (shape){size, size * 3 / 5 + 1, size * 2 / 3 + 1};
    case A_COLUMNS: // as many multiply-adds as a cube of that side
    case B_ROWS:
    case A_COLUMNS_B_ROWS:
    case NARROW: return (shape){size, 2 * size, (size + 1) / 2};
    case FAMILIES: break;
    }
    return (shape){0, 0, 0};
}

// Integers are of this magnitude at most: both types hold them, and sums of EXACT_DEPTH products
// stay below 2^24.
enum { EXACT_MOST = 64, EXACT_DEPTH = (1 << 24) / (EXACT_MOST * EXACT_MOST) };

// Of a copy of so many rows in memory, of so many elements each.
static uint64_t copy_bytes(int64_t rows, int64_t length) {
    if (length % TENSOR_GEMM_DEPTH == 0) return 0;
    return (uint64_t)(rows * round_up(length, TENSOR_GEMM_DEPTH)) * sizeof(uint16_t);
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    const int64_t most_side = 32768, most_deep = 1024;
    if (family < 0 || family >= FAMILIES || size < 0 || size > most_side ||
        (family == INTEGERS && size > EXACT_DEPTH) ||
        ((family == DEEP || family == NARROW_DEEP) && size > most_deep)) {
        char limits[128];
        snprintf(limits, sizeof limits,
                 "a side is at most %lld, of integers %d; deep: at most %lld", (long long)most_side,
                 EXACT_DEPTH, (long long)most_deep);
        return kl_no_such_case(&tensor_gemm_problem, family, size, limits, err);
    }
    const shape s = shape_of(family, size);
    const uint64_t d_elems = (uint64_t)(s.m * s.n);
    const bool bfloat16 = family == BFLOAT16 || family == NARROW_DEEP;
    const bool both = family == A_COLUMNS_B_ROWS || family == NARROW_DEEP;
    const bool a_by_columns = family == A_COLUMNS || both, b_by_rows = family == B_ROWS || both;
    const bool narrow = family == NARROW || family == NARROW_DEEP;
    const kl_dtype dtype = bfloat16 ? KL_BF16 : KL_F16;
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 2, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){.name = "A", .dtype = dtype, .elems = (uint64_t)(s.m * s.k)};
    out_case->inputs[1] = (kl_buffer){.name = "B", .dtype = dtype, .elems = (uint64_t)(s.n * s.k)};
    // An empty D gets one element, which must stay as it is.
    out_case->outputs[0] = (kl_buffer){
        .name = "D", .dtype = narrow ? dtype : KL_F32, .elems = d_elems > 0 ? d_elems : 1};
    out_case->workspace_bytes = TENSOR_GEMM_PARTS_BYTES +
                                (a_by_columns ? copy_bytes(s.k, s.m) : copy_bytes(s.m, s.k)) +
                                (b_by_rows ? copy_bytes(s.k, s.n) : copy_bytes(s.n, s.k));
    out_case->inputs[0].line_elems = a_by_columns ? -s.m : s.k;
    out_case->inputs[1].line_elems = b_by_rows ? s.n : -s.k;
    out_case->outputs[0].line_elems = s.n;
    out_case->ints[0] = s.m;
    out_case->ints[1] = s.n;
    out_case->ints[2] = s.k;
    out_case->ints[3] = bfloat16 ? TENSOR_GEMM_BFLOAT16 : TENSOR_GEMM_HALF;
    out_case->ints[4] = a_by_columns;
    out_case->ints[5] = b_by_rows;
    out_case->ints[6] = narrow;
    out_case->work_ops = 2.0 * (double)s.m * (double)s.n * (double)s.k;
    out_case->work_bytes = d_elems == 0 ? 0.0
                                        : 2.0 * (double)(s.m + s.n) * (double)s.k +
                                              (narrow ? 2.0 : 4.0) * (double)d_elems;
    return KL_OK;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    tensor_gemm_type type = (tensor_gemm_type)c->ints[3];
    for (int which = 0; which < c->input_count; which++) {
        uint16_t *values = inputs[which];
        uint64_t seed = kl_random_fork(c->seed, 10 + (uint64_t)which);
        for (uint64_t i = 0; i < c->inputs[which].elems; i++) {
            float x = c->family == INTEGERS
                          ? (float)((int)kl_random_below(seed, i, 2 * EXACT_MOST + 1) - EXACT_MOST)
                          : kl_random_signed(seed, i);
            values[i] = tensor_gemm_bits(type, x);
        }
    }
    return KL_OK;
}

static tensor_gemm_check check_of(const kl_case *c, const void *const *inputs) {
    return (tensor_gemm_check){.m = c->ints[0],
                               .n = c->ints[1],
                               .k = c->ints[2],
                               .type = (tensor_gemm_type)c->ints[3],
                               .a = inputs[0],
                               .b = inputs[1],
                               .seed = c->seed,
                               .exact = c->family == INTEGERS,
                               .a_by_columns = c->ints[4] != 0,
                               .b_by_rows = c->ints[5] != 0,
                               .narrow = c->ints[6] != 0};
}

// Matrices of 1 to 4 and 1 to 3.
static bool readable(const kl_case *c, void *const *inputs) {
    kl_small_count_up(&c->inputs[0], 4, inputs[0]);
    kl_small_count_up(&c->inputs[1], 3, inputs[1]);
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    return sizeof(double) * tensor_gemm_answer_doubles(c->ints[0], c->ints[1], c->ints[2]);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    tensor_gemm_check check = check_of(c, inputs);
    return tensor_gemm_solve(&check, out_solution, err);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    tensor_gemm_check check = check_of(c, inputs);
    tensor_gemm_compare(&check, solution, outputs[0], out_verdict);
}

static const char *unit_of(int family) {
    return family == DEEP || family == NARROW_DEEP ? "tiles deep" : "rows";
}

const kl_problem tensor_gemm_problem = {
    .name = "tensor_gemm",
    .folder = "13_tensor_gemm",
    .title = "Matrix multiplication on tensor cores",
    .size_unit = "rows",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_TENSOR,
    .default_seed = 13,
    .max_size = 32768,
    .timed_family = "square",
    KL_PROBLEM_PARTS,
};
