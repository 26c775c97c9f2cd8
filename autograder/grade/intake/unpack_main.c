// ladder-unpack: reads an archive (libarchive: zip, tar, 7z, rar, in any compression, and one
// compressed file) from one descriptor and writes its files as a bundle (bundle.h) to another. It
// runs in the sandbox and holds no path of the machine: a fault that a hostile archive finds in the
// library reaches nothing. It links nothing of the grader.
//   ladder-unpack BYTES FILES RATIO KINDS NAME SUFFIX..
// Limits of what the archive unpacks to; 0: none. KINDS 0: links and devices count as files. NAME
// is the archive's. Only files whose names end in a SUFFIX are handed on; the others are counted
// all the same.
#include "grade/intake/bundle.h"
#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK = 64 << 10,
    NAME_AT = 5,         // in argv
    SUFFIXES_AT = 6,     // in argv
    LEFT_TOLD = 16,      // entries that are no files, told by name
    COUNTED = 16,        // times the limit of entries: so far they are counted, to be told
    RATIO_FROM = 8 << 20 // bytes unpacked, below which any ratio is taken: sources pack well
};

typedef struct unpacking {
    struct archive *archive;
    uint64_t packed; // bytes of the archive
    uint64_t bytes_max, files_max, ratio_max;
    bool kinds; // regular files alone
    bool names; // names of files that are not wanted are handed on
    char **suffixes;
    const char *name;      // of the archive
    uint64_t bytes, files; // so far
    int left;
    char problem[512];
} unpacking;

static void write_all(const void *data, size_t bytes) {
    const char *at = data;
    while (bytes > 0) {
        ssize_t done = write(LADDER_BUNDLE_FD, at, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) _exit(2); // the judge's disk: no end is written
        at += done;
        bytes -= (size_t)done;
    }
}

static void write_head(ladder_bundle_kind kind, const char *name, uint64_t bytes) {
    size_t length = strnlen(name, LADDER_BUNDLE_NAME);
    const ladder_bundle_head head = {(uint32_t)kind, (uint32_t)length, bytes};
    write_all(&head, sizeof head);
    write_all(name, length);
}

// Blanks, dots and marks behind a name, as some programs leave them, hide no suffix.
static bool is_wanted(const unpacking *u, const char *name) {
    size_t length = strlen(name);
    while (length > 0 && !isalnum((unsigned char)name[length - 1])) length--;
    for (char **suffix = u->suffixes; *suffix; suffix++) {
        size_t end = strlen(*suffix);
        if (length >= end && strncasecmp(name + length - end, *suffix, end) == 0) return true;
    }
    return false;
}

static bool fail(unpacking *u, const char *what, const char *detail) {
    snprintf(u->problem, sizeof u->problem, "%s%s%s", what, detail[0] != '\0' ? ": " : "", detail);
    return false;
}

static bool fail_encrypted(unpacking *u, const char *name) {
    return fail(u, "it is encrypted; pack it again without a password", name);
}

static bool fail_library(unpacking *u, const char *what) {
    const char *text = archive_error_string(u->archive);
    if (archive_read_has_encrypted_entries(u->archive) > 0) return fail_encrypted(u, "");
    return fail(u, what, text ? text : "");
}

// How many entries there are beside those that are read, as far as that costs little.
static bool fail_count(unpacking *u) {
    struct archive_entry *entry = NULL;
    int64_t first = archive_filter_bytes(u->archive, 0);
    uint64_t most = COUNTED * u->files_max;
    for (int status; u->files < most;) {
        status = archive_read_next_header(u->archive, &entry);
        if (status == ARCHIVE_EOF || status < ARCHIVE_WARN) break;
        uint64_t passed = (uint64_t)(archive_filter_bytes(u->archive, 0) - first);
        u->files++;
        if (u->bytes_max > 0 && passed > u->bytes_max) most = u->files;
    }
    snprintf(u->problem, sizeof u->problem,
             "it holds %s%llu entries; the limit of an archive is %llu; pack the steps alone",
             u->files >= most ? "more than " : "", (unsigned long long)u->files,
             (unsigned long long)u->files_max);
    return false;
}

static bool count_bytes(unpacking *u, uint64_t more) {
    u->bytes += more;
    if (u->bytes_max > 0 && u->bytes > u->bytes_max) {
        snprintf(u->problem, sizeof u->problem,
                 "it unpacks to more than %llu MB, the limit of an archive; pack the steps alone",
                 (unsigned long long)(u->bytes_max / 1000000));
        return false;
    }
    if (u->ratio_max > 0 && u->bytes > RATIO_FROM && u->bytes / u->ratio_max > u->packed) {
        snprintf(
            u->problem, sizeof u->problem,
            "it unpacks to more than %llu times its own size, as no sources do; pack the steps "
            "alone",
            (unsigned long long)u->ratio_max);
        return false;
    }
    return true;
}

// Reads a file's bytes to the end (a size in an archive is a claim), then hands them on.
static bool take_file(unpacking *u, const char *name) {
    static char block[BLOCK];
    char *data = NULL;
    size_t used = 0, capacity = 0;
    bool wanted = is_wanted(u, name), well = true;
    for (ssize_t got; (got = archive_read_data(u->archive, block, sizeof block)) != 0;) {
        if (got < 0) {
            well = fail_library(u, "it is damaged; pack it again");
            break;
        }
        well = count_bytes(u, (uint64_t)got);
        if (!well) break;
        if (!wanted) continue;
        if (used + (size_t)got > capacity) {
            capacity = 2 * (used + (size_t)got);
            char *grown = realloc(data, capacity);
            if (!grown) {
                well = fail(u, "it holds a file that is too large", name);
                break;
            }
            data = grown;
        }
        memcpy(data + used, block, (size_t)got);
        used += (size_t)got;
    }
    if (well && wanted) {
        write_head(LADDER_BUNDLE_FILE, name, used);
        write_all(data, used);
    }
    if (well && !wanted && u->names) write_head(LADDER_BUNDLE_OTHER, name, 0);
    free(data);
    return well;
}

static bool take_entry(unpacking *u, struct archive_entry *entry) {
    const char *name = archive_entry_pathname(entry);
    if (!name) name = archive_entry_pathname_utf8(entry);
    u->files++;
    if (u->files_max > 0 && u->files > u->files_max) return fail_count(u);
    if (archive_entry_is_encrypted(entry)) return fail_encrypted(u, name ? name : "");
    if (!name) return true; // in no encoding that is known: no name of a step
    mode_t type = archive_entry_filetype(entry);
    if (type == AE_IFDIR) return true;
    bool is_link = archive_entry_hardlink(entry) || archive_entry_symlink(entry);
    bool regular = type == AE_IFREG && !is_link;
    if (u->kinds && !regular) {
        if (u->left++ < LEFT_TOLD)
            write_head(is_link ? LADDER_BUNDLE_LINK : LADDER_BUNDLE_LEFT, name, 0);
        return true;
    }
    return take_file(u, name);
}

// What students' programs make. Others that the library knows stay closed: some of them (mtree)
// name files of this machine. A filter that needs another program finds none in the sandbox.
static void support(struct archive *archive) {
    archive_read_support_filter_gzip(archive);
    archive_read_support_filter_bzip2(archive);
    archive_read_support_filter_xz(archive);
    archive_read_support_filter_lzma(archive);
    archive_read_support_filter_zstd(archive);
    archive_read_support_filter_compress(archive);
    archive_read_support_format_tar(archive);
    archive_read_support_format_zip(archive);
    archive_read_support_format_7zip(archive);
    archive_read_support_format_rar(archive);
    archive_read_support_format_rar5(archive);
    archive_read_support_format_raw(archive); // anything, also what is compressed alone
}

static const char *const no_archive =
    "it is damaged, or no archive of a kind that is read; hand in a .zip or .tar.gz";

// One compressed file: its name is the archive's without the last ending.
static bool take_alone(unpacking *u) {
    char name[LADDER_BUNDLE_NAME + 1];
    if (archive_filter_count(u->archive) < 2) return fail(u, no_archive, ""); // not compressed
    snprintf(name, sizeof name, "%s", u->name);
    char *dot = strrchr(name, '.');
    if (dot && dot > name) *dot = '\0';
    u->files++;
    return take_file(u, name);
}

static void unpack(unpacking *u) {
    struct archive_entry *entry = NULL;
    support(u->archive);
    if (archive_read_open_fd(u->archive, LADDER_BUNDLE_ARCHIVE_FD, BLOCK) != ARCHIVE_OK) {
        fail_library(u, no_archive);
        return;
    }
    for (;;) {
        int status = archive_read_next_header(u->archive, &entry);
        if (status == ARCHIVE_EOF) break;
        if (status < ARCHIVE_WARN) {
            bool begun = u->files > 0;
            fail_library(u, begun ? "it is damaged; pack it again" : no_archive);
            return;
        }
        if (archive_format(u->archive) == ARCHIVE_FORMAT_RAW) {
            take_alone(u);
            return;
        }
        if (!take_entry(u, entry)) return;
    }
    if (archive_format(u->archive) == 0) fail(u, "it is empty; pack it again", "");
}

int main(int argc, char **argv) {
    struct stat info;
    if (argc <= SUFFIXES_AT || fstat(LADDER_BUNDLE_ARCHIVE_FD, &info) != 0) return 2;
    setlocale(LC_CTYPE, "C.UTF-8"); // names of archives that say their encoding
    unpacking u = {.archive = archive_read_new(),
                   .packed = info.st_size > 0 ? (uint64_t)info.st_size : 1,
                   .bytes_max = strtoull(argv[1], NULL, 10),
                   .files_max = strtoull(argv[2], NULL, 10),
                   .ratio_max = strtoull(argv[3], NULL, 10),
                   .kinds = argv[4][0] != '0',
                   .name = argv[NAME_AT],
                   .suffixes = argv + SUFFIXES_AT};
    for (char **suffix = u.suffixes; *suffix; suffix++)
        u.names = u.names || (*suffix)[0] == '/'; // which no file's name ends in
    if (!u.archive) return 2;
    unpack(&u);
    write_head(LADDER_BUNDLE_END, u.problem, 0);
    archive_read_free(u.archive);
    return 0;
}
