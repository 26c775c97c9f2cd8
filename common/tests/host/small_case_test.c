// The search for a small failing case and its drawing, on a toy problem: y[i] = 2 x[i], or the sum
// of a column-major matrix's rows.
#include "small_case.h"
#include "suite.h"

static const kl_family families[] = {{"double", "y = 2 x", 0},
                                     {"grid", "n x 3 by columns", 0},
                                     {"first", "y[0] = 2 x[0]", 0},
                                     {"bits", "y = 2 x, of any x", 0}};

static kl_status describe(int family, int64_t size, uint64_t seed, kl_case *c, kl_error *err) {
    if (size < 1 || size > 100000) return kl_fail(err, KL_ERROR_INPUT, "no such size");
    uint64_t elems = (uint64_t)size * (family == 1 ? 3 : 1);
    *c = (kl_case){.family = family, .size = size, .seed = seed};
    c->input_count = c->output_count = 1;
    c->inputs[0] = (kl_buffer){.name = "x", .dtype = KL_F32, .elems = elems};
    c->outputs[0] = (kl_buffer){.name = "y", .dtype = KL_F32, .elems = elems};
    if (family == 2) c->outputs[0].elems = 1;
    if (family == 1) c->inputs[0].line_elems = c->outputs[0].line_elems = -size;
    c->work_ops = (double)elems;
    return KL_OK;
}

static kl_status generate(const kl_case *c, void *const *inputs, kl_error *err) {
    (void)err;
    for (uint64_t i = 0; i < c->inputs[0].elems; i++) ((float *)inputs[0])[i] = 1000.5f + (float)i;
    return KL_OK;
}

static bool readable(const kl_case *c, void *const *inputs) {
    kl_small_count_up(&c->inputs[0], 1000, inputs[0]);
    return c->family != 3;
}

static uint64_t solution_bytes(const kl_case *c) { return 8 * c->outputs[0].elems; }

static kl_status solve(const kl_case *c, const void *const *inputs, void *solution, kl_error *err) {
    (void)err;
    for (uint64_t i = 0; i < c->outputs[0].elems; i++)
        ((double *)solution)[i] = 2.0 * (double)((const float *)inputs[0])[i];
    return KL_OK;
}

static void verify(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *v) {
    (void)inputs;
    kl_comparison found = kl_compare_f32(outputs[0], solution, NULL, 0.0, c->outputs[0].elems);
    *v = kl_verdict_of(&found);
}

static const kl_problem toy = {.name = "toy",
                               .size_unit = "elements",
                               .families = families,
                               .family_count = 4,
                               .describe = describe,
                               .generate = generate,
                               .readable = readable,
                               .solution_bytes = solution_bytes,
                               .solve = solve,
                               .verify = verify};

// A step with a mistake: element `skipped` is not written, from size `from` on; where `random_only`
// only the inputs of `generate` show it. `dies`: it does not come to its end below its own size.
typedef struct toy_step {
    uint64_t skipped;
    int64_t from;
    bool random_only, dies;
    int calls;
} toy_step;

static bool run(void *context, const kl_prepared *p, int watched, uint64_t first,
                void *const *outputs) {
    toy_step *step = context;
    (void)watched, (void)first;
    const float *x = p->inputs[0];
    float *y = outputs[0];
    bool mistaken = p->shape.size >= step->from && !(step->random_only && x[0] == 1.0f);
    step->calls++;
    if (step->dies) return false;
    memset(y, KL_POISON, p->output_bytes[0]);
    for (uint64_t i = 0; i < p->shape.outputs[0].elems; i++)
        if (!mistaken || i != step->skipped) y[i] = 2.0f * x[i];
    return true;
}

static void writer(void *context, int output, uint64_t offset_bytes, kl_small_writer *out) {
    const toy_step *step = context;
    (void)output;
    *out = (kl_small_writer){.known = true, .written = offset_bytes / 4 != step->skipped};
    out->thread[0] = (uint32_t)(offset_bytes / 4);
}

// The small case of the step's failure at this size, and how it is drawn.
static char *drawn(toy_step *step, int family, int64_t size, kl_small_case *small) {
    kl_prepared p;
    kl_error err;
    char *text = NULL;
    size_t bytes = 0;
    const kl_small_runner runner = {step, run, writer};
    const kl_style style = {.width = 80};
    toy_step alive = *step;
    alive.dies = false;
    ck_assert_int_eq(kl_prepare_case(&toy, family, size, 1, &p, &err), KL_OK);
    void *outputs[KL_MAX_BUFFERS] = {malloc(p.output_bytes[0])};
    ck_assert(run(&alive, &p, -1, 0, outputs));
    kl_small_find(&toy, &p, (const void *const *)outputs, &runner, small);
    free(outputs[0]);
    kl_prepared_free(&p);
    FILE *out = open_memstream(&text, &bytes);
    kl_small_draw(small, &style, 2, out);
    fclose(out);
    return text;
}

KL_TEST(the_smallest_size_is_found_between_those_tried) {
    kl_small_case small;
    toy_step step = {.skipped = 2, .from = 3};
    char *text = drawn(&step, 0, 4099, &small);
    ck_assert(small.found && small.smallest && small.readable);
    ck_assert_int_eq(small.size, 3);
    ck_assert_str_eq(text, "  index      0  1  2\n"
                           "  x          1  2  3\n"
                           "  expected   2  4  6\n"
                           "  got        2  4  -*\n"
                           "  thread     0  1  -\n"
                           "  *: wrong; -: a value that nothing has set. No thread wrote y[2].\n");
    free(text);
    step = (toy_step){.skipped = 700, .from = 1401}; // between 1024 + 512 and 1025
    free(drawn(&step, 0, 4099, &small));
    ck_assert_int_eq(small.size, 1401);
    ck_assert_int_eq(small.grids[0].first_col, 692); // a window with the wrong one in its middle
    ck_assert_int_eq(small.grids[0].cols, 16);
    ck_assert_uint_eq(small.wrong, 1);
    ck_assert_int_lt(step.calls, 80);
}

KL_TEST(other_inputs_are_tried_where_readable_ones_hide_it) {
    kl_small_case small;
    toy_step step = {.skipped = 0, .from = 1, .random_only = true};
    free(drawn(&step, 0, 64, &small));
    ck_assert(small.smallest && !small.readable);
    ck_assert_int_eq(small.size, 1);
    ck_assert_str_eq(small.grids[0].cells[0], "1000.5");
}

KL_TEST(a_family_without_readable_inputs_takes_those_of_another_one) {
    kl_small_case small;
    toy_step step = {.skipped = 2, .from = 3};
    free(drawn(&step, 3, 64, &small));
    ck_assert(small.smallest && small.readable);
    ck_assert_int_eq(small.family, 0);
    ck_assert_int_eq(small.size, 3);
}

KL_TEST(a_step_that_dies_leaves_the_window_of_its_failure) {
    kl_small_case small;
    toy_step step = {.skipped = 500, .from = 1, .dies = true};
    char *text = drawn(&step, 0, 1000, &small);
    ck_assert(small.found && !small.smallest);
    ck_assert_int_eq(step.calls, 1);
    ck_assert_int_eq(small.size, 1000);
    ck_assert(strstr(text, "-*") != NULL);
    ck_assert(strstr(text, "thread") == NULL); // nobody watched
    for (const char *line = text; *line;) {    // 80 columns
        size_t length = strcspn(line, "\n");
        ck_assert_uint_le(length, 80);
        ck_assert(length == 0 || line[length - 1] != ' ');
        line += length + (line[length] != '\0');
    }
    free(text);
}

KL_TEST(a_matrix_is_a_grid) {
    kl_small_case small;
    toy_step step = {.skipped = 3, .from = 2}; // of 2 x 3 by columns: row 1, column 1
    char *text = drawn(&step, 1, 64, &small);
    ck_assert_str_eq(text,
                     "  x, 2 x 3       expected, 2 x 3       got, 2 x 3\n"
                     "       0  1  2         0   1   2             0   1   2\n"
                     "    0: 1  3  5     0:  2   6  10         0:  2   6  10\n"
                     "    1: 2  4  6     1:  4   8  12         1:  4   -* 12\n"
                     "  *: wrong; -: a value that nothing has set. No thread wrote y[1][1].\n");
    free(text);
}

// The first and the last elements of an input that is longer than a row, and is not the output's.
KL_TEST(a_long_input_has_its_ends_shown) {
    kl_small_case small;
    toy_step step = {.skipped = 0, .from = 1000};
    char *text = drawn(&step, 2, 1000, &small);
    ck_assert_str_eq(text, "  index      0  1  2  3  .. 996  997  998   999\n"
                           "  x          1  2  3  4  .. 997  998  999  1000\n"
                           "  index      0\n"
                           "  expected   2\n"
                           "  got        -*\n"
                           "  *: wrong; -: a value that nothing has set. No thread wrote y[0].\n");
    free(text);
}

KL_TEST(elements_of_all_types_come_back) {
    static const kl_dtype types[] = {KL_F32, KL_F64, KL_I32, KL_I64, KL_U8, KL_F16, KL_BF16};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        uint64_t memory[2] = {0, 0};
        for (int value = 0; value <= 128; value++) {
            kl_small_set(types[t], memory, 1, value);
            ck_assert_double_eq(kl_small_element(types[t], memory, 1), value);
        }
    }
    uint16_t half[1];
    const double halves[] = {-1.5, 0x1p-24, -0x1p-14, 65504, 0.333251953125};
    for (int i = 0; i < 5; i++) {
        kl_small_set(KL_F16, half, 0, halves[i]);
        ck_assert_double_eq(kl_small_element(KL_F16, half, 0), halves[i]);
    }
    kl_small_set(KL_F16, half, 0, 1e9);
    ck_assert(isinf(kl_small_element(KL_F16, half, 0)));
    kl_small_set(KL_F16, half, 0, NAN);
    ck_assert(isnan(kl_small_element(KL_F16, half, 0)));
}

KL_TEST_MAIN("small_case")
