// The steps of lab 10 for its application: see app.h.
#include "app.h"
#include "cuda_check.h"

extern const kl_adapter kl_lab_adapter;

kl_status pruning_folder(const char *lab, bool solution, char *folder, size_t folder_bytes,
                         kl_error *err) {
    char own[PRUNING_PATH - 64];
    TRY(kl_device_program_folder(own, sizeof own, err));
    snprintf(folder, folder_bytes, "%s/../%s/%s", own, lab, solution ? "solution" : "skeleton");
    return KL_OK;
}

// An operation that there is not: refused by a step that is written.
static bool is_written(const kl_step *step) {
    KL_FUNCTION(pruning_function, function, step->function);
    pruning_task nothing = {.op = PRUNING_OPS, .shape = {0, 1, 1, 0}};
    return function(&nothing) != PRUNING_NOT_IMPLEMENTED;
}

kl_status pruning_steps_open(const pruning_options *o, pruning_steps *out, kl_error *err) {
    char folder[PRUNING_PATH];
    memset(out, 0, sizeof *out);
    TRY(pruning_folder("10_pruning", o->solution, folder, sizeof folder, err));
    for (int s = 0; s <= PRUNING_LAST_STEP; s++) {
        if (o->steps_chosen && !o->steps[s]) continue;
        if (kl_step_open(folder, s, &kl_lab_adapter, &out->steps[s], err) == KL_OK)
            out->written[s] = is_written(&out->steps[s]);
        else
            fprintf(stderr, "%s; step %d is left out\n", err->text, s);
    }
    return KL_OK;
}

void pruning_steps_close(pruning_steps *steps) {
    cudaFree(steps->d_workspace);
    for (int s = 0; s <= PRUNING_LAST_STEP; s++) kl_step_close(&steps->steps[s]);
    memset(steps, 0, sizeof *steps);
}

static kl_status make_workspace(pruning_steps *steps, const pruning_task *task, kl_error *err) {
    size_t bytes = pruning_workspace_bytes(task->op, &task->shape);
    if (bytes <= steps->workspace_bytes) return KL_OK;
    cudaFree(steps->d_workspace);
    steps->d_workspace = NULL;
    steps->workspace_bytes = 0;
    KL_CUDA(err, cudaMalloc(&steps->d_workspace, bytes));
    steps->workspace_bytes = bytes;
    return KL_OK;
}

kl_status pruning_steps_run(pruning_steps *steps, int step, const pruning_task *task,
                            kl_error *err) {
    pruning_function *function = NULL;
    memcpy(&function, &steps->steps[step].function, sizeof function);
    pruning_task own = *task;
    TRY(make_workspace(steps, task, err));
    own.d_workspace = steps->d_workspace;
    return kl_step_check("", step, function(&own), err);
}
