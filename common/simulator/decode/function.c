// One function: statements in order, each instruction handed to the form that program/ops.def names
// for it; then labels, reconvergence points and slots. instruction/instruction.h has the state that
// is built up.
#include "decode/forms/forms.h"
#include "decode/internal.h"

static const size_t function_arena_cap = (size_t)4 << 30;

static const decode_form_fn forms[SIM_OP_COUNT] = {
#define SIM_OP(id, opcode, form, ...) decode_form_##form,
#include "program/ops.def"
#undef SIM_OP
};

// ---- Instructions -------------------------------------------------------------------------------

// createpolicy makes an opaque cache policy; what takes one drops it, so any value will do.
static sim_status make_policy(decode_function *function) {
    static const decode_opcode mov = {
        .text = "mov.b64",
        .proto = {.op = SIM_OP_MOV,
                  .type = PTX_B64,
                  .vector = 1,
                  .guard = SIM_NO_SLOT,
                  .dst2 = SIM_NO_SLOT,
                  .src = {SIM_NO_SLOT, SIM_NO_SLOT, SIM_NO_SLOT, SIM_NO_SLOT},
                  .list = SIM_NO_SLOT,
                  .target = SIM_NO_SLOT,
                  .reconverge = SIM_PC_EXIT},
    };
    sim_instr *instr;
    function->opcode = &mov;
    static const char kinds[] = "fractional range cvt";
    static const char priorities[] =
        "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged";
    const char *kind = decode_word_among(function, kinds, 0);
    const char *second = decode_word_among(function, priorities, 1);
    if (kind != decode_word_among(function, kinds, 0) || function->instruction->word_count < 3 ||
        kind != function->instruction->words[1] || strcmp(second, "L2::evict_last") == 0 ||
        strcmp(second, "L2::evict_normal") == 0)
        return decode_unknown_form(function, "no such policy");
    TRY(decode_check_count(function, 1, 8));
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_64, &instr->dst));
    return decode_constant(function, WIDTH_64, 0, &instr->src[0]);
}

static sim_status decode_instruction(decode_function *function,
                                     const ptx_instruction *instruction) {
    ptx_instruction plain;
    function->instruction = instruction;
    if (decode_is_short(function, instruction)) {
        TRY(decode_expand(function, instruction, &plain));
        instruction = function->instruction = &plain;
    }
    if (strcmp(instruction->words[0], "createpolicy") == 0) return make_policy(function);
    TRY(decode_find_opcode(function, instruction, &function->opcode));
    return forms[function->opcode->proto.op](function);
}

// Functions of a .calltargets, declared above.
static sim_status check_targets(const decode_function *function, const ptx_statement *statement) {
    const ptx_module *syntax = function->module->syntax;
    for (uint32_t i = 0; i < statement->name_count; i++) {
        bool found = function->module->linked;
        for (uint32_t k = 0; k < syntax->function_count && !found; k++)
            found = strcmp(syntax->functions[k].name, statement->names[i]) == 0 &&
                    !syntax->functions[k].is_entry &&
                    decode_is_before(syntax->functions[k].place, statement->place);
        if (!found)
            return decode_fail(function->module, statement->place, SIM_BAD_PTX,
                               "'%s' is no function that is declared above", statement->names[i]);
    }
    return SIM_OK;
}

// ---- Statements ---------------------------------------------------------------------------------

static sim_status decode_statement(decode_function *function, const ptx_statement *statement) {
    switch (statement->kind) {
    case PTX_STATEMENT_INSTRUCTION: return decode_instruction(function, statement->instruction);
    case PTX_STATEMENT_CALLTARGETS: TRY(check_targets(function, statement)); // fallthrough
    case PTX_STATEMENT_LABEL:
    case PTX_STATEMENT_CALLPROTOTYPE:
    case PTX_STATEMENT_BRANCHTARGETS: return decode_add_label(function, statement);
    case PTX_STATEMENT_VARIABLE: return decode_declare(function, statement->variable);
    case PTX_STATEMENT_LOC:
        return decode_location(function, statement->location, &function->location);
    case PTX_STATEMENT_OPEN: return decode_open_scope(function);
    case PTX_STATEMENT_CLOSE: return decode_close_scope(function, statement->place);
    }
    return SIM_OK;
}

// ---- Parameters whose address is taken ----------------------------------------------------------

// `mov.b64 %rd, param` in a device function: the parameter must lie in memory.
static bool takes_address(const ptx_function *syntax, const char *param) {
    for (uint32_t i = 0; i < syntax->statement_count; i++) {
        const ptx_instruction *instruction = syntax->statements[i].instruction;
        if (syntax->statements[i].kind != PTX_STATEMENT_INSTRUCTION) continue;
        if (instruction->operand_count != 2 || strcmp(instruction->words[0], "mov") != 0) continue;
        const ptx_operand *source = &instruction->operands[1];
        if (source->kind == PTX_OPERAND_NAME && source->name == param) return true;
    }
    return false;
}

static sim_instr plain_instr(const decode_function *function, sim_op op, ptx_type type) {
    sim_instr instr = {.op = (uint16_t)op,
                       .type = (uint8_t)type,
                       .vector = 1,
                       .guard = SIM_NO_SLOT,
                       .dst = SIM_NO_SLOT,
                       .dst2 = SIM_NO_SLOT,
                       .list = SIM_NO_SLOT,
                       .target = SIM_NO_SLOT,
                       .reconverge = SIM_PC_EXIT,
                       .location = function->location};
    for (int i = 0; i < 4; i++) instr.src[i] = SIM_NO_SLOT;
    instr.ptx_line = function->syntax->place.line;
    return instr;
}

static sim_status push_instr(decode_function *function, const sim_instr *instr) {
    sim_instr *cell = DECODE_PUSH(function->scratch, function->code, function->code_count,
                                  function->code_capacity);
    if (!cell) return decode_no_memory(function->module);
    *cell = *instr;
    return SIM_OK;
}

// ld.param from the frame and st.local, `bytes` at `offset` of the parameter.
static sim_status copy_piece(decode_function *function, uint32_t frame, uint64_t local,
                             uint32_t offset, uint32_t bytes) {
    static const ptx_type types[9] = {[1] = PTX_U8, [2] = PTX_U16, [4] = PTX_U32, [8] = PTX_U64};
    sim_instr load = plain_instr(function, SIM_OP_LD, types[bytes]);
    sim_instr store = plain_instr(function, SIM_OP_ST, types[bytes]);
    TRY(decode_new_value(
        function, (decode_value){.kind = VALUE_REGISTER, .width = bytes == 8 ? WIDTH_64 : WIDTH_32},
        &load.dst));
    load.space = PTX_SPACE_PARAM;
    load.mods = SIM_MOD_FRAME;
    load.src[0] = frame;
    load.offset = offset;
    load.target = function->values[frame].bytes;
    store.space = PTX_SPACE_LOCAL;
    store.src[1] = load.dst;
    store.offset = (int64_t)(local + offset);
    TRY(decode_local_base(function, &store.src[0]));
    TRY(push_instr(function, &load));
    return push_instr(function, &store);
}

static sim_status move_param_to_local(decode_function *function, decode_name *name) {
    uint32_t frame = name->value, size = function->values[frame].bytes;
    uint32_t alignment = name->variable->align_bytes ? name->variable->align_bytes
                                                     : ptx_type_bytes(name->variable->type);
    uint32_t piece = alignment >= 8 ? 8 : alignment ? alignment : 1;
    uint32_t offset = (function->out->local_bytes + 15) / 16 * 16;
    name->kind = NAME_LOCAL;
    name->offset = offset;
    function->out->local_bytes = offset + size;
    for (uint32_t done = 0; done < size; done += piece) {
        while (piece > size - done) piece /= 2;
        TRY(copy_piece(function, frame, offset, done, piece));
    }
    return SIM_OK;
}

static sim_status move_params_to_local(decode_function *function) {
    const ptx_function *syntax = function->syntax;
    if (function->out->is_entry) return SIM_OK;
    for (uint32_t i = 0; i < syntax->param_count; i++) {
        const ptx_variable *param = &syntax->params[i];
        if (param->space == PTX_SPACE_REG || !takes_address(syntax, param->name)) continue;
        uint32_t index;
        TRY(decode_lookup(function, param->name, &index));
        TRY(move_param_to_local(function, &function->name_table[index]));
    }
    return SIM_OK;
}

// ---- The whole ----------------------------------------------------------------------------------

static sim_status begin(decode_function *function) {
    const ptx_function *syntax = function->syntax;
    sim_function *out = function->out;
    for (int i = 0; i < 3; i++) {
        out->max_threads[i] = syntax->max_threads[i];
        out->required_threads[i] = syntax->required_threads[i];
        out->cluster[i] = syntax->cluster[i];
    }
    out->most_cluster_blocks = syntax->max_cluster_blocks;
    out->min_blocks = syntax->min_blocks;
    out->max_registers = syntax->max_registers;
    out->local_base_slot = SIM_NO_SLOT;
    function->local_base = DECODE_NONE;
    memset(function->specials, 0xFF, sizeof function->specials);
    function->generation = 1;
    TRY(decode_location(function, NULL, &function->location));
    decode_scope *root = DECODE_PUSH(function->scratch, function->scopes, function->scope_count,
                                     function->scope_capacity);
    if (!root) return decode_no_memory(function->module);
    TRY(decode_declare_params(function)); // a launch needs them even of a refused kernel
    return move_params_to_local(function);
}

// Code that runs off the end returns; a label at the end needs an instruction to name.
static sim_status end_code(decode_function *function) {
    bool open = function->code_count == 0;
    if (!open) {
        const sim_instr *last = &function->code[function->code_count - 1];
        open = last->guard != SIM_NO_SLOT ||
               (last->op != SIM_OP_RET && last->op != SIM_OP_EXIT && last->op != SIM_OP_TRAP &&
                last->op != SIM_OP_BRA && last->op != SIM_OP_BRX);
    }
    for (uint32_t i = 0; i < function->label_count && !open; i++)
        open = function->label_table[i].pc == function->code_count;
    if (!open) return SIM_OK;
    sim_instr ret = plain_instr(function, SIM_OP_RET, PTX_TYPE_NONE);
    return push_instr(function, &ret);
}

static sim_status finish(decode_function *function) {
    sim_function *out = function->out;
    sim_arena *arena = function->module->arena;
    if (function->depth > 0)
        return decode_fail(function->module, function->syntax->place, SIM_BAD_PTX,
                           "'%s': a '{' is not closed", function->syntax->name);
    TRY(end_code(function));
    TRY(decode_resolve_branches(function));
    out->local_bytes = (out->local_bytes + 15) / 16 * 16;
    if (!function->module->keep_registers) TRY(decode_contract_products(function));
    TRY(decode_find_variables(function));
    TRY(decode_find_scatter(function));
    TRY(decode_find_misled(function));
    TRY(decode_find_narrow(function));
    TRY(decode_assign_slots(function));
    if (function->module->keep_registers) TRY(decode_list_names(function));
    out->code = sim_arena_copy(arena, function->code, function->code_count * sizeof(sim_instr));
    out->slots = sim_arena_copy(arena, function->slots, function->slot_count * sizeof(uint32_t));
    out->locations =
        sim_arena_copy(arena, function->locations, function->location_count * sizeof(sim_location));
    if (!out->code || !out->slots || !out->locations) return decode_no_memory(function->module);
    out->code_count = function->code_count;
    out->slot_count = function->slot_count;
    out->location_count = function->location_count;
    return SIM_OK;
}

static sim_status decode_statements(decode_function *function) {
    TRY(begin(function));
    for (uint32_t i = 0; i < function->syntax->statement_count; i++)
        TRY(decode_statement(function, &function->syntax->statements[i]));
    return finish(function);
}

// Keeps why, and leaves a function without code or a frame, which is never entered.
static sim_status refuse_function(decode_module *module, sim_function *out) {
    static const char unknown[] = "the simulator does not have one of its instructions";
    const char *text = module->err ? module->err->text : unknown;
    out->refusal = sim_arena_copy(module->arena, text, strlen(text) + 1);
    out->code_count = out->constant_count = out->special_count = out->frame_bytes = 0;
    return out->refusal ? SIM_OK : decode_no_memory(module);
}

sim_status decode_body(decode_module *module, uint32_t index) {
    decode_function function = {.module = module,
                                .out = &module->program->functions[index],
                                .syntax = module->bodies[index],
                                .index = index};
    function.scratch = sim_arena_new(function_arena_cap);
    if (!function.scratch) return decode_no_memory(module);
    sim_status status = decode_statements(&function);
    sim_arena_free(function.scratch);
    if (status == SIM_UNSUPPORTED && module->refuses_functions)
        return refuse_function(module, function.out);
    return status;
}
