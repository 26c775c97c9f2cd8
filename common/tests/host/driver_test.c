// The lab program as a whole, on a stand-in for the CUDA runtime (fake_cudart.c) and steps in C
// (fake_steps.c): each kind of bad step must be told apart, and none may take the others along.
// needs: reduction kl_fakes
// defines: KL_TEST_FAKE_DIR=@BUILD@/common/tests/host/fake
// defines: KL_TEST_FAKE_STEPS=@BUILD@/common/tests/host/fake/steps
// defines: KL_TEST_LAB_PROGRAM=@reduction@
#include "parallel.h"
#include "suite.h"

static char output[1 << 16];
static const char *errors_to = "/dev/null";

// Runs the lab program; returns its exit status, with standard output in `output`.
static int run_lab(const char *arguments) {
    char command[4096];
    snprintf(command, sizeof command,
             "ASAN_OPTIONS=handle_segv=0 TSAN_OPTIONS=handle_segv=0 LADDER_SIMULATOR_DIR='%s' '%s' "
             "--device sim --steps-from '%s' %s 2>%s",
             KL_TEST_FAKE_DIR, KL_TEST_LAB_PROGRAM, KL_TEST_FAKE_STEPS, arguments, errors_to);
    FILE *in = popen(command, "r");
    ck_assert_ptr_nonnull(in);
    size_t bytes = fread(output, 1, sizeof output - 1, in);
    output[bytes] = '\0';
    int status = pclose(in);
    ck_assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void expect(const char *text) {
    ck_assert_msg(strstr(output, text), "not in the output: %s\n%s", text, output);
}

KL_TEST(a_right_step_exits_with_0) {
    ck_assert_int_eq(run_lab("--quick 0"), 0);
    expect("   0  one_block  correct\n");
    expect("modelled");
    expect("1.00x");
    ck_assert_ptr_null(strstr(output, "warp inst"));
    ck_assert_int_eq(run_lab("--quick 0 --tables"), 0);
    expect("warp inst  active %  requests  sect/req  conflicts  barriers");
    expect("   0  one_block         64       50%         -         -          -         -");
}

// Where the steps' names leave too little room for the counts, their numbers stand alone.
KL_TEST(the_counts_fit_a_narrow_terminal) {
    setenv("COLUMNS", "64", 1);
    ck_assert_int_eq(run_lab("--quick 0 --tables"), 0);
    unsetenv("COLUMNS");
    expect("Counted, by step:\nstep  warp inst  active %");
    expect("   0         64       50%         -         -          -         -");
    ck_assert_ptr_null(strstr(output, "counted"));
}

KL_TEST(a_step_that_is_not_written_is_no_error) {
    ck_assert_int_eq(run_lab("--quick 0 2"), 0);
    expect("   2  strided    not implemented\n");
    expect("implemented when its file sets IMPLEMENTED to 1");
}

KL_TEST(bad_steps_are_told_apart) {
    ck_assert_int_eq(run_lab("--quick --timeout 1 0 4"), 1); // others may need longer
    expect("step 4 first_add: time limit");
    expect("stopped after 1 s");
    expect("   4  first_add  time limit: stopped after 1 s");
    ck_assert_int_eq(run_lab("--quick 0 1 2 3 5 6 7 8"), 1);
    expect("step 1 interleaved: wrong answer");
    expect("exactly the last element is missing");
    expect("  again\n    ./ladder run reduction 1 --case ");
    expect("step 3 sequential: crash");
    expect("Segmentation fault");
    expect("step 5 shuffle: wrong answer");
    expect("got        -*");
    expect("step 6 vectorized: wrong answer");
    expect("in the second call");
    expect("step 7 atomic: CUDA error");
    expect("cudaErrorIllegalAddress");
    expect("step 8 last_block: early exit");
    expect("exit status 3");
    expect("   0  one_block    correct\n"); // the right one is still there
    expect("   1  interleaved  wrong answer: result[0] is ");
    expect("   3  sequential   crash: Segmentation fault");
    expect("   0  one_block  correct"); // and has its time
    ck_assert_ptr_null(strstr(output, "interleaved  correct"));
}

static void expect_end(int records, int step, ladder_outcome outcome) {
    kl_record record;
    int found = 0;
    for (uint32_t i = 0; kl_record_at(records, i, &record); i++) {
        if (record.kind != KL_RECORD_STEP || record.step != step) continue;
        ck_assert_int_eq(record.is.end.outcome, outcome);
        ck_assert(!record.is.end.stopped);
        ck_assert_int_eq(strstr(record.is.end.text, "expected ") != NULL,
                         outcome == LADDER_WRONG_ANSWER);
        found++;
    }
    ck_assert_int_eq(found, outcome != LADDER_NOT_RUN);
}

// A command that starts the program is told by records; what a step prints is none.
KL_TEST(a_command_is_told_how_steps_ended) {
    char number[16];
    kl_record record;
    int records = kl_records_new();
    snprintf(number, sizeof number, "%d", records);
    ck_assert_int_eq(fcntl(records, F_SETFD, 0), 0);
    setenv(KL_RECORDS_VARIABLE, number, 1);
    ck_assert_int_eq(run_lab("--quick --check-only 0 1 2"), 1);
    unsetenv(KL_RECORDS_VARIABLE);
    expect_end(records, 0, LADDER_CORRECT);
    expect_end(records, 1, LADDER_WRONG_ANSWER);
    expect_end(records, 2, LADDER_NOT_IMPLEMENTED);
    expect_end(records, 3, LADDER_NOT_RUN);
    ck_assert(kl_record_at(records, 0, &record) && record.kind == KL_RECORD_CASE);
    ck_assert_int_eq(record.step, 0);
    ck_assert_str_eq(record.is.in_case.family, "sum-exact");
    close(records);
}

// Of what is no record nothing is taken.
KL_TEST(records_are_whole_and_known) {
    kl_record record = {.kind = KL_RECORD_STEP, .step = 1};
    int records = kl_records_new();
    memset(record.is.end.text, 'x', sizeof record.is.end.text);
    ck_assert(kl_record_send(records, &record));
    record.kind = KL_RECORD_KINDS;
    ck_assert(kl_record_send(records, &record));
    ck_assert_int_eq(write(records, "ladder-step 1 ok 0\n", 19), 19);
    ck_assert(kl_record_at(records, 0, &record));
    ck_assert_uint_eq(strlen(record.is.end.text), sizeof record.is.end.text - 1);
    ck_assert(!kl_record_at(records, 1, &record));
    ck_assert(!kl_record_at(records, 2, &record));
    ck_assert(!kl_record_at(-1, 0, &record));
    close(records);
    setenv(KL_RECORDS_VARIABLE, "no number", 1);
    ck_assert_int_eq(kl_records_wanted(), -1);
    unsetenv(KL_RECORDS_VARIABLE);
    ck_assert_int_eq(kl_records_wanted(), -1);
}

// A verdict on small inputs comes before large ones are made; steps that are wrong do not run on
// them.
KL_TEST(small_inputs_come_first) {
    ck_assert_int_eq(run_lab("--case sum-exact 0 1"), 1);
    expect("verdict (small inputs)");
    expect("   1  interleaved  wrong answer: result[0] is ");
    const char *verdict = strstr(output, "verdict"), *times = strstr(output, "time at   sum-exact");
    ck_assert(verdict && times && verdict < times);
    ck_assert_int_eq(run_lab("--case sum-exact --check-only 0"), 0);
    expect("Large inputs: correct, too.\n");
    ck_assert_int_eq(run_lab("--case sum-exact --size 2^24 --check-only 0 1"), 1);
    expect("step  name         verdict\n");
}

KL_TEST(a_missing_object_is_a_row) {
    ck_assert_int_eq(run_lab("--quick --steps-from /nonexistent 0 1"), 1);
    expect("   0  one_block    does not compile\n");
    expect("not built: the compiler's messages say why");
}

KL_TEST(json_has_the_promised_fields) {
    ck_assert_int_eq(run_lab("--quick --json - 0 1"), 1);
    expect("\"schema\": \"ladder.run/2\"");
    expect("\"lab\": \"reduction\"");
    expect("\"kind\": \"sim\"");
    expect("\"ceilings\": {");
    expect("\n    {\"case\": \"sum-exact\", \"size\": ");
    expect("\n    {\"step\": 0, \"name\": ");
    expect("\n        {\"case\": \"sum-exact\", \"size\": ");
    expect("\"implemented\": true");
    expect("\"correct\": false");
    expect("\"time_kind\": \"modelled\"");
    expect("\"ci_us\": [");
    expect("\"rate_unit\": \"GB/s\"");
    expect("\"ceiling_fraction\": ");
    expect("\"speedup_vs_first\": ");
    expect("\"smsp__inst_executed.sum\": 64,"); // of the right step
    expect("\"counters\": {}");                 // of the wrong one
}

KL_TEST(launch_once_checks_nothing) {
    ck_assert_int_eq(run_lab("--launch-once 1 --size 1000"), 0); // wrong, but nobody looks
    ck_assert_int_eq(run_lab("--launch-once 2 --size 1000"), 2); // not implemented
}

// A step that is run alone is held against the step before it as its last run was.
KL_TEST(a_lone_step_is_compared_with_an_earlier_run) {
    char folder[] = "/tmp/kl_driver_past_XXXXXX", file[64], last[64];
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/past_runs.txt", folder);
    snprintf(last, sizeof last, "%s/last_results.txt", folder);
    setenv("LADDER_PAST_RUNS", file, 1);
    setenv("FAKE_STEPS_ARE_RIGHT", "1", 1);
    ck_assert_int_eq(run_lab("--step 3 --size 1000"), 0);
    expect("no figures of step 2 to compare step 3 with:\n"
           "  ./ladder run reduction 2 --size 1000 --device sim\n");
    ck_assert_ptr_null(strstr(output, "1.00x"));
    ck_assert_int_eq(run_lab("--step 2 --size 1000"), 0);
    ck_assert_int_eq(run_lab("--step 3 --size 1000"), 0);
    expect("step 2's figures for step 3 are those of its last run on this device\n");
    expect("1.00x"); // every call takes as long on this device
    ck_assert_int_eq(run_lab("--step 3 --size 1001"), 0);
    expect("no figures of step 2");
    ck_assert_int_eq(run_lab("--step 3 --size 1000 --solution"), 0);
    expect("no figures of step 2 to compare step 3 with:\n"
           "  ./ladder run reduction 2 --solution --size 1000");
    ck_assert_int_eq(run_lab("--step 2 --step 3 --size 1000"), 0);
    ck_assert_ptr_null(strstr(output, "step 2's figures for step 3"));
    expect("1.00x");
    unsetenv("FAKE_STEPS_ARE_RIGHT");
    unsetenv("LADDER_PAST_RUNS");
    unlink(file);
    unlink(last);
    rmdir(folder);
}

static void expect_refusal(const char *limit, const char *arguments, const char *text) {
    setenv("LADDER_HOST_MEMORY", limit, 1);
    errors_to = "&1";
    ck_assert_int_eq(run_lab(arguments), 2);
    errors_to = "/dev/null";
    unsetenv("LADDER_HOST_MEMORY");
    expect(text);
}

// 10 kinds of input of 2^20 floats are 42 MB, and one more stands on the simulated device.
KL_TEST(what_cannot_fit_is_refused_beforehand) {
    expect_refusal("30000000", "--size 2^20 --quick 0",
                   "not enough memory: inputs, answers and the simulated device need 0.05 GB, and "
                   "0.03 GB are available; --case sum-exact alone fits");
    expect_refusal("3000000", "--size 2^20 --quick 0", "; --size 2^15 fits");
    expect_refusal("3000000", "--size 2^20 --case max-odd 0", "; --size 2^18 fits");
    setenv("LADDER_HOST_MEMORY", "60000000", 1);
    ck_assert_int_eq(run_lab("--size 2^20 --quick 0"), 0);
    unsetenv("LADDER_HOST_MEMORY");
}

KL_TEST(wrong_command_lines_exit_with_2) {
    ck_assert_int_eq(run_lab("--nonsense"), 2);
    ck_assert_int_eq(run_lab("--help"), 0);
    expect("Exit status");
    ck_assert_int_eq(run_lab("--list"), 0);
    expect("last_block");
    expect("sum-exact");
}

static void sends_three(void *context, int fd) {
    for (int i = 0; i < 3; i++) {
        int record = *(int *)context + i;
        kl_isolate_send(fd, &record, sizeof record);
    }
}

static void adds(void *context, const void *record) { *(int *)context += *(const int *)record; }

KL_TEST(isolated_records_arrive_in_full) {
    int first = 10, sum = 0;
    kl_isolate_end end;
    kl_error err;
    OK(kl_isolate(sends_three, &first, sizeof(int), 10, adds, &sum, &end, &err));
    ck_assert_int_eq(sum, 33);
    ck_assert(!end.timed_out && end.signal == 0 && end.exit_code == 0);
    ck_assert_str_eq(end.text, "");
    ck_assert_int_eq(kl_isolate(sends_three, &first, KL_RECORD_MAX + 1, 10, adds, &sum, &end, &err),
                     KL_ERROR_LIMIT);
}

KL_TEST_MAIN("driver")
