// SPDX-License-Identifier: MIT
// Kernel parameters of all shapes: structures by value, small types with padding, many of them,
// templates; launches by <<<>>>, cudaLaunchKernel and cudaLaunchKernelEx.
#include "../check.h"

struct settings {
    char tag;
    double scale;
    float offsets[5];
    short last;
};

__global__ void apply(settings s, unsigned char a, short b, long long c, bool d, double *out) {
    out[0] = s.tag;
    out[1] = s.scale;
    out[2] = s.offsets[4];
    out[3] = s.last;
    out[4] = a;
    out[5] = b;
    out[6] = (double)c;
    out[7] = d;
}

template <typename T, int N> __global__ void fill(T *out, T first) {
    for (int i = 0; i < N; i++) out[i] = first + (T)i;
}

struct block_of_words {
    int words[900];
};

__global__ void large(block_of_words values, int *out) {
    int sum = 0;
    for (int i = 0; i < 900; i++) sum += values.words[i];
    *out = sum;
}

static void check(const double *device) {
    double out[8];
    CUDA_CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    const double want[8] = {'q', 2.5, 5, -3, 200, -1000, 1LL << 40, 1};
    for (int i = 0; i < 8; i++) EXPECT(out[i] == want[i]);
    CUDA_CHECK(cudaMemset((void *)device, 0, sizeof out));
}

int main() {
    double *device;
    CUDA_CHECK(cudaMalloc(&device, 8 * sizeof(double)));
    settings s = {'q', 2.5, {1, 2, 3, 4, 5}, -3};
    unsigned char a = 200;
    short b = -1000;
    long long c = 1LL << 40;
    bool d = true;
    apply<<<1, 1>>>(s, a, b, c, d, device);
    check(device);
    void *arguments[] = {&s, &a, &b, &c, &d, &device};
    CUDA_CHECK(cudaLaunchKernel((const void *)apply, dim3(1), dim3(1), arguments, 0, 0));
    check(device);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    CUDA_CHECK(cudaLaunchKernelEx(&config, apply, s, a, b, c, d, device));
    check(device);
    fill<float, 3><<<1, 1>>>((float *)device, 1.5f);
    float values[3];
    CUDA_CHECK(cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost));
    EXPECT(values[0] == 1.5f && values[2] == 3.5f);
    block_of_words words;
    int want = 0, got;
    for (int i = 0; i < 900; i++) want += words.words[i] = i * i % 91;
    large<<<1, 1>>>(words, (int *)device);
    CUDA_CHECK(cudaMemcpy(&got, device, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == want);
    printf("ok\n");
    return 0;
}
