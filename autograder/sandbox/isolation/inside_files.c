// The files of a job: see internal.h. tmpfs(5) with limits of bytes and inodes. What the
// program left there is hostile: names are opened without following links, and only regular files
// are read.
#include "sandbox/isolation/protocol.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

// At most `limit` bytes.
static bool copy_bytes(int from, int to, uint64_t limit) {
    static char block[BLOCK];
    while (limit > 0) {
        size_t wanted = limit < BLOCK ? (size_t)limit : BLOCK;
        ssize_t got = read(from, block, wanted);
        if (got == 0) return true;
        for (ssize_t written = 0; written < got;) {
            ssize_t now = write(to, block + written, (size_t)(got - written));
            if (now <= 0) return false;
            written += now;
        }
        if (got < 0) return false;
        limit -= (uint64_t)got;
    }
    return true;
}

static int open_regular(int folder, const char *name) {
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    struct stat info;
    if (fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) return fd;
    if (fd >= 0) close(fd);
    return -1;
}

// A file that shall come back begins as none: the judge's own, empty, lies there.
static bool is_output(const ladder_inside_plan *plan, const char *name) {
    for (int i = 0; i < plan->output_count; i++)
        if (strcmp(plan->outputs[i].name, name) == 0) return true;
    return false;
}

static bool copy_in(const ladder_inside_plan *plan, int from, int to) {
    DIR *entries = fdopendir(from);
    if (!entries) return false;
    const struct dirent *item;
    bool well = true;
    while (well && (item = readdir(entries))) {
        int source = is_output(plan, item->d_name) ? -1 : open_regular(from, item->d_name);
        if (source < 0) continue;
        int copy = openat(to, item->d_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
        well = copy >= 0 && copy_bytes(source, copy, plan->folder_bytes);
        if (well && plan->change_user) well = fchown(copy, plan->user, plan->user) == 0;
        close(source);
        if (copy >= 0) close(copy);
    }
    closedir(entries);
    return well;
}

bool inside_files_make(const ladder_inside_plan *plan) {
    char options[160];
    int used =
        snprintf(options, sizeof options, "mode=0700,size=%llu,nr_inodes=%llu",
                 (unsigned long long)plan->folder_bytes, (unsigned long long)plan->folder_files);
    if (plan->change_user) {
        snprintf(options + used, sizeof options - (size_t)used, ",uid=%u,gid=%u", plan->user,
                 plan->user);
    }
    int from = open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (from < 0) return false;
    bool made = mount("tmpfs", plan->folder, "tmpfs", MS_NOSUID | MS_NODEV, options) == 0;
    int to = made ? open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (to < 0) {
        int code = errno;
        close(from);
        errno = code;
        return false;
    }
    bool copied = copy_in(plan, from, to); // closes `from`
    close(to);
    return copied;
}

bool inside_files_return(const ladder_inside_plan *plan, int i) {
    int folder = open(plan->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return false;
    int fd = open_regular(folder, plan->outputs[i].name);
    close(folder);
    if (fd < 0) return false;
    bool well = copy_bytes(fd, plan->outputs[i].fd, plan->folder_bytes);
    close(fd);
    return well;
}
