// Lab 02's deck: what the banks do to step 2, how a shuffle reduces a warp, and how the last block
// finds out that it is the last. See figure.h. Wavefronts are asked of the simulator's own rule.
#include "figures/figure.h"
#include "memory/access.h"

enum { LANES = SIM_ACCESS_LANES, THREADS = 256 };

// Wavefronts of the first warp's load of word step * t in an iteration in which `active` threads
// add.
static unsigned wavefronts_of(int step, int active) {
    uint64_t offsets[LANES] = {0};
    uint32_t mask = active >= LANES ? UINT32_MAX : (1u << active) - 1;
    for (int l = 0; l < LANES; l++) offsets[l] = (uint64_t)(step * l) * SIM_BANK_BYTES;
    return sim_access_banks(offsets, mask, SIM_BANK_BYTES).wavefronts;
}

void figure_draw_strided_banks(void) {
    enum { LEFT = 130, ROW = 30, UNIT = 26 };
    begin_figure(760, 40 + 8 * ROW,
                 "Wavefronts of a load in the eight iterations of steps 2 and 3");
    put_text(LEFT, 18, "t", "step 2: word 2 * stride * t");
    put_text(LEFT + 330, 18, "t", "step 3: word t");
    for (int i = 0; i < 8; i++) {
        double y = 30 + i * ROW;
        int active = THREADS >> (i + 1), most = active < LANES ? active : LANES;
        unsigned strided = wavefronts_of(2 << i, active), sequential = wavefronts_of(1, active);
        put_text(LEFT - 10, y + 14, "v e", "%d thread%s", active, active == 1 ? " adds" : "s add");
        for (unsigned w = 0; w < strided; w++)
            put_rect(LEFT + w * UNIT, y, UNIT - 2, 20, w == 0 ? "good" : "bad");
        put_text(LEFT + strided * UNIT + 6, y + 14, "v", "%u", strided);
        for (unsigned w = 0; w < sequential; w++)
            put_rect(LEFT + 330 + w * UNIT, y, UNIT - 2, 20, "good");
        put_text(LEFT + 330 + sequential * UNIT + 6, y + 14, "v",
                 "%u (%d active thread%s in the warp)", sequential, most, most == 1 ? "" : "s");
    }
}

// Five shuffles: down, of which lane 0 has the result, or by XOR, of which all lanes have it.
static void draw_shuffles(bool by_xor, const char *title, const char *what) {
    enum { LEFT = 96, CELL = 20, ROW = 40 };
    int holds[LANES];
    for (int l = 0; l < LANES; l++) holds[l] = 1;
    begin_figure(760, 50 + 6 * ROW, title);
    put_text(LEFT, 18, "t", "%s", what);
    for (int row = 0; row <= 5; row++) {
        int distance = LANES >> row, matter = by_xor ? LANES : distance;
        double y = 30 + row * ROW;
        if (row == 0) put_text(LEFT - 10, y + 17, "v e", "at first");
        else put_text(LEFT - 10, y + 17, "v e", "after %d", distance);
        for (int l = 0; row > 0 && l < matter; l++)
            holds[l] += by_xor ? holds[l] : holds[l + distance];
        for (int l = 0; l < LANES; l++) {
            put_rect(LEFT + l * CELL, y, CELL - 2, 26, l < matter ? "k1" : "cell");
            if (l < matter)
                put_text(LEFT + l * CELL + CELL / 2.0 - 1, y + 17, "v m", "%d", holds[l]);
        }
    }
}

void figure_draw_shuffle(void) {
    draw_shuffles(false,
                  "How many values each lane's register holds the sum of, after each "
                  "shuffle: after the fifth, lane 0 has the sum of all 32",
                  "values that a lane's register is the sum of");
}

void figure_draw_butterfly(void) {
    draw_shuffles(true,
                  "Of how many values each lane's register holds the largest, after each "
                  "shuffle: after the fifth, every lane has the largest of all 32",
                  "values of which a lane's register holds the largest");
}

void figure_draw_last_block(void) {
    enum { BLOCKS = 5, LEFT = 110, ROW = 46, UNIT = 60 };
    static const double ends[BLOCKS] = {4.2, 3.1, 5.0, 3.6, 4.6}; // any order may come
    begin_figure(760, 50 + BLOCKS * ROW, "Blocks that end in any order, and the last one");
    put_text(LEFT, 18, "t", "each block: sum, store, fence, ticket");
    for (int b = 0; b < BLOCKS; b++) {
        double y = 32 + b * ROW, x = LEFT + ends[b] * UNIT;
        int ticket = 0;
        for (int other = 0; other < BLOCKS; other++) ticket += ends[other] < ends[b];
        put_text(LEFT - 10, y + 18, "v e", "block %d", b);
        put_rect(LEFT, y, ends[b] * UNIT - 2, 28, "k0");
        put_text(LEFT + 12, y + 18, "v", "sum of its share");
        put_rect(x, y, 96, 28, "k2");
        put_text(x + 48, y + 18, "v m", "ticket %d of %d", ticket, BLOCKS - 1);
        if (ticket < BLOCKS - 1) continue;
        put_rect(x + 98, y, 170, 28, "k1");
        put_text(x + 183, y + 18, "v m", "the last: adds all, in order");
    }
}
