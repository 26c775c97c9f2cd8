// SPDX-License-Identifier: MIT
// Rows of a class, its table, CSV file and JSON: see rows.h.
#include "class/rows.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/files.h"
#include "json.h"
#include "kit/text.h"

void ladder_row_from(const ladder_result *result, ladder_row *out_row) {
    memset(out_row, 0, sizeof *out_row);
    snprintf(out_row->id, sizeof out_row->id, "%s", result->id);
    snprintf(out_row->title, sizeof out_row->title, "%s", result->title);
    snprintf(out_row->hash, sizeof out_row->hash, "%s", result->hash);
    out_row->done = true;
    out_row->ungradable = result->ungradable;
    out_row->score = result->score;
    out_row->points = result->points;
    out_row->points_max = result->points_max;
    out_row->step_count = result->step_count;
    for (int i = 0; i < result->step_count; i++) {
        out_row->steps[i].step = result->steps[i].step;
        out_row->steps[i].outcome = result->steps[i].outcome;
        out_row->steps[i].points = result->steps[i].points;
        out_row->steps[i].points_max = result->steps[i].points_max;
    }
}

// ladder.row/1: a header line, the title, then a line a step. Numbers in hexadecimal floating point
// are exact.
static kl_status write_row(void *context, FILE *out, kl_error *err) {
    const ladder_row *row = context;
    (void)err; // kl_file_put notices what could not be written
    fprintf(out, "ladder.row/1 %s %s %d %a %a %a %d\n%s\n", row->id, row->hash, row->ungradable,
            row->score, row->points, row->points_max, row->step_count, row->title);
    for (int i = 0; i < row->step_count; i++) {
        fprintf(out, "%d %d %a %a\n", row->steps[i].step, (int)row->steps[i].outcome,
                row->steps[i].points, row->steps[i].points_max);
    }
    fputs("end\n", out);
    return KL_OK;
}

kl_status ladder_row_write(const ladder_row *row, const char *path, kl_error *err) {
    ladder_row copy = *row;
    return kl_file_put(path, write_row, &copy, err);
}

static bool parse_row(FILE *in, ladder_row *row) {
    int ungradable = 0;
    if (fscanf(in, "ladder.row/1 %95s %64s %d %la %la %la %d", row->id, row->hash, &ungradable,
               &row->score, &row->points, &row->points_max, &row->step_count) != 7 ||
        row->step_count < 0 || row->step_count > LADDER_STEPS_MAX || fgetc(in) != '\n' ||
        fgets(row->title, sizeof row->title, in) == NULL)
        return false;
    row->title[strcspn(row->title, "\n")] = '\0';
    row->ungradable = ungradable != 0;
    for (int i = 0; i < row->step_count; i++) {
        int outcome = 0;
        if (fscanf(in, "%d %d %la %la", &row->steps[i].step, &outcome, &row->steps[i].points,
                   &row->steps[i].points_max) != 4 ||
            outcome < 0 || outcome >= LADDER_OUTCOMES)
            return false;
        row->steps[i].outcome = (ladder_outcome)outcome;
    }
    char last[8];
    return fscanf(in, "%7s", last) == 1 && strcmp(last, "end") == 0;
}

bool ladder_row_read(const char *path, ladder_row *out_row) {
    memset(out_row, 0, sizeof *out_row);
    FILE *in = fopen(path, "re");
    if (in == NULL) return false;
    out_row->done = parse_row(in, out_row);
    fclose(in);
    return out_row->done;
}

// One character a step.
static char mark_of(ladder_outcome outcome, double points, double points_max) {
    switch (ladder_outcome_kind_of(outcome)) {
    case LADDER_KIND_GOOD: return points >= points_max - 1e-9 ? '+' : '~';
    case LADDER_KIND_ABSENT: return '.';
    case LADDER_KIND_BAD: return 'x';
    case LADDER_KIND_UNGRADABLE: return '?';
    }
    return ' ';
}

static int widest_title(const ladder_row *rows, size_t count, int most) {
    int width = 10;
    for (size_t i = 0; i < count; i++) {
        int used = kl_text_width(rows[i].title);
        width = used > width ? used : width;
    }
    return width < most ? width : most;
}

// Prints a title in exactly `width` columns.
static void put_title(FILE *out, const char *title, int width) {
    int used = kl_text_width(title);
    if (used <= width) {
        fprintf(out, "%s%*s", title, width - used, "");
        return;
    }
    int left = width - 2;
    for (const char *s = title; *s != '\0'; s++) {
        bool starts = ((unsigned char)*s & 0xC0) != 0x80;
        if (starts && left-- == 0) break;
        fputc(*s, out);
    }
    fputs("..", out);
}

static void put_worst(FILE *out, const ladder_row *row) {
    for (int i = 0; i < row->step_count; i++) {
        ladder_outcome_kind kind = ladder_outcome_kind_of(row->steps[i].outcome);
        if (kind != LADDER_KIND_BAD && kind != LADDER_KIND_UNGRADABLE) continue;
        fprintf(out, "  step %d: %s", row->steps[i].step,
                ladder_outcome_word(row->steps[i].outcome));
        return;
    }
}

void ladder_class_table(const ladder_row *rows, size_t count, const kl_style *style, FILE *out) {
    int steps = 0;
    for (size_t i = 0; i < count; i++)
        steps = rows[i].step_count > steps ? rows[i].step_count : steps;
    int marks = steps > 5 ? steps : 5;
    int width = widest_title(rows, count, style->width - marks - 42);
    fprintf(out, "%-*s   score  ", width, "submission");
    for (int i = 0; i < steps; i++) {
        int number = i;
        for (size_t r = 0; r < count; r++)
            if (rows[r].step_count > i) number = rows[r].steps[i].step;
        fputc('0' + number % 10, out);
    }
    fprintf(out, "%*s  first failure\n", marks - steps, "");
    for (size_t i = 0; i < count; i++) {
        const ladder_row *row = &rows[i];
        put_title(out, row->title, width);
        if (!row->done) {
            fprintf(out, "    none  %-*s  the grader failed here\n", marks, "?");
            continue;
        }
        if (row->ungradable)
            fputs("    none  ", out);
        else
            fprintf(out, "  %6.1f  ", row->score);
        for (int s = 0; s < row->step_count; s++) {
            fputc(mark_of(row->steps[s].outcome, row->steps[s].points, row->steps[s].points_max),
                  out);
        }
        fprintf(out, "%*s", marks - row->step_count, "");
        put_worst(out, row);
        fputc('\n', out);
    }
    fputs("\n+ all points  ~ some  . not handed in  x failed  ? could not be graded\n", out);
}

void ladder_class_csv(const ladder_row *rows, size_t count, FILE *out) {
    fputs("\"submission\",\"id\",\"status\",\"score\",\"points\",\"points_max\"", out);
    const ladder_row *head = NULL;
    for (size_t i = 0; i < count && head == NULL; i++)
        if (rows[i].done) head = &rows[i];
    for (int s = 0; head != NULL && s < head->step_count; s++)
        fprintf(out, ",\"step %d\",\"step %d points\"", head->steps[s].step, head->steps[s].step);
    fputs("\r\n", out);
    for (size_t i = 0; i < count; i++) {
        const ladder_row *row = &rows[i];
        bool scored = row->done && !row->ungradable;
        ladder_put_csv(out, row->title);
        fputc(',', out);
        ladder_put_csv(out, row->id);
        fprintf(out, ",\"%s\"", scored ? "scored" : "ungradable");
        if (scored)
            fprintf(out, ",%.4f,%.4f,%.4f", row->score, row->points, row->points_max);
        else
            fputs(",,,", out);
        for (int s = 0; head != NULL && s < head->step_count; s++) {
            if (row->done) {
                fprintf(out, ",\"%s\",%.4f", ladder_outcome_word(row->steps[s].outcome),
                        row->steps[s].points);
            } else {
                fputs(",,", out);
            }
        }
        fputs("\r\n", out);
    }
}

kl_status ladder_class_json(const ladder_lab *lab, const ladder_row *rows, size_t count, FILE *out,
                            kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.class/1");
    kl_json_string(&json, "lab", lab->problem->name);
    kl_json_array(&json, "submissions");
    for (size_t i = 0; i < count; i++) {
        const ladder_row *row = &rows[i];
        bool scored = row->done && !row->ungradable;
        kl_json_object(&json, NULL);
        kl_json_string(&json, "id", row->id);
        kl_json_string(&json, "submission", row->title);
        kl_json_string(&json, "files_sha256", row->done ? row->hash : NULL);
        kl_json_string(&json, "status", scored ? "scored" : "ungradable");
        kl_json_number(&json, "score", scored ? row->score : NAN);
        kl_json_array(&json, "steps");
        for (int s = 0; s < row->step_count; s++) {
            kl_json_object(&json, NULL);
            kl_json_int(&json, "step", row->steps[s].step);
            kl_json_string(&json, "outcome", ladder_outcome_word(row->steps[s].outcome));
            kl_json_number(&json, "points", row->steps[s].points);
            kl_json_number(&json, "points_max", row->steps[s].points_max);
            kl_json_end(&json);
        }
        kl_json_end(&json);
        kl_json_end(&json);
    }
    kl_json_end(&json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
