// Scopes, variables and expressions.
#include "learn/dap/internal.h"

enum { MOST_CHILDREN = 1000, FEW_ELEMENTS = 16 };

// ---- One value ----------------------------------------------------------------------------------

static bool is_array(const sim_variables_value *value) {
    size_t length = value->type ? strlen(value->type) : 0;
    return value->children > 0 && length > 0 && value->type[length - 1] == ']';
}

// Text, type and reference of what the focus's expression is.
static void put_value(dap_server *s, kl_json *body, const char *text_key, const char *expression,
                      const sim_variables_value *value) {
    kl_json_string(body, text_key, value->text);
    if (value->type) kl_json_string(body, "type", value->type);
    uint32_t reference = 0;
    if (value->has_value && value->children > 0)
        reference = dap_handle_new(s, DAP_CHILDREN, &s->t.focus, s->t.frame, expression);
    kl_json_uint(body, "variablesReference", reference);
    if (reference)
        kl_json_uint(body, is_array(value) ? "indexedVariables" : "namedVariables",
                     value->children);
}

static sim_variables_format format_of(const json_t *arguments) {
    bool hex = dap_flag(json_object_get(arguments, "format"), "hex", false);
    return (sim_variables_format){.letter = hex ? 'x' : 0, .most_elements = FEW_ELEMENTS};
}

// What one answer to `variables` needs.
typedef struct listing {
    dap_server *s;
    kl_json *body;
    sim_variables_format format;
    dap_handle_kind kind;
} listing;

static void put_variable(const listing *l, const char *name, const char *expression) {
    sim_variables_value value;
    kl_error err;
    kl_json_put(l->body, "(name %s", name);
    if (debug_evaluate(&l->s->t, l->s->t.focus.lane, expression, &l->format, &value, &err) ==
        SIM_OK) {
        kl_json_string(l->body, "evaluateName", expression);
        put_value(l->s, l->body, "value", expression, &value);
        sim_variables_value_free(&value);
    } else {
        kl_json_put(l->body, "value %s variablesReference %u", err.text, 0);
    }
    kl_json_end(l->body);
}

// ---- By lane ------------------------------------------------------------------------------------

// "0 1 2 3 .." of the lanes that are active.
static void put_summary(const listing *l, const sim_debug_lane *lanes, const char *key,
                        const char *expression) {
    enum { SHOWN = 8 };
    const sim_variables_format plain = {.letter = l->format.letter, .without_type = true};
    char text[256] = "";
    size_t used = 0;
    int shown = 0;
    for (uint32_t i = 0; i < SIM_DEBUG_LANES && used < sizeof text - 8; i++) {
        sim_variables_value value;
        kl_error ignored;
        if (lanes[i].state != SIM_DEBUG_ACTIVE) continue;
        if (shown++ == SHOWN) {
            snprintf(text + used, sizeof text - used, " ..");
            break;
        }
        if (debug_evaluate(&l->s->t, i, expression, &plain, &value, &ignored) != SIM_OK) continue;
        int put = snprintf(text + used, sizeof text - used, "%s%.60s", used ? " " : "", value.text);
        used += put > 0 ? (size_t)put : 0;
        sim_variables_value_free(&value);
    }
    kl_json_string(l->body, key, text);
}

static void put_lanes_of(const listing *l, const char *expression) {
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    kl_error ignored;
    debug_terminal *t = &l->s->t;
    if (sim_debug_lanes(&t->client, &t->focus, lanes, &ignored) != SIM_OK) return;
    kl_json_put(l->body, "(name %s", expression);
    put_summary(l, lanes, "value", expression);
    kl_json_put(l->body, "variablesReference %u indexedVariables %u)",
                dap_handle_new(l->s, DAP_BY_LANE, &t->focus, t->frame, expression),
                SIM_DEBUG_LANES);
}

static void put_lane(const listing *l, uint32_t lane, uint32_t state, const char *expression) {
    debug_terminal *t = &l->s->t;
    char name[64];
    snprintf(name, sizeof name, "[%u] %s%s%s", lane,
             debug_dim_text(debug_thread_at(t, t->focus.warp, lane)),
             state == SIM_DEBUG_ACTIVE ? "" : " ",
             state == SIM_DEBUG_ACTIVE ? "" : debug_lane_text(state));
    t->focus.lane = lane;
    put_variable(l, name, expression);
}

static kl_status list_lanes(const listing *l, const char *expression, uint64_t start,
                            uint64_t count, kl_error *err) {
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    debug_terminal *t = &l->s->t;
    if (sim_debug_lanes(&t->client, &t->focus, lanes, err) != SIM_OK) return KL_ERROR_INPUT;
    for (uint64_t i = start; i < SIM_DEBUG_LANES && i - start < count; i++)
        if (lanes[i].state != SIM_DEBUG_ABSENT && lanes[i].state != SIM_DEBUG_EXITED)
            put_lane(l, (uint32_t)i, lanes[i].state, expression);
    return KL_OK;
}

// ---- Scopes -------------------------------------------------------------------------------------

static bool put_row(void *context, const sim_variable_row *row) {
    const listing *l = context;
    bool shared = row->kind == SIM_VARIABLE_SHARED, global = row->kind == SIM_VARIABLE_MODULE;
    bool wanted = l->kind == DAP_SHARED    ? shared
                  : l->kind == DAP_GLOBALS ? global
                                           : !shared && !global;
    if (row->is_hidden || !wanted) return true;
    if (l->kind == DAP_LANES) put_lanes_of(l, row->name);
    else put_variable(l, row->name, row->name);
    return true;
}

static kl_status list_scope(const listing *l, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    debug_terminal *t = &l->s->t;
    uint32_t count;
    if (!debug_frames(t, frames, &count, err)) return KL_ERROR_INPUT;
    const char *missing = t->variables ? sim_variables_missing(t->variables) : NULL;
    if (missing) return kl_fail(err, KL_ERROR_INPUT, "%s", missing);
    const sim_debug_place *at = &frames[t->frame < count ? t->frame : 0];
    sim_variables_list(t->variables, at->ptx_line, at->inlined, put_row, (void *)l);
    return KL_OK;
}

static kl_status list_registers(const listing *l, kl_error *err) {
    debug_terminal *t = &l->s->t;
    char *names;
    if (sim_debug_names(&t->client, &t->focus, debug_call(t), &names, err) != SIM_OK)
        return KL_ERROR_INPUT;
    for (const char *name = names; *name; name += strlen(name) + 1) put_variable(l, name, name);
    free(names);
    return KL_OK;
}

// Elements [start, start + count) of an array, or all members.
static kl_status list_children(const listing *l, const char *expression, uint64_t start,
                               uint64_t count, kl_error *err) {
    debug_terminal *t = &l->s->t;
    sim_variables_value value;
    if (debug_evaluate(t, t->focus.lane, expression, NULL, &value, err) != SIM_OK)
        return KL_ERROR_INPUT;
    uint64_t end = value.children;
    sim_variables_value_free(&value);
    if (start < end && count < end - start) end = start + count;
    for (uint64_t i = start; i < end; i++) {
        char *name, *child;
        if (i - start == MOST_CHILDREN) {
            kl_json_put(l->body, "(name .. value %s variablesReference %u)",
                        "ask for the rest by `start` and `count`", 0);
            break;
        }
        if (debug_child(t, expression, (uint32_t)i, &name, &child, err) != SIM_OK)
            return KL_ERROR_INPUT;
        put_variable(l, name, child);
        free(name);
        free(child);
    }
    return KL_OK;
}

static kl_status list_handle(const listing *l, const char *expression, uint64_t start,
                             uint64_t count, kl_error *err) {
    static const char *const indices[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    switch (l->kind) {
    case DAP_CHILDREN: return list_children(l, expression, start, count, err);
    case DAP_BY_LANE: return list_lanes(l, expression, start, count, err);
    case DAP_REGISTERS: return list_registers(l, err);
    case DAP_INDICES:
        for (size_t i = 0; i < sizeof indices / sizeof *indices; i++)
            put_variable(l, indices[i], indices[i]);
        return KL_OK;
    default: return list_scope(l, err);
    }
}

kl_status dap_on_variables(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    const dap_handle *found = dap_handle_of(s, dap_uint(arguments, "variablesReference", 0), err);
    if (!found) return KL_ERROR_INPUT;
    const dap_handle handle = *found; // the table may move
    uint64_t start = dap_uint(arguments, "start", 0), count = dap_uint(arguments, "count", 0);
    const listing l = {s, body, format_of(arguments), handle.kind};
    if (count == 0) count = UINT64_MAX;
    dap_look_at(s, &handle);
    kl_json_array(body, "variables");
    TRY(list_handle(&l, handle.expression, start, count, err));
    kl_json_end(body);
    return KL_OK;
}

static void put_scope(dap_server *s, kl_json *body, const dap_handle *frame, const char *name,
                      dap_handle_kind kind, bool is_slow) {
    kl_json_put(body, "(name %s", name);
    if (kind == DAP_LOCALS) kl_json_string(body, "presentationHint", "locals");
    if (kind == DAP_REGISTERS) kl_json_string(body, "presentationHint", "registers");
    kl_json_put(body, "variablesReference %u expensive %hhd)",
                dap_handle_new(s, kind, &frame->thread, frame->frame, NULL), is_slow);
}

kl_status dap_on_scopes(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    const dap_handle *found = dap_handle_of(s, dap_uint(arguments, "frameId", 0), err);
    if (!found) return KL_ERROR_INPUT;
    const dap_handle frame = *found;
    bool has_names = s->t.variables && !sim_variables_missing(s->t.variables);
    kl_json_array(body, "scopes");
    if (has_names) {
        put_scope(s, body, &frame, "Locals", DAP_LOCALS, false);
        put_scope(s, body, &frame, "Shared memory", DAP_SHARED, false);
        put_scope(s, body, &frame, "All lanes", DAP_LANES, true);
        put_scope(s, body, &frame, "Variables of the module", DAP_GLOBALS, true);
    }
    put_scope(s, body, &frame, "Thread", DAP_INDICES, false);
    put_scope(s, body, &frame, "Registers (PTX)", DAP_REGISTERS, has_names);
    kl_json_end(body);
    return KL_OK;
}

// ---- Expressions --------------------------------------------------------------------------------

// A command of the terminal; what it prints is the result.
static kl_status run_command(dap_server *s, const char *text, kl_json *body, kl_error *err) {
    static const char *const editors[] = {"run", "r", "kill", "k", "quit", "q", "exit"};
    const debug_command *command = NULL;
    const sim_debug_thread before = s->t.focus;
    char line[1024];
    snprintf(line, sizeof line, "%s", text);
    for (size_t i = 0; i < sizeof editors / sizeof *editors; i++)
        if (strcmp(line, editors[i]) == 0)
            return kl_fail(err, KL_ERROR_INPUT, "The editor starts and ends the program.");
    bool stopped = s->t.client.stopped;
    dap_show_notes(s);
    kl_status status = debug_run_line(&s->t, line, &command, err);
    char *printed = dap_take_notes(s);
    size_t length = printed ? strlen(printed) : 0;
    while (length > 0 && printed[length - 1] == '\n') printed[--length] = '\0';
    kl_json_put(body, "result %s variablesReference %u", printed ? printed : "", 0);
    free(printed);
    if (stopped && !s->t.client.stopped) {
        dap_message m;
        s->way = SIM_DEBUG_FORWARDS;
        s->step = SIM_DEBUG_CONTINUE;
        if (dap_event_begin(&m, "continued")) {
            kl_json_put(&m.json, "threadId %lu allThreadsContinued %hhd", dap_thread_id(s, &before),
                        true);
            dap_event_send(s, &m);
        }
    } else if (stopped && memcmp(&before, &s->t.focus, sizeof before) != 0) {
        dap_tell_stop(s, "focus", "Another thread"); // as `cuda` chose it
    }
    return status;
}

// "/lanes EXPR" and "/x EXPR" are as the terminal's print; *out_lanes: the first.
static kl_status split_format(const char **expression, sim_variables_format *format,
                              bool *out_lanes, kl_error *err) {
    static const char lanes[] = "/lanes";
    *out_lanes = false;
    if (**expression != '/') return KL_OK;
    size_t length = strcspn(*expression, " \t");
    *out_lanes = length == sizeof lanes - 1 && strncmp(*expression, lanes, length) == 0;
    if (!*out_lanes && (length != 2 || !strchr("xduotcfa", (*expression)[1])))
        return kl_fail(err, KL_ERROR_INPUT, "Formats are /lanes, /x /d /u /o /t /c /f /a.");
    if (!*out_lanes) format->letter = (*expression)[1];
    *expression += length + strspn(*expression + length, " \t");
    return KL_OK;
}

static kl_status evaluate(dap_server *s, const char *expression, const json_t *arguments,
                          kl_json *body, kl_error *err) {
    listing l = {s, body, format_of(arguments), DAP_CHILDREN};
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    sim_variables_value value;
    bool by_lane;
    TRY(split_format(&expression, &l.format, &by_lane, err));
    if (debug_evaluate(&s->t, s->t.focus.lane, expression, &l.format, &value, err) != SIM_OK)
        return KL_ERROR_INPUT;
    if (!by_lane) {
        put_value(s, body, "result", expression, &value);
    } else if (sim_debug_lanes(&s->t.client, &s->t.focus, lanes, err) == SIM_OK) {
        put_summary(&l, lanes, "result", expression);
        kl_json_put(body, "variablesReference %u indexedVariables %u",
                    dap_handle_new(s, DAP_BY_LANE, &s->t.focus, s->t.frame, expression),
                    SIM_DEBUG_LANES);
    }
    sim_variables_value_free(&value);
    return KL_OK;
}

kl_status dap_on_evaluate(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    const char *text = dap_text(arguments, "expression", "");
    bool is_console = strcmp(dap_text(arguments, "context", ""), "repl") == 0;
    uint64_t frame = dap_uint(arguments, "frameId", 0);
    text += strspn(text, " \t\r\n");
    if (*text == '\0') return kl_fail(err, KL_ERROR_INPUT, "An expression is missing.");
    if (frame && s->t.client.stopped) {
        const dap_handle *found = dap_handle_of(s, frame, err);
        if (!found) return KL_ERROR_INPUT;
        dap_look_at(s, found);
    }
    // What is an expression is none of the terminal's commands: `i + 1` is no `info`.
    kl_status status = KL_ERROR_INPUT;
    bool is_command = is_console && debug_is_command(text);
    if (debug_is_stopped(&s->t, err)) status = evaluate(s, text, arguments, body, err);
    if (status == KL_OK || !is_command) return status;
    const kl_error why = *err;
    status = run_command(s, text, body, err);
    bool is_letter = strcspn(text, " \t/") == 1;
    if (status != KL_OK && is_letter && s->t.client.stopped) *err = why; // more likely a variable
    return status;
}
