// SPDX-License-Identifier: MIT
// A sheet joined to a class: see join.h.
#include "course/people/join.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "course/people/match.h"
#include "course/people/sheet.h"
#include "utilities/text.h"

typedef struct joining {
    ladder_sheet sheet;
    ladder_people *people; // of the sheet
    FILE *notes;
    ladder_people_counts counts;
} joining;

static bool same_group(const ladder_sheet_student *a, const ladder_sheet_student *b) {
    if (a->group[0] != '\0') return strcasecmp(a->group, b->group) == 0;
    return a->repository[0] != '\0' && strcasecmp(a->repository, b->repository) == 0;
}

// Bytes of a name's end that are the group's name as repositories have it, "team-a" of "Team A",
// after a hyphen or alone; 0: it ends otherwise.
static size_t ends_like(const char *name, const char *group) {
    char slug[LADDER_TITLE];
    size_t used = 0, length = strlen(name);
    for (const char *c = group; *c != '\0' && used + 1 < sizeof slug; c++) {
        bool plain = isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80;
        if (plain || (used > 0 && slug[used - 1] != '-')) slug[used++] = plain ? *c : '-';
    }
    while (used > 0 && slug[used - 1] == '-') used--;
    slug[used] = '\0';
    if (used == 0 || used > length || strcasecmp(name + length - used, slug) != 0) return 0;
    return used == length || name[length - used - 1] == '-' ? used : 0;
}

// A line of the group that the submission is called like: by its repository, by its title, or by
// the longest name that its own ends with. -1: none.
static int group_line(const joining *j, const ladder_submission *s) {
    size_t best = 0;
    int found = -1;
    for (size_t i = 0; i < j->sheet.count; i++) {
        const ladder_sheet_student *line = &j->sheet.list[i];
        if (line->repository[0] != '\0' && strcasecmp(line->repository, s->name) == 0)
            return (int)i;
        if (line->group[0] == '\0') continue;
        if (ladder_names_are_one(line->group, s->title)) return (int)i;
        size_t length = ends_like(s->name, line->group);
        if (length <= best) continue;
        best = length;
        found = (int)i;
    }
    return found;
}

// A member of the submission, with what is known of them.
static void put_member(ladder_submission *s, const ladder_person *who) {
    char ids[sizeof who->ids];
    snprintf(ids, sizeof ids, "%s", who->ids);
    for (char *c = ids; *c != '\0'; c++) // "a\nb\n" becomes "a\tb"
        if (*c == '\n') *c = c[1] != '\0' ? '\t' : '\0';
    if (ladder_submission_member(s, who->name, ids) || s->problem[0] != '\0') return;
    snprintf(s->problem, sizeof s->problem, "too many students handed it in together");
}

// What the class knows of a member beside the line's: a number of the system, for its own sheet.
static ladder_person joined(const ladder_person *known, const ladder_person *line) {
    ladder_person all = *line;
    char id[LADDER_TITLE];
    for (const char *at = known->ids; ladder_person_next(&at, id);) ladder_person_add(&all, id);
    if (all.name[0] == '\0') memcpy(all.name, known->name, sizeof all.name);
    return all;
}

// Marks the lines of the members in taken: [sheet.count], and puts those down who have none.
static void take_known(joining *j, ladder_submission *s, const ladder_person *members, int count,
                       bool *taken) {
    for (int m = 0; m < count; m++) {
        int line = ladder_people_find(j->people, &members[m]);
        if (line >= 0 && !taken[line]) {
            ladder_person all = joined(&members[m], &j->sheet.list[line].who);
            put_member(s, &all);
            taken[line] = true;
        } else if (line < 0) {
            put_member(s, &members[m]);
            fprintf(j->notes, "  %s in the sheet: %s\n",
                    line == LADDER_SEVERAL ? "fits several students" : "nobody", members[m].name);
        }
        j->counts.students++;
        j->counts.matched += line >= 0;
    }
}

// The others of the groups of those who are taken.
static void take_groups(joining *j, ladder_submission *s, bool *taken) {
    size_t first[LADDER_MEMBERS_MAX];
    int count = 0;
    for (size_t i = 0; i < j->sheet.count && count < LADDER_MEMBERS_MAX; i++)
        if (taken[i]) first[count++] = i;
    for (size_t i = 0; i < j->sheet.count; i++) {
        for (int k = 0; k < count && !taken[i]; k++) {
            if (!same_group(&j->sheet.list[i], &j->sheet.list[first[k]])) continue;
            taken[i] = true;
            put_member(s, &j->sheet.list[i].who);
            j->counts.students++;
            j->counts.matched++;
        }
    }
}

// "Team A: Ann Lee, Bo Roe": what a group's submission is called from now on.
static void name_group(const joining *j, ladder_submission *s, const bool *taken) {
    size_t used = 0;
    for (size_t i = 0; i < j->sheet.count; i++) {
        const ladder_sheet_student *line = &j->sheet.list[i];
        const char *group = line->group[0] != '\0' ? line->group : line->repository;
        if (!taken[i] || group[0] == '\0' || used + 1 >= sizeof s->title) continue;
        const char *name = line->who.name[0] != '\0' ? line->who.name : line->key;
        int more = snprintf(s->title + used, sizeof s->title - used, "%s%s %s",
                            used > 0 ? "," : group, used > 0 ? "" : ":", name);
        used += more > 0 ? (size_t)more : 0;
    }
}

static void take_submission(joining *j, ladder_submission *s, bool *taken) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    int count = ladder_people_of(s, members);
    bool known = count > 1 || ladder_people_find(j->people, &members[0]) >= 0;
    int named = known ? -1 : group_line(j, s);
    double last_s = 0;
    memset(taken, 0, j->sheet.count * sizeof *taken);
    s->members[0] = '\0';
    if (named < 0) {
        take_known(j, s, members, count, taken);
    } else { // the name is the group's
        taken[named] = true;
        put_member(s, &j->sheet.list[named].who);
        j->counts.students++;
        j->counts.matched++;
    }
    take_groups(j, s, taken);
    name_group(j, s, taken);
    for (size_t i = 0; i < j->sheet.count; i++)
        if (taken[i] && j->sheet.list[i].submitted_s > last_s)
            last_s = j->sheet.list[i].submitted_s;
    char time[32];
    if (s->submitted[0] == '\0' && last_s > 0)
        snprintf(s->submitted, sizeof s->submitted, "%s", ladder_time_iso(last_s, time));
}

static kl_status join(joining *j, ladder_submission *list, size_t count, kl_error *err) {
    ladder_person *who = calloc(j->sheet.count, sizeof *who);
    bool *taken = calloc(j->sheet.count, sizeof *taken);
    kl_status status =
        who && taken ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
    for (size_t i = 0; i < j->sheet.count && status == KL_OK; i++) who[i] = j->sheet.list[i].who;
    if (status == KL_OK) status = ladder_people_make(who, j->sheet.count, &j->people, err);
    for (size_t i = 0; i < count && status == KL_OK; i++)
        if (!list[i].is_test) take_submission(j, &list[i], taken);
    free(who);
    free(taken);
    return status;
}

kl_status ladder_people_join(const char *path, ladder_submission *list, size_t count, FILE *notes,
                             kl_error *err) {
    joining j = {.notes = notes};
    TRY(ladder_sheet_read(path, &j.sheet, err));
    kl_status status = join(&j, list, count, err);
    if (status == KL_OK) {
        fprintf(notes, "%s: ", path);
        ladder_people_tell(&j.counts, notes);
    }
    ladder_people_free(j.people);
    ladder_sheet_free(&j.sheet);
    return status;
}
