// SPDX-License-Identifier: MIT
// The ceilings of the present device: how fast it can read memory, copy memory, multiply and
// add floats, and launch kernels.
// On a GPU they are measured with the probes of probes.cu; the simulator states those of its model.
// They are what "percent of ceiling" means; they must never come from a data sheet.
#ifndef KL_CEILINGS_H
#define KL_CEILINGS_H

#include "device.h"

// The ceilings of one device; a value is NaN when it is not known.
typedef struct kl_ceilings {
    double read_gbs;      // 10^9 bytes read a second
    double copy_gbs;      // 10^9 bytes read plus written a second
    double launch_us;     // time of an empty kernel, launched back to back
    double fma_tflops;    // 10^12 float operations per second; a fused multiply-add counts as two
    double tensor_tflops; // likewise of products of halves on tensor cores, sums in float
} kl_ceilings;

// Uses CUDA in the calling process.
kl_status kl_ceilings_find(const kl_device *device, kl_ceilings *out_ceilings, kl_error *err);

#endif
