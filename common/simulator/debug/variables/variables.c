// The module's public functions: see variables.h. Scopes and lists are in lookup.c.

#include "debug/variables/value.h"

static const size_t module_bytes = (size_t)1 << 30, evaluation_bytes = (size_t)16 << 20; // at most

static void say_missing(sim_variables *variables, sim_status status, const char *why) {
    const char *end = strchr(why, '\n'); // the line with a caret is of no use to who debugs
    int bytes = end ? (int)(end - why) : (int)strlen(why);
    if (status == SIM_NOT_FOUND)
        snprintf(variables->missing, sizeof variables->missing,
                 "This code was compiled without -G: lines and registers only.");
    else if (status == SIM_UNSUPPORTED)
        snprintf(variables->missing, sizeof variables->missing,
                 "This debugger was built without libdw (package libdw-dev): lines and registers "
                 "only.");
    else if (status != SIM_OK)
        snprintf(variables->missing, sizeof variables->missing,
                 "The debug information is damaged (%.*s): lines and registers only.",
                 bytes < 120 ? bytes : 120, why);
}

sim_status sim_variables_open(const char *ptx, size_t bytes, sim_variables **out_variables,
                              kl_error *err) {
    kl_error why = {0};
    sim_variables *variables = calloc(1, sizeof *variables);
    *out_variables = NULL;
    if (variables) variables->model.arena = sim_arena_new(module_bytes);
    if (!variables || !variables->model.arena) {
        free(variables);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for debug information");
    }
    sim_status status = var_model_read(ptx, bytes, &variables->model, &why);
    say_missing(variables, status, why.text);
    if (status == SIM_OK) variables->code = var_code_new(ptx, bytes);
    *out_variables = variables;
    return SIM_OK;
}

void sim_variables_close(sim_variables *variables) {
    if (!variables) return;
    var_code_free(variables->code);
    sim_arena_free(variables->model.arena);
    free(variables);
}

const char *sim_variables_missing(const sim_variables *variables) {
    return variables->missing[0] ? variables->missing : NULL;
}

bool sim_variables_file(const sim_variables *variables, uint32_t number, char *out_path,
                        size_t bytes) {
    const char *name = variables->code ? var_code_file(variables->code, number) : NULL;
    if (!name) return false;
    snprintf(out_path, bytes, "%s", name);
    sim_path_shorten(out_path);
    return true;
}

// ---- evaluation ----

static sim_status begin(var_evaluation *e, const sim_variables *variables,
                        const sim_variables_thread *thread, kl_error *err) {
    *e = (var_evaluation){.variables = variables, .thread = thread, .err = err};
    e->arena = sim_arena_new(evaluation_bytes);
    return e->arena ? SIM_OK : sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for an expression");
}

// Members that have names, those of base classes and unnamed parts among them.
static uint32_t count_members(const var_type *type, int depth) {
    uint32_t count = 0;
    for (uint32_t i = 0; depth && i < type->member_count; i++) {
        const var_member *member = &type->members[i];
        bool opens = !member->name || member->is_base;
        count += opens ? count_members(var_strip(member->type), depth - 1) : 1;
    }
    return count;
}

// The name of member `index` as count_members counts; NULL: there is none.
static const char *member_name(const var_type *type, uint32_t *index, int depth) {
    for (uint32_t i = 0; depth && i < type->member_count; i++) {
        const var_member *member = &type->members[i];
        if (!member->name || member->is_base) {
            const char *name = member_name(var_strip(member->type), index, depth - 1);
            if (name) return name;
        } else if ((*index)-- == 0) {
            return member->name;
        }
    }
    return NULL;
}

enum { MEMBER_DEPTH = 8 }; // of base classes and unnamed parts

static bool can_follow(const var_type *type) {
    return type->kind != VAR_VOID && type->kind != VAR_FUNCTION;
}

static uint32_t count_children(const var_type *type) {
    switch (type->kind) {
    case VAR_ARRAY: return type->count < UINT32_MAX ? (uint32_t)type->count : UINT32_MAX;
    case VAR_POINTER: return can_follow(var_strip(type->of));
    case VAR_STRUCT:
    case VAR_UNION: return count_members(type, MEMBER_DEPTH);
    default: return 0;
    }
}

static void tell_place(const var_evaluation *e, const var_value *value, sim_variables_value *out) {
    const var_type *type = var_strip(value->type);
    out->bytes = var_type_bytes(type);
    for (int i = 0; type->kind == VAR_ARRAY && i < VAR_MAX_DEPTH; i++) type = var_strip(type->of);
    out->element_bytes = type->bytes;
    if (value->where == VAR_IN_REGISTER)
        snprintf(out->register_name, sizeof out->register_name, "%s", value->register_name);
    out->in_memory = value->where == VAR_IN_MEMORY && !value->bits;
    if (!out->in_memory) return;
    out->space = value->space;
    out->address = value->address;
    var_resolve(e, &out->space, &out->address);
}

static sim_status tell_value(var_evaluation *e, var_value *value,
                             const sim_variables_format *format, sim_variables_value *out) {
    char name[256];
    var_number number;
    var_type_name(value->type, name, sizeof name);
    out->type = strdup(name);
    if (!out->type) return sim_fail(e->err, SIM_OUT_OF_MEMORY, "no memory for a value's text");
    if (value->absent) {
        snprintf(name, sizeof name, "<%s>", value->absent);
        out->text = strdup(name);
        return out->text ? SIM_OK
                         : sim_fail(e->err, SIM_OUT_OF_MEMORY, "no memory for a value's text");
    }
    tell_place(e, value, out);
    out->children = count_children(var_strip(value->type));
    TRY(var_print(e, value, format, &out->text));
    out->has_value = true;
    if (!var_is_scalar(value->type)) return SIM_OK;
    TRY(var_to_number(e, value, &number));
    out->is_number = true;
    out->is_float = number.is_float;
    out->number = (uint64_t)number.integer;
    out->real = number.real;
    return SIM_OK;
}

sim_status sim_variables_evaluate(const sim_variables *variables,
                                  const sim_variables_thread *thread, const char *expression,
                                  const sim_variables_format *format,
                                  sim_variables_value *out_value, kl_error *err) {
    var_evaluation e;
    var_value value;
    *out_value = (sim_variables_value){0};
    TRY(begin(&e, variables, thread, err));
    sim_status status = var_parse(&e, expression, &value);
    if (status == SIM_OK) status = tell_value(&e, &value, format, out_value);
    if (status != SIM_OK) sim_variables_value_free(out_value);
    sim_arena_free(e.arena);
    return status;
}

void sim_variables_value_free(sim_variables_value *value) {
    free(value->text);
    free(value->type);
    *value = (sim_variables_value){0};
}

// "x" behind "a" is "a.x", behind "a + b" "(a + b).x".
static bool is_simple(const char *expression) {
    return expression[strspn(expression, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                         "0123456789_.[]")] == '\0';
}

static sim_status name_child(const char *expression, const var_type *type, uint32_t index,
                             char **out_name, char **out_expression, kl_error *err) {
    bool simple = is_simple(expression);
    const char *left = simple ? "" : "(", *right = simple ? "" : ")";
    int name_bytes = -1, expression_bytes = -1;
    if (type->kind == VAR_ARRAY) {
        name_bytes = asprintf(out_name, "[%u]", index);
        expression_bytes = asprintf(out_expression, "%s%s%s[%u]", left, expression, right, index);
    } else if (type->kind == VAR_POINTER) {
        name_bytes = asprintf(out_name, "*%s%s%s", left, expression, right);
        expression_bytes = asprintf(out_expression, "*%s%s%s", left, expression, right);
    } else {
        const char *member = member_name(type, &index, MEMBER_DEPTH);
        if (!member) return sim_fail(err, SIM_NOT_FOUND, "There is no such part.");
        name_bytes = asprintf(out_name, "%s", member);
        expression_bytes = asprintf(out_expression, "%s%s%s.%s", left, expression, right, member);
    }
    if (name_bytes >= 0 && expression_bytes >= 0) return SIM_OK;
    if (name_bytes >= 0) free(*out_name);
    if (expression_bytes >= 0) free(*out_expression);
    return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a name");
}

sim_status sim_variables_child(const sim_variables *variables, const sim_variables_thread *thread,
                               const char *expression, uint32_t index, char **out_name,
                               char **out_expression, kl_error *err) {
    var_evaluation e;
    var_value value;
    TRY(begin(&e, variables, thread, err));
    sim_status status = var_parse(&e, expression, &value);
    const var_type *type = status == SIM_OK ? var_strip(value.type) : NULL;
    if (type && index >= count_children(type))
        status = sim_fail(err, SIM_NOT_FOUND, "There is no such part.");
    else if (type) status = name_child(expression, type, index, out_name, out_expression, err);
    sim_arena_free(e.arena);
    return status;
}
