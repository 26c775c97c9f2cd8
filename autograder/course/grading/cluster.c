// SPDX-License-Identifier: MIT
// A class that is graded as a job of a cluster: see internal.h.
#include "course/grading/internal.h"
#include "course/slurm/run.h"
#include "utilities/program_args.h"

// The options that decide results, for the tasks of a job.
static void list_task_words(const ladder_grade_request *r, ladder_program_args *args) {
    ladder_args_begin(args, "ladder");
    ladder_args_text(args, "--device", r->device);
    ladder_args_flag(args, "--quick", r->quick);
    ladder_args_flag(args, "--first-failure", r->first_failure);
    ladder_args_flag(args, "--unsafe", r->unsafe);
    if (r->jobs > 0) ladder_args_number(args, "--jobs", r->jobs);
    if (r->instructions > 0) ladder_args_number(args, "--instructions", r->instructions);
    if (r->memory > 0) ladder_args_number(args, "--memory", r->memory);
    if (r->build_s > 0) ladder_args_real(args, "--build-limit", r->build_s);
    if (r->case_s > 0) ladder_args_real(args, "--case-limit", r->case_s);
    if (r->submission_s > 0) ladder_args_real(args, "--submission-limit", r->submission_s);
    for (int i = 0; i < LADDER_EXPORTS; i++)
        if ((r->exports.formats >> i & 1) != 0)
            ladder_args_text(args, "--export", ladder_export_name((ladder_export_format)i));
}

kl_status ladder_grading_by_slurm(ladder_grading *g, kl_error *err) {
    const ladder_slurm_request *slurm = &g->request->slurm;
    ladder_program_args words;
    list_task_words(g->request, &words);
    ladder_slurm_job job = {.class = &g->class,
                            .options = &slurm->options,
                            .words = (const char *const *)words.argv + 1,
                            .word_count = words.count - 1,
                            .submission_s =
                                60 + LADDER_BUDGET_CLOCK * ladder_grading_submission_limit(g)};
    return slurm->dry_run ? ladder_slurm_dry_run(&job, g->job_folder, stdout, err)
                          : ladder_slurm_run(&job, g->job_folder, g->rows, err);
}
