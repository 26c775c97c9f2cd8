// One line of text for a decoded instruction: PTX's opcode, then slots. r384 is the register slot
// at byte 384 of the frame, p3 the predicate word at byte 12, #5 a constant; [r128+8] an address.
// For dumps and messages.
#include "program/ir.h"

enum { LINE_BYTES = 4096 };

typedef struct printer {
    const sim_function *function;
    char *out;
    size_t bytes, used;
    bool has_operand;
} printer;

static void put(printer *print, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(printer *print, const char *format, ...) {
    if (print->used >= print->bytes) return;
    va_list arguments;
    va_start(arguments, format);
    int written =
        vsnprintf(print->out + print->used, print->bytes - print->used, format, arguments);
    va_end(arguments);
    if (written > 0) print->used += (size_t)written;
}

// ---- Opcode -------------------------------------------------------------------------------------

static const char *const opcode_texts[SIM_OP_COUNT] = {
#define SIM_OP(id, opcode, ...) opcode,
#include "program/ops.def"
#undef SIM_OP
};

static const char *const small_texts[] = {"cvt.e4m3x2", "cvt.e5m2x2", "cvt.e2m3x2",
                                          "cvt.e3m2x2", "cvt.e2m1x2", "cvt.ue8m0x2"};

static const char *opcode_text(const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_PACK: return "mov.pack";
    case SIM_OP_UNPACK: return "mov.unpack";
    case SIM_OP_VIDEO: return "video";
    case SIM_OP_SREG: return "mov.special";
    case SIM_OP_NOP: return "nop";
    case SIM_OP_CVT_SMALL: return small_texts[instr->variant];
    case SIM_OP_WMMA_LOAD: return "wmma.load";
    case SIM_OP_WMMA_STORE: return "wmma.store";
    default: return opcode_texts[instr->op];
    }
}

static void put_word(printer *print, const char *const *texts, uint32_t count, uint32_t index) {
    if (index < count && texts[index][0]) put(print, ".%s", texts[index]);
}
#define PUT_WORD(print, index, ...)                                                                \
    do {                                                                                           \
        static const char *const texts_[] = {__VA_ARGS__};                                         \
        put_word(print, texts_, sizeof texts_ / sizeof texts_[0], index);                          \
    } while (0)

static void put_matrix(printer *print, const sim_matrix *matrix) {
    static const char *const elements[] = {
#define MATRIX_ELEMENT(id, text, bits) text,
#include "program/matrix_elements.def"
#undef MATRIX_ELEMENT
    };
    put(print, "%s.m%un%uk%u", matrix->sparse ? ".sp" : "", matrix->m, matrix->n, matrix->k);
    const uint8_t types[] = {matrix->d, matrix->a, matrix->b, matrix->c};
    for (int i = 0; i < 4; i++) put_word(print, elements, SIM_ELEMENT_COUNT, types[i]);
}

static void put_texture(printer *print, const sim_instr *instr) {
    sim_variant kind = sim_variant_of(instr);
    if (kind == SIM_VARIANT_COMPONENT) PUT_WORD(print, instr->variant, "r", "g", "b", "a");
    else if (kind == SIM_VARIANT_NONE) PUT_WORD(print, instr->level, "", "level", "grad");
    else put(print, instr->mods & SIM_MOD_FORMATTED ? ".p" : ".b");
    if (sim_role_of(instr) == SIM_ROLE_ATOMIC)
        PUT_WORD(print, instr->atomic, "add", "min", "max", "", "", "and", "or");
    PUT_WORD(print, instr->geometry, "1d", "2d", "3d", "cube", "a1d", "a2d", "acube");
    if (kind == SIM_VARIANT_CLAMP) PUT_WORD(print, instr->variant, "trap", "clamp", "zero");
}

static void put_bulk(printer *print, const sim_instr *instr) {
    PUT_WORD(print, instr->variant, "to_shared", "to_global", "to_cluster", "prefetch");
    if (instr->mods & SIM_MOD_REDUCES)
        PUT_WORD(print, instr->atomic, "add", "min", "max", "inc", "dec", "and", "or", "xor");
}

static void put_variant(printer *print, const sim_instr *instr) {
    bool matrices = sim_is_product(instr) || sim_cost_of(instr) == SIM_COST_FRAGMENT;
    if (matrices) put_matrix(print, instr->extra);
    if (sim_cost_of(instr) == SIM_COST_TEXEL) put_texture(print, instr);
    if (instr->mods & SIM_MOD_NOINC && instr->op == SIM_OP_CP_MBARRIER) put(print, ".noinc");
    switch (sim_variant_of(instr)) {
    case SIM_VARIANT_QUERY:
        PUT_WORD(print, instr->variant, "width", "height", "depth", "array_size",
                 "num_mipmap_levels", "normalized_coords");
        break;
    case SIM_VARIANT_CLAMP: put_texture(print, instr); break;
    case SIM_VARIANT_ATOMIC:
        PUT_WORD(print, instr->variant, "add", "min", "max", "inc", "dec", "and", "or", "xor",
                 "exch", "cas");
        break;
    case SIM_VARIANT_SHUFFLE: PUT_WORD(print, instr->variant, "up", "down", "bfly", "idx"); break;
    case SIM_VARIANT_VOTE: PUT_WORD(print, instr->variant, "all", "any", "uni", "ballot"); break;
    case SIM_VARIANT_MATCH: PUT_WORD(print, instr->variant, "any", "all"); break;
    case SIM_VARIANT_BAR:
        if (sim_cost_of(instr) == SIM_COST_CLUSTER_BARRIER) {
            put(print, instr->variant == SIM_BAR_ARRIVE ? ".arrive" : ".wait");
            break;
        }
        PUT_WORD(print, instr->variant, "sync", "arrive", "red.popc", "red.and", "red.or");
        break;
    case SIM_VARIANT_MBARRIER:
        PUT_WORD(print, instr->variant, "init", "inval", "arrive", "arrive_drop", "expect_tx",
                 "complete_tx", "test_wait", "try_wait", "pending_count");
        if (instr->mods & SIM_MOD_PARITY) put(print, ".parity");
        if (instr->mods & SIM_MOD_EXPECT) put(print, ".expect_tx");
        break;
    case SIM_VARIANT_BULK: put_bulk(print, instr); break;
    case SIM_VARIANT_PRMT:
        PUT_WORD(print, instr->variant, "", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16");
        break;
    case SIM_VARIANT_TESTP:
        PUT_WORD(print, instr->variant, "finite", "infinite", "number", "notanumber", "normal",
                 "subnormal");
        break;
    default: break;
    }
}

static void put_modifiers(printer *print, const sim_instr *instr) {
    static const struct {
        uint32_t bit;
        const char *text;
    } words[] = {
        {SIM_MOD_TO, "to"},
        {SIM_MOD_NC, "nc"},
        {SIM_MOD_HI, "hi"},
        {SIM_MOD_LO, "lo"},
        {SIM_MOD_WIDE, "wide"},
        {SIM_MOD_LEFT, "l"},
        {SIM_MOD_CLAMP, "clamp"},
        {SIM_MOD_SHIFTAMT, "shiftamt"},
        {SIM_MOD_FTZ, "ftz"},
        {SIM_MOD_NAN, "NaN"},
        {SIM_MOD_XORSIGN, "xorsign.abs"},
        {SIM_MOD_ABS, "abs"},
        {SIM_MOD_RELU, "relu"},
        {SIM_MOD_SAT, "sat"},
        {SIM_MOD_SATFINITE, "satfinite"},
        {SIM_MOD_CC, "cc"},
        {SIM_MOD_UNIFORM, "uni"},
        {SIM_MOD_SYNC, "sync"},
        {SIM_MOD_ALIGNED, "aligned"},
        {SIM_MOD_FRAME, "frame"},
        {SIM_MOD_DST64, "dst64"},
        {SIM_MOD_SRC64, "src64"},
        {SIM_MOD_ADDRESS32, "a32"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (instr->mods & words[i].bit) put(print, ".%s", words[i].text);
}

static bool compares(const sim_instr *instr) {
    return sim_is_setp(instr) || instr->op == SIM_OP_SET;
}

static void put_opcode(printer *print, const sim_instr *instr) {
    put(print, "%s", opcode_text(instr));
    put_variant(print, instr);
    if (compares(instr))
        PUT_WORD(print, instr->compare, "eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu",
                 "leu", "gtu", "geu", "num", "nan");
    PUT_WORD(print, instr->boolean, "", "and", "or", "xor");
    PUT_WORD(print, instr->rounding, "", "rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi",
             "approx", "full");
    if (sim_is_by_thread(instr) || sim_is_fence(instr))
        PUT_WORD(print, instr->order, "", "volatile", "relaxed", "acquire", "release", "acq_rel",
                 "sc");
    if (sim_is_fence(instr) || (sim_is_by_thread(instr) && instr->order > SIM_ORDER_VOLATILE))
        PUT_WORD(print, instr->scope, "cta", "gpu", "sys");
    PUT_WORD(print, instr->space, "", "reg", "param", "global", "shared", "local", "const", "tex");
    put_modifiers(print, instr);
    bool fetches = sim_cost_of(instr) == SIM_COST_TEXEL;
    uint32_t vector = fetches ? SIM_TEXTURE_RESULTS : instr->vector;
    if (vector > 1) put(print, ".v%u", vector);
    if (instr->type != PTX_TYPE_NONE) put(print, ".%s", ptx_type_name((ptx_type)instr->type));
    if (instr->type2 != PTX_TYPE_NONE && !(instr->mods & SIM_MOD_WIDE))
        put(print, ".%s", ptx_type_name((ptx_type)instr->type2));
}

// ---- Operands -----------------------------------------------------------------------------------

static const char *const special_names[SIM_SPECIAL_COUNT] = {
#define SIM_SPECIAL(id, name, width) name,
#include "program/specials.def"
#undef SIM_SPECIAL
};

static void put_constant(printer *print, const sim_constant *constant) {
    int64_t value =
        constant->bytes == 4 ? (int32_t)(uint32_t)constant->value : (int64_t)constant->value;
    if (constant->is_shared && !constant->value) put(print, "#shared");
    else if (constant->is_shared) put(print, "#shared+%" PRIu64, constant->value);
    else if (constant->bytes == 0) put(print, "#%s", constant->value ? "true" : "false");
    else if (value >= -65536 && value <= 65536) put(print, "#%" PRId64, value);
    else put(print, "#0x%" PRIX64, constant->value);
}

static void put_slot(printer *print, uint32_t slot, bool is_predicate) {
    const sim_function *function = print->function;
    if (slot == SIM_NO_SLOT) {
        put(print, "_");
        return;
    }
    for (uint32_t i = 0; i < function->constant_count; i++) {
        if (function->constants[i].slot != slot) continue;
        put_constant(print, &function->constants[i]);
        return;
    }
    for (uint32_t i = 0; i < function->special_count; i++) {
        if (function->specials[i].slot != slot) continue;
        put(print, "%s", special_names[function->specials[i].id]);
        return;
    }
    if (slot == function->local_base_slot) put(print, "%%local");
    else if (is_predicate) put(print, "p%u", slot / 4);
    else put(print, "r%u", slot);
}

static void separate(printer *print) {
    put(print, print->has_operand ? ", " : " ");
    print->has_operand = true;
}

static void put_operand(printer *print, uint32_t slot, bool is_predicate) {
    if (slot == SIM_NO_SLOT) return;
    separate(print);
    put_slot(print, slot, is_predicate);
}

static void put_list(printer *print, const sim_instr *instr) {
    separate(print);
    for (uint32_t i = 0; i < instr->vector; i++) {
        put(print, i ? ", " : "{");
        put_slot(print, print->function->slots[instr->list + i], false);
    }
    put(print, "}");
}

static void put_address(printer *print, const sim_instr *instr) {
    separate(print);
    put(print, "[");
    put_slot(print, instr->src[0], false);
    if (instr->offset < -65536 || instr->offset > 65536)
        put(print, "+0x%" PRIX64, (uint64_t)instr->offset);
    else if (instr->offset) put(print, "%+" PRId64, instr->offset);
    put(print, "]");
}

static void put_call(printer *print, const sim_instr *instr) {
    const sim_call *call = instr->extra;
    separate(print);
    for (uint32_t i = 0; i < call->return_count; i++)
        put(print, "%sr%u:%u%s", i ? ", " : "(", call->returns[i].slot, call->returns[i].size_bytes,
            i + 1 < call->return_count ? "" : ") ");
    if (call->name) put(print, "%s", call->name);
    else put_slot(print, instr->src[0], false);
    for (uint32_t i = 0; i < call->argument_count; i++) {
        put(print, i ? ", " : " (");
        put_slot(print, call->arguments[i].slot, false);
        put(print, ":%u%s", call->arguments[i].size_bytes, i + 1 < call->argument_count ? "" : ")");
    }
}

static void put_branch(printer *print, const sim_instr *instr) {
    separate(print);
    if (sim_is_jump(instr)) put(print, "-> %u", instr->target);
    if (sim_is_switch(instr)) {
        put_slot(print, instr->src[0], false);
        for (uint32_t i = 0; i < instr->target_count; i++)
            put(print, "%s%u", i ? ", " : " -> ", print->function->slots[instr->target + i]);
    }
    if (instr->reconverge == SIM_PC_EXIT) put(print, " (meet at exit)");
    else put(print, " (meet at %u)", instr->reconverge);
}

static bool is_predicate_result(const sim_instr *instr) {
    return sim_is_setp(instr) || instr->op == SIM_OP_ISSPACEP || instr->op == SIM_OP_ISTYPEP ||
           sim_variant_of(instr) == SIM_VARIANT_TESTP || instr->type == PTX_PRED ||
           (sim_is_mbarrier(instr) &&
            (instr->variant == SIM_MBARRIER_TEST_WAIT || instr->variant == SIM_MBARRIER_TRY_WAIT));
}

static void put_memory(printer *print, const sim_instr *instr) {
    bool is_store = sim_role_of(instr) == SIM_ROLE_STORE || sim_is_red(instr);
    put_operand(print, instr->dst, is_predicate_result(instr));
    if (!is_store && instr->list != SIM_NO_SLOT) put_list(print, instr);
    put_address(print, instr);
    if (is_store && instr->list != SIM_NO_SLOT) put_list(print, instr);
    for (int i = 1; i < 4; i++) put_operand(print, instr->src[i], false);
}

static void put_displaced(printer *print, uint32_t slot, uint32_t displacement) {
    separate(print);
    put(print, "[");
    put_slot(print, slot, false);
    if (displacement) put(print, "%+d", (int32_t)displacement);
    put(print, "]");
}

// Copies have two or three addresses.
static void put_copy(printer *print, const sim_instr *instr) {
    bool loads = sim_is_cp_async(instr) || instr->variant == SIM_BULK_TO_SHARED;
    if (!loads) put_address(print, instr);
    if (!loads && instr->list != SIM_NO_SLOT) put_list(print, instr);
    if (instr->src[1] != SIM_NO_SLOT) put_displaced(print, instr->src[1], instr->target);
    if (loads) put_address(print, instr);
    if (loads && instr->list != SIM_NO_SLOT) put_list(print, instr);
    put_operand(print, instr->src[2], (instr->mods & SIM_MOD_PRED_OPERANDS) != 0);
    if (instr->src[3] != SIM_NO_SLOT) put_displaced(print, instr->src[3], instr->reconverge);
}

static bool is_predicate_source(const sim_instr *instr, int index) {
    if (instr->mods & SIM_MOD_PRED_OPERANDS) return true;
    if (instr->op == SIM_OP_LOP3) return index == 3;
    return index == 2 &&
           (compares(instr) || sim_is_selp(instr) || sim_variant_of(instr) == SIM_VARIANT_VOTE ||
            sim_is_barrier(instr) || sim_is_wgmma(instr));
}

static void put_plain(printer *print, const sim_instr *instr) {
    if (instr->dst != SIM_NO_SLOT || instr->dst2 != SIM_NO_SLOT) {
        separate(print);
        put_slot(print, instr->dst, is_predicate_result(instr));
    }
    if (instr->dst2 != SIM_NO_SLOT) {
        put(print, "|");
        put_slot(print, instr->dst2, true);
    }
    if (instr->list != SIM_NO_SLOT) put_list(print, instr);
    for (int i = 0; i < 4; i++) {
        if (instr->src[i] == SIM_NO_SLOT) continue;
        separate(print);
        if (i == 2 && (instr->mods & SIM_MOD_PRED_NEG_C)) put(print, "!");
        put_slot(print, instr->src[i], is_predicate_source(instr, i));
    }
    if (instr->op == SIM_OP_LOP3) put(print, ", 0x%02X", (unsigned)instr->offset);
    if (sim_variant_of(instr) == SIM_VARIANT_SPECIAL)
        put(print, ", %s", special_names[instr->variant]);
}

void sim_instr_print(const sim_function *function, const sim_instr *instr, char *out,
                     size_t out_bytes) {
    printer print = {.function = function, .out = out, .bytes = out_bytes};
    if (out_bytes) out[0] = '\0';
    if (instr->guard != SIM_NO_SLOT) {
        put(&print, "@%s", instr->guard_negated ? "!" : "");
        put_slot(&print, instr->guard, true);
        put(&print, " ");
    }
    put_opcode(&print, instr);
    sim_cost cost = sim_cost_of(instr);
    bool has_address = sim_is_by_thread(instr) || cost == SIM_COST_MATRICES ||
                       cost == SIM_COST_FRAGMENT ||
                       (sim_uses_mbarrier(instr) && instr->src[0] != SIM_NO_SLOT);
    if (has_address) put_memory(&print, instr);
    else if (sim_is_cp_async(instr) || sim_is_bulk(instr)) put_copy(&print, instr);
    else if (sim_is_branch(instr)) put_branch(&print, instr);
    else if (sim_is_call(instr)) put_call(&print, instr);
    else put_plain(&print, instr);
}

// ---- Programs -----------------------------------------------------------------------------------

static void print_function(const sim_program *program, const sim_function *function, FILE *out) {
    char line[LINE_BYTES];
    fprintf(out,
            "%s %s: %u instructions, frame %u bytes, shared %u, dynamic from %u, local %u%s%s\n",
            function->is_entry ? "entry" : "function", function->name, function->code_count,
            function->frame_bytes, function->shared_bytes, function->dynamic_shared_offset,
            function->local_bytes, function->has_barrier ? ", barriers" : "",
            function->orders_blocks ? ", orders blocks" : "");
    const sim_location *last = NULL;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        const sim_location *place = &function->locations[instr->location];
        if (place->line && (!last || last->line != place->line || last->file != place->file))
            fprintf(out, "        ; %s:%u\n", program->files[place->file], place->line);
        last = place;
        sim_instr_print(function, instr, line, sizeof line);
        fprintf(out, "  %4u  %s\n", pc, line);
    }
}

void sim_program_print(const sim_program *program, FILE *out) {
    for (uint32_t i = 0; i < program->symbol_count; i++) {
        const sim_symbol *symbol = &program->symbols[i];
        fprintf(out, "symbol %s: %s 0x%" PRIX64 ", %" PRIu64 " bytes%s\n", symbol->name,
                symbol->space == PTX_SPACE_SHARED  ? "shared"
                : symbol->space == PTX_SPACE_CONST ? "const"
                                                   : "global",
                symbol->address, symbol->size_bytes, symbol->is_dynamic_shared ? ", dynamic" : "");
    }
    for (uint32_t i = 0; i < program->function_count; i++)
        print_function(program, &program->functions[i], out);
}
