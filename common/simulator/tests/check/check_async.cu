// Asynchronous copies and barrier objects in shared memory: see check_case.h.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#include "check_case.h"

namespace cg = cooperative_groups;
typedef cuda::barrier<cuda::thread_scope_block> block_barrier;
#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void own_copy(const float *x, float *y, bool wait) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &x[t], sizeof *s);
    __pipeline_commit();
    if (wait) __pipeline_wait_prior(0);
    y[t] = s[t];
}

// Two stages; the tile of stage k is used while that of k + 1 is under way.
__global__ void stages(const float *x, float *y, bool wait_enough, bool barrier_after_use) {
    __shared__ float tile[2][BLOCK];
    unsigned t = threadIdx.x;
    float sum = 0;
    __pipeline_memcpy_async(&tile[0][t], &x[t], sizeof(float));
    __pipeline_commit();
    for (int k = 0; k < 4; k++) {
        if (k < 3) __pipeline_memcpy_async(&tile[(k + 1) % 2][t], &x[(k + 1) * BLOCK + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(wait_enough ? 1 : 2);
        __syncthreads();
        sum += tile[k % 2][(t + 1) % BLOCK];
        if (barrier_after_use) __syncthreads();
    }
    y[t] = sum;
}

enum class stage { RIGHT, KEPT, EARLY, NOT_AWAITED, NOT_FILLED };

// A warp fills the stages of a pipeline, the others use them.
__global__ void pipeline(const float *x, float *y, stage how) {
    __shared__ alignas(16) float tile[2][32];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    bool fills = threadIdx.x < 32;
    auto role = fills ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto stages = cuda::make_pipeline(cg::this_thread_block(), &state, role);
    float sum = 0;
    for (int k = 0; k < 6; k++) {
        float *here = &tile[k % 2][threadIdx.x % 32];
        if (fills) {
            if (how == stage::NOT_FILLED && k == 5) break;
            stages.producer_acquire();
            cuda::memcpy_async(here, &x[32 * k + threadIdx.x], sizeof *here, stages);
            stages.producer_commit();
            continue;
        }
        if (how != stage::NOT_AWAITED) stages.consumer_wait();
        if (how == stage::EARLY) stages.consumer_release();
        sum += *here;
        if (how != stage::EARLY && how != stage::KEPT) stages.consumer_release();
    }
    if (!fills) y[threadIdx.x] = sum;
}

// Half of the threads write, the other half read what they have announced.
__global__ void announced(const float *x, float *y, bool wait) {
    __shared__ block_barrier ready;
    __shared__ float s[BLOCK / 2];
    unsigned t = threadIdx.x, half = BLOCK / 2;
    if (t == 0) init(&ready, BLOCK);
    __syncthreads();
    if (t < half) s[t] = x[t];
    block_barrier::arrival_token token = ready.arrive();
    if (t < half) return;
    if (wait) ready.wait(std::move(token));
    y[t] = s[BLOCK - 1 - t];
}

// The phase ends when as many threads have arrived as the barrier was told of.
__global__ void awaited(float *y, int expected) {
    __shared__ block_barrier ready;
    if (threadIdx.x == 0) init(&ready, expected);
    __syncthreads();
    ready.arrive_and_wait();
    y[threadIdx.x] = 1;
}

// The writers change their element once more after they have announced it.
__global__ void announced_early(const float *x, float *y, bool early) {
    __shared__ block_barrier ready;
    __shared__ float s[BLOCK / 2];
    unsigned t = threadIdx.x, half = BLOCK / 2;
    if (t == 0) init(&ready, BLOCK);
    __syncthreads();
    if (t < half) s[t] = x[t];
    if (t < half && !early) s[t] += 1;
    block_barrier::arrival_token token = ready.arrive();
    if (t < half && early) s[t] += 1;
    ready.wait(std::move(token));
    if (t >= half) y[t] = s[BLOCK - 1 - t];
}

__global__ void not_yet_made(float *y, bool barrier) {
    __shared__ block_barrier ready;
    if (threadIdx.x == 0) init(&ready, BLOCK);
    if (barrier) __syncthreads();
    ready.arrive_and_wait();
    y[threadIdx.x] = 1;
}

__global__ void bulk(const float *x, float *y, bool wait) {
    __shared__ block_barrier ready;
    __shared__ alignas(16) float s[BLOCK];
    unsigned t = threadIdx.x;
    if (t == 0) init(&ready, BLOCK);
    __syncthreads();
    if (t == 0) cuda::memcpy_async(s, x, cuda::aligned_size_t<16>(sizeof s), ready);
    block_barrier::arrival_token token = ready.arrive();
    if (wait) ready.wait(std::move(token));
    y[t] = s[BLOCK - 1 - t];
}

enum class strip { RIGHT, NOT_AWAITED, LATE, OTHER, BOTH_UNDER_WAY };

// Blocks of numbers through one strip of shared memory, or through two (STRIPS), by bulk stores.
template <int STRIPS> __global__ void bulk_out(float *y, strip how) {
    __shared__ alignas(16) float s[STRIPS][BLOCK];
    unsigned t = threadIdx.x;
    for (int k = 0; k < 4; k++) {
        float *here = s[k % STRIPS];
        here[t] = (float)(t + k);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0)
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n"
                         "cp.async.bulk.commit_group;" ::"l"(y + k * BLOCK),
                         "r"((unsigned)__cvta_generic_to_shared(here)), "r"(BLOCK * 4)
                         : "memory");
        if (t == 0 && how == strip::BOTH_UNDER_WAY)
            asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
        if (t == (how == strip::OTHER) && how != strip::NOT_AWAITED && how != strip::LATE &&
            how != strip::BOTH_UNDER_WAY)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        __syncthreads();
        if (t == 0 && how == strip::LATE)
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
}

__global__ void cluster_barrier(const float *x, float *y, bool wait) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = x[t];
    asm volatile("barrier.cluster.arrive;" ::: "memory");
    if (wait) asm volatile("barrier.cluster.wait;" ::: "memory");
    y[t] = s[BLOCK - 1 - t];
    if (!wait) asm volatile("barrier.cluster.wait;" ::: "memory");
}

// finds race: read at check_async.cu:[0-9]+\n.*= s.t..*under way
//   advice COPY_WAIT
PAIR(own_copy, own_copy<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: read at check_async.cu:[0-9]+\n.*sum .= tile.*under way
CASE(late_copy, stages<<<1, BLOCK>>>(d_x, d_y, false, true));
// finds race: write at check_async.cu:[0-9]+\n.*memcpy_async.*sum .= tile
CASE(early_copy, stages<<<1, BLOCK>>>(d_x, d_y, true, false));
CASE(stages_not, stages<<<1, BLOCK>>>(d_x, d_y, true, true));
// finds race: s.BLOCK - 1 - t.
PAIR(announced, announced<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: s.BLOCK - 1 - t.*arrive when the[ \n]+write is done
//   advice ARRIVE_AFTER_WRITE
PAIR(announced_early, announced_early<<<1, BLOCK>>>(d_x, d_y, !right));
// finds race: init.&ready
PAIR(not_yet_made, not_yet_made<<<1, BLOCK>>>(d_y, right));
// finds race: write at check_async.cu:[0-9]+\n.*memcpy_async.*read at check_async.cu:[0-9]+\n
//   ~ s.BLOCK - 1 - t.
//   advice BULK_WAIT
PAIR(bulk, bulk<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: read at check_async.cu:[0-9]+\n.*write at check_async.cu:[0-9]+\n.*here.t. =
//   ~ these bytes are overwritten while a bulk store
//   advice WAIT_BEFORE_REUSE
CASE(strip, bulk_out<1><<<1, BLOCK>>>(d_y, strip::NOT_AWAITED));
CASE(strip_not, bulk_out<1><<<1, BLOCK>>>(d_y, strip::RIGHT));
// finds race: these bytes are overwritten while a bulk store
CASE(strip_late, bulk_out<1><<<1, BLOCK>>>(d_y, strip::LATE));
// finds race: these bytes are overwritten while a bulk store
CASE(strip_of_other, bulk_out<1><<<1, BLOCK>>>(d_y, strip::OTHER));
// finds race: these bytes are overwritten while a bulk store
CASE(strips_one_left, bulk_out<1><<<1, BLOCK>>>(d_y, strip::BOTH_UNDER_WAY));
CASE(strips_one_left_not, bulk_out<2><<<1, BLOCK>>>(d_y, strip::BOTH_UNDER_WAY));
// finds race: s.BLOCK - 1 - t.
PAIR(cluster, cluster_barrier<<<1, BLOCK>>>(d_x, d_y, right));
// finds deadlock: ready.arrive_and_wait.*128 of 256[ \n]+threads have arrived
CASE(too_few, awaited<<<1, BLOCK>>>(d_y, 2 * BLOCK));
CASE(too_few_not, awaited<<<1, BLOCK>>>(d_y, BLOCK));
// finds deadlock, race
//   ~ ^[^:]*deadlock: .*[ \n]producer_acquire.. waits.*consumer_release..[ \n]+when.*race:[ ]
//   ~ cuda::pipeline each[ \n]+consumer[ \n]+calls[ \n]+consumer_wait..[ \n]+before
//   ~ consumer_release..[ \n]+when.*producer_acquire..[ \n]+before.*\n2 findings
CASE(stage_kept, pipeline<<<1, 64>>>(d_x, d_y, stage::KEPT));
// finds race: sum .= .here
//   ~ cuda::pipeline each[ \n]+consumer[ \n]+calls[ \n]+consumer_wait..[ \n]+before
//   ~ consumer_release..[ \n]+when.*producer_acquire..[ \n]+before
//   advice STAGE_CALLS by stage_kept_not
CASE(stage_early, pipeline<<<1, 64>>>(d_x, d_y, stage::EARLY));
// finds deadlock, uninitialised
//   ~ uninitialised: .*sum .= .here.*deadlock: .*producer_acquire.. waits.*consumer_wait..
CASE(stage_not_awaited, pipeline<<<1, 64>>>(d_x, d_y, stage::NOT_AWAITED));
// finds deadlock: consumer_wait.. waits for[ \n]+a[ \n]+filled[ \n]+stage.*producer_commit..
CASE(stage_not_filled, pipeline<<<1, 64>>>(d_x, d_y, stage::NOT_FILLED));
CASE(stage_kept_not, pipeline<<<1, 64>>>(d_x, d_y, stage::RIGHT));
