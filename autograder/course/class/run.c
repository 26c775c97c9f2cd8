// Grades many submissions, and keeps the journal of it: see class.h. A worker gives its row to this
// process in shared memory; the row's file is for a later run.
#include "course/class/internal.h"
#include "utilities/defence.h"
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

enum {
    JOBS_MAX = 256,
    TRIES = 2,       // of a submission whose worker has died
    STOPS_MAX = 50,  // after which a worker that is stopped again and again is ended
    EXIT_MACHINE = 1 // of a worker: the fault is not its submission's
};

// ---- the journal --------------------------------------------------------------------------------

kl_status ladder_class_lock(const char *output, FILE *notes, ladder_lock *out_lock, kl_error *err) {
    char path[LADDER_PATH], what[LADDER_PATH + 20];
    const ladder_lock_words words = {what, "let it end, or name another folder with --output"};
    snprintf(what, sizeof what, "grades into %s", output);
    TRY(ladder_path(path, err, "%s/class", output));
    TRY(ladder_folder_make(path, err));
    TRY(ladder_path(path, err, "%s/class/lock", output));
    return ladder_lock_take(path, &words, 0, notes, out_lock, err);
}

// A line in one piece: what is killed in its middle leaves a torn last line, which nobody reads.
static kl_status put(const ladder_journal *journal, kl_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static kl_status put(const ladder_journal *journal, kl_error *err, const char *format, ...) {
    char line[512];
    va_list args;
    va_start(args, format);
    int bytes = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (bytes < 0 || (size_t)bytes >= sizeof line - 1) bytes = sizeof line - 2;
    line[bytes++] = '\n';
    ssize_t written = write(journal->fd, line, (size_t)bytes);
    if (written == bytes) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "%s cannot be written: %s; nothing that was graded is lost: make room, then the "
                   "same command with --resume",
                   journal->path, written < 0 ? strerror(errno) : "no space left");
}

// "run LAB RUBRIC SEED SIGNATURE", as it is in the file.
static void run_line(const ladder_lab *lab, uint64_t seed, const ladder_row_key *key, char *out,
                     size_t out_bytes) {
    char signature[LADDER_SHA256_TEXT];
    int used = snprintf(out, out_bytes, "run %s %s %" PRIu64, lab->folder, lab->rubric->hash, seed);
    ladder_hmac(key->bytes, sizeof key->bytes, out, (size_t)used, signature);
    snprintf(out + used, out_bytes - (size_t)used, " %s", signature);
}

static void take_line(const char *line, const ladder_lab *lab, const ladder_row_key *key,
                      ladder_journal_state *state) {
    char lab_name[128], rubric[LADDER_SHA256_TEXT], good[400];
    uint64_t seed = 0;
    if (strncmp(line, "graded ", 7) == 0) {
        state->graded++;
    } else if (strcmp(line, "end") == 0) {
        *state = (ladder_journal_state){0};
    } else if (sscanf(line, "run %127s %64s %" SCNu64, lab_name, rubric, &seed) == 3) {
        run_line(lab, seed, key, good, sizeof good);
        state->unfinished = strcmp(line, good) == 0;
        state->seed = seed;
    }
}

ladder_journal_state ladder_journal_read(const char *output, const ladder_lab *lab) {
    enum { JOURNAL_MAX = 256 << 20 };
    ladder_journal_state state = {0};
    ladder_row_key key;
    char path[LADDER_PATH], *text = NULL;
    bool made = false;
    if (ladder_path(path, NULL, "%s/class/key", output) != KL_OK || !ladder_file_exists(path) ||
        ladder_row_key_open(path, false, &key, &made, NULL) != KL_OK || made)
        return state;
    if (ladder_path(path, NULL, "%s/class/journal", output) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, JOURNAL_MAX, &text, NULL, NULL) != KL_OK)
        return state;
    char *line = text;
    for (char *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        take_line(line, lab, &key, &state);
    }
    free(text);
    return state;
}

kl_status ladder_journal_open(const char *output, bool anew, const ladder_lab *lab, uint64_t seed,
                              const ladder_row_key *key, ladder_journal *out_journal,
                              kl_error *err) {
    char line[400], last = '\n';
    TRY(ladder_path(out_journal->path, err, "%s/class/journal", output));
    int how = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | (anew ? O_TRUNC : 0);
    out_journal->fd = open(out_journal->path, how, 0600);
    if (out_journal->fd < 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", out_journal->path, strerror(errno));
    off_t bytes = lseek(out_journal->fd, 0, SEEK_END);
    bool torn = bytes > 0 && pread(out_journal->fd, &last, 1, bytes - 1) == 1 && last != '\n';
    run_line(lab, seed, key, line, sizeof line);
    kl_status status = put(out_journal, err, "%s%s", torn ? "\n" : "", line);
    if (status != KL_OK) close(out_journal->fd);
    return status;
}

kl_status ladder_journal_begin(const ladder_journal *journal, const char *id, kl_error *err) {
    return put(journal, err, "begin %s", id);
}

kl_status ladder_journal_end(const ladder_journal *journal, const ladder_row *row, bool kept,
                             kl_error *err) {
    if (kept) return put(journal, err, "kept %s", row->id);
    if (!row->done) return put(journal, err, "lost %s", row->id);
    if (!row->points.graded) return put(journal, err, "ungradable %s", row->id);
    return put(journal, err, "graded %s %s %.4f", row->id, row->hash, row->points.reached);
}

void ladder_journal_close(ladder_journal *journal, bool finished) {
    if (finished) put(journal, NULL, "end");
    close(journal->fd);
}

// ---- the workers --------------------------------------------------------------------------------

// A worker gives a sign at least every POLL_MS (process.c) but where it computes, which takes
// seconds.
static const double stuck_s = 120;

// What a worker and this process share.
typedef struct worker_memory {
    volatile uint32_t pulse;        // grows while the worker is at work
    bool kept;                      // the row is that of an earlier run
    char doing[LADDER_CLASS_DOING]; // "ann: step 4, timing"
    ladder_row row;                 // done: its result
} worker_memory;

typedef struct worker {
    pid_t pid; // 0: none
    size_t index;
    int tries, stops;
    uint32_t pulse; // when it was last seen to grow
    double pulse_s;
} worker;

typedef struct class_run {
    const ladder_class *class;
    ladder_class_mode mode;
    ladder_row *rows;
    worker workers[JOBS_MAX];
    worker_memory *shared; // [limit], with each of the workers
    int active, limit;
    size_t next, finished, graded; // graded: by this run
    int shown;                     // workers whose work was shown
    double start_s;
    ladder_journal journal; // if it keeps one
    bool keeps;
    kl_error journal_err; // the first line that could not be written
    sigset_t signals;     // as they were
    int signal_fd;        // SIGCHLD, and the signals that stop the run
} class_run;

static pid_t start_worker(const class_run *run, size_t index, worker_memory *own) {
    const ladder_class *class = run->class;
    fflush(NULL);
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_MACHINE);
    sigprocmask(SIG_SETMASK, &run->signals, NULL);
    setenv("TMPDIR", class->work, 1); // private folders lie where the parent removes them
    ladder_process_pulse(&own->pulse);
    kl_error err = {KL_OK, ""};
    const ladder_submission *submission = &class->submissions[index];
    ladder_class_mode mode = run->mode;
    mode.doing = own->doing;
    if (ladder_class_submission(class, &mode, submission, &own->row, &own->kept, &err) != KL_OK) {
        fprintf(stderr, "%s: %s\n", submission->title, err.text);
        fflush(NULL);
        _exit(EXIT_MACHINE);
    }
    _exit(0);
}

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
    const ladder_class *class = run->class;
    if (class->count == 1 || run->mode.collect) return;
    if (!class->progress) {
        fprintf(stderr, "%s %zu of %zu: %s\n", kept ? "kept" : "graded", run->finished,
                class->count, title);
        return;
    }
    char line[LINE];
    ladder_progress progress = {class->count, run->finished, run->graded, kl_now_s() - run->start_s,
                                title};
    fprintf(stderr, "\r\033[K%s",
            ladder_progress_line(&progress, kl_style_for(stderr).width - 1, line, sizeof line));
}

// Starts a worker for a submission in a free place.
static bool start_one(class_run *run, int at, size_t index, int tries) {
    memset(&run->shared[at], 0, sizeof run->shared[at]);
    pid_t pid = start_worker(run, index, &run->shared[at]);
    if (pid < 0) return false;
    run->workers[at] = (worker){.pid = pid, .index = index, .tries = tries, .pulse_s = kl_now_s()};
    return true;
}

static int free_place(const class_run *run) {
    int at = 0;
    while (run->workers[at].pid != 0) at++;
    return at;
}

static kl_status start_workers(class_run *run, kl_error *err) {
    while (run->active < run->limit && run->next < run->class->count) {
        if (run->keeps)
            TRY(ladder_journal_begin(&run->journal, run->class->submissions[run->next].id, err));
        if (!start_one(run, free_place(run), run->next, 1)) {
            if (run->active > 0) return KL_OK; // again when one has ended
            return kl_fail(err, KL_ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
        }
        run->active++;
        run->next++;
    }
    return KL_OK;
}

// Takes in the result of a worker that has ended; one that died is tried once more.
static void finish_worker(class_run *run, pid_t pid, int status) {
    int at = 0;
    while (at < run->limit && run->workers[at].pid != pid) at++;
    if (at == run->limit) return; // an orphan
    worker *w = &run->workers[at];
    const ladder_submission *submission = &run->class->submissions[w->index];
    ladder_row *row = &run->rows[w->index];
    bool exited = WIFEXITED(status), kept = false;
    memset(row, 0, sizeof *row);
    if (exited && WEXITSTATUS(status) == 0) {
        *row = run->shared[at].row;
        kept = run->shared[at].kept;
    } else if (!exited || WEXITSTATUS(status) != EXIT_MACHINE) {
        if (w->tries < TRIES && start_one(run, at, w->index, w->tries + 1)) return;
        ladder_class_broken(run->class, &run->mode, submission, status, row);
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
        worker *w = &run->workers[i];
        if (w->pid == pid) kill(pid, ++w->stops > STOPS_MAX ? SIGKILL : SIGCONT);
    }
}

static void end_stuck_workers(class_run *run) {
    double now = kl_now_s();
    for (int i = 0; i < run->limit; i++) {
        worker *w = &run->workers[i];
        if (w->pid <= 0) continue;
        uint32_t pulse = run->shared[i].pulse;
        if (pulse != w->pulse) {
            w->pulse = pulse;
            w->pulse_s = now;
        }
        double limit_s = run->class->stuck_s > 0 ? run->class->stuck_s : stuck_s;
        if (now - w->pulse_s > limit_s) kill(w->pid, SIGKILL);
    }
}

// Of one submission what its worker does; of a class, on a terminal, what the workers do, one after
// the other.
static void show_doing(class_run *run) {
    bool single = run->class->count == 1 && !run->mode.collect;
    if (!run->class->progress && !single) return;
    for (int i = 0; i < run->limit; i++) {
        int at = run->shown++ % run->limit;
        char text[LADDER_CLASS_DOING];
        if (run->workers[at].pid <= 0) continue;
        memcpy(text, run->shared[at].doing, sizeof text);
        text[sizeof text - 1] = '\0';
        if (text[0] == '\0') continue;
        if (single) kl_ticker_say(text);
        else show_progress(run, false, text);
        return;
    }
}

static kl_status run_all(class_run *run, kl_error *err) {
    enum { LOOK_MS = 500 };
    bool watched = ladder_defence_on(LADDER_DEFENCE_WORKER_WATCH);
    while (run->finished < run->class->count) {
        TRY(start_workers(run, err));
        struct signalfd_siginfo signal_info;
        struct pollfd ready = {run->signal_fd, POLLIN, 0};
        if (watched) end_stuck_workers(run);
        if (poll(&ready, 1, LOOK_MS) <= 0) {
            show_doing(run);
            continue;
        }
        if (read(run->signal_fd, &signal_info, sizeof signal_info) != sizeof signal_info) {
            if (errno == EINTR) continue;
            return kl_fail(err, KL_ERROR_SYSTEM, "signalfd: %s", strerror(errno));
        }
        if (signal_info.ssi_signo != SIGCHLD) {
            return kl_fail(err, KL_ERROR_SYSTEM,
                           "stopped after %zu of %zu; the same command with --resume goes on",
                           run->finished, run->class->count);
        }
        int status = 0, flags = watched ? WNOHANG | WUNTRACED : WNOHANG;
        for (pid_t ended; (ended = waitpid(-1, &status, flags)) > 0;)
            if (WIFSTOPPED(status)) continue_worker(run, ended);
            else finish_worker(run, ended, status);
        if (run->journal_err.status != KL_OK) {
            *err = run->journal_err;
            return err->status;
        }
    }
    return KL_OK;
}

// The folder of the class's own files, and the key of its rows.
static kl_status open_class(class_run *run, kl_error *err) {
    char path[LADDER_PATH];
    bool made = false;
    TRY(ladder_path(path, err, "%s/class", run->class->output));
    TRY(ladder_folder_make(path, err));
    TRY(ladder_path(path, err, "%s/class/key", run->class->output));
    return ladder_row_key_open(path, !run->mode.resume, &run->mode.key, &made, err);
}

static kl_status run_with_journal(class_run *run, kl_error *err) {
    const ladder_class *class = run->class;
    TRY(watch_signals(run, err));
    run->keeps = !class->part && !run->mode.collect;
    if (!run->keeps) return run_all(run, err);
    TRY(ladder_journal_open(class->output, !run->mode.resume, class->plan->lab,
                            class->plan->cases->seed, &run->mode.key, &run->journal, err));
    kl_status status = run_all(run, err);
    ladder_journal_close(&run->journal, status == KL_OK);
    return status;
}

static kl_status run_class(class_run *run, kl_error *err) {
    const ladder_class *class = run->class;
    TRY(open_class(run, err));
    ladder_sandbox_describe(class->plan->memory_bytes, class->plan->gpu, &run->mode.sandbox);
    run->signal_fd = -1;
    run->limit = class->jobs < 1 ? 1 : class->jobs > JOBS_MAX ? JOBS_MAX : class->jobs;
    run->start_s = kl_now_s();
    size_t bytes = (size_t)run->limit * sizeof *run->shared;
    run->shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (run->shared == MAP_FAILED) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a class");
    kl_status status = run_with_journal(run, err);
    kl_ticker_say("");
    if (class->progress && !run->mode.collect) fputs("\r\033[K", stderr);
    ladder_process_kill_descendants(NULL, 0,
                                    5.0); // workers of a stopped run, remains of a lost one
    if (run->signal_fd >= 0) {
        close(run->signal_fd);
        sigprocmask(SIG_SETMASK, &run->signals, NULL);
    }
    munmap(run->shared, bytes);
    return status;
}

kl_status ladder_class_run(const ladder_class *class, ladder_row *rows, kl_error *err) {
    class_run run = {.class = class, .rows = rows, .mode = {.resume = class->resume}};
    return run_class(&run, err);
}

kl_status ladder_class_collect(const ladder_class *class, bool resume, ladder_row *rows,
                               kl_error *err) {
    class_run run = {.class = class, .rows = rows, .mode = {.resume = resume, .collect = true}};
    return run_class(&run, err);
}

// ---- the line of progress -----------------------------------------------------------------------

char *ladder_progress_left(const ladder_progress *p, char *text, size_t text_bytes) {
    text[0] = '\0';
    if (p->graded == 0 || p->finished >= p->count) return text;
    double left_s = p->seconds / (double)p->graded * (double)(p->count - p->finished);
    if (left_s < 90) snprintf(text, text_bytes, "about %.0f s left", 10 * ceil(left_s / 10));
    else if (left_s < 90 * 60) snprintf(text, text_bytes, "about %.0f min left", ceil(left_s / 60));
    else snprintf(text, text_bytes, "about %.1f h left", left_s / 3600);
    return text;
}

char *ladder_progress_line(const ladder_progress *p, int width, char *text, size_t text_bytes) {
    enum { BAR = 30, TITLE = 24 };
    char left[48], bar[BAR + 1], title[TITLE * 4 + 1]; // of characters of up to four bytes
    for (size_t i = 0; i < BAR; i++) bar[i] = i * p->count < p->finished * BAR ? '#' : '.';
    bar[BAR] = '\0';
    ladder_progress_left(p, left, sizeof left);
    int used = snprintf(text, text_bytes, "graded %zu of %zu  [%s]%s%s", p->finished, p->count, bar,
                        left[0] != '\0' ? "  " : "", left);
    ladder_plain(p->title, false, title, sizeof title);
    int available = width - used - 2;
    size_t bytes = 0;
    for (int columns = 0; title[bytes] != '\0'; bytes++) {
        bool starts = ((unsigned char)title[bytes] & 0xC0) != 0x80;
        if (starts && columns++ == (available < TITLE ? available : TITLE)) break;
    }
    if (available > 0 && (size_t)used < text_bytes)
        snprintf(text + used, text_bytes - (size_t)used, "  %.*s", (int)bytes, title);
    return text;
}
