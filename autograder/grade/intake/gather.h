// SPDX-License-Identifier: MIT
// Where in what one student handed in the step files of a lab lie: beside each other, in "steps",
// in a folder in a folder, in a repository of all labs, in archives.
#ifndef LADDER_INTAKE_GATHER_H
#define LADDER_INTAKE_GATHER_H

#include "utilities/files.h"
#include "grade/rubric/lab.h"
#include "grade/submission/step_name.h"

enum {
    LADDER_GATHER_FOLDERS = 16, // folders of one submission that steps are taken from
    LADDER_GATHER_ARCHIVES = 16 // archives within one that are opened
};

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

// Whether a file of this name is wanted beside step files: predictions, log, pseudonym.
bool ladder_gather_is_beside_steps(const char *name);

// Looks through a folder, some folders deep and without following links.
void ladder_gather(const char *folder, const ladder_lab *lab, ladder_gathered *out_gathered);

#endif
