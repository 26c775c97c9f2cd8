// Exports of `ladder grade`: see class.h.
#include "course/class/internal.h"

kl_status ladder_grade_exports_read(ladder_grade_exports *exports, bool class, kl_error *err) {
    bool table = false;
    for (int i = 0; i < exports->texts.count; i++) {
        ladder_export_format format = LADDER_EXPORTS;
        const char *file = NULL;
        TRY(ladder_export_parse(exports->texts.items[i], &format, &file, err));
        if (ladder_export_is_table(format) && !class) {
            return kl_fail(err, KL_ERROR_USAGE,
                           "--export %s is a table of a class: it needs "
                           "--submissions",
                           ladder_export_name(format));
        }
        if (!ladder_export_is_table(format) && class && file) {
            return kl_fail(err, KL_ERROR_USAGE,
                           "--export %s is a file for each submission: with --submissions it takes "
                           "no =FILE",
                           ladder_export_name(format));
        }
        exports->asked[i].format = format;
        exports->asked[i].file = file;
        exports->to_stdout = exports->to_stdout || kl_file_is_stdout(file);
        table = table || ladder_export_is_table(format);
        if (!ladder_export_is_table(format)) exports->formats |= 1u << format;
    }
    if (table || (!exports->roster && !exports->assignment)) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE,
                   "--roster and --assignment belong to an --export of a table: %s",
                   ladder_export_tables());
}

typedef struct table_job {
    ladder_export_format format;
    const ladder_export_table *table;
} table_job;

static kl_status write_table(void *context, FILE *out, kl_error *err) {
    const table_job *job = context;
    return ladder_export_write_table(job->format, job->table, out, err);
}

// The lines of a table: one per student, of what several handed in one each.
typedef struct table_lines {
    ladder_export_line *marks; // [count]
    ladder_person *who;        // [count], of the same lines
    char **feedback;           // [results->count]
    size_t count, capacity;
} table_lines;

static void free_lines(table_lines *t, size_t rows) {
    for (size_t i = 0; t->feedback && i < rows; i++) free(t->feedback[i]);
    free(t->feedback);
    free(t->marks);
    free(t->who);
}

static kl_status grow_lines(table_lines *t, kl_error *err) {
    size_t wanted = t->count + LADDER_MEMBERS_MAX;
    if (wanted <= t->capacity) return KL_OK;
    size_t capacity = 2 * wanted;
    ladder_export_line *marks = realloc(t->marks, capacity * sizeof *marks);
    t->marks = marks ? marks : t->marks;
    ladder_person *who = realloc(t->who, capacity * sizeof *who);
    t->who = who ? who : t->who;
    if (!marks || !who) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a table");
    t->capacity = capacity;
    return KL_OK;
}

static kl_status make_lines(const ladder_grade_results *results, table_lines *t, kl_error *err) {
    t->feedback = calloc(results->count + 1, sizeof *t->feedback);
    if (!t->feedback) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a table");
    for (size_t i = 0; i < results->count; i++) {
        const ladder_submission *s = &results->submissions[i];
        t->feedback[i] = ladder_row_feedback(&results->rows[i], results->lab->rubric);
        if (!t->feedback[i]) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a table");
        TRY(grow_lines(t, err));
        size_t first = t->count;
        if (!s->is_test) t->count += (size_t)ladder_people_of(s, &t->who[first]);
        for (size_t k = first; k < t->count; k++)
            t->marks[k] = ladder_row_export(&results->rows[i], NULL, t->feedback[i]);
    }
    for (size_t k = 0; k < t->count; k++) { // where they lie now
        t->marks[k].who = &t->who[k];
        if (t->who[k].words[0] == '\0') t->marks[k].title = t->who[k].name; // of a member
    }
    return KL_OK;
}

// Where a format goes that is asked for without a file.
static kl_status default_path(const ladder_grade_results *results, ladder_export_format format,
                              char *path, kl_error *err) {
    const char *file = ladder_export_file(format);
    if (ladder_export_is_table(format))
        return ladder_path(path, err, "%s/%s", results->output, file);
    return ladder_class_path(results->output, results->class ? "NAME" : results->rows[0].id, file,
                             path, err);
}

static kl_status put_table(const ladder_grade_exports *exports, ladder_export_format format,
                           const char *path, const ladder_grade_results *results, FILE *out,
                           bool *out_exported, kl_error *err) {
    size_t lost = 0, matched = 0, odd = 0;
    table_lines lines = {.count = 0};
    kl_status status = make_lines(results, &lines, err);
    if (status == KL_OK) {
        ladder_export_table table = {.lab = results->lab,
                                     .marks = lines.marks,
                                     .count = lines.count,
                                     .roster = exports->roster,
                                     .assignment = exports->assignment,
                                     .notes = out,
                                     .out_lost = &lost,
                                     .out_matched = &matched,
                                     .out_odd = &odd};
        status = kl_file_put(path, write_table, &(table_job){format, &table}, err);
    }
    free_lines(&lines, results->count);
    if (lost > 0) {
        *out_exported = false;
        fprintf(out, "%s: %zu mark%s not entered, see above\n", ladder_export_name(format), lost,
                lost == 1 ? " is" : "s are");
    }
    if (odd > 0) {
        *out_exported = false;
        fprintf(out, "%s: %zu mark%s a look before the import, see above\n",
                ladder_export_name(format), odd, odd == 1 ? " needs" : "s need");
    }
    if (status == KL_OK) {
        fprintf(out, "%s: %s\n", ladder_export_name(format), path);
        if (exports->roster) ladder_people_tell(&(ladder_people_counts){lines.count, matched}, out);
    }
    return status;
}

// A file of each submission: says where it lies, and copies that of the only one to the file that
// was named.
static kl_status put_file(ladder_export_format format, const char *file,
                          const ladder_grade_results *results, FILE *out, bool *out_exported,
                          kl_error *err) {
    enum { FILE_MAX = 64 << 20 };
    const char *name = ladder_export_name(format);
    char path[LADDER_PATH];
    TRY(default_path(results, format, path, err));
    if (!results->class && !ladder_file_exists(path)) {
        *out_exported = false;
        fprintf(out, "%s: not written: the submission could not be graded, which is no 0\n", name);
        return KL_OK;
    }
    if (file) TRY(ladder_file_copy(path, file, FILE_MAX, err));
    fprintf(out, "%s: %s\n", name, file ? file : path);
    return KL_OK;
}

kl_status ladder_grade_exports_tables(const ladder_grade_exports *exports,
                                      const ladder_grade_results *results, bool *out_exported,
                                      kl_error *err) {
    FILE *out = exports->to_stdout ? stderr : stdout;
    for (int i = 0; i < exports->texts.count; i++) {
        ladder_export_format format = exports->asked[i].format;
        const char *file = exports->asked[i].file;
        char path[LADDER_PATH];
        if (!ladder_export_is_table(format)) continue;
        TRY(default_path(results, format, path, err));
        TRY(put_table(exports, format, file ? file : path, results, out, out_exported, err));
    }
    return KL_OK;
}

kl_status ladder_grade_exports_put(const ladder_grade_exports *exports,
                                   const ladder_grade_results *results, bool *out_exported,
                                   kl_error *err) {
    FILE *out = exports->to_stdout ? stderr : stdout;
    for (int i = 0; i < exports->texts.count; i++)
        if (!ladder_export_is_table(exports->asked[i].format))
            TRY(put_file(exports->asked[i].format, exports->asked[i].file, results, out,
                         out_exported, err));
    return KL_OK;
}

// ---- rows as marks of other systems -------------------------------------------------------------

static bool hides(const ladder_rubric *rubric, int number) {
    const ladder_rubric_step *step = ladder_rubric_find(rubric, number);
    for (int c = 0; step && c < step->criteria_count; c++)
        if (step->criteria[c].hidden) return true;
    return false;
}

char *ladder_row_feedback(const ladder_row *row, const ladder_rubric *rubric) {
    char *text = NULL, points[32], most[32], changed[LADDER_POINTS_TEXT];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return NULL;
    for (int s = 0; s < row->step_count; s++) {
        ladder_outcome outcome = row->steps[s].outcome;
        const char *after = s > 0 ? "; " : "", *word = ladder_outcome_word(outcome);
        if (hides(rubric, row->steps[s].step)) {
            fprintf(out, "%sstep %d: %s", after, row->steps[s].step, word);
            continue;
        }
        fprintf(out, "%sstep %d: %s of %s", after, row->steps[s].step,
                ladder_report_points(row->steps[s].points, points, sizeof points),
                ladder_report_points(row->steps[s].points_max, most, sizeof most));
        if (outcome != LADDER_CORRECT) fprintf(out, " (%s)", word);
    }
    if (row->points.change.given_most > row->points.change.unmarked)
        fprintf(out, "%sgiven by a person: %s of %s", row->step_count > 0 ? "; " : "",
                ladder_report_points(row->points.change.given, points, sizeof points),
                ladder_report_points(row->points.change.given_most, most, sizeof most));
    if (ladder_points_text(&row->points, changed, sizeof changed)[0] != '\0')
        fprintf(out, "%s%s", row->step_count > 0 ? "; " : "", changed);
    if (row->points.change.late_rule[0] != '\0')
        fprintf(out, "%slate policy: %s", ftell(out) > 0 ? "; " : "", row->points.change.late_rule);
    if (fclose(out) == 0) return text;
    free(text);
    return NULL;
}

ladder_export_line ladder_row_export(const ladder_row *row, const ladder_person *who,
                                     const char *feedback) {
    return (ladder_export_line){row->title, who, row->points, feedback};
}
