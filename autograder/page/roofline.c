// SPDX-License-Identifier: MIT
// The roofline of a launch, on its page: see inside.h.
#include "page/inside.h"
#include "report/roofline.h"

void page_put_roofline(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    const uint64_t *v = r->totals.value;
    const ladder_roofline_counts counts = {.fma = (double)v[SIM_COUNTER_MULTIPLY_ADDS],
                                           .fma_pipe = (double)v[SIM_COUNTER_PIPE_FMA],
                                           .instructions = (double)v[SIM_COUNTER_INST],
                                           .bytes = (double)v[SIM_COUNTER_DRAM_READ] +
                                                    (double)v[SIM_COUNTER_DRAM_WRITE],
                                           .time_us = r->time_us};
    ladder_roofline line;
    if (!ladder_roofline_of(&counts, &launch->part->profile->device, &line)) return;
    fputs("<h3>", out);
    ladder_glossary_ask(out, g, "Roofline", "Roofline");
    fputs("</h3>\n", out);
    ladder_roofline_draw(&line, "this launch", out);
    fputs("<p class=\"why\">", out);
    ladder_glossary_ask(out, g, "Arithmetic intensity", "intensity");
    ladder_roofline_tell(&line, out);
    fputs("</p>\n", out);
}
