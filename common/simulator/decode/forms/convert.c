// Conversions to and from 8-bit floats, and cvt.pack (PTX ISA 9.0, section 9.7.9): types that no
// register has, so their forms read the words themselves.
#include "decode/forms/forms.h"

static sim_status unknown_form(const decode_function *function) {
    return decode_fail(function->module, function->instruction->place, SIM_UNSUPPORTED,
                       "the simulator does not have '%s': this combination of types and modifiers "
                       "is not one it knows",
                       function->instruction->opcode);
}

// cvt.rn.satfinite{.relu}.e4m3x2.f32 d, a, b;  .e4m3x2.f16x2 d, a;
// cvt.rn{.relu}.f16x2.e4m3x2 d, a;
sim_status decode_form_CVT_FP8(decode_function *function) {
    TRY(decode_check_words(function, "rn satfinite relu e4m3x2 e5m2x2 f32 f16x2"));
    const char *to = decode_word_among(function, "e4m3x2 e5m2x2 f32 f16x2", 0);
    const char *from = decode_word_among(function, "e4m3x2 e5m2x2 f32 f16x2", 1);
    bool widens = strcmp(to, "f16x2") == 0, single = strcmp(from, "f32") == 0;
    const char *small = widens ? from : to;
    bool e5m2 = strcmp(small, "e5m2x2") == 0;
    bool other_end = widens || single || strcmp(from, "f16x2") == 0;
    if ((!e5m2 && strcmp(small, "e4m3x2") != 0) || !other_end || !decode_has_word(function, "rn") ||
        widens == decode_has_word(function, "satfinite"))
        return unknown_form(function);
    TRY(decode_check_count(function, single ? 3 : 2, single ? 3 : 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    instr->variant = e5m2 ? SIM_FP8_E5M2 : SIM_FP8_E4M3;
    instr->type = widens ? PTX_F16X2 : PTX_B16;
    instr->type2 = widens ? PTX_B16 : single ? PTX_F32 : PTX_F16X2;
    if (decode_has_word(function, "relu")) instr->mods |= SIM_MOD_RELU;
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst));
    for (uint32_t i = 0; i < (single ? 2 : 1); i++)
        TRY(decode_read(function, decode_operand_at(function, 1 + i), (ptx_type)instr->type2,
                        &instr->src[i]));
    return SIM_OK;
}

// cvt.pack.sat.u16.s32 d, a, b;  cvt.pack.sat.u8.s32.b32 d, a, b, c;
sim_status decode_form_CVT_PACK(decode_function *function) {
    static const struct {
        const char *word;
        uint8_t bits;
        bool is_signed, takes_third;
    } rows[] = {{"u16", 16, false, false}, {"s16", 16, true, false}, {"u8", 8, false, true},
                {"s8", 8, true, true},     {"u4", 4, false, true},   {"s4", 4, true, true},
                {"u2", 2, false, true},    {"s2", 2, true, true}};
    TRY(decode_check_words(function, "pack sat u16 s16 u8 s8 u4 s4 u2 s2 s32 b32"));
    static const char types[] = "u16 s16 u8 s8 u4 s4 u2 s2 s32 b32";
    const char *to = decode_word_among(function, types, 0);
    size_t row = 0, count = sizeof rows / sizeof rows[0];
    while (row < count && strcmp(to, rows[row].word) != 0) row++;
    if (row == count || !decode_has_word(function, "sat") ||
        strcmp(decode_word_among(function, types, 1), "s32") != 0 ||
        strcmp(decode_word_among(function, types, 2), rows[row].takes_third ? "b32" : "") != 0)
        return unknown_form(function);
    uint32_t sources = rows[row].takes_third ? 3 : 2;
    TRY(decode_check_count(function, 1 + sources, 1 + sources));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    instr->variant = rows[row].bits;
    instr->type = PTX_B32;
    instr->type2 = rows[row].is_signed ? PTX_S32 : PTX_U32;
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst));
    for (uint32_t i = 0; i < sources; i++)
        TRY(decode_read_width(function, decode_operand_at(function, 1 + i), WIDTH_32,
                              &instr->src[i]));
    return SIM_OK;
}
