// SPDX-License-Identifier: MIT
// What `ladder grade --submissions` is given: a folder or an archive, of a course system or of
// one's own, as a list of submissions. What has to be unpacked or put together goes into a private
// folder; the folder that was given is only read.
#ifndef LADDER_INTAKE_INTAKE_H
#define LADDER_INTAKE_INTAKE_H

#include "grade/intake/layout.h"
#include "grade/submission/submission.h"
#include "utilities/files.h"

// The submissions that were found.
typedef struct ladder_intake {
    ladder_layout layout;     // that they follow
    ladder_submission *list;  // [count], sorted; the caller frees it
    size_t count;             // of list
    size_t unused;            // entries that are no submission under this layout
    size_t archives;          // submissions that were archives
    size_t broken;            // of which cannot be read
    size_t missing;           // that the system lists, without a folder
    size_t links;             // in the class's archive, which were left out
    size_t teams;             // groups of which each member's copy was handed out
    char folder[LADDER_PATH]; // of the class, as it was found
} ladder_intake;

// layout: a word of --layout, or NULL to recognise it. staging: a folder that exists and is empty
// and outlives the list. A submission that cannot be read is on the list with its problem; an error
// is one of the whole.
kl_status ladder_intake_take(const char *what, const char *layout, const ladder_lab *lab,
                             const char *staging, ladder_intake *out_intake, kl_error *err);

// One submission of one student: a folder, an archive or a step's file, whatever it is called.
// path: absolute, as realpath makes it. What cannot be read has its problem.
kl_status ladder_intake_take_one(const char *path, const ladder_lab *lab, const char *staging,
                                 ladder_submission *out_submission, kl_error *err);

// Times of last commits, where the class is a folder of repositories: as the students' git wrote
// them. Fills `submitted` of what has none; a repository that git cannot read stays without.
void ladder_intake_commit_times(ladder_intake *intake);

// One line on what was found: "layout: Canvas, downloaded submissions; 23 submissions".
void ladder_intake_describe(const ladder_intake *intake, char *out, size_t out_bytes);

#endif
