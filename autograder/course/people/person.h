// SPDX-License-Identifier: MIT
// What one source says of a student: a name, ids, words in which either may stand.
#ifndef LADDER_PEOPLE_PERSON_H
#define LADDER_PEOPLE_PERSON_H

#include <stdio.h>

#include "grade/submission/submission.h"

// A student as one source knows them. All of it was written by people: made printable, not checked.
typedef struct ladder_person {
    char name[LADDER_TITLE]; // "Lee, Ann" or "Ann Lee"; "": not told
    char ids[512]; // numbers, logins, addresses, "Participant 17", other names: a line each
    char words[LADDER_TITLE]; // a file's or folder's name that an id may be part of; "": none
} ladder_person;

// Adds an id once; blanks around it are left out. False: there is no room for it.
bool ladder_person_add(ladder_person *person, const char *id);
// The next id, "" at the end: *at begins as person->ids. out: [LADDER_TITLE].
bool ladder_person_next(const char **at, char *out);

// The number of "Participant 17", letter case ignored: Moodle's, another one in each assignment.
// NULL: the id is of another kind.
const char *ladder_participant(const char *id);

// Who is meant by a word: an id, a login, a name.
ladder_person ladder_person_of_word(const char *word);
// By a submission's title and the user of its system.
ladder_person ladder_person_of_title(const char *title, const char *user);

enum { LADDER_MEMBERS_MAX = 32 };
// All who handed a submission in: one, or a group. Returns how many: at least 1.
int ladder_people_of(const ladder_submission *submission, ladder_person out[LADDER_MEMBERS_MAX]);

// What became of a list of people, said at the end of each run.
typedef struct ladder_people_counts {
    size_t students, matched; // of the list; those who were found
} ladder_people_counts;
// "30 students, 28 matched, 2 to decide".
void ladder_people_tell(const ladder_people_counts *counts, FILE *out);

#endif
