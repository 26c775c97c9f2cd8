// The bug hunts of lab 00: `ladder check` names the line of every planted bug, the repaired
// programs are clean in more than one order, and the lecture's race cannot be seen in results.
// links: ladder_grader
// needs: ladder_programs first_kernel_bugs
// labels: grade
// defines: TEST_LADDER=@ladder@
#include "utilities/files.h"
#include "sandbox/process/process.h"
#include "suite.h"

typedef struct planted {
    const char *file, *step; // the program, and the step that holds the bug
    const char *finding;     // the class that `ladder check` must report
    const char *line;        // text of the line that it must name
    const char *before;      // stands right before FILE:LINE in its report
    const char *results;     // what the program itself says of its results on the simulator
} planted;

static const planted bugs[] = {
    {"1_election", "12_election", "race: ", "elected = threadIdx.x;", "write at ", "results right"},
    {"2_forward", "13_forward", "race: ", "y[i] = tile[t + 1] - tile[t];", "read at ",
     "results WRONG"},
    {"3_twice", "14_twice", "out-of-bounds: ", "y[i] = 2.0f * x[i];", "at ",
     "illegal memory access"},
    {"4_others", "15_others", "divergent-barrier: ", "__syncthreads();\n        }", "at ",
     "results WRONG"},
    {"5_plus_two", "16_plus_two", "unchecked-launch: ", "plus_one<<<blocks_of(n, 2048), 2048>>>",
     "launched at ", "results WRONG"},
};
enum { BUGS = sizeof bugs / sizeof bugs[0] };

static kl_error err;

static void run(const char *const *argv, const char *library_path, ladder_process *out_process) {
    const char *environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", library_path, NULL};
    ladder_process_spec spec = {
        .argv = argv, .environment = environment, .limits = {.output_bytes = 1 << 20}};
    ck_assert_msg(ladder_process_run(&spec, out_process, &err) == KL_OK, "%s", err.text);
    ck_assert_int_eq(out_process->end, LADDER_END_EXITED);
}

static void check(const char *bug, const char *option, const char *value, ladder_process *out) {
    const char *argv[] = {TEST_LADDER, "check", "first_kernel", bug, option, value, NULL};
    run(argv, NULL, out);
}

// Number of the line on which the text begins; 0 when it is not there, because somebody has found
// the bug already.
static int line_of(const planted *bug) {
    char path[LADDER_PATH], *text = NULL;
    ck_assert(ladder_path(path, &err, "%s/labs/00_first_kernel/steps/%s.cu", TEST_SOURCE_DIR,
                          bug->step) == KL_OK);
    ck_assert(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, NULL, &err) == KL_OK);
    const char *found = strstr(text, bug->line);
    int line = found != NULL;
    for (const char *c = text; found && c < found; c++) line += *c == '\n';
    free(text);
    return line;
}

KL_TEST_ROWS(the_line_of_each_bug_is_named, BUGS) {
    const planted *bug = &bugs[_i];
    int line = line_of(bug);
    if (line == 0) return; // repaired by a student
    ladder_process p;
    char place[128];
    check(bug->file, NULL, NULL, &p);
    snprintf(place, sizeof place, "%s%s.cu:%d\n", bug->before, bug->step, line);
    ck_assert_msg(p.code == 1, "%s: status %d\n%s", bug->file, p.code, p.output);
    ck_assert_msg(strstr(p.output, bug->finding), "%s:\n%s", bug->file, p.output);
    ck_assert_msg(strstr(p.output, place), "no '%s':\n%s", place, p.output);
    ck_assert_msg(strstr(p.output, bug->results), "%s:\n%s", bug->file, p.output);
    ck_assert_msg(!strstr(p.output, "or at "), "another launch:\n%s", p.output);
    ladder_process_free(&p);
}

KL_TEST_ROWS(the_repaired_program_is_clean, BUGS) {
    static const char *const orders[] = {"reverse", "random:3"};
    for (int i = 0; i < 2; i++) {
        const char *argv[] = {TEST_LADDER,  "check",   "first_kernel", bugs[_i].file,
                              "--solution", "--order", orders[i],      NULL};
        ladder_process p;
        run(argv, NULL, &p);
        ck_assert_msg(p.code == 0, "%s: status %d\n%s", bugs[_i].file, p.code, p.output);
        KL_HAS(p.output, "results right", "no findings in ", "results are the same");
        ladder_process_free(&p);
    }
}

// The program compares all that it can compare and is content, run after run; the checker is not.
KL_TEST(the_lectures_race_is_invisible_in_results) {
    static const char *const program[] = {TEST_BUILD_DIR "/labs/00_first_kernel/bugs/1_election",
                                          NULL};
    ladder_process p;
    if (line_of(&bugs[0]) == 0) return; // repaired by a student
    for (int i = 0; i < 3; i++) {
        run(program, "LD_LIBRARY_PATH=" TEST_BUILD_DIR "/common/simulator", &p);
        ck_assert_msg(p.code == 0, "%s", p.output);
        KL_HAS(p.output, "elected thread 255; results right");
        ladder_process_free(&p);
    }
    check("election", "--order", "reverse", &p); // in another order another thread wins
    ck_assert_int_eq(p.code, 1);
    KL_HAS(p.output, "race: ", "results differ from those of the usual order");
    ladder_process_free(&p);
}

KL_TEST(a_bug_hunt_answers_to_its_names) {
    static const char *const names[] = {"twice", "3_twice", "3_twice.cu"};
    for (int i = 0; i < 3; i++) {
        ladder_process p;
        check(names[i], "--solution", NULL, &p);
        ck_assert_msg(p.code == 0, "%s: %s", names[i], p.output);
        ladder_process_free(&p);
    }
    static const char *const others[] = {"twic", "3", "_twice"};
    for (int i = 0; i < 3; i++) { // 3 is a step
        const char *argv[] = {TEST_LADDER, "check", "first_kernel", others[i], "--json", "-", NULL};
        ladder_process p;
        run(argv, NULL, &p);
        ck_assert_ptr_null(strstr(p.output, "bug 3_twice"));
        ladder_process_free(&p);
    }
}

KL_TEST_MAIN("bugs")
