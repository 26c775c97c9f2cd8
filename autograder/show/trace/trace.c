// Takes what a program did when from the simulator's engine. See trace.h.
#include "show/trace/trace.h"
#include "show/findings/findings.h"
#include "show/profile/profile.h"

// ---- what spans come to -------------------------------------------------------------------------

static const char *places_of(const sim_span *span) {
    const char *end = span && span->text ? strchr(span->text, '\n') : NULL;
    return end ? end + 1 : "";
}

// The call by which work of a device came; of a call itself.
static const sim_span *call_of(const ladder_trace *trace, const sim_span *span) {
    return span && span->unit != SIM_UNIT_HOST ? sim_span_at(&trace->spans, span->call) : span;
}

// The same for the wait of a copy's call, which is a span of its own.
static const sim_span *called_by(const ladder_trace *trace, const sim_span *span) {
    const sim_span *call = call_of(trace, span);
    const sim_span *waited =
        call && call->kind == SIM_SPAN_WAIT ? sim_span_at(&trace->spans, call->waits_for) : NULL;
    const sim_span *begun = waited ? call_of(trace, waited) : NULL;
    bool same = begun && begun->text && call->text && strcmp(begun->text, call->text) == 0;
    return same ? begun : call;
}

static int by_code(const void *a, const void *b) {
    const ladder_trace_place *x = a, *y = b;
    return strcmp(x->code, y->code);
}

// Different places in the program's code, in order.
static kl_status list_places(ladder_trace *trace, kl_error *err) {
    trace->places = calloc(trace->spans.count + 1, sizeof *trace->places);
    if (!trace->places) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a timeline");
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < trace->spans.count; i++) {
        const char *code = places_of(&trace->spans.items[i]);
        if (*code) trace->places[count++].code = code;
    }
    qsort(trace->places, count, sizeof *trace->places, by_code);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || by_code(&trace->places[i], &trace->places[i - 1]) != 0)
            trace->places[kept++] = trace->places[i];
    trace->place_count = kept;
    return KL_OK;
}

// A few of them are told; a program such as addr2line is asked for each.
static void find_lines(ladder_trace *trace) {
    enum { MOST = 200 };
    for (uint32_t i = 0; i < trace->place_count && i < MOST; i++) {
        ladder_trace_place *place = &trace->places[i];
        sim_check_side side = {.call = "call"};
        snprintf(side.file, sizeof side.file, "%s", place->code);
        ladder_host_call(&side);
        if (side.line)
            snprintf(place->line, sizeof place->line, "%.200s:%u", basename(side.file), side.line);
    }
}

static int by_device_and_time(const void *a, const void *b) {
    const ladder_trace_idle *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return x->us > y->us ? -1 : x->us < y->us;
}

// The same place and name: calls in a loop.
static bool is_alike(const ladder_trace *trace, uint32_t a, uint32_t b) {
    const sim_span *x = call_of(trace, sim_span_at(&trace->spans, a)),
                   *y = call_of(trace, sim_span_at(&trace->spans, b));
    if (!x || !y || !x->text || !y->text) return x == y;
    size_t name = strcspn(x->text, "\n");
    const char *line = ladder_trace_line(trace, x);
    return *line ? strncmp(x->text, y->text, name + 1) == 0 &&
                       strcmp(line, ladder_trace_line(trace, y)) == 0
                 : strcmp(x->text, y->text) == 0;
}

static kl_status sum_idle(ladder_trace *trace, kl_error *err) {
    trace->idle_sums = calloc(trace->idle.count + 1, sizeof *trace->idle_sums);
    if (!trace->idle_sums) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a timeline");
    for (uint32_t i = 0; i < trace->idle.count; i++) {
        const sim_span_piece *piece = &trace->idle.items[i];
        uint32_t at = 0;
        for (; at < trace->idle_count; at++) {
            const ladder_trace_idle *sum = &trace->idle_sums[at];
            if (sum->device == piece->device && sum->reason == piece->reason &&
                is_alike(trace, sum->span, piece->span))
                break;
        }
        ladder_trace_idle *sum = &trace->idle_sums[at];
        if (at == trace->idle_count) {
            *sum = (ladder_trace_idle){.device = piece->device,
                                       .reason = (sim_idle_reason)piece->reason,
                                       .span = piece->span};
            trace->idle_count++;
        }
        // One copy, and the wait for it, may be to blame for several pieces.
        const sim_span *call = called_by(trace, sim_span_at(&trace->spans, piece->span));
        sum->times += sum->times == 0 || !call || call != sum->last_call;
        sum->last_call = call;
        sum->us += piece->end_us - piece->begin_us;
    }
    qsort(trace->idle_sums, trace->idle_count, sizeof *trace->idle_sums, by_device_and_time);
    return KL_OK;
}

kl_status ladder_trace_make(sim_spans *spans, uint32_t first, ladder_trace *out_trace,
                            kl_error *err) {
    ladder_trace *t = out_trace;
    bool used[SIM_MOST_DEVICES] = {false};
    t->spans = *spans;
    *spans = (sim_spans){0};
    t->first = first < t->spans.count ? first : t->spans.count;
    sim_spans_extent(&t->spans, t->first, &t->begin_us, &t->end_us);
    for (uint32_t i = t->first; i < t->spans.count; i++)
        if (t->spans.items[i].unit != SIM_UNIT_HOST) used[t->spans.items[i].device] = true;
    for (int d = 0; d < SIM_MOST_DEVICES; d++) t->device_count += used[d];
    if (sim_spans_totals(&t->spans, t->first, &t->totals, err) != SIM_OK ||
        sim_spans_path(&t->spans, t->first, &t->path, err) != SIM_OK ||
        sim_spans_idle(&t->spans, t->first, &t->idle, err) != SIM_OK)
        return kl_fail_from(err, KL_ERROR_MEMORY, "no timeline");
    TRY(list_places(t, err));
    find_lines(t);
    return sum_idle(t, err);
}

void ladder_trace_free(ladder_trace *trace) {
    sim_spans_free(&trace->spans);
    free(trace->path.items);
    free(trace->idle.items);
    free(trace->idle_sums);
    free(trace->places);
    memset(trace, 0, sizeof *trace);
}

// ---- running a program --------------------------------------------------------------------------

// Of the launch that came last: after a fault the device does nothing more.
static void take_fault(sim_engine *control, ladder_trace *trace) {
    uint32_t count = 0;
    sim_launch_report *report = NULL;
    kl_error ignored;
    if (sim_launch_count(control, &count, &ignored) != SIM_OK || count == 0 ||
        sim_launch_report_get(control, count - 1, &report, &ignored) != SIM_OK)
        return;
    if (report->fault.kind != SIM_OK)
        snprintf(trace->fault, sizeof trace->fault, "%s", report->fault.text);
    sim_launch_report_free(report);
}

static kl_status take_trace(void *context, sim_engine *control, const kl_record *once,
                            kl_error *err) {
    ladder_trace *trace = context;
    sim_spans spans;
    uint32_t first;
    TRY(ladder_spans_take(control, once, &spans, &first, err));
    snprintf(trace->device_name, sizeof trace->device_name, "%s", sim_engine_device(control)->name);
    take_fault(control, trace);
    return ladder_trace_make(&spans, first, trace, err);
}

kl_status ladder_trace_program(const ladder_kit *kit, char *const *argv, bool foreground,
                               ladder_trace *out_trace, int *out_exit, kl_error *err) {
    const ladder_engine_options options = {.answer_s = 120, .records = !foreground};
    memset(out_trace, 0, sizeof *out_trace);
    return ladder_program_run(kit, argv, foreground, &options, "places", take_trace, out_trace,
                              out_exit, err);
}

kl_status ladder_trace_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                            const char *size, const char *family, ladder_trace *out_trace,
                            kl_error *err) {
    char program[LADDER_PATH];
    int code = 0;
    memset(out_trace, 0, sizeof *out_trace);
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_program_args args;
    ladder_profile_args(&args, program, "sim", step, solution, size, family);
    TRY(ladder_trace_program(kit, args.argv, false, out_trace, &code, err));
    if (code != 0 && !out_trace->fault[0]) return ladder_profile_fail(kit, lab, step, err);
    return KL_OK;
}

// ---- names --------------------------------------------------------------------------------------

// A kernel's name without its parameters.
static const char *kernel_name(const sim_span *span, char *text, size_t bytes) {
    char clean[LADDER_TRACE_TEXT];
    ladder_demangle(span->text ? span->text : "kernel", clean, sizeof clean);
    clean[strcspn(clean, "(")] = '\0';
    return ladder_plain(strncmp(clean, "void ", 5) == 0 ? clean + 5 : clean, false, text, bytes);
}

// "4 MiB", "100 bytes".
static const char *format_bytes(uint64_t bytes, char *text, size_t text_bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++) value /= 1024;
    bool whole = value == floor(value);
    snprintf(text, text_bytes, whole ? "%.0f %s" : "%.3g %s", value, units[unit]);
    return text;
}

// What a call did, where that says more than its name.
static const sim_span *launched_by(const ladder_trace *trace, const sim_span *call) {
    enum { NEAR = 64 }; // on a GPU other work begins between a call and its kernel
    uint32_t number = (uint32_t)(call - trace->spans.items) + 1;
    for (uint32_t i = 1; call->kind == SIM_SPAN_CALL && i <= NEAR; i++) {
        const sim_span *next = sim_span_at(&trace->spans, number + i);
        if (!next || (!trace->is_measured && next->call != number)) break;
        if (next->kind == SIM_SPAN_KERNEL && next->call == number) return next;
    }
    return NULL;
}

const char *ladder_trace_name(const ladder_trace *trace, const sim_span *span, char *text,
                              size_t text_bytes) {
    static const char *const copies[] = {
        [SIM_UNIT_SMS] = "copy on the device",
        [SIM_UNIT_TO_DEVICE] = "copy in",
        [SIM_UNIT_TO_HOST] = "copy out",
        [SIM_UNIT_TO_PEER] = "peer copy",
    };
    char name[LADDER_TRACE_TEXT], amount[32];
    const sim_span *launched = span->unit == SIM_UNIT_HOST ? launched_by(trace, span) : NULL;
    switch (span->kind) {
    case SIM_SPAN_KERNEL: return kernel_name(span, text, text_bytes);
    case SIM_SPAN_EVENT: snprintf(text, text_bytes, "event"); return text;
    case SIM_SPAN_COPY:
    case SIM_SPAN_FILL:
        snprintf(text, text_bytes, "%s of %s",
                 span->kind == SIM_SPAN_FILL      ? "fill"
                 : span->unit <= SIM_UNIT_TO_PEER ? copies[span->unit]
                                                  : "copy",
                 format_bytes(span->bytes, amount, sizeof amount));
        return text;
    default: break;
    }
    if (launched) {
        snprintf(text, text_bytes, "launch of %s", kernel_name(launched, name, sizeof name));
        return text;
    }
    size_t length = span->text ? strcspn(span->text, "\n") : 0;
    snprintf(name, sizeof name, "%.*s", (int)(length < 64 ? length : 64),
             span->text ? span->text : "");
    ladder_plain(name, false, amount, sizeof amount);
    snprintf(text, text_bytes, "%s()%s", amount, span->kind == SIM_SPAN_WAIT ? " waits" : "");
    return text;
}

const char *ladder_trace_line(const ladder_trace *trace, const sim_span *span) {
    const ladder_trace_place wanted = {.code = places_of(call_of(trace, span))};
    const ladder_trace_place *found =
        bsearch(&wanted, trace->places, trace->place_count, sizeof *trace->places, by_code);
    return found ? found->line : "";
}

const char *ladder_trace_call(const ladder_trace *trace, const sim_span *span, char *text,
                              size_t text_bytes) {
    const sim_span *call = call_of(trace, span);
    char name[LADDER_TRACE_TEXT];
    text[0] = '\0';
    if (!call) return text;
    const char *line = ladder_trace_line(trace, call);
    ladder_trace_name(trace, call, name, sizeof name);
    if (call->kind == SIM_SPAN_WAIT) name[strlen(name) - strlen(" waits")] = '\0';
    snprintf(text, text_bytes, "%s%s%s", name, *line ? " at " : "", line);
    return text;
}

// ---- advice -------------------------------------------------------------------------------------

// All copies and kernels are in one stream, so that none can run beside another.
static bool is_one_stream(const ladder_trace *trace) {
    uint32_t stream = 0;
    for (uint32_t i = trace->first; i < trace->spans.count; i++) {
        const sim_span *span = &trace->spans.items[i];
        if (span->kind != SIM_SPAN_KERNEL && !sim_span_is_copy(span)) continue;
        if (stream && span->stream != stream) return false;
        stream = span->stream;
    }
    return true;
}

kl_advice ladder_trace_advice(const ladder_trace *trace, const ladder_trace_idle *idle) {
    const double worth = 0.05; // of the time
    const double *value = trace->totals.value;
    if (idle->us < worth * value[SIM_SPAN_ELAPSED_US]) return KL_ADVICE_COUNT;
    switch (idle->reason) {
    case SIM_IDLE_PAGEABLE: return KL_ADVICE_TRACE_PINNED;
    case SIM_IDLE_LEGACY: return KL_ADVICE_TRACE_OWN_STREAM;
    case SIM_IDLE_SYNC: return KL_ADVICE_TRACE_NO_SYNC;
    case SIM_IDLE_NO_EVENT: return KL_ADVICE_TRACE_EVENT;
    case SIM_IDLE_HOST:
        // One launch cannot come sooner.
        return value[SIM_SPAN_HOST_LAUNCHES] > 1 ? KL_ADVICE_TRACE_GRAPH : KL_ADVICE_COUNT;
    case SIM_IDLE_COPY:
        // A graph's nodes may run beside each other, whatever stream it is launched into.
        return is_one_stream(trace) && value[SIM_SPAN_BUSY_US] > 0 &&
                       value[SIM_SPAN_GRAPH_LAUNCHES] == 0
                   ? KL_ADVICE_TRACE_CHUNKS
                   : KL_ADVICE_COUNT;
    default: return KL_ADVICE_COUNT;
    }
}

// ---- rows on the axis of time -------------------------------------------------------------------

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
