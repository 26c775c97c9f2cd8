// Speed of a step on a GPU: see speed.h. Pairs of fresh processes, in each of them interleaved
// A B B A measurements with inputs in rotation. Processes start, and inputs come to the card, while
// others may compute there; nobody else does while calls are timed.
#include "grade/speed/internal.h"
#include "utilities/defence.h"

enum {
    NOISY_MAX = 10, // measurements that are made anew in one pair because a timing was negative
    MORE_PAIRS = 2  // that are timed when those so far do not decide
};

static const double timings_s = 0.5; // of one pair, when that leaves a measurement of them
// So slow a step is timed once: this many measurements would take longer than the criterion may.
static const double slow_rounds = 3;
// What a step can make of the time of the baseline beside it counts up to here, in its time alone.
static const double beside = 1.25;

// Long calls are many times longer than any noise, and fewer measurements do.
static int count_rounds(const timed_runner *a, const timed_runner *b, double limit_s) {
    double round_s = 2 * LADDER_TIMED_SPANS * (a->calls_s + b->calls_s);
    if (slow_rounds * round_s > limit_s) return 0;
    double rounds = timings_s / round_s;
    return rounds < 1 ? 1 : rounds < LADDER_ROUNDS ? (int)rounds : LADDER_ROUNDS;
}

// The times of one measurement, of the baseline against itself or against the step.
typedef struct series {
    double most_a; // see ladder_pair_ratio
    int count;
    double ratios[LADDER_RATIOS_MAX], over_s[LADDER_RATIOS_MAX], step_s[LADDER_RATIOS_MAX];
} series;

// One comparison: its runners, of the baseline and, beside them, of the step.
typedef struct contest {
    const ladder_comparison *of;
    const ladder_speed_sets *sets;
    int fit; // pairs of runners that the card has room for
    timed_runner a[LADDER_TIMED_PAIRS], b[LADDER_TIMED_PAIRS];
    int a_count, b_count; // that are open
    series same, timed;
    ladder_card card;
    double start_s;
    ladder_speed_parts parts;
    kl_error *err;
} contest;

static double limit_of(const ladder_comparison *of) {
    return of->limit_s > 0 ? of->limit_s : LADDER_SPEED_SECONDS;
}

// Waiting for others is no part of it.
static double took_s(const contest *c) { return kl_now_s() - c->start_s - c->card.waited_s; }

// Medians of one pair of processes. A pause of the machine while k calls run can make 2k calls look
// shorter: such a measurement is made anew.
static kl_status compare_runners(timed_runner *a, timed_runner *b, series *s) {
    double ratios[LADDER_ROUNDS], over_s[LADDER_ROUNDS], step_s[LADDER_ROUNDS];
    TRY(timed_runner_calibrate(a));
    TRY(timed_runner_calibrate(b));
    int noisy = 0, rounds = count_rounds(a, b, limit_of(a->of));
    if (rounds == 0) { // so slow a step is timed once, and its outputs are compared
        TRY(timed_runner_call(b, &s->step_s[s->count]));
        s->over_s[s->count] = a->calls_s / a->calls;
        s->ratios[s->count] = fmin(s->over_s[s->count], s->most_a) / s->step_s[s->count];
        s->count++;
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
    s->count++;
    return KL_OK;
}

static void close_all(contest *c) {
    double before_s = kl_now_s();
    for (int i = 0; i < c->b_count; i++) timed_runner_close(&c->b[i]);
    for (int i = 0; i < c->a_count; i++) timed_runner_close(&c->a[i]);
    c->a_count = c->b_count = 0;
    c->parts.end_s += kl_now_s() - before_s;
}

// Opens what is missing to this many runners of the baseline and, behind them, of the other object.
// All start at the same time.
static kl_status open_runners(contest *c, int a_count, int b_count, const char *object, int step) {
    const ladder_comparison *of = c->of;
    timed_runner *opened[2 * LADDER_TIMED_PAIRS];
    int count = 0;
    double before_s = kl_now_s(), started_s;
    kl_status status = KL_OK;
    while (status == KL_OK && c->a_count < a_count) {
        timed_runner *r = opened[count++] = &c->a[c->a_count++];
        status = timed_runner_start(of, c->sets, of->baseline_object, of->criterion->over, true, r,
                                    c->err);
    }
    while (status == KL_OK && c->b_count < b_count) {
        timed_runner *r = opened[count++] = &c->b[c->b_count++];
        status =
            timed_runner_start(of, c->sets, object, step, object == of->baseline_object, r, c->err);
    }
    started_s = kl_now_s();
    c->parts.start_s += started_s - before_s;
    if (status == KL_OK) status = timed_runners_set_up(opened, count);
    c->parts.inputs_s += kl_now_s() - started_s;
    return status;
}

static void tell(const contest *c, const series *s, const char *what, int pairs) {
    const ladder_submission_run *run = c->of->run;
    char text[96];
    snprintf(text, sizeof text, "timing, %s: pairs %d to %d", what, s->count + 1, s->count + pairs);
    if (run->progress) run->progress(run->context, run->step->step, text);
}

// A step of the kit's against itself in `count` pairs: each runner against the next; where only one
// pair has room, its two runners.
static kl_status time_same(contest *c, int count) {
    const ladder_comparison *of = c->of;
    bool round = count > 1;
    TRY(open_runners(c, count, round ? 0 : 1, of->baseline_object, of->criterion->over));
    ladder_card_alone(&c->card);
    kl_status status = KL_OK;
    for (int i = 0; i < count && status == KL_OK; i++)
        status = compare_runners(&c->a[i], round ? &c->a[(i + 1) % count] : &c->b[0], &c->same);
    ladder_card_share(&c->card);
    return status;
}

// The baseline against itself: decides whether this machine can be timed on. Before any runner of
// the step starts, which could disturb it. Its last runners stay open.
static kl_status compare_same(contest *c, ladder_speed *out) {
    const ladder_comparison *of = c->of;
    series *s = &c->same;
    ladder_decision decision = LADDER_MORE;
    s->most_a = INFINITY;
    while (decision == LADDER_MORE) {
        int count = LADDER_SAMES_MAX - s->count < c->fit ? LADDER_SAMES_MAX - s->count : c->fit;
        tell(c, s, "baseline against itself", count);
        close_all(c);
        if (time_same(c, count) != KL_OK) {
            kl_fail_prefix(c->err, "the kit's own step %d", of->criterion->over);
            return KL_ERROR_SYSTEM; // whatever it is, it is not the submission's fault
        }
        bool last = s->count >= LADDER_RATIOS_FEW && took_s(c) > 0.5 * limit_of(of);
        decision = ladder_decide_same(of->tolerance, &of->threshold, s->ratios, s->count, last,
                                      &out->same);
    }
    out->over_s = kl_median(s->over_s, (size_t)s->count);
    if (decision == LADDER_DECIDED) return KL_OK;
    return kl_fail(c->err, KL_ERROR_LIMIT,
                   "this machine is too noisy to time on: step %d against itself gave ratios "
                   "between %.3f and %.3f in %d pairs of processes",
                   of->criterion->over, out->same.low, out->same.high, s->count);
}

// `count` pairs of the baseline and the step.
static kl_status time_pairs(contest *c, int count) {
    const ladder_submission_run *run = c->of->run;
    timed_runner *steps[LADDER_TIMED_PAIRS];
    TRY(open_runners(c, count, count, run->object, run->step->step));
    ladder_card_alone(&c->card);
    kl_status status = KL_OK;
    for (int i = 0; i < count && status == KL_OK; i++)
        status = compare_runners(&c->a[i], &c->b[i], &c->timed);
    ladder_card_share(&c->card);
    double before_s = kl_now_s();
    for (int i = 0; i < count; i++) {
        steps[i] = &c->b[i];
        if (status == KL_OK) status = timed_runner_compared(&c->b[i]);
    }
    if (status == KL_OK) status = timed_runners_keep_inputs(steps, count);
    c->parts.kept_s += kl_now_s() - before_s;
    return status;
}

static int pairs_wanted(const contest *c) {
    int least = c->of->pairs_least > LADDER_RATIOS_FEW ? c->of->pairs_least : LADDER_RATIOS_FEW;
    int wanted = least > c->timed.count ? least - c->timed.count : MORE_PAIRS;
    int left = LADDER_RATIOS_MAX - c->timed.count;
    wanted = wanted < left ? wanted : left;
    return wanted < c->fit ? wanted : c->fit;
}

static kl_status compare_steps(contest *c, ladder_speed *out) {
    const ladder_comparison *of = c->of;
    series *s = &c->timed;
    ladder_decision decision = LADDER_MORE;
    s->most_a = beside * out->over_s;
    if (c->b_count > 0) close_all(c); // they were the baseline's
    while (decision == LADDER_MORE) {
        int count = pairs_wanted(c);
        tell(c, s, "step against baseline", count);
        TRY(time_pairs(c, count));
        close_all(c);
        bool last = took_s(c) > limit_of(of);
        decision = ladder_decide_speed(&of->threshold, s->ratios, s->count, last, &out->ratio);
        if (s->count < of->pairs_least && !last) decision = LADDER_MORE;
    }
    out->pairs = s->count;
    out->doubt = decision == LADDER_DOUBT;
    out->step_s = kl_median(s->step_s, (size_t)s->count);
    return KL_OK;
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
    timed_runner r, *one[] = {&r};
    kl_status status =
        timed_runner_start(of, sets, of->run->object, of->run->step->step, false, &r, err);
    if (status == KL_OK) status = timed_runners_set_up(one, 1);
    if (status == KL_OK) status = timed_runner_calibrate(&r);
    if (status == KL_OK) status = timed_runner_call(&r, out_s);
    if (status == KL_OK) status = timed_runner_compared(&r);
    timed_runner_close(&r);
    return status;
}

kl_status ladder_compare_speed(const ladder_comparison *of, ladder_speed *out_speed,
                               kl_error *err) {
    const ladder_speed_sets *sets = NULL;
    TRY(find_sets(of, &sets, err));
    contest *c = calloc(1, sizeof *c);
    if (!c) return kl_fail(err, KL_ERROR_SYSTEM, "no memory for the timing");
    c->of = of;
    c->sets = sets;
    c->fit = timed_runners_fit(of, sets);
    c->start_s = kl_now_s();
    c->err = err;
    *out_speed = (ladder_speed){.pairs = 0};
    ladder_card_take(of->run->plan->card_folder, true, &c->card);
    kl_status status = compare_same(c, out_speed);
    if (status == KL_OK) status = compare_steps(c, out_speed);
    close_all(c);
    ladder_card_give(&c->card);
    out_speed->seconds = took_s(c);
    out_speed->parts = c->parts;
    out_speed->parts.alone_s = c->card.alone_s;
    out_speed->parts.waited_s = c->card.waited_s;
    free(c);
    return status == KL_OK ? check_roof(of, sets, out_speed->step_s, err) : status;
}
