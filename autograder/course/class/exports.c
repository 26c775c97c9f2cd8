// SPDX-License-Identifier: MIT
// Exports of `ladder grade`: see exports.h.
#include "course/class/exports.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "course/class/export_line.h"
#include "course/class/run.h"
#include "utilities/files.h"

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
                   "--roster and --assignment belong to --export canvas or --export moodle");
}

typedef struct table_job {
    ladder_export_format format;
    const ladder_export_table *table;
} table_job;

static kl_status write_table(void *context, FILE *out, kl_error *err) {
    const table_job *job = context;
    return ladder_export_write_table(job->format, job->table, out, err);
}

static kl_status make_marks(const ladder_grade_results *results, ladder_export_line *marks,
                            char **feedback, kl_error *err) {
    for (size_t i = 0; i < results->count; i++) {
        const ladder_row *row = &results->rows[i];
        feedback[i] = ladder_row_feedback(row);
        if (!feedback[i]) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a table");
        marks[i] = ladder_row_export(row, results->submissions[i].user, feedback[i]);
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
    size_t lost = 0;
    ladder_export_line *marks = calloc(results->count, sizeof *marks);
    char **feedback = calloc(results->count, sizeof *feedback);
    kl_status status = marks && feedback ? make_marks(results, marks, feedback, err)
                                         : kl_fail(err, KL_ERROR_MEMORY, "no memory for a table");
    if (status == KL_OK) {
        ladder_export_table table = {.lab = results->lab,
                                     .marks = marks,
                                     .count = results->count,
                                     .roster = exports->roster,
                                     .assignment = exports->assignment,
                                     .notes = out,
                                     .out_lost = &lost};
        status = kl_file_put(path, write_table, &(table_job){format, &table}, err);
    }
    for (size_t i = 0; feedback && i < results->count; i++) free(feedback[i]);
    free(feedback);
    free(marks);
    if (lost > 0) {
        *out_exported = false;
        fprintf(out, "%s: %zu mark%s not entered, see above\n", ladder_export_name(format), lost,
                lost == 1 ? " is" : "s are");
    }
    return status;
}

// Copies what the worker wrote to the file that was named.
static kl_status copy(const char *from, const char *to, kl_error *err) {
    enum { FILE_MAX = 64 << 20 };
    char *text = NULL;
    size_t bytes = 0;
    TRY(ladder_file_read(AT_FDCWD, from, FILE_MAX, &text, &bytes, err));
    kl_status status = ladder_file_write(to, text, bytes, err);
    free(text);
    return status;
}

static kl_status put(const ladder_grade_exports *exports, int index,
                     const ladder_grade_results *results, FILE *out, bool *out_exported,
                     kl_error *err) {
    ladder_export_format format = exports->asked[index].format;
    const char *name = ladder_export_name(format), *file = exports->asked[index].file;
    char path[LADDER_PATH];
    TRY(default_path(results, format, path, err));
    if (ladder_export_is_table(format)) {
        TRY(put_table(exports, format, file ? file : path, results, out, out_exported, err));
    } else if (!results->class && !ladder_file_exists(path)) {
        *out_exported = false;
        fprintf(out, "%s: not written: the submission could not be graded, which is no 0\n", name);
        return KL_OK;
    } else if (file) {
        TRY(copy(path, file, err));
    }
    fprintf(out, "%s: %s\n", name, file ? file : path);
    return KL_OK;
}

kl_status ladder_grade_exports_put(const ladder_grade_exports *exports,
                                   const ladder_grade_results *results, bool *out_exported,
                                   kl_error *err) {
    FILE *out = exports->to_stdout ? stderr : stdout;
    for (int i = 0; i < exports->texts.count; i++)
        TRY(put(exports, i, results, out, out_exported, err));
    return KL_OK;
}
