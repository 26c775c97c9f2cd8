// SPDX-License-Identifier: MIT
// What the simulated device says about itself: attributes (device/attributes.def) and the
// properties structure, which is filled from the same rows so that the two never disagree.
#include <stdio.h>
#include <string.h>

#include "device/cuda_numbers.h"
#include "runtime/state/call.h"
#include "runtime/state/state.h"

#define RUNTIME_ATTRIBUTE(id, number, value) _Static_assert((int)cudaDevAttr##id == (number), #id);
#include "device/attributes.def"
#undef RUNTIME_ATTRIBUTE

static int value_of(const sim_device *d, enum cudaDeviceAttr attribute) {
    int value = 0;
    sim_attribute(d, (int)attribute, &value);
    return value;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device) {
    cudaError_t status =
        runtime_enter(RUNTIME_OPEN, "cudaDeviceGetAttribute(%d, %d)", (int)attr, device);
    if (!status && !value) status = cudaErrorInvalidValue;
    if (!status && device != 0) status = cudaErrorInvalidDevice;
    if (!status && !sim_attribute(sim_engine_device(runtime.engine), (int)attr, value))
        status = cudaErrorInvalidValue;
    return runtime_leave(status);
}

static void fill_attributes(struct cudaDeviceProp *p, const sim_device *d) {
#define RUNTIME_PROPERTY(field, attribute)                                                         \
    p->field = (__typeof__(p->field))value_of(d, cudaDevAttr##attribute);
#include "runtime/api/properties.def"
#undef RUNTIME_PROPERTY
}

// Those that the device has as numbers of its own.
static void fill_limits(struct cudaDeviceProp *p, const sim_device *d) {
    p->sharedMemPerBlock = d->shared_bytes_per_block;
    p->sharedMemPerBlockOptin = d->shared_bytes_per_block_optin;
    p->sharedMemPerMultiprocessor = d->shared_bytes_per_sm;
    p->reservedSharedMemPerBlock = d->shared_reserved_bytes;
    p->regsPerBlock = (int)d->registers_per_block;
    p->regsPerMultiprocessor = (int)d->registers_per_sm;
    p->maxThreadsPerBlock = (int)d->threads_per_block;
    p->maxThreadsPerMultiProcessor = (int)d->threads_per_sm;
    p->maxBlocksPerMultiProcessor = (int)d->blocks_per_sm;
    p->l2CacheSize = (int)d->l2_bytes;
    p->multiProcessorCount = (int)d->sm_count;
    p->major = (int)d->compute_major;
    p->minor = (int)d->compute_minor;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device) {
    cudaError_t status = runtime_enter(RUNTIME_OPEN, "cudaGetDeviceProperties(%d)", device);
    if (!status && !prop) status = cudaErrorInvalidValue;
    if (!status && device != 0) status = cudaErrorInvalidDevice;
    if (!status) {
        const sim_device *d = sim_engine_device(runtime.engine);
        uint64_t free_bytes = 0, total_bytes = 0;
        sim_memory_info(runtime.engine, &free_bytes, &total_bytes, NULL);
        memset(prop, 0, sizeof *prop);
        snprintf(prop->name, sizeof prop->name, "%s (simulated)", d->name);
        memcpy(prop->uuid.bytes, "simulated device", sizeof prop->uuid.bytes);
        prop->totalGlobalMem = total_bytes;
        fill_attributes(prop, d);
        fill_limits(prop, d);
    }
    return runtime_leave(status);
}
