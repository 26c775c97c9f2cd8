// Telling something to another job, to somebody on this machine, or to somebody outside.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <mqueue.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tries.h"

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
