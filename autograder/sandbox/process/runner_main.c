// SPDX-License-Identifier: MIT
// ladder-runner: the process in which one graded step lives. Loads the lab's call adapter and the
// step, then does what the judge asks (runner_protocol.h). It holds no reference, no seed and no
// expected value, and the judge believes nothing that it says: whatever the step does in here, it
// can only spoil its own outputs.
//   ladder-runner ADAPTER.so STEP.so NUMBER     (started by the judge; descriptor 3 is its socket)
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/process/runner_device.h"

enum { FILES_MAX = LADDER_RUNNER_SETS + 1, SYMBOL_BYTES = 128 };

static bool send_reply(const ladder_runner_reply *reply) {
    ssize_t sent;
    do {
        sent = send(LADDER_RUNNER_SOCKET, reply, sizeof *reply, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *reply;
}

// Receives one request and its descriptors; false when the judge has gone.
static bool receive(ladder_runner_request *out_request, int files[FILES_MAX], int *out_count) {
    union {
        char bytes[CMSG_SPACE(FILES_MAX * sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec part = {.iov_base = out_request, .iov_len = sizeof *out_request};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do {
        got = recvmsg(LADDER_RUNNER_SOCKET, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    *out_count = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
        *out_count = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(files, CMSG_DATA(c), (size_t)*out_count * sizeof(int));
    }
    return got == (ssize_t)sizeof *out_request;
}

static bool is_sane(const ladder_runner_request *r, int file_count) {
    const kl_case_layout *l = &r->layout;
    bool counts = l->input_count >= 0 && l->input_count <= KL_MAX_BUFFERS && l->output_count >= 0 &&
                  l->output_count <= KL_MAX_BUFFERS;
    if (r->given)
        return counts && l->sets == 1 && l->slots >= 1 && l->slots <= LADDER_RUNNER_GIVEN &&
               file_count == 0 && !l->host;
    return counts && l->sets >= 1 && l->sets <= LADDER_RUNNER_SETS && l->slots >= 1 &&
           l->slots <= LADDER_RUNNER_SLOTS && r->file_slots >= 1 && r->file_slots <= l->slots &&
           file_count == (int)l->sets + 1;
}

static bool can_fetch(const ladder_runner_request *r, const runner_device *device) {
    if (!device->outputs || r->chosen_count > LADDER_RUNNER_CHOSEN) return false;
    for (uint32_t i = 0; i < r->chosen_count; i++)
        if (r->chosen[i] >= r->calls) return false;
    return (r->chosen_count > 0 ? r->chosen_count : r->calls) <= device->file_slots;
}

// The formats come from the lab's adapter, with one %d (call.h).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void *find_symbol(void *object, const char *format, int number) {
    char symbol[SYMBOL_BYTES];
    if (!format) return NULL;
    snprintf(symbol, sizeof symbol, format, number);
    return dlsym(object, symbol);
}
#pragma GCC diagnostic pop

static void load(const char *adapter_path, const char *step_path, int number,
                 kl_case_step *out_step, ladder_runner_reply *out_reply) {
    void *object = dlopen(adapter_path, RTLD_NOW | RTLD_LOCAL);
    out_step->adapter = object ? dlsym(object, "kl_lab_adapter") : NULL;
    if (!out_step->adapter || out_step->adapter->version != KL_ADAPTER_VERSION) {
        out_reply->state = LADDER_RUNNER_BROKEN;
        snprintf(out_reply->text, sizeof out_reply->text, "cannot load the lab's adapter: %s",
                 !object ? dlerror() : adapter_path);
        return;
    }
    void *step = dlopen(step_path, RTLD_NOW | RTLD_LOCAL);
    if (!step) {
        out_reply->state = LADDER_RUNNER_LOAD_ERROR;
        snprintf(out_reply->text, sizeof out_reply->text, "%s", dlerror());
        return;
    }
    out_step->function = find_symbol(step, out_step->adapter->step_symbol, number);
    out_step->prepare = find_symbol(step, out_step->adapter->prepare_symbol, number);
    if (!out_step->function) {
        out_reply->state = LADDER_RUNNER_LOAD_ERROR;
        snprintf(out_reply->text, sizeof out_reply->text, "the step's function is missing");
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: ladder-runner ADAPTER.so STEP.so NUMBER\n"
                        "Started by `ladder grade`; not meant for the command line.\n");
        return 2;
    }
    runner_device *device = calloc(1, sizeof *device);
    if (!device) return 2;
    ladder_runner_reply reply;
    memset(&reply, 0, sizeof reply);
    load(argv[1], argv[2], atoi(argv[3]), &device->on_device.step, &reply);
    if (!send_reply(&reply) || reply.state != LADDER_RUNNER_OK) return 1;

    ladder_runner_request request;
    int files[FILES_MAX], file_count = 0;
    while (receive(&request, files, &file_count)) {
        memset(&reply, 0, sizeof reply);
        bool is_setup = request.kind == LADDER_RUNNER_SETUP && is_sane(&request, file_count);
        bool in_range = request.calls <= LADDER_RUNNER_SLOTS &&
                        request.first_slot + request.calls <= device->on_device.layout.slots;
        if (is_setup) {
            runner_device_setup(device, &request, files, &reply);
        } else if (request.kind == LADDER_RUNNER_GO && in_range) {
            runner_device_go(device, &request, &reply);
        } else if (request.kind == LADDER_RUNNER_FETCH && in_range && can_fetch(&request, device)) {
            runner_device_fetch(device, &request, &reply);
        } else if (request.kind == LADDER_RUNNER_INPUTS &&
                   request.first_slot < device->on_device.layout.sets && device->outputs) {
            runner_device_inputs(device, &request, &reply);
        } else if (request.kind == LADDER_RUNNER_POISON && in_range) {
            runner_device_poison(device, &request, &reply);
        } else {
            reply.state = LADDER_RUNNER_BROKEN;
            snprintf(reply.text, sizeof reply.text, "an invalid request");
        }
        if (!send_reply(&reply)) break;
    }
    fflush(NULL);
    _exit(0); // no destructors of the step: nobody waits for them
}
