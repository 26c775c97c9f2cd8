// SPDX-License-Identifier: MIT
// What a sheet says of those who handed in: their group, other ids of theirs, when they handed in.
#ifndef LADDER_PEOPLE_JOIN_H
#define LADDER_PEOPLE_JOIN_H

#include "course/people/person.h"

// Takes it into a class, list: [count]. A submission of one of a group, or under the group's name
// or that of its repository, becomes that of all its members; one without a time gets the sheet's.
// Whom the sheet lacks is told to notes, with a line of counts. KL_ERROR_INPUT: the sheet has a
// student in two groups.
kl_status ladder_people_join(const char *path, ladder_submission *list, size_t count, FILE *notes,
                             kl_error *err);

// That nobody handed in with two groups, or with a group and alone: such a student would have two
// marks, of which nobody said which counts. KL_ERROR_INPUT names student and submissions.
kl_status ladder_people_once(const ladder_submission *list, size_t count, kl_error *err);

#endif
