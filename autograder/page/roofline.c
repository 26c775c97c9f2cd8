// SPDX-License-Identifier: MIT
// The roofline of a launch: its rate over its operations per byte, once of device memory and once
// of the L2, below what each of them and the pipes allow ("Hierarchical Roofline Analysis for
// GPUs", Yang, Kurth and Williams, 2020). Operations are multiply-adds of float, two each, with the
// full width of a warp; warp instructions where a launch has none ("An Instruction Roofline Model
// for GPUs", Ding and Williams, 2019). Bytes are those of the cache
// model. See inside.h.
#include <math.h>

#include "chart.h"
#include "page/inside.h"
#include "table.h"

typedef struct roofline {
    const char *what, *x_title, *y_title;
    double unit; // of y, in operations per second
    double operations, seconds;
    double bytes, l2_bytes; // of device memory, of the L2
    double peak;            // operations per second that the pipes allow
} roofline;

static roofline roofline_of(const sim_launch_report *r, const sim_device *device) {
    const uint64_t *v = r->totals.value;
    enum { LANES = 32 };
    double clock = 1e6 * device->clock_mhz * device->sm_count; // cycles per second of all SMs
    roofline line = {
        .what = "operations",
        .x_title = "operations per byte",
        .y_title = "10^12 operations/s",
        .unit = 1e12,
        .operations = 2.0 * LANES * (double)v[SIM_COUNTER_MULTIPLY_ADDS],
        .bytes = (double)v[SIM_COUNTER_DRAM_READ] + (double)v[SIM_COUNTER_DRAM_WRITE],
        .l2_bytes = 32.0 * ((double)v[SIM_COUNTER_L2_READS] + (double)v[SIM_COUNTER_L2_WRITES] +
                            (double)v[SIM_COUNTER_L2_ATOMS] + (double)v[SIM_COUNTER_L2_REDS]),
        .seconds = 1e-6 * r->time_us,
        .peak = 2.0 * LANES * device->fma_rate * device->schedulers_per_sm * clock};
    if (v[SIM_COUNTER_MULTIPLY_ADDS] > 0 && v[SIM_COUNTER_PIPE_FMA] > 0) return line;
    line.what = "warp instructions";
    line.unit = 1e9;
    line.x_title = "warp instructions per byte";
    line.y_title = "10^9 warp instructions/s";
    line.operations = (double)v[SIM_COUNTER_INST];
    line.peak = device->issue_rate * device->schedulers_per_sm * clock;
    return line;
}

// A memory's roof, up to where the pipes' begins.
typedef struct roof {
    double x[3], y[3];
} roof;

static roof roof_of(double slope, double peak, double first, double last) {
    return (roof){{first, peak / slope, last}, {slope * first, peak, peak}};
}

static void draw(FILE *out, const roofline *line, const sim_device *device) {
    bool l2 = line->l2_bytes > 0;
    double at[2] = {line->operations / line->bytes, l2 ? line->operations / line->l2_bytes : NAN};
    double rate = line->operations / line->seconds / line->unit, peak = line->peak / line->unit;
    double slope = 1e9 * device->read_gbs / line->unit,
           l2_slope = 1e9 * device->l2_gbs / line->unit;
    double least = fmin(fmin(at[0], at[1]), peak / l2_slope) / 4;
    double most = 4 * fmax(fmax(at[0], at[1]), peak / slope);
    kl_axis x = kl_axis_decades(line->x_title, least, most);
    kl_axis y = kl_axis_decades(line->y_title, fmin(rate, slope * x.first), peak);
    roof dram = roof_of(slope, peak, x.first, x.last),
         cache = roof_of(l2_slope, peak, x.first, x.last);
    kl_chart chart = {.title = "",
                      .x = x,
                      .y = y,
                      .left = 60,
                      .top = 10,
                      .width = 250,
                      .height = 170,
                      .count = l2 ? 4 : 2,
                      .curves = {{"DRAM roof", 3, dram.x, dram.y},
                                 {"", 1, &at[0], &rate},
                                 {"L2 roof", 3, cache.x, cache.y},
                                 {"", 1, &at[1], &rate}}};
    chart.curves[1].name = l2 ? "at DRAM" : "this launch";
    chart.curves[3].name = "at L2";
    kl_paper_begin(out, 390, 226, "Roofline: the launch below what memory, L2 and pipes allow");
    kl_chart_draw(&chart, out);
    kl_paper_end(out);
}

// "8 operations per byte. Rate: .., 70 % of the .. that device memory allows": of one memory.
static void put_share(FILE *out, const roofline *line, double bytes, double gbs, const char *who) {
    const char *power = line->unit > 1e9 ? "10<sup>12</sup>" : "10<sup>9</sup>";
    double intensity = line->operations / bytes, rate = line->operations / line->seconds;
    double roof = fmin(line->peak, 1e9 * gbs * intensity), share = 100 * rate / roof;
    fprintf(out,
            ": %.3g %s per byte. Rate: %.4g x %s per second, %.*f %% of the %.4g x %s that %s "
            "here.</p>\n",
            intensity, line->what, rate / line->unit, power, share < 10 ? 1 : 0, share,
            roof / line->unit, power, roof < line->peak ? who : "the pipes allow");
}

void page_put_roofline(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_device *device = &launch->part->profile->device;
    roofline line = roofline_of(page_report(launch), device);
    if (!(line.operations > 0) || !(line.bytes > 0) || !(line.seconds > 0)) return;
    fputs("<h3>", out);
    ladder_glossary_ask(out, g, "Roofline", "Roofline");
    fputs("</h3>\n", out);
    draw(out, &line, device);
    fputs("<p class=\"sub why\">", out);
    ladder_glossary_ask(out, g, "Arithmetic intensity", "intensity");
    fputs(line.l2_bytes > 0 ? " at DRAM" : "", out);
    put_share(out, &line, line.bytes, device->read_gbs, "device memory allows");
    if (!(line.l2_bytes > 0)) return;
    fputs("<p class=\"sub why\">intensity at ", out);
    ladder_glossary_ask(out, g, "L2 cache", "L2");
    put_share(out, &line, line.l2_bytes, device->l2_gbs, "the L2 allows");
}
