// Products of compute capability 10 (tcgen05.mma): all kinds, types and layouts of operands in
// shared and tensor memory, by one block and by two, against sums of 64-bit integers: factors are
// from -3 to 3, so that every sum is exact; with a sparse A, with a shifted one and with columns of
// zeros (.sp, .ashift, .ws), too. Where an element lies is written down once more here, as the
// canonical layouts of the manual have it. From the manual, not compared with a card.
// since: 12.8
// architectures: 100a
// environment: LADDER_SIM_DEVICE=b200
#include <algorithm>
#include <cstdint>

#include "../check.h"

enum { THREADS = 128, LANES = 128, A_BYTES = 32768, B_BYTES = 65536, A_COLUMNS = 8 };
enum { METADATA = A_COLUMNS + 16, CELLS = A_COLUMNS + 4 }; // columns: behind A and factors; of both
enum way { PLAIN, WS, SP, WS_SP, ASHIFT, SP_ASHIFT };
// Factors of 128 rows are 32 rows of 16 bytes, which tcgen05.cp gives to all quarters of lanes.
enum { FACTOR_BYTES = 512, IMAGE_BYTES = A_BYTES + B_BYTES + 3 * FACTOR_BYTES };

// What a launch is given: descriptors without addresses, how D begins, and which lanes stay.
struct job {
    uint64_t a, b;
    uint32_t descriptor, columns, lane, advance;
    int kind, adds, a_in_tmem, masked, scaled, factors, columns_of_b;
    way as;
    uint64_t zeros; // columns of B
    int halves;     // of columns, whose factors are in two halves of the lanes
};

#define GROUP(n) ".cta_group::" #n
#define MANAGE(n)                                                                                  \
    static __device__ void allocate_##n(uint32_t to) {                                             \
        asm volatile("tcgen05.alloc" GROUP(n) ".sync.aligned.shared::cta.b32 [%0], 512;"           \
                     :                                                                             \
                     : "r"(to)                                                                     \
                     : "memory");                                                                  \
    }                                                                                              \
    static __device__ void copy_##n(uint32_t to, uint64_t rows) {                                  \
        asm volatile("tcgen05.cp" GROUP(n) ".32x128b.warpx4 [%0], %1;" : : "r"(to), "l"(rows));    \
    }                                                                                              \
    static __device__ void give_back_##n(uint32_t address) {                                       \
        asm volatile("tcgen05.dealloc" GROUP(n) ".sync.aligned.b32 %0, 512;" : : "r"(address));    \
    }
MANAGE(1)
MANAGE(2)
static __device__ void copy_halves_2(uint32_t to, uint64_t rows) {
    asm volatile("tcgen05.cp.cta_group::2.64x128b.warpx2::01_23 [%0], %1;" : : "r"(to), "l"(rows));
}

#define IN        "r"(d), "l"(j.a + at_a), "l"(j.b + at_b), "r"(j.descriptor), "r"(j.adds)
#define PREDICATE "{ .reg .pred p; setp.ne.b32 p, %4, 0; tcgen05.mma"
#define MMA(n, kind)                                                                               \
    asm volatile(PREDICATE GROUP(n) kind " [%0], %1, %2, %3, p; }" : : IN : "memory")
#define MMA_TMEM(n, kind)                                                                          \
    asm volatile(PREDICATE GROUP(n) kind " [%0], [%5], %2, %3, p; }" : : IN, "r"(a) : "memory")
#define MMA_SCALED(n, kind, vector)                                                                \
    if (j.as == SP) MMA_FACTORS(".sp" GROUP(n), kind, vector, "%1", "[%8], ");                     \
    else if (j.a_in_tmem) MMA_FACTORS(GROUP(n), kind, vector, "[%7]", "");                         \
    else MMA_FACTORS(GROUP(n), kind, vector, "%1", "")
#define MMA_FACTORS(group, kind, vector, of_a, metadata)                                           \
    asm volatile(PREDICATE group kind ".block_scale" vector " [%0], " of_a ", %2, " metadata       \
                                      "%3, [%5], [%6], p; }"                                       \
                 :                                                                                 \
                 : IN, "r"(a + A_COLUMNS), "r"(a + A_COLUMNS + 4), "r"(a), "r"(a + METADATA)       \
                 : "memory")
#define MMA_WAY(words, of_a, metadata, last)                                                       \
    asm volatile(PREDICATE words " [%0], " of_a ", %2, " metadata "%3, p" last "; }"               \
                 :                                                                                 \
                 : IN, "r"(a), "r"(a + METADATA), "l"(j.zeros)                                     \
                 : "memory")
#define MMA_WAYS(n, kind)                                                                          \
    do {                                                                                           \
        if (n == 1 && j.as == SP_ASHIFT)                                                           \
            MMA_WAY(".sp" GROUP(1) kind ".ashift", "[%5]", "[%6], ", "");                          \
        else if (j.as == SP && j.a_in_tmem) MMA_WAY(".sp" GROUP(n) kind, "[%5]", "[%6], ", "");    \
        else if (j.as == SP) MMA_WAY(".sp" GROUP(n) kind, "%1", "[%6], ", "");                     \
        else if (n == 1 && j.as == ASHIFT) MMA_WAY(GROUP(1) kind ".ashift", "[%5]", "", "");       \
        else if (n == 1 && j.as == WS_SP) MMA_WAY(".ws.sp" GROUP(1) kind, "%1", "[%6], ", ", %7"); \
        else if (n == 1 && j.a_in_tmem) MMA_WAY(".ws" GROUP(1) kind, "[%5]", "", ", %7");          \
        else if (n == 1 && j.zeros)                                                                \
            MMA_WAY(".ws" GROUP(1) kind ".collector::b3::fill", "%1", "", ", %7");                 \
        else if (n == 1) MMA_WAY(".ws" GROUP(1) kind ".collector::b0::use", "%1", "", "");         \
    } while (0)
#define MULTIPLY(n)                                                                                \
    static __device__ void multiply_##n(const job &j, uint32_t d, uint32_t a, uint64_t at_a,       \
                                        uint64_t at_b) {                                           \
        if (j.kind == 4) MMA_SCALED(n, ".kind::mxf8f6f4", "");                                     \
        else if (j.kind == 5) MMA_SCALED(n, ".kind::mxf4", "");                                    \
        else if (j.kind == 6 && j.factors == 2) MMA_SCALED(n, ".kind::mxf4nvf4", ".block32");      \
        else if (j.kind == 6) MMA_SCALED(n, ".kind::mxf4nvf4", ".scale_vec::4X");                  \
        else if (j.as && j.kind == 0) MMA_WAYS(n, ".kind::f16");                                   \
        else if (j.as && j.kind == 1) MMA_WAYS(n, ".kind::tf32");                                  \
        else if (j.as && j.kind == 2) MMA_WAYS(n, ".kind::f8f6f4");                                \
        else if (j.as) MMA_WAYS(n, ".kind::i8");                                                   \
        else if (j.masked && n == 1)                                                               \
            asm volatile(PREDICATE ".cta_group::1.kind::f16 [%0], %1, %2, %3, {%5, %6, %5, %6}, "  \
                                   "p; }"                                                          \
                         :                                                                         \
                         : IN, "r"(0x0000FFFFu), "r"(0x80000001u)                                  \
                         : "memory");                                                              \
        else if (j.scaled && n == 1)                                                               \
            asm volatile(PREDICATE ".cta_group::1.kind::f16 [%0], %1, %2, %3, p, 1; }"             \
                         :                                                                         \
                         : IN                                                                      \
                         : "memory");                                                              \
        else if (j.a_in_tmem && j.kind == 0) MMA_TMEM(n, ".kind::f16");                            \
        else if (j.a_in_tmem && j.kind == 1) MMA_TMEM(n, ".kind::tf32");                           \
        else if (j.a_in_tmem && j.kind == 2) MMA_TMEM(n, ".kind::f8f6f4");                         \
        else if (j.a_in_tmem) MMA_TMEM(n, ".kind::i8");                                            \
        else if (j.kind == 0) MMA(n, ".kind::f16");                                                \
        else if (j.kind == 1) MMA(n, ".kind::tf32");                                               \
        else if (j.kind == 2) MMA(n, ".kind::f8f6f4.collector::a::fill");                          \
        else MMA(n, ".kind::i8");                                                                  \
    }
MULTIPLY(1)
MULTIPLY(2)

static __device__ void arrive_when_done(int blocks, uint32_t barrier) {
    if (blocks == 1)
        asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];"
                     :
                     : "r"(barrier)
                     : "memory");
    else
        asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster"
                     ".multicast::cluster.b64 [%0], %1;"
                     :
                     : "r"(barrier), "h"(uint16_t(3))
                     : "memory");
}
static __device__ void wait_for(uint32_t barrier) {
    asm volatile(
        "{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }"
        :
        : "r"(barrier)
        : "memory");
}
static __device__ void meet(int blocks) {
    __syncthreads();
    if (blocks == 2)
        asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
static __device__ void write_cell(uint32_t address, uint32_t value) {
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" : : "r"(address), "r"(value));
}
static __device__ uint32_t read_cell(uint32_t address) {
    uint32_t value;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(value) : "r"(address));
    asm volatile("tcgen05.wait::ld.sync.aligned;");
    return value;
}

// Of each block: image: [A_BYTES + B_BYTES] of shared memory; cells: [CELLS][LANES] of A in tensor
// memory, and of metadata; d: [columns][LANES], read and written.
template <int BLOCKS>
static __global__ void product(job j, const uint8_t *image, const uint32_t *cells, uint32_t *d) {
    extern __shared__ __align__(1024) uint8_t tile[];
    __shared__ uint32_t place;
    __shared__ __align__(8) uint64_t barrier;
    uint32_t done = uint32_t(__cvta_generic_to_shared(&barrier)), warp = threadIdx.x / 32;
    uint8_t *aligned = tile + (1024 - __cvta_generic_to_shared(tile) % 1024) % 1024;
    image += blockIdx.x * IMAGE_BYTES;
    cells += blockIdx.x * CELLS * LANES;
    d += blockIdx.x * j.columns * LANES;
    for (int i = threadIdx.x * 4; i < IMAGE_BYTES; i += THREADS * 4)
        memcpy(aligned + i, image + i, 4);
    if (threadIdx.x == 32)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(done) : "memory");
    if (warp == 0 && BLOCKS == 1) allocate_1(uint32_t(__cvta_generic_to_shared(&place)));
    if (warp == 0 && BLOCKS == 2) allocate_2(uint32_t(__cvta_generic_to_shared(&place)));
    __syncthreads();
    uint32_t own = place + (warp << 21), a = place + j.columns;
    for (uint32_t i = 0; i < j.columns; i++) write_cell(own + i, d[i * LANES + threadIdx.x]);
    for (uint32_t i = 0; i < CELLS; i++)
        write_cell(own + j.columns + (i < A_COLUMNS ? i : METADATA - A_COLUMNS + i),
                   cells[i * LANES + threadIdx.x]);
    asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    meet(BLOCKS);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        uint32_t start = uint32_t(__cvta_generic_to_shared(aligned)), lane = j.lane << 16;
        uint64_t at_a = (start + j.advance) >> 4, at_b = (start + A_BYTES + j.advance) >> 4;
        uint64_t rows = 8 << 16 | uint64_t(128 >> 4) << 32 | uint64_t(1) << 46 |
                        (start + A_BYTES + B_BYTES) >> 4; // rows of 16 bytes
        if (BLOCKS == 2 && j.halves) copy_halves_2(a + A_COLUMNS + 4, rows + (FACTOR_BYTES >> 4));
        for (int i = 0; j.factors && i < 1 + (j.halves ? 0 : (j.columns_of_b + 127) / 128); i++)
            if (BLOCKS == 1) copy_1(a + A_COLUMNS + i * 4, rows + i * (FACTOR_BYTES >> 4));
            else copy_2(a + A_COLUMNS + i * 4, rows + i * (FACTOR_BYTES >> 4));
        if (BLOCKS == 1) multiply_1(j, place + lane, a + lane, at_a, at_b);
        else multiply_2(j, place + lane, a + lane, at_a, at_b);
        arrive_when_done(BLOCKS, done);
    }
    wait_for(done);
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    for (uint32_t i = 0; i < j.columns; i++) d[i * LANES + threadIdx.x] = read_cell(own + i);
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    meet(BLOCKS);
    if (warp == 0 && BLOCKS == 1) give_back_1(place);
    if (warp == 0 && BLOCKS == 2) give_back_2(place);
}

// ---- Types --------------------------------------------------------------------------------------

struct format { // kind, number in the descriptor, bits, of them fraction; exponent of 1; 0: integer
    int kind, number, bits, fraction, one;
};
static const format F16 = {0, 0, 16, 10, 15}, BF16 = {0, 1, 16, 7, 127}, TF32 = {1, 2, 32, 23, 127},
                    E4M3 = {2, 0, 8, 3, 7}, E5M2 = {2, 1, 8, 2, 15}, E2M3 = {2, 3, 6, 3, 1},
                    E3M2 = {2, 4, 6, 2, 3}, E2M1 = {2, 5, 4, 1, 1}, U8 = {3, 0, 8, 0, 0},
                    S8 = {3, 1, 8, 0, 0};
enum result { RESULT_F16, RESULT_F32, RESULT_S32 };

static const format MX_E4M3 = {4, 0, 8, 3, 7}, MX_E2M3 = {4, 3, 6, 3, 1}, MX_E2M1 = {4, 5, 4, 1, 1},
                    MXF4 = {5, 1, 4, 1, 1}, NVF4 = {6, 1, 4, 1, 1};

static int bytes_of(const format &f) { return (f.bits + 7) / 8; }
// Elements in 16 bytes: those of the last two kinds are packed.
static int each_of(const format &f) { return f.kind > 4 ? 32 : 16 / bytes_of(f); }
static int depth_of(const format &f) { return 2 * each_of(f); }

// Bits of a number from -3 to 3.
static uint32_t encode(const format &f, int value) {
    if (!f.one) return uint32_t(value) & 0xFF;
    uint32_t sign = value < 0 ? 1u << (f.bits - 1) : 0, magnitude = uint32_t(abs(value));
    if (!magnitude) return sign;
    uint32_t exponent = uint32_t(f.one) + (magnitude > 1);
    return sign | exponent << f.fraction | (magnitude == 3 ? 1u << (f.fraction - 1) : 0);
}

// ---- Layouts ------------------------------------------------------------------------------------

struct layout { // the swizzle's number in the descriptor, and the bytes of its rows
    int number, width;
};
static const layout NONE = {0, 16}, WIDE = {1, 128}, SWIZZLE_128 = {2, 128}, SWIZZLE_64 = {4, 64},
                    SWIZZLE_32 = {6, 32};

struct matrix {
    format type;
    layout how;
    bool transposed;
    int rows;
    uint32_t leading() const {
        if (!transposed) return uint32_t(rows / 8 * 128);
        return how.width == 16 ? 128
                               : stride() * uint32_t(depth_of(type) / (how.number == 1 ? 4 : 8));
    }
    uint32_t stride() const {
        if (how.width == 16) return transposed ? uint32_t(depth_of(type) / 8 * 128) : 128;
        return uint32_t((how.number == 1 ? 4 : 8) * how.width);
    }
    uint64_t bits() const {
        return uint64_t(leading() >> 4) << 16 | uint64_t(stride() >> 4) << 32 | uint64_t(1) << 46 |
               uint64_t(how.number) << 61;
    }
    // The byte where 16 bytes with element (row, k) begin, before the swizzle.
    uint32_t chunk(int row, int k) const {
        int each = each_of(type), wide = how.width / 16 * each;
        int deep = how.number == 1 ? 4 : 8;
        if (!transposed && how.width == 16)
            return uint32_t(row % 8 * 16) + uint32_t(row / 8) * stride() +
                   uint32_t(k / each) * leading();
        if (!transposed)
            return uint32_t(row % 8 * how.width) + uint32_t(row / 8) * stride() +
                   uint32_t(k / each * 16);
        if (how.width == 16)
            return uint32_t(row / each) * stride() + uint32_t(k % 8 * 16) +
                   uint32_t(k / 8) * leading();
        return uint32_t(row % wide / each * 16) + uint32_t(row / wide) * leading() +
               uint32_t(k % deep * how.width) + uint32_t(k / deep) * stride();
    }
    void put(uint8_t *image, uint32_t advance, int row, int k, int value) const {
        int each = each_of(type), bit = (transposed ? row : k) % each * type.bits;
        uint32_t at = chunk(row, k) + advance;
        if (how.number == 1) at ^= (at >> 7 & 3) << 5;
        else at ^= (at >> 7 & uint32_t(how.width / 16 - 1)) << 4;
        uint64_t word = 0;
        int count = bit / 8 + 8 <= 16 ? 8 : 16 - bit / 8;
        memcpy(&word, image + at + bit / 8, size_t(count));
        word |= uint64_t(encode(type, value)) << bit % 8;
        memcpy(image + at + bit / 8, &word, size_t(count));
    }
};

// ---- One product --------------------------------------------------------------------------------

struct options {
    int blocks = 1, adds = 1, a_in_tmem = 0, masked = 0, negated = 0, lane = 0, saturates = 0,
        scaled = 0, factors = 0, first = 0, powers = 1, selector = 0;
    uint32_t advance = 0;
    way as = PLAIN;
    int beyond = 0; // columns of B that are behind those that are multiplied without a shift
    uint64_t zeros = 0;
    bool keeps() const { return as == WS || as == WS_SP; }
    bool sparse() const { return as == SP || as == WS_SP || as == SP_ASHIFT; }
    bool shifts() const { return as == ASHIFT || as == SP_ASHIFT; }
};

// Twice factor i of a row, and its byte.
static int factor_of(int row, int i) { return 1 << ((row * 5 + i * 3) % 7 % 3); }
static uint8_t factor_bits(int twice, int powers) {
    int exponent = twice == 1 ? -1 : twice == 2 ? 0 : 1;
    return uint8_t(powers ? 127 + exponent : (7 + exponent) << 3);
}

static uint32_t result_bits(result type, int64_t value) {
    float single = float(value);
    uint32_t bits;
    memcpy(&bits, &single, 4);
    if (type == RESULT_S32) return uint32_t(value);
    if (type == RESULT_F32 || value == 0) return bits;
    return (bits >> 16 & 0x8000) | ((bits & 0x7FFFFFFF) - (112u << 23)) >> 13; // exact below 2^11
}

static int number_of(uint32_t seed) { return int(seed * 2654435761u >> 13) % 7 - 3; }

// Metadata of a group of a row of a sparse A, and where its stored element i belongs.
static uint32_t metadata_of(const format &f, int row, int group) {
    static const uint32_t pairs[] = {4, 8, 12, 9, 13, 6, 14}, singles[] = {4, 14};
    return f.bits == 32 ? singles[(row + group) % 2] : pairs[(row * 3 + group) % 7];
}
static int place_of(const format &f, uint32_t metadata, int i) {
    int first = int(metadata & 3), second = int(metadata >> 2);
    if (f.bits == 32) return first / 2;
    return f.kind > 4 ? (i < 2 ? first : second) * 2 + i % 2 : i ? second : first;
}

// Whether a zero-column mask has a column of one of the groups.
static bool is_zero(uint64_t zeros, int group, int column) {
    int length[] = {int(zeros >> 48 & 0xFF) + 1, int(zeros >> 40 & 0xFF) + 1};
    int now = zeros >> (32 + group) & 1, left = length[now];
    for (int skip = int(zeros >> 8 * group & 0xFF) + column; skip > 0; skip--)
        if (--left == 0) left = length[now = !now];
    return (zeros >> 39 & 1) && now;
}

static void check_product(const matrix &a, const matrix &b, int m, result type, options o = {}) {
    int stored = depth_of(a.type), depth = stored * (o.sparse() ? 2 : 1);
    int n = b.rows * o.blocks - o.beyond, rows = m / o.blocks;
    bool half = rows == 64 && !o.keeps() && (o.blocks == 1 || o.sparse());
    int groups = half ? 1 : LANES / rows, each = n / groups;
    uint32_t columns = uint32_t(each);
    size_t image_bytes = IMAGE_BYTES;
    std::vector<uint8_t> image(image_bytes * size_t(o.blocks));
    std::vector<uint32_t> cells(size_t(CELLS * LANES * o.blocks)),
        d(size_t(LANES * o.blocks) * columns);
    std::vector<int> of_a(size_t(m * depth)), of_b(size_t((n + o.beyond) * depth));
    auto sign = [&](const format &f, int value) { return f.one || f.number ? value : abs(value); };
    int width = a.type.bits == 32 ? 1 : a.type.kind > 4 ? 4 : 2; // stored elements of a group
    for (int row = 0; row < m; row++)
        for (int k = 0; k < stored; k++) {
            int value = sign(a.type, number_of(uint32_t(row * 64 + k))), block = row / rows;
            int own = row % rows, lane = half ? own / 16 * 32 + own % 16 + o.lane : own;
            int to = o.shifts() && own > 0 ? row - 1 : row; // which gets it as its own
            uint32_t *of_block = &cells[size_t(block * CELLS * LANES)];
            auto place = [&](int of) { // of row `of`, whose metadata stay where they are
                uint32_t metadata = metadata_of(a.type, of, k / width);
                return o.sparse() ? k / width * width * 2 + place_of(a.type, metadata, k % width)
                                  : k;
            };
            if (o.sparse()) {
                int group = k / width, meta_lane = lane, column = group / 8, bit = group % 8 * 4;
                uint32_t metadata = metadata_of(a.type, row, group);
                if (a.type.bits >= 16) {
                    meta_lane = lane - own % 16 + group / 4 * 8 + own % 8;
                    column = o.selector;
                    bit = own % 16 / 8 * 16 + group % 4 * 4;
                }
                if (k % width == 0)
                    of_block[(A_COLUMNS + column) * LANES + meta_lane] |= metadata << bit;
            }
            if (!(o.shifts() && own == 0)) of_a[size_t(to * depth + place(to))] = value;
            if (o.shifts() && own == rows - 1) of_a[size_t(row * depth + place(row))] = value;
            if (!o.a_in_tmem) a.put(&image[image_bytes * size_t(block)], o.advance, own, k, value);
            int bits =
                a.type.kind > 4 || a.type.bits > 8 ? a.type.bits : 8; // e2m1: the middle ones
            for (int copy = 0; o.a_in_tmem && copy < groups; copy++)
                of_block[k * bits / 32 * LANES + lane + copy * rows] |=
                    encode(a.type, value) << (k * bits % 32 + (a.type.bits == 4 && bits == 8) * 2);
        }
    for (int column = 0; column < n + o.beyond; column++)
        for (int k = 0; k < depth; k++) {
            int value = sign(b.type, number_of(uint32_t(column * 64 + k + 77777)));
            of_b[size_t(column * depth + k)] = value;
            b.put(&image[image_bytes * size_t(column / b.rows) + A_BYTES], o.advance,
                  column % b.rows, k, value);
        }
    for (int block = 0; block < o.blocks; block++)
        for (int side = 0; side < 2; side++)
            for (int row = 0; row < (side ? n : rows); row++)
                for (int i = 0; i < o.factors; i++) {
                    int most = side ? n / groups : 128, part = row / std::min(128, most);
                    int in = row % std::min(128, most); // the part
                    image[image_bytes * size_t(block) + A_BYTES + B_BYTES +
                          size_t((side + part) * FACTOR_BYTES + in % 32 * 16 + in / 32 * 4 +
                                 o.first + i)] =
                        factor_bits(factor_of(side ? row + 1000 : block * rows + row, i), o.powers);
                }
    for (size_t i = 0; i < d.size(); i++)
        d[i] = result_bits(type, int64_t(i * 37 % 101) - 50) + (o.saturates ? 0x7FFFFF00u : 0);
    std::vector<uint32_t> wanted = d;
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            int block = row / rows, own = row % rows;
            int lane = half ? own / 16 * 32 + own % 16 + o.lane : own;
            lane += column / each * rows;
            size_t at =
                size_t(block * LANES) * columns + size_t(column % each) * LANES + size_t(lane);
            int64_t sum = 0;
            int from = column + int(o.zeros >> 56 & 63); // column of B
            for (int k = 0; k < depth && !is_zero(o.zeros, column / each, column % each); k++)
                sum += int64_t(of_a[size_t(row * depth + k)]) * of_b[size_t(from * depth + k)] *
                       (o.factors ? factor_of(row, k * o.factors / depth) *
                                        factor_of(column + 1000, k * o.factors / depth)
                                  : 1);
            if (o.negated) sum = -sum;
            int64_t old = int64_t(at * 37 % 101) - 50;
            if (o.scaled) old /= 2; // only even ones are looked at
            if (o.scaled && (at * 37 % 101) % 2) {
                wanted[at] = ~0u;
                continue;
            }
            if (o.adds && !o.saturates) sum += old;
            if (o.saturates) sum = std::min<int64_t>(INT32_MAX, sum + old + 0x7FFFFF00);
            bool stays = o.masked && ((lane / 32 % 2 ? 0x80000001u : 0xFFFFu) >> lane % 32 & 1);
            if (!stays) wanted[at] = result_bits(type, sum);
            float quarter = float(sum - old * o.adds) / 4 + float(old * o.adds);
            if (o.factors) memcpy(&wanted[at], &quarter, 4);
        }
    job j = {a.bits(),
             b.bits(),
             0,
             columns,
             uint32_t(o.lane),
             o.advance,
             a.type.kind,
             o.adds,
             o.a_in_tmem,
             o.masked,
             o.scaled,
             o.factors,
             n,
             o.as,
             o.zeros,
             o.factors && groups == 2};
    j.descriptor = uint32_t(o.saturates) << 3 | uint32_t(type) << 4 | uint32_t(a.type.number) << 7 |
                   uint32_t(b.type.number) << 10 | uint32_t(o.negated) << 13 |
                   uint32_t(a.transposed) << 15 | uint32_t(b.transposed) << 16 |
                   uint32_t(n / 8) << 17 | uint32_t(m / 16) << 24 | uint32_t(o.sparse()) << 2 |
                   uint32_t(o.selector);
    if (o.factors)
        j.descriptor = (j.descriptor & ~0x30u) | uint32_t(o.first) << 4 | uint32_t(o.powers) << 23 |
                       uint32_t(o.first) << 29;
    uint8_t *d_image;
    uint32_t *d_cells, *d_d;
    CUDA_CHECK(cudaMalloc(&d_image, image.size()));
    CUDA_CHECK(cudaMalloc(&d_cells, cells.size() * 4));
    CUDA_CHECK(cudaMalloc(&d_d, d.size() * 4));
    CUDA_CHECK(cudaMemcpy(d_image, image.data(), image.size(), cudaMemcpyDefault));
    CUDA_CHECK(cudaMemcpy(d_cells, cells.data(), cells.size() * 4, cudaMemcpyDefault));
    CUDA_CHECK(cudaMemcpy(d_d, d.data(), d.size() * 4, cudaMemcpyDefault));
    auto kernel = o.blocks == 1 ? product<1> : product<2>;
    int bytes = int(image_bytes) + 1024;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = unsigned(o.blocks);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = dim3(unsigned(o.blocks));
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = size_t(bytes);
    config.attrs = &cluster;
    config.numAttrs = 1;
    CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, j, (const uint8_t *)d_image,
                                  (const uint32_t *)d_cells, d_d));
    CUDA_CHECK(cudaMemcpy(d.data(), d_d, d.size() * 4, cudaMemcpyDefault));
    for (size_t i = 0; i < d.size(); i++)
        if (!(o.scaled && wanted[i] == ~0u) && d[i] != wanted[i]) {
            fprintf(
                stderr,
                "m %d n %d kind %d types %d %d layouts %d %d, %zu of lane %zu: %08x, not %08x\n", m,
                n, a.type.kind, a.type.number, b.type.number, a.how.number, b.how.number, i / LANES,
                i % LANES, d[i], wanted[i]);
            exit(1);
        }
    CUDA_CHECK(cudaFree(d_image));
    CUDA_CHECK(cudaFree(d_cells));
    CUDA_CHECK(cudaFree(d_d));
}

// ---- Which --------------------------------------------------------------------------------------

static options with(void (*change)(options &)) {
    options o;
    change(o);
    return o;
}

static void check_types() {
    for (const format &f : {F16, BF16})
        for (const format &g : {F16, BF16})
            check_product({f, NONE, false, 128}, {g, NONE, false, 24}, 128, RESULT_F32);
    check_product({F16, NONE, false, 128}, {F16, NONE, false, 24}, 128, RESULT_F16);
    check_product({TF32, NONE, false, 128}, {TF32, NONE, false, 24}, 128, RESULT_F32);
    for (const format &f : {E4M3, E5M2, E2M3, E3M2, E2M1})
        for (const format &g : {E4M3, E5M2, E2M3, E3M2, E2M1})
            check_product({f, NONE, false, 128}, {g, SWIZZLE_64, false, 24}, 128, RESULT_F32);
    check_product({E5M2, NONE, false, 128}, {E4M3, NONE, false, 24}, 128, RESULT_F16);
    for (const format &f : {U8, S8})
        for (const format &g : {U8, S8})
            check_product({f, NONE, false, 128}, {g, NONE, false, 24}, 128, RESULT_S32);
}

static void check_layouts() {
    for (const format &f : {F16, TF32, E4M3, E2M1, E3M2, S8})
        for (const layout &how : {NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128})
            for (int transposed = 0; transposed < 4; transposed++) {
                if (transposed && f.bits == 32) continue;
                check_product({f, how, (transposed & 1) != 0, 128},
                              {f, how, (transposed & 2) != 0, 144}, 128,
                              f.one ? RESULT_F32 : RESULT_S32);
            }
    for (int transposed = 1; transposed < 4; transposed++)
        check_product({TF32, transposed & 1 ? WIDE : SWIZZLE_128, (transposed & 1) != 0, 128},
                      {TF32, transposed & 2 ? WIDE : SWIZZLE_128, (transposed & 2) != 0, 64}, 128,
                      RESULT_F32);
    // Further steps along k of rows of 128 bytes.
    for (uint32_t step = 1; step < 4; step++) {
        options o;
        o.advance = step * 32;
        check_product({BF16, SWIZZLE_128, false, 128}, {BF16, SWIZZLE_128, false, 256}, 128,
                      RESULT_F32, o);
    }
}

static void check_shapes() {
    for (int n : {8, 64, 256})
        check_product({F16, SWIZZLE_128, false, 64}, {F16, SWIZZLE_128, false, n}, 64, RESULT_F32);
    check_product({F16, NONE, false, 64}, {F16, NONE, false, 40}, 64, RESULT_F32,
                  with([](options &o) { o.lane = 16; }));
    check_product({S8, NONE, false, 64}, {S8, NONE, false, 256}, 64, RESULT_S32);
    for (int m : {128, 256})
        for (int n : {32, 128, 256}) {
            options o;
            o.blocks = 2;
            check_product({F16, SWIZZLE_128, false, m / 2}, {F16, SWIZZLE_128, false, n / 2}, m,
                          RESULT_F32, o);
            check_product({S8, SWIZZLE_32, true, m / 2}, {S8, NONE, true, n / 2}, m, RESULT_S32, o);
        }
}

static void check_operands() {
    for (const format &f : {F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, S8, U8})
        for (int blocks = 1; blocks < 3; blocks++)
            for (int rows : {64, 128}) {
                options o;
                o.blocks = blocks;
                o.a_in_tmem = 1;
                o.lane = rows == 64 && blocks == 1 ? 16 : 0;
                check_product({f, NONE, false, rows}, {f, SWIZZLE_128, false, 64}, rows * blocks,
                              f.one ? RESULT_F32 : RESULT_S32, o);
            }
    matrix a = {F16, NONE, false, 128}, b = {F16, NONE, false, 64}, s = {S8, NONE, false, 128},
           t = {S8, NONE, false, 64};
    check_product(a, b, 128, RESULT_F32, with([](options &o) { o.adds = 0; }));
    check_product(a, b, 128, RESULT_F32, with([](options &o) { o.negated = 1; }));
    check_product(a, b, 128, RESULT_F32, with([](options &o) { o.negated = 2; }));
    check_product(a, b, 128, RESULT_F32, with([](options &o) { o.masked = 1; }));
    check_product(a, b, 128, RESULT_F32, with([](options &o) { o.scaled = 1; }));
    check_product(s, t, 128, RESULT_S32, with([](options &o) { o.saturates = 1; }));
}

static void check_factors() {
    for (const format &f : {MX_E4M3, MXF4, NVF4}) // 64 rows of each block
        for (int n : {16, 128, 256}) {
            options o;
            o.blocks = 2;
            o.factors = f.kind == 4 ? 1 : f.kind == 5 ? 2 : 4;
            check_product({f, SWIZZLE_128, false, 64}, {f, NONE, false, n / 2}, 128, RESULT_F32, o);
        }
    for (int first = 0; first < 4; first++)
        for (int blocks = 1; blocks < 3; blocks++) {
            options o;
            o.blocks = blocks;
            o.factors = 1;
            o.first = first;
            check_product({MX_E4M3, SWIZZLE_128, false, 128}, {MX_E2M3, NONE, false, 40},
                          128 * blocks, RESULT_F32, o);
            check_product({MX_E2M1, NONE, false, 128}, {MX_E4M3, SWIZZLE_32, true, 256 / blocks},
                          128 * blocks, RESULT_F32, o);
            o.a_in_tmem = 1;
            for (const format &f : {MX_E4M3, MX_E2M3, MX_E2M1})
                check_product({f, NONE, false, 128}, {MX_E4M3, NONE, false, 32}, 128 * blocks,
                              RESULT_F32, o);
            if (first % 2) continue;
            o.factors = 2;
            for (const format &f : {MXF4, NVF4})
                for (o.a_in_tmem = 0; o.a_in_tmem < 2; o.a_in_tmem++)
                    check_product({f, SWIZZLE_128, false, 128}, {f, NONE, false, 128 / blocks},
                                  128 * blocks, RESULT_F32, o);
            if (first) continue;
            o.a_in_tmem = 0;
            o.factors = 4;
            for (o.powers = 0; o.powers < 2; o.powers++)
                check_product({NVF4, SWIZZLE_32, false, 128},
                              {NVF4, SWIZZLE_64, false, 256 / blocks}, 128 * blocks, RESULT_F32, o);
        }
}

// .ws with columns of zeros: where they begin, in each group of columns; how many are zeros and how
// many are used in turn; by how many those of B are shifted.
static uint64_t zeros(uint32_t starts, uint64_t firsts, int skips, int uses, int shift) {
    return starts | firsts << 32 | uint64_t(1) << 39 | uint64_t(skips - 1) << 40 |
           uint64_t(uses - 1) << 48 | uint64_t(shift) << 56;
}

static void check_ways() {
    options o;
    o.as = WS;
    for (int m : {32, 64, 128})
        for (int n : {64, 128, 256}) {
            o.a_in_tmem = n == 128;
            for (const format &f : {F16, TF32, E4M3, S8})
                check_product({f, NONE, false, m}, {f, SWIZZLE_128, false, n}, m,
                              f.one ? RESULT_F32 : RESULT_S32, o);
        }
    o.a_in_tmem = 0;
    for (int m : {32, 64, 128})
        for (int shift : {0, 2, 16}) {
            o.beyond = shift ? 16 : 0;
            o.zeros = zeros(0x01020100, m == 128 ? 1 : 3, 3, 4, shift);
            check_product({F16, SWIZZLE_32, false, m}, {F16, NONE, false, 128 + o.beyond}, m,
                          RESULT_F16, o);
        }
    o = {};
    o.as = ASHIFT;
    o.a_in_tmem = 1;
    check_product({F16, NONE, false, 128}, {F16, NONE, false, 64}, 128, RESULT_F32, o);
    check_product({S8, NONE, false, 128}, {U8, NONE, false, 64}, 128, RESULT_S32, o);
    o.as = SP_ASHIFT;
    check_product({F16, NONE, false, 128}, {F16, NONE, false, 64}, 128, RESULT_F32, o);
    check_product({E4M3, NONE, false, 128}, {E4M3, NONE, false, 64}, 128, RESULT_F32, o);
    for (const format &f : {F16, TF32, E4M3}) { // 64 rows of each block of a pair
        o = {};
        o.as = SP;
        o.blocks = 2;
        check_product({f, SWIZZLE_128, false, 64}, {f, NONE, false, 32}, 128, RESULT_F32, o);
    }
    for (way as : {SP, WS_SP})
        for (int m : {32, 64, 128, 256}) {
            o = {};
            o.as = as;
            o.blocks = m == 256 ? 2 : 1;
            if (as == SP ? m < 64 : m > 128) continue;
            o.lane = as == SP && m == 64 ? 16 : 0;
            for (const format &f : {F16, TF32, E5M2, E2M1, S8}) {
                o.selector = f.bits >= 16 ? m / 64 % 4 : 0;
                o.a_in_tmem = as == SP && o.blocks == 1;
                check_product({f, NONE, false, m / o.blocks},
                              {f, SWIZZLE_64, false, 128 / o.blocks}, m,
                              f.one ? RESULT_F32 : RESULT_S32, o);
            }
            for (const format &f : {MX_E4M3, MXF4, NVF4}) {
                if (as == WS_SP || m == 64) continue;
                o.a_in_tmem = o.selector = 0;
                o.factors = f.kind - 3 - (f.kind == 6);
                check_product({f, SWIZZLE_128, false, 128}, {f, NONE, false, 64}, m, RESULT_F32, o);
            }
        }
}

int main() {
    return run_parts(
        {check_types, check_layouts, check_shapes, check_operands, check_factors, check_ways});
}
