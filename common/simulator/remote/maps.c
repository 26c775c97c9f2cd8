// Maps of a launch as bytes (messages.c). Who reads them draws them: lanes, widths, kinds and
// references are checked.
#include <stdlib.h>

#include "device/descriptors.h"
#include "remote/internal.h"

enum { SAMPLE_LEAST = 3 * 4 + 4 + 4 + 2 * 4, BLOCK_PARTS = 3, MAP_BYTES_MOST = 32 };
enum { BOX_BYTES_MOST = 256 << 10 }; // more than the shared memory of any SM

static void put_block(wire_writer *writer, const uint32_t block[BLOCK_PARTS], uint32_t warp) {
    for (int i = 0; i < BLOCK_PARTS; i++) wire_put_u32(writer, block[i]);
    wire_put_u32(writer, warp);
}

static void get_block(wire_reader *reader, uint32_t block[BLOCK_PARTS], uint32_t *warp) {
    for (int i = 0; i < BLOCK_PARTS; i++) block[i] = wire_get_u32(reader);
    *warp = wire_get_u32(reader);
}

// Of lanes that are off no address is sent.
static void put_sample(wire_writer *writer, const sim_access_sample *sample) {
    put_block(writer, sample->block, sample->warp);
    wire_put_u32(writer, sample->lanes);
    wire_put_u32(writer, sample->units);
    wire_put_u32(writer, sample->least);
    for (uint32_t lane = 0; lane < SIM_MAP_LANES; lane++)
        if (sample->lanes >> lane & 1) wire_put_u64(writer, sample->addresses[lane]);
}

static void get_sample(wire_reader *reader, sim_access_sample *out) {
    get_block(reader, out->block, &out->warp);
    out->lanes = wire_get_u32(reader);
    out->units = wire_get_u32(reader);
    out->least = wire_get_u32(reader);
    for (uint32_t lane = 0; lane < SIM_MAP_LANES; lane++)
        if (out->lanes >> lane & 1) out->addresses[lane] = wire_get_u64(reader);
    if (out->lanes == 0 || out->least > out->units) reader->bad = true;
}

static void put_access(wire_writer *writer, const sim_access_map *a) {
    wire_put_u32(writer, a->file);
    wire_put_u32(writer, a->line);
    wire_put_u32(writer, a->order);
    wire_put_u8(writer, (uint8_t)a->kind);
    wire_put_u32(writer, a->bytes);
    wire_put_u32(writer, a->rounds);
    wire_put_u8(writer, a->aggregated);
    wire_put_u64(writer, a->requests);
    wire_put_u64(writer, a->units);
    wire_put_u64(writer, a->least);
    put_sample(writer, &a->first);
    put_sample(writer, &a->worst);
}

static void get_access(wire_reader *reader, uint32_t file_count, sim_access_map *out) {
    out->file = wire_get_u32(reader);
    out->line = wire_get_u32(reader);
    out->order = wire_get_u32(reader);
    uint8_t kind = wire_get_u8(reader);
    if (kind >= SIM_MAP_KIND_COUNT) reader->bad = true;
    out->kind = reader->bad ? SIM_MAP_GLOBAL_LOAD : (sim_map_kind)kind;
    out->bytes = wire_get_u32(reader);
    out->rounds = wire_get_u32(reader);
    out->aggregated = wire_get_bool(reader);
    out->requests = wire_get_u64(reader);
    out->units = wire_get_u64(reader);
    out->least = wire_get_u64(reader);
    get_sample(reader, &out->first);
    get_sample(reader, &out->worst);
    bool known_file = out->line == 0 || out->file < file_count;
    bool width =
        out->bytes > 0 && out->bytes <= MAP_BYTES_MOST && (out->bytes & (out->bytes - 1)) == 0;
    if (!known_file || !width || out->rounds == 0 || out->requests == 0 || out->least > out->units)
        reader->bad = true;
}

static void put_branch(wire_writer *writer, const sim_branch_map *b) {
    wire_put_u32(writer, b->file);
    wire_put_u32(writer, b->line);
    wire_put_u32(writer, b->fall_line);
    wire_put_u32(writer, b->jump_line);
    wire_put_u8(writer, b->meets);
    wire_put_u32(writer, b->meet_line);
    wire_put_u32(writer, b->parent);
    wire_put_u8(writer, (uint8_t)b->side);
    wire_put_u8(writer, b->is_switch);
    wire_put_u64(writer, b->executions);
    wire_put_u64(writer, b->splits);
    wire_put_u64(writer, b->active);
    wire_put_u64(writer, b->taken);
    put_block(writer, b->block, b->warp);
    wire_put_u32(writer, b->lanes);
    wire_put_u32(writer, b->jumped);
}

static void get_branch(wire_reader *reader, uint32_t file_count, sim_branch_map *out) {
    out->file = wire_get_u32(reader);
    out->line = wire_get_u32(reader);
    out->fall_line = wire_get_u32(reader);
    out->jump_line = wire_get_u32(reader);
    out->meets = wire_get_bool(reader);
    out->meet_line = wire_get_u32(reader);
    out->parent = wire_get_u32(reader);
    uint8_t side = wire_get_u8(reader);
    if (side > SIM_SIDE_EITHER) reader->bad = true;
    out->side = reader->bad ? SIM_SIDE_NONE : (sim_branch_side)side;
    out->is_switch = wire_get_bool(reader);
    out->executions = wire_get_u64(reader);
    out->splits = wire_get_u64(reader);
    out->active = wire_get_u64(reader);
    out->taken = wire_get_u64(reader);
    get_block(reader, out->block, &out->warp);
    out->lanes = wire_get_u32(reader);
    out->jumped = wire_get_u32(reader);
    bool known_file = out->line == 0 || out->file < file_count;
    bool splits = out->splits > 0 && out->splits <= out->executions && out->taken <= out->active;
    if (!known_file || !splits || out->jumped & ~out->lanes) reader->bad = true;
}

static void put_box(wire_writer *writer, const sim_box_map *b) {
    wire_put_u32(writer, b->file);
    wire_put_u32(writer, b->line);
    wire_put_u8(writer, b->stores);
    wire_put_u64(writer, b->copies);
    wire_put_u32(writer, b->rows);
    wire_put_u32(writer, b->row_bytes);
    wire_put_u32(writer, b->swizzle);
    wire_put_u32(writer, b->offset);
}

static void get_box(wire_reader *reader, uint32_t file_count, sim_box_map *out) {
    out->file = wire_get_u32(reader);
    out->line = wire_get_u32(reader);
    out->stores = wire_get_bool(reader);
    out->copies = wire_get_u64(reader);
    out->rows = wire_get_u32(reader);
    out->row_bytes = wire_get_u32(reader);
    out->swizzle = wire_get_u32(reader);
    out->offset = wire_get_u32(reader);
    bool known_file = out->line == 0 || out->file < file_count;
    bool row = out->row_bytes > 0 && out->row_bytes % SIM_TENSOR_PIECE == 0 &&
               (out->swizzle == 0 || out->row_bytes <= out->swizzle);
    bool swizzle =
        out->swizzle == 0 || out->swizzle == 32 || out->swizzle == 64 || out->swizzle == 128;
    bool place = out->rows > 0 && (uint64_t)out->rows * out->row_bytes <= BOX_BYTES_MOST &&
                 out->offset < BOX_BYTES_MOST && out->offset % SIM_TENSOR_SHARED_ALIGN == 0;
    if (!known_file || !row || !swizzle || !place || out->copies == 0) reader->bad = true;
}

void wire_put_maps(wire_writer *writer, const sim_launch_maps *maps) {
    wire_put_u8(writer, maps != NULL);
    if (!maps) return;
    wire_put_u32(writer, maps->access_count);
    wire_put_u32(writer, maps->accesses_left_out);
    wire_put_u32(writer, maps->branch_count);
    wire_put_u32(writer, maps->branches_left_out);
    wire_put_u32(writer, maps->branches_whole);
    wire_put_u32(writer, maps->box_count);
    wire_put_u32(writer, maps->boxes_left_out);
    for (uint32_t i = 0; i < maps->access_count; i++) put_access(writer, &maps->accesses[i]);
    for (uint32_t i = 0; i < maps->branch_count; i++) put_branch(writer, &maps->branches[i]);
    for (uint32_t i = 0; i < maps->box_count; i++) put_box(writer, &maps->boxes[i]);
}

// Branches that would be inside each other have no end.
static bool has_circle(const sim_launch_maps *maps) {
    for (uint32_t i = 0; i < maps->branch_count; i++) {
        uint32_t at = i + 1, steps = 0;
        for (; at && steps <= maps->branch_count; steps++) {
            if (at > maps->branch_count) return true;
            at = maps->branches[at - 1].parent;
        }
        if (at) return true;
    }
    return false;
}

sim_launch_maps *wire_get_maps(wire_reader *reader, uint32_t file_count) {
    if (!wire_get_bool(reader)) return NULL;
    sim_launch_maps *maps = calloc(1, sizeof *maps);
    if (!maps) {
        reader->bad = true;
        return NULL;
    }
    uint32_t accesses = wire_get_count(reader, SIM_MAPS_ACCESSES);
    maps->accesses_left_out = wire_get_u32(reader);
    uint32_t branches = wire_get_count(reader, SIM_MAPS_BRANCHES);
    maps->branches_left_out = wire_get_u32(reader);
    maps->branches_whole = wire_get_u32(reader);
    uint32_t boxes = wire_get_count(reader, SIM_MAPS_BOXES);
    maps->boxes_left_out = wire_get_u32(reader);
    if (accesses > (reader->bytes - reader->at) / (2 * SAMPLE_LEAST)) reader->bad = true;
    maps->accesses = reader->bad ? NULL : calloc((size_t)accesses + 1, sizeof *maps->accesses);
    maps->branches = reader->bad ? NULL : calloc((size_t)branches + 1, sizeof *maps->branches);
    maps->boxes = reader->bad ? NULL : calloc((size_t)boxes + 1, sizeof *maps->boxes);
    if (!maps->accesses || !maps->branches || !maps->boxes) reader->bad = true;
    for (; maps->access_count < accesses && !reader->bad; maps->access_count++)
        get_access(reader, file_count, &maps->accesses[maps->access_count]);
    for (; maps->branch_count < branches && !reader->bad; maps->branch_count++)
        get_branch(reader, file_count, &maps->branches[maps->branch_count]);
    for (; maps->box_count < boxes && !reader->bad; maps->box_count++)
        get_box(reader, file_count, &maps->boxes[maps->box_count]);
    if (!reader->bad && has_circle(maps)) reader->bad = true;
    return maps; // freed with the report also when it is bad
}
