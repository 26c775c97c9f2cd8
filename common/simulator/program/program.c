// A decoded program as a whole: lookup, release, and what its variables hold at first. print.c
// prints it.
#include "program/ir.h"

static const char *const op_names[SIM_OP_COUNT] = {
#define SIM_OP(id, ...) #id,
#include "program/ops.def"
#undef SIM_OP
};

const sim_op_row sim_op_rows[SIM_OP_COUNT] = {
#define SIM_OP(id, opcode, form, pipe, role, variant, cost)                                        \
    {SIM_PIPE_##pipe, SIM_ROLE_##role, SIM_VARIANT_##variant, SIM_COST_##cost},
#include "program/ops.def"
#undef SIM_OP
};

const char *sim_op_name(sim_op op) { return (unsigned)op < SIM_OP_COUNT ? op_names[op] : "?"; }

uint32_t sim_written_parts(const sim_instr *instr) {
    if (sim_is_product(instr)) return ((const sim_matrix *)instr->extra)->registers[SIM_MATRIX_D];
    if (instr->op == SIM_OP_TMEM_LD) return instr->vector;
    if (sim_role_of(instr) == SIM_ROLE_LOAD)
        return sim_cost_of(instr) == SIM_COST_TEXEL ? SIM_TEXTURE_RESULTS : instr->vector;
    bool asks = instr->op == SIM_OP_LAUNCH_QUERY && instr->list != SIM_NO_SLOT;
    return asks || sim_is_unpack(instr) ? instr->vector : 0;
}

void sim_program_free(sim_program *program) {
    if (!program) return;
    ptx_module *module = (ptx_module *)program->module; // owned, const only to its readers
    sim_arena_free(program->arena);                     // the program lies in it too
    ptx_module_free(module);
}

sim_function *sim_program_find(const sim_program *program, const char *name) {
    for (uint32_t i = 0; i < program->function_count; i++)
        if (strcmp(program->functions[i].name, name) == 0) return &program->functions[i];
    return NULL;
}

sim_symbol *sim_program_symbol(const sim_program *program, const char *name) {
    for (uint32_t i = 0; i < program->symbol_count; i++)
        if (strcmp(program->symbols[i].name, name) == 0) return &program->symbols[i];
    return NULL;
}

// Whether a function rounds down to a multiple of so many bytes what it keeps in a slot.
static bool is_rounded(const sim_function *function, uint32_t slot, uint32_t bytes) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op != SIM_OP_AND || instr->dst != slot) continue;
        for (uint32_t i = 0; i < function->constant_count; i++) {
            const sim_constant *constant = &function->constants[i];
            bool read = constant->slot == instr->src[0] || constant->slot == instr->src[1];
            if (read && constant->value == -(uint64_t)bytes) return true;
        }
    }
    return false;
}

// An address in shared memory is rounded by the compiler where it knows it.
static bool is_constant(const sim_function *function, uint32_t slot) {
    for (uint32_t i = 0; i < function->constant_count; i++)
        if (function->constants[i].slot == slot) return true;
    return false;
}

bool sim_is_word_atomic(const sim_function *function, const sim_instr *instr) {
    bool loads = sim_is_ld(instr) && instr->order >= SIM_ORDER_RELAXED;
    bool swaps = sim_is_atom(instr) && instr->variant == SIM_ATOMIC_CAS;
    bool word = instr->type == PTX_B32 && (loads || swaps);
    bool half = instr->type == PTX_B16 && loads;
    if (instr->vector > 1 || !(word || half)) return false;
    return is_rounded(function, instr->src[0], word ? 4 : 2) ||
           is_constant(function, instr->src[0]);
}

// -------------------------------------------------------------------------------------------------
// The slot fields of an instruction, one after the other: first what it reads, then what it writes.

void sim_visit_slots(uint32_t *slots, sim_instr *instr, sim_slot_visit visit, void *context) {
    uint32_t list_count = instr->list == SIM_NO_SLOT ? 0 : instr->vector;
    uint32_t written = sim_written_parts(instr); // the first ones of the list
    if (instr->guard != SIM_NO_SLOT) visit(context, &instr->guard, false);
    for (int i = 0; i < 4; i++)
        if (instr->src[i] != SIM_NO_SLOT) visit(context, &instr->src[i], false);
    const sim_call *call = sim_is_call(instr) ? instr->extra : NULL;
    for (uint32_t i = 0; call && i < call->argument_count; i++)
        visit(context, (uint32_t *)&call->arguments[i].slot, false);
    for (uint32_t i = written; i < list_count; i++)
        if (slots[instr->list + i] != SIM_NO_SLOT) visit(context, &slots[instr->list + i], false);
    for (uint32_t i = 0; i < written && i < list_count; i++)
        if (slots[instr->list + i] != SIM_NO_SLOT) visit(context, &slots[instr->list + i], true);
    for (uint32_t i = 0; call && i < call->return_count; i++)
        visit(context, (uint32_t *)&call->returns[i].slot, true);
    if (instr->dst != SIM_NO_SLOT) visit(context, &instr->dst, true);
    if (instr->dst2 != SIM_NO_SLOT) visit(context, &instr->dst2, true);
}

bool sim_absorbs(const sim_instr *instr, uint64_t bits) {
    uint32_t width = 8 * ptx_type_bytes((ptx_type)instr->type);
    uint64_t ones = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    bool is_signed = instr->type >= PTX_S8 && instr->type <= PTX_S64;
    bool is_integer = is_signed || (instr->type >= PTX_U8 && instr->type <= PTX_U64);
    bits &= ones;
    switch (instr->op) {
    case SIM_OP_AND: return bits == 0;
    case SIM_OP_OR: return bits == ones;
    case SIM_OP_MUL: return is_integer && bits == 0;
    case SIM_OP_MIN: return is_integer && bits == (is_signed ? ones / 2 + 1 : 0);
    case SIM_OP_MAX: return is_integer && bits == (is_signed ? ones / 2 : ones);
    default: return false;
    }
}

// ---- What module-scope variables hold before the first launch -----------------------------------
// (PTX ISA 9.0, section 5.4.4).

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
