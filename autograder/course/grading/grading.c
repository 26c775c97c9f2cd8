// SPDX-License-Identifier: MIT
// One `ladder grade` in its order: see grading.h.
#include "course/grading/parts.h"

#include <stdlib.h>
#include <unistd.h>

#include "course/class/handed_in.h"
#include "grade/judge/budget.h"
#include "utilities/files.h"
#include "utilities/program_args.h"
#include "learn/predict/record.h"
#include "sandbox/process/sandbox.h"
#include "grade/submission/build_step.h"

// What other people hand in is not run where nothing keeps it from the files of this machine.
static kl_status require_wall(const ladder_grading *g, kl_error *err) {
    if (ladder_grading_is_own(g) || ladder_sandbox_find() == LADDER_SANDBOX_WALL) return KL_OK;
    if (!g->options.unsafe) {
        return kl_fail(
            err, KL_ERROR_SYSTEM,
            "there is no wall here (%.200s), so a submission could read your files and use "
            "your network. To do: %.200s. With --unsafe they are graded all the same; "
            "see also: ladder doctor",
            ladder_sandbox_problem(), ladder_wall_advice());
    }
    fprintf(stderr, "ladder grade: WITHOUT A WALL (--unsafe): submissions can read your files and "
                    "use your network\n");
    return KL_OK;
}

// What rows say they were graded by.
static kl_status make_trace(const ladder_grading *g, ladder_trace *out_trace, kl_error *err) {
    *out_trace = (ladder_trace){.seed = g->cases.seed};
    snprintf(out_trace->device, sizeof out_trace->device, "%.120s", g->device);
    snprintf(out_trace->sandbox, sizeof out_trace->sandbox, "%s",
             ladder_sandbox_name(ladder_sandbox_find()));
    return ladder_class_kit(&g->kit, g->lab, out_trace->kit, sizeof out_trace->kit, err);
}

// The options that decide results, for the tasks of a job.
static void list_task_words(const ladder_grading *g, ladder_program_args *args) {
    const ladder_grading_options *o = &g->options;
    ladder_args_begin(args, "ladder");
    ladder_args_text(args, "--device", o->device);
    ladder_args_flag(args, "--quick", o->quick);
    ladder_args_flag(args, "--first-failure", o->first_failure);
    ladder_args_flag(args, "--unsafe", o->unsafe);
    if (o->jobs > 0) ladder_args_number(args, "--jobs", o->jobs);
    if (o->instructions > 0) ladder_args_number(args, "--instructions", o->instructions);
    if (o->memory > 0) ladder_args_number(args, "--memory", o->memory);
    if (o->build_s > 0) ladder_args_real(args, "--build-limit", o->build_s);
    if (o->case_s > 0) ladder_args_real(args, "--case-limit", o->case_s);
    if (o->submission_s > 0) ladder_args_real(args, "--submission-limit", o->submission_s);
    for (int i = 0; i < LADDER_EXPORTS; i++)
        if ((o->exports.formats >> i & 1) != 0)
            ladder_args_text(args, "--export", ladder_export_name((ladder_export_format)i));
}

// What is asked of a class, whoever grades it.
static ladder_class_job class_job(ladder_grading *g, const ladder_trace *trace) {
    return (ladder_class_job){.judge = &g->judge,
                              .trace = trace,
                              .submissions = g->list,
                              .count = g->count,
                              .output = g->output,
                              .work = g->work,
                              .changes = g->changes,
                              .jobs = 1,
                              .exports = g->options.exports.formats,
                              .resume = g->options.resume,
                              .progress = isatty(STDERR_FILENO) != 0};
}

// What this machine does for a class that others grade.
static kl_status grade_by_slurm(ladder_grading *g, ladder_grading_end *out_end, kl_error *err) {
    ladder_grading_options *o = &g->options;
    ladder_program_args words;
    ladder_trace trace;
    if (!o->slurm.dry_run) TRY(ladder_grading_build_adapter(g, err)); // once, and not by every task
    g->judge.lab = g->lab;
    g->judge.cases = &g->cases;
    g->cases.seed = g->seed;
    snprintf(g->device, sizeof g->device, "nodes of a cluster, --device %s", o->device);
    list_task_words(g, &words);
    TRY(make_trace(g, &trace, err));
    ladder_class_job class = class_job(g, &trace);
    ladder_slurm_job job = {.kit = &g->kit,
                            .class = &class,
                            .options = &o->slurm.options,
                            .words = (const char *const *)words.argv + 1,
                            .word_count = words.count - 1,
                            .seed = g->seed,
                            .submission_s =
                                60 + LADDER_BUDGET_CLOCK * ladder_grading_submission_limit(g)};
    if (o->slurm.dry_run) return ladder_slurm_dry_run(&job, o->slurm.folder, stdout, err);
    TRY(ladder_slurm_run(&job, o->slurm.folder, g->rows, err));
    return ladder_grading_results(g, out_end, err);
}

// A task's results are collected by whoever submitted it.
static kl_status end_task(const ladder_grading *g, ladder_grading_end *out_end) {
    for (size_t i = 0; i < g->count; i++) out_end->all_well = out_end->all_well && g->rows[i].done;
    return KL_OK;
}

// Rows for the results, and what changes their marks.
static kl_status make_rows(ladder_grading *g, kl_error *err) {
    g->rows = calloc(g->count, sizeof *g->rows);
    if (g->options.slurm.task != NULL) // its plan has the changes
        return g->rows != NULL ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the results");
    g->changes = calloc(g->count, sizeof *g->changes);
    if (g->rows == NULL || g->changes == NULL)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the results");
    if (!g->options.slurm.dry_run) // which enters nothing
        TRY(ladder_graded_before(&g->options.book, g->lab, g->list, g->count, &g->policy,
                                 g->changes, err));
    ladder_class_late(g->list, g->count, &g->policy, g->changes);
    return KL_OK;
}

static kl_status grade(ladder_grading *g, ladder_grading_end *out_end, kl_error *err) {
    const ladder_slurm_wish *slurm = &g->options.slurm;
    if (slurm->wanted && !slurm->dry_run) TRY(ladder_slurm_present(err));
    TRY(require_wall(g, err));
    TRY(ladder_kit_find(&g->kit, err));
    TRY(ladder_folder_temporary(g->work, err));
    TRY(ladder_grading_submissions(g, err));
    TRY(ladder_grading_seed(g, err));
    TRY(make_rows(g, err));
    if (g->options.slurm.wanted) return grade_by_slurm(g, out_end, err);
    if (ladder_grading_is_own(g) && !g->options.solution)
        ladder_predict_note(&g->kit, g->lab, NULL, 0, "grade");
    TRY(ladder_grading_judge(g, err));
    bool stood = ladder_sandbox_find() == LADDER_SANDBOX_WALL;
    ladder_build_try_wall(&g->kit);
    if (g->judge.gpu) ladder_sandbox_try_gpu();
    if (stood) TRY(require_wall(g, err)); // these may have taken it away
    TRY(ladder_grading_cache(g, err));
    TRY(ladder_grading_cases(g, err));
    ladder_trace trace;
    TRY(make_trace(g, &trace, err));
    ladder_class_job job = class_job(g, &trace);
    job.baseline_folder = g->baseline[0] != '\0' ? g->baseline : NULL;
    job.device = g->device;
    job.jobs = (int)g->options.jobs;
    job.part = g->options.slurm.task != NULL;
    job.resume = job.resume || job.part;
    TRY(ladder_class_run(&job, g->rows, err));
    if (g->options.slurm.task != NULL) return end_task(g, out_end);
    return ladder_grading_results(g, out_end, err);
}

kl_status ladder_grading_run(const ladder_grading_options *options, const ladder_lab *lab,
                             ladder_grading_end *out_end, kl_error *err) {
    ladder_grading g = {.options = *options, .lab = lab};
    *out_end = (ladder_grading_end){.all_well = true, .exported = true};
    kl_status status = grade(&g, out_end, err);
    if (g.work[0] != '\0') ladder_folder_remove(g.work);
    ladder_cases_free(&g.cases);
    free(g.list);
    free(g.changes);
    free(g.rows);
    return status;
}
