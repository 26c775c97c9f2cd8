// Trials of shared objects: see internal.h.
#include "internal.h"
#include <cuda_runtime_api.h>
#include <unistd.h>

static kl_status say(int fd, const char *line, kl_error *err) {
    size_t bytes = strlen(line);
    while (bytes > 0) {
        ssize_t sent = write(fd, line, bytes);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return kl_fail(err, KL_ERROR_SYSTEM, "--trials: the other side has gone");
        line += sent;
        bytes -= (size_t)sent;
    }
    return KL_OK;
}

// Text of others as part of a line.
static void flatten(char *text) {
    for (char *c = text; *c != '\0'; c++)
        if ((unsigned char)*c < ' ') *c = ' ';
}

kl_status kl_trials_greet(int fd, const kl_device *device, kl_error *err) {
    char line[512];
    char name[sizeof device->name];
    snprintf(name, sizeof name, "%s", device->name);
    flatten(name);
    snprintf(line, sizeof line, "device\t%s\t%s\t%d\t%d.%d\t%d\t%d\n",
             device->simulated ? "sim" : "gpu", name, device->multiprocessors,
             device->capability_major, device->capability_minor, device->driver_version,
             device->runtime_version);
    return say(fd, line, err);
}

static kl_status say_counts(int fd, const kl_counts *counts, kl_error *err) {
    for (int i = 0; i < counts->count; i++) {
        char line[256];
        const char *name = kl_counts_name(i);
        if (!name) continue;
        snprintf(line, sizeof line, "count\t%s\t%.17g\n", name, counts->values[i]);
        TRY(say(fd, line, err));
    }
    return KL_OK;
}

static kl_status say_result(int fd, const kl_case_result *r, kl_error *err) {
    char text[KL_RUN_TEXT] = "", line[KL_RUN_TEXT + 256];
    if (r->state == LADDER_WRONG_ANSWER) {
        snprintf(text, sizeof text, "element %llu: expected %.9g, got %.9g; %s",
                 (unsigned long long)r->verdict.first_wrong, r->verdict.expected, r->verdict.got,
                 r->verdict.hint);
    } else if (r->state == LADDER_NOT_IMPLEMENTED) {
        snprintf(text, sizeof text, "says that it is not implemented");
    } else {
        snprintf(text, sizeof text, "%s", r->text);
    }
    flatten(text);
    TRY(say_counts(fd, &r->counts, err));
    snprintf(line, sizeof line, "trial\t%s\t%.17g\t%.17g\t%.17g\t%d\t%.9g\t%s\n",
             ladder_outcome_word(r->state), r->time_us.low, r->time_us.mid, r->time_us.high,
             r->samples, r->verdict.max_error, text);
    return say(fd, line, err);
}

// The last report of a step's run counts: of its case, or of the whole step.
static void keep(void *context, const kl_case_result *result) {
    memcpy(context, result, sizeof *result);
}

// Loads an object. The vendor's library is loaded once: it takes longer to begin than many trials.
static kl_status load(const kl_step_job *job, const char *symbol, const char *file, kl_step *vendor,
                      kl_step *out_step, kl_error *err) {
    char vendor_symbol[128];
    snprintf(vendor_symbol, sizeof vendor_symbol, "%s_vendor", job->plan->problem->name);
    if (strcmp(symbol, vendor_symbol) != 0) return kl_step_open_file(file, symbol, out_step, err);
    if (!vendor->handle) TRY(kl_step_open_file(file, symbol, vendor, err));
    *out_step = *vendor;
    return KL_OK;
}

// One request; line: "symbol\tfile".
static kl_status try_object(int fd, const kl_step_job *job, char *line, kl_step *vendor,
                            kl_error *err) {
    kl_step_job one = *job;
    kl_case_result result = {
        .plan_index = -1, .state = LADDER_COMPILE_ERROR, .time_us = {NAN, NAN, NAN}};
    char *file = strchr(line, '\t');
    char got[80];
    if (!file)
        return kl_fail(err, KL_ERROR_INPUT, "--trials: expected symbol, tab, file; got %s",
                       kl_quoted(line, got, sizeof got));
    *file++ = '\0';
    kl_error loading = {KL_OK, ""};
    if (load(job, line, file, vendor, &one.step, &loading) == KL_OK)
        kl_step_run(&one, keep, &result);
    else {
        result.state = one.step.lacks;
        snprintf(result.text, sizeof result.text, "%s", loading.text);
    }
    TRY(say_result(fd, &result, err));
    if (one.step.handle != vendor->handle) kl_step_close(&one.step);
    return KL_OK;
}

// False after an error that stays with the process.
static bool device_is_sound(void) {
    cudaGetLastError();
    return cudaDeviceSynchronize() == cudaSuccess;
}

kl_status kl_trials_serve(int fd, const kl_step_job *job, kl_error *err) {
    int own = dup(fd);
    FILE *in = own >= 0 ? fdopen(own, "r") : NULL;
    if (!in) return kl_fail(err, KL_ERROR_USAGE, "--trials %d: %s", fd, strerror(errno));
    kl_step vendor = {.handle = NULL};
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    kl_status status = say(fd, "ready\n", err);
    while (status == KL_OK && (length = getline(&line, &capacity, in)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = '\0';
        status = try_object(fd, job, line, &vendor, err);
        bool sound = device_is_sound();
        if (status == KL_OK) status = say(fd, sound ? "next\n" : "over\n", err);
        if (!sound) break;
    }
    kl_step_close(&vendor);
    free(line);
    fclose(in);
    return status;
}
