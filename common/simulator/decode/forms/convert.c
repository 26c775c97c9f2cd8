// Conversions to and from 8-bit floats, and cvt.pack (PTX ISA 9.0, section 9.7.9): types that no
// register has, so their forms read the words themselves.
#include "decode/forms/forms.h"

static sim_status unknown_form(const decode_function *function) {
    return decode_fail(function->module, function->instruction->place, SIM_UNSUPPORTED,
                       "the simulator does not have '%s': this combination of types and modifiers "
                       "is not one it knows",
                       function->instruction->opcode);
}

// Types that `word` names: small floats, and how many of them.
static bool find_small(const char *word, sim_small *out, uint32_t *out_count) {
    static const char *const names[] = {"e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t bytes = strlen(names[i]);
        if (strncmp(word, names[i], bytes) != 0) continue;
        *out = (sim_small)i;
        return sscanf(word + bytes, "x%u", out_count) == 1;
    }
    return false;
}

// cvt.rn.satfinite{.relu}.e4m3x2.f32 d, a, b;  .e4m3x2.f16x2 d, a;  the same of e5m2, e2m3, e3m2
// and e2m1; cvt.rz.ue8m0x2.f32 and .bf16x2, or .rp, {.satfinite};
// cvt.rn{.relu}.f16x2.e4m3x2 d, a;  cvt.rn{.relu}{.satfinite}.bf16x2.e4m3x2 d, a;  and .ue8m0x2;
// cvt.rs.satfinite{.relu}.e4m3x4.f32 d, {a, b, e, f}, bits;  cvt.rs{.relu}{.satfinite}.f16x2.f32 d,
// a, b, bits;  and .bf16x2
sim_status decode_form_CVT_SMALL(decode_function *function) {
    static const char types[] = "e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2 e4m3x4 e5m2x4 e2m3x4 "
                                "e3m2x4 e2m1x4 f32 f16x2 bf16x2";
    char words[sizeof types + 32];
    snprintf(words, sizeof words, "rn rz rp rs satfinite relu %s", types);
    TRY(decode_check_words(function, words));
    ptx_type to = ptx_type_find(decode_word_among(function, types, 0));
    ptx_type from = ptx_type_find(decode_word_among(function, types, 1));
    bool noisy = decode_has_word(function, "rs"), finite = decode_has_word(function, "satfinite");
    bool relu = decode_has_word(function, "relu"), nearest = decode_has_word(function, "rn");
    bool up = decode_has_word(function, "rp"), zero = decode_has_word(function, "rz");
    sim_small small = SIM_SMALL_E4M3;
    uint32_t count = 2;
    bool narrows = find_small(decode_word_among(function, types, 0), &small, &count);
    bool widens = !narrows && find_small(decode_word_among(function, types, 1), &small, &count);
    bool power = small == SIM_SMALL_UE8M0, four = count == 4, known = false;
    bool halves = from == PTX_F16X2 || from == PTX_BF16X2, to_bf16 = to == PTX_BF16X2;
    if (four) known = narrows && noisy && finite && from == PTX_F32;
    else if (narrows && power)
        known = (up || zero) && !relu && (from == PTX_F32 || from == PTX_BF16X2);
    else if (narrows) known = nearest && finite && (from == PTX_F32 || halves);
    else if (widens && power) known = nearest && !finite && !relu && to_bf16;
    else if (widens) known = nearest && (to_bf16 || (to == PTX_F16X2 && !finite));
    else known = noisy && from == PTX_F32 && (to == PTX_F16X2 || to_bf16);
    if (!known || nearest + noisy + up + zero != 1) return unknown_form(function);
    uint32_t sources = four ? 4 : from == PTX_F32 ? 2 : 1, parts[5];
    uint32_t operands = 1 + (four ? 1 : sources) + noisy;
    TRY(decode_check_count(function, operands, operands));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    instr->variant = (uint8_t)small;
    instr->type = (uint8_t)(!narrows ? to : four ? PTX_B32 : PTX_B16);
    instr->type2 = (uint8_t)(widens ? PTX_B16 : from);
    instr->rounding = up ? SIM_ROUND_RP : zero || noisy ? SIM_ROUND_RZ : SIM_ROUND_RN;
    if (relu) instr->mods |= SIM_MOD_RELU;
    if (finite) instr->mods |= SIM_MOD_SATFINITE;
    const ptx_operand *result = decode_operand_at(function, 0),
                      *list = decode_operand_at(function, 1);
    bool byte = small == SIM_SMALL_E2M1 && !four; // two elements in one
    if (byte && narrows) TRY(decode_write_type(function, result, PTX_B8, &instr->dst));
    else TRY(decode_write(function, result, WIDTH_32, &instr->dst));
    if (four && (list->kind != PTX_OPERAND_VECTOR || list->item_count != 4))
        return decode_operand_fail(function, list, "a list of four floats is wanted");
    for (uint32_t i = 0; i < sources; i++)
        TRY(decode_read(function, four ? &list->items[i] : decode_operand_at(function, 1 + i),
                        byte && widens ? PTX_B8 : (ptx_type)instr->type2,
                        noisy ? &parts[i] : &instr->src[i]));
    if (!noisy) return SIM_OK;
    TRY(decode_read_width(function, decode_operand_at(function, operands - 1), WIDTH_32,
                          &parts[sources]));
    instr->vector = (uint16_t)(sources + 1);
    return decode_list(function, parts, sources + 1, &instr->list);
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
