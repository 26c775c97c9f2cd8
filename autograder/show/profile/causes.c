// Causes beside lanes, sectors and banks: see internal.h.
#include "show/profile/internal.h"

const char *ladder_where(const sim_launch_report *report, const sim_line_counters *at, char *where,
                         size_t where_bytes) {
    char file[100];
    if (report->line_count == 0) {
        snprintf(where, where_bytes, "this kernel");
        return where;
    }
    const char *path = at->file < report->file_count ? report->files[at->file] : "?";
    ladder_plain(basename(path), false, file, sizeof file);
    snprintf(where, where_bytes, "%s:%u", file, at->line);
    return where;
}

sim_line_counters ladder_busiest(const sim_launch_report *report, ladder_quantity of) {
    sim_line_counters most = {.counters = report->totals};
    if (report->line_count > 0) most = report->lines[0];
    for (uint32_t i = 1; i < report->line_count; i++)
        if (of(&report->lines[i].counters) > of(&most.counters)) most = report->lines[i];
    return most;
}

static double local_sectors(const sim_counters *c) {
    return (double)c->value[SIM_COUNTER_LOCAL_LD_SECTORS] +
           (double)c->value[SIM_COUNTER_LOCAL_ST_SECTORS];
}

double ladder_global_sectors(const sim_counters *c) {
    return (double)c->value[SIM_COUNTER_GLOBAL_LD_SECTORS] +
           (double)c->value[SIM_COUNTER_GLOBAL_ST_SECTORS];
}

bool ladder_advise_local(const sim_launch_report *report, char *text, size_t text_bytes) {
    static const double least = 0.25; // of all sectors, to be worth a word
    char where[160];
    double local = local_sectors(&report->totals),
           all = local + ladder_global_sectors(&report->totals);
    if (!(local > least * all)) return false;
    sim_line_counters at = ladder_busiest(report, local_sectors);
    bool spills = report->spill_store_bytes > 0;
    snprintf(text, text_bytes,
             "%s: %.0f %% of all sectors that the launch loads and stores are of local memory, "
             "which lies in device memory: %s",
             ladder_where(report, &at, where, sizeof where), 100 * local / all,
             spills ? "registers are spilled"
                    : "an array of a thread stays in registers only when each of its indices is "
                      "known at compile time, as in unrolled loops");
    return true;
}

static double xu_instructions(const sim_counters *c) {
    return (double)c->value[SIM_COUNTER_PIPE_XU];
}

static double fp64_instructions(const sim_counters *c) {
    return (double)c->value[SIM_COUNTER_PIPE_FP64];
}

bool ladder_advise_slow_pipe(const sim_launch_report *report, char *text, size_t text_bytes) {
    bool is_xu = report->bounds[0].kind == SIM_BOUND_XU;
    if (!is_xu && report->bounds[0].kind != SIM_BOUND_FP64) return false;
    char where[160];
    ladder_quantity of = is_xu ? xu_instructions : fp64_instructions;
    sim_line_counters at = ladder_busiest(report, of);
    double all = of(&report->totals);
    bool doubles = fp64_instructions(&at.counters) > 0;
    int used = snprintf(text, text_bytes, "%s: %.0f %% of the instructions of the %s pipe%s",
                        ladder_where(report, &at, where, sizeof where),
                        all > 0 ? 100 * of(&at.counters) / all : 100, is_xu ? "XU" : "FP64",
                        is_xu ? " (division, conversion, sine, 2^x), which is slow" : "");
    if (doubles && used > 0 && (size_t)used < text_bytes)
        snprintf(text + used, text_bytes - (size_t)used,
                 "; the line computes in double precision: a constant without f (0.5 instead of "
                 "0.5f) is enough to make a float expression one of doubles");
    return true;
}
