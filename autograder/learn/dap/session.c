// What all requests share: numbers for threads and for what has variables, and telling of a stop.
#include "learn/dap/internal.h"

uint32_t dap_handle_new(dap_server *s, dap_handle_kind kind, const sim_debug_thread *thread,
                        uint32_t frame, const char *expression) {
    if (s->handle_count == s->handle_capacity) {
        uint32_t capacity = s->handle_capacity ? 2 * s->handle_capacity : 64;
        dap_handle *grown =
            capacity > DAP_HANDLES ? NULL : realloc(s->handles, capacity * sizeof *grown);
        if (!grown) return 0; // 0: has no children, to the editor
        s->handles = grown;
        s->handle_capacity = capacity;
    }
    char *copy = expression ? strdup(expression) : NULL;
    s->handles[s->handle_count++] = (dap_handle){kind, *thread, frame, copy};
    return s->handle_count;
}

const dap_handle *dap_handle_of(dap_server *s, uint64_t number, kl_error *err) {
    if (number > 0 && number <= s->handle_count) return &s->handles[number - 1];
    kl_fail(err, KL_ERROR_INPUT, "There is nothing of this number since the kernel stopped last.");
    return NULL;
}

void dap_handles_clear(dap_server *s) {
    for (uint32_t i = 0; i < s->handle_count; i++) free(s->handles[i].expression);
    s->handle_count = 0;
}

void dap_look_at(dap_server *s, const dap_handle *handle) {
    s->t.focus = handle->thread;
    s->t.frame = handle->frame;
}

uint32_t dap_warps(const dap_server *s) {
    const sim_dim3 *size = &s->t.client.stop.block;
    return (size->x * size->y * size->z + SIM_DEBUG_LANES - 1) / SIM_DEBUG_LANES;
}

// From 1 on, equal for one thread as long as the launch lasts.
uint64_t dap_thread_id(const dap_server *s, const sim_debug_thread *thread) {
    return (thread->block * dap_warps(s) + thread->warp) * SIM_DEBUG_LANES + thread->lane + 1;
}

kl_status dap_thread_find(const dap_server *s, const json_t *arguments,
                          sim_debug_thread *out_thread, kl_error *err) {
    uint64_t id = dap_uint(arguments, "threadId", 0);
    const sim_dim3 *grid = &s->t.client.stop.grid;
    *out_thread = s->t.focus;
    if (id == 0) return KL_OK;
    uint64_t warp = (id - 1) / SIM_DEBUG_LANES;
    out_thread->lane = (uint32_t)((id - 1) % SIM_DEBUG_LANES);
    out_thread->warp = (uint32_t)(warp % dap_warps(s));
    out_thread->block = warp / dap_warps(s);
    if (out_thread->block < (uint64_t)grid->x * grid->y * grid->z) return KL_OK;
    return kl_fail(err, KL_ERROR_INPUT, "The launch has no thread of this number.");
}

void dap_tell_stop(dap_server *s, const char *reason, const char *text) {
    const sim_debug_stop *stop = &s->t.client.stop;
    dap_message m;
    if (!dap_event_begin(&m, "stopped")) return;
    kl_json_put(&m.json, "reason %s description %s", reason, text);
    if (strcmp(reason, "exception") == 0)
        kl_json_string(&m.json, "text",
                       stop->reason == SIM_DEBUG_FAULT ? stop->text : stop->finding.text);
    kl_json_put(&m.json, "threadId %lu allThreadsStopped %hhd", dap_thread_id(s, &s->t.focus),
                true);
    if (stop->reason == SIM_DEBUG_BREAKPOINT || stop->reason == SIM_DEBUG_WATCHPOINT)
        kl_json_put(&m.json, "hitBreakpointIds <%u>", stop->point);
    dap_event_send(s, &m);
}

void dap_refresh(dap_server *s) {
    if (!s->t.running || s->t.client.stopped || s->way != SIM_DEBUG_FORWARDS) return;
    s->refreshing = true;
    sim_debug_ask_to_stop(&s->t.client);
}
