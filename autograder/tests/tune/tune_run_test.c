// `ladder tune` from end to end on the simulator: right and unfit configurations of the
// kernels of labs 07 and 02, every kind of fault of a kernel made for that, going on with a search
// that was stopped. Runs the built program and nvcc.
// needs: ladder_programs gemm reduction
// labels: grade
// defines: TEST_FAULTS=@FOLDER@/faults.cu
#include "sandbox/process/process.h"
#include "suite.h"

#define TINY                                                                                       \
    "BM=64 BN=64 BK=8 WM=32 WN=32 TM=8 COPY=1 LANES=0 ORDER=0 TAKE=0 SPLIT=1 BLOCKS=1 STORE=0 "

enum { ARGUMENTS = 24 };

static kl_error err;
static char folder[LADDER_PATH], csv[LADDER_PATH];

static void set_up(void) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(csv, &err, "%s/results.csv", folder), KL_OK);
}

static void tear_down(void) { ladder_folder_remove(folder); }

// ladder tune LAB --device sim --set all --output <csv> and these arguments; its output must hold
// all of `says`.
static void tune_lab(const char *lab, const char *const *arguments, int code,
                     const char *const *says) {
    const char *argv[ARGUMENTS + 10] = {TEST_LADDER, "tune", lab,        "--device", "sim",
                                        "--set",     "all",  "--output", csv};
    int count = 9;
    for (int i = 0; arguments[i] && i < ARGUMENTS; i++) argv[count++] = arguments[i];
    ladder_process_spec spec = {.argv = argv, .environment = (const char *const *)environ};
    ladder_process p;
    ck_assert_msg(ladder_process_run(&spec, &p, &err) == KL_OK, "%s", err.text);
    ck_assert_msg(p.end == LADDER_END_EXITED && p.code == code, "status %d\n%s", p.code, p.output);
    for (int i = 0; says && says[i]; i++)
        ck_assert_msg(strstr(p.output, says[i]), "no '%s' in\n%s", says[i], p.output);
    ladder_process_free(&p);
}

static void tune(const char *const *arguments, int code, const char *const *says) {
    tune_lab("gemm", arguments, code, says);
}

static char *read_text(const char *file) {
    char *text = NULL;
    kl_status status = ladder_file_read(AT_FDCWD, file, 1 << 20, &text, NULL, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return kl_own(text);
}

// Some line of the results has all the parts.
static void expect_line(const char *text, const char *const *parts) {
    char *copy = strdup(text), *rest = NULL;
    bool found = false;
    for (char *line = strtok_r(copy, "\n", &rest); line && !found;
         line = strtok_r(NULL, "\n", &rest)) {
        found = true;
        for (int i = 0; parts[i]; i++) found = found && strstr(line, parts[i]);
    }
    ck_assert_msg(found, "no line with '%s' .. in\n%s", parts[0], text);
    free(copy);
}
#define EXPECT_LINE(text, ...) expect_line(text, (const char *const[]){__VA_ARGS__, NULL})

KL_FIXTURE(set_up, tear_down)

KL_TEST(the_kernel_of_reduction) {
    const char *const arguments[] = {"--only", "THREADS=64,1024 WIDTH=4 LOADS=1 BLOCKS=2",
                                     "--sizes", "999999", NULL};
    tune_lab("reduction", arguments, 0, (const char *const[]){"2 right.", "Best at", NULL});
}

KL_TEST(right_ones_are_counted_and_unfit_ones_named) {
    const char *json = kl_own_text("%s/results.json", folder);
    const char *const arguments[] = {"--only",  TINY "BAND=1 STAGES=2,4",
                                     "--sizes", "100,64",
                                     "--json",  json,
                                     "--map",   "STAGES,BAND",
                                     NULL};
    const char *const says[] = {"2 right, 2 unfit.", "Best at 64:", "results.svg", NULL};
    tune(arguments, 0, says);
    char *text = read_text(csv), *picture, *all = read_text(json);
    EXPECT_LINE(text, "config,64,right,", "64,64,8,32,32,8,2,1,0,0,0,1,1,1,0,\"\"");
    EXPECT_LINE(text, "config,100,unfit,", "the matrices are not made of whole tiles");
    EXPECT_LINE(all, "\"shared_passes\": ");
    ck_assert_ptr_null(strstr(text, "right,,")); // each has a time
    strcpy(strrchr(csv, '.'), ".svg");
    picture = read_text(csv);
    EXPECT_LINE(picture, "size 64, TFLOP/s");
}

static const char *const faults[] = {
    "--only", TINY "BAND=1 STAGES=2,3,4,5,6", "--sizes", "64", "--kernel", TEST_FAULTS, NULL};

// After a search for the faults, whose results these are: compiling them once more would take most
// of the test's time.
static void a_stopped_search_goes_on(const char *whole) {
    tune(faults, 1, (const char *const[]){"1 right, 1 wrong", NULL}); // nothing is left to do
    char *same = read_text(csv);
    ck_assert_str_eq(whole, same);
    size_t length = strlen(whole);
    ck_assert_int_eq(ladder_file_write(csv, whole, length - 40, &err), KL_OK); // inside a line
    tune(faults, 1, NULL);
    same = read_text(csv);
    ck_assert_str_eq(whole, same);
    const char *const other[] = {"--only", TINY "BAND=1 STAGES=2", "--sizes", "64", NULL};
    tune(other, 1, (const char *const[]){"holds results of another", NULL});
}

KL_TEST(every_fault_is_recorded_with_its_reason) {
    const char *const says[] = {"1 right, 1 wrong, 1 failed, 1 crashed, 1 not-compiled.",
                                "wrong at 64: BM=64", NULL};
    tune(faults, 1, says);
    char *text = read_text(csv);
    EXPECT_LINE(text, "config,64,right,", ",2,1,0,0,0,1,1,1,0,");
    EXPECT_LINE(text, "config,64,wrong,", ",3,1,0,0,0,1,1,1,0,", "expected", "got");
    EXPECT_LINE(text, "config,64,failed,", ",4,1,0,0,0,1,1,1,0,");
    EXPECT_LINE(text, "config,64,crashed,", ",5,1,0,0,0,1,1,1,0,", "signal 6");
    EXPECT_LINE(text, "config,all,not-compiled,", ",6,1,0,0,0,1,1,1,0,", "faults.cu:14:2: error",
                "this configuration shall not compile");
    a_stopped_search_goes_on(text);
}

KL_TEST(spills_and_endless_runs_do_not_hold_it_up) {
    const char *const spilled[] = {
        "--only", TINY "BAND=4 STAGES=2", "--kernel", TEST_FAULTS, "--sizes", "64", NULL};
    tune(spilled, 1, (const char *const[]){"1 spilled.", NULL}); // nothing was right
    const char *const allowed[] = {"--only",   TINY "BAND=4 STAGES=2",
                                   "--kernel", TEST_FAULTS,
                                   "--sizes",  "64",
                                   "--spills", "100000",
                                   NULL};
    tune(allowed, 0, (const char *const[]){"1 right", NULL});
    const char *const stuck[] = {"--only",    TINY "BAND=8 STAGES=2",
                                 "--kernel",  TEST_FAULTS,
                                 "--sizes",   "64",
                                 "--timeout", "15",
                                 NULL};
    tune(stuck, 1, (const char *const[]){"1 timed-out", "no result within 15 s", NULL});
}

// At a further size only what came near the best before; what was left out is measured when it is
// asked for again.
KL_TEST(keep_leaves_the_slow_ones_out) {
    const char *const narrow[] = {
        "--only", TINY "BAND=1 STAGES=2,4", "--sizes", "64,128", "--keep", "1", NULL};
    tune(narrow, 0, (const char *const[]){"3 right, 1 dropped.", NULL});
    char *text = read_text(csv), *same;
    EXPECT_LINE(text, "config,128,dropped,", " of the best at 64");
    tune(narrow, 0, (const char *const[]){"3 right, 1 dropped.", NULL});
    same = read_text(csv);
    ck_assert_str_eq(text, same);
    const char *const wide[] = {"--only", TINY "BAND=1 STAGES=2,4", "--sizes", "64,128", NULL};
    tune(wide, 0, (const char *const[]){"4 right.", NULL});
}

KL_TEST(bad_input_is_refused) {
    static const struct {
        const char *arguments[4], *says;
    } bad[] = {
        {{"--only", "BQ=1"}, "there is no parameter 'BQ'"},
        {{"--only", "BM=65"}, "BM has no value '65'"},
        {{"--only", "BM=64 WM=128"}, "no configuration is left"},
        {{"--set", "tile"}, "there is no such set"},
        {{"--sizes", "64,x"}, "'x' is no size"},
        {{"--sizes", ","}, "expected sizes"},
        {{"--map", "BM,BM"}, "two parameters"},
        {{"--keep", "1.5"}, "share from 0 to 1"},
        {{"--repeat", "0"}, "whole number"},
        {{"--top", "0"}, "--top 1 to"},
        {{"--kernel", "/no/such/file.cu"}, "no such file"},
        {{"another"}, "which lab?"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        tune(bad[i].arguments, 2, (const char *const[]){bad[i].says, NULL});
    ck_assert(!ladder_file_exists(csv));
}

KL_TEST_MAIN("tune runs")
