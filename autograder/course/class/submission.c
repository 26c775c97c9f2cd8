// One submission of a class: see internal.h. Its row is written last, so that its presence says
// that the reports are whole.
#include "course/class/internal.h"
#include "grade/run/grade_submission.h"
#include "sandbox/process/machine.h"
#include "utilities/defence.h"
#include <sys/wait.h>

// OWN_FOLDERS: a submission can have any name, also that of a file of the class.
static const char *submissions_folder(void) {
    return ladder_defence_on(LADDER_DEFENCE_OWN_FOLDERS) ? "submissions/" : "";
}

kl_status ladder_class_path(const char *output, const char *id, const char *file, char *out,
                            kl_error *err) {
    return ladder_path(out, err, "%s/%s%s%s%s", output, submissions_folder(), id,
                       file[0] != '\0' ? "/" : "", file);
}

kl_status ladder_class_row_path(const char *output, const char *id, char *out, kl_error *err) {
    return ladder_path(out, err, "%s/class/%s.row", output, id);
}

// Whose steps are shown, and where.
typedef struct watched {
    const ladder_class *class;
    const char *title;
    char *doing;
} watched;

static void show_step(void *context, int step, const char *what) {
    const watched *w = context;
    if (!w->doing) return;
    if (w->class->count == 1) snprintf(w->doing, LADDER_CLASS_DOING, "step %d: %s", step, what);
    else
        snprintf(w->doing, LADDER_CLASS_DOING, "%.60s: step %d, %.*s", w->title, step,
                 (int)strcspn(what, ":,"), what);
}

static kl_status write_text(void *context, FILE *out, kl_error *err) {
    (void)err; // kl_file_put notices what could not be written
    kl_style style = {.width = 80};
    ladder_report_text(context, &style, out);
    return KL_OK;
}

static kl_status write_html(void *context, FILE *out, kl_error *err) {
    (void)err;
    ladder_report_html(context, out);
    return KL_OK;
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    return ladder_report_json(context, out, err);
}

typedef struct export_file {
    ladder_export_format format;
    const ladder_report *report;
} export_file;

static kl_status write_export(void *context, FILE *out, kl_error *err) {
    const export_file *e = context;
    return ladder_export_write(e->format, e->report, out, err);
}

// What has no form for this result is not written: the caller finds it missing.
static kl_status write_exports(const ladder_class *class, const ladder_report *report,
                               kl_error *err) {
    char path[LADDER_PATH];
    for (int i = 0; i < LADDER_EXPORTS; i++) {
        ladder_export_format format = (ladder_export_format)i;
        if ((class->exports >> i & 1) == 0 || !ladder_export_fits(format, report->result)) continue;
        TRY(ladder_class_path(class->output, report->result->id, ladder_export_file(format), path,
                              err));
        TRY(kl_file_put(path, write_export, &(export_file){format, report}, err));
    }
    return KL_OK;
}

// The pages, and the files of other systems.
static kl_status write_files(const ladder_class *class, ladder_report report, kl_error *err) {
    static const struct {
        const char *file;
        kl_file_content *write;
    } files[] = {
        {"report.txt", write_text}, {"report.html", write_html}, {"result.json", write_json}};
    const ladder_result *result = report.result;
    char path[LADDER_PATH], folder[LADDER_PATH];
    ladder_kept_files kept;
    TRY(ladder_class_path(class->output, result->id, LADDER_CLASS_FILES, path, err));
    TRY(ladder_class_path(class->output, result->id, ".", folder, err));
    ladder_kept_files_read(path, class->plan->kit->source, class->plan->lab, folder, &kept);
    report.beside = ladder_kept_files_beside(&kept);
    kl_status status = KL_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == KL_OK; i++) {
        status = ladder_class_path(class->output, result->id, files[i].file, path, err);
        if (status == KL_OK) status = kl_file_put(path, files[i].write, &report, err);
    }
    ladder_kept_files_free(&kept);
    return status == KL_OK ? write_exports(class, &report, err) : status;
}

static kl_status write_row(const ladder_class *class, const ladder_class_mode *mode,
                           const ladder_row *row, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_class_row_path(class->output, row->id, path, err));
    return ladder_row_write(row, &mode->key, path, err);
}

static kl_status write_reports(const ladder_class *class, const ladder_class_mode *mode,
                               const ladder_result *result, ladder_row *out_row, kl_error *err) {
    const ladder_report report = {.lab = class->plan->lab,
                                  .result = result,
                                  .device = class->device,
                                  .sandbox = mode->sandbox.name,
                                  .sandbox_text = mode->sandbox.text};
    TRY(write_files(class, report, err));
    ladder_row_from(result, class->plan->lab, out_row);
    if (class->trace) {
        out_row->trace = *class->trace;
        snprintf(out_row->trace.sandbox, sizeof out_row->trace.sandbox, "%s", report.sandbox);
    }
    out_row->trace.seed = result->seed;
    return write_row(class, mode, out_row, err);
}

// Whether all files that are asked for lie there. One cannot be made from another.
static bool has_exports(const ladder_class *class, const ladder_submission *submission) {
    char path[LADDER_PATH];
    for (int i = 0; i < LADDER_EXPORTS; i++) {
        const char *file = ladder_export_file((ladder_export_format)i);
        if ((class->exports >> i & 1) != 0 &&
            (ladder_class_path(class->output, submission->id, file, path, NULL) != KL_OK ||
             !ladder_file_exists(path)))
            return false;
    }
    return true;
}

// What changes the mark of a submission of the class.
static ladder_points_change change_of(const ladder_class *class,
                                      const ladder_submission *submission) {
    if (!class->changes) return (ladder_points_change){0};
    return class->changes[submission - class->submissions];
}

static void change_result(const ladder_class *class, const ladder_submission *submission,
                          ladder_result *result) {
    ladder_points_change now = change_of(class, submission);
    result->given = (ladder_given){0};
    if (class->given) result->given = class->given[submission - class->submissions];
    ladder_points_apply(&result->points, &now);
}

// Whether a row says what its pages would say if they were written now.
static bool is_current(const ladder_class *class, const ladder_submission *submission,
                       const ladder_row *row) {
    ladder_points_change now = change_of(class, submission);
    const ladder_points_change *was = &row->points.change;
    return was->late_days == now.late_days && was->slip_days == now.slip_days &&
           was->late_share == now.late_share && was->late_points == now.late_points &&
           strcmp(was->late_rule, now.late_rule) == 0 && was->due_s == now.due_s &&
           was->overridden == now.overridden && was->override == now.override &&
           was->given_hash == now.given_hash && strcmp(row->title, submission->title) == 0;
}

// True when the submission was graded before, by this rubric, has a score (to collect: any
// verdict), and its files are the same.
static bool is_finished(const ladder_class *class, const ladder_class_mode *mode,
                        const ladder_submission *submission, ladder_row *out_row) {
    char path[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    if (!mode->resume || ladder_class_row_path(class->output, submission->id, path, &err) != KL_OK)
        return false;
    ladder_row_state state = ladder_row_read(path, &mode->key, out_row);
    bool other = state == LADDER_ROW_GOOD && strcmp(out_row->id, submission->id) != 0 &&
                 ladder_defence_on(LADDER_DEFENCE_ROW_OWNER);
    if (state == LADDER_ROW_FOREIGN || other) {
        fprintf(stderr, "%s: its row was not written by this class's runs; it is graded again\n",
                submission->title);
    }
    bool good = state == LADDER_ROW_GOOD && !other && (mode->collect || out_row->points.graded);
    if (!good || strcmp(out_row->rubric, class->plan->lab->rubric->hash) != 0 ||
        !has_exports(class, submission))
        return false;
    ladder_step_file files[LADDER_STEPS_MAX];
    ladder_result *now = calloc(1, sizeof *now);
    bool same = now && class->plan->lab->rubric->step_count <= LADDER_STEPS_MAX &&
                ladder_submission_read(submission, class->plan->lab, files, now, &err) == KL_OK;
    if (same) {
        same =
            strcmp(now->hash, out_row->hash) == 0 || !ladder_defence_on(LADDER_DEFENCE_ROW_FILES);
        ladder_submission_free(files, class->plan->lab->rubric->step_count);
    }
    free(now);
    return same;
}

// The files of what was graded before, with what changes the mark now: nothing is graded again. The
// result is the row's own, which is signed, or it is not taken.
static kl_status renew_files(const ladder_class *class, const ladder_class_mode *mode,
                             const ladder_submission *submission, ladder_row *row, kl_error *err) {
    char path[LADDER_PATH];
    ladder_graded graded;
    TRY(ladder_class_path(class->output, submission->id, "result.json", path, err));
    TRY(ladder_graded_read(path, &graded, err));
    ladder_result *result = graded.result;
    bool own = strcmp(result->hash, row->hash) == 0 && graded.lab == class->plan->lab &&
               fabs(result->points.reached - row->points.reached) < 1e-6;
    kl_status status =
        own ? KL_OK : kl_fail(err, KL_ERROR_INPUT, "%s is not what was graded", path);
    if (own) {
        result->points = row->points;
        change_result(class, submission, result);
        memcpy(result->title, submission->title, sizeof result->title);
        memcpy(result->members, submission->members, sizeof result->members);
        status = write_files(class, ladder_graded_report(&graded), err);
        row->points = result->points;
        memcpy(row->title, submission->title, sizeof row->title);
    }
    ladder_graded_free(&graded);
    return status == KL_OK ? write_row(class, mode, row, err) : status;
}

// A kept row and its page get what changes the mark now. False: the page cannot be made anew.
static bool renew(const ladder_class *class, const ladder_class_mode *mode,
                  const ladder_submission *submission, ladder_row *row) {
    kl_error err = {KL_OK, ""};
    return is_current(class, submission, row) ||
           renew_files(class, mode, submission, row, &err) == KL_OK;
}

kl_status ladder_class_renew(const ladder_class *class, ladder_row *rows, kl_error *err) {
    ladder_class_mode mode = {.resume = true};
    char path[LADDER_PATH];
    bool made = false;
    TRY(ladder_path(path, err, "%s/class/key", class->output));
    TRY(ladder_row_key_open(path, false, &mode.key, &made, err));
    for (size_t i = 0; i < class->count; i++)
        if (rows[i].done && !is_current(class, &class->submissions[i], &rows[i]))
            TRY(renew_files(class, &mode, &class->submissions[i], &rows[i], err));
    return KL_OK;
}

static kl_status prepare_folder(const ladder_class *class, const ladder_submission *submission,
                                kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_class_row_path(class->output, submission->id, path, err));
    unlink(path);
    for (int i = 0; i < LADDER_EXPORTS; i++) { // an older grade's must not outlive it
        const char *file = ladder_export_file((ladder_export_format)i);
        TRY(ladder_class_path(class->output, submission->id, file, path, err));
        if (!ladder_export_is_table((ladder_export_format)i)) unlink(path);
    }
    TRY(ladder_class_path(class->output, submission->id, LADDER_CLASS_FILES, path, err));
    return ladder_folder_make(path, err);
}

kl_status ladder_class_submission(const ladder_class *class, const ladder_class_mode *mode,
                                  const ladder_submission *submission, ladder_row *out_row,
                                  bool *out_kept, kl_error *err) {
    ladder_row *row = calloc(1, sizeof *row);
    ladder_result *result = calloc(1, sizeof *result);
    kl_status status =
        row && result ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
    *out_kept = status == KL_OK && is_finished(class, mode, submission, row) &&
                renew(class, mode, submission, row);
    if (status == KL_OK && !*out_kept && mode->collect) {
        memset(row, 0, sizeof *row);
    } else if (status == KL_OK && !*out_kept) {
        status = prepare_folder(class, submission, err);
        char keep[LADDER_PATH];
        if (status == KL_OK)
            status =
                ladder_class_path(class->output, submission->id, LADDER_CLASS_FILES, keep, err);
        watched watched = {class, submission->title, mode->doing};
        ladder_submission_run run = {.plan = class->plan,
                                     .submission = submission,
                                     .keep_folder = keep,
                                     .progress = show_step,
                                     .context = &watched,
                                     .result = result};
        if (status == KL_OK) {
            ladder_grade_submission(&run);
            change_result(class, submission, result);
            status = write_reports(class, mode, result, row, err);
        }
    }
    if (status == KL_OK) *out_row = *row;
    free(result);
    free(row);
    return status;
}

void ladder_class_broken(const ladder_class *class, const ladder_class_mode *mode,
                         const ladder_submission *submission, int status, ladder_row *out_row) {
    kl_error err = {KL_OK, ""};
    ladder_result *result = calloc(1, sizeof *result);
    char text[LADDER_MESSAGE];
    if (!result) return;
    bool fit =
        ladder_machine_fit(class->work, &err) == KL_OK && ladder_defence_on(LADDER_DEFENCE_BLAME);
    if (WIFSIGNALED(status))
        snprintf(text, sizeof text,
                 "the grading of this submission was ended twice: %s (signal %d)",
                 strsignal(WTERMSIG(status)), WTERMSIG(status));
    else
        snprintf(text, sizeof text, "the grading of this submission ended twice with status %d",
                 WEXITSTATUS(status));
    ladder_submission_run run = {.plan = class->plan, .submission = submission, .result = result};
    ladder_grade_nothing(&run, fit ? LADDER_BROKEN_RUN : LADDER_UNGRADABLE, text);
    change_result(class, submission, result);
    if (prepare_folder(class, submission, &err) != KL_OK ||
        write_reports(class, mode, result, out_row, &err) != KL_OK)
        fprintf(stderr, "%s: %s\n", submission->title, err.text);
    free(result);
}
