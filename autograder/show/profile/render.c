// A profile for a terminal: totals of a launch, the annotated source, the worst line. See
// profile.h. Fits 80 columns; colour shows where the instructions and the losses are.
#include "show/profile/profile.h"

static const char *tone(const kl_style *style, const char *code) {
    return style->colour ? code : "";
}

static const char red[] = "\033[1;31m", yellow[] = "\033[33m", dim[] = "\033[2m",
                  bold[] = "\033[1m", plain_tone[] = "\033[0m";

static void put_wrapped(FILE *out, const kl_style *style, const char *head, const char *text) {
    fputs(head, out);
    kl_print_wrapped(out, style, (int)strlen(head), text);
}

static bool has_untimed_work(const sim_launch_report *r) {
    bool found = false;
    for (uint32_t i = 0; r->code && i < r->code->instr_count && !found; i++)
        found = r->code->instrs[i].executed > 0 && r->code->instrs[i].untimed;
    return found;
}

static void put_time(const sim_launch_report *r, const kl_style *style, FILE *out) {
    char time[32], part[256], bounds[512] = "";
    for (int b = 0; b < ladder_bounds_shown(r); b++)
        kl_append(bounds, sizeof bounds, "%s%s %s", b > 0 ? ", " : "",
                  sim_bound_name(r->bounds[b].kind),
                  kl_format_us(r->bounds[b].time_us, time, sizeof time));
    fprintf(out, "  modelled time %s%s%s\n", tone(style, bold),
            kl_format_us(r->time_us, time, sizeof time), tone(style, plain_tone));
    if (has_untimed_work(r))
        put_wrapped(out, style, "    ",
                    "without tcgen05 and clusterlaunchcontrol, of which no time is modelled");
    if (r->explanation[0] != '\0') put_wrapped(out, style, "    ", r->explanation);
    if (bounds[0] != '\0') put_wrapped(out, style, "    if only one thing limited: ", bounds);
    if (!sim_report_has_sm_time(r)) return;
    snprintf(part, sizeof part, "%s; the modelled time is bound by %s",
             kl_format_us(r->bounded_us, time, sizeof time), sim_estimate_text(r->estimate));
    put_wrapped(out, style, "    these limits together: ", part);
}

// Where a timeline was asked for that cannot be.
static void put_absence(const sim_launch_report *r, const ladder_profile *profile,
                        const kl_style *style, FILE *out) {
    char text[256];
    const char *reason = ladder_timeline_absence(r);
    if (!profile->prints_timelines || !reason || r->fault.kind != SIM_OK) return;
    snprintf(text, sizeof text, "no timeline: %s\n", reason);
    put_wrapped(out, style, "", text);
}

static void put_totals(const sim_launch_report *r, FILE *out) {
    fputc('\n', out);
    for (int i = 0; i < ladder_profile_row_count; i++) {
        const ladder_profile_row *row = &ladder_profile_rows[i];
        char text[32];
        if (!ladder_profile_row_applies(row, &r->totals)) continue;
        double value = ladder_profile_row_value(row, &r->totals);
        fprintf(out, "  %-46s %10s\n", row->label,
                ladder_profile_row_text(row, value, text, sizeof text));
    }
}

static void put_hit_rates(const sim_launch_report *r, FILE *out) {
    for (int i = 0; i < LADDER_HIT_RATES; i++) {
        double percent = ladder_hit_rates[i].percent(&r->totals);
        if (!isnan(percent)) fprintf(out, "  %-46s %10.1f\n", ladder_hit_rates[i].label, percent);
    }
}

// A cell of `width` columns with one decimal and a unit; blank when the value does not apply.
static void put_number(FILE *out, const kl_style *style, int width, const char *code, double value,
                       int decimals, const char *unit) {
    char text[32] = "";
    if (!isnan(value)) snprintf(text, sizeof text, "%.*f%s", decimals, value, unit);
    fprintf(out, "%s%*s%s", tone(style, code), width, text,
            code[0] != '\0' ? tone(style, plain_tone) : "");
}

enum { NUMBER = 5, MEASURES = 30 }; // columns of the line number and of what was measured

static void put_text(FILE *out, const kl_style *style, int used, const char *text) {
    if (text) kl_print_source(out, style, used, text, (int)strlen(text));
    else fputc('\n', out);
}

// What the lines of a file are shown with.
typedef struct listing {
    const kl_style *style;
    FILE *out;
    double total; // warp instructions of the launch
} listing;

// One line of source with what it did: a ladder_source_visit.
static void put_line(void *context, uint32_t number, const char *shown,
                     const sim_line_counters *counters) {
    const listing *l = context;
    const kl_style *style = l->style;
    FILE *out = l->out;
    char count[32] = "";
    if (number == 0) {
        fprintf(out, "%s%5s%s\n", tone(style, dim), "..", tone(style, plain_tone));
        return;
    }
    if (!counters) {
        int gap = shown && shown[0] != '\0' ? MEASURES : 0; // no blanks before nothing
        fprintf(out, "%s%*u%*s", tone(style, dim), NUMBER, number, gap, "");
        put_text(out, style, NUMBER + MEASURES, shown);
        fputs(tone(style, plain_tone), out);
        return;
    }
    ladder_line line = ladder_line_measure(&counters->counters);
    double share = l->total > 0 ? line.instructions / l->total : 0;
    bool matters = share > 0.01; // colour is for what costs
    kl_format_count(line.instructions, count, sizeof count);
    const char *heat = share > 0.2 ? red : share > 0.05 ? yellow : "";
    const char *lanes = !matters ? "" : line.lanes < 0.5 ? red : line.lanes < 0.9 ? yellow : "";
    const char *banks = line.conflict >= 2 ? red : line.conflict > 1.05 ? yellow : "";
    fprintf(out, "%*u %s%7s%s ", NUMBER, number, tone(style, heat), count,
            heat[0] != '\0' ? tone(style, plain_tone) : "");
    put_number(out, style, 5, lanes, 100 * line.lanes, 0, "%");
    fputc(' ', out);
    put_number(out, style, 6, line.sectors > 16.5 ? red : "", line.sectors, 1, "");
    fputc(' ', out);
    put_number(out, style, 6, banks, line.conflict, 1, "x");
    fputs("  ", out);
    put_text(out, style, NUMBER + MEASURES, shown);
}

// The lines of one file that ran, with what is between them; far gaps are folded.
static void put_file(const sim_launch_report *r, uint32_t first, uint32_t end,
                     const kl_style *style, FILE *out) {
    const char *path = r->lines[first].file < r->file_count ? r->files[r->lines[first].file] : "?";
    char plain[512];
    fprintf(out, "\n%s%5s %7s %5s %6s %6s  %s%s\n", tone(style, dim), "line", "instr", "lanes",
            "sector", "banks", ladder_plain(basename(path), false, plain, sizeof plain),
            tone(style, plain_tone));
    listing all = {style, out, (double)r->totals.value[SIM_COUNTER_INST]};
    ladder_source_walk(r, first, end, put_line, &all);
}

static void put_source(const sim_launch_report *r, const kl_style *style, FILE *out) {
    for (uint32_t first = 0; first < r->line_count;) {
        uint32_t end = first;
        while (end < r->line_count && r->lines[end].file == r->lines[first].file) end++;
        put_file(r, first, end, style, out);
        first = end;
    }
    if (r->line_count == 0)
        fputs("\n  no source lines: compile with nvcc -lineinfo to see them\n", out);
}

static void put_advice(const sim_launch_report *r, const sim_device *device, const kl_style *style,
                       FILE *out) {
    char text[LADDER_ADVICE_MAX][LADDER_ADVICE_TEXT];
    int count = ladder_profile_advise(r, device, text);
    if (count == 0)
        fputs("nothing to change stands out: starting the kernel takes most of the time\n", out);
    for (int i = 0; i < count; i++) {
        char whole[LADDER_ADVICE_TEXT + 16];
        snprintf(whole, sizeof whole, "%s%.511s",
                 count == 1 ? ""
                 : i == 0   ? "first: "
                            : "then: ",
                 text[i]);
        fputs(tone(style, bold), out);
        kl_print_wrapped(out, style, 2, whole);
        fputs(tone(style, plain_tone), out);
    }
}

// What the kernel used and the card does not have.
static void put_lacking(const sim_launch_report *r, const kl_style *style, FILE *out) {
    char text[512] = "";
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++) {
        uint32_t major, minor;
        const char *what = sim_feature_text((sim_feature)i, &major, &minor);
        if (r->lacking >> i & 1)
            kl_append(text, sizeof text, "%s%s (since %u.%u)", text[0] != '\0' ? ", " : "", what,
                      major, minor);
    }
    if (text[0] == '\0') return;
    put_wrapped(out, style, "  not on this card, counted as on 9.0: ", text);
}

static void put_launch(const ladder_profile *profile, uint32_t index, const kl_style *style,
                       FILE *out) {
    const sim_launch_report *r = profile->launches[index];
    char name[512], text[512];
    int used = snprintf(text, sizeof text, "launch %u of %u:", index + 1, profile->count);
    fprintf(out, "%s%s%s ", tone(style, bold), text, tone(style, plain_tone));
    kl_print_wrapped(out, style, used + 1, ladder_demangle(r->kernel, name, sizeof name));
    if (r->config.device) fprintf(out, "  on device %u\n", r->config.device);
    if (r->from_launch) fprintf(out, "  launched by the kernel of launch %u\n", r->from_launch);
    put_wrapped(out, style, "  ", ladder_config_text(r, text, sizeof text));
    ladder_activity_print(r, &profile->device, style, out);
    if (r->local_bytes) put_wrapped(out, style, "  ", ladder_local_text(r, text, sizeof text));
    put_lacking(r, style, out);
    put_time(r, style, out);
    put_totals(r, out);
    put_hit_rates(r, out);
    put_source(r, style, out);
    fputc('\n', out);
    if (r->timeline && profile->prints_timelines)
        ladder_timeline_print(r->timeline, profile->timeline_cycles, style, out);
    put_absence(r, profile, style, out);
    if (r->fault.kind != SIM_OK) {
        ladder_plain(r->fault.text, true, text, sizeof text);
        fprintf(out, "%sthis launch failed:%s %s\n", tone(style, red), tone(style, plain_tone),
                text);
    } else {
        put_advice(r, &profile->device, style, out);
    }
    fputc('\n', out);
}

enum { SHORT_TEXT = 256 };

// A launch of a kernel that has been shown already, without its number.
static void describe_short(const sim_launch_report *r, char text[SHORT_TEXT]) {
    char name[512], time[32], count[32], device[32] = "", by[32] = "";
    ladder_demangle(r->kernel, name, sizeof name);
    name[strcspn(name, "(")] = '\0';
    kl_format_count((double)r->totals.value[SIM_COUNTER_INST], count, sizeof count);
    uint64_t blocks = (uint64_t)r->config.grid.x * r->config.grid.y * r->config.grid.z;
    if (r->config.device) snprintf(device, sizeof device, ", on device %u", r->config.device);
    if (r->from_launch) snprintf(by, sizeof by, ", by launch %u", r->from_launch);
    snprintf(text, SHORT_TEXT, "%.28s again, %llu block%s, %s instructions, %s%s%s%s", name,
             (unsigned long long)blocks, blocks == 1 ? "" : "s", count,
             kl_format_us(r->time_us, time, sizeof time), device, by,
             r->fault.kind != SIM_OK ? ", FAILED" : "");
}

static bool shown_before(const ladder_profile *profile, uint32_t index) {
    const sim_launch_report *r = profile->launches[index];
    if (r->fault.kind != SIM_OK) return false;
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(profile->launches[i]->kernel, r->kernel) == 0) return true;
    return false;
}

// From `index` on those that one line says; returns how many.
static uint32_t put_short(const ladder_profile *profile, uint32_t index, const kl_style *style,
                          FILE *out) {
    char text[SHORT_TEXT], other[SHORT_TEXT];
    uint32_t end = index + 1;
    describe_short(profile->launches[index], text);
    for (; end < profile->count && shown_before(profile, end); end++) {
        describe_short(profile->launches[end], other);
        if (strcmp(text, other) != 0) break;
    }
    if (end == index + 1) kl_print_text(out, style, 4, "launch %u: %s", end, text);
    else
        kl_print_text(out, style, 4, "launches %u to %u, equal in all this: %s", index + 1, end,
                      text);
    return end - index;
}

void ladder_profile_print(const ladder_profile *profile, const kl_style *style, FILE *out) {
    enum { SHORT_MAX = 20 };
    sim_counters totals;
    double time_us = 0;
    char time[32];
    ladder_profile_totals(profile, &totals, &time_us);
    fprintf(out, "%s (simulated): %u kernel launch%s, modelled time %s\n", profile->device_name,
            profile->count, profile->count == 1 ? "" : "es",
            kl_format_us(time_us, time, sizeof time));
    uint32_t by_kernels = 0;
    for (uint32_t i = 0; i < profile->count; i++)
        by_kernels += profile->launches[i]->from_launch > 0;
    if (by_kernels)
        fprintf(out,
                "%u of them launched by kernels; the time is the sum of all, without the cost\n"
                "of launching and without overlap\n",
                by_kernels);
    if (sim_device_is_foreign(&profile->device))
        fprintf(out,
                "machine code and instruction counts are those of compute capability 9.0, for\n"
                "which the kernels were compiled; the card has %u.%u\n",
                profile->device.compute_major, profile->device.compute_minor);
    fputc('\n', out);
    int again = 0, more = 0;
    for (uint32_t i = 0; i < profile->count;)
        if (!shown_before(profile, i)) put_launch(profile, i++, style, out);
        else if (again++ < SHORT_MAX) i += put_short(profile, i, style, out);
        else i++, more++;
    if (more > 0) fprintf(out, "and %d more such launches\n", more);
    if (profile->left_out > 0)
        fprintf(out, "%u further launches were left out\n", profile->left_out);
    fputs("lanes: active threads per warp, %. sector: 32-byte sectors per global request,\n"
          "of loads or stores, whichever move more. banks: shared wavefronts, as a\n"
          "multiple of the number without bank conflicts.\n",
          out);
}

// "1.84x", and "0.008x" rather than "0.01x". Returns `text`.
static const char *format_change(double from, double to, char text[32]) {
    text[0] = '\0';
    if (from > 0 && to >= 0) kl_format_factor(to / from, text, 32);
    return text;
}

void ladder_profile_compare(const ladder_profile *a, const char *a_name, const ladder_profile *b,
                            const char *b_name, const kl_style *style, FILE *out) {
    sim_counters left, right;
    double left_us = 0, right_us = 0;
    char ta[32], tb[32], change[32];
    ladder_profile_totals(a, &left, &left_us);
    ladder_profile_totals(b, &right, &right_us);
    fprintf(out, "%-46s %10.10s %10.10s %9s\n", "", a_name, b_name, "change");
    fprintf(out, "%s%-46s %10s %10s %9s%s\n", tone(style, bold), "modelled time",
            kl_format_us(left_us, ta, sizeof ta), kl_format_us(right_us, tb, sizeof tb),
            format_change(left_us, right_us, change), tone(style, plain_tone));
    if (a->count != b->count) {
        fprintf(out, "%-46s %10u %10u %9s\n", "kernel launches", a->count, b->count,
                format_change(a->count, b->count, change));
    }
    for (int i = 0; i < ladder_profile_row_count; i++) {
        const ladder_profile_row *row = &ladder_profile_rows[i];
        double x = ladder_profile_row_value(row, &left);
        double y = ladder_profile_row_value(row, &right);
        bool same = x == y || (isnan(x) && isnan(y)) || fabs(x - y) < 0.005 * fabs(x);
        if (same) continue;
        fprintf(out, "%-46s %10s %10s %9s\n", row->label,
                ladder_profile_row_text(row, x, ta, sizeof ta),
                ladder_profile_row_text(row, y, tb, sizeof tb), format_change(x, y, change));
    }
}
