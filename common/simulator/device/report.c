// Launch reports as data: see report.h.
#include "device/report.h"

bool sim_schedule_parse(const char *text, sim_schedule *out_schedule) {
    static const char *const names[] = {"forward", "reverse", "hurried", "alternating"};
    static const char random[] = "random:";
    const char *seed = text + strlen(random);
    for (int kind = SIM_SCHEDULE_FORWARD; kind < SIM_SCHEDULE_RANDOM; kind++)
        if (strcmp(text, names[kind]) == 0) {
            *out_schedule = (sim_schedule){.kind = (sim_schedule_kind)kind};
            return true;
        }
    if (strncmp(text, random, strlen(random)) != 0 || *seed == '\0') return false;
    if (seed[strspn(seed, "0123456789")] != '\0') return false;
    errno = 0;
    *out_schedule = (sim_schedule){SIM_SCHEDULE_RANDOM, strtoull(seed, NULL, 10)};
    return errno == 0; // any number of 64 bits: the grader draws it
}

void sim_launch_report_free(sim_launch_report *report) {
    if (!report) return;
    for (uint32_t i = 0; i < report->file_count; i++) free(report->files[i]);
    free(report->files);
    free(report->lines);
    free(report->kernel);
    sim_timeline_free(report->timeline);
    sim_code_free(report->code);
    sim_launch_maps_free(report->maps);
    free(report);
}

bool sim_report_has_sm_time(const sim_launch_report *report) {
    return report->time_us != report->bounded_us;
}

bool sim_report_launch_bound(const sim_launch_report *report, const sim_device *device) {
    return report->time_us - device->kernel_us < device->kernel_us;
}

// ---- - ------------------------------------------------------------------------------------------

static double warps_over(const sim_device *device, const sim_counters *counters, double sm_cycles) {
    double warps = (double)counters->value[SIM_COUNTER_WARPS_ACTIVE];
    return warps > 0 && sm_cycles > 0 ? warps / (sm_cycles * device->warps_per_sm) : NAN;
}

// achieved of the sums of several launches.
static double sim_achieved_occupancy(const sim_device *device, const sim_counters *counters) {
    return warps_over(device, counters, (double)counters->value[SIM_COUNTER_SM_CYCLES_ACTIVE]);
}

// Cycles by a counter as a share of those in which SMs are active.
static double share_active(const sim_launch_report *report, sim_counter cycles) {
    double active = (double)report->totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE];
    return active > 0 ? (double)report->totals.value[cycles] / active : NAN;
}

sim_activity sim_activity_of(const sim_device *device, const sim_launch_report *report) {
    const sim_dim3 *grid = &report->config.grid;
    uint64_t blocks = (uint64_t)grid->x * grid->y * grid->z - report->cancelled_blocks;
    uint64_t places = (uint64_t)device->sm_count * report->occupancy.blocks_per_sm;
    double elapsed = (double)report->totals.value[SIM_COUNTER_CYCLES_ELAPSED] * device->sm_count;
    sim_activity activity = {
        .blocks = blocks,
        .sms_used = blocks < device->sm_count ? (uint32_t)blocks : device->sm_count,
        .achieved = sim_achieved_occupancy(device, &report->totals),
        .achieved_elapsed = warps_over(device, &report->totals, elapsed),
        .tensor_and_xu = share_active(report, SIM_COUNTER_TENSOR_AND_XU),
        .tensor_alone = share_active(report, SIM_COUNTER_TENSOR_ALONE),
        .xu_alone = share_active(report, SIM_COUNTER_XU_ALONE),
    };
    if (places == 0) return activity;
    activity.waves = (double)blocks / (double)places;
    activity.tail_idle = ceil(activity.waves) - activity.waves;
    return activity;
}

// ---- names and texts of the checks (checks.def), and findings as data ---------------------------

typedef struct check_row {
    const char *name, *meaning;
    bool is_warning;
} check_row;

static const check_row rows[SIM_CHECK_COUNT] = {
#define SIM_CHECK(id, name, is_warning, meaning) {name, meaning, is_warning},
#include "device/checks.def"
#undef SIM_CHECK
};

const char *sim_check_name(sim_check_class kind) {
    return (unsigned)kind < SIM_CHECK_COUNT ? rows[kind].name : "?";
}
const char *sim_check_meaning(sim_check_class kind) {
    return (unsigned)kind < SIM_CHECK_COUNT ? rows[kind].meaning : "?";
}
bool sim_check_is_warning(sim_check_class kind) {
    return (unsigned)kind < SIM_CHECK_COUNT && rows[kind].is_warning;
}

void sim_check_report_free(sim_check_report *report) {
    if (!report) return;
    free(report->findings);
    free(report->host_reads);
    free(report);
}

bool sim_check_is_of_host(sim_check_class kind) {
    switch (kind) {
    case SIM_CHECK_HOST_RACE:
    case SIM_CHECK_UNCHECKED_CALL:
    case SIM_CHECK_FAILED_LAUNCH:
    case SIM_CHECK_UNSET_COPY:
    case SIM_CHECK_LOST_OUTPUT:
    case SIM_CHECK_HOST_FUNCTION:
    case SIM_CHECK_KEPT_CLUSTER:
    case SIM_CHECK_PAGEABLE_COPY: return true;
    default: return false;
    }
}
