// Handlers of the engine protocol, one for each call of engine/calls.def: read the request, call
// the engine, put the answer's fields. Must not trust a field, nor keep anything between requests
// but the session.
#include "remote/internal.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_MODULES = 4096 };

typedef struct exchange {
    sim_session *session;
    wire_reader request;
    wire_writer *answer;
    int passed; // descriptor that goes with the answer, or -1
    bool is_control, is_posted;
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
    wire_greeting greeting = {.version = WIRE_VERSION,
                              .counter_count = SIM_COUNTER_COUNT,
                              .devices = sim_engine_device_count(x->session->engine)};
    const char *id = sim_engine_device(x->session->engine)->id;
    strncpy(greeting.device, id, sizeof greeting.device - 1);
    wire_put_greeting(x->answer, &greeting);
    return SIM_OK;
}

// The file cannot be made shorter under the engine's feet.
static wire_posted *map_posted(int *out_file, kl_error *err) {
    void *at = MAP_FAILED;
    int file = memfd_create("posted requests", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && ftruncate(file, sizeof(wire_posted)) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
        at = mmap(NULL, sizeof(wire_posted), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    *out_file = file;
    if (at != MAP_FAILED) return at;
    sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for posted requests: %s", strerror(errno));
    if (file >= 0) close(file);
    *out_file = -1;
    return NULL;
}

static sim_status on_posted(exchange *x) {
    WHOLE(x);
    if (x->session->posted) return SIM_OK;
    x->session->posted = map_posted(&x->passed, &x->err);
    return x->session->posted ? SIM_OK : SIM_OUT_OF_MEMORY;
}

static uint32_t get_u32(exchange *x) { return wire_get_u32(&x->request); }

static uint64_t get_u64(exchange *x) { return wire_get_u64(&x->request); }

static double get_f64(exchange *x) { return wire_get_f64(&x->request); }

static const char *get_text(exchange *x) {
    wire_get_text(&x->request, x->text, sizeof x->text);
    return x->text;
}

// The plain calls. Each has one text at most: there is one place to read it to.
#define IS_TEXT(type, name) +_Generic((type){0}, const char * : 1, default : 0)
#define GET(type, name)                                                                            \
    type name =                                                                                    \
        _Generic((type){0},                                                                        \
            uint32_t: get_u32,                                                                     \
            uint64_t: get_u64,                                                                     \
            double: get_f64,                                                                       \
            const char *: get_text)(x);
#define RESULT(type, name)   type out_##name = 0;
#define PASS(type, name)     , name
#define PASS_OUT(type, name) , &out_##name
#define PUT(type, name)      WIRE_PUT(x->answer, out_##name);
#define IS_SMALL_PLAIN(call) true
#define IS_SMALL_MOVE(call)                                                                        \
    wire_is_small_##call(WIRE_POSTED_MOVE SIM_FIELDS_##call(PASS, SIM_SKIP, SIM_SKIP))
#define HANDLER_SPECIAL(call) // written out below
#define HANDLER_PLAIN(call)   HANDLER(call, IS_SMALL_PLAIN)
#define HANDLER_NOTED(call)   HANDLER(call, IS_SMALL_PLAIN)
#define HANDLER_CLIENT(call)  HANDLER(call, IS_SMALL_PLAIN)
#define HANDLER_POSTED(call)  HANDLER(call, IS_SMALL_PLAIN)
#define HANDLER_MOVE(call)    HANDLER(call, IS_SMALL_MOVE)
#define HANDLER(call, IS_SMALL)                                                                    \
    _Static_assert(0 SIM_FIELDS_##call(IS_TEXT, SIM_SKIP, SIM_SKIP) <= 1, "more than one text");   \
    static sim_status on_##call(exchange *x) {                                                     \
        SIM_FIELDS_##call(GET, RESULT, SIM_SKIP);                                                  \
        WHOLE(x);                                                                                  \
        if (x->is_posted && !IS_SMALL(call)) return malformed(x);                                  \
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

// Only where nobody counts what a program reads.
static sim_status on_memory_peek(exchange *x) {
    uint64_t source = wire_get_u64(&x->request);
    uint32_t bytes = wire_get_count(&x->request, WIRE_PEEK_BYTES);
    WHOLE(x);
    if (x->session->called) return sim_fail(&x->err, SIM_UNSUPPORTED, "no reading ahead");
    uint8_t data[WIRE_PEEK_BYTES];
    bool set;
    TRY(sim_memory_peek(x->session->engine, data, source, bytes, &set, &x->err));
    wire_put_u8(x->answer, set);
    wire_put_bytes(x->answer, data, bytes);
    return SIM_OK;
}

// A posted one is of bytes that the client has read ahead.
static sim_status on_memory_read(exchange *x) {
    uint64_t source = wire_get_u64(&x->request);
    uint32_t bytes = wire_get_count(&x->request, WIRE_CHUNK_BYTES);
    WHOLE(x);
    void *data = malloc(bytes ? bytes : 1);
    if (!data) return sim_fail(&x->err, SIM_OUT_OF_MEMORY, "no memory for a copy");
    sim_status status = sim_memory_read(x->session->engine, data, source, bytes, &x->err);
    if (status == SIM_OK && !x->is_posted) wire_put_bytes(x->answer, data, bytes);
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
static sim_status on_launch_kernel(exchange *x) {
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
        status = sim_launch_kernel(x->session->engine, function, &config, params, bytes, &result,
                                   &x->err);
    }
    if (status != SIM_OK) wire_put_text(x->answer, x->err.text, sizeof x->err.text);
    wire_put_launch_result(x->answer, &result);
    return status;
}

static sim_status on_launch_go_on(exchange *x) {
    uint32_t patience = wire_get_u32(&x->request);
    sim_launch_result result = {0};
    sim_status status = x->request.bad
                            ? malformed(x)
                            : sim_launch_go_on(x->session->engine, patience, &result, &x->err);
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

static sim_status on_spans_get(exchange *x) {
    WHOLE(x);
    sim_spans spans;
    uint32_t first = 0;
    TRY(sim_spans_get(x->session->engine, &spans, &first, &x->err));
    wire_put_spans(x->answer, &spans);
    wire_put_u32(x->answer, first);
    sim_spans_free(&spans);
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

typedef enum request_way { PLAIN, NOTED, POSTED, MOVE, CLIENT, SPECIAL } request_way;

typedef struct request_row {
    sim_status (*handle)(exchange *x);
    int who; // may ask
    request_way way;
} request_row;

static const request_row rows[WIRE_KIND_COUNT] = {
    [WIRE_HELLO] = {on_hello, BOTH, SPECIAL},
    [WIRE_POSTED] = {on_posted, RUNNER, SPECIAL},
#define SIM_CALL(id, call, way, who) [WIRE_##id] = {on_##call, who, way},
#include "engine/calls.def"
#undef SIM_CALL
};

// Takes the next posted request, of those up to `end`. Nothing in the shared memory is looked at
// twice: the runner may change it meanwhile. False: it is none.
static bool take_one(sim_session *session, uint32_t end) {
    uint8_t head[WIRE_HEADER_BYTES], payload[WIRE_POSTED_PAYLOAD];
    const uint8_t *frame = session->posted->frames + session->taken;
    size_t left = end - session->taken;
    wire_header header;
    if (left < sizeof head) return false;
    memcpy(head, frame, sizeof head);
    if (!wire_header_read(head, &header) || header.payload_bytes > sizeof payload ||
        header.payload_bytes > left - sizeof head)
        return false;
    const request_row *row = &rows[header.kind];
    bool is_move =
        row->way == MOVE || header.kind == WIRE_MEMORY_WRITE || header.kind == WIRE_MEMORY_READ;
    if (!is_move && row->way != POSTED) return false;
    memcpy(payload, frame + sizeof head, header.payload_bytes);
    session->taken += (uint32_t)sizeof head + header.payload_bytes;
    exchange x;
    x.session = session;
    x.request = (wire_reader){.data = payload, .bytes = header.payload_bytes};
    x.answer = NULL; // the calls have no out-parameters
    x.passed = -1;
    x.is_control = false;
    x.is_posted = true;
    x.err.status =
        SIM_OK; // its text is long: clearing all of it would take longer than the request
    x.err.text[0] = '\0';
    sim_status status = row->handle(&x);
    if (status == SIM_OK || !is_move || session->late != SIM_OK) return true;
    session->late = status;
    session->late_err = x.err;
    return true;
}

void sim_session_take_posted(sim_session *session) {
    if (!session->posted || session->held || session->broken) return;
    uint32_t end = __atomic_load_n(&session->posted->bytes, __ATOMIC_ACQUIRE);
    session->broken = end > WIRE_POSTED_BYTES || end < session->taken;
    while (!session->broken && session->taken < end) session->broken = !take_one(session, end);
}

void sim_session_free(sim_session *session) {
    if (session->posted) munmap(session->posted, sizeof *session->posted);
    session->posted = NULL;
}

// Before an answer to the runner, which posts nothing while it waits: the memory is empty again.
// What a posted request has failed with is the answer's.
static sim_status begin_answer(sim_session *session, wire_kind kind, kl_error *err) {
    sim_status late = session->late;
    if (session->broken) return sim_fail(err, SIM_INVALID_VALUE, "a malformed posted request");
    if (session->posted) __atomic_store_n(&session->posted->bytes, 0, __ATOMIC_RELEASE);
    session->taken = 0;
    if (late == SIM_OK || kind == WIRE_POSTED || kind == WIRE_HELLO) return SIM_OK;
    session->late = SIM_OK;
    *err = session->late_err;
    return late;
}

sim_status sim_session_answer(sim_session *session, wire_kind kind, bool is_control,
                              wire_reader request, wire_writer *answer, int *out_passed) {
    exchange x = {.session = session,
                  .request = request,
                  .answer = answer,
                  .passed = -1,
                  .is_control = is_control};
    const request_row *row = &rows[kind];
    bool may = row->who & (is_control ? CONTROL : RUNNER);
    sim_session_take_posted(session);
    sim_status status = is_control ? SIM_OK : begin_answer(session, kind, &x.err);
    bool told = status != SIM_OK; // what an earlier request has failed with
    if (!told && may) status = row->handle(&x);
    else if (!told) status = sim_fail(&x.err, SIM_INVALID_VALUE, "not allowed on this connection");
    if (status == SIM_OK && answer->failed)
        status = sim_fail(&x.err, SIM_OUT_OF_MEMORY, "the answer is too large");
    *out_passed = x.passed;
    if (may && (kind == WIRE_CALL_BEGIN || kind == WIRE_CALL_END))
        session->held = kind == WIRE_CALL_END;
    session->judged |= session->held;
    session->called |= may && kind == WIRE_CALL_BEGIN;
    bool is_launch = kind == WIRE_LAUNCH_KERNEL || kind == WIRE_LAUNCH_GO_ON;
    if (status == SIM_OK || (may && !told && is_launch)) return status; // has its text
    answer->bytes = 0;
    answer->failed = false;
    wire_put_text(answer, x.err.text, sizeof x.err.text);
    return status;
}
