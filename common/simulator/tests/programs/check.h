// Error checks of the test programs: ordinary CUDA programs that must behave alike on a GPU and on
// the simulator. A failed check prints where and ends the program with status 1.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CUDA_CHECK(call)                                                                           \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                          \
                    cudaGetErrorString(error_));                                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// The call must give just this error.
#define EXPECT_ERROR(call, wanted)                                                                 \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != (wanted)) {                                                                  \
            fprintf(stderr, "%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call,                  \
                    cudaGetErrorName(error_), cudaGetErrorName(wanted));                           \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// The parts of a program that prints no more than that all is well; its exit status.
static inline int run_parts(const std::vector<void (*)()> &parts) {
    for (auto part : parts) {
        part();
        cudaGetLastError(); // that the part has asked for
    }
    printf("ok\n");
    return 0;
}

// Programs that print what the runtime answers, call by call. Their output on an H100 is golden
// data, so that error codes are those of the real runtime.
static inline void transcript_say(const char *text, cudaError_t error) {
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
inline std::vector<transcript_section> transcript_sections; // in their order
struct enter_section {
    enter_section(const char *name, void (*run)()) { transcript_sections.push_back({name, run}); }
};
#define SECTION(name)                                                                              \
    static void name();                                                                            \
    static enter_section name##_entered(#name, name);                                              \
    static void name()

// Runs the section that the command line names, or all of them.
static inline int transcript_run(int argc, char **argv) {
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (const transcript_section &section : transcript_sections) {
        if (argc > 1 && strcmp(argv[1], section.name) != 0) continue;
        printf("-- %s\n", section.name);
        section.run();
    }
    return 0;
}
