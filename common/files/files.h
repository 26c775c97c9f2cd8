// Readers of files, and a bar that shows how far one is.
#pragma once

#include "error.h"

// ---- byte_source.c ------------------------------------------------------------------------------
// Bytes of a plain or gzip-compressed file, or of memory, a large block at a time: what every
// reader of files stands on.

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

// So many bytes of a source and no other number: for files whose header says how long they are.

// Fills buffer with `want` bytes, less only at the end of the source.
kl_status kl_bytes_fill(kl_byte_source *source, void *buffer, size_t want, size_t *out_got,
                        kl_error *err);

// The same into memory of its own, which grows with the bytes that are there, not with what a
// header promises. free() *out_data, which is never NULL with KL_OK. KL_ERROR_MEMORY.
kl_status kl_bytes_take(kl_byte_source *source, uint64_t want, uint8_t **out_data,
                        uint64_t *out_got, kl_error *err);

// True when the source has no more bytes. Takes one if it has.
kl_status kl_bytes_at_end(kl_byte_source *source, bool *out_end, kl_error *err);

// CRC-64/XZ: a check sum that notices damage, every burst of up to 64 bits among it. No protection
// against intent. Source: ECMA-182, annex B; the XZ file format, section 6.

// Of bytes that follow others whose check sum is `before`; 0 when none do.
uint64_t kl_crc64(uint64_t before, const void *data, size_t bytes);

// ---- progress.c ---------------------------------------------------------------------------------
// A progress bar on a terminal: name, bar, share, a remark.

// A bar under way. Its fields are set by kl_bar_begin and kl_bar_show.
typedef struct kl_bar {
    const char *name;        // of what is done; of a path, the file's name is shown
    FILE *out;               // NULL: show nothing
    double begun_s, shown_s; // by the monotonic clock, in seconds: the beginning, and the last
                             // time that it was drawn
} kl_bar;

// A bar on standard error if that is a terminal, otherwise one that shows nothing.
kl_bar kl_bar_begin(const char *name);
double kl_bar_seconds(const kl_bar *bar); // since it began

// share: of the work that is done, 0 .. 1; below 0 when nobody knows. Draws at most ten times a
// second.
void kl_bar_show(kl_bar *bar, double share, const char *remark);
void kl_bar_end(kl_bar *bar); // wipes it

// The bar's text: at most `bytes` - 1 characters; "NAME [####----]  50 %  REMARK".
void kl_bar_text(const char *name, double share, const char *remark, char *out, size_t bytes);
