// Removal of a folder that hostile programs filled: see files.h. A folder that lies in another one
// is moved to the top before it is emptied, so that neither the depth of the tree nor the length of
// its paths matters: at any time two folders are open. Links are removed, never followed.
#include "utilities/files.h"
#include <dirent.h>

static bool is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

// Opens a folder below another one, also one whose owner has taken all rights from it.
static int open_folder(int above, const char *name) {
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat info;
    int path_fd = openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (path_fd < 0) return -1;
    if (fstat(path_fd, &info) == 0 && (info.st_mode & S_IRWXU) != S_IRWXU) {
        char path[64]; // chmod itself would follow a link
        snprintf(path, sizeof path, "/proc/self/fd/%d", path_fd);
        chmod(path, S_IRWXU);
    }
    close(path_fd);
    return openat(above, name, flags);
}

// Moves a folder to the top under a name that is free there.
static bool move_up(int from, const char *name, int top, unsigned *number) {
    int fd = open_folder(from, name); // a folder that is moved must be writable itself
    if (fd >= 0) close(fd);
    for (int tries = 0; tries < 1000; tries++) {
        char fresh[32];
        snprintf(fresh, sizeof fresh, ".removed-%u", (*number)++);
        if (renameat(from, name, top, fresh) == 0) return true;
        if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR) return false;
    }
    return false;
}

// Empties a folder of the top one: its files are removed, its folders moved up.
static bool empty(int top, const char *name, unsigned *number) {
    int fd = open_folder(top, name);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0) close(fd);
        return false;
    }
    bool well = true;
    const struct dirent *item;
    while ((item = readdir(folder))) {
        if (is_dots(item->d_name) || unlinkat(fd, item->d_name, 0) == 0) continue;
        well = move_up(fd, item->d_name, top, number) && well;
    }
    closedir(folder);
    return unlinkat(top, name, AT_REMOVEDIR) == 0 && well;
}

void ladder_folder_empty(int folder_fd) {
    int top = fcntl(folder_fd, F_DUPFD_CLOEXEC, 0);
    DIR *folder = top >= 0 ? fdopendir(top) : NULL;
    if (!folder) {
        if (top >= 0) close(top);
        return;
    }
    unsigned number = 0;
    bool removed = true; // something, in the last pass
    while (removed) {
        removed = false;
        rewinddir(folder);
        const struct dirent *item;
        while ((item = readdir(folder))) {
            if (is_dots(item->d_name)) continue;
            bool gone = unlinkat(top, item->d_name, 0) == 0 || empty(top, item->d_name, &number);
            removed = removed || gone;
        }
    }
    closedir(folder);
}

void ladder_folder_remove(const char *path) {
    int top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0) return;
    ladder_folder_empty(top);
    close(top);
    rmdir(path);
}
