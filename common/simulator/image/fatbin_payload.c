// SPDX-License-Identifier: MIT
// Payloads of fat binary entries: plain, LZ4 (nvcc --compress-mode=speed) or zstd (the default for
// PTX). The libraries are optional: compiled in with SIM_HAVE_LZ4 and SIM_HAVE_ZSTD.
#include <string.h>

#include "base/arena.h"
#include "image/fatbin_internal.h"

#ifdef SIM_HAVE_LZ4
#include <lz4.h>
#endif
#ifdef SIM_HAVE_ZSTD
#include <zstd.h>
#endif

#if !defined(SIM_HAVE_LZ4) || !defined(SIM_HAVE_ZSTD)
static sim_status fail_without(const char *method, const char *library, sim_error *error) {
    return sim_fail(
        error, SIM_UNSUPPORTED,
        "this program's device code is compressed with %s, and the simulator was built "
        "without %s.\n"
        "Either install %s's development package and build the simulator again, or compile the "
        "program with nvcc --compress-mode=none.",
        method, library, library);
}
#endif

static sim_status decompress_lz4(const sim_fatbin_entry *entry, uint8_t *to, sim_error *error) {
#ifdef SIM_HAVE_LZ4
    int bytes = LZ4_decompress_safe((const char *)entry->stored, (char *)to,
                                    (int)entry->stored_bytes, (int)entry->payload_bytes);
    if (bytes < 0 || (size_t)bytes != entry->payload_bytes)
        return sim_fail(error, SIM_BAD_IMAGE, "fat binary: damaged LZ4 data");
    return SIM_OK;
#else
    (void)entry;
    (void)to;
    return fail_without("LZ4", "liblz4", error);
#endif
}

static sim_status decompress_zstd(const sim_fatbin_entry *entry, uint8_t *to, sim_error *error) {
#ifdef SIM_HAVE_ZSTD
    size_t bytes = ZSTD_decompress(to, entry->payload_bytes, entry->stored, entry->stored_bytes);
    if (ZSTD_isError(bytes) || bytes != entry->payload_bytes)
        return sim_fail(error, SIM_BAD_IMAGE, "fat binary: damaged zstd data (%s)",
                        ZSTD_isError(bytes) ? ZSTD_getErrorName(bytes) : "wrong size");
    return SIM_OK;
#else
    (void)entry;
    (void)to;
    return fail_without("zstd", "libzstd", error);
#endif
}

sim_status sim_fatbin_payload(sim_fatbin *fatbin, uint32_t index, const uint8_t **out_data,
                              size_t *out_bytes, sim_error *error) {
    *out_data = NULL;
    *out_bytes = 0;
    if (index >= fatbin->count)
        return sim_fail(error, SIM_INVALID_VALUE, "fat binary: there is no entry %u", index);
    fatbin_slot *slot = &fatbin->slots[index];
    const sim_fatbin_entry *entry = &slot->entry;
    if (!slot->data) {
        if (entry->compression == SIM_FATBIN_PLAIN) {
            slot->data = entry->stored;
        } else {
            // stored_bytes can only be as large as the image, but LZ4 counts in int.
            if (entry->stored_bytes > FATBIN_MAX_PAYLOAD_BYTES)
                return sim_fail(error, SIM_BAD_IMAGE, "fat binary: entry %u is too large", index);
            uint8_t *to = sim_arena_alloc(fatbin->arena, entry->payload_bytes);
            if (!to)
                return sim_fail(error, SIM_OUT_OF_MEMORY, "no memory for %zu bytes of device code",
                                entry->payload_bytes);
            SIM_TRY(entry->compression == SIM_FATBIN_LZ4 ? decompress_lz4(entry, to, error)
                                                         : decompress_zstd(entry, to, error));
            slot->data = to;
        }
    }
    *out_data = slot->data;
    *out_bytes = entry->payload_bytes;
    return SIM_OK;
}
