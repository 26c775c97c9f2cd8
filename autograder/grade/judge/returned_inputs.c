// SPDX-License-Identifier: MIT
// Inputs after the calls: see attempt.c.
#include "grade/judge/judge.h"

#include <string.h>

#include "utilities/defence.h"

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
