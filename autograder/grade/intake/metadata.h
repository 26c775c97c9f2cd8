// SPDX-License-Identifier: MIT
// submission_metadata.yml of a Gradescope export: who handed in which folder, and when.
#ifndef LADDER_INTAKE_METADATA_H
#define LADDER_INTAKE_METADATA_H

typedef struct ladder_metadata {
    char names[200];    // of all who handed it in together: "Ann Lee, Bob Ray"; "": not told
    char user[64];      // of the first one: the number that the school gave, else the address
    char submitted[40]; // as it is there: "2026-11-20 21:04:12.034567000 Z"
} ladder_metadata;

// What the text says of a folder. Of YAML what Ruby writes there is read: a key per folder at the
// start of a line, `:submitters:` with `:name:`, `:sid:` and `:email:`, and `:created_at:`. Values
// are in plain text or in quotes. Everything else is passed over.
void ladder_metadata_find(const char *text, const char *folder, ladder_metadata *out_metadata);

#endif
