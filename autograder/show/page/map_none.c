// Accesses that have no map: which lines have them, and why (no_maps.def). See internal.h.
#include "show/page/internal.h"

// A kind of access without a map.
typedef struct no_map {
    sim_counter requests, units; // units: SIM_COUNTER_COUNT for none
    const char *ptx;             // how its PTX begins; NULL: it is known by its counter
    const char *unit, *name, *term, *reason;
} no_map;

static const no_map kinds[] = {
#define PAGE_NO_MAP(requests, units, unit, name, term, reason)                                     \
    {SIM_COUNTER_##requests, SIM_COUNTER_##units, NULL, unit, name, term, reason},
#define PAGE_NO_MAP_PTX(ptx, name, term, reason)                                                   \
    {SIM_COUNTER_COUNT, SIM_COUNTER_COUNT, ptx, "", name, term, reason},
#include "show/page/no_maps.def"
#undef PAGE_NO_MAP
#undef PAGE_NO_MAP_PTX
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

// What is left: accesses of a kind that has maps, of which some or all executions have none.
static const no_map of_several = {
    .units = SIM_COUNTER_COUNT,
    .name = "access",
    .term = "Request",
    .reason = "not drawn are executions whose lanes point to several memories, or ask for nothing"};
static const no_map of_today = {
    .units = SIM_COUNTER_COUNT,
    .name = "access",
    .term = "Compute capability",
    .reason = "this card has no such instruction: it is counted as on compute capability 9.0"};

// ---- Which lines have them ----

static bool begins(const char *text, const char *ptx) {
    if (*text == '@') text += strcspn(text, " ");
    text += strspn(text, " ");
    return strncmp(text, ptx, strlen(ptx)) == 0;
}

static bool has_ptx(const sim_launch_report *r, const sim_line_counters *line, const char *ptx) {
    for (uint32_t i = 0; r->code && i < r->code->instr_count; i++) {
        const sim_code_instr *instr = &r->code->instrs[i];
        if (instr->line == line->line && instr->file == line->file && instr->executed > 0 &&
            begins(r->code->text + instr->text, ptx))
            return true;
    }
    return false;
}

static bool has(const sim_launch_report *r, const sim_line_counters *line, const no_map *kind) {
    if (kind->ptx) return has_ptx(r, line, kind->ptx);
    return line->counters.value[kind->requests] > 0;
}

// Whether requests of the line are in no map, though accesses like these have maps.
static bool has_rest(const sim_launch_report *r, const sim_line_counters *line) {
    uint64_t left = 0, mapped[SIM_COUNTER_COUNT] = {0};
    for (uint32_t i = 0; i < r->maps->access_count; i++) {
        const sim_access_map *a = &r->maps->accesses[i];
        if (a->line == line->line && a->file == line->file)
            mapped[sim_map_requests(a->kind)] += a->requests;
    }
    for (int k = 0; k < SIM_MAP_KIND_COUNT; k++) {
        sim_counter c = sim_map_requests((sim_map_kind)k);
        if (line->counters.value[c] > mapped[c]) left += line->counters.value[c] - mapped[c];
    }
    if (left == 0 || r->maps->accesses_left_out > 0) return false;
    return !has_ptx(r, line, "wmma.load") && !has_ptx(r, line, "wmma.store");
}

// What the line has that an older card lacks, or does in another way.
static bool is_of_today(const page_launch *launch, const sim_line_counters *line) {
    const uint64_t *v = line->counters.value;
    return sim_device_is_older(&launch->part->profile->device) &&
           (v[SIM_COUNTER_SHARED_ATOM_INST] > 0 || v[SIM_COUNTER_ASYNC_COPIES] > 0 ||
            v[SIM_COUNTER_MATRIX_LOADS] > 0);
}

static const no_map *rest_of(const page_launch *launch, const sim_line_counters *line) {
    if (!has_rest(page_report(launch), line)) return NULL;
    return is_of_today(launch, line) ? &of_today : &of_several;
}

// ---- What the page says ----

static void put_link(FILE *out, const page_launch *launch, const sim_line_counters *line,
                     const no_map *kind) {
    fprintf(out, " <a class=\"tomap none\" href=\"#nomap-%d-%u-%u\">%s: no map</a>", launch->number,
            line->file, line->line, kind->name);
}

void page_put_no_map_links(FILE *out, const page_launch *launch, const sim_line_counters *line) {
    const sim_launch_report *r = page_report(launch);
    if (!r->maps) return;
    for (int k = 0; k < KINDS; k++)
        if (has(r, line, &kinds[k])) put_link(out, launch, line, &kinds[k]);
    const no_map *rest = rest_of(launch, line);
    if (rest) put_link(out, launch, line, rest);
}

void page_put_where(FILE *out, const sim_launch_report *r, uint32_t file, uint32_t line) {
    if (line == 0) {
        fputs("no line", out);
        return;
    }
    ladder_html(out, "%s:%u", file < r->file_count ? basename(r->files[file]) : "?", line);
}

static bool is_kind(const page_launch *launch, const sim_line_counters *line, const no_map *kind) {
    if (kind == &of_several || kind == &of_today) return rest_of(launch, line) == kind;
    return has(page_report(launch), line, kind);
}

// The first kind of a line bears the line's address.
static bool is_first(const page_launch *launch, const sim_line_counters *line, const no_map *kind) {
    for (int k = 0; k < KINDS && kind != &kinds[k]; k++)
        if (is_kind(launch, line, &kinds[k])) return false;
    return true;
}

static void put_line(FILE *out, ladder_glossary *g, const page_launch *launch,
                     const sim_line_counters *line, const no_map *kind) {
    const sim_launch_report *r = page_report(launch);
    fputs("<li", out);
    if (is_first(launch, line, kind))
        fprintf(out, " id=\"nomap-%d-%u-%u\"", launch->number, line->file, line->line);
    fputs("><code>", out);
    page_put_where(out, r, line->file, line->line);
    fputs("</code>", out);
    if (kind->units != SIM_COUNTER_COUNT) {
        char cost[64];
        snprintf(cost, sizeof cost, " %.1f %s per request",
                 (double)line->counters.value[kind->units] /
                     (double)line->counters.value[kind->requests],
                 kind->unit);
        ladder_glossary_ask_words(out, g, cost);
    }
    fputs("</li>\n", out);
}

static int put_kind(FILE *out, ladder_glossary *g, const page_launch *launch, const no_map *kind,
                    int before) {
    const sim_launch_report *r = page_report(launch);
    int count = 0;
    for (uint32_t i = 0; i < r->line_count; i++) {
        if (!is_kind(launch, &r->lines[i], kind)) continue;
        if (before + count == 0) fputs("<h4>Accesses without a map</h4>\n", out);
        if (count++ == 0) {
            page_html(out, g, "<p class=\"sub\">[[%s|%s]]: %s.</p>\n<ul class=\"nomaps\">\n",
                      kind->term, kind->name, kind->reason);
        }
        put_line(out, g, launch, &r->lines[i], kind);
    }
    if (count > 0) fputs("</ul>\n", out);
    return count;
}

void page_put_no_maps(FILE *out, ladder_glossary *g, const page_launch *launch) {
    int count = 0;
    for (int k = 0; k < KINDS; k++) count += put_kind(out, g, launch, &kinds[k], count);
    count += put_kind(out, g, launch, &of_several, count);
    put_kind(out, g, launch, &of_today, count);
}
