// Control flow (PTX ISA 9.0, section 9.7.12): branches, calls, returns. Labels become pcs at the
// end of the function, reconvergence points follow from the control-flow graph (program/program.h).
#include "decode/forms/forms.h"

enum { MAX_CALL_PARAMS = 256 };

// Functions without a body that the executor provides by name.
static const char *const builtins[] = {
#define SIM_BUILTIN(name, handler, uses) #name,
#include "program/builtins.def"
#undef SIM_BUILTIN
};

static sim_status add_fixup(decode_function *function, const ptx_operand *label) {
    if (label->kind != PTX_OPERAND_NAME)
        return decode_operand_fail(function, label, "a label is wanted");
    decode_fixup *fixup = DECODE_PUSH(function->scratch, function->fixups, function->fixup_count,
                                      function->fixup_capacity);
    if (!fixup) return decode_no_memory(function->module);
    *fixup = (decode_fixup){function->code_count - 1, function->scope, label};
    return SIM_OK;
}

sim_status decode_form_BRA(decode_function *function) {
    TRY(decode_check_count(function, 1, 1));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    return add_fixup(function, decode_operand_at(function, 0));
}

// brx.idx index, targets;
sim_status decode_form_BRX(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_read_width(function, decode_operand_at(function, 0), WIDTH_32, &instr->src[0]));
    return add_fixup(function, decode_operand_at(function, 1));
}

sim_status decode_form_NONE(decode_function *function) {
    sim_instr *instr;
    TRY(decode_check_count(function, 0, 0));
    return decode_emit(function, &instr);
}

sim_status decode_form_A(decode_function *function) {
    sim_instr *instr;
    TRY(decode_check_count(function, 1, 1));
    TRY(decode_emit(function, &instr));
    return decode_read(function, decode_operand_at(function, 0), (ptx_type)instr->type,
                       &instr->src[0]);
}

// pmevent, prefetch.tensormap and others that change nothing.
sim_status decode_form_IGNORED(decode_function *function) {
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    if (!decode_has_word(function, "tensormap") || !decode_has_word(function, "prefetch"))
        return SIM_OK;
    sim_instr map = {.space = decode_has_word(function, "param")   ? PTX_SPACE_PARAM
                              : decode_has_word(function, "const") ? PTX_SPACE_CONST
                                                                   : PTX_SPACE_NONE};
    TRY(decode_check_count(function, 1, 1)); // only read: that the operand is an address
    return decode_address(function, decode_operand_at(function, 0), 0, &map);
}

// ---- Calls --------------------------------------------------------------------------------------

// One argument or result: a .param variable of the caller, or a register of 32 or 64 bits;
// arguments may be constants.
static sim_status actual(decode_function *function, const ptx_operand *operand, bool is_result,
                         sim_frame_param *out_param) {
    if (operand->kind == PTX_OPERAND_NAME) {
        uint32_t index;
        TRY(decode_lookup(function, operand->name, &index));
        if (index != DECODE_NONE && function->name_table[index].kind == NAME_FRAME_PARAM) {
            out_param->slot = function->name_table[index].value;
            out_param->size_bytes = function->values[out_param->slot].bytes;
            return SIM_OK;
        }
        if (index != DECODE_NONE && function->name_table[index].kind == NAME_REGISTER) {
            out_param->slot = function->name_table[index].value;
            decode_width width = (decode_width)function->values[out_param->slot].width;
            if (width != WIDTH_32 && width != WIDTH_64)
                return decode_operand_fail(function, operand, "'%s' cannot be passed",
                                           operand->name);
            out_param->size_bytes = width == WIDTH_64 ? 8 : 4;
            return SIM_OK;
        }
    }
    if (is_result || operand->kind == PTX_OPERAND_NAME)
        return decode_operand_fail(function, operand, "a .param variable or a register is wanted");
    out_param->size_bytes = operand->kind == PTX_OPERAND_FLOAT64 ? 8 : 4;
    return decode_read_width(function, operand, out_param->size_bytes == 8 ? WIDTH_64 : WIDTH_32,
                             &out_param->slot);
}

static sim_status actuals(decode_function *function, const ptx_operand *list, bool is_result,
                          const sim_frame_param **out_params, uint32_t *out_count) {
    if (list->item_count > MAX_CALL_PARAMS)
        return decode_operand_fail(function, list, "too many parameters");
    sim_frame_param *params =
        sim_arena_array(function->module->arena, list->item_count, sizeof *params);
    if (!params) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < list->item_count; i++)
        TRY(actual(function, &list->items[i], is_result, &params[i]));
    *out_params = params;
    *out_count = list->item_count;
    return SIM_OK;
}

// A formal of 1 or 2 bytes may meet a 4-byte register slot, whose upper bytes say nothing.
static bool sizes_agree(const ptx_variable *formal, const sim_frame_param *given) {
    uint64_t size =
        formal->space == PTX_SPACE_REG && formal->size_bytes < 4 ? 4 : formal->size_bytes;
    return size == given->size_bytes;
}

static sim_status check_signature(const decode_function *function, const ptx_operand *callee,
                                  const ptx_function *formal, const sim_call *call) {
    if (formal->param_count != call->argument_count || formal->return_count != call->return_count)
        return decode_operand_fail(
            function, callee, "'%s' takes %u and gives %u values, not %u and %u", callee->name,
            formal->param_count, formal->return_count, call->argument_count, call->return_count);
    for (uint32_t i = 0; i < call->argument_count; i++)
        if (!sizes_agree(&formal->params[i], &call->arguments[i]))
            return decode_operand_fail(function, callee, "argument %u has the wrong size", i + 1);
    for (uint32_t i = 0; i < call->return_count; i++)
        if (!sizes_agree(&formal->returns[i], &call->returns[i]))
            return decode_operand_fail(function, callee, "result %u has the wrong size", i + 1);
    return SIM_OK;
}

static bool is_builtin(const char *name) {
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++)
        if (strcmp(builtins[i], name) == 0) return true;
    return false;
}

static sim_status direct_call(decode_function *function, const ptx_operand *callee,
                              sim_instr *instr, sim_call *call, bool *out_found) {
    decode_module *module = function->module;
    uint32_t target = decode_find_function(module, callee->name);
    *out_found = true;
    call->name = callee->name;
    if (target != DECODE_NONE) {
        instr->target = target;
        return check_signature(function, callee, module->bodies[target], call);
    }
    uint32_t declared = decode_map_get(&module->bodiless, callee->name);
    *out_found = declared != DECODE_NONE;
    if (!*out_found) return SIM_OK;
    static const char device_runtime[] = "__cudaCDP2";
    size_t prefix = sizeof device_runtime - 1;
    if (strncmp(callee->name, device_runtime, prefix) == 0 && !is_builtin(callee->name))
        return decode_fail(module, callee->place, SIM_UNSUPPORTED,
                           "the simulator does not have cuda%s in device code",
                           callee->name + prefix);
    if (!is_builtin(callee->name))
        return decode_fail(module, callee->place, SIM_UNSUPPORTED,
                           "'%s' has no body in this module, and the simulator does not provide it",
                           callee->name);
    call->is_builtin = true;
    return check_signature(function, callee, &module->syntax->functions[declared], call);
}

// What a call by a register says of its callee: a prototype or a list of functions, both above it.
static sim_status check_prototype(const decode_function *function, const ptx_operand *operand) {
    const decode_label *label = operand->kind == PTX_OPERAND_NAME
                                    ? decode_find_label(function, operand->name, function->scope)
                                    : NULL;
    bool tells = label && (label->statement->kind == PTX_STATEMENT_CALLPROTOTYPE ||
                           label->statement->kind == PTX_STATEMENT_CALLTARGETS);
    if (tells && decode_is_before(label->statement->place, operand->place)) return SIM_OK;
    return decode_operand_fail(function, operand,
                               "a call by a register names its .callprototype or .calltargets, "
                               "which stand above it");
}

// call {(results),} callee {, (arguments)} {, prototype or targets};
sim_status decode_form_CALL(decode_function *function) {
    TRY(decode_check_count(function, 1, 4));
    uint32_t count = function->instruction->operand_count, next = 0;
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    sim_call *call = sim_arena_alloc(function->module->arena, sizeof *call);
    if (!call) return decode_no_memory(function->module);
    instr->extra = call;
    if (decode_operand_at(function, 0)->kind == PTX_OPERAND_LIST)
        TRY(actuals(function, decode_operand_at(function, next++), true, &call->returns,
                    &call->return_count));
    if (next == count || decode_operand_at(function, next)->kind != PTX_OPERAND_NAME)
        return decode_operand_fail(function, decode_operand_at(function, 0),
                                   "the name of a function is wanted");
    const ptx_operand *callee = decode_operand_at(function, next++);
    if (next < count && decode_operand_at(function, next)->kind == PTX_OPERAND_LIST)
        TRY(actuals(function, decode_operand_at(function, next++), false, &call->arguments,
                    &call->argument_count));
    bool found;
    TRY(direct_call(function, callee, instr, call, &found));
    if (found && next < count)
        return decode_operand_fail(function, decode_operand_at(function, next),
                                   "a prototype is for a call by a register");
    if (found) return SIM_OK;
    instr->mods |= SIM_MOD_INDIRECT;
    call->name = NULL;
    TRY(decode_read_width(function, callee, WIDTH_64, &instr->src[0]));
    return check_prototype(function, next < count ? decode_operand_at(function, next) : callee);
}

// ---- Labels and reconvergence -------------------------------------------------------------------

static sim_status find_pc(const decode_function *function, const char *name, uint32_t scope,
                          ptx_place place, uint32_t *out_pc) {
    const decode_label *label = decode_find_label(function, name, scope);
    if (!label || label->statement->kind != PTX_STATEMENT_LABEL)
        return decode_fail(function->module, place, SIM_BAD_PTX, "label '%s' is not defined", name);
    *out_pc = label->pc;
    return SIM_OK;
}

static sim_status resolve_table(decode_function *function, const decode_fixup *fixup) {
    const char *name = fixup->label->name;
    const decode_label *table = decode_find_label(function, name, fixup->scope);
    if (!table || table->statement->kind != PTX_STATEMENT_BRANCHTARGETS)
        return decode_fail(function->module, fixup->label->place, SIM_BAD_PTX,
                           "'%s' is not a list of .branchtargets", name);
    const ptx_statement *statement = table->statement;
    if (!decode_is_before(statement->place, fixup->label->place))
        return decode_fail(function->module, fixup->label->place, SIM_BAD_PTX,
                           "the list '%s' stands below", name);
    uint32_t *pcs = sim_arena_array(function->scratch, statement->name_count, sizeof *pcs);
    if (!pcs) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < statement->name_count; i++)
        TRY(find_pc(function, statement->names[i], table->scope, statement->place, &pcs[i]));
    sim_instr *instr = &function->code[fixup->pc];
    instr->target_count = statement->name_count;
    return decode_list(function, pcs, statement->name_count, &instr->target);
}

sim_status decode_resolve_branches(decode_function *function) {
    for (uint32_t i = 0; i < function->fixup_count; i++) {
        const decode_fixup *fixup = &function->fixups[i];
        sim_instr *instr = &function->code[fixup->pc];
        if (instr->op == SIM_OP_BRX) TRY(resolve_table(function, fixup));
        else
            TRY(find_pc(function, fixup->label->name, fixup->scope, fixup->label->place,
                        &instr->target));
    }
    if (!sim_cfg_build(function->scratch, function->code, function->code_count, function->slots,
                       &function->cfg) ||
        !sim_cfg_set_reconvergence(function->scratch, &function->cfg, function->code))
        return decode_no_memory(function->module);
    return SIM_OK;
}

// ---- The stack of a thread ----------------------------------------------------------------------

static sim_status read_alignment(const decode_function *function, sim_instr *instr) {
    instr->offset = 8; // the alignment when none is given
    if (function->instruction->operand_count == 2) return SIM_OK;
    const ptx_operand *alignment = decode_operand_at(function, 2);
    instr->offset = alignment->value;
    bool is_power = instr->offset > 0 && (instr->offset & (instr->offset - 1)) == 0;
    if (alignment->kind == PTX_OPERAND_INT && is_power && instr->offset <= 256) return SIM_OK;
    return decode_operand_fail(function, alignment, "the alignment is a power of two up to 256");
}

// alloca.u64 pointer, bytes{, alignment};  stacksave.u64 pointer;  stackrestore.u64 pointer;  with
// .u32 both are of 32 bits.
sim_status decode_form_STACK(decode_function *function) {
    uint16_t op = function->opcode->proto.op;
    bool allocates = op == SIM_OP_ALLOCA;
    sim_instr *instr;
    bool narrow = decode_has_word(function, "u32");
    uint32_t source = SIM_NO_SLOT, result = SIM_NO_SLOT, wide = SIM_NO_SLOT;
    const decode_value made = {.kind = VALUE_REGISTER, .width = WIDTH_64};
    decode_width width = narrow ? WIDTH_32 : WIDTH_64;
    TRY(decode_check_words(function, "u32 u64"));
    TRY(decode_check_count(function, allocates ? 2 : 1, allocates ? 3 : 1));
    const ptx_operand *pointer = decode_operand_at(function, 0);
    bool restores = op == SIM_OP_STACKRESTORE;
    if (restores) TRY(decode_read_width(function, pointer, width, &source));
    else TRY(decode_write(function, pointer, width, &result));
    if (allocates) TRY(decode_read_width(function, decode_operand_at(function, 1), width, &source));
    if (narrow && source != SIM_NO_SLOT) {
        TRY(decode_new_value(function, made, &wide));
        TRY(decode_widen(function, source, true, wide));
        source = wide;
    }
    if (narrow && !restores) TRY(decode_new_value(function, made, &wide));
    TRY(decode_emit(function, &instr));
    instr->src[0] = source;
    instr->dst = narrow && !restores ? wide : result;
    if (allocates) TRY(read_alignment(function, instr));
    return narrow && !restores ? decode_widen(function, wide, false, result) : SIM_OK;
}
