// Texture and surface objects (CUDA Runtime API, "Texture Object Management", "Surface Object
// Management"): from the runtime's descriptions to the engine's, which are kept to be given back.
#include "runtime/memory/memory.h"
#include "runtime/abi/interface.h"

// Limits of compute capability 9.0, as device/attributes.def has them.
enum {
    PITCH_WIDTH = 131072,
    PITCH_HEIGHT = 65000,
    PITCH_BYTES = 2097120,
    BASE_ALIGN = 512, // textureAlignment
    PITCH_ALIGN = 32  // texturePitchAlignment
};

typedef runtime_texture object;

object *runtime_texture_find(uint64_t handle, bool surface) {
    object *found = handle ? runtime_map_get(&runtime.textures, (void *)(uintptr_t)handle) : NULL;
    return found && found->is_surface == surface ? found : NULL;
}

void runtime_textures_reset(void) {
    object *found;
    for (size_t at = 0; (found = runtime_map_next(&runtime.textures, &at));)
        if (found->device == runtime.device) runtime_texture_destroy(found);
}

static void set_channels(const struct cudaChannelFormatDesc *from, sim_texture_desc *out) {
    out->channels = (uint8_t)(1 + (from->y > 0) + (from->z > 0) + (from->w > 0));
    out->channel_bits = (uint8_t)from->x;
    out->channel_kind = (uint8_t)from->f;
}

static cudaError_t describe_array(cudaArray_t handle, sim_texture_desc *out) {
    const struct cudaArray *array = runtime_array_find(handle);
    if (!array) return cudaErrorInvalidResourceHandle;
    *out = runtime_array_texture(array);
    return cudaSuccess;
}

static cudaError_t describe_mipmap(cudaMipmappedArray_t handle, sim_texture_desc *out) {
    const struct cudaMipmappedArray *mipmap = runtime_mipmap_find(handle);
    if (!mipmap) return cudaErrorInvalidResourceHandle;
    *out = runtime_array_texture(&mipmap->levels[0]);
    out->levels = (uint8_t)mipmap->count;
    return cudaSuccess;
}

static cudaError_t describe_linear(const struct cudaResourceDesc *resource, sim_texture_desc *out) {
    const void *memory = resource->res.linear.devPtr;
    size_t texel = runtime_texel_bytes(&resource->res.linear.desc);
    size_t texels = texel ? resource->res.linear.sizeInBytes / texel : 0;
    if (texel == 0) return cudaErrorInvalidChannelDescriptor;
    if (!memory) return cudaErrorInvalidValue;
    if (texels > RUNTIME_TEXTURE_LINEAR_BYTES / texel)
        texels = RUNTIME_TEXTURE_LINEAR_BYTES / texel;
    if ((uintptr_t)memory % BASE_ALIGN) return cudaErrorInvalidValue;
    *out = (sim_texture_desc){
        .address = (uintptr_t)memory, .width = (uint32_t)texels, .layout = SIM_TEXTURE_BUFFER};
    set_channels(&resource->res.linear.desc, out);
    return cudaSuccess;
}

static cudaError_t describe_pitch(const struct cudaResourceDesc *resource, sim_texture_desc *out) {
    size_t width = resource->res.pitch2D.width, height = resource->res.pitch2D.height;
    size_t pitch = resource->res.pitch2D.pitchInBytes;
    const void *memory = resource->res.pitch2D.devPtr;
    size_t texel = runtime_texel_bytes(&resource->res.pitch2D.desc);
    if (texel == 0) return cudaErrorInvalidChannelDescriptor;
    if (!memory || (uintptr_t)memory % BASE_ALIGN) return cudaErrorInvalidValue;
    if (width > PITCH_WIDTH || height > PITCH_HEIGHT) return cudaErrorInvalidValue;
    if (pitch % PITCH_ALIGN || pitch > PITCH_BYTES) return cudaErrorInvalidValue;
    *out = (sim_texture_desc){.address = (uintptr_t)memory,
                              .row_bytes = pitch,
                              .width = (uint32_t)width,
                              .height = (uint32_t)height,
                              .layout = SIM_TEXTURE_PITCH};
    set_channels(&resource->res.pitch2D.desc, out);
    return cudaSuccess;
}

static cudaError_t describe(const struct cudaResourceDesc *resource, sim_texture_desc *out) {
    switch (resource->resType) {
    case cudaResourceTypeArray: return describe_array(resource->res.array.array, out);
    case cudaResourceTypeLinear: return describe_linear(resource, out);
    case cudaResourceTypePitch2D: return describe_pitch(resource, out);
    case cudaResourceTypeMipmappedArray: return describe_mipmap(resource->res.mipmap.mipmap, out);
    default: return cudaErrorInvalidValue;
    }
}

static bool gives_floats(const struct cudaTextureDesc *desc, const sim_texture_desc *texture) {
    return texture->channel_kind == SIM_CHANNEL_FLOAT ||
           desc->readMode == cudaReadModeNormalizedFloat;
}

// Of a mipmap: fractions of level 0 are those of any other level, numbers of texels are not.
static cudaError_t sample_levels(const struct cudaTextureDesc *desc, sim_texture_desc *out) {
    bool blends = desc->mipmapFilterMode == cudaFilterModeLinear;
    if (!desc->normalizedCoords || (unsigned)desc->mipmapFilterMode > cudaFilterModeLinear)
        return cudaErrorInvalidValue;
    if (blends && !gives_floats(desc, out)) return cudaErrorInvalidFilterSetting;
    out->blends_levels = blends;
    out->level_bias = desc->mipmapLevelBias;
    out->least_level = desc->minMipmapLevelClamp;
    out->most_level = desc->maxMipmapLevelClamp;
    return cudaSuccess;
}

static cudaError_t sample(const struct cudaTextureDesc *desc, sim_texture_desc *out) {
    bool linear = desc->filterMode == cudaFilterModeLinear;
    if ((unsigned)desc->filterMode > cudaFilterModeLinear) return cudaErrorInvalidValue;
    bool buffer = out->layout == SIM_TEXTURE_BUFFER;
    if (linear && !buffer && !gives_floats(desc, out)) return cudaErrorInvalidFilterSetting;
    if (desc->readMode == cudaReadModeNormalizedFloat && out->channel_bits == 32)
        return cudaErrorInvalidNormSetting;
    for (int i = 0; i < 3; i++) {
        enum cudaTextureAddressMode mode = desc->addressMode[i];
        if ((unsigned)mode > cudaAddressModeBorder) return cudaErrorInvalidValue;
        bool folds = mode == cudaAddressModeWrap || mode == cudaAddressModeMirror;
        if (folds && !desc->normalizedCoords) mode = cudaAddressModeClamp;
        if (buffer) mode = cudaAddressModeBorder; // outside a buffer there is nothing
        out->address_mode[i] = (uint8_t)mode;
    }
    for (int i = 0; i < 4; i++) out->border[i] = buffer ? 0 : desc->borderColor[i];
    out->is_linear = linear && !buffer;
    out->is_normalized = desc->normalizedCoords != 0 && !buffer;
    out->to_float = desc->readMode == cudaReadModeNormalizedFloat;
    out->is_srgb = desc->sRGB != 0;
    out->is_seamless = out->is_cube && desc->seamlessCubemap;
    return out->levels ? sample_levels(desc, out) : cudaSuccess;
}

static cudaError_t keep(const object *made, const sim_texture_desc *desc, uint64_t *out_handle) {
    object *kept = malloc(sizeof *kept);
    if (!kept) return cudaErrorMemoryAllocation;
    *kept = *made;
    kept->device = runtime.device;
    kl_error err = {0};
    if (sim_texture_create(runtime.engine, desc, &kept->handle, &err) != SIM_OK) {
        free(kept);
        return runtime_fail(&err);
    }
    if (!runtime_map_put(&runtime.textures, (void *)(uintptr_t)kept->handle, kept)) {
        sim_texture_destroy(runtime.engine, kept->handle, NULL);
        free(kept);
        return cudaErrorMemoryAllocation;
    }
    *out_handle = kept->handle;
    return cudaSuccess;
}

static void apply_view(const struct cudaResourceViewDesc *view, sim_texture_desc *texture) {
    // Formats come in threes, of 1, 2 and 4 channels, in this order of kinds.
    static const uint8_t bits[] = {8, 8, 16, 16, 32, 32, 16, 32};
    static const uint8_t kinds[] = {
        SIM_CHANNEL_UNSIGNED, SIM_CHANNEL_SIGNED, SIM_CHANNEL_UNSIGNED, SIM_CHANNEL_SIGNED,
        SIM_CHANNEL_UNSIGNED, SIM_CHANNEL_SIGNED, SIM_CHANNEL_FLOAT,    SIM_CHANNEL_FLOAT};
    static const uint8_t channels[] = {1, 2, 4};
    unsigned at = (unsigned)view->format - cudaResViewFormatUnsignedChar1;
    texture->channels = channels[at % 3];
    texture->channel_bits = bits[at / 3];
    texture->channel_kind = kinds[at / 3];
}

// A view may read the texels of a whole array as another format of their size.
static cudaError_t see_through(const struct cudaResourceViewDesc *view,
                               const struct cudaResourceDesc *resource, sim_texture_desc *texture) {
    if (!view || view->format == cudaResViewFormatNone) return cudaSuccess;
    bool mipmap = resource->resType == cudaResourceTypeMipmappedArray;
    if (resource->resType != cudaResourceTypeArray && !mipmap) return cudaErrorInvalidValue;
    if (view->format > cudaResViewFormatFloat4) {
        runtime_say("views of block-compressed formats are not supported");
        return cudaErrorNotSupported;
    }
    uint32_t bytes = sim_texel_bytes(texture);
    apply_view(view, texture);
    if (sim_texel_bytes(texture) != bytes) return cudaErrorInvalidValue;
    if (mipmap) {
        uint32_t first = view->firstMipmapLevel, last = view->lastMipmapLevel;
        if (first > last || last >= texture->levels) return cudaErrorInvalidValue;
        *texture = sim_texture_level(texture, first);
        texture->levels = (uint8_t)(last - first + 1);
    }
    if (view->width == texture->width && view->height == texture->height &&
        view->depth == texture->depth && !view->firstLayer && (mipmap || !view->firstMipmapLevel))
        return cudaSuccess;
    runtime_say("resource views of a part of an array are not supported");
    return cudaErrorNotSupported;
}

cudaError_t runtime_texture_create(uint64_t *out_handle, const struct cudaResourceDesc *resource,
                                   const struct cudaTextureDesc *desc,
                                   const struct cudaResourceViewDesc *view) {
    if (!out_handle || !resource) return cudaErrorInvalidValue;
    if (!desc) return cudaErrorInvalidResourceHandle;
    sim_texture_desc texture;
    object made = {0};
    RUNTIME_STRUCT_COPY(cudaTextureDesc, &made.texture, desc);
    cudaError_t status = describe(resource, &texture);
    if (!status) status = see_through(view, resource, &texture);
    if (!status) status = sample(&made.texture, &texture);
    if (status) return status;
    RUNTIME_STRUCT_COPY(cudaResourceDesc, &made.resource, resource);
    if (view) RUNTIME_STRUCT_COPY(cudaResourceViewDesc, &made.view, view);
    return keep(&made, &texture, out_handle);
}

cudaError_t runtime_surface_create(uint64_t *out_handle, const struct cudaResourceDesc *resource) {
    sim_texture_desc surface;
    if (!out_handle || !resource || resource->resType != cudaResourceTypeArray)
        return cudaErrorInvalidValue;
    cudaError_t status = describe_array(resource->res.array.array, &surface);
    if (status) return status;
    object made = {.is_surface = true};
    RUNTIME_STRUCT_COPY(cudaResourceDesc, &made.resource, resource);
    surface.is_surface = true;
    return keep(&made, &surface, out_handle);
}

void runtime_texture_destroy(object *texture) {
    sim_texture_destroy(runtime.engine, texture->handle, NULL);
    runtime_map_remove(&runtime.textures, (void *)(uintptr_t)texture->handle);
    free(texture);
}
