// Line differences: see lesson.h. The table of common subsequence lengths is filled from the end
// (Wagner and Fischer, 1974), after equal lines at both ends have been cut off.
#include "learn/lesson/lesson.h"

enum { LADDER_HUNK_MAX = 1000 }; // lines of a file in a hunk that are looked at

static bool same(const ladder_source *a, int i, const ladder_source *b, int j) {
    return strcmp(a->lines[i].key, b->lines[j].key) == 0;
}

// Adds line i of a, line j of b, or both; -1 stands for none.
static void add(ladder_diff *diff, const ladder_source *a, int i, const ladder_source *b, int j) {
    const ladder_compared_line *left = i >= 0 ? &a->lines[i] : NULL;
    const ladder_compared_line *right = j >= 0 ? &b->lines[j] : NULL;
    const ladder_compared_line *from = right ? right : left;
    ladder_edit edit = !right ? LADDER_REMOVED : !left ? LADDER_ADDED : LADDER_SAME;
    diff->lines[diff->count++] =
        (ladder_diff_line){.edit = edit,
                           .left = left ? left->number : 0,
                           .right = right ? right->number : 0,
                           .text = from->text,
                           .bytes = from->bytes,
                           .before = edit == LADDER_SAME ? left->text : NULL,
                           .before_bytes = edit == LADDER_SAME ? left->bytes : 0};
}

// common[i * (columns + 1) + j]: longest common subsequence of a from i on and b from j on.
static void walk(ladder_diff *diff, const ladder_source *a, const ladder_source *b,
                 const uint16_t *common, int first, int rows, int columns) {
    int i = 0, j = 0;
    while (i < rows || j < columns)
        if (i < rows && j < columns && same(a, first + i, b, first + j))
            add(diff, a, first + i++, b, first + j++);
        else if (j == columns || (i < rows && common[(i + 1) * (columns + 1) + j] >=
                                                  common[i * (columns + 1) + j + 1]))
            add(diff, a, first + i++, b, -1);
        else add(diff, a, -1, b, first + j++);
}

static kl_status compare(const ladder_source *a, const ladder_source *b, ladder_diff *diff,
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
    if (!common || !diff->lines) {
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

// ---- What only looks like a change ----

// The key of the line of `source` that has this number.
static const char *key_of(const ladder_source *source, int number) {
    for (int i = 0; i < source->count; i++)
        if (source->lines[i].number == number) return source->lines[i].key;
    return "";
}

// Keys of some neighbouring lines of one file, in a hunk: a run of changes.
typedef struct run {
    const char *const *keys;
    int count;
} run;

// The characters of a run one by one, with a blank where two words would meet.
typedef struct reader {
    run rest;
    const char *at;
    char last;
} reader;

static char next(reader *r) {
    while (*r->at == '\0') {
        if (r->rest.count == 0) return '\0';
        r->at = *r->rest.keys++;
        r->rest.count--;
        if (ladder_is_word(r->last) && ladder_is_word(*r->at)) return r->last = ' ';
    }
    return r->last = *r->at++;
}

static bool is_same_text(run left, run right) {
    reader x = {left, "", '\0'}, y = {right, "", '\0'};
    for (;;) {
        char c = next(&x);
        if (c != next(&y)) return false;
        if (c == '\0') return true;
    }
}

// How many lines at the front, or at the back, of both runs are the same text, other than in
// layout: the fewest. 0 and 0: none.
static void find_end(run left, run right, bool front, int *out_left, int *out_right) {
    enum { LINES_MAX = 12 }; // of both: a statement that is written in another layout
    *out_left = *out_right = 0;
    for (int lines = 2; lines <= LINES_MAX; lines++) {
        for (int x = 1; x < lines; x++) {
            int y = lines - x;
            if (x > left.count || y > right.count) continue;
            run a = {left.keys + (front ? 0 : left.count - x), x};
            run b = {right.keys + (front ? 0 : right.count - y), y};
            if (!is_same_text(a, b)) continue;
            *out_left = x;
            *out_right = y;
            return;
        }
    }
}

// A hunk: the removed and the added lines between two lines that stay.
typedef struct hunk {
    const char *keys[2][LADDER_HUNK_MAX]; // of the removed, of the added lines
    int count[2], first[2], end[2];       // what is left as a change: [first, end)
} hunk;

static void narrow(hunk *h) {
    for (int front = 1; front >= 0; front--) {
        for (int x = 1, y = 1; x > 0;) {
            run left = {h->keys[0] + h->first[0], h->end[0] - h->first[0]};
            run right = {h->keys[1] + h->first[1], h->end[1] - h->first[1]};
            find_end(left, right, front, &x, &y);
            if (front) {
                h->first[0] += x;
                h->first[1] += y;
            } else {
                h->end[0] -= x;
                h->end[1] -= y;
            }
        }
    }
}

static void read_hunk(const ladder_diff *diff, size_t from, size_t to, const ladder_source *a,
                      const ladder_source *b, hunk *out_hunk) {
    hunk *h = out_hunk;
    *h = (hunk){.count = {0, 0}};
    for (size_t i = from; i < to; i++) {
        const ladder_diff_line *line = &diff->lines[i];
        int side = line->edit == LADDER_ADDED;
        if (h->count[side] == LADDER_HUNK_MAX) break; // the rest stays a change
        h->keys[side][h->count[side]++] = side ? key_of(b, line->right) : key_of(a, line->left);
    }
    memcpy(h->end, h->count, sizeof h->end);
    narrow(h);
}

static bool is_blank_or_comment(const ladder_diff_line *line) {
    int i = 0;
    while (i < line->bytes && isspace((unsigned char)line->text[i])) i++;
    return i == line->bytes ||
           (i + 1 < line->bytes && line->text[i] == '/' && line->text[i + 1] == '/');
}

// Beginnings and ends of hunks that differ in layout alone become lines that stay, as the right
// file has them; so do empty lines and comments.
static kl_status drop_layout(ladder_diff *diff, const ladder_source *a, const ladder_source *b,
                             kl_error *err) {
    size_t kept = 0;
    hunk *h = malloc(sizeof *h);
    if (!h) return kl_fail(err, KL_ERROR_MEMORY, "no memory to compare two files");
    for (size_t i = 0; i < diff->count;) {
        size_t end = i;
        while (end < diff->count && diff->lines[end].edit != LADDER_SAME) end++;
        read_hunk(diff, i, end, a, b, h);
        if (end == i) end++;
        int at[2] = {0, 0};
        for (; i < end; i++) {
            ladder_diff_line line = diff->lines[i];
            int side = line.edit == LADDER_ADDED, k = line.edit != LADDER_SAME ? at[side]++ : 0;
            bool layout = k < h->count[side] && (k < h->first[side] || k >= h->end[side]);
            bool stays = line.edit != LADDER_SAME && (layout || is_blank_or_comment(&line));
            if (stays && line.edit == LADDER_REMOVED) continue;
            if (stays) line.edit = LADDER_SAME;
            diff->removed += line.edit == LADDER_REMOVED;
            diff->added += line.edit == LADDER_ADDED;
            diff->lines[kept++] = line;
        }
    }
    free(h);
    diff->count = kept;
    return KL_OK;
}

kl_status ladder_diff_make(const char *a, const char *b, const char *skip, ladder_diff *out_diff,
                           kl_error *err) {
    ladder_source left = {.count = 0}, right = {.count = 0};
    memset(out_diff, 0, sizeof *out_diff);
    ladder_source_find_renames(a, b, &out_diff->renames);
    kl_status status = ladder_source_read(a, b, skip, &out_diff->renames, &left, err);
    if (status == KL_OK) status = ladder_source_read(b, a, skip, NULL, &right, err);
    if (status == KL_OK) status = compare(&left, &right, out_diff, err);
    if (status == KL_OK) status = drop_layout(out_diff, &left, &right, err);
    ladder_source_free(&left);
    ladder_source_free(&right);
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

enum { HEAD = 7 }; // columns of the number and the mark

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
        fprintf(out, "%s%4d %c ", paint(style, line->edit),
                line->edit == LADDER_REMOVED ? line->left : line->right, mark);
        kl_print_source(out, style, HEAD, line->text, line->bytes);
        fputs(unpaint(style, line->edit), out);
    }
}

// One half of a row of two columns.
typedef struct half {
    const char *text; // NULL: nothing is there
    int bytes, number, at;
    ladder_edit edit;
} half;

static bool has_more(const half *h) { return h->text && (h->at == 0 || h->at < h->bytes); }

// Prints what one half of a row holds from byte h->at of the line on: number and mark (of its first
// row), text, padded to `width` columns unless it is the last. Moves h->at behind the text.
static void put_half(FILE *out, const kl_style *style, int width, bool last, half *h) {
    if (!has_more(h)) {
        fprintf(out, "%*s", last ? 0 : width, "");
        return;
    }
    char mark = h->edit == LADDER_ADDED ? '+' : h->edit == LADDER_REMOVED ? '-' : ' ';
    int available = width - HEAD;
    int indent = h->at > 0 ? kl_source_indent(h->text, h->bytes, available) : 0;
    int bytes = kl_source_row(h->text + h->at, h->bytes - h->at, available - indent),
        columns = indent;
    fputs(paint(style, h->edit), out);
    if (h->at == 0) fprintf(out, "%4d %c ", h->number, mark);
    else fprintf(out, "%*s", HEAD + indent, "");
    for (int i = 0; i < bytes; i++) {
        char c = h->text[h->at + i];
        fputc(c == '\t' ? ' ' : c, out);
        columns += ((unsigned char)c & 0xC0) != 0x80;
    }
    fputs(unpaint(style, h->edit), out);
    if (!last) fprintf(out, "%*s", available - columns, "");
    h->at += bytes > 0 ? bytes : 1;                            // an empty line has had its row
    while (h->at < h->bytes && h->text[h->at] == ' ') h->at++; // the new row stands for the blank
}

// A line beside the one that stands for it; in as many rows as the longer one takes.
static void put_pair(FILE *out, const kl_style *style, half left, half right) {
    int width = (style->width - 3) / 2;
    do {
        bool right_has = has_more(&right);
        put_half(out, style, width, !right_has, &left);
        if (right_has) {
            fputs(" | ", out);
            put_half(out, style, width, true, &right);
        }
        fputc('\n', out);
    } while (has_more(&left) || has_more(&right));
}

static half half_of(const ladder_diff_line *line) {
    if (!line) return (half){.text = NULL};
    bool removed = line->edit == LADDER_REMOVED;
    return (half){line->text, line->bytes, removed ? line->left : line->right, 0, line->edit};
}

// The left file's form of a line that stays.
static half half_before(const ladder_diff_line *line) {
    return (half){line->before, line->before_bytes, line->left, 0, LADDER_SAME};
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
            put_pair(out, style, half_before(&diff->lines[i]), half_of(&diff->lines[i]));
            i++;
            continue;
        }
        size_t removed = i; // a run of removed lines is beside the run of added ones
        while (i < diff->count && diff->lines[i].edit == LADDER_REMOVED) i++;
        size_t added = i;
        while (i < diff->count && diff->lines[i].edit == LADDER_ADDED) i++;
        size_t left_count = added - removed, right_count = i - added;
        for (size_t k = 0; k < left_count || k < right_count; k++) {
            const ladder_diff_line *left = k < left_count ? &diff->lines[removed + k] : NULL;
            const ladder_diff_line *right = k < right_count ? &diff->lines[added + k] : NULL;
            put_pair(out, style, half_of(left), half_of(right));
        }
    }
}
