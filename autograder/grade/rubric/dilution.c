// What a count needs beside it so that it cannot be diluted: see rubric.h.
#include "grade/rubric/rubric.h"

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
