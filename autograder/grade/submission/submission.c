// Submissions: see submission.h.
#include "grade/submission/submission.h"
#include "utilities/defence.h"
#include <dirent.h>
#include <limits.h>
#include <strings.h>

bool ladder_submission_member(ladder_submission *submission, const char *name, const char *ids) {
    char *members = submission->members;
    size_t used = strlen(members), wanted = strlen(name) + strlen(ids) + 2;
    if (used + wanted >= sizeof submission->members) return false;
    snprintf(members + used, sizeof submission->members - used, "%s%s%s\n", name,
             ids[0] != '\0' ? "\t" : "", ids);
    return true;
}

// A name made safe, with a hash behind it if it was changed. `number` > 0: always with a hash,
// which differs with the number.
static void make_id(const char *name, int number, char *out) {
    enum { KEPT = 60, HASH_DIGITS = 16, ID_BYTES = 96 };
    size_t length = strlen(name);
    bool changed = length > KEPT || length == 0 || number > 0;
    char safe[KEPT + 1];
    size_t used = 0;
    if (!ladder_defence_on(LADDER_DEFENCE_SAFE_IDS)) {
        snprintf(out, ID_BYTES, "%s", name);
        return;
    }
    for (; used < length && used < KEPT; used++) {
        unsigned char c = (unsigned char)name[used];
        bool plain = c < 0x80 && (isalnum(c) || strchr("._-", c));
        if (used == 0 && (c == '.' || c == '-')) plain = false; // no hidden file, no option
        // Some systems leave it out.
        if (used + 1 == length && c == '.' && ladder_defence_on(LADDER_DEFENCE_DISTINCT_IDS))
            plain = false;
        safe[used] = plain ? (char)c : '_';
        changed = changed || !plain;
    }
    if (used == 0) safe[used++] = '_';
    safe[used] = '\0';
    if (!changed) {
        snprintf(out, ID_BYTES, "%s", safe);
        return;
    }
    ladder_sha256 hash;
    char digits[LADDER_SHA256_TEXT];
    ladder_sha256_begin(&hash);
    if (number > 0) ladder_sha256_add(&hash, &number, sizeof number);
    ladder_sha256_add(&hash, name, length);
    ladder_sha256_end(&hash, digits);
    snprintf(out, ID_BYTES, "%s-%.*s", safe, HASH_DIGITS, digits);
}

void ladder_submission_id(const char *name, char *out) { make_id(name, 0, out); }

static int by_id(const void *a, const void *b) {
    const ladder_submission *const *x = a, *const *y = b;
    int order = strcasecmp((*x)->id, (*y)->id);
    return order != 0 ? order : strcmp((*x)->path, (*y)->path);
}

// Names that differ in letter case only, or of which one is spelled as the other's id, share an id
// on some file system: each of them gets another one, until all differ. The order of the folder's
// entries makes no difference.
static kl_status make_ids_differ(ladder_submission *list, size_t count, kl_error *err) {
    enum { ROUNDS = 8 };
    const ladder_submission **sorted = calloc(count + 1, sizeof *sorted);
    bool *shared = calloc(count + 1, sizeof *shared);
    bool found = sorted && shared;
    for (int round = 1; found && round <= ROUNDS; round++) {
        found = false;
        for (size_t i = 0; i < count; i++) sorted[i] = &list[i];
        qsort(sorted, count, sizeof *sorted, by_id);
        for (size_t i = 0; i + 1 < count; i++) {
            if (strcasecmp(sorted[i]->id, sorted[i + 1]->id) != 0) continue;
            shared[sorted[i] - list] = shared[sorted[i + 1] - list] = found = true;
        }
        for (size_t i = 0; i < count; i++)
            if (shared[i]) make_id(list[i].name, round, list[i].id);
        memset(shared, 0, count * sizeof *shared);
    }
    bool memory = sorted && shared;
    free(sorted);
    free(shared);
    if (!memory) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    return found ? kl_fail(err, KL_ERROR_INPUT, "submissions whose names cannot be told apart")
                 : KL_OK;
}

static int by_title(const void *a, const void *b) {
    const ladder_submission *x = a, *y = b;
    int order = strcmp(x->title, y->title);
    return order != 0 ? order : strcmp(x->id, y->id);
}

// Describes one entry; false when it is none of a submission's business.
static bool describe(int folder_fd, const char *folder, const char *name, const ladder_lab *lab,
                     ladder_submission *out) {
    struct stat info;
    memset(out, 0, sizeof *out);
    int follow = ladder_defence_on(LADDER_DEFENCE_NO_LINKS) ? AT_SYMLINK_NOFOLLOW : 0;
    if (name[0] == '.' || fstatat(folder_fd, name, &info, follow) != 0) return false;
    int length = snprintf(out->path, sizeof out->path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof out->path) return false;
    snprintf(out->name, sizeof out->name, "%s", name);
    ladder_submission_id(name, out->id);
    ladder_plain(name, false, out->title, sizeof out->title);
    out->is_file = !S_ISDIR(info.st_mode);
    out->refused = !S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode);
    if (out->refused)
        snprintf(out->problem, sizeof out->problem,
                 "%.100s: it is %s: hand in the files themselves", out->title,
                 S_ISLNK(info.st_mode) ? "a symbolic link, and links are not followed"
                                       : "neither a file nor a folder");
    return !out->is_file || ladder_step_of_single(lab->rubric, name) >= 0 || out->refused;
}

kl_status ladder_submissions_find(const char *folder, const ladder_lab *lab,
                                  ladder_submission **out_list, size_t *out_count, kl_error *err) {
    *out_list = NULL;
    *out_count = 0;
    DIR *entries = opendir(folder);
    if (!entries) {
        return kl_fail(err, KL_ERROR_INPUT, "cannot read the folder %s: %s", folder,
                       strerror(errno));
    }
    kl_status status = KL_OK;
    size_t capacity = 0;
    struct dirent *item;
    while (status == KL_OK && (item = readdir(entries))) {
        ladder_submission found;
        if (!describe(dirfd(entries), folder, item->d_name, lab, &found)) continue;
        if (*out_count == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 64;
            ladder_submission *grown = realloc(*out_list, capacity * sizeof *grown);
            if (!grown || capacity > 2 * LADDER_SUBMISSIONS_MAX) {
                status = kl_fail(err, KL_ERROR_LIMIT, "too many submissions in %s", folder);
                break;
            }
            *out_list = grown;
        }
        (*out_list)[(*out_count)++] = found;
    }
    closedir(entries);
    return status == KL_OK ? ladder_submissions_name(*out_list, *out_count, err) : status;
}

kl_status ladder_submissions_name(ladder_submission *list, size_t count, kl_error *err) {
    if (ladder_defence_on(LADDER_DEFENCE_DISTINCT_IDS)) TRY(make_ids_differ(list, count, err));
    if (count > 0) qsort(list, count, sizeof *list, by_title);
    return KL_OK;
}

static void take_file(int folder_fd, const char *name, ladder_step_file *file) {
    kl_error err = {KL_OK, ""};
    file->present = true;
    kl_status status =
        ladder_file_read(folder_fd, name, LADDER_SOURCE_MAX, &file->text, &file->bytes, &err);
    if (status == KL_OK) status = ladder_source_text(file->text, &file->bytes, &err);
    if (status == KL_OK) return;
    free(file->text);
    file->text = NULL;
    file->bytes = 0;
    struct stat info;
    bool known = fstatat(folder_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0;
    bool regular = known && S_ISREG(info.st_mode);
    bool denied = regular && faccessat(folder_fd, name, R_OK, AT_EACCESS) != 0;
    const char *advice = "";
    if (denied) advice = ": who grades may not read it: chmod +r";
    else if (known && S_ISLNK(info.st_mode))
        advice = ", and links are not followed: hand in the file itself";
    else if (!regular) advice = ": hand in the source file itself";
    else if (status == KL_ERROR_LIMIT) advice = " of a step's file: hand in the source alone";
    file->refused = !denied;
    file->unreadable = denied; // no student's fault
    snprintf(file->message, sizeof file->message, "%.500s%s", err.text, advice);
}

// The predictions that the student hands in: said of each step, no part of its file's verdict.
static void take_predictions(int folder_fd, const ladder_lab *lab, ladder_result *result) {
    const ladder_rubric *rubric = lab->rubric;
    kl_error err = {KL_OK, ""};
    char *text = NULL;
    if (ladder_file_read(folder_fd, LADDER_PREDICTIONS_FILE, LADDER_PREDICTIONS_BYTES, &text, NULL,
                         &err) != KL_OK) {
        ladder_result_note(result, "predictions not read: %.200s", err.text);
        return;
    }
    ladder_predictions *known = calloc(1, sizeof *known);
    if (known) ladder_predictions_parse(lab->questions, text, known);
    for (int i = 0; known && i < rubric->step_count && i < LADDER_STEPS_MAX; i++) {
        const ladder_step_predictions *found =
            ladder_predictions_find(known, rubric->steps[i].step);
        if (!found) continue;
        ladder_step_result *step = &result->steps[i];
        step->prediction_count = found->count;
        memcpy(step->predictions, found->items, sizeof step->predictions);
        step->predicted = ladder_predictions_stand(lab->questions, found);
        for (int k = 0; k < found->count; k++) step->predictions[k].counted = NAN; // by the judge
    }
    free(known);
    free(text);
}

// The work log that the student hands in: shown, and nothing else.
static void take_log(int folder_fd, ladder_result *result) {
    enum { LOG_MAX = 1 << 20 };
    kl_error err = {KL_OK, ""};
    char *text = NULL;
    size_t bytes = 0;
    if (ladder_file_read(folder_fd, LADDER_LOG_FILE, LOG_MAX, &text, &bytes, &err) != KL_OK) {
        ladder_result_note(result, "work log not read: %.200s", err.text);
        return;
    }
    ladder_plain(text, true, result->work_log, sizeof result->work_log);
    if (bytes >= sizeof result->work_log)
        ladder_result_note(result, "the work log has %zu bytes: its end is not shown", bytes);
    free(text);
}

// The pseudonym for the leaderboard: letters, digits and - _ alone, so that it is none in disguise.
static void take_nickname(int folder_fd, ladder_result *result) {
    enum { NICKNAME_MAX = 4096 };
    char *text = NULL;
    if (ladder_file_read(folder_fd, LADDER_NICKNAME_FILE, NICKNAME_MAX, &text, NULL, NULL) != KL_OK)
        return;
    size_t length = strcspn(text, "\r\n");
    text[length] = '\0';
    if (length == 0 || length >= LADDER_NICKNAME ||
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != length)
        ladder_result_note(result,
                           "not on the leaderboard: the first line of %s is no pseudonym of at "
                           "most %d letters, digits, - and _",
                           LADDER_NICKNAME_FILE, LADDER_NICKNAME - 1);
    else memcpy(result->nickname, text, length + 1);
    free(text);
}

// A file that stands for a step. Of several the one whose name comes nearest to the step's is taken
// (ladder_name_fit), and of equal ones the last by name; the others are told.
static void take_candidate(int folder_fd, const char *name, const ladder_rubric_step *step,
                           ladder_name_fit fit, ladder_step_file *file, ladder_result *result) {
    char shown[sizeof file->name];
    ladder_plain(name, false, shown, sizeof shown);
    bool better =
        !file->present || fit < file->fit || (fit == file->fit && strcmp(shown, file->name) > 0);
    if (file->present)
        ladder_result_note(result, "\"%s\" is not used: \"%s\" is taken for step %d",
                           better ? file->name : shown, better ? shown : file->name, step->step);
    if (!better) return;
    free(file->text);
    *file = (ladder_step_file){.fit = fit};
    memcpy(file->name, shown, sizeof shown);
    take_file(folder_fd, name, file);
}

// Takes the step files of one folder, and closes it. False: it has none.
static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

// At most `most` names of a folder, sorted: what is told of them is not in a file system's order.
static char **list_names(DIR *entries, int most, int *out_count) {
    char **names = NULL;
    int capacity = 0;
    *out_count = 0;
    for (struct dirent *item; *out_count < most && (item = readdir(entries));) {
        const char *name = item->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, "steps") == 0)
            continue;
        if (*out_count == capacity) {
            capacity = capacity > 0 ? 2 * capacity : 64;
            char **grown = realloc(names, (size_t)capacity * sizeof *grown);
            if (!grown) break;
            names = grown;
        }
        names[*out_count] = strdup(name);
        *out_count += names[*out_count] != NULL;
    }
    if (*out_count > 0) qsort(names, (size_t)*out_count, sizeof *names, by_name);
    return names;
}

static bool take_folder(int fd, const ladder_lab *lab, ladder_step_file *files,
                        ladder_result *result) {
    const ladder_rubric *rubric = lab->rubric;
    DIR *entries = fdopendir(fd);
    bool any = false;
    if (!entries) {
        close(fd);
        return false;
    }
    char why[100];
    int seen = 0, extra = 0;
    int most = ladder_defence_on(LADDER_DEFENCE_FILE_COUNT) ? LADDER_SUBMISSION_FILES : INT_MAX;
    char **names = list_names(entries, most, &seen);
    for (int i = 0; i < seen; i++) {
        const char *name = names[i];
        if (name[0] == '.') continue; // of git, of macOS ("._1_interleaved.cu")
        if (strcmp(name, LADDER_PREDICTIONS_FILE) == 0) {
            take_predictions(dirfd(entries), lab, result);
            continue;
        }
        if (strcmp(name, LADDER_LOG_FILE) == 0) {
            take_log(dirfd(entries), result);
            continue;
        }
        if (strcmp(name, LADDER_NICKNAME_FILE) == 0) {
            take_nickname(dirfd(entries), result);
            continue;
        }
        ladder_name_fit fit;
        int index = ladder_step_of_name(rubric, name, &fit);
        if (index >= 0)
            take_candidate(dirfd(entries), name, &rubric->steps[index], fit, &files[index], result);
        else if (extra++ < 3)
            ladder_result_note(result, "not used: %s (%s)", name,
                               ladder_step_name_why(rubric, name, why, sizeof why));
    }
    for (int i = 0; i < seen; i++) free(names[i]);
    free(names);
    for (int i = 0; i < rubric->step_count; i++) any = any || files[i].present;
    for (int i = 0; i < rubric->step_count; i++)
        if (files[i].present && files[i].fit != LADDER_NAME_EXACT)
            ladder_result_note(result, "\"%s\" is taken for %s", files[i].name,
                               rubric->steps[i].file);
    if (extra > 3) ladder_result_note(result, "and %d more files that were not used", extra - 3);
    if (seen == most)
        ladder_result_note(result, "only the first %d entries of the folder were looked at", most);
    closedir(entries);
    return any;
}

static void hash_files(const ladder_rubric *rubric, const ladder_step_file *files,
                       ladder_result *result) {
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    for (int i = 0; i < rubric->step_count; i++) {
        char head[160]; // the name and length before the bytes: no two sets of files hash alike
        snprintf(head, sizeof head, "%s %d %zu\n", rubric->steps[i].file,
                 files[i].present + files[i].refused, files[i].bytes);
        ladder_sha256_add(&hash, head, strlen(head));
        if (files[i].text) ladder_sha256_add(&hash, files[i].text, files[i].bytes);
    }
    ladder_sha256_end(&hash, result->hash);
}

// Nothing of a submission is graded, and nobody gets a 0 for it.
static void refuse_all(const ladder_rubric *rubric, const char *why, ladder_outcome refusal,
                       ladder_step_file *files) {
    for (int i = 0; i < rubric->step_count; i++) {
        files[i].unreadable = true;
        files[i].refusal = refusal;
        snprintf(files[i].message, sizeof files[i].message, "%s%.960s",
                 refusal == LADDER_UNREADABLE ? "cannot be read: " : "", why);
    }
}

kl_status ladder_submission_read(const ladder_submission *submission, const ladder_lab *lab,
                                 ladder_step_file *files, ladder_result *result, kl_error *err) {
    const ladder_rubric *rubric = lab->rubric;
    memset(files, 0, (size_t)rubric->step_count * sizeof *files);
    if (submission->note[0] != '\0') ladder_result_note(result, "%s", submission->note);
    if (submission->problem[0] != '\0') {
        refuse_all(rubric, submission->problem,
                   submission->outside      ? LADDER_OUTSIDE
                   : submission->none_taken ? LADDER_NONE_TAKEN
                                            : LADDER_UNREADABLE,
                   files);
    } else if (submission->is_file) {
        const char *name = strrchr(submission->path, '/');
        name = name ? name + 1 : submission->path;
        int index = ladder_step_of_single(rubric, name);
        if (index >= 0) take_file(AT_FDCWD, submission->path, &files[index]);
        if (index >= 0 && strcmp(name, rubric->steps[index].file) != 0)
            ladder_result_note(result, "\"%s\" is taken for %s", name, rubric->steps[index].file);
    } else {
        bool guarded = ladder_defence_on(LADDER_DEFENCE_NO_LINKS);
        int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (guarded ? O_NOFOLLOW : 0);
        int fd = open(submission->path, flags);
        if (fd < 0 && (errno == ELOOP || errno == ENOTDIR)) {
            refuse_all(rubric,
                       "it is a symbolic link, and links are not followed: hand in the folder "
                       "itself",
                       LADDER_UNREADABLE, files);
            hash_files(rubric, files, result);
            return KL_OK;
        }
        if (fd < 0)
            return kl_fail(err, KL_ERROR_INPUT, "cannot read the submission: %s", strerror(errno));
        int steps_fd = openat(fd, "steps", flags);
        bool linked = steps_fd < 0 && (errno == ELOOP || errno == ENOTDIR);
        if (linked)
            ladder_result_note(result, "\"steps\" is a link or no folder, and was not followed");
        // In a lab's own folder what lies beside "steps" is the kit's.
        bool any = steps_fd >= 0 && take_folder(steps_fd, lab, files, result);
        if (any) close(fd);
        else any = take_folder(fd, lab, files, result);
        if (linked && !any)
            refuse_all(rubric,
                       "\"steps\" is a link or no folder, and links are not followed: hand in the "
                       "files themselves",
                       LADDER_UNREADABLE, files);
    }
    if (rubric->work_log && result->work_log[0] == '\0' && submission->problem[0] == '\0')
        ladder_result_note(result, "no work log (%s) was handed in: ./ladder log %s writes it",
                           LADDER_LOG_FILE, lab->problem->name);
    hash_files(rubric, files, result);
    return KL_OK;
}

void ladder_submission_free(ladder_step_file *files, int count) {
    for (int i = 0; i < count; i++) {
        free(files[i].text);
        files[i].text = NULL;
    }
}

// ---- the text of a step's file ------------------------------------------------------------------

kl_status ladder_source_text(char *text, size_t *bytes, kl_error *err) {
    size_t count = *bytes, used = 0, at = 0;
    bool wide =
        count >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
    if (wide) return kl_fail(err, KL_ERROR_INPUT, "its text is UTF-16 or UTF-32: save it as UTF-8");
    if (memchr(text, '\0', count))
        return kl_fail(err, KL_ERROR_INPUT,
                       "it holds NUL bytes, as UTF-16 and binary files do: save it as UTF-8 text");
    if (count >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) at = 3;
    for (; at < count; at++) {
        if (text[at] == '\r' && at + 1 < count && text[at + 1] == '\n') continue;
        text[used++] = text[at] == '\r' ? '\n' : text[at];
    }
    text[used] = '\0';
    *bytes = used;
    return KL_OK;
}
