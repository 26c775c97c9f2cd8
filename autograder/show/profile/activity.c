// How much of the device a launch keeps at work, and what to change first: see profile.h. The order
// of the advice: lanes without a thread, SMs without a block, local memory (causes.c), then lines
// that lose to divergence, bank conflicts or uncoalesced accesses, and the resource that limits the
// launch: what concerns it comes first when it hides the rest. Then the tail of the waves; barriers
// and more warps where the launch waits for operands.
#include "advice.h"
#include "show/profile/internal.h"

const char *ladder_config_text(const sim_launch_report *report, char *text, size_t text_bytes) {
    const sim_launch_config *c = &report->config;
    char grid[40], block[40];
    snprintf(grid, sizeof grid, c->grid.y * c->grid.z > 1 ? "%u x %u x %u" : "%u", c->grid.x,
             c->grid.y, c->grid.z);
    snprintf(block, sizeof block, c->block.y * c->block.z > 1 ? "%u x %u x %u" : "%u", c->block.x,
             c->block.y, c->block.z);
    uint64_t blocks = (uint64_t)c->grid.x * c->grid.y * c->grid.z;
    snprintf(text, text_bytes,
             "%s block%s of %s threads, %u registers%s, %u bytes of shared memory", grid,
             blocks == 1 ? "" : "s", block, report->registers,
             report->registers_estimated ? " (estimated)" : "",
             report->static_shared_bytes + c->dynamic_shared_bytes);
    return text;
}

const char *ladder_local_text(const sim_launch_report *report, char *text, size_t text_bytes) {
    const sim_launch_report *r = report;
    bool spills = r->spill_store_bytes || r->spill_load_bytes;
    char spilled[96] = "";
    if (spills)
        snprintf(spilled, sizeof spilled, "; registers spill: %u bytes stored, %u loaded",
                 r->spill_store_bytes, r->spill_load_bytes);
    snprintf(text, text_bytes, "%u bytes of local memory per thread%s", r->local_bytes, spilled);
    return text;
}

// "12 %", "0.35 %"
static const char *format_share(double share, char *text, size_t text_bytes) {
    double percent = 100.0 * share;
    snprintf(text, text_bytes,
             percent < 0.995  ? "%.2f %%"
             : percent < 9.95 ? "%.1f %%"
                              : "%.0f %%",
             percent);
    return text;
}

int ladder_bounds_shown(const sim_launch_report *report) {
    static const double least_us = 0.005; // prints as 0.00 us
    int count = 0;
    while (count < SIM_TIME_BOUNDS && report->bounds[count].kind != SIM_BOUND_NONE &&
           (count == 0 || report->bounds[count].time_us >= least_us))
        count++;
    return count;
}

static ladder_activity_row *add_row(ladder_activity_row *rows, int *count, const char *label,
                                    const char *term) {
    ladder_activity_row *row = &rows[(*count)++];
    row->label = label;
    row->term = term;
    return row;
}

// Of tensor cores and special functions, where a launch uses both for some of the time.
static void add_units(const sim_activity *a, ladder_activity_row *rows, int *count) {
    static const double some = 0.02;
    char share[3][32];
    if (!(a->tensor_and_xu + a->tensor_alone >= some && a->tensor_and_xu + a->xu_alone >= some))
        return;
    ladder_activity_row *row = add_row(rows, count, "units", "Special function unit");
    snprintf(row->text, sizeof row->text,
             "tensor cores and special functions both work %s of the time, tensor cores alone %s, "
             "special functions alone %s (modelled)",
             format_share(a->tensor_and_xu, share[0], sizeof share[0]),
             format_share(a->tensor_alone, share[1], sizeof share[1]),
             format_share(a->xu_alone, share[2], sizeof share[2]));
}

int ladder_activity_rows(const sim_launch_report *report, const sim_device *device,
                         ladder_activity_row rows[LADDER_ACTIVITY_ROWS]) {
    sim_activity a = sim_activity_of(device, report);
    char share[4][32], grouped[2][32];
    const sim_occupancy *o = &report->occupancy;
    uint64_t places = (uint64_t)o->blocks_per_sm * device->sm_count;
    int count = 0;
    ladder_activity_row *row = add_row(rows, &count, "SMs used", "SM");
    snprintf(row->text, sizeof row->text, "%u of %u", a.sms_used, device->sm_count);
    row = add_row(rows, &count, "waves", "Wave");
    snprintf(row->text, sizeof row->text,
             "%.*f (%s block%s, %s resident at once), last one %s idle", a.waves < 0.0995 ? 3 : 2,
             a.waves, kl_format_grouped((long long)a.blocks, grouped[0], sizeof grouped[0]),
             a.blocks == 1 ? "" : "s",
             kl_format_grouped((long long)places, grouped[1], sizeof grouped[1]),
             format_share(a.tail_idle, share[0], sizeof share[0]));
    row = add_row(rows, &count, "occupancy", "Theoretical occupancy");
    snprintf(row->text, sizeof row->text, "theoretical %s: %u block%s per SM, limited by %s",
             format_share(o->fraction, share[1], sizeof share[1]), o->blocks_per_sm,
             o->blocks_per_sm == 1 ? "" : "s", sim_limiter_name(o->limiter));
    if (isnan(a.achieved)) return count;
    row = add_row(rows, &count, "", "Achieved occupancy");
    snprintf(row->text, sizeof row->text, "achieved %s (modelled)%s%s%s",
             format_share(a.achieved, share[2], sizeof share[2]),
             a.sms_used < device->sm_count ? " on the SMs in use, " : "",
             a.sms_used < device->sm_count
                 ? format_share(a.achieved_elapsed, share[3], sizeof share[3])
                 : "",
             a.sms_used < device->sm_count ? " over all SMs" : "");
    add_units(&a, rows, &count);
    return count;
}

void ladder_activity_print(const sim_launch_report *report, const sim_device *device,
                           const kl_style *style, FILE *out) {
    ladder_activity_row rows[LADDER_ACTIVITY_ROWS];
    int count = ladder_activity_rows(report, device, rows);
    for (int i = 0; i < count; i++) {
        int wide = fprintf(out, "  %-10s ", rows[i].label);
        kl_print_wrapped(out, style, wide, rows[i].text);
    }
}

static uint64_t threads_of_block(const sim_launch_report *report) {
    const sim_dim3 *block = &report->config.block;
    return (uint64_t)block->x * block->y * block->z;
}

static uint64_t warps_of_block(const sim_launch_report *report) {
    return (threads_of_block(report) + LADDER_LANES - 1) / LADDER_LANES;
}

// A block that does not fill its warps.
static bool advise_block_size(const sim_launch_report *report, char *text, size_t text_bytes) {
    static const double least_empty = 0.25; // of the lanes, to be worth a word
    uint64_t threads = threads_of_block(report), lanes = warps_of_block(report) * LADDER_LANES;
    if (lanes == 0 || (double)(lanes - threads) < least_empty * (double)lanes) return false;
    snprintf(text, text_bytes,
             "a block has %llu thread%s: %llu of the %llu lanes of its warp%s have none; %s",
             (unsigned long long)threads, threads == 1 ? "" : "s",
             (unsigned long long)(lanes - threads), (unsigned long long)lanes,
             lanes == LADDER_LANES ? "" : "s", kl_advice_text(KL_ADVICE_FULL_WARPS));
    return true;
}

static bool advise_idle_sms(const sim_activity *a, const sim_device *device, char *text,
                            size_t text_bytes) {
    static const double few = 0.1; // of the SMs: not the first thing to change
    uint32_t idle = device->sm_count - a->sms_used;
    if (a->sms_used >= device->sm_count || idle < few * device->sm_count) return false;
    snprintf(text, text_bytes,
             "only %u of %u SMs %s a block, %u %s idle from the first cycle to the last: %s",
             a->sms_used, device->sm_count, a->sms_used == 1 ? "has" : "have", idle,
             idle == 1 ? "is" : "are", kl_advice_text(KL_ADVICE_MORE_BLOCKS));
    return true;
}

// Waves are whole when blocks take equally long: 1.01 waves take as long as 2.
static bool advise_tail(const sim_activity *a, char *text, size_t text_bytes) {
    static const double few = 4, least_idle = 0.25; // later waves overlap; less is not worth a word
    if (a->waves <= 1 || a->waves > few || a->tail_idle < least_idle) return false;
    snprintf(text, text_bytes, "%.2f waves: the last one leaves %.0f %% of its block slots idle",
             a->waves, 100.0 * a->tail_idle);
    return true;
}

// What a warp counts on average.
static double per_warp(const sim_launch_report *report, const sim_activity *a,
                       sim_counter counter) {
    uint64_t warps = warps_of_block(report) * a->blocks;
    return warps ? (double)report->totals.value[counter] / (double)warps : 0;
}

// Behind each barrier a warp waits for the slowest of its block.
static bool advise_barriers(const sim_launch_report *report, const sim_activity *a, char *text,
                            size_t text_bytes) {
    static const double few = 20; // instructions, hardly more than a barrier costs
    double barriers = per_warp(report, a, SIM_COUNTER_BARRIERS);
    double between = per_warp(report, a, SIM_COUNTER_INST) / (barriers > 0 ? barriers : 1);
    if (report->bounds[0].kind != SIM_BOUND_LATENCY || barriers < 2 || between > few) return false;
    snprintf(text, text_bytes, "a warp waits at %.0f barriers, one every %.0f instructions: %s",
             barriers, between, kl_advice_text(KL_ADVICE_FEWER_BARRIERS));
    return true;
}

static bool advise_warps(const sim_launch_report *report, const sim_activity *a, char *text,
                         size_t text_bytes) {
    static const double full = 0.9; // of an SM's warps: more of them are hardly to be had
    static const double many = 8;   // waves
    static const double few = 50;   // instructions, of which the first compute indices
    if (report->bounds[0].kind != SIM_BOUND_LATENCY) return false;
    const sim_occupancy *o = &report->occupancy;
    double executed = per_warp(report, a, SIM_COUNTER_INST);
    if (o->fraction < full)
        snprintf(
            text, text_bytes,
            "warps wait for operands, and an SM holds only %.0f %% of the warps that it could, "
            "limited by %s",
            100 * o->fraction, sim_limiter_name(o->limiter));
    else if (a->waves < full)
        snprintf(text, text_bytes,
                 "warps wait for operands, and an SM has room for %u blocks, more than there are",
                 o->blocks_per_sm);
    else if (a->waves > many && executed < few)
        snprintf(text, text_bytes,
                 "each warp executes only %.0f instructions, and its block is one of %.0f waves",
                 executed, ceil(a->waves));
    else
        snprintf(text, text_bytes,
                 "warps wait for operands, and an SM holds nearly as many as it can");
    return true;
}

static double atomic_sectors(const sim_counters *c) {
    return (double)c->value[SIM_COUNTER_GLOBAL_ATOM_SECTORS] +
           (double)c->value[SIM_COUNTER_GLOBAL_RED_SECTORS];
}

bool ladder_advise_atomics(const sim_launch_report *report, const sim_device *device, char *text,
                           size_t text_bytes) {
    static const double often = 64, most_busy = 0.5; // updates of a sector; share of the time
    const double sector_bytes = 32;
    const uint64_t *v = report->totals.value;
    double sectors = atomic_sectors(&report->totals);
    if (v[SIM_COUNTER_SHARED_ST_INST] + v[SIM_COUNTER_SHARED_ATOM_INST] > 0)
        return false; // combines
    double written = (double)report->totals.value[SIM_COUNTER_FOOTPRINT_WRITE] / sector_bytes;
    if (!(written > 0) || sectors < often * written ||
        report->bounds[0].time_us > most_busy * ladder_work_us(report, device))
        return false;
    char where[160], times[32];
    sim_line_counters at = ladder_busiest(report, atomic_sectors);
    snprintf(text, text_bytes,
             "%s: atomics update each sector of memory %s times, one after the other, and the "
             "launch waits for them: %s",
             ladder_where(report, &at, where, sizeof where),
             kl_format_count(sectors / written, times, sizeof times),
             kl_advice_text(KL_ADVICE_COMBINE_FIRST));
    return true;
}

// What is lost and, unless something else has said it already (of_limits), what limits.
static int advise_work(const sim_launch_report *report, const sim_device *device, bool of_limits,
                       char text[][LADDER_ADVICE_TEXT]) {
    static const double hiding = 0.8; // of the time: other resources work beside this one
    ladder_loss losses[LADDER_LOSSES];
    const sim_time_bound *first = &report->bounds[0];
    int lost = ladder_find_losses(report, device, losses), own = 0, count = 0;
    for (int i = 0; i < lost; i++) own |= (int)(losses[i].bounds >> first->kind & 1) << i;
    bool hides = first->kind != SIM_BOUND_LATENCY &&
                 first->time_us > hiding * ladder_work_us(report, device);
    bool says = of_limits && own == 0;
    if (says && hides && ladder_advise_limit(report, device, text[count], LADDER_ADVICE_TEXT))
        count++;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < lost; i++)
            if ((hides && !(own >> i & 1)) == pass)
                ladder_loss_text(report, &losses[i], text[count++], LADDER_ADVICE_TEXT);
    if (of_limits && ladder_advise_slow_pipe(report, text[count], LADDER_ADVICE_TEXT)) count++;
    if (says && !hides && ladder_advise_limit(report, device, text[count], LADDER_ADVICE_TEXT))
        count++;
    return count;
}

int ladder_profile_advise(const sim_launch_report *report, const sim_device *device,
                          char text[LADDER_ADVICE_MAX][LADDER_ADVICE_TEXT]) {
    sim_activity a = sim_activity_of(device, report);
    int count = 0;
    bool launch_bound = sim_report_launch_bound(report, device);
    if (advise_block_size(report, text[count], LADDER_ADVICE_TEXT)) count++;
    if (!launch_bound && advise_idle_sms(&a, device, text[count], LADDER_ADVICE_TEXT)) count++;
    bool local = !launch_bound && ladder_advise_local(report, text[count], LADDER_ADVICE_TEXT);
    count += local; // and then it is what limits
    bool atomics =
        !launch_bound && ladder_advise_atomics(report, device, text[count], LADDER_ADVICE_TEXT);
    count += atomics;
    count += advise_work(report, device, !launch_bound && !local && !atomics, text + count);
    if (launch_bound) return count;
    if (advise_tail(&a, text[count], LADDER_ADVICE_TEXT)) count++;
    if (advise_barriers(report, &a, text[count], LADDER_ADVICE_TEXT)) count++;
    if (advise_warps(report, &a, text[count], LADDER_ADVICE_TEXT)) count++;
    return count;
}
