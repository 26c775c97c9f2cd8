// Lab 10's own side: what the contract refuses, and that selection, mask and CSR of the reference
// are those of common/topics/pruning.
#include "prune.h"
#include "reference.h"
#include "suite.h"

static kl_error err;

KL_TEST(bad_sizes_are_refused) {
    const pruning_task good = {.op = PRUNING_LAYER, .shape = {4, 3, 5, 15}};
    const struct {
        pruning_op op;
        pruning_shape shape;
        int64_t keep;
        int refused;
    } rows[] = {{PRUNING_LAYER, {0, 3, 5, 0}, 0, 0},
                {PRUNING_LAYER, {-1, 3, 5, 0}, 0, 1},
                {PRUNING_LAYER, {INT64_C(1) << 17, 3, 5, 0}, 0, 1},
                {PRUNING_LAYER, {1, 0, 5, 0}, 0, 1},
                {PRUNING_LAYER, {1, 3, 0, 0}, 0, 1},
                {PRUNING_LAYER, {1, -3, -5, 0}, 0, 1},
                {PRUNING_LAYER, {1, 3, 5, 16}, 0, 1},
                {PRUNING_LAYER, {1, 3, 5, -1}, 0, 1},
                {PRUNING_LAYER, {1, 1 << 20, 1 << 20, 0}, 0, 1},
                {PRUNING_LAYER, {1 << 16, 1 << 20, 1, 0}, 0, 1},
                {PRUNING_LAYER, {1, INT64_MAX, INT64_MAX, 0}, 0, 1},
                {PRUNING_BLOCKS, {1, 3, 5, 5}, 0, 0},
                {PRUNING_BLOCKS, {1, 3, 5, 6}, 0, 1},
                {PRUNING_SELECT, {1, 3, 5, 0}, 15, 0},
                {PRUNING_SELECT, {1, 3, 5, 0}, 16, 1},
                {PRUNING_SELECT, {1, 3, 5, 0}, -1, 1}};
    ck_assert(!pruning_refuses(&good));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        pruning_task task = {.op = rows[i].op, .shape = rows[i].shape, .keep = rows[i].keep};
        ck_assert_msg(pruning_refuses(&task) == rows[i].refused, "row %zu", i);
    }
}

// The family's case of this size, solved; *out_p is to be freed.
static void prepare(const char *family, int64_t size, kl_prepared *out_p) {
    int f = kl_problem_family(&pruning_problem, family);
    ck_assert_int_ge(f, 0);
    OK_OR_SAY(kl_prepare_case(&pruning_problem, f, size, 7, out_p, &err), err);
}

KL_TEST(selection_and_mask_agree_with_pruning) {
    kl_prepared p;
    prepare("mask", 777, &p);
    const float *w = p.inputs[0];
    const int32_t *select = p.inputs[1];
    const double *answer = p.solution;
    uint8_t mask[777];
    kl_prunable all = {.weights = w, .count = 777, .mask = mask};
    OK(kl_prune(&all, 1, 0.6, &err));
    int equal = 0, ties = 0;
    for (int i = 0; i < 777; i++) {
        uint32_t bits;
        memcpy(&bits, &w[i], sizeof bits);
        bits = pruning_magnitude(bits);
        ck_assert_double_eq(answer[i], mask[i]);
        ties += bits == (uint32_t)select[0];
        equal += bits == (uint32_t)select[0] && mask[i];
    }
    ck_assert_int_eq(equal, select[1]);
    ck_assert_int_gt(ties, equal); // the case has what it is for
    kl_prepared_free(&p);
}

KL_TEST(nan_stays_and_nothing_may_be_kept) {
    kl_prepared p;
    prepare("select-none", 300, &p);
    ck_assert_double_eq(((double *)p.solution)[0], 0x7fffffff);
    ck_assert_double_eq(((double *)p.solution)[1 /* of value */], 0);
    kl_prepared_free(&p);
    prepare("select-all", 300, &p);
    ck_assert(isnan(((const float *)p.inputs[0])[150]));
    ck_assert_double_lt(((double *)p.solution)[0], 0x7f800000); // the smallest of all is a number
    kl_prepared_free(&p);
}

KL_TEST(a_layer_without_a_weight_is_its_bias) {
    kl_prepared p;
    kl_verdict v;
    prepare("layer-none", 7, &p);
    const float *b = p.inputs[5];
    uint64_t count = p.shape.outputs[0].elems;
    float *y = malloc(count * sizeof *y);
    const void *outputs[] = {y};
    for (uint64_t i = 0; i < count; i++) y[i] = b[i / 7];
    pruning_problem.verify(&p.shape, (const void *const *)p.inputs, p.solution, outputs, &v);
    ck_assert(v.ok);
    y[count - 1] = NAN;
    pruning_problem.verify(&p.shape, (const void *const *)p.inputs, p.solution, outputs, &v);
    ck_assert(!v.ok);
    ck_assert_int_eq(v.first_wrong, count - 1);
    free(y);
    kl_prepared_free(&p);
}

KL_TEST_MAIN("pruning_problem")
