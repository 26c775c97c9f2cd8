// SPDX-License-Identifier: MIT
// What the files that take in a class share: see intake.h for what other modules see.
#ifndef LADDER_INTAKE_INTERNAL_H
#define LADDER_INTAKE_INTERNAL_H

#include "grade/intake/intake.h"
#include "utilities/files.h"

// An entry of the class's folder and what its name says.
typedef struct ladder_item {
    ladder_entry entry;
    ladder_handed handed;
} ladder_item;

// What is to be done about a submission once all are listed.
typedef enum ladder_task_kind {
    LADDER_TASK_NONE,
    LADDER_TASK_FOLDER,  // s->path is one that was handed in
    LADDER_TASK_ARCHIVE, // s->path is an archive
    LADDER_TASK_FILES    // files of one student in the class's folder
} ladder_task_kind;

typedef struct ladder_task {
    ladder_task_kind kind;
    const ladder_item *items; // [count] of LADDER_TASK_FILES
    size_t count;
} ladder_task;

typedef struct ladder_taking {
    const ladder_lab *lab;
    const char *staging;
    ladder_intake *out;
    ladder_task *tasks;       // [out->count]
    ladder_item *items;       // of all students
    char folder[LADDER_PATH]; // of the class
    ladder_entry *entries;    // [entry_count] of it
    size_t entry_count;
    struct ladder_metadata_file *metadata; // of Gradescope, or NULL
    ladder_seen left_out; // of the class's archive: links and the like, by their paths
} ladder_taking;

// Of Gradescope, in the class's folder.
#define LADDER_TAKING_METADATA "submission_metadata.yml"

// listing.c: whose each entry of the class's folder is. They fill in->out->list and in->tasks.

kl_status ladder_taking_list_plain(ladder_taking *in, kl_error *err);    // each entry is one
kl_status ladder_taking_list_students(ladder_taking *in, kl_error *err); // by a layout's names
// The whole of `what`, an archive, is one student's.
kl_status ladder_taking_list_single(ladder_taking *in, const char *what, kl_error *err);

// student.c: where one student's step files are. Each leaves the folder in s->path, or a problem.

kl_status ladder_taking_archive(ladder_taking *in, ladder_submission *s, const char *path,
                                kl_error *err);
kl_status ladder_taking_folder(ladder_taking *in, ladder_submission *s, kl_error *err);
// items[0 .. count) of the class's folder; the last of each name counts.
kl_status ladder_taking_files(ladder_taking *in, const ladder_item *items, size_t count,
                              ladder_submission *s, kl_error *err);
// teams.c: of a group Moodle hands out a copy per member, "Group A-Ann Lee_101_..": copies that are
// the same become one submission of all of them.
kl_status ladder_taking_teams(ladder_taking *in, kl_error *err);
#endif
