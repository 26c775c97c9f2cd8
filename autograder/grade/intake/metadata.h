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

// What the text says of a folder. Of YAML what Ruby writes there is read: a key per folder at the
// start of a line, `:submitters:` with `:name:`, `:sid:` and `:email:`, and `:created_at:`. Values
// are in plain text or in quotes. Everything else is passed over.
void ladder_metadata_find(const char *text, const char *folder, ladder_metadata *out_metadata);

// The next folder that the text has an entry of; *at begins as the text. False at the end.
bool ladder_metadata_next(const char **at, char out_folder[NAME_MAX + 1]);

#endif
