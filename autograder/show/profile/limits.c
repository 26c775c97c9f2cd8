// The resource that limits a launch, in words: see causes.c. A launch whose lanes, sectors and
// banks are used well still has a limit: what it needs most of is named with the line that needs
// it.
#include "advice.h"
#include "show/profile/internal.h"

typedef struct limited {
    const sim_launch_report *report;
    double share;     // of the launch's time that the limiting resource needs, its start left out
    char of_time[64]; // "of this time", or that the start is left out
    char *text;
    size_t text_bytes;
} limited;

static double count(const limited *l, sim_counter counter) {
    return (double)l->report->totals.value[counter];
}

static double instructions(const sim_counters *c) { return (double)c->value[SIM_COUNTER_INST]; }

static double load_store(const sim_counters *c) { return (double)c->value[SIM_COUNTER_PIPE_LSU]; }

static double shared_wavefronts(const sim_counters *c) {
    return (double)c->value[SIM_COUNTER_SHARED_LD_WAVEFRONTS] +
           (double)c->value[SIM_COUNTER_SHARED_ST_WAVEFRONTS];
}

static double integer(const sim_counters *c) { return (double)c->value[SIM_COUNTER_PIPE_ALU]; }

// "9.08"; false where multiply-adds are not what the kernel is for.
static bool per_multiply_add(const limited *l, double amount, char text[16]) {
    static const double most = 20; // beyond, they are a small part of the work
    double products = count(l, SIM_COUNTER_MULTIPLY_ADDS);
    if (!(products > 0) || amount > most * products) return false;
    snprintf(text, 16, "%.3g", amount / products);
    return true;
}

// Executes many instructions: those of a loop's counter and condition can be unrolled away.
static void advise_instructions(const limited *l) {
    static const double loop_share = 0.2; // of the instructions, on the line of a branch
    sim_line_counters at = ladder_busiest(l->report, instructions);
    double all = count(l, SIM_COUNTER_INST), here = instructions(&at.counters);
    bool is_loop = l->report->line_count > 0 && at.counters.value[SIM_COUNTER_BRANCHES] > 0 &&
                   here > loop_share * all;
    char where[160], each[16], products[48] = "";
    if (per_multiply_add(l, all, each))
        snprintf(products, sizeof products, ", %s per multiply-add", each);
    snprintf(l->text, l->text_bytes,
             "%s: %.0f %% of the warp instructions%s, and the schedulers issue no more%s%s",
             ladder_where(l->report, &at, where, sizeof where), all > 0 ? 100 * here / all : 100,
             products, is_loop ? ": " : "", is_loop ? kl_advice_text(KL_ADVICE_UNROLL) : "");
}

// Loads and stores of any kind, or wavefronts of shared memory.
static void advise_accesses(const limited *l) {
    bool is_shared = l->report->bounds[0].kind == SIM_BOUND_SHARED;
    ladder_quantity of = is_shared ? shared_wavefronts : load_store;
    sim_line_counters at = ladder_busiest(l->report, of);
    char where[160], each[16], products[64] = "";
    double all = of(&l->report->totals);
    bool has_reuse = count(l, SIM_COUNTER_SHARED_LD_PTX) > 0.5 * count(l, SIM_COUNTER_PIPE_LSU) &&
                     per_multiply_add(l, count(l, SIM_COUNTER_SHARED_LD_INST), each);
    if (has_reuse) snprintf(products, sizeof products, "; %s shared loads per multiply-add", each);
    snprintf(l->text, l->text_bytes, "%s: %.0f %% of all %s%s; %s is busy%s%s",
             ladder_where(l->report, &at, where, sizeof where),
             all > 0 ? 100 * of(&at.counters) / all : 100,
             is_shared ? "wavefronts of shared memory" : "loads and stores", products,
             is_shared ? "shared memory" : "the load/store pipe", has_reuse ? ": " : "",
             has_reuse ? kl_advice_text(KL_ADVICE_SEVERAL_RESULTS) : "");
}

// The L2 and what leads to it.
static void advise_cache(const limited *l) {
    static const double often = 2;
    sim_line_counters at = ladder_busiest(l->report, ladder_global_sectors);
    double fresh = count(l, SIM_COUNTER_FOOTPRINT_READ) / 32;
    double times = fresh > 0 ? count(l, SIM_COUNTER_L1_MISSES) / fresh : 0;
    char where[160];
    ladder_where(l->report, &at, where, sizeof where);
    if (times >= often)
        snprintf(l->text, l->text_bytes, "%s: each byte is loaded from the L2 %.0f times: %s",
                 where, times, kl_advice_text(KL_ADVICE_TILE));
    else
        snprintf(l->text, l->text_bytes, "%s: %s", where,
                 sim_bound_advice(l->report->bounds[0].kind));
}

// Device memory: near its rate, or with too little in flight.
static void advise_memory(const limited *l, double near, const sim_device *device) {
    static const double waits = 0.5;     // of the time of the bytes: warps wait beside
    static const double some_starts = 6; // of a kernel: 13 us, in which few bytes are in flight
    double rest_us = ladder_work_us(l->report, device) - l->report->bounds[0].time_us;
    double read = count(l, SIM_COUNTER_DRAM_READ), fresh = count(l, SIM_COUNTER_FOOTPRINT_READ);
    if (fresh > 0 && read > 1.5 * fresh)
        snprintf(l->text, l->text_bytes,
                 "each byte is read from device memory %.1f times, for the caches lose it in "
                 "between",
                 read / fresh);
    else if (l->share >= near)
        snprintf(l->text, l->text_bytes,
                 "near its limit: device memory needs %.0f %% %s for these bytes; only "
                 "fewer bytes would take less",
                 100 * l->share, l->of_time);
    else if (ladder_bound_us(l->report, 1u << SIM_BOUND_LATENCY) >
             waits * l->report->bounds[0].time_us)
        snprintf(l->text, l->text_bytes,
                 "device memory needs only %.0f %% %s for these bytes: warps wait for their "
                 "loads",
                 100 * l->share, l->of_time);
    else if (rest_us < some_starts * device->kernel_us)
        snprintf(l->text, l->text_bytes,
                 "device memory needs %.0f %% %s for these bytes, and the rest is mostly "
                 "the beginning and the end of so short a launch: a larger input comes closer",
                 100 * l->share, l->of_time);
    else
        snprintf(l->text, l->text_bytes,
                 "device memory needs only %.0f %% %s for these bytes, and nothing else "
                 "needs more: --timeline shows what the warps wait for",
                 100 * l->share, l->of_time);
}

static void advise_products(const limited *l, double near) {
    const char *pipe =
        l->report->bounds[0].kind == SIM_BOUND_TENSOR ? "tensor cores are" : "FMA pipe is";
    if (l->share >= near)
        snprintf(l->text, l->text_bytes,
                 "near its limit: the %s busy for %.0f %% %s, as in a kernel that "
                 "computes it should be",
                 pipe, 100 * l->share, l->of_time);
    else
        snprintf(l->text, l->text_bytes, "the %s busy for %.0f %% %s", pipe, 100 * l->share,
                 l->of_time);
}

static void advise_integers(const limited *l) {
    sim_line_counters at = ladder_busiest(l->report, integer);
    double all = count(l, SIM_COUNTER_PIPE_ALU);
    char where[160];
    snprintf(l->text, l->text_bytes,
             "%s: %.0f %% of the instructions of the integer pipe, which is busy",
             ladder_where(l->report, &at, where, sizeof where),
             all > 0 ? 100 * integer(&at.counters) / all : 100);
}

bool ladder_advise_limit(const sim_launch_report *report, const sim_device *device, char *text,
                         size_t text_bytes) {
    static const double near = 0.8;         // of a rate that is reached in practice
    static const double short_start = 0.02; // of the time: a share of either reads alike
    const uint32_t products = 1u << SIM_BOUND_FMA | 1u << SIM_BOUND_TENSOR;
    double us = ladder_work_us(report, device);
    limited l = {report, us > 0 ? report->bounds[0].time_us / us : 0, "of this time", text,
                 text_bytes};
    if (report->time_us - us > short_start * report->time_us)
        snprintf(l.of_time, sizeof l.of_time, "of the time without the %.1f us of a launch's start",
                 report->time_us - us);
    double computing = us > 0 ? ladder_bound_us(report, products) / us : 0;
    switch (report->bounds[0].kind) {
    case SIM_BOUND_ISSUE:
        if (computing >= near)
            snprintf(text, text_bytes, "near its limit: multiply-adds alone need %.0f %% %s",
                     100 * computing, l.of_time);
        else advise_instructions(&l);
        return true;
    case SIM_BOUND_LSU:
    case SIM_BOUND_SHARED: advise_accesses(&l); return true;
    case SIM_BOUND_L2:
    case SIM_BOUND_L1:
    case SIM_BOUND_STORES: advise_cache(&l); return true;
    case SIM_BOUND_DRAM: advise_memory(&l, near, device); return true;
    case SIM_BOUND_FMA:
    case SIM_BOUND_TENSOR: advise_products(&l, near); return true;
    case SIM_BOUND_ALU: advise_integers(&l); return true;
    default: return false; // slow pipes and constant memory have sentences of their own
    }
}
