// Rubrics as data: look-up, points, thresholds: see rubric.h.
#include "grade/rubric/rubric.h"

const ladder_rubric_step *ladder_rubric_find(const ladder_rubric *rubric, int step) {
    for (int i = 0; i < rubric->step_count; i++)
        if (rubric->steps[i].step == step) return &rubric->steps[i];
    return NULL;
}

const ladder_modelled *ladder_criterion_modelled(const ladder_criterion *criterion,
                                                 const char *device) {
    for (int i = 0; i < criterion->modelled_count; i++)
        if (strcmp(criterion->modelled[i].device, device) == 0) return &criterion->modelled[i];
    return NULL;
}

double ladder_rubric_points(const ladder_rubric_step *step, bool gpu, const char *device) {
    double points = 0;
    for (int i = 0; i < step->criteria_count; i++) {
        const ladder_criterion *c = &step->criteria[i];
        bool graded =
            gpu || c->kind != LADDER_CRITERION_SPEED || ladder_criterion_modelled(c, device);
        if (graded) points += c->points;
    }
    return points;
}

static double linear_share(double full, double zero, double value) {
    if (full == zero) return 0.0;
    double share = (value - zero) / (full - zero);
    return share >= 1.0 ? 1.0 : share > 0.0 ? share : 0.0; // NaN gives 0
}

double ladder_ratio_share(double full, double zero, double ratio) {
    if (!(ratio > 0) || !(full > 0) || !(zero > 0)) return 0.0;
    return linear_share(log(full), log(zero), log(ratio));
}

double ladder_criterion_share(const ladder_criterion *criterion, double value) {
    switch (criterion->kind) {
    case LADDER_CRITERION_CORRECT:
    case LADDER_CRITERION_PREDICTED: return value >= 1.0 ? 1.0 : 0.0;
    case LADDER_CRITERION_SPEED: return ladder_ratio_share(criterion->full, criterion->zero, value);
    case LADDER_CRITERION_COUNT: return linear_share(criterion->full, criterion->zero, value);
    case LADDER_CRITERION_CASES: return linear_share(criterion->case_count, 0, value);
    }
    return 0.0;
}

double ladder_bound_share(const ladder_bound *bound, double value) {
    return linear_share(bound->full, bound->zero, value);
}

double ladder_modelled_share(const ladder_modelled *modelled, double ratio) {
    return ladder_ratio_share(modelled->full, modelled->zero, ratio);
}

static kl_status check_quantities(const char *counter, const char *per, int step,
                                  bool (*counter_known)(const char *name), kl_error *err) {
    bool known = counter_known(counter);
    if (known && counter_known(per)) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "step %d: unknown counter '%s'", step,
                   known ? per : counter);
}

static kl_status check_case(const char *name, int64_t size, int step, const kl_problem *problem,
                            kl_error *err) {
    int family = kl_problem_family(problem, name);
    if (family < 0)
        return kl_fail(err, KL_ERROR_INPUT, "step %d: no family '%s' in the problem", step, name);
    if (!kl_problem_serves(problem, family, step))
        return kl_fail(err, KL_ERROR_INPUT, "step %d has no cases of family '%s'", step, name);
    if (size <= 0 || size > problem->max_size)
        return kl_fail(err, KL_ERROR_INPUT, "step %d: impossible size", step);
    return KL_OK;
}

// What must hold besides a count.
static kl_status check_with(const ladder_criterion *c, int step, const kl_problem *problem,
                            bool (*counter_known)(const char *name), kl_error *err) {
    if (c->with_count > LADDER_WITH_MAX) {
        return kl_fail(err, KL_ERROR_INPUT, "step %d: more than %d bounds in \"with\"", step,
                       LADDER_WITH_MAX);
    }
    for (int i = 0; i < c->with_count; i++) {
        const ladder_bound *bound = &c->with[i];
        if (bound->full == bound->zero)
            return kl_fail(err, KL_ERROR_INPUT, "step %d: impossible thresholds", step);
        if (bound->family[0] != '\0')
            TRY(check_case(bound->family, bound->size, step, problem, err));
        if (counter_known)
            TRY(check_quantities(bound->counter, bound->per, step, counter_known, err));
    }
    return KL_OK;
}

// A case that the lab's suite has, or that is there twice, is no hidden one.
static kl_status check_hidden(const ladder_criterion *c, int step, const kl_problem *problem,
                              kl_error *err) {
    for (int i = 0; i < c->case_count; i++) {
        const ladder_hidden_case *item = &c->cases[i];
        TRY(check_case(item->family, item->size, step, problem, err));
        int family = kl_problem_family(problem, item->family);
        for (int k = 0; k < problem->suite_count; k++)
            if (problem->suite[k].family == family && problem->suite[k].size == item->size)
                return kl_fail(err, KL_ERROR_INPUT,
                               "step %d: the case %s, %" PRId64 " is one of the lab's own suite "
                               "(problem.c), which students have: it cannot be hidden",
                               step, item->family, item->size);
        for (int k = 0; k < i; k++)
            if (c->cases[k].size == item->size && strcmp(c->cases[k].family, item->family) == 0)
                return kl_fail(err, KL_ERROR_INPUT,
                               "step %d: the hidden case %s, %" PRId64 " is there twice", step,
                               item->family, item->size);
    }
    return KL_OK;
}

static kl_status check_criterion(const ladder_rubric *rubric, const ladder_criterion *c, int step,
                                 const kl_problem *problem, bool (*counter_known)(const char *name),
                                 kl_error *err) {
    if (!(c->points > 0))
        return kl_fail(err, KL_ERROR_INPUT, "step %d: points must be above 0", step);
    if (c->kind == LADDER_CRITERION_CORRECT || c->kind == LADDER_CRITERION_PREDICTED) return KL_OK;
    if (c->kind == LADDER_CRITERION_CASES) return check_hidden(c, step, problem, err);
    TRY(check_case(c->family, c->size, step, problem, err));
    if (c->full == c->zero)
        return kl_fail(err, KL_ERROR_INPUT, "step %d: impossible thresholds", step);
    if (c->kind == LADDER_CRITERION_SPEED) {
        bool known = ladder_rubric_find(rubric, c->over);
        return known ? KL_OK
                     : kl_fail(err, KL_ERROR_INPUT, "step %d: \"over\" names no step", step);
    }
    TRY(check_with(c, step, problem, counter_known, err));
    if (counter_known) TRY(check_quantities(c->counter, c->per, step, counter_known, err));
    return ladder_rubric_check_dilution(c, step, err);
}

kl_status ladder_rubric_check(const ladder_rubric *rubric, const kl_problem *problem,
                              bool (*counter_known)(const char *name), kl_error *err) {
    for (int i = 0; i < rubric->step_count; i++) {
        const ladder_rubric_step *row = &rubric->steps[i];
        const kl_step_info *info = kl_problem_step(problem, row->step);
        char file[KL_STEP_FILE];
        if (!info || strcmp(kl_step_file(info, file), row->file) != 0 ||
            info->given != row->given) {
            return kl_fail(err, KL_ERROR_INPUT,
                           "the rubric's step %d (%s) does not agree with the problem (%s)",
                           row->step, row->file, info ? file : "no such step");
        }
        for (int c = 0; c < row->criteria_count; c++)
            TRY(check_criterion(rubric, &row->criteria[c], row->step, problem, counter_known, err));
    }
    return KL_OK;
}

// ---- names what a rubric asks for in speed ------------------------------------------------------

void ladder_speed_hash_add(ladder_sha256 *hash, int step, bool has_counts, int over,
                           const char *family, int64_t size, double full, double zero) {
    char text[256]; // one line, of which no part can hold a line's end
    int length = snprintf(text, sizeof text, "%d %d %d %.100s %" PRId64 " %.9g %.9g\n", step,
                          has_counts, over, family, size, full, zero);
    ladder_sha256_add(hash, text, (size_t)length);
}

void ladder_speed_hash_end(ladder_sha256 *hash, char out_text[LADDER_SPEED_HASH_TEXT]) {
    char text[LADDER_SHA256_TEXT];
    ladder_sha256_end(hash, text);
    snprintf(out_text, LADDER_SPEED_HASH_TEXT, "%.16s", text);
}

bool ladder_rubric_has_counts(const ladder_rubric_step *row) {
    for (int i = 0; i < row->criteria_count; i++)
        if (row->criteria[i].kind == LADDER_CRITERION_COUNT) return true;
    return false;
}

void ladder_rubric_speed_hash(const ladder_rubric *rubric, char out_text[LADDER_SPEED_HASH_TEXT]) {
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    for (int s = 0; s < rubric->step_count; s++) {
        const ladder_rubric_step *row = &rubric->steps[s];
        for (int i = 0; i < row->criteria_count; i++) {
            const ladder_criterion *c = &row->criteria[i];
            if (c->kind == LADDER_CRITERION_SPEED)
                ladder_speed_hash_add(&hash, row->step, ladder_rubric_has_counts(row), c->over,
                                      c->family, c->size, c->full, c->zero);
        }
    }
    ladder_speed_hash_end(&hash, out_text);
}

kl_status ladder_rubric_check_modelled(const ladder_rubric *rubric, const char *lab,
                                       kl_error *err) {
    char now[LADDER_SPEED_HASH_TEXT];
    ladder_rubric_speed_hash(rubric, now);
    if (!rubric->modelled_of || strcmp(rubric->modelled_of, now) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "labs/modelled.json was made for other speed criteria than "
                   "labs/%s/lab.json has now; make it again: ./ladder tables",
                   lab);
}

// ---- what a count needs beside it so that it cannot be diluted ----------------------------------

static const char *const ways[][2] = {
#define LADDER_WAY(counter, all) {counter, all},
#define LADDER_EVERY_WAY(counter)
#include "grade/rubric/ways.def"
#undef LADDER_WAY
#undef LADDER_EVERY_WAY
};

static const char *const every_way[] = {
#define LADDER_WAY(counter, all)
#define LADDER_EVERY_WAY(counter) counter,
#include "grade/rubric/ways.def"
#undef LADDER_WAY
#undef LADDER_EVERY_WAY
};

enum { WAYS = sizeof ways / sizeof ways[0] };

// The counter of all ways; NULL: the name has none.
static const char *ladder_way_all(const char *counter) {
    for (int i = 0; i < WAYS; i++)
        if (strcmp(ways[i][0], counter) == 0) return ways[i][1];
    return NULL;
}

bool ladder_bound_sees_every_way(const ladder_bound *bound) {
    for (size_t i = 0; i < sizeof every_way / sizeof every_way[0]; i++)
        if (strcmp(bound->counter, every_way[i]) == 0 || strcmp(bound->per, every_way[i]) == 0)
            return true;
    return false;
}

enum { NAME_BYTES = 128 };

// Takes the next of several names with blanks between them; false: there is none.
static bool next_name(const char **at, char out_name[NAME_BYTES]) {
    *at += strspn(*at, " ");
    size_t bytes = strcspn(*at, " ");
    snprintf(out_name, NAME_BYTES, "%.*s", (int)bytes, *at);
    *at += bytes;
    return bytes > 0;
}

static bool has_name(const char *names, const char *wanted) {
    char name[NAME_BYTES];
    while (next_name(&names, name))
        if (strcmp(name, wanted) == 0) return true;
    return false;
}

int ladder_bound_count(const ladder_criterion *criterion) { return 1 + criterion->with_count; }

ladder_bound ladder_bound_at(const ladder_criterion *c, int index) {
    if (index > 0) return c->with[index - 1];
    return (ladder_bound){c->text, c->counter, c->per, "", 0, c->full, c->zero};
}

bool ladder_bound_is_ratio(const ladder_bound *bound) {
    return strcmp(bound->per, "call") != 0 && strcmp(bound->per, "element") != 0;
}

bool ladder_bound_limits(const ladder_bound *bound) {
    return bound->full < bound->zero && !ladder_bound_is_ratio(bound);
}

static bool same_case(const ladder_bound *a, const ladder_bound *b) {
    return strcmp(a->family, b->family) == 0 && a->size == b->size;
}

// Whether an upper bound of the same case limits the counter; all NULL: one of any counter of all
// ways.
static bool is_limited(const ladder_criterion *c, const ladder_bound *of, const char *all) {
    for (int i = 0; i < ladder_bound_count(c); i++) {
        const ladder_bound bound = ladder_bound_at(c, i);
        if (!ladder_bound_limits(&bound) || !same_case(&bound, of)) continue;
        if (all && has_name(bound.counter, all)) return true;
        for (int w = 0; !all && w < WAYS; w++)
            if (has_name(bound.counter, ways[w][1])) return true;
    }
    return false;
}

static kl_status check_name(const ladder_criterion *c, const ladder_bound *bound, const char *name,
                            int step, kl_error *err) {
    const char *all = ladder_way_all(name);
    bool ratio = ladder_bound_is_ratio(bound), least = bound->full > bound->zero;
    if (strcmp(name, "element") == 0) return KL_OK; // the work itself
    if (ratio && !least && !all) all = name;
    if (!all || is_limited(c, bound, least && !ratio ? NULL : all)) return KL_OK;
    const char *why = ratio   ? "a ratio, which further good accesses improve"
                      : least ? "a least amount, which needless accesses reach"
                              : "a count of one way of access among several";
    return kl_fail(err, KL_ERROR_INPUT,
                   "step %d, \"%s\": %s; the criterion needs an upper bound on %s%s per call or "
                   "element, too",
                   step, bound->text, why, all, least && !ratio ? ", or its like," : "");
}

kl_status ladder_rubric_check_dilution(const ladder_criterion *c, int step, kl_error *err) {
    for (int i = 0; i < ladder_bound_count(c); i++) {
        const ladder_bound bound = ladder_bound_at(c, i);
        const char *names = bound.counter;
        char name[NAME_BYTES];
        while (next_name(&names, name)) TRY(check_name(c, &bound, name, step, err));
    }
    return KL_OK;
}
