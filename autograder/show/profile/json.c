// A profile as JSON, schema ladder.profile/1: see profile.h.
#include "show/profile/internal.h"

// with_zeros: of a launch, whose counters a reader asks for by name.
static void write_counters(kl_json *json, const sim_counters *counters, bool with_zeros) {
    kl_json_object(json, "counters");
    for (int c = 0; c < SIM_COUNTER_COUNT; c++) {
        if (counters->value[c] == 0 && !with_zeros) continue;
        kl_json_uint(json, sim_counter_name((sim_counter)c), counters->value[c]);
    }
    kl_json_end(json);
}

// Blocks per SM that each resource allows.
static void write_limits(kl_json *json, const sim_occupancy *occupancy) {
    kl_json_put(json, "occupancy_limits {warps %u blocks %u registers %u shared_memory %u",
                occupancy->limit_warps, occupancy->limit_blocks, occupancy->limit_registers,
                occupancy->limit_shared);
    if (occupancy->limit_barriers) kl_json_uint(json, "barriers", occupancy->limit_barriers);
    kl_json_end(json);
}

// As Nsight Compute names them; null when nothing was looked up.
static void write_hit_rates(kl_json *json, const sim_counters *counters) {
    kl_json_put(json,
                "hit_rates {l1tex__t_sector_hit_rate.pct %g "
                "lts__t_sector_op_read_hit_rate.pct %g}",
                sim_l1_hit_percent(counters), sim_l2_hit_percent(counters));
}

// A warp is a list phase, cycles, phase, cycles, ..; phases are numbered as their names are listed.
static void write_timeline(kl_json *json, const sim_timeline *t, uint32_t shown) {
    ladder_timeline_view v;
    ladder_timeline_view_make(t, shown, 1, &v);
    kl_json_put(json, "timeline {shown {cycles %u phase_pct [", v.cycles);
    for (int i = 0; i < SIM_PHASE_COUNT; i++) kl_json_number(json, NULL, v.phases[i]);
    kl_json_put(json,
                "] issue_slots_pct %g} cycles %u cut %hhd schedulers %u blocks %u "
                "requests_in_flight %g phases [",
                v.slots, t->cycles, t->cut, t->schedulers, t->blocks, t->in_flight);
    for (int i = 0; i < SIM_PHASE_COUNT; i++)
        kl_json_string(json, NULL, sim_phase_name((sim_warp_phase)i));
    kl_json_put(json, "] warps [");
    for (uint32_t r = 0; r < t->row_count; r++) {
        kl_json_array(json, NULL);
        for (uint32_t i = 0; i < t->rows[r].count; i++)
            kl_json_put(json, "%u %u", t->rows[r].spans[i].phase, t->rows[r].spans[i].cycles);
        kl_json_end(json);
    }
    kl_json_put(json, "]}");
}

// In per cent where Nsight Compute's name says so.
static void write_activity(kl_json *json, const sim_device *device,
                           const sim_launch_report *report) {
    sim_activity a = sim_activity_of(device, report);
    kl_json_put(json,
                "activity {sms %u sms_used %u blocks %lu launch__waves_per_multiprocessor %g "
                "tail_idle %g sm__warps_active.avg.pct_of_peak_sustained_active %g "
                "sm__warps_active.avg.pct_of_peak_sustained_elapsed %g",
                device->sm_count, a.sms_used, a.blocks, a.waves, a.tail_idle, 100.0 * a.achieved,
                100.0 * a.achieved_elapsed);
    uint64_t executed = report->totals.value[SIM_COUNTER_MACHINE_INST];
    if (executed) kl_json_uint(json, "smsp__inst_executed.sum", executed);
    kl_json_put(json, "tensor_and_xu %g tensor_alone %g xu_alone %g}", a.tensor_and_xu,
                a.tensor_alone, a.xu_alone);
}

static void write_advice(kl_json *json, const sim_device *device, const sim_launch_report *report) {
    char text[LADDER_ADVICE_MAX][LADDER_ADVICE_TEXT];
    int count = ladder_profile_advise(report, device, text);
    kl_json_array(json, "advice");
    for (int i = 0; i < count; i++) kl_json_string(json, NULL, text[i]);
    kl_json_end(json);
}

static void write_lacking(kl_json *json, uint32_t lacking) {
    kl_json_array(json, "not_on_this_card");
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++) {
        uint32_t major, minor;
        if (lacking >> i & 1)
            kl_json_string(json, NULL, sim_feature_text((sim_feature)i, &major, &minor));
    }
    kl_json_end(json);
}

static void write_estimates(kl_json *json, const sim_launch_report *report) {
    kl_json_put(json, "time_bound_by %s estimates [", sim_estimate_name(report->estimate));
    for (int e = SIM_ESTIMATE_NONE + 1; e < SIM_ESTIMATE_COUNT; e++) {
        if (report->estimates_us[e] <= 0) continue;
        kl_json_put(json, "{name %s text %s time_us %g}", sim_estimate_name((sim_estimate)e),
                    sim_estimate_text((sim_estimate)e), report->estimates_us[e]);
    }
    kl_json_end(json);
}

static void write_launch(kl_json *json, const ladder_profile *profile,
                         const sim_launch_report *report) {
    char text[512];
    kl_json_put(json, "{kernel %s symbol %s", ladder_demangle(report->kernel, text, sizeof text),
                report->kernel);
    ladder_profile_write_dim(json, "grid", report->config.grid);
    ladder_profile_write_dim(json, "block", report->config.block);
    if (report->config.device) kl_json_uint(json, "device", report->config.device);
    if (report->from_launch) kl_json_uint(json, "from_launch", report->from_launch);
    kl_json_put(json, "registers %u registers_estimated %hhd", report->registers,
                report->registers_estimated);
    if (report->lacking) write_lacking(json, report->lacking);
    kl_json_put(json,
                "static_shared_bytes %u dynamic_shared_bytes %u local_bytes %u "
                "spill_store_bytes %u spill_load_bytes %u",
                report->static_shared_bytes, report->config.dynamic_shared_bytes,
                report->local_bytes, report->spill_store_bytes, report->spill_load_bytes);
    write_activity(json, &profile->device, report);
    kl_json_put(json, "occupancy %g occupancy_limiter %s", report->occupancy.fraction,
                sim_limiter_name(report->occupancy.limiter));
    write_limits(json, &report->occupancy);
    kl_json_put(json, "time_us %g time_kind modelled", report->time_us);
    write_estimates(json, report);
    kl_json_put(json, "bounded_us %g bounds [", report->bounded_us);
    for (int b = 0; b < SIM_TIME_BOUNDS && report->bounds[b].kind != SIM_BOUND_NONE; b++) {
        kl_json_put(json, "{name %s time_us %g}", sim_bound_name(report->bounds[b].kind),
                    report->bounds[b].time_us);
    }
    kl_json_put(json, "] explanation %s", report->explanation);
    bool found = ladder_profile_worst(report, &profile->device, text, sizeof text);
    kl_json_string(json, "worst_line", found ? text : NULL);
    write_advice(json, &profile->device, report);
    kl_json_string(json, "fault", report->fault.kind != SIM_OK ? report->fault.text : NULL);
    write_hit_rates(json, &report->totals);
    write_counters(json, &report->totals, true);
    if (profile->tells_fidelity) ladder_fidelity_write(json, profile, report);
    if (report->timeline) write_timeline(json, report->timeline, profile->timeline_cycles);
    if (report->maps) ladder_maps_write(json, report);
    kl_json_array(json, "lines");
    for (uint32_t i = 0; i < report->line_count; i++) {
        const sim_line_counters *line = &report->lines[i];
        kl_json_put(json, "{file %s line %u",
                    line->file < report->file_count ? report->files[line->file] : NULL, line->line);
        write_counters(json, &line->counters, false);
        kl_json_end(json);
    }
    kl_json_put(json, "]}");
}

kl_status ladder_profile_json(const ladder_profile *profile, FILE *out, kl_error *err) {
    static const char *const modes[] = {"functional", "count", "check"};
    uint64_t instructions = 0;
    double seconds = 0;
    for (uint32_t i = 0; i < profile->count; i++) {
        instructions += profile->launches[i]->totals.value[SIM_COUNTER_INST];
        seconds += profile->launches[i]->host_seconds;
    }
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.profile/1 device %s simulator {mode %s "
                "warp_instructions %lu seconds %g} program {",
                profile->device_name,
                profile->count > 0 ? modes[profile->launches[0]->mode] : "count", instructions,
                seconds);
    for (int i = 0; i < SIM_SPAN_COUNTERS; i++)
        kl_json_number(&json, sim_span_counter_name((sim_span_counter)i), profile->call.value[i]);
    kl_json_put(&json, "} launches [");
    for (uint32_t i = 0; i < profile->count; i++)
        write_launch(&json, profile, profile->launches[i]);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

// ---- maps of accesses, branches and boxes -------------------------------------------------------

static const char *file_of(const sim_launch_report *report, uint32_t file, uint32_t line) {
    return line > 0 && file < report->file_count ? report->files[file] : NULL;
}

static void write_block(kl_json *json, const uint32_t block[3], uint32_t warp) {
    ladder_profile_write_dim(json, "block", (sim_dim3){block[0], block[1], block[2]});
    kl_json_uint(json, "warp", warp);
}

static void write_sample(kl_json *json, const char *key, const sim_access_sample *sample,
                         const char *units) {
    kl_json_object(json, key);
    write_block(json, sample->block, sample->warp);
    kl_json_put(json, "lanes %u %s %u least %u addresses [", sample->lanes, units, sample->units,
                sample->least);
    for (uint32_t lane = 0; lane < SIM_MAP_LANES; lane++)
        if (sample->lanes >> lane & 1) kl_json_uint(json, NULL, sample->addresses[lane]);
        else kl_json_string(json, NULL, NULL);
    kl_json_put(json, "]}");
}

static void write_access(kl_json *json, const sim_launch_report *report, const sim_access_map *a) {
    const char *units = sim_map_is_shared(a->kind) ? "wavefronts" : "sectors";
    kl_json_put(json,
                "{file %s line %u order %u access %s counter %s bytes %u requests %lu %s %lu "
                "least %lu",
                file_of(report, a->file, a->line), a->line, a->order, sim_map_kind_name(a->kind),
                sim_counter_name(sim_map_units(a->kind)), a->bytes, a->requests, units, a->units,
                a->least);
    write_sample(json, "first", &a->first, units);
    write_sample(json, "worst", &a->worst, units);
    kl_json_end(json);
}

static void write_branch(kl_json *json, const sim_launch_report *report, const sim_branch_map *b) {
    static const char *const sides[] = {NULL, "fall", "jump", "either"};
    kl_json_put(json,
                "{file %s line %u fall_line %u jump_line %u meets %hhd meet_line %u "
                "parent %u side %s switch %hhd executions %lu splits %lu active %lu taken %lu",
                file_of(report, b->file, b->line), b->line, b->fall_line, b->jump_line, b->meets,
                b->meet_line, b->parent, sides[b->side], b->is_switch, b->executions, b->splits,
                b->active, b->taken);
    write_block(json, b->block, b->warp);
    kl_json_put(json, "lanes %u jumped %u}", b->lanes, b->jumped);
}

static void write_box(kl_json *json, const sim_launch_report *report, const sim_box_map *b) {
    kl_json_put(json,
                "{file %s line %u stores %hhd copies %lu rows %u row_bytes %u swizzle %u "
                "offset %u}",
                file_of(report, b->file, b->line), b->line, b->stores, b->copies, b->rows,
                b->row_bytes, b->swizzle, b->offset);
}

static void write_boxes(kl_json *json, const sim_launch_report *report) {
    const sim_launch_maps *maps = report->maps;
    kl_json_array(json, "boxes");
    for (uint32_t i = 0; i < maps->box_count; i++) write_box(json, report, &maps->boxes[i]);
    kl_json_put(json, "] boxes_left_out %u", maps->boxes_left_out);
}

void ladder_maps_write(kl_json *json, const sim_launch_report *report) {
    const sim_launch_maps *maps = report->maps;
    kl_json_put(json, "maps {accesses [");
    for (uint32_t i = 0; i < maps->access_count; i++)
        write_access(json, report, &maps->accesses[i]);
    kl_json_put(json, "] accesses_left_out %u branches [", maps->accesses_left_out);
    for (uint32_t i = 0; i < maps->branch_count; i++)
        write_branch(json, report, &maps->branches[i]);
    kl_json_put(json, "] branches_left_out %u branches_whole %u", maps->branches_left_out,
                maps->branches_whole);
    if (maps->box_count > 0) write_boxes(json, report);
    kl_json_end(json);
}

// ---- sizes and indices of three dimensions as JSON ----------------------------------------------

void ladder_profile_write_dim(kl_json *json, const char *key, sim_dim3 dim) {
    kl_json_put(json, "%s [%u %u %u]", key, dim.x, dim.y, dim.z);
}
