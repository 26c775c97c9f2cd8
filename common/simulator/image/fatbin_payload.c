// SPDX-License-Identifier: MIT
// Payloads of fat binary entries: plain, LZ4 (nvcc --compress-mode=speed) or zstd (the default for
// PTX).
#include "base/arena.h"
#include "image/decompress.h"
#include "image/internal.h"

sim_status sim_fatbin_payload(sim_fatbin *fatbin, uint32_t index, const uint8_t **out_data,
                              size_t *out_bytes, kl_error *err) {
    *out_data = NULL;
    *out_bytes = 0;
    if (index >= fatbin->count)
        return sim_fail(err, SIM_INVALID_VALUE, "fat binary: there is no entry %u", index);
    fatbin_slot *slot = &fatbin->slots[index];
    const sim_fatbin_entry *entry = &slot->entry;
    if (!slot->data) {
        if (entry->compression == SIM_FATBIN_PLAIN) {
            slot->data = entry->stored;
        } else {
            // stored_bytes can only be as large as the image, but LZ4 counts in int.
            if (entry->stored_bytes > FATBIN_MAX_PAYLOAD_BYTES)
                return sim_fail(err, SIM_BAD_IMAGE, "fat binary: entry %u is too large", index);
            uint8_t *to = sim_arena_alloc(fatbin->arena, entry->payload_bytes);
            if (!to)
                return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for %zu bytes of device code",
                                entry->payload_bytes);
            bool lz4 = entry->compression == SIM_FATBIN_LZ4;
            TRY((lz4 ? sim_decompress_lz4 : sim_decompress_zstd)(entry->stored, entry->stored_bytes,
                                                                 to, entry->payload_bytes, err));
            slot->data = to;
        }
    }
    *out_data = slot->data;
    *out_bytes = entry->payload_bytes;
    return SIM_OK;
}
