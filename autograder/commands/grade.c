// SPDX-License-Identifier: MIT
// ladder grade: scores one's own work or a folder of submissions.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "class/exports.h"
#include "class/handed_in.h"
#include "class/journal.h"
#include "class/run.h"
#include "commands/command.h"
#include "gradebook/graded.h"
#include "intake/intake.h"
#include "json.h"
#include "judge/budget.h"
#include "judge/query.h"
#include "judge/thresholds.h"
#include "kit/program_args.h"
#include "process/kit_build.h"
#include "process/sandbox.h"
#include "rubric/speed_hash.h"
#include "slurm/wish.h"
#include "submission/build_step.h"
#include "submission/step_cache.h"
#include "kit/devices.h"
#include "kit/text.h"

typedef struct grade_options {
    const char *path, *submissions, *layout, *output, *device, *json;
    const char *due, *late, *late_max;
    ladder_grade_exports exports;
    ladder_graded_options book;
    bool solution, quick, first_failure, resume, unsafe;
    int64_t jobs, seed, instructions, memory;
    double build_s, case_s, submission_s;
    ladder_slurm_wish slurm;
} grade_options;

static const ladder_usage usage = {
    "ladder grade LAB [PATH | --submissions WHAT] [options]",
    "Builds each step by itself, runs it on fresh secret inputs in a process of its\n"
    "own, compares the outputs, and counts what the kernels did on the simulator.\n"
    "Without PATH and --submissions your own files in labs/ are graded. PATH is one\n"
    "submission, a folder or a step's file. WHAT is a folder or an archive (.zip, .tar,\n"
    ".tar.gz, .tgz): a bulk download of Gradescope, Canvas, Moodle or GitHub Classroom\n"
    "as it is, or any folder in which every folder, archive or file that is named like a\n"
    "step is a submission. Archives of students are unpacked. --export writes what other\n"
    "systems read: gradescope, prairielearn, autolab, junit and json per submission,\n"
    "canvas and moodle as a table of a class.",
    "  ladder grade reduction\n"
    "  ladder grade reduction inbox/ann --export gradescope=results.json\n"
    "  ladder grade reduction --submissions inbox --output results --jobs 4\n"
    "  ladder grade reduction --submissions submissions.zip --gradebook course.db\n"
    "  ladder grade reduction --submissions inbox --slurm --partition teaching",
};

// Limits and defaults that neither the command line nor the rubric sets.
enum { DEFAULT_INSTRUCTIONS = 1000000000, DEFAULT_MEMORY = 2047 << 20 };

typedef struct grading {
    grade_options options;
    ladder_kit kit;
    const ladder_lab *lab;
    ladder_cases cases;
    ladder_judge judge;
    ladder_step_cache compiled;
    ladder_thresholds thresholds; // of this card, if it was calibrated
    ladder_submission *list;
    size_t count;
    ladder_late_policy policy;
    ladder_mark_change *changes; // [count], as all rows
    ladder_row *rows;
    char output[LADDER_PATH];
    char work[LADDER_PATH];     // for all private folders; "" until it is made
    char baseline[LADDER_PATH]; // in it, "" when there is none
    char device[320];           // for reports
    bool exported;              // every mark that was asked for lies where it should
    uint64_t seed;              // of the inputs, once it is drawn
} grading;

static kl_status choose_device(grading *g, kl_error *err) {
    const char *wish = g->options.device;
    TRY(ladder_device_choose(wish, err));
    bool has_gpu = ladder_device_may_be_gpu(wish) && ladder_kit_find_gpu(&g->judge.card);
    if (strcmp(wish, "gpu") == 0 && !has_gpu) {
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "no usable GPU here; use --device sim, or see: "
                       "ladder doctor");
    }
    g->judge.gpu = has_gpu;
    snprintf(g->device, sizeof g->device, "%s%ssimulated %s%s", has_gpu ? g->judge.card.name : "",
             has_gpu ? " for answers and times, " : "", ladder_device_simulated()->name,
             has_gpu ? " for counts" : "");
    return KL_OK;
}

// Thresholds that `ladder calibrate` measured on this card.
static kl_status take_thresholds(grading *g, kl_error *err) {
    char path[LADDER_PATH];
    if (!g->judge.gpu || g->judge.card.name[0] == '\0') return KL_OK;
    TRY(ladder_thresholds_path(&g->kit, g->lab, g->judge.card.name, path, err));
    if (!ladder_file_exists(path)) return KL_OK;
    TRY(ladder_thresholds_read(path, g->lab, g->judge.card.name, &g->thresholds, err));
    g->judge.thresholds = &g->thresholds;
    return KL_OK;
}

// One submission: the student's own files, or the solution.
static kl_status take_own(grading *g, kl_error *err) {
    g->list = calloc(1, sizeof *g->list);
    if (g->list == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory");
    g->count = 1;
    const char *top = g->options.solution ? "solutions" : "labs";
    snprintf(g->list->id, sizeof g->list->id, "%s", g->options.solution ? "solution" : "own");
    snprintf(g->list->title, sizeof g->list->title, "%s",
             g->options.solution ? "the kit's solution" : "your own work");
    TRY(ladder_path(g->list->path, err, "%s/%s/%s", g->kit.source, top, g->lab->folder));
    if (!g->options.solution || ladder_file_exists(g->list->path)) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "this kit has no solution of lab %s: it is a handout",
                   g->lab->folder);
}

// One submission of somebody else.
static kl_status take_path(grading *g, kl_error *err) {
    struct stat info;
    g->list = calloc(1, sizeof *g->list);
    if (g->list == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory");
    g->count = 1;
    char *path = realpath(g->options.path, NULL);
    if (path == NULL || stat(path, &info) != 0) {
        free(path);
        return kl_fail(err, KL_ERROR_INPUT, "%s: %s", g->options.path, strerror(errno));
    }
    const char *name = strrchr(path, '/') + 1;
    g->list->is_file = !S_ISDIR(info.st_mode);
    ladder_submission_id(name, g->list->id);
    ladder_plain(name, false, g->list->title, sizeof g->list->title);
    kl_status status = ladder_path(g->list->path, err, "%s", path);
    free(path);
    return status;
}

// Whether what is graded is one's own, or the kit's.
static bool is_own(const grading *g) {
    const grade_options *o = &g->options;
    return o->submissions == NULL && o->path == NULL && o->slurm.task == NULL;
}

// What was handed in, with a line on what it was taken for.
static kl_status take_class(grading *g, kl_error *err) {
    const grade_options *o = &g->options;
    TRY(ladder_late_policy_read(o->due, o->late, o->late_max, &g->policy, err));
    char staging[LADDER_PATH], what[LADDER_PATH], line[400];
    ladder_intake taken;
    TRY(ladder_path(what, err, "%s", o->submissions));
    if (o->slurm.wanted) TRY(ladder_slurm_wish_absolute(what, err));
    TRY(ladder_path(staging, err, "%s/handed_in",
                    o->slurm.wanted && !o->slurm.dry_run ? o->slurm.folder : g->work));
    TRY(ladder_folder_make(staging, err));
    TRY(ladder_intake_take(what, o->layout, g->lab, staging, &taken, err));
    g->list = taken.list;
    g->count = taken.count;
    ladder_intake_describe(&taken, line, sizeof line);
    fprintf(stderr, "ladder grade: %s\n", line);
    if (g->count > 0) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT,
                   "no submission in %s: expected folders with step files, archives, or files such "
                   "as %s",
                   o->submissions, g->lab->rubric->steps[0].file);
}

static kl_status find_submissions(grading *g, kl_error *err) {
    grade_options *o = &g->options;
    if (o->slurm.task != NULL) {
        TRY(ladder_path(g->output, err, "%s", o->output));
        ladder_slurm_plan plan;
        TRY(ladder_slurm_task(o->slurm.task, g->output, &plan, err));
        g->list = plan.list;
        g->changes = plan.changes;
        g->count = plan.count;
        g->seed = plan.seed;
        return KL_OK;
    }
    if (o->submissions == NULL) {
        TRY(is_own(g) ? take_own(g, err) : take_path(g, err));
        TRY(ladder_path(g->output, err, o->output != NULL ? "%s" : "%s/results/%s",
                        o->output != NULL ? o->output : g->kit.build, g->lab->folder));
    } else {
        TRY(ladder_path(g->output, err, "%s",
                        o->output != NULL ? o->output
                        : o->book.regrade ? "regrade"
                                          : "results"));
        if (o->slurm.wanted) TRY(ladder_slurm_wish_open(&o->slurm, g->output, err));
        TRY(take_class(g, err));
    }
    return o->slurm.dry_run ? KL_OK : ladder_folder_make(g->output, err);
}

static kl_status build_adapter(const grading *g, kl_error *err) {
    bool failed = false;
    TRY(ladder_kit_build_adapter(&g->kit, g->lab, &failed, err));
    return failed ? kl_fail(err, KL_ERROR_SYSTEM, "the lab's own files do not build") : KL_OK;
}

static double submission_limit(const grading *g) {
    double rubric_s = g->lab->rubric->submission_s;
    return g->options.submission_s > 0 ? g->options.submission_s
           : rubric_s > 0              ? rubric_s
                                       : LADDER_SUBMISSION_SECONDS;
}

static kl_status set_up_judge(grading *g, kl_error *err) {
    const grade_options *o = &g->options;
    const ladder_rubric *rubric = g->lab->rubric;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    ladder_judge *j = &g->judge;
    char path[LADDER_PATH];
    if (o->slurm.task != NULL)
        cores = ladder_slurm_processors(cores); // and what it needs was built before
    else
        TRY(build_adapter(g, err));
    TRY(ladder_kit_runner(&g->kit, path, err)); // better said once, before, than for every step
    TRY(ladder_kit_adapter(&g->kit, g->lab, path, err));
    TRY(ladder_kit_engine(&g->kit, path, err));
    TRY(ladder_kit_simulator(&g->kit, path, err));
    TRY(choose_device(g, err));
    TRY(take_thresholds(g, err));
    if (g->options.jobs == 0) g->options.jobs = g->count == 1 || j->gpu ? 1 : (cores + 1) / 2;
    j->kit = &g->kit;
    j->lab = g->lab;
    j->cases = &g->cases;
    j->first_failure = o->first_failure;
    j->build_s = o->build_s > 0        ? o->build_s
                 : rubric->build_s > 0 ? rubric->build_s
                                       : LADDER_BUILD_SECONDS;
    j->case_s = o->case_s > 0        ? o->case_s
                : rubric->case_s > 0 ? rubric->case_s
                                     : LADDER_CASE_SECONDS;
    j->submission_s = submission_limit(g);
    j->instructions = o->instructions > 0        ? (uint64_t)o->instructions
                      : rubric->instructions > 0 ? rubric->instructions
                                                 : DEFAULT_INSTRUCTIONS;
    j->memory_bytes = o->memory > 0 ? (uint64_t)o->memory : DEFAULT_MEMORY;
    long share = cores / g->options.jobs;
    j->steps_at_a_time = j->gpu || share < 1 ? 1 : (int)share; // times are taken one by one
    j->threads = j->gpu && share > 1 ? (unsigned)share : 1;
    return KL_OK;
}

// The case whose answers this machine's runtime gives.
static kl_status ask_runtime(grading *g, kl_error *err) {
    char *text = NULL;
    TRY(ladder_query_run(g->judge.kit, g->lab, g->judge.gpu, &text, err));
    kl_status status = ladder_cases_add_query(&g->cases, text, err);
    free(text);
    return status;
}

// A secret one, or that of the stopped run that goes on.
static kl_status choose_seed(grading *g, kl_error *err) {
    const grade_options *o = &g->options;
    ladder_journal_state before = {0};
    if (o->slurm.task != NULL) return KL_OK; // that of the whole run
    g->seed = (uint64_t)o->seed;
    if (o->seed >= 0) return KL_OK;
    if (o->slurm.wanted && o->resume && ladder_slurm_seed(g->output, &g->seed)) return KL_OK;
    if (o->submissions != NULL) before = ladder_journal_read(g->output, g->lab);
    if (before.unfinished && !o->resume) {
        fprintf(stderr,
                "ladder grade: an earlier run into %s was stopped after %zu submissions; --resume "
                "goes on with it, this run begins anew\n",
                g->output, before.graded);
    }
    if (!before.unfinished || !o->resume) return ladder_secret_seed(&g->seed, err);
    g->seed = before.seed;
    return KL_OK;
}

static kl_status make_cases(grading *g, kl_error *err) {
    TRY(ladder_rubric_check(g->lab->rubric, g->lab->problem, ladder_counter_known, err));
    TRY(ladder_rubric_check_modelled(g->lab->rubric, g->lab->folder, err));
    TRY(ladder_cases_make(g->lab, g->seed, g->options.quick, &g->cases, err));
    if (g->lab->problem->of_query != NULL) TRY(ask_runtime(g, err));
    if (!g->judge.gpu) return KL_OK;
    TRY(ladder_path(g->baseline, err, "%s/baseline", g->work));
    TRY(ladder_folder_make(g->baseline, err));
    TRY(ladder_grade_baselines(&g->judge, g->baseline, err));
    return ladder_cases_make_speed(&g->cases, err);
}

// Compiled steps. One's own are kept beside the build; those of a class last as long as its run.
static kl_status open_cache(grading *g, kl_error *err) {
    char folder[LADDER_PATH];
    bool class = !is_own(g);
    TRY(class ? ladder_path(folder, err, "%s/compiled", g->work)
              : ladder_path(folder, err, "%s/compiled-%u", g->kit.build, (unsigned)geteuid()));
    // Without one everything is compiled.
    if (ladder_step_cache_open(folder, class, &g->compiled, NULL) == KL_OK)
        g->judge.compiled = &g->compiled;
    return KL_OK;
}

typedef struct class_results {
    const grading *g;
    const ladder_row *rows;
} class_results;

static kl_status write_csv(void *context, FILE *out, kl_error *err) {
    const class_results *c = context;
    (void)err; // kl_file_put notices what could not be written
    ladder_class_csv(c->rows, c->g->count, out);
    return KL_OK;
}

static kl_status write_handed_in(void *context, FILE *out, kl_error *err) {
    const class_results *c = context;
    (void)err;
    ladder_class_handed_in(c->g->list, c->rows, c->g->count, &c->g->policy, out);
    return KL_OK;
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const class_results *c = context;
    return ladder_class_json(c->g->lab, c->rows, c->g->count, out, err);
}

// Reads a file of the only submission's results; caller frees.
static kl_status read_result(const grading *g, const char *file, char **out_text, size_t *out_bytes,
                             kl_error *err) {
    enum { RESULT_MAX = 64 << 20 };
    char path[LADDER_PATH];
    TRY(ladder_class_path(g->output, g->list[0].id, file, path, err));
    return ladder_file_read(AT_FDCWD, path, RESULT_MAX, out_text, out_bytes, err);
}

// Copies the text report of the only submission to standard output.
static kl_status show_report(const grading *g, kl_error *err) {
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
static kl_status copy_json(const grading *g, kl_error *err) {
    char *text = NULL;
    size_t bytes = 0;
    TRY(read_result(g, "result.json", &text, &bytes, err));
    kl_status status = ladder_file_write(g->options.json, text, bytes, err);
    free(text);
    return status;
}

static kl_status show_results(grading *g, const ladder_row *rows, bool *out_all_well,
                              kl_error *err) {
    const ladder_grade_exports *exports = &g->options.exports;
    bool json_to_stdout = exports->to_stdout;
    bool single = g->options.submissions == NULL;
    class_results class = {.g = g, .rows = rows};
    *out_all_well = true;
    for (size_t i = 0; i < g->count; i++)
        *out_all_well = *out_all_well && rows[i].done && !rows[i].ungradable;
    if (single && !rows[0].done) return KL_OK;
    if (g->options.json != NULL)
        TRY(single ? copy_json(g, err) : kl_file_put(g->options.json, write_json, &class, err));
    if (single && !json_to_stdout) TRY(show_report(g, err));
    ladder_grade_results results = {g->lab, g->output, g->list, rows, g->count, !single};
    if (single) return ladder_grade_exports_put(exports, &results, &g->exported, err);
    char path[LADDER_PATH];
    TRY(ladder_path(path, err, "%s/handed_in.csv", g->output));
    TRY(kl_file_put(path, write_handed_in, &class, err));
    TRY(ladder_path(path, err, "%s/summary.csv", g->output));
    TRY(kl_file_put(path, write_csv, &class, err));
    FILE *out = json_to_stdout ? stderr : stdout;
    kl_style style = kl_style_for(out);
    ladder_class_table(rows, g->count, &style, out);
    ladder_class_changed_table(rows, g->count, &style, out);
    fprintf(out, "reports: %s/submissions/NAME/report.html, table: %s\n", g->output, path);
    return ladder_grade_exports_put(exports, &results, &g->exported, err);
}

// What other people hand in is not run where nothing keeps it from the files of this machine.
static kl_status require_wall(const grading *g, kl_error *err) {
    if (is_own(g) || ladder_sandbox_find() == LADDER_SANDBOX_WALL) return KL_OK;
    if (!g->options.unsafe) {
        return kl_fail(
            err, KL_ERROR_SYSTEM,
            "no wall stands here (%.200s), so that a submission could read your files and use "
            "your network. To do: %.200s. With --unsafe they are graded all the same; "
            "see also: ladder doctor",
            ladder_sandbox_problem(), ladder_wall_advice());
    }
    fprintf(stderr, "ladder grade: WITHOUT A WALL (--unsafe): submissions can read your files and "
                    "use your network\n");
    return KL_OK;
}

static kl_status enter_grades(const grading *g, kl_error *err) {
    const ladder_graded graded = {
        .lab = g->lab, .list = g->list, .rows = g->rows, .count = g->count};
    FILE *out = g->options.exports.to_stdout ? stderr : stdout;
    kl_style style = kl_style_for(out);
    return ladder_graded_after(&g->options.book, &graded, &style, out, err);
}

// What rows say they were graded by.
static kl_status make_trace(const grading *g, ladder_trace *out_trace, kl_error *err) {
    *out_trace = (ladder_trace){.seed = g->cases.seed};
    snprintf(out_trace->device, sizeof out_trace->device, "%.120s", g->device);
    snprintf(out_trace->sandbox, sizeof out_trace->sandbox, "%s",
             ladder_sandbox_name(ladder_sandbox_find()));
    return ladder_class_kit(&g->kit, g->lab, out_trace->kit, sizeof out_trace->kit, err);
}

// The options that decide results, for the tasks of a job.
static void list_task_words(const grading *g, ladder_program_args *args) {
    const grade_options *o = &g->options;
    ladder_args_begin(args, "ladder");
    ladder_args_text(args, "--device", o->device);
    ladder_args_flag(args, "--quick", o->quick);
    ladder_args_flag(args, "--first-failure", o->first_failure);
    ladder_args_flag(args, "--unsafe", o->unsafe);
    if (o->jobs > 0) ladder_args_number(args, "--jobs", o->jobs);
    if (o->instructions > 0) ladder_args_number(args, "--instructions", o->instructions);
    if (o->memory > 0) ladder_args_number(args, "--memory", o->memory);
    if (o->build_s > 0) ladder_args_real(args, "--build-limit", o->build_s);
    if (o->case_s > 0) ladder_args_real(args, "--case-limit", o->case_s);
    if (o->submission_s > 0) ladder_args_real(args, "--submission-limit", o->submission_s);
    for (int i = 0; i < LADDER_EXPORTS; i++)
        if ((o->exports.formats >> i & 1) != 0)
            ladder_args_text(args, "--export", ladder_export_name((ladder_export_format)i));
}

// What is asked of a class, whoever grades it.
static ladder_class_job class_job(grading *g, const ladder_trace *trace) {
    return (ladder_class_job){.judge = &g->judge,
                              .trace = trace,
                              .submissions = g->list,
                              .count = g->count,
                              .output = g->output,
                              .work = g->work,
                              .changes = g->changes,
                              .jobs = 1,
                              .exports = g->options.exports.formats,
                              .resume = g->options.resume,
                              .progress = isatty(STDERR_FILENO) != 0};
}

// What this machine does for a class that others grade.
static kl_status grade_by_slurm(grading *g, bool *out_all_well, kl_error *err) {
    grade_options *o = &g->options;
    ladder_program_args words;
    ladder_trace trace;
    *out_all_well = true;
    if (!o->slurm.dry_run) TRY(build_adapter(g, err)); // once, and not by every task
    g->judge.lab = g->lab;
    g->judge.cases = &g->cases;
    g->cases.seed = g->seed;
    snprintf(g->device, sizeof g->device, "nodes of a cluster, --device %s", o->device);
    list_task_words(g, &words);
    TRY(make_trace(g, &trace, err));
    ladder_class_job class = class_job(g, &trace);
    ladder_slurm_job job = {.kit = &g->kit,
                            .class = &class,
                            .options = &o->slurm.options,
                            .words = (const char *const *)words.argv + 1,
                            .word_count = words.count - 1,
                            .seed = g->seed,
                            .submission_s = 60 + LADDER_BUDGET_CLOCK * submission_limit(g)};
    if (o->slurm.dry_run) return ladder_slurm_dry_run(&job, o->slurm.folder, stdout, err);
    TRY(ladder_slurm_run(&job, o->slurm.folder, g->rows, err));
    TRY(show_results(g, g->rows, out_all_well, err));
    return enter_grades(g, err);
}

// A task's results are collected by whoever submitted it.
static kl_status end_task(const grading *g, bool *out_all_well) {
    *out_all_well = true;
    for (size_t i = 0; i < g->count; i++) *out_all_well = *out_all_well && g->rows[i].done;
    return KL_OK;
}

// Rows for the results, and what changes their marks.
static kl_status make_rows(grading *g, kl_error *err) {
    g->rows = calloc(g->count, sizeof *g->rows);
    if (g->options.slurm.task != NULL) // its plan has the changes
        return g->rows != NULL ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for the results");
    g->changes = calloc(g->count, sizeof *g->changes);
    if (g->rows == NULL || g->changes == NULL)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for the results");
    if (!g->options.slurm.dry_run) // which enters nothing
        TRY(ladder_graded_before(&g->options.book, g->lab, g->list, g->count, &g->policy,
                                 g->changes, err));
    ladder_class_late(g->list, g->count, &g->policy, g->changes);
    return KL_OK;
}

static kl_status grade(grading *g, bool *out_all_well, kl_error *err) {
    const ladder_slurm_wish *slurm = &g->options.slurm;
    if (slurm->wanted && !slurm->dry_run) TRY(ladder_slurm_present(err));
    TRY(require_wall(g, err));
    TRY(ladder_kit_find(&g->kit, err));
    TRY(ladder_folder_temporary(g->work, err));
    TRY(find_submissions(g, err));
    TRY(choose_seed(g, err));
    TRY(make_rows(g, err));
    if (g->options.slurm.wanted) return grade_by_slurm(g, out_all_well, err);
    if (is_own(g) && !g->options.solution)
        ladder_command_note_run(&g->kit, g->lab, NULL, 0, "grade");
    TRY(set_up_judge(g, err));
    bool stood = ladder_sandbox_find() == LADDER_SANDBOX_WALL;
    ladder_build_try_wall(&g->kit);
    if (g->judge.gpu) ladder_sandbox_try_gpu();
    if (stood) TRY(require_wall(g, err)); // these may have taken it away
    TRY(open_cache(g, err));
    TRY(make_cases(g, err));
    ladder_trace trace;
    TRY(make_trace(g, &trace, err));
    ladder_class_job job = class_job(g, &trace);
    job.baseline_folder = g->baseline[0] != '\0' ? g->baseline : NULL;
    job.device = g->device;
    job.jobs = (int)g->options.jobs;
    job.part = g->options.slurm.task != NULL;
    job.resume = job.resume || job.part;
    TRY(ladder_class_run(&job, g->rows, err));
    if (g->options.slurm.task != NULL) return end_task(g, out_all_well);
    TRY(show_results(g, g->rows, out_all_well, err));
    return enter_grades(g, err);
}

static const ladder_usage regrade_usage = {
    "ladder regrade LAB --submissions WHAT --gradebook FILE [--apply] [options]",
    "Grades what was handed in again, by the rubric as it is now, and lists whose mark\n"
    "moves from what to what. The gradebook and all that was published stay as they are\n"
    "until --apply enters the new grades; nothing is graded twice for that. Pages and\n"
    "tables of the new grades lie in the folder regrade (--output names another).",
    "  ladder regrade reduction --submissions inbox --gradebook course.db\n"
    "  ladder regrade reduction --submissions inbox --gradebook course.db --apply",
};

// What does not go together; an exit status, or LADDER_EXIT_OK.
static int check_options(const char *command, const grade_options *o) {
    if (o->solution + (o->submissions != NULL) + (o->path != NULL) > 1)
        return ladder_command_misused(command,
                                      "PATH, --solution and --submissions exclude each other");
    if (o->submissions == NULL && (o->layout != NULL || o->due != NULL))
        return ladder_command_misused(command, "--layout and --due need --submissions");
    if (o->submissions == NULL && o->book.file != NULL)
        return ladder_command_misused(command, "--gradebook needs --submissions");
    if (o->book.file == NULL &&
        (o->book.counts != NULL || o->book.attempts >= 0 || o->book.who != NULL))
        return ladder_command_misused(command, "--counts, --attempts and --who need --gradebook");
    if (o->book.regrade && (o->submissions == NULL || o->book.file == NULL))
        return ladder_command_misused(command, "expected --submissions and --gradebook");
    if (o->book.regrade && (o->exports.texts.count > 0 || o->book.counts != NULL ||
                            o->book.attempts >= 0 || o->due != NULL))
        return ladder_command_misused(command, "a rubric changes here, no policy and no export: "
                                               "ladder gradebook does those");
    return LADDER_EXIT_OK;
}

static int run(int argc, char **argv, bool regrade) {
    grading g = {.options = {.device = "auto",
                             .seed = -1,
                             .resume = regrade,
                             .book = {.attempts = -1, .regrade = regrade}},
                 .exported = true};
    grade_options *o = &g.options;
    const ladder_option options[] = {
        {"--submissions", LADDER_TEXT, &o->submissions, "WHAT",
         "a folder or archive of submissions", NULL},
        {"--layout", LADDER_CHOICE, &o->layout, "NAME", ladder_layout_choices,
         ladder_layout_choices},
        {"--due", LADDER_TEXT, &o->due, "TIME", "later is late: 2026-11-20T23:59[+01:00]", NULL},
        {"--late", LADDER_TEXT, &o->late, "PERCENT", "of the score, that each day late costs",
         NULL},
        {"--late-max", LADDER_TEXT, &o->late_max, "PERCENT", "of the score, that is lost at most",
         NULL},
        {"--output", LADDER_TEXT, &o->output, "DIR", "where reports go (default: results)", NULL},
        {"--solution", LADDER_FLAG, &o->solution, NULL, "grade the kit's own solution", NULL},
        {"--device", LADDER_CHOICE, &o->device, "NAME", ladder_device_words, ladder_device_words},
        {"--jobs", LADDER_SIZE, &o->jobs, "N", "submissions graded at a time", NULL},
        {"--resume", LADDER_FLAG, &o->resume, NULL, "leave out what is finished and unchanged",
         NULL},
        {"--quick", LADDER_FLAG, &o->quick, NULL, "the short list of cases", NULL},
        {"--first-failure", LADDER_FLAG, &o->first_failure, NULL,
         "a step's first wrong case ends its run", NULL},
        {"--seed", LADDER_SIZE, &o->seed, "N", "inputs from this seed instead of a secret one",
         NULL},
        {"--build-limit", LADDER_SECONDS, &o->build_s, "S",
         "processor time of a compiler run (default 60)", NULL},
        {"--case-limit", LADDER_SECONDS, &o->case_s, "S", "longest wait for a case (default 30)",
         NULL},
        {"--submission-limit", LADDER_SECONDS, &o->submission_s, "S",
         "processor time of a submission (default 600)", NULL},
        {"--instructions", LADDER_SIZE, &o->instructions, "N", "most warp instructions of a launch",
         NULL},
        {"--memory", LADDER_SIZE, &o->memory, "N",
         "bytes that a step's process may use (default 2 GiB)", NULL},
        {"--unsafe", LADDER_FLAG, &o->unsafe, NULL, "grade submissions even without a wall", NULL},
        {"--gradebook", LADDER_TEXT, &o->book.file, "FILE", "enter the grades into this file",
         NULL},
        {"--counts", LADDER_CHOICE, &o->book.counts, NULL, "which attempt counts",
         LADDER_COUNTS_CHOICES},
        {"--attempts", LADDER_SIZE, &o->book.attempts, "N", "only the first N count; 0: all", NULL},
        {"--who", LADDER_TEXT, &o->book.who, "NAME", "who grades (default: your user name)", NULL},
        {"--slurm", LADDER_FLAG, &o->slurm.wanted, NULL, "as an array job of Slurm", NULL},
        {"--partition", LADDER_TEXT, &o->slurm.options.partition, "NAME", "of the job", NULL},
        {"--account", LADDER_TEXT, &o->slurm.options.account, "NAME", "of the job", NULL},
        {"--gpus", LADDER_SIZE, &o->slurm.options.gpus, "N", "per task", NULL},
        {"--time-limit", LADDER_TEXT, &o->slurm.options.time_limit, "TIME",
         "of a task, as sbatch's --time", NULL},
        {"--chunk", LADDER_SIZE, &o->slurm.options.chunk, "N", "submissions per task", NULL},
        {"--sbatch", LADDER_TEXTS, &o->slurm.more, "OPTION",
         "any other option of sbatch; may be repeated", NULL},
        {"--dry-run", LADDER_FLAG, &o->slurm.dry_run, NULL, "print the job's script only", NULL},
        {"--slurm-task", LADDER_TEXT, &o->slurm.task, "DIR", "what the job's script uses", NULL},
        {"--json", LADDER_TEXT, &o->json, "FILE", "results as JSON (- is standard output)", NULL},
        {"--export", LADDER_TEXTS, &o->exports.texts, "FORMAT[=FILE]",
         "gradescope, junit, ..; may be repeated", NULL},
        {"--roster", LADDER_TEXT, &o->exports.roster, "FILE",
         "the sheet downloaded from Canvas or Moodle", NULL},
        {"--assignment", LADDER_TEXT, &o->exports.assignment, "TITLE",
         "Canvas's column (default: the lab's name)", NULL},
        {"--apply", LADDER_FLAG, &o->book.apply, NULL, "enter the new grades", NULL}, // regrade's
    };
    size_t option_count = sizeof options / sizeof options[0] - (regrade ? 0 : 1);
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(regrade ? &regrade_usage : &usage, options, option_count, argc, argv,
                              &arguments, &code))
        return code;
    if (arguments.count != 1 && arguments.count != 2) {
        return ladder_command_misused(argv[0],
                                      "expected one lab, for example: ladder grade reduction");
    }
    o->path = arguments.count == 2 ? arguments.positional[1] : NULL;
    code = check_options(argv[0], o);
    if (code != LADDER_EXIT_OK) return code;
    kl_error err = {KL_OK, ""};
    bool all_well = false;
    o->exports.to_stdout = kl_file_is_stdout(o->json);
    bool class = o->submissions != NULL || o->slurm.task != NULL;
    kl_status status = ladder_grade_exports_read(&o->exports, class, &err);
    if (status == KL_OK)
        status = ladder_slurm_wish_read(&o->slurm, o->submissions, o->output, &err);
    if (status == KL_OK) status = ladder_lab_require(arguments.positional[0], &g.lab, &err);
    if (status == KL_OK) status = grade(&g, &all_well, &err);
    if (g.work[0] != '\0') ladder_folder_remove(g.work);
    ladder_cases_free(&g.cases);
    free(g.list);
    free(g.changes);
    free(g.rows);
    if (status != KL_OK) return ladder_command_fail(argv[0], &err);
    if (!all_well)
        fprintf(stderr, "ladder grade: something could not be graded; see the reports\n");
    if (!g.exported)
        fprintf(stderr, "ladder grade: not every mark is where it was to go; see what was said\n");
    return all_well && g.exported ? LADDER_EXIT_OK : LADDER_EXIT_FAILED;
}

int ladder_cmd_grade(int argc, char **argv) {
    return run(argc, argv, false);
}

int ladder_cmd_regrade(int argc, char **argv) {
    return run(argc, argv, true);
}
