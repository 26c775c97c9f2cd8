// Messages between an engine process and its clients.
#pragma once

#include "device/device.h"
#include "remote/remote.h"
#include <sys/types.h>

// ---- wire.c -------------------------------------------------------------------------------------
// Frames and fields of the protocol between an engine process and its clients. Everything is
// little-endian and explicit; a frame is 16 bytes (u32 magic, u16 kind, u16 status, u32 sequence,
// u32 payload bytes) and its payload. The peer may be hostile: sizes are capped, memory grows only
// with bytes that have arrived, and a malformed field makes the whole message invalid.

enum {
    WIRE_VERSION = 27,
    WIRE_HEADER_BYTES = 16,
    WIRE_CHUNK_BYTES = 4 << 20,    // of one memory read or write request
    WIRE_MAX_PAYLOAD = 128 << 20,  // bounds images and reports
    WIRE_MAX_NAME = 4096,          // of a kernel, symbol or file
    WIRE_POSTED_PAYLOAD = 8 << 10, // of a posted request
    WIRE_POSTED_MOVE = 64 << 10,   // bytes that a posted request may copy or fill
    WIRE_PEEK_BYTES = 4096,        // that are read ahead
    WIRE_POSTED_BYTES = 256 << 10  // of posted requests that have not been taken
};

// Requests that nobody waits for lie in memory that the runner shares with the engine: frames
// without a sequence number, in order. The engine takes them before it answers the next request of
// either side, and when the runner's connection ends, however the program ended: what the program
// did before it crashed is known. `bytes` is raised by the client behind a whole frame, and cleared
// by the engine while the client waits for an answer.
typedef struct wire_posted {
    uint32_t bytes; // of `frames`; atomic
    uint8_t frames[WIRE_POSTED_BYTES];
} wire_posted;

typedef enum wire_kind {
    WIRE_HELLO,  // the first request: compares versions, asks for the device
    WIRE_POSTED, // the posted requests are taken; the first answer brings the memory for them
#define SIM_CALL(id, call, way, who) WIRE_##id,
#include "engine/calls.def"
#undef SIM_CALL
    WIRE_KIND_COUNT
} wire_kind;

// ---- writing ------------------------------------------------------------------------------------

// A growing message. A failed put sets `failed` and everything after it is ignored. All zero:
// empty.
typedef struct wire_writer {
    uint8_t *data;
    size_t bytes, capacity;
    bool failed;
} wire_writer;

void wire_writer_free(wire_writer *writer);
void wire_put_u8(wire_writer *writer, uint8_t value);
void wire_put_u16(wire_writer *writer, uint16_t value);
void wire_put_u32(wire_writer *writer, uint32_t value);
void wire_put_u64(wire_writer *writer, uint64_t value);
void wire_put_f64(wire_writer *writer, double value);                     // IEEE bits
void wire_put_bytes(wire_writer *writer, const void *data, size_t bytes); // no length
// u32 length, then the characters up to a NUL or `capacity`.
void wire_put_text(wire_writer *writer, const char *text, size_t capacity);
void wire_put_string(wire_writer *writer, const char *text); // a text up to its NUL

// ---- reading ------------------------------------------------------------------------------------

// A message to read from. A get beyond the end, or of a value out of range, sets `bad`; all later
// gets give zero. A message is valid when it is not bad and was read to its end.
typedef struct wire_reader {
    const uint8_t *data;
    size_t bytes, at;
    bool bad;
} wire_reader;

uint8_t wire_get_u8(wire_reader *reader);
bool wire_get_bool(wire_reader *reader); // 0 or 1, all else is bad
uint16_t wire_get_u16(wire_reader *reader);
uint32_t wire_get_u32(wire_reader *reader);
// At most `most`, else bad.
uint32_t wire_get_count(wire_reader *reader, uint32_t most);
// A number below `values`, else bad.
uint8_t wire_get_choice(wire_reader *reader, uint32_t values);
// Memory for a list whose number of items comes next, `most` of them and `least_bytes` each in the
// message at the least, cleared; the caller frees it. NULL, no items and bad when that is not so.
void *wire_get_list(wire_reader *reader, uint32_t most, size_t least_bytes, size_t item_bytes,
                    uint32_t *out_count);
uint64_t wire_get_u64(wire_reader *reader);
double wire_get_f64(wire_reader *reader);
// The next `bytes` bytes inside the message; NULL and bad when there are not as many.
const void *wire_get_bytes(wire_reader *reader, size_t bytes);
// Into text[capacity], NUL-terminated; bad when it does not fit or holds a NUL.
void wire_get_text(wire_reader *reader, char *text, size_t capacity);
// A copy that the caller frees; NULL and bad when longer than `most` or out of memory.
char *wire_get_text_copy(wire_reader *reader, size_t most);
bool wire_done(const wire_reader *reader);

// Puts a field of a plain call (engine/calls.def) by its type, and gets one of a result.
// clang-format off
#define WIRE_PUT(writer, value)                                                                    \
    _Generic((value),                                                                              \
        bool: wire_put_u8,                                                                         \
        double: wire_put_f64,                                                                      \
        uint32_t: wire_put_u32,                                                                    \
        uint64_t: wire_put_u64,                                                                    \
        const char *: wire_put_string)(writer, value)
#define WIRE_GET(type, reader)                                                                     \
    _Generic((type){0},                                                                            \
        bool: wire_get_bool,                                                                       \
        uint32_t: wire_get_u32,                                                                    \
        uint64_t: wire_get_u64)(reader)
// clang-format on

// ---- structures ---------------------------------------------------------------------------------
// A list F(KIND, member) of a structure's members, in the order in which they travel, makes what
// puts it and what gets it. Kinds of one message are defined beside it, as PUT_KIND and GET_KIND.

#define EACH_OF(array) for (size_t i = 0; i < sizeof(array) / sizeof *(array); i++)

#define PUT_FIELD(kind, field) PUT_##kind(from->field)
#define PUT_U8(value)          wire_put_u8(writer, (uint8_t)(value));
#define PUT_BOOL(value)        wire_put_u8(writer, value);
#define PUT_U32(value)         wire_put_u32(writer, value);
#define PUT_U64(value)         wire_put_u64(writer, value);
#define PUT_F64(value)         wire_put_f64(writer, value);
#define PUT_FLOAT(value)       wire_put_f64(writer, (double)(value));
#define PUT_DIM3(value)        PUT_U32((value).x) PUT_U32((value).y) PUT_U32((value).z)
#define PUT_STATUS(value)      wire_put_u16(writer, (uint16_t)(value));
#define PUT_FAULT(value)       wire_put_fault(writer, &(value));
#define PUT_TEXT(array)        wire_put_text(writer, array, sizeof(array));
#define PUT_BYTES(array)       wire_put_bytes(writer, array, sizeof(array));
#define PUT_FLOATS(array)      EACH_OF(array) wire_put_f64(writer, (double)(array)[i]);
#define PUT_F64S(array)        EACH_OF(array) wire_put_f64(writer, (array)[i]);
#define PUT_U32S(array)        EACH_OF(array) wire_put_u32(writer, (array)[i]);
#define PUT_U64S(array)        EACH_OF(array) wire_put_u64(writer, (array)[i]);
// A list of items, each of which `put` puts: how many, then they.
#define PUT_LIST(put, items, count)                                                                \
    wire_put_u32(writer, count);                                                                   \
    for (uint32_t i = 0; i < (count); i++) put(writer, &(items)[i]);

#define GET_FIELD(kind, field) GET_##kind(out->field)
#define GET_U8(value)          value = wire_get_u8(reader);
#define GET_BOOL(value)        value = wire_get_bool(reader);
#define GET_U32(value)         value = wire_get_u32(reader);
#define GET_U64(value)         value = wire_get_u64(reader);
#define GET_F64(value)         value = wire_get_f64(reader);
#define GET_FLOAT(value)       value = (float)wire_get_f64(reader);
#define GET_DIM3(value)        GET_U32((value).x) GET_U32((value).y) GET_U32((value).z)
#define GET_STATUS(value)      value = wire_get_status(reader);
#define GET_FAULT(value)       wire_get_fault(reader, &(value));
#define GET_TEXT(array)        wire_get_text(reader, array, sizeof(array));
#define GET_BYTES(array)       EACH_OF(array)(array)[i] = wire_get_u8(reader);
#define GET_FLOATS(array)      EACH_OF(array)(array)[i] = (float)wire_get_f64(reader);
#define GET_F64S(array)        EACH_OF(array)(array)[i] = wire_get_f64(reader);
#define GET_U32S(array)        EACH_OF(array)(array)[i] = wire_get_u32(reader);
#define GET_U64S(array)        EACH_OF(array)(array)[i] = wire_get_u64(reader);
// One of the first `values` of an enumeration.
#define GET_CHOICE(type, value, values) value = (type)wire_get_choice(reader, values);

// Defines put(writer, from) and get(reader, out) of a structure, which get clears first.
#define MESSAGE(put, get, type, FIELDS)                                                            \
    void put(wire_writer *writer, const type *from) { FIELDS(PUT_FIELD) }                          \
    void get(wire_reader *reader, type *out) {                                                     \
        memset(out, 0, sizeof *out);                                                               \
        FIELDS(GET_FIELD)                                                                          \
    }

// Defines put_NAME and get_NAME of a part of a message, in memory that is cleared.
#define PART(name, type, FIELDS)                                                                   \
    static void put_##name(wire_writer *writer, const type *from) { FIELDS(PUT_FIELD) }            \
    static void get_##name(wire_reader *reader, type *out) { FIELDS(GET_FIELD) }

static inline sim_status wire_get_status(wire_reader *reader) {
    uint16_t status = wire_get_u16(reader);
    if (status < SIM_STATUS_COUNT) return (sim_status)status;
    reader->bad = true;
    return SIM_INTERNAL;
}

// ---- frames -------------------------------------------------------------------------------------

typedef struct wire_header {
    uint16_t kind;   // wire_kind
    uint16_t status; // sim_status; 0 in requests
    uint32_t sequence;
    uint32_t payload_bytes;
} wire_header;

void wire_header_write(uint8_t out_bytes[WIRE_HEADER_BYTES], const wire_header *header);
// false when the magic, the kind, the status or the size is not one of ours.
bool wire_header_read(const uint8_t bytes[WIRE_HEADER_BYTES], wire_header *out_header);

// Whether to wait on for the peer: asked whenever the socket's own limit of time (SO_RCVTIMEO,
// SO_SNDTIMEO) has passed without a byte.
typedef struct wire_patience {
    bool (*goes_on)(void *context);
    void *context; // for goes_on
} wire_patience;

// Sends a whole frame through a stream socket. It waits as long as it takes, or where the socket
// has a limit of time as long as `patience` goes on (NULL: it does not). SIM_CONNECTION on failure.
sim_status wire_send(int descriptor, const wire_header *header, const uint8_t *payload,
                     const wire_patience *patience, kl_error *err);
// Receives a whole frame, with the same patience: the peer sends no other one before it has been
// asked for it. `payload` is the buffer to use again, grown as
// needed. A descriptor that comes with the frame is the caller's, -1 when none does.
sim_status wire_receive(int descriptor, wire_header *out_header, wire_writer *payload,
                        int *out_passed, const wire_patience *patience, kl_error *err);
// Sends of a frame what the socket takes behind the first `sent` bytes, with a descriptor beside it
// unless `passed` is -1. Returns what sendmsg(2) does.
ssize_t wire_send_some(int descriptor, const uint8_t head[WIRE_HEADER_BYTES],
                       const uint8_t *payload, size_t payload_bytes, size_t sent, int passed);

// ---- messages.c ---------------------------------------------------------------------------------
// How the structures of engine/engine.h travel. Every put has a get that gives back an equal
// structure or makes the reader bad. A request carries the parameters of the call of its name
// (engine/calls.def) in order; the answer, when its status is SIM_OK, the out-parameters in order,
// and else the error text (LAUNCH: the text and then the result all the same).

void wire_put_function_info(wire_writer *writer, const sim_function_info *info);
void wire_get_function_info(wire_reader *reader, sim_function_info *out_info);
void wire_put_texture(wire_writer *writer, const sim_texture_desc *texture);
void wire_get_texture(wire_reader *reader, sim_texture_desc *out_texture);
void wire_put_launch_config(wire_writer *writer, const sim_launch_config *config);
void wire_get_launch_config(wire_reader *reader, sim_launch_config *out_config);
void wire_put_fault(wire_writer *writer, const sim_fault *fault);
void wire_get_fault(wire_reader *reader, sim_fault *out_fault);
void wire_put_launch_result(wire_writer *writer, const sim_launch_result *result);
void wire_get_launch_result(wire_reader *reader, sim_launch_result *out_result);

// What the engine says when a client comes: protocol version, numbers of counters and devices,
// device.
typedef struct wire_greeting {
    uint32_t version, counter_count, devices;
    char device[SIM_DEVICE_TEXT]; // its id
} wire_greeting;

void wire_put_greeting(wire_writer *writer, const wire_greeting *greeting);
void wire_get_greeting(wire_reader *reader, wire_greeting *out_greeting);

// Whether a call of the way MOVE (engine/calls.def) copies or fills `most` bytes at most.
static inline bool wire_is_small_memory_free(uint64_t most, uint64_t address) {
    (void)most, (void)address;
    return true;
}
static inline bool wire_is_small_memory_copy_rows(uint64_t most, uint64_t destination,
                                                  uint64_t to_pitch, uint64_t source,
                                                  uint64_t from_pitch, uint64_t bytes,
                                                  uint64_t rows) {
    (void)destination, (void)to_pitch, (void)source, (void)from_pitch;
    return bytes <= most && rows <= most && bytes * rows <= most;
}
static inline bool wire_is_small_memory_fill_rows(uint64_t most, uint64_t destination,
                                                  uint64_t pitch, uint32_t value, uint32_t width,
                                                  uint64_t count, uint64_t rows) {
    (void)value;
    return count <= most &&
           wire_is_small_memory_copy_rows(most, destination, pitch, 0, 0, count * width, rows);
}
static inline bool wire_is_small_memory_fill(uint64_t most, uint64_t destination, uint32_t value,
                                             uint32_t width, uint64_t count) {
    return wire_is_small_memory_fill_rows(most, destination, 0, value, width, count, 1);
}

// report.c
void wire_put_report(wire_writer *writer, const sim_launch_report *report);
// NULL when the message is malformed or memory is short (the reader is bad then); else the caller
// frees it with sim_launch_report_free.
sim_launch_report *wire_get_report(wire_reader *reader);

// code.c: a report's code, which may be NULL; its places are in the first `files` files.
void wire_put_code(wire_writer *writer, const sim_code *code);
sim_code *wire_get_code(wire_reader *reader, uint32_t files);

// maps.c: part of a report, whose files the maps name. NULL maps travel as such.
void wire_put_maps(wire_writer *writer, const sim_launch_maps *maps);
sim_launch_maps *wire_get_maps(wire_reader *reader, uint32_t file_count);

// report.c, with the same rules.
void wire_put_check_report(wire_writer *writer, const sim_check_report *report);
sim_check_report *wire_get_check_report(wire_reader *reader);

// spans.c. A malformed message, or short memory, sets bad; then there are none.
void wire_put_spans(wire_writer *writer, const sim_spans *spans);
void wire_get_spans(wire_reader *reader, sim_spans *out_spans);

// ---- requests.c ---------------------------------------------------------------------------------
// Answers one request to an engine (server.c moves the bytes). Requests are hostile input: a
// malformed one is refused without reaching the engine.

typedef struct sim_session {
    sim_engine *engine;
    uint32_t modules;    // loaded so far: bounded, as the program behind the runner may be hostile
    bool called;         // a call has begun: what the program reads is counted
    bool judged;         // the control connection parts the program's work into calls
    bool held;           // between two calls of the program: the runner is not answered
    wire_posted *posted; // the runner's; NULL: none yet
    uint32_t taken;      // bytes of it
    bool broken;         // the runner has posted what is no request: nothing of it is believed
    sim_status late;     // of the first posted copy, fill or release that failed, until it is told
    kl_error late_err;
} sim_session;

// Handles request `kind` with its payload in `request` and puts the answer's payload into `answer`,
// error text included. Returns the answer's status. *out_passed: a descriptor to send and close, or
// -1. What the runner has posted is done first, unless it is held.
sim_status sim_session_answer(sim_session *session, wire_kind kind, bool is_control,
                              wire_reader request, wire_writer *answer, int *out_passed);
// Does what the runner has posted and had not been done, unless the runner is held.
void sim_session_take_posted(sim_session *session);
// At the end: the memory of posted requests.
void sim_session_free(sim_session *session);
