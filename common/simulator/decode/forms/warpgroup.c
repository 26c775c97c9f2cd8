// Instructions of a warp group, four warps in a row (PTX ISA 9.0, section 9.7.15): wgmma, its fence
// and its groups, setmaxnreg.
#include "decode/forms/forms.h"

enum { GROUP_ROWS = 64, WARP_ROWS = 16, MOST_COLUMNS = 256, OPERANDS_BEFORE_SCALES = 4 };
enum { MOST_PARTS = 2 * MOST_COLUMNS / 2 + 4 }; // d, c, and a

// ---- Words --------------------------------------------------------------------------------------

// k of a shape, and the types of its accumulators.
static const struct {
    sim_element a;
    uint16_t k;
    bool single, half; // sums of f32, f16; neither: s32
} kinds[] = {{SIM_ELEMENT_F16, 16, true, true},  {SIM_ELEMENT_BF16, 16, true, false},
             {SIM_ELEMENT_TF32, 8, true, false}, {SIM_ELEMENT_E4M3, 32, true, true},
             {SIM_ELEMENT_E5M2, 32, true, true}, {SIM_ELEMENT_S8, 32, false, false},
             {SIM_ELEMENT_U8, 32, false, false}};

static bool is_byte_float(uint8_t element) {
    return element == SIM_ELEMENT_E4M3 || element == SIM_ELEMENT_E5M2;
}
static bool is_byte_integer(uint8_t element) {
    return element == SIM_ELEMENT_S8 || element == SIM_ELEMENT_U8;
}

static bool is_kind(const sim_matrix *matrix) {
    bool pair = matrix->a == matrix->b || (is_byte_float(matrix->a) && is_byte_float(matrix->b)) ||
                (is_byte_integer(matrix->a) && is_byte_integer(matrix->b));
    for (size_t i = 0; pair && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].a != matrix->a || kinds[i].k != matrix->k) continue;
        if (matrix->d == SIM_ELEMENT_F32) return kinds[i].single;
        if (matrix->d == SIM_ELEMENT_F16) return kinds[i].half;
        return matrix->d == SIM_ELEMENT_S32 && !kinds[i].single;
    }
    return false;
}

// Integers have steps of 16 columns from 32 on, and 24.
static bool is_width(const sim_matrix *matrix) {
    uint32_t n = matrix->n;
    bool eights = n >= 8 && n <= MOST_COLUMNS && n % 8 == 0;
    return eights && (matrix->d != SIM_ELEMENT_S32 || n <= 32 || n % 16 == 0);
}

// wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
static sim_status read_words(const decode_function *function, sim_matrix *out) {
    const ptx_instruction *syntax = function->instruction;
    uint32_t m = 0, n = 0, k = 0, count = 0, counts = 0;
    sim_element types[3] = {0};
    *out = (sim_matrix){.m = WARP_ROWS};
    for (uint32_t i = 2; i < syntax->word_count; i++) {
        const char *word = syntax->words[i];
        sim_element element;
        char end, why[96];
        if (sscanf(word, "m%3un%3uk%3u%c", &m, &n, &k, &end) == 3) continue;
        if (strcmp(word, "sync") == 0 || strcmp(word, "aligned") == 0) continue;
        if (strcmp(word, "satfinite") == 0) {
            out->satfinite = true;
        } else if (strcmp(word, "and") == 0 || strcmp(word, "popc") == 0) {
            counts++;
        } else if (decode_find_element(word, &element) && count < 3) {
            types[count++] = element;
        } else {
            snprintf(why, sizeof why, "'.%s' is not known here", word);
            return decode_unknown_form(function, why);
        }
    }
    out->n = (uint16_t)n;
    out->k = (uint16_t)k;
    out->d = out->c = types[0];
    out->a = types[1];
    out->b = types[2];
    out->ands = out->a == SIM_ELEMENT_B1 && out->b == SIM_ELEMENT_B1 && k == 256;
    if (out->ands) { // bits lie as the bytes that they make up
        out->a = out->b = SIM_ELEMENT_U8;
        out->k = 32;
    }
    if (counts != (out->ands ? 2 : 0))
        return decode_unknown_form(function, ".and.popc is for single bits, and they need it");
    bool saturates = out->satfinite && (out->d != SIM_ELEMENT_S32 || out->ands);
    if (m != GROUP_ROWS || count != 3 || !is_kind(out) || !is_width(out) || saturates)
        return decode_unknown_form(function, "no such shape for these types");
    return SIM_OK;
}

// ---- Operands -----------------------------------------------------------------------------------

// Registers of an operand list, `wanted` of them, to parts.
static sim_status registers(decode_function *function, uint32_t index, uint32_t wanted,
                            bool is_write, uint32_t *parts) {
    const ptx_operand *operand = decode_operand_at(function, index);
    if (operand->kind != PTX_OPERAND_VECTOR || operand->item_count != wanted)
        return decode_operand_fail(function, operand, "a list of %u registers is wanted", wanted);
    for (uint32_t i = 0; i < wanted; i++)
        if (is_write) TRY(decode_write(function, &operand->items[i], WIDTH_32, &parts[i]));
        else TRY(decode_read_width(function, &operand->items[i], WIDTH_32, &parts[i]));
    return SIM_OK;
}

// d, a, c: accumulators are written and, once more in the list, read.
static sim_status lists(decode_function *function, sim_matrix *matrix, sim_instr *instr) {
    const ptx_operand *a = decode_operand_at(function, 1);
    uint32_t parts[MOST_PARTS], sums = sim_matrix_registers(matrix, SIM_MATRIX_D), of_a = 0;
    TRY(registers(function, 0, sums, true, parts));
    if (a->kind == PTX_OPERAND_VECTOR) {
        of_a = sim_matrix_registers(matrix, SIM_MATRIX_A);
        TRY(registers(function, 1, of_a, false, parts + sums));
    } else {
        TRY(decode_read_width(function, a, WIDTH_64, &instr->src[0]));
    }
    TRY(registers(function, 0, sums, false, parts + sums + of_a));
    matrix->registers[SIM_MATRIX_D] = matrix->registers[SIM_MATRIX_C] = (uint8_t)sums;
    matrix->registers[SIM_MATRIX_A] = (uint8_t)of_a;
    instr->vector = (uint16_t)(2 * sums + of_a);
    return decode_list(function, parts, instr->vector, &instr->list);
}

// An immediate that is one of two.
static sim_status choice(decode_function *function, uint32_t index, int64_t off, int64_t on,
                         bool *out) {
    const ptx_operand *operand = decode_operand_at(function, index);
    int64_t value = (int64_t)operand->value;
    if (operand->kind != PTX_OPERAND_INT || (value != off && value != on))
        return decode_operand_fail(function, operand, "%d or %d is wanted", (int)off, (int)on);
    *out = value == on;
    return SIM_OK;
}

// imm-scale-a, imm-scale-b of floats; imm-trans-a unless A is in registers, imm-trans-b of 16 bits.
static sim_status immediates(decode_function *function, sim_matrix *matrix) {
    bool wide = matrix->a == SIM_ELEMENT_F16 || matrix->a == SIM_ELEMENT_BF16;
    bool floats = matrix->d != SIM_ELEMENT_S32, in_registers = matrix->registers[SIM_MATRIX_A] > 0;
    uint32_t scales = floats ? 2 : 0, transposes = wide ? in_registers ? 1 : 2 : 0;
    uint32_t next = OPERANDS_BEFORE_SCALES;
    bool negated[2] = {false, false};
    TRY(decode_check_count(function, next + scales + transposes, next + scales + transposes));
    for (uint32_t i = 0; i < scales; i++) TRY(choice(function, next++, 1, -1, &negated[i]));
    for (uint32_t i = 2 - transposes; i < 2; i++)
        TRY(choice(function, next++, 0, 1, &matrix->transposed[i]));
    matrix->negated = negated[0] != negated[1];
    return SIM_OK;
}

// wgmma.mma_async.sync.aligned.shape.dtype.atype.btype d, a, b-desc, scale-d{, scale-a, scale-b{,
// trans-a, trans-b}};
sim_status decode_form_WGMMA(decode_function *function) {
    sim_matrix matrix;
    sim_instr *instr;
    bool negated;
    TRY(read_words(function, &matrix));
    TRY(decode_check_count(function, OPERANDS_BEFORE_SCALES, OPERANDS_BEFORE_SCALES + 4));
    TRY(decode_emit(function, &instr));
    TRY(lists(function, &matrix, instr));
    TRY(immediates(function, &matrix));
    TRY(decode_read_width(function, decode_operand_at(function, 2), WIDTH_64, &instr->src[1]));
    TRY(decode_read_predicate(function, decode_operand_at(function, 3), &negated, &instr->src[2]));
    if (negated) instr->mods |= SIM_MOD_PRED_NEG_C;
    instr->extra = sim_arena_copy(function->module->arena, &matrix, sizeof matrix);
    return instr->extra ? SIM_OK : decode_no_memory(function->module);
}

// wgmma.fence;  wgmma.commit_group;  wgmma.wait_group N;
sim_status decode_form_WGMMA_GROUP(decode_function *function) {
    bool waits = decode_has_word(function, "wait_group");
    sim_instr *instr;
    TRY(decode_check_words(function, "fence commit_group wait_group sync aligned"));
    TRY(decode_check_count(function, waits, waits));
    TRY(decode_emit(function, &instr));
    if (!waits) return SIM_OK;
    const ptx_operand *groups = decode_operand_at(function, 0);
    if (groups->kind != PTX_OPERAND_INT || groups->value < 0)
        return decode_operand_fail(function, groups, "a number of groups is wanted");
    // More than these are not told apart.
    instr->variant = (uint8_t)(groups->value < SIM_MOST_GROUPS ? groups->value : SIM_MOST_GROUPS);
    return decode_read_width(function, groups, WIDTH_32, &instr->src[0]);
}

// setmaxnreg.inc.sync.aligned.u32 160;
sim_status decode_form_SETMAXNREG(decode_function *function) {
    enum { LEAST = 24, MOST = 256, STEP = 8 };
    sim_instr *instr;
    TRY(decode_check_words(function, "inc dec sync aligned u32"));
    if (decode_has_word(function, "inc") == decode_has_word(function, "dec"))
        return decode_unknown_form(function, ".inc or .dec is wanted");
    TRY(decode_check_count(function, 1, 1));
    const ptx_operand *count = decode_operand_at(function, 0);
    int64_t value = (int64_t)count->value;
    if (count->kind != PTX_OPERAND_INT || value < LEAST || value > MOST || value % STEP)
        return decode_operand_fail(function, count, "a multiple of %d from %d to %d is wanted",
                                   STEP, LEAST, MOST);
    TRY(decode_emit(function, &instr));
    return decode_read_width(function, count, WIDTH_32, &instr->src[0]);
}
