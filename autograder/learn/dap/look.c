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
