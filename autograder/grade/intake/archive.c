// Archives that people hand in: see internal.h.
#include "grade/intake/internal.h"
#include "grade/intake/bundle.h"
#include "sandbox/process/machine.h"
#include "utilities/defence.h"
#include <strings.h>

enum {
    DEPTH_MAX = 24, // folders above a file
    PATH_BYTES_MAX = 1024,
    SUFFIXES_MAX = 16,
    UNPACK_DATA = 512 << 20, // bytes of memory
    COPY = 64 << 10
};

const ladder_archive_limits ladder_archive_of_student = {
    .bytes = 256 << 20, .entries = 10000, .ratio = 200, .wall_s = 60};
const ladder_archive_limits ladder_archive_of_class = {
    .bytes = UINT64_C(8) << 30, .entries = 500000, .ratio = 200, .wall_s = 1800};

static bool ends_with_one_of(const char *name, const char *const *ends) {
    size_t length = strlen(name);
    for (; *ends; ends++) {
        size_t end = strlen(*ends);
        if (length > end && strcasecmp(name + length - end, *ends) == 0) return true;
    }
    return false;
}

// Endings of archives, and of one compressed file. What is inside is decided by its first bytes.
static const char *const archive_ends[] = {".zip",  ".tar", ".tgz", ".gz",  ".bz2",  ".tbz",
                                           ".tbz2", ".xz",  ".txz", ".zst", ".tzst", ".lzma",
                                           ".z",    ".taz", ".7z",  ".rar", NULL};
const char ladder_archive_kinds[] =
    ".zip, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz, .tar.zst, .7z and .rar";

bool ladder_archive_is(const char *name) {
    char shown[NAME_MAX + 1];
    ladder_name_trim(name, shown, sizeof shown);
    return ends_with_one_of(shown, archive_ends);
}

bool ladder_archive_is_inside(int folder_fd, const char *name) {
    static const struct {
        const char *bytes;
        size_t count, at;
    } begins[] = {{"PK\x03\x04", 4, 0},
                  {"\x1f\x8b", 2, 0},
                  {"BZh", 3, 0},
                  {"\xfd"
                   "7zXZ",
                   5, 0},
                  {"7z\xbc\xaf", 4, 0},
                  {"Rar!\x1a", 5, 0},
                  {"\x28\xb5\x2f\xfd", 4, 0},
                  {"ustar", 5, 257}};
    char head[512] = "";
    int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t got = pread(fd, head, sizeof head, 0); // of a regular file; a folder or a pipe has none
    close(fd);
    for (size_t i = 0; i < sizeof begins / sizeof *begins && got > 0; i++)
        if ((size_t)got >= begins[i].at + begins[i].count &&
            memcmp(head + begins[i].at, begins[i].bytes, begins[i].count) == 0)
            return true;
    return false;
}

// `ladder-unpack` lies beside this program, or in a folder above (tests). It is built where
// libarchive is.
static kl_status find_unpack(char out[LADDER_PATH], kl_error *err) {
    char own[LADDER_PATH];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(own, '/');
        if (!slash) break;
        *slash = '\0';
        if (ladder_path(out, NULL, "%s/ladder-unpack", own) == KL_OK && access(out, X_OK) == 0)
            return KL_OK;
    }
    return kl_fail(
        err, KL_ERROR_SYSTEM,
        "archives are read by libarchive, which this kit was built without. Install it (as "
        "root): apt-get install libarchive-dev; then start this command again by ./ladder, "
        "which builds what is missing. Or unpack the archives yourself");
}

typedef struct unpacking {
    int folder; // where files are made
    FILE *bundle;
    ladder_archive_end *end;
    bool others; // files that are not wanted are made, too
} unpacking;

static void fail_archive(ladder_archive_end *end, const char *what, const char *name) {
    char raw[LADDER_ARCHIVE_PROBLEM];
    snprintf(raw, sizeof raw, "%.320s%s%.120s", what, name[0] != '\0' ? ": " : "", name);
    ladder_plain(raw, false, end->problem, sizeof end->problem);
}

// Makes a path of an archive a relative one with single slashes, in place.
static void make_relative(char *name) {
    bool kept = !ladder_defence_on(LADDER_DEFENCE_ARCHIVE_NAMES) && name[0] == '/';
    char *to = name;
    for (char *at = name; *at != '\0'; at++)
        if (*at == '\\') *at = '/';
    const char *from = isalpha((unsigned char)name[0]) && name[1] == ':' ? name + 2 : name;
    if (kept) *to++ = '/';
    while (*(from += strspn(from, "/")) != '\0') {
        size_t length = strcspn(from, "/");
        bool here = length == 1 && *from == '.';
        if (!here && to > name && to[-1] != '/') *to++ = '/';
        if (!here) memmove(to, from, length);
        from += length;
        to += here ? 0 : length;
    }
    *to = '\0';
}

// A path in an archive, made relative: without "..", and no longer than paths of sources are.
static bool check_name(unpacking *u, const char *name) {
    char what[160];
    int parts = 0;
    size_t longest = 0;
    bool upwards = name[0] == '/';
    for (const char *at = name; *at != '\0'; at += strspn(at, "/")) {
        size_t length = strcspn(at, "/");
        upwards = upwards || (length == 2 && memcmp(at, "..", 2) == 0);
        longest = length > longest ? length : longest;
        parts++;
        at += length;
    }
    if (upwards && ladder_defence_on(LADDER_DEFENCE_ARCHIVE_NAMES)) {
        fail_archive(u->end,
                     "it names a file outside of its own folder; pack the folder of the steps "
                     "from within",
                     name);
        return false;
    }
    bool deep = parts > DEPTH_MAX + 1 || longest > NAME_MAX || strlen(name) > PATH_BYTES_MAX;
    if (deep && ladder_defence_on(LADDER_DEFENCE_ARCHIVE_DEPTH)) {
        snprintf(what, sizeof what,
                 "it holds a path of more than %d folders, or of more than %d bytes; pack the "
                 "folder of the steps alone",
                 DEPTH_MAX, PATH_BYTES_MAX);
        fail_archive(u->end, what, name);
        return false;
    }
    return true;
}

// Opens a file of the archive for writing, each folder on its way by itself and following no link.
// -1: the archive's fault, told; or it is left out.
static int open_entry(unpacking *u, char *name, kl_status *status, kl_error *err) {
    bool outside = name[0] == '/' && !ladder_defence_on(LADDER_DEFENCE_ARCHIVE_NAMES);
    bool once = ladder_defence_on(LADDER_DEFENCE_ARCHIVE_ONCE);
    int at = outside ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : dup(u->folder);
    char *part = name + strspn(name, "/");
    while (at >= 0) {
        size_t length = strcspn(part, "/");
        char *next = part + length;
        next += strspn(next, "/");
        part[length] = '\0';
        if (*next == '\0') break;
        int below = -1;
        bool up = strcmp(part, "..") == 0; // only without ARCHIVE_NAMES
        if (up || !ladder_entry_is_skipped(part)) {
            if (mkdirat(at, part, 0700) != 0 && errno != EEXIST && errno != ENOTDIR && !up)
                *status =
                    kl_fail(err, KL_ERROR_SYSTEM, "cannot make a folder: %s", strerror(errno));
            below = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below < 0 && *status == KL_OK)
                fail_archive(u->end, "one name is a file and a folder in it; pack it again", part);
        }
        close(at);
        at = below;
        part = next;
    }
    if (at < 0) return -1;
    int fd = -1;
    if (*part != '\0' && !ladder_entry_is_skipped(part)) {
        int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | (once ? O_EXCL : O_TRUNC);
        fd = openat(at, part, flags, 0600);
        if (fd < 0 && (errno == EEXIST || errno == EISDIR))
            fail_archive(u->end, "it has one name twice; pack it again", part);
        else if (fd < 0)
            *status = kl_fail(err, KL_ERROR_SYSTEM, "cannot write a file of an archive: %s",
                              strerror(errno));
    }
    close(at);
    return fd;
}

// The library has handed it over whole: a bundle that ends within a file is one that somebody
// forged.
static kl_status copy_bytes(unpacking *u, int fd, uint64_t bytes, kl_error *err) {
    static char block[COPY];
    while (bytes > 0) {
        size_t want = bytes < sizeof block ? (size_t)bytes : sizeof block;
        if (fread(block, 1, want, u->bundle) != want) {
            fail_archive(u->end, "the program that reads it crashes on it; pack it again", "");
            return KL_OK;
        }
        if (fd >= 0 && write(fd, block, want) != (ssize_t)want)
            return kl_fail(err, KL_ERROR_SYSTEM, "cannot write a file of an archive: %s",
                           strerror(errno));
        bytes -= want;
    }
    return KL_OK;
}

static kl_status take_file(unpacking *u, char *name, uint64_t bytes, kl_error *err) {
    kl_status status = KL_OK;
    make_relative(name);
    if (!check_name(u, name)) return KL_OK;
    int fd = open_entry(u, name, &status, err);
    if (status == KL_OK && u->end->problem[0] == '\0') status = copy_bytes(u, fd, bytes, err);
    if (fd >= 0) close(fd);
    u->end->files += fd >= 0;
    u->end->bytes += fd >= 0 ? bytes : 0;
    u->end->hidden += fd < 0;
    return status;
}

// The folder in which it lay is made where those are wanted: whose it is did hand in.
static void tell_left(unpacking *u, char *name, bool is_link) {
    kl_status status = KL_OK;
    make_relative(name);
    u->end->left++;
    ladder_seen_add(&u->end->seen, 0, name,
                    is_link ? "a link; links are not followed" : "not a regular file");
    char *slash = strrchr(name, '/');
    if (!u->others || !slash || slash[1] == '\0') return;
    strcpy(slash + 1, "."); // hidden: no file is made
    if (check_name(u, name)) open_entry(u, name, &status, NULL);
    u->end->problem[0] = '\0';
}

// Reads the bundle. What it says comes from a process that a hostile archive may have taken over.
static kl_status take_bundle(unpacking *u, kl_error *err) {
    char name[LADDER_BUNDLE_NAME + 1];
    ladder_bundle_head head;
    while (u->end->problem[0] == '\0') {
        bool got = fread(&head, sizeof head, 1, u->bundle) == 1 &&
                   head.name_bytes <= LADDER_BUNDLE_NAME &&
                   fread(name, 1, head.name_bytes, u->bundle) == head.name_bytes &&
                   !memchr(name, '\0', head.name_bytes);
        if (!got) {
            fail_archive(u->end, "the program that reads it crashes on it; pack it again", "");
            break;
        }
        name[head.name_bytes] = '\0';
        if (head.kind == LADDER_BUNDLE_END) {
            fail_archive(u->end, name, "");
            break;
        }
        if (head.kind == LADDER_BUNDLE_FILE) TRY(take_file(u, name, head.bytes, err));
        else if (head.kind == LADDER_BUNDLE_LEFT || head.kind == LADDER_BUNDLE_LINK)
            tell_left(u, name, head.kind == LADDER_BUNDLE_LINK);
    }
    return KL_OK;
}

// Makes the files that were not wanted, empty, once all others are there. One that cannot be made
// is left out; in a class a lone README at the top is nobody's.
static void take_others(unpacking *u, bool top) {
    char name[LADDER_BUNDLE_NAME + 1];
    ladder_bundle_head head;
    rewind(u->bundle);
    while (fread(&head, sizeof head, 1, u->bundle) == 1 && head.kind != LADDER_BUNDLE_END &&
           head.name_bytes <= LADDER_BUNDLE_NAME &&
           fread(name, 1, head.name_bytes, u->bundle) == head.name_bytes) {
        kl_status status = KL_OK;
        name[head.name_bytes] = '\0';
        if (fseeko(u->bundle, (off_t)head.bytes, SEEK_CUR) != 0) return;
        if (head.kind != LADDER_BUNDLE_OTHER) continue;
        make_relative(name);
        if (!top && !strpbrk(name, "/_")) continue;
        int fd = check_name(u, name) ? open_entry(u, name, &status, NULL) : -1;
        if (fd >= 0) close(fd);
        u->end->hidden += fd < 0 && u->end->problem[0] == '\0';
        u->end->problem[0] = '\0';
    }
}

// Starts the reader. Its end tells: well, stopped for a limit (a problem), or this machine's fault.
static kl_status run_reader(const char *program, const char *path, int archive, int bundle,
                            const char *folder, const ladder_archive_limits *limits,
                            const char *const *suffixes, ladder_archive_end *out_end,
                            kl_error *err) {
    static const char *const environment[] = {"LC_ALL=C.UTF-8", NULL};
    char bytes[24], entries[24], ratio[24];
    bool bounded = ladder_defence_on(LADDER_DEFENCE_ARCHIVE_BYTES);
    bool counted = ladder_defence_on(LADDER_DEFENCE_ARCHIVE_FILES);
    snprintf(bytes, sizeof bytes, "%" PRIu64, bounded ? limits->bytes : 0);
    snprintf(ratio, sizeof ratio, "%" PRIu64, bounded ? limits->ratio : 0);
    snprintf(entries, sizeof entries, "%" PRIu64, counted ? limits->entries : 0);
    const char *kinds = ladder_defence_on(LADDER_DEFENCE_ARCHIVE_KINDS) ? "1" : "0";
    const char *name = strrchr(path, '/');
    const char *argv[SUFFIXES_MAX + 2 + sizeof archive_ends / sizeof *archive_ends + 6] = {
        program, bytes, entries, ratio, kinds, name ? name + 1 : path};
    int used = 6;
    for (int i = 0; i < SUFFIXES_MAX && suffixes[i]; i++) argv[used++] = suffixes[i];
    for (int i = 0; archive_ends[i]; i++) argv[used++] = archive_ends[i];
    const int descriptors[] = {archive, bundle};
    const char *const shown[] = {program, NULL};
    ladder_process_spec spec = {
        .argv = argv,
        .environment = environment,
        .descriptors = descriptors,
        .descriptor_count = 2,
        .limits = {.wall_s = limits->wall_s, .data_bytes = UNPACK_DATA, .processes = 2}};
    if (bounded)
        spec.limits.file_bytes = limits->bytes + (limits->bytes >> 1); // names beside bytes
    const ladder_sandbox_view view = {.shown = shown};
    ladder_process process;
    char how[128];
    TRY(ladder_sandbox_run(&spec, &view, &process, err));
    bool well = process.end == LADDER_END_EXITED && process.code == 0;
    if (!well)
        fail_archive(out_end, "the program that reads it",
                     ladder_process_describe(&process, how, sizeof how));
    ladder_process_free(&process);
    return well ? KL_OK : ladder_machine_fit(folder, err); // a full disk is no archive's fault
}

static bool has_suffix(const char *const *suffixes, const char *wanted) {
    while (*suffixes && strcmp(*suffixes, wanted) != 0) suffixes++;
    return *suffixes;
}

kl_status ladder_archive_unpack(const char *path, const ladder_archive_limits *limits,
                                const char *const *suffixes, const char *folder,
                                ladder_archive_end *out_end, kl_error *err) {
    char program[LADDER_PATH], bundle_path[LADDER_PATH];
    unpacking u = {.folder = -1, .end = out_end, .others = has_suffix(suffixes, "/")};
    struct stat info;
    memset(out_end, 0, sizeof *out_end);
    TRY(find_unpack(program, err));
    TRY(ladder_path(bundle_path, err, "%s/.bundle", folder));
    int archive = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (archive < 0 || fstat(archive, &info) != 0 || !S_ISREG(info.st_mode)) {
        fail_archive(out_end,
                     archive < 0 && errno == EACCES
                         ? "it may not be read by the user who grades: chmod +r"
                         : "it is a link or no regular file, and links are not followed: hand in "
                           "the archive itself",
                     "");
        if (archive >= 0) close(archive);
        return KL_OK;
    }
    kl_status status = KL_OK;
    int bundle = open(bundle_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (bundle < 0)
        status = kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", bundle_path, strerror(errno));
    else unlink(bundle_path);
    if (status == KL_OK)
        status = run_reader(program, path, archive, bundle, folder, limits, suffixes, out_end, err);
    close(archive);
    if (status == KL_OK && out_end->problem[0] == '\0') {
        u.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        u.bundle = lseek(bundle, 0, SEEK_SET) == 0 ? fdopen(bundle, "r") : NULL;
        status = u.folder >= 0 && u.bundle
                     ? take_bundle(&u, err)
                     : kl_fail(err, KL_ERROR_SYSTEM, "cannot unpack into %s", folder);
        if (status == KL_OK && out_end->problem[0] == '\0')
            take_others(&u, has_suffix(suffixes, "//"));
    }
    if (u.folder >= 0) close(u.folder);
    if (u.bundle) fclose(u.bundle);
    else if (bundle >= 0) close(bundle);
    return status;
}
