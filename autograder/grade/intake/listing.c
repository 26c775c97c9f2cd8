// Whose each entry of a class's folder is, by its name and by what the course system says.
#include "grade/intake/internal.h"
#include <strings.h>

static ladder_submission *ladder_taking_add(ladder_taking *in, const char *name, const char *title,
                                            ladder_task_kind kind, kl_error *err) {
    ladder_intake *out = in->out;
    if ((out->count & (out->count - 1)) == 0) { // grows at powers of two
        size_t capacity = out->count > 0 ? 2 * out->count : 1;
        ladder_submission *grown = realloc(out->list, capacity * sizeof *grown);
        out->list = grown ? grown : out->list;
        ladder_task *more = realloc(in->tasks, capacity * sizeof *more);
        in->tasks = more ? more : in->tasks;
        if (!grown || !more || capacity > 2 * LADDER_SUBMISSIONS_MAX) {
            kl_fail(err, KL_ERROR_LIMIT, "too many submissions");
            return NULL;
        }
    }
    in->tasks[out->count] = (ladder_task){.kind = kind};
    ladder_submission *s = &out->list[out->count++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    ladder_plain(title, false, s->title, sizeof s->title);
    ladder_submission_id(name, s->id);
    return s;
}

void ladder_taking_misnamed(const ladder_lab *lab, ladder_submission *s) {
    char why[100];
    s->is_file = s->none_taken = true;
    snprintf(s->problem, sizeof s->problem,
             "%.90s: %s; read are folders, step files (such as %.60s), %s", s->title,
             ladder_step_name_why(lab->rubric, s->name, why, sizeof why),
             lab->rubric->steps[lab->rubric->step_count > 1].file, ladder_archive_kinds);
}

// Folders, archives and step files, each of them a submission.
kl_status ladder_taking_list_plain(ladder_taking *in, kl_error *err) {
    ladder_submission *list = NULL;
    size_t count = 0;
    TRY(ladder_submissions_find(in->folder, in->lab, &list, &count, err));
    kl_status status = KL_OK;
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        if (ladder_entry_is_skipped(list[i].name)) continue;
        ladder_task_kind kind = list[i].is_file ? LADDER_TASK_NONE : LADDER_TASK_FOLDER;
        ladder_submission *s = ladder_taking_add(in, list[i].name, list[i].title, kind, err);
        if (!s) status = KL_ERROR_LIMIT;
        else *s = list[i];
    }
    free(list);
    for (size_t i = 0; i < in->entry_count && status == KL_OK; i++) {
        const char *name = in->entries[i].name;
        bool archive = ladder_archive_is(name);
        char path[LADDER_PATH];
        if (in->entries[i].is_folder || in->entries[i].is_link) continue;
        TRY(ladder_path(path, err, "%s/%s", in->folder, name));
        // A source that is no step by its name: a person decides what it is.
        bool misnamed = !archive && ladder_step_name_distance(in->lab->rubric, name) < 2 &&
                        ladder_step_of_single(in->lab->rubric, name) < 0;
        if (!misnamed && !archive &&
            (strchr(name, '.') || !ladder_archive_is_inside(AT_FDCWD, path)))
            continue;
        ladder_task_kind kind = misnamed ? LADDER_TASK_NONE : LADDER_TASK_ARCHIVE;
        ladder_submission *s = ladder_taking_add(in, name, name, kind, err);
        if (!s) return KL_ERROR_LIMIT;
        memcpy(s->path, path, sizeof path);
        if (misnamed) ladder_taking_misnamed(in->lab, s);
    }
    return status;
}

kl_status ladder_taking_list_single(ladder_taking *in, const char *what, kl_error *err) {
    const char *name = strrchr(what, '/');
    name = name ? name + 1 : what;
    ladder_submission *s = ladder_taking_add(in, name, name, LADDER_TASK_ARCHIVE, err);
    if (!s) return KL_ERROR_LIMIT;
    return ladder_path(s->path, err, "%s", what);
}

static int by_owner(const void *a, const void *b) {
    const ladder_item *x = a, *y = b;
    int order = strcmp(x->handed.owner, y->handed.owner);
    if (order == 0) order = strcasecmp(x->handed.file, y->handed.file);
    if (order == 0) order = x->handed.attempt - y->handed.attempt;
    if (order == 0)
        order = (x->handed.number > y->handed.number) - (x->handed.number < y->handed.number);
    return order != 0 ? order : strcmp(x->entry.name, y->entry.name);
}

static void take_metadata(const ladder_taking *in, ladder_submission *s) {
    ladder_metadata known;
    if (!in->metadata) return;
    ladder_metadata_find(in->metadata, s->name, &known);
    if (known.names[0] != '\0') ladder_plain(known.names, false, s->title, sizeof s->title);
    if (known.user[0] != '\0') ladder_plain(known.user, false, s->user, sizeof s->user);
    ladder_plain(known.submitted, false, s->submitted, sizeof s->submitted);
    for (int i = 0; i < known.count; i++) {
        char name[LADDER_TITLE];
        ladder_plain(known.members[i].name, false, name, sizeof name);
        char ids[LADDER_TITLE];
        ladder_plain(known.members[i].ids, true, ids, sizeof ids); // tabs stay
        if (!ladder_submission_member(s, name, ids) || known.too_many)
            snprintf(s->problem, sizeof s->problem, "too many students handed it in together");
    }
}

// Folders that the metadata has and the download lacks: nothing of their files was taken, or they
// are empty. Nobody gets a 0 for them.
static kl_status list_missing(ladder_taking *in, kl_error *err) {
    char folder[NAME_MAX + 1];
    size_t listed = in->out->count;
    for (size_t at = 0; in->metadata && ladder_metadata_next(in->metadata, &at, folder);) {
        bool there = false;
        for (size_t i = 0; i < listed && !there; i++)
            there = strcmp(in->out->list[i].name, folder) == 0;
        if (there) continue;
        ladder_submission *s = ladder_taking_add(in, folder, folder, LADDER_TASK_NONE, err);
        if (!s) return KL_ERROR_LIMIT;
        take_metadata(in, s);
        snprintf(s->problem, sizeof s->problem,
                 "%s lists it, but the download has no file of this lab in %.80s",
                 LADDER_TAKING_METADATA, folder);
        in->out->missing++;
    }
    return KL_OK;
}

// All entries of one student.
static kl_status take_student(ladder_taking *in, const ladder_item *items, size_t count,
                              kl_error *err) {
    ladder_task_kind kind = items[0].entry.is_folder ? LADDER_TASK_FOLDER : LADDER_TASK_FILES;
    ladder_submission *s =
        ladder_taking_add(in, items[0].handed.owner, items[0].handed.title, kind, err);
    if (!s) return KL_ERROR_LIMIT;
    in->tasks[in->out->count - 1].items = items;
    in->tasks[in->out->count - 1].count = count;
    ladder_plain(items[0].handed.user, false, s->user, sizeof s->user);
    for (size_t i = 0; i < count; i++) s->late = s->late || items[i].handed.late;
    s->is_test = in->out->layout == LADDER_LAYOUT_CANVAS && strcmp(s->title, "studenttest") == 0;
    if (in->out->layout == LADDER_LAYOUT_GRADESCOPE) take_metadata(in, s);
    if (in->out->layout == LADDER_LAYOUT_MOODLE) { // a number that is no other system's
        char number[80];
        snprintf(number, sizeof number, "Participant %s", s->user);
        ladder_submission_member(s, s->title, number);
    }
    if (items[0].entry.is_link && kind == LADDER_TASK_FOLDER) {
        in->tasks[in->out->count - 1].kind = LADDER_TASK_NONE;
        snprintf(s->problem, sizeof s->problem,
                 "%.100s: it is a symbolic link, and links are not followed: hand in the files "
                 "themselves",
                 items[0].entry.name);
    }
    return kind == LADDER_TASK_FOLDER
               ? ladder_path(s->path, err, "%s/%s", in->folder, items[0].entry.name)
               : KL_OK;
}

kl_status ladder_taking_list_students(ladder_taking *in, kl_error *err) {
    char prefix[NAME_MAX + 1];
    ladder_item *items = in->items = calloc(in->entry_count + 1, sizeof *items);
    size_t count = 0;
    if (!items) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    ladder_layout_prefix(in->entries, in->entry_count, prefix);
    for (size_t i = 0; i < in->entry_count; i++) {
        items[count].entry = in->entries[i];
        bool known =
            ladder_layout_read(in->out->layout, &in->entries[i], prefix, &items[count].handed);
        count += known;
        in->out->unused += !known && strcmp(in->entries[i].name, LADDER_TAKING_METADATA) != 0;
    }
    qsort(items, count, sizeof *items, by_owner);
    kl_status status = KL_OK;
    for (size_t i = 0, next; i < count && status == KL_OK; i = next) {
        for (next = i + 1; next < count; next++)
            if (strcmp(items[next].handed.owner, items[i].handed.owner) != 0) break;
        status = take_student(in, &items[i], next - i, err);
    }
    bool gradescope = in->out->layout == LADDER_LAYOUT_GRADESCOPE;
    return status == KL_OK && gradescope ? list_missing(in, err) : status;
}
