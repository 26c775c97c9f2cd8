// Texture and surface objects (CUDA Runtime API, "Texture Object Management", "Surface Object
// Management").
#include "runtime/abi/interface.h"
#include "runtime/memory/memory.h"

typedef runtime_texture object;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *pTexObject,
                                    const struct cudaResourceDesc *pResDesc,
                                    const struct cudaTextureDesc *pTexDesc,
                                    const struct cudaResourceViewDesc *pResViewDesc) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaCreateTextureObject(%p)", (const void *)pResDesc);
    uint64_t handle = 0;
    if (!status)
        status =
            runtime_texture_create(pTexObject ? &handle : NULL, pResDesc, pTexDesc, pResViewDesc);
    if (!status) *pTexObject = handle;
    return runtime_leave(status);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject,
                                    const struct cudaResourceDesc *pResDesc) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaCreateSurfaceObject(%p)", (const void *)pResDesc);
    uint64_t handle = 0;
    if (!status) status = runtime_surface_create(pSurfObject ? &handle : NULL, pResDesc);
    if (!status) *pSurfObject = handle;
    return runtime_leave(status);
}

// Destroying what is no object does nothing, and the runtime says nothing.
static cudaError_t destroy(const char *call, uint64_t handle, bool surface) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "%s(%llu)", call, (unsigned long long)handle);
    object *found = status ? NULL : runtime_texture_find(handle, surface);
    if (found) runtime_texture_destroy(found);
    return runtime_leave(status);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texObject) {
    return destroy("cudaDestroyTextureObject", texObject, false);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject) {
    return destroy("cudaDestroySurfaceObject", surfObject, true);
}

// Enters a question about an object, which has somewhere to answer.
static cudaError_t enter_object(const char *call, uint64_t handle, bool surface,
                                const void *out_answer, object **out_object) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "%s(%llu)", call, (unsigned long long)handle);
    *out_object = status ? NULL : runtime_texture_find(handle, surface);
    if (!status && (!*out_object || !out_answer)) status = cudaErrorInvalidValue;
    return status;
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaTextureObject_t texObject) {
    object *found;
    cudaError_t status =
        enter_object("cudaGetTextureObjectResourceDesc", texObject, false, pResDesc, &found);
    if (!status) RUNTIME_STRUCT_COPY(cudaResourceDesc, pResDesc, &found->resource);
    return runtime_leave(status);
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc,
                                            cudaTextureObject_t texObject) {
    object *found;
    cudaError_t status =
        enter_object("cudaGetTextureObjectTextureDesc", texObject, false, pTexDesc, &found);
    if (!status) RUNTIME_STRUCT_COPY(cudaTextureDesc, pTexDesc, &found->texture);
    return runtime_leave(status);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                 cudaTextureObject_t texObject) {
    object *found;
    cudaError_t status = enter_object("cudaGetTextureObjectResourceViewDesc", texObject, false,
                                      pResViewDesc, &found);
    if (!status) RUNTIME_STRUCT_COPY(cudaResourceViewDesc, pResViewDesc, &found->view);
    return runtime_leave(status);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc,
                                             cudaSurfaceObject_t surfObject) {
    object *found;
    cudaError_t status =
        enter_object("cudaGetSurfaceObjectResourceDesc", surfObject, true, pResDesc, &found);
    if (!status) RUNTIME_STRUCT_COPY(cudaResourceDesc, pResDesc, &found->resource);
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                                 const struct cudaChannelFormatDesc *fmtDesc,
                                                 int device) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetTexture1DLinearMaxWidth(%d)", device);
    if (!status && (!maxWidthInElements || !fmtDesc)) status = cudaErrorInvalidValue;
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status && runtime_texel_bytes(fmtDesc) == 0) status = cudaErrorInvalidChannelDescriptor;
    size_t texel = status ? 1 : runtime_texel_bytes(fmtDesc),
           most = RUNTIME_TEXTURE_LINEAR_BYTES / 4;
    if (!status) *maxWidthInElements = texel > 4 ? RUNTIME_TEXTURE_LINEAR_BYTES / texel : most;
    return runtime_leave(status);
}
