// engine/engine.h over a stream socket: one request, one answer (messages.c says what they carry).
// The engine process is believed no more than its answers' form: a malformed one breaks the
// connection, and every later call returns SIM_CONNECTION.
#include "remote/internal.h"
#include "engine/vtable.h"
#include "this_machine.h"
#include <sys/mman.h>

// Memory that is the program's own until the program itself frees it: copies within it cannot fail.
typedef struct known_range {
    uint64_t base, bytes;
    sim_module_handle module; // whose symbol it is; 0: an allocation
} known_range;

typedef struct known_memory {
    known_range *ranges; // in order
    size_t count;
} known_memory;

// Bytes of the program's own memory as they are: nothing has been asked for that changes memory.
typedef struct read_ahead {
    uint64_t address, bytes; // 0 bytes: none
    unsigned reads;          // small ones since the last change
    bool refused;
    uint8_t data[WIRE_PEEK_BYTES];
} read_ahead;

typedef struct remote_engine {
    sim_engine base;
    int descriptor;
    bool broken;
    uint32_t sequence;
    wire_writer request, answer;   // kept for their memory
    int passed;                    // descriptor that came with the last answer; -1: none
    sim_remote_patience *patience; // NULL: an answer has the socket's time
    void *patience_context;
    wire_posted *posted; // requests that nobody waits for; NULL: none so far
    uint32_t posted_bytes;
    bool cannot_post;
    known_memory known;
    read_ahead ahead;
    unsigned asked; // for patience, in this exchange
    double began_s; // this exchange, of kl_now_s
} remote_engine;

static remote_engine *remote(sim_engine *engine) { return (remote_engine *)engine; }

static wire_writer *begin(remote_engine *self) {
    self->request.bytes = 0;
    self->request.failed = false;
    return &self->request;
}

static sim_status lose(remote_engine *self, kl_error *err, const char *why) {
    self->broken = true;
    return sim_fail(err, SIM_CONNECTION, "%s", why);
}

static void drop_passed(remote_engine *self) {
    if (self->passed >= 0) close(self->passed);
    self->passed = -1;
}

static void forget_ahead(remote_engine *self) { self->ahead.bytes = self->ahead.reads = 0; }

static bool changes_nothing(wire_kind kind) {
    return kind == WIRE_MEMORY_READ || kind == WIRE_MEMORY_PEEK || kind == WIRE_CHECK_UNSET ||
           kind == WIRE_POSTED;
}

static bool goes_on(void *context) {
    remote_engine *self = context;
    return self->patience(self->patience_context, self->asked++, kl_now_s() - self->began_s);
}

// Sends the request that was written since begin() and receives its answer. out_reader stands at
// the answer's first field; for a status other than SIM_OK behind the error text.
static sim_status exchange(remote_engine *self, wire_kind kind, wire_reader *out_reader,
                           kl_error *err) {
    *out_reader = (wire_reader){.bad = true};
    if (!changes_nothing(kind)) forget_ahead(self);
    if (self->broken) return sim_fail(err, SIM_CONNECTION, "the connection to the engine is lost");
    if (self->request.failed)
        return sim_fail(err, SIM_INVALID_VALUE, "more than one request to the engine can hold");
    wire_header header = {.kind = (uint16_t)kind,
                          .sequence = ++self->sequence,
                          .payload_bytes = (uint32_t)self->request.bytes};
    const wire_patience own = {goes_on, self}, *patience = self->patience ? &own : NULL;
    self->asked = 0;
    self->began_s = kl_now_s();
    sim_status status = wire_send(self->descriptor, &header, self->request.data, patience, err);
    wire_header answer;
    drop_passed(self);
    if (status == SIM_OK)
        status =
            wire_receive(self->descriptor, &answer, &self->answer, &self->passed, patience, err);
    if (status != SIM_OK) {
        self->broken = true;
        return status;
    }
    if (answer.kind != kind || answer.sequence != header.sequence)
        return lose(self, err, "the engine answered another request");
    self->posted_bytes = 0;
    *out_reader = (wire_reader){.data = self->answer.data, .bytes = self->answer.bytes};
    if (answer.status == SIM_OK) return SIM_OK;
    char text[KL_ERROR_TEXT];
    wire_get_text(out_reader, text, sizeof text);
    if (out_reader->bad) return lose(self, err, "the engine's error is malformed");
    return sim_fail(err, (sim_status)answer.status, "%s", text);
}

// For the end of an answer: everything must have been read and nothing be left.
static sim_status finish(remote_engine *self, const wire_reader *reader, kl_error *err) {
    if (wire_done(reader)) return SIM_OK;
    return lose(self, err, "the engine's answer is malformed");
}

// An exchange whose answer is empty.
static sim_status exchange_plain(remote_engine *self, wire_kind kind, kl_error *err) {
    wire_reader reader;
    TRY(exchange(self, kind, &reader, err));
    return finish(self, &reader, err);
}

// ---- requests that nobody waits for
// --------------------------------------------------------------

static sim_status open_posted(remote_engine *self, kl_error *err) {
    wire_reader reader;
    TRY(exchange(self, WIRE_POSTED, &reader, err));
    if (self->posted) return SIM_OK;
    void *at = MAP_FAILED;
    if (self->passed >= 0)
        at = mmap(NULL, sizeof *self->posted, PROT_READ | PROT_WRITE, MAP_SHARED, self->passed, 0);
    if (at != MAP_FAILED) self->posted = at;
    return at != MAP_FAILED ? SIM_OK : SIM_CONNECTION;
}

// Whether there is room for a request of so many bytes, made where there is none. The request that
// was written since begin() stays.
static bool has_space(remote_engine *self, size_t bytes) {
    if (self->cannot_post || self->broken || self->request.failed) return false;
    if (bytes > WIRE_HEADER_BYTES + WIRE_POSTED_PAYLOAD) return false;
    if (self->posted && bytes <= WIRE_POSTED_BYTES - self->posted_bytes) return true;
    size_t written = self->request.bytes;
    self->request.bytes = 0;
    self->cannot_post = open_posted(self, NULL) != SIM_OK;
    self->request.bytes = written;
    return !self->cannot_post;
}

// Posts the request that was written since begin(), and waits for its answer where it cannot.
static sim_status post(remote_engine *self, wire_kind kind, kl_error *err) {
    size_t bytes = WIRE_HEADER_BYTES + self->request.bytes;
    if (!has_space(self, bytes)) return exchange_plain(self, kind, err);
    wire_header header = {.kind = (uint16_t)kind, .payload_bytes = (uint32_t)self->request.bytes};
    uint8_t *to = self->posted->frames + self->posted_bytes;
    wire_header_write(to, &header);
    if (self->request.bytes > 0)
        memcpy(to + WIRE_HEADER_BYTES, self->request.data, self->request.bytes);
    self->posted_bytes += (uint32_t)bytes;
    __atomic_store_n(&self->posted->bytes, self->posted_bytes, __ATOMIC_RELEASE);
    return SIM_OK;
}

// The first range behind `address`.
static size_t known_behind(const known_memory *known, uint64_t address) {
    size_t low = 0, high = known->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (known->ranges[middle].base <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Rows of `bytes`, a pitch apart, within one range.
static bool is_known(const remote_engine *self, uint64_t address, uint64_t pitch, uint64_t bytes,
                     uint64_t rows) {
    size_t behind = known_behind(&self->known, address);
    uint64_t span;
    if (behind == 0 || rows == 0 || __builtin_mul_overflow(rows - 1, pitch, &span) ||
        __builtin_add_overflow(span, bytes, &span))
        return false;
    const known_range *range = &self->known.ranges[behind - 1];
    uint64_t offset = address - range->base;
    return offset <= range->bytes && span <= range->bytes - offset;
}

// What is not kept is only waited for.
static void know(remote_engine *self, known_range range) {
    enum { MOST = 4096 };
    known_memory *known = &self->known;
    if (!known->ranges) known->ranges = malloc(MOST * sizeof *known->ranges);
    if (!known->ranges) return;
    if (known->count == MOST) known->count = 0;
    size_t at = known_behind(known, range.base);
    if (at > 0 && known->ranges[at - 1].base == range.base) {
        known->ranges[at - 1] = range;
        return;
    }
    memmove(known->ranges + at + 1, known->ranges + at,
            (known->count++ - at) * sizeof *known->ranges);
    known->ranges[at] = range;
}

static void note_memory_alloc(remote_engine *self, uint64_t bytes, const uint64_t *address) {
    know(self, (known_range){*address, bytes, 0});
}

static void note_memory_alloc_at(remote_engine *self, uint64_t address, uint64_t bytes) {
    know(self, (known_range){address, bytes, 0});
}

static void note_symbol_find(remote_engine *self, sim_module_handle module, const char *name,
                             const uint64_t *address, const uint64_t *bytes) {
    (void)name;
    know(self, (known_range){*address, *bytes, module});
}

static void note_module_unload(remote_engine *self, sim_module_handle module) {
    size_t kept = 0;
    for (size_t i = 0; i < self->known.count; i++)
        if (self->known.ranges[i].module != module)
            self->known.ranges[kept++] = self->known.ranges[i];
    self->known.count = kept;
}

// Whether a call of the way MOVE cannot fail.
static bool fits_memory_free(remote_engine *self, uint64_t address) {
    known_memory *known = &self->known;
    size_t behind = known_behind(known, address);
    if (behind == 0) return false;
    known_range range = known->ranges[behind - 1];
    if (range.base != address || range.module) return false;
    memmove(known->ranges + behind - 1, known->ranges + behind,
            (known->count-- - behind) * sizeof *known->ranges);
    return true;
}

static bool fits_memory_copy_rows(const remote_engine *self, uint64_t destination,
                                  uint64_t to_pitch, uint64_t source, uint64_t from_pitch,
                                  uint64_t bytes, uint64_t rows) {
    return is_known(self, destination, to_pitch, bytes, rows) &&
           is_known(self, source, from_pitch, bytes, rows);
}

static bool fits_memory_fill_rows(const remote_engine *self, uint64_t destination, uint64_t pitch,
                                  uint32_t value, uint32_t width, uint64_t count, uint64_t rows) {
    (void)value;
    return is_known(self, destination, pitch, count * width, rows);
}

static bool fits_memory_fill(const remote_engine *self, uint64_t destination, uint32_t value,
                             uint32_t width, uint64_t count) {
    return fits_memory_fill_rows(self, destination, 0, value, width, count, 1);
}

static void remote_close(sim_engine *engine) {
    remote_engine *self = remote(engine);
    drop_passed(self);
    close(self->descriptor);
    if (self->posted) munmap(self->posted, sizeof *self->posted);
    free(self->known.ranges);
    wire_writer_free(&self->request);
    wire_writer_free(&self->answer);
    sim_engine_base_destroy(&self->base);
    free(self);
}

// The plain calls.
#define PUT(type, name)        WIRE_PUT(&self->request, name);
#define GET(type, name)        *out_##name = WIRE_GET(type, &reader);
#define STUB_SPECIAL(id, call) // written out below
#define STUB_CLIENT(id, call)  // likewise
#define PASS(type, name)       , name
#define PASS_OUT(type, name)   , out_##name
#define STUB_PLAIN(id, call)   STUB(id, call, (void)self)
#define STUB_NOTED(id, call)                                                                       \
    STUB(id, call, note_##call(self SIM_FIELDS_##call(PASS, PASS_OUT, SIM_SKIP)))
#define STUB_POSTED(id, call) STUB_WITHOUT_WAIT(id, call, true)
#define STUB_MOVE(id, call)                                                                        \
    STUB_WITHOUT_WAIT(                                                                             \
        id, call,                                                                                  \
        wire_is_small_##call(WIRE_POSTED_MOVE SIM_FIELDS_##call(PASS, SIM_SKIP, SIM_SKIP)) &&      \
            fits_##call(self SIM_FIELDS_##call(PASS, SIM_SKIP, SIM_SKIP)) &&                       \
            (forget_ahead(self), true))
#define STUB_WITHOUT_WAIT(id, call, is_posted)                                                     \
    static sim_status remote_##call(sim_engine *engine SIM_PARAMS(call), kl_error *err) {          \
        remote_engine *self = remote(engine);                                                      \
        begin(self);                                                                               \
        SIM_FIELDS_##call(PUT, SIM_SKIP, SIM_SKIP);                                                \
        return is_posted ? post(self, WIRE_##id, err) : exchange_plain(self, WIRE_##id, err);      \
    }
#define STUB(id, call, NOTE)                                                                       \
    static sim_status remote_##call(sim_engine *engine SIM_PARAMS(call), kl_error *err) {          \
        remote_engine *self = remote(engine);                                                      \
        begin(self);                                                                               \
        SIM_FIELDS_##call(PUT, SIM_SKIP, SIM_SKIP);                                                \
        wire_reader reader;                                                                        \
        TRY(exchange(self, WIRE_##id, &reader, err));                                              \
        SIM_FIELDS_##call(SIM_SKIP, GET, SIM_SKIP);                                                \
        TRY(finish(self, &reader, err));                                                           \
        NOTE;                                                                                      \
        return SIM_OK;                                                                             \
    }
#define SIM_CALL(id, call, way, who) STUB_##way(id, call)
#include "engine/calls.def"
#undef SIM_CALL

static sim_status remote_module_load(sim_engine *engine, const void *image, size_t bytes,
                                     sim_module_handle *out_module, kl_error *err) {
    remote_engine *self = remote(engine);
    wire_put_bytes(begin(self), image, bytes);
    wire_reader reader;
    TRY(exchange(self, WIRE_MODULE_LOAD, &reader, err));
    *out_module = wire_get_u32(&reader);
    return finish(self, &reader, err);
}

static sim_status remote_function_query(sim_engine *engine, sim_function_handle function,
                                        sim_function_info *out_info, kl_error *err) {
    remote_engine *self = remote(engine);
    wire_put_u32(begin(self), function);
    wire_reader reader;
    TRY(exchange(self, WIRE_FUNCTION_QUERY, &reader, err));
    wire_get_function_info(&reader, out_info);
    return finish(self, &reader, err);
}

// The whole range must be one allocation's before its first chunk goes out: a copy is all or
// nothing.
static sim_status check_range(remote_engine *self, uint64_t address, uint64_t bytes,
                              kl_error *err) {
    uint64_t base, size;
    TRY(remote_memory_find(&self->base, address, &base, &size, err));
    if (address >= base && address - base <= size && bytes <= size - (address - base))
        return SIM_OK;
    return sim_fail(err, SIM_INVALID_VALUE,
                    "%llu bytes at 0x%llx leave the allocation of %llu bytes at 0x%llx",
                    (unsigned long long)bytes, (unsigned long long)address,
                    (unsigned long long)size, (unsigned long long)base);
}

static sim_status remote_memory_write(sim_engine *engine, uint64_t destination, const void *source,
                                      uint64_t bytes, kl_error *err) {
    remote_engine *self = remote(engine);
    const uint8_t *from = source;
    if (bytes <= WIRE_POSTED_PAYLOAD / 2 && is_known(self, destination, 0, bytes, 1)) {
        wire_put_u64(begin(self), destination);
        wire_put_bytes(&self->request, from, bytes);
        forget_ahead(self);
        return post(self, WIRE_MEMORY_WRITE, err);
    }
    if (bytes > WIRE_CHUNK_BYTES) TRY(check_range(self, destination, bytes, err));
    while (bytes > 0) {
        size_t chunk = bytes < WIRE_CHUNK_BYTES ? (size_t)bytes : WIRE_CHUNK_BYTES;
        wire_put_u64(begin(self), destination);
        wire_put_bytes(&self->request, from, chunk);
        TRY(exchange_plain(self, WIRE_MEMORY_WRITE, err));
        destination += chunk;
        from += chunk;
        bytes -= chunk;
    }
    return SIM_OK;
}

static bool is_ahead(const remote_engine *self, uint64_t address, uint64_t bytes) {
    const read_ahead *ahead = &self->ahead;
    return address >= ahead->address && address - ahead->address <= ahead->bytes && bytes > 0 &&
           bytes <= ahead->bytes - (address - ahead->address);
}

static sim_status remote_memory_peek(sim_engine *engine, void *destination, uint64_t source,
                                     uint64_t bytes, bool *out_set, kl_error *err) {
    remote_engine *self = remote(engine);
    if (bytes > WIRE_PEEK_BYTES) return sim_fail(err, SIM_INVALID_VALUE, "too many bytes ahead");
    wire_put_u64(begin(self), source);
    wire_put_u32(&self->request, (uint32_t)bytes);
    wire_reader reader;
    TRY(exchange(self, WIRE_MEMORY_PEEK, &reader, err));
    *out_set = wire_get_bool(&reader);
    const void *data = wire_get_bytes(&reader, bytes);
    TRY(finish(self, &reader, err));
    memcpy(destination, data, bytes);
    return SIM_OK;
}

// The third small read in a row brings what lies around it: programs read results byte by byte.
// What nothing has written is not kept, so that each read of it is asked about.
static bool reads_ahead(remote_engine *self, uint64_t address, uint64_t bytes) {
    enum { SMALL = 256, IN_A_ROW = 3, PAUSE = 64 };
    read_ahead *ahead = &self->ahead;
    if (bytes > SMALL || !is_known(self, address, 0, bytes, 1)) return false;
    if (is_ahead(self, address, bytes)) return true;
    if (ahead->refused || ++ahead->reads < IN_A_ROW) return false;
    const known_range *range = &self->known.ranges[known_behind(&self->known, address) - 1];
    uint64_t begin = address - address % WIRE_PEEK_BYTES, end = begin + WIRE_PEEK_BYTES;
    if (begin < range->base) begin = range->base;
    if (end > range->base + range->bytes) end = range->base + range->bytes;
    if (bytes > end - address) return false;
    bool set = false;
    ahead->bytes = 0;
    ahead->refused =
        remote_memory_peek(&self->base, ahead->data, begin, end - begin, &set, NULL) != SIM_OK;
    if (ahead->refused) return false;
    ahead->address = begin;
    ahead->bytes = set ? end - begin : 0;
    if (!set) ahead->reads = 0;
    return set;
}

static sim_status remote_check_unset(sim_engine *engine, uint64_t address, uint64_t bytes,
                                     uint64_t pitch, uint64_t *out_unset_bytes, uint64_t *out_first,
                                     kl_error *err) {
    remote_engine *self = remote(engine);
    if (is_ahead(self, address, bytes)) return SIM_OK; // all of it is set
    wire_put_u64(begin(self), address);
    wire_put_u64(&self->request, bytes);
    wire_put_u64(&self->request, pitch);
    wire_reader reader;
    TRY(exchange(self, WIRE_CHECK_UNSET, &reader, err));
    *out_unset_bytes = wire_get_u64(&reader);
    *out_first = wire_get_u64(&reader);
    return finish(self, &reader, err);
}

static sim_status remote_memory_read(sim_engine *engine, void *destination, uint64_t source,
                                     uint64_t bytes, kl_error *err) {
    remote_engine *self = remote(engine);
    uint8_t *to = destination;
    begin(self);
    if (reads_ahead(self, source, bytes) && has_space(self, WIRE_HEADER_BYTES + 12)) {
        memcpy(to, self->ahead.data + (source - self->ahead.address), bytes);
        wire_put_u64(begin(self), source);
        wire_put_u32(&self->request, (uint32_t)bytes);
        return post(self, WIRE_MEMORY_READ, err);
    }
    if (bytes > WIRE_CHUNK_BYTES) TRY(check_range(self, source, bytes, err));
    while (bytes > 0) {
        uint32_t chunk = bytes < WIRE_CHUNK_BYTES ? (uint32_t)bytes : WIRE_CHUNK_BYTES;
        wire_put_u64(begin(self), source);
        wire_put_u32(&self->request, chunk);
        wire_reader reader;
        TRY(exchange(self, WIRE_MEMORY_READ, &reader, err));
        const void *data = wire_get_bytes(&reader, chunk);
        TRY(finish(self, &reader, err));
        memcpy(to, data, chunk);
        source += chunk;
        to += chunk;
        bytes -= chunk;
    }
    return SIM_OK;
}

static sim_status remote_memory_shared_file(sim_engine *engine, uint64_t address,
                                            int *out_descriptor, uint64_t *out_offset,
                                            kl_error *err) {
    remote_engine *self = remote(engine);
    wire_put_u64(begin(self), address);
    wire_reader reader;
    TRY(exchange(self, WIRE_MEMORY_SHARED_FILE, &reader, err));
    *out_offset = wire_get_u64(&reader);
    TRY(finish(self, &reader, err));
    if (self->passed < 0) return lose(self, err, "the engine sent no file of shared memory");
    *out_descriptor = self->passed;
    self->passed = -1;
    return SIM_OK;
}

static sim_status remote_texture_create(sim_engine *engine, const sim_texture_desc *texture,
                                        uint64_t *out_handle, kl_error *err) {
    remote_engine *self = remote(engine);
    wire_put_texture(begin(self), texture);
    wire_reader reader;
    TRY(exchange(self, WIRE_TEXTURE_CREATE, &reader, err));
    *out_handle = wire_get_u64(&reader);
    return finish(self, &reader, err);
}

// A faulted launch has a result too, behind the error text.
static sim_status exchange_launch(remote_engine *self, wire_kind kind,
                                  sim_launch_result *out_result, kl_error *err) {
    wire_reader reader;
    sim_status status = exchange(self, kind, &reader, err);
    if (status != SIM_OK && (reader.bad || reader.at == reader.bytes)) return status; // no result
    wire_get_launch_result(&reader, out_result);
    TRY(finish(self, &reader, err));
    return status;
}

static sim_status remote_launch_kernel(sim_engine *engine, sim_function_handle function,
                                       const sim_launch_config *config, const void *params,
                                       uint32_t param_bytes, sim_launch_result *out_result,
                                       kl_error *err) {
    remote_engine *self = remote(engine);
    wire_put_u32(begin(self), function);
    wire_put_launch_config(&self->request, config);
    wire_put_bytes(&self->request, params, param_bytes);
    return exchange_launch(self, WIRE_LAUNCH_KERNEL, out_result, err);
}

static sim_status remote_launch_go_on(sim_engine *engine, uint32_t patience,
                                      sim_launch_result *out_result, kl_error *err) {
    wire_put_u32(begin(remote(engine)), patience);
    return exchange_launch(remote(engine), WIRE_LAUNCH_GO_ON, out_result, err);
}

static sim_status remote_take_output(sim_engine *engine, char **out_text, kl_error *err) {
    remote_engine *self = remote(engine);
    begin(self);
    wire_reader reader;
    TRY(exchange(self, WIRE_TAKE_OUTPUT, &reader, err));
    char *text = wire_get_text_copy(&reader, WIRE_MAX_PAYLOAD);
    sim_status status = finish(self, &reader, err);
    if (status == SIM_OK) *out_text = text;
    else free(text);
    return status;
}

static sim_status remote_spans_get(sim_engine *engine, sim_spans *out_spans, uint32_t *out_first,
                                   kl_error *err) {
    remote_engine *self = remote(engine);
    begin(self);
    wire_reader reader;
    TRY(exchange(self, WIRE_SPANS_GET, &reader, err));
    wire_get_spans(&reader, out_spans);
    *out_first = wire_get_u32(&reader);
    sim_status status = finish(self, &reader, err);
    if (status != SIM_OK) sim_spans_free(out_spans);
    return status;
}

static sim_status remote_launch_report_get(sim_engine *engine, uint32_t index,
                                           sim_launch_report **out_report, kl_error *err) {
    remote_engine *self = remote(engine);
    wire_put_u32(begin(self), index);
    wire_reader reader;
    TRY(exchange(self, WIRE_LAUNCH_REPORT_GET, &reader, err));
    sim_launch_report *report = wire_get_report(&reader);
    sim_status status = finish(self, &reader, err);
    if (status == SIM_OK) *out_report = report;
    else sim_launch_report_free(report);
    return status;
}

static sim_status remote_check_report_get(sim_engine *engine, sim_check_report **out_report,
                                          kl_error *err) {
    remote_engine *self = remote(engine);
    begin(self);
    wire_reader reader;
    TRY(exchange(self, WIRE_CHECK_REPORT_GET, &reader, err));
    sim_check_report *report = wire_get_check_report(&reader);
    sim_status status = finish(self, &reader, err);
    if (status == SIM_OK) *out_report = report;
    else sim_check_report_free(report);
    return status;
}

static const sim_engine_vtable remote_vtable = {
    .close = remote_close,
#define SIM_CALL(id, call, way, who) .call = remote_##call,
#include "engine/calls.def"
#undef SIM_CALL
};

// Learns which device the engine simulates; both sides must be of one build.
static sim_status greet(remote_engine *self, kl_error *err) {
    wire_put_u32(begin(self), WIRE_VERSION);
    wire_reader reader;
    wire_greeting greeting;
    TRY(exchange(self, WIRE_HELLO, &reader, err));
    wire_get_greeting(&reader, &greeting);
    TRY(finish(self, &reader, err));
    self->base.device_count = greeting.devices;
    if (greeting.version != WIRE_VERSION || greeting.counter_count != SIM_COUNTER_COUNT ||
        greeting.devices - 1 >= SIM_MOST_DEVICES)
        return sim_fail(err, SIM_CONNECTION, "the engine is of another version");
    kl_error unknown = {0};
    if (sim_device_open(greeting.device, &self->base.device, &unknown) == SIM_OK) return SIM_OK;
    return sim_fail(err, SIM_CONNECTION, "the engine simulates an unknown device: %.256s",
                    unknown.text);
}

sim_status sim_engine_open_remote(int descriptor, sim_engine **out_engine, kl_error *err) {
    return sim_remote_open(descriptor, NULL, NULL, out_engine, err);
}

sim_status sim_remote_open(int descriptor, sim_remote_patience *patience, void *context,
                           sim_engine **out_engine, kl_error *err) {
    remote_engine *self = calloc(1, sizeof *self);
    if (!self) {
        close(descriptor);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a connection");
    }
    self->descriptor = descriptor;
    self->passed = -1;
    self->patience = patience;
    self->patience_context = context;
    sim_status status = sim_engine_base_init(&self->base, &remote_vtable, NULL, err);
    if (status != SIM_OK) {
        close(descriptor);
        free(self);
        return status;
    }
    status = greet(self, err);
    if (status != SIM_OK) {
        remote_close(&self->base);
        return status;
    }
    *out_engine = &self->base;
    return SIM_OK;
}
