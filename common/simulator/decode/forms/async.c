// Asynchronous copies and barriers (PTX ISA 9.0, sections 9.7.9.25 and 9.7.13.15): cp.async,
// mbarrier, barrier.cluster. These opcodes have many words that come in few
// combinations, so their forms read the words themselves.
#include "decode/forms/forms.h"

#define SPACES      "global shared shared::cta shared::cluster"
#define STORE_TYPES "b32 u32 s32 f32 b64 u64 s64 f64 b128"
#define CACHE_HINTS " L2::cache_hint L2::64B L2::128B L2::256B"

// ---- cp.async -----------------------------------------------------------------------------------

static bool is_predicate(decode_function *function, const ptx_operand *operand) {
    uint32_t index;
    if (operand->kind != PTX_OPERAND_NAME) return false;
    if (decode_lookup(function, operand->name, &index) != SIM_OK || index == DECODE_NONE)
        return false;
    const decode_name *name = &function->name_table[index];
    return name->kind == NAME_REGISTER && function->values[name->value].width == WIDTH_PRED;
}

// The operand between the size and a cache policy: how much to read, or whether not to.
static sim_status source_limit(decode_function *function, const ptx_operand *operand,
                               sim_instr *instr) {
    if (!is_predicate(function, operand))
        return decode_read_width(function, operand, WIDTH_32, &instr->src[2]);
    bool negated;
    instr->mods |= SIM_MOD_PRED_OPERANDS;
    TRY(decode_read_predicate(function, operand, &negated, &instr->src[2]));
    return negated ? decode_operand_fail(function, operand, "'!' is not allowed here") : SIM_OK;
}

// cp.async.ca.shared.global{.level::prefetch} [dst], [src], 16{, bytes or ignore}{, policy};
sim_status decode_form_CP_ASYNC(decode_function *function) {
    TRY(decode_check_words(function,
                           "async ca cg shared shared::cta shared::cluster global" CACHE_HINTS));
    if (strncmp(decode_word_among(function, SPACES, 0), "shared", 6) != 0 ||
        strcmp(decode_word_among(function, SPACES, 1), "global") != 0)
        return decode_unknown_form(function, "it copies from .global to .shared");
    if (decode_has_word(function, "ca") == decode_has_word(function, "cg"))
        return decode_unknown_form(function, ".ca or .cg is missing");
    uint32_t policy = decode_has_word(function, "L2::cache_hint");
    TRY(decode_check_count(function, 3 + policy, 4 + policy));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    const ptx_operand *size = decode_operand_at(function, 2);
    bool is_size = size->kind == PTX_OPERAND_INT;
    bool all_levels = decode_has_word(function, "ca");
    if (!is_size || (size->value != 16 && !(all_levels && (size->value == 4 || size->value == 8))))
        return decode_operand_fail(function, size,
                                   "the size is 4, 8 or 16 with .ca and 16 with .cg");
    instr->type = size->value == 4 ? PTX_B32 : size->value == 8 ? PTX_B64 : PTX_B128;
    instr->space = PTX_SPACE_GLOBAL;
    if (!all_levels) instr->cache = SIM_CACHE_PAST_L1;
    TRY(decode_second_address(function, decode_operand_at(function, 0), SIM_MOD_SRC64, instr,
                              &instr->src[1], &instr->target));
    TRY(decode_address(function, decode_operand_at(function, 1), 0, instr));
    if (function->instruction->operand_count == 4 + policy)
        return source_limit(function, decode_operand_at(function, 3), instr);
    return SIM_OK;
}

// cp.async.wait_group N;  cp.async.wait_all;
sim_status decode_form_CP_WAIT(decode_function *function) {
    bool all = decode_has_word(function, "wait_all");
    TRY(decode_check_words(function, "async wait_all wait_group"));
    TRY(decode_check_count(function, !all, !all));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    if (all) return SIM_OK;
    return decode_read_width(function, decode_operand_at(function, 0), WIDTH_32, &instr->src[0]);
}

// cp.async.mbarrier.arrive{.noinc}.shared.b64 [bar];
sim_status decode_form_CP_MBARRIER(decode_function *function) {
    TRY(decode_check_words(function, "async mbarrier arrive noinc shared shared::cta b64"));
    TRY(decode_check_count(function, 1, 1));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    if (decode_has_word(function, "noinc")) instr->mods |= SIM_MOD_NOINC;
    if (decode_has_word(function, "shared") || decode_has_word(function, "shared::cta"))
        instr->space = PTX_SPACE_SHARED;
    return decode_address(function, decode_operand_at(function, 0), 8, instr);
}

// ---- mbarrier -----------------------------------------------------------------------------------

static const struct {
    const char *word;
    sim_mbarrier_op variant;
} mbarrier_words[] = {
    {"init", SIM_MBARRIER_INIT},
    {"inval", SIM_MBARRIER_INVAL},
    {"arrive", SIM_MBARRIER_ARRIVE},
    {"arrive_drop", SIM_MBARRIER_ARRIVE_DROP},
    {"expect_tx", SIM_MBARRIER_EXPECT_TX},
    {"complete_tx", SIM_MBARRIER_COMPLETE_TX},
    {"test_wait", SIM_MBARRIER_TEST_WAIT},
    {"try_wait", SIM_MBARRIER_TRY_WAIT},
    {"pending_count", SIM_MBARRIER_PENDING_COUNT},
};

static sim_status find_variant(const decode_function *function, uint8_t *out_variant) {
    const ptx_instruction *syntax = function->instruction;
    for (size_t i = 0; i < sizeof mbarrier_words / sizeof mbarrier_words[0]; i++) {
        if (syntax->word_count < 2 || strcmp(syntax->words[1], mbarrier_words[i].word) != 0)
            continue;
        *out_variant = (uint8_t)mbarrier_words[i].variant;
        return SIM_OK;
    }
    return decode_unknown_form(function, "no such operation on an mbarrier");
}

// mbarrier.init [bar], count;  inval [bar];  expect_tx, complete_tx [bar], bytes;
static sim_status mbarrier_change(decode_function *function, sim_instr *instr) {
    uint32_t count = instr->variant == SIM_MBARRIER_INVAL ? 1 : 2;
    TRY(decode_check_count(function, count, count));
    TRY(decode_address(function, decode_operand_at(function, 0), 8, instr));
    if (count == 1) return SIM_OK;
    return decode_read_width(function, decode_operand_at(function, 1), WIDTH_32, &instr->src[1]);
}

// mbarrier.arrive{_drop}{.expect_tx}{.noComplete} state or _, [bar]{, count or bytes};  the state
// may be left out for a barrier of the cluster.
static sim_status mbarrier_arrive(decode_function *function, sim_instr *instr) {
    TRY(decode_check_count(function, 1, 3));
    uint32_t next = decode_operand_at(function, 0)->kind != PTX_OPERAND_ADDRESS;
    bool is_state = next && !decode_is_sink(decode_operand_at(function, 0));
    if (is_state && decode_has_word(function, "shared::cluster"))
        return decode_operand_fail(function, decode_operand_at(function, 0),
                                   "'_' is wanted for a barrier of the cluster");
    if (is_state)
        TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_64, &instr->dst));
    if (decode_has_word(function, "expect_tx")) instr->mods |= SIM_MOD_EXPECT;
    if (decode_has_word(function, "cluster") && !decode_has_word(function, "relaxed"))
        instr->scope = SIM_FENCE_GPU;
    uint32_t count = function->instruction->operand_count;
    if (count == next) return decode_unknown_form(function, "the address is missing");
    TRY(decode_address(function, decode_operand_at(function, next), 8, instr));
    if (++next == count) {
        if (instr->mods & SIM_MOD_EXPECT)
            return decode_unknown_form(function, "expect_tx takes a size");
        if (decode_has_word(function, "noComplete"))
            return decode_unknown_form(function, "noComplete takes a count");
        return SIM_OK;
    }
    return decode_read_width(function, decode_operand_at(function, next), WIDTH_32, &instr->src[1]);
}

// mbarrier.test_wait p, [bar], state;  .parity: a 32-bit parity;  try_wait: perhaps a time limit
static sim_status mbarrier_wait(decode_function *function, sim_instr *instr) {
    bool parity = decode_has_word(function, "parity");
    TRY(decode_check_count(function, 3, instr->variant == SIM_MBARRIER_TRY_WAIT ? 4 : 3));
    if (parity) instr->mods |= SIM_MOD_PARITY;
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_PRED, &instr->dst));
    TRY(decode_address(function, decode_operand_at(function, 1), 8, instr));
    return decode_read_width(function, decode_operand_at(function, 2), parity ? WIDTH_32 : WIDTH_64,
                             &instr->src[1]);
}

// mbarrier.pending_count.b64 count, state;
static sim_status mbarrier_pending(decode_function *function, sim_instr *instr) {
    TRY(decode_check_count(function, 2, 2));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_32, &instr->dst));
    return decode_read_width(function, decode_operand_at(function, 1), WIDTH_64, &instr->src[1]);
}

// ---- st.async, red.async ------------------------------------------------------------------------

static const struct {
    const char *word;
    sim_atomic atomic;
} red_words[] = {{"inc", SIM_ATOMIC_INC}, {"dec", SIM_ATOMIC_DEC}, {"min", SIM_ATOMIC_MIN},
                 {"max", SIM_ATOMIC_MAX}, {"add", SIM_ATOMIC_ADD}, {"and", SIM_ATOMIC_AND},
                 {"or", SIM_ATOMIC_OR},   {"xor", SIM_ATOMIC_XOR}};

static sim_status store_words(decode_function *function, sim_instr *instr) {
    const ptx_instruction *syntax = function->instruction;
    bool stores = strcmp(syntax->words[0], "st") == 0;
    TRY(decode_check_words(
        function, stores ? "async weak shared::cluster mbarrier::complete_tx::bytes v2 v4 b32 u32 "
                           "s32 f32 b64 u64 s64 f64 b128"
                         : "async relaxed cluster shared::cluster mbarrier::complete_tx::bytes inc "
                           "dec min max add and or xor u32 s32 b32 u64"));
    instr->op = stores ? SIM_OP_ST : SIM_OP_RED;
    instr->space = PTX_SPACE_SHARED;
    instr->type = (uint8_t)ptx_type_find(decode_word_among(function, STORE_TYPES, 0));
    instr->vector = decode_has_word(function, "v4") ? 4 : decode_has_word(function, "v2") ? 2 : 1;
    if (instr->type == PTX_TYPE_NONE || !decode_has_word(function, "shared::cluster") ||
        !decode_has_word(function, "mbarrier::complete_tx::bytes"))
        return decode_unknown_form(function, "the type, the space or the mbarrier is missing");
    if (instr->type == PTX_B128 && instr->vector > 1)
        return decode_unknown_form(function, "more than 16 bytes");
    if (stores) return SIM_OK;
    instr->order = SIM_ORDER_RELAXED;
    for (size_t i = 0; i < sizeof red_words / sizeof red_words[0]; i++) {
        if (!decode_has_word(function, red_words[i].word)) continue;
        instr->variant = (uint8_t)red_words[i].atomic;
        return SIM_OK;
    }
    return decode_unknown_form(function, "no operation");
}

// st.async.shared::cluster.mbarrier::complete_tx::bytes{.v4}.u32 [a], b, [bar];  red.async
// likewise. A store, and then complete_tx of its bytes: both within the block, as mbarriers are
// here.
static sim_status store_and_complete(decode_function *function) {
    sim_instr *instr;
    uint32_t parts[4];
    TRY(decode_check_count(function, 3, 3));
    TRY(decode_emit(function, &instr));
    TRY(store_words(function, instr));
    const ptx_operand *value = decode_operand_at(function, 1);
    bool is_list = value->kind == PTX_OPERAND_VECTOR;
    if ((is_list ? value->item_count : 1) != instr->vector || is_list != (instr->vector > 1))
        return decode_unknown_form(function, "another number of values than the opcode says");
    uint32_t bytes = ptx_type_bytes((ptx_type)instr->type) * instr->vector;
    TRY(decode_address(function, decode_operand_at(function, 0), bytes, instr));
    for (uint32_t i = 0; i < instr->vector; i++)
        TRY(decode_read(function, is_list ? &value->items[i] : value, (ptx_type)instr->type,
                        &parts[i]));
    instr->src[1] = is_list ? SIM_NO_SLOT : parts[0];
    if (is_list) TRY(decode_list(function, parts, instr->vector, &instr->list));
    TRY(decode_emit(function, &instr));
    instr->variant = SIM_MBARRIER_COMPLETE_TX;
    instr->space = PTX_SPACE_SHARED;
    TRY(decode_address(function, decode_operand_at(function, 2), 8, instr));
    return decode_constant(function, WIDTH_32, bytes, &instr->src[1]);
}

sim_status decode_form_MBARRIER(decode_function *function) {
    sim_instr *instr;
    if (strcmp(function->instruction->words[0], "mbarrier") != 0)
        return store_and_complete(function);
    TRY(decode_check_words(
        function, "init inval arrive arrive_drop expect_tx complete_tx test_wait try_wait parity "
                  "pending_count noComplete acquire release relaxed cta cluster shared shared::cta "
                  "shared::cluster b64"));
    TRY(decode_emit(function, &instr));
    TRY(find_variant(function, &instr->variant));
    if (decode_has_word(function, "relaxed")) instr->order = SIM_ORDER_RELAXED;
    bool shared = decode_has_word(function, "shared") || decode_has_word(function, "shared::cta") ||
                  decode_has_word(function, "shared::cluster");
    if (shared) instr->space = PTX_SPACE_SHARED;
    switch (instr->variant) {
    case SIM_MBARRIER_ARRIVE:
    case SIM_MBARRIER_ARRIVE_DROP: return mbarrier_arrive(function, instr);
    case SIM_MBARRIER_TEST_WAIT:
    case SIM_MBARRIER_TRY_WAIT: return mbarrier_wait(function, instr);
    case SIM_MBARRIER_PENDING_COUNT: return mbarrier_pending(function, instr);
    default: return mbarrier_change(function, instr);
    }
}

// ---- Clusters -----------------------------------------------------------------------------------

// mapa{.shared::cluster}.u64 d, a, rank;  getctarank{.shared::cluster}.u32 d, a;
sim_status decode_form_MAPA(decode_function *function) {
    bool maps = function->opcode->proto.op == SIM_OP_MAPA;
    bool wide = decode_has_word(function, "u64");
    sim_instr *instr;
    TRY(decode_check_words(function, "shared::cluster u32 u64"));
    TRY(decode_check_count(function, maps ? 3 : 2, maps ? 3 : 2));
    TRY(decode_emit(function, &instr));
    instr->type = wide ? PTX_U64 : PTX_U32;
    if (decode_has_word(function, "shared::cluster")) instr->space = PTX_SPACE_SHARED;
    decode_width width = wide ? WIDTH_64 : WIDTH_32;
    TRY(decode_write(function, decode_operand_at(function, 0), maps ? width : WIDTH_32,
                     &instr->dst));
    TRY(decode_read_width(function, decode_operand_at(function, 1), width, &instr->src[0]));
    if (!maps) return SIM_OK;
    return decode_read_width(function, decode_operand_at(function, 2), WIDTH_32, &instr->src[1]);
}

// ---- barrier.cluster ----------------------------------------------------------------------------

// barrier.cluster.arrive{.release}{.aligned};  barrier.cluster.wait{.acquire}{.aligned};
sim_status decode_form_BAR_CLUSTER(decode_function *function) {
    sim_instr *instr;
    TRY(decode_check_words(function, "cluster arrive wait release relaxed acquire aligned"));
    TRY(decode_check_count(function, 0, 0));
    TRY(decode_emit(function, &instr));
    bool waits = decode_has_word(function, "wait");
    if (waits == decode_has_word(function, "arrive"))
        return decode_unknown_form(function, "it arrives or waits");
    if (!waits) instr->variant = SIM_BAR_ARRIVE;
    function->module->usage[function->index].has_barrier = true;
    return SIM_OK;
}
