// The page of a class as JSON (ladder.report/1): see page.c. It has what the page has, made by the
// same functions, and names submissions as the page does.
#include "course/pages/pages.h"
#include "ladder_config.h"

static void put_spread(kl_json *json, const char *name, const ladder_spread *spread) {
    kl_json_put(json, "%s {low %g mid %g high %g}", name, spread->low, spread->mid, spread->high);
}

static void put_steps(const ladder_class_page *p, kl_json *json) {
    kl_json_array(json, "steps");
    for (int s = 0; s < p->lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &p->lab->rubric->steps[s];
        const kl_step_info *info = kl_problem_step(p->lab->problem, step->step);
        ladder_step_counts n = ladder_step_counts_of(p->members, p->count, s);
        kl_json_put(json, "{step %d name %s right %zu failed %zu not_written %zu mean_share %g",
                    step->step, info ? info->name : step->file, n.right, n.failed, n.absent,
                    n.share);
        put_spread(json, "share", &p->distribution->shares[s]);
        put_spread(json, "time_us", &p->distribution->times_us[s]);
        kl_json_put(json, "solution_us %g}", p->distribution->solution_us[s]);
    }
    kl_json_end(json);
    double factor = NAN;
    int slowest = ladder_slowest_step(p->lab, p->distribution, &factor);
    kl_json_put(json, "slowest_step %g slowest_factor %g",
                slowest >= 0 ? p->lab->rubric->steps[slowest].step : NAN, factor);
}

static void put_mistakes(const ladder_class_page *p, kl_json *json) {
    ladder_mistake mistakes[LADDER_MISTAKES_MAX];
    int count = ladder_mistakes_of(p->members, p->count, mistakes);
    kl_json_array(json, "mistakes");
    for (int i = 0; i < count; i++) {
        kl_json_put(json, "{submissions %zu step %d outcome %s finding %s whose [",
                    mistakes[i].count, p->lab->rubric->steps[mistakes[i].index].step,
                    ladder_outcome_word(mistakes[i].outcome), mistakes[i].finding);
        for (size_t m = 0; m < p->count; m++)
            if (ladder_made_mistake(&p->members[m], &mistakes[i]))
                kl_json_string(json, NULL, p->members[m].shown);
        kl_json_put(json, "]}");
    }
    kl_json_end(json);
}

static void put_scores(const ladder_class_page *p, kl_json *json) {
    size_t bins[LADDER_SCORE_BINS];
    ladder_scores_of(p->members, p->count, bins);
    kl_json_array(json, "score_tenths");
    for (int i = 0; i < LADDER_SCORE_BINS; i++) kl_json_uint(json, NULL, bins[i]);
    kl_json_end(json);
}

static void put_predicted(const ladder_class_page *p, kl_json *json) {
    ladder_predicted all[LADDER_PREDICTED_MAX];
    int count = ladder_predicted_of(p->lab, p->members, p->count, all);
    kl_json_array(json, "predictions");
    for (int i = 0; i < count; i++) {
        kl_json_put(json,
                    "{step %d name %s before_first_run %zu after_it %zu compared %zu right %zu "
                    "within_10_percent %zu median_ratio %g}",
                    p->lab->rubric->steps[all[i].index].step, all[i].name, all[i].predicted,
                    all[i].late, all[i].compared, all[i].right, all[i].near, all[i].ratio);
    }
    kl_json_end(json);
}

// null: no step has such a time.
static void put_step(kl_json *json, const char *key, int step) {
    kl_json_number(json, key, step >= 0 ? (double)step : (double)NAN);
}

static void put_leaders(const ladder_class_page *p, kl_json *json) {
    kl_json_array(json, "leaderboard");
    for (size_t i = 0; i < p->leader_count; i++) {
        kl_json_put(json, "{pseudonym %s", p->leaders[i].nickname);
        put_step(json, "step", p->leaders[i].step);
        kl_json_number(json, "time_us", p->leaders[i].time_us);
        put_step(json, "measured_step", p->leaders[i].timed_step);
        kl_json_put(json, "measured_us %g card %s}", p->leaders[i].timed_us,
                    p->leaders[i].timed_step >= 0 ? p->leaders[i].card : NULL);
    }
    kl_json_end(json);
}

static void put_pairs(const ladder_class_page *p, kl_json *json) {
    kl_json_put(json, "pairs_from %g pairs [", p->compared ? p->least : NAN);
    for (int i = 0; i < p->pair_count; i++) {
        const ladder_member *a = &p->members[p->pairs[i].a], *b = &p->members[p->pairs[i].b];
        kl_json_put(json,
                    "{alike %g rare %g shared %s first %s second %s first_to_solution %g "
                    "second_to_solution %g}",
                    p->pairs[i].alike, p->pairs[i].rare, p->pairs[i].shared, a->shown, b->shown,
                    a->solution, b->solution);
    }
    kl_json_end(json);
}

static void put_member(const ladder_class_page *p, const ladder_member *m, kl_json *json) {
    int failed = ladder_first_failure(m);
    kl_json_put(json, "{submission %s page %s score %g why_no_score %s first_failure %g steps [",
                m->shown, m->page, m->score, m->why[0] != '\0' ? m->why : NULL,
                failed >= 0 ? p->lab->rubric->steps[failed].step : NAN);
    for (int s = 0; s < m->step_count; s++) {
        kl_json_put(json, "{step %d outcome %s share %g time_us %g finding %s}",
                    p->lab->rubric->steps[s].step, ladder_outcome_word(m->steps[s].outcome),
                    m->steps[s].share, m->steps[s].time_us, m->steps[s].finding);
    }
    kl_json_put(json, "]}");
}

kl_status ladder_class_page_json(const ladder_class_page *page, FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.report/1 kit %s lab %s device %s scored %d mean_score %g",
                LADDER_VERSION, page->lab->problem->name, page->device, page->distribution->count,
                ladder_mean_score(page->members, page->count));
    put_steps(page, &json);
    put_scores(page, &json);
    put_predicted(page, &json);
    put_leaders(page, &json);
    put_mistakes(page, &json);
    put_pairs(page, &json);
    kl_json_array(&json, "submissions");
    for (size_t m = 0; m < page->count; m++) put_member(page, &page->members[m], &json);
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}
