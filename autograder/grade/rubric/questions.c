// Questions as data: look-up and checks: see rubric.h.
#include "grade/rubric/rubric.h"

const ladder_asked *ladder_questions_find(const ladder_questions *questions, int step) {
    for (int i = 0; i < questions->asked_count; i++)
        if (questions->asked[i].step == step) return &questions->asked[i];
    return NULL;
}

const ladder_question *ladder_asked_find(const ladder_asked *asked, const char *name) {
    for (int i = 0; i < asked->count; i++)
        if (strcmp(asked->questions[i].name, name) == 0) return &asked->questions[i];
    return NULL;
}

int64_t ladder_question_size(const ladder_asked *asked, const ladder_question *question) {
    return question->size > 0 ? question->size : asked->size;
}

typedef struct needs {
    const kl_problem *problem;
    const ladder_asked *asked;
    bool (*is_wanted)(const void *context, int step);
    const void *context;
    int found; // -1: none yet
} needs;

static kl_status note_step(void *context, const char *name, int step, double *out_value,
                           kl_error *err) {
    needs *n = context;
    (void)name;
    (void)err;
    *out_value = 1;
    if (step == LADDER_FORMULA_BEFORE)
        step = ladder_questions_step_before(n->problem, n->asked->family, n->asked->step);
    bool other = step != LADDER_FORMULA_OWN && step != n->asked->step;
    if (other && n->found < 0 && n->is_wanted(n->context, step)) n->found = step;
    return KL_OK;
}

int ladder_question_needs(const kl_problem *problem, const ladder_asked *asked,
                          const ladder_question *question,
                          bool (*is_wanted)(const void *context, int step), const void *context) {
    needs n = {problem, asked, is_wanted, context, -1};
    double ignored = 0;
    kl_error err = {KL_OK, ""};
    ladder_formula_value(question->formula, note_step, &n, &ignored, &err);
    return n.found;
}

int ladder_questions_step_before(const kl_problem *problem, const char *family, int step) {
    int before = -1;
    int index = kl_problem_family(problem, family);
    for (int i = 0; i < problem->step_count && problem->steps[i].number < step; i++)
        if (kl_problem_serves(problem, index, problem->steps[i].number))
            before = problem->steps[i].number;
    return before;
}

typedef struct checking {
    const kl_problem *problem;
    const char *family;
    int step;
    bool (*quantity_known)(const char *name);
} checking;

static kl_status check_name(void *context, const char *name, int step, double *out_value,
                            kl_error *err) {
    const checking *c = context;
    *out_value = 1;
    if (!c->quantity_known(name))
        return kl_fail(err, KL_ERROR_INPUT, "unknown quantity '%s'", name);
    if (step == LADDER_FORMULA_OWN) return KL_OK;
    if (step == LADDER_FORMULA_BEFORE)
        step = ladder_questions_step_before(c->problem, c->family, c->step);
    if (!kl_problem_step(c->problem, step) ||
        !kl_problem_serves(c->problem, kl_problem_family(c->problem, c->family), step))
        return kl_fail(err, KL_ERROR_INPUT, "'%s': no such step has this case", name);
    return KL_OK;
}

static kl_status check_case(const checking *c, int64_t size, kl_error *err) {
    int family = kl_problem_family(c->problem, c->family);
    if (!kl_problem_step(c->problem, c->step))
        return kl_fail(err, KL_ERROR_INPUT, "there is no step %d", c->step);
    if (family < 0 || !kl_problem_serves(c->problem, family, c->step))
        return kl_fail(err, KL_ERROR_INPUT, "step %d has no cases of family '%s'", c->step,
                       c->family);
    if (size <= 0 || size > c->problem->max_size)
        return kl_fail(err, KL_ERROR_INPUT, "step %d: impossible size", c->step);
    return KL_OK;
}

static bool is_plain_name(const char *name) {
    for (const char *c = name; *c != '\0'; c++)
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && *c != '_') return false;
    return islower((unsigned char)name[0]) && strlen(name) < LADDER_QUESTION_NAME;
}

static kl_status check_asked(const ladder_asked *asked, checking *c, kl_error *err) {
    double ignored = 0;
    if (asked->none[0] != '\0' && asked->count == 0) return KL_OK;
    TRY(check_case(c, asked->size, err));
    if (asked->count < LADDER_ASKED_LEAST || asked->count > LADDER_ASKED_MAX) {
        return kl_fail(err, KL_ERROR_INPUT, "step %d asks for %d numbers, not for 2 or 3",
                       asked->step, asked->count);
    }
    for (int i = 0; i < asked->count; i++) {
        const ladder_question *q = &asked->questions[i];
        if (!is_plain_name(q->name) || ladder_asked_find(asked, q->name) != q)
            return kl_fail(err, KL_ERROR_INPUT, "step %d: '%s' is no name of its own (a-z, 0-9, _)",
                           asked->step, q->name);
        TRY(ladder_formula_value(q->formula, check_name, c, &ignored, err));
        TRY(check_case(c, ladder_question_size(asked, q), err));
    }
    return KL_OK;
}

static kl_status check_selfcheck(const ladder_selfcheck *item, checking *c, kl_error *err) {
    double ignored = 0;
    int places = 0;
    for (const char *at = item->answer; (at = strchr(at, '{')); at++)
        places += at[1] == '}' || (at[1] == '.' && isdigit((unsigned char)at[2]) && at[3] == '}');
    if (places != item->formula_count) {
        return kl_fail(err, KL_ERROR_INPUT, "\"%.60s..\": %d values for %d {} in the answer",
                       item->question, item->formula_count, places);
    }
    if (item->formula_count > 0) TRY(check_case(c, item->size, err));
    for (int i = 0; i < item->formula_count; i++)
        TRY(ladder_formula_value(item->formulas[i], check_name, c, &ignored, err));
    return KL_OK;
}

kl_status ladder_questions_check(const ladder_questions *questions, const kl_problem *problem,
                                 bool (*quantity_known)(const char *name), kl_error *err) {
    for (int i = 0; i < problem->step_count && questions->asked_count > 0; i++) {
        int step = problem->steps[i].number;
        const ladder_asked *asked = ladder_questions_find(questions, step);
        if (!asked)
            return kl_fail(err, KL_ERROR_INPUT, "nothing is asked about step %d, and no \"none\"",
                           step);
        checking c = {problem, asked->family, step, quantity_known};
        TRY(check_asked(asked, &c, err));
    }
    for (int i = 0; i < questions->asked_count; i++)
        if (!kl_problem_step(problem, questions->asked[i].step))
            return kl_fail(err, KL_ERROR_INPUT, "there is no step %d", questions->asked[i].step);
    for (int i = 0; i < questions->selfcheck_count; i++) {
        const ladder_selfcheck *item = &questions->selfchecks[i];
        checking c = {problem, item->family, item->step, quantity_known};
        TRY(check_selfcheck(item, &c, err));
    }
    return KL_OK;
}
