// SPDX-License-Identifier: MIT
// Reads a sheet of comma-separated values (RFC 4180): quoted cells with doubled quotes, line breaks
// inside them, CRLF or LF; a byte order mark is skipped, and semicolons or tabs are taken where the
// first line has more of them than commas, or where Excel's line "sep=;" says so. UTF-8, or UTF-16
// as Excel's "Unicode text".
#ifndef LADDER_PEOPLE_CSV_H
#define LADDER_PEOPLE_CSV_H

#include <stddef.h>
#include <stdio.h>

#include "error.h"

// A row of a sheet.
typedef struct ladder_csv_row {
    size_t first, count; // of its cells
    int line;            // in the file, from 1
} ladder_csv_row;

// A sheet that was read.
typedef struct ladder_csv {
    char *text;           // holds the cells
    char **cells;         // [cell_count], terminated, row after row
    size_t cell_count;    // of cells
    ladder_csv_row *rows; // blank lines are left out
    size_t row_count;     // of rows
    char separator;       // ',', ';' or a tab
} ladder_csv;

// Takes a copy of the text. KL_ERROR_INPUT with the line of what is no such sheet; on failure
// nothing is to be freed.
kl_status ladder_csv_parse(const char *text, size_t bytes, ladder_csv *out_csv, kl_error *err);
// The same from a file of at most 16 MiB, whose path stands before the error.
kl_status ladder_csv_read(const char *path, ladder_csv *out_csv, kl_error *err);
void ladder_csv_free(ladder_csv *csv);

// "" beyond the end of the row.
const char *ladder_csv_cell(const ladder_csv *csv, size_t row, size_t column);
// Column of the first row with this title, blanks around it and letter case ignored; -1: none.
int ladder_csv_column(const ladder_csv *csv, const char *title);

// Writes a cell: a number in any notation and a lone "-" as they are, all else as
// ladder_put_csv_lines does, so that no spreadsheet takes it for a formula.
void ladder_csv_put(FILE *out, const char *text);

// The decimal mark, '.' or ',', that numbers in these columns show, the first row left out; 0: none
// shows one, or both are there.
char ladder_csv_decimal(const ladder_csv *csv, size_t first, size_t last);

// "line 3, column F (02_reduction (501))", for errors; returns out.
char *ladder_csv_place(const ladder_csv *csv, size_t row, size_t column, char *out,
                       size_t out_bytes);

#endif
