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
    kl_json_uint(json, "lanes", sample->lanes);
    kl_json_uint(json, units, sample->units);
    kl_json_uint(json, "least", sample->least);
    kl_json_array(json, "addresses");
    for (uint32_t lane = 0; lane < SIM_MAP_LANES; lane++)
        if (sample->lanes >> lane & 1) kl_json_uint(json, NULL, sample->addresses[lane]);
        else kl_json_string(json, NULL, NULL);
    kl_json_end(json);
    kl_json_end(json);
}

static void write_access(kl_json *json, const sim_launch_report *report, const sim_access_map *a) {
    const char *units = sim_map_is_shared(a->kind) ? "wavefronts" : "sectors";
    kl_json_object(json, NULL);
    kl_json_string(json, "file", file_of(report, a->file, a->line));
    kl_json_uint(json, "line", a->line);
    kl_json_uint(json, "order", a->order);
    kl_json_string(json, "access", sim_map_kind_name(a->kind));
    kl_json_string(json, "counter", sim_counter_name(sim_map_units(a->kind)));
    kl_json_uint(json, "bytes", a->bytes);
    kl_json_uint(json, "requests", a->requests);
    kl_json_uint(json, units, a->units);
    kl_json_uint(json, "least", a->least);
    write_sample(json, "first", &a->first, units);
    write_sample(json, "worst", &a->worst, units);
    kl_json_end(json);
}

static void write_branch(kl_json *json, const sim_launch_report *report, const sim_branch_map *b) {
    static const char *const sides[] = {NULL, "fall", "jump", "either"};
    kl_json_object(json, NULL);
    kl_json_string(json, "file", file_of(report, b->file, b->line));
    kl_json_uint(json, "line", b->line);
    kl_json_uint(json, "fall_line", b->fall_line);
    kl_json_uint(json, "jump_line", b->jump_line);
    kl_json_bool(json, "meets", b->meets);
    kl_json_uint(json, "meet_line", b->meet_line);
    kl_json_uint(json, "parent", b->parent);
    kl_json_string(json, "side", sides[b->side]);
    kl_json_bool(json, "switch", b->is_switch);
    kl_json_uint(json, "executions", b->executions);
    kl_json_uint(json, "splits", b->splits);
    kl_json_uint(json, "active", b->active);
    kl_json_uint(json, "taken", b->taken);
    write_block(json, b->block, b->warp);
    kl_json_uint(json, "lanes", b->lanes);
    kl_json_uint(json, "jumped", b->jumped);
    kl_json_end(json);
}

static void write_box(kl_json *json, const sim_launch_report *report, const sim_box_map *b) {
    kl_json_object(json, NULL);
    kl_json_string(json, "file", file_of(report, b->file, b->line));
    kl_json_uint(json, "line", b->line);
    kl_json_bool(json, "stores", b->stores);
    kl_json_uint(json, "copies", b->copies);
    kl_json_uint(json, "rows", b->rows);
    kl_json_uint(json, "row_bytes", b->row_bytes);
    kl_json_uint(json, "swizzle", b->swizzle);
    kl_json_uint(json, "offset", b->offset);
    kl_json_end(json);
}

static void write_boxes(kl_json *json, const sim_launch_report *report) {
    const sim_launch_maps *maps = report->maps;
    kl_json_array(json, "boxes");
    for (uint32_t i = 0; i < maps->box_count; i++) write_box(json, report, &maps->boxes[i]);
    kl_json_end(json);
    kl_json_uint(json, "boxes_left_out", maps->boxes_left_out);
}

void ladder_maps_write(kl_json *json, const sim_launch_report *report) {
    const sim_launch_maps *maps = report->maps;
    kl_json_object(json, "maps");
    kl_json_array(json, "accesses");
    for (uint32_t i = 0; i < maps->access_count; i++)
        write_access(json, report, &maps->accesses[i]);
    kl_json_end(json);
    kl_json_uint(json, "accesses_left_out", maps->accesses_left_out);
    kl_json_array(json, "branches");
    for (uint32_t i = 0; i < maps->branch_count; i++)
        write_branch(json, report, &maps->branches[i]);
    kl_json_end(json);
    kl_json_uint(json, "branches_left_out", maps->branches_left_out);
    kl_json_uint(json, "branches_whole", maps->branches_whole);
    if (maps->box_count > 0) write_boxes(json, report);
    kl_json_end(json);
}

// ---- sizes and indices of three dimensions as JSON ----------------------------------------------

void ladder_profile_write_dim(kl_json *json, const char *key, sim_dim3 dim) {
    kl_json_array(json, key);
    kl_json_uint(json, NULL, dim.x);
    kl_json_uint(json, NULL, dim.y);
    kl_json_uint(json, NULL, dim.z);
    kl_json_end(json);
}
