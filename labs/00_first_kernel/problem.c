// Lab 00 as data: kinds of cases, sizes, input generators, work formulas. Host only.
#include "problem.h"
#include "small_case.h"

#include "advice.h"
#include "compare.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

#define BIT(step) (1u << (step))

// LOOKUP is the last of steps 7 and 8: what their table row shows.
#define FAMILY_LIST(F)                                                                             \
    F(SCALE, "scale", "any n", BIT(0) | BIT(1) | BIT(2) | BIT(3))                                  \
    F(SCALE_LARGE, "scale-large", "too many elements for one thread", BIT(1) | BIT(2) | BIT(3))    \
    F(DIFFERENCE, "difference", "any n", BIT(4) | BIT(5))                                          \
    F(POLYNOMIAL, "polynomial", "other coefficients in every case", BIT(6))                        \
    F(ONE_ADDRESS, "one-address", "all lanes of a warp read one address", BIT(7) | BIT(8))         \
    F(LOOKUP, "lookup", "random indices of the table", BIT(7) | BIT(8))                            \
    F(PATHS, "paths", "0 to 16 rounds", BIT(9) | BIT(10))                                          \
    F(LONG_PATHS, "long-paths", "64 rounds", BIT(9) | BIT(10))                                     \
    F(PROGRAM, "program", "nothing fails", BIT(11))                                                \
    F(BAD_BLOCK, "bad-block", "blocks of 0 or more than 1024 threads: the launch fails", BIT(11))  \
    F(NO_MEMORY, "no-memory", "more scratch memory than any device has", BIT(11))                  \
    F(ELECTION, "election", "n blocks", BIT(12))                                                   \
    F(FORWARD, "forward", "any n", BIT(13))                                                        \
    F(TWICE, "twice", "any n", BIT(14))                                                            \
    F(OTHERS, "others", "n groups of 200 whole numbers", BIT(15))                                  \
    F(PLUS_TWO, "plus-two", "n whole numbers", BIT(16))
KL_FAMILIES(FAMILY_LIST);

enum { TIMED = 1 << 24, TIMED_PATHS = 1 << 22 }; // 128 MiB in and out: more than the L2 holds

static const kl_suite_entry suite[] = {
    {SCALE, 0, KL_CHECK | KL_QUICK},
    {SCALE, 1, KL_CHECK | KL_QUICK},
    {SCALE, 31, KL_CHECK},
    {SCALE, 32, KL_CHECK},
    {SCALE, 33, KL_CHECK | KL_QUICK},
    {SCALE, 255, KL_CHECK},
    {SCALE, 256, KL_CHECK | KL_QUICK},
    {SCALE, 257, KL_CHECK | KL_QUICK},
    {SCALE, 1023, KL_CHECK},
    {SCALE, 1025, KL_CHECK | KL_QUICK},
    {SCALE, 4099, KL_CHECK | KL_QUICK},
    {SCALE, 1 << 16, KL_CHECK | KL_TIME_GPU | KL_TIME_SIM},
    {SCALE_LARGE, 1000003, KL_CHECK | KL_QUICK},
    {SCALE_LARGE, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {DIFFERENCE, 0, KL_CHECK | KL_QUICK},
    {DIFFERENCE, 1, KL_CHECK | KL_QUICK},
    {DIFFERENCE, 2, KL_CHECK},
    {DIFFERENCE, 32, KL_CHECK},
    {DIFFERENCE, 255, KL_CHECK},
    {DIFFERENCE, 256, KL_CHECK},
    {DIFFERENCE, 257, KL_CHECK | KL_QUICK},
    {DIFFERENCE, 513, KL_CHECK},
    {DIFFERENCE, 4099, KL_CHECK | KL_QUICK},
    {DIFFERENCE, 1 << 18, KL_CHECK},
    {DIFFERENCE, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {POLYNOMIAL, 0, KL_CHECK | KL_QUICK},
    {POLYNOMIAL, 1, KL_CHECK | KL_QUICK},
    {POLYNOMIAL, 257, KL_CHECK | KL_QUICK},
    {POLYNOMIAL, 1000, KL_CHECK},
    {POLYNOMIAL, 4099, KL_CHECK | KL_QUICK},
    {POLYNOMIAL, 1 << 18, KL_CHECK},
    {POLYNOMIAL, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {LOOKUP, 0, KL_CHECK | KL_QUICK},
    {LOOKUP, 1, KL_CHECK | KL_QUICK},
    {LOOKUP, 100, KL_CHECK},
    {LOOKUP, 257, KL_CHECK | KL_QUICK},
    {LOOKUP, 4099, KL_CHECK | KL_QUICK},
    {LOOKUP, 1 << 18, KL_CHECK},
    {LOOKUP, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {ONE_ADDRESS, 1000, KL_CHECK},
    {ONE_ADDRESS, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {PATHS, 0, KL_CHECK | KL_QUICK},
    {PATHS, 1, KL_CHECK | KL_QUICK},
    {PATHS, 2, KL_CHECK},
    {PATHS, 33, KL_CHECK | KL_QUICK},
    {PATHS, 255, KL_CHECK | KL_QUICK},
    {PATHS, 257, KL_CHECK},
    {PATHS, 513, KL_CHECK},
    {PATHS, 4099, KL_CHECK | KL_QUICK},
    {PATHS, 65543, KL_CHECK},
    {LONG_PATHS, 1 << 16, KL_CHECK},
    {LONG_PATHS, TIMED_PATHS, KL_TIME_GPU | KL_TIME_SIM},
    {PROGRAM, 0, KL_CHECK | KL_QUICK},
    {PROGRAM, 1, KL_CHECK | KL_QUICK},
    {PROGRAM, 1000, KL_CHECK | KL_QUICK},
    {PROGRAM, 100000, KL_CHECK},
    {BAD_BLOCK, 10, KL_CHECK | KL_QUICK},
    {BAD_BLOCK, 1001, KL_CHECK | KL_QUICK},
    {NO_MEMORY, 1000, KL_CHECK | KL_QUICK},
    {ELECTION, 0, KL_CHECK | KL_QUICK},
    {ELECTION, 1, KL_CHECK | KL_QUICK},
    {ELECTION, 100, KL_CHECK | KL_QUICK},
    {FORWARD, 0, KL_CHECK | KL_QUICK},
    {FORWARD, 1, KL_CHECK | KL_QUICK},
    {FORWARD, 257, KL_CHECK | KL_QUICK},
    {FORWARD, 4099, KL_CHECK | KL_QUICK},
    {TWICE, 0, KL_CHECK | KL_QUICK},
    {TWICE, 1, KL_CHECK | KL_QUICK},
    {TWICE, 256, KL_CHECK},
    {TWICE, 1000, KL_CHECK | KL_QUICK},
    {TWICE, 4099, KL_CHECK},
    {OTHERS, 0, KL_CHECK | KL_QUICK},
    {OTHERS, 1, KL_CHECK | KL_QUICK},
    {OTHERS, 40, KL_CHECK | KL_QUICK},
    {PLUS_TWO, 0, KL_CHECK | KL_QUICK},
    {PLUS_TWO, 1, KL_CHECK | KL_QUICK},
    {PLUS_TWO, 4096, KL_CHECK | KL_QUICK},
    {PLUS_TWO, 5000, KL_CHECK},
};

static enum first_kernel_task task_of(int family) {
    switch ((enum family)family) {
    case SCALE:
    case SCALE_LARGE: return FIRST_KERNEL_SCALE;
    case DIFFERENCE: return FIRST_KERNEL_DIFFERENCE;
    case POLYNOMIAL: return FIRST_KERNEL_POLYNOMIAL;
    case LOOKUP:
    case ONE_ADDRESS: return FIRST_KERNEL_LOOKUP;
    case PATHS:
    case LONG_PATHS: return FIRST_KERNEL_PATHS;
    case ELECTION: return FIRST_KERNEL_ELECT;
    case FORWARD: return FIRST_KERNEL_FORWARD;
    case TWICE: return FIRST_KERNEL_TWICE;
    case OTHERS: return FIRST_KERNEL_OTHERS;
    case PLUS_TWO: return FIRST_KERNEL_PLUS_TWO;
    default: return FIRST_KERNEL_PROGRAM;
    }
}

static void describe_program(kl_case *c) {
    static const int64_t bad_threads[] = {2048, 0, 1025};
    c->host = true;
    c->ints[2] = c->family == BAD_BLOCK ? bad_threads[c->size % 3] : 192;
    c->ints[3] = c->family == NO_MEMORY ? INT64_C(1) << 50 : c->size % 7 * 100;
    c->output_count = 2;
    c->outputs[1] = (kl_buffer){.name = "returned", .dtype = KL_I32, .elems = 1};
}

static void describe_election(kl_case *c) {
    c->input_count = 0;
    c->inputs[0] = (kl_buffer){.elems = 0};
    c->outputs[0] = (kl_buffer){
        .name = "leader", .dtype = KL_I32, .elems = FIRST_KERNEL_BLOCK * (uint64_t)c->size};
}

static void describe_groups(kl_case *c) {
    c->inputs[0].elems = c->outputs[0].elems = FIRST_KERNEL_GROUP * (uint64_t)c->size;
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    if (family < 0 || family >= FAMILIES || size < 0 || size > (INT64_C(1) << 30))
        return kl_no_such_case(&first_kernel_problem, family, size, "sizes end at 2^30", err);
    kl_case *c = out_case;
    *c = (kl_case){.family = family, .size = size, .seed = seed, .ints = {task_of(family), size}};
    c->input_count = c->output_count = 1;
    c->inputs[0] = (kl_buffer){.name = "x", .dtype = KL_F32, .elems = (uint64_t)size};
    c->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32, .elems = (uint64_t)size};
    c->work_bytes = 8.0 * (double)size; // each element read and written once
    c->work_ops = (double)size;
    int real_count = c->ints[0] == FIRST_KERNEL_POLYNOMIAL ? FIRST_KERNEL_COEFS : 1;
    for (int k = 0; k < real_count; k++) { // floats, so that the step gets what the reference has
        c->reals[k] = kl_random_signed(kl_random_fork(seed, 1), (uint64_t)k);
    }
    switch ((enum first_kernel_task)c->ints[0]) {
    case FIRST_KERNEL_LOOKUP:
        c->input_count = 2;
        c->inputs[0] = (kl_buffer){.name = "index", .dtype = KL_U8, .elems = (uint64_t)size};
        c->inputs[1] = (kl_buffer){.name = "table", .dtype = KL_F32, .elems = FIRST_KERNEL_TABLE};
        c->work_bytes = 5.0 * (double)size;
        break;
    case FIRST_KERNEL_PATHS:
        c->ints[2] = family == LONG_PATHS ? 64 : size % 17;
        c->work_ops = (double)size * (double)c->ints[2];
        break;
    case FIRST_KERNEL_PROGRAM: describe_program(c); break;
    case FIRST_KERNEL_ELECT: describe_election(c); break;
    case FIRST_KERNEL_OTHERS: describe_groups(c); break;
    default: break;
    }
    return KL_OK;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    float *x = inputs[0];
    uint8_t *index = inputs[0];
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) {
        switch ((enum first_kernel_task)c->ints[0]) {
        case FIRST_KERNEL_LOOKUP: { // one address per warp: elements 32 w .. 32 w + 31 of a grid
            uint64_t draw = c->family == ONE_ADDRESS ? i / 32 : i;
            index[i] = (uint8_t)kl_random_below(c->seed, draw, FIRST_KERNEL_TABLE);
            break;
        }
        case FIRST_KERNEL_PATHS: x[i] = 1.0f + kl_random_unit(c->seed, i); break;
        case FIRST_KERNEL_OTHERS:
        case FIRST_KERNEL_PLUS_TWO: x[i] = (float)kl_random_below(c->seed, i, 100); break;
        default: x[i] = kl_random_signed(c->seed, i); break;
        }
    }
    float *table = c->input_count == 2 ? inputs[1] : NULL;
    for (int i = 0; table && i < FIRST_KERNEL_TABLE; i++)
        table[i] = kl_random_signed(kl_random_fork(c->seed, 2), (uint64_t)i);
    return KL_OK;
}

// x = 1, 2, 3, .., multiplied by 2; a table of 1, 2, 3, .. read in order.
static bool readable(const kl_case *c, void *const *inputs) {
    bool lookup = c->ints[0] == FIRST_KERNEL_LOOKUP;
    uint8_t *index = inputs[0];
    float *x = inputs[0];
    if (c->ints[0] == FIRST_KERNEL_ELECT) return false; // there are no inputs
    if (lookup) kl_small_count_up(&c->inputs[1], FIRST_KERNEL_TABLE, inputs[1]);
    for (uint64_t i = 0; lookup && i < c->inputs[0].elems; i++)
        index[i] = (uint8_t)(c->family == ONE_ADDRESS ? i / 32 : i);
    if (!lookup) kl_small_count_up(&c->inputs[0], 100, x);
    for (uint64_t i = 0; c->ints[0] == FIRST_KERNEL_PATHS && i < c->inputs[0].elems; i++)
        x[i] = 1.0f + (float)(i % 4) / 4.0f;
    return true;
}

static void readable_scalars(kl_case *c) {
    for (int k = 0; k < FIRST_KERNEL_COEFS; k++) c->reals[k] = k == 0 ? 2.0 : 1.0;
}

static uint64_t solution_bytes(const kl_case *c) {
    return 2 * sizeof(double) * c->outputs[0].elems + 1; // values, then bounds
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    uint64_t elems = c->outputs[0].elems;
    double *value = out_solution, *bound = value + elems;
    const float *x = inputs[0];
    switch ((enum first_kernel_task)c->ints[0]) {
    case FIRST_KERNEL_DIFFERENCE:
        first_kernel_reference_difference(x, c->size, value, bound);
        break;
    case FIRST_KERNEL_POLYNOMIAL:
        first_kernel_reference_polynomial(x, c->size, c->reals, value, bound);
        break;
    case FIRST_KERNEL_LOOKUP:
        first_kernel_reference_lookup(inputs[0], c->size, inputs[1], value, bound);
        break;
    case FIRST_KERNEL_PATHS:
        first_kernel_reference_paths(x, c->size, (int)c->ints[2], value, bound);
        break;
    case FIRST_KERNEL_SCALE:
    case FIRST_KERNEL_PROGRAM:
        first_kernel_reference_scale(x, c->size, (float)c->reals[0], value, bound);
        break;
    case FIRST_KERNEL_ELECT: break; // the answer is 0
    default: first_kernel_reference_map((int)c->ints[0], x, (int64_t)elems, value, bound); break;
    }
    return KL_OK;
}

// The runtime's codes as numbers, because this file knows no CUDA.
enum { NO_ERROR = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONFIGURATION = 9 };

static int due_code(const kl_case *c) {
    if (c->size == 0) return NO_ERROR; // nothing to do
    return c->family == BAD_BLOCK   ? INVALID_VALUE
           : c->family == NO_MEMORY ? OUT_OF_MEMORY
                                    : NO_ERROR;
}

// A block of a bad size is an invalid value since CUDA 13, an invalid configuration before.
static bool is_due(const kl_case *c, int32_t code) {
    int due = due_code(c);
    return code == due || (due == INVALID_VALUE && code == INVALID_CONFIGURATION);
}

// What a program returned; where an error was due, h_y must be as it was. True when h_y is still to
// be compared.
static bool verify_program(const kl_case *c, const void *const *outputs, kl_verdict *v) {
    int32_t code = 0;
    int due = due_code(c);
    memcpy(&code, outputs[1], sizeof code);
    v->ok = is_due(c, code);
    if (v->ok && due == NO_ERROR) return true;
    const unsigned char *y = outputs[0];
    int64_t bytes = 4 * c->size, same = 0;
    while (same < bytes && y[same] == 0xFF) same++;
    v->output = 1;
    v->expected = due;
    v->got = code;
    if (!v->ok) {
        if (due != NO_ERROR)
            kl_advise(code == NO_ERROR ? KL_ADVICE_CHECK_CALLS : KL_ADVICE_FIRST_ERROR,
                      KL_WORDS(NULL), v->hint, sizeof v->hint);
    } else if (same < bytes) {
        v->ok = false;
        v->output = 0;
        v->first_wrong = (uint64_t)same / 4;
        snprintf(v->hint, sizeof v->hint, "the program failed, but it wrote to h_y");
    }
    return false;
}

// Every thread of every block has to name thread 0.
static void verify_election(const kl_case *c, const int32_t *leader, kl_verdict *v) {
    *v = (kl_verdict){.ok = true};
    for (uint64_t i = 0; i < c->outputs[0].elems; i++, v->compared++) {
        if (leader[i] == 0 || !v->ok) continue;
        v->ok = false;
        v->first_wrong = i;
        v->got = leader[i];
    }
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    (void)inputs;
    kl_verdict *v = out_verdict;
    const double *value = solution;
    *v = (kl_verdict){.ok = true, .compared = 1};
    if (c->host && !verify_program(c, outputs, v)) return;
    if (c->size == 0) return; // no element: that it returned 0 is the whole answer
    if (c->ints[0] == FIRST_KERNEL_ELECT) {
        verify_election(c, outputs[0], v);
        return;
    }
    uint64_t elems = c->outputs[0].elems;
    kl_comparison compared = kl_compare_f32(outputs[0], value, value + elems, 0.0, elems);
    *v = kl_verdict_of(&compared);
    uint32_t first = 0;
    if (!v->ok) memcpy(&first, (const float *)outputs[0] + v->first_wrong, sizeof first);
    if (c->host && first == UINT32_MAX) // the kit's own bytes: the device's memory has others
        kl_advise(KL_ADVICE_COPY_BACK, KL_WORDS(NULL), v->hint, sizeof v->hint);
}

const kl_problem first_kernel_problem = {
    .name = "first_kernel",
    .folder = "00_first_kernel",
    .title = "First kernels",
    .size_unit = "elements",
    .ceiling = KL_CEILING_COPY,
    .default_seed = 677, // the lecture's course number
    .max_size = INT64_C(1) << 30,
    .timed_family = "scale-large",
    .readable_scalars = readable_scalars,
    KL_PROBLEM_PARTS,
};
