// Escaping, suggestions and short numbers: see text.h. UTF-8 by RFC 3629, CSV by RFC 4180.
// Must not trust its input: any byte string is allowed.
#include "utilities/text.h"
#include "utilities/defence.h"
#include <time.h>

// Decodes one character; returns its bytes, or 0 when the bytes are not well-formed UTF-8.
static size_t decode(const unsigned char *s, uint32_t *out_point) {
    if (s[0] < 0x80) {
        *out_point = s[0];
        return 1;
    }
    size_t length = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) return 0;
    uint32_t point = s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        point = point << 6 | (s[i] & 0x3Fu);
    }
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    if (point < smallest[length] || point > 0x10FFFF || surrogate) return 0;
    *out_point = point;
    return length;
}

size_t ladder_utf8_encode(uint32_t point, char *out) {
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    int more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    out[0] = (char)(leads[more] | point >> 6 * more);
    for (int i = 1; i <= more; i++) out[i] = (char)(0x80 | (point >> 6 * (more - i) & 0x3F));
    return (size_t)more + 1;
}

size_t ladder_utf8_decode(const char *text, uint32_t *out_point) {
    return decode((const unsigned char *)text, out_point);
}

size_t ladder_utf8_bytes(const char *text, size_t bytes) {
    size_t at = 0;
    while (at < bytes) { // a character that the end cuts is none: decode sees at most 4 bytes
        unsigned char last[5] = {0};
        uint32_t point = 0;
        memcpy(last, text + at, bytes - at < 4 ? bytes - at : 4);
        size_t length = decode(last, &point);
        if (length == 0) break;
        at += length;
    }
    return at;
}

size_t ladder_blank_bytes(const char *text) {
    uint32_t point = 0;
    size_t length = decode((const unsigned char *)text, &point);
    bool blank = point == ' ' || (point >= '\t' && point <= '\r') || point == 0xA0 ||
                 (point >= 0x2000 && point <= 0x200B) || point == 0x202F;
    return blank ? length : 0;
}

static bool is_harmful(uint32_t point, bool keep_lines) {
    if (point == '\n' || point == '\t') return !keep_lines;
    bool control = point < 0x20 || (point >= 0x7F && point < 0xA0);
    bool bidirectional = (point >= 0x202A && point <= 0x202E) ||
                         (point >= 0x2066 && point <= 0x2069) || point == 0x200E ||
                         point == 0x200F || point == 0x061C;
    bool line_break = point == 0x2028 || point == 0x2029;
    bool no_character = (point & 0xFFFE) == 0xFFFE; // which XML forbids
    return control || bidirectional || line_break || point == 0xFEFF || no_character;
}

char *ladder_plain(const char *text, bool keep_lines, char *out, size_t out_bytes) {
    const unsigned char *s = (const unsigned char *)text;
    size_t used = 0;
    if (!ladder_defence_on(LADDER_DEFENCE_PLAIN_TEXT)) {
        snprintf(out, out_bytes, "%s", text);
        return out;
    }
    while (*s != '\0') {
        uint32_t point = 0;
        size_t length = decode(s, &point);
        bool harmful = length == 0 || is_harmful(point, keep_lines);
        size_t wanted = harmful ? 1 : length;
        if (used + wanted >= out_bytes) break;
        if (harmful) out[used] = '?';
        else memcpy(out + used, s, length);
        used += wanted;
        s += length > 0 ? length : 1;
    }
    out[used] = '\0';
    return out;
}

// The first `bytes` of a text.
static void put_html(FILE *out, const char *text, size_t bytes) {
    if (!ladder_defence_on(LADDER_DEFENCE_HTML_ESCAPE)) {
        fwrite(text, 1, strnlen(text, bytes), out);
        return;
    }
    const unsigned char *s = (const unsigned char *)text;
    for (size_t at = 0; at < bytes && s[at] != '\0';) {
        uint32_t point = 0;
        size_t length = decode(s + at, &point);
        if (length == 0 || length > bytes - at || is_harmful(point, true)) fputc('?', out);
        else if (point == '&') fputs("&amp;", out);
        else if (point == '<') fputs("&lt;", out);
        else if (point == '>') fputs("&gt;", out);
        else if (point == '"') fputs("&quot;", out);
        else if (point == '\'') fputs("&#39;", out);
        else fwrite(s + at, 1, length, out);
        at += length > 0 ? length : 1;
    }
}

void ladder_put_html(FILE *out, const char *text) { put_html(out, text, SIZE_MAX); }

static void put_csv(FILE *out, const char *text, bool keep_lines) {
    if (!ladder_defence_on(LADDER_DEFENCE_CSV_ESCAPE)) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    if (text[0] != '\0' && strchr("=+-@\t\r", text[0])) fputc('\'', out);
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0') {
        uint32_t point = 0;
        size_t length = decode(s, &point);
        bool break_of_two = keep_lines && point == '\r' && s[1] == '\n';
        if (length == 0 || (is_harmful(point, keep_lines) && !break_of_two))
            fputc(point == '\n' || point == '\t' ? ' ' : '?', out);
        else if (point == '"') fputs("\"\"", out);
        else fwrite(s, 1, length, out);
        s += length > 0 ? length : 1;
    }
    fputc('"', out);
}

void ladder_put_csv(FILE *out, const char *text) { put_csv(out, text, false); }

void ladder_put_csv_lines(FILE *out, const char *text) { put_csv(out, text, true); }

// Writes one conversion of a format, "%5.1f", and takes its argument; true: a number that is none.
static bool put_conversion(FILE *out, bool is_csv, const char *form, va_list *args) {
    char kind = form[strlen(form) - 1];
    const char *dot = strchr(form, '.');
    if (kind == 's') {
        const char *text = va_arg(*args, const char *);
        if (!is_csv) put_html(out, text, dot ? strtoul(dot + 1, NULL, 10) : SIZE_MAX);
        else if (text) put_csv(out, text, false);
    } else if (strchr("efg", kind)) {
        double value = va_arg(*args, double);
        if (is_csv && isnan(value)) return true;
        fprintf(out, form, value);
        return isnan(value);
    } else if (strpbrk(form, "lzj")) { // all have 64 bits
        fprintf(out, form, va_arg(*args, long));
    } else {
        fprintf(out, form, va_arg(*args, int));
    }
    return false;
}

// True: a number was none.
static bool put_format(FILE *out, bool is_csv, const char *format, const char *end, va_list *args) {
    bool none = false;
    for (const char *at = format; at < end;) {
        char form[40] = "%";
        const char *next = memchr(at, '%', (size_t)(end - at));
        size_t used = 1;
        fwrite(at, 1, (size_t)((next ? next : end) - at), out);
        if (!next) break;
        for (at = next + 1; used < 24 && strchr("-+ #0123456789.*lzj", *at); at++)
            if (*at == '*') used += (size_t)snprintf(form + used, 12, "%d", va_arg(*args, int));
            else form[used++] = *at;
        form[used] = *at++;
        if (form[1] == '%') fputc('%', out);
        else none |= put_conversion(out, is_csv, form, args);
    }
    return none;
}

void ladder_html_list(FILE *out, const char *format, const char *end, va_list *args) {
    put_format(out, false, format, end, args);
}

void ladder_html(FILE *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_format(out, false, format, format + strlen(format), &args);
    va_end(args);
}

// ---- tables of a page ----

static void begin_cell(FILE *out, const char *element, char mark) {
    const char *class = mark == '#' ? "num" : mark == '$' ? "points" : mark == '~' ? "long" : NULL;
    fprintf(out, class ? "<%s class=\"%s\">" : "<%s>", element, class);
}

void ladder_html_table(FILE *out, const char *label, const char *titles) {
    ladder_html(out,
                "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\"><table "
                "class=\"wide-table%s\"><thead><tr>",
                label, titles[0] == '$' ? " marks" : "");
    for (const char *at = titles, *end = titles; *end != '\0'; at = end + 1) {
        end = at + strcspn(at, "|");
        begin_cell(out, "th scope=\"col\"", *at);
        at += strspn(at, "#$");
        fprintf(out, "%.*s</th>", (int)(end - at), at);
    }
    fputs("</tr></thead><tbody>\n", out);
}

void ladder_html_table_end(FILE *out) { fputs("</tbody></table></div>\n", out); }

void ladder_html_row(FILE *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("<tr>", out);
    for (const char *at = format, *end = at; *end != '\0'; at = end + 1) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *cell = open_memstream(&text, &bytes);
        bool heads = *at == '!';
        end = at + strcspn(at, "|");
        begin_cell(out, heads ? "th scope=\"row\"" : "td", *at);
        if (end > format && end[-1] == '|' && *end == '\0') { // the caller's
            if (cell) fclose(cell);
            free(text);
            va_end(args);
            return;
        }
        at += strspn(at, "#$~!") > 0;
        bool none = cell && put_format(cell, false, at, end, &args);
        if (cell && fclose(cell) == 0 && !none) fputs(text, out);
        free(text);
        fputs(heads ? "</th>" : "</td>", out);
    }
    fputs("</tr>\n", out);
    va_end(args);
}

void ladder_html_row_end(FILE *out) { fputs("</td></tr>\n", out); }

void ladder_cells(FILE *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    put_format(out, true, format, format + strlen(format), &args);
    va_end(args);
}

void ladder_remove_text(char *text, const char *part) {
    size_t length = strlen(part);
    char *found = length > 0 ? strstr(text, part) : NULL;
    while (found) {
        memmove(found, found + length, strlen(found + length) + 1);
        found = strstr(found, part);
    }
}

enum { WORD_MAX = 64 }; // longer words are compared by their first 64 bytes

size_t ladder_edit_distance(const char *a, const char *b) {
    size_t rows = strnlen(a, WORD_MAX);
    size_t columns = strnlen(b, WORD_MAX);
    size_t cost[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= rows; i++) cost[i][0] = i;
    for (size_t j = 0; j <= columns; j++) cost[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        for (size_t j = 1; j <= columns; j++) {
            int ca = tolower((unsigned char)a[i - 1]);
            int cb = tolower((unsigned char)b[j - 1]);
            size_t best = cost[i - 1][j - 1] + (ca != cb);
            if (cost[i - 1][j] + 1 < best) best = cost[i - 1][j] + 1;
            if (cost[i][j - 1] + 1 < best) best = cost[i][j - 1] + 1;
            bool swapped = i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
                           cb == tolower((unsigned char)a[i - 2]);
            if (swapped && cost[i - 2][j - 2] + 1 < best) best = cost[i - 2][j - 2] + 1;
            cost[i][j] = best;
        }
    }
    return cost[rows][columns];
}

const char *ladder_suggest(const char *word, const char *const *choices, size_t count) {
    const char *nearest = NULL;
    size_t nearest_cost = 0;
    size_t length = strlen(word);
    for (size_t i = 0; i < count; i++) {
        size_t allowed = length <= 3 ? 1 : length <= 6 ? 2 : 3;
        size_t cost = ladder_edit_distance(word, choices[i]);
        bool starts = length >= 3 && strncmp(word, choices[i], length) == 0;
        if (starts) cost = 1;
        if (cost <= allowed && (!nearest || cost < nearest_cost)) {
            nearest = choices[i];
            nearest_cost = cost;
        }
    }
    return nearest;
}

bool ladder_parse_uint(const char *text, uint64_t limit, uint64_t *out_value) {
    uint64_t value = 0;
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        uint64_t digit = (uint64_t)(*text - '0');
        if (digit > limit || value > (limit - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out_value = value;
    return value <= limit;
}

bool ladder_parse_size(const char *text, int64_t *out_size) {
    const uint64_t largest = UINT64_C(1) << 62;
    uint64_t value = 0;
    if (strncmp(text, "2^", 2) == 0) {
        if (!ladder_parse_uint(text + 2, 62, &value)) return false;
        *out_size = INT64_C(1) << value;
        return true;
    }
    char digits[24];
    size_t length = strlen(text);
    if (length == 0 || length >= sizeof digits) return false;
    uint64_t unit = text[length - 1] == 'k'   ? 1000
                    : text[length - 1] == 'M' ? 1000000
                    : text[length - 1] == 'G' ? 1000000000
                                              : 1;
    snprintf(digits, sizeof digits, "%.*s", (int)(length - (unit > 1)), text);
    if (!ladder_parse_uint(digits, largest / unit, &value)) return false;
    *out_size = (int64_t)(value * unit);
    return true;
}

bool ladder_is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// ptxas on a kernel that declares more shared memory than it may, as a sentence.
static bool explain_shared(const char *log, char *out, size_t out_bytes) {
    const char *at = strstr(log, "Entry function '");
    char kernel[128];
    unsigned bytes, most;
    if (!at || sscanf(at, "Entry function '%127[^']' uses too much shared data (%x bytes, %x max)",
                      kernel, &bytes, &most) != 3)
        return false;
    snprintf(
        out, out_bytes,
        "error: kernel %s declares %u bytes of shared memory, and a kernel may declare %u: use "
        "less, or extern __shared__ with the size at the launch",
        kernel, bytes, most);
    return true;
}

void ladder_first_error(const char *log, char *out, size_t out_bytes) {
    out[0] = '\0';
    if (explain_shared(log, out, out_bytes)) return;
    const char *found = strstr(log, "error");
    if (!found) return;
    const char *start = found;
    while (start > log && start[-1] != '\n') start--;
    snprintf(out, out_bytes, "%.*s", (int)strcspn(start, "\n"), start);
}

void ladder_last_line(const char *log, char *out, size_t out_bytes) {
    size_t end = strlen(log);
    while (end > 0 && isspace((unsigned char)log[end - 1])) end--;
    size_t start = end;
    while (start > 0 && log[start - 1] != '\n') start--;
    snprintf(out, out_bytes, "%.*s", (int)(end - start), log + start);
}

static char *put_time(double seconds, const char *format, char *out) {
    time_t whole = (time_t)seconds;
    struct tm parts = {0};
    gmtime_r(&whole, &parts);
    strftime(out, 32, format, &parts);
    return out;
}

int ladder_steps_named(const char *text, int step) {
    int named = 0, before = -1;
    bool found = false, range = false;
    while (isdigit((unsigned char)*text)) {
        char *end = NULL;
        int number = (int)strtol(text, &end, 10);
        found = found || number == step || (range && before < step && step < number);
        named += range ? number - before : 1;
        before = number;
        range = strncasecmp(end, " to ", 4) == 0 || *end == '-';
        text = end + (range ? strspn(end, " to-") : strspn(end, ", and"));
    }
    return found ? named : 0;
}

char *ladder_time_text(double seconds, char *out) {
    return put_time(seconds, "%Y-%m-%d %H:%M UTC", out);
}

char *ladder_time_iso(double seconds, char *out) {
    return put_time(seconds, "%Y-%m-%dT%H:%M:%SZ", out);
}

void ladder_hide_comments(char *source) {
    for (char *at = source; *at != '\0';) {
        char *end = at + 1;
        if (at[0] == '/' && at[1] == '/') {
            end = at + strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            end = strstr(at + 2, "*/");
            end = end ? end + 2 : at + strlen(at);
        } else if (*at == '"' || *at == '\'') {
            while (*end != '\0' && *end != *at && *end != '\n')
                end += end[0] == '\\' && end[1] ? 2 : 1;
            char quote = *at;
            memset(at + 1, '.', (size_t)(end - at - 1));
            at = end + (*end == quote);
            continue;
        } else {
            at = end;
            continue;
        }
        for (; at < end; at++)
            if (*at != '\n') *at = ' ';
    }
}
