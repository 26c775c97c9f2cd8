// The list of spans, and words for what is in it.
#include "device/spans.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_WORDS(name, type, list, most)                                                         \
    const char *name(type value) { return (unsigned)value < most ? list[value] : "?"; }

static const char *const span_kinds[] = {
#define SIM_SPAN_KIND(id, word) word,
#include "device/spans.def"
};
static const char *const span_units[] = {
#define SIM_SPAN_UNIT(id, word) word,
#include "device/spans.def"
};
static const char *const span_causes[] = {
#define SIM_SPAN_CAUSE(id, text) text,
#include "device/spans.def"
};
static const char *const idle_words[] = {
#define SIM_IDLE_REASON(id, word, text) word,
#include "device/spans.def"
};
static const char *const idle_texts[] = {
#define SIM_IDLE_REASON(id, word, text) text,
#include "device/spans.def"
};
static const char *const span_counter_names[] = {
#define SIM_SPAN_COUNTER(id, name, text) name,
#include "device/spans.def"
};

SPAN_WORDS(sim_span_kind_word, sim_span_kind, span_kinds, SIM_SPAN_KINDS)
SPAN_WORDS(sim_span_unit_word, sim_span_unit, span_units, SIM_SPAN_UNITS)
SPAN_WORDS(sim_span_cause_text, sim_span_cause, span_causes, SIM_SPAN_CAUSES)
SPAN_WORDS(sim_idle_reason_word, sim_idle_reason, idle_words, SIM_IDLE_REASONS)
SPAN_WORDS(sim_idle_reason_text, sim_idle_reason, idle_texts, SIM_IDLE_REASONS)
SPAN_WORDS(sim_span_counter_name, sim_span_counter, span_counter_names, SIM_SPAN_COUNTERS)

sim_span_counter sim_span_counter_find(const char *name) {
    int counter = 0;
    while (counter < SIM_SPAN_COUNTERS && strcmp(span_counter_names[counter], name) != 0) counter++;
    return (sim_span_counter)counter;
}

uint64_t sim_span_pack(const sim_span *span) {
    return span->kind | (uint64_t)span->unit << 8 | (uint64_t)span->cause << 16 |
           (uint64_t)span->device << 24 | (uint64_t)span->thread << 32 |
           (uint64_t)span->in_graph << 40 | (uint64_t)span->pageable << 41 |
           (uint64_t)span->waited << 42;
}

bool sim_span_unpack(uint64_t packed, sim_span *out_span) {
    out_span->kind = (uint8_t)packed;
    out_span->unit = (uint8_t)(packed >> 8);
    out_span->cause = (uint8_t)(packed >> 16);
    out_span->device = (uint8_t)(packed >> 24);
    out_span->thread = (uint8_t)(packed >> 32);
    out_span->in_graph = packed >> 40 & 1;
    out_span->pageable = packed >> 41 & 1;
    out_span->waited = packed >> 42 & 1;
    return packed >> 43 == 0 && out_span->kind < SIM_SPAN_KINDS &&
           out_span->unit < SIM_SPAN_UNITS && out_span->cause < SIM_SPAN_CAUSES &&
           out_span->device < SIM_MOST_DEVICES;
}

static bool is_span(const sim_spans *spans, const sim_span *span) {
    return isfinite(span->begin_us) && isfinite(span->end_us) && span->begin_us >= 0 &&
           span->end_us >= span->begin_us && span->waits_for <= spans->count &&
           span->call <= spans->count;
}

sim_status sim_spans_add(sim_spans *spans, const sim_span *span, const char *text, kl_error *err) {
    size_t bytes = text && *text ? strlen(text) + 1 : 0;
    if (spans->lost || spans->count == SIM_SPANS_MOST ||
        spans->text_bytes + bytes > SIM_SPANS_TEXT_MOST) {
        spans->lost++;
        return SIM_OK;
    }
    if (!is_span(spans, span)) return sim_fail(err, SIM_INVALID_VALUE, "a span of no time");
    char *copy = bytes ? malloc(bytes) : NULL;
    if ((bytes && !copy) ||
        !sim_reserve(&spans->items, &spans->capacity, spans->count, sizeof *span)) {
        free(copy);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a span");
    }
    if (copy) memcpy(copy, text, bytes);
    spans->text_bytes += bytes;
    spans->items[spans->count] = *span;
    spans->items[spans->count++].text = copy;
    return SIM_OK;
}

void sim_spans_free(sim_spans *spans) {
    for (uint32_t i = 0; i < spans->count; i++) free(spans->items[i].text);
    free(spans->items);
    *spans = (sim_spans){0};
}

void sim_spans_extent(const sim_spans *spans, uint32_t first, double *out_begin, double *out_end) {
    *out_begin = *out_end = 0;
    for (uint32_t i = first; i < spans->count; i++) {
        const sim_span *span = &spans->items[i];
        if (i == first || span->begin_us < *out_begin) *out_begin = span->begin_us;
        if (i == first || span->end_us > *out_end) *out_end = span->end_us;
    }
}
