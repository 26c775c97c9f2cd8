// Kernels tried in slots: see trial.h.
#include "trial.h"

kl_error trial_err;

void trial_must(kl_status status) {
    if (status == KL_OK) return;
    fprintf(stderr, "cannot go on: %s\n", trial_err.text);
    exit(1);
}

trial *trial_begin(const char *lab) {
    static trial t; // large, as the next ones are
    static ladder_step_result result;
    static ladder_kit kit;
    static ladder_cases cases;
    static ladder_grade_plan plan;
    const ladder_lab *found = ladder_lab_find(lab);
    if (!found) trial_must(kl_fail(&trial_err, KL_ERROR_INPUT, "no lab '%s'", lab));
    snprintf(kit.source, sizeof kit.source, "%s", TEST_SOURCE_DIR);
    snprintf(kit.build, sizeof kit.build, "%s", TEST_BUILD_DIR);
    trial_must(ladder_folder_temporary(t.work, &trial_err));
    trial_must(ladder_cases_make(found, 7, true, &cases, &trial_err));
    plan = (ladder_grade_plan){.kit = &kit,
                               .lab = found,
                               .cases = &cases,
                               .case_s = 60,
                               .build_s = 60,
                               .instructions = 1000000000,
                               .any_work = true, // matrix and dilution show what counts hold
                               .memory_bytes = (uint64_t)1 << 31,
                               .threads = 2};
    t.plan = &plan;
    t.result = &result;
    return &t;
}

void trial_end(trial *t) {
    ladder_cases_free((ladder_cases *)t->plan->cases);
    ladder_folder_remove(t->work);
}

char *trial_lazy_text(const trial *t, const edit *edit, edit_heading *out_heading) {
    char path[LADDER_PATH], *step = NULL, *text = NULL;
    trial_must(edit_heading_of(edit, out_heading, &trial_err));
    trial_must(ladder_path(path, &trial_err, "%s/solutions/%s/steps/%s", TEST_SOURCE_DIR,
                           t->plan->lab->folder,
                           ladder_rubric_find(t->plan->lab->rubric, out_heading->step)->file));
    trial_must(ladder_file_read(AT_FDCWD, path, 1 << 20, &step, NULL, &trial_err));
    trial_must(edit_apply(edit, step, &text, &trial_err));
    free(step);
    return text;
}

bool trial_lazy_kernels(const trial *t, edit_list *out_edits) {
    char path[LADDER_PATH];
    trial_must(ladder_path(path, &trial_err, "%s/autograder/tests/lazy/%s.edits", TEST_SOURCE_DIR,
                           t->plan->lab->folder));
    if (!ladder_file_exists(path)) return false;
    trial_must(edits_read(path, out_edits, &trial_err));
    return true;
}

bool trial_build(trial *t, int step, const char *text, const char *name, char *object) {
    t->step = ladder_rubric_find(t->plan->lab->rubric, step);
    t->object = object;
    t->name = name;
    t->count = 0;
    const ladder_build_job job = {.kit = t->plan->kit,
                                  .lab = t->plan->lab,
                                  .step = t->step,
                                  .folder = t->work,
                                  .source = text,
                                  .source_bytes = strlen(text),
                                  .limit_s = 60};
    trial_must(ladder_build_step(&job, object, t->result, &trial_err));
    return t->result->outcome == LADDER_CORRECT;
}

// Runs the kernel on a case once; later calls know the result. NULL: its answer is wrong.
static const ladder_counts *try_case(trial *t, const ladder_case *item) {
    for (int i = 0; i < t->count; i++)
        if (t->cases[i].item == item) return t->cases[i].right ? &t->cases[i].counts : NULL;
    if (t->count == TRIAL_CASES) {
        kl_fail(&trial_err, KL_ERROR_LIMIT, "more than %d cases", TRIAL_CASES);
        trial_must(KL_ERROR_LIMIT);
    }
    ladder_case_end end;
    ladder_counts *counts = &t->cases[t->count].counts;
    char folder[LADDER_PATH]; // apart from the objects, as in a grading
    trial_must(ladder_path(folder, &trial_err, "%s/run", t->work));
    trial_must(ladder_folder_make(folder, &trial_err));
    const ladder_submission_run run = {.plan = t->plan,
                                       .step = t->step,
                                       .object = t->object,
                                       .step_folder = folder,
                                       .step_result = t->result};
    ladder_measure_counts(&run, item, &end, counts);
    t->runs++;
    if (end.outcome == LADDER_UNGRADABLE) {
        kl_fail(&trial_err, KL_ERROR_SYSTEM, "%s, %s: %.300s", t->name, item->title, end.text);
        trial_must(KL_ERROR_SYSTEM);
    }
    t->cases[t->count].item = item;
    t->cases[t->count].right = end.outcome == LADDER_CORRECT;
    if (end.outcome != LADDER_CORRECT)
        snprintf(t->why, sizeof t->why, "%.60s: %.180s", item->title, end.text);
    t->count++;
    return end.outcome == LADDER_CORRECT ? counts : NULL;
}

// The smallest case with work of a family. NULL: none.
static const ladder_case *smallest_case(const trial *t, int family) {
    for (int i = 0; i < t->plan->cases->count; i++) {
        const kl_case *shape = &t->plan->cases->items[i].data.shape;
        if (shape->family == family && shape->size > 1) return &t->plan->cases->items[i];
    }
    return NULL;
}

bool trial_is_right(trial *t) {
    const kl_problem *problem = t->plan->lab->problem;
    for (int family = 0; family < problem->family_count; family++) {
        const ladder_case *item = smallest_case(t, family);
        bool serves = kl_problem_serves(problem, family, t->step->step);
        if (item && serves && !try_case(t, item)) return false;
    }
    return true;
}

bool trial_is_right_in(trial *t, const ladder_rubric_step *slot) {
    const kl_problem *problem = t->plan->lab->problem;
    for (int family = 0; family < problem->family_count; family++) {
        if (!kl_problem_serves(problem, family, slot->step) ||
            kl_problem_serves(problem, family, t->step->step))
            continue;
        const ladder_case *first = smallest_case(t, family);
        if (first && !try_case(t, first)) return false;
    }
    return true;
}

const ladder_counts *trial_counts(void *context, const char *family, int64_t size) {
    trial *t = context;
    return try_case(t, ladder_cases_find(t->plan->cases, family, size));
}

// Criteria on counts, or those on modelled time. False: a wrong answer.
static bool score_kind(trial *t, const ladder_rubric_step *slot, bool counts,
                       ladder_criterion_result out[LADDER_CRITERIA_MAX]) {
    for (int c = 0; c < slot->criteria_count; c++) {
        const ladder_criterion *criterion = &slot->criteria[c];
        const ladder_modelled *modelled =
            ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
        bool is_count = criterion->kind == LADDER_CRITERION_COUNT;
        if (counts ? !is_count : is_count || !modelled) continue;
        if (!ladder_score_counts(criterion, modelled, trial_counts, t, &out[c]) ||
            !trial_is_right_in(t, slot))
            return false;
        if (modelled) out[c].points = out[c].modelled_points;
    }
    return true;
}

bool trial_score(trial *t, const ladder_rubric_step *slot,
                 ladder_criterion_result out[LADDER_CRITERIA_MAX]) {
    memset(out, 0, LADDER_CRITERIA_MAX * sizeof *out);
    if (!score_kind(t, slot, true, out)) return false;
    bool open = true; // else the criteria on time, whose cases are the largest, are worth nothing
    for (int c = 0; c < slot->criteria_count; c++)
        open &= slot->criteria[c].kind != LADDER_CRITERION_COUNT || out[c].points > 0;
    if (open && !score_kind(t, slot, false, out)) return false;
    ladder_score_close(slot, out, slot->criteria_count);
    return true;
}
