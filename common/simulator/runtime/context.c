// SPDX-License-Identifier: MIT
// The runtime's one state: the lock around every call, the device opened at the first call that
// needs one, errors that wait, surface and stick, and the trace. Error rules: CUDA Runtime API
// reference, "Error Handling" and "API synchronization behavior".
#include "runtime/runtime.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

runtime_state runtime = {.lock = PTHREAD_MUTEX_INITIALIZER};

enum { CALL_TEXT_BYTES = 256 };

static __thread cudaError_t last_error;
static __thread char call_text[CALL_TEXT_BYTES]; // of the call under way
static __thread sim_error call_reason;           // why it failed

void runtime_say(const char *text) {
    size_t length = strlen(text);
    fprintf(stderr, "simulator: %s%s", text, length && text[length - 1] == '\n' ? "" : "\n");
}

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

static pid_t first_process; // that loaded this library

__attribute__((constructor)) static void remember_process(void) {
    first_process = getpid();
}

// The engine process serves one process: a child made by fork before the device was opened gets a
// device of its own.
static sim_status open_engine(sim_error *error) {
    const char *descriptor = getenv("LADDER_ENGINE_FD");
    if (descriptor && *descriptor && getpid() == first_process) {
        uint64_t number;
        if (!parse_number(descriptor, &number) || number > INT_MAX)
            return sim_fail(error, SIM_INVALID_VALUE, "LADDER_ENGINE_FD=%s is no descriptor",
                            descriptor);
        return sim_engine_open_remote((int)number, &runtime.engine, error);
    }
    const char *device = getenv("LADDER_SIM_DEVICE");
    sim_options options = {.device = device && *device ? device : NULL,
                           .mode = runtime.mode,
                           .threads = (uint32_t)environment_number("LADDER_SIM_THREADS"),
                           .memory_bytes = environment_number("LADDER_SIM_MEMORY"),
                           .max_instructions = environment_number("LADDER_SIM_MAX_INSTRUCTIONS"),
                           .strict = environment_says("LADDER_SIM_STRICT")};
    runtime.says_findings = options.mode == SIM_MODE_CHECK;
    return sim_engine_open_local(&options, &runtime.engine, error);
}

// The lock is held across a fork, so that the child finds it free and what it guards whole. The
// engine's threads do not follow into the child.
static void before_fork(void) {
    pthread_mutex_lock(&runtime.lock);
}

static void after_fork_in_parent(void) {
    pthread_mutex_unlock(&runtime.lock);
}

static void after_fork_in_child(void) {
    runtime.forked = runtime.forked || runtime.engine != NULL;
    runtime.engine = NULL; // the parent's: nothing here may speak to it, not even at exit
    pthread_mutex_unlock(&runtime.lock);
}

// Once in a process, under the lock.
static void start(void) {
    runtime.started = true;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
    runtime.trace = environment_says("LADDER_SIM_TRACE");
    runtime.mode = environment_mode();
    runtime.faults_are_findings = runtime.mode == SIM_MODE_CHECK;
    runtime.launch_blocking = environment_says("CUDA_LAUNCH_BLOCKING");
    runtime.legacy.queue = (runtime_queue){.blocking = true, .legacy = true};
    runtime.per_thread.queue = (runtime_queue){.blocking = true};
    runtime.legacy.id = 1;
    runtime.per_thread.id = 2;
    runtime.next_stream_id = 3;
    runtime_limits_reset();
}

static cudaError_t open_device(void) {
    if (runtime.unloading) return cudaErrorCudartUnloading;
    if (runtime.forked) return cudaErrorInitializationError;
    if (runtime.engine || runtime.open_error) return runtime.open_error;
    sim_error error = {0};
    if (open_engine(&error) == SIM_OK) {
        runtime_guard_install();
        return cudaSuccess;
    }
    char text[SIM_ERROR_TEXT_BYTES + 64];
    snprintf(text, sizeof text, "the device could not be opened: %s", error.text);
    runtime_say(text);
    runtime.open_error = cudaErrorDevicesUnavailable;
    return runtime.open_error;
}

// A line of a failed assert, which goes to stderr; the rest is printf's.
static bool is_assertion(const char *line, size_t bytes) {
    static const char place[] = ": block: [", words[] = " Assertion `", end[] = "` failed.\n";
    return memmem(line, bytes, place, sizeof place - 1) &&
           memmem(line, bytes, words, sizeof words - 1) && bytes >= sizeof end &&
           memcmp(line + bytes - (sizeof end - 1), end, sizeof end - 1) == 0;
}

static void print_output(const char *text) {
    while (*text) {
        const char *newline = strchr(text, '\n');
        size_t bytes = newline ? (size_t)(newline - text) + 1 : strlen(text);
        fwrite(text, 1, bytes, is_assertion(text, bytes) ? stderr : stdout);
        text += bytes;
    }
    fflush(stdout);
}

// Device printf appears when the host waits, as on a GPU.
static void flush_output(void) {
    if (!runtime.output_due || !runtime.engine) return;
    runtime.output_due = false;
    char *text = NULL;
    if (sim_take_output(runtime.engine, &text, NULL) == SIM_OK && text && *text) print_output(text);
    free(text);
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void runtime_fault(cudaError_t error) {
    runtime.pending = error;
    runtime.pending_since = seconds_now();
}

// A call that does not wait reports a fault too, once the device has had time to notice it.
static bool fault_is_noticed(void) {
    const double notice_seconds = 0.1; // an H100 takes less; in programs the next call comes sooner
    return runtime.pending && seconds_now() - runtime.pending_since > notice_seconds;
}

static void surface_pending(void) {
    if (runtime.pending && !runtime.sticky) runtime.sticky = runtime.pending;
    runtime.pending = cudaSuccess;
}

void runtime_describe(const char *format, ...) {
    if (!runtime.trace) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call_text, sizeof call_text, format, arguments);
    va_end(arguments);
}

cudaError_t runtime_enter(unsigned need, const char *format, ...) {
    pthread_mutex_lock(&runtime.lock);
    if (!runtime.started) start();
    call_reason.text[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call_text, sizeof call_text, format, arguments);
    va_end(arguments);
    bool unsafe = need & RUNTIME_UNSAFE;
    need &= ~RUNTIME_UNSAFE;
    if (need == RUNTIME_NOTHING) return cudaSuccess;
    cudaError_t status = open_device();
    if (status || need == RUNTIME_OPEN) return status;
    if (unsafe && runtime.captures) {
        status = runtime_capture_no_unsafe();
        if (status) return status;
    }
    if (need == RUNTIME_SYNC) {
        flush_output();
        surface_pending();
    } else if (fault_is_noticed()) {
        surface_pending();
    }
    return runtime.sticky;
}

cudaError_t runtime_leave(cudaError_t status) {
    if (status && status != cudaErrorNotReady) last_error = status; // not ready is no error
    if (runtime.trace) {
        fprintf(stderr, "cuda: %s = %s\n", call_text, runtime_error_name(status));
        if (status && call_reason.text[0]) fprintf(stderr, "cuda:   %s\n", call_reason.text);
    }
    struct CUuserObject_st *dead = runtime.dead_objects;
    runtime.dead_objects = NULL;
    bool failed = status && status != cudaErrorNotReady;
    pthread_mutex_unlock(&runtime.lock);
    runtime_user_objects_destroy(dead);
    if (failed) runtime_log(call_text, runtime_error_name(status), call_reason.text);
    return status;
}

// Declared where it is used: unsupported.c cannot include CUDA's types.
void runtime_remember(int error);
void runtime_remember(int error) {
    last_error = (cudaError_t)error;
}

cudaError_t runtime_status(sim_status status) {
    switch (status) {
    case SIM_OK: return cudaSuccess;
    case SIM_INVALID_VALUE: return cudaErrorInvalidValue;
    case SIM_INVALID_HANDLE: return cudaErrorInvalidResourceHandle;
    case SIM_OUT_OF_MEMORY: return cudaErrorMemoryAllocation;
    case SIM_NO_IMAGE: return cudaErrorNoKernelImageForDevice;
    case SIM_BAD_IMAGE: return cudaErrorInvalidKernelImage;
    case SIM_BAD_PTX: return cudaErrorInvalidPtx;
    case SIM_UNSUPPORTED: return cudaErrorNotSupported;
    case SIM_NOT_FOUND: return cudaErrorSymbolNotFound;
    case SIM_LAUNCH_CONFIG: return cudaErrorInvalidConfiguration;
    case SIM_LAUNCH_RESOURCES: return cudaErrorLaunchOutOfResources;
    case SIM_ILLEGAL_ADDRESS: return cudaErrorIllegalAddress;
    case SIM_MISALIGNED_ADDRESS: return cudaErrorMisalignedAddress;
    case SIM_ILLEGAL_INSTRUCTION: return cudaErrorIllegalInstruction;
    case SIM_TRAP: return cudaErrorLaunchFailure;
    case SIM_ASSERT: return cudaErrorAssert;
    case SIM_DEADLOCK: return cudaErrorLaunchTimeout;
    case SIM_RUNAWAY: return cudaErrorLaunchTimeout;
    case SIM_STACK_OVERFLOW: return cudaErrorIllegalAddress; // as on an H100
    case SIM_CONNECTION: return cudaErrorDevicesUnavailable;
    default: return cudaErrorUnknown;
    }
}

cudaError_t runtime_fail(const sim_error *error) {
    call_reason = *error;
    // A lost engine is lost for good.
    if (error->status == SIM_CONNECTION) runtime.sticky = cudaErrorDevicesUnavailable;
    return runtime_status(error->status);
}

void runtime_report_unchecked(void) {
    if (runtime.unchecked[0] && runtime.engine)
        sim_check_unchecked_launch(runtime.engine, runtime.unchecked_kernel, runtime.unchecked,
                                   NULL);
    runtime.unchecked[0] = '\0';
}

// Also a sticky error is told once: later calls fail with it again until cudaDeviceReset.
static cudaError_t take_last_error(bool forget) {
    pthread_mutex_lock(&runtime.lock);
    cudaError_t error = last_error;
    if (forget) last_error = cudaSuccess;
    runtime.unchecked[0] = '\0';
    pthread_mutex_unlock(&runtime.lock);
    return error;
}

cudaError_t cudaGetLastError(void) {
    return take_last_error(true);
}

cudaError_t cudaPeekAtLastError(void) {
    return take_last_error(false);
}

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaDeviceSynchronize()");
    if (!status) status = runtime_capture_no_device();
    if (!status) runtime_clock_host_waits(&runtime.clock, runtime.clock.all_ready_us);
    return runtime_leave(status);
}

// Gives back everything that the program holds on the device and ends what sticks to it; the last
// error stays for cudaGetLastError, as on a GPU.
cudaError_t cudaDeviceReset(void) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaDeviceReset()");
    if (runtime.forked) return runtime_leave(cudaErrorInitializationError);
    if (runtime.engine) {
        runtime_report_unchecked();
        flush_output();
        runtime_captures_reset();
        runtime_graphs_reset();
        runtime_textures_reset();
        runtime_arrays_reset();
        runtime_streams_reset();
        runtime_events_reset();
        runtime_modules_reset();
        runtime_memory_reset();
    }
    runtime.pending = runtime.sticky = cudaSuccess;
    memset(&runtime.clock, 0, sizeof runtime.clock);
    runtime_limits_reset();
    return runtime_leave(status);
}

// After the program's own exit handlers: stop the engine's threads. Later calls are answered with
// cudaErrorCudartUnloading.
__attribute__((destructor)) static void stop(void) {
    if (pthread_mutex_trylock(&runtime.lock) != 0) return; // another thread is in a call: let it be
    runtime.unloading = true;
    runtime_report_unchecked();
    runtime_say_findings();
    sim_engine_close(runtime.engine);
    runtime.engine = NULL;
    pthread_mutex_unlock(&runtime.lock);
}
