// SPDX-License-Identifier: MIT
// Line differences: see diff.h. The table of common subsequence lengths is filled from the end
// (Wagner and Fischer, 1974), after equal lines at both ends have been cut off.
#include "commands/line_diff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct text_lines {
    const char *start[LADDER_DIFF_MAX_LINES];
    int bytes[LADDER_DIFF_MAX_LINES];
    int number[LADDER_DIFF_MAX_LINES]; // in the file, from 1
    int count;
} text_lines;

static bool is_skipped(const char *line, const char *skip) {
    if (skip == NULL) return false;
    line += strspn(line, " \t");
    return strncmp(line, skip, strlen(skip)) == 0;
}

static kl_status split(const char *text, const char *skip, text_lines *lines, kl_error *err) {
    lines->count = 0;
    for (int number = 1; *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        if (lines->count == LADDER_DIFF_MAX_LINES) {
            return kl_fail(err, KL_ERROR_LIMIT, "a file has more than %d lines",
                           LADDER_DIFF_MAX_LINES);
        }
        if (!is_skipped(text, skip)) {
            lines->start[lines->count] = text;
            lines->bytes[lines->count] = (int)length - (length > 0 && text[length - 1] == '\r');
            lines->number[lines->count++] = number;
        }
        text += length + (text[length] == '\n');
    }
    return KL_OK;
}

static bool same(const text_lines *a, int i, const text_lines *b, int j) {
    return a->bytes[i] == b->bytes[j] && memcmp(a->start[i], b->start[j], (size_t)a->bytes[i]) == 0;
}

// Adds line i of a, line j of b, or both; -1 stands for none.
static void add(ladder_diff *diff, const text_lines *a, int i, const text_lines *b, int j) {
    const text_lines *from = i >= 0 ? a : b;
    int index = i >= 0 ? i : j;
    ladder_edit edit = j < 0 ? LADDER_REMOVED : i < 0 ? LADDER_ADDED : LADDER_SAME;
    diff->lines[diff->count++] = (ladder_diff_line){.edit = edit,
                                                    .left = i >= 0 ? a->number[i] : 0,
                                                    .right = j >= 0 ? b->number[j] : 0,
                                                    .text = from->start[index],
                                                    .bytes = from->bytes[index]};
    diff->removed += edit == LADDER_REMOVED;
    diff->added += edit == LADDER_ADDED;
}

// common[i * (columns + 1) + j]: longest common subsequence of a from i on and b from j on.
static void walk(ladder_diff *diff, const text_lines *a, const text_lines *b,
                 const uint16_t *common, int first, int rows, int columns) {
    int i = 0, j = 0;
    while (i < rows || j < columns)
        if (i < rows && j < columns && same(a, first + i, b, first + j))
            add(diff, a, first + i++, b, first + j++);
        else if (j == columns || (i < rows && common[(i + 1) * (columns + 1) + j] >=
                                                  common[i * (columns + 1) + j + 1]))
            add(diff, a, first + i++, b, -1);
        else
            add(diff, a, -1, b, first + j++);
}

static kl_status compare(const text_lines *a, const text_lines *b, ladder_diff *diff,
                         kl_error *err) {
    int head = 0, tail = 0;
    while (head < a->count && head < b->count && same(a, head, b, head)) head++;
    while (tail < a->count - head && tail < b->count - head &&
           same(a, a->count - 1 - tail, b, b->count - 1 - tail))
        tail++;
    int rows = a->count - head - tail;
    int columns = b->count - head - tail;
    uint16_t *common = calloc((size_t)(rows + 1) * (size_t)(columns + 1), sizeof *common);
    diff->lines = calloc((size_t)(a->count + b->count) + 1, sizeof *diff->lines);
    if (common == NULL || diff->lines == NULL) {
        free(common);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory to compare two files");
    }
    for (int i = rows - 1; i >= 0; i--) {
        for (int j = columns - 1; j >= 0; j--) {
            uint16_t down = common[(i + 1) * (columns + 1) + j];
            uint16_t right = common[i * (columns + 1) + j + 1];
            uint16_t both = (uint16_t)(common[(i + 1) * (columns + 1) + j + 1] + 1);
            common[i * (columns + 1) + j] = same(a, head + i, b, head + j) ? both
                                            : down > right                 ? down
                                                                           : right;
        }
    }
    for (int i = 0; i < head; i++) add(diff, a, i, b, i);
    walk(diff, a, b, common, head, rows, columns);
    for (int i = 0; i < tail; i++) add(diff, a, head + rows + i, b, head + columns + i);
    free(common);
    return KL_OK;
}

kl_status ladder_diff_make(const char *a, const char *b, const char *skip, ladder_diff *out_diff,
                           kl_error *err) {
    memset(out_diff, 0, sizeof *out_diff);
    text_lines *lines = calloc(2, sizeof *lines);
    if (lines == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory to compare two files");
    kl_status status = split(a, skip, &lines[0], err);
    if (status == KL_OK) status = split(b, skip, &lines[1], err);
    if (status == KL_OK) status = compare(&lines[0], &lines[1], out_diff, err);
    free(lines);
    return status;
}

void ladder_diff_free(ladder_diff *diff) {
    free(diff->lines);
    memset(diff, 0, sizeof *diff);
}

// True when line `index` is within `context` lines of a change.
static bool shown(const ladder_diff *diff, size_t index, int context) {
    size_t reach = (size_t)context;
    size_t from = index > reach ? index - reach : 0;
    for (size_t i = from; i < diff->count && i <= index + reach; i++)
        if (diff->lines[i].edit != LADDER_SAME) return true;
    return false;
}

static const char *paint(const kl_style *style, ladder_edit edit) {
    if (!style->colour || edit == LADDER_SAME) return "";
    return edit == LADDER_ADDED ? "\033[32m" : "\033[31m";
}

static const char *unpaint(const kl_style *style, ladder_edit edit) {
    return style->colour && edit != LADDER_SAME ? "\033[0m" : "";
}

void ladder_diff_print(const ladder_diff *diff, int context, const kl_style *style, FILE *out) {
    bool gap = false;
    for (size_t i = 0; i < diff->count; i++) {
        const ladder_diff_line *line = &diff->lines[i];
        if (!shown(diff, i, context)) {
            gap = true;
            continue;
        }
        if (gap) fputs("   ...\n", out);
        gap = false;
        char mark = line->edit == LADDER_ADDED ? '+' : line->edit == LADDER_REMOVED ? '-' : ' ';
        int room = kl_line_room(style, 7);
        int bytes = line->bytes > room ? room : line->bytes;
        fprintf(out, "%s%4d %c %.*s%s\n", paint(style, line->edit),
                line->edit == LADDER_ADDED ? line->right : line->left, mark, bytes, line->text,
                unpaint(style, line->edit));
    }
}

// Bytes of text that fill up to `room` columns from `from` on; a character of several bytes stays
// whole.
static int take_columns(const ladder_diff_line *line, int from, int room) {
    int bytes = 0;
    for (int used = 0; from + bytes < line->bytes; bytes++) {
        bool starts = (line->text[from + bytes] & 0xC0) != 0x80;
        if (starts && used++ == room) break;
    }
    return bytes;
}

// Prints what one half of a row holds from byte *at of the line on: number and mark (of its first
// row), text, padded to `width` columns unless it is the last. Moves *at behind the text.
static void put_half(FILE *out, const kl_style *style, const ladder_diff_line *line, int number,
                     int width, bool last, int *at) {
    bool more = line != NULL && (*at == 0 || *at < line->bytes);
    if (!more) {
        fprintf(out, "%*s", last ? 0 : width, "");
        return;
    }
    char mark = line->edit == LADDER_ADDED ? '+' : line->edit == LADDER_REMOVED ? '-' : ' ';
    char head[16] = "       ", text[512];
    int room = width - (int)strlen(head), bytes = take_columns(line, *at, room);
    if (*at == 0) snprintf(head, sizeof head, "%4d %c ", number, mark);
    snprintf(text, sizeof text, "%.*s", bytes, line->text + *at);
    for (char *c = text; *c != '\0'; c++) *c = *c == '\t' ? ' ' : *c;
    fprintf(out, "%s%s%s%s", paint(style, line->edit), head, text, unpaint(style, line->edit));
    if (!last) fprintf(out, "%*s", room - kl_text_width(text), "");
    *at += bytes > 0 ? bytes : 1; // an empty line has had its row
}

// A line beside the one that stands for it, NULL: none; in as many rows as the longer one takes.
static void put_pair(FILE *out, const kl_style *style, const ladder_diff_line *left,
                     const ladder_diff_line *right) {
    int width = (style->width - 3) / 2, left_at = 0, right_at = 0;
    do {
        bool right_has = right != NULL && (right_at == 0 || right_at < right->bytes);
        put_half(out, style, left, left != NULL ? left->left : 0, width, !right_has, &left_at);
        if (right_has) {
            fputs(" | ", out);
            put_half(out, style, right, right->right, width, true, &right_at);
        }
        fputc('\n', out);
    } while ((left != NULL && left_at < left->bytes) || (right != NULL && right_at < right->bytes));
}

void ladder_diff_print_columns(const ladder_diff *diff, int context, const kl_style *style,
                               FILE *out) {
    bool gap = false;
    for (size_t i = 0; i < diff->count;) {
        if (!shown(diff, i, context)) {
            gap = true;
            i++;
            continue;
        }
        if (gap) fprintf(out, "   ...\n");
        gap = false;
        if (diff->lines[i].edit == LADDER_SAME) {
            put_pair(out, style, &diff->lines[i], &diff->lines[i]);
            i++;
            continue;
        }
        size_t removed = i; // a run of removed lines stands beside the run of added ones
        while (i < diff->count && diff->lines[i].edit == LADDER_REMOVED) i++;
        size_t added = i;
        while (i < diff->count && diff->lines[i].edit == LADDER_ADDED) i++;
        size_t left_count = added - removed, right_count = i - added;
        for (size_t k = 0; k < left_count || k < right_count; k++) {
            const ladder_diff_line *left = k < left_count ? &diff->lines[removed + k] : NULL;
            const ladder_diff_line *right = k < right_count ? &diff->lines[added + k] : NULL;
            put_pair(out, style, left, right);
        }
    }
}
