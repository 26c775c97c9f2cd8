// SPDX-License-Identifier: MIT
// A case as plain data, which crosses the socket between the judge and ladder-runner: how large its
// buffers are and where they lie.
#ifndef KL_CASE_LAYOUT_H
#define KL_CASE_LAYOUT_H

#include "problem.h"

enum {
    KL_CASE_FENCE = 256, // bytes of poison around what has fences, so that both ends stay aligned
    KL_CASE_ALIGN = 256  // of each buffer where buffers lie one after the other
};

// What a case is like: plain data.
typedef struct kl_case_layout {
    int32_t input_count, output_count;     // buffers
    uint64_t input_bytes[KL_MAX_BUFFERS];  // [input_count]
    uint64_t output_bytes[KL_MAX_BUFFERS]; // [output_count]
    uint32_t input_offset[KL_MAX_BUFFERS]; // bytes past a 256-byte boundary on the device
    uint64_t workspace_bytes;              // of this case
    uint64_t workspace_max_bytes;          // of all cases; allocated and zeroed once
    uint64_t prepared_bytes;               // for what a preparation makes of each set
    int32_t prepare_inputs;                // the preparation sees the inputs before this one
    uint32_t sets;                         // of inputs; the call of slot s uses set s % sets
    uint32_t slots;                        // of outputs
    uint32_t host;   // 1: the step is a function of host memory, and so are its buffers
    uint32_t fenced; // 1: poison lies behind inputs and around outputs, and fetching looks at it
    uint32_t packed; // 1: all outputs lie in one block as they are fetched; not with fences
} kl_case_layout;

// A set's scalars: they belong to its data, as a factor drawn from the same seed does.
typedef struct kl_case_scalars {
    int64_t ints[KL_MAX_SCALARS]; // in the order of the lab's problem
    double reals[KL_MAX_SCALARS]; // likewise
} kl_case_scalars;

static inline uint64_t kl_case_aligned(uint64_t bytes) {
    return (bytes + KL_CASE_ALIGN - 1) / KL_CASE_ALIGN * KL_CASE_ALIGN;
}

// Bytes of buffers one after the other: of one set of inputs, or of the outputs of one slot.
static inline uint64_t kl_case_span(const uint64_t *bytes, int count) {
    uint64_t span = 0;
    for (int i = 0; i < count; i++) span += kl_case_aligned(bytes[i]);
    return span;
}

// The layout of cases of one shape, sets[count], with one slot; without fences, in separate
// buffers.
kl_case_layout kl_case_layout_of(const kl_prepared *const *sets, int count,
                                 uint64_t workspace_max_bytes);
kl_case_scalars kl_case_scalars_of(const kl_prepared *set);

#endif
