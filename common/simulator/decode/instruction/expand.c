// Operands that are short forms of others (PTX ISA 9.0, sections 5.4.2 and 6.4): a whole vector
// register for the list of its components, a register plus a constant, an element of an array, a
// special register that mov alone reads in another instruction.
#include "decode/instruction/instruction.h"

enum { NAME_BYTES = 128 };

static const decode_opcode plain_opcode = {
    .text = "a sum",
    .proto = {.vector = 1,
              .guard = SIM_NO_SLOT,
              .dst = SIM_NO_SLOT,
              .dst2 = SIM_NO_SLOT,
              .src = {SIM_NO_SLOT, SIM_NO_SLOT, SIM_NO_SLOT, SIM_NO_SLOT},
              .list = SIM_NO_SLOT,
              .target = SIM_NO_SLOT,
              .reconverge = SIM_PC_EXIT},
};

static bool is_short(const decode_function *function, const ptx_operand *operand) {
    if (operand->kind == PTX_OPERAND_NAME)
        return operand->value || operand->indexed ||
               (function->has_vectors && decode_vector_size(function, operand->name) > 0);
    for (uint32_t i = 0; i < operand->item_count; i++)
        if (is_short(function, &operand->items[i])) return true;
    return false;
}

// mov.v4 reads a whole special register; cvt one that changes while a warp runs.
static bool reads_special(const ptx_instruction *instruction) {
    const ptx_operand *last = &instruction->operands[instruction->operand_count - 1];
    if (instruction->operand_count != 2 || last->kind != PTX_OPERAND_NAME || last->name[0] != '%')
        return false;
    bool moves = strcmp(instruction->words[0], "mov") == 0;
    if (!moves) return strcmp(instruction->words[0], "cvt") == 0;
    for (uint32_t i = 1; i < instruction->word_count; i++)
        if (strcmp(instruction->words[i], "v4") == 0) return true;
    return false;
}

bool decode_is_short(const decode_function *function, const ptx_instruction *instruction) {
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        if (is_short(function, &instruction->operands[i])) return true;
    return instruction->operand_count > 0 && reads_special(instruction);
}

// A list of the components of the register `operand->name`.
static sim_status expand_vector(decode_function *function, uint32_t count, ptx_operand *operand) {
    ptx_operand *items = sim_arena_array(function->scratch, count, sizeof *items);
    if (!items) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < count; i++) {
        char name[NAME_BYTES];
        int bytes =
            snprintf(name, sizeof name, "%.*s.%c", NAME_BYTES - 3, operand->name, "xyzw"[i]);
        items[i] = (ptx_operand){.kind = PTX_OPERAND_NAME, .place = operand->place};
        items[i].name = sim_arena_copy(function->scratch, name, (size_t)bytes + 1);
        if (!items[i].name) return decode_no_memory(function->module);
    }
    operand->kind = PTX_OPERAND_VECTOR;
    operand->items = items;
    operand->item_count = count;
    return SIM_OK;
}

// Appends an instruction that computes what the operand means, and names its result.
static sim_status compute(decode_function *function, sim_op op, decode_width width, uint32_t source,
                          uint8_t special, ptx_operand *operand) {
    sim_instr *instr;
    decode_value value = {.kind = VALUE_REGISTER, .width = (uint8_t)width};
    function->opcode = &plain_opcode;
    TRY(decode_emit(function, &instr));
    instr->op = (uint16_t)op;
    instr->type = width == WIDTH_64 ? PTX_U64 : PTX_U32;
    instr->variant = special;
    instr->src[0] = source;
    if (op == SIM_OP_ADD)
        TRY(decode_constant(function, width, (uint64_t)operand->value, &instr->src[1]));
    TRY(decode_new_value(function, value, &instr->dst));
    operand->value = 0;
    return decode_name_value(function, instr->dst, &operand->name);
}

// `table[4]`: the address of element 4, for mov, or what lies there.
static sim_status expand_index(decode_function *function, const ptx_variable *variable,
                               ptx_operand *operand) {
    if (!variable || (variable->elements == 1 && !variable->is_extern))
        return decode_operand_fail(function, operand, "'%s' is no array", operand->name);
    uint64_t bytes = (uint64_t)variable->vector * ptx_type_bytes(variable->type);
    operand->value = (int64_t)((uint64_t)operand->value * bytes);
    operand->indexed = false;
    if (strcmp(function->instruction->words[0], "mov") != 0) operand->kind = PTX_OPERAND_ADDRESS;
    return SIM_OK;
}

static sim_status expand_name(decode_function *function, ptx_operand *operand) {
    uint32_t index, value, id, vector = decode_vector_size(function, operand->name);
    const char *opcode = function->instruction->words[0];
    if (vector) return expand_vector(function, vector, operand);
    TRY(decode_lookup(function, operand->name, &index));
    const decode_name *name = index != DECODE_NONE ? &function->name_table[index] : NULL;
    uint32_t symbol = decode_map_get(&function->module->symbols, operand->name);
    if (operand->indexed)
        return expand_index(function,
                            name ? name->variable
                            : symbol != DECODE_NONE
                                ? function->module->program->symbols[symbol].variable
                                : NULL,
                            operand);
    if (name && name->kind == NAME_REGISTER) {
        decode_width width = (decode_width)function->values[name->value].width;
        if (operand->value == 0) return SIM_OK;
        if (width != WIDTH_32 && width != WIDTH_64)
            return decode_operand_fail(function, operand, "a sum of '%s'", operand->name);
        return compute(function, SIM_OP_ADD, width, name->value, 0, operand);
    }
    if (name || symbol != DECODE_NONE || operand->name[0] != '%') return SIM_OK;
    ptx_operand component = *operand;
    char text[NAME_BYTES];
    snprintf(text, sizeof text, "%.*s.x", NAME_BYTES - 3, operand->name);
    component.name = text;
    TRY(decode_special(function, &component, &value, &id));
    if (strcmp(opcode, "mov") == 0)
        return value != DECODE_NONE ? expand_vector(function, 4, operand) : SIM_OK;
    TRY(decode_special(function, operand, &value, &id));
    if (value != DECODE_NONE || id == SIM_SPECIAL_COUNT || strcmp(opcode, "cvt") != 0)
        return SIM_OK;
    bool wide = id == SIM_SPECIAL_CLOCK64 || id == SIM_SPECIAL_GLOBALTIMER;
    return compute(function, SIM_OP_SREG, wide ? WIDTH_64 : WIDTH_32, SIM_NO_SLOT, (uint8_t)id,
                   operand);
}

static sim_status expand(decode_function *function, ptx_operand *operand) {
    if (operand->kind == PTX_OPERAND_NAME) return expand_name(function, operand);
    if (operand->item_count == 0) return SIM_OK;
    ptx_operand *items =
        sim_arena_copy(function->scratch, operand->items, operand->item_count * sizeof *items);
    if (!items) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < operand->item_count; i++) TRY(expand(function, &items[i]));
    operand->items = items;
    return SIM_OK;
}

sim_status decode_expand(decode_function *function, const ptx_instruction *instruction,
                         ptx_instruction *out) {
    ptx_operand *operands = sim_arena_copy(function->scratch, instruction->operands,
                                           instruction->operand_count * sizeof *operands);
    if (!operands) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < instruction->operand_count; i++) TRY(expand(function, &operands[i]));
    *out = *instruction;
    out->operands = operands;
    return SIM_OK;
}
