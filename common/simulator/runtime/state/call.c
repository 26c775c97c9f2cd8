// One call of the API, from runtime_enter to runtime_leave: the lock around it, the device opened
// when it needs one, errors that surface and stick, and the trace. Error rules: CUDA Runtime API
// reference, "Error Handling" and "API synchronization behavior".
#include "runtime/state/internal.h"
#include "advice.h"

enum { CALL_TEXT_BYTES = 256 };

static __thread cudaError_t last_error;
static __thread int thread_device = -1;          // not set yet
static __thread char call_text[CALL_TEXT_BYTES]; // of the call under way
static __thread kl_error call_reason;            // why it failed
static __thread bool call_of_stub;               // nobody sees its result
static __thread char last_reason[KL_ERROR_TEXT]; // of the last call that failed
static __thread const char *host_function;       // the call it came by; NULL: none runs
static __thread cudaError_t error_before;        // the thread's last error when it began

void runtime_describe(cudaError_t status, const char *format, ...) {
    if (!runtime.trace && !status) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call_text, sizeof call_text, format, arguments);
    va_end(arguments);
}

void runtime_host_function(const char *call) {
    if (call) error_before = last_error;
    else last_error = error_before;
    host_function = call;
}

bool runtime_in_host_function(void) { return host_function; }

// A call in a host function: what an H200's driver lets it do there.
static bool is_permitted(void) {
    static const char *const names[] = {
        "cudaGetDeviceCount",   "cudaGetDeviceProperties", "cudaRuntimeGetVersion",
        "cudaDriverGetVersion", "cudaPeekAtLastError",     "cudaEventQuery",
        "cudaEventSynchronize", "cudaGetKernel",           "cudaLogs"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(call_text, names[i], strlen(names[i])) == 0) return true;
    return false;
}

static cudaError_t refuse_in_host_function(void) {
    const char *call = call_of_stub ? "A kernel launch" : runtime_call_name();
    runtime_tell(SIM_CHECK_HOST_FUNCTION,
                 "%s is called in a host function that %s put into a stream, and returns "
                 "cudaErrorNotPermitted: such a function must not call CUDA; let it tell a thread "
                 "of the host, which makes the call",
                 call, host_function);
    return runtime_refuse(cudaErrorNotPermitted,
                          "a host function that %s put into a stream must not call CUDA",
                          host_function);
}

int runtime_thread_device(void) { return thread_device < 0 ? runtime.first_device : thread_device; }

void runtime_thread_device_set(int device) { thread_device = device; }

cudaError_t runtime_enter(unsigned need, const char *format, ...) {
    pthread_mutex_lock(&runtime.lock);
    runtime.calls++;
    if (!runtime.started) runtime_start();
    runtime_watch_open();
    runtime_use(runtime_thread_device());
    call_reason.text[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call_text, sizeof call_text, format, arguments);
    va_end(arguments);
    if (host_function && !is_permitted()) return refuse_in_host_function();
    bool unsafe = need & RUNTIME_UNSAFE;
    need &= ~RUNTIME_UNSAFE;
    if (need == RUNTIME_NOTHING) return cudaSuccess;
    cudaError_t status = runtime_open_device();
    if (!status) runtime_use(runtime.device);
    if (status || need == RUNTIME_OPEN) return status;
    if (runtime.is_lost) return cudaErrorDevicesUnavailable;
    runtime.now->has_context = true;
    if (unsafe && runtime.captures) {
        status = runtime_capture_no_unsafe();
        if (status) return status;
    }
    if (unsafe && need == RUNTIME_SYNC && runtime.tasks) runtime.settle(runtime.device);
    if (need == RUNTIME_SYNC) {
        runtime_output_flush();
        runtime_fault_surface();
    } else {
        runtime_fault_notice();
    }
    return runtime.sticky;
}

// Without the lock, as the functions are the program's.
static void destroy_all(runtime_destructor *destructor) {
    while (destructor) {
        runtime_destructor *next = destructor->next;
        destructor->destroy(destructor->data);
        free(destructor);
        destructor = next;
    }
}

cudaError_t runtime_refuse(cudaError_t status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(call_reason.text, sizeof call_reason.text, format, arguments);
    va_end(arguments);
    return status;
}

cudaError_t runtime_invalid(const char *why) {
    return runtime_refuse(cudaErrorInvalidValue, "%s", why);
}

const char *runtime_call_name(void) {
    static __thread char name[64];
    size_t length = 0;
    while (length + 1 < sizeof name && call_text[length] && call_text[length] != '(') length++;
    memcpy(name, call_text, length);
    name[length] = '\0';
    return name;
}

const char *runtime_reason(void) { return call_reason.text; }

// Why a call failed, once for each reason and never more than a few: an error code says too little,
// and a program that ignores it says nothing.
static void say_reason(cudaError_t status) {
    enum { MOST = 4 };
    static uint64_t said[MOST]; // hashes (FNV-1a)
    static int count;
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *at = call_reason.text; *at; at++)
        hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
    for (int i = 0; i < count; i++)
        if (said[i] == hash) return;
    if (count == MOST) return;
    said[count++] = hash;
    char place[512];
    char text[sizeof call_text + sizeof call_reason.text + sizeof place + 64];
    int used = snprintf(text, sizeof text, "%s returned %s: %s\n", call_text,
                        sim_error_name(status), call_reason.text);
    // A launch comes from a function that nvcc makes; its kernel says more.
    if (strncmp(call_text, "cudaLaunch", strlen("cudaLaunch")) != 0 &&
        runtime_caller_place(place, sizeof place))
        snprintf(text + used, sizeof text - (size_t)used, "  called at %s\n", place);
    runtime_say(text);
}

// Why a call is refused during a capture, or makes one invalid, and what to do instead. What fails
// later, because the capture is invalid, names that call.
static void explain_capture(cudaError_t status) {
    static const struct {
        cudaError_t status;
        kl_advice advice;
    } rows[] = {{cudaErrorStreamCaptureUnsupported, KL_ADVICE_CAPTURE_OUTSIDE},
                {cudaErrorStreamCaptureImplicit, KL_ADVICE_CAPTURE_OTHER_STREAM},
                {cudaErrorStreamCaptureUnjoined, KL_ADVICE_CAPTURE_JOIN},
                {cudaErrorCapturedEvent, KL_ADVICE_CAPTURE_EVENT}};
    static char breaker[64]; // the call that broke a capture last
    if (call_reason.text[0]) return;
    if (status == cudaErrorStreamCaptureInvalidated && breaker[0])
        runtime_refuse(
            status, "%s() has made the capture invalid before, so that it gives no graph", breaker);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].status != status) continue;
        snprintf(breaker, sizeof breaker, "%s", runtime_call_name());
        kl_advise(rows[i].advice, KL_WORDS(breaker), call_reason.text, sizeof call_reason.text);
    }
}

// What a failed call leaves behind, while the lock is still held. Returns whether it is a finding.
static bool note_failed(cudaError_t status) {
    explain_capture(status);
    last_error = status;
    snprintf(last_reason, sizeof last_reason, "%s", call_reason.text);
    bool frees = strncmp(call_text, "cudaFree(", strlen("cudaFree(")) == 0; // told as bad-free
    if (frees) return false;
    if (call_of_stub || host_function) return runtime.faults_are_findings;
    if (runtime_note_failed(status, call_text, call_reason.text)) return true;
    if (status == cudaErrorCooperativeLaunchTooLarge)
        runtime_tell(SIM_CHECK_FAILED_LAUNCH, "%s returned %s and ran nothing: %s", call_text,
                     sim_error_name(status), call_reason.text);
    return false;
}

void runtime_call_is_of_stub(bool is) { call_of_stub = is; }

const char *runtime_last_reason(void) { return last_reason; }

cudaError_t runtime_leave(cudaError_t status) {
    bool failed = status && status != cudaErrorNotReady; // not ready is no error
    bool is_finding = failed && note_failed(status);
    if (runtime.trace) {
        fprintf(stderr, "cuda: %s = %s\n", call_text, sim_error_name(status));
        if (status && call_reason.text[0]) fprintf(stderr, "cuda:   %s\n", call_reason.text);
    } else if (status && call_reason.text[0] && !is_finding) {
        say_reason(status);
    }
    runtime_destructor *destructors = runtime.destructors;
    runtime.destructors = NULL;
    runtime_watch_close();
    pthread_mutex_unlock(&runtime.lock);
    destroy_all(destructors);
    if (failed) runtime_log(call_text, sim_error_name(status), call_reason.text);
    return status;
}

cudaError_t runtime_leave_driver(cudaError_t status) {
    cudaError_t before = last_error;
    runtime_leave(status);
    last_error = before;
    return status;
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
    case SIM_PTX_VERSION: return cudaErrorUnsupportedPtxVersion;
    case SIM_UNSUPPORTED: return cudaErrorNotSupported;
    case SIM_NOT_FOUND: return cudaErrorSymbolNotFound;
    case SIM_LAUNCH_CONFIG: return cudaErrorInvalidConfiguration;
    case SIM_LAUNCH_RESOURCES: return cudaErrorLaunchOutOfResources;
    case SIM_ILLEGAL_ADDRESS: return cudaErrorIllegalAddress;
    case SIM_MISALIGNED_ADDRESS: return cudaErrorMisalignedAddress;
    case SIM_OTHER_SPACE: return cudaErrorInvalidAddressSpace;
    case SIM_NO_BLOCK: return cudaErrorIllegalInstruction; // as on an H200
    case SIM_TENSOR_LEAK: return cudaErrorTensorMemoryLeak;
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

cudaError_t runtime_fail(const kl_error *err) {
    call_reason = *err;
    // A lost engine is lost for good.
    if (err->status == SIM_CONNECTION) runtime.sticky = cudaErrorDevicesUnavailable;
    return runtime_status(err->status);
}

// Also a sticky error is told once: later calls fail with it again until cudaDeviceReset.
cudaError_t runtime_last_error(bool forget) {
    pthread_mutex_lock(&runtime.lock);
    cudaError_t error = last_error;
    if (forget) last_error = cudaSuccess;
    runtime.unchecked[0] = '\0';
    runtime_forget_failed();
    pthread_mutex_unlock(&runtime.lock);
    return error;
}

void runtime_last_error_set(cudaError_t error) { last_error = error; }
