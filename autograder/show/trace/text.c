// A timeline for a terminal: rows on one axis, and what decides how long it takes. See trace.h.
#include "show/trace/trace.h"

enum { LABEL = 13 }; // columns of a row's name

// ---- rows ---------------------------------------------------------------------------------------

// What a cell of a row may show; the space is nothing.
static const char symbols[] = " cw#><=df|";
enum { SYMBOLS = sizeof symbols - 1 };

static const char *symbol_text(char symbol) {
    switch (symbol) {
    case 'c': return "call";
    case 'w': return "host waits";
    case '#': return "kernel";
    case '>': return "copy in";
    case '<': return "copy out";
    case '=': return "peer copy";
    case 'd': return "copy on the device";
    case 'f': return "fill";
    default: return "event";
    }
}

static char symbol_of(const sim_span *span) {
    switch (span->kind) {
    case SIM_SPAN_WAIT: return 'w';
    case SIM_SPAN_KERNEL: return '#';
    case SIM_SPAN_FILL: return 'f';
    case SIM_SPAN_EVENT: return '|';
    case SIM_SPAN_COPY:
        return span->unit == SIM_UNIT_TO_DEVICE ? '>'
               : span->unit == SIM_UNIT_TO_HOST ? '<'
               : span->unit == SIM_UNIT_TO_PEER ? '='
                                                : 'd';
    default: return 'c';
    }
}

typedef struct axis {
    double begin_us, each_us; // of a column
    int columns;
} axis;

typedef double cell[SYMBOLS]; // time of each symbol

static void add_to_cells(const axis *x, const sim_span *span, cell *cells) {
    const char *at = strchr(symbols, symbol_of(span));
    int first = (int)((span->begin_us - x->begin_us) / x->each_us);
    for (int c = first < 0 ? 0 : first; c < x->columns; c++) {
        double from = x->begin_us + c * x->each_us;
        double time = fmin(span->end_us, from + x->each_us) - fmax(span->begin_us, from);
        if (time <= 0 && c > first) break;
        if (time > 0) cells[c][at - symbols] += time;
    }
}

static const char *tone_of(char symbol) {
    switch (symbol) {
    case '#': return "\033[1;32m";
    case '>':
    case '<':
    case '=': return "\033[36m";
    case 'w': return "\033[31m";
    default: return "\033[33m";
    }
}

// A cell shows what takes most of it, '+' where all together are less than a quarter.
static void put_cells(const axis *x, cell *cells, bool *shown, const kl_style *style, FILE *out) {
    char before = ' ';
    for (int c = 0; c < x->columns; c++) {
        double all = 0, most = 0;
        int best = 0;
        for (int s = 1; s < SYMBOLS; s++) {
            all += cells[c][s];
            if (cells[c][s] > most) most = cells[c][best = s];
        }
        shown[best] = true;
        char symbol = best && all < x->each_us / 4 ? '+' : symbols[best];
        if (style->colour && symbol != before && symbol != ' ')
            fprintf(out, "\033[0m%s", tone_of(symbols[best]));
        fputc(symbol == ' ' ? '.' : symbol, out);
        before = symbol;
    }
    fputs(style->colour ? "\033[0m\n" : "\n", out);
}

static void put_row(const ladder_trace *trace, const ladder_trace_row *row, const axis *x,
                    bool *shown, const kl_style *style, FILE *out) {
    cell *cells = calloc((size_t)x->columns, sizeof *cells);
    for (uint32_t i = trace->first; cells && i < trace->spans.count; i++)
        if (ladder_trace_is_in(row, &trace->spans.items[i]))
            add_to_cells(x, &trace->spans.items[i], cells);
    fprintf(out, "%-*.*s", LABEL, LABEL - 1, row->label);
    if (cells) put_cells(x, cells, shown, style, out);
    free(cells);
}

// Round times, as far apart as their names are long.
static void put_scale(const axis *x, FILE *out) {
    enum { WIDTH = 9 };
    char text[32];
    int used = fprintf(out, "%-*s", LABEL, "");
    double step = pow(10, floor(log10(WIDTH * x->each_us)));
    for (int i = 0; step < WIDTH * x->each_us; i++) step *= i % 3 == 1 ? 2.5 : 2;
    for (double us = 0; us / x->each_us <= x->columns - WIDTH / 2; us += step)
        used += fprintf(out, "%*s|%s", LABEL + (int)(us / x->each_us) - used, "",
                        us == 0 ? "0" : kl_format_us(us, text, sizeof text));
    fputc('\n', out);
}

static void put_legend(const bool *shown, const kl_style *style, FILE *out) {
    char text[256] = "";
    for (int s = 1; s < SYMBOLS; s++)
        if (shown[s]) kl_append(text, sizeof text, "%c: %s, ", symbols[s], symbol_text(symbols[s]));
    kl_print_text(out, style, 0, "%s+: less than a quarter of the column, .: nothing", text);
}

static void put_rows(const ladder_trace *trace, const kl_style *style, FILE *out) {
    ladder_trace_rows rows;
    bool shown[SYMBOLS] = {false};
    int columns = style->width - LABEL;
    axis x = {.begin_us = trace->begin_us, .columns = columns < 30 ? 30 : columns};
    x.each_us = fmax(1e-3, (trace->end_us - trace->begin_us) / x.columns);
    ladder_trace_rows_make(trace, true, &rows);
    put_scale(&x, out);
    for (int i = 0; i < rows.count; i++) put_row(trace, &rows.rows[i], &x, shown, style, out);
    put_legend(shown, style, out);
    if (rows.left_out > 0)
        fprintf(out, "Work of further streams is not shown: %d pieces.\n", rows.left_out);
}

// ---- the critical path --------------------------------------------------------------------------

// Pieces of the path that follow each other and have one name, or, `merged`, all that have it.
typedef struct path_link {
    char name[LADDER_TRACE_TEXT];
    const char *line;    // of the program; "": it is not known
    uint32_t span, last; // the first, and the one that was counted last
    uint32_t times;
    double us;
} path_link;

static const char gap[] = "from one to the next";

static uint32_t make_links(const ladder_trace *trace, bool merged, path_link *links,
                           uint32_t most) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < trace->path.count; i++) {
        const sim_span_piece *piece = &trace->path.items[i];
        const sim_span *span = sim_span_at(&trace->spans, piece->span);
        char name[LADDER_TRACE_TEXT];
        const char *line = span ? ladder_trace_line(trace, span) : "";
        if (span) ladder_trace_name(trace, span, name, sizeof name);
        else snprintf(name, sizeof name, "%s", gap);
        uint32_t at = merged || count == 0 ? 0 : count - 1;
        while (at < count &&
               (strcmp(links[at].name, name) != 0 || strcmp(links[at].line, line) != 0))
            at++;
        if (at == most) return count + 1; // more than fit
        if (at == count) {
            links[count] = (path_link){.span = piece->span, .line = line};
            memcpy(links[count++].name, name, sizeof name);
        }
        links[at].times += links[at].times == 0 || !span || links[at].last != piece->span;
        links[at].last = piece->span;
        links[at].us += piece->end_us - piece->begin_us;
    }
    return count;
}

static int by_time(const void *a, const void *b) {
    const path_link *x = a, *y = b;
    return x->us > y->us ? -1 : x->us < y->us;
}

static void put_link(const ladder_trace *trace, const path_link *l, const kl_style *style,
                     FILE *out) {
    enum { BEHIND_TIME = 21 };
    char time[32], times[32] = "", text[LADDER_TRACE_TEXT + 64];
    double all_us = fmax(1e-9, trace->end_us - trace->begin_us);
    if (l->times > 1) snprintf(times, sizeof times, ", %u times", l->times);
    int width = snprintf(text, sizeof text, "  %5.1f %%  %8s  %s%s", 100 * l->us / all_us,
                         kl_format_us(l->us, time, sizeof time), l->name, times);
    fputs(text, out);
    if (*l->line && width + 2 + (int)strlen(l->line) > style->width)
        fprintf(out, "\n%*s%s", BEHIND_TIME, "", l->line);
    else if (*l->line) fprintf(out, "  %s", l->line);
    fputc('\n', out);
}

// How a long chain begins.
static void put_order(const ladder_trace *trace, const kl_style *style, FILE *out) {
    enum { BEGIN = 9 };
    path_link links[BEGIN + 1];
    char text[BEGIN * LADDER_TRACE_TEXT + 64] = "";
    memset(links, 0, sizeof links);
    make_links(trace, false, links, BEGIN);
    for (int i = 0; i < BEGIN && links[i].times; i++)
        kl_append(text, sizeof text, "%s, ", links[i].name);
    kl_print_text(out, style, 2, "  In the order %s..: %u pieces.", text, trace->path.count);
}

// As a chain where it is short, else what it consists of.
static void put_path(const ladder_trace *trace, const kl_style *style, FILE *out) {
    enum { CHAIN = 14, LINKS = 4096, SHOWN = 10 };
    path_link *links = calloc(LINKS + 1, sizeof *links);
    if (!links) return;
    uint32_t count = make_links(trace, false, links, CHAIN);
    bool merged = count > CHAIN;
    if (merged) {
        memset(links, 0, LINKS * sizeof *links);
        count = make_links(trace, true, links, LINKS);
        if (count > LINKS) count = LINKS;
        qsort(links, count, sizeof *links, by_time);
    }
    kl_print_wrapped(out, style, 0,
                     merged ? "Critical path: what decides when the program ends, the longest "
                              "first:"
                            : "Critical path: what decides when the program ends, each piece "
                              "waits for the one before:");
    for (uint32_t i = 0; i < count && (!merged || i < SHOWN); i++)
        put_link(trace, &links[i], style, out);
    if (merged && count > SHOWN) fprintf(out, "  and %u further kinds of pieces\n", count - SHOWN);
    free(links);
    if (merged) put_order(trace, style, out);
}

// ---- copies and idle time -----------------------------------------------------------------------

static void put_copies(const ladder_trace *trace, const kl_style *style, FILE *out) {
    const double *v = trace->totals.value;
    char text[512], time[32], in[32], back[32], peer[32], page[32], waited[32];
    if (v[SIM_SPAN_COPIES] == 0) {
        fputs("Copies: none between host and device.\n", out);
        return;
    }
    kl_format_count(v[SIM_SPAN_BYTES_TO_DEVICE], in, sizeof in);
    kl_format_count(v[SIM_SPAN_BYTES_TO_HOST], back, sizeof back);
    kl_format_count(v[SIM_SPAN_BYTES_TO_PEER], peer, sizeof peer);
    snprintf(text, sizeof text,
             "Copies: %.0f (bytes in: %s, out: %s%s%s), %s, of which %.0f %% is hidden "
             "behind kernels.",
             v[SIM_SPAN_COPIES], in, back,
             v[SIM_SPAN_BYTES_TO_PEER] > 0 ? ", between devices: " : "",
             v[SIM_SPAN_BYTES_TO_PEER] > 0 ? peer : "",
             kl_format_us(v[SIM_SPAN_COPY_US], time, sizeof time), v[SIM_SPAN_COPY_HIDDEN_PCT]);
    if (v[SIM_SPAN_BYTES_PAGEABLE] > 0)
        kl_append(text, sizeof text, " Pageable: %s bytes.",
                  kl_format_count(v[SIM_SPAN_BYTES_PAGEABLE], page, sizeof page));
    if (v[SIM_SPAN_COPIES_WAITED] > 0)
        kl_append(text, sizeof text, " Copies whose call waits: %.0f, %s bytes.",
                  v[SIM_SPAN_COPIES_WAITED],
                  kl_format_count(v[SIM_SPAN_BYTES_WAITED], waited, sizeof waited));
    kl_print_wrapped(out, style, 0, text);
}

static void put_calls(const ladder_trace *trace, const kl_style *style, FILE *out) {
    const double *v = trace->totals.value;
    kl_print_text(out, style, 0,
                  "Calls: launches of a kernel %.0f, of a graph %.0f (nodes: %.0f); calls that "
                  "wait for the device %.0f.",
                  v[SIM_SPAN_HOST_LAUNCHES], v[SIM_SPAN_GRAPH_LAUNCHES], v[SIM_SPAN_GRAPH_NODES],
                  v[SIM_SPAN_HOST_SYNCS]);
}

enum { INDENT = 21 }; // of what stands behind share and time

// A text whose first row begins there, too.
static void put_indented(const char *text, const kl_style *style, FILE *out) {
    int column = INDENT;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > INDENT && column + 1 + length > style->width) {
            fprintf(out, "\n%*s", INDENT, "");
            column = INDENT;
        }
        column += fprintf(out, "%s%.*s", column > INDENT ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void put_idle(const ladder_trace *trace, const ladder_trace_idle *idle, bool *said,
                     const kl_style *style, FILE *out) {
    char text[1024], call[LADDER_TRACE_TEXT + 128] = "", time[32], times[32] = "";
    const sim_span *span = sim_span_at(&trace->spans, idle->span);
    if (span) ladder_trace_call(trace, span, call, sizeof call);
    if (idle->times > 1) snprintf(times, sizeof times, ", %u times", idle->times);
    fprintf(out, "  %5.1f %%  %8s  ", 100 * idle->us / fmax(1e-9, trace->end_us - trace->begin_us),
            kl_format_us(idle->us, time, sizeof time));
    snprintf(text, sizeof text, "%s%s%s%s", sim_idle_reason_text(idle->reason), call[0] ? ": " : "",
             call, call[0] ? times : "");
    put_indented(text, style, out);
    kl_advice advice = ladder_trace_advice(trace, idle);
    if (advice == KL_ADVICE_COUNT || said[advice]) return;
    said[advice] = true;
    fprintf(out, "%*s", INDENT, "");
    snprintf(text, sizeof text, "> %s", kl_advice_text(advice));
    put_indented(text, style, out);
}

// What is short is added up.
static void put_device(const ladder_trace *trace, uint32_t from, uint32_t to, bool *said,
                       const kl_style *style, FILE *out) {
    enum { SHOWN = 8 };
    const double least = 0.01 * (trace->end_us - trace->begin_us);
    char name[32] = "The", time[32], all[32];
    double sum = 0, rest = 0;
    for (uint32_t i = from; i < to; i++) sum += trace->idle_sums[i].us;
    if (trace->device_count > 1)
        snprintf(name, sizeof name, "Device %u's", trace->idle_sums[from].device);
    fprintf(out, "%s multiprocessors do nothing for %s of %s (%.0f %%):\n", name,
            kl_format_us(sum, time, sizeof time),
            kl_format_us(trace->end_us - trace->begin_us, all, sizeof all),
            100 * sum / fmax(1e-9, trace->end_us - trace->begin_us));
    for (uint32_t i = from; i < to; i++)
        if (trace->idle_sums[i].us < least || i - from >= SHOWN) rest += trace->idle_sums[i].us;
        else put_idle(trace, &trace->idle_sums[i], said, style, out);
    if (rest > 0)
        fprintf(out, "  %5.1f %%  %8s  shorter pieces\n",
                100 * rest / fmax(1e-9, trace->end_us - trace->begin_us),
                kl_format_us(rest, time, sizeof time));
}

// ---- beside a GPU -------------------------------------------------------------------------------

static void put_measured(const ladder_trace *trace, const ladder_trace *measured,
                         const kl_style *style, FILE *out) {
    static const struct {
        const char *name;
        sim_span_counter counter;
    } rows[] = {
        {"from first call to end", SIM_SPAN_ELAPSED_US},
        {"copies", SIM_SPAN_COPY_US},
        {"of it, hidden behind kernels", SIM_SPAN_COPY_HIDDEN_US},
        {"multiprocessors have work", SIM_SPAN_BUSY_US},
        {"multiprocessors do nothing", SIM_SPAN_IDLE_US},
    };
    char time[32], other[32];
    fprintf(out, "\n%s: %s from first call to end (measured, with CUPTI beside it)\n\n",
            measured->device_name,
            kl_format_us(measured->end_us - measured->begin_us, time, sizeof time));
    put_rows(measured, style, out);
    fprintf(out, "\n%-32s%12s%12s%20s\n", "", "measured", "modelled", "modelled / measured");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double us = measured->totals.value[rows[i].counter],
               model_us = trace->totals.value[rows[i].counter];
        if (us == 0 && model_us == 0) continue;
        fprintf(out, "%-32s%12s%12s", rows[i].name, kl_format_us(us, time, sizeof time),
                kl_format_us(model_us, other, sizeof other));
        if (us > 0) fprintf(out, "%20.2f", model_us / us);
        fputc('\n', out);
    }
}

void ladder_trace_print(const ladder_trace *trace, const ladder_trace *measured,
                        const kl_style *style, FILE *out) {
    char time[32];
    bool said[KL_ADVICE_COUNT] = {false};
    fprintf(out, "%s (simulated): %s from first call to end (modelled)\n\n", trace->device_name,
            kl_format_us(trace->end_us - trace->begin_us, time, sizeof time));
    put_rows(trace, style, out);
    fputc('\n', out);
    put_path(trace, style, out);
    fputc('\n', out);
    put_copies(trace, style, out);
    put_calls(trace, style, out);
    for (uint32_t from = 0, to; from < trace->idle_count; from = to) {
        for (to = from; to < trace->idle_count &&
                        trace->idle_sums[to].device == trace->idle_sums[from].device;)
            to++;
        put_device(trace, from, to, said, style, out);
    }
    if (trace->spans.lost > 0)
        fprintf(out, "The program did more than is recorded: %u further pieces.\n",
                trace->spans.lost);
    if (trace->fault[0]) {
        char clean[KL_ERROR_TEXT];
        ladder_plain(trace->fault, true, clean, sizeof clean);
        fprintf(out, "\nThe timeline ends with a fault:\n%s\n", clean);
    }
    if (measured) put_measured(trace, measured, style, out);
}
