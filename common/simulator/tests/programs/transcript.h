// Programs that print what the runtime answers, call by call. Their output on an H100 is golden
// data, so that error codes are those of the real runtime.
#pragma once

#include <cstdio>
#include <cstring>

static void transcript_say(const char *text, cudaError_t error) {
    cudaGetLastError();
    printf("%s: %s\n", text, cudaGetErrorName(error));
}

// The call as it is in the source, and its answer.
#define SAY(call)         transcript_say(#call, call)
#define SHOW(format, ...) printf(format "\n", __VA_ARGS__)

struct transcript_section {
    const char *name;
    void (*run)();
};

// Runs the section that the command line names, or all of them.
static int transcript_run(int argc, char **argv, const transcript_section *sections, int count) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (int i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], sections[i].name) != 0) continue;
        printf("-- %s\n", sections[i].name);
        sections[i].run();
    }
    return 0;
}
