// The image of lab 11's application: see app.h.
#include "app.h"
#include "random.h"

enum { DISCS = 6, SHADES = 16 };

void coding_draw(uint8_t *pixels, int64_t side, uint64_t seed) {
    double size = (double)side, x0[DISCS], y0[DISCS], radius[DISCS];
    for (int d = 0; d < DISCS; d++) {
        x0[d] = size * (double)kl_random_unit(seed, 3 * (uint64_t)d);
        y0[d] = size * (double)kl_random_unit(seed, 3 * (uint64_t)d + 1);
        radius[d] = size * (0.03 + 0.07 * (double)kl_random_unit(seed, 3 * (uint64_t)d + 2));
    }
    double phase = 6.28 * (double)kl_random_unit(kl_random_fork(seed, 1), 0);
    uint64_t noise = kl_random_fork(seed, 2);
    for (int64_t row = 0; row < side; row++) {
        for (int64_t column = 0; column < side; column++) {
            double x = (double)column, y = (double)row;
            double wave =
                sin(6.0 * x / size + phase) + cos(9.0 * y / size) + sin(7.0 * (x + y) / size);
            uint8_t shade = (uint8_t)(10 * (int)((wave + 3.0) / 6.0 * (SHADES - 1)));
            for (int d = 0; d < DISCS; d++)
                if ((x - x0[d]) * (x - x0[d]) + (y - y0[d]) * (y - y0[d]) < radius[d] * radius[d])
                    shade = (uint8_t)(200 + 10 * d % 50);
            if (row > side - side / 8 && column > side - side / 8)
                shade = (uint8_t)kl_random_u64(noise, (uint64_t)(row * side + column));
            pixels[row * side + column] = shade;
        }
    }
}
