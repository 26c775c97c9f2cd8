// SPDX-License-Identifier: MIT
// What a sheet says of those who handed in: their group, other ids of theirs, when they handed in.
#ifndef LADDER_PEOPLE_JOIN_H
#define LADDER_PEOPLE_JOIN_H

#include "course/people/person.h"

// Takes it into a class, list: [count]. A submission of one of a group, or under the group's name
// or that of its repository, becomes that of all its members; one without a time gets the sheet's.
// Whom the sheet lacks is told to notes, with a line of counts.
kl_status ladder_people_join(const char *path, ladder_submission *list, size_t count, FILE *notes,
                             kl_error *err);

#endif
