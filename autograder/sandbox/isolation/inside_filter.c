// The filter of system calls: see protocol.h. A program of classic BPF, made from denied.def by
// hand so that nothing but the kernel's headers is needed: seccomp(2), linux/filter.h.
#include "sandbox/isolation/protocol.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

// Numbers of the system calls in denied.def that older headers do not know (the same on all
// machines from 424 on), and -1 for those that only x86 has.
#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef SYS_process_mrelease
#define SYS_process_mrelease 448
#endif
#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443
#endif
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif
#ifndef SYS_modify_ldt
#define SYS_modify_ldt (-1)
#endif
#ifndef SYS_uselib
#define SYS_uselib (-1)
#endif
#ifndef SYS_iopl
#define SYS_iopl (-1)
#endif
#ifndef SYS_ioperm
#define SYS_ioperm (-1)
#endif

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the sandbox's filter knows x86-64 and aarch64"
#endif

enum { X32_CALLS = 0x40000000, INSTRUCTIONS_MAX = 320 };

// Namespaces, in the flags of clone(2); CLONE_NEWTIME shares its bit with the exit signal there.
static const unsigned new_namespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                       CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

static const int denied[] = {
#define LADDER_DENIED(name) SYS_##name,
#include "sandbox/isolation/denied.def"
#undef LADDER_DENIED
};

typedef struct filter {
    struct sock_filter code[INSTRUCTIONS_MAX];
    unsigned short count;
} filter;

static void emit(filter *f, unsigned short code, unsigned value, unsigned char yes,
                 unsigned char no) {
    f->code[f->count++] = (struct sock_filter)BPF_JUMP(code, value, yes, no);
}

static void load(filter *f, size_t offset) {
    emit(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void answer(filter *f, unsigned action) { emit(f, BPF_RET | BPF_K, action, 0, 0); }

static void deny(filter *f, int number, int code) {
    if (number < 0) return;
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | (unsigned)code);
}

// The low half of an argument; both supported machines are little-endian.
static size_t low_half(int argument) {
    return offsetof(struct seccomp_data, args) + (size_t)argument * sizeof(__u64);
}

static void deny_argument(filter *f, int number, int argument, unsigned value) {
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 4);
    load(f, low_half(argument));
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | EPERM);
    load(f, offsetof(struct seccomp_data, nr));
}

static void deny_new_namespaces(filter *f) {
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
    load(f, low_half(0));
    emit(f, BPF_JMP | BPF_JSET | BPF_K, new_namespaces, 0, 1);
    answer(f, SECCOMP_RET_ERRNO | EPERM);
    load(f, offsetof(struct seccomp_data, nr));
}

// No sockets beside the inherited ones. A GPU's driver talks to itself by local ones, which in a
// network namespace of its own reach nobody else.
static void deny_sockets(filter *f, bool local) {
    static const int calls[] = {SYS_socketpair, SYS_bind,   SYS_connect,
                                SYS_listen,     SYS_accept, SYS_accept4};
    if (!local) {
        deny(f, SYS_socket, EPERM);
        for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) deny(f, calls[i], EPERM);
        return;
    }
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4);
    load(f, low_half(0));
    emit(f, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0);
    answer(f, SECCOMP_RET_ERRNO | EPERM);
    load(f, offsetof(struct seccomp_data, nr));
}

bool inside_filter_install(const ladder_inside_plan *plan) {
    _Static_assert(2 * sizeof denied / sizeof denied[0] + 48 <= INSTRUCTIONS_MAX,
                   "filter too long");
    filter f = {.count = 0};
    load(&f, offsetof(struct seccomp_data, arch));
    emit(&f, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
    answer(&f, SECCOMP_RET_KILL_PROCESS);
    load(&f, offsetof(struct seccomp_data, nr));
#if defined(__x86_64__)
    emit(&f, BPF_JMP | BPF_JGE | BPF_K, X32_CALLS, 0, 1);
    answer(&f, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < sizeof denied / sizeof denied[0]; i++) deny(&f, denied[i], EPERM);
    deny(&f, SYS_clone3, ENOSYS); // its flags lie in memory: libraries fall back to clone
    deny_sockets(&f, plan->gpu);
    if (!plan->memory_files) deny(&f, SYS_memfd_create, EPERM);
    if (!plan->gpu) deny(&f, SYS_flock, EPERM); // locks work on files that other jobs see as well
    deny_new_namespaces(&f);
    deny_argument(&f, SYS_ioctl, 1, TIOCSTI);
    deny_argument(&f, SYS_ioctl, 1, TIOCLINUX);
    answer(&f, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = f.count, .filter = f.code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}
