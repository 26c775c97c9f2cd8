// Text on a terminal: tables, wrapped lines, numbers with units, and the line that says what goes
// on.
#pragma once

#include <stdbool.h>
#include <stdio.h>

// ---- tables, lines, numbers ---------------------------------------------------------------------
// Tables: columns that fit, plain ASCII away from a terminal, box lines and colour on one. Cells
// hold short text that the program itself made; never text from a submission.

enum {
    KL_TABLE_COLUMNS = 16,
    KL_TABLE_ROWS = 64,
    KL_TABLE_CELL = 128 // bytes, terminator included
};

// The edge on which a column's cells and its title stand.
typedef enum kl_align { KL_LEFT, KL_RIGHT } kl_align;
// Meaning of a cell; colour where the terminal has it.
typedef enum kl_tone { KL_PLAIN, KL_GOOD, KL_BAD, KL_DIM } kl_tone;

// What a stream can show, from kl_style_for.
typedef struct kl_style {
    int width;   // terminal columns; 80 away from a terminal unless COLUMNS is set
    bool utf8;   // box lines may be drawn
    bool colour; // escape sequences may be written
    bool uncut;  // lines that cannot be wrapped are written whole: not a terminal, and no COLUMNS
} kl_style;

// A table that holds copies of its cells. A row beyond the last that fits overwrites it.
typedef struct kl_table {
    int columns;                          // columns so far, at most KL_TABLE_COLUMNS
    int rows;                             // rows so far, at most KL_TABLE_ROWS
    const char *titles[KL_TABLE_COLUMNS]; // static strings: they are not copied
    kl_align align[KL_TABLE_COLUMNS];     // of cells and titles
    char cells[KL_TABLE_ROWS][KL_TABLE_COLUMNS][KL_TABLE_CELL]; // text, cut when longer
    kl_tone tones[KL_TABLE_ROWS][KL_TABLE_COLUMNS];             // colours of the cells
} kl_table;

// What `out` can show. Colour is off when NO_COLOR is set (no-color.org) or TERM is "dumb".
kl_style kl_style_for(FILE *out);

// Columns for a line that cannot be wrapped, such as one of source, when `used` of them are taken.
int kl_line_columns(const kl_style *style, int used);

// The terminal's columns a UTF-8 string takes, counting each code point as one.
int kl_text_width(const char *text);

// Of each word that is an absolute path leaves the file's name, in place.
void kl_shorten_paths(char *text);

// A text of several lines, each wrapped by itself; rows after the first begin at column `indent`.
void kl_print_lines(FILE *out, const kl_style *style, int indent, const char *text);

// Begins an empty table without columns.
void kl_table_clear(kl_table *table);
// Adds a column behind the others.
void kl_table_column(kl_table *table, const char *title, kl_align align);
int kl_table_row(kl_table *table); // adds an empty row; returns its index (the last when full)
// Sets the text of a cell, and how it is coloured.
void kl_table_cell(kl_table *table, int row, int column, kl_tone tone, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

// Prints the table. A last column on the left edge that does not fit is wrapped.
void kl_table_print(const kl_table *table, const kl_style *style, FILE *out);
// Width that it takes when nothing is cut.
int kl_table_width(const kl_table *table);

// Prints text wrapped at style->width; lines after the first start with `indent` spaces. A command
// of ./ladder is not broken, however wide it is.
void kl_print_wrapped(FILE *out, const kl_style *style, int indent, const char *text);
void kl_print_text(FILE *out, const kl_style *style, int indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Appends to the text in a buffer of text_bytes, which cuts it. Returns `text`.
char *kl_append(char *text, size_t text_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// A ratio of two values: "1.84x", "0.0082x", "12.3x", "65,536x"; "-" unless finite. Returns `text`.
const char *kl_format_factor(double factor, char *text, size_t text_bytes);
// "358 us", "1.44 ms", "2.10 s"; "-" for NaN. Returns `text`.
const char *kl_format_us(double us, char *text, size_t text_bytes);

// A count with its unit in powers of 1000 or as 2^k: "2^24", "1000003". Returns `text`.
const char *kl_format_size(long long size, char *text, size_t text_bytes);

// 1234567 as "1,234,567". Returns `text`.
char *kl_format_grouped(long long value, char *text, size_t text_bytes);
// "731", "12.3 k", "4.56 M", "7.89 G": at most six columns. Returns `text`.
char *kl_format_count(double value, char *text, size_t text_bytes);
// A rate in any unit with three significant digits at least: "0.00341", "0.500", "12.3", "3145";
// "-" when it is not known. Wherever a rate is printed: no rate but 0 looks like 0. Returns `text`.
char *kl_format_rate(double rate, char *text, size_t text_bytes);

// Bytes of `text` (UTF-8, no newline) that stand on a row of `available` columns: all when they
// fit, else up to the last blank, or after the last comma, in the second half of the row, else as
// many as fit. At least one character. Blanks that follow belong to no row.
int kl_source_row(const char *text, int bytes, int available);

// Columns by which the rows after the first are indented: more than the line itself.
int kl_source_indent(const char *text, int bytes, int available);

// Prints a line of source, `used` columns of whose first row are taken, and a newline. Lines that
// are not for a terminal (style->uncut) stay on one row.
void kl_print_source(FILE *out, const kl_style *style, int used, const char *text, int bytes);

// ---- the line that says what goes on ------------------------------------------------------------
// One line on standard error that says what goes on, and for how long it has, so that nothing is
// silent for more than two seconds: in place on a terminal, else a line of its own, and only of
// what takes that long.

// What goes on from now on; "": nothing, and the line is cleared. A thread of its own repeats it
// with the seconds since then. The text is copied. For one thread; a forked child does not say
// anything.
void kl_ticker_say(const char *text);
