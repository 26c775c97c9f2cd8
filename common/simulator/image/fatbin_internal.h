// SPDX-License-Identifier: MIT
// What fatbin.c and fatbin_payload.c share. Private to them.
#ifndef SIM_IMAGE_FATBIN_INTERNAL_H
#define SIM_IMAGE_FATBIN_INTERNAL_H

#include "base/arena.h"
#include "image/fatbin.h"

#define FATBIN_MAX_PAYLOAD_BYTES ((uint64_t)256 << 20) // one decompressed PTX text or cubin
#define FATBIN_MAX_ARENA_BYTES   ((size_t)1 << 30)     // all decompressed payloads of an image

typedef struct fatbin_slot {
    sim_fatbin_entry entry;
    const uint8_t *data; // decompressed, NULL until asked for
} fatbin_slot;

struct sim_fatbin {
    sim_arena *arena;
    fatbin_slot *slots;
    uint32_t count, capacity, container_count;
};

#endif
