// A lab's marks as lines that a person edits; a line is a student, a criterion or a comment on a
// line of source:
//   student ann
//   quality 8 good names          "-" in place of points: not marked yet
//   3_sequential.cu:31 not every thread reaches this barrier
// A line that begins with # is for people. All lines are entered, or none.
#include "course/gradebook/internal.h"

// A text on one line.
static void put_text(FILE *out, const char *text) {
    if (text[0] != '\0') fputc(' ', out);
    for (; *text != '\0'; text++) fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    fputc('\n', out);
}

kl_status ladder_book_sheet_write(ladder_book *book, const ladder_lab *lab, FILE *out,
                                  kl_error *err) {
    ladder_book_line *marks = NULL;
    size_t count = 0;
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    fprintf(out, "# %s: marks that a person gives. A line is\n#   student ID\n", lab->folder);
    for (int c = 0; count > 0 && c < marks[0].given.count; c++)
        fprintf(out, "#   %s POINTS comment   (of %g: %s)\n", marks[0].given.items[c].name,
                marks[0].given.items[c].most, marks[0].given.items[c].text);
    fprintf(out, "#   %s:31 comment on this line\n# - for POINTS: not marked yet\n",
            lab->rubric->steps[0].file);
    for (size_t i = 0; i < count; i++) {
        const ladder_given *given = &marks[i].given;
        if (!marks[i].row.done) continue;
        fprintf(out, "\nstudent %s\n# %s\n", marks[i].key, marks[i].row.title);
        for (int c = 0; c < given->count; c++) {
            if (given->items[c].marked)
                fprintf(out, "%s %g", given->items[c].name, given->items[c].points);
            else fprintf(out, "%s -", given->items[c].name);
            put_text(out, given->items[c].comment);
        }
        for (int c = 0; c < given->comment_count; c++) {
            fprintf(out, "%s:%u", given->comments[c].file, given->comments[c].line);
            put_text(out, given->comments[c].text);
        }
    }
    free(marks);
    return KL_OK;
}

// Cuts the first word off; returns what follows it.
static char *cut_word(char *text) {
    char *end = text + strcspn(text, " \t");
    if (*end != '\0') *end++ = '\0';
    return end + strspn(end, " \t");
}

static kl_status read_gift(ladder_book *book, const ladder_lab *lab, const char *student,
                           char *line, bool *out_new, kl_error *err) {
    char got[44], *rest = cut_word(line), *colon = strrchr(line, ':');
    ladder_book_gift gift = {.criterion = line, .points = (double)NAN, .text = rest};
    if (!student) return kl_fail(err, KL_ERROR_INPUT, "expected first: student ID");
    if (colon) {
        enum { LINES_MAX = (1 << 24) - 1 };
        *colon = '\0';
        gift.criterion = NULL;
        gift.file = line;
        uint64_t number = 0;
        gift.line = ladder_parse_uint(colon + 1, LINES_MAX, &number) ? (uint32_t)number : 0;
        return ladder_book_give(book, lab, student, &gift, out_new, err);
    }
    gift.text = cut_word(rest);
    if (strcmp(rest, "-") != 0) {
        ladder_number points = ladder_number_read(rest, 0);
        if (points.kind != LADDER_NUMBER_VALUE || points.percent)
            return kl_fail(err, KL_ERROR_INPUT, "%.40s: expected points or -, not %s%s", line,
                           kl_quoted(rest, got, sizeof got),
                           points.kind == LADDER_NUMBER_EITHER
                               ? ": write it without a thousands separator"
                               : "");
        gift.points = points.value;
    }
    return ladder_book_give(book, lab, student, &gift, out_new, err);
}

static kl_status read_line(ladder_book *book, const ladder_lab *lab, char *line,
                           const char **student, bool *out_new, kl_error *err) {
    size_t length = strlen(line);
    *out_new = false;
    while (length > 0 && isspace((unsigned char)line[length - 1])) line[--length] = '\0';
    line += strspn(line, " \t");
    if (line[0] == '\0' || line[0] == '#') return KL_OK;
    if (strncmp(line, "student", 7) != 0 || !isspace((unsigned char)line[7]))
        return read_gift(book, lab, *student, line, out_new, err);
    ladder_book_student one;
    *student = line + 7 + strspn(line + 7, " \t");
    return ladder_sql_student(book, *student, &one, err);
}

kl_status ladder_book_sheet_read(ladder_book *book, const ladder_lab *lab, const char *path,
                                 size_t *out_new, kl_error *err) {
    enum { SHEET_MAX = 8 << 20 };
    char *text = NULL, *next = NULL;
    const char *student = NULL;
    size_t number = 0;
    kl_error why = {KL_OK, ""};
    kl_status status = KL_OK;
    *out_new = 0;
    TRY(ladder_file_read(AT_FDCWD, path, SHEET_MAX, &text, NULL, err));
    for (char *line = text; line && status == KL_OK; line = next) {
        bool is_new = false;
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        number++;
        status = read_line(book, lab, line, &student, &is_new, &why);
        *out_new += is_new;
    }
    free(text);
    return status == KL_OK ? KL_OK : kl_fail(err, status, "%s:%zu: %.600s", path, number, why.text);
}
