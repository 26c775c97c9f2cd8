// ladder-in-sandbox TRY [ARGUMENT]: tries one thing that a hostile program can try in the sandbox,
// a function `bool try_NAME(void)` each, true when it got through, and prints which. The attacks of
// tests/attacks start it and say what must stop it.
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// What the attack says beside the name of the try: a path, a number.
static const char *try_argument = "";

// ---- files --------------------------------------------------------------------------------------
// Reading and writing what is not the job's.

static const char note[] = "note-to-the-next-run";

bool try_reads(void) {
    char text[64];
    int fd = open(try_argument, O_RDONLY);
    return fd >= 0 && read(fd, text, sizeof text) > 0;
}

bool try_lists(void) {
    DIR *folder = opendir(try_argument);
    const struct dirent *item;
    while (folder && (item = readdir(folder)))
        if (strcmp(item->d_name, "secret-file") == 0 || strcmp(item->d_name, "block") == 0)
            return true;
    return false;
}

bool try_writes(void) {
    int fd = open(try_argument, O_WRONLY | O_CREAT, 0644);
    return fd >= 0 && write(fd, note, sizeof note) == (ssize_t)sizeof note;
}

bool try_overwrites(void) {
    int fd = open(try_argument, O_WRONLY | O_TRUNC);
    return fd >= 0 && write(fd, note, sizeof note) == (ssize_t)sizeof note;
}

bool try_finds_open_descriptor(void) {
    char text[64];
    for (int fd = 4; fd < 1024; fd++)
        if (read(fd, text, sizeof text) > 0) return true;
    return false;
}

bool try_plants_link(void) { return symlink(try_argument, "out") == 0; }

bool try_plants_pipe(void) { return mkfifo("out", 0644) == 0; }

bool try_plants_folder(void) { return mkdir("out", 0755) == 0; }

bool try_plants_set_user_id(void) {
    int fd = open("out", O_WRONLY | O_CREAT, 0755);
    return fd >= 0 && write(fd, note, sizeof note) > 0 && fchmod(fd, 04755) == 0;
}

bool try_leaves_note(void) {
    int fd = open("note", O_WRONLY | O_CREAT, 0644);
    return fd >= 0 && write(fd, note, sizeof note) > 0;
}

bool try_finds_note(void) {
    char text[sizeof note];
    int fd = open("note", O_RDONLY);
    return fd >= 0 && read(fd, text, sizeof text) == (ssize_t)sizeof text;
}

// ---- channels -----------------------------------------------------------------------------------
// Telling something to another job, to somebody on this machine, or to somebody outside.

bool try_leaves_shared_segment(void) {
    int id = shmget((key_t)atoi(try_argument), 4096, IPC_CREAT | 0666);
    return id >= 0 && shmat(id, NULL, 0) != (void *)-1;
}

bool try_leaves_semaphore(void) {
    return semget((key_t)atoi(try_argument), 1, IPC_CREAT | 0666) >= 0;
}

bool try_leaves_message(void) {
    struct {
        long kind;
        char text[8];
    } message = {1, "told"};
    int id = msgget((key_t)atoi(try_argument), IPC_CREAT | 0666);
    return id >= 0 && msgsnd(id, &message, sizeof message.text, IPC_NOWAIT) == 0;
}

bool try_leaves_posix_queue(void) {
    return mq_open(try_argument, O_CREAT | O_RDWR, 0666, NULL) != (mqd_t)-1;
}

bool try_leaves_posix_memory(void) {
    int fd = shm_open(try_argument, O_CREAT | O_RDWR, 0666);
    return fd >= 0 && ftruncate(fd, 4096) == 0;
}

static bool reach(int kind) {
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(try_argument))};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, kind, 0);
    return fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0 &&
           send(fd, "told", 4, MSG_NOSIGNAL) == 4;
}

bool try_connects_tcp(void) { return reach(SOCK_STREAM); }

bool try_sends_udp(void) { return reach(SOCK_DGRAM); }

bool try_listens_on_abstract_socket(void) {
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "%s", try_argument);
    socklen_t bytes =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(try_argument));
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, bytes) != 0 || listen(fd, 1) != 0) return false;
    puts("listening");
    fflush(stdout);
    nanosleep(&(struct timespec){.tv_sec = 3600}, NULL);
    return true;
}

bool try_asks_netlink(void) { return socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE) >= 0; }

bool try_adds_key(void) {
    return syscall(SYS_add_key, "user", "ladder-attack", "told", 4, -2 /* process keyring */) >= 0;
}

bool try_locks_shared_file(void) {
    int fd = open(try_argument, O_RDONLY);
    return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

bool try_reads_host_name(void) {
    char name[256] = "";
    return gethostname(name, sizeof name - 1) == 0 && strcmp(name, try_argument) == 0;
}

// ---- resources ----------------------------------------------------------------------------------
// Using up the machine.

enum {
    TASKS = 64,       // the attacks allow 24
    SHARE = 96 << 20, // bytes of each of PROCESSES; the attacks allow 192 MiB for all
    PROCESSES = 6,
    SHARED = 512 << 20,
    WRITTEN = 32 << 20, // the attacks allow 8 MiB
    FILES = 600,        // the attacks allow 64
    DEPTH = 400
};

static void rest(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

bool try_forks_without_end(void) {
    int made = 0;
    for (; made < TASKS; made++) {
        pid_t child = fork();
        if (child < 0) break;
        if (child == 0) {
            rest(3600000);
            _exit(0);
        }
    }
    return made == TASKS;
}

static void *wait_a_while(void *nothing) {
    rest(3600000);
    return nothing;
}

bool try_starts_threads_without_end(void) {
    int made = 0;
    pthread_t thread;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    while (made < TASKS && pthread_create(&thread, &small, wait_a_while, NULL) == 0) made++;
    return made == TASKS;
}

static bool touch(size_t bytes, int kind) {
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return false;
    memset(at, 1, bytes);
    return true;
}

bool try_fills_memory_by_many(void) {
    int ready[2];
    char done[PROCESSES];
    if (pipe(ready) != 0) return false;
    for (int i = 0; i < PROCESSES; i++) {
        if (fork() != 0) continue;
        bool full = touch(SHARE, MAP_PRIVATE);
        ssize_t sent = full ? write(ready[1], "f", 1) : 0;
        rest(sent == 1 ? 3600000 : 0);
        _exit(0);
    }
    close(ready[1]);
    for (int i = 0; i < PROCESSES; i++)
        if (read(ready[0], done + i, 1) != 1) return false;
    rest(300);
    return true;
}

bool try_fills_shared_memory(void) {
    bool full = touch(SHARED, MAP_SHARED);
    rest(300);
    return full;
}

// Written and never mapped: no process's own memory.
bool try_fills_memory_files(void) {
    static char block[1 << 20];
    int fd = memfd_create("full", 0);
    size_t written = 0;
    while (fd >= 0 && written < SHARED && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        written += sizeof block;
    rest(300);
    return written == SHARED;
}

bool try_writes_much(void) {
    static char block[1 << 16];
    int fd = open("much", O_WRONLY | O_CREAT, 0644);
    size_t written = 0;
    memset(block, 1, sizeof block);
    while (fd >= 0 && written < WRITTEN && write(fd, block, sizeof block) == (ssize_t)sizeof block)
        written += sizeof block;
    return written >= WRITTEN;
}

bool try_writes_many_files(void) {
    char name[32];
    int made = 0;
    for (; made < FILES; made++) {
        snprintf(name, sizeof name, "file-%d", made);
        int fd = open(name, O_WRONLY | O_CREAT, 0644);
        if (fd < 0) break;
        close(fd);
    }
    return made == FILES;
}

bool try_digs_deep(void) {
    int depth = 0;
    while (depth < DEPTH && mkdir("deep", 0755) == 0 && chdir("deep") == 0) depth++;
    return depth == DEPTH;
}

bool try_writes_sparse(void) {
    int fd = open("out", O_WRONLY | O_CREAT, 0644);
    return fd >= 0 && ftruncate(fd, (off_t)1 << 40) == 0;
}

bool try_burns_time(void) {
    for (volatile unsigned i = 0;; i++) {}
}

// ---- escape -------------------------------------------------------------------------------------
// Getting at other processes, into new namespaces, or to live on.

enum { LONG_MS = 3600000 }; // longer than anybody waits for what must not be there

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

// ---- main ---------------------------------------------------------------------------------------

int main(int argc, char **argv) {
    char name[64];
    if (argc > 2) try_argument = argv[2];
    snprintf(name, sizeof name, "try_%s", argc > 1 ? argv[1] : "");
    bool (*run)(void) = dlsym(NULL, name);
    if (!run) return 2;
    errno = 0;
    bool through = run();
    printf(through ? "got through\n" : "was held (%s)\n", strerror(errno));
    return 0;
}
