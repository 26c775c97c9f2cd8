// Recorded accesses, branches and boxes of a launch as JSON, a part of ladder.profile/1: see
// profile.h.
#include "show/profile/internal.h"

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
