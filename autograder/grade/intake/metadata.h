// SPDX-License-Identifier: MIT
// submission_metadata.yml of a Gradescope export: who handed in which folder, and when.
#ifndef LADDER_INTAKE_METADATA_H
#define LADDER_INTAKE_METADATA_H

#include <limits.h>
#include <stdbool.h>

#include "grade/submission/submission.h"

// What the metadata says of a folder.
typedef struct ladder_metadata {
    char names[LADDER_TITLE]; // of all who handed it in together: "Ann Lee, Bob Ray"; "": not told
    char user[64];            // of the first one: the number that the school gave, else the address
    char submitted[40];       // as it is there: "2026-11-20 21:04:12.034567000 Z"
    struct {
        char name[LADDER_TITLE], ids[LADDER_TITLE]; // number and address, a tab between them
    } members[LADDER_SUBMITTERS_MAX];               // [count]: all who handed it in
    int count;                                      // of members
} ladder_metadata;

// A file that was read.
typedef struct ladder_metadata_file ladder_metadata_file;

// Reads the text as YAML. Of each entry of the top only the list below `:submitters:` and
// `:created_at:` count: what a student's program printed is in the file, too, and may look like
// more people. KL_ERROR_INPUT with the line of what is no YAML; KL_ERROR_SYSTEM: a build without
// libyaml. NULL after an error.
kl_status ladder_metadata_open(const char *text, ladder_metadata_file **out_file, kl_error *err);
void ladder_metadata_close(ladder_metadata_file *file); // NULL: does nothing

// What it says of a folder; nothing where it has no such entry.
void ladder_metadata_find(ladder_metadata_file *file, const char *folder,
                          ladder_metadata *out_metadata);

// The next folder that it has an entry of; *at begins as 0. False at the end.
bool ladder_metadata_next(ladder_metadata_file *file, size_t *at, char out_folder[NAME_MAX + 1]);

#endif
