// Tensor memory of compute capability 10 (tcgen05): see check_case.h.
// since: 12.8
// architectures: 100a
// checked: --device b200
#include <stdint.h>

#include "check_case.h"

enum { ROWS = 128, COLUMNS = 32, DEPTH = 16, TILE = ROWS * DEPTH };

// What a kernel leaves out.
enum fault {
    NOTHING,
    COMMIT,
    WAIT,         // for the product, by the first warp
    WAIT_OF_REST, // by the others
    WAIT_OF_ALL,
    WAIT_STORE, // of the first sums
    WAIT_LOAD,  // of the first sums, before the product
    BARRIER,    // before the memory is given back
    GIVE_BACK,
    ALLOCATE,
    FENCE,
    INSIDE,     // a tile that lies in shared memory
    FENCES,     // tcgen05.fence, which a barrier does not need
    AFTER_WAIT, // tcgen05.fence::after_thread_sync, behind a relaxed wait for the product
    PHASE,      // the parity for which the wait is one
    LANES       // of the warp, in an address
};

static __device__ uint32_t shared_address(const void *at) {
    return uint32_t(__cvta_generic_to_shared(at));
}
static __device__ void wait_for(uint32_t barrier, int parity) {
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }"
        :
        : "r"(barrier), "r"(parity)
        : "memory");
}
static __device__ float load(uint32_t address) {
    float value;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(value) : "r"(address));
    return value;
}

// Sums of 16 products of ones, added to what tensor memory has.
static __global__ void sums(float *y, fault without) {
    __shared__ alignas(128) uint16_t tiles[2 * TILE]; // halves: A, then B
    __shared__ uint32_t place;
    __shared__ alignas(8) uint64_t barrier;
    uint32_t warp = threadIdx.x / 32, done = shared_address(&barrier);
    for (int i = threadIdx.x; i < 2 * TILE; i += BLOCK) tiles[i] = 0x3C00; // 1
    if (threadIdx.x == 32) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(done));
    if (threadIdx.x == 64) place = 0;
    __syncthreads();
    if (warp == 0 && without != ALLOCATE)
        asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;"
                     :
                     : "r"(shared_address(&place))
                     : "memory");
    if (without != FENCE) asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint32_t d = place, own = d + (warp << 21);
    for (uint32_t i = 0; i < COLUMNS; i++)
        asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" : : "r"(own + i), "r"(0));
    if (without != WAIT_STORE) asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    float before = load(own);
    if (without != WAIT_LOAD) asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    if (without != FENCES) asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    if (without != FENCES) asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (threadIdx.x == 0) {
        // Tiles of 8 rows of 16 bytes: two of them side by side along k.
        uint64_t layout = uint64_t(128 >> 4) << 16 | uint64_t(256 >> 4) << 32 | uint64_t(1) << 46;
        uint64_t a = layout | shared_address(tiles) >> 4, b = a + (TILE * 2 >> 4);
        if (without == INSIDE) b += 100000 >> 4;
        uint32_t shape = 1 << 4 | COLUMNS / 8 << 17 | ROWS / 16 << 24;
        asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n\t"
                     "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }"
                     :
                     : "r"(d), "l"(a), "l"(b), "r"(shape)
                     : "memory");
        if (without != COMMIT)
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                         "[%0];"
                         :
                         : "r"(done)
                         : "memory");
    }
    __syncwarp();
    if (without == AFTER_WAIT)
        asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, "
                     "[%0], 0; @!p bra W; }"
                     :
                     : "r"(done)
                     : "memory");
    else if (without == NOTHING || without > WAIT_OF_ALL || (without == WAIT && warp) ||
             (without == WAIT_OF_REST && warp == 0))
        wait_for(done, without == PHASE);
    if (without != AFTER_WAIT && without != FENCES)
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (without != COMMIT && without != WAIT_OF_ALL)
        y[threadIdx.x] = load((without == LANES ? d : own) + 1) + before;
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    if (without != BARRIER) __syncthreads();
    if (warp == 0 && without != GIVE_BACK && without != ALLOCATE)
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" : : "r"(d));
}

#define SUMS(without) sums<<<1, BLOCK>>>(d_y, without)

CASE(sums_not, SUMS(NOTHING));

// finds tensor-memory: in kernel sums
//   ~ the product or copy .tcgen05. may still be at work: tcgen05.commit behind
CASE(read_early, SUMS(WAIT));

// finds tensor-memory: in kernel sums
//   ~ nothing orders the two: a barrier of their warps between them
CASE(read_by_others, SUMS(WAIT_OF_REST));

// finds tensor-memory: in kernel sums
//   ~ no tcgen05.commit is behind the product: nobody can wait for it
CASE(no_commit, SUMS(COMMIT));

// finds tensor-memory: in kernel sums
//   ~ nobody has waited for the mbarrier that tcgen05.commit names behind
CASE(no_wait, SUMS(WAIT_OF_ALL));

// finds tensor-memory: in kernel sums
//   ~ the store may not have reached it: tcgen05.wait::st of its
CASE(store_early, SUMS(WAIT_STORE));

// finds tensor-memory: in kernel sums
//   ~ the load may still be reading what is written: tcgen05.wait::ld of its
CASE(load_late, SUMS(WAIT_LOAD));

// finds tensor-memory: in kernel sums
//   ~ nothing orders the two: a barrier of their warps between them
CASE(given_back_early, SUMS(BARRIER));

// finds tensor-memory: in kernel sums
//   ~ the block has ended and still has 32 columns of tensor memory
CASE(not_given_back, SUMS(GIVE_BACK));

// finds tensor-memory: in kernel sums
//   ~ columns 0 to 0 of tensor memory: the block has not allocated column 0
CASE(not_allocated, SUMS(ALLOCATE));

// finds race: in kernel sums
//   ~ the product may read what was there before the store: the threads that store
CASE(unfenced, SUMS(FENCE));

// finds out-of-bounds: in kernel sums
CASE(outside, SUMS(INSIDE));

CASE(no_fences_not, SUMS(FENCES));

// finds tensor-memory: in kernel sums
//   ~ a relaxed wait alone does not order the two for tensor memory
CASE(no_fence_behind_wait, SUMS(AFTER_WAIT));

// finds tensor-memory: in kernel sums
//   ~ the product or copy .tcgen05. may still be at work: tcgen05.commit behind
CASE(wrong_phase, SUMS(PHASE));

// finds tensor-memory: in kernel sums
//   ~ the address names lanes that the warp does not reach: warp i has lanes
CASE(other_lanes, SUMS(LANES));

// ---- The memory of the peer ---------------------------------------------------------------------

enum peer_fault { PEER_NOTHING, PEER_WAIT, PEER_BARRIER };

static __device__ void sync(bool pair) {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    if (pair)
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    else
        __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// The first block shifts cells of both; the second one has written its own, and reads them.
static __global__ void __cluster_dims__(2) shifted(float *y, peer_fault without) {
    __shared__ uint32_t place;
    __shared__ alignas(8) uint64_t barrier;
    uint32_t done = shared_address(&barrier), warp = threadIdx.x / 32;
    if (threadIdx.x == 32) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(done));
    if (warp == 0)
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 32;"
                     :
                     : "r"(shared_address(&place))
                     : "memory");
    __syncthreads();
    uint32_t own = place + (warp << 21);
    if (without == PEER_BARRIER) sync(true); // too early
    for (uint32_t i = 0; i < 8; i++)
        asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" : : "r"(own + i), "r"(0));
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    sync(without != PEER_BARRIER);
    if (threadIdx.x == 0 && blockIdx.x % 2 == 0) {
        asm volatile("tcgen05.shift.cta_group::2.down [%0];" : : "r"(place) : "memory");
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
                     ".multicast::cluster.b64 [%0], %1;"
                     :
                     : "r"(done), "h"(uint16_t(3))
                     : "memory");
    }
    __syncwarp();
    if (without != PEER_WAIT || blockIdx.x % 2 == 0) wait_for(done, 0);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    y[blockIdx.x % 2 * BLOCK + threadIdx.x] = load(own);
    asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
    sync(true);
    if (warp == 0)
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 32;" : : "r"(place));
}

#define SHIFTED(without) shifted<<<2, BLOCK>>>(d_y, without)

CASE(shifted_not, SHIFTED(PEER_NOTHING));

// finds tensor-memory: in kernel shifted
//   ~ nothing orders the two
CASE(peer_reads_early, SHIFTED(PEER_WAIT));

// finds tensor-memory: in kernel shifted
//   ~ nothing orders the two
CASE(peer_writes_late, SHIFTED(PEER_BARRIER));
