// The error catalogue: what each common mistake returns, one line a case. The same program runs on
// an H100, whose output is kept (errors_h100.txt, docs/validation.md), and on the simulator, which
// must print the same but for the lines in differences.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

struct error_case {
    const char *name;
    void (*run)();
    bool alone; // faults, or may crash the process: gets one of its own
};

struct case_list {
    const error_case *cases;
    size_t count;
};

extern const case_list memory_cases, copy_cases, symbol_cases, launch_cases, stream_cases,
    device_cases, fault_cases;

#define CASE_LIST(list)                                                                            \
    { list, sizeof list / sizeof *list }

// Appends the error's name to the line of the case under way.
inline void say(cudaError_t error) { printf(" %s", cudaGetErrorName(error)); }

inline void say(const char *word) { printf(" %s", word); }

// A device allocation of `bytes` for a case; stops the program when there is none.
char *device_bytes(size_t bytes);
