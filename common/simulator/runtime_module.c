// SPDX-License-Identifier: MIT
// Modules of device code: images are loaded when a kernel or symbol of theirs is first used, so
// that a program with kernels that the simulator cannot run still runs as long as it launches none
// of them. How the program announces its code is in runtime_register.c.
#include "runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"

cudaError_t runtime_module_add(const void *const *images, size_t count,
                               runtime_module **out_module) {
    runtime_module *module = calloc(1, sizeof *module);
    runtime_image *copies = calloc(count ? count : 1, sizeof *copies);
    if (!module || !copies) {
        free(module);
        free(copies);
        return cudaErrorMemoryAllocation;
    }
    for (size_t i = 0; i < count; i++) copies[i].data = images[i];
    module->images = copies;
    module->image_count = count;
    module->next = runtime.modules;
    runtime.modules = module;
    *out_module = module;
    return cudaSuccess;
}

static void unload(runtime_module *module) {
    for (size_t i = 0; i < module->image_count; i++) {
        runtime_image *image = &module->images[i];
        if (image->handle && runtime.engine) sim_module_unload(runtime.engine, image->handle, NULL);
        image->handle = 0;
        image->load_error = cudaSuccess;
    }
    for (struct CUkern_st *kernel = module->kernels; kernel; kernel = kernel->next)
        kernel->handle = 0;
    for (runtime_variable *variable = module->variables; variable; variable = variable->next) {
        runtime_range *range =
            variable->managed && variable->address ? runtime_range_find(variable->address) : NULL;
        if (range) runtime_range_release(range);
        variable->address = 0;
    }
}

void runtime_modules_reset(void) {
    for (runtime_module *module = runtime.modules; module; module = module->next) unload(module);
}

void runtime_module_remove(runtime_module *module) {
    runtime_module **link = &runtime.modules;
    while (*link && *link != module) link = &(*link)->next;
    if (!*link) return;
    *link = module->next;
    unload(module);
    while (module->kernels) {
        struct CUkern_st *kernel = module->kernels;
        module->kernels = kernel->next;
        runtime_map_remove(&runtime.kernels, kernel);
        if (kernel->host && runtime_map_get(&runtime.kernels, kernel->host) == kernel)
            runtime_map_remove(&runtime.kernels, kernel->host);
        free(kernel->name);
        free(kernel);
    }
    while (module->variables) {
        runtime_variable *variable = module->variables;
        module->variables = variable->next;
        if (runtime_map_get(&runtime.variables, variable->host) == variable)
            runtime_map_remove(&runtime.variables, variable->host);
        free(variable->name);
        free(variable);
    }
    free(module->images);
    free(module);
}

cudaError_t runtime_kernel_add(runtime_module *module, const char *name, const void *host,
                               struct CUkern_st **out_kernel) {
    struct CUkern_st *kernel = calloc(1, sizeof *kernel);
    char *copy = strdup(name);
    if (!kernel || !copy || !runtime_map_put(&runtime.kernels, kernel, kernel) ||
        (host && !runtime_map_put(&runtime.kernels, host, kernel))) {
        runtime_map_remove(&runtime.kernels, kernel);
        free(kernel);
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    *kernel = (struct CUkern_st){
        .module = module, .name = copy, .host = host, .carveout = -1, .next = module->kernels};
    module->kernels = kernel;
    if (out_kernel) *out_kernel = kernel;
    return cudaSuccess;
}

cudaError_t runtime_variable_add(runtime_module *module, const char *name, const void *host,
                                 bool managed) {
    runtime_variable *variable = calloc(1, sizeof *variable);
    char *copy = strdup(name);
    if (!variable || !copy || !runtime_map_put(&runtime.variables, host, variable)) {
        free(variable);
        free(copy);
        return cudaErrorMemoryAllocation;
    }
    *variable = (runtime_variable){.module = module,
                                   .name = copy,
                                   .host = host,
                                   .managed = managed,
                                   .next = module->variables};
    module->variables = variable;
    return cudaSuccess;
}

// Managed variables get host pages as soon as their image is on the device.
static cudaError_t adopt_managed(runtime_module *module, const runtime_image *image) {
    for (runtime_variable *variable = module->variables; variable; variable = variable->next) {
        if (!variable->managed || variable->address) continue;
        uint64_t address, bytes;
        if (sim_symbol_find(runtime.engine, image->handle, variable->name, &address, &bytes,
                            NULL) != SIM_OK)
            continue;
        cudaError_t status = runtime_managed_adopt(address, bytes);
        if (status) return status;
        variable->address = address;
        variable->bytes = bytes;
        *(void **)(uintptr_t)variable->host = (void *)(uintptr_t)address;
    }
    return cudaSuccess;
}

// The explanation goes to stderr once; the program sees an error code at each use.
static cudaError_t report_bad_image(const sim_error *error) {
    char text[SIM_ERROR_TEXT_BYTES + 64];
    snprintf(text, sizeof text, "device code could not be loaded: %s", error->text);
    runtime_say(text);
    return runtime_fail(error);
}

static cudaError_t load(runtime_module *module, runtime_image *image) {
    if (image->handle || image->load_error) return image->load_error;
    size_t bytes = 0;
    sim_error error = {0};
    sim_status status = sim_fatbin_image_bytes(image->data, SIZE_MAX, &bytes, &error);
    if (status == SIM_OK)
        status = sim_module_load(runtime.engine, image->data, bytes, &image->handle, &error);
    if (status == SIM_OK) return adopt_managed(module, image);
    // Containers without device code are normal: those of C++ files, or of a linked program.
    if (status == SIM_NO_IMAGE && module->image_count > 1)
        image->load_error = cudaErrorNoKernelImageForDevice;
    else
        image->load_error = report_bad_image(&error);
    return image->load_error;
}

cudaError_t runtime_module_load(runtime_module *module) {
    cudaError_t first = cudaSuccess;
    bool any = false;
    for (size_t i = 0; i < module->image_count; i++) {
        cudaError_t status = load(module, &module->images[i]);
        any |= !status;
        if (status && !first) first = status;
    }
    return any ? cudaSuccess : first;
}

cudaError_t runtime_kernel_ready(struct CUkern_st *kernel) {
    if (kernel->handle) return cudaSuccess;
    cudaError_t failure = cudaErrorInvalidDeviceFunction;
    sim_error error = {0};
    for (size_t i = 0; i < kernel->module->image_count && !kernel->handle; i++) {
        runtime_image *image = &kernel->module->images[i];
        cudaError_t status = load(kernel->module, image);
        if (status && failure == cudaErrorInvalidDeviceFunction) failure = status;
        if (status) continue;
        sim_status found =
            sim_function_find(runtime.engine, image->handle, kernel->name, &kernel->handle, &error);
        if (found != SIM_OK && found != SIM_NOT_FOUND) failure = report_bad_image(&error);
    }
    if (!kernel->handle) return failure;
    if (sim_function_query(runtime.engine, kernel->handle, &kernel->info, &error) == SIM_OK)
        return cudaSuccess;
    kernel->handle = 0;
    return runtime_fail(&error);
}

cudaError_t runtime_kernel_find(const void *function, struct CUkern_st **out_kernel) {
    *out_kernel = runtime_map_get(&runtime.kernels, function);
    return *out_kernel ? runtime_kernel_ready(*out_kernel) : cudaErrorInvalidDeviceFunction;
}

cudaError_t runtime_module_symbol(runtime_module *module, const char *name, uint64_t *out_address,
                                  uint64_t *out_bytes) {
    cudaError_t failure = cudaErrorInvalidSymbol;
    for (size_t i = 0; i < module->image_count; i++) {
        cudaError_t status = load(module, &module->images[i]);
        if (status && failure == cudaErrorInvalidSymbol) failure = status;
        if (!status && sim_symbol_find(runtime.engine, module->images[i].handle, name, out_address,
                                       out_bytes, NULL) == SIM_OK)
            return cudaSuccess;
    }
    return failure;
}

// A managed variable comes as the address of its bytes: its name in the program is a dereference.
cudaError_t runtime_symbol_find(const void *symbol, uint64_t *out_address, size_t *out_bytes) {
    runtime_variable *variable = runtime_map_get(&runtime.variables, symbol);
    if (!variable) {
        const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)symbol);
        if (!range || range->kind != RUNTIME_MEMORY_MANAGED || range->engine_base)
            return cudaErrorInvalidSymbol;
        *out_address = range->base;
        *out_bytes = range->bytes;
        return cudaSuccess;
    }
    if (!variable->address) {
        cudaError_t status = runtime_module_symbol(variable->module, variable->name,
                                                   &variable->address, &variable->bytes);
        if (status) {
            variable->address = 0;
            return status;
        }
    }
    *out_address = variable->address;
    *out_bytes = variable->bytes;
    return cudaSuccess;
}

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGetSymbolAddress(%p)", symbol);
    uint64_t address = 0;
    size_t bytes;
    if (!status) status = runtime_symbol_find(symbol, &address, &bytes);
    if (!status && !devPtr) status = cudaErrorInvalidValue;
    if (!status) *devPtr = (void *)(uintptr_t)address;
    return runtime_leave(status);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGetSymbolSize(%p)", symbol);
    uint64_t address;
    size_t bytes = 0;
    if (!status) status = runtime_symbol_find(symbol, &address, &bytes);
    if (!status && !size) status = cudaErrorInvalidValue;
    if (!status) *size = bytes;
    return runtime_leave(status);
}
