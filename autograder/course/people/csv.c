// SPDX-License-Identifier: MIT
// Reads comma-separated values: see csv.h. Must not trust its input.
#include "course/people/csv.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "utilities/files.h"
#include "utilities/text.h"

enum { FILE_MAX = 16 << 20, CELLS_MAX = 4 << 20 };

// Semicolons or commas: what the first line has more of.
static char find_separator(const char *text) {
    size_t commas = 0, semicolons = 0;
    bool quoted = false;
    for (; *text != '\0' && (quoted || (*text != '\n' && *text != '\r')); text++) {
        if (*text == '"') quoted = !quoted;
        commas += !quoted && *text == ',';
        semicolons += !quoted && *text == ';';
    }
    return semicolons > commas ? ';' : ',';
}

static bool ends_cell(const ladder_csv *csv, char c) {
    return c == '\0' || c == csv->separator || c == '\n' || c == '\r';
}

// Takes the cell at *at, in place, and moves behind it; the mark that ended it goes to *out_end,
// because the cell's terminator takes its place.
static kl_status take_cell(const ladder_csv *csv, char **at, int *line, char **out_cell,
                           char *out_end, kl_error *err) {
    char *from = *at, *to = *at;
    int begun = *line;
    *out_cell = to;
    if (*from == '"') {
        for (from++;; from++) {
            if (*from == '\0')
                return kl_fail(err, KL_ERROR_INPUT, "line %d: a quoted cell does not end", begun);
            if (*from == '"' && *++from != '"') break;
            *line += *from == '\n';
            *to++ = *from;
        }
        if (!ends_cell(csv, *from))
            return kl_fail(err, KL_ERROR_INPUT, "line %d: text after a quoted cell", *line);
    } else {
        while (!ends_cell(csv, *from)) *to++ = *from++;
    }
    *out_end = *from;
    if (*from == '\r' && from[1] == '\n') from++;
    *at = *out_end != '\0' ? from + 1 : from;
    *to = '\0';
    return KL_OK;
}

// Whether a row has nothing but one empty cell: a blank line.
static bool is_blank(const ladder_csv *csv, const ladder_csv_row *row) {
    return row->count == 1 && csv->cells[row->first][0] == '\0';
}

static kl_status take_rows(ladder_csv *csv, char *at, size_t most_rows, kl_error *err) {
    int line = 1;
    while (*at != '\0') {
        ladder_csv_row row = {.first = csv->cell_count, .line = line};
        char end = ',';
        while (end != '\0' && end != '\n' && end != '\r') {
            if (csv->cell_count == CELLS_MAX)
                return kl_fail(err, KL_ERROR_LIMIT, "more than %d cells", CELLS_MAX);
            TRY(take_cell(csv, &at, &line, &csv->cells[csv->cell_count++], &end, err));
            row.count++;
        }
        line++;
        if (is_blank(csv, &row))
            csv->cell_count = row.first;
        else if (csv->row_count < most_rows)
            csv->rows[csv->row_count++] = row;
    }
    return KL_OK;
}

kl_status ladder_csv_parse(const char *text, size_t bytes, ladder_csv *out_csv, kl_error *err) {
    memset(out_csv, 0, sizeof *out_csv);
    if (memchr(text, '\0', bytes))
        return kl_fail(err, KL_ERROR_INPUT, "no UTF-8 text; save the sheet as CSV UTF-8");
    size_t well = ladder_utf8_bytes(text, bytes);
    if (well < bytes) { // a letter taken for another one would rename a student
        int line = 1;
        for (size_t i = 0; i < well; i++) line += text[i] == '\n';
        return kl_fail(
            err, KL_ERROR_INPUT,
            "line %d: a letter that is not UTF-8, as Latin-1 has it; save the sheet as CSV "
            "UTF-8",
            line);
    }
    size_t cells = 1, rows = 1; // at most: one more than there are marks
    for (size_t i = 0; i < bytes; i++) {
        bool breaks = text[i] == '\n' || text[i] == '\r';
        rows += breaks;
        cells += breaks || text[i] == ',' || text[i] == ';';
    }
    out_csv->text = malloc(bytes + 1);
    out_csv->cells = calloc(cells, sizeof *out_csv->cells);
    out_csv->rows = calloc(rows, sizeof *out_csv->rows);
    kl_status status = KL_OK;
    if (!out_csv->text || !out_csv->cells || !out_csv->rows) {
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for a sheet");
    } else {
        memcpy(out_csv->text, text, bytes);
        out_csv->text[bytes] = '\0';
        char *at = out_csv->text;
        if (strncmp(at, "\xEF\xBB\xBF", 3) == 0) at += 3;
        out_csv->separator = find_separator(at);
        status = take_rows(out_csv, at, rows, err);
    }
    if (status != KL_OK) ladder_csv_free(out_csv);
    return status;
}

kl_status ladder_csv_read(const char *path, ladder_csv *out_csv, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, &bytes, err));
    kl_status status = ladder_csv_parse(text, bytes, out_csv, err);
    free(text);
    return status == KL_OK ? KL_OK : kl_fail_prefix(err, "%s", path);
}

void ladder_csv_free(ladder_csv *csv) {
    free(csv->text);
    free(csv->cells);
    free(csv->rows);
    memset(csv, 0, sizeof *csv);
}

const char *ladder_csv_cell(const ladder_csv *csv, size_t row, size_t column) {
    const ladder_csv_row *r = &csv->rows[row];
    return column < r->count ? csv->cells[r->first + column] : "";
}

int ladder_csv_column(const ladder_csv *csv, const char *title) {
    size_t length = strlen(title);
    for (size_t c = 0; csv->row_count > 0 && c < csv->rows[0].count; c++) {
        const char *cell = ladder_csv_cell(csv, 0, c);
        cell += strspn(cell, " \t");
        if (strncasecmp(cell, title, length) == 0 &&
            cell[length + strspn(cell + length, " \t")] == '\0')
            return (int)c;
    }
    return -1;
}

static bool is_number(const char *text) {
    if (*text == '-') text++;
    size_t whole = strspn(text, "0123456789");
    size_t point = text[whole] == '.' || text[whole] == ',';
    size_t part = point ? strspn(text + whole + point, "0123456789") : 0;
    return whole > 0 && text[whole + point + part] == '\0' && (!point || part > 0);
}

void ladder_csv_put(FILE *out, const char *text) {
    if (is_number(text) || strcmp(text, "-") == 0)
        fprintf(out, "\"%s\"", text);
    else
        ladder_put_csv(out, text);
}
