// Choice of cases: see plan.h. Host only; must not touch CUDA.
#include "plan.h"
#include "small_case.h"
#include "parallel.h"
#include <pthread.h>

// True when one of the steps to run has cases of this family.
static bool is_needed(const kl_problem *problem, const kl_options *o, int family) {
    bool needed = false;
    for (int s = 0; s < problem->step_count; s++) {
        int step = problem->steps[s].number;
        needed = needed || (kl_options_step(o, step) && kl_problem_serves(problem, family, step));
    }
    return needed;
}

// Where a step to run has no timed case, because the run is narrowed or the lab's steps have
// families of their own, the largest of its cases becomes one. Cases of host functions have no
// time.
static kl_status time_every_step(const kl_problem *problem, const kl_options *o, kl_case_list *list,
                                 kl_error *err) {
    for (int s = 0; s < problem->step_count; s++) {
        int step = problem->steps[s].number;
        bool is_timed = !kl_options_step(o, step);
        kl_listed_case *largest = NULL;
        for (int i = 0; i < list->count; i++) {
            kl_listed_case *w = &list->items[i];
            kl_case shape;
            if (!kl_problem_serves(problem, w->family, step)) continue;
            is_timed = is_timed || w->marked;
            TRY(problem->describe(w->family, w->size, o->seed, &shape, err));
            if (kl_case_has_kernels(&shape) && w->size > 0 &&
                (!largest || w->size >= largest->size))
                largest = w;
        }
        if (!is_timed && largest) largest->marked = true;
    }
    return KL_OK;
}

// Each selected family at the wanted size. Those that have no such case are left out and named in
// the plan; that nothing remains is the error.
static kl_status choose_at_size(const kl_options *o, int only, kl_case_list *list, kl_plan *plan,
                                kl_error *err) {
    const kl_problem *problem = plan->problem;
    for (int f = 0; f < problem->family_count; f++) {
        kl_case shape;
        if (only != f && (only >= 0 || !is_needed(problem, o, f))) continue;
        kl_status status = problem->describe(f, o->size, o->seed, &shape, err);
        if (status != KL_OK && (status != KL_ERROR_INPUT || only == f)) return status;
        if (status == KL_OK)
            TRY(kl_case_list_add(list, f, o->size, f == plan->timed_family && !o->check_only, err));
        else kl_problem_add_name(problem, f, plan->left_out, sizeof plan->left_out);
    }
    // err says what the last one has
    if (list->count == 0 && plan->left_out[0] != '\0') return KL_ERROR_INPUT;
    return o->check_only ? KL_OK : time_every_step(problem, o, list, err);
}

// The suite's pairs that the options select; with --size, each selected family at that size.
static kl_status choose(const kl_options *o, bool simulated, kl_case_list *list, kl_plan *plan,
                        kl_error *err) {
    const kl_problem *problem = plan->problem;
    int only = o->family ? kl_problem_family(problem, o->family) : -1;
    plan->timed_family = only >= 0 ? only : kl_problem_family(problem, problem->timed_family);
    unsigned check = o->quick ? KL_QUICK : KL_CHECK;
    unsigned timing = simulated ? KL_TIME_SIM : KL_TIME_GPU;
    timing |= o->bench && !simulated ? KL_BENCH : 0;
    if (o->size >= 0) return choose_at_size(o, only, list, plan, err);
    int64_t largest = -1;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (only >= 0 ? e->family != only : !is_needed(problem, o, e->family)) continue;
        bool timed = (e->flags & timing) != 0 && !o->check_only && !o->quick;
        if ((e->flags & check) != 0 || timed) {
            TRY(kl_case_list_add(list, e->family, e->size, timed, err));
            largest = e->family == plan->timed_family && e->size > largest ? e->size : largest;
        }
    }
    // A shortened or narrowed run still shows a time: that of the largest case it has.
    bool has_timed = false;
    for (int i = 0; i < list->count; i++) has_timed = has_timed || list->items[i].marked;
    if (!has_timed && !o->check_only && largest >= 0)
        TRY(kl_case_list_add(list, plan->timed_family, largest, true, err));
    return o->check_only ? KL_OK : time_every_step(problem, o, list, err);
}

// The case that the table shows: of the timed family if that is timed at all, and then the largest.
// Sizes ascend, so that is the last.
static bool is_better_main(const kl_plan *plan, const kl_listed_case *w) {
    if (plan->main_case < 0) return true;
    const kl_case *held = &plan->cases[plan->main_case].data.shape;
    bool was = held->family == plan->timed_family, is = w->family == plan->timed_family;
    return w->size > 0 && (is || !was);
}

// Cases that several threads prepare at once, the largest ones first.
typedef struct preparation {
    kl_plan *plan;
    int cases[KL_PLAN_MAX]; // [count], indices into the plan
    int count;
    kl_plan_progress *progress;
    void *context;
    pthread_mutex_t lock; // of what follows, and of calls of `progress`
    int done;
    int first_failed; // index of a case; KL_PLAN_MAX: none
    kl_status status; // of that case
    kl_error err;
} preparation;

static void prepare_one(void *context, int piece) {
    preparation *p = context;
    int i = p->cases[p->count - 1 - piece];
    kl_planned *planned = &p->plan->cases[i];
    const kl_case shape = planned->data.shape;
    kl_error err = {KL_OK, ""};
    const kl_problem *problem = p->plan->problem;
    kl_status status = KL_ERROR_INPUT; // such a family has the usual inputs
    if (p->plan->readable) {
        status =
            kl_small_prepare(problem, shape.family, shape.size, shape.seed, &planned->data, &err);
        if (status == KL_ERROR_INPUT) kl_prepared_free(&planned->data);
    }
    if (status == KL_ERROR_INPUT)
        status =
            kl_prepare_case(problem, shape.family, shape.size, shape.seed, &planned->data, &err);
    if (status != KL_OK) planned->data.shape = shape;
    pthread_mutex_lock(&p->lock);
    p->done++;
    if (status != KL_OK && i < p->first_failed) {
        p->first_failed = i;
        p->status = status;
        p->err = err;
    } else if (status == KL_OK && p->progress) {
        p->progress(p->context, p->done, p->count, planned);
    }
    pthread_mutex_unlock(&p->lock);
}

kl_status kl_plan_prepare(kl_plan *plan, kl_part part, kl_plan_progress *progress, void *context,
                          kl_error *err) {
    preparation p = {
        .plan = plan, .progress = progress, .context = context, .first_failed = KL_PLAN_MAX};
    for (int i = 0; i < plan->count; i++) {
        const kl_planned *planned = &plan->cases[i];
        if (planned->part == part && !planned->unneeded && !planned->data.solution)
            p.cases[p.count++] = i;
    }
    pthread_mutex_init(&p.lock, NULL);
    kl_parallel(p.count, prepare_one, &p);
    pthread_mutex_destroy(&p.lock);
    if (p.first_failed == KL_PLAN_MAX) return KL_OK;
    if (err) *err = p.err;
    return p.status;
}

// The case's title, and whose it is.
static void describe_to_steps(const kl_problem *problem, kl_planned *planned) {
    const kl_case *shape = &planned->data.shape;
    kl_case_title(problem, shape, planned->title, sizeof planned->title);
    planned->serves = 0;
    for (int step = -1; step < KL_MAX_STEPS; step++)
        if (kl_problem_serves(problem, shape->family, step)) planned->serves |= KL_STEP_BIT(step);
}

// What the cases are to each step: main_of, steps_of and counts, of the cases' other fields.
static void index_steps(kl_plan *plan) {
    const kl_problem *problem = plan->problem;
    memset(plan->steps_of, 0, sizeof plan->steps_of);
    for (int i = 0; i < plan->count; i++) {
        plan->steps_of[plan->cases[i].part] |= plan->cases[i].serves;
        plan->cases[i].counts = 0;
    }
    for (int step = -1; step < KL_MAX_STEPS; step++) {
        int *found = &plan->main_of[1 + step];
        *found = -1;
        for (int i = 0; i < plan->count; i++) {
            const kl_planned *planned = &plan->cases[i];
            bool has = planned->timed && (planned->serves & KL_STEP_BIT(step)) != 0;
            if (has && *found != plan->main_case) *found = i;
        }
        if (*found >= 0) plan->cases[*found].counts |= KL_STEP_BIT(step);
    }
    for (int w = 0; w < problem->watch_count; w++) {
        int watched = kl_plan_watched(plan, &problem->watches[w]);
        if (problem->watches[w].family[0] != '\0' && watched >= 0)
            plan->cases[watched].counts = UINT64_MAX;
    }
}

static kl_status describe_cases(const kl_case_list *list, uint64_t first_seed, bool simulated,
                                kl_plan *plan, kl_error *err) {
    for (int i = 0; i < list->count; i++) {
        const kl_listed_case *w = &list->items[i];
        kl_planned *planned = &plan->cases[i];
        // Each case has a seed of its own: equal data in two cases would hide a stale result.
        uint64_t seed = first_seed + ((uint64_t)w->family << 56) + (uint64_t)w->size;
        TRY(plan->problem->describe(w->family, w->size, seed, &planned->data.shape, err));
        planned->timed = w->marked;
        bool large = kl_case_work(&planned->data.shape) > kl_small_work(plan->problem);
        planned->part = large || (planned->timed && !simulated) ? KL_LARGE : KL_SMALL;
        describe_to_steps(plan->problem, planned);
        if (w->marked && is_better_main(plan, w)) plan->main_case = i;
        if (planned->data.shape.workspace_bytes > plan->workspace_bytes)
            plan->workspace_bytes = planned->data.shape.workspace_bytes;
    }
    return KL_OK;
}

// Whether the table shows the case's time, of one of the steps.
static bool is_shown(const kl_plan *plan, const kl_options *o, int plan_index) {
    for (int s = 0; s < plan->problem->step_count; s++) {
        int step = plan->problem->steps[s].number;
        if (kl_options_step(o, step) && plan->main_of[1 + step] == plan_index) return true;
    }
    return false;
}

static bool is_check(const kl_plan *plan, const kl_options *o, const kl_case *shape) {
    const kl_problem *problem = plan->problem;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        if (e->family == shape->family && e->size == shape->size)
            return (e->flags & (o->quick ? KL_QUICK : KL_CHECK)) != 0;
    }
    return true; // --size asks for it
}

// The steps whose numbers to watch are of the case, and those before them, as bits.
static uint64_t watching_steps(const kl_plan *plan, int plan_index) {
    const kl_problem *problem = plan->problem;
    uint64_t steps = 0;
    for (int w = 0; w < problem->watch_count; w++) {
        const kl_watch *watch = &problem->watches[w];
        if (watch->family[0] == '\0' || kl_plan_watched(plan, watch) != plan_index) continue;
        steps |= KL_STEP_BIT(watch->step);
        int before = -1;
        for (int s = 0; s < problem->step_count && problem->steps[s].number != watch->step; s++)
            if (plan->cases[plan_index].serves & KL_STEP_BIT(problem->steps[s].number))
                before = problem->steps[s].number;
        if (before >= 0) steps |= KL_STEP_BIT(before);
    }
    return steps;
}

// Loads, stores and operations of threads from which on a case takes the simulator long.
static const double long_work = 1 << 26;

// A time costs the simulator as much as its kernel is long: what is not shown is not timed, and
// left out where it is no check either and long. Others are run: without them the cases behind lie
// elsewhere in memory, and the model of caches, which looks at a sample of lines, gives times that
// are a little different.
static void leave_unshown(kl_plan *plan, const kl_options *o) {
    bool shown[KL_PLAN_MAX];
    for (int i = 0; i < plan->count; i++) shown[i] = is_shown(plan, o, i);
    for (int i = 0; i < plan->count; i++) {
        kl_planned *planned = &plan->cases[i];
        if (!planned->timed || shown[i]) continue;
        planned->timed = false;
        if (!is_check(plan, o, &planned->data.shape) &&
            kl_case_work(&planned->data.shape) > long_work)
            planned->serves &= watching_steps(plan, i);
    }
    index_steps(plan);
}

kl_status kl_plan_make(const kl_problem *problem, const kl_options *options, bool simulated,
                       kl_plan *out_plan, kl_error *err) {
    memset(out_plan, 0, sizeof *out_plan);
    out_plan->problem = problem;
    out_plan->main_case = -1;
    out_plan->readable = options->readable;

    kl_case_list list = {.count = 0};
    TRY(choose(options, simulated, &list, out_plan, err));
    if (list.count > KL_PLAN_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "the run has more than %d cases", KL_PLAN_MAX);
    if (list.count == 0)
        return kl_fail(err, KL_ERROR_USAGE, "no case is left to run; --list shows the cases");
    kl_case_list_sort(&list);
    out_plan->count = list.count; // all zero so far, so that kl_plan_free may come at any time
    TRY(describe_cases(&list, options->seed, simulated, out_plan, err));
    index_steps(out_plan);
    bool one_table = !options->tables && !options->json_file && !options->bench;
    if (simulated && one_table && options->launch_once < 0 && options->trials < 0)
        leave_unshown(out_plan, options);
    return KL_OK;
}

void kl_plan_take(const kl_problem *problem, kl_planned *cases, int count, kl_plan *out_plan) {
    memset(out_plan, 0, sizeof *out_plan);
    out_plan->problem = problem;
    out_plan->main_case = -1;
    for (int i = 0; i < count && i < KL_PLAN_MAX; i++) {
        uint64_t workspace_bytes = cases[i].data.shape.workspace_bytes;
        out_plan->cases[out_plan->count++] = cases[i];
        memset(&cases[i], 0, sizeof cases[i]);
        if (out_plan->main_case < 0 && out_plan->cases[i].timed) out_plan->main_case = i;
        if (workspace_bytes > out_plan->workspace_bytes)
            out_plan->workspace_bytes = workspace_bytes;
        out_plan->cases[i].part = KL_SMALL;
        describe_to_steps(problem, &out_plan->cases[i]);
    }
    index_steps(out_plan);
}

void kl_plan_free(kl_plan *plan) {
    for (int i = 0; i < plan->count; i++) kl_prepared_free(&plan->cases[i].data);
    plan->count = 0;
}

int kl_plan_watched(const kl_plan *plan, const kl_watch *watch) {
    if (watch->family[0] == '\0') return plan->main_of[1 + watch->step];
    for (int i = 0; i < plan->count; i++) {
        const kl_case *shape = &plan->cases[i].data.shape;
        const char *family = plan->problem->families[shape->family].name;
        if (shape->size == watch->size && strcmp(family, watch->family) == 0) return i;
    }
    return -1;
}
