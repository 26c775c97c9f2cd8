// Textures and surfaces: see check_case.h.
#include "check_case.h"

#define SIDE 16 // of the image

static cudaArray_t image;

// An image of SIDE x SIDE texels whose first `rows` rows are set.
static cudaResourceDesc make_image(cudaChannelFormatDesc format, unsigned texel_bytes, int rows) {
    static char zeroes[SIDE * SIDE * 4];
    cudaResourceDesc resource = {};
    size_t row = SIDE * texel_bytes;
    cudaMallocArray(&image, &format, SIDE, SIDE, cudaArraySurfaceLoadStore);
    if (rows > 0) cudaMemcpy2DToArray(image, 0, 0, zeroes, row, row, rows, cudaMemcpyHostToDevice);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    return resource;
}

// ---- textures ----

__global__ void fetch(cudaTextureObject_t texture, float *y) {
    y[threadIdx.x] = tex2D<float>(texture, threadIdx.x % SIDE + 0.5f, threadIdx.x / SIDE + 0.5f);
}

static void fetch_image(int rows) {
    cudaResourceDesc resource = make_image(cudaCreateChannelDesc<float>(), 4, rows);
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    fetch<<<1, SIDE * SIDE>>>(texture, d_y);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(image);
}

// Of linear memory that the kernel writes itself, or another one before it.
__global__ void fetch_linear(cudaTextureObject_t texture, float *x, float *y, bool writes) {
    int t = threadIdx.x;
    if (writes) x[t] = t;
    __syncthreads();
    y[t] = tex1Dfetch<float>(texture, t ^ 1);
}

static void fetch_own(bool together) {
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_x;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = BLOCK * sizeof(float);
    cudaCreateTextureObject(&texture, &resource, &how, NULL);
    if (!together) fetch_linear<<<1, BLOCK>>>(texture, d_x, d_y, false);
    if (together) fetch_linear<<<1, BLOCK>>>(texture, d_x, d_y, true);
    cudaDestroyTextureObject(texture);
}

// ---- surfaces ----

__global__ void store_row(cudaSurfaceObject_t surface, int x) {
    surf2Dwrite(1.0f, surface, 4 * (threadIdx.x + x), 0);
}

// Every thread reads the texel of its left neighbour, which the neighbour writes.
__global__ void shift(cudaSurfaceObject_t surface, float *y, bool barrier) {
    int t = threadIdx.x;
    surf2Dwrite((float)t, surface, 4 * t, 1);
    if (barrier) __syncthreads();
    y[t] = surf2Dread<float>(surface, 4 * ((t + SIDE - 1) % SIDE), 1);
}

__global__ void own_byte(cudaSurfaceObject_t surface, float *y) {
    unsigned char old = surf2Dread<unsigned char>(surface, threadIdx.x, 1);
    surf2Dwrite((unsigned char)(old + 1), surface, threadIdx.x, 1);
    y[threadIdx.x] = old;
}

static void on_surface(cudaChannelFormatDesc format, unsigned texel_bytes,
                       void (*run)(cudaSurfaceObject_t)) {
    cudaResourceDesc resource = make_image(format, texel_bytes, SIDE);
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    run(surface);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(image);
}

#define ON_FLOATS(launch)                                                                          \
    on_surface(cudaCreateChannelDesc<float>(), 4, [](cudaSurfaceObject_t s) { launch; })
#define ON_BYTES(launch)                                                                           \
    on_surface(cudaCreateChannelDesc<unsigned char>(), 1, [](cudaSurfaceObject_t s) { launch; })

// finds uninitialised: 16 times.*tex2D.*.1024 bytes. . 960
CASE(unset_texture, fetch_image(SIDE - 1));
CASE(unset_texture_not, fetch_image(SIDE));
// finds out-of-bounds: thread .15,0,0.*surf2Dwrite.*byte 64 of row 0 of a surface of 16 x 16
CASE(surface_bounds, ON_FLOATS((store_row<<<1, SIDE>>>(s, 1))));
CASE(surface_bounds_not, ON_FLOATS((store_row<<<1, SIDE>>>(s, 0))));
// finds race: surf2Dread.*surf2Dwrite
PAIR(surface_race, ON_FLOATS((shift<<<1, SIDE>>>(s, d_y, right))));
CASE(surface_bytes_not, ON_BYTES((own_byte<<<1, SIDE>>>(s, d_y))));
// finds stale-read: tex1Dfetch.*texture.s cache is not kept coherent
//   advice FETCH_LATER
PAIR(texture_own, fetch_own(!right));
