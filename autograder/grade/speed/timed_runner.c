// One runner whose calls are timed: see internal.h. The outputs of timed calls are verified.
#include "grade/speed/internal.h"
#include "parallel.h"
#include "random.h"
#include "utilities/defence.h"
#include <sys/mman.h>

enum {
    // Bytes of outputs that are compared after one timing; fetching and comparing more takes longer
    // than the calls.
    COMPARE_MAX = 32 << 20,
    RETURNED_MAX = 128 << 20, // bytes of a set of inputs that every runner hands back
    COMPARE_ONE_IN = 4,       // timings, when these outputs are not all there are
    OUT_OF_MEMORY = 2,        // cudaErrorMemoryAllocation
};

static const double long_enough_s = 2.5e-3; // k calls: far above the noise of a socket's latency
static const uint64_t device_max = UINT64_C(8) << 30; // bytes of outputs on the GPU, of one runner
static const uint64_t context_bytes = UINT64_C(1) << 30; // of the driver, at most, for one runner
static const double card_share = 0.85;                   // of its memory that runners may have
static const double start_s = 60.0;                      // a cold driver may take many seconds

static kl_status fail_runner(timed_runner *r, ladder_answer answer,
                             const ladder_runner_reply *reply) {
    char how[160];
    if (answer == LADDER_ANSWERED) return kl_fail(r->err, KL_ERROR_INPUT, "%.300s", reply->text);
    if (answer == LADDER_LATE) return kl_fail(r->err, KL_ERROR_INPUT, "no answer in time");
    if (answer == LADDER_STARVED)
        return kl_fail(r->err, KL_ERROR_SYSTEM, "no answer: the machine was too busy");
    return kl_fail(r->err, KL_ERROR_INPUT, "the step %s",
                   ladder_process_describe(&r->session.program, how, sizeof how));
}

// Waits for the answer to what was sent.
static kl_status wait_for(timed_runner *r, double limit_s) {
    ladder_runner_reply reply;
    ladder_answer answer = ladder_session_wait(&r->session, limit_s, &reply);
    if (answer == LADDER_ANSWERED && reply.state == LADDER_RUNNER_OK) return KL_OK;
    return fail_runner(r, answer, &reply);
}

static kl_status ask(timed_runner *r, const ladder_runner_request *request, double *out_s) {
    double (*now_s)(void) = r->of->now_s ? r->of->now_s : kl_now_s;
    double start = now_s();
    ladder_session_send(&r->session, request, NULL, 0);
    kl_status status = wait_for(r, r->of->run->plan->case_s);
    if (out_s) *out_s = now_s() - start;
    return status;
}

static kl_status go(timed_runner *r, int first_slot, int calls, double *out_s) {
    ladder_runner_request request = {
        .kind = LADDER_RUNNER_GO, .first_slot = (uint32_t)first_slot, .calls = (uint32_t)calls};
    return ask(r, &request, out_s);
}

// Some of the fetched outputs: every `stride`-th from `first` on. Threads share them out.
typedef struct verification {
    const timed_runner *r;
    const ladder_runner_request *fetched;
    int first, stride, count;
    int wrong_call; // the first wrong one of these, or -1
    kl_verdict verdict;
} verification;

static void verify_some(void *context, int piece) {
    verification *some = (verification *)context + piece;
    const timed_runner *r = some->r;
    const kl_problem *problem = r->of->run->plan->lab->problem;
    some->wrong_call = -1;
    for (int place = some->first; place < some->count; place += some->stride) {
        int call = some->fetched->chosen_count > 0 ? (int)some->fetched->chosen[place] : place;
        const kl_prepared *p = r->sets[call % r->set_count];
        if (ladder_outputs_verify(problem, p, r->outputs + r->span * (uint64_t)place,
                                  &some->verdict))
            continue;
        some->wrong_call = call;
        break;
    }
}

// A number below `limit` that no step can know in advance.
static uint32_t draw(timed_runner *r, uint32_t limit) {
    uint64_t seed = kl_random_fork(r->of->run->plan->cases->seed, UINT64_C(0x7fe7c4));
    return kl_random_below(seed, r->draws++, limit);
}

// Which outputs to fetch: all, or when that is too much one from each of as many equal parts of the
// calls as fit. The step cannot know which before it has answered, and all are poisoned again.
static void choose_outputs(timed_runner *r, uint32_t calls, ladder_runner_request *request) {
    if (request->calls <= (uint32_t)r->file_slots) return;
    uint32_t count = (uint32_t)r->file_slots < calls ? (uint32_t)r->file_slots : calls;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t first = i * calls / count, end = (i + 1) * calls / count;
        request->chosen[i] = first + draw(r, end - first);
    }
    request->chosen_count = count;
}

// The fetched outputs against the answers of the sets that their calls used, on this machine's
// cores.
static void *compare_fetched(void *context) {
    timed_runner *r = context;
    const ladder_runner_request *fetched = &r->fetched;
    int calls = 3 * r->calls;
    int count = fetched->chosen_count > 0 ? (int)fetched->chosen_count : calls;
    int threads = kl_parallel_threads(), parts = threads < count ? threads : count;
    verification some[KL_PARALLEL_MOST];
    for (int i = 0; i < parts; i++) {
        some[i] =
            (verification){.r = r, .fetched = fetched, .first = i, .stride = parts, .count = count};
    }
    kl_parallel(parts, verify_some, some);
    const verification *worst = NULL;
    for (int i = 0; i < parts; i++) {
        bool earlier = !worst || some[i].wrong_call < worst->wrong_call;
        if (some[i].wrong_call >= 0 && earlier) worst = &some[i];
    }
    if (worst)
        kl_fail(&r->compared, KL_ERROR_INPUT,
                "wrong answer in timed call %d of %d: expected %.9g, got %.9g",
                worst->wrong_call + 1, calls, worst->verdict.expected, worst->verdict.got);
    return NULL;
}

kl_status timed_runner_compared(timed_runner *r) {
    if (r->compares) pthread_join(r->comparing, NULL);
    r->compares = false;
    if (r->compared.status == KL_OK) return KL_OK;
    *r->err = r->compared;
    return (kl_status)r->compared.status;
}

// Takes outputs of a timing's calls. Large ones take far longer to compare than to compute: they
// are looked at after the first timing and after some that chance names, and poisoned after all.
// While they are compared the next calls run: nothing that the step does reaches them any more.
static kl_status verify(timed_runner *r) {
    ladder_runner_request request = {.kind = LADDER_RUNNER_FETCH,
                                     .calls = (uint32_t)(LADDER_TIMED_SPANS * r->calls)};
    bool all = request.calls <= (uint32_t)r->file_slots;
    if (r->trusted || (!all && r->timings++ > 0 && draw(r, COMPARE_ONE_IN) > 0)) {
        request.kind = LADDER_RUNNER_POISON;
        return ask(r, &request, NULL);
    }
    TRY(timed_runner_compared(r));
    choose_outputs(r, (uint32_t)(3 * r->calls), &request);
    TRY(ask(r, &request, NULL));
    r->fetched = request;
    r->compares = pthread_create(&r->comparing, NULL, compare_fetched, r) == 0;
    if (r->compares) return KL_OK;
    compare_fetched(r);
    return timed_runner_compared(r);
}

kl_status timed_runner_call(timed_runner *r, double *out_s) {
    double once = 0, twice = 0;
    TRY(go(r, 3 * r->calls, r->warm, NULL));
    TRY(go(r, 2 * r->calls, r->calls, &once));
    TRY(go(r, 0, 2 * r->calls, &twice));
    *out_s = ladder_call_time(once, twice, r->calls);
    return ladder_defence_on(LADDER_DEFENCE_TIMED_OUTPUTS) ? verify(r) : KL_OK;
}

// Calls that take long warm the card up by themselves.
static int count_warm(const timed_runner *r) {
    int enough = r->calls_s > 0 ? (int)ceil(long_enough_s / r->calls_s * r->calls) : r->calls;
    return enough < 1 ? 1 : enough < r->calls ? enough : r->calls;
}

kl_status timed_runner_calibrate(timed_runner *r) {
    double seconds = 0;
    if (r->calls > 0) return KL_OK;
    int most = r->slots / LADDER_TIMED_SPANS;
    r->calls = (r->set_count + 1) / 2; // 2k calls use every set
    if (r->calls > most) r->calls = most;
    TRY(go(r, 0, r->calls, &seconds)); // warm-up
    for (;;) {
        TRY(go(r, 0, r->calls, &seconds));
        r->calls_s = seconds;
        r->warm = count_warm(r);
        if (seconds >= long_enough_s || r->calls == most) return KL_OK;
        r->calls = 2 * r->calls < most ? 2 * r->calls : most;
    }
}

void timed_runner_close(timed_runner *r) {
    if (!r->open) return;
    if (r->compares) pthread_join(r->comparing, NULL);
    r->compares = false;
    r->of->run->step_result->run_s += r->session.has_program ? r->session.program.wall_s : 0;
    ladder_session_close(&r->session);
    if (r->outputs) munmap(r->outputs, r->file_bytes);
    if (r->outputs_fd >= 0) close(r->outputs_fd);
    r->open = false;
}

// Bytes on the device that a runner has beside its outputs.
static uint64_t device_inputs(const kl_prepared *p, int set_count) {
    return (uint64_t)set_count * (p->inputs_span + p->shape.prepared_bytes) +
           p->shape.workspace_bytes + context_bytes;
}

// Bytes of outputs that a runner may have there, so that as many runners as there may be fit, if
// they fit at all.
static uint64_t device_outputs(const ladder_comparison *of, const kl_prepared *p, int set_count) {
    double all = card_share * (double)of->run->plan->card.memory_bytes;
    double share = all / (2 * LADDER_TIMED_PAIRS) - (double)device_inputs(p, set_count);
    if (!(all > 0)) return device_max;
    return share < COMPARE_MAX          ? COMPARE_MAX
           : share < (double)device_max ? (uint64_t)share
                                        : device_max;
}

int timed_runners_fit(const ladder_comparison *of, const ladder_speed_sets *sets) {
    const kl_prepared *p = &sets->items[0].data;
    double all = card_share * (double)of->run->plan->card.memory_bytes;
    double one = (double)(device_inputs(p, sets->count) + device_outputs(of, p, sets->count));
    int fit = all > 0 ? (int)(all / (2 * one)) : LADDER_TIMED_PAIRS;
    return fit < 1 ? 1 : fit < LADDER_TIMED_PAIRS ? fit : LADDER_TIMED_PAIRS;
}

// As many output slots as the runner can have, so that a timing is long against the noise of a
// socket.
static void choose_slots(timed_runner *r) {
    uint64_t memory =
        r->of->run->plan->gpu ? device_outputs(r->of, r->sets[0], r->set_count) : COMPARE_MAX;
    uint64_t compare = r->of->compare_bytes > 0 ? r->of->compare_bytes : COMPARE_MAX;
    uint64_t fits = r->span > 0 ? memory / r->span : LADDER_RUNNER_SLOTS;
    uint64_t compared = r->span > 0 ? compare / r->span : LADDER_RUNNER_SLOTS;
    r->slots = fits > LADDER_RUNNER_SLOTS  ? LADDER_RUNNER_SLOTS
               : fits < LADDER_TIMED_SPANS ? LADDER_TIMED_SPANS
                                           : (int)fits;
    r->file_slots = r->slots;
    if (compared >= (uint64_t)r->slots) return;
    r->file_slots = compared < 1                      ? 1
                    : compared > LADDER_RUNNER_CHOSEN ? LADDER_RUNNER_CHOSEN
                                                      : (int)compared;
}

static void send_set_up(timed_runner *r) {
    int files[LADDER_RUNNER_SETS + 1];
    for (int i = 0; i < r->set_count; i++) files[i] = r->items[i].inputs_fd;
    files[r->set_count] = r->outputs_fd;
    ladder_runner_request request = ladder_setup_request(
        r->sets, r->set_count, r->sets[0]->shape.workspace_bytes, r->slots, r->file_slots);
    ladder_session_send(&r->session, &request, files, r->set_count + 1);
}

// With fewer slots when the GPU has no memory for so many.
static kl_status finish_set_up(timed_runner *r) {
    for (;;) {
        ladder_runner_reply reply;
        ladder_answer answer = ladder_session_wait(&r->session, r->of->run->plan->case_s, &reply);
        if (answer == LADDER_ANSWERED && reply.state == LADDER_RUNNER_OK) return KL_OK;
        bool too_many = answer == LADDER_ANSWERED && reply.state == LADDER_RUNNER_CUDA_ERROR &&
                        reply.code == OUT_OF_MEMORY && r->slots / 2 >= r->file_slots &&
                        r->slots / 2 >= LADDER_TIMED_SPANS;
        if (!too_many) return fail_runner(r, answer, &reply);
        r->slots /= 2;
        send_set_up(r);
    }
}

// Memory for outputs, which the first fetch would else wait for with the card alone. Those of the
// kit's own steps are never fetched. Without memory the fetch tells.
static void make_output_pages(const timed_runner *r) {
    uint64_t bytes = r->span * (uint64_t)r->file_slots;
    if (!r->trusted && bytes > 0) (void)posix_fallocate(r->outputs_fd, 0, (off_t)bytes);
}

kl_status timed_runners_set_up(timed_runner *const *runners, int count) {
    for (int i = 0; i < count; i++) make_output_pages(runners[i]); // while they start
    for (int i = 0; i < count; i++) {
        TRY(wait_for(runners[i], start_s));
        send_set_up(runners[i]);
    }
    for (int i = 0; i < count; i++) TRY(finish_set_up(runners[i]));
    return KL_OK;
}

kl_status timed_runner_start(const ladder_comparison *of, const ladder_speed_sets *sets,
                             const char *object, int step, bool trusted, timed_runner *r,
                             kl_error *err) {
    const ladder_grade_plan *plan = of->run->plan;
    const kl_prepared *p = &sets->items[0].data;
    *r = (timed_runner){.of = of,
                        .items = sets->items,
                        .set_count = sets->count,
                        .trusted = trusted,
                        .outputs_fd = -1,
                        .err = err};
    for (int i = 0; i < sets->count; i++) r->sets[i] = &sets->items[i].data;
    r->span = p->outputs_span;
    choose_slots(r);
    r->file_bytes = ladder_runner_file_bytes(p, r->file_slots);
    TRY(ladder_memory_file(r->file_bytes, 0, &r->outputs_fd, &r->outputs, r->err));
    const ladder_runner_spec runner = {.kit = plan->kit,
                                       .lab = plan->lab->folder,
                                       .step = step,
                                       .object = object,
                                       .folder = of->run->step_folder,
                                       .devices = plan->lab->problem->devices,
                                       .limits = ladder_runner_limits(of->run, true)};
    const ladder_engine_options engine = {
        .threads = plan->threads, .devices = plan->lab->problem->devices, .answer_s = plan->case_s};
    r->open = true;
    return ladder_session_open(&r->session, plan->gpu ? NULL : &engine, &runner, r->err);
}

// Inputs as runners have handed them back, one set of each.
typedef struct returned {
    timed_runner *const *runners;
    int sets[LADDER_TIMED_PAIRS]; // by runner
    const char *changed[LADDER_TIMED_PAIRS];
} returned;

static void compare_returned(void *context, int piece) {
    returned *all = context;
    const timed_runner *r = all->runners[piece];
    all->changed[piece] = ladder_inputs_changed(r->sets[all->sets[piece]], r->outputs);
}

// Set number `first` of one runner, the next one of the next, all at the same time.
static kl_status take_back(timed_runner *const *runners, int count, int first) {
    returned all = {.runners = runners};
    for (int i = 0; i < count; i++) {
        all.sets[i] = (first + i) % runners[i]->set_count;
        ladder_runner_request request = {.kind = LADDER_RUNNER_INPUTS,
                                         .first_slot = (uint32_t)all.sets[i]};
        ladder_session_send(&runners[i]->session, &request, NULL, 0);
    }
    for (int i = 0; i < count; i++) TRY(wait_for(runners[i], runners[i]->of->run->plan->case_s));
    kl_parallel(count, compare_returned, &all);
    for (int i = 0; i < count; i++) {
        if (!all.changed[i]) continue;
        return kl_fail(runners[i]->err, KL_ERROR_INPUT, KL_INPUT_CHANGED("timed calls"),
                       all.changed[i]);
    }
    return KL_OK;
}

kl_status timed_runners_keep_inputs(timed_runner *const *runners, int count) {
    const kl_prepared *data = runners[0]->sets[0];
    int sets = runners[0]->set_count;
    if (!ladder_defence_on(LADDER_DEFENCE_INPUTS_KEPT)) return KL_OK;
    // Sets so large that they take long to bring back are shared out: each comes from some runner.
    bool large = ladder_input_bytes(data) > RETURNED_MAX;
    int stride = large ? count : 1;
    for (int first = 0; first < sets; first += stride) TRY(take_back(runners, count, first));
    return KL_OK;
}
