// The end of a process tree: every descendant is found through /proc and killed, also those that
// left their session or whose parents have died (the caller is a child subreaper, prctl(2), so they
// become its own children). Must never touch a process that is not a descendant of the caller.
#include "utilities/defence.h"
#include "sandbox/process/machine.h"
#include "sandbox/process/process.h"
#include <dirent.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

typedef struct entry {
    pid_t pid, parent;
    bool ours; // a descendant of the caller that is not kept
} entry;

typedef struct entry_list {
    entry *items;
    size_t count, capacity;
} entry_list;

// Field 4 of /proc/PID/stat; the name in field 2 may hold anything, so count from its last bracket.
static bool read_parent(int proc_fd, const char *pid_text, pid_t *out_parent) {
    char path[32], text[512];
    snprintf(path, sizeof path, "%.16s/stat", pid_text);
    if (!ladder_proc_read(proc_fd, path, text, sizeof text)) return false;
    const char *bracket = strrchr(text, ')');
    int parent = 0;
    if (!bracket || sscanf(bracket + 1, " %*c %d", &parent) != 1) return false;
    *out_parent = (pid_t)parent;
    return true;
}

static void list_processes(entry_list *list) {
    list->count = 0;
    DIR *proc = opendir("/proc");
    if (!proc) return;
    struct dirent *item;
    while ((item = readdir(proc))) {
        if (!isdigit((unsigned char)item->d_name[0])) continue;
        if (list->count == list->capacity) {
            size_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
            entry *items = realloc(list->items, capacity * sizeof *items);
            if (!items) break;
            list->items = items;
            list->capacity = capacity;
        }
        entry *e = &list->items[list->count];
        *e = (entry){.pid = (pid_t)atoi(item->d_name)};
        if (read_parent(dirfd(proc), item->d_name, &e->parent)) list->count++;
    }
    closedir(proc);
}

static bool is_kept(pid_t pid, const pid_t *keep, int keep_count) {
    for (int i = 0; i < keep_count; i++)
        if (keep[i] == pid) return true;
    return false;
}

// Marks children of the caller, then their children, until nothing new is found.
static size_t mark_descendants(entry_list *list, const pid_t *keep, int keep_count) {
    size_t marked = 0;
    bool found = true;
    while (found) {
        found = false;
        for (size_t i = 0; i < list->count; i++) {
            entry *e = &list->items[i];
            if (e->ours || is_kept(e->pid, keep, keep_count)) continue;
            bool descendant = e->parent == getpid();
            for (size_t j = 0; j < list->count && !descendant; j++)
                descendant = list->items[j].ours && list->items[j].pid == e->parent;
            if (descendant) {
                e->ours = true;
                found = true;
                marked++;
            }
        }
    }
    return marked;
}

int ladder_process_kill_descendants(const pid_t *keep, int keep_count, double patience_s) {
    if (!ladder_defence_on(LADDER_DEFENCE_TREE_END)) return 0;
    entry_list list = {NULL, 0, 0};
    double deadline = kl_now_s() + patience_s;
    int killed = 0;
    for (;;) {
        list_processes(&list);
        if (mark_descendants(&list, keep, keep_count) == 0) break;
        for (size_t i = 0; i < list.count; i++) {
            const entry *e = &list.items[i];
            if (!e->ours) continue;
            kill(e->pid, SIGKILL);
            if (e->parent == getpid() && waitpid(e->pid, NULL, WNOHANG) == e->pid) killed++;
        }
        if (kl_now_s() > deadline) break;
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    free(list.items);
    return killed;
}
