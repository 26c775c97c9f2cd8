// Tensor memory (PTX ISA 9.1, section 9.7.16): its allocation, moves between it and registers, and
// what orders them.
#include "decode/forms/forms.h"

enum { MOST_REGISTERS = 128, WORDS_BYTES = 1024 };

// All words of `needed` must be there, and no other than these, those of `may` and the opcode's.
static sim_status check_words(const decode_function *function, const char *needed,
                              const char *may) {
    char known[WORDS_BYTES + 32], word[32];
    snprintf(known, sizeof known, "%s %s %s", function->instruction->words[1], needed, may);
    TRY(decode_check_words(function, known));
    for (const char *at = needed; *at; at += strspn(at, " ")) {
        size_t bytes = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)bytes, at);
        at += bytes;
        if (decode_has_word(function, word)) continue;
        snprintf(known, sizeof known, "'.%s' is missing", word);
        return decode_unknown_form(function, known);
    }
    return SIM_OK;
}

#define GROUPS "cta_group::1 cta_group::2"

// .cta_group::1 or ::2.
static sim_status read_group(const decode_function *function, uint16_t *out) {
    bool one = decode_has_word(function, "cta_group::1");
    *out = one ? 1 : 2;
    if (one != decode_has_word(function, "cta_group::2")) return SIM_OK;
    return decode_unknown_form(function, "it needs .cta_group::1 or .cta_group::2");
}

static const struct {
    const char *word, *needed, *may;
    uint32_t operands;
} operations[] = {
    [SIM_TMEM_ALLOC] = {"alloc", "sync aligned b32", GROUPS " shared::cta", 2},
    [SIM_TMEM_DEALLOC] = {"dealloc", "sync aligned b32", GROUPS, 2},
    [SIM_TMEM_RELINQUISH] = {"relinquish_alloc_permit", "sync aligned", GROUPS, 0},
    [SIM_TMEM_COMMIT] = {"commit", "mbarrier::arrive::one b64",
                         GROUPS " shared::cluster multicast::cluster", 1},
    [SIM_TMEM_WAIT_LD] = {"wait::ld", "sync aligned", "", 0},
    [SIM_TMEM_WAIT_ST] = {"wait::st", "sync aligned", "", 0},
    [SIM_TMEM_FENCE_BEFORE] = {"fence::before_thread_sync", "", "", 0},
    [SIM_TMEM_FENCE_AFTER] = {"fence::after_thread_sync", "", "", 0},
};

// tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32 [dst], columns;
// tcgen05.dealloc.cta_group.sync.aligned.b32 address, columns;
// tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64
//     [mbarrier]{, blocks};
sim_status decode_form_TMEM(decode_function *function) {
    sim_instr *instr;
    uint8_t op = 0;
    while (strcmp(operations[op].word, function->instruction->words[1]) != 0) op++;
    TRY(check_words(function, operations[op].needed, operations[op].may));
    uint32_t count = operations[op].operands + decode_has_word(function, "multicast::cluster");
    TRY(decode_check_count(function, count, count));
    TRY(decode_emit(function, &instr));
    instr->variant = op;
    if (operations[op].may[0]) TRY(read_group(function, &instr->vector));
    if (count == 0) return SIM_OK;
    if (decode_has_word(function, "shared::cta") || decode_has_word(function, "shared::cluster"))
        instr->space = PTX_SPACE_SHARED;
    const ptx_operand *first = decode_operand_at(function, 0);
    if (op == SIM_TMEM_DEALLOC) TRY(decode_read_width(function, first, WIDTH_32, &instr->src[0]));
    else TRY(decode_address(function, first, op == SIM_TMEM_COMMIT ? 8 : 4, instr));
    if (count == 1) return SIM_OK;
    const ptx_operand *second = decode_operand_at(function, 1);
    if (op == SIM_TMEM_COMMIT) return decode_read(function, second, PTX_B16, &instr->src[1]);
    uint64_t columns = (uint64_t)second->value;
    if (second->kind == PTX_OPERAND_INT &&
        (columns < 32 || columns > 512 || (columns & (columns - 1))))
        return decode_operand_fail(function, second, "a power of two from 32 to 512 is wanted");
    return decode_read_width(function, second, WIDTH_32, &instr->src[1]);
}

// ---- Moves --------------------------------------------------------------------------------------

static const struct {
    const char *word;
    uint32_t registers; // of .x1
} shapes[] = {
    [SIM_TMEM_32X32] = {"32x32b", 1},     [SIM_TMEM_16X64] = {"16x64b", 1},
    [SIM_TMEM_16X128] = {"16x128b", 2},   [SIM_TMEM_16X256] = {"16x256b", 4},
    [SIM_TMEM_16X32X2] = {"16x32bx2", 1},
};
#define SHAPES  "32x32b 16x64b 16x128b 16x256b 16x32bx2"
#define NUMBERS "x1 x2 x4 x8 x16 x32 x64 x128"

// An address in tensor memory: [register + columns].
static sim_status address(decode_function *function, const ptx_operand *operand, sim_instr *instr) {
    TRY(decode_address(function, operand, 0, instr));
    if (instr->mods & SIM_MOD_ADDRESS32) return SIM_OK;
    return decode_operand_fail(function, operand, "addresses of tensor memory have 32 bits");
}

// The columns from the first half of 16x32bx2 to the second.
static sim_status second_half(decode_function *function, uint32_t index, uint16_t *out) {
    const ptx_operand *operand = decode_operand_at(function, index);
    if (operand->kind != PTX_OPERAND_INT || operand->value < 0 || operand->value > UINT16_MAX)
        return decode_operand_fail(function, operand, "a constant number of columns is wanted");
    *out = (uint16_t)operand->value;
    return SIM_OK;
}

// What .red reduces the registers of a thread to.
static sim_status read_reduction(const decode_function *function, sim_tmem_move *move) {
    bool least = decode_has_word(function, "min"), floats = decode_has_word(function, "f32");
    const char *type = decode_word_among(function, "f32 u32 s32", 0);
    TRY(check_words(function, "sync aligned red",
                    "32x32b 16x32bx2 " NUMBERS " min max abs NaN f32 u32 s32"));
    move->least = least;
    move->magnitudes = decode_has_word(function, "abs");
    move->keeps_nan = decode_has_word(function, "NaN");
    move->reduced = floats ? PTX_F32 : *type == 'u' ? PTX_U32 : PTX_S32;
    if (!*type || *decode_word_among(function, "f32 u32 s32", 1) ||
        least == decode_has_word(function, "max"))
        return decode_unknown_form(function, "it needs one type, and .min or .max");
    if (!floats && (move->magnitudes || move->keeps_nan))
        return decode_unknown_form(function, ".abs and .NaN are of .f32");
    if (decode_has_word(function, "x1"))
        return decode_unknown_form(function, ".red needs .x2 or more");
    return SIM_OK;
}

// tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 list, [address]{, second half};
// tcgen05.ld.red.sync.aligned.shape.num.min{.abs}{.NaN}.f32 list, kept, [address]{, second half};
// tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [address],{ second half,} list;
sim_status decode_form_TMEM_MOVE(decode_function *function) {
    bool loads = function->opcode->proto.op == SIM_OP_TMEM_LD;
    bool reduces = loads && decode_has_word(function, "red");
    const char *halves = loads ? "pack::16b" : "unpack::16b";
    uint32_t parts[MOST_REGISTERS], number;
    char may[WORDS_BYTES];
    sim_instr *instr;
    sim_tmem_move move = {.halves = decode_has_word(function, halves)};
    snprintf(may, sizeof may, SHAPES " " NUMBERS " %s", halves);
    if (reduces) TRY(read_reduction(function, &move));
    else TRY(check_words(function, "sync aligned b32", may));
    const char *shape = decode_word_among(function, SHAPES, 0);
    while (move.shape < SIM_TMEM_16X32X2 && strcmp(shapes[move.shape].word, shape) != 0)
        move.shape++;
    if (!*shape || sscanf(decode_word_among(function, NUMBERS, 0), "x%u", &number) != 1)
        return decode_unknown_form(function, "the shape or the number is missing");
    number *= shapes[move.shape].registers;
    if (number > MOST_REGISTERS)
        return decode_unknown_form(function, "more than 128 registers for each lane");
    bool split = move.shape == SIM_TMEM_16X32X2;
    TRY(decode_check_count(function, 2 + split + reduces, 2 + split + reduces));
    const ptx_operand *list = decode_operand_at(function, loads ? 0 : 1 + split);
    TRY(decode_emit(function, &instr));
    TRY(address(function, decode_operand_at(function, loads + reduces), instr));
    if (split) TRY(second_half(function, loads ? 2 + reduces : 1, &move.second));
    if (reduces) TRY(decode_write(function, decode_operand_at(function, 1), WIDTH_32, &instr->dst));
    if (list->kind != PTX_OPERAND_VECTOR || list->item_count != number)
        return decode_operand_fail(function, list, "a list of %u registers is wanted", number);
    for (uint32_t i = 0; i < number; i++)
        if (loads) TRY(decode_write(function, &list->items[i], WIDTH_32, &parts[i]));
        else TRY(decode_read_width(function, &list->items[i], WIDTH_32, &parts[i]));
    instr->vector = (uint16_t)number;
    instr->extra = sim_arena_copy(function->module->arena, &move, sizeof move);
    if (!instr->extra) return decode_no_memory(function->module);
    return decode_list(function, parts, number, &instr->list);
}

// ---- Products -----------------------------------------------------------------------------------

// Where A lies, its displacement in `target`.
static sim_status read_a(decode_function *function, const sim_tmem_product *product,
                         sim_instr *instr) {
    const ptx_operand *a = decode_operand_at(function, 1);
    sim_instr at = *instr;
    if (!product->a_in_tmem) return decode_read_width(function, a, WIDTH_64, &instr->src[1]);
    TRY(address(function, a, &at));
    instr->src[1] = at.src[0];
    instr->target = (uint32_t)at.offset;
    return SIM_OK;
}

// Another part of the list: an address in tensor memory.
static sim_status read_address(decode_function *function, uint32_t index, sim_instr *instr,
                               uint32_t *parts, uint32_t *out_displacement) {
    sim_instr at = *instr;
    TRY(address(function, decode_operand_at(function, index), &at));
    parts[instr->vector++] = at.src[0];
    *out_displacement = (uint32_t)at.offset;
    return SIM_OK;
}

// The list of a product (program/instr.h). descriptor: which operand the instruction descriptor is;
// masks, zeros: operands, or NULL.
static sim_status read_list(decode_function *function, uint32_t descriptor,
                            const ptx_operand *masks, const ptx_operand *zeros,
                            sim_tmem_product *product, sim_instr *instr) {
    uint32_t parts[1 + 1 + 8 + 1], count = 4u * product->blocks;
    TRY(decode_read_width(function, decode_operand_at(function, 2), WIDTH_64, &parts[0]));
    instr->vector = 1;
    if (product->sparse)
        TRY(read_address(function, descriptor - 1, instr, parts, &product->metadata_at));
    for (uint32_t i = 0; product->factors && i < 2; i++)
        TRY(read_address(function, descriptor + 1 + i, instr, parts, &product->factors_at[i]));
    if (masks && masks->item_count != count)
        return decode_operand_fail(function, masks, "a list of %u masks is wanted", count);
    product->masks = (uint8_t)(masks ? count : 0);
    for (uint32_t i = 0; i < product->masks; i++)
        TRY(decode_read_width(function, &masks->items[i], WIDTH_32, &parts[instr->vector++]));
    product->zeros = (uint8_t)(zeros ? instr->vector : 0);
    if (zeros) TRY(decode_read_width(function, zeros, WIDTH_64, &parts[instr->vector++]));
    return decode_list(function, parts, instr->vector, &instr->list);
}

#define FACTORS "scale_vec::1X scale_vec::2X scale_vec::4X block32 block16"

// How many factors along k the words ask for.
static sim_status read_factors(const decode_function *function, sim_tmem_product *product) {
    // By kind from MXF8F6F4 on: what each word of FACTORS and none of them mean; 0: refused.
    static const uint8_t counts[][6] = {{1, 0, 0, 1, 0, 1}, {0, 2, 0, 2, 0, 2}, {0, 2, 4, 2, 4, 0}};
    static const char *const words[] = {"scale_vec::1X", "scale_vec::2X", "scale_vec::4X",
                                        "block32", "block16"};
    uint32_t word = 0;
    bool scaled = decode_has_word(function, "block_scale");
    while (word < 5 && !decode_has_word(function, words[word])) word++;
    if (scaled != (product->kind >= SIM_TMEM_MXF8F6F4) || (word < 5 && !scaled))
        return decode_unknown_form(function, ".block_scale goes with the kinds that have factors");
    if (!scaled) return SIM_OK;
    product->factors = counts[product->kind - SIM_TMEM_MXF8F6F4][word];
    return product->factors ? SIM_OK
                            : decode_unknown_form(function, "the kind has no such factors");
}

#define COLLECTOR(buffer)                                                                          \
    " collector::" buffer "::fill collector::" buffer "::use collector::" buffer                   \
    "::lastuse collector::" buffer "::discard"
#define COLLECTORS_OF_B COLLECTOR("b0") COLLECTOR("b1") COLLECTOR("b2") COLLECTOR("b3")

// .ws, .sp and .ashift, and which buffers they have.
static sim_status read_way(decode_function *function, sim_tmem_product *product) {
    bool keeps = product->keeps_b = decode_has_word(function, "ws");
    product->sparse = decode_has_word(function, "sp");
    product->shifts = decode_has_word(function, "ashift");
    bool held = decode_has_word(function, "collector::a::fill") ||
                decode_has_word(function, "collector::a::use");
    const char *wrong = NULL;
    if (keeps && (product->blocks > 1 || product->kind >= SIM_TMEM_MXF8F6F4))
        wrong = ".ws is of one block, and not of block-scaled kinds";
    if (*(keeps ? decode_word_among(function, COLLECTOR("a"), 0)
                : decode_word_among(function, COLLECTORS_OF_B, 0)))
        wrong = "buffers of B go with .ws, that of A without";
    if (product->shifts && (keeps || held || !product->a_in_tmem || product->factors))
        wrong = ".ashift is of A in tensor memory, without .ws, .block_scale and a buffer that "
                "holds A";
    return wrong ? decode_unknown_form(function, wrong) : SIM_OK;
}

// Whether `scale` may divide D, which later families have not.
static sim_status read_scale(decode_function *function, const ptx_operand *scale,
                             sim_tmem_product *product) {
    uint32_t target = function->module->syntax->target;
    bool known = product->kind == SIM_TMEM_F16 || product->kind == SIM_TMEM_TF32;
    if (!known || scale->kind != PTX_OPERAND_INT || scale->value < 0 || scale->value > 15)
        return decode_operand_fail(function, scale,
                                   "a constant from 0 to 15, of .kind::f16 or .kind::tf32");
    if (target == 101 || target == 110)
        return decode_operand_fail(function, scale, "D is scaled on sm_100a and sm_103a alone");
    product->scale = (uint8_t)scale->value;
    return SIM_OK;
}

// tcgen05.mma{.sp}.cta_group.kind{.ashift}{.collector} [d], a or [a], b,{ [metadata],} instruction
// descriptor,{ {masks},} p{, scale};   with factors: .., instruction descriptor, [factors of a],
// [of b], p;   .ws: .., p{, zero columns};   Collectors are buffers of A or B, which change no
// result.
sim_status decode_form_TMEM_MMA(decode_function *function) {
    static const char *const kinds[] = {
        [SIM_TMEM_F16] = "kind::f16",           [SIM_TMEM_TF32] = "kind::tf32",
        [SIM_TMEM_F8F6F4] = "kind::f8f6f4",     [SIM_TMEM_I8] = "kind::i8",
        [SIM_TMEM_MXF8F6F4] = "kind::mxf8f6f4", [SIM_TMEM_MXF4] = "kind::mxf4",
        [SIM_TMEM_MXF4NVF4] = "kind::mxf4nvf4"};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    sim_tmem_product product = {0};
    sim_instr *instr;
    uint16_t blocks;
    bool negated;
    TRY(check_words(
        function, "",
        GROUPS " ws sp ashift kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 "
               "kind::mxf4 kind::mxf4nvf4 block_scale " FACTORS COLLECTOR("a") COLLECTORS_OF_B));
    TRY(read_group(function, &blocks));
    product.blocks = (uint8_t)blocks;
    while (product.kind < KINDS && !decode_has_word(function, kinds[product.kind])) product.kind++;
    if (product.kind == KINDS) return decode_unknown_form(function, "it needs a kind");
    TRY(read_factors(function, &product));
    uint32_t descriptor = 3 + decode_has_word(function, "sp"), next = descriptor + 1;
    uint32_t count = function->instruction->operand_count;
    TRY(decode_check_count(function, next + 1, next + 3));
    const ptx_operand *masks = decode_operand_at(function, next), *last = NULL;
    product.a_in_tmem = decode_operand_at(function, 1)->kind == PTX_OPERAND_ADDRESS;
    TRY(read_way(function, &product));
    if (product.factors || product.keeps_b || masks->kind != PTX_OPERAND_VECTOR) masks = NULL;
    next += masks ? 1 : product.factors ? 2 : 0;
    TRY(decode_check_count(function, next + 1, next + (product.factors ? 1 : 2)));
    if (next + 1 < count) last = decode_operand_at(function, next + 1);
    TRY(decode_emit(function, &instr));
    TRY(address(function, decode_operand_at(function, 0), instr));
    TRY(read_a(function, &product, instr));
    TRY(read_list(function, descriptor, masks, product.keeps_b ? last : NULL, &product, instr));
    TRY(decode_read_width(function, decode_operand_at(function, descriptor), WIDTH_32,
                          &instr->src[3]));
    TRY(decode_read_predicate(function, decode_operand_at(function, next), &negated,
                              &instr->src[2]));
    if (negated) instr->mods |= SIM_MOD_PRED_NEG_C;
    if (last && !product.keeps_b) TRY(read_scale(function, last, &product));
    instr->extra = sim_arena_copy(function->module->arena, &product, sizeof product);
    return instr->extra ? SIM_OK : decode_no_memory(function->module);
}

// ---- Copies -------------------------------------------------------------------------------------

// tcgen05.cp.cta_group.shape{.multicast}{.b8x16.format} [address], descriptor;
#define FORMATS "b8x16 b6x16_p32 b4x16_p64"
sim_status decode_form_TMEM_CP(decode_function *function) {
    static const struct {
        const char *shape, *multicast;
        sim_tmem_product copy;
    } rows[] = {{"128x256b", "", {.rows = 128, .columns = 8}},
                {"4x256b", "", {.rows = 4, .columns = 8}},
                {"128x128b", "", {.rows = 128, .columns = 4}},
                {"64x128b", "warpx2::02_13", {.rows = 64, .columns = 4}},
                {"64x128b", "warpx2::01_23", {.rows = 64, .columns = 4, .to_neighbours = true}},
                {"32x128b", "warpx4", {.rows = 32, .columns = 4}}};
    enum { ROWS = sizeof rows / sizeof *rows };
    const char *multicast = decode_word_among(function, "warpx2::02_13 warpx2::01_23 warpx4", 0);
    const char *to = decode_word_among(function, FORMATS, 0);
    const char *from = decode_word_among(function, FORMATS, 1);
    uint32_t row = 0;
    sim_instr *instr;
    uint16_t blocks;
    TRY(check_words(
        function, "",
        GROUPS
        " 128x256b 4x256b 128x128b 64x128b 32x128b warpx2::02_13 warpx2::01_23 warpx4 " FORMATS));
    TRY(read_group(function, &blocks));
    while (row < ROWS && !(decode_has_word(function, rows[row].shape) &&
                           strcmp(rows[row].multicast, multicast) == 0))
        row++;
    if (row == ROWS) return decode_unknown_form(function, "no such shape for these warps");
    sim_tmem_product copy = rows[row].copy;
    copy.blocks = (uint8_t)blocks;
    if (strcmp(to, "b8x16") == 0 && *from) copy.packed = (uint8_t)(from[1] - '0');
    if ((*to && copy.packed != 4 && copy.packed != 6) || *decode_word_among(function, FORMATS, 2))
        return decode_unknown_form(function, ".b8x16 and one packed format behind it go together");
    TRY(decode_check_count(function, 2, 2));
    TRY(decode_emit(function, &instr));
    TRY(address(function, decode_operand_at(function, 0), instr));
    TRY(decode_read_width(function, decode_operand_at(function, 1), WIDTH_64, &instr->src[1]));
    instr->extra = sim_arena_copy(function->module->arena, &copy, sizeof copy);
    return instr->extra ? SIM_OK : decode_no_memory(function->module);
}

// tcgen05.shift.cta_group.down [address];
sim_status decode_form_TMEM_SHIFT(decode_function *function) {
    enum { COLUMNS = 8 };
    sim_tmem_product shift = {.columns = COLUMNS};
    sim_instr *instr;
    uint16_t blocks;
    TRY(check_words(function, "down", GROUPS));
    TRY(read_group(function, &blocks));
    shift.blocks = (uint8_t)blocks;
    TRY(decode_check_count(function, 1, 1));
    TRY(decode_emit(function, &instr));
    TRY(address(function, decode_operand_at(function, 0), instr));
    instr->extra = sim_arena_copy(function->module->arena, &shift, sizeof shift);
    return instr->extra ? SIM_OK : decode_no_memory(function->module);
}
