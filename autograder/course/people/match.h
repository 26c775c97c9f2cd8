// SPDX-License-Identifier: MIT
// Which student of a list is meant: the one matcher of people. By these rules, in this order:
//   1. an id that is equal, letter case ignored. An address equals a login that is its part before
//      the @, but no other address.
//   2. a name, with its words in any order but kept in a row ("Lee, Ann", "Ann Lee", "leeann"; the
//      same order first), letters without their accents, all else than letters and digits ignored.
//   3. a number of Moodle's participants, which is another in each assignment, so that it only
//      decides between equal names or where no name is known. 17 is "Participant 17".
//   4. words between underscores of a file's name: an id among them, or a name as the first.
// Where a rule fits several students, those that the next rule fits as well are looked at. An id of
// one student beside the name of another one is to decide, and nobody is guessed.
#ifndef LADDER_PEOPLE_MATCH_H
#define LADDER_PEOPLE_MATCH_H

#include "course/people/person.h"

// A list of students with what they are compared by.
typedef struct ladder_people ladder_people;

// Instead of an index: none fits; several fit, or two rules disagree.
enum { LADDER_NOBODY = -1, LADDER_SEVERAL = -2 };

// list: [count]; is copied. NULL after an error.
kl_status ladder_people_make(const ladder_person *list, size_t count, ladder_people **out_people,
                             kl_error *err);
void ladder_people_free(ladder_people *people);

// Index of the student in the list; LADDER_NOBODY: none fits; LADDER_SEVERAL: to decide.
int ladder_people_find(const ladder_people *people, const ladder_person *wanted);
// Whether an id says so, and not the name alone.
bool ladder_people_by_id(const ladder_people *people, int index, const ladder_person *wanted);

// Whether two names are those of one person, by rule 2.
bool ladder_names_are_one(const char *a, const char *b);

#endif
