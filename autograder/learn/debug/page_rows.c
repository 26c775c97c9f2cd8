// Rows of a recording as JSON, and values of lanes as runs.
#include "learn/debug/internal.h"

uint32_t record_warp_of(const recorder *r, const sim_debug_thread *thread) {
    return (uint32_t)(thread->block - r->first_block) * r->warps + thread->warp;
}

FILE *record_row(record_part *part) {
    if (!part->out) part->out = open_memstream(&part->text, &part->bytes);
    fputs(part->rows++ ? ",\n[" : "[", part->out);
    return part->out;
}

void record_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fputc('\\', out);
        if (c < 0x20 || c == '<') // "</script>" would end the data
            fprintf(out, "\\u%04x", c);
        else fputc(c, out);
    }
    fputc('"', out);
}

static bool record_is_integer(const char *text, int64_t *out) {
    char canonical[32], *end;
    const int64_t most = INT64_C(1) << 53; // exact in JavaScript
    if (!text || !*text) return false;
    *out = strtoll(text, &end, 10);
    snprintf(canonical, sizeof canonical, "%" PRId64, *out);
    return strcmp(canonical, text) == 0 && *out > -most && *out < most;
}

static bool record_equal(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void record_single(FILE *out, const char *text) {
    int64_t ignored;
    if (!text) fputs("null", out);
    else if (record_is_integer(text, &ignored)) fputs(text, out);
    else record_string(out, text);
}

// Length of an arithmetic sequence from `first` on.
static uint32_t record_sequence(const char *const *texts, uint32_t count, int64_t *out_first,
                                int64_t *out_step) {
    int64_t before, next;
    if (count < 3 || !record_is_integer(texts[0], out_first) || !record_is_integer(texts[1], &next))
        return 0;
    *out_step = next - *out_first;
    uint32_t length = 2;
    for (before = next; length < count && record_is_integer(texts[length], &next); length++) {
        if (next - before != *out_step) break;
        before = next;
    }
    return length;
}

void record_runs(FILE *out, const char *const *texts, uint32_t count) {
    fputc('[', out);
    for (uint32_t i = 0; i < count;) {
        uint32_t same = 1;
        int64_t first, step;
        while (i + same < count && record_equal(texts[i], texts[i + same])) same++;
        uint32_t length = same > 1 ? 0 : record_sequence(texts + i, count - i, &first, &step);
        if (i > 0) fputc(',', out);
        if (length >= 3) {
            fprintf(out, "[%" PRId64 ",%" PRId64 ",%u]", first, step, length);
            i += length;
            continue;
        }
        if (same > 1) fputc('[', out);
        record_single(out, texts[i]);
        if (same > 1) fprintf(out, ",%u]", same);
        i += same;
    }
    fputc(']', out);
}
