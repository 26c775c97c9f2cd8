// Device code that a program loads itself, from memory or a file (CUDA Runtime API reference,
// "Library Management"). The simulator compiles nothing.
#include "runtime/code/code.h"
#include "image/image.h"
#include "runtime/memory/memory.h"

enum { MAX_FILE_BYTES = 1 << 30 };

static struct CUlib_st *libraries; // live ones

bool runtime_library_is_live(cudaLibrary_t candidate) {
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

cudaError_t runtime_library_load_data(cudaLibrary_t *out_library, const void *code) {
    size_t bytes;
    kl_error err = {0};
    if (!out_library || !code) return cudaErrorInvalidValue;
    if (sim_fatbin_image_bytes(code, SIZE_MAX, &bytes, &err) != SIM_OK) return runtime_fail(&err);
    char *copy = malloc(bytes + 1);
    if (!copy) return cudaErrorMemoryAllocation;
    memcpy(copy, code, bytes);
    copy[bytes] = '\0'; // ends PTX text
    bool is_text = (copy[0] | copy[1]) < 0x7F && copy[0] != 0x7F;
    cudaError_t status = adopt(copy, out_library);
    return is_text && status == cudaErrorNoKernelImageForDevice ? cudaErrorInvalidPtx : status;
}

cudaError_t runtime_library_load_file(cudaLibrary_t *out_library, const char *name) {
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
    kl_error err = {0};
    if (sim_fatbin_image_bytes(copy, (size_t)bytes + 1, &image_bytes, &err) != SIM_OK) {
        free(copy);
        return runtime_fail(&err);
    }
    return adopt(copy, out_library);
}

// Managed variables that the program was shown go with their module.
static void drop_managed(const runtime_module *module) {
    for (size_t i = runtime.range_count; i-- > 0;) {
        runtime_range *range = &runtime.ranges[i];
        if (range->is_variable && range->module == module->handle[range->device])
            runtime_range_release(range);
    }
}

void runtime_library_unload(cudaLibrary_t library) {
    struct CUlib_st **link = &libraries;
    while (*link != library) link = &(*link)->next;
    *link = library->next;
    drop_managed(library->module);
    runtime_module_remove(library->module);
    free(library->code);
    free(library);
}

cudaError_t runtime_library_kernel(const struct CUlib_st *library, const char *name,
                                   cudaKernel_t *out_kernel) {
    runtime_module *module = library->module;
    struct CUkern_st *kernel = module->kernels;
    while (kernel && strcmp(kernel->name, name) != 0) kernel = kernel->next;
    cudaError_t status = kernel ? cudaSuccess : runtime_kernel_add(module, name, NULL, &kernel);
    if (!status) status = runtime_kernel_ready(kernel);
    if (!status) *out_kernel = kernel;
    return status == cudaErrorInvalidDeviceFunction ? cudaErrorSymbolNotFound : status;
}

unsigned runtime_library_kernel_count(const struct CUlib_st *library) {
    unsigned count = 0;
    sim_function_handle function;
    if (runtime_module_load(library->module)) return 0;
    sim_module_handle handle = library->module->handle[runtime.device];
    while (sim_module_kernel(runtime.engine, handle, count, &function, NULL) == SIM_OK) count++;
    return count;
}

cudaError_t runtime_library_kernel_at(const struct CUlib_st *library, unsigned index,
                                      cudaKernel_t *out_kernel) {
    sim_function_handle function;
    sim_function_info info;
    kl_error err = {0};
    if (sim_module_kernel(runtime.engine, library->module->handle[runtime.device], index, &function,
                          &err) != SIM_OK ||
        sim_function_query(runtime.engine, function, &info, &err) != SIM_OK)
        return runtime_fail(&err);
    return runtime_library_kernel(library, info.name, out_kernel);
}
