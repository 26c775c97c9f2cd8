// Operands (PTX ISA 9.0, chapter 6): from syntax to values, with the width that the instruction
// wants. Sizes must agree except where PTX lets a register be wider than the type (ld, st, cvt:
// section 9.4.1).
#include "decode/instruction/instruction.h"

static const char *const width_names[WIDTH_COUNT] = {"a predicate", "32-bit", "64-bit", "128-bit"};

sim_status decode_operand_fail(const decode_function *function, const ptx_operand *operand,
                               const char *format, ...) {
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return decode_fail(function->module, operand->place, SIM_BAD_PTX, "'%s': %s",
                       function->instruction->opcode, message);
}

const ptx_operand *decode_operand_at(const decode_function *function, uint32_t index) {
    return &function->instruction->operands[index];
}

sim_status decode_unknown_form(const decode_function *function, const char *why) {
    return decode_fail(function->module, function->instruction->place, SIM_UNSUPPORTED,
                       "the simulator does not have this form of '%s': %s",
                       function->instruction->opcode, why);
}

sim_status decode_check_count(const decode_function *function, uint32_t least, uint32_t most) {
    uint32_t count = function->instruction->operand_count;
    for (uint32_t i = 0; i < count; i++)
        if (function->instruction->operands[i].minus && function->opcode->proto.op != SIM_OP_VIDEO)
            return decode_operand_fail(function, &function->instruction->operands[i],
                                       "no operand of it can be negated");
    if (count >= least && count <= most) return SIM_OK;
    return decode_fail(function->module, function->instruction->place, SIM_UNSUPPORTED,
                       "'%s' with %u operands is not a form the simulator knows",
                       function->instruction->opcode, count);
}

// ---- Immediates ---------------------------------------------------------------------------------

static sim_status float_bits(const decode_function *function, const ptx_operand *operand,
                             ptx_type type, uint64_t *out_bits) {
    bool is_double = operand->kind == PTX_OPERAND_FLOAT64;
    uint64_t bits = (uint64_t)operand->value;
    uint32_t bits32 = (uint32_t)bits;
    double wide;
    float narrow;
    *out_bits = bits;
    bool fits = type == PTX_F32 || type == PTX_F64 || type == (is_double ? PTX_B64 : PTX_B32);
    if (!fits)
        return decode_operand_fail(function, operand, "a float constant does not fit type .%s",
                                   ptx_type_name(type));
    // The bits of 0f are the low half of a double, as ptxas has it; a double becomes a float.
    if (is_double && type == PTX_F32) {
        memcpy(&wide, &bits, sizeof wide);
        narrow = (float)wide;
        memcpy(&bits32, &narrow, sizeof narrow);
        *out_bits = bits32;
    }
    return SIM_OK;
}

static sim_status immediate(decode_function *function, const ptx_operand *operand, ptx_type type,
                            uint32_t *out_value) {
    uint64_t bits = (uint64_t)operand->value;
    decode_width width = decode_type_width(type);
    if (width == WIDTH_128)
        return decode_operand_fail(function, operand, "a 128-bit operand must be a register");
    if (operand->kind != PTX_OPERAND_INT) TRY(float_bits(function, operand, type, &bits));
    else if (type >= PTX_F16 && type <= PTX_F64)
        return decode_operand_fail(function, operand, "an integer constant where .%s is wanted",
                                   ptx_type_name(type));
    return decode_constant(function, width, bits, out_value);
}

bool decode_is_before(ptx_place a, ptx_place b) {
    return a.line < b.line || (a.line == b.line && a.column < b.column);
}

// Whether a module's variable stands above the function; files that are linked say nothing of it.
static bool is_declared(const decode_function *function, const ptx_variable *variable) {
    const ptx_module *syntax = function->module->syntax;
    ptx_place here = function->syntax->place;
    if (function->module->linked || variable->module_name ||
        decode_is_before(variable->place, here))
        return true;
    for (uint32_t i = 0; i < syntax->variable_count; i++) // perhaps another declaration of it
        if (strcmp(syntax->variables[i].name, variable->name) == 0)
            return decode_is_before(syntax->variables[i].place, here);
    return true; // of the function itself
}

// ---- Names --------------------------------------------------------------------------------------

// The address that `mov` gives for a module-scope variable.
static sim_status symbol_address(const decode_function *function, const ptx_operand *operand,
                                 uint32_t symbol_index, decode_place *out_place) {
    const decode_module *module = function->module;
    const sim_symbol *symbol = &module->program->symbols[symbol_index];
    if (symbol->space != PTX_SPACE_SHARED && module->symbol_unresolved[symbol_index])
        return decode_fail(module, operand->place, SIM_UNSUPPORTED,
                           "'%s' is extern and no module defines it", symbol->name);
    if (!is_declared(function, symbol->variable))
        return decode_fail(module, operand->place, SIM_BAD_PTX, "'%s' is declared further down",
                           symbol->name);
    // Dynamic shared memory starts after the statics of the kernel, which differ.
    out_place->offset =
        symbol->is_dynamic_shared ? function->out->dynamic_shared_offset : symbol->address;
    out_place->symbol = symbol->space == PTX_SPACE_SHARED ? symbol_index + 1 : 0;
    return SIM_OK;
}

static sim_status name_address(decode_function *function, const ptx_operand *operand,
                               const decode_name *name, decode_place *out_place) {
    out_place->found = true;
    switch (name->kind) {
    case NAME_SYMBOL:
        out_place->space = function->module->program->symbols[name->value].space;
        return symbol_address(function, operand, name->value, out_place);
    case NAME_ENTRY_PARAM:
        out_place->space = PTX_SPACE_PARAM;
        out_place->offset = name->offset;
        return SIM_OK;
    case NAME_LOCAL:
        out_place->space = PTX_SPACE_LOCAL;
        out_place->offset = name->offset;
        return function->out->is_entry ? SIM_OK : decode_local_base(function, &out_place->base);
    default:
        return decode_fail(function->module, operand->place, SIM_UNSUPPORTED,
                           "'%s': the address of '%s' cannot be taken",
                           function->instruction->opcode, operand->name);
    }
}

static sim_status module_address(decode_function *function, const ptx_operand *operand,
                                 decode_place *out_place) {
    const decode_module *module = function->module;
    uint32_t symbol = decode_map_get(&module->symbols, operand->name);
    if (symbol != DECODE_NONE) {
        out_place->found = true;
        out_place->space = module->program->symbols[symbol].space;
        return symbol_address(function, operand, symbol, out_place);
    }
    uint32_t callee = decode_find_function(module, operand->name);
    if (callee != DECODE_NONE) {
        out_place->found = true;
        out_place->offset = sim_function_address(callee);
        return SIM_OK;
    }
    for (uint32_t i = 0; i < module->syntax->variable_count; i++) // only on the way to an error
        if (module->syntax->variables[i].name == operand->name)
            return decode_fail(module, operand->place, SIM_UNSUPPORTED,
                               "the simulator does not have .%s references ('%s')",
                               ptx_type_name(module->syntax->variables[i].type), operand->name);
    if (decode_map_get(&module->bodiless, operand->name) != DECODE_NONE)
        return decode_fail(module, operand->place, SIM_UNSUPPORTED,
                           "'%s' has no body in this module, so it has no address", operand->name);
    return SIM_OK;
}

sim_status decode_address_of(decode_function *function, const ptx_operand *operand,
                             decode_place *out_place) {
    uint32_t index;
    *out_place = (decode_place){.base = DECODE_NONE};
    TRY(decode_lookup(function, operand->name, &index));
    if (index == DECODE_NONE) return module_address(function, operand, out_place);
    const decode_name *name = &function->name_table[index];
    if (name->kind == NAME_REGISTER) return SIM_OK;
    return name_address(function, operand, name, out_place);
}

// *out_value DECODE_NONE: the name is not a register.
static sim_status find_register(decode_function *function, const ptx_operand *operand,
                                uint32_t *out_value) {
    uint32_t index;
    *out_value = DECODE_NONE;
    TRY(decode_lookup(function, operand->name, &index));
    if (index != DECODE_NONE && function->name_table[index].kind == NAME_REGISTER)
        *out_value = function->name_table[index].value;
    return SIM_OK;
}

static sim_status unknown_name(const decode_function *function, const ptx_operand *operand) {
    return decode_operand_fail(function, operand, "'%s' is not declared", operand->name);
}

static sim_status check_width(const decode_function *function, const ptx_operand *operand,
                              uint32_t value, decode_width width) {
    decode_width found = (decode_width)function->values[value].width;
    if (found == width) return SIM_OK;
    return decode_operand_fail(function, operand, "'%s' is %s, %s is wanted", operand->name,
                               width_names[found], width_names[width]);
}

typedef enum type_kind { KIND_PRED, KIND_BITS, KIND_UNSIGNED, KIND_SIGNED, KIND_FLOAT } type_kind;

static type_kind kind_of(ptx_type type) {
    static const uint8_t kinds[PTX_TYPE_COUNT] = {
#define PTX_TYPE(id, text, bytes, kind) [PTX_##id] = KIND_##kind,
#include "ptx/types.def"
#undef PTX_TYPE
    };
    return (type_kind)kinds[type];
}

// wider: PTX lets the register be wider than the type.
static sim_status check_type(const decode_function *function, const ptx_operand *operand,
                             uint32_t value, ptx_type type, bool wider) {
    ptx_type found = (ptx_type)function->values[value].type;
    if (found == PTX_TYPE_NONE || type == PTX_TYPE_NONE || found == type) return SIM_OK;
    type_kind has = kind_of(found), wants = kind_of(type);
    bool has_int = has == KIND_UNSIGNED || has == KIND_SIGNED;
    bool wants_int = wants == KIND_UNSIGNED || wants == KIND_SIGNED;
    uint32_t has_bytes = ptx_type_bytes(found), wanted_bytes = ptx_type_bytes(type);
    bool sizes = wider ? has_bytes >= wanted_bytes : has_bytes == wanted_bytes;
    bool kinds = has == KIND_BITS || wants == KIND_BITS || (has_int && wants_int);
    if (sizes && kinds && (has == KIND_PRED) == (wants == KIND_PRED)) return SIM_OK;
    return decode_operand_fail(function, operand, "'%s' is .%s, .%s is wanted", operand->name,
                               ptx_type_name(found), ptx_type_name(type));
}

sim_status decode_check_type(const decode_function *function, const ptx_operand *operand,
                             uint32_t value, ptx_type type) {
    return check_type(function, operand, value, type, false);
}

static sim_status read_name(decode_function *function, const ptx_operand *operand, ptx_type type,
                            uint32_t *out_value) {
    decode_width width = decode_type_width(type);
    uint32_t id;
    decode_place place;
    if (operand->negated || operand->second)
        return decode_operand_fail(function, operand, "'!' or '|' is not allowed here");
    TRY(find_register(function, operand, out_value));
    if (*out_value != DECODE_NONE) {
        TRY(check_width(function, operand, *out_value, width));
        return decode_check_type(function, operand, *out_value, type);
    } else {
        TRY(decode_special(function, operand, out_value, &id));
        uint16_t op = function->opcode->proto.op;
        if (*out_value != DECODE_NONE && op != SIM_OP_MOV && op != SIM_OP_CVT)
            return decode_operand_fail(function, operand,
                                       "mov and cvt alone read special registers such as %s",
                                       operand->name);
        if (*out_value == DECODE_NONE && id != SIM_SPECIAL_COUNT)
            return decode_fail(function->module, operand->place, SIM_UNSUPPORTED,
                               "'%s': %s can only be read by mov", function->instruction->opcode,
                               operand->name);
    }
    if (*out_value != DECODE_NONE) return check_width(function, operand, *out_value, width);
    TRY(decode_address_of(function, operand, &place));
    if (!place.found) return unknown_name(function, operand);
    if (place.base != DECODE_NONE)
        return decode_operand_fail(function, operand, "move the address to a register first");
    uint64_t address = place.offset + (uint64_t)operand->value;
    if (place.space == PTX_SPACE_SHARED)
        return decode_shared_constant(function, width, address, out_value);
    return decode_constant(function, width, address, out_value);
}

// ---- Reading and writing ------------------------------------------------------------------------

sim_status decode_read(decode_function *function, const ptx_operand *operand, ptx_type type,
                       uint32_t *out_value) {
    switch (operand->kind) {
    case PTX_OPERAND_NAME: return read_name(function, operand, type, out_value);
    case PTX_OPERAND_INT:
    case PTX_OPERAND_FLOAT32:
    case PTX_OPERAND_FLOAT64: return immediate(function, operand, type, out_value);
    default: return decode_operand_fail(function, operand, "a register or constant is wanted");
    }
}

sim_status decode_read_width(decode_function *function, const ptx_operand *operand,
                             decode_width width, uint32_t *out_value) {
    static const ptx_type types[WIDTH_COUNT] = {PTX_PRED, PTX_U32, PTX_U64, PTX_B128};
    static const ptx_type bits[WIDTH_COUNT] = {PTX_PRED, PTX_B32, PTX_B64, PTX_B128};
    bool is_name = operand->kind == PTX_OPERAND_NAME;
    return decode_read(function, operand, (is_name ? bits : types)[width], out_value);
}

sim_status decode_read_predicate(decode_function *function, const ptx_operand *operand,
                                 bool *out_negated, uint32_t *out_value) {
    ptx_operand plain = *operand;
    plain.negated = false;
    *out_negated = operand->negated;
    return decode_read(function, &plain, PTX_PRED, out_value);
}

static sim_status write_name(decode_function *function, const ptx_operand *operand,
                             uint32_t *out_value) {
    if (operand->kind != PTX_OPERAND_NAME || operand->negated)
        return decode_operand_fail(function, operand, "a register to write is wanted");
    TRY(find_register(function, operand, out_value));
    return *out_value == DECODE_NONE ? unknown_name(function, operand) : SIM_OK;
}

bool decode_is_sink(const ptx_operand *operand) {
    return operand->kind == PTX_OPERAND_NAME && strcmp(operand->name, "_") == 0;
}

sim_status decode_write(decode_function *function, const ptx_operand *operand, decode_width width,
                        uint32_t *out_value) {
    if (operand->second)
        return decode_operand_fail(function, operand, "only one result is allowed");
    TRY(write_name(function, operand, out_value));
    return check_width(function, operand, *out_value, width);
}

sim_status decode_write_type(decode_function *function, const ptx_operand *operand, ptx_type type,
                             uint32_t *out_value) {
    TRY(decode_write(function, operand, decode_type_width(type), out_value));
    return decode_check_type(function, operand, *out_value, type);
}

sim_status decode_write_pair(decode_function *function, const ptx_operand *operand,
                             decode_width width, uint32_t *out_value, uint32_t *out_second) {
    ptx_operand first = *operand, second = *operand;
    *out_value = *out_second = SIM_NO_SLOT;
    first.second = second.second = NULL;
    if (!operand->second) return decode_write(function, &first, width, out_value);
    second.name = operand->second;
    if (!decode_is_sink(&first)) TRY(decode_write(function, &first, width, out_value));
    return decode_is_sink(&second) ? SIM_OK
                                   : decode_write(function, &second, WIDTH_PRED, out_second);
}

sim_status decode_relaxed(decode_function *function, const ptx_operand *operand, ptx_type type,
                          bool is_write, uint32_t *out_value, bool *out_is_64) {
    decode_width wanted = decode_type_width(type);
    *out_is_64 = false;
    if (!is_write && operand->kind != PTX_OPERAND_NAME)
        return decode_read(function, operand, type, out_value);
    if (operand->second || operand->negated)
        return decode_operand_fail(function, operand, "only one result is allowed");
    if (is_write) TRY(write_name(function, operand, out_value));
    else TRY(find_register(function, operand, out_value));
    if (*out_value == DECODE_NONE) return read_name(function, operand, type, out_value);
    TRY(check_type(function, operand, *out_value, type, true));
    if (wanted != WIDTH_32 || function->values[*out_value].width != WIDTH_64)
        return check_width(function, operand, *out_value, wanted);
    *out_is_64 = true;
    return SIM_OK;
}

// ---- Addresses ----------------------------------------------------------------------------------

static sim_status register_address(decode_function *function, const ptx_operand *operand,
                                   uint32_t value, sim_instr *instr) {
    decode_width width = (decode_width)function->values[value].width;
    bool is_float = kind_of((ptx_type)function->values[value].type) == KIND_FLOAT;
    if ((width != WIDTH_32 && width != WIDTH_64) || is_float)
        return decode_operand_fail(function, operand, "'%s' cannot hold an address", operand->name);
    bool of_device = instr->space == PTX_SPACE_NONE || instr->space == PTX_SPACE_GLOBAL;
    if (width == WIDTH_32 && sim_is_by_thread(instr) && of_device)
        return decode_operand_fail(function, operand, "'%s' has 32 bits, addresses here have 64",
                                   operand->name);
    if (width == WIDTH_32) instr->mods |= SIM_MOD_ADDRESS32;
    instr->src[0] = value;
    instr->offset = operand->value;
    if (instr->space == PTX_SPACE_PARAM && !function->out->is_entry)
        return decode_fail(function->module, operand->place, SIM_UNSUPPORTED,
                           "'%s': a device function's parameter must be addressed by its name",
                           function->instruction->opcode);
    return SIM_OK;
}

static sim_status frame_address(const decode_function *function, const ptx_operand *operand,
                                const decode_name *name, uint32_t bytes, sim_instr *instr) {
    uint32_t size = function->values[name->value].bytes;
    if (instr->space != PTX_SPACE_PARAM)
        return decode_operand_fail(function, operand, "'%s' is in the .param space", operand->name);
    if (operand->value < 0 || operand->value > size || bytes > size - (uint64_t)operand->value)
        return decode_operand_fail(function, operand, "the access is outside '%s' (%u bytes)",
                                   operand->name, size);
    instr->mods |= SIM_MOD_FRAME;
    instr->src[0] = name->value;
    instr->offset = operand->value;
    instr->target = size;
    return SIM_OK;
}

static bool space_agrees(const decode_place *place, sim_instr *instr) {
    ptx_space wanted = (ptx_space)instr->space;
    if (place->space == wanted) return true;
    // A device function's parameter whose address is taken lives in local memory.
    if (place->space == PTX_SPACE_LOCAL && wanted == PTX_SPACE_PARAM) {
        instr->space = PTX_SPACE_LOCAL;
        return true;
    }
    bool is_device = place->space == PTX_SPACE_GLOBAL || place->space == PTX_SPACE_CONST;
    return is_device && wanted == PTX_SPACE_NONE;
}

static sim_status named_address(decode_function *function, const ptx_operand *operand,
                                uint32_t bytes, sim_instr *instr) {
    decode_place place;
    TRY(decode_address_of(function, operand, &place));
    if (!place.found) return unknown_name(function, operand);
    instr->named = 1;
    if (!space_agrees(&place, instr))
        return decode_operand_fail(function, operand, "'%s' is in another state space",
                                   operand->name);
    instr->offset = (int64_t)(place.offset + (uint64_t)operand->value);
    if (place.space == PTX_SPACE_PARAM &&
        (instr->offset < 0 || instr->offset + bytes > function->out->entry_param_bytes))
        return decode_operand_fail(function, operand, "the access is outside the parameters");
    instr->variable = place.symbol;
    instr->src[0] = place.base;
    if (place.base != DECODE_NONE) return SIM_OK;
    // Of shared memory as if by a register of 32 bits that holds its beginning: what the quick
    // handlers take.
    bool access = instr->op == SIM_OP_LD || instr->op == SIM_OP_LDU || instr->op == SIM_OP_ST;
    bool narrow = access && instr->space == PTX_SPACE_SHARED;
    if (narrow) instr->mods |= SIM_MOD_ADDRESS32;
    decode_width width = narrow ? WIDTH_32 : WIDTH_64;
    if (place.space == PTX_SPACE_SHARED)
        return decode_shared_constant(function, width, 0, &instr->src[0]);
    return decode_constant(function, width, 0, &instr->src[0]);
}

sim_status decode_address(decode_function *function, const ptx_operand *operand, uint32_t bytes,
                          sim_instr *instr) {
    if (operand->kind != PTX_OPERAND_ADDRESS)
        return decode_operand_fail(function, operand, "an address such as [%%rd1+4] is wanted");
    if (!operand->name && instr->space != PTX_SPACE_LOCAL)
        return decode_operand_fail(function, operand, "only .local has addresses that are numbers");
    if (!operand->name) {
        instr->offset = operand->value;
        return decode_constant(function, WIDTH_64, 0, &instr->src[0]);
    }
    uint32_t index;
    TRY(decode_lookup(function, operand->name, &index));
    if (index != DECODE_NONE) {
        const decode_name *name = &function->name_table[index];
        if (name->kind == NAME_REGISTER)
            return register_address(function, operand, name->value, instr);
        if (name->kind == NAME_FRAME_PARAM)
            return frame_address(function, operand, name, bytes, instr);
    }
    return named_address(function, operand, bytes, instr);
}

// ---- the end of a function's code ---------------------------------------------------------------

static sim_status set_guard(decode_function *function, sim_instr *instr) {
    const ptx_instruction *syntax = function->instruction;
    if (!syntax->guard) return SIM_OK;
    bool negated;
    const ptx_operand guard = {
        .kind = PTX_OPERAND_NAME, .name = syntax->guard, .place = syntax->place};
    instr->guard_negated = syntax->guard_negated;
    return decode_read_predicate(function, &guard, &negated, &instr->guard);
}

sim_status decode_emit(decode_function *function, sim_instr **out_instr) {
    if (function->code_count >= SIM_PC_EXIT / 2) return decode_no_memory(function->module);
    sim_instr *instr = DECODE_PUSH(function->scratch, function->code, function->code_count,
                                   function->code_capacity);
    if (!instr) return decode_no_memory(function->module);
    *instr = function->opcode->proto;
    instr->location = function->location;
    instr->ptx_line = function->instruction->place.line;
    instr->nounroll = function->instruction->nounroll;
    *out_instr = instr;
    return set_guard(function, instr);
}

sim_status decode_list(decode_function *function, const uint32_t *entries, uint32_t count,
                       uint32_t *out_first) {
    *out_first = function->slot_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *cell = DECODE_PUSH(function->scratch, function->slots, function->slot_count,
                                     function->slot_capacity);
        if (!cell) return decode_no_memory(function->module);
        *cell = entries[i];
    }
    return SIM_OK;
}
