// SPDX-License-Identifier: MIT
// A roofline: see roofline.h.
#include "report/roofline.h"

#include <math.h>

#include "chart.h"

bool ladder_roofline_of(const ladder_roofline_counts *counts, const sim_device *device,
                        ladder_roofline *out_line) {
    enum { LANES = 32 };
    double clock = 1e6 * device->clock_mhz * device->sm_count; // cycles per second of all SMs
    *out_line = (ladder_roofline){.what = "operations",
                                  .x_title = "operations per byte of device memory",
                                  .y_title = "10^12 operations/s",
                                  .device = device,
                                  .unit = 1e12,
                                  .operations = 2.0 * LANES * counts->fma,
                                  .bytes = counts->bytes,
                                  .seconds = 1e-6 * counts->time_us,
                                  .peak = 2.0 * LANES * device->fma_rate *
                                          device->schedulers_per_sm * clock};
    if (!(counts->fma > 0) || !(counts->fma_pipe > 0)) {
        out_line->what = "warp instructions";
        out_line->unit = 1e9;
        out_line->x_title = "warp instructions per byte of device memory";
        out_line->y_title = "10^9 warp instructions/s";
        out_line->operations = counts->instructions;
        out_line->peak = device->issue_rate * device->schedulers_per_sm * clock;
    }
    return out_line->operations > 0 && out_line->bytes > 0 && out_line->seconds > 0;
}

void ladder_roofline_draw(const ladder_roofline *line, const char *point, FILE *out) {
    double intensity = line->operations / line->bytes;
    double rate = line->operations / line->seconds / line->unit, peak = line->peak / line->unit;
    double slope = 1e9 * line->device->read_gbs / line->unit, ridge = peak / slope;
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
    char title[128];
    snprintf(title, sizeof title, "Roofline: %s below what memory and pipes allow", point);
    chart.curves[1].name = point;
    kl_paper_begin(out, 390, 226, title);
    kl_chart_draw(&chart, out);
    kl_paper_end(out);
}

void ladder_roofline_tell(const ladder_roofline *line, FILE *out) {
    double intensity = line->operations / line->bytes, rate = line->operations / line->seconds;
    double roof = fmin(line->peak, 1e9 * line->device->read_gbs * intensity);
    const char *power = line->unit > 1e9 ? "10<sup>12</sup>" : "10<sup>9</sup>";
    double share = 100 * rate / roof;
    fprintf(out,
            ": %.3g %s per byte. Rate: %.4g x %s per second, %.*f %% of the %.4g x %s that %s "
            "here.",
            intensity, line->what, rate / line->unit, power, share < 10 ? 1 : 0, share,
            roof / line->unit, power,
            roof < line->peak ? "device memory allows" : "the pipes allow");
}
