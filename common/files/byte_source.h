// SPDX-License-Identifier: MIT
// Bytes of a plain or gzip-compressed file, or of memory, a large block at a time: what every
// reader of files stands on.
#ifndef KL_BYTE_SOURCE_H
#define KL_BYTE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

// An open file, or memory that is read like one; made by kl_bytes_open and kl_bytes_from_memory.
typedef struct kl_byte_source kl_byte_source;

// KL_ERROR_SYSTEM when the file cannot be opened; KL_ERROR_INPUT when it is compressed and this
// build has no zlib. Close with kl_bytes_close.
kl_status kl_bytes_open(const char *path, kl_byte_source **out_source, kl_error *err);
kl_status kl_bytes_from_memory(const char *text, size_t text_bytes, kl_byte_source **out_source,
                               kl_error *err);

// Fills buffer with up to `capacity` bytes; 0 at the end. KL_ERROR_INPUT when compressed data are
// damaged or cut off.
kl_status kl_bytes_read(kl_byte_source *source, char *buffer, size_t capacity, size_t *out_bytes,
                        kl_error *err);

// True when the size is that of the bytes to come: an uncompressed file, or memory.
bool kl_bytes_have_size(const kl_byte_source *source);
// Bytes taken from the file so far (compressed ones if it is), and its size, 0 when not known.
void kl_bytes_progress(const kl_byte_source *source, uint64_t *out_done, uint64_t *out_total);

// Closes the file and frees the source.
void kl_bytes_close(kl_byte_source *source);

// True when this build reads compressed files.
bool kl_bytes_read_gzip(void);

#endif
