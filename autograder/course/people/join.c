// A sheet joined to a class: see people.h.
#include "course/people/people.h"
#include <strings.h>

typedef struct joining {
    ladder_sheet sheet;
    ladder_people *people; // of the sheet
    FILE *notes;
    ladder_people_counts counts;
} joining;

static const char *group_of(const ladder_sheet_student *line) {
    return line->group[0] != '\0' ? line->group : line->repository;
}

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

// One of them with what is known of the other: a number of the system, for its own sheet.
static ladder_person joined(const ladder_person *known, const ladder_person *one) {
    ladder_person all = *one;
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

// "Team A: Ann Lee, Bo Roe": what a group's submission is called from now on; that of one student
// as the sheet calls the student.
static void name_submission(const joining *j, ladder_submission *s, const bool *taken) {
    size_t used = 0, count = 0, last = 0;
    for (size_t i = 0; i < j->sheet.count; i++)
        if (taken[i]) count++, last = i;
    const ladder_sheet_student *one = &j->sheet.list[last];
    const char *end = strchr(s->members, '\n');
    if (count == 1 && end && end[1] == '\0' && one->who.name[0] != '\0')
        ladder_plain(one->who.name, false, s->title, sizeof s->title);
    for (size_t i = 0; i < j->sheet.count; i++) {
        const ladder_sheet_student *line = &j->sheet.list[i];
        const char *group = group_of(line);
        if (!taken[i] || group[0] == '\0' || used + 1 >= sizeof s->title) continue;
        const char *name = line->who.name[0] != '\0' ? line->who.name : line->key;
        int more = snprintf(s->title + used, sizeof s->title - used, "%s%s %s",
                            used > 0 ? "," : group, used > 0 ? "" : ":", name);
        used += more > 0 ? (size_t)more : 0;
    }
}

// When the last of them handed in; 0: unknown.
static double last_time(const joining *j, const bool *taken) {
    double last_s = 0;
    for (size_t i = 0; i < j->sheet.count; i++)
        if (taken[i] && j->sheet.list[i].submitted_s > last_s)
            last_s = j->sheet.list[i].submitted_s;
    return last_s;
}

static void take_submission(joining *j, ladder_submission *s, bool *taken) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    int count = ladder_people_of(s, members);
    bool known = count > 1 || ladder_people_find(j->people, &members[0]) >= 0;
    int named = known ? -1 : group_line(j, s);
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
    // Of who handed it in, where that is known: the others may have handed in again, later.
    double own_s = named < 0 ? last_time(j, taken) : 0;
    take_groups(j, s, taken);
    name_submission(j, s, taken);
    double handed_in_s = own_s > 0 ? own_s : last_time(j, taken);
    for (size_t i = 0; i < j->sheet.count; i++) {
        if (!taken[i]) continue;
        if (s->line == 0) s->line = i + 1;
        if (j->sheet.list[i].files[0] != '\0')
            snprintf(s->files_as, sizeof s->files_as, "%s", j->sheet.list[i].files);
    }
    char time[32];
    if (s->submitted[0] == '\0' && handed_in_s > 0)
        snprintf(s->submitted, sizeof s->submitted, "%s", ladder_time_iso(handed_in_s, time));
}

// Whether two are one student of this course and assignment: by an id.
static bool same_student(const ladder_person *a, const ladder_person *b) {
    char one[LADDER_TITLE], other[LADDER_TITLE];
    for (const char *at = a->ids; ladder_person_next(&at, one);)
        for (const char *to = b->ids; ladder_person_next(&to, other);)
            if (strcasecmp(one, other) == 0) return true;
    return false;
}

static kl_status check_groups(const joining *j, const char *path, kl_error *err) {
    for (size_t i = 0; j->sheet.has_groups && i < j->sheet.count; i++) {
        const ladder_sheet_student *b = &j->sheet.list[i];
        for (size_t k = 0; k < i && group_of(b)[0] != '\0'; k++) {
            const ladder_sheet_student *a = &j->sheet.list[k];
            if (group_of(a)[0] == '\0' || same_group(a, b) || !same_student(&a->who, &b->who))
                continue;
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s: lines %d and %d: %s is in two groups, %s and %s: which counts? "
                           "Take one of the lines out",
                           path, j->sheet.csv.rows[a->row].line, j->sheet.csv.rows[b->row].line,
                           b->who.name[0] != '\0' ? b->who.name : b->key, group_of(a), group_of(b));
        }
    }
    return KL_OK;
}

// A member of a submission by one id, for sorting.
typedef struct membership {
    char id[LADDER_TITLE];
    char name[LADDER_TITLE];
    size_t submission;
    bool group;
} membership;

static int by_id(const void *a, const void *b) {
    const membership *x = a, *y = b;
    int order = strcasecmp(x->id, y->id);
    return order != 0 ? order : (x->submission > y->submission) - (x->submission < y->submission);
}

// All memberships, one per id of each member. *out_list is the caller's to free.
static kl_status list_members(const ladder_submission *list, size_t count, membership **out_list,
                              size_t *out_count, kl_error *err) {
    static ladder_person who[LADDER_MEMBERS_MAX];
    size_t capacity = 0;
    *out_list = NULL;
    *out_count = 0;
    for (size_t i = 0; i < count; i++) {
        int members = list[i].is_test ? 0 : ladder_people_of(&list[i], who);
        for (int m = 0; m < members; m++) {
            char id[LADDER_TITLE];
            for (const char *at = who[m].ids; ladder_person_next(&at, id);) {
                if (*out_count == capacity) {
                    capacity = capacity == 0 ? 256 : 2 * capacity;
                    membership *grown = realloc(*out_list, capacity * sizeof *grown);
                    if (!grown) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
                    *out_list = grown;
                }
                membership *one = &(*out_list)[(*out_count)++];
                *one = (membership){.submission = i, .group = members > 1};
                memcpy(one->id, id, sizeof one->id);
                memcpy(one->name, who[m].name, sizeof one->name);
            }
        }
    }
    return KL_OK;
}

// Whether two submissions are of the same people: two of one group, which hands in twice.
static bool same_members(const ladder_submission *a, const ladder_submission *b) {
    static ladder_person some[LADDER_MEMBERS_MAX], others[LADDER_MEMBERS_MAX];
    int count = ladder_people_of(a, some), found = 0;
    if (ladder_people_of(b, others) != count) return false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (same_student(&some[i], &others[k])) {
                found++;
                break;
            }
    return found == count;
}

kl_status ladder_people_once(const ladder_submission *list, size_t count, kl_error *err) {
    membership *all = NULL;
    size_t used = 0;
    kl_status status = list_members(list, count, &all, &used, err);
    if (status == KL_OK && used > 0) qsort(all, used, sizeof *all, by_id);
    for (size_t i = 1; i < used && status == KL_OK; i++) {
        const membership *a = &all[i - 1], *b = &all[i];
        if (strcasecmp(a->id, b->id) != 0 || a->submission == b->submission) continue;
        const ladder_submission *s = &list[a->submission], *t = &list[b->submission];
        if ((!a->group && !b->group) || same_members(s, t)) continue; // two attempts
        status =
            kl_fail(err, KL_ERROR_INPUT,
                    "%s is in two groups: %s (%s) and %s (%s): which counts? Take the student "
                    "out of one of them, or leave one submission out",
                    b->name[0] != '\0' ? b->name : b->id, s->title, s->name, t->title, t->name);
    }
    free(all);
    return status;
}

// The people of a sheet, who: [sheet.count]. Both are the caller's to free.
static kl_status people_of(const ladder_sheet *sheet, ladder_person **who, ladder_people **people,
                           kl_error *err) {
    *who = calloc(sheet->count + 1, sizeof **who);
    if (!*who) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
    for (size_t i = 0; i < sheet->count; i++) (*who)[i] = sheet->list[i].who;
    return ladder_people_make(*who, sheet->count, people, err);
}

static kl_status join(joining *j, ladder_submission *list, size_t count, kl_error *err) {
    ladder_person *who = NULL;
    bool *taken = calloc(j->sheet.count, sizeof *taken);
    kl_status status = taken ? people_of(&j->sheet, &who, &j->people, err)
                             : kl_fail(err, KL_ERROR_MEMORY, "no memory for the students");
    for (size_t i = 0; i < count && status == KL_OK; i++)
        if (!list[i].is_test) take_submission(j, &list[i], taken);
    free(who);
    free(taken);
    return status;
}

static int by_line(const void *a, const void *b) {
    const ladder_submission *x = a, *y = b;
    if (x->line != y->line) // line 0 behind all others
        return x->line - 1 < y->line - 1 ? -1 : 1;
    int order = strcasecmp(x->title, y->title);
    return order != 0 ? order : strcmp(x->id, y->id);
}

void ladder_people_order(ladder_submission *list, size_t count) {
    if (count > 0) qsort(list, count, sizeof *list, by_line);
}

void ladder_people_name(const ladder_people *people, const ladder_person *who, bool lines,
                        ladder_submission *list, size_t count) {
    static ladder_person members[LADDER_MEMBERS_MAX];
    for (size_t i = 0; i < count; i++) {
        ladder_submission *s = &list[i];
        int handed_in = s->is_test ? 0 : ladder_people_of(s, members);
        int found = handed_in > 0 ? ladder_people_find(people, &members[0]) : LADDER_NOBODY;
        if (lines) s->line = 0;
        for (int m = 0; lines && m < handed_in; m++) {
            int line = m == 0 ? found : ladder_people_find(people, &members[m]);
            if (line >= 0 && (s->line == 0 || (size_t)line < s->line)) s->line = (size_t)line + 1;
        }
        if (handed_in != 1 || found < 0 || who[found].name[0] == '\0') continue;
        ladder_person all = joined(&who[found], &members[0]);
        memcpy(all.name, who[found].name, sizeof all.name);
        s->members[0] = '\0';
        put_member(s, &all);
        ladder_plain(all.name, false, s->title, sizeof s->title);
    }
}

kl_status ladder_people_join(const char *path, ladder_submission *list, size_t count, FILE *notes,
                             kl_error *err) {
    joining j = {.notes = notes};
    TRY(ladder_sheet_read(path, &j.sheet, err));
    kl_status status = check_groups(&j, path, err);
    if (status == KL_OK) status = join(&j, list, count, err);
    if (status == KL_OK) {
        fprintf(notes, "%s: ", path);
        ladder_people_tell(&j.counts, notes);
    }
    ladder_people_free(j.people);
    ladder_sheet_free(&j.sheet);
    return status;
}

kl_status ladder_people_name_from(const char *path, ladder_submission *list, size_t count,
                                  kl_error *err) {
    ladder_sheet sheet;
    ladder_people *people = NULL;
    ladder_person *who = NULL;
    TRY(ladder_sheet_read(path, &sheet, err));
    kl_status status = people_of(&sheet, &who, &people, err);
    if (status == KL_OK) ladder_people_name(people, who, true, list, count);
    ladder_people_free(people);
    free(who);
    ladder_sheet_free(&sheet);
    return status;
}
