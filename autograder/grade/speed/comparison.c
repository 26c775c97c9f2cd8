// SPDX-License-Identifier: MIT
// Speed of a step on a GPU: see comparison.h. Pairs of fresh processes, in each of them interleaved
// A B B A measurements with inputs in rotation.
#include "grade/speed/comparison.h"

#include <math.h>
#include <stdio.h>

#include "grade/speed/internal.h"
#include "utilities/defence.h"

enum {
    ROUNDS = 10,    // A B B A measurements of one pair of processes
    ROUNDS_MIN = 3, // when calls are so long that no noise reaches them
    NOISY_MAX = 10  // that are made anew in one pair because a timing came out negative
};

static const double timings_s = 3.0; // of one pair, when that leaves enough of them
// What a step can make of the time of the baseline beside it counts up to here, in its time alone.
static const double beside = 1.25;

// Long calls are many times longer than any noise, and fewer measurements do. 0: a single one would
// take longer than the whole criterion may.
static int count_rounds(const timed_runner *a, const timed_runner *b, double limit_s) {
    double round_s = 2 * LADDER_TIMED_SPANS * (a->calls_s + b->calls_s);
    if (ROUNDS_MIN * round_s > limit_s) return 0;
    double rounds = timings_s / round_s;
    return rounds < ROUNDS_MIN ? ROUNDS_MIN : rounds < ROUNDS ? (int)rounds : ROUNDS;
}

// The times of one measurement, of the baseline against itself or against the step.
typedef struct series {
    const ladder_comparison *of;
    const ladder_speed_sets *sets;
    const char *object;
    int step;
    double most_a; // see ladder_pair_ratio
    int count;
    double ratios[LADDER_RATIOS_MAX], over_s[LADDER_RATIOS_MAX], step_s[LADDER_RATIOS_MAX];
} series;

static double limit_of(const ladder_comparison *of) {
    return of->limit_s > 0 ? of->limit_s : LADDER_SPEED_SECONDS;
}

// Medians of one pair of fresh processes. A pause of the machine while k calls run can make 2k
// calls look shorter: such a measurement is made anew.
static kl_status compare_runners(timed_runner *a, timed_runner *b, series *s) {
    double ratios[ROUNDS], over_s[ROUNDS], step_s[ROUNDS];
    int noisy = 0, rounds = count_rounds(a, b, limit_of(a->of));
    if (rounds == 0) { // so slow a step is timed once, and its outputs are compared
        TRY(timed_runner_call(b, &s->step_s[s->count]));
        s->over_s[s->count] = a->calls_s / a->calls;
        s->ratios[s->count] = fmin(s->over_s[s->count], s->most_a) / s->step_s[s->count];
        return KL_OK;
    }
    for (int i = 0; i < rounds;) {
        double times[4];
        TRY(timed_runner_call(a, &times[0]));
        TRY(timed_runner_call(b, &times[1]));
        TRY(timed_runner_call(b, &times[2]));
        TRY(timed_runner_call(a, &times[3]));
        ratios[i] = ladder_pair_ratio(times, s->most_a);
        over_s[i] = 0.5 * (times[0] + times[3]);
        step_s[i] = 0.5 * (times[1] + times[2]);
        if (!isnan(ratios[i])) {
            i++;
        } else if (++noisy > NOISY_MAX) {
            return kl_fail(a->err, KL_ERROR_LIMIT,
                           "this machine is too noisy to time on: a call took %.3g and %.3g us",
                           1e6 * over_s[i], 1e6 * step_s[i]);
        }
    }
    s->ratios[s->count] = kl_median(ratios, (size_t)rounds);
    s->over_s[s->count] = kl_median(over_s, (size_t)rounds);
    s->step_s[s->count] = kl_median(step_s, (size_t)rounds);
    return KL_OK;
}

static kl_status compare_fresh(series *s, kl_error *err) {
    const ladder_comparison *of = s->of;
    timed_runner a = {.of = of}, b = {.of = of};
    kl_status status =
        timed_runner_open(of, s->sets, of->baseline_object, of->criterion->over, &a, err);
    if (status == KL_OK) status = timed_runner_open(of, s->sets, s->object, s->step, &b, err);
    if (status == KL_OK) status = compare_runners(&a, &b, s);
    if (status == KL_OK) status = timed_runner_keeps_inputs(&b);
    timed_runner_close(&b);
    timed_runner_close(&a);
    s->count += status == KL_OK;
    return status;
}

static void tell(const series *s, const char *what, int least) {
    const ladder_submission_run *run = s->of->run;
    char text[96];
    int of = s->count < least ? least : s->count + 1;
    snprintf(text, sizeof text, "timing, %s: pair %d of %d", what, s->count + 1, of);
    ladder_run_tell(run, run->step->step, text);
}

// The baseline against itself: decides whether this machine can be timed on.
static kl_status compare_same(series *s, double start, ladder_speed *out, kl_error *err) {
    const ladder_comparison *of = s->of;
    ladder_decision decision = LADDER_MORE;
    while (decision == LADDER_MORE) {
        tell(s, "baseline against itself", LADDER_SAMES);
        if (compare_fresh(s, err) != KL_OK) {
            kl_fail_prefix(err, "the kit's own step %d", of->criterion->over);
            return KL_ERROR_SYSTEM; // whatever it is, it is not the submission's fault
        }
        bool last = s->count >= LADDER_SAMES && kl_now_s() - start > 0.5 * limit_of(of);
        decision = ladder_decide_same(of->tolerance, s->ratios, s->count, last, &out->same);
    }
    out->same_pairs = s->count;
    out->over_s = kl_median(s->over_s, (size_t)s->count);
    if (decision == LADDER_DECIDED) return KL_OK;
    return kl_fail(err, KL_ERROR_LIMIT,
                   "this machine is too noisy to time on: step %d against itself gave ratios "
                   "between %.3f and %.3f in %d pairs of processes",
                   of->criterion->over, out->same.low, out->same.high, s->count);
}

// A call that moves all its bytes faster than the card's memory has not moved them. Only where the
// inputs in rotation cannot lie in the L2 cache together.
static kl_status check_roof(const ladder_comparison *of, const ladder_speed_sets *sets,
                            double step_s, kl_error *err) {
    const ladder_gpu *gpu = &of->run->plan->card;
    const kl_prepared *p = &sets->items[0].data;
    double bytes = (double)ladder_input_bytes(p);
    bool cached = bytes * sets->count < 2.0 * (double)gpu->l2_bytes;
    if (!(gpu->bytes_s > 0) || cached || p->shape.host) return KL_OK;
    double least_s = fmin(bytes, p->shape.work_bytes) / gpu->bytes_s;
    bool possible = step_s * LADDER_SPEED_ROOF >= least_s;
    if (possible || !ladder_defence_on(LADDER_DEFENCE_SPEED_ROOF)) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "impossible speed: a call took %.3g us, but this card cannot read the input in "
                   "less than %.3g us",
                   1e6 * step_s, 1e6 * least_s);
}

static kl_status find_sets(const ladder_comparison *of, const ladder_speed_sets **out_sets,
                           kl_error *err) {
    *out_sets =
        ladder_cases_find_speed(of->run->plan->cases, of->criterion->family, of->criterion->size);
    return *out_sets ? KL_OK : kl_fail(err, KL_ERROR_SYSTEM, "no inputs were made for the timing");
}

kl_status ladder_time_step(const ladder_comparison *of, double *out_s, kl_error *err) {
    const ladder_speed_sets *sets = NULL;
    TRY(find_sets(of, &sets, err));
    timed_runner r;
    kl_status status = timed_runner_open(of, sets, of->run->object, of->run->step->step, &r, err);
    if (status == KL_OK) status = timed_runner_call(&r, out_s);
    timed_runner_close(&r);
    return status;
}

kl_status ladder_compare_speed(const ladder_comparison *of, ladder_speed *out_speed,
                               kl_error *err) {
    const ladder_speed_sets *sets = NULL;
    TRY(find_sets(of, &sets, err));
    double start = kl_now_s();
    series same = {.of = of,
                   .sets = sets,
                   .object = of->baseline_object,
                   .step = of->criterion->over,
                   .most_a = INFINITY};
    *out_speed = (ladder_speed){.pairs = 0};
    TRY(compare_same(&same, start, out_speed, err));
    series timed = {.of = of,
                    .sets = sets,
                    .object = of->run->object,
                    .step = of->run->step->step,
                    .most_a = beside * out_speed->over_s};
    ladder_decision decision = LADDER_MORE;
    while (decision == LADDER_MORE) {
        tell(&timed, "step against baseline", LADDER_RATIOS);
        TRY(compare_fresh(&timed, err));
        bool last = kl_now_s() - start > limit_of(of);
        decision =
            ladder_decide_speed(&of->threshold, timed.ratios, timed.count, last, &out_speed->ratio);
    }
    out_speed->pairs = timed.count;
    out_speed->doubt = decision == LADDER_DOUBT;
    out_speed->step_s = kl_median(timed.step_s, (size_t)timed.count);
    out_speed->seconds = kl_now_s() - start;
    return check_roof(of, sets, out_speed->step_s, err);
}
