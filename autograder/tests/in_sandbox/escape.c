// Getting at other processes, into new namespaces, or to live on.
#include <errno.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tries.h"

enum { LONG_MS = 3600000 }; // longer than anybody waits for what must not be there

static void rest(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

// Descriptor 3 is a pipe of the attack's, which sees by it who is still there.
static void is_ready(void) {
    ssize_t sent = write(3, "r", 1);
    (void)sent; // the attack reads it
}

bool try_stays_as_daemon(void) {
    if (fork() != 0) return false;
    setsid();
    if (fork() != 0) _exit(0);
    close(0), close(1), close(2);
    rest(LONG_MS);
    _exit(0);
}

bool try_hops_from_process_to_process(void) {
    if (fork() != 0) return false;
    close(0), close(1), close(2);
    for (int hops = 0; hops < 40000; hops++) { // each one lives on in its child
        setsid();
        if (fork() != 0) _exit(0);
        rest(1);
    }
    _exit(0);
}

bool try_ignores_signals(void) {
    for (int s = 1; s < 64; s++) signal(s, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, 0);
    if (fork() == 0) setsid();
    else is_ready();
    rest(LONG_MS);
    return false;
}

bool try_sleeps(void) {
    rest(LONG_MS);
    return false;
}

bool try_finds_process(void) { return kill((pid_t)atoi(try_argument), 0) == 0 || errno == EPERM; }

static pid_t start_victim(void) {
    pid_t child = fork();
    if (child == 0) {
        rest(LONG_MS);
        _exit(0);
    }
    return child;
}

bool try_traces_a_process(void) {
    pid_t child = start_victim();
    bool through = ptrace(PTRACE_ATTACH, child, NULL, NULL) == 0;
    kill(child, SIGKILL);
    return through;
}

bool try_reads_memory_of_a_process(void) {
    char secret[16] = "secret", got[16] = "";
    pid_t child = start_victim();
    struct iovec to = {got, sizeof got}, from = {secret, sizeof secret};
    bool through = process_vm_readv(child, &to, 1, &from, 1, 0) > 0;
    kill(child, SIGKILL);
    return through;
}

bool try_takes_a_descriptor_of_a_process(void) {
    pid_t child = start_victim();
    long handle = syscall(SYS_pidfd_open, child, 0);
    bool through = handle >= 0 && syscall(438 /* pidfd_getfd */, handle, 1, 0) >= 0;
    kill(child, SIGKILL);
    return through;
}

bool try_makes_user_namespace(void) { return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0; }

bool try_clones_into_user_namespace(void) {
    long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0);
    if (pid == 0) _exit(0);
    return pid > 0;
}

bool try_calls_clone3(void) {
    struct clone_args args;
    memset(&args, 0, sizeof args);
    args.flags = CLONE_NEWUSER;
    args.exit_signal = SIGCHLD;
    long pid = syscall(435 /* clone3 */, &args, sizeof args);
    if (pid == 0) _exit(0);
    return pid > 0;
}

// These count as open when the kernel itself looks at their arguments.
bool try_loads_bpf(void) {
    char attributes[120] = {0};
    return syscall(SYS_bpf, 0x7fff, attributes, sizeof attributes) >= 0 || errno == EINVAL;
}

bool try_opens_perf_event(void) {
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.size = 1; // refused as too small, before anybody asks for rights
    return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0) >= 0 || errno == E2BIG;
}

bool try_opens_io_uring(void) {
    return syscall(425 /* io_uring_setup */, 0, NULL) >= 0 || errno == EFAULT;
}

bool try_handles_page_faults(void) {
    return syscall(SYS_userfaultfd, 1 /* UFFD_USER_MODE_ONLY */) >= 0;
}

bool try_has_capabilities(void) {
    struct {
        uint32_t version;
        int pid;
    } head = {0x20080522, 0};
    struct {
        uint32_t effective, permitted, inheritable;
    } data[2];
    if (syscall(SYS_capget, &head, data) != 0) return false;
    return (data[0].effective | data[1].effective | data[0].permitted | data[1].permitted) != 0;
}

bool try_injects_input(void) {
    char letter = 'x';
    return ioctl(0, TIOCSTI, &letter) == 0 || errno != EPERM; // of no terminal: ENOTTY
}
