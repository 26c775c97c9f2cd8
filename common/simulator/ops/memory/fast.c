// The quick path of loads and stores: weak accesses of global, constant and shared memory (or
// generic ones that all point to global memory). Regular warps need two comparisons against the
// allocation that this instruction used last; irregular ones their lowest and highest address.
// Anything else goes to the complete path.
#include "ops/memory/fast.h"
#include "ops/memory/halves.h"
#include "ops/memory/memory.h"
#include "warps/block.h"

// A generic access is tried as a global one: other windows lie below SIM_GLOBAL_BASE and miss the
// site.
typedef enum quick_space { QUICK_GLOBAL, QUICK_CONST, QUICK_SHARED } quick_space;

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
    if (warp->counting && space == QUICK_GLOBAL && listed)
        count_global_listed(warp, instr, a, bytes, is_store ? COUNT_WRITE : COUNT_READ);
    else if (warp->counting && space == QUICK_GLOBAL)
        count_global(warp, instr, a, bytes, is_store ? COUNT_WRITE : COUNT_READ);
    if (warp->counting && space == QUICK_CONST) count_constant(warp, instr, a);
    if (__builtin_expect(warp->observing, 0) && space == QUICK_GLOBAL)
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
static __attribute__((noinline)) uint8_t *access_const(sim_warp *warp, const sim_instr *instr,
                                                       uint32_t bytes, const lane_addresses *a,
                                                       bool *row) {
    return access_in(warp, instr, QUICK_CONST, bytes, false, false, a, row);
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
    if (space == QUICK_CONST) return access_const(warp, instr, bytes, a, row);
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

ALWAYS_INLINE void count_halves(sim_warp *warp, const sim_instr *instr, quick_space space,
                                bool is_store, half_rows rows) {
    if (space == QUICK_SHARED) count_halves_shared(warp, instr, rows);
    else if (space == QUICK_CONST) count_halves_constant(warp, instr, rows);
    else if (space == QUICK_GLOBAL && is_store)
        count_halves_written(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
    else if (space == QUICK_GLOBAL && rows.stride == 0)
        count_places_read(warp, instr, rows.base[0], rows.base[1], rows.bytes);
    else if (space == QUICK_GLOBAL)
        count_halves_read(warp, instr, rows.base[0], rows.base[1], rows.stride, rows.bytes);
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
ALWAYS_INLINE told_rows tell_rows_in(sim_warp *warp, const sim_instr *instr, quick_space space,
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
    if (space != QUICK_CONST) sim_observe_rows(warp, instr, &told);
    return TOLD;
}

// The same for any type: words have it in their own handlers.
static __attribute__((noinline)) told_rows tell_rows(sim_warp *warp, const sim_instr *instr,
                                                     quick_space space, bool is_store, bool narrow,
                                                     uint32_t bytes) {
    return tell_rows_in(warp, instr, space, is_store, narrow, bytes);
}

// Calls name##_halves with a constant stride when the warp is full and each half has one place or
// neighbouring ones, and name##_any in all other cases. Registers that are not known to be regular
// are looked at by a function of its own, which comes back when they are. Under an observer it
// passes every access on to name##_observed, for which they count as known while it comes back.
#define DISPATCH_HALVES(name, address_type, unit, space, is_store)                                 \
    SOME_LANES(name, is_store)                                                                     \
    HANDLER(name);                                                                                 \
    static __attribute__((noinline)) void name##_observed(sim_warp *warp, const sim_instr *instr,  \
                                                          uint32_t lanes) {                        \
        const bool narrow = sizeof(address_type) == 4;                                             \
        told_rows told = (unit) == SIM_BANK_BYTES                                                  \
                             ? tell_rows_in(warp, instr, space, is_store, narrow, unit)            \
                             : tell_rows(warp, instr, space, is_store, narrow, unit);              \
        if (told == TOLD) {                                                                        \
            uint32_t *known = &warp->regular[instr->shape % SIM_REGULAR_BASES], noted = *known;    \
            *known = instr->shape;                                                                 \
            name(warp, instr, lanes);                                                              \
            *known = noted;                                                                        \
        } else if (told == TOLD_NOTHING) {                                                         \
            name##_any(warp, instr, lanes);                                                        \
        } else if ((space) == QUICK_SHARED && (unit) == SIM_BANK_BYTES && !(is_store)) {           \
            half_rows rows = rows_of(warp, instr, narrow, unit);                                   \
            if (rows.stride == 0) name##_move(warp, instr, rows, 0);                               \
            else name##_move(warp, instr, rows, (unit));                                           \
        }                                                                                          \
    }                                                                                              \
    static __attribute__((noinline)) void name##_unknown(sim_warp *warp, const sim_instr *instr,   \
                                                         uint32_t lanes) {                         \
        const address_type *at = SLOT(const address_type, instr->src[0]);                          \
        const address_type stride = at[1] - at[0];                                                 \
        if (lanes != SIM_ALL_LANES || warp->legacy || (stride != 0 && stride != (unit)) ||         \
            (!was_found_regular(warp, instr->shape) &&                                             \
             !are_regular(warp, instr, sizeof(address_type) == 4, (uint32_t)stride))) {            \
            name##_any(warp, instr, lanes);                                                        \
            return;                                                                                \
        }                                                                                          \
        note_regular(warp, instr->shape);                                                          \
        if (warp->observing) name##_observed(warp, instr, lanes);                                  \
        else name(warp, instr, lanes);                                                             \
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
        slot_type *d, const uint8_t *host, const lane_addresses *a, uint32_t lanes, bool row,      \
        int64_t step) {                                                                            \
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

#define IS_WORD(memory_type, slot_type, count, space)                                              \
    (sizeof(memory_type) == 4 && sizeof(slot_type) == 4 && (count) == 1 && (space) == QUICK_GLOBAL)

// Full warps of two rows or two places first; everything else by a function of its own, which keeps
// the common one small.
#define LOAD(name, memory_type, slot_type, count, space, address_type)                             \
    static __attribute__((noinline)) void name##_any(sim_warp *warp, const sim_instr *instr,       \
                                                     uint32_t lanes) {                             \
        lane_addresses a;                                                                          \
        bool row;                                                                                  \
        enum { BYTES = sizeof(memory_type) * (count) };                                            \
        if (sizeof(memory_type) == 4 && sizeof(slot_type) == 4 && (space) == QUICK_SHARED &&       \
            lanes == SIM_ALL_LANES && !warp->observing && !warp->legacy) {                         \
            uint32_t place[SIM_WARP_LANES];                                                        \
            if (find_words(warp, instr, BYTES, place)) {                                           \
                move_words(warp, instr, place, count);                                             \
                return;                                                                            \
            }                                                                                      \
        }                                                                                          \
        find_addresses(warp, instr, lanes, sizeof(address_type) == 4, BYTES, &a);                  \
        if (IS_WORD(memory_type, slot_type, count, space) && is_far(warp, &a)) {                   \
            const uint32_t *words = far_words(warp, instr, &a, site_of(warp, instr));              \
            if (words) {                                                                           \
                memcpy(SLOT(slot_type, instr->dst), words, sizeof(uint32_t) * SIM_WARP_LANES);     \
                return;                                                                            \
            }                                                                                      \
        }                                                                                          \
        const uint8_t *host =                                                                      \
            quick_access(warp, instr, space, BYTES, false, LISTED(memory_type, count), &a, &row);  \
        if (!host) {                                                                               \
            SIM_VARIANT(sim_load_any)(warp, instr, lanes);                                         \
            return;                                                                                \
        }                                                                                          \
        for (uint32_t part = 0; part < (count); part++, host += sizeof(memory_type)) {             \
            uint32_t slot = (count) == 1 ? instr->dst : vector_slot(warp, instr, part);            \
            if ((count) > 1 && slot == SIM_NO_SLOT) continue;                                      \
            slot_type *d = SLOT(slot_type, slot);                                                  \
            move_in_##memory_type##_##slot_type(d, host, &a, lanes, row, BYTES);                   \
        }                                                                                          \
    }                                                                                              \
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
    DISPATCH_HALVES(name, address_type, sizeof(memory_type) * (count), space, false)

// Lanes store in ascending order, so that of several to one place the last stays.
#define MOVE_OUT(memory_type, s, host, a)                                                          \
    do {                                                                                           \
        uint8_t *to_ = (host) + (a)->base[0];                                                      \
        const int64_t stride_ = (a)->stride;                                                       \
        const bool affine_ = (a)->pattern <= PATTERN_AFFINE;                                       \
        for (uint32_t rest_ = lanes; rest_; rest_ &= rest_ - 1) {                                  \
            uint32_t i = (uint32_t)__builtin_ctz(rest_);                                           \
            uint8_t *place_ = affine_ ? to_ + i * stride_ : (host) + address_of(a, i);             \
            *(memory_type *)place_ = (memory_type)(s)[i];                                          \
        }                                                                                          \
    } while (0)
#define MOVE_HALVES_OUT(memory_type, s, host, rows, step)                                          \
    for (int half = 0; half < 2; half++, s += HALF_WARP) {                                         \
        uint8_t *to = (host) + (rows).base[half];                                                  \
        if ((step) == 0) *(memory_type *)to = (memory_type)s[HALF_WARP - 1];                       \
        else EACH_OF_HALF *(memory_type *)(to + i * (step)) = (memory_type)s[i];                   \
    }

#define STORE(name, memory_type, slot_type, count, space, address_type)                            \
    static __attribute__((noinline)) void name##_any(sim_warp *warp, const sim_instr *instr,       \
                                                     uint32_t lanes) {                             \
        lane_addresses a;                                                                          \
        bool row;                                                                                  \
        enum { BYTES = sizeof(memory_type) * (count) };                                            \
        find_addresses(warp, instr, lanes, sizeof(address_type) == 4, BYTES, &a);                  \
        uint8_t *host = quick_access(warp, instr, space, BYTES, true, false, &a, &row);            \
        if (!host) {                                                                               \
            SIM_VARIANT(sim_store_any)(warp, instr, lanes);                                        \
            return;                                                                                \
        }                                                                                          \
        const uint32_t one = (uint32_t)__builtin_ctz(lanes);                                       \
        const bool tracked = (count) == 1 && sizeof(memory_type) <= 8 && !(lanes & (lanes - 1));   \
        uint8_t *place = tracked ? host + address_of(&a, one) : NULL;                              \
        memory_type old = tracked ? *(memory_type *)place : (memory_type)0;                        \
        for (uint32_t part = 0; part < (count); part++, host += sizeof(memory_type)) {             \
            uint32_t slot = (count) == 1 ? instr->src[1] : vector_slot(warp, instr, part);         \
            const slot_type *s = SLOT(const slot_type, slot);                                      \
            MOVE_OUT(memory_type, s, host, &a);                                                    \
        }                                                                                          \
        if (tracked) sim_note_tracked(warp, sim_change_digest(place, &old, place, sizeof old));    \
        else sim_note_change(warp);                                                                \
    }                                                                                              \
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
    DISPATCH_HALVES(name, address_type, sizeof(memory_type) * (count), space, true)

// Every form for the three kinds of address. Shared addresses are mostly 32 bits wide; wide ones
// are not quick.
#define LOADS(name, memory_type, slot_type, count)                                                 \
    LOAD(name##_global, memory_type, slot_type, count, QUICK_GLOBAL, uint64_t)                     \
    LOAD(name##_const, memory_type, slot_type, count, QUICK_CONST, uint64_t)                       \
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
    sim_exec_fn global, constant, shared;
} quick_forms;
#define LOAD_FORMS(name)     ((quick_forms){name##_global, name##_const, name##_shared})
#define STORE_FORMS(name)    ((quick_forms){name##_global, NULL, name##_shared})
#define VOLATILE_FORMS(name) ((quick_forms){name##_global_volatile, NULL, name##_shared_volatile})

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
    case PTX_SPACE_NONE: return narrow ? NULL : forms.global;
    case PTX_SPACE_CONST: return narrow ? NULL : forms.constant;
    default: return NULL;
    }
}

static quick_forms load_forms(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    bool is_signed = instr->type >= PTX_S8 && instr->type <= PTX_S64;
    switch (instr->vector * 16 + bytes) { // vector length and element size, read in hexadecimal
    case 0x11: return is_signed ? LOAD_FORMS(load_s8) : LOAD_FORMS(load_u8);
    case 0x12: return is_signed ? LOAD_FORMS(load_s16) : LOAD_FORMS(load_u16);
    case 0x14:
        if (!has(instr, SIM_MOD_DST64)) return LOAD_FORMS(load_32);
        return is_signed ? LOAD_FORMS(load_wide_s32) : LOAD_FORMS(load_wide_u32);
    case 0x18: return LOAD_FORMS(load_64);
    case 0x41: return is_signed ? LOAD_FORMS(load_4xs8) : LOAD_FORMS(load_4xu8);
    case 0x24: return LOAD_FORMS(load_2x32);
    case 0x44: return LOAD_FORMS(load_4x32);
    case 0x28: return LOAD_FORMS(load_2x64);
    default: return (quick_forms){NULL, NULL, NULL};
    }
}

static quick_forms store_forms(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    switch (instr->vector * 16 + bytes) {
    case 0x11: return STORE_FORMS(store_8);
    case 0x12: return STORE_FORMS(store_16);
    case 0x14: return STORE_FORMS(store_32);
    case 0x18: return STORE_FORMS(store_64);
    case 0x24: return STORE_FORMS(store_2x32);
    case 0x44: return STORE_FORMS(store_4x32);
    case 0x28: return STORE_FORMS(store_2x64);
    default: return (quick_forms){NULL, NULL, NULL};
    }
}

sim_exec_fn SIM_VARIANT(sim_bind_quick_load)(const sim_instr *instr) {
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type);
    bool word = instr->vector == 1 && bytes == 4;
    if (has(instr, SIM_MOD_VOLATILE)) {
        if (!has_plain_register(instr) || has(instr, SIM_MOD_DST64)) return NULL;
        if (instr->dst == SIM_NO_SLOT) return NULL;
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
                                 ? (quick_forms){store_32_global_volatile, NULL, NULL}
                                 : (quick_forms){store_64_global_volatile, NULL, NULL});
    return choose(instr, store_forms(instr));
}
