// Report of one submission as JSON, schema ladder.grade/1: see report.h.
#include "show/report/report.h"
#include "ladder_config.h"
#include "show/report/result.def"
#include "utilities/kit.h"

#define PUT_TEXT(value, key)    kl_json_string(json, key, value);
#define PUT_WORDS(value, key)   kl_json_string(json, key, (value)[0] != '\0' ? (value) : NULL);
#define PUT_NUMBER(value, key)  kl_json_number(json, key, value);
#define PUT_COUNT(value, key)   kl_json_int(json, key, value);
#define PUT_LONG(value, key)    kl_json_int(json, key, value);
#define PUT_INDEX(value, key)   kl_json_uint(json, key, value);
#define PUT_YES(value, key)     kl_json_bool(json, key, value);
#define PUT_OUTCOME(value, key) kl_json_string(json, key, ladder_outcome_word(value));
#define PUT(kind, member, key)  PUT_##kind(from->member, key)

// The measured ratio's interval, and what the modelled one is worth; of one that is not measured
// the value is the modelled one.
static void write_speed(kl_json *json, const ladder_criterion *criterion,
                        const ladder_criterion_result *from) {
    const ladder_modelled *modelled =
        ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
    kl_json_array(json, "interval");
    kl_json_number(json, NULL, from->low);
    kl_json_number(json, NULL, from->high);
    kl_json_end(json);
    kl_json_bool(json, "closed", from->closed);
    if (from->measured && !ladder_report_is_modelled(from)) {
        kl_json_object(json, "timing");
        kl_json_string(json, "thresholds", from->calibrated ? "card" : "rubric");
        RESULT_TIMING(PUT)
        kl_json_array(json, "itself");
        kl_json_number(json, NULL, from->same_low);
        kl_json_number(json, NULL, from->same_high);
        kl_json_end(json);
        kl_json_end(json);
    }
    if (!modelled) return;
    kl_json_object(json, "modelled");
    kl_json_int(json, "size", modelled->size);
    kl_json_number(json, "full", modelled->full);
    kl_json_number(json, "zero", modelled->zero);
    RESULT_MODELLED(PUT)
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
        const ladder_criterion_result *from = &step->criteria[c];
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
        RESULT_CRITERION(PUT)
        if (criterion->kind == LADDER_CRITERION_SPEED)
            kl_json_string(json, "time_kind",
                           !from->measured                   ? NULL
                           : ladder_report_is_modelled(from) ? "modelled"
                                                             : "measured");
        if (criterion->kind == LADDER_CRITERION_SPEED) write_speed(json, criterion, from);
        if (criterion->with_count > 0) write_with(json, criterion, from);
        if (from->line > 0) kl_json_uint(json, "line", from->line);
        kl_json_number(json, "points", ladder_outcome_points(step->outcome, from->points));
        kl_json_number(json, "points_max", from->points_max);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_failure(kl_json *json, const ladder_failure *from) {
    kl_json_object(json, NULL);
    RESULT_FAILURE(PUT)
    if (from->compared) {
        kl_json_object(json, "first_wrong");
        RESULT_WRONG(PUT)
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_calls(kl_json *json, const ladder_step_result *step) {
    kl_json_array(json, "calls");
    for (int i = 0; i < step->call_count; i++) {
        const ladder_call *from = &step->calls[i];
        kl_json_object(json, NULL);
        RESULT_CALL(PUT)
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_predictions(kl_json *json, const ladder_step_result *step) {
    kl_json_array(json, "predictions");
    for (int i = 0; i < step->prediction_count; i++) {
        const ladder_prediction *from = &step->predictions[i];
        kl_json_object(json, NULL);
        RESULT_PREDICTION(PUT)
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_check(kl_json *json, const ladder_check_result *from) {
    kl_json_object(json, "check");
    RESULT_CHECK(PUT)
    kl_json_array(json, "findings");
    for (int i = 0; i < from->finding_count && i < LADDER_FINDINGS_MAX; i++) {
        kl_json_object(json, NULL);
        kl_json_string(json, "class", from->findings[i].kind);
        kl_json_string(json, "place", from->findings[i].place);
        kl_json_end(json);
    }
    kl_json_end(json);
    kl_json_end(json);
}

static void write_step(kl_json *json, const ladder_lab *lab, int index,
                       const ladder_step_result *from) {
    static const char *const kinds[] = {"good", "absent", "bad", "ungradable"};
    const ladder_rubric_step *rubric = &lab->rubric->steps[index];
    kl_json_object(json, NULL);
    kl_json_int(json, "step", from->step);
    kl_json_string(json, "file", rubric->file);
    kl_json_bool(json, "given", rubric->given);
    kl_json_string(json, "kind", kinds[ladder_outcome_kind_of(from->outcome)]);
    kl_json_number(json, "points", ladder_outcome_points(from->outcome, from->points));
    RESULT_STEP(PUT)
    kl_json_object(json, "cases");
    RESULT_CASES(PUT)
    kl_json_end(json);
    kl_json_int(json, "failure_count", from->failure_count);
    kl_json_array(json, "failures");
    for (int i = 0; i < from->failure_count && i < LADDER_FAILURES_MAX; i++)
        write_failure(json, &from->failures[i]);
    kl_json_end(json);
    write_check(json, &from->check);
    write_criteria(json, rubric, from);
    write_calls(json, from);
    write_predictions(json, from);
    RESULT_STEP_END(PUT)
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
        const ladder_line_comment *from = &given->comments[i];
        kl_json_object(json, NULL);
        RESULT_COMMENT(PUT)
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

static void put_run(kl_json *json, const ladder_report *from) { RESULT_RUN(PUT) }
static void put_result(kl_json *json, const ladder_result *from){RESULT_TOP(PUT)}

kl_status ladder_report_json(const ladder_report *report, FILE *out, kl_error *err) {
    const ladder_result *r = report->result;
    char seed[32];
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    kl_json_string(&json, "schema", "ladder.grade/1");
    kl_json_string(&json, "kit", LADDER_VERSION);
    kl_json_string(&json, "lab", report->lab->problem->name);
    put_result(&json, r);
    put_members(&json, r->members);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->seed);
    kl_json_string(&json, "seed", seed); // as text: 64 bits do not fit a JSON number
    put_run(&json, report);
    kl_json_bool(&json, "ungradable", !r->points.graded);
    kl_json_number(&json, "score", r->points.graded ? ladder_points_score(&r->points) : NAN);
    kl_json_number(&json, "points", r->points.graded ? r->points.reached : NAN);
    kl_json_number(&json, "points_max", r->points.most);
    ladder_points_json(&r->points, &json);
    kl_json_number(&json, "alone_seconds", ladder_result_alone_s(r));
    kl_json_array(&json, "notes");
    for (int i = 0; i < r->note_count; i++) kl_json_string(&json, NULL, r->notes[i]);
    kl_json_end(&json);
    kl_json_array(&json, "steps");
    for (int i = 0; i < r->step_count; i++) write_step(&json, report->lab, i, &r->steps[i]);
    kl_json_end(&json);
    ladder_given_json(&r->given, &json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
