// SPDX-License-Identifier: MIT
// The growing text buffer of device printf.
#include <stdlib.h>
#include <string.h>

#include "warps/block.h"

enum { OUTPUT_CAP_BYTES = 16 << 20 };

void sim_output_append(sim_output *output, const char *text, size_t bytes) {
    size_t cap = output->cap_bytes ? output->cap_bytes : OUTPUT_CAP_BYTES;
    if (output->truncated) return;
    if (bytes > cap || output->bytes > cap - bytes) {
        output->truncated = true;
        return;
    }
    if (output->bytes + bytes + 1 > output->capacity) {
        size_t capacity = (output->bytes + bytes + 1) * 2;
        char *grown = realloc(output->text, capacity);
        if (!grown) {
            output->truncated = true;
            return;
        }
        output->text = grown;
        output->capacity = capacity;
    }
    memcpy(output->text + output->bytes, text, bytes);
    output->bytes += bytes;
    output->text[output->bytes] = '\0';
}
