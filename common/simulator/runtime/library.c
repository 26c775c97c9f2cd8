// SPDX-License-Identifier: MIT
// Device code that a program loads itself: fat binaries, cubins with PTX beside them, or PTX text,
// from memory or a file (CUDA Runtime API reference, "Library Management"). JIT options are
// ignored: the simulator compiles nothing.
#include "runtime/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/fatbin.h"

struct CUlib_st {
    runtime_module *module;
    void *code; // our copy: the program may free its own
    struct CUlib_st *next;
};

enum { MAX_FILE_BYTES = 1 << 30 };

static struct CUlib_st *libraries; // live ones

static bool is_library(cudaLibrary_t candidate) {
    for (const struct CUlib_st *library = libraries; library; library = library->next)
        if (library == candidate) return true;
    return false;
}

// Takes `code` over.
static cudaError_t adopt(void *code, cudaLibrary_t *out_library) {
    struct CUlib_st *library = calloc(1, sizeof *library);
    cudaError_t status =
        library ? runtime_module_add(code, NULL, 0, &library->module) : cudaErrorMemoryAllocation;
    if (!status) status = runtime_module_load(library->module);
    if (status) {
        if (library && library->module) runtime_module_remove(library->module);
        free(library);
        free(code);
        return status;
    }
    library->code = code;
    library->next = libraries;
    libraries = library;
    *out_library = library;
    return cudaSuccess;
}

static cudaError_t load_data(cudaLibrary_t *out_library, const void *code) {
    size_t bytes;
    sim_error error = {0};
    if (!out_library || !code) return cudaErrorInvalidValue;
    if (sim_fatbin_image_bytes(code, SIZE_MAX, &bytes, &error) != SIM_OK)
        return runtime_fail(&error);
    char *copy = malloc(bytes + 1);
    if (!copy) return cudaErrorMemoryAllocation;
    memcpy(copy, code, bytes);
    copy[bytes] = '\0'; // ends PTX text
    return adopt(copy, out_library);
}

static cudaError_t load_file(cudaLibrary_t *out_library, const char *name) {
    if (!out_library || !name) return cudaErrorInvalidValue;
    FILE *file = fopen(name, "rb");
    if (!file) return cudaErrorFileNotFound;
    long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    rewind(file);
    char *copy = bytes > 0 && bytes < MAX_FILE_BYTES ? malloc((size_t)bytes + 1) : NULL;
    size_t got = copy ? fread(copy, 1, (size_t)bytes, file) : 0;
    fclose(file);
    if (!copy || got != (size_t)bytes) {
        free(copy);
        return cudaErrorInvalidKernelImage;
    }
    copy[bytes] = '\0';
    size_t image_bytes; // a file that claims more than it holds is refused here
    sim_error error = {0};
    if (sim_fatbin_image_bytes(copy, (size_t)bytes + 1, &image_bytes, &error) != SIM_OK) {
        free(copy);
        return runtime_fail(&error);
    }
    return adopt(copy, out_library);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                                enum cudaJitOption *jitOptions, void **jitOptionsValues,
                                unsigned int numJitOptions, enum cudaLibraryOption *libraryOptions,
                                void **libraryOptionValues, unsigned int numLibraryOptions) {
    (void)jitOptions, (void)jitOptionsValues, (void)numJitOptions;
    (void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryLoadData(%p)", code);
    if (!status) status = load_data(library, code);
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
    if (!status) status = load_file(library, fileName);
    return runtime_leave(status);
}

// Managed variables that the program was shown go with their module.
static void drop_managed(const runtime_module *module) {
    for (size_t i = runtime.range_count; i-- > 0;) {
        runtime_range *range = &runtime.ranges[i];
        if (range->is_variable && range->module == module->handle) runtime_range_release(range);
    }
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryUnload(%p)", (void *)library);
    if (!status && !is_library(library)) status = cudaErrorInvalidResourceHandle;
    if (!status) {
        struct CUlib_st **link = &libraries;
        while (*link != library) link = &(*link)->next;
        *link = library->next;
        drop_managed(library->module);
        runtime_module_remove(library->module);
        free(library->code);
        free(library);
    }
    return runtime_leave(status);
}

// A kernel keeps its handle: asking twice gives the same one.
static cudaError_t find_kernel(runtime_module *module, const char *name, cudaKernel_t *out_kernel) {
    struct CUkern_st *kernel = module->kernels;
    while (kernel && strcmp(kernel->name, name) != 0) kernel = kernel->next;
    cudaError_t status = kernel ? cudaSuccess : runtime_kernel_add(module, name, NULL, &kernel);
    if (!status) status = runtime_kernel_ready(kernel);
    if (!status) *out_kernel = kernel;
    return status == cudaErrorInvalidDeviceFunction ? cudaErrorSymbolNotFound : status;
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryGetKernel(%p, %s)",
                                       (void *)library, name ? name : "NULL");
    if (!status && (!pKernel || !name)) status = cudaErrorInvalidValue;
    if (!status && !is_library(library)) status = cudaErrorInvalidResourceHandle;
    if (!status) status = find_kernel(library->module, name, pKernel);
    return runtime_leave(status);
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                                 const char *name) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaLibraryGetGlobal(%p, %s)",
                                       (void *)library, name ? name : "NULL");
    uint64_t address = 0, size = 0;
    if (!status && !name) status = cudaErrorInvalidValue;
    if (!status && !is_library(library)) status = cudaErrorInvalidResourceHandle;
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
    if (!status && !is_library(library)) status = cudaErrorInvalidResourceHandle;
    return status;
}

static unsigned kernel_count(const struct CUlib_st *library) {
    unsigned count = 0;
    sim_function_handle function;
    while (sim_module_kernel(runtime.engine, library->module->handle, count, &function, NULL) ==
           SIM_OK)
        count++;
    return count;
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib) {
    cudaError_t status = enter_library("cudaLibraryGetKernelCount", lib, count != NULL);
    if (!status) *count = kernel_count(lib);
    return runtime_leave(status);
}

static cudaError_t kernel_at(struct CUlib_st *library, unsigned index, cudaKernel_t *out_kernel) {
    sim_function_handle function;
    sim_function_info info;
    sim_error error = {0};
    if (sim_module_kernel(runtime.engine, library->module->handle, index, &function, &error) !=
            SIM_OK ||
        sim_function_query(runtime.engine, function, &info, &error) != SIM_OK)
        return runtime_fail(&error);
    return find_kernel(library->module, info.name, out_kernel);
}

// As many as there are, or as the program has room for.
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                                        cudaLibrary_t lib) {
    cudaError_t status = enter_library("cudaLibraryEnumerateKernels", lib, kernels != NULL);
    unsigned count = status ? 0 : kernel_count(lib);
    for (unsigned i = 0; !status && i < count && i < numKernels; i++)
        status = kernel_at(lib, i, &kernels[i]);
    return runtime_leave(status);
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                                  const char *name) {
    cudaError_t status = enter_library("cudaLibraryGetManaged", library, name != NULL);
    uint64_t address = 0, size = 0;
    if (!status) status = runtime_module_symbol(library->module, name, &address, &size);
    if (!status) status = runtime_managed_adopt(library->module->handle, address, size);
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
