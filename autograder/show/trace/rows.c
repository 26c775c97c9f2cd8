// Rows on the axis of time. See trace.h.
#include "show/trace/trace.h"
#include <stdlib.h>
#include <string.h>

// What cudaStreamGetId says of the first stream that a program creates, here (state/state.c) as on
// a card.
enum { FIRST_STREAM = 13 };

bool ladder_trace_is_in(const ladder_trace_row *row, const sim_span *span) {
    if (row->unit == SIM_UNIT_HOST) return span->unit == row->unit && span->thread == row->number;
    if (row->unit == SIM_UNIT_NONE)
        return span->unit != SIM_UNIT_HOST && span->stream == row->number;
    return span->unit == row->unit && span->device == row->device;
}

static bool has_row(const ladder_trace_rows *rows, const sim_span *span, bool of_stream) {
    for (int i = 0; i < rows->count; i++)
        if ((rows->rows[i].unit == SIM_UNIT_NONE) == of_stream &&
            ladder_trace_is_in(&rows->rows[i], span))
            return true;
    return false;
}

// One row for each stream, thread or unit that there is work of, in the order in which it began;
// `unit` SIM_UNIT_NONE: streams.
static void add_rows(const ladder_trace *trace, sim_span_unit unit, int device,
                     ladder_trace_rows *rows) {
    bool of_stream = unit == SIM_UNIT_NONE;
    for (uint32_t i = trace->first; i < trace->spans.count; i++) {
        const sim_span *span = &trace->spans.items[i];
        bool wanted = of_stream ? span->unit != SIM_UNIT_HOST
                                : span->unit == unit && (device < 0 || span->device == device);
        if (!wanted || has_row(rows, span, of_stream)) continue;
        if (rows->count == LADDER_TRACE_ROWS) {
            rows->left_out++;
            continue;
        }
        ladder_trace_row *row = &rows->rows[rows->count++];
        *row = (ladder_trace_row){.unit = unit, .device = span->device};
        // A peer copy is done by the engine of the device that it comes from.
        for (uint32_t k = i; of_stream && k < trace->spans.count; k++) {
            const sim_span *own = &trace->spans.items[k];
            if (own->stream != span->stream || own->unit == SIM_UNIT_HOST ||
                own->unit == SIM_UNIT_TO_PEER)
                continue;
            row->device = own->device;
            break;
        }
        row->number = unit == SIM_UNIT_HOST ? span->thread : span->stream;
    }
}

// A device that ran no kernel is told of, too (idle_sums).
static void add_idle(const ladder_trace *trace, ladder_trace_rows *rows) {
    for (uint32_t i = 0; trace->device_count > 1 && i < trace->idle_count; i++) {
        const sim_span idle = {.unit = SIM_UNIT_SMS, .device = trace->idle_sums[i].device};
        if (!has_row(rows, &idle, false) && rows->count < LADDER_TRACE_ROWS)
            rows->rows[rows->count++] =
                (ladder_trace_row){.unit = SIM_UNIT_SMS, .device = idle.device};
    }
}

static void name_row(const ladder_trace *trace, ladder_trace_row *row) {
    char which[16] = "";
    if (row->unit == SIM_UNIT_HOST) {
        if (row->number) snprintf(which, sizeof which, " %u", row->number + 1);
        snprintf(row->label, sizeof row->label, "host%s", which);
        return;
    }
    bool is_default = row->unit == SIM_UNIT_NONE && row->number <= SIM_MOST_DEVICES;
    unsigned device = is_default ? row->number - SIM_LEGACY_STREAM(0) : row->device;
    if (trace->device_count > 1) snprintf(which, sizeof which, " %u", device);
    if (row->unit != SIM_UNIT_NONE)
        snprintf(row->label, sizeof row->label, "%s%s", sim_span_unit_word(row->unit), which);
    else if (is_default) snprintf(row->label, sizeof row->label, "default%s", which);
    else if (row->number >= FIRST_STREAM)
        snprintf(row->label, sizeof row->label, "stream %u", row->number - FIRST_STREAM + 1);
    else snprintf(row->label, sizeof row->label, "stream id %u", row->number);
}

// The default streams first, then the others as the program has created them.
static int by_creation(const void *a, const void *b) {
    const ladder_trace_row *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

void ladder_trace_rows_make(const ladder_trace *trace, bool multiprocessors,
                            ladder_trace_rows *out_rows) {
    memset(out_rows, 0, sizeof *out_rows);
    add_rows(trace, SIM_UNIT_HOST, -1, out_rows);
    int streams = out_rows->count;
    add_rows(trace, SIM_UNIT_NONE, -1, out_rows);
    qsort(out_rows->rows + streams, (size_t)(out_rows->count - streams), sizeof *out_rows->rows,
          by_creation);
    for (int device = 0; device < SIM_MOST_DEVICES; device++)
        for (int unit = SIM_UNIT_TO_DEVICE; unit <= SIM_UNIT_TO_PEER; unit++)
            add_rows(trace, (sim_span_unit)unit, device, out_rows);
    for (int device = 0; multiprocessors && device < SIM_MOST_DEVICES; device++)
        add_rows(trace, SIM_UNIT_SMS, device, out_rows);
    if (multiprocessors) add_idle(trace, out_rows);
    for (int i = 0; i < out_rows->count; i++) name_row(trace, &out_rows->rows[i]);
}
