// Many neighbouring shadow cells at once, in loops that the compiler vectorises. A function first
// tests whether an access can give no finding; then it records the access in the cells, as race.c
// does.
#pragma once

#include "check/internal.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Times that an access is compared with, as in check_pass, and its record.
typedef struct check_row {
    const check_cells *cells;
    int64_t floor, since, base, warp;
    check_record record; // of lane 0
} check_row;

#define CHECK_NEXT_THREAD (UINT64_C(1) << CHECK_THREAD_SHIFT)

// Records are below 2^63, so that a is below b where a - b is negative. Answers are in the highest
// bit of 64, where `and`, `or` and `not` combine the answers of several cells without branches.
// own: only the running block has used these cells since `floor`.

// Negative: ordered before all present accesses of this block.
ALWAYS_INLINE int64_t check_ordered(const check_row *row, bool own, int64_t record) {
    if (own) return record - row->base;
    return (record - row->floor) | (~(record - row->since) & (record - row->base));
}

// Negative: a second reader that need not be replaced by a present one.
ALWAYS_INLINE int64_t check_recent(const check_row *row, bool own, int64_t record) {
    if (own) return ~(record - row->warp);
    return ~(record - row->warp) | (~(record - row->floor) & (record - row->since));
}

// Negative: ordered, or by the thread of `mine` and not pending.
ALWAYS_INLINE int64_t check_harmless(const check_row *row, bool own, int64_t record, int64_t mine) {
    int64_t other = (record ^ mine) & (int64_t)CHECK_THREAD_MASK;
    return check_ordered(row, own, record) |
           (~(record - row->since) & (record - (int64_t)CHECK_PENDING) & (other - 1));
}

ALWAYS_INLINE bool check_all_ordered(const check_row *row, bool own, const check_record *records,
                                     uint64_t count) {
    const int64_t *at = (const int64_t *)records;
    int64_t good = -1;
    for (uint64_t i = 0; i < count; i++) good &= check_ordered(row, own, at[i]);
    return good < 0;
}

// A read of cells [first, first + count): `each` of them per lane, from `lane` on; the lane `again`
// further on reads them too (0: none). True: recorded, or the stored readers need no replacement.
// False: there may be a finding.
ALWAYS_INLINE bool check_read_row(const check_row *row, bool own, uint64_t first, uint64_t count,
                                  uint64_t each, uint32_t lane, uint32_t again) {
    const check_cells *cells = row->cells;
    const int64_t *write = (const int64_t *)cells->write + first;
    check_record *read = cells->reads[0] + first, *second = cells->reads[1] + first;
    int64_t good = -1, settled = -1;
    for (uint64_t i = 0; i < count; i++) {
        good &= check_ordered(row, own, write[i]);
        settled &= check_recent(row, own, (int64_t)second[i]);
    }
    if (good >= 0) return false;
    if (settled < 0) return true;
    if (!check_all_ordered(row, own, read, count)) return false;
    check_cells_change(cells, first, first + count - 1);
    const check_record record = row->record + lane * CHECK_NEXT_THREAD;
    const check_record distance = again * CHECK_NEXT_THREAD,
                       is_twice = again ? ~(check_record)0 : 0;
    for (uint64_t i = 0; i < count / each; i++) {
        check_record of_lane = record + i * CHECK_NEXT_THREAD;
        for (uint64_t k = 0; k < each; k++) {
            read[i * each + k] = of_lane;
            second[i * each + k] = (of_lane + distance) & is_twice;
        }
    }
    return true;
}

ALWAYS_INLINE bool check_write_row(const check_row *row, bool own, uint64_t first, uint64_t count,
                                   uint64_t each, uint32_t lane) {
    const check_cells *cells = row->cells;
    check_record *write = cells->write + first;
    check_record *one = cells->reads[0] + first, *two = cells->reads[1] + first;
    const check_record record = row->record + lane * CHECK_NEXT_THREAD;
    int64_t good = -1;
    for (uint64_t i = 0; i < count / each; i++) {
        int64_t mine = (int64_t)(record + i * CHECK_NEXT_THREAD);
        for (uint64_t k = i * each; k < i * each + each; k++)
            good &= check_harmless(row, own, (int64_t)write[k], mine) &
                    check_harmless(row, own, (int64_t)one[k], mine) &
                    check_harmless(row, own, (int64_t)two[k], mine);
    }
    if (good >= 0) return false;
    check_cells_change(cells, first, first + count - 1);
    for (uint64_t i = 0; i < count / each; i++)
        for (uint64_t k = i * each; k < i * each + each; k++) {
            write[k] = record + i * CHECK_NEXT_THREAD;
            one[k] = two[k] = 0;
        }
    return true;
}

// ---- lines --------------------------------------------------------------------------------------

// The times of check_row, for comparison with the times of a line.
typedef struct check_bounds {
    uint32_t floor, since, base, warp;
} check_bounds;

// Whether a read by any lanes changes no cell of the line and gives no finding, as in
// check_read_row: each write is ordered, each second reader need not be replaced.
ALWAYS_INLINE bool check_line_settles(const check_line *line, bool own, const check_bounds *b) {
    const check_line l = *line;
    if (own) return l.read >= b->warp && l.written <= b->base;
    return l.written <= b->floor &&
           (l.read >= b->warp || (l.read >= b->floor && l.read < b->since));
}

// Sets a line from its cells. All of its bytes have been written.
ALWAYS_INLINE void check_line_learn(const check_row *row, bool own, uint64_t line) {
    const check_cells *cells = row->cells;
    const int64_t *write = (const int64_t *)cells->write + line * CHECK_LINE;
    const check_record *second = cells->reads[1] + line * CHECK_LINE;
    const int64_t bound = own ? row->base : row->floor;
    const check_record time = second[0] >> CHECK_TIME_SHIFT;
    int64_t good = -1;
    check_record differs = 0;
    for (int i = 0; i < CHECK_LINE; i++) {
        good &= write[i] - bound;
        differs |= (second[i] >> CHECK_TIME_SHIFT) ^ time;
    }
    if (good < 0 && differs == 0)
        cells->lines[line] = (check_line){(uint32_t)(bound >> CHECK_TIME_SHIFT), (uint32_t)time};
}

// ---- some lanes ---------------------------------------------------------------------------------

// Negative where `lanes` do not contain lane `i`.
ALWAYS_INLINE int64_t check_is_off(uint32_t lanes, uint32_t i) {
    return (int64_t)((uint64_t)~lanes << (63 - i));
}

// `first` where `chooses` is negative, else `second`. It is arithmetic, because a branch would
// store single cells that are soon read as a vector.
ALWAYS_INLINE check_record check_choose(int64_t chooses, check_record first, check_record second) {
    check_record mask = -(check_record)(chooses < 0);
    return (first & mask) | (second & ~mask);
}

// Some lanes of a row; lane i accesses cell `first` + i. The cells of other lanes do not change.
ALWAYS_INLINE bool check_read_some(const check_row *row, bool own, uint64_t first, uint32_t lanes) {
    const check_cells *cells = row->cells;
    const int64_t *write = (const int64_t *)cells->write + first;
    check_record *read = cells->reads[0] + first, *second = cells->reads[1] + first;
    const check_row r = *row;
    int64_t good = -1;
    for (uint32_t i = 0; i < 32; i++)
        good &= check_is_off(lanes, i) |
                (check_ordered(&r, own, write[i]) & (check_recent(&r, own, (int64_t)second[i]) |
                                                     check_ordered(&r, own, (int64_t)read[i])));
    if (good >= 0) return false;
    check_cells_change(cells, first, first + 31);
    _Pragma("GCC ivdep") for (uint32_t i = 0; i < 32; i++) {
        int64_t stays = check_is_off(lanes, i) | check_recent(&r, own, (int64_t)second[i]);
        read[i] = check_choose(stays, read[i], r.record + i * CHECK_NEXT_THREAD);
        second[i] = check_choose(stays, second[i], 0);
    }
    return true;
}

ALWAYS_INLINE bool check_write_some(const check_row *row, bool own, uint64_t first,
                                    uint32_t lanes) {
    const check_cells *cells = row->cells;
    check_record *write = cells->write + first;
    check_record *one = cells->reads[0] + first, *two = cells->reads[1] + first;
    const check_row r = *row;
    int64_t good = -1;
    for (uint32_t i = 0; i < 32; i++) {
        int64_t mine = (int64_t)(r.record + i * CHECK_NEXT_THREAD);
        good &= check_is_off(lanes, i) | (check_harmless(&r, own, (int64_t)write[i], mine) &
                                          check_harmless(&r, own, (int64_t)one[i], mine) &
                                          check_harmless(&r, own, (int64_t)two[i], mine));
    }
    if (good >= 0) return false;
    check_cells_change(cells, first, first + 31);
    _Pragma("GCC ivdep") for (uint32_t i = 0; i < 32; i++) {
        int64_t stays = check_is_off(lanes, i);
        write[i] = check_choose(stays, write[i], r.record + i * CHECK_NEXT_THREAD);
        one[i] = check_choose(stays, one[i], 0);
        two[i] = check_choose(stays, two[i], 0);
    }
    return true;
}
