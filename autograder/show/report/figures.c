// The ladders of a submission: see report.h. As wide as a phone, so that their texts stay legible.
#include "show/report/report.h"
#include "drawing.h"
#include "utilities/kit.h"

enum { WIDTH = 360, LEFT = 46, TOP = 22, PLOT = 150, FOOT = 52 };

// ---- The case that steps have in common ----

// Whether a criterion counts on a case: its own, or the one at which its time is modelled.
static bool counts_on(const ladder_criterion *c, const char *family, int64_t size) {
    if (!c->family || strcmp(c->family, family) != 0) return false;
    if (c->kind == LADDER_CRITERION_COUNT) return c->size == size;
    const ladder_modelled *modelled = ladder_criterion_modelled(c, ladder_device_simulated()->name);
    return modelled && modelled->size == size;
}

static int steps_on(const ladder_rubric *rubric, const char *family, int64_t size) {
    int count = 0;
    for (int s = 0; s < rubric->step_count; s++) {
        bool found = false;
        for (int c = 0; c < rubric->steps[s].criteria_count; c++)
            found = found || counts_on(&rubric->steps[s].criteria[c], family, size);
        count += found;
    }
    return count;
}

bool ladder_common_case(const ladder_lab *lab, const char **out_family, int64_t *out_size) {
    const ladder_rubric *rubric = lab->rubric;
    int best = 1;
    for (int s = 0; s < rubric->step_count; s++) {
        for (int c = 0; c < rubric->steps[s].criteria_count; c++) {
            const ladder_criterion *criterion = &rubric->steps[s].criteria[c];
            if (criterion->kind != LADDER_CRITERION_COUNT) continue;
            int count = steps_on(rubric, criterion->family, criterion->size);
            if (count <= best) continue;
            best = count;
            *out_family = criterion->family;
            *out_size = criterion->size;
        }
    }
    return best > 1;
}

double ladder_common_us(const ladder_lab *lab, const ladder_step_result *step) {
    const char *family = "";
    int64_t size = 0;
    if (!ladder_common_case(lab, &family, &size)) return NAN;
    for (int i = 0; i < step->call_count; i++)
        if (step->calls[i].size == size && strcmp(step->calls[i].family, family) == 0)
            return step->calls[i].time_us;
    return NAN;
}

static int speeds_on(const ladder_rubric *rubric, const ladder_criterion *like) {
    int count = 0;
    for (int s = 0; s < rubric->step_count; s++)
        for (int c = 0; c < rubric->steps[s].criteria_count; c++) {
            const ladder_criterion *one = &rubric->steps[s].criteria[c];
            count += one->kind == LADDER_CRITERION_SPEED && one->size == like->size &&
                     strcmp(one->family, like->family) == 0;
        }
    return count;
}

// The criterion of speed whose case most of them have; NULL: the lab has none.
static const ladder_criterion *common_speed(const ladder_rubric *rubric) {
    const ladder_criterion *best = NULL;
    int most = 0;
    for (int s = 0; s < rubric->step_count; s++)
        for (int c = 0; c < rubric->steps[s].criteria_count; c++) {
            const ladder_criterion *one = &rubric->steps[s].criteria[c];
            int count = one->kind == LADDER_CRITERION_SPEED ? speeds_on(rubric, one) : 0;
            if (count == 0 || count < most) continue;
            most = count;
            best = one;
        }
    return best;
}

double ladder_timed_us(const ladder_lab *lab, const ladder_step_result *step) {
    const ladder_rubric *rubric = lab->rubric;
    const ladder_criterion *common = common_speed(rubric);
    double best = NAN;
    for (int s = 0; s < rubric->step_count && common; s++) {
        if (rubric->steps[s].step != step->step) continue;
        for (int c = 0; c < step->criteria_count; c++) {
            const ladder_criterion *one = &rubric->steps[s].criteria[c];
            const ladder_criterion_result *r = &step->criteria[c];
            bool on_it = one->kind == LADDER_CRITERION_SPEED && one->size == common->size &&
                         strcmp(one->family, common->family) == 0;
            if (on_it && r->measured && r->call_us > 0 && !(best <= r->call_us)) best = r->call_us;
        }
    }
    return best;
}

// ---- Points ----

static double share_of(const ladder_step_result *step) {
    return step->points_max > 0 ? step->points / step->points_max : 0;
}

static double height_of(double share) { return TOP + PLOT * (1 - fmin(1, fmax(0, share))); }

static void put_frame(FILE *out) {
    kl_paper_text(out, LEFT, 14, "t", "points of each step");
    for (int i = 0; i <= 4; i++) {
        double y = height_of(i / 4.0);
        kl_paper_line(out, LEFT, y, WIDTH - 8, y, i == 0 ? "axis" : "grid");
        kl_paper_text(out, LEFT - 5, y + 4, "v e", "%d %%", 25 * i);
    }
}

static void put_key(FILE *out, bool class, bool own) {
    double y = TOP + PLOT + 36, x = LEFT;
    if (own) {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" class=\"s2 area\"/>", x + 5, y);
        kl_paper_text(out, x + 14, y + 4, "v", "this submission");
        x += 112;
    }
    if (!class) return;
    kl_paper_rect(out, x, y - 5, 10, 10, "k0");
    kl_paper_text(out, x + 14, y + 4, "v", "half of the class");
    kl_paper_line(out, x + 116, y, x + 128, y, "s0 line");
    kl_paper_text(out, x + 132, y + 4, "v", "median");
}

void ladder_draw_points(const ladder_lab *lab, const ladder_result *result,
                        const ladder_distribution *class, FILE *out) {
    const ladder_rubric *rubric = lab->rubric;
    double each = (double)(WIDTH - 8 - LEFT) / rubric->step_count;
    kl_paper_begin(out, WIDTH, TOP + PLOT + FOOT,
                   "Ladder of points: this submission beside the class; the solution has 100 %");
    put_frame(out);
    for (int i = 0; i < rubric->step_count; i++) {
        double middle = LEFT + each * (i + 0.5), half = fmin(14, 0.36 * each);
        const ladder_spread *spread = class ? &class->shares[i] : NULL;
        if (spread && isfinite(spread->mid)) {
            double top = height_of(spread->high), bottom = height_of(spread->low);
            kl_paper_rect(out, middle - half, top, 2 * half, fmax(2, bottom - top), "k0");
            kl_paper_line(out, middle - half, height_of(spread->mid), middle + half,
                          height_of(spread->mid), "s0 line");
        }
        if (result)
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" class=\"s2 area\"/>\n", middle,
                    height_of(share_of(&result->steps[i])));
        kl_paper_text(out, middle, TOP + PLOT + 14, "v m", "%d", rubric->steps[i].step);
    }
    put_key(out, class && class->count > 0 && isfinite(class->shares[0].mid), result);
    kl_paper_end(out);
}

// ---- Times ----

// One curve over the steps that have a time.
typedef struct times {
    double step[LADDER_STEPS_MAX], us[LADDER_STEPS_MAX];
    int count;
} times;

static void add_time(times *t, int step, double us) {
    if (!isfinite(us) || us <= 0) return;
    t->step[t->count] = step;
    t->us[t->count++] = us;
}

bool ladder_draw_times(const ladder_lab *lab, const ladder_result *result,
                       const ladder_distribution *class, FILE *out) {
    const char *family = "", *names[] = {"solution", "class", "this one"};
    int64_t size = 0;
    times all[3] = {{.count = 0}};
    if (!ladder_common_case(lab, &family, &size)) return false;
    for (int i = 0; i < lab->rubric->step_count; i++) {
        int step = lab->rubric->steps[i].step;
        if (result) add_time(&all[2], step, ladder_common_us(lab, &result->steps[i]));
        if (!class) continue;
        add_time(&all[1], step, class->times_us[i].mid);
        add_time(&all[0], step, class->solution_us[i]);
    }
    // All steps of the lab, so that it is seen which have no time.
    double least = INFINITY, most = 0, first = lab->rubric->steps[0].step,
           last = lab->rubric->steps[lab->rubric->step_count - 1].step;
    int timed = 0;
    kl_chart chart = {.left = LEFT + 8, .top = TOP, .width = WIDTH - LEFT - 92, .height = PLOT};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < all[k].count; i++) {
            least = fmin(least, all[k].us[i]);
            most = fmax(most, all[k].us[i]);
        }
        timed = all[k].count > timed ? all[k].count : timed;
        if (all[k].count > 0)
            chart.curves[chart.count++] =
                (kl_curve){names[k], all[k].count, all[k].step, all[k].us};
    }
    if (timed < 2) return false;
    char title[96], words[32];
    snprintf(title, sizeof title, "modelled time at %s %s", family,
             kl_format_size((long long)size, words, sizeof words));
    chart.title = title;
    chart.x = kl_axis_over("step", first, last, last - first < 8 ? (int)(last - first) : 8);
    chart.y =
        most > 5 * least ? kl_axis_decades("us", least, most) : kl_axis_over("us", least, most, 5);
    kl_paper_begin(out, WIDTH, TOP + PLOT + FOOT, "Ladder of modelled times by step");
    kl_chart_draw(&chart, out);
    kl_paper_end(out);
    return true;
}

// ---- roofline -----------------------------------------------------------------------------------

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
