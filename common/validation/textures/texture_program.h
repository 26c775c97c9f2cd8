// Texture fetches and surface accesses whose results on a GPU are golden data: the settings
// (texture_cases.def), the texels and coordinates that follow from a setting, and the kernels'
// launcher. Only the CUDA runtime API; knows nothing of the simulator.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { TEXTURE_TUPLES = 224, TEXTURE_WORDS = 4 };

typedef enum texture_fetch {
    FETCH_FETCH_1D, // integer coordinates
    FETCH_FETCH_2D,
    FETCH_1D,
    FETCH_2D,
    FETCH_3D,
    FETCH_LAYERED_1D,
    FETCH_LAYERED_2D,
    FETCH_LEVEL_2D, // level 1.75 of a texture that has none
    FETCH_GRAD_2D,
    FETCH_GATHER_R,
    FETCH_GATHER_G,
    FETCH_GATHER_B,
    FETCH_GATHER_A,
    FETCH_SURFACE_1D_CLAMP,
    FETCH_SURFACE_1D_ZERO,
    FETCH_SURFACE_2D_CLAMP,
    FETCH_SURFACE_2D_ZERO,
    FETCH_SURFACE_3D_CLAMP,
    FETCH_SURFACE_3D_ZERO,
    FETCH_SURFACE_LAYERED_2D_ZERO,
    FETCH_SURFACE_WRITE_2D_CLAMP, // one thread writes tuple by tuple and reads back
    FETCH_SURFACE_WRITE_2D_ZERO,
    FETCH_SURFACE_ADD_2D_ZERO,
    FETCH_SURFACE_STORE_2D_ZERO, // by texels, converted to the format
    FETCH_SURFACE_MIN_2D_ZERO
} texture_fetch;

typedef enum texture_resource { RESOURCE_ARRAY, RESOURCE_PITCH, RESOURCE_LINEAR } texture_resource;

typedef enum texture_format {
    FORMAT_F32, // whole numbers within 1000, whose filtered values are exact
    FORMAT_RANDOM_F32,
    FORMAT_F16,
    FORMAT_U8,
    FORMAT_S8,
    FORMAT_U16,
    FORMAT_S16,
    FORMAT_U32,
    FORMAT_S32,
    FORMAT_SRGB_U8
} texture_format;

typedef enum texture_space { SPACE_TEXEL, SPACE_UNIT } texture_space;

typedef struct texture_case {
    const char *id;
    texture_fetch fetch;
    texture_resource resource;
    texture_format format;
    int channels;
    enum cudaTextureFilterMode filter;
    enum cudaTextureAddressMode address;
    texture_space space;
    enum cudaTextureReadMode read;
} texture_case;

typedef struct texture_size { // depth: slices or layers; 0 as in cudaExtent
    uint32_t width, height, depth;
} texture_size;

extern const texture_case texture_cases[];
extern const size_t texture_case_count;

// texture_values.c
texture_size texture_size_of(const texture_case *test);
size_t texture_texel_bytes(const texture_case *test);
size_t texture_texel_count(const texture_case *test);
struct cudaChannelFormatDesc texture_channels(const texture_case *test);
bool texture_is_surface(const texture_case *test);
bool texture_result_is_float(const texture_case *test); // else words are integers
// texels: [depth][height][width] of texture_texel_bytes, without pitch.
void texture_fill_texels(const texture_case *test, void *out_texels);
// out: [TEXTURE_TUPLES] of x, y, z (float bits, or integers where the fetch takes those) and layer
// or value.
void texture_fill_tuples(const texture_case *test, uint32_t (*out)[TEXTURE_WORDS]);

// texture_kernels.cu: fetches all tuples; `object` is a texture or a surface.
cudaError_t texture_launch(const texture_case *test, unsigned long long object,
                           const void *d_tuples, void *d_results);

#ifdef __cplusplus
}
#endif
