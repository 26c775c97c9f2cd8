// Memory of other devices (CUDA Runtime API reference, "Peer Device Memory Access"): who may use
// whose, and copies between two. All simulated devices are joined by NVLink, as H200s of one host.
#include "runtime/api/api.h"
#include "runtime/submit/submit.h"

enum { PARTIAL_ATOMICS = 5 }; // cudaDevP2PAttrOnlyPartialNativeAtomicSupported, since 12.9

static bool is_peer(int device) { return runtime.now->peers >> device & 1; }

static void set_peer(int device, int peer, bool may) {
    uint8_t bit = (uint8_t)(1u << peer), *peers = &runtime.devices[device].peers;
    if ((*peers >> peer & 1) == may) return;
    *peers = may ? *peers | bit : *peers & ~bit;
    sim_device_peer(runtime.engine, (uint32_t)device, (uint32_t)peer, may, NULL);
}

void runtime_peers_reset(void) {
    for (int i = 0; i < runtime.device_count; i++) {
        set_peer(runtime.device, i, false);
        set_peer(i, runtime.device, false);
    }
}

cudaError_t cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice) {
    cudaError_t refused =
        runtime_enter(RUNTIME_NOTHING, "cudaDeviceCanAccessPeer(%d, %d)", device, peerDevice);
    if (refused) return runtime_leave(refused);
    if (!runtime_has_device(device) || !runtime_has_device(peerDevice))
        return runtime_leave(cudaErrorInvalidDevice);
    if (!canAccessPeer) return runtime_leave(cudaErrorInvalidValue);
    *canAccessPeer = device != peerDevice; // no device is its own peer
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attr, int srcDevice,
                                      int dstDevice) {
    cudaError_t refused = runtime_enter(RUNTIME_NOTHING, "cudaDeviceGetP2PAttribute(%d, %d, %d)",
                                        (int)attr, srcDevice, dstDevice);
    if (refused) return runtime_leave(refused);
    if (!value) return runtime_leave(cudaErrorInvalidValue);
    if (!runtime_has_device(srcDevice) || !runtime_has_device(dstDevice) || srcDevice == dstDevice)
        return runtime_leave(cudaErrorInvalidDevice);
    if (attr < cudaDevP2PAttrPerformanceRank || (int)attr > PARTIAL_ATOMICS)
        return runtime_leave(cudaErrorInvalidValue);
    *value = attr != cudaDevP2PAttrPerformanceRank && (int)attr != PARTIAL_ATOMICS;
    return runtime_leave(cudaSuccess);
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceEnablePeerAccess(%d)", peerDevice);
    if (!status && !runtime_has_device(peerDevice)) status = cudaErrorInvalidDevice;
    if (!status && flags) status = cudaErrorInvalidValue;
    if (!status && peerDevice == runtime.device) status = cudaErrorPeerAccessUnsupported;
    if (!status && is_peer(peerDevice)) status = cudaErrorPeerAccessAlreadyEnabled;
    if (!status) set_peer(runtime.device, peerDevice, true);
    return runtime_leave(status);
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDeviceDisablePeerAccess(%d)", peerDevice);
    if (!status && !runtime_has_device(peerDevice)) status = cudaErrorInvalidDevice;
    if (!status && !is_peer(peerDevice)) status = cudaErrorPeerAccessNotEnabled;
    if (!status) set_peer(runtime.device, peerDevice, false);
    return runtime_leave(status);
}

// ---- copies -------------------------------------------------------------------------------------

// Whose memory it is, the addresses tell.
static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device,
                             size_t bytes, cudaStream_t stream) {
    if (!runtime_has_device(to_device) || !runtime_has_device(from_device))
        return cudaErrorInvalidDevice;
    return runtime_submit_copy(runtime_box_linear(to, from, bytes, cudaMemcpyDeviceToDevice),
                               stream, false);
}

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpyPeer(%p, %d, %p, %d, %zu)", dst,
                                       dstDevice, src, srcDevice, count);
    if (!status) status = copy_peer(dst, dstDevice, src, srcDevice, count, NULL);
    return runtime_leave(status);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
                                size_t count, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpyPeerAsync(%p, %d, %p, %d, %zu)",
                                       dst, dstDevice, src, srcDevice, count);
    struct CUstream_st *found = status ? NULL : runtime_stream_find(stream);
    if (found && found->capture) status = runtime_capture_no_stream(found); // as an H200's driver
    if (!status) status = copy_peer(dst, dstDevice, src, srcDevice, count, stream);
    return runtime_leave(status);
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    if (!p) return cudaErrorInvalidValue;
    if (!runtime_has_device(p->srcDevice) || !runtime_has_device(p->dstDevice))
        return cudaErrorInvalidDevice;
    const struct cudaMemcpy3DParms one = {.srcArray = p->srcArray,
                                          .srcPos = p->srcPos,
                                          .srcPtr = p->srcPtr,
                                          .dstArray = p->dstArray,
                                          .dstPos = p->dstPos,
                                          .dstPtr = p->dstPtr,
                                          .extent = p->extent,
                                          .kind = cudaMemcpyDeviceToDevice};
    return runtime_submit_3d(&one, stream, false);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    cudaError_t status = runtime_enter(RUNTIME_SYNC, "cudaMemcpy3DPeer()");
    if (!status) status = copy_3d_peer(p, NULL);
    return runtime_leave(status);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaMemcpy3DPeerAsync(%p)", (void *)stream);
    if (!status) status = copy_3d_peer(p, stream);
    return runtime_leave(status);
}
