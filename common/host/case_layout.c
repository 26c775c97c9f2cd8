// SPDX-License-Identifier: MIT
// Cases as plain data: see problem.h.
#include "problem.h"

#include <string.h>

kl_case_layout kl_case_layout_of(const kl_prepared *const *sets, int count,
                                 uint64_t workspace_max_bytes) {
    const kl_prepared *p = sets[0];
    kl_case_layout layout = {
        .input_count = p->shape.input_count,
        .output_count = p->shape.output_count,
        .workspace_bytes = p->shape.workspace_bytes,
        .workspace_max_bytes = workspace_max_bytes,
        .prepared_bytes = p->shape.prepared_bytes,
        .prepare_inputs = p->shape.prepare_inputs,
        .sets = (uint32_t)count,
        .slots = 1,
        .host = p->shape.host,
    };
    for (int i = 0; i < p->shape.input_count; i++) {
        layout.input_bytes[i] = p->input_bytes[i];
        layout.input_offset[i] = p->shape.inputs[i].offset_bytes;
    }
    for (int i = 0; i < p->shape.output_count; i++) layout.output_bytes[i] = p->output_bytes[i];
    return layout;
}

kl_case_scalars kl_case_scalars_of(const kl_prepared *set) {
    kl_case_scalars scalars;
    memcpy(scalars.ints, set->shape.ints, sizeof scalars.ints);
    memcpy(scalars.reals, set->shape.reals, sizeof scalars.reals);
    return scalars;
}
