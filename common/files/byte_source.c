// Bytes of a file or of memory: see files.h. Compressed files, and what is no file (a pipe),
// go through zlib, which reads both; a build without it reads plain ones.
#include "files.h"
#include <fcntl.h>
#include <limits.h>
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
    do { got = read(source->fd, buffer, capacity); } while (got < 0 && errno == EINTR);
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

// ---- so many bytes of a source ------------------------------------------------------------------

enum { FIRST_BYTES = 1 << 20 };

kl_status kl_bytes_fill(kl_byte_source *source, void *buffer, size_t want, size_t *out_got,
                        kl_error *err) {
    *out_got = 0;
    while (*out_got < want) {
        size_t got = 0;
        TRY(kl_bytes_read(source, (char *)buffer + *out_got, want - *out_got, &got, err));
        if (got == 0) break;
        *out_got += got;
    }
    return KL_OK;
}

kl_status kl_bytes_take(kl_byte_source *source, uint64_t want, uint8_t **out_data,
                        uint64_t *out_got, kl_error *err) {
    uint8_t *data = NULL;
    uint64_t capacity = 0;
    *out_data = NULL;
    *out_got = 0;
    do {
        capacity = capacity == 0 ? FIRST_BYTES : 2 * capacity;
        capacity = capacity < want ? capacity : want;
        uint8_t *larger =
            capacity > SIZE_MAX ? NULL : realloc(data, capacity > 0 ? (size_t)capacity : 1);
        if (!larger) {
            free(data);
            return kl_fail(err, KL_ERROR_MEMORY, "no memory for %.3g MB", 1e-6 * (double)capacity);
        }
        data = larger;
        size_t got = 0;
        kl_status status =
            kl_bytes_fill(source, data + *out_got, (size_t)(capacity - *out_got), &got, err);
        if (status != KL_OK) {
            free(data);
            return status;
        }
        *out_got += got;
    } while (*out_got == capacity && capacity < want);
    *out_data = data;
    return KL_OK;
}

kl_status kl_bytes_at_end(kl_byte_source *source, bool *out_end, kl_error *err) {
    char byte;
    size_t got = 0;
    TRY(kl_bytes_read(source, &byte, 1, &got, err));
    *out_end = got == 0;
    return KL_OK;
}

// ---- check sums ---------------------------------------------------------------------------------

// Of the 16 values of half a byte: four steps of the polynomial 0xC96C5795D7870F42 (ECMA-182,
// reflected).
static const uint64_t half_bytes[16] = {
    UINT64_C(0x0000000000000000), UINT64_C(0x7D9BA13851336649), UINT64_C(0xFB374270A266CC92),
    UINT64_C(0x86ACE348F355AADB), UINT64_C(0x64B62BCAEBC387A1), UINT64_C(0x192D8AF2BAF0E1E8),
    UINT64_C(0x9F8169BA49A54B33), UINT64_C(0xE21AC88218962D7A), UINT64_C(0xC96C5795D7870F42),
    UINT64_C(0xB4F7F6AD86B4690B), UINT64_C(0x325B15E575E1C3D0), UINT64_C(0x4FC0B4DD24D2A599),
    UINT64_C(0xADDA7C5F3C4488E3), UINT64_C(0xD041DD676D77EEAA), UINT64_C(0x56ED3E2F9E224471),
    UINT64_C(0x2B769F17CF112238)};

uint64_t kl_crc64(uint64_t before, const void *data, size_t bytes) {
    const uint8_t *at = data;
    uint64_t crc = ~before;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= at[i];
        crc = (crc >> 4) ^ half_bytes[crc & 15];
        crc = (crc >> 4) ^ half_bytes[crc & 15];
    }
    return ~crc;
}
