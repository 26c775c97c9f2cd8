// Expressions of the focus: debug/variables evaluates them, by what this file reads of the engine.
#include "learn/debug/debug.h"

// Whose registers and memory are read.
typedef struct reader {
    debug_terminal *terminal;
    sim_debug_thread thread;
    uint32_t frame;
} reader;

static sim_status all_lanes(reader *r, const char *name, const sim_debug_register **out_all,
                            kl_error *err) {
    debug_terminal *t = r->terminal;
    for (uint32_t i = 0; i < t->cached_count && i < DEBUG_CACHED; i++) {
        if (strcmp(t->cached[i].name, name) != 0 || t->cached[i].block != r->thread.block ||
            t->cached[i].warp != r->thread.warp || t->cached[i].frame != r->frame)
            continue;
        *out_all = &t->cached[i].all;
        return SIM_OK;
    }
    uint32_t place = t->cached_count++ % DEBUG_CACHED;
    snprintf(t->cached[place].name, sizeof t->cached[0].name, "%s", name);
    t->cached[place].block = r->thread.block;
    t->cached[place].warp = r->thread.warp;
    t->cached[place].frame = r->frame;
    *out_all = &t->cached[place].all;
    sim_status status =
        sim_debug_read_register(&t->client, &r->thread, r->frame, name, &t->cached[place].all, err);
    if (status != SIM_OK) t->cached[place].name[0] = '\0';
    return status;
}

static sim_status read_register(void *context, const char *name, uint64_t *out_value,
                                uint32_t *out_bytes, kl_error *err) {
    reader *r = context;
    const sim_debug_register *all;
    TRY(all_lanes(r, name, &all, err));
    *out_value = all->values[r->thread.lane];
    *out_bytes = all->bytes;
    return SIM_OK;
}

static sim_status read_memory(void *context, ptx_space space, uint64_t address, void *out,
                              uint64_t bytes, kl_error *err) {
    reader *r = context;
    return sim_debug_read_memory(&r->terminal->client, &r->thread, space, address, out, bytes, err);
}

static sim_status find_symbol(void *context, const char *name, ptx_space *out_space,
                              uint64_t *out_address, kl_error *err) {
    reader *r = context;
    sim_debug_symbol symbol;
    TRY(sim_debug_find_symbol(&r->terminal->client, &r->thread, r->frame, name, &symbol, err));
    *out_space = (ptx_space)symbol.space;
    *out_address = symbol.address;
    return SIM_OK;
}

bool debug_shared_variable(debug_terminal *t, const char *name, sim_debug_symbol *out_symbol) {
    kl_error ignored;
    return sim_debug_find_symbol(&t->client, &t->focus, debug_call(t), name, out_symbol,
                                 &ignored) == SIM_OK &&
           out_symbol->space == PTX_SPACE_SHARED;
}

void debug_close_variables(debug_terminal *t) {
    sim_variables_close(t->variables);
    free(t->text);
    t->variables = NULL;
    t->text = NULL;
    t->text_bytes = 0;
}

static sim_status open_variables(debug_terminal *t, kl_error *err) {
    if (t->variables && t->module == t->client.stop.module) return SIM_OK;
    debug_close_variables(t);
    t->module = t->client.stop.module;
    TRY(sim_debug_text(&t->client, &t->text, &t->text_bytes, err));
    t->text_bytes = strlen(t->text); // images end it with NULs
    return sim_variables_open(t->text, t->text_bytes, &t->variables, err);
}

// What debug/variables reads of a thread.
static sim_variables_thread thread_at(reader *context, uint32_t ptx_line, uint32_t inlined) {
    return (sim_variables_thread){.context = context,
                                  .ptx_line = ptx_line,
                                  .frame = inlined,
                                  .read_register = read_register,
                                  .read_memory = read_memory,
                                  .find_symbol = find_symbol};
}

sim_status debug_evaluate_at(debug_terminal *t, const sim_debug_thread *thread, uint32_t frame,
                             uint32_t ptx_line, uint32_t inlined, const char *expression,
                             const sim_variables_format *format, sim_variables_value *out_value,
                             kl_error *err) {
    reader context = {t, *thread, frame};
    const sim_variables_thread at = thread_at(&context, ptx_line, inlined);
    TRY(open_variables(t, err));
    return sim_variables_evaluate(t->variables, &at, expression, format, out_value, err);
}

// The same of a lane of the focus's warp.
static sim_status thread_of(debug_terminal *t, uint32_t lane, reader *out_reader,
                            sim_variables_thread *out_thread, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    uint32_t count;
    *out_reader = (reader){t, t->focus, 0};
    out_reader->thread.lane = lane;
    TRY(open_variables(t, err));
    if (!debug_frames_of(t, &out_reader->thread, frames, &count, err)) return SIM_INVALID_VALUE;
    const sim_debug_place *at = &frames[t->frame < count ? t->frame : count - 1];
    out_reader->frame = at->call;
    *out_thread = thread_at(out_reader, at->ptx_line, at->inlined);
    return SIM_OK;
}

sim_status debug_evaluate(debug_terminal *t, uint32_t lane, const char *expression,
                          const sim_variables_format *format, sim_variables_value *out_value,
                          kl_error *err) {
    reader context;
    sim_variables_thread thread;
    TRY(thread_of(t, lane, &context, &thread, err));
    return sim_variables_evaluate(t->variables, &thread, expression, format, out_value, err);
}

sim_status debug_child(debug_terminal *t, const char *expression, uint32_t index, char **out_name,
                       char **out_expression, kl_error *err) {
    reader context;
    sim_variables_thread thread;
    TRY(thread_of(t, t->focus.lane, &context, &thread, err));
    return sim_variables_child(t->variables, &thread, expression, index, out_name, out_expression,
                               err);
}

void debug_forget(debug_terminal *t) {
    kl_error ignored;
    t->cached_count = 0;
    for (uint32_t i = 0; i < DEBUG_CACHED; i++) t->cached[i].name[0] = '\0';
    if (t->client.stopped) open_variables(t, &ignored);
}
