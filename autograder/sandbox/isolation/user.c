// SPDX-License-Identifier: MIT
// As whom jobs run: see user.h. capabilities(7), user_namespaces(7).
#include "sandbox/isolation/user.h"

#include <linux/capability.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    // Numbers that no machine gives to people, so many for each judge by its process id: two jobs
    // never meet. PID_MAX_LIMIT is below JUDGES.
    FIRST = 0x40000000,
    OF_ONE_JUDGE = 256,
    JUDGES = 1 << 22,
    // In a container that maps fewer users: the last but one thousand of these.
    MAPPED_LEAST = 4096,
    MAPPED_USED = 1024
};

bool sandbox_may_mount(void) {
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    return geteuid() == 0 && syscall(SYS_capget, &head, data) == 0 &&
           (data[0].effective >> CAP_SYS_ADMIN & 1) != 0;
}

// The largest range of numbers that both users and groups have here.
static bool read_range(const char *path, unsigned long *first, unsigned long *count) {
    FILE *map = fopen(path, "re");
    unsigned long inside, outside, length;
    *count = 0;
    if (!map) return false;
    while (fscanf(map, "%lu %lu %lu", &inside, &outside, &length) == 3) {
        if (length <= *count) continue;
        *first = inside;
        *count = length;
    }
    fclose(map);
    return *count > 0;
}

bool sandbox_choose_user(unsigned *out_user) {
    static unsigned jobs;
    unsigned long first, count, group_first, group_count;
    unsigned long own = (unsigned long)(getpid() % JUDGES) * OF_ONE_JUDGE + jobs++ % OF_ONE_JUDGE;
    bool known = read_range("/proc/self/uid_map", &first, &count) &&
                 read_range("/proc/self/gid_map", &group_first, &group_count);
    if (!known || (first == 0 && count > FIRST + (unsigned long)JUDGES * OF_ONE_JUDGE)) {
        *out_user = (unsigned)(FIRST + own);
        return true;
    }
    if (group_first != first || group_count != count || count < MAPPED_LEAST) return false;
    *out_user = (unsigned)(first + count - 2 * MAPPED_USED + own % MAPPED_USED);
    return true;
}
