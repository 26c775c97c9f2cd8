// Where the step files of a student lie: see internal.h.
#include "grade/intake/internal.h"
#include <dirent.h>
#include <strings.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum {
    DEPTH_MAX = 12,     // "home/ann/uni/gpu/course/labs/NN_name/steps" within wrapping folders
    BRANCHES_MAX = 256, // folders of one folder that are looked into
    PLACES_MAX = 64     // folders with step files that are compared
};

// How much better a folder is for what its path says than one more step file makes it.
enum { OF_THIS_LAB = 1000, NAMED_STEPS = 100, OF_SOLUTIONS = -500 };

// How near to a step what has no such name is, behind ladder_step_name_distance.
enum { DISTANCE_LINK = 1 };

// A folder with step files.
typedef struct place {
    char path[LADDER_PATH];
    uint64_t steps; // a bit for each of the rubric's
    int rank;
    ladder_name_fit fit; // the best
    bool alone;          // of another lab or of the solutions: nothing is added from it
} place;

typedef struct search {
    const ladder_lab *lab;
    ladder_gathered *found;
    place *places;     // [PLACES_MAX]
    int place_count;   // of places
    int entries;       // looked at
    int archive_depth; // of found->archives
    size_t top;        // length of the path where the search began
} search;

bool ladder_gather_is_beside_steps(const char *name) {
    static const char *const names[] = {LADDER_BESIDE_STEPS};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

static bool has_part(const char *path, const char *part) {
    size_t length = strlen(part);
    for (const char *at = path; (at = strstr(at, part)); at += length) {
        bool begins = at > path && at[-1] == '/';
        if (begins && (at[length] == '/' || at[length] == '\0')) return true;
    }
    return false;
}

static bool is_of_other_lab(const search *s, const char *below) {
    for (int i = 0; i < ladder_lab_count; i++)
        if (&ladder_labs[i] != s->lab && has_part(below, ladder_labs[i].folder)) return true;
    return false;
}

static void consider(search *s, const char *path, uint64_t steps, ladder_name_fit fit, int depth) {
    const char *below = path + s->top;
    if (steps == 0 || s->place_count == PLACES_MAX) return;
    int files = 0;
    for (uint64_t left = steps; left != 0; left &= left - 1) files++;
    int rank = 10 * files - depth;
    if (has_part(below, s->lab->folder)) rank += OF_THIS_LAB;
    if (has_part(below, "solutions")) rank += OF_SOLUTIONS;
    const char *name = strrchr(path, '/');
    if (depth > 0 && name && strcmp(name, "/steps") == 0) rank += NAMED_STEPS;
    place *p = &s->places[s->place_count++];
    *p = (place){.steps = steps,
                 .rank = rank,
                 .fit = fit,
                 .alone = has_part(below, "solutions") || is_of_other_lab(s, below)};
    snprintf(p->path, sizeof p->path, "%s", path);
}

static int by_rank(const void *a, const void *b) {
    const place *x = a, *y = b;
    return x->rank != y->rank ? (x->rank < y->rank) - (x->rank > y->rank)
                              : strcmp(x->path, y->path);
}

// The best folder, and those that only add to it: who has a folder for each step hands in all of
// them, but an old copy never replaces or fills up a newer one.
static void choose(search *s) {
    ladder_gathered *found = s->found;
    uint64_t taken = 0, own = 0; // own: steps that the student writes
    for (int i = 0; i < s->lab->rubric->step_count; i++)
        own |= (uint64_t)!s->lab->rubric->steps[i].given << i;
    qsort(s->places, (size_t)s->place_count, sizeof *s->places, by_rank);
    for (int i = 0; i < s->place_count; i++) {
        const place *p = &s->places[i];
        bool adds = (taken & p->steps & own) == 0 && (p->steps & ~taken) != 0 && !p->alone &&
                    !s->places[0].alone && found->more_count < LADDER_GATHER_FOLDERS;
        const char *below = p->path + s->top;
        if (i == 0) {
            snprintf(found->folder, sizeof found->folder, "%s", p->path);
            found->fit = p->fit;
        } else if (adds) {
            snprintf(found->more[found->more_count++], LADDER_PATH, "%s", p->path);
        } else if (found->other[0] == '\0') {
            snprintf(found->other, sizeof found->other, "%.90s", *below != '\0' ? below : "/");
        }
        if (i > 0 && !adds) continue;
        for (uint64_t left = p->steps & ~taken; left != 0; left &= left - 1) found->files++;
        taken |= p->steps;
    }
}

static int by_path(const void *a, const void *b) { return strcmp(a, b); }

// An archive that may hold the steps: those nearest to the top count.
static void consider_archive(search *s, const char *path, const char *name, int depth) {
    ladder_gathered *found = s->found;
    char full[LADDER_PATH];
    if (ladder_path(full, NULL, "%s/%s", path, name) != KL_OK) return;
    if (found->archive_count > 0 && depth < s->archive_depth) found->archive_count = 0;
    if (found->archive_count == LADDER_GATHER_ARCHIVES ||
        (found->archive_count > 0 && depth > s->archive_depth))
        return;
    memcpy(found->archives[found->archive_count++], full, sizeof full);
    s->archive_depth = depth;
}

static void consider_file(search *s, const char *path, const char *name, mode_t mode, int depth) {
    ladder_seen *seen = &s->found->seen;
    char why[100];
    if (S_ISLNK(mode)) {
        ladder_seen_add(seen, DISTANCE_LINK, name, "a link; links are not followed");
    } else if (!S_ISREG(mode)) {
        ladder_seen_add(seen, DISTANCE_LINK, name, "not a regular file");
    } else if (ladder_archive_is(name)) {
        consider_archive(s, path, name, depth);
    } else if (!ladder_gather_is_beside_steps(name)) {
        const ladder_rubric *rubric = s->lab->rubric;
        ladder_seen_add(seen, ladder_step_name_distance(rubric, name), name,
                        ladder_step_name_why(rubric, name, why, sizeof why));
    }
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void look(search *s, int parent, const char *name, const char *path, int depth) {
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *entries = fd >= 0 ? fdopendir(fd) : NULL;
    char *below[BRANCHES_MAX];
    int branches = 0;
    uint64_t steps = 0;
    ladder_name_fit best = LADDER_NAME_NONE, fit;
    if (!entries) {
        if (errno == EACCES)
            ladder_seen_add(&s->found->seen, 0, name, "who grades may not open it: chmod +rx");
        if (fd >= 0) close(fd);
        return;
    }
    for (struct dirent *item; (item = readdir(entries));) {
        struct stat info;
        if (ladder_entry_is_skipped(item->d_name)) continue;
        s->found->cut = s->entries++ >= LADDER_SUBMISSION_FILES;
        if (s->found->cut) break;
        int step = ladder_step_of_name(s->lab->rubric, item->d_name, &fit);
        if (step >= 0) steps |= UINT64_C(1) << step;
        best = fit < best ? fit : best;
        if (fstatat(fd, item->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISDIR(info.st_mode)) {
            if (step < 0) consider_file(s, path, item->d_name, info.st_mode, depth);
        } else if (branches < BRANCHES_MAX && depth < DEPTH_MAX) {
            below[branches] = strdup(item->d_name);
            branches += below[branches] != NULL;
        }
    }
    consider(s, path, steps, best, depth);
    qsort(below, (size_t)branches, sizeof below[0], by_name);
    for (int i = 0; i < branches; i++) {
        char deeper[LADDER_PATH];
        if (!s->found->cut && ladder_path(deeper, NULL, "%s/%s", path, below[i]) == KL_OK)
            look(s, fd, below[i], deeper, depth + 1);
        free(below[i]);
    }
    closedir(entries);
}

void ladder_gather(const char *folder, const ladder_lab *lab, ladder_gathered *out_gathered) {
    memset(out_gathered, 0, sizeof *out_gathered);
    search s = {.lab = lab, .found = out_gathered, .top = strlen(folder)};
    s.places = calloc(PLACES_MAX, sizeof *s.places);
    if (!s.places) return;
    look(&s, AT_FDCWD, folder, folder, 0);
    choose(&s);
    qsort(out_gathered->archives, (size_t)out_gathered->archive_count, LADDER_PATH, by_path);
    free(s.places);
}

// Work that is shared among processes.

enum { WORKERS_MAX = 64 };

// What the processes share. at[w]: index + 1 of the work that worker w is at; 0: none.
typedef struct shared_work {
    atomic_size_t next, done, at[WORKERS_MAX];
    atomic_bool failed;
    kl_error err; // of the first that failed
} shared_work;

void *ladder_share_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes > 0 ? bytes : 1, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

void ladder_share_memory_free(void *memory, size_t bytes) {
    if (memory) munmap(memory, bytes > 0 ? bytes : 1);
}

static void work_on(shared_work *shared, int worker, size_t count, ladder_share_work *work,
                    void *context) {
    for (size_t i; !shared->failed && (i = atomic_fetch_add(&shared->next, 1)) < count;) {
        kl_error err = {KL_OK, ""};
        shared->at[worker] = i + 1;
        if (work(context, i, &err) != KL_OK && !atomic_exchange(&shared->failed, true))
            shared->err = err;
        shared->at[worker] = 0;
        atomic_fetch_add(&shared->done, 1);
    }
}

static pid_t start_worker(shared_work *shared, int worker, size_t count, ladder_share_work *work,
                          void *context) {
    fflush(NULL);
    pid_t parent = getpid(), pid = fork();
    if (pid != 0) return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) work_on(shared, worker, count, work, context);
    _exit(0);
}

static void show_progress(const shared_work *shared, size_t count) {
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[Ktaken in %zu of %zu", (size_t)shared->done, count);
}

// Waits until the processes have ended; one that died at its work is replaced.
static void wait_for_workers(shared_work *shared, pid_t *pids, int workers, size_t count,
                             ladder_share_work *work, void *context, bool *out_lost) {
    const struct timespec pause = {0, 5000000};
    for (int left = workers; left > 0;) {
        int status = 0;
        pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended == 0) {
            show_progress(shared, count);
            nanosleep(&pause, NULL);
            continue;
        }
        if (ended < 0 && errno == EINTR) continue;
        if (ended < 0) break;
        int w = 0;
        while (w < workers && pids[w] != ended) w++;
        if (w == workers) continue; // an orphan
        size_t at = atomic_exchange(&shared->at[w], 0);
        if (at > 0) out_lost[at - 1] = true;
        pids[w] = at > 0 ? start_worker(shared, w, count, work, context) : -1;
        if (pids[w] < 0) left--;
    }
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

kl_status ladder_share(size_t count, int workers, ladder_share_work *work, void *context,
                       bool *out_lost, kl_error *err) {
    pid_t pids[WORKERS_MAX];
    kl_status status = KL_OK;
    int started = 0;
    if (workers <= 1) {
        for (size_t i = 0; i < count && status == KL_OK; i++) status = work(context, i, err);
        return status;
    }
    shared_work *shared = ladder_share_memory(sizeof *shared);
    if (!shared) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the submissions");
    for (int w = 0; w < workers && w < WORKERS_MAX; w++) {
        pids[started] = start_worker(shared, started, count, work, context);
        started += pids[started] > 0;
    }
    wait_for_workers(shared, pids, started, count, work, context, out_lost);
    if (shared->failed) {
        status = shared->err.status;
        if (err) *err = shared->err;
    } else if (shared->next < count) {
        status = kl_fail(err, KL_ERROR_SYSTEM, "cannot start a process: %s", strerror(errno));
    }
    ladder_share_memory_free(shared, sizeof *shared);
    return status;
}
