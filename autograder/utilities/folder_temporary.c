// Private folders under $TMPDIR: see files.h. A process that is killed cannot remove its folder, so
// the next one that makes such a folder does. A folder belongs to a living process as long as it is
// locked (flock): the kernel frees the lock when the last process that shares it has ended, in
// whatever way, and process numbers, which are used anew and mean nothing in another container,
// play no part. Names hold the machine's: on a file system that several machines share, none
// touches another's folders. Where folders cannot be locked (some network file systems), the name
// is one that is never removed.
#include "utilities/files.h"
#include <dirent.h>
#include <sys/file.h>

enum { RANDOM_CHARS = 6, TRIES = 100 }; // of mkdtemp's names; of a folder that others remove

typedef enum hold { HELD, REMOVED, NO_LOCKS } hold;

static int open_folder(int above, const char *name) {
    return openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// What the names of this machine's folders begin with. out: [128]
static void get_prefix(char *out) {
    char host[64] = "";
    if (gethostname(host, sizeof host) != 0) host[0] = '\0';
    host[sizeof host - 1] = '\0';
    for (char *c = host; *c != '\0'; c++)
        if (*c == '/') *c = '_';
    snprintf(out, 128, "ladder-of-%s-", host);
}

// Whether a folder that was found is one of this user's whose process has ended: then it is locked.
static bool take_dead(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 && info.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0;
}

static void remove_dead(const char *base, const char *prefix) {
    DIR *folder = opendir(base);
    const struct dirent *item;
    size_t length = strlen(prefix);
    while (folder && (item = readdir(folder))) {
        if (strncmp(item->d_name, prefix, length) != 0 ||
            strlen(item->d_name) != length + RANDOM_CHARS)
            continue;
        int fd = open_folder(dirfd(folder), item->d_name);
        if (fd < 0) continue; // a file, or a link to somewhere
        if (take_dead(fd)) {
            ladder_folder_empty(fd); // what was locked, whatever has that name by now
            unlinkat(dirfd(folder), item->d_name, AT_REMOVEDIR);
        }
        close(fd);
    }
    if (folder) closedir(folder);
}

// Locks a folder that was just made; another process may have taken it for a dead one's before.
// The descriptor stays open until this process ends.
static hold hold_folder(const char *path) {
    int fd = open_folder(AT_FDCWD, path);
    if (fd < 0) return errno == ENOENT ? REMOVED : NO_LOCKS;
    int result = 0;
    while ((result = flock(fd, LOCK_EX)) != 0 && errno == EINTR) continue;
    if (result != 0) {
        close(fd);
        return NO_LOCKS;
    }
    if (ladder_file_is_named(fd, path)) return HELD;
    close(fd);
    return REMOVED;
}

static kl_status make(const char *base, const char *prefix, char *out, kl_error *err) {
    TRY(ladder_path(out, err, "%s/%sXXXXXX", base, prefix));
    if (mkdtemp(out)) return KL_OK;
    return kl_fail(err, KL_ERROR_SYSTEM, "cannot make a temporary folder in %s: %s", base,
                   strerror(errno));
}

kl_status ladder_folder_temporary(char *out, kl_error *err) {
    char prefix[128];
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/') base = "/tmp";
    get_prefix(prefix);
    remove_dead(base, prefix);
    hold state = REMOVED;
    for (int i = 0; i < TRIES && state == REMOVED; i++) {
        TRY(make(base, prefix, out, err));
        state = hold_folder(out);
    }
    if (state == HELD) return KL_OK;
    if (state == NO_LOCKS) rmdir(out);
    return make(base, "ladder-", out, err);
}

// Removal of a folder that hostile programs filled. A folder that lies in another one is moved to
// the top before it is emptied, so that neither the depth of the tree nor the length of its paths
// matters: at any time two folders are open. Links are removed, never followed.

static bool is_dots(const char *name) { return strcmp(name, ".") == 0 || strcmp(name, "..") == 0; }

// Opens a folder below another one, also one whose owner has taken all rights from it.
static int open_writable(int above, const char *name) {
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
    int fd = open_writable(from, name); // a folder that is moved must be writable itself
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
    int fd = open_writable(top, name);
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
