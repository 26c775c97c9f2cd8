// Device-side polymorphism: objects constructed by a kernel, called through base pointers; tables
// of function pointers in constant memory, pointers copied from symbols, callables passed as
// templates.
#include "../helper.h"

class Shape {
  public:
    __device__ virtual ~Shape() {}
    __device__ virtual float area() const = 0;
    __device__ virtual const char *name() const { return "shape"; }
};
class Square : public Shape {
  public:
    __device__ explicit Square(float a) : side(a) {}
    __device__ float area() const override { return side * side; }
    __device__ const char *name() const override { return "square"; }

  protected:
    float side;
};
class Prism : public Square {
  public:
    __device__ Prism(float a, float h) : Square(a), height(h) {}
    __device__ float area() const override { return 2 * Square::area() + 4 * side * height; }

  private:
    float height;
};
class Triangle : public Shape {
  public:
    __device__ Triangle(float w, float h) : width(w), height(h) {}
    __device__ float area() const override { return 0.5f * width * height; }

  private:
    float width, height;
};

__global__ void construct(Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (i % 3 == 0) shapes[i] = new Square((float)i);
    else if (i % 3 == 1) shapes[i] = new Prism(1.0f, (float)i);
    else shapes[i] = new Triangle((float)i, 3.0f);
}
__global__ void measure(Shape *const *shapes, float *areas, char *initials, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    areas[i] = shapes[i]->area();
    initials[i] = shapes[i]->name()[1];
}
__global__ void destroy(Shape **shapes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) delete shapes[i];
}

typedef int (*Operation)(int, int);
__device__ int addOp(int a, int b) { return a + b; }
__device__ int subOp(int a, int b) { return a - b; }
__device__ int mulOp(int a, int b) { return a * b; }
__device__ Operation pointerToMul = mulOp;
__constant__ Operation table[3];
__device__ Operation staticTable[3] = {addOp, subOp, mulOp};

__global__ void fillTable(Operation *out) {
    out[0] = addOp;
    out[1] = subOp;
}
__global__ void calculate(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = table[i % 3](i, 7) + staticTable[(i / 3) % 3](i, 2);
}
template <typename F> __global__ void apply(F f, int *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = f(data[i]);
}
struct Affine {
    int a, b;
    __device__ int operator()(int x) const { return a * x + b; }
};

int main() {
    const int n = 300;
    Shape **shapes;
    float *areas;
    char *initials;
    checkCudaErrors(cudaMalloc(&shapes, n * sizeof(Shape *)));
    checkCudaErrors(cudaMallocManaged(&areas, n * sizeof(float)));
    checkCudaErrors(cudaMallocManaged(&initials, n));
    construct<<<3, 128>>>(shapes, n);
    measure<<<3, 128>>>(shapes, areas, initials, n);
    destroy<<<3, 128>>>(shapes, n);
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = true;
    for (int i = 0; i < n; i++) {
        float want = i % 3 == 0 ? (float)i * i : i % 3 == 1 ? 2.0f + 4.0f * i : 1.5f * i;
        passed = passed && areas[i] == want && initials[i] == (i % 3 == 2 ? 'h' : 'q');
    }
    printf("areas %.1f %.1f %.1f\n", areas[9], areas[10], areas[11]);

    Operation host[3], *device;
    checkCudaErrors(cudaMalloc(&device, sizeof host));
    fillTable<<<1, 1>>>(device);
    checkCudaErrors(cudaMemcpy(host, device, 2 * sizeof(Operation), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaMemcpyFromSymbol(&host[2], pointerToMul, sizeof(Operation)));
    checkCudaErrors(cudaMemcpyToSymbol(table, host, sizeof host));
    int *out;
    checkCudaErrors(cudaMallocManaged(&out, n * sizeof(int)));
    calculate<<<3, 128>>>(out, n);
    checkCudaErrors(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
        int a[3] = {i + 7, i - 7, i * 7}, b[3] = {i + 2, i - 2, i * 2};
        passed = passed && out[i] == a[i % 3] + b[i / 3 % 3];
    }
    printf("function pointers: %d\n", out[299]);
    apply<<<3, 128>>>(Affine{3, -4}, out, n);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("functor: %d\n", out[0]);
    return finish("virtual_functions", passed && out[0] == (7 + 2) * 3 - 4);
}
