// SPDX-License-Identifier: MIT
// Landlock: see internal.h. landlock(7), by its system calls and numbers, for headers and
// libraries are seldom new enough. The mounts are read-only already; this lock holds when they are
// not.
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/isolation/internal.h"

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
