// SPDX-License-Identifier: MIT
// A sheet joined to a class: see join.h.
#include "course/people/join.h"

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

// A line whose group the submission is called like; -1: none.
static int group_line(const joining *j, const ladder_submission *s) {
    for (size_t i = 0; i < j->sheet.count; i++) {
        const ladder_sheet_student *line = &j->sheet.list[i];
        bool repository = line->repository[0] != '\0' && strcasecmp(line->repository, s->name) == 0;
        bool group = line->group[0] != '\0' && ladder_names_are_one(line->group, s->title);
        if (repository || group) return (int)i;
    }
    return -1;
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

static void take_submission(joining *j, ladder_submission *s, bool *taken) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    int count = ladder_people_of(s, members), named = group_line(j, s);
    double last_s = 0;
    bool alone = count == 1 && named >= 0 && ladder_people_find(j->people, &members[0]) < 0;
    memset(taken, 0, j->sheet.count * sizeof *taken);
    s->members[0] = '\0';
    if (!alone) take_known(j, s, members, count, taken);
    if (alone) { // the name is the group's
        taken[named] = true;
        put_member(s, &j->sheet.list[named].who);
        j->counts.students++;
        j->counts.matched++;
    }
    for (size_t i = 0; i < j->sheet.count; i++) { // the others of the groups of those
        for (size_t k = 0; k < j->sheet.count && !taken[i]; k++) {
            if (!taken[k] || !same_group(&j->sheet.list[i], &j->sheet.list[k])) continue;
            taken[i] = true;
            put_member(s, &j->sheet.list[i].who);
            j->counts.students++;
            j->counts.matched++;
        }
    }
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
