// The source of a launch, line by line, with its counters and the checker's findings. A line keeps
// all its counters in data-c, from which page.js colours it. See internal.h.
#include "show/page/internal.h"
#include "show/page/page.h"
#include "show/report/report.h"
#include "utilities/finding.h"

// A file's lines of a launch.
typedef struct listing {
    FILE *out;
    const page_launch *launch;
    const char *file;
    double most; // warp instructions of the line that has most
} listing;

static const char *file_of(const sim_launch_report *r, uint32_t line) {
    return r->lines[line].file < r->file_count ? r->files[r->lines[line].file] : "?";
}

static void put_measure(FILE *out, const char *kind, double value, int decimals) {
    fprintf(out, "<td class=\"num %s\">", kind);
    if (!isnan(value)) fprintf(out, "%.*f", decimals, value);
    fputs("</td>", out);
}

static void put_counters(FILE *out, const sim_counters *counters) {
    const char *separator = "";
    fputs(" data-c=\"", out);
    for (int c = 0; c < SIM_COUNTER_COUNT; c++) {
        if (counters->value[c] == 0) continue;
        fprintf(out, "%s%d:%llu", separator, c, (unsigned long long)counters->value[c]);
        separator = " ";
    }
    fputc('"', out);
}

static bool is_at(const sim_finding *finding, const listing *l, uint32_t line) {
    if (strcmp(finding->kernel, page_report(l->launch)->kernel) != 0) return false;
    for (int i = 0; i < 2; i++)
        if (finding->sides[i].line == line &&
            strcmp(basename(finding->sides[i].file), basename(l->file)) == 0)
            return true;
    return false;
}

// A finding of two lines stands at both: which is the other one?
static void put_other_side(const listing *l, const sim_finding *finding, uint32_t line) {
    for (int i = 0; i < 2; i++) {
        const sim_check_side *other = &finding->sides[1 - i];
        if (finding->sides[i].line != line || other->line == 0 || other->line == line) continue;
        ladder_html(l->out, " (with <code>%s:%u</code>)", basename(other->file), other->line);
        return;
    }
}

// Which threads, and which memory.
static void put_sides(FILE *out, const sim_finding *finding) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *told = open_memstream(&text, &bytes);
    if (!told) return;
    ladder_finding_sides(finding, told);
    if (fclose(told) == 0) ladder_html(out, "\n%s", text);
    free(text);
}

static void put_findings(const listing *l, const sim_check_report *report, uint32_t line) {
    for (uint32_t i = 0; report && i < report->count; i++) {
        const sim_finding *f = &report->findings[i];
        if (!is_at(f, l, line)) continue;
        ladder_html(l->out,
                    "<tr class=\"finding\"><td colspan=\"6\"><div class=\"told\"><b>%s</b> %s",
                    sim_check_name(f->kind), f->text);
        put_other_side(l, f, line);
        put_sides(l->out, f);
        fputs("</div></td></tr>\n", l->out);
    }
}

// A ladder_source_visit.
static void put_line(void *context, uint32_t number, const char *text,
                     const sim_line_counters *counters) {
    const listing *l = context;
    FILE *out = l->out;
    if (number == 0) {
        fputs("<tr class=\"fold\"><td colspan=\"6\">..</td></tr>\n", out);
        return;
    }
    fputs(counters ? "<tr" : "<tr class=\"idle\"", out);
    if (counters) put_counters(out, &counters->counters);
    fprintf(out, "><td class=\"line\">%u</td>", number);
    if (counters) {
        char count[40];
        ladder_line line = ladder_line_measure(&counters->counters);
        fprintf(out, "<td class=\"num heat\" style=\"--heat:%.3f\">%s</td>",
                l->most > 0 ? line.instructions / l->most : 0,
                kl_format_grouped((long long)line.instructions, count, sizeof count));
        put_measure(out, "lanes", 100 * line.lanes, 0);
        put_measure(out, "sectors", line.sectors, 1);
        put_measure(out, "banks", line.conflict, 1);
    } else {
        fputs("<td></td><td class=\"lanes\"></td><td class=\"sectors\"></td>"
              "<td class=\"banks\"></td>",
              out);
    }
    fputs("<td class=\"code\"", out);
    if (counters) fprintf(out, " id=\"line-%d-%u-%u\"", l->launch->number, counters->file, number);
    ladder_html(out, ">%s", text);
    if (counters) {
        page_put_map_links(out, l->launch, counters->file, number);
        page_put_no_map_links(out, l->launch, counters);
    }
    fputs("</td></tr>\n", out);
    if (!l->launch->part->checks) return;
    put_findings(l, l->launch->part->checks->report, number);
    put_findings(l, l->launch->part->checks->permuted, number);
}

static void put_head(FILE *out, ladder_glossary *g, const char *file, uint32_t index) {
    static const struct {
        const char *kind, *term, *label;
    } columns[] = {{"lanes", "Active threads per warp", "active %"},
                   {"sectors", "Sectors per request", "sectors"},
                   {"banks", "Bank conflict", "banks"}};
    page_html(out, g,
              "<h4>%s</h4><div class=\"scroll\" tabindex=\"0\"><table class=\"source\" "
              "data-file=\"%u\"><thead><tr><th scope=\"col\">line</th><th scope=\"col\" "
              "class=\"chosen\">[[%s|warp instructions]]</th>",
              basename(file), index, ladder_counter_term(SIM_COUNTER_INST));
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        page_html(out, g, "<th scope=\"col\" class=\"%s\">[[%s|%s]]</th>", columns[i].kind,
                  columns[i].term, columns[i].label);
    }
    fputs("<th scope=\"col\" class=\"code\">source</th></tr></thead><tbody>\n", out);
}

static void put_option(FILE *out, ladder_glossary *g, const char *value, const char *term,
                       const char *name, const char *text) {
    int found = ladder_glossary_find(g, term);
    if (found >= 0) g->terms[found].used = true;
    ladder_html(out, "<option value=\"%s\" data-term=\"term-%d\" data-text=\"%s\">%s</option>\n",
                value, found, text, name);
}

// Whether a line has the measure: a launch without shared memory has no bank conflicts to show.
static bool some_line_has(const page_launch *launch, double (*measure)(const ladder_line *)) {
    const sim_launch_report *r = page_report(launch);
    for (uint32_t i = 0; i < r->line_count; i++) {
        ladder_line line = ladder_line_measure(&r->lines[i].counters);
        if (!isnan(measure(&line))) return true;
    }
    return false;
}

static double sectors_of(const ladder_line *line) { return line->sectors; }

static double conflict_of(const ladder_line *line) { return line->conflict; }

// What the heat may show: measures of a line, and every counter that the launch has in its lines.
static void put_choice(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    char value[16];
    fprintf(out,
            "<p class=\"choice\"><label for=\"heat-%d\">heat by</label> "
            "<select class=\"heat-by\" id=\"heat-%d\" data-launch=\"%d\">\n",
            launch->number, launch->number, launch->number);
    snprintf(value, sizeof value, "%d", SIM_COUNTER_INST);
    put_option(out, g, value, ladder_counter_term(SIM_COUNTER_INST), "warp instructions",
               sim_counter_text(SIM_COUNTER_INST));
    put_option(out, g, "lanes", "Active threads per warp", "active threads per warp",
               "active threads per warp, in per cent of 32");
    if (some_line_has(launch, sectors_of))
        put_option(out, g, "sectors", "Sectors per request", "sectors per global request",
                   "of loads or stores, whichever move more");
    if (some_line_has(launch, conflict_of))
        put_option(out, g, "banks", "Bank conflict", "bank conflicts",
                   "shared wavefronts, as a multiple of the number without bank conflicts");
    for (int c = 0; c < SIM_COUNTER_COUNT; c++) {
        bool found = false;
        for (uint32_t i = 0; i < r->line_count && !found; i++)
            found = r->lines[i].counters.value[c] != 0;
        if (!found || c == SIM_COUNTER_INST) continue;
        snprintf(value, sizeof value, "%d", c);
        put_option(out, g, value, ladder_counter_term((sim_counter)c),
                   sim_counter_name((sim_counter)c), sim_counter_text((sim_counter)c));
    }
    fputs("</select> <span class=\"about\"></span></p>\n", out);
    if (launch->code != 0)
        fputs("<p class=\"pick-hint\" hidden>A line's number opens its PTX and machine "
              "instructions.</p>\n",
              out);
}

void page_put_source(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    fputs("<section class=\"sources\"", out);
    page_put_code_counts(out, g, launch);
    fputs("><h3>Source</h3>\n", out);
    if (r->line_count == 0)
        fputs("<p>no source lines: compile with <code>nvcc -lineinfo</code> to see them</p>\n",
              out);
    else put_choice(out, g, launch);
    listing l = {out, launch, NULL, 0};
    for (uint32_t i = 0; i < r->line_count; i++)
        l.most = fmax(l.most, (double)r->lines[i].counters.value[SIM_COUNTER_INST]);
    for (uint32_t first = 0; first < r->line_count;) {
        uint32_t end = first;
        while (end < r->line_count && r->lines[end].file == r->lines[first].file) end++;
        l.file = file_of(r, first);
        put_head(out, g, l.file, r->lines[first].file);
        ladder_source_walk(r, first, end, put_line, &l);
        fputs("</tbody></table></div>\n", out);
        first = end;
    }
    fputs("</section>\n", out);
}

// ---- source, PTX and machine code side by side: a page that loads nothing -----------------------

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
