// SPDX-License-Identifier: MIT
// Unified memory: a linked list that host and kernel both walk, __managed__ variables, advice.
// engine: yes
#include "../check.h"

struct node {
    int value;
    node *next;
};

__managed__ int total = 100;
__managed__ float weights[3];

__global__ void walk(node *list) {
    for (node *at = list; at; at = at->next) {
        total += at->value;
        at->value = -at->value;
    }
    weights[2] = weights[0] + weights[1];
}

int main() {
    node *list = nullptr;
    for (int i = 1; i <= 5; i++) {
        node *made;
        CUDA_CHECK(cudaMallocManaged(&made, sizeof *made));
        *made = {i, list};
        list = made;
    }
    EXPECT(total == 100);
    weights[0] = 1.5f;
    weights[1] = 2.25f;
    walk<<<1, 1>>>(list);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(total == 115);
    EXPECT(weights[2] == 3.75f);
    int want = -5;
    for (node *at = list; at; want++) {
        EXPECT(at->value == want);
        node *next = at->next;
        CUDA_CHECK(cudaFree(at));
        at = next;
    }

    float *large;
    const size_t bytes = 3 << 20;
    CUDA_CHECK(cudaMallocManaged(&large, bytes));
    for (size_t i = 0; i < bytes / sizeof(float); i++) EXPECT(large[i] == 0);
#if CUDART_VERSION >= 13000
    cudaMemLocation device = {};
    device.type = cudaMemLocationTypeDevice;
#else
    const int device = 0;
#endif
    CUDA_CHECK(cudaMemAdvise(large, bytes, cudaMemAdviseSetPreferredLocation, device));
    CUDA_CHECK(cudaMemPrefetchAsync(large, bytes, device, 0));
    CUDA_CHECK(cudaMemset(large, 0x40, bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(large[12345] > 3.0f && large[12345] < 3.1f);
    cudaPointerAttributes about;
    CUDA_CHECK(cudaPointerGetAttributes(&about, large + 7));
    EXPECT(about.type == cudaMemoryTypeManaged);
    CUDA_CHECK(cudaFree(large));
    printf("ok\n");
    return 0;
}
