// SPDX-License-Identifier: MIT
// What `ladder grade --submissions` is given: see intake.h. First the folder of the class is found
// (unpacked, and within folders that only wrap it), then whose each entry is, then each student's
// step files.
#include "intake/intake.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intake/archive.h"
#include "intake/gather.h"
#include "intake/metadata.h"
#include "intake/share.h"
#include "kit/files.h"
#include "kit/text.h"
#include "rubric/predictions.h"

enum { WRAPS_MAX = 3, METADATA_MAX = 64 << 20, COPY_MAX = 64 << 20 };

static const char metadata_name[] = "submission_metadata.yml";

// What of archives is wanted: of a student's, and of a class's, in which there are students'
// archives.
static const char *const of_student[] = {".cu", LADDER_PREDICTIONS_FILE, NULL};
static const char *const of_class[] = {".cu",  LADDER_PREDICTIONS_FILE,
                                       ".yml", ".zip",
                                       ".tar", ".gz",
                                       ".tgz", ".rar",
                                       ".7z",  ".bz2",
                                       ".xz",  NULL};

// An entry of the class's folder and what its name says.
typedef struct item {
    ladder_entry entry;
    ladder_handed handed;
} item;

// What is to be done about a submission once all are listed.
typedef enum task_kind {
    TASK_NONE,
    TASK_FOLDER,  // s->path is one that was handed in
    TASK_ARCHIVE, // s->path is an archive
    TASK_FILES    // files of one student in the class's folder
} task_kind;

typedef struct task {
    task_kind kind;
    const item *items; // [count] of TASK_FILES
    size_t count;
} task;

typedef struct intake {
    const ladder_lab *lab;
    const char *staging;
    ladder_intake *out;
    task *tasks;              // [out->count]
    item *items;              // of all students
    char folder[LADDER_PATH]; // of the class
    ladder_entry *entries;    // [entry_count] of it
    size_t entry_count;
    char *metadata; // of Gradescope, or NULL
} intake;

static int by_entry(const void *a, const void *b) {
    return strcmp(((const ladder_entry *)a)->name, ((const ladder_entry *)b)->name);
}

// Links are no entries here: what becomes of them is said by ladder_submissions_find.
static kl_status list_folder(const char *folder, ladder_entry **out_list, size_t *out_count,
                             kl_error *err) {
    DIR *entries = opendir(folder);
    size_t room = 0;
    *out_list = NULL;
    *out_count = 0;
    if (entries == NULL)
        return kl_fail(err, KL_ERROR_INPUT, "cannot read the folder %s: %s", folder,
                       strerror(errno));
    for (struct dirent *found; (found = readdir(entries)) != NULL;) {
        struct stat info;
        char git[NAME_MAX + 8];
        if (ladder_entry_is_skipped(found->d_name) ||
            fstatat(dirfd(entries), found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !(S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)))
            continue;
        if (*out_count == room) {
            room = room > 0 ? 2 * room : 64;
            ladder_entry *grown = realloc(*out_list, room * sizeof *grown);
            if (grown == NULL || room > 4 * LADDER_SUBMISSIONS_MAX) {
                closedir(entries);
                return kl_fail(err, KL_ERROR_LIMIT, "too many entries in %s", folder);
            }
            *out_list = grown;
        }
        ladder_entry *entry = &(*out_list)[(*out_count)++];
        snprintf(entry->name, sizeof entry->name, "%s", found->d_name);
        entry->is_folder = S_ISDIR(info.st_mode);
        snprintf(git, sizeof git, "%s/.git", found->d_name);
        entry->is_repository = entry->is_folder && faccessat(dirfd(entries), git, F_OK, 0) == 0;
    }
    closedir(entries);
    if (*out_count > 0) qsort(*out_list, *out_count, sizeof **out_list, by_entry);
    return KL_OK;
}

// The private folder of a submission on the list.
static kl_status new_folder(const intake *in, ladder_submission *s, kl_error *err) {
    TRY(ladder_path(s->path, err, "%s/%zu", in->staging, (size_t)(s - in->out->list)));
    return ladder_folder_make(s->path, err);
}

static bool holds_steps(const char *folder, const ladder_lab *lab) {
    ladder_gathered found;
    size_t top = strlen(folder);
    ladder_gather(folder, lab, &found);
    const char *below = found.folder + top;
    return found.files > 0 && (*below == '\0' || strcmp(below, "/steps") == 0);
}

// An archive that is one student's work becomes the only entry of a folder.
static kl_status unpack_class(intake *in, const char *what, bool *out_single, kl_error *err) {
    ladder_archive_end end;
    char folder[LADDER_PATH];
    TRY(ladder_path(folder, err, "%s/class", in->staging));
    TRY(ladder_folder_make(folder, err));
    TRY(ladder_archive_unpack(what, &ladder_archive_of_class, of_class, folder, &end, err));
    if (end.problem[0] != '\0')
        return kl_fail(err, KL_ERROR_INPUT, "%s cannot be read: %s", what, end.problem);
    *out_single = holds_steps(folder, in->lab);
    return ladder_path(in->folder, err, "%s", folder);
}

// Goes into a folder that does nothing but wrap the class: always if a course system's entries lie
// in it; in an archive also if several entries do.
static kl_status unwrap(intake *in, bool unpacked, kl_error *err) {
    for (int wraps = 0; wraps < WRAPS_MAX && in->entry_count == 1 && in->entries[0].is_folder;
         wraps++) {
        char below[LADDER_PATH];
        ladder_entry *entries = NULL;
        size_t count = 0;
        TRY(ladder_path(below, err, "%s/%s", in->folder, in->entries[0].name));
        TRY(list_folder(below, &entries, &count, err));
        bool system = ladder_layout_recognise(in->entries, 1) == LADDER_LAYOUT_PLAIN &&
                      ladder_layout_recognise(entries, count) != LADDER_LAYOUT_PLAIN;
        bool wrapped = unpacked && count > 1 && !holds_steps(below, in->lab);
        if (!system && !wrapped) {
            free(entries);
            return KL_OK;
        }
        free(in->entries);
        in->entries = entries;
        in->entry_count = count;
        TRY(ladder_path(in->folder, err, "%s", below));
    }
    return KL_OK;
}

static ladder_submission *add(intake *in, const char *name, const char *title, task_kind kind,
                              kl_error *err) {
    ladder_intake *out = in->out;
    if ((out->count & (out->count - 1)) == 0) { // grows at powers of two
        size_t room = out->count > 0 ? 2 * out->count : 1;
        ladder_submission *grown = realloc(out->list, room * sizeof *grown);
        out->list = grown != NULL ? grown : out->list;
        task *more = realloc(in->tasks, room * sizeof *more);
        in->tasks = more != NULL ? more : in->tasks;
        if (grown == NULL || more == NULL || room > 2 * LADDER_SUBMISSIONS_MAX) {
            kl_fail(err, KL_ERROR_LIMIT, "too many submissions");
            return NULL;
        }
    }
    in->tasks[out->count] = (task){.kind = kind};
    ladder_submission *s = &out->list[out->count++];
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    ladder_plain(title, false, s->title, sizeof s->title);
    ladder_submission_id(name, s->id);
    return s;
}

static void note(ladder_submission *s, const char *format, const char *detail) {
    size_t used = strlen(s->note), room = sizeof s->note - used;
    if (used > 0 && used + 3 < sizeof s->note) {
        memcpy(s->note + used, "; ", 3);
        used += 2;
        room -= 2;
    }
    char shown[120];
    ladder_plain(detail, false, shown, sizeof shown);
    snprintf(s->note + used, room, format, shown);
}

// Unpacks a student's archive and finds the steps in it.
static kl_status take_archive(intake *in, ladder_submission *s, const char *path, kl_error *err) {
    ladder_archive_end end;
    ladder_gathered found;
    in->out->archives++;
    TRY(new_folder(in, s, err));
    TRY(ladder_archive_unpack(path, &ladder_archive_of_student, of_student, s->path, &end, err));
    const char *name = strrchr(path, '/');
    name = name != NULL ? name + 1 : path;
    if (end.problem[0] != '\0') {
        char shown[100];
        in->out->broken++;
        ladder_plain(name, false, shown, sizeof shown);
        snprintf(s->problem, sizeof s->problem, "%.90s: %.220s", shown, end.problem);
        return KL_OK;
    }
    if (end.left > 0)
        note(s, "left out of the archive, as it is a link or no file: %s", end.left_first);
    ladder_gather(s->path, in->lab, &found);
    if (found.other[0] != '\0') note(s, "step files that also lie in %s are not used", found.other);
    if (found.folder[0] != '\0') return ladder_path(s->path, err, "%s", found.folder);
    note(s, "no step file in %s", name);
    return KL_OK;
}

static void refuse_foreign(intake *in, ladder_submission *s, const char *name) {
    in->out->broken++;
    char shown[100];
    ladder_plain(name, false, shown, sizeof shown);
    snprintf(s->problem, sizeof s->problem,
             "%s: archives are read as .zip, .tar, .tar.gz and .tgz only", shown);
}

// A folder that somebody handed in.
static kl_status take_folder(intake *in, ladder_submission *s, kl_error *err) {
    ladder_gathered found;
    ladder_gather(s->path, in->lab, &found);
    if (found.other[0] != '\0') note(s, "step files that also lie in %s are not used", found.other);
    if (found.folder[0] != '\0') return ladder_path(s->path, err, "%s", found.folder);
    if (found.archive[0] != '\0') return take_archive(in, s, found.archive, err);
    if (found.foreign[0] != '\0')
        refuse_foreign(in, s, found.foreign);
    else
        note(s, "no step file in %s", s->name);
    return KL_OK;
}

// Folders, archives and step files, each of them a submission.
static kl_status take_plain(intake *in, kl_error *err) {
    ladder_submission *list = NULL;
    size_t count = 0;
    TRY(ladder_submissions_find(in->folder, in->lab, &list, &count, err));
    kl_status status = KL_OK;
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        if (ladder_entry_is_skipped(list[i].name)) continue;
        task_kind kind = list[i].is_file ? TASK_NONE : TASK_FOLDER;
        ladder_submission *s = add(in, list[i].name, list[i].title, kind, err);
        if (s == NULL)
            status = KL_ERROR_LIMIT;
        else
            *s = list[i];
    }
    free(list);
    for (size_t i = 0; i < in->entry_count && status == KL_OK; i++) {
        const char *name = in->entries[i].name;
        bool archive = ladder_archive_is(name), foreign = ladder_archive_is_foreign(name);
        if (in->entries[i].is_folder || !(archive || foreign)) continue;
        ladder_submission *s = add(in, name, name, archive ? TASK_ARCHIVE : TASK_NONE, err);
        if (s == NULL) return KL_ERROR_LIMIT;
        status = ladder_path(s->path, err, "%s/%s", in->folder, name);
        if (!archive) refuse_foreign(in, s, name);
    }
    return status;
}

static kl_status take_single(intake *in, const char *what, kl_error *err) {
    const char *name = strrchr(what, '/');
    name = name != NULL ? name + 1 : what;
    ladder_submission *s = add(in, name, name, TASK_FOLDER, err);
    if (s == NULL) return KL_ERROR_LIMIT;
    in->out->archives++;
    return ladder_path(s->path, err, "%s", in->folder);
}

static int by_owner(const void *a, const void *b) {
    const item *x = a, *y = b;
    int order = strcmp(x->handed.owner, y->handed.owner);
    if (order == 0) order = strcasecmp(x->handed.file, y->handed.file);
    if (order == 0) order = x->handed.attempt - y->handed.attempt;
    if (order == 0)
        order = (x->handed.number > y->handed.number) - (x->handed.number < y->handed.number);
    return order != 0 ? order : strcmp(x->entry.name, y->entry.name);
}

// A copy of a file that somebody handed in under the name that it had there. One that is too large
// is not copied but told when the step is read.
static kl_status copy_file(const intake *in, const item *from, const char *folder, kl_error *err) {
    char source[LADDER_PATH], target[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    TRY(ladder_path(source, err, "%s/%s", in->folder, from->entry.name));
    TRY(ladder_path(target, err, "%s/%s", folder, from->handed.file));
    if (ladder_file_read(AT_FDCWD, source, COPY_MAX, &text, &bytes, NULL) != KL_OK) return KL_OK;
    kl_status status = ladder_file_write(target, text, bytes, err);
    free(text);
    return status;
}

// Puts the files of one student together: items[0 .. count), the last of each name counts. Of
// archives the last one is taken, and files beside it stand above those in it.
static kl_status take_files(intake *in, const item *items, size_t count, ladder_submission *s,
                            kl_error *err) {
    const item *archive = NULL, *foreign = NULL;
    char path[LADDER_PATH];
    int archives = 0;
    for (size_t i = 0; i < count; i++) {
        if (ladder_archive_is(items[i].handed.file)) {
            bool later = archive == NULL || items[i].handed.number >= archive->handed.number;
            archive = later ? &items[i] : archive;
            archives++;
        } else if (ladder_archive_is_foreign(items[i].handed.file)) {
            foreign = &items[i];
        }
    }
    if (archive != NULL) {
        TRY(ladder_path(path, err, "%s/%s", in->folder, archive->entry.name));
        TRY(take_archive(in, s, path, err));
        if (archives > 1)
            note(s, "of several archives the last one is used: %s", archive->entry.name);
    } else {
        TRY(new_folder(in, s, err));
    }
    int copied = 0;
    for (size_t i = 0; i < count && s->problem[0] == '\0'; i++) {
        const ladder_handed *h = &items[i].handed;
        bool last = i + 1 == count || strcasecmp(h->file, items[i + 1].handed.file) != 0;
        size_t length = strlen(h->file);
        bool wanted = length > 3 && strcasecmp(h->file + length - 3, ".cu") == 0;
        wanted = wanted || strcmp(h->file, LADDER_PREDICTIONS_FILE) == 0;
        if (!wanted || ladder_entry_is_skipped(h->file)) continue;
        if (!last) {
            note(s, "handed in again later: %s", items[i].entry.name);
            continue;
        }
        TRY(copy_file(in, &items[i], s->path, err));
        copied++;
    }
    if (copied == 0 && archive == NULL && foreign != NULL)
        refuse_foreign(in, s, foreign->handed.file);
    return KL_OK;
}

static void take_metadata(const intake *in, ladder_submission *s) {
    ladder_metadata known;
    if (in->metadata == NULL) return;
    ladder_metadata_find(in->metadata, s->name, &known);
    if (known.names[0] != '\0') ladder_plain(known.names, false, s->title, sizeof s->title);
    if (known.user[0] != '\0') ladder_plain(known.user, false, s->user, sizeof s->user);
    ladder_plain(known.submitted, false, s->submitted, sizeof s->submitted);
}

// All entries of one student.
static kl_status take_student(intake *in, const item *items, size_t count, kl_error *err) {
    task_kind kind = items[0].entry.is_folder ? TASK_FOLDER : TASK_FILES;
    ladder_submission *s = add(in, items[0].handed.owner, items[0].handed.title, kind, err);
    if (s == NULL) return KL_ERROR_LIMIT;
    in->tasks[in->out->count - 1].items = items;
    in->tasks[in->out->count - 1].count = count;
    ladder_plain(items[0].handed.user, false, s->user, sizeof s->user);
    for (size_t i = 0; i < count; i++) s->late = s->late || items[i].handed.late;
    if (in->out->layout == LADDER_LAYOUT_GRADESCOPE) take_metadata(in, s);
    return kind == TASK_FOLDER ? ladder_path(s->path, err, "%s/%s", in->folder, items[0].entry.name)
                               : KL_OK;
}

static kl_status take_students(intake *in, kl_error *err) {
    char prefix[NAME_MAX + 1];
    item *items = in->items = calloc(in->entry_count + 1, sizeof *items);
    size_t count = 0;
    if (items == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    ladder_layout_prefix(in->entries, in->entry_count, prefix);
    for (size_t i = 0; i < in->entry_count; i++) {
        items[count].entry = in->entries[i];
        bool known =
            ladder_layout_read(in->out->layout, &in->entries[i], prefix, &items[count].handed);
        count += known;
        in->out->unused += !known && strcmp(in->entries[i].name, metadata_name) != 0;
    }
    qsort(items, count, sizeof *items, by_owner);
    kl_status status = KL_OK;
    for (size_t i = 0, next; i < count && status == KL_OK; i = next) {
        for (next = i + 1; next < count; next++)
            if (strcmp(items[next].handed.owner, items[i].handed.owner) != 0) break;
        status = take_student(in, &items[i], next - i, err);
    }
    return status;
}

// What became of a submission, from the process that looked at it.
typedef struct outcome {
    ladder_submission submission;
    size_t archives, broken;
} outcome;

typedef struct shared_intake {
    const intake *in;
    outcome *outcomes; // [in->out->count], in shared memory
} shared_intake;

static kl_status take_one(void *context, size_t index, kl_error *err) {
    const shared_intake *shared = context;
    const task *t = &shared->in->tasks[index];
    outcome *o = &shared->outcomes[index];
    ladder_submission *s = &shared->in->out->list[index];
    ladder_intake counts = {.list = shared->in->out->list};
    intake own = *shared->in; // what it counts is added up later
    own.out = &counts;
    kl_status status = KL_OK;
    char path[LADDER_PATH];
    switch (t->kind) {
    case TASK_NONE: break;
    case TASK_FOLDER: status = take_folder(&own, s, err); break;
    case TASK_FILES: status = take_files(&own, t->items, t->count, s, err); break;
    case TASK_ARCHIVE:
        status = ladder_path(path, err, "%s", s->path);
        if (status == KL_OK) status = take_archive(&own, s, path, err);
        break;
    }
    *o = (outcome){*s, counts.archives, counts.broken};
    return status;
}

// Looks into everything on the list; many submissions are shared among processes.
static kl_status take_all(intake *in, kl_error *err) {
    enum { FEW = 16 };
    size_t count = in->out->count, bytes = count * sizeof(outcome);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    bool *lost = calloc(count + 1, sizeof *lost);
    shared_intake shared = {in, ladder_share_memory(bytes)};
    kl_status status = lost != NULL && shared.outcomes != NULL
                           ? KL_OK
                           : kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    if (status == KL_OK)
        status = ladder_share(count, count < FEW ? 1 : (int)cores, take_one, &shared, lost, err);
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        ladder_submission *s = &in->out->list[i];
        if (lost[i]) {
            snprintf(s->problem, sizeof s->problem, "the process that looked into it died");
            in->out->broken++;
            continue;
        }
        *s = shared.outcomes[i].submission;
        in->out->archives += shared.outcomes[i].archives;
        in->out->broken += shared.outcomes[i].broken;
    }
    ladder_share_memory_free(shared.outcomes, bytes);
    free(lost);
    return status;
}

static kl_status read_metadata(intake *in, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/%s", in->folder, metadata_name));
    if (ladder_file_exists(path)) // without it the folders' names are all that is known
        ladder_file_read(AT_FDCWD, path, METADATA_MAX, &in->metadata, NULL, NULL);
    return KL_OK;
}

static kl_status open_class(intake *in, const char *what, bool *out_single, kl_error *err) {
    struct stat info;
    bool unpacked = false;
    if (stat(what, &info) != 0)
        return kl_fail(err, KL_ERROR_INPUT, "cannot read the submissions in %s: %s", what,
                       strerror(errno));
    if (S_ISREG(info.st_mode)) {
        if (!ladder_archive_is(what))
            return kl_fail(err, KL_ERROR_INPUT,
                           "%s is neither a folder nor an archive (.zip, .tar, .tar.gz, .tgz)",
                           what);
        unpacked = true;
        TRY(unpack_class(in, what, out_single, err));
    } else {
        TRY(ladder_path(in->folder, err, "%s", what));
    }
    TRY(list_folder(in->folder, &in->entries, &in->entry_count, err));
    return *out_single ? KL_OK : unwrap(in, unpacked, err);
}

kl_status ladder_intake_take(const char *what, const char *layout, const ladder_lab *lab,
                             const char *staging, ladder_intake *out_intake, kl_error *err) {
    intake in = {.lab = lab, .staging = staging, .out = out_intake};
    bool single = false;
    memset(out_intake, 0, sizeof *out_intake);
    kl_status status = open_class(&in, what, &single, err);
    if (status == KL_OK) {
        out_intake->layout = single           ? LADDER_LAYOUT_PLAIN
                             : layout != NULL ? ladder_layout_find(layout)
                                              : ladder_layout_recognise(in.entries, in.entry_count);
        bool plain = out_intake->layout == LADDER_LAYOUT_PLAIN;
        status = read_metadata(&in, err);
        if (status == KL_OK)
            status = single  ? take_single(&in, what, err)
                     : plain ? take_plain(&in, err)
                             : take_students(&in, err);
        if (status == KL_OK) status = take_all(&in, err);
    }
    free(in.entries);
    free(in.tasks);
    free(in.items);
    free(in.metadata);
    if (status == KL_OK) status = ladder_submissions_name(out_intake->list, out_intake->count, err);
    if (status == KL_OK) return KL_OK;
    free(out_intake->list);
    out_intake->list = NULL;
    return status;
}

void ladder_intake_describe(const ladder_intake *intake, char *out, size_t out_bytes) {
    size_t late = 0;
    char more[160] = "";
    for (size_t i = 0; i < intake->count; i++) late += intake->list[i].late;
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = {{intake->archives, "archive", "archives"},
                 {intake->broken, "that cannot be read", "that cannot be read"},
                 {late, "marked late", "marked late"},
                 {intake->unused, "other entry not used", "other entries not used"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        size_t used = strlen(more), n = parts[i].count;
        if (n > 0)
            snprintf(more + used, sizeof more - used, ", %zu %s", n,
                     n == 1 ? parts[i].one : parts[i].many);
    }
    snprintf(out, out_bytes, "layout %s (%s): %zu submission%s%s",
             ladder_layout_words[intake->layout], ladder_layout_text(intake->layout), intake->count,
             intake->count == 1 ? "" : "s", more);
}
