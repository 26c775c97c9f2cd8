// SPDX-License-Identifier: MIT
// Speed of a step on a GPU: see measure_speed.h. Pairs of fresh processes, in each of them
// interleaved A B B A measurements with inputs in rotation.
#include "grade/judge/measure_speed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "utilities/defence.h"
#include "parallel.h"
#include "grade/judge/kept.h"
#include "random.h"

enum {
    ROUNDS = 10,    // A B B A measurements of one pair of processes
    ROUNDS_MIN = 3, // when calls are so long that no noise reaches them
    NOISY_MAX = 10, // that are made anew in one race because a timing came out negative
    SPANS = 4,      // output slots of a timing, in k: 2k calls, k calls, and k to warm up
    CALLS_MAX = LADDER_RUNNER_SLOTS / SPANS, // k
    // Bytes of outputs that are compared after one timing; fetching and comparing more takes longer
    // than the calls.
    COMPARE_MAX = 32 << 20,
    COMPARE_ONE_IN = 4, // timings, when these outputs are not all there are
    OUT_OF_MEMORY = 2,  // cudaErrorMemoryAllocation
};

static const double long_enough_s = 2.5e-3; // k calls: far above the noise of a socket's latency
static const uint64_t device_max = UINT64_C(16)
                                   << 30; // bytes of outputs on the GPU, for one runner
static const double race_s = 3.0;         // of timings in one race, when that leaves enough of them
// What a step can make of the time of the baseline beside it counts up to here, in its time alone.
static const double beside = 1.25;
static const double start_s = 60.0; // a cold driver may take many seconds

// One runner with its inputs on the device.
typedef struct racer {
    const ladder_speed_job *job;
    const ladder_speed_sets *sets;
    ladder_session session;
    bool open;
    int slots, calls; // calls: k
    double calls_s;   // what they took at first
    int file_slots;   // that are compared after one timing; fewer than 2k: chosen at random
    uint64_t draws;   // random numbers used so far
    uint64_t timings; // made so far
    unsigned char *outputs;
    uint64_t span; // bytes of one slot
    uint64_t file_bytes;
    int outputs_fd;
    kl_error *err;
} racer;

static kl_status fail_runner(racer *r, ladder_answer answer, const ladder_runner_reply *reply) {
    char how[160];
    if (answer == LADDER_ANSWERED) return kl_fail(r->err, KL_ERROR_INPUT, "%.300s", reply->text);
    if (answer == LADDER_LATE) return kl_fail(r->err, KL_ERROR_INPUT, "no answer in time");
    if (answer == LADDER_STARVED)
        return kl_fail(r->err, KL_ERROR_SYSTEM, "no answer: the machine was too busy");
    return kl_fail(r->err, KL_ERROR_INPUT, "the step %s",
                   ladder_process_describe(&r->session.program, how, sizeof how));
}

static kl_status ask(racer *r, const ladder_runner_request *request, const int *files, int count,
                     double *out_s) {
    ladder_runner_reply reply;
    double limit_s = request == NULL ? start_s : r->job->judge->case_s;
    double (*now_s)(void) = r->job->now_s != NULL ? r->job->now_s : kl_now_s;
    double start = now_s();
    ladder_answer answer = ladder_session_ask(&r->session, request, files, count, limit_s, &reply);
    if (out_s != NULL) *out_s = now_s() - start;
    if (answer == LADDER_ANSWERED && reply.state == LADDER_RUNNER_OK) return KL_OK;
    return fail_runner(r, answer, &reply);
}

static kl_status go(racer *r, int first_slot, int calls, double *out_s) {
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_GO, .first_slot = (uint32_t)first_slot, .calls = (uint32_t)calls};
    return ask(r, &request, NULL, 0, out_s);
}

// Some of the fetched outputs: every `stride`-th from `first` on. Threads share them out.
typedef struct verification {
    const racer *r;
    const ladder_runner_request *fetched;
    int first, stride, count;
    int wrong_call; // the first wrong one of these, or -1
    kl_verdict verdict;
} verification;

static void verify_some(void *context, int piece) {
    verification *some = (verification *)context + piece;
    const racer *r = some->r;
    const kl_problem *problem = r->job->judge->lab->problem;
    some->wrong_call = -1;
    for (int place = some->first; place < some->count; place += some->stride) {
        int call = some->fetched->chosen_count > 0 ? (int)some->fetched->chosen[place] : place;
        const kl_prepared *p = &r->sets->items[call % r->sets->count].data;
        const void *outputs[KL_MAX_BUFFERS];
        unsigned char *bytes = r->outputs + r->span * (uint64_t)place;
        for (int i = 0; i < p->shape.output_count; i++) {
            outputs[i] = bytes;
            bytes += ladder_runner_aligned(p->output_bytes[i]);
        }
        kl_verdict *v = &some->verdict;
        problem->verify(&p->shape, (const void *const *)p->inputs, p->solution, outputs, v);
        if (v->ok && v->compared > 0) continue;
        some->wrong_call = call;
        break;
    }
}

// A number below `limit` that no step can know in advance.
static uint32_t draw(racer *r, uint32_t limit) {
    uint64_t seed = kl_random_fork(r->job->judge->cases->seed, UINT64_C(0x7fe7c4));
    return kl_random_below(seed, r->draws++, limit);
}

// Which outputs to fetch: all, or when that is too much one from each of as many equal parts of the
// calls as fit. The step cannot know which before it has answered, and all are poisoned again.
static int choose_outputs(racer *r, uint32_t calls, ladder_runner_request *request) {
    if (request->calls <= (uint32_t)r->file_slots) return (int)calls;
    uint32_t count = (uint32_t)r->file_slots < calls ? (uint32_t)r->file_slots : calls;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i * calls / count, end = (i + 1) * calls / count;
        request->chosen[i] = first + draw(r, end - first);
    }
    request->chosen_count = count;
    return (int)count;
}

// Outputs of a timing's calls against the answers of the sets they used, on this machine's cores.
// Large outputs take far longer to compare than to compute: they are looked at after the first
// timing and after some that chance names, and poisoned after all.
static kl_status verify(racer *r) {
    int calls = 3 * r->calls;
    ladder_runner_request request = {.kind = LADDER_RUNNER_FETCH,
                                     .calls = (uint32_t)(SPANS * r->calls)};
    bool all = request.calls <= (uint32_t)r->file_slots;
    if (!all && r->timings++ > 0 && draw(r, COMPARE_ONE_IN) > 0) {
        request.kind = LADDER_RUNNER_POISON;
        return ask(r, &request, NULL, 0, NULL);
    }
    int count = choose_outputs(r, (uint32_t)calls, &request);
    TRY(ask(r, &request, NULL, 0, NULL));
    int threads = kl_parallel_threads(), parts = threads < count ? threads : count;
    verification some[KL_PARALLEL_MOST];
    for (int i = 0; i < parts; i++) {
        some[i] = (verification){
            .r = r, .fetched = &request, .first = i, .stride = parts, .count = count};
    }
    kl_parallel(parts, verify_some, some);
    const verification *worst = NULL;
    for (int i = 0; i < parts; i++) {
        bool earlier = worst == NULL || some[i].wrong_call < worst->wrong_call;
        if (some[i].wrong_call >= 0 && earlier) worst = &some[i];
    }
    if (worst == NULL) return KL_OK;
    return kl_fail(r->err, KL_ERROR_INPUT,
                   "wrong answer in timed call %d of %d: expected %.9g, got %.9g",
                   worst->wrong_call + 1, calls, worst->verdict.expected, worst->verdict.got);
}

// Time of one call: the slope between k and 2k calls, so that start and answer cancel out. The
// first calls after a pause take longer and are not timed; no call finds an output that an earlier
// one has written.
static kl_status time_call(racer *r, double *out_s) {
    double once = 0, twice = 0;
    TRY(go(r, 3 * r->calls, r->calls, NULL));
    TRY(go(r, 2 * r->calls, r->calls, &once));
    TRY(go(r, 0, 2 * r->calls, &twice));
    *out_s = ladder_call_time(once, twice, r->calls);
    return ladder_defence_on(LADDER_DEFENCE_TIMED_OUTPUTS) ? verify(r) : KL_OK;
}

static kl_status calibrate(racer *r) {
    double seconds = 0;
    int most = r->slots / SPANS;
    r->calls = (r->sets->count + 1) / 2; // 2k calls use every set
    if (r->calls > most) r->calls = most;
    TRY(go(r, 0, r->calls, &seconds)); // warm-up
    for (;;) {
        TRY(go(r, 0, r->calls, &seconds));
        r->calls_s = seconds;
        if (seconds >= long_enough_s || r->calls == most) return KL_OK;
        r->calls = 2 * r->calls < most ? 2 * r->calls : most;
    }
}

static void close_racer(racer *r) {
    if (!r->open) return;
    r->job->result->run_s += r->session.has_program ? r->session.program.wall_s : 0;
    ladder_session_close(&r->session);
    if (r->outputs != NULL) munmap(r->outputs, r->file_bytes);
    if (r->outputs_fd >= 0) close(r->outputs_fd);
    r->open = false;
}

// As many output slots as the runner can have, so that a timing is long against the noise of a
// socket.
static void choose_slots(racer *r) {
    uint64_t memory = r->job->judge->gpu ? device_max : COMPARE_MAX;
    uint64_t compare = r->job->compare_bytes > 0 ? r->job->compare_bytes : COMPARE_MAX;
    uint64_t fits = r->span > 0 ? memory / r->span : LADDER_RUNNER_SLOTS;
    uint64_t compared = r->span > 0 ? compare / r->span : LADDER_RUNNER_SLOTS;
    r->slots = fits > LADDER_RUNNER_SLOTS ? LADDER_RUNNER_SLOTS : fits < SPANS ? SPANS : (int)fits;
    r->file_slots = r->slots;
    if (compared >= (uint64_t)r->slots) return;
    r->file_slots = compared < 1                      ? 1
                    : compared > LADDER_RUNNER_CHOSEN ? LADDER_RUNNER_CHOSEN
                                                      : (int)compared;
}

// Hands over inputs and the file for outputs; with fewer slots when the GPU has no memory for so
// many.
static kl_status set_up(racer *r) {
    int files[LADDER_RUNNER_SETS + 1];
    for (int i = 0; i < r->sets->count; i++) files[i] = r->sets->items[i].inputs_fd;
    files[r->sets->count] = r->outputs_fd;
    for (;;) {
        ladder_runner_reply reply;
        ladder_runner_request request = ladder_setup_request(
            r->sets->items, r->sets->count, r->sets->items[0].data.shape.workspace_bytes, r->slots,
            r->file_slots);
        ladder_answer answer = ladder_session_ask(&r->session, &request, files, r->sets->count + 1,
                                                  r->job->judge->case_s, &reply);
        if (answer == LADDER_ANSWERED && reply.state == LADDER_RUNNER_OK) return KL_OK;
        bool too_many = answer == LADDER_ANSWERED && reply.state == LADDER_RUNNER_CUDA_ERROR &&
                        reply.code == OUT_OF_MEMORY && r->slots / 2 >= r->file_slots &&
                        r->slots / 2 >= SPANS;
        if (!too_many) return fail_runner(r, answer, &reply);
        r->slots /= 2;
    }
}

static kl_status open_racer(racer *r, const char *object, int step) {
    const ladder_judge *judge = r->job->judge;
    const kl_prepared *p = &r->sets->items[0].data;
    r->open = true;
    r->outputs_fd = -1;
    r->outputs = NULL;
    ladder_session_init(&r->session);
    r->span = ladder_runner_span(p->output_bytes, p->shape.output_count);
    choose_slots(r);
    r->file_bytes = ladder_kept_file_bytes(p, r->file_slots);
    TRY(ladder_memory_file(r->file_bytes, KL_POISON, &r->outputs_fd, &r->outputs, r->err));
    ladder_runner_spec spec = {.kit = judge->kit,
                               .lab = judge->lab,
                               .step = step,
                               .object = object,
                               .folder = r->job->folder,
                               .limits = ladder_judge_runner_limits(judge, true)};
    if (!judge->gpu) {
        ladder_engine_options options = {.threads = judge->threads, .answer_s = judge->case_s};
        TRY(ladder_session_start_engine(&r->session, judge->kit, &options, r->err));
    }
    TRY(ladder_session_start_runner(&r->session, &spec, r->err));
    TRY(ask(r, NULL, NULL, 0, NULL));
    TRY(set_up(r));
    return calibrate(r);
}

// Long calls are many times longer than any noise, and fewer measurements do. 0: a single one would
// take longer than the whole criterion may.
static int count_rounds(const racer *a, const racer *b, double limit_s) {
    double round_s = 2 * SPANS * (a->calls_s + b->calls_s);
    if (ROUNDS_MIN * round_s > limit_s) return 0;
    double rounds = race_s / round_s;
    return rounds < ROUNDS_MIN ? ROUNDS_MIN : rounds < ROUNDS ? (int)rounds : ROUNDS;
}

// What one pair of fresh processes gave.
typedef struct race_end {
    double ratio, over_s, step_s;
} race_end;

static double limit_of(const ladder_speed_job *job) {
    return job->limit_s > 0 ? job->limit_s : LADDER_SPEED_SECONDS;
}

// Medians of one pair of fresh processes. A pause of the machine while k calls run can make 2k
// calls look shorter: such a measurement is made anew.
static kl_status race(racer *a, racer *b, double most_a, race_end *out_end) {
    double ratios[ROUNDS], over_s[ROUNDS], step_s[ROUNDS];
    int noisy = 0, rounds = count_rounds(a, b, limit_of(a->job));
    *out_end = (race_end){.over_s = a->calls_s / a->calls};
    if (rounds == 0) { // so slow a step is timed once, and its outputs are compared
        TRY(time_call(b, &out_end->step_s));
        out_end->ratio = fmin(out_end->over_s, most_a) / out_end->step_s;
        return KL_OK;
    }
    for (int i = 0; i < rounds;) {
        double times[4];
        TRY(time_call(a, &times[0]));
        TRY(time_call(b, &times[1]));
        TRY(time_call(b, &times[2]));
        TRY(time_call(a, &times[3]));
        ratios[i] = ladder_pair_ratio(times, most_a);
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
    out_end->ratio = kl_median(ratios, (size_t)rounds);
    out_end->over_s = kl_median(over_s, (size_t)rounds);
    out_end->step_s = kl_median(step_s, (size_t)rounds);
    return KL_OK;
}

// After the race: a step that writes to its inputs makes later calls easier.
static kl_status keeps_inputs(racer *r) {
    const char *changed = NULL;
    TRY(ladder_inputs_kept(&r->session, r->sets->items, r->sets->count, r->outputs,
                           r->job->judge->case_s, &changed, r->err));
    if (changed == NULL) return KL_OK;
    return kl_fail(r->err, KL_ERROR_INPUT, "input %.64s is not what it was before the timed calls",
                   changed);
}

// The times of one measurement, of the baseline against itself or against the step.
typedef struct series {
    const ladder_speed_job *job;
    const ladder_speed_sets *sets;
    const char *object;
    int step;
    double most_a; // see ladder_pair_ratio
    int count;
    double ratios[LADDER_RATIOS_MAX], over_s[LADDER_RATIOS_MAX], step_s[LADDER_RATIOS_MAX];
} series;

static kl_status race_fresh(series *s, kl_error *err) {
    const ladder_speed_job *job = s->job;
    racer a = {.job = job, .sets = s->sets, .err = err};
    racer b = a;
    race_end end = {0};
    kl_status status = open_racer(&a, job->baseline_object, job->criterion->over);
    if (status == KL_OK) status = open_racer(&b, s->object, s->step);
    if (status == KL_OK) status = race(&a, &b, s->most_a, &end);
    if (status == KL_OK) status = keeps_inputs(&b);
    close_racer(&b);
    close_racer(&a);
    if (status != KL_OK) return status;
    s->ratios[s->count] = end.ratio;
    s->over_s[s->count] = end.over_s;
    s->step_s[s->count++] = end.step_s;
    return KL_OK;
}

static void tell(const series *s, const char *what, int least) {
    char text[96];
    if (s->job->progress == NULL) return;
    int of = s->count < least ? least : s->count + 1;
    snprintf(text, sizeof text, "timing, %s: pair %d of %d", what, s->count + 1, of);
    s->job->progress(s->job->context, text);
}

// The baseline against itself: decides whether this machine can be timed on.
static kl_status race_same(series *s, double start, ladder_speed *out, kl_error *err) {
    const ladder_speed_job *job = s->job;
    ladder_decision decision = LADDER_MORE;
    while (decision == LADDER_MORE) {
        tell(s, "baseline against itself", LADDER_SAMES);
        if (race_fresh(s, err) != KL_OK) {
            kl_fail_prefix(err, "the kit's own step %d", job->criterion->over);
            return KL_ERROR_SYSTEM; // whatever it is, it is not the submission's fault
        }
        bool last = s->count >= LADDER_SAMES && kl_now_s() - start > 0.5 * limit_of(job);
        decision = ladder_decide_same(job->tolerance, s->ratios, s->count, last, &out->same);
    }
    out->same_pairs = s->count;
    out->over_s = kl_median(s->over_s, (size_t)s->count);
    if (decision == LADDER_DECIDED) return KL_OK;
    return kl_fail(err, KL_ERROR_LIMIT,
                   "this machine is too noisy to time on: step %d against itself gave ratios "
                   "between %.3f and %.3f in %d pairs of processes",
                   job->criterion->over, out->same.low, out->same.high, s->count);
}

// A call that moves all its bytes faster than the card's memory has not moved them. Only where the
// inputs in rotation cannot lie in the L2 cache together.
static kl_status check_roof(const ladder_speed_job *job, const ladder_speed_sets *sets,
                            double step_s, kl_error *err) {
    const ladder_gpu *gpu = &job->judge->card;
    const kl_prepared *p = &sets->items[0].data;
    double bytes = 0;
    for (int i = 0; i < p->shape.input_count; i++) bytes += (double)p->input_bytes[i];
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

kl_status ladder_time_step(const ladder_speed_job *job, double *out_s, kl_error *err) {
    const ladder_speed_sets *sets =
        ladder_cases_find_speed(job->judge->cases, job->criterion->family, job->criterion->size);
    if (sets == NULL) return kl_fail(err, KL_ERROR_SYSTEM, "no inputs were made for the timing");
    racer r = {.job = job, .sets = sets, .err = err};
    kl_status status = open_racer(&r, job->step_object, job->step);
    if (status == KL_OK) status = time_call(&r, out_s);
    close_racer(&r);
    return status;
}

kl_status ladder_measure_speed(const ladder_speed_job *job, ladder_speed *out_speed,
                               kl_error *err) {
    const ladder_criterion *criterion = job->criterion;
    const ladder_speed_sets *sets =
        ladder_cases_find_speed(job->judge->cases, criterion->family, criterion->size);
    if (sets == NULL) return kl_fail(err, KL_ERROR_SYSTEM, "no inputs were made for the timing");
    double start = kl_now_s();
    series same = {.job = job,
                   .sets = sets,
                   .object = job->baseline_object,
                   .step = criterion->over,
                   .most_a = INFINITY};
    *out_speed = (ladder_speed){.pairs = 0};
    TRY(race_same(&same, start, out_speed, err));
    series timed = {.job = job,
                    .sets = sets,
                    .object = job->step_object,
                    .step = job->step,
                    .most_a = beside * out_speed->over_s};
    ladder_decision decision = LADDER_MORE;
    while (decision == LADDER_MORE) {
        tell(&timed, "step against baseline", LADDER_RATIOS);
        TRY(race_fresh(&timed, err));
        bool last = kl_now_s() - start > limit_of(job);
        decision = ladder_decide_speed(&job->threshold, timed.ratios, timed.count, last,
                                       &out_speed->ratio);
    }
    out_speed->pairs = timed.count;
    out_speed->doubt = decision == LADDER_DOUBT;
    out_speed->step_s = kl_median(timed.step_s, (size_t)timed.count);
    out_speed->seconds = kl_now_s() - start;
    return check_roof(job, sets, out_speed->step_s, err);
}
