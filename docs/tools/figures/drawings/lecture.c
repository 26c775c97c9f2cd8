// The opening deck: a grid of blocks, blocks on SMs, SMs of three cards, warps on the schedulers of
// an SM, warps at a barrier, the path of a tile. See figure.h. Schedules are drawn here by the rule
// that the picture is about; the cards' numbers are those of their rows (device/devices.def).
#include "device/device.h"
#include "figures/figure.h"

enum { WIDTH = 760 };

static void put_kind(double x, double y, double width, double height, int kind) {
    char shape[] = "k0";
    shape[1] = (char)('0' + kind % KL_PAPER_KINDS);
    put_rect(x, y, width, height, shape);
}

void figure_draw_launch_grid(void) {
    enum { BLOCKS = 4, THREADS = 8, ELEMENTS = 29, CELL = 18, LEFT = 84, GAP = 12, TOP = 30 };
    begin_figure(WIDTH, 132, "A grid of four blocks of eight threads over 29 elements");
    put_text(LEFT - 10, TOP + 18, "v e", "threadIdx.x");
    put_text(LEFT - 10, TOP + 64, "v e", "element i");
    for (int b = 0; b < BLOCKS; b++) {
        double x = LEFT + b * (THREADS * CELL + GAP);
        put_text(x + THREADS * CELL / 2.0, 16, "t m", "block %d", b);
        put_rect(x - 3, TOP - 5, THREADS * CELL + 4, 34, "frame");
        for (int t = 0; t < THREADS; t++) {
            int i = b * THREADS + t;
            double at = x + t * CELL, middle = at + CELL / 2.0 - 1;
            bool inside = i < ELEMENTS;
            put_kind(at, TOP, CELL - 2, 24, b);
            put_text(middle, TOP + 16, "v m", "%d", t);
            if (inside) put_arrow(middle, TOP + 28, middle, TOP + 44);
            if (inside) put_kind(at, TOP + 47, CELL - 2, 24, b);
            else put_rect(at, TOP + 47, CELL - 2, 24, "frame");
            put_text(middle, TOP + 63, "v m", "%d", i);
        }
    }
    put_text(WIDTH - 8, TOP + 92, "v e", "i < n keeps three threads from writing");
}

// Blocks of unequal length, each to the first SM that has room for it.
void figure_draw_block_schedule(void) {
    enum { SMS = 3, PLACES = 2, BLOCKS = 14, LEFT = 70, ROW = 26, UNIT = 42, TOP = 34 };
    static const int lengths[BLOCKS] = {7, 4, 5, 9, 6, 3, 6, 5, 8, 4, 5, 7, 4, 6};
    int free_at[SMS * PLACES] = {0}, end = 0;
    begin_figure(WIDTH, TOP + SMS * (PLACES * ROW + 14) + 30,
                 "Fourteen blocks on three SMs, each of which has room for two");
    put_text(LEFT, 16, "t", "time");
    put_arrow(LEFT + 40, 12, LEFT + 140, 12);
    for (int b = 0; b < BLOCKS; b++) {
        int place = 0; // first by time, then SM after SM
        for (int p = 0; p < SMS * PLACES; p++) {
            int row = p % SMS * PLACES + p / SMS; // one block to each SM, then the second one
            int best = place % SMS * PLACES + place / SMS;
            if (free_at[row] < free_at[best]) place = p;
        }
        int row = place % SMS * PLACES + place / SMS, sm = place % SMS;
        double x = LEFT + free_at[row] * UNIT, y = TOP + row * ROW + sm * 14;
        put_kind(x, y, lengths[b] * UNIT - 2, ROW - 3, b);
        put_text(x + lengths[b] * UNIT / 2.0, y + 16, "v m", "%d", b);
        free_at[row] += lengths[b];
        if (free_at[row] > end) end = free_at[row];
    }
    for (int sm = 0; sm < SMS; sm++) {
        double y = TOP + sm * (PLACES * ROW + 14);
        put_text(LEFT - 12, y + ROW + 2, "v e", "SM %d", sm);
        put_rect(LEFT - 4, y - 4, end * UNIT + 6, PLACES * ROW + 4, "frame");
    }
    put_text(LEFT, TOP + SMS * (PLACES * ROW + 14) + 18, "v",
             "a block that ends makes room for the next one; at the end places stay empty");
}

// `count` squares in rows of `columns`; the number above them.
static void put_units(double x, double y, int count, int columns, const char *shape,
                      const char *what) {
    enum { UNIT = 9 };
    put_text(x, y - 5, "v", "%d %s", count, what);
    for (int i = 0; i < count; i++)
        put_rect(x + i % columns * UNIT, y + i / columns * UNIT, UNIT - 2, UNIT - 2, shape);
}

// A memory as a bar, 0.8 px per KiB.
static void put_bytes(double x, double y, double bytes, const char *shape, const char *what) {
    put_text(x, y - 5, "v", "%.0f KiB of %s", bytes / 1024, what);
    put_rect(x, y, bytes / 1024 * 0.8, 13, shape);
}

// One SM of three cards, all to one scale.
void figure_draw_sm_then_now(void) {
    enum { LANES = 32, CARDS = 3, LEFT = 16, PITCH = 250, WIDE = 16, TOP = 70, HEIGHT = 366 };
    static const char *const ids[CARDS] = {"gtx8800", "k40", "h100"};
    static const char *const ages[CARDS] = {"2006, G80", "2013, Kepler", "2022, Hopper"};
    begin_figure(WIDTH, HEIGHT, "One SM of three cards, drawn to one scale");
    for (int i = 0; i < CARDS; i++) {
        const sim_device *d = sim_device_find(ids[i]);
        double x = LEFT + i * PITCH, issue = d->schedulers_per_sm * (double)LANES;
        bool one_memory = d->l1_and_shared_bytes > 0;
        put_text(x, 20, "t", "%s", ages[i]);
        put_text(x, 38, "v", "%s, %u SMs", d->name, d->sm_count);
        put_units(x, TOP, (int)(d->fma_rate * issue + 0.5), WIDE, "k1", "lanes for floats");
        put_units(x, TOP + 136, (int)(d->xu_rate * issue + 0.5), WIDE, "k2", "special functions");
        put_units(x, TOP + 180, (int)d->warps_per_sm, WIDE, "k0", "warps at a time");
        put_bytes(x, TOP + 242, 4.0 * d->registers_per_sm, "k3", "registers");
        put_bytes(x, TOP + 280, one_memory ? d->l1_and_shared_bytes : d->shared_bytes_per_sm, "k7",
                  one_memory ? "shared memory and L1" : "shared memory");
    }
}

// What a warp does in a cycle: it has issued and waits `wait` cycles for the result.
void figure_draw_schedulers(void) {
    enum { SCHEDULERS = 4, WARPS = 4, CYCLES = 16, LEFT = 150, CELL = 34, ROW = 13, GAP = 12 };
    static const int waits[WARPS] = {5, 3, 7, 4};
    begin_figure(WIDTH, 34 + SCHEDULERS * (WARPS * ROW + GAP) + 26,
                 "Four schedulers of an SM, each with four warps, cycle by cycle");
    put_text(LEFT, 16, "t",
             "each scheduler issues one instruction per cycle, of a warp that is ready");
    for (int s = 0; s < SCHEDULERS; s++) {
        double top = 30 + s * (WARPS * ROW + GAP);
        int ready_at[WARPS] = {0}, next = 0;
        put_text(8, top + WARPS * ROW / 2.0 + 4, "v", "scheduler %d", s);
        for (int c = 0; c < CYCLES; c++) {
            int chosen = -1;
            for (int k = 0; k < WARPS && chosen < 0; k++)
                if (ready_at[(next + k) % WARPS] <= c) chosen = (next + k) % WARPS;
            for (int w = 0; w < WARPS; w++) {
                double x = LEFT + c * CELL, y = top + w * ROW;
                put_rect(x, y, CELL - 2, ROW - 2,
                         w == chosen        ? "good"
                         : ready_at[w] <= c ? "k0"
                                            : "cell");
            }
            if (chosen < 0) continue;
            ready_at[chosen] = c + 1 + waits[(chosen + s) % WARPS];
            next = chosen + 1;
        }
        for (int w = 0; w < WARPS; w++)
            put_text(LEFT - 8, top + w * ROW + 10, "v e", "warp %d", w * SCHEDULERS + s);
    }
    double y = 34 + SCHEDULERS * (WARPS * ROW + GAP) + 8;
    static const char *const shapes[] = {"good", "k0", "cell"};
    static const char *const words[] = {"issues", "ready, not chosen", "waits for a result"};
    for (int k = 0; k < 3; k++) {
        put_rect(LEFT + k * 160, y - 4, 16, 12, shapes[k]);
        put_text(LEFT + k * 160 + 22, y + 6, "v", "%s", words[k]);
    }
}

void figure_draw_barrier(void) {
    enum { WARPS = 4, LEFT = 90, ROW = 30, TOP = 34, UNIT = 50, AFTER = 4 };
    static const int writes[WARPS] = {4, 7, 5, 9}; // how long each warp needs until its write
    int last = 0;
    begin_figure(WIDTH, TOP + WARPS * ROW + 34, "Four warps at a barrier");
    for (int w = 0; w < WARPS; w++) last = writes[w] > last ? writes[w] : last;
    for (int w = 0; w < WARPS; w++) {
        double y = TOP + w * ROW, at = LEFT + writes[w] * UNIT, gate = LEFT + last * UNIT;
        put_text(LEFT - 10, y + 16, "v e", "warp %d", w);
        put_rect(LEFT, y, writes[w] * UNIT - 2, ROW - 6, "k0");
        put_text(LEFT + writes[w] * UNIT / 2.0, y + 16, "v m", "writes its part");
        if (writes[w] < last) {
            put_rect(at, y, gate - at - 2, ROW - 6, "cell");
            put_text((at + gate) / 2, y + 16, "v m", "waits");
        }
        put_rect(gate + 4, y, AFTER * UNIT, ROW - 6, "k1");
        put_text(gate + 4 + AFTER * UNIT / 2.0, y + 16, "v m", "reads the others'");
    }
    put_line(LEFT + last * UNIT + 1, TOP - 10, LEFT + last * UNIT + 1, TOP + WARPS * ROW + 4,
             "s2 line");
    put_text(LEFT + last * UNIT, TOP - 16, "t m", "__syncthreads()");
    put_text(LEFT, TOP + WARPS * ROW + 22, "v",
             "without it warp 0 would read what warp 3 has not written yet");
}

void figure_draw_tile_cycle(void) {
    enum { SIDE = 6, CELL = 22, TILE = 2, LEFT = 20, TOP = 40, SHARED = 300, RESULT = 560 };
    const double middle = TOP + SIDE * CELL / 2.0;
    begin_figure(WIDTH, TOP + SIDE * CELL + 40,
                 "A tile on its way: global memory, shared memory, global memory");
    put_text(LEFT, 18, "t", "global memory");
    put_text(SHARED, 18, "t", "shared memory of a block");
    put_text(RESULT, 18, "t", "global memory");
    for (int r = 0; r < SIDE; r++) {
        for (int c = 0; c < SIDE; c++) {
            int tile = r / TILE * (SIDE / TILE) + c / TILE;
            bool own = tile == 4;
            put_rect(LEFT + c * CELL, TOP + r * CELL, CELL - 2, CELL - 2, own ? "k0" : "cell");
            put_rect(RESULT + c * CELL, TOP + r * CELL, CELL - 2, CELL - 2, own ? "k1" : "cell");
        }
    }
    for (int r = 0; r < TILE; r++)
        for (int c = 0; c < TILE; c++)
            put_rect(SHARED + 30 + c * 40, middle - 40 + r * 40, 38, 38, "k0");
    put_arrow(LEFT + 4 * CELL + 4, middle, SHARED + 18, middle);
    put_text((LEFT + 4 * CELL + SHARED) / 2.0 + 20, middle - 10, "v m", "1  load together");
    put_arrow(SHARED + 122, middle, RESULT + 2 * CELL - 8, middle);
    put_text(SHARED + 70, middle + 62, "v m", "2  __syncthreads()");
    put_text(SHARED + 70, middle + 80, "v m", "3  use each value often");
    put_text((SHARED + 122 + RESULT + 2 * CELL) / 2.0 - 18, middle - 10, "v m", "4  write");
}
