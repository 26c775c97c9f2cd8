// Texture fetches: coordinates to texels and weights, texels to numbers, numbers to registers; and
// the places of surface accesses. The rules are those of the programming guide's appendix "Texture
// Fetching"; where it is silent they follow what an H100 answered
// (validation/textures/texture_cases.def).
#include "memory/memory.h"
#include "program/fpmath.h"
#include <float.h>

// Weights of linear filtering have 8 fractional bits, so that 1 is one of them.
enum { WEIGHT_ONE = 256, HALF = WEIGHT_ONE / 2 };

// ---- One axis -----------------------------------------------------------------------------------

typedef struct axis {
    int64_t texel[2];   // the two neighbours, SIM_AXIS_OUTSIDE for the border
    int64_t first;      // of them, before the address mode
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
    axis out = {{0, 0}, 0, {WEIGHT_ONE, 0}};
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
    out.first = first;
    out.weight[1] = (uint32_t)(fixed - first * WEIGHT_ONE);
    out.weight[0] = WEIGHT_ONE - out.weight[1];
    out.texel[0] = place_on_axis(first, count, mode);
    out.texel[1] = place_on_axis(first + 1, count, mode);
    return out;
}

// ---- Texels -------------------------------------------------------------------------------------

static bool is_whole(const sim_texture_desc *texture) {
    return texture->channel_kind != SIM_CHANNEL_FLOAT;
}

// Whether integers are read as fractions of the largest one.
static bool gives_fractions(const sim_texture_desc *texture) {
    return is_whole(texture) && texture->to_float && texture->channel_bits < 32;
}

static bool gives_floats(const sim_texture_desc *texture) {
    return !is_whole(texture) || gives_fractions(texture);
}

static bool is_srgb(const sim_texture_desc *texture, uint32_t channel) {
    return texture->is_srgb && texture->channel_bits == 8 && channel < 3 &&
           texture->channel_kind == SIM_CHANNEL_UNSIGNED && gives_fractions(texture);
}

// The largest number of a format whose integers are fractions.
static int32_t largest(const sim_texture_desc *texture) {
    bool is_signed = texture->channel_kind == SIM_CHANNEL_SIGNED;
    return texture->channel_bits == 8 ? (is_signed ? 127 : 255) : (is_signed ? 32767 : 65535);
}

static float srgb_to_linear(uint32_t raw) {
    static const uint16_t curve[256] = {
#include "memory/srgb.def"
    };
    return (float)curve[raw & 0xFF] / 32768;
}

// A texel's channel as it is stored, integers with their sign; halves as floats.
static uint32_t read_channel(const sim_texture_desc *texture, const uint8_t *texel,
                             uint32_t channel) {
    uint32_t bytes = texture->channel_bits / 8, raw = 0;
    memcpy(&raw, texel + channel * bytes, bytes);
    if (texture->channel_kind == SIM_CHANNEL_FLOAT)
        return bytes == 2 ? sim_bits_from_float(sim_float_from_f16(raw)) : raw;
    if (texture->channel_kind == SIM_CHANNEL_SIGNED && bytes == 1) raw = (uint32_t)(int8_t)raw;
    if (texture->channel_kind == SIM_CHANNEL_SIGNED && bytes == 2) raw = (uint32_t)(int16_t)raw;
    return raw;
}

// What a fetch without filtering gives for a stored channel.
static uint32_t present(const sim_texture_desc *texture, uint32_t stored, uint32_t channel) {
    if (!gives_fractions(texture)) return stored;
    if (is_srgb(texture, channel)) return sim_bits_from_float(srgb_to_linear(stored));
    bool is_signed = texture->channel_kind == SIM_CHANNEL_SIGNED;
    float value = is_signed ? (float)(int32_t)stored : (float)stored;
    value /= (float)largest(texture);
    return sim_bits_from_float(value < -1 ? -1 : value);
}

// Channels that the format lacks read as 0, the fourth too.
static void fill_absent(const sim_texture_desc *texture, uint32_t out[4]) {
    for (uint32_t c = texture->channels; c < 4; c++) out[c] = 0;
}

// The border's colour is stored in the texture's format: fractions to the nearest one, halves
// towards zero. Narrow integers have none but 0, and wide ones take the bits.
static uint32_t border_channel(const sim_texture_desc *texture, uint32_t channel) {
    float value = texture->border[channel];
    uint32_t bits = sim_bits_from_float(value);
    if (gives_fractions(texture)) {
        float least = texture->channel_kind == SIM_CHANNEL_SIGNED ? -1 : 0;
        value = value < least ? least : value > 1 ? 1 : value;
        return (uint32_t)(int32_t)rintf(value * (float)largest(texture));
    }
    if (is_whole(texture)) return texture->channel_bits < 32 ? 0 : bits;
    if (texture->channel_bits == 32 || !isfinite(value)) return bits;
    float nearest = sim_float_from_f16(sim_f16_from_float(value));
    if (fabsf(nearest) <= fabsf(value)) return sim_bits_from_float(nearest);
    return sim_bits_from_float(sim_float_from_f16(sim_f16_from_float(value) - 1));
}

static void read_border(const sim_texture_desc *texture, bool is_integer, uint32_t out[4]) {
    for (uint32_t c = 0; c < texture->channels; c++)
        out[c] = is_integer ? 0 : border_channel(texture, c);
    fill_absent(texture, out);
}

static void read_texel(const sim_texture_desc *texture, const uint8_t *memory,
                       sim_texture_point *point, uint32_t level, const int64_t at[3],
                       uint32_t out[4]) {
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
    point->texels[n].level = level;
}

// ---- Points -------------------------------------------------------------------------------------

// A number of a layer, from which reading starts. Layers are clamped whatever the address mode.
static int64_t layer_of(const sim_texture_desc *texture, const sim_texture_point *point) {
    if (!sim_geometry_has_layers(point->geometry) || texture->depth == 0) return 0;
    return point->layer < texture->depth ? point->layer : texture->depth - 1;
}

static bool filters(const sim_texture_desc *texture, const sim_texture_point *point) {
    return texture->is_linear && !point->is_integer && gives_floats(texture);
}

// In space and between levels, two neighbours that are one texel are that one alone.
static void join_neighbours(axis axes[3]) {
    for (uint32_t number = 0; number < 3; number++)
        if (axes[number].texel[0] == axes[number].texel[1])
            axes[number].weight[0] = WEIGHT_ONE, axes[number].weight[1] = 0;
}

static void find_axes(const sim_texture_desc *texture, const sim_texture_point *point, bool linear,
                      axis out[3]) {
    uint32_t axes = sim_geometry_axes(point->geometry);
    for (uint32_t number = 0; number < 3; number++) {
        out[number] = (axis){{0, 0}, 0, {WEIGHT_ONE, 0}};
        if (number < axes) out[number] = find_on_axis(texture, point, number, linear);
        // A row is filtered like an image of one row, at its upper edge: half of what a border
        // mode gives is border.
        if (number == 1 && point->geometry == SIM_GEOMETRY_1D && linear &&
            texture->address_mode[1] == SIM_ADDRESS_BORDER)
            out[number] = (axis){{AXIS_OUTSIDE, 0}, 0, {WEIGHT_ONE / 2, WEIGHT_ONE / 2}};
    }
    if (axes == 3 && linear) join_neighbours(out);
    if (sim_geometry_has_layers(point->geometry))
        out[2].texel[0] = out[2].texel[1] = layer_of(texture, point);
}

// The share of `whole` that belongs to both of two neighbours, to 8 fractional bits.
static uint32_t overlap(uint32_t whole, uint32_t part) {
    return (whole * part + HALF) / WEIGHT_ONE;
}

// Weights of the corners: products with 8 fractional bits again, made so that they add up to 1. In
// space the two layers are divided first, then each by columns, then each column by rows: from
// above on the left, from below on the right. (All of 131,072 triples as on an H200; a plane is
// what this gives of the first layer when it has all of the weight.)
// `share`: of the level, of WEIGHT_ONE.
static void find_weights(const axis axes[3], uint32_t share, uint32_t out[8]) {
    uint32_t x = axes[0].weight[1], y = axes[1].weight[1];
    uint32_t behind = overlap(share, axes[2].weight[1]);
    for (uint32_t layer = 0; layer < 2; layer++) {
        uint32_t whole = layer ? behind : share - behind, *of = &out[4 * layer];
        uint32_t right = overlap(whole, x), left = whole - right;
        of[0] = overlap(left, WEIGHT_ONE - y);
        of[2] = left - of[0];
        of[3] = overlap(right, y);
        of[1] = right - of[3];
    }
}

// The texels of a point that count, and what each counts; eight of each level.
enum { LEVEL_CORNERS = 8 };
typedef struct corner_set {
    uint32_t count;
    uint32_t weight[2 * LEVEL_CORNERS];    // of WEIGHT_ONE; 0: not read
    uint32_t stored[2 * LEVEL_CORNERS][4]; // by channel, as read_texel gives it
} corner_set;

// ---- Sums of floats ----

// Of four neighbours, in units of 2^unit.
typedef struct quad_sum {
    int64_t sum;
    int32_t unit;
    bool is_empty; // all that counts is 0
} quad_sum;

// Bits of a number, and what sums keep of the largest one.
enum { FLOAT_BITS = 24, HALF_BITS = 11, NO_EXPONENT = -1000 };
enum { FLOAT_KEPT = FLOAT_BITS + 4, HALF_KEPT = HALF_BITS + 4 };

static int32_t exponent_of(uint32_t bits) { // denormals are zeros
    uint32_t biased = bits >> 23 & 0xFF;
    return biased ? (int32_t)biased - 127 : NO_EXPONENT;
}

// The neighbours' numbers are brought to the largest one's exponent, and what is below the `kept`
// first bits of that one is cut off; the rest is exact.
static quad_sum add_quad(const corner_set *set, uint32_t first, uint32_t channel, int32_t kept) {
    int32_t largest_exponent = NO_EXPONENT;
    for (uint32_t i = first; i < first + 4; i++) {
        int32_t exponent = exponent_of(set->stored[i][channel]);
        if (set->weight[i] && exponent > largest_exponent) largest_exponent = exponent;
    }
    quad_sum out = {.unit = largest_exponent - (kept - 1),
                    .is_empty = largest_exponent == NO_EXPONENT};
    for (uint32_t i = first; !out.is_empty && i < first + 4; i++) {
        uint32_t number = set->stored[i][channel];
        int32_t exponent = exponent_of(number), down = exponent - (FLOAT_BITS - 1) - out.unit;
        if (!set->weight[i] || exponent == NO_EXPONENT) continue;
        int64_t mantissa = (number & 0x7FFFFF) | 0x800000;
        mantissa = down >= 0 ? mantissa << down : down > -FLOAT_BITS ? mantissa >> -down : 0;
        out.sum += (number >> 31 ? -mantissa : mantissa) * set->weight[i];
    }
    return out;
}

// One bit below the unit of the larger one; what is further down is cut off.
static quad_sum add_quads(quad_sum a, quad_sum b) {
    if (b.is_empty) return a;
    if (a.is_empty) return b;
    if (a.unit < b.unit) return add_quads(b, a);
    int32_t apart = a.unit - b.unit;
    return (quad_sum){.sum = 2 * a.sum + (apart < 63  ? 2 * b.sum >> apart
                                          : b.sum < 0 ? -1
                                                      : 0),
                      .unit = a.unit - 1};
}

// To the nearest number of the format, halves away from zero. A float that would be a denormal is
// a zero.
static float round_sum(quad_sum quads, int32_t bits) {
    double value = ldexp((double)quads.sum, quads.unit) / WEIGHT_ONE; // below 2^53: exact
    if (value == 0) return 0;
    int exponent, least = bits == HALF_BITS ? -24 : -1000;
    frexp(value, &exponent);
    int unit = exponent - bits > least ? exponent - bits : least;
    value = ldexp(round(ldexp(value, -unit)), unit);
    return fabs(value) < (double)FLT_MIN ? copysignf(0, (float)value) : (float)value;
}

// Infinities and what is no number; where all is zero, its sign.
static bool add_special(const corner_set *set, uint32_t channel, uint32_t *out) {
    bool finite = true, zeros = true;
    float sum = -0.0f;
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t number = set->stored[i][channel];
        if (!set->weight[i]) continue;
        finite = finite && (number >> 23 & 0xFF) != 0xFF;
        zeros = zeros && exponent_of(number) == NO_EXPONENT;
    }
    if (finite && !zeros) return false;
    for (uint32_t i = 0; i < set->count; i++) {
        float value = sim_float_from_bits(set->stored[i][channel]);
        if (!set->weight[i] || (!finite && isfinite(value))) continue;
        sum += zeros ? copysignf(0, value) : value;
    }
    *out = isnan(sum) ? 0x7FFFFFFF : sim_bits_from_float(sum);
    return true;
}

static uint32_t add_floats(const corner_set *set, uint32_t channel, int32_t kept, int32_t bits) {
    uint32_t special;
    if (add_special(set, channel, &special)) return special;
    quad_sum sum = {.is_empty = true};
    for (uint32_t first = 0; first < set->count; first += 4)
        sum = add_quads(sum, add_quad(set, first, channel, kept));
    return sim_bits_from_float(round_sum(sum, bits));
}

// ---- Sums of fractions ----

// Bytes become 16-bit fractions: without a sign before they are added, with one after that, in the
// steps in which an H200 does it (all sums of 19,076 agree).
static uint32_t add_fractions(const sim_texture_desc *texture, const corner_set *set,
                              uint32_t channel) {
    bool is_signed = texture->channel_kind == SIM_CHANNEL_SIGNED,
         is_byte = texture->channel_bits == 8;
    int32_t sum = 0, most = is_signed ? 32767 : 65535;
    for (uint32_t i = 0; i < set->count; i++)
        sum += (int32_t)set->stored[i][channel] * (int32_t)set->weight[i];
    if (is_signed && is_byte) {
        int32_t part = sum >> 4;
        sum += (part + (part >> 8) + 4) >> 3;
    } else {
        sum = ((is_byte ? 257 * sum : sum) + HALF) >> 8;
    }
    return sim_bits_from_float((float)(sum < -most ? -most : sum) / (float)most);
}

// In sRGB: by the curve to halves. A card loses up to 1/128 more where neighbours are far apart.
static uint32_t add_srgb(const corner_set *set, uint32_t channel) {
    corner_set linear = *set;
    for (uint32_t i = 0; i < set->count; i++)
        linear.stored[i][channel] = sim_bits_from_float(srgb_to_linear(set->stored[i][channel]));
    return add_floats(&linear, channel, HALF_KEPT, HALF_BITS);
}

static void add_corners(const sim_texture_desc *texture, const corner_set *set, uint32_t out[4]) {
    for (uint32_t c = 0; c < texture->channels; c++)
        if (is_srgb(texture, c)) out[c] = add_srgb(set, c);
        else if (is_whole(texture)) out[c] = add_fractions(texture, set, c);
        else if (texture->channel_bits == 16) out[c] = add_floats(set, c, HALF_KEPT, HALF_BITS);
        else out[c] = add_floats(set, c, FLOAT_KEPT, FLOAT_BITS);
    fill_absent(texture, out);
}

// ---- Cubes --------------------------------------------------------------------------------------
// A direction meets the face of its largest coordinate, z before y before x where several are (an
// H200). Faces are +x, -x, +y, -y, +z, -z; each has its own axes (CUDA C++ Programming Guide,
// "Cubemap Textures").

typedef struct face_axes {
    uint8_t axis[3]; // of the face's x, y and depth
    int8_t sign[3];
} face_axes;

static const face_axes faces[6] = {{{2, 1, 0}, {-1, -1, 1}}, {{2, 1, 0}, {1, -1, -1}},
                                   {{0, 2, 1}, {1, 1, 1}},   {{0, 2, 1}, {1, -1, -1}},
                                   {{0, 1, 2}, {1, -1, 1}},  {{0, 1, 2}, {-1, -1, -1}}};

static uint32_t face_of(const double direction[3]) {
    double x = fabs(direction[0]), y = fabs(direction[1]), z = fabs(direction[2]);
    uint32_t axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
    return 2 * axis + (direction[axis] < 0);
}

// The point on a face: a plane of layers.
static sim_texture_point flatten(const sim_texture_desc *texture, const sim_texture_point *point) {
    sim_texture_point flat = *point;
    double direction[3] = {point->at[0], point->at[1], point->at[2]};
    uint32_t face = face_of(direction);
    const face_axes *of = &faces[face];
    double depth = fabs(direction[of->axis[2]]), at[2];
    for (int i = 0; i < 2; i++) {
        at[i] = depth > 0 ? of->sign[i] * direction[of->axis[i]] / depth : 0;
        flat.at[i] = (float)((at[i] + 1) / 2);
    }
    for (int along = 0; along < 2; along++) {
        const float *slope = point->gradients[along];
        double down = of->sign[2] * (double)slope[of->axis[2]];
        for (int i = 0; i < 2; i++)
            flat.gradients[along][i] =
                depth > 0
                    ? (float)((of->sign[i] * (double)slope[of->axis[i]] - at[i] * down) / depth / 2)
                    : 0;
    }
    uint32_t cubes = texture->depth / 6;
    uint32_t cube = point->geometry == SIM_GEOMETRY_ACUBE ? point->layer : 0;
    if (cubes && cube >= cubes) cube = cubes - 1;
    flat.layer = 6 * cube + face;
    flat.geometry = SIM_GEOMETRY_A2D;
    return flat;
}

// A cube's coordinates are fractions, whatever the texture says, and end at the edges of a face.
static sim_texture_desc face_texture(const sim_texture_desc *texture) {
    sim_texture_desc of = *texture;
    of.is_normalized = true;
    for (int i = 0; i < 3; i++) of.address_mode[i] = SIM_ADDRESS_CLAMP;
    return of;
}

// Moves a texel one step over an edge of its face to the face behind it.
static void cross_edge(int64_t side, int64_t at[3]) {
    int64_t face = at[2] % 6, place[3], to[2];
    const face_axes *of = &faces[face];
    for (int i = 0; i < 2; i++) to[i] = 2 * at[i] + 1 - side; // from the middle, in half texels
    bool over_x = at[0] < 0 || at[0] >= side, over_y = at[1] < 0 || at[1] >= side;
    if (!over_x && !over_y) return;
    int over = over_x ? 0 : 1, along = 1 - over;
    place[of->axis[over]] = of->sign[over] * (to[over] < 0 ? -side : side);
    place[of->axis[along]] = of->sign[along] * to[along];
    place[of->axis[2]] = of->sign[2] * (side - 1);
    uint32_t next = 2u * of->axis[over] + (place[of->axis[over]] < 0);
    for (int i = 0; i < 2; i++)
        at[i] = (faces[next].sign[i] * place[faces[next].axis[i]] + side - 1) / 2;
    at[2] += (int64_t)next - face;
}

// ---- Levels -------------------------------------------------------------------------------------

// What a card keeps of a level, a bias or a limit: 8 fractional bits, towards 0.
static double shorten(double level) { return trunc(level * WEIGHT_ONE); }

// The level of a mipmap with 8 fractional bits. (1,000 fetches by level, bias, limits and gradients
// as on an H200, which looks at anisotropy as well.)
static uint32_t level_of(const sim_texture_desc *texture, const sim_texture_point *point) {
    const float counts[3] = {(float)texture->width, (float)texture->height, (float)texture->depth};
    double level = (double)point->level, longest = 0, last = texture->levels - 1;
    for (int along = 0; point->has_gradients && along < 2; along++) {
        double square = 0;
        for (uint32_t i = 0; i < sim_geometry_axes(point->geometry); i++) {
            double texels = (double)point->gradients[along][i] * (double)counts[i];
            square += texels * texels;
        }
        longest = square > longest ? square : longest;
    }
    level = point->has_gradients ? rint(longest > 0 ? log2(longest) / 2 * WEIGHT_ONE : 0)
                                 : shorten(level);
    level += shorten((double)texture->level_bias);
    level = fmin(level, shorten((double)texture->most_level));
    level = fmax(level, shorten((double)texture->least_level));
    level = fmin(level, last * WEIGHT_ONE);
    return level > 0 ? (uint32_t)level : 0;
}

// Where three faces meet, the fourth texel is missing: a third of its weight for each neighbour,
// what is left for the texel of the face itself. (146 fetches near corners, as on an H200.)
static void share_corner(const axis axes[3], int64_t side, uint32_t weights[LEVEL_CORNERS]) {
    uint32_t missing = 0;
    for (int i = 0; i < 2; i++) {
        bool below = axes[i].first < 0;
        if (!below && axes[i].first + 1 < side) return;
        missing |= below ? 0 : 1u << i;
    }
    uint32_t third = (2 * weights[missing] + 3) / 6;
    weights[missing ^ 1] += third;
    weights[missing ^ 2] += third;
    weights[missing ^ 3] += weights[missing] - 2 * third;
    weights[missing] = 0;
}

// The 2, 4 or 8 texels around a point of one level, or the nearest one, from the set's corner
// `first` on.
static void read_level(const sim_texture_desc *texture, uint32_t number, const uint8_t *memory,
                       sim_texture_point *point, uint32_t share, corner_set *set) {
    sim_texture_desc level = sim_texture_level(texture, number);
    axis axes[3];
    bool linear = filters(texture, point);
    uint32_t *weights = &set->weight[set->count];
    find_axes(&level, point, linear, axes);
    if (linear && share < WEIGHT_ONE) join_neighbours(axes);
    if (linear) find_weights(axes, share, weights);
    else weights[0] = share;
    if (linear && texture->is_seamless) share_corner(axes, level.width, weights);
    for (uint32_t corner = 0; corner < LEVEL_CORNERS; corner++) {
        uint32_t i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        if (weights[corner] == 0) continue;
        int64_t at[3] = {axes[0].texel[i], axes[1].texel[j], axes[2].texel[k]};
        if (linear && texture->is_seamless) {
            at[0] = axes[0].first + i;
            at[1] = axes[1].first + j;
            cross_edge(level.width, at);
        }
        read_texel(&level, memory + (level.address - texture->address), point, number, at,
                   set->stored[set->count + corner]);
    }
    set->count += LEVEL_CORNERS;
}

// ---- Fetches ------------------------------------------------------------------------------------

static void fetch_nearest(const sim_texture_desc *texture, const uint8_t *memory,
                          sim_texture_point *point, uint32_t out[4]) {
    axis axes[3];
    find_axes(texture, point, false, axes);
    int64_t at[3] = {axes[0].texel[0], axes[1].texel[0], axes[2].texel[0]};
    read_texel(texture, memory, point, 0, at, out);
    for (uint32_t c = 0; c < texture->channels; c++) out[c] = present(texture, out[c], c);
}

static void fetch(const sim_texture_desc *texture, const uint8_t *memory, sim_texture_point *point,
                  uint32_t out[4]) {
    corner_set set;
    if (texture->levels <= 1 && !filters(texture, point)) {
        fetch_nearest(texture, memory, point, out);
        return;
    }
    uint32_t level = texture->levels > 1 ? level_of(texture, point) : 0, share = level % WEIGHT_ONE;
    bool blends = share && texture->blends_levels && gives_floats(texture);
    uint32_t near = blends ? level / WEIGHT_ONE : (level + HALF) / WEIGHT_ONE;
    set.count = 0;
    memset(set.weight, 0, sizeof set.weight);
    read_level(texture, near, memory, point, blends ? WEIGHT_ONE - share : WEIGHT_ONE, &set);
    if (blends) read_level(texture, near + 1, memory, point, share, &set);
    if (blends || filters(texture, point)) {
        add_corners(texture, &set, out);
        return;
    }
    for (uint32_t c = 0; c < texture->channels; c++) out[c] = present(texture, set.stored[0][c], c);
    fill_absent(texture, out);
}

void sim_texture_fetch(const sim_texture_desc *texture, const uint8_t *memory,
                       sim_texture_point *point, uint32_t out[4]) {
    point->texel_count = 0;
    // Linear memory has integer coordinates and one-dimensional arrays have none.
    bool is_buffer = texture->layout == SIM_TEXTURE_BUFFER;
    if (is_buffer != point->is_integer && sim_geometry_axes(point->geometry) == 1) {
        memset(out, 0, 4 * sizeof *out);
        return;
    }
    if (sim_geometry_is_cube(point->geometry)) {
        sim_texture_point flat = flatten(texture, point);
        sim_texture_desc face = face_texture(texture);
        fetch(&face, memory, &flat, out);
        point->texel_count = flat.texel_count;
        memcpy(point->texels, flat.texels, sizeof point->texels);
        return;
    }
    fetch(texture, memory, point, out);
}

// Counter-clockwise from the lower left, as the PTX ISA says of tld4: (0,1), (1,1), (1,0), (0,0).
static void gather(const sim_texture_desc *texture, const uint8_t *memory, sim_texture_point *point,
                   uint32_t component, uint32_t out[4]) {
    static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    axis axes[3];
    find_axes(texture, point, true, axes);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t values[4];
        int64_t at[3] = {axes[0].texel[right[i]], axes[1].texel[below[i]], axes[2].texel[0]};
        read_texel(texture, memory, point, 0, at, values);
        out[i] = component < texture->channels ? present(texture, values[component], component)
                                               : values[component];
    }
}

void sim_texture_gather(const sim_texture_desc *texture, const uint8_t *memory,
                        sim_texture_point *point, uint32_t component, uint32_t out[4]) {
    point->texel_count = 0;
    if (!sim_geometry_is_cube(point->geometry)) {
        gather(texture, memory, point, component, out);
        return;
    }
    sim_texture_point flat = flatten(texture, point);
    sim_texture_desc face = face_texture(texture);
    gather(&face, memory, &flat, component, out);
    point->texel_count = flat.texel_count;
    memcpy(point->texels, flat.texels, sizeof point->texels);
}
