// Server of one engine: a single-threaded poll loop over two connections. A launch runs inside the
// loop; what bounds it is the engine's max_instructions and the judge's deadline. A connection has
// at most one request and one answer in memory, both bounded by WIRE_MAX_PAYLOAD.
#include "remote/internal.h"
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_STEP = 1 << 16 };

typedef struct connection {
    int descriptor; // -1: closed
    bool is_control;
    uint8_t head[WIRE_HEADER_BYTES]; // of the request that is arriving
    size_t head_bytes;
    wire_header request; // valid when head_bytes is full
    wire_writer in;      // its payload so far
    uint8_t answer_head[WIRE_HEADER_BYTES];
    wire_writer out; // payload of the answer
    bool answering;
    size_t sent; // of the answer, head included
    int passed;  // descriptor that goes with the answer's first bytes; -1: none
} connection;

static void drop(connection *peer) {
    if (peer->descriptor >= 0) close(peer->descriptor);
    if (peer->passed >= 0) close(peer->passed);
    wire_writer_free(&peer->in);
    wire_writer_free(&peer->out);
    *peer = (connection){.descriptor = -1, .is_control = peer->is_control, .passed = -1};
}

static bool is_whole(const connection *peer) {
    return peer->head_bytes == WIRE_HEADER_BYTES && peer->in.bytes == peer->request.payload_bytes;
}

static void answer(connection *peer, sim_session *session) {
    wire_reader reader = {.data = peer->in.data, .bytes = peer->in.bytes};
    peer->out.bytes = 0;
    peer->out.failed = false;
    sim_status status = sim_session_answer(session, (wire_kind)peer->request.kind, peer->is_control,
                                           reader, &peer->out, &peer->passed);
    wire_header header = {.kind = peer->request.kind,
                          .status = (uint16_t)status,
                          .sequence = peer->request.sequence,
                          .payload_bytes = (uint32_t)peer->out.bytes};
    wire_header_write(peer->answer_head, &header);
    peer->answering = true;
    peer->sent = 0;
    peer->head_bytes = 0;
    peer->in.bytes = 0;
}

// Takes `bytes` of the payload or of the head, whichever is arriving. False when the peer breaks
// the protocol.
static bool take(connection *peer, const uint8_t *data, size_t bytes) {
    if (peer->head_bytes == WIRE_HEADER_BYTES) {
        wire_put_bytes(&peer->in, data, bytes);
        return !peer->in.failed;
    }
    memcpy(peer->head + peer->head_bytes, data, bytes);
    peer->head_bytes += bytes;
    return peer->head_bytes < WIRE_HEADER_BYTES || wire_header_read(peer->head, &peer->request);
}

static void write_some(connection *peer) {
    ssize_t sent = wire_send_some(peer->descriptor, peer->answer_head, peer->out.data,
                                  peer->out.bytes, peer->sent, peer->passed);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (sent <= 0) {
        drop(peer);
        return;
    }
    if (peer->passed >= 0) close(peer->passed);
    peer->passed = -1;
    peer->sent += (size_t)sent;
    if (peer->sent == WIRE_HEADER_BYTES + peer->out.bytes) peer->answering = false;
}

// Reads no further than the end of the request under way. Its payload and its answer need no second
// look at the connections when they can go at once.
static void read_some(connection *peer, sim_session *session) {
    uint8_t buffer[READ_STEP];
    do {
        size_t want = WIRE_HEADER_BYTES - peer->head_bytes;
        if (want == 0) want = peer->request.payload_bytes - peer->in.bytes;
        if (want > sizeof buffer) want = sizeof buffer;
        ssize_t got = recv(peer->descriptor, buffer, want, 0);
        if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (got <= 0 || !take(peer, buffer, (size_t)got)) {
            if (!peer->is_control) sim_session_take_posted(session);
            drop(peer);
            return;
        }
    } while (!is_whole(peer));
    answer(peer, session);
    write_some(peer);
}

static void serve(connection *peer, short events, sim_session *session) {
    if (peer->descriptor < 0 || events == 0) return;
    if (peer->answering) write_some(peer);
    else read_some(peer, session);
}

// A peer that is being answered is not read: it gets its answer first. One that is held is not
// looked at.
static struct pollfd interest(const connection *peer, bool held) {
    return (struct pollfd){.fd = held ? -1 : peer->descriptor,
                           .events = peer->answering ? POLLOUT : POLLIN};
}

static bool set_nonblocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0;
}

sim_status sim_server_run(sim_engine *engine, int runner, int control, kl_error *err) {
    sim_session session = {.engine = engine};
    connection peers[2] = {{.descriptor = runner, .passed = -1},
                           {.descriptor = control, .is_control = true, .passed = -1}};
    sim_status status = SIM_OK;
    for (int i = 0; i < 2; i++)
        if (peers[i].descriptor >= 0 && !set_nonblocking(peers[i].descriptor))
            status = sim_fail(err, SIM_CONNECTION, "descriptor %d: %s", peers[i].descriptor,
                              strerror(errno));
    const connection *lasting = control >= 0 ? &peers[1] : &peers[0];
    while (status == SIM_OK && lasting->descriptor >= 0) {
        struct pollfd polled[2] = {interest(&peers[0], session.held), interest(&peers[1], false)};
        if (poll(polled, 2, -1) < 0) {
            if (errno == EINTR) continue;
            status = sim_fail(err, SIM_CONNECTION, "poll: %s", strerror(errno));
            break;
        }
        // The judge first: what it asks must not wait for the runner's next launch.
        serve(&peers[1], polled[1].revents, &session);
        if (!session.held) serve(&peers[0], polled[0].revents, &session);
        if (session.broken) drop(&peers[0]);
    }
    for (int i = 0; i < 2; i++) drop(&peers[i]);
    sim_session_free(&session);
    return status;
}
