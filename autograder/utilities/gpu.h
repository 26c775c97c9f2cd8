// SPDX-License-Identifier: MIT
// The GPU of this machine, as its driver tells of it.
#ifndef LADDER_UTILITIES_GPU_H
#define LADDER_UTILITIES_GPU_H

#include <stdbool.h>
#include <stdint.h>

// What the driver says about the first GPU.
typedef struct ladder_gpu {
    char name[128];        // "NVIDIA H200"
    int sm;                // compute capability times 10; 0: not known
    double bytes_s;        // of its memory at the rated clock; 0: not known
    uint64_t l2_bytes;     // 0: not known
    uint64_t memory_bytes; // of the device; 0: not known
} ladder_gpu;

// True when a real GPU can be used: the driver's library loads and reports a device.
bool ladder_gpu_present(void);
// The same, and what card it is.
bool ladder_gpu_find(ladder_gpu *out_gpu);

#endif
