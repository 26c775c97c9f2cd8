// Barriers, member masks, kernels that stop or never do, waits that only some orders of blocks end:
// see check_case.h.
#undef NDEBUG
#include <assert.h>

#include "check_case.h"

// ---- barriers and lanes ----

__global__ void barrier_in_branch(float *y, bool split) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = (float)t;
    if (split && t % 2) {
        s[t] += 1;
        __syncthreads();
    } else {
        s[t] += 2;
        __syncthreads();
    }
    y[t] = s[BLOCK - 1 - t];
}

__global__ void early_return(const float *x, float *y, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = x[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}

__global__ void half_barrier(float *y) {
    if (threadIdx.x < 64) __syncthreads();
    asm volatile("bar.sync 3, 128;" ::: "memory");
    y[threadIdx.x] = 1;
}

// Every second warp waits elsewhere: there is more to say than a message holds.
__global__ void two_barriers(float *y) {
    if (threadIdx.x / 32 % 2)
        asm volatile("bar.sync 1, 1024;" ::: "memory");
    else
        asm volatile("bar.sync 2, 1024;" ::: "memory");
    y[0] = 1;
}

__global__ void doubles(float *y, float limit) {
    float sum = 1;
    while (sum < limit) sum += sum * y[threadIdx.x]; // with y = 0 it never gets there
    y[threadIdx.x] = sum;
}

// Goes on as long as is asked for.
__global__ void counts(float *y, unsigned long long count) {
    for (unsigned long long i = 0; i < count; i++) y[threadIdx.x] += float(i);
}

// Nobody halves the step.
__global__ void halves(const float *x, float *y) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (unsigned step = BLOCK / 2; step > 0;) {
        if (t < step) s[t] += s[t + step];
        __syncthreads();
    }
    if (t == 0) *y = s[0];
}

// Lanes of `takers` ask for the votes of the lanes of `mask`.
__global__ void votes(unsigned *y, unsigned takers, unsigned mask) {
    unsigned t = threadIdx.x, vote = 0;
    if (takers >> t & 1) vote = __ballot_sync(mask, t % 3 == 0);
    y[t] = vote;
}

__global__ void votes_after_return(unsigned *y, unsigned mask) {
    unsigned t = threadIdx.x;
    if (t >= 20) return;
    y[t] = __ballot_sync(mask, t % 3 == 0);
}

__global__ void votes_missing(unsigned *y) {
    unsigned t = threadIdx.x, vote = 0;
    if (t < 16) vote = __ballot_sync(0xffffffffu, t % 3 == 0);
    __syncthreads();
    y[t] = vote;
}

#define EIGHT     "%d %d %d %d %d %d %d %d "
#define VALUES(b) b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7

enum class format { WIDE, NARROW, MANY, SIZE, MISSING, NOTHING, ALL_RIGHT };
template <format kind> __global__ void prints(const int *x, const long long *wide) {
    int n = *x;
    if (kind == format::WIDE) printf("%d of %d\n", n, *wide);
    if (kind == format::NARROW) printf("%ld\n", n);
    if (kind == format::MANY)
        printf(EIGHT EIGHT EIGHT EIGHT "%d\n", VALUES(n), VALUES(n), VALUES(n), VALUES(n), n);
    if (kind == format::SIZE) printf("%zu\n", (size_t)*wide);
    if (kind == format::MISSING) printf("%d of %d\n", n);
    if (kind == format::NOTHING) printf("%d %s\n", n, (const char *)(*wide & 0));
    if (kind != format::ALL_RIGHT) return;
    printf("%d %d %lld %s %5.1f %c\n", 1, 2, 3ll, "two", 2.5f, 'x');
    printf("%d %lld %hd %p %*d %% %u\n", n, *wide, (short)n, x, 5, n, (unsigned)n);
    printf(EIGHT EIGHT EIGHT EIGHT "\n", VALUES(n), VALUES(n), VALUES(n), VALUES(n));
}

__global__ void asserts(const float *x, float limit) {
    assert(x[threadIdx.x] < limit);
}

__global__ void scale(float *x) {
    x[threadIdx.x] *= 2;
}

// The lanes that do not add skip the barrier, but go on behind it.
__global__ void adding_barrier(float *y, bool inside) {
    __shared__ float s[BLOCK];
    unsigned t = threadIdx.x;
    s[t] = y[t];
    __syncthreads();
    for (unsigned step = BLOCK / 2; step > 0; step /= 2) {
        if (t < step) {
            s[t] += s[t + step];
            if (inside) __syncthreads();
        }
        if (!inside) __syncthreads();
    }
    if (t == 0) *y = s[0];
}

// Threads of one warp: those that do not move anything wait at the next barrier already.
__global__ void moving_lanes(float *y, int step) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = (float)t;
    __syncthreads();
    float own = s[t];
    if (t % step == 0) {
        __syncthreads();
        s[t ^ 1] = own;
    }
    __syncthreads();
    y[t] = s[t];
}

// Whole warps go by the barrier: they come to the next one, or to the end.
__global__ void warps_skip(const float *x, float *y, int inside, bool again) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    float from = 0;
    if (t < inside) {
        s[t] = x[t];
        __syncthreads();
        from = s[inside - 1 - t];
    }
    if (again) __syncthreads();
    y[t] = from;
}

// Each warp of the loop comes to the barrier as often as it has something to do.
__global__ void warps_leave_loop(float *y, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = 0;
    for (int i = t; i < n; i += BLOCK) {
        s[t] += 1;
        __syncthreads();
    }
    y[t] = s[t];
}

// They store something, but return before the barrier.
__global__ void warps_return(const float *x, float *y, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    if (t >= n) {
        y[t] = 1;
        return;
    }
    s[t] = x[t];
    __syncthreads();
    y[t] = s[n - 1 - t];
}

// Warps of two kinds meet at a named barrier of all, each at its own line; and halves of the block
// at one of their own.
__global__ void two_kinds(const float *x, float *y) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = x[t];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        y[t] = s[63 - t];
        asm volatile("bar.sync 2;" ::: "memory");
    } else {
        asm volatile("bar.sync 2;" ::: "memory");
    }
}

// One barrier of an unrolled loop, in a function of which there are two copies.
__device__ __forceinline__ float swapped(float *s, float x) {
    s[threadIdx.x] = x;
    __syncthreads();
    float y = s[BLOCK - 1 - threadIdx.x];
    __syncthreads();
    return y;
}

__global__ void unrolled_barriers(const float *in, float *y) {
    __shared__ float s[BLOCK];
    float x = in[threadIdx.x];
#pragma unroll
    for (int i = 0; i < 4; i++) x = swapped(s, x + i);
    y[threadIdx.x] = swapped(s, x);
}

// One mistake in a template of which there are two kernels.
template <int sign> __global__ void unordered(float *y) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = y[threadIdx.x];
    y[threadIdx.x] = sign * s[BLOCK - 1 - threadIdx.x];
}

__global__ void skipped_work(const float *x, float *y, int n) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    if (t < n) s[t] = x[t];
    __syncthreads();
    if (t < n) y[t] = s[n - 1 - t];
}

__global__ void lost_lanes(float *y, unsigned mask, int width, int takes = 16) {
    float value = (float)threadIdx.x, other = 0;
    if (threadIdx.x < takes) other = __shfl_down_sync(mask, value, 8, width);
    y[threadIdx.x] = threadIdx.x < 16 ? value + other : value;
}

// Each block waits for the one before: by blockIdx, or by the number that it takes when it starts.
__global__ void blocks_wait(unsigned *tickets, volatile unsigned *ready, bool by_ticket) {
    unsigned number = by_ticket ? atomicAdd(tickets, 1u) : blockIdx.x;
    if (number > 0) {
        while (ready[number - 1] == 0) {
        }
    }
    ready[number] = 1;
}

// ---- a barrier of the grid made by hand ----

__global__ void own_barrier(int *arrived, int *count, bool exact) {
    for (int goal = gridDim.x; goal <= 8 * gridDim.x; goal += gridDim.x) {
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(count, 1);
            atomicAdd(arrived, 1);
            if (exact)
                while (atomicAdd(arrived, 0) != goal) continue;
            else
                while (atomicAdd(arrived, 0) < goal) continue;
        }
        __syncthreads();
    }
}

// ---- waits that only some orders of blocks end ----

enum class wait { TWO_LOCKS, LOCKS_SORTED, FIRST_ONE, LAST_ONE };

__device__ void take(int *lock) {
    while (atomicCAS(lock, 0, 1) != 0) continue;
    __threadfence();
}

__device__ void give(int *lock) {
    __threadfence();
    atomicExch(lock, 0);
}

// words: locks, then a count of blocks and a flag. TWO_LOCKS: each block takes its own lock and
// then the other's. FIRST_ONE: block 0 opens the gate, if it is the first to come; LAST_ONE:
// always.
__global__ void two_blocks(int *words, float *y, wait how) {
    int mine = blockIdx.x, other = 1 - mine;
    bool sorted = how == wait::LOCKS_SORTED;
    if (threadIdx.x != 0) return;
    if (how == wait::TWO_LOCKS || sorted) {
        take(&words[sorted ? 0 : mine]);
        take(&words[sorted ? 1 : other]);
        *y += 1;
        give(&words[1]);
        give(&words[0]);
        return;
    }
    int place = atomicAdd(&words[2], 1);
    if (mine == 0 && (place == 0 || how == wait::LAST_ONE)) atomicExch(&words[3], 1);
    while (mine == 1 && atomicAdd(&words[3], 0) == 0) continue;
}

// Each block waits for the one before it, which works for long: the later ones poll meanwhile when
// they run at the same time.
__global__ void chain(int *done, float *y, int steps) {
    float value = blockIdx.x;
    if (threadIdx.x != 0) return;
    while (blockIdx.x > 0 && atomicAdd(&done[blockIdx.x - 1], 0) == 0) continue;
    for (int i = 0; i < steps; i++) value = value * 0.5f + i;
    y[blockIdx.x] = value;
    atomicExch(&done[blockIdx.x], 1);
}

// A wait that writes memory in each iteration: thread 0 takes a, tries to get what b gives, gives a
// back. Thread 32 gives it after so many steps; 0: never.
enum class tries { LOCKS, PERMITS, RELEASED, COUNTED };
template <tries how> __global__ void try_again(int *words, float *y, int steps) {
    int *a = words, *b = words + 1;
    unsigned t = threadIdx.x, pause = 8, random = 1;
    if (t == 32 && steps > 0) {
        for (int i = 0; i < steps; i++) random = random * 1664525 + (random >> 16);
        y[1] = (float)random;
        atomicAdd(b, 1);
    }
    if (t != 0) return;
    for (int left = 300000; how != tries::COUNTED || left > 0; left--) {
        if (how == tries::PERMITS) {
            if (atomicSub(b, 1) > 0) break;
            atomicAdd(b, 1);
        } else if (atomicCAS(a, 0, 1) == 0) {
            if (atomicCAS(b, 1, 0) == 1) break;
            __threadfence();
            if (how == tries::LOCKS)
                atomicExch(a, 0);
            else
                *(volatile int *)a = 0;
        }
        __nanosleep(pause);
        if (pause < 1024) pause *= 2;
    }
    y[0] = 1;
}

// ---- the cases ----

static void doubling(float start) {
    float y[32];
    for (int i = 0; i < 32; i++) y[i] = start;
    cudaMemcpy(d_y, y, sizeof y, cudaMemcpyHostToDevice);
    doubles<<<1, 32>>>(d_y, 1e30f);
}

static void too_large(bool ask) {
    scale<<<1, 2048>>>(d_x);
    if (ask) printf("asked: %s\n", cudaGetErrorString(cudaGetLastError()));
}

static void too_large_twice() {
    for (int i = 0; i < 2; i++) scale<<<1, 2048>>>(d_x);
}

static void both_signs() {
    unordered<1><<<1, BLOCK>>>(d_x);
    unordered<-1><<<1, BLOCK>>>(d_x);
}

static void barrier_by_hand(bool exact) {
    int *arrived = cleared(d_z), *count = arrived + 1;
    void *arguments[] = {&arrived, &count, &exact};
    cudaLaunchCooperativeKernel((const void *)own_barrier, 3, 64, arguments, 0, 0);
}

// A host that looks at no error and waits for a result.
static void waits_for_result(void) {
    int *words = cleared(d_z), h[4] = {0};
    while (h[2] != 2) {
        two_blocks<<<2, 32>>>(words, d_y, wait::FIRST_ONE);
        cudaMemcpy(h, words, sizeof h, cudaMemcpyDeviceToHost);
    }
}

// finds divergent-barrier: __syncthreads.*if .split.*other side of the[ \n]+branch
//   ~ put one[ \n]+after the branch
//   advice BARRIER_AFTER_BRANCH
PAIR(divergent_barrier, barrier_in_branch<<<1, BLOCK>>>(d_y, !right));
// finds exited-barrier: __syncthreads
//   advice SKIP_THE_WORK by skipped_work_not
CASE(exited_barrier, early_return<<<1, BLOCK>>>(d_x, d_y, 100));
CASE(skipped_work_not, skipped_work<<<1, BLOCK>>>(d_x, d_y, 100));
CASE(exited_barrier_not, early_return<<<1, BLOCK>>>(d_x, d_y, BLOCK));
// finds divergent-barrier: if .inside. __syncthreads
//   ~ does not come to this barrier: the branch in line
//   advice BARRIER_FOR_ALL
PAIR(barrier_in_if, adding_barrier<<<1, BLOCK>>>(d_x, !right));
// finds divergent-barrier: at check_flow.cu:[0-9]+\n.*__syncthreads
//   ~ at check_flow.cu:[0-9]+\n *thread .64,0,0.*if .t < inside.*thread .64,0,0. does not come
//   ~ waits at the barrier in line
CASE(warps_elsewhere, warps_skip<<<1, BLOCK>>>(d_x, d_y, 64, true));
CASE(warps_elsewhere_not, warps_skip<<<1, BLOCK>>>(d_x, d_y, BLOCK, true));
// finds divergent-barrier: __syncthreads
//   ~ thread .64,0,0. does not come to this barrier: the branch in line [0-9]+ leads[ \n]+it past
//     , it returns
CASE(warps_skip, warps_skip<<<1, BLOCK>>>(d_x, d_y, 64, false));
CASE(warps_skip_not, warps_skip<<<1, BLOCK>>>(d_x, d_y, BLOCK, false));
// finds divergent-barrier: __syncthreads
//   ~ thread .64,0,0. does not come to this barrier: the branch in line [0-9]+ leads[ \n]+it past
//     , it returns
CASE(warps_leave_loop, warps_leave_loop<<<1, BLOCK>>>(d_y, 3 * BLOCK - 64));
CASE(warps_leave_loop_not, warps_leave_loop<<<1, BLOCK>>>(d_y, 3 * BLOCK));
// finds exited-barrier: 1 finding in 1 launch
CASE(warps_return, warps_return<<<1, BLOCK>>>(d_x, d_y, 64));
CASE(two_kinds_not, two_kinds<<<1, BLOCK>>>(d_x, d_y));
CASE(unrolled_barriers_not, unrolled_barriers<<<1, BLOCK>>>(d_x, d_y));
// finds unchecked-launch
//   ~ unchecked-launch: [^\n]*.2 times.*2048 threads > 1024 per block.*\n1 finding in 0 launches
CASE(launch_twice, too_large_twice());
// finds race: s.BLOCK - 1 - threadIdx.x.*: s.[0-9]+.\n.*__syncthreads.*1 finding in 2 launches
CASE(instances, both_signs());
// finds deadlock: warps 2 to 3, .*check_flow.cu:[0-9]+: barrier 3, 64 of 128
CASE(deadlock, half_barrier<<<1, BLOCK>>>(d_y));
// finds deadlock
//   ~ barrier 1, 512 of 1024.*have arrived\n *\.\.\n\n1 finding
CASE(deadlock_of_many, two_barriers<<<1, 1024>>>(d_y));
// finds absent-lane: __shfl_down_sync
//   advice WHOLE_WARP by whole_warp_not
CASE(lanes, lost_lanes<<<1, 32>>>(d_y, 0x0000ffffu, 32));
CASE(whole_warp_not, lost_lanes<<<1, 32>>>(d_y, 0xffffffffu, 32, 32));
CASE(lanes_exited, lost_lanes<<<1, 32>>>(d_y, 0xffffffffu, 32));
// finds unchecked-launch: scale<<<1, 2048>>>.*cudaErrorInvalidValue
PAIR(launch, too_large(right));
CASE(lanes_not, lost_lanes<<<1, 32>>>(d_y, 0x0000ffffu, 16));
// finds sync-mask: __ballot_sync.*0x0000ffff does not name
CASE(own_mask, votes<<<1, 32>>>((unsigned *)d_y, 0xffffffffu, 0x0000ffffu));
CASE(own_mask_not, votes<<<1, 32>>>((unsigned *)d_y, 0x0000ffffu, 0x0000ffffu));
// finds exited-lane: __ballot_sync.*names[ \n]+lanes 20 to 31, which have returned
CASE(mask_of_exited, votes_after_return<<<1, 32>>>((unsigned *)d_y, 0xffffffffu));
CASE(mask_of_exited_not, votes_after_return<<<1, 32>>>((unsigned *)d_y, 0x000fffffu));
// finds deadlock
//   $ --order reverse
//   ~ in order reverse.*deadlock: .*while .ready
//   ~ blocks start in any order,[ \n]+here not in that of blockIdx,.*take its number.*atomicAdd
CASE(no_ticket, blocks_wait<<<GRID, 1>>>((unsigned *)d_y + 64, (unsigned *)d_y, false));
// finds nothing as ticket
//   $ --order reverse
//   ~ results are the same.*no findings in 1 launch
CASE(no_ticket_not, blocks_wait<<<GRID, 1>>>((unsigned *)d_y + 64, (unsigned *)d_y, true));
// finds deadlock: __ballot_sync.*lanes[ \n]+16 to 31 are missing.*barrier 0, 16 of 32
CASE(mask_of_absent, votes_missing<<<1, 32>>>((unsigned *)d_y));
CASE(half_warp_not, votes<<<1, 16>>>((unsigned *)d_y, 0x0000ffffu, 0xffffffffu));
CASE(counts_on, counts<<<1, 32>>>(d_y, 1ull << 50));
// finds runaway: while .sum < limit..*an endless loop: its[ \n]+iterations change nothing
//   ~ in the loop of line
CASE(endless, doubling(0));
CASE(endless_not, doubling(1));
// finds runaway
//   $ --max-instructions 1000000
//   ~ runaway: .*at check_flow.cu:6[0-9].*--max-instructions N
//   ~ It[ \n]+stopped in the[ \n]+loop of lines 6[0-9] to 6[0-9],.*: barrier 0,[ ]
CASE(endless_halving, halves<<<8, BLOCK>>>(d_x, d_y));
// finds stopped: x.threadIdx.x. < limit
CASE(asserted, asserts<<<1, 32>>>(d_x, 31));
CASE(asserted_not, asserts<<<1, 32>>>(d_x, 32));
// finds divergent-barrier: thread .0,0,0..*__syncthreads.*thread .1,0,0..*if .t % step
//   ~ thread .1,0,0. does not come to this barrier: the branch in line [0-9]+ leads[ \n]+it past, i
//     t waits at the barrier in line [0-9]+
//   ~ \n1 finding
CASE(moving_lanes, moving_lanes<<<1, BLOCK>>>(d_y, 4));
// finds printf-format: printf."%d of.*%d of printf reads 4[ \n]+bytes, but argument 2 has 8.*%lld
CASE(printf_wide, prints<format::WIDE><<<1, 1>>>((int *)d_x, (long long *)d_y));
CASE(printf_wide_not, prints<format::ALL_RIGHT><<<1, 1>>>((int *)d_x, (long long *)d_y));
// finds printf-format: %ld of printf reads 8[ \n]+bytes, but argument 1 has 4
CASE(printf_narrow, prints<format::NARROW><<<1, 1>>>((int *)d_x, (long long *)d_y));
// finds printf-format: at most 32[ \n]+arguments
CASE(printf_many, prints<format::MANY><<<1, 1>>>((int *)d_x, (long long *)d_y));
// finds printf-format: does not know %zu.*h, l and ll
CASE(printf_size, prints<format::SIZE><<<1, 1>>>((int *)d_x, (long long *)d_y));
// finds printf-format: asks for[ \n]+more than it[ \n]+gets
CASE(printf_missing, prints<format::MISSING><<<1, 1>>>((int *)d_x, (long long *)d_y));
// finds printf-format: %s of printf gets a[ \n]+null pointer
CASE(printf_nothing, prints<format::NOTHING><<<1, 1>>>((int *)d_x, (long long *)d_y));
// finds deadlock
//   ~ in order hurried of blocks and warps.*again with[ \n]+--order hurried --resident all
//   ~ deadlock: .*!= goal
// finds deadlock as own_barrier_hurried
//   $ --order hurried
//   ~ in order hurried of blocks and warps:.*deadlock
PAIR(own_barrier, barrier_by_hand(!right));
// finds deadlock
//   ~ in order alternating of blocks.*deadlock:[ ]
//   ~ polls memory that no other thread can change .nor can the host.*\n1 finding
CASE(two_locks, two_blocks<<<2, 32>>>(cleared(d_z), d_y, wait::TWO_LOCKS));
// finds nothing as budget_two_locks
//   runs 3, 1000000 warp instructions
// finds nothing
CASE(two_locks_not, two_blocks<<<2, 32>>>(cleared(d_z), d_y, wait::LOCKS_SORTED));
// finds deadlock
//   ~ in order reverse of blocks and warps.*deadlock:[ ]
//   ~ polls memory that no other thread can change .nor can the host.*\n1 finding
CASE(first_opens, two_blocks<<<2, 32>>>(cleared(d_z), d_y, wait::FIRST_ONE));
CASE(first_opens_not, two_blocks<<<2, 32>>>(cleared(d_z), d_y, wait::LAST_ONE));
// finds deadlock
//   ~ in order reverse of blocks and warps.*deadlock:[ ]
//   ~ polls memory that no other thread can change .nor can the host.*\n1 finding
CASE(host_never_looks, waits_for_result());
// finds nothing as budget_chain
//   runs 3, 1000000 warp instructions
CASE(chain_not, chain<<<GRID, 32>>>(cleared(d_z), d_y, 200));
// finds nothing as budget_long_chain
//   runs 2, 6000138 warp instructions
CASE(long_chain_not, chain<<<GRID, 32>>>(cleared(d_z), d_y, 400000));
// finds deadlock
//   $ --resident all
//   ~ in order hurried of blocks and warps.*deadlock:[ ]
//   ~ polls memory that no other thread can change .nor can the host.*\n1 finding
CASE(plain_barrier, own_barrier<<<3, 64>>>(cleared(d_z), (int *)d_x, true));
// finds nothing
//   $ --resident all
CASE(plain_barrier_not, own_barrier<<<3, 64>>>(cleared(d_z), (int *)d_x, false));
// finds nothing
//   $ --order reverse --resident all
//   ~ results are the same.*no findings in 1 launch
// finds nothing as budget_more_blocks
//   runs 2, 1000000 warp instructions
CASE(more_blocks_not, chain<<<300, 1024>>>(cleared(d_z), d_y, 1)); // 264 fit
// Waits that take and give back in each iteration: autograder/tests/checks/plain.session.
CASE(try_locks, try_again<tries::LOCKS><<<1, 64>>>(cleared(d_z), d_y, 0));
CASE(try_permits, try_again<tries::PERMITS><<<1, 64>>>(cleared(d_z), d_y, 0));
CASE(try_released, try_again<tries::RELEASED><<<1, 64>>>(cleared(d_z), d_y, 0));
CASE(try_locks_ends, try_again<tries::LOCKS><<<1, 64>>>(cleared(d_z), d_y, 2000000));
CASE(try_permits_ends, try_again<tries::PERMITS><<<1, 64>>>(cleared(d_z), d_y, 2000000));
CASE(try_released_ends, try_again<tries::RELEASED><<<1, 64>>>(cleared(d_z), d_y, 2000000));
CASE(try_counted_ends, try_again<tries::COUNTED><<<1, 64>>>(cleared(d_z), d_y, 0));
