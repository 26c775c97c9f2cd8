// SPDX-License-Identifier: MIT
// Archives that people hand in: zip, tar and gzipped tar. Another process (unpack_main.c) reads
// them in the sandbox; this one looks at every name that it hands over and makes regular files in
// fresh folders, and nothing else. An archive in an archive is a file as others are.
#ifndef LADDER_INTAKE_ARCHIVE_H
#define LADDER_INTAKE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

// What an archive may unpack to. All of its entries count, whether they are wanted or not.
typedef struct ladder_archive_limits {
    uint64_t bytes, entries;
    uint64_t ratio; // unpacked to packed
    double wall_s;
} ladder_archive_limits;

extern const ladder_archive_limits ladder_archive_of_student, ladder_archive_of_class;

enum { LADDER_ARCHIVE_PROBLEM = 300 };

// What became of an archive.
typedef struct ladder_archive_end {
    char problem[LADDER_ARCHIVE_PROBLEM]; // why nothing of it may be used; "": all is well
    int files;                            // that were written
    int left; // links and the like, left out; `left_first` is one of them
    char left_first[100];
} ladder_archive_end;

// By its name: .zip, .tar, .tar.gz, .tgz; and one of a kind that is not read (.rar, .7z, ..).
bool ladder_archive_is(const char *name);
bool ladder_archive_is_foreign(const char *name);

// Unpacks files whose names end in one of `suffixes` (ends with NULL) into `folder`, which exists
// and is empty. With "/" among them the others are made as empty files, as far as their names
// allow: who handed in something else did hand in. KL_OK with a problem in *out_end: the archive's
// fault. An error: this machine's (no libarchive, disk full).
kl_status ladder_archive_unpack(const char *path, const ladder_archive_limits *limits,
                                const char *const *suffixes, const char *folder,
                                ladder_archive_end *out_end, kl_error *err);

#endif
