// Telling something to another job, to this machine or to the world from in the sandbox. The test
// is the other side, outside.
#include <arpa/inet.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "../in_sandbox.h"

static bool try_with_number(const attack_setup *setup, const char *try, long number) {
    char text[32];
    snprintf(text, sizeof text, "%ld", number);
    return in_sandbox_run(setup, try, &(in_sandbox){.argument = text});
}

static key_t key_of_this_test(void) { return 0x4c410000 + getpid() % 0xffff; }

// attack: Leaves a segment of shared memory (System V) to another job.
// stopped by: SANDBOX_FILTER, SANDBOX_IPC
// expect: there are no such calls, and the segment would end with the job
// gains: the segment is there afterwards
ATTACK(leaves_shared_segment) {
    try_with_number(setup, "leaves_shared_segment", key_of_this_test());
    int id = shmget(key_of_this_test(), 0, 0);
    return id >= 0 && shmctl(id, IPC_RMID, NULL) == 0;
}

// attack: Leaves a semaphore (System V) as a signal to another job.
// stopped by: SANDBOX_FILTER, SANDBOX_IPC
// expect: there are no such calls, and it would end with the job
// gains: the semaphore is there afterwards
ATTACK(leaves_semaphore) {
    try_with_number(setup, "leaves_semaphore", key_of_this_test());
    int id = semget(key_of_this_test(), 0, 0);
    return id >= 0 && semctl(id, 0, IPC_RMID) == 0;
}

// attack: Leaves a message (System V) to another job.
// stopped by: SANDBOX_FILTER, SANDBOX_IPC
// expect: there are no such calls, and it would end with the job
// gains: the message is there afterwards
ATTACK(leaves_message) {
    try_with_number(setup, "leaves_message", key_of_this_test());
    int id = msgget(key_of_this_test(), 0);
    return id >= 0 && msgctl(id, IPC_RMID, NULL) == 0;
}

// attack: Leaves a POSIX message queue to another job.
// stopped by: SANDBOX_FILTER, SANDBOX_IPC
// expect: there are no such calls, and it would end with the job
// gains: the queue is there afterwards
ATTACK(leaves_posix_queue) {
    char name[64];
    snprintf(name, sizeof name, "/ladder-attack-%d", (int)getpid());
    in_sandbox_run(setup, "leaves_posix_queue", &(in_sandbox){.argument = name});
    return mq_unlink(name) == 0;
}

// attack: Leaves POSIX shared memory, which is a file in /dev/shm.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER, SANDBOX_LANDLOCK
// expect: there is no /dev/shm
// gains: the memory is there afterwards
ATTACK(leaves_posix_memory) {
    char name[64];
    snprintf(name, sizeof name, "/ladder-attack-%d", (int)getpid());
    in_sandbox_run(setup, "leaves_posix_memory", &(in_sandbox){.argument = name});
    return shm_unlink(name) == 0;
}

// A socket of this machine that waits for the attack; its port.
static int listen_here(int kind, int *out_port) {
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t bytes = sizeof at;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, kind | SOCK_CLOEXEC, 0);
    ATTACK_MUST(fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 &&
                    (kind == SOCK_DGRAM || listen(fd, 1) == 0) &&
                    getsockname(fd, (struct sockaddr *)&at, &bytes) == 0,
                "no socket");
    *out_port = ntohs(at.sin_port);
    return fd;
}

static bool is_reached(const attack_setup *setup, const char *try, int kind) {
    int port, fd = listen_here(kind, &port);
    try_with_number(setup, try, port);
    struct pollfd came = {fd, POLLIN, 0};
    return poll(&came, 1, 0) == 1;
}

// attack: Connects to a server by TCP and tells it what it has seen.
// stopped by: SANDBOX_FILTER, SANDBOX_NETWORK, SANDBOX_LANDLOCK
// expect: there are no sockets and no network
// gains: the server has a connection
ATTACK(connects_tcp) { return is_reached(setup, "connects_tcp", SOCK_STREAM); }

// attack: Sends what it has seen by UDP, as a query of a name would.
// stopped by: SANDBOX_FILTER, SANDBOX_NETWORK
// expect: there are no sockets and no network
// gains: the packet arrives
ATTACK(sends_udp) { return is_reached(setup, "sends_udp", SOCK_DGRAM); }

// attack: Waits on an abstract socket, which needs no file, for another job.
// stopped by: SANDBOX_FILTER, SANDBOX_NETWORK
// expect: there are no sockets, and names of sockets are the job's own
// gains: a process outside connects to it
ATTACK(listens_on_abstract_socket) {
    char name[64];
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    ladder_process process, *one[] = {&process};
    int length = snprintf(name, sizeof name, "ladder-attack-%d", (int)getpid());
    snprintf(at.sun_path + 1, sizeof at.sun_path - 1, "%s", name);
    in_sandbox_start(setup, "listens_on_abstract_socket", &(in_sandbox){.argument = name},
                     &process);
    while (process.end == LADDER_END_RUNNING && process.output_bytes == 0) // until it listens
        ladder_process_wait_readable(one, 1, -1, kl_now_s() + 0.05);
    socklen_t bytes = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool through = fd >= 0 && connect(fd, (struct sockaddr *)&at, bytes) == 0;
    ladder_process_finish(&process);
    ladder_process_free(&process);
    return through;
}

// attack: Asks the kernel for the machine's network devices.
// stopped by: SANDBOX_FILTER
// expect: there are no sockets
// gains: it can ask
ATTACK(asks_netlink) { return in_sandbox_run(setup, "asks_netlink", &(in_sandbox){.fd = 0}); }

// attack: Keeps a secret as a key of the kernel's, which belongs to the user.
// stopped by: SANDBOX_FILTER
// expect: there are no keys
// gains: the key is kept
ATTACK(adds_key) { return in_sandbox_run(setup, "adds_key", &(in_sandbox){.fd = 0}); }

// attack: Locks a file that all jobs see, as a bell for another job.
// stopped by: SANDBOX_FILTER
// expect: there are no locks
// gains: it holds the lock
ATTACK(locks_shared_file) {
    char path[LADDER_PATH];
    in_sandbox_secret(setup, 0644, path);
    return in_sandbox_run(setup, "locks_shared_file",
                          &(in_sandbox){.argument = path, .also = {path}});
}

// attack: Reads the name of the machine, to be honest only where it is not graded.
// stopped by: SANDBOX_NAMES
// expect: all machines have one name
// gains: it reads the name
ATTACK(reads_host_name) {
    char name[256] = "";
    ATTACK_MUST(gethostname(name, sizeof name - 1) == 0 && strcmp(name, "grader") != 0, "no name");
    return in_sandbox_run(setup, "reads_host_name", &(in_sandbox){.argument = name});
}
