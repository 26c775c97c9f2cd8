// What `ladder grade` grades: see internal.h.
#include "course/grading/internal.h"

// One submission: the student's own files, or the solution.
static kl_status take_own(ladder_grading *g, kl_error *err) {
    g->list = calloc(1, sizeof *g->list);
    if (!g->list) return kl_fail(err, KL_ERROR_MEMORY, "no memory");
    g->class.count = 1;
    const char *top = g->request->solution ? "solutions" : "labs";
    snprintf(g->list->id, sizeof g->list->id, "%s", g->request->solution ? "solution" : "own");
    snprintf(g->list->title, sizeof g->list->title, "%s",
             g->request->solution ? "the kit's solution" : "your own work");
    TRY(ladder_path(g->list->path, err, "%s/%s/%s", g->kit.source, top, g->request->lab->folder));
    if (!g->request->solution) return KL_OK;
    return ladder_kit_require_solution(&g->kit, g->request->lab, NULL, 0, err);
}

// What is not graded, and why, before anything is.
static void tell_problems(const ladder_grading *g) {
    enum { TOLD = 20 };
    size_t told = 0;
    bool renamed = false;
    for (size_t i = 0; i < g->class.count; i++) {
        const char *title = g->list[i].title, *problem = g->list[i].problem;
        bool titled = strncmp(problem, title, strlen(title)) == 0;
        renamed |= strstr(problem, "may be meant") != NULL;
        if (problem[0] == '\0' || told++ >= TOLD) continue;
        fprintf(stderr, "ladder grade: not graded: %s%s%s\n", titled ? "" : title,
                titled ? "" : ": ", problem);
    }
    if (told > TOLD)
        fprintf(stderr, "ladder grade: and %zu more that are not graded; handed_in.csv says why\n",
                told - TOLD);
    if (renamed)
        fputs("ladder grade: --as FILE=STEP takes a file of another name for a step, such as --as "
              "step3.cu=3\n",
              stderr);
}

// Files that the command line, or the sheet for one of them, takes for steps.
static kl_status take_as(ladder_grading *g, const char *staging, kl_error *err) {
    const ladder_lab *lab = g->request->lab;
    const ladder_texts *texts = &g->request->files_as;
    ladder_files_as of_all = {.count = 0};
    for (int i = 0; i < texts->count; i++)
        TRY(ladder_files_as_read(lab->rubric, texts->items[i], &of_all, err));
    for (size_t i = 0; i < g->class.count; i++) {
        ladder_submission *s = &g->list[i];
        ladder_files_as own = {.count = 0};
        TRY(ladder_files_as_read(lab->rubric, s->files_as, &own, err));
        TRY(ladder_intake_take_as(lab, staging, own.count > 0 ? &own : &of_all, s, err));
        for (int k = 0; k < own.count; k++)
            if (!own.items[k].found)
                fprintf(stderr, "ladder grade: %s: the sheet's %s is not among the files\n",
                        s->title, own.items[k].file);
    }
    for (int i = 0; i < of_all.count; i++)
        if (!of_all.items[i].found)
            return kl_fail(err, KL_ERROR_INPUT, "--as %s: no file of this name was handed in",
                           of_all.items[i].file);
    return KL_OK;
}

// One submission of somebody else.
static kl_status take_path(ladder_grading *g, kl_error *err) {
    struct stat info;
    g->list = calloc(1, sizeof *g->list);
    if (!g->list) return kl_fail(err, KL_ERROR_MEMORY, "no memory");
    g->class.count = 1;
    char staging[LADDER_PATH], own[LADDER_PATH];
    const kl_step_info *step = NULL;
    kl_error no_step = {KL_OK, ""};
    char *path = realpath(g->request->path, NULL);
    if (!path &&
        ladder_lab_require_step(g->request->lab, g->request->path, &step, &no_step) == KL_OK) {
        TRY(ladder_kit_step_file(&g->kit, g->request->lab, step, false, own, err));
        path = realpath(own, NULL);
    }
    if (!path || stat(path, &info) != 0) {
        free(path);
        return kl_fail(err, KL_ERROR_INPUT, "%s: %s%s%s", step ? own : g->request->path,
                       strerror(errno), step ? "" : "; and ", no_step.text);
    }
    kl_status status = ladder_path(staging, err, "%s/handed_in", g->work);
    if (status == KL_OK) status = ladder_folder_make(staging, err);
    if (status == KL_OK)
        status = ladder_intake_take_one(path, g->request->lab, staging, g->list, err);
    if (status == KL_OK) status = take_as(g, staging, err);
    if (status == KL_OK) tell_problems(g);
    free(path);
    return status;
}

bool ladder_grading_is_own(const ladder_grading *g) {
    const ladder_grade_request *r = g->request;
    return !r->submissions && !r->path && !r->slurm.task;
}

// What was handed in, with a line on what it was taken for.
static kl_status take_class(ladder_grading *g, kl_error *err) {
    const ladder_grade_request *r = g->request;
    TRY(ladder_late_policy_read(&r->late, r->lab, &g->policy, err));
    char staging[LADDER_PATH], what[LADDER_PATH], line[400];
    ladder_intake taken;
    TRY(ladder_path(what, err, "%s", r->submissions));
    if (r->slurm.wanted) TRY(ladder_slurm_absolute(what, err));
    TRY(ladder_path(staging, err, "%s/handed_in",
                    r->slurm.wanted && !r->slurm.dry_run ? g->job_folder : g->work));
    TRY(ladder_folder_make(staging, err));
    TRY(ladder_intake_take(what, r->layout, r->lab, staging, &taken, err));
    g->list = taken.list;
    g->class.count = taken.count;
    g->layout = taken.layout;
    kl_status status = KL_OK;
    if (r->students) status = ladder_people_join(r->students, g->list, g->class.count, stderr, err);
    if (status == KL_OK && r->exports.roster)
        status = ladder_people_name_from(r->exports.roster, g->list, g->class.count, err);
    if (status == KL_OK) status = take_as(g, staging, err);
    ladder_people_order(g->list, g->class.count);
    ladder_intake_describe(&taken, line, sizeof line);
    fprintf(stderr, "ladder grade: %s\n", line);
    TRY(status);
    tell_problems(g);
    TRY(ladder_people_once(g->list, g->class.count, err));
    if (g->policy.given || g->policy.closes_s > 0 || r->book.file)
        ladder_intake_commit_times(&taken); // which takes a while
    if (g->class.count > 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "no submission in %s: expected folders with step files, archives, or files such "
                   "as %s",
                   r->submissions, g->request->lab->rubric->steps[0].file);
}

// The folder of results, for this run alone; own results below the build are no class's.
static kl_status make_output(ladder_grading *g, kl_error *err) {
    const ladder_grade_request *r = g->request;
    bool shared = r->submissions || r->output;
    kl_error why = {KL_OK, ""};
    if (r->slurm.dry_run) return KL_OK;
    if (ladder_folder_make(g->output, &why) == KL_OK) {
        if (access(g->output, W_OK | X_OK) == 0)
            return shared ? ladder_class_lock(g->output, stderr, &g->lock, err) : KL_OK;
        kl_fail(&why, KL_ERROR_SYSTEM, "cannot write to the folder %.300s: %s", g->output,
                strerror(errno));
    }
    if (r->slurm.wanted)
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "results must lie in a folder that all nodes can write (--output): %.600s",
                       why.text);
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "%.600s. Results need a folder on a disk that can be written: --output DIR",
                   why.text);
}

kl_status ladder_grading_submissions(ladder_grading *g, kl_error *err) {
    const ladder_grade_request *r = g->request;
    if (r->slurm.task) {
        TRY(ladder_path(g->output, err, "%s", r->output));
        ladder_slurm_work work;
        TRY(ladder_slurm_task(r->slurm.task, g->output, &work, err));
        g->list = work.list;
        g->changes = work.changes;
        g->class.count = work.count;
        g->seed = work.seed;
        return KL_OK;
    }
    if (!r->submissions) {
        TRY(ladder_grading_is_own(g) ? take_own(g, err) : take_path(g, err));
        bool ours = ladder_kit_is_ours(&g->kit); // else beside the caller's own files
        TRY(ladder_path(g->output, err, r->output || !ours ? "%s" : "%s/results/%s",
                        r->output ? r->output
                        : ours    ? g->kit.build
                                  : "results",
                        g->request->lab->folder));
        return make_output(g, err);
    }
    if (r->book.regrade && !r->output && ladder_kit_is_ours(&g->kit)) // nothing to keep
        TRY(ladder_path(g->output, err, "%s/results/%s/regrade", g->kit.build, r->lab->folder));
    else
        TRY(ladder_path(g->output, err, "%s",
                        r->output         ? r->output
                        : r->book.regrade ? "regrade"
                                          : "results"));
    // Before a job's folder is made, which ends the tasks of others, and before anything is
    // unpacked where another run writes; but no folder is made for submissions that are none.
    bool first = r->slurm.wanted || ladder_file_exists(g->output);
    if (first) TRY(make_output(g, err));
    if (r->slurm.wanted) TRY(ladder_slurm_request_open(&r->slurm, g->output, g->job_folder, err));
    TRY(take_class(g, err));
    return first ? KL_OK : make_output(g, err);
}
