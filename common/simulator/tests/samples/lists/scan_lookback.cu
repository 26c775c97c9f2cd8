// SPDX-License-Identifier: MIT
// Prefix sum in a single pass with decoupled look-back: tiles take a ticket, publish their
// aggregate, then walk back over their predecessors' states until one shows its inclusive prefix.
#include <vector>

#include "../helper.h"

constexpr int THREADS = 128, ITEMS = 8, TILE = THREADS * ITEMS;
enum : unsigned int { STATE_INVALID = 0, STATE_AGGREGATE = 1, STATE_PREFIX = 2 };

union TileState {
    struct {
        unsigned int status, value;
    } part;
    unsigned long long word;
};

__device__ __forceinline__ void publish(unsigned long long *slot, unsigned int status,
                                        unsigned int value) {
    TileState state;
    state.part.status = status;
    state.part.value = value;
    __threadfence();
    atomicExch(slot, state.word);
}

__device__ unsigned int lookBack(unsigned long long *states, int tile) {
    volatile unsigned long long *seen = states;
    unsigned int prefix = 0;
    for (int back = tile - 1; back >= 0; back--) {
        TileState state;
        do {
            state.word = seen[back];
        } while (state.part.status == STATE_INVALID);
        prefix += state.part.value;
        if (state.part.status == STATE_PREFIX) break;
    }
    return prefix;
}

__global__ __launch_bounds__(THREADS) void scanLookBack(const unsigned int *__restrict__ in,
                                                        unsigned int *__restrict__ out,
                                                        unsigned long long *states,
                                                        unsigned int *ticket, int n) {
    __shared__ unsigned int warpTotals[THREADS / 32], tileShared, prefixShared;
    if (threadIdx.x == 0) tileShared = atomicAdd(ticket, 1u);
    __syncthreads();
    const int tile = tileShared;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int first = tile * TILE + threadIdx.x * ITEMS;

    unsigned int items[ITEMS], total = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        items[i] = first + i < n ? in[first + i] : 0u;
        total += items[i];
    }
    unsigned int inclusive = total;
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        unsigned int up = __shfl_up_sync(~0u, inclusive, d);
        if (lane >= d) inclusive += up;
    }
    if (lane == 31) warpTotals[warp] = inclusive;
    __syncthreads();
    unsigned int before = inclusive - total, aggregate = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        if (w < warp) before += warpTotals[w];
        aggregate += warpTotals[w];
    }
    if (threadIdx.x == 0) {
        unsigned int prefix = 0;
        if (tile == 0) {
            publish(&states[0], STATE_PREFIX, aggregate);
        } else {
            publish(&states[tile], STATE_AGGREGATE, aggregate);
            prefix = lookBack(states, tile);
            publish(&states[tile], STATE_PREFIX, prefix + aggregate);
        }
        prefixShared = prefix;
    }
    __syncthreads();
    unsigned int running = prefixShared + before;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        running += items[i];
        if (first + i < n) out[first + i] = running;
    }
}

int main(int argc, char **argv) {
    int largest = intOption(argc, argv, "n", 300001);
    bool passed = true;
    for (int n : {1, TILE, TILE + 1, 50000, largest}) {
        std::vector<unsigned int> in(n), out(n);
        HostRandom random(n);
        for (unsigned int &v : in) v = random.next() & 0xffff;
        int tiles = divUp(n, TILE);
        unsigned int *d_in, *d_out, *d_ticket;
        unsigned long long *d_states;
        checkCudaErrors(cudaMalloc(&d_in, n * sizeof(int)));
        checkCudaErrors(cudaMalloc(&d_out, n * sizeof(int)));
        checkCudaErrors(cudaMalloc(&d_states, tiles * sizeof(*d_states)));
        checkCudaErrors(cudaMalloc(&d_ticket, sizeof(int)));
        checkCudaErrors(cudaMemset(d_states, 0, tiles * sizeof(*d_states)));
        checkCudaErrors(cudaMemset(d_ticket, 0, sizeof(int)));
        checkCudaErrors(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
        scanLookBack<<<tiles, THREADS>>>(d_in, d_out, d_states, d_ticket, n);
        getLastCudaError("scanLookBack");
        checkCudaErrors(cudaMemcpy(out.data(), d_out, n * sizeof(int), cudaMemcpyDeviceToHost));
        unsigned int sum = 0;
        bool right = true;
        for (int i = 0; i < n; i++) {
            sum += in[i];
            right = right && out[i] == sum;
        }
        printf("%d elements in %d tiles: %u\n", n, tiles, out[n - 1]);
        passed = passed && right;
        checkCudaErrors(cudaFree(d_in));
        checkCudaErrors(cudaFree(d_out));
        checkCudaErrors(cudaFree(d_states));
        checkCudaErrors(cudaFree(d_ticket));
    }
    return finish("scan_lookback", passed);
}
