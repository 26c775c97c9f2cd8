// SPDX-License-Identifier: MIT
// The runner's case: see runner_device.h.
#include "sandbox/process/runner_device.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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
    if (status == KL_OK)
        reply_with(reply, LADDER_RUNNER_OK, 0, "%s", "");
    else
        reply_with(reply, state, status == KL_ERROR_CUDA ? d->on_device.code : 0, "%s", err->text);
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
    TRY(kl_case_begin(&d->on_device, &r->layout, r->scalars, err));
    TRY(kl_case_make_workspace(&d->on_device, err));
    if (r->given)
        take_given(&d->on_device, r);
    else
        TRY(take_files(d, r, files, err));
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
    if (!kl_case_has_preparation(&d->on_device)) return;
    for (uint32_t s = 0; s < d->on_device.layout.sets; s++)
        if (!step_ok(kl_case_prepare(&d->on_device, s), reply)) return;
    kl_status status = kl_case_settle(&d->on_device, "the preparation's kernels", &err);
    went_well(d, status, &err, reply);
}

void runner_device_setup(runner_device *device, const ladder_runner_request *request,
                         const int *files, ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    if (device->outputs) munmap(device->outputs, device->outputs_bytes);
    device->outputs = NULL;
    if (went_well(device, set_up(device, request, files, &err), &err, out_reply))
        prepare(device, out_reply);
    for (uint32_t i = 0; !request->given && i <= request->layout.sets; i++) close(files[i]);
}

void runner_device_go(runner_device *device, const ladder_runner_request *request,
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

void runner_device_fetch(runner_device *device, const ladder_runner_request *request,
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

void runner_device_inputs(runner_device *device, const ladder_runner_request *request,
                          ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    kl_status status = fetch_inputs(device, request->first_slot, &err);
    went_well(device, status, &err, out_reply);
}

void runner_device_poison(runner_device *device, const ladder_runner_request *request,
                          ladder_runner_reply *out_reply) {
    kl_error err = {KL_OK, ""};
    kl_status status = kl_case_poison(&device->on_device, request->calls, &err);
    went_well(device, status, &err, out_reply);
}
