// Surfaces and the table of objects (texture.c): where an access lies, what a formatted store
// writes, which handles are live.
#include "memory/memory.h"
#include "program/fpmath.h"

enum { MAX_OBJECTS = 1 << 20, MAX_SIDE = 1 << 30 };

uint64_t sim_texture_bytes(const sim_texture_desc *texture) {
    if (texture->levels > 1) {
        sim_texture_desc last = sim_texture_level(texture, texture->levels - 1u);
        return last.address - texture->address + sim_texture_bytes(&last);
    }
    uint64_t rows = texture->height ? texture->height : 1;
    uint64_t slices = texture->depth ? texture->depth : 1;
    return (slices - 1) * texture->slice_bytes + (rows - 1) * texture->row_bytes +
           (uint64_t)texture->width * sim_texel_bytes(texture);
}

static bool is_format(const sim_texture_desc *texture) {
    bool bits = texture->channel_bits == 32 || texture->channel_bits == 16 ||
                (texture->channel_bits == 8 && texture->channel_kind != SIM_CHANNEL_FLOAT);
    bool channels = texture->channels == 1 || texture->channels == 2 || texture->channels == 4;
    return bits && channels && texture->channel_kind < SIM_CHANNEL_KIND_COUNT;
}

sim_status sim_texture_check(const sim_texture_desc *texture, kl_error *err) {
    const uint64_t most = UINT64_C(1) << 44; // of rows and slices: their sums cannot overflow
    if (!is_format(texture))
        return sim_fail(err, SIM_INVALID_VALUE, "%u channels of %u bits are no texel format",
                        texture->channels, texture->channel_bits);
    bool sized =
        texture->width <= MAX_SIDE && texture->height <= 1 << 17 && texture->depth <= 1 << 15;
    if (!sized || texture->row_bytes > most || texture->slice_bytes > most)
        return sim_fail(err, SIM_INVALID_VALUE, "a texture of %u x %u x %u texels", texture->width,
                        texture->height, texture->depth);
    if (texture->levels > SIM_TEXTURE_MAX_LEVELS)
        return sim_fail(err, SIM_INVALID_VALUE, "a mipmap of %u levels", texture->levels);
    if (texture->is_cube && (texture->depth == 0 || texture->depth % 6))
        return sim_fail(err, SIM_INVALID_VALUE, "a cube of %u faces", texture->depth);
    bool modes = texture->layout <= SIM_TEXTURE_ARRAY;
    for (int i = 0; i < 3; i++) modes = modes && texture->address_mode[i] < SIM_ADDRESS_MODE_COUNT;
    if (!modes) return sim_fail(err, SIM_INVALID_VALUE, "an address mode that does not exist");
    return SIM_OK;
}

// ---- Surface accesses ---------------------------------------------------------------------------

static int64_t clamp_to(int64_t value, int64_t last) {
    return value < 0 ? 0 : value > last ? last : value;
}

uint64_t sim_surface_place(const sim_texture_desc *surface, sim_surface_clamp clamp,
                           sim_texture_point *point, uint32_t bytes) {
    uint32_t axes = sim_geometry_axes(point->geometry);
    bool layers = sim_geometry_has_layers(point->geometry);
    int64_t row = (int64_t)surface->width * sim_texel_bytes(surface);
    int64_t at[3] = {point->index[0], axes > 1 ? point->index[1] : 0,
                     layers     ? (int64_t)(int32_t)point->layer
                     : axes > 2 ? point->index[2]
                                : 0};
    int64_t last[3] = {row - bytes, surface->height ? (int64_t)surface->height - 1 : 0,
                       surface->depth ? (int64_t)surface->depth - 1 : 0};
    point->texel_count = 0;
    for (int i = 0; i < 3; i++) {
        if (at[i] >= 0 && at[i] <= last[i]) continue;
        if (clamp != SIM_SURFACE_CLAMP || last[i] < 0) return SIM_OUTSIDE;
        at[i] = clamp_to(at[i], last[i]);
    }
    point->texel_count = 1;
    point->texels[0].byte = (uint32_t)at[0];
    point->texels[0].row = (uint32_t)at[1];
    point->texels[0].slice = (uint32_t)at[2];
    point->texels[0].level = 0;
    return (uint64_t)at[2] * surface->slice_bytes + (uint64_t)at[1] * surface->row_bytes +
           (uint64_t)at[0];
}

// Integers that the channel cannot hold become the nearest one that it can.
static uint32_t pack_integer(const sim_texture_desc *surface, uint32_t value) {
    uint32_t bits = surface->channel_bits;
    if (bits == 32) return value;
    if (surface->channel_kind == SIM_CHANNEL_UNSIGNED)
        return value >> bits ? (1u << bits) - 1 : value;
    int32_t most = (1 << (bits - 1)) - 1, number = (int32_t)value;
    return (uint32_t)(number > most ? most : number < -most - 1 ? -most - 1 : number);
}

void sim_surface_pack(const sim_texture_desc *surface, const uint32_t values[4],
                      uint8_t out_texel[16]) {
    uint32_t bytes = surface->channel_bits / 8;
    for (uint32_t c = 0; c < surface->channels; c++) {
        uint32_t value = values[c];
        if (surface->channel_kind != SIM_CHANNEL_FLOAT) {
            value = pack_integer(surface, value);
        } else if (bytes == 2) {
            float number;
            memcpy(&number, &value, sizeof number);
            value = sim_f16_from_float(number);
            // A store cuts off, and so never reaches infinity from below.
            if (fabsf(sim_float_from_f16(value)) > fabsf(number)) value -= 1;
        }
        memcpy(out_texel + c * bytes, &value, bytes);
    }
}

// ---- The table ----------------------------------------------------------------------------------

sim_status sim_texture_add(sim_texture_table *table, const sim_texture_desc *texture,
                           uint64_t *out_handle, kl_error *err) {
    uint32_t at = 0;
    while (at < table->count && table->slots[at].is_live) at++;
    if (at == MAX_OBJECTS)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "more than %d texture objects", MAX_OBJECTS);
    if (!sim_reserve(&table->slots, &table->capacity, at, sizeof *table->slots))
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for texture objects");
    if (at == table->count) table->count++;
    table->slots[at].is_live = true;
    table->slots[at].desc = *texture;
    *out_handle = at + 1;
    return SIM_OK;
}

const sim_texture_desc *sim_texture_find(const sim_texture_table *table, uint64_t handle) {
    if (!table || handle == 0 || handle > table->count) return NULL;
    const struct sim_texture_slot *slot = &table->slots[handle - 1];
    return slot->is_live ? &slot->desc : NULL;
}

sim_status sim_texture_remove(sim_texture_table *table, uint64_t handle, kl_error *err) {
    if (!sim_texture_find(table, handle))
        return sim_fail(err, SIM_INVALID_HANDLE, "no texture or surface object %llu",
                        (unsigned long long)handle);
    table->slots[handle - 1].is_live = false;
    return SIM_OK;
}

void sim_texture_table_free(sim_texture_table *table) {
    free(table->slots);
    *table = (sim_texture_table){0};
}
