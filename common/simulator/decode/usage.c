// Who calls whom and who uses which shared variable: a scan over the syntax of all functions before
// any code is decoded. Over-approximates: an indirect call may reach every function whose address
// is taken.
#include "decode/internal.h"

typedef struct usage_scan {
    decode_module *module;
    decode_usage *usage;
    decode_map local_shared; // function-scope .shared of this function by name
} usage_scan;

static sim_status add_unique(decode_module *module, uint32_t **array, uint32_t *count,
                             uint32_t *capacity, uint32_t value) {
    for (uint32_t i = 0; i < *count; i++)
        if ((*array)[i] == value) return SIM_OK;
    uint32_t *cell = DECODE_PUSH(module->scratch, *array, *count, *capacity);
    if (!cell) return decode_no_memory(module);
    *cell = value;
    return SIM_OK;
}

static sim_status add_callee(usage_scan *scan, uint32_t function) {
    return add_unique(scan->module, &scan->usage->callees, &scan->usage->callee_count,
                      &scan->usage->callee_capacity, function);
}

static sim_status use_symbol(usage_scan *scan, uint32_t index) {
    const sim_symbol *symbol = &scan->module->program->symbols[index];
    if (symbol->space != PTX_SPACE_SHARED) return SIM_OK;
    return add_unique(scan->module, &scan->usage->shared, &scan->usage->shared_count,
                      &scan->usage->shared_capacity, index);
}

// A name in an operand that is not the callee of a call.
static sim_status use_name(usage_scan *scan, const char *name) {
    if (!name) return SIM_OK;
    if (name[0] == '%') {
        if (strcmp(name, DECODE_SCRATCH_REGISTER) == 0) scan->usage->uses_scratch = true;
        return SIM_OK;
    }
    uint32_t index = decode_map_get(&scan->local_shared, name);
    if (index == DECODE_NONE) index = decode_map_get(&scan->module->symbols, name);
    if (index != DECODE_NONE) return use_symbol(scan, index);
    uint32_t function = decode_find_function(scan->module, name);
    if (function != DECODE_NONE) scan->module->address_taken[function] = true;
    return SIM_OK;
}

static sim_status use_operand(usage_scan *scan, const ptx_operand *operand) {
    if (operand->kind == PTX_OPERAND_NAME || operand->kind == PTX_OPERAND_ADDRESS)
        TRY(use_name(scan, operand->name));
    for (uint32_t i = 0; i < operand->item_count; i++) TRY(use_operand(scan, &operand->items[i]));
    return SIM_OK;
}

static sim_status use_call(usage_scan *scan, const ptx_instruction *call) {
    uint32_t callee = 0;
    if (call->operand_count && call->operands[0].kind == PTX_OPERAND_LIST) callee = 1;
    for (uint32_t i = 0; i < call->operand_count; i++) {
        const ptx_operand *operand = &call->operands[i];
        if (i != callee) {
            if (operand->kind == PTX_OPERAND_LIST) TRY(use_operand(scan, operand));
            continue;
        }
        if (operand->kind != PTX_OPERAND_NAME) continue; // an error where it is decoded
        uint32_t function = decode_find_function(scan->module, operand->name);
        if (function != DECODE_NONE) TRY(add_callee(scan, function));
        else if (decode_map_get(&scan->module->bodiless, operand->name) == DECODE_NONE)
            scan->usage->calls_indirectly = true;
    }
    return SIM_OK;
}

static sim_status scan_function(usage_scan *scan, const ptx_function *function) {
    for (uint32_t i = 0; i < function->statement_count; i++) {
        const ptx_statement *statement = &function->statements[i];
        if (statement->kind == PTX_STATEMENT_VARIABLE &&
            statement->variable->space == PTX_SPACE_SHARED) {
            uint32_t symbol = decode_map_get(&scan->module->function_shared, statement->variable);
            if (!decode_map_put(scan->module->scratch, &scan->local_shared,
                                statement->variable->name, symbol))
                return decode_no_memory(scan->module);
            TRY(use_symbol(scan, symbol)); // ptxas counts it, used or not
        }
        if (statement->kind != PTX_STATEMENT_INSTRUCTION) continue;
        const ptx_instruction *instruction = statement->instruction;
        if (strcmp(instruction->words[0], "call") == 0) {
            TRY(use_call(scan, instruction));
            continue;
        }
        for (uint32_t k = 0; k < instruction->operand_count; k++)
            TRY(use_operand(scan, &instruction->operands[k]));
    }
    return SIM_OK;
}

sim_status decode_scan_usage(decode_module *module) {
    for (uint32_t i = 0; i < module->syntax->variable_count; i++) {
        const ptx_variable *variable = &module->syntax->variables[i];
        for (uint32_t k = 0; k < variable->init_symbol_count; k++) {
            uint32_t function = decode_find_function(module, variable->init_symbols[k].name);
            if (function != DECODE_NONE) module->address_taken[function] = true;
        }
    }
    for (uint32_t i = 0; i < module->program->function_count; i++) {
        usage_scan scan = {.module = module, .usage = &module->usage[i]};
        TRY(scan_function(&scan, module->bodies[i]));
    }
    return SIM_OK;
}

typedef struct reach_search {
    uint32_t *queue, count;
    uint32_t stamp;
} reach_search;

static void reach(decode_module *module, reach_search *search, uint32_t function) {
    if (module->usage[function].stamp == search->stamp) return;
    module->usage[function].stamp = search->stamp;
    search->queue[search->count++] = function;
}

sim_status decode_for_reachable(decode_module *module, uint32_t root,
                                void (*visit)(decode_module *module, uint32_t function,
                                              void *context),
                                void *context) {
    uint32_t function_count = module->program->function_count;
    // One search after another: a stamp per search saves clearing marks.
    reach_search search = {.stamp = ++module->search_stamp};
    if (!module->search_queue)
        module->search_queue =
            sim_arena_array(module->scratch, function_count, sizeof *module->search_queue);
    search.queue = module->search_queue;
    if (!search.queue) return decode_no_memory(module);
    reach(module, &search, root);
    for (uint32_t i = 0; i < search.count; i++) {
        const decode_usage *usage = &module->usage[search.queue[i]];
        visit(module, search.queue[i], context);
        for (uint32_t k = 0; k < usage->callee_count; k++)
            reach(module, &search, usage->callees[k]);
        if (!usage->calls_indirectly) continue;
        for (uint32_t k = 0; k < function_count; k++)
            if (module->address_taken[k]) reach(module, &search, k);
    }
    return SIM_OK;
}

static void add_order(decode_module *module, uint32_t function, void *context) {
    bool *orders_blocks = context;
    *orders_blocks = *orders_blocks || module->usage[function].orders_blocks;
}

static void add_barrier(decode_module *module, uint32_t function, void *context) {
    bool *has_barrier = context;
    *has_barrier = *has_barrier || module->usage[function].has_barrier;
}

sim_status decode_propagate_properties(decode_module *module) {
    for (uint32_t i = 0; i < module->program->function_count; i++) {
        sim_function *function = &module->program->functions[i];
        TRY(decode_for_reachable(module, i, add_order, &function->orders_blocks));
        TRY(decode_for_reachable(module, i, add_barrier, &function->has_barrier));
    }
    return SIM_OK;
}
