// SPDX-License-Identifier: MIT
// The buffers of one case in the engine's memory: see given.h.
#include "grade/judge/given.h"

#include <stdlib.h>
#include <string.h>

#include "base/address_map.h"
#include "random.h"

enum {
    GAP_UNITS = 64, // a gap has less than this many units of SIM_ALLOCATION_ALIGN bytes
    COMPARED_BYTES = 1 << 20
};

// A call of the engine; what it says of a failure is in the record.
static kl_status asked(sim_status status) {
    return status == SIM_OK ? KL_OK : KL_ERROR_SYSTEM;
}

// One buffer, behind a gap that is free again at once: the engine gives ever higher addresses.
static kl_status make_buffer(ladder_given *given, uint64_t bytes, uint64_t places, int number,
                             uint64_t *out_address, kl_error *err) {
    uint64_t gap = 0;
    if (bytes == 0) return KL_OK;
    if (places != 0) {
        uint64_t units = 1 + kl_random_below(places, (uint64_t)number, GAP_UNITS);
        TRY(asked(sim_given_alloc(given->engine, units * SIM_ALLOCATION_ALIGN, &gap, err)));
    }
    kl_status status = asked(sim_given_alloc(given->engine, bytes, out_address, err));
    if (places != 0) sim_given_free(given->engine, gap, NULL);
    return status;
}

kl_status ladder_given_make(sim_engine *engine, const kl_prepared *data, int slots, uint64_t places,
                            ladder_given *out_given, kl_error *err) {
    const kl_case *shape = &data->shape;
    *out_given = (ladder_given){.engine = engine, .data = data, .slots = slots};
    for (int i = 0; i < shape->input_count; i++) {
        uint64_t bytes = data->input_bytes[i];
        if (bytes > 0) bytes += shape->inputs[i].offset_bytes;
        TRY(make_buffer(out_given, bytes, places, i, &out_given->inputs[i], err));
    }
    for (int s = 0; s < slots; s++) {
        for (int i = 0; i < shape->output_count; i++)
            TRY(make_buffer(out_given, data->output_bytes[i], places, (s + 1) * KL_MAX_BUFFERS + i,
                            &out_given->outputs[s][i], err));
        TRY(ladder_given_poison(out_given, s, err));
    }
    return KL_OK;
}

void ladder_given_free(ladder_given *given) {
    for (int i = 0; i < KL_MAX_BUFFERS; i++) {
        if (given->inputs[i] != 0) sim_given_free(given->engine, given->inputs[i], NULL);
        for (int s = 0; s < given->slots; s++)
            if (given->outputs[s][i] != 0)
                sim_given_free(given->engine, given->outputs[s][i], NULL);
    }
    *given = (ladder_given){.engine = NULL};
}

void ladder_given_tell(const ladder_given *given, ladder_runner_request *request) {
    request->given = 1;
    memcpy(request->given_inputs, given->inputs, sizeof given->inputs);
    memcpy(request->given_outputs, given->outputs, sizeof given->outputs);
}

static uint64_t input_address(const ladder_given *given, int input) {
    return given->inputs[input] + given->data->shape.inputs[input].offset_bytes;
}

kl_status ladder_given_put(const ladder_given *given, const kl_prepared *data, int first, int end,
                           kl_error *err) {
    for (int i = first; i < end; i++) {
        uint64_t bytes = data->input_bytes[i], address = input_address(given, i);
        if (bytes == 0) continue;
        TRY(asked(sim_memory_write(given->engine, address, data->inputs[i], bytes, err)));
        TRY(asked(sim_given_renew(given->engine, address, bytes, err)));
    }
    return KL_OK;
}

kl_status ladder_given_poison(const ladder_given *given, int slot, kl_error *err) {
    for (int i = 0; i < given->data->shape.output_count; i++) {
        uint64_t bytes = given->data->output_bytes[i], address = given->outputs[slot][i];
        if (bytes == 0) continue;
        TRY(asked(sim_memory_fill(given->engine, address, KL_POISON, 1, bytes, err)));
        TRY(asked(sim_given_renew(given->engine, address, bytes, err)));
    }
    return KL_OK;
}

kl_status ladder_given_fetch(const ladder_given *given, int slot, unsigned char *bytes,
                             kl_error *err) {
    for (int i = 0; i < given->data->shape.output_count; i++) {
        uint64_t count = given->data->output_bytes[i];
        TRY(asked(sim_memory_read(given->engine, bytes, given->outputs[slot][i], count, err)));
        bytes += ladder_runner_aligned(count);
    }
    return KL_OK;
}

static kl_status add_writers(const ladder_given *given, uint64_t address, uint64_t bytes,
                             ladder_writers *sum, kl_error *err) {
    ladder_writers w;
    if (bytes == 0) return KL_OK;
    TRY(asked(sim_writers_get(given->engine, address, bytes, &w.nobody, &w.fill, &w.host,
                              &w.earlier, &w.kernel, err)));
    sum->nobody += w.nobody;
    sum->fill += w.fill;
    sum->host += w.host;
    sum->earlier += w.earlier;
    sum->kernel += w.kernel;
    return KL_OK;
}

kl_status ladder_given_writers(const ladder_given *given, int slot, ladder_writers *out_writers,
                               kl_error *err) {
    *out_writers = (ladder_writers){.nobody = 0};
    for (int i = 0; i < given->data->shape.output_count; i++)
        TRY(add_writers(given, given->outputs[slot][i], given->data->output_bytes[i], out_writers,
                        err));
    return KL_OK;
}

// Reads a part of an input again.
static kl_status is_same(const ladder_given *given, uint64_t address, const unsigned char *wanted,
                         uint64_t bytes, unsigned char *buffer, bool *out_same, kl_error *err) {
    *out_same = true;
    for (uint64_t at = 0; at < bytes && *out_same; at += COMPARED_BYTES) {
        uint64_t part = bytes - at < COMPARED_BYTES ? bytes - at : COMPARED_BYTES;
        TRY(asked(sim_memory_read(given->engine, buffer, address + at, part, err)));
        *out_same = memcmp(buffer, wanted + at, part) == 0;
    }
    return KL_OK;
}

kl_status ladder_given_changed(const ladder_given *given, const kl_prepared *data, int *out_input,
                               kl_error *err) {
    *out_input = -1;
    unsigned char *buffer = malloc(COMPARED_BYTES);
    kl_status status = buffer != NULL ? KL_OK : kl_fail(err, KL_ERROR_MEMORY, "no memory");
    for (int i = 0; i < data->shape.input_count && status == KL_OK && *out_input < 0; i++) {
        uint64_t bytes = data->input_bytes[i], address = input_address(given, i);
        ladder_writers w = {.nobody = 0};
        bool same = true;
        status = add_writers(given, address, bytes, &w, err);
        if (status == KL_OK && w.nobody < bytes)
            status = is_same(given, address, data->inputs[i], bytes, buffer, &same, err);
        if (!same) *out_input = i;
    }
    free(buffer);
    return status;
}
