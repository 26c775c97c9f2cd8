// From dotted words to an operation with its types and modifiers (PTX ISA 9.0, section 9.7). What
// the tables opcode_words.def and opcode_rules.def do not list is refused by name. Each distinct
// opcode is decoded once.
#include "decode/instruction/instruction.h"
#include "program/ir.h"

#undef NAN // a class of modifiers, opcode_classes.def

// Of cvt: types that no register has, and random bits: a conversion with one has a form of its own.
#define SMALL_FLOATS                                                                               \
    "e4m3x2 e5m2x2 e2m3x2 e3m2x2 e2m1x2 ue8m0x2 e4m3x4 e5m2x4 e2m3x4 e3m2x4 e2m1x4 rs"

// clang-format off
typedef enum word_field {
    FIELD_NOTHING, FIELD_MODS, FIELD_ROUNDING, FIELD_COMPARE, FIELD_BOOLEAN, FIELD_SPACE,
    FIELD_VECTOR, FIELD_ORDER, FIELD_SCOPE, FIELD_VARIANT, FIELD_GEOMETRY, FIELD_LEVEL,
    FIELD_ATOMIC, FIELD_CACHE
} word_field;
// clang-format on

typedef struct opcode_word {
    const char *text;
    uint64_t class;
    word_field field;
    uint32_t value;
} opcode_word;

static const opcode_word words[] = {
#define DECODE_WORD(text, class, field, value) {text, DECODE_CLASS(class), FIELD_##field, value},
#include "decode/instruction/opcode_words.def"
#undef DECODE_WORD
};

typedef struct opcode_rule {
    uint16_t op;
    uint32_t types, second_types;
    uint64_t one_of, and_one_of, may;
} opcode_rule;

#define C(name)      DECODE_CLASS(name)
#define T(name)      (UINT32_C(1) << PTX_##name)
#define NONE         0
#define ROUND4       (C(RN) | C(RZ) | C(RM) | C(RP))
#define SIGNED16_64  (T(S16) | T(S32) | T(S64))
#define INT32_64     (T(U32) | T(U64) | T(S32) | T(S64))
#define INT16_64     (INT32_64 | T(U16) | T(S16))
#define INT16_32     (T(U16) | T(U32) | T(S16) | T(S32))
#define BITS16_64    (T(B16) | T(B32) | T(B64))
#define HALF         (T(F16) | T(F16X2))
#define BHALF        (T(BF16) | T(BF16X2))
#define INT8         (T(B8) | T(U8) | T(S8))
#define PACKED16     (T(U16X2) | T(S16X2))
#define MOVED_TYPES  (BITS16_64 | INT16_64 | T(F32) | T(F64))
#define MEMORY_TYPES (INT8 | MOVED_TYPES)
#define ANY_TYPE     (MEMORY_TYPES | HALF | BHALF)
#define ATOMIC_TYPES (T(B16) | T(B128) | BITS16_64 | INT32_64 | T(F32) | T(F64) | HALF | BHALF)
#define ATOM_WORDS   (C(ORDER) | C(SCOPE) | C(SPACE) | C(CACHE) | C(NOFTZ))
_Static_assert(PTX_TYPE_COUNT <= 32, "a set of types is 32 bits");
_Static_assert(CLASS_COUNT <= 64, "a set of classes is 64 bits");

static const opcode_rule rules[] = {
#define OPCODE_RULE(op, types, second, one_of, and_one_of, may)                                    \
    {SIM_OP_##op, types, second, one_of, and_one_of, may},
#include "decode/instruction/opcode_rules.def"
#undef OPCODE_RULE
};
enum { RULE_COUNT = sizeof rules / sizeof rules[0], WORD_COUNT = sizeof words / sizeof words[0] };

// Opcodes whose first word is not the one in program/ops.def, and those that change nothing that is
// modelled.
static const struct {
    const char *text;
    sim_op op;
} other_names[] = {
#define OPCODE_NAME(text, op) {text, SIM_OP_##op},
#include "decode/instruction/opcode_names.def"
#undef OPCODE_NAME
#define VIDEO_OPCODE(text, operation, elements) {text, SIM_OP_VIDEO},
#include "decode/instruction/video_opcodes.def"
#undef VIDEO_OPCODE
};

static const char *const opcode_names[SIM_OP_COUNT] = {
#define SIM_OP(id, opcode, ...) opcode,
#include "program/ops.def"
#undef SIM_OP
};

static sim_status unsupported(const decode_function *function, const ptx_instruction *instruction,
                              const char *what) {
    return decode_fail(function->module, instruction->place, SIM_UNSUPPORTED,
                       "the simulator does not have '%s'%s%s", instruction->opcode,
                       what ? ": " : "", what ? what : "");
}

static bool is_listed(const char *list, const char *word) {
    size_t bytes = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += bytes)
        if ((at == list || at[-1] == ' ') && (at[bytes] == ' ' || at[bytes] == '\0')) return true;
    return false;
}

// How many leading words of the instruction the dotted `name` spells; 0: it is another one.
static uint32_t words_spelled(const char *name, const ptx_instruction *instruction) {
    for (uint32_t i = 0; i < instruction->word_count; i++) {
        size_t bytes = strlen(instruction->words[i]);
        if (strncmp(name, instruction->words[i], bytes) != 0) return 0;
        name += bytes;
        if (*name == '\0') return i + 1;
        if (*name++ != '.') return 0;
    }
    return 0;
}

// The operation with the longest name that the instruction begins with: "cp.async.bulk" before
// "cp.async". SIM_OP_COUNT when there is none.
static sim_op find_op(const ptx_instruction *instruction, uint32_t *out_first_modifier) {
    sim_op found = SIM_OP_COUNT;
    *out_first_modifier = 0;
    for (int op = 0; op < SIM_OP_COUNT; op++) {
        uint32_t words = opcode_names[op] ? words_spelled(opcode_names[op], instruction) : 0;
        if (words <= *out_first_modifier) continue;
        *out_first_modifier = words;
        found = (sim_op)op;
    }
    for (size_t i = 0; i < sizeof other_names / sizeof other_names[0]; i++) {
        uint32_t words = words_spelled(other_names[i].text, instruction);
        if (words <= *out_first_modifier) continue;
        *out_first_modifier = words;
        found = other_names[i].op;
    }
    for (uint32_t i = 1; found == SIM_OP_CVT && i < instruction->word_count; i++)
        if (is_listed(SMALL_FLOATS, instruction->words[i])) found = SIM_OP_CVT_SMALL;
    // prefetch.param.tensormap, prefetch.const.tensormap: as without the space
    if (found == SIM_OP_PREFETCH && instruction->word_count == 3 &&
        strcmp(instruction->words[2], "tensormap") == 0 &&
        is_listed("param const", instruction->words[1]))
        found = SIM_OP_NOP;
    return found;
}

// A word of the opcode's name that stands elsewhere. `words` may stand directly behind `name` and
// nowhere else; all other words come in any order, as for ptxas. Of several rows the one with the
// longest name counts.
static sim_status check_leads(const decode_function *function, const ptx_instruction *instruction) {
    static const struct {
        const char *name, *words;
    } rows[] = {
        {"bar", "cta sync arrive red warp"},
        {"bar.cta", "sync arrive red"},
        {"bar.warp", "sync"},
        {"barrier", "cta arrive red cluster"},
        {"barrier.cta", "arrive red"},
        {"barrier.cluster", "arrive wait"},
        {"brx", "idx"},
        {"cp.async.mbarrier", "arrive"},
        {"createpolicy", "fractional range cvt"},
        {"cvt", "pack"},
        {"cvta", "to"},
        {"div", "full"},
        {"dp2a", "lo hi"},
        {"fence", "proxy"},
        {"mad", "lo hi wide"},
        {"mad24", "lo hi"},
        {"madc", "lo hi"},
        {"mbarrier",
         "init inval arrive arrive_drop expect_tx complete_tx test_wait try_wait pending_count"},
        {"mbarrier.arrive", "expect_tx"},
        {"mbarrier.arrive_drop", "expect_tx"},
        {"mbarrier.test_wait", "parity"},
        {"mbarrier.try_wait", "parity"},
        {"mul", "lo hi wide"},
        {"mul24", "lo hi"},
        {"setmaxnreg", "inc dec"},
        {"shf", "l r"},
        {"suld", "b"},
        {"sured", "b p"},
        {"sust", "b p"},
        {"tcgen05.ld", "red"},
        {"tcgen05.mma", "ws"},
        {"wmma", "load store mma"},
        {"wmma.load", "a b c"},
        {"wmma.store", "d"},
    };
    uint32_t longest = 0, row = 0;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t words = words_spelled(rows[i].name, instruction);
        if (words <= longest) continue;
        longest = words;
        row = i;
    }
    for (uint32_t i = longest + 1; longest && i < instruction->word_count; i++)
        if (is_listed(rows[row].words, instruction->words[i]))
            return decode_fail(function->module, instruction->place, SIM_BAD_PTX,
                               "'%s': '.%s' stands directly behind '%s' or not at all",
                               instruction->opcode, instruction->words[i], rows[row].name);
    return SIM_OK;
}

bool decode_has_words(const ptx_instruction *instruction, const char *list) {
    while (*list) {
        size_t bytes = strcspn(list, " ");
        bool found = false;
        for (uint32_t i = 1; i < instruction->word_count && !found; i++)
            found = strlen(instruction->words[i]) == bytes &&
                    memcmp(instruction->words[i], list, bytes) == 0;
        if (!found) return false;
        list += bytes + strspn(list + bytes, " ");
    }
    return true;
}

// Forms that later targets do not have, too: whether the module's target is among theirs, as ptxas
// 13.0 has them.
#define SINGLE  "sm_100a sm_101a sm_103a sm_110a"
#define TCGEN05 "sm_100a sm_100f sm_101a sm_101f sm_103a sm_103f sm_110a sm_110f"
static sim_status check_family(const decode_function *function,
                               const ptx_instruction *instruction) {
    static const struct {
        const char *name, *words, *targets;
    } rows[] = {
        {"wgmma", "", "sm_90a"},
        {"tcgen05", "", TCGEN05},
        {"cvt", "rs", "sm_100a sm_103a"},
        {"tcgen05", "kind::i8", "sm_100a sm_101a sm_110a"},
        {"tcgen05.shift", "", SINGLE},
        {"tcgen05.mma.sp", "kind::mxf4", SINGLE},
        {"tcgen05.mma.sp", "kind::mxf4nvf4", SINGLE},
        {"tcgen05", "scale_vec::1X", SINGLE},
        {"tcgen05", "scale_vec::2X", SINGLE},
        {"tcgen05", "scale_vec::4X", SINGLE},
        {"tcgen05.ld", "red", "sm_103a sm_103f sm_101a sm_101f sm_110a sm_110f"},
        {"cp.async.bulk.tensor", "cta_group::1", TCGEN05},
        {"cp.async.bulk.tensor", "cta_group::2", TCGEN05},
        {"clusterlaunchcontrol", "multicast::cluster::all",
         TCGEN05 " sm_120a sm_120f sm_121a sm_121f"},
    };
    const char *text = function->module->syntax->target_text;
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (words_spelled(rows[i].name, instruction) &&
            decode_has_words(instruction, rows[i].words) && !is_listed(rows[i].targets, text))
            return decode_fail(function->module, instruction->place, SIM_UNSUPPORTED,
                               "'%s' needs %.*s%s; this build targets %s", instruction->opcode,
                               (int)strcspn(rows[i].targets, " "), rows[i].targets,
                               strchr(rows[i].targets, ' ') ? " or another target of its family"
                                                            : ", and no later target has it",
                               text);
    return SIM_OK;
}

// Whether the module's version and target have the opcode (opcode_needs.def).
static sim_status check_needs(const decode_function *function, const ptx_instruction *instruction) {
    static const struct {
        const char *name, *words;
        uint32_t major, minor, target;
        const char *suffix;
    } rows[] = {
#define OPCODE_NEEDS(name, words, major, minor, target, suffix)                                    \
    {name, words, major, minor, target, suffix},
#include "decode/instruction/opcode_needs.def"
#undef OPCODE_NEEDS
    };
    const ptx_module *module = function->module->syntax;
    const char *text = module->target_text;
    bool is_special = text[strlen(text) - 1] == 'a' || text[strlen(text) - 1] == 'f';
    for (uint32_t i = sizeof rows / sizeof rows[0]; i-- > 0;) { // the special rows come last
        if (!words_spelled(rows[i].name, instruction) ||
            !decode_has_words(instruction, rows[i].words))
            continue;
        bool old =
            module->version_major < rows[i].major ||
            (module->version_major == rows[i].major && module->version_minor < rows[i].minor);
        bool low = module->target < rows[i].target || (rows[i].suffix[0] && !is_special);
        if (!old && !low) continue;
        return decode_fail(
            function->module, instruction->place, SIM_UNSUPPORTED,
            "'%s' needs PTX %u.%u and sm_%u%s; this build is PTX %u.%u and targets %s",
            instruction->opcode, rows[i].major, rows[i].minor, rows[i].target, rows[i].suffix,
            module->version_major, module->version_minor, text);
    }
    return check_family(function, instruction);
}

static bool has_word_of(const ptx_instruction *instruction, const char *list) {
    for (uint32_t i = 1; i < instruction->word_count; i++)
        if (is_listed(list, instruction->words[i])) return true;
    return false;
}

// Whether the words go together (opcode_clashes.def).
static sim_status check_clashes(const decode_function *function,
                                const ptx_instruction *instruction) {
    static const struct {
        const char *name, *all, *any, *none, *why;
    } rows[] = {
#define OPCODE_CLASHES(name, all, any, none, why) {name, all, any, none, why},
#include "decode/instruction/opcode_clashes.def"
#undef OPCODE_CLASHES
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (words_spelled(rows[i].name, instruction) &&
            decode_has_words(instruction, rows[i].all) &&
            (!rows[i].any[0] || has_word_of(instruction, rows[i].any)) &&
            !has_word_of(instruction, rows[i].none))
            return decode_fail(function->module, instruction->place, SIM_BAD_PTX, "'%s': %s",
                               instruction->opcode, rows[i].why);
    const ptx_module *module = function->module->syntax;
    bool is_old = module->target < 70 || module->version_major < 6 ||
                  (module->version_major == 6 && module->version_minor < 4);
    bool is_warps = words_spelled("shfl", instruction) || words_spelled("vote", instruction);
    if (is_warps && !is_old && !decode_has_words(instruction, "sync"))
        return decode_fail(function->module, instruction->place, SIM_BAD_PTX,
                           "'%s': without .sync it is for targets before sm_70 or PTX before 6.4",
                           instruction->opcode);
    return SIM_OK;
}

static uint64_t classes_of(sim_op op) {
    uint64_t classes = 0;
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rules[i].op == op) classes |= rules[i].one_of | rules[i].and_one_of | rules[i].may;
    return classes;
}

static bool has_rule(sim_op op) {
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (rules[i].op == op) return true;
    return false;
}

// ---- Words of operations without rules ----------------------------------------------------------

bool decode_has_word(const decode_function *function, const char *word) {
    const ptx_instruction *instruction = function->instruction;
    for (uint32_t i = 0; i < instruction->word_count; i++)
        if (strcmp(instruction->words[i], word) == 0) return true;
    return false;
}

const char *decode_word_among(const decode_function *function, const char *list, uint32_t index) {
    const ptx_instruction *instruction = function->instruction;
    for (uint32_t i = 1; i < instruction->word_count; i++)
        if (is_listed(list, instruction->words[i]) && index-- == 0) return instruction->words[i];
    return "";
}

sim_status decode_check_words(const decode_function *function, const char *known) {
    const ptx_instruction *instruction = function->instruction;
    for (uint32_t i = 1; i < instruction->word_count; i++)
        if (!is_listed(known, instruction->words[i]))
            return decode_fail(function->module, instruction->place, SIM_UNSUPPORTED,
                               "the simulator does not have '%s': '.%s' is not known here",
                               instruction->opcode, instruction->words[i]);
    return SIM_OK;
}

static const opcode_word *find_word(const char *text, uint64_t classes) {
    for (size_t i = 0; i < WORD_COUNT; i++)
        if ((words[i].class & classes) && strcmp(words[i].text, text) == 0) return &words[i];
    return NULL;
}

static void apply_word(sim_instr *instr, const opcode_word *word) {
    uint8_t value = (uint8_t)word->value;
    switch (word->field) {
    case FIELD_NOTHING: break;
    case FIELD_MODS: instr->mods |= word->value; break;
    case FIELD_ROUNDING: instr->rounding = value; break;
    case FIELD_COMPARE: instr->compare = value; break;
    case FIELD_BOOLEAN: instr->boolean = value; break;
    case FIELD_SPACE: instr->space = value; break;
    case FIELD_VECTOR: instr->vector = value; break;
    case FIELD_ORDER: instr->order = value; break;
    case FIELD_SCOPE: instr->scope = value; break;
    case FIELD_VARIANT: instr->variant = value; break;
    case FIELD_GEOMETRY: instr->geometry = value; break;
    case FIELD_LEVEL: instr->level = value; break;
    case FIELD_ATOMIC: instr->atomic = value; break;
    case FIELD_CACHE: instr->cache = value; break;
    }
}

// Cache hints such as L1::no_allocate, L2::128B, level::eviction change no result.
static bool is_cache_hint(const char *word) {
    return strncmp(word, "L1::", 4) == 0 || strncmp(word, "L2::", 4) == 0;
}

static sim_status read_word(const decode_function *function, const ptx_instruction *instruction,
                            const char *text, uint64_t classes, decode_opcode *opcode) {
    char message[128];
    ptx_type type = ptx_type_find(text);
    if (type != PTX_TYPE_NONE) {
        if (opcode->type_count == 0) opcode->proto.type = (uint8_t)type;
        if (opcode->type_count == 1) opcode->proto.type2 = (uint8_t)type;
        if (++opcode->type_count > 2) return unsupported(function, instruction, "too many types");
        return SIM_OK;
    }
    if (is_cache_hint(text) && (classes & (DECODE_CLASS(CACHE) | DECODE_CLASS(LEVEL)))) {
        opcode->classes |= classes & (DECODE_CLASS(CACHE) | DECODE_CLASS(LEVEL));
        if (strcmp(text, "L1::no_allocate") == 0) opcode->proto.cache = SIM_CACHE_ONCE;
        return SIM_OK;
    }
    const opcode_word *word = find_word(text, classes);
    if (!word) {
        snprintf(message, sizeof message, "'.%s' is not known here", text);
        return unsupported(function, instruction, message);
    }
    // Cache words and proxies may repeat; of anything else a second word would overrule the first.
    if ((opcode->classes & word->class) &&
        !(word->class & (DECODE_CLASS(CACHE) | DECODE_CLASS(PROXY)))) {
        snprintf(message, sizeof message, "'.%s' contradicts an earlier word", text);
        return unsupported(function, instruction, message);
    }
    opcode->classes |= word->class;
    apply_word(&opcode->proto, word);
    return SIM_OK;
}

static bool exactly_one(uint64_t set) { return set != 0 && (set & (set - 1)) == 0; }

// Of each of these sets an opcode has at most one.
static bool contradicts_itself(uint64_t classes) {
    static const uint64_t sets[] = {
        ROUND4 | C(RNA) | C(IRND) | C(APPROX) | C(FULL),
        C(HI) | C(LO) | C(WIDE),
        C(LEFT) | C(RIGHT),
        C(CLAMP) | C(WRAP),
    };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++)
        if ((classes & sets[i]) && !exactly_one(classes & sets[i])) return true;
    return false;
}

static bool fits_rule(const opcode_rule *rule, const decode_opcode *opcode) {
    if (rule->op != opcode->proto.op) return false;
    uint32_t wanted_types = (rule->types != 0) + (rule->second_types != 0);
    if (opcode->type_count != wanted_types) return false;
    if (rule->types && !(rule->types >> opcode->proto.type & 1)) return false;
    if (rule->second_types && !(rule->second_types >> opcode->proto.type2 & 1)) return false;
    uint64_t known = rule->one_of | rule->and_one_of | rule->may;
    if (opcode->classes & ~known) return false;
    if (rule->one_of && !exactly_one(opcode->classes & rule->one_of)) return false;
    return !rule->and_one_of || exactly_one(opcode->classes & rule->and_one_of);
}

static sim_status check_rules(const decode_function *function, const ptx_instruction *instruction,
                              const decode_opcode *opcode) {
    bool contradicts = contradicts_itself(opcode->classes);
    for (size_t i = 0; i < RULE_COUNT && !contradicts; i++)
        if (fits_rule(&rules[i], opcode)) return SIM_OK;
    return unsupported(function, instruction,
                       "this combination of types and modifiers is not one it knows");
}

// What follows from the words but is not one of them.
static void complete(decode_opcode *opcode, const char *name) {
    sim_instr *instr = &opcode->proto;
    uint64_t classes = opcode->classes;
    bool is_float = instr->type >= PTX_F16 && instr->type <= PTX_F64;
    if (instr->op == SIM_OP_MAD && is_float) instr->op = SIM_OP_FMA;
    if ((instr->mods & SIM_MOD_WIDE) && opcode->type_count == 1) instr->type2 = instr->type;
    if ((instr->op == SIM_OP_MIN || instr->op == SIM_OP_MAX) && (instr->mods & SIM_MOD_XORSIGN))
        instr->mods &= ~(uint32_t)SIM_MOD_ABS;
    if (instr->op == SIM_OP_BAR && strcmp(name, "bar") == 0) instr->mods |= SIM_MOD_ALIGNED;
    if (instr->type == PTX_PRED && instr->op != SIM_OP_VOTE && instr->op != SIM_OP_BAR)
        instr->mods |= SIM_MOD_PRED_OPERANDS;
    if (instr->vector == 0) instr->vector = 1;
    bool is_atomic = sim_is_atomic(instr);
    if (is_atomic && !(classes & DECODE_CLASS(ORDER))) instr->order = SIM_ORDER_RELAXED;
    if (is_atomic && !(classes & DECODE_CLASS(SCOPE))) instr->scope = SIM_FENCE_GPU;
    if (instr->op == SIM_OP_FENCE && !(classes & DECODE_CLASS(ORDER)))
        instr->order = strcmp(name, "membar") == 0 ? SIM_ORDER_SC : SIM_ORDER_ACQ_REL;
    if (instr->order == SIM_ORDER_VOLATILE) instr->scope = SIM_FENCE_SYS;
    if (instr->op != SIM_OP_FENCE && instr->order != SIM_ORDER_WEAK)
        instr->mods |= SIM_MOD_VOLATILE;
}

// What a constant operand may be, of what begins with `name` and has none of the words `none`.
typedef struct opcode_limit {
    const char *name, *none;
    uint32_t operand;
    int64_t least, most, multiple;
    bool is_constant; // it must be one
} opcode_limit;

static const opcode_limit limits[] = {
    {"bfe", "", 2, 0, 255, 1, false},
    {"bfe", "", 3, 0, 255, 1, false},
    {"bfi", "", 3, 0, 255, 1, false},
    {"bfi", "", 4, 0, 255, 1, false},
    {"pmevent", "mask", 0, 0, 15, 1, true},
    {"pmevent.mask", "", 0, 0, 65535, 1, true},
    {"discard", "", 1, 128, 128, 1, true},
    {"applypriority", "", 1, 128, 128, 1, true},
    {"cp.async.wait_group", "", 0, INT64_MIN, INT64_MAX, 1, true},
    {"cp.async.bulk.wait_group", "", 0, INT64_MIN, INT64_MAX, 1, true},
    {"cp.async.bulk", "tensor prefetch commit_group wait_group", 2, 0, INT64_MAX, 16, false},
    {"cp.async.bulk.prefetch", "tensor", 1, 0, INT64_MAX, 16, false},
    {"cp.reduce.async.bulk", "tensor", 2, 0, INT64_MAX, 16, false},
};
enum { LIMIT_COUNT = sizeof limits / sizeof limits[0] };

static bool is_limited(const opcode_limit *limit, const ptx_instruction *instruction) {
    return words_spelled(limit->name, instruction) && !has_word_of(instruction, limit->none);
}

static sim_status decode_words(const decode_function *function, const ptx_instruction *instruction,
                               decode_opcode *opcode) {
    uint32_t first;
    TRY(check_needs(function, instruction));
    sim_op op = find_op(instruction, &first);
    if (op == SIM_OP_COUNT) return unsupported(function, instruction, NULL);
    TRY(check_leads(function, instruction));
    TRY(check_clashes(function, instruction));
    *opcode = (decode_opcode){.text = instruction->opcode};
    opcode->proto = (sim_instr){.op = (uint16_t)op,
                                .guard = SIM_NO_SLOT,
                                .dst = SIM_NO_SLOT,
                                .dst2 = SIM_NO_SLOT,
                                .list = SIM_NO_SLOT,
                                .target = SIM_NO_SLOT,
                                .reconverge = SIM_PC_EXIT};
    for (int i = 0; i < 4; i++) opcode->proto.src[i] = SIM_NO_SLOT;
    if (has_rule(op)) { // else the operand form reads the words
        uint64_t classes = classes_of(op);
        for (uint32_t i = first; i < instruction->word_count; i++)
            TRY(read_word(function, instruction, instruction->words[i], classes, opcode));
        TRY(check_rules(function, instruction, opcode));
    }
    bool widens = op == SIM_OP_CVT && opcode->proto.type >= PTX_F16 &&
                  opcode->proto.type2 >= PTX_F16 && opcode->proto.type <= PTX_F64 &&
                  (opcode->proto.type2 == PTX_F32 || opcode->proto.type2 == PTX_F16) &&
                  ptx_type_bytes((ptx_type)opcode->proto.type) >
                      ptx_type_bytes((ptx_type)opcode->proto.type2);
    if (widens && (opcode->classes & (ROUND4 | C(IRND))))
        return decode_fail(function->module, instruction->place, SIM_BAD_PTX,
                           "'%s': nothing is rounded here", instruction->opcode);
    if ((opcode->classes & DECODE_CLASS(REVOLUTIONS)) && !(opcode->classes & DECODE_CLASS(FTZ)))
        return decode_fail(function->module, instruction->place, SIM_BAD_PTX,
                           "'%s': .2pi goes with .ftz", instruction->opcode);
    if (op == SIM_OP_BAR && (opcode->proto.mods & SIM_MOD_ALIGNED) &&
        strcmp(instruction->words[0], "bar") == 0)
        return decode_fail(function->module, instruction->place, SIM_BAD_PTX,
                           "'%s': '.aligned' belongs to barrier; bar is always aligned",
                           instruction->opcode);
    for (uint32_t i = 0; i < LIMIT_COUNT; i++)
        opcode->is_limited |= is_limited(&limits[i], instruction);
    complete(opcode, instruction->words[0]);
    opcode->proto.evidence = (uint8_t)(sim_evidence_of(instruction->opcode, NULL) & 3);
    opcode->proto.inexact = sim_inexact_of(instruction->opcode) != NULL;
    return SIM_OK;
}

// Whether the constants among the operands exist (limits).
static sim_status check_limits(const decode_function *function,
                               const ptx_instruction *instruction) {
    for (uint32_t i = 0; i < LIMIT_COUNT; i++) {
        const opcode_limit *limit = &limits[i];
        if (instruction->operand_count <= limit->operand || !is_limited(limit, instruction))
            continue;
        const ptx_operand *operand = &instruction->operands[limit->operand];
        bool is_constant = operand->kind == PTX_OPERAND_INT;
        if (limit->is_constant && !is_constant)
            return decode_operand_fail(function, operand, "a constant is wanted");
        if (!is_constant || (operand->value >= limit->least && operand->value <= limit->most &&
                             operand->value % limit->multiple == 0))
            continue;
        if (limit->multiple > 1)
            return decode_operand_fail(function, operand, "a multiple of %d is wanted",
                                       (int)limit->multiple);
        return decode_operand_fail(function, operand, "%d to %d is wanted", (int)limit->least,
                                   (int)limit->most);
    }
    return SIM_OK;
}

sim_status decode_find_opcode(decode_function *function, const ptx_instruction *instruction,
                              const decode_opcode **out_opcode) {
    decode_module *module = function->module;
    uint32_t index = decode_map_get(&module->opcodes, instruction->words);
    if (index == DECODE_NONE) {
        decode_opcode opcode;
        TRY(decode_words(function, instruction, &opcode));
        index = module->opcode_count;
        decode_opcode *cell = DECODE_PUSH(module->scratch, module->opcode_table,
                                          module->opcode_count, module->opcode_capacity);
        if (!cell || !decode_map_put(module->scratch, &module->opcodes, instruction->words, index))
            return decode_no_memory(module);
        *cell = opcode;
    }
    *out_opcode = &module->opcode_table[index];
    return (*out_opcode)->is_limited ? check_limits(function, instruction) : SIM_OK;
}
