// A file that is there whole or not at all: see atomic_file.h.
#include "atomic_file.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static kl_status failed(const char *path, kl_error *err) {
    return kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be written: %s", path, strerror(errno));
}

// Opens a file that nobody else has, under a name that is free. Not mkstemp, which gives another
// mode than open() does and lets children inherit the file.
static kl_status open_temporary(const char *path, char temporary[PATH_MAX], int *out_fd,
                                kl_error *err) {
    enum { TRIES = 1000 }; // other threads, and files that killed processes have left
    for (int i = 0; i < TRIES; i++) {
        int length = snprintf(temporary, PATH_MAX, "%s.%ld.%d.part", path, (long)getpid(), i);
        if (length < 0 || length >= PATH_MAX)
            return kl_fail(err, KL_ERROR_USAGE, "%.100s..: the path is too long", path);
        *out_fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (*out_fd >= 0) return KL_OK;
        if (errno != EEXIST) break;
    }
    return failed(path, err);
}

// Fills `out` and closes it. on_disk: it must have arrived there before its name is taken.
static kl_status fill(const char *path, FILE *out, bool on_disk, kl_file_content *content,
                      void *context, kl_error *err) {
    kl_status status = content(context, out, err);
    bool refused = status != KL_OK && !ferror(out); // by the content, not by the disk: it says why
    bool whole = fflush(out) == 0 && !ferror(out) &&
                 (!on_disk || fsync(fileno(out)) == 0 || errno == EINVAL || errno == ENOTSUP);
    int reason = errno;
    if (fclose(out) != 0 && whole) {
        whole = false;
        reason = errno;
    }
    errno = reason;
    return refused || whole ? status : failed(path, err);
}

static kl_status replace(const char *path, bool on_disk, kl_file_content *content, void *context,
                         kl_error *err) {
    char temporary[PATH_MAX];
    int fd = -1;
    TRY(open_temporary(path, temporary, &fd, err));
    FILE *out = fdopen(fd, "wb");
    if (!out) {
        close(fd);
        unlink(temporary);
        return failed(path, err);
    }
    kl_status status = fill(path, out, on_disk, content, context, err);
    if (status == KL_OK && rename(temporary, path) != 0) status = failed(path, err);
    if (status != KL_OK) unlink(temporary);
    return status;
}

kl_status kl_file_replace(const char *path, kl_file_content *content, void *context,
                          kl_error *err) {
    // On the disk before it takes the old one's name: a crash must not leave an empty file there.
    return replace(path, true, content, context, err);
}

// The folder itself is locked, so that no file is left for it. Who holds the lock writes a small
// file; but a temporary folder is locked as long as it is used, so the wait has an end. -1: no
// lock. Free with close.
static int lock_folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(folder);
    enum { POLL_NS = 5000000, POLLS = 200 }; // a second
    for (int polls = 0; fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0; polls++) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || polls == POLLS) {
            close(fd);
            return -1;
        }
        nanosleep(&(struct timespec){.tv_nsec = POLL_NS}, NULL);
    }
    return fd;
}

kl_status kl_file_update(const char *path, kl_file_content *content, void *context, kl_error *err) {
    int lock = lock_folder_of(path);
    kl_status status = kl_file_replace(path, content, context, err);
    if (lock >= 0) close(lock);
    return status;
}

kl_status kl_file_make(const char *path, kl_file_content *content, void *context, kl_error *err) {
    return replace(path, false, content, context, err);
}

// A device, a pipe, or a name that the system gives them (/dev/stdout): written to, never replaced.
static bool is_special(const char *path) {
    struct stat info;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        return stat(path, &info) == 0;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

kl_status kl_file_put(const char *path, kl_file_content *content, void *context, kl_error *err) {
    if (kl_file_is_stdout(path)) return content(context, stdout, err);
    if (!is_special(path)) return kl_file_replace(path, content, context, err);
    FILE *out = fopen(path, "we");
    return out ? fill(path, out, false, content, context, err) : failed(path, err);
}

bool kl_file_is_stdout(const char *path) { return path && strcmp(path, "-") == 0; }
