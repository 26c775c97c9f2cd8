// Matrix instructions: gathers fragments from the registers of 32 lanes, multiplies
// (matrix_product.c), scatters; and moves fragments between memory and registers (ldmatrix,
// stmatrix, movmatrix, wmma.load, wmma.store). Where elements lie: program/program.h.
#include "ops/memory/memory.h"
#include "ops/internal.h"
#include "ops/memory/count.h"
#include "program/fpmath.h"

// `.sync.aligned`: anything but a whole warp is undefined on a GPU, and named here.
static bool whole_warp(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    if (lanes == SIM_ALL_LANES) return true;
    char text[96];
    sim_fault_text(warp, instr, (uint32_t)__builtin_ctz(lanes), SIM_ILLEGAL_INSTRUCTION,
                   "a matrix instruction by %s alone: all 32 lanes must execute it together",
                   sim_lanes_text(lanes, text, sizeof text));
    return false;
}

static const uint32_t *slots_of(const sim_warp *warp, const sim_instr *instr) {
    return warp->frame->function->slots + instr->list;
}

// ---- mma, wmma.mma ------------------------------------------------------------------------------

// Registers of one part to or from a row-major array.
static void move_part(sim_warp *warp, const sim_matrix *matrix, sim_matrix_part part,
                      const uint32_t *slots, uint64_t *values, bool gathers) {
    uint32_t bits = sim_element_bits(sim_matrix_element(matrix, part)),
             pack = bits < 32 ? 32 / bits : 1;
    uint32_t columns = sim_matrix_columns(matrix, part);
    uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    for (uint32_t r = 0; r < matrix->registers[part]; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
            uint64_t word = 0;
            if (gathers)
                word = bits == 64 ? SLOT(const uint64_t, slots[r])[lane]
                                  : SLOT(const uint32_t, slots[r])[lane];
            for (uint32_t e = 0; e < pack; e++) {
                sim_element_place at = sim_matrix_place(matrix, part, lane, r, e);
                uint64_t *value = &values[at.row * columns + at.column];
                if (gathers) *value = word >> (e * bits) & mask;
                else word |= (*value & mask) << (e * bits);
            }
            if (gathers) continue;
            if (bits == 64) SLOT(uint64_t, slots[r])[lane] = word;
            else SLOT(uint32_t, slots[r])[lane] = (uint32_t)word;
        }
}

// Which row of B each element of a sparse A meets (PTX ISA 9.0, "Sparse matrix storage"). Four bits
// of metadata tell of each group along k which half of it A holds: two of four, two pairs of four
// pairs, or one of two. Types of 16 and 32 bits: the low half of a lane's word is for the row of
// its four lanes, the high half for the row 8 below. Smaller types: odd lanes have the row below.
static void read_metadata(const sim_warp *warp, const sim_matrix *matrix, uint32_t slot,
                          uint8_t *chosen) {
    uint32_t bits = sim_element_bits((sim_element)matrix->a), stored = matrix->k / 2u;
    uint32_t held = bits == 32 ? 1 : bits == 4 ? 4 : 2;                  // elements of A in a group
    uint32_t groups = stored / held, lanes = matrix->m * groups / 8 / 8; // of four
    const uint32_t *words = SLOT(const uint32_t, slot);
    for (uint32_t row = 0; row < matrix->m; row++)
        for (uint32_t k = 0; k < stored; k++) {
            uint32_t group = k / held, inside = k % held, below = row / 8;
            uint32_t lane = row % 8 * 4 + matrix->selector * lanes, shift = group % 4 * 4;
            if (bits >= 16) {
                lane += group / 4;
                shift += 16 * below;
            } else {
                lane += group / 8 * 2 + below;
                shift = group % 8 * 4;
            }
            uint32_t picks = words[lane % SIM_WARP_LANES] >> shift & 15, place;
            if (held == 1) place = (picks & 3) / 2;
            else if (held == 2) place = picks >> 2 * inside & 3;
            else place = (picks >> inside / 2 * 2 & 3) * 2 + inside % 2;
            chosen[row * stored + k] = (uint8_t)(group * 2 * held + place);
        }
}

// The factors of .block_scale (PTX ISA 9.1, "Block scaling for mma.sync"): of each row of A those
// that the first or second two of its four lanes have, the second for the row 8 below; of each
// column of B those of one of its four. slots: register, byte and lanes of A's, and of B's.
static bool read_factors(sim_warp *warp, const sim_instr *instr, const uint32_t *slots,
                         sim_matrix_values *values) {
    const sim_matrix *matrix = instr->extra;
    for (uint32_t of_b = 0; of_b < 2; of_b++, slots += 3) {
        const uint32_t *words = SLOT(const uint32_t, slots[0]);
        uint32_t byte = *SLOT(const uint32_t, slots[1]) & 0xFFFF;
        uint32_t quarter = *SLOT(const uint32_t, slots[2]) & 0xFFFF;
        if (byte % matrix->factors || byte > 3 || quarter > (of_b ? 3u : 1u)) {
            sim_fault_text(warp, instr, 0, SIM_ILLEGAL_INSTRUCTION,
                           "mma: factors of %s from byte %u of lane %u of four: there are none",
                           of_b ? "B" : "A", byte, of_b ? quarter : 2 * quarter);
            return false;
        }
        for (uint32_t row = 0; row < (of_b ? matrix->n : matrix->m); row++)
            for (uint32_t i = 0; i < matrix->factors; i++) {
                uint32_t lane = row % 8 * 4 + (of_b ? quarter : 2 * quarter + row / 8);
                uint32_t bits = words[lane] >> 8 * (byte + i) & 0xFF;
                double factor = matrix->powers ? sim_double_from_small(SIM_SMALL_UE8M0, bits)
                                               : sim_double_from_small(SIM_SMALL_E4M3, bits & 0x7F);
                *(of_b ? &values->factors_b[row][i] : &values->factors_a[row][i]) = factor;
            }
    }
    return true;
}

HANDLER(multiply) {
    const sim_matrix *matrix = instr->extra;
    const uint32_t *d = slots_of(warp, instr), *a = d + matrix->registers[SIM_MATRIX_D];
    const uint32_t *b = a + matrix->registers[SIM_MATRIX_A];
    const uint32_t *c = b + matrix->registers[SIM_MATRIX_B];
    sim_matrix_values values;
    if (!whole_warp(warp, instr, lanes)) return;
    move_part(warp, matrix, SIM_MATRIX_A, a, values.a, true);
    move_part(warp, matrix, SIM_MATRIX_B, b, values.b, true);
    move_part(warp, matrix, SIM_MATRIX_C, c, values.c, true);
    const uint32_t *rest = c + matrix->registers[SIM_MATRIX_C];
    if (matrix->sparse) read_metadata(warp, matrix, *rest, values.chosen);
    if (matrix->factors && !read_factors(warp, instr, rest + matrix->sparse, &values)) return;
    sim_matrix_multiply(matrix, &values);
    move_part(warp, matrix, SIM_MATRIX_D, d, values.d, false);
}
HANDLER(multiply_halves) {
    if (!whole_warp(warp, instr, lanes)) return;
    SIM_VARIANT(sim_matrix_halves)(warp, instr->extra, slots_of(warp, instr));
}
static sim_exec_fn bind_multiply(const sim_instr *instr) {
    return SIM_VARIANT(sim_matrix_serves)(instr->extra) ? multiply_halves : multiply;
}
BIND(MMA) { return bind_multiply(instr); }
BIND(WMMA) { return bind_multiply(instr); }

// ---- ldmatrix, stmatrix, movmatrix --------------------------------------------------------------

// Byte of the 16-byte row where lane's half `half` of a matrix lies, and the row.
static sim_element_place half_place(bool transposed, uint32_t lane, uint32_t half) {
    uint32_t along = lane % 4 * 2 + half;
    return transposed ? (sim_element_place){along, lane / 4} : (sim_element_place){lane / 4, along};
}

// Element `i` of a row of 16 of 4, 6 or 8 bits, as a byte; .s4 (H200) with its sign.
static uint32_t byte_of(const sim_matrix *matrix, const uint8_t *row, uint32_t i) {
    uint32_t bits = matrix->k, at = i * bits, value = 0;
    memcpy(&value, row + at / 8, (at % 8 + bits + 7) / 8);
    value = value >> at % 8 & ((1u << bits) - 1);
    return matrix->a == SIM_ELEMENT_S4 ? ((value ^ 8) - 8) & 255 : value;
}

// ldmatrix of bytes. m8n16: lane i has elements 4 * (i % 4) to .. + 3 of row i / 4. m16n16.trans
// has two registers for each matrix: rows 4 * (i % 4) to .. + 3 of column i / 4, and of that 8
// further.
HANDLER(load_bytes) {
    const sim_matrix *matrix = instr->extra;
    uint32_t count = instr->vector, rows = count == 4 ? SIM_ALL_LANES : (1u << (8 * count)) - 1;
    lane_hosts hosts;
    if (!whole_warp(warp, instr, lanes)) return;
    if (!SIM_VARIANT(sim_memory_resolve)(warp, instr, rows, matrix->a == SIM_ELEMENT_S4 ? 8 : 16,
                                         SIM_ACCESS_READ, &hosts))
        return;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
            uint8_t *const *of = &hosts.host[8 * r / matrix->m * matrix->m];
            uint32_t word = 0, along = lane % 4 * 4, across = lane / 4 + r % 2 * 8;
            for (uint32_t e = 0; e < 4; e++)
                word |= (matrix->column ? byte_of(matrix, of[along + e], across)
                                        : byte_of(matrix, of[lane / 4], along + e))
                        << 8 * e;
            SLOT(uint32_t, slots_of(warp, instr)[r])[lane] = word;
        }
}

// stmatrix.m16n8.trans: lane i has elements 2 * (i % 4) and the next of column i / 4 and of that 8
// further, which are bytes of rows of 16 in memory.
HANDLER(store_bytes) {
    uint32_t count = instr->vector, rows = count == 4 ? SIM_ALL_LANES : (1u << (8 * count)) - 1;
    lane_hosts hosts;
    if (!whole_warp(warp, instr, lanes)) return;
    if (!SIM_VARIANT(sim_memory_resolve)(warp, instr, rows, 16, SIM_ACCESS_WRITE, &hosts)) return;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            for (uint32_t e = 0; e < 4; e++)
                hosts.host[8 * r + lane % 4 * 2 + e % 2][lane / 4 + e / 2 * 8] =
                    (uint8_t)(SLOT(uint32_t, slots_of(warp, instr)[r])[lane] >> 8 * e);
    sim_note_change(warp);
}

// Lane i of the first 8 * count gives the address of row i % 8 of matrix i / 8.
HANDLER(move_matrices) {
    const sim_matrix *matrix = instr->extra;
    bool loads = instr->op == SIM_OP_LDMATRIX;
    uint32_t count = instr->vector;
    uint32_t rows = count == 4 ? SIM_ALL_LANES : (1u << (8 * count)) - 1;
    lane_hosts hosts;
    if (!whole_warp(warp, instr, lanes)) return;
    if (!SIM_VARIANT(sim_memory_resolve)(warp, instr, rows, 16,
                                         loads ? SIM_ACCESS_READ : SIM_ACCESS_WRITE, &hosts))
        return;
    for (uint32_t r = 0; r < count; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
            uint32_t *word = &SLOT(uint32_t, slots_of(warp, instr)[r])[lane];
            for (uint32_t half = 0; half < 2; half++) {
                sim_element_place at = half_place(matrix->column, lane, half);
                uint8_t *place = hosts.host[8 * r + at.row] + 2 * at.column;
                uint8_t *part = (uint8_t *)word + 2 * half;
                memcpy(loads ? part : place, loads ? place : part, 2);
            }
        }
    if (!loads) sim_note_change(warp);
}
static sim_exec_fn bind_move_matrices(const sim_instr *instr) {
    bool bytes = ((const sim_matrix *)instr->extra)->k < 16;
    if (bytes) return instr->op == SIM_OP_LDMATRIX ? load_bytes : store_bytes;
    return instr->space == PTX_SPACE_SHARED || instr->space == PTX_SPACE_NONE ? move_matrices
                                                                              : NULL;
}
BIND(LDMATRIX) { return bind_move_matrices(instr); }
BIND(STMATRIX) { return bind_move_matrices(instr); }

HANDLER(movmatrix) {
    DST(uint32_t);
    SRC(uint32_t, a, 0);
    uint16_t rows[8][8];
    if (!whole_warp(warp, instr, lanes)) return;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        for (uint32_t half = 0; half < 2; half++)
            rows[lane / 4][lane % 4 * 2 + half] = (uint16_t)(a[lane] >> (16 * half));
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        uint32_t column = lane / 4, row = lane % 4 * 2;
        d[lane] = rows[row][column] | (uint32_t)rows[row + 1][column] << 16;
    }
}
BIND(MOVMATRIX) {
    (void)instr;
    return movmatrix;
}

// ---- wmma.load, wmma.store ----------------------------------------------------------------------

static uint32_t stride_of(const sim_warp *warp, const sim_instr *instr, const sim_matrix *matrix) {
    sim_matrix_part part = (sim_matrix_part)matrix->part;
    if (instr->src[1] != SIM_NO_SLOT) return SLOT(const uint32_t, instr->src[1])[0];
    return matrix->column ? sim_matrix_rows(matrix, part) : sim_matrix_columns(matrix, part);
}

// Elements that one access of a lane moves: all of a register where they lie side by side, as
// smaller ones than bytes always do.
static uint32_t together(const sim_matrix *matrix, sim_element element) {
    bool along_k = matrix->part == SIM_MATRIX_A ? !matrix->column : matrix->column;
    bool operand = matrix->part == SIM_MATRIX_A || matrix->part == SIM_MATRIX_B;
    uint32_t pack = sim_element_pack(element);
    return sim_element_bits(element) < 8 || (operand && along_k) ? pack : 1;
}

// What the accesses of one instruction start from: where an element lies is its lane's part and the
// part of its register and index, added up.
typedef struct fragment {
    uint64_t address[SIM_WARP_LANES]; // as the operand says
    uint64_t element[SIM_WARP_LANES]; // of the lane, from there
    uint64_t stride;                  // elements
} fragment;

static uint64_t element_of(const sim_matrix *matrix, uint64_t stride, uint32_t lane,
                           uint32_t number, uint32_t index) {
    sim_element_place at =
        sim_matrix_place(matrix, (sim_matrix_part)matrix->part, lane, number, index);
    return matrix->column ? at.column * stride + at.row : at.row * stride + at.column;
}

static void find_fragment(const sim_warp *warp, const sim_instr *instr, fragment *out) {
    lane_hosts hosts;
    SIM_VARIANT(sim_memory_addresses)(warp, instr, &hosts);
    memcpy(out->address, hosts.address, sizeof out->address);
    out->stride = stride_of(warp, instr, instr->extra);
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        out->element[lane] = element_of(instr->extra, out->stride, lane, 0, 0);
}

// Between registers, `pitch` bytes from lane to lane, and memory.
static void move_lanes(uint8_t *held, uint32_t pitch, uint8_t *const *host, uint32_t bytes,
                       bool loads) {
#define MOVE(width)                                                                                \
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++, held += pitch)                          \
    memcpy(loads ? held : host[lane], loads ? host[lane] : held, width)
    switch (bytes) {
    case 1: MOVE(1); break;
    case 2: MOVE(2); break;
    case 4: MOVE(4); break;
    default: MOVE(8);
    }
#undef MOVE
}

// One access of one register, of all lanes: it has its own, so that bounds are exact.
static bool move_elements(sim_warp *warp, const sim_instr *instr, const fragment *of,
                          uint32_t number, uint32_t index, uint32_t bytes) {
    const sim_matrix *matrix = instr->extra;
    uint32_t bits = sim_element_bits(sim_matrix_element(matrix, (sim_matrix_part)matrix->part));
    uint64_t further = element_of(matrix, of->stride, 0, number, index);
    bool loads = instr->op == SIM_OP_WMMA_LOAD;
    lane_hosts hosts;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        hosts.address[lane] = of->address[lane] + (of->element[lane] + further) * bits / 8;
    if (!SIM_VARIANT(sim_memory_resolve_at)(warp, instr, SIM_ALL_LANES, bytes,
                                            loads ? SIM_ACCESS_READ : SIM_ACCESS_WRITE, &hosts))
        return false;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (!hosts.host[lane]) {
            sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                           "a matrix in the local memory of a thread");
            return false;
        }
    uint8_t *held = (uint8_t *)SLOT(uint32_t, slots_of(warp, instr)[number]) + index * bits / 8;
    move_lanes(held, bytes == 8 ? 8 : 4, hosts.host, bytes, loads);
    return true;
}

// A register that holds what another one holds is filled without a look at memory.
static void repeat_register(sim_warp *warp, const sim_instr *instr, uint32_t number, uint32_t of) {
    const uint32_t *slots = slots_of(warp, instr);
    memcpy(SLOT(uint32_t, slots[number]), SLOT(const uint32_t, slots[of]),
           SIM_WARP_LANES * sizeof(uint32_t));
}

HANDLER(wmma_memory) {
    const sim_matrix *matrix = instr->extra;
    sim_element element = sim_matrix_element(matrix, (sim_matrix_part)matrix->part);
    if (!whole_warp(warp, instr, lanes)) return;
    fragment of;
    find_fragment(warp, instr, &of);
    if (warp->observing)
        sim_observe_matrix(warp, instr, of.address[0], of.stride * sim_element_bits(element) / 8);
    uint32_t each = together(matrix, element), pack = sim_element_pack(element);
    uint32_t bytes = each * sim_element_bits(element) / 8;
    uint32_t distinct = sim_matrix_registers(matrix, (sim_matrix_part)matrix->part);
    sim_raw_counts *counts = warp->counting ? counts_of(warp, instr) : NULL;
    sim_raw_counts before = counts ? *counts : (sim_raw_counts){0};
    uint32_t time = warp->record.requests; // of all accesses: they are one request
    for (uint32_t r = 0; r < instr->vector; r++) {
        if (r >= distinct) repeat_register(warp, instr, r, r % distinct);
        for (uint32_t e = 0; r < distinct && e < pack; e += each) {
            warp->record.requests = time;
            if (!move_elements(warp, instr, &of, r, e, bytes)) return;
        }
    }
    // Of shared memory ptxas makes one ldmatrix for each four registers.
    if (counts && counts->wavefronts > before.wavefronts && each > 1)
        counts->requests = before.requests + (distinct + 3) / 4;
    if (instr->op == SIM_OP_WMMA_STORE) sim_note_change(warp);
}
BIND(WMMA_LOAD) {
    (void)instr;
    return wmma_memory;
}
BIND(WMMA_STORE) {
    (void)instr;
    return wmma_memory;
}
