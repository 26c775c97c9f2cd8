// A class as an array job of Slurm: see slurm.h. A job's folder holds work.txt, job.sh, log/ and,
// once it is submitted, `job`: its number and how many tasks it has.
#include "course/slurm/slurm.h"
#include <dirent.h>

enum { SUBMITS_MAX = 3, TASKS_MAX = 1000, LOG_MAX = 16 << 20, MISSING_SHOWN = 20 };

// One array job, submitted or about to be.
typedef struct array_job {
    const ladder_slurm_job *run;
    char folder[LADDER_PATH];
    size_t *missing; // [count] which of the submissions it grades
    size_t count, chunk, tasks;
    ladder_slurm_state *states; // [tasks]
    size_t graded;              // shown at last
    size_t waiting, running;
} array_job;

// The largest number of a job's folder; 0 when there is none.
static long newest_number(const char *output) {
    char path[LADDER_PATH];
    long newest = 0;
    DIR *entries =
        ladder_path(path, NULL, "%s/class/slurm", output) == KL_OK ? opendir(path) : NULL;
    for (struct dirent *e; entries && (e = readdir(entries));) {
        long number = strtol(e->d_name, NULL, 10);
        newest = number > newest ? number : newest;
    }
    if (entries) closedir(entries);
    return newest;
}

// Where the next job's files go: OUTPUT/class/slurm/N, made if `make`. out: [LADDER_PATH].
static kl_status ladder_slurm_folder(const char *output, bool make, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/class/slurm/%ld", output, newest_number(output) + 1));
    if (!make) return KL_OK;
    kl_status status = ladder_folder_make(out, err);
    if (status == KL_OK && chmod(out, 0700) != 0)
        status = kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", out, strerror(errno));
    if (status != KL_OK)
        kl_fail_prefix(err, "results must lie in a folder that all nodes can write (--output)");
    return status;
}

bool ladder_slurm_seed(const char *output, uint64_t *out_seed) {
    char path[LADDER_PATH];
    for (long n = newest_number(output); n > 0; n--)
        if (ladder_path(path, NULL, "%s/class/slurm/%ld/work.txt", output, n) == KL_OK &&
            ladder_slurm_work_seed(path, out_seed))
            return true;
    return false;
}

long ladder_slurm_processors(long otherwise) {
    const char *text = getenv("SLURM_CPUS_ON_NODE");
    long count = text ? strtol(text, NULL, 10) : 0;
    return count > 0 ? count : otherwise;
}

kl_status ladder_slurm_task(const char *folder, const char *output, ladder_slurm_work *out_work,
                            kl_error *err) {
    static const char shared[] = "kit, submissions and results must lie in folders that all nodes "
                                 "share";
    char path[LADDER_PATH];
    const char *task = getenv("SLURM_ARRAY_TASK_ID");
    uint64_t number = 0;
    if (!task || !ladder_parse_uint(task, INT32_MAX, &number))
        return kl_fail(err, KL_ERROR_USAGE, "--slurm-task is for the tasks that --slurm submits");
    TRY(ladder_path(path, err, "%s/class/key", output));
    if (!ladder_file_exists(path))
        return kl_fail(err, KL_ERROR_SYSTEM, "this node does not see %s: %s", path, shared);
    const char *own = strrchr(folder, '/');
    if (own && strtol(own + 1, NULL, 10) < newest_number(output))
        return kl_fail(err, KL_ERROR_SYSTEM, "a later run has taken the place of this job");
    TRY(ladder_path(path, err, "%s/work.txt", folder));
    TRY(ladder_slurm_work_read(path, number, out_work, err));
    for (size_t i = 0; i < out_work->count; i++) {
        const ladder_submission *s = &out_work->list[i];
        struct stat info;
        bool absent = s->problem[0] == '\0' && lstat(s->path, &info) != 0;
        if (absent)
            return kl_fail(err, KL_ERROR_SYSTEM, "this node does not see %s: %s", s->path, shared);
    }
    return KL_OK;
}

static kl_status put_script(void *context, FILE *out, kl_error *err) {
    (void)err;
    ladder_slurm_script_write(context, out);
    return KL_OK;
}

// A task's limit lies above those that the judge itself keeps, so that it never cuts one off.
static long minutes_of(const array_job *job) {
    return (long)(job->run->submission_s * (double)job->chunk / 60) + 5;
}

static void make_script(const array_job *job, const char *program, ladder_slurm_script *out) {
    const ladder_slurm_job *run = job->run;
    *out = (ladder_slurm_script){.options = run->options,
                                 .program = program,
                                 .lab = run->class->plan->lab->folder,
                                 .folder = job->folder,
                                 .output = run->class->output,
                                 .words = run->words,
                                 .word_count = run->word_count,
                                 .tasks = job->tasks,
                                 .submissions = job->count,
                                 .chunk = job->chunk,
                                 .minutes = minutes_of(job)};
}

// Lists what has no result among the rows. On the first look, what could not be graded is tried
// again, unless it is the same that cannot be read.
static kl_status take_missing(array_job *job, const ladder_row *rows, bool first, kl_error *err) {
    size_t all = job->run->class->count;
    if (!job->missing) job->missing = calloc(all, sizeof *job->missing);
    if (!job->missing) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a job");
    job->count = 0;
    for (size_t i = 0; i < all; i++) {
        bool again = first && rows[i].done && !rows[i].points.graded &&
                     job->run->class->submissions[i].problem[0] == '\0';
        if (!rows[i].done || again) job->missing[job->count++] = i;
    }
    size_t asked = (size_t)job->run->options->chunk,
           least = (job->count + TASKS_MAX - 1) / TASKS_MAX;
    job->chunk = asked > 0 ? asked : least > 0 ? least : 1;
    job->tasks = (job->count + job->chunk - 1) / job->chunk;
    free(job->states);
    job->states = calloc(job->tasks > 0 ? job->tasks : 1, sizeof *job->states);
    return job->states ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a job");
}

static kl_status tell_estimate(const array_job *job, kl_error *err) {
    const ladder_slurm_job *run = job->run;
    ladder_slurm_cost cost;
    TRY(ladder_slurm_cost_find(run->class->plan->kit, run->class->plan->lab, run->class->output,
                               &cost, err));
    double hours = cost.seconds * (double)job->count / 3600;
    fprintf(
        stderr,
        "ladder grade: %zu submission%s in %zu task%s: about %.2f hours in all, %.1f min per task",
        job->count, job->count == 1 ? "" : "s", job->tasks, job->tasks == 1 ? "" : "s", hours,
        cost.seconds * (double)job->chunk / 60);
    fprintf(stderr, "\n  (%.1f s per submission: %s)\n", cost.seconds, cost.source);
    return KL_OK;
}

// What an earlier run left of these submissions is not taken for a result of this one.
static kl_status remove_rows(const array_job *job, kl_error *err) {
    const ladder_class *class = job->run->class;
    char path[LADDER_PATH];
    for (size_t i = 0; i < job->count; i++) {
        TRY(ladder_class_row_path(class->output, class->submissions[job->missing[i]].id, path,
                                  err));
        unlink(path);
    }
    return KL_OK;
}

static kl_status write_work(const array_job *job, kl_error *err) {
    char path[LADDER_PATH];
    ladder_slurm_work work = {
        .seed = job->run->class->plan->cases->seed, .chunk = job->chunk, .count = job->count};
    work.list = calloc(job->count, sizeof *work.list);
    work.changes = calloc(job->count, sizeof *work.changes);
    kl_status status = work.list && work.changes
                           ? ladder_path(path, err, "%s/work.txt", job->folder)
                           : kl_fail(err, KL_ERROR_MEMORY, "no memory for a job");
    for (size_t i = 0; i < job->count && status == KL_OK; i++) {
        work.list[i] = job->run->class->submissions[job->missing[i]];
        work.changes[i] = job->run->class->changes[job->missing[i]];
    }
    if (status == KL_OK) status = ladder_slurm_work_write(path, &work, err);
    free(work.list);
    free(work.changes);
    return status;
}

static kl_status submit(const array_job *job, long long *out_number, kl_error *err) {
    char program[LADDER_PATH], path[LADDER_PATH], text[64];
    ladder_slurm_script script;
    TRY(ladder_path(program, err, "%s/autograder/ladder", job->run->class->plan->kit->build));
    TRY(write_work(job, err));
    TRY(ladder_path(path, err, "%s/log", job->folder));
    TRY(ladder_folder_make(path, err));
    make_script(job, program, &script);
    TRY(ladder_path(path, err, "%s/job.sh", job->folder));
    TRY(kl_file_put(path, put_script, &script, err));
    TRY(remove_rows(job, err));
    TRY(ladder_slurm_submit(path, out_number, err));
    snprintf(text, sizeof text, "%lld %zu\n", *out_number, job->tasks);
    TRY(ladder_path(path, err, "%s/job", job->folder));
    return ladder_file_write(path, text, strlen(text), err);
}

static size_t count_graded(const array_job *job) {
    const ladder_class *class = job->run->class;
    char path[LADDER_PATH];
    size_t graded = 0;
    for (size_t i = 0; i < job->count; i++) {
        const char *id = class->submissions[job->missing[i]].id;
        graded += ladder_class_row_path(class->output, id, path, NULL) == KL_OK &&
                  ladder_file_exists(path);
    }
    return graded;
}

static void show_progress(void *context, size_t waiting, size_t running) {
    array_job *job = context;
    size_t graded = count_graded(job);
    bool same = graded == job->graded && waiting == job->waiting && running == job->running;
    job->graded = graded;
    job->waiting = waiting;
    job->running = running;
    if (job->run->class->progress)
        fprintf(stderr, "\r\033[Kgraded %zu of %zu; %zu task%s running, %zu waiting", graded,
                job->count, running, running == 1 ? "" : "s", waiting);
    else if (!same)
        fprintf(stderr, "graded %zu of %zu; %zu task%s running, %zu waiting\n", graded, job->count,
                running, running == 1 ? "" : "s", waiting);
}

static void show_nothing(void *context, size_t waiting, size_t running) {
    (void)context;
    (void)waiting;
    (void)running;
}

// The last line of what a task said, "" when it left none.
static void last_of_log(const array_job *job, size_t task, char out[300]) {
    char path[LADDER_PATH], line[300], *text = NULL;
    size_t bytes = 0;
    out[0] = '\0';
    if (ladder_path(path, NULL, "%s/log/%zu.txt", job->folder, task) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, LOG_MAX, &text, &bytes, NULL) != KL_OK)
        return;
    ladder_last_line(text, line, sizeof line);
    ladder_plain(line, false, out, 300);
    free(text);
}

// Says which submissions have no result and what Slurm knows of their tasks. Returns whether one of
// them was lost through no fault of its own.
static bool tell_missing(const array_job *job, const ladder_row *rows) {
    bool lost = false;
    size_t told = 0;
    for (size_t i = 0; i < job->count; i++) {
        const ladder_submission *s = &job->run->class->submissions[job->missing[i]];
        ladder_slurm_state state = job->states[i / job->chunk];
        char words[300];
        if (rows[job->missing[i]].done) continue;
        lost = lost || ladder_slurm_kind_of(state) == LADDER_SLURM_KIND_LOST;
        if (told++ >= MISSING_SHOWN) continue;
        last_of_log(job, i / job->chunk, words);
        bool silent = words[0] == '\0' && state == LADDER_SLURM_FAILED;
        fprintf(stderr, "%s: no result, task %zu %s%s%s\n", s->title, i / job->chunk,
                ladder_slurm_state_text(state), words[0] != '\0' ? ": " : "",
                silent ? ", and left no log: can the nodes write into the results' folder?"
                       : words);
    }
    if (told > MISSING_SHOWN) fprintf(stderr, "and %zu more\n", told - MISSING_SHOWN);
    return lost;
}

// The job of the newest earlier run that was submitted; *out_number 0 when there is none.
static kl_status find_earlier(const char *output, const char *folder, long long *out_number,
                              size_t *out_tasks, kl_error *err) {
    char path[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    *out_number = 0;
    for (long n = strtol(strrchr(folder, '/') + 1, NULL, 10) - 1; n > 0 && *out_number == 0; n--) {
        TRY(ladder_path(path, err, "%s/class/slurm/%ld/job", output, n));
        if (ladder_file_read(AT_FDCWD, path, 64, &text, &bytes, NULL) != KL_OK) continue;
        if (sscanf(text, "%lld %zu", out_number, out_tasks) != 2 || *out_tasks > 10000000)
            *out_number = 0;
        free(text);
    }
    return KL_OK;
}

// A job of an earlier run that still goes on: is waited for, or in the way.
static kl_status wait_for_earlier(const ladder_slurm_job *job, const char *folder, kl_error *err) {
    long long number = 0;
    size_t tasks = 0;
    bool alive = false;
    TRY(find_earlier(job->class->output, folder, &number, &tasks, err));
    if (number == 0 || tasks == 0) return KL_OK;
    TRY(ladder_slurm_is_alive(number, tasks, &alive, err));
    if (!alive) return KL_OK;
    if (!job->class->resume)
        return kl_fail(err, KL_ERROR_USAGE,
                       "job %lld still grades into %s: --resume waits for it, scancel %lld ends it",
                       number, job->class->output, number);
    fprintf(stderr, "ladder grade: job %lld of an earlier run still runs; waiting for it\n",
            number);
    ladder_slurm_state *states = calloc(tasks, sizeof *states);
    if (!states) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a job");
    kl_status status = ladder_slurm_wait(number, states, tasks, show_nothing, NULL, err);
    free(states);
    return status;
}

// Earlier jobs have ended: their work, logs and unpacked archives are of no more use.
static kl_status remove_earlier(const char *output, const char *folder, kl_error *err) {
    char path[LADDER_PATH];
    for (long n = strtol(strrchr(folder, '/') + 1, NULL, 10) - 1; n > 0; n--) {
        TRY(ladder_path(path, err, "%s/class/slurm/%ld", output, n));
        ladder_folder_remove(path);
    }
    return KL_OK;
}

// Submits what is missing until nothing is, or only what would be missing again.
static kl_status run_jobs(array_job *job, ladder_row *rows, kl_error *err) {
    for (int submits = 1;; submits++) {
        long long number = 0;
        TRY(tell_estimate(job, err));
        TRY(submit(job, &number, err));
        fprintf(
            stderr,
            "ladder grade: job %lld. When this command is stopped the job goes on, and the same "
            "command with --resume collects it\n",
            number);
        TRY(ladder_slurm_wait(number, job->states, job->tasks, show_progress, job, err));
        if (job->run->class->progress) fputs("\r\033[K", stderr);
        TRY(ladder_class_collect(job->run->class, true, rows, err));
        if (!tell_missing(job, rows) || submits == SUBMITS_MAX) return KL_OK;
        TRY(take_missing(job, rows, false, err));
        fprintf(stderr, "ladder grade: lost tasks are submitted again\n");
    }
}

kl_status ladder_slurm_dry_run(const ladder_slurm_job *job, const char *folder, FILE *out,
                               kl_error *err) {
    char program[LADDER_PATH];
    ladder_slurm_script script;
    array_job array = {.run = job};
    ladder_row *rows = calloc(job->class->count, sizeof *rows);
    kl_status status = rows ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a job");
    if (status == KL_OK) status = ladder_path(array.folder, err, "%s", folder);
    if (status == KL_OK && job->class->resume)
        status = ladder_class_collect(job->class, true, rows, err);
    if (status == KL_OK) status = take_missing(&array, rows, true, err);
    if (status == KL_OK && array.count == 0) {
        fputs("# nothing is missing: no job would be submitted\n", out);
    } else if (status == KL_OK) {
        status = tell_estimate(&array, err);
        if (status == KL_OK)
            status =
                ladder_path(program, err, "%s/autograder/ladder", job->class->plan->kit->build);
        if (status == KL_OK) {
            make_script(&array, program, &script);
            ladder_slurm_script_write(&script, out);
        }
    }
    free(array.missing);
    free(array.states);
    free(rows);
    return status;
}

kl_status ladder_slurm_run(const ladder_slurm_job *job, const char *folder, ladder_row *rows,
                           kl_error *err) {
    array_job array = {.run = job};
    TRY(ladder_path(array.folder, err, "%s", folder));
    TRY(wait_for_earlier(job, folder, err));
    TRY(remove_earlier(job->class->output, folder, err));
    TRY(ladder_class_collect(job->class, job->class->resume, rows, err));
    kl_status status = take_missing(&array, rows, true, err);
    if (status == KL_OK && array.count == 0)
        fprintf(stderr, "ladder grade: everything is graded; nothing is submitted\n");
    else if (status == KL_OK) status = run_jobs(&array, rows, err);
    free(array.missing);
    free(array.states);
    return status;
}

// ---- `--slurm` of `ladder grade` ----------------------------------------------------------------

kl_status ladder_slurm_request_read(ladder_slurm_request *slurm, const char *submissions,
                                    const char *output, kl_error *err) {
    ladder_slurm_options *o = &slurm->options;
    bool any = o->partition || o->account || o->time_limit || o->gpus > 0 || o->chunk > 0 ||
               slurm->more.count > 0 || slurm->dry_run;
    o->more = slurm->more.items;
    o->more_count = slurm->more.count;
    if (slurm->task && (slurm->wanted || submissions || !output))
        return kl_fail(err, KL_ERROR_USAGE, "--slurm-task is for the tasks that --slurm submits");
    if (any && !slurm->wanted)
        return kl_fail(err, KL_ERROR_USAGE,
                       "--partition, --account, --gpus, --time-limit, --chunk, --sbatch and "
                       "--dry-run belong to --slurm");
    if (slurm->wanted && !submissions)
        return kl_fail(err, KL_ERROR_USAGE, "--slurm needs --submissions");
    return ladder_slurm_options_check(o, err);
}

kl_status ladder_slurm_absolute(char *path, kl_error *err) {
    char given[LADDER_PATH], here[LADDER_PATH];
    if (path[0] == '/') return KL_OK;
    if (!getcwd(here, sizeof here))
        return kl_fail(err, KL_ERROR_SYSTEM, "the folder of this command: %s", strerror(errno));
    TRY(ladder_path(given, err, "%s", path));
    return ladder_path(path, err, "%s/%s", here, given);
}

kl_status ladder_slurm_request_open(const ladder_slurm_request *slurm, char *output,
                                    char *out_folder, kl_error *err) {
    bool make = !slurm->dry_run;
    TRY(ladder_slurm_absolute(output, err));
    if (make && ladder_folder_make(output, err) != KL_OK)
        return kl_fail_prefix(err, "results must lie in a folder that all nodes can write "
                                   "(--output)");
    return ladder_slurm_folder(output, make, out_folder, err);
}

// ---- script -------------------------------------------------------------------------------------
// The script of an array job: see slurm.h. It is sh, and what it starts is the kit's own program.

static kl_status check_value(const char *name, const char *value, kl_error *err) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-.,:+/@=[]&|*%";
    if (!value || (value[0] != '\0' && value[strspn(value, plain)] == '\0')) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "%s cannot be \"%.60s\"", name, value);
}

kl_status ladder_slurm_options_check(const ladder_slurm_options *options, kl_error *err) {
    TRY(check_value("--partition", options->partition, err));
    TRY(check_value("--account", options->account, err));
    TRY(check_value("--time-limit", options->time_limit, err));
    for (int i = 0; i < options->more_count; i++) {
        TRY(check_value("--sbatch", options->more[i], err));
        if (strncmp(options->more[i], "--", 2) != 0)
            return kl_fail(err, KL_ERROR_USAGE,
                           "--sbatch takes a whole option, for example --sbatch=--qos=teaching");
    }
    return KL_OK;
}

// A word for sh, in quotes.
static void put_word(FILE *out, const char *word) {
    fputc('\'', out);
    for (const char *at = word; *at != '\0'; at++)
        if (*at == '\'') fputs("'\\''", out);
        else fputc(*at, out);
    fputc('\'', out);
}

static void put_directives(const ladder_slurm_script *s, FILE *out) {
    const ladder_slurm_options *o = s->options;
    fprintf(out, "#SBATCH --job-name=ladder-%s\n#SBATCH --array=0-%zu\n", s->lab, s->tasks - 1);
    if (o->time_limit) fprintf(out, "#SBATCH --time=%s\n", o->time_limit);
    else fprintf(out, "#SBATCH --time=%ld\n", s->minutes);
    fputs("#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --requeue\n#SBATCH --output=/dev/null\n",
          out);
    if (o->partition) fprintf(out, "#SBATCH --partition=%s\n", o->partition);
    if (o->account) fprintf(out, "#SBATCH --account=%s\n", o->account);
    if (o->gpus > 0) fprintf(out, "#SBATCH --gres=gpu:%lld\n", (long long)o->gpus);
    for (int i = 0; i < o->more_count; i++) fprintf(out, "#SBATCH %s\n", o->more[i]);
}

void ladder_slurm_script_write(const ladder_slurm_script *s, FILE *out) {
    fputs("#!/bin/sh\n", out);
    put_directives(s, out);
    fprintf(
        out,
        "# %zu submission%s, %zu per task. Kit, submissions and results lie in folders that all "
        "nodes share.\n",
        s->submissions, s->submissions == 1 ? "" : "s", s->chunk);
    fputs("exec >>", out);
    put_word(out, s->folder);
    fputs("/log/\"$SLURM_ARRAY_TASK_ID\".txt 2>&1\n"
          "[ -d \"${TMPDIR:-/tmp}\" ] || unset TMPDIR # the login node's may not exist here\n"
          "exec ",
          out);
    put_word(out, s->program);
    fprintf(out, " grade %s --slurm-task ", s->lab);
    put_word(out, s->folder);
    fputs(" --output ", out);
    put_word(out, s->output);
    for (int i = 0; i < s->word_count; i++) {
        fputc(' ', out);
        put_word(out, s->words[i]);
    }
    fputc('\n', out);
}
