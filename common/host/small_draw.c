// A small failing case on a terminal: see small_case.h. An array is a row with its indices above,
// folded where it does not fit; matrices stand side by side. A wrong element has a `*` behind it.
#include "small_case.h"

enum { LABEL = 10, GAP = 2 };         // columns
static const char left_out[] = " .."; // columns before the last ones

// What stands before a grid.
static const char *label_of(const kl_small_grid *grid) {
    switch (grid->role) {
    case KL_SMALL_EXPECTED: return "expected";
    case KL_SMALL_GOT: return "got";
    default: return grid->name;
    }
}

static bool is_matrix(const kl_small_grid *grid) { return grid->all_rows > 1; }

static bool is_like(const kl_small_grid *a, const kl_small_grid *b) {
    return a->rows == b->rows && a->cols == b->cols && a->first_row == b->first_row &&
           a->first_col == b->first_col && a->all_cols == b->all_cols && a->gap == b->gap;
}

static int digits(int64_t value) {
    char text[32];
    return snprintf(text, sizeof text, "%lld", (long long)value);
}

static int64_t index_of(const kl_small_grid *grid, int c) {
    return grid->gap > 0 && c >= grid->gap ? grid->all_cols - grid->cols + c : grid->first_col + c;
}

static const char *gap_before(const kl_small_grid *grid, int c) {
    return grid->gap > 0 && c == grid->gap ? left_out : "";
}

// Columns of the index and the elements of column c, a mark included.
static int own_width(const kl_small_grid *grid, int c) {
    int width = digits(index_of(grid, c)) + 1;
    for (int r = 0; r < grid->rows; r++) {
        int own = (int)strlen(grid->cells[r * grid->cols + c]) + 1;
        width = own > width ? own : width;
    }
    return width;
}

// The same of all grids like this one.
static int column_width(const kl_small_case *small, const kl_small_grid *like, int c) {
    int width = 0;
    for (int g = 0; g < small->count; g++) {
        int own = is_like(&small->grids[g], like) ? own_width(&small->grids[g], c) : 0;
        width = own > width ? own : width;
    }
    return width;
}

// last: nothing stands behind it on its line.
static void put_element(const kl_small_grid *grid, int k, int width, bool last,
                        const kl_style *style, FILE *out) {
    bool wrong = grid->role == KL_SMALL_GOT && grid->wrong[k];
    fprintf(out, "%s %*s%s%s", wrong && style->colour ? "\033[31m" : "", width - 1, grid->cells[k],
            wrong  ? "*"
            : last ? ""
                   : " ",
            wrong && style->colour ? "\033[0m" : "");
}

static bool begins_group(const kl_small_case *small, int g) {
    for (int i = 0; i < g; i++)
        if (is_like(&small->grids[i], &small->grids[g])) return false;
    return true;
}

// Columns of the names of the arrays with these indices.
static int label_width(const kl_small_case *small, const kl_small_grid *like) {
    int width = LABEL;
    for (int g = 0; g < small->count; g++) {
        int own = (int)strlen(label_of(&small->grids[g])) + 1;
        if (is_like(&small->grids[g], like) && own > width) width = own;
    }
    return width;
}

// One band of arrays with the same indices: columns [from, to).
static void draw_band(const kl_small_case *small, const kl_small_grid *like, int from, int to,
                      const kl_style *style, int indent, FILE *out) {
    int label = label_width(small, like);
    fprintf(out, "%*s%-*s", indent, "", label, "index");
    for (int c = from; c < to; c++)
        fprintf(out, "%s %*lld%s", gap_before(like, c), column_width(small, like, c) - 1,
                (long long)index_of(like, c), c + 1 < to ? " " : "");
    fputc('\n', out);
    for (int g = 0; g < small->count; g++) {
        const kl_small_grid *grid = &small->grids[g];
        if (is_matrix(grid) || !is_like(grid, like)) continue;
        fprintf(out, "%*s%-*s", indent, "", label, label_of(grid));
        for (int c = from; c < to; c++) {
            fputs(gap_before(grid, c), out);
            put_element(grid, c, column_width(small, like, c), c + 1 == to, style, out);
        }
        fputc('\n', out);
    }
}

static void draw_arrays(const kl_small_case *small, const kl_small_grid *like,
                        const kl_style *style, int indent, FILE *out) {
    for (int from = 0; from < like->cols;) {
        int to = from, used = indent + label_width(small, like);
        while (to < like->cols && (to == from || used + (int)strlen(gap_before(like, to)) +
                                                         column_width(small, like, to) + 1 <
                                                     style->width)) {
            used += column_width(small, like, to) + 1 + (int)strlen(gap_before(like, to));
            to++;
        }
        draw_band(small, like, from, to, style, indent, out);
        from = to;
    }
}

// Every column of a matrix has one width.
static int matrix_cell(const kl_small_grid *grid) {
    int width = 2;
    for (int c = 0; c < grid->cols; c++) {
        int own = own_width(grid, c);
        width = own > width ? own : width;
    }
    return width;
}

static int gap_width(const kl_small_grid *grid) {
    return grid->gap > 0 ? (int)strlen(left_out) : 0;
}

// Columns [from, to) of a matrix, as many as a line has available for, round the first wrong one.
typedef struct span {
    int from, to;
} span;

static int first_wrong(const kl_small_case *small, const kl_small_grid *like) {
    for (int g = 0; g < small->count; g++) {
        const kl_small_grid *grid = &small->grids[g];
        if (grid->role != KL_SMALL_GOT || !is_like(grid, like)) continue;
        for (int k = 0; k < grid->rows * grid->cols; k++)
            if (grid->wrong[k]) return k % grid->cols;
    }
    return 0;
}

static span fit_columns(const kl_small_case *small, const kl_small_grid *grid, int available) {
    int most = (available - 4 - gap_width(grid)) / (matrix_cell(grid) + 1);
    if (most >= grid->cols) return (span){0, grid->cols};
    if (most < 1) most = 1;
    int from = first_wrong(small, grid) - most / 2;
    if (from > grid->cols - most) from = grid->cols - most;
    if (from < 0) from = 0;
    return (span){from, from + most};
}

static int matrix_width(const kl_small_grid *grid, span shown) {
    int label = (int)strlen(label_of(grid)) + 12;
    int cells = 4 + (shown.to - shown.from) * (matrix_cell(grid) + 1) + gap_width(grid);
    return (label > cells ? label : cells) + GAP;
}

// A row of a matrix: -2 its name, -1 the indices of its columns. Returns the columns that it took.
static int draw_row(const kl_small_grid *grid, span shown, int r, const kl_style *style,
                    FILE *out) {
    int width = matrix_cell(grid), gap = 0;
    if (r == -2)
        return fprintf(out, "%s, %lld x %lld", label_of(grid), (long long)grid->all_rows,
                       (long long)grid->all_cols);
    if (r == -1) fprintf(out, "    ");
    else fprintf(out, "%3lld:", (long long)grid->first_row + r);
    for (int c = shown.from; c < shown.to; c++) {
        bool last = c + 1 == shown.to;
        gap += (int)strlen(gap_before(grid, c));
        fputs(gap_before(grid, c), out);
        if (r == -1)
            fprintf(out, " %*lld%s", width - 1, (long long)index_of(grid, c), last ? "" : " ");
        else put_element(grid, r * grid->cols + c, width, last, style, out);
    }
    bool marked =
        r >= 0 && grid->role == KL_SMALL_GOT && grid->wrong[r * grid->cols + shown.to - 1];
    return 4 + (shown.to - shown.from) * (width + 1) + gap - !marked;
}

static void draw_matrices(const kl_small_case *small, const kl_style *style, int indent,
                          FILE *out) {
    span shown[KL_SMALL_GRIDS];
    int width[KL_SMALL_GRIDS];
    for (int g = 0; g < small->count; g++) {
        shown[g] = fit_columns(small, &small->grids[g], style->width - indent);
        width[g] = matrix_width(&small->grids[g], shown[g]);
    }
    for (int from = 0; from < small->count;) {
        int to = from, used = indent, rows = 0;
        while (to < small->count && is_matrix(&small->grids[to]) &&
               (to == from || used + width[to] <= style->width)) {
            used += width[to];
            rows = small->grids[to].rows > rows ? small->grids[to].rows : rows;
            to++;
        }
        for (int r = -2; to > from && r < rows; r++) {
            int due = 0, at = 0;
            fprintf(out, "%*s", indent, "");
            for (int g = from; g < to; g++) {
                if (r < small->grids[g].rows) {
                    fprintf(out, "%*s", due - at, "");
                    at = due + draw_row(&small->grids[g], shown[g], r, style, out);
                }
                due += width[g];
            }
            fputc('\n', out);
        }
        from = to > from ? to : from + 1;
    }
}

static bool has_gap(const kl_small_case *small) {
    for (int g = 0; g < small->count; g++)
        for (int k = 0; k < small->grids[g].rows * small->grids[g].cols; k++)
            if (small->grids[g].role == KL_SMALL_GOT && strcmp(small->grids[g].cells[k], "-") == 0)
                return true;
    return false;
}

void kl_small_draw(const kl_small_case *small, const kl_style *style, int indent, FILE *out) {
    if (!small->found) return;
    for (int g = 0; g < small->count; g++)
        if (!is_matrix(&small->grids[g]) && begins_group(small, g))
            draw_arrays(small, &small->grids[g], style, indent, out);
    draw_matrices(small, style, indent, out);
    fprintf(out, "%*s", indent, "");
    char bound[48] = "";
    if (small->verdict.bound > 0)
        snprintf(bound, sizeof bound, " (allowed error %.2g)", small->verdict.bound);
    kl_print_text(out, style, indent, "*: wrong%s%s%s", bound,
                  has_gap(small) ? "; -: a value that nothing has set. " : ". ", small->writer);
}
