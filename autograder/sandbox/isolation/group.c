// Control groups: see isolation.h.
#include "sandbox/isolation/isolation.h"
#include <dirent.h>
#include <signal.h>

enum {
    LINE = 8192,
    OWN_TASKS = 8,         // bubblewrap and ladder-sandbox, with room to spare
    OWN_MEMORY = 32 << 20, // bytes, the same
    REMOVE_US = 1000,
    REMOVE_TRIES = 1000 // 1 s: a group goes when its last process has ended
};

static const char *const version_1[LADDER_GROUPS] = {"memory", "pids"};

static bool put(const char *folder, const char *file, const char *text) {
    char path[LADDER_PATH];
    if (ladder_path(path, NULL, "%s/%s", folder, file) != KL_OK) return false;
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    bool well = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return well;
}

// A small file's text; false when it cannot be read.
static bool get(const char *folder, const char *file, char text[LINE]) {
    char path[LADDER_PATH];
    if (ladder_path(path, NULL, "%s/%s", folder, file) != KL_OK) return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = read(fd, text, LINE - 1);
    close(fd);
    text[got > 0 ? got : 0] = '\0';
    return got >= 0;
}

static bool has_word(const char *list, const char *separators, const char *word) {
    size_t length = strlen(word);
    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word)) {
        bool begins = at == list || strchr(separators, at[-1]);
        if (begins && (at[length] == '\0' || strchr(separators, at[length]))) return true;
    }
    return false;
}

// Where a hierarchy is mounted and which group of it is the mount's top: fields 5 and 4 of
// mountinfo. controller NULL: version 2.
static bool find_mount(const char *mountinfo, const char *controller, char *out_mount,
                       char *out_top) {
    FILE *file = fopen(mountinfo, "re");
    char line[LINE], top[LADDER_PATH], mount[LADDER_PATH], type[64], options[1024];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *rest = strstr(line, " - ");
        if (!rest || sscanf(line, "%*d %*d %*s %4095s %4095s", top, mount) != 2 ||
            sscanf(rest, " - %63s %*s %1023s", type, options) != 2)
            continue;
        found = !controller ? strcmp(type, "cgroup2") == 0
                            : strcmp(type, "cgroup") == 0 && has_word(options, ",", controller);
    }
    if (file) fclose(file);
    if (!found) return false;
    strcpy(out_mount, mount);
    strcpy(out_top, top);
    return true;
}

// This process's group in a hierarchy, as a folder; out: [LADDER_PATH].
static bool find_own(const char *mountinfo, const char *own, const char *controller, char *out,
                     char *out_mount) {
    char top[LADDER_PATH], line[LINE];
    if (!find_mount(mountinfo, controller, out_mount, top)) return false;
    FILE *file = fopen(own, "re");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path) continue;
        *path++ = '\0';
        path[strcspn(path, "\n")] = '\0';
        if (!controller ? names[1] != '\0' : !has_word(names + 1, ",", controller)) continue;
        size_t above = strlen(top);
        if (strcmp(top, "/") != 0 && strncmp(path, top, above) == 0) path += above;
        if (strcmp(path, "/") == 0) path = "";
        found = ladder_path(out, NULL, "%s%s", out_mount, path) == KL_OK;
    }
    if (file) fclose(file);
    return found && access(out, F_OK) == 0;
}

// Version 2: the nearest group above this process's, or its own, that gives memory and pids to its
// children and that may be written. A process may stand in a group only when it has no such
// children, so the own one serves only where a delegated group was prepared that way.
static bool find_version_2(const char *mountinfo, const char *own, char *out) {
    char mount[LADDER_PATH], controllers[LINE];
    if (!find_own(mountinfo, own, NULL, out, mount)) return false;
    for (;;) {
        if (get(out, "cgroup.subtree_control", controllers) &&
            has_word(controllers, " \n", "memory") && has_word(controllers, " \n", "pids") &&
            access(out, W_OK) == 0)
            return true;
        if (strlen(out) <= strlen(mount)) return false;
        *strrchr(out, '/') = '\0';
    }
}

bool ladder_group_find(const char *mountinfo, const char *own, ladder_group *out_parents,
                       bool *out_version_2) {
    ladder_group *g = out_parents;
    char mount[LADDER_PATH];
    g->count = 0;
    *out_version_2 = find_version_2(mountinfo, own, g->folders[0]);
    if (*out_version_2) {
        g->count = 1;
        return true;
    }
    for (int i = 0; i < LADDER_GROUPS; i++)
        if (!find_own(mountinfo, own, version_1[i], g->folders[i], mount) ||
            access(g->folders[i], W_OK) != 0)
            return false; // one of them alone is not worth the while
    g->count = LADDER_GROUPS;
    return true;
}

uint64_t ladder_group_memory_limit(const char *mountinfo, const char *own) {
    static const char *const files[] = {"memory.limit_in_bytes", "memory.max"};
    const uint64_t unlimited = UINT64_C(1) << 60; // version 1 has no word for it but a large number
    char folder[LADDER_PATH], mount[LADDER_PATH], text[LINE];
    uint64_t least = 0;
    for (int version = 1; version <= 2; version++) {
        if (!find_own(mountinfo, own, version == 1 ? version_1[0] : NULL, folder, mount)) continue;
        for (;;) {
            uint64_t bytes =
                get(folder, files[version - 1], text) ? strtoull(text, NULL, 10) : 0; // "max": 0
            if (bytes > 0 && bytes < unlimited && (least == 0 || bytes < least)) least = bytes;
            if (strlen(folder) <= strlen(mount)) break;
            *strrchr(folder, '/') = '\0';
        }
    }
    return least;
}

static bool set_limits(const ladder_group *g, bool second, uint64_t memory_bytes,
                       uint64_t processes) {
    char memory[32], tasks[32];
    snprintf(memory, sizeof memory, "%" PRIu64, memory_bytes + OWN_MEMORY);
    snprintf(tasks, sizeof tasks, "%" PRIu64, processes + OWN_TASKS);
    const char *tasks_folder = g->folders[second ? 0 : 1];
    if (processes > 0 && !put(tasks_folder, "pids.max", tasks)) return false;
    if (memory_bytes == 0) return true;
    if (!put(g->folders[0], second ? "memory.max" : "memory.limit_in_bytes", memory)) return false;
    if (second) put(g->folders[0], "memory.swap.max", "0"); // where there is swap
    return true;
}

// Groups of judges that were killed.
static void remove_old(const char *folder) {
    DIR *entries = opendir(folder);
    const struct dirent *item;
    while (entries && (item = readdir(entries))) {
        int pid = 0;
        unsigned number;
        char below[LADDER_PATH];
        if (sscanf(item->d_name, "ladder-%d-%u", &pid, &number) != 2 || pid <= 1 ||
            kill(pid, 0) == 0 || errno != ESRCH ||
            ladder_path(below, NULL, "%s/%s", folder, item->d_name) != KL_OK)
            continue;
        remove_old(below); // groups within it
        rmdir(below);      // fails while it has processes
    }
    if (entries) closedir(entries);
}

static bool version_2; // of the groups of this process

static const ladder_group *find_parents(void) {
    static ladder_group parents; // of all jobs of this process
    static bool searched;
    if (!searched) {
        ladder_group_find("/proc/self/mountinfo", "/proc/self/cgroup", &parents, &version_2);
        for (int i = 0; i < parents.count; i++) remove_old(parents.folders[i]);
    }
    searched = true;
    return &parents;
}

// The group that others are made in hands its controllers on; version 1 has no such file.
static void open_to_children(const ladder_group *g) {
    for (int i = 0; i < g->count; i++)
        if (version_2) put(g->folders[i], "cgroup.subtree_control", "+memory +pids");
}

bool ladder_group_make(const ladder_group *within, uint64_t memory_bytes, uint64_t processes,
                       ladder_group *out_group) {
    static unsigned made;
    const ladder_group *parents = find_parents();
    bool well = true;
    ladder_group *g = out_group;
    g->count = 0;
    if (parents->count == 0) return false;
    if (within && within->count > 0) {
        parents = within;
        open_to_children(within);
    }
    unsigned number = made++;
    for (int i = 0; i < parents->count && well; i++) {
        char path[LADDER_PATH];
        well = ladder_path(g->folders[i], NULL, "%s/ladder-%d-%u", parents->folders[i],
                           (int)getpid(), number) == KL_OK &&
               (mkdir(g->folders[i], 0755) == 0 || errno == EEXIST);
        if (!well) break;
        g->join[g->count] = -1;
        g->count = i + 1;
        well = ladder_path(path, NULL, "%s/cgroup.procs", g->folders[i]) == KL_OK &&
               (g->join[i] = open(path, O_WRONLY | O_CLOEXEC)) >= 0;
    }
    if (well && set_limits(g, version_2, memory_bytes, processes)) return true;
    ladder_group_remove(g);
    return false;
}

void ladder_group_close_join(ladder_group *group) {
    for (int i = 0; i < group->count; i++) {
        if (group->join[i] >= 0) close(group->join[i]);
        group->join[i] = -1;
    }
}

// What is still in the group belongs to the job, whatever it has become.
static void end_members(const char *folder) {
    char text[LINE];
    if (!get(folder, "cgroup.procs", text)) return;
    for (char *at = text; *at != '\0';) {
        char *end = at;
        long pid = strtol(at, &end, 10);
        if (end == at) break;
        if (pid > 1) kill((pid_t)pid, SIGKILL);
        at = end;
    }
}

void ladder_group_remove(ladder_group *group) {
    ladder_group_close_join(group);
    for (int i = 0; i < group->count; i++)
        for (int tries = 0; tries < REMOVE_TRIES; tries++) {
            if (rmdir(group->folders[i]) == 0 || errno != EBUSY) break;
            end_members(group->folders[i]);
            usleep(REMOVE_US);
        }
    group->count = 0;
}

bool ladder_group_was_full(const ladder_group *group) {
    static const char *const files[] = {"memory.events", "memory.oom_control"};
    char text[LINE];
    for (size_t i = 0; i < sizeof files / sizeof files[0] && group->count > 0; i++) {
        if (!get(group->folders[0], files[i], text)) continue;
        const char *at = strstr(text, "oom_kill ");
        if (at && strtol(at + strlen("oom_kill "), NULL, 10) > 0) return true;
    }
    return false;
}
