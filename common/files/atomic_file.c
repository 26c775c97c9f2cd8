// SPDX-License-Identifier: MIT
// A file that is there whole or not at all: see atomic_file.h.
#include "atomic_file.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static kl_status failed(const char *path, kl_error *err) {
    return kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be written: %s", path, strerror(errno));
}

// The mode that a file gets which open() makes; mkstemp gives less.
static mode_t usual_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static kl_status write_temporary(const char *path, int fd, kl_file_content *content, void *context,
                                 kl_error *err) {
    FILE *out = fdopen(fd, "wb");
    if (out == NULL) {
        close(fd);
        return failed(path, err);
    }
    kl_status status = content(context, out, err);
    // On the disk before it takes the old one's name: a crash must not leave an empty file there.
    bool whole = fflush(out) == 0 && !ferror(out) && fchmod(fd, usual_mode()) == 0 &&
                 (fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP);
    int reason = errno;
    if (fclose(out) != 0 && whole) {
        whole = false;
        reason = errno;
    }
    errno = reason;
    return status != KL_OK || whole ? status : failed(path, err);
}

kl_status kl_file_replace(const char *path, kl_file_content *content, void *context,
                          kl_error *err) {
    char temporary[PATH_MAX];
    int length = snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    if (length < 0 || (size_t)length >= sizeof temporary)
        return kl_fail(err, KL_ERROR_USAGE, "%.100s..: the path is too long", path);
    int fd = mkstemp(temporary);
    if (fd < 0) return failed(path, err);
    kl_status status = write_temporary(path, fd, content, context, err);
    if (status == KL_OK && rename(temporary, path) != 0) status = failed(path, err);
    if (status != KL_OK) unlink(temporary);
    return status;
}
