// What `ladder grade --submissions` is given: see intake.h. First the folder of the class is found
// (unpacked, and within folders that only wrap it), then whose each entry is, then each student's
// step files.
#include "grade/intake/internal.h"
#include <dirent.h>

enum { WRAPS_MAX = 12, METADATA_MAX = 64 << 20 };

// What of a class's archive is wanted, beside students' archives. Of others the names.
static const char *const of_class[] = {LADDER_TAKING_SOURCES, LADDER_BESIDE_STEPS, ".yml", "/",
                                       NULL};

static int by_entry(const void *a, const void *b) {
    return strcmp(((const ladder_entry *)a)->name, ((const ladder_entry *)b)->name);
}

// Links are listed, and followed nowhere: who handed in one is told.
static kl_status list_folder(const char *folder, ladder_entry **out_list, size_t *out_count,
                             kl_error *err) {
    DIR *entries = opendir(folder);
    size_t capacity = 0;
    *out_list = NULL;
    *out_count = 0;
    if (!entries)
        return kl_fail(err, KL_ERROR_INPUT, "cannot read the folder %s: %s", folder,
                       strerror(errno));
    for (struct dirent *found; (found = readdir(entries));) {
        struct stat info;
        char git[NAME_MAX + 8];
        if (ladder_entry_is_skipped(found->d_name) ||
            fstatat(dirfd(entries), found->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !(S_ISDIR(info.st_mode) || S_ISREG(info.st_mode) || S_ISLNK(info.st_mode)))
            continue;
        if (*out_count == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 64;
            ladder_entry *grown = realloc(*out_list, capacity * sizeof *grown);
            if (!grown || capacity > 4 * LADDER_SUBMISSIONS_MAX) {
                closedir(entries);
                return kl_fail(err, KL_ERROR_LIMIT, "too many entries in %s", folder);
            }
            *out_list = grown;
        }
        ladder_entry *entry = &(*out_list)[(*out_count)++];
        snprintf(entry->name, sizeof entry->name, "%s", found->d_name);
        entry->is_link = S_ISLNK(info.st_mode);
        if (entry->is_link && fstatat(dirfd(entries), found->d_name, &info, 0) != 0)
            info.st_mode = S_IFREG;
        entry->is_folder = S_ISDIR(info.st_mode);
        snprintf(git, sizeof git, "%s/.git", found->d_name);
        entry->is_repository =
            entry->is_folder && !entry->is_link && faccessat(dirfd(entries), git, F_OK, 0) == 0;
    }
    closedir(entries);
    if (*out_count > 0) qsort(*out_list, *out_count, sizeof **out_list, by_entry);
    return KL_OK;
}

// Whether a folder is one student's: with step files in it or in "steps", or a copy of the kit.
// Names with other words in them ("1_interleaved-ann.cu") may be those of a class.
static bool is_one_student(const char *folder, const ladder_lab *lab) {
    ladder_gathered found;
    size_t top = strlen(folder), name = strlen(lab->folder);
    ladder_gather(folder, lab, &found);
    const char *below = found.folder + top;
    if (found.files == 0) return false;
    if (strncmp(below, "/labs/", 6) == 0) below += 5;
    bool of_lab = *below == '/' && strncmp(below + 1, lab->folder, name) == 0;
    if (of_lab) below += 1 + name;
    return (*below == '\0' || strcmp(below, "/steps") == 0) && found.fit < LADDER_NAME_AMID;
}

// An archive that is one student's work becomes the only entry of a folder.
static kl_status unpack_class(ladder_taking *in, const char *what, bool *out_single,
                              kl_error *err) {
    ladder_archive_end end;
    char folder[LADDER_PATH];
    TRY(ladder_path(folder, err, "%s/class", in->staging));
    TRY(ladder_folder_make(folder, err));
    TRY(ladder_archive_unpack(what, &ladder_archive_of_class, of_class, folder, &end, err));
    if (end.problem[0] != '\0')
        return kl_fail(err, KL_ERROR_INPUT, "%s cannot be read: %s (what is read: folders, %s)",
                       what, end.problem, ladder_archive_kinds);
    in->out->links = (size_t)end.left;
    in->left_out = end.seen;
    *out_single = is_one_student(folder, in->lab);
    return ladder_path(in->folder, err, "%s", folder);
}

// Goes into a folder that does nothing but wrap the class: always if a course system's entries lie
// in it; in an archive also if others do ("home/ann/inbox/..", as `tar -P` packs).
static kl_status unwrap(ladder_taking *in, bool unpacked, kl_error *err) {
    for (int wraps = 0; wraps < WRAPS_MAX && in->entry_count == 1 && in->entries[0].is_folder &&
                        !in->entries[0].is_link;
         wraps++) {
        char below[LADDER_PATH];
        ladder_entry *entries = NULL;
        size_t count = 0;
        TRY(ladder_path(below, err, "%s/%s", in->folder, in->entries[0].name));
        TRY(list_folder(below, &entries, &count, err));
        bool system = ladder_layout_recognise(in->entries, 1) == LADDER_LAYOUT_PLAIN &&
                      ladder_layout_recognise(entries, count) != LADDER_LAYOUT_PLAIN;
        bool wrapped = unpacked && count > 0 && !is_one_student(below, in->lab);
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

// What became of a submission, from the process that looked at it.
typedef struct outcome {
    ladder_submission submission;
    size_t archives;
} outcome;

typedef struct shared_intake {
    const ladder_taking *in;
    outcome *outcomes; // [in->out->count], in shared memory
} shared_intake;

static kl_status take_one(void *context, size_t index, kl_error *err) {
    const shared_intake *shared = context;
    const ladder_task *t = &shared->in->tasks[index];
    outcome *o = &shared->outcomes[index];
    ladder_submission *s = &shared->in->out->list[index];
    ladder_intake counts = {.list = shared->in->out->list};
    ladder_taking own = *shared->in; // what it counts is added up later
    own.out = &counts;
    kl_status status = KL_OK;
    char path[LADDER_PATH];
    switch (t->kind) {
    case LADDER_TASK_NONE: break;
    case LADDER_TASK_FOLDER: status = ladder_taking_folder(&own, s, err); break;
    case LADDER_TASK_FILES: status = ladder_taking_files(&own, t->items, t->count, s, err); break;
    case LADDER_TASK_ARCHIVE:
        status = ladder_path(path, err, "%s", s->path);
        if (status == KL_OK) status = ladder_taking_archive(&own, s, path, err);
        break;
    }
    *o = (outcome){*s, counts.archives};
    return status;
}

// Looks into everything on the list; many submissions are shared among processes.
static kl_status take_all(ladder_taking *in, kl_error *err) {
    enum { FEW = 16 };
    size_t count = in->out->count, bytes = count * sizeof(outcome);
    bool *lost = calloc(count + 1, sizeof *lost);
    shared_intake shared = {in, ladder_share_memory(bytes)};
    kl_status status = lost && shared.outcomes
                           ? KL_OK
                           : kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    if (status == KL_OK)
        status =
            ladder_share(count, count < FEW ? 1 : kl_processors(), take_one, &shared, lost, err);
    for (size_t i = 0; i < count && status == KL_OK; i++) {
        ladder_submission *s = &in->out->list[i];
        if (lost[i]) {
            snprintf(s->problem, sizeof s->problem, "the process that looked into it died");
            continue;
        }
        *s = shared.outcomes[i].submission;
        in->out->archives += shared.outcomes[i].archives;
    }
    ladder_share_memory_free(shared.outcomes, bytes);
    free(lost);
    return status;
}

static kl_status read_metadata(ladder_taking *in, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/%s", in->folder, LADDER_TAKING_METADATA));
    if (in->out->layout != LADDER_LAYOUT_GRADESCOPE || !ladder_file_exists(path))
        return KL_OK; // the folders' names are all that is known
    char *text = NULL;
    TRY(ladder_file_read(AT_FDCWD, path, METADATA_MAX, &text, NULL, err));
    kl_status status = ladder_metadata_open(text, &in->metadata, err);
    free(text);
    return status;
}

static kl_status open_class(ladder_taking *in, const char *what, bool *out_single,
                            bool *out_unpacked, kl_error *err) {
    struct stat info;
    bool unpacked = false;
    if (stat(what, &info) != 0)
        return kl_fail(err, KL_ERROR_INPUT, "cannot read the submissions in %s: %s", what,
                       strerror(errno));
    if (S_ISREG(info.st_mode)) {
        if (!ladder_archive_is(what) && !ladder_archive_is_inside(AT_FDCWD, what))
            return kl_fail(err, KL_ERROR_INPUT, "%s is neither a folder nor an archive (%s)", what,
                           ladder_archive_kinds);
        *out_unpacked = unpacked = true;
        TRY(unpack_class(in, what, out_single, err));
    } else {
        TRY(ladder_path(in->folder, err, "%s", what));
    }
    TRY(list_folder(in->folder, &in->entries, &in->entry_count, err));
    return *out_single ? KL_OK : unwrap(in, unpacked, err);
}

// A folder of a class without any submission: what lies there instead.
static kl_status tell_empty(const ladder_taking *in, kl_error *err) {
    ladder_gathered found;
    char seen[600];
    ladder_gather(in->folder, in->lab, &found);
    ladder_seen_say(&found.seen, seen, sizeof seen);
    return kl_fail(err, KL_ERROR_INPUT,
                   "no submission in %.300s: expected folders with step files, archives, or files "
                   "such as %.60s%s%s",
                   in->folder, in->lab->rubric->steps[in->lab->rubric->step_count > 1].file,
                   seen[0] != '\0' ? "; not taken: " : "", seen);
}

kl_status ladder_intake_take(const char *what, const char *layout, const ladder_lab *lab,
                             const char *staging, ladder_intake *out_intake, kl_error *err) {
    ladder_taking in = {.lab = lab, .staging = staging, .out = out_intake};
    bool single = false, unpacked = false;
    memset(out_intake, 0, sizeof *out_intake);
    kl_status status = open_class(&in, what, &single, &unpacked, err);
    if (status == KL_OK) {
        out_intake->layout = single   ? LADDER_LAYOUT_PLAIN
                             : layout ? ladder_layout_find(layout)
                                      : ladder_layout_recognise(in.entries, in.entry_count);
        bool plain = out_intake->layout == LADDER_LAYOUT_PLAIN;
        status = read_metadata(&in, err);
        if (status == KL_OK)
            status = single  ? ladder_taking_list_single(&in, what, err)
                     : plain ? ladder_taking_list_plain(&in, err)
                             : ladder_taking_list_students(&in, err);
        if (status == KL_OK && plain && out_intake->count == 0)
            status = unpacked ? ladder_taking_list_single(&in, what, err) : tell_empty(&in, err);
        if (status == KL_OK) status = take_all(&in, err);
        if (status == KL_OK && out_intake->layout == LADDER_LAYOUT_MOODLE)
            status = ladder_taking_teams(&in, err);
        memcpy(out_intake->folder, in.folder, sizeof in.folder);
    }
    free(in.entries);
    free(in.tasks);
    free(in.items);
    ladder_metadata_close(in.metadata);
    if (status == KL_OK) status = ladder_submissions_name(out_intake->list, out_intake->count, err);
    if (status == KL_OK) return KL_OK;
    free(out_intake->list);
    out_intake->list = NULL;
    return status;
}

kl_status ladder_intake_take_one(const char *path, const ladder_lab *lab, const char *staging,
                                 ladder_submission *out_submission, kl_error *err) {
    ladder_submission *s = out_submission;
    ladder_intake out = {.list = s, .count = 1};
    ladder_taking in = {.lab = lab, .staging = staging, .out = &out};
    struct stat info;
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%s", name);
    ladder_submission_id(name, s->id);
    ladder_plain(name, false, s->title, sizeof s->title);
    TRY(ladder_path(s->path, err, "%s", path));
    if (stat(path, &info) != 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s: %s", path, strerror(errno));
    s->is_file = !S_ISDIR(info.st_mode);
    if (!s->is_file) return ladder_taking_folder(&in, s, err);
    if (ladder_archive_is(name) || (ladder_step_of_single(lab->rubric, name) < 0 &&
                                    ladder_archive_is_inside(AT_FDCWD, path))) {
        s->is_file = false;
        return ladder_taking_archive(&in, s, path, err);
    }
    if (ladder_step_of_single(lab->rubric, name) >= 0) return KL_OK;
    ladder_taking_misnamed(lab, s);
    return KL_OK;
}

void ladder_intake_describe(const ladder_intake *intake, char *out, size_t out_bytes) {
    size_t late = 0, broken = 0, none = 0;
    char more[320] = "";
    for (size_t i = 0; i < intake->count; i++) {
        const ladder_submission *s = &intake->list[i];
        late += s->late;
        none += s->none_taken;
        broken += s->problem[0] != '\0' && !s->none_taken;
    }
    broken -= intake->missing < broken ? intake->missing : broken;
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = {{intake->archives, "archive", "archives"},
                 {broken, "that cannot be read", "that cannot be read"},
                 {none, "without a step file", "without a step file"},
                 {intake->links, "link left out (links are not followed)",
                  "links left out (links are not followed)"},
                 {late, "marked late", "marked late"},
                 {intake->missing, "listed without a file", "listed without a file"},
                 {intake->teams, "group of several students", "groups of several students"},
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
