// Child processes: deadlines, floods of output, process trees and daemons, descriptors,
// environment, limits.
#include "sandbox/process/machine.h"
#include "sandbox/process/process.h"

#include <sys/time.h>

#include "show/findings/findings.h"
#include "suite.h"

static kl_error err;
static const ladder_limits no_limits = {.wall_s = 0};

// Runs a shell script under limits.
static ladder_process run(const char *script, ladder_limits limits) {
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    const char *environment[] = {"PATH=/usr/bin:/bin", "COLOUR=green", NULL};
    ladder_process_spec spec = {.argv = argv, .environment = environment, .limits = limits};
    ladder_process process;
    kl_status status = ladder_process_run(&spec, &process, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return process;
}

static bool is_alive(int pid) { return kill(pid, 0) == 0 || errno != ESRCH; }

KL_TEST(output_and_status_come_back) {
    ladder_process p = run("echo out; echo err >&2; exit 3", no_limits);
    ck_assert_int_eq(p.end, LADDER_END_EXITED);
    ck_assert_int_eq(p.code, 3);
    ck_assert_str_eq(p.output, "out\nerr\n");
    ladder_process_free(&p);
}

KL_TEST(a_sleeper_is_stopped_at_its_deadline) {
    ladder_process p = run("exec sleep 86400", (ladder_limits){.wall_s = 0.3});
    ck_assert_int_eq(p.end, LADDER_END_OUT_OF_TIME);
    ladder_process_free(&p);
}

KL_TEST(a_busy_process_is_stopped_by_its_processor_limit) {
    ladder_process p = run("while :; do :; done", (ladder_limits){.cpu_s = 1});
    ck_assert(p.end == LADDER_END_OUT_OF_TIME || p.end == LADDER_END_SIGNALLED);
    ladder_process_free(&p);
}

KL_TEST(a_crash_is_told_apart_from_an_exit) {
    char text[128];
    ladder_process p = run("kill -SEGV $$", no_limits);
    ck_assert_int_eq(p.end, LADDER_END_SIGNALLED);
    ck_assert_int_eq(p.code, SIGSEGV);
    KL_HAS(ladder_process_describe(&p, text, sizeof text), "signal 11");
    ladder_process_free(&p);
}

KL_TEST(a_flood_of_output_is_cut_and_ended) {
    ladder_process p = run("exec yes", (ladder_limits){.output_bytes = 5000});
    ck_assert_int_eq(p.end, LADDER_END_TOO_MUCH_OUTPUT);
    ck_assert_uint_eq(p.output_bytes, 5000);
    ck_assert_uint_eq(p.output[5000], '\0');
    ladder_process_free(&p);
}

// The limit grows until the machine has had the time to start both.
KL_TEST(children_end_with_their_parent) {
    int first = 0, second = 0;
    ladder_process p = {.output = NULL};
    for (double wall_s = 0.5; second == 0; wall_s *= 2) {
        ladder_process_free(&p);
        p = run("sleep 86400 & echo $!; sleep 86400 & echo $!.; wait",
                (ladder_limits){.wall_s = wall_s});
        ck_assert_int_eq(p.end, LADDER_END_OUT_OF_TIME);
        if (strchr(p.output, '.')) ck_assert_int_eq(sscanf(p.output, "%d %d", &first, &second), 2);
    }
    ck_assert(!is_alive(first) && !is_alive(second));
    ladder_process_free(&p);
}

KL_TEST(daemons_are_found_and_ended) {
    // In a session of its own, its parent gone, its output closed.
    ladder_process p =
        run("(setsid sh -c 'echo $$; exec sleep 86400 >/dev/null 2>&1' 2>/dev/null &) | head -n 1",
            no_limits);
    int daemon = 0;
    ck_assert_int_eq(p.end, LADDER_END_EXITED);
    ck_assert_int_eq(sscanf(p.output, "%d", &daemon), 1);
    ck_assert(!is_alive(daemon));
    ladder_process_free(&p);
}

KL_TEST(a_daemon_that_keeps_the_output_open_holds_nobody_up) {
    ladder_process p = run("setsid sleep 86400 & exit 0", no_limits);
    ck_assert_int_eq(p.end, LADDER_END_EXITED);
    ladder_process_free(&p);
}

KL_TEST(a_large_tree_is_ended) {
    ladder_process p =
        run("for i in $(seq 150); do (setsid sleep 86400 &) ; done; echo done", no_limits);
    ck_assert_str_eq(p.output, "done\n");
    ck_assert_int_eq(ladder_process_kill_descendants(NULL, 0, 1.0), 0); // nothing was left
    ladder_process_free(&p);
}

KL_TEST(kept_processes_survive) {
    const char *argv[] = {"/bin/sleep", "300", NULL};
    const char *environment[] = {NULL};
    ladder_process_spec spec = {.argv = argv, .environment = environment};
    ladder_process kept, other;
    ck_assert_int_eq(ladder_process_start(&spec, &kept, &err), KL_OK);
    ck_assert_int_eq(ladder_process_start(&spec, &other, &err), KL_OK);
    pid_t keep[] = {kept.pid};
    ladder_process_kill_descendants(keep, 1, KL_PATIENCE_S);
    ck_assert(is_alive(kept.pid));
    ck_assert(!is_alive(other.pid));
    ladder_process_finish(&kept);
    ladder_process_free(&kept);
    ladder_process_free(&other);
}

KL_TEST(only_given_descriptors_are_open) {
    int open_here = open("/dev/null", O_RDONLY); // without close-on-exec, on purpose
    int given = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    ck_assert(open_here >= 0 && given >= 0);
    // Builtins only: a command or a pipe of the shell would open descriptors of its own.
    static const char script[] =
        "n=0; while [ $n -lt 64 ]; do [ -e /proc/$$/fd/$n ] && echo $n; n=$((n+1)); done; "
        "readlink /proc/$$/fd/3";
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    const char *environment[] = {"PATH=/usr/bin:/bin", NULL};
    ladder_process_spec spec = {.argv = argv,
                                .environment = environment,
                                .descriptors = &given,
                                .descriptor_count = 1,
                                .limits = no_limits};
    ladder_process p;
    ck_assert_int_eq(ladder_process_run(&spec, &p, &err), KL_OK);
    ck_assert_str_eq(p.output, "0\n1\n2\n3\n/dev/zero\n");
    ladder_process_free(&p);
    close(open_here);
    close(given);
}

KL_TEST(the_environment_is_what_was_given) {
    setenv("LD_PRELOAD_TEST", "leak", 1);
    ladder_process p = run("echo $COLOUR:$LD_PRELOAD_TEST:", no_limits);
    ck_assert_str_eq(p.output, "green::\n");
    ladder_process_free(&p);
}

KL_TEST(resource_limits_arrive) {
    ladder_process p = run("ulimit -d; ulimit -f; ulimit -c",
                           (ladder_limits){.data_bytes = 64 << 20, .file_bytes = 1 << 20});
    unsigned data = 0, file = 0, core = 1;
    ck_assert_int_eq(sscanf(p.output, "%u %u %u", &data, &file, &core), 3);
    ck_assert_uint_eq(data, 64 << 10);       // KiB
    ck_assert(file == 2048 || file == 1024); // blocks of 512 or 1024 bytes, by shell
    ck_assert_uint_eq(core, 0);
    ladder_process_free(&p);
}

// Two children of a shell hold 48 MiB each, in a process tree that may have 64 MiB.
KL_TEST(the_memory_of_a_whole_tree_is_added_up) {
    static const char hold[] =
        "s=$(head -c 50331648 /dev/zero | tr '\\0' x); sleep 86400; echo \"$s\" >/dev/null";
    char script[400];
    snprintf(script, sizeof script, "(%s) & (%s) & wait", hold, hold);
    ladder_process p = run(script, (ladder_limits){.memory_bytes = 64 << 20});
    char said[160];
    ck_assert_int_eq(p.end, LADDER_END_TOO_MUCH_MEMORY);
    ck_assert_ptr_nonnull(
        strstr(ladder_process_describe(&p, said, sizeof said), "limit of 64 MiB"));
    ladder_process_free(&p);
    ck_assert_uint_eq(ladder_memory_of_descendants(), 0); // all of them are gone
}

KL_TEST(a_small_tree_keeps_to_its_memory) {
    ladder_process p =
        run("sleep 0.3 & wait; echo done", (ladder_limits){.memory_bytes = 64 << 20});
    ck_assert_int_eq(p.end, LADDER_END_EXITED);
    ck_assert_str_eq(p.output, "done\n");
    ladder_process_free(&p);
}

KL_TEST(a_missing_program_is_an_error_with_its_name) {
    const char *argv[] = {"/no/such/program", NULL};
    const char *environment[] = {NULL};
    ladder_process_spec spec = {.argv = argv, .environment = environment};
    ladder_process p;
    ck_assert_int_eq(ladder_process_run(&spec, &p, &err), KL_ERROR_SYSTEM);
    KL_HAS(err.text, "/no/such/program");
}

static void take_signal(int number) { (void)number; }

// Signals interrupt the wait for what exec says; that is no sign that the program runs.
KL_TEST(a_missing_program_is_an_error_also_between_signals) {
    const char *argv[] = {"/no/such/program", NULL};
    const char *environment[] = {NULL};
    ladder_process_spec spec = {.argv = argv, .environment = environment};
    struct sigaction action = {.sa_handler = take_signal}, before; // without SA_RESTART
    struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
    ck_assert_int_eq(sigaction(SIGALRM, &action, &before), 0);
    ck_assert_int_eq(setitimer(ITIMER_REAL, &often, NULL), 0);
    int failed = 0;
    for (int i = 0; i < 200; i++) {
        ladder_process p;
        if (ladder_process_run(&spec, &p, &err) == KL_OK) ladder_process_free(&p);
        else failed++;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    ck_assert_int_eq(failed, 200);
}

KL_TEST(waiting_for_a_descriptor_ends_with_the_process) {
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    const char *argv[] = {"/bin/true", NULL};
    const char *environment[] = {NULL};
    ladder_process_spec spec = {.argv = argv, .environment = environment};
    ladder_process p, *one[] = {&p};
    ck_assert_int_eq(ladder_process_start(&spec, &p, &err), KL_OK);
    ck_assert(!ladder_process_wait_readable(one, 1, ends[0], kl_now_s() + KL_PATIENCE_S));
    ck_assert_int_eq(p.end, LADDER_END_EXITED);
    ladder_process_finish(&p);
    ladder_process_free(&p);
}

// While an engine is asked for its findings their lines are looked up.
KL_TEST(a_line_of_host_code_ends_no_other_child) {
    const char *argv[] = {"/bin/sleep", "600", NULL}, *environment[] = {NULL};
    const ladder_process_spec spec = {.argv = argv, .environment = environment};
    char text[1024] = "returned 1\nat /bin/sh+0x1000";
    ladder_process p;
    ck_assert_int_eq(ladder_process_start(&spec, &p, &err), KL_OK);
    ladder_host_line(text, sizeof text);
    ck_assert_int_eq(waitpid(p.pid, NULL, WNOHANG), 0);
    ladder_process_finish(&p);
    ladder_process_free(&p);
}

KL_TEST_MAIN("process")
