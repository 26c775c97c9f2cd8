// Video instructions (PTX ISA 9.0, sections 9.7.17 and 9.7.18): types, modifiers, and the selectors
// behind registers (%r1.b0, %r2.h32) that say which parts of operands are meant. See
// program/fpmath.h.
#include "decode/forms/forms.h"
#include "program/fpmath.h"

static const struct {
    const char *text;
    sim_video_op operation;
    uint8_t elements;
} opcodes[] = {
#define VIDEO_OPCODE(text, operation, elements) {text, SIM_VIDEO_##operation, elements},
#include "decode/instruction/video_opcodes.def"
#undef VIDEO_OPCODE
};

// ---- Words --------------------------------------------------------------------------------------

static bool find_compare(const char *word, sim_compare *out) {
    static const struct {
        const char *text;
        sim_compare compare;
    } rows[] = {{"eq", SIM_CMP_EQ}, {"ne", SIM_CMP_NE}, {"lt", SIM_CMP_LT},
                {"le", SIM_CMP_LE}, {"gt", SIM_CMP_GT}, {"ge", SIM_CMP_GE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].text, word) == 0) {
            *out = rows[i].compare;
            return true;
        }
    return false;
}

// A word that is no type. SIMD forms have one way to accumulate, and vset alone compares.
static bool read_modifier(const char *word, sim_video *video) {
    bool scalar = video->elements == 1, shifts = video->operation == SIM_VIDEO_SHL;
    bool mad = video->operation == SIM_VIDEO_MAD, set = video->operation == SIM_VIDEO_SET;
    shifts = shifts || video->operation == SIM_VIDEO_SHR;
    if (!set && strcmp(word, "sat") == 0) return video->saturates = true;
    if (!mad && strcmp(word, "add") == 0) return video->second = SIM_VIDEO_PLUS, true;
    if (scalar && !mad && strcmp(word, "min") == 0) return video->second = SIM_VIDEO_LEAST, true;
    if (scalar && !mad && strcmp(word, "max") == 0) return video->second = SIM_VIDEO_GREATEST, true;
    if (shifts && strcmp(word, "clamp") == 0) return true;
    if (shifts && strcmp(word, "wrap") == 0) return video->wraps = true;
    if (mad && strcmp(word, "po") == 0) return video->plus_one = true;
    if (mad && strcmp(word, "shr7") == 0) return video->shift = 7, true;
    if (mad && strcmp(word, "shr15") == 0) return video->shift = 15, true;
    return set && find_compare(word, &video->compare);
}

// dtype.atype.btype; vset has no dtype, and its result counts as unsigned.
static sim_status read_words(const decode_function *function, sim_video *video) {
    const ptx_instruction *syntax = function->instruction;
    bool *const signs[] = {&video->is_signed, &video->a.is_signed, &video->b.is_signed};
    uint32_t next = video->operation == SIM_VIDEO_SET ? 1 : 0;
    for (uint32_t i = 1; i < syntax->word_count; i++) {
        const char *word = syntax->words[i];
        bool is_signed = strcmp(word, "s32") == 0;
        if (is_signed || strcmp(word, "u32") == 0) {
            if (next == 3) return decode_unknown_form(function, "too many types");
            *signs[next++] = is_signed;
        } else if (!read_modifier(word, video)) {
            return decode_unknown_form(function, word);
        }
    }
    return next == 3 ? SIM_OK : decode_unknown_form(function, "a type is missing");
}

// ---- Operands -----------------------------------------------------------------------------------

// The register of an operand without its selector, which goes to *out_selector ("" when absent).
static sim_status split(decode_function *function, const ptx_operand *operand,
                        ptx_operand *out_register, const char **out_selector) {
    *out_register = *operand;
    *out_selector = "";
    const char *dot = operand->kind == PTX_OPERAND_NAME ? strrchr(operand->name, '.') : NULL;
    if (!dot || (dot[1] != 'b' && dot[1] != 'h') || !isdigit((unsigned char)dot[2])) return SIM_OK;
    char *name = sim_arena_copy(function->scratch, operand->name, strlen(operand->name) + 1);
    if (!name) return decode_no_memory(function->module);
    name[dot - operand->name] = '\0';
    out_register->name = name;
    *out_selector = dot + 1;
    return SIM_OK;
}

// Places of a selector's digits, the last one first: ".b3210" is {0, 8, 16, 24}. False: not one.
static bool read_places(const char *selector, uint32_t least, uint32_t most, char limit,
                        uint8_t places[SIM_VIDEO_ELEMENTS], uint32_t *out_count) {
    uint8_t bits = selector[0] == 'b' ? 8 : 16;
    uint32_t count = (uint32_t)strlen(selector) - 1;
    if (count < least || count > most) return false;
    for (uint32_t i = 0; i < count; i++) {
        char digit = selector[count - i];
        if (digit < '0' || digit > limit) return false;
        places[i] = (uint8_t)((digit - '0') * bits);
    }
    *out_count = count;
    return true;
}

// Which part of a scalar operand: a byte, a half, or by default the whole.
static bool scalar_part(const char *selector, uint8_t *out_bits, uint8_t *out_place) {
    uint8_t places[SIM_VIDEO_ELEMENTS] = {0};
    uint32_t count;
    *out_bits = *selector == '\0' ? 32 : *selector == 'b' ? 8 : 16;
    *out_place = 0;
    if (*selector == '\0') return true;
    if (!read_places(selector, 1, 1, *selector == 'b' ? '3' : '1', places, &count)) return false;
    *out_place = places[0];
    return true;
}

static sim_status select_source(decode_function *function, const char *selector, bool is_b,
                                const sim_video *video, sim_video_source *out) {
    uint8_t base = is_b ? 32 : 0, place;
    if (video->elements == 1) {
        if (!scalar_part(selector, &out->bits, &place))
            return decode_unknown_form(function, selector);
        out->from[0] = (uint8_t)(base + place);
        return SIM_OK;
    }
    uint32_t count;
    out->bits = 32 / video->elements;
    for (uint32_t i = 0; i < SIM_VIDEO_ELEMENTS; i++)
        out->from[i] = (uint8_t)(base + i * out->bits);
    if (*selector == '\0') return SIM_OK;
    char letter = video->elements == 2 ? 'h' : 'b', limit = video->elements == 2 ? '3' : '7';
    if (*selector != letter ||
        !read_places(selector, video->elements, video->elements, limit, out->from, &count))
        return decode_unknown_form(function, selector);
    return SIM_OK;
}

static sim_status select_result(decode_function *function, const char *selector, sim_video *video) {
    uint8_t places[SIM_VIDEO_ELEMENTS];
    uint32_t count;
    if (video->elements == 1) {
        video->mask = 1;
        if (!scalar_part(selector, &video->bits, &video->to[0]))
            return decode_unknown_form(function, selector);
        return SIM_OK;
    }
    video->bits = 32 / video->elements;
    video->mask = (uint8_t)((1u << video->elements) - 1);
    for (uint32_t i = 0; i < SIM_VIDEO_ELEMENTS; i++) video->to[i] = (uint8_t)(i * video->bits);
    if (*selector == '\0') return SIM_OK;
    char letter = video->elements == 2 ? 'h' : 'b', limit = video->elements == 2 ? '1' : '3';
    if (*selector != letter || !read_places(selector, 1, video->elements, limit, places, &count))
        return decode_unknown_form(function, selector);
    video->mask = 0;
    for (uint32_t i = 0; i < count; i++) video->mask |= (uint8_t)(1u << (places[i] / video->bits));
    return SIM_OK;
}

static sim_status read_source(decode_function *function, uint32_t index, sim_video *video,
                              uint32_t *out_slot) {
    const ptx_operand *operand = decode_operand_at(function, index);
    ptx_operand plain;
    const char *selector;
    sim_video_source *source = index == 2 ? &video->b : &video->a;
    TRY(split(function, operand, &plain, &selector));
    TRY(select_source(function, selector, index == 2, video, source));
    source->negated = operand->minus;
    return decode_read_width(function, &plain, WIDTH_32, out_slot);
}

// vadd.u32.u32.s32.sat.add d, a.b0, b.h1, c;  vmin2.s32.s32.s32 d.h0, a.h10, b.h32, c;
sim_status decode_form_VIDEO(decode_function *function) {
    sim_video video = {.elements = 0};
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
        if (strcmp(opcodes[i].text, function->instruction->words[0]) == 0) {
            video.operation = opcodes[i].operation;
            video.elements = opcodes[i].elements;
        }
    TRY(read_words(function, &video));
    ptx_operand result;
    const char *selector;
    TRY(decode_check_count(function, 3, 4));
    TRY(split(function, decode_operand_at(function, 0), &result, &selector));
    TRY(select_result(function, selector, &video));
    bool needs_c = video.elements > 1 || video.second != SIM_VIDEO_MERGE || *selector != '\0' ||
                   video.operation == SIM_VIDEO_MAD;
    uint32_t count = needs_c ? 4 : 3;
    TRY(decode_check_count(function, count, count));
    if (video.elements == 1 && video.second != SIM_VIDEO_MERGE && *selector != '\0')
        return decode_unknown_form(function, "a selector and a second operation");
    if (video.second != SIM_VIDEO_MERGE && video.saturates && video.elements > 1)
        return decode_unknown_form(function, "saturation and accumulation");
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    instr->type = video.is_signed ? PTX_S32 : PTX_U32;
    TRY(decode_write(function, &result, WIDTH_32, &instr->dst));
    for (uint32_t i = 0; i < 2; i++) TRY(read_source(function, 1 + i, &video, &instr->src[i]));
    if (needs_c) {
        const ptx_operand *c = decode_operand_at(function, 3);
        TRY(decode_read_width(function, c, WIDTH_32, &instr->src[2]));
        video.c_negated = c->minus;
    }
    bool negates = video.a.negated || video.b.negated || video.c_negated;
    if (result.minus || (negates && (video.operation != SIM_VIDEO_MAD || video.plus_one)))
        return decode_unknown_form(function, "an operand is negated");
    instr->extra = sim_arena_copy(function->module->arena, &video, sizeof video);
    return instr->extra ? SIM_OK : decode_no_memory(function->module);
}
