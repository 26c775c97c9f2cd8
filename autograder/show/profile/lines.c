// SPDX-License-Identifier: MIT
// Metrics of source lines and the worst line in words: see profile.h. Costs are rough on purpose:
// they only decide which line to name first.
#include <math.h>
#include <stdio.h>

#include "show/profile/causes.h"

enum {
    LANES = 32,
    WIDE_SECTORS = 16, // a warp's 16-byte loads of neighbours take 16 sectors
    ADDRESS_CYCLES = 2 // of constant memory, per address: measured on an H100
};

static double ratio(double a, double b) {
    return b > 0 ? a / b : NAN;
}

// What a line may do to global memory.
typedef struct access_kind {
    const char *name;
    sim_counter requests, sectors;
} access_kind;
static const access_kind access_kinds[] = {
    {"load", SIM_COUNTER_GLOBAL_LD_REQUESTS, SIM_COUNTER_GLOBAL_LD_SECTORS},
    {"store", SIM_COUNTER_GLOBAL_ST_REQUESTS, SIM_COUNTER_GLOBAL_ST_SECTORS},
    {"atomic", SIM_COUNTER_GLOBAL_ATOM_REQUESTS, SIM_COUNTER_GLOBAL_ATOM_SECTORS},
    {"atomic", SIM_COUNTER_GLOBAL_RED_REQUESTS, SIM_COUNTER_GLOBAL_RED_SECTORS},
};
enum { ACCESS_KINDS = sizeof access_kinds / sizeof access_kinds[0] };

// The kind that moves most sectors: `out[c * rows + r] = in[r * cols + c]` is told by its stores.
static const access_kind *busiest_kind(const sim_counters *counters) {
    const access_kind *most = &access_kinds[0];
    for (int i = 1; i < ACCESS_KINDS; i++)
        if (counters->value[access_kinds[i].sectors] > counters->value[most->sectors])
            most = &access_kinds[i];
    return most;
}

double ladder_sector_cycles(const sim_device *device) {
    double sm_bytes_per_cycle =
        device->read_gbs * 1e3 / ((double)device->sm_count * (double)device->clock_mhz);
    return sm_bytes_per_cycle > 0 ? 32.0 / sm_bytes_per_cycle : 2.0;
}

ladder_line ladder_line_measure(const sim_counters *counters, const sim_device *device) {
    const uint64_t *v = counters->value;
    double instructions = (double)v[SIM_COUNTER_INST];
    const access_kind *kind = busiest_kind(counters);
    double shared = (double)v[SIM_COUNTER_SHARED_LD_INST] + (double)v[SIM_COUNTER_SHARED_ST_INST];
    double wavefronts =
        (double)v[SIM_COUNTER_SHARED_LD_WAVEFRONTS] + (double)v[SIM_COUNTER_SHARED_ST_WAVEFRONTS];
    double conflicts =
        (double)v[SIM_COUNTER_SHARED_LD_CONFLICTS] + (double)v[SIM_COUNTER_SHARED_ST_CONFLICTS];
    ladder_line line = {
        .instructions = instructions,
        .lanes = ratio((double)v[SIM_COUNTER_THREAD_INST_ON], instructions * LANES),
        .sectors = ratio((double)v[kind->sectors], (double)v[kind->requests]),
        .access = kind->name,
        .wavefronts = ratio(wavefronts, shared),
        .ideal_wavefronts = ratio(wavefronts - conflicts, shared),
        .conflict = ratio(wavefronts, wavefronts - conflicts),
    };
    // An SM issues one instruction a scheduler and cycle, and makes one pass over its banks a
    // cycle; a sector costs what the SM's share of the memory's bandwidth takes for 32 bytes.
    double schedulers = device->schedulers_per_sm > 0 ? device->schedulers_per_sm : 4;
    double excess = 0;
    for (int i = 0; i < ACCESS_KINDS; i++) {
        double more =
            (double)v[access_kinds[i].sectors] - WIDE_SECTORS * (double)v[access_kinds[i].requests];
        if (more > 0) excess += more;
    }
    line.lost_lanes = instructions > 0 ? instructions * (1.0 - line.lanes) / schedulers : 0;
    line.lost_conflicts = conflicts;
    line.lost_sectors = excess * ladder_sector_cycles(device);
    double loads = (double)v[SIM_COUNTER_CONSTANT_LD_INST];
    double addresses = (double)v[SIM_COUNTER_CONSTANT_LD_TURNS];
    line.places = ratio(addresses, loads);
    line.lost_places = ADDRESS_CYCLES * (addresses - loads);
    return line;
}

typedef enum loss { LOSS_NONE, LOSS_LANES, LOSS_CONFLICTS, LOSS_SECTORS, LOSS_PLACES } loss;

// Lanes idle behind a branch of another line, as in the body of a loop that some leave earlier: the
// line that splits most warps. NULL: the line has such a branch itself, or there is none.
static const sim_line_counters *splitting_line(const sim_launch_report *report,
                                               const sim_line_counters *at) {
    const sim_line_counters *most = NULL;
    if (at->counters.value[SIM_COUNTER_BRANCHES_DIVERGENT] > 0) return NULL;
    for (uint32_t i = 0; i < report->line_count; i++) {
        uint64_t splits = report->lines[i].counters.value[SIM_COUNTER_BRANCHES_DIVERGENT];
        if (splits > 0 && report->lines[i].file == at->file &&
            (!most || splits > most->counters.value[SIM_COUNTER_BRANCHES_DIVERGENT]))
            most = &report->lines[i];
    }
    return most;
}

static void put_divergence(const sim_launch_report *report, const sim_line_counters *at,
                           const ladder_line *line, const char *where, char *text,
                           size_t text_bytes) {
    const sim_line_counters *split = splitting_line(report, at);
    int used = snprintf(
        text, text_bytes,
        "%s: only %.0f %% of lanes work here while the rest of the warp idles (divergence)", where,
        100.0 * line->lanes);
    if (split && used > 0 && (size_t)used < text_bytes)
        snprintf(text + used, text_bytes - (size_t)used,
                 "; the branch that splits most warps is in line %u", split->line);
}

static void put_sentence(const sim_launch_report *report, const sim_line_counters *at,
                         const ladder_line *line, loss kind, const char *where, char *text,
                         size_t text_bytes) {
    const uint64_t *v = at->counters.value;
    switch (kind) {
    case LOSS_LANES: put_divergence(report, at, line, where, text, text_bytes); return;
    case LOSS_CONFLICTS: {
        uint64_t loads = v[SIM_COUNTER_SHARED_LD_CONFLICTS];
        uint64_t stores = v[SIM_COUNTER_SHARED_ST_CONFLICTS];
        const char *what = stores == 0  ? "shared load is"
                           : loads == 0 ? "shared store is"
                                        : "shared loads and stores are";
        char ideal[16];
        snprintf(ideal, sizeof ideal, line->ideal_wavefronts < 1.05 ? "%.0f" : "%.1f",
                 line->ideal_wavefronts);
        snprintf(text, text_bytes,
                 "%s: %s %.0f-way bank conflicted (%.1f wavefronts instead of %s)", where, what,
                 line->conflict, line->wavefronts, ideal);
        return;
    }
    case LOSS_SECTORS:
        snprintf(text, text_bytes,
                 "%s: a global %s touches %.1f sectors; when neighbouring lanes take "
                 "neighbouring words, 4-byte words need 4 and 16-byte words 16 (uncoalesced)",
                 where, line->access, line->sectors);
        return;
    case LOSS_PLACES:
        snprintf(
            text, text_bytes,
            "%s: the lanes of a warp want %.1f addresses of constant memory, which serves one at "
            "a time; shared memory serves 32 banks at once",
            where, line->places);
        return;
    case LOSS_NONE: break;
    }
    text[0] = '\0';
}

bool ladder_profile_worst(const sim_launch_report *report, const sim_device *device, char *text,
                          size_t text_bytes) {
    static const double least_share = 0.03; // of the launch's issue cycles, to be worth a word
    const sim_line_counters whole = {.counters = report->totals};
    const sim_line_counters *lines = report->line_count > 0 ? report->lines : &whole;
    uint32_t count = report->line_count > 0 ? report->line_count : 1;
    double schedulers = device->schedulers_per_sm > 0 ? device->schedulers_per_sm : 4;
    double worst = least_share * (double)report->totals.value[SIM_COUNTER_INST] / schedulers;
    loss kind = LOSS_NONE;
    const sim_line_counters *at = NULL;
    ladder_line found = {.lanes = NAN};
    for (uint32_t i = 0; i < count; i++) {
        ladder_line line = ladder_line_measure(&lines[i].counters, device);
        const double losses[] = {0, line.lost_lanes, line.lost_conflicts, line.lost_sectors,
                                 line.lost_places};
        for (int k = LOSS_LANES; k <= LOSS_PLACES; k++) {
            if (losses[k] <= worst) continue;
            worst = losses[k];
            kind = (loss)k;
            at = &lines[i];
            found = line;
        }
    }
    if (!at) return false;
    char where[160];
    ladder_where(report, at, where, sizeof where);
    put_sentence(report, at, &found, kind, where, text, text_bytes);
    return true;
}
