// Lab 10 as data: kinds of cases, sizes, inputs, work formulas. Host only.
// A family is an operation of pruning.h with a share of pruned weights; which weights these are is
// decided by magnitude, as common/topics/pruning does it.
#include "problem.h"
#include "small_case.h"

#include "prune.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

#define STEP(s)     (UINT32_C(1) << (s))
#define LAYER_STEPS (STEP(0) | STEP(5) | STEP(6) | STEP(8))

#define TINY(steps) steps | KL_NOT_VENDOR

#define FAMILY_LIST(F)                                                                             \
    F(LAYER, "layer", "layers of odd sizes, small integers: exact; every fourth row is empty",     \
      LAYER_STEPS)                                                                                 \
    F(LAYER_REAL, "layer-real", "the same with real numbers", LAYER_STEPS)                         \
    F(LAYER_FULL, "layer-full", "nothing is pruned", LAYER_STEPS)                                  \
    F(LAYER_NONE, "layer-none", "everything is pruned", TINY(LAYER_STEPS))                         \
    F(LAYER_DENSE, "layer-dense", "512 inputs, 128 outputs, nothing pruned", LAYER_STEPS)          \
    F(LAYER_HALF, "layer-half", "512 inputs, 128 outputs, 50 % pruned", LAYER_STEPS)               \
    F(LAYER_NET, "layer-net", "512 inputs, 128 outputs as in lab 09's network, 90 % pruned",       \
      LAYER_STEPS)                                                                                 \
    F(LAYER_99, "layer-99", "the same, 99 % pruned", LAYER_STEPS)                                  \
    F(LAYER_FLAT, "layer-flat", "68 inputs, 500 outputs, 50 % pruned: many tiles", LAYER_STEPS)    \
    F(LAYER_WIDE_DENSE, "layer-wide-dense", "4096 inputs and outputs, nothing pruned",             \
      LAYER_STEPS)                                                                                 \
    F(LAYER_WIDE_HALF, "layer-wide-half", "4096 inputs and outputs, 50 % pruned", LAYER_STEPS)     \
    F(LAYER_WIDE, "layer-wide", "4096 inputs and outputs, 90 % pruned", LAYER_STEPS)               \
    F(LAYER_WIDE_99, "layer-wide-99", "the same, 99 % pruned", LAYER_STEPS)                        \
    F(SELECT, "select", "small integers: many equal weights; the size is their number", STEP(1))   \
    F(SELECT_REAL, "select-real", "real numbers, two of three pruned", STEP(1))                    \
    F(SELECT_NONE, "select-none", "none of the weights stays", STEP(1))                            \
    F(SELECT_ALL, "select-all", "all of them stay; one is NaN", STEP(1))                           \
    F(MASK, "mask", "small integers: many equal weights; the size is their number", STEP(2))       \
    F(MASK_REAL, "mask-real", "real numbers, 90 % pruned", STEP(2))                                \
    F(UPDATE, "update", "descent with a mask; the size is the number of weights", STEP(3))         \
    F(CSR, "csr", "matrices of odd sizes with empty rows and stored zeros", STEP(4))               \
    F(CSR_NET, "csr-net", "512 columns, 90 % pruned; the size is the number of rows", STEP(4))     \
    F(BLOCKS, "blocks", "blocks of 4 rows, small integers: exact; odd sizes", STEP(7))             \
    F(BLOCKS_REAL, "blocks-real", "the same with real numbers", STEP(7))                           \
    F(BLOCKS_NET, "blocks-net", "512 inputs, 128 outputs, 90 % of the blocks pruned", STEP(7))     \
    F(BLOCKS_WIDE, "blocks-wide", "4096 inputs and outputs, 90 % of the blocks pruned", STEP(7))
KL_FAMILIES(FAMILY_LIST);

static const kl_suite_entry suite[] = {
    {LAYER, 0, KL_CHECK},
    {LAYER, 1, KL_CHECK | KL_QUICK},
    {LAYER, 2, KL_CHECK},
    {LAYER, 5, KL_CHECK | KL_QUICK},
    {LAYER, 36, KL_CHECK},
    {LAYER, 131, KL_CHECK | KL_QUICK},
    {LAYER_REAL, 3, KL_CHECK},
    {LAYER_REAL, 68, KL_CHECK | KL_QUICK},
    {LAYER_FULL, 8, KL_CHECK},
    {LAYER_FULL, 33, KL_CHECK | KL_QUICK},
    {LAYER_NONE, 7, KL_CHECK | KL_QUICK},
    {LAYER_DENSE, 1, KL_BENCH},
    {LAYER_DENSE, 64, KL_BENCH},
    {LAYER_DENSE, 512, KL_TIME_GPU},
    {LAYER_HALF, 64, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {LAYER_HALF, 512, KL_TIME_GPU},
    {LAYER_NET, 1, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {LAYER_NET, 64, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {LAYER_NET, 512, KL_TIME_GPU},
    {LAYER_99, 64, KL_CHECK},
    {LAYER_99, 512, KL_TIME_GPU},
    {LAYER_FLAT, 508, KL_CHECK},
    {LAYER_WIDE_DENSE, 512, KL_BENCH},
    {LAYER_WIDE_HALF, 512, KL_TIME_GPU},
    {LAYER_WIDE, 1, KL_TIME_GPU},
    {LAYER_WIDE, 64, KL_BENCH},
    {LAYER_WIDE, 512, KL_TIME_GPU},
    {LAYER_WIDE_99, 512, KL_BENCH},
    {SELECT, 1, KL_CHECK | KL_QUICK},
    {SELECT, 1000, KL_CHECK | KL_QUICK},
    {SELECT_REAL, 3, KL_CHECK},
    {SELECT_REAL, 5000, KL_CHECK | KL_QUICK},
    {SELECT_REAL, 65536, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {SELECT_REAL, 16777216, KL_TIME_GPU},
    {SELECT_NONE, 300, KL_CHECK | KL_QUICK},
    {SELECT_ALL, 300, KL_CHECK | KL_QUICK},
    {MASK, 1, KL_CHECK | KL_QUICK},
    {MASK, 777, KL_CHECK | KL_QUICK},
    {MASK, 70000, KL_CHECK},
    {MASK_REAL, 1025, KL_CHECK},
    {MASK_REAL, 65536, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {MASK_REAL, 16777216, KL_TIME_GPU},
    {UPDATE, 1, KL_CHECK | KL_QUICK},
    {UPDATE, 1003, KL_CHECK | KL_QUICK},
    {UPDATE, 65536, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {UPDATE, 16777216, KL_TIME_GPU},
    {CSR, 1, KL_CHECK | KL_QUICK},
    {CSR, 9, KL_CHECK | KL_QUICK},
    {CSR, 130, KL_CHECK | KL_QUICK},
    {CSR, 1500, KL_CHECK},
    {CSR_NET, 128, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {CSR_NET, 32768, KL_TIME_GPU},
    {BLOCKS, 0, KL_CHECK},
    {BLOCKS, 1, KL_CHECK | KL_QUICK},
    {BLOCKS, 5, KL_CHECK | KL_QUICK},
    {BLOCKS, 36, KL_CHECK},
    {BLOCKS, 131, KL_CHECK | KL_QUICK},
    {BLOCKS_REAL, 68, KL_CHECK | KL_QUICK},
    {BLOCKS_NET, 64, KL_CHECK | KL_TIME_SIM | KL_TIME_GPU},
    {BLOCKS_NET, 512, KL_TIME_GPU},
    {BLOCKS_WIDE, 512, KL_TIME_GPU},
};

typedef enum numbers { INTEGERS, REALS } numbers;

// What a family is: its operation, what its inputs are drawn from, the share of weights that is
// pruned.
static const struct kind {
    pruning_op op;
    numbers numbers;
    double sparsity;
} kinds[FAMILIES] = {
    [LAYER] = {PRUNING_LAYER, INTEGERS, 0.7},
    [LAYER_REAL] = {PRUNING_LAYER, REALS, 0.7},
    [LAYER_FULL] = {PRUNING_LAYER, INTEGERS, 0.0},
    [LAYER_NONE] = {PRUNING_LAYER, INTEGERS, 1.0},
    [LAYER_DENSE] = {PRUNING_LAYER, REALS, 0.0},
    [LAYER_HALF] = {PRUNING_LAYER, REALS, 0.5},
    [LAYER_NET] = {PRUNING_LAYER, REALS, 0.9},
    [LAYER_99] = {PRUNING_LAYER, REALS, 0.99},
    [LAYER_FLAT] = {PRUNING_LAYER, REALS, 0.5},
    [LAYER_WIDE_DENSE] = {PRUNING_LAYER, REALS, 0.0},
    [LAYER_WIDE_HALF] = {PRUNING_LAYER, REALS, 0.5},
    [LAYER_WIDE] = {PRUNING_LAYER, REALS, 0.9},
    [LAYER_WIDE_99] = {PRUNING_LAYER, REALS, 0.99},
    [SELECT] = {PRUNING_SELECT, INTEGERS, 0.6},
    [SELECT_REAL] = {PRUNING_SELECT, REALS, 2.0 / 3.0},
    [SELECT_NONE] = {PRUNING_SELECT, REALS, 1.0},
    [SELECT_ALL] = {PRUNING_SELECT, REALS, 0.0},
    [MASK] = {PRUNING_MASK, INTEGERS, 0.6},
    [MASK_REAL] = {PRUNING_MASK, REALS, 0.9},
    [UPDATE] = {PRUNING_UPDATE, REALS, 0.7},
    [CSR] = {PRUNING_CSR, INTEGERS, 0.3},
    [CSR_NET] = {PRUNING_CSR, REALS, 0.9},
    [BLOCKS] = {PRUNING_BLOCKS, INTEGERS, 0.7},
    [BLOCKS_REAL] = {PRUNING_BLOCKS, REALS, 0.7},
    [BLOCKS_NET] = {PRUNING_BLOCKS, REALS, 0.9},
    [BLOCKS_WIDE] = {PRUNING_BLOCKS, REALS, 0.9},
};

// ---- shapes -------------------------------------------------------------------------------------

static pruning_shape shape_of(int family, int64_t n) {
    switch ((enum family)family) {
    case LAYER_DENSE:
    case LAYER_HALF:
    case LAYER_NET:
    case LAYER_99:
    case BLOCKS_NET: return (pruning_shape){n, 128, 512, 0};
    case LAYER_FLAT: return (pruning_shape){n, 500, 68, 0};
    case LAYER_WIDE_DENSE:
    case LAYER_WIDE_HALF:
    case LAYER_WIDE:
    case LAYER_WIDE_99:
    case BLOCKS_WIDE: return (pruning_shape){n, 4096, 4096, 0};
    case CSR: return (pruning_shape){1, n, 3 + n * 5 % 90, 0};
    case CSR_NET: return (pruning_shape){1, n, 512, 0};
    case LAYER:
    case LAYER_REAL:
    case LAYER_FULL:
    case LAYER_NONE:
    case BLOCKS:
    case BLOCKS_REAL: return (pruning_shape){n, 1 + n * 3 % 47, 1 + n * 13 % 101, 0};
    default: // about n weights
        return n <= 65536 ? (pruning_shape){1, 1, n, 0} : (pruning_shape){1, 4096, n / 4096, 0};
    }
}

static kl_buffer buffer_of(const char *name, kl_dtype dtype, int64_t elems) {
    return (kl_buffer){.name = name, .dtype = dtype, .elems = (uint64_t)elems};
}

static void add_input(kl_case *c, const char *name, kl_dtype dtype, int64_t elems) {
    c->inputs[c->input_count++] = buffer_of(name, dtype, elems);
}

static void add_output(kl_case *c, const char *name, kl_dtype dtype, int64_t elems) {
    c->outputs[c->output_count++] = buffer_of(name, dtype, elems);
}

static void describe_layer(const pruning_shape *s, bool blocks, kl_case *c) {
    add_input(c, "x", KL_F32, s->cols * s->images);
    if (!blocks) add_input(c, "w", KL_F32, s->rows * s->cols);
    add_input(c, "ptr", KL_I32, (blocks ? pruning_block_rows(s->rows) : s->rows) + 1);
    add_input(c, "col", KL_I32, s->nnz);
    add_input(c, "val", KL_F32, s->nnz * (blocks ? PRUNING_BLOCK : 1));
    add_input(c, "b", KL_F32, s->rows);
    add_output(c, "y", KL_F32, s->rows * s->images);
    c->work_ops = 2.0 * (double)(s->nnz * s->images) * (blocks ? PRUNING_BLOCK : 1);
    uint64_t dense = 4 * (uint64_t)(s->rows * s->cols),
             csr = 4 * (uint64_t)(s->rows + 1 + 2 * s->nnz);
    if (!blocks) c->unread_bytes = dense > csr ? dense : csr; // a step takes the form that it likes
}

static void describe_weights(pruning_op op, const pruning_shape *s, kl_case *c) {
    int64_t count = s->rows * s->cols;
    add_input(c, "w", KL_F32, count);
    if (op == PRUNING_SELECT) add_output(c, "select", KL_I32, 2);
    if (op == PRUNING_MASK) {
        add_input(c, "select", KL_I32, 2);
        add_output(c, "mask", KL_U8, count);
    }
    if (op == PRUNING_UPDATE) {
        add_input(c, "velocity", KL_F32, count);
        add_input(c, "gradient", KL_F32, count);
    }
    if (op == PRUNING_UPDATE || op == PRUNING_CSR) add_input(c, "mask", KL_U8, count);
    if (op == PRUNING_UPDATE) {
        add_output(c, "w", KL_F32, count);
        add_output(c, "velocity", KL_F32, count);
    }
    if (op == PRUNING_CSR) {
        add_output(c, "ptr", KL_I32, s->rows + 1);
        add_output(c, "col", KL_I32, s->nnz);
        add_output(c, "val", KL_F32, s->nnz);
    }
    c->work_ops = (double)count;
}

static double bytes_of(const kl_case *c) {
    double bytes = 0.0;
    for (int i = 0; i < c->input_count; i++)
        bytes += (double)(c->inputs[i].elems * kl_dtype_bytes(c->inputs[i].dtype));
    for (int i = 0; i < c->output_count; i++)
        bytes += (double)(c->outputs[i].elems * kl_dtype_bytes(c->outputs[i].dtype));
    return bytes;
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    bool known = family >= 0 && family < FAMILIES && size >= 0 && size <= pruning_problem.max_size;
    pruning_op op = known ? kinds[family].op : PRUNING_OPS;
    bool layer = op == PRUNING_LAYER || op == PRUNING_BLOCKS;
    if (!known || (!layer && size < 1) || ((layer || op == PRUNING_CSR) && size > 65536))
        return kl_no_such_case(&pruning_problem, family, size, NULL, err);
    *out_case = (kl_case){.family = family, .size = size, .seed = seed, .reals = {0.05, 0.9}};
    pruning_shape s = shape_of(family, size);
    s.nnz = llround((1.0 - kinds[family].sparsity) * (double)pruning_most_entries(op, &s));
    int64_t ints[] = {op, s.images, s.rows, s.cols, s.nnz, s.nnz, layer && size % 2 == 0};
    memcpy(out_case->ints, ints, sizeof ints);
    if (layer)
        describe_layer(&s, op == PRUNING_BLOCKS, out_case);
    else
        describe_weights(op, &s, out_case);
    out_case->work_bytes = bytes_of(out_case) - (double)out_case->unread_bytes;
    out_case->workspace_bytes = pruning_workspace_bytes(op, &s);
    return KL_OK;
}

// ---- inputs -------------------------------------------------------------------------------------

static void fill(float *x, int64_t count, numbers numbers, uint64_t seed) {
    for (uint64_t i = 0; i < (uint64_t)count; i++)
        x[i] = numbers == INTEGERS ? (float)kl_random_below(seed, i, 17) - 8.0f
                                   : kl_random_signed(seed, i);
}

// w: [rows][cols]; mask, the same: which s->nnz of them stay. Of integer weights every fourth row
// is 0.
static kl_status make_weights(const kl_case *c, int64_t rows, int64_t cols, float *w, uint8_t *mask,
                              kl_error *err) {
    numbers numbers = kinds[c->family].numbers;
    int64_t count = rows * cols;
    fill(w, count, numbers, kl_random_fork(c->seed, 1));
    for (int64_t i = 0; numbers == INTEGERS && rows > 1 && i < count; i++)
        if (i / cols % 4 == 1) w[i] = 0.0f;
    kl_prunable tensor = {.weights = w, .count = count, .mask = mask};
    return kl_prune(&tensor, 1, kinds[c->family].sparsity, err);
}

static void copy_entries(const kl_csr *csr, int32_t *ptr, int32_t *col, float *val) {
    memcpy(ptr, csr->ptr, (size_t)(csr->rows + 1) * sizeof *ptr);
    if (csr->nnz == 0) return;
    memcpy(col, csr->col, (size_t)csr->nnz * sizeof *col);
    for (int64_t k = 0; val && k < csr->nnz; k++) val[k] = (float)csr->val[k];
}

static kl_status make_layer(const kl_case *c, void *const *inputs, kl_error *err) {
    pruning_shape s = pruning_case_shape(c);
    numbers numbers = kinds[c->family].numbers;
    bool blocks = pruning_case_op(c) == PRUNING_BLOCKS;
    int64_t rows = blocks ? pruning_block_rows(s.rows) : s.rows, count = rows * s.cols;
    void *const *in = inputs + (blocks ? 1 : 2);
    uint8_t *mask = malloc((size_t)count);
    float *own = blocks ? malloc((size_t)count * sizeof *own) : NULL;
    float *w = blocks ? own : inputs[1], *val = in[2];
    kl_csr csr = {.rows = 0};
    kl_status status = KL_OK;
    if (!mask || !w) status = kl_fail(err, KL_ERROR_MEMORY, "no memory for a layer");
    if (status == KL_OK) status = make_weights(c, rows, s.cols, w, mask, err);
    if (status == KL_OK) status = kl_csr_from_dense(rows, s.cols, w, mask, &csr, err);
    if (status == KL_OK) {
        copy_entries(&csr, in[0], in[1], blocks ? NULL : val);
        kl_prune_apply(mask, count, w);
        fill(inputs[0], s.cols * s.images, numbers, kl_random_fork(c->seed, 2));
        fill(in[3], s.rows, numbers, kl_random_fork(c->seed, 3));
    }
    if (status == KL_OK && blocks && s.nnz > 0) {
        fill(val, s.nnz * PRUNING_BLOCK, numbers, kl_random_fork(c->seed, 4));
        for (int64_t i = s.rows; i < rows * PRUNING_BLOCK; i++) // after the last row
            for (int64_t k = csr.ptr[rows - 1]; k < csr.nnz; k++)
                val[k * PRUNING_BLOCK + i % PRUNING_BLOCK] = 0.0f;
    }
    kl_csr_free(&csr);
    free(mask);
    free(own);
    return status;
}

// What the reference selects of w, for the mask's second input.
static void select_of(const kl_case *c, const float *w, const uint8_t *mask, int32_t *select) {
    uint32_t least = 0x7fffffffu, bits;
    select[1] = 0;
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) {
        memcpy(&bits, &w[i], sizeof bits);
        bits = pruning_magnitude(bits);
        if (!mask[i] || bits > least) continue;
        select[1] = bits < least ? 1 : select[1] + 1;
        least = bits;
    }
    select[0] = (int32_t)least;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    pruning_op op = pruning_case_op(c);
    pruning_shape s = pruning_case_shape(c);
    if (op == PRUNING_LAYER || op == PRUNING_BLOCKS) return make_layer(c, inputs, err);
    int64_t count = s.rows * s.cols;
    bool own = op == PRUNING_SELECT || op == PRUNING_MASK;
    uint8_t *mask = own ? malloc((size_t)count) : inputs[c->input_count - 1];
    if (!mask) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a mask");
    kl_status status = make_weights(c, s.rows, s.cols, inputs[0], mask, err);
    if (status == KL_OK && op == PRUNING_MASK) select_of(c, inputs[0], mask, inputs[1]);
    if (c->family == SELECT_ALL) ((float *)inputs[0])[count / 2] = NAN;
    for (int i = 1; op == PRUNING_UPDATE && i < 3; i++)
        fill(inputs[i], count, REALS, kl_random_fork(c->seed, (uint64_t)i + 4));
    if (own) free(mask);
    return status;
}

// The family's weights, which two formats hold; what goes through them counts up.
static bool readable(const kl_case *c, void *const *inputs) {
    pruning_op op = pruning_case_op(c);
    int last = c->input_count - 1;
    if (op == PRUNING_UPDATE) {
        kl_small_count_up(&c->inputs[1], 5, inputs[1]);
        kl_small_count_up(&c->inputs[2], 7, inputs[2]);
    } else if (op == PRUNING_LAYER || op == PRUNING_BLOCKS) {
        kl_small_count_up(&c->inputs[0], 5, inputs[0]);
        kl_small_count_up(&c->inputs[last], 3, inputs[last]);
    } else {
        return false;
    }
    return true;
}

static uint64_t solution_bytes(const kl_case *c) {
    return pruning_answer_bytes(c);
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    return pruning_answer(c, inputs, out_solution, err);
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    (void)inputs;
    pruning_verify(c, solution, outputs, out_verdict);
}

static const char *unit_of(int family) {
    switch (kinds[family].op) {
    case PRUNING_LAYER:
    case PRUNING_BLOCKS: return "images";
    case PRUNING_CSR: return "rows";
    default: return "weights";
    }
}

const kl_problem pruning_problem = {
    .name = "pruning",
    .folder = "10_pruning",
    .title = "Pruning",
    .size_unit = "images",
    .unit_of = unit_of,
    .ceiling = KL_CEILING_FMA,
    .default_seed = 2015, // the year of Han et al.
    .max_size = INT64_C(1) << 24,
    .timed_family = "layer-net",
    KL_PROBLEM_PARTS,
};
