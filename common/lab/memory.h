// SPDX-License-Identifier: MIT
// How much memory cases take and how much there is. An estimate from below: what a reference uses
// only while it computes is not in it. Must not touch CUDA.
#ifndef KL_MEMORY_H
#define KL_MEMORY_H

#include "problem.h"

// Bytes that a plan takes; zeros before the first kl_memory_add.
typedef struct kl_memory_need {
    uint64_t kept_bytes;      // inputs and answers of all cases
    uint64_t case_bytes;      // buffers of a step's one call, the largest
    uint64_t output_bytes;    // of them those that come back to the host
    uint64_t workspace_bytes; // the largest that a case asks for
} kl_memory_need;

// Adds a case. KL_ERROR_MEMORY when a size overflows.
kl_status kl_memory_add(kl_memory_need *need, const kl_problem *problem, const kl_case *shape,
                        kl_error *err);
// In the process and, when the device is simulated, for its memory; on the device.
uint64_t kl_memory_on_host(const kl_memory_need *need, bool simulated);
uint64_t kl_memory_on_device(const kl_memory_need *need);

// Bytes of host memory that may still be taken: MemAvailable of the system, or what the control
// groups of this process leave, or LADDER_HOST_MEMORY (a number of bytes, for tests), whichever is
// least. UINT64_MAX: unknown.
uint64_t kl_memory_available(void);

#endif
