// Protects counts from submissions that lower them without doing better. Each lazy kernel misses
// one criterion. It is attacked in the two ways of grade/rubric/rubric.h, as compiled CUDA that
// gives right answers: further good accesses beside its own, as many as the ratio needs; and
// its accesses as atomics, which the counter of loads or stores does not see. The attacked kernel
// must reach what the criterion is about, else nothing is shown, and must not earn its points.
//   ladder_dilution_test LAB          all lazy kernels; each criterion must have been attacked
//   ladder_dilution_test LAB NAME..   these alone
#include "tests/support/attack_text.h"
#include "trial.h"

typedef enum attack_kind { BESIDE, BY_ATOMICS, ATTACK_KINDS } attack_kind;
static const char *const kind_names[] = {
    [BESIDE] = "good accesses beside its own", [BY_ATOMICS] = "accesses as atomics"};

// What a good access adds to the counter that a ratio is of, for one added to its divisor.
typedef struct dilution {
    const char *counter, *per; // per "": a least amount of the counter
    attack_good good;
    double adds;
} dilution;

static const dilution dilutions[] = {
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", ATTACK_LOADS, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", ATTACK_STORES, 1},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", ATTACK_STORES, 0},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "sim__shared_ld_requests.sum",
     ATTACK_SHARED_LOADS, 0},
    {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "sim__shared_st_requests.sum",
     ATTACK_SHARED_STORES, 0},
    {"smsp__thread_inst_executed_pred_on.sum", "smsp__inst_executed.sum", ATTACK_INSTRUCTIONS, 32},
    {"sim__shared_ld_requests.sum", "", ATTACK_SHARED_LOADS, 1},
    {"sim__async_copy_sectors.sum", "", ATTACK_ASYNC_COPIES, 1}};

// Counters of all ways, what hides accesses from the narrow ones, and those.
typedef struct disguise {
    const char *all, *narrow;
    attack_form form;
} disguise;

static const disguise disguises[] = {
    {"sim__read_requests.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     ATTACK_GLOBAL_READS},
    {"sim__read_sectors.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     ATTACK_GLOBAL_READS},
    {"sim__write_requests.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     ATTACK_GLOBAL_WRITES},
    {"sim__write_sectors.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     ATTACK_GLOBAL_WRITES},
    {"sim__shared_read_requests.sum", "sim__shared_ld_requests.sum", ATTACK_SHARED_READS},
    {"sim__shared_read_wavefronts.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     ATTACK_SHARED_READS},
    {"sim__shared_write_requests.sum", "sim__shared_st_requests.sum", ATTACK_SHARED_WRITES},
    {"sim__shared_write_wavefronts.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     ATTACK_SHARED_WRITES},
    // Only what they hide: the first row of a counter says its narrow one.
    {"sim__shared_read_wavefronts.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
     ATTACK_SHARED_READS},
    {"sim__shared_write_wavefronts.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
     ATTACK_SHARED_WRITES}};

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof(array)[0]))

static int tried, shown, holes;
enum { STEPS_MAX = 64 };
static bool reached[STEPS_MAX][LADDER_CRITERIA_MAX]
                   [ATTACK_KINDS]; // by step: it was attacked with effect

static const dilution *find_dilution(const ladder_bound *bound) {
    bool ratio = ladder_bound_is_ratio(bound), least = bound->full > bound->zero;
    for (int i = 0; i < COUNT_OF(dilutions); i++) {
        const dilution *d = &dilutions[i];
        if (strcmp(d->counter, bound->counter) != 0) continue;
        if (d->per[0] == '\0' ? least : ratio && strcmp(d->per, bound->per) == 0) return d;
    }
    return NULL;
}

static const disguise *find_disguise(const ladder_bound *bound) {
    for (int i = 0; i < COUNT_OF(disguises) && ladder_bound_limits(bound); i++)
        if (strstr(bound->counter, disguises[i].all)) return &disguises[i];
    return NULL;
}

// Whether a bound is there to stop this kind of attack.
static bool is_companion(const ladder_bound *bound, attack_kind kind) {
    if (kind == BY_ATOMICS || !ladder_bound_limits(bound)) return false;
    return find_disguise(bound) || strcmp(bound->counter, "smsp__inst_executed.sum") == 0 ||
           strcmp(bound->counter, "sim__constant_ld_turns.sum") == 0;
}

static const ladder_counts *counts_of(trial *t, const ladder_criterion *c,
                                      const ladder_bound *bound) {
    bool own = bound->family[0] == '\0';
    return trial_counts(t, own ? c->family : bound->family, own ? c->size : bound->size);
}

// The value of a bound as the counter of one way has it.
static double narrow_value(const ladder_bound *bound, const ladder_counts *counts) {
    const disguise *d = find_disguise(bound);
    double value = ladder_count_value(bound->counter, bound->per, counts);
    if (!d) return value;
    return value - ladder_count_value(d->all, bound->per, counts) +
           ladder_count_value(d->narrow, bound->per, counts);
}

// The share that the attacked kernel would have without what stops the attack.
static double share_without_defence(trial *t, const ladder_criterion *c, attack_kind kind) {
    double share = 1;
    for (int i = 0; i < ladder_bound_count(c); i++) {
        const ladder_bound bound = ladder_bound_at(c, i);
        const ladder_counts *counts = counts_of(t, c, &bound);
        if (!counts) return 0;
        if (is_companion(&bound, kind)) continue;
        double value = kind == BY_ATOMICS ? narrow_value(&bound, counts)
                                          : ladder_count_value(bound.counter, bound.per, counts);
        share = fmin(share, ladder_bound_share(&bound, value));
    }
    return share;
}

// Compiles an attack on a criterion, lets it run and looks at its points; true: with effect.
static bool try_attack(trial *t, const edit *lazy, int step, int index, attack_kind kind,
                       const char *text) {
    char object[LADDER_PATH], name[160];
    ladder_criterion_result out = {.points = 0};
    snprintf(name, sizeof name, "%s, %s", lazy->name, kind_names[kind]);
    tried++;
    bool built = text && trial_build(t, step, text, name, object);
    if (!built) {
        printf("%s: does not compile: %.900s\n", name, t->result->message);
        return false;
    }
    const ladder_criterion *c = &t->step->criteria[index];
    if (!trial_is_right(t) || !ladder_score_counts(c, NULL, trial_counts, t, &out)) {
        printf("%s: wrong answers: %s\n", name, t->why);
        return false;
    }
    double without = share_without_defence(t, c, kind);
    bool effect = without > 0, earns = out.points > 0;
    if (effect) reached[step][index][kind] = true;
    shown += effect;
    holes += effect && earns;
    printf("%s: %s\n    criterion %d, %s: %.4g; %.2f of %g points; without what stops it %.2f\n",
           name,
           !effect ? "misses the criterion anyway"
           : earns ? "EARNS POINTS"
                   : "earns nothing",
           index + 1, c->text, out.value, out.points, c->points, c->points * without);
    for (int i = 0; i < c->with_count; i++)
        printf("    with %s: %.4g (%g to %g)\n", c->with[i].text, out.with[i], c->with[i].full,
               c->with[i].zero);
    return effect;
}

// Good accesses until the ratio, or the least amount, earns all points; 0: it does already.
static uint64_t accesses_needed(trial *t, const ladder_criterion *c, const ladder_bound *bound,
                                const dilution *d) {
    const double spare = 1.1;
    const ladder_counts *counts = counts_of(t, c, bound);
    if (!counts) return 0;
    double value = ladder_quantity(bound->counter, counts),
           per = ladder_quantity(bound->per, counts);
    double amount = d->per[0] == '\0' ? bound->full * per - value
                                      : (value - bound->full * per) / (bound->full - d->adds);
    return amount > 0 ? (uint64_t)(spare * amount) + 1 : 0;
}

static bool can_be_attacked_by(const ladder_criterion *c, attack_kind kind) {
    for (int i = 0; c->kind == LADDER_CRITERION_COUNT && i < ladder_bound_count(c); i++) {
        const ladder_bound bound = ladder_bound_at(c, i);
        if (kind == BESIDE ? find_dilution(&bound) != NULL : find_disguise(&bound) != NULL)
            return true;
    }
    return false;
}

// Whether an attack of this kind has to be shown: by atomics not where the criterion itself counts
// warp instructions, which a lazy kernel keeps in any form of its accesses.
static bool must_be_attacked_by(const ladder_criterion *c, attack_kind kind) {
    const ladder_bound own = ladder_bound_at(c, 0);
    return can_be_attacked_by(c, kind) && (kind == BESIDE || !ladder_bound_sees_every_way(&own));
}

static bool can_be_attacked(const ladder_criterion *c) {
    return can_be_attacked_by(c, BESIDE) || can_be_attacked_by(c, BY_ATOMICS);
}

// An attack on one criterion that a lazy kernel misses.
typedef struct planned {
    attack_kind kind;
    const dilution *beside; // the good accesses; NULL: none
    uint64_t amount;        // of them
    const disguise *as;     // BY_ATOMICS
} planned;

enum { PLANNED_MAX = 2 * (1 + LADDER_WITH_MAX), SOME = 64 };

static bool hides(attack_form form, const char *counter) {
    for (int i = 0; i < COUNT_OF(disguises); i++)
        if (disguises[i].form == form && strcmp(disguises[i].narrow, counter) == 0) return true;
    return false;
}

// Whether the kernel earns what an attack does not touch.
static bool earns_the_rest(trial *t, const ladder_criterion *c, const planned *plan) {
    for (int i = 0; i < ladder_bound_count(c); i++) {
        const ladder_bound bound = ladder_bound_at(c, i);
        const ladder_counts *counts = counts_of(t, c, &bound);
        const disguise *hidden = find_disguise(&bound);
        bool touched = (plan->beside && find_dilution(&bound) == plan->beside) ||
                       (plan->as && hidden && hidden->form == plan->as->form) ||
                       (plan->as && hides(plan->as->form, bound.counter)) ||
                       is_companion(&bound, plan->kind);
        if (!counts) return false;
        double value = ladder_count_value(bound.counter, bound.per, counts);
        if (!touched && !(ladder_bound_share(&bound, value) > 0)) return false;
    }
    return true;
}

// What a disguise needs beside it: some accesses of the form that it hides, so that a ratio of them
// is a number at all, or those of a least amount.
static void plan_disguise(trial *t, const ladder_criterion *c, const disguise *as, planned *out) {
    static const attack_good goods[] = {[ATTACK_GLOBAL_READS] = ATTACK_LOADS,
                                        [ATTACK_GLOBAL_WRITES] = ATTACK_STORES,
                                        [ATTACK_SHARED_READS] = ATTACK_SHARED_LOADS,
                                        [ATTACK_SHARED_WRITES] = ATTACK_SHARED_STORES};
    *out = (planned){.kind = BY_ATOMICS, .as = as};
    for (int i = 0; i < ladder_bound_count(c) && !out->beside; i++) {
        const ladder_bound bound = ladder_bound_at(c, i);
        const dilution *d = find_dilution(&bound);
        if (!d || (d->per[0] != '\0' && d->good != goods[as->form])) continue;
        out->amount = d->per[0] != '\0' ? SOME : accesses_needed(t, c, &bound, d);
        if (out->amount > 0) out->beside = d;
    }
}

// The attacks that may turn the kernel, which is built, into one that earns the criterion.
static int plan_attacks(trial *t, const ladder_criterion *c, planned out[PLANNED_MAX]) {
    int count = 0;
    bool forms[4] = {false, false, false, false};
    for (int i = 0; i < ladder_bound_count(c); i++) {
        const ladder_bound bound = ladder_bound_at(c, i);
        planned plan = {.kind = BESIDE, .beside = find_dilution(&bound)};
        if (plan.beside) plan.amount = accesses_needed(t, c, &bound, plan.beside);
        if (plan.amount > 0 && earns_the_rest(t, c, &plan)) out[count++] = plan;
        const disguise *as = find_disguise(&bound);
        if (!as || forms[as->form]) continue;
        forms[as->form] = true;
        plan_disguise(t, c, as, &plan);
        if (earns_the_rest(t, c, &plan)) out[count++] = plan;
    }
    return count;
}

// Makes the attack from the kernel's text and tries it; true: with effect.
static bool try_plan(trial *t, const edit *lazy, const char *text, const planned *plan,
                     attack_more more) {
    edit_heading heading;
    char function[64];
    trial_must(edit_heading_of(lazy, &heading, &trial_err));
    snprintf(function, sizeof function, "%s_step%d", t->plan->lab->problem->name, heading.step);
    char *hidden = plan->as ? attack_text_by_atomics(text, plan->as->form, more) : NULL;
    char *attack = hidden;
    if (plan->beside) {
        attack =
            attack_text_beside(hidden ? hidden : text, function, plan->beside->good, plan->amount);
        free(hidden);
    }
    bool effect = try_attack(t, lazy, heading.step, heading.misses - 1, plan->kind, attack);
    free(attack);
    return effect;
}

// An attack by atomics that changes more than the step's own variables, where there is more. True:
// with effect.
static bool try_forms(trial *t, const edit *lazy, const char *text, const planned *plan) {
    char folder[LADDER_PATH], *whole = NULL;
    trial_must(
        ladder_path(folder, &trial_err, "%s/labs/%s", TEST_SOURCE_DIR, t->plan->lab->folder));
    trial_must(scan_with_headers(text, folder, &whole, &trial_err));
    bool bytes = strstr(whole, "uint8_t") != NULL;
    bool copies = plan->as->form == ATTACK_GLOBAL_READS && strstr(whole, "cp.async.c") != NULL;
    bool effect = (bytes && try_plan(t, lazy, text, plan, (attack_more){.bytes = true})) ||
                  (copies && try_plan(t, lazy, whole, plan, (attack_more){.copies = true}));
    free(whole);
    return effect;
}

// Whether the kernel reads by instructions on whole matrices or boxes: fragments from memory
// (wmma, ldmatrix), bulk tensor copies, and products that take tiles from shared memory. No atomic
// does what these do, so its reads cannot be hidden as atomics, and no attack has to show it.
static bool reads_matrices(const char *text) {
    return strstr(text, "load_matri") || strstr(text, "start_box") || strstr(text, "start_tile");
}

// Whether a criterion is about writes, which atomics may hide.
static bool is_of_writes(const ladder_criterion *c) {
    const ladder_bound bound = ladder_bound_at(c, 0);
    const disguise *as = find_disguise(&bound);
    return as && (as->form == ATTACK_GLOBAL_WRITES || as->form == ATTACK_SHARED_WRITES);
}

// Attacks a lazy kernel in all ways that its criterion offers.
static void try_lazy(trial *t, const edit *lazy) {
    edit_heading heading;
    char object[LADDER_PATH];
    planned plans[PLANNED_MAX];
    char *text = trial_lazy_text(t, lazy, &heading);
    int index = heading.misses - 1;
    const ladder_rubric_step *row = ladder_rubric_find(t->plan->lab->rubric, heading.step);
    bool counts = index >= 0 && index < row->criteria_count && heading.step < STEPS_MAX &&
                  can_be_attacked(&row->criteria[index]) &&
                  trial_build(t, heading.step, text, lazy->name, object);
    bool matrices = counts && reads_matrices(text) && !is_of_writes(&row->criteria[index]);
    if (matrices) reached[heading.step][index][BY_ATOMICS] = true;
    int count = counts ? plan_attacks(t, &row->criteria[index], plans) : 0;
    for (int i = 0; i < count; i++)
        if (matrices && plans[i].as) continue;
        else if (!plans[i].as || !try_forms(t, lazy, text, &plans[i]))
            try_plan(t, lazy, text, &plans[i], (attack_more){.copies = false});
    free(text);
}

// Criteria that can be attacked in a way and were not, with effect.
static int count_missing(const ladder_rubric *rubric) {
    int missing = 0;
    for (int s = 0; s < rubric->step_count; s++) {
        const ladder_rubric_step *row = &rubric->steps[s];
        for (int k = 0; k < row->criteria_count; k++) {
            const ladder_criterion *c = &row->criteria[k];
            for (int kind = 0; kind < ATTACK_KINDS; kind++) {
                if (!must_be_attacked_by(c, kind) || reached[row->step][k][kind]) continue;
                missing++;
                printf("step %d, criterion %d, %s: no attack by %s with effect\n", row->step, k + 1,
                       c->text, kind_names[kind]);
            }
        }
    }
    return missing;
}

int main(int argc, char **argv) {
    edit_list edits;
    if (argc < 2) {
        fprintf(stderr, "usage: ladder_dilution_test LAB [NAME..]\n");
        return 2;
    }
    trial *t = trial_begin(argv[1]);
    if (!trial_lazy_kernels(t, &edits)) {
        fprintf(stderr, "no lazy kernels of this lab\n");
        return 2;
    }
    for (int i = 0; i < edits.count; i++) {
        bool chosen = argc == 2;
        for (int k = 2; k < argc; k++) chosen |= strcmp(argv[k], edits.items[i].name) == 0;
        if (chosen) try_lazy(t, &edits.items[i]);
    }
    int missing = argc == 2 ? count_missing(t->plan->lab->rubric) : 0;
    edits_free(&edits);
    printf("%s: %d attacks compiled, %d with effect, %d earn points; %d criteria not attacked\n",
           t->plan->lab->folder, tried, shown, holes, missing);
    trial_end(t);
    // Of a whole lab each criterion that can be attacked was, or is missing; lab 03 has none.
    return (shown > 0 || argc == 2) && holes == 0 && missing == 0 ? 0 : 1;
}
