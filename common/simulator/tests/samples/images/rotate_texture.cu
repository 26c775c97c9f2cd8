// SPDX-License-Identifier: MIT
// An image is rotated with bilinear texture lookups in normalised, wrapping coordinates, and
// shifted in a 1D linear texture; also point lookups with border colour.
#include <cmath>
#include <vector>

#include "../helper.h"

const float angle = 0.5f; // radians

__global__ void transformKernel(float *outputData, int width, int height, float theta,
                                cudaTextureObject_t tex) {
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    float u = (float)x - (float)width / 2, v = (float)y - (float)height / 2;
    float tu = u * cosf(theta) - v * sinf(theta), tv = v * cosf(theta) + u * sinf(theta);
    tu /= (float)width;
    tv /= (float)height;
    outputData[y * width + x] = tex2D<float>(tex, tu + 0.5f, tv + 0.5f);
}

__global__ void borderKernel(float *out, int n, cudaTextureObject_t tex) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(tex, i - 4 + 0.5f, 3.5f);
}

__global__ void linearKernel(int *out, int n, cudaTextureObject_t tex) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<int>(tex, n - 1 - i);
}

static cudaTextureObject_t makeTexture(cudaArray *array, cudaTextureFilterMode filter,
                                       cudaTextureAddressMode address, bool normalized) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    description.normalizedCoords = normalized;
    description.filterMode = filter;
    description.addressMode[0] = description.addressMode[1] = address;
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    checkCudaErrors(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    return texture;
}

// The hardware's fraction has 8 bits.
static float bilinear(const std::vector<float> &image, int w, int h, float u, float v) {
    float x = (u - floorf(u)) * w - 0.5f, y = (v - floorf(v)) * h - 0.5f;
    int ix = (int)floorf(x), iy = (int)floorf(y);
    float a = x - ix, b = y - iy;
    auto at = [&](int i, int j) { return image[(j + h) % h * w + (i + w) % w]; };
    return (1 - a) * (1 - b) * at(ix, iy) + a * (1 - b) * at(ix + 1, iy) +
           (1 - a) * b * at(ix, iy + 1) + a * b * at(ix + 1, iy + 1);
}

int main() {
    const int w = 128, h = 96;
    std::vector<float> image(w * h), got(w * h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            image[y * w + x] = 0.5f + 0.5f * sinf(x * 0.2f) * cosf(y * 0.13f);
    cudaChannelFormatDesc channelDesc =
        cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    cudaArray *cuArray;
    checkCudaErrors(cudaMallocArray(&cuArray, &channelDesc, w, h));
    checkCudaErrors(cudaMemcpy2DToArray(cuArray, 0, 0, image.data(), w * sizeof(float),
                                        w * sizeof(float), h, cudaMemcpyHostToDevice));
    cudaTextureObject_t tex = makeTexture(cuArray, cudaFilterModeLinear, cudaAddressModeWrap, true);
    float *dData;
    checkCudaErrors(cudaMalloc((void **)&dData, w * h * sizeof(float)));
    dim3 dimBlock(8, 8, 1), dimGrid(w / dimBlock.x, h / dimBlock.y, 1);
    transformKernel<<<dimGrid, dimBlock, 0>>>(dData, w, h, angle, tex);
    getLastCudaError("Kernel execution failed");
    checkCudaErrors(cudaMemcpy(got.data(), dData, w * h * sizeof(float), cudaMemcpyDeviceToHost));
    float worst = 0;
    double sum = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            float u = (float)x - w / 2, v = (float)y - h / 2;
            float tu = (u * cosf(angle) - v * sinf(angle)) / w;
            float tv = (v * cosf(angle) + u * sinf(angle)) / h;
            float error = fabsf(got[y * w + x] - bilinear(image, w, h, tu + 0.5f, tv + 0.5f));
            if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
            sum += got[y * w + x];
        }
    printf("rotated: mean %.2f, error below 0.005: %s\n", sum / (w * h),
           worst < 5e-3f ? "yes" : "NO");
    bool passed = worst < 5e-3f;

    cudaTextureObject_t border =
        makeTexture(cuArray, cudaFilterModePoint, cudaAddressModeBorder, false);
    borderKernel<<<2, 96>>>(dData, w + 8, border);
    checkCudaErrors(cudaMemcpy(got.data(), dData, (w + 8) * sizeof(float), cudaMemcpyDeviceToHost));
    bool borders = true;
    for (int i = 0; i < w + 8; i++)
        borders = borders && got[i] == (i < 4 || i >= w + 4 ? 0.0f : image[3 * w + i - 4]);
    printf("border: %s\n", borders ? "right" : "WRONG");

    const int n = 1000;
    std::vector<int> numbers(n), reversed(n);
    for (int i = 0; i < n; i++) numbers[i] = i * i;
    int *d_numbers, *d_reversed;
    checkCudaErrors(cudaMalloc(&d_numbers, n * sizeof(int)));
    checkCudaErrors(cudaMalloc(&d_reversed, n * sizeof(int)));
    checkCudaErrors(cudaMemcpy(d_numbers, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_numbers;
    resource.res.linear.desc = cudaCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = n * sizeof(int);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t linear;
    checkCudaErrors(cudaCreateTextureObject(&linear, &resource, &description, NULL));
    linearKernel<<<divUp(n, 128), 128>>>(d_reversed, n, linear);
    checkCudaErrors(
        cudaMemcpy(reversed.data(), d_reversed, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool fetched = true;
    for (int i = 0; i < n; i++) fetched = fetched && reversed[i] == numbers[n - 1 - i];
    printf("linear: %d %s\n", reversed[0], fetched ? "right" : "WRONG");
    checkCudaErrors(cudaDestroyTextureObject(tex));
    checkCudaErrors(cudaDestroyTextureObject(border));
    checkCudaErrors(cudaDestroyTextureObject(linear));
    checkCudaErrors(cudaFreeArray(cuArray));
    return finish("rotate_texture", passed && borders && fetched);
}
