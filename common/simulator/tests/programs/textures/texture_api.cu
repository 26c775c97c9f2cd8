// What the runtime answers to calls about arrays, textures and surfaces, right ones and mistakes.
// An H100's answers are kept (docs/validation.md).
// test: none
// check: out-of-bounds
#include "../check.h"

static cudaChannelFormatDesc f32() { return cudaCreateChannelDesc<float>(); }

SECTION(arrays) {
    cudaArray_t a = nullptr;
    cudaChannelFormatDesc c = f32(), three = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
    cudaChannelFormatDesc mixed = {8, 16, 0, 0, cudaChannelFormatKindUnsigned};
    cudaChannelFormatDesc wide = {64, 0, 0, 0, cudaChannelFormatKindUnsigned};
    cudaChannelFormatDesc small_float = {8, 0, 0, 0, cudaChannelFormatKindFloat};
    cudaChannelFormatDesc none = {0, 0, 0, 0, cudaChannelFormatKindUnsigned};
    SAY(cudaMallocArray(&a, &c, 0, 0));
    SAY(cudaMallocArray(&a, &c, 0, 4));
    SAY(cudaMallocArray(nullptr, &c, 4, 4));
    SAY(cudaMallocArray(&a, &three, 4, 4));
    SAY(cudaMallocArray(&a, &mixed, 4, 4));
    SAY(cudaMallocArray(&a, &wide, 4, 4));
    SAY(cudaMallocArray(&a, &small_float, 4, 4));
    SAY(cudaMallocArray(&a, &none, 4, 4));
    SAY(cudaMallocArray(&a, &c, 131073, 1));
    SAY(cudaMallocArray(&a, &c, 131072, 65537));
    SAY(cudaMallocArray(&a, &c, 4, 4, 0x100));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(16385, 4, 4)));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 0, 4)));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 2049), cudaArrayLayered));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 0), cudaArrayLayered));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 5), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 5, 6), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 4), cudaArrayTextureGather));
    SAY(cudaFreeArray(nullptr));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(8, 4, 3), cudaArrayLayered));
    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags;
    SAY(cudaArrayGetInfo(&got, &extent, &flags, a));
    SHOW("%d %d %d %d %d, %zu %zu %zu, %u", got.x, got.y, got.z, got.w, (int)got.f, extent.width,
         extent.height, extent.depth, flags);
    SAY(cudaArrayGetInfo(nullptr, nullptr, nullptr, a));
    SAY(cudaArrayGetInfo(&got, &extent, &flags, nullptr));
    SAY(cudaGetChannelDesc(&got, a));
    SAY(cudaGetChannelDesc(nullptr, a));
    SAY(cudaGetChannelDesc(&got, nullptr));
    cudaArray_t plane;
    SAY(cudaArrayGetPlane(&plane, a, 0));
    cudaArraySparseProperties sparse;
    SAY(cudaArrayGetSparseProperties(&sparse, a));
    cudaArrayMemoryRequirements needs;
    SAY(cudaArrayGetMemoryRequirements(&needs, a, 0));
    SAY(cudaFreeArray(a));
    SAY(cudaMallocArray(&a, &c, 8, 0));
    SAY(cudaArrayGetInfo(&got, &extent, &flags, a));
    SHOW("%zu %zu %zu, %u", extent.width, extent.height, extent.depth, flags);
    SAY(cudaFreeArray(a));
    size_t width;
    SAY(cudaDeviceGetTexture1DLinearMaxWidth(&width, &c, 0));
    SHOW("%zu", width);
    cudaChannelFormatDesc c4 = cudaCreateChannelDesc<float4>();
    SAY(cudaDeviceGetTexture1DLinearMaxWidth(&width, &c4, 0));
    SHOW("%zu", width);
    SAY(cudaDeviceGetTexture1DLinearMaxWidth(nullptr, &c4, 0));
    SAY(cudaDeviceGetTexture1DLinearMaxWidth(&width, &c4, 7));
}

SECTION(copies) {
    cudaArray_t a, b, volume;
    cudaChannelFormatDesc c = f32();
    static float host[64];
    float *memory;
    cudaMalloc(&memory, sizeof host);
    cudaMallocArray(&a, &c, 8, 8);
    cudaMallocArray(&b, &c, 8, 8);
    cudaMalloc3DArray(&volume, &c, make_cudaExtent(4, 4, 4));
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 32, 8, cudaMemcpyDefault));
    SAY(cudaMemcpy2DToArray(a, 4, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 1, host, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 2, 0, host, 32, 16, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 15, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 16, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, nullptr, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(nullptr, 0, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, host, 32, 0, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, memory, 32, 32, 8, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy2DToArray(a, 0, 0, memory, 32, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DFromArray(host, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2DFromArray(host, 32, a, 0, 0, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaMemcpy2DFromArray(host, 32, a, 0, 1, 32, 8, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpy2DFromArrayAsync(host, 32, a, 0, 0, 32, 8, cudaMemcpyDeviceToHost, 0));
    SAY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 32, 8, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 32, 9, cudaMemcpyDeviceToDevice));
    SAY(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 32, 8, cudaMemcpyHostToDevice));
    SAY(cudaDeviceSynchronize());
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1444
    SAY(cudaMemcpyToArray(a, 0, 0, host, sizeof host, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyToArray(a, 16, 2, host, 40, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyToArray(a, 0, 0, host, sizeof host + 4, cudaMemcpyHostToDevice));
    SAY(cudaMemcpyFromArray(host, a, 16, 2, 40, cudaMemcpyDeviceToHost));
    SAY(cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, 64, cudaMemcpyDeviceToDevice));
#pragma GCC diagnostic pop
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    SAY(cudaMemcpy3D(&p));
    p.srcPtr = make_cudaPitchedPtr(host, 16, 4, 4);
    p.dstArray = volume;
    p.extent = make_cudaExtent(4, 4, 4);
    p.kind = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 0);
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(5, 4, 4);
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 4);
    p.dstPos = make_cudaPos(1, 0, 0);
    SAY(cudaMemcpy3D(&p));
    p.dstPos = make_cudaPos(0, 0, 0);
    p.dstPtr = make_cudaPitchedPtr(memory, 16, 4, 4);
    SAY(cudaMemcpy3D(&p));
    SAY(cudaFreeArray(a));
    SAY(cudaFreeArray(b));
    SAY(cudaFreeArray(volume));
    cudaFree(memory);
}

// Arrays whose layers are the faces of cubes
SECTION(cube_maps) {
    cudaArray_t a = nullptr;
    cudaChannelFormatDesc c = f32(), got;
    cudaExtent extent;
    unsigned flags;
    const unsigned both = cudaArrayCubemap | cudaArrayLayered;
    static float host[4 * 4 * 12];
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 12), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 0), cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 13), both));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 2046), both));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 2052), both));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(32769, 32769, 6), cudaArrayCubemap));
    SAY(cudaMallocArray(&a, &c, 4, 4, cudaArrayCubemap));
    SAY(cudaMalloc3DArray(&a, &c, make_cudaExtent(4, 4, 12), both));
    SAY(cudaArrayGetInfo(&got, &extent, &flags, a));
    SHOW("%zu %zu %zu, %u", extent.width, extent.height, extent.depth, flags);
    cudaMemcpy3DParms p;
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(host, 16, 4, 4);
    p.dstArray = a;
    p.extent = make_cudaExtent(4, 4, 12);
    p.kind = cudaMemcpyHostToDevice;
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 13);
    SAY(cudaMemcpy3D(&p));
    p.extent = make_cudaExtent(4, 4, 6);
    p.dstPos = make_cudaPos(0, 0, 6);
    SAY(cudaMemcpy3D(&p));
    SAY(cudaFreeArray(a));
}

static cudaResourceDesc linear_of(void *memory, size_t bytes) {
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = f32();
    r.res.linear.sizeInBytes = bytes;
    return r;
}

SECTION(linear_textures) {
    cudaTextureObject_t t = 0;
    cudaTextureDesc d;
    char *memory;
    memset(&d, 0, sizeof d);
    cudaMalloc(&memory, 1 << 20);
    cudaResourceDesc r = linear_of(memory, 4096);
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    cudaResourceDesc got;
    cudaTextureDesc got_d;
    cudaResourceViewDesc got_v;
    SAY(cudaGetTextureObjectResourceDesc(&got, t));
    SHOW("%d %d %zu", (int)got.resType, got.res.linear.devPtr == memory,
         got.res.linear.sizeInBytes);
    SAY(cudaGetTextureObjectTextureDesc(&got_d, t));
    SHOW("%d %d %d", (int)got_d.addressMode[0], (int)got_d.filterMode, got_d.normalizedCoords);
    SAY(cudaGetTextureObjectResourceViewDesc(&got_v, t));
    SAY(cudaGetTextureObjectResourceDesc(&got, 12345678));
    SAY(cudaDestroyTextureObject(t));
    SAY(cudaDestroyTextureObject(t));
    SAY(cudaDestroyTextureObject(0));
    SAY(cudaCreateTextureObject(nullptr, &r, &d, nullptr));
    SAY(cudaCreateTextureObject(&t, nullptr, &d, nullptr));
    SAY(cudaCreateTextureObject(&t, &r, nullptr, nullptr));
    r = linear_of(memory + 4, 4096);
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = linear_of(memory + 256, 4096);
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = linear_of(memory, 4095);
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = linear_of(memory, 0);
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = linear_of(nullptr, 4096);
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = linear_of(memory, (size_t)4 << 30);
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = linear_of(memory, 4096);
    r.res.linear.desc.y = r.res.linear.desc.z = 32;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r = linear_of(memory, 4096);
    d.filterMode = cudaFilterModeLinear;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.filterMode = cudaFilterModePoint;
    d.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeElementType;
    d.normalizedCoords = 1;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.normalizedCoords = 0;
    r.res.linear.desc = cudaCreateChannelDesc<int>();
    d.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeElementType;
    r.resType = (cudaResourceType)9;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    cudaFree(memory);
}

SECTION(pitched_textures) {
    cudaTextureObject_t t = 0;
    cudaTextureDesc d;
    char *memory;
    memset(&d, 0, sizeof d);
    cudaMalloc(&memory, 1 << 20);
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.desc = f32();
    r.res.pitch2D.width = r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 64;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.pitchInBytes = 68;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.pitchInBytes = 96;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.pitchInBytes = 32;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.pitchInBytes = 64;
    r.res.pitch2D.devPtr = memory + 32;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.devPtr = memory + 512;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.devPtr = memory;
    r.res.pitch2D.width = 0;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.width = 131073;
    r.res.pitch2D.height = 1;
    r.res.pitch2D.pitchInBytes = 131073 * 4 + 60;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.width = r.res.pitch2D.height = 16;
    r.res.pitch2D.pitchInBytes = 64;
    d.filterMode = cudaFilterModeLinear;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    r.res.pitch2D.desc = cudaCreateChannelDesc<unsigned char>();
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeNormalizedFloat;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    cudaSurfaceObject_t s;
    SAY(cudaCreateSurfaceObject(&s, &r));
    cudaFree(memory);
}

SECTION(array_objects) {
    cudaTextureObject_t t = 0;
    cudaSurfaceObject_t s = 0;
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    cudaChannelFormatDesc c = f32();
    cudaArray_t plain, stored;
    cudaMallocArray(&plain, &c, 8, 8);
    cudaMallocArray(&stored, &c, 8, 8, cudaArraySurfaceLoadStore);
    cudaResourceDesc r, got;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    SAY(cudaDestroyTextureObject(t));
    SAY(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = nullptr;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    SAY(cudaCreateSurfaceObject(&s, &r));
    r.res.array.array = stored;
    SAY(cudaCreateSurfaceObject(&s, &r));
    SAY(cudaCreateSurfaceObject(nullptr, &r));
    SAY(cudaCreateSurfaceObject(&s, nullptr));
    SAY(cudaGetSurfaceObjectResourceDesc(&got, s));
    SHOW("%d %d", (int)got.resType, got.res.array.array == stored);
    SAY(cudaGetSurfaceObjectResourceDesc(&got, 87654321));
    SAY(cudaDestroySurfaceObject(s));
    SAY(cudaDestroySurfaceObject(s));
    SAY(cudaDestroySurfaceObject(0));
    d.addressMode[0] = cudaAddressModeWrap; // without normalised coordinates
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    cudaTextureDesc got_d;
    SAY(cudaGetTextureObjectTextureDesc(&got_d, t));
    SHOW("%d", (int)got_d.addressMode[0]);
    d.addressMode[0] = (cudaTextureAddressMode)7;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.addressMode[0] = cudaAddressModeClamp;
    d.filterMode = (cudaTextureFilterMode)5;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.filterMode = cudaFilterModePoint;
    d.readMode = (cudaTextureReadMode)5;
    SAY(cudaCreateTextureObject(&t, &r, &d, nullptr));
    d.readMode = cudaReadModeElementType;
    cudaResourceViewDesc v;
    memset(&v, 0, sizeof v);
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = 8;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    cudaResourceViewDesc got_v;
    SAY(cudaGetTextureObjectResourceViewDesc(&got_v, t));
    SHOW("%d %zu", (int)got_v.format, got_v.width);
    v.format = cudaResViewFormatUnsignedInt1;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    v.format = cudaResViewFormatFloat2;
    SAY(cudaCreateTextureObject(&t, &r, &d, &v));
    SAY(cudaFreeArray(plain));
    SAY(cudaFreeArray(stored));
}

SECTION(mipmaps) {
    cudaMipmappedArray_t m = nullptr;
    cudaArray_t level = nullptr;
    cudaChannelFormatDesc c = f32(), got;
    cudaExtent extent = {0, 0, 0};
    unsigned flags = 0;
    SAY(cudaMallocMipmappedArray(&m, &c, make_cudaExtent(16, 8, 0), 3));
    SAY(cudaGetMipmappedArrayLevel(&level, m, 2));
    SAY(cudaArrayGetInfo(&got, &extent, &flags, level));
    SHOW("%zu %zu %zu", extent.width, extent.height, extent.depth);
    SAY(cudaGetMipmappedArrayLevel(&level, m, 3));
    SAY(cudaFreeMipmappedArray(m));
    SAY(cudaMallocMipmappedArray(&m, &c, make_cudaExtent(16, 8, 0), 30));
    SAY(cudaMallocMipmappedArray(&m, &c, make_cudaExtent(16, 8, 0), 0));
    SAY(cudaFreeMipmappedArray(nullptr));
}

__global__ void read_outside(cudaSurfaceObject_t s, int *out) {
    *out = surf2Dread<int>(s, 4096, 0, cudaBoundaryModeTrap);
}

__global__ void read_misaligned(cudaSurfaceObject_t s, int *out) {
    *out = surf2Dread<int>(s, 2, 0, cudaBoundaryModeZero);
}

__global__ void fetch(cudaTextureObject_t t, float *out) { *out = tex1Dfetch<float>(t, 1); }

static void launch_on_surface(void (*kernel)(cudaSurfaceObject_t, int *)) {
    cudaChannelFormatDesc c = f32();
    cudaResourceDesc r;
    cudaSurfaceObject_t s;
    int *out;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    cudaMalloc(&out, 4);
    cudaMallocArray(&r.res.array.array, &c, 8, 8, cudaArraySurfaceLoadStore);
    cudaCreateSurfaceObject(&s, &r);
    kernel<<<1, 1>>>(s, out);
    SAY(cudaDeviceSynchronize());
}

SECTION(surface_trap) { launch_on_surface(read_outside); }
SECTION(surface_misaligned) { launch_on_surface(read_misaligned); }

SECTION(no_texture) {
    float *out;
    cudaMalloc(&out, 4);
    fetch<<<1, 1>>>(0x7654321, out);
    SAY(cudaDeviceSynchronize());
}

SECTION(freed_texture) {
    float *memory, *out;
    cudaTextureDesc d;
    cudaTextureObject_t t;
    cudaMalloc(&out, 4);
    cudaMalloc(&memory, 64 << 20);
    cudaResourceDesc r = linear_of(memory, 4096);
    memset(&d, 0, sizeof d);
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    SAY(cudaFree(memory));
    fetch<<<1, 1>>>(t, out);
    SAY(cudaDeviceSynchronize());
}

int main(int argc, char **argv) { return transcript_run(argc, argv); }
