// SPDX-License-Identifier: MIT
// Handlers of the engine protocol, one for each row of wire_kinds.def: read the request, call the
// engine, put the answer's fields. Must not trust a field, nor keep anything between requests but
// the session.
#include "remote/requests.h"

#include <stdlib.h>
#include <string.h>

#include "remote/wire_messages.h"

enum { MAX_MODULES = 4096 };

typedef struct exchange {
    sim_session *session;
    wire_reader request;
    wire_writer *answer;
    int passed; // descriptor that goes with the answer, or -1
    sim_error error;
} exchange;

static sim_status malformed(exchange *x) {
    return sim_fail(&x->error, SIM_INVALID_VALUE, "a malformed request");
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
        return sim_fail(&x->error, SIM_UNSUPPORTED, "protocol version %u is not served", version);
    wire_greeting greeting = {.version = WIRE_VERSION, .counter_count = SIM_COUNTER_COUNT};
    const char *id = sim_engine_device(x->session->engine)->id;
    strncpy(greeting.device, id, sizeof greeting.device - 1);
    wire_put_greeting(x->answer, &greeting);
    return SIM_OK;
}

static sim_status on_module_load(exchange *x) {
    if (x->session->modules == MAX_MODULES)
        return sim_fail(&x->error, SIM_OUT_OF_MEMORY, "more than %d modules", MAX_MODULES);
    sim_module_handle module = 0;
    SIM_TRY(
        sim_module_load(x->session->engine, x->request.data, x->request.bytes, &module, &x->error));
    x->session->modules++;
    wire_put_u32(x->answer, module);
    return SIM_OK;
}

static sim_status on_module_unload(exchange *x) {
    uint32_t module = wire_get_u32(&x->request);
    WHOLE(x);
    return sim_module_unload(x->session->engine, module, &x->error);
}

static sim_status on_function_find(exchange *x) {
    char name[WIRE_MAX_NAME];
    uint32_t module = wire_get_u32(&x->request);
    wire_get_text(&x->request, name, sizeof name);
    WHOLE(x);
    sim_function_handle function = 0;
    SIM_TRY(sim_function_find(x->session->engine, module, name, &function, &x->error));
    wire_put_u32(x->answer, function);
    return SIM_OK;
}

static sim_status on_module_kernel(exchange *x) {
    uint32_t module = wire_get_u32(&x->request), index = wire_get_u32(&x->request);
    WHOLE(x);
    sim_function_handle function = 0;
    SIM_TRY(sim_module_kernel(x->session->engine, module, index, &function, &x->error));
    wire_put_u32(x->answer, function);
    return SIM_OK;
}

static sim_status on_function_query(exchange *x) {
    uint32_t function = wire_get_u32(&x->request);
    WHOLE(x);
    sim_function_info info;
    SIM_TRY(sim_function_query(x->session->engine, function, &info, &x->error));
    wire_put_function_info(x->answer, &info);
    return SIM_OK;
}

static sim_status on_function_set_max_dynamic_shared(exchange *x) {
    uint32_t function = wire_get_u32(&x->request), bytes = wire_get_u32(&x->request);
    WHOLE(x);
    return sim_function_set_max_dynamic_shared(x->session->engine, function, bytes, &x->error);
}

static sim_status on_symbol_find(exchange *x) {
    char name[WIRE_MAX_NAME];
    uint32_t module = wire_get_u32(&x->request);
    wire_get_text(&x->request, name, sizeof name);
    WHOLE(x);
    uint64_t address = 0, bytes = 0;
    SIM_TRY(sim_symbol_find(x->session->engine, module, name, &address, &bytes, &x->error));
    wire_put_u64(x->answer, address);
    wire_put_u64(x->answer, bytes);
    return SIM_OK;
}

static sim_status on_memory_alloc(exchange *x) {
    uint64_t bytes = wire_get_u64(&x->request), address = 0;
    WHOLE(x);
    SIM_TRY(sim_memory_alloc(x->session->engine, bytes, &address, &x->error));
    wire_put_u64(x->answer, address);
    return SIM_OK;
}

static sim_status on_memory_alloc_at(exchange *x) {
    uint64_t address = wire_get_u64(&x->request), bytes = wire_get_u64(&x->request);
    WHOLE(x);
    return sim_memory_alloc_at(x->session->engine, address, bytes, &x->error);
}

static sim_status on_memory_free(exchange *x) {
    uint64_t address = wire_get_u64(&x->request);
    WHOLE(x);
    return sim_memory_free(x->session->engine, address, &x->error);
}

static sim_status on_memory_write(exchange *x) {
    uint64_t destination = wire_get_u64(&x->request);
    if (x->request.bad || x->request.bytes - x->request.at > WIRE_CHUNK_BYTES) return malformed(x);
    size_t bytes = x->request.bytes - x->request.at;
    const void *data = wire_get_bytes(&x->request, bytes);
    return sim_memory_write(x->session->engine, destination, data, bytes, &x->error);
}

static sim_status on_memory_read(exchange *x) {
    uint64_t source = wire_get_u64(&x->request);
    uint32_t bytes = wire_get_count(&x->request, WIRE_CHUNK_BYTES);
    WHOLE(x);
    void *data = malloc(bytes ? bytes : 1);
    if (!data) return sim_fail(&x->error, SIM_OUT_OF_MEMORY, "no memory for a copy");
    sim_status status = sim_memory_read(x->session->engine, data, source, bytes, &x->error);
    if (status == SIM_OK) wire_put_bytes(x->answer, data, bytes);
    free(data);
    return status;
}

static sim_status on_memory_copy(exchange *x) {
    uint64_t destination = wire_get_u64(&x->request), source = wire_get_u64(&x->request);
    uint64_t bytes = wire_get_u64(&x->request);
    WHOLE(x);
    return sim_memory_copy(x->session->engine, destination, source, bytes, &x->error);
}

static sim_status on_memory_fill(exchange *x) {
    uint64_t destination = wire_get_u64(&x->request);
    uint32_t value = wire_get_u32(&x->request), width = wire_get_u32(&x->request);
    uint64_t count = wire_get_u64(&x->request);
    WHOLE(x);
    return sim_memory_fill(x->session->engine, destination, value, width, count, &x->error);
}

static sim_status on_memory_find(exchange *x) {
    uint64_t address = wire_get_u64(&x->request), base = 0, bytes = 0;
    WHOLE(x);
    SIM_TRY(sim_memory_find(x->session->engine, address, &base, &bytes, &x->error));
    wire_put_u64(x->answer, base);
    wire_put_u64(x->answer, bytes);
    return SIM_OK;
}

static sim_status on_memory_info(exchange *x) {
    uint64_t free_bytes = 0, total_bytes = 0;
    WHOLE(x);
    SIM_TRY(sim_memory_info(x->session->engine, &free_bytes, &total_bytes, &x->error));
    wire_put_u64(x->answer, free_bytes);
    wire_put_u64(x->answer, total_bytes);
    return SIM_OK;
}

static sim_status on_memory_alloc_shared(exchange *x) {
    uint64_t bytes = wire_get_u64(&x->request), address = 0;
    WHOLE(x);
    SIM_TRY(sim_memory_alloc_shared(x->session->engine, bytes, &address, &x->error));
    wire_put_u64(x->answer, address);
    return SIM_OK;
}

static sim_status on_memory_shared_file(exchange *x) {
    uint64_t address = wire_get_u64(&x->request), offset = 0;
    WHOLE(x);
    SIM_TRY(sim_memory_shared_file(x->session->engine, address, &x->passed, &offset, &x->error));
    wire_put_u64(x->answer, offset);
    return SIM_OK;
}

static sim_status on_memory_attach(exchange *x) {
    uint64_t address = wire_get_u64(&x->request), bytes = wire_get_u64(&x->request);
    bool direct = false;
    WHOLE(x);
    SIM_TRY(sim_memory_attach(x->session->engine, address, bytes, &direct, &x->error));
    wire_put_u8(x->answer, direct);
    return SIM_OK;
}

static sim_status on_memory_detach(exchange *x) {
    uint64_t address = wire_get_u64(&x->request);
    WHOLE(x);
    return sim_memory_detach(x->session->engine, address, &x->error);
}

static sim_status on_limit_set(exchange *x) {
    uint32_t limit = wire_get_u32(&x->request);
    uint64_t bytes = wire_get_u64(&x->request);
    WHOLE(x);
    return sim_limit_set(x->session->engine, (sim_limit)limit, bytes, &x->error);
}

static sim_status on_texture_create(exchange *x) {
    sim_texture_desc texture;
    uint64_t handle = 0;
    wire_get_texture(&x->request, &texture);
    WHOLE(x);
    SIM_TRY(sim_texture_create(x->session->engine, &texture, &handle, &x->error));
    wire_put_u64(x->answer, handle);
    return SIM_OK;
}

static sim_status on_texture_destroy(exchange *x) {
    uint64_t handle = wire_get_u64(&x->request);
    WHOLE(x);
    return sim_texture_destroy(x->session->engine, handle, &x->error);
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
        status =
            sim_launch(x->session->engine, function, &config, params, bytes, &result, &x->error);
    }
    if (status != SIM_OK) wire_put_text(x->answer, x->error.text, sizeof x->error.text);
    wire_put_launch_result(x->answer, &result);
    return status;
}

static sim_status on_take_output(exchange *x) {
    char *text = NULL;
    WHOLE(x);
    SIM_TRY(sim_take_output(x->session->engine, &text, &x->error));
    wire_put_text(x->answer, text ? text : "", SIZE_MAX);
    free(text);
    return SIM_OK;
}

static sim_status on_launch_count(exchange *x) {
    uint32_t count = 0;
    WHOLE(x);
    SIM_TRY(sim_launch_count(x->session->engine, &count, &x->error));
    wire_put_u32(x->answer, count);
    return SIM_OK;
}

static sim_status on_launch_report(exchange *x) {
    uint32_t index = wire_get_u32(&x->request);
    WHOLE(x);
    sim_launch_report *report = NULL;
    SIM_TRY(sim_launch_report_get(x->session->engine, index, &report, &x->error));
    wire_put_report(x->answer, report);
    sim_launch_report_free(report);
    return SIM_OK;
}

static sim_status on_unchecked_launch(exchange *x) {
    char text[SIM_ERROR_TEXT_BYTES];
    uint32_t function = wire_get_u32(&x->request);
    wire_get_text(&x->request, text, sizeof text);
    WHOLE(x);
    return sim_check_unchecked_launch(x->session->engine, function, text, &x->error);
}

static sim_status on_check_report(exchange *x) {
    WHOLE(x);
    sim_check_report *report = NULL;
    SIM_TRY(sim_check_report_get(x->session->engine, &report, &x->error));
    wire_put_check_report(x->answer, report);
    sim_check_report_free(report);
    return SIM_OK;
}

static sim_status on_abort(exchange *x) {
    WHOLE(x);
    x->session->aborted = true;
    return SIM_OK;
}

typedef struct request_row {
    sim_status (*handle)(exchange *x);
    bool runner_may, control_may;
} request_row;

static const request_row rows[WIRE_KIND_COUNT] = {
#define WIRE_KIND(id, handler, runner, control) {on_##handler, runner, control},
#include "remote/wire_kinds.def"
#undef WIRE_KIND
};

sim_status sim_session_answer(sim_session *session, wire_kind kind, bool is_control,
                              wire_reader request, wire_writer *answer, int *out_passed) {
    exchange x = {.session = session, .request = request, .answer = answer, .passed = -1};
    const request_row *row = &rows[kind];
    bool may = is_control ? row->control_may : row->runner_may;
    sim_status status;
    if (may)
        status = row->handle(&x);
    else
        status = sim_fail(&x.error, SIM_INVALID_VALUE, "not allowed on this connection");
    if (status == SIM_OK && answer->failed)
        status = sim_fail(&x.error, SIM_OUT_OF_MEMORY, "the answer is too large");
    *out_passed = x.passed;
    if (status == SIM_OK || (may && kind == WIRE_LAUNCH)) return status; // has put its own text
    answer->bytes = 0;
    answer->failed = false;
    wire_put_text(answer, x.error.text, sizeof x.error.text);
    return status;
}
