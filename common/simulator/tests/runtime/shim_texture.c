// Protects the drop-in runtime's arrays, textures and surfaces on a fake engine: formats and sizes
// that are refused, where copies of every shape put their bytes, and what dead handles give. What a
// fetch returns is held to an H100 by common/validation/textures/texture_program.c.
#include "runtime/shim.h"
#include "suite.h"

static const struct cudaChannelFormatDesc bytes_1 = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
static const struct cudaChannelFormatDesc float_1 = {32, 0, 0, 0, cudaChannelFormatKindFloat};

static cudaArray_t array_of(size_t width, size_t height, size_t depth, unsigned flags) {
    cudaArray_t array = NULL;
    struct cudaExtent extent = {width, height, depth};
    OK(cudaMalloc3DArray(&array, &bytes_1, extent, flags));
    ck_assert_ptr_nonnull(array);
    return array;
}

static struct cudaResourceDesc resource_of(cudaArray_t array) {
    return (struct cudaResourceDesc){.resType = cudaResourceTypeArray, .res.array.array = array};
}

KL_FIXTURE(shim_set_up, shim_tear_down)

KL_TEST(formats_that_no_texel_has) {
    static const struct cudaChannelFormatDesc bad[] = {
        {8, 8, 8, 0, cudaChannelFormatKindUnsigned},   {8, 0, 8, 0, cudaChannelFormatKindUnsigned},
        {8, 16, 0, 0, cudaChannelFormatKindSigned},    {64, 0, 0, 0, cudaChannelFormatKindSigned},
        {8, 0, 0, 0, cudaChannelFormatKindFloat},      {0, 0, 0, 0, cudaChannelFormatKindUnsigned},
        {12, 0, 0, 0, cudaChannelFormatKindUnsigned},  {-8, 0, 0, 0, cudaChannelFormatKindUnsigned},
        {8, 0, 0, 0, (enum cudaChannelFormatKind)900},
    };
    cudaArray_t array = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_int_eq(cudaMallocArray(&array, &bad[i], 4, 4, 0),
                         cudaErrorInvalidChannelDescriptor);
    ck_assert_int_eq(cudaMallocArray(&array, NULL, 4, 4, 0), cudaErrorInvalidValue);
    ck_assert_ptr_null(array);
}

KL_TEST(sizes_that_do_not_fit) {
    static const struct {
        struct cudaExtent extent;
        unsigned flags;
        cudaError_t wanted;
    } rows[] = {
        {{0, 0, 0}, 0, cudaErrorInvalidValue},
        {{131072, 0, 0}, 0, cudaSuccess},
        {{131073, 0, 0}, 0, cudaErrorInvalidValue},
        {{16385, 4, 4}, 0, cudaErrorInvalidValue},
        {{4, 4, 0}, cudaArrayLayered, cudaErrorInvalidValue},
        {{4, 4, 2048}, cudaArrayLayered, cudaSuccess},
        {{4, 4, 2049}, cudaArrayLayered, cudaErrorInvalidValue},
        {{4, 4, 6}, cudaArrayCubemap, cudaSuccess},
        {{4, 4, 12}, cudaArrayCubemap, cudaErrorInvalidValue},
        {{4, 5, 6}, cudaArrayCubemap, cudaErrorInvalidValue},
        {{4, 4, 12}, cudaArrayCubemap | cudaArrayLayered, cudaSuccess},
        {{4, 4, 13}, cudaArrayCubemap | cudaArrayLayered, cudaErrorInvalidValue},
        {{4, 4, 2052}, cudaArrayCubemap | cudaArrayLayered, cudaErrorInvalidValue},
        {{4, 4, 4}, cudaArrayTextureGather, cudaErrorInvalidValue},
        {{4, 4, 0}, cudaArraySparse, cudaErrorNotSupported},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cudaArray_t array = NULL;
        ck_assert_int_eq(cudaMalloc3DArray(&array, &bytes_1, rows[i].extent, rows[i].flags),
                         rows[i].wanted);
        ck_assert_int_eq(array != NULL, rows[i].wanted == cudaSuccess);
        OK(cudaFreeArray(array));
    }
    cudaArray_t array;
    ck_assert_int_eq(cudaMallocArray(&array, &bytes_1, 4, 4, cudaArrayLayered),
                     cudaErrorInvalidValue);
}

// A box of a volume or of layers, there and back again.
static void check_box(cudaArray_t array, struct cudaPos at, struct cudaExtent size) {
    uint8_t sent[256], back[256];
    size_t bytes = size.width * size.height * size.depth;
    ck_assert_uint_le(bytes, sizeof sent);
    for (size_t i = 0; i < bytes; i++) sent[i] = (uint8_t)(17 * i + 3);
    memset(back, 0, sizeof back);
    struct cudaMemcpy3DParms there = {
        .srcPtr = {sent, size.width, size.width, size.height},
        .dstArray = array,
        .dstPos = at,
        .extent = size,
        .kind = cudaMemcpyHostToDevice,
    };
    struct cudaMemcpy3DParms again = {
        .srcArray = array,
        .srcPos = at,
        .dstPtr = {back, size.width, size.width, size.height},
        .extent = size,
        .kind = cudaMemcpyDeviceToHost,
    };
    OK(cudaMemcpy3D(&there));
    OK(cudaMemcpy3DAsync(&again, NULL));
    ck_assert_mem_eq(sent, back, bytes);
    there.dstPos.z++; // one slice too far
    ck_assert_int_eq(cudaMemcpy3D(&there), cudaErrorInvalidValue);
}

KL_TEST(boxes_of_every_shape_are_copied) {
    cudaArray_t line = array_of(16, 0, 0, 0), plane = array_of(16, 8, 0, 0);
    cudaArray_t volume = array_of(6, 5, 4, 0), layers = array_of(6, 5, 4, cudaArrayLayered);
    cudaArray_t line_layers = array_of(16, 0, 3, cudaArrayLayered);
    cudaArray_t cube = array_of(4, 4, 6, cudaArrayCubemap);
    cudaArray_t cubes = array_of(4, 4, 12, cudaArrayCubemap | cudaArrayLayered);
    check_box(line, (struct cudaPos){3, 0, 0}, (struct cudaExtent){13, 1, 1});
    check_box(plane, (struct cudaPos){1, 2, 0}, (struct cudaExtent){15, 6, 1});
    check_box(volume, (struct cudaPos){1, 1, 1}, (struct cudaExtent){5, 4, 3});
    check_box(layers, (struct cudaPos){0, 0, 2}, (struct cudaExtent){6, 5, 2});
    check_box(line_layers, (struct cudaPos){4, 0, 1}, (struct cudaExtent){12, 1, 2});
    check_box(cube, (struct cudaPos){0, 0, 0}, (struct cudaExtent){4, 4, 6});
    check_box(cubes, (struct cudaPos){0, 0, 6}, (struct cudaExtent){4, 4, 6});
    struct cudaMemcpy3DParms between = {.srcArray = volume,
                                        .dstArray = layers,
                                        .extent = {6, 5, 4},
                                        .kind = cudaMemcpyDeviceToDevice};
    OK(cudaMemcpy3D(&between));
    between.extent.width = 7;
    ck_assert_int_eq(cudaMemcpy3D(&between), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy3D(NULL), cudaErrorInvalidValue);
}

KL_TEST(rows_and_runs_land_where_they_should) {
    uint8_t sent[64], back[64] = {0}, all[64];
    for (int i = 0; i < 64; i++) sent[i] = (uint8_t)(i + 1);
    cudaArray_t a = array_of(8, 8, 0, 0), b = array_of(8, 8, 0, 0);
    ck_assert_int_eq(cudaMemcpy2DToArray(a, 0, 0, back, 8, 8, 8, cudaMemcpyHostToDevice), 0);
    ck_assert_int_eq(cudaMemcpy2DToArray(a, 2, 3, sent, 16, 5, 4, cudaMemcpyHostToDevice), 0);
    ck_assert_int_eq(cudaMemcpy2DFromArray(all, 8, a, 0, 0, 8, 8, cudaMemcpyDeviceToHost), 0);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++) {
            bool inside = x >= 2 && x < 7 && y >= 3 && y < 7;
            ck_assert_int_eq(all[8 * y + x], inside ? sent[16 * (y - 3) + x - 2] : 0);
        }
    ck_assert_int_eq(cudaMemcpy2DArrayToArray(b, 0, 0, a, 2, 3, 5, 4, cudaMemcpyDeviceToDevice), 0);
    ck_assert_int_eq(cudaMemcpy2DFromArray(back, 5, b, 0, 0, 5, 4, cudaMemcpyDeviceToHost), 0);
    for (int i = 0; i < 20; i++) ck_assert_int_eq(back[i], sent[16 * (i / 5) + i % 5]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    ck_assert_int_eq(cudaMemcpyToArray(b, 6, 1, sent, 11, cudaMemcpyHostToDevice), 0);
    ck_assert_int_eq(cudaMemcpyFromArray(back, b, 6, 1, 11, cudaMemcpyDeviceToHost), 0);
    ck_assert_mem_eq(back, sent, 11);
    ck_assert_int_eq(cudaMemcpyToArray(b, 7, 7, sent, 2, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpyToArray(b, 8, 0, sent, 1, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
#pragma GCC diagnostic pop
    ck_assert_int_eq(cudaMemcpy2DToArray(a, 1, 0, sent, 8, 8, 8, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy2DToArray(a, SIZE_MAX, 0, sent, 8, 8, 8, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy2DToArray(a, 0, 0, sent, 8, 8, 8, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidMemcpyDirection);
    ck_assert_int_eq(cudaMemcpy2DToArray(a, 0, 0, sent, 4, 8, 8, cudaMemcpyHostToDevice),
                     cudaErrorInvalidPitchValue);
}

KL_TEST(dead_arrays_are_refused) {
    uint8_t byte = 0;
    cudaArray_t a = array_of(8, 8, 0, 0);
    OK(cudaFreeArray(a));
    ck_assert_int_ne(cudaFreeArray(a), cudaSuccess);
    struct cudaChannelFormatDesc channels;
    ck_assert_int_eq(cudaArrayGetInfo(&channels, NULL, NULL, a), cudaErrorInvalidResourceHandle);
    ck_assert_int_eq(cudaGetChannelDesc(&channels, a), cudaErrorInvalidResourceHandle);
    ck_assert_int_eq(cudaMemcpy2DToArray(a, 0, 0, &byte, 1, 1, 1, cudaMemcpyHostToDevice),
                     cudaErrorInvalidResourceHandle);
    struct cudaResourceDesc resource = resource_of(a);
    struct cudaTextureDesc how = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t texture = 5;
    cudaSurfaceObject_t surface = 5;
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &resource, &how, NULL),
                     cudaErrorInvalidResourceHandle);
    ck_assert_int_eq(cudaCreateSurfaceObject(&surface, &resource), cudaErrorInvalidResourceHandle);
    ck_assert_uint_eq(fake.textures_made, 0);
    ck_assert_uint_eq(texture + surface, 10);
}

KL_TEST(objects_describe_their_array) {
    cudaArray_t cube = array_of(4, 4, 6, cudaArrayCubemap | cudaArraySurfaceLoadStore);
    struct cudaResourceDesc resource = resource_of(cube), got;
    struct cudaTextureDesc how = {
        .addressMode = {cudaAddressModeWrap, cudaAddressModeBorder, cudaAddressModeMirror},
        .filterMode = cudaFilterModeLinear,
        .readMode = cudaReadModeNormalizedFloat,
        .normalizedCoords = 1,
        .borderColor = {1, 2, 3, 4},
    };
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    ck_assert_int_eq(fake.texture.layout, SIM_TEXTURE_ARRAY);
    ck_assert(fake.texture.is_layered && fake.texture.is_linear && fake.texture.is_normalized);
    ck_assert(fake.texture.to_float && !fake.texture.is_surface);
    ck_assert_uint_eq(fake.texture.address_mode[0], SIM_ADDRESS_WRAP);
    ck_assert_uint_eq(fake.texture.address_mode[1], SIM_ADDRESS_BORDER);
    ck_assert_uint_eq(fake.texture.address_mode[2], SIM_ADDRESS_MIRROR);
    ck_assert_uint_eq(fake.texture.slice_bytes, 16);
    ck_assert_float_eq(fake.texture.border[3], 4);
    OK(cudaCreateSurfaceObject(&surface, &resource));
    ck_assert(fake.texture.is_surface);
    OK(cudaGetTextureObjectResourceDesc(&got, texture));
    ck_assert_ptr_eq(got.res.array.array, cube);
    ck_assert_int_eq(cudaGetSurfaceObjectResourceDesc(&got, texture), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGetTextureObjectResourceDesc(&got, surface), cudaErrorInvalidValue);
    ck_assert_uint_eq(fake.textures_live, 2);
    OK(cudaDestroyTextureObject(texture));
    ck_assert_int_eq(cudaGetTextureObjectResourceDesc(&got, texture), cudaErrorInvalidValue);
    OK(cudaDestroyTextureObject(texture)); // the real runtime is silent
    ck_assert_uint_eq(fake.textures_live, 1);
    OK(cudaDeviceReset());
    ck_assert_uint_eq(fake.textures_live, 0);
    ck_assert_int_eq(cudaGetSurfaceObjectResourceDesc(&got, surface), cudaErrorInvalidValue);
}

KL_TEST(descriptions_that_make_no_sense) {
    cudaArray_t plain = array_of(8, 8, 0, 0);
    cudaArray_t floats;
    OK(cudaMallocArray(&floats, &float_1, 8, 8, 0));
    struct cudaResourceDesc bytes = resource_of(plain), resource = resource_of(floats);
    struct cudaTextureDesc good = {.readMode = cudaReadModeElementType}, how = good;
    cudaTextureObject_t texture;
    ck_assert_int_eq(cudaCreateTextureObject(NULL, &bytes, &how, NULL), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaCreateTextureObject(&texture, NULL, &how, NULL), cudaErrorInvalidValue);
    how.filterMode = cudaFilterModeLinear; // of integers
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &bytes, &how, NULL),
                     cudaErrorInvalidFilterSetting);
    how = good;
    how.readMode = cudaReadModeNormalizedFloat; // of floats
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &resource, &how, NULL),
                     cudaErrorInvalidNormSetting);
    how = good;
    how.addressMode[1] = (enum cudaTextureAddressMode)4;
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &bytes, &how, NULL), cudaErrorInvalidValue);
    struct cudaResourceViewDesc view = {.format = cudaResViewFormatFloat1, .width = 8, .height = 8};
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &bytes, &good, &view),
                     cudaErrorInvalidValue); // four bytes where the array has one
    char *memory;
    OK(cudaMalloc((void **)&memory, 4096));
    struct cudaResourceDesc pitch = {
        .resType = cudaResourceTypePitch2D,
        .res.pitch2D = {memory, bytes_1, 20, 4, 64},
    };
    OK(cudaCreateTextureObject(&texture, &pitch, &good, NULL));
    pitch.res.pitch2D.pitchInBytes = 33;
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &pitch, &good, NULL), cudaErrorInvalidValue);
    pitch.res.pitch2D.pitchInBytes = 64;
    pitch.res.pitch2D.devPtr = memory + 4;
    ck_assert_int_eq(cudaCreateTextureObject(&texture, &pitch, &good, NULL), cudaErrorInvalidValue);
    ck_assert_uint_eq(fake.textures_made, 1);
}

void shim_texture_tests(Suite *suite) { kl_add_tests(suite); }
