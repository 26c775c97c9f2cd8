// Runs every texture case on the device of the CUDA runtime and writes a golden file, or compares
// with one:
//   texture_program --write FILE | --compare FILE [--show N] [--case PART-OF-ID]
// Point fetches and surfaces must agree in every bit. Linear filtering is a weighted sum whose
// weights have 8 fractional bits (CUDA C++ Programming Guide, "Texture Fetching"); how the units
// round narrow formats and weights of volumes is not documented, so that bound_of holds.
#include "texture_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Golden files ----
// Little-endian without alignment: "KLTXGLD1", the device's name
// (64 bytes), u32 number of records; a record: id (80 bytes), u32 error, and without an error
// TEXTURE_TUPLES x TEXTURE_WORDS u32 results. Coordinates follow from the case and are not stored.
typedef struct texture_record {
    char id[80];
    uint32_t err; // cudaError_t
    uint32_t tuples[TEXTURE_TUPLES][TEXTURE_WORDS];
    uint32_t results[TEXTURE_TUPLES][TEXTURE_WORDS];
} texture_record;

static const char magic[8] = "KLTXGLD1";
enum { NAME_BYTES = 64 };

static bool put_u32(FILE *file, uint32_t value) {
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    return fwrite(bytes, 1, 4, file) == 4;
}

static bool get_u32(FILE *file, uint32_t *out_value) {
    uint8_t b[4];
    if (fread(b, 1, 4, file) != 4) return false;
    *out_value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return true;
}

static bool golden_write_header(FILE *file, size_t count) {
    struct cudaDeviceProp properties;
    char name[NAME_BYTES];
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return false;
    memcpy(name, properties.name, sizeof name - 1);
    name[sizeof name - 1] = '\0';
    return fwrite(magic, 1, sizeof magic, file) == sizeof magic &&
           fwrite(name, 1, sizeof name, file) == sizeof name && put_u32(file, (uint32_t)count);
}

static bool golden_read_header(FILE *file, size_t count) {
    char found[sizeof magic], name[NAME_BYTES];
    uint32_t records;
    return fread(found, 1, sizeof found, file) == sizeof found &&
           memcmp(found, magic, sizeof magic) == 0 &&
           fread(name, 1, sizeof name, file) == sizeof name && get_u32(file, &records) &&
           records == count;
}

static bool golden_write(FILE *file, const texture_record *record) {
    bool ok = fwrite(record->id, 1, sizeof record->id, file) == sizeof record->id &&
              put_u32(file, record->err);
    for (int at = 0; ok && !record->err && at < TEXTURE_TUPLES; at++)
        for (int word = 0; ok && word < TEXTURE_WORDS; word++)
            ok = put_u32(file, record->results[at][word]);
    return ok;
}

static bool golden_read(FILE *file, texture_record *record) {
    bool ok = fread(record->id, 1, sizeof record->id, file) == sizeof record->id &&
              get_u32(file, &record->err);
    record->id[sizeof record->id - 1] = '\0';
    for (int at = 0; ok && !record->err && at < TEXTURE_TUPLES; at++)
        for (int word = 0; ok && word < TEXTURE_WORDS; word++)
            ok = get_u32(file, &record->results[at][word]);
    return ok;
}

// ---- The program ----

typedef struct options {
    const char *write, *compare, *only;
    int show;
} options;

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
static void run_case(const texture_case *test, texture_record *out_record) {
    held held = {0};
    memset(out_record, 0, sizeof *out_record);
    snprintf(out_record->id, sizeof out_record->id, "%s", test->id);
    texture_fill_tuples(test, out_record->tuples);
    void *texels = calloc(texture_texel_count(test), texture_texel_bytes(test));
    if (!texels) {
        out_record->err = cudaErrorMemoryAllocation;
        return;
    }
    texture_fill_texels(test, texels);
    out_record->err = run_held(test, texels, &held, out_record);
    if (out_record->err) memset(out_record->results, 0, sizeof out_record->results);
    cudaGetLastError();
    if (held.object && texture_is_surface(test)) cudaDestroySurfaceObject(held.object);
    if (held.object && !texture_is_surface(test)) cudaDestroyTextureObject(held.object);
    cudaFreeArray(held.array);
    cudaFree(held.d_memory);
    cudaFree(held.d_tuples);
    cudaFree(held.d_results);
    free(texels);
}

// ---- comparing ----------------------------------------------------------------------------------

static float as_float(uint32_t word) {
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

// What filtering may differ by, in units of the texels' range.
static double bound_of(const texture_case *test) {
    bool linear = test->filter == cudaFilterModeLinear;
    return linear && test->format == FORMAT_SRGB_U8 ? 1.0 / 128 : 0;
}

// The distance of two result words in units of the texels' range; 0: the same bits.
static double distance(const texture_case *test, uint32_t got, uint32_t want) {
    if (got == want) return 0;
    if (!texture_result_is_float(test)) return INFINITY;
    double a = as_float(got), b = as_float(want), apart = fabs(a - b);
    if (isnan(a) && isnan(b)) return 0;
    if (isnan(apart)) return INFINITY;
    return apart > 0 ? apart / texture_scale(test) : 1e-30; // 0 and -0
}

static void show_tuple(const texture_record *got, const texture_record *want, int at) {
    printf("    tuple %d: %.9g %.9g %.9g (%08x %08x %08x) %d:", at,
           (double)as_float(got->tuples[at][0]), (double)as_float(got->tuples[at][1]),
           (double)as_float(got->tuples[at][2]), got->tuples[at][0], got->tuples[at][1],
           got->tuples[at][2], (int)got->tuples[at][3]);
    for (int word = 0; word < TEXTURE_WORDS; word++) {
        uint32_t a = got->results[at][word], b = want->results[at][word];
        printf("  %08x (%.9g) %s %08x (%.9g)", a, (double)as_float(a), a == b ? "as" : "NOT", b,
               (double)as_float(b));
    }
    printf("\n");
}

static bool compare_case(const texture_case *test, const texture_record *got,
                         const texture_record *want, const options *chosen) {
    if (strcmp(got->id, want->id) != 0 || memcmp(got->tuples, want->tuples, sizeof got->tuples)) {
        printf("FAIL %s: the golden file is of other cases\n", test->id);
        return false;
    }
    if (got->err != want->err) {
        printf("FAIL %s: %s, not %s\n", test->id, cudaGetErrorName((cudaError_t)got->err),
               cudaGetErrorName((cudaError_t)want->err));
        return false;
    }
    double bound = bound_of(test), worst = 0;
    int differing = 0, wrong = 0, shown = 0;
    for (int at = 0; at < TEXTURE_TUPLES; at++) {
        double most = 0;
        for (int word = 0; word < TEXTURE_WORDS; word++)
            most = fmax(most, distance(test, got->results[at][word], want->results[at][word]));
        differing += most > 0;
        wrong += !(most <= bound);
        worst = fmax(worst, most);
        if (most > 0 && shown++ < chosen->show) show_tuple(got, want, at);
    }
    printf("%s %s: %d of %d differ, at most by %g of the range\n", wrong ? "FAIL" : "ok  ",
           test->id, differing, TEXTURE_TUPLES, worst);
    return wrong == 0;
}

static int compare(const options *chosen, FILE *file) {
    texture_record *got = malloc(sizeof *got), *want = malloc(sizeof *want);
    size_t failed = 0, compared = 0;
    bool read = got && want && golden_read_header(file, texture_case_count);
    for (size_t i = 0; read && i < texture_case_count; i++) {
        const texture_case *test = &texture_cases[i];
        texture_fill_tuples(test, want->tuples);
        read = golden_read(file, want);
        if (!read || (chosen->only && !strstr(test->id, chosen->only))) continue;
        run_case(test, got);
        failed += !compare_case(test, got, want, chosen);
        compared++;
    }
    free(got);
    free(want);
    if (!read) printf("FAIL the golden file ends early or is of another version\n");
    printf("%zu of %zu texture cases agree\n", compared - failed, compared);
    return read && compared && !failed ? 0 : 1;
}

static int write_all(FILE *file) {
    texture_record *record = malloc(sizeof *record);
    bool ok = record && golden_write_header(file, texture_case_count);
    for (size_t i = 0; ok && i < texture_case_count; i++) {
        run_case(&texture_cases[i], record);
        if (record->err) printf("%s: %s\n", record->id, cudaGetErrorName((cudaError_t)record->err));
        ok = golden_write(file, record);
    }
    free(record);
    return ok && fflush(file) == 0 ? 0 : 1;
}

static bool parse(int argc, char **argv, options *out) {
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--write") == 0) out->write = argv[i + 1];
        else if (strcmp(argv[i], "--compare") == 0) out->compare = argv[i + 1];
        else if (strcmp(argv[i], "--case") == 0) out->only = argv[i + 1];
        else if (strcmp(argv[i], "--show") == 0) out->show = atoi(argv[i + 1]);
        else return false;
    return argc % 2 == 1 && !out->write != !out->compare;
}

int main(int argc, char **argv) {
    options chosen = {0};
    if (!parse(argc, argv, &chosen)) {
        fprintf(stderr, "usage: texture_program --write FILE | --compare FILE [--case PART] "
                        "[--show N]\n");
        return 2;
    }
    FILE *file = fopen(chosen.write ? chosen.write : chosen.compare, chosen.write ? "wb" : "rb");
    if (!file) {
        perror(chosen.write ? chosen.write : chosen.compare);
        return 2;
    }
    int status = chosen.write ? write_all(file) : compare(&chosen, file);
    return fclose(file) == 0 ? status : 1;
}
