// Protects the promise of the page on attacks: what a defence stops gets through without it. Each
// attack of a class (../README.md) is run twice: with all defences on it must have the outcome that
// its heading names, gain nothing and leave the machine clean; with those that it names switched
// off it must gain what it is after, otherwise they are not what stops it.
//   attack_test CLASS [full | programs | NAME]     without: all programs and a sample of the
//                                                  sources
#include <sys/mman.h>
#include <sys/prctl.h>

#include "tests/support/defence_switch.h"
#include "tests/support/await.h"
#include "tests/support/expected.h"
#include "attacks.h"

enum {
    SAMPLE = 4,             // sources of a class in the default tier
    RUN_LIMIT_S = 4 * 3600, // of one attack, on the slowest machine
    HOLD_LIMIT_S = 25       // the same when it shall hold the grader up
};

static kl_error err;
static int failures;
static char top[LADDER_PATH]; // work of all attacks
static ladder_kit kit;

// What one run of an attack came to.
typedef struct trial {
    bool ended, gained;
    bool late; // still running after RUN_LIMIT_S
    bool skipped;
    int code, survivors, left_files;
    char how[256];
} trial;

// Shared with the process that runs the attack.
static struct shared {
    bool gained;
    attack_end end;
} * shared;

static void fail(const attack *a, const char *what, const char *detail) {
    failures++;
    fprintf(stderr, "FAILED: %s/%s: %s%s%s\n", a->class_name, a->name, what,
            detail[0] != '\0' ? ": " : "", detail);
}

static void put_file(const char *path, const char *text) {
    char folder[LADDER_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    ATTACK_MUST(ladder_folder_make(folder, &err) == KL_OK &&
                    ladder_file_write(path, text, strlen(text), &err) == KL_OK,
                "%s", err.text);
}

static const attack_row *find_program(const attack *a) {
    for (const attack_row *row = attack_rows; row->name; row++)
        if (strcmp(row->name, a->name) == 0 && strcmp(row->class_name, a->class_name) == 0)
            return row;
    return NULL;
}

static bool source_gained(const attack *a, const attack_setup *setup, int survivors) {
    char path[LADDER_PATH];
    int points_at = -1;
    const ladder_row *row = &shared->end.row;
    for (int i = 0; i < row->step_count; i++)
        if (row->steps[i].step == a->step) points_at = i;
    double points = points_at >= 0 ? row->steps[points_at].points : 0;
    switch (a->gain) {
    case ATTACK_GAIN_POINTS: return points > 0;
    case ATTACK_GAIN_FULL_POINTS: return points > 0 && points >= row->steps[points_at].points_max;
    case ATTACK_GAIN_SECRET:
        ladder_path(path, NULL, "%s/results", setup->work);
        if (attack_folder_holds(path, attack_secret)) return true;
        ladder_path(path, NULL, "%s/drop", top);
        return attack_folder_holds(path, attack_secret);
    case ATTACK_GAIN_WRITES: attack_drop_path(setup, path); return ladder_file_exists(path);
    case ATTACK_GAIN_SURVIVES: return survivors > 0;
    case ATTACK_GAIN_UNGRADABLE:
        return points_at >= 0 && row->steps[points_at].outcome == LADDER_UNGRADABLE;
    default: return false;
    }
}

// In the process of the attack.
static void run_source(const attack *a, const attack_setup *setup) {
    char path[LADDER_PATH];
    bool whole =
        a->gain == ATTACK_GAIN_FULL_POINTS; // the parent's, unless its cases are others now
    const ladder_grade_plan *plan = attack_plan(&kit, a->lab, whole, &err);
    ATTACK_MUST(plan, "%s", err.text);
    const char *file = attack_step_file(a, &err);
    char *text = attack_source(a, setup, &err);
    ATTACK_MUST(text && file, "%s", err.text);
    ladder_path(path, NULL, "%s/in/%s", setup->work, file);
    put_file(path, text);
    free(text);
    ATTACK_MUST(attack_grade(setup, plan, path, a->limit_s,
                             is_one_of(a->expect, outcome_id(LADDER_BUILD_LIMIT)), &shared->end,
                             &err) == KL_OK,
                "%s", err.text);
}

static void run_child(const attack *a, attack_setup *setup, bool on) {
    char private_folder[LADDER_PATH];
    ladder_path(private_folder, NULL, "%s/tmp", setup->work);
    ATTACK_MUST(ladder_folder_make(private_folder, &err) == KL_OK, "%s", err.text);
    setenv("TMPDIR", private_folder, 1);
    for (int i = 0; i < a->defence_count; i++) defence_switch(a->defences[i], on);
    if (a->is_program) shared->gained = find_program(a)->run(setup);
    else run_source(a, setup);
    fflush(NULL);
    _Exit(0);
}

static void pause_ms(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static void wait_for(pid_t pid, double limit_s, trial *t) {
    double until = kl_now_s() + limit_s;
    int status = 0;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (kl_now_s() > until) {
            t->late = true;
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            break;
        }
        pause_ms(5);
    }
    t->ended = !t->late && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    t->skipped = !t->late && WIFEXITED(status) && WEXITSTATUS(status) == ATTACK_EXIT_SKIPPED;
    t->code = status;
}

static trial run(const attack *a, bool on) {
    trial t = {.ended = false};
    attack_setup setup = {.kit = &kit, .gone_s = on ? AWAIT_GONE_S : AWAIT_STAYS_S};
    char path[LADDER_PATH];
    ladder_path(setup.work, NULL, "%s/work", top);
    ladder_path(path, NULL, "%s/drop", top);
    ladder_folder_remove(setup.work);
    ladder_folder_remove(path);
    ATTACK_MUST(ladder_folder_make(setup.work, &err) == KL_OK &&
                    ladder_folder_make(path, &err) == KL_OK,
                "%s", err.text);
    attack_secret_path(&setup, path);
    put_file(path, attack_secret);
    memset(shared, 0, sizeof *shared);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) run_child(a, &setup, on);
    wait_for(pid, !on && a->gain == ATTACK_GAIN_HOLDS ? HOLD_LIMIT_S : RUN_LIMIT_S, &t);
    t.survivors = !await(no_child_is_left, NULL, setup.gone_s);
    t.gained = a->gain == ATTACK_GAIN_HOLDS ? t.late
               : a->is_program              ? shared->gained
                                            : source_gained(a, &setup, t.survivors);
    ladder_path(path, NULL, "%s/tmp", setup.work);
    t.left_files = attack_folder_entries(path);
    ladder_path(path, NULL, "%s/private", setup.work);
    t.left_files += attack_folder_entries(path);
    ladder_process_kill_descendants(NULL, 0, 5.0); // of an attack that was let through
    return t;
}

static const char *step_outcome(const attack *a) {
    for (int i = 0; i < shared->end.row.step_count; i++)
        if (shared->end.row.steps[i].step == a->step)
            return outcome_id(shared->end.row.steps[i].outcome);
    return "none";
}

// False when this machine cannot show it.
static bool try_on(const attack *a) {
    trial t = run(a, true);
    if (t.skipped) return false;
    char text[160];
    const char *outcome = step_outcome(a);
    if (!t.ended) {
        snprintf(text, sizeof text, "wait status %d%s", t.code, t.late ? ", out of time" : "");
        fail(a, t.late ? "the grader is held up" : "the grader itself did not end well", text);
        return true;
    }
    if (t.gained) fail(a, "with all defences on it", a->gain_text);
    if (t.survivors > 0) fail(a, "a process is left", "");
    if (t.left_files > 0) fail(a, "private folders are left", "");
    if (!a->is_program && !shared->end.finished) fail(a, "it was not graded", "");
    if (!a->is_program && shared->end.finished && !is_one_of(a->expect, outcome)) {
        snprintf(text, sizeof text, "%s instead of %.100s", outcome, a->expect);
        fail(a, "outcome", text);
    }
    return true;
}

static void try_off(const attack *a) {
    if (a->defence_count == 0) return;
    trial t = run(a, false);
    if (t.gained) return;
    char text[400] = "";
    for (int i = 0; i < a->defence_count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i > 0 ? " and " : "",
                 attack_defence_name(a->defences[i]));
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, " off: not \"%.120s\"%s%s", a->gain_text,
             a->is_program ? "" : ", outcome ", a->is_program ? "" : step_outcome(a));
    fail(a, "something else stops it", text);
}

static bool try_attack(const attack *a) {
    int before = failures;
    double start = kl_now_s();
    if (a->is_program && !find_program(a)) {
        fail(a, "no function of this name was found when the build was configured", "");
        return false;
    }
    if (!a->is_program && a->gain == ATTACK_GAIN_OTHER) {
        fail(a, "a source gains one of gains.def", a->gain_text);
        return false;
    }
    if (!a->is_program) {
        if (!attack_plan(&kit, a->lab, a->gain == ATTACK_GAIN_FULL_POINTS, &err)) {
            fail(a, "no judge", err.text);
            return false;
        }
    }
    bool shown = try_on(a);
    if (shown) try_off(a);
    const char *state = failures != before ? "FAILED" : shown ? "ok" : "skip";
    printf("%-6s %s/%s (%.1f s)\n", state, a->class_name, a->name, kl_now_s() - start);
    fflush(stdout);
    return failures == before;
}

int main(int argc, char **argv) {
    const char *which = argc > 2 ? argv[2] : "sample";
    bool full = strcmp(which, "full") == 0, programs = strcmp(which, "programs") == 0;
    bool one = argc > 2 && !full && !programs;
    attack *list = NULL;
    size_t count = 0;
    int tried = 0, sources = 0, seen = 0;
    char folder[LADDER_PATH];
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: attack_test CLASS [full | programs | NAME]\n");
        return 2;
    }
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    ladder_path(folder, NULL, "%s/autograder/tests/attacks", TEST_SOURCE_DIR);
    ATTACK_MUST(shared != MAP_FAILED && ladder_folder_temporary(top, &err) == KL_OK &&
                    attack_find(folder, &list, &count, &err) == KL_OK,
                "%s", err.text);
    for (size_t i = 0; i < count; i++)
        sources += strcmp(list[i].class_name, argv[1]) == 0 && !list[i].is_program;
    for (size_t i = 0; i < count; i++) {
        const attack *a = &list[i];
        if (strcmp(a->class_name, argv[1]) != 0) continue;
        if (one && strcmp(which, a->name) != 0) continue;
        if (programs && !a->is_program) continue;
        // Of the sources every one whose share of the sample begins with it.
        bool chosen = a->is_program || seen * SAMPLE / sources != (seen + 1) * SAMPLE / sources ||
                      sources <= SAMPLE;
        seen += !a->is_program;
        if (!full && !one && (!chosen || a->full_only)) continue;
        try_attack(a);
        tried++;
    }
    free(list);
    ladder_folder_remove(top);
    printf("%d attacks of the class %s were tried, %d expectations failed\n", tried, argv[1],
           failures);
    return failures == 0 && tried > 0 ? 0 : 1;
}
