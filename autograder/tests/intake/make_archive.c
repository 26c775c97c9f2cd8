// Archives for tests: see make_archive.h.
#include "make_archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if TEST_HAVE_ARCHIVE
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

struct archive_maker {
    struct archive *archive;
};

static void must(archive_maker *m, bool condition) {
    if (condition) return;
    fprintf(stderr, "cannot make an archive: %s\n", archive_error_string(m->archive));
    exit(1);
}

bool archive_maker_can(void) { return true; }

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

archive_maker *archive_maker_open(const char *path) {
    archive_maker *m = calloc(1, sizeof *m);
    if (!m) exit(1);
    setlocale(LC_CTYPE, "C.UTF-8");
    m->archive = archive_write_new();
    if (ends_with(path, ".zip")) {
        archive_write_set_format_zip(m->archive);
        if (ends_with(path, ".secret.zip")) {
            archive_write_set_options(m->archive, "zip:encryption=zipcrypt");
            archive_write_set_passphrase(m->archive, "secret");
        }
    } else if (ends_with(path, ".7z")) {
        archive_write_set_format_7zip(m->archive);
    } else if (ends_with(path, ".cu.gz")) { // one file, compressed
        archive_write_set_format_raw(m->archive);
        archive_write_add_filter_gzip(m->archive);
    } else if (ends_with(path, ".tar.xz")) {
        archive_write_set_format_pax(m->archive);
        archive_write_add_filter_xz(m->archive);
    } else {
        archive_write_set_format_gnutar(m->archive);
        if (!ends_with(path, ".tar")) archive_write_add_filter_gzip(m->archive);
    }
    must(m, archive_write_open_filename(m->archive, path) == ARCHIVE_OK);
    return m;
}

static struct archive_entry *begin(const char *name, size_t bytes, unsigned type) {
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (la_int64_t)bytes);
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    return entry;
}

static void put(archive_maker *m, struct archive_entry *entry) {
    must(m, archive_write_header(m->archive, entry) >= ARCHIVE_WARN);
    archive_entry_free(entry);
}

void archive_maker_file(archive_maker *m, const char *name, const void *data, size_t bytes) {
    put(m, begin(name, bytes, AE_IFREG));
    must(m, archive_write_data(m->archive, data, bytes) == (la_ssize_t)bytes);
}

void archive_maker_text(archive_maker *m, const char *name, const char *text) {
    archive_maker_file(m, name, text, strlen(text));
}

void archive_maker_zeros(archive_maker *m, const char *name, size_t bytes) {
    static const char zeros[1 << 16];
    put(m, begin(name, bytes, AE_IFREG));
    for (size_t done = 0; done < bytes;) {
        size_t some = bytes - done < sizeof zeros ? bytes - done : sizeof zeros;
        must(m, archive_write_data(m->archive, zeros, some) == (la_ssize_t)some);
        done += some;
    }
}

void archive_maker_symlink(archive_maker *m, const char *name, const char *target) {
    struct archive_entry *entry = begin(name, 0, AE_IFLNK);
    archive_entry_set_symlink(entry, target);
    put(m, entry);
}

void archive_maker_hardlink(archive_maker *m, const char *name, const char *target) {
    struct archive_entry *entry = begin(name, 0, AE_IFREG);
    archive_entry_set_hardlink(entry, target);
    put(m, entry);
}

void archive_maker_device(archive_maker *m, const char *name) {
    struct archive_entry *entry = begin(name, 0, AE_IFCHR);
    archive_entry_set_rdevmajor(entry, 1); // /dev/zero
    archive_entry_set_rdevminor(entry, 5);
    put(m, entry);
}

void archive_maker_close(archive_maker *m) {
    must(m, archive_write_close(m->archive) == ARCHIVE_OK);
    archive_write_free(m->archive);
    free(m);
}

#else // no libarchive: tests that ask first do not come here

struct archive_maker {
    int unused;
};

bool archive_maker_can(void) { return false; }

archive_maker *archive_maker_open(const char *path) {
    fprintf(stderr, "no libarchive to make %s\n", path);
    exit(1);
}

void archive_maker_file(archive_maker *m, const char *name, const void *data, size_t bytes) {
    (void)m, (void)name, (void)data, (void)bytes;
}
void archive_maker_text(archive_maker *m, const char *name, const char *text) {
    (void)m, (void)name, (void)text;
}
void archive_maker_zeros(archive_maker *m, const char *name, size_t bytes) {
    (void)m, (void)name, (void)bytes;
}
void archive_maker_symlink(archive_maker *m, const char *name, const char *target) {
    (void)m, (void)name, (void)target;
}
void archive_maker_hardlink(archive_maker *m, const char *name, const char *target) {
    (void)m, (void)name, (void)target;
}
void archive_maker_device(archive_maker *m, const char *name) { (void)m, (void)name; }
void archive_maker_close(archive_maker *m) { (void)m; }
#endif
