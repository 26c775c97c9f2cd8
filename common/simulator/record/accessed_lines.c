// Entries of the cache model's trace: which sectors of which lines a warp-level access touches, and
// which of them a store fills.
#include "record/record.h"

enum { SECTOR_BYTES = SIM_LINE_BYTES / SIM_LINE_SECTORS, HALF_WARP = SIM_WARP_LANES / 2 };

static inline uint32_t recorded_site(const sim_warp_record *warp, const sim_instr *instr) {
    return sim_trace_site(warp->function->bound->index, instr->pc);
}

static __attribute__((noinline)) void
add_to_trace(sim_warp_record *warp, const sim_trace_entry *entry, uint32_t wavefronts) {
    sim_warp_trace_line(warp->trace, &(sim_traced_line){.line = entry->line,
                                                        .time = entry->time,
                                                        .site = entry->site,
                                                        .wavefronts = (uint16_t)wavefronts,
                                                        .sectors = entry->sectors,
                                                        .kind = entry->kind});
}

// `filled` stands above `touched` in `sectors`.
static inline void add(sim_warp_record *warp, const sim_instr *instr, uint32_t line,
                       uint32_t sectors, uint8_t kind, uint32_t wavefronts) {
    sim_block_trace *lines = &warp->block->lines;
    bool sampled = sim_trace_hash(line) <= lines->bound;
    if (!sampled && !warp->trace) {
        warp->watched = lines->bound; // which has been narrowed
        return;
    }
    sim_trace_entry entry = {.line = line,
                             .time = warp->requests,
                             .site = recorded_site(warp, instr),
                             .warp = (uint16_t)warp->index,
                             .sectors = (uint8_t)sectors,
                             .kind = kind};
    if (__builtin_expect(warp->trace != NULL, 0)) add_to_trace(warp, &entry, wavefronts);
    if (sampled) sim_trace_add(lines, &entry);
}

// Of a line of which bytes [first, end) are accessed, numbered in it: bits of the sectors that they
// touch, and, with `dense`, of those that they fill.
static inline uint32_t sectors_of(uint32_t first, uint32_t end, bool dense) {
    uint32_t touched = (2u << (end - 1) / SECTOR_BYTES) - (1u << first / SECTOR_BYTES);
    uint32_t before = (1u << (first + SECTOR_BYTES - 1) / SECTOR_BYTES) - 1;
    uint32_t filled = dense ? ((1u << end / SECTOR_BYTES) - 1) & ~before : 0;
    return touched | filled << SIM_LINE_SECTORS;
}

void sim_record_span(sim_warp_record *warp, const sim_instr *instr, uint64_t low, uint64_t high,
                     uint32_t bytes, bool dense, sim_trace_kind kind) {
    uint64_t end = high + bytes;
    uint32_t wavefronts = (uint32_t)((end - low + SIM_LINE_BYTES - 1) / SIM_LINE_BYTES);
    for (uint64_t line = low / SIM_LINE_BYTES * SIM_LINE_BYTES; line < end;
         line += SIM_LINE_BYTES) {
        uint32_t first = line < low ? (uint32_t)(low - line) : 0;
        uint32_t last = end - line < SIM_LINE_BYTES ? (uint32_t)(end - line) : SIM_LINE_BYTES;
        add(warp, instr, sim_line_of(line), sectors_of(first, last, dense), (uint8_t)kind,
            wavefronts);
    }
}

void sim_record_event(sim_warp_record *warp, const sim_instr *instr, sim_traced_line what) {
    if (!warp->trace) return;
    what.site = recorded_site(warp, instr);
    sim_warp_trace_event(warp->trace, &what);
}

typedef struct touched_line {
    uint32_t line, sectors;
    uint32_t bytes[SIM_LINE_SECTORS]; // accessed in each sector, as if no two lanes overlapped
} touched_line;

static void touch_line(touched_line *line, uint32_t sector, uint32_t bytes) {
    line->sectors |= 1u << sector;
    line->bytes[sector] += bytes;
}

// Looks through the list, for accesses of few lines.
static void touch(touched_line *lines, uint32_t *count, uint32_t line, uint32_t sector,
                  uint32_t bytes) {
    uint32_t at = 0;
    while (at < *count && lines[at].line != line) at++;
    if (at == *count) lines[(*count)++] = (touched_line){.line = line};
    touch_line(&lines[at], sector, bytes);
}

// Where the lines of a list are, by their hash: index + 1, 0 is free. Half of them stay free.
enum { LINE_PLACES = 4 * SIM_WARP_LANES };

static uint32_t find_line(uint8_t places[LINE_PLACES], touched_line *lines, uint32_t *count,
                          uint32_t line) {
    uint32_t at = line * UINT32_C(0x9E3779B9) >> 25;
    while (places[at] && lines[places[at] - 1].line != line) at = (at + 1) % LINE_PLACES;
    if (!places[at]) {
        lines[(*count)++] = (touched_line){.line = line};
        places[at] = (uint8_t)*count;
    }
    return places[at] - 1u;
}

static void add_lines(sim_warp_record *warp, const sim_instr *instr, const touched_line *lines,
                      uint32_t count, uint8_t kind, uint32_t wavefronts) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t filled = 0;
        for (uint32_t s = 0; s < SIM_LINE_SECTORS; s++)
            filled |= (uint32_t)(lines[i].bytes[s] >= SECTOR_BYTES) << s;
        add(warp, instr, lines[i].line, lines[i].sectors | filled << SIM_LINE_SECTORS, kind,
            wavefronts);
    }
}

// Lines that `bytes` at each lane's address lie in; returns how many.
static uint32_t lines_of(const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                         touched_line lines[2 * SIM_WARP_LANES]) {
    uint8_t places[LINE_PLACES] = {0};
    uint32_t count = 0, here = 0;
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint64_t at = addresses[__builtin_ctz(rest)] - SIM_GLOBAL_BASE, end = at + bytes;
        while (at < end) { // at most two parts: accesses are no wider than a sector
            uint64_t next = (at / SECTOR_BYTES + 1) * SECTOR_BYTES, stop = end < next ? end : next;
            uint32_t line = (uint32_t)(at / SIM_LINE_BYTES);
            if (count == 0 || lines[here].line != line)
                here = find_line(places, lines, &count, line);
            touch_line(&lines[here], (uint32_t)(at / SECTOR_BYTES % SIM_LINE_SECTORS),
                       (uint32_t)(stop - at));
            at = stop;
        }
    }
    return count;
}

void sim_record_lanes(sim_warp_record *warp, const sim_instr *instr,
                      const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      uint32_t wavefronts, sim_trace_kind kind) {
    touched_line lines[2 * SIM_WARP_LANES];
    uint32_t count = lines_of(addresses, lanes, bytes, lines);
    add_lines(warp, instr, lines, count, (uint8_t)kind, wavefronts);
}

void sim_record_texels(sim_warp_record *warp, const sim_instr *instr,
                       const uint64_t addresses[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes) {
    touched_line lines[2 * SIM_WARP_LANES];
    sim_trace_entry entry = {.time = warp->trace->access_count, // as no two fetches have
                             .site = recorded_site(warp, instr),
                             .kind = SIM_TRACE_TEXTURE};
    uint32_t count = lines_of(addresses, lanes, bytes, lines);
    for (uint32_t i = 0; i < count; i++) {
        entry.line = lines[i].line;
        entry.sectors = (uint8_t)lines[i].sectors;
        add_to_trace(warp, &entry, bytes);
    }
}

// Two halves in a line each, and not in the same one. False: they lie otherwise.
static inline bool record_two_lines(sim_warp_record *warp, const sim_instr *instr,
                                    const uint64_t base[2], uint32_t stride, uint32_t bytes,
                                    sim_trace_kind kind) {
    uint32_t span = stride ? HALF_WARP * bytes : bytes, wavefronts = bytes > 4 ? bytes / 4 : 1;
    uint32_t line[2] = {sim_line_of(base[0]), sim_line_of(base[1])};
    uint32_t at[2] = {(uint32_t)base[0] % SIM_LINE_BYTES, (uint32_t)base[1] % SIM_LINE_BYTES};
    if (at[0] + span > SIM_LINE_BYTES || at[1] + span > SIM_LINE_BYTES || line[0] == line[1])
        return false;
    for (int half = 0; half < 2; half++) {
        uint32_t sectors = sectors_of(at[half], at[half] + span, stride != 0);
        // As if lanes at one place filled its sector together.
        if (stride == 0 && HALF_WARP * bytes >= SECTOR_BYTES)
            sectors |= sectors << SIM_LINE_SECTORS;
        add(warp, instr, line[half], sectors, (uint8_t)kind, wavefronts);
    }
    return true;
}

void sim_record_halves(sim_warp_record *warp, const sim_instr *instr, const uint64_t base[2],
                       uint32_t stride, uint32_t bytes, sim_trace_kind kind) {
    touched_line lines[SIM_WARP_LANES];
    uint32_t count = 0, times = stride ? 1 : HALF_WARP, span = stride ? HALF_WARP * bytes : bytes;
    if (record_two_lines(warp, instr, base, stride, bytes, kind)) return;
    for (int half = 0; half < 2; half++) {
        uint64_t at = base[half] - SIM_GLOBAL_BASE, end = at + span;
        while (at < end) {
            uint64_t next = (at / SECTOR_BYTES + 1) * SECTOR_BYTES, stop = end < next ? end : next;
            touch(lines, &count, (uint32_t)(at / SIM_LINE_BYTES),
                  (uint32_t)(at / SECTOR_BYTES % SIM_LINE_SECTORS), (uint32_t)(stop - at) * times);
            at = stop;
        }
    }
    add_lines(warp, instr, lines, count, (uint8_t)kind, bytes > 4 ? bytes / 4 : 1);
}

void sim_record_local(sim_warp_record *warp, const sim_instr *instr,
                      const uint64_t offsets[SIM_WARP_LANES], uint32_t lanes, uint32_t bytes,
                      sim_trace_kind kind) {
    uint32_t lanes_a_sector = SECTOR_BYTES / 4;
    warp->requests++;
    for (uint32_t word = 0; word < bytes; word += 4) {
        touched_line lines[SIM_WARP_LANES];
        uint32_t count = 0;
        for (uint32_t rest = lanes; rest; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            uint32_t row = (uint32_t)((offsets[lane] + word) / 4);
            touch(lines, &count, sim_trace_local_line(warp->index, row), lane / lanes_a_sector, 4);
        }
        add_lines(warp, instr, lines, count, (uint8_t)(kind | SIM_TRACE_LOCAL), 1);
    }
}
