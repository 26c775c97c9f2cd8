// SPDX-License-Identifier: MIT
// Bytes of a file or of memory: see byte_source.h. Compressed files, and what is no file (a pipe),
// go through zlib, which reads both; a build without it reads plain ones.
#include "byte_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef KL_HAVE_ZLIB
#include <zlib.h>
#endif

struct kl_byte_source {
    int fd; // -1: memory
#ifdef KL_HAVE_ZLIB
    gzFile gz;
#endif
    const char *text;
    size_t text_bytes;
    bool regular; // a file with a size, no pipe
    uint64_t done, total;
};

bool kl_bytes_read_gzip(void) {
#ifdef KL_HAVE_ZLIB
    return true;
#else
    return false;
#endif
}

kl_status kl_bytes_from_memory(const char *text, size_t text_bytes, kl_byte_source **out_source,
                               kl_error *err) {
    kl_byte_source *source = calloc(1, sizeof *source);
    *out_source = source;
    if (!source) return kl_fail(err, KL_ERROR_MEMORY, "no memory to read a file");
    source->fd = -1;
    source->text = text;
    source->text_bytes = text_bytes;
    source->total = text_bytes;
    return KL_OK;
}

static kl_status open_failed(const char *path, kl_error *err) {
    return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
}

static kl_status open_file(const char *path, kl_byte_source *source, kl_error *err) {
    source->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0) return open_failed(path, err);
    struct stat about;
    if (fstat(source->fd, &about) != 0) return open_failed(path, err);
    if (S_ISDIR(about.st_mode))
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: is a folder, and a file is expected", path);
    source->regular =
        S_ISREG(about.st_mode) && about.st_size > 0; // what the system makes up has no size
    source->total = source->regular ? (uint64_t)about.st_size : 0;
    unsigned char magic[2];
    ssize_t there = pread(source->fd, magic, 2, 0);
    bool compressed = there == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
#ifdef KL_HAVE_ZLIB
    if (!compressed && there >= 0) return KL_OK; // a pipe cannot tell, and zlib reads both
    source->gz = gzdopen(source->fd, "rb");      // owns fd from here on
    if (!source->gz) return kl_fail(err, KL_ERROR_MEMORY, "%s: no memory to read it", path);
    gzbuffer(source->gz, 1 << 20);
#else
    if (compressed) {
        return kl_fail(
            err, KL_ERROR_INPUT,
            "%s: is compressed, and the kit was built without zlib: gunzip it, or install zlib "
            "and build again",
            path);
    }
#endif
    return KL_OK;
}

kl_status kl_bytes_open(const char *path, kl_byte_source **out_source, kl_error *err) {
    kl_byte_source *source = NULL;
    *out_source = NULL;
    TRY(kl_bytes_from_memory(NULL, 0, &source, err));
    kl_status status = open_file(path, source, err);
    if (status != KL_OK) {
        kl_bytes_close(source);
        return status;
    }
    *out_source = source;
    return KL_OK;
}

static kl_status read_plain(kl_byte_source *source, char *buffer, size_t capacity,
                            size_t *out_bytes, kl_error *err) {
    ssize_t got = 0;
    do {
        got = read(source->fd, buffer, capacity);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return kl_fail(err, KL_ERROR_SYSTEM, "%s", strerror(errno));
    *out_bytes = (size_t)got;
    source->done += (uint64_t)got;
    return KL_OK;
}

#ifdef KL_HAVE_ZLIB
static kl_status read_zlib(kl_byte_source *source, char *buffer, size_t capacity, size_t *out_bytes,
                           kl_error *err) {
    int got = gzread(source->gz, buffer, capacity > INT_MAX ? INT_MAX : (unsigned)capacity);
    int code = Z_OK;
    const char *reason = gzerror(source->gz, &code);
    if (got < 0 || code == Z_BUF_ERROR) { // Z_BUF_ERROR: the compressed stream stops in its middle
        return kl_fail(err, KL_ERROR_INPUT, "%s",
                       code == Z_ERRNO       ? strerror(errno)
                       : code == Z_BUF_ERROR ? "the compressed data are cut off"
                                             : reason);
    }
    *out_bytes = (size_t)got;
    source->done = (uint64_t)gzoffset(source->gz);
    return KL_OK;
}
#endif

static kl_status read_file(kl_byte_source *source, char *buffer, size_t capacity, size_t *out_bytes,
                           kl_error *err) {
#ifdef KL_HAVE_ZLIB
    if (source->gz) return read_zlib(source, buffer, capacity, out_bytes, err);
#endif
    return read_plain(source, buffer, capacity, out_bytes, err);
}

kl_status kl_bytes_read(kl_byte_source *source, char *buffer, size_t capacity, size_t *out_bytes,
                        kl_error *err) {
    *out_bytes = 0;
    if (source->fd >= 0) return read_file(source, buffer, capacity, out_bytes, err);
    size_t left = source->text_bytes - (size_t)source->done;
    size_t take = left < capacity ? left : capacity;
    if (take > 0) memcpy(buffer, source->text + source->done, take);
    source->done += take;
    *out_bytes = take;
    return KL_OK;
}

bool kl_bytes_have_size(const kl_byte_source *source) {
#ifdef KL_HAVE_ZLIB
    if (source->gz) return false;
#endif
    return source->fd < 0 || source->regular;
}

void kl_bytes_progress(const kl_byte_source *source, uint64_t *out_done, uint64_t *out_total) {
    *out_done = source->done;
    *out_total = source->total;
}

void kl_bytes_close(kl_byte_source *source) {
    if (!source) return;
#ifdef KL_HAVE_ZLIB
    if (source->gz) {
        gzclose_r(source->gz);
        source->fd = -1;
    }
#endif
    if (source->fd >= 0) close(source->fd);
    free(source);
}
