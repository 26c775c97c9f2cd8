// SPDX-License-Identifier: MIT
// Sobel filter on an 8-bit image three ways: texture fetches, a shared memory tile loaded from the
// texture object, and plain global loads with clamped indices.
#include <vector>

#include "../helper.h"

typedef unsigned char Pixel;

__device__ __host__ inline Pixel ComputeSobel(Pixel ul, Pixel um, Pixel ur, Pixel ml, Pixel mr,
                                              Pixel ll, Pixel lm, Pixel lr, float fScale) {
    short Horz = ur + 2 * mr + lr - ul - 2 * ml - ll;
    short Vert = ul + 2 * um + ur - ll - 2 * lm - lr;
    short Sum = (short)(fScale * (abs((int)Horz) + abs((int)Vert)));
    if (Sum < 0) return 0;
    if (Sum > 0xff) return 0xff;
    return (Pixel)Sum;
}

__global__ void SobelTex(Pixel *pSobelOriginal, unsigned int Pitch, int w, int h, float fScale,
                         cudaTextureObject_t tex) {
    Pixel *pSobel = pSobelOriginal + blockIdx.x * Pitch;
    for (int i = threadIdx.x; i < w; i += blockDim.x) {
        float x = (float)i, y = (float)blockIdx.x;
        Pixel pix00 = tex2D<unsigned char>(tex, x - 1, y - 1);
        Pixel pix01 = tex2D<unsigned char>(tex, x + 0, y - 1);
        Pixel pix02 = tex2D<unsigned char>(tex, x + 1, y - 1);
        Pixel pix10 = tex2D<unsigned char>(tex, x - 1, y + 0);
        Pixel pix12 = tex2D<unsigned char>(tex, x + 1, y + 0);
        Pixel pix20 = tex2D<unsigned char>(tex, x - 1, y + 1);
        Pixel pix21 = tex2D<unsigned char>(tex, x + 0, y + 1);
        Pixel pix22 = tex2D<unsigned char>(tex, x + 1, y + 1);
        pSobel[i] = ComputeSobel(pix00, pix01, pix02, pix10, pix12, pix20, pix21, pix22, fScale);
    }
}

__global__ void SobelShared(Pixel *out, unsigned int pitch, int w, int h, float fScale,
                            cudaTextureObject_t tex) {
    __shared__ Pixel tile[18][34];
    int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 32 * 16)
        tile[i / 34][i % 34] =
            tex2D<unsigned char>(tex, (float)(x0 + i % 34 - 1), (float)(y0 + i / 34 - 1));
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < w && y < h)
        out[y * pitch + x] = ComputeSobel(
            tile[ty - 1][tx - 1], tile[ty - 1][tx], tile[ty - 1][tx + 1], tile[ty][tx - 1],
            tile[ty][tx + 1], tile[ty + 1][tx - 1], tile[ty + 1][tx], tile[ty + 1][tx + 1], fScale);
}

__host__ __device__ inline Pixel at(const Pixel *image, int w, int h, int x, int y) {
    x = x < 0 ? 0 : x >= w ? w - 1 : x;
    y = y < 0 ? 0 : y >= h ? h - 1 : y;
    return image[y * w + x];
}

__host__ __device__ inline Pixel sobelAt(const Pixel *image, int w, int h, int x, int y, float s) {
    return ComputeSobel(at(image, w, h, x - 1, y - 1), at(image, w, h, x, y - 1),
                        at(image, w, h, x + 1, y - 1), at(image, w, h, x - 1, y),
                        at(image, w, h, x + 1, y), at(image, w, h, x - 1, y + 1),
                        at(image, w, h, x, y + 1), at(image, w, h, x + 1, y + 1), s);
}

__global__ void SobelGlobal(Pixel *out, const Pixel *image, unsigned int pitch, int w, int h,
                            float fScale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * pitch + x] = sobelAt(image, w, h, x, y, fScale);
}

int main(int argc, char **argv) {
    const int w = intOption(argc, argv, "width", 300), h = 200;
    std::vector<Pixel> image(w * h), want(w * h), got(w * h);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int dx = x - w / 2, dy = y - h / 2;
            image[y * w + x] =
                (Pixel)((dx * dx + dy * dy < 3600 ? 200 : 20) + (x * 7 + y * 3) % 32);
        }
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) want[y * w + x] = sobelAt(image.data(), w, h, x, y, 0.5f);

    cudaArray *array = NULL;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<unsigned char>();
    checkCudaErrors(cudaMallocArray(&array, &desc, w, h));
    checkCudaErrors(
        cudaMemcpy2DToArray(array, 0, 0, image.data(), w, w, h, cudaMemcpyHostToDevice));
    cudaResourceDesc texRes;
    memset(&texRes, 0, sizeof(cudaResourceDesc));
    texRes.resType = cudaResourceTypeArray;
    texRes.res.array.array = array;
    cudaTextureDesc texDescr;
    memset(&texDescr, 0, sizeof(cudaTextureDesc));
    texDescr.normalizedCoords = false;
    texDescr.filterMode = cudaFilterModePoint;
    texDescr.addressMode[0] = cudaAddressModeClamp; // Wrap needs normalized coordinates
    texDescr.addressMode[1] = cudaAddressModeClamp;
    texDescr.readMode = cudaReadModeElementType;
    cudaTextureObject_t texObject;
    checkCudaErrors(cudaCreateTextureObject(&texObject, &texRes, &texDescr, NULL));

    Pixel *d_out, *d_image;
    size_t pitch;
    checkCudaErrors(cudaMallocPitch(&d_out, &pitch, w, h));
    checkCudaErrors(cudaMalloc(&d_image, w * h));
    checkCudaErrors(cudaMemcpy(d_image, image.data(), w * h, cudaMemcpyHostToDevice));
    const char *names[] = {"texture", "shared memory", "global memory"};
    bool passed = true;
    for (int kind = 0; kind < 3; kind++) {
        checkCudaErrors(cudaMemset2D(d_out, pitch, 0x55, w, h));
        if (kind == 0) SobelTex<<<h, 384>>>(d_out, pitch, w, h, 0.5f, texObject);
        if (kind == 1)
            SobelShared<<<dim3(divUp(w, 32), divUp(h, 16)), dim3(32, 16)>>>(d_out, pitch, w, h,
                                                                            0.5f, texObject);
        if (kind == 2)
            SobelGlobal<<<dim3(divUp(w, 16), divUp(h, 16)), dim3(16, 16)>>>(d_out, d_image, pitch,
                                                                            w, h, 0.5f);
        getLastCudaError(names[kind]);
        checkCudaErrors(cudaMemcpy2D(got.data(), w, d_out, pitch, w, h, cudaMemcpyDeviceToHost));
        long sum = 0;
        for (Pixel p : got) sum += p;
        printf("%s: sum of edges %ld\n", names[kind], sum);
        passed = passed && got == want;
    }
    checkCudaErrors(cudaDestroyTextureObject(texObject));
    checkCudaErrors(cudaFreeArray(array));
    checkCudaErrors(cudaFree(d_out));
    checkCudaErrors(cudaFree(d_image));
    return finish("sobel_texture", passed);
}
