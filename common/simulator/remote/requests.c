// SPDX-License-Identifier: MIT
// Handlers of the engine protocol, one for each call of engine/calls.def: read the request, call
// the engine, put the answer's fields. Must not trust a field, nor keep anything between requests
// but the session.
#include "remote/requests.h"

#include <stdlib.h>
#include <string.h>

#include "remote/messages.h"

enum { MAX_MODULES = 4096 };

typedef struct exchange {
    sim_session *session;
    wire_reader request;
    wire_writer *answer;
    int passed; // descriptor that goes with the answer, or -1
    bool is_control;
    kl_error err;
    char text[WIRE_MAX_NAME]; // that came with the request
} exchange;

static sim_status malformed(exchange *x) {
    return sim_fail(&x->err, SIM_INVALID_VALUE, "a malformed request");
}

// The request was read to its end without a bad field.
#define WHOLE(x)                                                                                   \
    do {                                                                                           \
        if (!wire_done(&(x)->request)) return malformed(x);                                        \
    } while (0)

static sim_status on_hello(exchange *x) {
    uint32_t version = wire_get_u32(&x->request);
    WHOLE(x);
    if (version != WIRE_VERSION)
        return sim_fail(&x->err, SIM_UNSUPPORTED, "protocol version %u is not served", version);
    wire_greeting greeting = {.version = WIRE_VERSION, .counter_count = SIM_COUNTER_COUNT};
    const char *id = sim_engine_device(x->session->engine)->id;
    strncpy(greeting.device, id, sizeof greeting.device - 1);
    wire_put_greeting(x->answer, &greeting);
    return SIM_OK;
}

static uint32_t get_u32(exchange *x) {
    return wire_get_u32(&x->request);
}

static uint64_t get_u64(exchange *x) {
    return wire_get_u64(&x->request);
}

static const char *get_text(exchange *x) {
    wire_get_text(&x->request, x->text, sizeof x->text);
    return x->text;
}

// The plain calls. Each has one text at most: there is one place to read it to.
#define IS_TEXT(type, name) +_Generic((type){0}, const char * : 1, default : 0)
#define GET(type, name)                                                                            \
    type name =                                                                                    \
        _Generic((type){0}, uint32_t: get_u32, uint64_t: get_u64, const char *: get_text)(x);
#define RESULT(type, name)    type out_##name = 0;
#define PASS(type, name)      , name
#define PASS_OUT(type, name)  , &out_##name
#define PUT(type, name)       WIRE_PUT(x->answer, out_##name);
#define HANDLER_SPECIAL(call) // written out below
#define HANDLER_PLAIN(call)                                                                        \
    _Static_assert(0 SIM_FIELDS_##call(IS_TEXT, SIM_SKIP, SIM_SKIP) <= 1, "more than one text");   \
    static sim_status on_##call(exchange *x) {                                                     \
        SIM_FIELDS_##call(GET, RESULT, SIM_SKIP);                                                  \
        WHOLE(x);                                                                                  \
        TRY(sim_##call(x->session->engine SIM_FIELDS_##call(PASS, PASS_OUT, SIM_SKIP), &x->err));  \
        SIM_FIELDS_##call(SIM_SKIP, PUT, SIM_SKIP);                                                \
        return SIM_OK;                                                                             \
    }
#define SIM_CALL(id, call, way, who) HANDLER_##way(call)
#include "engine/calls.def"
#undef SIM_CALL

static sim_status on_module_load(exchange *x) {
    if (x->session->modules == MAX_MODULES)
        return sim_fail(&x->err, SIM_OUT_OF_MEMORY, "more than %d modules", MAX_MODULES);
    sim_module_handle module = 0;
    TRY(sim_module_load(x->session->engine, x->request.data, x->request.bytes, &module, &x->err));
    x->session->modules++;
    wire_put_u32(x->answer, module);
    return SIM_OK;
}

static sim_status on_function_query(exchange *x) {
    uint32_t function = wire_get_u32(&x->request);
    WHOLE(x);
    sim_function_info info;
    TRY(sim_function_query(x->session->engine, function, &info, &x->err));
    wire_put_function_info(x->answer, &info);
    return SIM_OK;
}

static sim_status on_memory_write(exchange *x) {
    uint64_t destination = wire_get_u64(&x->request);
    if (x->request.bad || x->request.bytes - x->request.at > WIRE_CHUNK_BYTES) return malformed(x);
    size_t bytes = x->request.bytes - x->request.at;
    const void *data = wire_get_bytes(&x->request, bytes);
    return sim_memory_write(x->session->engine, destination, data, bytes, &x->err);
}

static sim_status on_memory_read(exchange *x) {
    uint64_t source = wire_get_u64(&x->request);
    uint32_t bytes = wire_get_count(&x->request, WIRE_CHUNK_BYTES);
    WHOLE(x);
    void *data = malloc(bytes ? bytes : 1);
    if (!data) return sim_fail(&x->err, SIM_OUT_OF_MEMORY, "no memory for a copy");
    sim_status status = sim_memory_read(x->session->engine, data, source, bytes, &x->err);
    if (status == SIM_OK) wire_put_bytes(x->answer, data, bytes);
    free(data);
    return status;
}

static sim_status on_memory_shared_file(exchange *x) {
    uint64_t address = wire_get_u64(&x->request), offset = 0;
    WHOLE(x);
    TRY(sim_memory_shared_file(x->session->engine, address, &x->passed, &offset, &x->err));
    wire_put_u64(x->answer, offset);
    return SIM_OK;
}

static sim_status on_texture_create(exchange *x) {
    sim_texture_desc texture;
    uint64_t handle = 0;
    wire_get_texture(&x->request, &texture);
    WHOLE(x);
    TRY(sim_texture_create(x->session->engine, &texture, &handle, &x->err));
    wire_put_u64(x->answer, handle);
    return SIM_OK;
}

// The result travels whatever the status, behind the error text if there is one.
static sim_status on_launch(exchange *x) {
    uint32_t function = wire_get_u32(&x->request);
    sim_launch_config config;
    wire_get_launch_config(&x->request, &config);
    sim_launch_result result = {0};
    sim_status status;
    if (x->request.bad) {
        status = malformed(x);
    } else {
        uint32_t bytes = (uint32_t)(x->request.bytes - x->request.at);
        const void *params = wire_get_bytes(&x->request, bytes);
        status = sim_launch(x->session->engine, function, &config, params, bytes, &result, &x->err);
    }
    if (status != SIM_OK) wire_put_text(x->answer, x->err.text, sizeof x->err.text);
    wire_put_launch_result(x->answer, &result);
    return status;
}

// What kernels print goes to the judge where there is one: the program could read its input in it.
static sim_status on_take_output(exchange *x) {
    char *text = NULL;
    WHOLE(x);
    if (x->session->judged && !x->is_control) {
        wire_put_text(x->answer, "", SIZE_MAX);
        return SIM_OK;
    }
    TRY(sim_take_output(x->session->engine, &text, &x->err));
    wire_put_text(x->answer, text ? text : "", SIZE_MAX);
    free(text);
    return SIM_OK;
}

static sim_status on_launch_report_get(exchange *x) {
    uint32_t index = wire_get_u32(&x->request);
    WHOLE(x);
    sim_launch_report *report = NULL;
    TRY(sim_launch_report_get(x->session->engine, index, &report, &x->err));
    wire_put_report(x->answer, report);
    sim_launch_report_free(report);
    return SIM_OK;
}

static sim_status on_check_report_get(exchange *x) {
    WHOLE(x);
    sim_check_report *report = NULL;
    TRY(sim_check_report_get(x->session->engine, &report, &x->err));
    wire_put_check_report(x->answer, report);
    sim_check_report_free(report);
    return SIM_OK;
}

enum { RUNNER = 1, CONTROL = 2, BOTH = RUNNER | CONTROL };

typedef struct request_row {
    sim_status (*handle)(exchange *x);
    int who; // may ask
} request_row;

static const request_row rows[WIRE_KIND_COUNT] = {
    [WIRE_HELLO] = {on_hello, BOTH},
#define SIM_CALL(id, call, way, who) [WIRE_##id] = {on_##call, who},
#include "engine/calls.def"
#undef SIM_CALL
};

sim_status sim_session_answer(sim_session *session, wire_kind kind, bool is_control,
                              wire_reader request, wire_writer *answer, int *out_passed) {
    exchange x = {.session = session,
                  .request = request,
                  .answer = answer,
                  .passed = -1,
                  .is_control = is_control};
    const request_row *row = &rows[kind];
    bool may = row->who & (is_control ? CONTROL : RUNNER);
    sim_status status;
    if (may)
        status = row->handle(&x);
    else
        status = sim_fail(&x.err, SIM_INVALID_VALUE, "not allowed on this connection");
    if (status == SIM_OK && answer->failed)
        status = sim_fail(&x.err, SIM_OUT_OF_MEMORY, "the answer is too large");
    *out_passed = x.passed;
    if (may && (kind == WIRE_CALL_BEGIN || kind == WIRE_CALL_END))
        session->held = kind == WIRE_CALL_END;
    session->judged |= session->held;
    if (status == SIM_OK || (may && kind == WIRE_LAUNCH)) return status; // has put its own text
    answer->bytes = 0;
    answer->failed = false;
    wire_put_text(answer, x.err.text, sizeof x.err.text);
    return status;
}
