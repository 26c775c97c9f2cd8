// Texture and surface instructions (PTX ISA 9.0, sections 9.7.10 and 9.7.11): tex, tld4, txq, suld,
// sust, sured, suq, istypep. Objects are 64-bit handles, as nvcc writes them; the older .texref,
// .samplerref and .surfref variables are refused.
#include "decode/forms/forms.h"

enum { MAX_COORDINATES = 3 }; // in operands of their own; SIM_TEXTURE_PARTS has the others

static sim_status unsupported_operand(const decode_function *function, const ptx_operand *operand,
                                      const char *what) {
    return decode_fail(function->module, operand->place, SIM_UNSUPPORTED,
                       "the simulator does not have '%s' with %s", function->instruction->opcode,
                       what);
}

static sim_status read_object(decode_function *function, const ptx_operand *operand,
                              uint32_t *out_value) {
    ptx_operand name = {.kind = PTX_OPERAND_NAME, .name = operand->name, .place = operand->place};
    uint32_t index;
    TRY(decode_lookup(function, operand->name, &index));
    if (index == DECODE_NONE || function->name_table[index].kind != NAME_REGISTER)
        return unsupported_operand(function, operand, "an object that is not in a register");
    return decode_read(function, &name, PTX_U64, out_value);
}

// `list`: a vector of values, or one value alone.
static uint32_t item_count(const ptx_operand *list) {
    return list->kind == PTX_OPERAND_VECTOR ? list->item_count : 1;
}
static const ptx_operand *item_at(const ptx_operand *list, uint32_t index) {
    return list->kind == PTX_OPERAND_VECTOR ? &list->items[index] : list;
}

// `[object, {x, y}]`. Two-dimensional layers, volumes and cubes come as four values, the last of
// which means nothing; layered cubes need all four.
static sim_status read_place(decode_function *function, const ptx_operand *place, sim_instr *instr,
                             ptx_type type) {
    static const uint8_t counts[] = {
        [SIM_GEOMETRY_1D] = 1,   [SIM_GEOMETRY_2D] = 2,  [SIM_GEOMETRY_3D] = 4,
        [SIM_GEOMETRY_CUBE] = 4, [SIM_GEOMETRY_A1D] = 2, [SIM_GEOMETRY_A2D] = 4,
        [SIM_GEOMETRY_ACUBE] = 4};
    if (place->kind != PTX_OPERAND_TEXREF)
        return decode_operand_fail(function, place, "an object and coordinates are wanted here");
    if (place->item_count != 2) return unsupported_operand(function, place, "a separate sampler");
    const ptx_operand *list = &place->items[1];
    bool fetches = instr->op == SIM_OP_TEX || instr->op == SIM_OP_TLD4;
    if (!fetches && sim_geometry_is_cube((sim_geometry)instr->geometry))
        return unsupported_operand(function, place, "a cube, whose faces are layers of a surface");
    uint32_t wanted = counts[instr->geometry];
    if (item_count(list) != wanted)
        return decode_operand_fail(function, list, "%u coordinates where %u belong",
                                   item_count(list), wanted);
    bool layers = sim_geometry_has_layers((sim_geometry)instr->geometry);
    for (uint32_t i = 0; i < wanted && i < MAX_COORDINATES; i++) {
        ptx_type of = layers && i == 0 ? PTX_U32 : type;
        TRY(decode_read(function, item_at(list, i), of, &instr->src[1 + i]));
    }
    return read_object(function, &place->items[0], &instr->src[0]);
}

static sim_status write_parts(decode_function *function, const ptx_operand *list,
                              const sim_instr *instr, uint32_t *parts) {
    if (item_count(list) != instr->vector)
        return decode_operand_fail(function, list, "%u results where the opcode says %u",
                                   item_count(list), instr->vector);
    for (uint32_t i = 0; i < instr->vector; i++) {
        const ptx_operand *part = item_at(list, i);
        parts[i] = SIM_NO_SLOT;
        if (decode_is_sink(part)) continue;
        TRY(decode_write(function, part, decode_type_width((ptx_type)instr->type), &parts[i]));
    }
    return SIM_OK;
}

static sim_status write_list(decode_function *function, const ptx_operand *list, sim_instr *instr) {
    uint32_t parts[SIM_TEXTURE_RESULTS];
    TRY(write_parts(function, list, instr, parts));
    return decode_list(function, parts, instr->vector, &instr->list);
}

// `{a, b, c, d}|p`: p tells whether the texel is in memory.
static sim_status write_residence(decode_function *function, const ptx_operand *results,
                                  sim_instr *instr) {
    if (!results->second) return SIM_OK;
    ptx_operand second = {
        .kind = PTX_OPERAND_NAME, .name = results->second, .place = results->place};
    if (decode_is_sink(&second)) return SIM_OK;
    return decode_write(function, &second, WIDTH_PRED, &instr->dst2);
}

// Level, gradients: the operands from `first` on, behind the parts. A gradient may come as more
// numbers than there are axes, which mean nothing.
static sim_status read_level(decode_function *function, const sim_instr *instr, uint32_t *first,
                             uint32_t *parts, uint32_t *count) {
    uint32_t axes = sim_geometry_axes((sim_geometry)instr->geometry);
    static const uint8_t lists[] = {
        [SIM_LEVEL_ONLY] = 0, [SIM_LEVEL_GIVEN] = 1, [SIM_LEVEL_GRAD] = 2};
    for (uint32_t i = 0; i < lists[instr->level]; i++) {
        if (*first >= function->instruction->operand_count)
            return decode_check_count(function, *first + 1, *first + 1);
        const ptx_operand *list = decode_operand_at(function, (*first)++);
        uint32_t wanted = instr->level == SIM_LEVEL_GRAD ? axes : 1;
        if (item_count(list) < wanted)
            return decode_operand_fail(function, list, "%u numbers where %u belong",
                                       item_count(list), wanted);
        for (uint32_t k = 0; k < wanted; k++) {
            ptx_type type = instr->level == SIM_LEVEL_GRAD ? PTX_F32 : (ptx_type)instr->type2;
            TRY(decode_read(function, item_at(list, k), type, &parts[(*count)++]));
        }
    }
    return SIM_OK;
}

// tex.2d.v4.f32.f32 {r, g, b, a}, [object, {x, y}];  tld4.r.2d.v4.f32.f32 ..
sim_status decode_form_TEX(decode_function *function) {
    TRY(decode_check_count(function, 2, 6));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    const ptx_operand *results = decode_operand_at(function, 0);
    const ptx_operand *place = decode_operand_at(function, 1);
    uint32_t parts[SIM_TEXTURE_PARTS], count = SIM_TEXTURE_RESULTS;
    if (instr->vector != SIM_TEXTURE_RESULTS)
        return decode_operand_fail(function, results, "a fetch has four results");
    if (instr->op == SIM_OP_TEX && instr->level != SIM_LEVEL_ONLY && instr->type2 != PTX_F32 &&
        instr->level == SIM_LEVEL_GRAD)
        return decode_operand_fail(function, results, "gradients need float coordinates");
    TRY(write_parts(function, results, instr, parts));
    TRY(write_residence(function, results, instr));
    TRY(read_place(function, place, instr, (ptx_type)instr->type2));
    if (instr->geometry == SIM_GEOMETRY_ACUBE)
        TRY(decode_read(function, item_at(&place->items[1], MAX_COORDINATES), PTX_F32,
                        &parts[count++]));
    uint32_t next = 2;
    TRY(read_level(function, instr, &next, parts, &count));
    instr->vector = (uint16_t)count;
    TRY(decode_list(function, parts, count, &instr->list));
    if (next == function->instruction->operand_count) return SIM_OK;
    return unsupported_operand(function, decode_operand_at(function, next),
                               "an offset or a depth comparison");
}

// txq.width.b32 d, [object];
sim_status decode_form_TXQ(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst));
    const ptx_operand *object = decode_operand_at(function, 1);
    if (object->kind != PTX_OPERAND_ADDRESS || !object->name || object->value)
        return decode_operand_fail(function, object, "an object is wanted here");
    return read_object(function, object, &instr->src[0]);
}

static sim_status check_surface_values(const decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    if (ptx_type_bytes((ptx_type)proto->type) * proto->vector <= 16) return SIM_OK;
    return decode_operand_fail(function, decode_operand_at(function, 0),
                               "a surface access of more than 16 bytes does not exist");
}

// suld.b.2d.b32.trap {r}, [object, {x, y}];
sim_status decode_form_SULD(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    TRY(check_surface_values(function));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(write_list(function, decode_operand_at(function, 0), instr));
    return read_place(function, decode_operand_at(function, 1), instr, PTX_S32);
}

// sust.b.2d.b32.trap [object, {x, y}], {r};  sured.b.add.2d.u32.trap [object, {x, y}], r;
sim_status decode_form_SUST(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    TRY(check_surface_values(function));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(read_place(function, decode_operand_at(function, 0), instr, PTX_S32));
    const ptx_operand *list = decode_operand_at(function, 1);
    uint32_t parts[4];
    if (item_count(list) != instr->vector)
        return decode_operand_fail(function, list, "%u values where the opcode says %u",
                                   item_count(list), instr->vector);
    for (uint32_t i = 0; i < instr->vector; i++) {
        bool is_64;
        const ptx_operand *item = item_at(list, i);
        TRY(decode_relaxed(function, item, (ptx_type)instr->type, false, &parts[i], &is_64));
        if (is_64) return unsupported_operand(function, item, "the low half of a register");
    }
    return decode_list(function, parts, instr->vector, &instr->list);
}

sim_status decode_form_SURED(decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    if (sim_geometry_has_layers((sim_geometry)proto->geometry))
        return decode_operand_fail(function, decode_operand_at(function, 0),
                                   "there are no reductions on layers");
    return decode_form_SUST(function);
}

// istypep.texref p, object;
sim_status decode_form_ISTYPEP(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_PRED, &instr->dst));
    return read_object(function, decode_operand_at(function, 1), &instr->src[0]);
}
