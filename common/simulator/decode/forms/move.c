// Movement and conversion (PTX ISA 9.0, section 9.7.9): mov with its packing and address forms,
// cvt, cvta, isspacep.
#include "decode/forms/forms.h"

enum { MAX_PARTS = 4 };

// ---- mov ----------------------------------------------------------------------------------------

// The type of one part of a value of `type` cut in `count`; NONE when there is no such form.
static ptx_type part_type(ptx_type type, uint32_t count) {
    if (count != 2 && count != 4) return PTX_TYPE_NONE;
    switch (ptx_type_bytes(type) / count) {
    case 1: return PTX_B8;
    case 2: return PTX_B16;
    case 4: return PTX_B32;
    case 8: return PTX_B64;
    default: return PTX_TYPE_NONE;
    }
}

static sim_status no_such_parts(const decode_function *function, const ptx_operand *vector) {
    return decode_operand_fail(function, vector, "a value of this type has no %u parts",
                               vector->item_count);
}

// mov.b64 %rd, {%r1, %r2}
static sim_status mov_pack(decode_function *function, const ptx_operand *vector) {
    sim_instr *instr;
    uint32_t parts[MAX_PARTS];
    TRY(decode_emit(function, &instr));
    instr->op = SIM_OP_PACK;
    ptx_type part = part_type((ptx_type)instr->type, vector->item_count);
    bool is_bits = instr->type >= PTX_B16 && instr->type <= PTX_B128;
    if (part == PTX_TYPE_NONE || !is_bits) return no_such_parts(function, vector);
    instr->vector = (uint8_t)vector->item_count;
    TRY(decode_write(function, decode_operand_at(function, 0),
                     decode_type_width((ptx_type)instr->type), &instr->dst));
    for (uint32_t i = 0; i < vector->item_count; i++)
        TRY(decode_read(function, &vector->items[i], part, &parts[i]));
    return decode_list(function, parts, vector->item_count, &instr->list);
}

// mov.b64 {%r1, %r2}, %rd
static sim_status mov_unpack(decode_function *function, const ptx_operand *vector) {
    sim_instr *instr;
    uint32_t parts[MAX_PARTS];
    TRY(decode_emit(function, &instr));
    instr->op = SIM_OP_UNPACK;
    ptx_type part = part_type((ptx_type)instr->type, vector->item_count);
    bool is_bits = instr->type >= PTX_B16 && instr->type <= PTX_B128;
    if (part == PTX_TYPE_NONE || !is_bits) return no_such_parts(function, vector);
    instr->vector = (uint8_t)vector->item_count;
    TRY(decode_read(function, decode_operand_at(function, 1), (ptx_type)instr->type,
                    &instr->src[0]));
    for (uint32_t i = 0; i < vector->item_count; i++) {
        parts[i] = SIM_NO_SLOT;
        if (!decode_is_sink(&vector->items[i]))
            TRY(decode_write(function, &vector->items[i], decode_type_width(part), &parts[i]));
    }
    return decode_list(function, parts, vector->item_count, &instr->list);
}

// mov.u64 %rd, %SPL's depot in a device function: the frame's base, plus an offset.
static sim_status mov_local_address(decode_function *function, const decode_place *place,
                                    int64_t addend) {
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_64, &instr->dst));
    instr->src[0] = place->base;
    uint64_t offset = place->offset + (uint64_t)addend;
    if (offset == 0) return SIM_OK;
    instr->op = SIM_OP_ADD;
    instr->type = PTX_U64;
    return decode_constant(function, WIDTH_64, offset, &instr->src[1]);
}

static sim_status mov_plain(decode_function *function) {
    ptx_operand negated;
    const ptx_operand *source = &negated;
    sim_instr *instr;
    TRY(decode_read_logic(function, decode_operand_at(function, 1), &negated));
    TRY(decode_emit(function, &instr));
    TRY(decode_write_type(function, decode_operand_at(function, 0), (ptx_type)instr->type,
                          &instr->dst));
    if (instr->mods & SIM_MOD_PRED_OPERANDS)
        return decode_read(function, source, PTX_PRED, &instr->src[0]);
    return decode_read(function, source, (ptx_type)instr->type, &instr->src[0]);
}

// A special register that changes while a warp runs, or one whose width is not the type's (mov.u32
// %r, %gridid).
static sim_status mov_special(decode_function *function, uint32_t id) {
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    instr->op = SIM_OP_SREG;
    instr->variant = (uint8_t)id;
    return decode_write(function, decode_operand_at(function, 0),
                        decode_type_width((ptx_type)instr->type), &instr->dst);
}

// Which types read which special register: those that once had 16 bits are read as such, too.
static sim_status check_special(const decode_function *function, const ptx_operand *source) {
    static const char *const narrow[] = {"%tid", "%ntid", "%ctaid", "%nctaid"};
    ptx_type type = (ptx_type)function->opcode->proto.type;
    bool once_narrow = false;
    for (size_t i = 0; i < sizeof narrow / sizeof narrow[0]; i++)
        once_narrow = once_narrow || strncmp(source->name, narrow[i], strlen(narrow[i])) == 0;
    bool is_float = type >= PTX_F16 && type <= PTX_F64;
    if ((strcmp(source->name, "%is_explicit_cluster") == 0) != (type == PTX_PRED)) is_float = true;
    bool fits = (ptx_type_bytes(type) != 1 || type == PTX_PRED) &&
                (ptx_type_bytes(type) != 2 || once_narrow) &&
                (ptx_type_bytes(type) != 8 || !once_narrow);
    if (!is_float && fits) return SIM_OK;
    return decode_operand_fail(function, source, "%s is not read as .%s", source->name,
                               ptx_type_name(type));
}

// mov.v2.u32 {a, b}, {c, d}: all sources are read before the first result is written.
static sim_status mov_vector(decode_function *function, const ptx_operand *target,
                             const ptx_operand *source) {
    uint32_t values[MAX_PARTS];
    uint32_t count = function->opcode->proto.vector;
    ptx_type type = (ptx_type)function->opcode->proto.type;
    decode_width width = decode_type_width(type);
    bool lists = target->kind == PTX_OPERAND_VECTOR && source->kind == PTX_OPERAND_VECTOR;
    if (!lists || target->item_count != count || source->item_count != count || count > MAX_PARTS)
        return decode_operand_fail(function, target, "two vectors of %u values are wanted", count);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            sim_instr *instr;
            const ptx_operand *to = &target->items[i];
            if (pass && decode_is_sink(to)) continue;
            TRY(decode_emit(function, &instr));
            instr->vector = 1;
            if (pass) {
                instr->src[0] = values[i];
                TRY(decode_write_type(function, to, type, &instr->dst));
                continue;
            }
            decode_value value = {.kind = VALUE_REGISTER, .width = (uint8_t)width};
            TRY(decode_read(function, &source->items[i], type, &instr->src[0]));
            TRY(decode_new_value(function, value, &values[i]));
            instr->dst = values[i];
        }
    return SIM_OK;
}

// mov.b128 %q, 5
static sim_status mov_wide_constant(decode_function *function, const ptx_operand *source) {
    sim_instr *instr;
    uint32_t halves[2];
    TRY(decode_emit(function, &instr));
    instr->op = SIM_OP_PACK;
    instr->vector = 2;
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_128, &instr->dst));
    TRY(decode_read_width(function, source, WIDTH_64, &halves[0]));
    TRY(decode_constant(function, WIDTH_64, source->value < 0 ? UINT64_MAX : 0, &halves[1]));
    return decode_list(function, halves, 2, &instr->list);
}

sim_status decode_form_MOV(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    const ptx_operand *target = decode_operand_at(function, 0);
    const ptx_operand *source = decode_operand_at(function, 1);
    if (function->opcode->proto.vector > 1) return mov_vector(function, target, source);
    if (source->kind == PTX_OPERAND_VECTOR) return mov_pack(function, source);
    if (target->kind == PTX_OPERAND_VECTOR) return mov_unpack(function, target);
    if (source->kind == PTX_OPERAND_INT && function->opcode->proto.type == PTX_B128)
        return mov_wide_constant(function, source);
    if (source->kind != PTX_OPERAND_NAME) return mov_plain(function);
    uint32_t value, id;
    decode_place place;
    TRY(decode_address_of(function, source, &place));
    if (place.found && place.base != DECODE_NONE)
        return mov_local_address(function, &place, source->value);
    if (place.found) {
        TRY(mov_plain(function));
        function->code[function->code_count - 1].variable = place.symbol;
        return SIM_OK;
    }
    uint32_t name;
    TRY(decode_lookup(function, source->name, &name));
    if (name != DECODE_NONE) return mov_plain(function);
    TRY(decode_special(function, source, &value, &id));
    if (value != DECODE_NONE || id != SIM_SPECIAL_COUNT) TRY(check_special(function, source));
    bool is_launch_constant = value != DECODE_NONE;
    decode_width width = decode_type_width((ptx_type)function->opcode->proto.type);
    if (id == SIM_SPECIAL_COUNT && !is_launch_constant) return mov_plain(function);
    if (is_launch_constant && function->values[value].width == width) return mov_plain(function);
    if (is_launch_constant) { // %gridid was 32 bits wide once: mov.u32 %r, %gridid
        sim_instr *instr;
        TRY(decode_emit(function, &instr));
        instr->op = SIM_OP_CVT;
        instr->type2 = function->values[value].width == WIDTH_64 ? PTX_U64 : PTX_U32;
        instr->type = width == WIDTH_64 ? PTX_U64 : PTX_U32;
        instr->src[0] = value;
        return decode_write(function, target, width, &instr->dst);
    }
    return mov_special(function, id);
}

// ---- cvt ----------------------------------------------------------------------------------------

static bool is_float(ptx_type type) { return type >= PTX_F16 && type <= PTX_F64; }

static bool is_packed(ptx_type type) { return type == PTX_F16X2 || type == PTX_BF16X2; }

static sim_status bad_cvt(const decode_function *function, const char *why) {
    return decode_fail(function->module, function->instruction->place, SIM_UNSUPPORTED,
                       "'%s' is not a conversion the simulator knows: %s",
                       function->instruction->opcode, why);
}

// Significand bits; what is converted to fewer must say how to round.
static uint32_t precision(ptx_type type) {
    switch (type) {
    case PTX_F64: return 53;
    case PTX_F32: return 24;
    case PTX_TF32:
    case PTX_F16: return 11;
    default: return 8; // bf16
    }
}

static sim_status check_float_to_float(const decode_function *function, const sim_instr *proto,
                                       uint64_t classes) {
    const uint64_t round4 = DECODE_CLASS(RN) | DECODE_CLASS(RZ) | DECODE_CLASS(RM) |
                            DECODE_CLASS(RP) | DECODE_CLASS(RNA);
    ptx_type to = (ptx_type)proto->type, from = (ptx_type)proto->type2;
    if (is_packed(to) && from != PTX_F32)
        return bad_cvt(function, "two halves are packed from .f32 only");
    if (is_packed(from) || from == PTX_TF32) return bad_cvt(function, "this source is packed");
    if (to == PTX_TF32 && from != PTX_F32) return bad_cvt(function, ".tf32 comes from .f32 only");
    if (to == from) {
        if (classes & round4) return bad_cvt(function, "nothing is rounded that way");
        return SIM_OK;
    }
    bool narrows =
        is_packed(to) || precision(to) < precision(from) || (to == PTX_F16 && from == PTX_BF16);
    if (narrows && !(classes & round4)) return bad_cvt(function, "it must say how to round");
    if (classes & DECODE_CLASS(IRND))
        return bad_cvt(function, "rounding to an integer is for equal types");
    return SIM_OK;
}

static sim_status check_cvt(const decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    uint64_t classes = function->opcode->classes;
    const uint64_t round4 =
        DECODE_CLASS(RN) | DECODE_CLASS(RZ) | DECODE_CLASS(RM) | DECODE_CLASS(RP);
    ptx_type to = (ptx_type)proto->type, from = (ptx_type)proto->type2;
    bool rounds = (classes & (round4 | DECODE_CLASS(RNA) | DECODE_CLASS(IRND))) != 0;
    if (is_float(to) && is_float(from)) return check_float_to_float(function, proto, classes);
    if (is_packed(to) || is_packed(from)) return bad_cvt(function, "packed halves");
    if (is_float(from) && !(classes & DECODE_CLASS(IRND)))
        return bad_cvt(function, "float to integer needs .rni, .rzi, .rmi or .rpi");
    if (is_float(to) && !(classes & round4))
        return bad_cvt(function, "integer to float needs .rn, .rz, .rm or .rp");
    if (!is_float(to) && !is_float(from) && rounds)
        return bad_cvt(function, "integers are not rounded");
    return SIM_OK;
}

// cvt.rn.f16x2.f32 d, a, b: a gives the upper half.
sim_status decode_form_CVT(decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    uint32_t sources = is_packed((ptx_type)proto->type) ? 2 : 1;
    TRY(decode_check_count(function, 1 + sources, 1 + sources));
    TRY(check_cvt(function));
    sim_instr *instr;
    bool wide;
    TRY(decode_emit(function, &instr));
    TRY(decode_relaxed(function, decode_operand_at(function, 0), (ptx_type)proto->type, true,
                       &instr->dst, &wide));
    if (wide) instr->mods |= SIM_MOD_DST64;
    for (uint32_t i = 0; i < sources; i++) {
        TRY(decode_relaxed(function, decode_operand_at(function, 1 + i), (ptx_type)proto->type2,
                           false, &instr->src[i], &wide));
        if (wide && sources == 2) return bad_cvt(function, "its sources are 64 bits wide");
        if (wide) instr->mods |= SIM_MOD_SRC64;
    }
    return SIM_OK;
}

// ---- cvta, isspacep -----------------------------------------------------------------------------

sim_status decode_form_CVTA(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    if (function->opcode->proto.type == PTX_U32)
        return decode_operand_fail(function, decode_operand_at(function, 1),
                                   "addresses of this module have 64 bits");
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0),
                     decode_type_width((ptx_type)instr->type), &instr->dst));
    return decode_read(function, decode_operand_at(function, 1), (ptx_type)instr->type,
                       &instr->src[0]);
}

sim_status decode_form_ISSPACEP(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    const ptx_operand *address = decode_operand_at(function, 1);
    sim_instr *instr;
    decode_place place = {.found = false};
    uint32_t value;
    bool is_64;
    if (address->kind == PTX_OPERAND_NAME) TRY(decode_address_of(function, address, &place));
    if (place.found)
        return decode_operand_fail(function, address, "a register with an address is wanted");
    TRY(decode_relaxed(function, address, PTX_U32, false, &value, &is_64));
    if (!is_64) { // the upper half is zero
        uint32_t narrow = value;
        TRY(decode_new_value(function, (decode_value){.kind = VALUE_REGISTER, .width = WIDTH_64},
                             &value));
        TRY(decode_widen(function, narrow, true, value));
    }
    TRY(decode_emit(function, &instr));
    instr->variant = decode_has_word(function, "shared::cluster");
    instr->src[0] = value;
    return decode_write(function, decode_operand_at(function, 0), WIDTH_PRED, &instr->dst);
}
