// SPDX-License-Identifier: MIT
// `ladder grade` from end to end on the simulator: a lab's solution, its skeleton, every wrong
// kernel and every lazy one; with lab 02 also every fault and a class of mixed submissions. Files
// under wrong/, lazy/ and faults/ say in their second line what must become of them; those under
// wrong/ and lazy/ may be edits of the solution (edit.h). Takes a lab and the name of one test, so
// that CTest can run them side by side, and "full" for all of it: without, a sample of steps and
// kernels is graded on the short list of cases, and steps stop at their first wrong case. Ends with
// a line that tells the processor time of it all, which budget.awk adds up.
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "submission/build_step.h"
#include "tests/support/edit.h"
#include "kit/files.h"
#include "judge/measure_speed.h"
#include "process/process.h"
#include "tests/support/processor_time.h"
#include "class/rows.h"
#include "submission/skeleton.h"
#include "submission/submission.h"

enum {
    SOLUTION_STRIDE = 6,  // of the sampled steps
    ROTATION_STRIDE = 10, // of the sampled pairs of a family and a step
    SAMPLE_KERNELS = 3    // wrong or lazy ones
};

static int failures;
static char work[LADDER_PATH];
static const ladder_lab *graded; // the lab of this run
static bool full;                // all of the test, not a sample
static kl_error err;

#define EXPECT(condition, ...)                                                                     \
    do {                                                                                           \
        if (condition) break;                                                                      \
        failures++;                                                                                \
        fprintf(stderr, "FAILED: " __VA_ARGS__);                                                   \
        fprintf(stderr, " (%s:%d: %s)\n", __FILE__, __LINE__, #condition);                         \
    } while (0)

static void must(kl_status status) {
    if (status == KL_OK) return;
    fprintf(stderr, "cannot go on: %s\n", err.text);
    exit(1);
}

static const char *outcome_id(ladder_outcome outcome) {
    static const char *const ids[] = {
#define LADDER_OUTCOME(id, kind, word, text) #id,
#include "rubric/outcomes.def"
#undef LADDER_OUTCOME
    };
    return ids[outcome];
}

// Whether a list like "FINDING/WRONG_ANSWER" holds the word: what a race does is chance.
static bool is_one_of(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, word, length) == 0 && (at[length] == '/' || at[length] == '\0'))
            return true;
    }
    return false;
}

// Runs `ladder grade LAB ARGUMENTS.. --output <work>/results`; returns its exit status.
static int grade(const char *const *arguments) {
    const char *argv[32] = {TEST_LADDER, "grade",  graded->folder, "--device",
                            "sim",       "--seed", "20251",        "--unsafe"};
    char output[LADDER_PATH];
    int count = 8; // --unsafe: the tests' own kernels, where no wall stands
    must(ladder_path(output, &err, "%s/results", work));
    for (; *arguments != NULL && count < 28; arguments++) argv[count++] = *arguments;
    if (!full) argv[count++] = "--quick";
    argv[count++] = "--output";
    argv[count++] = output;
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .limits = {.wall_s = 1500, .output_bytes = 4 << 20}};
    ladder_process process;
    must(ladder_process_run(&spec, &process, &err));
    printf("%s", process.output);
    fflush(stdout);
    int code = process.end == LADDER_END_EXITED ? process.code : -1;
    ladder_process_free(&process);
    return code;
}

static bool read_row(const char *id, ladder_row *out_row) {
    char path[LADDER_PATH];
    must(ladder_path(path, &err, "%s/results/class/%s.row", work, id));
    return ladder_row_read(path, NULL, out_row) == LADDER_ROW_GOOD;
}

static void write_file(const char *relative, const char *text) {
    char path[LADDER_PATH], above[LADDER_PATH];
    must(ladder_path(path, &err, "%s/%s", work, relative));
    snprintf(above, sizeof above, "%s", path);
    *strrchr(above, '/') = '\0';
    must(ladder_folder_make(above, &err));
    must(ladder_file_write(path, text, strlen(text), &err));
}

static char *read_file(const char *path) {
    char *text = NULL;
    must(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, NULL, &err));
    return text;
}

static char *read_solution_file(const char *file) {
    char path[LADDER_PATH];
    must(
        ladder_path(path, &err, "%s/solutions/%s/steps/%s", TEST_SOURCE_DIR, graded->folder, file));
    return read_file(path);
}

static char *read_solution(const ladder_rubric_step *step) {
    return read_solution_file(step->file);
}

static bool in_sample(int step) {
    return full || step % SOLUTION_STRIDE == 0;
}

static void solution_scores_all(const ladder_lab *lab) {
    ladder_row row;
    int count = lab->rubric->step_count;
    char in[LADDER_PATH], relative[128];
    for (int i = 0; i < count; i++) {
        if (!in_sample(i)) continue;
        char *text = read_solution(&lab->rubric->steps[i]);
        snprintf(relative, sizeof relative, "in/solution/%s", lab->rubric->steps[i].file);
        write_file(relative, text);
        free(text);
    }
    must(ladder_path(in, &err, "%s/in", work));
    const char *sample[] = {"--submissions", in, NULL}, *all[] = {"--solution", NULL};
    EXPECT(grade(full ? all : sample) == 0, "grading the solution");
    EXPECT(read_row("solution", &row), "no result");
    EXPECT(!full || row.score == 100.0, "the solution scores %.3f", row.score);
    EXPECT(row.step_count == count, "%d steps", row.step_count);
    for (int i = 0; i < row.step_count; i++) {
        if (!in_sample(i)) continue;
        EXPECT(row.steps[i].outcome == LADDER_CORRECT, "step %d: %s", row.steps[i].step,
               outcome_id(row.steps[i].outcome));
        EXPECT(row.steps[i].points == row.steps[i].points_max, "step %d: %g of %g points",
               row.steps[i].step, row.steps[i].points, row.steps[i].points_max);
    }
}

static double points_without_speed(const ladder_rubric_step *step) {
    double points = 0;
    for (int i = 0; i < step->criteria_count; i++)
        if (step->criteria[i].kind != LADDER_CRITERION_SPEED) points += step->criteria[i].points;
    return points;
}

static void skeleton_scores_its_given_step(const ladder_lab *lab) {
    int last = lab->rubric->step_count - 1;
    for (int i = 0; i <= last; i++) {
        const ladder_rubric_step *step = &lab->rubric->steps[i];
        if (!full && !step->given && i != last) continue;
        char *text = read_solution(step), *made = NULL, relative[128];
        must(ladder_skeleton_make(step->file, text, &made, &err));
        snprintf(relative, sizeof relative, "in/skeleton/%s", step->file);
        write_file(relative, made);
        free(made);
        free(text);
    }
    char in[LADDER_PATH];
    must(ladder_path(in, &err, "%s/in", work));
    const char *arguments[] = {"--submissions", in, NULL};
    ladder_row row;
    EXPECT(grade(arguments) == 0, "grading the skeleton");
    EXPECT(read_row("skeleton", &row), "no result");
    double given = 0;
    for (int i = 0; i < row.step_count; i++) {
        const ladder_rubric_step *step = &lab->rubric->steps[i];
        if (step->given) given += points_without_speed(step);
        ladder_outcome want = step->given         ? LADDER_CORRECT
                              : full || i == last ? LADDER_NOT_IMPLEMENTED
                                                  : LADDER_NOT_SUBMITTED;
        EXPECT(row.steps[i].outcome == want, "step %d: %s", row.steps[i].step,
               outcome_id(row.steps[i].outcome));
    }
    EXPECT(row.points == given, "the skeleton has %g points, its given steps %g", row.points,
           given);
}

// Compares each file's outcome with what its second line says.
static void expect_outcomes(const char *folder) {
    DIR *entries = opendir(folder);
    int compared = 0, before = failures, caught = 0;
    struct dirent *item;
    while (entries != NULL && (item = readdir(entries)) != NULL) {
        char path[LADDER_PATH], id[96];
        edit_heading due = {.step = -1};
        size_t length = strlen(item->d_name);
        if (length < 4 || strcmp(item->d_name + length - 3, ".cu") != 0) continue;
        must(ladder_path(path, &err, "%s/%s", folder, item->d_name));
        char *text = read_file(path);
        EXPECT(edit_read_heading(text, &due, &err) == KL_OK, "%s: %s", item->d_name, err.text);
        ladder_submission_id(item->d_name, id);
        ladder_row row;
        bool done = read_row(id, &row);
        EXPECT(done, "%s: no result", item->d_name);
        for (int i = 0; done && i < row.step_count; i++) {
            bool named = row.steps[i].step == due.step;
            const char *want = named ? due.expect : "NOT_SUBMITTED";
            EXPECT(is_one_of(want, outcome_id(row.steps[i].outcome)),
                   "%s, step %d: %s instead of %s", item->d_name, row.steps[i].step,
                   outcome_id(row.steps[i].outcome), want);
            EXPECT(row.steps[i].points == 0, "%s earns points", item->d_name);
        }
        compared += due.step >= 0;
        caught += due.step >= 0 && failures == before;
        before = failures;
        free(text);
    }
    printf("%s: %d of %d are failed as they must be\n", graded->folder, caught, compared);
    if (entries != NULL) closedir(entries);
    EXPECT(compared > 0, "nothing was compared in %s", folder);
}

// The text of a kernel of this lab in `kind` (wrong, lazy), made from the solution when it is an
// edit.
static char *read_kernel(const char *kind, const char *name) {
    char path[LADDER_PATH];
    must(ladder_path(path, &err, "%s/autograder/tests/%s/%s/%s", TEST_SOURCE_DIR, kind,
                     graded->folder, name));
    char *text = read_file(path), *made = NULL;
    edit_heading heading;
    kl_status status = edit_read_heading(text, &heading, &err);
    if (status == KL_OK && strstr(name, ".edit") != NULL) {
        char *step = read_solution_file(heading.file);
        status = edit_apply(text, step, &made, &err);
        free(step);
        free(text);
        text = made;
    }
    if (status != KL_OK) kl_fail_prefix(&err, "%s", name);
    must(status);
    return text;
}

// Kernels of the sample: two, and of the wrong ones another for each further outcome up to
// SAMPLE_KERNELS.
static bool kernel_in_sample(const char *text, int earlier) {
    static char seen[SAMPLE_KERNELS][64];
    static int seen_count;
    edit_heading heading;
    must(edit_read_heading(text, &heading, &err));
    if (full) return true;
    for (int i = 0; i < seen_count; i++)
        if (strcmp(seen[i], heading.expect) == 0) return earlier == 1;
    if (seen_count == SAMPLE_KERNELS) return false;
    snprintf(seen[seen_count++], sizeof seen[0], "%s", heading.expect);
    return true;
}

// Makes all kernels of this lab in `kind`, in all/, and grades them or a sample, in in/, each as a
// submission; folder: [LADDER_PATH], in/.
static void grade_kernels(const char *kind, char *folder) {
    char relative[320];
    int made = 0;
    bool lazy = strcmp(kind, "lazy") == 0; // right beyond doubt: what counts is counted
    must(ladder_path(folder, &err, "%s/autograder/tests/%s/%s", TEST_SOURCE_DIR, kind,
                     graded->folder));
    struct dirent **items = NULL;
    int count = scandir(folder, &items, NULL, versionsort);
    for (int i = 0; i < count; i++) {
        const char *name = items[i]->d_name, *dot = strrchr(name, '.');
        if (dot != NULL && (strcmp(dot, ".edit") == 0 || strcmp(dot, ".cu") == 0)) {
            char *text = read_kernel(kind, name);
            snprintf(relative, sizeof relative, "all/%.*s.cu", (int)(dot - name), name);
            write_file(relative, text);
            snprintf(relative, sizeof relative, "in/%.*s.cu", (int)(dot - name), name);
            if (kernel_in_sample(text, made++)) write_file(relative, text);
            free(text);
        }
        free(items[i]);
    }
    free(items);
    must(ladder_path(folder, &err, "%s/in", work));
    const char *once = full ? NULL : "--first-failure", *short_list = full ? "--quick" : NULL;
    const char *arguments[] = {"--submissions", folder, lazy ? short_list : once, NULL};
    EXPECT(grade(arguments) == 0, "grading the %s kernels", kind);
}

static void wrong_kernels_are_caught(const ladder_lab *lab) {
    char folder[LADDER_PATH];
    (void)lab;
    grade_kernels("wrong", folder);
    expect_outcomes(folder);
}

// A right kernel, if it was graded, earns all points but those of the criterion that it says it
// misses, and so those on speed, which that one closes; returns that one. Nothing is graded in all/ itself.
static const ladder_criterion *expect_one_missed(const ladder_lab *lab, const char *folder,
                                                 const char *file) {
    char path[LADDER_PATH], id[96];
    edit_heading due = {.step = -1};
    must(ladder_path(path, &err, "%s/%s", folder, file));
    char *text = read_file(path);
    must(edit_read_heading(text, &due, &err));
    free(text);
    int at = due.misses;
    const ladder_rubric_step *step = ladder_rubric_find(lab->rubric, due.step);
    bool known = step != NULL && at > 1 && at <= step->criteria_count;
    EXPECT(known, "%s: misses criterion %d of step %d", file, at, due.step);
    ladder_submission_id(file, id);
    ladder_row row;
    char submitted[LADDER_PATH];
    must(ladder_path(submitted, &err, "%s/in/%s", work, file));
    bool done = read_row(id, &row);
    EXPECT(done == ladder_file_exists(submitted), "%s: no result", file);
    for (int i = 0; known && done && i < row.step_count; i++) {
        if (row.steps[i].step != due.step) continue;
        double want = points_without_speed(step) - step->criteria[at - 1].points;
        EXPECT(row.steps[i].outcome == LADDER_CORRECT, "%s: %s", file,
               outcome_id(row.steps[i].outcome));
        EXPECT(row.steps[i].points == want, "%s: %g points instead of %g", file,
               row.steps[i].points, want);
    }
    return known ? &step->criteria[at - 1] : NULL;
}

// For every criterion on counts there is a right kernel that earns none of its points, and all
// others.
static void lazy_kernels_miss_a_criterion(const ladder_lab *lab) {
    enum { MOST = 64 };
    const ladder_criterion *missed[MOST];
    int count = 0;
    char folder[LADDER_PATH];
    grade_kernels("lazy", folder);
    must(ladder_path(folder, &err, "%s/all", work));
    DIR *entries = opendir(folder);
    struct dirent *item;
    while (entries != NULL && count < MOST && (item = readdir(entries)) != NULL)
        if (strstr(item->d_name, ".cu") != NULL)
            missed[count++] = expect_one_missed(lab, folder, item->d_name);
    if (entries != NULL) closedir(entries);
    for (int s = 0; s < lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &lab->rubric->steps[s];
        for (int c = 0; c < step->criteria_count; c++) {
            if (step->criteria[c].kind != LADDER_CRITERION_COUNT) continue;
            int at = 0;
            while (at < count && missed[at] != &step->criteria[c]) at++;
            EXPECT(at < count, "step %d, criterion %d: no kernel in lazy/%s misses it", step->step,
                   c + 1, lab->folder);
        }
    }
}

static void faults_have_their_verdicts(const ladder_lab *lab) {
    char folder[LADDER_PATH];
    must(ladder_path(folder, &err, "%s/autograder/tests/faults/%s", TEST_SOURCE_DIR, lab->folder));
    const char *arguments[] = {
        "--submissions", folder,     "--case-limit", "10", "--build-limit", "25", "--instructions",
        "2000000",       "--memory", "200M",         NULL};
    EXPECT(grade(arguments) == 0, "grading the faults");
    expect_outcomes(folder);
}

static void expect_step(const char *id, int step, ladder_outcome want) {
    ladder_row row;
    bool done = read_row(id, &row);
    EXPECT(done, "%s: no result", id);
    for (int i = 0; done && i < row.step_count; i++) {
        if (row.steps[i].step != step) continue;
        EXPECT(row.steps[i].outcome == want, "%s, step %d: %s instead of %s", id, step,
               outcome_id(row.steps[i].outcome), outcome_id(want));
    }
}

// The text with the line ends of another system.
static char *with_carriage_returns(const char *text) {
    char *made = malloc(2 * strlen(text) + 1), *to = made;
    for (; *text != '\0'; text++) {
        if (*text == '\n') *to++ = '\r';
        *to++ = *text;
    }
    *to = '\0';
    return made;
}

// A class in which one thing after the other is wrong with the files themselves; then the same once
// more with --resume.
static void a_mixed_class_is_graded_and_resumed(const ladder_lab *lab) {
    static const char odd_name[] = "in/=evil\n<b>&\033[31m";
    char *good = read_solution(&lab->rubric->steps[3]);
    char name[256], in[LADDER_PATH], path[LADDER_PATH], id[96];
    write_file("in/part/3_sequential.cu", good);
    write_file("in/part/1_interleaved.cu", "this is no C\n");
    write_file("in/part/2_strided.cu", "");
    write_file("in/part/Makefile", "all:\n\ttouch /tmp/never\n");
    snprintf(name, sizeof name, "%s/3_sequential.cu", odd_name);
    write_file(name, good);
    char *crlf = with_carriage_returns(good);
    write_file("in/crlf/steps/3_SEQUENTIAL.cu", crlf);
    free(crlf);
    must(ladder_path(in, &err, "%s/in", work));
    must(ladder_path(path, &err, "%s/in/part/4_first_add.cu", work));
    EXPECT(symlink("/etc/passwd", path) == 0, "symlink");
    must(ladder_path(path, &err, "%s/in/part/5_shuffle.cu", work));
    EXPECT(mkfifo(path, 0600) == 0, "mkfifo");
    must(ladder_path(path, &err, "%s/in/outside", work));
    EXPECT(symlink("/", path) == 0, "symlink");

    const char *arguments[] = {"--submissions", in, "--quick", "--jobs", "2", NULL};
    EXPECT(grade(arguments) == 0, "grading a mixed class");
    expect_step("part", 3, LADDER_CORRECT);
    expect_step("part", 1, LADDER_COMPILE_ERROR);
    expect_step("part", 2, LADDER_EMPTY_FILE);
    expect_step("part", 4, LADDER_REFUSED_FILE);
    expect_step("part", 5, LADDER_REFUSED_FILE);
    expect_step("part", 6, LADDER_NOT_SUBMITTED);
    expect_step("crlf", 3, LADDER_CORRECT);
    expect_step("outside", 3, LADDER_NOT_SUBMITTED);
    ladder_submission_id(strchr(odd_name, '/') + 1, id);
    expect_step(id, 3, LADDER_CORRECT);
    must(ladder_path(path, &err, "%s/results/summary.csv", work));
    char *csv = NULL;
    must(ladder_file_read(AT_FDCWD, path, 1 << 20, &csv, NULL, &err));
    EXPECT(strstr(csv, "\"'=evil?<b>&?[31m\"") != NULL, "summary.csv:\n%s", csv);
    free(csv);

    // Resumed: what is finished is left as it is, what changed is graded again.
    ladder_row before, after;
    struct stat first, second;
    must(ladder_path(path, &err, "%s/results/class/crlf.row", work));
    EXPECT(read_row("part", &before) && stat(path, &first) == 0, "rows");
    write_file("in/part/1_interleaved.cu", "this is no C either\n");
    const char *again[] = {"--submissions", in, "--quick", "--resume", NULL};
    EXPECT(grade(again) == 0, "resuming");
    EXPECT(read_row("part", &after) && stat(path, &second) == 0, "rows");
    EXPECT(strcmp(before.hash, after.hash) != 0, "the changed submission was not graded again");
    EXPECT(before.score == after.score, "the same files score %g and %g", before.score,
           after.score);
    EXPECT(first.st_mtim.tv_nsec == second.st_mtim.tv_nsec && first.st_ino == second.st_ino,
           "an unchanged submission was graded again");
    free(good);
}

// Builds a step's text for the clock's test; object: [LADDER_PATH].
static void build(const ladder_judge *judge, int step, const char *text, const char *folder,
                  char *object) {
    static ladder_step_result result; // large
    memset(&result, 0, sizeof result);
    ladder_build_job job = {.kit = judge->kit,
                            .lab = judge->lab,
                            .step = ladder_rubric_find(judge->lab->rubric, step),
                            .folder = folder,
                            .source = text,
                            .source_bytes = strlen(text),
                            .limit_s = 60};
    must(ladder_build_step(&job, object, &result, &err));
    EXPECT(result.outcome == LADDER_CORRECT, "%s", result.message);
}

static double standing_clock(void) {
    return 1.0;
}

// Each look at this clock finds it further on by the same: all calls take the same, whatever else the
// machine does.
static double growing_clock(void) {
    static double looks;
    return ++looks;
}

// The same with pauses of the machine, which can fall into k calls or into 2k.
static double stuttering_clock(void) {
    static double looks;
    looks++;
    return looks + 1e6 * floor(looks / 97);
}

// The judge's timing, by clocks of the test's own: what is tested is that calls are timed and
// verified, not how fast they are.
static void the_clock_works(const ladder_lab *lab) {
    // Thresholds far off, so that no more rounds are asked for.
    static const ladder_criterion criterion = {.kind = LADDER_CRITERION_SPEED,
                                               .points = 1,
                                               .text = "speed",
                                               .family = "sum-exact",
                                               .size = 4096,
                                               .full = 1e6,
                                               .zero = 1e5,
                                               .over = 0};
    const ladder_rubric_step rows[] = {{0, lab->rubric->steps[0].file, true, &criterion, 1}};
    const ladder_rubric rubric = {.steps = rows, .step_count = 1};
    const ladder_lab timed = {lab->folder, lab->problem, &rubric, lab->questions, lab->tune};
    ladder_kit kit;
    ladder_cases cases = {.lab = &timed, .seed = 5};
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    must(ladder_cases_make_speed(&cases, &err));
    EXPECT(cases.speed_count == 1 && cases.speed[0].count >= 2, "%d sets", cases.speed[0].count);
    ladder_judge judge = {
        .kit = &kit, .lab = lab, .cases = &cases, .case_s = 30, .memory_bytes = (uint64_t)1 << 31};
    char baseline[LADDER_PATH], object[LADDER_PATH], run[LADDER_PATH];
    must(ladder_path(run, &err, "%s/run", work)); // what runs sees nothing else of `work`
    must(ladder_folder_make(run, &err));
    char *text = read_solution(&lab->rubric->steps[0]);
    build(&judge, 0, text, work, baseline);
    free(text);
    text = read_solution(&lab->rubric->steps[6]);
    build(&judge, 6, text, work, object);
    free(text);
    static ladder_step_result result; // large
    ladder_speed_job job = {.judge = &judge,
                            .criterion = &criterion,
                            .threshold = {criterion.full, criterion.zero},
                            .baseline_object = baseline,
                            .step_object = object,
                            .step = 6,
                            .folder = run,
                            .tolerance = 1e9,
                            .limit_s = 1e12, // these clocks take large steps
                            .now_s = growing_clock,
                            .result = &result};
    ladder_speed speed;
    const kl_interval *ratio = &speed.ratio;
    kl_status status = ladder_measure_speed(&job, &speed, &err);
    EXPECT(status == KL_OK, "%s", err.text);
    printf("step 6 over step 0: %.2f (%.2f to %.2f)\n", ratio->mid, ratio->low, ratio->high);
    EXPECT(ratio->low <= ratio->mid && ratio->mid <= ratio->high, "interval");

    // Pauses do not decide, also when few outputs are compared and most timings end without a
    // comparison.
    job.now_s = stuttering_clock;
    job.compare_bytes = 1024;
    status = ladder_measure_speed(&job, &speed, &err);
    EXPECT(status == KL_OK && fabs(ratio->mid - 1) < 1e-6, "stuttering clock: %.9f, %s", ratio->mid,
           status == KL_OK ? "" : err.text);
    job.now_s = growing_clock;
    job.compare_bytes = 0;

    // A step that is wrong from its second call on is found out although only its speed is asked
    // for.
    text = read_kernel("wrong", "8_stale_ticket.edit");
    build(&judge, 8, text, work, object);
    free(text);
    job.step = 8;
    status = ladder_measure_speed(&job, &speed, &err);
    EXPECT(status == KL_ERROR_INPUT, "a wrong step was timed: %d", status);
    EXPECT(strstr(err.text, "timed call") != NULL, "%s", err.text);
    // With a clock that stands still 2k calls take no longer than k: never a score.
    job.now_s = standing_clock;
    status = ladder_measure_speed(&job, &speed, &err);
    EXPECT(status == KL_ERROR_SYSTEM && strstr(err.text, "too noisy") != NULL,
           "standing clock: %d, %s", status, err.text);
    job.now_s = growing_clock;
    job.compare_bytes = 1024; // four outputs: found out although not all are compared
    status = ladder_measure_speed(&job, &speed, &err);
    EXPECT(status == KL_ERROR_INPUT, "a wrong step was timed: %d", status);
    EXPECT(strstr(err.text, "timed call") != NULL, "%s", err.text);
    ladder_cases_free(&cases);
}

// True when the rubric or the suite times this family.
static bool is_timed(const ladder_lab *lab, int family) {
    for (int i = 0; i < lab->problem->suite_count; i++) {
        const kl_suite_entry *e = &lab->problem->suite[i];
        if (e->family == family && (e->flags & (KL_TIME_GPU | KL_TIME_SIM))) return true;
    }
    for (int s = 0; s < lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &lab->rubric->steps[s];
        for (int c = 0; c < step->criteria_count; c++) {
            const ladder_criterion *criterion = &step->criteria[c];
            bool speed = criterion->kind == LADDER_CRITERION_SPEED;
            if (speed && kl_problem_family(lab->problem, criterion->family) == family) return true;
        }
    }
    return false;
}

// Times one call of a step on the simulator, which verifies the outputs of a turn through all sets
// of inputs.
static void rotate_step(const ladder_judge *judge, const ladder_criterion *criterion, int step) {
    static ladder_step_result result; // large
    char object[LADDER_PATH];
    double seconds = 0;
    memset(&result, 0, sizeof result);
    must(ladder_path(object, &err, "%s/labs/%s/solution/step_%d.so", TEST_BUILD_DIR,
                     judge->lab->folder, step));
    ladder_speed_job job = {.judge = judge,
                            .criterion = criterion,
                            .step_object = object,
                            .step = step,
                            .folder = work,
                            .result = &result};
    kl_status status = ladder_time_step(&job, &seconds, &err);
    EXPECT(status == KL_OK, "%s, step %d: %s", criterion->family, step, err.text);
    job.compare_bytes = 1 << 20; // few enough that they are chosen at random
    status = ladder_time_step(&job, &seconds, &err);
    EXPECT(status == KL_OK, "%s, step %d, chosen: %s", criterion->family, step, err.text);
}

// Small: what is tested is whose inputs a call gets. Where no listed case is as large as that, a
// unit of the size is much work (a batch of images).
static int64_t rotation_size(const ladder_lab *lab, int family) {
    enum { SIZE = 200 };
    for (int i = 0; i < lab->problem->suite_count; i++) {
        const kl_suite_entry *e = &lab->problem->suite[i];
        if (e->family == family && e->size >= SIZE) return SIZE;
    }
    return 1;
}

// Families that even so have much data, wide layers for example, are rotated in the full test only.
static bool is_rotated(const ladder_lab *lab, int family) {
    const double sample_bytes = 8 << 20;
    kl_case shape = {0};
    if (!is_timed(lab, family)) return false;
    must(lab->problem->describe(family, rotation_size(lab, family), 7, &shape, &err));
    return full || shape.work_bytes <= sample_bytes;
}

static int count_timed_pairs(const ladder_lab *lab) {
    int pairs = 0;
    for (int family = 0; family < lab->problem->family_count; family++)
        for (int s = 0; is_rotated(lab, family) && s < lab->rubric->step_count; s++)
            pairs += kl_problem_serves(lab->problem, family, lab->rubric->steps[s].step);
    return pairs;
}

// Times these steps, a bit each, on sets of inputs of a family.
static int rotate_family(const ladder_lab *lab, int family, uint32_t steps) {
    const ladder_criterion speed = {.kind = LADDER_CRITERION_SPEED,
                                    .family = lab->problem->families[family].name,
                                    .size = rotation_size(lab, family)};
    const ladder_rubric_step row = {0, "", true, &speed, 1};
    const ladder_rubric rubric = {.steps = &row, .step_count = 1};
    const ladder_lab timed = {lab->folder, lab->problem, &rubric, lab->questions, lab->tune};
    ladder_cases cases = {.lab = &timed, .seed = 7};
    ladder_kit kit;
    int rotated = 0;
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    must(ladder_cases_make_speed(&cases, &err));
    EXPECT(cases.speed[0].count >= 2, "%s: %d sets", speed.family, cases.speed[0].count);
    ladder_judge judge = {
        .kit = &kit, .lab = lab, .cases = &cases, .case_s = 60, .memory_bytes = (uint64_t)1 << 31};
    for (int step = 0; step < 32; step++) {
        if (!(steps >> step & 1)) continue;
        rotate_step(&judge, &speed, step);
        rotated++;
    }
    ladder_cases_free(&cases);
    return rotated;
}

// Timed calls take the sets of inputs in turn. With every timed family, each step must answer for
// the set that its call was given, its scalars included.
static void timed_calls_use_their_own_inputs(const ladder_lab *lab) {
    // The last of each ROTATION_STRIDE pairs; the first one where a lab has fewer.
    const int phase = count_timed_pairs(lab) < ROTATION_STRIDE ? 0 : ROTATION_STRIDE - 1;
    int rotated = 0, pairs = 0;
    for (int family = 0; family < lab->problem->family_count; family++) {
        uint32_t steps = 0;
        for (int s = 0; is_rotated(lab, family) && s < lab->rubric->step_count; s++) {
            int step = lab->rubric->steps[s].step;
            if (!kl_problem_serves(lab->problem, family, step)) continue;
            if (full || pairs++ % ROTATION_STRIDE == phase) steps |= UINT32_C(1) << step;
        }
        if (steps != 0) rotated += rotate_family(lab, family, steps);
    }
    EXPECT(rotated > 0, "no step was timed");
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(const ladder_lab *lab);
    } tests[] = {{"solution", solution_scores_all},
                 {"skeleton", skeleton_scores_its_given_step},
                 {"wrong", wrong_kernels_are_caught},
                 {"lazy", lazy_kernels_miss_a_criterion},
                 {"faults", faults_have_their_verdicts},
                 {"class", a_mixed_class_is_graded_and_resumed},
                 {"clock", the_clock_works},
                 {"rotation", timed_calls_use_their_own_inputs}};
    full = argc == 4 && strcmp(argv[3], "full") == 0;
    graded = argc == (full ? 4 : 3) ? ladder_lab_find(argv[1]) : NULL;
    bool ran = false;
    must(ladder_folder_temporary(work, &err));
    for (size_t i = 0; graded != NULL && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[2], tests[i].name) != 0) continue;
        tests[i].run(graded);
        ran = true;
    }
    ladder_folder_remove(work);
    if (!ran)
        fprintf(
            stderr,
            "usage: ladder_grade_test LAB solution|skeleton|wrong|lazy|faults|class|clock|rotation [full]\n");
    print_processor_seconds();
    if (failures > 0) fprintf(stderr, "%d expectations failed\n", failures);
    return ran && failures == 0 ? 0 : 1;
}
