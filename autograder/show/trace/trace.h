// What happened when in a program (device/spans.h), told to people: rows on one axis of time, the
// critical path, copies that are hidden, idle time with its reason; as text, as the Trace Event
// format, and as a page. What a program may have influenced (names, places) is escaped.
#pragma once

#include "advice.h"
#include "device/spans.h"
#include "grade/rubric/rubric.h"
#include "table.h"
#include "utilities/kit.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// ---- trace.c ------------------------------------------------------------------------------------

enum { LADDER_TRACE_TEXT = 256 };

// A place in the program's code, found when somebody asks.
typedef struct ladder_trace_place {
    const char *code;             // as the runtime has it; the spans' text
    char line[LADDER_TRACE_TEXT]; // "pipeline.cu:31"; "": it is not known
} ladder_trace_place;

// Idle time of one device for one reason at one place of the program.
typedef struct ladder_trace_idle {
    uint8_t device;            // whose
    sim_idle_reason reason;    // why
    uint32_t span;             // one that is to blame; 0: none is
    uint32_t times;            // calls that are to blame
    double us;                 // of all of them
    const sim_span *last_call; // of these
} ladder_trace_idle;

// What a program did, and what that comes to.
typedef struct ladder_trace {
    char device_name[128]; // that was simulated, or measured
    bool is_measured;      // on a GPU: what waits for what is not known
    uint32_t device_count; // that the program has used
    sim_spans spans;       // in the order in which they were asked for
    uint32_t first;        // index of the first that is looked at: of a lab's step that of its call
    double begin_us, end_us;      // of these
    sim_span_totals totals;       // of these
    sim_span_pieces path, idle;   // of these
    ladder_trace_idle *idle_sums; // [idle_count], by device, the longest first
    uint32_t idle_count;          // of idle_sums
    ladder_trace_place *places;   // [place_count]
    uint32_t place_count;         // of places
    char fault[KL_ERROR_TEXT];    // of the kernel with which the program's work ended; "": none
} ladder_trace;

// Runs a program on the simulator and takes what it did when. The program's own exit status, or 128
// and the signal that ended it, goes to *out_exit; what it did until then is there. foreground: its
// output goes to the terminal. Free with ladder_trace_free, also after a failure.
kl_status ladder_trace_program(const ladder_kit *kit, char *const *argv, bool foreground,
                               ladder_trace *out_trace, int *out_exit, kl_error *err);
// One call of a step that has been built.
kl_status ladder_trace_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                            const char *size, const char *family, ladder_trace *out_trace,
                            kl_error *err);
// What spans come to, those from `first` on; takes them over.
kl_status ladder_trace_make(sim_spans *spans, uint32_t first, ladder_trace *out_trace,
                            kl_error *err);
void ladder_trace_free(ladder_trace *trace);

// The name of a span for people: "scale", "copy in of 4 MiB", "launch of scale", "cudaFree()".
// Returns `text`.
const char *ladder_trace_name(const ladder_trace *trace, const sim_span *span, char *text,
                              size_t text_bytes);
// The program's line at which the span, or the call by which it came, stands: "pipeline.cu:31"; "".
const char *ladder_trace_line(const ladder_trace *trace, const sim_span *span);
// The call by which the span came, or it itself: "cudaMemcpyAsync() at pipeline.cu:31".
const char *ladder_trace_call(const ladder_trace *trace, const sim_span *span, char *text,
                              size_t text_bytes);
// What would change idle time: KL_ADVICE_COUNT where nothing certain can be said.
kl_advice ladder_trace_advice(const ladder_trace *trace, const ladder_trace_idle *idle);

// ---- measured.c ---------------------------------------------------------------------------------

// Runs the program on this machine's GPU, called `gpu`, and takes what CUPTI tells of it; its
// output is shown only when it fails. Of a lab's step it is the third call. Comes before the
// program runs on the simulator, whose runtime is first in the environment from then on.
// KL_ERROR_SYSTEM where the toolkit has no CUPTI, or CUPTI does not record. Free with
// ladder_trace_free, also after a failure.
kl_status ladder_trace_measure(const ladder_kit *kit, const char *const *argv, const char *gpu,
                               ladder_trace *out_trace, kl_error *err);
// The same of what the recorder wrote (common/gpu/timeline_recorder.c); changes `text`.
kl_status ladder_trace_read_measured(char *text, ladder_trace *out_trace, kl_error *err);

// ---- rows ---------------------------------------------------------------------------------------
// Rows on the axis of time: threads of the host, streams, and of each device copy engines and
// multiprocessors.

// A row.
typedef struct ladder_trace_row {
    char label[32];     // its name
    sim_span_unit unit; // SIM_UNIT_NONE: of a stream
    uint8_t device;     // of it
    uint32_t number;    // of the stream, or of the host's thread
} ladder_trace_row;

enum { LADDER_TRACE_ROWS = 64 };

// All rows, from above.
typedef struct ladder_trace_rows {
    ladder_trace_row rows[LADDER_TRACE_ROWS]; // [count]
    int count;                                // of rows
    int left_out;                             // streams beyond the most
} ladder_trace_rows;

// multiprocessors: with rows of them, where work of several streams lies on each other.
void ladder_trace_rows_make(const ladder_trace *trace, bool multiprocessors,
                            ladder_trace_rows *out_rows);
bool ladder_trace_is_in(const ladder_trace_row *row, const sim_span *span);

// ---- text.c -------------------------------------------------------------------------------------

// Fits the style's width. measured: the same on a GPU, shown behind it; NULL: nothing is.
void ladder_trace_print(const ladder_trace *trace, const ladder_trace *measured,
                        const kl_style *style, FILE *out);

// ---- json.c -------------------------------------------------------------------------------------

// In the Trace Event format, for Perfetto and chrome://tracing: times in microseconds.
// measured: the same on a GPU, as further processes; NULL: none.
kl_status ladder_trace_json(const ladder_trace *trace, const ladder_trace *measured,
                            const char *title, FILE *out, kl_error *err);

// ---- page.c -------------------------------------------------------------------------------------

// A page that loads nothing. measured: as of ladder_trace_print.
kl_status ladder_trace_page(const ladder_trace *trace, const ladder_trace *measured,
                            const char *title, FILE *out, kl_error *err);
