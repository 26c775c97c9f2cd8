// The quick path of loads and stores: weak accesses of global, constant and shared memory (or
// generic ones that all point to global memory). Regular warps need two comparisons against the
// allocation that this instruction used last; irregular ones their lowest and highest address.
// Anything else goes to the complete path.
#include "ops/memory/fast.h"
#include "ops/memory/halves.h"
#include "ops/memory/memory.h"

// A generic access is tried as a global one: other windows lie below SIM_GLOBAL_BASE and miss the
// site. A load of constant memory is a global one that is counted differently and told nobody: a
// handler of its own for each type took a quarter of this file's time to compile.
typedef enum quick_space { QUICK_GLOBAL, QUICK_SHARED } quick_space;
ALWAYS_INLINE bool is_constant(const sim_instr *instr) { return instr->space == PTX_SPACE_CONST; }

// Whether the access lies in another allocation than the instruction's last one, which is then
// remembered. What the device's malloc has given out is left to the complete path, and memory that
// may only be read, as several instructions share a site.
static __attribute__((noinline)) bool moves_site(sim_warp *warp, const sim_instr *instr,
                                                 const lane_addresses *a, uint32_t bytes) {
    const sim_memory *memory = warp->block->grid->memory;
    const sim_allocation *found =
        sim_mem_find_from(memory, a->low, warp->block->grid->launch->config.device);
    uint64_t heap_base, heap_end;
    if (!found || !lies_inside(a, found->base, found->base + found->bytes, bytes)) return false;
    sim_mem_heap_range(memory, &heap_base, &heap_end);
    if (found->base == heap_base || found->read_only) return false;
    *site_of(warp, instr) = (sim_site){found->base, found->base + found->bytes, a->low};
    return true;
}

// Checks, counts, tells observers. The host address of address 0 of the space, NULL: take the
// complete path.
// *row: affine, and the lanes that are off may be read as well.
ALWAYS_INLINE uint8_t *access_in(sim_warp *warp, const sim_instr *instr, quick_space space,
                                 uint32_t bytes, bool is_store, bool listed,
                                 const lane_addresses *a, bool *row) {
    if (__builtin_expect((a->set_bits & (bytes - 1)) != 0, 0)) return NULL;
    bool affine = a->pattern == PATTERN_AFFINE, full = a->lanes == SIM_ALL_LANES;
    if (space == QUICK_SHARED) {
        const uint64_t first = warp->shared_first, end = first + warp->shared_bytes;
        if (!lies_inside(a, first, end, bytes)) return NULL;
        if (warp->counting) count_shared(warp, instr, a, bytes);
        if (__builtin_expect(warp->observing, 0))
            sim_observe_quick(warp, instr, a, PTX_SPACE_SHARED, bytes, is_store);
        *row = affine && (full || row_lies_inside(a, first, end, bytes));
        return warp->shared_origin;
    }
    const sim_site *site = site_of(warp, instr);
    if (!lies_inside(a, site->base, site->end, bytes) && !moves_site(warp, instr, a, bytes))
        return NULL;
    if (warp->counting && is_constant(instr)) count_constant(warp, instr, a);
    else if (warp->counting && listed)
        count_global_listed(warp, instr, a, bytes, is_store ? COUNT_WRITE : COUNT_READ);
    else if (warp->counting)
        count_global(warp, instr, a, bytes, is_store ? COUNT_WRITE : COUNT_READ);
    if (__builtin_expect(warp->observing, 0) && !is_constant(instr))
        sim_observe_quick(warp, instr, a, PTX_SPACE_GLOBAL, bytes, is_store);
    *row = affine && (full || row_lies_inside(a, site->base, site->end, bytes));
    return warp->origin;
}

// One function a space, for all types: these are the greater part of what a load or store needs
// that is not two rows, and compiling it once for each of them took half the time of this file.
static __attribute__((noinline)) uint8_t *access_global(sim_warp *warp, const sim_instr *instr,
                                                        uint32_t bytes, bool is_store, bool listed,
                                                        const lane_addresses *a, bool *row) {
    return access_in(warp, instr, QUICK_GLOBAL, bytes, is_store, listed, a, row);
}
static __attribute__((noinline)) uint8_t *access_shared(sim_warp *warp, const sim_instr *instr,
                                                        uint32_t bytes, bool is_store,
                                                        const lane_addresses *a, bool *row) {
    return access_in(warp, instr, QUICK_SHARED, bytes, is_store, false, a, row);
}
ALWAYS_INLINE uint8_t *quick_access(sim_warp *warp, const sim_instr *instr, quick_space space,
                                    uint32_t bytes, bool is_store, bool listed,
                                    const lane_addresses *a, bool *row) {
    if (space == QUICK_SHARED) return access_shared(warp, instr, bytes, is_store, a, row);
    return access_global(warp, instr, bytes, is_store, listed, a, row);
}

// The same checks for two rows. False: not this way.
ALWAYS_INLINE bool halves_are_there(sim_warp *warp, const sim_instr *instr, quick_space space,
                                    const half_rows *rows) {
    if (space == QUICK_SHARED)
        return halves_lie_inside(rows, warp->shared_first, warp->shared_bytes);
    const sim_site *site = site_of(warp, instr);
    return halves_lie_inside(rows, site->base, site->end - site->base);
}

// Not inlined, and of scalars: else every load of global memory set up a frame for it.
static __attribute__((noinline)) void count_constants(sim_warp *warp, const sim_instr *instr,
                                                      uint64_t first, uint64_t second,
                                                      uint32_t stride, uint32_t bytes) {
    count_halves_constant(warp, instr, (half_rows){{first, second}, stride, bytes});
}

ALWAYS_INLINE void count_halves(sim_warp *warp, const sim_instr *instr, quick_space space,
                                bool is_store, half_rows rows) {
    if (space == QUICK_SHARED) count_halves_shared(warp, instr, rows);
    else if (is_store)
        count_halves_written(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
    else if (is_constant(instr))
        count_constants(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
    else if (rows.stride == 0)
        count_places_read(warp, instr, rows.base[0], rows.base[1], rows.bytes);
    else count_halves_read(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
}

// A loop's next load of the instruction is mostly as far from this one as this one from the last:
// brings its lines near, which the host's own prefetching does not do for rows pages apart.
ALWAYS_INLINE void expect_rows(sim_warp *warp, const sim_instr *instr, const half_rows *rows) {
    sim_site *site = site_of(warp, instr);
    uintptr_t next = (uintptr_t)warp->origin + rows->base[0] + (rows->base[0] - site->last);
    __builtin_prefetch((const void *)next); // which may be nowhere
    __builtin_prefetch((const void *)(next + rows->base[1] - rows->base[0]));
    site->last = rows->base[0];
}

// Two rows or places, one a half-warp, of full warps whose registers are regular.
ALWAYS_INLINE half_rows rows_of(const sim_warp *warp, const sim_instr *instr, bool narrow,
                                uint32_t bytes) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]), offset = (uint32_t)instr->offset;
    const uint64_t *wide = SLOT(const uint64_t, instr->src[0]);
    if (narrow) return (half_rows){{at[0] + offset, at[HALF_WARP] + offset}, at[1] - at[0], bytes};
    return (half_rows){
        {wide[0] + (uint64_t)instr->offset, wide[HALF_WARP] + (uint64_t)instr->offset},
        (uint32_t)(wide[1] - wide[0]),
        bytes};
}

// Whether all registers of a full warp are such rows or places, `stride` apart. A constant distance
// is tested fastest.
#define IS_REGULAR(type, address, stride)                                                          \
    ((stride) == 0   ? HALVES_ARE_REGULAR(type, address, 0)                                        \
     : (stride) == 4 ? HALVES_ARE_REGULAR(type, address, 4)                                        \
                     : HALVES_ARE_REGULAR(type, address, stride))
static __attribute__((noinline)) bool are_regular(const sim_warp *warp, const sim_instr *instr,
                                                  bool narrow, uint32_t stride) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]);
    const uint64_t *wide = SLOT(const uint64_t, instr->src[0]);
    return narrow ? IS_REGULAR(uint32_t, at, stride) : IS_REGULAR(uint64_t, wide, stride);
}

// What an observer was told of two rows: nothing, as they are noted, or are not all there.
typedef enum told_rows { TOLD, TOLD_BY_NOTE, TOLD_NOTHING } told_rows;
ALWAYS_INLINE told_rows tell_rows(sim_warp *warp, const sim_instr *instr, quick_space space,
                                  bool is_store, bool narrow, uint32_t bytes) {
    half_rows rows = rows_of(warp, instr, narrow, bytes);
    const uint64_t first = space == QUICK_SHARED ? warp->shared_first : 0;
    const uint64_t base[2] = {rows.base[0] - first, rows.base[1] - first};
    if (space == QUICK_SHARED && bytes == SIM_BANK_BYTES && !is_store &&
        note_row(warp, instr, SIM_ALL_LANES, (uint32_t)base[0], (uint32_t)base[1], rows.stride))
        return TOLD_BY_NOTE;
    if (!halves_are_there(warp, instr, space, &rows)) return TOLD_NOTHING;
    const sim_access_rows told = {{base[0], base[1]},
                                  rows.stride,
                                  SIM_ALL_LANES,
                                  bytes,
                                  space == QUICK_SHARED ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL,
                                  is_store};
    if (!is_constant(instr)) sim_observe_rows(warp, instr, &told);
    return TOLD;
}

// What the rarer ways of a handler must know of it. Accesses of one register of four or eight bytes
// have these ways for themselves, all others share them: compiled for each they took a third of
// this file's time.
#define IS_PLAIN(memory_type, slot_type, count)                                                    \
    ((count) == 1 && sizeof(memory_type) >= 4 && sizeof(memory_type) == sizeof(slot_type))
typedef struct quick_kind {
    sim_exec_fn whole, any;
    void (*noted)(sim_warp *warp, const sim_instr *instr, half_rows rows); // NULL: none is noted
    // One part of a vector; `slot`: its registers.
    union {
        void (*in)(void *slot, const uint8_t *host, const lane_addresses *a, uint32_t lanes,
                   bool row, int64_t step);
        void (*out)(const void *slot, uint8_t *host, const lane_addresses *a, uint32_t lanes);
    } move;
    uint32_t bytes, part_bytes, parts; // bytes: of a lane
    quick_space where;
    bool narrow, stores, listed, is_word; // is_word: parts and registers of four bytes
} quick_kind;

ALWAYS_INLINE void observed_in(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                               const quick_kind *kind) {
    told_rows told = tell_rows(warp, instr, kind->where, kind->stores, kind->narrow, kind->bytes);
    if (told == TOLD) {
        uint32_t *known = &warp->regular[instr->shape % SIM_REGULAR_BASES], before = *known;
        *known = instr->shape;
        kind->whole(warp, instr, lanes);
        *known = before;
    } else if (told == TOLD_NOTHING) {
        kind->any(warp, instr, lanes);
    } else {
        kind->noted(warp, instr, rows_of(warp, instr, kind->narrow, kind->bytes));
    }
}

static __attribute__((noinline)) void observed(sim_warp *warp, const sim_instr *instr,
                                               uint32_t lanes, const quick_kind *kind) {
    observed_in(warp, instr, lanes, kind);
}

// Registers that are not known to be regular are looked at here, which goes back when they are.
// Under an observer it passes every access on to the function above, for which they count as known
// while it goes back; `own`: where a handler has that for itself.
ALWAYS_INLINE void unknown_in(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                              const quick_kind *kind, sim_exec_fn own) {
    const uint32_t *at = SLOT(const uint32_t, instr->src[0]);
    const uint64_t *wide = SLOT(const uint64_t, instr->src[0]);
    const uint64_t stride = kind->narrow ? at[1] - at[0] : wide[1] - wide[0];
    if (lanes != SIM_ALL_LANES || warp->legacy || (stride != 0 && stride != kind->bytes) ||
        (!was_found_regular(warp, instr->shape) &&
         !are_regular(warp, instr, kind->narrow, (uint32_t)stride))) {
        kind->any(warp, instr, lanes);
        return;
    }
    note_regular(warp, instr->shape);
    if (!warp->observing) kind->whole(warp, instr, lanes);
    else if (own) own(warp, instr, lanes);
    else observed(warp, instr, lanes, kind);
}
static __attribute__((noinline)) void unknown(sim_warp *warp, const sim_instr *instr,
                                              uint32_t lanes, const quick_kind *kind) {
    unknown_in(warp, instr, lanes, kind, NULL);
}

// Calls name##_halves with a constant stride when the warp is full and each half has one place or
// neighbouring ones, and name##_any in all other cases. Last the rest of its quick_kind.
#define DISPATCH_HALVES(name, address_type, unit, space, is_store, is_plain, ...)                  \
    SOME_LANES(name, is_store)                                                                     \
    HANDLER(name);                                                                                 \
    static const quick_kind name##_kind = {                                                        \
        __VA_ARGS__,         .whole = name,    .any = name##_any,                                  \
        .bytes = (unit),     .where = (space), .narrow = sizeof(address_type) == 4,                \
        .stores = (is_store)};                                                                     \
    static __attribute__((noinline)) void name##_observed(sim_warp *warp, const sim_instr *instr,  \
                                                          uint32_t lanes) {                        \
        observed_in(warp, instr, lanes, &name##_kind);                                             \
    }                                                                                              \
    static __attribute__((noinline)) void name##_unknown(sim_warp *warp, const sim_instr *instr,   \
                                                         uint32_t lanes) {                         \
        if (is_plain) unknown_in(warp, instr, lanes, &name##_kind, name##_observed);               \
        else unknown(warp, instr, lanes, &name##_kind);                                            \
    }                                                                                              \
    HANDLER(name) {                                                                                \
        if ((space) == QUICK_SHARED && (unit) == SIM_BANK_BYTES && lanes != SIM_ALL_LANES) {       \
            name##_some(warp, instr, lanes);                                                       \
            return;                                                                                \
        }                                                                                          \
        if (lanes != SIM_ALL_LANES || !is_known_regular(warp, instr->shape)) {                     \
            name##_unknown(warp, instr, lanes);                                                    \
            return;                                                                                \
        }                                                                                          \
        const address_type *at = SLOT(const address_type, instr->src[0]);                          \
        const address_type offset = (address_type)instr->offset, stride = at[1] - at[0];           \
        half_rows rows = {                                                                         \
            {(address_type)(at[0] + offset), (address_type)(at[HALF_WARP] + offset)}, 0, (unit)};  \
        if (stride == 0) {                                                                         \
            name##_halves(warp, instr, rows);                                                      \
        } else if (stride == (unit)) {                                                             \
            rows.stride = (unit);                                                                  \
            name##_halves(warp, instr, rows);                                                      \
        } else {                                                                                   \
            name##_any(warp, instr, lanes);                                                        \
        }                                                                                          \
    }
#define EACH_OF_HALF                                                                               \
    _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (int i = 0; i < HALF_WARP; i++)

// move_in: d[i] = element of lane i at `host`, which points at this part of the vector. `step`:
// bytes between the elements of neighbouring lanes of a contiguous access.
#define DEFINE_HALVES(memory_type, slot_type)                                                      \
    ALWAYS_INLINE void move_halves_##memory_type##_##slot_type(slot_type *d, const uint8_t *host,  \
                                                               const lane_addresses *a) {          \
        for (int half = 0; half < 2; half++, d += HALF_WARP) {                                     \
            const uint8_t *from = host + a->base[half];                                            \
            if (a->stride == 0) {                                                                  \
                const slot_type value = (slot_type) * (const memory_type *)from;                   \
                for (int i = 0; i < HALF_WARP; i++) d[i] = value;                                  \
            } else if (a->stride == (int64_t)sizeof(memory_type) &&                                \
                       sizeof(memory_type) == sizeof(slot_type)) {                                 \
                memcpy(d, from, HALF_WARP * sizeof *d);                                            \
            } else {                                                                               \
                for (int i = 0; i < HALF_WARP; i++)                                                \
                    d[i] = (slot_type) * (const memory_type *)(from + i * a->stride);              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static __attribute__((noinline)) void move_in_##memory_type##_##slot_type(                     \
        void *slot, const uint8_t *host, const lane_addresses *a, uint32_t lanes, bool row,        \
        int64_t step) {                                                                            \
        slot_type *d = slot;                                                                       \
        const uint8_t *from = host + a->base[0];                                                   \
        const int64_t stride = a->stride;                                                          \
        if (a->pattern == PATTERN_UNIFORM) {                                                       \
            const slot_type same = (slot_type) * (const memory_type *)from;                        \
            LANES(slot_type, d, same);                                                             \
        } else if (row && stride == step && step == sizeof(memory_type)) {                         \
            LANES(slot_type, d, *(const memory_type *)(from + i * sizeof(memory_type)));           \
        } else if (a->pattern != PATTERN_ANY && lanes == SIM_ALL_LANES) {                          \
            move_halves_##memory_type##_##slot_type(d, host, a);                                   \
        } else if (a->pattern == PATTERN_AFFINE) {                                                 \
            LANES_SCALAR(slot_type, d, *(const memory_type *)(from + i * stride));                 \
        } else if (a->pattern == PATTERN_HALVES) {                                                 \
            LANES_SCALAR(slot_type, d, *(const memory_type *)(host + address_of(a, (uint32_t)i))); \
        } else {                                                                                   \
            LANES_SCALAR(slot_type, d, *(const memory_type *)(host + a->lane[i]));                 \
        }                                                                                          \
    }
DEFINE_HALVES(uint8_t, uint32_t)
DEFINE_HALVES(int8_t, uint32_t)
DEFINE_HALVES(uint16_t, uint32_t)
DEFINE_HALVES(int16_t, uint32_t)
DEFINE_HALVES(uint32_t, uint32_t)
DEFINE_HALVES(uint32_t, uint64_t)
DEFINE_HALVES(int32_t, uint64_t)
DEFINE_HALVES(uint64_t, uint64_t)

// One part of a load of half_rows; `stride` is a constant.
#define MOVE_HALVES_IN(memory_type, d, host, rows, step)                                           \
    for (int half = 0; half < 2; half++, d += HALF_WARP) {                                         \
        const uint8_t *from = (host) + (rows).base[half];                                          \
        if ((step) == 0) {                                                                         \
            const memory_type same = *(const memory_type *)from;                                   \
            EACH_OF_HALF d[i] = same;                                                              \
        } else {                                                                                   \
            EACH_OF_HALF d[i] = *(const memory_type *)(from + i * (step));                         \
        }                                                                                          \
    }

// Vectors of bytes: the model of time has their lines as the lanes list them, with wavefronts by
// banks. Of other regular accesses it has wavefronts by their span, which are more at odd strides,
// and one for two rows, which may share banks.
#define LISTED(memory_type, count) (sizeof(memory_type) == 1 && (count) > 1)

ALWAYS_INLINE void load_any_in(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                               quick_space space, const quick_kind *kind) {
    lane_addresses a;
    bool row;
    const bool shared = space == QUICK_SHARED;
    if (shared && kind->is_word && lanes == SIM_ALL_LANES && !warp->observing && !warp->legacy) {
        uint32_t place[SIM_WARP_LANES];
        if (find_words(warp, instr, kind->bytes, place)) {
            move_words(warp, instr, place, kind->parts);
            return;
        }
    }
    find_addresses(warp, instr, lanes, shared, kind->bytes, &a);
    if (!shared && kind->is_word && kind->parts == 1 && is_far(warp, &a) && !is_constant(instr)) {
        const uint32_t *words = far_words(warp, instr, &a, site_of(warp, instr));
        if (words) {
            memcpy(SLOT(uint32_t, instr->dst), words, sizeof(uint32_t) * SIM_WARP_LANES);
            return;
        }
    }
    const uint8_t *host =
        quick_access(warp, instr, space, kind->bytes, false, kind->listed, &a, &row);
    if (!host) {
        SIM_VARIANT(sim_load_any)(warp, instr, lanes);
        return;
    }
    for (uint32_t part = 0; part < kind->parts; part++, host += kind->part_bytes) {
        uint32_t slot = kind->parts == 1 ? instr->dst : vector_slot(warp, instr, part);
        if (slot == SIM_NO_SLOT && kind->parts > 1) continue;
        kind->move.in(SLOT(uint8_t, slot), host, &a, lanes, row, kind->bytes);
    }
}

ALWAYS_INLINE void store_any_in(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                                quick_space space, const quick_kind *kind) {
    lane_addresses a;
    bool row;
    find_addresses(warp, instr, lanes, space == QUICK_SHARED, kind->bytes, &a);
    uint8_t *host = quick_access(warp, instr, space, kind->bytes, true, false, &a, &row);
    if (!host) {
        SIM_VARIANT(sim_store_any)(warp, instr, lanes);
        return;
    }
    const bool tracked = kind->bytes <= 8 && kind->parts == 1 && !(lanes & (lanes - 1));
    uint8_t *place = tracked ? host + address_of(&a, (uint32_t)__builtin_ctz(lanes)) : NULL;
    uint64_t old = 0;
    if (tracked) memcpy(&old, place, kind->bytes);
    for (uint32_t part = 0; part < kind->parts; part++, host += kind->part_bytes) {
        uint32_t slot = kind->parts == 1 ? instr->src[1] : vector_slot(warp, instr, part);
        kind->move.out(SLOT(const uint8_t, slot), host, &a, lanes);
    }
    if (tracked) sim_note_tracked(warp, sim_change_digest(place, &old, place, kind->bytes));
    else sim_note_change(warp);
}

// One function a space.
#define ANY_IN(kind_of, space)                                                                     \
    static __attribute__((noinline)) void kind_of##_any_##space(                                   \
        sim_warp *warp, const sim_instr *instr, uint32_t lanes, const quick_kind *kind) {          \
        kind_of##_any_in(warp, instr, lanes, space, kind);                                         \
    }
ANY_IN(load, QUICK_GLOBAL)
ANY_IN(load, QUICK_SHARED)
ANY_IN(store, QUICK_GLOBAL)
ANY_IN(store, QUICK_SHARED)
#define ANY(name, kind_of, space, is_plain)                                                        \
    static const quick_kind name##_kind;                                                           \
    static __attribute__((noinline)) void name##_any(sim_warp *warp, const sim_instr *instr,       \
                                                     uint32_t lanes) {                             \
        if (is_plain) kind_of##_any_in(warp, instr, lanes, space, &name##_kind);                   \
        else kind_of##_any_##space(warp, instr, lanes, &name##_kind);                              \
    }

// Full warps of two rows or two places first; everything else by a function of its own, which keeps
// the common one small.
#define LOAD(name, memory_type, slot_type, count, space, address_type)                             \
    ANY(name, load, space, IS_PLAIN(memory_type, slot_type, count) || LISTED(memory_type, count))  \
    ALWAYS_INLINE void name##_move(sim_warp *warp, const sim_instr *instr, half_rows rows,         \
                                   uint32_t stride) {                                              \
        const uint8_t *host = (space) == QUICK_SHARED ? warp->shared_origin : warp->origin;        \
        for (uint32_t part = 0; part < (count); part++, host += sizeof(memory_type)) {             \
            uint32_t slot = (count) == 1 ? instr->dst : vector_slot(warp, instr, part);            \
            if ((count) > 1 && slot == SIM_NO_SLOT) continue;                                      \
            slot_type *d = SLOT(slot_type, slot);                                                  \
            MOVE_HALVES_IN(memory_type, d, host, rows, stride)                                     \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE void name##_halves(sim_warp *warp, const sim_instr *instr, half_rows rows) {     \
        if (((space) == QUICK_GLOBAL && LISTED(memory_type, count)) ||                             \
            !halves_are_there(warp, instr, space, &rows)) {                                        \
            name##_any(warp, instr, SIM_ALL_LANES);                                                \
            return;                                                                                \
        }                                                                                          \
        if ((space) == QUICK_GLOBAL && rows.stride) expect_rows(warp, instr, &rows);               \
        name##_move(warp, instr, rows, rows.stride);                                               \
        if (warp->counting) count_halves(warp, instr, space, false, rows);                         \
    }                                                                                              \
    ALWAYS_INLINE void name##_row(sim_warp *warp, const sim_instr *instr, uint32_t lanes,          \
                                  uint32_t first) {                                                \
        const memory_type *from = (const memory_type *)(warp->shared + first);                     \
        for (uint32_t part = 0; part < (count); part++, from++) {                                  \
            uint32_t slot = (count) == 1 ? instr->dst : vector_slot(warp, instr, part);            \
            if ((count) > 1 && slot == SIM_NO_SLOT) continue;                                      \
            slot_type *d = SLOT(slot_type, slot);                                                  \
            LANES(slot_type, d, from[i * (count)]);                                                \
        }                                                                                          \
    }                                                                                              \
    static inline void name##_noted(sim_warp *warp, const sim_instr *instr, half_rows rows) {      \
        if (rows.stride == 0) name##_move(warp, instr, rows, 0);                                   \
        else name##_move(warp, instr, rows, sizeof(memory_type) * (count));                        \
    }                                                                                              \
    DISPATCH_HALVES(                                                                               \
        name, address_type, sizeof(memory_type) * (count), space, false,                           \
        IS_PLAIN(memory_type, slot_type, count),                                                   \
        .noted = (space) == QUICK_SHARED && sizeof(memory_type) * (count) == SIM_BANK_BYTES        \
                     ? name##_noted                                                                \
                     : NULL,                                                                       \
        .move.in = move_in_##memory_type##_##slot_type, .part_bytes = sizeof(memory_type),         \
        .parts = (count), .listed = LISTED(memory_type, count),                                    \
        .is_word = sizeof(memory_type) == 4 && sizeof(slot_type) == 4)

// Lanes store in ascending order, so that of several to one place the last stays.
#define DEFINE_MOVE_OUT(memory_type, slot_type)                                                    \
    static void move_out_##memory_type##_##slot_type(const void *slot, uint8_t *host,              \
                                                     const lane_addresses *a, uint32_t lanes) {    \
        const slot_type *s = slot;                                                                 \
        uint8_t *to = host + a->base[0];                                                           \
        const int64_t stride = a->stride;                                                          \
        const bool affine = a->pattern <= PATTERN_AFFINE;                                          \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            uint32_t i = (uint32_t)__builtin_ctz(rest);                                            \
            uint8_t *place = affine ? to + i * stride : host + address_of(a, i);                   \
            *(memory_type *)place = (memory_type)s[i];                                             \
        }                                                                                          \
    }
DEFINE_MOVE_OUT(uint8_t, uint32_t)
DEFINE_MOVE_OUT(uint16_t, uint32_t)
DEFINE_MOVE_OUT(uint32_t, uint32_t)
DEFINE_MOVE_OUT(uint64_t, uint64_t)
#define MOVE_HALVES_OUT(memory_type, s, host, rows, step)                                          \
    for (int half = 0; half < 2; half++, s += HALF_WARP) {                                         \
        uint8_t *to = (host) + (rows).base[half];                                                  \
        if ((step) == 0) *(memory_type *)to = (memory_type)s[HALF_WARP - 1];                       \
        else EACH_OF_HALF *(memory_type *)(to + i * (step)) = (memory_type)s[i];                   \
    }

#define STORE(name, memory_type, slot_type, count, space, address_type)                            \
    ANY(name, store, space, IS_PLAIN(memory_type, slot_type, count))                               \
    ALWAYS_INLINE void name##_move(sim_warp *warp, const sim_instr *instr, half_rows rows,         \
                                   uint32_t stride) {                                              \
        uint8_t *host = (space) == QUICK_SHARED ? warp->shared_origin : warp->origin;              \
        sim_note_change(warp);                                                                     \
        for (uint32_t part = 0; part < (count); part++, host += sizeof(memory_type)) {             \
            uint32_t slot = (count) == 1 ? instr->src[1] : vector_slot(warp, instr, part);         \
            const slot_type *s = SLOT(const slot_type, slot);                                      \
            MOVE_HALVES_OUT(memory_type, s, host, rows, stride)                                    \
        }                                                                                          \
    }                                                                                              \
    ALWAYS_INLINE void name##_halves(sim_warp *warp, const sim_instr *instr, half_rows rows) {     \
        if (!halves_are_there(warp, instr, space, &rows)) {                                        \
            name##_any(warp, instr, SIM_ALL_LANES);                                                \
            return;                                                                                \
        }                                                                                          \
        name##_move(warp, instr, rows, rows.stride);                                               \
        if (warp->counting) count_halves(warp, instr, space, true, rows);                          \
    }                                                                                              \
    ALWAYS_INLINE void name##_row(sim_warp *warp, const sim_instr *instr, uint32_t lanes,          \
                                  uint32_t first) {                                                \
        memory_type *to = (memory_type *)(warp->shared + first);                                   \
        const slot_type *s = SLOT(const slot_type, instr->src[1]);                                 \
        sim_note_change(warp);                                                                     \
        LANES(memory_type, to, s[i]);                                                              \
    }                                                                                              \
    DISPATCH_HALVES(name, address_type, sizeof(memory_type) * (count), space, true,                \
                    IS_PLAIN(memory_type, slot_type, count),                                       \
                    .move.out = move_out_##memory_type##_##slot_type,                              \
                    .part_bytes = sizeof(memory_type), .parts = (count))

// Every form for both kinds of address. Shared addresses are mostly 32 bits wide; wide ones
// are not quick.
#define LOADS(name, memory_type, slot_type, count)                                                 \
    LOAD(name##_global, memory_type, slot_type, count, QUICK_GLOBAL, uint64_t)                     \
    LOAD(name##_shared, memory_type, slot_type, count, QUICK_SHARED, uint32_t)
#define STORES(name, memory_type, slot_type, count)                                                \
    STORE(name##_global, memory_type, slot_type, count, QUICK_GLOBAL, uint64_t)                    \
    STORE(name##_shared, memory_type, slot_type, count, QUICK_SHARED, uint32_t)

LOADS(load_u8, uint8_t, uint32_t, 1)
LOADS(load_s8, int8_t, uint32_t, 1)
LOADS(load_u16, uint16_t, uint32_t, 1)
LOADS(load_s16, int16_t, uint32_t, 1)
LOADS(load_32, uint32_t, uint32_t, 1)
LOADS(load_64, uint64_t, uint64_t, 1)
LOADS(load_wide_u32, uint32_t, uint64_t, 1)
LOADS(load_wide_s32, int32_t, uint64_t, 1)
LOADS(load_2x32, uint32_t, uint32_t, 2)
LOADS(load_4x32, uint32_t, uint32_t, 4)
LOADS(load_2x64, uint64_t, uint64_t, 2)
LOADS(load_4xu8, uint8_t, uint32_t, 4)
LOADS(load_4xs8, int8_t, uint32_t, 4)
STORES(store_8, uint8_t, uint32_t, 1)
STORES(store_16, uint16_t, uint32_t, 1)
STORES(store_32, uint32_t, uint32_t, 1)
STORES(store_64, uint64_t, uint64_t, 1)
STORES(store_2x32, uint32_t, uint32_t, 2)
STORES(store_4x32, uint32_t, uint32_t, 4)
STORES(store_2x64, uint64_t, uint64_t, 2)

// Volatile loads of shared memory, as textbook reductions use: other blocks cannot see them, but a
// loop may be waiting for another warp. The address may be in the register that is loaded.
#define LOAD_VOLATILE(name, type)                                                                  \
    HANDLER(name##_shared_volatile) {                                                              \
        uint64_t place = SLOT(const uint32_t, instr->src[0])[__builtin_ctz(lanes)];                \
        name##_shared(warp, instr, lanes);                                                         \
        const type *d = SLOT(const type, instr->dst);                                              \
        type sum = 0;                                                                              \
        EACH_LANE sum += lanes & lane_bit[i] ? d[i] * (type)(2 * i + 1) : 0;                       \
        sim_note_load(warp, instr, place << 32 ^ (uint64_t)lanes << 16 ^ sum);                     \
    }
LOAD_VOLATILE(load_32, uint32_t)
LOAD_VOLATILE(load_64, uint64_t)

// Of global memory, once the block has its place in the order of blocks. Counted as the complete
// path does: lines by lanes, and who waits for whom.
static uint8_t *visible_access(sim_warp *warp, const sim_instr *instr, uint32_t lanes,
                               uint32_t bytes, bool is_store, lane_addresses *a) {
    if (warp->observing || !warp->block->ordered) return NULL;
    find_addresses(warp, instr, lanes, false, bytes, a);
    const sim_site *site = site_of(warp, instr);
    if ((a->set_bits & (bytes - 1)) != 0) return NULL;
    if (!lies_inside(a, site->base, site->end, bytes) && !moves_site(warp, instr, a, bytes))
        return NULL;
    if (warp->counting) {
        count_global_listed(warp, instr, a, bytes, is_store ? COUNT_WRITE : COUNT_READ);
        note_chain(warp, a, is_store);
    }
    return warp->origin;
}

// What polling sees: where the lanes look, for the digest of sim_note_load.
static inline uint64_t digest_of_places(const lane_addresses *a) {
    uint64_t digest = a->lanes;
    if (a->pattern != PATTERN_ANY)
        return digest ^ a->base[0] << 32 ^ a->base[1] * 31 ^ (uint64_t)a->stride << 20;
    EACH_LANE digest += a->lane[i] * (uint64_t)(2 * i + 1);
    return digest;
}

#define VISIBLE(type, bits)                                                                        \
    HANDLER(load_##bits##_global_volatile) {                                                       \
        lane_addresses a;                                                                          \
        const uint8_t *host = visible_access(warp, instr, lanes, sizeof(type), false, &a);         \
        if (!host) {                                                                               \
            SIM_VARIANT(sim_load_any)(warp, instr, lanes);                                         \
            return;                                                                                \
        }                                                                                          \
        type *d = SLOT(type, instr->dst), sum = 0;                                                 \
        move_in_##type##_##type(d, host, &a, lanes, false, sizeof(type));                          \
        EACH_LANE sum += lanes & lane_bit[i] ? d[i] * (type)(2 * i + 1) : 0;                       \
        sim_note_load(warp, instr, digest_of_places(&a) * 31 + sum);                               \
    }                                                                                              \
    HANDLER(store_##bits##_global_volatile) {                                                      \
        lane_addresses a;                                                                          \
        uint8_t *host = visible_access(warp, instr, lanes, sizeof(type), true, &a);                \
        if (!host) {                                                                               \
            SIM_VARIANT(sim_store_any)(warp, instr, lanes);                                        \
            return;                                                                                \
        }                                                                                          \
        const type *s = SLOT(const type, instr->src[1]);                                           \
        uint64_t change = 0;                                                                       \
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {                                      \
            uint32_t i = (uint32_t)__builtin_ctz(rest);                                            \
            type old, now = s[i];                                                                  \
            uint8_t *place = host + address_of(&a, i);                                             \
            memcpy(&old, place, sizeof old);                                                       \
            memcpy(place, &now, sizeof now);                                                       \
            change += sim_change_digest(place, &old, &now, sizeof old);                            \
        }                                                                                          \
        sim_note_tracked(warp, change);                                                            \
    }
VISIBLE(uint32_t, 32)
VISIBLE(uint64_t, 64)

// ---- Binding ----

typedef struct quick_forms {
    sim_exec_fn global, shared;
} quick_forms;
#define FORMS(name)          ((quick_forms){name##_global, name##_shared})
#define VOLATILE_FORMS(name) ((quick_forms){name##_global_volatile, name##_shared_volatile})

// One element of 4 or 8 bytes.
static bool has_plain_register(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    return instr->vector == 1 && (bytes == 4 || bytes == 8);
}

static sim_exec_fn choose(const sim_instr *instr, quick_forms forms) {
    bool narrow = has(instr, SIM_MOD_ADDRESS32);
    switch (instr->space) {
    case PTX_SPACE_SHARED: return narrow ? forms.shared : NULL;
    case PTX_SPACE_GLOBAL:
    case PTX_SPACE_CONST: // loads
    case PTX_SPACE_NONE: return narrow ? NULL : forms.global;
    default: return NULL;
    }
}

static quick_forms load_forms(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    bool is_signed = instr->type >= PTX_S8 && instr->type <= PTX_S64;
    switch (instr->vector * 16 + bytes) { // vector length and element size, read in hexadecimal
    case 0x11: return is_signed ? FORMS(load_s8) : FORMS(load_u8);
    case 0x12: return is_signed ? FORMS(load_s16) : FORMS(load_u16);
    case 0x14:
        if (!has(instr, SIM_MOD_DST64)) return FORMS(load_32);
        return is_signed ? FORMS(load_wide_s32) : FORMS(load_wide_u32);
    case 0x18: return FORMS(load_64);
    case 0x41: return is_signed ? FORMS(load_4xs8) : FORMS(load_4xu8);
    case 0x24: return FORMS(load_2x32);
    case 0x44: return FORMS(load_4x32);
    case 0x28: return FORMS(load_2x64);
    default: return (quick_forms){NULL, NULL};
    }
}

static quick_forms store_forms(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    switch (instr->vector * 16 + bytes) {
    case 0x11: return FORMS(store_8);
    case 0x12: return FORMS(store_16);
    case 0x14: return FORMS(store_32);
    case 0x18: return FORMS(store_64);
    case 0x24: return FORMS(store_2x32);
    case 0x44: return FORMS(store_4x32);
    case 0x28: return FORMS(store_2x64);
    default: return (quick_forms){NULL, NULL};
    }
}

sim_exec_fn SIM_VARIANT(sim_bind_quick_load)(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    bool word = instr->vector == 1 && bytes == 4;
    if (has(instr, SIM_MOD_VOLATILE)) {
        if (!has_plain_register(instr) || has(instr, SIM_MOD_DST64)) return NULL;
        if (instr->dst == SIM_NO_SLOT || is_constant(instr)) return NULL;
        return word ? choose(instr, VOLATILE_FORMS(load_32))
                    : choose(instr, VOLATILE_FORMS(load_64));
    }
    if (has(instr, SIM_MOD_DST64) && !word) return NULL;
    return choose(instr, load_forms(instr));
}

sim_exec_fn SIM_VARIANT(sim_bind_quick_store)(const sim_instr *instr) {
    bool visible = has(instr, SIM_MOD_VOLATILE) && instr->space != PTX_SPACE_SHARED;
    if (has(instr, SIM_MOD_SRC64) || (visible && !has_plain_register(instr))) return NULL;
    if (visible)
        return choose(instr, ptx_type_bytes((ptx_type)instr->type) == 4
                                 ? (quick_forms){store_32_global_volatile, NULL}
                                 : (quick_forms){store_64_global_volatile, NULL});
    return choose(instr, store_forms(instr));
}
