// A failing case that a person can read: the smallest size at which a wrong step is still wrong,
// with inputs 1, 2, 3, .. where these show it, as grids of values. `ladder run`, `watch` and
// `grade` draw it on a terminal (small_draw.c), reports on a page. Host memory only; who runs the
// step is the caller's.
#pragma once

#include "problem.h"
#include "table.h"

enum {
    KL_SMALL_GRIDS = 8,  // inputs, expected, got, threads
    KL_SMALL_CELLS = 64, // of a grid: a matrix has at most 8 x 8
    KL_SMALL_SIDE = 8,
    KL_SMALL_ROW = 40, // elements of an array that are shown whole, else a window of it
    KL_SMALL_TEXT = 16 // bytes of a cell
};

// What a grid shows.
typedef enum kl_small_role {
    KL_SMALL_INPUT,
    KL_SMALL_EXPECTED,
    KL_SMALL_GOT,
    KL_SMALL_THREAD // that wrote each element
} kl_small_role;

// A window of an array (one row) or of a matrix.
typedef struct kl_small_grid {
    kl_small_role role;                        // what it shows
    char name[24];                             // of the buffer
    int rows, cols;                            // that are shown, rows * cols <= KL_SMALL_CELLS
    int gap;                                   // columns from this one on are the last; 0: none
    int64_t first_row, first_col;              // index of the first of them
    int64_t all_rows, all_cols;                // of the whole; all_rows 1: an array
    bool wrong[KL_SMALL_CELLS];                // by row
    char cells[KL_SMALL_CELLS][KL_SMALL_TEXT]; // likewise
} kl_small_grid;

// The case; all zeros: there is none.
typedef struct kl_small_case {
    bool found;         // there is one
    bool smallest;      // no smaller size was wrong; else a window of the case that failed
    char title[96];     // "int, 5 elements"
    int family;         // of the case: another one where that of the failure has none to read
    int64_t size;       // of the case, in the lab's unit
    bool readable;      // with readable inputs
    char output[24];    // name of the buffer that is wrong
    kl_verdict verdict; // of the first wrong element
    uint64_t wrong;     // elements of the output that are wrong in the windows
    char writer[256];   // who wrote the first wrong element, as a sentence; "": not known
    const char
        *unset; // of the first wrong element: "never written", or that its writer had nothing to
                // write; NULL: neither
    int count;  // of grids
    kl_small_grid grids[KL_SMALL_GRIDS]; // inputs, then expected, got, threads, of one shape
} kl_small_case;

// Who wrote an element.
typedef struct kl_small_writer {
    bool known, written;          // not known: on a GPU; not written: by no thread
    uint32_t block[3], thread[3]; // blockIdx, threadIdx: x, y, z
} kl_small_writer;

// blockIdx and threadIdx as the simulator packs them (sim_last_write_get).
static inline void kl_thread_unpack(uint64_t block, uint32_t thread, uint32_t out_block[3],
                                    uint32_t out_thread[3]) {
    out_block[0] = (uint32_t)block;
    out_block[1] = (uint32_t)(block >> 32) & 0xFFFF;
    out_block[2] = (uint32_t)(block >> 48);
    for (int i = 0; i < 3; i++) out_thread[i] = thread >> (10 * i) & 0x3FF;
}

// How a step is run on a case.
typedef struct kl_small_runner {
    void *context; // of the functions
    // Calls the step once and brings its outputs to outputs[i], [p->output_bytes[i]]. watched: who
    // writes this output from byte `from` on is asked for afterwards; -1: of none. False: it did
    // not come to its end, and no other case can be tried.
    bool (*run)(void *context, const kl_prepared *p, int watched, uint64_t from,
                void *const *outputs);
    // NULL: nobody knows. offset_bytes: of an element of this output, which was watched.
    void (*writer)(void *context, int output, uint64_t offset_bytes, kl_small_writer *out_writer);
} kl_small_runner;

// Searches below a case whose outputs, [failing->shape.output_count], are wrong for the smallest
// size that is wrong, too: the small sizes one after the other, with readable inputs first, then
// the sizes between the last right one and the first wrong one. Where the case's family has no
// readable inputs, they are another one's that the same steps have. What the tries may cost is
// fixed by their work, so that the outcome does not depend on the machine. Where no small size is
// wrong the windows are of the failing case. out_small->found is false where memory is missing.
void kl_small_find(const kl_problem *problem, const kl_prepared *failing,
                   const void *const *outputs, const kl_small_runner *runner,
                   kl_small_case *out_small);

// A case with the readable inputs of its lab; KL_ERROR_INPUT: the lab has none for this family.
// Free with kl_prepared_free, also after a failure.
kl_status kl_small_prepare(const kl_problem *problem, int family, int64_t size, uint64_t seed,
                           kl_prepared *out_prepared, kl_error *err);

// 1, 2, 3, .. for a lab's readable inputs: begins again after `period` elements. Types without
// signs and halves included.
void kl_small_count_up(const kl_buffer *buffer, int period, void *to);
// An element of a buffer as a number.
double kl_small_element(kl_dtype dtype, const void *values, uint64_t index);
// Sets an element to the number of its type that is nearest to `value`.
void kl_small_set(kl_dtype dtype, void *values, uint64_t index, double value);

// Draws it in style->width columns, each line indented by `indent`.
void kl_small_draw(const kl_small_case *small, const kl_style *style, int indent, FILE *out);
