// The error catalogue: what each common mistake returns, one line a case. The same program runs on
// an H100, whose output is kept (errors_h100.txt, docs/validation.md), and on the simulator, which
// must print the same but for the lines in differences.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

struct error_case {
    const char *name;
    void (*run)();
    bool alone; // faults, or may crash the process: gets one of its own
};

typedef std::vector<error_case> case_list;
extern case_list memory_cases, copy_cases, symbol_cases, launch_cases, stream_cases, device_cases,
    fault_cases;

// CASE(list, name) { .. }: one of a list, in their order; ALONE: one that gets a process.
struct enter_case {
    enter_case(case_list &list, const error_case &entered) { list.push_back(entered); }
};
#define ENTER(list, name, alone)                                                                   \
    static void name##_case();                                                                     \
    static enter_case name##_entered(list, {#name, name##_case, alone});                           \
    static void name##_case()
#define CASE(list, name)  ENTER(list, name, false)
#define ALONE(list, name) ENTER(list, name, true)

// Appends the error's name to the line of the case under way.
inline void say(cudaError_t error) { printf(" %s", cudaGetErrorName(error)); }

// The same, and what the call answers.
template <typename T> void say(cudaError_t error, const T &answer) {
    say(error);
    printf(" %lld", (long long)answer);
}

#define LAUNCH(...)                                                                                \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        say(cudaGetLastError());                                                                   \
    } while (0)

inline void say(const char *word) { printf(" %s", word); }

// A device allocation of `bytes` for a case; stops the program when there is none.
char *device_bytes(size_t bytes);
