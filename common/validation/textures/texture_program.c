// Runs texture cases on the device of the CUDA runtime and prints what they give:
//   texture_program [--tuples] [PART-OF-ID..]    none: all cases
// Lines of a case: the number of a tuple, and the result words of four tuples from it on; or the
// error that the runtime answers. --tuples: a line per tuple, with coordinates and results.
#include "texture_program.h"

#include <string.h>

#include "../check.h"

typedef struct texture_record {
    uint32_t tuples[TEXTURE_TUPLES][TEXTURE_WORDS];
    uint32_t results[TEXTURE_TUPLES][TEXTURE_WORDS];
} texture_record;

typedef struct held { // what a case holds on the device
    cudaArray_t array;
    void *d_memory, *d_tuples, *d_results;
    unsigned long long object;
} held;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) return error_;                                                  \
    } while (0)

static cudaError_t make_array(const texture_case *test, void *texels, held *out,
                              struct cudaResourceDesc *resource) {
    texture_size size = texture_size_of(test);
    struct cudaChannelFormatDesc channels = texture_channels(test);
    struct cudaExtent extent = {size.width, size.height, size.depth};
    bool layered = test->fetch == FETCH_LAYERED_1D || test->fetch == FETCH_LAYERED_2D ||
                   test->fetch == FETCH_SURFACE_LAYERED_2D_ZERO;
    bool gathers = test->fetch >= FETCH_GATHER_R && test->fetch <= FETCH_GATHER_A;
    unsigned flags = (layered ? cudaArrayLayered : 0) | (gathers ? cudaArrayTextureGather : 0) |
                     (texture_is_surface(test) ? cudaArraySurfaceLoadStore : 0);
    TRY(cudaMalloc3DArray(&out->array, &channels, extent, flags));
    struct cudaMemcpy3DParms copy = {0};
    copy.srcPtr.ptr = texels;
    copy.srcPtr.pitch = size.width * texture_texel_bytes(test);
    copy.srcPtr.xsize = size.width;
    copy.srcPtr.ysize = size.height ? size.height : 1;
    copy.dstArray = out->array;
    copy.extent =
        (struct cudaExtent){size.width, size.height ? size.height : 1, size.depth ? size.depth : 1};
    copy.kind = cudaMemcpyHostToDevice;
    TRY(cudaMemcpy3D(&copy));
    resource->resType = cudaResourceTypeArray;
    resource->res.array.array = out->array;
    return cudaSuccess;
}

static cudaError_t make_memory(const texture_case *test, const void *texels, held *out,
                               struct cudaResourceDesc *resource) {
    texture_size size = texture_size_of(test);
    size_t row = size.width * texture_texel_bytes(test), pitch = row;
    if (test->resource == RESOURCE_LINEAR) {
        TRY(cudaMalloc(&out->d_memory, row));
        TRY(cudaMemcpy(out->d_memory, texels, row, cudaMemcpyHostToDevice));
        resource->resType = cudaResourceTypeLinear;
        resource->res.linear.devPtr = out->d_memory;
        resource->res.linear.desc = texture_channels(test);
        resource->res.linear.sizeInBytes = row;
        return cudaSuccess;
    }
    TRY(cudaMallocPitch(&out->d_memory, &pitch, row, size.height));
    TRY(cudaMemcpy2D(out->d_memory, pitch, texels, row, row, size.height, cudaMemcpyHostToDevice));
    resource->resType = cudaResourceTypePitch2D;
    resource->res.pitch2D.devPtr = out->d_memory;
    resource->res.pitch2D.desc = texture_channels(test);
    resource->res.pitch2D.width = size.width;
    resource->res.pitch2D.height = size.height;
    resource->res.pitch2D.pitchInBytes = pitch;
    return cudaSuccess;
}

static cudaError_t make_object(const texture_case *test, const struct cudaResourceDesc *resource,
                               held *out) {
    if (texture_is_surface(test)) return cudaCreateSurfaceObject(&out->object, resource);
    struct cudaTextureDesc desc = {.filterMode = test->filter,
                                   .readMode = test->read,
                                   .sRGB = test->format == FORMAT_SRGB_U8,
                                   .borderColor = {5, -3, 0.25f, 1},
                                   .normalizedCoords = test->space == SPACE_UNIT};
    for (int axis = 0; axis < 3; axis++) desc.addressMode[axis] = test->address;
    return cudaCreateTextureObject(&out->object, resource, &desc, NULL);
}

static cudaError_t run_held(const texture_case *test, void *texels, held *out,
                            texture_record *record) {
    struct cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    TRY(test->resource == RESOURCE_ARRAY ? make_array(test, texels, out, &resource)
                                         : make_memory(test, texels, out, &resource));
    TRY(make_object(test, &resource, out));
    TRY(cudaMalloc(&out->d_tuples, sizeof record->tuples));
    TRY(cudaMalloc(&out->d_results, sizeof record->results));
    TRY(cudaMemcpy(out->d_tuples, record->tuples, sizeof record->tuples, cudaMemcpyHostToDevice));
    TRY(cudaMemset(out->d_results, 0xCD, sizeof record->results));
    TRY(texture_launch(test, out->object, out->d_tuples, out->d_results));
    TRY(cudaMemcpy(record->results, out->d_results, sizeof record->results,
                   cudaMemcpyDeviceToHost));
    if (test->fetch < FETCH_SURFACE_WRITE_2D_CLAMP) return cudaSuccess;
    // What was written where: the first texels, beside the results.
    texture_size size = texture_size_of(test);
    size_t row = size.width * texture_texel_bytes(test);
    TRY(cudaMemcpy2DFromArray(texels, row, out->array, 0, 0, row, size.height,
                              cudaMemcpyDeviceToHost));
    for (int at = 0; at < TEXTURE_TUPLES; at++) {
        record->results[at][2] = ((uint32_t *)texels)[at];
        record->results[at][3] = ((uint32_t *)texels)[at + TEXTURE_TUPLES];
    }
    return cudaSuccess;
}

// Runs a case; what the runtime refuses is its result.
static cudaError_t run_case(const texture_case *test, texture_record *out_record) {
    held held = {0};
    texture_fill_tuples(test, out_record->tuples);
    void *texels = calloc(texture_texel_count(test), texture_texel_bytes(test));
    if (!texels) return cudaErrorMemoryAllocation;
    texture_fill_texels(test, texels);
    cudaError_t err = run_held(test, texels, &held, out_record);
    cudaGetLastError();
    if (held.object && texture_is_surface(test)) cudaDestroySurfaceObject(held.object);
    if (held.object && !texture_is_surface(test)) cudaDestroyTextureObject(held.object);
    cudaFreeArray(held.array);
    cudaFree(held.d_memory);
    cudaFree(held.d_tuples);
    cudaFree(held.d_results);
    free(texels);
    return err;
}

static void print_tuples(const texture_case *test, const texture_record *record) {
    for (int at = 0; at < TEXTURE_TUPLES; at++) {
        float values[3 + TEXTURE_WORDS];
        memcpy(values, record->tuples[at], 3 * sizeof *values);
        memcpy(values + 3, record->results[at], sizeof record->results[at]);
        printf("%s tuple %d:", test->id, at);
        for (int i = 0; i < 3; i++)
            printf(" %.9g (%08x)", (double)values[i], record->tuples[at][i]);
        printf(" %d ->", (int)record->tuples[at][3]);
        for (int i = 0; i < TEXTURE_WORDS; i++)
            printf(" %.9g (%08x)", (double)values[3 + i], record->results[at][i]);
        printf("\n");
    }
}

static bool wanted(char *const *parts, const char *id) {
    if (!*parts) return true;
    for (; *parts; parts++)
        if (strstr(id, *parts)) return true;
    return false;
}

int main(int argc, char **argv) {
    static texture_record record;
    struct cudaDeviceProp card;
    bool tuples = argc > 1 && strcmp(argv[1], "--tuples") == 0;
    CHECK(cudaGetDeviceProperties(&card, 0));
    if (!tuples) printf("# %s\n", card.name);
    for (size_t c = 0; c < texture_case_count; c++) {
        const texture_case *test = &texture_cases[c];
        if (!wanted(argv + 1 + tuples, test->id)) continue;
        cudaError_t err = run_case(test, &record);
        if (err) printf("%s %s\n", test->id, cudaGetErrorName(err));
        else if (tuples) print_tuples(test, &record);
        for (int at = 0; !err && !tuples && at < TEXTURE_TUPLES; at += 4) {
            printf("%s %d", test->id, at);
            for (int i = 0; i < 4 * TEXTURE_WORDS; i++)
                printf(" %08x", record.results[at + i / TEXTURE_WORDS][i % TEXTURE_WORDS]);
            printf("\n");
        }
    }
    return 0;
}
