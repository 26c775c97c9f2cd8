// What comes of all submissions of a class: see pages.h.
#include "course/pages/pages.h"

static const double slow = 1.05; // times as long as the solution: from which on it is told

enum { TOLD_MIN = 5 }; // submissions of which quartiles are told

void ladder_member_from(const ladder_lab *lab, const ladder_result *result,
                        ladder_member *out_member) {
    ladder_member *m = out_member;
    memset(m, 0, sizeof *m);
    snprintf(m->id, sizeof m->id, "%s", result->id);
    snprintf(m->nickname, sizeof m->nickname, "%s", result->nickname);
    snprintf(m->people, sizeof m->people, "%s\n%s\n%s", result->title, result->user,
             result->members);
    m->score = result->points.graded ? ladder_points_score(&result->points) : NAN;
    m->step_count = result->step_count;
    m->solution = NAN;
    for (int i = 0; i < result->step_count; i++) {
        const ladder_step_result *step = &result->steps[i];
        m->steps[i].outcome = step->outcome;
        m->steps[i].share = step->points_max > 0 ? step->points / step->points_max : 0;
        m->steps[i].time_us = ladder_common_us(lab, step);
        m->steps[i].timed_us = ladder_timed_us(lab, step);
        m->steps[i].finding = step->check.finding_count > 0 ? step->check.findings[0].kind : NULL;
        m->steps[i].prediction_count = step->prediction_count;
        memcpy(m->steps[i].predictions, step->predictions, sizeof step->predictions);
        if (ladder_outcome_kind_of(step->outcome) != LADDER_KIND_UNGRADABLE || m->why[0] != '\0')
            continue;
        if (!ladder_result_unreadable(result)) // else it is no step's
            snprintf(m->why, sizeof m->why, "step %d: ", step->step);
        kl_append(m->why, sizeof m->why, "%s",
                  step->message[0] != '\0' ? step->message : ladder_outcome_text(step->outcome));
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Quartiles by linear interpolation.
static ladder_spread spread_of(double *values, size_t count) {
    const double parts[] = {0.25, 0.5, 0.75};
    double found[3] = {NAN, NAN, NAN};
    if (count >= TOLD_MIN) {
        qsort(values, count, sizeof *values, by_value);
        for (int i = 0; i < 3; i++) {
            double at = parts[i] * (double)(count - 1);
            size_t below = (size_t)at, above = below + 1 < count ? below + 1 : below;
            found[i] = values[below] + (at - (double)below) * (values[above] - values[below]);
        }
    }
    return (ladder_spread){found[0], found[1], found[2]};
}

void ladder_distribution_of(const ladder_lab *lab, const ladder_member *members, size_t count,
                            const ladder_result *solution, ladder_distribution *out_distribution) {
    ladder_distribution *d = out_distribution;
    double *values = calloc(count + 1, sizeof *values);
    *d = (ladder_distribution){.count = 0};
    for (size_t m = 0; m < count; m++) d->count += !isnan(members[m].score);
    for (int s = 0; s < LADDER_STEPS_MAX; s++) {
        size_t shares = 0, times = 0;
        d->shares[s] = d->times_us[s] = (ladder_spread){NAN, NAN, NAN};
        d->solution_us[s] = NAN;
        if (!values || s >= lab->rubric->step_count) continue;
        for (size_t m = 0; m < count; m++)
            if (!isnan(members[m].score)) values[shares++] = members[m].steps[s].share;
        d->shares[s] = spread_of(values, shares);
        for (size_t m = 0; m < count; m++)
            if (isfinite(members[m].steps[s].time_us))
                values[times++] = members[m].steps[s].time_us;
        d->times_us[s] = spread_of(values, times);
        if (solution && s < solution->step_count)
            d->solution_us[s] = ladder_common_us(lab, &solution->steps[s]);
    }
    free(values);
}

ladder_step_counts ladder_step_counts_of(const ladder_member *members, size_t count, int index) {
    size_t kinds[4] = {0}, scored = 0;
    double sum = 0;
    for (size_t m = 0; m < count; m++) {
        if (members[m].step_count <= index) continue;
        kinds[ladder_outcome_kind_of(members[m].steps[index].outcome)]++;
        if (isnan(members[m].score)) continue;
        sum += members[m].steps[index].share;
        scored++;
    }
    return (ladder_step_counts){kinds[LADDER_KIND_GOOD], kinds[LADDER_KIND_BAD],
                                kinds[LADDER_KIND_ABSENT], scored > 0 ? sum / (double)scored : 0};
}

int ladder_first_failure(const ladder_member *member) {
    for (int s = 0; s < member->step_count; s++)
        if (ladder_outcome_kind_of(member->steps[s].outcome) == LADDER_KIND_BAD) return s;
    return -1;
}

double ladder_mean_score(const ladder_member *members, size_t count) {
    double sum = 0;
    size_t scored = 0;
    for (size_t m = 0; m < count; m++) {
        if (isnan(members[m].score)) continue;
        sum += members[m].score;
        scored++;
    }
    return scored > 0 ? sum / (double)scored : (double)NAN;
}

static bool is_same(const char *a, const char *b) { return !a || !b ? a == b : strcmp(a, b) == 0; }

bool ladder_made_mistake(const ladder_member *member, const ladder_mistake *mistake) {
    return member->step_count > mistake->index &&
           member->steps[mistake->index].outcome == mistake->outcome &&
           is_same(member->steps[mistake->index].finding, mistake->finding);
}

static int by_count(const void *a, const void *b) {
    const ladder_mistake *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    if (x->index != y->index) return x->index - y->index;
    return (int)x->outcome - (int)y->outcome;
}

int ladder_mistakes_of(const ladder_member *members, size_t count,
                       ladder_mistake out_mistakes[LADDER_MISTAKES_MAX]) {
    int found = 0;
    for (size_t m = 0; m < count; m++) {
        for (int s = 0; s < members[m].step_count; s++) {
            ladder_outcome outcome = members[m].steps[s].outcome;
            const char *finding = members[m].steps[s].finding;
            if (ladder_outcome_kind_of(outcome) != LADDER_KIND_BAD) continue;
            int at = 0;
            while (at < found &&
                   (out_mistakes[at].index != s || out_mistakes[at].outcome != outcome ||
                    !is_same(out_mistakes[at].finding, finding)))
                at++;
            if (at == LADDER_MISTAKES_MAX) continue;
            if (at == found) out_mistakes[found++] = (ladder_mistake){s, outcome, finding, 0};
            out_mistakes[at].count++;
        }
    }
    qsort(out_mistakes, (size_t)found, sizeof *out_mistakes, by_count);
    return found;
}

int ladder_slowest_step(const ladder_lab *lab, const ladder_distribution *distribution,
                        double *out_factor) {
    const ladder_distribution *d = distribution;
    int slowest = -1;
    double most = 0;
    bool known = false;
    *out_factor = NAN;
    for (int s = 0; s < lab->rubric->step_count; s++)
        known = known || (isfinite(d->times_us[s].mid) && isfinite(d->solution_us[s]));
    for (int s = 0; s < lab->rubric->step_count; s++) {
        double value = known ? d->times_us[s].mid / d->solution_us[s] : d->times_us[s].mid;
        if (!isfinite(value) || value <= most) continue;
        most = value;
        slowest = s;
    }
    if (known && most < slow) return -1;
    if (known && slowest >= 0) *out_factor = most;
    return slowest;
}

// ---- Predictions, scores, times ----

// Adds one student's prediction; ratios: [*count], those whose median is told.
static void add_prediction(const ladder_prediction *item, ladder_predicted *sum, double *ratios,
                           size_t *count) {
    static const double right = 0.005, near = 0.1; // as ladder_prediction_judge has them
    if (!item->stood) {
        sum->late++;
        return;
    }
    sum->predicted++;
    if (!isfinite(item->counted)) return;
    double off = fabs(item->predicted - item->counted);
    sum->compared++;
    sum->right += off <= right * fabs(item->counted);
    sum->near += off <= near * fabs(item->counted);
    if (item->counted > 0) ratios[(*count)++] = item->predicted / item->counted;
}

static ladder_predicted sum_predictions(const ladder_member *members, size_t count, int index,
                                        const ladder_question *question, double *ratios) {
    ladder_predicted sum = {.index = index, .name = question->name, .unit = question->unit};
    size_t told = 0;
    for (size_t m = 0; m < count; m++)
        for (int k = 0; k < members[m].steps[index].prediction_count; k++)
            if (strcmp(members[m].steps[index].predictions[k].name, question->name) == 0)
                add_prediction(&members[m].steps[index].predictions[k], &sum, ratios, &told);
    qsort(ratios, told, sizeof *ratios, by_value);
    sum.ratio = told > 0 ? (ratios[(told - 1) / 2] + ratios[told / 2]) / 2 : (double)NAN;
    return sum;
}

int ladder_predicted_of(const ladder_lab *lab, const ladder_member *members, size_t count,
                        ladder_predicted out_predicted[LADDER_PREDICTED_MAX]) {
    double *ratios = calloc(count * LADDER_ASKED_MAX + 1, sizeof *ratios);
    int found = 0;
    for (int s = 0; ratios && s < lab->rubric->step_count; s++) {
        const ladder_asked *asked =
            ladder_questions_find(lab->questions, lab->rubric->steps[s].step);
        for (int k = 0; asked && k < asked->count && found < LADDER_PREDICTED_MAX; k++) {
            ladder_predicted sum = sum_predictions(members, count, s, &asked->questions[k], ratios);
            if (sum.predicted + sum.late > 0) out_predicted[found++] = sum;
        }
    }
    free(ratios);
    return found;
}

void ladder_scores_of(const ladder_member *members, size_t count, size_t bins[LADDER_SCORE_BINS]) {
    memset(bins, 0, LADDER_SCORE_BINS * sizeof *bins);
    for (size_t m = 0; m < count; m++) {
        if (isnan(members[m].score)) continue;
        int bin = (int)(members[m].score * LADDER_SCORE_BINS / 100);
        bins[bin < 0 ? 0 : bin < LADDER_SCORE_BINS ? bin : LADDER_SCORE_BINS - 1]++;
    }
}

// Index in the rubric of the step that is fastest, of those that are right and whose time is
// modelled, or measured on a GPU; -1: none.
static int ladder_fastest_step(const ladder_member *member, bool measured) {
    int fastest = -1;
    double best_us = INFINITY;
    for (int s = 0; s < member->step_count; s++) {
        double us = measured ? member->steps[s].timed_us : member->steps[s].time_us;
        if (member->steps[s].outcome != LADDER_CORRECT || !(us > 0) || !(us < best_us)) continue;
        fastest = s;
        best_us = us;
    }
    return fastest;
}

// ---- leaderboard --------------------------------------------------------------------------------
// The file of best attempts has a line each: id of the submission, step and modelled microseconds,
// step and measured microseconds, the card; -1 and nan where there is no time.

// Those with a measured time first; no time is after all others.
static double shortest(double us) { return us > 0 ? us : INFINITY; }

static int by_time(const void *a, const void *b) {
    const ladder_leader *x = a, *y = b;
    double u = shortest(x->timed_us), v = shortest(y->timed_us);
    if (u == v) {
        u = shortest(x->time_us);
        v = shortest(y->time_us);
    }
    if (u != v) return u < v ? -1 : 1;
    return strcmp(x->id, y->id);
}

// An earlier attempt that was faster counts.
static void take_earlier(const char *path, ladder_leader *leaders, size_t count) {
    FILE *in = path ? fopen(path, "r") : NULL;
    char line[640];
    while (in && fgets(line, sizeof line, in)) {
        ladder_leader then = {.step = -1, .time_us = NAN, .timed_step = -1, .timed_us = NAN};
        int read = sscanf(line, "%95s %d %lf %d %lf %319[^\n]", then.id, &then.step, &then.time_us,
                          &then.timed_step, &then.timed_us, then.card);
        for (size_t i = 0; i < count && read >= 3; i++) {
            ladder_leader *l = &leaders[i];
            if (strcmp(l->id, then.id) != 0) continue;
            if (then.step >= 0 && then.time_us > 0 && !(l->time_us <= then.time_us)) {
                l->step = then.step;
                l->time_us = then.time_us;
            }
            if (read < 6 || then.timed_step < 0 || !(then.timed_us > 0) ||
                l->timed_us <= then.timed_us)
                continue;
            l->timed_step = then.timed_step;
            l->timed_us = then.timed_us;
            memcpy(l->card, then.card, sizeof l->card);
        }
    }
    if (in) fclose(in);
}

typedef struct leaders {
    const ladder_leader *items;
    size_t count;
} leaders;

static kl_status write_leaders(void *context, FILE *out, kl_error *err) {
    const leaders *all = context;
    (void)err; // kl_file_put notices what could not be written
    for (size_t i = 0; i < all->count; i++)
        fprintf(out, "%s %d %.17g %d %.17g %s\n", all->items[i].id, all->items[i].step,
                all->items[i].time_us, all->items[i].timed_step, all->items[i].timed_us,
                all->items[i].card[0] != '\0' ? all->items[i].card : "-");
    return KL_OK;
}

kl_status ladder_leaders_make(const ladder_lab *lab, const ladder_member *members, size_t count,
                              const char *path, ladder_leader *out_leaders, size_t *out_count,
                              kl_error *err) {
    size_t used = 0, kept = 0;
    for (size_t m = 0; m < count; m++) {
        int fastest = ladder_fastest_step(&members[m], false);
        int timed = ladder_fastest_step(&members[m], true);
        if (members[m].nickname[0] == '\0') continue;
        ladder_leader *leader = &out_leaders[used++];
        *leader = (ladder_leader){.step = -1, .time_us = NAN, .timed_step = -1, .timed_us = NAN};
        snprintf(leader->id, sizeof leader->id, "%s", members[m].id);
        snprintf(leader->nickname, sizeof leader->nickname, "%s", members[m].nickname);
        if (fastest >= 0) {
            leader->step = lab->rubric->steps[fastest].step;
            leader->time_us = members[m].steps[fastest].time_us;
        }
        if (timed < 0) continue;
        leader->timed_step = lab->rubric->steps[timed].step;
        leader->timed_us = members[m].steps[timed].timed_us;
        snprintf(leader->card, sizeof leader->card, "%s", members[m].card);
    }
    take_earlier(path, out_leaders, used);
    for (size_t i = 0; i < used; i++)
        if (out_leaders[i].step >= 0 || out_leaders[i].timed_step >= 0)
            out_leaders[kept++] = out_leaders[i];
    qsort(out_leaders, kept, sizeof *out_leaders, by_time);
    *out_count = kept;
    if (!path || (used == 0 && !ladder_file_exists(path))) return KL_OK;
    return kl_file_put(path, write_leaders, &(leaders){out_leaders, kept}, err);
}
