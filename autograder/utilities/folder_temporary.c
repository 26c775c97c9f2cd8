// Private folders under $TMPDIR: see files.h. A process that is killed cannot remove its folder, so
// the next one that makes such a folder does. A folder belongs to a living process as long as it is
// locked (flock): the kernel frees the lock when the last process that shares it has ended, in
// whatever way, and process numbers, which are used anew and mean nothing in another container,
// play no part. Names hold the machine's: on a file system that several machines share, none
// touches another's folders. Where folders cannot be locked (some network file systems), the name
// is one that is never removed.
#include "utilities/files.h"
#include "utilities/text.h"
#include <dirent.h>
#include <sys/file.h>
#include <time.h>

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

// ---- locks --------------------------------------------------------------------------------------
// One process at a time writes somewhere. A lock of the kernel's, of this process and not of its
// workers, so that it ends with it; on a file system without them what the file says must do.

// Who has a lock, as its file has it.
typedef struct holder {
    char host[64], since[32]; // "": not known
    long pid;                 // 0: nobody
    long long start;          // of the process, in clock ticks since the machine started
} holder;

// When a process started, by which a later one of the same number differs; -1: it is gone.
static long long start_of(long pid) {
    char path[64], text[1024] = "";
    long long start = -1;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *in = fopen(path, "re");
    if (!in) return -1;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    const char *bracket = strrchr(text, ')'); // field 22 of proc(5)
    if (!bracket || sscanf(bracket + 1,
                           " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d"
                           " %*d %*d %lld",
                           &start) != 1)
        return -1;
    return start;
}

static holder this_process(void) {
    holder own = {.pid = (long)getpid(), .start = start_of((long)getpid())};
    char host[sizeof own.host] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') snprintf(host, 5, "here");
    snprintf(own.host, sizeof own.host, "%.*s", (int)strcspn(host, " \n"), host);
    ladder_time_iso((double)time(NULL), own.since);
    return own;
}

static holder read_holder(int fd) {
    holder found = {.pid = 0};
    char text[200] = "", host[sizeof found.host], since[sizeof found.since];
    ssize_t bytes = pread(fd, text, sizeof text - 1, 0);
    if (bytes <= 0 ||
        sscanf(text, "%63s %ld %lld %31s", host, &found.pid, &found.start, since) != 4)
        return (holder){.pid = 0};
    ladder_plain(host, false, found.host, sizeof found.host);
    ladder_plain(since, false, found.since, sizeof found.since);
    return found;
}

static bool is_elsewhere(const holder *other) {
    return strcmp(other->host, this_process().host) != 0;
}

static bool is_alive(const holder *other) {
    return !is_elsewhere(other) && other->pid != (long)getpid() && other->start >= 0 &&
           start_of(other->pid) == other->start;
}

bool ladder_lock_sign(int fd) {
    holder own = this_process();
    return ftruncate(fd, 0) == 0 &&
           dprintf(fd, "%s %ld %lld %s\n", own.host, own.pid, own.start, own.since) > 0;
}

char *ladder_lock_holder(int fd, char *text, size_t text_bytes) {
    holder other = read_holder(fd);
    text[0] = '\0';
    if (other.pid != 0)
        snprintf(text, text_bytes, "process %ld on %s since %s", other.pid, other.host,
                 other.since);
    return text;
}

void ladder_lock_tell_dead(int fd, const char *what, FILE *notes) {
    holder other = read_holder(fd);
    if (other.pid == 0 || other.pid == (long)getpid() || is_elsewhere(&other) || is_alive(&other))
        return;
    fprintf(notes,
            "ladder: process %ld on %s, which %s since %s, has died; this one takes its "
            "place\n",
            other.pid, other.host, what, other.since);
}

// Looks at who had the lock before. held: the kernel says that it is taken.
static kl_status look_at_holder(int fd, const char *path, bool held, const ladder_lock_words *words,
                                FILE *notes, kl_error *err) {
    holder other = read_holder(fd);
    struct flock by = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (held && other.pid == 0 && fcntl(fd, F_GETLK, &by) == 0) { // has not written its name yet
        other = this_process();
        other.pid = (long)by.l_pid;
        other.since[0] = '\0';
    }
    if (other.pid == 0) return KL_OK;
    bool elsewhere = is_elsewhere(&other);
    if (!held && !elsewhere && !is_alive(&other)) {
        ladder_lock_tell_dead(fd, words->what, notes);
        return KL_OK;
    }
    return kl_fail(err, KL_ERROR_SYSTEM, "process %ld on %s %s%s%s: %s%s%.3000s", other.pid,
                   other.host, words->what, other.since[0] != '\0' ? " since " : "", other.since,
                   words->cure, elsewhere ? ". If that process has ended, remove " : "",
                   elsewhere ? path : "");
}

kl_status ladder_lock_take(const char *path, const ladder_lock_words *words, double wait_s,
                           FILE *notes, ladder_lock *out_lock, kl_error *err) {
    enum { POLL_MS = 50 };
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    out_lock->path[0] = '\0';
    for (double waited_s = 0;; waited_s += POLL_MS / 1000.0) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0) return KL_OK; // who cannot write here is told by what writes
        bool held = fcntl(fd, F_SETLK, &whole) != 0 && (errno == EAGAIN || errno == EACCES);
        if (held || ladder_file_is_named(fd, path)) {
            kl_status status = look_at_holder(fd, path, held, words, notes, err);
            if (status == KL_OK && !ladder_lock_sign(fd))
                status = kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be written: %s", path,
                                 strerror(errno));
            if (status == KL_OK) {
                out_lock->fd = fd;
                return ladder_path(out_lock->path, err, "%s", path);
            }
            if (waited_s >= wait_s) {
                close(fd);
                return status;
            }
        }
        close(fd);
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
}

kl_status ladder_lock_folder(const char *folder, const char *what, const char *option,
                             ladder_lock *out_lock, kl_error *err) {
    char path[LADDER_PATH], does[LADDER_PATH + 40], cure[80];
    const ladder_lock_words words = {does, cure};
    snprintf(does, sizeof does, "%s %s", what, folder);
    snprintf(cure, sizeof cure, "let it end, or name another folder%s", option);
    TRY(ladder_path(path, err, "%s/" LADDER_LOCK_FILE, folder));
    return ladder_lock_take(path, &words, 0, stderr, out_lock, err);
}

void ladder_lock_release(ladder_lock *lock) {
    if (lock->path[0] == '\0') return;
    unlink(lock->path);
    close(lock->fd);
    lock->path[0] = '\0';
}
