// Call adapter of lab 16: generic buffers (common/host/call.h) to the typed calls of two_gpus.h,
// the way of data to the ranks and back, and the end of what a plan holds. Used by the lab program
// and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <cuda_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "two_gpus.h"

_Static_assert(sizeof(two_gpus_plan) <= KL_PLAN_BYTES, "a plan fits what the kit keeps for it");

#define TRY_CUDA(call)                                                                             \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) return (int)code_;                                               \
    } while (0)

// ints[0]: n; ints[1]: whether it is a grid. Input 0: x; output 0: y, for a sum the least and the
// greatest of all ranks.
static int open(void *prepare_function, kl_call *c) {
    two_gpus_prepare *prepare = NULL;
    two_gpus_plan *plan = c->h_plan;
    memcpy(&prepare, &prepare_function, sizeof prepare); // ISO C has no cast to function pointers
    int code = prepare ? prepare(c->ints[0], plan) : 0;
    if (code == 0 && !plan->rank) code = KL_NOT_IMPLEMENTED;
    plan->h_x = malloc(c->input_bytes[0]);
    plan->h_y = malloc(c->output_bytes[0]);
    if (code == 0 && (!plan->h_x || !plan->h_y)) code = (int)cudaErrorMemoryAllocation;
    c->d_inputs[0] = plan->h_x;
    c->d_outputs[0] = plan->h_y;
    return code;
}

// As two_gpus_wait() of two_gpus.cuh.
static int wait_for_all(const two_gpus_plan *plan) {
    for (int r = 0; r < plan->ranks; r++)
        for (int i = 0; i < TWO_GPUS_RANK_STREAMS; i++)
            TRY_CUDA(cudaStreamSynchronize(plan->rank[r].streams[i]));
    return 0;
}

static int call(void *step_function, const kl_call *c) {
    two_gpus_function *step = NULL;
    memcpy(&step, &step_function, sizeof step);
    TRY_CUDA(cudaSetDevice(0));
    int code = step(c->ints[0], c->h_plan);
    return code != 0 ? code : wait_for_all(c->h_plan);
}

// Rows of x to a rank: its own and one on each side; the grid's edge to d_y and d_work, too, whose
// other elements are NaN.
static int place_grid(int64_t n, const two_gpus_plan *plan, const two_gpus_rank *rank) {
    const float *h_rows = plan->h_x + (rank->first - 1) * n;
    const size_t row = (size_t)n * sizeof(float), all = (size_t)(rank->rows + 2) * row;
    float *arrays[] = {rank->d_y, rank->d_work};
    TRY_CUDA(cudaMemcpy((void *)(uintptr_t)rank->d_x, h_rows, all, cudaMemcpyHostToDevice));
    for (int a = 0; a < 2; a++) {
        TRY_CUDA(cudaMemset(arrays[a], KL_POISON, all));
        if (rank->first == 1) TRY_CUDA(cudaMemcpy(arrays[a], h_rows, row, cudaMemcpyHostToDevice));
        if (rank->first + rank->rows == n - 1)
            TRY_CUDA(cudaMemcpy(arrays[a] + (rank->rows + 1) * n, h_rows + (rank->rows + 1) * n,
                                row, cudaMemcpyHostToDevice));
    }
    return 0;
}

// A share of x, such that the shares of all ranks add up to x: multiples of 2^-8 where x is one.
static float share(float x, int64_t i, int rank, int ranks) {
    float left = x;
    for (int r = 0; r + 1 < ranks; r++) {
        uint32_t mixed = ((uint32_t)i * 8 + (uint32_t)r + 1) * UINT32_C(2654435761);
        float part = ((float)(mixed >> 23) - 256) / 256;
        if (r == rank) return part;
        left -= part;
    }
    return left;
}

static int place_sum(int64_t n, const two_gpus_plan *plan, const two_gpus_rank *rank) {
    const size_t bytes = (size_t)n * sizeof(float);
    float *h_share = malloc(bytes);
    if (!h_share) return (int)cudaErrorMemoryAllocation;
    for (int64_t i = 0; i < n; i++) h_share[i] = share(plan->h_x[i], i, rank->device, plan->ranks);
    cudaError_t code =
        cudaMemcpy((void *)(uintptr_t)rank->d_x, h_share, bytes, cudaMemcpyHostToDevice);
    free(h_share);
    TRY_CUDA(code);
    TRY_CUDA(cudaMemset(rank->d_y, KL_POISON, bytes));
    TRY_CUDA(cudaMemset(rank->d_work, KL_POISON, bytes));
    return 0;
}

static int place(const kl_call *c) {
    const two_gpus_plan *plan = c->h_plan;
    for (int r = 0; r < plan->ranks; r++) {
        TRY_CUDA(cudaSetDevice(r));
        int code = c->ints[1] ? place_grid(c->ints[0], plan, &plan->rank[r])
                              : place_sum(c->ints[0], plan, &plan->rank[r]);
        if (code != 0) return code;
        TRY_CUDA(cudaDeviceSynchronize());
    }
    TRY_CUDA(cudaSetDevice(0));
    return 0;
}

static int fetch_grid(int64_t n, const two_gpus_plan *plan) {
    const size_t row = (size_t)n * sizeof(float);
    for (int r = 0; r < plan->ranks; r++) {
        const two_gpus_rank *rank = &plan->rank[r];
        bool last = r + 1 == plan->ranks;
        int64_t from = r == 0 ? 0 : 1, rows = rank->rows + (r == 0) + last;
        TRY_CUDA(cudaSetDevice(r));
        TRY_CUDA(cudaMemcpy(plan->h_y + (rank->first - 1 + from) * n, rank->d_y + from * n,
                            (size_t)rows * row, cudaMemcpyDeviceToHost));
    }
    return 0;
}

// h_y: [2][n], the least and the greatest of all ranks, NaN if one of them is NaN: only when both
// are right, all are. Each round but the first has made it `ranks` times as large.
static int fetch_sum(int64_t n, const two_gpus_plan *plan) {
    const float scale = powf((float)plan->ranks, TWO_GPUS_ROUNDS - 1);
    float *least = plan->h_y, *greatest = plan->h_y + n;
    float *h_one = malloc((size_t)n * sizeof *h_one);
    cudaError_t code = h_one ? cudaSuccess : cudaErrorMemoryAllocation;
    for (int r = 0; r < plan->ranks && code == cudaSuccess; r++) {
        code = cudaSetDevice(r);
        if (code == cudaSuccess)
            code = cudaMemcpy(h_one, plan->rank[r].d_y, (size_t)n * sizeof *h_one,
                              cudaMemcpyDeviceToHost);
        for (int64_t i = 0; i < n && code == cudaSuccess; i++) {
            float value = h_one[i] / scale;
            if (r == 0 || isnan(value) || value < least[i]) least[i] = value;
            if (r == 0 || isnan(value) || value > greatest[i]) greatest[i] = value;
        }
    }
    free(h_one);
    return (int)code;
}

static int fetch(const kl_call *c) {
    const two_gpus_plan *plan = c->h_plan;
    int code = c->ints[1] ? fetch_grid(c->ints[0], plan) : fetch_sum(c->ints[0], plan);
    if (code == 0) code = (int)cudaSetDevice(0);
    return code;
}

static void close_rank(const two_gpus_rank *rank, int ranks) {
    if (cudaSetDevice(rank->device) != cudaSuccess) return;
    for (int peer = 0; peer < ranks; peer++)
        if (peer != rank->device) cudaDeviceDisablePeerAccess(peer);
    for (int i = 0; i < TWO_GPUS_RANK_EVENTS; i++)
        if (rank->events[i]) cudaEventDestroy(rank->events[i]);
    for (int i = 0; i < TWO_GPUS_RANK_STREAMS; i++)
        if (rank->streams[i]) cudaStreamDestroy(rank->streams[i]);
    cudaFree((void *)(uintptr_t)rank->d_x);
    cudaFree(rank->d_y);
    cudaFree(rank->d_work);
    cudaFree(rank->d_box);
    cudaFree(rank->d_flags);
    if (rank->h_edges) cudaFreeHost(rank->h_edges);
}

static void close(const kl_call *c) {
    two_gpus_plan *plan = c->h_plan;
    for (int r = 0; r < plan->ranks && plan->rank; r++)
        if (cudaSetDevice(r) == cudaSuccess) cudaDeviceSynchronize();
    if (plan->exec) cudaGraphExecDestroy(plan->exec);
    if (plan->graph) cudaGraphDestroy(plan->graph);
    for (int r = 0; r < plan->ranks && plan->rank; r++) close_rank(&plan->rank[r], plan->ranks);
    free(plan->rank);
    free(plan->h_x);
    free(plan->h_y);
    cudaSetDevice(0);
    cudaGetLastError(); // the next step's calls must not return what these did
    memset(plan, 0, sizeof *plan);
}

KL_LAB_ADAPTER(two_gpus, TWO_GPUS_NOT_IMPLEMENTED, .prepare_symbol = "two_gpus_prepare%d",
               .call = call, .open = open, .close = close, .place = place, .fetch = fetch);
