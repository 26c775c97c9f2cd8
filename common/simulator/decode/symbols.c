// Module-scope variables (PTX ISA 9.0, chapter 5): where each lives. Texture, sampler and surface
// references are left out here; using one is an error where it is used.
#include "decode/internal.h"

static sim_status add_symbol(decode_module *module, const ptx_variable *variable,
                             sim_symbol **out_symbol) {
    sim_program *program = module->program;
    sim_symbol *symbol = DECODE_PUSH(module->arena, program->symbols, program->symbol_count,
                                     module->symbol_capacity);
    if (!symbol) return decode_no_memory(module);
    *symbol = (sim_symbol){.name = variable->name,
                           .space = variable->space,
                           .size_bytes = variable->size_bytes,
                           .variable = variable};
    symbol->is_dynamic_shared =
        variable->space == PTX_SPACE_SHARED && variable->is_extern && variable->elements == 0;
    *out_symbol = symbol;
    return SIM_OK;
}

static sim_status place_variable(decode_module *module, sim_symbol *symbol, uint32_t index,
                                 sim_place_fn place, void *context) {
    const ptx_variable *variable = symbol->variable;
    sim_status status = place(context, variable, &symbol->address, module->err);
    if (status == SIM_NOT_FOUND && variable->is_extern) {
        module->symbol_unresolved[index] = true;
        return SIM_OK;
    }
    return status;
}

// A declaration and its definition are one symbol.
static sim_status find_known(const decode_module *module, const ptx_variable *variable,
                             bool *out_known) {
    uint32_t index = decode_map_get(&module->symbols, variable->name);
    *out_known = index != DECODE_NONE;
    if (decode_map_get(&module->functions, variable->name) != DECODE_NONE)
        return decode_fail(module, variable->place, SIM_BAD_PTX, "'%s' is a function, too",
                           variable->name);
    if (!*out_known) return SIM_OK;
    sim_symbol *symbol = &module->program->symbols[index];
    const ptx_variable *known = symbol->variable;
    if (!known->is_extern && !variable->is_extern)
        return decode_fail(module, variable->place, SIM_BAD_PTX, "'%s' is declared twice",
                           variable->name);
    bool same = known->type == variable->type && known->vector == variable->vector;
    if (known->space != variable->space || (!same && !module->linked))
        return decode_fail(module, variable->place, SIM_BAD_PTX,
                           "'%s' is declared otherwise before", variable->name);
    if (!variable->is_extern && !variable->is_visible && !variable->is_weak)
        return decode_fail(module, variable->place, SIM_BAD_PTX,
                           "'%s' is .extern, and its definition is not .visible", variable->name);
    if (symbol->variable->is_extern && !variable->is_extern) {
        symbol->variable = variable;
        symbol->size_bytes = variable->size_bytes;
    }
    return SIM_OK;
}

// An address in an initialiser is of a variable that stands above, or of a function with a body.
static sim_status check_initialiser(const decode_module *module, const ptx_variable *variable) {
    for (uint32_t i = 0; i < variable->init_symbol_count; i++) {
        const char *name = variable->init_symbols[i].name;
        uint32_t known = decode_map_get(&module->symbols, name);
        uint32_t declared = decode_map_get(&module->bodiless, name);
        bool below =
            known != DECODE_NONE &&
            decode_is_before(variable->place, module->program->symbols[known].variable->place) &&
            !module->program->symbols[known].variable->is_visible;
        if (below)
            return decode_fail(module, variable->place, SIM_BAD_PTX,
                               "'%s' is initialised by '%s', which is declared further down",
                               variable->name, name);
        if (declared != DECODE_NONE && module->syntax->functions[declared].is_extern &&
            decode_map_get(&module->functions, name) == DECODE_NONE)
            return decode_fail(module, variable->place, SIM_BAD_PTX,
                               "'%s' is initialised by '%s', a function without a body here",
                               variable->name, name);
    }
    return SIM_OK;
}

// All of a module's constants lie in one bank.
static sim_status check_constants(const decode_module *module) {
    enum { BANK_BYTES = 1 << 16 };
    uint64_t end = 0;
    for (uint32_t i = 0; i < module->program->symbol_count; i++) {
        const sim_symbol *symbol = &module->program->symbols[i];
        if (symbol->space != PTX_SPACE_CONST || symbol->variable->is_extern) continue;
        end += symbol->size_bytes;
        if (end > BANK_BYTES && !module->linked)
            return decode_fail(module, symbol->variable->place, SIM_BAD_PTX,
                               "more than %d bytes of constant memory", BANK_BYTES);
    }
    return SIM_OK;
}

sim_status decode_add_symbols(decode_module *module, sim_place_fn place, void *context) {
    const ptx_module *syntax = module->syntax;
    for (uint32_t i = 0; i < syntax->variable_count; i++) {
        const ptx_variable *variable = &syntax->variables[i];
        ptx_space space = variable->space;
        if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_CONST && space != PTX_SPACE_SHARED)
            continue;
        if (variable->type >= PTX_TEXREF) continue;
        bool known;
        TRY(find_known(module, variable, &known));
        if (known) continue;
        sim_symbol *symbol;
        TRY(add_symbol(module, variable, &symbol));
        if (!decode_map_put(module->scratch, &module->symbols, variable->name,
                            module->program->symbol_count - 1))
            return decode_no_memory(module);
    }
    for (uint32_t i = 0; i < syntax->variable_count && !module->linked; i++)
        TRY(check_initialiser(module, &syntax->variables[i]));
    TRY(check_constants(module));
    uint32_t count = module->program->symbol_count;
    module->symbol_unresolved =
        sim_arena_array(module->scratch, count, sizeof *module->symbol_unresolved);
    if (!module->symbol_unresolved) return decode_no_memory(module);
    for (uint32_t i = 0; i < count; i++)
        if (module->program->symbols[i].space != PTX_SPACE_SHARED)
            TRY(place_variable(module, &module->program->symbols[i], i, place, context));
    return SIM_OK;
}

sim_status decode_add_function_shared(decode_module *module, const ptx_function *function) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const ptx_statement *statement = &function->statements[i];
        if (statement->kind != PTX_STATEMENT_VARIABLE) continue;
        if (statement->variable->space != PTX_SPACE_SHARED) continue;
        bytes += statement->variable->size_bytes;
        if (bytes > DECODE_MOST_SHARED)
            return decode_fail(module, statement->variable->place, SIM_BAD_PTX,
                               "'%s' declares more than %d bytes of shared memory", function->name,
                               DECODE_MOST_SHARED);
        sim_symbol *symbol;
        TRY(add_symbol(module, statement->variable, &symbol));
        if (!decode_map_put(module->scratch, &module->function_shared, statement->variable,
                            module->program->symbol_count - 1))
            return decode_no_memory(module);
    }
    return SIM_OK;
}
