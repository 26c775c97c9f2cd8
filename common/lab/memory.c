// Memory of a plan: see plan.h.
#include "plan.h"
#include "table.h"

enum { PATH_BYTES = 4096, LINE_BYTES = 512 };

// ---- what is needed, at least: a reference may use more while it computes -----------------------

typedef struct memory_need {
    uint64_t kept_bytes;      // inputs and answers of all cases
    uint64_t case_bytes;      // buffers of a step's one call, the largest
    uint64_t output_bytes;    // of them those that come back to the host
    uint64_t workspace_bytes; // the largest that a case asks for
} memory_need;

static kl_status add_buffers(const kl_buffer *buffers, int count, uint64_t *total, kl_error *err) {
    for (int i = 0; i < count; i++) {
        uint64_t bytes = 0;
        TRY(kl_buffer_bytes(&buffers[i], &bytes, err));
        if (__builtin_add_overflow(*total, bytes + buffers[i].offset_bytes, total))
            return kl_fail(err, KL_ERROR_MEMORY, "the buffers of a case are too large");
    }
    return KL_OK;
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static kl_status add_case(memory_need *need, const kl_problem *problem, const kl_case *shape,
                          kl_error *err) {
    uint64_t inputs = 0, outputs = 0;
    TRY(add_buffers(shape->inputs, shape->input_count, &inputs, err));
    TRY(add_buffers(shape->outputs, shape->output_count, &outputs, err));
    need->kept_bytes += inputs + problem->solution_bytes(shape);
    need->case_bytes = larger(need->case_bytes, inputs + outputs + shape->prepared_bytes);
    need->output_bytes = larger(need->output_bytes, outputs);
    need->workspace_bytes = larger(need->workspace_bytes, shape->workspace_bytes);
    return KL_OK;
}

static uint64_t on_device(const memory_need *need) {
    return need->case_bytes + need->workspace_bytes;
}

static uint64_t on_host(const memory_need *need, bool simulated) {
    return need->kept_bytes + need->output_bytes + (simulated ? on_device(need) : 0);
}

// What a plan, with all parts prepared, and its steps would take.
static kl_status need_of(const kl_plan *plan, memory_need *out_need, kl_error *err) {
    *out_need = (memory_need){0};
    for (int i = 0; i < plan->count; i++)
        TRY(add_case(out_need, plan->problem, &plan->cases[i].data.shape, err));
    return KL_OK;
}

// ---- what there is ------------------------------------------------------------------------------

// A number in a file: after `key` at the beginning of a line, or ("") the file's first. UINT64_MAX:
// none ("max").
static uint64_t number_in(const char *file, const char *key) {
    char line[LINE_BYTES];
    uint64_t number = UINT64_MAX;
    FILE *in = fopen(file, "r");
    if (!in) return UINT64_MAX;
    while (number == UINT64_MAX && fgets(line, sizeof line, in))
        if (strncmp(line, key, strlen(key)) == 0 &&
            sscanf(line + strlen(key), "%" SCNu64, &number) != 1)
            number = UINT64_MAX;
    fclose(in);
    return number;
}

// What one control group leaves; pages of files in it are given up when memory is asked for.
static uint64_t left_in_group(const char *folder, const char *limit, const char *usage,
                              const char *files) {
    char path[PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%s", folder, limit);
    uint64_t most = number_in(path, "");
    snprintf(path, sizeof path, "%s/%s", folder, usage);
    uint64_t used = number_in(path, "");
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    uint64_t given_up = number_in(path, files);
    if (most == UINT64_MAX || used == UINT64_MAX) return UINT64_MAX;
    used -= given_up < used ? given_up : 0;
    return used < most ? most - used : 0;
}

// The least that a group and those around it leave.
static uint64_t left_in_groups(const char *mount, const char *group, bool unified) {
    char folder[PATH_BYTES];
    uint64_t least = UINT64_MAX;
    snprintf(folder, sizeof folder, "%s%s", mount, group);
    for (;;) {
        uint64_t left =
            unified ? left_in_group(folder, "memory.max", "memory.current", "inactive_file ")
                    : left_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                    "total_inactive_file ");
        least = left < least ? left : least;
        char *slash = strrchr(folder, '/');
        if (!slash || slash < folder + strlen(mount)) return least;
        *slash = '\0';
    }
}

// cgroups(7): a line of /proc/self/cgroup is "number:controllers:group", with no controllers in
// version 2.
static uint64_t left_by_control_groups(void) {
    char line[PATH_BYTES];
    uint64_t least = UINT64_MAX;
    FILE *in = fopen("/proc/self/cgroup", "r");
    while (in && fgets(line, sizeof line, in)) {
        char *controllers = strchr(line, ':');
        char *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group++ = '\0';
        group[strcspn(group, "\n")] = '\0';
        bool unified = controllers[1] == '\0';
        if (!unified && strcmp(controllers + 1, "memory") != 0) continue;
        uint64_t left =
            left_in_groups(unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory", group, unified);
        least = left < least ? left : least;
    }
    if (in) fclose(in);
    return least;
}

uint64_t kl_memory_available(void) {
    const char *given = getenv("LADDER_HOST_MEMORY");
    uint64_t kib = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t least = kib <= UINT64_MAX / 1024 ? kib * 1024 : UINT64_MAX;
    uint64_t groups = left_by_control_groups();
    uint64_t limit = given && given[0] != '\0' ? strtoull(given, NULL, 10) : UINT64_MAX;
    least = groups < least ? groups : least;
    return limit < least ? limit : least;
}

// ---- whether a plan fits ------------------------------------------------------------------------

typedef struct memory_left {
    uint64_t host, device;
    bool simulated;
} memory_left;

// Fitting to the last byte is not asked for: the program, its libraries and the simulator take
// some, too.
static uint64_t usable(uint64_t bytes) { return bytes - bytes / 32; }

static bool fits(const memory_need *need, const memory_left *left) {
    return on_host(need, left->simulated) <= usable(left->host) &&
           on_device(need) <= usable(left->device);
}

// Whether the plan of these options exists and fits.
static bool plan_fits(const kl_problem *problem, const kl_options *options,
                      const memory_left *left) {
    memory_need need;
    kl_plan *plan = malloc(sizeof *plan);
    bool fit = plan && kl_plan_make(problem, options, left->simulated, plan, NULL) == KL_OK &&
               need_of(plan, &need, NULL) == KL_OK && fits(&need, left);
    free(plan); // nothing of it is prepared
    return fit;
}

// "--size 2^26 fits", "--case sum-exact alone fits", or "".
static void advise(const kl_problem *problem, const kl_options *options, const memory_left *left,
                   char *text, size_t bytes) {
    kl_options other = *options;
    text[0] = '\0';
    if (!options->family) {
        other.family = problem->timed_family;
        if (plan_fits(problem, &other, left)) {
            snprintf(text, bytes, "; --case %s alone fits", other.family);
            return;
        }
        other.family = NULL;
    }
    for (other.size = INT64_C(1) << 40; other.size > 0; other.size /= 2) {
        if (options->size >= 0 && other.size >= options->size) continue;
        if (!plan_fits(problem, &other, left)) continue;
        char size[32];
        snprintf(text, bytes, "; --size %s fits",
                 kl_format_size((long long)other.size, size, sizeof size));
        return;
    }
}

kl_status kl_memory_check(const kl_plan *plan, const kl_options *options, const kl_device *device,
                          kl_error *err) {
    const double gb = 1e9;
    memory_left left = {kl_memory_available(), device->memory_free_bytes, device->simulated};
    memory_need need;
    char advice[128];
    TRY(need_of(plan, &need, err));
    if (fits(&need, &left)) return KL_OK;
    advise(plan->problem, options, &left, advice, sizeof advice);
    uint64_t host = on_host(&need, left.simulated);
    if (host > usable(left.host))
        return kl_fail(err, KL_ERROR_LIMIT,
                       "not enough memory: inputs, answers%s need %.2f GB, and %.2f GB are "
                       "available%s",
                       left.simulated ? " and the simulated device" : " and outputs",
                       (double)host / gb, (double)left.host / gb, advice);
    return kl_fail(err, KL_ERROR_LIMIT,
                   "not enough memory on the device: a call needs %.2f GB, and %.2f GB are "
                   "free%s",
                   (double)on_device(&need) / gb, (double)left.device / gb, advice);
}
