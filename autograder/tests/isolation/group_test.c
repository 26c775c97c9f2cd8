// Control groups: where jobs' groups are made, in systems that are described by files, and what a
// group of this machine does where one is to be had.
#include <sys/mman.h>
#include <sys/syscall.h>

#include "suite.h"
#include "sandbox/isolation/isolation.h"

static kl_error err;
static char top[LADDER_PATH];

static void write_file(const char *name, const char *text) {
    char path[2 * LADDER_PATH];
    snprintf(path, sizeof path, "%s/%s", top, name);
    *strrchr(path, '/') = '\0';
    ck_assert_msg(ladder_folder_make(path, &err) == KL_OK, "%s", err.text);
    snprintf(path, sizeof path, "%s/%s", top, name);
    ck_assert_msg(ladder_file_write(path, text, strlen(text), &err) == KL_OK, "%s", err.text);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
// The folders in which groups would be made, below `top`; "" for none.
static const char *find(const char *mountinfo, const char *own, bool *out_version_2) {
    static char text[3 * LADDER_PATH];
    char mounts[2 * LADDER_PATH], groups[2 * LADDER_PATH], lines[4 * LADDER_PATH];
    snprintf(lines, sizeof lines, mountinfo, top, top); // paths in place of %s
    write_file("mountinfo", lines);
    write_file("own", own);
    snprintf(mounts, sizeof mounts, "%s/mountinfo", top);
    snprintf(groups, sizeof groups, "%s/own", top);
    ladder_group found;
    text[0] = '\0';
    if (!ladder_group_find(mounts, groups, &found, out_version_2)) return text;
    for (int i = 0; i < found.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? " " : "",
                 found.folders[i] + strlen(top));
    return text;
}
#pragma GCC diagnostic pop

static const char version_2[] = "30 1 0:26 / %s/cg rw shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
static const char version_1[] = "35 1 0:30 / %s/memory rw - cgroup cgroup rw,memory\n"
                                "36 1 0:31 / %s/pids rw - cgroup cgroup rw,foo,pids\n";

KL_TEST(version_2_is_used_where_a_group_gives_controllers_to_its_children) {
    bool second = false;
    ck_assert(ladder_folder_temporary(top, &err) == KL_OK);
    write_file("cg/cgroup.subtree_control", "cpu memory pids\n");
    write_file("cg/user/cgroup.subtree_control", "pids\n");
    write_file("cg/user/session/cgroup.subtree_control", "\n");
    ck_assert_str_eq(find(version_2, "0::/user/session\n", &second), "/cg");
    ck_assert(second);
    write_file("cg/user/cgroup.subtree_control", "memory pids\n");
    ck_assert_str_eq(find(version_2, "1:name=systemd:/x\n0::/user/session\n", &second), "/cg/user");
    write_file("cg/cgroup.subtree_control", "cpuset memory_pressure pids\n"); // no such words
    write_file("cg/user/cgroup.subtree_control", "pids\n");
    ck_assert_str_eq(find(version_2, "0::/user/session\n", &second), "");
    ck_assert_str_eq(find(version_2, "0::/gone\n", &second), "");
    ladder_folder_remove(top);
}

KL_TEST(version_1_needs_both_hierarchies) {
    bool second = true;
    ck_assert(ladder_folder_temporary(top, &err) == KL_OK);
    write_file("memory/job/tasks", "");
    write_file("pids/tasks", "");
    ck_assert_str_eq(find(version_1, "4:memory:/job\n3:pids:/\n", &second), "/memory/job /pids");
    ck_assert(!second);
    ck_assert_str_eq(find(version_1, "4:memory:/job\n3:cpu:/\n", &second), "");
    ladder_folder_remove(top);
}

KL_TEST(the_group_of_a_container_is_below_its_own_mount) {
    bool second = true;
    ck_assert(ladder_folder_temporary(top, &err) == KL_OK);
    write_file("memory/inner/tasks", "");
    write_file("pids/tasks", "");
    ck_assert_str_eq(find("35 1 0:30 /docker/abc %s/memory rw - cgroup cgroup rw,memory\n"
                          "36 1 0:31 /docker/abc %s/pids rw - cgroup cgroup rw,pids\n",
                          "4:memory:/docker/abc/inner\n3:pids:/docker/abc\n", &second),
                     "/memory/inner /pids");
    ladder_folder_remove(top);
}

static uint64_t limit(const char *mountinfo, const char *own) {
    bool second;
    char mounts[2 * LADDER_PATH], groups[2 * LADDER_PATH];
    find(mountinfo, own, &second); // which writes the files
    snprintf(mounts, sizeof mounts, "%s/mountinfo", top);
    snprintf(groups, sizeof groups, "%s/own", top);
    return ladder_group_memory_limit(mounts, groups);
}

KL_TEST(the_least_limit_of_memory_counts) {
    ck_assert(ladder_folder_temporary(top, &err) == KL_OK);
    write_file("cg/user/session/memory.max", "max\n");
    ck_assert_uint_eq(limit(version_2, "0::/user/session\n"), 0);
    write_file("cg/user/memory.max", "8589934592\n");
    ck_assert_uint_eq(limit(version_2, "0::/user/session\n"), UINT64_C(8) << 30);
    write_file("cg/user/session/memory.max", "2147483648\n");
    ck_assert_uint_eq(limit(version_2, "0::/user/session\n"), UINT64_C(2) << 30);
    write_file("memory/memory.limit_in_bytes", "9223372036854771712\n"); // none, in version 1
    write_file("memory/job/memory.limit_in_bytes", "4294967296\n");
    write_file("pids/tasks", "");
    ck_assert_uint_eq(limit(version_1, "4:memory:/job\n3:pids:/\n"), UINT64_C(4) << 30);
    ck_assert_uint_eq(limit(version_1, "4:memory:/\n3:pids:/\n"), 0);
    ck_assert_uint_eq(limit(version_1, "3:pids:/\n"), 0);
    ladder_folder_remove(top);
}

// A fork without the thread that a sanitizer starts in the child: it would count, too.
static pid_t plain_fork(void) { return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); }

// A child in a group of 16 processes forks until it cannot: how often it could.
static int forks_in(const ladder_group *group) {
    pid_t child = plain_fork();
    if (child == 0) {
        int made = 0;
        for (int i = 0; i < group->count; i++)
            if (write(group->join[i], "0", 1) != 1) _exit(255);
        pid_t started[100];
        for (; made < 100 && (started[made] = plain_fork()) >= 0; made++) {
            if (started[made] > 0) continue;
            pause();
            _exit(0);
        }
        for (int i = 0; i < made; i++) kill(started[i], SIGKILL);
        while (wait(NULL) > 0) {}
        _exit(made);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

KL_TEST(a_group_limits_its_processes_and_goes) {
    ladder_group group;
    if (!ladder_group_make(NULL, 64 << 20, 16, &group)) return; // none to be had on this machine
    int forks = forks_in(&group);
    ck_assert_msg(forks >= 15 && forks < 40, "%d processes", forks);
    ck_assert(!ladder_group_was_full(&group));
    char folder[LADDER_PATH];
    strcpy(folder, group.folders[0]);
    ladder_group_remove(&group);
    ck_assert(!ladder_file_exists(folder));
}

// A child in a group that fills memory: the signal that ended it.
static int fills_in(const ladder_group *group, size_t bytes) {
    pid_t child = plain_fork();
    if (child == 0) {
        for (int i = 0; i < group->count; i++)
            if (write(group->join[i], "0", 1) != 1) _exit(255);
        char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) _exit(254);
        memset(at, 1, bytes);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

KL_TEST(groups_within_a_group_share_its_memory) {
    ladder_group both, one, other;
    if (!ladder_group_make(NULL, 64 << 20, 0, &both)) return; // none to be had on this machine
    ck_assert(ladder_group_make(&both, 0, 16, &one));
    ck_assert(ladder_group_make(&both, 0, 16, &other));
    ck_assert_int_eq(fills_in(&one, 16 << 20), 0);
    ck_assert_int_eq(fills_in(&other, 160 << 20), SIGKILL); // more than the limit of both
    ck_assert(ladder_group_was_full(&other));
    ladder_group_remove(&one);
    ladder_group_remove(&other);
    char folder[LADDER_PATH];
    strcpy(folder, both.folders[0]);
    ladder_group_remove(&both);
    ck_assert(!ladder_file_exists(folder));
}

KL_TEST_MAIN("group")
