// Operand tuples of a case: all crossings of the corner values of its domains (evenly thinned to
// OPERAND_CROSSED), then random ones. Everything comes from counters and hashes, so that every
// machine makes the same tuples.
#include "operand_program.h"

#include <string.h>

// clang-format off
typedef enum values {
    VALUES_INT16, VALUES_INT32, VALUES_INT64, VALUES_F16, VALUES_BF16, VALUES_F16X2, VALUES_BF16X2,
    VALUES_F32, VALUES_F64, VALUES_ANGLE, VALUES_WIDE_ANGLE, VALUES_WHOLE, VALUES_WHOLE64,
    VALUES_SHIFT, VALUES_FIELD, VALUES_SELECTOR, VALUES_SMALL, VALUES_SMALL64, VALUES_OFFSET,
    VALUES_BIT, VALUES_LANE, VALUES_FAR_LANE, VALUES_WARP_MASK, VALUES_WARP_BIT, VALUES_WARP_SAME,
    VALUES_WARP_SAME64, VALUES_SHFL_C, VALUES_SHFL_UP_C
} values;
// clang-format on

static const struct {
    const char *name;
    int bytes; // kept of a result
    int width; // bytes of the C type
    values values;
} domains[] = {
#define OPERAND_DOMAIN(name, type, bytes, values) {#name, bytes, sizeof(type), VALUES_##values},
#include "operand_domains.def"
#undef OPERAND_DOMAIN
};

const char *operand_domain_name(operand_domain domain) { return domains[domain].name; }

int operand_domain_bytes(operand_domain domain) { return domains[domain].bytes; }

// Corner values, the most telling first: two operands cross the first 32 of each, three the first
// 12.
static const uint64_t corners_int16[] = {
    0,    1,      0xFFFF, 0x8000, 0x7FFF, 2,      0xFFFE, 0x8001, 0x7FFE, 3,
    0xFF, 0x100,  0xFF80, 0x7F,   0x80,   0x1234, 0x5555, 0xAAAA, 5,      7,
    10,   0xFFF9, 0x0F0F, 0xF0F0, 0x1F,   0x20,   0xC000, 0x3FFF, 0x4000};
static const uint64_t corners_int32[] = {
    0,          1,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 2,          0xFFFFFFFE, 0x80000001,
    0x0000FFFF, 0x00010000, 0xFFFF8000, 3,          0x7FFFFFFE, 0x000000FF, 0x00000100, 0xFFFFFF80,
    0x12345678, 0xDEADBEEF, 0x55555555, 0xAAAAAAAA, 0x00FFFFFF, 0x01000000, 0x00007FFF, 0x00008000,
    0x0000007F, 0x00000080, 5,          7,          10,         0xFFFFFFF9, 0x3B9ACA07, 0xC0000000,
    31,         32,         0x40000000, 0x01000001, 0xFFFFFF7F, 0xFFFF7FFF, 0x7FFFFF80, 0x00FFFFFE,
    0x7FFFFFC0, 0x800000FF, 0xFFFF0000, 0x0F0F0F0F};
// clang-format off
static const uint64_t corners_int64[] = {
    0, 1, 0xFFFFFFFFFFFFFFFF, 0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 2, 0xFFFFFFFFFFFFFFFE,
    0x8000000000000001, 0x00000000FFFFFFFF, 0x0000000100000000, 0xFFFFFFFF80000000, 3,
    0x0000000080000000, 0x000000007FFFFFFF, 0xFFFFFFFF00000000, 0xFFFFFFFF7FFFFFFF, 0xFFFF, 0xFF80,
    0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 5, 7, 10,
    0xFFFFFFFFFFFFFFF9, 0x20000000000001, 0x1FFFFFFFFFFFFF, 0x7FFFFFFFFFFFFE00, 0x7F, 0x80,
    0xFFFFFFFFFFFFFF80, 0x8000, 0x7FFF, 0xFFFFFFFFFFFF8000, 0xFF, 0x100, 0x10000, 0x01000001,
    0x7FFFFFFFFFFFFDFF, 0xFFFFFFFFFFFFFBFF, 0x3FFFFFFFFFFFFFFF, 0x4000000000000000
};
// clang-format on
static const uint64_t corners_f32[] = {0x00000000, 0x80000000, 0x3F800000, 0xBF800000,
                                       0x7F800000, 0xFF800000, // 0 1 infinity
                                       0x7FC00000, 0xFFC12345, 0x7F812345, 0x00000001,
                                       0x7F7FFFFF, 0x3F000000, // NaNs, ends, half
                                       0x00800000, 0x807FFFFF, 0xFF7FFFFF, 0x40400000,
                                       0x4F000000, 0xCF000000, // 2^31
                                       0x3F800001, 0x3F7FFFFF, 0x40200000, 0xBFC00000,
                                       0x33800000, 0x47800000, // 2.5 -1.5 2^-24 2^16
                                       0x477FF000, 0x4B000000, 0x4B800000, 0xC0490FDB,
                                       0x3EAAAAAB, 0x7E800000, // 65520 2^23 -pi 2^126
                                       0x00400000, 0xFFA00000, 0x7FFFFFFF, 0x5F000000,
                                       0xDF000000, 0x5F800000, // 2^63 2^64
                                       0x4F800000, 0x4EFFFFFF, 0x3EFFFFFF, 0x3F000001,
                                       0x3FC00000, 0xC0200000, // 2^32 0.5-
                                       0x42FE0000, 0x43000000, 0xC3000000, 0x437F0000,
                                       0x43800000, 0x46FFFE00, // ends of 8 and 16 bits
                                       0x47000000, 0xC7000000, 0x477FFF00, 0x477FE000,
                                       0x387FC000, 0x38800000, // and of f16
                                       0x33000000, 0x33000001, 0x3F808000, 0x3F818000,
                                       0x3F808001, 0x3F801000, // ties of bf16, f16, tf32
                                       0x3F803000, 0x3F801001, 0x43E00000, 0x43E80000,
                                       0x47600000, 0x47700000, // ends of fp8
                                       0x3B000000, 0xC2FC0000, 0xC3150000, 0x7F000000,
                                       0xC3160000, 0x43010000}; // 2^-149 for ex2
static const uint64_t corners_f64[] = {
    0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000,
    0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000012345678,
    0x7FF4000000012345, 0x0000000000000001, 0x7FEFFFFFFFFFFFFF, 0x3FE0000000000000,
    0x0010000000000000, 0x800FFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x4008000000000000,
    0x41E0000000000000, 0xC1E0000000000000, 0x3FF0000000000001, 0x3FEFFFFFFFFFFFFF,
    0x4004000000000000, 0xBFF8000000000000, 0x3E70000000000000, 0x43E0000000000000,
    0xC3E0000000000000, 0x4330000000000000, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000,
    0x3FD5555555555555, 0x36A0000000000000, 0x3690000000000000, 0xFFF4000000000000,
    0x43F0000000000000, 0x41EFFFFFFFE00000, 0x41DFFFFFFFC00000, 0x3FDFFFFFFFFFFFFF,
    0x3810000000000000, 0x380FFFFFE0000000, 0x3FF0000010000000, 0x3FF0000030000000,
    0x3FF0000010000001, 0x405FC00000000000, 0x4060000000000000, 0xC060000000000000,
    0x406FE00000000000, 0x40DFFFC000000000, 0x40E0000000000000, 0xC0E0000000000000,
    0x40EFFFE000000000, 0x40EFFE0000000000, 0x3E6FFFFFFFFFFFFF, 0x3FF8000000000000,
    0xC004000000000000, 0x7FE0000000000000, 0x0008000000000000, 0x4340000000000000};
static const uint64_t corners_f16[] = {
    0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0xFE55, 0x7D01, 0x0001,
    0x7BFF, 0x3800, 0x0400, 0x83FF, 0xFBFF, 0x4200, 0x3C01, 0x3BFF, 0x4100, 0xBE00,
    0x6400, 0x6800, 0x3555, 0xFD80, 0x7FFF, 0x0200, 0x5BF8, 0x5C00, 0x5BF0, 0xD800,
    0x7800, 0x1400, 0x37FF, 0xC100, 0x0401, 0x4C00, 0xC900, 0x5800, 0x57F0};
static const uint64_t corners_bf16[] = {
    0x0000, 0x8000, 0x3F80, 0xBF80, 0x7F80, 0xFF80, 0x7FC0, 0xFFC5, 0x7F81, 0x0001, 0x7F7F,
    0x3F00, 0x0080, 0x807F, 0xFF7F, 0x4040, 0x3F81, 0x3F7F, 0x4020, 0xBFC0, 0x4F00, 0xCF00,
    0x3EAB, 0xFFA0, 0x7FFF, 0x0040, 0x4300, 0xC300, 0x477F, 0x4780, 0x7E80, 0x3380, 0x5F00,
    0xDF00, 0x5F80, 0x4F80, 0x3EFF, 0x437F, 0x46FF, 0xC2FC, 0x4700, 0xC010};
static const uint64_t corners_angle[] = {0x00000000, 0x80000000, 0x00000001, 0x3FC90FDB, 0x40490FDB,
                                         0xC0490FDB, 0x40C90FDB, 0xC0C90FDB, 0x3F490FDB, 0x3F800000,
                                         0x33800000, 0x39800000, 0x7F800000, 0xFF800000, 0x7FC00000,
                                         0x4096CBE4, 0x3F060A92, 0x80400000};
static const uint64_t corners_shift[] = {0,   1,          31, 32, 33, 63,    64,   65,
                                         255, 0xFFFFFFFF, 15, 16, 17, 7,     8,    24,
                                         256, 0x80000000, 30, 62, 48, 0x101, 0x120};
static const uint64_t corners_field[] = {0,   1, 31, 32, 33, 63,  64,  65,
                                         255, 8, 16, 7,  24, 128, 254, 40};
static const uint64_t corners_selector[] = {0x3210, 0x7654, 0x0000,     0x7777,    0xFEDC, 0x8888,
                                            0x0123, 0x4567, 0xBA98,     0x5410,    0x7632, 1,
                                            2,      3,      0xFFFF3210, 0xFFFFFFFF};
static const uint64_t corners_lane[] = {0, 1, 31, 16, 15, 30, 2, 7, 8};
static const uint64_t corners_far_lane[] = {0, 1, 31, 32, 33, 63, 16, 47, 8};
static const uint64_t corners_offset[] = {
    0, 1, (uint32_t)-1, 2, (uint32_t)-2, 31, 32, 33, (uint32_t)-31, (uint32_t)-32, (uint32_t)-33};
static const uint64_t corners_bit[] = {0, 1};
static const uint64_t corners_small[] = {0, 1, 2, 3};

// Corner values of a kind; 0 for those that belong to a warp and for floats whose sums must be
// exact.
static int corners_of(values kind, const uint64_t **out_list) {
#define LIST(name)                                                                                 \
    *out_list = corners_##name;                                                                    \
    return (int)(sizeof corners_##name / sizeof corners_##name[0])
    switch (kind) {
    case VALUES_INT16: LIST(int16);
    case VALUES_INT32: LIST(int32);
    case VALUES_INT64: LIST(int64);
    case VALUES_F16:
    case VALUES_F16X2: LIST(f16);
    case VALUES_BF16:
    case VALUES_BF16X2: LIST(bf16);
    case VALUES_F32: LIST(f32);
    case VALUES_F64: LIST(f64);
    case VALUES_ANGLE:
    case VALUES_WIDE_ANGLE: LIST(angle);
    case VALUES_SHIFT: LIST(shift);
    case VALUES_FIELD: LIST(field);
    case VALUES_SELECTOR: LIST(selector);
    case VALUES_LANE: LIST(lane);
    case VALUES_FAR_LANE: LIST(far_lane);
    case VALUES_OFFSET: LIST(offset);
    case VALUES_BIT: LIST(bit);
    case VALUES_SMALL: LIST(small);
    default: *out_list = NULL; return 0;
    }
#undef LIST
}

static uint64_t mix(uint64_t x) { // the finaliser of splitmix64
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

uint64_t operand_hash(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    return hash;
}

// Half of them with leading zeros of any number.
static uint64_t random_int(uint64_t r, int bits) {
    uint64_t value = bits == 64 ? r : r & ((UINT64_C(1) << bits) - 1);
    uint64_t shape = mix(r);
    return shape & 1 ? value >> (shape >> 8) % (uint64_t)bits : value;
}

// A float of `fraction` fraction bits below `exponent_bits` of exponent: any bits, near 1, nearer
// 1, or at the ends.
static uint64_t random_float(uint64_t r, int fraction, int exponent_bits) {
    uint64_t bits = fraction + exponent_bits + 1 == 64
                        ? r
                        : r & ((UINT64_C(1) << (fraction + exponent_bits + 1)) - 1);
    uint64_t shape = mix(r), top = (UINT64_C(1) << exponent_bits) - 1, bias = top / 2, exponent;
    uint64_t reach = exponent_bits == 5 ? 11 : 66; // up to 2^66 meets the ends of all integers
    switch (shape % 4) {
    case 0: return bits;
    case 1: exponent = bias - reach / 3 + (shape >> 8) % (reach + reach / 3); break;
    case 2: exponent = bias - 2 + (shape >> 8) % 5; break;
    default:
        exponent = (shape >> 8) % 6 < 3 ? (shape >> 16) % 3 : top - 1 - (shape >> 16) % 3;
        break;
    }
    return (bits & ~(top << fraction)) | exponent << fraction;
}

static uint64_t float_bits(double value) {
    float narrow = (float)value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return bits;
}

static uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t random_value(values kind, uint64_t r) {
    const double pi = 3.14159265358979323846;
    double fraction = (double)(int64_t)((r >> 40) - (1 << 23)) / (1 << 23); // -1 .. 1
    switch (kind) {
    case VALUES_INT16: return random_int(r, 16);
    case VALUES_INT32: return random_int(r, 32);
    case VALUES_INT64: return random_int(r, 64);
    case VALUES_F16: return random_float(r, 10, 5);
    case VALUES_BF16: return random_float(r, 7, 8);
    case VALUES_F16X2: return random_float(r, 10, 5) | random_float(mix(r + 1), 10, 5) << 16;
    case VALUES_BF16X2: return random_float(r, 7, 8) | random_float(mix(r + 1), 7, 8) << 16;
    case VALUES_F32: return random_float(r, 23, 8);
    case VALUES_F64: return random_float(r, 52, 11);
    case VALUES_ANGLE: return float_bits(fraction * 2 * pi);
    case VALUES_WIDE_ANGLE: return float_bits(fraction * 100 * pi);
    case VALUES_WHOLE: return float_bits((double)(r % 1000));
    case VALUES_WHOLE64: return double_bits((double)(r % 1000));
    case VALUES_SHIFT: return mix(r) % 8 ? r % 70 : r & 0xFFFFFFFF;
    case VALUES_FIELD: return mix(r) % 8 ? r % 70 : r & 0xFF;
    case VALUES_SELECTOR: return mix(r) % 8 ? r & 0xFFFF : r & 0xFFFFFFFF;
    case VALUES_SMALL: return r % 4;
    case VALUES_SMALL64: return (r & 1) | (r >> 1 & 1) << 32;
    case VALUES_OFFSET: return (uint32_t)((int)(r % 69) - 34);
    case VALUES_BIT: return r % 2;
    case VALUES_LANE: return r % 32;
    case VALUES_FAR_LANE: return r % 64;
    default: return 0;
    }
}

// `r` is the same for all lanes of the warp. Returns false for kinds that do not belong to a warp.
static bool warp_value(values kind, uint64_t r, uint32_t warp, uint32_t lane, uint64_t *out_value) {
    static const uint32_t masks[] = {0xFFFFFFFF, 0x0000FFFF, 0x55555555, 0x00000001, 0x80000000,
                                     0x7FFFFFFF, 0xAAAAAAAA, 0xFFFF0000, 0x00FF00FF};
    static const uint32_t segments[] = {0, 16, 24, 28, 30, 31}; // 32 - width
    enum { MASKS = sizeof masks / sizeof masks[0] };
    bool odd_one = warp % 3 == 2 && lane == (r >> 40) % 32;
    switch (kind) {
    case VALUES_WARP_MASK:
        *out_value = warp % 16 < MASKS ? masks[warp % 16] : (uint32_t)r | 1u << (r >> 59);
        return true;
    case VALUES_WARP_BIT: *out_value = warp / 2 % 2; return true;
    case VALUES_WARP_SAME: *out_value = (uint32_t)r + odd_one; return true;
    case VALUES_WARP_SAME64: *out_value = r + ((uint64_t)odd_one << 32); return true;
    case VALUES_SHFL_C:
        *out_value = segments[warp % 6] << 8 | (warp % 4 == 3 ? r % 32 : 31);
        return true;
    case VALUES_SHFL_UP_C:
        *out_value = segments[warp % 6] << 8 | (warp % 4 == 3 ? r % 32 : 0);
        return true;
    default: return false;
    }
}

typedef struct crossing {
    const uint64_t *list[OPERAND_MAX_INPUTS];
    int length[OPERAND_MAX_INPUTS];
    uint64_t product; // 0: nothing to cross
    uint32_t used;    // tuples
} crossing;

static crossing cross(const operand_case *test) {
    static const int most[OPERAND_MAX_INPUTS + 1] = {0, 1000, 32, 12, 7};
    crossing all = {.product = 1};
    int crossed = 0;
    for (int i = 0; i < test->inputs; i++) {
        int length = corners_of(domains[test->input[i]].values, &all.list[i]);
        if (length > most[test->inputs]) length = most[test->inputs];
        all.length[i] = length;
        if (length) {
            all.product *= (uint64_t)length;
            crossed++;
        }
    }
    if (!crossed) all.product = 0;
    all.used = all.product < OPERAND_CROSSED ? (uint32_t)all.product : OPERAND_CROSSED;
    return all;
}

int operand_tuples(const operand_case *test) {
    uint32_t wanted = cross(test).used + OPERAND_RANDOM;
    return (int)((wanted + OPERAND_BLOCK - 1) / OPERAND_BLOCK * OPERAND_BLOCK);
}

// Crossed tuple `number` of `all->used`: its place among all crossings, in mixed radix.
static void crossed_tuple(const crossing *all, uint32_t number, int inputs, uint64_t *out_tuple) {
    uint64_t place = number;
    if (all->product > all->used) {
        uint64_t step = all->product / all->used;
        place = number * all->product / all->used + number * 7 % step;
        if (place >= all->product) place = all->product - 1;
    }
    for (int i = 0; i < inputs; i++) {
        if (!all->length[i]) continue;
        out_tuple[i] = all->list[i][place % (uint64_t)all->length[i]];
        place /= (uint64_t)all->length[i];
    }
}

void operand_fill(const operand_case *test, uint64_t *in) {
    crossing all = cross(test);
    uint32_t tuples = (uint32_t)operand_tuples(test);
    uint64_t seed = operand_hash(OPERAND_HASH_START, test->id, strlen(test->id));
    for (uint32_t at = 0; at < tuples; at++) {
        // Corners and random values alternate in no order, so that the tuples that are stored have
        // both.
        uint32_t number = (at * 997 + 13) %
                          tuples; // 997 has no factor in common with a multiple of 128 below 1920
        uint64_t tuple[OPERAND_MAX_INPUTS] = {0};
        for (int i = 0; i < test->inputs; i++) {
            tuple[i] = random_value(domains[test->input[i]].values,
                                    mix(seed + number * OPERAND_MAX_INPUTS + (uint64_t)i));
        }
        if (number < all.used) crossed_tuple(&all, number, test->inputs, tuple);
        for (int i = 0; i < test->inputs; i++) {
            values kind = domains[test->input[i]].values;
            if (number < all.used && (kind == VALUES_F16X2 || kind == VALUES_BF16X2))
                tuple[i] |= all.list[i][(number * 7 + 3) % (uint32_t)all.length[i]] << 16;
            warp_value(kind, mix(seed + UINT64_C(1000000) + at / 32), at / 32, at % 32, &tuple[i]);
            if (domains[test->input[i]].width < 8)
                tuple[i] &= (UINT64_C(1) << 8 * domains[test->input[i]].width) - 1;
            in[(uint32_t)i * tuples + at] = tuple[i];
        }
    }
}
