// SPDX-License-Identifier: MIT
// Bug hunts of a lab: labs/LAB/bugs/<n>_<name>.cu, whole programs with one planted mistake each;
// solutions/LAB/bugs holds them repaired.
#ifndef LADDER_EXTRAS_BUGS_H
#define LADDER_EXTRAS_BUGS_H

#include "grade/rubric/lab_files.h"

// True when the lab has a bug hunt of this name: "election", "1_election" or "1_election.cu".
// out_stem: [LADDER_PATH], "1_election".
bool ladder_bug_find(const ladder_kit *kit, const ladder_lab *lab, const char *word,
                     char *out_stem);

// Names of the lab's bug hunts in order, without number and ending; returns how many, at most
// `most`.
enum { LADDER_BUG_NAME = 64 };
int ladder_bugs_list(const ladder_kit *kit, const ladder_lab *lab, char names[][LADDER_BUG_NAME],
                     int most);

// Builds the program and gives its path; out_program: [LADDER_PATH]. KL_ERROR_INPUT when it does
// not compile.
kl_status ladder_bug_build(const ladder_kit *kit, const ladder_lab *lab, const char *stem,
                           bool solution, char *out_program, kl_error *err);

#endif
