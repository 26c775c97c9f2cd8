// The end of all rights: see internal.h. Started as root the process becomes a user that owns
// nothing outside, not only inside a user namespace: root's user id would go on to read root's
// files and to escape limits of a user. capabilities(7), user_namespaces(7).
#include "sandbox/isolation/protocol.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool write_proc(int proc_fd, const char *name, const char *text) {
    int fd = openat(proc_fd, name, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool well = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return well;
}

// In a namespace of its own the user keeps its number.
static bool own_user_namespace(unsigned user, int proc_fd) {
    char map[64];
    if (unshare(CLONE_NEWUSER) != 0) return false;
    snprintf(map, sizeof map, "%u %u 1", user, user);
    return write_proc(proc_fd, "self/setgroups", "deny") &&
           write_proc(proc_fd, "self/uid_map", map) && write_proc(proc_fd, "self/gid_map", map);
}

static bool drop_capabilities(void) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof none);
    for (int c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
        prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, none) == 0;
}

bool inside_rights_drop(const ladder_inside_plan *plan, int proc_fd, uint32_t *layers) {
    if (plan->change_user) {
        if (setgroups(0, NULL) != 0 || setresgid(plan->user, plan->user, plan->user) != 0 ||
            setresuid(plan->user, plan->user, plan->user) != 0)
            return false;
        *layers |= ladder_layer_bit(LADDER_LAYER_OWN_USER);
        prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); // its own /proc files, for the maps
        if ((plan->layers & ladder_layer_bit(LADDER_LAYER_USER)) != 0 &&
            own_user_namespace(plan->user, proc_fd))
            *layers |= ladder_layer_bit(LADDER_LAYER_USER);
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if ((plan->layers & ladder_layer_bit(LADDER_LAYER_RIGHTS)) == 0) return true;
    if (!drop_capabilities()) return false;
    *layers |= ladder_layer_bit(LADDER_LAYER_RIGHTS);
    return true;
}

// -------------------------------------------------------------------------------------------------
// Landlock. landlock(7), by its system calls and numbers, for headers and libraries are seldom new
// enough. The mounts are read-only already; this lock holds when they are not.

enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, RULE_PATH_BENEATH = 1 };

// Rights to the file system, one bit each, in the order in which versions of the interface brought
// them: 13 with version 1, moving files (2), truncating (3).
enum {
    EXECUTE = 1 << 0,
    WRITE_FILE = 1 << 1,
    READ_FILE = 1 << 2,
    READ_FOLDER = 1 << 3,
    REFER = 1 << 13,
    TRUNCATE = 1 << 14,
    FIRST_VERSION = (1 << 13) - 1,
    MAKE_DEVICES = 1 << 6 | 1 << 11, // character and block devices
    READING = EXECUTE | READ_FILE | READ_FOLDER
};

struct ruleset { // linux/landlock.h of version 6
    uint64_t files, network, scopes;
};

struct path_rule {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static bool allow(int ruleset, const char *path, uint64_t rights) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0) return false;
    struct path_rule rule = {.allowed = rights, .parent = fd};
    bool well = syscall(ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0) == 0;
    close(fd);
    return well;
}

bool inside_landlock_install(const ladder_inside_plan *plan) {
    const char *folder = plan->folder;
    long version = syscall(CREATE_RULESET, NULL, 0, 1);
    if (version < 1) return false;
    uint64_t files = FIRST_VERSION | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
    struct ruleset set = {.files = files};
    size_t bytes = version >= 6   ? sizeof set
                   : version >= 4 ? offsetof(struct ruleset, scopes)
                                  : offsetof(struct ruleset, network);
    if (version >= 4) set.network = 3;              // bind and connect
    if (version >= 6 && !plan->gpu) set.scopes = 3; // abstract sockets and signals stay within
    int ruleset = (int)syscall(CREATE_RULESET, &set, bytes, 0);
    if (ruleset < 0) return false;
    uint64_t device = (READING | WRITE_FILE | TRUNCATE) & files;
    bool well = allow(ruleset, "/", READING) && allow(ruleset, "/dev", device);
    if (well && plan->gpu) well = allow(ruleset, "/proc", device); // the names of its threads
    if (well && folder[0] != '\0') well = allow(ruleset, folder, files & ~(uint64_t)MAKE_DEVICES);
    well = well && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(RESTRICT_SELF, ruleset, 0) == 0;
    close(ruleset);
    return well;
}

// ---- the filter of system calls -----------------------------------------------------------------
// A program of classic BPF, made from denied.def by hand so that only the kernel's headers are
// needed: seccomp(2), linux/filter.h.

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
