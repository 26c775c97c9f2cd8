// SPDX-License-Identifier: MIT
// Module-scope variables (PTX ISA 9.0, chapter 5): where each lives, and what it holds before the
// first launch. Texture, sampler and surface references are left out here; using one is an error
// where it is used.
#include "decode/decode.h"

#include <stdlib.h>
#include <string.h>

enum { INIT_CHUNK_BYTES = 1 << 20 }; // zeroes are written in pieces of this size

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
    sim_status status = place(context, variable, &symbol->address, module->error);
    if (status == SIM_NOT_FOUND && variable->is_extern) {
        module->symbol_unresolved[index] = true;
        return SIM_OK;
    }
    return status;
}

// A declaration and its definition are one symbol.
static bool is_known(const decode_module *module, const ptx_variable *variable) {
    uint32_t index = decode_map_get(&module->symbols, variable->name);
    if (index == DECODE_NONE) return false;
    sim_symbol *symbol = &module->program->symbols[index];
    if (symbol->variable->is_extern && !variable->is_extern) {
        symbol->variable = variable;
        symbol->size_bytes = variable->size_bytes;
    }
    return true;
}

sim_status decode_add_symbols(decode_module *module, sim_place_fn place, void *context) {
    const ptx_module *syntax = module->syntax;
    for (uint32_t i = 0; i < syntax->variable_count; i++) {
        const ptx_variable *variable = &syntax->variables[i];
        ptx_space space = variable->space;
        if (space != PTX_SPACE_GLOBAL && space != PTX_SPACE_CONST && space != PTX_SPACE_SHARED)
            continue;
        if (variable->type >= PTX_TEXREF || is_known(module, variable)) continue;
        sim_symbol *symbol;
        SIM_TRY(add_symbol(module, variable, &symbol));
        if (!decode_map_put(module->scratch, &module->symbols, variable->name,
                            module->program->symbol_count - 1))
            return decode_no_memory(module);
    }
    uint32_t count = module->program->symbol_count;
    module->symbol_unresolved =
        sim_arena_array(module->scratch, count, sizeof *module->symbol_unresolved);
    if (!module->symbol_unresolved) return decode_no_memory(module);
    for (uint32_t i = 0; i < count; i++)
        if (module->program->symbols[i].space != PTX_SPACE_SHARED)
            SIM_TRY(place_variable(module, &module->program->symbols[i], i, place, context));
    return SIM_OK;
}

sim_status decode_add_function_shared(decode_module *module, const ptx_function *function) {
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const ptx_statement *statement = &function->statements[i];
        if (statement->kind != PTX_STATEMENT_VARIABLE) continue;
        if (statement->variable->space != PTX_SPACE_SHARED) continue;
        sim_symbol *symbol;
        SIM_TRY(add_symbol(module, statement->variable, &symbol));
        if (!decode_map_put(module->scratch, &module->function_shared, statement->variable,
                            module->program->symbol_count - 1))
            return decode_no_memory(module);
    }
    return SIM_OK;
}

sim_status decode_symbol_address(decode_function *function, const ptx_operand *operand,
                                 uint32_t symbol_index, uint64_t *out_address) {
    const decode_module *module = function->module;
    const sim_symbol *symbol = &module->program->symbols[symbol_index];
    if (symbol->space != PTX_SPACE_SHARED && module->symbol_unresolved[symbol_index])
        return decode_fail(module, operand->place, SIM_UNSUPPORTED,
                           "'%s' is extern and no module defines it", symbol->name);
    // Dynamic shared memory starts after the statics of the kernel, which differ.
    *out_address =
        symbol->is_dynamic_shared ? function->out->dynamic_shared_offset : symbol->address;
    return SIM_OK;
}

// ---- Initial values -----------------------------------------------------------------------------

static sim_status init_address(const sim_program *program, const ptx_init_symbol *init,
                               uint64_t *out_address, sim_error *error) {
    const sim_symbol *symbol = sim_program_symbol(program, init->name);
    if (symbol) {
        *out_address = symbol->address;
        if (symbol->space == PTX_SPACE_SHARED && init->generic) *out_address += SIM_SHARED_WINDOW;
        return SIM_OK;
    }
    const sim_function *function = sim_program_find(program, init->name);
    if (!function)
        return sim_fail(error, SIM_UNSUPPORTED,
                        "an initialiser holds the address of '%s', which this module does not "
                        "define",
                        init->name);
    *out_address = sim_function_address((uint32_t)(function - program->functions));
    return SIM_OK;
}

static sim_status write_initialised(const sim_program *program, const sim_symbol *symbol,
                                    sim_write_fn write, void *context, sim_error *error) {
    const ptx_variable *variable = symbol->variable;
    if (variable->init_symbol_count == 0)
        return write(context, symbol->address, variable->init_bytes, variable->size_bytes, error);
    uint8_t *bytes = calloc(1, variable->size_bytes);
    if (!bytes) return sim_fail(error, SIM_OUT_OF_MEMORY, "out of memory for an initialiser");
    if (variable->init_bytes) memcpy(bytes, variable->init_bytes, variable->size_bytes);
    sim_status status = SIM_OK;
    for (uint32_t i = 0; i < variable->init_symbol_count && status == SIM_OK; i++) {
        const ptx_init_symbol *init = &variable->init_symbols[i];
        uint64_t address = 0;
        status = init_address(program, init, &address, error);
        address = (address + (uint64_t)init->addend) >> init->shift_bits;
        if (init->width_bytes > 8 || init->offset_bytes > variable->size_bytes ||
            init->width_bytes > variable->size_bytes - init->offset_bytes)
            status =
                sim_fail(error, SIM_BAD_PTX, "the initialiser of '%s' is too long", symbol->name);
        // Both sides are little-endian.
        if (status == SIM_OK) memcpy(bytes + init->offset_bytes, &address, init->width_bytes);
    }
    if (status == SIM_OK)
        status = write(context, symbol->address, bytes, variable->size_bytes, error);
    free(bytes);
    return status;
}

static sim_status write_zeroes(const sim_symbol *symbol, const uint8_t *zeroes, sim_write_fn write,
                               void *context, sim_error *error) {
    for (uint64_t done = 0; done < symbol->size_bytes;) {
        uint64_t piece = symbol->size_bytes - done;
        if (piece > INIT_CHUNK_BYTES) piece = INIT_CHUNK_BYTES;
        SIM_TRY(write(context, symbol->address + done, zeroes, piece, error));
        done += piece;
    }
    return SIM_OK;
}

sim_status sim_program_initialise(const sim_program *program, sim_write_fn write, void *context,
                                  sim_error *error) {
    uint8_t *zeroes = calloc(1, INIT_CHUNK_BYTES);
    if (!zeroes) return sim_fail(error, SIM_OUT_OF_MEMORY, "out of memory for an initialiser");
    sim_status status = SIM_OK;
    for (uint32_t i = 0; i < program->symbol_count && status == SIM_OK; i++) {
        const sim_symbol *symbol = &program->symbols[i];
        if (symbol->space == PTX_SPACE_SHARED || symbol->variable->is_extern ||
            symbol->size_bytes == 0)
            continue;
        if (symbol->variable->init_bytes || symbol->variable->init_symbol_count)
            status = write_initialised(program, symbol, write, context, error);
        else
            status = write_zeroes(symbol, zeroes, write, context, error);
    }
    free(zeroes);
    return status;
}
