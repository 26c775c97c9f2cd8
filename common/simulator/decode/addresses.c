// Numbers for what address registers hold. A new number for each value that a register gets is
// `base`. A number that a sum takes over from one of its terms, when the other one is the same in
// all threads of a block, is `shape`: the distances between the lanes stay as they were. A loop of
// one block steps its pointers by such sums, so that their shape stays from pass to pass.
#include "decode/internal.h"

typedef struct register_shape {
    uint32_t entered; // its shape at the beginning of the block; 0: written before it was read
    uint32_t now;
    uint32_t pass; // over a block that these are of
} register_shape;

typedef struct address_numbers {
    decode_function *function;
    uint32_t *bases;        // by value: what it holds
    register_shape *shapes; // by value
    uint32_t *writes;       // by value; those under a guard count twice
    bool *is_common;        // by value: the same in all threads of a block, wherever it is read
    uint32_t last_base, last_shape;
    uint32_t pass;
    bool again;             // second pass over a loop
    const sim_instr *instr; // that is being looked at
    bool reads_common;
} address_numbers;

// ---- What all threads of a block have in common -------------------------------------------------

static void count_write(void *context, uint32_t *field, bool is_write) {
    address_numbers *numbers = context;
    if (is_write) numbers->writes[*field] += numbers->instr->guard == SIM_NO_SLOT ? 1 : 2;
}

static void test_read(void *context, uint32_t *field, bool is_write) {
    address_numbers *numbers = context;
    if (!is_write) numbers->reads_common = numbers->reads_common && numbers->is_common[*field];
}

static bool is_given_in_common(const decode_value *value) {
    bool by_block = value->special >= SIM_SPECIAL_NTID_X && value->special <= SIM_SPECIAL_NCTAID_Z;
    return value->kind == VALUE_CONSTANT || (value->kind == VALUE_SPECIAL && by_block);
}

// Whether an instruction's result follows from what it reads and nothing else.
static bool is_pure(const decode_function *function, const sim_instr *instr) {
    if (instr->dst == SIM_NO_SLOT || instr->dst2 != SIM_NO_SLOT || instr->list != SIM_NO_SLOT)
        return false;
    switch (instr->op) {
    case SIM_OP_ADD:
    case SIM_OP_SUB:
    case SIM_OP_MUL:
    case SIM_OP_MAD:
    case SIM_OP_DIV:
    case SIM_OP_REM:
    case SIM_OP_MIN:
    case SIM_OP_MAX:
    case SIM_OP_NEG:
    case SIM_OP_AND:
    case SIM_OP_OR:
    case SIM_OP_XOR:
    case SIM_OP_NOT:
    case SIM_OP_SHL:
    case SIM_OP_SHR:
    case SIM_OP_MOV:
    case SIM_OP_CVT:
    case SIM_OP_CVTA: return true;
    case SIM_OP_LD:
        return instr->space == PTX_SPACE_PARAM && !(instr->mods & SIM_MOD_FRAME) &&
               function->out->is_entry;
    default: return false;
    }
}

// A register that is written in one place, before all that read it, from values in common: each
// thread that comes there writes the same.
static void find_common(address_numbers *numbers, const decode_interval *intervals) {
    decode_function *function = numbers->function;
    for (uint32_t i = 0; i < function->value_count; i++)
        numbers->is_common[i] = is_given_in_common(&function->values[i]);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        if (!is_pure(function, instr)) continue;
        bool is_set_once = numbers->writes[instr->dst] == 1 && intervals[instr->dst].first > 0 &&
                           !function->values[instr->dst].live_in;
        numbers->reads_common = true;
        decode_for_slots(function, instr, test_read, numbers);
        numbers->is_common[instr->dst] = is_set_once && numbers->reads_common;
    }
}

// ---- Bases --------------------------------------------------------------------------------------

static void give_base(void *context, uint32_t *field, bool is_write) {
    address_numbers *numbers = context;
    if (is_write) numbers->bases[*field] = ++numbers->last_base;
}

static void number_bases(address_numbers *numbers) {
    decode_function *function = numbers->function;
    for (uint32_t i = 0; i < function->value_count; i++) numbers->bases[i] = ++numbers->last_base;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        if (instr->src[0] != SIM_NO_SLOT) instr->base = numbers->bases[instr->src[0]];
        decode_for_slots(function, instr, give_base, numbers);
    }
}

// ---- Shapes -------------------------------------------------------------------------------------

static uint32_t shape_of(address_numbers *numbers, uint32_t value) {
    register_shape *shape = &numbers->shapes[value];
    if (shape->pass != numbers->pass) {
        bool stays = numbers->again && shape->pass == numbers->pass - 1 && shape->entered &&
                     shape->entered == shape->now;
        uint32_t number = ++numbers->last_shape | (stays ? SIM_SHAPE_STAYS : 0);
        *shape = (register_shape){number, number, numbers->pass};
    }
    return shape->now;
}

static void set_shape(address_numbers *numbers, uint32_t value, uint32_t number) {
    register_shape *shape = &numbers->shapes[value];
    uint32_t entered = shape->pass == numbers->pass ? shape->entered : 0;
    *shape = (register_shape){entered, number, numbers->pass};
}

static void give_shape(void *context, uint32_t *field, bool is_write) {
    address_numbers *numbers = context;
    if (is_write) set_shape(numbers, *field, ++numbers->last_shape);
}

// The register whose shape the result has; SIM_NO_SLOT: another one.
static uint32_t takes_shape_of(const address_numbers *numbers, const sim_instr *instr) {
    bool whole = instr->type == PTX_S32 || instr->type == PTX_U32 || instr->type == PTX_S64 ||
                 instr->type == PTX_U64 || instr->type == PTX_B32 || instr->type == PTX_B64;
    if (instr->guard != SIM_NO_SLOT || !whole) return SIM_NO_SLOT;
    if (instr->op == SIM_OP_CVTA) return instr->src[0]; // adds where a window begins
    if (instr->mods) return SIM_NO_SLOT;
    bool is_sum = instr->op == SIM_OP_ADD, is_difference = instr->op == SIM_OP_SUB;
    if (instr->op == SIM_OP_MOV) return instr->src[0];
    if ((is_sum || is_difference) && numbers->is_common[instr->src[1]]) return instr->src[0];
    return is_sum && numbers->is_common[instr->src[0]] ? instr->src[1] : SIM_NO_SLOT;
}

static void number_block(address_numbers *numbers, uint32_t begin, uint32_t end) {
    decode_function *function = numbers->function;
    numbers->pass++;
    for (uint32_t pc = begin; pc < end; pc++) {
        sim_instr *instr = &function->code[pc];
        if (instr->src[0] != SIM_NO_SLOT) instr->shape = shape_of(numbers, instr->src[0]);
        uint32_t like = takes_shape_of(numbers, instr);
        uint32_t taken = like == SIM_NO_SLOT ? 0 : shape_of(numbers, like);
        decode_for_slots(function, instr, give_shape, numbers);
        if (taken) set_shape(numbers, instr->dst, taken);
    }
}

static void number_shapes(address_numbers *numbers) {
    const sim_cfg *cfg = &numbers->function->cfg;
    for (uint32_t block = 0; block < cfg->graph.count; block++) {
        uint32_t begin = cfg->first_pc[block], end = cfg->first_pc[block + 1];
        const sim_instr *last = &numbers->function->code[end - 1];
        numbers->again = false;
        number_block(numbers, begin, end);
        if (last->op != SIM_OP_BRA || last->target != begin) continue;
        numbers->again = true;
        number_block(numbers, begin, end);
    }
}

sim_status decode_number_addresses(decode_function *function, const decode_interval *intervals) {
    sim_arena *arena = function->scratch;
    uint32_t count = function->value_count;
    address_numbers numbers = {.function = function,
                               .bases = sim_arena_array(arena, count, sizeof *numbers.bases),
                               .shapes = sim_arena_array(arena, count, sizeof *numbers.shapes),
                               .writes = sim_arena_array(arena, count, sizeof *numbers.writes),
                               .is_common =
                                   sim_arena_array(arena, count, sizeof *numbers.is_common)};
    if (!numbers.bases || !numbers.shapes || !numbers.writes || !numbers.is_common)
        return decode_no_memory(function->module);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        numbers.instr = &function->code[pc];
        decode_for_slots(function, &function->code[pc], count_write, &numbers);
    }
    find_common(&numbers, intervals);
    number_bases(&numbers);
    number_shapes(&numbers);
    return SIM_OK;
}
