// SPDX-License-Identifier: MIT
// Grading of one submission: see grade.h.
#include "grade/judge/grade.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grade/judge/budget.h"
#include "grade/judge/check.h"
#include "grade/judge/measure.h"
#include "grade/judge/side_by_side.h"
#include "step_text.h"
#include "grade/submission/build_step.h"

typedef struct grading {
    const ladder_grade_job *job;
    const char *folder; // private
    ladder_result *result;
    int step;                   // that is being scored
    char baseline[LADDER_PATH]; // path that find_baseline returned last
} grading;

enum { LADDER_COUNTED_STEPS = 4 }; // in the formulas of one step's questions

// Counts of steps on the case that a step's questions ask about.
typedef struct predicted_counts {
    grading *grading;
    const ladder_asked *asked;
    const ladder_case *item;
    int count;
    struct {
        int step;
        ladder_counts counts;
    } taken[LADDER_COUNTED_STEPS];
} predicted_counts;

static void tell(const grading *g, int step, const char *what) {
    if (g->job->progress != NULL) g->job->progress(g->job->context, step, what);
}

static void tell_timing(void *context, const char *what) {
    const grading *g = context;
    tell(g, g->step, what);
}

static void set_outcome(ladder_step_result *result, ladder_outcome outcome, const char *message) {
    result->outcome = outcome;
    snprintf(result->message, sizeof result->message, "%s", message);
}

static const char *find_baseline(void *context, int step) {
    grading *g = context;
    if (g->job->baseline_folder == NULL) return NULL;
    if (ladder_path(g->baseline, NULL, "%s/step_%d/step_%d.so", g->job->baseline_folder, step,
                    step) != KL_OK)
        return NULL;
    return ladder_file_exists(g->baseline) ? g->baseline : NULL;
}

static void grade_present_step(grading *g, const ladder_rubric_step *step,
                               const ladder_step_file *file, ladder_step_result *result) {
    const ladder_judge *judge = g->job->judge;
    kl_error err = {KL_OK, ""};
    char object[LADDER_PATH];
    ladder_build_job build = {.kit = judge->kit,
                              .lab = judge->lab,
                              .step = step,
                              .folder = g->folder,
                              .source = file->text,
                              .source_bytes = file->bytes,
                              .limit_s = judge->build_s,
                              .cache = judge->compiled};
    tell(g, step->step, "building");
    if (ladder_build_step(&build, object, result, &err) != KL_OK)
        set_outcome(result, LADDER_UNGRADABLE, err.text);
    if (result->outcome != LADDER_CORRECT) return;
    // A step runs in a folder of its own, empty but for what it writes.
    char folder[LADDER_PATH];
    if (ladder_path(folder, &err, "%s/run_%d", g->folder, step->step) != KL_OK ||
        ladder_folder_make(folder, &err) != KL_OK) {
        set_outcome(result, LADDER_UNGRADABLE, err.text);
        return;
    }
    tell(g, step->step, "running");
    ladder_step_costs costs;
    ladder_judge_step(judge, step, object, folder, result, &costs);
    if (result->outcome == LADDER_NOT_IMPLEMENTED &&
        kl_step_text_forgotten(step->file, file->text, result->message, sizeof result->message))
        result->forgotten = true;
    if (result->outcome == LADDER_CORRECT || costs.first_wrong >= 0) {
        const ladder_finding_source source = {step->file, file->text};
        tell(g, step->step, "checking");
        ladder_judge_check(judge, step, object, folder, &source, &costs, result);
    }
    if (result->outcome == LADDER_CORRECT) tell(g, step->step, "counting");
    g->step = step->step;
    const ladder_score_help help = {find_baseline, tell_timing, g};
    ladder_score_step(judge, step, object, folder, &help, result);
    ladder_folder_remove(folder);
}

// A step without a run still has its criteria, worth nothing.
static void fill_criteria(const ladder_judge *judge, const ladder_rubric_step *step,
                          ladder_step_result *result) {
    if (result->criteria_count == 0) ladder_score_step(judge, step, NULL, NULL, NULL, result);
}

// Counts of a step of this submission on a case, for formulas; NULL when it is not right.
static const ladder_counts *count_predicted(predicted_counts *p, int step, kl_error *err) {
    grading *g = p->grading;
    const ladder_rubric *rubric = g->job->judge->lab->rubric;
    for (int i = 0; i < p->count; i++)
        if (p->taken[i].step == step) return &p->taken[i].counts;
    const ladder_rubric_step *row = ladder_rubric_find(rubric, step);
    ladder_step_result *result = row != NULL ? &g->result->steps[row - rubric->steps] : NULL;
    char object[LADDER_PATH], folder[LADDER_PATH];
    if (p->count == LADDER_COUNTED_STEPS || result == NULL || result->outcome != LADDER_CORRECT ||
        ladder_path(object, err, "%s/step_%d/step_%d.so", g->folder, step, step) != KL_OK ||
        ladder_path(folder, err, "%s/predicted_%d", g->folder, step) != KL_OK ||
        ladder_folder_make(folder, err) != KL_OK)
        return NULL;
    ladder_case_end end = {.outcome = LADDER_UNGRADABLE};
    ladder_counts *counts = &p->taken[p->count].counts;
    ladder_measure_counts(g->job->judge, row, object, folder, p->item, result, &end, counts);
    ladder_folder_remove(folder);
    if (end.outcome != LADDER_CORRECT) return NULL;
    p->taken[p->count++].step = step;
    return counts;
}

static kl_status look_up(void *context, const char *name, int step, double *out_value,
                         kl_error *err) {
    predicted_counts *p = context;
    const ladder_lab *lab = p->grading->job->judge->lab;
    if (step == LADDER_FORMULA_OWN) step = p->asked->step;
    if (step == LADDER_FORMULA_BEFORE)
        step = ladder_questions_step_before(lab->problem, p->asked->family, p->asked->step);
    const ladder_counts *counts = count_predicted(p, step, err);
    if (counts == NULL) return kl_fail(err, KL_ERROR_INPUT, "step %d is not counted", step);
    *out_value = ladder_quantity(name, counts);
    return KL_OK;
}

// What the step counts where the student predicted it. No part of the score.
static void count_predictions(grading *g, ladder_step_result *result) {
    const ladder_judge *judge = g->job->judge;
    const ladder_asked *asked = ladder_questions_find(judge->lab->questions, result->step);
    if (result->prediction_count == 0 || result->outcome != LADDER_CORRECT || asked == NULL) return;
    predicted_counts *p = calloc(1, sizeof *p);
    if (p == NULL) return;
    p->grading = g;
    p->asked = asked;
    p->item = ladder_cases_find(judge->cases, asked->family, asked->size);
    if (p->item != NULL) tell(g, result->step, "predictions");
    for (int i = 0; i < result->prediction_count && p->item != NULL; i++) {
        ladder_prediction *item = &result->predictions[i];
        const ladder_question *question = ladder_asked_find(asked, item->name);
        kl_error err = {KL_OK, ""};
        if (question == NULL ||
            ladder_formula_value(question->formula, look_up, p, &item->counted, &err) != KL_OK)
            item->counted = NAN;
    }
    free(p);
}

static void grade_step(grading *g, const ladder_rubric_step *step, const ladder_step_file *file,
                       ladder_step_result *result) {
    char spent[LADDER_MESSAGE];
    result->step = step->step;
    if (file->unreadable)
        set_outcome(result, LADDER_UNREADABLE, file->message);
    else if (file->refused)
        set_outcome(result, LADDER_REFUSED_FILE, file->message);
    else if (!file->present)
        set_outcome(result, LADDER_NOT_SUBMITTED, "");
    else if (ladder_budget_spent(g->job->judge->budget, spent, sizeof spent))
        set_outcome(result, LADDER_NOT_REACHED, spent);
    else
        grade_present_step(g, step, file, result);
    fill_criteria(g->job->judge, step, result);
}

// What the steps of one submission share.
typedef struct all_steps {
    grading *grading;
    const ladder_step_file *files;
    ladder_budget *budget; // NULL: no limit
} all_steps;

static void grade_by_index(void *context, int index, ladder_step_result *out_result) {
    const all_steps *all = context;
    const ladder_rubric *rubric = all->grading->job->judge->lab->rubric;
    double before_s = ladder_budget_processor_s();
    grade_step(all->grading, &rubric->steps[index], &all->files[index], out_result);
    if (all->budget != NULL) all->budget->used_s[index] = ladder_budget_processor_s() - before_s;
}

// The files as they were compiled, for pages that show a line of them. Without them such a page
// shows less: no reason to lose a grade.
static void keep_files(const ladder_grade_job *job, const ladder_step_file *files) {
    const ladder_rubric *rubric = job->judge->lab->rubric;
    char path[LADDER_PATH];
    for (int i = 0; job->keep_folder != NULL && i < rubric->step_count; i++) {
        if (ladder_path(path, NULL, "%s/%s", job->keep_folder, rubric->steps[i].file) != KL_OK)
            continue;
        unlink(path); // of an earlier grading
        if (files[i].text != NULL) ladder_file_write(path, files[i].text, files[i].bytes, NULL);
    }
}

void ladder_grade_submission(const ladder_grade_job *given, ladder_result *out_result) {
    const ladder_rubric *rubric = given->judge->lab->rubric;
    ladder_budget *budget = ladder_budget_open(given->judge->submission_s);
    ladder_judge judge = *given->judge;
    ladder_grade_job own = *given;
    const ladder_grade_job *job = &own;
    judge.budget = budget;
    own.judge = &judge;
    ladder_result *result = out_result;
    double start = kl_now_s();
    memset(result, 0, sizeof *result);
    snprintf(result->id, sizeof result->id, "%s", job->submission->id);
    snprintf(result->title, sizeof result->title, "%s", job->submission->title);
    snprintf(result->user, sizeof result->user, "%s", job->submission->user);
    result->seed = job->judge->cases->seed;
    result->step_count =
        rubric->step_count < LADDER_STEPS_MAX ? rubric->step_count : LADDER_STEPS_MAX;

    char folder[LADDER_PATH];
    ladder_step_file files[LADDER_STEPS_MAX];
    memset(files, 0, sizeof files);
    kl_error err = {KL_OK, ""};
    kl_status status = ladder_folder_temporary(folder, &err);
    bool made = status == KL_OK;
    if (made)
        status = ladder_submission_read(job->submission, job->judge->lab, files, result, &err);
    if (status == KL_OK) keep_files(job, files);
    grading g = {.job = job, .folder = folder, .result = result};
    all_steps all = {&g, files, budget};
    if (status == KL_OK)
        ladder_side_by_side(result->step_count, job->judge->steps_at_a_time, grade_by_index, &all,
                            result->steps);
    for (int i = 0; i < result->step_count && status != KL_OK; i++) {
        ladder_step_result *step = &result->steps[i]; // it cannot be read: nobody's zero
        step->step = rubric->steps[i].step;
        set_outcome(step, LADDER_UNGRADABLE, err.text);
        fill_criteria(job->judge, &rubric->steps[i], step);
    }
    for (int i = 0; i < result->step_count && status == KL_OK; i++)
        count_predictions(&g, &result->steps[i]);
    ladder_submission_free(files, result->step_count);
    if (made) ladder_folder_remove(folder);
    ladder_budget_close(budget);
    result->wall_s = kl_now_s() - start;
    ladder_result_total(result);
}

kl_status ladder_grade_build_solution(const ladder_judge *judge, int number, const char *folder,
                                      char *out_object, kl_error *err) {
    const kl_step_info *info = kl_problem_step(judge->lab->problem, number);
    const ladder_rubric_step *step = ladder_rubric_find(judge->lab->rubric, number);
    char path[LADDER_PATH];
    TRY(ladder_path(out_object, err, "%s/step_%d/step_%d.so", folder, number, number));
    if (ladder_file_exists(out_object)) return KL_OK;
    out_object[0] = '\0';
    TRY(ladder_kit_step_file(judge->kit, judge->lab, info, true, path, err));
    if (!ladder_file_exists(path)) return KL_OK; // a kit without solutions
    ladder_build_job build = {.kit = judge->kit,
                              .lab = judge->lab,
                              .step = step,
                              .folder = folder,
                              .limit_s = judge->build_s,
                              .cache = judge->compiled};
    char *text = NULL;
    TRY(ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &text, &build.source_bytes, err));
    build.source = text;
    ladder_step_result *result = calloc(1, sizeof *result);
    kl_status status = result != NULL ? ladder_build_step(&build, out_object, result, err)
                                      : kl_fail(err, KL_ERROR_MEMORY, "no memory");
    if (status == KL_OK && result->outcome != LADDER_CORRECT) {
        status = kl_fail(err, KL_ERROR_SYSTEM, "the kit's own step %d does not build: %.300s",
                         step->step, result->message);
    }
    free(result);
    free(text);
    return status;
}

kl_status ladder_grade_baselines(const ladder_judge *judge, const char *folder, kl_error *err) {
    const ladder_rubric *rubric = judge->lab->rubric;
    char object[LADDER_PATH];
    for (int s = 0; s < rubric->step_count; s++) {
        for (int c = 0; c < rubric->steps[s].criteria_count; c++) {
            const ladder_criterion *criterion = &rubric->steps[s].criteria[c];
            if (criterion->kind != LADDER_CRITERION_SPEED) continue;
            TRY(ladder_grade_build_solution(judge, criterion->over, folder, object, err));
        }
    }
    return KL_OK;
}
