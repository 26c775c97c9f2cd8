// Protects what spans come to: sums, the critical path, and who is to blame for idle time, of small
// programs that are told to the virtual clock as the runtime tells it.
// links: ../../runtime/base/clock.c

#include "runtime/base/base.h"
#include "suite.h"

static const sim_device device = {.launch_us = 3, .kernel_us = 2, .event_us = 1, .copy_gbs = 2000};
static runtime_clock now;
static runtime_queue legacy, first, second, other_device;
static sim_spans spans;
static sim_span_totals totals;
static sim_span_pieces path, idle;

static void keep(const sim_span *span) {
    ck_assert_int_eq(sim_spans_add(&spans, span, NULL, NULL), SIM_OK);
}

static void set_up(void) {
    now = (runtime_clock){.has_sm_times = true, .record = keep};
    legacy = (runtime_queue){.blocking = true, .legacy = true, .stream = SIM_LEGACY_STREAM(0)};
    first = (runtime_queue){.blocking = true, .stream = 21};
    second = (runtime_queue){.blocking = true, .stream = 22};
    other_device = (runtime_queue){.stream = 23, .device = 1};
}

static void tear_down(void) {
    sim_spans_free(&spans);
    free(path.items);
    free(idle.items);
}

#define NEAR(got, want) ck_assert_double_eq_tol(got, want, 1e-6)

static void look(void) {
    ck_assert_int_eq(sim_spans_totals(&spans, 0, &totals, NULL), SIM_OK);
    ck_assert_int_eq(sim_spans_path(&spans, 0, &path, NULL), SIM_OK);
    ck_assert_int_eq(sim_spans_idle(&spans, 0, &idle, NULL), SIM_OK);
    ck_assert_uint_gt(path.count, 0);
    // The path has no hole and is as long as the program; idle and busy time are all time.
    double sum = 0, times[SIM_MOST_DEVICES] = {0};
    for (uint32_t i = 0; i < path.count; i++) {
        if (i > 0) NEAR(path.items[i].begin_us, path.items[i - 1].end_us);
        sum += path.items[i].end_us - path.items[i].begin_us;
    }
    NEAR(sum, totals.value[SIM_SPAN_ELAPSED_US]);
    sum = 0;
    for (uint32_t i = 0; i < idle.count; i++) {
        ck_assert_double_ge(idle.items[i].begin_us + 1e-6, times[idle.items[i].device]);
        times[idle.items[i].device] = idle.items[i].end_us;
        sum += idle.items[i].end_us - idle.items[i].begin_us;
    }
    NEAR(sum, totals.value[SIM_SPAN_IDLE_US]);
}

static double idle_us(int of, sim_idle_reason reason) {
    double sum = 0;
    for (uint32_t i = 0; i < idle.count; i++)
        if (idle.items[i].device == of && idle.items[i].reason == reason)
            sum += idle.items[i].end_us - idle.items[i].begin_us;
    return sum;
}

static void launch(runtime_queue *queue, double us) {
    runtime_clock_kernel(&now, queue, &device, us, 1);
}

enum { COPY_US = 1000 }; // beyond RUNTIME_COPY_US, from page-locked memory

static void copy(runtime_queue *queue, runtime_direction direction, bool pinned, bool waiting) {
    runtime_transfer transfer = {.direction = direction,
                                 .bytes = (uint64_t)(RUNTIME_PINNED_GBS * 1e3 * COPY_US),
                                 .pinned = pinned};
    runtime_clock_submit(&now, &device, &transfer);
    runtime_clock_transfer(&now, queue, &device, &transfer, waiting);
}

KL_FIXTURE(set_up, tear_down)

// In, a kernel, out, in one stream: nothing is hidden, and the device waits for its copies.
KL_TEST(one_stream_hides_nothing) {
    copy(&first, RUNTIME_COPY_HOST_TO_DEVICE, true, false);
    launch(&first, 500);
    copy(&first, RUNTIME_COPY_DEVICE_TO_HOST, true, false);
    runtime_clock_host_waits(&now, first.ready);
    look();
    const double one = COPY_US + RUNTIME_COPY_US;
    NEAR(totals.value[SIM_SPAN_COPIES], 2);
    NEAR(totals.value[SIM_SPAN_HOST_LAUNCHES], 1);
    NEAR(totals.value[SIM_SPAN_HOST_SYNCS], 1);
    NEAR(totals.value[SIM_SPAN_COPY_US], 2 * one);
    NEAR(totals.value[SIM_SPAN_COPY_HIDDEN_US], 0);
    NEAR(totals.value[SIM_SPAN_BYTES_WAITED], 0);
    NEAR(totals.value[SIM_SPAN_ELAPSED_US],
         RUNTIME_HOST_COPY_US + 2 * one + 500 + RUNTIME_HOST_WAKE_US);
    NEAR(idle_us(0, SIM_IDLE_COPY), 2 * one);
    // Host call, copy, kernel, copy, and the end of the wait.
    ck_assert_uint_eq(path.count, 5);
    ck_assert_uint_eq(sim_span_at(&spans, path.items[2].span)->kind, SIM_SPAN_KERNEL);
    ck_assert_uint_eq(sim_span_at(&spans, path.items[2].span)->cause, SIM_CAUSE_STREAM);
}

// The host waits for pageable memory, and so does the device, until the launch that comes after it.
KL_TEST(pageable_memory_is_to_blame) {
    copy(&first, RUNTIME_COPY_HOST_TO_DEVICE, false, true);
    launch(&first, 500);
    look();
    const double rate = RUNTIME_PINNED_GBS / RUNTIME_PAGEABLE_GBS;
    ck_assert(sim_span_at(&spans, 2)->pageable && sim_span_at(&spans, 2)->waited);
    NEAR(idle_us(0, SIM_IDLE_PAGEABLE),
         RUNTIME_COPY_US + COPY_US * rate + RUNTIME_HOST_WAKE_US + 3);
    ck_assert_double_gt(totals.value[SIM_SPAN_BYTES_PAGEABLE], 0);
    NEAR(totals.value[SIM_SPAN_BYTES_WAITED], totals.value[SIM_SPAN_BYTES_PAGEABLE]);
    NEAR(totals.value[SIM_SPAN_COPIES_WAITED], 1);
}

// The copy of the second stream runs beside the first one's kernel.
KL_TEST(two_streams_hide_copies) {
    copy(&first, RUNTIME_COPY_HOST_TO_DEVICE, true, false);
    copy(&second, RUNTIME_COPY_HOST_TO_DEVICE, true, false);
    launch(&first, 1200);
    launch(&second, 1200);
    look();
    NEAR(totals.value[SIM_SPAN_COPY_HIDDEN_PCT], 50);
    NEAR(totals.value[SIM_SPAN_COPY_ALONE_US], totals.value[SIM_SPAN_COPY_HIDDEN_US]);
    ck_assert_uint_eq(sim_span_at(&spans, 4)->cause, SIM_CAUSE_ENGINE); // of the second copy
    ck_assert_uint_eq(sim_span_at(&spans, spans.count)->cause, SIM_CAUSE_FULL);
    NEAR(idle_us(0, SIM_IDLE_COPY), COPY_US + RUNTIME_COPY_US);
}

// What is put into the default stream waits for the copy of another one.
KL_TEST(the_legacy_stream_is_to_blame) {
    copy(&first, RUNTIME_COPY_HOST_TO_DEVICE, true, false);
    launch(&legacy, 100);
    look();
    ck_assert_uint_eq(sim_span_at(&spans, spans.count)->cause, SIM_CAUSE_LEGACY);
    NEAR(idle_us(0, SIM_IDLE_LEGACY), COPY_US + RUNTIME_COPY_US);
    for (uint32_t i = 0; i < idle.count; i++)
        if (idle.items[i].reason == SIM_IDLE_LEGACY)
            ck_assert_uint_eq(idle.items[i].span, spans.count); // the kernel in it
}

// Nothing is queued behind a kernel that the host waits for.
KL_TEST(a_synchronising_call_is_to_blame) {
    for (int i = 0; i < 3; i++) {
        launch(&first, 100);
        runtime_clock_host_waits(&now, first.ready);
    }
    look();
    NEAR(totals.value[SIM_SPAN_HOST_SYNCS], 3);
    NEAR(idle_us(0, SIM_IDLE_SYNC), 2 * (RUNTIME_HOST_WAKE_US + 3));
    NEAR(idle_us(0, SIM_IDLE_START), 3);
}

// The host waits for one device before it gives work to another; with an event it need not.
KL_TEST(a_missing_event_is_to_blame) {
    launch(&first, 100);
    runtime_clock_host_waits(&now, first.ready);
    launch(&other_device, 100);
    look();
    NEAR(idle_us(1, SIM_IDLE_NO_EVENT), 100 + RUNTIME_HOST_WAKE_US + 3);
    NEAR(idle_us(1, SIM_IDLE_START), 3);
    NEAR(idle_us(0, SIM_IDLE_END), 100 + RUNTIME_HOST_WAKE_US + 3);
}

KL_TEST(an_event_leaves_the_wait_for_the_other_device) {
    launch(&first, 100);
    runtime_moment end = runtime_clock_event(&now, &first, &device);
    end.cause = SIM_CAUSE_EVENT;
    runtime_clock_wait(&now, &other_device, end);
    launch(&other_device, 100);
    look();
    ck_assert_uint_eq(sim_span_at(&spans, spans.count)->cause, SIM_CAUSE_EVENT);
    NEAR(idle_us(1, SIM_IDLE_PEER), 100 + 1); // and the event
    NEAR(idle_us(1, SIM_IDLE_NO_EVENT), 0);
}

// Short kernels, which come no faster than the host launches them.
KL_TEST(the_host_is_to_blame) {
    for (int i = 0; i < 10; i++) launch(&first, 2);
    look();
    NEAR(idle_us(0, SIM_IDLE_START), 3);
    NEAR(idle_us(0, SIM_IDLE_HOST), 9 * 1);
    NEAR(totals.value[SIM_SPAN_BUSY_US], 20);
}

// Nodes are counted apart, and come by one call.
KL_TEST(graphs_are_counted_by_nodes) {
    runtime_queue nodes = {.in_graph = true, .stream = 21};
    runtime_clock_graph(&now, &device);
    for (int i = 0; i < 5; i++) runtime_clock_graph_kernel(&now, &nodes, &device, 2, 0.01);
    look();
    NEAR(totals.value[SIM_SPAN_GRAPH_LAUNCHES], 1);
    NEAR(totals.value[SIM_SPAN_GRAPH_NODES], 5);
    NEAR(totals.value[SIM_SPAN_HOST_LAUNCHES], 0);
    ck_assert_uint_eq(sim_span_at(&spans, 4)->call, 1);
}

// Times are the same whether or not anybody listens.
KL_TEST(recording_changes_no_time) {
    double ends[2];
    for (int i = 0; i < 2; i++) {
        set_up();
        if (i == 0) now.record = NULL;
        copy(&first, RUNTIME_COPY_HOST_TO_DEVICE, true, false);
        launch(&second, 70);
        copy(&legacy, RUNTIME_COPY_DEVICE_TO_HOST, false, true);
        launch(&first, 10);
        ends[i] = now.devices[0].all_ready.us + now.host.us;
    }
    ck_assert_double_eq(ends[0], ends[1]);
}

// What happened before a call of the judge's is none of it.
KL_TEST(only_what_comes_from_the_first_on) {
    launch(&first, 100);
    uint32_t from = spans.count;
    launch(&first, 100);
    ck_assert_int_eq(sim_spans_totals(&spans, from, &totals, NULL), SIM_OK);
    NEAR(totals.value[SIM_SPAN_HOST_LAUNCHES], 1);
    ck_assert_int_eq(sim_spans_totals(&spans, spans.count, &totals, NULL), SIM_OK);
    NEAR(totals.value[SIM_SPAN_ELAPSED_US], 0);
    ck_assert_int_eq(sim_spans_path(&spans, spans.count, &path, NULL), SIM_OK);
    ck_assert_uint_eq(path.count, 0);
    ck_assert_int_eq(sim_spans_idle(&spans, spans.count, &idle, NULL), SIM_OK);
    ck_assert_uint_eq(idle.count, 0);
}

// A program may tell anything.
KL_TEST(what_is_no_span_is_refused) {
    sim_span span = {.begin_us = 2, .end_us = 1};
    kl_error err;
    ck_assert_int_eq(sim_spans_add(&spans, &span, "", &err), SIM_INVALID_VALUE);
    span = (sim_span){.waits_for = 1};
    ck_assert_int_eq(sim_spans_add(&spans, &span, "", &err), SIM_INVALID_VALUE);
    span = (sim_span){.end_us = 1.0 / 0.0};
    ck_assert_int_eq(sim_spans_add(&spans, &span, "", &err), SIM_INVALID_VALUE);
    span = (sim_span){.kind = SIM_SPAN_COPY,
                      .unit = SIM_UNIT_TO_PEER,
                      .cause = SIM_CAUSE_EVENT,
                      .device = 3,
                      .thread = 200,
                      .pageable = true};
    sim_span back = {0};
    ck_assert(sim_span_unpack(sim_span_pack(&span), &back));
    ck_assert_int_eq(memcmp(&span, &back, sizeof span), 0);
    ck_assert(!sim_span_unpack(SIM_SPAN_KINDS, &back));
    ck_assert(!sim_span_unpack(UINT64_MAX, &back));
}

KL_TEST_MAIN("spans")
