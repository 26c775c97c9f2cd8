// Matrix instructions (PTX ISA 9.0, sections 9.7.14 and 9.7.15): mma, wmma, ldmatrix, stmatrix,
// movmatrix. Reads shape, layouts and types from the words and checks the numbers of registers;
// where each element lies: program/program.h.
#include "decode/forms/forms.h"

enum { MAX_REGISTERS = 64, MAX_TYPES = 4 };

// ---- Words --------------------------------------------------------------------------------------

typedef struct matrix_words {
    uint32_t m, n, k;
    sim_element types[MAX_TYPES];
    uint32_t type_count;
    bool column[2]; // layouts in their order: column-major
    uint32_t layout_count;
    ptx_space space;
    bool satfinite, ands, sparse;
    const char *kind; // of sm_120a: "f8f6f4" ..; NULL: none
    bool scaled, ue4m3, ue8m0;
    uint32_t factors; // .scale_vec; 0: none
} matrix_words;

bool decode_find_element(const char *word, sim_element *out) {
    static const char *const names[] = {
#define MATRIX_ELEMENT(id, text, bits) text,
#include "program/matrix_elements.def"
#undef MATRIX_ELEMENT
    };
    for (int i = 0; i < SIM_ELEMENT_COUNT; i++)
        if (strcmp(names[i], word) == 0) {
            *out = (sim_element)i;
            return true;
        }
    return false;
}

static bool find_space(const char *word, ptx_space *out) {
    bool shared = strcmp(word, "shared") == 0 || strcmp(word, "shared::cta") == 0;
    if (!shared && strcmp(word, "global") != 0) return false;
    *out = shared ? PTX_SPACE_SHARED : PTX_SPACE_GLOBAL;
    return true;
}

static bool is_plain_word(const char *word) {
    static const char *const plain[] = {"sync", "aligned", "load", "store", "mma", "a",
                                        "b",    "c",       "d",    "rn",    "xor", "popc"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (strcmp(plain[i], word) == 0) return true;
    return false;
}

static sim_status read_words(const decode_function *function, matrix_words *out) {
    const ptx_instruction *syntax = function->instruction;
    *out = (matrix_words){.m = 0};
    for (uint32_t i = 1; i < syntax->word_count; i++) {
        const char *word = syntax->words[i];
        bool column = strcmp(word, "col") == 0;
        sim_element element;
        char end;
        if (sscanf(word, "m%3un%3uk%3u%c", &out->m, &out->n, &out->k, &end) == 3) continue;
        if (is_plain_word(word) || find_space(word, &out->space)) continue;
        if (column || strcmp(word, "row") == 0) {
            if (out->layout_count == 2) return decode_unknown_form(function, "three layouts");
            out->column[out->layout_count++] = column;
        } else if (decode_find_element(word, &element)) {
            if (out->type_count == MAX_TYPES) return decode_unknown_form(function, "five types");
            out->types[out->type_count++] = element;
        } else if (strcmp(word, "satfinite") == 0) {
            out->satfinite = true;
        } else if (strcmp(word, "and") == 0) {
            out->ands = true;
        } else if (strcmp(word, "sp") == 0 || strcmp(word, "sp::ordered_metadata") == 0) {
            out->sparse = true;
        } else if (strncmp(word, "kind::", strlen("kind::")) == 0 && !out->kind) {
            out->kind = word + strlen("kind::");
        } else if (strcmp(word, "block_scale") == 0) {
            out->scaled = true;
        } else if (strcmp(word, "ue8m0") == 0 || strcmp(word, "ue4m3") == 0) {
            *(word[2] == '8' ? &out->ue8m0 : &out->ue4m3) = true;
        } else if (sscanf(word, "scale_vec::%1u%c", &out->factors, &end) == 2 && end == 'X') {
            continue;
        } else {
            char why[96];
            snprintf(why, sizeof why, "'.%s' is not known here", word);
            return decode_unknown_form(function, why);
        }
    }
    if (out->m == 0 || out->type_count == 0)
        return decode_unknown_form(function, "no shape or no type");
    return SIM_OK;
}

// Shapes, each with the types of A and of the accumulators.
static const struct {
    uint16_t op;
    uint8_t m, n;
    uint16_t k;
    sim_element a, c;
} shapes[] = {
#define MATRIX_SHAPE(op, m, n, k, a, c) {SIM_OP_##op, m, n, k, SIM_ELEMENT_##a, SIM_ELEMENT_##c},
#include "program/matrix_shapes.def"
#undef MATRIX_SHAPE
};

static bool is_eight_bit_integer(sim_element element) {
    return element == SIM_ELEMENT_S8 || element == SIM_ELEMENT_U8;
}
static bool is_four_bit(sim_element element) {
    return element == SIM_ELEMENT_S4 || element == SIM_ELEMENT_U4;
}
static bool is_eight_bit_float(sim_element element) {
    return element == SIM_ELEMENT_E4M3 || element == SIM_ELEMENT_E5M2;
}
// Signs and the kinds of small floats may be mixed.
static bool may_mix(sim_element x, sim_element y) {
    return x == y || (is_eight_bit_integer(x) && is_eight_bit_integer(y)) ||
           (is_four_bit(x) && is_four_bit(y)) || (is_eight_bit_float(x) && is_eight_bit_float(y));
}

static bool is_accumulator(uint8_t element) { // of f16 and 8-bit products
    return element == SIM_ELEMENT_F16 || element == SIM_ELEMENT_F32;
}

// Of a sparse A the shape is that of a dense one with half as many columns, but for some.
static bool is_shape(uint16_t op, const sim_matrix *matrix) {
    bool half = is_accumulator(matrix->c) && is_accumulator(matrix->d);
    uint32_t columns = sim_matrix_columns(matrix, SIM_MATRIX_A);
    bool small = is_eight_bit_float((sim_element)matrix->a);
    if (matrix->sparse &&
        (matrix->m != 16 || matrix->k == 256 || matrix->a == SIM_ELEMENT_F64 ||
         matrix->c != matrix->d || (small && (matrix->k == 32 || matrix->c == SIM_ELEMENT_F16))))
        return false;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (shapes[i].op != op || shapes[i].m != matrix->m || shapes[i].n != matrix->n ||
            shapes[i].k != columns || !may_mix(shapes[i].a, matrix->a) ||
            !may_mix(matrix->a, matrix->b))
            continue;
        bool same = shapes[i].c == matrix->c && shapes[i].c == matrix->d;
        bool narrow = matrix->a == SIM_ELEMENT_F16 || small;
        if (same || (half && shapes[i].c == SIM_ELEMENT_F32 && narrow)) return true;
    }
    return false;
}

// ---- Kinds of sm_120a (PTX ISA 9.1, "mma") ------------------------------------------------------

// What each kind has: factors in a row of A, k, and which types these factors may be of.
static const struct {
    const char *name;
    uint8_t factors, depth;
    bool ue8m0, ue4m3, spare; // spare: .scale_vec may be left out
} kinds[] = {{"f8f6f4", 0, 32, false, false, true},
             {"mxf8f6f4", 1, 32, true, false, true},
             {"mxf4", 2, 64, true, false, true},
             {"mxf4nvf4", 2, 64, true, false, false},
             {"mxf4nvf4", 4, 64, true, true, false}};

static sim_status read_kind(const decode_function *function, const matrix_words *words,
                            sim_matrix *matrix) {
    enum { KINDS = sizeof kinds / sizeof *kinds };
    uint32_t row = 0;
    while (row < KINDS &&
           (strcmp(kinds[row].name, words->kind) != 0 ||
            (words->factors ? words->factors != kinds[row].factors : !kinds[row].spare)))
        row++;
    if (row == KINDS) return decode_unknown_form(function, "the kind has no such factors");
    if (decode_has_word(function, "sp"))
        return decode_unknown_form(function, "with a kind it is .sp::ordered_metadata");
    bool scaled = kinds[row].factors != 0, pairs = kinds[row].depth == 64;
    if (words->scaled != scaled || scaled != (words->ue8m0 != words->ue4m3) ||
        (words->ue8m0 && !kinds[row].ue8m0) || (words->ue4m3 && !kinds[row].ue4m3) ||
        (!scaled && (words->ue8m0 || words->factors)))
        return decode_unknown_form(function, "the kind has no such factors");
    uint8_t *types[] = {&matrix->a, &matrix->b};
    for (int i = 0; i < 2; i++) {
        bool small = (*types[i] >= SIM_ELEMENT_E4M3 && *types[i] <= SIM_ELEMENT_E5M2) ||
                     (*types[i] >= SIM_ELEMENT_E2M3 && *types[i] <= SIM_ELEMENT_E2M1);
        if (!small || (pairs && *types[i] != SIM_ELEMENT_E2M1))
            return decode_unknown_form(function, "the kind has no such type of A or B");
        if (pairs) *types[i] = SIM_ELEMENT_E2M1_PAIR;
    }
    bool half = matrix->c == SIM_ELEMENT_F16 && matrix->d == SIM_ELEMENT_F16 && !scaled;
    if (!half && (matrix->c != SIM_ELEMENT_F32 || matrix->d != SIM_ELEMENT_F32))
        return decode_unknown_form(function, "the kind has no such type of C or D");
    if (matrix->m != 16 || matrix->n != 8 || matrix->k != kinds[row].depth << matrix->sparse)
        return decode_unknown_form(function, "the kind has no such shape");
    matrix->exact = true;
    matrix->factors = kinds[row].factors;
    matrix->powers = words->ue8m0;
    return SIM_OK;
}

// Of A and of B: register, {byte, lane}.
static sim_status read_factors(decode_function *function, uint32_t index, int64_t factors,
                               uint32_t *parts) {
    for (uint32_t i = 0; i < 2; i++, parts += 3) {
        const ptx_operand *selector = decode_operand_at(function, index + 2 * i + 1);
        TRY(decode_read_width(function, decode_operand_at(function, index + 2 * i), WIDTH_32,
                              &parts[0]));
        if (selector->kind != PTX_OPERAND_VECTOR || selector->item_count != 2)
            return decode_operand_fail(function, selector, "a byte and a lane are wanted: {0, 0}");
        for (uint32_t k = 0; k < 2; k++) {
            const ptx_operand *number = &selector->items[k];
            int64_t step = k ? 1 : factors, end = k && i == 0 ? 2 : 4;
            if (number->kind == PTX_OPERAND_INT &&
                (number->value < 0 || number->value >= end || number->value % step))
                return decode_operand_fail(function, number, "there are no such factors");
            TRY(decode_read(function, number, PTX_U16, &parts[1 + k]));
        }
    }
    return SIM_OK;
}

// ---- Registers ----------------------------------------------------------------------------------

// Registers of one matrix: those of an operand list, appended to `parts`.
static sim_status registers(decode_function *function, uint32_t index, sim_element element,
                            bool is_write, uint32_t wanted, uint32_t *parts, uint8_t *out_count) {
    const ptx_operand *operand = decode_operand_at(function, index);
    decode_width width = element == SIM_ELEMENT_F64 ? WIDTH_64 : WIDTH_32;
    bool is_list = operand->kind == PTX_OPERAND_VECTOR;
    uint32_t count = is_list ? operand->item_count : 1;
    // Fragments of wmma may hold everything several times.
    bool repeats = count != wanted && function->opcode->proto.op != SIM_OP_WMMA;
    if (repeats || wanted == 0 || count < wanted || count % wanted != 0 || count > 8 * wanted)
        return decode_operand_fail(function, operand, "%u registers where %u are wanted", count,
                                   wanted);
    for (uint32_t i = 0; i < count; i++) {
        const ptx_operand *item = is_list ? &operand->items[i] : operand;
        if (is_write) TRY(decode_write(function, item, width, &parts[i]));
        else TRY(decode_read_width(function, item, width, &parts[i]));
    }
    *out_count = (uint8_t)count;
    return SIM_OK;
}

static sim_status keep(decode_function *function, const sim_matrix *matrix, sim_instr *instr) {
    instr->extra = sim_arena_copy(function->module->arena, matrix, sizeof *matrix);
    return instr->extra ? SIM_OK : decode_no_memory(function->module);
}

// Metadata of a sparse A, and which lanes have them: all, two of four, or one of four.
static sim_status sparse_operands(decode_function *function, sim_matrix *matrix, uint32_t *part) {
    uint32_t bits = sim_element_bits((sim_element)matrix->a);
    int64_t choices = (bits >= 16 ? 1024 : 512) / bits / matrix->k;
    const ptx_operand *operand = decode_operand_at(function, 5);
    TRY(decode_read_width(function, decode_operand_at(function, 4), WIDTH_32, part));
    if (operand->kind != PTX_OPERAND_INT || operand->value < 0 || operand->value >= choices)
        return decode_operand_fail(function, operand, "0 to %d is wanted", (int)choices - 1);
    matrix->selector = (uint8_t)operand->value;
    return SIM_OK;
}

// d, a, b, c of mma and wmma.mma.
static sim_status multiply(decode_function *function, sim_matrix *matrix) {
    sim_instr *instr;
    uint32_t parts[4 * MAX_REGISTERS], used = 0;
    if (!matrix->exact && !is_shape(function->opcode->proto.op, matrix))
        return decode_unknown_form(function, "no such shape for these types");
    uint32_t dense = 4 + 2u * matrix->sparse, operands = dense + (matrix->factors ? 4 : 0);
    TRY(decode_check_count(function, operands, operands));
    TRY(decode_emit(function, &instr));
    static const sim_matrix_part order[] = {SIM_MATRIX_D, SIM_MATRIX_A, SIM_MATRIX_B, SIM_MATRIX_C};
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t *count = &matrix->registers[order[i]];
        uint32_t wanted = sim_matrix_registers(matrix, order[i]);
        if (used + decode_operand_at(function, i)->item_count > sizeof parts / sizeof parts[0] ||
            decode_operand_at(function, i)->item_count > MAX_REGISTERS)
            return decode_unknown_form(function, "too many registers");
        TRY(registers(function, i, sim_matrix_element(matrix, order[i]), i == 0, wanted,
                      parts + used, count));
        used += *count;
    }
    if (matrix->sparse) TRY(sparse_operands(function, matrix, &parts[used++]));
    if (matrix->factors) TRY(read_factors(function, dense, matrix->factors, &parts[used]));
    if (matrix->factors) used += 6;
    instr->vector = (uint8_t)used;
    TRY(decode_list(function, parts, used, &instr->list));
    return keep(function, matrix, instr);
}

// mma.sync.aligned.m16n8k16.row.col{.satfinite}.f32.f16.f16.f32 d, a, b, c;
sim_status decode_form_MMA(decode_function *function) {
    matrix_words words;
    TRY(read_words(function, &words));
    if (words.type_count != 4) return decode_unknown_form(function, "four types are wanted");
    if (words.layout_count != 2 || words.column[0] || !words.column[1])
        return decode_unknown_form(function, "layouts other than .row.col");
    sim_matrix matrix = {.m = (uint8_t)words.m,
                         .n = (uint8_t)words.n,
                         .k = (uint16_t)words.k,
                         .d = words.types[0],
                         .a = words.types[1],
                         .b = words.types[2],
                         .c = words.types[3],
                         .satfinite = words.satfinite,
                         .ands = words.ands,
                         .sparse = words.sparse};
    if (words.kind) TRY(read_kind(function, &words, &matrix));
    else if (words.scaled || words.factors || words.ue8m0 || words.ue4m3)
        return decode_unknown_form(function, "factors go with a kind");
    return multiply(function, &matrix);
}

// ---- wmma ---------------------------------------------------------------------------------------

// wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 d, a, b, c;  types of A and B may stand between
static sim_status wmma_multiply(decode_function *function, const matrix_words *words) {
    if (words->type_count != 2 && words->type_count != 4)
        return decode_unknown_form(function, "two or four types are wanted");
    bool has_sources = words->type_count == 4;
    sim_matrix matrix = {.m = (uint8_t)words->m,
                         .n = (uint8_t)words->n,
                         .k = (uint16_t)words->k,
                         .d = words->types[0],
                         .a = has_sources ? words->types[1] : SIM_ELEMENT_F16,
                         .b = has_sources ? words->types[2] : SIM_ELEMENT_F16,
                         .c = words->types[has_sources ? 3 : 1],
                         .satfinite = words->satfinite,
                         .ands = words->ands};
    return multiply(function, &matrix);
}

// wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 r, [p], stride;  store.d [p], r, stride;
static sim_status wmma_memory(decode_function *function, const matrix_words *words, bool loads) {
    static const char *const names[] = {"a", "b", "c", "d"};
    sim_element type = words->types[0];
    sim_matrix matrix = {.m = (uint8_t)words->m,
                         .n = (uint8_t)words->n,
                         .k = (uint16_t)words->k,
                         .a = type,
                         .b = type,
                         .c = type,
                         .d = type,
                         .column = words->column[0]};
    if (words->type_count != 1 || words->layout_count != 1)
        return decode_unknown_form(function, "one type and one layout are wanted");
    while (matrix.part < 4 && strcmp(function->instruction->words[2], names[matrix.part]) != 0)
        matrix.part++;
    if (matrix.part == 4 || (matrix.part == SIM_MATRIX_D) == loads)
        return decode_unknown_form(function, "it loads a, b or c, and stores d");
    TRY(decode_check_count(function, 2, 3));
    sim_instr *instr;
    uint32_t parts[MAX_REGISTERS];
    TRY(decode_emit(function, &instr));
    instr->op = loads ? SIM_OP_WMMA_LOAD : SIM_OP_WMMA_STORE;
    instr->space = (uint8_t)words->space;
    uint32_t list = loads ? 0 : 1;
    if (decode_operand_at(function, list)->item_count > MAX_REGISTERS)
        return decode_unknown_form(function, "too many registers");
    uint8_t *count = &matrix.registers[matrix.part];
    TRY(registers(function, list, type, loads,
                  sim_matrix_registers(&matrix, (sim_matrix_part)matrix.part), parts, count));
    TRY(decode_address(function, decode_operand_at(function, 1 - list), 0, instr));
    if (function->instruction->operand_count == 3)
        TRY(decode_read_width(function, decode_operand_at(function, 2), WIDTH_32, &instr->src[1]));
    instr->vector = *count;
    TRY(decode_list(function, parts, *count, &instr->list));
    return keep(function, &matrix, instr);
}

sim_status decode_form_WMMA(decode_function *function) {
    matrix_words words;
    if (function->instruction->word_count < 4)
        return decode_unknown_form(function, "too few words");
    TRY(read_words(function, &words));
    const char *what = function->instruction->words[1];
    if (strcmp(what, "mma") == 0) return wmma_multiply(function, &words);
    return wmma_memory(function, &words, strcmp(what, "load") == 0);
}

// ---- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------

// What ldmatrix and stmatrix move: beside halves elements that are bytes in registers.
static const struct {
    const char *needed, *spare; // words; those that may be missing
    uint16_t op;
    sim_matrix matrix; // m: rows in memory, of k bits for each element
} moves[] = {
#define MOVE(op, needed, spare, ...)                                                               \
    {                                                                                              \
        needed, spare, SIM_OP_##op, { __VA_ARGS__ }                                                \
    }
    MOVE(LDMATRIX, "m8n8 b16", "trans", .m = 8, .k = 16, .a = SIM_ELEMENT_F16),
    MOVE(STMATRIX, "m8n8 b16", "trans", .m = 8, .k = 16, .a = SIM_ELEMENT_F16),
    MOVE(LDMATRIX, "m8n16 s8 s4", "", .m = 8, .k = 4, .a = SIM_ELEMENT_S4),
    MOVE(LDMATRIX, "m8n16 b8x16 b4x16_p64", "", .m = 8, .k = 4, .a = SIM_ELEMENT_U8),
    MOVE(LDMATRIX, "m8n16 b8x16 b6x16_p32", "", .m = 8, .k = 6, .a = SIM_ELEMENT_U8),
    MOVE(LDMATRIX, "m16n16 trans b8", "", .m = 16, .k = 8, .a = SIM_ELEMENT_U8),
    MOVE(LDMATRIX, "m16n16 trans b8x16 b4x16_p64", "", .m = 16, .k = 4, .a = SIM_ELEMENT_U8),
    MOVE(LDMATRIX, "m16n16 trans b8x16 b6x16_p32", "", .m = 16, .k = 6, .a = SIM_ELEMENT_U8),
    MOVE(STMATRIX, "m16n8 trans b8", "", .m = 8, .k = 8, .a = SIM_ELEMENT_U8),
#undef MOVE
};

// ldmatrix.sync.aligned.m8n8.x4{.trans}.shared.b16 {r0, r1, r2, r3}, [a];  stmatrix [a], {...};
sim_status decode_form_LDMATRIX(decode_function *function) {
    enum { ROWS = sizeof moves / sizeof *moves };
    bool loads = function->opcode->proto.op == SIM_OP_LDMATRIX;
    uint32_t row = 0;
    char known[128];
    while (row < ROWS && (moves[row].op != function->opcode->proto.op ||
                          !decode_has_words(function->instruction, moves[row].needed)))
        row++;
    if (row == ROWS) return decode_unknown_form(function, "no such shape and types");
    snprintf(known, sizeof known, "sync aligned x1 x2 x4 shared shared::cta %s %s",
             moves[row].needed, moves[row].spare);
    TRY(decode_check_words(function, known));
    const char *first =
        decode_word_among(function, "s8 s4 b8x16 b4x16_p64 b6x16_p32", 0); // the result's type
    if (*first && strcmp(first, "s8") != 0 && strcmp(first, "b8x16") != 0)
        return decode_unknown_form(function, "elements of 4 or 6 bits become elements of 8");
    TRY(decode_check_count(function, 2, 2));
    uint32_t wanted = decode_has_word(function, "x4") ? 4 : decode_has_word(function, "x2") ? 2 : 1;
    sim_matrix matrix = moves[row].matrix;
    matrix.column = decode_has_word(function, "trans");
    wanted *= matrix.m / 8; // registers of each matrix
    sim_instr *instr;
    uint32_t parts[MAX_REGISTERS];
    const ptx_operand *list = decode_operand_at(function, loads ? 0 : 1);
    if (list->item_count > 4 || wanted > 4)
        return decode_unknown_form(function, "too many registers");
    if (list->kind != PTX_OPERAND_VECTOR)
        return decode_operand_fail(function, list, "registers in braces are wanted");
    TRY(decode_emit(function, &instr));
    if (decode_has_word(function, "shared") || decode_has_word(function, "shared::cta"))
        instr->space = PTX_SPACE_SHARED;
    uint8_t count;
    TRY(registers(function, loads ? 0 : 1, SIM_ELEMENT_F16, loads, wanted, parts, &count));
    instr->vector = count;
    if (count != wanted) return decode_unknown_form(function, "the number of registers");
    TRY(decode_address(function, decode_operand_at(function, loads ? 1 : 0),
                       matrix.a == SIM_ELEMENT_S4 ? 8 : 16, instr));
    TRY(decode_list(function, parts, wanted, &instr->list));
    return keep(function, &matrix, instr);
}

// movmatrix.sync.aligned.m8n8.trans.b16 d, a;
sim_status decode_form_MOVMATRIX(decode_function *function) {
    TRY(decode_check_words(function, "sync aligned m8n8 trans b16"));
    TRY(decode_check_count(function, 2, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst));
    return decode_read_width(function, decode_operand_at(function, 1), WIDTH_32, &instr->src[0]);
}
