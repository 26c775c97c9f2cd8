// Lab 13 as data: kinds of cases, shapes, input generators, work formula. Host only.
// Inputs are functions of (seed, index): see random.h. They must never be all equal or all zero:
// a card computes zeros with less power, and so with a faster clock.
#include "problem.h"
#include "small_case.h"

#include "random.h"
#include "reference.h"
#include "tensor_gemm.h"

#include "steps.h" // made from lab.json: steps[]

enum {
    PLAIN_STEPS = 0xfff, // elements of 16 bits
    FAST_STEPS = ~3u & PLAIN_STEPS,
    ANY_SHAPE_STEPS = 1u << 11,
    SCALED_STEPS = 1u << 12
};

#define FAMILY_LIST(F)                                                                             \
    F(SQUARE, "square", "m = n = k = the size, rounded up to a multiple of 128", PLAIN_STEPS)      \
    F(RECTANGLE, "rectangle", "three different sides", PLAIN_STEPS)                                \
    F(INTEGERS, "integers", "as square, small integers whose sums are exact: bound 0",             \
      PLAIN_STEPS)                                                                                 \
    F(BFLOAT16, "bfloat16", "as square, with elements of type bfloat16", PLAIN_STEPS)              \
    F(DEEP, "deep", "128 x 128, depth 64 times the size: one tile of D", PLAIN_STEPS)              \
    F(SHALLOW, "shallow", "as square, depth 64: less than a pipeline of tiles holds", PLAIN_STEPS) \
    F(NO_DEPTH, "no-depth", "as square, depth 0: every element must be set to 0", PLAIN_STEPS)     \
    F(NO_ROWS, "no-rows", "0 x n: nothing may be written", PLAIN_STEPS)                            \
    F(LARGE, "large", "as square, for the steps that are fast enough", FAST_STEPS)                 \
    F(ODD, "odd", "m = n = k = the size, whatever it is, for step 11", ANY_SHAPE_STEPS)            \
    F(UNEVEN, "uneven", "three sides of any length, for step 11", ANY_SHAPE_STEPS)                 \
    F(A_COLUMNS, "a-columns", "size, twice and half of it deep; A is column-major, for step 11",   \
      ANY_SHAPE_STEPS)                                                                             \
    F(B_ROWS, "b-rows", "likewise, B is row-major", ANY_SHAPE_STEPS)                               \
    F(A_COLUMNS_B_ROWS, "a-columns-b-rows", "likewise, both are", ANY_SHAPE_STEPS)                 \
    F(NARROW, "narrow", "the same sides, D has halves", ANY_SHAPE_STEPS)                           \
    F(NARROW_DEEP, "narrow-deep", "as deep, all of bfloat16, A column-major, B row-major",         \
      ANY_SHAPE_STEPS)                                                                             \
    F(MANY_TILES, "many-tiles", "as square, depth 192: more tiles than SMs, for step 11",          \
      ANY_SHAPE_STEPS)                                                                             \
    F(WITHIN_SECTORS, "within-sectors",                                                            \
      "twice the size, the size, depth 264: rows that begin within a sector", ANY_SHAPE_STEPS)     \
    F(SCALED, "scaled", "m = n = k = the size, rounded up to a multiple of 16; 8-bit floats",      \
      SCALED_STEPS)                                                                                \
    F(SCALED_UNEVEN, "scaled-uneven", "three sides, multiples of 16",                              \
      SCALED_STEPS | KL_NOT_VENDOR)                                                                \
    F(SCALED_POSITIVE, "scaled-positive",                                                          \
      "16 x 16, depth 128 times the size, no negative number: lost bits add up",                   \
      SCALED_STEPS | KL_NOT_VENDOR)                                                                \
    F(SCALED_MANY_TILES, "scaled-many-tiles",                                                      \
      "as scaled, depth 640, an odd number of rounds; more tiles than SMs",                        \
      SCALED_STEPS | KL_NOT_VENDOR)                                                                \
    F(SCALED_NO_DEPTH, "scaled-no-depth", "as scaled, depth 0", SCALED_STEPS | KL_NOT_VENDOR)
KL_FAMILIES(FAMILY_LIST);

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
    {WITHIN_SECTORS, 1156, KL_CHECK}, // blocks of a cluster share boxes of B,
    {WITHIN_SECTORS, 1412, KL_CHECK}, // of both,
    {WITHIN_SECTORS, 1540, KL_CHECK}, // of A
    {SCALED, 128, KL_CHECK | KL_QUICK},
    {SCALED, 256, KL_CHECK | KL_TIME_SIM},
    {SCALED, 384, KL_CHECK},
    {SCALED, 1024, KL_TIME_GPU | KL_TIME_SIM},
    {SCALED, 2048, KL_TIME_GPU},
    {SCALED, 4096, KL_TIME_GPU},
    {SCALED, 8192, KL_TIME_GPU},
    {SCALED_UNEVEN, 200, KL_CHECK | KL_QUICK},
    {SCALED_UNEVEN, 640, KL_CHECK},
    {SCALED_POSITIVE, 32, KL_CHECK | KL_QUICK},
    {SCALED_MANY_TILES, 1536, KL_CHECK},
    {SCALED_NO_DEPTH, 128, KL_CHECK},
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
    int64_t n = round_up(size, TENSOR_GEMM_SIDE), unit = TENSOR_GEMM_UNIT;
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
    case WITHIN_SECTORS: return (shape){2 * size, size, 264};
    case NO_DEPTH: return (shape){n, n, 0};
    case NO_ROWS: return (shape){0, n, n};
    case ODD: return (shape){size, size, size};
    case UNEVEN: return (shape){size, size * 3 / 5 + 1, size * 2 / 3 + 1};
    case A_COLUMNS: // as many multiply-adds as a cube of that side
    case B_ROWS:
    case A_COLUMNS_B_ROWS:
    case NARROW: return (shape){size, 2 * size, (size + 1) / 2};
    case SCALED: return (shape){round_up(size, unit), round_up(size, unit), round_up(size, unit)};
    case SCALED_UNEVEN:
        return (shape){round_up(size, unit), round_up(size * 3 / 5, unit),
                       round_up(size * 2 / 3, unit)};
    case SCALED_POSITIVE: return (shape){unit, unit, TENSOR_GEMM_SCALED * size};
    case SCALED_MANY_TILES:
        return (shape){round_up(size, unit), round_up(size, unit), 5 * TENSOR_GEMM_SCALED};
    case SCALED_NO_DEPTH: return (shape){round_up(size, unit), round_up(size, unit), 0};
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

// What 8-bit floats have besides: their scales, as tensor_gemm.h says.
static void add_scales(shape s, kl_case *c) {
    int64_t rounds = round_up(s.k, TENSOR_GEMM_SCALED) / TENSOR_GEMM_SCALED;
    int64_t columns = round_up(s.n, TENSOR_GEMM_SCALED) / TENSOR_GEMM_SCALED;
    int64_t pitch = round_up(rounds, TENSOR_GEMM_PITCH);
    c->input_count = 4;
    c->inputs[2] = (kl_buffer){.name = "scales of A",
                               .dtype = KL_F32,
                               .elems = (uint64_t)(rounds * s.m),
                               .line_elems = s.m};
    c->inputs[3] = (kl_buffer){.name = "scales of B",
                               .dtype = KL_F32,
                               .elems = (uint64_t)(columns * pitch),
                               .line_elems = pitch};
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    const int64_t most_side = 32768, most_deep = 1024;
    if (family < 0 || family >= FAMILIES || size < 0 || size > most_side ||
        (family == INTEGERS && size > EXACT_DEPTH) ||
        ((family == DEEP || family == NARROW_DEEP) && size > most_deep) ||
        (family == SCALED_POSITIVE && size > most_deep / 2)) {
        char limits[128];
        snprintf(limits, sizeof limits,
                 "a side is at most %lld, of integers %d; deep: at most %lld, positive: half of it",
                 (long long)most_side, EXACT_DEPTH, (long long)most_deep);
        return kl_no_such_case(&tensor_gemm_problem, family, size, limits, err);
    }
    const shape s = shape_of(family, size);
    const uint64_t d_elems = (uint64_t)(s.m * s.n);
    const bool bfloat16 = family == BFLOAT16 || family == NARROW_DEEP;
    const bool both = family == A_COLUMNS_B_ROWS || family == NARROW_DEEP;
    const bool a_by_columns = family == A_COLUMNS || both, b_by_rows = family == B_ROWS || both;
    const bool scaled = family >= SCALED && family <= SCALED_NO_DEPTH;
    const bool narrow = family == NARROW || family == NARROW_DEEP || scaled;
    const kl_dtype dtype = scaled ? KL_U8 : bfloat16 ? KL_BF16 : KL_F16;
    *out_case = (kl_case){
        .family = family, .size = size, .seed = seed, .input_count = 2, .output_count = 1};
    out_case->inputs[0] = (kl_buffer){.name = "A", .dtype = dtype, .elems = (uint64_t)(s.m * s.k)};
    out_case->inputs[1] = (kl_buffer){.name = "B", .dtype = dtype, .elems = (uint64_t)(s.n * s.k)};
    // An empty D gets one element, which must stay as it is.
    out_case->outputs[0] = (kl_buffer){.name = "D",
                                       .dtype = scaled   ? KL_BF16
                                                : narrow ? dtype
                                                         : KL_F32,
                                       .elems = d_elems > 0 ? d_elems : 1};
    if (scaled) add_scales(s, out_case);
    if (!scaled)
        out_case->workspace_bytes = TENSOR_GEMM_PARTS_BYTES +
                                    (a_by_columns ? copy_bytes(s.k, s.m) : copy_bytes(s.m, s.k)) +
                                    (b_by_rows ? copy_bytes(s.k, s.n) : copy_bytes(s.n, s.k));
    out_case->inputs[0].line_elems = a_by_columns ? -s.m : s.k;
    out_case->inputs[1].line_elems = b_by_rows ? s.n : -s.k;
    out_case->outputs[0].line_elems = s.n;
    out_case->ints[0] = s.m;
    out_case->ints[1] = s.n;
    out_case->ints[2] = s.k;
    out_case->ints[3] = scaled     ? TENSOR_GEMM_E4M3
                        : bfloat16 ? TENSOR_GEMM_BFLOAT16
                                   : TENSOR_GEMM_HALF;
    out_case->ints[4] = a_by_columns;
    out_case->ints[5] = b_by_rows;
    out_case->ints[6] = narrow;
    out_case->work_ops = 2.0 * (double)s.m * (double)s.n * (double)s.k;
    out_case->work_bytes = d_elems == 0 ? 0.0
                                        : (scaled ? 1.0 : 2.0) * (double)(s.m + s.n) * (double)s.k +
                                              (narrow ? 2.0 : 4.0) * (double)d_elems;
    return KL_OK;
}

// As quantising makes them: the largest magnitude of what has one scale is near the largest that
// there is, whatever the scale.
static void generate_scaled(const kl_case *c, void *const *inputs) {
    for (int which = 0; which < c->input_count; which++) {
        uint64_t seed = kl_random_fork(c->seed, 10 + (uint64_t)which);
        for (uint64_t i = 0; i < c->inputs[which].elems; i++) {
            float x = kl_random_signed(seed, i);
            if (which >= 2)
                ((float *)inputs[which])[i] = (0.75f + 0.25f * x) / 448.0f;
            else
                ((uint8_t *)inputs[which])[i] = (uint8_t)tensor_gemm_bits(
                    TENSOR_GEMM_E4M3, 448.0f * (c->family == SCALED_POSITIVE ? fabsf(x) : x));
        }
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    tensor_gemm_type type = (tensor_gemm_type)c->ints[3];
    if (type == TENSOR_GEMM_E4M3) {
        generate_scaled(c, inputs);
        return KL_OK;
    }
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
                               .a_scales = c->input_count > 2 ? inputs[2] : NULL,
                               .b_scales = c->input_count > 3 ? inputs[3] : NULL,
                               .seed = c->seed,
                               .exact = c->family == INTEGERS,
                               .a_by_columns = c->ints[4] != 0,
                               .b_by_rows = c->ints[5] != 0,
                               .narrow = c->ints[6] != 0};
}

// Matrices of 1 to 4 and 1 to 3.
static bool readable(const kl_case *c, void *const *inputs) {
    if (c->ints[3] == TENSOR_GEMM_E4M3) return false;
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
    bool deep = family == DEEP || family == NARROW_DEEP || family == SCALED_POSITIVE;
    return deep ? "tiles deep" : "rows";
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
