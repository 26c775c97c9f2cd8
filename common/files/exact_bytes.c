// SPDX-License-Identifier: MIT
// So many bytes of a source: see exact_bytes.h.
#include "exact_bytes.h"

#include <stdlib.h>

enum { FIRST_BYTES = 1 << 20 };

kl_status kl_bytes_fill(kl_byte_source *source, void *buffer, size_t want, size_t *out_got,
                        kl_error *err) {
    *out_got = 0;
    while (*out_got < want) {
        size_t got = 0;
        TRY(kl_bytes_read(source, (char *)buffer + *out_got, want - *out_got, &got, err));
        if (got == 0) break;
        *out_got += got;
    }
    return KL_OK;
}

kl_status kl_bytes_take(kl_byte_source *source, uint64_t want, uint8_t **out_data,
                        uint64_t *out_got, kl_error *err) {
    uint8_t *data = NULL;
    uint64_t capacity = 0;
    *out_data = NULL;
    *out_got = 0;
    do {
        capacity = capacity == 0 ? FIRST_BYTES : 2 * capacity;
        capacity = capacity < want ? capacity : want;
        uint8_t *larger =
            capacity > SIZE_MAX ? NULL : realloc(data, capacity > 0 ? (size_t)capacity : 1);
        if (!larger) {
            free(data);
            return kl_fail(err, KL_ERROR_MEMORY, "no memory for %.3g MB", 1e-6 * (double)capacity);
        }
        data = larger;
        size_t got = 0;
        kl_status status =
            kl_bytes_fill(source, data + *out_got, (size_t)(capacity - *out_got), &got, err);
        if (status != KL_OK) {
            free(data);
            return status;
        }
        *out_got += got;
    } while (*out_got == capacity && capacity < want);
    *out_data = data;
    return KL_OK;
}

kl_status kl_bytes_at_end(kl_byte_source *source, bool *out_end, kl_error *err) {
    char byte;
    size_t got = 0;
    TRY(kl_bytes_read(source, &byte, 1, &got, err));
    *out_end = got == 0;
    return KL_OK;
}
