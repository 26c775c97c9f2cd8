// SPDX-License-Identifier: MIT
// Where in what one student handed in the step files of a lab lie: beside each other, in "steps",
// in a folder in a folder, in a repository of all labs, in an archive.
#ifndef LADDER_INTAKE_GATHER_H
#define LADDER_INTAKE_GATHER_H

#include "utilities/files.h"
#include "grade/rubric/lab.h"

typedef struct ladder_gathered {
    char folder[LADDER_PATH];  // with step files; "": there is none
    char archive[LADDER_PATH]; // one that may hold them, where no folder does; "": there is none
    char foreign[100];         // name of an archive of a kind that is not read; "": there is none
    char source[100];          // a source that is none of the lab's steps; "": there is none
    char other[100]; // a second folder with step files, which is not used; "": there is none
    int files;       // steps in the folder
} ladder_gathered;

// Whether a file's name is that of a step, letter case ignored.
bool ladder_gather_is_step(const ladder_lab *lab, const char *name);

// Looks through a folder, some folders deep and without following links.
void ladder_gather(const char *folder, const ladder_lab *lab, ladder_gathered *out_gathered);

#endif
