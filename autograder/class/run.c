// SPDX-License-Identifier: MIT
// Grades many submissions: see run.h. A submission's row.txt is written last, so that its presence
// says that all its other files are whole.
#include "class/run.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/sandbox.h"
#include "report/report.h"

enum { JOBS_MAX = 256 };

kl_status ladder_class_path(const char *output, const char *id, const char *file, char *out,
                            kl_error *err) {
    return ladder_path(out, err, "%s/%s%s%s", output, id, file[0] != '\0' ? "/" : "", file);
}

static void show_step(void *context, int step, const char *what) {
    const ladder_class_job *job = context;
    if (job->progress && job->count == 1) fprintf(stderr, "\r\033[Kstep %d: %s", step, what);
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

static kl_status write_reports(const ladder_class_job *job, const ladder_result *result,
                               kl_error *err) {
    static const struct {
        const char *file;
        kl_file_content *write;
    } files[] = {
        {"report.txt", write_text}, {"report.html", write_html}, {"result.json", write_json}};
    ladder_sandbox_level level = ladder_sandbox_find();
    ladder_report report = {.lab = job->judge->lab,
                            .result = result,
                            .device = job->device,
                            .sandbox = ladder_sandbox_name(level),
                            .sandbox_text = ladder_sandbox_text(level)};
    char path[LADDER_PATH];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        TRY(ladder_class_path(job->output, result->id, files[i].file, path, err));
        TRY(kl_file_put(path, files[i].write, &report, err));
    }
    ladder_row row;
    ladder_row_from(result, &row);
    TRY(ladder_class_path(job->output, result->id, "row.txt", path, err));
    return ladder_row_write(&row, path, err);
}

// True when the submission was graded before, has a score, and its files are the same.
static bool is_finished(const ladder_class_job *job, const ladder_submission *submission) {
    char path[LADDER_PATH];
    ladder_row row;
    kl_error err = {KL_OK, ""};
    if (!job->resume ||
        ladder_class_path(job->output, submission->id, "row.txt", path, &err) != KL_OK ||
        !ladder_row_read(path, &row) || row.ungradable)
        return false;
    ladder_step_file files[LADDER_STEPS_MAX];
    ladder_result *now = calloc(1, sizeof *now);
    bool same = now != NULL && job->judge->lab->rubric->step_count <= LADDER_STEPS_MAX &&
                ladder_submission_read(submission, job->judge->lab, files, now, &err) == KL_OK;
    if (same) {
        same = strcmp(now->hash, row.hash) == 0;
        ladder_submission_free(files, job->judge->lab->rubric->step_count);
    }
    free(now);
    return same;
}

static kl_status work(const ladder_class_job *job, const ladder_submission *submission,
                      kl_error *err) {
    if (is_finished(job, submission)) return KL_OK;
    char path[LADDER_PATH];
    TRY(ladder_class_path(job->output, submission->id, "row.txt", path, err));
    unlink(path);
    TRY(ladder_class_path(job->output, submission->id, "", path, err));
    TRY(ladder_folder_make(path, err));
    ladder_result *result = calloc(1, sizeof *result);
    if (result == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
    ladder_grade_job grade = {.judge = job->judge,
                              .submission = submission,
                              .baseline_folder = job->baseline_folder,
                              .progress = show_step,
                              .context = (void *)job};
    ladder_grade_submission(&grade, result);
    kl_status status = write_reports(job, result, err);
    free(result);
    return status;
}

static pid_t start_worker(const ladder_class_job *job, size_t index, const sigset_t *signals) {
    fflush(NULL);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    sigprocmask(SIG_SETMASK, signals, NULL);
    setenv("TMPDIR", job->work, 1); // private folders lie where the parent removes them
    kl_error err = {KL_OK, ""};
    const ladder_submission *submission = &job->submissions[index];
    if (work(job, submission, &err) != KL_OK) {
        fprintf(stderr, "%s: %s\n", submission->title, err.text);
        fflush(NULL);
        _exit(1);
    }
    _exit(0);
}

static void show_progress(const ladder_class_job *job, size_t finished, const char *title) {
    if (job->count == 1) return;
    if (job->progress) {
        int width = 30;
        fprintf(stderr, "\r\033[Kgraded %zu of %zu  [", finished, job->count);
        for (int i = 0; i < width; i++)
            fputc((size_t)i * job->count < finished * (size_t)width ? '#' : '.', stderr);
        fprintf(stderr, "]  %.30s", title);
    } else {
        fprintf(stderr, "graded %zu of %zu: %s\n", finished, job->count, title);
    }
}

typedef struct class_run {
    const ladder_class_job *job;
    ladder_row *rows;
    struct {
        pid_t pid;
        size_t index;
    } running[JOBS_MAX];
    int active, limit;
    size_t next, finished;
    sigset_t signals; // as they were
    int signal_fd;    // SIGCHLD, and the signals that stop the run
} class_run;

static kl_status watch_signals(class_run *run, kl_error *err) {
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    sigaddset(&watched, SIGINT);
    sigaddset(&watched, SIGTERM);
    sigaddset(&watched, SIGHUP);
    sigprocmask(SIG_BLOCK, &watched, &run->signals);
    run->signal_fd = signalfd(-1, &watched, SFD_CLOEXEC);
    if (run->signal_fd >= 0) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "signalfd: %s", strerror(errno));
}

static kl_status start_workers(class_run *run, kl_error *err) {
    while (run->active < run->limit && run->next < run->job->count) {
        pid_t pid = start_worker(run->job, run->next, &run->signals);
        if (pid < 0 && run->active > 0) return KL_OK; // again when one has ended
        if (pid < 0)
            return kl_fail(err, KL_ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
        run->running[run->active].pid = pid;
        run->running[run->active++].index = run->next++;
    }
    return KL_OK;
}

// Takes in the result of a worker that has ended.
static void finish_worker(class_run *run, pid_t pid, bool well) {
    for (int i = 0; i < run->active; i++) {
        if (run->running[i].pid != pid) continue;
        size_t index = run->running[i].index;
        const ladder_submission *submission = &run->job->submissions[index];
        ladder_row *row = &run->rows[index];
        char path[LADDER_PATH];
        if (!well ||
            ladder_class_path(run->job->output, submission->id, "row.txt", path, NULL) != KL_OK ||
            !ladder_row_read(path, row))
            memset(row, 0, sizeof *row);
        snprintf(row->id, sizeof row->id, "%s", submission->id);
        snprintf(row->title, sizeof row->title, "%s", submission->title);
        run->running[i] = run->running[--run->active];
        run->finished++;
        show_progress(run->job, run->finished, submission->title);
        return;
    }
}

static kl_status run_all(class_run *run, kl_error *err) {
    while (run->finished < run->job->count) {
        TRY(start_workers(run, err));
        struct signalfd_siginfo signal_info;
        if (read(run->signal_fd, &signal_info, sizeof signal_info) != sizeof signal_info) {
            if (errno == EINTR) continue;
            return kl_fail(err, KL_ERROR_SYSTEM, "signalfd: %s", strerror(errno));
        }
        if (signal_info.ssi_signo != SIGCHLD) {
            return kl_fail(err, KL_ERROR_SYSTEM,
                           "stopped after %zu of %zu; the same command with --resume goes on",
                           run->finished, run->job->count);
        }
        int status = 0;
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
            finish_worker(run, ended, WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return KL_OK;
}

kl_status ladder_class_run(const ladder_class_job *job, ladder_row *rows, kl_error *err) {
    class_run *run = calloc(1, sizeof *run);
    if (run == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a class");
    run->job = job;
    run->rows = rows;
    run->limit = job->jobs < 1 ? 1 : job->jobs > JOBS_MAX ? JOBS_MAX : job->jobs;
    kl_status status = watch_signals(run, err);
    if (status == KL_OK) status = run_all(run, err);
    if (job->progress) fputs("\r\033[K", stderr);
    ladder_process_kill_descendants(NULL, 0,
                                    5.0); // workers of a stopped run, remains of a lost one
    if (run->signal_fd >= 0) close(run->signal_fd);
    sigprocmask(SIG_SETMASK, &run->signals, NULL);
    free(run);
    return status;
}
