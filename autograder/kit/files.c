// SPDX-License-Identifier: MIT
// Files as the grader needs them: see files.h.
#include "kit/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/defence.h"
#include "kit/text.h"

kl_status ladder_path(char *out, kl_error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(out, LADDER_PATH, format, args);
    va_end(args);
    if (length >= 0 && length < LADDER_PATH) return KL_OK;
    return kl_fail(err, KL_ERROR_LIMIT, "a path is longer than %d bytes", LADDER_PATH);
}

static kl_status fail_read(const char *name, const char *what, kl_error *err) {
    char plain[200];
    ladder_plain(name, false, plain, sizeof plain);
    return kl_fail(err, KL_ERROR_INPUT, "%s: %s", plain, what);
}

kl_status ladder_file_read(int folder_fd, const char *name, size_t limit, char **out_text,
                           size_t *out_bytes, kl_error *err) {
    *out_text = NULL;
    bool guarded = ladder_defence_on(LADDER_DEFENCE_NO_LINKS);
    int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    int fd = openat(folder_fd, name, flags | (guarded ? O_NOFOLLOW : 0));
    if (fd < 0)
        return fail_read(name, errno == ELOOP ? "is a symbolic link" : strerror(errno), err);
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(fd);
        return fail_read(name, "is not a regular file", err);
    }
    if ((unsigned long long)info.st_size > limit) {
        close(fd);
        char plain[200];
        ladder_plain(name, false, plain, sizeof plain);
        return kl_fail(err, KL_ERROR_LIMIT, "%s: has %lld bytes, more than the limit of %zu", plain,
                       (long long)info.st_size, limit);
    }
    size_t bytes = (size_t)info.st_size;
    char *text = malloc(bytes + 1);
    size_t used = 0;
    while (text != NULL && used < bytes) {
        ssize_t got = read(fd, text + used, bytes - used);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break; // shorter than it said: take what there is
        used += (size_t)got;
    }
    close(fd);
    if (text == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    text[used] = '\0';
    *out_text = text;
    if (out_bytes != NULL) *out_bytes = used;
    return KL_OK;
}

// A device, a pipe, or a name that the system gives them (/dev/stdout): written to, never replaced.
static bool is_special(const char *path) {
    struct stat info;
    if (strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0)
        return stat(path, &info) == 0;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

kl_status ladder_file_begin(const char *path, ladder_output *out_output, kl_error *err) {
    ladder_output *o = out_output;
    o->file = NULL;
    TRY(ladder_path(o->path, err, "%s", path));
    o->temporary[0] = '\0';
    if (is_special(path)) {
        o->file = fopen(path, "we");
        if (o->file != NULL) return KL_OK;
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
    }
    snprintf(o->temporary, sizeof o->temporary, "%s.%d.part", path, (int)getpid());
    int fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0 && errno == EEXIST && unlink(o->temporary) == 0) // left by a killed run
        fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd >= 0) o->file = fdopen(fd, "w");
    if (o->file != NULL) return KL_OK;
    int code = errno;
    if (fd >= 0) close(fd);
    return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", path, strerror(code));
}

kl_status ladder_file_commit(ladder_output *output, kl_error *err) {
    bool written = fflush(output->file) == 0 && ferror(output->file) == 0;
    written = fclose(output->file) == 0 && written;
    output->file = NULL;
    bool in_place = output->temporary[0] == '\0';
    if (written && (in_place || rename(output->temporary, output->path) == 0)) return KL_OK;
    int code = errno;
    if (!in_place) unlink(output->temporary);
    return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", output->path, strerror(code));
}

void ladder_file_abandon(ladder_output *output) {
    if (output->file == NULL) return;
    fclose(output->file);
    if (output->temporary[0] != '\0') unlink(output->temporary);
    output->file = NULL;
}

kl_status ladder_file_write(const char *path, const void *data, size_t bytes, kl_error *err) {
    ladder_output output;
    TRY(ladder_file_begin(path, &output, err));
    fwrite(data, 1, bytes, output.file);
    return ladder_file_commit(&output, err);
}

kl_status ladder_file_put(const char *path, ladder_file_writer *write, void *context,
                          kl_error *err) {
    if (strcmp(path, "-") == 0) return write(context, stdout, err);
    ladder_output output;
    TRY(ladder_file_begin(path, &output, err));
    kl_status status = write(context, output.file, err);
    if (status == KL_OK) return ladder_file_commit(&output, err);
    ladder_file_abandon(&output);
    return status;
}

kl_status ladder_folder_make(const char *path, kl_error *err) {
    char part[LADDER_PATH];
    TRY(ladder_path(part, err, "%s", path));
    for (char *slash = part + 1; *slash != '\0'; slash++) {
        if (*slash != '/') continue;
        *slash = '\0';
        mkdir(part, 0755);
        *slash = '/';
    }
    struct stat info;
    mkdir(part, 0755);
    if (stat(part, &info) == 0 && S_ISDIR(info.st_mode)) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "cannot make the folder %s", part);
}

kl_status ladder_folder_temporary(char *out, kl_error *err) {
    const char *base = getenv("TMPDIR");
    if (base == NULL || base[0] != '/') base = "/tmp";
    TRY(ladder_path(out, err, "%s/ladder-XXXXXX", base));
    if (mkdtemp(out) != NULL) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "cannot make a temporary folder in %s: %s", base,
                   strerror(errno));
}

// Removes what is in the folder behind `fd`, and closes it. Depth is bounded by the recursion
// limit.
static void empty_folder(int fd, int depth) {
    DIR *folder = fdopendir(fd);
    if (folder == NULL) {
        close(fd);
        return;
    }
    struct dirent *item;
    while ((item = readdir(folder)) != NULL) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        if (unlinkat(fd, item->d_name, 0) == 0 || depth == 0) continue;
        int inner = openat(fd, item->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0) continue;
        empty_folder(inner, depth - 1);
        unlinkat(fd, item->d_name, AT_REMOVEDIR);
    }
    closedir(folder);
}

void ladder_folder_remove(const char *path) {
    enum { DEPTH_MAX = 200 };
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return;
    empty_folder(fd, DEPTH_MAX);
    rmdir(path);
}

bool ladder_file_exists(const char *path) {
    return access(path, F_OK) == 0;
}
