// The sentence for people that says where an address lies.
#include "memory/internal.h"

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
        static const char *const ends[] = {[SIM_MEM_PLAIN] = "an allocation|that was freed",
                                           [SIM_MEM_RESERVED] =
                                               "reserved addresses|that cuMemAddressFree gave back",
                                           [SIM_MEM_PAGES] = "memory|that cuMemRelease gave back",
                                           [SIM_MEM_MAPPED] = "memory|that cuMemUnmap unmapped"};
        const char *what = ends[old->kind], *end = strchr(what, '|');
        snprintf(out, bytes, "%" PRIu64 " bytes into %.*s of %" PRIu64 " bytes at 0x%" PRIx64 " %s",
                 address - old->base, (int)(end - what), what, old->bytes, old->base, end + 1);
        return true;
    }
    return false;
}

const sim_allocation *sim_mem_nearest(const sim_memory *memory, uint64_t address) {
    size_t index = sim_mem_upper(memory, address), next = index;
    while (index > 0 && !memory->table[index - 1].bytes) index--;
    while (next < memory->count && !memory->table[next].bytes) next++;
    const sim_allocation *below = index > 0 ? &memory->table[index - 1] : NULL;
    const sim_allocation *above = next < memory->count ? &memory->table[next] : NULL;
    if (!below || !above) return below ? below : above;
    if (address < below->base + below->bytes) return below;
    return address - (below->base + below->bytes) <= above->base - address ? below : above;
}

// The reserved addresses that hold one; NULL: none do.
static const sim_allocation *reserved_at(const sim_memory *memory, uint64_t address) {
    size_t i = sim_mem_upper(memory, address);
    while (i > 0 && memory->table[i - 1].kind == SIM_MEM_MAPPED) i--;
    if (i == 0 || memory->table[i - 1].kind != SIM_MEM_RESERVED) return NULL;
    return address - memory->table[i - 1].base < memory->table[i - 1].whole ? &memory->table[i - 1]
                                                                            : NULL;
}

bool sim_mem_is_virtual(const sim_memory *memory, uint64_t address) {
    return reserved_at(memory, address);
}

// Where no kernel may go among reserved addresses.
static bool describe_reserved(const sim_memory *memory, uint64_t address, char *out, size_t bytes) {
    const sim_allocation *whole = reserved_at(memory, address);
    const sim_allocation *last = &memory->table[sim_mem_upper(memory, address)] - 1;
    if (!whole) return false;
    uint64_t end = last->base + last->whole;
    if (last->kind == SIM_MEM_MAPPED && address < end)
        snprintf(out, bytes,
                 "%" PRIu64 " bytes into memory of %" PRIu64
                 " bytes that cuMemMap mapped at 0x%" PRIx64
                 " and that cuMemSetAccess has given no access to",
                 address - last->base, last->whole, last->base);
    else if (describe_freed(memory, address, out, bytes)) return true;
    else if (last->kind == SIM_MEM_MAPPED)
        snprintf(out, bytes,
                 "%" PRIu64 " bytes past the end of the memory that cuMemMap mapped at 0x%" PRIx64
                 ": addresses are reserved there, and no memory is mapped",
                 address - end, last->base);
    else
        snprintf(out, bytes,
                 "%" PRIu64 " bytes into %" PRIu64
                 " bytes of addresses that are reserved at 0x%" PRIx64
                 ", where no memory is mapped",
                 address - whole->base, whole->whole, whole->base);
    return true;
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
        snprintf(out_text, out_bytes,
                 "%" PRIu64 " bytes into %s of %" PRIu64 " bytes at 0x%" PRIx64 "%s",
                 address - found->base, label_of(found, name, sizeof name), found->bytes,
                 found->base,
                 found->read_only ? ", which cuMemSetAccess has made readable only" : "");
    } else if (!found && describe_reserved(memory, address, out_text, out_bytes)) {
        return;
    } else if (!sim_mem_is_near(address)) {
        snprintf(out_text, out_bytes, "not an address of device memory (a host pointer?)");
    } else if (found || !describe_freed(memory, address, out_text, out_bytes)) {
        describe_nearest(memory, address, bytes, out_text, out_bytes);
    }
}
