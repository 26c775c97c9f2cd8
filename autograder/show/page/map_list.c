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
