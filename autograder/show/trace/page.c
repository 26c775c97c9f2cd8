// A timeline as one page of HTML that loads nothing: the same text as on a terminal, and rows that
// zoom, in which a click shows what waits for what. See trace.h.
#include "show/page/page.h"
#include "show/report/report.h"
#include "show/trace/trace.h"

// What trace.js shows. A span is a list, so that the page stays small.
static void page_span(kl_json *json, const ladder_trace *trace, uint32_t number, int row,
                      int engine) {
    const sim_span *span = sim_span_at(&trace->spans, number);
    char name[LADDER_TRACE_TEXT], call[2 * LADDER_TRACE_TEXT];
    kl_json_put(json, "<%u %d %d %s %g %g %u %u %u %s %s>", number, row, engine,
                sim_span_kind_word((sim_span_kind)span->kind), span->begin_us - trace->begin_us,
                span->end_us - trace->begin_us,
                span->waits_for > trace->first ? span->waits_for : 0, span->cause,
                span->call > trace->first ? span->call : 0,
                ladder_trace_name(trace, span, name, sizeof name),
                ladder_trace_call(trace, span, call, sizeof call));
}

static int page_row(const ladder_trace_rows *rows, const sim_span *span, bool of_engine) {
    for (int i = 0; i < rows->count; i++) {
        bool is_engine = rows->rows[i].unit != SIM_UNIT_HOST && rows->rows[i].unit != SIM_UNIT_NONE;
        if (is_engine == of_engine && ladder_trace_is_in(&rows->rows[i], span)) return i;
    }
    return -1;
}

static kl_status page_data(const ladder_trace *trace, FILE *out, kl_error *err) {
    enum { MOST = 8000 }; // spans: the page stays below 2 MB
    kl_json json;
    ladder_trace_rows rows;
    ladder_trace_rows_make(trace, true, &rows);
    uint32_t end = trace->spans.count;
    if (end - trace->first > MOST) end = trace->first + MOST;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{end %g left_out %u causes <", trace->end_us - trace->begin_us,
                trace->spans.count - end);
    for (int i = 0; i < SIM_SPAN_CAUSES; i++)
        kl_json_string(&json, NULL, sim_span_cause_text((sim_span_cause)i));
    kl_json_put(&json, "> rows [");
    for (int i = 0; i < rows.count; i++) kl_json_string(&json, NULL, rows.rows[i].label);
    kl_json_put(&json, "] spans [");
    for (uint32_t i = trace->first; i < end; i++) {
        const sim_span *span = &trace->spans.items[i];
        if (span->end_us > span->begin_us)
            page_span(&json, trace, i + 1, page_row(&rows, span, false),
                      page_row(&rows, span, true));
    }
    kl_json_put(&json, "] path <");
    for (uint32_t i = 0; i < trace->path.count; i++)
        if (trace->path.items[i].span) kl_json_uint(&json, NULL, trace->path.items[i].span);
    kl_json_put(&json, "> idle [");
    for (uint32_t i = 0; i < trace->idle.count && i < MOST; i++) {
        const sim_span_piece *piece = &trace->idle.items[i];
        sim_span work = {.unit = SIM_UNIT_SMS, .device = piece->device};
        kl_json_put(&json, "<%d %g %g %s %u>", page_row(&rows, &work, true),
                    piece->begin_us - trace->begin_us, piece->end_us - trace->begin_us,
                    sim_idle_reason_text((sim_idle_reason)piece->reason), piece->span);
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

// The terminal's text, which needs no script.
static void page_text(const ladder_trace *trace, const ladder_trace *measured, FILE *out) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *in = open_memstream(&text, &bytes);
    const kl_style style = {.width = 100};
    if (!in) return;
    ladder_trace_print(trace, measured, &style, in);
    if (fclose(in) == 0) ladder_put_html(out, text);
    free(text);
}

static void page_put(const ladder_trace *trace, const ladder_trace *measured, const char *title,
                     const char *data, const char *nonce, FILE *out) {
    ladder_page_head(out, "Timeline: ", title, nonce);
    fputs(ladder_trace_style, out);
    ladder_html(out,
                "</style></head>\n<body class=\"trace\">\n<header><h1>%s</h1></header>\n"
                "<main><section class=\"card\" id=\"timeline\" hidden></section>\n"
                "<section class=\"card\"><h2>What decides the time</h2>"
                "<div class=\"scroll\" tabindex=\"0\"><pre>",
                title);
    page_text(trace, measured, out);
    fputs("</pre></div></section></main>\n", out);
    ladder_page_end(out, "spans", data, nonce, ladder_trace_script);
}

kl_status ladder_trace_page(const ladder_trace *trace, const ladder_trace *measured,
                            const char *title, FILE *out, kl_error *err) {
    ladder_sha256 hash;
    char nonce[LADDER_SHA256_TEXT], *data = NULL;
    size_t bytes = 0;
    FILE *in = open_memstream(&data, &bytes);
    if (!in) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    kl_status status = page_data(trace, in, err);
    if (fclose(in) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    if (status == KL_OK) {
        ladder_sha256_begin(&hash);
        ladder_sha256_add(&hash, data, bytes);
        ladder_sha256_end(&hash, nonce);
        page_put(trace, measured, title, data, nonce, out);
    }
    free(data);
    return status;
}
