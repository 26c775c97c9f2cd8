// Video instructions (PTX ISA 9.0, sections 9.7.17 and 9.7.18): see program/fpmath.h.
#include "program/fpmath.h"
#include "warps/lanes.h"

static int64_t extend(uint64_t bits, uint8_t width, bool is_signed) {
    uint8_t unused = (uint8_t)(64 - width);
    return is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)(bits << unused >> unused);
}
static int64_t element(const sim_video_source *source, uint64_t pair, uint32_t index) {
    return extend(pair >> source->from[index], source->bits, source->is_signed);
}

static bool compare(sim_compare how, int64_t a, int64_t b) {
    switch (how) {
    case SIM_CMP_EQ: return a == b;
    case SIM_CMP_NE: return a != b;
    case SIM_CMP_LT: return a < b;
    case SIM_CMP_LE: return a <= b;
    case SIM_CMP_GT: return a > b;
    default: return a >= b;
    }
}

static int64_t shifted(const sim_video *video, int64_t a, uint64_t count) {
    count = video->wraps ? count % 32 : count > 32 ? 32 : count;
    return video->operation == SIM_VIDEO_SHL ? (int64_t)((uint64_t)a << count) : a >> count;
}

static int64_t compute(const sim_video *video, int64_t a, int64_t b) {
    switch (video->operation) {
    case SIM_VIDEO_ADD: return a + b;
    case SIM_VIDEO_SUB: return a - b;
    case SIM_VIDEO_ABSDIFF: return a > b ? a - b : b - a;
    case SIM_VIDEO_MIN: return a < b ? a : b;
    case SIM_VIDEO_MAX: return a > b ? a : b;
    case SIM_VIDEO_AVERAGE: return (a + b + (a + b >= 0)) >> 1; // halves away from zero
    case SIM_VIDEO_SET: return compare(video->compare, a, b);
    default: return shifted(video, a, (uint32_t)b);
    }
}

static int64_t clamp(int64_t value, uint8_t bits, bool is_signed) {
    int64_t high = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1,
            low = is_signed ? -high - 1 : 0;
    return value < low ? low : value > high ? high : value;
}

static uint32_t with_c(const sim_video *video, int64_t value, uint32_t c) {
    uint32_t plain = (uint32_t)value;
    bool smaller = video->is_signed ? (int32_t)plain < (int32_t)c : plain < c;
    if (video->second == SIM_VIDEO_PLUS) return plain + c;
    return (video->second == SIM_VIDEO_LEAST) == smaller ? plain : c;
}

static uint32_t result(const sim_video *video, uint64_t pair, uint32_t c) {
    uint32_t merged = c, sum = c;
    for (uint32_t i = 0; i < video->elements; i++) {
        if (!(video->mask >> i & 1)) continue;
        int64_t value = compute(video, element(&video->a, pair, i), element(&video->b, pair, i));
        if (video->saturates) value = clamp(value, video->bits, video->is_signed);
        uint32_t field = (UINT32_MAX >> (32 - video->bits)) << video->to[i];
        merged = (merged & ~field) | ((uint32_t)value << video->to[i] & field);
        sum = video->second == SIM_VIDEO_MERGE ? 0 : with_c(video, value, sum);
    }
    return video->second == SIM_VIDEO_MERGE ? merged : sum;
}

HANDLER(video_any) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    SRC(uint32_t, b, 1);
    const uint32_t *c = instr->src[2] == SIM_NO_SLOT ? NULL : SLOT(const uint32_t, instr->src[2]);
    const sim_video *video = instr->extra;
    LANES_SCALAR(uint32_t, d, result(video, a[i] | (uint64_t)b[i] << 32, c ? c[i] : 0));
}

// a * b + c, with one operand or the product negated or one added, then shifted. The product of two
// 32-bit numbers and a third need 66 bits.
static uint32_t multiply_add(const sim_video *video, uint64_t pair, uint32_t c) {
    bool negates_product = video->a.negated != video->b.negated;
    bool is_signed =
        video->a.is_signed || video->b.is_signed || negates_product || video->c_negated;
    __int128 sum = (__int128)element(&video->a, pair, 0) * element(&video->b, pair, 0);
    __int128 addend = is_signed ? (__int128)(int32_t)c : (__int128)c;
    if (negates_product) sum = -sum;
    if (video->c_negated) addend = -addend;
    sum = (sum + addend + video->plus_one) >> video->shift;
    if (video->saturates) {
        __int128 high = is_signed ? INT32_MAX : UINT32_MAX, low = is_signed ? INT32_MIN : 0;
        sum = sum < low ? low : sum > high ? high : sum;
    }
    return (uint32_t)sum;
}

HANDLER(video_mad) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    SRC(uint32_t, b, 1);
    SRC(uint32_t, c, 2);
    const sim_video *video = instr->extra;
    LANES_SCALAR(uint32_t, d, multiply_add(video, a[i] | (uint64_t)b[i] << 32, c[i]));
}

BIND(VIDEO) {
    const sim_video *video = instr->extra;
    return video->operation == SIM_VIDEO_MAD ? video_mad : video_any;
}
