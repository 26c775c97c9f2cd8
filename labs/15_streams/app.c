// The application of lab 15 (`ladder run streams --app`): a line of sensors records noise, and a
// wave that passes them one after the other. A threshold on the recording finds noise; on the
// recording that the student's pipeline has filtered it finds the wave. The recording lies in the
// host's memory and may be larger than the device's.
#include <math.h>
#include <stdlib.h>

#include "atomic_file.h"
#include "cuda_check.h"
#include "device.h"
#include "json.h"
#include "program.h"
#include "random.h"
#include "reference.h"
#include "stats.h"
#include "ladder.h"
#include "streams.h"
#include "table.h"
#include "timing.h"

extern const kl_adapter kl_lab_adapter;

enum { LAST_STEP = 10, MOST_FRAMES = 1 << 16, LEAST_FRAMES = 256, PATH_BYTES = 4096 };
enum { FRAMES_GPU = 16384, FRAMES_SIMULATED = 512, REPEAT_GPU = 11, MOST_REPEAT = 1000 };

// The sum of two evenly spread numbers up to `noise` each; the wave is a step of height `wave`. The
// filter leaves 0.26 of the noise's deviation, so that `limit` is five of them.
static const float noise = 0.25f, wave = 0.5f, limit = 0.30f;

typedef struct wave_options {
    kl_device_request request;
    bool help, solution;
    bool steps[LAST_STEP + 1];
    int64_t frames; // 0: the device's
    uint64_t seed;
    int repeat;
    const char *json_file;
} wave_options;

// What a threshold finds: the first frame of each sensor above `limit`.
typedef struct wave_found {
    int before, late; // sensors that report before the wave is there; and afterwards
    double delay;     // frames of the latter, on average
} wave_found;

typedef struct wave_step {
    bool used;
    double time_us; // of a call
    int64_t wrong;  // elements
    wave_found found;
} wave_step;

typedef struct wave_run {
    const wave_options *options;
    kl_device device;
    int64_t frames;
    int repeat;
    float *x;      // [frames][STREAMS_CHANNELS]
    double *value; // the same, filtered by the host
    wave_found unfiltered;
    wave_step steps[LAST_STEP + 1];
} wave_run;

static kl_status parse(int argc, char **argv, wave_options *out, kl_error *err) {
    wave_options *o = out;
    bool chosen = false;
    *o = (wave_options){.seed = 1};
    const kl_option options[] = {
        {"device", KL_OPTION_DEVICE, &o->request, 0, 0, NULL},
        {"help", KL_OPTION_FLAG, &o->help, 0, 0, NULL},
        {"json", KL_OPTION_TEXT, &o->json_file, 0, 0, NULL},
        {"repeat", KL_OPTION_INT, &o->repeat, 1, MOST_REPEAT, NULL},
        {"seed", KL_OPTION_INT64, &o->seed, 0, INT64_MAX, NULL},
        {"size", KL_OPTION_INT64, &o->frames, LEAST_FRAMES, MOST_FRAMES, NULL},
        {"solution", KL_OPTION_FLAG, &o->solution, 0, 0, NULL},
        {"step", KL_OPTION_MARK, o->steps, 0, LAST_STEP, NULL},
    };
    TRY(kl_program_options(argc, argv, options, (int)(sizeof options / sizeof options[0]), err));
    for (int s = 0; s <= LAST_STEP; s++) {
        chosen |= o->steps[s];
        if (o->steps[s] && !kl_problem_serves(&streams_problem, 0, s))
            return kl_fail(err, KL_ERROR_USAGE,
                           "step %d solves another problem: steps 0 to 4 and 10 filter", s);
    }
    if (!chosen) o->steps[LAST_STEP] = true;
    return KL_OK;
}

static void help(FILE *out) {
    fprintf(out,
            "usage: ladder run streams [STEP..] --app [--solution] [--size N] [--repeat N]\n"
            "           [--seed N] [--device %s] [--json FILE]\n\n"
            "Looks for a wave in the recording of %d noisy sensors: by a threshold, before\n"
            "and behind the filter of step %d, or of the steps that are given (0 to 4 and 10).\n\n"
            "  --size N     frames, %d to %d; %d, or %d on the simulator\n"
            "  --repeat N   calls, of which the median time is shown; %d, or 1\n"
            "  --seed N     another recording\n"
            "  --json FILE  results as JSON (- is standard output)\n"
            "example: ./ladder run streams 0 4 10 --app --solution\n",
            kl_device_words, STREAMS_CHANNELS, LAST_STEP, LEAST_FRAMES, MOST_FRAMES, FRAMES_GPU,
            FRAMES_SIMULATED, REPEAT_GPU);
}

// ---- the recording ------------------------------------------------------------------------------

// The wave is at the first sensor after a quarter of the time, at the last after three quarters.
static int64_t arrival(int64_t frames, int channel) {
    return frames / 4 + channel * (frames / 2) / STREAMS_CHANNELS;
}

static void record(float *x, int64_t frames, uint64_t seed) {
    for (int64_t f = 0; f < frames; f++)
        for (int c = 0; c < STREAMS_CHANNELS; c++) {
            uint64_t i = (uint64_t)(f * STREAMS_CHANNELS + c);
            x[i] = noise * (kl_random_signed(seed, 2 * i) + kl_random_signed(seed, 2 * i + 1)) +
                   (f >= arrival(frames, c) ? wave : 0);
        }
}

static wave_found search(const float *y, int64_t frames) {
    wave_found found = {0, 0, 0};
    for (int c = 0; c < STREAMS_CHANNELS; c++) {
        int64_t f = 0, there = arrival(frames, c);
        while (f < frames && !(y[f * STREAMS_CHANNELS + c] > limit)) f++;
        if (f < there)
            found.before++;
        else if (f < frames)
            found.late++, found.delay += (double)(f - there);
    }
    if (found.late > 0) found.delay /= found.late;
    return found;
}

// ---- the device ---------------------------------------------------------------------------------

typedef struct wave_call {
    kl_step step;
    kl_call call;
    _Alignas(16) unsigned char plan[KL_PLAN_BYTES];
} wave_call;

static int call_step(void *context) {
    const wave_call *c = context;
    return kl_lab_adapter.call(c->step.function, &c->call);
}

static kl_status time_calls(wave_run *run, int number, wave_call *c, kl_timer *timer,
                            double *out_us, kl_error *err) {
    double us[MOST_REPEAT];
    for (int i = 0; i < run->repeat; i++) {
        int code = 0;
        if (i == 0 && run->repeat > 1) TRY(kl_step_check("", number, call_step(c), err)); // warm-up
        TRY(kl_timer_once(timer, call_step, c, &code, &us[i], err));
        TRY(kl_step_check("", number, code, err));
    }
    *out_us = kl_median(us, (size_t)run->repeat);
    return KL_OK;
}

static kl_status run_step(wave_run *run, const char *folder, int number, kl_timer *timer,
                          kl_error *err) {
    uint64_t bytes = streams_frame_bytes(run->frames);
    wave_step *result = &run->steps[number];
    wave_call c = {.call = {.input_count = 1,
                            .output_count = 1,
                            .input_bytes = {bytes},
                            .output_bytes = {bytes},
                            .ints = {run->frames}}};
    c.call.h_plan = c.plan;
    TRY(kl_step_open(folder, number, &kl_lab_adapter, &c.step, err));
    kl_status status = kl_step_check("", number, kl_lab_adapter.open(c.step.prepare, &c.call), err);
    if (status == KL_OK) {
        memcpy((void *)(uintptr_t)c.call.d_inputs[0], run->x, bytes);
        memset(c.call.d_outputs[0], KL_POISON, bytes);
        status = time_calls(run, number, &c, timer, &result->time_us, err);
    }
    if (status == KL_OK) {
        const float *y = c.call.d_outputs[0];
        for (int64_t i = 0; i < run->frames * STREAMS_CHANNELS; i++)
            result->wrong += !(fabs(y[i] - run->value[i]) <= streams_filter_bound());
        result->found = search(y, run->frames);
        result->used = true;
    }
    kl_lab_adapter.close(&c.call);
    kl_step_close(&c.step);
    return status;
}

static kl_status run_all(wave_run *run, kl_error *err) {
    const wave_options *o = run->options;
    char own[PATH_BYTES - 64], folder[PATH_BYTES];
    bool simulated = run->device.simulated;
    run->frames = o->frames ? o->frames : simulated ? FRAMES_SIMULATED : FRAMES_GPU;
    run->repeat = o->repeat ? o->repeat : simulated ? 1 : REPEAT_GPU;
    size_t elems = (size_t)run->frames * STREAMS_CHANNELS;
    run->x = malloc(elems * sizeof *run->x);
    run->value = malloc(elems * sizeof *run->value);
    if (!run->x || !run->value)
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a recording of this size");
    record(run->x, run->frames, o->seed);
    streams_reference_filter(run->x, run->frames, run->value);
    run->unfiltered = search(run->x, run->frames);
    TRY(kl_device_program_folder(own, sizeof own, err));
    snprintf(folder, sizeof folder, "%s/%s", own, o->solution ? "solution" : "skeleton");
    kl_timer timer;
    TRY(kl_timer_open(&run->device, &timer, err));
    timer.host = true;
    kl_status status = KL_OK;
    for (int s = 0; s <= LAST_STEP && status == KL_OK; s++)
        if (o->steps[s]) status = run_step(run, folder, s, &timer, err);
    kl_timer_close(&timer);
    return status;
}

// ---- results ------------------------------------------------------------------------------------

static bool all_right(const wave_run *run) {
    bool right = true;
    for (int s = 0; s <= LAST_STEP; s++) right &= !run->steps[s].used || run->steps[s].wrong == 0;
    return right;
}

static void add_row(kl_table *table, const char *name, const wave_found *found) {
    int row = kl_table_row(table);
    kl_table_cell(table, row, 0, KL_PLAIN, "%s", name);
    kl_table_cell(table, row, 1, KL_PLAIN, "%d", found->before);
    kl_table_cell(table, row, 2, KL_PLAIN, "%d", found->late);
    if (found->late > 0) kl_table_cell(table, row, 3, KL_PLAIN, "%.1f", found->delay);
}

static void print(const wave_run *run, FILE *out) {
    static const char *const titles[] = {"recording",   "false alarms", "found",
                                         "frames late", "time",         "million frames/s"};
    char text[32];
    kl_style style = kl_style_for(out);
    kl_table table;
    kl_table_clear(&table);
    for (int i = 0; i < 6; i++) kl_table_column(&table, titles[i], i == 0 ? KL_LEFT : KL_RIGHT);
    add_row(&table, "as it is", &run->unfiltered);
    for (int s = 0; s <= LAST_STEP; s++) {
        const wave_step *step = &run->steps[s];
        if (!step->used) continue;
        snprintf(text, sizeof text, "filtered by step %d", s);
        add_row(&table, text, &step->found);
        int row = table.rows - 1;
        kl_table_cell(&table, row, 4, KL_PLAIN, "%s",
                      kl_format_us(step->time_us, text, sizeof text));
        kl_table_cell(&table, row, 5, KL_PLAIN, "%.2f", (double)run->frames / step->time_us);
    }
    fprintf(out,
            "A wave in the recording of %d sensors, 15_streams%s\ndevice  %s\nframes  %lld, "
            "%.0f MiB\ntimes   %s\n\n",
            STREAMS_CHANNELS, run->options->solution ? " (solution)" : "", run->device.name,
            (long long)run->frames, (double)streams_frame_bytes(run->frames) / (1 << 20),
            run->device.simulated ? "modelled" : "medians of calls, by the host's clock");
    kl_table_print(&table, &style, out);
    for (int s = 0; s <= LAST_STEP; s++)
        if (run->steps[s].wrong > 0)
            fprintf(out,
                    "step %d is WRONG at %lld elements: 'ladder run streams %d' looks for the "
                    "mistake\n",
                    s, (long long)run->steps[s].wrong, s);
    if (all_right(run)) fprintf(out, "\nfilter  right: all elements are those of the host\n");
}

static void json_found(kl_json *json, const wave_found *found) {
    kl_json_put(json, "false_alarms %d found %d frames_late %g", found->before, found->late,
                found->late > 0 ? found->delay : NAN);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const wave_run *run = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json,
                "{schema ladder.wave/1 lab streams solution %hhd device %s kind %s seed %ld "
                "frames %ld unfiltered (",
                run->options->solution, run->device.name, run->device.simulated ? "sim" : "gpu",
                (int64_t)run->options->seed, run->frames);
    json_found(&json, &run->unfiltered);
    kl_json_put(&json, ") steps [");
    for (int s = 0; s <= LAST_STEP; s++) {
        if (!run->steps[s].used) continue;
        kl_json_put(&json, "(step %d", s);
        json_found(&json, &run->steps[s].found);
        kl_json_put(&json, "wrong %ld time_us %g)", run->steps[s].wrong, run->steps[s].time_us);
    }
    kl_json_put(&json, "] ok %hhd}", all_right(run));
    return kl_json_finish(&json, err);
}

int main(int argc, char **argv) {
    static wave_run run;
    kl_error err = {KL_OK, ""};
    wave_options options;
    if (parse(argc, argv, &options, &err) != KL_OK) {
        fprintf(stderr, "streams_app: %s\n", err.text);
        return 2;
    }
    if (options.help) {
        help(stdout);
        return 0;
    }
    run.options = &options;
    kl_status status = kl_device_select(&options.request, argv, &run.device, &err);
    if (status == KL_OK) status = run_all(&run, &err);
    if (status == KL_OK) print(&run, kl_file_is_stdout(options.json_file) ? stderr : stdout);
    if (status == KL_OK && options.json_file)
        status = kl_file_put(options.json_file, write_json, &run, &err);
    if (status != KL_OK) fprintf(stderr, "streams_app: %s\n", err.text);
    bool right = status == KL_OK && all_right(&run);
    free(run.x);
    free(run.value);
    return right ? 0 : 1;
}
