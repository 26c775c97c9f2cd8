// SPDX-License-Identifier: MIT
// Names for pages that others see. A pseudonym follows from the student and a key (HMAC), so it is
// the same in every lab and says nothing without the key. What a submission brought along in its
// texts (names of the class, addresses, paths, comments) is taken out.
#ifndef LADDER_CLASS_PSEUDONYM_H
#define LADDER_CLASS_PSEUDONYM_H

#include "course/class/rows.h"
#include "show/report/kept_files.h"

enum { LADDER_PSEUDONYM = 24 }; // bytes of one: "student-k7f3m2qa"

// Reads a key, or makes one where there is no file. KL_ERROR_INPUT: it is not a key, or others may
// read it.
kl_status ladder_pseudonym_key(const char *path, ladder_row_key *out_key, kl_error *err);

// user: the student on the course system, "": not told; title: the name as submitted.
void ladder_pseudonym_of(const ladder_row_key *key, const char *user, const char *title,
                         char out[LADDER_PSEUDONYM]);

// Words by which students of a class are known.
typedef struct ladder_known_names {
    char **words;           // [count], lower case
    size_t count, capacity; // of words; those that there is memory for
} ladder_known_names;

// Adds a name, an id or an address, whole and in its parts.
kl_status ladder_known_names_add(ladder_known_names *names, const char *text, kl_error *err);
void ladder_known_names_free(ladder_known_names *names);

// Replaces, in place, each known word, e-mail address and path by one *.
void ladder_hide_names(const ladder_known_names *names, char *text);

// The same in a message, which may hold lines of source with comments behind them: these, too.
void ladder_hide_in_message(const ladder_known_names *names, char *text);

// Takes comments and the insides of strings out of C source, in place; lines stay where they are.
void ladder_hide_comments(char *source);

// Makes a result and its files fit to be shared under another name.
void ladder_hide_student(const ladder_known_names *names, const char *pseudonym,
                         ladder_result *result, ladder_kept_files *files);

#endif
