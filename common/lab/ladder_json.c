// The only writer of ladder.run/2 (run.txt), a row for each result. Fields are only ever added; a
// change of meaning is a new number. Values that are not known are null.
#include "ladder.h"

static void write_device(kl_json *json, const kl_ladder *ladder) {
    const kl_device *d = &ladder->device;
    kl_json_put(json,
                "device (kind %s name %s multiprocessors %d capability %d l2_bytes %lu "
                "runtime_version %d driver_version %d)",
                d->simulated ? "sim" : "gpu", d->name, d->multiprocessors,
                10 * d->capability_major + d->capability_minor, d->l2_bytes, d->runtime_version,
                d->driver_version);

    kl_json_put(json, "ceilings (kind %s read_gbs %g copy_gbs %g launch_us %g fma_tflops %g",
                d->simulated ? "modelled" : "measured", ladder->ceilings.read_gbs,
                ladder->ceilings.copy_gbs, ladder->ceilings.launch_us, ladder->ceilings.fma_tflops);
    if (ladder->problem->ceiling == KL_CEILING_LINK)
        kl_json_number(json, "link_gbs", ladder->ceilings.link_gbs);
    if (ladder->problem->ceiling == KL_CEILING_TENSOR)
        kl_json_number(json, "tensor_tflops", ladder->ceilings.tensor_tflops);
    kl_json_end(json);
}

static void write_interval(kl_json *json, const char *key, const kl_interval *us) {
    kl_json_put(json, "%s [%g %g]", key, us->low, us->high);
}

// Right, which is all that there is to say of it.
static bool is_checked_only(const kl_case_result *c) {
    return c->state == LADDER_CORRECT && !isfinite(c->time_us.mid);
}

static const kl_case *shape_of(const kl_ladder *ladder, int index) {
    return &ladder->plan->cases[index].data.shape;
}

static const char *family_of(const kl_ladder *ladder, int index) {
    return ladder->problem->families[shape_of(ladder, index)->family].name;
}

static bool is_family_before(const kl_ladder *ladder, const kl_ladder_step *step, int index) {
    for (int i = 0; i < index; i++)
        if (is_checked_only(&step->cases[i]) &&
            shape_of(ladder, i)->family == shape_of(ladder, index)->family)
            return true;
    return false;
}

// The sizes of the cases that were right and not timed, by family.
static void write_checked(kl_json *json, const kl_ladder *ladder, const kl_ladder_step *step) {
    kl_json_row(json, "checked");
    for (int i = 0; i < ladder->plan->count; i++) {
        if (!is_checked_only(&step->cases[i]) || is_family_before(ladder, step, i)) continue;
        kl_json_list(json, family_of(ladder, i));
        for (int k = i; k < ladder->plan->count; k++)
            if (is_checked_only(&step->cases[k]) &&
                shape_of(ladder, k)->family == shape_of(ladder, i)->family)
                kl_json_int(json, NULL, shape_of(ladder, k)->size);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_case_result(kl_json *json, const kl_ladder *ladder, const kl_ladder_step *step,
                              int index) {
    const kl_case_result *c = &step->cases[index];
    const kl_case *shape = shape_of(ladder, index);
    if (c->state == LADDER_NOT_RUN || is_checked_only(c)) return;
    kl_json_put(json, "(case %s size %ld state %s", family_of(ladder, index), shape->size,
                ladder_outcome_word(c->state));
    if (c->verdict.compared > 0)
        kl_json_put(json, "max_error %g bound %g", c->verdict.max_error, c->verdict.bound);
    if (c->state == LADDER_WRONG_ANSWER) {
        kl_json_put(json, "first_wrong %lu expected %g got %g hint %s", c->verdict.first_wrong,
                    c->verdict.expected, c->verdict.got, c->verdict.hint);
    }
    if (c->text[0] != '\0') kl_json_string(json, "error", c->text);
    if (isfinite(c->time_us.mid)) {
        kl_json_number(json, "time_us", c->time_us.mid);
        write_interval(json, "ci_us", &c->time_us);
        kl_json_put(json, "samples %d rate %g", c->samples, kl_ladder_rate(ladder, step, index));
        if (shape->padded_ops > 0.0) // the part of the tiles' arithmetic that the result needs
            kl_json_number(json, "padding_share", shape->work_ops / shape->padded_ops);
    }
    if (isfinite(c->prepare_us)) kl_json_number(json, "prepare_us", c->prepare_us);
    kl_json_end(json);
}

// Largest error relative to its bound over the step's cases; *out_bound is that case's bound.
static double worst_error(const kl_ladder *ladder, const kl_ladder_step *step, double *out_bound) {
    double error = NAN;
    double worst = -1.0;
    *out_bound = NAN;
    for (int i = 0; i < ladder->plan->count; i++) {
        const kl_verdict *v = &step->cases[i].verdict;
        if (v->compared == 0) continue;
        double ratio = v->max_error == 0 ? 0 : v->max_error / v->bound; // x / 0 is infinite
        if (ratio > worst) {
            worst = ratio;
            error = v->max_error;
            *out_bound = v->bound;
        }
    }
    return error;
}

// Raw counters of the main case, empty on a GPU.
static void write_counters(kl_json *json, const kl_counts *counts) {
    if (counts) kl_json_line(json);
    kl_json_row(json, "counters");
    for (int i = 0; counts && i < counts->count; i++)
        kl_json_number(json, kl_counts_name(i), counts->values[i]);
    kl_json_end(json);
}

// Of each family the most warp instructions of a call for a warp's worth of work; of cases with
// hardly any work it would say nothing.
static void write_executed(kl_json *json, const kl_ladder *ladder, const kl_ladder_step *step) {
    const double lanes = 32, least_work = 1024;
    kl_json_row(json, "executed");
    for (int f = 0; f < ladder->problem->family_count; f++) {
        double most = 0;
        for (int i = 0; i < ladder->plan->count; i++) {
            double work = kl_case_work(shape_of(ladder, i));
            if (shape_of(ladder, i)->family != f || work < least_work) continue;
            double per_work = step->cases[i].executed / (work / lanes);
            if (step->cases[i].state == LADDER_CORRECT && per_work > most) most = per_work;
        }
        if (most > 0) kl_json_number(json, ladder->problem->families[f].name, most);
    }
    kl_json_end(json);
}

static void write_step(kl_json *json, const kl_ladder *ladder, const kl_ladder_step *step,
                       const char *key) {
    int m = ladder->plan->main_of[1 + step->number];
    bool right = step->state == LADDER_CORRECT;
    const kl_interval none = {NAN, NAN, NAN};
    const kl_interval us = m >= 0 && right ? step->cases[m].time_us : none;
    double rate = right ? kl_ladder_rate(ladder, step, m) : NAN;
    const kl_ladder_unit unit = kl_ladder_unit_of(ladder);
    double bound = NAN;
    double error = worst_error(ladder, step, &bound);

    kl_json_row(json, key);
    kl_json_put(json,
                "step %d name %s state %s implemented %hhd correct %hhd max_error %g "
                "bound %g time_us %g time_kind %s",
                step->number, step->name, ladder_outcome_word(step->state),
                step->state != LADDER_COMPILE_ERROR &&
                    (step->state == LADDER_NOT_RUN ||
                     ladder_outcome_kind_of(step->state) != LADDER_KIND_ABSENT),
                right, error, bound, us.mid, ladder->device.simulated ? "modelled" : "measured");
    write_interval(json, "ci_us", &us);
    kl_json_put(json, "rate %g rate_unit %s ceiling_fraction %g speedup_vs_first %g", rate,
                unit.rate, kl_ladder_share(ladder, step),
                kl_ladder_first_us(ladder, step) / us.mid);
    kl_ladder_before_step before; // of this run, or as its last run was
    kl_ladder_before(ladder, step->number, &before);
    kl_json_put(json, "speedup_vs_before %g reason %s", before.run.time_us / us.mid, step->reason);
    if (step->text[0] != '\0') kl_json_string(json, "error", step->text);
    const kl_side_check *check = step->check;
    if (check) kl_json_put(json, "check {findings %d text %s}", check->findings, check->text);
    kl_json_line(json);
    write_executed(json, ladder, step);
    write_counters(json, m >= 0 && right ? &step->cases[m].counts : NULL);
    kl_json_line(json);
    write_checked(json, ladder, step);
    kl_json_line(json);
    kl_json_array(json, "results");
    for (int i = 0; i < ladder->plan->count; i++) write_case_result(json, ladder, step, i);
    kl_json_put(json, "])");
}

kl_status kl_ladder_write_json(const kl_ladder *ladder, kl_ladder_more *more, const void *context,
                               FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.run/2 lab %s solution %hhd ceiling %s",
                ladder->problem->name, ladder->solution, kl_ceiling_name(ladder->problem->ceiling));
    write_device(&json, ladder);

    kl_json_array(&json, "cases");
    for (int i = 0; i < ladder->plan->count; i++) {
        const kl_case *shape = shape_of(ladder, i);
        kl_json_put(&json, "(case %s size %ld timed %hhd main %hhd work_bytes %g work_ops %g)",
                    family_of(ladder, i), shape->size, ladder->plan->cases[i].timed,
                    i == ladder->plan->main_case, shape->work_bytes, shape->work_ops);
    }
    kl_json_end(&json);

    kl_json_array(&json, "steps");
    for (int i = 0; i < ladder->count; i++) write_step(&json, ladder, &ladder->steps[i], NULL);
    kl_json_end(&json);
    if (ladder->has_vendor) write_step(&json, ladder, &ladder->vendor, "vendor");
    if (more) more(context, ladder, &json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
