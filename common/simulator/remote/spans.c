// Spans of a program's time as bytes (internal.h).
#include "remote/internal.h"

enum { SPAN_BYTES = 8 + 8 + 8 + 4 + 4 + 4 + 8 + 4 };

void wire_put_spans(wire_writer *writer, const sim_spans *spans) {
    wire_put_u32(writer, spans->count);
    for (uint32_t i = 0; i < spans->count; i++) {
        const sim_span *span = &spans->items[i];
        wire_put_f64(writer, span->begin_us);
        wire_put_f64(writer, span->end_us);
        wire_put_u64(writer, span->bytes);
        wire_put_u32(writer, span->waits_for);
        wire_put_u32(writer, span->call);
        wire_put_u32(writer, span->stream);
        wire_put_u64(writer, sim_span_pack(span));
        wire_put_string(writer, span->text ? span->text : "");
    }
    wire_put_u32(writer, spans->lost);
}

static void get_span(wire_reader *reader, sim_spans *spans) {
    sim_span span = {.begin_us = wire_get_f64(reader)};
    char text[WIRE_POSTED_PAYLOAD];
    span.end_us = wire_get_f64(reader);
    span.bytes = wire_get_u64(reader);
    span.waits_for = wire_get_u32(reader);
    span.call = wire_get_u32(reader);
    span.stream = wire_get_u32(reader);
    bool known = sim_span_unpack(wire_get_u64(reader), &span);
    wire_get_text(reader, text, sizeof text);
    if (reader->bad || !known || sim_spans_add(spans, &span, text, NULL) != SIM_OK)
        reader->bad = true;
}

void wire_get_spans(wire_reader *reader, sim_spans *out_spans) {
    uint32_t count = wire_get_count(reader, SIM_SPANS_MOST);
    if (count > (reader->bytes - reader->at) / SPAN_BYTES) reader->bad = true;
    for (uint32_t i = 0; i < count && !reader->bad; i++) get_span(reader, out_spans);
    out_spans->lost = wire_get_u32(reader);
    if (reader->bad) sim_spans_free(out_spans);
}
