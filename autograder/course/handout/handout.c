// Writes the kit without what students shall not have: see handout.h.
#include "course/handout/handout.h"
#include "grade/description/description.h"
#include "grade/submission/submission.h"
#include <dirent.h>
#include <fnmatch.h>

enum { KIT_FILE_MAX = 64 << 20 };

static const char *const tops[] = {
#define LADDER_HANDED_OUT(name) name,
#define LADDER_LEFT_OUT(path, why)
#include "course/handout/left_out.def"
#undef LADDER_HANDED_OUT
#undef LADDER_LEFT_OUT
};

typedef struct left_row {
    const char *path, *why;
} left_row;

static const left_row left_rows[] = {
#define LADDER_HANDED_OUT(name)
#define LADDER_LEFT_OUT(path, why) {path, why},
#include "course/handout/left_out.def"
#undef LADDER_HANDED_OUT
#undef LADDER_LEFT_OUT
};

typedef struct walk {
    const ladder_kit *kit;
    const char *into;
    struct stat target; // the folder `into`: not handed out itself where it lies inside the kit
    bool released;      // files of a lab that is over: with answers, and only what is not there yet
    bool labs[LADDER_LABS_MAX], before[LADDER_LABS_MAX]; // handed out; before, where some are added
    bool pages; // only pages that are there, whose links may change
    ladder_handout *made;
} walk;

// The array with room for one more; NULL without memory.
static void *grow(void *items, size_t count, size_t *capacity, size_t item_bytes) {
    if (count < *capacity) return items;
    size_t wanted = *capacity == 0 ? 256 : 2 * *capacity;
    void *more = realloc(items, wanted * item_bytes);
    if (more) *capacity = wanted;
    return more;
}

static kl_status note_written(walk *w, const char *path, kl_error *err) {
    ladder_handout *made = w->made;
    char **files = grow(made->files, made->count, &made->capacity, sizeof *files);
    if (files) {
        made->files = files;
        files[made->count] = strdup(path);
        if (files[made->count]) {
            made->count++;
            return KL_OK;
        }
    }
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for the list of files");
}

static kl_status note_left(walk *w, const char *path, const left_row *row, kl_error *err) {
    ladder_handout *made = w->made;
    struct ladder_handout_left *left =
        grow(made->left, made->left_count, &made->left_capacity, sizeof *left);
    if (left) {
        made->left = left;
        left[made->left_count] = (struct ladder_handout_left){strdup(path), row->path, row->why};
        if (left[made->left_count].path) {
            made->left_count++;
            return KL_OK;
        }
    }
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for the list of files");
}

void ladder_handout_free(ladder_handout *handout) {
    for (size_t i = 0; i < handout->count; i++) free(handout->files[i]);
    for (size_t i = 0; i < handout->left_count; i++) free(handout->left[i].path);
    free(handout->files);
    free(handout->left);
    ladder_lock_release(&handout->lock);
    memset(handout, 0, sizeof *handout);
}

static const left_row *find_left_out(const char *path) {
    for (size_t i = 0; i < sizeof left_rows / sizeof left_rows[0]; i++)
        if (fnmatch(left_rows[i].path, path, FNM_PATHNAME) == 0) return &left_rows[i];
    return NULL;
}

static bool is_there(const char *path, const char *text, size_t bytes) {
    char *old = NULL;
    size_t old_bytes = 0;
    bool same = ladder_file_exists(path) &&
                ladder_file_read(AT_FDCWD, path, KIT_FILE_MAX, &old, &old_bytes, NULL) == KL_OK &&
                old_bytes == bytes && memcmp(old, text, bytes) == 0;
    free(old);
    return same;
}

static kl_status put(walk *w, const char *path, const char *text, size_t bytes, mode_t mode,
                     kl_error *err) {
    char to[LADDER_PATH], above[LADDER_PATH];
    TRY(ladder_path(to, err, "%s/%s", w->into, path));
    TRY(ladder_path(above, err, "%s", to));
    *strrchr(above, '/') = '\0';
    if (w->released && is_there(to, text, bytes)) return KL_OK;
    TRY(ladder_folder_make(above, err));
    TRY((w->released ? ladder_file_write : ladder_file_make)(to, text, bytes, err));
    if (chmod(to, (mode & 0111) != 0 ? 0755 : 0644) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", to, strerror(errno));
    return note_written(w, path, err);
}

kl_status ladder_handout_description(const char *name, const char *folder, const char *text,
                                     bool hidden, bool answers, char **out_text, int *out_removed,
                                     kl_error *err) {
    ladder_description d;
    int removed = 0;
    TRY(ladder_description_read(name, text, strlen(text), folder, &d, err));
    kl_status status = ladder_description_copy(&d, hidden, answers, out_text, &removed, err);
    ladder_description_free(&d);
    *out_removed += removed;
    return status;
}

static kl_status show_page(const char *path, const char *text, bool answers, const bool *labs,
                           char **out_shown, kl_error *err) {
    char *page = NULL;
    TRY(ladder_handout_page(path, text, answers, &page, err));
    kl_status status = ladder_handout_links(path, page, labs, out_shown, err);
    free(page);
    return status;
}

// A page that is there gets the links of the labs that are there now, unless somebody edited it.
static kl_status change_links(walk *w, const char *path, const char *text, kl_error *err) {
    static const left_row edited = {"edited pages", "somebody edited them: their links stay"};
    char to[LADDER_PATH], *was[2] = {NULL}, *is[2] = {NULL};
    kl_status status = ladder_path(to, err, "%s/%s", w->into, path);
    bool known = status != KL_OK || !ladder_file_exists(to);
    for (int answers = 0; answers < 2 && !known && status == KL_OK; answers++) {
        status = show_page(path, text, answers, w->before, &was[answers], err);
        if (status == KL_OK) status = show_page(path, text, answers, w->labs, &is[answers], err);
        if (status != KL_OK) break;
        known = is_there(to, was[answers], strlen(was[answers]));
        if (known && strcmp(was[answers], is[answers]) != 0)
            status = ladder_file_write(to, is[answers], strlen(is[answers]), err);
        if (known && status == KL_OK && strcmp(was[answers], is[answers]) != 0)
            status = note_written(w, path, err);
    }
    if (status == KL_OK && !known && strcmp(was[0], is[0]) != 0)
        status = note_left(w, path, &edited, err);
    for (int answers = 0; answers < 2; answers++) {
        free(was[answers]);
        free(is[answers]);
    }
    return status;
}

// The text as it is handed out; *out_shown: NULL where it stays as it is. Caller frees.
static kl_status edit(walk *w, const char *path, const char *text, char **out_shown,
                      kl_error *err) {
    *out_shown = NULL;
    if (fnmatch("labs/*/lab.json", path, FNM_PATHNAME) == 0) {
        char folder[LADDER_PATH]; // between the two slashes
        TRY(ladder_path(folder, err, "%s", path + strlen("labs/")));
        *strchr(folder, '/') = '\0';
        return ladder_handout_description(path, folder, text, false, w->released, out_shown,
                                          &w->made->hidden, err);
    }
    if (fnmatch("*.md", path, 0) != 0) return KL_OK;
    return show_page(path, text, w->released, w->labs, out_shown, err);
}

static kl_status copy_file(walk *w, const char *path, const struct stat *info, kl_error *err) {
    char from[LADDER_PATH], *text = NULL, *shown = NULL;
    size_t bytes = 0;
    if (w->pages && fnmatch("*.md", path, 0) != 0) return KL_OK;
    TRY(ladder_path(from, err, "%s/%s", w->kit->source, path));
    TRY(ladder_file_read(AT_FDCWD, from, KIT_FILE_MAX, &text, &bytes, err));
    kl_status status =
        w->pages ? change_links(w, path, text, err) : edit(w, path, text, &shown, err);
    if (status == KL_OK && !w->pages)
        status =
            put(w, path, shown ? shown : text, shown ? strlen(shown) : bytes, info->st_mode, err);
    free(shown);
    free(text);
    return status;
}

static int keep_visible(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    bool formatting = strcmp(entry->d_name, ".clang-format") == 0;
    return (entry->d_name[0] != '.' || formatting) && entry->d_name[length - 1] != '~';
}

static kl_status take(walk *w, const char *path, kl_error *err);

static kl_status take_folder(walk *w, const char *path, kl_error *err) {
    char folder[LADDER_PATH];
    struct dirent **entries = NULL;
    TRY(ladder_path(folder, err, "%s/%s", w->kit->source, path));
    int count = scandir(folder, &entries, keep_visible, alphasort);
    kl_status status =
        count >= 0 ? KL_OK
                   : kl_fail(err, KL_ERROR_SYSTEM, "cannot read %s: %s", folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char below[LADDER_PATH];
        if (status == KL_OK) status = ladder_path(below, err, "%s/%s", path, entries[i]->d_name);
        if (status == KL_OK) status = take(w, below, err);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static kl_status take(walk *w, const char *path, kl_error *err) {
    char from[LADDER_PATH];
    struct stat info;
    TRY(ladder_path(from, err, "%s/%s", w->kit->source, path));
    if (lstat(from, &info) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", from, strerror(errno));
    static const left_row later = {"other labs",
                                   "they come later: ladder handout FOLDER --add LAB"};
    const left_row *left =
        ladder_handout_is_later(path, strlen(path), w->labs) ? &later : find_left_out(path);
    if (left) return w->pages ? KL_OK : note_left(w, path, left, err);
    if (info.st_dev == w->target.st_dev && info.st_ino == w->target.st_ino) return KL_OK;
    if (S_ISDIR(info.st_mode)) return take_folder(w, path, err);
    if (S_ISREG(info.st_mode)) return copy_file(w, path, &info, err);
    static const left_row special = {"links and the like", "neither a file nor a folder"};
    return note_left(w, path, &special, err);
}

// The student's file of a solution, as if nobody had ever edited it; of a given step its only file.
static kl_status make_file(walk *w, const ladder_lab *lab, const char *folder, const char *name,
                           bool given, kl_error *err) {
    char from[LADDER_PATH], path[LADDER_PATH], *solution = NULL, *made = NULL;
    TRY(ladder_path(from, err, "%s/%s/%s/%s/%s", w->kit->source, given ? "labs" : "solutions",
                    lab->folder, folder, name));
    TRY(ladder_path(path, err, "labs/%s/%s/%s", lab->folder, folder, name));
    TRY(ladder_file_read(AT_FDCWD, from, LADDER_SOURCE_MAX, &solution, NULL, err));
    kl_status status = ladder_skeleton_make(name, solution, &made, err);
    if (status == KL_OK) status = put(w, path, made, strlen(made), 0644, err);
    free(made);
    free(solution);
    return status;
}

static int keep_sources(const struct dirent *entry) {
    return fnmatch("*.cu", entry->d_name, FNM_PERIOD) == 0;
}

static kl_status make_lab(walk *w, const ladder_lab *lab, kl_error *err) {
    char folder[LADDER_PATH];
    struct dirent **entries = NULL;
    for (int i = 0; i < lab->rubric->step_count; i++) {
        const ladder_rubric_step *step = &lab->rubric->steps[i];
        TRY(make_file(w, lab, "steps", step->file, step->given, err));
    }
    TRY(ladder_path(folder, err, "%s/solutions/%s/bugs", w->kit->source, lab->folder));
    int count = scandir(folder, &entries, keep_sources, alphasort); // a lab need not have any
    kl_status status = KL_OK;
    for (int i = 0; i < count; i++) {
        if (status == KL_OK) status = make_file(w, lab, "bugs", entries[i]->d_name, false, err);
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    return status;
}

static kl_status require_solutions(const ladder_kit *kit, kl_error *err) {
    for (int l = 0; l < ladder_lab_count; l++) {
        const kl_step_info *step = &ladder_labs[l].problem->steps[0];
        char path[LADDER_PATH];
        TRY(ladder_kit_step_file(kit, &ladder_labs[l], step, true, path, err));
        TRY(ladder_kit_require_given(kit, &ladder_labs[l], err));
        if (ladder_file_exists(path)) continue;
        return kl_fail(err, KL_ERROR_INPUT,
                       "this kit has no solutions of lab %s, from which step files are made: "
                       "it is a handout itself",
                       ladder_labs[l].folder);
    }
    return KL_OK;
}

static kl_status require_empty(const char *folder, kl_error *err) {
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, NULL), others = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        others += strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
                  strcmp(name, LADDER_LOCK_FILE) != 0;
        free(entries[i]);
    }
    if (count >= 0) free(entries);
    if (others == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "%s is not empty: a handout gets a folder of its own",
                   folder);
}

// "00,reduction": which labs that are.
static kl_status read_labs(const char *text, bool labs[LADDER_LABS_MAX], kl_error *err) {
    char word[80];
    memset(labs, !text, LADDER_LABS_MAX * sizeof *labs);
    for (const char *at = text; at && *at != '\0'; at += *at == ',') {
        const ladder_lab *lab = NULL;
        size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 79 ? length : 79), at);
        TRY(ladder_lab_require(word, &lab, err));
        labs[lab - ladder_labs] = true;
        at += length;
    }
    if (!text || text[0] != '\0') return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "expected labs, for example 00,02");
}

int ladder_handout_labs(const char *into, bool labs[LADDER_LABS_MAX]) {
    char path[LADDER_PATH];
    int count = 0;
    for (int l = 0; l < ladder_lab_count; l++) {
        labs[l] =
            ladder_path(path, NULL, "%s/labs/%s/lab.json", into, ladder_labs[l].folder) == KL_OK &&
            ladder_file_exists(path);
        count += labs[l];
    }
    return count;
}

// The rule for assistants, where programs that help with code look for one.
static kl_status put_rule(walk *w, const char *assistants, kl_error *err) {
    char path[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    TRY(ladder_path(path, err, "%s/autograder/course/handout/assistants/%s.md", w->kit->source,
                    assistants));
    TRY(ladder_file_read(AT_FDCWD, path, KIT_FILE_MAX, &text, &bytes, err));
    kl_status status = put(w, "AGENTS.md", text, bytes, 0644, err);
    free(text);
    return status;
}

kl_status ladder_handout_write(const ladder_kit *kit, const char *into, const char *labs,
                               const char *assistants, ladder_handout *out_handout, kl_error *err) {
    memset(out_handout, 0, sizeof *out_handout);
    walk w = {.kit = kit, .into = into, .made = out_handout};
    TRY(read_labs(labs, w.labs, err));
    TRY(require_solutions(kit, err));
    TRY(ladder_folder_make(into, err));
    TRY(ladder_lock_folder(into, "writes a handout into", "", &out_handout->lock, err));
    TRY(require_empty(into, err));
    if (stat(into, &w.target) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", into, strerror(errno));
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++) TRY(take(&w, tops[i], err));
    for (int l = 0; l < ladder_lab_count; l++)
        if (w.labs[l]) TRY(make_lab(&w, &ladder_labs[l], err));
    return put_rule(&w, assistants, err);
}

kl_status ladder_handout_add_labs(const ladder_kit *kit, const char *into, const char *labs,
                                  ladder_handout *out_handout, kl_error *err) {
    bool added[LADDER_LABS_MAX];
    char path[LADDER_PATH];
    walk w = {.kit = kit, .into = into, .made = out_handout};
    memset(out_handout, 0, sizeof *out_handout);
    TRY(read_labs(labs, added, err));
    TRY(require_solutions(kit, err));
    if (ladder_handout_labs(into, w.before) == 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s is no handout: it has no lab", into);
    TRY(ladder_lock_folder(into, "writes a handout into", "", &out_handout->lock, err));
    for (int l = 0; l < ladder_lab_count; l++) {
        if (added[l] && w.before[l])
            return kl_fail(err, KL_ERROR_INPUT, "%s has lab %s already", into,
                           ladder_labs[l].folder);
        w.labs[l] = w.before[l] || added[l];
    }
    w.pages = true;
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++) TRY(take(&w, tops[i], err));
    w.pages = false;
    for (int l = 0; l < ladder_lab_count; l++) {
        if (!added[l]) continue;
        TRY(ladder_path(path, err, "labs/%s", ladder_labs[l].folder));
        TRY(take(&w, path, err));
        TRY(make_lab(&w, &ladder_labs[l], err));
    }
    return KL_OK;
}

kl_status ladder_handout_add(const ladder_kit *kit, const char *into, const char *path,
                             ladder_handout *handout, kl_error *err) {
    walk w = {.kit = kit, .into = into, .made = handout, .released = true};
    ladder_handout_labs(into, w.labs);
    return take(&w, path, err);
}
