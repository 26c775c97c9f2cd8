// The functions that the drop-in runtime adds to CUDA's (api.h).
#include "runtime/api/api.h"
#include "runtime/stream/stream.h"

// How much later than the host's now the last work of any device ends.
static double unfinished_us(void) {
    double end_us = runtime.clock.host.us;
    for (int d = 0; d < runtime.device_count; d++)
        end_us = sim_larger(end_us, runtime.clock.devices[d].all_ready.us);
    return end_us - runtime.clock.host.us;
}

static int answer(const char *key, double *out) {
    const sim_device *device = sim_engine_device(runtime.engine);
    const struct {
        const char *key;
        double value;
    } rows[] = {
        {"simulated", 1},
        {"ceiling.read_gbs", device->read_gbs},
        {"ceiling.copy_gbs", device->copy_gbs},
        {"ceiling.link_gbs", 2 * RUNTIME_BOTH_WAYS_GBS},
        {"ceiling.launch_us", device->launch_us},
        // two operations per lane
        {"ceiling.fma_tflops", 64e-6 * device->sm_count * device->schedulers_per_sm *
                                   device->clock_mhz * device->fma_rate},
        // 2,048 multiply-adds of 16-bit elements per cycle on each SM of an H100
        {"ceiling.tensor_tflops",
         4096e-6 * device->sm_count * device->clock_mhz * device->tensor_rate},
        {"launches", (double)runtime.launches},
        {"warp_instructions", (double)runtime.warp_instructions},
        {"spans", (double)runtime.clock.spans},
        {"clock_us", runtime.clock.host.us},
        {"unfinished_us", unfinished_us()},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].key, key) != 0) continue;
        *out = rows[i].value;
        return 0;
    }
    return -1;
}

int sim_runtime_query(const char *key, double *out) {
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "sim_runtime_query(%s)", key ? key : "NULL");
    int result = status || !key || !out ? -1 : answer(key, out);
    runtime_leave(cudaSuccess);
    return result;
}

void sim_runtime_keep_busy(double us) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "sim_runtime_keep_busy(%g)", us);
    runtime_queue *queue = &runtime_legacy_stream(runtime.device)->queue;
    if (!status && us > 0 && runtime.clock.has_sm_times) {
        runtime_moment until = runtime_clock_ready(&runtime.clock, queue);
        until.us += us;
        runtime_clock_wait(&runtime.clock, queue, until);
    }
    if (!status) sim_caches_forget(runtime.engine, NULL);
    runtime_leave(cudaSuccess);
}

void sim_runtime_allow(double warp_instructions) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "sim_runtime_allow(%g)", warp_instructions);
    uint64_t limit = warp_instructions > 0 ? (uint64_t)warp_instructions : 0;
    if (!status) sim_limit_set(runtime.engine, SIM_LIMIT_INSTRUCTIONS, limit, NULL);
    runtime_leave(cudaSuccess);
}

void sim_runtime_count(int counts) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "sim_runtime_count(%d)", counts);
    if (!status) sim_engine_count(runtime.engine, counts);
    runtime_leave(cudaSuccess);
}

void sim_runtime_watch(const void *device, uint64_t bytes) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "sim_runtime_watch(%p)", device);
    if (!status) sim_writes_watch(runtime.engine, (uint64_t)(uintptr_t)device, bytes, NULL);
    runtime_leave(cudaSuccess);
}

int sim_runtime_last_write(const void *device, uint64_t *out_block, uint32_t *out_thread) {
    bool written = false;
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "sim_runtime_last_write(%p)", device);
    sim_status got = status ? SIM_INVALID_VALUE
                            : sim_last_write_get(runtime.engine, (uint64_t)(uintptr_t)device,
                                                 &written, out_block, out_thread, NULL);
    runtime_leave(cudaSuccess);
    return got != SIM_OK ? -1 : written;
}

const char *sim_runtime_said(void) {
    runtime_enter(RUNTIME_NOTHING, "sim_runtime_said()");
    const char *text = runtime_output_take();
    runtime_leave(cudaSuccess);
    return text;
}

sim_engine *sim_runtime_engine(void) {
    runtime_enter(RUNTIME_OPEN, "sim_runtime_engine()");
    sim_engine *engine = runtime.engine;
    runtime_leave(cudaSuccess);
    return engine;
}

const char *sim_runtime_fault(void) {
    runtime_enter(RUNTIME_NOTHING, "sim_runtime_fault()");
    const char *text = runtime_fault_text();
    runtime_leave(cudaSuccess);
    return text;
}

const char *sim_runtime_reason(void) { return runtime_last_reason(); }

// What a launch is asked for, in the order of launch_values.
static const char *const launch_names[RUNTIME_LAUNCH_VALUES] = {
    "launches",
    "launch__grid_size",
    "launch__registers_per_thread",
    "sim__shared_bytes_per_block",
    "sim__local_bytes_per_thread",
    "sim__sms_used",
};

static void add_launch(const sim_launch_report *report) {
    sim_activity activity = sim_activity_of(sim_engine_device(runtime.engine), report);
    const double values[RUNTIME_LAUNCH_VALUES] = {
        1,
        (double)activity.blocks,
        report->registers,
        (double)report->static_shared_bytes + report->config.dynamic_shared_bytes,
        report->local_bytes,
        activity.sms_used,
    };
    for (int i = 0; i < RUNTIME_LAUNCH_VALUES; i++) runtime.launch_values[i] += values[i];
}

// Adds up the launches that came since the last call. A device that was reset starts at 0 again.
static void count_launches(void) {
    uint32_t count = 0;
    if (sim_launch_count(runtime.engine, &count, NULL) != SIM_OK) return;
    if (count < runtime.counted_launches) runtime.counted_launches = 0;
    for (; runtime.counted_launches < count; runtime.counted_launches++) {
        sim_launch_report *report = NULL;
        if (sim_launch_report_get(runtime.engine, runtime.counted_launches, &report, NULL)) return;
        for (int i = 0; i < SIM_COUNTER_COUNT; i++)
            runtime.counted.value[i] += report->totals.value[i];
        add_launch(report);
        sim_launch_report_free(report);
    }
}

// What the spans come to; nothing where there are none, or more than are kept.
static double span_total(unsigned index) {
    static sim_span_totals totals;
    static uint32_t totalled; // spans
    sim_spans spans;
    uint32_t first;
    if (runtime.clock.spans > SIM_SPANS_MOST) return NAN;
    if (totalled != runtime.clock.spans &&
        sim_spans_get(runtime.engine, &spans, &first, NULL) == SIM_OK) {
        sim_spans_totals(&spans, 0, &totals, NULL);
        totalled = runtime.clock.spans;
        sim_spans_free(&spans);
    }
    return totals.value[index];
}

int sim_runtime_counter(unsigned index, const char **out_name, double *out_total) {
    const unsigned launch = SIM_COUNTER_COUNT, span = launch + RUNTIME_LAUNCH_VALUES;
    if (index >= span + SIM_SPAN_SUMS) return -1;
    bool counted = index < launch, of_launch = index < span;
    *out_name = counted     ? sim_counter_name((sim_counter)index)
                : of_launch ? launch_names[index - launch]
                            : sim_span_counter_name((sim_span_counter)(index - span));
    if (!out_total) return 0;
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "sim_runtime_counter(%u)", index);
    if (!status) count_launches();
    *out_total = counted     ? (double)runtime.counted.value[index]
                 : of_launch ? runtime.launch_values[index - launch]
                 : status    ? 0
                             : span_total(index - span);
    runtime_leave(cudaSuccess);
    return status ? -1 : 0;
}
