// SPDX-License-Identifier: MIT
// Archives that people hand in: zip, tar in any common compression, 7z and rar, and one compressed
// file. Another process (unpack_main.c) reads them in the sandbox; this one looks at every name
// that it hands over and makes regular files in fresh folders, and nothing else. An archive in an
// archive is a file as others are.
#ifndef LADDER_INTAKE_ARCHIVE_H
#define LADDER_INTAKE_ARCHIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "grade/submission/step_name.h"

// What an archive may unpack to. All of its entries count, whether they are wanted or not.
typedef struct ladder_archive_limits {
    uint64_t bytes, entries;
    uint64_t ratio; // unpacked to packed
    double wall_s;
} ladder_archive_limits;

extern const ladder_archive_limits ladder_archive_of_student, ladder_archive_of_class;

enum { LADDER_ARCHIVE_PROBLEM = 500 };

// What became of an archive.
typedef struct ladder_archive_end {
    char problem[LADDER_ARCHIVE_PROBLEM]; // why nothing of it may be used, and what to do; "": well
    int files;                            // that were written
    uint64_t bytes;                       // of them
    int hidden;                           // that were passed over: of git, of macOS
    int left;                             // links and the like, left out; `seen` has the first ones
    ladder_seen seen;                     // of what was left out
} ladder_archive_end;

// By its name: ".zip", ".tar", ".tgz", ".7z", .., also with what does not show behind it;
// "1_interleaved.cu.gz", one compressed file, is one, too.
bool ladder_archive_is(const char *name);
// By the first bytes of a file, whose name may say nothing. False where it cannot be read.
bool ladder_archive_is_inside(int folder_fd, const char *name);
// The endings that are read, for people: ".zip, .tar, ..".
extern const char ladder_archive_kinds[];

// Unpacks files whose names end in one of `suffixes` (ends with NULL), and archives, into `folder`,
// which exists and is empty. Names lose what leads out of the folder or shows nothing: a "/" or
// "C:" at their begin, "." folders; a "\\" separates as a "/" does. With "/" among the suffixes the
// others are made as empty files, as far as their names allow: who handed in something else did
// hand in; with "//" also those at the top, which in a class are nobody's. KL_OK with a problem in
// *out_end: the archive's fault. An error: this machine's (no libarchive, disk full).
kl_status ladder_archive_unpack(const char *path, const ladder_archive_limits *limits,
                                const char *const *suffixes, const char *folder,
                                ladder_archive_end *out_end, kl_error *err);

#endif
