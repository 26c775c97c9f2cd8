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

static void fill_texture_limits(struct cudaDeviceProp *p, const sim_device *d) {
    p->maxTexture1D = value_of(d, cudaDevAttrMaxTexture1DWidth);
    p->maxTexture1DMipmap = value_of(d, cudaDevAttrMaxTexture1DMipmappedWidth);
    p->maxTexture2D[0] = value_of(d, cudaDevAttrMaxTexture2DWidth);
    p->maxTexture2D[1] = value_of(d, cudaDevAttrMaxTexture2DHeight);
    p->maxTexture2DMipmap[0] = value_of(d, cudaDevAttrMaxTexture2DMipmappedWidth);
    p->maxTexture2DMipmap[1] = value_of(d, cudaDevAttrMaxTexture2DMipmappedHeight);
    p->maxTexture2DLinear[0] = value_of(d, cudaDevAttrMaxTexture2DLinearWidth);
    p->maxTexture2DLinear[1] = value_of(d, cudaDevAttrMaxTexture2DLinearHeight);
    p->maxTexture2DLinear[2] = value_of(d, cudaDevAttrMaxTexture2DLinearPitch);
    p->maxTexture2DGather[0] = value_of(d, cudaDevAttrMaxTexture2DGatherWidth);
    p->maxTexture2DGather[1] = value_of(d, cudaDevAttrMaxTexture2DGatherHeight);
    p->maxTexture3D[0] = value_of(d, cudaDevAttrMaxTexture3DWidth);
    p->maxTexture3D[1] = value_of(d, cudaDevAttrMaxTexture3DHeight);
    p->maxTexture3D[2] = value_of(d, cudaDevAttrMaxTexture3DDepth);
    p->maxTexture3DAlt[0] = value_of(d, cudaDevAttrMaxTexture3DWidthAlt);
    p->maxTexture3DAlt[1] = value_of(d, cudaDevAttrMaxTexture3DHeightAlt);
    p->maxTexture3DAlt[2] = value_of(d, cudaDevAttrMaxTexture3DDepthAlt);
    p->maxTextureCubemap = value_of(d, cudaDevAttrMaxTextureCubemapWidth);
    p->maxTexture1DLayered[0] = value_of(d, cudaDevAttrMaxTexture1DLayeredWidth);
    p->maxTexture1DLayered[1] = value_of(d, cudaDevAttrMaxTexture1DLayeredLayers);
    p->maxTexture2DLayered[0] = value_of(d, cudaDevAttrMaxTexture2DLayeredWidth);
    p->maxTexture2DLayered[1] = value_of(d, cudaDevAttrMaxTexture2DLayeredHeight);
    p->maxTexture2DLayered[2] = value_of(d, cudaDevAttrMaxTexture2DLayeredLayers);
    p->maxTextureCubemapLayered[0] = value_of(d, cudaDevAttrMaxTextureCubemapLayeredWidth);
    p->maxTextureCubemapLayered[1] = value_of(d, cudaDevAttrMaxTextureCubemapLayeredLayers);
}

static void fill_surface_limits(struct cudaDeviceProp *p, const sim_device *d) {
    p->maxSurface1D = value_of(d, cudaDevAttrMaxSurface1DWidth);
    p->maxSurface2D[0] = value_of(d, cudaDevAttrMaxSurface2DWidth);
    p->maxSurface2D[1] = value_of(d, cudaDevAttrMaxSurface2DHeight);
    p->maxSurface3D[0] = value_of(d, cudaDevAttrMaxSurface3DWidth);
    p->maxSurface3D[1] = value_of(d, cudaDevAttrMaxSurface3DHeight);
    p->maxSurface3D[2] = value_of(d, cudaDevAttrMaxSurface3DDepth);
    p->maxSurface1DLayered[0] = value_of(d, cudaDevAttrMaxSurface1DLayeredWidth);
    p->maxSurface1DLayered[1] = value_of(d, cudaDevAttrMaxSurface1DLayeredLayers);
    p->maxSurface2DLayered[0] = value_of(d, cudaDevAttrMaxSurface2DLayeredWidth);
    p->maxSurface2DLayered[1] = value_of(d, cudaDevAttrMaxSurface2DLayeredHeight);
    p->maxSurface2DLayered[2] = value_of(d, cudaDevAttrMaxSurface2DLayeredLayers);
    p->maxSurfaceCubemap = value_of(d, cudaDevAttrMaxSurfaceCubemapWidth);
    p->maxSurfaceCubemapLayered[0] = value_of(d, cudaDevAttrMaxSurfaceCubemapLayeredWidth);
    p->maxSurfaceCubemapLayered[1] = value_of(d, cudaDevAttrMaxSurfaceCubemapLayeredLayers);
    p->surfaceAlignment = (size_t)value_of(d, cudaDevAttrSurfaceAlignment);
    p->textureAlignment = (size_t)value_of(d, cudaDevAttrTextureAlignment);
    p->texturePitchAlignment = (size_t)value_of(d, cudaDevAttrTexturePitchAlignment);
}

static void fill_limits(struct cudaDeviceProp *p, const sim_device *d) {
    p->sharedMemPerBlock = d->shared_bytes_per_block;
    p->sharedMemPerBlockOptin = d->shared_bytes_per_block_optin;
    p->sharedMemPerMultiprocessor = d->shared_bytes_per_sm;
    p->reservedSharedMemPerBlock = d->shared_reserved_bytes;
    p->regsPerBlock = (int)d->registers_per_block;
    p->regsPerMultiprocessor = (int)d->registers_per_sm;
    p->warpSize = value_of(d, cudaDevAttrWarpSize);
    p->memPitch = (size_t)value_of(d, cudaDevAttrMaxPitch);
    p->maxThreadsPerBlock = (int)d->threads_per_block;
    p->maxThreadsPerMultiProcessor = (int)d->threads_per_sm;
    p->maxBlocksPerMultiProcessor = (int)d->blocks_per_sm;
    p->maxThreadsDim[0] = value_of(d, cudaDevAttrMaxBlockDimX);
    p->maxThreadsDim[1] = value_of(d, cudaDevAttrMaxBlockDimY);
    p->maxThreadsDim[2] = value_of(d, cudaDevAttrMaxBlockDimZ);
    p->maxGridSize[0] = value_of(d, cudaDevAttrMaxGridDimX);
    p->maxGridSize[1] = value_of(d, cudaDevAttrMaxGridDimY);
    p->maxGridSize[2] = value_of(d, cudaDevAttrMaxGridDimZ);
    p->totalConstMem = (size_t)value_of(d, cudaDevAttrTotalConstantMemory);
    p->l2CacheSize = (int)d->l2_bytes;
    p->persistingL2CacheMaxSize = value_of(d, cudaDevAttrMaxPersistingL2CacheSize);
    p->accessPolicyMaxWindowSize = value_of(d, cudaDevAttrMaxAccessPolicyWindowSize);
    p->memoryBusWidth = value_of(d, cudaDevAttrGlobalMemoryBusWidth);
    p->multiProcessorCount = (int)d->sm_count;
    p->major = (int)d->compute_major;
    p->minor = (int)d->compute_minor;
}

static void fill_features(struct cudaDeviceProp *p, const sim_device *d) {
    p->canMapHostMemory = value_of(d, cudaDevAttrCanMapHostMemory);
    p->concurrentKernels = value_of(d, cudaDevAttrConcurrentKernels);
    p->ECCEnabled = value_of(d, cudaDevAttrEccEnabled);
    p->asyncEngineCount = value_of(d, cudaDevAttrAsyncEngineCount);
    p->unifiedAddressing = value_of(d, cudaDevAttrUnifiedAddressing);
    p->streamPrioritiesSupported = value_of(d, cudaDevAttrStreamPrioritiesSupported);
    p->globalL1CacheSupported = value_of(d, cudaDevAttrGlobalL1CacheSupported);
    p->localL1CacheSupported = value_of(d, cudaDevAttrLocalL1CacheSupported);
    p->managedMemory = value_of(d, cudaDevAttrManagedMemory);
    p->concurrentManagedAccess = value_of(d, cudaDevAttrConcurrentManagedAccess);
    p->computePreemptionSupported = value_of(d, cudaDevAttrComputePreemptionSupported);
    p->canUseHostPointerForRegisteredMem =
        value_of(d, cudaDevAttrCanUseHostPointerForRegisteredMem);
    p->cooperativeLaunch = value_of(d, cudaDevAttrCooperativeLaunch);
    p->hostRegisterSupported = value_of(d, cudaDevAttrHostRegisterSupported);
    p->hostRegisterReadOnlySupported = value_of(d, cudaDevAttrHostRegisterReadOnlySupported);
    p->memoryPoolsSupported = value_of(d, cudaDevAttrMemoryPoolsSupported);
    p->clusterLaunch = value_of(d, cudaDevAttrClusterLaunch);
    p->deviceNumaId = value_of(d, cudaDevAttrNumaId);
    p->hostNumaId = value_of(d, cudaDevAttrHostNumaId);
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
        fill_limits(prop, d);
        fill_features(prop, d);
        fill_texture_limits(prop, d);
        fill_surface_limits(prop, d);
    }
    return runtime_leave(status);
}
