// Instructions of a whole warp or block (PTX ISA 9.0, sections 9.7.9.6 and 9.7.13): shuffles,
// votes, matches, reductions, barriers. A member mask is always src[3].
#include "decode/forms/forms.h"

static sim_status read_mask(decode_function *function, uint32_t index, sim_instr *instr) {
    return decode_read_width(function, decode_operand_at(function, index), WIDTH_32,
                             &instr->src[3]);
}

static bool has_mask(const decode_function *function) {
    return (function->opcode->proto.mods & SIM_MOD_SYNC) != 0;
}

// shfl.sync.down.b32 d|p, a, b, c, mask;
sim_status decode_form_SHFL(decode_function *function) {
    uint32_t count = has_mask(function) ? 5 : 4;
    TRY(decode_check_count(function, count, count));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write_pair(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst,
                          &instr->dst2));
    for (uint32_t i = 0; i < 3; i++)
        TRY(decode_read(function, decode_operand_at(function, 1 + i), PTX_B32, &instr->src[i]));
    return has_mask(function) ? read_mask(function, 4, instr) : SIM_OK;
}

// vote.sync.all.pred p, !a, mask;  vote.sync.ballot.b32 d, a, mask;
sim_status decode_form_VOTE(decode_function *function) {
    uint32_t count = has_mask(function) ? 3 : 2;
    const sim_instr *proto = &function->opcode->proto;
    TRY(decode_check_count(function, count, count));
    if ((proto->variant == SIM_VOTE_BALLOT) != (proto->type == PTX_B32))
        return decode_fail(function->module, function->instruction->place, SIM_BAD_PTX,
                           "'%s': ballot gives .b32, the others .pred",
                           function->instruction->opcode);
    sim_instr *instr;
    bool negated;
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0),
                     decode_type_width((ptx_type)proto->type), &instr->dst));
    TRY(decode_read_predicate(function, decode_operand_at(function, 1), &negated, &instr->src[2]));
    if (negated) instr->mods |= SIM_MOD_PRED_NEG_C;
    return has_mask(function) ? read_mask(function, 2, instr) : SIM_OK;
}

// match.any.sync.b64 d, a, mask;  match.all.sync.b32 d|p, a, mask;
sim_status decode_form_MATCH(decode_function *function) {
    TRY(decode_check_count(function, 3, 3));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    const ptx_operand *target = decode_operand_at(function, 0);
    TRY(decode_write_pair(function, target, WIDTH_32, &instr->dst, &instr->dst2));
    if (instr->variant == SIM_MATCH_ANY && target->second)
        return decode_operand_fail(function, target, "only match.all gives a predicate");
    TRY(decode_read(function, decode_operand_at(function, 1), (ptx_type)instr->type,
                    &instr->src[0]));
    return read_mask(function, 2, instr);
}

// redux.sync.add.s32 d, a, mask;
sim_status decode_form_REDUX(decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    bool is_bitwise = proto->variant == SIM_ATOMIC_AND || proto->variant == SIM_ATOMIC_OR ||
                      proto->variant == SIM_ATOMIC_XOR;
    if (proto->variant > SIM_ATOMIC_MAX && !is_bitwise)
        return decode_fail(function->module, function->instruction->place, SIM_BAD_PTX,
                           "'%s' does not exist", function->instruction->opcode);
    if (is_bitwise != (proto->type == PTX_B32))
        return decode_fail(function->module, function->instruction->place, SIM_BAD_PTX,
                           "'%s': and, or, xor take .b32, the others .u32 or .s32",
                           function->instruction->opcode);
    TRY(decode_check_count(function, 3, 3));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst));
    TRY(decode_read(function, decode_operand_at(function, 1), (ptx_type)instr->type,
                    &instr->src[0]));
    return read_mask(function, 2, instr);
}

// elect.sync d|p, mask;
sim_status decode_form_ELECT(decode_function *function) {
    TRY(decode_check_count(function, 2, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write_pair(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst,
                          &instr->dst2));
    if (instr->dst2 == SIM_NO_SLOT)
        return decode_operand_fail(function, decode_operand_at(function, 0),
                                   "a predicate such as %%r1|%%p1 is wanted");
    return read_mask(function, 1, instr);
}

// bar.warp.sync mask;
sim_status decode_form_WARPSYNC(decode_function *function) {
    TRY(decode_check_count(function, 1, 1));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    return read_mask(function, 0, instr);
}

// The result and predicate of bar.red: d, a{, b}, {!}c.
static sim_status barrier_reduction(decode_function *function, sim_instr *instr, uint32_t *first,
                                    uint32_t *last) {
    bool negated;
    bool is_count = instr->variant == SIM_BAR_RED_POPC;
    if (is_count != (instr->type == PTX_U32))
        return decode_operand_fail(function, decode_operand_at(function, 0),
                                   "popc gives .u32, and and or give .pred");
    TRY(decode_write(function, decode_operand_at(function, 0), is_count ? WIDTH_32 : WIDTH_PRED,
                     &instr->dst));
    *first = 1;
    *last -= 1;
    TRY(decode_read_predicate(function, decode_operand_at(function, *last), &negated,
                              &instr->src[2]));
    if (negated) instr->mods |= SIM_MOD_PRED_NEG_C;
    return SIM_OK;
}

// bar.sync a{, b};  bar.arrive a, b;  bar.red.popc.u32 d, a{, b}, {!}c;  barrier.* likewise
sim_status decode_form_BAR(decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    bool reduces = (function->opcode->classes & DECODE_CLASS(BARRED)) != 0;
    uint32_t first = 0, last = function->instruction->operand_count;
    if (reduces) TRY(decode_check_count(function, 3, 4));
    else TRY(decode_check_count(function, proto->variant == SIM_BAR_ARRIVE ? 2 : 1, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    if (reduces) TRY(barrier_reduction(function, instr, &first, &last));
    function->module->usage[function->index].has_barrier = true;
    for (uint32_t i = first; i < last; i++) {
        const ptx_operand *operand = decode_operand_at(function, i);
        bool known = operand->kind == PTX_OPERAND_INT;
        if (known && i == first && (operand->value < 0 || operand->value > 15))
            return decode_operand_fail(function, operand, "barriers have the numbers 0 to 15");
        if (known && i > first && operand->value % SIM_WARP_LANES != 0)
            return decode_operand_fail(function, operand, "threads come in whole warps");
        TRY(decode_read_width(function, operand, WIDTH_32, &instr->src[i - first]));
    }
    return SIM_OK;
}
