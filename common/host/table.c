// Tables on a terminal: see table.h. Only prints; must not decide what is right or wrong.
#include "table.h"
#include "error.h"
#include "this_machine.h"
#include <langinfo.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>

kl_style kl_style_for(FILE *out) {
    kl_style style = {.width = 80, .utf8 = false, .colour = false};
    const char *columns = getenv("COLUMNS");
    bool asked = columns && atoi(columns) >= 40 && atoi(columns) <= 1000;
    if (asked) style.width = atoi(columns);
    if (!isatty(fileno(out))) {
        style.uncut = !asked;
        return style;
    }
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) style.width = size.ws_col;
    const char *term = getenv("TERM");
    const char *no_colour = getenv("NO_COLOR");
    style.colour = (!term || strcmp(term, "dumb") != 0) && (!no_colour || no_colour[0] == '\0');
    style.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    return style;
}

int kl_line_columns(const kl_style *style, int used) {
    if (style->uncut) return INT_MAX / 2; // room for sums with it
    return style->width > used ? style->width - used : 0;
}

int kl_text_width(const char *text) {
    int width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xC0) != 0x80; // continuation bytes take no column
    return width;
}

void kl_table_clear(kl_table *table) {
    table->columns = 0;
    table->rows = 0;
}

void kl_table_column(kl_table *table, const char *title, kl_align align) {
    if (table->columns < KL_TABLE_COLUMNS) {
        table->titles[table->columns] = title;
        table->align[table->columns] = align;
        table->columns++;
    }
}

int kl_table_row(kl_table *table) {
    if (table->rows == KL_TABLE_ROWS) return KL_TABLE_ROWS - 1;
    for (int c = 0; c < KL_TABLE_COLUMNS; c++) {
        table->cells[table->rows][c][0] = '\0';
        table->tones[table->rows][c] = KL_PLAIN;
    }
    return table->rows++;
}

void kl_table_cell(kl_table *table, int row, int column, kl_tone tone, const char *format, ...) {
    if (row < 0 || row >= table->rows || column < 0 || column >= table->columns) return;
    va_list args;
    va_start(args, format);
    vsnprintf(table->cells[row][column], KL_TABLE_CELL, format, args);
    va_end(args);
    table->tones[row][column] = tone;
}

static void put_spaces(FILE *out, int count) {
    for (int i = 0; i < count; i++) fputc(' ', out);
}

static const char *tone_code(kl_tone tone) {
    switch (tone) {
    case KL_GOOD: return "\033[32m";
    case KL_BAD: return "\033[1;31m";
    case KL_DIM: return "\033[2m";
    case KL_PLAIN: break;
    }
    return "";
}

// Words in lines that end before column `end`; those after the first begin at column `indent`.
// Bytes up to the next place where a line may end. A command is pasted as it is shown: behind
// "./ladder", its name and what it is about, steps and options with their values stay in its line.
static size_t unit_bytes(const char *text) {
    size_t bytes = strcspn(text, " ");
    bool command = bytes >= 8 && strncmp(text + bytes - 8, "./ladder", 8) == 0, option = false;
    for (int words = 1; command && text[bytes] == ' ' && text[bytes + 1] != ' '; words++) {
        const char *next = text + bytes + 1;
        bool goes_on = words <= 2 || option || *next == '-' || isdigit((unsigned char)*next);
        if (strchr(".,;:)`", next[-2]) || !goes_on) break;
        option = strncmp(next, "--", 2) == 0;
        bytes += 1 + strcspn(next, " ");
    }
    return bytes;
}

static void put_wrapped(FILE *out, int end, int indent, const char *text) {
    int column = indent;
    bool first = true;
    while (*text != '\0') {
        size_t bytes = unit_bytes(text);
        char word[512];
        snprintf(word, sizeof word, "%.*s", (int)(bytes < 511 ? bytes : 511), text);
        int width = kl_text_width(word);
        if (!first && column + 1 + width > end) {
            fputc('\n', out);
            put_spaces(out, indent);
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fputs(word, out);
        column += width;
        first = false;
        text += bytes;
        text += strspn(text, " ");
    }
}

// Prints `text` in `width` columns; where it is wider, the rest stands below, from column `begin`
// on.
static void put_cell(FILE *out, const kl_style *style, const char *text, int begin, int width,
                     kl_align align, kl_tone tone, bool last) {
    int used = kl_text_width(text);
    bool paint = style->colour && tone != KL_PLAIN;
    if (align == KL_RIGHT && used < width) put_spaces(out, width - used);
    if (paint) fputs(tone_code(tone), out);
    if (used <= width) fputs(text, out);
    else put_wrapped(out, begin + width, begin, text);
    if (paint) fputs("\033[0m", out);
    if (align == KL_LEFT && used < width && !last) put_spaces(out, width - used);
}

enum { TABLE_GAP = 2 };

// Widths that the texts ask for; returns the table's.
static int full_widths(const kl_table *table, int *widths) {
    int total = 0;
    for (int c = 0; c < table->columns; c++) {
        widths[c] = kl_text_width(table->titles[c]);
        for (int r = 0; r < table->rows; r++) {
            int width = kl_text_width(table->cells[r][c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
        total += widths[c] + (c > 0 ? TABLE_GAP : 0);
    }
    return total;
}

int kl_table_width(const kl_table *table) {
    int widths[KL_TABLE_COLUMNS];
    return full_widths(table, widths);
}

static void column_widths(const kl_table *table, const kl_style *style, int *widths) {
    int total = full_widths(table, widths);
    int last = table->columns - 1;
    if (last >= 0 && total > style->width && table->align[last] == KL_LEFT) {
        int smallest = kl_text_width(table->titles[last]);
        int wanted = widths[last] - (total - style->width);
        widths[last] = wanted > smallest ? wanted : smallest;
    }
}

void kl_table_print(const kl_table *table, const kl_style *style, FILE *out) {
    int widths[KL_TABLE_COLUMNS];
    column_widths(table, style, widths);

    for (int c = 0, begin = 0; c < table->columns; begin += widths[c++] + TABLE_GAP) {
        put_spaces(out, c > 0 ? TABLE_GAP : 0);
        put_cell(out, style, table->titles[c], begin, widths[c], table->align[c], KL_DIM,
                 c + 1 == table->columns);
    }
    fputc('\n', out);
    for (int c = 0; c < table->columns; c++) {
        put_spaces(out, c > 0 ? TABLE_GAP : 0);
        for (int i = 0; i < widths[c]; i++) fputs(style->utf8 ? "\u2500" : "-", out);
    }
    fputc('\n', out);
    for (int r = 0; r < table->rows; r++) {
        int last = table->columns - 1;
        while (last > 0 && table->cells[r][last][0] == '\0') last--; // no trailing spaces
        for (int c = 0, begin = 0; c <= last; begin += widths[c++] + TABLE_GAP) {
            put_spaces(out, c > 0 ? TABLE_GAP : 0);
            put_cell(out, style, table->cells[r][c], begin, widths[c], table->align[c],
                     table->tones[r][c], c == last);
        }
        fputc('\n', out);
    }
}

void kl_print_wrapped(FILE *out, const kl_style *style, int indent, const char *text) {
    put_wrapped(out, style->width, indent, text);
    fputc('\n', out);
}

void kl_print_text(FILE *out, const kl_style *style, int indent, const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    if (text) kl_print_wrapped(out, style, indent, text);
    free(text);
}

char *kl_append(char *text, size_t text_bytes, const char *format, ...) {
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, text_bytes - used, format, args);
    va_end(args);
    return text;
}

void kl_shorten_paths(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0';) {
        bool word_begins = to == text || to[-1] == ' ' || to[-1] == '\n';
        size_t word = strcspn(from, " \n"), folders = 0;
        for (size_t i = 0; word_begins && *from == '/' && i < word; i++)
            if (from[i] == '/') folders = i + 1;
        from += folders;
        word -= folders;
        memmove(to, from, word);
        to += word;
        from += word;
        if (*from != '\0') *to++ = *from++;
    }
    *to = '\0';
}

void kl_print_lines(FILE *out, const kl_style *style, int indent, const char *text) {
    char line[KL_ERROR_TEXT];
    for (bool first = true; *text != '\0'; first = false) {
        if (!first) text += strspn(text, " ");
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (!first) put_spaces(out, indent);
        kl_print_wrapped(out, style, indent, line);
        text += length + (text[length] == '\n');
    }
}

const char *kl_format_factor(double factor, char *text, size_t text_bytes) {
    if (!isfinite(factor)) snprintf(text, text_bytes, "-");
    else if (factor < 9.995)
        snprintf(text, text_bytes, factor < 0.1 && factor > 0 ? "%.2gx" : "%.2fx", factor);
    else if (factor < 99.95) snprintf(text, text_bytes, "%.1fx", factor);
    else snprintf(text + strlen(kl_format_grouped(llround(factor), text, text_bytes - 1)), 2, "x");
    return text;
}

const char *kl_format_us(double us, char *text, size_t text_bytes) {
    if (!isfinite(us)) snprintf(text, text_bytes, "-");
    else if (us < 9.995) snprintf(text, text_bytes, "%.2f us", us);
    else if (us < 99.95) snprintf(text, text_bytes, "%.1f us", us);
    else if (us < 9999.5) snprintf(text, text_bytes, "%.0f us", us);
    else if (us < 99.95e3) snprintf(text, text_bytes, "%.2f ms", us * 1e-3);
    else if (us < 9999.5e3) snprintf(text, text_bytes, "%.0f ms", us * 1e-3);
    else snprintf(text, text_bytes, "%.2f s", us * 1e-6);
    return text;
}

const char *kl_format_size(long long size, char *text, size_t text_bytes) {
    if (size >= 1024 && (size & (size - 1)) == 0)
        snprintf(text, text_bytes, "2^%d", __builtin_ctzll((unsigned long long)size));
    else snprintf(text, text_bytes, "%lld", size);
    return text;
}

char *kl_format_grouped(long long value, char *text, size_t text_bytes) {
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%lld", value);
    size_t at = 0;
    for (int i = 0; i < count && at + 2 < text_bytes; i++) {
        text[at++] = digits[i];
        if (digits[i] != '-' && i + 1 < count && (count - 1 - i) % 3 == 0) text[at++] = ',';
    }
    text[at] = '\0';
    return text;
}

char *kl_format_rate(double rate, char *text, size_t text_bytes) {
    static const double most[] = {99.95, 9.995, 0.9995, 0.09995, 0.009995};
    enum { DECIMALS = sizeof most / sizeof most[0] };
    int decimals = 0;
    while (decimals < DECIMALS && rate < most[decimals]) decimals++;
    if (!isfinite(rate)) snprintf(text, text_bytes, "-");
    else if (rate > 0 && rate < 0.0009995) snprintf(text, text_bytes, "%.2e", rate);
    else snprintf(text, text_bytes, "%.*f", rate == 0 ? 0 : decimals, rate);
    return text;
}

char *kl_format_count(double value, char *text, size_t text_bytes) {
    static const char units[] = {'k', 'M', 'G', 'T'};
    if (value < 9999.5) {
        snprintf(text, text_bytes, value == (double)(long long)value ? "%.0f" : "%.1f", value);
        return text;
    }
    size_t unit = 0;
    double scaled = value * 1e-3;
    while (scaled >= 999.5 && unit + 1 < sizeof units) {
        scaled *= 1e-3;
        unit++;
    }
    int decimals = scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
    snprintf(text, text_bytes, "%.*f %c", decimals, scaled, units[unit]);
    return text;
}

// ---- lines of source ----------------------------------------------------------------------------

enum { DEEPER = 4 }; // columns

static bool starts_character(char c) { return ((unsigned char)c & 0xC0) != 0x80; }

int kl_source_row(const char *text, int bytes, int available) {
    int column = 0, at = 0, good = 0;
    for (; at < bytes; at++) {
        if (starts_character(text[at]) && column++ >= available && at > 0) break;
        if (column > available / 2 && text[at] == ' ') good = at;
        if (column > available / 2 && text[at] == ',') good = at + 1;
    }
    if (at == bytes) return bytes;
    if (text[at] == ' ') return at; // the row ends with a word
    return good > 0 ? good : at;
}

int kl_source_indent(const char *text, int bytes, int available) {
    int indent = 0;
    while (indent < bytes && text[indent] == ' ') indent++;
    indent += DEEPER;
    return indent < available / 2 ? indent : available / 2;
}

void kl_print_source(FILE *out, const kl_style *style, int used, const char *text, int bytes) {
    int available = kl_line_columns(style, used), deeper = kl_source_indent(text, bytes, available),
        indent = 0, leading = (int)strspn(text, " ");
    if (leading < bytes && leading > available / 2) { // no row of blanks only
        text += leading - available / 2;
        bytes -= leading - available / 2;
    }
    while (bytes > 0) {
        int row = kl_source_row(text, bytes, available - indent);
        fwrite(text, 1, (size_t)row, out);
        text += row;
        bytes -= row;
        while (bytes > 0 && *text == ' ') text++, bytes--; // the new row stands for the blank
        if (bytes == 0) break;
        indent = deeper;
        fprintf(out, "\n%*s", used + indent, "");
    }
    fputc('\n', out);
}

// ---- what goes on, on standard error ------------------------------------------------------------

enum { TICKS_PER_SECOND = 4 };
static const double silent_s = 1.75; // with a tick less than two seconds

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of what follows
static char said[256];                                   // "": nothing goes on
static double since_s, shown_s; // when it began, and when something was last shown
static bool started, terminal;

static void show(void) {
    double now_s = kl_now_s();
    char seconds[32] = "";
    if (now_s - since_s >= 1) snprintf(seconds, sizeof seconds, ", %.0f s", now_s - since_s);
    if (terminal) // what a step prints begins its line anew
        fprintf(stderr, "\r\033[K%s%s\r", said, said[0] != '\0' ? seconds : "");
    else if (said[0] != '\0') fprintf(stderr, "%s%s\n", said, seconds);
    fflush(stderr);
    shown_s = now_s;
}

static void *tick(void *unused) {
    (void)unused;
    for (;;) {
        usleep(1000000 / TICKS_PER_SECOND);
        pthread_mutex_lock(&lock);
        double quiet_s = kl_now_s() - shown_s;
        if (said[0] != '\0' && quiet_s >= (terminal ? 1 : silent_s)) show();
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

// Signals stay with the thread that waits for them: one that ended here would wake nobody.
static void start(void) {
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&thread, NULL, tick, NULL) == 0) pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void kl_ticker_say(const char *text) {
    pthread_mutex_lock(&lock);
    if (strcmp(said, text) == 0) { // its seconds go on
        pthread_mutex_unlock(&lock);
        return;
    }
    bool was = said[0] != '\0';
    snprintf(said, sizeof said, "%s", text);
    since_s = kl_now_s();
    if (!started) {
        started = true;
        terminal = isatty(STDERR_FILENO) != 0;
        shown_s = since_s;
        start();
    }
    if (!was) shown_s = since_s; // something else was shown until now
    if (terminal && (was || said[0] != '\0')) show();
    pthread_mutex_unlock(&lock);
}
