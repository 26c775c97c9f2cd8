// SPDX-License-Identifier: MIT
// Lab 13's deck: which lane holds what of the factors and sums of mma.m16n8k16, as the simulator's
// own layout has it, and the rows of a swizzled tile in the banks, as step 4 places them.
#include <stdio.h>

#include "figures/figure.h"
#include "paper.h"
#include "program/matrix_layout.h"

enum { CELL = 25, TOP = 44 };

static const char *const colours[] = {"k0", "k1", "k2", "k3"};

// A part of the product: each element has the number of its lane and the colour of its register.
static void draw_part(const sim_matrix *matrix, sim_matrix_part part, double x, double y,
                      const char *title) {
    uint32_t pack = sim_element_pack(sim_matrix_element(matrix, part));
    uint32_t registers = sim_matrix_registers(matrix, part);
    kl_paper_text(stdout, x, y - 8, "t", "%s", title);
    for (uint32_t r = 0; r < registers; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            for (uint32_t e = 0; e < pack; e++) {
                sim_element_place at = sim_matrix_place(matrix, part, lane, r, e);
                double left = x + at.column * CELL, top = y + at.row * CELL;
                kl_paper_rect(stdout, left, top, CELL - 1, CELL - 1, colours[r]);
                kl_paper_text(stdout, left + (CELL - 1) / 2.0, top + 17, "v m", "%u", lane);
            }
}

int figure_draw_fragments(void) {
    const sim_matrix matrix = {.m = 16,
                               .n = 8,
                               .k = 16,
                               .a = SIM_ELEMENT_F16,
                               .b = SIM_ELEMENT_F16,
                               .c = SIM_ELEMENT_F32,
                               .d = SIM_ELEMENT_F32};
    enum { WIDTH = 1060, B_LEFT = 470, D_LEFT = 730 };
    double height = TOP + 16 * CELL + 40;
    kl_paper_begin(stdout, WIDTH, height, "Lanes that hold the elements of mma.m16n8k16");
    draw_part(&matrix, SIM_MATRIX_A, 16, TOP, "A, 16 x 16");
    draw_part(&matrix, SIM_MATRIX_B, B_LEFT, TOP, "B, 16 x 8");
    draw_part(&matrix, SIM_MATRIX_D, D_LEFT, TOP, "sums, 16 x 8");
    kl_paper_text(stdout, 16, height - 14, "t", "number: the lane; colour: its register");
    for (int r = 0; r < 4; r++) {
        kl_paper_rect(stdout, 380 + r * 90, height - 32, 22, 22, colours[r]);
        kl_paper_text(stdout, 408 + r * 90, height - 15, "t", "[%d]", r);
    }
    kl_paper_end(stdout);
    return 0;
}

// Step 4's place of a chunk; rows of 64 bytes, two of which fill the banks.
static int place_of(int row, int chunk) {
    return chunk ^ row / 2 % 4;
}

static void draw_rows(double x, const char *title, bool swizzled) {
    enum { ROWS = 8, CHUNKS = 4, WIDE = 52, HIGH = 30 };
    kl_paper_text(stdout, x + 60, 20, "t", "%s", title);
    for (int g = 0; g < 8; g++)
        kl_paper_text(stdout, x + 60 + g * WIDE + WIDE / 2.0, TOP, "v m", "%d..%d", 4 * g,
                      4 * g + 3);
    for (int row = 0; row < ROWS; row++) {
        double y = TOP + 12 + row / 2 * HIGH;
        if (row % 2 == 0) kl_paper_text(stdout, x + 50, y + 20, "v e", "%d, %d", row, row + 1);
        for (int c = 0; c < CHUNKS; c++) {
            int place = (swizzled ? place_of(row, c) : c) + row % 2 * CHUNKS;
            kl_paper_rect(stdout, x + 60 + place * WIDE, y, WIDE - 2, HIGH - 2,
                          c == 0 ? "k1" : "cell");
            kl_paper_text(stdout, x + 60 + place * WIDE + WIDE / 2.0 - 1, y + 20, "v m", "%d", c);
        }
    }
}

int figure_draw_swizzled_rows(void) {
    enum { WIDTH = 1060 };
    kl_paper_begin(stdout, WIDTH, 228,
                   "Chunks of eight rows in the banks, without and with a swizzle");
    draw_rows(6, "as they come: chunk 0 of eight rows lies in eight banks", false);
    draw_rows(540, "swizzled: in all 32", true);
    kl_paper_text(stdout, 16, 206, "t",
                  "columns: banks; lines: two rows of 64 bytes; number: the chunk of 16 bytes; "
                  "green: what one 8 x 8 matrix is read from");
    kl_paper_end(stdout);
    return 0;
}
