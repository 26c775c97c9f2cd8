// Conversions of floats of 4, 6 and 8 bits and of powers of two, and such that round by random bits
// (PTX ISA 9.1, "cvt"), against 64-bit integers. From the manual, not compared with a card.
// since: 12.9
// architectures: 100a
// environment: LADDER_SIM_DEVICE=b200
#include <cstdint>
#include <random>

#include "../check.h"

// ---- The formats --------------------------------------------------------------------------------

enum { UNIT = 30 }; // values are multiples of 2^-UNIT
struct format {
    const char *name;
    int fraction, exponents, largest; // bits, bits, and the bits of the largest number
    int width() const { return 1 + fraction + exponents; }
    int64_t value(int bits) const { // without the sign
        int bias = (1 << (exponents - 1)) - 1, exponent = bits >> fraction;
        int64_t digits = bits & ((1 << fraction) - 1);
        if (exponent) digits |= 1 << fraction;
        return digits << (UNIT + 1 - bias - fraction + (exponent ? exponent - 1 : 0));
    }
    // The last number up to `value`.
    int below(int64_t value) const {
        int bits = 0;
        while (bits < largest && this->value(bits + 1) <= value) bits++;
        return bits;
    }
    int signed_bits(int bits, bool negative) const { return bits | negative << (width() - 1); }
    int nearest(int64_t value) const {
        int64_t magnitude = llabs(value);
        int bits = below(magnitude);
        if (bits == largest) return signed_bits(bits, value < 0);
        int64_t past = magnitude - this->value(bits), left = this->value(bits + 1) - magnitude;
        return signed_bits(past > left || (past == left && bits & 1) ? bits + 1 : bits, value < 0);
    }
    // By 16 random bits.
    int by_noise(int64_t value, uint32_t noise) const {
        int64_t magnitude = llabs(value);
        int bits = below(magnitude);
        if (bits == largest) return signed_bits(bits, value < 0);
        int64_t step = this->value(bits + 1) - this->value(bits);
        bool up = (magnitude - this->value(bits)) * 65536 + noise * step >= step * 65536;
        return signed_bits(bits + up, value < 0);
    }
};
static const format formats[] = {{"e4m3", 3, 4, 0x7E},
                                 {"e5m2", 2, 5, 0x7B},
                                 {"e2m3", 3, 2, 31},
                                 {"e3m2", 2, 3, 31},
                                 {"e2m1", 1, 2, 7}};
enum { FORMATS = 5, THREADS = 256 };

// ---- The instructions ---------------------------------------------------------------------------

// What a thread converts: floats, packed numbers or random bits; and the results.
struct item {
    float from[4];
    uint32_t bits, noise;
    uint32_t small[FORMATS], clipped, four[FORMATS], halves[FORMATS + 1]; // of floats; with .relu
    uint32_t powers[6];                                                   // rz, rp; of floats; bf16
    uint32_t noisy[4];                                                    // f16x2, bf16x2
};

#define NARROW(to, type, words)                                                                    \
    asm("{ .reg .b16 h; cvt.rn.satfinite." words type "x2.f32 h, %1, %2; cvt.u32.u16 %0, h; }"     \
        : "=r"(to)                                                                                 \
        : "f"(i.from[0]), "f"(i.from[1]))
#define FOUR(to, type)                                                                             \
    asm("cvt.rs.satfinite." type "x4.f32 %0, {%1, %2, %3, %4}, %5;"                                \
        : "=r"(to)                                                                                 \
        : "f"(i.from[0]), "f"(i.from[1]), "f"(i.from[2]), "f"(i.from[3]), "r"(i.noise))
#define WIDEN(to, type, half)                                                                      \
    asm("cvt.rn." half "." type "x2 %0, %1;" : "=r"(to) : "h"(uint16_t(i.bits)))
#define POWERS(to, words)                                                                          \
    asm("{ .reg .b16 h; cvt." words ".ue8m0x2.f32 h, %1, %2; cvt.u32.u16 %0, h; }"                 \
        : "=r"(to)                                                                                 \
        : "f"(i.from[0]), "f"(i.from[1]))
#define POWERS_OF_HALVES(to, words)                                                                \
    asm("{ .reg .b16 h; cvt." words ".ue8m0x2.bf16x2 h, %1; cvt.u32.u16 %0, h; }"                  \
        : "=r"(to)                                                                                 \
        : "r"(i.bits))
#define NOISY(to, words)                                                                           \
    asm("cvt.rs." words ".f32 %0, %1, %2, %3;"                                                     \
        : "=r"(to)                                                                                 \
        : "f"(i.from[0]), "f"(i.from[1]), "r"(i.noise))

static __global__ void convert(item *items) {
    item &i = items[blockIdx.x * THREADS + threadIdx.x];
    NARROW(i.small[0], "e4m3", "");
    NARROW(i.small[1], "e5m2", "");
    NARROW(i.small[2], "e2m3", "");
    NARROW(i.small[3], "e3m2", "");
    NARROW(i.clipped, "e2m3", "relu.");
    asm("{ .reg .b8 b; .reg .b16 h; cvt.rn.satfinite.e2m1x2.f32 b, %1, %2; mov.b16 h, {b, 0};\n\t"
        "cvt.u32.u16 %0, h; }"
        : "=r"(i.small[4])
        : "f"(i.from[0]), "f"(i.from[1]));
    FOUR(i.four[0], "e4m3");
    FOUR(i.four[1], "e5m2");
    FOUR(i.four[2], "e2m3");
    FOUR(i.four[3], "e3m2");
    asm("{ .reg .b16 h; cvt.rs.satfinite.e2m1x4.f32 h, {%1, %2, %3, %4}, %5;\n\t"
        "cvt.u32.u16 %0, h; }"
        : "=r"(i.four[4])
        : "f"(i.from[0]), "f"(i.from[1]), "f"(i.from[2]), "f"(i.from[3]), "r"(i.noise));
    WIDEN(i.halves[0], "e4m3", "f16x2");
    WIDEN(i.halves[1], "e5m2", "f16x2");
    WIDEN(i.halves[2], "e2m3", "f16x2");
    WIDEN(i.halves[3], "e3m2", "f16x2");
    asm("{ .reg .b8 b, c; mov.b16 {b, c}, %1; cvt.rn.f16x2.e2m1x2 %0, b; }"
        : "=r"(i.halves[4])
        : "h"(uint16_t(i.bits)));
    WIDEN(i.halves[5], "ue8m0", "bf16x2");
    POWERS(i.powers[0], "rz");
    POWERS(i.powers[1], "rp");
    POWERS(i.powers[2], "rp.satfinite");
    POWERS_OF_HALVES(i.powers[3], "rz");
    POWERS_OF_HALVES(i.powers[4], "rp");
    POWERS_OF_HALVES(i.powers[5], "rz.satfinite");
    NOISY(i.noisy[0], "f16x2");
    NOISY(i.noisy[1], "bf16x2");
    NOISY(i.noisy[2], "relu.f16x2");
    NOISY(i.noisy[3], "relu.satfinite.bf16x2");
}

// ---- What they must give ------------------------------------------------------------------------

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Of floats that are multiples of 2^-UNIT.
static void check_numbers(const item &i) {
    int64_t from[4];
    for (int k = 0; k < 4; k++) from[k] = int64_t(ldexp(double(i.from[k]), UNIT));
    for (int f = 0; f < FORMATS; f++) {
        const format &small = formats[f];
        uint32_t width = small.width() == 4 ? 4 : 8, wanted = 0, noise = i.noise;
        EXPECT(i.small[f] == uint32_t(small.nearest(from[0]) << width | small.nearest(from[1])));
        if (width == 4) // upper and lower bytes of both halves
            noise = i.noise >> 24 << 24 | (i.noise >> 8 & 255) << 16 | (i.noise >> 16 & 255) << 8 |
                    (i.noise & 255);
        for (int k = 0; k < 4; k++)
            wanted = wanted << width |
                     uint32_t(small.by_noise(from[k], k < 2 ? noise >> 16 : noise & 0xFFFF));
        EXPECT(i.four[f] == wanted);
    }
    const format &e2m3 = formats[2];
    int64_t a = from[0] > 0 ? from[0] : 0, b = from[1] > 0 ? from[1] : 0;
    EXPECT(i.clipped == uint32_t(e2m3.nearest(a) << 8 | e2m3.nearest(b)));
}

// All numbers are numbers of half, bfloat16 has all powers.
static void check_wide(const item &i) {
    for (int f = 0; f < FORMATS; f++)
        for (int upper = 0; upper < 2; upper++) {
            const format &small = formats[f];
            int width = small.width(), bits = i.bits >> (upper * (width == 4 ? 4 : 8));
            int magnitude = bits & ((1 << (width - 1)) - 1);
            int half = i.halves[f] >> 16 * upper & 0xFFFF;
            if (magnitude <= small.largest) {
                const format f16 = {"f16", 10, 5, 0x7BFF};
                EXPECT(half >> 15 == (bits >> (width - 1) & 1));
                EXPECT(f16.value(half & 0x7FFF) == small.value(magnitude));
            } else if (small.exponents == 5 && magnitude == 0x7C) {
                EXPECT((half & 0x7FFF) == 0x7C00);
            } else {
                EXPECT(half == 0x7FFF);
            }
        }
    for (int upper = 0; upper < 2; upper++) {
        uint32_t power = i.bits >> 8 * upper & 0xFF, half = i.halves[5] >> 16 * upper & 0xFFFF;
        EXPECT(half == (power == 0xFF ? 0x7FFF : power ? power << 7 : 0x40));
    }
}

// The exponent, cut off or rounded up.
static uint32_t power_of(uint32_t bits, bool up, bool finite) {
    uint32_t magnitude = bits & 0x7FFFFFFF, power = magnitude >> 23;
    if (magnitude > 0x7F800000) return 0xFF;
    uint32_t exact = power ? power << 23 : 0x400000; // 2^(power - 127)
    if (up && magnitude > exact) power++;
    return finite && power == 0xFF ? 0xFE : power;
}
static uint32_t pair(uint32_t a, uint32_t b, bool up, bool finite) {
    return power_of(a, up, finite) << 8 | power_of(b, up, finite);
}
static void check_powers(const item &i) {
    uint32_t a = bits_of(i.from[0]), b = bits_of(i.from[1]);
    uint32_t high = i.bits & 0xFFFF0000, low = i.bits << 16;
    EXPECT(i.powers[0] == pair(a, b, false, false) && i.powers[1] == pair(a, b, true, false));
    EXPECT(i.powers[2] == pair(a, b, true, true));
    EXPECT(i.powers[3] == pair(high, low, false, false));
    EXPECT(i.powers[4] == pair(high, low, true, false));
    EXPECT(i.powers[5] == pair(high, low, false, true));
}

// Random bits are added to those of the float that the half has no room for; the sum is cut off.
static uint32_t half_of(float value, uint32_t noise, bool bfloat) {
    uint32_t bits = bits_of(value), sign = bits >> 31 << 15, magnitude = bits & 0x7FFFFFFF;
    if (bfloat) return sign | (magnitude + noise) >> 16;
    return sign | ((magnitude + noise) >> 13) - (112 << 10);
}
static void check_noisy(const item &i) {
    for (int which = 0; which < 4; which++)
        for (int k = 0; k < 2; k++) {
            bool bfloat = which & 1, relu = which > 1;
            uint32_t noise = i.noise >> (k == 0 ? 16 : 0) & (bfloat ? 0xFFFF : 0x1FFF);
            uint32_t found = i.noisy[which] >> (k == 0 ? 16 : 0) & 0xFFFF;
            float value = relu && !(i.from[k] > 0) ? 0 : i.from[k];
            if (value != 0 && fabsf(value) < 0x1p-14f && !bfloat) continue; // no normal half
            EXPECT(found == (value == 0 ? (bits_of(value) >> 16) : half_of(value, noise, bfloat)));
        }
}

int main() {
    std::mt19937 random(7);
    std::vector<item> items(64 * THREADS);
    bool any = false; // floats of any bits, for powers alone
    for (int round = 0; round < 2; round++, any = true) {
        for (size_t n = 0; n < items.size(); n++) {
            items[n] = {};
            items[n].bits = n < 65536 && !any ? uint32_t(n) * 4 + random() % 4 : random();
            items[n].noise = random() & (n % 8 ? ~0u : 0);
            for (float &from : items[n].from) {
                int digits = int(random() >> (8 + random() % 24)) | 1;
                from =
                    any ? float_of(random())
                        : ldexpf(float(digits), int(random() % 16) - 24) * (random() % 2 ? 1 : -1);
                if (!any && random() % 8 == 0) from = float(int(random() % 129) - 64) / 16; // ties
            }
            if (any && n < 16)
                items[n].from[0] = float_of(0x7F800000u + uint32_t(n % 2) * 0x400000);
        }
        item *device;
        size_t bytes = items.size() * sizeof(item);
        CUDA_CHECK(cudaMalloc(&device, bytes));
        CUDA_CHECK(cudaMemcpy(device, items.data(), bytes, cudaMemcpyDefault));
        convert<<<unsigned(items.size() / THREADS), THREADS>>>(device);
        CUDA_CHECK(cudaMemcpy(items.data(), device, bytes, cudaMemcpyDefault));
        CUDA_CHECK(cudaFree(device));
        for (const item &i : items) {
            if (!any) check_numbers(i), check_noisy(i);
            check_wide(i);
            check_powers(i);
        }
    }
    printf("ok\n");
    return 0;
}
