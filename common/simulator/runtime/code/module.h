// SPDX-License-Identifier: MIT
// Modules of device code, and the kernels and variables in them.
#ifndef SIM_RUNTIME_CODE_MODULE_H
#define SIM_RUNTIME_CODE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/abi/functions.h"
#include "engine/engine.h"

// What one __cudaRegisterFatBinary or cudaLibraryLoadData brought; loaded into the engine when
// something in it is first needed.
typedef struct runtime_module {
    // Containers; of a program built with -rdc: the linked one, then the files'.
    const void **images;
    size_t image_count;
    sim_module_handle handle;           // 0: not loaded
    cudaError_t load_error;             // sticks, so that a bad image is reported once
    struct CUkern_st *kernels;          // list
    struct runtime_variable *variables; // list
    struct runtime_module *next;
} runtime_module;

// A kernel: what cudaKernel_t and cudaFunction_t point to.
struct CUkern_st {
    runtime_module *module;
    char *name;                 // mangled
    const void *host;           // the stub's address; NULL for kernels of a library
    sim_function_handle handle; // 0: not looked up yet
    sim_function_info info;     // valid with handle
    int carveout;               // cudaFuncAttributePreferredSharedMemoryCarveout, -1: default
    bool beyond_portable;       // cudaFuncAttributeNonPortableClusterSizeAllowed
    bool prefers_l1;            // cudaFuncCachePreferL1: like a carve-out of 0 (an H100's answers)
    struct CUkern_st *next;
};

typedef struct runtime_variable {
    runtime_module *module;
    char *name;
    const void *host; // shadow variable; of a managed one, its pointer (void **)
    bool managed;
    uint64_t address; // 0: not looked up yet
    uint64_t bytes;
    struct runtime_variable *next;
} runtime_variable;

// `image` may be NULL when there are `linked` ones: the containers of the object files of a program
// built with -rdc, whose PTX is linked when it is loaded.
cudaError_t runtime_module_add(const void *image, const void *const *linked, size_t linked_count,
                               runtime_module **out_module);
// Unloads and frees the module, its kernels and its variables.
void runtime_module_remove(runtime_module *module);
void runtime_modules_reset(void); // forgets what the device held
cudaError_t runtime_module_load(runtime_module *module);

cudaError_t runtime_kernel_add(runtime_module *module, const char *name, const void *host,
                               struct CUkern_st **out_kernel);
cudaError_t runtime_variable_add(runtime_module *module, const char *name, const void *host,
                                 bool managed);
// Finds the kernel in its module's images, loading them, and asks the engine about it.
cudaError_t runtime_kernel_ready(struct CUkern_st *kernel);
// The kernel behind a host function, cudaKernel_t or cudaFunction_t, made ready.
cudaError_t runtime_kernel_find(const void *function, struct CUkern_st **out_kernel);
cudaError_t runtime_module_symbol(runtime_module *module, const char *name, uint64_t *out_address,
                                  uint64_t *out_bytes);
cudaError_t runtime_symbol_find(const void *symbol, uint64_t *out_address, size_t *out_bytes);
// The address of byte `offset` of a symbol with room for `bytes` after it.
cudaError_t runtime_symbol_part(const void *symbol, size_t bytes, size_t offset,
                                void **out_pointer);

#endif
