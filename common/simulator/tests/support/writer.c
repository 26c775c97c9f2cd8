// See bytes.h.
#include "support/bytes.h"

void writer_begin(writer *out, uint64_t seed) {
    out->text[0] = '\0';
    out->used = 0;
    out->state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
}

uint32_t below(writer *out, uint32_t count) {
    return (uint32_t)(random_bits(&out->state) >> 33) % count;
}

void put(writer *out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(out->text + out->used, sizeof out->text - out->used, format, arguments);
    va_end(arguments);
    out->used += (size_t)written;
    if (written <= 0 || out->used >= sizeof out->text) ck_abort_msg("the text is too long");
}
