// Device code that a program loads itself (CUDA Runtime API reference, "Library Management"). JIT
// options are ignored: the simulator compiles nothing.
#include "runtime/code/code.h"
#include "runtime/memory/memory.h"

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                                void **libraryOptionValues, unsigned int numLibraryOptions) {
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryLoadData(%p)", code);
    if (!status) status = runtime_library_load_data(library, code);
    return runtime_leave(status);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                                    enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                    unsigned int numJitOptions,
                                    enum cudaLibraryOption *libraryOptions,
                                    void **libraryOptionValues, unsigned int numLibraryOptions) {
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaLibraryLoadFromFile(%s)", fileName ? fileName : "NULL");
    if (!status) status = runtime_library_load_file(library, fileName);
    return runtime_leave(status);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryUnload(%p)", (void *)library);
    if (!status && !runtime_library_is_live(library)) status = cudaErrorInvalidResourceHandle;
    if (!status) runtime_library_unload(library);
    return runtime_leave(status);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryGetKernel(%p, %s)",
                                       (void *)library, name ? name : "NULL");
    if (!status && (!pKernel || !name)) status = cudaErrorInvalidValue;
    if (!status && !runtime_library_is_live(library)) status = cudaErrorInvalidResourceHandle;
    if (!status) status = runtime_library_kernel(library, name, pKernel);
    return runtime_leave(status);
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryGetGlobal(%p, %s)",
                                       (void *)library, name ? name : "NULL");
    uint64_t address = 0, size = 0;
    if (!status && !name) status = cudaErrorInvalidValue;
    if (!status && !runtime_library_is_live(library)) status = cudaErrorInvalidResourceHandle;
    if (!status) status = runtime_module_symbol(library->module, name, &address, &size);
    if (status == cudaErrorInvalidSymbol) status = cudaErrorSymbolNotFound;
    if (!status && dptr) *dptr = (void *)(uintptr_t)address;
    if (!status && bytes) *bytes = size;
    return runtime_leave(status);
}

// ---- what a library holds -----------------------------------------------------------------------

static cudaError_t enter_library(const char *call, cudaLibrary_t library, bool has_answer) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)library);
    if (!status && !has_answer) status = cudaErrorInvalidValue;
    if (!status && !runtime_library_is_live(library)) status = cudaErrorInvalidResourceHandle;
    return status;
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
    cudaError_t status = enter_library("cudaLibraryGetKernelCount", lib, count);
    if (!status) *count = runtime_library_kernel_count(lib);
    return runtime_leave(status);
}

// As many as there are, or as the program has room for.
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                        cudaLibrary_t lib) {
    cudaError_t status = enter_library("cudaLibraryEnumerateKernels", lib, kernels);
    unsigned count = status ? 0 : runtime_library_kernel_count(lib);
    for (unsigned i = 0; !status && i < count && i < numKernels; i++)
        status = runtime_library_kernel_at(lib, i, &kernels[i]);
    return runtime_leave(status);
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                  const char *name) {
    cudaError_t status = enter_library("cudaLibraryGetManaged", library, name);
    uint64_t address = 0, size = 0;
    if (!status) status = runtime_module_symbol(library->module, name, &address, &size);
    if (!status)
        status = runtime_managed_adopt(library->module->handle[runtime.device], address, size);
    // A variable that is not managed has no pages to share.
    if (status == cudaErrorInvalidSymbol || status == cudaErrorInvalidValue)
        status = cudaErrorSymbolNotFound;
    if (!status && dptr) *dptr = (void *)(uintptr_t)address;
    if (!status && bytes) *bytes = size;
    return runtime_leave(status);
}

// Functions that host and device both run need a device with that ability, which none here has.
cudaError_t cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library, const char *symbol) {
    cudaError_t status = enter_library("cudaLibraryGetUnifiedFunction", library, fptr && symbol);
    return runtime_leave(status ? status : cudaErrorInvalidValue);
}
