// What the formats of one submission share: see internal.h.
#include "course/export/internal.h"

char *ladder_export_cut(const char *text, size_t limit, char *out) {
    size_t bytes = strlen(text);
    if (bytes <= limit) return ladder_plain(text, true, out, limit + 1);
    size_t keep = limit - LADDER_EXPORT_CUT_NOTE;
    ladder_plain(text, true, out, keep + 1);
    size_t used = strlen(out);
    snprintf(out + used, LADDER_EXPORT_CUT_NOTE, "\n[cut here: %zu bytes in all]\n", bytes);
    return out;
}

char *ladder_export_step_name(const ladder_report *report, int step_index, char *out) {
    int step = report->result->steps[step_index].step;
    const kl_step_info *info = kl_problem_step(report->lab->problem, step);
    snprintf(out, LADDER_EXPORT_NAME, "step %d%s%s", step, info ? " " : "", info ? info->name : "");
    return out;
}

static const ladder_criterion *criterion_of(const ladder_report *report, int step_index,
                                            int index) {
    return &report->lab->rubric->steps[step_index].criteria[index];
}

char *ladder_export_criterion_name(const ladder_report *report, int step_index, int criterion,
                                   char *out) {
    const ladder_criterion *c = criterion_of(report, step_index, criterion);
    const char *text = c->text && c->text[0] != '\0'           ? c->text
                       : c->kind == LADDER_CRITERION_CORRECT   ? "right in every case"
                       : c->kind == LADDER_CRITERION_SPEED     ? "speed"
                       : c->kind == LADDER_CRITERION_PREDICTED ? "predicted before the first run"
                       : c->kind == LADDER_CRITERION_CASES     ? "hidden cases"
                                                               : c->counter;
    return ladder_plain(text, false, out, LADDER_EXPORT_NAME);
}

char *ladder_export_reason(const ladder_report *report, int step_index, char *out) {
    const ladder_step_result *step = &report->result->steps[step_index];
    out[0] = '\0';
    if (step->outcome == LADDER_CORRECT) return out;
    char line[LADDER_EXPORT_NAME];
    snprintf(line, sizeof line, "%s: %s", ladder_outcome_word(step->outcome),
             ladder_outcome_text(step->outcome));
    return ladder_plain(line, false, out, LADDER_EXPORT_NAME);
}

// What became of a step: outcome, failed cases, printed lines.
static void tell_step(const ladder_step_result *step, FILE *out) {
    if (step->outcome != LADDER_CORRECT) {
        fprintf(out, "%s: %s\n", ladder_outcome_word(step->outcome),
                ladder_outcome_text(step->outcome));
        bool told = step->failure_count > 0; // it is the first of these, below
        if (!told && step->message[0] != '\0') fprintf(out, "%s\n", step->message);
    }
    if (step->cases_run > 0)
        fprintf(out, "cases right: %d of %d\n", step->cases_right, step->cases_total);
    for (int i = 0; i < step->failure_count && i < LADDER_FAILURES_MAX; i++)
        fprintf(out, "%s: %s\n", step->failures[i].title, step->failures[i].text);
    if (step->failure_count > LADDER_FAILURES_MAX)
        fprintf(out, "and %d more cases\n", step->failure_count - LADDER_FAILURES_MAX);
    if (step->log[0] != '\0') fprintf(out, "What the compiler or the step printed:\n%s", step->log);
}

char *ladder_export_output(const ladder_report *report, int step_index, int criterion, char *out) {
    const ladder_step_result *step = &report->result->steps[step_index];
    const ladder_criterion *c = criterion_of(report, step_index, criterion);
    char sentence[LADDER_CRITERION_TEXT], *text = NULL;
    size_t bytes = 0;
    out[0] = '\0';
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory) return out;
    bool wrong = c->kind == LADDER_CRITERION_CORRECT && step->outcome != LADDER_CORRECT;
    if (!wrong) { // else what it asks for is no statement about the step
        ladder_report_criterion(c, &step->criteria[criterion], sentence, sizeof sentence);
        fprintf(memory, "%s\n", sentence);
    }
    if (c->kind == LADDER_CRITERION_CORRECT) tell_step(step, memory);
    if (fclose(memory) == 0) ladder_export_cut(text, LADDER_EXPORT_OUTPUT, out);
    free(text);
    return out;
}

char *ladder_export_given_name(const ladder_report *report, int item, char *out) {
    snprintf(out, LADDER_EXPORT_NAME, "%s", report->result->given.items[item].name);
    return out;
}

char *ladder_export_given_output(const ladder_report *report, int item, char *out) {
    const ladder_given *given = &report->result->given;
    char *text = NULL, said[LADDER_GIVEN_TEXT + 200];
    size_t bytes = 0;
    out[0] = '\0';
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory) return out;
    fprintf(memory, "%s\n%s\n", given->items[item].text,
            ladder_given_say(&given->items[item], said, sizeof said));
    for (int i = 0; item == 0 && i < given->comment_count; i++) // once, with the first one
        fprintf(memory, "%s:%u: %s\n", given->comments[i].file, given->comments[i].line,
                given->comments[i].text);
    if (fclose(memory) == 0) ladder_export_cut(text, LADDER_EXPORT_OUTPUT, out);
    free(text);
    return out;
}

// "21.50 of 30.00 points (71.67 %)", and what became of them, if anything did: "; 1 day late:
// -2.15; final: 19.35 points (64.50 %); late policy: ..". out: [LADDER_EXPORT_SUMMARY].
static char *ladder_export_summary(const ladder_report *report, const ladder_hundredths *marks,
                                   char *out) {
    const ladder_points_change *change = &report->result->points.change;
    char points[32], most[32], share[32], late[40];
    size_t used = 0;
#define PUT(...)                                                                                   \
    used += (size_t)snprintf(out + used, (size_t)LADDER_EXPORT_SUMMARY - used, __VA_ARGS__)
    PUT("%s of %s points (%s %%)", ladder_hundredths_text(marks->total, points, sizeof points),
        ladder_hundredths_text(marks->total_max, most, sizeof most),
        ladder_hundredths_text(ladder_hundredths_scale(marks->total, marks->total_max, 10000),
                               share, sizeof share));
    if (change->unmarked > 0) PUT("; %g of them not marked yet", change->unmarked);
    bool changed = ladder_points_changed(&report->result->points);
    if (changed && change->overridden)
        PUT("; override: %s", ladder_hundredths_text(marks->final, points, sizeof points));
    else if (changed || change->slip_days > 0)
        PUT("; %s: -%s", ladder_late_say(change, late),
            ladder_hundredths_text(marks->total - marks->final, points, sizeof points));
    if (changed)
        PUT("; final: %s points (%s %%)",
            ladder_hundredths_text(marks->final, points, sizeof points),
            ladder_hundredths_text(ladder_hundredths_scale(marks->final, marks->total_max, 10000),
                                   share, sizeof share));
    if (change->late_rule[0] != '\0') PUT("; late policy: %s", change->late_rule);
#undef PUT
    return out;
}

double ladder_export_best_us(const ladder_report *report, bool measured) {
    double best = (double)NAN;
    for (int i = 0; i < report->result->step_count && report->result->nickname[0] != '\0'; i++) {
        const ladder_step_result *step = &report->result->steps[i];
        double time_us = step->outcome != LADDER_CORRECT ? 0
                         : measured                      ? ladder_timed_us(report->lab, step)
                                                         : ladder_common_us(report->lab, step);
        if (time_us > 0 && !(best <= time_us)) best = time_us;
    }
    return best;
}

int ladder_export_steps_right(const ladder_report *report) {
    int right = 0;
    for (int i = 0; i < report->result->step_count; i++)
        right += report->result->steps[i].outcome == LADDER_CORRECT;
    return right;
}

// ---- a report without the criteria that students must not see yet -------------------------------

// Keeps the criteria of one step that students see; their results stay beside them.
static void keep_shown(ladder_shown *s, int index) {
    const ladder_rubric_step *from = &s->rubric.steps[index];
    ladder_step_result *result = &s->result.steps[index];
    int kept = 0;
    for (int c = 0; c < result->criteria_count && c < from->criteria_count; c++) {
        s->hidden += from->criteria[c].hidden && result->criteria[c].counted;
        if (from->criteria[c].hidden) continue;
        s->criteria[index][kept] = from->criteria[c];
        result->criteria[kept++] = result->criteria[c];
    }
    s->steps[index] = *from;
    s->steps[index].criteria = s->criteria[index];
    s->steps[index].criteria_count = result->criteria_count = kept;
}

kl_status ladder_shown_make(const ladder_report *report, ladder_shown **out_shown, kl_error *err) {
    ladder_shown *s = calloc(1, sizeof *s);
    *out_shown = s;
    if (!s) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a result");
    s->result = *report->result;
    s->rubric = *report->lab->rubric;
    s->lab = *report->lab;
    s->lab.rubric = &s->rubric;
    s->report = *report;
    s->report.lab = &s->lab;
    s->report.result = &s->result;
    for (int i = 0; i < s->result.step_count; i++) keep_shown(s, i);
    s->rubric.steps = s->steps;
    ladder_points_change *change = &s->result.points.change;
    if (s->hidden > 0 && change->overridden) // which is of all points
        *change = (ladder_points_change){
            .given = change->given, .given_most = change->given_most, .unmarked = change->unmarked};
    ladder_result_total(&s->result);
    ladder_hundredths_from(&s->result, &s->marks);
    return KL_OK;
}

char *ladder_shown_summary(const ladder_shown *shown, char *out) {
    ladder_export_summary(&shown->report, &shown->marks, out);
    size_t used = strlen(out);
    if (shown->hidden > 0)
        snprintf(out + used, LADDER_EXPORT_SUMMARY - used,
                 "; without %d hidden %s, which also count%s", shown->hidden,
                 shown->hidden == 1 ? "test" : "tests", shown->hidden == 1 ? "s" : "");
    return out;
}

// ---- points in hundredths -----------------------------------------------------------------------

int64_t ladder_hundredths_of(double points) {
    const double most = 1e9; // points; no rubric has so many
    if (!(points > 0)) return 0;
    int64_t millionths = llround((points < most ? points : most) * 1e6);
    return (millionths + 5000) / 10000;
}

// One of the two numbers of a criterion.
static double part(const ladder_criterion_result *criterion, bool most) {
    return !criterion->counted ? 0 : most ? criterion->points_max : criterion->points;
}

// Sums run as in ladder_result_total, so that the last one is the result's own. limit: what a mark
// may be at most, or NULL.
static int64_t deal(const ladder_result *result, bool most, const ladder_hundredths *limit,
                    int64_t marks[LADDER_STEPS_MAX][LADDER_CRITERIA_MAX], int64_t *steps,
                    int64_t by_person[LADDER_GIVEN_MAX]) {
    double before = 0;
    int64_t given = 0;
    for (int s = 0; s < result->step_count; s++) {
        const ladder_step_result *step = &result->steps[s];
        double inside = 0;
        for (int c = 0; c < step->criteria_count; c++) {
            inside += part(&step->criteria[c], most);
            int64_t mark = ladder_hundredths_of(before + inside) - given;
            if (limit && mark > limit->criterion_max[s][c]) mark = limit->criterion_max[s][c];
            if (mark < 0) mark = 0;
            marks[s][c] = mark;
            steps[s] += mark;
            given += mark;
        }
        before += inside;
    }
    for (int i = 0; i < result->given.count; i++) {
        const ladder_given_criterion *item = &result->given.items[i];
        before += most ? item->most : item->marked ? item->points : 0;
        int64_t mark = ladder_hundredths_of(before) - given;
        if (limit && mark > limit->given_max[i]) mark = limit->given_max[i];
        by_person[i] = mark > 0 ? mark : 0;
        given += by_person[i];
    }
    return given;
}

void ladder_hundredths_from(const ladder_result *result, ladder_hundredths *out_marks) {
    memset(out_marks, 0, sizeof *out_marks);
    out_marks->total_max = deal(result, true, NULL, out_marks->criterion_max, out_marks->step_max,
                                out_marks->given_max);
    out_marks->total =
        deal(result, false, out_marks, out_marks->criterion, out_marks->step, out_marks->given);
    out_marks->final = ladder_points_changed(&result->points)
                           ? ladder_hundredths_of(ladder_points_final(&result->points))
                           : out_marks->total;
}

int64_t ladder_hundredths_scale(int64_t total, int64_t total_max, int64_t max) {
    if (total_max <= 0) return 0;
    return (2 * total * max + total_max) / (2 * total_max);
}

char *ladder_hundredths_text(int64_t hundredths, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%" PRId64 ".%02" PRId64, hundredths / 100, hundredths % 100);
    return text;
}
