// Counts of steps for formulas: see predict.h.
#include "learn/predict/predict.h"
#include "show/profile/profile.h"

kl_status ladder_counting_take(const ladder_kit *kit, const ladder_lab *lab, int step,
                               bool solution, const ladder_counted_case *item,
                               ladder_counts *out_counts, kl_error *err) {
    char size[32];
    snprintf(size, sizeof size, "%lld", (long long)item->size);
    memset(out_counts, 0, sizeof *out_counts);
    out_counts->size = item->size;
    ladder_profile *profile = calloc(1, sizeof *profile);
    if (!profile) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a profile");
    kl_status status = (item->built ? ladder_profile_built_step : ladder_profile_step)(
        kit, lab, step, solution, size, item->family, NULL, profile, err);
    for (uint32_t i = profile->prepare_launches; status == KL_OK && i < profile->count; i++)
        if (profile->launches[i]->fault.kind != SIM_OK)
            status = kl_fail(err, KL_ERROR_INPUT, "step %d: %.300s", step,
                             profile->launches[i]->fault.text);
        else ladder_counts_add(out_counts, profile->launches[i], &profile->device);
    kl_case shape;
    const kl_problem *problem = lab->problem;
    int family = kl_problem_family(problem, item->family);
    if (problem->describe(family, item->size, problem->default_seed, &shape, NULL) == KL_OK)
        out_counts->program = shape.program;
    out_counts->call = profile->call;
    out_counts->wrong = profile->wrong;
    ladder_profile_free(profile);
    free(profile);
    return status;
}

static kl_status find(ladder_counting *c, int step, const ladder_counts **out_counts,
                      kl_error *err) {
    for (int i = 0; i < c->count; i++) {
        if (c->taken[i].step != step) continue;
        *out_counts = &c->taken[i].counts;
        return KL_OK;
    }
    if (c->count == LADDER_COUNTING_STEPS)
        return kl_fail(err, KL_ERROR_LIMIT, "a formula needs too many steps");
    const ladder_counted_case item = {c->family, c->size, false};
    TRY(ladder_counting_take(c->kit, c->lab, step, c->solution, &item, &c->taken[c->count].counts,
                             err));
    c->taken[c->count].step = step;
    *out_counts = &c->taken[c->count++].counts;
    return KL_OK;
}

typedef struct lookup {
    ladder_counting *counting;
    int step;
} lookup;

static kl_status look_up(void *context, const char *name, int step, double *out_value,
                         kl_error *err) {
    const lookup *l = context;
    ladder_counting *c = l->counting;
    const ladder_counts *counts = NULL;
    if (!ladder_counter_known(name))
        return kl_fail(err, KL_ERROR_INPUT, "unknown quantity '%s'", name);
    if (step == LADDER_FORMULA_OWN) step = l->step;
    if (step == LADDER_FORMULA_BEFORE)
        step = ladder_questions_step_before(c->lab->problem, c->family, l->step);
    if (step < 0)
        return kl_fail(err, KL_ERROR_INPUT, "no step before step %d has this case", l->step);
    if (c->past && strcmp(name, "time_us") == 0) {
        *out_value = ladder_past_time_us(c->kit, c->lab, step, c->family, c->size);
        if (isfinite(*out_value)) return KL_OK;
    }
    TRY(find(c, step, &counts, err));
    *out_value = ladder_quantity(name, counts);
    return KL_OK;
}

kl_status ladder_counting_value(ladder_counting *counting, int step, const char *formula,
                                double *out_value, kl_error *err) {
    lookup l = {counting, step};
    *out_value = NAN;
    return ladder_formula_value(formula, look_up, &l, out_value, err);
}

// -------------------------------------------------------------------------------------------------
// Modelled times of the student's last runs. A line of the file: kind and name of the device,
// "yours", step, case, size, hash of the step's file, microseconds, and more.

double ladder_past_time_us(const ladder_kit *kit, const ladder_lab *lab, int step,
                           const char *family, int64_t size) {
    char path[LADDER_PATH], source[LADDER_PATH], key[512], *line = NULL;
    size_t capacity = 0;
    double time_us = NAN;
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    const char *chosen = getenv("LADDER_SIM_DEVICE");
    const sim_device *device = sim_device_find(chosen ? chosen : "h100");
    if (!info || !device || ladder_kit_step_file(kit, lab, info, false, source, NULL) != KL_OK ||
        ladder_path(path, NULL, "%s/labs/%s/past_runs.txt", kit->build, lab->folder) != KL_OK)
        return NAN;
    snprintf(key, sizeof key, "sim %s (simulated)\tyours\t%d\t%s\t%" PRId64 "\t%" PRIx64 "\t",
             device->name, step, family, size, kl_step_file_hash(source));
    FILE *in = fopen(path, "r");
    while (in && isnan(time_us) && getline(&line, &capacity, in) > 0)
        if (strncmp(line, key, strlen(key)) == 0) time_us = strtod(line + strlen(key), NULL);
    free(line);
    if (in) fclose(in);
    return time_us > 0 ? time_us : NAN;
}
