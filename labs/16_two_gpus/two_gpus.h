// The contract of lab 16, several GPUs: what every step takes, gives and may use.
// For C and CUDA C. It must not contain anything that only one step needs.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returned by a step that the student has not written yet. Every cudaError_t is >= 0.
enum { TWO_GPUS_NOT_IMPLEMENTED = -1 };

enum {
    TWO_GPUS_MOST = 8,         // devices that take part at most
    TWO_GPUS_ITERATIONS = 16,  // of a call of steps 0 to 6; an even number
    TWO_GPUS_ROUNDS = 16,      // sums of a call of steps 7 to 11; an even number
    TWO_GPUS_LEAST_GRID = 4,   // rows of a grid at least
    TWO_GPUS_BLOCKS = 2048,    // blocks of a kernel that uses flags, at most
    TWO_GPUS_RANK_STREAMS = 2, // of a rank
    TWO_GPUS_RANK_EVENTS = 4,  // likewise
};

// One device and its share of the work. The types are those of CUDA: cudaStream_t, cudaEvent_t.
typedef struct two_gpus_rank {
    int device;          // the rank's number, too
    int64_t first, rows; // of a grid: its first row of its own, and how many it has
    // Device memory. Of a grid [rows + 2][n]: row 0 and row rows + 1 are the neighbours', or the
    // grid's first and last. Of a sum [n].
    const float *d_x;  // where the call begins
    float *d_y;        // where it ends
    float *d_work;     // of the same size
    void *d_box;       // of a sum: device memory for what the others send, 0 before the first call
    unsigned *d_flags; // [TWO_GPUS_MOST + 1][TWO_GPUS_BLOCKS], device, 0 before the first call
    float *h_edges;    // of a grid: [2][n], page-locked
    struct CUstream_st *streams[TWO_GPUS_RANK_STREAMS];
    struct CUevent_st *events[TWO_GPUS_RANK_EVENTS]; // without times
} two_gpus_rank;

// What a step keeps from its preparation to its last call. All zero before the preparation; the kit
// gives back what is in it. The types are those of CUDA: cudaGraph_t, cudaGraphExec_t.
typedef struct two_gpus_plan {
    int ranks;                   // devices that take part
    two_gpus_rank *rank;         // [ranks]
    float *h_x, *h_y;            // host memory, which is the kit's alone
    struct CUgraph_st *graph;    // as captured
    struct CUgraphExec_st *exec; // as it is launched
} two_gpus_plan;

// A step is a program in two parts, each called by the host.
//
// The preparation is called once, before any number of calls with the same n. It begins with
// two_gpus_begin_grid() or two_gpus_begin_sum() (two_gpus.cuh), which choose the devices and make
// what a rank has, and adds what the calls need: access to peers, graphs. It sees no data.
typedef int two_gpus_prepare(int64_t n, two_gpus_plan *plan);

// The call. Each call finds data in d_x, which it must not change, and NaN in d_y and d_work. It
// puts work into the ranks' streams; then the kit waits for all of these streams, and y must be
// there on all ranks. The time is the host's, from the call to the end of that wait; data come to
// the devices before it.
//
// Steps 0 to 6, Jacobi's method for the five-point stencil. n: rows and columns of the grid,
// TWO_GPUS_LEAST_GRID <= n <= 2^14. In each of TWO_GPUS_ITERATIONS iterations each element that is
// not on the edge of the grid becomes a quarter of the sum of its four neighbours, as they were
// before. The edge stays; the kit has written it to d_y and d_work, too. A rank has rows of the
// grid that follow each other (first, rows); of d_y its own rows count.
//
// Steps 7 to 11, a sum over all ranks (all-reduce). n: elements, 1 <= n <= 2^28. In the first of
// TWO_GPUS_ROUNDS rounds y of each rank becomes the sum of all ranks' x, in each further one the
// sum of all ranks' y as they were before. All ranks have the same y, bit for bit. The rounds stand
// for a program that computes between them: each is launched by itself.
//
// Returns 0, a cudaError_t, or TWO_GPUS_NOT_IMPLEMENTED.
typedef int two_gpus_function(int64_t n, const two_gpus_plan *plan);

two_gpus_prepare two_gpus_prepare0, two_gpus_prepare1, two_gpus_prepare2, two_gpus_prepare3,
    two_gpus_prepare4, two_gpus_prepare5, two_gpus_prepare6, two_gpus_prepare7, two_gpus_prepare8,
    two_gpus_prepare9, two_gpus_prepare10, two_gpus_prepare11;
two_gpus_function two_gpus_step0, two_gpus_step1, two_gpus_step2, two_gpus_step3, two_gpus_step4,
    two_gpus_step5, two_gpus_step6, two_gpus_step7, two_gpus_step8, two_gpus_step9, two_gpus_step10,
    two_gpus_step11;
two_gpus_prepare two_gpus_vendor_prepare; // NCCL, where it is installed (vendor.cu)
two_gpus_function two_gpus_vendor;

#ifdef __cplusplus
}
#endif
