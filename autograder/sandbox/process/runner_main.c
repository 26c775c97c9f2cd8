// ladder-runner: the process in which one graded step lives. Loads the lab's call adapter and the
// step, then does what the judge asks (runner_protocol.h). It holds no reference, no seed and no
// expected value, and the judge believes nothing that it says: whatever the step does in here, it
// can only spoil its own outputs.
//   ladder-runner ADAPTER.so STEP.so NUMBER     (started by the judge; descriptor 3 is its socket)
#include "device_case.h"
#include "sandbox/process/runner_protocol.h"
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES_MAX = LADDER_RUNNER_SETS + 1, SYMBOL_BYTES = 128 };

// ---- a case on the device -----------------------------------------------------------------------
// What the judge asks for, on a case (device_case.h): inputs come in memory files, or lie where the
// judge has put them; outputs go to a memory file.

typedef struct runner_device {
    kl_device_case on_device;
    uint32_t file_slots;    // for which the memory file has room
    unsigned char *outputs; // mapping of the judge's memory file
    uint64_t outputs_bytes;
} runner_device;

static void reply_with(ladder_runner_reply *reply, ladder_runner_state state, int code,
                       const char *format, ...) {
    reply->state = state;
    reply->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(reply->text, sizeof reply->text, format, args);
    va_end(args);
}

// True when all went well; otherwise the reply says what failed.
static bool went_well(const runner_device *d, kl_status status, const kl_error *err,
                      ladder_runner_reply *reply) {
    ladder_runner_state state = status == KL_ERROR_CUDA    ? LADDER_RUNNER_CUDA_ERROR
                                : status == KL_ERROR_LIMIT ? LADDER_RUNNER_OVERRUN
                                                           : LADDER_RUNNER_BROKEN;
    if (status == KL_OK) reply_with(reply, LADDER_RUNNER_OK, 0, "%s", "");
    else reply_with(reply, state, status == KL_ERROR_CUDA ? d->on_device.code : 0, "%s", err->text);
    return status == KL_OK;
}

// Of a file whose memory is all there already, no page is asked for later, while calls are timed.
static void *map_file(int file, uint64_t bytes, int protection) {
    struct stat info;
    if (fstat(file, &info) != 0 || (uint64_t)info.st_size < bytes) return MAP_FAILED;
    int now = (uint64_t)info.st_blocks * 512 >= bytes ? MAP_POPULATE : 0; // stat(2): of 512 bytes
    return mmap(NULL, bytes > 0 ? bytes : 1, protection, MAP_SHARED | now, file, 0);
}

static kl_status upload_file(runner_device *d, uint32_t set, int file, kl_error *err) {
    const kl_case_layout *l = &d->on_device.layout;
    const void *inputs[KL_MAX_BUFFERS];
    uint64_t span = kl_case_span(l->input_bytes, l->input_count), at = 0;
    if (span == 0) return KL_OK;
    char *data = map_file(file, span, PROT_READ);
    if (data == MAP_FAILED) return kl_fail(err, KL_ERROR_SYSTEM, "cannot map the inputs");
    for (int i = 0; i < l->input_count; at += kl_case_aligned(l->input_bytes[i++]))
        inputs[i] = data + at;
    kl_status status = kl_case_upload(&d->on_device, set, inputs, err);
    munmap(data, span);
    return status;
}

static kl_status map_outputs(runner_device *d, const ladder_runner_request *r, int file,
                             kl_error *err) {
    uint64_t span = kl_case_span(r->layout.output_bytes, r->layout.output_count);
    d->outputs_bytes = r->file_bytes;
    d->file_slots = r->file_slots;
    if (span * r->file_slots > d->outputs_bytes)
        return kl_fail(err, KL_ERROR_SYSTEM, "no room for the outputs");
    void *mapped = map_file(file, d->outputs_bytes, PROT_READ | PROT_WRITE);
    if (mapped == MAP_FAILED) return kl_fail(err, KL_ERROR_SYSTEM, "cannot map the outputs");
    d->outputs = mapped;
    return KL_OK;
}

static kl_status take_files(runner_device *d, const ladder_runner_request *r, const int *files,
                            kl_error *err) {
    for (uint32_t s = 0; s < r->layout.sets; s++) TRY(upload_file(d, s, files[s], err));
    TRY(map_outputs(d, r, files[r->layout.sets], err));
    TRY(kl_case_make_outputs(&d->on_device, err));
    return kl_case_poison(&d->on_device, r->layout.slots, err);
}

static void take_given(kl_device_case *c, const ladder_runner_request *r) {
    c->borrowed = true;
    for (int i = 0; i < r->layout.input_count; i++)
        c->sets[0].bases[i] = (void *)(uintptr_t)r->given_inputs[i];
    for (uint32_t s = 0; s < r->layout.slots; s++)
        for (int i = 0; i < r->layout.output_count; i++)
            c->d_outputs[s][i] = (void *)(uintptr_t)r->given_outputs[s][i];
}

static kl_status set_up(runner_device *d, const ladder_runner_request *r, const int *files,
                        kl_error *err) {
    if (r->given) take_given(&d->on_device, r);
    else TRY(take_files(d, r, files, err));
    return kl_case_make_prepared(&d->on_device, err);
}

// What a step returned, in words. False when it was an error.
static bool step_ok(int code, ladder_runner_reply *reply) {
    if (code == 0) return true;
    if (code == KL_NOT_IMPLEMENTED) {
        reply_with(reply, LADDER_RUNNER_NOT_IMPLEMENTED, code, "%s", "");
    } else {
        reply_with(reply, LADDER_RUNNER_STEP_ERROR, code, "the step returned %d (%s: %s)", code,
                   cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code));
    }
    return false;
}

static void prepare(runner_device *d, ladder_runner_reply *reply) {
    kl_error err = {KL_OK, ""};
    if (!d->on_device.prepares) return;
    for (uint32_t s = 0; s < d->on_device.layout.sets; s++)
        if (!step_ok(kl_case_prepare(&d->on_device, s), reply)) return;
    kl_status status = kl_case_settle(&d->on_device, "the preparation's kernels", &err);
    went_well(d, status, &err, reply);
}

// Takes a new case; closes the descriptors: [request->layout.sets] files of inputs, then one of
// outputs.
static void runner_device_setup(runner_device *device, const ladder_runner_request *request,
                                const int *files, ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    if (device->outputs) munmap(device->outputs, device->outputs_bytes);
    device->outputs = NULL;
    kl_status begun = kl_case_begin(&device->on_device, &request->layout, request->scalars, &err);
    if (went_well(device, begun, &err, out_reply) &&
        step_ok(kl_case_open(&device->on_device), out_reply) &&
        went_well(device, set_up(device, request, files, &err), &err, out_reply))
        prepare(device, out_reply);
    for (uint32_t i = 0; !request->given && i <= request->layout.sets; i++) close(files[i]);
}

static void runner_device_go(runner_device *device, const ladder_runner_request *request,
                             ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    for (uint32_t j = 0; j < request->calls; j++) {
        if (step_ok(kl_case_call(&device->on_device, request->first_slot + j), out_reply)) continue;
        kl_case_settle(&device->on_device, "", &err);
        return;
    }
    kl_status status = kl_case_settle(&device->on_device, "the step's kernels", &err);
    went_well(device, status, &err, out_reply);
}

static kl_status fetch(runner_device *d, const ladder_runner_request *r, kl_error *err) {
    const kl_case_layout *l = &d->on_device.layout;
    unsigned char *to = d->outputs;
    uint32_t count = r->chosen_count > 0 ? r->chosen_count : r->calls;
    if (d->on_device.d_block && r->chosen_count == 0)
        return kl_case_fetch_packed(&d->on_device, count, to, err);
    for (uint32_t k = 0; k < count; k++) {
        void *outputs[KL_MAX_BUFFERS];
        for (int i = 0; i < l->output_count; to += kl_case_aligned(l->output_bytes[i++]))
            outputs[i] = to;
        uint32_t slot = r->chosen_count > 0 ? r->chosen[k] : k;
        TRY(kl_case_fetch(&d->on_device, slot, outputs, err));
    }
    return KL_OK;
}

static void runner_device_fetch(runner_device *device, const ladder_runner_request *request,
                                ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    kl_status status = fetch(device, request, &err);
    if (status == KL_OK) status = kl_case_poison(&device->on_device, request->calls, &err);
    went_well(device, status, &err, out_reply);
}

static kl_status fetch_inputs(runner_device *d, uint32_t set, kl_error *err) {
    const kl_case_layout *l = &d->on_device.layout;
    unsigned char *to = d->outputs;
    if (kl_case_span(l->input_bytes, l->input_count) > d->outputs_bytes)
        return kl_fail(err, KL_ERROR_SYSTEM, "no room for the inputs");
    for (int i = 0; i < l->input_count; to += kl_case_aligned(l->input_bytes[i++]))
        TRY(kl_case_fetch_input(&d->on_device, set, i, to, err));
    return KL_OK;
}

static void runner_device_inputs(runner_device *device, const ladder_runner_request *request,
                                 ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    kl_status status = fetch_inputs(device, request->first_slot, &err);
    went_well(device, status, &err, out_reply);
}

static void runner_device_poison(runner_device *device, const ladder_runner_request *request,
                                 ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    kl_status status = kl_case_poison(&device->on_device, request->calls, &err);
    went_well(device, status, &err, out_reply);
}

// ---- the socket, and the step -------------------------------------------------------------------

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
