// ladder-sandbox: finishes the sandbox from inside, starts the program and watches it (protocol.h).
//   ladder-sandbox FD PROGRAM ARGUMENTS..     (started by `ladder` through bubblewrap; FD is the
// plan) It runs before anything hostile does, and with the rights that bubblewrap left it; from
// inside_rights_drop on it has none. Not meant for the command line.
#include "sandbox/isolation/protocol.h"
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
