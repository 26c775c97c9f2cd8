// Lab 14: where the time of an SM goes: cycles of products and of exponentials, two groups that
// alternate, tiles that a causal mask leaves, the order of tiles of unequal length; what a thread
// keeps in registers, and what rounding may do to a result. See figure.h. Cycles follow from the
// rates of the simulator's device and from its cost of a product of a warp group; latencies are
// left out.
#include "device/device.h"
#include "figures/figure.h"
#include "machine/machine.h"
#include "program/program.h"
#include "stored/stored.h"

enum { QUERIES = 64, KEYS = 128, SCORES = QUERIES * KEYS };

// Cycles of an SM's tensor cores for `rows` x `columns` sums of `depth` by a warp group.
static double product_cycles(int rows, int columns, int depth) {
    const sim_matrix matrix = {.m = 64, .n = (uint16_t)columns, .k = 16};
    const sim_instr instr = {.op = SIM_OP_WGMMA, .extra = (void *)&matrix};
    return issue_group_cycles(&instr) * (rows / 64.0) * (depth / 16.0);
}

static double exponential_cycles(double count) {
    const sim_device *device = sim_device_find(card_id);
    return count / (SIM_WARP_LANES * device->schedulers_per_sm * device->xu_rate);
}

// One other instruction for each of `count` elements, on all four schedulers.
static double issue_cycles(double count) {
    const sim_device *device = sim_device_find(card_id);
    return count / (SIM_WARP_LANES * device->schedulers_per_sm * device->issue_rate);
}

// ---- Cycles of one tile of keys ----

static void put_bar(double y, const char *name, double cycles, const char *shape, double scale) {
    enum { LEFT = 250 };
    put_text(LEFT - 10, y + 16, "v e", "%s", name);
    put_rect(LEFT, y, cycles * scale, 24, shape);
    put_text(LEFT + cycles * scale + 8, y + 16, "v", "%.0f", cycles);
}

void figure_draw_attention_units(void) {
    enum { ROW = 32, TOP = 40 };
    static const int widths[] = {128, 64};
    double y = TOP;
    begin_figure(700, 330, "Cycles of an SM for 64 queries and 128 keys, by unit");
    put_text(16, 20, "t", "cycles of an SM for %d queries and %d keys", QUERIES, KEYS);
    for (int w = 0; w < 2; w++, y += 24) {
        double products =
            product_cycles(QUERIES, KEYS, widths[w]) + product_cycles(QUERIES, widths[w], KEYS);
        put_text(16, y + 16, "t", "width %d", widths[w]);
        put_bar(y, "two products", products, "k0", 0.38);
        put_bar(y += ROW, "exponentials", exponential_cycles(SCORES), "k2", 0.38);
        put_bar(y += ROW, "one other instruction per score", issue_cycles(SCORES), "k6", 0.38);
        y += ROW;
    }
    put_text(16, y - 4, "v",
             "two products: %d x %d x width multiply-adds each, by wgmma; exponentials: %.0f "
             "per cycle and SM",
             QUERIES, KEYS, SCORES / exponential_cycles(SCORES));
    put_text(16, y + 14, "v",
             "other instructions: maximum, multiply-add, sum, conversion; %.0f lanes per "
             "cycle and SM",
             SCORES / issue_cycles(SCORES));
}

// ---- Two groups, and when the tensor cores have work ----

typedef struct plan {
    double x, y, scale, products, softmax, end, busy;
} plan;

static void put_span(plan *p, int row, double from, double to, const char *shape,
                     const char *name) {
    enum { ROW = 30 };
    if (from >= p->end) return;
    to = fmin(to, p->end);
    put_rect(p->x + from * p->scale, p->y + row * ROW, (to - from) * p->scale - 1, ROW - 5, shape);
    if ((to - from) * p->scale > 52)
        put_text(p->x + (from + to) / 2 * p->scale, p->y + row * ROW + 17, "v m", "%s", name);
    if (*shape == 'k' && shape[1] == '0') p->busy += to - from;
}

static void put_share(plan *p, int groups) {
    put_text(p->x + p->end * p->scale + 12, p->y + groups * 15 - 10, "v", "tensor cores");
    put_text(p->x + p->end * p->scale + 12, p->y + groups * 15 + 6, "v", "%.0f %%",
             100 * p->busy / p->end);
    for (int g = 0; g < groups; g++)
        put_text(p->x - 8, p->y + g * 30 + 17, "v e", "group %d", g + 1);
}

// Both groups do the same at the same time: each gets half of the unit. busy counts both halves.
static void draw_together(plan p, int groups) {
    for (double at = 0; at < p.end;) {
        double product = p.products * groups, rest = p.softmax * groups;
        for (int g = 0; g < groups; g++) {
            put_span(&p, g, at, at + product, "k0", "products");
            put_span(&p, g, at + product, at + product + rest, "k2", "softmax");
        }
        at += product + rest;
    }
    p.busy /= groups;
    put_share(&p, groups);
}

// One group has the tensor cores for its products, then the other.
static void draw_alternating(plan p) {
    double ready[2] = {0, 0}, unit = 0;
    for (int g = 0; unit < p.end; g = !g) {
        double from = fmax(ready[g], unit);
        unit = from + p.products;
        ready[g] = unit + p.softmax;
        put_span(&p, g, from, unit, "k0", "products");
        put_span(&p, g, unit, ready[g], "k2", "softmax");
    }
    put_share(&p, 2);
}

void figure_draw_attention_groups(void) {
    enum { WIDTH = 128, SPAN = 6144 };
    // The maximum needs all scores; then multiply-adds and sums hide behind the exponentials, and
    // conversions and the outputs times their factor follow.
    double softmax = issue_cycles(SCORES) + exponential_cycles(SCORES) +
                     issue_cycles(SCORES / 2.0) + issue_cycles(QUERIES * WIDTH);
    plan p = {.x = 76, .y = 52, .scale = 0.085, .end = SPAN, .softmax = softmax};
    p.products = product_cycles(QUERIES, KEYS, WIDTH) + product_cycles(QUERIES, WIDTH, KEYS);
    begin_figure(700, 330, "When one group, two together and two that alternate multiply");
    put_text(16, 20, "t",
             "%d cycles of an SM; %.0f for two products, %.0f for a softmax, of 64 queries and "
             "128 keys",
             SPAN, p.products, softmax);
    put_text(p.x, p.y - 8, "v", "one group");
    draw_together(p, 1);
    p.y += 68;
    put_text(p.x, p.y - 8, "v", "two groups that do the same at the same time");
    draw_together(p, 2);
    p.y += 98;
    put_text(p.x, p.y - 8, "v", "two groups that alternate");
    draw_alternating(p);
    put_text(16, 318, "v",
             "computed from the rates of the units, without latencies and without waits for "
             "tiles");
}

// ---- What a causal mask leaves ----

// Tiles of `side` queries and keys: the last query sees the last key.
static void draw_mask(double x, double y, int queries, int keys, const char *name) {
    enum { CELL = 26, SIDE = 64 };
    int counts[3] = {0};
    put_text(x, y - 24, "t", "%s", name);
    for (int i = 0; i < queries; i++)
        for (int j = 0; j < keys; j++) {
            int first_sees = i * SIDE + (keys - queries) * SIDE, last_sees = first_sees + SIDE - 1;
            int kind = j * SIDE > last_sees ? 0 : (j + 1) * SIDE - 1 > first_sees ? 1 : 2;
            static const char *const shapes[] = {"cell", "k2", "k1"};
            counts[kind]++;
            put_rect(x + j * CELL, y + i * CELL, CELL - 2, CELL - 2, shapes[kind]);
        }
    double low = y + queries * CELL + 18;
    put_text(x, low, "v", "%d of %d tiles computed,", counts[1] + counts[2], queries * keys);
    put_text(x, low + 16, "v", "%d of them with a mask", counts[1]);
}

void figure_draw_causal_tiles(void) {
    begin_figure(700, 320, "Tiles of queries and keys that a causal mask leaves");
    put_text(16, 20, "t",
             "down: tiles of queries; across: tiles of keys; grey: skipped, orange: with a "
             "mask, green: whole");
    draw_mask(24, 72, 8, 8, "as many queries as keys");
    draw_mask(270, 72, 4, 8, "fewer queries: aligned at the last key");
    draw_mask(542, 72, 8, 4, "more queries:");
    put_text(542, 64, "v", "half of them see no key");
}

// ---- Tiles of unequal length on a few SMs ----

typedef struct schedule {
    double x, y, scale;
    int sms, tiles, heads, end;
} schedule;

// Each tile goes to the SM that is free first; all tiles of a head, then the next head, or the
// longest tiles of all heads first.
static void draw_order(schedule *s, bool longest_first, const char *name) {
    enum { ROW = 18, MOST = 8 };
    int free_at[MOST] = {0}, work = 0;
    for (int t = 0; t < s->tiles * s->heads; t++) {
        int length = longest_first ? s->tiles - t / s->heads : t % s->tiles + 1, sm = 0;
        for (int k = 1; k < s->sms; k++)
            if (free_at[k] < free_at[sm]) sm = k;
        char shape[3] = {'h', (char)('0' + (length - 1) * 5 / (s->tiles - 1)), '\0'};
        put_rect(s->x + free_at[sm] * s->scale, s->y + sm * ROW, length * s->scale - 1, ROW - 3,
                 shape);
        free_at[sm] += length;
        work += length;
    }
    s->end = 0;
    for (int k = 0; k < s->sms; k++) s->end = free_at[k] > s->end ? free_at[k] : s->end;
    double end = s->x + s->end * s->scale;
    put_line(end, s->y - 6, end, s->y + s->sms * ROW, "dash");
    put_text(s->x, s->y - 10, "t", "%s: %d, of it busy %.0f %%", name, s->end,
             100.0 * work / (s->end * s->sms));
}

void figure_draw_causal_schedule(void) {
    schedule s = {.x = 24, .y = 66, .scale = 22, .sms = 6, .tiles = 8, .heads = 4};
    begin_figure(700, 330, "Causal tiles of four heads on six SMs, in two orders");
    put_text(16, 20, "t",
             "a line: an SM; a box: a tile of queries, as long as the tiles of keys that it "
             "sees (1 to %d)",
             s.tiles);
    draw_order(&s, false, "head by head, from the first query");
    s.y += 146;
    draw_order(&s, true, "the longest of all heads first");
}

// ---- Registers of a thread that multiplies ----

void figure_draw_attention_registers(void) {
    enum { THREADS = 128, LEFT = 24, WHOLE = 650, HIGH = 44, Y = 62, WIDTH = 128 };
    enum { OUT = QUERIES * WIDTH / THREADS, SUMS = SCORES / THREADS, HALVES = SUMS / 2 };
    static const struct {
        int count;
        const char *name, *shape;
    } parts[] = {{OUT, "output", "k0"},
                 {SUMS, "scores", "k1"},
                 {HALVES, "halves", "k2"},
                 {0, "all else", "cell"}};
    const sim_device *device = sim_device_find(card_id);
    int most = (int)device->registers_per_thread, used = 0;
    double scale = WHOLE / (double)most, x = LEFT;
    begin_figure(700, 168, "Registers of a thread with 64 queries per warp group");
    put_text(LEFT, 22, "t",
             "registers of a thread: %d queries per warp group, %d keys per tile, width %d",
             QUERIES, KEYS, WIDTH);
    for (int i = 0; i < 4; i++) {
        int count = i < 3 ? parts[i].count : most - used;
        put_rect(x, Y, count * scale - 2, HIGH, parts[i].shape);
        put_text(x + 8, Y + 19, "v", "%d", count);
        put_text(x + 8, Y + 35, "v", "%s", parts[i].name);
        x += count * scale;
        used += count;
    }
    put_text(LEFT, Y + HIGH + 26, "v",
             "%d at most. An SM has %d: with three warp groups of equal share a thread gets "
             "%d;",
             most, (int)device->registers_per_sm, (int)device->registers_per_sm / 384 / 8 * 8);
    put_text(LEFT, Y + HIGH + 44, "v",
             "a producer that keeps 40 leaves %d for each thread of the two that multiply.",
             ((int)device->registers_per_sm - 128 * 40) / 256 / 8 * 8);
}

// ---- What an element of O may be off by ----

void figure_draw_attention_errors(void) {
    enum { LEFT = 110, TOP = 52, ROW = 36, SPAN = 470, COUNT = 5 };
    static const int keys[COUNT] = {64, 1024, 4096, 8192, 16384};
    const double mean = 0.5, half = 0x1p-11, cut = 0x1p-23; // mean magnitude of values below 1
    const double scale = SPAN / (mean * (half + keys[COUNT - 1] * cut));
    begin_figure(700, TOP + COUNT * ROW + 52,
                 "Bound of the error of an element of O by rounding to half and by additions");
    put_text(16, 22, "t", "bound of the error of O, values between -1 and 1, by number of keys");
    for (int i = 0; i < COUNT; i++) {
        double y = TOP + i * ROW, rounding = mean * half, additions = mean * keys[i] * cut;
        put_text(LEFT - 10, y + 17, "v e", "%d keys", keys[i]);
        put_rect(LEFT, y, rounding * scale, 25, "k2");
        put_rect(LEFT + rounding * scale, y, additions * scale, 25, "k0");
        put_text(LEFT + (rounding + additions) * scale + 8, y + 17, "v", "%.1e",
                 rounding + additions);
    }
    double low = TOP + COUNT * ROW + 18;
    put_text(16, low, "v",
             "orange: exponentials rounded to half, 2^-11 times the mean magnitude of values");
    put_text(16, low + 18, "v",
             "blue: as many additions as keys, each cut off at 2^-23 at worst; smaller terms "
             "are left out");
}
