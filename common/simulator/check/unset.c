// Device memory that goes to the host though nothing has written it. Some of it is as it should be:
// padding of structures, which returns with each element; padding of rows; the end of an array that
// threads fill as far as their data goes (a compaction), told by the addresses of their stores.
#include "check/bits.h"
#include "check/internal.h"

typedef struct hole {
    uint64_t first, bytes; // offsets in the copy
} hole;

enum { HOLES = 1 << 16 };

// The first byte from `at` on whose bit is `value`; `end`: none.
static uint64_t find_bit(const uint64_t *words, uint64_t at, uint64_t end, bool value) {
    while (at < end) {
        uint64_t word = (value ? words[at / 64] : ~words[at / 64]) & UINT64_MAX << at % 64;
        if (word) {
            at = at / 64 * 64 + (uint64_t)__builtin_ctzll(word);
            return at < end ? at : end;
        }
        at = (at / 64 + 1) * 64;
    }
    return end;
}

// holes: [HOLES]; returns how many there are, at most as many as fit.
static uint32_t find_holes(const uint64_t *words, uint64_t begin, uint64_t end, hole *holes,
                           uint64_t *out_bytes) {
    uint32_t count = 0;
    *out_bytes = 0;
    for (uint64_t at = begin; (at = find_bit(words, at, end, false)) < end;) {
        uint64_t stop = find_bit(words, at, end, true);
        if (count < HOLES) holes[count++] = (hole){at - begin, stop - at};
        *out_bytes += stop - at;
        at = stop;
    }
    return count;
}

// Whether holes return with a period, `each` of them in one. The last one may be cut short.
static bool return_after(const hole *holes, uint32_t count, uint32_t each) {
    uint64_t period = holes[each].first - holes[0].first, sum = 0;
    for (uint32_t i = 0; i < each; i++) sum += holes[i].bytes;
    if (2 * sum >= period) return false; // more than half of an element is no padding
    for (uint32_t i = 0; i + each < count; i++)
        if (holes[i + each].first - holes[i].first != period ||
            holes[i + each].bytes > holes[i].bytes)
            return false;
    return true;
}

// Padding is smaller than the largest scalar or vector; of one structure it shows no period.
static bool is_padding(const hole *holes, uint32_t count, uint64_t bytes) {
    enum { LARGEST = 16, IN_ELEMENT = 4, ONE_STRUCTURE = 64 };
    for (uint32_t i = 0; i < count; i++)
        if (holes[i].bytes >= LARGEST) return false;
    if (bytes <= ONE_STRUCTURE && count <= IN_ELEMENT && holes[0].bytes < 8) return true;
    for (uint32_t each = 1; each <= IN_ELEMENT && each < count; each++)
        if (return_after(holes, count, each)) return true;
    return false;
}

// Whether each hole ends where a row ends. offset: of the copy in its allocation.
static bool is_end_of_rows(const hole *holes, uint32_t count, uint64_t offset, uint64_t pitch,
                           uint64_t bytes) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t first = offset + holes[i].first, end = first + holes[i].bytes;
        bool ends = end % pitch == 0 || holes[i].first + holes[i].bytes == bytes;
        if (!ends || first / pitch != (end - 1) / pitch || first % pitch == 0) return false;
    }
    return true;
}

bool sim_checker_is_set(const sim_checker *checker, uint64_t address, uint64_t bytes) {
    const sim_allocation *found = sim_mem_find(checker->memory, address);
    bool whole =
        !checker->blind && found && bytes && bytes <= found->bytes - (address - found->base);
    if (!whole || found->scattered || !check_find_number(checker, found->id)) return true;
    return check_bits_all(checker->written, address - SIM_GLOBAL_BASE, bytes);
}

uint64_t sim_checker_unset(const sim_checker *checker, uint64_t address, uint64_t bytes,
                           uint64_t pitch, uint64_t *out_first) {
    uint64_t begin = address - SIM_GLOBAL_BASE, unset = 0;
    if (sim_checker_is_set(checker, address, bytes)) return 0;
    const sim_allocation *found = sim_mem_find(checker->memory, address);
    hole *holes = malloc(HOLES * sizeof *holes);
    if (!holes) return 0;
    uint32_t count = find_holes(checker->written, begin, begin + bytes, holes, &unset);
    *out_first = holes[0].first;
    if (is_padding(holes, count, bytes) ||
        (pitch && is_end_of_rows(holes, count, address - found->base, pitch, bytes)))
        unset = 0;
    free(holes);
    return unset;
}
