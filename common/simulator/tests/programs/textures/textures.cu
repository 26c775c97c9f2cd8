// An image is blurred through a texture, written to a surface and read back; a volume and layers
// are copied through arrays.
// engine: yes
#include "../check.h"

#include <cstring>

const int WIDTH = 37, HEIGHT = 21;

__global__ void blur(cudaTextureObject_t image, cudaSurfaceObject_t out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT) return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) sum += tex2D<float>(image, x + dx + 0.5f, y + dy + 0.5f);
    surf2Dwrite(sum, out, x * 4, y);
}

__global__ void pick(cudaTextureObject_t layers, float *out) {
    out[threadIdx.x] = tex2DLayered<float>(layers, 1.5f, 0.5f, threadIdx.x);
}

static float pixel(const float *image, int x, int y) {
    return x < 0 || y < 0 || x >= WIDTH || y >= HEIGHT ? 0 : image[y * WIDTH + x];
}

static cudaArray_t array_of(cudaExtent size, unsigned flags, const float *from) {
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms copy;
    cudaArray_t array;
    CUDA_CHECK(cudaMalloc3DArray(&array, &floats, size, flags));
    memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_cudaPitchedPtr((void *)from, size.width * 4, size.width, size.height);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(size.width, size.height, size.depth ? size.depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA_CHECK(cudaMemcpy3D(&copy));
    return array;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

int main() {
    static float image[HEIGHT * WIDTH], got[HEIGHT * WIDTH], volume[4 * 3 * 2];
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaTextureDesc sampling;
    for (int i = 0; i < HEIGHT * WIDTH; i++) image[i] = (float)(i * 7 % 64);
    cudaArray_t from = array_of(make_cudaExtent(WIDTH, HEIGHT, 0), 0, image);
    cudaArray_t to = array_of(make_cudaExtent(WIDTH, HEIGHT, 0), cudaArraySurfaceLoadStore, image);
    memset(&sampling, 0, sizeof sampling);
    sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeBorder;
    cudaResourceDesc resource = resource_of(from);
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    resource = resource_of(to);
    CUDA_CHECK(cudaCreateSurfaceObject(&surface, &resource));
    blur<<<dim3((WIDTH + 15) / 16, (HEIGHT + 7) / 8), dim3(16, 8)>>>(texture, surface);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(
        cudaMemcpy2DFromArray(got, WIDTH * 4, to, 0, 0, WIDTH * 4, HEIGHT, cudaMemcpyDeviceToHost));
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            float want = 0;
            for (int k = 0; k < 9; k++) want += pixel(image, x + k % 3 - 1, y + k / 3 - 1);
            EXPECT(got[y * WIDTH + x] == want);
        }
    }
    CUDA_CHECK(cudaDestroyTextureObject(texture));
    CUDA_CHECK(cudaDestroySurfaceObject(surface));
    for (int i = 0; i < 24; i++) volume[i] = (float)i;
    resource = resource_of(array_of(make_cudaExtent(4, 3, 2), cudaArrayLayered, volume));
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &sampling, nullptr));
    float *d_out, out[2];
    CUDA_CHECK(cudaMalloc(&d_out, sizeof out));
    pick<<<1, 2>>>(texture, d_out);
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    EXPECT(out[0] == 1 && out[1] == 13);
    CUDA_CHECK(cudaFreeArray(resource.res.array.array));
    CUDA_CHECK(cudaFreeArray(from));
    CUDA_CHECK(cudaFreeArray(to));
    printf("ok\n");
    return 0;
}
