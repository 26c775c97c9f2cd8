// Reads comma-separated values: see people.h. Must not trust its input.
#include "course/people/people.h"
#include <strings.h>

enum { FILE_MAX = 16 << 20, CELLS_MAX = 4 << 20 };

// Commas, semicolons or tabs: what the first line has most of.
static char find_separator(const char *text) {
    static const char separators[] = ",;\t";
    size_t counts[3] = {0}, best = 0;
    bool quoted = false;
    for (; *text != '\0' && (quoted || (*text != '\n' && *text != '\r')); text++) {
        const char *found = quoted ? NULL : strchr(separators, *text);
        if (*text == '"') quoted = !quoted;
        if (found) counts[found - separators]++;
    }
    for (size_t i = 1; i < 3; i++)
        if (counts[i] > counts[best]) best = i;
    return separators[best];
}

// Passes over Excel's line "sep=;", which is no row; false: there is none.
static bool take_separator(char **at, char *out_separator) {
    if (strncasecmp(*at, "sep=", 4) != 0 || !strchr(",;\t", (*at)[4]) || (*at)[4] == '\0')
        return false;
    char *end = *at + 5;
    if (*end != '\n' && *end != '\r') return false;
    *out_separator = (*at)[4];
    *at = end + (end[0] == '\r' && end[1] == '\n' ? 2 : 1);
    return true;
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
    int line = 1 + take_separator(&at, &csv->separator);
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
        if (is_blank(csv, &row)) csv->cell_count = row.first;
        else if (csv->row_count < most_rows) csv->rows[csv->row_count++] = row;
    }
    return KL_OK;
}

static kl_status parse(const char *text, size_t bytes, ladder_csv *out_csv, kl_error *err) {
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
        cells += breaks || text[i] == ',' || text[i] == ';' || text[i] == '\t';
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

// Whether a text is UTF-16, as of Excel's "Unicode text" and Blackboard's downloads: by its byte
// order mark, or by the zero in each of the first letters.
static bool is_utf16(const unsigned char *text, size_t bytes, bool *out_high_first) {
    if (bytes < 4) return false;
    *out_high_first = (text[0] == 0xFE && text[1] == 0xFF) ||
                      (text[0] == 0 && text[1] != 0 && text[2] == 0 && text[3] != 0);
    return *out_high_first || (text[0] == 0xFF && text[1] == 0xFE) ||
           (text[0] != 0 && text[1] == 0 && text[2] != 0 && text[3] == 0);
}

// UTF-16 as UTF-8, which the caller frees; a half of a pair stands alone: KL_ERROR_INPUT.
static kl_status from_utf16(const unsigned char *text, size_t bytes, bool high_first,
                            char **out_text, size_t *out_bytes, kl_error *err) {
    uint32_t high = 0;
    *out_bytes = 0;
    *out_text = malloc(bytes / 2 * 3 + 1); // a unit is three bytes at most, a pair four
    if (!*out_text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a sheet");
    for (size_t i = 0; i + 1 < bytes; i += 2) {
        uint32_t unit = high_first ? (uint32_t)text[i] << 8 | text[i + 1]
                                   : (uint32_t)text[i + 1] << 8 | text[i];
        bool is_high = (unit & 0xFC00) == 0xD800, is_low = (unit & 0xFC00) == 0xDC00;
        if ((high != 0) != is_low) break;
        if (is_low) unit = 0x10000 + ((high & 0x3FF) << 10) + (unit & 0x3FF);
        high = is_high ? unit : 0;
        if (!is_high) *out_bytes += ladder_utf8_encode(unit, *out_text + *out_bytes);
        if (i + 2 == bytes && high == 0) return KL_OK;
    }
    free(*out_text);
    return kl_fail(err, KL_ERROR_INPUT, "damaged UTF-16 text; save the sheet as CSV UTF-8");
}

kl_status ladder_csv_parse(const char *text, size_t bytes, ladder_csv *out_csv, kl_error *err) {
    bool high_first = false;
    char *copy = NULL;
    memset(out_csv, 0, sizeof *out_csv);
    if (!is_utf16((const unsigned char *)text, bytes, &high_first))
        return parse(text, bytes, out_csv, err);
    TRY(from_utf16((const unsigned char *)text, bytes, high_first, &copy, &bytes, err));
    kl_status status = parse(copy, bytes, out_csv, err);
    free(copy);
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

void ladder_csv_put(FILE *out, const char *text) {
    ladder_number number = ladder_number_read(text, 0);
    bool begins_so = text[0] != '\0' && strchr("+-.,0123456789", text[0]);
    if (number.kind != LADDER_NUMBER_NONE && begins_so) fprintf(out, "\"%s\"", text);
    else ladder_put_csv_lines(out, text);
}

char ladder_csv_decimal(const ladder_csv *csv, size_t first, size_t last) {
    bool point = false, comma = false;
    for (size_t r = 1; r < csv->row_count; r++)
        for (size_t c = first; c <= last; c++) {
            ladder_number number = ladder_number_read(ladder_csv_cell(csv, r, c), 0);
            if (number.kind != LADDER_NUMBER_VALUE) continue;
            point = point || number.decimal == '.';
            comma = comma || number.decimal == ',';
        }
    return point == comma ? 0 : point ? '.' : ',';
}

char *ladder_csv_place(const ladder_csv *csv, size_t row, size_t column, char *out,
                       size_t out_bytes) {
    char letters[8], title[80];
    size_t at = sizeof letters;
    letters[--at] = '\0';
    for (size_t c = column + 1; c > 0 && at > 0; c = (c - 1) / 26)
        letters[--at] = (char)('A' + (c - 1) % 26);
    ladder_plain(ladder_csv_cell(csv, 0, column), false, title, sizeof title);
    snprintf(out, out_bytes, "line %d, column %s (%s)", csv->rows[row].line, letters + at, title);
    return out;
}
