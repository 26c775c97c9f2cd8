// The command that starts a program in the sandbox: see isolation.h. bwrap(1) of version 0.4 or
// newer.
#include "sandbox/isolation/isolation.h"
#include "ladder_config.h"
#include <glob.h>
#include <limits.h>
#include <linux/capability.h>
#include <sys/syscall.h>

static const uint64_t default_bytes = 256 << 20, default_files = 4096;

static const char *first_present(const char *const *paths) {
    for (; *paths; paths++)
        if (access(*paths, X_OK) == 0) return *paths;
    return NULL;
}

// Beside this program, or in the folder above (tests).
static const char *find_inside(void) {
    static char path[LADDER_PATH];
    char own[LADDER_PATH];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0) return NULL;
    own[length] = '\0';
    for (int up = 0; up < 3; up++) {
        char *slash = strrchr(own, '/');
        if (!slash) return NULL;
        *slash = '\0';
        if (ladder_path(path, NULL, "%s/ladder-sandbox", own) == KL_OK && access(path, X_OK) == 0)
            return path;
    }
    return NULL;
}

kl_status ladder_sandbox_programs(const char **out_bwrap, const char **out_inside, kl_error *err) {
    static const char *const places[] = {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap",
                                         NULL};
    *out_bwrap = first_present(places);
    *out_inside = find_inside();
    if (!*out_bwrap) return kl_fail(err, KL_ERROR_SYSTEM, "bubblewrap is not installed");
    if (!*out_inside) return kl_fail(err, KL_ERROR_SYSTEM, "ladder-sandbox is not built");
    return KL_OK;
}

static void add(ladder_sandbox_command *c, const char *word) {
    if (c->count < LADDER_COMMAND_ARGUMENTS) c->argv[c->count] = word;
    c->count++; // beyond the end: noticed at last
}

static const char *keep(ladder_sandbox_command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static const char *keep(ladder_sandbox_command *c, const char *format, ...) {
    char *at = c->text + c->used;
    size_t available = LADDER_COMMAND_TEXT - c->used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(at, available, format, args);
    va_end(args);
    if (length < 0 || (size_t)length >= available) {
        c->count = LADDER_COMMAND_ARGUMENTS + 1;
        return "";
    }
    c->used += (size_t)length + 1;
    return at;
}

static bool has_folder(const ladder_sandbox_command *c, const char *path, size_t length) {
    for (int i = 1; i < c->count && i < LADDER_COMMAND_ARGUMENTS; i++)
        if (strcmp(c->argv[i - 1], "--dir") == 0 && strlen(c->argv[i]) == length &&
            memcmp(c->argv[i], path, length) == 0)
            return true;
    return false;
}

// Makes the folders above a path: those that bubblewrap makes by itself belong to root alone.
static void make_above(ladder_sandbox_command *c, const char *path) {
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        size_t length = (size_t)(slash - path);
        if (has_folder(c, path, length)) continue;
        add(c, "--dir");
        add(c, keep(c, "%.*s", (int)length, path));
    }
}

static void bind(ladder_sandbox_command *c, const char *how, const char *path) {
    if (access(path, F_OK) != 0) return;
    make_above(c, path);
    add(c, how);
    add(c, path);
    add(c, path);
}

static void show(ladder_sandbox_command *c, const char *path) { bind(c, "--ro-bind", path); }

// A folder of the system's root: mostly a link into /usr.
static void show_top(ladder_sandbox_command *c, const char *path) {
    char target[256];
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0) {
        show(c, path);
        return;
    }
    target[length] = '\0';
    add(c, "--symlink");
    add(c, keep(c, "%s", target));
    add(c, path);
}

static void show_libraries(ladder_sandbox_command *c) {
    static const char *const folders[] = {"/usr/lib", "/usr/lib64"};
    static const char *const tops[] = {"/lib", "/lib64"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) show(c, folders[i]);
    for (size_t i = 0; i < sizeof tops / sizeof tops[0]; i++) show_top(c, tops[i]);
}

// Parts of the toolkit, or of a compiler that does not lie with the system's, one by one: the top
// folder may be one that holds more, such as a home folder.
static void show_parts(ladder_sandbox_command *c, const char *program) {
    static const char *const parts[] = {"bin", "nvvm",    "include", "lib64",
                                        "lib", "libexec", "targets"};
    char top[PATH_MAX];
    snprintf(top, sizeof top, "%s", program);
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(top, '/');
        if (slash) *slash = '\0';
    }
    bool system = strcmp(top, "/usr") == 0 || top[0] == '\0'; // shown already
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && !system; i++)
        show(c, keep(c, "%s/%s", top, parts[i]));
}

// With its parts, under the name by which it is called, and under the one that it finds for itself.
static void show_program(ladder_sandbox_command *c, const char *path) {
    char real[PATH_MAX];
    show_parts(c, path);
    if (realpath(path, real) && strcmp(real, path) != 0) show_parts(c, real);
}

static void show_toolkit(ladder_sandbox_command *c) {
    show_program(c, LADDER_NVCC);
    show(c, LADDER_CUDA_INCLUDE_DIR);
    show(c, LADDER_CUDA_LIBRARY_DIR);
}

static void show_compilers(ladder_sandbox_command *c) {
    static const char *const folders[] = {"/usr/bin", "/usr/include", "/usr/libexec",
                                          "/etc/alternatives"};
    static const char *const headers[] = {LADDER_SYSTEM_INCLUDES NULL};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) show(c, folders[i]);
    show_top(c, "/bin");
    show_toolkit(c);
    for (const char *const *h = headers; *h; h++)
        if (strncmp(*h, "/usr/include", 12) != 0 && strncmp(*h, "/usr/lib", 8) != 0) show(c, *h);
    const char *const compilers[] = {LADDER_HOST_COMPILER, LADDER_CUDA_HOST_COMPILER};
    bool one = strcmp(compilers[0], compilers[1]) == 0;
    for (int i = 0; i < (one ? 1 : 2); i++) show_program(c, compilers[i]);
}

// Devices and files of NVIDIA's driver. Its libraries lie with the system's, but in containers.
static void show_gpu(ladder_sandbox_command *c) {
    static const char *const patterns[] = {"/dev/nvidia[0-9]*", "/dev/nvidiactl",
                                           "/dev/nvidia-uvm",   "/dev/nvidia-uvm-tools",
                                           "/dev/nvidia-caps",  "/dev/dxg"};
    static const char *const folders[] = {"/sys", "/etc/ld.so.cache", "/usr/local/nvidia",
                                          "/usr/local/cuda/compat", "/usr/lib/wsl"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) != 0) continue;
        for (size_t k = 0; k < found.gl_pathc; k++) {
            const char *path = keep(c, "%s", found.gl_pathv[k]);
            bind(c, "--dev-bind", path);
        }
        globfree(&found);
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) show(c, folders[i]);
    show(c, LADDER_CUDA_LIBRARY_DIR);
    char real[PATH_MAX]; // the list of libraries has that name
    if (realpath(LADDER_CUDA_LIBRARY_DIR, real)) show(c, keep(c, "%s", real));
}

static bool stands(const ladder_inside_plan *plan, ladder_sandbox_layer layer) {
    return (plan->layers & ladder_layer_bit(layer)) != 0;
}

static void make_namespaces(ladder_sandbox_command *c, ladder_inside_plan *plan) {
    bool root = sandbox_may_mount();
    add(c, "--die-with-parent");
    add(c, "--new-session");
    if (stands(plan, LADDER_LAYER_PROCESSES)) {
        add(c, "--as-pid-1");
        add(c, "--unshare-pid");
    }
    if (stands(plan, LADDER_LAYER_IPC)) add(c, "--unshare-ipc");
    if (stands(plan, LADDER_LAYER_NAMES)) {
        add(c, "--unshare-uts");
        add(c, "--hostname");
        add(c, "grader");
    }
    if (stands(plan, LADDER_LAYER_NETWORK)) add(c, "--unshare-net");
    add(c, "--unshare-cgroup-try");
    if (!root) { // for ladder-sandbox, which gives them up
        add(c, "--unshare-user");
        add(c, "--cap-add");
        add(c, "CAP_SYS_ADMIN");
        add(c, "--cap-add");
        add(c, "CAP_SETPCAP");
    }
    plan->change_user =
        root && stands(plan, LADDER_LAYER_OWN_USER) && sandbox_choose_user(&plan->user);
}

static void make_root(ladder_sandbox_command *c, const ladder_sandbox_view *view,
                      const char *inside, const ladder_inside_plan *plan) {
    static const char *const devices[] = {"/dev/null", "/dev/urandom"};
    if (!stands(plan, LADDER_LAYER_ROOT)) {
        bind(c, "--dev-bind", "/");
    } else {
        show_libraries(c);
        if (view->compiler) show_compilers(c);
        for (size_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
            bind(c, "--dev-bind", devices[i]);
        if (view->gpu) show_gpu(c);
        show(c, inside);
        for (const char *const *path = view->shown; path && *path; path++) show(c, *path);
    }
    if (stands(plan, LADDER_LAYER_PROCESSES)) {
        add(c, "--proc");
        add(c, "/proc");
    } else {
        show(c, "/proc");
    }
    if (view->folder)
        bind(c, stands(plan, LADDER_LAYER_FILES) ? "--ro-bind" : "--bind", view->folder);
    if (stands(plan, LADDER_LAYER_ROOT)) {
        add(c, "--remount-ro");
        add(c, "/");
    }
    add(c, "--chdir");
    add(c, "/");
}

static kl_status fill_plan(const ladder_sandbox_view *view, ladder_inside_plan *plan,
                           kl_error *err) {
    plan->version = LADDER_INSIDE_VERSION;
    plan->gpu = view->gpu;
    plan->memory_files = view->memory_files || view->gpu;
    plan->folder_bytes = view->folder_bytes > 0 ? view->folder_bytes : default_bytes;
    plan->folder_files = view->folder_files > 0 ? view->folder_files : default_files;
    if (view->folder) TRY(ladder_path(plan->folder, err, "%s", view->folder));
    for (int i = 0; view->outputs && view->outputs[i]; i++) {
        if (i == LADDER_INSIDE_OUTPUTS || strlen(view->outputs[i]) >= LADDER_INSIDE_NAME)
            return kl_fail(err, KL_ERROR_LIMIT, "too many files are to come back");
        strcpy(plan->outputs[i].name, view->outputs[i]);
        plan->output_count = i + 1;
    }
    return KL_OK;
}

kl_status ladder_sandbox_command_make(const ladder_sandbox_view *view, const char *const *argv,
                                      int plan_fd, ladder_inside_plan *plan,
                                      ladder_sandbox_command *out_command, kl_error *err) {
    const char *bwrap, *inside;
    ladder_sandbox_command *c = out_command;
    *c = (ladder_sandbox_command){.count = 0};
    TRY(ladder_sandbox_programs(&bwrap, &inside, err));
    TRY(fill_plan(view, plan, err));
    c->text = malloc(LADDER_COMMAND_TEXT);
    if (!c->text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a command line");
    add(c, bwrap);
    make_namespaces(c, plan);
    make_root(c, view, inside, plan);
    add(c, "--");
    add(c, inside);
    add(c, keep(c, "%d", plan_fd));
    for (; *argv; argv++) add(c, *argv);
    if (c->count <= LADDER_COMMAND_ARGUMENTS) return KL_OK;
    ladder_sandbox_command_free(c);
    return kl_fail(err, KL_ERROR_LIMIT, "a command line in the sandbox is too long");
}

void ladder_sandbox_command_free(ladder_sandbox_command *command) {
    free(command->text);
    command->text = NULL;
}

// The first number in a file, or -1.
static long read_number(const char *path) {
    FILE *file = fopen(path, "re");
    long number = -1;
    if (file && fscanf(file, "%ld", &number) != 1) number = -1;
    if (file) fclose(file);
    return number;
}

const char *ladder_sandbox_advice(void) {
    const char *bwrap, *inside;
    kl_error err = {KL_OK, ""};
    if (ladder_sandbox_programs(&bwrap, &inside, &err) != KL_OK)
        return !bwrap ? "install it: apt-get install bubblewrap" : "build it: ./ladder doctor";
    if (geteuid() != 0) {
        if (read_number("/proc/sys/kernel/unprivileged_userns_clone") == 0)
            return "user namespaces are off: as root, sysctl "
                   "kernel.unprivileged_userns_clone=1, or "
                   "start ladder as root";
        if (read_number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == 1)
            return "AppArmor keeps user namespaces from users: as root, sysctl "
                   "kernel.apparmor_restrict_unprivileged_userns=0, or start ladder as root";
        if (read_number("/proc/sys/user/max_user_namespaces") == 0)
            return "user namespaces are off: as root, sysctl user.max_user_namespaces=10000, or "
                   "start ladder as root";
    }
    return "in a container: start it with --privileged (it needs CAP_SYS_ADMIN and may not hide "
           "/proc); else grade on a machine of its own";
}

// -------------------------------------------------------------------------------------------------
// As whom jobs run. capabilities(7), user_namespaces(7).

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
