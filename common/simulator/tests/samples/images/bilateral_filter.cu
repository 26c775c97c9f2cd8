// SPDX-License-Identifier: MIT
// Edge-preserving smoothing: an image of packed colours is read through a texture that normalises
// bytes to [0, 1]; the Gaussian of the distance lies in constant memory, that of the colour is
// computed.
#include <cmath>
#include <vector>

#include "../helper.h"

__constant__ float cGaussian[64];
typedef unsigned int uint;

__device__ float euclideanLen(float4 a, float4 b, float d) {
    float mod = (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y) + (b.z - a.z) * (b.z - a.z);
    return __expf(-mod / (2.f * d * d));
}

__device__ uint rgbaFloatToInt(float4 rgba) {
    rgba.x = __saturatef(fabs(rgba.x));
    rgba.y = __saturatef(fabs(rgba.y));
    rgba.z = __saturatef(fabs(rgba.z));
    rgba.w = __saturatef(fabs(rgba.w));
    return (uint(rgba.w * 255.0f) << 24) | (uint(rgba.z * 255.0f) << 16) |
           (uint(rgba.y * 255.0f) << 8) | uint(rgba.x * 255.0f);
}

__global__ void d_bilateral_filter(uint *od, int w, int h, float e_d, int r,
                                   cudaTextureObject_t rgbaTex) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0.0f;
    float4 t = {0.f, 0.f, 0.f, 0.f}, center = tex2D<float4>(rgbaTex, x, y);
    for (int i = -r; i <= r; i++) {
        for (int j = -r; j <= r; j++) {
            float4 curPix = tex2D<float4>(rgbaTex, x + j, y + i);
            float factor = cGaussian[i + r] * cGaussian[j + r] * euclideanLen(curPix, center, e_d);
            t.x += factor * curPix.x;
            t.y += factor * curPix.y;
            t.z += factor * curPix.z;
            t.w += factor * curPix.w;
            sum += factor;
        }
    }
    t.x /= sum;
    t.y /= sum;
    t.z /= sum;
    t.w /= sum;
    od[y * w + x] = rgbaFloatToInt(t);
}

static void bilateralCPU(std::vector<uint> &out, const std::vector<uint> &in, int w, int h,
                         const float *gaussian, float e_d, int r) {
    auto channel = [&](int x, int y, int c) {
        x = x < 0 ? 0 : x >= w ? w - 1 : x;
        y = y < 0 ? 0 : y >= h ? h - 1 : y;
        return (float)((in[y * w + x] >> (8 * c)) & 255) / 255.0f;
    };
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            double sum = 0, t[4] = {0, 0, 0, 0};
            for (int i = -r; i <= r; i++)
                for (int j = -r; j <= r; j++) {
                    double mod = 0;
                    for (int c = 0; c < 3; c++) {
                        double d = channel(x + j, y + i, c) - channel(x, y, c);
                        mod += d * d;
                    }
                    double factor =
                        gaussian[i + r] * gaussian[j + r] * exp(-mod / (2. * e_d * e_d));
                    for (int c = 0; c < 4; c++) t[c] += factor * channel(x + j, y + i, c);
                    sum += factor;
                }
            uint word = 0;
            for (int c = 0; c < 4; c++) word |= (uint)(t[c] / sum * 255.0) << (8 * c);
            out[y * w + x] = word;
        }
}

int main(int argc, char **argv) {
    const int w = 96, h = 70, radius = intOption(argc, argv, "radius", 4);
    const float gaussian_delta = 4, euclidean_delta = 0.1f;
    std::vector<uint> image(w * h), got(w * h), want(w * h);
    HostRandom random(64);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) {
            int noise = random.below(16), base = (x / 20 + y / 15) % 2 ? 190 : 50;
            image[y * w + x] = (255u << 24) | (uint)(base + noise) << 16 |
                               (uint)(base / 2 + noise) << 8 | (uint)(255 - base - noise);
        }
    float fGaussian[64] = {0};
    for (int i = 0; i < 2 * radius + 1; ++i) {
        float x = (float)(i - radius);
        fGaussian[i] = expf(-(x * x) / (2 * gaussian_delta * gaussian_delta));
    }
    checkCudaErrors(cudaMemcpyToSymbol(cGaussian, fGaussian, sizeof(float) * (2 * radius + 1)));

    uint *dImage, *dResult;
    size_t pitch;
    checkCudaErrors(cudaMallocPitch(&dImage, &pitch, sizeof(uint) * w, h));
    checkCudaErrors(cudaMalloc(&dResult, w * h * sizeof(uint)));
    checkCudaErrors(cudaMemcpy2D(dImage, pitch, image.data(), sizeof(uint) * w, sizeof(uint) * w, h,
                                 cudaMemcpyHostToDevice));
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<uchar4>();
    cudaResourceDesc texRes = {};
    texRes.resType = cudaResourceTypePitch2D;
    texRes.res.pitch2D.devPtr = dImage;
    texRes.res.pitch2D.desc = desc;
    texRes.res.pitch2D.width = w;
    texRes.res.pitch2D.height = h;
    texRes.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc texDescr = {};
    texDescr.normalizedCoords = false;
    texDescr.filterMode = cudaFilterModePoint;
    texDescr.addressMode[0] = texDescr.addressMode[1] = cudaAddressModeClamp;
    texDescr.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t rgbaTex;
    checkCudaErrors(cudaCreateTextureObject(&rgbaTex, &texRes, &texDescr, NULL));

    dim3 blockSize(16, 16), gridSize((w + 15) / 16, (h + 15) / 16);
    d_bilateral_filter<<<gridSize, blockSize>>>(dResult, w, h, euclidean_delta, radius, rgbaTex);
    getLastCudaError("d_bilateral_filter");
    checkCudaErrors(
        cudaMemcpy(got.data(), dResult, got.size() * sizeof(uint), cudaMemcpyDeviceToHost));
    bilateralCPU(want, image, w, h, fGaussian, euclidean_delta, radius);
    int worst = 0;
    long sum = 0;
    for (int i = 0; i < w * h; i++)
        for (int c = 0; c < 4; c++) {
            int a = (got[i] >> (8 * c)) & 255, b = (want[i] >> (8 * c)) & 255;
            worst = abs(a - b) > worst ? abs(a - b) : worst;
            sum += a;
        }
    printf("mean byte %.1f, never more than 1 from the host's: %s\n", sum / (4.0 * w * h),
           worst <= 1 ? "yes" : "NO");
    checkCudaErrors(cudaDestroyTextureObject(rgbaTex));
    checkCudaErrors(cudaFree(dImage));
    checkCudaErrors(cudaFree(dResult));
    return finish("bilateral_filter", worst <= 1);
}
