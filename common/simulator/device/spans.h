// What happened when in a program: spans of time on the runtime's virtual clock, each with what
// decided its begin, and what they come to: the critical path, time that copies are hidden, time
// that a device is idle. Plain data; the runtime's clock makes spans (runtime/base/clock.c), an
// engine keeps them. Knows nothing of CUDA's API.
#pragma once

#include "base/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What a span is: rows of spans.def.
typedef enum sim_span_kind {
#define SIM_SPAN_KIND(id, word) SIM_SPAN_##id,
#include "device/spans.def"
#undef SIM_SPAN_KIND
    SIM_SPAN_KINDS
} sim_span_kind;

// What it occupies, likewise.
typedef enum sim_span_unit {
#define SIM_SPAN_UNIT(id, word) SIM_UNIT_##id,
#include "device/spans.def"
#undef SIM_SPAN_UNIT
    SIM_SPAN_UNITS
} sim_span_unit;

// Why it did not begin sooner, likewise.
typedef enum sim_span_cause {
#define SIM_SPAN_CAUSE(id, text) SIM_CAUSE_##id,
#include "device/spans.def"
#undef SIM_SPAN_CAUSE
    SIM_SPAN_CAUSES
} sim_span_cause;

// Why multiprocessors do nothing, likewise.
typedef enum sim_idle_reason {
#define SIM_IDLE_REASON(id, word, text) SIM_IDLE_##id,
#include "device/spans.def"
#undef SIM_IDLE_REASON
    SIM_IDLE_REASONS
} sim_idle_reason;

// Sums over a run, likewise.
typedef enum sim_span_counter {
#define SIM_SPAN_COUNTER(id, name, text) SIM_SPAN_##id,
#include "device/spans.def"
#undef SIM_SPAN_COUNTER
    SIM_SPAN_COUNTERS,
    SIM_SPAN_SUMS = SIM_SPAN_COPY_HIDDEN_PCT // of them, the first ones
} sim_span_counter;

const char *sim_span_kind_word(sim_span_kind kind);          // "copy"
const char *sim_span_unit_word(sim_span_unit unit);          // "copies in"
const char *sim_span_cause_text(sim_span_cause cause);       // a clause
const char *sim_idle_reason_word(sim_idle_reason reason);    // "pageable"
const char *sim_idle_reason_text(sim_idle_reason reason);    // a clause
const char *sim_span_counter_name(sim_span_counter counter); // "sim__copies.sum"
// The counter with this name; SIM_SPAN_COUNTERS when there is none.
sim_span_counter sim_span_counter_find(const char *name);

// The number of a device's legacy default stream; no other stream has one of the first eight.
#define SIM_LEGACY_STREAM(device) (1 + (uint32_t)(device))

// A span. Its number is its place in the list, from 1 on; what it waits for has a smaller one.
typedef struct sim_span {
    double begin_us, end_us;   // on the virtual clock
    uint64_t bytes;            // of a copy or fill
    uint32_t waits_for;        // span that decided when it began, of a wait: ended; 0: none
    uint32_t call;             // of the host, by which it came: of work of a device; 0: not known
    uint32_t stream;           // SIM_LEGACY_STREAM, or as cudaStreamGetId has it; 0: of none
    uint8_t kind, unit, cause; // sim_span_kind, sim_span_unit, sim_span_cause
    uint8_t device;            // of the unit
    uint8_t thread;            // of the host, from 0 on
    bool in_graph;             // it is the work of a node
    bool pageable;             // a copy whose host side is pageable memory
    bool waited;               // a copy whose call waits for its end
    char *text; // the call's or kernel's name (mangled); behind a line feed, of a call, the places
                // in the program's code (runtime_caller_places). NULL: nothing is known
} sim_span;

enum { SIM_SPANS_MOST = 1 << 18, SIM_SPANS_TEXT_MOST = 64 << 20 };

// All zeros: empty.
typedef struct sim_spans {
    sim_span *items;          // [count]
    uint32_t count, capacity; // that there are, and for which there is memory
    uint32_t lost;            // that came when the list was full
    uint64_t text_bytes;      // of all texts
} sim_spans;

// Adds a copy, with a copy of `text` (may be NULL or ""). One that names spans that are not there,
// or whose times are no times, is refused: SIM_INVALID_VALUE. A full list counts it as lost.
sim_status sim_spans_add(sim_spans *spans, const sim_span *span, const char *text, kl_error *err);
void sim_spans_free(sim_spans *spans);

// The members behind `stream` but `text` in one number, and back; false for one that is none.
uint64_t sim_span_pack(const sim_span *span);
bool sim_span_unpack(uint64_t packed, sim_span *out_span);

static inline const sim_span *sim_span_at(const sim_spans *spans, uint32_t number) {
    return number > 0 && number <= spans->count ? &spans->items[number - 1] : NULL;
}

static inline bool sim_span_is_copy(const sim_span *span) {
    return span->kind == SIM_SPAN_COPY && span->unit >= SIM_UNIT_TO_DEVICE &&
           span->unit <= SIM_UNIT_TO_PEER;
}

// ---- what they come to --------------------------------------------------------------------------
// All of it is of the spans from index `first` on.

// Sums over a run.
typedef struct sim_span_totals {
    double value[SIM_SPAN_COUNTERS]; // in the unit that the counter's name says
} sim_span_totals;

// SIM_OUT_OF_MEMORY.
sim_status sim_spans_totals(const sim_spans *spans, uint32_t first, sim_span_totals *out_totals,
                            kl_error *err);

// A part of the time, and the span that it belongs to.
typedef struct sim_span_piece {
    double begin_us, end_us; // on the virtual clock
    uint32_t span;           // 0: nothing happened
    uint8_t device;          // that it is about
    uint8_t reason;          // sim_idle_reason, of idle time
} sim_span_piece;

// A list of them.
typedef struct sim_span_pieces {
    sim_span_piece *items;    // [count], for free()
    uint32_t count, capacity; // that there are, and for which there is memory
} sim_span_pieces;

// The chain of spans that decides when the last one ends, from the first on: each piece waits for
// the one before. SIM_OUT_OF_MEMORY, then the list is empty.
sim_status sim_spans_path(const sim_spans *spans, uint32_t first, sim_span_pieces *out_path,
                          kl_error *err);
// Time in which the multiprocessors of a device that the program uses do nothing, by device and in
// time order, with the span that is to blame: that the device waits for, or the host's call.
// Likewise.
sim_status sim_spans_idle(const sim_spans *spans, uint32_t first, sim_span_pieces *out_idle,
                          kl_error *err);
// Begin of the first and end of the last one.
void sim_spans_extent(const sim_spans *spans, uint32_t first, double *out_begin, double *out_end);
