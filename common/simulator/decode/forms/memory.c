// Memory (PTX ISA 9.0, sections 9.7.9 and 9.7.13): ld, st, atom, red, prefetch, fences. Cache hints
// are accepted and dropped; what other blocks may observe is noted in usage (orders_blocks).
#include "decode/forms/forms.h"

enum { MAX_VECTOR = 8 };

// A cache policy comes last where the opcode says so.
static sim_status check_count(const decode_function *function, uint32_t count) {
    count += decode_has_word(function, "L2::cache_hint");
    return decode_check_count(function, count, count);
}

// A global (or generic) access through which blocks can see each other's progress.
static void note_order(decode_function *function, const sim_instr *instr) {
    bool is_global = instr->space == PTX_SPACE_GLOBAL || instr->space == PTX_SPACE_NONE;
    if (is_global && (instr->mods & SIM_MOD_VOLATILE))
        function->module->usage[function->index].orders_blocks = true;
}

static sim_status check_vector(const decode_function *function, const ptx_operand *operand) {
    uint32_t wanted = function->opcode->proto.vector;
    bool is_vector = operand->kind == PTX_OPERAND_VECTOR;
    uint32_t found = is_vector ? operand->item_count : 1;
    bool discards = is_vector && found > 0;
    for (uint32_t i = 0; is_vector && i < found; i++)
        discards = discards && decode_is_sink(&operand->items[i]);
    if (discards) return decode_operand_fail(function, operand, "a register is wanted");
    if (found != wanted)
        return decode_operand_fail(function, operand, "%u values where the opcode says %u", found,
                                   wanted);
    uint32_t bytes = ptx_type_bytes((ptx_type)function->opcode->proto.type) * wanted;
    if (bytes <= 16 || (bytes == 32 && function->opcode->proto.type != PTX_B128)) return SIM_OK;
    return decode_operand_fail(function, operand, "an access of %u bytes does not exist", bytes);
}

// Value operands: one in *out_single, or a list. `mod` is set when the registers are wider than the
// type.
static sim_status values(decode_function *function, const ptx_operand *operand, bool is_write,
                         uint32_t mod, sim_instr *instr, uint32_t *out_single) {
    ptx_type type = (ptx_type)instr->type;
    bool wide = false, any_wide = false, any_narrow = false;
    TRY(check_vector(function, operand));
    if (instr->vector == 1) {
        if (operand->kind == PTX_OPERAND_VECTOR) operand = operand->items;
        TRY(decode_relaxed(function, operand, type, is_write, out_single, &wide));
        if (wide) instr->mods |= mod;
        return SIM_OK;
    }
    uint32_t parts[MAX_VECTOR];
    for (uint32_t i = 0; i < instr->vector; i++) {
        parts[i] = SIM_NO_SLOT;
        if (is_write && decode_is_sink(&operand->items[i])) continue;
        TRY(decode_relaxed(function, &operand->items[i], type, is_write, &parts[i], &wide));
        any_wide = any_wide || wide;
        any_narrow = any_narrow || !wide;
    }
    if (any_wide && any_narrow)
        return decode_fail(function->module, operand->place, SIM_UNSUPPORTED,
                           "'%s': registers of different widths in one vector",
                           function->instruction->opcode);
    if (any_wide) instr->mods |= mod;
    return decode_list(function, parts, instr->vector, &instr->list);
}

static uint32_t access_bytes(const sim_instr *instr) {
    return ptx_type_bytes((ptx_type)instr->type) * instr->vector;
}

// ld.global.v2.f32 {%f1, %f2}, [%rd1+8];  with a cache policy operand, which is dropped
sim_status decode_form_LD(decode_function *function) {
    TRY(check_count(function, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(values(function, decode_operand_at(function, 0), true, SIM_MOD_DST64, instr, &instr->dst));
    TRY(decode_address(function, decode_operand_at(function, 1), access_bytes(instr), instr));
    note_order(function, instr);
    return SIM_OK;
}

sim_status decode_form_ST(decode_function *function) {
    TRY(check_count(function, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    TRY(decode_address(function, decode_operand_at(function, 0), access_bytes(instr), instr));
    bool is_read_only = instr->space == PTX_SPACE_CONST ||
                        (instr->space == PTX_SPACE_PARAM && !(instr->mods & SIM_MOD_FRAME));
    if (is_read_only)
        return decode_operand_fail(function, decode_operand_at(function, 0),
                                   "this space cannot be written");
    TRY(values(function, decode_operand_at(function, 1), false, SIM_MOD_SRC64, instr,
               &instr->src[1]));
    note_order(function, instr);
    return SIM_OK;
}

// ---- Atomics ------------------------------------------------------------------------------------

typedef struct atomic_types {
    uint8_t atomic; // sim_atomic
    uint32_t types;
} atomic_types;

#define T(name) (UINT32_C(1) << PTX_##name)
static const atomic_types atomic_rows[] = {
    {SIM_ATOMIC_ADD,
     T(U32) | T(S32) | T(U64) | T(F32) | T(F64) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2)},
    {SIM_ATOMIC_MIN, T(U32) | T(S32) | T(U64) | T(S64) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2)},
    {SIM_ATOMIC_MAX, T(U32) | T(S32) | T(U64) | T(S64) | T(F16) | T(F16X2) | T(BF16) | T(BF16X2)},
    {SIM_ATOMIC_INC, T(U32)},
    {SIM_ATOMIC_DEC, T(U32)},
    {SIM_ATOMIC_AND, T(B32) | T(B64)},
    {SIM_ATOMIC_OR, T(B32) | T(B64)},
    {SIM_ATOMIC_XOR, T(B32) | T(B64)},
    {SIM_ATOMIC_EXCH, T(B32) | T(B64) | T(B128)},
    {SIM_ATOMIC_CAS, T(B16) | T(B32) | T(B64) | T(B128)},
};

static sim_status check_atomic(const decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    for (size_t i = 0; i < sizeof atomic_rows / sizeof atomic_rows[0]; i++)
        if (atomic_rows[i].atomic == proto->variant && (atomic_rows[i].types >> proto->type & 1))
            return SIM_OK;
    return decode_fail(function->module, function->instruction->place, SIM_UNSUPPORTED,
                       "the simulator does not have '%s': no such atomic on .%s",
                       function->instruction->opcode, ptx_type_name((ptx_type)proto->type));
}

static sim_status atomic_address(decode_function *function, const ptx_operand *operand,
                                 sim_instr *instr) {
    if (instr->space != PTX_SPACE_NONE && instr->space != PTX_SPACE_GLOBAL &&
        instr->space != PTX_SPACE_SHARED)
        return decode_operand_fail(function, operand, "no atomics in this space");
    note_order(function, instr);
    return decode_address(function, operand, access_bytes(instr), instr);
}

// One atomic, on element `index` of a vector form. `value` and `target` (NULL for red) are that
// element's.
static sim_status emit_atomic(decode_function *function, const ptx_operand *target,
                              const ptx_operand *address, const ptx_operand *value,
                              uint32_t index) {
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    ptx_type type = (ptx_type)instr->type;
    instr->vector = 1;
    bool has_result = target && !decode_is_sink(target);
    if (has_result) TRY(decode_write_type(function, target, type, &instr->dst));
    // `atom.add _, [a], b` is red by another name.
    if (!has_result && instr->variant < SIM_ATOMIC_EXCH) instr->op = SIM_OP_RED;
    TRY(atomic_address(function, address, instr));
    instr->offset += (int64_t)index * ptx_type_bytes(type);
    return decode_read(function, value, type, &instr->src[1]);
}

static bool same_name(const ptx_operand *left, const ptx_operand *right) {
    return left->kind == PTX_OPERAND_NAME && right->name && left->name == right->name;
}

// atom.global.add.v2.f32 {d, e}, [a], {b, c}: element by element, which is all the atomicity that
// PTX promises.
static sim_status vector_atomic(decode_function *function, const ptx_operand *targets,
                                const ptx_operand *address, const ptx_operand *sources) {
    ptx_type type = (ptx_type)function->opcode->proto.type;
    bool is_float = type >= PTX_F16 && type <= PTX_F32;
    if (!is_float || function->opcode->proto.variant > SIM_ATOMIC_MAX)
        return decode_operand_fail(function, sources, "there is no vector form of this atomic");
    if (targets) TRY(check_vector(function, targets));
    TRY(check_vector(function, sources));
    for (uint32_t i = 0; i < sources->item_count; i++) {
        const ptx_operand *target = targets ? &targets->items[i] : NULL;
        // An earlier element must not overwrite what a later one reads.
        for (uint32_t k = i + 1; target && k < sources->item_count; k++)
            if (same_name(target, &sources->items[k]) || same_name(target, address))
                return decode_operand_fail(function, target, "'%s' is also an operand",
                                           target->name);
        TRY(emit_atomic(function, target, address, &sources->items[i], i));
    }
    return SIM_OK;
}

// atom.global.add.f32 d, [a], b;  atom.cas.b32 d, [a], b, c;  then perhaps a cache policy
sim_status decode_form_ATOM(decode_function *function) {
    const sim_instr *proto = &function->opcode->proto;
    uint32_t sources = proto->variant == SIM_ATOMIC_CAS ? 2 : 1;
    TRY(check_count(function, 2 + sources));
    TRY(check_atomic(function));
    const ptx_operand *operands = decode_operand_at(function, 0);
    if (proto->vector > 1) return vector_atomic(function, &operands[0], &operands[1], &operands[2]);
    TRY(emit_atomic(function, &operands[0], &operands[1], &operands[2], 0));
    if (sources == 1) return SIM_OK;
    uint32_t *third = &function->code[function->code_count - 1].src[2];
    return decode_read(function, &operands[3], (ptx_type)proto->type, third);
}

// red.global.add.f32 [a], b;  red.global.add.v2.f32 [a], {b, c};
sim_status decode_form_RED(decode_function *function) {
    TRY(check_count(function, 2));
    TRY(check_atomic(function));
    if (function->opcode->proto.variant >= SIM_ATOMIC_EXCH)
        return decode_fail(function->module, function->instruction->place, SIM_UNSUPPORTED,
                           "the simulator does not have '%s'", function->instruction->opcode);
    const ptx_operand *operands = decode_operand_at(function, 0);
    if (function->opcode->proto.vector > 1)
        return vector_atomic(function, NULL, &operands[0], &operands[1]);
    return emit_atomic(function, NULL, &operands[0], &operands[1], 0);
}

// ---- No data ------------------------------------------------------------------------------------

sim_status decode_form_PREFETCH(decode_function *function) {
    TRY(decode_check_count(function, 1, 1));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    return decode_address(function, decode_operand_at(function, 0), 0, instr);
}

// discard{.global}.L2 [a], 128;  applypriority{.global}.L2::evict_normal [a], 128;
sim_status decode_form_LINE(decode_function *function) {
    TRY(decode_check_words(function, "global L2 L2::evict_normal"));
    TRY(decode_check_count(function, 2, 2));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    if (decode_has_word(function, "global")) instr->space = PTX_SPACE_GLOBAL;
    return decode_address(function, decode_operand_at(function, 0), 0, instr);
}

// fence.acq_rel.gpu;  fence.proxy.tensormap::generic.acquire.gpu [map], 128;
// fence.acquire.sync_restrict::shared::cluster.cluster;  with shared::cta it releases
// fence.alias.sync_restrict::read.release.sys;
static sim_status check_fence(const decode_function *function) {
    uint64_t classes = function->opcode->classes;
    bool acquires = decode_has_word(function, "acquire");
    bool releases = decode_has_word(function, "release");
    bool cluster = decode_has_word(function, "cluster");
    bool maps = decode_has_word(function, "tensormap::generic");
    bool alias = decode_has_word(function, "alias") && !decode_has_word(function, "proxy");
    bool reads = decode_has_word(function, "sync_restrict::read");
    const char *wrong = NULL;
    if (alias != reads || (reads && (acquires || !releases || !decode_has_word(function, "sys"))))
        wrong = "of aliases only reads are ordered, and released to the system";
    if (!reads && (classes & DECODE_CLASS(RESTRICT)) &&
        (!cluster || acquires != decode_has_word(function, "sync_restrict::shared::cluster") ||
         releases != decode_has_word(function, "sync_restrict::shared::cta")))
        wrong = "shared memory of the cluster is acquired, that of the block is released";
    if (decode_has_word(function, "async::generic") && !(classes & DECODE_CLASS(RESTRICT)))
        wrong = "what it is restricted to is missing";
    if (maps && (acquires == releases || !(classes & DECODE_CLASS(SCOPE))))
        wrong = "it acquires or releases, in a scope";
    if (decode_has_word(function, "mbarrier_init") && !(releases && cluster))
        wrong = "the initialisation of an mbarrier is released to the cluster";
    if (wrong) return decode_unknown_form(function, wrong);
    uint32_t count = maps && acquires ? 2 : 0;
    TRY(decode_check_count(function, count, count));
    if (count == 0) return SIM_OK;
    const ptx_operand *size = decode_operand_at(function, 1);
    if (size->kind != PTX_OPERAND_INT || size->value != 128)
        return decode_operand_fail(function, size, "a tensor map has 128 bytes");
    return SIM_OK;
}

sim_status decode_form_FENCE(decode_function *function) {
    TRY(check_fence(function));
    sim_instr *instr;
    TRY(decode_emit(function, &instr));
    if (instr->scope != SIM_FENCE_CTA)
        function->module->usage[function->index].orders_blocks = true;
    if (function->instruction->operand_count == 0) return SIM_OK;
    sim_instr map = {.space = PTX_SPACE_NONE}; // only read: that the operand is an address
    return decode_address(function, decode_operand_at(function, 0), 0, &map);
}
