// What a step that was run is worth by its answers and counts, before it is graded: see lesson.h.
#include "learn/lesson/lesson.h"
#include "learn/predict/predict.h"
#include "show/report/report.h"

enum { CASES_MAX = 12, LABEL = 10 }; // different cases that one step's criteria count

// Counts of one step by case, taken when a criterion first asks for them.
typedef struct step_counts {
    const ladder_kit *kit;
    const ladder_lab *lab;
    int step, count;
    ladder_counted_case cases[CASES_MAX]; // [count]
    ladder_counts counts[CASES_MAX];
    ladder_points_wrong wrong;
    kl_error err; // why some are not there
} step_counts;

// A ladder_count_source.
static const ladder_counts *take_counts(void *context, const char *family, int64_t size) {
    step_counts *s = context;
    for (int i = 0; i < s->count; i++)
        if (s->cases[i].size == size && strcmp(s->cases[i].family, family) == 0)
            return &s->counts[i];
    if (s->count == CASES_MAX) return NULL;
    s->cases[s->count] = (ladder_counted_case){family, size, true};
    if (ladder_counting_take(s->kit, s->lab, s->step, false, &s->cases[s->count],
                             &s->counts[s->count], &s->err) != KL_OK)
        return NULL;
    if (s->counts[s->count].wrong) s->wrong = (ladder_points_wrong){s->step, family, size};
    return &s->counts[s->count++];
}

// What is reached of the points for answers and counts, and those for speed, which only grading
// takes.
typedef struct worth {
    double reached, most, speed;
    ladder_criterion_result results[LADDER_CRITERIA_MAX];
} worth;

static bool find_worth(step_counts *counts, const ladder_rubric_step *row, worth *w) {
    memset(w, 0, sizeof *w);
    for (int i = 0; i < row->criteria_count && i < LADDER_CRITERIA_MAX; i++) {
        const ladder_criterion *c = &row->criteria[i];
        ladder_criterion_result *r = &w->results[i];
        r->points_max = c->points;
        if (c->kind == LADDER_CRITERION_CORRECT) r->points = c->points;
        if (c->kind == LADDER_CRITERION_COUNT) {
            if (!ladder_score_counts(c, NULL, take_counts, counts, r)) return false;
            r->measured = true;
        }
        if (c->kind == LADDER_CRITERION_CORRECT || c->kind == LADDER_CRITERION_COUNT) {
            w->reached += r->points;
            w->most += c->points;
        }
        if (c->kind == LADDER_CRITERION_SPEED) w->speed += c->points;
    }
    ladder_score_close(row, w->results, row->criteria_count);
    return true;
}

// *label: what stands before the first paragraph; "" from then on.
static void put(FILE *out, const kl_style *style, const char **label, const char *text) {
    fprintf(out, "%-*s", LABEL, *label);
    kl_print_wrapped(out, style, LABEL, text);
    *label = "";
}

static void say_worth(const ladder_lab *lab, const ladder_rubric_step *row, const worth *w,
                      const kl_style *style, const char **label, FILE *out) {
    char reached[32], most[32], speed[32], text[LADDER_CRITERION_TEXT + 64];
    bool closed = false;
    for (int i = 0; i < row->criteria_count; i++) closed |= w->results[i].closed;
    snprintf(text, sizeof text, "step %d has %s of %s points for its answers and counts", row->step,
             ladder_report_points(w->reached, reached, sizeof reached),
             ladder_report_points(w->most, most, sizeof most));
    size_t used = strlen(text);
    if (w->speed > 0)
        snprintf(text + used, sizeof text - used,
                 closed ? ", and none of the %s for speed, as a count earns none"
                        : "; speed, %s points, is judged by grading only",
                 ladder_report_points(w->speed, speed, sizeof speed));
    put(out, style, label, text);
    for (int i = 0; i < row->criteria_count; i++) {
        const ladder_criterion *c = &row->criteria[i];
        if (c->kind != LADDER_CRITERION_COUNT || !(w->results[i].points < c->points)) continue;
        used = (size_t)snprintf(text, sizeof text, "%s of %s for ",
                                ladder_report_points(w->results[i].points, reached, sizeof reached),
                                ladder_report_points(c->points, most, sizeof most));
        ladder_report_criterion(c, &w->results[i], text + used, sizeof text - used);
        put(out, style, label, text);
    }
    if (w->reached < w->most) {
        snprintf(text, sizeof text, "./ladder profile %s %d", lab->problem->name, row->step);
        put(out, style, label, text);
    }
}

// Of a step that is wrong, grading takes no counts.
static void say_step(const ladder_kit *kit, const ladder_lab *lab, const ladder_step_progress *step,
                     const ladder_rubric_step *row, const kl_style *style, const char **label,
                     FILE *out, ladder_points_wrong *wrong) {
    worth w;
    char most[32], text[256];
    if (step->state == LADDER_STEP_BAD) {
        snprintf(
            text, sizeof text, "step %d has 0 of %s points: only a correct step earns some",
            row->step,
            ladder_report_points(ladder_rubric_points(row, false, ladder_device_simulated()->name),
                                 most, sizeof most));
        put(out, style, label, text);
        return;
    }
    step_counts *counts = calloc(1, sizeof *counts);
    if (!counts) return;
    *counts = (step_counts){.kit = kit, .lab = lab, .step = row->step, .wrong = {.step = -1}};
    kl_ticker_say("counting what the points are for");
    bool known = find_worth(counts, row, &w);
    kl_ticker_say("");
    if (counts->wrong.step >= 0) {
        *wrong = counts->wrong;
        snprintf(text, sizeof text,
                 "step %d has no points: it is wrong in a case of which they are counted",
                 row->step);
        put(out, style, label, text);
    } else if (known) {
        say_worth(lab, row, &w, style, label, out);
    } else {
        snprintf(text, sizeof text, "step %d: its points are not known: %.180s", row->step,
                 counts->err.text);
        put(out, style, label, text);
    }
    free(counts);
}

kl_status ladder_points_say(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                            int count, const kl_style *style, FILE *out,
                            ladder_points_wrong *out_wrong, kl_error *err) {
    ladder_progress *p = calloc(1, sizeof *p);
    if (!p) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the state of a lab");
    kl_status status = ladder_progress_read(kit, lab, p, err);
    const char *label = "points";
    out_wrong->step = -1;
    for (int i = 0; status == KL_OK && i < p->count; i++) {
        const ladder_step_progress *step = &p->steps[i];
        const ladder_rubric_step *row = ladder_rubric_find(lab->rubric, step->info->number);
        bool wanted = count == 0;
        for (int k = 0; k < count; k++) wanted |= steps[k] == step->info->number;
        if (!wanted || !row || (step->state != LADDER_STEP_DONE && step->state != LADDER_STEP_BAD))
            continue;
        if (label[0] != '\0') fputc('\n', out);
        say_step(kit, lab, step, row, style, &label, out, out_wrong);
    }
    free(p);
    return status;
}
