// One process at a time writes somewhere: see files.h. A lock of the kernel's, of this process and
// not of its workers, so that it ends with it; on a file system without them what the file says
// must do.
#include "utilities/files.h"
#include "utilities/text.h"
#include <time.h>

// Who has a lock, as its file has it.
typedef struct holder {
    char host[64], since[32]; // "": not known
    long pid;                 // 0: nobody
    long long start;          // of the process, in clock ticks since the machine started
} holder;

// When a process started, by which a later one of the same number differs; -1: it is gone.
static long long start_of(long pid) {
    char path[64], text[1024] = "";
    long long start = -1;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *in = fopen(path, "re");
    if (!in) return -1;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
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
    char text[200] = "", host[sizeof found.host], since[sizeof found.since];
    ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
    if (bytes <= 0 ||
        sscanf(text, "%63s %ld %lld %31s", host, &found.pid, &found.start, since) != 4)
        return (holder){.pid = 0};
    ladder_plain(host, false, found.host, sizeof found.host);
    ladder_plain(since, false, found.since, sizeof found.since);
    return found;
}

static bool is_elsewhere(const holder *other) {
    return strcmp(other->host, this_process().host) != 0;
}

static bool is_alive(const holder *other) {
    return !is_elsewhere(other) && other->pid != (long)getpid() && other->start >= 0 &&
           start_of(other->pid) == other->start;
}

bool ladder_lock_sign(int fd) {
    holder own = this_process();
    return ftruncate(fd, 0) == 0 &&
           dprintf(fd, "%s %ld %lld %s\n", own.host, own.pid, own.start, own.since) > 0;
}

char *ladder_lock_holder(int fd, char *text, size_t text_bytes) {
    holder other = read_holder(fd);
    text[0] = '\0';
    if (other.pid != 0)
        snprintf(text, text_bytes, "process %ld on %s since %s", other.pid, other.host,
                 other.since);
    return text;
}

void ladder_lock_tell_dead(int fd, const char *what, FILE *notes) {
    holder other = read_holder(fd);
    if (other.pid == 0 || other.pid == (long)getpid() || is_elsewhere(&other) || is_alive(&other))
        return;
    fprintf(notes,
            "ladder: process %ld on %s, which %s since %s, has died; this one takes its "
            "place\n",
            other.pid, other.host, what, other.since);
}

// Looks at who had the lock before. held: the kernel says that it is taken.
static kl_status look_at_holder(int fd, const char *path, bool held, const ladder_lock_words *words,
                                FILE *notes, kl_error *err) {
    holder other = read_holder(fd);
    struct flock by = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (held && other.pid == 0 && fcntl(fd, F_GETLK, &by) == 0) { // has not written its name yet
        other = this_process();
        other.pid = (long)by.l_pid;
        other.since[0] = '\0';
    }
    if (other.pid == 0) return KL_OK;
    bool elsewhere = is_elsewhere(&other);
    if (!held && !elsewhere && !is_alive(&other)) {
        ladder_lock_tell_dead(fd, words->what, notes);
        return KL_OK;
    }
    return kl_fail(err, KL_ERROR_SYSTEM, "process %ld on %s %s%s%s: %s%s%.3000s", other.pid,
                   other.host, words->what, other.since[0] != '\0' ? " since " : "", other.since,
                   words->cure, elsewhere ? ". If that process has ended, remove " : "",
                   elsewhere ? path : "");
}

kl_status ladder_lock_take(const char *path, const ladder_lock_words *words, double wait_s,
                           FILE *notes, ladder_lock *out_lock, kl_error *err) {
    enum { POLL_MS = 50 };
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    out_lock->path[0] = '\0';
    for (double waited_s = 0;; waited_s += POLL_MS / 1000.0) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) return KL_OK; // who cannot write here is told by what writes
        bool held = fcntl(fd, F_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES);
        if (held || ladder_file_is_named(fd, path)) {
            kl_status status = look_at_holder(fd, path, held, words, notes, err);
            if (status == KL_OK && !ladder_lock_sign(fd))
                status = kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be written: %s", path,
                                 strerror(errno));
            if (status == KL_OK) {
                out_lock->fd = fd;
                return ladder_path(out_lock->path, err, "%s", path);
            }
            if (waited_s >= wait_s) {
                close(fd);
                return status;
            }
        }
        close(fd);
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
}

kl_status ladder_lock_folder(const char *folder, const char *what, const char *option,
                             ladder_lock *out_lock, kl_error *err) {
    char path[LADDER_PATH], does[LADDER_PATH + 40], cure[80];
    const ladder_lock_words words = {does, cure};
    snprintf(does, sizeof does, "%s %s", what, folder);
    snprintf(cure, sizeof cure, "let it end, or name another folder%s", option);
    TRY(ladder_path(path, err, "%s/" LADDER_LOCK_FILE, folder));
    return ladder_lock_take(path, &words, 0, stderr, out_lock, err);
}

void ladder_lock_release(ladder_lock *lock) {
    if (lock->path[0] == '\0') return;
    unlink(lock->path);
    close(lock->fd);
    lock->path[0] = '\0';
}
