// Races inside a block and between blocks: see check_case.h.
#include <cooperative_groups.h>
#include <cuda/atomic>

#include "check_case.h"

namespace cg = cooperative_groups;

// ---- races in shared memory ----

__global__ void neighbour(const float *x, float *y, bool barrier) {
    __shared__ float tile[BLOCK];
    unsigned t = threadIdx.x;
    tile[t] = x[blockIdx.x * BLOCK + t];
    if (barrier) __syncthreads();
    y[blockIdx.x * BLOCK + t] = tile[(t + 1) % BLOCK];
}

// The sum is right in lock step, barrier or not: only the order is missing.
__global__ void sum_of_block(const float *x, float *y, bool barrier) {
    __shared__ float partial[BLOCK];
    unsigned t = threadIdx.x;
    partial[t] = x[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (unsigned stride = BLOCK / 2; stride >= 1; stride /= 2) {
        if (t < stride) partial[t] += partial[t + stride];
        if (barrier) __syncthreads();
    }
    if (t == 0) y[blockIdx.x] = partial[0];
}

__global__ void lanes_exchange(const float *x, float *y, int how) {
    __shared__ float s[32];
    volatile float *v = s;
    unsigned t = threadIdx.x;
    if (how == 2) {
        v[t] = x[t];
        y[t] = v[t ^ 1];
        return;
    }
    s[t] = x[t];
    if (how == 1) __syncwarp();
    y[t] = s[t ^ 1];
}

__global__ void double_buffer(const float *x, float *y) {
    __shared__ float tile[2][BLOCK];
    unsigned t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[k % 2][t] = x[k * BLOCK + t];
        __syncthreads();
        sum += tile[k % 2][(t + 1) % BLOCK] + tile[k % 2][(t + 64) % BLOCK];
    }
    y[t] = sum;
}

__global__ void shared_histogram(const float *x, int *y, bool atomic) {
    __shared__ int bins[16];
    unsigned t = threadIdx.x;
    if (t < 16) bins[t] = 0;
    __syncthreads();
    if (atomic)
        atomicAdd(&bins[(int)x[t] & 15], 1);
    else
        bins[(int)x[t] & 15]++;
    __syncthreads();
    if (t < 16) y[t] = bins[t];
}

__global__ void named_barriers(const float *x, float *y) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = x[t];
    if (t < 64)
        asm volatile("bar.sync 1, 64;" ::: "memory");
    else
        asm volatile("bar.sync 2, 64;" ::: "memory");
    y[t] = s[t < 64 ? 63 - t : 191 - t];
}

__global__ void tiles(const float *x, float *y) {
    __shared__ float s[BLOCK];
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    unsigned t = threadIdx.x;
    s[t] = x[t];
    tile.sync();
    float value = s[t ^ 7];
    for (int d = 4; d >= 1; d /= 2) value += tile.shfl_down(value, d);
    y[t] = value;
}

// Two warps store different values of a type; nvcc makes two variables of `two`.
template <typename T> __global__ void store_both(T a, T b, float *y) {
    __shared__ T kept[BLOCK];
    kept[3] = threadIdx.x < 32 ? a : b;
    __syncthreads();
    if (kept[3] == a) y[threadIdx.x] = 1;
}
namespace {
__global__ void store_numbers(unsigned a, float *y) {
    __shared__ unsigned two[2];
    two[1] = a + threadIdx.x / 32;
    __syncthreads();
    y[threadIdx.x] = (float)two[1];
}
__global__ void store_pointers(float *y) {
    __shared__ float *end;
    end = y + threadIdx.x / 32;
    __syncthreads();
    end[threadIdx.x] = 1;
}
} // namespace

// A plain read whose value an atomic checks is no race: the classic loop around compare-and-swap.
__device__ void atomic_max(float *place, float value) {
    int old = *(int *)place, assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) >= value) return;
        old = atomicCAS((int *)place, assumed, __float_as_int(value));
    } while (assumed != old);
}

__global__ void largest(const float *x, float *y) {
    atomic_max(y, x[blockIdx.x * BLOCK + threadIdx.x]);
}

// A plain read of what others still count is one.
__global__ void count_large(const float *x, int *y, bool barrier) {
    __shared__ int count;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    if (x[threadIdx.x] > 50) atomicAdd(&count, 1);
    if (barrier) __syncthreads();
    y[threadIdx.x] = count;
}

// ---- between blocks ----

__global__ void shift_in_place(float *x) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    float right = i + 1 < N ? x[i + 1] : 0;
    __syncthreads();
    x[i] = right;
}

__device__ unsigned ticket;

__global__ void last_block(const float *x, float *partial, float *y, bool fence) {
    __shared__ bool is_last;
    unsigned t = threadIdx.x;
    partial[blockIdx.x * BLOCK + t] = x[blockIdx.x * BLOCK + t];
    if (fence) __threadfence();
    __syncthreads();
    if (t == 0) is_last = atomicInc(&ticket, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    float sum = 0;
    for (unsigned i = t; i < N; i += BLOCK) sum += partial[i];
    y[t] = sum;
}

__device__ int lock;

__global__ void locked_count(int *count, bool fence) {
    if (threadIdx.x) return;
    while (atomicCAS(&lock, 0, 1)) continue;
    __threadfence();
    *count += 1;
    if (fence) __threadfence();
    atomicExch(&lock, 0);
}

// Each lane tries until it has had its turn.
enum { ENTERS = 1, LEAVES = 2 };
__global__ void retries(int *held, int *count, int fences) {
    for (bool done = false; !done;) {
        if (atomicCAS(held, 0, 1) != 0) continue;
        if (fences & ENTERS) __threadfence();
        *count += 1;
        if (fences & LEAVES) __threadfence();
        atomicExch(held, 0);
        done = true;
    }
}

__global__ void plain_lock(int *held, int *count, bool right) {
    if (threadIdx.x) return;
    while (atomicExch(held, 1)) continue;
    if (right) __threadfence();
    *count += 1;
    if (right) __threadfence();
    if (right)
        atomicExch(held, 0);
    else
        *held = 0;
}

__global__ void flags(float *y, const float *x) {
    if (threadIdx.x == 0) *y = 7.0f; // one value from all blocks
    if (x[threadIdx.x] < -1) *y = 7.0f;
}

// Threads put what they do not want into the element after the last one.
enum class rest { IGNORED, OVERWRITTEN, OVERWRITTEN_BY_ONE, READ, COPIED_OUT };
__global__ void compact(const float *x, float *y, rest use) {
    __shared__ float kept[BLOCK + 1];
    __shared__ int count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    float value = x[t] + t;
    int place = t % 3 == 0 ? atomicAdd(&count, 1) : BLOCK;
    kept[place] = value;
    if (use == rest::OVERWRITTEN) __syncthreads();
    if (use == rest::OVERWRITTEN && t == 40) kept[BLOCK] = 0;
    if (use == rest::OVERWRITTEN_BY_ONE && t == 64) kept[BLOCK] = 0;
    __syncthreads();
    if (t < count) y[t] = kept[t];
    bool reads = use == rest::OVERWRITTEN || use == rest::OVERWRITTEN_BY_ONE || use == rest::READ;
    if (reads && t == 1) y[BLOCK] = kept[BLOCK];
    if (use == rest::COPIED_OUT)
        for (int i = t; i <= BLOCK; i += BLOCK)
            if (i >= count) y[i] = i == BLOCK ? kept[i] : 0;
}

// ---- loads before the test that asks for their value ----
// A compiler moves them there, and makes of `c ? *p : 0` a load and a selection; so does asm.
#define LOAD_EARLY(value, p) asm volatile("ld.global.s32 %0, [%1];" : "=r"(value) : "l"(p))
#define LOAD_SHARED_EARLY(value, p)                                                                \
    asm volatile("ld.shared.s32 %0, [%1];" : "=r"(value) : "r"((int)__cvta_generic_to_shared(p)))
#define LOAD_VECTOR_EARLY(a, b, c, d, p)                                                           \
    asm volatile("ld.shared.v4.s32 {%0, %1, %2, %3}, [%4];"                                        \
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)                                              \
                 : "r"((int)__cvta_generic_to_shared(p)))

enum class early { SELECT, BRANCH, ADDRESS, LOOP, MASK, COMPARE };
__global__ void early_load(int *y, early use, int wanted) {
    __shared__ int word;
    int t = threadIdx.x, value, limit;
    if (t == 0) word = 3;
    __syncthreads();
    if (t == 64) word = 4;
    LOAD_SHARED_EARLY(value, &word);
    if (use == early::SELECT)
        asm volatile("{.reg .pred p; setp.ne.s32 p, %1, 0; selp.s32 %0, %2, 5, p;}"
                     : "=r"(y[t])
                     : "r"(wanted), "r"(value));
    if (use == early::BRANCH && wanted && value == 3) __nanosleep(10);
    if (use == early::ADDRESS && wanted) y[value] = 1;
    if (use == early::LOOP)
        for (int i = 0; i < wanted; i++) atomicAdd(y, value);
    if (use == early::MASK) y[t] = value & -wanted;
    if (use == early::COMPARE) {
        asm volatile("min.u32 %0, %1, 0;" : "=r"(limit) : "r"(value));
        y[t] = wanted ? value + limit : limit;
    }
}

// The compiler's own: nobody but thread 0 reads the word where nobody waits.
__global__ void early_gate(int *y, int wait) {
    __shared__ int word;
    int t = threadIdx.x;
    if (t == 0) word = 0;
    __syncthreads();
    if (t < 32) {
        __syncwarp();
        if (t == 0) word = 1;
    }
    if (wait)
        while (word == 2) {
        }
    __syncthreads();
    if (t == 0) *y = word;
}

// Read first, and overwritten by another thread (of another block) before the value is used.
__global__ void early_overwritten(int *x, int *y, int far, bool barrier, int wanted) {
    int t = blockIdx.x * BLOCK + threadIdx.x, value;
    LOAD_EARLY(value, &x[(t + far) % (2 * BLOCK)]);
    if (barrier) __syncthreads();
    x[t] = t;
    __syncthreads();
    if (wanted) y[t] = value;
}

__global__ void early_after(int *x, int *y, int far, int wanted) {
    int t = blockIdx.x * BLOCK + threadIdx.x, value;
    x[t] = t;
    LOAD_EARLY(value, &x[(t + far) % (2 * BLOCK)]);
    if (wanted) y[t] = value;
}

// Threads of one warp use what they read, those of the others do not.
__global__ void early_in_part(int *y, int users) {
    __shared__ int word;
    int t = threadIdx.x, value;
    if (t == 0) word = 3;
    __syncthreads();
    LOAD_SHARED_EARLY(value, &word);
    if (t < users) y[t] = value;
    __syncwarp();
    if (t == 96) word = 4;
}

// One element of the vector is overwritten.
__global__ void early_vector(int *y, int wanted) {
    __shared__ int4 words[BLOCK];
    int t = threadIdx.x, a, b, c, d;
    words[t] = make_int4(t, 1, 2, 3);
    __syncthreads();
    LOAD_VECTOR_EARLY(a, b, c, d, &words[(t + 32) % BLOCK]);
    words[t].y = t;
    y[t] = a + c + d;
    __syncwarp();
    if (wanted) y[t] = b;
}

// The next one is loaded ahead, and a barrier comes before it is overwritten.
__global__ void early_ahead(int *y, int count) {
    __shared__ int tile[BLOCK];
    int t = threadIdx.x, value, sum = 0;
    tile[t] = t;
    __syncthreads();
    LOAD_SHARED_EARLY(value, &tile[(t + 32) % BLOCK]);
#pragma unroll 1
    for (int i = 0; i < count; i++) {
        __syncthreads();
        tile[t] = i;
        sum += value;
        __syncthreads();
        LOAD_SHARED_EARLY(value, &tile[(t + 32) % BLOCK]);
    }
    y[t] = sum;
}

__global__ void grid_phases(const float *x, float *a, float *b, bool wait) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    for (int k = 0; k < 3; k++) {
        a[i] = x[i] + k;
        if (wait) cg::this_grid().sync();
        b[i] = a[(i + BLOCK) % N];
        if (wait) cg::this_grid().sync();
    }
}

// Keeps the large elements, in place: a block writes where earlier blocks have read, and knows from
// what they have published, in one relaxed store each, how far they came.
__global__ void look_back(float *x, int *ends, bool looks, bool cached) {
    __shared__ int before, own;
    int t = threadIdx.x;
    float value = cached ? __ldg(x + blockIdx.x * BLOCK + t) : x[blockIdx.x * BLOCK + t];
    if (t == 0) own = 0;
    __syncthreads();
    int place = value > 50 ? atomicAdd(&own, 1) : 0;
    __syncthreads();
    if (t == 0) {
        volatile int *end = ends + blockIdx.x;
        before = 0;
        for (int i = 1; looks && blockIdx.x > 0 && (before = end[-1]) == 0; i++) continue;
        before -= blockIdx.x > 0 && looks; // an end is published as its value plus one
        if (!looks) before = blockIdx.x * BLOCK / 4;
        *end = before + own + 1;
    }
    __syncthreads();
    if (value > 50) x[before + place] = value;
}

// What a compaction in place does where it moves nothing: each block writes back what it has read,
// while the next one reads its last element.
enum class put { BACK, MOVED, COMPUTED };
template <put how> __global__ void put_back(float *x, float *y, float one) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    s[t] = x[i];
    float left = i > 0 ? x[i - 1] : 0;
    __syncthreads();
    if (how == put::COMPUTED)
        x[i] = s[t] * one;
    else
        x[i] = s[how == put::MOVED ? t ^ 1 : t];
    y[i] = left;
}

// Block 0 hands data to block 1 by a flag, and only some of these ways order anything.
typedef cuda::atomic_ref<int, cuda::thread_scope_device> of_device;
typedef cuda::atomic_ref<int, cuda::thread_scope_block> of_block;
enum class hand { RIGHT, RELAXED_READ, RELAXED_WRITE, BLOCK_SCOPE, ALONE, EARLY, FLAG_FIRST };

__global__ void hand_on(float *data, int *flag, float *y, hand how) {
    int t = threadIdx.x;
    if (blockIdx.x == 0) {
        if (how == hand::FLAG_FIRST) {
            if (t == 0) of_device(*flag).store(1, cuda::memory_order_release);
            __syncthreads();
        }
        data[t] = t;
        if (how == hand::FLAG_FIRST) return;
        if (how != hand::EARLY) __syncthreads();
        if (t == 0 && how == hand::BLOCK_SCOPE)
            of_block(*flag).store(1, cuda::memory_order_release);
        else if (t == 0 && how == hand::RELAXED_WRITE)
            of_device(*flag).store(1, cuda::memory_order_relaxed);
        else if (t == 0)
            of_device(*flag).store(1, cuda::memory_order_release);
    } else {
        if (t == 0 && how == hand::RELAXED_READ)
            while (of_device(*flag).load(cuda::memory_order_relaxed) == 0) continue;
        else if (t == 0)
            while (of_device(*flag).load(cuda::memory_order_acquire) == 0) continue;
        if (how != hand::ALONE) __syncthreads();
        y[t] = data[t ^ 1];
    }
}

// The same by volatile accesses or atomics, with fences.
enum { GIVES = 1, TAKES = 2, TAKES_IN_BLOCK = 4, TAKES_BEHIND = 8, BY_ATOMICS = 16 };
__global__ void fenced_flag(float *data, int *flag, float *y, int fences) {
    int t = threadIdx.x;
    volatile int *seen = flag;
    if (blockIdx.x == 0) {
        data[t] = t;
        __syncthreads();
        if (t > 0) return;
        if (fences & GIVES) __threadfence();
        if (fences & BY_ATOMICS)
            atomicExch(flag, 1);
        else
            *seen = 1;
    } else {
        while (t == 0 && (fences & BY_ATOMICS ? atomicAdd(flag, 0) : *seen) == 0) continue;
        if (t == 0 && fences & TAKES) __threadfence();
        if (t == 0 && fences & TAKES_IN_BLOCK) __threadfence_block();
        __syncthreads();
        if (fences & TAKES_BEHIND) __threadfence();
        y[t] = data[t ^ 1];
    }
}

// Two warps of a block.
__global__ void flag_in_block(const float *x, float *y, bool fence) {
    __shared__ float s[32];
    __shared__ volatile int flag;
    int t = threadIdx.x;
    if (t == 0) flag = 0;
    __syncthreads();
    if (t < 32) {
        s[t] = x[t];
        __syncwarp();
        __threadfence_block();
        if (t == 0) flag = 1;
    } else {
        while (flag == 0) continue;
        if (fence) __threadfence_block();
        y[t] = s[t - 32];
    }
}

__global__ void count_by_block(int *count, bool each) {
    atomicAdd_block(count + (each ? blockIdx.x : 0), 1);
}

__global__ void count_by_grid(int *count) {
    atomicAdd(count, 1);
}

// ---- votes and shuffles ----

enum class between { BALLOT, SHUFFLE, MATCH, REDUCE, ANY, BARRIER };
__global__ void lanes_vote(const float *x, float *y, between what) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x, value = 0;
    s[t] = x[t];
    switch (what) {
    case between::BALLOT: value = __ballot_sync(~0u, x[t] > 5); break;
    case between::SHUFFLE: value = __shfl_sync(~0u, t, 3); break;
    case between::MATCH: value = __match_any_sync(~0u, t / 2); break;
    case between::REDUCE: value = __reduce_add_sync(~0u, t); break;
    case between::ANY: value = __any_sync(~0u, x[t] > 5); break;
    case between::BARRIER: __syncwarp(); break;
    }
    y[t] = s[t ^ 1] + value;
}

// What a vote has taken in has been read before it: then one lane may overwrite it.
__global__ void lanes_read_first(const float *x, float *y) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    float value = s[t ^ 1];
    if (__any_sync(~0u, value > 5)) s[t] = 0;
    y[t] = value;
}

// A vote waits for no load: of what it takes in, or a branch, the load has been before it.
enum class seen { APART, SHUFFLED, BY_VOTE, BY_SHUFFLE, BY_BRANCH, BARRIER };
template <seen how> __global__ void lanes_overwrite(const float *x, float *y) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x, taken = 0;
    s[t] = x[t];
    __syncthreads();
    float value = s[t ^ 1];
    if (how == seen::APART) taken = __ballot_sync(~0u, t & 1);
    if (how == seen::SHUFFLED) taken = __shfl_sync(~0u, t, 3);
    if (how == seen::BY_VOTE) taken = __ballot_sync(~0u, value > 5);
    if (how == seen::BY_SHUFFLE) taken = (int)__shfl_sync(~0u, value, 3);
    if (how == seen::BY_BRANCH) {
        while (value > 5) value /= 2;
        taken = __ballot_sync(~0u, t & 1);
    }
    if (how == seen::BARRIER) __syncwarp();
    s[t] = (float)taken; // OVERWRITE
    y[t] = value;
}

// Threads that find each other in a branch: by a ballot before it, or by who happens to be active.
__global__ void branch_group(const float *x, float *y, bool ballot) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    bool odd = (int)x[t] % 3;
    s[t] = 0;
    __syncthreads();
    unsigned mask = __ballot_sync(~0u, odd);
    if (!odd) return;
    if (!ballot) mask = __activemask();
    s[t] = x[t];
    __syncwarp(mask);
    y[t] = mask >> ((t ^ 1) & 31) & 1 || !ballot ? s[t ^ 1] : 0;
}

// One addition for those that are active: right whichever they are.
__global__ void active_count(const float *x, int *y) {
    if ((int)x[threadIdx.x] % 3 == 0) return;
    unsigned mask = __activemask();
    if (threadIdx.x % 32 == __ffs(mask) - 1) atomicAdd(y, __popc(mask));
}

// ---- caches that do not see what the launch writes ----

enum class load { LDG, PLAIN, OTHER };
__global__ void load_own(float *x, float *y, load how) {
    int t = threadIdx.x;
    x[t] = t;
    __syncthreads();
    y[t] = how == load::LDG     ? __ldg(x + (t ^ 1))
           : how == load::PLAIN ? x[t ^ 1]
                                : __ldg(x + BLOCK + t);
}

__global__ void shift_restrict(const float *__restrict__ x, float *__restrict__ y) {
    int t = threadIdx.x;
    y[t] = x[(t + 1) % BLOCK];
}

// As CUB loads what it then overwrites.
__global__ void shift_in_order(float *x) {
    int t = threadIdx.x;
    float value = __ldg(x + (t + 1) % BLOCK);
    __syncthreads();
    x[t] = value;
}

// ---- the cases ----

static void grid_sync(bool wait) {
    void *arguments[] = {&d_x, &d_y, &d_z, &wait};
    cudaLaunchCooperativeKernel((const void *)grid_phases, GRID, BLOCK, arguments, 0, 0);
}

static void plain_grid_sync(void) {
    grid_phases<<<GRID, BLOCK>>>(d_x, d_y, d_z, true);
}

static void maximum(void) {
    cudaMemset(d_y, 0, 4);
    largest<<<GRID, BLOCK>>>(d_x, d_y);
}

static void locks(bool fence) {
    cudaMemset(d_y, 0, 4);
    locked_count<<<8, 32>>>((int *)d_y, fence);
}

static void look_backs(bool looks, bool cached) {
    cudaMemset(d_z, 0, sizeof(float) * N);
    look_back<<<GRID, BLOCK>>>(d_x, (int *)d_z, looks, cached);
}
static void hands(hand how) {
    hand_on<<<2, BLOCK>>>(d_x, cleared(d_z), d_y, how);
}

static void fences(int which) {
    fenced_flag<<<2, BLOCK>>>(d_x, cleared(d_z), d_y, which);
}

// A function that the simulator does not have, and a kernel after it.
static void after_refusal(bool unset) {
    float *never_set = NULL;
    if (unset) cudaMalloc(&never_set, N * sizeof(float));
    if (cudaDestroyExternalMemory(NULL) != cudaSuccess) cudaGetLastError();
    neighbour<<<GRID, BLOCK>>>(unset ? never_set : d_x, d_y, unset);
    cudaFree(never_set);
}

#include "check_races.def"
