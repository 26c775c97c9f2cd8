// Lab 03 as data: kinds of cases, sizes, input generators, work formula. Host only.
#include "problem.h"
#include "small_case.h"

#include "compare.h"
#include "random.h"
#include "reference.h"

#include "steps.h" // made from lab.json: steps[]

#define BIT(step)    (1u << (step))
#define ILP_STEPS    (BIT(3) | BIT(4) | BIT(5) | BIT(6))
#define KERNEL_STEPS (ILP_STEPS | BIT(7) | BIT(8))

#define FAMILY_LIST(F)                                                                             \
    F(SLOTS, "slots", "neither registers nor shared memory limit", BIT(0) | BIT(1))                \
    F(LECTURE, "lecture", "the worked cases of CS 677, lecture 3, and of a paper of 2008", BIT(1)) \
    F(MODERN, "sm_90", "random configurations for compute capability 9.0", BIT(1))                 \
    F(RUNTIME, "runtime", "what this machine's runtime answers to thousands of questions", BIT(1)) \
    F(OLD, "all", "random configurations for every compute capability of the table", BIT(1))       \
    F(LATENCY, "latency", "the two cases of CS 677, lecture 3, then random ones", BIT(2))          \
    F(ROUNDS, "rounds", "0 to 16 rounds; up to 8 blocks per SM", KERNEL_STEPS)                     \
    F(FULL, "occupancy-100", "8 rounds, up to 8 blocks per SM", ILP_STEPS | BIT(8))                \
    F(HALF, "occupancy-50", "8 rounds, up to 4 blocks per SM", ILP_STEPS)                          \
    F(QUARTER, "occupancy-25", "8 rounds, up to 2 blocks per SM", ILP_STEPS)                       \
    F(EIGHTH, "occupancy-12", "8 rounds, 1 block an SM", ILP_STEPS)                                \
    F(WAVE, "one-wave", "8 rounds; timed with one block for each of 132 SMs", BIT(7))
KL_FAMILIES(FAMILY_LIST);

// Columns: 128 MiB of input, more than the L2 holds; and 132 blocks of 1024 threads that fold 52
// columns each.
enum { TIMED = 1 << 22, TIMED_WAVE = 132 * 1024 * 52 };

static const kl_suite_entry suite[] = {
    {SLOTS, 1, KL_CHECK},
    {SLOTS, 1000, KL_CHECK | KL_QUICK},
    {LECTURE, 4, KL_CHECK | KL_QUICK},
    {MODERN, 6000, KL_CHECK | KL_QUICK},
    {OLD, 6000, KL_CHECK | KL_QUICK},
    {LATENCY, 2, KL_CHECK | KL_QUICK},
    {LATENCY, 1000, KL_CHECK | KL_QUICK},
    {ROUNDS, 0, KL_CHECK | KL_QUICK},
    {ROUNDS, 1, KL_CHECK | KL_QUICK},
    {ROUNDS, 17, KL_CHECK},
    {ROUNDS, 255, KL_CHECK},
    {ROUNDS, 256, KL_CHECK | KL_QUICK},
    {ROUNDS, 257, KL_CHECK | KL_QUICK},
    {ROUNDS, 2047, KL_CHECK | KL_QUICK},
    {ROUNDS, 2049, KL_CHECK},
    {ROUNDS, 8193, KL_CHECK | KL_QUICK},
    {ROUNDS, 65537, KL_CHECK | KL_QUICK},
    {FULL, 1 << 18, KL_CHECK},
    {HALF, 1 << 18, KL_CHECK},
    {QUARTER, 1 << 18, KL_CHECK},
    {EIGHTH, 1 << 18, KL_CHECK},
    {WAVE, 1 << 18, KL_CHECK},
    {FULL, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {HALF, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {QUARTER, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {EIGHTH, TIMED, KL_TIME_GPU | KL_TIME_SIM},
    {WAVE, TIMED_WAVE, KL_TIME_GPU | KL_TIME_SIM},
};

static int kind_of(int family) {
    return family <= OLD       ? OCCUPANCY_CALCULATE
           : family == LATENCY ? OCCUPANCY_HIDE
                               : OCCUPANCY_FOLD;
}

static void describe_host(kl_case *c, int kind, int64_t size) {
    c->host = true;
    c->inputs[0] = (kl_buffer){.name = "cases", .dtype = KL_I32, .elems = 4 * (uint64_t)size};
    c->outputs[0] = (kl_buffer){.name = "blocks", .dtype = KL_I32, .elems = (uint64_t)size};
    c->outputs[1] = (kl_buffer){.name = "warps", .dtype = KL_I32, .elems = (uint64_t)size};
    c->output_count = 2;
    if (kind == OCCUPANCY_HIDE) {
        c->outputs[0] = c->outputs[1];
        c->output_count = 1;
    }
}

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err) {
    if (family < 0 || family >= FAMILIES || size < 0 || size > occupancy_problem.max_size)
        return kl_no_such_case(&occupancy_problem, family, size, NULL, err);
    kl_case *c = out_case;
    int kind = kind_of(family);
    *c = (kl_case){.family = family, .size = size, .seed = seed, .ints = {kind, size}};
    c->input_count = c->output_count = 1;
    if (kind != OCCUPANCY_FOLD) {
        describe_host(c, kind, size);
        return KL_OK;
    }
    static const int blocks[FAMILIES] = {
        [ROUNDS] = 8, [FULL] = 8, [HALF] = 4, [QUARTER] = 2, [EIGHTH] = 1, [WAVE] = 8};
    c->ints[2] = family == ROUNDS ? size % 17 : 8;
    c->ints[3] = blocks[family];
    // Up to 1: old terms stay visible above the error bound after all rounds.
    c->reals[0] = 1.0 - 0.25 * (double)kl_random_unit(kl_random_fork(seed, 1), 0);
    uint64_t elems = (uint64_t)size * (uint64_t)c->ints[2];
    c->inputs[0] = (kl_buffer){.name = "x", .dtype = KL_F32, .elems = elems};
    c->inputs[0].line_elems = size;
    c->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32, .elems = (uint64_t)size};
    c->work_bytes = 4.0 * (double)elems + 4.0 * (double)size;
    c->work_ops = 2.0 * (double)elems;
    return KL_OK;
}

static const occupancy_config lecture[] = {
    {10, 256, 10, 0}, {10, 256, 11, 0}, {13, 128, 25, 1024}, {10, 256, 16, 2100}};
static const occupancy_latency lecture_latency[] = {{200, 4, 4, 1}, {200, 4, 8, 1}};
enum { WORKED = sizeof lecture / sizeof lecture[0] };

// Draw number `at` of a stream, 0 .. below - 1.
static int draw(uint64_t seed, int64_t i, int at, int below) {
    return (int)kl_random_below(kl_random_fork(seed, (uint64_t)at), (uint64_t)i, (uint64_t)below);
}

static occupancy_config random_config(int family, uint64_t seed, int64_t i) {
    static const int computes[] = {10, 13, 35, 80, 89, 90};
    int compute = family == MODERN || family == RUNTIME ? 90 : computes[draw(seed, i, 1, 6)];
    const occupancy_limits *l = occupancy_limits_of(compute);
    occupancy_config c = {.compute = compute,
                          .threads = 1 + draw(seed, i, 2, l->threads_per_block)};
    if (draw(seed, i, 3, 2)) {
        c.threads = (c.threads + 31) / 32 * 32; // half of them whole warps
    }
    if (family == SLOTS) {
        c.registers = 1 + draw(seed, i, 4, 8);
        return c;
    }
    c.registers = 1 + draw(seed, i, 4, l->registers_per_thread + 2);
    int most = l->shared_per_block / (1 + draw(seed, i, 5, 32)); // small amounts are the rule
    c.shared_bytes = draw(seed, i, 6, 3) == 0 ? 0 : draw(seed, i, 7, most + 200);
    return c;
}

static void fill_host(const kl_case *c, void *out) {
    for (int64_t i = 0; i < c->size; i++) {
        if (c->family == LATENCY) {
            occupancy_latency random = {1 + draw(c->seed, i, 1, 2000), 1 + draw(c->seed, i, 2, 8),
                                        1 + draw(c->seed, i, 3, 16), 1 << draw(c->seed, i, 4, 3)};
            ((occupancy_latency *)out)[i] = i < 2 ? lecture_latency[i] : random;
        } else {
            bool worked = c->family == LECTURE && i < WORKED;
            ((occupancy_config *)out)[i] =
                worked ? lecture[i] : random_config(c->family, c->seed, i);
        }
    }
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    if (c->host) {
        fill_host(c, inputs[0]);
        return KL_OK;
    }
    float *x = inputs[0];
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) x[i] = kl_random_signed(c->seed, i);
    return KL_OK;
}

// Terms 1, 2, 3, .. of a fold that only adds.
static bool readable(const kl_case *c, void *const *inputs) {
    if (c->host) return false;
    kl_small_count_up(&c->inputs[0], 9, inputs[0]);
    return true;
}

static void readable_scalars(kl_case *c) {
    if (!c->host) c->reals[0] = 1.0;
}

// Host cases: blocks or warps as int32, then warps. Folds: values, then bounds, as double.
static uint64_t solution_bytes(const kl_case *c) {
    return (uint64_t)c->size * (c->host ? 2 * sizeof(int32_t) : 2 * sizeof(double));
}

static kl_status solve(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err) {
    (void)err;
    if (!c->host) {
        double *value = out_solution;
        occupancy_reference_fold(inputs[0], c->size, (int)c->ints[2], (float)c->reals[0], value,
                                 value + c->size);
        return KL_OK;
    }
    int32_t *answer = out_solution;
    for (int64_t i = 0; i < c->size; i++) {
        if (c->family == LATENCY) {
            const occupancy_latency *cases = inputs[0];
            answer[i] = occupancy_reference_hiding(&cases[i]);
        } else {
            const occupancy_config *cases = inputs[0];
            occupancy_count count = occupancy_reference(&cases[i]);
            answer[i] = count.blocks;
            answer[c->size + i] = count.warps;
        }
    }
    return KL_OK;
}

static void explain_config(const occupancy_config *c, kl_verdict *v) {
    occupancy_count n = occupancy_reference(c);
    snprintf(v->hint, sizeof v->hint,
             "capability %d.%d, %d threads, %d registers, %d bytes: by warps and slots %d blocks, "
             "registers %d, shared memory %d",
             c->compute / 10, c->compute % 10, c->threads, c->registers, c->shared_bytes,
             n.by_warps, n.by_registers, n.by_shared);
}

static void verify_host(const kl_case *c, const void *const *inputs, const int32_t *answer,
                        const void *const *outputs, kl_verdict *v) {
    for (int o = 0; o < c->output_count; o++) {
        const int32_t *got = outputs[o];
        for (int64_t i = 0; i < c->size; i++, v->compared++) {
            int32_t want = answer[o * c->size + i];
            double error = kl_distance(got[i], want);
            v->max_error = error > v->max_error ? error : v->max_error;
            if (got[i] == want || !v->ok) continue;
            v->ok = false;
            v->output = o;
            v->first_wrong = (uint64_t)i;
            v->expected = want;
            v->got = got[i];
            if (c->family != LATENCY) explain_config((const occupancy_config *)inputs[0] + i, v);
        }
    }
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict) {
    kl_verdict *v = out_verdict;
    *v = (kl_verdict){.ok = true};
    if (c->host) {
        verify_host(c, inputs, solution, outputs, v);
        return;
    }
    const double *value = solution;
    if (c->size == 0) { // no column: nothing to write, and that it returned 0 is the whole answer
        v->compared = 1;
        return;
    }
    kl_comparison compared =
        kl_compare_f32(outputs[0], value, value + c->size, 0.0, (uint64_t)c->size);
    *v = kl_verdict_of(&compared);
}

enum { QUESTIONS_LEAST = 5000 };

// The case of configuration i and its answer, from line i of the query's output.
static kl_status take_answers(const char *text, kl_prepared *p, kl_error *err) {
    occupancy_config *configs = p->inputs[0];
    int32_t *answer = p->solution;
    for (int64_t i = 0; i < p->shape.size; i++) {
        occupancy_config *c = &configs[i];
        int blocks = 0, used = 0;
        if (sscanf(text, "%d %d %d %d %d%n", &c->compute, &c->threads, &c->registers,
                   &c->shared_bytes, &blocks, &used) != 5) {
            return kl_fail(err, KL_ERROR_INPUT, "the query's line %lld holds no five numbers",
                           (long long)i + 1);
        }
        text += used;
        answer[i] = blocks;
        answer[p->shape.size + i] = blocks * ((c->threads + 31) / 32);
    }
    return KL_OK;
}

static kl_status of_query(const char *text, kl_prepared *out_prepared, kl_error *err) {
    int64_t lines = 0;
    int compute = 0;
    *out_prepared = (kl_prepared){.solution = NULL};
    for (const char *c = text; *c != '\0'; c++) lines += *c == '\n';
    if (lines < QUESTIONS_LEAST || sscanf(text, "%d", &compute) != 1) {
        return kl_fail(err, KL_ERROR_INPUT, "the query printed %lld lines, due are %d of numbers",
                       (long long)lines, QUESTIONS_LEAST);
    }
    if (!occupancy_limits_of(compute)) return KL_OK; // a device that the table does not have
    TRY(kl_prepare_case(&occupancy_problem, RUNTIME, lines, 0, out_prepared, err));
    return take_answers(text, out_prepared, err);
}

const kl_problem occupancy_problem = {
    .name = "occupancy",
    .folder = "03_occupancy",
    .title = "Occupancy",
    .size_unit = "items",
    .ceiling = KL_CEILING_READ,
    .default_seed = 677, // the lecture's course number
    .max_size = INT64_C(1) << 26,
    .timed_family = "occupancy-25",
    .of_query = of_query,
    .readable_scalars = readable_scalars,
    KL_PROBLEM_PARTS,
};
