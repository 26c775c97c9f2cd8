// No feature of the speed benchmark (tools/features.def) is left to the general handlers, which go
// lane by lane through every form. A counter says so, not a time.
// needs: sim_bench_kernels
#include "suite.h"
#include "support/run.h"

static const char *const features[] = {
#define FEATURE(name, text) "feature_" #name,
#include "tools/features.def"
#undef FEATURE
};
enum { FEATURES = sizeof features / sizeof features[0], WARPS = 4, COUNT = 16 };

static char *read_text(const char *path) {
    enum { MOST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, MOST);
    ck_assert_msg(file && text, "%s cannot be read", path);
    ck_assert_uint_gt(fread(text, 1, MOST - 1, file), 0);
    fclose(file);
    return text;
}

static uint64_t general_of(exec_rig *rig, const char *kernel, uint64_t memory, int count) {
    EXEC_RUN(rig, kernel, EXEC_DIM(1), EXEC_DIM(32 * WARPS), 0, &memory, &count, NULL);
    return rig->result.recorded.general;
}

// What a warp meets for the first time (where its memory is, its block's turn) may be general; a
// loop that goes on is not.
KL_TEST_ROWS(features_are_quick, FEATURES) {
    char *ptx = read_text(TEST_FEATURES);
    exec_rig *rig = exec_open(ptx, 1);
    uint64_t memory = exec_alloc(rig, 4096 * 4, NULL);
    rig->grid.mode = SIM_MODE_COUNT;
    general_of(rig, features[_i], memory, COUNT);
    uint64_t first = general_of(rig, features[_i], memory, COUNT);
    uint64_t more = general_of(rig, features[_i], memory, 2 * COUNT) - first;
    ck_assert_msg(more == 0, "%s: %u instructions by general handlers", features[_i],
                  (unsigned)more);
    exec_close(rig);
    free(ptx);
}

KL_TEST(general_handlers_are_counted) {
    exec_rig *rig = exec_open(".version 8.0\n.target sm_90\n.address_size 64\n"
                              ".visible .entry k() { .reg .f32 %f<2>; .reg .b16 %h<2>;\n"
                              "mov.f32 %f1, 0f40400000; cvt.rz.f16.f32 %h1, %f1; ret; }",
                              1);
    EXEC_RUN(rig, "k", EXEC_DIM(1), EXEC_DIM(64), 0, NULL);
    ck_assert_uint_eq(rig->result.recorded.general, 2);
}

KL_TEST_MAIN("features")
