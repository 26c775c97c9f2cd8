// What happened when: the clock's spans go to the engine, with the calls' and kernels' names, when
// LADDER_SIM_SPANS asks for them.
#include "runtime/state/internal.h"
#include <string.h>

static const char *span_kernel = "";

void runtime_span_kernel(const char *name) { span_kernel = name; }

// Threads of the host are numbered as they come.
static uint8_t host_thread(void) {
    static uint8_t count;
    static __thread int number = -1;
    if (number < 0) number = count < UINT8_MAX ? count++ : UINT8_MAX;
    return (uint8_t)number;
}

static void tell_span(const sim_span *span) {
    char text[512] = "";
    sim_span whole = *span;
    if (!runtime.engine) return;
    if (span->unit == SIM_UNIT_HOST) {
        whole.thread = host_thread();
        if (runtime.span_places) runtime_call_places(text);
        else strcpy(text, runtime_call_name());
    }
    sim_span_add(runtime.engine, span->begin_us, span->end_us, span->bytes, span->waits_for,
                 span->call, span->stream, sim_span_pack(&whole),
                 span->kind == SIM_SPAN_KERNEL ? span_kernel : text, NULL);
}

// The state's beginning, which looks at the environment, stands below the calls.
__attribute__((constructor)) static void offer_recorder(void) { runtime.span_recorder = tell_span; }
