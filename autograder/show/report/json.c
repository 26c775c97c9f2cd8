// Report of one submission as JSON, schema ladder.grade/1: see report.h.
#include "show/report/report.h"

#include <math.h>
#include <string.h>

#include "json.h"
#include "ladder_config.h"
#include "utilities/kit.h"
#include "utilities/text.h"

// The measured ratio's interval, and what the modelled one is worth; of one that is not measured
// the value is the modelled one.
static void write_speed(kl_json *json, const ladder_criterion *criterion,
                        const ladder_criterion_result *r) {
    const ladder_modelled *modelled =
        ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
    kl_json_array(json, "interval");
    kl_json_number(json, NULL, r->low);
    kl_json_number(json, NULL, r->high);
    kl_json_end(json);
    kl_json_bool(json, "closed", r->closed);
    if (r->measured && !ladder_report_is_modelled(r)) {
        kl_json_object(json, "timing");
        kl_json_string(json, "thresholds", r->calibrated ? "card" : "rubric");
        kl_json_number(json, "full", r->full);
        kl_json_number(json, "zero", r->zero);
        kl_json_bool(json, "doubt", r->doubt);
        kl_json_int(json, "pairs", r->pairs);
        kl_json_number(json, "call_us", r->call_us);
        kl_json_array(json, "itself");
        kl_json_number(json, NULL, r->same_low);
        kl_json_number(json, NULL, r->same_high);
        kl_json_end(json);
        kl_json_number(json, "seconds", r->seconds);
        kl_json_number(json, "before_seconds", r->before_s);
        kl_json_number(json, "alone_seconds", r->alone_s);
        kl_json_number(json, "after_seconds", r->after_s);
        kl_json_end(json);
    }
    if (!modelled) return;
    kl_json_object(json, "modelled");
    kl_json_int(json, "size", modelled->size);
    kl_json_number(json, "full", modelled->full);
    kl_json_number(json, "zero", modelled->zero);
    kl_json_number(json, "value", r->modelled);
    kl_json_number(json, "points", r->modelled_points);
    kl_json_end(json);
}

static void write_with(kl_json *json, const ladder_criterion *criterion,
                       const ladder_criterion_result *r) {
    kl_json_array(json, "with");
    for (int i = 0; i < criterion->with_count; i++) {
        const ladder_bound *bound = &criterion->with[i];
        kl_json_object(json, NULL);
        kl_json_string(json, "text", bound->text);
        kl_json_string(json, "counter", bound->counter);
        kl_json_string(json, "per", bound->per);
        kl_json_number(json, "full", bound->full);
        kl_json_number(json, "zero", bound->zero);
        kl_json_number(json, "value", r->measured ? r->with[i] : NAN);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_criteria(kl_json *json, const ladder_rubric_step *rubric,
                           const ladder_step_result *step) {
    static const char *const kinds[] = {"correct", "count", "speed", "predicted", "cases"};
    kl_json_array(json, "criteria");
    for (int c = 0; c < step->criteria_count; c++) {
        const ladder_criterion *criterion = &rubric->criteria[c];
        const ladder_criterion_result *r = &step->criteria[c];
        kl_json_object(json, NULL);
        kl_json_string(json, "kind", kinds[criterion->kind]);
        kl_json_string(json, "text", criterion->text);
        if (criterion->kind == LADDER_CRITERION_COUNT) {
            kl_json_string(json, "counter", criterion->counter);
            kl_json_string(json, "per", criterion->per);
        }
        if (criterion->kind == LADDER_CRITERION_SPEED) kl_json_int(json, "over", criterion->over);
        if (criterion->family) { // one that is counted or timed
            kl_json_string(json, "family", criterion->family);
            kl_json_int(json, "size", criterion->size);
            kl_json_number(json, "full", criterion->full);
            kl_json_number(json, "zero", criterion->zero);
        }
        if (criterion->kind == LADDER_CRITERION_CASES)
            kl_json_int(json, "cases", criterion->case_count);
        kl_json_bool(json, "measured", r->measured);
        if (criterion->kind == LADDER_CRITERION_SPEED)
            kl_json_string(json, "time_kind",
                           !r->measured                   ? NULL
                           : ladder_report_is_modelled(r) ? "modelled"
                                                          : "measured");
        kl_json_bool(json, "counted", r->counted);
        kl_json_bool(json, "left_out", r->left_out);
        kl_json_number(json, "value", r->value);
        if (criterion->kind == LADDER_CRITERION_SPEED) write_speed(json, criterion, r);
        if (criterion->with_count > 0) write_with(json, criterion, r);
        if (r->line > 0) kl_json_uint(json, "line", r->line);
        kl_json_number(json, "points", ladder_outcome_points(step->outcome, r->points));
        kl_json_number(json, "points_max", r->points_max);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_first_wrong(kl_json *json, const ladder_failure *f) {
    if (!f->compared) return;
    kl_json_object(json, "first_wrong");
    kl_json_string(json, "output", f->output);
    kl_json_uint(json, "index", f->first_wrong);
    kl_json_number(json, "expected", f->expected);
    kl_json_number(json, "got", f->got);
    kl_json_string(json, "got_text", f->seen);
    kl_json_number(json, "allowed_error", f->bound);
    kl_json_end(json);
}

static void write_calls(kl_json *json, const ladder_step_result *step) {
    kl_json_array(json, "calls");
    for (int i = 0; i < step->call_count; i++) {
        const ladder_call *call = &step->calls[i];
        kl_json_object(json, NULL);
        kl_json_string(json, "family", call->family);
        kl_json_int(json, "size", call->size);
        kl_json_int(json, "launches", call->launches);
        kl_json_number(json, "time_us", call->time_us);
        kl_json_number(json, "busy_us", call->busy_us);
        kl_json_number(json, "bytes", call->bytes);
        kl_json_number(json, "multiply_adds", call->fma);
        kl_json_number(json, "fma_pipe", call->fma_pipe);
        kl_json_number(json, "warp_instructions", call->instructions);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_predictions(kl_json *json, const ladder_step_result *step) {
    kl_json_array(json, "predictions");
    for (int i = 0; i < step->prediction_count; i++) {
        kl_json_object(json, NULL);
        kl_json_string(json, "name", step->predictions[i].name);
        kl_json_number(json, "predicted", step->predictions[i].predicted);
        kl_json_number(json, "counted", step->predictions[i].counted);
        kl_json_bool(json, "before_first_run", step->predictions[i].stood);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_step(kl_json *json, const ladder_lab *lab, int index,
                       const ladder_step_result *step) {
    static const char *const kinds[] = {"good", "absent", "bad", "ungradable"};
    const ladder_rubric_step *rubric = &lab->rubric->steps[index];
    kl_json_object(json, NULL);
    kl_json_int(json, "step", step->step);
    kl_json_string(json, "file", rubric->file);
    kl_json_bool(json, "given", rubric->given);
    kl_json_string(json, "outcome", ladder_outcome_word(step->outcome));
    kl_json_string(json, "kind", kinds[ladder_outcome_kind_of(step->outcome)]);
    kl_json_string(json, "message", step->message);
    kl_json_bool(json, "forgotten", step->forgotten);
    kl_json_number(json, "points", ladder_outcome_points(step->outcome, step->points));
    kl_json_number(json, "points_max", step->points_max);
    kl_json_object(json, "cases");
    kl_json_int(json, "total", step->cases_total);
    kl_json_int(json, "run", step->cases_run);
    kl_json_int(json, "right", step->cases_right);
    kl_json_string(json, "tried", step->tried);
    kl_json_end(json);
    kl_json_int(json, "failure_count", step->failure_count);
    kl_json_array(json, "failures");
    for (int i = 0; i < step->failure_count && i < LADDER_FAILURES_MAX; i++) {
        kl_json_object(json, NULL);
        kl_json_string(json, "case", step->failures[i].title);
        kl_json_string(json, "outcome", ladder_outcome_word(step->failures[i].outcome));
        kl_json_string(json, "text", step->failures[i].text);
        write_first_wrong(json, &step->failures[i]);
        kl_json_end(json);
    }
    kl_json_end(json);
    kl_json_string(json, "smallest_case", step->small[0] != '\0' ? step->small : NULL);
    kl_json_object(json, "check");
    kl_json_int(json, "cases", step->check.cases);
    kl_json_int(json, "wanted", step->check.wanted);
    kl_json_string(json, "failed", step->check.failed[0] != '\0' ? step->check.failed : NULL);
    kl_json_int(json, "finding_count", step->check.finding_count);
    kl_json_array(json, "findings");
    for (int i = 0; i < step->check.finding_count && i < LADDER_FINDINGS_MAX; i++) {
        kl_json_object(json, NULL);
        kl_json_string(json, "class", step->check.findings[i].kind);
        kl_json_string(json, "place", step->check.findings[i].place);
        kl_json_end(json);
    }
    kl_json_end(json);
    kl_json_end(json);
    write_criteria(json, rubric, step);
    write_calls(json, step);
    write_predictions(json, step);
    kl_json_number(json, "build_seconds", step->build_s);
    kl_json_number(json, "run_seconds", step->run_s);
    kl_json_number(json, "cases_seconds", step->cases_s);
    kl_json_number(json, "check_seconds", step->check_s);
    kl_json_number(json, "criteria_seconds", step->criteria_s);
    kl_json_number(json, "alone_seconds", step->alone_s);
    kl_json_string(json, "output", step->log);
    kl_json_end(json);
}

void ladder_points_json(const ladder_points *points, kl_json *json) {
    const ladder_points_change *change = &points->change;
    char due[32];
    kl_json_string(json, "late_policy", change->late_rule[0] != '\0' ? change->late_rule : NULL);
    kl_json_int(json, "late_days", change->late_days);
    kl_json_int(json, "slip_days", change->slip_days);
    kl_json_string(json, "own_due", change->due_s > 0 ? ladder_time_iso(change->due_s, due) : NULL);
    kl_json_number(json, "late_deduction", points->graded ? ladder_points_deduction(points) : NAN);
    kl_json_number(json, "override", change->overridden ? change->override : NAN);
    kl_json_number(json, "final_points", ladder_points_final(points));
    kl_json_number(json, "final_score", ladder_points_final_score(points));
    kl_json_number(json, "given_points",
                   change->given_most > change->unmarked ? change->given : NAN);
    kl_json_number(json, "unmarked_points", change->unmarked);
}

void ladder_given_json(const ladder_given *given, kl_json *json) {
    kl_json_array(json, "given");
    for (int i = 0; i < given->count; i++) {
        const ladder_given_criterion *item = &given->items[i];
        kl_json_object(json, NULL);
        kl_json_string(json, "criterion", item->name);
        kl_json_string(json, "text", item->text);
        kl_json_bool(json, "marked", item->marked);
        kl_json_number(json, "points", item->marked ? item->points : NAN);
        kl_json_number(json, "points_max", item->most);
        kl_json_string(json, "comment", item->comment);
        kl_json_end(json);
    }
    kl_json_end(json);
    kl_json_array(json, "line_comments");
    for (int i = 0; i < given->comment_count; i++) {
        kl_json_object(json, NULL);
        kl_json_string(json, "file", given->comments[i].file);
        kl_json_uint(json, "line", given->comments[i].line);
        kl_json_string(json, "text", given->comments[i].text);
        kl_json_end(json);
    }
    kl_json_end(json);
}

// Who handed it in together; lines of name and ids (ladder_submission).
static void put_members(kl_json *json, const char *members) {
    char text[LADDER_TITLE];
    kl_json_array(json, "students");
    for (const char *at = members; *at != '\0'; at += *at == '\n') {
        size_t length = strcspn(at, "\t\n");
        kl_json_object(json, NULL);
        snprintf(text, sizeof text, "%.*s", (int)length, at);
        kl_json_string(json, "name", text);
        kl_json_array(json, "ids");
        for (at += length; *at == '\t'; at += length) {
            length = strcspn(++at, "\t\n");
            snprintf(text, sizeof text, "%.*s", (int)length, at);
            kl_json_string(json, NULL, text);
        }
        kl_json_end(json);
        kl_json_end(json);
    }
    kl_json_end(json);
}

kl_status ladder_report_json(const ladder_report *report, FILE *out, kl_error *err) {
    const ladder_result *r = report->result;
    char seed[32];
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.grade/1");
    kl_json_string(&json, "kit", LADDER_VERSION);
    kl_json_string(&json, "lab", report->lab->problem->name);
    kl_json_string(&json, "id", r->id);
    kl_json_string(&json, "submission", r->title);
    kl_json_string(&json, "user", r->user);
    put_members(&json, r->members);
    kl_json_string(&json, "files_sha256", r->hash);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->seed);
    kl_json_string(&json, "seed", seed); // as text: 64 bits do not fit a JSON number
    kl_json_string(&json, "device", report->device);
    kl_json_string(&json, "sandbox", report->sandbox);
    kl_json_string(&json, "sandbox_text", report->sandbox_text);
    kl_json_bool(&json, "ungradable", !r->points.graded);
    kl_json_number(&json, "score", r->points.graded ? ladder_points_score(&r->points) : NAN);
    kl_json_number(&json, "points", r->points.graded ? r->points.reached : NAN);
    kl_json_number(&json, "points_max", r->points.most);
    ladder_points_json(&r->points, &json);
    kl_json_number(&json, "seconds", r->wall_s);
    kl_json_number(&json, "alone_seconds", ladder_result_alone_s(r));
    kl_json_array(&json, "notes");
    for (int i = 0; i < r->note_count; i++) kl_json_string(&json, NULL, r->notes[i]);
    kl_json_end(&json);
    kl_json_array(&json, "steps");
    for (int i = 0; i < r->step_count; i++) write_step(&json, report->lab, i, &r->steps[i]);
    kl_json_end(&json);
    ladder_given_json(&r->given, &json);
    kl_json_string(&json, "leaderboard", r->nickname[0] != '\0' ? r->nickname : NULL);
    kl_json_string(&json, "work_log", r->work_log[0] != '\0' ? r->work_log : NULL);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
