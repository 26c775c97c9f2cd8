// Decoding of a whole PTX module: sim_decode runs the stages in order and owns what they share.
// The order matters: addresses of variables and offsets of shared ones are constants inside code.
#include "decode/internal.h"

static const size_t program_arena_cap = (size_t)4 << 30; // bounds what a hostile text can ask for

static sim_status add_functions(decode_module *module) {
    const ptx_module *syntax = module->syntax;
    sim_program *program = module->program;
    uint32_t most = syntax->function_count;
    program->functions = sim_arena_array(module->arena, most, sizeof *program->functions);
    module->bodies = sim_arena_array(module->scratch, most, sizeof *module->bodies);
    module->usage = sim_arena_array(module->scratch, most, sizeof *module->usage);
    module->address_taken = sim_arena_array(module->scratch, most, sizeof *module->address_taken);
    if (!program->functions || !module->bodies || !module->usage || !module->address_taken)
        return decode_no_memory(module);
    for (uint32_t i = 0; i < most; i++) {
        const ptx_function *function = &syntax->functions[i];
        decode_map *map = function->has_body ? &module->functions : &module->bodiless;
        uint32_t value = function->has_body ? program->function_count : i;
        if (function->has_body && decode_map_get(map, function->name) != DECODE_NONE)
            return decode_fail(module, function->place, SIM_BAD_PTX, "'%s' is defined twice",
                               function->name);
        if (!decode_map_put(module->scratch, map, function->name, value))
            return decode_no_memory(module);
        if (!function->has_body) continue;
        module->bodies[program->function_count] = function;
        sim_function *out = &program->functions[program->function_count++];
        out->name = function->name;
        out->is_entry = function->is_entry;
    }
    for (uint32_t i = 0; i < syntax->alias_count; i++) {
        const ptx_alias *alias = &syntax->aliases[i];
        if (decode_map_get(&module->bodiless, alias->name) == DECODE_NONE &&
            decode_map_get(&module->functions, alias->name) == DECODE_NONE)
            return decode_fail(module, alias->place, SIM_BAD_PTX, "'%s' is not declared",
                               alias->name);
        if (!decode_map_put(module->scratch, &module->aliases, alias->name, i))
            return decode_no_memory(module);
    }
    return SIM_OK;
}

static sim_status run_stages(decode_module *module, sim_place_fn place, void *context) {
    if (module->syntax->lacks_debug && !module->linked)
        return decode_fail(module, (ptx_place){1, 1}, SIM_BAD_PTX,
                           "a module for the target option debug without debug sections");
    TRY(decode_collect_files(module));
    TRY(add_functions(module));
    TRY(decode_add_symbols(module, place, context));
    for (uint32_t i = 0; i < module->program->function_count; i++)
        TRY(decode_add_function_shared(module, module->bodies[i]));
    TRY(decode_scan_usage(module));
    TRY(decode_layout_shared(module));
    for (uint32_t i = 0; i < module->program->function_count; i++) TRY(decode_body(module, i));
    return decode_propagate_properties(module);
}

sim_status sim_decode(const sim_decode_options *options, ptx_module *syntax, const char *text,
                      size_t text_bytes, sim_place_fn place, void *place_context,
                      sim_program **out_program, kl_error *err) {
    decode_module module = {.syntax = syntax,
                            .text = text,
                            .text_bytes = text_bytes,
                            .err = err,
                            .keep_registers = options && options->keep_registers,
                            .refuses_functions = options && options->refuses_functions,
                            .linked = options && options->linked};
    module.arena = sim_arena_new(program_arena_cap);
    module.scratch = sim_arena_new(program_arena_cap);
    sim_status status = SIM_OUT_OF_MEMORY;
    if (module.arena) module.program = sim_arena_alloc(module.arena, sizeof *module.program);
    if (module.scratch && module.program) {
        module.program->arena = module.arena;
        module.program->refuses_functions = module.refuses_functions;
        status = run_stages(&module, place, place_context);
    } else {
        decode_no_memory(&module);
    }
    sim_arena_free(module.scratch);
    if (status != SIM_OK) {
        sim_arena_free(module.arena);
        return status;
    }
    module.program->module = syntax;
    *out_program = module.program;
    return SIM_OK;
}
