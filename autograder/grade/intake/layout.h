// SPDX-License-Identifier: MIT
// Names in bulk downloads of course systems: which system made them, and what a name says.
#ifndef LADDER_INTAKE_LAYOUT_H
#define LADDER_INTAKE_LAYOUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// A layout of layouts.def; LADDER_LAYOUTS: none.
typedef enum ladder_layout {
#define LADDER_LAYOUT(id, word, text) LADDER_LAYOUT_##id,
#include "grade/intake/layouts.def"
#undef LADDER_LAYOUT
    LADDER_LAYOUTS
} ladder_layout;

extern const char *const ladder_layout_words[];       // of --layout
extern const char *const ladder_layout_choices;       // all of them: "plain|gradescope|.."
const char *ladder_layout_text(ladder_layout layout); // for people
// LADDER_LAYOUTS when no layout has this word.
ladder_layout ladder_layout_find(const char *word);

// One entry of the folder of a class.
typedef struct ladder_entry {
    char name[NAME_MAX + 1]; // terminated
    bool is_folder;          // not a file; of a link: what it leads to
    bool is_link;            // nothing of it is taken
    bool is_repository;      // a folder with a .git in it
} ladder_entry;

// Hidden entries and what macOS adds are no entries.
bool ladder_entry_is_skipped(const char *name);

// The system whose scheme most of the entries follow.
ladder_layout ladder_layout_recognise(const ladder_entry *entries, size_t count);

// What an entry's name says.
typedef struct ladder_handed {
    char owner[NAME_MAX + 1]; // whose it is: entries of one student have the same
    char title[NAME_MAX + 1]; // the student, for people
    char user[64];            // the student's number or name on that system; "": not told
    char file[NAME_MAX + 1];  // of a file: its name as handed in; "": the entry is a folder
    int attempt;              // of a file handed in again under the same name: 1, 2, ..; else 0
    long long number;         // of the file on that system: larger is later; else 0
    bool late;                // marked as such
} ladder_handed;

// False: the entry is nothing that was handed in under this layout. LADDER_LAYOUT_PLAIN has no
// scheme, and GitHub Classroom's needs the start that all names have in common
// (ladder_layout_prefix).
bool ladder_layout_read(ladder_layout layout, const ladder_entry *entry, const char *prefix,
                        ladder_handed *out_handed);

// What the names of repositories begin with, up to and with a '-': "lab-2-" of "lab-2-ann" and
// "lab-2-bob"; "" when there is but one. out: [NAME_MAX + 1].
void ladder_layout_prefix(const ladder_entry *entries, size_t count, char *out);

#endif
