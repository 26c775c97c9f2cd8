// Names inside a function: registers (single or `%r<10>`), .param, .local and .shared variables,
// labels, and the scopes that end them (PTX ISA 9.0, section 5.4). Ranges are resolved by prefix
// and number when first used.
#include "decode/instruction/instruction.h"

enum { MAX_LOCAL_BYTES = 1 << 24, MAX_FRAME_PARAM_BYTES = 1 << 16, MAX_ENTRY_BYTES = 32764 };

static uint64_t variable_align(const ptx_variable *variable) {
    if (variable->align_bytes) return variable->align_bytes;
    uint64_t natural =
        (uint64_t)ptx_type_bytes(variable->type) * (variable->vector ? variable->vector : 1);
    return natural ? natural : 1;
}

static uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static sim_status add_name(decode_function *function, const char *text, decode_name name) {
    name.name = text;
    name.depth = function->depth;
    name.previous = decode_map_get(&function->names, text);
    bool declares = name.generation == 0 && name.variable && strcmp(text, "_") != 0;
    const decode_name *known =
        name.previous != DECODE_NONE ? &function->name_table[name.previous] : NULL;
    bool twice = known && known->generation == 0 && known->depth == name.depth;
    for (uint32_t i = decode_map_get(&function->labels, text); i != DECODE_NONE && declares;
         i = function->label_table[i].next)
        twice = twice || function->label_table[i].scope == function->scope;
    if (declares && twice)
        return decode_fail(function->module, name.variable->place, SIM_BAD_PTX,
                           "'%s' is declared twice", text);
    decode_name *cell = DECODE_PUSH(function->scratch, function->name_table, function->name_count,
                                    function->name_capacity);
    if (!cell ||
        !decode_map_put(function->scratch, &function->names, text, function->name_count - 1))
        return decode_no_memory(function->module);
    *cell = name;
    return SIM_OK;
}

// ---- Ranges and vectors -------------------------------------------------------------------------

enum {
    VECTOR_COMPONENTS = 4
}; // ptxas lets a vector of 2 have .z and .w, which no whole vector has

// `rest` of a name behind the prefix of a range, up to its end or a dot: "17" of "%r17", "017" is
// the same.
static const char *scan_number(const char *rest, uint32_t count, uint32_t *out_number) {
    const char *at = rest;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9' && number < count; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    *out_number = (uint32_t)number;
    return at > rest && number < count ? at : NULL;
}

// Whether `name` is a register of `range`, and which: of vectors each element has
// VECTOR_COMPONENTS.
static bool range_element(const decode_range *range, const char *name, uint32_t *out_element) {
    static const char components[] = "xyzwrgba";
    const ptx_variable *variable = range->variable;
    if (strncmp(name, variable->name, range->prefix_bytes) != 0) return false;
    const char *rest = name + range->prefix_bytes;
    *out_element = 0;
    if (variable->is_range && !(rest = scan_number(rest, variable->count, out_element)))
        return false;
    if (variable->vector == 1) return *rest == '\0';
    const char *found = rest[0] == '.' && rest[1] ? strchr(components, rest[1]) : NULL;
    if (!found || rest[2]) return false;
    *out_element =
        *out_element * VECTOR_COMPONENTS + (uint32_t)(found - components) % VECTOR_COMPONENTS;
    return true;
}

uint32_t decode_vector_size(const decode_function *function, const char *name) {
    uint32_t element;
    for (uint32_t i = function->range_count; i-- > 0;) {
        const ptx_variable *variable = function->ranges[i].variable;
        if (strncmp(name, variable->name, function->ranges[i].prefix_bytes) != 0) continue;
        const char *rest = name + function->ranges[i].prefix_bytes;
        if (variable->is_range && !(rest = scan_number(rest, variable->count, &element))) continue;
        if (*rest == '\0') return variable->vector > 1 ? variable->vector : 0;
    }
    return 0;
}

sim_status decode_name_value(decode_function *function, uint32_t value, const char **out_name) {
    static const char prefix[] = "a sum";
    *out_name = sim_arena_copy(function->scratch, prefix, sizeof prefix);
    if (!*out_name) return decode_no_memory(function->module);
    return add_name(function, *out_name, (decode_name){.kind = NAME_REGISTER, .value = value});
}

// ---- Declarations -------------------------------------------------------------------------------

static sim_status register_value(decode_function *function, const ptx_variable *variable,
                                 uint32_t *out_value) {
    decode_width width = decode_type_width(variable->type);
    return decode_new_value(function,
                            (decode_value){.kind = VALUE_REGISTER,
                                           .width = (uint8_t)width,
                                           .type = (uint8_t)variable->type},
                            out_value);
}

// Whether a range of this scope has `name`, or the same prefix as the range `name`.
static bool is_in_range(const decode_function *function, const char *name, bool is_range) {
    for (uint32_t i = function->range_count; i-- > 0;) {
        const decode_range *range = &function->ranges[i];
        uint32_t number;
        if (range->depth != function->depth) continue;
        if (is_range ? strcmp(name, range->variable->name) == 0
                     : range_element(range, name, &number))
            return true;
    }
    return false;
}

// Whether a register of this scope would be one of `range`.
static bool has_element(const decode_function *function, const decode_range *range) {
    uint32_t element;
    for (uint32_t i = 0; i < function->name_count && range->variable->is_range; i++) {
        const decode_name *name = &function->name_table[i];
        if (name->kind == NAME_REGISTER && name->generation == 0 && name->variable &&
            name->depth == function->depth && range_element(range, name->name, &element))
            return true;
    }
    return false;
}

static sim_status declare_register(decode_function *function, const ptx_variable *variable) {
    const decode_range made = {
        .variable = variable, .prefix_bytes = strlen(variable->name), .depth = function->depth};
    if (has_element(function, &made) || is_in_range(function, variable->name, variable->is_range))
        return decode_fail(function->module, variable->place, SIM_BAD_PTX, "'%s' is declared twice",
                           variable->name);
    bool is_vector = variable->vector > 1;
    if (is_vector) function->has_vectors = true;
    if (!variable->is_range && !is_vector) {
        decode_name name = {.kind = NAME_REGISTER, .variable = variable};
        TRY(register_value(function, variable, &name.value));
        return add_name(function, variable->name, name);
    }
    decode_range *range = DECODE_PUSH(function->scratch, function->ranges, function->range_count,
                                      function->range_capacity);
    if (!range) return decode_no_memory(function->module);
    *range = made;
    range->values = sim_arena_array(function->scratch,
                                    (size_t)variable->count * (is_vector ? VECTOR_COMPONENTS : 1),
                                    sizeof *range->values);
    if (!range->values) return decode_no_memory(function->module);
    // A range inside a scope hides registers that were met before: forget what was cached.
    if (function->depth > 0) {
        function->inner_ranges++;
        function->generation++;
    }
    return SIM_OK;
}

static sim_status declare_local(decode_function *function, const ptx_variable *variable) {
    sim_function *out = function->out;
    uint64_t offset = align_up(out->local_bytes, variable_align(variable));
    if (variable->size_bytes > MAX_LOCAL_BYTES || offset > MAX_LOCAL_BYTES - variable->size_bytes)
        return decode_fail(function->module, variable->place, SIM_UNSUPPORTED,
                           "more local memory than a thread can have");
    out->local_bytes = (uint32_t)(offset + variable->size_bytes);
    return add_name(function, variable->name,
                    (decode_name){.kind = NAME_LOCAL, .offset = offset, .variable = variable});
}

// Scratch variables of calls: one of a closed scope is used again, but only for the same size, so
// that lanes inside different calls never touch each other's bytes.
static sim_status frame_value(decode_function *function, const ptx_variable *variable,
                              uint32_t *out_value) {
    if (variable->size_bytes > MAX_FRAME_PARAM_BYTES)
        return decode_fail(function->module, variable->place, SIM_UNSUPPORTED,
                           "parameter '%s' is too large", variable->name);
    for (uint32_t i = 0; i < function->free_frame_count; i++) {
        uint32_t value = function->free_frames[i];
        if (function->values[value].bytes != variable->size_bytes) continue;
        function->free_frames[i] = function->free_frames[--function->free_frame_count];
        *out_value = value;
        return SIM_OK;
    }
    return decode_new_value(
        function, (decode_value){.kind = VALUE_FRAME, .bytes = (uint32_t)variable->size_bytes},
        out_value);
}

static sim_status declare_frame_param(decode_function *function, const ptx_variable *variable,
                                      uint32_t *out_value) {
    decode_name name = {.kind = NAME_FRAME_PARAM, .variable = variable};
    TRY(frame_value(function, variable, &name.value));
    *out_value = name.value;
    return add_name(function, variable->name, name);
}

sim_status decode_declare(decode_function *function, const ptx_variable *variable) {
    uint32_t value;
    switch (variable->space) {
    case PTX_SPACE_REG: return declare_register(function, variable);
    case PTX_SPACE_LOCAL: return declare_local(function, variable);
    case PTX_SPACE_PARAM: return declare_frame_param(function, variable, &value);
    case PTX_SPACE_SHARED:
        value = decode_map_get(&function->module->function_shared, variable);
        return add_name(function, variable->name,
                        (decode_name){.kind = NAME_SYMBOL, .value = value, .variable = variable});
    default: // the parser put it among the module's
        value = variable->module_name
                    ? decode_map_get(&function->module->symbols, variable->module_name)
                    : DECODE_NONE;
        if (value != DECODE_NONE)
            return add_name(
                function, variable->name,
                (decode_name){.kind = NAME_SYMBOL, .value = value, .variable = variable});
        return decode_fail(function->module, variable->place, SIM_UNSUPPORTED,
                           "the simulator does not have variables of this space inside a function");
    }
}

// ---- Parameters ---------------------------------------------------------------------------------

static sim_status declare_entry_params(decode_function *function) {
    const ptx_function *syntax = function->syntax;
    sim_function *out = function->out;
    sim_entry_param *params =
        sim_arena_array(function->module->arena, syntax->param_count, sizeof *params);
    if (!params) return decode_no_memory(function->module);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < syntax->param_count; i++) {
        const ptx_variable *variable = &syntax->params[i];
        offset = align_up(offset, variable_align(variable));
        if (offset > MAX_ENTRY_BYTES || variable->size_bytes > MAX_ENTRY_BYTES - offset)
            return decode_fail(function->module, variable->place, SIM_BAD_PTX,
                               "more than %d bytes of parameters", MAX_ENTRY_BYTES);
        params[i] = (sim_entry_param){(uint32_t)offset, (uint32_t)variable->size_bytes,
                                      (uint32_t)variable_align(variable)};
        TRY(add_name(
            function, variable->name,
            (decode_name){.kind = NAME_ENTRY_PARAM, .offset = offset, .variable = variable}));
        offset += variable->size_bytes;
    }
    out->entry_params = params;
    out->entry_param_count = syntax->param_count;
    out->entry_param_bytes = (uint32_t)offset;
    return SIM_OK;
}

// A register or .param variable through which a device function takes or gives a value.
static sim_status declare_formal(decode_function *function, const ptx_variable *variable,
                                 sim_frame_param *out_param) {
    *out_param = (sim_frame_param){.size_bytes = (uint32_t)variable->size_bytes};
    if (variable->space != PTX_SPACE_REG)
        return declare_frame_param(function, variable, &out_param->slot);
    TRY(declare_register(function, variable));
    out_param->slot = function->name_table[function->name_count - 1].value;
    decode_value *value = &function->values[out_param->slot];
    value->live_in = true; // callers read and write it: its slot is its own
    if (value->width != WIDTH_32 && value->width != WIDTH_64)
        return decode_fail(function->module, variable->place, SIM_UNSUPPORTED,
                           "a parameter register must be of 32 or 64 bits");
    out_param->size_bytes = value->width == WIDTH_64 ? 8 : 4;
    return SIM_OK;
}

static sim_status declare_formals(decode_function *function, const ptx_variable *variables,
                                  uint32_t count, const sim_frame_param **out_params) {
    sim_frame_param *params = sim_arena_array(function->module->arena, count, sizeof *params);
    if (!params) return decode_no_memory(function->module);
    for (uint32_t i = 0; i < count; i++) TRY(declare_formal(function, &variables[i], &params[i]));
    *out_params = params;
    return SIM_OK;
}

sim_status decode_declare_params(decode_function *function) {
    if (function->out->is_entry) return declare_entry_params(function);
    const ptx_function *syntax = function->syntax;
    function->out->return_count = syntax->return_count;
    function->out->param_count = syntax->param_count;
    TRY(declare_formals(function, syntax->returns, syntax->return_count, &function->out->returns));
    return declare_formals(function, syntax->params, syntax->param_count, &function->out->params);
}

// ---- Scopes -------------------------------------------------------------------------------------

sim_status decode_open_scope(decode_function *function) {
    decode_scope *scope = DECODE_PUSH(function->scratch, function->scopes, function->scope_count,
                                      function->scope_capacity);
    if (!scope) return decode_no_memory(function->module);
    *scope = (decode_scope){function->scope, function->name_count, function->range_count};
    function->scope = function->scope_count - 1;
    function->depth++;
    return SIM_OK;
}

static sim_status free_frame(decode_function *function, uint32_t value) {
    uint32_t *cell = DECODE_PUSH(function->scratch, function->free_frames,
                                 function->free_frame_count, function->free_frame_capacity);
    if (!cell) return decode_no_memory(function->module);
    *cell = value;
    return SIM_OK;
}

sim_status decode_close_scope(decode_function *function, ptx_place place) {
    if (function->depth == 0)
        return decode_fail(function->module, place, SIM_BAD_PTX, "'}' without '{'");
    const decode_scope *scope = &function->scopes[function->scope];
    while (function->name_count > scope->first_name) {
        const decode_name *name = &function->name_table[--function->name_count];
        if (name->kind == NAME_FRAME_PARAM) TRY(free_frame(function, name->value));
        if (!decode_map_put(function->scratch, &function->names, name->name, name->previous))
            return decode_no_memory(function->module);
    }
    if (function->range_count > scope->first_range) {
        function->inner_ranges -= function->range_count - scope->first_range;
        function->range_count = scope->first_range;
        function->generation++;
    }
    function->scope = scope->parent;
    function->depth--;
    return SIM_OK;
}

// ---- Lookup -------------------------------------------------------------------------------------

static decode_range *find_range(const decode_function *function, const char *name,
                                uint32_t *out_number) {
    for (uint32_t i = function->range_count; i-- > 0;)
        if (range_element(&function->ranges[i], name, out_number)) return &function->ranges[i];
    return NULL;
}

// Registers met in a range keep their value; only the shortcut from name to value is cached.
static sim_status lookup_range(decode_function *function, const char *name, uint32_t known,
                               uint32_t *out_name) {
    uint32_t number;
    decode_range *range = find_range(function, name, &number);
    bool is_declared = known != DECODE_NONE && function->name_table[known].generation == 0;
    if (!range || (is_declared && function->name_table[known].depth >= range->depth)) {
        *out_name = is_declared ? known : DECODE_NONE;
        return SIM_OK;
    }
    if (range->values[number] == 0) {
        uint32_t value;
        TRY(register_value(function, range->variable, &value));
        range->values[number] = value + 1;
    }
    TRY(add_name(function, name,
                 (decode_name){.kind = NAME_REGISTER,
                               .value = range->values[number] - 1,
                               .generation = function->generation,
                               .variable = range->variable}));
    *out_name = function->name_count - 1;
    return SIM_OK;
}

sim_status decode_lookup(decode_function *function, const char *name, uint32_t *out_name) {
    uint32_t known = decode_map_get(&function->names, name);
    if (known != DECODE_NONE) {
        uint32_t generation = function->name_table[known].generation;
        if (generation == function->generation || (generation == 0 && !function->inner_ranges)) {
            *out_name = known;
            return SIM_OK;
        }
    }
    return lookup_range(function, name, known, out_name);
}

// ---- Labels -------------------------------------------------------------------------------------

sim_status decode_add_label(decode_function *function, const ptx_statement *statement) {
    uint32_t next = decode_map_get(&function->labels, statement->label);
    for (uint32_t i = next; i != DECODE_NONE; i = function->label_table[i].next)
        if (function->label_table[i].scope == function->scope)
            return decode_fail(function->module, statement->place, SIM_BAD_PTX,
                               "label '%s' is defined twice", statement->label);
    uint32_t known = decode_map_get(&function->names, statement->label);
    if (known != DECODE_NONE && function->name_table[known].generation == 0 &&
        function->name_table[known].depth == function->depth)
        return decode_fail(function->module, statement->place, SIM_BAD_PTX,
                           "'%s' is declared twice", statement->label);
    decode_label *label = DECODE_PUSH(function->scratch, function->label_table,
                                      function->label_count, function->label_capacity);
    if (!label || !decode_map_put(function->scratch, &function->labels, statement->label,
                                  function->label_count - 1))
        return decode_no_memory(function->module);
    *label = (decode_label){statement, function->scope, function->code_count, next};
    return SIM_OK;
}

const decode_label *decode_find_label(const decode_function *function, const char *name,
                                      uint32_t scope) {
    uint32_t first = decode_map_get(&function->labels, name);
    for (;;) {
        for (uint32_t i = first; i != DECODE_NONE; i = function->label_table[i].next)
            if (function->label_table[i].scope == scope) return &function->label_table[i];
        if (scope == 0) return NULL;
        scope = function->scopes[scope].parent;
    }
}
