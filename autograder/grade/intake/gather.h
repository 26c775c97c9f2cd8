// SPDX-License-Identifier: MIT
// Where in what one student handed in the step files of a lab lie: beside each other, in "steps",
// in a folder in a folder, in a repository of all labs, in archives.
#ifndef LADDER_INTAKE_GATHER_H
#define LADDER_INTAKE_GATHER_H

#include "utilities/files.h"
#include "grade/rubric/lab.h"
#include "grade/submission/step_name.h"

enum {
    LADDER_SEEN_TOLD = 5,       // files that are told by name
    LADDER_GATHER_FOLDERS = 16, // folders of one submission that steps are taken from
    LADDER_GATHER_ARCHIVES = 16 // archives within one that are opened
};

// Files that were handed in and are not taken, with the reason of each. The nearest to a step come
// first; of others only how many there are.
typedef struct ladder_seen {
    struct {
        int distance;            // 0: nearest to a step
        char name[64], why[112]; // printable
    } items[LADDER_SEEN_TOLD];   // [count, at most LADDER_SEEN_TOLD]
    int count;                   // of all
} ladder_seen;

void ladder_seen_add(ladder_seen *seen, int distance, const char *name, const char *why);
// "step3.cu (not a step's name; 3_sequential.cu may be meant), notes.txt (not a .cu file) and 3
// more"; "" when nothing was seen. Returns text.
char *ladder_seen_say(const ladder_seen *seen, char *text, size_t bytes);

typedef struct ladder_gathered {
    char folder[LADDER_PATH]; // with step files; "": there is none
    // [more_count]: folders whose step files are taken, too: none of theirs lies in another one
    char more[LADDER_GATHER_FOLDERS][LADDER_PATH];
    int more_count;
    // [archive_count], by name: those that lie nearest to the top
    char archives[LADDER_GATHER_ARCHIVES][LADDER_PATH];
    int archive_count;
    char other[100];     // a folder with step files that are not used, as they are there already
    int files;           // steps in these folders
    ladder_name_fit fit; // the best of a name of a step in `folder`
    bool cut; // it holds more than LADDER_SUBMISSION_FILES entries, and these were looked at
    ladder_seen seen; // files that are none of the lab's steps
} ladder_gathered;

// Looks through a folder, some folders deep and without following links.
void ladder_gather(const char *folder, const ladder_lab *lab, ladder_gathered *out_gathered);

#endif
