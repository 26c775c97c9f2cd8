// How a warp meets the banks of shared memory (lab 01). See figure.h. Every pattern is a function
// from lanes to words; what it costs is asked of the simulator's own rule (memory/access.h).
#include "figures/figure.h"
#include "drawing.h"
#include "memory/access.h"

enum { LANES = SIM_ACCESS_LANES, BANKS = SIM_BANKS, ALL_LANES = -1 };

static uint32_t wavefronts(const unsigned words[LANES], unsigned words_per_lane) {
    uint64_t offsets[LANES];
    for (int l = 0; l < LANES; l++) offsets[l] = (uint64_t)words[l] * SIM_BANK_BYTES;
    return sim_access_banks(offsets, (uint32_t)ALL_LANES, words_per_lane * SIM_BANK_BYTES)
        .wavefronts;
}

// ---- Shared memory as a table: a column per bank ----

static unsigned same_word(unsigned lane) {
    (void)lane;
    return 5;
}
static unsigned stride_1(unsigned lane) { return lane; }
static unsigned stride_2(unsigned lane) { return 2 * lane; }
static unsigned column_32(unsigned lane) { return 32 * lane + 5; }
static unsigned column_33(unsigned lane) { return 33 * lane + 5; }
static unsigned column_xor(unsigned lane) { return 32 * lane + (5 ^ lane); }

static const struct {
    unsigned (*word)(unsigned lane);
    const char *title, *access;
} patterns[] = {
    {stride_1, "a row of tile[32][32]", "word l"},
    {same_word, "broadcast", "word 5 for all lanes"},
    {stride_2, "stride 2", "word 2 l"},
    {column_32, "a column of tile[32][32]", "word 32 l + 5"},
    {column_33, "a column of tile[32][33]", "word 33 l + 5"},
    {column_xor, "the same, column XOR row", "word 32 l + (5 XOR l)"},
};
enum { PATTERNS = sizeof patterns / sizeof patterns[0], ACROSS = 3 };

// A pattern's words, and when each is served.
static kl_bank_access access_of(unsigned (*word)(unsigned lane)) {
    kl_bank_access access = {.lanes = (uint32_t)ALL_LANES, .words = 1};
    sim_bank_round rounds[LANES][SIM_ACCESS_WORDS];
    uint64_t offsets[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        access.word[l] = word(l);
        offsets[l] = access.word[l] * SIM_BANK_BYTES;
    }
    sim_access_bank_rounds(offsets, access.lanes, SIM_BANK_BYTES, rounds);
    for (int l = 0; l < LANES; l++) {
        access.served[l][0].wavefront = rounds[l][0].wavefront;
        access.served[l][0].waits = rounds[l][0].rank > 0;
        for (int k = 0; k < l && !access.served[l][0].shares; k++)
            access.served[l][0].shares = access.word[k] == access.word[l];
    }
    return access;
}

static void draw_pattern(int at, double x, double y) {
    enum { CELL = 7, ROWS = 33 };
    kl_bank_access access = access_of(patterns[at].word);
    unsigned words[LANES];
    for (unsigned l = 0; l < LANES; l++) words[l] = patterns[at].word(l);
    uint32_t count = wavefronts(words, 1);
    put_text(x, y, "t", "%s", patterns[at].title);
    put_text(x, y + 15, "v", "lane l: %s", patterns[at].access);
    put_text(x, y + 30, "v", "%u wavefront%s", count, count == 1 ? "" : "s");
    double top = y + 38;
    kl_bank_words_draw(stdout, x, top, CELL, ROWS, &access);
    put_text(x, top + ROWS * CELL + 12, "v", "bank 0");
    put_text(x + BANKS * CELL, top + ROWS * CELL + 12, "v e", "bank 31");
}

// Patterns in rows of three.
static void draw_patterns(const int *which, int count) {
    enum { PITCH = 250, HEIGHT = 310, LEFT = 12 };
    int rows = (count + ACROSS - 1) / ACROSS;
    begin_figure(LEFT + ACROSS * PITCH, 24 + rows * HEIGHT,
                 "The words that the 32 lanes of a warp read, in the 32 banks of shared memory");
    for (int p = 0; p < count; p++)
        draw_pattern(which[p], LEFT + p % ACROSS * PITCH, 22 + p / ACROSS * HEIGHT);
    put_text(LEFT, 16 + rows * HEIGHT, "v",
             "A column of cells is a bank, a row 32 words in address order. Green: served by the "
             "first wavefront. Orange: has to wait for a later one.");
}

void figure_draw_banks(void) {
    static const int all[PATTERNS] = {0, 1, 2, 3, 4, 5};
    draw_patterns(all, PATTERNS);
}

int figure_draw_banks_of(const char *list) {
    int which[ACROSS] = {-1, -1, -1};
    bool known = sscanf(list, "%d,%d,%d", &which[0], &which[1], &which[2]) == ACROSS;
    for (int i = 0; i < ACROSS; i++) known = known && which[i] >= 0 && which[i] < PATTERNS;
    if (!known) {
        fprintf(stderr, "ladder-docs figure: %s: not three of the patterns 0 to %d\n", list,
                PATTERNS - 1);
        return 1;
    }
    draw_patterns(which, ACROSS);
    kl_paper_end(stdout);
    return 0;
}

// ---- XOR, small enough to read ----

enum { CORNER = 8, CORNER_CELL = 26, SHOWN_COLUMN = 2 };

// The corner of a tile: each cell says which column's element lies there; those of one column are
// marked.
static void draw_corner(double x, double y, const char *title, bool swizzled) {
    put_text(x, y, "t", "%s", title);
    double top = y + 24;
    for (unsigned b = 0; b < CORNER; b++)
        put_text(x + b * CORNER_CELL + CORNER_CELL / 2.0, top - 5, "v m", "%u", b);
    for (unsigned r = 0; r < CORNER; r++) {
        for (unsigned c = 0; c < CORNER; c++) {
            unsigned at = swizzled ? c ^ r : c;
            bool shown = c == SHOWN_COLUMN;
            double left = x + at * CORNER_CELL, above = top + r * CORNER_CELL;
            const char *kind = !shown ? "cell" : swizzled || r == 0 ? "k1" : "k2";
            put_rect(left, above, CORNER_CELL - 2, CORNER_CELL - 2, kind);
            put_text(left + CORNER_CELL / 2.0 - 1, above + CORNER_CELL / 2.0 + 3, "v m", "%u,%u", r,
                     c);
        }
    }
}

void figure_draw_swizzle(void) {
    enum { WIDTH = 540, HEIGHT = 298 };
    begin_figure(WIDTH, HEIGHT,
                 "A corner of the tile without and with XOR: the elements of column 2");
    draw_corner(14, 22, "tile[r][c], by bank", false);
    draw_corner(294, 22, "tile[r][c XOR r], by bank", true);
    put_text(14, HEIGHT - 27, "v", "Each cell holds the row and column of the element there.");
    put_text(14, HEIGHT - 12, "v", "Coloured: column 2, which a warp reads with one request.");
}

// ---- The 4 x 4 register tile of steps 5 and 6 ----

// Where lane l of warp 0 has its block in the tile, in quads (solutions/01_transpose).
static unsigned quad_column(unsigned lane) { return lane % 8; }
static unsigned quad_row(unsigned lane) { return lane / 8; }

// Wavefronts of the warp's store of column 4 qc + 0: tile[column][quad], 16 quads in a row.
static uint32_t store_wavefronts(bool swizzled) {
    unsigned words[LANES];
    for (unsigned l = 0; l < LANES; l++) {
        unsigned quad = swizzled ? quad_row(l) ^ quad_column(l) % 8 : quad_row(l);
        words[l] = 4 * (4 * quad_column(l) * 16 + quad);
    }
    return wavefronts(words, 4);
}

static const char *const kinds[] = {"k0", "k1", "k2", "k3"};

// Panel 1: the 64 x 64 tile in blocks of 4 x 4; those of warp 0 with their lanes.
static void draw_blocks(double x, double y) {
    enum { CELL = 14, QUADS = 16 };
    for (unsigned r = 0; r < QUADS; r++)
        for (unsigned c = 0; c < QUADS; c++)
            put_rect(x + c * CELL, y + r * CELL, CELL - 1, CELL - 1, "cell");
    for (unsigned l = 0; l < LANES; l++) {
        double left = x + quad_column(l) * CELL, top = y + quad_row(l) * CELL;
        put_rect(left, top, CELL - 1, CELL - 1, l == 0 ? "k1" : "k0");
        put_text(left + CELL / 2.0 - 0.5, top + 10.5, "v m", "%u", l);
    }
}

// Panels 2 and 3: the 16 registers of a thread, coloured by column; as loaded, each row a float4,
// and as stored, each column a float4.
static void draw_registers(double x, double y, bool turned) {
    enum { CELL = 30 };
    static const char rows[] = "abcd", columns[] = "xyzw";
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) {
            int across = turned ? r : c, down = turned ? c : r;
            double left = x + across * CELL, top = y + down * (CELL + 6);
            put_rect(left, top, CELL - (across < 3 ? 0 : 1), CELL - 1, kinds[c]);
            put_text(left + CELL / 2.0, top + CELL / 2.0 + 4, "v m", "%c.%c", rows[r], columns[c]);
        }
    }
    for (int k = 0; k < 4; k++) put_rect(x, y + k * (CELL + 6), 4 * CELL - 1, CELL - 1, "frame");
}

void figure_draw_register_tile(void) {
    enum { WIDTH = 760, HEIGHT = 318, TOP = 54 };
    begin_figure(WIDTH, HEIGHT, "A thread turns 4 x 4 elements in its registers");
    put_text(12, 20, "t", "1. who loads what");
    put_text(12, 36, "v", "64 x 64 tile, cells of 4 x 4 elements");
    draw_blocks(12, TOP);
    put_text(12, TOP + 240, "v", "lane numbers of warp 0; 8 lanes");
    put_text(12, TOP + 254, "v", "load 128 bytes of a row: 4 sectors");
    put_arrow(242, TOP + 68, 274, TOP + 68);
    put_text(280, 20, "t", "2. four float4 loads per thread");
    put_text(280, 36, "v", "a, b, c, d: four rows of the input");
    draw_registers(290, TOP, false);
    put_arrow(420, TOP + 68, 484, TOP + 68);
    put_text(452, TOP + 58, "v m", "registers");
    put_text(452, TOP + 84, "v m", "are renamed");
    put_text(500, 20, "t", "3. four float4 stores to shared memory");
    put_text(500, 36, "v", "columns of the input: rows of the output");
    draw_registers(500, TOP, true);
    put_text(280, TOP + 176, "v",
             "A float4 store of a warp moves 512 bytes: at least 4 wavefronts.");
    put_text(280, TOP + 193, "v", "tile[column][quad of rows]: %u wavefronts per store.",
             store_wavefronts(false));
    put_text(280, TOP + 210, "v",
             "tile[column][quad XOR quad of columns mod 8]: %u wavefronts per store.",
             store_wavefronts(true));
    put_text(280, TOP + 239, "v",
             "Shared memory is read as float4, too: 16 bytes per lane at every stage.");
}
