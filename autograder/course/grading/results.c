// What `ladder grade` tells and writes when everything is graded: see internal.h.
#include "course/grading/internal.h"

static kl_status write_csv(void *context, FILE *out, kl_error *err) {
    const ladder_grading *g = context;
    (void)err; // kl_file_put notices what could not be written
    ladder_class_csv(g->rows, g->class.count, out);
    return KL_OK;
}

static kl_status write_handed_in(void *context, FILE *out, kl_error *err) {
    const ladder_grading *g = context;
    (void)err;
    ladder_class_handed_in(g->list, g->rows, g->changes, g->class.count, out);
    return KL_OK;
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const ladder_grading *g = context;
    return ladder_class_json(g->request->lab, g->rows, g->class.count, out, err);
}

// Reads a file of the only submission's results; caller frees.
static kl_status read_result(const ladder_grading *g, const char *file, char **out_text,
                             size_t *out_bytes, kl_error *err) {
    enum { RESULT_MAX = 64 << 20 };
    char path[LADDER_PATH];
    TRY(ladder_class_path(g->output, g->list[0].id, file, path, err));
    return ladder_file_read(AT_FDCWD, path, RESULT_MAX, out_text, out_bytes, err);
}

// Copies the text report of the only submission to standard output.
static kl_status show_report(const ladder_grading *g, kl_error *err) {
    char path[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    TRY(read_result(g, "report.txt", &text, &bytes, err));
    fwrite(text, 1, bytes, stdout);
    free(text);
    TRY(ladder_class_path(g->output, g->list[0].id, "report.html", path, err));
    printf("page: %s\n", path);
    return KL_OK;
}

// Copies one submission's JSON, which says more than the class's.
static kl_status copy_json(const ladder_grading *g, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    TRY(read_result(g, "result.json", &text, &bytes, err));
    kl_status status = ladder_file_write(g->request->json, text, bytes, err);
    free(text);
    return status;
}

static kl_status show_results(const ladder_grading *g, const ladder_grade_results *results,
                              ladder_grading_end *out_end, kl_error *err) {
    const ladder_row *rows = results->rows;
    const ladder_grade_exports *exports = &g->request->exports;
    bool json_to_stdout = exports->to_stdout;
    bool single = !results->class;
    out_end->all_well = true;
    for (size_t i = 0; i < g->class.count; i++)
        out_end->all_well = out_end->all_well && rows[i].points.graded;
    if (single && !rows[0].done) return KL_OK;
    if (g->request->json)
        TRY(single ? copy_json(g, err) : kl_file_put(g->request->json, write_json, (void *)g, err));
    if (single && !json_to_stdout) TRY(show_report(g, err));
    if (single) return KL_OK;
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/handed_in.csv", g->output));
    TRY(kl_file_put(path, write_handed_in, (void *)g, err));
    TRY(ladder_path(path, err, "%s/summary.csv", g->output));
    TRY(kl_file_put(path, write_csv, (void *)g, err));
    FILE *out = json_to_stdout ? stderr : stdout;
    kl_style style = kl_style_for(out);
    ladder_class_table(rows, g->class.count, &style, out);
    ladder_class_changed_table(rows, g->class.count, &style, out);
    fprintf(out, "reports: %s/submissions/NAME/report.html, table: %s\n", g->output, path);
    TRY(ladder_path(path, err, "%s/pages/class.html", g->output));
    if (ladder_file_exists(path))
        fprintf(out, "%s/pages is of an earlier run: ./ladder report %s\n", g->output, g->output);
    return KL_OK;
}

void ladder_grading_late(ladder_grading *g, bool book_knows) {
    for (size_t i = 0; i < g->class.count; i++)
        ladder_late_apply(&g->policy, &g->list[i],
                          book_knows ? g->changes[i].slip_days : g->policy.slip_days,
                          &g->changes[i]);
}

// Pages and rows get the slip days that the gradebook has, now that it has the attempts.
static kl_status renew(ladder_grading *g, kl_error *err) {
    TRY(ladder_graded_slip_days(&g->request->book, g->request->lab, &g->policy, g->list,
                                g->class.count, g->changes, err));
    ladder_grading_late(g, true);
    return ladder_class_renew(&g->class, g->rows, err);
}

// Enters the grades; *out_text, which the caller frees, is what is said of it, below the tables.
// Where slip days are spent best, those of this lab follow from the attempts that are new.
static kl_status enter(ladder_grading *g, const ladder_grade_results *results, char **out_text,
                       kl_error *err) {
    ladder_graded_options book = g->request->book;
    size_t bytes = 0;
    book.roster = g->request->exports.roster;
    FILE *said = open_memstream(out_text, &bytes);
    if (!said) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the results");
    kl_style style = kl_style_for(stdout);
    kl_status status = ladder_graded_after(&book, results, &style, said, err);
    fclose(said);
    bool moved = book.file && !book.regrade && g->policy.slip_best;
    return status == KL_OK && moved ? renew(g, err) : status;
}

kl_status ladder_grading_results(ladder_grading *g, ladder_grading_end *out_end, kl_error *err) {
    const ladder_grade_results results = {.lab = g->request->lab,
                                          .output = g->output,
                                          .submissions = g->list,
                                          .rows = g->rows,
                                          .count = g->class.count,
                                          .class = g->request->submissions};
    const ladder_grade_exports *exports = &g->request->exports;
    FILE *out = exports->to_stdout ? stderr : stdout;
    bool *exported = &out_end->exported, single = !results.class;
    char *said = NULL;
    kl_status entered = enter(g, &results, &said, err);
    kl_error why = {KL_OK, ""}; // an error of the gradebook is told; tables come all the same
    kl_status status = show_results(g, &results, out_end, entered == KL_OK ? err : &why);
    if (said) fputs(said, out);
    free(said);
    TRY(entered);
    TRY(status);
    if (single && !g->rows[0].done) return KL_OK;
    TRY(ladder_grade_exports_put(exports, &results, exported, err));
    // With a gradebook its marks are exported: overrides, and the attempt that counts.
    return g->request->book.file && !g->request->book.regrade
               ? ladder_graded_export_file(&g->request->book, g->request->lab, exports, g->output,
                                           exported, err)
               : ladder_grade_exports_tables(exports, &results, exported, err);
}
