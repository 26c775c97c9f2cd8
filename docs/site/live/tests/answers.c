// What the rules of live figures answer for many requests, a line each, as answers.mjs prints it of
// WebAssembly.
#include <stdio.h>

#include "../rules.h"

int main(void) {
    uint32_t random = 1;
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t bytes = 1u << i % 5, lanes = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            random = random * 1664525u + 1013904223u;
            live_set(lane, (random >> 8) % (64u << i % 7) * bytes);
            lanes |= (random >> 30 || i % 2) ? 1u << lane : 0;
        }
        printf("%u ", live_sectors(lanes, bytes));
        printf("%u ", live_atomics(lanes, bytes));
        printf("%u ", live_conflict_free(lanes, bytes));
        printf("%u", live_wavefronts(lanes, bytes));
        for (uint32_t lane = 0; lane < 32; lane++) printf(" %u", live_round(lane, 0));
        printf("\n");
    }
    for (uint32_t threads = 0; threads <= 1056; threads += 33)
        for (uint32_t registers = 8; registers <= 256; registers += 31)
            for (uint32_t what = 0; what < 8; what++)
                printf("%u%c", live_occupancy(threads, registers, threads * 200, what),
                       what < 7 ? ' ' : '\n');
    printf("%s, %s\n", live_card(), live_limiter(2));
    return 0;
}
