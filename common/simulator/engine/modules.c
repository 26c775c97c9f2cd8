// Images to programs: picks the PTX and the cubin of an image, gives variables their addresses,
// decodes, binds, and answers questions about kernels and symbols.
#include "engine/internal.h"
#include "decode/decode.h"
#include "ops/ops.h"

enum {
    MAX_MODULES = 1 << 20,
    ESTIMATED_REGISTERS = 32, // without a cubin: what small kernels use; reported as an estimate
    BLOCK_SHARED_DEFAULT = 49152,
    VARIABLE_ALIGN = 256 // of variables of a module (H200)
};

// --- variables -----------------------------------------------------------------------------------

typedef struct placement {
    inprocess_engine *engine;
    inprocess_module *module;
} placement;

// A managed variable is one for all devices: where the module's twin on another one has it.
static bool find_twin(const placement *at, const char *name, uint64_t *out_address) {
    for (uint32_t i = 0; at->module->image && i < at->engine->module_count; i++) {
        const inprocess_module *twin = &at->engine->modules[i];
        if (!twin->program || twin->image != at->module->image) continue;
        *out_address = sim_program_symbol(twin->program, name)->address;
        return true;
    }
    return false;
}

static sim_status place_variable(void *context, const ptx_variable *variable, uint64_t *out_address,
                                 kl_error *err) {
    placement *at = context;
    // Of a program whose modules are all here ptxas drops .extern, where the size is known.
    if (variable->is_extern && variable->elements == 0)
        return sim_fail(err, SIM_NOT_FOUND, "variable %s is defined in no module", variable->name);
    uint64_t bytes = variable->size_bytes ? variable->size_bytes : 1;
    if (variable->is_managed && find_twin(at, variable->name, out_address)) return SIM_OK;
    TRY(variable->is_managed
            ? sim_mem_alloc_shared(at->engine->memory, bytes, out_address, err)
            : sim_mem_alloc_variable(at->engine->memory, bytes,
                                     variable->align_bytes > VARIABLE_ALIGN ? variable->align_bytes
                                                                            : VARIABLE_ALIGN,
                                     out_address, err));
    uint64_t *grown =
        realloc(at->module->globals, (at->module->global_count + 1) * sizeof *at->module->globals);
    if (!grown) {
        sim_mem_release(at->engine->memory, *out_address, NULL);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for module variables");
    }
    at->module->globals = grown;
    grown[at->module->global_count++] = *out_address;
    sim_mem_label(at->engine->memory, *out_address, variable->name);
    if (at->engine->checker)
        TRY(sim_checker_allocated(at->engine->checker, *out_address, false, err));
    return SIM_OK;
}

// A twin's has its value.
static sim_status write_variable(void *context, uint64_t address, const void *source,
                                 uint64_t bytes, kl_error *err) {
    const placement *at = context;
    const sim_allocation *found =
        at->module->image ? sim_mem_find(at->engine->memory, address) : NULL;
    bool own = !found;
    for (uint32_t i = 0; !own && i < at->module->global_count; i++)
        own = at->module->globals[i] == found->base;
    return own ? sim_mem_write(at->engine->memory, address, source, bytes, err) : SIM_OK;
}

static void drop_module(inprocess_engine *engine, inprocess_module *module) {
    for (uint32_t i = 0; i < module->global_count; i++)
        sim_mem_release(engine->memory, module->globals[i], NULL);
    free(module->globals);
    free(module->text);
    sim_issue_codes_free(module->codes);
    sim_bounds_unvisited_free(module->unvisited);
    sim_program_free(module->program);
    inprocess_code_free(module->code);
    memset(module, 0, sizeof *module);
}

// --- images --------------------------------------------------------------------------------------

static sim_status decode_text(inprocess_engine *engine, inprocess_module *module, const char *text,
                              size_t bytes, bool linked, kl_error *err) {
    ptx_module *tree;
    TRY(ptx_parse(text, bytes, &tree, err));
    module->ptx_version = tree->target;
    placement at = {engine, module};
    const sim_decode_options options = {.keep_registers = engine->options.debugger,
                                        .refuses_functions = !engine->options.strict,
                                        .linked = linked};
    sim_status status =
        sim_decode(&options, tree, text, bytes, place_variable, &at, &module->program, err);
    if (status != SIM_OK) {
        ptx_module_free(tree);
        return status;
    }
    if (engine->options.debugger) {
        module->text = malloc(bytes ? bytes : 1);
        if (!module->text) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a module's PTX");
        memcpy(module->text, text, bytes);
        module->text_bytes = bytes;
    }
    if (engine->options.codes > 0)
        module->code = inprocess_code_new(text, bytes, module->program->function_count);
    TRY(sim_program_initialise(module->program, write_variable, &at, err));
    return sim_program_bind(module->program, err);
}

// Resources that only ptxas knows. A cubin that cannot be read costs exact numbers, not the module.
static void take_resources(inprocess_module *module, const uint8_t *image, size_t bytes,
                           bool same_ptx) {
    sim_program *program = module->program;
    sim_cubin *cubin;
    if (sim_cubin_open(image, bytes, &cubin, NULL) != SIM_OK) return;
    for (uint32_t i = 0; i < program->function_count; i++) {
        sim_function *function = &program->functions[i];
        const sim_cubin_kernel *kernel =
            function->is_entry ? sim_cubin_find(cubin, function->name) : NULL;
        if (!kernel || function->cubin_registers) continue;
        function->cubin_registers = kernel->registers;
        function->cubin_shared_bytes = kernel->shared_bytes;
        function->cubin_local_bytes = kernel->stack_bytes;
        function->cubin_code_bytes = (uint32_t)kernel->code_bytes;
        function->cubin_barriers = kernel->barriers;
        if (same_ptx && !function->refusal) {
            sim_machine_match(program->arena, function, cubin, kernel);
            sim_machine_keep(program->arena, function, kernel);
            sim_bind_machine(function);
            inprocess_code_take(module->code, i, cubin, kernel);
        }
        // Without local memory of its own, what a function has there are spills.
        bool are_spills = kernel->marks_spills || function->local_bytes == 0;
        function->cubin_spill_store_bytes = are_spills ? kernel->spill_store_bytes : 0;
        function->cubin_spill_load_bytes = are_spills ? kernel->spill_load_bytes : 0;
    }
    sim_cubin_close(cubin);
}

// Why a device of `arch` finds no PTX: what is there instead.
static sim_status fail_without_ptx(const sim_fatbin *fatbin, uint32_t arch, kl_error *err) {
    for (uint32_t i = 0; i < sim_fatbin_count(fatbin); i++)
        if (sim_fatbin_get(fatbin, i)->kind == SIM_FATBIN_LTO)
            return sim_fail(err, SIM_NO_IMAGE,
                            "the program was built for link-time optimisation (-dlto, "
                            "code=lto_%u) and holds no PTX: build it with -rdc=true and "
                            "-gencode=arch=compute_%u,code=[compute_%u,sm_%u] instead",
                            sim_fatbin_get(fatbin, i)->arch, arch, arch, arch);
    for (uint32_t i = 0; i < sim_fatbin_count(fatbin); i++)
        if (sim_fatbin_get(fatbin, i)->kind == SIM_FATBIN_TILE)
            return sim_fail(err, SIM_NO_IMAGE,
                            "it is a tile kernel (nvcc -enable-tile), and the simulator runs SIMT "
                            "kernels only");
    for (uint32_t i = 0; i < sim_fatbin_count(fatbin); i++) {
        const sim_fatbin_entry *entry = sim_fatbin_get(fatbin, i);
        if (entry->kind == SIM_FATBIN_PTX && entry->is_arch_exact && entry->arch != arch)
            return sim_fail(err, SIM_NO_IMAGE,
                            "the program's PTX is for compute_%ua alone, and this device is of "
                            "compute_%u: another one is chosen by --device or LADDER_SIM_DEVICE "
                            "(./ladder devices)",
                            entry->arch, arch);
    }
    const char *exact = ""; // machine code of sm_90a, say
    for (uint32_t i = 0; i < sim_fatbin_count(fatbin); i++)
        if (sim_fatbin_get(fatbin, i)->is_arch_exact && sim_fatbin_get(fatbin, i)->arch == arch)
            exact = "a";
    return sim_fail(err, SIM_NO_IMAGE,
                    "the program holds no PTX for compute_%u or older: build it with "
                    "-gencode=arch=compute_%u%s,code=[compute_%u%s,sm_%u%s]",
                    arch, arch, exact, arch, exact, arch, exact);
}

// The PTX of each container that has some; `sources` has room for one a container.
static sim_status collect_ptx(sim_fatbin *fatbin, uint32_t arch, ptx_source *sources,
                              uint32_t *out_count, kl_error *err) {
    *out_count = 0;
    for (uint32_t i = 0; i < sim_fatbin_container_count(fatbin); i++) {
        uint32_t at;
        const uint8_t *data;
        size_t bytes;
        if (!sim_fatbin_best_ptx(fatbin, (int)i, arch, &at)) continue;
        TRY(sim_fatbin_payload(fatbin, at, &data, &bytes, err));
        sources[(*out_count)++] = (ptx_source){(const char *)data, bytes};
    }
    return *out_count ? SIM_OK : fail_without_ptx(fatbin, arch, err);
}

static sim_status decode_sources(inprocess_engine *engine, inprocess_module *module,
                                 const ptx_source *sources, uint32_t count, kl_error *err) {
    if (count == 1)
        return decode_text(engine, module, sources[0].text, sources[0].bytes, false, err);
    char *text;
    size_t bytes;
    TRY(ptx_link(sources, count, &text, &bytes, err));
    sim_status status = decode_text(engine, module, text, bytes, true, err);
    free(text);
    return status;
}

// Images are taken that run on the device. Today's compilers make none for cards before compute
// capability 7.5; an older card is given what was compiled for 9.0 (device/device.h).
static uint32_t image_architecture(const sim_device *device) {
    uint32_t arch = device->compute_major * 10 + device->compute_minor;
    uint32_t compiled = SIM_COMPILED_MAJOR * 10 + SIM_COMPILED_MINOR;
    return arch > compiled ? arch : compiled;
}

// Containers in turn: that of the linked program comes before those of its object files, whose
// machine code does not know the registers of the functions that it calls.
static void take_cubins(inprocess_module *module, sim_fatbin *fatbin, uint32_t arch,
                        bool same_ptx) {
    const uint32_t compiled = SIM_COMPILED_MAJOR * 10 + SIM_COMPILED_MINOR; // a later card has none
    for (uint32_t i = 0; i < sim_fatbin_container_count(fatbin); i++) {
        uint32_t at;
        const uint8_t *data;
        size_t bytes;
        bool found = sim_fatbin_best_cubin(fatbin, (int)i, arch, &at) ||
                     sim_fatbin_best_cubin(fatbin, (int)i, compiled, &at);
        if (found && sim_fatbin_payload(fatbin, at, &data, &bytes, NULL) == SIM_OK)
            take_resources(module, data, bytes, same_ptx);
    }
}

// Kernels keep time from here on where they read clocks.
static sim_status bind_clocks(inprocess_engine *engine, sim_program *program, kl_error *err) {
    bool any;
    TRY(sim_clocks_bind(program, engine->base.device, &any, err));
    if (!any || engine->clocks) return SIM_OK;
    engine->clocks = sim_clocks_new(engine->base.device);
    if (engine->clocks) return SIM_OK;
    return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for the clocks of kernels");
}

static sim_status load_image(inprocess_engine *engine, inprocess_module *module, sim_fatbin *fatbin,
                             kl_error *err) {
    uint32_t arch = image_architecture(engine->base.device);
    uint32_t containers = sim_fatbin_container_count(fatbin), count;
    ptx_source *sources = calloc(containers + 1, sizeof *sources);
    if (!sources) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a module");
    sim_status status = collect_ptx(fatbin, arch, sources, &count, err);
    if (status == SIM_OK) status = decode_sources(engine, module, sources, count, err);
    free(sources);
    if (status == SIM_OK) take_cubins(module, fatbin, arch, count == 1);
    if (status == SIM_OK) status = bind_clocks(engine, module->program, err);
    if (status == SIM_OK && engine->options.mode == SIM_MODE_COUNT && engine->options.maps)
        status = sim_bind_probes(module->program, err);
    return status;
}

sim_status inprocess_module_load(sim_engine *engine, const void *image, size_t bytes,
                                 sim_module_handle *out_module, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    if (self->module_count >= MAX_MODULES)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "too many modules");
    inprocess_module *grown =
        realloc(self->modules, (self->module_count + 1) * sizeof *self->modules);
    if (!grown) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a module");
    self->modules = grown;
    inprocess_module module = {0};
    if (self->options.devices > 1) module.image = sim_digest(SIM_DIGEST_BEGIN, image, bytes);
    sim_fatbin *fatbin;
    TRY(sim_fatbin_open(image, bytes, &fatbin, err));
    sim_status status = load_image(self, &module, fatbin, err);
    sim_fatbin_close(fatbin);
    if (status != SIM_OK) {
        drop_module(self, &module);
        return status;
    }
    self->modules[self->module_count] = module;
    *out_module = ++self->module_count;
    return SIM_OK;
}

static inprocess_module *module_of(inprocess_engine *engine, sim_module_handle handle) {
    if (handle == 0 || handle > engine->module_count) return NULL;
    inprocess_module *module = &engine->modules[handle - 1];
    return module->program ? module : NULL;
}

sim_status inprocess_module_unload(sim_engine *engine, sim_module_handle handle, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    inprocess_module *module = module_of(self, handle);
    if (!module) return sim_fail(err, SIM_INVALID_HANDLE, "no such module: %u", handle);
    if (self->checker) sim_checker_unload(self->checker, module->program);
    drop_module(self, module);
    return SIM_OK;
}

void inprocess_modules_free(inprocess_engine *engine) {
    for (uint32_t i = 0; i < engine->module_count; i++)
        if (engine->modules[i].program) drop_module(engine, &engine->modules[i]);
    free(engine->modules);
    free(engine->functions);
}

// --- kernels -------------------------------------------------------------------------------------

inprocess_function *inprocess_function_of(inprocess_engine *engine, sim_function_handle handle) {
    if (handle == 0 || handle > engine->function_count) return NULL;
    inprocess_function *function = &engine->functions[handle - 1];
    return engine->modules[function->module].program ? function : NULL;
}

sim_status inprocess_function_find(sim_engine *engine, sim_module_handle handle, const char *name,
                                   sim_function_handle *out_function, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    inprocess_module *module = module_of(self, handle);
    if (!module) return sim_fail(err, SIM_INVALID_HANDLE, "no such module: %u", handle);
    sim_function *found = sim_program_find(module->program, name);
    if (!found || !found->is_entry)
        return sim_fail(err, SIM_NOT_FOUND, "the module has no kernel %s", name);
    for (uint32_t i = 0; i < self->function_count; i++)
        if (self->functions[i].function == found && self->functions[i].module == handle - 1) {
            *out_function = i + 1;
            return SIM_OK;
        }
    inprocess_function *grown =
        realloc(self->functions, (self->function_count + 1) * sizeof *self->functions);
    if (!grown) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a kernel");
    self->functions = grown;
    uint32_t shared = inprocess_shared_bytes(found);
    grown[self->function_count] =
        (inprocess_function){.module = handle - 1,
                             .function = found,
                             .max_dynamic_shared_bytes =
                                 shared < BLOCK_SHARED_DEFAULT ? BLOCK_SHARED_DEFAULT - shared : 0};
    *out_function = ++self->function_count;
    return SIM_OK;
}

sim_status inprocess_module_kernel(sim_engine *engine, sim_module_handle handle, uint32_t index,
                                   sim_function_handle *out_function, kl_error *err) {
    const inprocess_module *module = module_of((inprocess_engine *)engine, handle);
    if (!module) return sim_fail(err, SIM_INVALID_HANDLE, "no such module: %u", handle);
    for (uint32_t i = 0; i < module->program->function_count; i++) {
        const sim_function *function = &module->program->functions[i];
        if (function->is_entry && index-- == 0)
            return inprocess_function_find(engine, handle, function->name, out_function, err);
    }
    return sim_fail(err, SIM_NOT_FOUND, "the module has no more kernels");
}

// As ptxas lays them out in the constant bank: one after the other, each at its alignment.
static uint32_t constant_bytes(const sim_program *program) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->symbol_count; i++) {
        const sim_symbol *symbol = &program->symbols[i];
        if (symbol->space != PTX_SPACE_CONST) continue;
        uint64_t align = symbol->variable->align_bytes ? symbol->variable->align_bytes : 1;
        bytes = (bytes + align - 1) / align * align + symbol->size_bytes;
    }
    return (uint32_t)bytes;
}

sim_status inprocess_function_query(sim_engine *engine, sim_function_handle handle,
                                    sim_function_info *out_info, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    const inprocess_function *entry = inprocess_function_of(self, handle);
    if (!entry) return sim_fail(err, SIM_INVALID_HANDLE, "no such kernel: %u", handle);
    const sim_function *function = entry->function;
    const sim_device *device = self->base.device;
    memset(out_info, 0, sizeof *out_info);
    snprintf(out_info->name, sizeof out_info->name, "%s", function->name);
    inprocess_kernel_needs(device, entry, out_info);
    out_info->local_bytes =
        function->cubin_registers ? function->cubin_local_bytes : function->local_bytes;
    out_info->constant_bytes = constant_bytes(self->modules[entry->module].program);
    out_info->ptx_version = self->modules[entry->module].ptx_version;
    out_info->binary_version = device->compute_major * 10 + device->compute_minor;
    uint32_t most = sizeof out_info->params / sizeof out_info->params[0];
    if (function->entry_param_count > most)
        return sim_fail(err, SIM_UNSUPPORTED, "kernel %s has more than %u parameters",
                        function->name, most);
    out_info->param_count = function->entry_param_count;
    for (uint32_t i = 0; i < function->entry_param_count; i++) {
        out_info->params[i].offset = function->entry_params[i].offset;
        out_info->params[i].size_bytes = function->entry_params[i].size_bytes;
    }
    return SIM_OK;
}

sim_status inprocess_function_set_max_dynamic_shared(sim_engine *engine, sim_function_handle handle,
                                                     uint32_t bytes, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    inprocess_function *function = inprocess_function_of(self, handle);
    if (!function) return sim_fail(err, SIM_INVALID_HANDLE, "no such kernel: %u", handle);
    uint64_t total = (uint64_t)bytes + inprocess_shared_bytes(function->function);
    if (total > self->base.device->shared_bytes_per_block_optin)
        return sim_fail(
            err, SIM_INVALID_VALUE,
            "%u bytes of dynamic shared memory and %u static ones exceed the device's %u", bytes,
            inprocess_shared_bytes(function->function),
            self->base.device->shared_bytes_per_block_optin);
    function->max_dynamic_shared_bytes = bytes;
    return SIM_OK;
}

sim_status inprocess_symbol_find(sim_engine *engine, sim_module_handle handle, const char *name,
                                 uint64_t *out_address, uint64_t *out_bytes, kl_error *err) {
    inprocess_module *module = module_of((inprocess_engine *)engine, handle);
    if (!module) return sim_fail(err, SIM_INVALID_HANDLE, "no such module: %u", handle);
    const sim_symbol *symbol = sim_program_symbol(module->program, name);
    if (!symbol || symbol->space == PTX_SPACE_SHARED)
        return sim_fail(err, SIM_NOT_FOUND, "the module has no variable %s", name);
    *out_address = symbol->address;
    *out_bytes = symbol->size_bytes;
    return SIM_OK;
}
