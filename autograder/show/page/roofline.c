// SPDX-License-Identifier: MIT
// The roofline of a launch, on its page: See internal.h.
#include "show/page/internal.h"
#include "show/report/roofline.h"

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
    fputs("<h3>", out);
    ladder_glossary_ask(out, g, "Roofline", "Roofline");
    fputs("</h3>\n", out);
    put_numbers(out, &line);
    ladder_roofline_draw(&line, "this launch", out);
    fputs("</figure>\n", out);
    fputs("<p class=\"sub why\">", out);
    ladder_glossary_ask(out, g, "Arithmetic intensity", "intensity");
    fputs(line.l2_bytes > 0 ? " at DRAM" : "", out);
    ladder_roofline_tell(&line, LADDER_ROOF_DRAM, out);
    fputs("</p>\n", out);
    if (!(line.l2_bytes > 0)) return;
    fputs("<p class=\"sub why\">intensity at ", out);
    ladder_glossary_ask(out, g, "L2 cache", "L2");
    ladder_roofline_tell(&line, LADDER_ROOF_L2, out);
    fputs("</p>\n", out);
}
