// Archives for tests, hostile ones among them: written by libarchive, which takes any name and kind
// of entry.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct archive_maker archive_maker;

// Whether archives can be made (and read) here. Without libarchive nothing below may be called.
bool archive_maker_can(void);

// By the name's end: .zip (.secret.zip: with a password), .7z, .cu.gz (its one file's name is not
// kept), .tar.xz (pax), .tar, .tgz and any other (GNU tar, compressed). Whatever goes wrong ends
// the program with a message.
archive_maker *archive_maker_open(const char *path);
void archive_maker_file(archive_maker *m, const char *name, const void *data, size_t bytes);
void archive_maker_text(archive_maker *m, const char *name, const char *text);
void archive_maker_zeros(archive_maker *m, const char *name, size_t bytes);
void archive_maker_symlink(archive_maker *m, const char *name, const char *target);
void archive_maker_hardlink(archive_maker *m, const char *name, const char *target);
void archive_maker_device(archive_maker *m, const char *name);
void archive_maker_close(archive_maker *m);
