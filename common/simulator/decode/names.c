// What the names of a function mean to a debugger: registers, local and parameter variables of the
// outermost scope. Those of inner scopes (arguments of calls, inline PTX) have gone by then.
#include "decode/internal.h"

static const uint8_t width_bytes[WIDTH_COUNT] = {0, 4, 8, 16};

typedef struct name_list {
    const decode_function *function;
    sim_name *names; // NULL: they are only counted
    uint32_t count;
} name_list;

static void add(name_list *list, sim_name name) {
    if (list->names) list->names[list->count] = name;
    list->count++;
}

static void add_register(name_list *list, const char *name, uint32_t number) {
    const decode_value *value = &list->function->values[number];
    if (value->slot == SIM_NO_SLOT) return; // declared, never used
    add(list, (sim_name){name, SIM_NAME_REGISTER, width_bytes[value->width], value->slot});
}

static void add_declared(name_list *list, const decode_name *name) {
    if (name->kind == NAME_REGISTER && name->generation == 0)
        add_register(list, name->name, name->value);
    else if (name->kind == NAME_LOCAL)
        add(list, (sim_name){name->name, SIM_NAME_LOCAL, 0, name->offset});
    else if (name->kind == NAME_ENTRY_PARAM)
        add(list, (sim_name){name->name, SIM_NAME_PARAM, 0, name->offset});
}

// "%r" and 5 to "%r5" in the program's memory; NULL: no memory.
static const char *number_name(const decode_function *function, const char *prefix,
                               uint32_t number) {
    char text[256];
    int length = snprintf(text, sizeof text, "%s%u", prefix, number);
    if (length < 0 || (size_t)length >= sizeof text) return "";
    return sim_arena_copy(function->module->arena, text, (size_t)length + 1);
}

static sim_status add_range(name_list *list, const decode_range *range) {
    for (uint32_t i = 0; i < range->variable->count; i++) {
        if (range->values[i] == 0) continue;
        const char *name = "";
        if (list->names) name = number_name(list->function, range->variable->name, i);
        if (!name) return decode_no_memory(list->function->module);
        add_register(list, name, range->values[i] - 1);
    }
    return SIM_OK;
}

static sim_status list_names(name_list *list) {
    const decode_function *function = list->function;
    list->count = 0;
    for (uint32_t i = 0; i < function->name_count; i++)
        add_declared(list, &function->name_table[i]);
    for (uint32_t i = 0; i < function->range_count; i++) TRY(add_range(list, &function->ranges[i]));
    return SIM_OK;
}

sim_status decode_list_names(decode_function *function) {
    name_list list = {.function = function};
    TRY(list_names(&list));
    list.names = sim_arena_array(function->module->arena, list.count, sizeof *list.names);
    if (!list.names) return decode_no_memory(function->module);
    TRY(list_names(&list));
    function->out->names = list.names;
    function->out->name_count = list.count;
    return SIM_OK;
}
