// The page of a class and the same as JSON (ladder.report/1), in one walk: see pages.h.
#include "course/pages/pages.h"
#include "ladder_config.h"
#include "learn/lesson/lesson.h"

// What both are written to.
typedef struct sinks {
    const ladder_class_page *page;
    FILE *out; // the page
    kl_json json;
} sinks;

static const char *step_name(const ladder_lab *lab, int index) {
    const kl_step_info *info = kl_problem_step(lab->problem, lab->rubric->steps[index].step);
    return info ? info->name : lab->rubric->steps[index].file;
}

// Its number; that of -1, which is none: not a number.
static double number_of(const ladder_lab *lab, int index) {
    return index >= 0 ? (double)lab->rubric->steps[index].step : (double)NAN;
}

typedef char time_text[72];

static const char *say_us(double us, time_text text) {
    return isfinite(us) ? kl_format_us(us, text, sizeof(time_text)) : "";
}

// "1.20 us to 3.10 us".
static const char *say_spread(const ladder_spread *spread, time_text text) {
    time_text low, high;
    snprintf(text, sizeof(time_text), "%.32s to %.32s", say_us(spread->low, low),
             say_us(spread->high, high));
    return isfinite(spread->low) ? text : "";
}

static void put_steps(sinks *s) {
    const ladder_class_page *p = s->page;
    kl_json_array(&s->json, "steps");
    ladder_html_table(s->out, "steps",
                      "step|#right|#failed|#not written|#mean points|#median time|#solution|"
                      "times of the middle half");
    for (int i = 0; i < p->lab->rubric->step_count; i++) {
        ladder_step_counts n = ladder_step_counts_of(p->members, p->count, i);
        const ladder_spread *share = &p->distribution->shares[i];
        const ladder_spread *us = &p->distribution->times_us[i];
        double solution = p->distribution->solution_us[i];
        int step = p->lab->rubric->steps[i].step;
        time_text mid, half, best;
        ladder_html_row(s->out, "!%d %s|#%zu|#%zu|#%zu|#%.0f %%|#%s|#%s|%s", step,
                        step_name(p->lab, i), n.right, n.failed, n.absent, 100 * n.share,
                        say_us(us->mid, mid), say_us(solution, best), say_spread(us, half));
        kl_json_put(&s->json,
                    "{step %d name %s right %zu failed %zu not_written %zu mean_share %g "
                    "share {low %g mid %g high %g} time_us {low %g mid %g high %g} "
                    "solution_us %g}",
                    step, step_name(p->lab, i), n.right, n.failed, n.absent, n.share, share->low,
                    share->mid, share->high, us->low, us->mid, us->high, solution);
    }
    ladder_html_table_end(s->out);
    kl_json_end(&s->json);
}

static void put_slowest(const ladder_class_page *p, int slowest, double factor, FILE *out) {
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

static void put_distribution(sinks *s) {
    fputs("<section class=\"card\"><h2>By step</h2>\n", s->out);
    if (has_quartiles(s->page)) put_charts(s->page, s->out);
    else fputs("<p class=\"sub\">Quartiles are shown from five submissions on.</p>\n", s->out);
    double factor = NAN;
    int slowest = ladder_slowest_step(s->page->lab, s->page->distribution, &factor);
    put_slowest(s->page, slowest, factor, s->out);
    put_steps(s);
    kl_json_put(&s->json, "slowest_step %g slowest_factor %g", number_of(s->page->lab, slowest),
                factor);
    fputs("</section>\n", s->out);
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

static void put_mistakes(sinks *s) {
    const ladder_class_page *p = s->page;
    ladder_mistake mistakes[LADDER_MISTAKES_MAX];
    int count = ladder_mistakes_of(p->members, p->count, mistakes);
    fputs("<section class=\"card\"><h2>Common mistakes</h2>\n", s->out);
    kl_json_array(&s->json, "mistakes");
    if (count == 0) fputs("<p>No step that was handed in failed.</p>\n", s->out);
    else ladder_html_table(s->out, "mistakes", "#submissions|step|what happened|whose");
    for (int i = 0; i < count; i++) {
        const ladder_mistake *m = &mistakes[i];
        int step = p->lab->rubric->steps[m->index].step;
        ladder_html_row(s->out, "#%zu|%d %s|", m->count, step, step_name(p->lab, m->index));
        ladder_html(s->out, "<b>%s</b>", ladder_outcome_word(m->outcome));
        if (m->finding) ladder_html(s->out, " (%s)", m->finding);
        fprintf(s->out, ": %s", ladder_outcome_text(m->outcome));
        put_slide(p, m, s->out);
        fputs("</td><td>", s->out);
        put_who(p, m, s->out);
        ladder_html_row_end(s->out);
        kl_json_put(&s->json, "{submissions %zu step %d outcome %s finding %s whose [", m->count,
                    step, ladder_outcome_word(m->outcome), m->finding);
        for (size_t k = 0; k < p->count; k++)
            if (ladder_made_mistake(&p->members[k], m))
                kl_json_string(&s->json, NULL, p->members[k].shown);
        kl_json_put(&s->json, "]}");
    }
    if (count > 0) ladder_html_table_end(s->out);
    fputs("</section>\n", s->out);
    kl_json_end(&s->json);
}

static void put_pairs(sinks *s) {
    const ladder_class_page *p = s->page;
    fputs("<section class=\"card\"><h2>Similar submissions</h2>\n<p class=\"sub\">Fingerprints of "
          "the step files without names, numbers and comments, without the skeleton, the published "
          "solution and what most of a class has; first those that share what fewest have. Short "
          "right kernels are always similar: a pair is a reason "
          "to read both, not a proof.</p>\n",
          s->out);
    kl_json_put(&s->json, "pairs_from %g pairs [", p->compared ? p->least : NAN);
    if (!p->compared)
        fputs("<p>The step files were not kept: grade again to compare them.</p>\n", s->out);
    else if (p->pair_count == 0)
        fprintf(s->out,
                "<p>No pair is similar by %.0f %% or more, or shares what nobody else has.</p>\n",
                100 * p->least);
    if (p->pair_count > 0)
        ladder_html_table(
            s->out, "similar submissions",
            "#alike|first|second|what they share|#first to solution|#second to solution");
    for (int i = 0; i < p->pair_count; i++) {
        const ladder_pair *pair = &p->pairs[i];
        const ladder_member *a = &p->members[pair->a], *b = &p->members[pair->b];
        char file[32], alike[32] = "both"; // what is the solution's in both is not compared
        if (pair->alike > 0) snprintf(alike, sizeof alike, "%.0f %%", 100 * pair->alike);
        ladder_html_row(s->out,
                        "#<a href=\"%s\">%s</a>|<a href=\"%s\">%s</a>|<a href=\"%s\">%s</a>|~%s|"
                        "#%.0f %%|#%.0f %%",
                        ladder_pair_file(i, file), alike, a->page, a->shown, b->page, b->shown,
                        pair->shared, 100 * a->solution, 100 * b->solution);
        kl_json_put(&s->json,
                    "{alike %g rare %g shared %s first %s second %s first_to_solution %g "
                    "second_to_solution %g}",
                    pair->alike, pair->rare, pair->shared, a->shown, b->shown, a->solution,
                    b->solution);
    }
    if (p->pair_count > 0) ladder_html_table_end(s->out);
    fputs("</section>\n", s->out);
    kl_json_end(&s->json);
}

static void put_scores(const ladder_class_page *p, const size_t bins[LADDER_SCORE_BINS],
                       FILE *out) {
    size_t most = 1;
    char label[64];
    for (int i = 0; i < LADDER_SCORE_BINS; i++) most = bins[i] > most ? bins[i] : most;
    fputs("<section class=\"card\"><h2>Scores</h2>\n", out);
    ladder_html_table(out, "scores", "score|#submissions|");
    for (int i = LADDER_SCORE_BINS - 1; i >= 0; i--) {
        int from = 100 * i / LADDER_SCORE_BINS, to = 100 * (i + 1) / LADDER_SCORE_BINS;
        snprintf(label, sizeof label, "%zu of %zu", bins[i], p->count);
        ladder_html_row(out, "!%d %s %d %%|#%zu|", from,
                        i == LADDER_SCORE_BINS - 1 ? "to" : "to below", to, bins[i]);
        ladder_put_share(out, (double)bins[i] / (double)most, label);
        ladder_html_row_end(out);
    }
    ladder_html_table_end(out);
    fputs("</section>\n", out);
}

static void put_predicted(sinks *s) {
    const ladder_class_page *p = s->page;
    ladder_predicted all[LADDER_PREDICTED_MAX];
    int count = ladder_predicted_of(p->lab, p->members, p->count, all);
    kl_json_array(&s->json, "predictions");
    if (count > 0) {
        fputs("<section class=\"card\"><h2>Predictions</h2>\n<p class=\"sub\">What was predicted "
              "before the first run, compared with what each student's own right step counts. "
              "Ratio: predicted / counted, the median of the class; 2 means twice too high.</p>\n",
              s->out);
        ladder_html_table(s->out, "predictions",
                          "step|number|#before first run|#after it|#compared|#right|#within 10 %|"
                          "#median ratio");
    }
    for (int i = 0; i < count; i++) {
        const ladder_predicted *n = &all[i];
        int step = p->lab->rubric->steps[n->index].step;
        ladder_html_row(s->out, "!%d %s|%s|#%zu|#%zu|#%zu|#%zu|#%zu|#%.3g", step,
                        step_name(p->lab, n->index), n->name, n->predicted, n->late, n->compared,
                        n->right, n->near, n->ratio);
        kl_json_put(&s->json,
                    "{step %d name %s before_first_run %zu after_it %zu compared %zu right %zu "
                    "within_10_percent %zu median_ratio %g}",
                    step, n->name, n->predicted, n->late, n->compared, n->right, n->near, n->ratio);
    }
    if (count > 0) ladder_html_table_end(s->out);
    if (count > 0) fputs("</section>\n", s->out);
    kl_json_end(&s->json);
}

static void put_leaders(sinks *s) {
    const ladder_class_page *p = s->page;
    bool timed = p->leader_count > 0 && p->leaders[0].timed_step >= 0; // those come first
    kl_json_array(&s->json, "leaderboard");
    if (p->leader_count > 0) {
        fprintf(s->out,
                "<section class=\"card\"><h2>Leaderboard</h2>\n<p class=\"sub\">Those who chose to "
                "take part, each with the fastest right step of all attempts.%s</p>\n",
                timed ? " Measured times of different cards do not compare." : "");
        ladder_html_table(s->out, "leaderboard",
                          timed ? "#place|pseudonym|step|#modelled time|step|#measured time|on"
                                : "#place|pseudonym|step|#modelled time");
    }
    for (size_t i = 0; i < p->leader_count; i++) {
        const ladder_leader *l = &p->leaders[i];
        double step = l->step >= 0 ? l->step : (double)NAN;
        double timed_step = l->timed_step >= 0 ? l->timed_step : (double)NAN;
        time_text us, timed_us;
        if (timed)
            ladder_html_row(s->out, "#%zu|%s|%g|#%s|%g|#%s|%s", i + 1, l->nickname, step,
                            say_us(l->time_us, us), timed_step, say_us(l->timed_us, timed_us),
                            l->card);
        else
            ladder_html_row(s->out, "#%zu|%s|%g|#%s", i + 1, l->nickname, step,
                            say_us(l->time_us, us));
        kl_json_put(&s->json,
                    "{pseudonym %s step %g time_us %g measured_step %g measured_us %g card %s}",
                    l->nickname, step, l->time_us, timed_step, l->timed_us,
                    l->timed_step >= 0 ? l->card : NULL);
    }
    if (p->leader_count > 0) ladder_html_table_end(s->out);
    if (p->leader_count > 0) fputs("</section>\n", s->out);
    kl_json_end(&s->json);
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
    size_t count = 0;
    for (size_t m = 0; m < p->count; m++) count += p->members[m].why[0] != '\0';
    fputs("<section class=\"card\"><h2>Without a score</h2>\n", out);
    if (count == 0) fputs("<p>Every submission has a score.</p>\n", out);
    else ladder_html_table(out, "submissions without a score", "submission|why");
    for (size_t m = 0; m < p->count; m++)
        if (p->members[m].why[0] != '\0')
            ladder_html_row(out, "<a href=\"%s\">%s</a>|~%s", p->members[m].page,
                            p->members[m].shown, p->members[m].why);
    if (count > 0) ladder_html_table_end(out);
    fputs("</section>\n", out);
}

static void put_list(sinks *s) {
    const ladder_class_page *p = s->page;
    fputs("<section class=\"card\"><h2>Submissions</h2>\n", s->out);
    ladder_html_table(s->out, "submissions", "submission|#score|first failure");
    kl_json_array(&s->json, "submissions");
    for (size_t i = 0; i < p->count; i++) {
        const ladder_member *m = &p->members[i];
        int failed = ladder_first_failure(m);
        char score[32];
        snprintf(score, sizeof score, isnan(m->score) ? "none" : "%.1f %%", m->score);
        ladder_html_row(s->out, "<a href=\"%s\">%s</a>|#%s|", m->page, m->shown, score);
        if (failed >= 0)
            fprintf(s->out, "step %d: %s", p->lab->rubric->steps[failed].step,
                    ladder_outcome_word(m->steps[failed].outcome));
        ladder_html_row_end(s->out);
        kl_json_put(&s->json,
                    "{submission %s page %s score %g why_no_score %s first_failure %g steps [",
                    m->shown, m->page, m->score, m->why[0] != '\0' ? m->why : NULL,
                    number_of(p->lab, failed));
        for (int k = 0; k < m->step_count; k++)
            kl_json_put(&s->json, "{step %d outcome %s share %g time_us %g finding %s}",
                        p->lab->rubric->steps[k].step, ladder_outcome_word(m->steps[k].outcome),
                        m->steps[k].share, m->steps[k].time_us, m->steps[k].finding);
        kl_json_put(&s->json, "]}");
    }
    ladder_html_table_end(s->out);
    fputs("</section>\n", s->out);
    kl_json_end(&s->json);
}

kl_status ladder_class_write(const ladder_class_page *page, FILE *html, FILE *json, kl_error *err) {
    FILE *nowhere = html && json ? NULL : fopen("/dev/null", "w");
    if (!(html && json) && !nowhere) return kl_fail(err, KL_ERROR_SYSTEM, "/dev/null: %m");
    const ladder_class_page *p = page;
    sinks s = {.page = page, .out = html ? html : nowhere};
    char title[160];
    snprintf(title, sizeof title, "%s: the class", p->lab->folder);
    ladder_page_begin(s.out, title);
    ladder_html(s.out,
                "<header><h1>%s</h1><p class=\"sub\">Lab %s &middot; the class</p>\n"
                "<p class=\"score\">%zu submission%s",
                p->lab->problem->title, p->lab->folder, p->count, p->count == 1 ? "" : "s");
    double mean = ladder_mean_score(p->members, p->count);
    if (p->distribution->count > 0)
        fprintf(s.out, " <small>mean score %.1f %%, %d with a score</small>", mean,
                p->distribution->count);
    fputs("</p></header>\n<main>\n", s.out);
    kl_json_begin(&s.json, json ? json : nowhere);
    kl_json_put(&s.json, "{schema ladder.report/1 kit %s lab %s device %s scored %d mean_score %g",
                LADDER_VERSION, p->lab->problem->name, p->device, p->distribution->count, mean);
    size_t bins[LADDER_SCORE_BINS];
    ladder_scores_of(p->members, p->count, bins);
    put_scores(p, bins, s.out);
    put_distribution(&s);
    kl_json_array(&s.json, "score_tenths");
    for (int i = 0; i < LADDER_SCORE_BINS; i++) kl_json_uint(&s.json, NULL, bins[i]);
    kl_json_end(&s.json);
    put_predicted(&s);
    put_leaders(&s);
    put_mistakes(&s);
    put_ungradable(p, s.out);
    put_pairs(&s);
    put_list(&s);
    ladder_html(s.out,
                "</main>\n<footer>Modelled times are those of the simulator's model of the "
                "device, not of a card. Device: %s. Kit %s.</footer></body></html>\n",
                p->device, LADDER_VERSION);
    kl_json_end(&s.json);
    kl_status status = kl_json_finish(&s.json, err);
    if (nowhere) fclose(nowhere);
    return status;
}

// ---- a pair of submissions side by side ---------------------------------------------------------

char *ladder_pair_file(int index, char *out) {
    snprintf(out, 32, "pair_%d.html", index + 1);
    return out;
}

static void put_text(FILE *out, const char *text, int bytes) {
    char line[400];
    snprintf(line, sizeof line, "%.*s", bytes < 390 ? bytes : 390, text);
    ladder_put_html(out, line);
}

static void put_cells(FILE *out, int number, const char *text, int bytes, bool there) {
    if (!there) {
        fputs("<td class=\"no\"></td><td class=\"code\"></td>", out);
        return;
    }
    fprintf(out, "<td class=\"no\">%d</td><td class=\"code\">", number);
    put_text(out, text, bytes);
    fputs("</td>", out);
}

static void put_line(FILE *out, const ladder_diff_line *line) {
    bool left = line->edit != LADDER_ADDED, right = line->edit != LADDER_REMOVED;
    fprintf(out, "<tr%s>", line->edit == LADDER_SAME ? "" : " class=\"hit\"");
    put_cells(out, line->left, line->before ? line->before : line->text,
              line->before ? line->before_bytes : line->bytes, left);
    put_cells(out, line->right, line->text, line->bytes, right);
    fputs("</tr>\n", out);
}

static void put_step(FILE *out, const ladder_pair_page *p, int index) {
    const char *a = p->sources[0][index], *b = p->sources[1][index];
    ladder_diff diff;
    if (!a || !b || ladder_diff_make(a, b, NULL, &diff, NULL) != KL_OK) return;
    int same = (int)diff.count - diff.removed - diff.added;
    ladder_html(out,
                "<section class=\"card\"><h2>%s</h2>\n<p class=\"sub\">%d lines are the same "
                "without layout and comments; %d are only in the first, %d only in the second "
                "(marked).</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                "aria-label=\"both files\"><table class=\"excerpt pair\">",
                p->lab->rubric->steps[index].file, same, diff.removed, diff.added);
    for (size_t i = 0; i < diff.count; i++) put_line(out, &diff.lines[i]);
    fputs("</table></div></section>\n", out);
    ladder_diff_free(&diff);
}

void ladder_pair_html(const ladder_pair_page *page, FILE *out) {
    char title[160];
    snprintf(title, sizeof title, "%s: two submissions", page->lab->folder);
    ladder_page_begin(out, title);
    fputs("<header><h1>", out);
    for (int k = 0; k < 2; k++) {
        if (k > 0) fputs(" and ", out);
        ladder_html(out, "<a href=\"%s\">%s</a>", page->pages[k], page->shown[k]);
    }
    ladder_html(out,
                "</h1><p class=\"sub\">%.0f %% alike. Short right kernels are always similar: "
                "this is a reason to read both, not a proof. <a href=\"class.html\">The class</a>"
                "</p>\n<p>%s</p></header>\n<main>\n",
                100 * page->pair->alike, page->pair->shared);
    for (int i = 0; i < page->lab->rubric->step_count; i++) put_step(out, page, i);
    fputs("</main></body></html>\n", out);
}
