// Launches for counters of the texture path: each kernel makes one access a warp in a known
// pattern. Run under Nsight Compute (see ../README.md); the order of launches is fixed.
#include <cstdio>
#include <cstring>
#include <initializer_list>

const int SIDE = 256, WARPS = 64;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__device__ int lane() { return threadIdx.x; }
__device__ int warp() { return blockIdx.x; }

__global__ void row(cudaTextureObject_t t, float *out) { // 32 texels in a row
    out[warp() * 32 + lane()] = tex2D<float>(t, lane() + 0.5f, warp() + 0.5f);
}
__global__ void column(cudaTextureObject_t t, float *out) { // 32 texels below each other
    out[warp() * 32 + lane()] = tex2D<float>(t, warp() + 0.5f, lane() + 0.5f);
}
__global__ void tile(cudaTextureObject_t t, float *out) { // 8 x 4 texels
    out[warp() * 32 + lane()] =
        tex2D<float>(t, warp() % 8 * 8 + lane() % 8 + 0.5f, warp() / 8 * 4 + lane() / 8 + 0.5f);
}
__global__ void quads(cudaTextureObject_t t, float *out) { // 16 x 2 texels, lanes in 2 x 2 quads
    int x = lane() / 4 * 2 + lane() % 2, y = lane() / 2 % 2;
    out[warp() * 32 + lane()] =
        tex2D<float>(t, warp() % 8 * 16 + x + 0.5f, warp() / 8 * 2 + y + 0.5f);
}
__global__ void same(cudaTextureObject_t t, float *out) { // one texel for all
    out[warp() * 32 + lane()] = tex2D<float>(t, warp() + 0.5f, 7.5f);
}
__global__ void scatter(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] =
        tex2D<float>(t, (warp() * 37 + lane() * 101) % 256 + 0.5f, (lane() * 59) % 256 + 0.5f);
}
__global__ void between(cudaTextureObject_t t, float *out) { // in the middle of four texels
    out[warp() * 32 + lane()] = tex2D<float>(t, lane() + 1.f, warp() + 1.f);
}
__global__ void half_warp(cudaTextureObject_t t, float *out) {
    if (lane() < 16) out[warp() * 32 + lane()] = tex2D<float>(t, lane() + 0.5f, warp() + 0.5f);
}
__global__ void row_wide(cudaTextureObject_t t, float *out) { // four floats a texel
    out[warp() * 32 + lane()] = tex2D<float4>(t, lane() + 0.5f, warp() + 0.5f).y;
}
__global__ void row_bytes(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] = tex2D<unsigned char>(t, lane() + 0.5f, warp() + 0.5f);
}
template <int STRIDE> __global__ void fetch(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] = tex1Dfetch<float>(t, warp() * 32 + lane() * STRIDE);
}
__global__ void surface_read(cudaSurfaceObject_t s, float *out) {
    out[warp() * 32 + lane()] = surf2Dread<float>(s, lane() * 4, warp());
}
__global__ void surface_read_column(cudaSurfaceObject_t s, float *out) {
    out[warp() * 32 + lane()] = surf2Dread<float>(s, warp() * 4, lane());
}
__global__ void surface_write(cudaSurfaceObject_t s, float *out) {
    surf2Dwrite(1.0f, s, lane() * 4, warp());
    if (out == nullptr) *out = 0;
}

__global__ void line(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] = tex1D<float>(t, warp() + lane() + 0.5f);
}
__global__ void line_layers(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] = tex1DLayered<float>(t, lane() + 0.5f, warp() % 4);
}
__global__ void plane_layers(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] =
        tex2DLayered<float>(t, lane() + 0.5f, warp() % 32 + 0.5f, warp() % 4);
}
__global__ void volume(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] =
        tex3D<float>(t, lane() + 0.5f, warp() % 8 + 0.5f, warp() / 8 + 0.5f);
}
__global__ void volume_deep(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] =
        tex3D<float>(t, warp() % 32 + 0.5f, warp() / 32 + 0.5f, lane() % 8 + 0.5f);
}
__global__ void gather(cudaTextureObject_t t, float *out) {
    out[warp() * 32 + lane()] = tex2Dgather<float4>(t, lane() + 1.f, warp() + 1.f).x;
}
__global__ void every_fourth(cudaTextureObject_t t, float *out) {
    if (lane() % 4 == 0) out[warp() * 32 + lane()] = tex2D<float>(t, lane() + 0.5f, warp() + 0.5f);
}
__global__ void every_fourth_fetch(cudaTextureObject_t t, float *out) {
    if (lane() % 4 == 0) out[warp() * 32 + lane()] = tex1Dfetch<float>(t, warp() * 32 + lane());
}
__global__ void surface_line(cudaSurfaceObject_t s, float *out) {
    out[warp() * 32 + lane()] = surf1Dread<float>(s, (warp() + lane()) * 4);
}
__global__ void surface_wide(cudaSurfaceObject_t s, float *out) {
    out[warp() * 32 + lane()] = surf2Dread<float4>(s, lane() * 16, warp()).y;
}
__global__ void surface_write_wide(cudaSurfaceObject_t s, float *out) {
    surf2Dwrite(make_float4(1, 2, 3, 4), s, lane() * 16, warp());
    if (out == nullptr) *out = 0;
}
__global__ void surface_write_column(cudaSurfaceObject_t s, float *out) {
    surf2Dwrite(1.0f, s, warp() * 4, lane());
    if (out == nullptr) *out = 0;
}
__global__ void surface_add(cudaSurfaceObject_t s, float *out) {
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(lane() * 4),
                 "r"(warp()), "r"(1)
                 : "memory");
    if (out == nullptr) *out = 0;
}

static cudaError_t texture_of(cudaResourceDesc resource, cudaTextureFilterMode filter,
                              cudaTextureObject_t *out) {
    cudaTextureDesc desc;
    memset(&desc, 0, sizeof desc);
    desc.filterMode = filter;
    return cudaCreateTextureObject(out, &resource, &desc, nullptr);
}

static cudaError_t array_of(cudaChannelFormatDesc channels, unsigned flags, cudaResourceDesc *out) {
    memset(out, 0, sizeof *out);
    out->resType = cudaResourceTypeArray;
    cudaError_t error = cudaMallocArray(&out->res.array.array, &channels, SIDE, SIDE, flags);
    if (error) return error;
    static char zeros[SIDE * SIDE * 16];
    size_t row = SIDE * (channels.x + channels.y + channels.z + channels.w) / 8;
    return cudaMemcpy2DToArray(out->res.array.array, 0, 0, zeros, row, row, SIDE,
                               cudaMemcpyHostToDevice);
}

// An array of `extent` texels of float.
static cudaError_t box_of(cudaExtent extent, unsigned flags, cudaResourceDesc *out) {
    memset(out, 0, sizeof *out);
    out->resType = cudaResourceTypeArray;
    cudaChannelFormatDesc channels = cudaCreateChannelDesc<float>();
    cudaError_t error = cudaMalloc3DArray(&out->res.array.array, &channels, extent, flags);
    if (error) return error;
    static float zeros[32 * 32 * 32];
    size_t height = extent.height ? extent.height : 1, depth = extent.depth ? extent.depth : 1;
    cudaMemcpy3DParms copy;
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr(zeros, extent.width * sizeof(float), extent.width, height);
    copy.dstArray = out->res.array.array;
    copy.extent = make_cudaExtent(extent.width, height, depth);
    copy.kind = cudaMemcpyHostToDevice;
    return cudaMemcpy3D(&copy);
}

// Shapes other than planes
static int launch_shapes(float *out) {
    cudaResourceDesc lines, layered_lines, planes, boxes, gathers, wide;
    cudaTextureObject_t t_line, t_lines, t_planes, t_box, t_gather;
    cudaSurfaceObject_t s_line, s_wide;
    CHECK(box_of(make_cudaExtent(128, 0, 0), cudaArraySurfaceLoadStore, &lines));
    CHECK(box_of(make_cudaExtent(128, 0, 4), cudaArrayLayered, &layered_lines));
    CHECK(box_of(make_cudaExtent(32, 32, 4), cudaArrayLayered, &planes));
    CHECK(box_of(make_cudaExtent(32, 32, 32), 0, &boxes));
    CHECK(array_of(cudaCreateChannelDesc<float>(), cudaArrayTextureGather, &gathers));
    CHECK(array_of(cudaCreateChannelDesc<float4>(), cudaArraySurfaceLoadStore, &wide));
    CHECK(texture_of(lines, cudaFilterModePoint, &t_line));
    CHECK(texture_of(layered_lines, cudaFilterModePoint, &t_lines));
    CHECK(texture_of(planes, cudaFilterModePoint, &t_planes));
    CHECK(texture_of(boxes, cudaFilterModePoint, &t_box));
    CHECK(texture_of(gathers, cudaFilterModePoint, &t_gather));
    CHECK(cudaCreateSurfaceObject(&s_line, &lines));
    CHECK(cudaCreateSurfaceObject(&s_wide, &wide));
    line<<<WARPS, 32>>>(t_line, out);
    line_layers<<<WARPS, 32>>>(t_lines, out);
    plane_layers<<<WARPS, 32>>>(t_planes, out);
    volume<<<WARPS, 32>>>(t_box, out);
    volume_deep<<<WARPS, 32>>>(t_box, out);
    gather<<<WARPS, 32>>>(t_gather, out);
    every_fourth<<<WARPS, 32>>>(t_gather, out);
    surface_line<<<WARPS, 32>>>(s_line, out);
    surface_wide<<<16, 32>>>(s_wide, out);
    surface_write_wide<<<16, 32>>>(s_wide, out);
    return 0;
}

int main() {
    cudaResourceDesc floats, wide, bytes, linear, pitched;
    cudaTextureObject_t t, smooth, t4, t1, t_linear, t_pitch;
    cudaSurfaceObject_t s;
    float *out, *memory;
    size_t pitch;
    CHECK(cudaMalloc(&out, WARPS * 32 * sizeof(float)));
    CHECK(cudaMallocPitch(&memory, &pitch, SIDE * sizeof(float), SIDE));
    CHECK(cudaMemset(memory, 0, pitch * SIDE));
    CHECK(array_of(cudaCreateChannelDesc<float>(), cudaArraySurfaceLoadStore, &floats));
    CHECK(array_of(cudaCreateChannelDesc<float4>(), 0, &wide));
    CHECK(array_of(cudaCreateChannelDesc<unsigned char>(), 0, &bytes));
    memset(&linear, 0, sizeof linear);
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = memory;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = pitch * SIDE;
    memset(&pitched, 0, sizeof pitched);
    pitched.resType = cudaResourceTypePitch2D;
    pitched.res.pitch2D.devPtr = memory;
    pitched.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    pitched.res.pitch2D.width = pitched.res.pitch2D.height = SIDE;
    pitched.res.pitch2D.pitchInBytes = pitch;
    CHECK(texture_of(floats, cudaFilterModePoint, &t));
    CHECK(texture_of(floats, cudaFilterModeLinear, &smooth));
    CHECK(texture_of(wide, cudaFilterModePoint, &t4));
    CHECK(texture_of(bytes, cudaFilterModePoint, &t1));
    CHECK(texture_of(linear, cudaFilterModePoint, &t_linear));
    CHECK(texture_of(pitched, cudaFilterModePoint, &t_pitch));
    CHECK(cudaCreateSurfaceObject(&s, &floats));
    for (auto kernel : {row, column, tile, quads, same, scatter, between, half_warp})
        kernel<<<WARPS, 32>>>(t, out);
    for (auto kernel : {row, between, tile}) kernel<<<WARPS, 32>>>(smooth, out);
    for (auto kernel : {row, column, tile, scatter}) kernel<<<WARPS, 32>>>(t_pitch, out);
    row_wide<<<WARPS, 32>>>(t4, out);
    row_bytes<<<WARPS, 32>>>(t1, out);
    for (auto kernel : {fetch<1>, fetch<2>, fetch<8>, fetch<0>})
        kernel<<<WARPS, 32>>>(t_linear, out);
    surface_read<<<WARPS, 32>>>(s, out);
    surface_read_column<<<WARPS, 32>>>(s, out);
    surface_write<<<WARPS, 32>>>(s, out);
    if (launch_shapes(out)) return 1;
    every_fourth_fetch<<<WARPS, 32>>>(t_linear, out);
    surface_write_column<<<WARPS, 32>>>(s, out);
    surface_add<<<WARPS, 32>>>(s, out);
    CHECK(cudaDeviceSynchronize());
    printf("ok\n");
    return 0;
}
