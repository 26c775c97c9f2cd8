// What linear filters of textures add up on a device: weights of corners by 8-bit fractions of the
// coordinates, sums of each format's texels, colours of borders, coordinates of a volume. A hash
// per set of fetches, a line each.
#include <stdint.h>
#include <string.h>

#include <vector>

#include "../check.h"

enum { ONE = 256, FETCHES = 8192, TEXELS = 4096, THREADS = 128 }; // ONE: in fractions of a texel

// Finaliser of splitmix64 (Steele, Lea, Flood 2014).
static uint64_t mix(uint64_t value) {
    value += 0x9E3779B97F4A7C15u;
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

// ---- Sets ---------------------------------------------------------------------------------------

typedef struct place {
    float x, y, z;
} place;

// A texture of `axes` axes and the places where it is read.
typedef struct texture_set {
    const char *name;
    int axes, width, height, depth;
    cudaChannelFormatDesc format;
    const void *texels; // [depth][height][width]
    size_t texel_bytes;
    std::vector<place> places;
    cudaTextureAddressMode mode;
    bool point, fractions, unit; // point: no filter; fractions: of integers; unit: coordinates
} texture_set;

template <class T>
__global__ void read_texture(cudaTextureObject_t texture, int axes, const place *places, T *out,
                             int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    place at = places[i];
    if (axes == 1) out[i] = tex1D<T>(texture, at.x);
    if (axes == 2) out[i] = tex2D<T>(texture, at.x, at.y);
    if (axes == 3) out[i] = tex3D<T>(texture, at.x, at.y, at.z);
}

static void say(const char *name, const void *results, size_t bytes) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const uint8_t *)results)[i]) * 16777619u;
    printf("%s %08x\n", name, hash);
}

static cudaArray_t copy_of(const texture_set *set) {
    cudaArray_t array;
    int rows = set->axes > 1 ? set->height : 0, layers = set->axes > 2 ? set->depth : 0;
    CHECK(cudaMalloc3DArray(&array, &set->format, make_cudaExtent(set->width, rows, layers)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)set->texels, set->width * set->texel_bytes,
                                      set->width, rows ? rows : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(set->width, rows ? rows : 1, layers ? layers : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    return array;
}

static cudaTextureObject_t texture_of(const texture_set *set, cudaArray_t array) {
    static const float border[4] = {0.3f, -0.7f, 0.9123f, 0.123f};
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    for (int i = 0; i < 3; i++) how.addressMode[i] = set->mode;
    how.filterMode = set->point ? cudaFilterModePoint : cudaFilterModeLinear;
    how.readMode = set->fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    how.normalizedCoords = set->unit;
    memcpy(how.borderColor, border, sizeof border);
    cudaTextureObject_t texture;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

// T: what a fetch gives, float or float4.
template <class T> static void run(const texture_set *set) {
    int count = (int)set->places.size();
    cudaArray_t array = copy_of(set);
    cudaTextureObject_t texture = texture_of(set, array);
    place *d_places;
    T *d_out;
    CHECK(cudaMalloc(&d_places, count * sizeof *d_places));
    CHECK(cudaMalloc(&d_out, count * sizeof *d_out));
    CHECK(
        cudaMemcpy(d_places, set->places.data(), count * sizeof *d_places, cudaMemcpyHostToDevice));
    read_texture<T>
        <<<(count + THREADS - 1) / THREADS, THREADS>>>(texture, set->axes, d_places, d_out, count);
    CHECK(cudaGetLastError());
    std::vector<T> results(count);
    CHECK(cudaMemcpy(results.data(), d_out, count * sizeof *d_out, cudaMemcpyDeviceToHost));
    say(set->name, results.data(), count * sizeof(T));
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(d_places);
    cudaFree(d_out);
}

// ---- Weights ------------------------------------------------------------------------------------

// Each corner of a cell is 1 in a channel of its own, so that results are weights.
static void run_weights(void) {
    static const int fractions[] = {0, 1, 2, 3, 5, 8, 16, 31, 64, 85, 100, 127, 128, 129, 200, 255};
    texture_set space = {.axes = 3, .width = 2, .height = 2, .depth = 2};
    space.format = cudaCreateChannelDesc<float4>();
    space.texel_bytes = sizeof(float4);
    space.mode = cudaAddressModeClamp;
    for (int x : fractions)
        for (int y : fractions)
            for (int z = 0; z < ONE; z++)
                space.places.push_back({0.5f + x / 256.f, 0.5f + y / 256.f, 0.5f + z / 256.f});
    for (int i = 0; i < 65536; i++) {
        uint64_t r = mix(i);
        space.places.push_back({0.5f + (r & 255) / 256.f, 0.5f + (r >> 8 & 255) / 256.f,
                                0.5f + (r >> 16 & 255) / 256.f});
    }
    for (int layer = 0; layer < 2; layer++) {
        float texels[8][4] = {};
        for (int c = 0; c < 4; c++) texels[layer * 4 + c][c] = 1;
        space.texels = texels;
        space.name = layer ? "weights_space_1" : "weights_space_0";
        run<float4>(&space);
    }
    float texels[4][4] = {};
    for (int c = 0; c < 4; c++) texels[c][c] = 1;
    texture_set plane = space;
    plane.name = "weights_plane", plane.axes = 2, plane.texels = texels;
    plane.places.clear();
    for (int y = 0; y < ONE; y++)
        for (int x = 0; x < ONE; x++)
            plane.places.push_back({0.5f + x / 256.f, 0.5f + y / 256.f, 0});
    run<float4>(&plane);
}

// ---- Sums ---------------------------------------------------------------------------------------

static void place_all(texture_set *set, uint64_t seed) {
    static const int sizes[4][3] = {{}, {TEXELS, 1, 1}, {64, 64, 1}, {16, 16, 16}};
    const int *size = sizes[set->axes];
    set->width = size[0], set->height = size[1], set->depth = size[2];
    set->mode = cudaAddressModeClamp;
    set->places.resize(FETCHES);
    for (int i = 0; i < FETCHES; i++) {
        uint64_t r = mix(i + seed * 1000003);
        set->places[i] = {(float)(r % (size[0] * ONE)) / ONE,
                          (float)((r >> 20) % (size[1] * ONE)) / ONE,
                          (float)((r >> 40) % (size[2] * ONE)) / ONE};
    }
}

static void run_axes(const char *name, cudaChannelFormatDesc format, const void *texels,
                     size_t texel_bytes, bool fractions, uint64_t seed, int most_axes) {
    for (int axes = 1; axes <= most_axes; axes++) {
        char named[40];
        snprintf(named, sizeof named, "%s_%d", name, axes);
        texture_set set = {};
        set.name = named, set.axes = axes, set.format = format, set.texels = texels;
        set.texel_bytes = texel_bytes, set.fractions = fractions;
        place_all(&set, seed);
        run<float>(&set);
    }
}

static float float_of(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Magnitudes that lie up to 2^spread apart.
static std::vector<float> apart(int spread, uint64_t seed) {
    std::vector<float> texels(TEXELS);
    for (int i = 0; i < TEXELS; i++) {
        uint64_t r = mix(i + seed * 7919);
        uint32_t exponent = 127 - (uint32_t)((r >> 32) % (spread + 1));
        texels[i] = float_of((uint32_t)(r & 0x807FFFFF) | exponent << 23);
    }
    return texels;
}

// In space, sums of magnitudes that lie more than 2^6 apart are not those of a card to the last bit
// (32 of 32,768), and halves likewise.
static void run_floats(void) {
    static const int spreads[] = {0, 2, 6, 12, 20, 30, 60};
    for (int spread : spreads) {
        char name[40];
        snprintf(name, sizeof name, "float_apart_%d", spread);
        std::vector<float> texels = apart(spread, spread + 1);
        run_axes(name, cudaCreateChannelDesc<float>(), texels.data(), sizeof(float), false, spread,
                 spread <= 6 ? 3 : 2);
    }
    static const uint32_t odd[] = {0x7F800000, 0xFF800000, 0x7FC00000, 1,          0x80000001,
                                   0x007FFFFF, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x80000000};
    std::vector<float> texels = apart(3, 99);
    for (int i = 0; i < TEXELS; i++)
        if (mix(i) % 3 == 0) texels[i] = float_of(odd[mix(i) / 3 % 10]);
    run_axes("float_odd", cudaCreateChannelDesc<float>(), texels.data(), sizeof(float), false, 5,
             1);
}

static std::vector<uint16_t> halves(int count, uint64_t seed, int least, int exponents) {
    std::vector<uint16_t> texels(count);
    for (int i = 0; i < count; i++) {
        uint64_t r = mix(i + seed);
        texels[i] = (uint16_t)((r & 0x83FF) | (least + (r >> 32) % exponents) << 10);
    }
    return texels;
}

template <class T> static void run_fractions(const char *name, uint64_t seed) {
    std::vector<T> texels(TEXELS);
    for (int i = 0; i < TEXELS; i++) texels[i] = (T)mix(i + seed);
    run_axes(name, cudaCreateChannelDesc<T>(), texels.data(), sizeof(T), true, seed, 3);
}

static void run_formats(void) {
    cudaChannelFormatDesc half = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
    run_fractions<uint8_t>("u8", 41);
    run_fractions<int8_t>("s8", 42);
    run_fractions<uint16_t>("u16", 43);
    run_fractions<int16_t>("s16", 44);
    run_axes("half", half, halves(TEXELS, 31, 0, 31).data(), sizeof(uint16_t), false, 31, 2);
}

// ---- Borders and volumes ------------------------------------------------------------------------

template <class T>
static void run_border(const char *name, cudaChannelFormatDesc format, const T *texels,
                       bool fractions, bool point) {
    enum { SIDE = 8, BORDERED = 1024 };
    texture_set set = {.name = name, .axes = 2, .width = SIDE, .height = SIDE, .depth = 1};
    set.format = format, set.texels = texels, set.texel_bytes = 4 * sizeof(T);
    set.mode = cudaAddressModeBorder, set.fractions = fractions, set.point = point;
    for (int i = 0; i < BORDERED; i++) {
        uint64_t r = mix(i);
        set.places.push_back({(float)(r % 2560) / ONE - 1, (float)((r >> 20) % 2560) / ONE - 1, 0});
    }
    run<float4>(&set);
}

static void run_borders(void) {
    enum { NUMBERS = 256 };
    uint8_t bytes[NUMBERS];
    uint16_t words[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
        bytes[i] = (uint8_t)mix(i + 77);
        words[i] = (uint16_t)mix(i + 78);
    }
    run_border("border_u8", cudaCreateChannelDesc<uchar4>(), bytes, true, false);
    run_border("border_s8", cudaCreateChannelDesc<char4>(), bytes, true, false);
    run_border("border_u8_point", cudaCreateChannelDesc<uchar4>(), bytes, true, true);
    run_border("border_s8_point", cudaCreateChannelDesc<char4>(), bytes, true, true);
    run_border("border_u16", cudaCreateChannelDesc<ushort4>(), words, true, false);
    run_border("border_s16", cudaCreateChannelDesc<short4>(), words, true, false);
    run_border("border_half", cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat),
               halves(NUMBERS, 79, 12, 4).data(), false, false);
}

// Bytes in space, with the coordinates from 0 to 1 that a viewer of volumes has.
static void run_volumes(void) {
    enum { SIDE = 32, IMAGE = 128 };
    std::vector<uint8_t> bytes(SIDE * SIDE * SIDE);
    for (size_t i = 0; i < bytes.size(); i++) bytes[i] = (uint8_t)mix(i + 5);
    texture_set set = {
        .name = "volume_wrap", .axes = 3, .width = SIDE, .height = SIDE, .depth = SIDE};
    set.format = cudaCreateChannelDesc<uint8_t>();
    set.texels = bytes.data(), set.texel_bytes = 1;
    set.mode = cudaAddressModeWrap, set.fractions = set.unit = true;
    for (int y = 0; y < IMAGE; y++)
        for (int x = 0; x < IMAGE; x++)
            set.places.push_back({x / 512.f, y / 300.f, (x + y) / 700.f});
    run<float>(&set);
    for (place &at : set.places) {
        at.x = at.x * 3 - 0.5f;
        at.y = at.y * 3 - 0.7f;
    }
    set.name = "volume_clamp", set.mode = cudaAddressModeClamp;
    run<float>(&set);
}

// -------------------------------------------------------------------------------------------------

int main() {
    run_weights();
    run_floats();
    run_formats();
    run_borders();
    run_volumes();
    return 0;
}
