// Text that goes to people and files: escaping for each sink, suggestions for misspelt words, short
// numbers. Everything that a submission may have influenced (names, compiler output, messages)
// passes through here.
#pragma once

#include "error.h"

// ---- text.c -------------------------------------------------------------------------------------

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

// Writes a piece of a page: fprintf, but that what stands for a %s (or %.*s) is written as by
// ladder_put_html, so that no text of a submission can be markup. Other conversions: those of
// integers (d, u, x, c) of any length, e, f and g.
void ladder_html(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The same of the format up to `end`, with its arguments.
void ladder_html_list(FILE *out, const char *format, const char *end, va_list *args);

// A table on a page, which scrolls where it is too wide; label: for those who cannot see it.
// titles, by '|': one that begins with # is of numbers, one with $ of points.
void ladder_html_table(FILE *out, const char *label, const char *titles);
void ladder_html_table_end(FILE *out);
// A row: cells by '|' as ladder_html writes them, with these marks; '!': the row's heading, '~':
// one whose long words break. A cell with a number that is none is empty. Behind a last '|' the
// cell is the caller's, up to ladder_html_row_end.
void ladder_html_row(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ladder_html_row_end(FILE *out);

// Writes one CSV cell (RFC 4180), always quoted. A cell that a spreadsheet would take for a formula
// (it starts with = + - @, a tab or a carriage return) gets an apostrophe in front.
void ladder_put_csv(FILE *out, const char *text);
// Writes cells of CSV: "%s,%d,%.4f\r\n". Conversions are those of ladder_html, but that a text is
// written as by ladder_put_csv, and a NULL, or a number that is none, is an empty cell.
void ladder_cells(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
// As ladder_put_csv, with the line breaks and tabs that the text has: of a cell of a sheet that
// goes back.
void ladder_put_csv_lines(FILE *out, const char *text);

// Takes every occurrence of `part` out of a text, in place.
void ladder_remove_text(char *text, const char *part);

// A letter, a digit or an underscore: part of a word of C.
bool ladder_is_word(char c);

// Takes comments and the insides of strings out of C source, in place; lines stay where they are.
void ladder_hide_comments(char *source);

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

// ---- number.c -----------------------------------------------------------------------------------
// The one reader of numbers that people and course systems write: "1,000.00", "40,82", "1 000",
// "1'000", "98 %". A text is taken whole: one that only begins like a number is none.

// What a text is.
typedef enum ladder_number_kind {
    LADDER_NUMBER_NONE,  // no number: letters, a fraction, a date
    LADDER_NUMBER_BLANK, // nothing, or a dash alone: no number yet
    LADDER_NUMBER_VALUE,
    LADDER_NUMBER_EITHER // "1,000": 1000 or 1, as the sheet's decimal mark is
} ladder_number_kind;

// A number that was read.
typedef struct ladder_number {
    ladder_number_kind kind; // what it was written as
    bool percent;            // "98 %": value 98
    double value;            // of LADDER_NUMBER_EITHER: with the mark as the decimal mark
    double grouped;          // of LADDER_NUMBER_EITHER: with the mark as a thousands separator
    char decimal; // '.' or ',': the text alone shows that this is its decimal mark; 0: it does not
    int digits;   // behind the decimal mark
    bool plain;   // no more than a sign, digits, a decimal mark and "%"
} ladder_number;

// Reads a text. decimal: '.' or ',', the decimal mark of where it stands, which decides what the
// text alone does not; 0: not known. Thousands are parted by a comma, a point, a blank (also a
// no-break or narrow one) or an apostrophe; "12,34,567" of India is known; blanks around, a sign
// (also U+2212) and an exponent are.
ladder_number ladder_number_read(const char *text, char decimal);

// Reads an argument or a word of a file of one's own, which nothing else explains: KL_OK for a
// number without doubt and without "%". `status` where it is none; the error says what it is.
kl_status ladder_number_take(const char *text, kl_status status, double *out_value, kl_error *err);

// Why it is not taken: "'1,000' is 1000 or 1", "'A-' is no number". Returns out.
char *ladder_number_fault(const ladder_number *number, const char *text, char *out,
                          size_t out_bytes);

// Writes a value with this many digits behind the mark; returns out.
char *ladder_number_text(double value, int digits, char decimal, char *out, size_t out_bytes);

// ---- sha256.c -----------------------------------------------------------------------------------
// SHA-256 (FIPS 180-4): names a submission's content in results, so that a grade can be traced to
// it. With a key (HMAC) it shows that nobody else has written a row of results.

// A hash in the making.
typedef struct ladder_sha256 {
    uint32_t state[8];       // the eight words H of the standard
    uint64_t bytes;          // fed so far
    unsigned char block[64]; // the last 512 bits, not yet full
} ladder_sha256;

enum { LADDER_SHA256_TEXT = 65 }; // 64 hexadecimal digits and the terminator

// Begin, add data piece by piece, and take the digest as text.
void ladder_sha256_begin(ladder_sha256 *hash);
void ladder_sha256_add(ladder_sha256 *hash, const void *data, size_t bytes);
void ladder_sha256_end(ladder_sha256 *hash, char out_text[LADDER_SHA256_TEXT]);

// HMAC-SHA-256 (RFC 2104): nobody makes it without the key. key: [key_bytes], at most 64.
void ladder_hmac(const void *key, size_t key_bytes, const void *data, size_t bytes,
                 char out_text[LADDER_SHA256_TEXT]);

// ---- elf_file.c ---------------------------------------------------------------------------------
// Kernel names as their authors wrote them.

// "void interleaved<0>(float const*, long, float*)" from the mangled name; other names stay.
// Returns `text`.
char *ladder_demangle(const char *name, char *text, size_t text_bytes);

// Copies a text with every mangled name in it replaced by the function's plain name without
// parameters.
void ladder_demangle_all(const char *text, char *out, size_t out_bytes);
