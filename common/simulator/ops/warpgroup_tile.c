// See internal.h.
#include "ops/internal.h"
#include "program/fpmath.h"

enum { USUAL_EXPONENT = 50, SINGLE_BIAS = 127 };

// How the bits of a small float become those of an f32: shifted, and scaled by a power of two.
typedef struct float_kind {
    uint32_t magnitude, infinity; // bits without the sign; those of an infinity, or what would be
    uint32_t shift;
    bool has_infinity;
    float scale;
    int16_t smallest; // exponent
} float_kind;

static float_kind kind_of(sim_element element) {
    switch (element) {
    case SIM_ELEMENT_F16: return (float_kind){0x7FFF, 0x7C00, 13, true, 0x1p112f, -14};
    case SIM_ELEMENT_BF16: return (float_kind){0x7FFF, 0x7F80, 16, true, 1, -126};
    case SIM_ELEMENT_E5M2: return (float_kind){0x7F, 0x7C, 21, true, 0x1p112f, -14};
    case SIM_ELEMENT_E4M3: return (float_kind){0x7F, 0x7F, 20, false, 0x1p120f, -6};
    default: return (float_kind){0x7FFFE000, 0x7F800000, 0, true, 1, -126}; // tf32
    }
}

// Values, exponents and oddities of `count` neighbours.
static void read_floats(const float_kind *kind, const uint32_t *bits, uint32_t count,
                        float *restrict value, int16_t *restrict exponent, uint8_t *restrict odd) {
    uint32_t sign = (kind->magnitude + 1) & ~kind->magnitude, to_top = 31;
    if (kind->shift == 0) sign = UINT32_C(1) << 31; // tf32: bits that are dropped lie below
    while (sign >> to_top == 0) to_top--;
    to_top = 31 - to_top;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t magnitude = bits[i] & kind->magnitude;
        float number = sim_float_from_bits(magnitude << kind->shift) * kind->scale;
        uint32_t plain = sim_bits_from_float(number);
        int32_t place = (int32_t)(plain >> 23) - SINGLE_BIAS;
        bool special = magnitude >= kind->infinity, zero = magnitude == 0;
        bool infinite = magnitude == kind->infinity && kind->has_infinity;
        bool unusual = place > USUAL_EXPONENT || place < -USUAL_EXPONENT;
        plain = special ? infinite ? 0x7F800000u : 0x7FC00000u : plain;
        place = place > kind->smallest ? place : kind->smallest;
        value[i] = sim_float_from_bits(plain | (bits[i] & sign) << to_top);
        exponent[i] = (int16_t)(zero ? SIM_NO_EXPONENT : place);
        odd[i] = (uint8_t)(odd[i] | special | (unusual & !zero));
    }
}

static void read_integers(sim_element element, const uint32_t *bits, uint32_t count,
                          int16_t *restrict out) {
    bool has_sign = element == SIM_ELEMENT_S8;
    for (uint32_t i = 0; i < count; i++)
        out[i] = (int16_t)(has_sign ? (int8_t)bits[i] : (int32_t)(bits[i] & 0xFF));
}

// `count` elements of `size` bytes, `step` elements apart.
static inline void spread(const uint8_t *bytes, uint32_t size, uint32_t step, uint32_t count,
                          uint32_t *restrict out) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t word = 0;
        memcpy(&word, bytes + (size_t)i * step * size, size);
        out[i] = word;
    }
}

// Which of eight columns of B has this place among them.
static const uint8_t column_at[] = {0, 2, 4, 6, 1, 3, 5, 7};

static void read_elements(const uint8_t *bytes, uint32_t size, uint32_t step, uint32_t count,
                          bool of_b, uint32_t *out) {
    if (size == 1) spread(bytes, 1, step, count, out);
    else spread(bytes, 4, step, count, out);
    for (uint32_t first = 0; of_b && first < count; first += 8) {
        uint32_t eight[8];
        memcpy(eight, out + first, sizeof eight);
        for (uint32_t i = 0; i < 8; i++) out[first + i] = eight[column_at[i]];
    }
}

// ---- 16-bit floats, eight rows at once ----------------------------------------------------------

// Vectors are passed within this file alone.
#pragma GCC diagnostic ignored "-Wpsabi"

enum { EIGHT = 8, DEPTH = SIM_TILE_K / 2 };
typedef uint16_t halves __attribute__((vector_size(2 * EIGHT)));
typedef int16_t shorts __attribute__((vector_size(2 * EIGHT)));
typedef int32_t ints __attribute__((vector_size(4 * EIGHT)));
typedef float floats __attribute__((vector_size(4 * EIGHT)));

// The lower or upper halves of two vectors, alternately; the columns of B in a tile's order.
#if defined(__has_builtin) && __has_builtin(__builtin_shufflevector)
#define LOWER(x, y)   __builtin_shufflevector(x, y, 0, 8, 1, 9, 2, 10, 3, 11)
#define UPPER(x, y)   __builtin_shufflevector(x, y, 4, 12, 5, 13, 6, 14, 7, 15)
#define EVEN_FIRST(x) __builtin_shufflevector(x, x, 0, 2, 4, 6, 1, 3, 5, 7)
#else
#define EVEN_FIRST(x)                                                                              \
    (halves) { x[0], x[2], x[4], x[6], x[1], x[3], x[5], x[7] }
#define ALTERNATE(x, y, i)                                                                         \
    (halves) { x[i], y[i], x[i + 1], y[i + 1], x[i + 2], y[i + 2], x[i + 3], y[i + 3] }
#define LOWER(x, y) ALTERNATE(x, y, 0)
#define UPPER(x, y) ALTERNATE(x, y, 4)
#endif

// Rows become columns. Each step moves the highest bit of an element's row to the end of its place,
// so that three change them.
static inline void transpose(halves v[EIGHT]) {
    halves next[EIGHT];
    for (int step = 0; step < 3; step++) {
        for (int i = 0; i < EIGHT / 2; i++) {
            next[2 * i] = LOWER(v[i], v[i + EIGHT / 2]);
            next[2 * i + 1] = UPPER(v[i], v[i + EIGHT / 2]);
        }
        memcpy(v, next, sizeof next);
    }
}

// What read_floats does with eight neighbours; false, and nothing done, where one is odd.
static inline bool read_eight(const float_kind *kind, halves from, float *value,
                              int16_t *exponent) {
    ints bits = __builtin_convertvector(from, ints), magnitude = bits & (int32_t)kind->magnitude;
    ints plain = magnitude << (int32_t)kind->shift, zero = magnitude == 0;
    floats number;
    memcpy(&number, &plain, sizeof number);
    number *= kind->scale;
    memcpy(&plain, &number, sizeof plain);
    ints place = (plain >> 23) - SINGLE_BIAS, smallest = (ints){0} + kind->smallest;
    ints odd = (magnitude >= (int32_t)kind->infinity) |
               (((place > USUAL_EXPONENT) | (place < -USUAL_EXPONENT)) & ~zero);
    uint64_t words[4];
    memcpy(words, &odd, sizeof words);
    if (words[0] | words[1] | words[2] | words[3]) return false;
    ints normal = place > smallest;
    place = (place & normal) | (smallest & ~normal);
    plain |= (bits & 0x8000) << 16;
    shorts places = __builtin_convertvector((place & ~zero) | (zero & SIM_NO_EXPONENT), shorts);
    memcpy(value, &plain, sizeof plain);
    memcpy(exponent, &places, sizeof places);
    return true;
}

// Rows from `row` on at `k`.
static void read_column(const float_kind *kind, halves from, uint32_t k, uint32_t row,
                        sim_tile *out) {
    uint32_t bits[EIGHT];
    if (read_eight(kind, from, &out->value[k][row], &out->exponent[k][row])) return;
    for (int i = 0; i < EIGHT; i++) bits[i] = from[i];
    read_floats(kind, bits, EIGHT, &out->value[k][row], &out->exponent[k][row], &out->odd[row]);
}

static void read_halves(const float_kind *kind, uint32_t rows, bool of_b, bool transposed,
                        const uint8_t *bytes, sim_tile *out) {
    for (uint32_t row = 0; row < rows; row += EIGHT)
        for (uint32_t k = 0; k < DEPTH; k += EIGHT) {
            halves v[EIGHT];
            for (uint32_t i = 0; i < EIGHT; i++) {
                uint32_t of_row = of_b ? column_at[i] : i;
                memcpy(&v[i],
                       bytes + (transposed ? ((k + i) * rows + row) * sizeof(uint16_t)
                                           : (row + of_row) * SIM_TILE_K + k * sizeof(uint16_t)),
                       sizeof v[i]);
                if (transposed && of_b) v[i] = EVEN_FIRST(v[i]);
            }
            if (!transposed) transpose(v);
            for (uint32_t i = 0; i < EIGHT; i++) read_column(kind, v[i], k + i, row, out);
        }
    if (rows % 16 == 0) return; // sums are formed by 16 columns
    for (uint32_t k = 0; k < DEPTH; k++) read_column(kind, (halves){0}, k, rows, out);
}

void SIM_VARIANT(sim_tile_read)(sim_element element, uint32_t rows, bool of_b, bool transposed,
                                const uint8_t *bytes, sim_tile *out) {
    uint32_t size = sim_element_bits(element) / 8, depth = SIM_TILE_K / size;
    float_kind kind = kind_of(element);
    bool integers = element == SIM_ELEMENT_S8 || element == SIM_ELEMENT_U8;
    memset(out->odd, 0, sizeof out->odd);
    if (size == 2) {
        read_halves(&kind, rows, of_b, transposed, bytes, out);
        return;
    }
    for (uint32_t k = 0; k < depth; k++) {
        uint32_t bits[SIM_TILE_COLUMNS];
        uint32_t padded = (rows + 15) / 16 * 16; // sums are formed by 16 columns
        read_elements(bytes + (size_t)k * size, size, depth, rows, of_b, bits);
        for (uint32_t row = rows; row < padded; row++) bits[row] = 0;
        if (integers) read_integers(element, bits, padded, out->exponent[k]);
        else read_floats(&kind, bits, padded, out->value[k], out->exponent[k], out->odd);
    }
}

void SIM_VARIANT(sim_tile_negate)(uint32_t rows, sim_tile *tile) {
    for (uint32_t k = 0; k < SIM_TILE_K; k++)
        for (uint32_t row = 0; row < rows; row++) tile->value[k][row] = -tile->value[k][row];
}
