// The page of a class: see pages.h.
#include "course/pages/pages.h"
#include "ladder_config.h"

static void begin_table(FILE *out, const char *label, const char *const *titles, int count) {
    ladder_html(out,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table "
                "class=\"wide-table\"><thead><tr>",
                label);
    for (int i = 0; i < count; i++) {
        bool number = titles[i][0] == '#'; // set at the right
        fprintf(out, "<th scope=\"col\"%s>%s</th>", number ? " class=\"num\"" : "",
                titles[i] + number);
    }
    fputs("</tr></thead><tbody>\n", out);
}

static void end_table(FILE *out) { fputs("</tbody></table></div>\n", out); }

static const char *step_name(const ladder_lab *lab, int index) {
    const kl_step_info *info = kl_problem_step(lab->problem, lab->rubric->steps[index].step);
    return info ? info->name : lab->rubric->steps[index].file;
}

static void put_step_cell(FILE *out, const ladder_lab *lab, int index) {
    fprintf(out, "<tr><th scope=\"row\">%d %s</th>", lab->rubric->steps[index].step,
            step_name(lab, index));
}

static void put_time(FILE *out, double us) {
    char text[32];
    fprintf(out, "<td class=\"num\">%s</td>",
            isfinite(us) ? kl_format_us(us, text, sizeof text) : "");
}

static void put_steps(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"step",         "#right",       "#failed",  "#not written",
                                         "#mean points", "#median time", "#solution"};
    begin_table(out, "steps", titles, 7);
    for (int s = 0; s < p->lab->rubric->step_count; s++) {
        ladder_step_counts n = ladder_step_counts_of(p->members, p->count, s);
        put_step_cell(out, p->lab, s);
        fprintf(out,
                "<td class=\"num\">%zu</td><td class=\"num\">%zu</td><td class=\"num\">%zu</td>",
                n.right, n.failed, n.absent);
        fprintf(out, "<td class=\"num\">%.0f %%</td>", 100 * n.share);
        put_time(out, p->distribution->times_us[s].mid);
        put_time(out, p->distribution->solution_us[s]);
        fputs("</tr>\n", out);
    }
    end_table(out);
}

static void put_slowest(const ladder_class_page *p, FILE *out) {
    double factor = NAN;
    int slowest = ladder_slowest_step(p->lab, p->distribution, &factor);
    if (slowest < 0) return;
    fprintf(out, "<p>Slowest step: <b>%d %s</b>", p->lab->rubric->steps[slowest].step,
            step_name(p->lab, slowest));
    if (isfinite(factor))
        fprintf(out, ", whose median takes %.2f times as long as the solution.", factor);
    else fputs(" (median of the modelled times).", out);
    fputs("</p>\n", out);
}

// Of too few there are no quartiles: the charts would be empty.
static bool has_quartiles(const ladder_class_page *p) {
    for (int s = 0; s < p->lab->rubric->step_count; s++)
        if (isfinite(p->distribution->shares[s].mid)) return true;
    return false;
}

static void put_charts(const ladder_class_page *p, FILE *out) {
    fputs("<div class=\"drawings\"><figure>\n", out);
    ladder_draw_points(p->lab, NULL, p->distribution, out);
    fputs("<figcaption>Shares of each step's points.</figcaption></figure><figure>\n", out);
    if (ladder_draw_times(p->lab, NULL, p->distribution, out))
        fputs(
            "<figcaption>Median of the modelled times of right steps; a step that fewer than five "
            "have right has none.</figcaption>",
            out);
    fputs("</figure></div>\n", out);
}

static void put_distribution(const ladder_class_page *p, FILE *out) {
    fputs("<section class=\"card\"><h2>By step</h2>\n", out);
    if (has_quartiles(p)) put_charts(p, out);
    else fputs("<p class=\"sub\">Quartiles are shown from five submissions on.</p>\n", out);
    put_slowest(p, out);
    put_steps(p, out);
    fputs("</section>\n", out);
}

static void put_member(FILE *out, const ladder_member *m) {
    ladder_html(out, "<a href=\"%s\">%s</a>", m->page, m->shown);
}

// Whose submissions made a mistake, linked.
static void put_who(const ladder_class_page *p, const ladder_mistake *mistake, FILE *out) {
    enum { WHO_MAX = 12 };
    size_t shown = 0;
    for (size_t m = 0; m < p->count && shown < WHO_MAX; m++) {
        if (!ladder_made_mistake(&p->members[m], mistake)) continue;
        if (shown++ > 0) fputs(", ", out);
        put_member(out, &p->members[m]);
    }
    if (shown < mistake->count) fprintf(out, " and %zu more", mistake->count - shown);
}

int ladder_slide_about(const char *deck, const char *finding, int step) {
    char words[32];
    snprintf(words, sizeof words, "Step %d", step);
    const char *const wanted[] = {finding, words};
    for (int k = finding ? 0 : 1; k < 2; k++) {
        size_t length = strlen(wanted[k]);
        int slide = 0, rules = 0; // the first two lines "---" hold what is said of the whole deck
        bool code = false;
        for (const char *line = deck; line; line = strchr(line, '\n')) {
            line += *line == '\n';
            rules += strncmp(line, "---\n", 4) == 0;
            code ^= strncmp(line, "```", 3) == 0;
            slide += rules > 1 && !code && strncmp(line, "# ", 2) == 0;
            size_t end = strcspn(line, "\n");
            for (const char *at = line; slide > 0 && at + length <= line + end; at++)
                if (strncmp(at, wanted[k], length) == 0 && !isalnum((unsigned char)at[length]) &&
                    (at == line || !isalnum((unsigned char)at[-1])))
                    return slide;
        }
    }
    return 0;
}

// Where the lecture explains it.
static void put_slide(const ladder_class_page *p, const ladder_mistake *mistake, FILE *out) {
    if (!p->deck || !p->slides) return;
    int slide =
        ladder_slide_about(p->deck, mistake->finding, p->lab->rubric->steps[mistake->index].step);
    ladder_html(out, " <a href=\"%s", p->slides);
    if (slide > 0) fprintf(out, "#%d\">slide %d</a>", slide, slide);
    else fputs("\">slides</a>", out);
}

static void put_mistakes(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"#submissions", "step", "what happened", "whose"};
    ladder_mistake mistakes[LADDER_MISTAKES_MAX];
    int count = ladder_mistakes_of(p->members, p->count, mistakes);
    fputs("<section class=\"card\"><h2>Common mistakes</h2>\n", out);
    if (count == 0) fputs("<p>No step that was handed in failed.</p>\n", out);
    if (count > 0) begin_table(out, "mistakes", titles, 4);
    for (int i = 0; i < count; i++) {
        const ladder_mistake *m = &mistakes[i];
        fprintf(out, "<tr><td class=\"num\">%zu</td><td>%d %s</td><td><b>%s</b>", m->count,
                p->lab->rubric->steps[m->index].step, step_name(p->lab, m->index),
                ladder_outcome_word(m->outcome));
        if (m->finding) ladder_html(out, " (%s)", m->finding);
        fprintf(out, ": %s", ladder_outcome_text(m->outcome));
        put_slide(p, m, out);
        fputs("</td><td>", out);
        put_who(p, m, out);
        fputs("</td></tr>\n", out);
    }
    if (count > 0) end_table(out);
    fputs("</section>\n", out);
}

static void put_pairs(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"#alike",
                                         "first",
                                         "second",
                                         "what they share",
                                         "#first to solution",
                                         "#second to solution"};
    fputs("<section class=\"card\"><h2>Similar submissions</h2>\n<p class=\"sub\">Fingerprints of "
          "the step files without names, numbers and comments, without the skeleton, the published "
          "solution and what most of a class has; first those that share what fewest have. Short "
          "right kernels are always similar: a pair is a reason "
          "to read both, not a proof.</p>\n",
          out);
    if (!p->compared)
        fputs("<p>The step files were not kept: grade again to compare them.</p>\n", out);
    else if (p->pair_count == 0)
        fprintf(out,
                "<p>No pair is similar by %.0f %% or more, or shares what nobody else has.</p>\n",
                100 * p->least);
    if (p->pair_count > 0) begin_table(out, "similar submissions", titles, 6);
    for (int i = 0; i < p->pair_count; i++) {
        const ladder_member *sides[] = {&p->members[p->pairs[i].a], &p->members[p->pairs[i].b]};
        char file[32], alike[32] = "both"; // what is the solution's in both is not compared
        if (p->pairs[i].alike > 0)
            snprintf(alike, sizeof alike, "%.0f %%", 100 * p->pairs[i].alike);
        fprintf(out, "<tr><td class=\"num\"><a href=\"%s\">%s</a></td>", ladder_pair_file(i, file),
                alike);
        for (int k = 0; k < 2; k++) {
            fputs("<td>", out);
            put_member(out, sides[k]);
            fputs("</td>", out);
        }
        ladder_html(out, "<td class=\"long\">%s</td>", p->pairs[i].shared);
        for (int k = 0; k < 2; k++) {
            fputs("<td class=\"num\">", out);
            if (isfinite(sides[k]->solution)) fprintf(out, "%.0f %%", 100 * sides[k]->solution);
            fputs("</td>", out);
        }
        fputs("</tr>\n", out);
    }
    if (p->pair_count > 0) end_table(out);
    fputs("</section>\n", out);
}

static void put_scores(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"score", "#submissions", ""};
    size_t bins[LADDER_SCORE_BINS], most = 1;
    char label[64];
    ladder_scores_of(p->members, p->count, bins);
    for (int i = 0; i < LADDER_SCORE_BINS; i++) most = bins[i] > most ? bins[i] : most;
    fputs("<section class=\"card\"><h2>Scores</h2>\n", out);
    begin_table(out, "scores", titles, 3);
    for (int i = LADDER_SCORE_BINS - 1; i >= 0; i--) {
        int from = 100 * i / LADDER_SCORE_BINS, to = 100 * (i + 1) / LADDER_SCORE_BINS;
        snprintf(label, sizeof label, "%zu of %zu", bins[i], p->count);
        fprintf(out, "<tr><th scope=\"row\">%d %s %d %%</th><td class=\"num\">%zu</td><td>", from,
                i == LADDER_SCORE_BINS - 1 ? "to" : "to below", to, bins[i]);
        ladder_put_share(out, (double)bins[i] / (double)most, label);
        fputs("</td></tr>\n", out);
    }
    end_table(out);
    fputs("</section>\n", out);
}

static void put_predicted(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"step",         "number",       "#before first run",
                                         "#after it",    "#compared",    "#right",
                                         "#within 10 %", "#median ratio"};
    ladder_predicted all[LADDER_PREDICTED_MAX];
    int count = ladder_predicted_of(p->lab, p->members, p->count, all);
    if (count == 0) return;
    fputs(
        "<section class=\"card\"><h2>Predictions</h2>\n<p class=\"sub\">What was predicted before "
        "the first run, compared with what each student's own right step counts. Ratio: predicted "
        "/ counted, the median of the class; 2 means twice too high.</p>\n",
        out);
    begin_table(out, "predictions", titles, 8);
    for (int i = 0; i < count; i++) {
        const ladder_predicted *n = &all[i];
        put_step_cell(out, p->lab, n->index);
        ladder_html(out,
                    "<td>%s</td><td class=\"num\">%zu</td><td class=\"num\">%zu</td><td "
                    "class=\"num\">%zu</td><td class=\"num\">%zu</td><td class=\"num\">%zu</td>"
                    "<td class=\"num\">",
                    n->name, n->predicted, n->late, n->compared, n->right, n->near);
        if (isfinite(n->ratio)) fprintf(out, "%.3g", n->ratio);
        fputs("</td></tr>\n", out);
    }
    end_table(out);
    fputs("</section>\n", out);
}

// A step and its time; empty without one.
static void put_best(FILE *out, int step, double us) {
    if (step < 0) fputs("<td></td>", out);
    else fprintf(out, "<td>%d</td>", step);
    put_time(out, us);
}

static void put_leaders(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"#place", "pseudonym",      "step", "#modelled time",
                                         "step",   "#measured time", "on"};
    if (p->leader_count == 0) return;
    bool timed = p->leaders[0].timed_step >= 0; // those with a measured time come first
    fputs("<section class=\"card\"><h2>Leaderboard</h2>\n<p class=\"sub\">Those who chose to take "
          "part, each with the fastest right step of all attempts.",
          out);
    if (timed) fputs(" Measured times of different cards do not compare.", out);
    fputs("</p>\n", out);
    begin_table(out, "leaderboard", titles, timed ? 7 : 4);
    for (size_t i = 0; i < p->leader_count; i++) {
        ladder_html(out, "<tr><td class=\"num\">%zu</td><td>%s</td>", i + 1,
                    p->leaders[i].nickname);
        put_best(out, p->leaders[i].step, p->leaders[i].time_us);
        if (timed) {
            put_best(out, p->leaders[i].timed_step, p->leaders[i].timed_us);
            ladder_html(out, "<td>%s</td>", p->leaders[i].card);
        }
        fputs("</tr>\n", out);
    }
    end_table(out);
    fputs("</section>\n", out);
}

void ladder_class_predictions_csv(const ladder_class_page *p, FILE *out) {
    fputs("\"submission\",\"step\",\"number\",\"predicted\",\"counted\",\"before first run\"\r\n",
          out);
    for (size_t m = 0; m < p->count; m++)
        for (int s = 0; s < p->members[m].step_count; s++)
            for (int k = 0; k < p->members[m].steps[s].prediction_count; k++) {
                const ladder_prediction *item = &p->members[m].steps[s].predictions[k];
                ladder_cells(out, "%s,%d,%s,%.12g,%.12g,", p->members[m].shown,
                             p->lab->rubric->steps[s].step, item->name, item->predicted,
                             isfinite(item->counted) ? item->counted : NAN);
                fputs(item->stood ? "yes\r\n" : "no\r\n", out);
            }
}

static void put_ungradable(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"submission", "why"};
    size_t count = 0;
    for (size_t m = 0; m < p->count; m++) count += p->members[m].why[0] != '\0';
    fputs("<section class=\"card\"><h2>Without a score</h2>\n", out);
    if (count == 0) fputs("<p>Every submission has a score.</p>\n", out);
    if (count > 0) begin_table(out, "submissions without a score", titles, 2);
    for (size_t m = 0; m < p->count; m++) {
        if (p->members[m].why[0] == '\0') continue;
        fputs("<tr><td>", out);
        put_member(out, &p->members[m]);
        ladder_html(out, "</td><td class=\"long\">%s</td></tr>\n", p->members[m].why);
    }
    if (count > 0) end_table(out);
    fputs("</section>\n", out);
}

static void put_list(const ladder_class_page *p, FILE *out) {
    static const char *const titles[] = {"submission", "#score", "first failure"};
    fputs("<section class=\"card\"><h2>Submissions</h2>\n", out);
    begin_table(out, "submissions", titles, 3);
    for (size_t m = 0; m < p->count; m++) {
        const ladder_member *member = &p->members[m];
        fputs("<tr><td>", out);
        put_member(out, member);
        if (isnan(member->score)) fputs("</td><td class=\"num\">none</td><td>", out);
        else fprintf(out, "</td><td class=\"num\">%.1f %%</td><td>", member->score);
        int failed = ladder_first_failure(member);
        if (failed >= 0)
            fprintf(out, "step %d: %s", p->lab->rubric->steps[failed].step,
                    ladder_outcome_word(member->steps[failed].outcome));
        fputs("</td></tr>\n", out);
    }
    end_table(out);
    fputs("</section>\n", out);
}

void ladder_class_html(const ladder_class_page *page, FILE *out) {
    const ladder_class_page *p = page;
    char title[160];
    snprintf(title, sizeof title, "%s: the class", p->lab->folder);
    ladder_page_begin(out, title);
    ladder_html(out,
                "<header><h1>%s</h1><p class=\"sub\">Lab %s &middot; the class</p>\n"
                "<p class=\"score\">%zu submission%s",
                p->lab->problem->title, p->lab->folder, p->count, p->count == 1 ? "" : "s");
    if (p->distribution->count > 0)
        fprintf(out, " <small>mean score %.1f %%, %d with a score</small>",
                ladder_mean_score(p->members, p->count), p->distribution->count);
    fputs("</p></header>\n<main>\n", out);
    put_scores(p, out);
    put_distribution(p, out);
    put_predicted(p, out);
    put_leaders(p, out);
    put_mistakes(p, out);
    put_ungradable(p, out);
    put_pairs(p, out);
    put_list(p, out);
    ladder_html(out,
                "</main>\n<footer>Modelled times are those of the simulator's model of the "
                "device, not of a card. Device: %s. Kit %s.</footer></body></html>\n",
                p->device, LADDER_VERSION);
}
