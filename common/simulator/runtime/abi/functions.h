// The functions of the CUDA runtime that the drop-ins export and that are the same in all versions.
// Those that differ are in api/versions.def, those that nothing here supports in
// api/unsupported.def.
#pragma once

#include "runtime/abi/types.h"

// Pairs of type and name, as a list of F(type, name).
#define RUNTIME_1(F, type, name)      F(type, name)
#define RUNTIME_2(F, type, name, ...) F(type, name), RUNTIME_1(F, __VA_ARGS__)
#define RUNTIME_3(F, type, name, ...) F(type, name), RUNTIME_2(F, __VA_ARGS__)
#define RUNTIME_4(F, type, name, ...) F(type, name), RUNTIME_3(F, __VA_ARGS__)
#define RUNTIME_5(F, type, name, ...) F(type, name), RUNTIME_4(F, __VA_ARGS__)
#define RUNTIME_6(F, type, name, ...) F(type, name), RUNTIME_5(F, __VA_ARGS__)
#define RUNTIME_7(F, type, name, ...) F(type, name), RUNTIME_6(F, __VA_ARGS__)
#define RUNTIME_8(F, type, name, ...) F(type, name), RUNTIME_7(F, __VA_ARGS__)
#define RUNTIME_9(F, type, name, ...) F(type, name), RUNTIME_8(F, __VA_ARGS__)

#define RUNTIME_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, N, ...) RUNTIME_##N
#define RUNTIME_LIST(F, ...)                                                                       \
    RUNTIME_OF(__VA_ARGS__, 9, _, 8, _, 7, _, 6, _, 5, _, 4, _, 3, _, 2, _, 1, _)                  \
    (F, __VA_ARGS__)
#define RUNTIME_PARAMETER(type, name) type name

#define RUNTIME_PER_THREAD(function, suffix, ...)                                                  \
    cudaError_t function(RUNTIME_LIST(RUNTIME_PARAMETER, __VA_ARGS__));
#include "runtime/abi/per_thread.def"
#undef RUNTIME_PER_THREAD

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *, struct cudaExtent *, unsigned int *,
                             cudaArray_t);
cudaError_t cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *, cudaArray_t, int);
cudaError_t cudaArrayGetPlane(cudaArray_t *, cudaArray_t, unsigned int);
cudaError_t cudaArrayGetSparseProperties(struct cudaArraySparseProperties *, cudaArray_t);
cudaError_t cudaChooseDevice(int *, const struct cudaDeviceProp *);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int, int, int, int, enum cudaChannelFormatKind);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *, const struct cudaResourceDesc *);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *, const struct cudaResourceDesc *,
                                    const struct cudaTextureDesc *,
                                    const struct cudaResourceViewDesc *);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t);
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int);
cudaError_t cudaDeviceGetAttribute(int *, enum cudaDeviceAttr, int);
cudaError_t cudaDeviceGetByPCIBusId(int *, const char *);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceGetGraphMemAttribute(int, enum cudaGraphMemAttributeType, void *);
cudaError_t cudaDeviceGetLimit(size_t *, enum cudaLimit);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *, int);
cudaError_t cudaDeviceGetP2PAttribute(int *, enum cudaDeviceP2PAttr, int, int);
cudaError_t cudaDeviceGetPCIBusId(char *, int, int);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *);
cudaError_t cudaDeviceGetStreamPriorityRange(int *, int *);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *, const struct cudaChannelFormatDesc *,
                                                 int);
cudaError_t cudaDeviceGraphMemTrim(int);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache);
cudaError_t cudaDeviceSetGraphMemAttribute(int, enum cudaGraphMemAttributeType, void *);
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t);
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned int);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *, const void *);
cudaError_t cudaFuncGetName(const char **, const void *);
cudaError_t cudaFuncGetParamInfo(const void *, size_t, size_t *, size_t *);
cudaError_t cudaFuncSetAttribute(const void *, enum cudaFuncAttribute, int);
cudaError_t cudaFuncSetCacheConfig(const void *, enum cudaFuncCache);
cudaError_t cudaFuncSetSharedMemConfig(const void *, enum cudaSharedMemConfig);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *, cudaArray_const_t);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceFlags(unsigned int *);
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *, const void *);
cudaError_t cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t cudaGetLastError(void);
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *, cudaMipmappedArray_const_t, unsigned int);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *, cudaSurfaceObject_t);
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaGetSymbolSize(size_t *, const void *);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *, cudaTextureObject_t);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *,
                                                 cudaTextureObject_t);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *, cudaTextureObject_t);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                       size_t, cudaGraph_t);
cudaError_t cudaGraphAddDependencies_v2(cudaGraph_t, const cudaGraphNode_t *,
                                        const cudaGraphNode_t *, const cudaGraphEdgeData *, size_t);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                        size_t, cudaEvent_t);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                      size_t, cudaEvent_t);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                 const struct cudaHostNodeParams *);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const struct cudaKernelNodeParams *);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                     size_t, struct cudaMemAllocNodeParams *);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                    void *);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const struct cudaMemcpy3DParms *);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                     size_t, void *, const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *, cudaGraph_t,
                                             const cudaGraphNode_t *, size_t, void *, const void *,
                                             size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                           size_t, const void *, const void *, size_t, size_t,
                                           enum cudaMemcpyKind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t,
                                   const struct cudaMemsetParams *);
cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *,
                                const cudaGraphEdgeData *, size_t, struct cudaGraphNodeParams *);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t, cudaGraph_t *);
cudaError_t cudaGraphClone(cudaGraph_t *, cudaGraph_t);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *, cudaGraph_t,
                                             unsigned int, unsigned int);
cudaError_t cudaGraphCreate(cudaGraph_t *, unsigned int);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t, const char *, unsigned int);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t, cudaEvent_t *);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t, cudaEvent_t);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t, cudaEvent_t *);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t, cudaEvent_t);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t, unsigned long long *);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                           const struct cudaHostNodeParams *);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                             const struct cudaKernelNodeParams *);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                             const struct cudaMemcpy3DParms *);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t, cudaGraphNode_t, void *,
                                               const void *, size_t, enum cudaMemcpyKind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t, cudaGraphNode_t, void *,
                                                       const void *, size_t, size_t,
                                                       enum cudaMemcpyKind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t, cudaGraphNode_t, const void *,
                                                     const void *, size_t, size_t,
                                                     enum cudaMemcpyKind);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                             const struct cudaMemsetParams *);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t, cudaGraphNode_t,
                                       struct cudaGraphNodeParams *);
cudaError_t cudaGraphGetEdges_v2(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *,
                                 cudaGraphEdgeData *, size_t *);
cudaError_t cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t, cudaGraphNode_t *, size_t *);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t, struct cudaHostNodeParams *);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t, const struct cudaHostNodeParams *);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t, cudaGraphNode_t);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t, cudaLaunchAttributeID,
                                            cudaLaunchAttributeValue *);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t, struct cudaKernelNodeParams *);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t, cudaLaunchAttributeID,
                                            const cudaLaunchAttributeValue *);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t, const struct cudaKernelNodeParams *);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t, struct cudaMemAllocNodeParams *);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t, void *);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t, struct cudaMemcpy3DParms *);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t, const struct cudaMemcpy3DParms *);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t, void *, const void *, size_t,
                                           enum cudaMemcpyKind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t, void *, const void *, size_t,
                                                   size_t, enum cudaMemcpyKind);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t, const void *, const void *,
                                                 size_t, size_t, enum cudaMemcpyKind);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t, struct cudaMemsetParams *);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t, const struct cudaMemsetParams *);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *, cudaGraphNode_t, cudaGraph_t);
cudaError_t cudaGraphNodeGetDependencies_v2(cudaGraphNode_t, cudaGraphNode_t *, cudaGraphEdgeData *,
                                            size_t *);
cudaError_t cudaGraphNodeGetDependentNodes_v2(cudaGraphNode_t, cudaGraphNode_t *,
                                              cudaGraphEdgeData *, size_t *);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t, cudaGraphNode_t, unsigned int *);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t, enum cudaGraphNodeType *);
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t, cudaGraphNode_t, unsigned int);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t, struct cudaGraphNodeParams *);
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t, cudaUserObject_t, unsigned int);
cudaError_t cudaGraphRemoveDependencies_v2(cudaGraph_t, const cudaGraphNode_t *,
                                           const cudaGraphNode_t *, const cudaGraphEdgeData *,
                                           size_t);
cudaError_t cudaGraphRetainUserObject(cudaGraph_t, cudaUserObject_t, unsigned int, unsigned int);
cudaError_t cudaHostAlloc(void **, size_t, unsigned int);
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned int);
cudaError_t cudaHostGetFlags(unsigned int *, void *);
cudaError_t cudaHostRegister(void *, size_t, unsigned int);
cudaError_t cudaHostUnregister(void *);
cudaError_t cudaInitDevice(int, unsigned int, unsigned int);
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t, enum cudaFuncAttribute, int, int);
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *, unsigned int, cudaLibrary_t);
cudaError_t cudaLibraryGetGlobal(void **, size_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetKernelCount(unsigned int *, cudaLibrary_t);
cudaError_t cudaLibraryGetManaged(void **, size_t *, cudaLibrary_t, const char *);
cudaError_t cudaLibraryGetUnifiedFunction(void **, cudaLibrary_t, const char *);
cudaError_t cudaLibraryLoadData(cudaLibrary_t *, const void *, enum cudaJitOption *, void **,
                                unsigned int, enum cudaLibraryOption *, void **, unsigned int);
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *, const char *, enum cudaJitOption *, void **,
                                    unsigned int, enum cudaLibraryOption *, void **, unsigned int);
cudaError_t cudaLibraryUnload(cudaLibrary_t);
cudaError_t cudaLogsCurrent(cudaLogIterator *, unsigned int);
cudaError_t cudaLogsDumpToFile(cudaLogIterator *, const char *, unsigned int);
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *, char *, size_t *, unsigned int);
cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t, void *, cudaLogsCallbackHandle *);
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *, struct cudaExtent);
cudaError_t cudaMalloc3DArray(cudaArray_t *, const struct cudaChannelFormatDesc *,
                              struct cudaExtent, unsigned int);
cudaError_t cudaMallocArray(cudaArray_t *, const struct cudaChannelFormatDesc *, size_t, size_t,
                            unsigned int);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaMallocManaged(void **, size_t, unsigned int);
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *, const struct cudaChannelFormatDesc *,
                                     struct cudaExtent, unsigned int, unsigned int);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMemAdvise_v2(const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *, struct cudaMemLocation *,
                                     enum cudaMemAllocationType);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaMemGetMemPool(cudaMemPool_t *, struct cudaMemLocation *,
                              enum cudaMemAllocationType);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *, const struct cudaMemPoolProps *);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t);
cudaError_t cudaMemPoolExportToShareableHandle(void *, cudaMemPool_t,
                                               enum cudaMemAllocationHandleType, unsigned int);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *, cudaMemPool_t,
                                 struct cudaMemLocation *);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const struct cudaMemAccessDesc *, size_t);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, enum cudaMemPoolAttr, void *);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t);
cudaError_t cudaMemRangeGetAttribute(void *, size_t, enum cudaMemRangeAttribute, const void *,
                                     size_t);
cudaError_t cudaMemRangeGetAttributes(void **, size_t *, enum cudaMemRangeAttribute *, size_t,
                                      const void *, size_t);
cudaError_t cudaMemSetMemPool(struct cudaMemLocation *, enum cudaMemAllocationType, cudaMemPool_t);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t, cudaStream_t);
cudaError_t cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *,
                                                    cudaMipmappedArray_t, int);
cudaError_t cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *,
                                                  cudaMipmappedArray_t);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *, const void *, int, size_t,
                                                                   unsigned int);
cudaError_t cudaOccupancyMaxActiveClusters(int *, const void *, const cudaLaunchConfig_t *);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *, const void *, const cudaLaunchConfig_t *);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *, const void *);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaSetDevice(int);
cudaError_t cudaSetDeviceFlags(unsigned int);
cudaError_t cudaSetValidDevices(int *, int);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned int);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *, unsigned int, int);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *, void *, cudaHostFn_t, unsigned int,
                                 unsigned int);
cudaError_t cudaUserObjectRelease(cudaUserObject_t, unsigned int);
cudaError_t cudaUserObjectRetain(cudaUserObject_t, unsigned int);

#if !defined CUDART_VERSION || CUDART_VERSION >= 13040 // what 13.1 to 13.4 brought
cudaError_t cudaDeviceGetDevResource(int, cudaDevResource *, enum cudaDevResourceType);
cudaError_t cudaDeviceGetExecutionCtx(cudaExecutionContext_t *, int);
cudaError_t cudaDevSmResourceSplitByCount(cudaDevResource *, unsigned int *,
                                          const cudaDevResource *, cudaDevResource *, unsigned int,
                                          unsigned int);
cudaError_t cudaDevSmResourceSplit(cudaDevResource *, unsigned int, const cudaDevResource *,
                                   cudaDevResource *, unsigned int, cudaDevSmResourceGroupParams *);
cudaError_t cudaDevResourceGenerateDesc(cudaDevResourceDesc_t *, cudaDevResource *, unsigned int);
cudaError_t cudaGreenCtxCreate(cudaExecutionContext_t *, cudaDevResourceDesc_t, int, unsigned int);
cudaError_t cudaExecutionCtxDestroy(cudaExecutionContext_t);
cudaError_t cudaExecutionCtxGetDevResource(cudaExecutionContext_t, cudaDevResource *,
                                           enum cudaDevResourceType);
cudaError_t cudaExecutionCtxGetDevice(int *, cudaExecutionContext_t);
cudaError_t cudaExecutionCtxGetId(cudaExecutionContext_t, unsigned long long *);
cudaError_t cudaExecutionCtxStreamCreate(cudaStream_t *, cudaExecutionContext_t, unsigned int, int);
cudaError_t cudaExecutionCtxSynchronize(cudaExecutionContext_t);
cudaError_t cudaExecutionCtxWaitEvent(cudaExecutionContext_t, cudaEvent_t);
cudaError_t cudaExecutionCtxRecordEvent(cudaExecutionContext_t, cudaEvent_t);
cudaError_t cudaFuncGetParamCount(const void *, size_t *);
cudaError_t cudaGraphExecGetId(cudaGraphExec_t, unsigned int *);
cudaError_t cudaGraphGetId(cudaGraph_t, unsigned int *);
cudaError_t cudaGraphNodeGetContainingGraph(cudaGraphNode_t, cudaGraph_t *);
cudaError_t cudaGraphNodeGetLocalId(cudaGraphNode_t, unsigned int *);
cudaError_t cudaGraphNodeGetToolsId(cudaGraphNode_t, unsigned long long *);
#endif
