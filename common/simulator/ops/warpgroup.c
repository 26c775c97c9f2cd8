// Instructions of a warp group: wgmma, its fence and groups, setmaxnreg. Each warp multiplies
// its 16 rows of A when it issues the product: a program that waits where it must cannot tell.
#include "ops/internal.h"
#include "warps/lanes.h"

enum { GROUP_WARPS = 4, KEPT_TILES = 8 };

enum { TILE_CHUNKS = SIM_TILE_BYTES / SIM_CHUNK_BYTES };

// The chunks of an operand in shared memory, one after the other.
typedef struct gathered {
    uint32_t count, end; // end: of the one that lies last, in shared memory
    uint32_t address[TILE_CHUNKS];
    uint8_t bytes[SIM_TILE_BYTES];
} gathered;

// Operands B that were read last: the warps of a group read the same ones in turn.
typedef struct kept_tile {
    uint32_t element, rows; // rows 0: none
    bool transposed;
    uint64_t descriptor;
    gathered from;
    sim_tile tile;
} kept_tile;

typedef struct kept_tiles {
    kept_tile of_b[KEPT_TILES];
    sim_tile a;
    uint32_t next; // of of_b, to be overwritten
} kept_tiles;

// `.sync.aligned` on a warp group: whole warps, four of them in a row.
static bool whole_group(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const sim_block *block = warp->block;
    uint32_t first = warp->index / GROUP_WARPS * GROUP_WARPS, lane = (uint32_t)__builtin_ctz(lanes);
    if (lanes != SIM_ALL_LANES) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "an instruction of a warp group with lanes 0x%08x: all 32 lanes of all four "
                       "warps must execute it together",
                       lanes);
        return false;
    }
    if (first + GROUP_WARPS <= block->warp_count) return true;
    sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                   "an instruction of a warp group in warp %u of a block of %u: a group is four "
                   "warps in a row, of which the first one's number is a multiple of four",
                   warp->index, block->warp_count);
    return false;
}

static kept_tiles *tiles_of(sim_warp *warp) {
    sim_worker *worker = warp->block->worker;
    if (worker->tiles) return worker->tiles;
    kept_tiles *tiles = aligned_alloc(64, (sizeof *tiles + 63) / 64 * 64);
    if (!tiles) {
        sim_fault_memory(warp);
        return NULL;
    }
    for (uint32_t i = 0; i < KEPT_TILES; i++) tiles->of_b[i].rows = 0;
    tiles->next = 0;
    return worker->tiles = tiles;
}

// ---- Operands in shared memory ------------------------------------------------------------------

typedef struct operand {
    sim_descriptor at;
    uint32_t first, rows; // of the matrix
    bool transposed;
} operand;

static bool outside(sim_warp *warp, const sim_instr *instr, uint32_t address) {
    sim_fault_address(warp, instr, 0, address, SIM_CHUNK_BYTES, PTX_SPACE_SHARED);
    return false;
}

enum { ROW_CHUNKS = SIM_TILE_K / SIM_CHUNK_BYTES, ROWS_A_CHUNK = SIM_CHUNK_BYTES / 2 };

// Where chunk `j` of row `i`, or of step `i` of k, lies.
static inline uint32_t chunk_address(const operand *from, uint32_t i, uint32_t j) {
    uint32_t offset = from->transposed
                          ? sim_chunk_along_rows(&from->at, from->first + j * ROWS_A_CHUNK, i)
                          : sim_chunk_along_k(&from->at, from->first + i, j * SIM_CHUNK_BYTES);
    return sim_swizzled(&from->at, offset) - (uint32_t)SIM_SHARED_START;
}

// Bytes of an operand as sim_tile_read takes them.
static bool gather(sim_warp *warp, const sim_instr *instr, const operand *from, gathered *out) {
    uint32_t along = from->transposed ? SIM_TILE_K / 2 : from->rows;
    uint32_t across = from->transposed ? from->rows / ROWS_A_CHUNK : ROW_CHUNKS;
    if (warp->shared_bytes < SIM_CHUNK_BYTES) return outside(warp, instr, from->at.start);
    uint32_t last = warp->shared_bytes - SIM_CHUNK_BYTES, count = 0;
    out->end = 0;
    for (uint32_t i = 0; i < along; i++)
        for (uint32_t j = 0; j < across; j++) {
            uint32_t address = chunk_address(from, i, j);
            if (address > last) return outside(warp, instr, address);
            if (address + SIM_CHUNK_BYTES > out->end) out->end = address + SIM_CHUNK_BYTES;
            memcpy(out->bytes + count * SIM_CHUNK_BYTES, warp->shared + address, SIM_CHUNK_BYTES);
            out->address[count++] = address;
        }
    out->count = count;
    return true;
}

// Whether shared memory still holds what was gathered.
static bool is_unchanged(const sim_warp *warp, const gathered *from) {
    uint64_t now[2], then[2], differ = 0;
    if (from->end > warp->shared_bytes) return false;
    for (uint32_t i = 0; i < from->count; i++) {
        memcpy(now, warp->shared + from->address[i], sizeof now);
        memcpy(then, from->bytes + i * SIM_CHUNK_BYTES, sizeof then);
        differ |= (now[0] ^ then[0]) | (now[1] ^ then[1]);
    }
    return differ == 0;
}

static uint64_t descriptor_bits(const sim_warp *warp, uint32_t slot) {
    return SLOT(const uint64_t, slot)[0];
}

static operand operand_a(const sim_warp *warp, const sim_matrix *matrix, uint64_t descriptor) {
    return (operand){.at = sim_descriptor_of(descriptor),
                     .first = warp->index % GROUP_WARPS * SIM_TILE_ROWS,
                     .rows = SIM_TILE_ROWS,
                     .transposed = matrix->transposed[0]};
}
static operand operand_b(const sim_matrix *matrix, uint64_t descriptor) {
    return (operand){.at = sim_descriptor_of(descriptor),
                     .rows = matrix->n,
                     .transposed = matrix->transposed[1]};
}

static const sim_tile *read_b(sim_warp *warp, const sim_instr *instr, kept_tiles *tiles) {
    const sim_matrix *matrix = instr->extra;
    uint64_t descriptor = descriptor_bits(warp, instr->src[1]);
    operand from = operand_b(matrix, descriptor);
    for (uint32_t i = 0; i < KEPT_TILES; i++) {
        const kept_tile *kept = &tiles->of_b[i];
        if (kept->rows == matrix->n && kept->element == matrix->b &&
            kept->transposed == from.transposed && kept->descriptor == descriptor &&
            is_unchanged(warp, &kept->from))
            return &kept->tile;
    }
    kept_tile *kept = &tiles->of_b[tiles->next];
    tiles->next = (tiles->next + 1) % KEPT_TILES;
    kept->rows = 0;
    if (!gather(warp, instr, &from, &kept->from)) return NULL;
    kept->rows = matrix->n;
    kept->element = matrix->b;
    kept->transposed = from.transposed;
    kept->descriptor = descriptor;
    SIM_VARIANT(sim_tile_read)
    ((sim_element)matrix->b, matrix->n, true, from.transposed, kept->from.bytes, &kept->tile);
    return &kept->tile;
}

// ---- Operand A in registers ---------------------------------------------------------------------

// Four registers of a lane: rows lane / 4 and 8 more, and 16 bytes along k from 4 * (lane % 4) on,
// and 16 more.
static void gather_registers(const sim_warp *warp, const uint32_t *slots, uint8_t *out) {
    for (uint32_t r = 0; r < 4; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
            uint32_t row = lane / 4 + r % 2 * 8, along = lane % 4 * 4 + r / 2 * SIM_CHUNK_BYTES;
            memcpy(out + row * SIM_TILE_K + along, &SLOT(const uint32_t, slots[r])[lane], 4);
        }
}

static bool read_a(sim_warp *warp, const sim_instr *instr, const uint32_t *slots, sim_tile *out) {
    const sim_matrix *matrix = instr->extra;
    gathered bytes;
    if (instr->src[0] == SIM_NO_SLOT) {
        gather_registers(warp, slots, bytes.bytes);
    } else {
        operand from = operand_a(warp, matrix, descriptor_bits(warp, instr->src[0]));
        if (!gather(warp, instr, &from, &bytes)) return false;
    }
    SIM_VARIANT(sim_tile_read)
    ((sim_element)matrix->a, SIM_TILE_ROWS, false, matrix->transposed[0], bytes.bytes, out);
    if (matrix->negated) SIM_VARIANT(sim_tile_negate)(SIM_TILE_ROWS, out);
    return true;
}

// ---- What an observer is told -------------------------------------------------------------------

static void tell_reads(const sim_warp *warp, sim_product *product, const operand *from) {
    uint64_t addresses[SIM_WARP_LANES];
    uint32_t along = from->transposed ? SIM_TILE_K / 2 : from->rows, count = 0;
    uint32_t across = from->transposed ? from->rows / ROWS_A_CHUNK : ROW_CHUNKS;
    for (uint32_t i = 0; i < along * across; i++) {
        addresses[count++] = chunk_address(from, i / across, i % across);
        if (count < SIM_WARP_LANES && i + 1 < along * across) continue;
        uint32_t lanes = count == SIM_WARP_LANES ? SIM_ALL_LANES : (UINT32_C(1) << count) - 1;
        for (uint32_t lane = count; lane < SIM_WARP_LANES; lane++) addresses[lane] = addresses[0];
        sim_observe_product(warp, product, lanes, SIM_CHUNK_BYTES, addresses);
        count = 0;
    }
}

static void tell_product(const sim_warp *warp, sim_product *product) {
    const sim_matrix *matrix = product->instr->extra;
    operand b = operand_b(matrix, product->b);
    tell_reads(warp, product, &b);
    if (product->instr->src[0] == SIM_NO_SLOT) return;
    operand a = operand_a(warp, matrix, product->a);
    tell_reads(warp, product, &a);
}

// Its operands have been read without a fault.
static void note_product(sim_warp *warp, const sim_instr *instr) {
    sim_product *product = sim_product_add(warp);
    if (!product) return;
    product->instr = instr;
    product->function = warp->frame->function;
    if (instr->src[0] != SIM_NO_SLOT) product->a = descriptor_bits(warp, instr->src[0]);
    product->b = descriptor_bits(warp, instr->src[1]);
    tell_product(warp, product);
}

// All groups but the `keep` latest have ended.
static void end_groups(sim_warp *warp, uint32_t keep) {
    sim_products *products = &warp->products;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < products->count; i++) {
        sim_product *product = &products->items[i];
        if (product->group + keep < products->groups) tell_product(warp, product);
        else products->items[kept++] = *product;
    }
    products->count = kept;
}

// ---- Instructions -------------------------------------------------------------------------------

HANDLER(wgmma) {
    const sim_matrix *matrix = instr->extra;
    const uint32_t *slots = warp->frame->function->slots + instr->list;
    uint32_t count = matrix->registers[SIM_MATRIX_D];
    uint32_t *registers[SIM_WARPGROUP_REGISTERS];
    if (!whole_group(warp, instr, lanes)) return;
    kept_tiles *tiles = tiles_of(warp);
    if (!tiles || !read_a(warp, instr, slots + count, &tiles->a)) return;
    const sim_tile *b = read_b(warp, instr, tiles);
    if (!b) return;
    for (uint32_t r = 0; r < count; r++) registers[r] = SLOT(uint32_t, slots[r]);
    bool adds = read_predicate_c(warp, instr) & 1;
    if (warp->observing) note_product(warp, instr);
    SIM_VARIANT(sim_warpgroup_multiply)(matrix, &tiles->a, b, registers, adds);
}
BIND(WGMMA) {
    (void)instr;
    return wgmma;
}

HANDLER(group_only) { whole_group(warp, instr, lanes); }
BIND(WGMMA_FENCE) {
    (void)instr;
    return group_only;
}
HANDLER(pass_group) {
    if (!whole_group(warp, instr, lanes) || !warp->observing) return;
    if (instr->src[0] == SIM_NO_SLOT) {
        warp->products.groups++;
        return;
    }
    // The products were the warp's: that they have ended, each of its lanes may pass on.
    uint32_t all[SIM_WARP_LANES];
    end_groups(warp, instr->variant);
    EACH_LANE all[i] = SIM_ALL_LANES;
    sim_observe_warp(warp, instr, lanes, all);
}
BIND(WGMMA_GROUP) {
    (void)instr;
    return pass_group;
}
BIND(SETMAXNREG) {
    (void)instr;
    return group_only;
}
