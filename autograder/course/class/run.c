// SPDX-License-Identifier: MIT
// Grades many submissions: see run.h. A submission's row is written last, so that its presence says
// that its reports are whole; the worker gives the row to this process in shared memory, and the
// file is for a later run.
#include "course/class/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "course/class/journal.h"
#include "course/class/progress.h"
#include "course/export/export.h"
#include "utilities/defence.h"
#include "sandbox/process/machine.h"
#include "sandbox/process/sandbox.h"
#include "show/report/kept_files.h"
#include "show/report/report.h"

enum {
    JOBS_MAX = 256,
    TRIES = 2,       // of a submission whose worker has died
    STOPS_MAX = 50,  // after which a worker that is stopped again and again is ended
    EXIT_MACHINE = 1 // of a worker: the fault is not its submission's
};
// A worker gives a sign at least every POLL_MS (process.c) but where it computes, which takes
// seconds.
static const double stuck_s = 120;

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

typedef struct export_job {
    ladder_export_format format;
    const ladder_report *report;
} export_job;

static kl_status write_export(void *context, FILE *out, kl_error *err) {
    const export_job *job = context;
    return ladder_export_write(job->format, job->report, out, err);
}

// What has no form for this result is not written: the caller finds it missing.
static kl_status write_exports(const ladder_class_job *job, const ladder_report *report,
                               kl_error *err) {
    char path[LADDER_PATH];
    for (int i = 0; i < LADDER_EXPORTS; i++) {
        ladder_export_format format = (ladder_export_format)i;
        if ((job->exports >> i & 1) == 0 || !ladder_export_fits(format, report->result)) continue;
        TRY(ladder_class_path(job->output, report->result->id, ladder_export_file(format), path,
                              err));
        TRY(kl_file_put(path, write_export, &(export_job){format, report}, err));
    }
    return KL_OK;
}

static kl_status write_reports(const ladder_class_job *job, const ladder_result *result,
                               ladder_row *out_row, kl_error *err) {
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
    ladder_kept_files kept;
    TRY(ladder_class_path(job->output, result->id, LADDER_CLASS_FILES, path, err));
    ladder_kept_files_read(path, job->judge->kit->source, job->judge->lab, &kept);
    report.beside = ladder_kept_files_beside(&kept);
    kl_status status = KL_OK;
    for (size_t i = 0; i < sizeof files / sizeof files[0] && status == KL_OK; i++) {
        status = ladder_class_path(job->output, result->id, files[i].file, path, err);
        if (status == KL_OK) status = kl_file_put(path, files[i].write, &report, err);
    }
    ladder_kept_files_free(&kept);
    TRY(status);
    TRY(write_exports(job, &report, err));
    ladder_row_from(result, job->judge->lab, out_row);
    if (job->trace != NULL) out_row->trace = *job->trace;
    out_row->trace.seed = result->seed;
    TRY(ladder_class_row_path(job->output, result->id, path, err));
    return ladder_row_write(out_row, &job->key, path, err);
}

// Whether all files that are asked for lie there. One cannot be made from another.
static bool has_exports(const ladder_class_job *job, const ladder_submission *submission) {
    char path[LADDER_PATH];
    for (int i = 0; i < LADDER_EXPORTS; i++) {
        const char *file = ladder_export_file((ladder_export_format)i);
        if ((job->exports >> i & 1) != 0 &&
            (ladder_class_path(job->output, submission->id, file, path, NULL) != KL_OK ||
             !ladder_file_exists(path)))
            return false;
    }
    return true;
}

// What changes the mark of a submission of the job.
static ladder_mark_change change_of(const ladder_class_job *job,
                                    const ladder_submission *submission) {
    if (job->changes == NULL) return (ladder_mark_change){0};
    return job->changes[submission - job->submissions];
}

// Whether a row says what its pages would say if they were written now: nothing remakes them from
// it.
static bool is_current(const ladder_class_job *job, const ladder_submission *submission,
                       const ladder_row *row) {
    ladder_mark_change now = change_of(job, submission);
    return strcmp(row->rubric, job->judge->lab->rubric->hash) == 0 &&
           row->change.late_days == now.late_days && row->change.late_share == now.late_share &&
           row->change.due_s == now.due_s && row->change.overridden == now.overridden &&
           row->change.override == now.override;
}

// True when the submission was graded before, by this rubric, has a score (to collect: any
// verdict), and its files are the same.
static bool is_finished(const ladder_class_job *job, const ladder_submission *submission,
                        ladder_row *out_row) {
    char path[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    if (!job->resume || ladder_class_row_path(job->output, submission->id, path, &err) != KL_OK)
        return false;
    ladder_row_state state = ladder_row_read(path, &job->key, out_row);
    bool other = state == LADDER_ROW_GOOD && strcmp(out_row->id, submission->id) != 0 &&
                 ladder_defence_on(LADDER_DEFENCE_ROW_OWNER);
    if (state == LADDER_ROW_FOREIGN || other) {
        fprintf(stderr, "%s: its row was not written by this class's runs; it is graded again\n",
                submission->title);
    }
    bool good = state == LADDER_ROW_GOOD && !other && (job->collect || !out_row->ungradable);
    if (!good || !is_current(job, submission, out_row) || !has_exports(job, submission))
        return false;
    ladder_step_file files[LADDER_STEPS_MAX];
    ladder_result *now = calloc(1, sizeof *now);
    bool same = now != NULL && job->judge->lab->rubric->step_count <= LADDER_STEPS_MAX &&
                ladder_submission_read(submission, job->judge->lab, files, now, &err) == KL_OK;
    if (same) {
        same =
            strcmp(now->hash, out_row->hash) == 0 || !ladder_defence_on(LADDER_DEFENCE_ROW_FILES);
        ladder_submission_free(files, job->judge->lab->rubric->step_count);
    }
    free(now);
    return same;
}

static kl_status make_room(const ladder_class_job *job, const ladder_submission *submission,
                           kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_class_row_path(job->output, submission->id, path, err));
    unlink(path);
    for (int i = 0; i < LADDER_EXPORTS; i++) { // an older grade's must not outlive it
        const char *file = ladder_export_file((ladder_export_format)i);
        TRY(ladder_class_path(job->output, submission->id, file, path, err));
        if (!ladder_export_is_table((ladder_export_format)i)) unlink(path);
    }
    TRY(ladder_class_path(job->output, submission->id, LADDER_CLASS_FILES, path, err));
    return ladder_folder_make(path, err);
}

static kl_status work(const ladder_class_job *job, const ladder_submission *submission,
                      ladder_row *out_row, bool *out_kept, kl_error *err) {
    ladder_row *row = calloc(1, sizeof *row);
    ladder_result *result = calloc(1, sizeof *result);
    kl_status status = row != NULL && result != NULL
                           ? KL_OK
                           : kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
    *out_kept = status == KL_OK && is_finished(job, submission, row);
    if (status == KL_OK && !*out_kept && job->collect) {
        memset(row, 0, sizeof *row);
    } else if (status == KL_OK && !*out_kept) {
        status = make_room(job, submission, err);
        char keep[LADDER_PATH];
        if (status == KL_OK)
            status = ladder_class_path(job->output, submission->id, LADDER_CLASS_FILES, keep, err);
        ladder_grade_job grade = {.judge = job->judge,
                                  .submission = submission,
                                  .keep_folder = keep,
                                  .baseline_folder = job->baseline_folder,
                                  .progress = show_step,
                                  .context = (void *)job};
        if (status == KL_OK) {
            ladder_grade_submission(&grade, result);
            result->change = change_of(job, submission);
            status = write_reports(job, result, row, err);
        }
    }
    if (status == KL_OK) *out_row = *row;
    free(result);
    free(row);
    return status;
}

// What a worker and this process share.
typedef struct desk {
    volatile uint32_t pulse; // grows while the worker is at work
    bool kept;               // the row is that of an earlier run
    ladder_row row;          // done: its result
} desk;

static pid_t start_worker(const ladder_class_job *job, size_t index, desk *own,
                          const sigset_t *signals) {
    fflush(NULL);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_MACHINE);
    sigprocmask(SIG_SETMASK, signals, NULL);
    setenv("TMPDIR", job->work, 1); // private folders lie where the parent removes them
    ladder_process_pulse(&own->pulse);
    kl_error err = {KL_OK, ""};
    const ladder_submission *submission = &job->submissions[index];
    if (work(job, submission, &own->row, &own->kept, &err) != KL_OK) {
        fprintf(stderr, "%s: %s\n", submission->title, err.text);
        fflush(NULL);
        _exit(EXIT_MACHINE);
    }
    _exit(0);
}

typedef struct worker {
    pid_t pid;
    size_t index;
    int tries, stops;
    uint32_t pulse; // when it was last seen to grow
    double pulse_s;
} worker;

typedef struct class_run {
    const ladder_class_job *job;
    ladder_row *rows;
    worker running[JOBS_MAX];
    desk *desks; // [limit], of the workers in `running`
    int active, limit;
    size_t next, finished, graded; // graded: by this run
    double start_s;
    ladder_journal journal; // if it keeps one
    bool keeps;
    kl_error journal_err; // the first line that could not be written
    sigset_t signals;     // as they were
    int signal_fd;        // SIGCHLD, and the signals that stop the run
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

static void show_progress(const class_run *run, bool kept, const char *title) {
    enum { LINE = 400 };
    const ladder_class_job *job = run->job;
    if (job->count == 1 || job->collect) return;
    if (!job->progress) {
        fprintf(stderr, "%s %zu of %zu: %s\n", kept ? "kept" : "graded", run->finished, job->count,
                title);
        return;
    }
    char line[LINE];
    ladder_progress progress = {job->count, run->finished, run->graded, kl_now_s() - run->start_s,
                                title};
    fprintf(stderr, "\r\033[K%s",
            ladder_progress_line(&progress, kl_style_for(stderr).width - 1, line, sizeof line));
}

// Puts a worker for a submission at a free desk.
static bool start_one(class_run *run, int at, size_t index, int tries) {
    memset(&run->desks[at], 0, sizeof run->desks[at]);
    pid_t pid = start_worker(run->job, index, &run->desks[at], &run->signals);
    if (pid < 0) return false;
    run->running[at] = (worker){.pid = pid, .index = index, .tries = tries, .pulse_s = kl_now_s()};
    return true;
}

static int free_desk(const class_run *run) {
    int at = 0;
    while (run->running[at].pid != 0) at++;
    return at;
}

static kl_status start_workers(class_run *run, kl_error *err) {
    while (run->active < run->limit && run->next < run->job->count) {
        if (run->keeps)
            TRY(ladder_journal_begin(&run->journal, run->job->submissions[run->next].id, err));
        if (!start_one(run, free_desk(run), run->next, 1)) {
            if (run->active > 0) return KL_OK; // again when one has ended
            return kl_fail(err, KL_ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
        }
        run->active++;
        run->next++;
    }
    return KL_OK;
}

// The result of a submission with which two workers have died. This process looks at none of its
// files.
static void blame(const ladder_class_job *job, const ladder_submission *submission, int status,
                  ladder_row *out_row) {
    const ladder_rubric *rubric = job->judge->lab->rubric;
    kl_error err = {KL_OK, ""};
    ladder_result *result = calloc(1, sizeof *result);
    if (result == NULL) return;
    bool fit =
        ladder_machine_fit(job->work, &err) == KL_OK && ladder_defence_on(LADDER_DEFENCE_BLAME);
    snprintf(result->id, sizeof result->id, "%s", submission->id);
    snprintf(result->title, sizeof result->title, "%s", submission->title);
    result->seed = job->judge->cases->seed;
    result->change = change_of(job, submission);
    result->step_count = rubric->step_count;
    for (int i = 0; i < result->step_count; i++) {
        ladder_step_result *step = &result->steps[i];
        step->step = rubric->steps[i].step;
        step->outcome = fit ? LADDER_BROKEN_RUN : LADDER_UNGRADABLE;
        if (WIFSIGNALED(status))
            snprintf(step->message, sizeof step->message,
                     "the grading of this submission was ended twice: %s (signal %d)",
                     strsignal(WTERMSIG(status)), WTERMSIG(status));
        else
            snprintf(step->message, sizeof step->message,
                     "the grading of this submission ended twice with status %d",
                     WEXITSTATUS(status));
        ladder_score_step(job->judge, &rubric->steps[i], NULL, NULL, NULL, step);
    }
    ladder_result_total(result);
    if (make_room(job, submission, &err) != KL_OK ||
        write_reports(job, result, out_row, &err) != KL_OK)
        fprintf(stderr, "%s: %s\n", submission->title, err.text);
    free(result);
}

// Takes in the result of a worker that has ended; one that died is tried once more.
static void finish_worker(class_run *run, pid_t pid, int status) {
    int at = 0;
    while (at < run->limit && run->running[at].pid != pid) at++;
    if (at == run->limit) return; // an orphan
    worker *w = &run->running[at];
    const ladder_submission *submission = &run->job->submissions[w->index];
    ladder_row *row = &run->rows[w->index];
    bool exited = WIFEXITED(status), kept = false;
    memset(row, 0, sizeof *row);
    if (exited && WEXITSTATUS(status) == 0) {
        *row = run->desks[at].row;
        kept = run->desks[at].kept;
    } else if (!exited || WEXITSTATUS(status) != EXIT_MACHINE) {
        if (w->tries < TRIES && start_one(run, at, w->index, w->tries + 1)) return;
        blame(run->job, submission, status, row);
    }
    snprintf(row->id, sizeof row->id, "%s", submission->id);
    snprintf(row->title, sizeof row->title, "%s", submission->title);
    w->pid = 0;
    run->active--;
    run->finished++;
    run->graded += !kept;
    if (run->keeps && run->journal_err.status == KL_OK)
        ladder_journal_end(&run->journal, row, kept, &run->journal_err);
    show_progress(run, kept, submission->title);
}

// A worker that was stopped from outside goes on; the signals of a terminal stop this process, too.
static void continue_worker(class_run *run, pid_t pid) {
    for (int i = 0; i < run->limit; i++) {
        worker *w = &run->running[i];
        if (w->pid == pid) kill(pid, ++w->stops > STOPS_MAX ? SIGKILL : SIGCONT);
    }
}

static void end_stuck_workers(class_run *run) {
    double now = kl_now_s();
    for (int i = 0; i < run->limit; i++) {
        worker *w = &run->running[i];
        if (w->pid <= 0) continue;
        uint32_t pulse = run->desks[i].pulse;
        if (pulse != w->pulse) {
            w->pulse = pulse;
            w->pulse_s = now;
        }
        double limit_s = run->job->stuck_s > 0 ? run->job->stuck_s : stuck_s;
        if (now - w->pulse_s > limit_s) kill(w->pid, SIGKILL);
    }
}

static kl_status run_all(class_run *run, kl_error *err) {
    enum { LOOK_MS = 500 };
    bool watched = ladder_defence_on(LADDER_DEFENCE_WORKER_WATCH);
    while (run->finished < run->job->count) {
        TRY(start_workers(run, err));
        struct signalfd_siginfo signal_info;
        struct pollfd ready = {run->signal_fd, POLLIN, 0};
        if (watched) end_stuck_workers(run);
        if (poll(&ready, 1, LOOK_MS) <= 0) continue;
        if (read(run->signal_fd, &signal_info, sizeof signal_info) != sizeof signal_info) {
            if (errno == EINTR) continue;
            return kl_fail(err, KL_ERROR_SYSTEM, "signalfd: %s", strerror(errno));
        }
        if (signal_info.ssi_signo != SIGCHLD) {
            return kl_fail(err, KL_ERROR_SYSTEM,
                           "stopped after %zu of %zu; the same command with --resume goes on",
                           run->finished, run->job->count);
        }
        int status = 0, flags = watched ? WNOHANG | WUNTRACED : WNOHANG;
        for (pid_t ended; (ended = waitpid(-1, &status, flags)) > 0;)
            if (WIFSTOPPED(status))
                continue_worker(run, ended);
            else
                finish_worker(run, ended, status);
        if (run->journal_err.status != KL_OK) {
            *err = run->journal_err;
            return err->status;
        }
    }
    return KL_OK;
}

// The folder of the class's own files, and the key of its rows.
static kl_status open_class(ladder_class_job *job, kl_error *err) {
    char path[LADDER_PATH];
    bool made = false;
    TRY(ladder_path(path, err, "%s/class", job->output));
    TRY(ladder_folder_make(path, err));
    TRY(ladder_path(path, err, "%s/class/key", job->output));
    return ladder_row_key_open(path, !job->resume, &job->key, &made, err);
}

kl_status ladder_class_run(const ladder_class_job *given, ladder_row *rows, kl_error *err) {
    ladder_class_job job = *given;
    TRY(open_class(&job, err));
    class_run *run = calloc(1, sizeof *run);
    if (run == NULL) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a class");
    run->job = &job;
    run->rows = rows;
    run->signal_fd = -1;
    run->limit = job.jobs < 1 ? 1 : job.jobs > JOBS_MAX ? JOBS_MAX : job.jobs;
    size_t desk_bytes = (size_t)run->limit * sizeof *run->desks;
    run->desks = mmap(NULL, desk_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    kl_status status = run->desks != MAP_FAILED
                           ? watch_signals(run, err)
                           : kl_fail(err, KL_ERROR_MEMORY, "no memory for a class");
    run->start_s = kl_now_s();
    run->keeps = !job.part && !job.collect;
    bool opened = false;
    if (status == KL_OK && run->keeps) {
        status = ladder_journal_open(job.output, !job.resume, job.judge->lab,
                                     job.judge->cases->seed, &job.key, &run->journal, err);
        opened = status == KL_OK;
    }
    if (status == KL_OK) status = run_all(run, err);
    if (opened) ladder_journal_close(&run->journal, status == KL_OK);
    if (job.progress) fputs("\r\033[K", stderr);
    ladder_process_kill_descendants(NULL, 0,
                                    5.0); // workers of a stopped run, remains of a lost one
    if (run->signal_fd >= 0) {
        close(run->signal_fd);
        sigprocmask(SIG_SETMASK, &run->signals, NULL);
    }
    if (run->desks != MAP_FAILED) munmap(run->desks, desk_bytes);
    free(run);
    return status;
}
