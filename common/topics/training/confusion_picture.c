// The confusion matrix: see training.h. Rows are true classes, so a row adds up to a class's
// images.
#include "drawing.h"
#include "training.h"

enum { CELL_WIDTH = 46, CELL_HEIGHT = 20, LEFT = 118, TOP = 142, RIGHT = 84, BOTTOM = 26 };

static int64_t row_sum(const kl_training *t, int row) {
    int64_t sum = 0;
    for (int c = 0; c < t->classes; c++) sum += t->confusion[row * t->classes + c];
    return sum;
}

// The more, the stronger: right ones in one colour, wrong ones in another. Roots, so that a few
// mistakes can be seen beside a thousand right ones.
static void draw_cell(const kl_training *t, int row, int col, int64_t sum, FILE *out) {
    int64_t count = t->confusion[row * t->classes + col];
    double x = LEFT + col * CELL_WIDTH, y = TOP + row * CELL_HEIGHT;
    double share = sum > 0 ? (double)count / (double)sum : 0;
    kl_paper_rect(out, x, y, CELL_WIDTH - 2, CELL_HEIGHT - 2, "cell");
    fprintf(out, "<g fill-opacity=\"%.3f\">", sqrt(share));
    kl_paper_rect(out, x, y, CELL_WIDTH - 2, CELL_HEIGHT - 2, row == col ? "k0" : "k2");
    fputs("</g>", out);
    if (count > 0)
        kl_paper_text(out, x + CELL_WIDTH / 2.0 - 1, y + CELL_HEIGHT / 2.0 + 3, "v m", "%lld",
                      (long long)count);
}

static void draw_row(const kl_training *t, int shown, int row, FILE *out) {
    int64_t sum = row_sum(t, row), right = t->confusion[row * t->classes + row];
    double y = TOP + row * CELL_HEIGHT + CELL_HEIGHT / 2.0 + 3;
    kl_paper_text(out, LEFT - 8, y, "v e", "%s", t->class_names[row]);
    for (int c = 0; c < shown; c++) draw_cell(t, row, c, sum, out);
    if (sum > 0)
        kl_paper_text(out, LEFT + shown * CELL_WIDTH + 10, y, "v", "%.1f %%",
                      100 * (double)right / (double)sum);
}

// What the matrix shows, for those who cannot see it: how many are right, and the worst confusion.
static void say_matrix(const kl_training *t, int64_t right, int64_t all, char *text, size_t bytes) {
    int from = -1, to = -1;
    for (int r = 0; r < t->classes; r++)
        for (int c = 0; c < t->classes; c++)
            if (r != c && (from < 0 || t->confusion[r * t->classes + c] >
                                           t->confusion[from * t->classes + to])) {
                from = r;
                to = c;
            }
    int at = snprintf(text, bytes,
                      "Confusion matrix, true classes down, predicted classes across: %lld of %lld "
                      "test images right",
                      (long long)right, (long long)all);
    if (from < 0 || at < 0 || (size_t)at >= bytes) return;
    snprintf(text + at, bytes - (size_t)at, "; the most frequent confusion: %s taken for %s, %lld",
             t->class_names[from], t->class_names[to],
             (long long)t->confusion[from * t->classes + to]);
}

kl_status kl_draw_confusion(const kl_training *training, FILE *out, kl_error *err) {
    const kl_training *t = training;
    if (!t->confusion || t->classes < 1)
        return kl_fail(err, KL_ERROR_USAGE, "the run has no confusion matrix");
    int shown = t->classes < KL_CONFUSION_CLASSES ? t->classes : KL_CONFUSION_CLASSES;
    int64_t right = 0, all = 0;
    for (int r = 0; r < t->classes; r++) {
        all += row_sum(t, r);
        right += t->confusion[r * t->classes + r];
    }
    char words[400];
    say_matrix(t, right, all, words, sizeof words);
    kl_paper_begin(out, LEFT + shown * CELL_WIDTH + RIGHT, TOP + shown * CELL_HEIGHT + BOTTOM,
                   words);
    kl_paper_text(out, 18, 22, "t", "%s: what the network takes for what", t->dataset);
    kl_paper_text(out, 18, 40, "v", "%lld of %lld test images right (%.2f %%)", (long long)right,
                  (long long)all, all > 0 ? 100 * (double)right / (double)all : 0);
    kl_paper_text(
        out, 18, 56, "v",
        "rows: the true class; columns: the predicted class; right: share of the row that is "
        "right");
    for (int c = 0; c < shown; c++) {
        double x = LEFT + c * CELL_WIDTH + CELL_WIDTH / 2.0;
        fprintf(out, "<g transform=\"rotate(-40 %.1f %d)\">", x, TOP - 8);
        kl_paper_text(out, x, TOP - 8, "v", "%s", t->class_names[c]);
        fputs("</g>\n", out);
    }
    for (int r = 0; r < shown; r++) draw_row(t, shown, r, out);
    if (shown < t->classes)
        kl_paper_text(out, 18, TOP + shown * CELL_HEIGHT + 16, "v", "the first %d of %d classes",
                      shown, t->classes);
    return kl_picture_end(out, err);
}
