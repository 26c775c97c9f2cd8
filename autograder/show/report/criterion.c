// Points, and one criterion of a rubric with what was counted, measured or modelled, as a sentence:
// see report.h.
#include "grade/rubric/lab_files.h"
#include "show/report/report.h"

char *ladder_report_points(double points, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%.2f", points);
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '0') text[--length] = '\0';
    if (length > 0 && text[length - 1] == '.') text[--length] = '\0';
    return text;
}

typedef struct number_text {
    char text[40];
} number_text;

// 4.031; 850; 2,127,872. digits: significant ones, of a value below a thousand.
static number_text write_number(double value, int digits) {
    number_text out;
    if (fabs(value) >= 999.5 && fabs(value) < 1e15)
        kl_format_grouped((long long)nearbyint(value), out.text, sizeof out.text);
    else snprintf(out.text, sizeof out.text, "%.*g", digits, value);
    return out;
}

// A value with as few digits as leave it on its side of both thresholds: 0.049 of 0.04895, but
// 0.0602 where all points end at 0.06.
static number_text write_value(double full, double zero, double value) {
    int digits = fabs(value) < 1 ? 2 : 3;
    for (; digits < 9; digits++) {
        double shown = strtod(write_number(value, digits).text, NULL);
        if (fabs(value) >= 999.5) break;
        if ((shown > full) == (value > full) && (shown < full) == (value < full) &&
            (shown > zero) == (value > zero) && (shown < zero) == (value < zero))
            break;
    }
    return write_number(value, digits);
}

// "loads: 4.03 (full points up to 4, none from 8)"; what was not counted has only its threshold.
static void add_bound(char *text, size_t text_bytes, const char *what, double full, double zero,
                      const double *value, bool first) {
    bool few = full <= zero; // the fewer, the better
    const char *points = first ? "full points " : "";
    if (!value) {
        kl_append(text, text_bytes, "%s: not counted (full points %s %s)", what,
                  few ? "up to" : "from", write_number(full, 4).text);
        return;
    }
    kl_append(text, text_bytes, "%s: %s (%s%s %s, none %s %s)", what,
              isnan(*value) ? "none" : write_value(full, zero, *value).text, points,
              few ? "up to" : "from", write_number(full, 4).text, few ? "from" : "up to",
              write_number(zero, 4).text);
}

// Of what must hold besides, only what does not hold is named.
static void add_count(char *text, size_t text_bytes, const ladder_criterion *c,
                      const ladder_criterion_result *result) {
    if (!result->counted && c->needs_cuda > 0) {
        kl_append(text, text_bytes, "%s: not counted with this toolkit (needs CUDA %d)",
                  c->text[0] != '\0' ? c->text : c->counter, c->needs_cuda);
        return;
    }
    add_bound(text, text_bytes, c->text[0] != '\0' ? c->text : c->counter, c->full, c->zero,
              result->measured ? &result->value : NULL, true);
    for (int i = 0; i < c->with_count && result->measured; i++) {
        const ladder_bound *bound = &c->with[i];
        if (ladder_bound_share(bound, result->with[i]) >= 1) continue;
        kl_append(text, text_bytes, "; ");
        add_bound(text, text_bytes, bound->text, bound->full, bound->zero, &result->with[i], false);
    }
}

bool ladder_report_is_modelled(const ladder_criterion_result *result) {
    return result->measured && result->value == result->modelled;
}

static void add_speed(char *text, size_t text_bytes, const ladder_criterion *c,
                      const ladder_criterion_result *result) {
    const ladder_modelled *modelled = ladder_criterion_modelled(c, ladder_device_simulated()->name);
    bool timed = result->measured && !ladder_report_is_modelled(result);
    kl_append(text, text_bytes, "%s: ", c->text[0] != '\0' ? c->text : "speed");
    if (timed) {
        kl_append(
            text, text_bytes,
            "%.2f times as fast as step %d, 95 %% interval %.2f to %.2f (full points from %.4g, "
            "none up to %.4g%s)",
            result->value, c->over, result->low, result->high, result->full, result->zero,
            result->calibrated ? ": this card's own thresholds" : "");
        if (result->doubt)
            kl_append(text, text_bytes,
                      "; noise still decides after %d pairs of processes, so the faster end of the "
                      "interval counts",
                      result->pairs);
    } else if (result->left_out) {
        kl_append(text, text_bytes,
                  "not graded on this card: ladder calibrate found too small a gain");
    } else if (!result->counted) {
        kl_append(text, text_bytes, "not measured here (needs a GPU)%s%s",
                  c->unmodelled ? ", and not modelled: " : "", c->unmodelled ? c->unmodelled : "");
    } else if (!result->measured) {
        kl_append(text, text_bytes, "not measured");
    }
    if (modelled && !isnan(result->modelled)) {
        char size[40];
        kl_append(text, text_bytes, "%smodelled %s x step %d at size %s (%sfrom %g, none up to %g)",
                  timed ? "; beside it " : "",
                  write_value(modelled->full, modelled->zero, result->modelled).text, c->over,
                  kl_format_grouped(modelled->size, size, sizeof size), timed ? "" : "full points ",
                  modelled->full, modelled->zero);
    }
    if (result->closed)
        kl_append(text, text_bytes, "; no points, because a count of this step earns none");
}

char *ladder_report_criterion(const ladder_criterion *criterion,
                              const ladder_criterion_result *result, char *text,
                              size_t text_bytes) {
    const char *what = criterion->text ? criterion->text : "";
    text[0] = '\0';
    switch (criterion->kind) {
    case LADDER_CRITERION_CORRECT:
        kl_append(text, text_bytes, "%s", what[0] != '\0' ? what : "right in every case");
        break;
    case LADDER_CRITERION_PREDICTED:
        kl_append(text, text_bytes, "%s",
                  what[0] != '\0' ? what : "predicted before the first run (right or not)");
        break;
    case LADDER_CRITERION_CASES:
        kl_append(text, text_bytes, "%s: ", what[0] != '\0' ? what : "hidden cases");
        if (result->measured)
            kl_append(text, text_bytes, "%.0f of %d right", result->value, criterion->case_count);
        else kl_append(text, text_bytes, "not run");
        break;
    case LADDER_CRITERION_COUNT: add_count(text, text_bytes, criterion, result); break;
    case LADDER_CRITERION_SPEED: add_speed(text, text_bytes, criterion, result); break;
    }
    return text;
}

// ---- what a student predicted, in the words of every report -------------------------------------

static const char *write_counted(double value, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%.6g", value);
    return text;
}

char *ladder_report_prediction(const ladder_prediction *item, char *text, size_t text_bytes) {
    char predicted[32], counted[32], judged[64];
    write_counted(item->predicted, predicted, sizeof predicted);
    if (isfinite(item->counted)) {
        snprintf(text, text_bytes, "%s: predicted %s, counted %s: %s%s", item->name, predicted,
                 write_counted(item->counted, counted, sizeof counted),
                 ladder_prediction_judge(item->predicted, item->counted, judged, sizeof judged),
                 item->stood ? "" : " (predicted after the first run)");
    } else {
        snprintf(text, text_bytes, "%s: predicted %s, not counted%s", item->name, predicted,
                 item->stood ? "" : " (predicted after the first run)");
    }
    return text;
}

char *ladder_report_predictions(const ladder_report *report, char *text, size_t text_bytes) {
    const ladder_result *r = report->result;
    const ladder_questions *questions = report->lab->questions;
    int asked = 0, stood = 0, late = 0, counted = 0, near = 0;
    for (int i = 0; i < questions->asked_count; i++) {
        const kl_step_info *info = kl_problem_step(report->lab->problem, questions->asked[i].step);
        if (info && !info->given) asked += questions->asked[i].count;
    }
    for (int i = 0; i < r->step_count; i++) {
        const ladder_step_result *step = &r->steps[i];
        const kl_step_info *info = kl_problem_step(report->lab->problem, step->step);
        for (int k = 0; info && !info->given && k < step->prediction_count; k++) {
            const ladder_prediction *item = &step->predictions[k];
            stood += item->stood;
            late += !item->stood;
            if (!item->stood || !isfinite(item->counted)) continue;
            counted++;
            near += fabs(item->predicted - item->counted) <= 0.1 * fabs(item->counted);
        }
    }
    text[0] = '\0';
    if (stood + late == 0) return text;
    snprintf(text, text_bytes,
             "predictions: %d of %d numbers before the first run; of %d counted, %d within 10 %%",
             stood, asked, counted, near);
    if (late > 0) kl_append(text, text_bytes, "; %d after the first run", late);
    return text;
}
