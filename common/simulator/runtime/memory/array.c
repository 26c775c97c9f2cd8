// Arrays: what cudaMallocArray and its relatives make (CUDA Runtime API, "Memory Management"). A
// cube map has its faces as layers, a mipmap is an array a level. Sparse and planar arrays are
// refused.
#include "runtime/memory/memory.h"

size_t runtime_texel_bytes(const struct cudaChannelFormatDesc *channels) {
    int bits = channels->x, count = 1;
    const int rest[] = {channels->y, channels->z, channels->w};
    bool integer =
        channels->f == cudaChannelFormatKindSigned || channels->f == cudaChannelFormatKindUnsigned;
    if (!integer && channels->f != cudaChannelFormatKindFloat) return 0;
    if (bits != 32 && bits != 16 && !(bits == 8 && integer)) return 0;
    for (int i = 0; i < 3; i++) {
        if (rest[i] == 0) break;
        if (rest[i] != bits) return 0;
        count++;
    }
    for (int i = count - 1; i < 3; i++)
        if (rest[i] != 0) return 0;
    return count == 3 ? 0 : (size_t)(bits / 8 * count);
}

struct cudaArray *runtime_array_find(cudaArray_const_t array) {
    return array ? runtime_map_get(&runtime.arrays, array) : NULL;
}

void runtime_arrays_reset(void) {
    struct cudaMipmappedArray *mipmap;
    for (size_t at = 0; (mipmap = runtime_map_next(&runtime.mipmaps, &at));)
        if (mipmap->levels[0].device == runtime.device) runtime_mipmap_free(mipmap);
    struct cudaArray *array;
    for (size_t at = 0; (array = runtime_map_next(&runtime.arrays, &at));)
        if (array->device == runtime.device) runtime_array_free(array);
}

// The largest sizes of compute capability 9.0 (CUDA C++ Programming Guide, "Technical
// Specifications per Compute Capability").
static bool fits_device(struct cudaExtent size, unsigned flags) {
    bool layered = flags & cudaArrayLayered, gathers = flags & cudaArrayTextureGather;
    if (size.width == 0) return false;
    if (flags & cudaArrayCubemap) {
        if (size.width != size.height || size.width > 32768) return false;
        if (size.depth == 0 || size.depth % 6 != 0) return false;
        return layered ? size.depth <= 2046 : size.depth == 6;
    }
    if (layered) {
        if (size.depth == 0 || size.depth > 2048) return false;
        return size.width <= 32768 && size.height <= 32768;
    }
    if (size.depth) {
        if (gathers || size.height == 0) return false;
        size_t side = size.depth <= 16384 ? 16384 : 8192;
        return size.width <= side && size.height <= side && size.depth <= 32768;
    }
    if (gathers) return size.height > 0 && size.width <= 32768 && size.height <= 32768;
    return size.width <= 131072 && size.height <= 65536;
}

static cudaError_t check_format(const struct cudaChannelFormatDesc *channels,
                                struct cudaExtent size, unsigned flags) {
    if (flags & (cudaArraySparse | cudaArrayDeferredMapping | cudaArrayColorAttachment)) {
        runtime_say("sparse and deferred arrays are not supported");
        return cudaErrorNotSupported;
    }
    if (runtime_texel_bytes(channels) == 0) return cudaErrorInvalidChannelDescriptor;
    return fits_device(size, flags) ? cudaSuccess : cudaErrorInvalidValue;
}

static struct cudaArray array_of(const struct cudaChannelFormatDesc *channels,
                                 struct cudaExtent size, unsigned flags) {
    size_t texel = runtime_texel_bytes(channels), rows = size.height ? size.height : 1;
    return (struct cudaArray){.device = runtime.device,
                              .row_bytes = size.width * texel,
                              .slice_bytes = size.width * texel * rows,
                              .texel_bytes = texel,
                              .rows = rows,
                              .slices = size.depth ? size.depth : 1,
                              .channels = *channels,
                              .extent = size,
                              .flags = flags};
}

cudaError_t runtime_array_create(cudaArray_t *out_array,
                                 const struct cudaChannelFormatDesc *channels,
                                 struct cudaExtent size, unsigned flags) {
    if (!out_array || !channels) return cudaErrorInvalidValue;
    cudaError_t status = check_format(channels, size, flags);
    if (status) return status;
    struct cudaArray *array = calloc(1, sizeof *array);
    if (!array) return cudaErrorMemoryAllocation;
    *array = array_of(channels, size, flags);
    kl_error err = {0};
    if (sim_memory_alloc(runtime.engine, array->slice_bytes * array->slices, &array->address,
                         &err) != SIM_OK) {
        free(array);
        return runtime_fail(&err);
    }
    if (!runtime_map_put(&runtime.arrays, array, array)) {
        sim_memory_free(runtime.engine, array->address, NULL);
        free(array);
        return cudaErrorMemoryAllocation;
    }
    *out_array = array;
    return cudaSuccess;
}

cudaError_t runtime_array_free(struct cudaArray *array) {
    kl_error err = {0};
    sim_status status = sim_memory_free(runtime.engine, array->address, &err);
    runtime_map_remove(&runtime.arrays, array);
    free(array);
    return status == SIM_OK ? cudaSuccess : runtime_fail(&err);
}

// ---- Mipmaps ------------------------------------------------------------------------------------

sim_texture_desc runtime_array_texture(const struct cudaArray *array) {
    const struct cudaChannelFormatDesc *from = &array->channels;
    return (sim_texture_desc){
        .address = array->address,
        .row_bytes = array->row_bytes,
        .slice_bytes = array->slice_bytes,
        .width = (uint32_t)array->extent.width,
        .height = (uint32_t)array->extent.height,
        .depth = (uint32_t)array->extent.depth,
        .layout = SIM_TEXTURE_ARRAY,
        .channels = (uint8_t)(1 + (from->y > 0) + (from->z > 0) + (from->w > 0)),
        .channel_bits = (uint8_t)from->x,
        .channel_kind = (uint8_t)from->f,
        .is_layered = (array->flags & (cudaArrayLayered | cudaArrayCubemap)) != 0,
        .is_cube = (array->flags & cudaArrayCubemap) != 0};
}

struct cudaMipmappedArray *runtime_mipmap_find(cudaMipmappedArray_const_t mipmap) {
    return mipmap ? runtime_map_get(&runtime.mipmaps, mipmap) : NULL;
}

static uint32_t most_levels(struct cudaExtent size, unsigned flags) {
    size_t side = size.width > size.height ? size.width : size.height;
    if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && size.depth > side) side = size.depth;
    uint32_t count = 1;
    for (; side > 1 && count < SIM_TEXTURE_MAX_LEVELS; side /= 2) count++;
    return count;
}

// Fills the levels, whose addresses are offsets; returns the bytes of all.
static uint64_t plan_levels(struct cudaMipmappedArray *mipmap,
                            const struct cudaChannelFormatDesc *channels, struct cudaExtent size,
                            unsigned flags) {
    const struct cudaArray first = array_of(channels, size, flags);
    sim_texture_desc texture = runtime_array_texture(&first);
    texture.levels = (uint8_t)mipmap->count;
    for (uint32_t i = 0; i < mipmap->count; i++) {
        const sim_texture_desc level = sim_texture_level(&texture, i);
        const struct cudaExtent extent = {level.width, level.height, level.depth};
        mipmap->levels[i] = array_of(channels, extent, flags);
        mipmap->levels[i].address = level.address;
        mipmap->levels[i].is_level = true;
    }
    const struct cudaArray *last = &mipmap->levels[mipmap->count - 1];
    return last->address + last->slice_bytes * last->slices;
}

static bool put_mipmap(struct cudaMipmappedArray *mipmap) {
    bool all = runtime_map_put(&runtime.mipmaps, mipmap, mipmap);
    for (uint32_t i = 0; i < mipmap->count; i++)
        all = all && runtime_map_put(&runtime.arrays, &mipmap->levels[i], &mipmap->levels[i]);
    return all;
}

cudaError_t runtime_mipmap_create(cudaMipmappedArray_t *out_mipmap,
                                  const struct cudaChannelFormatDesc *channels,
                                  struct cudaExtent size, uint32_t levels, unsigned flags) {
    if (!out_mipmap || !channels) return cudaErrorInvalidValue;
    cudaError_t status = check_format(channels, size, flags);
    if (status) return status;
    struct cudaMipmappedArray *mipmap = calloc(1, sizeof *mipmap);
    if (!mipmap) return cudaErrorMemoryAllocation;
    uint32_t most = most_levels(size, flags);
    mipmap->count = levels < 1 ? 1 : levels > most ? most : levels;
    uint64_t address, bytes = plan_levels(mipmap, channels, size, flags);
    kl_error err = {0};
    if (sim_memory_alloc(runtime.engine, bytes, &address, &err) != SIM_OK) {
        free(mipmap);
        return runtime_fail(&err);
    }
    for (uint32_t i = 0; i < mipmap->count; i++) mipmap->levels[i].address += address;
    if (!put_mipmap(mipmap)) {
        runtime_mipmap_free(mipmap);
        return cudaErrorMemoryAllocation;
    }
    *out_mipmap = mipmap;
    return cudaSuccess;
}

cudaError_t runtime_mipmap_free(struct cudaMipmappedArray *mipmap) {
    kl_error err = {0};
    sim_status status = sim_memory_free(runtime.engine, mipmap->levels[0].address, &err);
    for (uint32_t i = 0; i < mipmap->count; i++)
        runtime_map_remove(&runtime.arrays, &mipmap->levels[i]);
    runtime_map_remove(&runtime.mipmaps, mipmap);
    free(mipmap);
    return status == SIM_OK ? cudaSuccess : runtime_fail(&err);
}

void *runtime_array_corner(const struct cudaArray *array, size_t x, size_t y, size_t z) {
    return (void *)(uintptr_t)(array->address + z * array->slice_bytes + y * array->row_bytes + x);
}

bool runtime_is_inside(size_t at, size_t count, size_t size) {
    return at <= size && count <= size - at;
}

bool runtime_array_holds(const struct cudaArray *array, size_t x, size_t y, size_t width,
                         size_t height) {
    return runtime_is_inside(x, width, array->row_bytes) &&
           runtime_is_inside(y, height, array->rows);
}
