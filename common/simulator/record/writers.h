// SPDX-License-Identifier: MIT
// Who wrote each byte of device memory last: nobody since its judge did, a fill (or a copy of what
// nobody wrote), the host, or a kernel
// and in which call of the program. For a judge that wants to know whether an answer was computed
// where it lies. One byte of notes for a byte of memory, of which only those in use take pages.
// Kernels note their stores while they are counted (footprint.h); several workers may note the
// same byte, then with the same value.
#ifndef SIM_RECORD_WRITERS_H
#define SIM_RECORD_WRITERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/base.h"

// A note. Kernels of call n have SIM_WRITER_KERNEL + n % SIM_WRITER_CALLS.
enum {
    SIM_WRITER_NOBODY,
    SIM_WRITER_FILL,
    SIM_WRITER_HOST,
    SIM_WRITER_KERNEL,
    SIM_WRITER_CALLS = 256 - SIM_WRITER_KERNEL,
    SIM_WRITERS_CHUNK = 1 << 16 // bytes for which one mark says that there may be notes
};

// Who wrote each byte of device memory last.
typedef struct sim_writers {
    uint8_t *notes;      // [span_bytes], by address from SIM_GLOBAL_BASE
    uint8_t *marked;     // [span_bytes / SIM_WRITERS_CHUNK]
    uint64_t span_bytes; // of device memory that has notes
    uint8_t kernel;      // note of the present call's kernels
} sim_writers;

// Bytes of a range by their notes.
typedef struct sim_writer_counts {
    uint64_t nobody, fill, host, earlier, kernel; // earlier: kernels of earlier calls
} sim_writer_counts;

// Notes for so much device memory, all of them "nobody". SIM_OUT_OF_MEMORY. Free with
// sim_writers_free.
sim_status sim_writers_new(uint64_t span_bytes, sim_writers **out_writers, kl_error *err);
// Frees the notes; accepts NULL.
void sim_writers_free(sim_writers *writers);
// From here on kernels have another note than before.
void sim_writers_next_call(sim_writers *writers);
void sim_writers_count(const sim_writers *writers, uint64_t address, uint64_t bytes,
                       sim_writer_counts *out_counts);
// Notes go with the bytes of a copy. The ranges may overlap.
void sim_writers_copy(sim_writers *writers, uint64_t destination, uint64_t source, uint64_t bytes);

// The range, of one byte at least, lies in memory that was allocated.
static inline void sim_writers_note(sim_writers *writers, uint64_t address, uint64_t bytes,
                                    uint8_t note) {
    uint64_t first = address - SIM_GLOBAL_BASE, last = first + bytes - 1;
    if (last >= writers->span_bytes || first > last) return;
    for (uint64_t chunk = first / SIM_WRITERS_CHUNK; chunk <= last / SIM_WRITERS_CHUNK; chunk++)
        __atomic_store_n(&writers->marked[chunk], 1, __ATOMIC_RELAXED);
    memset(writers->notes + first, note, bytes);
}

// As if nobody had written there.
void sim_writers_forget(sim_writers *writers, uint64_t address, uint64_t bytes);

#endif
