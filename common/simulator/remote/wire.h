// SPDX-License-Identifier: MIT
// Frames and fields of the protocol between an engine process and its clients. Everything is
// little-endian and explicit; a frame is 16 bytes (u32 magic, u16 kind, u16 status, u32 sequence,
// u32 payload bytes) and its payload. The peer may be hostile: sizes are capped, memory grows only
// with bytes that have arrived, and a malformed field makes the whole message invalid.
#ifndef SIM_REMOTE_WIRE_H
#define SIM_REMOTE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

enum {
    WIRE_VERSION = 17,
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
        uint32_t: wire_put_u32,                                                                    \
        uint64_t: wire_put_u64,                                                                    \
        const char *: wire_put_string)(writer, value)
#define WIRE_GET(type, reader)                                                                     \
    _Generic((type){0},                                                                            \
        bool: wire_get_bool,                                                                       \
        uint32_t: wire_get_u32,                                                                    \
        uint64_t: wire_get_u64)(reader)
// clang-format on

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

#endif
