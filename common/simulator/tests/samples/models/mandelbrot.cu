// SPDX-License-Identifier: MIT
// The Mandelbrot set in float and double with work handed out to blocks by an atomic counter, and a
// Julia set with a small complex class; escape counts coloured into uchar4.
#include <vector>

#include "../helper.h"

template <class T>
__host__ __device__ inline int CalcMandelbrot(const T xPos, const T yPos, const int crunch) {
    T x = 0, y = 0, xx = 0, yy = 0;
    int i = crunch;
    while (--i && (xx + yy < T(4.0))) {
        y = x * y + x * y + yPos;
        x = xx - yy + xPos;
        xx = x * x;
        yy = y * y;
    }
    return i;
}

__device__ unsigned int blockCounter;

template <class T>
__global__ void Mandelbrot(uchar4 *dst, const int imageW, const int imageH, const int crunch,
                           const T xOff, const T yOff, const T scale, const uchar4 colors,
                           const int gridWidth, const int numBlocks) {
    __shared__ unsigned int blockIndex, blockX, blockY;
    while (1) {
        if ((threadIdx.x == 0) && (threadIdx.y == 0)) {
            blockIndex = atomicAdd(&blockCounter, 1);
            blockX = blockIndex % gridWidth;
            blockY = blockIndex / gridWidth;
        }
        __syncthreads();
        if (blockIndex >= numBlocks) break;
        const int ix = blockDim.x * blockX + threadIdx.x, iy = blockDim.y * blockY + threadIdx.y;
        if ((ix < imageW) && (iy < imageH)) {
            const T xPos = (T)ix * scale + xOff, yPos = (T)iy * scale + yOff;
            int m = CalcMandelbrot<T>(xPos, yPos, crunch);
            m = m > 0 ? crunch - m : 0;
            uchar4 color = make_uchar4(0, 0, 0, 0);
            if (m) {
                color.x = m * colors.x;
                color.y = m * colors.y;
                color.z = m * colors.z;
            }
            dst[imageW * iy + ix] = color;
        }
        __syncthreads();
    }
}

struct cuComplexNumber {
    float r, i;
    __host__ __device__ cuComplexNumber(float a, float b) : r(a), i(b) {}
    __host__ __device__ float magnitude2() const { return r * r + i * i; }
    __host__ __device__ cuComplexNumber operator*(const cuComplexNumber &a) const {
        return cuComplexNumber(r * a.r - i * a.i, i * a.r + r * a.i);
    }
    __host__ __device__ cuComplexNumber operator+(const cuComplexNumber &a) const {
        return cuComplexNumber(r + a.r, i + a.i);
    }
};

__host__ __device__ int julia(int x, int y, int dim) {
    const float scale = 1.5f;
    float jx = scale * (float)(dim / 2 - x) / (dim / 2),
          jy = scale * (float)(dim / 2 - y) / (dim / 2);
    cuComplexNumber c(-0.8f, 0.156f), a(jx, jy);
    for (int i = 0; i < 200; i++) {
        a = a * a + c;
        if (a.magnitude2() > 1000) return 0;
    }
    return 1;
}

__global__ void juliaKernel(unsigned char *ptr) {
    int x = blockIdx.x, y = blockIdx.y * blockDim.x + threadIdx.x;
    ptr[x + y * gridDim.x] = (unsigned char)julia(x, y, gridDim.x);
}

template <class T> static bool render(const char *name, int w, int h, int crunch) {
    const uchar4 colors = make_uchar4(3, 5, 7, 0);
    const T scale = T(3.0) / T(w), xOff = T(-2.0), yOff = T(-1.125);
    uchar4 *d_dst;
    std::vector<uchar4> image(w * h);
    checkCudaErrors(cudaMalloc(&d_dst, w * h * sizeof(uchar4)));
    dim3 threads(32, 8), grid(divUp(w, threads.x), divUp(h, threads.y));
    unsigned int zero = 0;
    checkCudaErrors(cudaMemcpyToSymbol(blockCounter, &zero, sizeof zero));
    Mandelbrot<T>
        <<<20, threads>>>(d_dst, w, h, crunch, xOff, yOff, scale, colors, grid.x, grid.x * grid.y);
    getLastCudaError("Mandelbrot");
    checkCudaErrors(
        cudaMemcpy(image.data(), d_dst, w * h * sizeof(uchar4), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaFree(d_dst));
    int differ = 0, inside = 0;
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++) { // host and device round products of the map alike or not
            int m = CalcMandelbrot<T>((T)x * scale + xOff, (T)y * scale + yOff, crunch);
            m = m > 0 ? crunch - m : 0;
            differ += image[y * w + x].x != (unsigned char)(m * colors.x);
            inside += image[y * w + x].y == 0;
        }
    printf("%s: %dx%d, pixels that differ from the host's below 2 %%: %s\n", name, w, h,
           differ * 50 < w * h ? "yes" : "NO");
    return differ * 50 < w * h && inside > w * h / 20;
}

int main(int argc, char **argv) {
    int w = intOption(argc, argv, "width", 320), h = w * 3 / 4;
    bool passed = render<float>("float", w, h, 128);
    passed = render<double>("double", w, h, 64) && passed;
    const int dim = 256;
    unsigned char *bitmap;
    checkCudaErrors(cudaMallocManaged(&bitmap, dim * dim));
    juliaKernel<<<dim3(dim, dim / 64), 64>>>(bitmap);
    checkCudaErrors(cudaDeviceSynchronize());
    int differ = 0;
    for (int y = 0; y < dim; y++)
        for (int x = 0; x < dim; x++) differ += bitmap[y * dim + x] != julia(x, y, dim);
    printf("julia: %s\n", differ * 100 < dim * dim ? "like the host's" : "WRONG");
    return finish("mandelbrot", passed && differ * 100 < dim * dim);
}
