// A warp's access as a picture: see drawing.h.
#include "drawing.h"

enum {
    WORD = 4,
    CELL = 14,
    LABELS = 46,
    LINE_LABELS = 74,
    HEAD = 18,
    LINE_WORDS = KL_LINE_BYTES / WORD,
    SECTOR_WORDS = KL_SECTOR_BYTES / WORD
};

static bool is_on(uint32_t lanes, int lane) { return lanes >> lane & 1; }

// ---- Banks ----

static uint32_t banks_of(const kl_bank_access *a) {
    return a->banks > 0 && a->banks < KL_MAP_BANKS ? a->banks : KL_MAP_BANKS;
}

static void put_columns(FILE *out, double x, double y, double cell, int rows, uint32_t banks) {
    for (uint32_t b = 0; b < banks; b++)
        kl_paper_rect(out, x + b * cell, y, cell - 1, rows * cell - 1, "cell");
}

void kl_bank_words_draw(FILE *out, double x, double y, double cell, int rows,
                        const kl_bank_access *a) {
    uint32_t banks = banks_of(a);
    put_columns(out, x, y, cell, rows, banks);
    for (int l = 0; l < KL_MAP_LANES; l++)
        for (uint32_t k = 0; is_on(a->lanes, l) && k < a->words; k++) {
            uint64_t word = a->word[l] + k;
            if (a->served[l][k].shares) continue;
            kl_paper_rect(out, x + (double)(word % banks) * cell, y + (double)(word / banks) * cell,
                          cell - 1, cell - 1, a->served[l][k].waits ? "bad" : "good");
        }
}

// Neighbouring words of a lane that fare alike are one shape.
static void put_lane(FILE *out, const kl_bank_access *a, int lane, double y) {
    for (uint32_t k = 0; k < a->words;) {
        uint32_t banks = banks_of(a), end = k + 1, first = (uint32_t)((a->word[lane] + k) % banks);
        while (end < a->words && first + (end - k) < banks &&
               a->served[lane][end].wavefront == a->served[lane][k].wavefront &&
               a->served[lane][end].waits == a->served[lane][k].waits &&
               a->served[lane][end].shares == a->served[lane][k].shares)
            end++;
        double x = LABELS + first * CELL, width = (end - k) * CELL - 1;
        kl_paper_rect(out, x, y, width, CELL - 1, a->served[lane][k].waits ? "bad" : "good");
        kl_paper_text(out, x + width / 2, y + CELL - 4, "on m", "%s%u",
                      a->served[lane][k].shares ? "=" : "", a->served[lane][k].wavefront + 1);
        k = end;
    }
}

void kl_bank_map_draw(FILE *out, const kl_bank_access *a, const char *title) {
    double height = HEAD + KL_MAP_LANES * CELL;
    uint32_t banks = banks_of(a);
    kl_paper_begin_plain(out, LABELS + banks * CELL + 12, height + 6, title);
    kl_paper_text(out, LABELS - 8, HEAD - 6, "n e", "bank");
    for (uint32_t b = 0; b < banks; b += b == banks - 4 ? 3 : 4)
        kl_paper_text(out, LABELS + b * CELL + CELL / 2.0, HEAD - 6, "n m", "%u", b);
    put_columns(out, LABELS, HEAD, CELL, KL_MAP_LANES, banks);
    for (int l = 0; l < KL_MAP_LANES; l++) {
        double y = HEAD + l * CELL;
        kl_paper_text(out, LABELS - 8, y + CELL - 4, "n e", l % 4 == 0 ? "lane %d" : "%d", l);
        if (is_on(a->lanes, l)) put_lane(out, a, l, y);
    }
    kl_paper_end(out);
}

// ---- Sectors ----

enum { LINES_MOST = KL_MAP_PARTS * KL_MAP_LANES };

// Byte k of a lane.
static uint64_t byte_at(const kl_sector_access *a, int lane, uint32_t k) {
    return a->address[lane] + (a->apart > 0 ? k / WORD * a->apart + k % WORD : k);
}

// The cache lines that are touched, ascending; returns their number.
static int find_lines(const kl_sector_access *a, uint64_t lines[LINES_MOST]) {
    int count = 0;
    for (int l = 0; l < KL_MAP_LANES; l++) {
        for (uint32_t k = 0; is_on(a->lanes, l) && k < a->bytes; k++) {
            uint64_t line = byte_at(a, l, k) / KL_LINE_BYTES;
            int at = count;
            while (at > 0 && lines[at - 1] > line) at--;
            if ((at > 0 && lines[at - 1] == line) || count == LINES_MOST) continue;
            for (int i = count; i > at; i--) lines[i] = lines[i - 1];
            lines[at] = line;
            count++;
        }
    }
    return count;
}

// Lanes at each word of a line: the first and the last, and how many; bytes: that are used.
typedef struct line_use {
    struct {
        int first, last, count;
        uint32_t bytes; // bit i: byte i of the word
    } words[LINE_WORDS];
} line_use;

static line_use use_of(const kl_sector_access *a, uint64_t line) {
    line_use use = {0};
    uint64_t begin = line * KL_LINE_BYTES;
    for (int l = 0; l < KL_MAP_LANES; l++) {
        int before = -1;
        for (uint32_t k = 0; is_on(a->lanes, l) && k < a->bytes; k++) {
            uint64_t at = byte_at(a, l, k) - begin;
            if (byte_at(a, l, k) < begin || at >= KL_LINE_BYTES) continue;
            int word = (int)(at / WORD);
            use.words[word].bytes |= UINT32_C(1) << at % WORD;
            if (word == before) continue;
            before = word;
            if (use.words[word].count++ == 0) use.words[word].first = l;
            use.words[word].last = l;
        }
    }
    return use;
}

static double word_x(int word) { // sectors stand a little apart
    return LINE_LABELS + word * CELL + word / SECTOR_WORDS * 4;
}

static bool same_lanes(const line_use *use, int a, int b) {
    return use->words[b].count == use->words[a].count &&
           use->words[b].first == use->words[a].first && use->words[b].last == use->words[a].last;
}

// The words of one lane, or of the same lanes, or of nobody, are one shape, as far as a sector
// goes.
static void put_words(FILE *out, const line_use *use, int sector, double y) {
    int stop = (sector + 1) * SECTOR_WORDS;
    for (int w = sector * SECTOR_WORDS, end; w < stop; w = end) {
        for (end = w + 1; end < stop && same_lanes(use, w, end);) end++;
        double x = word_x(w), width = (end - w) * CELL - 1;
        int used = __builtin_popcount(use->words[w].bytes), first = use->words[w].first;
        if (used < WORD) kl_paper_rect(out, x, y, width, CELL + 1, "bad");
        if (used == 0) continue;
        kl_paper_rect(out, x, y, width * used / WORD, CELL + 1, "good");
        if (use->words[w].count == 1)
            kl_paper_text(out, x + width / 2, y + CELL - 3, "on m", "%d", first);
        else if (width > 2 * CELL)
            kl_paper_text(out, x + width / 2, y + CELL - 3, "on m", "%d-%d", first,
                          use->words[w].last);
        else kl_paper_text(out, x + width / 2, y + CELL - 3, "on m", "=%d", use->words[w].count);
    }
}

void kl_sector_map_draw(FILE *out, const kl_sector_access *a, const char *title) {
    enum { PITCH = CELL + 4 };
    uint64_t lines[LINES_MOST];
    int count = find_lines(a, lines);
    kl_paper_begin_plain(out, word_x(LINE_WORDS) + 10, HEAD + count * PITCH + 4, title);
    kl_paper_text(out, word_x(0) - 8, HEAD - 6, "n e", "128-byte line");
    for (int s = 0; s < LINE_WORDS / SECTOR_WORDS; s++) {
        double x = word_x(s * SECTOR_WORDS), width = SECTOR_WORDS * CELL - 1;
        kl_paper_text(out, x + width / 2, HEAD - 6, "n m", "sector %d", s);
        kl_paper_rect(out, x, HEAD, width, count * PITCH - 3, "cell");
    }
    for (int i = 0; i < count; i++) {
        line_use use = use_of(a, lines[i]);
        double y = HEAD + i * PITCH;
        kl_paper_text(out, word_x(0) - 8, y + CELL - 3, "n e", "+%" PRIu64,
                      (lines[i] - lines[0]) * KL_LINE_BYTES);
        for (int s = 0; s < LINE_WORDS / SECTOR_WORDS; s++) {
            bool touched = false;
            for (int w = s * SECTOR_WORDS; w < (s + 1) * SECTOR_WORDS; w++)
                touched = touched || use.words[w].count > 0;
            if (touched) put_words(out, &use, s, y);
        }
    }
    kl_paper_end(out);
}

// ---- Tiles ----

void kl_tile_map_draw(FILE *out, const kl_tile_map *tile, const char *title) {
    enum { WIDE = 56, HIGH = 18, GROUP = KL_MAP_BANKS / KL_TILE_CHUNKS };
    kl_paper_begin_plain(out, LABELS + KL_TILE_CHUNKS * WIDE + 12, HEAD + tile->lines * HIGH + 6,
                         title);
    kl_paper_text(out, LABELS - 8, HEAD - 6, "n e", "banks");
    for (int c = 0; c < KL_TILE_CHUNKS; c++)
        kl_paper_text(out, LABELS + c * WIDE + WIDE / 2.0, HEAD - 6, "n m", "%d-%d", c * GROUP,
                      c * GROUP + GROUP - 1);
    for (uint32_t l = 0; l < tile->lines; l++) {
        double y = HEAD + l * HIGH;
        kl_paper_text(out, LABELS - 8, y + HIGH - 6, "n e", "+%u", l * KL_LINE_BYTES);
        for (int c = 0; c < KL_TILE_CHUNKS; c++) {
            const kl_tile_chunk *at = &tile->at[l][c];
            char kind[] = "k0";
            kind[1] = (char)('0' + at->chunk % KL_PAPER_KINDS);
            double x = LABELS + c * WIDE;
            kl_paper_rect(out, x, y, WIDE - 1, HIGH - 1, at->is_used ? kind : "cell");
            if (at->is_used)
                kl_paper_text(out, x + WIDE / 2.0, y + HIGH - 6, "n m", "r%u c%u", at->row,
                              at->chunk);
        }
    }
    kl_paper_end(out);
}

// ---- Lanes at a branch ----

void kl_split_draw(FILE *out, uint32_t lanes, uint32_t jumped, const char *title) {
    enum { LANE = 20 }; // two digits of a size that can be read
    kl_paper_begin_plain(out, KL_MAP_LANES * LANE + 1, LANE + 2, title);
    for (int l = 0; l < KL_MAP_LANES; l++) {
        const char *kind = !is_on(lanes, l) ? "cell" : is_on(jumped, l) ? "k2" : "k0";
        kl_paper_rect(out, 1 + l * LANE, 1, LANE - 1, LANE, kind);
        if (is_on(lanes, l)) kl_paper_text(out, l * LANE + 10.5, LANE - 5, "v m", "%d", l);
    }
    kl_paper_end(out);
}
