// SPDX-License-Identifier: MIT
// Protects the promise that no step earns what is a later step's own: the solution of every step is
// put into every later slot of its lab, and so is every lazy kernel. Right answers earn it the
// points for correctness; of those on counts and on modelled time it must earn none. In its own
// slot a solution must earn them all, and a lazy kernel all but the one that it says it misses.
//   ladder_matrix_test LAB [full]
// One call of each solution on each case that any later slot measures gives the counts by which all
// later slots are judged. In slots that serve other families of cases as well it must first give
// right answers there. Lazy kernels are compiled, a sample of them unless the test is full; of a
// lab with many steps every second solution is tried then.
// Ends with the processor time of it all, which budget.awk adds up.
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/edit.h"
#include "grade/points/score.h"
#include "utilities/devices.h"
#include "utilities/files.h"
#include "tests/support/processor_time.h"
#include "grade/submission/build_step.h"

enum {
    LAZY_SAMPLE = 2,  // lazy kernels that are tried unless all are
    STEPS_SAMPLE = 8, // of more steps every second one is tried unless all are
    CASES_MAX = 64
};

static kl_error err;
static char work[LADDER_PATH];
static int holes, lost, cells, counted_runs;

// The factor by which a step's modelled time may differ from that in modelled.json: rows of random
// lengths differ from seed to seed. More only as far as it earns nothing.
#define SAME_TIME 1.15

static void must(kl_status status) {
    if (status == KL_OK) return;
    fprintf(stderr, "cannot go on: %s\n", err.text);
    exit(1);
}

// What a kernel did on the cases tried so far.
typedef struct trial {
    const ladder_grade_plan *plan;
    const ladder_rubric_step *step; // whose symbols the object has
    const char *object;
    const char *name; // "step 3", "3_lazy"
    ladder_step_result *result;
    int count;
    struct {
        const ladder_case *item;
        bool right;
        ladder_counts counts;
    } cases[CASES_MAX];
} trial;

// Runs the kernel on a case once; later calls know the result. NULL: its answer is wrong.
static const ladder_counts *try_case(trial *t, const ladder_case *item) {
    for (int i = 0; i < t->count; i++)
        if (t->cases[i].item == item) return t->cases[i].right ? &t->cases[i].counts : NULL;
    if (t->count == CASES_MAX) {
        kl_fail(&err, KL_ERROR_LIMIT, "more than %d cases", CASES_MAX);
        must(KL_ERROR_LIMIT);
    }
    ladder_case_end end;
    ladder_counts *counts = &t->cases[t->count].counts;
    char folder[LADDER_PATH]; // apart from the objects, as in a grading
    must(ladder_path(folder, &err, "%s/run", work));
    must(ladder_folder_make(folder, &err));
    const ladder_submission_run run = {.plan = t->plan,
                                       .step = t->step,
                                       .object = t->object,
                                       .step_folder = folder,
                                       .step_result = t->result};
    ladder_measure_counts(&run, item, &end, counts);
    counted_runs++;
    if (end.outcome == LADDER_UNGRADABLE) {
        kl_fail(&err, KL_ERROR_SYSTEM, "%s, %s: %.300s", t->name, item->title, end.text);
        must(KL_ERROR_SYSTEM);
    }
    t->cases[t->count].item = item;
    t->cases[t->count].right = end.outcome == LADDER_CORRECT;
    t->count++;
    return end.outcome == LADDER_CORRECT ? counts : NULL;
}

// Whether a kernel for one step gives right answers in another one's slot: families that both serve
// are known, of the others its smallest case with work tells.
static bool is_right_in(trial *t, const ladder_rubric_step *slot) {
    const ladder_cases *cases = t->plan->cases;
    const kl_problem *problem = t->plan->lab->problem;
    for (int family = 0; family < problem->family_count; family++) {
        if (!kl_problem_serves(problem, family, slot->step) ||
            kl_problem_serves(problem, family, t->step->step))
            continue;
        const ladder_case *first = NULL;
        for (int i = 0; i < cases->count && !first; i++) {
            const kl_case *shape = &cases->items[i].data.shape;
            if (shape->family == family && shape->size > 1) first = &cases->items[i];
        }
        if (first && !try_case(t, first)) return false;
    }
    return true;
}

static const ladder_counts *find_counts(void *context, const char *family, int64_t size) {
    trial *t = context;
    return try_case(t, ladder_cases_find(t->plan->cases, family, size));
}

// What a kernel earns of a slot's criteria on counts and modelled times. False when it is wrong
// there: then it earns nothing.
static bool score_slot(trial *t, const ladder_rubric_step *slot,
                       ladder_criterion_result out[LADDER_CRITERIA_MAX]) {
    memset(out, 0, LADDER_CRITERIA_MAX * sizeof *out);
    for (int c = 0; c < slot->criteria_count; c++) {
        const ladder_criterion *criterion = &slot->criteria[c];
        const ladder_modelled *modelled =
            ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
        if (criterion->kind != LADDER_CRITERION_COUNT && !modelled) continue;
        if (!ladder_score_counts(criterion, modelled, find_counts, t, &out[c]) ||
            !is_right_in(t, slot))
            return false;
        if (modelled) out[c].points = out[c].modelled_points;
    }
    ladder_score_close(slot, out, slot->criteria_count);
    return true;
}

// One cell of the matrix, above its diagonal.
static void try_slot(trial *t, const ladder_rubric_step *slot) {
    ladder_criterion_result out[LADDER_CRITERIA_MAX];
    cells++;
    if (!score_slot(t, slot, out)) return;
    for (int c = 0; c < slot->criteria_count; c++) {
        const ladder_criterion *criterion = &slot->criteria[c];
        if (!(out[c].points > 0)) continue;
        holes++;
        printf("%s earns %.2f of %g points in the slot of step %d, criterion %d: %s: %.4g\n",
               t->name, out[c].points, criterion->points, slot->step, c + 1, criterion->text,
               criterion->kind == LADDER_CRITERION_SPEED ? out[c].modelled : out[c].value);
    }
}

// The diagonal: in its own slot a solution earns everything.
static void try_own_slot(trial *t) {
    ladder_criterion_result out[LADDER_CRITERIA_MAX];
    bool right = score_slot(t, t->step, out);
    for (int c = 0; c < t->step->criteria_count; c++) {
        const ladder_criterion *criterion = &t->step->criteria[c];
        bool graded = criterion->kind == LADDER_CRITERION_COUNT ||
                      ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
        if (!graded || (right && out[c].points == criterion->points)) continue;
        lost++;
        printf("%s earns %.2f of its %g points, criterion %d: %s\n", t->name, out[c].points,
               criterion->points, c + 1, criterion->text);
    }
}

// The modelled times of this step that speed criteria are held against are still what it takes.
static void try_baselines(trial *t) {
    const ladder_rubric *rubric = t->plan->lab->rubric;
    const sim_device *device = ladder_device_simulated();
    for (int s = 0; s < rubric->step_count; s++) {
        for (int c = 0; c < rubric->steps[s].criteria_count; c++) {
            const ladder_criterion *criterion = &rubric->steps[s].criteria[c];
            const ladder_modelled *modelled = ladder_criterion_modelled(criterion, device->name);
            if (!modelled || criterion->over != t->step->step) continue;
            const ladder_counts *counts = find_counts(t, criterion->family, modelled->size);
            double us = counts ? ladder_call_us(counts, device) : NAN;
            double factor = fmax(us / modelled->over_us, modelled->over_us / us);
            if (factor <= fmax(SAME_TIME, modelled->zero)) continue;
            lost++;
            printf("%s takes %.6g us where modelled.json says %.6g: run ladder run LAB --solution "
                   "--device NAME --json FILE and ladder tables\n",
                   t->name, us, modelled->over_us);
        }
    }
}

static void try_later_slots(trial *t) {
    const ladder_rubric *rubric = t->plan->lab->rubric;
    t->count = 0;
    for (int s = 0; s < rubric->step_count; s++)
        if (rubric->steps[s].step > t->step->step) try_slot(t, &rubric->steps[s]);
}

static void try_solutions(trial *t, bool full) {
    const ladder_lab *lab = t->plan->lab;
    char object[LADDER_PATH], name[32];
    int stride = full || lab->rubric->step_count <= STEPS_SAMPLE ? 1 : 2;
    for (int s = 0; s < lab->rubric->step_count; s += stride) {
        t->step = &lab->rubric->steps[s];
        must(ladder_path(object, &err, "%s/labs/%s/solution/step_%d.so", TEST_BUILD_DIR,
                         lab->folder, t->step->step));
        snprintf(name, sizeof name, "step %d", t->step->step);
        t->object = object;
        t->name = name;
        try_later_slots(t);
        try_own_slot(t);
        try_baselines(t);
    }
}

// A lazy kernel in its own slot: all of the criteria on counts but the one that it misses.
static void try_missed(trial *t, int misses) {
    ladder_criterion_result out[LADDER_CRITERIA_MAX];
    bool right = score_slot(t, t->step, out);
    for (int c = 0; c < t->step->criteria_count; c++) {
        const ladder_criterion *criterion = &t->step->criteria[c];
        double want = c + 1 == misses ? 0 : criterion->points;
        if (criterion->kind != LADDER_CRITERION_COUNT || (right && out[c].points == want)) continue;
        lost++;
        printf("%s earns %.2f instead of %g points, criterion %d: %s\n", t->name, out[c].points,
               want, c + 1, criterion->text);
    }
}

// Builds a lazy kernel, which the test of lazy kernels finds right in its own slot.
static void try_lazy(trial *t, const edit *edit) {
    const ladder_lab *lab = t->plan->lab;
    char path[LADDER_PATH], object[LADDER_PATH], *step = NULL, *text = NULL;
    edit_heading heading;
    must(edit_heading_of(edit, &heading, &err));
    must(ladder_path(path, &err, "%s/solutions/%s/steps/%s", TEST_SOURCE_DIR, lab->folder,
                     heading.file));
    must(ladder_file_read(AT_FDCWD, path, 1 << 20, &step, NULL, &err));
    must(edit_apply(edit, step, &text, &err));
    t->step = ladder_rubric_find(lab->rubric, heading.step);
    ladder_build_job job = {.kit = t->plan->kit,
                            .lab = lab,
                            .step = t->step,
                            .folder = work,
                            .source = text,
                            .source_bytes = strlen(text),
                            .limit_s = 60};
    must(ladder_build_step(&job, object, t->result, &err));
    if (t->result->outcome == LADDER_CORRECT) {
        t->object = object;
        t->name = edit->name;
        try_later_slots(t);
        try_missed(t, heading.misses);
    } else {
        holes++;
        printf("%s: %s\n", edit->name, t->result->message);
    }
    free(text);
    free(step);
}

static void try_lazy_kernels(trial *t, bool full) {
    char path[LADDER_PATH];
    edit_list edits;
    must(ladder_path(path, &err, "%s/autograder/tests/lazy/%s.edits", TEST_SOURCE_DIR,
                     t->plan->lab->folder));
    if (!ladder_file_exists(path)) return;
    must(edits_read(path, &edits, &err));
    int stride = full || edits.count <= LAZY_SAMPLE ? 1 : edits.count / LAZY_SAMPLE;
    for (int i = 0; i < edits.count; i += stride) try_lazy(t, &edits.items[i]);
    edits_free(&edits);
}

int main(int argc, char **argv) {
    bool full = argc == 3 && strcmp(argv[2], "full") == 0;
    const ladder_lab *lab = argc == (full ? 3 : 2) ? ladder_lab_find(argv[1]) : NULL;
    if (!lab) {
        fprintf(stderr, "usage: ladder_matrix_test LAB [full]\n");
        return 2;
    }
    static ladder_step_result result; // large
    static trial t;
    ladder_kit kit;
    ladder_cases cases;
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    must(ladder_folder_temporary(work, &err));
    must(ladder_cases_make(lab, 7, true, &cases, &err));
    ladder_grade_plan plan = {.kit = &kit,
                              .lab = lab,
                              .cases = &cases,
                              .case_s = 60,
                              .build_s = 60,
                              .instructions = 1000000000,
                              .memory_bytes = (uint64_t)1 << 31,
                              .threads = 2};
    t.plan = &plan;
    t.result = &result;
    try_solutions(&t, full);
    try_lazy_kernels(&t, full);
    printf(
        "%s: %d cells, %d runs; %d criteria of a later step's own are earned, %d own ones lost\n",
        lab->folder, cells, counted_runs, holes, lost);
    ladder_cases_free(&cases);
    ladder_folder_remove(work);
    print_processor_seconds();
    return holes == 0 && lost == 0 && cells > 0 ? 0 : 1;
}
