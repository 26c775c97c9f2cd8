// One launch in full: what it was, what limits it, how it fills the device, its counters and its
// source. See internal.h.
#include "show/page/internal.h"
#include "show/report/report.h"

static void put_paragraph(FILE *out, const char *kind, const char *text) {
    ladder_html(out, "<p class=\"%s\">%s</p>\n", kind, text);
}

static void put_asked(FILE *out, ladder_glossary *g, const char *kind, const char *text) {
    fprintf(out, "<p class=\"%s\">", kind);
    ladder_glossary_ask_words(out, g, text);
    fputs("</p>\n", out);
}

// A row that the script compares with that of another launch by its label.
static void begin_bar(FILE *out, double value) {
    fprintf(out, "<tr data-value=\"%.17g\"><th scope=\"row\">", value);
}

// A row with a bar; share: of its whole width.
static void put_bar(FILE *out, const char *text, double share, bool first) {
    fprintf(out,
            "<td class=\"num\">%s</td><td class=\"track\"><span class=\"bar%s\" "
            "style=\"width:%.1f%%\"></span></td></tr>\n",
            text, first ? " most" : "", 100.0 * fmin(fmax(share, 0), 1));
}

static void put_bounds(FILE *out, ladder_glossary *g, const sim_launch_report *r) {
    char text[32];
    page_html(out, g,
              "<section class=\"card\"><h3>What limits it</h3><p class=\"big\">%s <small>"
              "[[Launch|modelled time]]</small></p>\n",
              kl_format_us(r->time_us, text, sizeof text));
    put_asked(out, g, "why", r->explanation);
    int count = ladder_bounds_shown(r);
    if (count > 0)
        fputs("<table class=\"bars\" data-beside=\", if nothing else limited\">"
              "<caption>time if only one thing limited</caption>\n",
              out);
    for (int b = 0; b < count; b++) {
        begin_bar(out, r->bounds[b].time_us);
        page_html(out, g, "[[%s|%s]]</th>", ladder_bound_term(r->bounds[b].kind),
                  sim_bound_name(r->bounds[b].kind));
        put_bar(out, kl_format_us(r->bounds[b].time_us, text, sizeof text),
                r->bounds[b].time_us / r->bounds[0].time_us, b == 0);
    }
    if (count > 0) fputs("</table>\n", out);
    if (sim_report_has_sm_time(r)) {
        page_html(out, g,
                  "<p>These limits together would take %s. The [[Modelled time|modelled time]] is "
                  "bound by %s.</p>\n",
                  kl_format_us(r->bounded_us, text, sizeof text), sim_estimate_text(r->estimate));
    }
    fputs("</section>\n", out);
}

// Blocks per SM that each resource allows.
static void put_limits(FILE *out, ladder_glossary *g, const sim_occupancy *o) {
    const struct {
        const char *name, *term;
        sim_limiter limiter;
        uint32_t blocks;
    } limits[] = {
        {sim_limiter_name(SIM_LIMITER_WARPS), "Warp", SIM_LIMITER_WARPS, o->limit_warps},
        {sim_limiter_name(SIM_LIMITER_BLOCKS), "Block", SIM_LIMITER_BLOCKS, o->limit_blocks},
        {sim_limiter_name(SIM_LIMITER_REGISTERS), "Register", SIM_LIMITER_REGISTERS,
         o->limit_registers},
        {sim_limiter_name(SIM_LIMITER_SHARED), "Shared memory", SIM_LIMITER_SHARED,
         o->limit_shared},
        {sim_limiter_name(SIM_LIMITER_BARRIERS), "Barrier", SIM_LIMITER_BARRIERS,
         o->limit_barriers},
    };
    enum { LIMITS = sizeof limits / sizeof limits[0] };
    double most = o->limit_blocks > 0 ? o->limit_blocks : 1; // more of them no SM can hold
    fputs("<table class=\"bars\" data-beside=\", blocks per SM\">"
          "<caption>blocks per SM that each resource allows</caption>\n",
          out);
    for (int i = 0; i < LIMITS; i++) {
        char text[16];
        if (limits[i].blocks == 0) continue;
        begin_bar(out, limits[i].blocks);
        page_html(out, g, "[[%s|%s]]</th>", limits[i].term, limits[i].name);
        snprintf(text, sizeof text, "%u", limits[i].blocks);
        put_bar(out, text, limits[i].blocks / most, limits[i].limiter == o->limiter);
    }
    fputs("</table>\n", out);
}

static void put_activity(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    ladder_activity_row rows[LADDER_ACTIVITY_ROWS];
    int count = ladder_activity_rows(r, &launch->part->profile->device, rows);
    fputs("<section class=\"card\"><h3>How it fills the device</h3><table class=\"facts\">\n", out);
    for (int i = 0; i < count; i++) {
        page_html(out, g, "<tr><th scope=\"row\">[[%s|%s]]</th><td>", rows[i].term,
                  rows[i].label[0] != '\0' ? rows[i].label : "occupancy");
        ladder_glossary_ask_words(out, g, rows[i].text);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
    put_limits(out, g, &r->occupancy);
    fputs("</section>\n", out);
}

static void put_mix_row(FILE *out, ladder_glossary *g, const char *name, const char *term,
                        uint64_t count, const sim_launch_report *r) {
    char text[32];
    double all = (double)r->totals.value[SIM_COUNTER_INST];
    if (count == 0 || !(all > 0)) return;
    begin_bar(out, (double)count / all);
    page_html(out, g, "[[%s|%s]]</th>", term, name);
    snprintf(text, sizeof text, "%.1f %%", 100.0 * (double)count / all);
    put_bar(out, text, (double)count / all, false);
}

static void put_mix(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    static const struct {
        sim_counter counter;
        const char *name;
    } pipes[] = {
        {SIM_COUNTER_PIPE_FMA, "FMA"},       {SIM_COUNTER_PIPE_ALU, "ALU"},
        {SIM_COUNTER_PIPE_XU, "XU"},         {SIM_COUNTER_PIPE_FP64, "FP64"},
        {SIM_COUNTER_PIPE_TENSOR, "tensor"}, {SIM_COUNTER_PIPE_LSU, "LSU"},
        {SIM_COUNTER_PIPE_TEX, "texture"},   {SIM_COUNTER_PIPE_CONTROL, "control"},
    };
    uint64_t all = r->totals.value[SIM_COUNTER_INST], told = 0;
    fputs("<section class=\"card\"><h3>Instruction mix</h3>"
          "<table class=\"bars\" data-beside=\" pipe, of warp instructions\">"
          "<caption>share of warp instructions by pipe</caption>\n",
          out);
    for (size_t i = 0; i < sizeof pipes / sizeof pipes[0]; i++) {
        uint64_t count = r->totals.value[pipes[i].counter];
        put_mix_row(out, g, pipes[i].name, ladder_counter_term(pipes[i].counter), count, r);
        told += count;
    }
    if (told < all) put_mix_row(out, g, "other", "Pipe", all - told, r);
    fputs("</table></section>\n", out);
}

static void put_counter_name(FILE *out, sim_counter counter) {
    if (counter == SIM_COUNTER_COUNT) return;
    fprintf(out, "<code>%s</code>", sim_counter_name(counter));
}

// Rows that the script compares with those of another launch by their labels.
static void put_value(FILE *out, ladder_glossary *g, const char *term, const char *label,
                      double value, const char *text) {
    begin_bar(out, value);
    page_html(out, g, "[[%s|%s]]</th><td class=\"num\">%s</td><td class=\"names\">", term, label,
              text);
}

static void put_totals(FILE *out, ladder_glossary *g, const sim_launch_report *r) {
    char text[32];
    fputs("<section class=\"card wide\"><h3>Counters</h3><div class=\"scroll\" tabindex=\"0\">"
          "<table class=\"values\">\n",
          out);
    put_value(out, g, "Launch", "modelled time", r->time_us,
              kl_format_us(r->time_us, text, sizeof text));
    fputs("</td></tr>\n", out);
    for (int i = 0; i < ladder_profile_row_count; i++) {
        const ladder_profile_row *row = &ladder_profile_rows[i];
        if (!ladder_profile_row_applies(row, &r->totals)) continue;
        double value = ladder_profile_row_value(row, &r->totals);
        put_value(out, g, row->term, row->label, value,
                  ladder_profile_row_text(row, value, text, sizeof text));
        put_counter_name(out, row->counter);
        if (row->divisor != SIM_COUNTER_COUNT) fputs(" / ", out);
        put_counter_name(out, row->divisor);
        fputs("</td></tr>\n", out);
    }
    for (int i = 0; i < LADDER_HIT_RATES; i++) {
        double percent = ladder_hit_rates[i].percent(&r->totals);
        if (isnan(percent)) continue;
        snprintf(text, sizeof text, "%.1f", percent);
        put_value(out, g, ladder_hit_rates[i].term, ladder_hit_rates[i].label, percent, text);
        fputs("</td></tr>\n", out);
    }
    fputs("</table></div></section>\n", out);
}

static uint32_t findings_of(const sim_check_report *report, const char *kernel) {
    uint32_t count = 0;
    for (uint32_t i = 0; report && i < report->count; i++)
        count += strcmp(report->findings[i].kernel, kernel) == 0;
    return count;
}

// A result that may be wrong comes before its speed.
static void put_finding_note(FILE *out, const page_launch *launch) {
    const ladder_checks *checks = launch->part->checks;
    if (!checks) return;
    const char *kernel = page_report(launch)->kernel;
    uint32_t count = findings_of(checks->report, kernel) + findings_of(checks->permuted, kernel);
    if (count == 0) return;
    fprintf(out,
            "<p class=\"fault\"><b>The checker found %u fault%s in this kernel:</b> %s at %s "
            "below. Its result may be wrong; that comes before its speed.</p>\n",
            count, count == 1 ? "" : "s", count == 1 ? "it stands" : "they stand",
            count == 1 ? "its lines" : "their lines");
}

static void put_line_link(FILE *out, const page_launch *launch, uint32_t file, unsigned line) {
    fprintf(out, "<a href=\"#line-%d-%u-%u\">", launch->number, file, line);
}

// "2_tiled.cu:39: ..", and ".. is in line 40" of the same file.
static void put_sentence(FILE *out, ladder_glossary *g, const page_launch *launch, char *text) {
    const sim_launch_report *r = page_report(launch);
    size_t name = strcspn(text, ":");
    uint32_t file = 0;
    unsigned line;
    for (; file < r->file_count; file++) {
        const char *base = basename(r->files[file]);
        if (strlen(base) == name && memcmp(base, text, name) == 0) break;
    }
    if (file == r->file_count || sscanf(text + name, ":%u:", &line) != 1) {
        ladder_glossary_ask_words(out, g, text);
        return;
    }
    char *rest = strchr(text + name + 1, ':'), *other = strstr(rest, " in line ");
    *rest = '\0';
    put_line_link(out, launch, file, line);
    ladder_html(out, "%s</a>:", text);
    if (other) *other = '\0';
    ladder_glossary_ask_words(out, g, rest + 1);
    if (!other || sscanf(other + 1, "in line %u", &line) != 1) return;
    fputs(" in ", out);
    put_line_link(out, launch, file, line);
    fprintf(out, "line %u</a>", line);
}

void page_put_advice(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    char text[LADDER_ADVICE_MAX][LADDER_ADVICE_TEXT];
    if (r->fault.kind != SIM_OK) {
        fputs("<div class=\"fault\"><h3>This launch failed</h3>", out);
        put_paragraph(out, "lines", r->fault.text);
        fputs("</div>\n", out);
        return;
    }
    int count = ladder_profile_advise(r, &launch->part->profile->device, text);
    if (count == 0) {
        put_paragraph(out, "advice",
                      "Nothing to change stands out: starting the kernel takes most of the time.");
        return;
    }
    fputs("<div class=\"advice\"><h3>What to change first</h3><ol>", out);
    for (int i = 0; i < count; i++) {
        fputs("<li>", out);
        put_sentence(out, g, launch, text[i]);
        fputs("</li>", out);
    }
    fputs("</ol></div>\n", out);
}

void page_put_launch(FILE *out, ladder_glossary *g, const page_launch *launch, bool of_many) {
    const sim_launch_report *r = page_report(launch);
    char text[512], time[32];
    ladder_html(out,
                "<details class=\"launch\" id=\"launch-%d\"%s><summary><h2>Launch %d <code>"
                "%s</code></h2> <span class=\"when\">%s</span></summary>\n",
                launch->number, launch->open ? " open" : "", launch->number,
                ladder_demangle(r->kernel, text, sizeof text),
                kl_format_us(r->time_us, time, sizeof time));
    put_asked(out, g, "sub", ladder_config_text(r, text, sizeof text));
    if (r->local_bytes) put_asked(out, g, "sub", ladder_local_text(r, text, sizeof text));
    if (r->from_launch)
        fprintf(out, "<p class=\"sub\">launched by the kernel of launch %u</p>\n", r->from_launch);
    put_finding_note(out, launch);
    if (!launch->first) page_put_advice(out, g, launch);
    page_put_source(out, g, launch); // what the reader wrote comes before what was counted
    if (launch->maps) fwrite(launch->maps, 1, launch->maps_bytes, out);
    fputs("<div class=\"cards\">\n", out);
    put_bounds(out, g, r);
    put_activity(out, g, launch);
    put_mix(out, g, launch);
    page_put_roofline(out, g, launch);
    put_totals(out, g, r);
    fputs("</div>\n", out);
    page_put_timeline(out, g, launch, of_many);
    fputs("</details>\n", out);
}

// ---- the roofline of a launch, on its page ------------------------------------------------------

// What chart.js draws, beside the picture.
static void put_numbers(FILE *out, const ladder_roofline *line) {
    ladder_roofline_numbers n = ladder_roofline_numbers_of(line);
    fprintf(out,
            "<figure class=\"chart\" tabindex=\"0\" data-chart=\"roofline\" data-x=\"%s\" "
            "data-y=\"%s\" data-rate=\"%.6g\" data-peak=\"%.6g\" data-dram=\"%.6g %.6g\"",
            line->x_title, line->y_title, n.rate, n.peak, n.intensity[LADDER_ROOF_DRAM],
            n.slope[LADDER_ROOF_DRAM]);
    if (line->l2_bytes > 0)
        fprintf(out, " data-l2=\"%.6g %.6g\"", n.intensity[LADDER_ROOF_L2],
                n.slope[LADDER_ROOF_L2]);
    fputs(">", out);
}

void page_put_roofline(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    const uint64_t *v = r->totals.value;
    const ladder_roofline_counts counts = {
        .fma = (double)v[SIM_COUNTER_MULTIPLY_ADDS],
        .fma_pipe = (double)v[SIM_COUNTER_PIPE_FMA],
        .tensor_cycles = (double)v[SIM_COUNTER_TENSOR_CYCLES],
        .instructions = (double)v[SIM_COUNTER_INST],
        .bytes = (double)v[SIM_COUNTER_DRAM_READ] + (double)v[SIM_COUNTER_DRAM_WRITE],
        .l2_bytes = 32.0 * ((double)v[SIM_COUNTER_L2_READS] + (double)v[SIM_COUNTER_L2_WRITES] +
                            (double)v[SIM_COUNTER_L2_ATOMS] + (double)v[SIM_COUNTER_L2_REDS]),
        .time_us = r->time_us};
    ladder_roofline line;
    if (!ladder_roofline_of(&counts, &launch->part->profile->device, &line)) return;
    page_html(out, g, "<section class=\"card\"><h3>[[Roofline|Roofline]]</h3>\n");
    put_numbers(out, &line);
    ladder_roofline_draw(&line, "this launch", out);
    page_html(out, g, "</figure>\n<p class=\"sub why\">[[Arithmetic intensity|intensity]]");
    fputs(line.l2_bytes > 0 ? " at DRAM" : "", out);
    ladder_roofline_tell(&line, LADDER_ROOF_DRAM, out);
    if (line.l2_bytes > 0) {
        page_html(out, g, "</p>\n<p class=\"sub why\">intensity at [[L2 cache|L2]]");
        ladder_roofline_tell(&line, LADDER_ROOF_L2, out);
    }
    fputs("</p></section>\n", out);
}
