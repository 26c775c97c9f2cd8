// Products of 16-bit floats with sums in float, the usual shapes, by way of the sums that wgmma has
// (warpgroup_product.c): for these types the two add alike, and A, C and D lie alike in registers.
#include "ops/internal.h"
#include "warps/lanes.h"

enum { ROWS = SIM_TILE_ROWS, DEPTH = 16, MOST_REGISTERS = 8 };

bool SIM_VARIANT(sim_matrix_serves)(const sim_matrix *matrix) {
    return matrix->m == ROWS && matrix->k == DEPTH && !matrix->sparse &&
           (matrix->n == 8 || matrix->n == 16) && matrix->a == matrix->b &&
           matrix->c == SIM_ELEMENT_F32 && matrix->d == SIM_ELEMENT_F32 &&
           (matrix->a == SIM_ELEMENT_F16 || matrix->a == SIM_ELEMENT_BF16);
}

// Rows of A or columns of B, 32 bytes each. A register of all lanes has eight of them, and half of
// k; the next one has, `by_rows`, the next eight, else the other half.
static void gather(const sim_warp *warp, const uint32_t *slots, uint32_t count, bool by_rows,
                   uint8_t *out) {
    for (uint32_t r = 0; r < count; r++) {
        const uint32_t *words = SLOT(const uint32_t, slots[r]);
        uint32_t eight = by_rows ? r % 2 : r / 2, half = by_rows ? r / 2 : r % 2;
        for (uint32_t row = 0; row < 8; row++)
            memcpy(out + (8 * eight + row) * SIM_TILE_K + 16 * half, words + 4 * row, 16);
    }
}

// A fragment of wmma of 16 columns is that of two tiles of 8; those of A and B hold all twice.
void SIM_VARIANT(sim_matrix_halves)(sim_warp *warp, const sim_matrix *matrix,
                                    const uint32_t *slots) {
    uint8_t bytes[ROWS * SIM_TILE_K];
    uint32_t sums[MOST_REGISTERS][SIM_WARP_LANES], *registers[MOST_REGISTERS];
    sim_tile a, b;
    const sim_element element = (sim_element)matrix->a;
    const uint32_t *of_d = slots, *of_a = of_d + matrix->registers[SIM_MATRIX_D];
    const uint32_t *of_b = of_a + matrix->registers[SIM_MATRIX_A];
    const uint32_t *of_c = of_b + matrix->registers[SIM_MATRIX_B];
    gather(warp, of_a, ROWS / 4, true, bytes);
    SIM_VARIANT(sim_tile_read)(element, ROWS, false, false, bytes, &a);
    gather(warp, of_b, matrix->n / 4u, false, bytes);
    SIM_VARIANT(sim_tile_read)(element, matrix->n, true, false, bytes, &b);
    for (uint32_t r = 0; r < matrix->registers[SIM_MATRIX_C]; r++) {
        registers[r] = sums[r];
        memcpy(sums[r], SLOT(const uint32_t, of_c[r]), sizeof sums[r]);
    }
    SIM_VARIANT(sim_warpgroup_multiply)(matrix, &a, &b, registers, true);
    for (uint32_t r = 0; r < matrix->registers[SIM_MATRIX_D]; r++)
        memcpy(SLOT(uint32_t, of_d[r]), sums[r], sizeof sums[r]);
}
