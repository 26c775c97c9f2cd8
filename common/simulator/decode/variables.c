// From which variable of shared memory an address is formed, so that an index past its end is seen
// though it stays inside the block's shared memory. An address may move about in one variable, but
// no arithmetic leads from one to another (ISO C 6.5.6); where it may be of several variables, or
// of memory that the program divides by hand, nothing is said.
#include "decode/internal.h"

// What a register holds, by value: NOTHING yet, a NUMBER, a symbol + FIRST, or MANY of these.
enum { NOTHING, NUMBER, FIRST, MANY = 0xFFFFFFFFu };

typedef struct variable_search {
    const decode_function *function;
    uint32_t *held;         // by value
    const sim_instr *instr; // that is being looked at
    uint32_t result;        // what it writes
    bool changed;
} variable_search;

static uint32_t join(uint32_t a, uint32_t b) {
    if (a == NOTHING || a == b) return b;
    return b == NOTHING ? a : MANY;
}

// The address that a sum of two such values is; NUMBER where neither is one.
static uint32_t sum_of(uint32_t a, uint32_t b) {
    if (a == NOTHING || b == NOTHING) return NOTHING;
    if (a == NUMBER) return b;
    return b == NUMBER ? a : MANY;
}

static uint32_t held_by(const variable_search *search, uint32_t value) {
    return value == SIM_NO_SLOT ? NUMBER : search->held[value];
}

static uint32_t number_only(uint32_t a) { return a == NOTHING || a == NUMBER ? a : MANY; }

static void read_any(void *context, uint32_t *field, bool is_write) {
    variable_search *search = context;
    if (!is_write) search->result = sum_of(search->result, number_only(search->held[*field]));
}

static void write_result(void *context, uint32_t *field, bool is_write) {
    variable_search *search = context;
    if (!is_write) return;
    uint32_t joined = join(search->held[*field], search->result);
    search->changed |= joined != search->held[*field];
    search->held[*field] = joined;
}

static uint32_t result_of(variable_search *search, sim_instr *instr) {
    uint32_t a = held_by(search, instr->src[0]), b = held_by(search, instr->src[1]);
    switch (instr->op) {
    case SIM_OP_MOV: return instr->variable ? instr->variable - 1 + FIRST : a;
    case SIM_OP_CVT:
    case SIM_OP_CVTA: return a;
    case SIM_OP_ADD:
    case SIM_OP_OR: return sum_of(a, b); // `or` adds where no bits are in common
    case SIM_OP_SUB: return sum_of(a, number_only(b));
    case SIM_OP_MAD:
        return sum_of(sum_of(number_only(a), number_only(b)), held_by(search, instr->src[2]));
    case SIM_OP_SELP: return join(a, b);
    case SIM_OP_LD:
    case SIM_OP_LDU:
    case SIM_OP_ATOM:
    case SIM_OP_CALL: return NUMBER; // or an address of which nothing is known
    default:
        search->result = NUMBER;
        decode_for_slots(search->function, instr, read_any, search);
        return search->result;
    }
}

static bool is_moved_about(const decode_value *value) {
    return value->kind == VALUE_REGISTER && !value->live_in;
}

sim_status decode_find_variables(decode_function *function) {
    variable_search search = {.function = function};
    sim_program *program = function->module->program;
    bool any = false;
    for (uint32_t pc = 0; pc < function->code_count; pc++) any |= function->code[pc].variable != 0;
    if (!any) return SIM_OK;
    search.held = sim_arena_array(function->scratch, function->value_count, sizeof *search.held);
    if (!search.held) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < function->value_count; i++)
        search.held[i] = is_moved_about(&function->values[i]) ? NOTHING : NUMBER;
    do {
        search.changed = false;
        for (uint32_t pc = 0; pc < function->code_count; pc++) {
            search.result = result_of(&search, &function->code[pc]);
            decode_for_slots(function, &function->code[pc], write_result, &search);
        }
    } while (search.changed);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        bool accesses = sim_is_access(instr);
        uint32_t held = accesses ? held_by(&search, instr->src[0]) : NUMBER;
        if (!accesses) instr->variable = 0;
        else if (!instr->variable && held >= FIRST && held != MANY)
            instr->variable = held - FIRST + 1;
        if (instr->variable && program->symbols[instr->variable - 1].is_dynamic_shared)
            instr->variable = 0; // the program divides it by hand
    }
    return SIM_OK;
}
