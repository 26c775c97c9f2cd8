// SPDX-License-Identifier: MIT
// The device side of the runner: see runner_device.h.
#include "sandbox/process/runner_device.h"

#include <cuda_runtime_api.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buffers.h"

static void reply_with(ladder_runner_reply *reply, ladder_runner_state state, int code,
                       const char *format, ...) {
    reply->state = state;
    reply->code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(reply->text, sizeof reply->text, format, args);
    va_end(args);
}

// True when the call succeeded; otherwise the reply says what failed.
static bool cuda_ok(cudaError_t code, const char *what, ladder_runner_reply *reply) {
    if (code == cudaSuccess) return true;
    reply_with(reply, LADDER_RUNNER_CUDA_ERROR, (int)code, "%s: %s: %s", what,
               cudaGetErrorName(code), cudaGetErrorString(code));
    return false;
}

// The same for memory of the present case: that this process has none is not the step's fault.
static bool memory_ok(const runner_device *d, cudaError_t code, const char *what,
                      ladder_runner_reply *reply) {
    if (!d->shape.host || code == cudaSuccess) return cuda_ok(code, what, reply);
    reply_with(reply, LADDER_RUNNER_BROKEN, 0, "no host memory: %s", what);
    return false;
}

static bool settle(const runner_device *d, const char *what, ladder_runner_reply *reply) {
    return d->shape.host || cuda_ok(cudaDeviceSynchronize(), what, reply);
}

static uint64_t fence_bytes(const runner_device *d) {
    return d->shape.fenced ? LADDER_RUNNER_FENCE : 0;
}

// Outputs lie behind their first fence.
static void free_outputs(runner_device *d, int slot) {
    for (int i = 0; i < KL_MAX_BUFFERS; i++) {
        char *buffer = d->d_outputs[slot][i];
        if (buffer && !d->d_block) kl_buffer_free(d->shape.host, buffer - fence_bytes(d));
        d->d_outputs[slot][i] = NULL;
    }
}

static uint64_t output_span(const runner_device *d) {
    return ladder_runner_span(d->shape.output_bytes, d->shape.output_count);
}

// Thousands of small outputs take longer to make, poison and copy one by one than to compute.
static cudaError_t make_block(runner_device *d) {
    uint64_t span = output_span(d);
    if (span == 0) return cudaSuccess;
    cudaError_t code = kl_buffer_new(d->shape.host, span * d->shape.slots, &d->d_block);
    if (code != cudaSuccess) return code;
    char *at = d->d_block;
    for (uint32_t s = 0; s < d->shape.slots; s++) {
        for (int i = 0; i < d->shape.output_count; i++) {
            d->d_outputs[s][i] = d->shape.output_bytes[i] > 0 ? at : NULL;
            at += ladder_runner_aligned(d->shape.output_bytes[i]);
        }
    }
    return cudaSuccess;
}

static cudaError_t make_outputs_of(runner_device *d, uint32_t slot) {
    uint64_t fence = fence_bytes(d);
    for (int i = 0; i < d->shape.output_count; i++) {
        uint64_t bytes = d->shape.output_bytes[i];
        void *base = NULL;
        if (bytes == 0) continue;
        cudaError_t code = kl_buffer_new(d->shape.host, bytes + 2 * fence, &base);
        if (code != cudaSuccess) return code;
        d->d_outputs[slot][i] = (char *)base + fence;
        if (fence > 0) code = kl_buffer_poison(d->shape.host, base, bytes + 2 * fence);
        if (code != cudaSuccess) return code;
    }
    return cudaSuccess;
}

// Whether the poison round an output is still there.
static bool fences_stand(const runner_device *d, const char *output, uint64_t bytes,
                         ladder_runner_reply *reply) {
    unsigned char fences[2 * LADDER_RUNNER_FENCE];
    uint64_t fence = fence_bytes(d);
    if (fence == 0 || !output) return true;
    cudaError_t code =
        kl_buffer_copy(d->shape.host, fences, output - fence, fence, cudaMemcpyDeviceToHost);
    if (code == cudaSuccess)
        code = kl_buffer_copy(d->shape.host, fences + fence, output + bytes, fence,
                              cudaMemcpyDeviceToHost);
    if (!memory_ok(d, code, "copy of the fences", reply)) return false;
    for (size_t i = 0; i < sizeof fences; i++) {
        if (fences[i] == KL_POISON) continue;
        long at = (long)i < (long)fence ? (long)i - (long)fence : (long)(i - fence);
        reply_with(reply, LADDER_RUNNER_OVERRUN, 0, "the step wrote %ld bytes %s an output",
                   at < 0 ? -at : at + 1, at < 0 ? "before" : "beyond the end of");
        return false;
    }
    return true;
}

static void release(runner_device *d) {
    if (d->shape.given) { // not ours to free
        memset(d->d_inputs, 0, sizeof d->d_inputs);
        memset(d->d_outputs, 0, LADDER_RUNNER_GIVEN * sizeof d->d_outputs[0]);
    }
    for (int s = 0; s < LADDER_RUNNER_SETS; s++) {
        kl_buffers_free(d->shape.host, d->d_inputs[s]);
        kl_buffer_free(d->shape.host, d->d_prepared[s]);
    }
    for (int s = 0; s < LADDER_RUNNER_SLOTS; s++) free_outputs(d, s);
    if (d->d_block) kl_buffer_free(d->shape.host, d->d_block);
    d->d_block = NULL;
    memset(d->d_prepared, 0, sizeof d->d_prepared);
    memset(d->h_plans, 0, sizeof d->h_plans);
    if (d->outputs) munmap(d->outputs, d->outputs_bytes);
    d->outputs = NULL;
}

static bool upload_set(runner_device *d, int set, const unsigned char *data,
                       ladder_runner_reply *reply) {
    const ladder_runner_request *r = &d->shape;
    for (int i = 0; i < r->input_count; i++) {
        cudaError_t code = kl_buffer_upload(r->host, data, r->input_bytes[i], r->input_offset[i], 0,
                                            &d->d_inputs[set][i]);
        if (!memory_ok(d, code, "memory for the inputs", reply)) return false;
        data += ladder_runner_aligned(r->input_bytes[i]);
    }
    return true;
}

// Of a file whose memory is all there already, no page is asked for later, while calls are timed.
static void *map_file(int file, uint64_t bytes, int protection) {
    struct stat info;
    if (fstat(file, &info) != 0 || (uint64_t)info.st_size < bytes) return MAP_FAILED;
    int now = (uint64_t)info.st_blocks * 512 >= bytes ? MAP_POPULATE : 0; // stat(2): of 512 bytes
    return mmap(NULL, bytes > 0 ? bytes : 1, protection, MAP_SHARED | now, file, 0);
}

static bool upload(runner_device *d, const int *files, ladder_runner_reply *reply) {
    uint64_t span = ladder_runner_span(d->shape.input_bytes, d->shape.input_count);
    for (uint32_t s = 0; s < d->shape.sets; s++) {
        if (span == 0) continue;
        void *data = map_file(files[s], span, PROT_READ);
        if (data == MAP_FAILED) {
            reply_with(reply, LADDER_RUNNER_BROKEN, 0, "cannot map the inputs");
            return false;
        }
        bool uploaded = upload_set(d, (int)s, data, reply);
        munmap(data, span);
        if (!uploaded) return false;
    }
    return true;
}

static void take_given(runner_device *d) {
    const ladder_runner_request *r = &d->shape;
    for (int i = 0; i < r->input_count; i++)
        d->d_inputs[0][i] = (void *)(uintptr_t)r->given_inputs[i];
    for (uint32_t s = 0; s < r->slots; s++)
        for (int i = 0; i < r->output_count; i++)
            d->d_outputs[s][i] = (void *)(uintptr_t)r->given_outputs[s][i];
}

// Of the first `slots` slots.
static bool poison_outputs(runner_device *d, uint32_t slots, ladder_runner_reply *reply) {
    if (d->d_block) {
        cudaError_t code = kl_buffer_poison(d->shape.host, d->d_block, slots * output_span(d));
        return memory_ok(d, code, "poison of the outputs", reply) &&
               settle(d, "poison of the outputs", reply);
    }
    for (uint32_t s = 0; s < slots; s++) {
        cudaError_t code = kl_buffers_poison(d->shape.host, d->d_outputs[s], d->shape.output_bytes,
                                             d->shape.output_count);
        if (!memory_ok(d, code, "poison of the outputs", reply)) return false;
    }
    return settle(d, "poison of the outputs", reply);
}

static bool make_outputs(runner_device *d, int file, ladder_runner_reply *reply) {
    d->outputs_bytes = d->shape.file_bytes;
    if (output_span(d) * d->shape.file_slots > d->outputs_bytes) {
        reply_with(reply, LADDER_RUNNER_BROKEN, 0, "no room for the outputs");
        return false;
    }
    void *mapped = map_file(file, d->outputs_bytes, PROT_READ | PROT_WRITE);
    if (mapped == MAP_FAILED) {
        reply_with(reply, LADDER_RUNNER_BROKEN, 0, "cannot map the outputs");
        return false;
    }
    d->outputs = mapped;
    cudaError_t code = d->shape.fenced ? cudaSuccess : make_block(d);
    for (uint32_t s = 0; s < d->shape.slots && d->shape.fenced && code == cudaSuccess; s++)
        code = make_outputs_of(d, s);
    if (!memory_ok(d, code, "memory for the outputs", reply)) return false;
    return poison_outputs(d, d->shape.slots, reply);
}

// The workspace is zeroed once and then keeps what the calls left in it, as the labs' contracts
// say.
static bool make_workspace(runner_device *d, ladder_runner_reply *reply) {
    uint64_t bytes = d->shape.workspace_max_bytes;
    if (d->shape.host || d->d_workspace || bytes == 0) return true;
    return cuda_ok(cudaMalloc(&d->d_workspace, bytes), "memory for the workspace", reply) &&
           cuda_ok(cudaMemset(d->d_workspace, 0, bytes), "workspace", reply);
}

static kl_call call_for(runner_device *d, uint32_t set, uint32_t slot) {
    const ladder_runner_request *r = &d->shape;
    kl_call call = {.input_count = r->input_count, .output_count = r->output_count};
    for (int i = 0; i < r->input_count; i++) {
        call.input_bytes[i] = r->input_bytes[i];
        char *base = d->d_inputs[set][i];
        call.d_inputs[i] = base ? base + r->input_offset[i] : NULL;
    }
    for (int i = 0; i < r->output_count; i++) {
        call.output_bytes[i] = r->output_bytes[i];
        call.d_outputs[i] = d->d_outputs[slot][i];
    }
    memcpy(call.ints, r->scalars[set].ints, sizeof call.ints);
    memcpy(call.reals, r->scalars[set].reals, sizeof call.reals);
    call.d_workspace = d->d_workspace;
    call.workspace_bytes = r->workspace_bytes;
    call.d_prepared = d->d_prepared[set];
    call.prepared_bytes = r->prepared_bytes;
    call.h_plan = d->h_plans[set];
    return call;
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

// Memory of a set's own, for what a preparation makes; steps without one have it, too.
static bool make_prepared(runner_device *d, ladder_runner_reply *reply) {
    uint64_t bytes = d->shape.host ? 0 : d->shape.prepared_bytes;
    for (uint32_t s = 0; s < d->shape.sets && bytes > 0; s++)
        if (!cuda_ok(kl_buffer_new(false, bytes, &d->d_prepared[s]), "memory for a preparation",
                     reply) ||
            !cuda_ok(kl_buffer_poison(false, d->d_prepared[s], bytes), "poison", reply))
            return false;
    return true;
}

static bool prepare(runner_device *d, ladder_runner_reply *reply) {
    if (d->shape.host || !d->prepare || !d->adapter->prepare) return true;
    for (uint32_t s = 0; s < d->shape.sets; s++) {
        kl_call whole = call_for(d, s, 0);
        kl_call call = kl_call_for_preparation(&whole, d->shape.prepare_inputs);
        if (!step_ok(d->adapter->prepare(d->prepare, &call), reply)) return false;
    }
    return settle(d, "the preparation's kernels", reply);
}

void runner_device_setup(runner_device *device, const ladder_runner_request *request,
                         const int *files, ladder_runner_reply *out_reply) {
    reply_with(out_reply, LADDER_RUNNER_OK, 0, "%s", "");
    release(device);
    device->shape = *request;
    bool made = make_workspace(device, out_reply);
    if (request->given)
        take_given(device);
    else
        made = made && upload(device, files, out_reply) &&
               make_outputs(device, files[request->sets], out_reply);
    if (made && make_prepared(device, out_reply)) prepare(device, out_reply);
    for (uint32_t i = 0; !request->given && i <= request->sets; i++) close(files[i]);
}

void runner_device_go(runner_device *device, const ladder_runner_request *request,
                      ladder_runner_reply *out_reply) {
    reply_with(out_reply, LADDER_RUNNER_OK, 0, "%s", "");
    for (uint32_t j = 0; j < request->calls; j++) {
        uint32_t slot = request->first_slot + j;
        kl_call call = call_for(device, slot % device->shape.sets, slot);
        if (!step_ok(device->adapter->call(device->function, &call), out_reply)) {
            if (!device->shape.host) cudaDeviceSynchronize();
            return;
        }
    }
    settle(device, "the step's kernels", out_reply);
}

void runner_device_fetch(runner_device *device, const ladder_runner_request *request,
                         ladder_runner_reply *out_reply) {
    reply_with(out_reply, LADDER_RUNNER_OK, 0, "%s", "");
    unsigned char *to = device->outputs;
    uint32_t count = request->chosen_count > 0 ? request->chosen_count : request->calls;
    if (device->d_block && request->chosen_count == 0) {
        cudaError_t code = kl_buffer_copy(device->shape.host, to, device->d_block,
                                          count * output_span(device), cudaMemcpyDeviceToHost);
        if (memory_ok(device, code, "copy of the outputs", out_reply))
            poison_outputs(device, request->calls, out_reply);
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t s = request->chosen_count > 0 ? request->chosen[k] : k;
        for (int i = 0; i < device->shape.output_count; i++) {
            uint64_t bytes = device->shape.output_bytes[i];
            cudaError_t code = cudaSuccess;
            if (bytes > 0)
                code = kl_buffer_copy(device->shape.host, to, device->d_outputs[s][i], bytes,
                                      cudaMemcpyDeviceToHost);
            if (!memory_ok(device, code, "copy of the outputs", out_reply) ||
                !fences_stand(device, device->d_outputs[s][i], bytes, out_reply))
                return;
            to += ladder_runner_aligned(bytes);
        }
    }
    poison_outputs(device, request->calls, out_reply);
}

void runner_device_inputs(runner_device *device, const ladder_runner_request *request,
                          ladder_runner_reply *out_reply) {
    const ladder_runner_request *r = &device->shape;
    unsigned char *to = device->outputs;
    reply_with(out_reply, LADDER_RUNNER_OK, 0, "%s", "");
    if (ladder_runner_span(r->input_bytes, r->input_count) > device->outputs_bytes) {
        reply_with(out_reply, LADDER_RUNNER_BROKEN, 0, "no room for the inputs");
        return;
    }
    for (int i = 0; i < r->input_count; i++) {
        const char *base = device->d_inputs[request->first_slot][i];
        cudaError_t code = cudaSuccess;
        if (base)
            code = kl_buffer_copy(r->host, to, base + r->input_offset[i], r->input_bytes[i],
                                  cudaMemcpyDeviceToHost);
        if (!memory_ok(device, code, "copy of the inputs", out_reply)) return;
        to += ladder_runner_aligned(r->input_bytes[i]);
    }
}

void runner_device_poison(runner_device *device, const ladder_runner_request *request,
                          ladder_runner_reply *out_reply) {
    reply_with(out_reply, LADDER_RUNNER_OK, 0, "%s", "");
    poison_outputs(device, request->calls, out_reply);
}
