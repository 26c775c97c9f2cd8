// A timeline in the Trace Event format, as Perfetto and chrome://tracing read it: "Trace Event
// Format" by the Chromium project. Processes are the host and each device, threads their rows;
// flows lead from what was waited for. See trace.h.
#include "json.h"
#include "show/trace/trace.h"

enum { HOST_PROCESS = 1, FIRST_DEVICE = 2, IDLE_ROW = 1000, MEASURED = 100 };

// Streams and engines of a device, and side by side what one stream does at the same time: nodes of
// a graph that do not wait for each other. Events of one row must not overlap.
enum { LANES = 32 };
typedef struct json_lanes {
    double end_us[LADDER_TRACE_ROWS][LANES]; // of the last event in each
    int used[LADDER_TRACE_ROWS];
} json_lanes;

static int thread_of(int row, int lane) { return 1 + row + lane * LADDER_TRACE_ROWS; }

static int process_of(const ladder_trace *trace, const ladder_trace_row *row) {
    int number = row->unit == SIM_UNIT_HOST ? HOST_PROCESS : FIRST_DEVICE + row->device;
    return trace->is_measured ? MEASURED + number : number;
}

static int lane_of(json_lanes *l, int row, const sim_span *span) {
    int lane = 0;
    while (lane < LANES - 1 && lane < l->used[row] && l->end_us[row][lane] > span->begin_us + 1e-6)
        lane++;
    if (lane == l->used[row]) l->used[row]++;
    l->end_us[row][lane] = span->end_us;
    return lane;
}

static void begin_event(kl_json *json, const char *phase, const char *name, int process,
                        int thread) {
    kl_json_put(json, "(ph %s name %s pid %d tid %d", phase, name, process, thread);
}

static void name_of(kl_json *json, const char *what, const char *name, int process, int thread) {
    begin_event(json, "M", what, process, thread);
    kl_json_put(json, "args {name %s}}", name);
}

static void json_span(kl_json *json, const ladder_trace *trace, uint32_t number,
                      const ladder_trace_row *row, int thread) {
    const sim_span *span = sim_span_at(&trace->spans, number);
    char name[LADDER_TRACE_TEXT], call[2 * LADDER_TRACE_TEXT];
    begin_event(json, "X", ladder_trace_name(trace, span, name, sizeof name),
                process_of(trace, row), thread);
    kl_json_put(json, "cat %s ts %g dur %g args {number %u",
                sim_span_kind_word((sim_span_kind)span->kind), span->begin_us - trace->begin_us,
                span->end_us - span->begin_us, number);
    if (span->waits_for > trace->first) kl_json_uint(json, "waits_for", span->waits_for);
    kl_json_put(json, "cause %s call %s", sim_span_cause_text((sim_span_cause)span->cause),
                ladder_trace_call(trace, span, call, sizeof call));
    if (span->stream) kl_json_uint(json, "stream", span->stream);
    if (span->bytes) kl_json_uint(json, "bytes", span->bytes);
    if (span->pageable) kl_json_bool(json, "pageable", true);
    if (span->in_graph) kl_json_bool(json, "in_graph", true);
    kl_json_put(json, "}}");
}

// Where each span stands: the row's thread and process, which flows need.
typedef struct json_place {
    int process, thread;
} json_place;

static void json_flow(kl_json *json, const ladder_trace *trace, uint32_t number,
                      const json_place *places) {
    const sim_span *span = sim_span_at(&trace->spans, number);
    const sim_span *before = sim_span_at(&trace->spans, span->waits_for);
    const json_place *from = &places[span->waits_for - 1], *to = &places[number - 1];
    const char *cause = sim_span_cause_text((sim_span_cause)span->cause);
    if (!from->thread || !to->thread || before->unit == SIM_UNIT_HOST) return;
    bool is_wait = span->kind == SIM_SPAN_WAIT;
    for (int end = 0; end < 2; end++) {
        const json_place *at = end ? to : from;
        double us = end && is_wait ? span->end_us : end ? span->begin_us : before->end_us;
        begin_event(json, end ? "f" : "s", cause, at->process, at->thread);
        kl_json_put(json, "cat waits id %u ts %g", number, us - trace->begin_us);
        if (end) kl_json_string(json, "bp", "e");
        kl_json_end(json);
    }
}

// Each span once: calls and waits in the host's rows, work in its stream's.
static bool is_shown_in(const ladder_trace_row *row, const sim_span *span) {
    return (row->unit == SIM_UNIT_HOST || row->unit == SIM_UNIT_NONE) &&
           ladder_trace_is_in(row, span) && span->end_us > span->begin_us;
}

static void json_idle(kl_json *json, const ladder_trace *trace) {
    for (uint32_t i = 0; i < trace->idle.count; i++) {
        const sim_span_piece *piece = &trace->idle.items[i];
        begin_event(json, "X", sim_idle_reason_text((sim_idle_reason)piece->reason),
                    FIRST_DEVICE + piece->device, IDLE_ROW);
        kl_json_put(json, "cat idle ts %g dur %g args {reason %s",
                    piece->begin_us - trace->begin_us, piece->end_us - piece->begin_us,
                    sim_idle_reason_word((sim_idle_reason)piece->reason));
        if (piece->span) kl_json_uint(json, "number", piece->span);
        kl_json_put(json, "}}");
    }
}

static void json_names(kl_json *json, const ladder_trace *trace, const ladder_trace_rows *rows,
                       const json_lanes *l, const char *title) {
    bool used[SIM_MOST_DEVICES] = {false};
    char name[LADDER_PATH + 32];
    const ladder_trace_row host = {.unit = SIM_UNIT_HOST};
    snprintf(name, sizeof name, "%s%s", title, trace->is_measured ? ", measured" : "");
    name_of(json, "process_name", name, process_of(trace, &host), 0);
    for (uint32_t i = trace->first; i < trace->spans.count; i++)
        if (trace->spans.items[i].unit != SIM_UNIT_HOST) used[trace->spans.items[i].device] = true;
    for (int device = 0; device < SIM_MOST_DEVICES; device++) {
        const ladder_trace_row row = {.unit = SIM_UNIT_SMS, .device = (uint8_t)device};
        if (!used[device]) continue;
        snprintf(name, sizeof name, "device %d%s", device, trace->is_measured ? ", measured" : "");
        name_of(json, "process_name", name, process_of(trace, &row), 0);
        if (!trace->is_measured)
            name_of(json, "thread_name", "multiprocessors idle", FIRST_DEVICE + device, IDLE_ROW);
    }
    for (int i = 0; i < rows->count; i++)
        for (int lane = 0; lane < l->used[i]; lane++) {
            snprintf(name, sizeof name, lane ? "%s, beside" : "%s", rows->rows[i].label);
            name_of(json, "thread_name", name, process_of(trace, &rows->rows[i]),
                    thread_of(i, lane));
        }
}

static void json_sums(kl_json *json, const ladder_trace *trace) {
    for (int i = 0; i < SIM_SPAN_COUNTERS; i++)
        kl_json_number(json, sim_span_counter_name((sim_span_counter)i), trace->totals.value[i]);
}

static void json_totals(kl_json *json, const ladder_trace *trace, const ladder_trace *measured) {
    kl_json_put(json, "otherData {device %s times modelled", trace->device_name);
    if (trace->fault[0]) kl_json_string(json, "fault", trace->fault);
    if (trace->spans.lost) kl_json_uint(json, "lost", trace->spans.lost);
    json_sums(json, trace);
    kl_json_array(json, "critical_path");
    for (uint32_t i = 0; i < trace->path.count; i++)
        kl_json_uint(json, NULL, trace->path.items[i].span);
    kl_json_end(json);
    if (measured) {
        kl_json_put(json, "measured {device %s", measured->device_name);
        json_sums(json, measured);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static kl_status json_events(kl_json *json, const ladder_trace *trace, const char *title,
                             kl_error *err) {
    ladder_trace_rows rows;
    ladder_trace_rows_make(trace, false, &rows);
    json_lanes *l = calloc(1, sizeof *l);
    json_place *places = calloc(trace->spans.count + 1, sizeof *places);
    for (int r = 0; l && places && r < rows.count; r++)
        for (uint32_t i = trace->first; i < trace->spans.count; i++) {
            if (!is_shown_in(&rows.rows[r], &trace->spans.items[i])) continue;
            int lane = lane_of(l, r, &trace->spans.items[i]);
            places[i] = (json_place){process_of(trace, &rows.rows[r]), thread_of(r, lane)};
            json_span(json, trace, i + 1, &rows.rows[r], places[i].thread);
        }
    for (uint32_t i = trace->first; l && places && i < trace->spans.count; i++)
        if (trace->spans.items[i].waits_for > trace->first) json_flow(json, trace, i + 1, places);
    if (!trace->is_measured) json_idle(json, trace);
    if (l && places) json_names(json, trace, &rows, l, title);
    bool enough = l && places;
    free(l);
    free(places);
    return enough ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory for a timeline");
}

kl_status ladder_trace_json(const ladder_trace *trace, const ladder_trace *measured,
                            const char *title, FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{traceEvents [");
    TRY(json_events(&json, trace, title, err));
    if (measured) TRY(json_events(&json, measured, title, err));
    kl_json_put(&json, "] displayTimeUnit ns");
    json_totals(&json, trace, measured);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
