// Memory as a warp meets it (opening deck): sectors of a load, the kinds of memory by latency, the
// register file among blocks, a scoreboard. See figure.h. What an access costs is asked of the
// simulator's own rule (memory/access.h); latencies are measured ones (ladder.latency/1).
#include "figures/figure.h"
#include "measured.h"
#include "memory/access.h"
#include "device/device.h"
#include "stored/stored.h"

enum { LANES = SIM_ACCESS_LANES, ALL_LANES = -1, FLOAT = 4, SECTOR = 32 };

// ---- Sectors ----

static unsigned neighbours(unsigned l) { return l; }
static unsigned shifted(unsigned l) { return l + 1; }
static unsigned every_second(unsigned l) { return 2 * l; }
static unsigned every_eighth(unsigned l) { return 8 * l; }
static unsigned one_address(unsigned l) {
    (void)l;
    return 3;
}
static unsigned backwards(unsigned l) { return LANES - 1 - l; }

static const struct {
    unsigned (*word)(unsigned lane);
    const char *text;
} loads[] = {{neighbours, "x[t]"},  {backwards, "x[31 - t]"},   {one_address, "x[3]"},
             {shifted, "x[t + 1]"}, {every_second, "x[2 * t]"}, {every_eighth, "x[8 * t]"}};

void figure_draw_sectors(void) {
    enum { COUNT = sizeof loads / sizeof loads[0], LEFT = 92, CELL = 16, ROW = 44, SHOWN = 32 };
    begin_figure(760, 30 + COUNT * ROW,
                 "Sectors of 32 bytes that a warp touches with one load, for six patterns");
    put_text(LEFT, 18, "t",
             "the first 32 sectors of the array; a touched one is dark, and is moved whole");
    for (int p = 0; p < COUNT; p++) {
        uint64_t addresses[LANES];
        unsigned wanted[256] = {0};
        double y = 34 + p * ROW;
        for (unsigned l = 0; l < LANES; l++) {
            addresses[l] = (uint64_t)loads[p].word(l) * FLOAT;
            wanted[addresses[l] / SECTOR]++;
        }
        uint32_t sectors = sim_access_sectors(addresses, (uint32_t)ALL_LANES, FLOAT);
        put_text(LEFT - 10, y + 17, "v e", "%s", loads[p].text);
        for (int s = 0; s < SHOWN; s++)
            put_rect(LEFT + s * CELL, y, CELL - 2, 26, wanted[s] > 0 ? "h4" : "cell");
        put_text(LEFT + SHOWN * CELL + 8, y + 11, "v", "%u sectors", sectors);
        put_text(LEFT + SHOWN * CELL + 8, y + 25, "v", "%u of %u bytes used",
                 p == 2 ? FLOAT : LANES * FLOAT, sectors * SECTOR);
    }
}

// ---- The kinds of memory, by latency ----

static const struct {
    const char *key, *name, *seen;
} kinds[] = {
    {"register", "register", "one thread"},
    {"shared", "shared memory", "the threads of a block"},
    {"constant", "constant memory, cached", "all threads, read only"},
    {"local", "local memory, cached in L1", "one thread"},
    {"l1", "global memory, in the L1", "the threads of an SM's blocks"},
    {"l2", "global memory, in the L2", "all threads, and the host by copies"},
    {"dram", "global memory, in DRAM", "all threads, and the host by copies"},
};

int figure_draw_spaces(const json_t *latency) {
    enum { COUNT = sizeof kinds / sizeof kinds[0], LEFT = 190, ROW = 34, WIDTH = 300 };
    const json_t *cycles = json_object_get(latency, "cycles");
    figure_words words = {.length = 0};
    figure_say(&words, "Cycles that a thread waits for a value, by kind of memory, as bars, %s",
               measured_device(latency));
    for (int i = 0; i < COUNT; i++) {
        double value = measured_number(cycles, kinds[i].key);
        figure_value(&words, value, "%.*f (%s)", value < 9.95, value, kinds[i].name);
    }
    figure_say_extremes(&words);
    begin_figure(760, 34 + COUNT * ROW, words.text);
    put_text(LEFT, 18, "t", "cycles from load to use on %s (logarithmic)",
             measured_device(latency));
    for (int i = 0; i < COUNT; i++) {
        double value = measured_number(cycles, kinds[i].key), y = 30 + i * ROW;
        if (!(value > 0)) {
            fprintf(stderr, "ladder-docs figure: no latency of %s\n", kinds[i].key);
            return 1;
        }
        double width = WIDTH * log10(value) / 3;
        put_text(LEFT - 10, y + 16, "v e", "%s", kinds[i].name);
        put_rect(LEFT, y, width, 24, i < 2 ? "s1 area" : "s0 area");
        put_text(LEFT + width + 6, y + 16, "v", "%.*f", value < 9.95 ? 1 : 0, value);
        put_text(LEFT + WIDTH + 46, y + 16, "v", "%s", kinds[i].seen);
    }
    kl_paper_end(stdout);
    return 0;
}

// ---- A register file of 8192 words among blocks of 256 threads ----

void figure_draw_register_file(void) {
    enum { FILE_WORDS = 8192, THREADS = 256, LEFT = 150, WIDTH = 480, ROW = 62 };
    begin_figure(760, 30 + 2 * ROW + 10,
                 "How many blocks of 256 threads a register file of 8192 words holds");
    put_text(LEFT, 18, "t", "8192 registers of a G80's SM, blocks of 256 threads");
    for (int registers = 10; registers <= 11; registers++) {
        double y = 32 + (registers - 10) * ROW, scale = (double)WIDTH / FILE_WORDS;
        int each = registers * THREADS, blocks = FILE_WORDS / each;
        put_text(LEFT - 10, y + 20, "v e", "%d registers per thread", registers);
        for (int b = 0; b < blocks; b++) {
            put_rect(LEFT + b * each * scale, y, each * scale - 2, 32, "k0");
            put_text(LEFT + (b + 0.5) * each * scale, y + 20, "v m", "block %d: %d", b, each);
        }
        double used = blocks * each * scale;
        put_rect(LEFT + used, y, WIDTH - used, 32, "cell");
        put_text(LEFT + WIDTH + 8, y + 20, "v", "%d blocks", blocks);
    }
}

// ---- A scoreboard: when each instruction of a warp may issue ----

typedef struct instruction {
    const char *text, *key; // key: of the latency until the result is there
    int needs[2];           // instructions whose results it reads, -1: none
} instruction;

enum { PROGRAM_MOST = 8, PROGRAM_LEFT = 150, PROGRAM_ROW = 28, PROGRAM_WIDTH = 470 };

// Rows of `count` instructions from `top` on, `span` cycles wide.
static void draw_program(const json_t *latency, const instruction *program, int count, double top,
                         double span) {
    const json_t *cycles = json_object_get(latency, "cycles");
    double ready[PROGRAM_MOST], now = 0, scale = PROGRAM_WIDTH / span;
    for (int i = 0; i < count; i++) {
        double y = top + i * PROGRAM_ROW, from = now;
        for (int k = 0; k < 2; k++)
            if (program[i].needs[k] >= 0) now = fmax(now, ready[program[i].needs[k]]);
        ready[i] = now + measured_number(cycles, program[i].key);
        double x = PROGRAM_LEFT + now * scale, end = PROGRAM_LEFT + ready[i] * scale;
        if (now > from + 10)
            put_rect(PROGRAM_LEFT + from * scale, y, (now - from) * scale, 22, "k2");
        put_rect(x, y, fmax(end - x, 2), 22, "k0");
        put_rect(x, y, 3, 22, "good");
        put_text(PROGRAM_LEFT - 10, y + 15, "v e", "%s", program[i].text);
        put_text(PROGRAM_LEFT + PROGRAM_WIDTH + 12, y + 15, "v", "issues at %.0f", now);
        now += 1;
    }
}

// What the colours mean, and the card.
static void put_program_key(const json_t *latency, double y) {
    static const char *const shapes[] = {"good", "k0", "k2"};
    static const char *const words[] = {"issues", "until the result is there", "the warp waits"};
    static const int at[] = {0, 76, 250};
    for (int k = 0; k < 3; k++) {
        put_rect(PROGRAM_LEFT + at[k], y - 10, 12, 12, shapes[k]);
        put_text(PROGRAM_LEFT + at[k] + 18, y, "v", "%s", words[k]);
    }
    put_text(PROGRAM_LEFT + 390, y, "v", "cycles of an %s", measured_device(latency));
}

static const instruction program[] = {
    {"r1 = load x[i]", "dram", {-1, -1}}, {"r2 = load y[i]", "dram", {-1, -1}},
    {"r3 = i * 4", "register", {-1, -1}}, {"r4 = r3 + base", "register", {2, -1}},
    {"r5 = r1 * r2", "register", {0, 1}}, {"store r4, r5", "register", {3, 4}},
};

int figure_draw_scoreboard(const json_t *latency) {
    enum { COUNT = sizeof program / sizeof program[0] };
    double span = measured_number(json_object_get(latency, "cycles"), "dram") + 30;
    begin_figure(760, 62 + COUNT * PROGRAM_ROW, "When the instructions of a warp issue");
    put_text(PROGRAM_LEFT, 18, "t", "in order; an operand that is not there stops the warp");
    draw_program(latency, program, COUNT, 30, span);
    put_program_key(latency, 48 + COUNT * PROGRAM_ROW);
    kl_paper_end(stdout);
    return 0;
}

// ---- Lab 02: one load per thread, and two before their sum ----

int figure_draw_two_loads(const json_t *latency) {
    static const instruction one[] = {{"r1 = load x[i]", "dram", {-1, -1}},
                                      {"partial[t] = r1", "shared", {0, -1}}};
    static const instruction two[] = {{"r1 = load x[i]", "dram", {-1, -1}},
                                      {"r2 = load x[i + 256]", "dram", {-1, -1}},
                                      {"r3 = r1 + r2", "register", {0, 1}},
                                      {"partial[t] = r3", "shared", {2, -1}}};
    const json_t *cycles = json_object_get(latency, "cycles");
    double span = measured_number(cycles, "dram") + measured_number(cycles, "shared") + 30;
    begin_figure(760, 250, "When the loads of steps 3 and 4 issue, and when they arrive");
    put_text(PROGRAM_LEFT, 18, "t", "step 3: a load, a value");
    draw_program(latency, one, 2, 28, span);
    put_text(PROGRAM_LEFT, 102, "t", "step 4: two loads of one array wait at the same time");
    draw_program(latency, two, 4, 112, span);
    put_program_key(latency, 242);
    kl_paper_end(stdout);
    return 0;
}

// The machine that a CUDA program sees (lab 00): host, device, an SM; and how the threads of a
// block become warps. Numbers are those of the course's card (docs/card.txt, device/devices.def).

// An SM's scheduler with its warps, at (x, y).
static void draw_scheduler(const sim_device *d, double x, double y, int number) {
    int warps = (int)(d->warps_per_sm / d->schedulers_per_sm);
    put_rect(x, y, 150, 62, "cell");
    put_text(x + 8, y + 16, "v", "warp scheduler %d", number);
    for (int w = 0; w < warps; w++)
        put_rect(x + 8 + w % 8 * 17, y + 24 + w / 8 * 17, 15, 15, w == 0 ? "good" : "k0");
}

static void draw_sm(const sim_device *d, double x, double y) {
    put_rect(x, y, 346, 246, "frame");
    put_text(x + 10, y + 20, "t", "one of %u SMs", d->sm_count);
    for (int s = 0; s < (int)d->schedulers_per_sm; s++)
        draw_scheduler(d, x + 14 + s % 2 * 166, y + 32 + s / 2 * 70, s);
    put_rect(x + 14, y + 176, 316, 24, "k1");
    put_text(x + 22, y + 192, "v", "%u registers, up to %u per thread", d->registers_per_sm,
             d->registers_per_thread);
    put_rect(x + 14, y + 206, 316, 24, "k2");
    put_text(x + 22, y + 222, "v", "shared memory (up to %u KiB) and L1 cache",
             d->shared_bytes_per_sm / 1024);
}

void figure_draw_machine(void) {
    enum { WIDTH = 760, HEIGHT = 330 };
    const sim_device *d = sim_device_find(card_id);
    begin_figure(WIDTH, HEIGHT,
                 "Host and device; inside the device, SMs with warps, caches, memory");
    put_rect(12, 40, 130, 246, "frame");
    put_text(22, 60, "t", "host");
    put_rect(26, 76, 102, 90, "cell");
    put_text(77, 116, "v m", "CPU: main(),");
    put_text(77, 132, "v m", "launches");
    put_rect(26, 186, 102, 84, "k3");
    put_text(77, 232, "v m", "host memory");
    put_arrow(142, 120, 196, 120);
    put_text(169, 110, "v m", "launch");
    put_arrow(142, 228, 196, 228);
    put_arrow(196, 238, 142, 238);
    put_text(169, 254, "v m", "copies");
    put_rect(196, 12, 552, 306, "frame");
    put_text(206, 30, "t", "device: %s", d->name);
    draw_sm(d, 208, 40);
    put_arrow(558, 222, 588, 222);
    put_arrow(588, 232, 558, 232);
    put_rect(592, 40, 144, 116, "k0");
    put_text(664, 92, "v m", "L2 cache");
    put_text(664, 108, "v m", "%.0f MiB, for all SMs", (double)d->l2_bytes / (1 << 20));
    put_rect(592, 170, 144, 116, "k3");
    put_text(664, 216, "v m", "device memory");
    put_text(664, 232, "v m", "%.0f GiB of DRAM:", (double)d->memory_bytes / (1 << 30));
    put_text(664, 248, "v m", "global, constant, local");
    put_text(208, 306, "v",
             "A square is a warp of 32 threads, up to %u per scheduler. In each cycle one "
             "issues (green).",
             d->warps_per_sm / d->schedulers_per_sm);
}

// ---- Threads in order ----

void figure_draw_thread_order(void) {
    enum { X = 10, Y = 4, Z = 2, CELL = 30, LANES = 32, WIDTH = 716, HEIGHT = 218 };
    static const char *const warps[] = {"k0", "k1", "k2"};
    begin_figure(WIDTH, HEIGHT, "The threads of a block of 10 x 4 x 2 in order, and their warps");
    for (int z = 0; z < Z; z++) {
        double left = 46 + z * 350.0;
        put_text(left, 20, "t", "threadIdx.z = %d", z);
        for (int y = 0; y < Y; y++) {
            put_text(left - 6, 44 + y * CELL + CELL / 2.0 + 4, "v e", "y = %d", y);
            for (int x = 0; x < X; x++) {
                int number = x + X * (y + Y * z);
                if (y == 0)
                    put_text(left + x * CELL + CELL / 2.0 - 1, 38, "v m", x == 0 ? "x = %d" : "%d",
                             x);
                put_rect(left + x * CELL, 44 + y * CELL, CELL - 2, CELL - 2, warps[number / LANES]);
                put_text(left + x * CELL + CELL / 2.0 - 1, 44 + y * CELL + CELL / 2.0 + 3, "v m",
                         "%d", number);
            }
        }
    }
    for (int w = 0; w < 3; w++) {
        int threads = X * Y * Z - w * LANES;
        put_rect(46 + w * 210, 182, 14, 14, warps[w]);
        put_text(66 + w * 210, 193, "v", "warp %d: threads %d to %d%s", w, w * LANES,
                 w * LANES + (threads < LANES ? threads : LANES) - 1,
                 threads < LANES ? ", half full" : "");
    }
}
