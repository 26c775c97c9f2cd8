// SPDX-License-Identifier: MIT
// How `ladder grade` grades: device, limits, seed and inputs. See parts.h.
#include "course/grading/parts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "course/class/journal.h"
#include "grade/judge/budget.h"
#include "grade/judge/query.h"
#include "utilities/devices.h"
#include "utilities/files.h"
#include "sandbox/process/kit_build.h"
#include "grade/rubric/speed_hash.h"

// Limits and defaults that neither the command line nor the rubric sets.
enum { DEFAULT_INSTRUCTIONS = 1000000000, DEFAULT_MEMORY = 2047 << 20 };

static kl_status choose_device(ladder_grading *g, kl_error *err) {
    const char *wish = g->options.device;
    TRY(ladder_device_choose(wish, err));
    bool has_gpu = ladder_device_may_be_gpu(wish) && ladder_kit_find_gpu(&g->judge.card);
    if (strcmp(wish, "gpu") == 0 && !has_gpu) {
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "no usable GPU here; use --device sim, or see: "
                       "ladder doctor");
    }
    g->judge.gpu = has_gpu;
    snprintf(g->device, sizeof g->device, "%s%ssimulated %s%s", has_gpu ? g->judge.card.name : "",
             has_gpu ? " for answers and times, " : "", ladder_device_simulated()->name,
             has_gpu ? " for counts" : "");
    return KL_OK;
}

// Thresholds that `ladder calibrate` measured on this card.
static kl_status take_thresholds(ladder_grading *g, kl_error *err) {
    char path[LADDER_PATH];
    if (!g->judge.gpu || g->judge.card.name[0] == '\0') return KL_OK;
    TRY(ladder_thresholds_path(&g->kit, g->lab, g->judge.card.name, path, err));
    if (!ladder_file_exists(path)) return KL_OK;
    TRY(ladder_thresholds_read(path, g->lab, g->judge.card.name, &g->thresholds, err));
    g->judge.thresholds = &g->thresholds;
    return KL_OK;
}

kl_status ladder_grading_build_adapter(const ladder_grading *g, kl_error *err) {
    bool failed = false;
    TRY(ladder_kit_build_adapter(&g->kit, g->lab, &failed, err));
    return failed ? kl_fail(err, KL_ERROR_SYSTEM, "the lab's own files do not build") : KL_OK;
}

double ladder_grading_submission_limit(const ladder_grading *g) {
    double rubric_s = g->lab->rubric->submission_s;
    return g->options.submission_s > 0 ? g->options.submission_s
           : rubric_s > 0              ? rubric_s
                                       : LADDER_SUBMISSION_SECONDS;
}

kl_status ladder_grading_judge(ladder_grading *g, kl_error *err) {
    const ladder_grading_options *o = &g->options;
    const ladder_rubric *rubric = g->lab->rubric;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ladder_judge *j = &g->judge;
    char path[LADDER_PATH];
    if (o->slurm.task != NULL)
        cores = ladder_slurm_processors(cores); // and what it needs was built before
    else
        TRY(ladder_grading_build_adapter(g, err));
    TRY(ladder_kit_runner(&g->kit, path, err)); // better said once, before, than for every step
    TRY(ladder_kit_adapter(&g->kit, g->lab, path, err));
    TRY(ladder_kit_engine(&g->kit, path, err));
    TRY(ladder_kit_simulator(&g->kit, path, err));
    TRY(choose_device(g, err));
    TRY(take_thresholds(g, err));
    if (g->options.jobs == 0) g->options.jobs = g->count == 1 || j->gpu ? 1 : (cores + 1) / 2;
    j->kit = &g->kit;
    j->lab = g->lab;
    j->cases = &g->cases;
    j->first_failure = o->first_failure;
    j->build_s = o->build_s > 0        ? o->build_s
                 : rubric->build_s > 0 ? rubric->build_s
                                       : LADDER_BUILD_SECONDS;
    j->case_s = o->case_s > 0        ? o->case_s
                : rubric->case_s > 0 ? rubric->case_s
                                     : LADDER_CASE_SECONDS;
    j->submission_s = ladder_grading_submission_limit(g);
    j->instructions = o->instructions > 0        ? (uint64_t)o->instructions
                      : rubric->instructions > 0 ? rubric->instructions
                                                 : DEFAULT_INSTRUCTIONS;
    j->memory_bytes = o->memory > 0 ? (uint64_t)o->memory : DEFAULT_MEMORY;
    long share = cores / g->options.jobs;
    j->steps_at_a_time = j->gpu || share < 1 ? 1 : (int)share; // times are taken one by one
    j->threads = j->gpu && share > 1 ? (unsigned)share : 1;
    return KL_OK;
}

// The case whose answers this machine's runtime gives.
static kl_status ask_runtime(ladder_grading *g, kl_error *err) {
    char *text = NULL;
    TRY(ladder_query_run(g->judge.kit, g->lab, g->judge.gpu, &text, err));
    kl_status status = ladder_cases_add_query(&g->cases, text, err);
    free(text);
    return status;
}

kl_status ladder_grading_seed(ladder_grading *g, kl_error *err) {
    const ladder_grading_options *o = &g->options;
    ladder_journal_state before = {0};
    if (o->slurm.task != NULL) return KL_OK; // that of the whole run
    g->seed = (uint64_t)o->seed;
    if (o->seed >= 0) return KL_OK;
    if (o->slurm.wanted && o->resume && ladder_slurm_seed(g->output, &g->seed)) return KL_OK;
    if (o->submissions != NULL) before = ladder_journal_read(g->output, g->lab);
    if (before.unfinished && !o->resume) {
        fprintf(stderr,
                "ladder grade: an earlier run into %s was stopped after %zu submissions; --resume "
                "goes on with it, this run begins anew\n",
                g->output, before.graded);
    }
    if (!before.unfinished || !o->resume) return ladder_secret_seed(&g->seed, err);
    g->seed = before.seed;
    return KL_OK;
}

kl_status ladder_grading_cases(ladder_grading *g, kl_error *err) {
    TRY(ladder_rubric_check(g->lab->rubric, g->lab->problem, ladder_counter_known, err));
    TRY(ladder_rubric_check_modelled(g->lab->rubric, g->lab->folder, err));
    TRY(ladder_cases_make(g->lab, g->seed, g->options.quick, &g->cases, err));
    if (g->lab->problem->of_query != NULL) TRY(ask_runtime(g, err));
    if (!g->judge.gpu) return KL_OK;
    TRY(ladder_path(g->baseline, err, "%s/baseline", g->work));
    TRY(ladder_folder_make(g->baseline, err));
    TRY(ladder_grade_baselines(&g->judge, g->baseline, err));
    return ladder_cases_make_speed(&g->cases, err);
}

kl_status ladder_grading_cache(ladder_grading *g, kl_error *err) {
    char folder[LADDER_PATH];
    bool class = !ladder_grading_is_own(g);
    TRY(class ? ladder_path(folder, err, "%s/compiled", g->work)
              : ladder_path(folder, err, "%s/compiled-%u", g->kit.build, (unsigned)geteuid()));
    // Without one everything is compiled.
    if (ladder_step_cache_open(folder, class, &g->compiled, NULL) == KL_OK)
        g->judge.compiled = &g->compiled;
    return KL_OK;
}
