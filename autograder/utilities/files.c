// Files as the grader needs them: see files.h.
#include "utilities/files.h"
#include "utilities/defence.h"
#include "utilities/text.h"

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
    int guards = guarded ? O_NOFOLLOW | O_NONBLOCK | O_NOCTTY : 0;
    int fd = openat(folder_fd, name, O_RDONLY | O_CLOEXEC | guards);
    if (fd < 0)
        return fail_read(name, errno == ELOOP ? "is a symbolic link" : strerror(errno), err);
    struct stat info;
    if (fstat(fd, &info) != 0 || (guarded && !S_ISREG(info.st_mode))) {
        close(fd);
        return fail_read(name, "is not a regular file", err);
    }
    if ((unsigned long long)info.st_size > limit && ladder_defence_on(LADDER_DEFENCE_FILE_SIZE)) {
        close(fd);
        char plain[200];
        ladder_plain(name, false, plain, sizeof plain);
        return kl_fail(err, KL_ERROR_LIMIT, "%s: has %lld bytes, more than the limit of %zu", plain,
                       (long long)info.st_size, limit);
    }
    size_t bytes = (size_t)info.st_size;
    char *text = malloc(bytes + 1);
    size_t used = 0;
    while (text && used < bytes) {
        ssize_t got = read(fd, text + used, bytes - used);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break; // shorter than it said: take what there is
        used += (size_t)got;
    }
    close(fd);
    if (!text) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    text[used] = '\0';
    *out_text = text;
    if (out_bytes) *out_bytes = used;
    return KL_OK;
}

typedef struct bytes {
    const void *data;
    size_t count;
} bytes;

static kl_status write_bytes(void *context, FILE *out, kl_error *err) {
    const bytes *all = context;
    (void)err; // kl_file_put notices what could not be written
    fwrite(all->data, 1, all->count, out);
    return KL_OK;
}

kl_status ladder_file_write(const char *path, const void *data, size_t bytes_count, kl_error *err) {
    bytes all = {data, bytes_count};
    return kl_file_put(path, write_bytes, &all, err);
}

kl_status ladder_file_make(const char *path, const void *data, size_t bytes_count, kl_error *err) {
    bytes all = {data, bytes_count};
    return kl_file_make(path, write_bytes, &all, err);
}

bool ladder_file_is_named(int fd, const char *path) {
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino &&
           opened.st_dev == named.st_dev;
}

kl_status ladder_file_copy(const char *from, const char *to, size_t limit, kl_error *err) {
    char *text = NULL;
    size_t bytes_count = 0;
    TRY(ladder_file_read(AT_FDCWD, from, limit, &text, &bytes_count, err));
    kl_status status = ladder_file_write(to, text, bytes_count, err);
    free(text);
    return status;
}

kl_status ladder_folder_make(const char *path, kl_error *err) {
    char part[LADDER_PATH];
    int code = 0; // of the first one that cannot be made
    TRY(ladder_path(part, err, "%s", path));
    for (char *slash = part + 1; *slash != '\0'; slash++) {
        if (*slash != '/') continue;
        *slash = '\0';
        int failed = mkdir(part, 0755) != 0 ? errno : 0;
        if (code == 0 && !ladder_file_exists(part)) code = failed;
        *slash = '/';
    }
    struct stat info;
    if (mkdir(part, 0755) != 0 && code == 0) code = errno;
    if (stat(part, &info) == 0 && S_ISDIR(info.st_mode)) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "cannot make the folder %s: %s", part, strerror(code));
}

bool ladder_file_exists(const char *path) { return access(path, F_OK) == 0; }
