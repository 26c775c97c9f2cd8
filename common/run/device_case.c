// A case on a device: see device_case.h.
#include "device_case.h"
#include <cuda_runtime_api.h>
#include <dlfcn.h>

// That this process has no memory is not the step's fault.
static kl_status check(kl_device_case *c, cudaError_t code, const char *what, kl_error *err) {
    if (code == cudaSuccess) return KL_OK;
    c->code = (int)code;
    if (c->layout.host) return kl_fail(err, KL_ERROR_MEMORY, "no host memory: %s", what);
    return kl_fail(err, KL_ERROR_CUDA, "%s: %s: %s", what, cudaGetErrorName(code),
                   cudaGetErrorString(code));
}

static bool is_program(const kl_device_case *c) { return c->layout.program != 0; }

static cudaError_t new_buffer(const kl_device_case *c, uint64_t bytes, void **out_buffer) {
    if (!c->layout.host) return cudaMalloc(out_buffer, bytes);
    *out_buffer = malloc(bytes);
    return *out_buffer ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void free_buffer(const kl_device_case *c, void *buffer) {
    if (!buffer) return;
    if (c->layout.host) free(buffer);
    else cudaFree(buffer);
}

static cudaError_t poison(const kl_device_case *c, void *buffer, uint64_t bytes) {
    if (bytes == 0) return cudaSuccess;
    if (!c->layout.host) return cudaMemset(buffer, KL_POISON, bytes);
    memset(buffer, KL_POISON, bytes);
    return cudaSuccess;
}

static cudaError_t copy(const kl_device_case *c, void *to, const void *from, uint64_t bytes,
                        enum cudaMemcpyKind kind) {
    if (bytes == 0) return cudaSuccess;
    if (!c->layout.host) return cudaMemcpy(to, from, bytes, kind);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

static uint64_t fence_bytes(const kl_device_case *c) {
    return c->layout.fenced ? KL_CASE_FENCE : 0;
}

static uint64_t output_span(const kl_device_case *c) {
    return kl_case_span(c->layout.output_bytes, c->layout.output_count);
}

static kl_status make_workspace(kl_device_case *c, kl_error *err) {
    uint64_t bytes = c->layout.workspace_max_bytes;
    if (c->layout.host || c->d_workspace || bytes == 0) return KL_OK;
    TRY(check(c, cudaMalloc(&c->d_workspace, bytes), "memory for the workspace", err));
    return check(c, cudaMemset(c->d_workspace, 0, bytes), "workspace", err);
}

static kl_call call_for(kl_device_case *c, uint32_t set_index, uint32_t slot);

kl_status kl_case_begin(kl_device_case *c, const kl_case_layout *layout,
                        const kl_case_scalars *scalars, kl_error *err) {
    kl_case_release(c);
    c->layout = *layout;
    c->prepares = !layout->host && c->step.prepare && c->step.adapter->prepare;
    c->borrowed = layout->program;
    if (layout->program) c->layout.packed = c->layout.fenced = 0;
    c->sets = calloc(layout->sets, sizeof *c->sets);
    c->d_outputs = calloc(layout->slots, sizeof *c->d_outputs);
    if (!c->sets || !c->d_outputs) {
        kl_case_release(c);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a case");
    }
    for (uint32_t s = 0; s < layout->sets; s++) c->sets[s].scalars = scalars[s];
    return make_workspace(c, err);
}

void kl_case_release(kl_device_case *c) {
    for (uint32_t s = 0; is_program(c) && c->sets && s < c->layout.sets; s++) {
        kl_call call = call_for(c, s, s);
        if (c->sets[s].opened) c->step.adapter->close(&call);
    }
    for (uint32_t s = 0; c->sets && s < c->layout.sets; s++) {
        free_buffer(c, c->sets[s].d_prepared);
        for (int i = 0; i < KL_MAX_BUFFERS && !c->borrowed; i++)
            free_buffer(c, c->sets[s].bases[i]);
    }
    for (uint32_t s = 0; c->d_outputs && s < c->layout.slots; s++)
        for (int i = 0; i < KL_MAX_BUFFERS && !c->borrowed && !c->d_block; i++)
            if (c->d_outputs[s][i])
                free_buffer(c, (char *)c->d_outputs[s][i] - fence_bytes(c)); // behind a fence
    free_buffer(c, c->d_block);
    free(c->sets);
    free(c->d_outputs);
    c->sets = NULL;
    c->d_outputs = NULL;
    c->d_block = NULL;
    c->borrowed = false;
}

void kl_case_close(kl_device_case *c) {
    kl_case_release(c);
    cudaFree(c->d_workspace);
    c->d_workspace = NULL;
}

// The data behind `offset` bytes of poison and before a fence, so that reading outside it shows.
static cudaError_t upload(const kl_device_case *c, const void *data, uint64_t bytes,
                          uint64_t offset, void **out_base) {
    if (bytes == 0) return cudaSuccess; // an empty input is a NULL pointer
    if (*out_base) return copy(c, *out_base, data, bytes, cudaMemcpyHostToDevice);
    cudaError_t code = new_buffer(c, offset + bytes + fence_bytes(c), out_base);
    char *base = *out_base;
    if (code == cudaSuccess) code = poison(c, base, offset);
    if (code == cudaSuccess) code = copy(c, base + offset, data, bytes, cudaMemcpyHostToDevice);
    if (code == cudaSuccess) code = poison(c, base + offset + bytes, fence_bytes(c));
    return code;
}

// A cudaError_t of what brings data of a program to the devices that they lie on, or from them.
static kl_status check_way(kl_device_case *c, int code, const char *what, kl_error *err) {
    if (code == 0) return KL_OK;
    c->code = code;
    return kl_fail(err, KL_ERROR_CUDA, "%s: %s", what, cudaGetErrorName((cudaError_t)code));
}

// The data of a program that finds them on devices go there.
static kl_status place(kl_device_case *c, uint32_t set, kl_error *err) {
    kl_call call = call_for(c, set, set);
    if (!is_program(c) || !c->step.adapter->place) return KL_OK;
    return check_way(c, c->step.adapter->place(&call), "data to the devices", err);
}

kl_status kl_case_upload(kl_device_case *c, uint32_t set, const void *const *inputs,
                         kl_error *err) {
    const kl_case_layout *l = &c->layout;
    for (int i = 0; i < l->input_count; i++)
        TRY(check(
            c, upload(c, inputs[i], l->input_bytes[i], l->input_offset[i], &c->sets[set].bases[i]),
            "memory for the inputs", err));
    return place(c, set, err);
}

static cudaError_t make_outputs_of(kl_device_case *c, uint32_t slot) {
    uint64_t fence = fence_bytes(c);
    for (int i = 0; i < c->layout.output_count; i++) {
        uint64_t bytes = c->layout.output_bytes[i];
        void *base = NULL;
        if (bytes == 0 || is_program(c)) continue;
        cudaError_t code = new_buffer(c, bytes + 2 * fence, &base);
        if (code != cudaSuccess) return code;
        c->d_outputs[slot][i] = (char *)base + fence;
        if (fence > 0) code = poison(c, base, bytes + 2 * fence);
        if (code != cudaSuccess) return code;
    }
    return cudaSuccess;
}

// Thousands of small outputs take longer to make, poison and copy one by one than to compute.
static cudaError_t make_block(kl_device_case *c) {
    uint64_t span = output_span(c);
    if (span == 0) return cudaSuccess;
    cudaError_t code = new_buffer(c, span * c->layout.slots, &c->d_block);
    char *at = c->d_block;
    for (uint32_t s = 0; code == cudaSuccess && s < c->layout.slots; s++) {
        for (int i = 0; i < c->layout.output_count; i++) {
            c->d_outputs[s][i] = c->layout.output_bytes[i] > 0 ? at : NULL;
            at += kl_case_aligned(c->layout.output_bytes[i]);
        }
    }
    return code;
}

kl_status kl_case_make_outputs(kl_device_case *c, kl_error *err) {
    cudaError_t code = c->layout.packed ? make_block(c) : cudaSuccess;
    for (uint32_t s = 0; s < c->layout.slots && !c->layout.packed && code == cudaSuccess; s++)
        code = make_outputs_of(c, s);
    return check(c, code, "memory for the outputs", err);
}

kl_status kl_case_make_prepared(kl_device_case *c, kl_error *err) {
    uint64_t prepared = c->layout.host ? 0 : c->layout.prepared_bytes;
    for (uint32_t s = 0; s < c->layout.sets && prepared > 0; s++) {
        void **d_prepared = &c->sets[s].d_prepared;
        TRY(check(c, cudaMalloc(d_prepared, prepared), "memory for a preparation", err));
        TRY(check(c, poison(c, *d_prepared, prepared), "poison", err));
    }
    return KL_OK;
}

kl_status kl_case_fill(kl_device_case *c, const void *const *inputs, kl_error *err) {
    TRY(kl_case_make_prepared(c, err));
    TRY(kl_case_upload(c, 0, inputs, err));
    return kl_case_make_outputs(c, err);
}

// By how much the simulated device is behind the host; below 0 on a GPU.
static double unfinished_us(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_query"); // of common/simulator/runtime/api
    int (*query)(const char *key, double *out_value) = NULL;
    double us = -1;
    memcpy(&query, &symbol, sizeof query);
    if (query) query("unfinished_us", &us);
    return us;
}

// A program has waited for its own work: on the simulator it shows when it has not. There is no
// call that waits then, which would count as one of the step's.
static kl_status settle_program(kl_device_case *c, const char *what, kl_error *err) {
    double late_us = unfinished_us();
    cudaError_t code = late_us == 0 ? cudaPeekAtLastError() : cudaDeviceSynchronize();
    if (code == cudaSuccess && late_us > 0) {
        c->code = cudaErrorNotReady;
        return kl_fail(
            err, KL_ERROR_CUDA,
            "the step returned %.0f us before the device had done its work: it must wait "
            "for all its streams",
            late_us);
    }
    if (code == cudaSuccess) return KL_OK;
    c->code = (int)code;
    return kl_fail(err, KL_ERROR_CUDA, "%s: %s: %s", what, cudaGetErrorName(code),
                   cudaGetErrorString(code));
}

kl_status kl_case_settle(kl_device_case *c, const char *what, kl_error *err) {
    if (is_program(c)) return settle_program(c, what, err);
    return c->layout.host ? KL_OK : check(c, cudaDeviceSynchronize(), what, err);
}

kl_status kl_case_poison(kl_device_case *c, uint32_t slots, kl_error *err) {
    static const char what[] = "poison of the outputs";
    if (is_program(c) && slots > c->layout.sets) slots = c->layout.sets; // all outputs that it has
    if (c->d_block) TRY(check(c, poison(c, c->d_block, slots * output_span(c)), what, err));
    for (uint32_t s = 0; s < slots && !c->d_block; s++)
        for (int i = 0; i < c->layout.output_count; i++)
            TRY(check(c, poison(c, c->d_outputs[s][i], c->layout.output_bytes[i]), what, err));
    for (uint32_t s = 0; is_program(c) && s < slots; s++) TRY(place(c, s, err));
    return kl_case_settle(c, what, err);
}

static kl_call call_for(kl_device_case *c, uint32_t set_index, uint32_t slot) {
    const kl_case_layout *l = &c->layout;
    kl_case_set *set = &c->sets[set_index];
    kl_call call = {.input_count = l->input_count, .output_count = l->output_count};
    for (int i = 0; i < l->input_count; i++) {
        call.input_bytes[i] = l->input_bytes[i];
        char *base = set->bases[i];
        call.d_inputs[i] = base ? base + l->input_offset[i] : NULL;
    }
    for (int i = 0; i < l->output_count; i++) {
        call.output_bytes[i] = l->output_bytes[i];
        call.d_outputs[i] = c->d_outputs[slot][i];
    }
    memcpy(call.ints, set->scalars.ints, sizeof call.ints);
    memcpy(call.reals, set->scalars.reals, sizeof call.reals);
    call.d_workspace = c->d_workspace;
    call.workspace_bytes = l->workspace_bytes;
    call.d_prepared = set->d_prepared;
    call.prepared_bytes = l->prepared_bytes;
    call.h_plan = set->h_plan;
    return call;
}

// A set of a program: its preparation says where its inputs and its one output lie.
static int open_set(kl_device_case *c, uint32_t set) {
    kl_call call = call_for(c, set, set);
    memset(c->sets[set].h_plan, 0, KL_PLAN_BYTES);
    c->sets[set].opened = true;
    int code = c->step.adapter->open(c->step.prepare, &call);
    for (int i = 0; i < c->layout.input_count; i++)
        c->sets[set].bases[i] = (void *)(uintptr_t)call.d_inputs[i];
    for (uint32_t slot = set; slot < c->layout.slots; slot += c->layout.sets)
        memcpy(c->d_outputs[slot], call.d_outputs, sizeof call.d_outputs);
    return code;
}

int kl_case_open(kl_device_case *c) {
    int code = 0;
    for (uint32_t s = 0; is_program(c) && s < c->layout.sets && code == 0; s++)
        code = open_set(c, s);
    return code;
}

int kl_case_prepare(kl_device_case *c, uint32_t set) {
    kl_call whole = call_for(c, set, 0);
    memset(c->sets[set].h_plan, 0, KL_PLAN_BYTES);
    kl_call seen = kl_call_for_preparation(&whole, c->layout.prepare_inputs);
    return c->step.adapter->prepare(c->step.prepare, &seen);
}

int kl_case_call(kl_device_case *c, uint32_t slot) {
    kl_call call = call_for(c, slot % c->layout.sets, slot);
    return c->step.adapter->call(c->step.function, &call);
}

// Whether the poison around an output is still there.
static kl_status check_fences(kl_device_case *c, const char *output, uint64_t bytes,
                              kl_error *err) {
    unsigned char fences[2 * KL_CASE_FENCE];
    const uint64_t fence = fence_bytes(c);
    if (fence == 0 || !output) return KL_OK;
    cudaError_t code = copy(c, fences, output - fence, fence, cudaMemcpyDeviceToHost);
    if (code == cudaSuccess)
        code = copy(c, fences + fence, output + bytes, fence, cudaMemcpyDeviceToHost);
    TRY(check(c, code, "copy of the fences", err));
    for (size_t i = 0; i < sizeof fences; i++) {
        if (fences[i] == KL_POISON) continue;
        long at = i < fence ? (long)i - (long)fence : (long)(i - fence);
        return kl_fail(err, KL_ERROR_LIMIT, "the step wrote %ld bytes %s an output",
                       at < 0 ? -at : at + 1, at < 0 ? "before" : "beyond the end of");
    }
    return KL_OK;
}

kl_status kl_case_fetch(kl_device_case *c, uint32_t slot, void *const *outputs, kl_error *err) {
    TRY(kl_case_settle(c, "the step's kernels", err));
    if (is_program(c) && c->step.adapter->fetch) {
        kl_call call = call_for(c, slot % c->layout.sets, slot);
        TRY(check_way(c, c->step.adapter->fetch(&call), "data from the devices", err));
    }
    for (int i = 0; i < c->layout.output_count; i++) {
        uint64_t bytes = c->layout.output_bytes[i];
        const char *output = c->d_outputs[slot][i];
        TRY(check(c, copy(c, outputs[i], output, bytes, cudaMemcpyDeviceToHost),
                  "copy of the outputs", err));
        TRY(check_fences(c, output, bytes, err));
    }
    return KL_OK;
}

kl_status kl_case_fetch_packed(kl_device_case *c, uint32_t slots, void *to, kl_error *err) {
    return check(c, copy(c, to, c->d_block, slots * output_span(c), cudaMemcpyDeviceToHost),
                 "copy of the outputs", err);
}

kl_status kl_case_fetch_input(kl_device_case *c, uint32_t set, int input, void *to, kl_error *err) {
    const char *base = c->sets[set].bases[input];
    if (!base) return KL_OK;
    return check(c,
                 copy(c, to, base + c->layout.input_offset[input], c->layout.input_bytes[input],
                      cudaMemcpyDeviceToHost),
                 "copy of the inputs", err);
}
