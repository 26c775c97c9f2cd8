// Memory allocated by device code: a list and a binary tree grown with malloc and new, freed by
// another kernel, a buffer a block; the heap limit set by the host.
#include "../helper.h"

struct ListNode {
    int value;
    ListNode *next;
};

__device__ ListNode *listHead = nullptr;

__global__ void pushAll(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ListNode *node = (ListNode *)malloc(sizeof(ListNode));
    if (node == NULL) return;
    node->value = i;
    ListNode *head = *(ListNode *volatile *)&listHead, *seen;
    do {
        seen = head;
        node->next = seen;
        __threadfence();
        head = (ListNode *)atomicCAS((unsigned long long *)&listHead, (unsigned long long)seen,
                                     (unsigned long long)node);
    } while (head != seen);
}

__global__ void sumAndFree(long long *sum, int *count) {
    while (listHead) {
        ListNode *node = listHead;
        *sum += node->value;
        ++*count;
        listHead = node->next;
        free(node);
    }
}

class Tree {
  public:
    __device__ Tree() : root(nullptr), size(0) {}
    __device__ ~Tree() { destroy(root); }
    __device__ void insert(int key) {
        Node **at = &root;
        while (*at != nullptr) {
            if ((*at)->key == key) return;
            at = key < (*at)->key ? &(*at)->left : &(*at)->right;
        }
        *at = new Node(key);
        size++;
    }
    __device__ int traverse(int *out) const {
        int at = 0;
        visit(root, out, at);
        return at;
    }

  private:
    struct Node {
        __device__ explicit Node(int k) : key(k), left(nullptr), right(nullptr) {}
        int key;
        Node *left, *right;
    };
    __device__ static void visit(const Node *node, int *out, int &at) {
        if (node == nullptr) return;
        visit(node->left, out, at);
        out[at++] = node->key;
        visit(node->right, out, at);
    }
    __device__ static void destroy(Node *node) {
        if (node == nullptr) return;
        destroy(node->left);
        destroy(node->right);
        delete node;
    }
    Node *root;
    int size;
};

__global__ void treeSort(const int *in, int *out, int each, int *sizes) {
    Tree tree;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < each; i++) tree.insert(in[t * each + i]);
    sizes[t] = tree.traverse(out + t * each);
}

__global__ void bufferPerBlock(int *out, int n) {
    __shared__ int *buffer;
    if (threadIdx.x == 0) buffer = new int[n];
    __syncthreads();
    if (buffer == nullptr) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) buffer[i] = i * blockIdx.x;
    __syncthreads();
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += buffer[n - 1 - i];
    atomicAdd(&out[blockIdx.x], sum);
    __syncthreads();
    if (threadIdx.x == 0) delete[] buffer;
}

int main() {
    checkCudaErrors(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    size_t limit = 0;
    checkCudaErrors(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    bool passed = limit >= 16 << 20;

    const int n = 3000;
    long long *sum;
    int *count;
    checkCudaErrors(cudaMallocManaged(&sum, sizeof *sum));
    checkCudaErrors(cudaMallocManaged(&count, sizeof *count));
    *sum = *count = 0;
    pushAll<<<divUp(n, 64), 64>>>(n);
    sumAndFree<<<1, 1>>>(sum, count);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("list: %d nodes, sum %lld\n", *count, *sum);
    passed = passed && *count == n && *sum == (long long)n * (n - 1) / 2;

    const int threads = 64, each = 40;
    int *in, *out, *sizes;
    checkCudaErrors(cudaMallocManaged(&in, threads * each * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&out, threads * each * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&sizes, threads * sizeof(int)));
    HostRandom random(4);
    for (int i = 0; i < threads * each; i++) in[i] = random.below(200);
    checkCudaErrors(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    treeSort<<<2, threads / 2>>>(in, out, each, sizes);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int t = 0; t < threads; t++) {
        bool present[200] = {false};
        int different = 0;
        for (int i = 0; i < each; i++) {
            different += !present[in[t * each + i]];
            present[in[t * each + i]] = true;
        }
        passed = passed && sizes[t] == different;
        for (int i = 0; i < sizes[t]; i++)
            passed = passed && present[out[t * each + i]] &&
                     (i == 0 || out[t * each + i - 1] < out[t * each + i]);
    }
    printf("tree of thread 7: %d keys from %d to %d\n", sizes[7], out[7 * each],
           out[7 * each + sizes[7] - 1]);

    for (int i = 0; i < 8; i++) out[i] = 0;
    bufferPerBlock<<<8, 32>>>(out, 500);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0; i < 8; i++) passed = passed && out[i] == i * 500 * 499 / 2;
    printf("buffers: %d\n", out[7]);
    return finish("device_heap", passed);
}
