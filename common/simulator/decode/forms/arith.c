// Arithmetic, logic, comparison and selection (PTX ISA 9.0, sections 9.7.1 to 9.7.8): operand forms
// whose sources and result are registers. Widths follow from the type but for the few that shapes[]
// lists.
#include "decode/forms/forms.h"

enum {
    SAME = -1,
    SECOND = -2,
    DOUBLE_IF_WIDE = -3
}; // of a shape: by type, by type2, twice as wide for .wide

// Widths of operands that differ from the type's: a decode_width or one of the names above.
typedef struct operand_shape {
    uint16_t op;
    int8_t dst, src[4];
} operand_shape;

static const operand_shape shapes[] = {
    {SIM_OP_MUL, DOUBLE_IF_WIDE, {SAME, SAME, SAME, SAME}},
    {SIM_OP_MAD, DOUBLE_IF_WIDE, {SAME, SAME, DOUBLE_IF_WIDE, SAME}},
    {SIM_OP_TESTP, WIDTH_PRED, {SAME, SAME, SAME, SAME}},
    {SIM_OP_SHL, SAME, {SAME, WIDTH_32, SAME, SAME}},
    {SIM_OP_SHR, SAME, {SAME, WIDTH_32, SAME, SAME}},
    {SIM_OP_POPC, WIDTH_32, {SAME, SAME, SAME, SAME}},
    {SIM_OP_CLZ, WIDTH_32, {SAME, SAME, SAME, SAME}},
    {SIM_OP_BFIND, WIDTH_32, {SAME, SAME, SAME, SAME}},
    {SIM_OP_BFE, SAME, {SAME, WIDTH_32, WIDTH_32, SAME}},
    {SIM_OP_BFI, SAME, {SAME, SAME, WIDTH_32, WIDTH_32}},
    {SIM_OP_SLCT, SAME, {SAME, SAME, SECOND, SAME}},
    {SIM_OP_DP4A, WIDTH_32, {WIDTH_32, WIDTH_32, WIDTH_32, SAME}},
    {SIM_OP_DP2A, WIDTH_32, {WIDTH_32, WIDTH_32, WIDTH_32, SAME}},
};

static const operand_shape plain_shape = {0, SAME, {SAME, SAME, SAME, SAME}};

static const operand_shape *find_shape(uint16_t op) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (shapes[i].op == op) return &shapes[i];
    return &plain_shape;
}

// The type that an operand is read with; only its width and whether it is a float matter.
static ptx_type operand_type(const sim_instr *instr, int8_t shape) {
    static const ptx_type by_width[WIDTH_COUNT] = {PTX_PRED, PTX_U32, PTX_U64, PTX_B128};
    ptx_type type = (ptx_type)instr->type;
    switch (shape) {
    case SAME: return type;
    case SECOND: return (ptx_type)instr->type2;
    case DOUBLE_IF_WIDE:
        if (!(instr->mods & SIM_MOD_WIDE)) return type;
        return ptx_type_bytes(type) == 4 ? PTX_U64 : PTX_U32;
    default: return by_width[shape];
    }
}

sim_status decode_read_logic(decode_function *function, const ptx_operand *operand,
                             ptx_operand *out_operand) {
    ptx_operand plain = *operand;
    sim_instr *instr;
    *out_operand = *operand;
    if (function->opcode->proto.type != PTX_PRED || !operand->negated) return SIM_OK;
    uint16_t op = function->opcode->proto.op;
    bool takes = op == SIM_OP_AND || op == SIM_OP_OR || op == SIM_OP_XOR || op == SIM_OP_NOT ||
                 op == SIM_OP_MOV;
    if (!takes) return SIM_OK;
    plain.negated = false;
    uint32_t source, value;
    TRY(decode_read(function, &plain, PTX_PRED, &source));
    TRY(decode_new_value(function, (decode_value){.kind = VALUE_REGISTER, .width = WIDTH_PRED},
                         &value));
    TRY(decode_emit(function, &instr));
    instr->op = SIM_OP_NOT;
    instr->src[0] = source;
    instr->dst = value;
    *out_operand = (ptx_operand){.kind = PTX_OPERAND_NAME, .place = operand->place};
    return decode_name_value(function, value, &out_operand->name);
}

sim_status decode_widen(decode_function *function, uint32_t value, bool widens, uint32_t result) {
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    instr->op = SIM_OP_CVT;
    instr->mods = 0;
    instr->type = widens ? PTX_U64 : PTX_U32;
    instr->type2 = widens ? PTX_U32 : PTX_U64;
    instr->src[0] = value;
    instr->dst = result;
    return SIM_OK;
}

// dst and `source_count` sources, in PTX's order.
static sim_status emit_plain(decode_function *function, uint32_t source_count, sim_instr **out) {
    sim_instr *instr;
    ptx_operand sources[4];
    for (uint32_t i = 0; i < source_count; i++)
        TRY(decode_read_logic(function, decode_operand_at(function, 1 + i), &sources[i]));
    TRY(decode_emit(function, &instr));
    const operand_shape *shape = find_shape(instr->op);
    TRY(decode_write_type(function, decode_operand_at(function, 0), operand_type(instr, shape->dst),
                          &instr->dst));
    for (uint32_t i = 0; i < source_count; i++)
        TRY(decode_read(function, &sources[i], operand_type(instr, shape->src[i]), &instr->src[i]));
    if (out) *out = instr;
    return SIM_OK;
}

sim_status decode_form_D(decode_function *function) {
    TRY(decode_check_count(function, 1, 1));
    return emit_plain(function, 0, NULL);
}

sim_status decode_form_D_A(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    return emit_plain(function, 1, NULL);
}

sim_status decode_form_D_A_B(decode_function *function) {
    TRY(decode_check_count(function, 3, 3));
    return emit_plain(function, 2, NULL);
}

sim_status decode_form_D_A_B_C(decode_function *function) {
    TRY(decode_check_count(function, 4, 4));
    return emit_plain(function, 3, NULL);
}

sim_status decode_form_D_A_B_C_E(decode_function *function) {
    TRY(decode_check_count(function, 5, 5));
    return emit_plain(function, 4, NULL);
}

// lop3.b32 d, a, b, c, table;  lop3.or.b32 d|p, a, b, c, table, q;
sim_status decode_form_D_A_B_C_I(decode_function *function) {
    bool has_boolean = function->opcode->proto.boolean != SIM_BOOL_NONE;
    uint32_t count = has_boolean ? 6 : 5;
    TRY(decode_check_count(function, count, count));
    sim_instr *instr;
    bool negated = false;
    TRY(decode_emit(function, &instr));
    TRY(decode_write_pair(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst,
                          &instr->dst2));
    for (uint32_t i = 0; i < 3; i++)
        TRY(decode_read(function, decode_operand_at(function, 1 + i), PTX_B32, &instr->src[i]));
    const ptx_operand *table = decode_operand_at(function, 4);
    if (table->kind != PTX_OPERAND_INT)
        return decode_operand_fail(function, table, "the table must be an integer constant");
    instr->offset = table->value & 0xFF;
    if (has_boolean)
        TRY(decode_read_predicate(function, decode_operand_at(function, 5), &negated,
                                  &instr->src[3]));
    if (negated || has_boolean != (instr->dst2 != SIM_NO_SLOT))
        return decode_operand_fail(function, decode_operand_at(function, 0),
                                   "this form of lop3 is not one the simulator knows");
    return SIM_OK;
}

// An optional predicate operand in src[2].
static sim_status read_third(decode_function *function, uint32_t index, sim_instr *instr) {
    bool negated;
    TRY(decode_read_predicate(function, decode_operand_at(function, index), &negated,
                              &instr->src[2]));
    if (negated) instr->mods |= SIM_MOD_PRED_NEG_C;
    return SIM_OK;
}

static sim_status check_compare(const decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    ptx_type type = (ptx_type)(proto->op == SIM_OP_SET ? proto->type2 : proto->type);
    bool is_float = type >= PTX_F16 && type <= PTX_F64;
    bool is_bits = type >= PTX_B8 && type <= PTX_B128;
    bool is_order = proto->compare != SIM_CMP_EQ && proto->compare != SIM_CMP_NE;
    if ((is_bits && is_order) || (!is_float && proto->compare >= SIM_CMP_EQU))
        return decode_fail(function->module, function->instruction->place, SIM_BAD_PTX,
                           "'%s': this comparison does not exist for type .%s",
                           function->instruction->opcode, ptx_type_name(type));
    return SIM_OK;
}

// setp.lt.f32 p|q, a, b;  setp.lt.and.f32 p|q, a, b, !c;
sim_status decode_form_SETP(decode_function *function) {
    uint32_t count = function->opcode->proto.boolean == SIM_BOOL_NONE ? 3 : 4;
    TRY(decode_check_count(function, count, count));
    TRY(check_compare(function));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write_pair(function, decode_operand_at(function, 0), WIDTH_PRED, &instr->dst,
                          &instr->dst2));
    for (uint32_t i = 0; i < 2; i++)
        TRY(decode_read(function, decode_operand_at(function, 1 + i), (ptx_type)instr->type,
                        &instr->src[i]));
    return count == 4 ? read_third(function, 3, instr) : SIM_OK;
}

// set.lt.u32.f32 d, a, b;  set.lt.and.u32.f32 d, a, b, !c;
sim_status decode_form_SET(decode_function *function) {
    uint32_t count = function->opcode->proto.boolean == SIM_BOOL_NONE ? 3 : 4;
    TRY(decode_check_count(function, count, count));
    TRY(check_compare(function));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write_type(function, decode_operand_at(function, 0), (ptx_type)instr->type,
                          &instr->dst));
    for (uint32_t i = 0; i < 2; i++)
        TRY(decode_read(function, decode_operand_at(function, 1 + i), (ptx_type)instr->type2,
                        &instr->src[i]));
    return count == 4 ? read_third(function, 3, instr) : SIM_OK;
}

sim_status decode_form_SELP(decode_function *function) {
    TRY(decode_check_count(function, 4, 4));
    sim_instr *instr;
    TRY(emit_plain(function, 2, &instr));
    return read_third(function, 3, instr);
}
