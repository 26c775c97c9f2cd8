// Lab 13's deck: which lane holds what of the factors and sums of mma.m16n8k16, as the simulator's
// own layout has it, and the rows of a swizzled tile in the banks, as step 4 places them.
#include "figures/figure.h"
#include "program/program.h"

enum { WIDE = 22, HIGH = 15, TOP = 36 };

static const char *const colours[] = {"k0", "k1", "k2", "k3"};

// A part of the product: each element has the number of its lane and the colour of its register.
static void draw_part(const sim_matrix *matrix, sim_matrix_part part, double x, double y,
                      const char *title) {
    uint32_t pack = sim_element_pack(sim_matrix_element(matrix, part));
    uint32_t registers = sim_matrix_registers(matrix, part);
    put_text(x, y - 8, "t", "%s", title);
    for (uint32_t r = 0; r < registers; r++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            for (uint32_t e = 0; e < pack; e++) {
                sim_element_place at = sim_matrix_place(matrix, part, lane, r, e);
                double left = x + at.column * WIDE, top = y + at.row * HIGH;
                put_rect(left, top, WIDE - 1, HIGH - 1, colours[r]);
                put_text(left + (WIDE - 1) / 2.0, top + 11, "v m", "%u", lane);
            }
}

void figure_draw_fragments(void) {
    const sim_matrix matrix = {.m = 16,
                               .n = 8,
                               .k = 16,
                               .a = SIM_ELEMENT_F16,
                               .b = SIM_ELEMENT_F16,
                               .c = SIM_ELEMENT_F32,
                               .d = SIM_ELEMENT_F32};
    enum { WIDTH = 780, B_LEFT = 392, D_LEFT = 594 };
    double height = TOP + 16 * HIGH + 36;
    begin_figure(WIDTH, height, "Lanes that hold the elements of mma.m16n8k16");
    draw_part(&matrix, SIM_MATRIX_A, 16, TOP, "A, 16 x 16");
    draw_part(&matrix, SIM_MATRIX_B, B_LEFT, TOP, "B, 16 x 8");
    draw_part(&matrix, SIM_MATRIX_D, D_LEFT, TOP, "sums, 16 x 8");
    put_text(16, height - 13, "t", "number: the lane; colour: its register");
    for (int r = 0; r < 4; r++) {
        put_rect(300 + r * 70, height - 26, 20, 16, colours[r]);
        put_text(326 + r * 70, height - 13, "t", "[%d]", r);
    }
}

// Step 4's place of a chunk; rows of 64 bytes, two of which fill the banks.
static int place_of(int row, int chunk) { return chunk ^ row / 2 % 4; }

static void draw_rows(double x, const char *title, bool swizzled) {
    enum { ROWS = 8, CHUNKS = 4, BANKS = 40, LINE = 26, LEFT = 46 };
    put_text(x + LEFT, 20, "t", "%s", title);
    for (int g = 0; g < 8; g++)
        put_text(x + LEFT + g * BANKS + BANKS / 2.0, TOP, "v m", "%d..%d", 4 * g, 4 * g + 3);
    for (int row = 0; row < ROWS; row++) {
        double y = TOP + 12 + row / 2 * LINE;
        if (row % 2 == 0) put_text(x + LEFT - 10, y + 17, "v e", "%d, %d", row, row + 1);
        for (int c = 0; c < CHUNKS; c++) {
            int place = (swizzled ? place_of(row, c) : c) + row % 2 * CHUNKS;
            put_rect(x + LEFT + place * BANKS, y, BANKS - 2, LINE - 2, c == 0 ? "k1" : "cell");
            put_text(x + LEFT + place * BANKS + BANKS / 2.0 - 1, y + 17, "v m", "%d", c);
        }
    }
}

void figure_draw_swizzled_rows(void) {
    enum { WIDTH = 776 };
    begin_figure(WIDTH, 220, "Chunks of eight rows in the banks, without and with a swizzle");
    draw_rows(6, "as they come: chunk 0 in eight banks", false);
    draw_rows(396, "swizzled: in all 32", true);
    put_text(16, 188, "v",
             "columns: banks; lines: two rows of 64 bytes; number: the chunk of 16 bytes");
    put_text(16, 206, "v", "green: what one 8 x 8 matrix is read from");
}
