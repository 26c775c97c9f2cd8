// Conversions of 8-bit floats, two at a time, and of integers to packed small ones (PTX ISA, "cvt",
// "cvt.pack").
#include "warps/lanes.h"
#include "program/fpmath.h"

static uint32_t narrow(const sim_instr *instr, double value) {
    if (has(instr, SIM_MOD_RELU) && !(value > 0)) value = value != value ? value : 0.0;
    return instr->variant == SIM_FP8_E4M3 ? sim_e4m3_from_double(value)
                                          : sim_e5m2_from_double(value);
}

static uint32_t widen(const sim_instr *instr, uint32_t bits) {
    double value =
        instr->variant == SIM_FP8_E4M3 ? sim_double_from_e4m3(bits) : sim_double_from_e5m2(bits);
    if (value != value) return SIM_NAN_F16;
    if (has(instr, SIM_MOD_RELU) && !(value > 0)) value = 0;
    return (uint32_t)sim_pack_double(&sim_format_f16, value, SIM_ROUND_RN);
}

// d = {a, b}, a in the upper byte.
HANDLER(fp8_from_f32) {
    DST(uint32_t);
    SRC(float, a, 0);
    SRC(float, b, 1);
    LANES_SCALAR(uint32_t, d, narrow(instr, (double)a[i]) << 8 | narrow(instr, (double)b[i]));
}

HANDLER(fp8_from_f16x2) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    LANES_SCALAR(uint32_t, d,
                 narrow(instr, sim_double_from_f16(a[i] >> 16)) << 8 |
                     narrow(instr, sim_double_from_f16(a[i] & 0xFFFF)));
}

HANDLER(f16x2_from_fp8) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    LANES_SCALAR(uint32_t, d, widen(instr, a[i] >> 8 & 0xFF) << 16 | widen(instr, a[i] & 0xFF));
}

BIND(CVT_FP8) {
    if (instr->type == PTX_F16X2) return f16x2_from_fp8;
    return instr->type2 == PTX_F32 ? fp8_from_f32 : fp8_from_f16x2;
}

// ---- cvt.pack -----------------------------------------------------------------------------------

// variant: bits of the packed type; type2 tells its sign.
static uint32_t saturated(const sim_instr *instr, int32_t value) {
    int64_t bits = instr->variant, is_signed = instr->type2 == PTX_S32;
    int64_t low = is_signed ? -(INT64_C(1) << (bits - 1)) : 0;
    int64_t high = (INT64_C(1) << (bits - is_signed)) - 1;
    int64_t clamped = value < low ? low : value > high ? high : value;
    return (uint32_t)clamped & (uint32_t)((INT64_C(1) << bits) - 1);
}

// b in the low bits, a above it; c, when there is one, shifted up above both.
HANDLER(cvt_pack) {
    DST(uint32_t);
    SRC(int32_t, a, 0);
    SRC(int32_t, b, 1);
    const uint32_t *c = instr->src[2] == SIM_NO_SLOT ? NULL : SLOT(const uint32_t, instr->src[2]);
    uint32_t bits = instr->variant;
    LANES_SCALAR(uint32_t, d,
                 saturated(instr, b[i]) | saturated(instr, a[i]) << bits |
                     (c ? c[i] << (2 * bits) : 0));
}
BIND(CVT_PACK) {
    (void)instr;
    return cvt_pack;
}
