// What the tests of the drop-in runtime share: the launch ABI's functions, and a registered module
// with a kernel, a kernel that its image lacks, a variable and a managed variable.
#pragma once

#include <check.h>

#include "runtime/abi/functions.h"

#include "support/fake_engine.h"

// As 13 has them (api/versions.def).
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, cudaGraphExecUpdateResultInfo *);
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *,
                                     const cudaGraphEdgeData *, size_t);
cudaError_t cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *,
                              cudaGraphEdgeData *, size_t *);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, enum cudaStreamCaptureStatus *,
                                     unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **,
                                     const cudaGraphEdgeData **, size_t *);
cudaError_t cudaGetDeviceProperties(void *properties, int device);
cudaError_t cudaDestroyExternalMemory(void *memory);

void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                       size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
char __cudaInitModule(void **handle);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                               size_t shared, cudaStream_t stream);

// Host functions and the host's copy of a variable: only their addresses matter.
extern char stub, other_stub, shadow;
extern int *managed;  // as the compiler's code holds a managed variable
extern void **module; // the registered module

void shim_set_up(void);
void shim_tear_down(void);
// Launches the kernel with `pointer` and 42.
cudaError_t launch(dim3 grid, dim3 block, size_t shared, void *pointer);
dim3 threads(unsigned x);
extern const dim3 one;

void shim_memory_tests(Suite *suite);  // shim_memory.c
void shim_texture_tests(Suite *suite); // shim_texture.c
void shim_graph_tests(Suite *suite);   // shim_graph.c
