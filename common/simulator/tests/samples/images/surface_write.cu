// SPDX-License-Identifier: MIT
// A kernel writes an array through a surface object; another reads it back as a texture, mirrored;
// a third modifies it in place; layers of a layered array come last.
#include <vector>

#include "../helper.h"

__global__ void surfaceWriteKernel(const float *gIData, int width, int height,
                                   cudaSurfaceObject_t outputSurface) {
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    surf2Dwrite(gIData[y * width + x], outputSurface, x * 4, y, cudaBoundaryModeTrap);
}

__global__ void mirrorKernel(float *gOData, int width, int height, cudaTextureObject_t tex) {
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    gOData[y * width + x] = tex2D<float>(tex, width - 1 - x + 0.5f, y + 0.5f);
}

__global__ void squareInPlace(int width, cudaSurfaceObject_t surface) {
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    float value;
    surf2Dread(&value, surface, x * sizeof(float), y, cudaBoundaryModeZero);
    surf2Dwrite(value * value, surface, x * sizeof(float), y, cudaBoundaryModeZero);
}

__global__ void layersKernel(float *out, int width, int layers, cudaTextureObject_t tex) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width * width) return;
    for (int layer = 0; layer < layers; layer++)
        out[layer * width * width + x] =
            -tex2DLayered<float>(tex, x % width + 0.5f, x / width + 0.5f, layer) + layer;
}

int main() {
    const int w = 64, h = 48;
    std::vector<float> input(w * h), output(w * h);
    for (int i = 0; i < w * h; i++) input[i] = (float)(i % 50) - 7;
    float *dIn, *dOut;
    checkCudaErrors(cudaMalloc(&dIn, w * h * sizeof(float)));
    checkCudaErrors(cudaMalloc(&dOut, w * h * sizeof(float)));
    checkCudaErrors(cudaMemcpy(dIn, input.data(), w * h * sizeof(float), cudaMemcpyHostToDevice));
    cudaChannelFormatDesc channelDesc = cudaCreateChannelDesc<float>();
    cudaArray *cuArray;
    checkCudaErrors(cudaMallocArray(&cuArray, &channelDesc, w, h, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = cuArray;
    cudaSurfaceObject_t surface;
    checkCudaErrors(cudaCreateSurfaceObject(&surface, &resource));
    cudaTextureDesc description = {};
    description.filterMode = cudaFilterModePoint;
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t texture;
    checkCudaErrors(cudaCreateTextureObject(&texture, &resource, &description, nullptr));

    dim3 block(16, 8), grid(w / 16, h / 8);
    surfaceWriteKernel<<<grid, block>>>(dIn, w, h, surface);
    mirrorKernel<<<grid, block>>>(dOut, w, h, texture);
    getLastCudaError("surface");
    checkCudaErrors(cudaMemcpy(output.data(), dOut, w * h * sizeof(float), cudaMemcpyDeviceToHost));
    bool passed = true;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            passed = passed && output[y * w + x] == input[y * w + w - 1 - x];
    printf("written and mirrored: %.0f %s\n", output[5], passed ? "right" : "WRONG");

    squareInPlace<<<grid, block>>>(w, surface);
    checkCudaErrors(cudaMemcpy2DFromArray(output.data(), w * sizeof(float), cuArray, 0, 0,
                                          w * sizeof(float), h, cudaMemcpyDeviceToHost));
    bool squared = true;
    for (int i = 0; i < w * h; i++) squared = squared && output[i] == input[i] * input[i];
    printf("squared in place: %.0f %s\n", output[11], squared ? "right" : "WRONG");
    checkCudaErrors(cudaDestroySurfaceObject(surface));
    checkCudaErrors(cudaDestroyTextureObject(texture));
    checkCudaErrors(cudaFreeArray(cuArray));

    const int side = 16, layers = 5;
    std::vector<float> cube(side * side * layers), back(cube.size());
    for (size_t i = 0; i < cube.size(); i++) cube[i] = (float)i;
    cudaArray *layered;
    checkCudaErrors(cudaMalloc3DArray(&layered, &channelDesc, make_cudaExtent(side, side, layers),
                                      cudaArrayLayered));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(cube.data(), side * sizeof(float), side, side);
    copy.dstArray = layered;
    copy.extent = make_cudaExtent(side, side, layers);
    copy.kind = cudaMemcpyHostToDevice;
    checkCudaErrors(cudaMemcpy3D(&copy));
    resource.res.array.array = layered;
    description.normalizedCoords = false;
    checkCudaErrors(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
    layersKernel<<<4, 64>>>(dOut, side, layers, texture);
    getLastCudaError("layers");
    checkCudaErrors(
        cudaMemcpy(back.data(), dOut, back.size() * sizeof(float), cudaMemcpyDeviceToHost));
    bool layersRight = true;
    for (size_t i = 0; i < cube.size(); i++)
        layersRight = layersRight && back[i] == -cube[i] + (float)(i / (side * side));
    printf("layers: %.0f %s\n", back.back(), layersRight ? "right" : "WRONG");
    checkCudaErrors(cudaDestroyTextureObject(texture));
    checkCudaErrors(cudaFreeArray(layered));
    return finish("surface_write", passed && squared && layersRight);
}
