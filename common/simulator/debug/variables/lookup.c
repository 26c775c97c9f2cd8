// What a name means at an instruction: variables of the scopes around it, those of the module,
// enumerators, members of *this, what CUDA C++ has built in, and registers. Also the public
// functions that tell scopes and variables.
#include "debug/variables/value.h"

// ---- scopes ----

static bool holds(const var_scope *scope, uint32_t line) {
    return line >= scope->from && line < scope->to;
}

// The scopes around a line, the function first; their number.
static uint32_t scopes_at(const sim_variables *variables, uint32_t line,
                          const var_scope *out[VAR_MAX_DEPTH]) {
    uint32_t count = 0;
    for (const var_scope *at = variables->model.functions; at && count < VAR_MAX_DEPTH;) {
        if (!holds(at, line)) {
            at = at->next;
            continue;
        }
        out[count++] = at;
        at = at->inner;
    }
    return count;
}

// The part of `scopes` that belongs to a frame, innermost 0: [*out_first, end), returned.
static uint32_t frame_scopes(const var_scope *const *scopes, uint32_t count, uint32_t frame,
                             uint32_t *out_first) {
    uint32_t end = count;
    for (uint32_t i = count; i-- > 0;) {
        if (scopes[i]->kind == VAR_SCOPE_BLOCK) continue;
        *out_first = i;
        if (frame-- == 0) return end;
        end = i;
    }
    *out_first = 0;
    return 0;
}

uint32_t sim_variables_frames(const sim_variables *variables, uint32_t ptx_line,
                              sim_variables_frame out_frames[SIM_VARIABLES_MAX_FRAMES]) {
    const var_scope *scopes[VAR_MAX_DEPTH];
    uint32_t count = scopes_at(variables, ptx_line, scopes), used = 0;
    for (uint32_t i = count; i-- > 0 && used < SIM_VARIABLES_MAX_FRAMES;) {
        const var_scope *scope = scopes[i];
        if (scope->kind == VAR_SCOPE_BLOCK) continue;
        out_frames[used++] =
            (sim_variables_frame){scope->name,           scope->kind == VAR_SCOPE_INLINED,
                                  scope->file,           scope->line,
                                  scope->call_file,      scope->call_line,
                                  (uint32_t)scope->from, (uint32_t)scope->to};
    }
    return used;
}

static uint32_t add_beside(const var_scope *scopes, uint32_t line, sim_variables_range *out,
                           uint32_t used, uint32_t most) {
    for (const var_scope *at = scopes; at; at = at->next) {
        bool beside = at->kind == VAR_SCOPE_INLINED && !holds(at, line);
        if (!beside) used = add_beside(at->inner, line, out, used, most);
        else if (used < most)
            out[used++] = (sim_variables_range){(uint32_t)at->from, (uint32_t)at->to};
    }
    return used;
}

uint32_t sim_variables_inlined_beside(const sim_variables *variables, uint32_t ptx_line,
                                      sim_variables_range *out_ranges, uint32_t most) {
    const var_scope *scopes[VAR_MAX_DEPTH];
    if (scopes_at(variables, ptx_line, scopes) == 0) return 0;
    return add_beside(scopes[0]->inner, ptx_line, out_ranges, 0, most);
}

// ---- lists ----

// Whether a scope further in, or this one before `index`, has a variable of this name.
static bool hidden(const var_scope *const *scopes, uint32_t scope, uint32_t end,
                   const var_variable *variable) {
    for (uint32_t i = scope + 1; i < end; i++)
        for (uint32_t k = 0; k < scopes[i]->variable_count; k++)
            if (strcmp(scopes[i]->variables[k].name, variable->name) == 0) return true;
    return false;
}

static sim_variable_row row_of(const var_variable *variable, uint32_t depth, bool is_hidden) {
    return (sim_variable_row){variable->name, variable->kind, variable->line, depth, is_hidden};
}

void sim_variables_list(const sim_variables *variables, uint32_t ptx_line, uint32_t frame,
                        bool (*each)(void *context, const sim_variable_row *row), void *context) {
    const var_scope *scopes[VAR_MAX_DEPTH];
    uint32_t first, count = scopes_at(variables, ptx_line, scopes);
    uint32_t end = frame_scopes(scopes, count, frame, &first);
    for (uint32_t i = end; i-- > first && end;) {
        for (uint32_t k = 0; k < scopes[i]->variable_count; k++) {
            const var_variable *variable = &scopes[i]->variables[k];
            if (!variable->name[0]) continue;
            sim_variable_row row = row_of(variable, i - first, hidden(scopes, i, end, variable));
            if (!each(context, &row)) return;
        }
    }
    for (uint32_t k = 0; k < variables->model.variable_count; k++) {
        sim_variable_row row = row_of(&variables->model.variables[k], 0, false);
        if (row.name[0] && !each(context, &row)) return;
    }
}

// ---- the value of a variable ----

static const var_range *range_at(const var_variable *variable, uint32_t line) {
    for (uint32_t i = 0; i < variable->range_count; i++)
        if (line >= variable->ranges[i].from && line < variable->ranges[i].to)
            return &variable->ranges[i];
    return NULL;
}

static const char optimized_out[] = "optimized out", not_set[] = "not set yet";

static const char *why_absent(const var_variable *variable, uint32_t line) {
    for (uint32_t i = 0; i < variable->range_count; i++)
        if (variable->ranges[i].from <= line) return optimized_out;
    return variable->range_count ? not_set : optimized_out;
}

static sim_status place_in_memory(var_evaluation *e, const var_variable *variable,
                                  const var_place *place, var_value *value) {
    uint64_t base = 0;
    uint32_t width;
    value->where = VAR_IN_MEMORY;
    value->space = variable->space == PTX_SPACE_REG ? PTX_SPACE_NONE : variable->space;
    if (place->base == VAR_BASE_SYMBOL) {
        ptx_space space = value->space;
        sim_status status =
            e->thread->find_symbol(e->thread->context, place->name, &space, &base, e->err);
        if (status == SIM_NOT_FOUND)
            return var_fail(e, "%s is not in memory here: the program has no %s.", variable->name,
                            place->name);
        TRY(status);
        value->space = space;
    } else if (place->base == VAR_BASE_REGISTER) {
        TRY(e->thread->read_register(e->thread->context, place->name, &base, &width, e->err));
    }
    value->address = base + (uint64_t)place->offset;
    return SIM_OK;
}

// What a reference refers to is what its name means.
static sim_status follow_reference(var_evaluation *e, var_value *value) {
    const var_type *type = var_strip(value->type);
    if (type->kind != VAR_REFERENCE || value->absent) return SIM_OK;
    value->type = var_pointer_to(e, type->of, type->space);
    if (!value->type) return sim_fail(e->err, SIM_OUT_OF_MEMORY, "no memory for a value");
    TRY(var_follow(e, value));
    value->is_reference = true;
    return SIM_OK;
}

// The value of a variable at the thread's instruction.
static sim_status var_of_variable(var_evaluation *e, const var_variable *variable,
                                  var_value *out_value) {
    uint32_t line = e->thread->ptx_line;
    const var_range *range = range_at(variable, line);
    *out_value = (var_value){.type = variable->type ? variable->type : &var_void};
    if (!range && variable->has_constant)
        return var_from_integer(e, out_value->type, (uint64_t)variable->constant, out_value);
    if (!range || range->place.base == VAR_BASE_NONE) {
        if (variable->has_constant)
            return var_from_integer(e, out_value->type, (uint64_t)variable->constant, out_value);
        out_value->absent = range ? optimized_out : why_absent(variable, line);
        return SIM_OK;
    }
    if (range->place.in_memory) {
        TRY(place_in_memory(e, variable, &range->place, out_value));
    } else if (var_is_unset(e->variables->code, line, range->place.name)) {
        out_value->absent = not_set;
    } else {
        out_value->where = VAR_IN_REGISTER;
        out_value->register_name = range->place.name;
    }
    return follow_reference(e, out_value);
}

// ---- names ----

// "scale" and "util::scale" mean util::scale.
static bool is_named(const char *full, const char *name) {
    size_t whole = strlen(full), part = strlen(name);
    if (strcmp(full, name) == 0) return true;
    return whole > part + 2 && strcmp(full + whole - part, name) == 0 &&
           strncmp(full + whole - part - 2, "::", 2) == 0;
}

static const var_variable *find_variable(var_evaluation *e, const char *name) {
    const var_scope *scopes[VAR_MAX_DEPTH];
    const var_model *model = &e->variables->model;
    uint32_t first, count = scopes_at(e->variables, e->thread->ptx_line, scopes);
    uint32_t end = frame_scopes(scopes, count, e->thread->frame, &first);
    for (uint32_t i = end; i-- > first && end;)
        for (uint32_t k = 0; k < scopes[i]->variable_count; k++)
            if (strcmp(scopes[i]->variables[k].name, name) == 0) return &scopes[i]->variables[k];
    for (uint32_t k = 0; k < model->variable_count; k++)
        if (is_named(model->variables[k].name, name)) return &model->variables[k];
    return NULL;
}

static sim_status read_special(var_evaluation *e, const char *name, uint32_t *out) {
    uint64_t value = 0;
    uint32_t width;
    if (!e->unread) TRY(e->thread->read_register(e->thread->context, name, &value, &width, e->err));
    *out = (uint32_t)value;
    return SIM_OK;
}

// threadIdx and the like; NOT_FOUND: it is none of them.
static sim_status look_up_builtin(var_evaluation *e, const char *name, var_value *out_value) {
    static const struct {
        const char *name, *registers[3];
    } rows[] = {{"threadIdx", {"%tid.x", "%tid.y", "%tid.z"}},
                {"blockIdx", {"%ctaid.x", "%ctaid.y", "%ctaid.z"}},
                {"blockDim", {"%ntid.x", "%ntid.y", "%ntid.z"}},
                {"gridDim", {"%nctaid.x", "%nctaid.y", "%nctaid.z"}}};
    if (strcmp(name, "warpSize") == 0)
        return var_from_integer(e, var_int_type(4, false), 32, out_value);
    if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
        return var_from_integer(e, &var_bool, name[0] == 't', out_value);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        uint32_t *xyz = sim_arena_alloc(e->arena, 3 * sizeof *xyz + 8);
        if (!xyz) return sim_fail(e->err, SIM_OUT_OF_MEMORY, "no memory for a value");
        for (int k = 0; k < 3; k++) TRY(read_special(e, rows[i].registers[k], &xyz[k]));
        *out_value = (var_value){.type = &var_uint3, .data = (const uint8_t *)xyz};
        return SIM_OK;
    }
    return SIM_NOT_FOUND;
}

static sim_status look_up_enumerator(var_evaluation *e, const char *name, var_value *out_value) {
    const var_model *model = &e->variables->model;
    for (uint32_t i = 0; i < model->type_count; i++)
        for (uint32_t k = 0; k < model->types[i]->enumerator_count; k++)
            if (is_named(model->types[i]->enumerators[k].name, name))
                return var_from_integer(e, model->types[i],
                                        (uint64_t)model->types[i]->enumerators[k].value, out_value);
    return SIM_NOT_FOUND;
}

// A member of the object whose function this is.
static sim_status look_up_this(var_evaluation *e, const char *name, var_value *out_value) {
    const var_variable *this = find_variable(e, "this");
    kl_error ignored, *err = e->err;
    if (!this) return SIM_NOT_FOUND;
    e->err = &ignored;
    sim_status status = var_of_variable(e, this, out_value);
    if (status == SIM_OK) status = var_follow(e, out_value);
    if (status == SIM_OK) status = var_member_of(e, out_value, name, strlen(name));
    e->err = err;
    return status == SIM_OK ? SIM_OK : SIM_NOT_FOUND;
}

sim_status var_lookup(var_evaluation *e, const char *name, var_value *out_value) {
    static sim_status (*const others[])(var_evaluation *, const char *, var_value *) = {
        look_up_this, look_up_enumerator, look_up_builtin};
    const var_variable *variable = find_variable(e, name);
    if (variable) return var_of_variable(e, variable, out_value);
    sim_status status = SIM_NOT_FOUND;
    for (size_t i = 0; i < sizeof others / sizeof others[0] && status == SIM_NOT_FOUND; i++)
        status = others[i](e, name, out_value);
    return status;
}

// ---- registers ----

// By the compiler's habit: %f1 is a float, %rd1 has 64 bits.
static const var_type *register_type(const char *name, uint32_t bytes) {
    if (strncmp(name, "%fd", 3) == 0) return &var_double;
    if (name[1] == 'f' && name[2] >= '0' && name[2] <= '9') return &var_float;
    if (name[1] == 'p' && name[2] >= '0' && name[2] <= '9') return &var_bool;
    return var_int_type(bytes ? bytes : 4, strchr(name, '.') != NULL);
}

sim_status var_register(var_evaluation *e, const char *name, var_value *out_value) {
    uint64_t value;
    uint32_t bytes = 0;
    char *copy = sim_arena_text(e->arena, name, strlen(name));
    if (!copy) return sim_fail(e->err, SIM_OUT_OF_MEMORY, "no memory for a value");
    sim_status status = e->thread->read_register(e->thread->context, copy, &value, &bytes, e->err);
    if (status == SIM_NOT_FOUND) { // $R1, as cuda-gdb writes it
        for (char *c = copy; *c; c++) *c = (char)tolower((unsigned char)*c);
        status = e->thread->read_register(e->thread->context, copy, &value, &bytes, e->err);
    }
    if (status == SIM_NOT_FOUND)
        return var_fail(e, "There is no register %s in this function.", name);
    TRY(status);
    *out_value = (var_value){
        .type = register_type(copy, bytes), .where = VAR_IN_REGISTER, .register_name = copy};
    return SIM_OK;
}
