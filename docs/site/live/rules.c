// The simulator's rules for one request of a warp and for occupancy, as live.js calls them: numbers
// in, numbers out. build.sh compiles this with the rules' own sources for a browser; a test
// compares that with what these functions answer here.
#include "rules.h"

#include "device/device.h"
#include "memory/access.h"

#include <stddef.h>

static uint64_t addresses[SIM_ACCESS_LANES];
static sim_bank_round rounds[SIM_ACCESS_LANES][SIM_ACCESS_WORDS];

void live_set(uint32_t lane, uint32_t address) { addresses[lane % SIM_ACCESS_LANES] = address; }

uint32_t live_sectors(uint32_t lanes, uint32_t bytes) {
    return sim_access_sectors(addresses, lanes, bytes);
}

uint32_t live_wavefronts(uint32_t lanes, uint32_t bytes) {
    return sim_access_bank_rounds(addresses, lanes, bytes, rounds);
}

uint32_t live_conflict_free(uint32_t lanes, uint32_t bytes) {
    return sim_access_banks(addresses, lanes, bytes).conflict_free;
}

uint32_t live_atomics(uint32_t lanes, uint32_t bytes) {
    sim_bank_round first[SIM_ACCESS_LANES] = {{0, 0}}; // nothing is written of lanes that are off
    uint32_t count = sim_access_atomic_rounds(addresses, lanes, bytes, first);
    for (uint32_t lane = 0; lane < SIM_ACCESS_LANES; lane++) rounds[lane][0] = first[lane];
    return count;
}

uint32_t live_round(uint32_t lane, uint32_t word) {
    return rounds[lane % SIM_ACCESS_LANES][word % SIM_ACCESS_WORDS].wavefront;
}

uint32_t live_occupancy(uint32_t threads, uint32_t registers, uint32_t shared_bytes,
                        uint32_t what) {
    const sim_device *device = sim_device_find(NULL);
    sim_occupancy o;
    sim_occupancy_compute(device, threads, registers, shared_bytes, &o);
    const uint32_t answers[] = {
        o.warps_per_sm, device->warps_per_sm, o.blocks_per_sm, o.limit_warps,
        o.limit_blocks, o.limit_registers,    o.limit_shared,  o.limiter};
    return what < sizeof answers / sizeof answers[0] ? answers[what] : 0;
}

const char *live_limiter(uint32_t limiter) { return sim_limiter_name((sim_limiter)limiter); }

const char *live_card(void) { return sim_device_find(NULL)->name; }

#ifdef __wasm__
#include <string.h>

void *memset(void *bytes, int value, size_t count) {
    unsigned char *to = bytes;
    for (size_t i = 0; i < count; i++) to[i] = (unsigned char)value;
    return bytes;
}

void *memcpy(void *to, const void *from, size_t count) {
    for (size_t i = 0; i < count; i++) ((char *)to)[i] = ((const char *)from)[i];
    return to;
}

int strcmp(const char *a, const char *b) {
    while (*a && *a == *b) a++, b++;
    return *a - *b;
}

size_t strlen(const char *text) {
    size_t count = 0;
    while (text[count]) count++;
    return count;
}
#endif
