// SPDX-License-Identifier: MIT
// The journal of a class's runs: see class.h.
#include "course/class/class.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/process/proc.h"
#include "utilities/files.h"
#include "utilities/text.h"

// Who writes into a folder of results, as the lock has it.
typedef struct holder {
    char host[64], since[32]; // "": not known
    long pid;                 // 0: nobody
    long long start;          // of the process, in clock ticks since the machine started
} holder;

// When a process started, by which a later one of the same number differs; -1: it is gone.
static long long start_of(long pid) {
    char path[64], text[1024];
    long long start = -1;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!ladder_proc_read(AT_FDCWD, path, text, sizeof text)) return -1;
    const char *bracket = strrchr(text, ')'); // field 22 of proc(5)
    if (!bracket || sscanf(bracket + 1,
                           " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d"
                           " %*d %*d %lld",
                           &start) != 1)
        return -1;
    return start;
}

static holder this_process(void) {
    holder own = {.pid = (long)getpid(), .start = start_of((long)getpid())};
    char host[sizeof own.host] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') snprintf(host, 5, "here");
    snprintf(own.host, sizeof own.host, "%.*s", (int)strcspn(host, " \n"), host);
    ladder_time_iso((double)time(NULL), own.since);
    return own;
}

static holder read_holder(int fd) {
    holder found = {.pid = 0};
    char text[200] = "", host[sizeof found.host];
    ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
    if (bytes <= 0 ||
        sscanf(text, "%63s %ld %lld %31s", found.host, &found.pid, &found.start, found.since) != 4)
        return (holder){.pid = 0};
    memcpy(host, found.host, sizeof host);
    ladder_plain(host, false, found.host, sizeof found.host);
    return found;
}

static kl_status refuse(const char *output, const char *path, const holder *other, bool elsewhere,
                        kl_error *err) {
    char removed[LADDER_PATH + 80] = "";
    if (elsewhere)
        snprintf(removed, sizeof removed, ". If that process has ended, remove %.*s", 3000, path);
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "process %ld on %s grades into %s%s%s: let it end, or name another folder with "
                   "--output%s",
                   other->pid, other->host, output, other->since[0] != '\0' ? " since " : "",
                   other->since, removed);
}

// Looks at who had the lock before. held: the kernel says that it is taken.
static kl_status look_at_holder(int fd, const char *output, const char *path, bool held,
                                FILE *notes, kl_error *err) {
    holder own = this_process(), other = read_holder(fd);
    struct flock by = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (held && other.pid == 0 && fcntl(fd, F_GETLK, &by) == 0) { // has not written its name yet
        other = own;
        other.pid = (long)by.l_pid;
        other.since[0] = '\0';
    }
    if (other.pid == 0) return KL_OK;
    bool elsewhere = strcmp(other.host, own.host) != 0;
    bool alive = !elsewhere && other.pid != own.pid && other.start >= 0 &&
                 start_of(other.pid) == other.start;
    if (held || elsewhere || alive) return refuse(output, path, &other, elsewhere, err);
    fprintf(notes,
            "ladder grade: process %ld on %s, which graded into %s since %s, has died; this run "
            "takes its place\n",
            other.pid, other.host, output, other.since);
    return KL_OK;
}

// A lock of the kernel's, of this process and not of its workers, so that it ends with it; on a
// file system without them what the file says must do.
kl_status ladder_class_lock(const char *output, FILE *notes, int *out_lock, kl_error *err) {
    char path[LADDER_PATH];
    *out_lock = -1;
    TRY(ladder_path(path, err, "%s/class", output));
    TRY(ladder_folder_make(path, err));
    TRY(ladder_path(path, err, "%s/class/lock", output));
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool held = fcntl(fd, F_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES);
    kl_status status = look_at_holder(fd, output, path, held, notes, err);
    holder own = this_process();
    if (status == KL_OK && (ftruncate(fd, 0) != 0 || dprintf(fd, "%s %ld %lld %s\n", own.host,
                                                             own.pid, own.start, own.since) < 0))
        status = kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be written: %s", path, strerror(errno));
    if (status == KL_OK)
        *out_lock = fd;
    else
        close(fd);
    return status;
}

void ladder_class_unlock(int lock) {
    if (lock < 0) return;
    if (ftruncate(lock, 0) != 0) { // then the next run says that this one has died
    }
    close(lock);
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
