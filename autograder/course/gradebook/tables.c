// SPDX-License-Identifier: MIT
// Tables of a gradebook: see tables.h.
#include "course/gradebook/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "utilities/text.h"
#include "show/report/report.h"

enum { LABS = 12 }; // beside each other

static int name_width(const ladder_book_mark *marks, size_t count, int room) {
    int width = 10;
    for (size_t i = 0; i < count; i++) {
        int used = kl_text_width(marks[i].row.title);
        width = used > width ? used : width;
    }
    room = room > 10 ? room : 10;
    return width < room ? width : room;
}

static void put_number(FILE *out, int width, bool there, double number) {
    if (there)
        fprintf(out, "%*.2f", width, number);
    else
        fprintf(out, "%*s", width, "-");
}

kl_status ladder_book_show_lab(ladder_book *book, const ladder_lab *lab, const kl_style *style,
                               FILE *out, kl_error *err) {
    ladder_book_mark *marks = NULL;
    ladder_book_policy policy;
    size_t count = 0;
    char text[200];
    TRY(ladder_book_policy_get(book, lab, &policy, err));
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = marks[i].row.points_max > most ? marks[i].row.points_max : most;
    fprintf(out, "%s, %g points\n%s\n\n", lab->folder, most,
            ladder_book_policy_text(&policy, text, sizeof text));
    int width = name_width(marks, count, style->width - 56);
    fprintf(out, "%-*s  attempt   graded  days late    lost  override    final\n", width,
            "student");
    for (size_t i = 0; i < count; i++) {
        const ladder_book_mark *m = &marks[i];
        ladder_mark mark = ladder_row_mark(&m->row);
        ladder_put_title(out, m->row.title, width);
        if (m->attempt > 0)
            snprintf(text, sizeof text, "%d of %d", m->attempt, m->attempts);
        else
            snprintf(text, sizeof text, "none");
        fprintf(out, "  %7s", text);
        put_number(out, 9, mark.graded, mark.points);
        if (mark.late_days > 0)
            fprintf(out, "%11d", mark.late_days);
        else
            fprintf(out, "%11s", "-");
        put_number(out, 8, mark.deduction > 0, mark.deduction);
        put_number(out, 10, mark.overridden, mark.override);
        put_number(out, 9, mark.scored, mark.final_points);
        fputc('\n', out);
    }
    for (size_t i = 0; i < count; i++) {
        char line[640], due[32];
        if (marks[i].row.change.due_s > 0) {
            snprintf(line, sizeof line, "due date of %s, %s, by %s: %s", marks[i].row.title,
                     ladder_time_text(marks[i].row.change.due_s, due), marks[i].due_who,
                     marks[i].due_reason);
            kl_print_wrapped(out, style, 2, line);
        }
        if (!marks[i].row.change.overridden) continue;
        snprintf(line, sizeof line, "override of %s by %s: %s", marks[i].row.title, marks[i].who,
                 marks[i].reason);
        kl_print_wrapped(out, style, 2, line);
    }
    free(marks);
    return KL_OK;
}

kl_status ladder_book_show(ladder_book *book, const kl_style *style, FILE *out, kl_error *err) {
    const ladder_lab **labs = NULL;
    ladder_book_mark *marks[LABS] = {NULL};
    size_t lab_count = 0, count = 0;
    TRY(ladder_book_labs(book, &labs, &lab_count, err));
    size_t shown = lab_count < LABS ? lab_count : LABS;
    kl_status status = KL_OK;
    // Without a grade the students stand alone: of any lab, as none has marks.
    for (size_t l = 0; l < (shown > 0 ? shown : 1) && status == KL_OK; l++)
        status =
            ladder_book_marks(book, shown > 0 ? labs[l] : &ladder_labs[0], &marks[l], &count, err);
    if (status == KL_OK) {
        int width = name_width(marks[0], count, style->width - 24 - 8 * (int)shown);
        fprintf(out, "final scores in percent\n\n%-*s  %-20s", width, "student", "id");
        for (size_t l = 0; l < shown; l++) fprintf(out, "  lab %.2s", labs[l]->folder);
        fputc('\n', out);
        for (size_t i = 0; i < count; i++) {
            ladder_put_title(out, marks[0][i].row.title, width);
            fputs("  ", out);
            ladder_put_title(out, marks[0][i].key, 20);
            for (size_t l = 0; l < shown; l++) {
                ladder_mark mark = ladder_row_mark(&marks[l][i].row);
                if (mark.scored && mark.final_score >= 0)
                    fprintf(out, "  %6.1f", mark.final_score);
                else
                    fputs("       -", out);
            }
            fputc('\n', out);
        }
        fprintf(out, "\n%zu student%s\n", count, count == 1 ? "" : "s");
    }
    for (size_t l = 0; l < LABS; l++) free(marks[l]);
    free(labs);
    return status;
}

static void put_cells(FILE *out, const char *const *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (i > 0) fputc(',', out);
        ladder_put_csv(out, cells[i]);
    }
}

static void put_cell(FILE *out, bool there, double number) {
    fputc(',', out);
    if (there) fprintf(out, "%.4f", number);
}

kl_status ladder_book_csv(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err) {
    static const char *const head[] = {
        "id",     "name",       "login",        "lab",         "attempt",        "attempts",
        "points", "points_max", "own due date", "days late",   "late deduction", "override",
        "reason", "who",        "final points", "final score", "files sha256",   "rubric",
        "kit",    "graded"};
    ladder_book_mark *marks = NULL;
    size_t count = 0;
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    put_cells(out, head, sizeof head / sizeof head[0]);
    fputs("\r\n", out);
    for (size_t i = 0; i < count; i++) {
        const ladder_book_mark *m = &marks[i];
        ladder_mark mark = ladder_row_mark(&m->row);
        put_cells(out, (const char *const[]){m->key, m->name, m->login, lab->folder}, 4);
        fprintf(out, ",%d,%d", m->attempt, m->attempts);
        put_cell(out, mark.graded, mark.points);
        put_cell(out, mark.points_max > 0, mark.points_max);
        char due[32];
        fprintf(out, ",%s,%d", mark.due_s > 0 ? ladder_time_iso(mark.due_s, due) : "",
                mark.late_days);
        put_cell(out, mark.graded, mark.deduction);
        put_cell(out, mark.overridden, mark.override);
        fputc(',', out);
        put_cells(out, (const char *const[]){m->reason, m->who}, 2);
        put_cell(out, mark.scored, mark.final_points);
        put_cell(out, mark.final_score >= 0, mark.final_score);
        fputc(',', out);
        put_cells(out, (const char *const[]){m->row.hash, m->row.rubric, m->kit, m->at}, 4);
        fputs("\r\n", out);
    }
    free(marks);
    return KL_OK;
}

static void write_student(kl_json *json, const ladder_book_mark *m) {
    ladder_mark mark = ladder_row_mark(&m->row);
    kl_json_object(json, NULL);
    kl_json_string(json, "id", m->key);
    kl_json_string(json, "name", m->name);
    kl_json_string(json, "login", m->login);
    kl_json_int(json, "attempt", m->attempt);
    kl_json_int(json, "attempts", m->attempts);
    kl_json_number(json, "points", mark.graded ? mark.points : NAN);
    kl_json_number(json, "points_max", mark.points_max);
    ladder_mark_json(&mark, json);
    kl_json_string(json, "own_due_reason", mark.due_s > 0 ? m->due_reason : NULL);
    kl_json_string(json, "own_due_by", mark.due_s > 0 ? m->due_who : NULL);
    kl_json_string(json, "override_reason", mark.overridden ? m->reason : NULL);
    kl_json_string(json, "override_by", mark.overridden ? m->who : NULL);
    kl_json_string(json, "files_sha256", m->attempt > 0 ? m->row.hash : NULL);
    kl_json_string(json, "rubric_sha256", m->attempt > 0 ? m->row.rubric : NULL);
    kl_json_string(json, "kit", m->attempt > 0 ? m->kit : NULL);
    kl_json_string(json, "graded", m->attempt > 0 ? m->at : NULL);
    kl_json_array(json, "steps");
    for (int s = 0; s < m->row.step_count; s++) {
        kl_json_object(json, NULL);
        kl_json_int(json, "step", m->row.steps[s].step);
        kl_json_string(json, "outcome", ladder_outcome_word(m->row.steps[s].outcome));
        kl_json_number(json, "points", m->row.steps[s].points);
        kl_json_number(json, "points_max", m->row.steps[s].points_max);
        kl_json_end(json);
    }
    kl_json_end(json);
    kl_json_end(json);
}

kl_status ladder_book_json(ladder_book *book, const ladder_lab *lab, FILE *out, kl_error *err) {
    ladder_book_mark *marks = NULL;
    ladder_book_policy policy;
    size_t count = 0;
    char text[200];
    TRY(ladder_book_policy_get(book, lab, &policy, err));
    TRY(ladder_book_marks(book, lab, &marks, &count, err));
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.gradebook/1");
    kl_json_string(&json, "lab", lab->problem->name);
    kl_json_string(&json, "policy", ladder_book_policy_text(&policy, text, sizeof text));
    kl_json_array(&json, "students");
    for (size_t i = 0; i < count; i++) write_student(&json, &marks[i]);
    kl_json_end(&json);
    kl_json_end(&json);
    free(marks);
    return kl_json_finish(&json, err);
}
