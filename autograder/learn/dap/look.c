// Threads, calls and sources of a launch that is stopped. Threads of the editor are the lanes of
// the focused warp, and one for each other warp of its block: choosing it and stepping brings its
// lanes.
#include "learn/dap/internal.h"

// ---- threads ------------------------------------------------------------------------------------

static void put_thread(dap_server *s, kl_json *body, const sim_debug_thread *thread,
                       const sim_debug_lane *lane) {
    char name[160];
    bool other = thread->warp != s->t.focus.warp;
    const char *index = debug_dim_text(debug_thread_at(&s->t, thread->warp, thread->lane));
    if (other)
        snprintf(name, sizeof name, "warp %u: thread %s, %s, line %u", thread->warp, index,
                 debug_lane_text(lane->state), lane->line);
    else
        snprintf(name, sizeof name, "thread %s: lane %u of warp %u, %s", index, thread->lane,
                 thread->warp, debug_lane_text(lane->state));
    kl_json_put(body, "(id %lu name %s)", dap_thread_id(s, thread), name);
}

static bool lives(const sim_debug_lane *lane) {
    return lane->state != SIM_DEBUG_ABSENT && lane->state != SIM_DEBUG_EXITED;
}

// Lanes of the focused warp that have not ended, or the first of another one.
static void put_warp(dap_server *s, kl_json *body, uint32_t warp) {
    sim_debug_thread thread = {s->t.focus.block, warp, 0};
    sim_debug_lane lanes[SIM_DEBUG_LANES];
    kl_error ignored;
    if (sim_debug_lanes(&s->t.client, &thread, lanes, &ignored) != SIM_OK) return;
    uint32_t active = 0;
    while (active < SIM_DEBUG_LANES && lanes[active].state != SIM_DEBUG_ACTIVE) active++;
    for (uint32_t i = 0; i < SIM_DEBUG_LANES; i++) {
        thread.lane = i;
        if (!lives(&lanes[i])) continue;
        if (warp == s->t.focus.warp) {
            put_thread(s, body, &thread, &lanes[i]);
            continue;
        }
        if (active < SIM_DEBUG_LANES) thread.lane = active;
        put_thread(s, body, &thread, &lanes[thread.lane]);
        break;
    }
}

kl_status dap_on_threads(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    (void)arguments;
    (void)err;
    kl_json_array(body, "threads");
    if (s->t.client.stopped) {
        put_warp(s, body, s->t.focus.warp);
        for (uint32_t warp = 0; warp < dap_warps(s); warp++)
            if (warp != s->t.focus.warp) put_warp(s, body, warp);
    } else if (s->t.running) { // something to press `pause` on
        kl_json_put(body, "(id %lu name %s)", s->t.entered ? dap_thread_id(s, &s->t.focus) : 1,
                    "the program runs");
    }
    kl_json_end(body);
    return KL_OK;
}

// ---- stackTrace, source -------------------------------------------------------------------------

// The path that an editor can open; false: there is no such file.
static bool find_source(const dap_server *s, const char *file, char *path, size_t bytes) {
    char *whole = realpath(file, NULL);
    if (!whole && file[0] != '/') {
        snprintf(path, bytes, "%s/%s", s->t.kit->source, file);
        whole = realpath(path, NULL);
    }
    if (!whole) return false;
    snprintf(path, bytes, "%s", whole);
    free(whole);
    return true;
}

enum { PTX_REFERENCE = 1 };

static void put_place(dap_server *s, kl_json *body, const sim_debug_place *place) {
    char path[2 * LADDER_PATH];
    bool known = place->line && find_source(s, place->file, path, sizeof path);
    kl_json_put(body, "source (name %s", place->line == 0 ? "PTX" : basename(place->file));
    if (known) kl_json_string(body, "path", path);
    else if (place->line == 0) kl_json_uint(body, "sourceReference", PTX_REFERENCE);
    else kl_json_string(body, "presentationHint", "deemphasize");
    kl_json_end(body);
    uint32_t line = place->line ? place->line : place->ptx_line;
    kl_json_put(body, "line %u column %u", line - (s->from_zero && line > 0), s->from_zero ? 0 : 1);
}

static void put_frame(dap_server *s, kl_json *body, const sim_debug_thread *thread, uint32_t number,
                      const sim_debug_place *place) {
    char name[SIM_DEBUG_NAME + 96];
    debug_kernel_text(&s->t, place->kernel, false, name, sizeof name);
    kl_json_put(body, "(id %u name %s", dap_handle_new(s, DAP_LOCALS, thread, number, NULL), name);
    put_place(s, body, place);
    kl_json_end(body);
}

kl_status dap_on_stack_trace(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    sim_debug_place frames[SIM_DEBUG_FRAMES];
    sim_debug_thread thread;
    uint32_t count;
    TRY(dap_thread_find(s, arguments, &thread, err));
    s->t.focus = thread;
    if (!debug_frames(&s->t, frames, &count, err)) return KL_ERROR_INPUT;
    uint64_t first = dap_uint(arguments, "startFrame", 0),
             levels = dap_uint(arguments, "levels", 0);
    if (levels == 0) levels = SIM_DEBUG_FRAMES;
    kl_json_array(body, "stackFrames");
    for (uint64_t i = first; i < count && i - first < levels; i++)
        put_frame(s, body, &thread, (uint32_t)i, &frames[i]);
    kl_json_put(body, "] totalFrames %u", count);
    return KL_OK;
}

kl_status dap_on_source(dap_server *s, const json_t *arguments, kl_json *body, kl_error *err) {
    uint64_t number =
        dap_uint(arguments, "sourceReference",
                 dap_uint(json_object_get(arguments, "source"), "sourceReference", 0));
    if (number != PTX_REFERENCE || !s->t.text)
        return kl_fail(err, KL_ERROR_INPUT, "There is no source of this number.");
    kl_json_string(body, "content", s->t.text);
    return KL_OK;
}

// ---- numbers for threads and for what has variables; telling of a stop --------------------------

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
