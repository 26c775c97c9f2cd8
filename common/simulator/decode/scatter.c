// Stores whose address depends on data, not on the thread's indices and the kernel's arguments
// alone: how much of an array they fill is known when they have run. And stores of values that were
// loaded and not changed.
#include "decode/internal.h"

typedef struct data_search {
    const decode_function *function;
    bool *is_data; // by value
    bool result, changed;
    bool by_address; // what a load brings depends on its address
} data_search;

static void read_dependence(void *context, uint32_t *field, bool is_write) {
    data_search *search = context;
    if (!is_write) search->result |= search->is_data[*field];
}

static void write_dependence(void *context, uint32_t *field, bool is_write) {
    data_search *search = context;
    if (!is_write || !search->result || search->is_data[*field]) return;
    search->is_data[*field] = search->changed = true;
}

// Whether what the instruction writes comes from memory or from other threads.
static bool brings_data(const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_LD: return instr->space != PTX_SPACE_PARAM && instr->space != PTX_SPACE_CONST;
    case SIM_OP_LDU:
    case SIM_OP_ATOM:
    case SIM_OP_TEX:
    case SIM_OP_SHFL:
    case SIM_OP_VOTE:
    case SIM_OP_MATCH:
    case SIM_OP_REDUX:
    case SIM_OP_BAR:
    case SIM_OP_CALL: return true;
    default: return false;
    }
}

// Finds the values that depend on what the instructions write for which `begins` is true.
static void spread(data_search *search, bool (*begins)(const sim_instr *instr)) {
    const decode_function *function = search->function;
    do {
        search->changed = false;
        for (uint32_t pc = 0; pc < function->code_count; pc++) {
            sim_instr *instr = &function->code[pc];
            search->result = begins(instr);
            if (!search->result && (search->by_address || instr->op != SIM_OP_LD))
                decode_for_slots(function, instr, read_dependence, search);
            decode_for_slots(function, instr, write_dependence, search);
        }
    } while (search->changed);
}

// Whether it computes what it writes.
static bool computes(const sim_instr *instr) {
    return instr->op != SIM_OP_LD && instr->op != SIM_OP_MOV;
}

static bool is_in(const decode_function *function, const sim_instr *store, const bool *set) {
    if (store->vector <= 1) return store->src[1] != SIM_NO_SLOT && set[store->src[1]];
    for (uint32_t i = 0; i < store->vector; i++)
        if (set[function->slots[store->list + i]]) return true;
    return false;
}

sim_status decode_find_scatter(decode_function *function) {
    data_search search = {.function = function, .by_address = true};
    data_search computed = {.function = function};
    search.is_data =
        sim_arena_array(function->scratch, function->value_count, sizeof *search.is_data);
    computed.is_data =
        sim_arena_array(function->scratch, function->value_count, sizeof *computed.is_data);
    if (!search.is_data || !computed.is_data) return decode_no_memory(function->module);
    spread(&search, brings_data);
    spread(&computed, computes);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        if (instr->op != SIM_OP_ST) continue;
        instr->scattered = instr->src[0] != SIM_NO_SLOT && search.is_data[instr->src[0]];
        instr->copies =
            is_in(function, instr, search.is_data) && !is_in(function, instr, computed.is_data);
    }
    return SIM_OK;
}
