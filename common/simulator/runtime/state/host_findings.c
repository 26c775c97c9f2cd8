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
             sim_error_name(status), reason[0] ? ": " : "", reason);
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

// ---- findings -----------------------------------------------------------------------------------
// LADDER_SIM_MODE=check without an engine process: the findings in short, on standard error, when
// the program ends. `ladder check` shows them with their source lines and sets the exit status.

static void say_side(const sim_check_side *side, const char *word) {
    static const char *const verbs[] = {"at", "read at", "write at", "atomic at"};
    static const char *const nouns[] = {"use", "read", "write", "atomic"};
    const char *slash = strrchr(side->file, '/');
    if (side->line == 0 && side->action == SIM_ACTION_NONE) return;
    if (side->call[0]) {
        fprintf(stderr, "  %s%s by %s at %s\n", word, nouns[side->action], side->call, side->file);
        return;
    }
    fprintf(stderr, "  %s%s ", word, verbs[side->action]);
    if (side->line == 0) fputs("an unknown line", stderr);
    else fprintf(stderr, "%s:%" PRIu32, slash ? slash + 1 : side->file, side->line);
    if (side->kernel[0]) {
        fprintf(stderr, ", kernel %s\n", side->kernel);
        return;
    }
    fprintf(stderr, ", thread (%u,%u,%u) of block (%u,%u,%u)\n", side->thread.x, side->thread.y,
            side->thread.z, side->block.x, side->block.y, side->block.z);
}

static void say_finding(const sim_finding *f) {
    fprintf(stderr, "simulator: %s: %s", sim_check_name(f->kind), sim_check_meaning(f->kind));
    if (f->count > 1) fprintf(stderr, " (%" PRIu64 " times)", f->count);
    fputc('\n', stderr);
    if (f->kernel[0]) fprintf(stderr, "  in kernel %s, launch %" PRIu32 "\n", f->kernel, f->launch);
    say_side(&f->sides[0], "");
    say_side(&f->sides[1], "and ");
    if (f->variable[0])
        fprintf(stderr, "  %s memory: %s + %" PRIu64 "\n", f->space, f->variable,
                f->allocation_offset);
    else if (f->allocation && f->kind != SIM_CHECK_LEAK)
        fprintf(stderr, "  %s memory: allocation %" PRIu32 " (%" PRIu64 " bytes) + %" PRIu64 "\n",
                f->space, f->allocation, f->allocation_bytes, f->allocation_offset);
    if (f->text[0]) fprintf(stderr, "  %s\n", f->text);
}

void runtime_say_findings(void) {
    sim_check_report *report;
    if (!runtime.says_findings || !runtime.engine) return;
    if (sim_check_report_get(runtime.engine, &report, NULL) != SIM_OK) return;
    for (uint32_t i = 0; i < report->count; i++) say_finding(&report->findings[i]);
    uint64_t count = report->count + report->left_out;
    fprintf(stderr, "simulator: %" PRIu64 " finding%s in %" PRIu64 " launch%s\n", count,
            count == 1 ? "" : "s", report->launches, report->launches == 1 ? "" : "es");
    sim_check_report_free(report);
}
