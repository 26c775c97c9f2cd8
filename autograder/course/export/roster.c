// SPDX-License-Identifier: MIT
// Which submission is whose: see roster.h.
#include "course/export/roster.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "utilities/text.h"

enum {
    KEY_MAX = 200, // bytes of a key; longer names are compared by their beginning
    LEVELS = 4,    // of certainty, the best first
    PARTS_MAX = 16 // of a title that are looked at
};

kl_status ladder_roster_read(const char *path, ladder_roster *out_roster, kl_error *err) {
    memset(out_roster, 0, sizeof *out_roster);
    TRY(ladder_csv_read(path, &out_roster->csv, err));
    size_t rows = out_roster->csv.row_count;
    out_roster->is_student = calloc(rows + 1, sizeof *out_roster->is_student);
    out_roster->mark_of = calloc(rows + 1, sizeof *out_roster->mark_of);
    if (!out_roster->is_student || !out_roster->mark_of) {
        ladder_roster_free(out_roster);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a roster");
    }
    for (size_t r = 0; r < rows; r++) {
        out_roster->is_student[r] = r > 0;
        out_roster->mark_of[r] = LADDER_ROSTER_NOBODY;
    }
    return KL_OK;
}

void ladder_roster_free(ladder_roster *roster) {
    ladder_csv_free(&roster->csv);
    free(roster->is_student);
    free(roster->mark_of);
    memset(roster, 0, sizeof *roster);
}

// Small letters, digits, and what is not ASCII; the rest is left out. out: [KEY_MAX].
static void squeeze(const char *text, size_t bytes, char *out) {
    size_t used = 0;
    for (size_t i = 0; i < bytes && used + 1 < KEY_MAX; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c >= 0x80 || isalnum(c)) out[used++] = c < 0x80 ? (char)tolower(c) : (char)c;
    }
    out[used] = '\0';
}

static bool same_key(const char *key, const char *text, size_t bytes) {
    char squeezed[KEY_MAX];
    squeeze(text, bytes, squeezed);
    return key[0] != '\0' && strcmp(key, squeezed) == 0;
}

// A name as it stands, and with what is before the comma put behind.
static bool is_name(const char *key, const char *cell) {
    size_t length = strlen(cell), before = strcspn(cell, ",");
    if (same_key(key, cell, length)) return true;
    if (before == length) return false;
    char turned[KEY_MAX + KEY_MAX];
    snprintf(turned, sizeof turned, "%.190s%.*s", cell + before, (int)(before < 190 ? before : 190),
             cell);
    return same_key(key, turned, strlen(turned));
}

// An id as it stands, the part of an address before the at sign, the number of "Participant 17".
static bool is_id(const char *key, const char *cell) {
    size_t length = strlen(cell), local = strcspn(cell, "@");
    const char *word = strrchr(cell, ' ');
    return same_key(key, cell, length) || (local < length && same_key(key, cell, local)) ||
           (word && same_key(key, word, strlen(word)));
}

// A title as keys: whole, and its parts between underscores; and the user that came with it.
typedef struct title_keys {
    char user[KEY_MAX], whole[KEY_MAX], parts[PARTS_MAX][KEY_MAX];
    int count;
} title_keys;

// Bytes of a title's end that are no part of a name: what the kind of a file is called.
static size_t ending_of(const char *title, size_t length) {
    static const char *const ends[] = {".cu", ".tar.gz", ".tgz", ".tar", ".zip", ".rar", ".7z"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t bytes = strlen(ends[i]);
        if (length > bytes && strcasecmp(title + length - bytes, ends[i]) == 0) return bytes;
    }
    return 0;
}

static void split(const ladder_export_line *mark, title_keys *out) {
    const char *title = mark->title;
    size_t length = strlen(title);
    out->user[0] = '\0';
    if (mark->user) squeeze(mark->user, strlen(mark->user), out->user);
    length -= ending_of(title, length);
    squeeze(title, length, out->whole);
    out->count = 0;
    for (size_t at = 0; at < length && out->count < PARTS_MAX;) {
        size_t part = strcspn(title + at, "_");
        if (part > length - at) part = length - at;
        squeeze(title + at, part, out->parts[out->count++]);
        at += part + 1;
    }
}

// How surely a cell names the title's student: 0 best, LEVELS: not at all.
static int level_of(const title_keys *title, ladder_roster_key key, const char *cell) {
    bool by_id = key == LADDER_ROSTER_ID;
    if (cell[0] == '\0') return LEVELS;
    if (by_id && is_id(title->user, cell)) return 0;
    if (by_id ? is_id(title->whole, cell) : is_name(title->whole, cell)) return 1;
    for (int i = 0; by_id && i < title->count; i++)
        if (is_id(title->parts[i], cell)) return 2;
    if (!by_id && title->count > 1 && is_name(title->parts[0], cell)) return 3;
    return LEVELS;
}

// The row that fits best, LADDER_ROSTER_NOBODY where none does; *out_twice: another fits as well.
static size_t find_row(const ladder_roster *roster, const ladder_roster_column *columns,
                       size_t count, const ladder_export_line *mark, bool *out_twice) {
    title_keys keys;
    int best = LEVELS;
    size_t found = LADDER_ROSTER_NOBODY;
    split(mark, &keys);
    *out_twice = false;
    for (size_t r = 0; r < roster->csv.row_count; r++) {
        int level = LEVELS;
        for (size_t c = 0; roster->is_student[r] && c < count; c++) {
            if (columns[c].column < 0) continue;
            const char *cell = ladder_csv_cell(&roster->csv, r, (size_t)columns[c].column);
            int now = level_of(&keys, columns[c].key, cell);
            level = now < level ? now : level;
        }
        if (level == LEVELS || level > best) continue;
        *out_twice = level == best;
        best = level;
        found = r;
    }
    return found;
}

static void note(const ladder_export_table *table, const char *what, const char *name) {
    if (!table->notes) return;
    char plain[LADDER_TITLE];
    fprintf(table->notes, "  %s: %s\n", what, ladder_plain(name, false, plain, sizeof plain));
}

// A title for a student: the first column that says something.
static const char *student(const ladder_roster *roster, const ladder_roster_column *columns,
                           size_t count, size_t row) {
    for (size_t c = 0; c < count; c++) {
        const char *cell = columns[c].column < 0
                               ? ""
                               : ladder_csv_cell(&roster->csv, row, (size_t)columns[c].column);
        if (cell[0] != '\0') return cell;
    }
    return "(a row without a name)";
}

// What find_row says of each submission.
typedef struct finding {
    size_t row;
    bool twice;
} finding;

static void deal(ladder_roster *roster, const finding *findings, size_t *taken,
                 const ladder_export_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        const char *title = table->marks[i].title;
        size_t row = findings[i].row;
        bool lost = row == LADDER_ROSTER_NOBODY || findings[i].twice || taken[row] > 1;
        if (row == LADDER_ROSTER_NOBODY)
            note(table, "no student in the roster for the submission", title);
        else if (findings[i].twice)
            note(table, "more than one student fits the submission", title);
        else if (taken[row] > 1)
            note(table, "other submissions fit the same student as", title);
        else
            roster->mark_of[row] = i;
        roster->lost += lost;
        if (!lost && !ladder_points_are_final(&table->marks[i].points))
            note(table, "could not be graded, the roster's mark stays", title);
    }
}

kl_status ladder_roster_match(ladder_roster *roster, ladder_roster_column *columns, size_t count,
                              const ladder_export_table *table, kl_error *err) {
    size_t *taken = calloc(roster->csv.row_count + 1, sizeof *taken);
    finding *findings = calloc(table->count + 1, sizeof *findings);
    if (!taken || !findings) {
        free(taken);
        free(findings);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a roster");
    }
    for (size_t c = 0; c < count; c++)
        columns[c].column = ladder_csv_column(&roster->csv, columns[c].title);
    for (size_t i = 0; i < table->count; i++) {
        findings[i].row = find_row(roster, columns, count, &table->marks[i], &findings[i].twice);
        if (findings[i].row != LADDER_ROSTER_NOBODY && !findings[i].twice) taken[findings[i].row]++;
    }
    deal(roster, findings, taken, table);
    for (size_t r = 0; r < roster->csv.row_count; r++)
        if (roster->is_student[r] && roster->mark_of[r] == LADDER_ROSTER_NOBODY)
            note(table, "no mark for the student", student(roster, columns, count, r));
    free(taken);
    free(findings);
    return KL_OK;
}
