// Getting out of the sandbox, at other processes, or living on.

#include "../in_sandbox.h"

static bool plain(const attack_setup *setup, const char *try) {
    return in_sandbox_run(setup, try, &(in_sandbox){.fd = 0});
}

// Runs a try that shall leave a process behind; true when it has.
static bool leaves_process(const attack_setup *setup, const char *try) {
    int ends[2];
    ATTACK_MUST(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    in_sandbox_run(setup, try, &(in_sandbox){.fd = ends[1]});
    close(ends[1]);
    return in_sandbox_is_held(setup, ends[0]);
}

// attack: Becomes a daemon: a session of its own, its parent gone, its output closed.
// stopped by: SANDBOX_PROCESSES, TREE_END, SANDBOX_CGROUP
// expect: it ends with the namespace
// gains: it is still there afterwards
ATTACK(stays_as_daemon) { return leaves_process(setup, "stays_as_daemon"); }

// attack: Lives in a new process every millisecond, so that every search for it comes too late.
// stopped by: SANDBOX_PROCESSES, TREE_END, SANDBOX_TASKS, SANDBOX_CGROUP
// expect: it ends with the namespace
// gains: it is still there afterwards
ATTACK(hops_from_process_to_process) {
    return leaves_process(setup, "hops_from_process_to_process");
}

// attack: Waits for the judge to die, with all signals ignored, and goes on.
// stopped by: SANDBOX
// expect: the first process of the job notices, and all end
// gains: it is still there afterwards
ATTACK(outlives_the_judge) {
    int ends[2];
    ATTACK_MUST(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    pid_t judge = fork();
    if (judge == 0) {
        ladder_process process;
        in_sandbox_start(setup, "ignores_signals", &(in_sandbox){.fd = ends[1]}, &process);
        for (;;) pause();
    }
    close(ends[1]);
    char word;
    ATTACK_MUST(read(ends[0], &word, 1) == 1, "the program did not start");
    kill(judge, SIGKILL);
    waitpid(judge, NULL, 0);
    return in_sandbox_is_held(setup, ends[0]);
}

// attack: Goes on while the judge is busy elsewhere and does not look at its deadline.
// stopped by: SANDBOX
// expect: the first process of the job keeps the deadline itself
// gains: it is still there after its deadline
ATTACK(outlasts_a_busy_judge) {
    int ends[2];
    ladder_process process;
    ATTACK_MUST(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    in_sandbox_start(setup, "sleeps", &(in_sandbox){.fd = ends[1], .wall_s = 0.5}, &process);
    close(ends[1]);
    bool held = in_sandbox_is_held(setup, ends[0]);
    ladder_process_finish(&process);
    ladder_process_free(&process);
    return held;
}

// attack: Sends a signal to the judge, whose process number it knows.
// stopped by: SANDBOX_PROCESSES
// expect: there is no such process
// gains: the process is there
ATTACK(finds_the_judge) {
    char number[32];
    snprintf(number, sizeof number, "%d", (int)getpid());
    return in_sandbox_run(setup, "finds_process", &(in_sandbox){.argument = number});
}

// attack: Attaches to another process as a debugger does.
// stopped by: SANDBOX_FILTER
// expect: ptrace fails
// gains: the process is traced
ATTACK(traces_a_process) { return plain(setup, "traces_a_process"); }

// attack: Reads the memory of another process.
// stopped by: SANDBOX_FILTER
// expect: process_vm_readv fails
// gains: its memory is read
ATTACK(reads_memory_of_a_process) { return plain(setup, "reads_memory_of_a_process"); }

// attack: Takes a copy of a descriptor that another process has open.
// stopped by: SANDBOX_FILTER
// expect: pidfd_getfd fails
// gains: the descriptor is taken
ATTACK(takes_a_descriptor_of_a_process) { return plain(setup, "takes_a_descriptor_of_a_process"); }

// attack: Makes a user namespace, in which it has all rights.
// stopped by: SANDBOX_FILTER
// expect: unshare fails
// gains: it is root in a namespace
ATTACK(makes_user_namespace) { return plain(setup, "makes_user_namespace"); }

// attack: Starts a process in a user namespace by clone.
// stopped by: SANDBOX_FILTER
// expect: clone fails when its flags ask for a namespace
// gains: it is root in a namespace
ATTACK(clones_into_user_namespace) { return plain(setup, "clones_into_user_namespace"); }

// attack: The same by clone3, whose flags a filter cannot see.
// stopped by: SANDBOX_FILTER
// expect: clone3 does not exist
// gains: it is root in a namespace
ATTACK(calls_clone3) { return plain(setup, "calls_clone3"); }

// attack: Reaches for the kernel's BPF machine.
// stopped by: SANDBOX_FILTER
// expect: bpf fails before the kernel looks at it
// gains: the kernel takes the call
ATTACK(loads_bpf) { return plain(setup, "loads_bpf"); }

// attack: Opens a performance event, whose code in the kernel was often at fault.
// stopped by: SANDBOX_FILTER
// expect: perf_event_open fails before the kernel looks at it
// gains: the kernel takes the call
ATTACK(opens_perf_event) { return plain(setup, "opens_perf_event"); }

// attack: Sets up io_uring, which does system calls that no filter sees.
// stopped by: SANDBOX_FILTER
// expect: io_uring_setup fails
// gains: the kernel takes the call
ATTACK(opens_io_uring) { return plain(setup, "opens_io_uring"); }

// attack: Handles its own page faults, to stop the kernel in the middle of a copy.
// stopped by: SANDBOX_FILTER
// expect: userfaultfd fails
// gains: the kernel takes the call
ATTACK(handles_page_faults) { return plain(setup, "handles_page_faults"); }

// attack: Types commands into the terminal from which the judge was started.
// stopped by: SANDBOX_FILTER
// expect: this command to terminals fails (and it has no terminal)
// gains: the kernel takes the call
ATTACK(injects_input) { return plain(setup, "injects_input"); }

// attack: Looks for rights that were left to it.
// stopped by: SANDBOX_RIGHTS, SANDBOX_OWN_USER
// expect: it has no capability
// gains: it has capabilities
ATTACK(has_capabilities) { return plain(setup, "has_capabilities"); }
