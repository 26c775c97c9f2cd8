// Findings in host code: see state.h.
#include "runtime/state/internal.h"
#include <dlfcn.h>

enum { TEXT_BYTES = 1800, FAILED_MOST = 16, TOLD_MOST = 256 };

typedef struct failed_call {
    char text[TEXT_BYTES];
} failed_call;

static char refused[64]; // the first function that was not supported
static failed_call failed[FAILED_MOST];
static int failed_count;

// The call's place and those of the functions around it, since the toolkit's headers call for the
// program.
static void append_places(char text[TEXT_BYTES], void *const *frames, int count) {
    enum { PLACES = 16 };
    Dl_info first, info;
    for (int i = 0; i < count && i < PLACES; i++) {
        char place[256];
        size_t used = strlen(text);
        if (!dladdr(frames[i], i == 0 ? &first : &info)) return;
        if (i > 0 && info.dli_fbase != first.dli_fbase) return; // the library that calls main
        // One byte before the return address lies the call itself.
        if (!runtime_code_place((uint64_t)(uintptr_t)frames[i] - 1, place, sizeof place) ||
            used + strlen(place) + 5 > TEXT_BYTES)
            return;
        snprintf(text + used, TEXT_BYTES - used, "\nat %s", place);
    }
}

static void send(sim_check_class kind, const char *text) {
    if (runtime.engine) sim_check_host_finding(runtime.engine, kind, text, NULL);
}

void runtime_tell(sim_check_class kind, const char *format, ...) {
    static struct {
        const void *code;
        sim_check_class kind;
    } told[TOLD_MOST];
    static int told_count;
    char text[TEXT_BYTES];
    void *frames[RUNTIME_FRAMES];
    int count = runtime.faults_are_findings ? runtime_program_frames(frames, RUNTIME_FRAMES) : 0;
    if (count == 0) return;
    for (int i = 0; i < told_count; i++)
        if (told[i].code == frames[0] && told[i].kind == kind) return;
    if (told_count < TOLD_MOST) {
        told[told_count].code = frames[0];
        told[told_count++].kind = kind;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    append_places(text, frames, count);
    send(kind, text);
}

void runtime_tell_caller(const char *kernel) {
    uint32_t count = 0;
    void *frames[RUNTIME_FRAMES];
    char text[TEXT_BYTES] = "";
    if (!runtime.faults_are_findings || !sim_kernel_library(kernel)) return;
    sim_check_library_findings(runtime.engine, &count, NULL);
    int found = count > 0 ? runtime_program_frames(frames, RUNTIME_FRAMES) : 0;
    if (found == 0) return;
    append_places(text, frames, found);
    sim_check_called_at(runtime.engine, text, NULL);
}

bool runtime_note_failed(cudaError_t status, const char *call, const char *reason) {
    void *frames[RUNTIME_FRAMES];
    if (!runtime.faults_are_findings || runtime.sticky || refused[0] || failed_count == FAILED_MOST)
        return false;
    int count = runtime_program_frames(frames, RUNTIME_FRAMES);
    if (count == 0 || !runtime_result_is_unused(frames, count)) return false;
    char text[TEXT_BYTES];
    snprintf(text, sizeof text, "%.300s returned %s and did nothing%s%.400s", call,
             runtime_error_name(status), reason[0] ? ": " : "", reason);
    append_places(text, frames, count);
    for (int i = 0; i < failed_count; i++)
        if (strcmp(failed[i].text, text) == 0) return true;
    memcpy(failed[failed_count++].text, text, sizeof text);
    return true;
}

void runtime_note_refused(const char *function) {
    enum { SAID_MOST = 128 };
    static const char *said[SAID_MOST]; // constants of the callers
    static int said_count;
    char text[256];
    if (!refused[0]) snprintf(refused, sizeof refused, "%s", function);
    runtime_tell(SIM_CHECK_REFUSED,
                 "%s is not supported by the simulator: the call did nothing and returned error "
                 "801 (not supported). That is no mistake of the program; findings that may follow "
                 "from it are left out",
                 function);
    for (int i = 0; i < said_count; i++)
        if (strcmp(said[i], function) == 0) return;
    if (said_count < SAID_MOST) said[said_count++] = function;
    snprintf(text, sizeof text, "%s is not supported", function);
    runtime_say(text);
}

const char *runtime_first_refused(void) { return refused; }

void runtime_forget_failed(void) {
    for (int i = 0; i < failed_count; i++) runtime_say(failed[i].text);
    failed_count = 0;
}

void runtime_report_failed(void) {
    for (int i = 0; i < failed_count; i++) send(SIM_CHECK_UNCHECKED_CALL, failed[i].text);
    failed_count = 0;
}
