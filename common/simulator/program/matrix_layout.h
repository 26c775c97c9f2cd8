// SPDX-License-Identifier: MIT
// Where the elements of a matrix lie in the registers of a warp (PTX ISA 9.0, "Matrix Fragments for
// mma.m16n8k16" and its siblings). All of them follow one pattern. The warp is 8 groups of 4 lanes.
// A register holds `pack` neighbours along k, and the 4 lanes of a group hold neighbours, so a
// group covers 4 * pack steps of k:
//   A  row = group, or group + 8 for odd registers of a 16-row tile; further registers go on along
//      k
//   B  column = group; further registers go on along k
//   C  row = group or group + 8, columns 2 * lane in group, and the next
// wmma leaves its layout open: tiles of this pattern one after the other, and where a fragment has
// more registers than elements, the same again.
#ifndef SIM_PROGRAM_MATRIX_LAYOUT_H
#define SIM_PROGRAM_MATRIX_LAYOUT_H

#include "program/ir.h"

// Where in its matrix an element is.
typedef struct sim_element_place {
    uint32_t row, column; // from 0
} sim_element_place;

static inline uint32_t sim_element_bits(sim_element element) {
    static const uint8_t bits[] = {
#define MATRIX_ELEMENT(id, text, bits) bits,
#include "program/matrix_elements.def"
#undef MATRIX_ELEMENT
    };
    return bits[element];
}

static inline sim_element sim_matrix_element(const sim_matrix *matrix, sim_matrix_part part) {
    const uint8_t types[] = {matrix->a, matrix->b, matrix->c, matrix->d};
    return (sim_element)types[part];
}

// Elements of one register.
static inline uint32_t sim_element_pack(sim_element element) {
    uint32_t bits = sim_element_bits(element);
    return bits < 32 ? 32 / bits : 1;
}

static inline uint32_t sim_matrix_rows(const sim_matrix *matrix, sim_matrix_part part) {
    return part == SIM_MATRIX_B ? matrix->k : matrix->m;
}
static inline uint32_t sim_matrix_columns(const sim_matrix *matrix, sim_matrix_part part) {
    return part == SIM_MATRIX_A ? matrix->k : matrix->n;
}

// Registers per lane that hold every element once.
static inline uint32_t sim_matrix_registers(const sim_matrix *matrix, sim_matrix_part part) {
    uint32_t elements = sim_matrix_rows(matrix, part) * sim_matrix_columns(matrix, part);
    return elements / (SIM_WARP_LANES * sim_element_pack(sim_matrix_element(matrix, part)));
}

// The place of element `index` of register `number` in `lane`.
static inline sim_element_place sim_matrix_place(const sim_matrix *matrix, sim_matrix_part part,
                                                 uint32_t lane, uint32_t number, uint32_t index) {
    uint32_t pack = sim_element_pack(sim_matrix_element(matrix, part));
    uint32_t group = lane / 4, inner = lane % 4, tall = matrix->m >= 16 ? 2 : 1;
    number %= sim_matrix_registers(matrix, part);
    if (part == SIM_MATRIX_B) {
        uint32_t a_tile = matrix->k / (4 * pack), along = number % a_tile;
        return (sim_element_place){along * 4 * pack + inner * pack + index,
                                   number / a_tile * 8 + group};
    }
    if (part == SIM_MATRIX_A) {
        uint32_t a_tile = tall * (matrix->k / (4 * pack)), inside = number % a_tile;
        return (sim_element_place){number / a_tile * 16 + group + inside % tall * 8,
                                   inside / tall * 4 * pack + inner * pack + index};
    }
    uint32_t element = number * pack + index, tile = element / (2 * tall);
    uint32_t inside = element % (2 * tall), across = matrix->n / 8;
    return (sim_element_place){tile / across * 16 + group + inside / 2 * 8,
                               tile % across * 8 + inner * 2 + inside % 2};
}

#endif
