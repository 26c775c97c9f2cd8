// SPDX-License-Identifier: MIT
// The leaderboard: see leaderboard.h. The file of best attempts has a line each: id of the
// submission, step, microseconds.
#include "course/class/leaderboard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "utilities/files.h"

static int by_time(const void *a, const void *b) {
    const ladder_leader *x = a, *y = b;
    if (x->time_us != y->time_us) return x->time_us < y->time_us ? -1 : 1;
    return strcmp(x->id, y->id);
}

// An earlier attempt that was faster counts.
static void take_earlier(const char *path, ladder_leader *leaders, size_t count) {
    FILE *in = path ? fopen(path, "r") : NULL;
    char id[96];
    int step = 0;
    double time_us = 0;
    while (in && fscanf(in, "%95s %d %lf", id, &step, &time_us) == 3)
        for (size_t i = 0; i < count; i++)
            if (strcmp(leaders[i].id, id) == 0 && time_us > 0 && !(leaders[i].time_us <= time_us)) {
                leaders[i].step = step;
                leaders[i].time_us = time_us;
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
        fprintf(out, "%s %d %.17g\n", all->items[i].id, all->items[i].step, all->items[i].time_us);
    return KL_OK;
}

kl_status ladder_leaders_make(const ladder_lab *lab, const ladder_member *members, size_t count,
                              const char *path, ladder_leader *out_leaders, size_t *out_count,
                              kl_error *err) {
    size_t used = 0, kept = 0;
    for (size_t m = 0; m < count; m++) {
        int fastest = ladder_fastest_step(&members[m]);
        if (members[m].nickname[0] == '\0') continue;
        ladder_leader *leader = &out_leaders[used++];
        *leader = (ladder_leader){.step = -1, .time_us = (double)NAN};
        snprintf(leader->id, sizeof leader->id, "%s", members[m].id);
        snprintf(leader->nickname, sizeof leader->nickname, "%s", members[m].nickname);
        if (fastest < 0) continue;
        leader->step = lab->rubric->steps[fastest].step;
        leader->time_us = members[m].steps[fastest].time_us;
    }
    take_earlier(path, out_leaders, used);
    for (size_t i = 0; i < used; i++)
        if (out_leaders[i].step >= 0) out_leaders[kept++] = out_leaders[i];
    qsort(out_leaders, kept, sizeof *out_leaders, by_time);
    *out_count = kept;
    if (!path || (used == 0 && !ladder_file_exists(path))) return KL_OK;
    return kl_file_put(path, write_leaders, &(leaders){out_leaders, kept}, err);
}
