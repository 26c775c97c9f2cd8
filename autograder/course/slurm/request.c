// SPDX-License-Identifier: MIT
// `--slurm` of `ladder grade`: see request.h.
#include "course/slurm/request.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

kl_status ladder_slurm_request_read(ladder_slurm_request *slurm, const char *submissions,
                                    const char *output, kl_error *err) {
    ladder_slurm_options *o = &slurm->options;
    bool any = o->partition || o->account || o->time_limit || o->gpus > 0 || o->chunk > 0 ||
               slurm->more.count > 0 || slurm->dry_run;
    o->more = slurm->more.items;
    o->more_count = slurm->more.count;
    if (slurm->task && (slurm->wanted || submissions || !output))
        return kl_fail(err, KL_ERROR_USAGE, "--slurm-task is for the tasks that --slurm submits");
    if (any && !slurm->wanted)
        return kl_fail(err, KL_ERROR_USAGE,
                       "--partition, --account, --gpus, --time-limit, --chunk, --sbatch and "
                       "--dry-run belong to --slurm");
    if (slurm->wanted && !submissions)
        return kl_fail(err, KL_ERROR_USAGE, "--slurm needs --submissions");
    return ladder_slurm_options_check(o, err);
}

kl_status ladder_slurm_absolute(char *path, kl_error *err) {
    char given[LADDER_PATH], here[LADDER_PATH];
    if (path[0] == '/') return KL_OK;
    if (!getcwd(here, sizeof here))
        return kl_fail(err, KL_ERROR_SYSTEM, "the folder of this command: %s", strerror(errno));
    TRY(ladder_path(given, err, "%s", path));
    return ladder_path(path, err, "%s/%s", here, given);
}

kl_status ladder_slurm_request_open(const ladder_slurm_request *slurm, char *output,
                                    char *out_folder, kl_error *err) {
    bool make = !slurm->dry_run;
    TRY(ladder_slurm_absolute(output, err));
    if (make && ladder_folder_make(output, err) != KL_OK)
        return kl_fail_prefix(err, "results must lie in a folder that all nodes can write "
                                   "(--output)");
    return ladder_slurm_folder(output, make, out_folder, err);
}
