// What a debugger is told. From .loc to the line of the user (PTX ISA 9.0, section 11.5.2): the
// table of source files and, for code inlined from headers of the toolkit or the system, the place
// of the call outside them. And names.
#include "decode/internal.h"

static const void *file_key(uint32_t file) { return (const void *)((uintptr_t)file + 1); }

sim_status decode_collect_files(decode_module *module) {
    const ptx_module *syntax = module->syntax;
    const char **files = sim_arena_array(module->arena, syntax->file_count, sizeof *files);
    if (!files) return decode_no_memory(module);
    for (uint32_t i = 0; i < syntax->file_count; i++) {
        const char *name = syntax->files[i].name;
        char *path = sim_arena_text(module->arena, name, strlen(name));
        if (!path) return decode_no_memory(module);
        sim_path_shorten(path);
        files[i] = path;
        if (!decode_map_put(module->scratch, &module->file_map, file_key(syntax->files[i].index),
                            i))
            return decode_no_memory(module);
    }
    module->program->files = files;
    module->program->file_count = syntax->file_count;
    return SIM_OK;
}

// Where compilers and toolkits keep their headers. A user's own path holds none of these.
static bool is_system_file(const char *name) {
    static const char *const prefixes[] = {"/usr/include/", "/usr/lib/", "/usr/local/cuda"};
    static const char *const parts[] = {"/targets/x86_64-linux/include/",
                                        "/targets/aarch64-linux/include/",
                                        "/targets/sbsa-linux/include/",
                                        "/../include/c++/",
                                        "/include/crt/",
                                        "/include/cuda/std/",
                                        "/include/cccl/"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

static bool is_user_file(const decode_module *module, uint32_t file) {
    uint32_t index = decode_map_get(&module->file_map, file_key(file));
    return index != DECODE_NONE && !is_system_file(module->syntax->files[index].name);
}

// What waits are told by; the name of a function of the toolkit's headers decides.
static uint32_t wait_call(const decode_module *module, const ptx_location *location) {
    static const struct {
        const char *class, *function;
    } rows[] = {
        {"", ""},
#define SIM_WAIT_CALL(id, class, function, ...) {class, function},
#include "program/wait_calls.def"
#undef SIM_WAIT_CALL
    };
    const char *name = ptx_location_function(module->syntax, location);
    for (uint32_t i = 1; name && i < SIM_WAIT_COUNT; i++)
        if (strstr(name, rows[i].class) && strstr(name, rows[i].function)) return i;
    return SIM_WAIT_NONE;
}

// The innermost place of the chain in a file of the user; the outermost place where there is none.
static sim_location user_place(const decode_module *module, const ptx_location *location) {
    uint32_t file = location->file, line = location->line;
    const ptx_location *called = NULL; // the last function on the way out
    while (!is_user_file(module, file)) {
        called = location;
        if (location->outer) {
            location = location->outer;
            file = location->file;
            line = location->line;
        } else if (location->has_inlined_at) { // the place of the call has no .loc of its own
            file = location->inlined_file;
            line = location->inlined_line;
            break;
        } else {
            break;
        }
    }
    uint32_t index = decode_map_get(&module->file_map, file_key(file));
    if (index == DECODE_NONE) return (sim_location){0};
    return (sim_location){index, line, called ? wait_call(module, called) : SIM_WAIT_NONE};
}

sim_status decode_location(decode_function *function, const ptx_location *location,
                           uint32_t *out_index) {
    sim_location place = {0};
    if (location) place = user_place(function->module, location);
    // Neighbouring .locs mostly name the same line.
    if (location && function->location_count > 0) {
        const sim_location *last = &function->locations[function->location];
        if (last->file == place.file && last->line == place.line && last->call == place.call) {
            *out_index = function->location;
            return SIM_OK;
        }
    }
    uint64_t line_key =
        (((uint64_t)place.file << 32 | place.line) * SIM_WAIT_COUNT + place.call) * 2 + 1;
    const void *key = (const void *)(uintptr_t)line_key;
    *out_index = decode_map_get(&function->location_map, key);
    if (*out_index != DECODE_NONE) return SIM_OK;
    sim_location *cell = DECODE_PUSH(function->scratch, function->locations,
                                     function->location_count, function->location_capacity);
    if (!cell) return decode_no_memory(function->module);
    *cell = place;
    *out_index = function->location_count - 1;
    if (!decode_map_put(function->scratch, &function->location_map, key, *out_index))
        return decode_no_memory(function->module);
    return SIM_OK;
}

// ---- what a function's names mean to a debugger -------------------------------------------------
// Registers, local and parameter variables of the outermost scope. Those of inner scopes (arguments
// of calls, inline PTX) have gone by then.

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
