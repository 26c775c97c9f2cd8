// SPDX-License-Identifier: MIT
// Host side access to device memory: checked copies and fills, and the sentence that says where an
// address lies. No range that leaves its allocation is ever touched, not even in part.
#include "memory/internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *label_of(const sim_allocation *allocation, char *text, size_t bytes) {
    if (allocation->label)
        snprintf(text, bytes, "variable '%s'", allocation->label);
    else
        snprintf(text, bytes, "the allocation");
    return text;
}

static bool describe_freed(const sim_memory *memory, uint64_t address, char *out, size_t bytes) {
    for (size_t i = 0; i < memory->freed_count; i++) {
        size_t newest_first = (memory->freed_next + FREED_KEPT - 1 - i) % FREED_KEPT;
        const sim_allocation *old = &memory->freed[newest_first];
        if (address - old->base >= old->bytes) continue;
        snprintf(out, bytes,
                 "%" PRIu64 " bytes into an allocation of %" PRIu64 " bytes at 0x%" PRIx64
                 " that was freed",
                 address - old->base, old->bytes, old->base);
        return true;
    }
    return false;
}

static void describe_nearest(const sim_memory *memory, uint64_t address, uint64_t bytes, char *out,
                             size_t out_bytes) {
    size_t index = sim_mem_upper(memory, address);
    const sim_allocation *below = index > 0 ? &memory->table[index - 1] : NULL;
    const sim_allocation *above = index < memory->count ? &memory->table[index] : NULL;
    uint64_t past = below ? address - (below->base + below->bytes) : UINT64_MAX;
    uint64_t before = above ? above->base - address : UINT64_MAX;
    char name[128];
    if (below && address < below->base + below->bytes) {
        snprintf(out, out_bytes,
                 "starts inside %s of %" PRIu64 " bytes at 0x%" PRIx64 " and ends %" PRIu64
                 " bytes past it",
                 label_of(below, name, sizeof name), below->bytes, below->base,
                 address + bytes - (below->base + below->bytes));
    } else if (below && past <= before) {
        snprintf(out, out_bytes,
                 "%" PRIu64 " bytes past the end of %s of %" PRIu64 " bytes at 0x%" PRIx64, past,
                 label_of(below, name, sizeof name), below->bytes, below->base);
    } else if (above) {
        snprintf(out, out_bytes, "%" PRIu64 " bytes before %s of %" PRIu64 " bytes at 0x%" PRIx64,
                 before, label_of(above, name, sizeof name), above->bytes, above->base);
    } else {
        snprintf(out, out_bytes, "nothing is allocated");
    }
}

void sim_mem_describe(const sim_memory *memory, uint64_t address, uint64_t bytes, char *out_text,
                      size_t out_bytes) {
    const sim_allocation *found = sim_mem_find(memory, address);
    char name[128];
    if (address < 4096) {
        snprintf(out_text, out_bytes, "a null pointer%s", address ? " plus an offset" : "");
    } else if (heap_describe(memory, address, out_text, out_bytes)) {
        return;
    } else if (found && bytes <= found->bytes - (address - found->base)) {
        snprintf(
            out_text, out_bytes, "%" PRIu64 " bytes into %s of %" PRIu64 " bytes at 0x%" PRIx64,
            address - found->base, label_of(found, name, sizeof name), found->bytes, found->base);
    } else if (address < SIM_GLOBAL_BASE || address - SIM_GLOBAL_BASE >= SIM_GLOBAL_SPAN) {
        snprintf(out_text, out_bytes, "not an address of device memory (a host pointer?)");
    } else if (found || !describe_freed(memory, address, out_text, out_bytes)) {
        describe_nearest(memory, address, bytes, out_text, out_bytes);
    }
}

// Finds where a range of more than 0 bytes lies in this process.
static sim_status find_range(const sim_memory *memory, const char *what, uint64_t address,
                             uint64_t bytes, uint8_t **out_host, sim_error *error) {
    const sim_allocation *found = sim_mem_find(memory, address);
    *out_host = NULL;
    if (found && bytes <= found->bytes - (address - found->base)) {
        *out_host = sim_mem_host(memory, address);
        return SIM_OK;
    }
    const sim_attachment *attached = sim_mem_attached(memory, address, bytes);
    if (attached) {
        *out_host = attached->host + (address - attached->base);
        return SIM_OK;
    }
    char place[384];
    sim_mem_describe(memory, address, bytes, place, sizeof place);
    return sim_fail(error, SIM_INVALID_VALUE, "%s %" PRIu64 " bytes at 0x%" PRIx64 ": %s", what,
                    bytes, address, place);
}

sim_status sim_mem_write(sim_memory *memory, uint64_t destination, const void *source,
                         uint64_t bytes, sim_error *error) {
    uint8_t *host;
    if (bytes == 0) return SIM_OK;
    SIM_TRY(find_range(memory, "writing", destination, bytes, &host, error));
    memcpy(host, source, bytes);
    return SIM_OK;
}

sim_status sim_mem_read(const sim_memory *memory, void *destination, uint64_t source,
                        uint64_t bytes, sim_error *error) {
    uint8_t *host;
    if (bytes == 0) return SIM_OK;
    SIM_TRY(find_range(memory, "reading", source, bytes, &host, error));
    memcpy(destination, host, bytes);
    return SIM_OK;
}

sim_status sim_mem_copy(sim_memory *memory, uint64_t destination, uint64_t source, uint64_t bytes,
                        sim_error *error) {
    uint8_t *from, *to;
    if (bytes == 0) return SIM_OK;
    SIM_TRY(find_range(memory, "copying from", source, bytes, &from, error));
    SIM_TRY(find_range(memory, "copying to", destination, bytes, &to, error));
    memmove(to, from, bytes);
    return SIM_OK;
}

sim_status sim_mem_fill(sim_memory *memory, uint64_t destination, uint32_t value, uint32_t width,
                        uint64_t count, sim_error *error) {
    uint64_t bytes;
    if (width != 1 && width != 2 && width != 4)
        return sim_fail(error, SIM_INVALID_VALUE, "filling elements of %u bytes", width);
    if (__builtin_mul_overflow(count, (uint64_t)width, &bytes))
        return sim_fail(error, SIM_INVALID_VALUE, "filling more than 2^64 bytes");
    if (destination % width)
        return sim_fail(error, SIM_INVALID_VALUE, "0x%" PRIx64 " is not a multiple of %u",
                        destination, width);
    uint8_t *host;
    if (bytes == 0) return SIM_OK;
    SIM_TRY(find_range(memory, "filling", destination, bytes, &host, error));
    if (width == 1)
        memset(host, (int)(value & 0xFF), count);
    else // little endian: the low bytes come first
        for (uint64_t i = 0; i < count; i++) memcpy(host + i * width, &value, width);
    return SIM_OK;
}
