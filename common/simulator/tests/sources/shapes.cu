// SPDX-License-Identifier: MIT
// Variables of every shape, for variables/values_test.c, which finds its stops by the marks in
// comments.
// ptx: shapes -w -G
#include <cuda_fp16.h>

enum Color { RED, GREEN = 5, BLUE };
enum class Mode : unsigned char { Off, On = 3 };
struct Point {
    int x, y;
};
union Bits {
    float f;
    unsigned u;
};
struct Base {
    int b;
};
struct Derived : Base {
    int d;
    union {
        int whole;
        float real;
    };
};
struct Node {
    Point p;
    Node *next;
    Color color;
    bool on;
    char name[16];
    unsigned flags : 3;
    int rest : 5;
};
typedef unsigned char Pixel;

__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter;
namespace util {
__device__ double scale = 0.5;
}

template <int N, typename T> struct Tile {
    T data[N][N];
    __device__ T sum() const {
        T total = 0;
        for (int k = 0; k < N; k++) total += data[k][k]; // MARK method
        return total;
    }
};

static __device__ __forceinline__ int square(int v) {
    int result = v * v; // MARK inlined
    return result;
}

__device__ __noinline__ float helper(const Point &p, float *out, float (&three)[3]) {
    float twice = p.x * 2.0f; // MARK helper
    out[0] = twice + three[1];
    return twice + p.y;
}

template <typename T, int SIZE> __global__ void kernel(const T *in, T *out, int n, Derived given) {
    __shared__ T tile[SIZE][SIZE + 1];
    extern __shared__ int rest[];
    int i = blockIdx.x * blockDim.x + threadIdx.x; // MARK begin
    Node node = {{1, 2}, nullptr, BLUE, true, "abc", 5, -3};
    const int fixed = 7;
    Color color = GREEN;
    Mode mode = Mode::On;
    char letter = 'a';
    Pixel pixel = 200;
    long long big = 1ll << 40;
    double exact = 1.5;
    half small = __float2half(0.5f);
    T array[16];
    T three[3] = {1, 2, 3};
    Bits bits;
    bits.f = 1.0f;
    for (int k = 0; k < 16; k++) array[k] = k;
    Point &ref = node.p;
    ref.x = square(i);
    Tile<2, float> square_tile;
    square_tile.data[0][0] = square_tile.data[1][1] = 1;
    int *pointer = &node.p.y;
    if (i < n) {
        T inner = in[i];
        int n = 3;
        node.p.x = n; // MARK block
        tile[threadIdx.x % SIZE][0] = inner;
        rest[threadIdx.x] = i;
        float r = helper(ref, &array[2], three);
        out[i] = tile[0][0] + r + weights[i % 4] + square_tile.sum() + array[i & 15] + bits.u;
    }
    counter = letter + pixel + big + exact + color + (int)mode + fixed + *pointer + given.d +
              __half2float(small) + util::scale; // MARK end
}
template __global__ void kernel<float, 8>(const float *, float *, int, Derived);
