// Error checks of the test programs: ordinary CUDA programs that must behave alike on a GPU and on
// the simulator. A failed check prints where and ends the program with status 1.
#pragma once

#include <cstdio>
#include <cstdlib>

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
