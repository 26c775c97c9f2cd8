// Grading of one submission: see grade_submission.h.
#include "grade/run/grade_submission.h"
#include "grade/points/counts.h"
#include "advice.h"
#include "ladder_config.h"
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

// Says to the watcher of the run what is done to a step now.
static void report_work(const ladder_submission_run *run, int step, const char *what) {
    if (run->progress) run->progress(run->context, step, what);
}

// From now on this step is graded.
static void take_up(ladder_submission_run *run, const ladder_rubric_step *step, const char *object,
                    const char *folder, ladder_step_result *result) {
    run->step = step;
    run->object = object;
    run->step_folder = folder;
    run->step_result = result;
}

static void set_outcome(ladder_step_result *result, ladder_outcome outcome, const char *message) {
    result->outcome = outcome;
    snprintf(result->message, sizeof result->message, "%s", message);
}

static void grade_present_step(ladder_submission_run *run, const ladder_rubric_step *step,
                               const ladder_step_file *file, ladder_step_result *result) {
    const ladder_grade_plan *plan = run->plan;
    kl_error err = {KL_OK, ""};
    char object[LADDER_PATH];
    ladder_build_job build = {.kit = plan->kit,
                              .lab = plan->lab,
                              .step = step,
                              .folder = run->folder,
                              .source = file->text,
                              .source_bytes = file->bytes,
                              .limit_s = plan->build_s,
                              .slowness = plan->slowness,
                              .memory_bytes = ladder_run_memory(run),
                              .cache = plan->compiled,
                              .least_sm = plan->gpu ? 0 : LADDER_SIMULATED_SM};
    report_work(run, step->step, "building");
    if (ladder_build_step(&build, object, result, &err) != KL_OK)
        set_outcome(result, LADDER_UNGRADABLE, err.text);
    if (result->outcome != LADDER_CORRECT) return;
    // A step runs in a folder of its own, empty but for what it writes.
    char folder[LADDER_PATH];
    if (ladder_path(folder, &err, "%s/run_%d", run->folder, step->step) != KL_OK ||
        ladder_folder_make(folder, &err) != KL_OK) {
        set_outcome(result, LADDER_UNGRADABLE, err.text);
        return;
    }
    report_work(run, step->step, "running");
    ladder_step_costs costs;
    double start_s = kl_now_s();
    take_up(run, step, object, folder, result);
    ladder_judge_step(run, &costs);
    kl_argument_names_put(file->text, NULL, result->message, sizeof result->message);
    for (int i = 0; i < result->failure_count && i < LADDER_FAILURES_MAX; i++)
        kl_argument_names_put(file->text, NULL, result->failures[i].text,
                              sizeof result->failures[i].text);
    result->cases_s = kl_now_s() - start_s;
    if (result->outcome == LADDER_NOT_IMPLEMENTED &&
        kl_step_text_forgotten(step->file, file->text, result->message, sizeof result->message))
        result->forgotten = true;
    if (result->outcome == LADDER_CORRECT || costs.first_wrong >= 0 || costs.first_fault >= 0) {
        const ladder_finding_source source = {step->file, file->text};
        report_work(run, step->step, "checking");
        start_s = kl_now_s();
        ladder_judge_check(run, &source, &costs);
        result->check_s = kl_now_s() - start_s;
    }
    start_s = kl_now_s();
    if (result->outcome == LADDER_CORRECT) report_work(run, step->step, "counting");
    ladder_score_step(run);
    result->criteria_s = kl_now_s() - start_s - result->hidden_s;
    ladder_folder_remove(folder);
}

// A step without a run still has its criteria, worth nothing.
static void fill_criteria(ladder_submission_run *run, const ladder_rubric_step *step,
                          ladder_step_result *result) {
    if (result->criteria_count > 0) return;
    take_up(run, step, NULL, NULL, result);
    ladder_score_step(run);
}

// Whether the step cannot run here, whatever was handed in.
static bool is_left_out(const ladder_grade_plan *plan, int step, char *text, size_t text_bytes) {
    const kl_step_info *info = kl_problem_step(plan->lab->problem, step);
    return info && ladder_device_lacks(info, plan->gpu ? &plan->card : NULL, text, text_bytes);
}

static void grade_step(ladder_submission_run *run, const ladder_rubric_step *step,
                       const ladder_step_file *file, ladder_step_result *result) {
    char spent[LADDER_MESSAGE], lacks[LADDER_MESSAGE];
    ladder_budget_state time = LADDER_BUDGET_LEFT;
    result->step = step->step;
    if (is_left_out(run->plan, step->step, lacks, sizeof lacks))
        set_outcome(result, LADDER_LEFT_OUT, lacks);
    else if (file->unreadable) set_outcome(result, file->refusal, file->message);
    else if (file->refused) set_outcome(result, LADDER_REFUSED_FILE, file->message);
    else if (!file->present) set_outcome(result, LADDER_NOT_SUBMITTED, "");
    else if ((time = ladder_budget_spent(run->budget, spent, sizeof spent)) != LADDER_BUDGET_LEFT)
        set_outcome(result, time == LADDER_BUDGET_MACHINE ? LADDER_UNGRADABLE : LADDER_NOT_REACHED,
                    spent);
    else grade_present_step(run, step, file, result);
    fill_criteria(run, step, result);
}

// What the steps of one submission share.
typedef struct all_steps {
    ladder_submission_run *run;
    const ladder_step_file *files;
} all_steps;

static void grade_by_index(void *context, int index, ladder_step_result *out_result) {
    const all_steps *all = context;
    ladder_submission_run *run = all->run;
    double before_s = ladder_budget_processor_s();
    grade_step(run, &run->plan->lab->rubric->steps[index], &all->files[index], out_result);
    if (run->budget)
        run->budget->used_s[index] += ladder_budget_processor_s() - before_s - out_result->small_s;
}

// Steps that are graded at a time share the memory of the submission. One for which its share was
// too little is graded once more, alone: what it is worth depends on no other step and not on the
// number of processors.
static void grade_again_alone(const all_steps *all, ladder_result *result) {
    ladder_submission_run *run = all->run;
    bool shared = run->beside > 1;
    run->beside = 1;
    for (int i = 0; i < result->step_count; i++) {
        ladder_step_result *step = &result->steps[i];
        if (!shared || !step->over_memory) continue;
        double build_s = step->build_s, run_s = step->run_s;
        memset(step, 0, sizeof *step);
        step->build_s = build_s;
        step->run_s = run_s;
        grade_by_index((void *)all, i, step);
    }
}

// The files as they were compiled, for pages that show a line of them. Without them such a page
// shows less: no reason to lose a grade.
static void keep_files(const ladder_submission_run *run, const ladder_step_file *files) {
    const ladder_rubric *rubric = run->plan->lab->rubric;
    char path[LADDER_PATH];
    for (int i = 0; run->keep_folder && i < rubric->step_count; i++) {
        if (ladder_path(path, NULL, "%s/%s", run->keep_folder, rubric->steps[i].file) != KL_OK)
            continue;
        unlink(path); // of an earlier grading
        if (files[i].text) ladder_file_write(path, files[i].text, files[i].bytes, NULL);
    }
}

// Who hands in single files loses no points of a given step: where any code was handed in, the
// kit's own given step is graded if there is none, unless only failures are looked for. The hash of
// what was handed in is without it. KL_ERROR_INPUT where the kit's own has been edited.
static kl_status take_given(const ladder_submission_run *run, ladder_step_file *files,
                            kl_error *err) {
    const ladder_lab *lab = run->plan->lab;
    char path[LADDER_PATH];
    bool any = false;
    for (int i = 0; i < run->result->step_count; i++)
        any = any || (files[i].text && files[i].text[strspn(files[i].text, " \t\n")] != '\0');
    for (int i = 0; any && i < run->result->step_count; i++) {
        const ladder_rubric_step *step = &lab->rubric->steps[i];
        const kl_step_info *info = kl_problem_step(lab->problem, step->step);
        ladder_step_file *file = &files[i];
        if (!step->given || !info || file->present || file->unreadable ||
            ladder_kit_step_file(run->plan->kit, lab, info, false, path, NULL) != KL_OK ||
            ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &file->text, &file->bytes, NULL) !=
                KL_OK)
            continue;
        TRY(ladder_kit_require_given(run->plan->kit, lab, err));
        file->present = true;
        ladder_result_note(run->result, "step %d is given and was not handed in: it is the kit's",
                           step->step);
    }
    return KL_OK;
}

static void begin_result(const ladder_submission_run *run) {
    const ladder_submission *submission = run->submission;
    ladder_result *result = run->result;
    int steps = run->plan->lab->rubric->step_count;
    memset(result, 0, sizeof *result);
    snprintf(result->id, sizeof result->id, "%s", submission->id);
    snprintf(result->title, sizeof result->title, "%s", submission->title);
    snprintf(result->user, sizeof result->user, "%s", submission->user);
    memcpy(result->members, submission->members, sizeof result->members);
    result->seed = run->plan->cases->seed;
    result->step_count = steps < LADDER_STEPS_MAX ? steps : LADDER_STEPS_MAX;
}

static void give_all(ladder_submission_run *run, ladder_outcome outcome, const char *message) {
    for (int i = 0; i < run->result->step_count; i++) {
        const ladder_rubric_step *step = &run->plan->lab->rubric->steps[i];
        ladder_step_result *result = &run->result->steps[i];
        result->step = step->step;
        set_outcome(result, outcome, message);
        fill_criteria(run, step, result);
    }
}

void ladder_grade_nothing(ladder_submission_run *run, ladder_outcome outcome, const char *message) {
    begin_result(run);
    give_all(run, outcome, message);
    ladder_result_total(run->result);
}

static void grade_files(ladder_submission_run *run, const ladder_step_file *files) {
    ladder_result *result = run->result;
    all_steps all = {run, files};
    int at_a_time = run->plan->steps_at_a_time;
    run->beside = at_a_time < result->step_count ? at_a_time : result->step_count;
    keep_files(run, files);
    ladder_steps_in_parallel(result->step_count, run->plan->steps_at_a_time, grade_by_index, &all,
                             result->steps);
    grade_again_alone(&all, result);
    for (int i = 0; i < result->step_count; i++) ladder_count_predictions(run, &result->steps[i]);
}

// What students see of the time must not tell how long hidden cases took, which a step could make
// as long as their size says. Of steps that run side by side the sum of what each took else.
static double shown_s(const ladder_result *result, double wall_s) {
    double hidden_s = 0, parts_s = 0;
    for (int i = 0; i < result->step_count; i++) {
        const ladder_step_result *step = &result->steps[i];
        hidden_s += step->hidden_s;
        parts_s += step->build_s + step->cases_s + step->check_s + step->criteria_s;
    }
    return hidden_s > 0 ? parts_s : wall_s;
}

void ladder_grade_submission(ladder_submission_run *run) {
    const ladder_grade_plan *plan = run->plan;
    ladder_result *result = run->result;
    double start = kl_now_s();
    char folder[LADDER_PATH];
    ladder_step_file files[LADDER_STEPS_MAX];
    kl_error err = {KL_OK, ""};
    begin_result(run);
    memset(files, 0, sizeof files);
    run->budget = ladder_budget_open(plan->submission_s, plan->slowness);
    kl_status status = ladder_folder_temporary(folder, &err);
    run->folder = status == KL_OK ? folder : NULL;
    if (status == KL_OK)
        status = ladder_submission_read(run->submission, plan->lab, files, result, &err);
    if (status == KL_OK && !plan->first_failure) status = take_given(run, files, &err);
    if (status == KL_OK) grade_files(run, files);
    if (status != KL_OK) // it cannot be read: nobody's zero
        give_all(run, LADDER_UNGRADABLE, err.text);
    ladder_submission_free(files, result->step_count);
    if (run->folder) ladder_folder_remove(folder);
    ladder_budget_close(run->budget);
    result->wall_s = shown_s(result, kl_now_s() - start);
    ladder_result_total(result);
}

// ---- solution -----------------------------------------------------------------------------------
// The kit's own solution as shared objects: see grade_submission.h.

kl_status ladder_grade_build_solution(const ladder_grade_plan *plan, int number, const char *folder,
                                      char *out_object, kl_error *err) {
    const kl_step_info *info = kl_problem_step(plan->lab->problem, number);
    const ladder_rubric_step *step = ladder_rubric_find(plan->lab->rubric, number);
    char path[LADDER_PATH];
    TRY(ladder_path(out_object, err, "%s/step_%d/step_%d.so", folder, number, number));
    if (ladder_file_exists(out_object)) return KL_OK;
    out_object[0] = '\0';
    if (info && info->needs_cuda > atoi(LADDER_CUDA_VERSION)) return KL_OK; // left out
    TRY(ladder_kit_step_file(plan->kit, plan->lab, info, true, path, err));
    if (!ladder_file_exists(path)) return KL_OK; // a kit without solutions
    if (info->given) TRY(ladder_kit_require_given(plan->kit, plan->lab, err));
    ladder_build_job build = {.kit = plan->kit,
                              .lab = plan->lab,
                              .step = step,
                              .folder = folder,
                              .limit_s = plan->build_s,
                              .slowness = plan->slowness,
                              .memory_bytes = plan->memory_bytes,
                              .cache = plan->compiled,
                              .least_sm = plan->gpu ? 0 : LADDER_SIMULATED_SM};
    char *text = NULL;
    TRY(ladder_file_read(AT_FDCWD, path, LADDER_SOURCE_MAX, &text, &build.source_bytes, err));
    build.source = text;
    ladder_step_result *result = calloc(1, sizeof *result);
    kl_status status = result ? ladder_build_step(&build, out_object, result, err)
                              : kl_fail(err, KL_ERROR_MEMORY, "no memory");
    if (status == KL_OK && result->outcome != LADDER_CORRECT) {
        status = kl_fail(err, KL_ERROR_SYSTEM, "the kit's own step %d does not build: %.300s",
                         step->step, result->message);
    }
    free(result);
    free(text);
    return status;
}

kl_status ladder_grade_baselines(const ladder_grade_plan *plan, const char *folder, kl_error *err) {
    const ladder_rubric *rubric = plan->lab->rubric;
    char object[LADDER_PATH];
    for (int s = 0; s < rubric->step_count; s++) {
        for (int c = 0; c < rubric->steps[s].criteria_count; c++) {
            const ladder_criterion *criterion = &rubric->steps[s].criteria[c];
            if (criterion->kind != LADDER_CRITERION_SPEED) continue;
            TRY(ladder_grade_build_solution(plan, criterion->over, folder, object, err));
        }
    }
    return KL_OK;
}

// ---- steps in parallel --------------------------------------------------------------------------
// Steps side by side: see grade_submission.h.

// A worker process for one step; -1: there is none to be had.
static pid_t start(int index, ladder_step_worker *worker, void *context,
                   ladder_step_result *shared) {
    pid_t parent = getpid();
    fflush(NULL);
    pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    worker(context, index, &shared[index]);
    fflush(NULL);
    _exit(0);
}

// Waits for one of the workers. One that somebody has stopped is continued.
static void wait_for_one(pid_t *pids, int count, int *active) {
    int status = 0;
    pid_t ended = waitpid(-1, &status, WUNTRACED);
    if (ended < 0 && errno != EINTR) *active = 0;
    for (int i = 0; i < count; i++) {
        if (ended <= 0 || pids[i] != ended) continue;
        if (WIFSTOPPED(status)) {
            kill(ended, SIGCONT);
            return;
        }
        pids[i] = 0;
        --*active;
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
        for (int k = 0; k < count; k++)
            if (pids[k] > 0) kill(pids[k], SIGKILL);
        if (WIFSIGNALED(status)) {
            signal(WTERMSIG(status), SIG_DFL);
            raise(WTERMSIG(status));
        }
        _exit(1);
    }
}

void ladder_steps_in_parallel(int count, int limit, ladder_step_worker *worker, void *context,
                              ladder_step_result *results) {
    pid_t pids[LADDER_STEPS_MAX] = {0};
    size_t bytes = (size_t)count * sizeof *results;
    ladder_step_result *shared = MAP_FAILED;
    int active = 0;
    if (limit > 1 && count > 1 && count <= LADDER_STEPS_MAX)
        shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        for (int i = 0; i < count; i++) worker(context, i, &results[i]);
        return;
    }
    memcpy(shared, results, bytes);
    for (int i = 0; i < count; i++) {
        while (active >= limit) wait_for_one(pids, i, &active);
        pids[i] = start(i, worker, context, shared);
        if (pids[i] > 0) active++;
        else worker(context, i, &shared[i]);
    }
    while (active > 0) wait_for_one(pids, count, &active);
    memcpy(results, shared, bytes);
    munmap(shared, bytes);
}

// What a step counts where the student predicted it.

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
