// State of a session with an editor. From the ground up: wire.c (bytes to and from the editor and
// the program), values.c, look.c, points.c, run.c (the requests), server.c (the loop).
// Private to this module.
#pragma once

#include "json.h"
#include "learn/dap/dap.h"
#include "learn/debug/debug.h"
#include <jansson.h>

// ---- wire.c -------------------------------------------------------------------------------------
// Messages of the Debug Adapter Protocol as they arrive: JSON, which Jansson reads. What comes from
// an editor is not trusted: a member that is missing or of another type reads as its default.

// Reads one document, an object or an array; `text`: [bytes]. Free with json_decref.
kl_status dap_parse(const char *text, size_t bytes, json_t **out_value, kl_error *err);

// The member of this name, if it is of this type; else `otherwise`, as well where `object` is NULL
// or no object. An integer may be written as 3.0.
const char *dap_text(const json_t *object, const char *key, const char *otherwise);
bool dap_flag(const json_t *object, const char *key, bool otherwise);
uint64_t dap_uint(const json_t *object, const char *key, uint64_t otherwise);

// What a variablesReference stands for.
typedef enum dap_handle_kind {
    DAP_LOCALS,    // scope: parameters and variables of a call
    DAP_SHARED,    // scope: its variables in shared memory
    DAP_GLOBALS,   // scope: variables of the module
    DAP_LANES,     // scope: the first again, each for all lanes of the warp
    DAP_INDICES,   // scope: threadIdx and the like
    DAP_REGISTERS, // scope
    DAP_CHILDREN,  // elements or members of `expression`
    DAP_BY_LANE    // `expression` for all lanes
} dap_handle_kind;

// A call of a thread (its frameId is the index + 1), or something that has variables.
typedef struct dap_handle {
    dap_handle_kind kind;
    sim_debug_thread thread;
    uint32_t frame;
    char *expression; // NULL: none
} dap_handle;

// What an editor wants of a breakpoint beyond its row.
typedef struct dap_point {
    char *owner;    // the source's path, "function", "data"; NULL: the row is none of the editor's
    char *log;      // a log point: the text, with expressions in braces; NULL: it stops
    char test;      // how `count` limits its hits: '>' from that one on, '<' '=' '%'; '\0': not
    uint32_t count; // of hits
} dap_point;

enum { DAP_HANDLES = 1 << 16, DAP_STREAMS = 2 };

typedef struct dap_server {
    debug_terminal t; // first: dap_decide gets it
    const ladder_dap_options *options;

    // wire.c
    int in, out, notes; // notes: what the debugger itself prints, as a file
    char *buffer;       // read, not yet taken: [buffer_bytes]
    size_t buffer_bytes, buffer_capacity;
    uint64_t sent;            // messages
    int streams[DAP_STREAMS]; // of the program: output and error, to read; -1
    bool broken;              // the editor is gone, or talks something else

    // run.c
    bool initialized, launched, configured, started, ended; // ended: `terminated` was sent
    bool ends;                                              // the session is over
    bool any_kernel;                                        // was launched since the start
    bool stop_on_entry, pausing, refreshing;                // refreshing: stops to hand over points
    uint32_t entry;                                         // number of the breakpoint for it
    sim_debug_way way;                                      // of the last going on
    sim_debug_step step;
    sim_debug_thread stepper;
    bool stops_at_findings, stops_at_faults;
    bool from_zero;                                          // the editor counts lines from 0
    kl_status (*after)(struct dap_server *s, kl_error *err); // the answer, what else is to be done

    dap_point points[SIM_DEBUG_POINTS]; // what the editor has said of each row
    dap_handle *handles;                // [handle_count], of this stop
    uint32_t handle_count, handle_capacity;
} dap_server;

typedef kl_status (*dap_request_fn)(dap_server *s, const json_t *arguments, kl_json *body,
                                    kl_error *err);
#define DAP_REQUEST(identifier, command, stopped)                                                  \
    kl_status dap_on_##identifier(dap_server *s, const json_t *arguments, kl_json *body,           \
                                  kl_error *err);
#include "learn/dap/requests.def"
#undef DAP_REQUEST

// ---- wire.c ----

// A message that is being written. Its object is open.
typedef struct dap_message {
    FILE *file;
    char *text;
    size_t bytes;
    kl_json json;
} dap_message;

bool dap_message_begin(dap_message *m, const char *type);
void dap_message_send(dap_server *s, dap_message *m);
void dap_message_drop(dap_message *m);
// The same with an event's body, which is open.
bool dap_event_begin(dap_message *m, const char *event);
void dap_event_send(dap_server *s, dap_message *m);
void dap_event(dap_server *s, const char *event); // without a body

kl_status dap_connect(dap_server *s, kl_error *err);
void dap_disconnect(dap_server *s);
// Takes what has arrived. dap_next: the next whole message, for the caller to free; NULL: none yet.
void dap_receive(dap_server *s);
char *dap_next(dap_server *s, size_t *out_bytes);

void dap_output(dap_server *s, const char *category, const char *text);
// What the debugger has printed since the last time, for the caller to free; NULL: nothing.
char *dap_take_notes(dap_server *s);
void dap_show_notes(dap_server *s);
// Around the start of the program: its output goes into `streams`.
kl_status dap_streams_open(dap_server *s, kl_error *err);
void dap_streams_started(dap_server *s);
void dap_streams_read(dap_server *s);
void dap_streams_close(dap_server *s);

// ---- look.c ----

uint32_t dap_handle_new(dap_server *s, dap_handle_kind kind, const sim_debug_thread *thread,
                        uint32_t frame, const char *expression);
// NULL, and a message: there is none of this number.
const dap_handle *dap_handle_of(dap_server *s, uint64_t number, kl_error *err);
void dap_handles_clear(dap_server *s);
// Looks at another thread until the next stop or call of this.
void dap_look_at(dap_server *s, const dap_handle *handle);
uint32_t dap_warps(const dap_server *s); // of a block
uint64_t dap_thread_id(const dap_server *s, const sim_debug_thread *thread);
// The thread of a request, by threadId; without one the focus.
kl_status dap_thread_find(const dap_server *s, const json_t *arguments,
                          sim_debug_thread *out_thread, kl_error *err);
void dap_tell_stop(dap_server *s, const char *reason, const char *text);
// While a launch runs: hands over what breakpoints there are now.
void dap_refresh(dap_server *s);

// ---- points.c ----

// At a launch: finds places of breakpoints in its code, and tells the editor.
void dap_place_all(dap_server *s);
void dap_points_clear(dap_server *s);
// For debug_terminal.decide: counts a hit, and writes what a log point says.
bool dap_decide(debug_terminal *t, debug_row *row);

// ---- run.c ----

// What the engine has sent.
void dap_take_stop(dap_server *s);
void dap_on_end(dap_server *s);
