// SPDX-License-Identifier: MIT
// Text that goes to people and files: escaping for each sink, suggestions for misspelt words, short
// numbers. Everything that a submission may have influenced (names, compiler output, messages)
// passes through here.
#ifndef LADDER_KIT_TEXT_H
#define LADDER_KIT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Copies UTF-8 text for a terminal or a plain file: control characters (escape sequences among
// them), bidirectional controls and malformed bytes become '?'. Newlines and tabs stay when
// `keep_lines`. Cuts at a whole character when out_bytes is too small. Returns `out`.
char *ladder_plain(const char *text, bool keep_lines, char *out, size_t out_bytes);

// The character that a text begins with: its bytes; 0: they are not well-formed UTF-8.
size_t ladder_utf8_decode(const char *text, uint32_t *out_point);
// Writes a character, not terminated; returns its bytes. out: [4].
size_t ladder_utf8_encode(uint32_t point, char *out);

// Bytes of well-formed UTF-8 that a text begins with: `bytes` where all of it is.
size_t ladder_utf8_bytes(const char *text, size_t bytes);

// Bytes of the blank that a text begins with: a blank, a tab, a line end, U+00A0, or one of U+2000
// to U+200B and U+202F, as no-break, figure and thin blanks are; 0: none.
size_t ladder_blank_bytes(const char *text);

// Writes text for the inside of an HTML element or a quoted attribute; cleans it as ladder_plain
// does.
void ladder_put_html(FILE *out, const char *text);

// Writes one CSV cell (RFC 4180), always quoted. A cell that a spreadsheet would take for a formula
// (it starts with = + - @, a tab or a carriage return) gets an apostrophe in front.
void ladder_put_csv(FILE *out, const char *text);
// The same with the line breaks and tabs that the text has: of a cell of a sheet that goes back.
void ladder_put_csv_lines(FILE *out, const char *text);

// Takes every occurrence of `part` out of a text, in place.
void ladder_remove_text(char *text, const char *part);

// A letter, a digit or an underscore: part of a word of C.
bool ladder_is_word(char c);

// The first line of a compiler's output that reports an error; "" when there is none.
void ladder_first_error(const char *log, char *out, size_t out_bytes);

// The last line of it that is not blank; "" when there is none.
void ladder_last_line(const char *log, char *out, size_t out_bytes);

// Number of single-character edits (insert, delete, replace, swap neighbours) between two words,
// letter case ignored (optimal string alignment distance).
size_t ladder_edit_distance(const char *a, const char *b);

// The choice that `word` was probably meant to be, or NULL when none is near.
const char *ladder_suggest(const char *word, const char *const *choices, size_t count);

// Reads "1000003", "2^24", "16M" or "16k" (powers of 1000); false when it is none of these or above
// 2^62.
bool ladder_parse_size(const char *text, int64_t *out_size);

// Reads a whole non-negative decimal integer up to `limit`; false otherwise.
bool ladder_parse_uint(const char *text, uint64_t limit, uint64_t *out_value);

// How many steps the numbers at the beginning of `text` name, when `step` is among them; else 0:
// "1 to 3)", "2, 4 and 5: ..", "7-9".
int ladder_steps_named(const char *text, int step);

// Seconds since 1970 for people, "2026-11-20 23:59 UTC", and for programs, "2026-11-20T23:59:00Z".
// out: [32]; return it.
char *ladder_time_text(double seconds, char *out);
char *ladder_time_iso(double seconds, char *out);

#endif
