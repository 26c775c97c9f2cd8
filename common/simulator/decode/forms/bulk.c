// Bulk copies (PTX ISA 9.0, sections 9.7.9.25.4 and 9.7.9.27): cp.async.bulk, cp.reduce.async.bulk,
// both with and without a tensor map. Their forms read the words themselves.
#include "decode/forms/forms.h"

#define BULK_WORDS                                                                                 \
    "async reduce bulk tensor prefetch ignore_oob weak relaxed cta cluster gpu sys b128 global "   \
    "shared::cta shared::cluster bulk_group mbarrier::complete_tx::bytes multicast::cluster tile " \
    "L2 L2::cache_hint 1d 2d 3d 4d 5d noftz inc dec min max add and or xor "                       \
    "f16 bf16 f32 f64 b32 u32 s32 b64 u64 s64"

sim_status decode_second_address(decode_function *function, const ptx_operand *operand,
                                 uint32_t wide, sim_instr *instr, uint32_t *out_slot,
                                 uint32_t *out_displacement) {
    sim_instr other = {.space = PTX_SPACE_SHARED};
    TRY(decode_address(function, operand, 0, &other));
    if (other.offset < INT32_MIN || other.offset > INT32_MAX)
        return decode_operand_fail(function, operand, "the offset does not fit 32 bits");
    *out_slot = other.src[0];
    *out_displacement = (uint32_t)(int32_t)other.offset;
    if (!(other.mods & SIM_MOD_ADDRESS32)) instr->mods |= wide;
    return SIM_OK;
}

// ---- Words --------------------------------------------------------------------------------------

static bool is_shared(const char *word) {
    return strcmp(word, "shared::cta") == 0 || strcmp(word, "shared::cluster") == 0;
}

// From where to where, by the two state spaces.
static sim_status find_direction(const decode_function *function, uint8_t *out_variant) {
    static const char spaces[] = "global shared::cta shared::cluster";
    const char *to = decode_word_among(function, spaces, 0);
    const char *from = decode_word_among(function, spaces, 1);
    bool groups = decode_has_word(function, "bulk_group");
    bool completes = decode_has_word(function, "mbarrier::complete_tx::bytes");
    if (is_shared(to) && strcmp(from, "global") == 0 && completes && !groups)
        *out_variant = SIM_BULK_TO_SHARED;
    else if (strcmp(to, "global") == 0 && strcmp(from, "shared::cta") == 0 && groups && !completes)
        *out_variant = SIM_BULK_TO_GLOBAL;
    else if (strcmp(to, "shared::cluster") == 0 && strcmp(from, "shared::cta") == 0 && completes)
        *out_variant = SIM_BULK_TO_CLUSTER;
    else
        return decode_unknown_form(function,
                                   "source, destination and what tells of the end do not fit");
    return SIM_OK;
}

static const struct {
    const char *word;
    sim_atomic atomic;
} reductions[] = {{"inc", SIM_ATOMIC_INC}, {"dec", SIM_ATOMIC_DEC}, {"min", SIM_ATOMIC_MIN},
                  {"max", SIM_ATOMIC_MAX}, {"add", SIM_ATOMIC_ADD}, {"and", SIM_ATOMIC_AND},
                  {"or", SIM_ATOMIC_OR},   {"xor", SIM_ATOMIC_XOR}};

static bool reduces(const decode_function *function) {
    return strcmp(function->instruction->words[1], "reduce") == 0;
}

static sim_status read_reduction(decode_function *function, sim_instr *instr) {
    if (!reduces(function)) return SIM_OK;
    instr->mods |= SIM_MOD_REDUCES;
    function->module->usage[function->index].orders_blocks = true;
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
        if (!decode_has_word(function, reductions[i].word)) continue;
        instr->atomic = (uint8_t)reductions[i].atomic;
        return SIM_OK;
    }
    return decode_unknown_form(function, "no operation");
}

// cp.async.bulk{.weak};  with .b128 instead {.relaxed.scope};
// cp.reduce.async.bulk{.relaxed.scope}. Every order is that of the copy's end, which is all that is
// simulated.
static sim_status check_order(const decode_function *function, bool tensor) {
    bool weak = decode_has_word(function, "weak"), relaxed = decode_has_word(function, "relaxed");
    bool typed = decode_has_word(function, "b128");
    bool scope = decode_has_word(function, "cta") || decode_has_word(function, "cluster") ||
                 decode_has_word(function, "gpu") || decode_has_word(function, "sys");
    const char *wrong = NULL;
    if (relaxed != scope) wrong = ".relaxed and a scope go together";
    if (weak && (relaxed || typed || reduces(function))) wrong = ".weak stands alone";
    if (relaxed && !typed && !reduces(function)) wrong = ".relaxed goes with .b128";
    if (tensor && (weak || relaxed || typed)) wrong = "a box has no order";
    if ((tensor || reduces(function)) && decode_has_word(function, "ignore_oob"))
        wrong = ".ignore_oob is of cp.async.bulk alone";
    return wrong ? decode_unknown_form(function, wrong) : SIM_OK;
}

// ---- Without a tensor map -----------------------------------------------------------------------

#define T(type) (UINT64_C(1) << PTX_##type)

// The types of a reduction without a tensor map (PTX ISA, "cp.reduce.async.bulk").
static bool has_type(const sim_instr *instr) {
    bool to_global = instr->variant == SIM_BULK_TO_GLOBAL;
    uint64_t types = 0;
    switch (instr->atomic) {
    case SIM_ATOMIC_ADD:
        types = T(U32) | T(S32) | T(U64);
        if (to_global) types |= T(F16) | T(BF16) | T(F32) | T(F64);
        break;
    case SIM_ATOMIC_MIN:
    case SIM_ATOMIC_MAX:
        types = T(U32) | T(S32);
        if (to_global) types |= T(U64) | T(S64) | T(F16) | T(BF16);
        break;
    case SIM_ATOMIC_INC:
    case SIM_ATOMIC_DEC: types = T(U32); break;
    default: types = T(B32) | (to_global ? T(B64) : 0);
    }
    return instr->type != PTX_TYPE_NONE && types >> instr->type & 1;
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [dst], [src], bytes, [bar];
// with .multicast::cluster then the blocks, with .ignore_oob before [bar] how many bytes at the
// beginning and the end may lie outside; cp.async.bulk.shared::cluster.shared::cta alike.
static sim_status bulk_to_shared(decode_function *function, sim_instr *instr) {
    uint32_t masks = decode_has_word(function, "multicast::cluster");
    uint32_t ignores = decode_has_word(function, "ignore_oob") ? 2 : 0; // bytes at either end
    uint32_t hints = decode_has_word(function, "L2::cache_hint");
    bool loads = instr->variant == SIM_BULK_TO_SHARED; // else src[0] is the destination
    const ptx_operand *to = decode_operand_at(function, 0), *from = decode_operand_at(function, 1);
    if (ignores && (!loads || !decode_has_word(function, "shared::cta")))
        return decode_unknown_form(function, ".ignore_oob goes with .shared::cta.global");
    uint32_t operands = 4 + ignores + masks + hints;
    TRY(decode_check_count(function, operands, operands));
    TRY(decode_second_address(function, loads ? to : from, SIM_MOD_SRC64, instr, &instr->src[1],
                              &instr->target));
    instr->space = loads ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
    TRY(decode_address(function, loads ? from : to, 0, instr));
    TRY(decode_read_width(function, decode_operand_at(function, 2), WIDTH_32, &instr->src[2]));
    TRY(decode_second_address(function, decode_operand_at(function, 3 + ignores), SIM_MOD_DST64,
                              instr, &instr->src[3], &instr->reconverge));
    uint32_t ends[2];
    for (uint32_t i = 0; i < ignores; i++) {
        const ptx_operand *end = decode_operand_at(function, 3 + i);
        if (end->kind == PTX_OPERAND_INT && (end->value < 0 || end->value > 15))
            return decode_operand_fail(function, end, "from 0 to 15 bytes");
        TRY(decode_read_width(function, end, WIDTH_32, &ends[i]));
    }
    if (ignores) {
        instr->vector = (uint16_t)ignores;
        return decode_list(function, ends, ignores, &instr->list);
    }
    if (!masks) return SIM_OK;
    uint32_t mask;
    TRY(decode_read(function, decode_operand_at(function, 4), PTX_U16, &mask));
    instr->vector = 1;
    return decode_list(function, &mask, 1, &instr->list);
}

// cp.async.bulk.global.shared::cta.bulk_group [dst], [src], bytes;
static sim_status bulk_to_global(decode_function *function, sim_instr *instr) {
    uint32_t hints = decode_has_word(function, "L2::cache_hint");
    TRY(decode_check_count(function, 3 + hints, 3 + hints));
    TRY(decode_address(function, decode_operand_at(function, 0), 0, instr));
    TRY(decode_second_address(function, decode_operand_at(function, 1), SIM_MOD_SRC64, instr,
                              &instr->src[1], &instr->target));
    return decode_read_width(function, decode_operand_at(function, 2), WIDTH_32, &instr->src[2]);
}

sim_status decode_form_BULK(decode_function *function) {
    sim_instr *instr;
    TRY(decode_check_words(function, BULK_WORDS));
    TRY(check_order(function, false));
    TRY(decode_emit(function, &instr));
    TRY(find_direction(function, &instr->variant));
    TRY(read_reduction(function, instr));
    instr->space = PTX_SPACE_GLOBAL;
    if (reduces(function)) {
        instr->type = (uint8_t)ptx_type_find(
            decode_word_among(function, "f16 bf16 f32 f64 b32 u32 s32 b64 u64 s64", 0));
        bool half = instr->type == PTX_F16 || instr->type == PTX_BF16;
        bool adds_halves = half && instr->atomic == SIM_ATOMIC_ADD;
        if (!has_type(instr) || instr->variant == SIM_BULK_TO_SHARED ||
            adds_halves != decode_has_word(function, "noftz"))
            return decode_unknown_form(function, "no such reduction");
    }
    return instr->variant == SIM_BULK_TO_GLOBAL ? bulk_to_global(function, instr)
                                                : bulk_to_shared(function, instr);
}

// cp.async.bulk.commit_group;  cp.async.bulk.wait_group{.read} N;  Stores have happened already.
sim_status decode_form_BULK_GROUP(decode_function *function) {
    bool waits = decode_has_word(function, "wait_group");
    sim_instr *instr;
    TRY(decode_check_words(function, "async bulk commit_group wait_group read"));
    TRY(decode_check_count(function, waits, waits));
    TRY(decode_emit(function, &instr));
    instr->variant = !waits                              ? SIM_BULK_COMMIT
                     : decode_has_word(function, "read") ? SIM_BULK_WAIT_READ
                                                         : SIM_BULK_WAIT;
    if (!waits) return SIM_OK;
    const ptx_operand *groups = decode_operand_at(function, 0);
    bool known = groups->kind == PTX_OPERAND_INT && groups->value >= 0;
    instr->vector =
        (uint16_t)(known && groups->value < SIM_MOST_BULK_GROUPS ? groups->value
                                                                 : SIM_MOST_BULK_GROUPS);
    return SIM_OK;
}

// ---- With a tensor map --------------------------------------------------------------------------

static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};

// `[map, {x, y}]`: the map's address is generic.
static sim_status read_box(decode_function *function, const ptx_operand *operand,
                           sim_instr *instr) {
    uint32_t coordinates[sizeof ranks / sizeof ranks[0]], rank = 0;
    while (rank < sizeof ranks / sizeof ranks[0] && !decode_has_word(function, ranks[rank])) rank++;
    if (rank++ == sizeof ranks / sizeof ranks[0])
        return decode_unknown_form(function, "the number of dimensions is missing");
    if (operand->kind != PTX_OPERAND_TEXREF || operand->item_count != 2)
        return decode_operand_fail(function, operand, "a tensor map and coordinates are wanted");
    const ptx_operand *list = &operand->items[1];
    bool single = list->kind != PTX_OPERAND_VECTOR;
    if ((single ? 1 : list->item_count) != rank)
        return decode_operand_fail(function, list, "%u coordinates where %u belong",
                                   single ? 1 : list->item_count, rank);
    ptx_operand map = operand->items[0];
    map.kind = PTX_OPERAND_ADDRESS;
    instr->space = PTX_SPACE_NONE;
    TRY(decode_address(function, &map, 0, instr));
    instr->space = PTX_SPACE_GLOBAL;
    for (uint32_t i = 0; i < rank; i++)
        TRY(decode_read(function, single ? list : &list->items[i], PTX_S32, &coordinates[i]));
    instr->vector = (uint8_t)rank;
    return decode_list(function, coordinates, rank, &instr->list);
}

// cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [dst], [map, {x,
// y}], [bar]; with .multicast::cluster then the blocks
static sim_status tensor_to_shared(decode_function *function, sim_instr *instr) {
    uint32_t masks = decode_has_word(function, "multicast::cluster");
    uint32_t hints = decode_has_word(function, "L2::cache_hint");
    TRY(decode_check_count(function, 3 + masks + hints, 3 + masks + hints));
    TRY(decode_second_address(function, decode_operand_at(function, 0), SIM_MOD_SRC64, instr,
                              &instr->src[1], &instr->target));
    TRY(read_box(function, decode_operand_at(function, 1), instr));
    TRY(decode_second_address(function, decode_operand_at(function, 2), SIM_MOD_DST64, instr,
                              &instr->src[3], &instr->reconverge));
    if (!masks) return SIM_OK;
    return decode_read(function, decode_operand_at(function, 3), PTX_U16, &instr->src[2]);
}

// cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {x, y}], [src];
static sim_status tensor_to_global(decode_function *function, sim_instr *instr) {
    uint32_t hints = decode_has_word(function, "L2::cache_hint");
    TRY(decode_check_count(function, 2 + hints, 2 + hints));
    TRY(read_box(function, decode_operand_at(function, 0), instr));
    return decode_second_address(function, decode_operand_at(function, 1), SIM_MOD_SRC64, instr,
                                 &instr->src[1], &instr->target);
}

sim_status decode_form_BULK_TENSOR(decode_function *function) {
    sim_instr *instr;
    const ptx_instruction *syntax = function->instruction;
    for (uint32_t i = 0; i < syntax->word_count; i++)
        if (strncmp(syntax->words[i], "im2col", strlen("im2col")) == 0)
            return decode_unknown_form(
                function, "it needs a map of cuTensorMapEncodeIm2col, which the simulated "
                          "driver does not make");
    TRY(decode_check_words(function, BULK_WORDS " cta_group::1 cta_group::2"));
    TRY(check_order(function, true));
    TRY(decode_emit(function, &instr));
    TRY(read_reduction(function, instr));
    bool pair = decode_has_word(function, "cta_group::2");
    bool one = decode_has_word(function, "cta_group::1");
    if (pair && one) return decode_unknown_form(function, "two groups");
    if ((pair || one) && !decode_has_word(function, "mbarrier::complete_tx::bytes"))
        return decode_unknown_form(function, ".cta_group goes with copies to shared memory");
    if (pair) instr->mods |= SIM_MOD_PAIR;
    if (decode_has_word(function, "prefetch")) {
        uint32_t hints = decode_has_word(function, "L2::cache_hint");
        instr->variant = SIM_BULK_PREFETCH;
        TRY(decode_check_count(function, 1 + hints, 1 + hints));
        return read_box(function, decode_operand_at(function, 0), instr);
    }
    TRY(find_direction(function, &instr->variant));
    if (instr->variant == SIM_BULK_TO_GLOBAL) return tensor_to_global(function, instr);
    if (instr->variant == SIM_BULK_TO_CLUSTER || reduces(function))
        return decode_unknown_form(function, "boxes go between global and shared memory");
    return tensor_to_shared(function, instr);
}

// ---- Launches of clusters (section 9.7.13.17) ---------------------------------------------------

// clusterlaunchcontrol.try_cancel.async{.shared::cta}.mbarrier::complete_tx::bytes
//     {.multicast::cluster::all}.b128 [answer], [mbarrier];
sim_status decode_form_LAUNCH_CANCEL(decode_function *function) {
    sim_instr *instr;
    TRY(decode_check_words(function, "try_cancel async shared::cta mbarrier::complete_tx::bytes "
                                     "multicast::cluster::all b128"));
    if (!decode_has_word(function, "async") || !decode_has_word(function, "b128") ||
        !decode_has_word(function, "mbarrier::complete_tx::bytes"))
        return decode_unknown_form(function, "a word is missing");
    TRY(decode_check_count(function, 2, 2));
    TRY(decode_emit(function, &instr));
    instr->variant = decode_has_word(function, "multicast::cluster::all");
    TRY(decode_second_address(function, decode_operand_at(function, 0), SIM_MOD_SRC64, instr,
                              &instr->src[1], &instr->target));
    return decode_second_address(function, decode_operand_at(function, 1), SIM_MOD_DST64, instr,
                                 &instr->src[3], &instr->reconverge);
}

// clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, answer;
// .get_first_ctaid.v4.b32.b128 {x, y, z, _}, answer;  .get_first_ctaid::x.b32.b128 x, answer;
sim_status decode_form_LAUNCH_QUERY(decode_function *function) {
    static const char axes[] = "get_first_ctaid::x get_first_ctaid::y get_first_ctaid::z";
    enum { PARTS = 4 };
    uint32_t parts[PARTS];
    sim_instr *instr;
    const ptx_instruction *syntax = function->instruction;
    const char *axis = decode_word_among(function, axes, 0);
    bool all = decode_has_word(function, "get_first_ctaid"), asks = !all && !*axis;
    const char *known = asks  ? "query_cancel is_canceled pred b128"
                        : all ? "query_cancel get_first_ctaid v4 b32 b128"
                              : "query_cancel get_first_ctaid::x get_first_ctaid::y "
                                "get_first_ctaid::z b32 b128";
    TRY(decode_check_words(function, known));
    if (syntax->word_count != (all ? 6 : 5) ||
        strcmp(syntax->words[syntax->word_count - 2], asks ? "pred" : "b32") != 0)
        return decode_unknown_form(function, "its types are .pred.b128 or .b32.b128");
    TRY(decode_check_count(function, 2, 2));
    TRY(decode_emit(function, &instr));
    const ptx_operand *to = decode_operand_at(function, 0);
    TRY(decode_read_width(function, decode_operand_at(function, 1), WIDTH_128, &instr->src[0]));
    if (asks) return decode_write(function, to, WIDTH_PRED, &instr->dst);
    if (all && (to->kind != PTX_OPERAND_VECTOR || to->item_count != PARTS))
        return decode_operand_fail(function, to, "a list of four registers is wanted");
    for (uint32_t i = 0; i < PARTS; i++) {
        const ptx_operand *part = all ? &to->items[i] : to;
        bool written =
            all ? !decode_is_sink(part) : axis[strlen("get_first_ctaid::")] == 'x' + (int)i;
        parts[i] = SIM_NO_SLOT;
        if (written) TRY(decode_write(function, part, WIDTH_32, &parts[i]));
    }
    instr->vector = PARTS;
    return decode_list(function, parts, PARTS, &instr->list);
}

// ---- Of a tensor map ----------------------------------------------------------------------------

// The fields that tensormap.replace changes, in the order of sim_tensor_field: of 64 bits, of an
// axis, and up to which constant; MAP_ANY: any register.
enum { MAP_ANY = -1 };
static const struct {
    const char *word;
    bool is_wide, has_axis;
    int most;
} map_fields[SIM_TENSOR_FIELDS] = {
    {"global_address", true, false, MAP_ANY}, {"rank", false, false, MAP_ANY},
    {"box_dim", false, true, MAP_ANY},        {"global_dim", false, true, MAP_ANY},
    {"global_stride", true, true, MAP_ANY},   {"element_stride", false, true, MAP_ANY},
    {"elemtype", false, false, 12},           {"interleave_layout", false, false, 0},
    {"swizzle_mode", false, false, 3},        {"fill_mode", false, false, 1}};

// tensormap.replace.tile.FIELD{.global}.b1024.b32 [map], {axis,} value;
static sim_status replace_field(decode_function *function, sim_instr *instr) {
    uint32_t field = 0;
    while (field < SIM_TENSOR_FIELDS && !decode_has_word(function, map_fields[field].word)) field++;
    if (field == SIM_TENSOR_FIELDS || !decode_has_word(function, "tile"))
        return decode_unknown_form(function, "no such field of a tensor map");
    bool wide = map_fields[field].is_wide, axis = map_fields[field].has_axis;
    if (decode_has_word(function, "b64") != wide || decode_has_word(function, "b32") == wide)
        return decode_unknown_form(function, "the field has another type");
    instr->variant = (uint8_t)field;
    TRY(decode_check_count(function, 2 + axis, 2 + axis));
    TRY(decode_address(function, decode_operand_at(function, 0), 0, instr));
    const ptx_operand *number = decode_operand_at(function, 1);
    const ptx_operand *value = decode_operand_at(function, 1 + axis);
    int most = axis ? SIM_TENSOR_AXES - 1 : map_fields[field].most;
    if ((axis || most != MAP_ANY) &&
        (number->kind != PTX_OPERAND_INT || number->value < 0 || number->value > most))
        return decode_operand_fail(function, number, "a constant of this field is wanted");
    instr->vector = axis ? (uint16_t)number->value : 0;
    return decode_read_width(function, value, wide ? WIDTH_64 : WIDTH_32, &instr->src[1]);
}

// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [to],
// [from], 128;
static sim_status copy_map(decode_function *function, sim_instr *instr) {
    TRY(decode_check_count(function, 3, 3));
    const ptx_operand *size = decode_operand_at(function, 2);
    if (size->kind != PTX_OPERAND_INT || size->value != SIM_TENSOR_MAP_BYTES)
        return decode_operand_fail(function, size, "a tensor map has 128 bytes");
    if (!decode_has_word(function, "tensormap::generic") || !decode_has_word(function, "release") ||
        !decode_has_word(function, "sync") || !decode_has_word(function, "aligned"))
        return decode_unknown_form(function, "it is released by all lanes together");
    instr->variant = SIM_TENSOR_COPY;
    TRY(decode_address(function, decode_operand_at(function, 0), 0, instr));
    return decode_second_address(function, decode_operand_at(function, 1), SIM_MOD_SRC64, instr,
                                 &instr->src[1], &instr->target);
}

// tensormap.query.alloc_class_large{.global}.b1024 p, [map];
sim_status decode_form_TENSORMAP(decode_function *function) {
    sim_instr *instr;
    TRY(decode_check_words(
        function, "replace query cp_fenceproxy tile global_address rank box_dim global_dim "
                  "global_stride element_stride elemtype interleave_layout swizzle_mode fill_mode "
                  "alloc_class_large global shared::cta tensormap::generic release cta cluster gpu "
                  "sys sync aligned b1024 b32 b64"));
    TRY(decode_emit(function, &instr));
    bool shared = decode_has_word(function, "shared::cta"),
         global = decode_has_word(function, "global");
    instr->space = global ? PTX_SPACE_GLOBAL : shared ? PTX_SPACE_SHARED : PTX_SPACE_NONE;
    if (decode_has_word(function, "cp_fenceproxy")) return copy_map(function, instr);
    if (!decode_has_word(function, "b1024"))
        return decode_unknown_form(function, "a tensor map is .b1024");
    if (decode_has_word(function, "replace")) return replace_field(function, instr);
    if (!decode_has_word(function, "alloc_class_large") || shared)
        return decode_unknown_form(function, "no such query");
    instr->variant = SIM_TENSOR_QUERY;
    TRY(decode_check_count(function, 2, 2));
    TRY(decode_write(function, decode_operand_at(function, 0), WIDTH_PRED, &instr->dst));
    return decode_address(function, decode_operand_at(function, 1), 0, instr);
}
