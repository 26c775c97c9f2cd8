// Protects the promise that no step earns what is a later step's own: the solution of every step is
// put into every later slot of its lab, and so is every lazy kernel. Right answers earn it the
// points for correctness; of those on counts and on modelled time it must earn none. In its own
// slot a solution must earn them all, and a lazy kernel all but the one that it says it misses.
//   ladder_matrix_test LAB [full]
// One call of each solution on each case that any later slot measures gives the counts by which all
// later slots are judged. In slots that serve other families of cases as well it must first give
// right answers there. Lazy kernels are compiled, a sample of them unless the test is full; of a
// lab with many steps every second solution is tried then.
#include "trial.h"

enum {
    LAZY_SAMPLE = 2, // lazy kernels that are tried unless all are
    STEPS_SAMPLE = 8 // of more steps every second one is tried unless all are
};

static int holes, lost, cells;

// The factor by which a step's modelled time may differ from that in modelled.json: rows of random
// lengths differ from seed to seed. More only as far as it earns nothing.
#define SAME_TIME 1.15

// One cell of the matrix, above its diagonal.
static void try_slot(trial *t, const ladder_rubric_step *slot) {
    ladder_criterion_result out[LADDER_CRITERIA_MAX];
    cells++;
    if (!trial_score(t, slot, out)) return;
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
    bool right = trial_score(t, t->step, out);
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
            const ladder_counts *counts = trial_counts(t, criterion->family, modelled->size);
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
        trial_must(ladder_path(object, &trial_err, "%s/labs/%s/solution/step_%d.so", TEST_BUILD_DIR,
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
    bool right = trial_score(t, t->step, out);
    for (int c = 0; c < t->step->criteria_count; c++) {
        const ladder_criterion *criterion = &t->step->criteria[c];
        double want = c + 1 == misses ? 0 : criterion->points;
        if (criterion->kind != LADDER_CRITERION_COUNT || (right && out[c].points == want)) continue;
        lost++;
        printf("%s earns %.2f instead of %g points, criterion %d: %s\n", t->name, out[c].points,
               want, c + 1, criterion->text);
    }
}

// A lazy kernel, which the test of lazy kernels finds right in its own slot.
static void try_lazy(trial *t, const edit *edit) {
    char object[LADDER_PATH];
    edit_heading heading;
    char *text = trial_lazy_text(t, edit, &heading);
    if (trial_build(t, heading.step, text, edit->name, object)) {
        try_later_slots(t);
        try_missed(t, heading.misses);
    } else {
        holes++;
        printf("%s: %s\n", edit->name, t->result->message);
    }
    free(text);
}

static void try_lazy_kernels(trial *t, bool full) {
    edit_list edits;
    if (!trial_lazy_kernels(t, &edits)) return;
    // From the middle of each part: the first ones are the slowest steps', which take the longest.
    int stride = full || edits.count <= LAZY_SAMPLE ? 1 : edits.count / LAZY_SAMPLE;
    for (int i = stride / 2; i < edits.count; i += stride) try_lazy(t, &edits.items[i]);
    edits_free(&edits);
}

int main(int argc, char **argv) {
    bool full = argc == 3 && strcmp(argv[2], "full") == 0;
    if (argc != (full ? 3 : 2)) {
        fprintf(stderr, "usage: ladder_matrix_test LAB [full]\n");
        return 2;
    }
    trial *t = trial_begin(argv[1]);
    try_solutions(t, full);
    try_lazy_kernels(t, full);
    printf(
        "%s: %d cells, %d runs; %d criteria of a later step's own are earned, %d own ones lost\n",
        t->plan->lab->folder, cells, t->runs, holes, lost);
    trial_end(t);
    return holes == 0 && lost == 0 && cells > 0 ? 0 : 1;
}
