// The accesses of nearly every instruction of an ordinary kernel, without an event for each: full
// warps whose halves read or write words in a row, or read one word each, and some lanes of a row
// of words; while order comes by barriers and whole warps alone and nothing needs a closer look.
// All else is told as an event, of which access.c and race.c do the same and more.
#include "check/bits.h"
#include "check/cells.h"
#include "check/race.h"
#include "warps/block.h"

enum { WORD = 4, HALF = 16, FEW = 4 };

// ---- what was written --------------------------------------------------------------------------
// Bits of bytes, of lanes 0 to 15 from `a` on, of the others from `b` on.

static __attribute__((noinline)) bool full_was_written(const uint64_t *written, uint64_t a,
                                                       uint64_t b, uint64_t bytes) {
    return check_bits_all(written, a, bytes) && (a == b || check_bits_all(written, b, bytes));
}

static __attribute__((noinline)) bool some_were_written(const uint64_t *written, uint64_t a,
                                                        uint64_t b, uint32_t lanes) {
    return check_bits_all_these(written, a, check_bits_of_words(lanes & 0xFFFF)) &&
           check_bits_all_these(written, b, check_bits_of_words(lanes >> HALF));
}

static inline void note_written(uint64_t *written, uint64_t a, uint64_t b, uint32_t lanes) {
    check_bits_set_these(written, a, check_bits_of_words(lanes & 0xFFFF));
    check_bits_set_these(written, b, check_bits_of_words(lanes >> HALF));
}

// ---- races --------------------------------------------------------------------------------------
// Cells, of lanes 0 to 15 from `a` on, of the others from `b` on.
// False: it is to be judged as an event, from its beginning if a part of it has been recorded,
// which a thread's own record does not change.

ALWAYS_INLINE bool read_full(const check_row *row, bool own, uint64_t a, uint64_t b,
                             int64_t stride) {
    bool twice = a == b; // both halves at the same addresses
    if (stride == 0)
        return check_read_row(row, own, a, 1, 1, 0, twice ? HALF : HALF - 1) &&
               (twice || check_read_row(row, own, b, 1, 1, HALF, HALF - 1));
    return check_read_row(row, own, a, HALF, 1, 0, twice ? HALF : 0) &&
           (twice || check_read_row(row, own, b, HALF, 1, HALF, 0));
}

ALWAYS_INLINE bool write_full(const check_row *row, bool own, uint64_t a, uint64_t b,
                              int64_t stride) {
    return stride != 0 && a != b && check_write_row(row, own, a, HALF, 1, 0) &&
           check_write_row(row, own, b, HALF, 1, HALF);
}

// A few lanes are looked at one by one.
ALWAYS_INLINE bool settle_few(const check_row *row, bool own, uint64_t first, uint32_t lanes,
                              bool is_store) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (!(is_store ? check_write_row(row, own, first + lane, 1, 1, lane)
                       : check_read_row(row, own, first + lane, 1, 1, lane, 0)))
            return false;
    }
    return true;
}

// A function each, with registers of its own.
#define SETTLE(name, settle_lanes, own)                                                            \
    static __attribute__((noinline)) bool name(const check_row *row, uint64_t first,               \
                                               uint32_t lanes, bool is_store) {                    \
        return settle_lanes(row, own, first, lanes, is_store);                                     \
    }
ALWAYS_INLINE bool settle_many(const check_row *row, bool own, uint64_t first, uint32_t lanes,
                               bool is_store) {
    return is_store ? check_write_some(row, own, first, lanes)
                    : check_read_some(row, own, first, lanes);
}
SETTLE(few_own, settle_few, true)
SETTLE(few_global, settle_few, false)
SETTLE(many_own, settle_many, true)
SETTLE(many_global, settle_many, false)

ALWAYS_INLINE bool settle_some(const check_row *row, bool own, uint64_t first, uint64_t count,
                               const sim_access_rows *rows) {
    bool one_row = rows->stride == WORD && rows->base[1] - rows->base[0] == HALF * WORD &&
                   first < count && count - first >= SIM_WARP_LANES;
    if (!one_row) return false;
    bool few = __builtin_popcount(rows->lanes) <= FEW;
    if (few && own) return few_own(row, first, rows->lanes, rows->is_store);
    if (few) return few_global(row, first, rows->lanes, rows->is_store);
    return own ? many_own(row, first, rows->lanes, rows->is_store)
               : many_global(row, first, rows->lanes, rows->is_store);
}

// Whether all accesses are to the variable that the address is formed from.
static inline bool stays_inside(const sim_checker *checker, const sim_instr *instr,
                                const sim_access_rows *rows) {
    const sim_symbol *symbol = &checker->grid->launch->program->symbols[instr->variable - 1];
    uint64_t low = rows->base[0] - symbol->address, high = rows->base[1] - symbol->address;
    uint64_t size = symbol->size_bytes, row = rows->stride ? HALF * WORD : WORD;
    if (rows->lanes == SIM_ALL_LANES) return size >= row && low <= size - row && high <= size - row;
    low += (uint64_t)rows->stride * (uint32_t)__builtin_ctz(rows->lanes);
    high = rows->base[0] - symbol->address +
           (uint64_t)rows->stride * (31 - (uint32_t)__builtin_clz(rows->lanes));
    return rows->base[1] - rows->base[0] == (uint64_t)rows->stride * HALF && size >= WORD &&
           low <= size - WORD && high <= size - WORD;
}

// ---- an access ----------------------------------------------------------------------------------

ALWAYS_INLINE check_bounds bounds_of(const sim_checker *checker, const check_block *block,
                                     uint32_t warp, bool own) {
    uint32_t base = block->order.base, of_warp = block->order.warps[warp].base;
    return (check_bounds){.floor = own ? block->order.begin : checker->launch_begin,
                          .since = checker->current_since,
                          .base = base,
                          .warp = of_warp > base ? of_warp : base};
}

// A load has read of this line, `lane` at `cell`. Worth a look where others had read it before.
ALWAYS_INLINE void learn(const check_row *row, const check_bounds *bounds, const uint64_t *written,
                         bool own, uint64_t cell, uint32_t lane) {
    enum { BYTES = CHECK_LINE * WORD };
    uint64_t line = cell / CHECK_LINE;
    const check_record *second = row->cells->reads[1] + line * CHECK_LINE;
    bool recorded = row->cells->reads[0][cell] == row->record + lane * CHECK_NEXT_THREAD;
    if (recorded || check_record_time(second[0]) < bounds->floor || row->cells->lines[line].read)
        return;
    if (second[CHECK_LINE - 1] >> CHECK_TIME_SHIFT != second[0] >> CHECK_TIME_SHIFT) return;
    if (check_bits_all(written, line * BYTES, BYTES)) check_line_learn(row, own, line);
}

// own: of the block's shared memory, all of which has been written below written_below.
ALWAYS_INLINE bool settle(const sim_checker *checker, const check_block *block, uint32_t warp,
                          uint32_t site, const sim_access_rows *rows, bool own, bool read_only) {
    check_bounds bounds = bounds_of(checker, block, warp, own);
    if (read_only) bounds.base = 0; // the order of such loads and of writes does not count
    const check_cells *cells = own ? &block->shared : &checker->global;
    uint64_t origin = own ? 0 : SIM_GLOBAL_BASE, last = own ? block->written_below : 0;
    uint64_t a = rows->base[0] - origin, b = rows->base[1] - origin;
    if (cells->any_strong || cells->shift != 2 || rows->base[0] < origin) return false;
    const check_row row = {.cells = cells,
                           .floor = (int64_t)bounds.floor << CHECK_TIME_SHIFT,
                           .since = (int64_t)bounds.since << CHECK_TIME_SHIFT,
                           .base = (int64_t)bounds.base << CHECK_TIME_SHIFT,
                           .warp = (int64_t)bounds.warp << CHECK_TIME_SHIFT,
                           .record = (check_record)checker->clock.now << CHECK_TIME_SHIFT |
                                     (check_record)(SIM_WARP_LANES * warp) << CHECK_THREAD_SHIFT |
                                     (check_record)site << CHECK_SITE_SHIFT};
    uint64_t *written = own ? block->shared_written : checker->written;
    bool full = rows->lanes == SIM_ALL_LANES;
    bool known = last > HALF * WORD && a <= last - HALF * WORD && b <= last - HALF * WORD;
    if (!known && !rows->is_store &&
        !(full ? full_was_written(written, a, b, rows->stride ? HALF * WORD : WORD)
               : some_were_written(written, a, b, rows->lanes)))
        return false;
    bool settled;
    if (!full) settled = settle_some(&row, own, a / WORD, cells->count, rows);
    else if (rows->is_store) settled = write_full(&row, own, a / WORD, b / WORD, rows->stride);
    else settled = read_full(&row, own, a / WORD, b / WORD, rows->stride);
    if (settled && !known && rows->is_store) note_written(written, a, b, rows->lanes);
    if (settled && full && !rows->is_store) {
        learn(&row, &bounds, written, own, a / WORD, 0);
        if (a != b) learn(&row, &bounds, written, own, b / WORD, HALF);
    }
    return settled;
}

static __attribute__((noinline)) bool settle_own(const sim_checker *checker,
                                                 const check_block *block, uint32_t warp,
                                                 uint32_t site, const sim_access_rows *rows) {
    return settle(checker, block, warp, site, rows, true, false);
}
static __attribute__((noinline)) bool settle_global(const sim_checker *checker,
                                                    const check_block *block, uint32_t warp,
                                                    uint32_t site, const sim_access_rows *rows,
                                                    bool read_only) {
    return settle(checker, block, warp, site, rows, false, read_only);
}

// ---- between barriers ---------------------------------------------------------------------------

// Whether the bits of a load are set; sets those of a store.
ALWAYS_INLINE bool is_written(const check_block *block, const sim_access_rows *rows) {
    uint64_t a = rows->base[0], b = rows->base[1], row = HALF * WORD, last = block->written_below;
    if (last > row && a <= last - row && b <= last - row) return true;
    if (rows->is_store) note_written(block->shared_written, a, b, rows->lanes);
    else if (rows->lanes == SIM_ALL_LANES)
        return full_was_written(block->shared_written, a, b, rows->stride ? row : WORD);
    else return some_were_written(block->shared_written, a, b, rows->lanes);
    return true;
}

// An access to the block's own shared memory. False: it is to be looked at.
ALWAYS_INLINE bool note_access(sim_checker *checker, check_block *block, uint32_t warp,
                               const sim_instr *instr, const sim_access_rows *rows) {
    sim_row_notes *notes = checker->row_notes;
    check_interval_settle(checker);
    if (!block->interval.is_open || notes->count == SIM_ROW_NOTES || !is_written(block, rows))
        return false;
    sim_row_note *note = &notes->at[notes->count];
    *note = (sim_row_note){.instr = instr,
                           .base = {(uint32_t)rows->base[0], (uint32_t)rows->base[1]},
                           .lanes = rows->lanes,
                           .warp = (uint16_t)warp,
                           .stride = (uint8_t)rows->stride,
                           .is_store = rows->is_store,
                           .time = checker->clock.now,
                           .warp_base = block->order.warps[warp].base,
                           .warp_met = block->order.warps[warp].met};
    if (!check_interval_fits(&block->interval, note)) return false;
    block->interval.settled = ++notes->count;
    block->interval.stores |= rows->is_store;
    notes->last[warp] = instr;
    checker->clock.touched = true;
    return true;
}

// ---- all --------------------------------------------------------------------------------------

// Whether the lines of what a load reads settle it: mostly, where many threads read the same.
ALWAYS_INLINE bool settle_lines(const sim_checker *checker, const check_block *block, uint32_t warp,
                                const sim_access_rows *rows, bool own) {
    const check_cells *cells = own ? &block->shared : &checker->global;
    const check_bounds bounds = bounds_of(checker, block, warp, own);
    uint64_t origin = own ? 0 : SIM_GLOBAL_BASE, last = rows->stride ? HALF - 1 : 0;
    uint64_t a = (rows->base[0] - origin) / WORD, b = (rows->base[1] - origin) / WORD;
    const check_line *lines = cells->lines;
    if (cells->any_strong || cells->shift != 2 || a + last >= cells->count ||
        b + last >= cells->count)
        return false;
    return check_line_settles(&lines[a / CHECK_LINE], own, &bounds) &&
           check_line_settles(&lines[(a + last) / CHECK_LINE], own, &bounds) &&
           (a == b || (check_line_settles(&lines[b / CHECK_LINE], own, &bounds) &&
                       check_line_settles(&lines[(b + last) / CHECK_LINE], own, &bounds)));
}

// Whether the running grid may have read the byte of device memory at an offset.
ALWAYS_INLINE bool was_read(const sim_checker *checker, uint64_t offset) {
    uint64_t cell = offset >> checker->global.shift;
    return check_record_time(checker->global.reads[0][cell]) >= checker->run_begin ||
           check_record_time(checker->global.reads[1][cell]) >= checker->run_begin;
}

// By the cells.
static __attribute__((noinline)) bool look_at_cells(sim_checker *checker, const sim_warp *warp,
                                                    const sim_instr *instr,
                                                    const sim_access_rows *rows) {
    check_block *block = checker->current;
    bool own = rows->space == PTX_SPACE_SHARED;
    bool reads = !rows->is_store && rows->lanes == SIM_ALL_LANES;
    uint32_t site = check_site_again(checker, warp->frame->function, instr);
    if (checker->block_count != 1 || checker->run_count > 1 || checker->exhausted ||
        block->order.knowing || block->order.strayed || block->order.seen.count)
        return false;
    if (own) {
        check_interval_close(checker, block);
        if (!(reads && settle_lines(checker, block, warp->index, rows, true)) &&
            !settle_own(checker, block, warp->index, site, rows))
            return false;
    } else {
        if (instr->scattered) sim_mem_note_scatter(checker->memory, rows->base[0]);
        if (instr->copies && was_read(checker, rows->base[0] - SIM_GLOBAL_BASE)) return false;
        if (!(reads && settle_lines(checker, block, warp->index, rows, false)) &&
            !settle_global(checker, block, warp->index, site, rows,
                           rows->is_store ? checker->read_only : check_is_read_only(instr)))
            return false;
        check_touch(checker, rows->base[0] - SIM_GLOBAL_BASE, rows->base[1] - SIM_GLOBAL_BASE);
    }
    check_note_site(checker, &block->order.warps[warp->index], warp->index, site);
    checker->clock.touched = true;
    return true;
}

// Whether a store may go against a load that the cells do not know of.
ALWAYS_INLINE bool may_overwrite(const check_block *block, const sim_access_rows *rows) {
    bool own = rows->space == PTX_SPACE_SHARED, down = rows->base[1] < rows->base[0];
    uint64_t origin = own ? 0 : SIM_GLOBAL_BASE;
    uint64_t low = rows->base[down] - origin, last = rows->base[!down] - origin;
    return low < block->defers[!own].end &&
           last + (HALF - 1) * (uint64_t)rows->stride + WORD > block->defers[!own].low;
}

bool SIM_VARIANT(check_on_rows)(void *context, const sim_warp *warp, const sim_instr *instr,
                                const sim_access_rows *rows) {
    sim_checker *checker = context;
    check_block *block = checker->current;
    if (!block || block->order.position != warp->block->index || rows->bytes != WORD ||
        (rows->is_store ? warp->watched & SIM_WATCHED_BY_OBSERVER || may_overwrite(block, rows)
                        : instr->dropped) ||
        (rows->stride != 0 && rows->stride != WORD) ||
        (instr->variable && !stays_inside(checker, instr, rows)))
        return false;
    if (rows->space == PTX_SPACE_SHARED && block->interval.is_open &&
        note_access(checker, block, warp->index, instr, rows))
        return true;
    return look_at_cells(checker, warp, instr, rows);
}
