// The kit's own solution as shared objects: see grade_submission.h.
#include "grade/run/grade_submission.h"
#include "ladder_config.h"

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
