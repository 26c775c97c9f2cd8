// SPDX-License-Identifier: MIT
// A volume in a 3D array: slices with linear and point filtering, and rays marched through it with
// a box intersection, front to back.
#include <cmath>
#include <vector>

#include "../helper.h"

typedef unsigned char uchar;

__global__ void d_slice(float *out, int w, int h, float depth, cudaTextureObject_t tex) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex3D<float>(tex, (x + 0.5f) / w, (y + 0.5f) / h, depth);
}

struct Ray {
    float3 o, d;
};

__device__ bool intersectBox(Ray r, float3 boxmin, float3 boxmax, float *tnear, float *tfar) {
    float3 inv = make_float3(1.0f / r.d.x, 1.0f / r.d.y, 1.0f / r.d.z);
    float x0 = inv.x * (boxmin.x - r.o.x), x1 = inv.x * (boxmax.x - r.o.x);
    float y0 = inv.y * (boxmin.y - r.o.y), y1 = inv.y * (boxmax.y - r.o.y);
    float z0 = inv.z * (boxmin.z - r.o.z), z1 = inv.z * (boxmax.z - r.o.z);
    *tnear = fmaxf(fmaxf(fminf(x0, x1), fminf(y0, y1)), fminf(z0, z1));
    *tfar = fminf(fminf(fmaxf(x0, x1), fmaxf(y0, y1)), fmaxf(z0, z1));
    return *tfar > *tnear;
}

__global__ void d_render(float *out, int w, int h, float density, cudaTextureObject_t tex) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    out[y * w + x] = 0;
    Ray eye;
    eye.o = make_float3(0.1f, 0.2f, 4.0f);
    float u = (x + 0.5f) / w * 2.0f - 1.0f, v = (y + 0.5f) / h * 2.0f - 1.0f;
    float scale = rsqrtf(u * u + v * v + 4.0f);
    eye.d = make_float3(u * scale, v * scale, -2.0f * scale);
    float tnear, tfar;
    if (!intersectBox(eye, make_float3(-1, -1, -1), make_float3(1, 1, 1), &tnear, &tfar)) return;
    tnear = fmaxf(tnear, 0.0f);
    float sum = 0, t = tnear;
    for (int i = 0; i < 100; i++) {
        float px = eye.o.x + eye.d.x * t, py = eye.o.y + eye.d.y * t, pz = eye.o.z + eye.d.z * t;
        float sample = tex3D<float>(tex, px * 0.5f + 0.5f, py * 0.5f + 0.5f, pz * 0.5f + 0.5f);
        float alpha = sample * density;
        sum += (1.0f - sum) * alpha;
        if (sum > 0.95f) break;
        t += 0.04f;
        if (t > tfar) break;
    }
    out[y * w + x] = sum;
}

int main() {
    const int side = 24;
    std::vector<uchar> volume(side * side * side);
    for (int z = 0; z < side; z++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++)
                volume[(z * side + y) * side + x] = (uchar)(x * 4 + y * 3 + z * 2);
    cudaExtent volumeSize = make_cudaExtent(side, side, side);
    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc<uchar>();
    cudaArray *d_volumeArray;
    checkCudaErrors(cudaMalloc3DArray(&d_volumeArray, &channelDesc, volumeSize));
    cudaMemcpy3DParms copyParams = {0};
    copyParams.srcPtr = make_cudaPitchedPtr(volume.data(), volumeSize.width * sizeof(uchar),
                                            volumeSize.width, volumeSize.height);
    copyParams.dstArray = d_volumeArray;
    copyParams.extent = volumeSize;
    copyParams.kind = cudaMemcpyHostToDevice;
    checkCudaErrors(cudaMemcpy3D(&copyParams));
    cudaResourceDesc texRes;
    memset(&texRes, 0, sizeof(cudaResourceDesc));
    texRes.resType = cudaResourceTypeArray;
    texRes.res.array.array = d_volumeArray;
    cudaTextureDesc texDescr;
    memset(&texDescr, 0, sizeof(cudaTextureDesc));
    texDescr.normalizedCoords = true;
    texDescr.filterMode = cudaFilterModeLinear;
    texDescr.addressMode[0] = texDescr.addressMode[1] = texDescr.addressMode[2] =
        cudaAddressModeClamp;
    texDescr.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t linear, point;
    checkCudaErrors(cudaCreateTextureObject(&linear, &texRes, &texDescr, NULL));
    texDescr.filterMode = cudaFilterModePoint;
    checkCudaErrors(cudaCreateTextureObject(&point, &texRes, &texDescr, NULL));

    const int w = 48, h = 40;
    float *d_out;
    std::vector<float> out(w * h);
    checkCudaErrors(cudaMalloc(&d_out, w * h * sizeof(float)));
    dim3 block(16, 16), grid(divUp(w, 16), divUp(h, 16));
    bool passed = true;
    for (int kind = 0; kind < 2; kind++) {
        const float depth = 0.37f;
        d_slice<<<grid, block>>>(d_out, w, h, depth, kind == 0 ? linear : point);
        getLastCudaError("d_slice");
        checkCudaErrors(
            cudaMemcpy(out.data(), d_out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
        float worst = 0;
        for (int y = 0; y < h; y++)
            for (int x = 0; x < w; x++) {
                auto place = [&](float c) { // the volume is linear in each coordinate
                    float p = c * side - 0.5f;
                    if (kind == 1) p = floorf(c * side);
                    return fminf(fmaxf(p, 0.0f), side - 1.0f);
                };
                float want =
                    (place((x + 0.5f) / w) * 4 + place((y + 0.5f) / h) * 3 + place(depth) * 2) /
                    255;
                worst = fmaxf(worst, fabsf(out[y * w + x] - want));
            }
        printf("%s slice: middle %.2f, error below 0.001: %s\n", kind == 0 ? "linear" : "point",
               out[h / 2 * w + w / 2], worst < 1e-3f ? "yes" : "NO");
        passed = passed && worst < 1e-3f;
    }
    d_render<<<grid, block>>>(d_out, w, h, 0.05f, linear);
    getLastCudaError("d_render");
    checkCudaErrors(cudaMemcpy(out.data(), d_out, w * h * sizeof(float), cudaMemcpyDeviceToHost));
    int covered = 0;
    float greatest = 0;
    for (float v : out) {
        covered += v > 0;
        greatest = fmaxf(greatest, v);
    }
    printf("rendered: brightest %.2f\n", greatest);
    passed =
        passed && covered > w * h / 5 && covered < w * h && greatest > 0.3f && greatest < 0.96f;
    checkCudaErrors(cudaDestroyTextureObject(linear));
    checkCudaErrors(cudaDestroyTextureObject(point));
    checkCudaErrors(cudaFreeArray(d_volumeArray));
    return finish("volume_texture", passed);
}
