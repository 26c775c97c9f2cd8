// SPDX-License-Identifier: MIT
// The journal of a class's runs: see class.h.
#include "course/class/class.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "utilities/files.h"
#include "utilities/text.h"

kl_status ladder_class_lock(const char *output, FILE *notes, ladder_lock *out_lock, kl_error *err) {
    char path[LADDER_PATH], what[LADDER_PATH + 20];
    const ladder_lock_words words = {what, "let it end, or name another folder with --output"};
    snprintf(what, sizeof what, "grades into %s", output);
    TRY(ladder_path(path, err, "%s/class", output));
    TRY(ladder_folder_make(path, err));
    TRY(ladder_path(path, err, "%s/class/lock", output));
    return ladder_lock_take(path, &words, 0, notes, out_lock, err);
}

// A line in one piece: what is killed in its middle leaves a torn last line, which nobody reads.
static kl_status put(const ladder_journal *journal, kl_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static kl_status put(const ladder_journal *journal, kl_error *err, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    int bytes = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (bytes < 0 || (size_t)bytes >= sizeof line - 1) bytes = sizeof line - 2;
    line[bytes++] = '\n';
    ssize_t written = write(journal->fd, line, (size_t)bytes);
    if (written == bytes) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "%s cannot be written: %s; nothing that was graded is lost: make room, then the "
                   "same command with --resume",
                   journal->path, written < 0 ? strerror(errno) : "no space left");
}

// "run LAB RUBRIC SEED SIGNATURE", as it is in the file.
static void run_line(const ladder_lab *lab, uint64_t seed, const ladder_row_key *key, char *out,
                     size_t out_bytes) {
    char signature[LADDER_SHA256_TEXT];
    int used = snprintf(out, out_bytes, "run %s %s %" PRIu64, lab->folder, lab->rubric->hash, seed);
    ladder_hmac(key->bytes, sizeof key->bytes, out, (size_t)used, signature);
    snprintf(out + used, out_bytes - (size_t)used, " %s", signature);
}

static void take_line(const char *line, const ladder_lab *lab, const ladder_row_key *key,
                      ladder_journal_state *state) {
    char lab_name[128], rubric[LADDER_SHA256_TEXT], good[400];
    uint64_t seed = 0;
    if (strncmp(line, "graded ", 7) == 0) {
        state->graded++;
    } else if (strcmp(line, "end") == 0) {
        *state = (ladder_journal_state){0};
    } else if (sscanf(line, "run %127s %64s %" SCNu64, lab_name, rubric, &seed) == 3) {
        run_line(lab, seed, key, good, sizeof good);
        state->unfinished = strcmp(line, good) == 0;
        state->seed = seed;
    }
}

ladder_journal_state ladder_journal_read(const char *output, const ladder_lab *lab) {
    enum { JOURNAL_MAX = 256 << 20 };
    ladder_journal_state state = {0};
    ladder_row_key key;
    char path[LADDER_PATH], *text = NULL;
    bool made = false;
    if (ladder_path(path, NULL, "%s/class/key", output) != KL_OK || !ladder_file_exists(path) ||
        ladder_row_key_open(path, false, &key, &made, NULL) != KL_OK || made)
        return state;
    if (ladder_path(path, NULL, "%s/class/journal", output) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, JOURNAL_MAX, &text, NULL, NULL) != KL_OK)
        return state;
    char *line = text;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        take_line(line, lab, &key, &state);
    }
    free(text);
    return state;
}

kl_status ladder_journal_open(const char *output, bool anew, const ladder_lab *lab, uint64_t seed,
                              const ladder_row_key *key, ladder_journal *out_journal,
                              kl_error *err) {
    char line[400], last = '\n';
    TRY(ladder_path(out_journal->path, err, "%s/class/journal", output));
    int how = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (anew ? O_TRUNC : 0);
    out_journal->fd = open(out_journal->path, how, 0600);
    if (out_journal->fd < 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", out_journal->path, strerror(errno));
    off_t bytes = lseek(out_journal->fd, 0, SEEK_END);
    bool torn = bytes > 0 && pread(out_journal->fd, &last, 1, bytes - 1) == 1 && last != '\n';
    run_line(lab, seed, key, line, sizeof line);
    kl_status status = put(out_journal, err, "%s%s", torn ? "\n" : "", line);
    if (status != KL_OK) close(out_journal->fd);
    return status;
}

kl_status ladder_journal_begin(const ladder_journal *journal, const char *id, kl_error *err) {
    return put(journal, err, "begin %s", id);
}

kl_status ladder_journal_end(const ladder_journal *journal, const ladder_row *row, bool kept,
                             kl_error *err) {
    if (kept) return put(journal, err, "kept %s", row->id);
    if (!row->done) return put(journal, err, "lost %s", row->id);
    if (!row->points.graded) return put(journal, err, "ungradable %s", row->id);
    return put(journal, err, "graded %s %s %.4f", row->id, row->hash, row->points.reached);
}

void ladder_journal_close(ladder_journal *journal, bool finished) {
    if (finished) put(journal, NULL, "end");
    close(journal->fd);
}
