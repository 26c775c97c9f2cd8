// Messages of the runtime, and the output of kernels (printf, assert), which waits in the engine.
#include "runtime/state/state.h"

// What was said, for somebody who asks for it; two buffers, one of which is being read.
static char kept[2][4096];
static int keeping = -1; // index into `kept`; -1: nobody has asked

void runtime_say(const char *text) {
    size_t length = strlen(text);
    const char *end = length && text[length - 1] == '\n' ? "" : "\n";
    if (keeping < 0) {
        fprintf(stderr, "simulator: %s%s", text, end);
        return;
    }
    char *buffer = kept[keeping];
    size_t used = strlen(buffer);
    snprintf(buffer + used, sizeof kept[0] - used, "%s%s", text, end);
}

void runtime_say_difference(runtime_difference difference) {
    static const char *const texts[] = {
        [RUNTIME_DIFFERENCE_MEMORY] = "the program asks how much memory there is: that is at most "
                                      "three quarters of what is free on this machine",
        [RUNTIME_DIFFERENCE_BUS] = "the program asks for the device's place on the bus: the "
                                   "simulated device is on none, so that it is 0"};
    static bool said[RUNTIME_DIFFERENCES];
    if (runtime.says_differences && !said[difference]) runtime_say(texts[difference]);
    said[difference] = true;
}

const char *runtime_output_take(void) {
    const char *said = keeping < 0 ? "" : kept[keeping];
    keeping = keeping == 0 ? 1 : 0;
    kept[keeping][0] = '\0';
    return said;
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

static void end_output(void) {
    char *text = NULL;
    if (!runtime.now->output_due || !runtime.engine) return;
    if (sim_take_output(runtime.engine, &text, NULL) == SIM_OK && text && *text) {
        char line[512];
        snprintf(line, sizeof line,
                 "the program ends without waiting for its kernels, so that what they print may "
                 "never appear: cudaDeviceSynchronize() before the end (the first line: \"%.*s\")",
                 (int)strcspn(text, "\n"), text);
        if (runtime.faults_are_findings)
            sim_check_host_finding(runtime.engine, SIM_CHECK_LOST_OUTPUT, line, NULL);
        else runtime_say(line);
    }
    free(text);
}

void runtime_output_end(void) {
    for (int i = 0; i < runtime.device_count; i++) {
        runtime_use(i);
        end_output();
    }
}

// Device printf appears when the host waits, as on a GPU.
void runtime_output_flush(void) {
    if (!runtime.now->output_due || !runtime.engine) return;
    runtime.now->output_due = false;
    char *text = NULL;
    if (sim_take_output(runtime.engine, &text, NULL) == SIM_OK && text && *text) print_output(text);
    free(text);
}
