// SPDX-License-Identifier: MIT
// The buffers of one case in the engine's memory: see internal.h.
#include "grade/judge/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "grade/judge/judge.h"
#include "random.h"
#include "utilities/defence.h"

enum {
    GAP_UNITS = 64, // a gap has less than this many units of SIM_ALLOCATION_ALIGN bytes
    COMPARED_BYTES = 1 << 20
};

// One buffer, behind a gap that is free again at once: the engine gives ever higher addresses.
static sim_status make_buffer(ladder_case_buffers *buffers, uint64_t bytes, uint64_t places,
                              int number, uint64_t *out_address, kl_error *err) {
    uint64_t gap = 0;
    if (bytes == 0) return SIM_OK;
    if (places != 0) {
        uint64_t units = 1 + kl_random_below(places, (uint64_t)number, GAP_UNITS);
        TRY(sim_given_alloc(buffers->engine, units * SIM_ALLOCATION_ALIGN, &gap, err));
    }
    sim_status status = sim_given_alloc(buffers->engine, bytes, out_address, err);
    if (places != 0) sim_given_free(buffers->engine, gap, NULL);
    return status;
}

sim_status ladder_buffers_make(sim_engine *engine, const kl_prepared *data, int slots,
                               uint64_t places, ladder_case_buffers *out_buffers, kl_error *err) {
    const kl_case *shape = &data->shape;
    *out_buffers = (ladder_case_buffers){.engine = engine, .data = data, .slots = slots};
    for (int i = 0; i < shape->input_count; i++) {
        uint64_t bytes = data->input_bytes[i];
        if (bytes > 0) bytes += shape->inputs[i].offset_bytes;
        TRY(make_buffer(out_buffers, bytes, places, i, &out_buffers->inputs[i], err));
    }
    for (int s = 0; s < slots; s++) {
        for (int i = 0; i < shape->output_count; i++)
            TRY(make_buffer(out_buffers, data->output_bytes[i], places,
                            (s + 1) * KL_MAX_BUFFERS + i, &out_buffers->outputs[s][i], err));
        TRY(ladder_buffers_poison(out_buffers, s, err));
    }
    return SIM_OK;
}

void ladder_buffers_free(ladder_case_buffers *buffers) {
    for (int i = 0; i < KL_MAX_BUFFERS; i++) {
        if (buffers->inputs[i] != 0) sim_given_free(buffers->engine, buffers->inputs[i], NULL);
        for (int s = 0; s < buffers->slots; s++)
            if (buffers->outputs[s][i] != 0)
                sim_given_free(buffers->engine, buffers->outputs[s][i], NULL);
    }
    *buffers = (ladder_case_buffers){.engine = NULL};
}

void ladder_buffers_tell(const ladder_case_buffers *buffers, ladder_runner_request *request) {
    request->given = 1;
    memcpy(request->given_inputs, buffers->inputs, sizeof buffers->inputs);
    memcpy(request->given_outputs, buffers->outputs, sizeof buffers->outputs);
}

static uint64_t input_address(const ladder_case_buffers *buffers, int input) {
    return buffers->inputs[input] + buffers->data->shape.inputs[input].offset_bytes;
}

sim_status ladder_buffers_put(const ladder_case_buffers *buffers, const kl_prepared *data,
                              int first, int end, kl_error *err) {
    for (int i = first; i < end; i++) {
        uint64_t bytes = data->input_bytes[i], address = input_address(buffers, i);
        if (bytes == 0) continue;
        TRY(sim_memory_write(buffers->engine, address, data->inputs[i], bytes, err));
        TRY(sim_given_renew(buffers->engine, address, bytes, err));
    }
    return SIM_OK;
}

sim_status ladder_buffers_poison(const ladder_case_buffers *buffers, int slot, kl_error *err) {
    for (int i = 0; i < buffers->data->shape.output_count; i++) {
        uint64_t bytes = buffers->data->output_bytes[i], address = buffers->outputs[slot][i];
        if (bytes == 0) continue;
        TRY(sim_memory_fill(buffers->engine, address, KL_POISON, 1, bytes, err));
        TRY(sim_given_renew(buffers->engine, address, bytes, err));
    }
    return SIM_OK;
}

sim_status ladder_buffers_fetch(const ladder_case_buffers *buffers, int slot, unsigned char *bytes,
                                kl_error *err) {
    for (int i = 0; i < buffers->data->shape.output_count; i++) {
        uint64_t count = buffers->data->output_bytes[i];
        TRY(sim_memory_read(buffers->engine, bytes, buffers->outputs[slot][i], count, err));
        bytes += kl_case_aligned(count);
    }
    return SIM_OK;
}

static sim_status add_writers(const ladder_case_buffers *buffers, uint64_t address, uint64_t bytes,
                              ladder_writers *sum, kl_error *err) {
    ladder_writers w;
    if (bytes == 0) return SIM_OK;
    TRY(sim_writers_get(buffers->engine, address, bytes, &w.nobody, &w.fill, &w.host, &w.earlier,
                        &w.kernel, err));
    sum->nobody += w.nobody;
    sum->fill += w.fill;
    sum->host += w.host;
    sum->earlier += w.earlier;
    sum->kernel += w.kernel;
    return SIM_OK;
}

sim_status ladder_buffers_writers(const ladder_case_buffers *buffers, int slot,
                                  ladder_writers *out_writers, kl_error *err) {
    *out_writers = (ladder_writers){.nobody = 0};
    for (int i = 0; i < buffers->data->shape.output_count; i++)
        TRY(add_writers(buffers, buffers->outputs[slot][i], buffers->data->output_bytes[i],
                        out_writers, err));
    return SIM_OK;
}

// Reads a part of an input again.
static sim_status is_same(const ladder_case_buffers *buffers, uint64_t address,
                          const unsigned char *wanted, uint64_t bytes, unsigned char *buffer,
                          bool *out_same, kl_error *err) {
    *out_same = true;
    for (uint64_t at = 0; at < bytes && *out_same; at += COMPARED_BYTES) {
        uint64_t part = bytes - at < COMPARED_BYTES ? bytes - at : COMPARED_BYTES;
        TRY(sim_memory_read(buffers->engine, buffer, address + at, part, err));
        *out_same = memcmp(buffer, wanted + at, part) == 0;
    }
    return SIM_OK;
}

sim_status ladder_buffers_changed(const ladder_case_buffers *buffers, const kl_prepared *data,
                                  int *out_input, kl_error *err) {
    *out_input = -1;
    unsigned char *buffer = malloc(COMPARED_BYTES);
    sim_status status = buffer ? SIM_OK : sim_fail(err, SIM_OUT_OF_MEMORY, "no memory");
    for (int i = 0; i < data->shape.input_count && status == SIM_OK && *out_input < 0; i++) {
        uint64_t bytes = data->input_bytes[i], address = input_address(buffers, i);
        ladder_writers w = {.nobody = 0};
        bool same = true;
        status = add_writers(buffers, address, bytes, &w, err);
        if (status == SIM_OK && w.nobody < bytes)
            status = is_same(buffers, address, data->inputs[i], bytes, buffer, &same, err);
        if (!same) *out_input = i;
    }
    free(buffer);
    return status;
}

// ---- inputs after the calls ---------------------------------------------------------------------

uint64_t ladder_runner_file_bytes(const kl_prepared *data, int slots) {
    uint64_t inputs = kl_case_span(data->input_bytes, data->shape.input_count);
    uint64_t outputs = kl_case_span(data->output_bytes, data->shape.output_count) * (uint64_t)slots;
    return inputs > outputs ? inputs : outputs;
}

const char *ladder_inputs_changed(const kl_prepared *data, const unsigned char *file) {
    for (int i = 0; i < data->shape.input_count; i++) {
        if (memcmp(file, data->inputs[i], data->input_bytes[i]) != 0)
            return data->shape.inputs[i].name;
        file += kl_case_aligned(data->input_bytes[i]);
    }
    return NULL;
}

kl_status ladder_inputs_kept(ladder_session *session, const kl_prepared *const *sets, int count,
                             const unsigned char *file, double limit_s, const char **out_name,
                             kl_error *err) {
    *out_name = NULL;
    if (!ladder_defence_on(LADDER_DEFENCE_INPUTS_KEPT)) return KL_OK;
    for (int s = 0; s < count && !*out_name; s++) {
        ladder_runner_request request = {.kind = LADDER_RUNNER_INPUTS, .first_slot = (uint32_t)s};
        ladder_runner_reply reply;
        ladder_answer answer = ladder_session_ask(session, &request, NULL, 0, limit_s, &reply);
        if (answer == LADDER_STARVED)
            return kl_fail(err, KL_ERROR_SYSTEM, "no answer: the machine was too busy");
        if (answer != LADDER_ANSWERED || reply.state != LADDER_RUNNER_OK)
            return kl_fail(err, KL_ERROR_INPUT, "the inputs did not come back: %.200s", reply.text);
        *out_name = ladder_inputs_changed(sets[s], file);
    }
    return KL_OK;
}
