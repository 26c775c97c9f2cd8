// Modules of device code: images are loaded when a kernel or symbol of theirs is first used, so
// that a program with kernels that the simulator cannot run still runs as long as it launches none
// of them. How the program announces its code is in api/register.c.
#include "runtime/code/code.h"
#include "image/image.h"
#include "runtime/memory/memory.h"

cudaError_t runtime_module_add(const void *image, const void *const *linked, size_t linked_count,
                               runtime_module **out_module) {
    runtime_module *module = calloc(1, sizeof *module);
    const void **copies = calloc(linked_count + 1, sizeof *copies);
    if (!module || !copies) {
        free(module);
        free(copies);
        return cudaErrorMemoryAllocation;
    }
    module->images = copies;
    if (image) copies[module->image_count++] = image;
    for (size_t i = 0; i < linked_count; i++) copies[module->image_count++] = linked[i];
    module->next = runtime.modules;
    runtime.modules = module;
    *out_module = module;
    return cudaSuccess;
}

static void unload(runtime_module *module) {
    int device = runtime.device;
    if (module->handle[device] && runtime.engine)
        sim_module_unload(runtime.engine, module->handle[device], NULL);
    module->handle[device] = 0;
    module->load_error = cudaSuccess;
    for (struct CUkern_st *kernel = module->kernels; kernel; kernel = kernel->next)
        kernel->handle[device] = 0;
    for (runtime_variable *variable = module->variables; variable; variable = variable->next) {
        uint64_t *address = &variable->address[device];
        runtime_range *range = variable->managed && *address ? runtime_range_find(*address) : NULL;
        if (range && range->device == device) runtime_range_release(range);
        *address = 0;
    }
}

void runtime_modules_reset(void) {
    for (runtime_module *module = runtime.modules; module; module = module->next) unload(module);
}

void runtime_module_remove(runtime_module *module) {
    runtime_report_unchecked(); // as long as the engine knows the kernel
    runtime_module **link = &runtime.modules;
    while (*link && *link != module) link = &(*link)->next;
    if (!*link) return;
    *link = module->next;
    int current = runtime.device;
    for (int i = 0; i < runtime.device_count; i++) {
        runtime_use(i);
        unload(module);
    }
    runtime_use(current);
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

// Managed variables get host pages as soon as their module is on the device.
static cudaError_t adopt_managed(runtime_module *module) {
    for (runtime_variable *variable = module->variables; variable; variable = variable->next) {
        if (!variable->managed || variable->address[runtime.device]) continue;
        uint64_t address, bytes;
        if (sim_symbol_find(runtime.engine, module->handle[runtime.device], variable->name,
                            &address, &bytes, NULL) != SIM_OK)
            continue;
        cudaError_t status = runtime_managed_adopt(module->handle[runtime.device], address, bytes);
        if (status) return status;
        variable->address[runtime.device] = address;
        variable->bytes = bytes;
        *(void **)(uintptr_t)variable->host = (void *)(uintptr_t)address;
    }
    return cudaSuccess;
}

// The explanation goes to stderr once; the program sees an error code at each use.
static cudaError_t report_bad_image(const kl_error *err) {
    char text[KL_ERROR_TEXT + 64];
    snprintf(text, sizeof text, "device code could not be loaded: %s", err->text);
    runtime_say(text);
    return runtime_fail(err);
}

// All containers of a module one after the other, as the engine takes them; freed by the caller
// unless it is the only image itself.
static sim_status join_images(const runtime_module *module, const void **out_data,
                              size_t *out_bytes, kl_error *err) {
    size_t total = 0, bytes = 0;
    for (size_t i = 0; i < module->image_count; i++) {
        TRY(sim_fatbin_image_bytes(module->images[i], SIZE_MAX, &bytes, err));
        total += bytes;
    }
    *out_data = module->image_count ? module->images[0] : NULL;
    *out_bytes = total;
    if (module->image_count == 1) return SIM_OK;
    char *joined = malloc(total + 1);
    if (!joined) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a fat binary");
    *out_data = joined;
    for (size_t i = 0; i < module->image_count; i++, joined += bytes) {
        TRY(sim_fatbin_image_bytes(module->images[i], SIZE_MAX, &bytes, err));
        memcpy(joined, module->images[i], bytes);
    }
    return SIM_OK;
}

cudaError_t runtime_module_load(runtime_module *module) {
    sim_module_handle *handle = &module->handle[runtime.device];
    if (*handle || module->load_error) return module->load_error;
    const void *data = NULL;
    size_t bytes = 0;
    kl_error err = {0};
    sim_status status = join_images(module, &data, &bytes, &err);
    if (status == SIM_OK) status = sim_module_load(runtime.engine, data, bytes, handle, &err);
    if (module->image_count != 1) free((void *)(uintptr_t)data);
    if (status == SIM_OK) return adopt_managed(module);
    module->load_error = report_bad_image(&err);
    return module->load_error;
}

cudaError_t runtime_kernel_ready(struct CUkern_st *kernel) {
    int device = runtime.device;
    sim_function_handle *handle = &kernel->handle[device];
    if (*handle) {
        kernel->info.max_dynamic_shared_bytes = kernel->dynamic_bytes[device];
        return cudaSuccess;
    }
    cudaError_t status = runtime_module_load(kernel->module);
    if (status) return status;
    kl_error err = {0};
    sim_status found = sim_function_find(runtime.engine, kernel->module->handle[device],
                                         kernel->name, handle, &err);
    if (found == SIM_NOT_FOUND) return cudaErrorInvalidDeviceFunction;
    if (found != SIM_OK) return report_bad_image(&err);
    if (sim_function_query(runtime.engine, *handle, &kernel->info, &err) == SIM_OK) {
        kernel->dynamic_bytes[device] = kernel->info.max_dynamic_shared_bytes;
        return cudaSuccess;
    }
    *handle = 0;
    return runtime_fail(&err);
}

void *runtime_function_of(struct CUkern_st *kernel) {
    _Static_assert((int)SIM_MOST_DEVICES < (int)RUNTIME_FUNCTION_ALIGN,
                   "a tag is a device's number + 1");
    return (char *)kernel + runtime.device + 1;
}

// Of a handle for one device its number + 1; else 0.
static uintptr_t tag_of(const void *function) {
    uintptr_t tag = (uintptr_t)function % RUNTIME_FUNCTION_ALIGN;
    return runtime_map_get(&runtime.kernels, function) || tag > SIM_MOST_DEVICES ? 0 : tag;
}

struct CUkern_st *runtime_kernel_named(const void *function) {
    return runtime_map_get(&runtime.kernels, (const char *)function - tag_of(function));
}

cudaError_t runtime_kernel_find(const void *function, struct CUkern_st **out_kernel) {
    if (!function) return cudaErrorInvalidDeviceFunction;
    uintptr_t tag = tag_of(function);
    *out_kernel = runtime_kernel_named(function);
    if (!*out_kernel) return cudaErrorInvalidResourceHandle;
    if (tag == 0 || tag == (uintptr_t)runtime.device + 1) return runtime_kernel_ready(*out_kernel);
    return runtime_refuse(cudaErrorInvalidResourceHandle,
                          "this cudaFunction_t is device %d's, and device %d is the current one: "
                          "cudaGetFuncBySymbol() gives one for each device, cudaGetKernel() one "
                          "for all",
                          (int)tag - 1, runtime.device);
}

cudaError_t runtime_module_symbol(runtime_module *module, const char *name, uint64_t *out_address,
                                  uint64_t *out_bytes) {
    cudaError_t status = runtime_module_load(module);
    if (status) return status;
    sim_status found = sim_symbol_find(runtime.engine, module->handle[runtime.device], name,
                                       out_address, out_bytes, NULL);
    return found == SIM_OK ? cudaSuccess : cudaErrorInvalidSymbol;
}

// Why `symbol` is no variable of the device: mostly one of the host hides it.
static cudaError_t no_symbol(const void *symbol) {
    char names[128] = "";
    size_t position = 0;
    const runtime_variable *variable;
    while ((variable = runtime_map_next(&runtime.variables, &position))) {
        size_t used = strlen(names), needed = strlen(variable->name) + 3;
        if (used + needed + 4 > sizeof names) {
            strcpy(names + used, ", ..");
            break;
        }
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", variable->name);
    }
    if (runtime_is_device_address((uint64_t)(uintptr_t)symbol))
        return runtime_refuse(
            cudaErrorInvalidSymbol,
            "its symbol is not a device variable but an address of device memory: "
            "cudaMemcpy copies to and from addresses");
    if (!names[0])
        return runtime_refuse(
            cudaErrorInvalidSymbol,
            "its symbol is not a device variable but host memory, and the program has "
            "no __device__ or __constant__ variable");
    return runtime_refuse(
        cudaErrorInvalidSymbol,
        "its symbol is not a device variable but host memory. The program's device variables: %s",
        names);
}

// A managed variable comes as the address of its bytes: its name in the program is a dereference.
cudaError_t runtime_symbol_find(const void *symbol, uint64_t *out_address, size_t *out_bytes) {
    runtime_variable *variable = runtime_map_get(&runtime.variables, symbol);
    if (!variable) {
        const runtime_range *range = runtime_range_find((uint64_t)(uintptr_t)symbol);
        if (!range || range->kind != RUNTIME_MEMORY_MANAGED || !range->is_variable)
            return no_symbol(symbol);
        *out_address = range->base;
        *out_bytes = range->bytes;
        return cudaSuccess;
    }
    uint64_t *address = &variable->address[runtime.device];
    if (!*address) {
        cudaError_t status =
            runtime_module_symbol(variable->module, variable->name, address, &variable->bytes);
        if (status) {
            *address = 0;
            return status;
        }
    }
    *out_address = *address;
    *out_bytes = variable->bytes;
    return cudaSuccess;
}

cudaError_t runtime_symbol_part(const void *symbol, size_t bytes, size_t offset,
                                void **out_pointer) {
    uint64_t address;
    size_t size;
    cudaError_t status = runtime_symbol_find(symbol, &address, &size);
    if (status) return status;
    if (bytes && (offset > size || bytes > size - offset)) return cudaErrorInvalidValue;
    *out_pointer = (void *)(uintptr_t)(address + offset);
    return cudaSuccess;
}
