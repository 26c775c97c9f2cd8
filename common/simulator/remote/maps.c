// Maps of a launch as bytes (internal.h). Who reads them draws them: lanes, widths, kinds and
// references are checked.
#include "remote/internal.h"

enum { SAMPLE_LEAST = 3 * 4 + 4 + 4 + 2 * 4, MAP_BYTES_MOST = 32 };
enum { BOX_BYTES_MOST = 256 << 10 }; // more than the shared memory of any SM

// Of lanes that are off no address is sent.
#define PUT_ADDRESSES(array)                                                                       \
    EACH_OF(array) if (from->lanes >> i & 1) wire_put_u64(writer, (array)[i]);
#define GET_ADDRESSES(array)                                                                       \
    EACH_OF(array) if (out->lanes >> i & 1)(array)[i] = wire_get_u64(reader);
#define PUT_SAMPLE(value) put_sample(writer, &(value));
#define GET_SAMPLE(value) get_sample(reader, &(value));
#define PUT_KIND(value)   PUT_U8(value)
#define GET_KIND(value)   GET_CHOICE(sim_map_kind, value, SIM_MAP_KIND_COUNT)
#define PUT_SIDE(value)   PUT_U8(value)
#define GET_SIDE(value)   GET_CHOICE(sim_branch_side, value, SIM_SIDE_EITHER + 1)

// clang-format off
#define SAMPLE(F)                                                                                  \
    F(U32S, block) F(U32, warp) F(U32, lanes) F(U32, units) F(U32, least) F(ADDRESSES, addresses)
#define ACCESS(F)                                                                                  \
    F(U32, file) F(U32, line) F(U32, order) F(KIND, kind) F(U32, bytes) F(U32, rounds)             \
    F(BOOL, aggregated) F(U64, requests) F(U64, units) F(U64, least) F(SAMPLE, first)              \
    F(SAMPLE, worst)
#define BRANCH(F)                                                                                  \
    F(U32, file) F(U32, line) F(U32, fall_line) F(U32, jump_line) F(BOOL, meets) F(U32, meet_line) \
    F(U32, parent) F(SIDE, side) F(BOOL, is_switch) F(U64, executions) F(U64, splits)              \
    F(U64, active) F(U64, taken) F(U32S, block) F(U32, warp) F(U32, lanes) F(U32, jumped)
#define BOX(F)                                                                                     \
    F(U32, file) F(U32, line) F(BOOL, stores) F(U64, copies) F(U32, rows) F(U32, row_bytes)        \
    F(U32, swizzle) F(U32, offset)
// clang-format on
PART(sample, sim_access_sample, SAMPLE)
PART(access, sim_access_map, ACCESS)
PART(branch, sim_branch_map, BRANCH)
PART(box, sim_box_map, BOX)

static bool is_sample(const sim_access_sample *s) { return s->lanes != 0 && s->least <= s->units; }

static bool is_access(const sim_access_map *a, uint32_t file_count) {
    bool known_file = a->line == 0 || a->file < file_count;
    bool width = a->bytes > 0 && a->bytes <= MAP_BYTES_MOST && (a->bytes & (a->bytes - 1)) == 0;
    return known_file && width && a->rounds > 0 && a->requests > 0 && a->least <= a->units &&
           is_sample(&a->first) && is_sample(&a->worst);
}

static bool is_branch(const sim_branch_map *b, uint32_t file_count) {
    bool known_file = b->line == 0 || b->file < file_count;
    bool splits = b->splits > 0 && b->splits <= b->executions && b->taken <= b->active;
    return known_file && splits && !(b->jumped & ~b->lanes);
}

static bool is_box(const sim_box_map *b, uint32_t file_count) {
    bool known_file = b->line == 0 || b->file < file_count;
    bool row = b->row_bytes > 0 && b->row_bytes % SIM_TENSOR_PIECE == 0 &&
               (b->swizzle == 0 || b->row_bytes <= b->swizzle);
    bool swizzle = b->swizzle == 0 || b->swizzle == 32 || b->swizzle == 64 || b->swizzle == 128;
    bool place = b->rows > 0 && (uint64_t)b->rows * b->row_bytes <= BOX_BYTES_MOST &&
                 b->offset < BOX_BYTES_MOST && b->offset % SIM_TENSOR_SHARED_ALIGN == 0;
    return known_file && row && swizzle && place && b->copies > 0;
}

void wire_put_maps(wire_writer *writer, const sim_launch_maps *maps) {
    wire_put_u8(writer, maps != NULL);
    if (!maps) return;
    wire_put_u32(writer, maps->accesses_left_out);
    wire_put_u32(writer, maps->branches_left_out);
    wire_put_u32(writer, maps->branches_whole);
    wire_put_u32(writer, maps->boxes_left_out);
    PUT_LIST(put_access, maps->accesses, maps->access_count)
    PUT_LIST(put_branch, maps->branches, maps->branch_count)
    PUT_LIST(put_box, maps->boxes, maps->box_count)
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

// Gets one of the lists of `maps`, whose items `get` gets and `is` checks.
#define GET_MAPS(items, count, most, least, get, is)                                               \
    maps->items = wire_get_list(reader, most, least, sizeof *maps->items, &maps->count);           \
    for (uint32_t i = 0; i < maps->count && !reader->bad; i++) {                                   \
        get(reader, &maps->items[i]);                                                              \
        if (!is(&maps->items[i], file_count)) reader->bad = true;                                  \
    }

sim_launch_maps *wire_get_maps(wire_reader *reader, uint32_t file_count) {
    if (!wire_get_bool(reader)) return NULL;
    sim_launch_maps *maps = calloc(1, sizeof *maps);
    if (!maps) {
        reader->bad = true;
        return NULL;
    }
    maps->accesses_left_out = wire_get_u32(reader);
    maps->branches_left_out = wire_get_u32(reader);
    maps->branches_whole = wire_get_u32(reader);
    maps->boxes_left_out = wire_get_u32(reader);
    GET_MAPS(accesses, access_count, SIM_MAPS_ACCESSES, 2 * SAMPLE_LEAST, get_access, is_access)
    GET_MAPS(branches, branch_count, SIM_MAPS_BRANCHES, 1, get_branch, is_branch)
    GET_MAPS(boxes, box_count, SIM_MAPS_BOXES, 1, get_box, is_box)
    if (!reader->bad && has_circle(maps)) reader->bad = true;
    return maps; // freed with the report also when it is bad
}
