// The page: head, what to change first, list of launches, their sections, glossary. See page.h.
#include "show/page/internal.h"
#include "show/report/report.h"

typedef struct page {
    const ladder_page_part *parts;
    int part_count;
    page_launch *launches;
    int count, chosen, shown; // of all parts; for showing in full; that had room
    const page_launch *first; // whose advice opens the page; NULL: there are no launches
    char *advice;             // its HTML
    char *codes;              // HTML of the PTX and machine code
    int codes_left;           // that did not fit
    ladder_glossary glossary;
    ladder_sha256 hash; // of the sections and the codes
} page;

// ---- Which launches are shown in full ----

static bool first_of_kernel(const page *p, int at) {
    const page_launch *l = &p->launches[at];
    for (int i = 0; i < at; i++)
        if (p->launches[i].part == l->part &&
            strcmp(page_report(&p->launches[i])->kernel, page_report(l)->kernel) == 0)
            return false;
    return true;
}

static void choose(page *p) {
    for (int priority = 0; priority < 3; priority++) {
        for (int i = 0; i < p->count && p->chosen < LADDER_PAGE_FULL; i++) {
            page_launch *l = &p->launches[i];
            bool wanted = priority == 0   ? page_report(l)->fault.kind != SIM_OK
                          : priority == 1 ? first_of_kernel(p, i)
                                          : true;
            if (!wanted || l->full) continue;
            l->full = true;
            l->open = priority < 2;
            p->chosen++;
        }
    }
}

// The page opens with what a launch that failed says, or with the advice for the longest one; of
// two parts, after the change.
static void choose_first(page *p) {
    page_launch *first = NULL;
    for (int i = 0; i < p->count; i++) {
        page_launch *l = &p->launches[i];
        if (!l->full || l->part != &p->parts[p->part_count - 1]) continue;
        if (page_report(l)->fault.kind != SIM_OK) {
            first = l;
            break;
        }
        if (!first || page_report(l)->time_us > page_report(first)->time_us) first = l;
    }
    if (first) first->first = true;
    p->first = first;
}

static kl_status make_advice(page *p, kl_error *err) {
    size_t bytes = 0;
    char name[512];
    double all_us = 0;
    sim_counters totals;
    FILE *out = open_memstream(&p->advice, &bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    if (p->first) {
        const sim_launch_report *r = page_report(p->first);
        const ladder_profile *profile = p->first->part->profile;
        ladder_profile_totals(profile, &totals, &all_us);
        page_put_advice(out, &p->glossary, p->first);
        if (profile->count > 1) {
            fprintf(out, "<p class=\"sub\">of <a href=\"#launch-%d\">launch %d, ", p->first->number,
                    p->first->number);
            ladder_demangle(r->kernel, name, sizeof name);
            name[strcspn(name, "(")] = '\0';
            page_html(out, &p->glossary,
                      "%s</a>, which takes %.0f %% of the [[Launch|modelled time]]</p>\n", name,
                      all_us > 0 ? 100 * r->time_us / all_us : 100);
        }
    }
    if (fclose(out) != 0) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    ladder_sha256_add(&p->hash, p->advice, bytes);
    return KL_OK;
}

enum { MANY = 8 }; // launches in full, of which each gets smaller pictures
static kl_status write_section(page *p, page_launch *l, kl_error *err) {
    TRY(page_maps_make(l, &p->glossary, LADDER_PAGE_MAP_BYTES / (size_t)p->chosen, err));
    FILE *out = open_memstream(&l->section, &l->bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    page_put_launch(out, &p->glossary, l, p->chosen > MANY);
    if (fclose(out) != 0) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    return KL_OK;
}

static kl_status make_section(page *p, page_launch *l, size_t *used, kl_error *err) {
    kl_status status = write_section(p, l, err);
    page_maps_free(l);
    if (status != KL_OK) return status;
    if (*used + l->bytes > LADDER_PAGE_BYTES) {
        free(l->section);
        l->section = NULL;
        return KL_OK;
    }
    *used += l->bytes;
    p->shown++;
    ladder_sha256_add(&p->hash, l->section, l->bytes);
    return KL_OK;
}

// The texts of the launches' code, as many as fit beside the sections.
static kl_status make_codes(page *p, int codes, size_t *used, kl_error *err) {
    size_t bytes = 0;
    FILE *out = open_memstream(&p->codes, &bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    for (int code = 1; code <= codes; code++) {
        char *text = NULL;
        size_t text_bytes = 0;
        FILE *one = open_memstream(&text, &text_bytes);
        for (int i = 0; one && i < p->count; i++)
            if (p->launches[i].code == code) {
                page_put_code_text(one, &p->glossary, &p->launches[i]);
                break;
            }
        if (!one || fclose(one) != 0) {
            fclose(out);
            return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
        }
        if (*used + text_bytes <= LADDER_PAGE_BYTES) fwrite(text, 1, text_bytes, out);
        else p->codes_left++;
        *used += *used + text_bytes <= LADDER_PAGE_BYTES ? text_bytes : 0;
        free(text);
    }
    if (fclose(out) != 0) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    ladder_sha256_add(&p->hash, p->codes, bytes);
    return KL_OK;
}

// ---- Parts of the page ----

// Text that hostile source may hold cannot run: a script needs the nonce, which follows from the
// text itself.
static void put_head(page *p, FILE *out, const char *nonce) {
    ladder_page_head(out, "Profile: ", p->parts[p->part_count - 1].title, nonce);
    fputs(ladder_page_style, out);
    kl_paper_style(out);
    fputs("</style></head>\n<body>\n<header><h1>Profile</h1>\n", out);
    for (int i = 0; i < p->part_count; i++) {
        const ladder_page_part *part = &p->parts[i];
        sim_counters totals;
        double time_us = 0;
        char time[32];
        ladder_profile_totals(part->profile, &totals, &time_us);
        page_html(out, &p->glossary,
                  "<p><b>%s%s</b><br><span class=\"sub\">%s (simulated): %u [[Launch|%s]], "
                  "modelled time %s</span></p>\n",
                  p->part_count == 1 ? ""
                  : i == 0           ? "before: "
                                     : "after: ",
                  part->title, part->profile->device_name, part->profile->count,
                  part->profile->count == 1 ? "kernel launch" : "kernel launches",
                  kl_format_us(time_us, time, sizeof time));
    }
    fputs("</header>\n<main>\n", out);
}

static const char *part_name(const page *p, const ladder_page_part *part) {
    return part == &p->parts[0] ? "before" : "after";
}

static void put_row(const page *p, const page_launch *l, FILE *out) {
    const sim_launch_report *r = page_report(l);
    char text[512], count[32];
    uint64_t blocks = (uint64_t)r->config.grid.x * r->config.grid.y * r->config.grid.z;
    fprintf(out, "<tr data-launch=\"%d\"><td class=\"num\">%d</td><td class=\"kernel\">", l->number,
            l->number);
    if (l->section) fprintf(out, "<a href=\"#launch-%d\">", l->number);
    ladder_demangle(r->kernel, text, sizeof text);
    text[strcspn(text, "(")] = '\0';
    ladder_put_html(out, text);
    if (l->section) fputs("</a>", out);
    if (p->part_count > 1) fprintf(out, " <span class=\"sub\">%s</span>", part_name(p, l->part));
    if (r->fault.kind != SIM_OK) fputs(" <b class=\"failed\">failed</b>", out);
    fprintf(out, "</td><td class=\"num more\">%s</td>",
            kl_format_grouped((long long)blocks, count, sizeof count));
    fprintf(out, "<td class=\"num more\">%s</td>",
            kl_format_count((double)r->totals.value[SIM_COUNTER_INST], count, sizeof count));
    fprintf(out, "<td class=\"num\">%s</td><td>%s</td></tr>\n",
            kl_format_us(r->time_us, count, sizeof count), sim_bound_name(r->bounds[0].kind));
}

static void put_list(page *p, FILE *out) {
    enum { LISTED = 500 }; // rows; the page has a limit
    static const struct {
        const char *kind, *term, *label;
    } columns[] = {{"num", "Launch", "launch"},     {"", "Kernel", "kernel"},
                   {"num more", "Block", "blocks"}, {"num more", "Warp", "warp instructions"},
                   {"num", "Launch", "time"},       {"", "Roofline", "limit"}};
    fputs("<section class=\"card\"><h2>Launches</h2><div class=\"scroll\" tabindex=\"0\">"
          "<table class=\"list\"><thead><tr>",
          out);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        page_html(out, &p->glossary, "<th scope=\"col\" class=\"%s\">[[%s|%s]]</th>",
                  columns[i].kind, columns[i].term, columns[i].label);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (int i = 0; i < p->count && i < LISTED; i++) put_row(p, &p->launches[i], out);
    fputs("</tbody></table></div>\n", out);
    if (p->count > LISTED)
        fprintf(out, "<p class=\"sub\">and %d more launches</p>\n", p->count - LISTED);
    if (p->shown < p->count)
        fprintf(out,
                "<p class=\"sub\">%d of %d launches are shown in full below: those with a "
                "link.</p>\n",
                p->shown, p->count);
    fputs("</section>\n", out);
}

static void put_findings_of(const sim_check_report *report, FILE *out) {
    for (uint32_t i = 0; report && i < report->count; i++) {
        const sim_finding *f = &report->findings[i];
        ladder_html(out, "<li><b>%s</b> %s", sim_check_name(f->kind), f->text);
        for (int side = 0; side < 2; side++) {
            if (f->sides[side].line > 0)
                ladder_html(out, "%s <code>%s:%u</code>", side == 0 ? "" : ",",
                            basename(f->sides[side].file), f->sides[side].line);
        }
        char times[32];
        fprintf(out, " (%s time%s)</li>\n",
                kl_format_grouped((long long)f->count, times, sizeof times),
                f->count == 1 ? "" : "s");
    }
}

static void put_findings(const page *p, FILE *out) {
    for (int i = 0; i < p->part_count; i++) {
        const ladder_checks *checks = p->parts[i].checks;
        if (!checks) continue;
        fputs("<section class=\"card\"><h2>Findings of the checker</h2>", out);
        uint32_t count = checks->report->count + (checks->permuted ? checks->permuted->count : 0);
        if (p->part_count > 1) ladder_html(out, "<p class=\"sub\">%s</p>", p->parts[i].title);
        fputs(count > 0 ? "<ul class=\"findings\">" : "<p>Nothing was found.</p>", out);
        put_findings_of(checks->report, out);
        put_findings_of(checks->permuted, out);
        fputs(count > 0 ? "</ul></section>\n" : "</section>\n", out);
    }
}

// The first two, or the first pair of before and after, or the first of each part.
static int chosen_at_first(const page *p, int side) {
    if (p->part_count == 1) return side;
    for (int i = 0; i < p->count; i++) {
        const page_launch *l = &p->launches[i];
        if (l->part != &p->parts[0] || !l->section || l->pair == 0 ||
            !p->launches[l->pair - 1].section)
            continue;
        return side == 0 ? i : l->pair - 1;
    }
    int chosen = side;
    while (side == 1 && chosen + 1 < p->count && p->launches[chosen].part == p->launches[0].part)
        chosen++;
    return chosen;
}

// page.js fills it from the launches' counters; without a script it stays hidden.
static void put_comparison(page *p, FILE *out) {
    if (p->shown < 2) return;
    fputs("<section class=\"card\" id=\"beside\" hidden><h2>Two launches side by side</h2>"
          "<p class=\"choice\">",
          out);
    for (int side = 0; side < 2; side++) {
        int chosen = chosen_at_first(p, side);
        fprintf(out, "<select class=\"side\" aria-label=\"%s launch\">",
                side == 0 ? "first" : "second");
        for (int i = 0; i < p->count; i++) {
            const page_launch *l = &p->launches[i];
            if (!l->section) continue;
            char name[512];
            ladder_demangle(page_report(l)->kernel, name, sizeof name);
            name[strcspn(name, "(")] = '\0';
            fprintf(out, "<option value=\"launch-%d\"", l->number);
            if (l->pair != 0) fprintf(out, " data-pair=\"launch-%d\"", l->pair);
            ladder_html(out, "%s>launch %d: %s</option>", i == chosen ? " selected" : "", l->number,
                        name);
        }
        fputs("</select> ", out);
    }
    page_html(out, &p->glossary,
              "</p><div class=\"scroll\" tabindex=\"0\"><table class=\"values\"><thead><tr><td>"
              "</td><th scope=\"col\" class=\"num\">first</th><th scope=\"col\" class=\"num\">"
              "second</th><th scope=\"col\" class=\"num\">[[Change|change]]</th></tr></thead>"
              "<tbody></tbody></table></div></section>\n");
}

static void put_codes(const page *p, FILE *out) {
    if (p->codes[0] == '\0' && p->codes_left == 0) return;
    fputs("<section class=\"card codes\"><h2>PTX and machine code</h2>\n", out);
    fputs(p->codes, out);
    if (p->codes_left > 0)
        fprintf(out, "<p class=\"sub\">%d more kernel%s did not fit into the page</p>\n",
                p->codes_left, p->codes_left == 1 ? "" : "s");
    fputs("</section>\n", out);
}

static void put_glossary(const page *p, FILE *out) {
    const ladder_glossary *g = &p->glossary;
    fputs("<section class=\"glossary\">\n", out);
    for (int i = 0; i < g->count; i++) {
        if (!g->terms[i].used) continue;
        fprintf(out, "<div popover id=\"term-%d\" class=\"term\"><b>%.*s</b><p>", i,
                g->terms[i].name_bytes, g->terms[i].name);
        ladder_glossary_put(g, i, out);
        fputs("</p></div>\n", out);
    }
    fputs("</section>\n", out);
}

static void put_page(page *p, FILE *out) {
    char nonce[LADDER_SHA256_TEXT];
    ladder_sha256_end(&p->hash, nonce);
    put_head(p, out, nonce);
    fputs(p->advice, out);
    put_findings(p, out);
    put_list(p, out);
    if (p->part_count > 1) {
        page_put_pairs(out, &p->glossary, p->launches, p->count, p->parts);
        put_comparison(p, out);
    }
    for (int i = 0; i < p->count; i++)
        if (p->launches[i].section) fwrite(p->launches[i].section, 1, p->launches[i].bytes, out);
    if (p->part_count == 1) put_comparison(p, out); // of launches that seldom do the same work
    put_codes(p, out);
    fputs("</main>\n", out);
    put_glossary(p, out);
    fputs("<footer>Times are those of the simulator's model of the device, not of a card. A name "
          "with a dotted line tells what it is.</footer>\n",
          out);
    fprintf(out, "<script nonce=\"%s\">%s</script></body></html>\n", nonce, ladder_page_script);
}

kl_status ladder_page_write(const ladder_page_part *parts, int count, FILE *out, kl_error *err) {
    page p = {.parts = parts, .part_count = count};
    kl_status status = KL_OK;
    size_t used = 0;
    for (int i = 0; i < count; i++) p.count += (int)parts[i].profile->count;
    p.launches = calloc((size_t)p.count + 1, sizeof *p.launches);
    if (!p.launches) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    for (int i = 0, number = 0; i < count; i++)
        for (uint32_t k = 0; k < parts[i].profile->count; k++, number++)
            p.launches[number] = (page_launch){.part = &parts[i], .index = k, .number = number + 1};
    ladder_glossary_read(&p.glossary);
    ladder_sha256_begin(&p.hash);
    choose(&p);
    choose_first(&p);
    int codes = page_number_codes(p.launches, p.count);
    if (count > 1) page_pair(p.launches, p.count, parts);
    for (int i = 0; i < p.count && status == KL_OK; i++)
        if (p.launches[i].full) status = make_section(&p, &p.launches[i], &used, err);
    if (status == KL_OK) status = make_advice(&p, err);
    if (status == KL_OK) status = make_codes(&p, codes, &used, err);
    if (status == KL_OK) put_page(&p, out);
    for (int i = 0; i < p.count; i++) free(p.launches[i].section);
    free(p.launches);
    free(p.advice);
    free(p.codes);
    return status;
}
