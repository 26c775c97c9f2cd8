// Requests and their answers: see debug.h.
#include "debug/debugger.h"
#include <sys/socket.h>

static sim_status gone(sim_debug_client *client, kl_error *err) {
    client->stopped = false;
    return sim_fail(err, SIM_CONNECTION, "the simulator's engine has ended");
}

static bool send_parts(const sim_debug_client *client, const void *head, size_t head_bytes,
                       const void *data, size_t data_bytes) {
    ssize_t sent;
    do sent = send(client->descriptor, head, head_bytes, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent != (ssize_t)head_bytes) return false;
    if (data_bytes == 0) return true;
    do sent = send(client->descriptor, data, data_bytes, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)data_bytes;
}

// Whole answers only: head and data come in one packet.
static ssize_t receive_parts(const sim_debug_client *client, void *head, size_t head_bytes,
                             void *data, size_t data_bytes) {
    struct iovec parts[2] = {{head, head_bytes}, {data, data_bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    ssize_t got;
    do got = recvmsg(client->descriptor, &message, 0);
    while (got < 0 && errno == EINTR);
    return got;
}

sim_status sim_debug_wait(sim_debug_client *client, kl_error *err) {
    ssize_t got = receive_parts(client, &client->stop, sizeof client->stop, NULL, 0);
    if (got != (ssize_t)sizeof client->stop) return gone(client, err);
    client->stopped = client->stop.reason != SIM_DEBUG_END;
    return SIM_OK;
}

sim_status sim_debug_go(sim_debug_client *client, const sim_debug_plan *plan, kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_GO, .plan = *plan};
    if (!send_parts(client, &request, sizeof request, NULL, 0)) return gone(client, err);
    client->stopped = false;
    return SIM_OK;
}

void sim_debug_ask_to_stop(sim_debug_client *client) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_STOP};
    send(client->descriptor, &request, sizeof request, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Fills `data` with at most `most` bytes.
static sim_status ask(sim_debug_client *client, const sim_debug_request *request, const void *more,
                      size_t more_bytes, void *data, size_t most, uint32_t *out_bytes,
                      kl_error *err) {
    sim_debug_answer head;
    if (!client->stopped) return sim_fail(err, SIM_CONNECTION, "no kernel is stopped");
    if (!send_parts(client, request, sizeof *request, more, more_bytes)) return gone(client, err);
    ssize_t got = receive_parts(client, &head, sizeof head, data, most);
    if (got < (ssize_t)sizeof head) return gone(client, err);
    *out_bytes = (uint32_t)(got - (ssize_t)sizeof head);
    if (head.status == SIM_OK) return SIM_OK;
    return sim_fail(err, (sim_status)head.status, "%s", head.text);
}

// Fills `rows` with at most `most` of `row_bytes` each; *out_count: how many came.
static sim_status ask_rows(sim_debug_client *client, const sim_debug_request *request, void *rows,
                           uint32_t most, size_t row_bytes, uint32_t *out_count, kl_error *err) {
    uint32_t bytes = 0;
    sim_status status = ask(client, request, NULL, 0, rows, most * row_bytes, &bytes, err);
    *out_count = bytes / (uint32_t)row_bytes;
    return status;
}

sim_status sim_debug_set_points(sim_debug_client *client, const sim_debug_point *points,
                                uint32_t count, kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_POINTS, .count = count};
    uint32_t bytes;
    return ask(client, &request, points, count * sizeof *points, NULL, 0, &bytes, err);
}

sim_status sim_debug_resolve(sim_debug_client *client, const sim_debug_point *point,
                             sim_debug_place *out_place, kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_RESOLVE, .point = *point};
    uint32_t bytes;
    return ask(client, &request, NULL, 0, out_place, sizeof *out_place, &bytes, err);
}

sim_status sim_debug_blocks(sim_debug_client *client, sim_debug_block *out_blocks, uint32_t most,
                            uint32_t *out_count, kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_BLOCKS};
    return ask_rows(client, &request, out_blocks, most, sizeof *out_blocks, out_count, err);
}

sim_status sim_debug_lanes(sim_debug_client *client, const sim_debug_thread *thread,
                           sim_debug_lane out_lanes[SIM_DEBUG_LANES], kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_LANES, .thread = *thread};
    uint32_t bytes;
    return ask(client, &request, NULL, 0, out_lanes, SIM_DEBUG_LANES * sizeof *out_lanes, &bytes,
               err);
}

sim_status sim_debug_frames(sim_debug_client *client, const sim_debug_thread *thread,
                            sim_debug_place out_frames[SIM_DEBUG_FRAMES], uint32_t *out_count,
                            kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_FRAMES, .thread = *thread};
    return ask_rows(client, &request, out_frames, SIM_DEBUG_FRAMES, sizeof *out_frames, out_count,
                    err);
}

sim_status sim_debug_next_instruction(sim_debug_client *client, sim_debug_instruction *out,
                                      kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_INSTRUCTION};
    uint32_t bytes;
    return ask(client, &request, NULL, 0, out, sizeof *out, &bytes, err);
}

static void set_name(sim_debug_request *request, const char *name) {
    snprintf(request->name, sizeof request->name, "%s", name);
}

sim_status sim_debug_read_register(sim_debug_client *client, const sim_debug_thread *thread,
                                   uint32_t frame, const char *name,
                                   sim_debug_register *out_register, kl_error *err) {
    sim_debug_request request = {.kind = SIM_DEBUG_ASK_REGISTER, .thread = *thread, .frame = frame};
    uint32_t bytes;
    set_name(&request, name);
    return ask(client, &request, NULL, 0, out_register, sizeof *out_register, &bytes, err);
}

sim_status sim_debug_find_symbol(sim_debug_client *client, const sim_debug_thread *thread,
                                 uint32_t frame, const char *name, sim_debug_symbol *out_symbol,
                                 kl_error *err) {
    sim_debug_request request = {.kind = SIM_DEBUG_ASK_SYMBOL, .thread = *thread, .frame = frame};
    uint32_t bytes;
    set_name(&request, name);
    return ask(client, &request, NULL, 0, out_symbol, sizeof *out_symbol, &bytes, err);
}

sim_status sim_debug_read_memory(sim_debug_client *client, const sim_debug_thread *thread,
                                 uint32_t space, uint64_t address, void *out, uint64_t bytes,
                                 kl_error *err) {
    for (uint64_t done = 0; done < bytes;) {
        uint64_t left = bytes - done;
        sim_debug_request request = {.kind = SIM_DEBUG_ASK_MEMORY,
                                     .thread = *thread,
                                     .space = space,
                                     .address = address + done,
                                     .bytes =
                                         left < SIM_DEBUG_DATA ? (uint32_t)left : SIM_DEBUG_DATA};
        uint32_t got = 0;
        TRY(ask(client, &request, NULL, 0, (uint8_t *)out + done, left, &got, err));
        if (got == 0) return gone(client, err);
        done += got;
    }
    return SIM_OK;
}

// Parts one after the other until an empty one comes. `next`: from where the request after this
// answer goes on.
static sim_status collect(sim_debug_client *client, sim_debug_request *request,
                          uint64_t (*next)(const char *text, size_t bytes), char **out_text,
                          size_t *out_bytes, kl_error *err) {
    char *text = malloc(1);
    size_t bytes = 0;
    uint32_t got = 0;
    *out_text = NULL;
    do {
        char *grown = realloc(text, bytes + SIM_DEBUG_DATA + 1);
        if (!grown) {
            free(text);
            return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the program's text");
        }
        text = grown;
        request->address = next(text, bytes);
        sim_status status = ask(client, request, NULL, 0, text + bytes, SIM_DEBUG_DATA, &got, err);
        if (status != SIM_OK) {
            free(text);
            return status;
        }
        bytes += got;
    } while (got > 0);
    text[bytes] = '\0';
    *out_text = text;
    if (out_bytes) *out_bytes = bytes;
    return SIM_OK;
}

static uint64_t next_byte(const char *text, size_t bytes) {
    (void)text;
    return bytes;
}

static uint64_t next_name(const char *text, size_t bytes) {
    uint64_t names = 0;
    for (size_t i = 0; i < bytes; i++) names += text[i] == '\0';
    return names;
}

sim_status sim_debug_text(sim_debug_client *client, char **out_text, size_t *out_bytes,
                          kl_error *err) {
    sim_debug_request request = {.kind = SIM_DEBUG_ASK_TEXT};
    return collect(client, &request, next_byte, out_text, out_bytes, err);
}

sim_status sim_debug_names(sim_debug_client *client, const sim_debug_thread *thread, uint32_t frame,
                           char **out_names, kl_error *err) {
    sim_debug_request request = {.kind = SIM_DEBUG_ASK_NAMES, .thread = *thread, .frame = frame};
    return collect(client, &request, next_name, out_names, NULL, err);
}

sim_status sim_debug_digest(sim_debug_client *client, uint64_t *out_digest, kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_DIGEST};
    uint32_t bytes;
    return ask(client, &request, NULL, 0, out_digest, sizeof *out_digest, &bytes, err);
}

sim_status sim_debug_times(sim_debug_client *client, uint64_t *out_times, uint32_t most,
                           uint32_t *out_count, kl_error *err) {
    const sim_debug_request request = {.kind = SIM_DEBUG_ASK_TIMES};
    return ask_rows(client, &request, out_times, most, sizeof *out_times, out_count, err);
}
