// The leaderboard: see pages.h. The file of best attempts has a line each: id of the
// submission, step and modelled microseconds, step and measured microseconds, the card; -1 and nan
// where there is no time.
#include "course/pages/pages.h"

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
