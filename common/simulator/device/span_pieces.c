// What spans come to: sums, the critical path, idle time and who is to blame for it.
#include "device/spans.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Times that differ by less are the same: sums of modelled times round.
static const double same_us = 1e-6;

static bool add_piece(sim_span_pieces *pieces, sim_span_piece piece) {
    if (piece.end_us - piece.begin_us < same_us) return true;
    if (!sim_reserve(&pieces->items, &pieces->capacity, pieces->count, sizeof piece)) return false;
    pieces->items[pieces->count++] = piece;
    return true;
}

// Those from index `from` on, which were found from the last to the first.
static void reverse(sim_span_pieces *pieces, uint32_t from) {
    for (uint32_t a = from, b = pieces->count; a + 1 < b; a++) {
        sim_span_piece piece = pieces->items[a];
        pieces->items[a] = pieces->items[--b];
        pieces->items[b] = piece;
    }
}

static sim_status no_memory(sim_span_pieces *pieces, kl_error *err) {
    free(pieces->items);
    *pieces = (sim_span_pieces){0};
    return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the pieces of a timeline");
}

// ---- when multiprocessors work ------------------------------------------------------------------

typedef struct busy_list {
    sim_span_piece *items; // [count], apart from each other and in order; span: the first of each
    uint32_t count;
} busy_list;

static int by_begin(const void *a, const void *b) {
    const sim_span_piece *x = a, *y = b;
    if (x->begin_us != y->begin_us) return x->begin_us < y->begin_us ? -1 : 1;
    return x->span < y->span ? -1 : x->span > y->span;
}

// Of one device or, -1, of any. kernels: of them alone; else also of copies and fills that the
// multiprocessors do. False: out of memory.
static bool find_busy(const sim_spans *spans, uint32_t first, int device, bool kernels,
                      busy_list *out_busy) {
    *out_busy = (busy_list){.items = malloc((spans->count - first + 1) * sizeof(sim_span_piece))};
    if (!out_busy->items) return false;
    uint32_t count = 0;
    for (uint32_t i = first; i < spans->count; i++) {
        const sim_span *span = &spans->items[i];
        if (span->unit != SIM_UNIT_SMS || (kernels && span->kind != SIM_SPAN_KERNEL) ||
            (device >= 0 && span->device != device))
            continue;
        out_busy->items[count++] =
            (sim_span_piece){.begin_us = span->begin_us, .end_us = span->end_us, .span = i + 1};
    }
    qsort(out_busy->items, count, sizeof *out_busy->items, by_begin);
    for (uint32_t i = 0; i < count; i++) {
        sim_span_piece *last = &out_busy->items[out_busy->count - 1];
        if (out_busy->count && out_busy->items[i].begin_us <= last->end_us + same_us)
            last->end_us = sim_larger(last->end_us, out_busy->items[i].end_us);
        else out_busy->items[out_busy->count++] = out_busy->items[i];
    }
    return true;
}

// How much of [begin, end) it is.
static double busy_between(const busy_list *busy, double begin, double end) {
    uint32_t low = 0, high = busy->count;
    double sum = 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (busy->items[middle].end_us <= begin) low = middle + 1;
        else high = middle;
    }
    for (; low < busy->count && busy->items[low].begin_us < end; low++)
        sum += fmin(end, busy->items[low].end_us) - fmax(begin, busy->items[low].begin_us);
    return sum;
}

// Devices that have done anything, a bit each.
static uint32_t devices_used(const sim_spans *spans, uint32_t first) {
    uint32_t used = 0;
    for (uint32_t i = first; i < spans->count; i++)
        if (spans->items[i].unit != SIM_UNIT_HOST) used |= 1u << spans->items[i].device;
    return used;
}

// ---- sums ---------------------------------------------------------------------------------------

static void count_copy(const sim_span *span, const busy_list *kernels, double *value) {
    static const sim_span_counter bytes[] = {
        [SIM_UNIT_TO_DEVICE] = SIM_SPAN_BYTES_TO_DEVICE,
        [SIM_UNIT_TO_HOST] = SIM_SPAN_BYTES_TO_HOST,
        [SIM_UNIT_TO_PEER] = SIM_SPAN_BYTES_TO_PEER,
    };
    const busy_list *beside =
        &kernels[span->unit == SIM_UNIT_TO_PEER ? SIM_MOST_DEVICES : span->device];
    double amount = (double)span->bytes;
    value[SIM_SPAN_COPIES]++;
    value[bytes[span->unit]] += amount;
    if (span->pageable) value[SIM_SPAN_BYTES_PAGEABLE] += amount;
    if (span->waited) value[SIM_SPAN_COPIES_WAITED]++;
    if (span->waited) value[SIM_SPAN_BYTES_WAITED] += amount;
    value[SIM_SPAN_COPY_US] += span->end_us - span->begin_us;
    value[SIM_SPAN_COPY_HIDDEN_US] += busy_between(beside, span->begin_us, span->end_us);
}

static void count_span(const sim_span *span, const busy_list *kernels, double *value) {
    if (sim_span_is_copy(span)) count_copy(span, kernels, value);
    switch (span->kind) {
    case SIM_SPAN_GRAPH: value[SIM_SPAN_GRAPH_LAUNCHES]++; break;
    case SIM_SPAN_WAIT: value[SIM_SPAN_HOST_SYNCS]++; break;
    case SIM_SPAN_KERNEL:
        value[span->in_graph ? SIM_SPAN_GRAPH_NODES : SIM_SPAN_HOST_LAUNCHES]++;
        break;
    case SIM_SPAN_COPY:
    case SIM_SPAN_FILL: value[SIM_SPAN_GRAPH_NODES] += span->in_graph; break;
    default: break;
    }
}

sim_status sim_spans_totals(const sim_spans *spans, uint32_t first, sim_span_totals *out_totals,
                            kl_error *err) {
    double *value = out_totals->value, begin, end;
    busy_list kernels[SIM_MOST_DEVICES + 1] = {{0}};
    bool enough = true;
    memset(out_totals, 0, sizeof *out_totals);
    if (first > spans->count) first = spans->count;
    uint32_t used = devices_used(spans, first);
    sim_spans_extent(spans, first, &begin, &end);
    for (int d = 0; d < SIM_MOST_DEVICES && enough; d++) {
        busy_list busy = {0};
        if (!(used >> d & 1)) continue;
        enough = find_busy(spans, first, d, true, &kernels[d]) &&
                 find_busy(spans, first, d, false, &busy);
        for (uint32_t i = 0; enough && i < busy.count; i++)
            value[SIM_SPAN_BUSY_US] += busy.items[i].end_us - busy.items[i].begin_us;
        value[SIM_SPAN_IDLE_US] += end - begin;
        free(busy.items);
    }
    enough = enough && find_busy(spans, first, -1, true, &kernels[SIM_MOST_DEVICES]);
    for (uint32_t i = first; enough && i < spans->count; i++)
        count_span(&spans->items[i], kernels, value);
    for (int d = 0; d <= SIM_MOST_DEVICES; d++) free(kernels[d].items);
    if (!enough) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a timeline's sums");
    value[SIM_SPAN_ELAPSED_US] = end - begin;
    value[SIM_SPAN_COPY_ALONE_US] = value[SIM_SPAN_COPY_US] - value[SIM_SPAN_COPY_HIDDEN_US];
    value[SIM_SPAN_IDLE_US] -= value[SIM_SPAN_BUSY_US];
    if (value[SIM_SPAN_COPY_US] > 0)
        value[SIM_SPAN_COPY_HIDDEN_PCT] =
            100 * value[SIM_SPAN_COPY_HIDDEN_US] / value[SIM_SPAN_COPY_US];
    return SIM_OK;
}

// ---- the critical path --------------------------------------------------------------------------

// What decided when the span began; NULL: nothing from index `first` on.
static const sim_span *before(const sim_spans *spans, uint32_t first, const sim_span *span) {
    return span->waits_for > first ? sim_span_at(spans, span->waits_for) : NULL;
}

static uint32_t number_of(const sim_spans *spans, const sim_span *span) {
    return (uint32_t)(span - spans->items) + 1;
}

// Its time is that of what it waits for.
static bool is_wait_for(const sim_span *span, const sim_span *pred) {
    return span->kind == SIM_SPAN_WAIT && pred && pred->unit != SIM_UNIT_HOST;
}

sim_status sim_spans_path(const sim_spans *spans, uint32_t first, sim_span_pieces *out_path,
                          kl_error *err) {
    const sim_span *span = NULL, *pred;
    bool enough = true;
    *out_path = (sim_span_pieces){0};
    for (uint32_t i = first; i < spans->count; i++)
        if (!span || spans->items[i].end_us >= span->end_us) span = &spans->items[i];
    double until = span ? span->end_us : 0;
    for (; span && enough; span = pred) {
        pred = before(spans, first, span);
        // Of a wait the end counts alone, after that of what is waited for.
        bool waits = is_wait_for(span, pred);
        double from = waits ? fmin(until, pred->end_us) : span->begin_us;
        enough = add_piece(out_path, (sim_span_piece){.begin_us = from,
                                                      .end_us = until,
                                                      .span = number_of(spans, span),
                                                      .device = span->device});
        until = fmin(until, from);
        if (pred && enough)
            enough =
                add_piece(out_path, (sim_span_piece){.begin_us = pred->end_us, .end_us = until});
        if (pred) until = fmin(until, pred->end_us);
    }
    if (!enough) return no_memory(out_path, err);
    reverse(out_path, 0);
    return SIM_OK;
}

// ---- idle time ----------------------------------------------------------------------------------

// A look back from work of a device over the time in which it had none, from `begin_us` on.
typedef struct look_back {
    const sim_spans *spans;
    uint32_t first, device, stream; // of that work
    double begin_us, until;         // what is left
    sim_span_pieces *out;
    uint32_t calls; // index of the first piece of `out` that is of calls which led to the work
    const sim_span *wait; // of the host for what comes next; NULL: it did not
} look_back;

static bool blame(look_back *look, double begin_us, sim_idle_reason reason, const sim_span *span) {
    sim_span_piece piece = {.begin_us = fmax(begin_us, look->begin_us),
                            .end_us = look->until,
                            .span = span ? number_of(look->spans, span) : 0,
                            .device = (uint8_t)look->device,
                            .reason = (uint8_t)reason};
    look->until = fmin(look->until, piece.begin_us);
    return add_piece(look->out, piece);
}

// Why the device had to wait while other work was going on.
static sim_idle_reason reason_of(const look_back *look, const sim_span *next,
                                 const sim_span *span) {
    bool is_copy = sim_span_is_copy(span);
    if (is_copy && span->pageable) return SIM_IDLE_PAGEABLE;
    if (next->cause == SIM_CAUSE_LEGACY) return SIM_IDLE_LEGACY;
    if (look->wait && span->stream != look->stream) return SIM_IDLE_NO_EVENT;
    if (is_copy) return SIM_IDLE_COPY;
    return span->device != look->device ? SIM_IDLE_PEER : SIM_IDLE_OTHER;
}

// The calls that led to the work came late because the host had waited, and so did the wait's own
// end, which follows that of what it waits for.
static bool blame_wait(look_back *look, const sim_span *wait, const sim_span *awaited) {
    sim_idle_reason reason = awaited->stream == look->stream ? SIM_IDLE_SYNC : SIM_IDLE_NO_EVENT;
    if (wait->cause == SIM_CAUSE_PAGEABLE) reason = SIM_IDLE_PAGEABLE;
    for (uint32_t i = look->calls; i < look->out->count; i++) {
        if (look->out->items[i].reason != SIM_IDLE_HOST) continue;
        look->out->items[i].reason = (uint8_t)reason;
        look->out->items[i].span = number_of(look->spans, wait);
    }
    look->wait = wait;
    return blame(look, fmin(look->until, awaited->end_us), reason, wait);
}

static bool look_at(look_back *look, const sim_span *next, const sim_span *span) {
    const sim_span *pred = before(look->spans, look->first, span);
    if (span->unit == SIM_UNIT_HOST) {
        if (!is_wait_for(span, pred)) return blame(look, span->begin_us, SIM_IDLE_HOST, span);
        return span->end_us < look->begin_us + same_us || blame_wait(look, span, pred);
    }
    const sim_span *guilty = span;
    sim_idle_reason reason = reason_of(look, next, span);
    if (reason == SIM_IDLE_LEGACY && next->stream == SIM_LEGACY_STREAM(next->device)) guilty = next;
    if (reason == SIM_IDLE_NO_EVENT) guilty = look->wait;
    bool enough = blame(look, span->begin_us, reason, guilty);
    look->calls = look->out->count;
    look->wait = NULL;
    return enough;
}

// Idle time before `span` began, or before it ended where it is the span itself that was waited
// for.
static bool look_back_from(look_back *look, const sim_span *span) {
    bool enough = true;
    look->calls = look->out->count;
    while (enough) {
        const sim_span *pred = before(look->spans, look->first, span);
        if (!pred) break;
        // A wait for what ended when the idle time began says why the calls behind it came late.
        if (look->until <= look->begin_us + same_us &&
            !(span->unit == SIM_UNIT_HOST && pred->end_us > look->begin_us - same_us))
            break;
        if (!is_wait_for(span, pred) && pred->end_us < look->until - same_us)
            enough = blame(look, pred->end_us, SIM_IDLE_OTHER, span);
        enough = enough && look_at(look, span, pred);
        span = pred;
    }
    return enough && blame(look, look->begin_us, SIM_IDLE_START, NULL);
}

// The copy of a device that ends last, behind `begin_us`; NULL: none.
static const sim_span *last_copy(const look_back *look) {
    const sim_span *found = NULL;
    for (uint32_t i = look->first; i < look->spans->count; i++) {
        const sim_span *span = &look->spans->items[i];
        if (sim_span_is_copy(span) && span->device == look->device &&
            span->end_us > look->begin_us + same_us && (!found || span->end_us > found->end_us))
            found = span;
    }
    return found;
}

// Behind a device's last work: copies that it still takes part in, and what led to them.
static bool look_at_end(look_back *look, bool worked) {
    const sim_span *copy = last_copy(look);
    if (!copy) return blame(look, look->begin_us, worked ? SIM_IDLE_END : SIM_IDLE_START, NULL);
    look->stream = copy->stream;
    bool enough =
        blame(look, copy->end_us, SIM_IDLE_END, NULL) &&
        blame(look, copy->begin_us, copy->pageable ? SIM_IDLE_PAGEABLE : SIM_IDLE_COPY, copy);
    return enough && look_back_from(look, copy);
}

// Calls before a device's first work keep it from nothing.
static void call_it_start(sim_span_pieces *pieces, uint32_t from) {
    for (uint32_t i = from; i < pieces->count; i++)
        if (pieces->items[i].reason == SIM_IDLE_HOST) pieces->items[i].reason = SIM_IDLE_START;
}

static bool find_idle(look_back *look, double end_us) {
    busy_list busy;
    bool enough = find_busy(look->spans, look->first, (int)look->device, false, &busy);
    for (uint32_t i = 0; enough && i <= busy.count; i++) {
        bool is_last = i == busy.count;
        uint32_t from = look->out->count;
        look->wait = NULL;
        look->until = is_last ? end_us : busy.items[i].begin_us;
        if (look->until > look->begin_us + same_us) {
            const sim_span *span = is_last ? NULL : sim_span_at(look->spans, busy.items[i].span);
            if (span) look->stream = span->stream;
            enough = span ? look_back_from(look, span) : look_at_end(look, busy.count > 0);
            if (i == 0) call_it_start(look->out, from);
            reverse(look->out, from);
        }
        if (!is_last) look->begin_us = busy.items[i].end_us;
    }
    free(busy.items);
    return enough;
}

sim_status sim_spans_idle(const sim_spans *spans, uint32_t first, sim_span_pieces *out_idle,
                          kl_error *err) {
    double begin, end;
    *out_idle = (sim_span_pieces){0};
    uint32_t used = devices_used(spans, first);
    sim_spans_extent(spans, first, &begin, &end);
    for (uint32_t d = 0; d < SIM_MOST_DEVICES; d++) {
        look_back look = {
            .spans = spans, .first = first, .device = d, .begin_us = begin, .out = out_idle};
        if ((used >> d & 1) && !find_idle(&look, end)) return no_memory(out_idle, err);
    }
    return SIM_OK;
}
