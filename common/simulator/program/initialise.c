// What module-scope variables hold before the first launch (PTX ISA 9.0, section 5.4.4).
#include "program/ir.h"

enum { INIT_CHUNK_BYTES = 1 << 20 }; // zeroes are written in pieces of this size

static sim_status init_address(const sim_program *program, const ptx_init_symbol *init,
                               uint64_t *out_address, kl_error *err) {
    const sim_symbol *symbol = sim_program_symbol(program, init->name);
    if (symbol) {
        *out_address = symbol->address;
        if (symbol->space == PTX_SPACE_SHARED)
            *out_address += SIM_SHARED_START + (init->generic ? SIM_SHARED_WINDOW : 0);
        return SIM_OK;
    }
    const sim_function *function = sim_program_find(program, init->name);
    if (!function)
        return sim_fail(err, SIM_UNSUPPORTED,
                        "an initialiser holds the address of '%s', which this module does not "
                        "define",
                        init->name);
    *out_address = sim_function_address((uint32_t)(function - program->functions));
    return SIM_OK;
}

static sim_status write_initialised(const sim_program *program, const sim_symbol *symbol,
                                    sim_write_fn write, void *context, kl_error *err) {
    const ptx_variable *variable = symbol->variable;
    if (variable->init_symbol_count == 0)
        return write(context, symbol->address, variable->init_bytes, variable->size_bytes, err);
    uint8_t *bytes = calloc(1, variable->size_bytes);
    if (!bytes) return sim_fail(err, SIM_OUT_OF_MEMORY, "out of memory for an initialiser");
    if (variable->init_bytes) memcpy(bytes, variable->init_bytes, variable->size_bytes);
    sim_status status = SIM_OK;
    for (uint32_t i = 0; i < variable->init_symbol_count && status == SIM_OK; i++) {
        const ptx_init_symbol *init = &variable->init_symbols[i];
        uint64_t address = 0;
        status = init_address(program, init, &address, err);
        address = (address + (uint64_t)init->addend) >> init->shift_bits;
        if (init->width_bytes > 8 || init->offset_bytes > variable->size_bytes ||
            init->width_bytes > variable->size_bytes - init->offset_bytes)
            status =
                sim_fail(err, SIM_BAD_PTX, "the initialiser of '%s' is too long", symbol->name);
        // Both sides are little-endian.
        if (status == SIM_OK) memcpy(bytes + init->offset_bytes, &address, init->width_bytes);
    }
    if (status == SIM_OK)
        status = write(context, symbol->address, bytes, variable->size_bytes, err);
    free(bytes);
    return status;
}

static sim_status write_zeroes(const sim_symbol *symbol, const uint8_t *zeroes, sim_write_fn write,
                               void *context, kl_error *err) {
    for (uint64_t done = 0; done < symbol->size_bytes;) {
        uint64_t piece = symbol->size_bytes - done;
        if (piece > INIT_CHUNK_BYTES) piece = INIT_CHUNK_BYTES;
        TRY(write(context, symbol->address + done, zeroes, piece, err));
        done += piece;
    }
    return SIM_OK;
}

sim_status sim_program_initialise(const sim_program *program, sim_write_fn write, void *context,
                                  kl_error *err) {
    uint8_t *zeroes = calloc(1, INIT_CHUNK_BYTES);
    if (!zeroes) return sim_fail(err, SIM_OUT_OF_MEMORY, "out of memory for an initialiser");
    sim_status status = SIM_OK;
    for (uint32_t i = 0; i < program->symbol_count && status == SIM_OK; i++) {
        const sim_symbol *symbol = &program->symbols[i];
        if (symbol->space == PTX_SPACE_SHARED || symbol->variable->is_extern ||
            symbol->size_bytes == 0)
            continue;
        if (symbol->variable->init_bytes || symbol->variable->init_symbol_count)
            status = write_initialised(program, symbol, write, context, err);
        else status = write_zeroes(symbol, zeroes, write, context, err);
    }
    free(zeroes);
    return status;
}
