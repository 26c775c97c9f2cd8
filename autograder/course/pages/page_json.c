// The page of a class as JSON (ladder.report/1): see page.c. It has what the page has, made by the
// same functions, and names submissions as the page does.
#include "course/pages/pages.h"
#include "ladder_config.h"

static void put_spread(kl_json *json, const char *name, const ladder_spread *spread) {
    kl_json_object(json, name);
    kl_json_number(json, "low", spread->low);
    kl_json_number(json, "mid", spread->mid);
    kl_json_number(json, "high", spread->high);
    kl_json_end(json);
}

static void put_steps(const ladder_class_page *p, kl_json *json) {
    kl_json_array(json, "steps");
    for (int s = 0; s < p->lab->rubric->step_count; s++) {
        const ladder_rubric_step *step = &p->lab->rubric->steps[s];
        const kl_step_info *info = kl_problem_step(p->lab->problem, step->step);
        ladder_step_counts n = ladder_step_counts_of(p->members, p->count, s);
        kl_json_object(json, NULL);
        kl_json_int(json, "step", step->step);
        kl_json_string(json, "name", info ? info->name : step->file);
        kl_json_uint(json, "right", n.right);
        kl_json_uint(json, "failed", n.failed);
        kl_json_uint(json, "not_written", n.absent);
        kl_json_number(json, "mean_share", n.share);
        put_spread(json, "share", &p->distribution->shares[s]);
        put_spread(json, "time_us", &p->distribution->times_us[s]);
        kl_json_number(json, "solution_us", p->distribution->solution_us[s]);
        kl_json_end(json);
    }
    kl_json_end(json);
    double factor = NAN;
    int slowest = ladder_slowest_step(p->lab, p->distribution, &factor);
    kl_json_number(json, "slowest_step", slowest >= 0 ? p->lab->rubric->steps[slowest].step : NAN);
    kl_json_number(json, "slowest_factor", factor);
}

static void put_mistakes(const ladder_class_page *p, kl_json *json) {
    ladder_mistake mistakes[LADDER_MISTAKES_MAX];
    int count = ladder_mistakes_of(p->members, p->count, mistakes);
    kl_json_array(json, "mistakes");
    for (int i = 0; i < count; i++) {
        kl_json_object(json, NULL);
        kl_json_uint(json, "submissions", mistakes[i].count);
        kl_json_int(json, "step", p->lab->rubric->steps[mistakes[i].index].step);
        kl_json_string(json, "outcome", ladder_outcome_word(mistakes[i].outcome));
        kl_json_string(json, "finding", mistakes[i].finding);
        kl_json_array(json, "whose");
        for (size_t m = 0; m < p->count; m++)
            if (ladder_made_mistake(&p->members[m], &mistakes[i]))
                kl_json_string(json, NULL, p->members[m].shown);
        kl_json_end(json);
        kl_json_end(json);
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
        kl_json_object(json, NULL);
        kl_json_int(json, "step", p->lab->rubric->steps[all[i].index].step);
        kl_json_string(json, "name", all[i].name);
        kl_json_uint(json, "before_first_run", all[i].predicted);
        kl_json_uint(json, "after_it", all[i].late);
        kl_json_uint(json, "compared", all[i].compared);
        kl_json_uint(json, "right", all[i].right);
        kl_json_uint(json, "within_10_percent", all[i].near);
        kl_json_number(json, "median_ratio", all[i].ratio);
        kl_json_end(json);
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
        kl_json_object(json, NULL);
        kl_json_string(json, "pseudonym", p->leaders[i].nickname);
        put_step(json, "step", p->leaders[i].step);
        kl_json_number(json, "time_us", p->leaders[i].time_us);
        put_step(json, "measured_step", p->leaders[i].timed_step);
        kl_json_number(json, "measured_us", p->leaders[i].timed_us);
        kl_json_string(json, "card", p->leaders[i].timed_step >= 0 ? p->leaders[i].card : NULL);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void put_pairs(const ladder_class_page *p, kl_json *json) {
    kl_json_number(json, "pairs_from", p->compared ? p->least : NAN);
    kl_json_array(json, "pairs");
    for (int i = 0; i < p->pair_count; i++) {
        const ladder_member *a = &p->members[p->pairs[i].a], *b = &p->members[p->pairs[i].b];
        kl_json_object(json, NULL);
        kl_json_number(json, "alike", p->pairs[i].alike);
        kl_json_number(json, "rare", p->pairs[i].rare);
        kl_json_string(json, "shared", p->pairs[i].shared);
        kl_json_string(json, "first", a->shown);
        kl_json_string(json, "second", b->shown);
        kl_json_number(json, "first_to_solution", a->solution);
        kl_json_number(json, "second_to_solution", b->solution);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void put_member(const ladder_class_page *p, const ladder_member *m, kl_json *json) {
    int failed = ladder_first_failure(m);
    kl_json_object(json, NULL);
    kl_json_string(json, "submission", m->shown);
    kl_json_string(json, "page", m->page);
    kl_json_number(json, "score", m->score);
    kl_json_string(json, "why_no_score", m->why[0] != '\0' ? m->why : NULL);
    kl_json_number(json, "first_failure", failed >= 0 ? p->lab->rubric->steps[failed].step : NAN);
    kl_json_array(json, "steps");
    for (int s = 0; s < m->step_count; s++) {
        kl_json_object(json, NULL);
        kl_json_int(json, "step", p->lab->rubric->steps[s].step);
        kl_json_string(json, "outcome", ladder_outcome_word(m->steps[s].outcome));
        kl_json_number(json, "share", m->steps[s].share);
        kl_json_number(json, "time_us", m->steps[s].time_us);
        kl_json_string(json, "finding", m->steps[s].finding);
        kl_json_end(json);
    }
    kl_json_end(json);
    kl_json_end(json);
}

kl_status ladder_class_page_json(const ladder_class_page *page, FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.report/1");
    kl_json_string(&json, "kit", LADDER_VERSION);
    kl_json_string(&json, "lab", page->lab->problem->name);
    kl_json_string(&json, "device", page->device);
    kl_json_int(&json, "scored", page->distribution->count);
    kl_json_number(&json, "mean_score", ladder_mean_score(page->members, page->count));
    put_steps(page, &json);
    put_scores(page, &json);
    put_predicted(page, &json);
    put_leaders(page, &json);
    put_mistakes(page, &json);
    put_pairs(page, &json);
    kl_json_array(&json, "submissions");
    for (size_t m = 0; m < page->count; m++) put_member(page, &page->members[m], &json);
    kl_json_end(&json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
