// Protects the file that `ladder trace --json` writes: rules of the Trace Event format, by which
// Perfetto and chrome://tracing read it.
// needs: ladder ladder_trace_case
// labels: grade
// defines: TEST_TRACE_CASE=@ladder_trace_case@

#include "json.h"
#include "sandbox/process/process.h"
#include "show/trace/trace.h"
#include "suite.h"

static ladder_process process;
static kl_json_document document;

static const kl_json_value *member(const kl_json_value *object, const char *key,
                                   kl_json_kind kind) {
    const kl_json_value *found = kl_json_member(object, key);
    ck_assert_msg(found && found->kind == kind, "no %s of the right kind", key);
    return found;
}

static double number(const kl_json_value *object, const char *key) {
    return member(object, key, KL_JSON_NUMBER)->number;
}

static const char *text(const kl_json_value *object, const char *key) {
    return member(object, key, KL_JSON_TEXT)->text;
}

static const kl_json_value *read_trace(const char *name) {
    const char *argv[] = {TEST_LADDER, "trace", "--devices",     "2",  "--json",
                          "-",         "--",    TEST_TRACE_CASE, name, NULL};
    const char *environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", NULL};
    ladder_process_spec spec = {
        .argv = argv, .environment = environment, .limits = {.output_bytes = 8 << 20}};
    kl_error err = {KL_OK, ""};
    OK_OR_SAY(ladder_process_run(&spec, &process, &err), err);
    ck_assert_msg(process.end == LADDER_END_EXITED && process.code == 0, "%s", process.output);
    OK_OR_SAY(kl_json_read("trace", process.output, strlen(process.output), &document, &err), err);
    return member(document.root, "traceEvents", KL_JSON_ARRAY);
}

static void done(void) {
    kl_json_free(&document);
    ladder_process_free(&process);
}

static bool is(const kl_json_value *event, const char *phase) {
    return strcmp(text(event, "ph"), phase) == 0;
}

static bool same_row(const kl_json_value *a, const kl_json_value *b) {
    return number(a, "pid") == number(b, "pid") && number(a, "tid") == number(b, "tid");
}

// Complete events of one thread must nest; here none lies in another.
static void check_apart(const kl_json_value *events) {
    const double rounding = 1e-3;
    for (const kl_json_value *a = events->item; a; a = a->next)
        for (const kl_json_value *b = a->next; b && is(a, "X"); b = b->next) {
            if (!is(b, "X") || !same_row(a, b)) continue;
            double a_end = number(a, "ts") + number(a, "dur"),
                   b_end = number(b, "ts") + number(b, "dur");
            ck_assert_msg(a_end <= number(b, "ts") + rounding ||
                              b_end <= number(a, "ts") + rounding,
                          "%s and %s overlap", text(a, "name"), text(b, "name"));
        }
}

// Each flow begins in one event and ends in another, later one, in time.
static int check_flow(const kl_json_value *events, const kl_json_value *begin) {
    int ends = 0, within = 0;
    for (const kl_json_value *e = events->item; e; e = e->next) {
        if (is(e, "X") && same_row(e, begin))
            within += number(begin, "ts") >= number(e, "ts") - 1e-3 &&
                      number(begin, "ts") <= number(e, "ts") + number(e, "dur") + 1e-3;
        if (!is(e, "f") || number(e, "id") != number(begin, "id")) continue;
        ck_assert_str_eq(text(e, "name"), text(begin, "name"));
        ck_assert_str_eq(text(e, "cat"), text(begin, "cat"));
        ck_assert_str_eq(text(e, "bp"), "e");
        ck_assert_double_ge(number(e, "ts") + 1e-3, number(begin, "ts"));
        ends++;
    }
    ck_assert_int_ge(within, 1);
    return ends;
}

// Every row that has an event has a name, and so has its process.
static void check_named(const kl_json_value *events, const kl_json_value *event) {
    bool process_named = false, thread_named = false;
    for (const kl_json_value *e = events->item; e; e = e->next) {
        if (!is(e, "M") || number(e, "pid") != number(event, "pid")) continue;
        ck_assert(text(member(e, "args", KL_JSON_OBJECT), "name")[0] != '\0');
        process_named |= strcmp(text(e, "name"), "process_name") == 0;
        thread_named |= strcmp(text(e, "name"), "thread_name") == 0 && same_row(e, event);
    }
    ck_assert_msg(process_named && thread_named, "no name for the row of %s", text(event, "name"));
}

static void check_trace(const char *name, int least_flows) {
    const kl_json_value *events = read_trace(name);
    int complete = 0, flows = 0;
    for (const kl_json_value *e = events->item; e; e = e->next) {
        ck_assert(text(e, "name")[0] != '\0');
        ck_assert_msg(strlen(text(e, "ph")) == 1 && strchr("XMsf", text(e, "ph")[0]), "a phase %s",
                      text(e, "ph"));
        ck_assert(member(e, "pid", KL_JSON_NUMBER)->is_integer);
        ck_assert(member(e, "tid", KL_JSON_NUMBER)->is_integer);
        if (!is(e, "M")) ck_assert_double_ge(number(e, "ts"), 0);
        if (is(e, "X")) {
            ck_assert_double_gt(number(e, "dur"), 0);
            check_named(events, e);
            complete++;
        }
        if (is(e, "s")) {
            ck_assert_int_eq(check_flow(events, e), 1);
            flows++;
        }
    }
    ck_assert_int_gt(complete, 0);
    ck_assert_int_ge(flows, least_flows);
    check_apart(events);
    ck_assert_str_eq(text(document.root, "displayTimeUnit"), "ns");
    const kl_json_value *other = member(document.root, "otherData", KL_JSON_OBJECT);
    double all = number(other, "sim__elapsed_us.sum"), devices = strstr(name, "devices") ? 2 : 1;
    ck_assert_double_eq_tol(number(other, "sim__busy_us.sum") + number(other, "sim__idle_us.sum"),
                            devices * all, 1e-3 * all);
    done();
}

KL_TEST(copies_in_two_streams) { check_trace("overlapping", 16); }
KL_TEST(a_graph) { check_trace("graph", 60); }
KL_TEST(two_devices) { check_trace("devices_event", 2); }
KL_TEST(waits) { check_trace("waits", 16); }

// The exact counts of a call that criteria of labs name.
KL_TEST(sums) {
    static const struct {
        const char *name, *sum;
        double value;
    } rows[] = {
        {"pageable", "sim__copies.sum", 16},
        {"pageable", "sim__copies_waited.sum", 16},
        {"pageable", "sim__copy_bytes_pageable.sum", 16 << 20},
        {"pageable", "sim__copy_hidden.pct", 0},
        {"overlapping", "sim__copy_bytes_to_device.sum", 8 << 20},
        {"overlapping", "sim__copy_bytes_to_host.sum", 8 << 20},
        {"overlapping", "sim__copy_bytes_waited.sum", 0},
        {"overlapping", "sim__host_launches.sum", 8},
        {"overlapping", "sim__host_syncs.sum", 1},
        {"graph", "sim__host_launches.sum", 0},
        {"graph", "sim__graph_launches.sum", 1},
        {"graph", "sim__graph_nodes.sum", 64},
        {"waits", "sim__host_syncs.sum", 17},
        {"devices_event", "sim__copy_bytes_to_peer.sum", 1 << 20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        read_trace(rows[i].name);
        double value = number(member(document.root, "otherData", KL_JSON_OBJECT), rows[i].sum);
        ck_assert_msg(value == rows[i].value, "%s of %s: %g", rows[i].sum, rows[i].name, value);
        done();
    }
}

// ---- what a recorder noted on a GPU -------------------------------------------------------------

// Lines of an H200, times shortened: a call before the marks of a lab's driver, then a copy in, a
// kernel beside a copy out, a wait.
static const char noted[] = "c 1000 2000 0 0 7 1 0 cudaMalloc_v3020\n"
                            "c 3000 4000 0 0 7 2 0 cudaProfilerStart_v4000\n"
                            "> 9000 29000 0 13 0 3 1048576 \n"
                            "c 5000 8000 0 0 7 3 0 cudaMemcpyAsync_v3020\n"
                            "# 30000 36000 0 14 0 4 0 _Z5scalePfii\n"
                            "c 8000 9000 0 0 7 4 0 cudaLaunchKernel_v7000\n"
                            "< 33000 53000 0 13 0 5 1048576 pageable\n"
                            "c 9000 10000 0 0 7 5 0 cudaMemcpyAsync_v3020_ptsz\n"
                            "c 11000 55000 0 0 7 6 0 cudaDeviceSynchronize_v3020\n"
                            "c 56000 57000 0 0 7 7 0 cudaProfilerStop_v4000\n"
                            "# 90000 95000 0 14 0 8 0 _Z4restv\n"
                            "c 80000 81000 0 0 7 8 0 cudaLaunchKernel_v7000\n";

KL_TEST(a_measured_timeline) {
    ladder_trace trace;
    ladder_trace_rows rows;
    char text[sizeof noted], name[LADDER_TRACE_TEXT];
    kl_error err = {KL_OK, ""};
    memcpy(text, noted, sizeof noted);
    OK_OR_SAY(ladder_trace_read_measured(text, &trace, &err), err);
    ck_assert_uint_eq(trace.spans.count, 7); // between the marks
    ck_assert_double_eq_tol(trace.end_us - trace.begin_us, 50, 1e-9);
    const double *value = trace.totals.value;
    ck_assert_double_eq_tol(value[SIM_SPAN_COPY_US], 40, 1e-9);
    ck_assert_double_eq_tol(value[SIM_SPAN_COPY_HIDDEN_US], 3, 1e-9);
    ck_assert_double_eq_tol(value[SIM_SPAN_BUSY_US], 6, 1e-9);
    ck_assert_double_eq(value[SIM_SPAN_BYTES_PAGEABLE], 1048576);
    ck_assert_double_eq(value[SIM_SPAN_HOST_LAUNCHES], 1);
    ck_assert_double_eq(value[SIM_SPAN_HOST_SYNCS], 1);
    ladder_trace_rows_make(&trace, true, &rows);
    ck_assert_str_eq(rows.rows[1].label, "stream 1");
    ck_assert_str_eq(rows.rows[2].label, "stream 2");
    const char *const names[] = {"cudaMemcpyAsync()", "launch of scale", "copy in of 1 MiB"};
    for (int i = 0; i < 3; i++) {
        bool found = false;
        for (uint32_t k = 0; k < trace.spans.count; k++)
            found |= strcmp(ladder_trace_name(&trace, &trace.spans.items[k], name, sizeof name),
                            names[i]) == 0;
        ck_assert_msg(found, "no span is called %s", names[i]);
    }
    const kl_style style = {.width = 80};
    char *printed = KL_PRINTED(out, ladder_trace_print(&trace, &trace, &style, out));
    ck_assert(strstr(printed, "(measured, with CUPTI beside it)"));
    ck_assert(strstr(printed, "from first call to end               50.0 us"));
    ladder_trace_free(&trace);
}

KL_TEST(a_recorder_that_fails) {
    static const char *const wrong[][2] = {
        {"error libcupti.so: cannot open shared object file\n", "cannot open shared object file"},
        {"? 1 2 0 0 0 1 0 x\n", "has a line that is none"},
        {"c 5 2 0 0 0 1 0 x\n", "has a line that is none"},
        {"# 1 2 99 0 0 1 0 x\n", "has a line that is none"},
        {"", "gave the GPU no work"},
        {"c 1 2 0 0 7 1 0 cudaMalloc_v3020\n", "gave the GPU no work"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        ladder_trace trace;
        char text[256];
        kl_error err = {KL_OK, ""};
        snprintf(text, sizeof text, "%s", wrong[i][0]);
        ck_assert(ladder_trace_read_measured(text, &trace, &err) != KL_OK);
        ck_assert_msg(strstr(err.text, wrong[i][1]), "%s", err.text);
        ladder_trace_free(&trace);
    }
}

KL_TEST_MAIN("timelines")
