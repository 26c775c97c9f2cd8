// SPDX-License-Identifier: MIT
// The roofline of a launch: its rate over its operations per byte of device memory, below what the
// device's memory and its pipes allow. Operations are multiply-adds of float, two each, with the
// full width of a warp; warp instructions where a launch has none ("An Instruction Roofline Model
// for GPUs", Ding and Williams, 2019). Bytes are those of the timing model. See inside.h.
#include <math.h>

#include "chart.h"
#include "page/inside.h"
#include "table.h"

typedef struct roofline {
    const char *what, *x_title, *y_title;
    double unit; // of y, in operations per second
    double operations, bytes, seconds;
    double peak; // operations per second that the pipes allow
} roofline;

static roofline roofline_of(const sim_launch_report *r, const sim_device *device) {
    const uint64_t *v = r->totals.value;
    enum { LANES = 32 };
    double clock = 1e6 * device->clock_mhz * device->sm_count; // cycles per second of all SMs
    roofline line = {.what = "operations",
                     .x_title = "operations per byte of device memory",
                     .y_title = "10^12 operations/s",
                     .unit = 1e12,
                     .operations = 2.0 * LANES * (double)v[SIM_COUNTER_MULTIPLY_ADDS],
                     .bytes = (double)v[SIM_COUNTER_DRAM_READ] + (double)v[SIM_COUNTER_DRAM_WRITE],
                     .seconds = 1e-6 * r->time_us,
                     .peak = 2.0 * LANES * device->fma_rate * device->schedulers_per_sm * clock};
    if (v[SIM_COUNTER_MULTIPLY_ADDS] > 0 && v[SIM_COUNTER_PIPE_FMA] > 0) return line;
    line.what = "warp instructions";
    line.unit = 1e9;
    line.x_title = "warp instructions per byte of device memory";
    line.y_title = "10^9 warp instructions/s";
    line.operations = (double)v[SIM_COUNTER_INST];
    line.peak = device->issue_rate * device->schedulers_per_sm * clock;
    return line;
}

static void draw(FILE *out, const roofline *line, const sim_device *device) {
    double intensity = line->operations / line->bytes;
    double rate = line->operations / line->seconds / line->unit, peak = line->peak / line->unit;
    double slope = 1e9 * device->read_gbs / line->unit, ridge = peak / slope;
    double least = fmin(intensity, ridge) / 4, most = 4 * fmax(intensity, ridge);
    kl_axis x = kl_axis_decades(line->x_title, least, most);
    kl_axis y = kl_axis_decades(line->y_title, fmin(rate, slope * x.first), peak);
    double bound_x[] = {x.first, ridge, x.last}, at = intensity, is = rate;
    double bound_y[] = {slope * x.first, peak, peak};
    kl_chart chart = {.title = "",
                      .x = x,
                      .y = y,
                      .left = 60,
                      .top = 10,
                      .width = 250,
                      .height = 170,
                      .count = 2,
                      .curves = {{"roof", 3, bound_x, bound_y}, {"", 1, &at, &is}}};
    chart.curves[1].name = "this launch";
    kl_paper_begin(out, 390, 226, "Roofline: the launch below what memory and pipes allow");
    kl_chart_draw(&chart, out);
    kl_paper_end(out);
}

void page_put_roofline(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_device *device = &launch->part->profile->device;
    roofline line = roofline_of(page_report(launch), device);
    if (!(line.operations > 0) || !(line.bytes > 0) || !(line.seconds > 0)) return;
    double intensity = line.operations / line.bytes, rate = line.operations / line.seconds;
    double roof = fmin(line.peak, 1e9 * device->read_gbs * intensity);
    fputs("<h3>", out);
    ladder_glossary_ask(out, g, "Roofline", "Roofline");
    fputs("</h3>\n", out);
    draw(out, &line, device);
    const char *power = line.unit > 1e9 ? "10<sup>12</sup>" : "10<sup>9</sup>";
    fputs("<p class=\"why\">", out);
    ladder_glossary_ask(out, g, "Arithmetic intensity", "intensity");
    double share = 100 * rate / roof;
    fprintf(out,
            ": %.3g %s per byte. Rate: %.4g x %s per second, %.*f %% of the %.4g x %s that %s "
            "here.</p>\n",
            intensity, line.what, rate / line.unit, power, share < 10 ? 1 : 0, share,
            roof / line.unit, power, roof < line.peak ? "device memory allows" : "the pipes allow");
}
