// ladder-sandbox: finishes the sandbox from inside, starts the program and watches it (protocol.h).
//   ladder-sandbox FD PROGRAM ARGUMENTS..     (started by `ladder` through bubblewrap; FD is the
// plan) It runs before anything hostile does, and with the rights that bubblewrap left it; from
// inside_rights_drop on it has none. Not meant for the command line.
#include "sandbox/isolation/protocol.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_BEGUN = 125 }; // exit status; the report says more

static bool wanted(const ladder_inside_plan *plan, ladder_sandbox_layer layer) {
    return (plan->layers & ladder_layer_bit(layer)) != 0;
}

static void note(ladder_inside_report *report, ladder_sandbox_layer layer) {
    report->layers |= ladder_layer_bit(layer);
}

static int fail(ladder_inside_report *report, const char *what) {
    snprintf(report->problem, sizeof report->problem, "%s: %s", what, strerror(errno));
    return NOT_BEGUN;
}

static void limit(int resource, uint64_t value) {
    if (value == 0) return;
    struct rlimit r = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &r);
}

static bool set_limits(const ladder_inside_plan *plan) {
    limit(RLIMIT_CPU, plan->cpu_s);
    limit(RLIMIT_DATA, plan->data_bytes);
    limit(RLIMIT_FSIZE, plan->file_bytes);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (!wanted(plan, LADDER_LAYER_TASKS)) return true;
    struct rlimit tasks = {.rlim_cur = plan->processes, .rlim_max = plan->processes};
    return plan->processes == 0 || setrlimit(RLIMIT_NPROC, &tasks) == 0;
}

// The child: last locks, then the program. Only what it says before its start counts.
static void start_program(const ladder_inside_plan *plan, ladder_inside_report *report, char **argv,
                          int failure_fd) {
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    unsetenv("PWD"); // bubblewrap's
    bool well = set_limits(plan);
    if (well && wanted(plan, LADDER_LAYER_TASKS)) note(report, LADDER_LAYER_TASKS);
    if (well && plan->folder[0] != '\0') well = chdir(plan->folder) == 0;
    if (well && wanted(plan, LADDER_LAYER_LANDLOCK) && inside_landlock_install(plan))
        note(report, LADDER_LAYER_LANDLOCK);
    if (well && wanted(plan, LADDER_LAYER_FILTER)) {
        well = inside_filter_install(plan);
        if (well) note(report, LADDER_LAYER_FILTER);
    }
    if (well) execv(argv[0], argv);
    int code = errno;
    ssize_t sent = write(failure_fd, &code, sizeof code);
    _exit(sent == (ssize_t)sizeof code ? NOT_BEGUN : 1);
}

// True when the program runs; else errno says why not.
static bool start(const ladder_inside_plan *plan, ladder_inside_report *report, char **argv,
                  pid_t *out_program) {
    int failure[2], code = 0;
    if (pipe2(failure, O_CLOEXEC) != 0) return false;
    *out_program = fork();
    if (*out_program == 0) start_program(plan, report, argv, failure[1]);
    close(failure[1]);
    ssize_t got;
    do {
        got = *out_program > 0 ? read(failure[0], &code, sizeof code) : -1;
    } while (got < 0 && errno == EINTR);
    close(failure[0]);
    if (got == 0) return true;
    if (got > 0) errno = code;
    return false;
}

// What bubblewrap made: it fails when a namespace cannot be had.
static void note_namespaces(const ladder_inside_plan *plan, ladder_inside_report *report) {
    static const ladder_sandbox_layer made[] = {LADDER_LAYER_ROOT, LADDER_LAYER_PROCESSES,
                                                LADDER_LAYER_NETWORK, LADDER_LAYER_IPC,
                                                LADDER_LAYER_NAMES};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (wanted(plan, made[i])) note(report, made[i]);
    if (getuid() != 0) note(report, LADDER_LAYER_USER);
}

// All that needs rights: own files, no /proc where it is not needed.
static int finish_sandbox(const ladder_inside_plan *plan, ladder_inside_report *report,
                          int *proc_fd) {
    note_namespaces(plan, report);
    *proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (getpid() != 1) *proc_fd = -1; // it would show other processes than the job's
    if (*proc_fd >= 0 && faccessat(*proc_fd, "self/status", R_OK, 0) != 0) *proc_fd = -1;
    if (plan->folder[0] == '\0') {
        note(report, LADDER_LAYER_FILES);
    } else if (wanted(plan, LADDER_LAYER_FILES)) {
        if (!inside_files_make(plan)) return fail(report, "cannot make a folder in memory");
        note(report, LADDER_LAYER_FILES);
    }
    bool hidden = !plan->gpu && wanted(plan, LADDER_LAYER_ROOT);
    if (hidden && *proc_fd >= 0 && umount2("/proc", MNT_DETACH) != 0)
        return fail(report, "cannot take /proc away");
    if (!inside_rights_drop(plan, *proc_fd, &report->layers))
        return fail(report, "cannot give up rights");
    if (*proc_fd >= 0 && wanted(plan, LADDER_LAYER_MEMORY)) note(report, LADDER_LAYER_MEMORY);
    return 0;
}

static ladder_inside_shared *open_plan(const char *text) {
    int fd = atoi(text);
    ladder_inside_shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED || shared->plan.version != LADDER_INSIDE_VERSION) return NULL;
    return shared;
}

// Whether the driver starts and has a device, by its own interface: cuInit(0), cuDeviceGetCount.
static bool driver_starts(void) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*init)(unsigned) = NULL;
    int (*get_count)(int *) = NULL;
    if (!driver) return false;
    void *symbols[] = {dlsym(driver, "cuInit"), dlsym(driver, "cuDeviceGetCount")};
    memcpy(&init, &symbols[0], sizeof init); // ISO C has no cast from data to function pointers
    memcpy(&get_count, &symbols[1], sizeof get_count);
    int count = 0;
    return init && get_count && init(0) == 0 && get_count(&count) == 0 && count > 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--probe-gpu") == 0) return driver_starts() ? 0 : 1;
    if (argc == 2 && strcmp(argv[1], "--probe") == 0) return 0; // a program to start behind it
    ladder_inside_shared *shared = argc > 2 ? open_plan(argv[1]) : NULL;
    if (!shared) {
        fprintf(stderr,
                "ladder-sandbox is started by `ladder`; it is not meant for the command line\n");
        return 2;
    }
    const ladder_inside_plan *plan = &shared->plan;
    ladder_inside_report *report = &shared->report;
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    syscall(SYS_close_range, plan->own_fd, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
    for (int fd = plan->own_fd; fd < plan->own_fd + 16; fd++) fcntl(fd, F_SETFD, FD_CLOEXEC);

    int proc_fd = -1;
    int code = finish_sandbox(plan, report, &proc_fd);
    if (code != 0) return code;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of user has cleared it
    pid_t program = -1;
    if (!start(plan, report, argv + 2, &program)) {
        snprintf(report->problem, sizeof report->problem, "cannot start %.150s: %s", argv[2],
                 strerror(errno));
        return NOT_BEGUN;
    }
    report->state = LADDER_INSIDE_RUNNING;
    if (write(plan->life_fd, "r", 1) != 1) return 1;
    inside_watch(plan, wanted(plan, LADDER_LAYER_MEMORY) ? proc_fd : -1, program, report);
    for (int i = 0; i < plan->output_count; i++)
        if (inside_files_return(plan, i)) report->returned |= UINT32_C(1) << i;
    report->state = LADDER_INSIDE_ENDED;
    int status = report->wait_status;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// ---- the files of a job -------------------------------------------------------------------------
// tmpfs(5) with limits of bytes and inodes. What the program left there is hostile: names are
// opened without following links, and only regular files are read.

enum { BLOCK = 1 << 16 };

// At most `limit` bytes.
static bool copy_bytes(int from, int to, uint64_t limit) {
    static char block[BLOCK];
    while (limit > 0) {
        size_t wanted = limit < BLOCK ? (size_t)limit : BLOCK;
        ssize_t got = read(from, block, wanted);
        if (got == 0) return true;
        for (ssize_t written = 0; written < got;) {
            ssize_t now = write(to, block + written, (size_t)(got - written));
            if (now <= 0) return false;
            written += now;
        }
        if (got < 0) return false;
        limit -= (uint64_t)got;
    }
    return true;
}

static int open_regular(int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat info;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

// A file that shall come back begins as none: the judge's own, empty, lies there.
static bool is_output(const ladder_inside_plan *plan, const char *name) {
    for (int i = 0; i < plan->output_count; i++)
        if (strcmp(plan->outputs[i].name, name) == 0) return true;
    return false;
}

static bool copy_in(const ladder_inside_plan *plan, int from, int to) {
    DIR *entries = fdopendir(from);
    if (!entries) return false;
    const struct dirent *item;
    bool well = true;
    while (well && (item = readdir(entries))) {
        int source = is_output(plan, item->d_name) ? -1 : open_regular(from, item->d_name);
        if (source < 0) continue;
        int copy = openat(to, item->d_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        well = copy >= 0 && copy_bytes(source, copy, plan->folder_bytes);
        if (well && plan->change_user) well = fchown(copy, plan->user, plan->user) == 0;
        close(source);
        if (copy >= 0) close(copy);
    }
    closedir(entries);
    return well;
}

bool inside_files_make(const ladder_inside_plan *plan) {
    char options[160];
    int used =
        snprintf(options, sizeof options, "mode=0700,size=%llu,nr_inodes=%llu",
                 (unsigned long long)plan->folder_bytes, (unsigned long long)plan->folder_files);
    if (plan->change_user) {
        snprintf(options + used, sizeof options - (size_t)used, ",uid=%u,gid=%u", plan->user,
                 plan->user);
    }
    int from = open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0) return false;
    bool made = mount("tmpfs", plan->folder, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
    int to = made ? open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (to < 0) {
        int code = errno;
        close(from);
        errno = code;
        return false;
    }
    bool copied = copy_in(plan, from, to); // closes `from`
    close(to);
    return copied;
}

bool inside_files_return(const ladder_inside_plan *plan, int i) {
    int folder = open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    int fd = open_regular(folder, plan->outputs[i].name);
    close(folder);
    if (fd < 0) return false;
    bool well = copy_bytes(fd, plan->outputs[i].fd, plan->folder_bytes);
    close(fd);
    return well;
}
