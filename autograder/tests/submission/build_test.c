// The grader's own build of a step: what is built, what is refused and why, limits. Runs nvcc.
#include "grade/submission/submission.h"

#include "suite.h"

static kl_error err;
static const ladder_step_cache *cache; // NULL: none

static const char head[] = "#include \"reduction.h\"\n#include <cuda_runtime.h>\n";
static const char function[] =
    "extern \"C\" int reduction_step1(const float *x, int64_t n, reduction_op op, float *r,\n"
    "                               void *w, size_t wb) { (void)x, (void)n, (void)op, (void)r,\n"
    "                               (void)w, (void)wb; ";

static ladder_step_result *build(const char *before, const char *body, const char *after,
                                 double limit_s, char *object) {
    static char text[8192];
    ladder_kit kit;
    char folder[LADDER_PATH];
    const ladder_lab *lab = ladder_lab_find("reduction");
    snprintf(text, sizeof text, "%s%s%s%s%s", head, before, function, body, after);
    ck_assert_int_eq(ladder_kit_find(&kit, &err), KL_OK);
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ladder_build_job job = {.kit = &kit,
                            .lab = lab,
                            .step = ladder_rubric_find(lab->rubric, 1),
                            .folder = folder,
                            .source = text,
                            .source_bytes = strlen(text),
                            .limit_s = limit_s,
                            .cache = cache};
    ladder_step_result *result = calloc(1, sizeof *result);
    kl_status status = ladder_build_step(&job, object, result, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    if (result->outcome == LADDER_CORRECT) ck_assert(ladder_file_exists(object));
    ladder_folder_remove(folder);
    ck_assert(!ladder_file_exists(folder));
    return result;
}

static void expect(const char *before, const char *body, ladder_outcome want, const char *says) {
    char object[LADDER_PATH];
    ladder_step_result *result = build(before, body, " return 0; }\n", 60, object);
    ck_assert_msg(result->outcome == want, "%s: %s: %s", body, ladder_outcome_word(result->outcome),
                  result->message);
    KL_HAS(result->message, says);
    free(result);
}

KL_TEST(a_sound_step_is_built) {
    expect("__global__ void k(float *r) { *r = 1; }\n", "k<<<1, 1>>>(r);", LADDER_CORRECT, "");
}

// At first with fewer of the toolkit's headers, then with all: a step may need what they have.
KL_TEST(headers_that_few_steps_need_are_there) {
    expect("__global__ void k(const float *x, double *d, float *r) {\n"
           "    atomicAdd(d, __ldg(x)); *r = std::move(*x); }\n",
           "k<<<1, 1>>>(x, (double *)w, r);", LADDER_CORRECT, "");
    expect("#ifdef LADDER_WHOLE_CUDA_RUNTIME\n#error all of them\n#endif\n", "", LADDER_CORRECT,
           "");
}

// The second build of the same file is the first one's object, made for its own folder.
KL_TEST(a_step_is_compiled_once) {
    char object[LADDER_PATH], folder[LADDER_PATH];
    static const char *const bodies[] = {"k<<<1, 1>>>(r);", "k<<<1, 1>>>(r);", "k<<<1, 2>>>(r);"};
    ladder_step_cache kept;
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_step_cache_open(folder, true, &kept, &err), KL_OK);
    cache = &kept;
    for (int i = 0; i < 3; i++) {
        ladder_step_result *result = build("__global__ void k(float *r) { *r = 1; }\n", bodies[i],
                                           " return 0; }\n", 60, object);
        ck_assert_int_eq(result->outcome, LADDER_CORRECT);
        ck_assert_msg((result->build_s > 0) == (i != 1), "build %d: %g s", i, result->build_s);
        free(result);
    }
    cache = NULL;
    ladder_folder_remove(folder);
}

KL_TEST(errors_are_told_with_their_line) {
    expect("", "int a = ;", LADDER_COMPILE_ERROR, "1_interleaved.cu(");
    expect("#include \"no_such_file.h\"\n", "", LADDER_COMPILE_ERROR, "no_such_file.h");
    expect("", "missing_function(1);", LADDER_COMPILE_ERROR, "missing_function");
}

KL_TEST(forbidden_calls_are_named) {
    expect("#include <stdlib.h>\n", "system(\"id\");", LADDER_FORBIDDEN, "system (new processes)");
    expect("extern \"C\" int helper(int);\n", "helper(1);", LADDER_FORBIDDEN, "helper");
    expect("#include \"/dev/null\"\n", "", LADDER_FORBIDDEN, "/dev/null");
}

KL_TEST(the_function_must_be_there) {
    char object[LADDER_PATH];
    ladder_step_result *result = build("", "return 0; }\n#define reduction_step1 other\n",
                                       "int f(void) { return 0; }\n", 60, object);
    ck_assert_int_eq(result->outcome, LADDER_CORRECT); // a #define behind it does no harm
    free(result);
    result = build("#define reduction_step1 other\n", "return 0; ", "}\n", 60, object);
    ck_assert_int_eq(result->outcome, LADDER_NO_FUNCTION);
    KL_HAS(result->message, "reduction_step1");
    free(result);
}

KL_TEST(the_compiler_is_stopped_at_its_limit) {
    char object[LADDER_PATH];
    ladder_step_result *result =
        build("template <int d, unsigned long long p> struct F { static constexpr int v = "
              "F<d - 1, 2 * p>::v + F<d - 1, 2 * p + 1>::v; };\n"
              "template <unsigned long long p> struct F<0, p> { static constexpr int v = 1; };\n",
              "return F<40, 1>::v; ", "}\n", 1, object);
    // On a busy machine it waits for a processor, which is not held against the step.
    if (result->outcome != LADDER_UNGRADABLE) ck_assert_int_eq(result->outcome, LADDER_BUILD_LIMIT);
    else KL_HAS(result->message, "not graded: this machine was too ");
    free(result);
}

KL_TEST_MAIN("build")
