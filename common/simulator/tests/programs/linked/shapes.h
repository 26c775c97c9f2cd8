// What the files of program_linked share: a class with virtual functions, a table of function
// pointers, variables that another file defines.
#pragma once

struct shape {
    __device__ virtual int area() const = 0;
    __device__ virtual int corners() const { return 0; } // inline: every file has its own copy
    __device__ virtual ~shape() {}
};

struct square : shape {
    int side;
    __device__ explicit square(int side) : side(side) {}
    __device__ int area() const override;
    __device__ int corners() const override { return 4; }
};

struct disc : shape {
    int radius;
    __device__ explicit disc(int radius) : radius(radius) {}
    __device__ int area() const override;
};

typedef int (*operation)(int);

extern __device__ int calls;               // counted by every file
extern __constant__ int weights[4];        // defined in tables.cu
extern __device__ operation operations[3]; // likewise
extern __managed__ int seen_by_host;
extern __shared__ int scratch[]; // dynamic: the same bytes for every file

__device__ int twin_of_main(int x); // calls main.cu's private function
__device__ int twin_of_tables(int x);
__device__ int block_sum(int value); // through the dynamic shared memory

template <typename T> __device__ __noinline__ T twice(T value) { return value + value; }
