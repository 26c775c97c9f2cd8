// Texels and coordinates of the texture cases: fixed functions of the case and of counters, so that
// only results need to be stored. Coordinates favour the places where texture units differ from
// real arithmetic: halves, multiples of 1/256 and 1/512, the edges, and what is no number.
#include "texture_program.h"

#include <math.h>
#include <string.h>

static const struct {
    int bits;
    enum cudaChannelFormatKind kind;
} formats[] = {
    [FORMAT_F32] = {32, cudaChannelFormatKindFloat},
    [FORMAT_RANDOM_F32] = {32, cudaChannelFormatKindFloat},
    [FORMAT_F16] = {16, cudaChannelFormatKindFloat},
    [FORMAT_U8] = {8, cudaChannelFormatKindUnsigned},
    [FORMAT_S8] = {8, cudaChannelFormatKindSigned},
    [FORMAT_U16] = {16, cudaChannelFormatKindUnsigned},
    [FORMAT_S16] = {16, cudaChannelFormatKindSigned},
    [FORMAT_U32] = {32, cudaChannelFormatKindUnsigned},
    [FORMAT_S32] = {32, cudaChannelFormatKindSigned},
    [FORMAT_SRGB_U8] = {8, cudaChannelFormatKindUnsigned},
};

const texture_case texture_cases[] = {
#define TEXTURE_CASE(fetch, resource, format, channels, filter, address, space, read)              \
    {#fetch "-" #resource "-" #format "x" #channels "-" #filter "-" #address "-" #space "-" #read, \
     FETCH_##fetch,                                                                                \
     RESOURCE_##resource,                                                                          \
     FORMAT_##format,                                                                              \
     channels,                                                                                     \
     cudaFilterMode##filter,                                                                       \
     cudaAddressMode##address,                                                                     \
     SPACE_##space,                                                                                \
     cudaReadMode##read},
#include "texture_cases.def"
#undef TEXTURE_CASE
};
const size_t texture_case_count = sizeof texture_cases / sizeof texture_cases[0];

// Finaliser of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t mix(uint64_t value) {
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static double unit_of(uint64_t random) { // [0, 1)
    return (double)(random >> 40) / (double)(1 << 24);
}

texture_size texture_size_of(const texture_case *test) {
    if (test->resource == RESOURCE_LINEAR) return (texture_size){1000, 0, 0};
    switch (test->fetch) {
    case FETCH_FETCH_1D:
    case FETCH_1D:
    case FETCH_SURFACE_1D_CLAMP:
    case FETCH_SURFACE_1D_ZERO: return (texture_size){61, 0, 0};
    case FETCH_3D:
    case FETCH_SURFACE_3D_CLAMP:
    case FETCH_SURFACE_3D_ZERO: return (texture_size){13, 11, 7};
    case FETCH_LAYERED_1D: return (texture_size){37, 0, 5};
    case FETCH_LAYERED_2D:
    case FETCH_SURFACE_LAYERED_2D_ZERO: return (texture_size){19, 15, 4};
    default: return (texture_size){29, 17, 0};
    }
}

size_t texture_texel_bytes(const texture_case *test) {
    return (size_t)(formats[test->format].bits / 8 * test->channels);
}

size_t texture_texel_count(const texture_case *test) {
    texture_size size = texture_size_of(test);
    return (size_t)size.width * (size.height ? size.height : 1) * (size.depth ? size.depth : 1);
}

struct cudaChannelFormatDesc texture_channels(const texture_case *test) {
    int bits = formats[test->format].bits;
    struct cudaChannelFormatDesc desc = {.f = formats[test->format].kind};
    desc.x = bits;
    desc.y = test->channels > 1 ? bits : 0;
    desc.z = desc.w = test->channels > 2 ? bits : 0;
    return desc;
}

bool texture_is_surface(const texture_case *test) { return test->fetch >= FETCH_SURFACE_1D_CLAMP; }

bool texture_result_is_float(const texture_case *test) {
    return formats[test->format].kind == cudaChannelFormatKindFloat ||
           test->read == cudaReadModeNormalizedFloat;
}

void texture_fill_texels(const texture_case *test, void *out_texels) {
    size_t count = texture_texel_count(test) * (size_t)test->channels;
    uint8_t *out = out_texels;
    for (size_t i = 0; i < count; i++) {
        uint64_t random = mix(i + 1000003 * (uint64_t)test->format);
        uint32_t word = (uint32_t)(random >> 13);
        float number = (float)((int)(random % 2001) - 1000);
        if (test->format == FORMAT_RANDOM_F32) number = (float)(2 * unit_of(random) - 1);
        if (test->format == FORMAT_F32 || test->format == FORMAT_RANDOM_F32)
            memcpy(&word, &number, sizeof word);
        if (test->format == FORMAT_F16) // exponents up to 2^3, denormals too
            word = (word & 0x83FF) | (uint32_t)(random % 19) << 10;
        int bytes = formats[test->format].bits / 8;
        memcpy(out, &word, (size_t)bytes);
        out += bytes;
    }
}

static float special_of(uint64_t random) {
    static const float values[] = {
        INFINITY,   -INFINITY, 1e9f,        -1e9f,     3e38f,    -3e38f,       1e-40f,
        -1e-40f,    -0.0f,     -1e-20f,     1e-20f,    8388609,  2147483648.f, -2147483648.f,
        65536.699f, -65536.3f, 16777215.0f, -255.998f, 32767.5f, -32768.25f,
    };
    uint64_t at = random % (sizeof values / sizeof values[0] + 1);
    return at == sizeof values / sizeof values[0] ? NAN : values[at];
}

// A coordinate along an axis of `count` texels, in texels.
static float coordinate_of(uint64_t random, uint32_t count, bool unit) {
    double n = count, reach = unit ? 2.5 : 0.25;
    double anywhere = (unit_of(mix(random)) * (1 + 2 * reach) - reach) * n;
    float near;
    switch (random % 16) {
    case 0:
    case 1: return (float)(floor(anywhere * 256) / 256);
    case 2:
    case 3: return (float)(floor(anywhere * 512) / 512);
    case 4: return (float)floor(anywhere);
    case 5: return (float)(floor(anywhere) + 0.5);
    case 6: near = (float)floor(anywhere); return nextafterf(near, INFINITY);
    case 7: near = (float)floor(anywhere); return nextafterf(near, -INFINITY);
    case 8: return special_of(mix(random));
    case 9:
    case 10:
    case 11: return (float)(unit_of(mix(random)) * n);
    default: return (float)anywhere;
    }
}

static uint32_t float_word(const texture_case *test, uint64_t random, uint32_t count) {
    bool unit = test->space == SPACE_UNIT;
    float value = coordinate_of(random, count ? count : 1, unit);
    if (unit) value = value / (float)(count ? count : 1);
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static uint32_t integer_word(uint64_t random, uint32_t count, int scale) {
    static const int32_t far[] = {INT32_MIN, INT32_MAX, -1, -65536, 65536, 1 << 27};
    if (!count) count = 1;
    if (random % 12 == 0 && scale == 1) return (uint32_t)far[mix(random) % 6];
    int32_t at = (int32_t)(mix(random) % (count + count / 2 + 4)) - (int32_t)(count / 4) - 2;
    return (uint32_t)(at * scale);
}

void texture_fill_tuples(const texture_case *test, uint32_t (*out)[TEXTURE_WORDS]) {
    texture_size size = texture_size_of(test);
    bool surface = texture_is_surface(test);
    bool by_texel = test->fetch >= FETCH_SURFACE_STORE_2D_ZERO;
    bool integers = surface || test->fetch <= FETCH_FETCH_2D;
    bool layered = test->fetch == FETCH_LAYERED_1D || test->fetch == FETCH_LAYERED_2D ||
                   test->fetch == FETCH_SURFACE_LAYERED_2D_ZERO;
    uint32_t counts[3] = {size.width, size.height, size.depth};
    for (uint64_t at = 0; at < TEXTURE_TUPLES; at++) {
        for (uint64_t axis = 0; axis < 3; axis++) {
            uint64_t random = mix(at * 3 + axis + 7919 * (uint64_t)test->fetch);
            int scale = surface && axis == 0 && !by_texel ? (int)texture_texel_bytes(test) : 1;
            if (surface) random |= 1; // 12 divides no odd number: stay near
            out[at][axis] = integers ? integer_word(random, counts[axis], scale)
                                     : float_word(test, random, counts[axis]);
        }
        uint64_t random = mix(at + 104729);
        out[at][3] = (uint32_t)(random >> 20);
        if (layered) out[at][3] = (uint32_t)((int)(random % (size.depth + 4)) - 2);
    }
}
