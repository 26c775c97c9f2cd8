// A roofline: see report.h.
#include "show/report/report.h"
#include "drawing.h"

bool ladder_roofline_of(const ladder_roofline_counts *counts, const sim_device *device,
                        ladder_roofline *out_line) {
    // OF_HALVES: a product of 64 x N x 16 keeps the tensor cores of an SM for N / 2 cycles.
    enum { LANES = 32, OF_HALVES = 2 * 64 * 16 * 2 };
    double clock = 1e6 * device->clock_mhz * device->sm_count; // cycles per second of all SMs
    *out_line = (ladder_roofline){.what = "operations",
                                  .x_title = "operations per byte",
                                  .y_title = "10^12 operations/s",
                                  .device = device,
                                  .unit = 1e12,
                                  .operations = 2.0 * LANES * counts->fma,
                                  .bytes = counts->bytes,
                                  .l2_bytes = counts->l2_bytes,
                                  .seconds = 1e-6 * counts->time_us,
                                  .peak = 2.0 * LANES * device->fma_rate *
                                          device->schedulers_per_sm * clock};
    double of_tensor = OF_HALVES * counts->tensor_cycles;
    if (of_tensor > out_line->operations) {
        out_line->what = "operations of halves";
        out_line->operations = of_tensor;
        out_line->peak = OF_HALVES * device->tensor_rate * clock;
    } else if (!(counts->fma > 0) || !(counts->fma_pipe > 0)) {
        out_line->what = "warp instructions";
        out_line->unit = 1e9;
        out_line->x_title = "warp instructions per byte";
        out_line->y_title = "10^9 warp instructions/s";
        out_line->operations = counts->instructions;
        out_line->peak = device->issue_rate * device->schedulers_per_sm * clock;
    }
    return out_line->operations > 0 && out_line->bytes > 0 && out_line->seconds > 0;
}

// A memory's roof, up to where the pipes' begins.
typedef struct roof {
    double x[3], y[3];
} roof;

static roof roof_of(double slope, double peak, double first, double last) {
    return (roof){{first, peak / slope, last}, {slope * first, peak, peak}};
}

ladder_roofline_numbers ladder_roofline_numbers_of(const ladder_roofline *line) {
    return (ladder_roofline_numbers){
        .rate = line->operations / line->seconds / line->unit,
        .peak = line->peak / line->unit,
        .intensity = {line->operations / line->bytes,
                      line->l2_bytes > 0 ? line->operations / line->l2_bytes : NAN},
        .slope = {1e9 * line->device->read_gbs / line->unit,
                  1e9 * line->device->l2_gbs / line->unit}};
}

void ladder_roofline_draw(const ladder_roofline *line, const char *point, FILE *out) {
    bool l2 = line->l2_bytes > 0;
    ladder_roofline_numbers n = ladder_roofline_numbers_of(line);
    const double *at = n.intensity;
    double peak = n.peak, slope = n.slope[LADDER_ROOF_DRAM], l2_slope = n.slope[LADDER_ROOF_L2];
    double least = fmin(fmin(at[0], at[1]), peak / (l2 ? l2_slope : slope)) / 4;
    double most = 4 * fmax(fmax(at[0], at[1]), peak / slope);
    kl_axis x = kl_axis_decades(line->x_title, least, most);
    kl_axis y = kl_axis_decades(line->y_title, fmin(n.rate, slope * x.first), peak);
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
                      .curves = {{l2 ? "DRAM roof" : "roof", 3, dram.x, dram.y},
                                 {"", 1, &at[0], &n.rate},
                                 {"L2 roof", 3, cache.x, cache.y},
                                 {"", 1, &at[1], &n.rate}}};
    char title[128];
    snprintf(title, sizeof title, "Roofline: %s below what %s and pipes allow", point,
             l2 ? "memory, L2" : "memory");
    chart.curves[1].name = l2 ? "at DRAM" : point;
    chart.curves[3].name = "at L2";
    kl_paper_begin(out, 390, 226, title);
    kl_chart_draw(&chart, out);
    kl_paper_end(out);
}

void ladder_roofline_tell(const ladder_roofline *line, ladder_roof roof, FILE *out) {
    bool l2 = roof == LADDER_ROOF_L2;
    const char *power = line->unit > 1e9 ? "10<sup>12</sup>" : "10<sup>9</sup>";
    double intensity = line->operations / (l2 ? line->l2_bytes : line->bytes);
    double gbs = l2 ? line->device->l2_gbs : line->device->read_gbs;
    double rate = line->operations / line->seconds;
    double allowed = fmin(line->peak, 1e9 * gbs * intensity), share = 100 * rate / allowed;
    const char *who = allowed == line->peak ? "the pipes allow"
                      : l2                  ? "the L2 allows"
                                            : "device memory allows";
    fprintf(out,
            ": %.3g %s per byte. Rate: %.4g x %s per second, %.*f %% of the %.4g x %s that %s "
            "here.",
            intensity, line->what, rate / line->unit, power, share < 10 ? 1 : 0, share,
            allowed / line->unit, power, who);
}
