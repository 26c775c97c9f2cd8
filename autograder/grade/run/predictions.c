// What a step counts where the student predicted it: see grade_submission.h.
#include "grade/run/grade_submission.h"
#include "grade/points/counts.h"

enum { LADDER_COUNTED_STEPS = 4 }; // in the formulas of one step's questions

// Counts of steps on the case that a step's questions ask about.
typedef struct predicted_counts {
    ladder_submission_run *run;
    const ladder_asked *asked;
    const ladder_case *item;
    int count;
    struct {
        int step;
        ladder_counts counts;
    } taken[LADDER_COUNTED_STEPS];
} predicted_counts;

// Counts of a step of this submission on a case, for formulas; NULL when it is not right.
static const ladder_counts *count_predicted(predicted_counts *p, int step, kl_error *err) {
    ladder_submission_run *run = p->run;
    const ladder_rubric *rubric = run->plan->lab->rubric;
    for (int i = 0; i < p->count; i++)
        if (p->taken[i].step == step) return &p->taken[i].counts;
    const ladder_rubric_step *row = ladder_rubric_find(rubric, step);
    ladder_step_result *result = row ? &run->result->steps[row - rubric->steps] : NULL;
    char object[LADDER_PATH], folder[LADDER_PATH];
    if (p->count == LADDER_COUNTED_STEPS || !result || result->outcome != LADDER_CORRECT ||
        ladder_path(object, err, "%s/step_%d/step_%d.so", run->folder, step, step) != KL_OK ||
        ladder_path(folder, err, "%s/predicted_%d", run->folder, step) != KL_OK ||
        ladder_folder_make(folder, err) != KL_OK)
        return NULL;
    ladder_case_end end = {.outcome = LADDER_UNGRADABLE};
    ladder_counts *counts = &p->taken[p->count].counts;
    run->step = row;
    run->object = object;
    run->step_folder = folder;
    run->step_result = result;
    ladder_measure_counts(run, p->item, &end, counts);
    ladder_folder_remove(folder);
    if (end.outcome != LADDER_CORRECT) return NULL;
    p->taken[p->count++].step = step;
    return counts;
}

static kl_status look_up(void *context, const char *name, int step, double *out_value,
                         kl_error *err) {
    predicted_counts *p = context;
    const ladder_lab *lab = p->run->plan->lab;
    if (step == LADDER_FORMULA_OWN) step = p->asked->step;
    if (step == LADDER_FORMULA_BEFORE)
        step = ladder_questions_step_before(lab->problem, p->asked->family, p->asked->step);
    const ladder_counts *counts = count_predicted(p, step, err);
    if (!counts) return kl_fail(err, KL_ERROR_INPUT, "step %d is not counted", step);
    *out_value = ladder_quantity(name, counts);
    return KL_OK;
}

// Counts of one case are none of another.
static void find_case(predicted_counts *p, int64_t size) {
    const ladder_case *item = ladder_cases_find(p->run->plan->cases, p->asked->family, size);
    if (item != p->item) p->count = 0;
    p->item = item;
}

void ladder_count_predictions(ladder_submission_run *run, ladder_step_result *result) {
    const ladder_grade_plan *plan = run->plan;
    const ladder_asked *asked = ladder_questions_find(plan->lab->questions, result->step);
    if (result->prediction_count == 0 || result->outcome != LADDER_CORRECT || !asked) return;
    predicted_counts *p = calloc(1, sizeof *p);
    if (!p) return;
    p->run = run;
    p->asked = asked;
    if (run->progress) run->progress(run->context, result->step, "predictions");
    for (int i = 0; i < result->prediction_count; i++) {
        ladder_prediction *item = &result->predictions[i];
        const ladder_question *question = ladder_asked_find(asked, item->name);
        if (question) find_case(p, ladder_question_size(asked, question));
        if (!p->item) question = NULL; // of a case that grading does not run
        kl_error err = {KL_OK, ""};
        if (!question ||
            ladder_formula_value(question->formula, look_up, p, &item->counted, &err) != KL_OK)
            item->counted = NAN;
    }
    free(p);
}
