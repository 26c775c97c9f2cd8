// One `ladder grade` in its order: see grading.h.
#include "course/grading/internal.h"
#include "ladder_config.h"

// A due date says nothing about those of whom no time is known. Canvas marks who is late.
static void tell_unknown_times(const ladder_grading *g) {
    size_t unknown = 0, count = g->class.count;
    double time_s = 0;
    for (size_t i = 0; i < count; i++) {
        const ladder_submission *s = &g->list[i];
        bool marked = s->late || g->layout == LADDER_LAYOUT_CANVAS;
        unknown += !marked && !ladder_time_read(s->submitted, &time_s);
    }
    if (!g->policy.given || unknown == 0) return;
    char line[240];
    snprintf(line, sizeof line,
             "ladder grade: no time known for %zu of %zu submissions: they count as handed in "
             "before the due date. --students SHEET tells it, with a column Submitted",
             unknown, count);
    kl_style style = kl_style_for(stderr);
    kl_print_wrapped(stderr, &style, 4, line);
}

// Rows for the results, and what changes their marks.
static kl_status make_rows(ladder_grading *g, kl_error *err) {
    const ladder_grade_request *request = g->request;
    size_t count = g->class.count;
    bool task = request->slurm.task; // its plan has the changes
    g->rows = calloc(count, sizeof *g->rows);
    if (!task) g->changes = calloc(count, sizeof *g->changes);
    if (request->book.file) g->given = calloc(count, sizeof *g->given);
    if (!g->rows || !g->changes || (request->book.file && !g->given))
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the results");
    g->class.submissions = g->list;
    g->class.changes = g->changes;
    g->class.given = g->given;
    g->quick = request->quick;
    if (task) return KL_OK;
    ladder_graded_options book = request->book;
    book.quick = request->quick;
    if (!request->slurm.dry_run) // which enters nothing
        TRY(ladder_graded_before(&book, request->lab, g->list, count, &g->policy, g->changes,
                                 g->given, &g->quick, err));
    if (g->quick && !request->quick)
        fprintf(stderr, "ladder regrade: on small cases (--quick), as the gradebook has it\n");
    for (size_t i = 0; i < count; i++)
        if (ladder_window_apply(&g->policy, &g->list[i]))
            fprintf(stderr, "%s: %s\n", g->list[i].title, g->list[i].problem);
    bool book_knows = book.file && !request->slurm.dry_run; // of slip days spent on other labs
    ladder_grading_late(g, book_knows);
    tell_unknown_times(g);
    return KL_OK;
}

// Version of the kit, and a hash of the programs that decide: judge with problems and rubrics,
// engine, runner, the lab's adapter. "0.1.0 4f5c..".
static kl_status name_programs(const ladder_kit *kit, const ladder_lab *lab, char *out,
                               size_t out_bytes, kl_error *err) {
    enum { PROGRAM_MAX = 256 << 20, FILES = 4 };
    char paths[FILES][LADDER_PATH], text[LADDER_SHA256_TEXT];
    TRY(ladder_path(paths[0], err, "%s/autograder/ladder", kit->build));
    TRY(ladder_kit_engine(kit, paths[1], err));
    TRY(ladder_kit_runner(kit, paths[2], err));
    TRY(ladder_kit_adapter(kit, lab->folder, paths[3], err));
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    for (int i = 0; i < FILES; i++) {
        char *program = NULL;
        size_t bytes = 0;
        TRY(ladder_file_read(AT_FDCWD, paths[i], PROGRAM_MAX, &program, &bytes, err));
        ladder_sha256_add(&hash, program, bytes);
        free(program);
    }
    ladder_sha256_end(&hash, text);
    snprintf(out, out_bytes, "%s %.16s", LADDER_VERSION, text);
    return KL_OK;
}

// What rows say they were graded by.
static kl_status make_trace(ladder_grading *g, kl_error *err) {
    ladder_trace *trace = &g->trace;
    trace->seed = g->seed;
    snprintf(trace->device, sizeof trace->device, "%.120s", g->device);
    g->class.trace = trace;
    return name_programs(&g->kit, g->request->lab, trace->kit, sizeof trace->kit, err);
}

static kl_status grade_here(ladder_grading *g, kl_error *err) {
    const ladder_grade_request *request = g->request;
    if (ladder_grading_is_own(g) && !request->solution)
        ladder_predict_note(&g->kit, request->lab, NULL, 0, "grade");
    kl_status status = ladder_grading_plan(g, err);
    kl_ticker_say(""); // before workers are forked
    TRY(status);
    TRY(make_trace(g, err));
    g->class.device = g->device;
    return ladder_class_run(&g->class, g->rows, err);
}

static kl_status grade_on_cluster(ladder_grading *g, kl_error *err) {
    if (!g->request->slurm.dry_run) // once, and not by every task
        TRY(ladder_grading_build_adapter(g, err));
    g->cases.seed = g->seed;
    g->plan = (ladder_grade_plan){.kit = &g->kit, .lab = g->request->lab, .cases = &g->cases};
    snprintf(g->device, sizeof g->device, "nodes of a cluster, --device %s", g->request->device);
    TRY(make_trace(g, err));
    return ladder_grading_by_slurm(g, err);
}

static kl_status grade(ladder_grading *g, ladder_grading_end *out_end, kl_error *err) {
    const ladder_slurm_request *slurm = &g->request->slurm;
    if (slurm->wanted && !slurm->dry_run) TRY(ladder_slurm_present(err));
    TRY(ladder_grading_require_sandbox(g, err));
    TRY(ladder_kit_find(&g->kit, err));
    TRY(ladder_folder_temporary(g->work, err));
    TRY(ladder_grading_submissions(g, err));
    TRY(ladder_grading_seed(g, err));
    TRY(make_rows(g, err));
    TRY(slurm->wanted ? grade_on_cluster(g, err) : grade_here(g, err));
    if (slurm->dry_run) return KL_OK;
    if (!slurm->task) return ladder_grading_results(g, out_end, err);
    for (size_t i = 0; i < g->class.count;
         i++) // the command that submitted the task collects its results
        out_end->all_well = out_end->all_well && g->rows[i].done;
    return KL_OK;
}

kl_status ladder_grading_run(const ladder_grade_request *request, ladder_grading_end *out_end,
                             kl_error *err) {
    ladder_grading *g = calloc(1, sizeof *g);
    if (!g) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a grading");
    bool task = request->slurm.task;
    g->request = request;
    g->class = (ladder_class){.plan = &g->plan,
                              .output = g->output,
                              .work = g->work,
                              .jobs = 1,
                              .exports = request->exports.formats,
                              .resume = request->resume || task,
                              .part = task,
                              .progress = isatty(STDERR_FILENO) != 0};
    *out_end = (ladder_grading_end){.all_well = true, .exported = true};
    kl_status status = grade(g, out_end, err);
    if (g->work[0] != '\0') ladder_folder_remove(g->work);
    ladder_lock_release(&g->lock);
    ladder_cases_free(&g->cases);
    free(g->list);
    free(g->changes);
    free(g->given);
    free(g->rows);
    free(g);
    return status;
}

// ---- a class that is graded as a job of a cluster -----------------------------------------------

// The options that decide results, for the tasks of a job.
static void list_task_words(const ladder_grading *g, ladder_program_args *args) {
    const ladder_grade_request *r = g->request;
    ladder_args_begin(args, "ladder");
    ladder_args_text(args, "--device", r->device);
    ladder_args_flag(args, "--quick", g->quick);
    ladder_args_flag(args, "--first-failure", r->first_failure);
    ladder_args_flag(args, "--unsafe", r->unsafe);
    if (r->jobs > 0) ladder_args_number(args, "--jobs", r->jobs);
    if (r->instructions > 0) ladder_args_number(args, "--instructions", r->instructions);
    if (r->memory > 0) ladder_args_number(args, "--memory", r->memory);
    if (r->build_s > 0) ladder_args_real(args, "--build-limit", r->build_s);
    if (r->case_s > 0) ladder_args_real(args, "--case-limit", r->case_s);
    if (r->submission_s > 0) ladder_args_real(args, "--submission-limit", r->submission_s);
    for (int i = 0; i < LADDER_EXPORTS; i++)
        if ((r->exports.formats >> i & 1) != 0)
            ladder_args_text(args, "--export", ladder_export_name((ladder_export_format)i));
}

kl_status ladder_grading_by_slurm(ladder_grading *g, kl_error *err) {
    const ladder_slurm_request *slurm = &g->request->slurm;
    ladder_program_args words;
    list_task_words(g, &words);
    ladder_slurm_job job = {.class = &g->class,
                            .options = &slurm->options,
                            .words = (const char *const *)words.argv + 1,
                            .word_count = words.count - 1,
                            .submission_s =
                                60 + LADDER_BUDGET_CLOCK * ladder_grading_submission_limit(g)};
    return slurm->dry_run ? ladder_slurm_dry_run(&job, g->job_folder, stdout, err)
                          : ladder_slurm_run(&job, g->job_folder, g->rows, err);
}

// ---- what is told and written when everything is graded -----------------------------------------

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
