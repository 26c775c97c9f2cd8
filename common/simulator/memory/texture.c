// SPDX-License-Identifier: MIT
// Texture fetches: coordinates to texels and weights, texels to numbers, numbers to registers; and
// the places of surface accesses. The rules are those of the programming guide's appendix "Texture
// Fetching"; where it is silent they follow what an H100 answered
// (validation/textures/texture_cases.def).
#include "memory/texture.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "program/fpmath.h"

// Weights of linear filtering have 8 fractional bits, so that 1 is one of them.
enum { WEIGHT_ONE = 256, HALF = WEIGHT_ONE / 2 };

// ---- One axis -----------------------------------------------------------------------------------

typedef struct axis {
    int64_t texel[2];   // the two neighbours, SIM_AXIS_OUTSIDE for the border
    uint32_t weight[2]; // of WEIGHT_ONE
} axis;
#define AXIS_OUTSIDE (-1)

// Brings a texel number into [0, count), or outside.
static int64_t place_on_axis(int64_t texel, uint32_t count, sim_address_mode mode) {
    int64_t n = count, folded;
    switch (mode) {
    case SIM_ADDRESS_WRAP: return ((texel % n) + n) % n;
    case SIM_ADDRESS_MIRROR:
        folded = ((texel % (2 * n)) + 2 * n) % (2 * n);
        return folded < n ? folded : 2 * n - 1 - folded;
    case SIM_ADDRESS_BORDER: return texel < 0 || texel >= n ? AXIS_OUTSIDE : texel;
    default: return texel < 0 ? 0 : texel >= n ? n - 1 : texel;
    }
}

// Far away coordinates are cut off before they become integers; no texel is near them.
static int64_t to_fixed(double texels) {
    const double far = 1099511627776.0; // 2^40
    if (!(texels > -far)) return texels != texels ? 0 : -(INT64_C(1) << 40);
    return texels < far ? (int64_t)floor(texels) : INT64_C(1) << 40;
}

// Denormals count as zero. Normalised coordinates keep 21 fractional bits before they are scaled.
static double unnormalize(const sim_texture_desc *texture, float at, uint32_t count,
                          sim_address_mode mode) {
    double value = fabsf(at) < FLT_MIN ? 0 : at;
    if (!texture->is_normalized) return value;
    value = floor(value * 0x1p21) * 0x1p-21;
    if (mode == SIM_ADDRESS_WRAP || mode == SIM_ADDRESS_MIRROR) {
        if (!isfinite(value)) return 0;
        double period = mode == SIM_ADDRESS_WRAP ? 1 : 2;
        value -= floor(value / period) * period;
    }
    return value * count;
}

static axis find_on_axis(const sim_texture_desc *texture, const sim_texture_point *point,
                         uint32_t number, bool linear) {
    uint32_t count = number == 0 ? texture->width : number == 1 ? texture->height : texture->depth;
    sim_address_mode mode = texture->address_mode[number];
    if (count == 0) count = 1;
    axis out = {{0, 0}, {WEIGHT_ONE, 0}};
    if (point->is_integer) { // outside there is nothing, whatever the mode
        out.texel[0] = place_on_axis(point->index[number], count, SIM_ADDRESS_BORDER);
        return out;
    }
    double texels = unnormalize(texture, point->at[number], count, mode);
    if (!linear) {
        out.texel[0] = place_on_axis(to_fixed(texels), count, mode);
        return out;
    }
    int64_t fixed = to_fixed(texels * WEIGHT_ONE + 0.5) - WEIGHT_ONE / 2;
    int64_t first = fixed >= 0 ? fixed / WEIGHT_ONE : -((WEIGHT_ONE - 1 - fixed) / WEIGHT_ONE);
    out.weight[1] = (uint32_t)(fixed - first * WEIGHT_ONE);
    out.weight[0] = WEIGHT_ONE - out.weight[1];
    out.texel[0] = place_on_axis(first, count, mode);
    out.texel[1] = place_on_axis(first + 1, count, mode);
    return out;
}

// ---- Texels -------------------------------------------------------------------------------------

static float srgb_to_linear(float value) {
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static uint32_t fraction(const sim_texture_desc *texture, uint32_t raw, uint32_t channel) {
    float value;
    if (texture->channel_kind == SIM_CHANNEL_SIGNED) {
        float most = texture->channel_bits == 8 ? 127 : 32767;
        value = (float)(int32_t)raw / most;
        if (value < -1) value = -1;
    } else {
        value = (float)raw / (texture->channel_bits == 8 ? 255 : 65535);
        if (texture->is_srgb && texture->channel_bits == 8 && channel < 3)
            value = srgb_to_linear(value);
    }
    return sim_bits_from_float(value);
}

static uint32_t read_channel(const sim_texture_desc *texture, const uint8_t *texel,
                             uint32_t channel) {
    uint32_t bytes = texture->channel_bits / 8, raw = 0;
    memcpy(&raw, texel + channel * bytes, bytes);
    if (texture->channel_kind == SIM_CHANNEL_FLOAT)
        return bytes == 2 ? sim_bits_from_float(sim_float_from_f16(raw)) : raw;
    if (texture->channel_kind == SIM_CHANNEL_SIGNED && bytes == 1) raw = (uint32_t)(int8_t)raw;
    if (texture->channel_kind == SIM_CHANNEL_SIGNED && bytes == 2) raw = (uint32_t)(int16_t)raw;
    return texture->to_float && bytes < 4 ? fraction(texture, raw, channel) : raw;
}

static bool gives_floats(const sim_texture_desc *texture) {
    return texture->channel_kind == SIM_CHANNEL_FLOAT ||
           (texture->to_float && texture->channel_bits < 32);
}

// Channels that the format lacks read as 0, the fourth too.
static void fill_absent(const sim_texture_desc *texture, uint32_t out[4]) {
    for (uint32_t c = texture->channels; c < 4; c++) out[c] = 0;
}

// Of a format with a range the border has that range; narrow integers have none but 0, and wide
// ones take the bits.
static void read_border(const sim_texture_desc *texture, bool is_integer, uint32_t out[4]) {
    bool is_float = texture->channel_kind == SIM_CHANNEL_FLOAT;
    float least = texture->channel_kind == SIM_CHANNEL_SIGNED ? -1 : 0;
    for (uint32_t c = 0; c < texture->channels; c++) {
        float value = texture->border[c];
        if (texture->to_float && !is_float) value = value < least ? least : value > 1 ? 1 : value;
        bool none = is_integer || (!gives_floats(texture) && texture->channel_bits < 32);
        out[c] = none ? 0 : sim_bits_from_float(value);
    }
    fill_absent(texture, out);
}

static void read_texel(const sim_texture_desc *texture, const uint8_t *memory,
                       sim_texture_point *point, const int64_t at[3], uint32_t out[4]) {
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        read_border(texture, point->is_integer, out);
        return;
    }
    uint64_t byte = (uint64_t)at[0] * sim_texel_bytes(texture);
    const uint8_t *texel = memory + (uint64_t)at[2] * texture->slice_bytes +
                           (uint64_t)at[1] * texture->row_bytes + byte;
    for (uint32_t c = 0; c < texture->channels; c++) out[c] = read_channel(texture, texel, c);
    fill_absent(texture, out);
    if (point->texel_count == SIM_TEXTURE_MAX_TEXELS) return;
    uint32_t n = point->texel_count++;
    point->texels[n].byte = (uint32_t)byte;
    point->texels[n].row = (uint32_t)at[1];
    point->texels[n].slice = (uint32_t)at[2];
}

// ---- Fetches ------------------------------------------------------------------------------------

// A number of a layer, from which reading starts. Layers are clamped whatever the address mode.
static int64_t layer_of(const sim_texture_desc *texture, const sim_texture_point *point) {
    if (!sim_geometry_has_layers(point->geometry) || texture->depth == 0) return 0;
    return point->layer < texture->depth ? point->layer : texture->depth - 1;
}

static bool filters(const sim_texture_desc *texture, const sim_texture_point *point) {
    return texture->is_linear && !point->is_integer && gives_floats(texture);
}

static void find_axes(const sim_texture_desc *texture, const sim_texture_point *point, bool linear,
                      axis out[3]) {
    uint32_t axes = sim_geometry_axes(point->geometry);
    for (uint32_t number = 0; number < 3; number++) {
        out[number] = (axis){{0, 0}, {WEIGHT_ONE, 0}};
        if (number < axes) out[number] = find_on_axis(texture, point, number, linear);
        // A row is filtered like an image of one row, at its upper edge: half of what a border
        // mode gives is border.
        if (number == 1 && point->geometry == SIM_GEOMETRY_1D && linear &&
            texture->address_mode[1] == SIM_ADDRESS_BORDER)
            out[number] = (axis){{AXIS_OUTSIDE, 0}, {WEIGHT_ONE / 2, WEIGHT_ONE / 2}};
    }
    if (sim_geometry_has_layers(point->geometry))
        out[2].texel[0] = out[2].texel[1] = layer_of(texture, point);
}

// The share of `whole` that belongs to both of two neighbours, to 8 fractional bits.
static uint32_t overlap(uint32_t whole, uint32_t part) {
    return (whole * part + HALF) / WEIGHT_ONE;
}

// Weights of the corners: products with 8 fractional bits again, made so that the sums along every
// axis stay what they were.
static void find_weights(const axis axes[3], uint32_t out[8]) {
    uint32_t x = axes[0].weight[1], y = axes[1].weight[1], z = axes[2].weight[1];
    uint32_t flat[4] = {0, 0, 0, overlap(x, y)};
    flat[1] = x - flat[3];
    flat[2] = y - flat[3];
    flat[0] = WEIGHT_ONE - x - flat[2];
    for (uint32_t corner = 0; corner < 4; corner++) {
        out[4 + corner] = overlap(flat[corner], z);
        out[corner] = flat[corner] - out[4 + corner];
    }
}

// Weighted sum of the 2, 4 or 8 texels around a point.
static void filter(const sim_texture_desc *texture, const uint8_t *memory, sim_texture_point *point,
                   const axis axes[3], uint32_t out[4]) {
    double sums[4] = {0};
    uint32_t weights[8];
    find_weights(axes, weights);
    for (uint32_t corner = 0; corner < 8; corner++) {
        uint32_t i = corner & 1, j = corner >> 1 & 1, k = corner >> 2, values[4];
        if (weights[corner] == 0) continue;
        int64_t at[3] = {axes[0].texel[i], axes[1].texel[j], axes[2].texel[k]};
        read_texel(texture, memory, point, at, values);
        for (uint32_t c = 0; c < 4; c++)
            sums[c] +=
                (double)weights[corner] / WEIGHT_ONE * (double)sim_float_from_bits(values[c]);
    }
    for (uint32_t c = 0; c < 4; c++) out[c] = sim_bits_from_float((float)sums[c]);
    fill_absent(texture, out);
}

void sim_texture_fetch(const sim_texture_desc *texture, const uint8_t *memory,
                       sim_texture_point *point, uint32_t out[4]) {
    axis axes[3];
    bool linear = filters(texture, point);
    point->texel_count = 0;
    // Linear memory has integer coordinates and one-dimensional arrays have none.
    bool is_buffer = texture->layout == SIM_TEXTURE_BUFFER;
    if (is_buffer != point->is_integer && sim_geometry_axes(point->geometry) == 1) {
        memset(out, 0, 4 * sizeof *out);
        return;
    }
    find_axes(texture, point, linear, axes);
    if (linear) {
        filter(texture, memory, point, axes, out);
        return;
    }
    int64_t at[3] = {axes[0].texel[0], axes[1].texel[0], axes[2].texel[0]};
    read_texel(texture, memory, point, at, out);
}

// Counter-clockwise from the lower left, as the PTX ISA says of tld4: (0,1), (1,1), (1,0), (0,0).
void sim_texture_gather(const sim_texture_desc *texture, const uint8_t *memory,
                        sim_texture_point *point, uint32_t component, uint32_t out[4]) {
    static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    axis axes[3];
    point->texel_count = 0;
    find_axes(texture, point, true, axes);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t values[4];
        int64_t at[3] = {axes[0].texel[right[i]], axes[1].texel[below[i]], axes[2].texel[0]};
        read_texel(texture, memory, point, at, values);
        out[i] = values[component];
    }
}
