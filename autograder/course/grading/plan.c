// How `ladder grade` grades: device, limits, seed and inputs. See internal.h.
#include "course/grading/internal.h"
#include "grade/run/grade_submission.h"
#include "sandbox/process/machine.h"

// Limits and defaults that neither the command line nor the rubric sets.
enum {
    DEFAULT_INSTRUCTIONS = 1000000000,
    NEXT_ON_GPU = 2 // submissions at a time: one is prepared while another one is timed
};
static const uint64_t step_memory = UINT64_C(1) << 30; // with less, many steps run twice

static double first_set(double asked, double of_rubric, double usual) {
    return asked > 0 ? asked : of_rubric > 0 ? of_rubric : usual;
}

// A limit of time that nobody has stated for this machine grows with its slowness.
static double stretched(double asked, double of_rubric, double usual, double slowness) {
    return first_set(asked, of_rubric, usual) * (asked > 0 ? 1 : ladder_machine_factor(slowness));
}

double ladder_grading_submission_limit(const ladder_grading *g) {
    return first_set(g->request->submission_s, g->request->lab->rubric->submission_s,
                     LADDER_SUBMISSION_SECONDS);
}

kl_status ladder_grading_build_adapter(const ladder_grading *g, kl_error *err) {
    bool failed = false;
    TRY(ladder_kit_build_adapter(&g->kit, g->request->lab, &failed, err));
    return failed ? kl_fail(err, KL_ERROR_SYSTEM, "the lab's own files do not build") : KL_OK;
}

// Better said once, before, than for every step.
static kl_status require_programs(const ladder_grading *g, kl_error *err) {
    char path[LADDER_PATH];
    if (!g->request->slurm.task) // what a task needs was built before
        TRY(ladder_grading_build_adapter(g, err));
    TRY(ladder_kit_runner(&g->kit, path, err));
    TRY(ladder_kit_adapter(&g->kit, g->request->lab->folder, path, err));
    TRY(ladder_kit_engine(&g->kit, path, err));
    return ladder_kit_simulator(&g->kit, path, err);
}

static kl_status choose_device(ladder_grading *g, bool *out_gpu, ladder_gpu *out_card,
                               kl_error *err) {
    const char *word = g->request->device;
    TRY(ladder_device_choose(word, err));
    bool gpu = ladder_device_may_be_gpu(word) && ladder_gpu_find(out_card);
    *out_gpu = gpu;
    if (strcmp(word, "gpu") == 0 && !gpu) {
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "no usable GPU here; use --device sim, or see: "
                       "./ladder doctor");
    }
    snprintf(g->device, sizeof g->device, "%s%ssimulated %s%s", gpu ? out_card->name : "",
             gpu ? " for answers and times, " : "", ladder_device_simulated()->name,
             gpu ? " for counts" : "");
    return KL_OK;
}

// Thresholds that `ladder calibrate` measured on this card; *out stays as it is where there are
// none.
static kl_status take_thresholds(ladder_grading *g, const char *card, const ladder_thresholds **out,
                                 kl_error *err) {
    char path[LADDER_PATH];
    const ladder_lab *lab = g->request->lab;
    if (card[0] == '\0') return KL_OK;
    TRY(ladder_thresholds_path(&g->kit, lab, card, path, err));
    if (!ladder_file_exists(path)) return KL_OK;
    TRY(ladder_thresholds_read(path, false, lab, card, &g->thresholds, err));
    *out = &g->thresholds;
    return KL_OK;
}

kl_status ladder_grading_require_sandbox(const ladder_grading *g, kl_error *err) {
    if (ladder_grading_is_own(g) || ladder_sandbox_find() == LADDER_SANDBOX_ISOLATED) return KL_OK;
    if (!g->request->unsafe) {
        return kl_fail(
            err, KL_ERROR_SYSTEM,
            "there is no sandbox here (%.200s), so a submission could read your files and use "
            "your network. To do: %.200s. With --unsafe they are graded all the same; "
            "see also: ./ladder doctor",
            ladder_sandbox_problem(), ladder_sandbox_advice());
    }
    fprintf(stderr,
            "ladder grade: WITHOUT A SANDBOX (--unsafe): submissions can read your files and "
            "use your network: %.200s\n",
            ladder_sandbox_problem());
    return KL_OK;
}

// Whether the compiler, and a runner on a GPU, work in the sandbox; else it is given up.
static kl_status try_sandbox(const ladder_grading *g, bool gpu, kl_error *err) {
    bool stood = ladder_sandbox_find() == LADDER_SANDBOX_ISOLATED;
    ladder_build_try_sandbox(&g->kit);
    if (gpu) ladder_sandbox_try_gpu();
    return stood ? ladder_grading_require_sandbox(g, err) : KL_OK;
}

kl_status ladder_grading_seed(ladder_grading *g, kl_error *err) {
    const ladder_grade_request *r = g->request;
    ladder_journal_state before = {0};
    if (r->slurm.task) return KL_OK; // that of the whole run
    g->seed = (uint64_t)r->seed;
    if (r->seed >= 0) return KL_OK;
    if (r->slurm.wanted && r->resume && ladder_slurm_seed(g->output, &g->seed)) return KL_OK;
    if (r->submissions) before = ladder_journal_read(g->output, r->lab);
    if (before.unfinished && !r->resume) {
        fprintf(stderr,
                "ladder grade: an earlier run into %s was stopped after %zu submissions; --resume "
                "goes on with it, this run begins anew\n",
                g->output, before.graded);
    }
    if (!before.unfinished || !r->resume) return ladder_secret_seed(&g->seed, err);
    g->seed = before.seed;
    return KL_OK;
}

// Compiled steps, NULL where they are not kept. One's own are kept beside the build; those of a
// class last as long as its run.
static kl_status open_cache(ladder_grading *g, const ladder_step_cache **out_cache, kl_error *err) {
    char folder[LADDER_PATH];
    bool class = !ladder_grading_is_own(g);
    TRY(class ? ladder_path(folder, err, "%s/compiled", g->work)
              : ladder_path(folder, err, "%s/compiled-%u", g->kit.build, (unsigned)geteuid()));
    // Without one everything is compiled.
    *out_cache =
        ladder_step_cache_open(folder, class, &g->compiled, NULL) == KL_OK ? &g->compiled : NULL;
    return KL_OK;
}

// The case whose answers this machine's runtime gives.
static kl_status ask_runtime(ladder_grading *g, bool gpu, kl_error *err) {
    char *text = NULL;
    TRY(ladder_query_run(&g->kit, g->request->lab, gpu, &text, err));
    kl_status status = ladder_cases_add_query(&g->cases, text, err);
    free(text);
    return status;
}

static kl_status make_cases(ladder_grading *g, bool gpu, kl_error *err) {
    const ladder_lab *lab = g->request->lab;
    TRY(ladder_rubric_check(lab->rubric, lab->problem, ladder_counter_known, err));
    TRY(ladder_rubric_check_modelled(lab->rubric, lab->folder, err));
    TRY(ladder_cases_make(lab, g->seed, g->quick, &g->cases, err));
    return lab->problem->of_query ? ask_runtime(g, gpu, err) : KL_OK;
}

// What times on a GPU need: the steps that others are compared with, and sets of inputs.
static kl_status make_speed(ladder_grading *g, kl_error *err) {
    TRY(ladder_folder_make(g->baseline, err));
    TRY(ladder_grade_baselines(&g->plan, g->baseline, err));
    return ladder_cases_make_speed(&g->cases, err);
}

kl_status ladder_grading_plan(ladder_grading *g, kl_error *err) {
    const ladder_grade_request *r = g->request;
    const ladder_rubric *rubric = r->lab->rubric;
    const ladder_thresholds *thresholds = NULL;
    const ladder_step_cache *compiled = NULL;
    ladder_gpu card = {.name = ""};
    bool gpu = false;
    long cores = kl_processors();
    if (r->slurm.task) cores = ladder_slurm_processors(cores);
    TRY(require_programs(g, err));
    TRY(choose_device(g, &gpu, &card, err));
    if (gpu) TRY(take_thresholds(g, card.name, &thresholds, err));
    TRY(try_sandbox(g, gpu, err));
    TRY(open_cache(g, &compiled, err));
    if (ladder_grading_is_own(g)) kl_ticker_say("inputs and answers");
    TRY(make_cases(g, gpu, err));
    TRY(ladder_path(g->baseline, err, "%s/baseline", g->work));
    int64_t busy = gpu ? cores - (cores + 3) / 4 : cores; // a clock needs processors at rest
    uint64_t machine = ladder_memory_of_machine();
    int64_t usual = gpu ? NEXT_ON_GPU : (cores + 1) / 2,
            most = ladder_submissions_at_a_time(machine);
    if (usual > most) usual = most;
    int64_t jobs = r->jobs > 0 ? r->jobs : g->class.count == 1 ? 1 : usual;
    int64_t share = busy / jobs; // of a submission
    uint64_t memory = r->memory > 0 ? (uint64_t)r->memory : ladder_submission_memory(machine, jobs);
    uint64_t most_steps = memory / step_memory > 1 ? memory / step_memory : 1;
    int64_t at_a_time = share < (int64_t)most_steps ? share : (int64_t)most_steps;
    double slowness = ladder_machine_slowness();
    g->class.jobs = (int)jobs;
    g->plan = (ladder_grade_plan){
        .kit = &g->kit,
        .lab = r->lab,
        .cases = &g->cases,
        .gpu = gpu,
        .card = card,
        .thresholds = thresholds,
        .baseline_folder = gpu ? g->baseline : NULL,
        .first_failure = r->first_failure,
        .build_s = stretched(r->build_s, rubric->build_s, LADDER_BUILD_SECONDS, slowness),
        .case_s = stretched(r->case_s, rubric->case_s, LADDER_CASE_SECONDS, slowness),
        .submission_s =
            stretched(r->submission_s, rubric->submission_s, LADDER_SUBMISSION_SECONDS, slowness),
        .slowness = slowness,
        .instructions = r->instructions > 0        ? (uint64_t)r->instructions
                        : rubric->instructions > 0 ? rubric->instructions
                                                   : DEFAULT_INSTRUCTIONS,
        .memory_bytes = memory,
        .card_folder = gpu ? g->work : NULL,
        .threads = 1,
        .steps_at_a_time = at_a_time < 1 ? 1 : (int)at_a_time,
        .compiled = compiled};
    return gpu ? make_speed(g, err) : KL_OK;
}
