// Tensor memory of compute capability 10 (tcgen05): its allocation, and every shape of loads and
// stores, each against what another shape reads or writes of the same cells; copies from shared
// memory. From the manual, not compared with a card. With an argument: what must fail.
// since: 12.8
// architectures: 100a
// environment: LADDER_SIM_DEVICE=b200
#include <cstdint>

#include "../check.h"

enum { LANES = 128, WARPS = 4, MOST_COLUMNS = 512 };

static __device__ uint32_t shared_address(const void *at) {
    return uint32_t(__cvta_generic_to_shared(at));
}
static __device__ void allocate(uint32_t *to, uint32_t columns) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;"
                 :
                 : "r"(shared_address(to)), "r"(columns)
                 : "memory");
}
static __device__ void give_back(uint32_t address, uint32_t columns) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;"
                 :
                 : "r"(address), "r"(columns));
}
static __device__ void relinquish() {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}
#define WAIT(what) asm volatile("tcgen05.wait::" what ".sync.aligned;" ::: "memory")

// Cells of a column of the warp's lanes, one register of each thread.
static __device__ uint32_t read_cell(uint32_t address) {
    uint32_t value;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(address));
    WAIT("ld");
    return value;
}
static __device__ void write_cell(uint32_t address, uint32_t value) {
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" : : "r"(address), "r"(value));
    WAIT("st");
}

// ---- Shapes -------------------------------------------------------------------------------------

#define FOUR  "{%0, %1, %2, %3}"
#define OUT_4 "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
#define IN_4  "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
#define LOAD(words, half)                                                                          \
    asm volatile("tcgen05.ld.sync.aligned." words ".b32 " FOUR ", [%4]" half ";" : OUT_4 : "r"(at))
#define STORE(words, half)                                                                         \
    asm volatile("tcgen05.st.sync.aligned." words ".b32 [%4]" half ", " FOUR ";" : : IN_4, "r"(at))
#define SHAPE(number, words, pack, unpack, half)                                                   \
    case number:                                                                                   \
        if (loads) LOAD(words pack, half);                                                         \
        else STORE(words unpack, half);                                                            \
        break;

enum { SHAPES = 10, REGISTERS = 4 };
static __device__ void move(int shape, bool loads, uint32_t at, uint32_t *r) {
    switch (shape) {
        SHAPE(0, "32x32b.x4", "", "", "")
        SHAPE(1, "16x64b.x4", "", "", "")
        SHAPE(2, "16x128b.x2", "", "", "")
        SHAPE(3, "16x256b.x1", "", "", "")
        SHAPE(4, "16x32bx2.x4", "", "", ", 16")
        SHAPE(5, "32x32b.x4", ".pack::16b", ".unpack::16b", "")
        SHAPE(6, "16x64b.x4", ".pack::16b", ".unpack::16b", "")
        SHAPE(7, "16x128b.x2", ".pack::16b", ".unpack::16b", "")
        SHAPE(8, "16x256b.x1", ".pack::16b", ".unpack::16b", "")
        SHAPE(9, "16x32bx2.x4", ".pack::16b", ".unpack::16b", ", 16")
    }
    if (loads) WAIT("ld");
    else WAIT("st");
}

// Each cell (lane, column) of 32 columns is lane * 64 + column; what each shape loads of them. Then
// each shape stores it into empty cells, whose contents are read column by column.
// loaded: [SHAPES][LANES][REGISTERS]; stored: [SHAPES][LANES][32].
static __global__ void shapes(uint32_t *loaded, uint32_t *stored, int upper) {
    __shared__ uint32_t place;
    int warp = threadIdx.x / 32, thread = threadIdx.x;
    if (warp == 0) allocate(&place, 64);
    __syncthreads();
    uint32_t address = place + (uint32_t(warp * 32) << 16), r[REGISTERS];
    for (int shape = 0; shape < SHAPES; shape++) {
        uint32_t from = address + (upper && shape % 5 ? 16u << 16 : 0);
        for (uint32_t i = 0; i < 32; i++) write_cell(address + i, uint32_t(thread) * 64 + i);
        move(shape, true, from, r);
        for (int i = 0; i < REGISTERS; i++) loaded[(shape * LANES + thread) * REGISTERS + i] = r[i];
        for (uint32_t i = 0; i < 32; i++) write_cell(address + 32 + i, ~0u);
        move(shape, false, from + 32, r);
        for (uint32_t i = 0; i < 32; i++)
            stored[(shape * LANES + thread) * 32 + i] = read_cell(address + 32 + i);
    }
    __syncthreads();
    if (warp == 0) give_back(place, 64);
    if (warp == 0) relinquish();
}

// The cell of a warp's lanes that register r of a thread is, as the manual's figures have it.
struct cell {
    int lane, column;
};
static cell cell_of(int shape, int thread, int r) {
    switch (shape) {
    case 1: return {thread / 4 + thread % 2 * 8, 2 * r + thread / 2 % 2};
    case 2: return {thread / 4 + r % 2 * 8, r / 2 * 4 + thread % 4};
    case 3: return {thread / 4 + r / 2 * 8, thread % 4 * 2 + r % 2};
    case 4: return {thread % 16, r};
    default: return {thread, r};
    }
}

static void check_shapes() {
    std::vector<uint32_t> loaded(SHAPES * LANES * REGISTERS), stored(SHAPES * LANES * 32);
    uint32_t *d_loaded, *d_stored;
    CUDA_CHECK(cudaMalloc(&d_loaded, loaded.size() * 4));
    CUDA_CHECK(cudaMalloc(&d_stored, stored.size() * 4));
    for (int upper = 0; upper < 2; upper++) {
        shapes<<<2, LANES>>>(d_loaded, d_stored, upper);
        CUDA_CHECK(cudaMemcpy(loaded.data(), d_loaded, loaded.size() * 4, cudaMemcpyDefault));
        CUDA_CHECK(cudaMemcpy(stored.data(), d_stored, stored.size() * 4, cudaMemcpyDefault));
        std::vector<uint32_t> wanted(stored.size(), ~0u);
        for (int shape = 0; shape < SHAPES; shape++)
            for (int thread = 0; thread < LANES; thread++)
                for (int r = 0; r < REGISTERS; r++) {
                    bool halves = shape >= 5;
                    cell at = cell_of(shape % 5, thread % 32, r);
                    int lane = thread / 32 * 32 + at.lane + (upper && shape % 5 ? 16 : 0);
                    int column = at.column * (halves ? 2 : 1);
                    if (shape % 5 == 4 && thread % 32 >= 16) column += 16;
                    uint32_t value = uint32_t(lane * 64 + column);
                    uint32_t *cells = &wanted[(shape * LANES + lane) * 32 + column];
                    cells[0] = value;
                    if (halves) cells[1] = value + 1;
                    if (halves) value |= (value + 1) << 16;
                    EXPECT(loaded[(shape * LANES + thread) * REGISTERS + r] == value);
                }
        EXPECT(stored == wanted);
    }
    CUDA_CHECK(cudaFree(d_loaded));
    CUDA_CHECK(cudaFree(d_stored));
}

// ---- Copies -------------------------------------------------------------------------------------

#define COPY(shape, to)                                                                            \
    asm volatile("tcgen05.cp.cta_group::1." shape " [%0], %1;" : : "r"(to), "l"(rows) : "memory")

#define SHIFT(address)                                                                             \
    asm volatile("tcgen05.shift.cta_group::1.down [%0];" : : "r"(address) : "memory")

// The block's warps hand tensor memory to each other.
static __device__ void meet() {
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

// Word w of row r of shared memory is r * 8 + w, and so are the cells that are shifted; rows are of
// 32 bytes, whose halves are apart. out: [SHAPES_OF_COPIES][LANES][8], what each leaves in tensor
// memory.
enum { SHAPES_OF_COPIES = 10, CORNERS = 4, PACKED = 6, SHIFTS = 8 };
static __global__ void copies(uint32_t *out) {
    __shared__ __align__(128) uint32_t tile[2][LANES][4];
    __shared__ __align__(8) uint64_t done;
    __shared__ uint32_t place;
    uint32_t warp = threadIdx.x / 32, barrier = shared_address(&done);
    for (int i = 0; i < 8; i++) tile[i / 4][threadIdx.x][i % 4] = threadIdx.x * 8 + i;
    if (warp == 0) allocate(&place, 32);
    if (threadIdx.x == 32) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(barrier));
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint32_t own = place + (warp << 21);
    for (int shape = 0; shape < SHAPES_OF_COPIES; shape++) {
        for (uint32_t i = 0; i < 8; i++)
            write_cell(own + i, shape < SHIFTS ? ~0u : threadIdx.x * 8 + i);
        meet();
        if (threadIdx.x == 0) {
            uint64_t rows = shared_address(tile) >> 4 | uint64_t(sizeof tile[0] >> 4) << 16 |
                            uint64_t(128 >> 4) << 32 | uint64_t(1) << 46;
            if (shape == 0) COPY("128x256b", place);
            if (shape == 1) COPY("128x128b", place);
            if (shape == 2) COPY("64x128b.warpx2::02_13", place);
            if (shape == 3) COPY("64x128b.warpx2::01_23", place);
            if (shape == 4) COPY("4x256b", place);
            if (shape == 5) COPY("4x256b", place + (28 << 16));
            if (shape == 6) COPY("128x128b.b8x16.b6x16_p32", place);
            if (shape == 7) COPY("128x128b.b8x16.b4x16_p64", place);
            if (shape == 8) SHIFT(place);
            if (shape == 9) SHIFT(place + (32 << 16));
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%0];"
                         :
                         : "l"(&done)
                         : "memory");
        }
        __syncwarp();
        asm volatile("{ .reg .pred p;\n\t"
                     "W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t@!p bra W; }"
                     :
                     : "r"(barrier), "r"(shape & 1)
                     : "memory");
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        for (uint32_t i = 0; i < 8; i++)
            out[(shape * LANES + threadIdx.x) * 8 + i] = read_cell(own + i);
        meet();
    }
    if (warp == 0) give_back(place, 32);
}

// Four of the elements of 6 or 4 bits (in the middle of their bytes) in words row * 8 and on.
static uint32_t unpacked(uint32_t row, uint32_t i, uint32_t bits) {
    uint32_t words[] = {row * 8, row * 8 + 1, row * 8 + 2, row * 8 + 3}, value = 0;
    for (uint32_t bit = 0; bit < 4 * bits; bit++) {
        uint32_t from = i * 4 * bits + bit, to = bit / bits * 8 + bit % bits + (bits == 4 ? 2 : 0);
        value |= (words[from / 32] >> from % 32 & 1) << to;
    }
    return value;
}

static void check_copies() {
    std::vector<uint32_t> found(SHAPES_OF_COPIES * LANES * 8);
    uint32_t *d_found;
    CUDA_CHECK(cudaMalloc(&d_found, found.size() * 4));
    copies<<<1, LANES>>>(d_found);
    CUDA_CHECK(cudaMemcpy(found.data(), d_found, found.size() * 4, cudaMemcpyDefault));
    for (uint32_t shape = 0; shape < SHAPES_OF_COPIES; shape++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            for (uint32_t i = 0; i < 8; i++) {
                uint32_t row = shape < 2        ? lane
                               : shape == 2     ? lane % 64
                               : shape == 3     ? lane / 64 * 32 + lane % 32
                               : shape < PACKED ? lane / 32
                               : shape < SHIFTS
                                   ? lane
                                   : lane + (lane >= (shape - SHIFTS) * 32 && lane < LANES - 1);
                bool whole = shape == 0 || shape >= SHIFTS || (shape >= CORNERS && shape < PACKED);
                uint32_t wanted = whole || i < 4 ? row * 8 + i : ~0u;
                if (shape / 2 == CORNERS / 2 && lane % 32 != (shape - CORNERS) * 28) wanted = ~0u;
                if (shape / 2 == PACKED / 2 && i < 4) wanted = unpacked(row, i, 18 - shape * 2);
                EXPECT(found[(shape * LANES + lane) * 8 + i] == wanted);
            }
    CUDA_CHECK(cudaFree(d_found));
}

// ---- Allocation ---------------------------------------------------------------------------------

// Addresses of allocations of these columns, in turn; all are given back, the first ones first.
static __global__ void addresses(uint32_t *out, int count, const uint32_t *columns) {
    __shared__ uint32_t place[8];
    for (int i = 0; i < count; i++) allocate(&place[i], columns[i]);
    for (int i = 0; i < count; i++) out[i] = place[i];
    for (int i = 0; i < count; i++) give_back(place[i], columns[i]);
}

static void check_allocation() {
    const uint32_t columns[] = {256, 128, 64, 32, 32};
    uint32_t found[5], used[16] = {0}, *d_columns, *d_found;
    CUDA_CHECK(cudaMalloc(&d_columns, sizeof columns));
    CUDA_CHECK(cudaMalloc(&d_found, sizeof found));
    CUDA_CHECK(cudaMemcpy(d_columns, columns, sizeof columns, cudaMemcpyDefault));
    addresses<<<1, 32>>>(d_found, 5, d_columns);
    CUDA_CHECK(cudaMemcpy(found, d_found, sizeof found, cudaMemcpyDefault));
    for (int i = 0; i < 5; i++) // all 512 columns, none twice
        for (uint32_t unit = 0; unit < columns[i] / 32; unit++) used[found[i] / 32 + unit]++;
    for (uint32_t times : used) EXPECT(times == 1);
    CUDA_CHECK(cudaFree(d_columns));
    CUDA_CHECK(cudaFree(d_found));
}

// ---- What must fail -----------------------------------------------------------------------------

static __global__ void wrong(int what) {
    __shared__ uint32_t place;
    int warp = threadIdx.x / 32;
    uint32_t lanes = uint32_t(warp * 32) << 16;
    if (what == 0) allocate(&place, 48);              // no power of two
    if (what == 1 && warp == 0) allocate(&place, 32); // never given back
    if (what == 2) read_cell(lanes);                  // never allocated
    if (what == 3 && warp == 0) {
        relinquish();
        allocate(&place, 32);
    }
    if (what == 4 && warp == 0) { // in the middle of a quarter
        allocate(&place, 32);
        read_cell(place + (1 << 16));
    }
    if (what == 5 && warp == 0) {
        allocate(&place, 64);
        give_back(place, 32);
    }
    if (what == 6 && warp == 0) { // beyond the allocation
        allocate(&place, 32);
        read_cell(place + 32);
    }
    if (what == 7 && warp == 0) {
        allocate(&place, 32);
        give_back(place, 32);
        allocate(&place, 64); // larger than before
    }
}

int main(int count, char **words) {
    if (count > 1) {
        wrong<<<1, LANES>>>(atoi(words[1]));
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    return run_parts({check_shapes, check_copies, check_allocation});
}
