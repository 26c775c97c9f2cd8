// What one thread starts on the fifth generation of tensor cores (PTX ISA 9.1, sections 9.7.16.9
// and 9.7.16.10): copies from shared to tensor memory, and products. A product multiplies A, in
// shared or tensor memory, by B in shared memory, and adds to D in tensor memory. From the manual,
// not compared with a card: how a card aligns and cuts the terms of a sum is not in it. Here a sum
// is formed in double precision and rounded once, to the nearest number. It takes effect when it is
// issued: a program that waits where it must cannot tell.
#include "ops/internal.h"
#include "program/fpmath.h"
#include "warps/lanes.h"

enum {
    OPERAND_BYTES = 32, // of a row along k
    MOST_K = 128,       // of B, twice what is stored of a sparse A
    MOST_STORED = 64,   // of A
    MOST_FACTORS = 4,
    MOST_ROWS = SIM_TMEM_LANES,
    MOST_COLUMNS = 256,
    MOST_BLOCKS = 2,
    OPERAND_COLUMNS = OPERAND_BYTES / 4, // of A in tensor memory
    E2M1_FIRST_BIT = 2                   // of its byte there
};

// ---- Types --------------------------------------------------------------------------------------

typedef enum format { NONE, F16, BF16, TF32, E4M3, E5M2, E2M3, E3M2, E2M1, U8, S8 } format;

// By kind and by the number in the instruction descriptor (table 42).
static const uint8_t formats[][8] = {
    [SIM_TMEM_F16] = {F16, BF16},
    [SIM_TMEM_TF32] = {NONE, NONE, TF32},
    [SIM_TMEM_F8F6F4] = {E4M3, E5M2, NONE, E2M3, E3M2, E2M1},
    [SIM_TMEM_I8] = {U8, S8},
    [SIM_TMEM_MXF8F6F4] = {E4M3, E5M2, NONE, E2M3, E3M2, E2M1},
    [SIM_TMEM_MXF4] = {NONE, E2M1},
    [SIM_TMEM_MXF4NVF4] = {NONE, E2M1},
};
static const uint8_t format_bits[] = {[F16] = 16, [BF16] = 16, [TF32] = 32, [E4M3] = 8, [E5M2] = 8,
                                      [E2M3] = 6, [E3M2] = 6,  [E2M1] = 4,  [U8] = 8,   [S8] = 8};

static uint32_t element_bytes(format type) { return (format_bits[type] + 7u) / 8; }

// Elements in 16 bytes of shared memory. 4 and 6 bits come as 16 of them, the rest of which is
// padding, but for the kinds that have 4 bits alone.
static uint32_t elements_of(format type, bool packed) {
    return packed ? SIM_CHUNK_BYTES * 2 : SIM_CHUNK_BYTES / element_bytes(type);
}
static bool is_packed(uint8_t kind) { return kind == SIM_TMEM_MXF4 || kind == SIM_TMEM_MXF4NVF4; }

static float value_of(format type, uint32_t bits) {
    switch (type) {
    case F16: return sim_float_from_f16(bits);
    case BF16: return sim_float_from_bf16(bits);
    case TF32: return sim_float_from_bits(bits & 0xFFFFE000u);
    case E4M3: return (float)sim_double_from_small(SIM_SMALL_E4M3, bits);
    case E5M2: return (float)sim_double_from_small(SIM_SMALL_E5M2, bits);
    case E2M3: return (float)sim_double_from_small(SIM_SMALL_E2M3, bits);
    case E3M2: return (float)sim_double_from_small(SIM_SMALL_E3M2, bits);
    case E2M1: return (float)sim_double_from_small(SIM_SMALL_E2M1, bits);
    case U8: return (float)bits;
    case S8: return (float)(int8_t)bits;
    case NONE: break;
    }
    return 0;
}

// ---- The instruction descriptor -----------------------------------------------------------------

typedef enum result { RESULT_F16, RESULT_F32, RESULT_S32 } result;

typedef struct product {
    const sim_tmem_product *how;
    sim_block *blocks[MOST_BLOCKS]; // the even one of a pair first
    uint32_t rows, columns, depth;  // of a block's share of D; of D; k
    format a, b;
    result d;
    bool transposed[2], negated[2], saturates;
    uint32_t column, lane, a_column; // of D and A in tensor memory
    uint32_t metadata, selector;     // of a sparse A: its column, and how many behind it
    uint32_t stored;                 // k of what is stored of A
    uint64_t zeros;                  // a zero-column mask descriptor
    // Factors of A and B: their columns, which byte of a cell is the first, and whether they are
    // powers of two (ue8m0), else ue4m3.
    uint32_t factors[2], first[2];
    bool powers;
} product;

static bool refuse(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint32_t bits,
                   const char *why) {
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                   "tcgen05.mma with the instruction descriptor 0x%08x: %s", bits, why);
    return false;
}

// Rows and columns of table 39.
static bool is_shape(const product *p, uint32_t m) {
    uint32_t blocks = p->how->blocks, step = 8 * blocks, n = p->columns;
    bool large = p->how->shifts || (p->how->factors && (blocks == 1 || p->how->sparse));
    if (p->how->keeps_b)
        return (m == 32 || m == 64 || m == 128) &&
               (n == 64 || n == 128 || (n == 256 && !p->how->sparse));
    if (m != 128 * blocks && (large || m != 64 * blocks)) return false;
    if (p->how->kind == SIM_TMEM_I8) step = blocks == 2 ? 32 : n > 32 ? 16 : 8;
    return n >= step && n <= MOST_COLUMNS && n % step == 0;
}

static bool read_descriptor(sim_warp *warp, const sim_instr *instr, uint32_t lane, product *p) {
    uint32_t bits = SLOT(const uint32_t, instr->src[3])[lane], m = (bits >> 24 & 31) * 16;
    uint8_t kind = p->how->kind;
    bool scaled = p->how->factors != 0;
    p->a = (format)formats[kind][bits >> 7 & 7];
    p->b = (format)formats[kind][bits >> 10 & 7];
    p->d = scaled ? RESULT_F32 : (result)(bits >> 4 & 3);
    p->first[0] = bits >> 29 & 3;
    p->first[1] = bits >> 4 & 3;
    p->powers = bits >> 23 & 1;
    for (int i = 0; i < 2; i++) {
        p->negated[i] = bits >> (13 + i) & 1;
        p->transposed[i] = bits >> (15 + i) & 1;
    }
    p->saturates = bits >> 3 & 1;
    p->columns = (bits >> 17 & 63) * 8;
    p->rows = m / p->how->blocks;
    if ((bits >> 2 & 1) != p->how->sparse)
        return refuse(warp, instr, lane, bits,
                      "bit 2 is set for a sparse A (.sp), and for no other");
    bool selects = p->how->sparse && (kind == SIM_TMEM_F16 || kind == SIM_TMEM_TF32);
    uint32_t shift = p->how->keeps_b ? 1u << 29 : 3u << 29 | 1u << 31;
    uint32_t zeros =
        1u << 6 | (selects ? 0 : 3u) | (scaled ? 1u << 3 | 1u << 31 : 1u << 23 | shift);
    p->selector = bits & 3;
    if (is_packed(kind) && bits >> 31)
        return refuse(warp, instr, lane, bits,
                      "K of 96 (bit 31) needs sm_103a, and is not modelled");
    if (bits & zeros) return refuse(warp, instr, lane, bits, "bits that must be zero are not");
    if (p->a == NONE || p->b == NONE)
        return refuse(warp, instr, lane, bits, "the kind has no such type of A or B");
    bool integers = kind == SIM_TMEM_I8,
         single = kind == SIM_TMEM_TF32 || p->a == BF16 || p->b == BF16; // sums of f32 alone
    if (integers != (p->d == RESULT_S32) || p->d > RESULT_S32 || (single && p->d == RESULT_F16))
        return refuse(warp, instr, lane, bits, "the kind has no such type of D");
    if (scaled && (p->first[0] % p->how->factors || p->first[1] % p->how->factors ||
                   !(p->powers || (kind == SIM_TMEM_MXF4NVF4 && p->how->factors == 4))))
        return refuse(warp, instr, lane, bits, "the kind has no such factors");
    if (is_packed(kind) && (p->transposed[0] || p->transposed[1]))
        return refuse(warp, instr, lane, bits, "elements of 4 bits are not transposed");
    if ((integers && (p->negated[0] || p->negated[1])) || (!integers && p->saturates))
        return refuse(warp, instr, lane, bits, "integers are not negated, floats do not saturate");
    if (p->how->a_in_tmem && p->transposed[0])
        return refuse(warp, instr, lane, bits, "A in tensor memory is not transposed");
    if (!is_shape(p, m)) return refuse(warp, instr, lane, bits, "no such M and N of this kind");
    p->stored = OPERAND_BYTES / SIM_CHUNK_BYTES * elements_of(p->a, is_packed(kind));
    p->depth = p->stored * (p->how->sparse ? 2 : 1);
    return true;
}

// ---- Operands in shared memory ------------------------------------------------------------------

typedef struct operand {
    sim_descriptor at;
    bool wide_atoms; // 128 bytes of which 32 move together
    bool transposed;
    format type;
    uint32_t each;  // elements in 16 bytes
    uint32_t rows;  // along m or n
    uint32_t first; // of them
} operand;

static bool read_operand(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t bits,
                         operand *out) {
    static const uint8_t widths[] = {16, 128, 128, 0, 64, 0, 32, 0};
    uint32_t layout = (uint32_t)(bits >> 61), size = element_bytes(out->type);
    bool wide = layout == 1, needed = out->transposed && size == 4;
    const char *why = NULL;
    out->at = sim_descriptor_of(bits);
    out->at.width = widths[layout];
    out->wide_atoms = wide;
    if ((bits >> 46 & 7) != 1) why = "bits 46 to 48 must be 1 (wgmma has another format)";
    else if (bits >> 52 & 1)
        why = "the leading dimension's absolute address needs sm_103a, and is not modelled";
    else if (!widths[layout]) why = "bits 61 to 63 name no swizzle";
    else if (wide != needed) why = "32-byte atoms are for transposed tf32, and it needs them";
    if (!why) return true;
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                   "tcgen05 with the matrix descriptor 0x%016llx: %s", (unsigned long long)bits,
                   why);
    return false;
}

// Where the 16 bytes with the element of `row` at `k` lie (section 9.7.16.3.3), as an offset.
static uint32_t chunk_of(const operand *from, uint32_t row, uint32_t k) {
    const sim_descriptor *d = &from->at;
    uint32_t each = from->each, wide = d->width / SIM_CHUNK_BYTES * each;
    uint32_t deep = from->wide_atoms ? 4 : 8; // rows of k in a pattern
    uint32_t offset;
    if (!from->transposed) offset = sim_chunk_along_k(d, row, k / each * SIM_CHUNK_BYTES);
    else if (d->width == SIM_CHUNK_BYTES)
        offset = row / each * d->stride + k / 8 * d->leading + k % 8 * SIM_CHUNK_BYTES;
    else
        offset = row / wide * d->leading + k / deep * d->stride + k % deep * d->width +
                 row % wide / each * SIM_CHUNK_BYTES;
    if (!from->wide_atoms) return sim_swizzled(d, offset) - (uint32_t)SIM_SHARED_START;
    uint32_t address = d->start + offset;
    return (address ^ (address >> 7 & 3) << 5) - (uint32_t)SIM_SHARED_START;
}

// Of 16 bytes the element of `row` at `k`.
static float element_of(const operand *from, const uint8_t *chunk, uint32_t row, uint32_t k) {
    uint32_t size = element_bytes(from->type), word = 0;
    uint32_t bits = format_bits[from->type], at = (from->transposed ? row : k) % from->each * bits;
    memcpy(&word, chunk + at / 8, size < 4 && at / 8 + 1 < SIM_CHUNK_BYTES ? 2 : size);
    word >>= at % 8;
    return value_of(from->type, bits < 32 ? word & ((1u << bits) - 1) : word);
}

// Tells of a chunk that the observer has not heard of yet.
static void tell_chunk(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                       const sim_block *block, uint32_t offset) {
    uint64_t addresses[SIM_WARP_LANES];
    if (block != warp->block) return;
    for (uint32_t i = 0; i < SIM_WARP_LANES; i++) addresses[i] = offset;
    sim_observe_access(warp, instr, lane_bit[lane], PTX_SPACE_SHARED, SIM_CHUNK_BYTES,
                       SIM_ACCESS_READ, addresses);
}

// The offset in a block's shared memory of the 16 bytes with an element; false: a fault.
static bool find_chunk(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                       const sim_block *block, const operand *from, uint32_t row, uint32_t k,
                       uint32_t *out) {
    uint32_t at = *out = chunk_of(from, row, k);
    if (at >= block->shared_bytes || block->shared_bytes - at < SIM_CHUNK_BYTES) {
        sim_fault_address(warp, instr, lane, at, SIM_CHUNK_BYTES, PTX_SPACE_SHARED);
        return false;
    }
    if (warp->observing && (from->transposed ? row : k) % from->each == 0)
        tell_chunk(warp, instr, lane, block, at);
    return true;
}

// A matrix of a block by k and row. to: [depth][pitch].
static bool gather(sim_warp *warp, const sim_instr *instr, uint32_t lane, const sim_block *block,
                   const operand *from, uint32_t depth, float *to, uint32_t pitch) {
    uint32_t at;
    for (uint32_t k = 0; k < depth; k++)
        for (uint32_t row = 0; row < from->rows; row++) {
            uint32_t of = from->first + row;
            if (!find_chunk(warp, instr, lane, block, from, of, k, &at)) return false;
            to[k * pitch + row] = element_of(from, block->shared + at, of, k);
        }
    return true;
}

// ---- Operands in tensor memory ------------------------------------------------------------------

// Lanes of a block's rows of A and D (section 9.7.16.10.5): 64 rows of one block, or of a pair with
// a sparse A, lie in half of the lanes; 64 of each block of a pair, and 64 or 32 of .ws, have
// columns in two or four groups, one in the lanes behind the other.
static bool is_half(const product *p) {
    return p->rows == 64 && !p->how->keeps_b && (p->how->blocks == 1 || p->how->sparse);
}
static uint32_t groups_of(const product *p) { return is_half(p) ? 1 : MOST_ROWS / p->rows; }
static uint32_t lane_of(const product *p, uint32_t row) {
    return is_half(p) ? p->lane + row / 16 * 32 + row % 16 : row;
}

// Columns of a block's factors of A or B, each with those of 32 rows or columns.
static uint32_t factor_columns(const product *p, int of_b) {
    return ((of_b ? p->columns / groups_of(p) : p->rows) + 31) / 32;
}

static bool check_factors(sim_warp *warp, const sim_instr *instr, uint32_t lane, product *p) {
    for (int i = 0; p->how->factors && i < 2; i++) {
        uint32_t slot = vector_slot(warp, instr, 1u + p->how->sparse + (uint32_t)i);
        uint32_t count = factor_columns(p, i);
        p->factors[i] = (SLOT(const uint32_t, slot)[lane] + p->how->factors_at[i]) & 0xFFFF;
        for (uint32_t k = 0; k < p->how->blocks; k++) {
            if (!SIM_VARIANT(sim_tmem_check)(warp, instr, lane, p->blocks[k], p->factors[i], count))
                return false;
            if (warp->observing)
                sim_observe_tmem(warp, instr, lane_bit[lane], p->blocks[k], p->factors[i], count,
                                 0xFF, false);
        }
    }
    return true;
}

static bool check_tmem(sim_warp *warp, const sim_instr *instr, uint32_t lane, product *p) {
    uint32_t d = SLOT(const uint32_t, instr->src[0])[lane] + (uint32_t)instr->offset, a = d;
    if (p->how->a_in_tmem) a = SLOT(const uint32_t, instr->src[1])[lane] + instr->target;
    p->column = d & 0xFFFF;
    p->lane = d >> 16;
    p->a_column = a & 0xFFFF;
    bool aligned = p->lane == 0 || (is_half(p) && p->lane == 16);
    if (!aligned || a >> 16 != p->lane) {
        sim_fault_text(
            warp, instr, lane, SIM_ILLEGAL_ADDRESS,
            "tcgen05.mma with D at lane %u and A at lane %u of tensor memory: they begin "
            "at lane 0%s",
            p->lane, a >> 16, is_half(p) ? ", or both at lane 16" : "");
        return false;
    }
    // 64 rows are the lower or upper 16 lanes of each quarter.
    uint32_t parts = !is_half(p) ? 0xFF : p->lane ? 0xAA : 0x55;
    uint32_t columns = p->columns / groups_of(p);
    for (uint32_t i = 0; i < p->how->blocks; i++) {
        const sim_block *block = p->blocks[i];
        if (!SIM_VARIANT(sim_tmem_check)(warp, instr, lane, block, p->column, columns))
            return false;
        if (p->how->a_in_tmem &&
            !SIM_VARIANT(sim_tmem_check)(warp, instr, lane, block, p->a_column, OPERAND_COLUMNS))
            return false;
        if (!warp->observing) continue;
        if (p->how->a_in_tmem)
            sim_observe_tmem(warp, instr, lane_bit[lane], block, p->a_column, OPERAND_COLUMNS,
                             parts, false);
        sim_observe_tmem(warp, instr, lane_bit[lane], block, p->column, columns, parts, true);
    }
    return true;
}

// to: [stored][MOST_ROWS]. Elements of 4 and 6 bits are in bytes of their own, e2m1 in their
// middle, but for the kinds that have 4 bits alone.
static void gather_tmem(const product *p, const sim_block *block, float *to) {
    uint32_t bits = format_bits[p->a], width = is_packed(p->how->kind) || bits > 8 ? bits : 8;
    uint32_t each = 32 / width, first = p->a == E2M1 && width == 8 ? E2M1_FIRST_BIT : 0;
    for (uint32_t k = 0; k < p->stored; k++)
        for (uint32_t row = 0; row < p->rows; row++) {
            uint32_t from = row + (p->how->shifts && row + 1 < p->rows);
            uint32_t cell = block->tmem->cells[p->a_column + k / each][lane_of(p, from)];
            cell >>= k % each * width + first;
            to[k * MOST_ROWS + row] = value_of(p->a, bits < 32 ? cell & ((1u << bits) - 1) : cell);
        }
}

// ---- A sparse A ---------------------------------------------------------------------------------
// Of two elements one is stored (tf32), of four two, of eight two pairs (4 bits); 4 bits for each
// such group say where it belongs (section 9.7.16.10.8). They lie as CUTLASS 4.2 has them: of 16
// and 32 bits in one column, of eight rows in half of its lanes and bits each; of others in two.
// Those of 64 rows in half of the lanes lie in the lanes that D has.

static bool has_halves(const product *p) { return format_bits[p->a] >= 16; }

static uint32_t metadata_of(const product *p, const sim_tmem *tmem, uint32_t row, uint32_t group) {
    uint32_t lane = lane_of(p, row), column = p->metadata + group / 8, bit = group % 8 * 4;
    if (has_halves(p)) {
        lane = lane_of(p, row / 16 * 16) + group / 4 * 8 + row % 8;
        bit = row / 8 % 2 * 16 + group % 4 * 4;
        column = p->metadata + p->selector;
    }
    return tmem->cells[column][lane] >> bit & 15;
}

static bool check_metadata(sim_warp *warp, const sim_instr *instr, uint32_t lane, product *p) {
    uint32_t slot = vector_slot(warp, instr, 1), count = has_halves(p) ? 1 : 2;
    if (!p->how->sparse) return true;
    p->metadata = (SLOT(const uint32_t, slot)[lane] + p->how->metadata_at) & 0xFFFF;
    for (uint32_t i = 0; i < p->how->blocks; i++) {
        uint32_t first = p->metadata + p->selector;
        if (!SIM_VARIANT(sim_tmem_check)(warp, instr, lane, p->blocks[i], first, count))
            return false;
        if (warp->observing)
            sim_observe_tmem(warp, instr, lane_bit[lane], p->blocks[i], first, count, 0xFF, false);
    }
    return true;
}

// Where a stored element belongs in its group.
static uint32_t place_of(const product *p, uint32_t metadata, uint32_t i) {
    if (p->a == TF32) return (metadata & 3) / 2;
    if (!is_packed(p->how->kind)) return i ? metadata >> 2 : metadata & 3;
    return (i / 2 ? metadata >> 2 : metadata & 3) * 2 + i % 2;
}

// stored: [stored][MOST_ROWS]; to: [depth][MOST_ROWS], zero but for them. False: a fault.
static bool spread(sim_warp *warp, const sim_instr *instr, uint32_t lane, const product *p,
                   const sim_block *block, const float *stored, float *to) {
    const uint32_t known =
        p->a == TF32 ? 1u << 4 | 1u << 14 : 1u << 4 | 1u << 6 | 3u << 8 | 7u << 12;
    uint32_t width = p->a == TF32 ? 1 : is_packed(p->how->kind) ? 4 : 2; // stored of a group
    memset(to, 0, p->depth * MOST_ROWS * sizeof *to);
    for (uint32_t row = 0; row < p->rows; row++)
        for (uint32_t group = 0; group < p->stored / width; group++) {
            uint32_t metadata = metadata_of(p, block->tmem, row, group);
            const float *first = &stored[group * width * MOST_ROWS + row];
            bool empty = true; // CUTLASS makes 0 of the metadata of zeros
            for (uint32_t i = 0; i < width; i++) empty &= first[i * MOST_ROWS] == 0;
            if (!empty && !(known >> metadata & 1)) {
                sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                               "tcgen05.mma.sp with metadata 0x%x for elements %u to %u of row %u: "
                               "there are no such positions",
                               metadata, group * width * 2, (group + 1) * width * 2 - 1, row);
                return false;
            }
            for (uint32_t i = 0; i < width; i++)
                to[(group * width * 2 + place_of(p, metadata, i)) * MOST_ROWS + row] =
                    first[i * MOST_ROWS];
        }
    return true;
}

// ---- Columns of zeros (table 45) ----------------------------------------------------------------

// How far the columns of B are shifted.
static uint32_t shift_of(const product *p) { return (uint32_t)(p->zeros >> 56) & 63; }

// Spans of columns that are used and of zeros alternate, in each group of columns of D.
static bool is_zero(const product *p, uint32_t column) {
    uint32_t each = p->columns / groups_of(p), group = column / each;
    uint32_t zeros = (uint32_t)(p->zeros >> 40 & 0xFF) + 1;
    uint32_t used = (uint32_t)(p->zeros >> 48 & 0xFF) + 1;
    uint32_t at = (uint32_t)(p->zeros >> 8 * group & 0xFF) + column % each;
    bool zeros_first = p->zeros >> (32 + group) & 1;
    at %= zeros + used;
    return (p->zeros >> 39 & 1) && (zeros_first ? at < zeros : at >= used);
}

static bool read_zeros(sim_warp *warp, const sim_instr *instr, uint32_t lane, product *p) {
    if (!p->how->zeros) return true;
    p->zeros = SLOT(const uint64_t, vector_slot(warp, instr, p->how->zeros))[lane];
    if (shift_of(p) <= (p->rows == 32 ? 16u : 32u)) return true;
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                   "tcgen05.mma.ws with columns shifted by %u: 32 at most, 16 with 32 rows",
                   shift_of(p));
    return false;
}

// ---- Sums ---------------------------------------------------------------------------------------

static uint32_t rounded(const product *p, double sum, uint32_t old, bool adds) {
    double scale = ldexp(1, -p->how->scale);
    if (p->d == RESULT_F16) {
        if (adds) sum += sim_double_from_f16(old & 0xFFFF) * scale;
        return sum != sum ? SIM_NAN_F16
                          : (uint32_t)sim_pack_double(&sim_format_f16, sum, SIM_ROUND_RN);
    }
    if (p->d == RESULT_F32) {
        if (adds) sum += (double)sim_float_from_bits(old) * scale;
        return sim_bits_from_float(sim_canonical((float)sum));
    }
    int64_t whole = (int64_t)sum + (adds ? (int32_t)old : 0);
    if (p->saturates && whole > INT32_MAX) whole = INT32_MAX;
    if (p->saturates && whole < INT32_MIN) whole = INT32_MIN;
    return (uint32_t)whole;
}

// Factor `i` of a row of A or a column of B, as the lanes of quarter `quarter` have it.
static double factor_of(const product *p, const sim_block *block, int of_b, uint32_t row,
                        uint32_t i, uint32_t quarter) {
    uint32_t lane = quarter * 32 + row % 32, byte = p->first[of_b] + i;
    uint32_t bits = block->tmem->cells[p->factors[of_b] + row / 32][lane] >> 8 * byte & 0xFF;
    if (!p->powers) return sim_double_from_small(SIM_SMALL_E4M3, bits & 0x7F);
    return sim_double_from_small(SIM_SMALL_UE8M0, bits);
}

// sums[n] += the products of row `row` of A and column n, from `k` to `end`.
static void add_terms(const product *p, const float *a, const float *b, uint32_t row, uint32_t k,
                      uint32_t end, double *sums) {
    for (; k < end; k++) {
        double of_a = (double)a[k * MOST_ROWS + row];
        const float *of_b = &b[k * MOST_COLUMNS];
        for (uint32_t n = 0; n < p->columns; n++) sums[n] += of_a * (double)of_b[n];
    }
}

// The same of all k, each part of them with its factors.
static void add_scaled(const product *p, const sim_block *block, const float *a, const float *b,
                       uint32_t row, double *sums) {
    uint32_t parts = p->how->factors, length = p->depth / parts;
    uint32_t each = p->columns / groups_of(p);
    for (uint32_t i = 0; i < parts; i++) {
        double part[MOST_COLUMNS] = {0};
        add_terms(p, a, b, row, i * length, (i + 1) * length, part);
        for (uint32_t first = 0; first < p->columns; first += each) {
            uint32_t quarter = (lane_of(p, row) + first / each * p->rows) / 32;
            double of_a = factor_of(p, block, 0, row, i, quarter);
            for (uint32_t n = 0; n < each; n++)
                sums[first + n] += part[first + n] * (of_a * factor_of(p, block, 1, n, i, quarter));
        }
    }
}

// A block's rows of D. a: [depth][MOST_ROWS]; b: [depth][MOST_COLUMNS]; masks: of 32 lanes each
// that stay as they are, or NULL.
static void multiply(const product *p, sim_block *block, const float *a, const float *b,
                     const uint32_t *masks, bool adds) {
    double sign = p->negated[0] != p->negated[1] ? -1 : 1;
    uint32_t each = p->columns / groups_of(p);
    for (uint32_t row = 0; row < p->rows; row++) {
        double sums[MOST_COLUMNS] = {0};
        if (p->how->factors) add_scaled(p, block, a, b, row, sums);
        else add_terms(p, a, b, row, 0, p->depth, sums);
        for (uint32_t n = 0; n < p->columns; n++) {
            uint32_t lane = lane_of(p, row) + n / each * p->rows;
            uint32_t *d = &block->tmem->cells[p->column + n % each][lane];
            if (!masks || !(masks[lane / 32] >> lane % 32 & 1))
                *d = rounded(p, sign * sums[n], *d, adds);
        }
    }
}

// ---- Instructions -------------------------------------------------------------------------------

// The block, or the pair of blocks of its cluster.
static bool find_blocks(sim_warp *warp, const sim_instr *instr, uint32_t lane,
                        sim_block *out[MOST_BLOCKS]) {
    sim_block *block = warp->block;
    uint32_t even = block->cluster_rank & ~1u;
    out[0] = block;
    if (((const sim_tmem_product *)instr->extra)->blocks == 1) return true;
    for (uint32_t i = 0; i < MOST_BLOCKS; i++) {
        out[i] = &block->cluster[even + i];
        if (even + 1 < block->cluster_count && out[i]->live_threads) continue;
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "tcgen05 with .cta_group::2 needs both blocks of a pair of the cluster, "
                       "which have not ended");
        return false;
    }
    return true;
}

static uint64_t wide_of(const sim_warp *warp, uint32_t slot, uint32_t lane) {
    return SLOT(const uint64_t, slot)[lane];
}

// The product of one thread; false: a fault.
static bool run(sim_warp *warp, const sim_instr *instr, uint32_t lane, bool adds) {
    float stored[MOST_STORED * MOST_ROWS], a[MOST_BLOCKS][MOST_K * MOST_ROWS];
    float b[MOST_K * MOST_COLUMNS];
    product p = {.how = instr->extra};
    uint32_t masks[4 * MOST_BLOCKS];
    if (!find_blocks(warp, instr, lane, p.blocks) || !read_descriptor(warp, instr, lane, &p) ||
        !check_metadata(warp, instr, lane, &p) || !check_factors(warp, instr, lane, &p) ||
        !check_tmem(warp, instr, lane, &p) || !read_zeros(warp, instr, lane, &p))
        return false;
    bool packed = is_packed(p.how->kind);
    operand of_a = {.type = p.a,
                    .each = elements_of(p.a, packed),
                    .transposed = p.transposed[0],
                    .rows = p.rows};
    operand of_b = {.type = p.b,
                    .each = elements_of(p.b, packed),
                    .transposed = p.transposed[1],
                    .rows = p.columns / p.how->blocks,
                    .first = shift_of(&p)};
    uint64_t b_bits = wide_of(warp, vector_slot(warp, instr, 0), lane);
    if (!p.how->a_in_tmem &&
        !read_operand(warp, instr, lane, wide_of(warp, instr->src[1], lane), &of_a))
        return false;
    if (!read_operand(warp, instr, lane, b_bits, &of_b)) return false;
    for (uint32_t i = 0; i < p.how->blocks; i++) {
        const sim_block *block = p.blocks[i];
        float *to = p.how->sparse ? stored : a[i];
        if (p.how->a_in_tmem) gather_tmem(&p, block, to);
        else if (!gather(warp, instr, lane, block, &of_a, p.stored, to, MOST_ROWS)) return false;
        if (p.how->sparse && !spread(warp, instr, lane, &p, block, stored, a[i])) return false;
        if (!gather(warp, instr, lane, block, &of_b, p.depth, b + i * of_b.rows, MOST_COLUMNS))
            return false;
    }
    for (uint32_t k = 0; k < p.depth; k++)
        for (uint32_t n = 0; n < p.columns; n++)
            if (is_zero(&p, n)) b[k * MOST_COLUMNS + n] = 0;
    for (uint32_t i = 0; i < p.how->masks; i++)
        masks[i] = SLOT(const uint32_t, vector_slot(warp, instr, 1u + p.how->sparse + i))[lane];
    for (uint32_t i = 0; i < p.how->blocks; i++)
        multiply(&p, p.blocks[i], a[i], b, p.how->masks ? masks + 4 * i : NULL, adds);
    return true;
}

HANDLER(multiply_all) {
    uint32_t adds = read_predicate_c(warp, instr);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (!run(warp, instr, lane, adds >> lane & 1)) return;
    }
    sim_note_change(warp);
}
BIND(TMEM_MMA) {
    (void)instr;
    return multiply_all;
}

// ---- Copies -------------------------------------------------------------------------------------

enum { CORNERS = 4 }; // rows of a copy to one lane of each quarter

// 16 elements of 4 or 6 bits become bytes, as products find them in tensor memory.
static void unpack(uint32_t bits, const uint8_t *packed, uint8_t out[SIM_CHUNK_BYTES]) {
    for (uint32_t i = 0; i < SIM_CHUNK_BYTES; i++) {
        uint32_t at = i * bits, word = packed[at / 8] | (uint32_t)packed[at / 8 + 1] << 8;
        uint32_t value = word >> at % 8 & ((1u << bits) - 1);
        out[i] = (uint8_t)(bits == 4 ? value << E2M1_FIRST_BIT : value);
    }
}

// 16 bytes of row `row` to all lanes that get it, from cell `to` on.
static void put_chunk(const sim_tmem_product *how, sim_tmem *tmem, uint32_t row, uint32_t to,
                      const uint8_t *bytes) {
    uint8_t unpacked[SIM_CHUNK_BYTES];
    uint32_t words[4], copies = how->rows == CORNERS ? 1 : SIM_TMEM_LANES / (uint32_t)how->rows;
    if (how->packed) unpack(how->packed, bytes, unpacked);
    memcpy(words, how->packed ? unpacked : bytes, sizeof words);
    for (uint32_t n = 0; n < copies; n++) {
        uint32_t near = row / 32 * 64 + n * 32 + row % 32;
        uint32_t lane = how->to_neighbours ? near : row + n * how->rows;
        if (how->rows == CORNERS) lane = row * 32 + (to >> 16);
        for (uint32_t w = 0; w < 4; w++) tmem->cells[(to & 0xFFFF) + w][lane] = words[w];
    }
}

// The rows that one thread copies from shared to tensor memory; false: a fault.
static bool copy(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_tmem_product *how = instr->extra;
    uint32_t to = SLOT(const uint32_t, instr->src[0])[lane] + (uint32_t)instr->offset, at;
    operand from = {.type = U8, .each = SIM_CHUNK_BYTES, .rows = how->rows};
    sim_block *blocks[MOST_BLOCKS];
    if (!find_blocks(warp, instr, lane, blocks) ||
        !read_operand(warp, instr, lane, wide_of(warp, instr->src[1], lane), &from))
        return false;
    bool corners = how->rows == CORNERS;
    uint32_t parts = !corners ? 0xFF : to >> 20 ? 0xAA : 0x55, first = to & 0xFFFF;
    if (to >> 16 >= (corners ? 32 : 1)) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                       "lane %u of tensor memory: tcgen05.cp begins at lane 0%s", to >> 16,
                       corners ? " to 31" : "");
        return false;
    }
    for (uint32_t b = 0; b < how->blocks; b++) {
        if (!SIM_VARIANT(sim_tmem_check)(warp, instr, lane, blocks[b], first, how->columns))
            return false;
        if (warp->observing)
            sim_observe_tmem(warp, instr, lane_bit[lane], blocks[b], first, how->columns, parts,
                             true);
        for (uint32_t column = 0; column < how->columns; column += 4)
            for (uint32_t row = 0; row < how->rows; row++) {
                if (!find_chunk(warp, instr, lane, blocks[b], &from, row, column * 4, &at))
                    return false;
                put_chunk(how, blocks[b]->tmem, row, to + column, blocks[b]->shared + at);
            }
    }
    return true;
}

HANDLER(copy_all) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (!copy(warp, instr, (uint32_t)__builtin_ctz(rest))) return;
    sim_note_change(warp);
}
BIND(TMEM_CP) {
    (void)instr;
    return copy_all;
}

// ---- Shifts -------------------------------------------------------------------------------------

// From the lane of the address on each lane gets what the next one has, but for the last one.
static bool shift(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_tmem_product *how = instr->extra;
    uint32_t at = SLOT(const uint32_t, instr->src[0])[lane] + (uint32_t)instr->offset;
    uint32_t first = at >> 16, column = at & 0xFFFF;
    sim_block *blocks[MOST_BLOCKS];
    if (!find_blocks(warp, instr, lane, blocks)) return false;
    if (first % 32 || first >= SIM_TMEM_LANES) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                       "lane %u of tensor memory: tcgen05.shift begins at a multiple of 32", first);
        return false;
    }
    for (uint32_t b = 0; b < how->blocks; b++) {
        if (!SIM_VARIANT(sim_tmem_check)(warp, instr, lane, blocks[b], column, how->columns))
            return false;
        if (warp->observing)
            sim_observe_tmem(warp, instr, lane_bit[lane], blocks[b], column, how->columns,
                             0xFFu << first / 16 & 0xFF, true);
        for (uint32_t i = 0; i < how->columns; i++) {
            uint32_t *cells = blocks[b]->tmem->cells[column + i];
            memmove(&cells[first], &cells[first + 1], (SIM_TMEM_LANES - 1 - first) * sizeof *cells);
        }
    }
    return true;
}

HANDLER(shift_all) {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (!shift(warp, instr, (uint32_t)__builtin_ctz(rest))) return;
    sim_note_change(warp);
}
BIND(TMEM_SHIFT) {
    (void)instr;
    return shift_all;
}
