// The tree of a launch's branches that split warps: where, how often, which lanes, and where they
// meet again. See internal.h.
#include "show/page/internal.h"

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
