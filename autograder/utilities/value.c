// Values as numbers: see finding.h.
#include "utilities/finding.h"
#include "program/fpmath.h"
#include "utilities/text.h"

typedef enum number_kind {
    NUMBER_UNKNOWN,
    NUMBER_SIGNED,
    NUMBER_UNSIGNED,
    NUMBER_REAL,
    NUMBER_BFLOAT16,
    NUMBER_POINTER
} number_kind;

// How the bytes of a value are divided into numbers.
typedef struct number_type {
    number_kind kind;
    uint32_t bytes; // of each
} number_type;

// Types of one word; those of several (unsigned long long) are put together from them.
static const struct {
    const char *name;
    number_type type;
} words[] = {
    {"float", {NUMBER_REAL, 4}},
    {"double", {NUMBER_REAL, 8}},
    {"half", {NUMBER_REAL, 2}},
    {"__half", {NUMBER_REAL, 2}},
    {"half2", {NUMBER_REAL, 2}},
    {"__half2", {NUMBER_REAL, 2}},
    {"float2", {NUMBER_REAL, 4}},
    {"float3", {NUMBER_REAL, 4}},
    {"float4", {NUMBER_REAL, 4}},
    {"double2", {NUMBER_REAL, 8}},
    {"__nv_bfloat16", {NUMBER_BFLOAT16, 2}},
    {"__nv_bfloat162", {NUMBER_BFLOAT16, 2}},
    {"bool", {NUMBER_UNSIGNED, 1}},
    {"int8_t", {NUMBER_SIGNED, 1}},
    {"uint8_t", {NUMBER_UNSIGNED, 1}},
    {"int16_t", {NUMBER_SIGNED, 2}},
    {"uint16_t", {NUMBER_UNSIGNED, 2}},
    {"int32_t", {NUMBER_SIGNED, 4}},
    {"uint32_t", {NUMBER_UNSIGNED, 4}},
    {"int64_t", {NUMBER_SIGNED, 8}},
    {"uint64_t", {NUMBER_UNSIGNED, 8}},
    {"size_t", {NUMBER_UNSIGNED, 8}},
    {"uint", {NUMBER_UNSIGNED, 4}},
    {"uchar", {NUMBER_UNSIGNED, 1}},
    {"int2", {NUMBER_SIGNED, 4}},
    {"int3", {NUMBER_SIGNED, 4}},
    {"int4", {NUMBER_SIGNED, 4}},
    {"uint2", {NUMBER_UNSIGNED, 4}},
    {"uint3", {NUMBER_UNSIGNED, 4}},
    {"uint4", {NUMBER_UNSIGNED, 4}},
    {"uchar4", {NUMBER_UNSIGNED, 1}},
    {"char4", {NUMBER_SIGNED, 1}},
    {"longlong2", {NUMBER_SIGNED, 8}},
    {"ulonglong2", {NUMBER_UNSIGNED, 8}},
};

typedef struct word_counts {
    int is_unsigned, is_signed, is_char, is_short, is_int, is_long;
} word_counts;

static bool is_word(const char *at, size_t length, const char *word) {
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

// Types that are words of their own end the search: what stands behind them belongs to the name.
static bool read_word(const char *at, size_t length, word_counts *counts, number_type *out) {
    counts->is_unsigned += is_word(at, length, "unsigned");
    counts->is_signed += is_word(at, length, "signed");
    counts->is_char += is_word(at, length, "char");
    counts->is_short += is_word(at, length, "short");
    counts->is_int += is_word(at, length, "int");
    counts->is_long += is_word(at, length, "long");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(at, length, words[i].name)) {
            *out = words[i].type;
            return true;
        }
    return false;
}

static number_type declared_type(const char *text) {
    word_counts counts = {0};
    number_type type = {NUMBER_UNKNOWN, 0};
    if (!text) return type;
    const char *shared = strstr(text, "__shared__");
    for (const char *at = shared ? shared : text; *at;) {
        if (*at == '*') return (number_type){NUMBER_POINTER, 8};
        size_t length = 0;
        while (ladder_is_word(at[length])) length++;
        if (length && read_word(at, length, &counts, &type)) {
            at += length + strspn(at + length, " \t");
            return *at == '*' ? (number_type){NUMBER_POINTER, 8} : type;
        }
        at += length ? length : 1;
    }
    type.kind = counts.is_unsigned ? NUMBER_UNSIGNED : NUMBER_SIGNED;
    if (counts.is_char) type.bytes = 1;
    else if (counts.is_short) type.bytes = 2;
    else if (counts.is_long) type.bytes = 8;
    else if (counts.is_int || counts.is_unsigned || counts.is_signed) type.bytes = 4;
    else type.kind = NUMBER_UNKNOWN;
    return type;
}

static double real_of(const uint8_t *at, number_type type) {
    uint16_t half;
    uint32_t word;
    float single;
    double wide;
    if (type.bytes == 8) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    if (type.bytes == 4) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    memcpy(&half, at, sizeof half);
    if (type.kind == NUMBER_REAL) return (double)sim_float_from_f16(half);
    word = (uint32_t)half << 16;
    memcpy(&single, &word, sizeof single);
    return (double)single;
}

static void number_text(const uint8_t *at, number_type type, char *text, size_t bytes) {
    uint64_t bits = 0;
    memcpy(&bits, at, type.bytes);
    uint32_t unused = 64 - 8 * type.bytes;
    switch (type.kind) {
    case NUMBER_SIGNED:
        snprintf(text, bytes, "%" PRId64, (int64_t)(bits << unused) >> unused);
        break;
    case NUMBER_UNSIGNED: snprintf(text, bytes, "%" PRIu64, bits); break;
    case NUMBER_POINTER: snprintf(text, bytes, "0x%" PRIx64, bits); break;
    default: snprintf(text, bytes, type.bytes == 8 ? "%.10g" : "%g", real_of(at, type));
    }
}

// Nothing is known: all that it may be.
static void unknown_text(const sim_check_side *side, char *text, size_t text_bytes) {
    uint64_t bits = 0;
    float real;
    memcpy(&bits, side->value, side->value_bytes < 8 ? side->value_bytes : 8);
    memcpy(&real, side->value, sizeof real);
    int used = snprintf(text, text_bytes, "0x%" PRIx64, bits);
    if (side->value_bytes == 4 && used > 0)
        snprintf(text + used, text_bytes - (size_t)used, " (%" PRId32 " as an int, %g as a float)",
                 (int32_t)bits, (double)real);
    else if (side->value_bytes < 4 && used > 0)
        snprintf(text + used, text_bytes - (size_t)used, " (%" PRIu64 ")", bits);
}

// A search in the text may find the declaration of another variable: one of 4 or 8 bytes that the
// instruction contradicts is not believed.
static bool contradicts(const sim_check_side *side, number_type type) {
    bool is_real = type.kind == NUMBER_REAL, is_pointer = type.kind == NUMBER_POINTER;
    if (type.bytes < 4) return false;
    return (side->value_kind == SIM_VALUE_REAL && !is_real) ||
           (side->value_kind == SIM_VALUE_INTEGER && is_real && !is_pointer);
}

void ladder_value_text(const sim_check_side *side, const char *declared, char *text,
                       size_t text_bytes) {
    number_type type = declared_type(declared);
    uint32_t bytes = side->value_bytes;
    if (type.kind == NUMBER_UNKNOWN || type.bytes > bytes || bytes % type.bytes ||
        contradicts(side, type)) {
        type = (number_type){NUMBER_UNKNOWN, side->element_bytes};
        if (side->value_kind == SIM_VALUE_REAL) type.kind = NUMBER_REAL;
        if (side->value_kind == SIM_VALUE_INTEGER) type.kind = NUMBER_SIGNED;
        bool fits = type.bytes > 0 && type.bytes <= 8 && bytes % type.bytes == 0;
        if (type.kind == NUMBER_UNKNOWN || !fits) {
            unknown_text(side, text, text_bytes);
            return;
        }
    }
    char numbers[256] = "";
    for (uint32_t at = 0; at < bytes; at += type.bytes) {
        size_t used = strlen(numbers);
        if (at) used += (size_t)snprintf(numbers + used, sizeof numbers - used, ", ");
        number_text(side->value + at, type, numbers + used, sizeof numbers - used);
    }
    snprintf(text, text_bytes, bytes > type.bytes ? "(%s)" : "%s", numbers);
}
