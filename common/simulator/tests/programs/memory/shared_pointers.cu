// One pointer for host and device: host memory of every kind reached through pointers that lie in
// device memory, in host memory and in other structures, with atomics, between launches and
// from several host threads.
// engine: yes
// check: out-of-bounds (hands a kernel a host pointer at the end)
#include <atomic>
#include <thread>
#include <vector>

#include "../check.h"

struct tree {
    int value;
    tree *left, *right;
};

struct tables {
    const float *weights; // page-locked
    int *histogram;       // managed
    tree *root;           // registered
    unsigned long long *visits;
};

__device__ int sum_of(tree *at) {
    if (!at) return 0;
    at->value += 1000;
    return at->value + sum_of(at->left) + sum_of(at->right);
}

__global__ void use(const tables *t, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = t->weights[i] * 2.0f;
    atomicAdd(&t->histogram[i % 8], 1);
    atomicAdd_system(t->visits, 1ull);
    if (i == 0) out[0] = (float)sum_of(t->root);
}

__global__ void copy(const int4 *in, int4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void write_at(int *place) { *place = 1; }

static void through_structures() {
    const int n = 512;
    float *weights, *out;
    int *histogram;
    tables *d_tables;
    unsigned long long visits = 0; // on this stack
    std::vector<tree> nodes(7);
    for (int i = 0; i < 7; i++)
        nodes[i] = {i, i < 3 ? &nodes[2 * i + 1] : nullptr, i < 3 ? &nodes[2 * i + 2] : nullptr};
    CUDA_CHECK(cudaMallocHost(&weights, n * sizeof *weights));
    CUDA_CHECK(cudaHostAlloc(&out, n * sizeof *out, cudaHostAllocMapped | cudaHostAllocPortable));
    CUDA_CHECK(cudaMallocManaged(&histogram, 8 * sizeof *histogram));
    CUDA_CHECK(cudaMalloc(&d_tables, sizeof *d_tables));
    CUDA_CHECK(cudaHostRegister(nodes.data(), nodes.size() * sizeof(tree), cudaHostRegisterMapped));
    CUDA_CHECK(cudaHostRegister(&visits, sizeof visits, cudaHostRegisterDefault));
    for (int i = 0; i < n; i++) weights[i] = i + 0.5f;
    tables host = {weights, histogram, nodes.data(), &visits};
    CUDA_CHECK(cudaMemcpy(d_tables, &host, sizeof host, cudaMemcpyHostToDevice));
    for (int launch = 1; launch <= 3; launch++) {
        use<<<n / 128, 128>>>(d_tables, out);
        CUDA_CHECK(cudaDeviceSynchronize());
        EXPECT(visits == (unsigned long long)launch * n);
        EXPECT(out[0] == 21.0f + launch * 7 * 1000);
        for (int i = 1; i < n; i++) EXPECT(out[i] == 2 * weights[i]);
        for (int i = 0; i < 8; i++) EXPECT(histogram[i] == launch * n / 8);
        for (int i = 0; i < n; i++) weights[i] += 1; // plain stores between launches
    }
    EXPECT(nodes[6].value == 3006);
    void *same;
    CUDA_CHECK(cudaHostGetDevicePointer(&same, weights + 3, 0));
    EXPECT(same == weights + 3);
    cudaPointerAttributes about;
    CUDA_CHECK(cudaPointerGetAttributes(&about, &nodes[2]));
    EXPECT(about.type == cudaMemoryTypeHost && about.devicePointer == &nodes[2]);
    CUDA_CHECK(cudaHostUnregister(&visits));
    CUDA_CHECK(cudaHostUnregister(nodes.data()));
    CUDA_CHECK(cudaFreeHost(weights));
    CUDA_CHECK(cudaFreeHost(out));
    CUDA_CHECK(cudaFree(histogram));
    CUDA_CHECK(cudaFree(d_tables));
}

// Two small registered ranges on one page, at odd addresses.
static void neighbours() {
    alignas(16) static int block[64];
    int *first = block + 4, *second = block + 24;
    CUDA_CHECK(cudaHostRegister(first, 16 * sizeof(int), cudaHostRegisterDefault));
    CUDA_CHECK(cudaHostRegister(second, 16 * sizeof(int), cudaHostRegisterDefault));
    for (int i = 0; i < 16; i++) first[i] = i;
    copy<<<1, 32>>>((int4 *)first, (int4 *)second, 4);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 16; i++) EXPECT(second[i] == i);
    EXPECT(block[20] == 0 && block[40] == 0);
    CUDA_CHECK(cudaHostUnregister(first));
    CUDA_CHECK(cudaHostUnregister(second));
}

// Host threads work on managed memory while others launch.
static void concurrent_hosts() {
    const int threads = 4, n = 256, rounds = 20;
    int *shared;
    CUDA_CHECK(cudaMallocManaged(&shared, 2 * threads * n * sizeof *shared));
    std::atomic<int> wrong{0};
    std::vector<std::thread> hosts;
    for (int t = 0; t < threads; t++)
        hosts.emplace_back([=, &wrong] {
            int *in = shared + 2 * t * n, *out = in + n;
            cudaStream_t stream;
            if (cudaStreamCreate(&stream) != cudaSuccess) wrong++;
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < n; i++) in[i] = t * 1000 + round + i;
                copy<<<2, 32, 0, stream>>>((int4 *)in, (int4 *)out, n / 4);
                if (cudaStreamSynchronize(stream) != cudaSuccess) wrong++;
                for (int i = 0; i < n; i++) wrong += out[i] != in[i];
            }
            cudaStreamDestroy(stream);
        });
    for (std::thread &host : hosts) host.join();
    EXPECT(wrong == 0);
    CUDA_CHECK(cudaFree(shared));
}

// Freed and given out again: zeros, and no trace of the old range.
static void again_and_again() {
    for (int i = 0; i < 200; i++) {
        int *managed, *pinned;
        CUDA_CHECK(cudaMallocManaged(&managed, 1 << 20));
        CUDA_CHECK(cudaMallocHost(&pinned, 12345));
        EXPECT(managed[i] == 0);
        managed[i] = i + 1;
        pinned[0] = 7;
        copy<<<1, 32>>>((int4 *)managed, (int4 *)pinned, 1);
        CUDA_CHECK(cudaDeviceSynchronize());
        EXPECT(pinned[0] == managed[0]);
        CUDA_CHECK(cudaFree(managed));
        CUDA_CHECK(cudaFreeHost(pinned));
    }
}

int main() {
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    through_structures();
    neighbours();
    concurrent_hosts();
    again_and_again();
    int alone = 0; // host memory that nobody registered is out of reach
    write_at<<<1, 1>>>(&alone);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    EXPECT(alone == 0);
    printf("ok\n");
    return 0;
}
