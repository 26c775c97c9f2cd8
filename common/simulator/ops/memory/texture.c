// Textures and surfaces, lane by lane (PTX ISA, "Texture Instructions" and "Surface Instructions"):
// memory/memory.h says what a fetch gives. Here: objects are found and checked, registers read and
// written, requests and sectors counted.
#include "ops/memory/count.h"

// An object as an instruction of a warp uses it.
typedef struct bound_object {
    const sim_texture_desc *texture;
    uint8_t *memory;
} bound_object;

// ---- Objects ------------------------------------------------------------------------------------

// The memory of an object; NULL and a fault when it has been freed since.
static uint8_t *find_memory(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                            const sim_texture_desc *texture) {
    sim_site *site = site_of(warp, instr);
    uint64_t bytes = sim_texture_bytes(texture), address = texture->address;
    bool known = address >= site->base && address < site->end && bytes <= site->end - address;
    if (!known) {
        const sim_grid *grid = warp->block->grid;
        const sim_allocation *found =
            sim_mem_find_from(grid->memory, address, grid->launch->config.device);
        if (!found || bytes > found->bytes - (address - found->base)) {
            sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS, "the memory of the %s object %s",
                           texture->is_surface ? "surface" : "texture",
                           sim_mem_find(grid->memory, address)
                               ? "is another device's, to which the kernel's has no access: an "
                                 "object is made on the device that uses it"
                               : "has been freed");
            return NULL;
        }
        site->base = found->base;
        site->end = found->base + found->bytes;
    }
    return warp->origin + address;
}

static bool find_object(sim_warp *warp, const sim_instr *instr, uint32_t lane, bool surface,
                        bound_object *out) {
    uint64_t handle = SLOT(const uint64_t, instr->src[0])[lane];
    const char *kind = surface ? "surface" : "texture";
    out->texture = sim_texture_find(warp->block->grid->textures, handle);
    if (!out->texture) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS, "there is no %s object 0x%llx", kind,
                       (unsigned long long)handle);
        return false;
    }
    if (out->texture->is_surface != surface) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS, "object 0x%llx is no %s",
                       (unsigned long long)handle, kind);
        return false;
    }
    out->memory = find_memory(warp, instr, lane, out->texture);
    return out->memory;
}

static void read_point(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                       sim_texture_point *out) {
    bool layers = sim_geometry_has_layers((sim_geometry)instr->geometry);
    uint32_t axes = sim_geometry_axes((sim_geometry)instr->geometry);
    memset(out, 0, sizeof *out);
    out->geometry = (sim_geometry)instr->geometry;
    out->is_integer = instr->type2 != PTX_F32;
    if (layers) out->layer = SLOT(const uint32_t, instr->src[1])[lane];
    uint32_t next = SIM_TEXTURE_RESULTS;
    for (uint32_t i = 0; i < axes; i++) {
        bool is_fourth = 1 + layers + i == sizeof instr->src / sizeof *instr->src;
        uint32_t slot = is_fourth ? vector_slot(warp, instr, next++) : instr->src[1 + layers + i];
        out->at[i] = SLOT(const float, slot)[lane];
        out->index[i] = SLOT(const int32_t, slot)[lane];
    }
    out->level = -INFINITY;
    if (instr->op != SIM_OP_TEX || next == instr->vector) return;
    if (instr->level == SIM_LEVEL_GIVEN) {
        uint32_t slot = vector_slot(warp, instr, next);
        out->level = out->is_integer ? (float)SLOT(const int32_t, slot)[lane]
                                     : SLOT(const float, slot)[lane];
        return;
    }
    out->has_gradients = true;
    for (uint32_t i = 0; i < 2 * axes; i++)
        out->gradients[i / axes][i % axes] =
            SLOT(const float, vector_slot(warp, instr, next + i))[lane];
}

// ---- Counting -----------------------------------------------------------------------------------

// A request is a group of neighbouring lanes: four of a fetch, which are the 2 x 2 pixels of a
// graphics program; eight where coordinates need no filter, in linear memory and of surfaces.
enum { LANES_FILTERED = 4, LANES_PLAIN = 8, TOUCHED_MAX = LANES_PLAIN * SIM_TEXTURE_MAX_TEXELS };

typedef struct touched {       // of one instruction; lanes come in ascending order
    uint64_t key[TOUCHED_MAX]; // distinct sectors of the present group
    uint32_t count;
    uint32_t group, requests, sectors; // group: its number + 1; of the groups before it
} touched;

static void enter_group(touched *sectors, uint32_t lane, const sim_texture_desc *texture) {
    bool plain = texture->is_surface || texture->layout == SIM_TEXTURE_BUFFER;
    uint32_t group = 1 + lane / (plain ? LANES_PLAIN : LANES_FILTERED);
    if (group == sectors->group) return;
    sectors->group = group;
    sectors->requests++;
    sectors->sectors += sectors->count;
    sectors->count = 0;
}

// A device keeps arrays in tiles whose sectors are 16 bytes wide and two rows high; memory has
// sectors of 32 bytes in a row.
// Where a card has a texture cache of its own, rows are taken for memory, too: its tiles are not
// known.
static uint64_t sector_key(const sim_texture_desc *texture, uint32_t byte, uint32_t row,
                           uint32_t slice, bool tiled) {
    if (texture->layout != SIM_TEXTURE_ARRAY || !tiled)
        return (texture->address + (uint64_t)slice * texture->slice_bytes +
                (uint64_t)row * texture->row_bytes + byte) /
               SECTOR;
    return (texture->address + (uint64_t)slice * texture->slice_bytes) << 8 ^
           ((uint64_t)(row / 2) << 28 | byte / 16);
}

// `level`: the texture's, of this texel.
static uint64_t address_of_texel(const sim_texture_desc *level, const sim_texture_point *point,
                                 uint32_t texel) {
    return level->address + point->texels[texel].slice * level->slice_bytes +
           point->texels[texel].row * level->row_bytes + point->texels[texel].byte;
}

static void touch(sim_warp *warp, touched *sectors, const sim_texture_desc *texture,
                  const sim_texture_point *point, uint32_t bytes, bool write) {
    const sim_footprint *footprint = warp->record.footprint;
    for (uint32_t i = 0; i < point->texel_count; i++) {
        uint32_t byte = point->texels[i].byte, row = point->texels[i].row;
        const sim_texture_desc level = sim_texture_level(texture, point->texels[i].level);
        uint64_t key = sector_key(&level, byte, row, point->texels[i].slice, !warp->legacy);
        uint64_t first = address_of_texel(&level, point, i);
        uint32_t at = 0;
        while (at < sectors->count && sectors->key[at] != key) at++;
        sectors->key[at] = key;
        sectors->count += at == sectors->count;
        sim_footprint_mark(footprint, write ? footprint->written : footprint->read, first,
                           first + bytes - 1);
        if (write && footprint->writers)
            sim_writers_note(footprint->writers, first, bytes, footprint->writers->kernel);
    }
}

// Tells the observer of the texels of one lane.
static void observe(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                    const sim_texture_desc *texture, const sim_texture_point *point, uint32_t bytes,
                    sim_access_kind kind) {
    uint64_t addresses[SIM_WARP_LANES] = {0};
    for (uint32_t i = 0; i < point->texel_count; i++) {
        const sim_texture_desc level = sim_texture_level(texture, point->texels[i].level);
        addresses[lane] = address_of_texel(&level, point, i);
        sim_observe_access(warp, instr, lane_bit[lane], PTX_SPACE_GLOBAL, bytes, kind, addresses);
    }
}

// For the replay of a texture cache, or for the warp's trace: the first texel of each lane.
static void record_texels(sim_warp *warp, const sim_instr *instr,
                          const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes,
                          uint32_t bytes) {
    if (!lanes) return;
    if (!warp->legacy) {
        sim_record_texels(&warp->record, instr, addresses, lanes, bytes);
        return;
    }
    warp->record.requests++;
    record_lanes(warp, instr, addresses, lanes, bytes, SIM_TRACE_TEXTURE);
}

static void count_touched(sim_warp *warp, const sim_instr *instr, const touched *sectors) {
    if (!warp->counting) return;
    sim_raw_counts *counts = counts_of(warp, instr);
    counts->requests += sectors->requests;
    counts->sectors += sectors->sectors + sectors->count;
}

// ---- Handlers -----------------------------------------------------------------------------------

HANDLER(fetch) {
    uint32_t results[SIM_WARP_LANES][4];
    touched sectors = {.group = 0};
    uint64_t addresses[SIM_WARP_LANES];
    uint32_t fetching = 0, texel_bytes = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bound_object object;
        sim_texture_point point;
        if (!find_object(warp, instr, lane, false, &object)) return;
        read_point(warp, instr, lane, &point);
        enter_group(&sectors, lane, object.texture);
        if (instr->op == SIM_OP_TLD4)
            sim_texture_gather(object.texture, object.memory, &point, instr->variant,
                               results[lane]);
        else sim_texture_fetch(object.texture, object.memory, &point, results[lane]);
        if (warp->counting)
            touch(warp, &sectors, object.texture, &point, sim_texel_bytes(object.texture), false);
        if ((warp->legacy || warp->record.trace) && point.texel_count) {
            const sim_texture_desc level = sim_texture_level(object.texture, point.texels[0].level);
            addresses[lane] = address_of_texel(&level, &point, 0);
            fetching |= lane_bit[lane];
            texel_bytes = sim_texel_bytes(object.texture);
        }
        if (warp->observing)
            observe(warp, instr, lane, object.texture, &point, sim_texel_bytes(object.texture),
                    SIM_ACCESS_READ);
    }
    record_texels(warp, instr, addresses, fetching, texel_bytes);
    for (uint32_t part = 0; part < 4; part++) {
        uint32_t slot = vector_slot(warp, instr, part);
        if (slot == SIM_NO_SLOT) continue;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            SLOT(uint32_t, slot)[lane] = results[lane][part];
        }
    }
    write_predicate(warp, instr->dst2, lanes, lanes);
    count_touched(warp, instr, &sectors);
}

static void fault_surface(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                          const bound_object *object, const sim_texture_point *point,
                          uint32_t bytes) {
    bool misaligned = point->texel_count && point->texels[0].byte % bytes;
    sim_fault_text(warp, instr, lane, misaligned ? SIM_MISALIGNED_ADDRESS : SIM_ILLEGAL_ADDRESS,
                   "%u bytes at byte %d of row %d of a surface of %u x %u texels of %u bytes "
                   "(x of surface functions counts bytes)",
                   bytes, point->index[0], point->index[1], object->texture->width,
                   object->texture->height ? object->texture->height : 1,
                   sim_texel_bytes(object->texture));
}

// Place of a lane's access in host memory, NULL where there is none. False: the kernel has faulted.
static bool find_place(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint32_t bytes,
                       touched *sectors, bound_object *object, uint8_t **out_place) {
    sim_texture_point point;
    *out_place = NULL;
    if (!find_object(warp, instr, lane, true, object)) return false;
    read_point(warp, instr, lane, &point);
    enter_group(sectors, lane, object->texture);
    if (has(instr, SIM_MOD_FORMATTED)) { // texels instead of bytes
        int64_t at = (int64_t)point.index[0] * sim_texel_bytes(object->texture);
        point.index[0] = at > INT32_MAX ? INT32_MAX : at < INT32_MIN ? INT32_MIN : (int32_t)at;
    }
    uint64_t place =
        sim_surface_place(object->texture, (sim_surface_clamp)instr->variant, &point, bytes);
    if (place == SIM_OUTSIDE && instr->variant != SIM_SURFACE_TRAP) return true;
    if (place == SIM_OUTSIDE || point.texels[0].byte % bytes != 0) {
        fault_surface(warp, instr, lane, object, &point, bytes);
        return false;
    }
    if (warp->counting)
        touch(warp, sectors, object->texture, &point, bytes, instr->op != SIM_OP_SULD);
    if (warp->observing)
        observe(warp, instr, lane, object->texture, &point, bytes,
                instr->op == SIM_OP_SULD   ? SIM_ACCESS_READ
                : instr->op == SIM_OP_SUST ? SIM_ACCESS_WRITE
                                           : SIM_ACCESS_ATOMIC);
    *out_place = object->memory + place;
    return true;
}

static void copy_part(sim_warp *warp, uint32_t slot, uint32_t lane, uint8_t *bytes, uint32_t count,
                      bool to_register) {
    if (slot == SIM_NO_SLOT) return;
    void *cell =
        count == 8 ? (void *)(SLOT(uint64_t, slot) + lane) : (void *)(SLOT(uint32_t, slot) + lane);
    if (!to_register) {
        memcpy(bytes, cell, count);
        return;
    }
    if (count < 4) memset(cell, 0, 4);
    memcpy(cell, bytes, count);
}

HANDLER(surface_load) {
    uint32_t element = ptx_type_bytes((ptx_type)instr->type), bytes = element * instr->vector;
    uint8_t texels[SIM_WARP_LANES][16];
    touched sectors = {.group = 0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bound_object object;
        uint8_t *place;
        if (!find_place(warp, instr, lane, bytes, &sectors, &object, &place)) return;
        memset(texels[lane], 0, sizeof texels[lane]);
        if (place) memcpy(texels[lane], place, bytes);
    }
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        for (uint32_t part = 0; part < instr->vector; part++)
            copy_part(warp, vector_slot(warp, instr, part), lane, texels[lane] + part * element,
                      element, true);
    }
    count_touched(warp, instr, &sectors);
}

HANDLER(surface_store) {
    uint32_t element = ptx_type_bytes((ptx_type)instr->type);
    touched sectors = {.group = 0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), bytes = element * instr->vector;
        uint32_t values[4] = {0};
        bound_object object;
        uint8_t *place, texel[16] = {0};
        for (uint32_t part = 0; part < instr->vector; part++)
            copy_part(warp, vector_slot(warp, instr, part), lane, texel + part * element, element,
                      false);
        if (has(instr, SIM_MOD_FORMATTED)) {
            if (!find_object(warp, instr, lane, true, &object)) return;
            memcpy(values, texel, sizeof values);
            sim_surface_pack(object.texture, values, texel);
            bytes = sim_texel_bytes(object.texture);
        }
        if (!find_place(warp, instr, lane, bytes, &sectors, &object, &place)) return;
        if (place) memcpy(place, texel, bytes);
    }
    sim_note_change(warp);
    count_touched(warp, instr, &sectors);
}

// ---- Reductions on surfaces ---------------------------------------------------------------------

static uint64_t combine(const sim_instr *instr, uint64_t old, uint64_t value) {
    bool less;
    if (instr->type == PTX_S32) less = (int32_t)value < (int32_t)old;
    else if (instr->type == PTX_S64) less = (int64_t)value < (int64_t)old;
    else less = value < old;
    switch (instr->atomic) {
    case SIM_ATOMIC_ADD: return old + value;
    case SIM_ATOMIC_MIN: return less ? value : old;
    case SIM_ATOMIC_MAX: return less ? old : value;
    case SIM_ATOMIC_AND: return old & value;
    default: return old | value;
    }
}

// Other host threads may run blocks that reduce at the same address.
static void reduce32(const sim_instr *instr, uint8_t *place, uint32_t value) {
    uint32_t *cell = (uint32_t *)(void *)place, old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(cell, &old, (uint32_t)combine(instr, old, value), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}
static void reduce64(const sim_instr *instr, uint8_t *place, uint64_t value) {
    uint64_t *cell = (uint64_t *)(void *)place, old = __atomic_load_n(cell, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(cell, &old, combine(instr, old, value), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

HANDLER(surface_reduce) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type), slot = vector_slot(warp, instr, 0);
    touched sectors = {.group = 0};
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bound_object object;
        uint8_t *place;
        if (!find_place(warp, instr, lane, bytes, &sectors, &object, &place)) return;
        if (!place) continue;
        if (bytes == 8) reduce64(instr, place, SLOT(const uint64_t, slot)[lane]);
        else reduce32(instr, place, SLOT(const uint32_t, slot)[lane]);
    }
    sim_note_change(warp);
    count_touched(warp, instr, &sectors);
}

// ---- Questions ----------------------------------------------------------------------------------

static uint32_t answer(const sim_texture_desc *texture, uint8_t query) {
    switch (query) {
    case SIM_QUERY_WIDTH: return texture->width;
    case SIM_QUERY_HEIGHT: return texture->height;
    case SIM_QUERY_DEPTH: return texture->is_layered ? 0 : texture->depth;
    case SIM_QUERY_ARRAY_SIZE: return texture->is_layered ? texture->depth : 0;
    case SIM_QUERY_MIPMAP_LEVELS: return texture->levels > 1 ? texture->levels : 1;
    default: return texture->is_normalized;
    }
}

HANDLER(query) {
    DST(uint32_t);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        bound_object object;
        if (!find_object(warp, instr, lane, instr->op == SIM_OP_SUQ, &object)) return;
        d[lane] = answer(object.texture, instr->variant);
    }
}

HANDLER(is_type) {
    const uint64_t *handles = SLOT(const uint64_t, instr->src[0]);
    uint32_t yes = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const sim_texture_desc *found =
            sim_texture_find(warp->block->grid->textures, handles[lane]);
        bool surface = found && found->is_surface;
        bool is = instr->type == PTX_TEXREF ? found && !surface : surface;
        if (is && instr->type != PTX_SAMPLERREF) yes |= lane_bit[lane];
    }
    write_predicate(warp, instr->dst, lanes, yes);
}

// ---- Binding ------------------------------------------------------------------------------------

BIND(TEX) {
    (void)instr;
    return fetch;
}
BIND(TLD4) {
    (void)instr;
    return fetch;
}
BIND(TXQ) {
    (void)instr;
    return query;
}
BIND(SUQ) { return instr->variant == SIM_QUERY_NORMALIZED ? NULL : query; }
BIND(SULD) { return has(instr, SIM_MOD_FORMATTED) ? NULL : surface_load; }
BIND(SUST) {
    bool words = ptx_type_bytes((ptx_type)instr->type) == 4;
    return has(instr, SIM_MOD_FORMATTED) && !words ? NULL : surface_store;
}
BIND(SURED) {
    (void)instr;
    return surface_reduce;
}
BIND(ISTYPEP) {
    (void)instr;
    return is_type;
}
