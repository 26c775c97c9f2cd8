// What most of the sample programs share, as sample collections do: error checks that end the
// program, and a host random number generator that is the same everywhere.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

template <typename T>
inline void checkResult(T result, const char *expression, const char *file, int line) {
    if (result == cudaSuccess) return;
    fprintf(stderr, "%s:%d: error %d (%s) \"%s\"\n", file, line, (int)result,
            cudaGetErrorName(result), expression);
    exit(EXIT_FAILURE);
}
#define checkCudaErrors(expression) checkResult((expression), #expression, __FILE__, __LINE__)

inline void checkLastError(const char *message, const char *file, int line) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s:%d: %s: (%d) %s\n", file, line, message, (int)error,
            cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}
#define getLastCudaError(message) checkLastError((message), __FILE__, __LINE__)

inline int divUp(int a, int b) { return (a + b - 1) / b; }

class HostRandom {
  public:
    explicit HostRandom(uint64_t seed) : state(seed * 2862933555777941757ull + 3037000493ull) {}
    uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }
    float uniform() { return (float)(next() >> 8) / 16777216.0f; } // [0, 1)
    int below(int limit) { return (int)(((uint64_t)next() * (uint64_t)limit) >> 32); }

  private:
    uint64_t state;
};

// Says the verdict and gives main's exit status.
inline int finish(const char *program, bool passed) {
    printf("%s: %s\n", program, passed ? "passed" : "FAILED");
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
