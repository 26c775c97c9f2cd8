// The sentence for people that says where an address lies.
#include "memory/internal.h"

#include <inttypes.h>
#include <stdio.h>

static const char *label_of(const sim_allocation *allocation, char *text, size_t bytes) {
    if (allocation->label) snprintf(text, bytes, "variable '%s'", allocation->label);
    else snprintf(text, bytes, "the allocation");
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

const sim_allocation *sim_mem_nearest(const sim_memory *memory, uint64_t address) {
    size_t index = sim_mem_upper(memory, address);
    const sim_allocation *below = index > 0 ? &memory->table[index - 1] : NULL;
    const sim_allocation *above = index < memory->count ? &memory->table[index] : NULL;
    if (!below || !above) return below ? below : above;
    if (address < below->base + below->bytes) return below;
    return address - (below->base + below->bytes) <= above->base - address ? below : above;
}

static void describe_nearest(const sim_memory *memory, uint64_t address, uint64_t bytes, char *out,
                             size_t out_bytes) {
    const sim_allocation *nearest = sim_mem_nearest(memory, address);
    char name[128];
    if (!nearest) {
        snprintf(out, out_bytes, "nothing is allocated");
        return;
    }
    uint64_t end = nearest->base + nearest->bytes;
    label_of(nearest, name, sizeof name);
    if (address < nearest->base)
        snprintf(out, out_bytes, "%" PRIu64 " bytes before %s of %" PRIu64 " bytes at 0x%" PRIx64,
                 nearest->base - address, name, nearest->bytes, nearest->base);
    else if (address < end)
        snprintf(out, out_bytes,
                 "starts inside %s of %" PRIu64 " bytes at 0x%" PRIx64 " and ends %" PRIu64
                 " bytes past it",
                 name, nearest->bytes, nearest->base, address + bytes - end);
    else if (address == end)
        snprintf(out, out_bytes, "just past the end of %s of %" PRIu64 " bytes at 0x%" PRIx64, name,
                 nearest->bytes, nearest->base);
    else
        snprintf(out, out_bytes,
                 "%" PRIu64 " bytes past the end of %s of %" PRIu64 " bytes at 0x%" PRIx64,
                 address - end, name, nearest->bytes, nearest->base);
}

void sim_mem_describe(const sim_memory *memory, uint64_t address, uint64_t bytes, char *out_text,
                      size_t out_bytes) {
    const sim_allocation *found = sim_mem_find(memory, address);
    char name[128];
    if (address < 4096) {
        snprintf(out_text, out_bytes, "a null pointer%s", address ? " plus an offset" : "");
    } else if (sim_mem_heap_describe(memory, address, out_text, out_bytes)) {
        return;
    } else if (found && bytes <= found->bytes - (address - found->base)) {
        snprintf(
            out_text, out_bytes, "%" PRIu64 " bytes into %s of %" PRIu64 " bytes at 0x%" PRIx64,
            address - found->base, label_of(found, name, sizeof name), found->bytes, found->base);
    } else if (!sim_mem_is_near(address)) {
        snprintf(out_text, out_bytes, "not an address of device memory (a host pointer?)");
    } else if (found || !describe_freed(memory, address, out_text, out_bytes)) {
        describe_nearest(memory, address, bytes, out_text, out_bytes);
    }
}
