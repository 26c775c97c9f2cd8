// SPDX-License-Identifier: MIT
// Submissions: finding them in a folder, and taking from each one only the files that the rubric
// names. A submission is a folder (files in it, or in its "steps" folder), or a single file named
// like a step (step_name.h). Names, links, FIFOs, sizes: nothing is taken on trust, and nothing is
// executed or followed.
#ifndef LADDER_SUBMISSION_SUBMISSION_H
#define LADDER_SUBMISSION_SUBMISSION_H

#include "grade/rubric/lab.h"
#include "grade/rubric/result.h"
#include "grade/submission/step_name.h"

enum {
    LADDER_SOURCE_MAX = 1 << 20,     // bytes of one step file
    LADDER_SUBMISSIONS_MAX = 100000, // in one folder
    LADDER_SUBMITTERS_MAX = 32,      // of one submission
    LADDER_SUBMISSION_FILES = 10000  // entries looked at in one submission
};

// A submission that was found.
typedef struct ladder_submission {
    char path[4096];          // of the folder or file
    char id[96];              // safe as a file name, unique among the submissions of a folder
    char title[LADDER_TITLE]; // its name, made printable
    bool is_file;             // a single step file
    bool refused;             // a symbolic link or something else that is neither file nor folder
    char name[256];           // of which the id is made: as it was handed in
    char problem[LADDER_PROBLEM]; // why it is not graded, and what to do; "": it is
    bool none_taken;              // then: it was read, but nothing in it is a step of the lab
    char note[400];               // on how it was found, for the report; "": none
    char user[64];      // the student on the course system that it came from; "": not told
    char submitted[40]; // when, as that system tells it; "": not told
    bool late;          // marked as late there
    bool is_test;       // Canvas's test student handed it in, who is no student
    double due_s;       // the student's own due date, seconds since 1970; 0: that of the class
    char members[LADDER_MEMBERS]; // who handed it in, a line each: name and ids, a tab before each
                                  // id; "": the one that title and user name
} ladder_submission;

// Adds a member. ids: "300\tann@x.edu"; "": none. False: there is no room.
bool ladder_submission_member(ladder_submission *submission, const char *name, const char *ids);

// Makes the id of a name: letters, digits, '.', '_' and '-' stay, others become '_'; a name that
// was changed or is long gets a hash of the original behind it. (Among the submissions of a folder
// ids are made to differ, also where letter case makes no difference.) out: [96].
void ladder_submission_id(const char *name, char *out);

// Sorts a list by title and makes ids that differ, also where letter case makes no difference.
kl_status ladder_submissions_name(ladder_submission *list, size_t count, kl_error *err);

// Lists the submissions of a folder, sorted by name. Files that are not named *.cu and hidden
// entries are left out. Caller frees *out_list.
kl_status ladder_submissions_find(const char *folder, const ladder_lab *lab,
                                  ladder_submission **out_list, size_t *out_count, kl_error *err);

// A step's file as it was taken.
typedef struct ladder_step_file {
    bool present;                 // there is something of this name
    bool refused;                 // it is not taken: `message` says why
    bool unreadable;              // it lies in what cannot be read: no verdict on the step
    bool none_taken;              // nothing that was handed in is a step: no verdict, either
    ladder_name_fit fit;          // of its name
    char name[64];                // as it was handed in, printable
    char *text;                   // terminated; NULL when absent or refused
    size_t bytes;                 // of text
    char message[LADDER_PROBLEM]; // why it was refused
} ladder_step_file;

// Reads the files of all steps of the rubric into files: [rubric->step_count]. Remarks on extra and
// misnamed files go into the result's notes; the result's hash is set.
kl_status ladder_submission_read(const ladder_submission *submission, const ladder_lab *lab,
                                 ladder_step_file *files, ladder_result *result, kl_error *err);
void ladder_submission_free(ladder_step_file *files, int count);

#endif
