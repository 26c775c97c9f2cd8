// SPDX-License-Identifier: MIT
// What the files of this module share: one submission of a class that is being graded.
#ifndef LADDER_CLASS_INTERNAL_H
#define LADDER_CLASS_INTERNAL_H

#include "course/class/run.h"

enum { LADDER_CLASS_DOING = 96 };

// How the class is graded this time.
typedef struct ladder_class_mode {
    bool resume;        // what is finished and unchanged is kept
    bool collect;       // nothing is graded: what is not finished gets a row that is not done
    ladder_row_key key; // of the rows
    char *doing;        // [LADDER_CLASS_DOING], of a worker: what it does now; NULL: nobody looks
} ladder_class_mode;

// Grades a submission, writes its reports and, last, its row; or keeps those of an earlier run.
kl_status ladder_class_submission(const ladder_class *class, const ladder_class_mode *mode,
                                  const ladder_submission *submission, ladder_row *out_row,
                                  bool *out_kept, kl_error *err);

// The result of a submission with which two workers have died, the last with this status of
// waitpid(2). None of its files is looked at.
void ladder_class_broken(const ladder_class *class, const ladder_class_mode *mode,
                         const ladder_submission *submission, int status, ladder_row *out_row);

#endif
