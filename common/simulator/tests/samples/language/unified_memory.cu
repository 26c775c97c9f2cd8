// Managed memory: a linked structure with a string that both sides change, tasks of random size
// done by host threads or by the GPU, prefetching and advice, and __managed__ variables.
#include <string>
#include <vector>

#include "../helper.h"

class Managed {
  public:
    void *operator new(size_t length) {
        void *pointer;
        checkCudaErrors(cudaMallocManaged(&pointer, length));
        checkCudaErrors(cudaDeviceSynchronize());
        return pointer;
    }
    void operator delete(void *pointer) {
        checkCudaErrors(cudaDeviceSynchronize());
        checkCudaErrors(cudaFree(pointer));
    }
};

class String : public Managed {
  public:
    explicit String(const char *text) : length((int)strlen(text)) {
        checkCudaErrors(cudaMallocManaged(&data, length + 1));
        strcpy(data, text);
    }
    ~String() { cudaFree(data); }
    __host__ __device__ char &operator[](int i) { return data[i]; }
    __host__ __device__ int size() const { return length; }
    const char *c_str() const { return data; }

  private:
    int length;
    char *data;
};

struct Node : public Managed {
    int value;
    String *name;
    Node *next;
};

__managed__ int nodesVisited = 0;
__managed__ float table[64];

__global__ void visit(Node *head) {
    for (Node *node = head; node != nullptr; node = node->next) {
        node->value *= 3;
        nodesVisited++;
        for (int i = 0; i < node->name->size(); i++)
            if ((*node->name)[i] >= 'a' && (*node->name)[i] <= 'z') (*node->name)[i] -= 32;
    }
}

__global__ void fillTable() { table[threadIdx.x] = threadIdx.x * 0.5f; }

__global__ void gemv(const double *A, const double *x, double *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double sum = 0;
    for (int k = 0; k < n; k++) sum += A[(size_t)k * n + row] * x[k];
    y[row] = sum;
}

static bool tasks() {
    HostRandom random(7);
    cudaStream_t streams[3];
    for (auto &stream : streams) checkCudaErrors(cudaStreamCreate(&stream));
    bool passed = true;
    for (int t = 0; t < 12; t++) {
        int n = 20 + random.below(100);
        double *A, *x, *y;
        checkCudaErrors(cudaMallocManaged(&A, (size_t)n * n * sizeof(double)));
        checkCudaErrors(cudaMallocManaged(&x, n * sizeof(double)));
        checkCudaErrors(cudaMallocManaged(&y, n * sizeof(double)));
        for (int i = 0; i < n * n; i++) A[i] = random.below(100);
        for (int i = 0; i < n; i++) x[i] = random.below(100) - 50;
        cudaStream_t stream = streams[t % 3];
        checkCudaErrors(cudaStreamAttachMemAsync(stream, A, 0, cudaMemAttachGlobal));
        cudaMemLocation here = {};
        here.type = cudaMemLocationTypeDevice;
        here.id = 0;
        checkCudaErrors(cudaMemPrefetchAsync(A, (size_t)n * n * sizeof(double), here, 0, stream));
        checkCudaErrors(cudaMemAdvise(x, n * sizeof(double), cudaMemAdviseSetReadMostly, here));
        gemv<<<divUp(n, 64), 64, 0, stream>>>(A, x, y, n);
        checkCudaErrors(cudaStreamSynchronize(stream));
        for (int row = 0; row < n; row++) { // whole numbers: exact
            double sum = 0;
            for (int k = 0; k < n; k++) sum += A[(size_t)k * n + row] * x[k];
            passed = passed && sum == y[row];
        }
        checkCudaErrors(cudaFree(A));
        checkCudaErrors(cudaFree(x));
        checkCudaErrors(cudaFree(y));
    }
    for (auto &stream : streams) checkCudaErrors(cudaStreamDestroy(stream));
    return passed;
}

int main() {
    const char *names[] = {"one", "Two", "three!"};
    Node *head = nullptr;
    for (int i = 0; i < 3; i++) {
        Node *node = new Node;
        node->value = i + 1;
        node->name = new String(names[i]);
        node->next = head;
        head = node;
    }
    nodesVisited = 100;
    visit<<<1, 1>>>(head);
    fillTable<<<1, 64>>>();
    checkCudaErrors(cudaDeviceSynchronize());
    printf("visited %d, table ends with %.1f\n", nodesVisited, table[63]);
    bool passed = nodesVisited == 103 && table[63] == 31.5f;
    while (head) {
        printf("%d %s\n", head->value, head->name->c_str());
        Node *next = head->next;
        delete head->name;
        delete head;
        head = next;
    }
    bool products = tasks();
    printf("tasks %s\n", products ? "right" : "WRONG");
    return finish("unified_memory", passed && products);
}
