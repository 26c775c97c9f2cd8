// Reads a report's JSON, schema ladder.grade/1: see report.h. A file that somebody edited can give
// wrong words and numbers, and nothing worse: every length and every name is checked here.
#include "show/report/report.h"
#include "device/report.h"
#include "grade/intake/intake.h"
#include "ladder_config.h"

void ladder_graded_free(ladder_graded *graded) {
    free(graded->result);
    graded->result = NULL;
}

ladder_report ladder_graded_report(const ladder_graded *graded) {
    return (ladder_report){.lab = graded->lab,
                           .result = graded->result,
                           .device = graded->device,
                           .sandbox = graded->sandbox,
                           .sandbox_text = graded->sandbox_text};
}

#if LADDER_HAVE_JANSSON
#include "utilities/files.h"
#include <jansson.h>
#include "show/report/result.def"

// ---- Members of an object, of the type that is asked for; others read as nothing ----

static void read_text(const json_t *object, const char *key, char *out, size_t out_bytes) {
    const char *text = json_string_value(json_object_get(object, key));
    snprintf(out, out_bytes, "%s", text ? text : "");
}

static double read_number(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

// Points that were reached; none where nothing was graded.
static double read_points(const json_t *object) {
    double points = read_number(object, "points");
    return isfinite(points) ? points : 0;
}

static int read_int(const json_t *object, const char *key, int most) {
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value < 0 ? 0 : value > most ? most : (int)value;
}

// Lines of name and ids, as a submission has them.
static void read_members(const json_t *students, char out[LADDER_MEMBERS]) {
    size_t i, k, used = 0;
    json_t *student, *id;
    out[0] = '\0';
    json_array_foreach(students, i, student) {
        char name[LADDER_TITLE];
        read_text(student, "name", name, sizeof name);
        size_t left = LADDER_MEMBERS - used;
        int more = snprintf(out + used, left, "%s", name);
        json_array_foreach(json_object_get(student, "ids"), k, id) {
            const char *text = json_string_value(id);
            if (more >= 0 && (size_t)more < left)
                more += snprintf(out + used + more, left - (size_t)more, "\t%s", text ? text : "");
        }
        if (more < 0 || (size_t)more + 1 >= left) break;
        used += (size_t)more;
        out[used++] = '\n';
        out[used] = '\0';
    }
    out[used] = '\0';
}

static bool read_bool(const json_t *object, const char *key) {
    return json_is_true(json_object_get(object, key));
}

static double read_item(const json_t *object, const char *key, size_t index) {
    const json_t *value = json_array_get(json_object_get(object, key), index);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

// Items of a list that are kept.
static int length_of(const json_t *list, int most) {
    size_t count = json_array_size(list);
    return count < (size_t)most ? (int)count : most;
}

static ladder_outcome read_outcome(const json_t *object) {
    const char *word = json_string_value(json_object_get(object, "outcome"));
    for (int i = 0; word && i < LADDER_OUTCOMES; i++)
        if (strcmp(word, ladder_outcome_word((ladder_outcome)i)) == 0) return (ladder_outcome)i;
    return LADDER_UNGRADABLE;
}

#define GET_TEXT(value, key)        read_text(object, key, value, sizeof(value));
#define GET_WORDS(value, key)       GET_TEXT(value, key)
#define GET_NUMBER(value, key)      value = read_number(object, key);
#define GET_MAYBE(value, key)       GET_NUMBER(value, key)
#define GET_COUNT(value, key)       value = read_int(object, key, 1 << 24);
#define GET_LONG(value, key)        value = json_integer_value(json_object_get(object, key));
#define GET_INDEX(value, key)       GET_LONG(value, key)
#define GET_YES(value, key)         value = read_bool(object, key);
#define GET_OUTCOME(value, key)     value = read_outcome(object);
#define GET(kind, member, key, ...) GET_##kind(out->member, key)

// ---- Parts of a step ----

static void read_timing(const json_t *object, ladder_criterion_result *out) { RESULT_TIMING(GET) }
static void read_modelled(const json_t *object, ladder_criterion_result *out) {
    RESULT_MODELLED(GET)
}

static void read_speed(const json_t *object, ladder_criterion_result *out) {
    const json_t *timing = json_object_get(object, "timing");
    const char *thresholds = json_string_value(json_object_get(timing, "thresholds"));
    out->low = read_item(object, "interval", 0);
    out->high = read_item(object, "interval", 1);
    out->closed = read_bool(object, "closed");
    read_timing(timing, out);
    read_modelled(json_object_get(object, "modelled"), out);
    out->calibrated = thresholds && strcmp(thresholds, "card") == 0;
    out->same_low = read_item(timing, "itself", 0);
    out->same_high = read_item(timing, "itself", 1);
}

static void read_criterion(const json_t *object, ladder_criterion_result *out) {
    read_speed(object, out);
    RESULT_CRITERION(GET)
    out->points = read_points(object);
    out->points_max = read_number(object, "points_max");
    out->line = (uint32_t)read_int(object, "line", 1 << 24);
    const json_t *with = json_object_get(object, "with");
    for (int i = 0; i < length_of(with, LADDER_WITH_MAX); i++)
        out->with[i] = read_number(json_array_get(with, (size_t)i), "value");
}

static void read_wrong(const json_t *object, ladder_failure *out) {
    out->compared = json_is_object(object);
    RESULT_WRONG(GET)
}

static void read_failure(const json_t *object, ladder_failure *out) {
    RESULT_FAILURE(GET)
    read_wrong(json_object_get(object, "first_wrong"), out);
}

static void read_failures(const json_t *object, ladder_step_result *out) {
    const json_t *list = json_object_get(object, "failures");
    int kept = length_of(list, LADDER_FAILURES_MAX);
    out->failure_count = read_int(object, "failure_count", 1 << 20);
    if (out->failure_count < kept || kept < LADDER_FAILURES_MAX) out->failure_count = kept;
    for (int i = 0; i < kept; i++) read_failure(json_array_get(list, (size_t)i), &out->failures[i]);
}

static const char *find_check(const char *word) {
    for (int i = 0; word && i < SIM_CHECK_COUNT; i++)
        if (strcmp(word, sim_check_name((sim_check_class)i)) == 0)
            return sim_check_name((sim_check_class)i);
    return "finding";
}

static void read_check(const json_t *object, ladder_check_result *out) {
    const json_t *list = json_object_get(object, "findings");
    RESULT_CHECK(GET)
    for (int i = 0; i < LADDER_FINDINGS_MAX; i++) {
        const json_t *item = json_array_get(list, (size_t)i);
        out->findings[i].kind = find_check(json_string_value(json_object_get(item, "class")));
        read_text(item, "place", out->findings[i].place, sizeof out->findings[i].place);
    }
}

static void read_call(const json_t *object, ladder_call *out) { RESULT_CALL(GET) }

static void read_prediction(const json_t *object, ladder_prediction *out) { RESULT_PREDICTION(GET) }

static void read_comment(const json_t *object, ladder_line_comment *out) { RESULT_COMMENT(GET) }

static void read_cases(const json_t *object, ladder_step_result *out) { RESULT_CASES(GET) }

// The items of a list that is a member of `object`, of which `most` are kept.
#define READ_LIST(key, read, items, count, most)                                                   \
    count = length_of(json_object_get(object, key), most);                                         \
    for (int i = 0; i < (count); i++)                                                              \
        read(json_array_get(json_object_get(object, key), (size_t)i), &(items)[i]);

static void read_given(const json_t *object, ladder_given *out) {
    const json_t *items = json_object_get(object, "given");
    out->count = length_of(items, LADDER_GIVEN_MAX);
    for (int i = 0; i < out->count; i++) {
        const json_t *given = json_array_get(items, (size_t)i);
        ladder_given_criterion *item = &out->items[i];
        read_text(given, "criterion", item->name, sizeof item->name);
        read_text(given, "text", item->text, sizeof item->text);
        read_text(given, "comment", item->comment, sizeof item->comment);
        item->points = read_number(given, "points");
        item->most = read_number(given, "points_max");
        item->marked = isfinite(item->points) && isfinite(item->most);
        if (!item->marked) item->points = 0;
        if (!isfinite(item->most)) item->most = 0;
    }
    READ_LIST("line_comments", read_comment, out->comments, out->comment_count, LADDER_COMMENTS_MAX)
}

static kl_status read_step(const json_t *object, const ladder_rubric_step *rubric,
                           ladder_step_result *out, kl_error *err) {
    out->step = rubric->step;
    RESULT_STEP(GET)
    RESULT_STEP_END(GET)
    read_cases(json_object_get(object, "cases"), out);
    read_failures(object, out);
    read_check(json_object_get(object, "check"), &out->check);
    READ_LIST("criteria", read_criterion, out->criteria, out->criteria_count, LADDER_CRITERIA_MAX)
    READ_LIST("calls", read_call, out->calls, out->call_count, LADDER_CALLS_MAX)
    READ_LIST("predictions", read_prediction, out->predictions, out->prediction_count,
              LADDER_ASKED_MAX)
    out->points = read_points(object);
    if (read_int(object, "step", 1 << 20) == rubric->step &&
        out->criteria_count == rubric->criteria_count)
        return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "graded with another rubric: grade it again");
}

static void read_run(const json_t *object, ladder_graded *out) { RESULT_RUN(GET) }
static void read_top(const json_t *object, ladder_result *out) { RESULT_TOP(GET) }

static kl_status read_result(const json_t *json, ladder_graded *out, kl_error *err) {
    const json_t *steps = json_object_get(json, "steps");
    const char *seed = json_string_value(json_object_get(json, "seed"));
    const char *schema = json_string_value(json_object_get(json, "schema"));
    const char *lab = json_string_value(json_object_get(json, "lab"));
    ladder_result *r = out->result;
    if (!schema || strcmp(schema, "ladder.grade/1") != 0)
        return kl_fail(err, KL_ERROR_INPUT, "not a result of ladder grade (ladder.grade/1)");
    out->lab = lab ? ladder_lab_find(lab) : NULL;
    if (!out->lab) return kl_fail(err, KL_ERROR_INPUT, "of a lab that this kit lacks");
    if (json_array_size(steps) != (size_t)out->lab->rubric->step_count)
        return kl_fail(err, KL_ERROR_INPUT, "graded with another rubric: grade it again");
    read_text(json, "kit", out->kit, sizeof out->kit);
    read_run(json, out);
    read_top(json, r);
    read_members(json_object_get(json, "students"), r->members);
    r->seed = seed ? strtoull(seed, NULL, 10) : 0;
    ladder_points *points = &r->points;
    points->graded = !read_bool(json, "ungradable");
    points->reached = read_points(json);
    points->most = read_number(json, "points_max");
    double lost = read_number(json, "late_deduction"), override = read_number(json, "override");
    points->change = (ladder_points_change){
        .late_days = read_int(json, "late_days", 1 << 20),
        .slip_days = read_int(json, "slip_days", 1 << 20),
        .late_share = lost > 0 && points->reached > 0 ? lost / points->reached : 0,
        .overridden = isfinite(override),
        .override = isfinite(override) ? override : 0};
    read_text(json, "late_policy", points->change.late_rule, sizeof points->change.late_rule);
    read_given(json, &r->given);
    ladder_given_sum(&r->given, &points->change);
    const char *due = json_string_value(json_object_get(json, "own_due"));
    if (due && !ladder_time_read(due, &points->change.due_s)) points->change.due_s = 0;
    const json_t *notes = json_object_get(json, "notes");
    for (int i = 0; i < length_of(notes, LADDER_NOTES_MAX); i++)
        ladder_result_note(r, "%s", json_string_value(json_array_get(notes, (size_t)i)));
    r->step_count = out->lab->rubric->step_count;
    for (int i = 0; i < r->step_count; i++)
        TRY(read_step(json_array_get(steps, (size_t)i), &out->lab->rubric->steps[i], &r->steps[i],
                      err));
    return KL_OK;
}

kl_status ladder_graded_read(const char *path, ladder_graded *out_graded, kl_error *err) {
    enum { RESULT_MAX = 64 << 20 };
    char *text = NULL;
    size_t bytes = 0;
    json_error_t error;
    kl_error why = {KL_OK, ""};
    memset(out_graded, 0, sizeof *out_graded);
    TRY(ladder_file_read(AT_FDCWD, path, RESULT_MAX, &text, &bytes, err));
    json_t *json = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!json) return kl_fail(err, KL_ERROR_INPUT, "%s:%d: %s", path, error.line, error.text);
    out_graded->result = calloc(1, sizeof *out_graded->result);
    kl_status status = out_graded->result ? read_result(json, out_graded, &why)
                                          : kl_fail(&why, KL_ERROR_MEMORY, "no memory");
    json_decref(json);
    if (status == KL_OK) return KL_OK;
    ladder_graded_free(out_graded);
    return kl_fail(err, status, "%s: %s", path, why.text);
}
#else
kl_status ladder_graded_read(const char *path, ladder_graded *out_graded, kl_error *err) {
    memset(out_graded, 0, sizeof *out_graded);
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "%s: to read results, this kit has to be built with Jansson (Debian: "
                   "libjansson-dev)",
                   path);
}
#endif
