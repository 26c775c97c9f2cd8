// What the grader is held to, counted:
//   ladder_targets_test honest COUNT [LAB ..]   right steps are graded COUNT times: none is accused
//   ladder_targets_test kills COUNT             a class run is killed COUNT times and resumed:
//                                               nothing is lost, counted twice or changed
// With --store FILE before these words what was counted is kept after every lab or class, and the
// same command goes on from there until FILE has COUNT; --from N (a unit of targets_store.h)
// leaves out what another machine counts. Without a device, on the simulator. The tests of the
// default tier count to small numbers; the numbers of the documents are those of docs/targets.json.
#include <signal.h>
#include <sys/prctl.h>

#include "course/class/class.h"
#include "random.h"
#include "tests/support/await.h"
#include "targets_store.h"

enum { CLASS_SIZE = 10, INSTRUCTIONS = 100000000, MEMORY = 2047 << 20 };

static kl_error err;
static char top[LADDER_PATH];
static ladder_kit kit;
static uint64_t drawn; // random numbers used so far
static targets_store store;
static targets_row *row; // of it, that grows

static void must(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "cannot go on: %s: %s\n", what, err.text);
    exit(1);
}

static double random_share(void) {
    return (double)(kl_random_fork(20253, drawn++) >> 11) / (double)(UINT64_C(1) << 53);
}

static ladder_grade_plan make_plan(const ladder_lab *lab, ladder_cases *cases, uint64_t seed,
                                   ladder_step_cache *cache) {
    char folder[LADDER_PATH];
    must(ladder_path(folder, &err, "%s/compiled", top) == KL_OK &&
             ladder_step_cache_open(folder, false, cache, &err) == KL_OK &&
             ladder_cases_make(lab, seed, true, cases, &err) == KL_OK,
         lab->folder);
    return (ladder_grade_plan){.kit = &kit,
                               .lab = lab,
                               .cases = cases,
                               .build_s = 120,
                               .case_s = 120,
                               .instructions = INSTRUCTIONS,
                               .memory_bytes = MEMORY,
                               .threads = 1,
                               .compiled = cache};
}

// The rubric with correctness alone: what a student can be accused of.
static void take_correctness(const ladder_lab *from, ladder_lab *lab, ladder_rubric *rubric,
                             ladder_rubric_step *steps) {
    *rubric = *from->rubric;
    *lab = *from;
    lab->rubric = rubric;
    for (int i = 0; i < rubric->step_count; i++) {
        steps[i] = rubric->steps[i];
        steps[i].criteria_count = 1;
    }
    rubric->steps = steps;
}

// One grading of a lab's solution with inputs of its own; returns how many steps were graded.
static int grade_solution(const ladder_lab *of, uint64_t seed, int *accused) {
    ladder_lab lab;
    ladder_rubric rubric;
    ladder_rubric_step steps[LADDER_STEPS_MAX];
    ladder_cases cases;
    ladder_step_cache cache;
    char output[LADDER_PATH], work[LADDER_PATH];
    take_correctness(of, &lab, &rubric, steps);
    ladder_grade_plan plan = make_plan(&lab, &cases, seed, &cache);
    ladder_submission submission = {.id = "honest", .title = "honest"};
    must(ladder_path(submission.path, &err, "%s/solutions/%s", kit.source, lab.folder) == KL_OK &&
             ladder_path(output, &err, "%s/results", top) == KL_OK &&
             ladder_path(work, &err, "%s/work", top) == KL_OK &&
             ladder_folder_make(output, &err) == KL_OK && ladder_folder_make(work, &err) == KL_OK,
         "folders");
    ladder_class class = {.plan = &plan,
                          .submissions = &submission,
                          .count = 1,
                          .output = output,
                          .work = work,
                          .device = "simulated",
                          .jobs = 1};
    ladder_row row;
    must(ladder_class_run(&class, &row, &err) == KL_OK && row.done, "the class run");
    for (int i = 0; i < row.step_count; i++) {
        if (row.steps[i].outcome == LADDER_CORRECT) continue;
        ++*accused;
        printf("accused: %s step %d: %s (seed %llu)\n", lab.folder, row.steps[i].step,
               ladder_outcome_word(row.steps[i].outcome), (unsigned long long)seed);
    }
    ladder_cases_free(&cases);
    return row.step_count;
}

static bool is_named(const ladder_lab *lab, char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (ladder_lab_find(names[i]) == lab) return true;
    return count == 0;
}

// How many there are by now, also those of earlier runs that the store has.
static int counted(void) {
    int watched;
    return targets_store_total(&store, row->kind, &watched).done;
}

static void keep(void) { must(targets_store_write(&store, &err) == KL_OK, "the store"); }

static bool count_honest(int wanted, char *const *names, int name_count) {
    double start = kl_now_s();
    bool any = false;
    for (int l = 0; l < ladder_lab_count; l++)
        any = any || is_named(&ladder_labs[l], names, name_count);
    must(any, "no such lab");
    while (counted() < wanted) {
        uint64_t seed = 1 + row->next / (uint64_t)ladder_lab_count;
        const ladder_lab *lab = &ladder_labs[row->next % (uint64_t)ladder_lab_count];
        row->next++;
        if (!is_named(lab, names, name_count)) continue;
        row->done += grade_solution(lab, kl_random_fork(77, seed), &row->wrong);
        keep();
        fprintf(stderr, "%d graded, %d accused here, %.0f s\n", counted(), row->wrong,
                kl_now_s() - start);
    }
    printf("honest gradings of a step: %d, accused: %d\n", row->done, row->wrong);
    return row->wrong == 0;
}

// What a class run shares with the process that kills it.
typedef struct class_case {
    ladder_submission list[CLASS_SIZE];
    ladder_grade_plan plan;
    char output[LADDER_PATH], work[LADDER_PATH];
} class_case;

// Submissions of many kinds that are graded in moments, and two whose kernels run.
static void make_class(class_case *c, const ladder_lab *lab) {
    static const char *const kinds[] = {" ", "this is no C\n", ""};
    char path[LADDER_PATH], *solution = NULL;
    must(ladder_path(path, &err, "%s/solutions/%s/steps/%s", kit.source, lab->folder,
                     lab->rubric->steps[1].file) == KL_OK &&
             ladder_file_read(AT_FDCWD, path, 1 << 20, &solution, NULL, &err) == KL_OK,
         "the solution");
    for (int i = 0; i < CLASS_SIZE; i++) {
        ladder_submission *s = &c->list[i];
        const char *text = i < 2 ? solution : i == 2 ? kinds[1] : kinds[i % 2 * 2];
        snprintf(s->id, sizeof s->id, "student%d", i);
        snprintf(s->title, sizeof s->title, "student %d", i);
        must(ladder_path(s->path, &err, "%s/in/%s", top, s->id) == KL_OK &&
                 ladder_folder_make(s->path, &err) == KL_OK &&
                 ladder_path(path, &err, "%s/%s", s->path, lab->rubric->steps[1].file) == KL_OK &&
                 ladder_file_write(path, text, strlen(text), &err) == KL_OK,
             "a submission");
    }
    free(solution);
}

static kl_status run_class(class_case *c, bool resume, ladder_row *rows) {
    ladder_class class = {.plan = &c->plan,
                          .submissions = c->list,
                          .count = CLASS_SIZE,
                          .output = c->output,
                          .work = c->work,
                          .device = "simulated",
                          .jobs = 2,
                          .resume = resume};
    must(ladder_folder_make(c->output, &err) == KL_OK && ladder_folder_make(c->work, &err) == KL_OK,
         "folders");
    return ladder_class_run(&class, rows, &err);
}

static void be_quiet(void) {
    int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(null_fd, STDERR_FILENO);
}

static void pause_s(double seconds) {
    nanosleep(&(struct timespec){.tv_sec = (time_t)seconds,
                                 .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))},
              NULL);
}

// Prints the first of the children that are left, with its command line and what it waits in.
static void tell_left(void) {
    char path[LADDER_PATH], command[256] = "", state[64] = "";
    int pid = 0;
    FILE *children = fopen("/proc/thread-self/children", "re");
    if (!children) return;
    bool any = fscanf(children, "%d", &pid) == 1;
    fclose(children);
    if (!any) return;
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "re");
    size_t bytes = file ? fread(command, 1, sizeof command - 1, file) : 0;
    for (size_t i = 0; i + 1 < bytes; i++)
        if (command[i] == '\0') command[i] = ' ';
    if (file) fclose(file);
    snprintf(path, sizeof path, "/proc/%d/wchan", pid);
    file = fopen(path, "re");
    if (file && !fgets(state, sizeof state, file)) state[0] = '\0';
    if (file) fclose(file);
    printf("left: %d, %s, in %s\n", pid, command, state);
}

// Whether all children, of whatever depth, have gone.
static bool all_gone(void) {
    bool gone = await(no_child_is_left, NULL, AWAIT_GONE_S);
    if (!gone) tell_left();
    return gone;
}

// Starts the class and kills it after `seconds`, unless it ends before. True when it was killed.
static bool run_and_kill(class_case *c, bool resume, double seconds, int *left_over) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        ladder_row rows[CLASS_SIZE];
        be_quiet();
        _exit(run_class(c, resume, rows) == KL_OK ? 0 : 1);
    }
    must(pid > 0, "fork");
    double until = kl_now_s() + seconds;
    int status = 0;
    while (kl_now_s() < until && waitpid(pid, &status, WNOHANG) == 0) pause_s(0.001);
    bool ended = waitpid(pid, &status, WNOHANG) != 0;
    if (!ended) {
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    *left_over += !all_gone();
    return !ended;
}

static bool same_rows(const ladder_row *a, const ladder_row *b) {
    bool same = strcmp(a->id, b->id) == 0 && strcmp(a->hash, b->hash) == 0 && a->done == b->done &&
                a->points.graded == b->points.graded && a->points.reached == b->points.reached &&
                a->points.most == b->points.most && a->step_count == b->step_count;
    for (int i = 0; same && i < a->step_count; i++) {
        same =
            a->steps[i].outcome == b->steps[i].outcome && a->steps[i].points == b->steps[i].points;
    }
    return same;
}

// Kills one class run after the other until `wanted` have been killed; after some kills each it
// ends undisturbed and must come to what a run without kills came to.
static bool count_kills(int wanted) {
    enum { KILLS_EACH = 8, TELL_EACH = 20 }; // kills, class runs
    static class_case c;                     // large
    static ladder_row first[CLASS_SIZE], rows[CLASS_SIZE];
    const ladder_lab *of = ladder_lab_find("02_reduction");
    ladder_lab lab;
    ladder_rubric rubric;
    ladder_rubric_step steps[LADDER_STEPS_MAX];
    ladder_cases cases;
    ladder_step_cache cache;
    take_correctness(of, &lab, &rubric, steps);
    c.plan = make_plan(&lab, &cases, 5, &cache);
    c.plan.first_failure = true;
    make_class(&c, &lab);
    must(ladder_path(c.output, &err, "%s/results", top) == KL_OK &&
             ladder_path(c.work, &err, "%s/work", top) == KL_OK,
         "paths");
    be_quiet();
    must(run_class(&c, false, first) == KL_OK, "the first run"); // compiles
    ladder_folder_remove(c.output);
    double start = kl_now_s(), usual_s;
    must(run_class(&c, false, first) == KL_OK, "the run without kills");
    usual_s = kl_now_s() - start;
    int classes = 0;
    while (counted() < wanted) {
        int kills = 0, missing = wanted - counted(), left_over = 0;
        drawn = row->next * KILLS_EACH; // the same kills, wherever the counting began
        ladder_folder_remove(c.output);
        for (int i = 0; i < KILLS_EACH && kills < missing; i++)
            kills += run_and_kill(&c, i > 0, random_share() * usual_s, &left_over);
        memset(rows, 0, sizeof rows);
        must(run_class(&c, true, rows) == KL_OK, "the last resume");
        for (int i = 0; i < CLASS_SIZE; i++) row->wrong += !same_rows(&first[i], &rows[i]);
        row->done += kills;
        row->left += left_over;
        row->next++;
        keep();
        if (++classes % TELL_EACH == 0) {
            printf("%d kills, %d rows changed here\n", counted(), row->wrong);
            fflush(stdout);
        }
    }
    ladder_cases_free(&cases);
    printf("kills: %d in %d class runs of %d submissions, rows lost or changed: %d, kills after "
           "which a process was left: %d\n",
           row->done, classes, CLASS_SIZE, row->wrong, row->left);
    return row->wrong == 0 && row->left == 0;
}

// Takes the options away that stand before the words. False when there is an unknown one.
static bool take_options(int *argc, char ***argv, int64_t *out_from) {
    *out_from = -1;
    for (; *argc > 2 && strncmp((*argv)[1], "--", 2) == 0; *argc -= 2, *argv += 2) {
        const char *name = (*argv)[1], *value = (*argv)[2];
        if (strcmp(name, "--store") == 0)
            must(targets_store_read(value, &store, &err) == KL_OK, value);
        else if (strcmp(name, "--from") == 0) *out_from = strtoll(value, NULL, 10);
        else return false;
    }
    return true;
}

int main(int argc, char **argv) {
    int64_t from = -1;
    bool options = take_options(&argc, &argv, &from);
    int count = argc > 2 ? atoi(argv[2]) : 0;
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    bool honest = argc > 2 && strcmp(argv[1], "honest") == 0;
    if (!options || count <= 0 || (!honest && strcmp(argv[1], "kills") != 0)) {
        fprintf(stderr,
                "usage: ladder_targets_test [--store FILE] [--from N] honest COUNT [LAB ..] "
                "| kills COUNT\n");
        return 2;
    }
    row = targets_store_row(&store, honest ? "honest" : "kills", from);
    must(row, "the store has too many rows");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    must(ladder_folder_temporary(top, &err) == KL_OK, "a folder");
    bool good = honest ? count_honest(count, argv + 3, argc - 3) : count_kills(count);
    ladder_folder_remove(top);
    return good ? 0 : 1;
}
