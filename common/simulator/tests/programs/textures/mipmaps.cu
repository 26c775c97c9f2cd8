// Levels of mipmaps and faces of cubes: fetches by level, bias and clamp give what an H200 gave;
// gradients, layers, volumes and cubes give what follows from that.
// engine: yes
#include "../check.h"

#include <cmath>
#include <cstring>

enum { SIDE = 16, LEVELS = 4, LOOKS = 21 };

__global__ void by_level(cudaTextureObject_t t, float *y) {
    y[threadIdx.x] = tex2DLod<float>(t, 0.4f, 0.6f, -1 + 0.25f * threadIdx.x);
}

__global__ void by_others(cudaTextureObject_t t, float *y) {
    y[0] = tex2D<float>(t, 0.4f, 0.6f);
    y[1] = tex2DGrad<float>(t, 0.4f, 0.6f, make_float2(2.0f / SIDE, 0), make_float2(0, 0));
    y[2] = tex2DGrad<float>(t, 0.4f, 0.6f, make_float2(0, 0), make_float2(0, 4.0f / SIDE));
    y[3] = tex2DGrad<float>(t, 0.4f, 0.6f, make_float2(0, 0), make_float2(0, 0));
}

__global__ void of_layers(cudaTextureObject_t t, float *y) {
    y[threadIdx.x] = tex2DLayeredLod<float>(t, 0.5f, 0.5f, threadIdx.x % 2, threadIdx.x / 2);
}

__global__ void of_volume(cudaTextureObject_t t, float *y) {
    y[threadIdx.x] = tex3DLod<float>(t, 0.5f, 0.5f, 0.5f, 0.5f * threadIdx.x);
}

__constant__ float3 directions[7] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, -1},
                                     {1, 1, 1}, {-1, 1, 1}, {0, 0, 0}};

__global__ void of_cube(cudaTextureObject_t t, float *y) {
    float3 d = directions[threadIdx.x];
    y[threadIdx.x] = texCubemap<float>(t, d.x, d.y, d.z);
}

__global__ void of_cubes(cudaTextureObject_t t, float *y) {
    float3 d = directions[threadIdx.x];
    y[threadIdx.x] = texCubemapLayered<float>(t, d.x, d.y, d.z, 1);
    y[7 + threadIdx.x] = texCubemapLayeredLod<float>(t, d.x, d.y, d.z, 1, 0);
}

// Near the edge between the faces +z and +x, from the one to the other.
__global__ void over_edge(cudaTextureObject_t t, float *y) {
    y[threadIdx.x] = texCubemap<float>(t, 1, 0, 0.5f + threadIdx.x / 8.0f);
}

__global__ void between_levels(cudaTextureObject_t t, float *y) {
    const float levels[4] = {0.1f, 0.3f, 0.499f, 0.999f};
    y[threadIdx.x] = threadIdx.x < 4 ? tex2DLod<float>(t, 0.4f, 0.6f, levels[threadIdx.x])
                                     : tex2D<float>(t, 0.4f, 0.6f);
}

__global__ void at_corner(cudaTextureObject_t t, float *y) {
    float side = threadIdx.x ? 1 : -1;
    y[threadIdx.x] = texCubemap<float>(t, side, side, side);
}

static cudaTextureDesc fractions(cudaTextureFilterMode filter, cudaTextureFilterMode levels) {
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.normalizedCoords = 1;
    for (int i = 0; i < 3; i++) desc.addressMode[i] = cudaAddressModeClamp;
    desc.filterMode = filter;
    desc.mipmapFilterMode = levels;
    desc.maxMipmapLevelClamp = LEVELS - 1;
    return desc;
}

static cudaTextureObject_t texture_of(cudaMipmappedArray_t mipmap, const cudaTextureDesc &desc) {
    cudaResourceDesc resource;
    cudaTextureObject_t made;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    CUDA_CHECK(cudaCreateTextureObject(&made, &resource, &desc, nullptr));
    return made;
}

// Each texel is 1000 * level + 100 * slice, and its column where there are many.
static cudaMipmappedArray_t levels_of(cudaExtent size, unsigned flags) {
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t mipmap;
    static float texels[12 * SIDE * SIDE];
    CUDA_CHECK(cudaMallocMipmappedArray(&mipmap, &floats, size, LEVELS, flags));
    for (int level = 0; level < LEVELS; level++) {
        cudaArray_t array;
        cudaExtent extent;
        cudaMemcpy3DParms copy;
        CUDA_CHECK(cudaGetMipmappedArrayLevel(&array, mipmap, level));
        CUDA_CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, array));
        EXPECT(extent.width == size.width >> level);
        size_t slices = extent.depth ? extent.depth : 1, plane = extent.width * extent.height;
        for (size_t i = 0; i < slices * plane; i++)
            texels[i] =
                1000 * level + (size.depth ? 100.0f * (i / plane) : (float)(i % extent.width));
        memset(&copy, 0, sizeof copy);
        copy.srcPtr = make_cudaPitchedPtr(texels, extent.width * 4, extent.width, extent.height);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(extent.width, extent.height, slices);
        copy.kind = cudaMemcpyHostToDevice;
        CUDA_CHECK(cudaMemcpy3D(&copy));
    }
    return mipmap;
}

static float *d_y, y[LOOKS];

static void get() {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(y, d_y, sizeof y, cudaMemcpyDeviceToHost));
}

// By an H200, to three places: nearest and linear texels, levels, bias and clamp.
static void levels_are_those_of_a_card() {
    static const float card[4][LOOKS] = {
        {6,       6,    6,        6,       6,        255.25f, 504.5f, 753.75f, 1003, 1252.5f, 1502,
         1751.5f, 2001, 2250.75f, 2500.5f, 2750.25f, 3000,    3000,   3000,    3000, 3000},
        {5.898f,    5.898f,    5.898f,    5.898f,    5.898f,    5.898f,    1002.699f,
         1002.699f, 1002.699f, 1002.699f, 2001.102f, 2001.102f, 2001.102f, 2001.102f,
         3000.301f, 3000.301f, 3000.301f, 3000.301f, 3000.301f, 3000.301f, 3000.301f},
        {5.898f,    5.898f,    5.898f,    5.898f,    5.898f,    255.102f,  504.301f,
         753.500f,  1002.699f, 1252.301f, 1501.902f, 1751.504f, 2001.102f, 2250.902f,
         2500.703f, 2750.504f, 3000.301f, 3000.301f, 3000.301f, 3000.301f, 3000.301f},
        {504.301f,  504.301f,  504.301f,  504.301f,  504.301f,  753.500f,  1002.699f,
         1252.301f, 1501.902f, 1751.504f, 2001.102f, 2250.902f, 2250.902f, 2250.902f,
         2250.902f, 2250.902f, 2250.902f, 2250.902f, 2250.902f, 2250.902f, 2250.902f}};
    cudaMipmappedArray_t mipmap = levels_of(make_cudaExtent(SIDE, SIDE, 0), 0);
    for (int kind = 0; kind < 4; kind++) {
        cudaTextureDesc desc = fractions(kind ? cudaFilterModeLinear : cudaFilterModePoint,
                                         kind == 1 ? cudaFilterModePoint : cudaFilterModeLinear);
        if (kind == 3) {
            desc.mipmapLevelBias = desc.minMipmapLevelClamp = 0.5f;
            desc.maxMipmapLevelClamp = 2.25f;
        }
        cudaTextureObject_t texture = texture_of(mipmap, desc);
        by_level<<<1, LOOKS>>>(texture, d_y);
        get();
        for (int i = 0; i < LOOKS; i++) EXPECT(fabsf(y[i] - card[kind][i]) <= 0.0006f);
        CUDA_CHECK(cudaDestroyTextureObject(texture));
    }
    cudaTextureObject_t texture =
        texture_of(mipmap, fractions(cudaFilterModeLinear, cudaFilterModeLinear));
    by_others<<<1, 1>>>(texture, d_y);
    get();
    const float others[] = {card[2][4], card[2][8], card[2][12], card[2][4]};
    for (int i = 0; i < 4; i++) EXPECT(fabsf(y[i] - others[i]) <= 0.0006f);
    CUDA_CHECK(cudaDestroyTextureObject(texture));
    CUDA_CHECK(cudaFreeMipmappedArray(mipmap));
}

static void layers_keep_their_number_and_volumes_do_not() {
    cudaMipmappedArray_t layers = levels_of(make_cudaExtent(SIDE, SIDE, 2), cudaArrayLayered);
    cudaTextureDesc nearest = fractions(cudaFilterModePoint, cudaFilterModePoint);
    cudaTextureObject_t texture = texture_of(layers, nearest);
    of_layers<<<1, 8>>>(texture, d_y);
    get();
    for (int i = 0; i < 8; i++) EXPECT(y[i] == 1000 * (i / 2) + 100 * (i % 2));
    CUDA_CHECK(cudaFreeMipmappedArray(layers));
    cudaMipmappedArray_t volume = levels_of(make_cudaExtent(SIDE, SIDE, 8), 0);
    texture = texture_of(volume, fractions(cudaFilterModeLinear, cudaFilterModeLinear));
    of_volume<<<1, 7>>>(texture, d_y);
    get();
    const float middle[] = {350, 1150, 2050, 3000}; // between two slices, at last of one
    for (int i = 0; i < 7; i++)
        EXPECT(fabsf(y[i] - (middle[i / 2] + middle[(i + 1) / 2]) / 2) <= 0.01f);
    CUDA_CHECK(cudaFreeMipmappedArray(volume));
}

// Faces by an H200: of several largest coordinates z counts, then y.
static void directions_meet_faces() {
    static const float faces[7] = {0, 1, 2, 5, 4, 4, 4};
    cudaMipmappedArray_t cube = levels_of(make_cudaExtent(SIDE, SIDE, 6), cudaArrayCubemap);
    cudaTextureDesc desc = fractions(cudaFilterModePoint, cudaFilterModePoint);
    of_cube<<<1, 7>>>(texture_of(cube, desc), d_y);
    get();
    for (int i = 0; i < 7; i++) EXPECT(y[i] == 100 * faces[i]);
    desc.filterMode = cudaFilterModeLinear;
    for (int seamless = 0; seamless < 2; seamless++) {
        desc.seamlessCubemap = seamless;
        over_edge<<<1, 9>>>(texture_of(cube, desc), d_y);
        get();
        EXPECT(y[0] == 0 && y[8] == 400);
        EXPECT(fabsf(y[4] - (seamless ? 200 : 400)) <= 0.01f); // on the edge: half of each face
    }
    CUDA_CHECK(cudaFreeMipmappedArray(cube));
    cudaMipmappedArray_t cubes =
        levels_of(make_cudaExtent(SIDE, SIDE, 12), cudaArrayCubemap | cudaArrayLayered);
    desc.filterMode = cudaFilterModePoint;
    of_cubes<<<1, 7>>>(texture_of(cubes, desc), d_y);
    get();
    for (int i = 0; i < 14; i++) EXPECT(y[i] == 600 + 100 * faces[i % 7]);
    CUDA_CHECK(cudaFreeMipmappedArray(cubes));
}

// Levels, a bias and a limit have 8 bits, towards 0; a fetch without a level has no bias.
static void levels_have_eight_bits() {
    static const float card[4] = {25, 76, 127, 255}, after[4] = {0, 0, 51, 179};
    cudaMipmappedArray_t mipmap = levels_of(make_cudaExtent(SIDE, SIDE, 0), 0);
    cudaTextureDesc desc = fractions(cudaFilterModePoint, cudaFilterModeLinear);
    for (int biased = 0; biased < 2; biased++) {
        desc.mipmapLevelBias = biased ? -0.3f : 0;
        between_levels<<<1, 5>>>(texture_of(mipmap, desc), d_y);
        get();
        for (int i = 0; i < 4; i++)
            EXPECT(fabsf(y[i] - 6 - 997 * (biased ? after[i] : card[i]) / 256) <= 0.01f);
        EXPECT(y[4] == 6);
    }
    CUDA_CHECK(cudaFreeMipmappedArray(mipmap));
}

// A texel where three faces meet: 85, 85 and 86 of 256.
static void corners_have_three_texels() {
    cudaMipmappedArray_t cube = levels_of(make_cudaExtent(SIDE, SIDE, 6), cudaArrayCubemap);
    cudaTextureDesc desc = fractions(cudaFilterModeLinear, cudaFilterModePoint);
    desc.seamlessCubemap = 1;
    at_corner<<<1, 2>>>(texture_of(cube, desc), d_y);
    get();
    EXPECT(fabsf(y[0] - (100 * 85 + 300 * 85 + 500 * 86) / 256.0f) <= 0.01f);
    EXPECT(fabsf(y[1] - (0 * 85 + 200 * 85 + 400 * 86) / 256.0f) <= 0.01f);
    CUDA_CHECK(cudaFreeMipmappedArray(cube));
}

static void mistakes() {
    cudaMipmappedArray_t mipmap = levels_of(make_cudaExtent(SIDE, SIDE, 0), 0);
    cudaArray_t level;
    cudaTextureObject_t texture;
    cudaResourceDesc resource;
    cudaTextureDesc desc = fractions(cudaFilterModePoint, cudaFilterModePoint);
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    EXPECT_ERROR(cudaGetMipmappedArrayLevel(&level, mipmap, LEVELS), cudaErrorInvalidValue);
    CUDA_CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    CUDA_CHECK(cudaFreeArray(level)); // of no effect
    CUDA_CHECK(cudaGetMipmappedArrayLevel(&level, mipmap, 1));
    desc.normalizedCoords = 0;
    EXPECT_ERROR(cudaCreateTextureObject(&texture, &resource, &desc, nullptr),
                 cudaErrorInvalidValue);
    CUDA_CHECK(cudaFreeMipmappedArray(mipmap));
}

int main() {
    CUDA_CHECK(cudaMalloc(&d_y, sizeof y));
    CUDA_CHECK(cudaMemset(d_y, 0, sizeof y));
    levels_are_those_of_a_card();
    layers_keep_their_number_and_volumes_do_not();
    directions_meet_faces();
    levels_have_eight_bits();
    corners_have_three_texels();
    mistakes();
    CUDA_CHECK(cudaFree(d_y));
    printf("ok\n");
    return 0;
}
