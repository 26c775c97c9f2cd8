// Report of one submission as JSON, schema ladder.grade/1: see report.h.
#include "show/report/report.h"
#include "ladder_config.h"
#include "show/report/result.def"
#include "utilities/kit.h"

#define PUT_TEXT(value, key)        kl_json_string(json, key, value);
#define PUT_WORDS(value, key)       kl_json_string(json, key, (value)[0] != '\0' ? (value) : NULL);
#define PUT_NUMBER(value, key)      kl_json_number(json, key, value);
#define PUT_MAYBE(value, key)       kl_json_number(json, key, value);
#define PUT_COUNT(value, key)       kl_json_int(json, key, value);
#define PUT_LONG(value, key)        kl_json_int(json, key, value);
#define PUT_INDEX(value, key)       kl_json_uint(json, key, value);
#define PUT_YES(value, key)         kl_json_bool(json, key, value);
#define PUT_OUTCOME(value, key)     kl_json_string(json, key, ladder_outcome_word(value));
#define PUT(kind, member, key, ...) PUT_##kind(from->member, key)

// The measured ratio's interval, and what the modelled one is worth; of one that is not measured
// the value is the modelled one.
static void write_speed(kl_json *json, const ladder_criterion *criterion,
                        const ladder_criterion_result *from) {
    const ladder_modelled *modelled =
        ladder_criterion_modelled(criterion, ladder_device_simulated()->name);
    kl_json_put(json, "interval [%g %g] closed %hhd", from->low, from->high, from->closed);
    if (from->measured && !ladder_report_is_modelled(from)) {
        kl_json_put(json, "timing {thresholds %s", from->calibrated ? "card" : "rubric");
        RESULT_TIMING(PUT)
        kl_json_array(json, "itself");
        kl_json_put(json, "%g %g]}", from->same_low, from->same_high);
    }
    if (!modelled) return;
    kl_json_put(json, "modelled {size %ld full %g zero %g", modelled->size, modelled->full,
                modelled->zero);
    RESULT_MODELLED(PUT)
    kl_json_end(json);
}

static void write_with(kl_json *json, const ladder_criterion *criterion,
                       const ladder_criterion_result *r) {
    kl_json_array(json, "with");
    for (int i = 0; i < criterion->with_count; i++) {
        const ladder_bound *bound = &criterion->with[i];
        kl_json_put(json, "{text %s counter %s per %s full %g zero %g value %g}", bound->text,
                    bound->counter, bound->per, bound->full, bound->zero,
                    r->measured ? r->with[i] : NAN);
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
        kl_json_put(json, "{kind %s text %s", kinds[criterion->kind], criterion->text);
        if (criterion->kind == LADDER_CRITERION_COUNT)
            kl_json_put(json, "counter %s per %s", criterion->counter, criterion->per);
        if (criterion->kind == LADDER_CRITERION_SPEED) kl_json_int(json, "over", criterion->over);
        if (criterion->family) { // one that is counted or timed
            kl_json_put(json, "family %s size %ld full %g zero %g", criterion->family,
                        criterion->size, criterion->full, criterion->zero);
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
        kl_json_put(json, "points %g points_max %g}",
                    ladder_outcome_points(step->outcome, from->points), from->points_max);
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
    for (int i = 0; i < from->finding_count && i < LADDER_FINDINGS_MAX; i++)
        kl_json_put(json, "{class %s place %s}", from->findings[i].kind, from->findings[i].place);
    kl_json_put(json, "]}");
}

static void write_step(kl_json *json, const ladder_lab *lab, int index,
                       const ladder_step_result *from) {
    static const char *const kinds[] = {"good", "absent", "bad", "ungradable"};
    const ladder_rubric_step *rubric = &lab->rubric->steps[index];
    kl_json_put(json, "{step %d file %s given %hhd kind %s points %g", from->step, rubric->file,
                rubric->given, kinds[ladder_outcome_kind_of(from->outcome)],
                ladder_outcome_points(from->outcome, from->points));
    RESULT_STEP(PUT)
    kl_json_object(json, "cases");
    RESULT_CASES(PUT)
    kl_json_end(json);
    kl_json_put(json, "failure_count %d failures [", from->failure_count);
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
    kl_json_put(json,
                "late_policy %s late_days %d slip_days %d own_due %s late_deduction %g "
                "override %g final_points %g final_score %g given_points %g unmarked_points %g",
                change->late_rule[0] != '\0' ? change->late_rule : NULL, change->late_days,
                change->slip_days, change->due_s > 0 ? ladder_time_iso(change->due_s, due) : NULL,
                points->graded ? ladder_points_deduction(points) : NAN,
                change->overridden ? change->override : NAN, ladder_points_final(points),
                ladder_points_final_score(points),
                change->given_most > change->unmarked ? change->given : NAN, change->unmarked);
}

void ladder_given_json(const ladder_given *given, kl_json *json) {
    kl_json_array(json, "given");
    for (int i = 0; i < given->count; i++) {
        const ladder_given_criterion *item = &given->items[i];
        kl_json_put(json, "{criterion %s text %s marked %hhd points %g points_max %g comment %s}",
                    item->name, item->text, item->marked, item->marked ? item->points : NAN,
                    item->most, item->comment);
    }
    kl_json_put(json, "] line_comments [");
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
        kl_json_put(json, "name %s ids [", text);
        for (at += length; *at == '\t'; at += length) {
            length = strcspn(++at, "\t\n");
            snprintf(text, sizeof text, "%.*s", (int)length, at);
            kl_json_string(json, NULL, text);
        }
        kl_json_put(json, "]}");
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
    kl_json_put(&json, "{schema ladder.grade/1 kit %s lab %s", LADDER_VERSION,
                report->lab->problem->name);
    put_result(&json, r);
    put_members(&json, r->members);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->seed);
    kl_json_string(&json, "seed", seed); // as text: 64 bits do not fit a JSON number
    put_run(&json, report);
    kl_json_put(&json, "ungradable %hhd score %g points %g points_max %g", !r->points.graded,
                r->points.graded ? ladder_points_score(&r->points) : NAN,
                r->points.graded ? r->points.reached : NAN, r->points.most);
    ladder_points_json(&r->points, &json);
    kl_json_put(&json, "alone_seconds %g notes [", ladder_result_alone_s(r));
    for (int i = 0; i < r->note_count; i++) kl_json_string(&json, NULL, r->notes[i]);
    kl_json_put(&json, "] steps [");
    for (int i = 0; i < r->step_count; i++) write_step(&json, report->lab, i, &r->steps[i]);
    kl_json_end(&json);
    ladder_given_json(&r->given, &json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
