// Source, PTX and machine code side by side as a page that loads nothing: see page.h.
#include "show/page/page.h"
#include "show/report/report.h"
#include <math.h>

static const char style[] =
    "table.joined{width:100%;table-layout:fixed;border-collapse:collapse;font:13px/1.5 monospace}"
    ".joined th,.joined td{text-align:left;vertical-align:top;padding:0 .6em;border-top:1px solid "
    "#8884}.joined td{white-space:pre-wrap;overflow-wrap:anywhere}.joined .n{width:4em;text-align:"
    "right;padding:0 .3em}.joined tbody:hover{background:#8882}.joined .source{width:32%}";

// The rows of a source line: one for each PTX instruction, with the machine instructions of it.
static void put_joined_row(FILE *out, const ladder_joined *joined, uint32_t index, double most) {
    const sim_launch_report *r = joined->report;
    const sim_code *code = r->code;
    const ladder_joined_row *row = &joined->rows[index];
    double share = most > 0 ? (double)r->lines[index].counters.value[SIM_COUNTER_INST] / most : 0;
    uint32_t count = row->count ? row->count : 1;
    char text[128];
    fputs("<tbody>", out);
    for (uint32_t k = 0; k < count; k++) {
        fputs("<tr>", out);
        if (k == 0) {
            ladder_html(out,
                        "<td class=\"n\" rowspan=\"%u\" id=\"L%u-%u\" style=\"box-shadow:inset "
                        "4px 0 rgb(214 69 65/%.2f)\">%u</td><td rowspan=\"%u\">%s</td>",
                        count, r->lines[index].file, r->lines[index].line, sqrt(share),
                        r->lines[index].line, count, row->source ? row->source : "");
        }
        if (row->count == 0) {
            fputs("<td></td><td></td><td></td></tr>", out);
            continue;
        }
        uint32_t i = joined->instrs[row->first + k];
        ladder_html(out, "<td class=\"n\">%llu</td><td>%s</td><td>",
                    (unsigned long long)code->instrs[i].executed,
                    code->text + code->instrs[i].text);
        for (uint32_t m = joined->machine_first[i]; m < joined->machine_first[i + 1]; m++) {
            if (m > joined->machine_first[i]) fputs("\n", out);
            ladder_put_html(out, ladder_joined_machine(joined, joined->machine[m], text));
        }
        fputs("</td></tr>\n", out);
    }
    fputs("</tbody>\n", out);
}

static void put_joined_kernel(FILE *out, const ladder_joined *joined) {
    const sim_launch_report *r = joined->report;
    char name[512], text[512], about[512];
    double most = 0;
    uint32_t file = UINT32_MAX;
    ladder_html(out, "<section class=\"card\"><h2><code>%s</code></h2><p>%s<br>%s</p>\n",
                ladder_demangle(r->kernel, name, sizeof name),
                ladder_config_text(r, text, sizeof text), ladder_joined_about(joined, about));
    for (uint32_t i = 0; i < joined->row_count; i++)
        most = fmax(most, (double)r->lines[i].counters.value[SIM_COUNTER_INST]);
    for (uint32_t i = 0; i < joined->row_count; i++) {
        if (r->lines[i].file != file) {
            if (i > 0) fputs("</table>\n", out);
            file = r->lines[i].file;
            ladder_html(out,
                        "<table class=\"joined\"><thead><tr><th scope=\"col\" class=\"n\">"
                        "line</th><th scope=\"col\" class=\"source\">%s</th><th scope=\"col\" "
                        "class=\"n\">warps</th><th scope=\"col\">PTX</th><th scope=\"col\">"
                        "machine code</th></tr></thead>\n",
                        file < r->file_count ? r->files[file] : "?");
        }
        put_joined_row(out, joined, i, most);
    }
    fputs(joined->row_count > 0 ? "</table>\n" : "<p>no source lines: nvcc -lineinfo</p>\n", out);
    fputs("</section>\n", out);
}

void ladder_joined_page(const ladder_joined *joined, int count, const char *title, FILE *out) {
    ladder_page_head(out, "", title, NULL);
    ladder_html(out,
                "%s</style></head><body><main><h1>%s</h1><p>Each line of source, the PTX that "
                "nvcc made of it with the warps that executed it, and the machine instructions "
                "that ptxas made of that. Red: most warp instructions.</p>\n",
                style, title);
    for (int i = 0; i < count; i++) put_joined_kernel(out, &joined[i]);
    fputs("</main></body></html>\n", out);
}
