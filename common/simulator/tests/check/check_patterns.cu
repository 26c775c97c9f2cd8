// What is missing between the two accesses of a race, by their pattern: see check_case.h.
#include "check_case.h"

#define TILE 16

// ---- one element, read and written back ----

__global__ void count_in_two_lines(const float *x, int *y) {
    int bin = (int)x[blockIdx.x * BLOCK + threadIdx.x] & 7;
    int old = y[bin];
    y[bin] = old + 1;
}

__global__ void largest_by_hand(const float *x, float *y, bool atomic) {
    __shared__ int most;
    if (threadIdx.x == 0) most = 0;
    __syncthreads();
    int value = (int)x[threadIdx.x];
    if (atomic)
        atomicMax(&most, value);
    else if (value > most)
        most = value;
    __syncthreads();
    if (threadIdx.x == 0) y[0] = (float)most;
}

__global__ void count_four_each(const float *x, int *y, int n) {
    __shared__ int bins[8];
    if (threadIdx.x < 8) bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < n; k += blockDim.x) bins[(int)x[k] & 7]++;
    __syncthreads();
    if (threadIdx.x < 8) y[threadIdx.x] = bins[threadIdx.x];
}

// ---- written, then read; read, then written ----

// missing: which of the loop's two barriers, 1, 2 or, both, 3.
template <int missing> __global__ void product(const float *a, const float *b, float *c, int n) {
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int row = threadIdx.y, column = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        as[row][column] = a[row * n + k + column];
        bs[row][column] = b[(k + row) * TILE + column];
        if (!(missing & 1)) __syncthreads();
        for (int i = 0; i < TILE; i++) sum += as[row][i] * bs[i][column];
        if (!(missing & 2)) __syncthreads();
    }
    c[row * TILE + column] = sum;
}

__global__ void smooth_in_place(const float *x, float *y, bool barrier) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    float left = s[(t + BLOCK - 1) % BLOCK];
    if (barrier) __syncthreads();
    s[t] = (left + s[t]) / 2;
    __syncthreads();
    y[t] = s[t];
}

__global__ void prefix_sums(const float *x, float *y, bool barrier) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2) {
        float add = 0;
        if (barrier) {
            if (t >= d) add = s[t - d];
            __syncthreads();
            s[t] += add;
        } else if (t >= d) {
            s[t] += s[t - d];
        }
        __syncthreads();
    }
    y[t] = s[t];
}

// Both of them write: the sum is cleared after a fast warp has added.
__global__ void clear_and_add(const float *x, float *y, bool barrier) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    if (barrier) __syncthreads();
    atomicAdd(&sum, x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) y[0] = sum;
}

// A warp with work for itself: the block's barrier would be too much.
__global__ void swap_in_warp(const float *x, float *y, bool barrier) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = x[t];
    if (barrier) __syncwarp();
    y[t] = s[t ^ 31];
}

// ---- between blocks ----

__global__ void squares_then_sum(float *x, float *y) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    x[i] = x[i] * x[i];
    __syncthreads();
    y[i] = x[(i + BLOCK) % N];
}

__global__ void squares(float *x) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    x[i] = x[i] * x[i];
}
__global__ void sum_of_next(const float *x, float *y) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    y[i] = x[(i + BLOCK) % N];
}

__global__ void heat(float *x, int steps) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (int step = 0; step < steps; step++) {
        float left = x[(i + N - 1) % N];
        __syncthreads();
        x[i] = left / 2;
        __syncthreads();
    }
}

__global__ void heat_step(const float *from, float *to) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    to[i] = from[(i + N - 1) % N] / 2;
}

// From x to y and back.
__global__ void heat_swap(float *x, float *y, int step, int end) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    for (; step < end; step++) {
        if (step % 2 == 0)
            y[i] = x[(i + N - 1) % N] / 2;
        else
            x[i] = y[(i + N - 1) % N] / 2;
        __syncthreads();
    }
}

// how: 1 a loop, else the compiler unrolls it; 2: in two statements.
template <int how> __global__ void add_tree(const float *x, float *y, int n, bool barrier) {
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    part[t] = x[t];
    __syncthreads();
    for (int half = (how == 1 ? n : BLOCK) / 2; half > 0; half /= 2) {
        if (t < half && how == 2) {
            float other = part[t + half];
            part[t] += other;
        } else if (t < half) {
            part[t] += part[t + half];
        }
        if (barrier) __syncthreads();
    }
    if (t == 0) *y = part[0];
}

// The first half of a scan: an element that a thread adds to was the other thread's before.
__global__ void up_sweep(const float *x, float *y, int n, bool barrier) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int d = 1; d < n; d *= 2) {
        int right = (t + 1) * 2 * d - 1;
        if (right < n) s[right] += s[right - d];
        if (barrier) __syncthreads();
    }
    y[t] = s[t];
}

// All threads add to one variable, what they add lies in shared memory, too.
__global__ void one_sum(const float *x, float *y, bool atomic) {
    __shared__ float s[BLOCK], sum;
    int t = threadIdx.x;
    s[t] = x[t];
    if (t == 0) sum = 0;
    __syncthreads();
    if (atomic)
        atomicAdd(&sum, s[t]);
    else
        sum += s[t];
    __syncthreads();
    if (t == 0) *y = sum;
}

// Halves of an odd number of elements: threads beyond them add nothing to what others read.
__global__ void add_halves(const float *x, float *y, bool barrier) {
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    part[t] = x[t];
    __syncthreads();
    for (int active = BLOCK - 1, half; active > 1; active = half) {
        half = (active + 1) / 2;
        float other = 0;
        if (barrier) {
            if (t >= half) other = t < active ? part[t] : 0;
            __syncthreads();
            if (t >= half) part[t - half] += other;
        } else if (t >= half) {
            other = t < active ? part[t] : 0;
            part[t - half] += other;
        }
        __syncthreads();
    }
    if (t == 0) *y = part[0];
}

// A step of a tree: what the lower half of the threads reads, all of them have written.
__global__ void add_upper_half(const float *x, float *y, bool barrier) {
    __shared__ float s[BLOCK];
    int t = threadIdx.x;
    s[t] = x[t];
    if (barrier) __syncthreads();
    if (t < BLOCK / 2) {
        float other = s[t + BLOCK / 2];
        y[t] = s[t] + other;
    }
}

// finds race: read at check_patterns.cu.*when *\n? *two threads do so.*is lost.*atomic operation
//   ~ \n1 finding
CASE(update, cudaMemset(d_y, 0, sizeof(float) * N);
     count_in_two_lines<<<2, BLOCK>>>(d_x, (int *)d_y));
// finds race: when *\n? *two threads do so.*is lost.*atomic operation.*\n1 finding
//   advice ONE_ATOMIC
PAIR(update_largest, largest_by_hand<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: when *\n? *two threads do so.*is lost.*atomic operation.*\n1 finding
CASE(update_unrolled, count_four_each<<<1, BLOCK>>>(d_x, (int *)d_y, 4 * BLOCK));
// finds race: put *\n? *__syncthreads.. between line [0-9]+ and line [0-9]+\.\n *The same barrier i
//     s missing for lines [0-9]+ and [0-9]+\n\n1 finding
//   advice BARRIER_BEFORE_READ by second_barrier_not
CASE(first_barrier, product<1><<<1, dim3(TILE, TILE)>>>(d_x, d_x, d_y, 2 * TILE));
// finds race: the next iteration of the loop overwrites in line
//   ~ put *\n? *__syncthreads.. at the end of the loop's body, after
//   ~ \.\n *The same barrier is missing for lines [0-9]+ and [0-9]+\n\n1 finding
//   advice BARRIER_IN_LOOP
CASE(second_barrier, product<2><<<1, dim3(TILE, TILE)>>>(d_x, d_x, d_y, 2 * TILE));
// finds race
//   advice TWO_BARRIERS by second_barrier_not
CASE(both_barriers, product<3><<<1, dim3(TILE, TILE)>>>(d_x, d_x, d_y, 2 * TILE));
CASE(second_barrier_not, product<0><<<1, dim3(TILE, TILE)>>>(d_x, d_x, d_y, 2 * TILE));
// finds race: overwrites what another thread has still to read
//   ~ put __syncthreads.. there\n\n1 finding
//   advice BARRIER_BEFORE_WRITE
PAIR(in_place, smooth_in_place<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: read *\n? *into a variable, then __syncthreads.., then write. Both are in a branch
//   ~ \n1 finding
//   advice READ_BARRIER_WRITE, OUT_OF_BRANCH
PAIR(scan_in_place, prefix_sums<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: put __syncwarp.. between line [0-9]+ and line [0-9]+\n\n1 finding
//   advice BARRIER_BEFORE_READ
PAIR(of_warp, swap_in_warp<<<1, BLOCK>>>(d_x, d_y, right));
// finds block-race: do the reading in a second launch
//   advice SECOND_LAUNCH
CASE(blocks_phases, squares_then_sum<<<GRID, BLOCK>>>(d_x, d_y));
CASE(blocks_phases_not, squares<<<GRID, BLOCK>>>(d_x); sum_of_next<<<GRID, BLOCK>>>(d_x, d_y));
// finds block-race: launch the kernel once per
//   advice LAUNCH_AND_SECOND_ARRAY
CASE(blocks_loop, heat<<<GRID, BLOCK>>>(d_x, 3));
CASE(blocks_loop_not, for (int step = 0; step < 3; step++)
                          heat_step<<<GRID, BLOCK>>>(step % 2 ? d_y : d_x, step % 2 ? d_x : d_y));
// finds block-race: \n1 finding
//   advice WRITE_ELSEWHERE
CASE(blocks_shift, heat_step<<<GRID, BLOCK>>>(d_x, d_x));
CASE(blocks_shift_not, heat_step<<<GRID, BLOCK>>>(d_x, d_y));
// finds block-race
//   advice LAUNCH_PER_ITERATION
CASE(blocks_swap, heat_swap<<<GRID, BLOCK>>>(d_x, d_y, 0, 3));
CASE(blocks_swap_not,
     for (int step = 0; step < 3; step++) heat_swap<<<GRID, BLOCK>>>(d_x, d_y, step, step + 1));
// finds race: between the two writes to one address by two[ \n]+threads: put[ \n]+__syncthreads.. b
//     etween line [0-9]+ and line [0-9]+
//   advice BARRIER_BETWEEN_WRITES
PAIR(two_writes, clear_and_add<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: part.t - half. .= other.*Both are in a branch
//   ~ __syncthreads..: end the branch[ \n]+after line [0-9]+, which reads into a[ \n]+variable,
//   advice BARRIER_BEFORE_WRITE, OUT_OF_BRANCH
PAIR(halves_in_branch, add_halves<<<1, BLOCK>>>(d_x, d_y, right));
// finds race
//   advice BARRIER_BEFORE_NEXT
PAIR(tree, add_tree<1><<<1, BLOCK>>>(d_x, d_y, BLOCK, right));
// finds race
//   advice BARRIER_BEFORE_AGAIN
PAIR(tree_unrolled, add_tree<0><<<1, BLOCK>>>(d_x, d_y, 0, right));
// finds race
//   advice BARRIER_BEFORE_AGAIN
PAIR(tree_of_lines, add_tree<2><<<1, BLOCK>>>(d_x, d_y, 0, right));
// finds race: s.right. .= s.right - d.;
//   advice BARRIER_BEFORE_NEXT
PAIR(up_sweep, up_sweep<<<1, BLOCK>>>(d_x, d_y, BLOCK, right));
// finds race: sum .= s.t.;
//   advice ONE_ATOMIC by one_sum_not
PAIR(one_sum, one_sum<<<1, BLOCK>>>(d_x, d_y, right));
// finds race: between line [0-9]+ and line [0-9]+, outside of the `if`
//   advice BARRIER_BEFORE_READ, OUTSIDE_OF_BRANCH
PAIR(upper_half, add_upper_half<<<1, BLOCK>>>(d_x, d_y, right));
