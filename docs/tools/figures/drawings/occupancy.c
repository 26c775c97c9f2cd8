// Lab 03's deck: what limits the blocks of an SM, which columns each thread folds, how a thread
// waits, how many warps a latency needs, and what tighter launch bounds cost. See figure.h.
#include "device/device.h"
#include "figures/figure.h"
#include "measured.h"
#include "stored/stored.h"

enum { WIDTH = 640, LANES = 32 }; // narrow, so that a slide shows the text large

// ---- The limits, and which of them counts ----

static const struct {
    uint32_t threads, registers, shared_bytes;
} launches[] = {{256, 32, 0}, {64, 32, 0}, {256, 40, 0}, {1024, 40, 0}, {256, 32, 48 * 1024}};

void figure_draw_limits(void) {
    enum { COUNT = sizeof launches / sizeof launches[0], LIMITS = 4, LEFT = 176, CELL = 66 };
    enum { TOP = 66, ROW = 44, BAR = 132, BAR_LEFT = LEFT + LIMITS * CELL + 10 };
    static const char *const names[LIMITS] = {"warps", "slots", "registers", "shared"};
    const sim_device *device = sim_device_find(card_id);
    begin_figure(WIDTH, TOP + COUNT * ROW,
                 "Blocks that warps, block slots, registers and shared memory allow");
    put_text(8, 18, "t", "blocks per SM that each resource allows (%s)", device->name);
    put_text(8, 52, "v", "threads, registers, KiB");
    for (int l = 0; l < LIMITS; l++) put_text(LEFT + (l + 0.5) * CELL, 52, "v m", "%s", names[l]);
    put_text(BAR_LEFT, 52, "v", "warps, of %u", device->warps_per_sm);
    for (int i = 0; i < COUNT; i++) {
        double y = TOP + i * ROW;
        sim_occupancy o;
        sim_occupancy_compute(device, launches[i].threads, launches[i].registers,
                              launches[i].shared_bytes, &o);
        uint32_t limits[LIMITS] = {o.limit_warps, o.limit_blocks, o.limit_registers,
                                   o.limit_shared};
        put_text(8, y + 20, "v", "%u, %u, %u", launches[i].threads, launches[i].registers,
                 launches[i].shared_bytes / 1024);
        for (int l = 0; l < LIMITS; l++) {
            const char *kind = limits[l] == o.blocks_per_sm ? "k2" : "cell";
            put_rect(LEFT + l * CELL, y, CELL - 3, 30, kind);
            if (limits[l] > 99) // nothing of it is needed
                put_text(LEFT + (l + 0.5) * CELL - 1, y + 20, "v m", "-");
            else put_text(LEFT + (l + 0.5) * CELL - 1, y + 20, "v m", "%u", limits[l]);
        }
        put_rect(BAR_LEFT, y, BAR, 30, "cell");
        put_rect(BAR_LEFT, y, BAR * o.fraction, 30, "k1");
        put_text(BAR_LEFT + BAR + 8, y + 20, "v", "%u", o.warps_per_sm);
    }
}

// ---- Register files: portions, four partitions, and blocks that are too large ----

// Registers of a warp in whole units: what it needs, what it gets.
void figure_draw_portions(void) {
    enum { ROWS = 4, LEFT = 136, TOP = 48, ROW = 48, HIGH = 30, UNIT_WIDTH = 38 };
    static const uint32_t registers[ROWS] = {32, 33, 70, 72};
    const sim_device *device = sim_device_find(card_id);
    uint32_t unit = device->register_unit;
    begin_figure(WIDTH, TOP + ROWS * ROW, "Registers of a warp, in whole units");
    put_text(8, 20, "t", "registers of a warp, in units of %u (%s)", unit, device->name);
    for (int i = 0; i < ROWS; i++) {
        double y = TOP + i * ROW;
        uint32_t needed = LANES * registers[i], units = (needed + unit - 1) / unit;
        put_text(LEFT - 8, y + 20, "v e", "32 x %u = %u", registers[i], needed);
        put_rect(LEFT, y, units * UNIT_WIDTH, HIGH, "k2");
        put_rect(LEFT, y, needed * (double)UNIT_WIDTH / unit, HIGH, "k1");
        for (uint32_t u = 0; u <= units; u++)
            put_line(LEFT + u * UNIT_WIDTH, y - 4, LEFT + u * UNIT_WIDTH, y + HIGH + 4, "axis");
        put_text(LEFT + units * UNIT_WIDTH + 8, y + 20, "v", "%u, %u unused", units * unit,
                 units * unit - needed);
    }
}

// The warps that fit on an SM, each with all of its registers in one partition.
int figure_draw_partitions(void) {
    enum { REGISTERS = 70, UNIT = 256, LEFT = 108, TOP = 60, ROW = 50, SPAN = 420, HIGH = 34 };
    const sim_device *device = sim_device_find(card_id);
    uint32_t parts = device->schedulers_per_sm, part = device->registers_per_sm / parts;
    uint32_t warp = (LANES * REGISTERS + UNIT - 1) / UNIT * UNIT, fits = part / warp;
    double scale = (double)SPAN / part;
    sim_occupancy o;
    sim_occupancy_compute(device, LANES, REGISTERS, 0, &o);
    if (o.limit_registers != parts * fits) {
        fputs("ladder-docs figure: the partitions hold another number of warps\n", stderr);
        return 1;
    }
    begin_figure(WIDTH, TOP + parts * ROW + 22,
                 "Warps in the four partitions of an SM's register file");
    put_text(8, 18, "t", "register file of an SM (%s), %d registers per thread", device->name,
             REGISTERS);
    put_text(8, 40, "v", "a warp: %d x %d = %d, in units of %d: %u", LANES, REGISTERS,
             LANES * REGISTERS, UNIT, warp);
    for (uint32_t p = 0; p < parts; p++) {
        double y = TOP + p * ROW;
        put_text(LEFT - 8, y + 21, "v e", "partition %u", p);
        put_rect(LEFT, y, SPAN, HIGH, "k2");
        for (uint32_t w = 0; w < fits; w++) {
            put_rect(LEFT + w * warp * scale, y, warp * scale - 2, HIGH, "k1");
            put_text(LEFT + (w + 0.5) * warp * scale, y + 21, "v m", "%u", p + w * parts);
        }
        put_text(LEFT + SPAN + 8, y + 21, "v", "%u left over", part - fits * warp);
    }
    put_text(LEFT, TOP + parts * ROW + 8, "v",
             "%u warps of %u registers fit in each partition, %u on the SM", fits, warp,
             o.limit_registers);
    kl_paper_end(stdout);
    return 0;
}

void figure_draw_block_registers(void) {
    enum { THREADS = 1024, LEFT = 150, TOP = 56, ROW = 48, HIGH = 32, ROWS = 4, SPAN = 330 };
    static const uint32_t registers[ROWS] = {32, 40, 64, 72};
    const sim_device *device = sim_device_find(card_id);
    double scale = (double)SPAN / device->registers_per_sm;
    begin_figure(WIDTH, TOP + ROWS * ROW, "Blocks of 1024 threads in the register file of an SM");
    put_text(8, 18, "t", "blocks of %d threads in %u registers (an SM of %s)", THREADS,
             device->registers_per_sm, device->name);
    for (int i = 0; i < ROWS; i++) {
        double y = TOP + i * ROW, each = (double)registers[i] * THREADS * scale;
        sim_occupancy o;
        sim_occupancy_compute(device, THREADS, registers[i], 0, &o);
        uint32_t blocks = o.blocks_per_sm;
        put_text(LEFT - 8, y + 20, "v e", "%u per thread", registers[i]);
        put_rect(LEFT, y, SPAN, HIGH, "cell");
        for (uint32_t b = 0; b < (blocks > 0 ? blocks : 1); b++)
            put_rect(LEFT + b * each, y, each - 2, HIGH, blocks > 0 ? "k1" : "k2");
        put_text(LEFT + 8, y + 20, "v", "%u", registers[i] * THREADS);
        put_text(LEFT + SPAN + 56, y + 20, "v",
                 blocks > 1    ? "%u blocks"
                 : blocks == 1 ? "%u block"
                               : "%u: refused",
                 blocks);
    }
    put_line(LEFT + SPAN, TOP - 10, LEFT + SPAN, TOP + ROWS * ROW - 8, "dash");
}

// ---- Which columns each thread folds ----

void figure_draw_fold(void) {
    enum { THREADS = 8, COLUMNS = 32, ROUNDS = 4, CELL = 18, LOW = 13, LEFT = 56, PANEL = 100 };
    begin_figure(WIDTH, 3 * PANEL + 2,
                 "The columns that each of eight threads folds: one, two or four");
    for (int p = 0; p < 3; p++) {
        int each = 1 << p, block = THREADS * each;
        double top = p * PANEL + 26;
        put_text(LEFT, top - 8, "t", "%d column%s per thread: %d load%s, then one wait", each,
                 each == 1 ? "" : "s", each, each == 1 ? "" : "s");
        for (int r = 0; r < ROUNDS; r++) {
            put_text(LEFT - 6, top + r * (LOW + 2) + 11, "v e", "round %d", r);
            for (int c = 0; c < COLUMNS; c++) {
                char kind[3] = {'k', (char)('0' + c % THREADS), '\0'};
                put_rect(LEFT + c * CELL, top + r * (LOW + 2), CELL - 2, LOW,
                         c < block ? kind : "cell");
                if (r == 0 && c < block)
                    put_text(LEFT + c * CELL + CELL / 2.0 - 1, top + 11, "v m", "%d", c % THREADS);
            }
        }
    }
}

// ---- One thread over time ----

// A thread issues `loads` loads and then, for each, a multiply-add that waits for it. Returns the
// elements that it has folded in the span.
static int draw_thread(int loads, double left, double y, double scale) {
    enum { ISSUE = 10, LATENCY = 200, SPAN = 1000 };
    double now = 0;
    int folded = 0;
    while (now + LATENCY < SPAN) {
        double issued = now + loads * ISSUE, arrives = now + LATENCY;
        for (int l = 0; l < loads; l++)
            put_rect(left + (now + l * ISSUE) * scale, y, ISSUE * scale - 1, 26, "good");
        if (arrives > issued)
            put_rect(left + issued * scale, y, (arrives - issued) * scale, 26, "k2");
        now = fmax(arrives, issued);
        for (int l = 0; l < loads; l++)
            put_rect(left + (now + l * ISSUE) * scale, y, ISSUE * scale - 1, 26, "k0");
        now += loads * ISSUE;
        folded += loads;
    }
    return folded;
}

void figure_draw_waits(void) {
    enum { LEFT = 70, ROW = 58, TOP = 48 };
    begin_figure(WIDTH, TOP + 4 * ROW, "A thread with 1, 2, 4 and 8 loads in flight");
    put_text(8, 18, "t", "one thread; green: issues a load, orange: waits, blue: multiply-add");
    for (int i = 0; i < 4; i++) {
        int loads = 1 << i;
        double y = TOP + i * ROW;
        int folded = draw_thread(loads, LEFT, y, 0.44);
        put_text(LEFT - 8, y + 17, "v e", "%d load%s", loads, loads == 1 ? "" : "s");
        put_text(WIDTH - 8, y + 17, "v e", "%d elements", folded);
    }
}

// ---- Little's law, for a measured card ----

int figure_draw_warps_needed(const json_t *run, const json_t *latency) {
    enum { REQUEST = 128, MOST = 64, LEFT = 120, TOP = 84, ROW = 46, SPAN = 440 };
    const json_t *device = json_object_get(run, "device");
    double read = measured_number(json_object_get(run, "ceilings"), "read_gbs");
    double sms = measured_number(device, "multiprocessors");
    double cycles = measured_number(json_object_get(latency, "cycles"), "dram");
    double ns = cycles / measured_number(latency, "clock_mhz") * 1e3, bytes = read * ns / sms;
    if (!(bytes > 0) || strcmp(measured_device(run), measured_device(latency)) != 0) {
        fputs("ladder-docs figure: no rate, or no latency of the same card\n", stderr);
        return 1;
    }
    double scale = SPAN / (bytes / REQUEST * 1.12);
    figure_words words = {.length = 0};
    figure_say(&words, "Warps per SM that keep the memory busy as bars, %s, which has %d",
               measured_device(run), MOST);
    for (int i = 0; i < 4; i++)
        figure_value(&words, ceil(bytes / REQUEST / (1 << i)), "%.0f (%d load%s in flight each)",
                     ceil(bytes / REQUEST / (1 << i)), 1 << i, i > 0 ? "s" : "");
    figure_say_extremes(&words);
    begin_figure(WIDTH, TOP + 4 * ROW + 24, words.text);
    put_text(8, 18, "t", "%s: %.0f GB/s x %.0f ns = %.2f MB in flight", //
             measured_device(run), read, ns, read * ns * 1e-6);
    put_text(8, 40, "t", "per SM %.0f bytes: %.0f requests of %d bytes", bytes,
             ceil(bytes / REQUEST), REQUEST);
    put_text(LEFT + MOST * scale, TOP - 10, "v m", "an SM has %d", MOST);
    for (int i = 0; i < 4; i++) {
        double y = TOP + i * ROW, warps = ceil(bytes / REQUEST / (1 << i));
        put_text(LEFT - 8, y + 20, "v e", "%d load%s each", 1 << i, i > 0 ? "s" : "");
        put_rect(LEFT, y, warps * scale, 30, warps > MOST ? "k2" : "k1");
        put_text(LEFT + warps * scale + 6, y + 20, "v", "%.0f warps", warps);
    }
    put_line(LEFT + MOST * scale, TOP - 4, LEFT + MOST * scale, TOP + 4 * ROW, "dash");
    kl_paper_end(stdout);
    return 0;
}

// ---- What a launch bound costs: a file of times ----

enum { BOUNDS = 6 };

typedef struct bounds {
    char device[128];
    int count, blocks[BOUNDS], registers[BOUNDS], local[BOUNDS]; // local: bytes
    double us[BOUNDS];
} bounds;

// The kernel of step 8: 32 columns, 256 threads, 8 blocks per SM by its shared memory. False after
// a message.
static bool read_bounds(const json_t *table, bounds *out) {
    *out = (bounds){.count = 0};
    snprintf(out->device, sizeof out->device, "%s", measured_device(table));
    size_t row;
    json_t *r;
    json_array_foreach(json_object_get(table, "rows"), row, r) {
        int i = out->count;
        if (i == BOUNDS || strcmp(measured_text(r, "kernel"), "fold") != 0 ||
            measured_number(r, "columns") != 32 || measured_number(r, "threads") != 256 ||
            measured_number(r, "shared_limit_blocks") != 8 ||
            !(measured_number(r, "min_blocks") >= 3))
            continue;
        out->blocks[i] = (int)measured_number(r, "min_blocks");
        out->registers[i] = (int)measured_number(r, "registers");
        out->local[i] = (int)measured_number(r, "local_bytes");
        out->us[i] = measured_number(r, "us");
        out->count++;
    }
    if (out->count == 0) fprintf(stderr, "ladder-docs figure: no rows of step 8's kernel\n");
    return out->count > 0;
}

int figure_draw_bounds(const char *name) {
    enum { LEFT = 250, TOP = 62, ROW = 42, SPAN = 300, SLOW = 100, MOST = 120 };
    bounds all;
    figure_words words = {.length = 0};
    json_t *table = measured_document(name);
    bool good = table && read_bounds(table, &all);
    json_decref(table);
    if (!good) return 1;
    figure_say(&words,
               "Time of step 8's kernel by the blocks per SM that are asked for, microseconds, %s",
               all.device);
    for (int i = 0; i < all.count; i++)
        figure_value(&words, all.us[i], "%.1f (%d blocks, %d registers, %d local bytes)", all.us[i],
                     all.blocks[i], all.registers[i], all.local[i]);
    figure_say_extremes(&words);
    begin_figure(WIDTH, TOP + 5 * ROW + 6, words.text);
    put_text(8, 18, "t", "microseconds, %s", all.device);
    for (int i = 0; i < all.count; i++) {
        double y = TOP + i * ROW, width = all.us[i] / MOST * SPAN;
        put_text(34, y + 19, "v m", "%d", all.blocks[i]);
        put_text(116, y + 19, "v m", "%d", all.registers[i]);
        put_text(204, y + 19, "v m", "%d", all.local[i]);
        put_rect(LEFT, y, width, 28, all.local[i] > 0 || all.us[i] > SLOW ? "k2" : "k1");
        put_text(LEFT + width + 6, y + 19, "v", "%.1f", all.us[i]);
    }
    put_text(34, 48, "v m", "blocks");
    put_text(116, 48, "v m", "registers");
    put_text(204, 48, "v m", "local bytes");
    kl_paper_end(stdout);
    return 0;
}
