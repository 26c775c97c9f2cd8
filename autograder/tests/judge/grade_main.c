// `ladder grade` from end to end on the simulator: a lab's solution, its skeleton, every wrong
// kernel and every lazy one; with lab 02 also every fault and a class of mixed submissions. Edits
// in wrong/, lazy/ and faults/ (edit.h) begin with what must become of them. Takes a lab and the
// name of one test, so that CTest can run them side by side, and "full" for all of it: without, a
// sample of steps and kernels is graded on the short list of cases, and steps stop at their first
// wrong case.
#include "tests/judge/grade_test.h"

#include <dirent.h>
#include <stdatomic.h>

#include "course/class/class.h"
#include "tests/support/edit.h"
#include "tests/support/expected.h"

enum {
    SOLUTION_STRIDE = 6, // of the sampled steps; given ones are graded with the skeleton
    SAMPLE_KERNELS = 3   // wrong or lazy ones
};

int grade_failures;
char grade_work[LADDER_PATH];
const ladder_lab *grade_lab;
bool grade_full;
kl_error grade_err;

void grade_must(kl_status status) {
    if (status == KL_OK) return;
    fprintf(stderr, "cannot go on: %s\n", grade_err.text);
    exit(1);
}

// Runs `ladder grade LAB ARGUMENTS.. --output <work>/results`; returns its exit status.
static int grade(const char *const *arguments) {
    const char *argv[32] = {TEST_LADDER, "grade",  grade_lab->folder, "--device",
                            "sim",       "--seed", "20251",           "--unsafe"};
    char output[LADDER_PATH];
    int count = 8; // --unsafe: the tests' own kernels, where no sandbox stands
    grade_must(ladder_path(output, &grade_err, "%s/results", grade_work));
    for (; *arguments && count < 28; arguments++) argv[count++] = *arguments;
    if (!grade_full) argv[count++] = "--quick";
    argv[count++] = "--output";
    argv[count++] = output;
    ladder_process_spec spec = {.argv = argv,
                                .environment = (const char *const *)environ,
                                .limits = {.output_bytes = 4 << 20}};
    ladder_process process;
    grade_must(ladder_process_run(&spec, &process, &grade_err));
    printf("%s", process.output);
    fflush(stdout);
    int code = process.end == LADDER_END_EXITED ? process.code : -1;
    ladder_process_free(&process);
    return code;
}

static bool read_row(const char *id, ladder_row *out_row) {
    char path[LADDER_PATH];
    grade_must(ladder_path(path, &grade_err, "%s/results/class/%s.row", grade_work, id));
    return ladder_row_read(path, NULL, out_row) == LADDER_ROW_GOOD;
}

static void write_file(const char *relative, const char *text) {
    char path[LADDER_PATH], above[LADDER_PATH];
    grade_must(ladder_path(path, &grade_err, "%s/%s", grade_work, relative));
    snprintf(above, sizeof above, "%s", path);
    *strrchr(above, '/') = '\0';
    grade_must(ladder_folder_make(above, &grade_err));
    grade_must(ladder_file_write(path, text, strlen(text), &grade_err));
}

static char *read_file(const char *path) {
    char *text = NULL;
    grade_must(ladder_file_read(AT_FDCWD, path, 1 << 20, &text, NULL, &grade_err));
    return text;
}

static char *read_step_file(const char *top, const char *file) {
    char path[LADDER_PATH];
    grade_must(ladder_path(path, &grade_err, "%s/%s/%s/steps/%s", TEST_SOURCE_DIR, top,
                           grade_lab->folder, file));
    return read_file(path);
}

char *grade_read_solution(const ladder_rubric_step *step) {
    return read_step_file(step->given ? "labs" : "solutions", step->file);
}

static bool in_sample(int step) { return grade_full || (step > 0 && step % SOLUTION_STRIDE == 0); }

static void solution_scores_all(const ladder_lab *lab) {
    ladder_row row;
    int count = lab->rubric->step_count;
    char in[LADDER_PATH], relative[128];
    for (int i = 0; i < count; i++) {
        const ladder_rubric_step *step = &lab->rubric->steps[i];
        if (!in_sample(i) && !step->given) continue;
        char *text = grade_read_solution(step);
        snprintf(relative, sizeof relative, "in/solution/%s", step->file);
        write_file(relative,
                   in_sample(i) ? text : ""); // empty: the kit's own is not graded instead
        free(text);
    }
    grade_must(ladder_path(in, &grade_err, "%s/in", grade_work));
    const char *sample[] = {"--submissions", in, NULL}, *all[] = {"--solution", NULL};
    EXPECT(grade(grade_full ? all : sample) == 0, "grading the solution");
    EXPECT(read_row("solution", &row), "no result");
    EXPECT(!grade_full || ladder_points_score(&row.points) == 100.0, "the solution scores %.3f",
           ladder_points_score(&row.points));
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

// Of the steps that are still to be written the sample has the first: they end alike, and the last
// ones take the compiler the longest.
static void skeleton_scores_its_given_step(const ladder_lab *lab) {
    int unwritten = 0;
    while (lab->rubric->steps[unwritten].given) unwritten++;
    for (int i = 0; i < lab->rubric->step_count; i++) {
        const ladder_rubric_step *step = &lab->rubric->steps[i];
        if (!grade_full && !step->given && i != unwritten) continue;
        char *text = grade_read_solution(step), *made = NULL, relative[128];
        grade_must(ladder_skeleton_make(step->file, text, &made, &grade_err));
        snprintf(relative, sizeof relative, "in/skeleton/%s", step->file);
        write_file(relative, made);
        free(made);
        free(text);
    }
    char in[LADDER_PATH];
    grade_must(ladder_path(in, &grade_err, "%s/in", grade_work));
    const char *arguments[] = {"--submissions", in, NULL};
    ladder_row row;
    EXPECT(grade(arguments) == 0, "grading the skeleton");
    EXPECT(read_row("skeleton", &row), "no result");
    double given = 0;
    for (int i = 0; i < row.step_count; i++) {
        const ladder_rubric_step *step = &lab->rubric->steps[i];
        if (step->given) given += points_without_speed(step);
        ladder_outcome want = step->given                    ? LADDER_CORRECT
                              : grade_full || i == unwritten ? LADDER_NOT_IMPLEMENTED
                                                             : LADDER_NOT_SUBMITTED;
        EXPECT(row.steps[i].outcome == want, "step %d: %s", row.steps[i].step,
               outcome_id(row.steps[i].outcome));
    }
    EXPECT(row.points.reached == given, "the skeleton has %g points, its given steps %g",
           row.points.reached, given);
}

// Compares each file's outcome with what its first line says. kit: given steps are the kit's.
// Kernels for steps that the toolkit cannot compile, which a grade leaves out, are not counted.
static void expect_outcomes(const char *folder, bool kit) {
    DIR *entries = opendir(folder);
    int compared = 0, before = grade_failures, caught = 0, lacking = 0;
    struct dirent *item;
    while (entries && (item = readdir(entries))) {
        char path[LADDER_PATH], id[96];
        edit_heading due = {.step = -1};
        size_t length = strlen(item->d_name);
        if (length < 4 || strcmp(item->d_name + length - 3, ".cu") != 0) continue;
        grade_must(ladder_path(path, &grade_err, "%s/%s", folder, item->d_name));
        char *text = read_file(path);
        EXPECT(edit_read_heading(text, &due, &grade_err) == KL_OK, "%s: %s", item->d_name,
               grade_err.text);
        ladder_submission_id(item->d_name, id);
        ladder_row row;
        bool done = read_row(id, &row), lacks = false;
        EXPECT(done, "%s: no result", item->d_name);
        for (int i = 0; done && i < row.step_count; i++) {
            bool named = row.steps[i].step == due.step;
            bool given = kit && !named && grade_lab->rubric->steps[i].given;
            const char *want = named ? due.expect : given ? "CORRECT" : "NOT_SUBMITTED";
            bool slow = named && strstr(want, "_LIMIT") && // no limit decides on a slow machine
                        row.steps[i].outcome == LADDER_UNGRADABLE && ladder_machine_slowness() > 1;
            bool left_out = row.steps[i].outcome == LADDER_LEFT_OUT;
            lacks = lacks || (named && left_out);
            EXPECT(slow || left_out || is_one_of(want, outcome_id(row.steps[i].outcome)),
                   "%s, step %d: %s instead of %s", item->d_name, row.steps[i].step,
                   outcome_id(row.steps[i].outcome), want);
            EXPECT(given || row.steps[i].points == 0, "%s earns points", item->d_name);
        }
        lacking += lacks;
        compared += due.step >= 0 && !lacks;
        caught += due.step >= 0 && !lacks && grade_failures == before;
        before = grade_failures;
        free(text);
    }
    if (lacking) printf("%d are for steps that this toolkit leaves out\n", lacking);
    printf("%s: %d of %d are failed as they must be\n", grade_lab->folder, caught, compared);
    if (entries) closedir(entries);
    EXPECT(compared > 0, "nothing was compared in %s", folder);
}

static void read_edits(const char *kind, edit_list *out_edits) {
    char path[LADDER_PATH];
    grade_must(ladder_path(path, &grade_err, "%s/autograder/tests/%s/%s.edits", TEST_SOURCE_DIR,
                           kind, grade_lab->folder));
    grade_must(edits_read(path, out_edits, &grade_err));
}

static char *make_kernel(const edit *edit) {
    edit_heading heading;
    grade_must(edit_heading_of(edit, &heading, &grade_err));
    const ladder_rubric_step *row = ladder_rubric_find(grade_lab->rubric, heading.step);
    char *step = read_step_file("solutions", row->file), *made = NULL;
    grade_must(edit_apply(edit, step, &made, &grade_err));
    free(step);
    return made;
}

char *grade_make_kernel(const char *kind, const char *name) {
    edit_list edits;
    const edit *edit = NULL;
    read_edits(kind, &edits);
    grade_must(edits_find(&edits, name, &edit, &grade_err));
    char *made = make_kernel(edit);
    edits_free(&edits);
    return made;
}

// Kernels of the sample: two, and of the wrong ones another for each further outcome up to
// SAMPLE_KERNELS.
static bool kernel_in_sample(const char *text, int earlier) {
    static char seen[SAMPLE_KERNELS][64];
    static int seen_count;
    edit_heading heading;
    grade_must(edit_read_heading(text, &heading, &grade_err));
    if (grade_full) return true;
    for (int i = 0; i < seen_count; i++)
        if (strcmp(seen[i], heading.expect) == 0) return earlier == 1;
    if (seen_count == SAMPLE_KERNELS) return false;
    snprintf(seen[seen_count++], sizeof seen[0], "%s", heading.expect);
    return true;
}

// Whether $LADDER_KNOWN_WRONG has a line of this lab and kernel: it failed with another compiler
// that made the same PTX (toolkits/labs.sh).
static bool is_known(const char *name) {
    const char *path = getenv("LADDER_KNOWN_WRONG");
    char line[192], *known = path ? read_file(path) : NULL;
    snprintf(line, sizeof line, "%s %s ", grade_lab->folder, name);
    bool found = known && strstr(known, line);
    free(known);
    return found;
}

// Writes all kernels of this lab in `kind` into all/, and them or a sample into in/, each as a
// submission; folder: [LADDER_PATH], in/.
static void write_kernels(const char *kind, char *folder) {
    char relative[320];
    edit_list edits;
    read_edits(kind, &edits);
    for (int i = 0; i < edits.count; i++) {
        char *text = make_kernel(&edits.items[i]);
        snprintf(relative, sizeof relative, "all/%s.cu", edits.items[i].name);
        write_file(relative, text);
        snprintf(relative, sizeof relative, "in/%s.cu", edits.items[i].name);
        if (kernel_in_sample(text, i) && !is_known(edits.items[i].name)) write_file(relative, text);
        free(text);
    }
    edits_free(&edits);
    grade_must(ladder_path(folder, &grade_err, "%s/in", grade_work));
}

static void grade_kernels(const char *kind, char *folder) {
    bool lazy = strcmp(kind, "lazy") == 0; // right beyond doubt: what counts is counted
    write_kernels(kind, folder);
    const char *once = grade_full ? NULL : "--first-failure",
               *short_list = grade_full ? "--quick" : NULL;
    const char *arguments[] = {"--submissions", folder, lazy ? short_list : once, NULL};
    EXPECT(grade(arguments) == 0, "grading the %s kernels", kind);
}

static void wrong_kernels_are_caught(const ladder_lab *lab) {
    char folder[LADDER_PATH];
    (void)lab;
    grade_kernels("wrong", folder);
    expect_outcomes(folder, grade_full);
}

// A right kernel, if it was graded, earns all points but those of the criterion that it says it
// misses, and so those on speed, which that one closes; returns that one. Nothing is graded in all/
// itself.
static const ladder_criterion *expect_one_missed(const ladder_lab *lab, const char *folder,
                                                 const char *file) {
    char path[LADDER_PATH], id[96];
    edit_heading due = {.step = -1};
    grade_must(ladder_path(path, &grade_err, "%s/%s", folder, file));
    char *text = read_file(path);
    grade_must(edit_read_heading(text, &due, &grade_err));
    free(text);
    int at = due.misses;
    const ladder_rubric_step *step = ladder_rubric_find(lab->rubric, due.step);
    bool known = step && at > 1 && at <= step->criteria_count;
    EXPECT(known, "%s: misses criterion %d of step %d", file, at, due.step);
    ladder_submission_id(file, id);
    ladder_row row;
    char submitted[LADDER_PATH];
    grade_must(ladder_path(submitted, &grade_err, "%s/in/%s", grade_work, file));
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

// For every criterion on counts or hidden cases there is a right kernel that earns none of its
// points, and all others.
static void lazy_kernels_miss_a_criterion(const ladder_lab *lab) {
    enum { MOST = 64 };
    const ladder_criterion *missed[MOST];
    int count = 0;
    char folder[LADDER_PATH];
    grade_kernels("lazy", folder);
    grade_must(ladder_path(folder, &grade_err, "%s/all", grade_work));
    DIR *entries = opendir(folder);
    struct dirent *item;
    while (entries && count < MOST && (item = readdir(entries)))
        if (strstr(item->d_name, ".cu"))
            missed[count++] = expect_one_missed(lab, folder, item->d_name);
    if (entries) closedir(entries);
    for (int s = 0; s < lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &lab->rubric->steps[s];
        for (int c = 0; c < step->criteria_count; c++) {
            if (step->criteria[c].kind != LADDER_CRITERION_COUNT &&
                step->criteria[c].kind != LADDER_CRITERION_CASES)
                continue;
            int at = 0;
            while (at < count && missed[at] != &step->criteria[c]) at++;
            EXPECT(at < count, "step %d, criterion %d: no kernel in lazy/%s.edits misses it",
                   step->step, c + 1, lab->folder);
        }
    }
}

// By the limits that everybody has, an endless loop is stopped within its first case: a kernel's by
// what it executes, one of host code by its processor time between launches, not by the clock.
static void endless_loops_are_stopped_early(void) {
    const double most_instructions = 40e6;
    sim_progress simulated = {0};
    char path[LADDER_PATH], *text;
    grade_must(ladder_path(path, &grade_err, "%s/simulated", grade_work));
    setenv("LADDER_SIM_PROGRESS", path, 1);
    grade_must(ladder_path(path, &grade_err, "%s/all/1_endless_kernel.cu", grade_work));
    const char *arguments[] = {path, NULL};
    EXPECT(grade(arguments) == 0, "grading an endless kernel");
    FILE *counted = fopen(getenv("LADDER_SIM_PROGRESS"), "re");
    EXPECT(counted && fread(&simulated, sizeof simulated, 1, counted) == 1, "nothing was counted");
    if (counted) fclose(counted);
    double executed = (double)atomic_load(&simulated.warp_instructions);
    printf("an endless kernel: %.0f warp instructions\n", executed);
    EXPECT(executed > 0 && executed < most_instructions, "%.0f warp instructions", executed);

    grade_must(ladder_path(path, &grade_err, "%s/all/1_endless_host.cu", grade_work));
    EXPECT(grade(arguments) == 0, "grading an endless loop of host code");
    grade_must(ladder_path(path, &grade_err, "%s/results/submissions/1_endless_host.cu/report.txt",
                           grade_work));
    text = read_file(path);
    EXPECT(strstr(text, "no answer within 5 s"), "%s", text);
    free(text);
}

static void faults_have_their_verdicts(const ladder_lab *lab) {
    char folder[LADDER_PATH];
    (void)lab;
    write_kernels("faults", folder);
    const char *memory = "1G"; // room for a compiler that reads CUB
    const char *arguments[] = {
        "--submissions", folder, "--case-limit", "10", "--build-limit", "60", "--memory",
        memory,          NULL};
    EXPECT(grade(arguments) == 0, "grading the faults");
    expect_outcomes(folder, true);
    endless_loops_are_stopped_early();
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
    char *good = grade_read_solution(&lab->rubric->steps[3]);
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
    grade_must(ladder_path(in, &grade_err, "%s/in", grade_work));
    grade_must(ladder_path(path, &grade_err, "%s/in/part/4_first_add.cu", grade_work));
    EXPECT(symlink("/etc/passwd", path) == 0, "symlink");
    grade_must(ladder_path(path, &grade_err, "%s/in/part/5_shuffle.cu", grade_work));
    EXPECT(mkfifo(path, 0600) == 0, "mkfifo");
    grade_must(ladder_path(path, &grade_err, "%s/in/outside", grade_work));
    EXPECT(symlink("/", path) == 0, "symlink");

    const char *arguments[] = {"--submissions", in, "--quick", "--jobs", "2", NULL};
    EXPECT(grade(arguments) == 1, "grading a mixed class");
    expect_step("part", 3, LADDER_CORRECT);
    expect_step("part", 1, LADDER_COMPILE_ERROR);
    expect_step("part", 2, LADDER_EMPTY_FILE);
    expect_step("part", 4, LADDER_REFUSED_FILE);
    expect_step("part", 5, LADDER_REFUSED_FILE);
    expect_step("part", 6, LADDER_NOT_SUBMITTED);
    expect_step("crlf", 3, LADDER_CORRECT);
    expect_step("outside", 3, LADDER_UNREADABLE);
    ladder_submission_id(strchr(odd_name, '/') + 1, id);
    expect_step(id, 3, LADDER_CORRECT);
    grade_must(ladder_path(path, &grade_err, "%s/results/summary.csv", grade_work));
    char *csv = NULL;
    grade_must(ladder_file_read(AT_FDCWD, path, 1 << 20, &csv, NULL, &grade_err));
    EXPECT(strstr(csv, "\"'=evil?<b>&?[31m\""), "summary.csv:\n%s", csv);
    free(csv);

    // Resumed: what is finished is left as it is, what changed is graded again.
    ladder_row before, after;
    struct stat first, second;
    grade_must(ladder_path(path, &grade_err, "%s/results/class/crlf.row", grade_work));
    EXPECT(read_row("part", &before) && stat(path, &first) == 0, "rows");
    write_file("in/part/1_interleaved.cu", "this is no C either\n");
    const char *again[] = {"--submissions", in, "--quick", "--resume", NULL};
    EXPECT(grade(again) == 1, "resuming");
    EXPECT(read_row("part", &after) && stat(path, &second) == 0, "rows");
    EXPECT(strcmp(before.hash, after.hash) != 0, "the changed submission was not graded again");
    EXPECT(before.points.reached == after.points.reached, "the same files have %g and %g points",
           before.points.reached, after.points.reached);
    EXPECT(first.st_mtim.tv_nsec == second.st_mtim.tv_nsec && first.st_ino == second.st_ino,
           "an unchanged submission was graded again");
    free(good);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(const ladder_lab *lab);
    } tests[] = {
        {"solution", solution_scores_all},      {"skeleton", skeleton_scores_its_given_step},
        {"wrong", wrong_kernels_are_caught},    {"lazy", lazy_kernels_miss_a_criterion},
        {"faults", faults_have_their_verdicts}, {"class", a_mixed_class_is_graded_and_resumed},
        {"clock", grade_clock_works},           {"rotation", grade_timed_inputs}};
    grade_full = argc == 4 && strcmp(argv[3], "full") == 0;
    grade_lab = argc == (grade_full ? 4 : 3) ? ladder_lab_find(argv[1]) : NULL;
    bool ran = false;
    grade_must(ladder_folder_temporary(grade_work, &grade_err));
    for (size_t i = 0; grade_lab && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[2], tests[i].name) != 0) continue;
        tests[i].run(grade_lab);
        ran = true;
    }
    ladder_folder_remove(grade_work);
    if (!ran)
        fprintf(stderr,
                "usage: ladder_grade_test LAB solution|skeleton|wrong|lazy|faults|class|clock|"
                "rotation [full]\n");
    if (grade_failures > 0) fprintf(stderr, "%d expectations failed\n", grade_failures);
    return ran && grade_failures == 0 ? 0 : 1;
}
