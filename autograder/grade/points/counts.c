// Quantities of counts, by name: see counts.h. It needs no judge.
#include "grade/points/counts.h"
#include "utilities/defence.h"
#include "utilities/kit.h"

// Quantities that are no sums of counters (those of launches: the most of any launch of the call).
static bool plain_value(const char *name, const ladder_counts *counts, double *out_value) {
    const struct {
        const char *name;
        double value;
    } rows[] = {
        {"launch__registers_per_thread", counts->registers},
        {"sim__local_bytes_per_thread", counts->local_bytes},
        {"sim__shared_bytes_per_block", counts->shared_bytes},
        {"launch__grid_size", counts->blocks},
        {"sim__sms_used", counts->sms_used},
        {"sm__maximum_warps_per_active_cycle_pct", counts->occupancy_pct},
        {"call", 1},
        {"launch", counts->launches},
        {"launches", counts->launches},
        {"element", (double)counts->size},
        {"block", counts->all_blocks},
        {"warp", counts->all_warps},
        {"time_us", counts->program ? counts->call.value[SIM_SPAN_ELAPSED_US] : counts->time_us}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *out_value = rows[i].value;
        return true;
    }
    return false;
}

enum { NAME_BYTES = 128 };

// Takes the next of the names that stand in a text, a blank between two; false: there is none.
static bool next_name(const char **at, char out_name[NAME_BYTES]) {
    if (**at == '\0') return false;
    size_t length = strcspn(*at, " ");
    snprintf(out_name, NAME_BYTES, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ' ');
    return true;
}

bool ladder_counter_known(const char *name) {
    const ladder_counts none = {.launches = 0};
    double ignored = 0;
    char one[NAME_BYTES];
    for (const char *at = name; next_name(&at, one);)
        if (!plain_value(one, &none, &ignored) && sim_counter_find(one) == SIM_COUNTER_COUNT &&
            sim_span_counter_find(one) == SIM_SPAN_COUNTERS)
            return false;
    return name[0] != '\0';
}

double ladder_quantity(const char *name, const ladder_counts *counts) {
    double value = NAN;
    if (plain_value(name, counts, &value)) return value;
    sim_span_counter of_call = sim_span_counter_find(name);
    if (of_call != SIM_SPAN_COUNTERS) return counts->call.value[of_call];
    sim_counter counter = sim_counter_find(name);
    return counter != SIM_COUNTER_COUNT ? (double)counts->totals.value[counter] : NAN;
}

double ladder_count_value(const char *counters, const char *per, const ladder_counts *counts) {
    double divisor = ladder_quantity(per, counts), sum = 0;
    char name[NAME_BYTES];
    for (const char *at = counters; next_name(&at, name);) sum += ladder_quantity(name, counts);
    return divisor > 0 ? sum / divisor : NAN;
}

double ladder_count_amiss(const ladder_criterion *criterion, const sim_counters *line) {
    bool few = criterion->full <= criterion->zero; // the fewer, the better
    sim_counter per = sim_counter_find(criterion->per);
    double wanted = per != SIM_COUNTER_COUNT ? criterion->full * (double)line->value[per] : 0,
           sum = 0;
    char name[NAME_BYTES];
    if (!few && per == SIM_COUNTER_COUNT) return 0; // which line should have had more?
    for (const char *at = criterion->counter; next_name(&at, name);) {
        sim_counter counter = sim_counter_find(name);
        if (counter == SIM_COUNTER_COUNT) return 0;
        sum += (double)line->value[counter];
    }
    return few ? sum - wanted : wanted - sum;
}

double ladder_call_us(const ladder_counts *counts, const sim_device *device) {
    if (counts->program) return counts->call.value[SIM_SPAN_ELAPSED_US];
    if (sim_device_has_sm_model(device))
        return counts->time_us + counts->moves_us + device->event_us;
    double gap = fmax(0, device->launch_us - device->kernel_us), launches = counts->launches;
    double queued =
        counts->time_us + counts->moves_us + device->launch_us + fmax(0, launches - 1) * gap;
    return fmax(queued, launches * device->launch_us); // the host submits no faster
}

// SMs that get a block. Blocks that end at once give an SM no work, so at most twice as many count
// as hold a warp on average from the first block's begin to the last one's end.
kl_worth ladder_worth_of(const sim_counters *totals) {
    const uint64_t *value = totals->value;
    return (kl_worth){.card = (double)value[SIM_COUNTER_HELD_TO_CARD],
                      .programs = (double)value[SIM_COUNTER_HELD_TO_PROGRAMS],
                      .manual = (double)value[SIM_COUNTER_BY_THE_MANUAL],
                      .inexact = (double)value[SIM_COUNTER_INEXACT],
                      .misled = (double)value[SIM_COUNTER_MISLED]};
}

static double sms_used(const sim_launch_report *report, double blocks, const sim_device *device) {
    const double some = 2;
    double cycles = (report->time_us - device->kernel_us) * device->clock_mhz;
    double active = (double)report->totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE];
    double used = fmin(blocks, device->sm_count);
    bool counted = active > 0 && cycles > 0 && ladder_defence_on(LADDER_DEFENCE_IDLE_BLOCKS);
    return counted ? fmin(used, some * active / cycles) : used;
}

void ladder_counts_add(ladder_counts *counts, const sim_launch_report *report,
                       const sim_device *device) {
    const sim_dim3 grid = report->config.grid, block = report->config.block;
    double blocks = (double)grid.x * grid.y * grid.z;
    double warps = ceil((double)block.x * block.y * block.z / 32);
    counts->launches++;
    for (int c = 0; c < SIM_COUNTER_COUNT; c++) counts->totals.value[c] += report->totals.value[c];
    counts->registers = fmax(counts->registers, report->registers);
    counts->blocks = fmax(counts->blocks, blocks);
    counts->sms_used = fmax(counts->sms_used, sms_used(report, blocks, device));
    counts->shared_bytes = fmax(counts->shared_bytes, (double)report->static_shared_bytes +
                                                          report->config.dynamic_shared_bytes);
    counts->local_bytes = fmax(counts->local_bytes, report->local_bytes);
    counts->occupancy_pct = fmax(counts->occupancy_pct, 100.0 * report->occupancy.fraction);
    counts->all_blocks += blocks;
    counts->all_warps += blocks * warps;
    counts->time_us += report->time_us;
}

bool ladder_score_counts(const ladder_criterion *criterion, const ladder_modelled *modelled,
                         ladder_count_source *source, void *context, ladder_criterion_result *out) {
    int64_t size = modelled ? modelled->size : criterion->size;
    const ladder_counts *counts = source(context, criterion->family, size);
    if (!counts) return false;
    if (modelled) {
        out->modelled = modelled->over_us / ladder_call_us(counts, ladder_device_simulated());
        out->modelled_points = criterion->points * ladder_modelled_share(modelled, out->modelled);
        return true;
    }
    out->value = ladder_count_value(criterion->counter, criterion->per, counts);
    double share = ladder_criterion_share(criterion, out->value);
    for (int i = 0; i < criterion->with_count; i++) {
        const ladder_bound *bound = &criterion->with[i];
        bool own = bound->family[0] == '\0';
        counts = source(context, own ? criterion->family : bound->family, own ? size : bound->size);
        if (!counts) return false;
        out->with[i] = ladder_count_value(bound->counter, bound->per, counts);
        share = fmin(share, ladder_bound_share(bound, out->with[i]));
    }
    out->points = criterion->points * share;
    return true;
}

void ladder_score_close(const ladder_rubric_step *step, ladder_criterion_result *results,
                        int count) {
    bool open = true;
    for (int i = 0; i < count; i++)
        if (step->criteria[i].kind == LADDER_CRITERION_COUNT) open &= results[i].points > 0;
    for (int i = 0; i < count && !open; i++) {
        ladder_criterion_result *out = &results[i];
        if (step->criteria[i].kind != LADDER_CRITERION_SPEED) continue;
        out->closed = true;
        out->points = 0;
        if (out->modelled_points > 0) out->modelled_points = 0;
    }
}
