// From the first call to the end of the process: the environment (LADDER_SIM_*), the engine, and
// fork. After the program's own exit handlers the engine's threads are stopped.
#include "runtime/state/internal.h"
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

static bool environment_says(const char *name) {
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

static bool parse_number(const char *text, uint64_t *out_number) {
    char *end;
    errno = 0;
    *out_number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *text != '-';
}

// Reads an unsigned number; anything else is reported and ignored.
static uint64_t environment_number(const char *name) {
    const char *value = getenv(name);
    uint64_t number;
    if (!value || !*value) return 0;
    if (parse_number(value, &number)) return number;
    fprintf(stderr, "simulator: %s=%s is not a number; ignored\n", name, value);
    return 0;
}

static sim_mode environment_mode(void) {
    const char *value = getenv("LADDER_SIM_MODE");
    if (!value || !*value || strcmp(value, "count") == 0) return SIM_MODE_COUNT;
    if (strcmp(value, "functional") == 0) return SIM_MODE_FUNCTIONAL;
    if (strcmp(value, "check") == 0) return SIM_MODE_CHECK;
    fprintf(stderr, "simulator: LADDER_SIM_MODE=%s is none of functional, count, check; ignored\n",
            value);
    return SIM_MODE_COUNT;
}

// LADDER_SIM_DEVICES: how many there are.
static int environment_devices(void) {
    const char *value = getenv("LADDER_SIM_DEVICES");
    uint64_t number;
    if (!value || !*value) return 1;
    if (parse_number(value, &number) && number - 1 < SIM_MOST_DEVICES) return (int)number;
    fprintf(stderr, "simulator: LADDER_SIM_DEVICES=%s is none of 1 to %d; ignored\n", value,
            SIM_MOST_DEVICES);
    return 1;
}

int runtime_devices(void) {
    if (!runtime.engine) runtime.device_count = environment_devices();
    return runtime.device_count;
}

static pid_t first_process; // that loaded this library

__attribute__((constructor)) static void remember_process(void) { first_process = getpid(); }

static bool bounded_times; // of this process's own engine

// LADDER_SIM_TIMES: whether launches take their times from the analytical model.
static bool environment_bounds(void) {
    const char *value = getenv("LADDER_SIM_TIMES");
    if (!value || !*value || strcmp(value, "sm") == 0) return false;
    if (strcmp(value, "bounds") == 0) return true;
    fprintf(stderr, "simulator: LADDER_SIM_TIMES=%s is none of bounds, sm; ignored\n", value);
    return false;
}

// LADDER_SIM_PROGRESS: a file that holds a sim_progress, to which every process adds that has it,
// and which the first of them makes; NULL: not given.
static sim_progress *environment_progress(void) {
    const char *path = getenv("LADDER_SIM_PROGRESS");
    int fd = path && *path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (fd < 0) return NULL;
    void *at = MAP_FAILED;
    if (ftruncate(fd, sizeof(sim_progress)) == 0)
        at = mmap(NULL, sizeof(sim_progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return at != MAP_FAILED ? at : NULL;
}

// The engine process serves one process: a child made by fork before the device was opened gets a
// device of its own.
static sim_status open_engine(kl_error *err) {
    const char *descriptor = getenv("LADDER_ENGINE_FD");
    if (descriptor && *descriptor && getpid() == first_process) {
        uint64_t number;
        if (!parse_number(descriptor, &number) || number > INT_MAX)
            return sim_fail(err, SIM_INVALID_VALUE, "LADDER_ENGINE_FD=%s is no descriptor",
                            descriptor);
        return sim_engine_open_remote((int)number, &runtime.engine, err);
    }
    const char *device = getenv("LADDER_SIM_DEVICE"), *resident = getenv("LADDER_SIM_RESIDENT");
    bool all = resident && strcmp(resident, "all") == 0;
    if (resident && *resident && !all && strcmp(resident, "earlier") != 0)
        return sim_fail(err, SIM_INVALID_VALUE, "LADDER_SIM_RESIDENT=%s: it is all or earlier",
                        resident);
    bounded_times = environment_bounds();
    sim_options options = {.device = device && *device ? device : NULL,
                           .devices = (uint32_t)runtime_devices(),
                           .mode = runtime.mode,
                           .threads = (uint32_t)environment_number("LADDER_SIM_THREADS"),
                           .memory_bytes = environment_number("LADDER_SIM_MEMORY"),
                           .max_instructions = environment_number("LADDER_SIM_MAX_INSTRUCTIONS"),
                           .progress = environment_progress(),
                           .resident = all,
                           .strict = environment_says("LADDER_SIM_STRICT"),
                           .guarded = environment_says("LADDER_SIM_GUARD"),
                           .bounded_times = bounded_times};
    runtime.says_findings = options.mode == SIM_MODE_CHECK;
    return sim_engine_open_local(&options, &runtime.engine, err);
}

static bool clock_has_sm_times(void) {
    return sim_device_has_sm_model(sim_engine_device(runtime.engine)) && !bounded_times;
}

// The lock is held across a fork, so that the child finds it free and what it guards whole. The
// engine's threads do not follow into the child.
static void before_fork(void) { pthread_mutex_lock(&runtime.lock); }

static void after_fork_in_parent(void) { pthread_mutex_unlock(&runtime.lock); }

static void after_fork_in_child(void) {
    runtime.forked = runtime.forked || runtime.engine;
    runtime.is_helped = false;
    runtime.engine = NULL; // the parent's: nothing here may speak to it, not even at exit
    runtime_watch_forget();
    pthread_mutex_unlock(&runtime.lock);
}

void runtime_start(void) {
    runtime.started = true;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    runtime.trace = environment_says("LADDER_SIM_TRACE");
    runtime.mode = environment_mode();
    runtime.faults_are_findings = runtime.mode == SIM_MODE_CHECK;
    runtime.ends_at_fault = environment_says("LADDER_SIM_END_AT_FAULT");
    runtime.says_differences = environment_says("LADDER_SIM_DIFFERENCES");
    runtime.launch_blocking = environment_says("CUDA_LAUNCH_BLOCKING");
    const char *spans = getenv("LADDER_SIM_SPANS");
    runtime.span_places = spans && strcmp(spans, "places") == 0;
    if (environment_says("LADDER_SIM_SPANS")) runtime.clock.record = runtime.span_recorder;
    runtime_devices();
    for (int i = 0; i < SIM_MOST_DEVICES; i++) runtime_limits_reset(&runtime.devices[i]);
}

cudaError_t runtime_open_device(void) {
    if (runtime.unloading) return cudaErrorCudartUnloading;
    if (runtime.forked) return cudaErrorInitializationError;
    if (runtime.engine || runtime.open_error) return runtime.open_error;
    kl_error err = {0};
    if (open_engine(&err) == SIM_OK) {
        runtime.clock.has_sm_times = clock_has_sm_times();
        runtime.device_count = (int)sim_engine_device_count(runtime.engine);
        for (int i = 0; i < SIM_MOST_DEVICES; i++) // some are the device's
            runtime_limits_reset(&runtime.devices[i]);
        runtime_guard_install();
        runtime_watch_start();
        return cudaSuccess;
    }
    char text[KL_ERROR_TEXT + 64];
    snprintf(text, sizeof text, "the device could not be opened: %s", err.text);
    runtime_say(text);
    runtime.open_error = cudaErrorDevicesUnavailable;
    return runtime.open_error;
}

// After the program's own exit handlers: stop the engine's threads. Later calls are answered with
// cudaErrorCudartUnloading.
__attribute__((destructor)) static void stop(void) {
    if (pthread_mutex_trylock(&runtime.lock) != 0) return; // another thread is in a call: let it be
    runtime.unloading = true;
    runtime_watch_open();
    if (runtime.tasks && runtime.engine) runtime.settle(-1);
    runtime_output_end();
    runtime_report_unchecked();
    runtime_say_unchecked();
    runtime_say_findings();
    sim_engine_close(runtime.engine);
    runtime.engine = NULL;
    pthread_mutex_unlock(&runtime.lock);
}
