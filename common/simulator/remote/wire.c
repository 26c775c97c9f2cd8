// Fields and frames of the engine protocol (internal.h), little-endian on every machine; must not
// trust a peer's numbers.
#include "remote/internal.h"
#include <endian.h>
#include <sys/socket.h>
#include <unistd.h>

#define WIRE_MAGIC UINT32_C(0x31454C4B) // "KLE1"

// ---- writing ------------------------------------------------------------------------------------

void wire_writer_free(wire_writer *writer) {
    free(writer->data);
    *writer = (wire_writer){0};
}

// Room for `more` bytes at the end, NULL when there is none.
static uint8_t *reserve(wire_writer *writer, size_t more) {
    if (writer->failed) return NULL;
    if (more > WIRE_MAX_PAYLOAD - writer->bytes) {
        writer->failed = true;
        return NULL;
    }
    size_t need = writer->bytes + more;
    if (need > writer->capacity) {
        size_t capacity = writer->capacity ? writer->capacity : 256;
        while (capacity < need) capacity *= 2;
        uint8_t *larger = realloc(writer->data, capacity);
        if (!larger) {
            writer->failed = true;
            return NULL;
        }
        writer->data = larger;
        writer->capacity = capacity;
    }
    return writer->data + writer->bytes;
}

// Of a number of bytes that is known when this is compiled, as in get_number.
static inline void put_number(wire_writer *writer, uint64_t value, size_t bytes) {
    uint8_t *to = reserve(writer, bytes);
    if (!to) return;
    value = htole64(value);
    memcpy(to, &value, bytes);
    writer->bytes += bytes;
}

void wire_put_u8(wire_writer *writer, uint8_t value) { put_number(writer, value, 1); }

void wire_put_u16(wire_writer *writer, uint16_t value) { put_number(writer, value, 2); }

void wire_put_u32(wire_writer *writer, uint32_t value) { put_number(writer, value, 4); }

void wire_put_u64(wire_writer *writer, uint64_t value) { put_number(writer, value, 8); }

void wire_put_f64(wire_writer *writer, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_number(writer, bits, 8);
}

void wire_put_bytes(wire_writer *writer, const void *data, size_t bytes) {
    uint8_t *to = reserve(writer, bytes);
    if (!to || bytes == 0) return;
    memcpy(to, data, bytes);
    writer->bytes += bytes;
}

void wire_put_text(wire_writer *writer, const char *text, size_t capacity) {
    size_t length = strnlen(text, capacity);
    wire_put_u32(writer, (uint32_t)length);
    wire_put_bytes(writer, text, length);
}

void wire_put_string(wire_writer *writer, const char *text) {
    wire_put_text(writer, text, SIZE_MAX);
}

// ---- reading ------------------------------------------------------------------------------------

const void *wire_get_bytes(wire_reader *reader, size_t bytes) {
    if (reader->bad || bytes > reader->bytes - reader->at) {
        reader->bad = true;
        return NULL;
    }
    const uint8_t *from = reader->data + reader->at;
    reader->at += bytes;
    return from;
}

static inline uint64_t get_number(wire_reader *reader, size_t bytes) {
    const uint8_t *from = wire_get_bytes(reader, bytes);
    uint64_t value = 0;
    if (from) memcpy(&value, from, bytes);
    return le64toh(value);
}

uint8_t wire_get_u8(wire_reader *reader) { return (uint8_t)get_number(reader, 1); }

bool wire_get_bool(wire_reader *reader) {
    uint8_t value = wire_get_u8(reader);
    if (value > 1) reader->bad = true;
    return value == 1;
}

uint16_t wire_get_u16(wire_reader *reader) { return (uint16_t)get_number(reader, 2); }

uint32_t wire_get_u32(wire_reader *reader) { return (uint32_t)get_number(reader, 4); }

uint32_t wire_get_count(wire_reader *reader, uint32_t most) {
    uint32_t count = wire_get_u32(reader);
    if (count <= most) return count;
    reader->bad = true;
    return 0;
}

uint8_t wire_get_choice(wire_reader *reader, uint32_t values) {
    uint8_t value = wire_get_u8(reader);
    if (value < values) return value;
    reader->bad = true;
    return 0;
}

void *wire_get_list(wire_reader *reader, uint32_t most, size_t least_bytes, size_t item_bytes,
                    uint32_t *out_count) {
    uint32_t count = wire_get_count(reader, most);
    if (count > (reader->bytes - reader->at) / least_bytes) reader->bad = true;
    void *items = reader->bad ? NULL : calloc((size_t)count + 1, item_bytes);
    *out_count = items ? count : 0;
    if (!items) reader->bad = true;
    return items;
}

uint64_t wire_get_u64(wire_reader *reader) { return get_number(reader, 8); }

double wire_get_f64(wire_reader *reader) {
    uint64_t bits = get_number(reader, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// The characters of a text of at most `most`; NULL when bad.
static const char *get_characters(wire_reader *reader, size_t most, size_t *out_length) {
    size_t length = wire_get_u32(reader);
    if (length > most) reader->bad = true;
    const char *from = wire_get_bytes(reader, reader->bad ? 0 : length);
    if (!from || memchr(from, '\0', length)) {
        reader->bad = true;
        return NULL;
    }
    *out_length = length;
    return from;
}

void wire_get_text(wire_reader *reader, char *text, size_t capacity) {
    size_t length = 0;
    const char *from = get_characters(reader, capacity - 1, &length);
    if (from) memcpy(text, from, length);
    text[length] = '\0';
}

char *wire_get_text_copy(wire_reader *reader, size_t most) {
    size_t length;
    const char *from = get_characters(reader, most, &length);
    char *copy = from ? malloc(length + 1) : NULL;
    if (!copy) {
        reader->bad = true;
        return NULL;
    }
    memcpy(copy, from, length);
    copy[length] = '\0';
    return copy;
}

bool wire_done(const wire_reader *reader) { return !reader->bad && reader->at == reader->bytes; }

// ---- frames -------------------------------------------------------------------------------------

void wire_header_write(uint8_t out_bytes[WIRE_HEADER_BYTES], const wire_header *header) {
    const uint32_t words[4] = {WIRE_MAGIC, header->kind | (uint32_t)header->status << 16,
                               header->sequence, header->payload_bytes};
    for (size_t i = 0; i < 4; i++) {
        const uint32_t word = htole32(words[i]);
        memcpy(out_bytes + 4 * i, &word, sizeof word);
    }
}

bool wire_header_read(const uint8_t bytes[WIRE_HEADER_BYTES], wire_header *out_header) {
    wire_reader reader = {bytes, WIRE_HEADER_BYTES, 0, false};
    uint32_t magic = wire_get_u32(&reader);
    out_header->kind = wire_get_u16(&reader);
    out_header->status = wire_get_u16(&reader);
    out_header->sequence = wire_get_u32(&reader);
    out_header->payload_bytes = wire_get_u32(&reader);
    return magic == WIRE_MAGIC && out_header->kind < WIRE_KIND_COUNT &&
           out_header->status < SIM_STATUS_COUNT && out_header->payload_bytes <= WIRE_MAX_PAYLOAD;
}

// After a call that has moved nothing: whether to try again.
static bool tries_again(const wire_patience *patience) {
    if (errno == EINTR) return true;
    bool late = errno == EAGAIN || errno == EWOULDBLOCK;
    return late && patience && patience->goes_on(patience->context);
}

// Room for one descriptor beside the bytes (unix(7), SCM_RIGHTS).
typedef union passed_descriptor {
    struct cmsghdr header; // aligns it
    char bytes[CMSG_SPACE(sizeof(int))];
} passed_descriptor;

ssize_t wire_send_some(int descriptor, const uint8_t head[WIRE_HEADER_BYTES],
                       const uint8_t *payload, size_t payload_bytes, size_t sent, int passed) {
    size_t of_head = sent < WIRE_HEADER_BYTES ? sent : WIRE_HEADER_BYTES, of_rest = sent - of_head;
    struct iovec parts[2] = {
        {.iov_base = (void *)(uintptr_t)(head + of_head), .iov_len = WIRE_HEADER_BYTES - of_head}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 1};
    passed_descriptor beside = {.bytes = {0}};
    if (payload_bytes > of_rest)
        parts[message.msg_iovlen++] = (struct iovec){
            .iov_base = (void *)(uintptr_t)(payload + of_rest), .iov_len = payload_bytes - of_rest};
    if (passed >= 0) {
        message.msg_control = beside.bytes;
        message.msg_controllen = sizeof beside.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof passed);
        memcpy(CMSG_DATA(header), &passed, sizeof passed);
    }
    return sendmsg(descriptor, &message, MSG_NOSIGNAL);
}

sim_status wire_send(int descriptor, const wire_header *header, const uint8_t *payload,
                     const wire_patience *patience, kl_error *err) {
    uint8_t head[WIRE_HEADER_BYTES];
    wire_header_write(head, header);
    for (size_t done = 0; done < sizeof head + header->payload_bytes;) {
        ssize_t sent = wire_send_some(descriptor, head, payload, header->payload_bytes, done, -1);
        if (sent < 0 && tries_again(patience)) continue;
        if (sent <= 0)
            return sim_fail(err, SIM_CONNECTION, "cannot send to the engine: %s", strerror(errno));
        done += (size_t)sent;
    }
    return SIM_OK;
}

// Like readv(2), and keeps a descriptor that comes beside the bytes.
static ssize_t receive_some(int descriptor, struct iovec *parts, size_t count, int *out_passed) {
    passed_descriptor beside = {.bytes = {0}};
    struct msghdr message = {.msg_iov = parts,
                             .msg_iovlen = count,
                             .msg_control = beside.bytes,
                             .msg_controllen = sizeof beside.bytes};
    ssize_t got = recvmsg(descriptor, &message, MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(int))) {
        if (*out_passed >= 0) close(*out_passed);
        memcpy(out_passed, CMSG_DATA(header), sizeof *out_passed);
    }
    return got;
}

// At least `bytes` bytes, for which the two parts have room. *out_got: how many have come.
static sim_status receive_parts(int descriptor, struct iovec *parts, size_t bytes, size_t *out_got,
                                int *out_passed, const wire_patience *patience, kl_error *err) {
    for (*out_got = 0; *out_got < bytes;) {
        ssize_t got = receive_some(descriptor, parts, 2, out_passed);
        if (got < 0 && tries_again(patience)) continue;
        if (got == 0) return sim_fail(err, SIM_CONNECTION, "the engine closed the connection");
        if (got < 0)
            return sim_fail(err, SIM_CONNECTION, "cannot receive from the engine: %s",
                            strerror(errno));
        *out_got += (size_t)got;
        for (size_t left = (size_t)got, i = 0; i < 2; i++) {
            size_t here = left < parts[i].iov_len ? left : parts[i].iov_len;
            parts[i].iov_base = (uint8_t *)parts[i].iov_base + here;
            parts[i].iov_len -= here;
            left -= here;
        }
    }
    return SIM_OK;
}

sim_status wire_receive(int descriptor, wire_header *out_header, wire_writer *payload,
                        int *out_passed, const wire_patience *patience, kl_error *err) {
    enum { STEP = 1 << 20 }; // memory follows what has arrived, not what was announced
    enum { FIRST = 4096 };   // of the payload, with the header
    uint8_t bytes[WIRE_HEADER_BYTES];
    size_t got;
    *out_passed = -1;
    payload->bytes = 0;
    payload->failed = false;
    if (!reserve(payload, FIRST))
        return sim_fail(err, SIM_CONNECTION, "no memory for the engine's answer");
    struct iovec parts[2] = {{bytes, sizeof bytes}, {payload->data, FIRST}};
    TRY(receive_parts(descriptor, parts, sizeof bytes, &got, out_passed, patience, err));
    payload->bytes = got - sizeof bytes;
    if (!wire_header_read(bytes, out_header) || payload->bytes > out_header->payload_bytes)
        return sim_fail(err, SIM_CONNECTION, "the engine's answer is malformed");
    while (payload->bytes < out_header->payload_bytes) {
        size_t left = out_header->payload_bytes - payload->bytes;
        size_t step = left < STEP ? left : STEP;
        uint8_t *to = reserve(payload, step);
        if (!to) return sim_fail(err, SIM_CONNECTION, "no memory for the engine's answer");
        struct iovec rest[2] = {{to, step}, {NULL, 0}};
        TRY(receive_parts(descriptor, rest, step, &got, out_passed, patience, err));
        payload->bytes += step;
    }
    return SIM_OK;
}
