// Branches and accesses whose condition or address may depend on a result that a card may give
// otherwise (program/inexact.def). Followed through registers in any order, and through memory of a
// kind as a whole: what is loaded from it depends on such a result when one is stored to it. Calls
// are not followed: one that is handed such a result counts.
#include "decode/internal.h"
#include "program/ir.h"

enum { SPACES = PTX_SPACE_TEX + 1 };

typedef struct misled_search {
    const decode_function *function;
    bool *doubtful;          // by value
    bool in_memory[SPACES];  // by space; NONE: of any
    bool is_inexact, result; // of the instruction at hand: it reads a special register; what it
                             // writes is doubtful
    bool changed;
} misled_search;

static bool is_inexact_value(const decode_value *value) {
    return value->kind == VALUE_SPECIAL && sim_inexact_special((sim_special_id)value->special);
}

static void read_doubt(void *context, uint32_t *field, bool is_write) {
    misled_search *search = context;
    if (is_write) return;
    search->is_inexact |= is_inexact_value(&search->function->values[*field]);
    search->result |= search->doubtful[*field];
}

static void write_doubt(void *context, uint32_t *field, bool is_write) {
    misled_search *search = context;
    if (is_write && !search->doubtful[*field]) search->doubtful[*field] = search->changed = true;
}

// Whether it goes where its first operand says.
static bool is_access(const sim_instr *instr) {
    if (sim_is_by_thread(instr)) return true;
    switch (sim_role_of(instr)) {
    case SIM_ROLE_LOAD:
    case SIM_ROLE_STORE:
    case SIM_ROLE_ATOMIC:
    case SIM_ROLE_COPY: return true;
    case SIM_ROLE_SYNC: return sim_uses_mbarrier(instr);
    case SIM_ROLE_PLAIN:
    case SIM_ROLE_EXCHANGE:
    case SIM_ROLE_CONTROL: return false;
    }
    return false;
}

// What textures and surfaces hold is not followed.
static bool moves(const sim_instr *instr, sim_role role) {
    return sim_role_of(instr) == role && sim_op_rows[instr->op].pipe != SIM_PIPE_TEX;
}

static bool loads_doubt(const sim_instr *instr) {
    return sim_is_atom(instr) || moves(instr, SIM_ROLE_LOAD);
}

static bool stores_doubt(const sim_instr *instr) {
    return sim_is_atomic(instr) || moves(instr, SIM_ROLE_STORE);
}

// A store without a space may lead to any, and a load without one finds what went to any.
static void spread_memory(misled_search *search, const sim_instr *instr) {
    if (instr->mods & SIM_MOD_FRAME) return; // a call's parameter, whose slot is visited
    if (loads_doubt(instr)) search->result |= search->in_memory[instr->space];
    if (!stores_doubt(instr) || !search->result) return;
    for (int space = 0; space < SPACES; space++) {
        bool reached =
            instr->space == PTX_SPACE_NONE || space == instr->space || space == PTX_SPACE_NONE;
        if (!reached || search->in_memory[space]) continue;
        search->in_memory[space] = search->changed = true;
    }
}

static void follow_doubt(misled_search *search, sim_instr *instr) {
    search->is_inexact = false;
    search->result = instr->inexact;
    decode_for_slots(search->function, instr, read_doubt, search);
    if (search->is_inexact ||
        (instr->op == SIM_OP_SREG && sim_inexact_special((sim_special_id)instr->variant)))
        instr->inexact = search->result = true;
    spread_memory(search, instr);
    if (search->result) decode_for_slots(search->function, instr, write_doubt, search);
}

static bool is_doubtful(const misled_search *search, uint32_t value) {
    return value != SIM_NO_SLOT && search->doubtful[value];
}

static bool is_misled(const misled_search *search, const sim_instr *instr) {
    if (is_doubtful(search, instr->guard)) return true;
    if (instr->op == SIM_OP_BRX && is_doubtful(search, instr->src[0])) return true;
    return is_access(instr) && is_doubtful(search, instr->src[0]);
}

static void read_argument(void *context, uint32_t *field, bool is_write) {
    misled_search *search = context;
    if (!is_write) search->result |= search->doubtful[*field];
}

sim_status decode_find_misled(decode_function *function) {
    misled_search search = {.function = function};
    search.doubtful =
        sim_arena_array(function->scratch, function->value_count, sizeof *search.doubtful);
    if (!search.doubtful) return decode_no_memory(function->module);
    do {
        search.changed = false;
        for (uint32_t pc = 0; pc < function->code_count; pc++)
            follow_doubt(&search, &function->code[pc]);
    } while (search.changed);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        search.result = false;
        if (instr->op == SIM_OP_CALL) decode_for_slots(function, instr, read_argument, &search);
        instr->misled = search.result || is_misled(&search, instr);
    }
    return SIM_OK;
}
