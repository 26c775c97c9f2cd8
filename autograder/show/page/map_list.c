// The list of a launch's accesses, most wasteful first, each of which unfolds to its map. See
// internal.h.
#include "show/page/internal.h"

// ---- Grouping ----

static bool alike(const sim_access_map *a, const sim_access_map *b) {
    return a->file == b->file && a->line == b->line && a->kind == b->kind && a->bytes == b->bytes;
}

static uint32_t surplus(const sim_access_map *access) {
    return access->worst.units - access->worst.least;
}

static int by_lost(const void *left, const void *right) {
    const page_access *a = left, *b = right;
    if (a->lost != b->lost) return a->lost < b->lost ? 1 : -1;
    return a->worst->order < b->worst->order ? -1 : a->worst->order > b->worst->order;
}

static kl_status find_accesses(const sim_launch_report *r, const sim_device *device,
                               page_accesses *out_accesses, kl_error *err) {
    uint32_t all = r->maps ? r->maps->access_count : 0;
    *out_accesses = (page_accesses){.list = calloc((size_t)all + 1, sizeof *out_accesses->list)};
    if (!out_accesses->list) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    for (uint32_t i = 0; i < all; i++) {
        const sim_access_map *access = &r->maps->accesses[i];
        uint32_t at = 0;
        while (at < out_accesses->count && !alike(out_accesses->list[at].worst, access)) at++;
        page_access *group = &out_accesses->list[at];
        if (at == out_accesses->count) {
            out_accesses->count++;
            group->worst = access;
        } else if (surplus(access) > surplus(group->worst)) {
            group->worst = access;
        }
        double each = sim_map_is_shared(access->kind) ? 1 : ladder_sector_cycles(device);
        group->instructions++;
        group->requests += access->requests;
        group->units += access->units;
        group->least += access->least;
        group->lost += each * (double)(access->units - access->least);
    }
    qsort(out_accesses->list, out_accesses->count, sizeof *out_accesses->list, by_lost);
    for (uint32_t i = 0; i < out_accesses->count; i++) out_accesses->list[i].number = (int)i + 1;
    return KL_OK;
}

void page_put_map_links(FILE *out, const page_launch *launch, uint32_t file, uint32_t line) {
    for (uint32_t i = 0; i < launch->accesses.shown; i++) {
        const page_access *a = &launch->accesses.list[i];
        if (a->worst->line != line || a->worst->file != file) continue;
        const char *name = sim_map_kind_name(a->worst->kind);
        fprintf(out, " <a class=\"tomap%s\" href=\"#map-%d-%d\" ",
                a->units > a->least ? " waste" : "", launch->number, a->number);
        fprintf(out, "aria-label=\"map of the %s in line %u\">%s</a>", name, line, name);
    }
    page_put_box_links(out, launch, file, line);
}

// ---- The list ----

static void put_entry(FILE *out, ladder_glossary *g, const page_launch *launch,
                      const page_access *a, double most, bool fits) {
    const sim_access_map *worst = a->worst;
    double requests = (double)a->requests;
    fprintf(out, "<details class=\"access\" id=\"map-%d-%d\"><summary><code>", launch->number,
            a->number);
    page_put_where(out, page_report(launch), worst->file, worst->line);
    fprintf(out, "</code> <b>%s</b> <span class=\"wide\">%u bytes per lane",
            sim_map_kind_name(worst->kind), worst->bytes);
    if (a->instructions > 1) fprintf(out, ", %u instructions", a->instructions);
    fprintf(out,
            "</span> <span class=\"cost\">%.1f %s, least %.1f</span> <span class=\"track\">"
            "<span class=\"bar%s\" style=\"width:%.1f%%\"></span></span></summary>\n",
            (double)a->units / requests, sim_map_is_shared(worst->kind) ? "wavefronts" : "sectors",
            (double)a->least / requests, a->lost > 0 ? " most" : "",
            most > 0 ? 100 * a->lost / most : 0);
    if (fits) page_put_map(out, g, &launch->part->profile->device, worst);
    else
        fputs("<p class=\"sub\">No room for this map on one page: <code>ladder profile --maps "
              "--json FILE</code> has its addresses.</p>\n",
              out);
    fputs("</details>\n", out);
}

static void put_head(FILE *out, ladder_glossary *g) {
    page_html(out, g,
              "<p class=\"why\">Sorted by what they waste: [[Sector|sectors]] or "
              "[[Wavefront|wavefronts]] per [[Request|request]] beyond the least that the same "
              "lanes and bytes need. An access unfolds to its [[Sector map|sector map]] or [[Bank "
              "map|bank map]].</p>\n");
}

// Maps get three quarters of the space, names of further accesses the rest.
enum { MAP_BYTES = 12000 }; // of most maps
static void put_list(FILE *out, ladder_glossary *g, page_launch *launch, size_t available) {
    page_accesses *all = &launch->accesses;
    double most = all->count > 0 ? all->list[0].lost : 0;
    for (all->shown = 0; all->shown < all->count && (size_t)ftell(out) < available; all->shown++)
        put_entry(out, g, launch, &all->list[all->shown], most,
                  (size_t)ftell(out) + MAP_BYTES < available / 4 * 3);
    if (all->shown < all->count)
        fprintf(out, "<p class=\"sub\">%u more that waste less have no room on the page.</p>\n",
                all->count - all->shown);
    if (page_report(launch)->maps->accesses_left_out > 0)
        fprintf(out, "<p class=\"sub\">%u instructions that waste less were not recorded.</p>\n",
                page_report(launch)->maps->accesses_left_out);
}

static bool others_have_maps(const ladder_profile *profile) {
    for (uint32_t i = 0; i < profile->count; i++)
        if (profile->launches[i]->maps) return true;
    return false;
}

static void put_unrecorded(FILE *out) {
    fprintf(out,
            "<section class=\"maps\"><h3>Memory accesses</h3>\n<p class=\"sub\">Accesses and "
            "branches are recorded in the first %d launches of a kernel.</p></section>\n",
            LADDER_MAPS_MAX);
}

kl_status page_maps_make(page_launch *launch, ladder_glossary *g, size_t available, kl_error *err) {
    const sim_launch_report *r = page_report(launch);
    if (!r->maps && !others_have_maps(launch->part->profile)) return KL_OK;
    FILE *out = open_memstream(&launch->maps, &launch->maps_bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    if (!r->maps) {
        put_unrecorded(out);
        return fclose(out) == 0 ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    }
    kl_status status = find_accesses(r, &launch->part->profile->device, &launch->accesses, err);
    if (status != KL_OK) {
        fclose(out);
        return status;
    }
    page_put_boxes(out, g, launch, available / 2);
    fputs("<section class=\"maps\"><h3>Memory accesses</h3>\n", out);
    if (launch->accesses.count == 0)
        fputs("<p class=\"sub\">No access to memory that has a map.</p>\n", out);
    else put_head(out, g);
    put_list(out, g, launch, available);
    page_put_no_maps(out, g, launch);
    fputs("</section>\n", out);
    page_put_branches(out, g, launch);
    return fclose(out) == 0 ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
}

void page_maps_free(page_launch *launch) {
    free(launch->accesses.list);
    free(launch->maps);
    launch->accesses = (page_accesses){0};
    launch->maps = NULL;
    launch->maps_bytes = 0;
}

// ---- accesses that have no map: their lines, and why (no_maps.def) ------------------------------

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

// ---- branches that split warps: how often, which lanes, where they meet -------------------------

enum { STRIPS = 32 }; // pictures of lanes on a launch, of the first branches of the code

static void put_line_number(FILE *out, const char *before, uint32_t line) {
    if (line > 0) fprintf(out, "%s line %u", before, line);
}

static void put_lanes(FILE *out, ladder_glossary *g, const sim_branch_map *b) {
    double splits = (double)b->splits;
    double jumped = (double)b->taken / splits, stayed = (double)(b->active - b->taken) / splits;
    fputs(" On average ", out);
    if (b->is_switch) {
        fprintf(out, "%.1f lanes leave the way of the first one and %.1f go with it", jumped,
                stayed);
    } else {
        fprintf(out, "%.1f lanes go on", stayed);
        put_line_number(out, " at", b->fall_line);
        fprintf(out, ", %.1f jump", jumped);
        put_line_number(out, " to", b->jump_line);
    }
    fputs("; ", out);
    if (b->meets) {
        page_html(out, g, "they [[Reconvergence|meet again]]");
        put_line_number(out, " in", b->meet_line);
    } else {
        fputs("they do not meet again before the end", out);
    }
    fputs(".", out);
}

static void put_branch(FILE *out, ladder_glossary *g, const sim_launch_report *r,
                       const sim_branch_map *b, bool strip) {
    char splits[32], executions[32];
    ladder_html(out, "<p><code>%s",
                b->line > 0 && b->file < r->file_count ? basename(r->files[b->file]) : "no line");
    if (b->line > 0) fprintf(out, ":%u", b->line);
    double share = 100.0 * (double)b->splits / (double)b->executions;
    page_html(out, g,
              "</code> <b>[[Divergence|splits the warp]] in %.*f %%</b> of its executions (%s of "
              "%s).",
              share < 0.1 ? 3 : 1, share,
              kl_format_grouped((long long)b->splits, splits, sizeof splits),
              kl_format_grouped((long long)b->executions, executions, sizeof executions));
    put_lanes(out, g, b);
    fputs("</p>\n", out);
    if (!strip) return;
    fputs("<figure class=\"scroll\" tabindex=\"0\">", out);
    kl_split_draw(out, b->lanes, b->jumped, "Lanes of a warp at the branch");
    int jumped = __builtin_popcount(b->jumped), others = __builtin_popcount(b->lanes & ~b->jumped);
    char text[256];
    snprintf(text, sizeof text,
             "The first split: block (%u, %u, %u), warp %u. Orange: %d lane%s that %s. Blue: %d "
             "that %s.",
             b->block[0], b->block[1], b->block[2], b->warp, jumped, jumped == 1 ? "" : "s",
             b->is_switch ? "leave" : "jump", others, b->is_switch ? "stay" : "go on");
    fputs("<figcaption>", out);
    ladder_glossary_ask_words(out, g, text);
    fputs("</figcaption></figure>\n", out);
}

static void put_children(FILE *out, ladder_glossary *g, const sim_launch_report *r, uint32_t parent,
                         int depth) {
    static const char *const sides[] = {
        "", "Inside, where lanes go on: ", "Inside, where lanes jump to: ", "Inside: "};
    const sim_launch_maps *maps = r->maps;
    bool open = false;
    for (uint32_t i = 0; i < maps->branch_count; i++) {
        const sim_branch_map *b = &maps->branches[i];
        if (b->parent != parent) continue;
        if (!open) fputs("<ul class=\"tree\">\n", out);
        open = true;
        fputs("<li>", out);
        if (depth > 0) fprintf(out, "<p class=\"sub\">%s</p>", sides[b->side]);
        put_branch(out, g, r, b, i < STRIPS);
        put_children(out, g, r, i + 1, depth + 1);
        fputs("</li>\n", out);
    }
    if (open) fputs("</ul>\n", out);
}

void page_put_branches(FILE *out, ladder_glossary *g, const page_launch *launch) {
    const sim_launch_report *r = page_report(launch);
    const sim_launch_maps *maps = r->maps;
    page_html(out, g, "<section class=\"maps\"><h3>[[Divergence|Divergence]]</h3>\n");
    uint32_t split = maps->branch_count + maps->branches_left_out;
    uint32_t all = split + maps->branches_whole;
    if (all == 0) fputs("<p class=\"why\">No conditional branch of the PTX was executed", out);
    else if (split == 0)
        fprintf(out, "<p class=\"why\">No warp was split by the %u conditional branch%s of the PTX",
                all, all == 1 ? "" : "es");
    else
        fprintf(out, "<p class=\"why\">Of %u conditional branch%s of the PTX %u split%s a warp",
                all, all == 1 ? "" : "es", split, split == 1 ? "s" : "");
    page_html(out, g, ". ptxas may replace a short one by [[Predication|predication]].</p>\n");
    if (maps->branches_left_out > 0)
        fprintf(out, "<p class=\"sub\">%u that split more seldom are left out.</p>\n",
                maps->branches_left_out);
    put_children(out, g, r, 0, 0);
    fputs("</section>\n", out);
}
