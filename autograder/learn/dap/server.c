// The loop: requests of the editor, stops and output of the program, one after the other.
#include "learn/dap/internal.h"
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>

static const struct {
    const char *command;
    dap_request_fn run;
    bool needs_stop;
} requests[] = {
#define DAP_REQUEST(identifier, command, needs_stop) {command, dap_on_##identifier, needs_stop},
#include "learn/dap/requests.def"
#undef DAP_REQUEST
};

static bool begin_response(dap_message *m, const json_t *request, bool success) {
    if (!dap_message_begin(m, "response")) return false;
    kl_json_put(&m->json, "request_seq %lu command %s success %hhd", dap_uint(request, "seq", 0),
                dap_text(request, "command", ""), success);
    return true;
}

static void refuse(dap_server *s, const json_t *request, const kl_error *err) {
    enum { ERROR_ID = 1 };
    dap_message m;
    char format[KL_ERROR_TEXT]; // braces in it are names of variables
    snprintf(format, sizeof format, "%s", err->text);
    for (char *at = format; *at; at++)
        if (*at == '{' || *at == '}') *at = *at == '{' ? '(' : ')';
    if (!begin_response(&m, request, false)) return;
    kl_json_put(&m.json, "message %s body (error (id %d format %s showUser %hhd))", err->text,
                ERROR_ID, format, strcmp(dap_text(request, "command", ""), "launch") == 0);
    dap_message_send(s, &m);
}

static kl_status run_request(dap_server *s, const json_t *request, kl_json *body, kl_error *err) {
    const char *command = dap_text(request, "command", "");
    const json_t *arguments = json_object_get(request, "arguments");
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        if (strcmp(requests[i].command, command) != 0) continue;
        if (!s->initialized && requests[i].run != dap_on_initialize)
            return kl_fail(err, KL_ERROR_INPUT, "The first request is `initialize`.");
        if (requests[i].needs_stop && !debug_is_stopped(&s->t, err)) return KL_ERROR_INPUT;
        return requests[i].run(s, arguments, body, err);
    }
    return kl_fail(err, KL_ERROR_INPUT, "The request `%s` is not known here.", command);
}

static void answer(dap_server *s, const json_t *request) {
    dap_message m;
    kl_error err = {KL_OK, ""};
    if (!begin_response(&m, request, true)) return;
    kl_json_row(&m.json, "body");
    s->after = NULL;
    kl_status status = run_request(s, request, &m.json, &err);
    dap_show_notes(s);
    if (status != KL_OK) {
        dap_message_drop(&m);
        refuse(s, request, &err);
        return;
    }
    kl_json_end(&m.json);
    dap_message_send(s, &m);
    bool begins = !s->initialized;
    s->initialized = true;
    if (begins) dap_event(s, "initialized");
    if (s->after) s->after(s, &err);
}

static void take_message(dap_server *s, char *text, size_t bytes) {
    json_t *message;
    kl_error err;
    if (dap_parse(text, bytes, &message, &err) != KL_OK) {
        refuse(s, NULL, &err);
        return;
    }
    const char *type = dap_text(message, "type", "");
    if (strcmp(type, "request") == 0) {
        answer(s, message);
    } else if (strcmp(type, "response") != 0) { // nothing was asked of the editor
        kl_fail(&err, KL_ERROR_INPUT, "The message is no request.");
        refuse(s, message, &err);
    }
    json_decref(message);
}

static void take_messages(dap_server *s) {
    char *text;
    size_t bytes;
    dap_receive(s);
    while (!s->ends && (text = dap_next(s, &bytes))) {
        take_message(s, text, bytes);
        free(text);
    }
}

// Waits for the editor and, while it runs, for the program.
static void wait_for_something(dap_server *s) {
    static const double look_s = 0.1, moment_s = 1e-3;
    struct pollfd ends[2 + DAP_STREAMS] = {{.fd = s->in, .events = POLLIN}};
    const bool runs = s->t.running;
    ladder_process *both[] = {&s->t.session.program, &s->t.session.engine};
    ends[1] = (struct pollfd){.fd = runs ? s->t.client.descriptor : -1, .events = POLLIN};
    for (int i = 0; i < DAP_STREAMS; i++)
        ends[2 + i] = (struct pollfd){.fd = s->streams[i], .events = POLLIN};
    poll(ends, 2 + DAP_STREAMS, runs ? (int)(look_s * 1e3) : -1);
    if (ends[0].revents) take_messages(s);
    dap_streams_read(s);
    if (!runs || !s->t.running || s->ends) return;
    // What it has read of the engine's output, and whether one has ended.
    bool arrived =
        ladder_process_wait_readable(both, 2, s->t.client.descriptor, kl_now_s() + moment_s);
    if (arrived) // of an engine that has stopped: its end
        dap_take_stop(s);
    else if (s->t.session.program.end != LADDER_END_RUNNING) dap_on_end(s);
}

kl_status ladder_dap(const ladder_kit *kit, const ladder_dap_options *options, kl_error *err) {
    dap_server *s = calloc(1, sizeof *s);
    if (!s) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the debugger");
    s->options = options;
    s->t.kit = kit;
    s->t.is_remote = true;
    s->t.decide = dap_decide;
    s->t.style = (kl_style){.width = 80};
    s->t.client.descriptor = -1;
    s->stops_at_findings = s->stops_at_faults = true;
    signal(SIGPIPE, SIG_IGN);
    kl_status status = dap_connect(s, err);
    while (status == KL_OK && !s->ends && !s->broken) wait_for_something(s);
    debug_end(&s->t);
    dap_handles_clear(s);
    dap_points_clear(s);
    debug_close_variables(&s->t);
    dap_disconnect(s);
    free(s->handles);
    free(s);
    return status;
}
