// Runs a CUDA program with its device in another process, as the grader does:
//   runtime_with_engine ENGINE PROGRAM [ARGUMENT..]
// starts ladder-engine, gives the program one connection to it, and after the program has ended
// fetches the reports of its launches over the other. Exit status: the program's, or 3 when the
// engine or its reports are not as they should be.
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote/remote.h"

typedef struct ends {
    int ours, theirs;
} ends;

// Both ends are closed by exec, but for the one that a child keeps.
static int connect_pair(ends *out) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return -1;
    *out = (ends){pair[0], pair[1]};
    return 0;
}

// A copy of a descriptor that survives exec, as text.
static void keep(int descriptor, char text[16]) { snprintf(text, 16, "%d", dup(descriptor)); }

static pid_t start_engine(const char *path, int runner, int control) {
    pid_t child = fork();
    if (child != 0) return child;
    char runner_text[16], control_text[16];
    keep(runner, runner_text);
    keep(control, control_text);
    execl(path, path, "--runner-fd", runner_text, "--control-fd", control_text, "--mode", "count",
          "--memory", "2000000000", "--threads", "1", "--devices",
          getenv("LADDER_SIM_DEVICES") ? getenv("LADDER_SIM_DEVICES") : "1", (char *)NULL);
    _exit(127);
}

static pid_t start_program(char **arguments, int engine) {
    pid_t child = fork();
    if (child != 0) return child;
    char text[16];
    keep(engine, text);
    setenv("LADDER_ENGINE_FD", text, 1);
    execv(arguments[0], arguments);
    _exit(127);
}

static int exit_status(pid_t child) {
    int status;
    if (waitpid(child, &status, 0) != child) return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Every launch has a report that names its kernel.
static int check_reports(sim_engine *judge) {
    uint32_t count = 0;
    kl_error err = {0};
    if (sim_launch_count(judge, &count, &err) != SIM_OK) {
        fprintf(stderr, "launch count: %s\n", err.text);
        return 3;
    }
    for (uint32_t i = 0; i < count; i++) {
        sim_launch_report *report;
        if (sim_launch_report_get(judge, i, &report, &err) != SIM_OK) {
            fprintf(stderr, "report %u: %s\n", i, err.text);
            return 3;
        }
        int good = report->kernel && report->kernel[0] && report->config.grid.x > 0;
        sim_launch_report_free(report);
        if (!good) return 3;
    }
    printf("%u reports fetched\n", count);
    return 0;
}

int main(int argc, char **argv) {
    ends runner, control;
    if (argc < 3 || connect_pair(&runner) != 0 || connect_pair(&control) != 0) return 2;
    pid_t engine = start_engine(argv[1], runner.theirs, control.theirs);
    pid_t program = start_program(argv + 2, runner.ours);
    close(runner.ours);
    close(runner.theirs);
    close(control.theirs);
    int status = exit_status(program);
    sim_engine *judge;
    kl_error err = {0};
    if (sim_engine_open_remote(control.ours, &judge, &err) != SIM_OK) {
        fprintf(stderr, "the engine: %s\n", err.text);
        return 3;
    }
    int reports = check_reports(judge);
    sim_engine_close(judge);
    int ended = exit_status(engine);
    if (ended != 0) fprintf(stderr, "the engine ended with %d\n", ended);
    return status ? status : reports ? reports : ended ? 3 : 0;
}
