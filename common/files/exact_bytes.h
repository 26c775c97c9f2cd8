// SPDX-License-Identifier: MIT
// So many bytes of a source and no other number: for files whose header says how long they are.
#ifndef KL_EXACT_BYTES_H
#define KL_EXACT_BYTES_H

#include "byte_source.h"

// Fills buffer with `want` bytes, less only at the end of the source.
kl_status kl_bytes_fill(kl_byte_source *source, void *buffer, size_t want, size_t *out_got,
                        kl_error *err);

// The same into memory of its own, which grows with the bytes that are there, not with what a
// header promises. free() *out_data, which is never NULL with KL_OK. KL_ERROR_MEMORY.
kl_status kl_bytes_take(kl_byte_source *source, uint64_t want, uint8_t **out_data,
                        uint64_t *out_got, kl_error *err);

// True when the source has no more bytes. Takes one if it has.
kl_status kl_bytes_at_end(kl_byte_source *source, bool *out_end, kl_error *err);

#endif
