// The contract of lab 11, scan (prefix sums): what every step takes, gives and may use.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scan_type {
    SCAN_INT = 0,   // 32-bit integers; sums wrap as those of unsigned integers do
    SCAN_FLOAT = 1, // NaN and infinities go on as IEEE 754 says
} scan_type;

typedef enum scan_kind {
    SCAN_INCLUSIVE = 0, // y[i] = x[0] + ... + x[i]
    SCAN_EXCLUSIVE = 1, // y[i] = x[0] + ... + x[i-1]; y[0] = 0
} scan_kind;

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { SCAN_NOT_IMPLEMENTED = -1 };

// Writes the sums of all beginnings of d_x to d_y.
//
//   d_x              device, [n] elements of 4 bytes of `type`; only read, unless it is d_y. The
//                    address is a multiple of 4 bytes, NOT always of 16. NULL when n is 0.
//   n                elements, 0 <= n <= 2^30
//   type, kind       what to compute
//   d_y              device, [n], written in every call. It is d_x itself (in place), or does not
//                    overlap it; then its address need not lie like that of d_x within 16 bytes.
//   d_workspace      device, 256-byte aligned, at least scan_workspace_bytes(n) bytes
//   workspace_bytes  its size
//
// The workspace is zeroed once, before the first of many calls with different n. A step that relies
// on zeros must leave them behind. Apart from that its contents may be anything of its own.
// All work goes to the default stream; a step need not wait for it to finish. Calls of one
// workspace follow one another.
//
// Accuracy of floats: any order of additions is allowed in which no element takes part in more than
// scan_longest_chain(n) of them; reference.c turns this into the error bound. Subtracting is not
// allowed: of an infinity it gives NaN.
//
// Returns 0, a cudaError_t, or SCAN_NOT_IMPLEMENTED. cudaErrorInvalidValue when n is out of range,
// type or kind unknown or the workspace too small.
typedef int scan_function(const void *d_x, int64_t n, scan_type type, scan_kind kind, void *d_y,
                          void *d_workspace, size_t workspace_bytes);

scan_function scan_step0, scan_step1, scan_step2, scan_step3, scan_step4, scan_step5, scan_step6,
    scan_step7, scan_step8, scan_step9, scan_step10;
scan_function scan_vendor; // the toolkit's library, for comparison

// Layout that the given code uses: 256 bytes for counters, then 16 bytes for each 1,024 elements.
// At least 64 KiB in all.
enum {
    SCAN_COUNTER_BYTES = 256,
    SCAN_LEAST_TILE = 1024,
    SCAN_TILE_BYTES = 16,
    SCAN_WORKSPACE_LEAST = 64 << 10,
};

static inline size_t scan_workspace_bytes(int64_t n) {
    size_t tiles = (size_t)n / SCAN_LEAST_TILE + 2; // one more where a tile begins before x
    size_t bytes = SCAN_COUNTER_BYTES + tiles * SCAN_TILE_BYTES;
    bytes = (bytes + 255) / 256 * 256;
    return bytes < SCAN_WORKSPACE_LEAST ? SCAN_WORKSPACE_LEAST : bytes;
}

// The longest allowed chain of additions: reference.c derives it.
static inline int64_t scan_longest_chain(int64_t n) {
    return n / 1024 + 64;
}

#ifdef __cplusplus
}
#endif
