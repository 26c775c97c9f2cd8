// The machine that a CUDA program sees (lab 00): host, device, an SM; and how the threads of a
// block become warps. See figure.h. Numbers are those of the
// course's card (docs/card.txt, device/devices.def).
#include "device/device.h"
#include "figures/figure.h"
#include "stored/stored.h"

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
