// Virtual memory: addresses that are reserved, memory that has none of its own, and where the one
// is mapped to the other (CUDA Driver API, "Virtual Memory Management"). Such memory is pages of
// the shared file (host_pages.c): it can lie at two places, and keeps what it holds between them.
#include "memory/internal.h"

static sim_allocation *find(const sim_memory *memory, uint64_t address, sim_mem_kind kind) {
    for (size_t i = sim_mem_upper(memory, address); i > 0 && memory->table[i - 1].base == address;
         i--)
        if (memory->table[i - 1].kind == kind) return &memory->table[i - 1];
    return NULL;
}

static sim_status refuse(uint64_t address, const char *why, kl_error *err) {
    return sim_fail(err, SIM_INVALID_VALUE, "0x%" PRIx64 ": %s", address, why);
}

// What has been entered as an allocation is no place for kernels.
static void hide(sim_memory *memory, uint64_t address, sim_mem_kind kind) {
    sim_allocation *made = find(memory, address, SIM_MEM_PLAIN);
    made->kind = kind;
    made->whole = made->bytes;
    made->bytes = 0;
}

sim_status sim_mem_reserve(sim_memory *memory, uint64_t bytes, uint64_t align, uint64_t wanted,
                           uint64_t *out_address, kl_error *err) {
    bool sane = bytes && bytes <= memory->span_bytes && align >= SIM_ALLOCATION_ALIGN &&
                align <= memory->span_bytes && !(align & (align - 1));
    uint64_t gap = sane ? sim_mem_gap(memory, bytes, align) : 0;
    *out_address = wanted;
    bool there = sane && wanted && wanted % align == 0 &&
                 sim_mem_enter_at(memory, wanted, bytes, bytes + gap);
    if (!sane || (!there && !sim_mem_enter(memory, bytes, align, gap, out_address))) {
        *out_address = 0;
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no %" PRIu64 " bytes of addresses are free",
                        bytes);
    }
    hide(memory, *out_address, SIM_MEM_RESERVED);
    return SIM_OK;
}

sim_status sim_mem_pages_new(sim_memory *memory, uint64_t bytes, uint64_t *out_pages,
                             kl_error *err) {
    uint64_t left = memory->budget_bytes - memory->used_bytes[memory->device];
    *out_pages = 0;
    if (bytes > left || bytes != sim_host_pages_up(bytes))
        return sim_fail(err, SIM_OUT_OF_MEMORY,
                        "%" PRIu64 " bytes asked for, %" PRIu64 " of %" PRIu64 " are free", bytes,
                        left, memory->budget_bytes);
    TRY(sim_mem_alloc_shared(memory, bytes, out_pages, err));
    sim_mem_poison(memory, *out_pages, bytes);
    hide(memory, *out_pages, SIM_MEM_PAGES);
    memory->used_bytes[memory->device] += bytes;
    return SIM_OK;
}

// Whether an entry has this range free behind what lies at its beginning.
static bool has_free(const sim_allocation *entry, uint64_t address, uint64_t bytes) {
    uint64_t offset = address - entry->base;
    bool mapped = entry->kind == SIM_MEM_MAPPED;
    return (mapped || entry->kind == SIM_MEM_RESERVED) && offset >= (mapped ? entry->whole : 0) &&
           offset <= entry->extent && bytes <= entry->extent - offset;
}

// The new entry takes the rest of the addresses of the one before it.
sim_status sim_mem_map(sim_memory *memory, uint64_t address, uint64_t pages, kl_error *err) {
    const sim_allocation *of = find(memory, pages, SIM_MEM_PAGES);
    size_t index = sim_mem_upper(memory, address);
    if (!of) return refuse(pages, "there is no such memory", err);
    uint64_t bytes = of->whole;
    uint8_t device = of->device;
    if (index == 0 || !has_free(&memory->table[index - 1], address, bytes) ||
        address != sim_host_pages_up(address))
        return refuse(address, "so many reserved addresses are not free there", err);
    uint64_t end = memory->table[index - 1].base + memory->table[index - 1].extent;
    bool mapped = sim_mem_map_again(memory, pages, address, bytes);
    if (!mapped || !sim_mem_insert(memory, index, address, bytes, end - address)) {
        if (mapped) sim_mem_drop_shared(memory, address);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "0x%" PRIx64 ": the system maps no more", address);
    }
    memory->table[index - 1].extent = address - memory->table[index - 1].base;
    memory->table[index].kind = SIM_MEM_MAPPED;
    memory->table[index].whole = bytes;
    memory->table[index].device = device;
    if (memory->writers) sim_writers_forget(memory->writers, address, bytes);
    return SIM_OK;
}

sim_status sim_mem_access(sim_memory *memory, uint64_t address, sim_mem_rights rights,
                          kl_error *err) {
    sim_allocation *found = find(memory, address, SIM_MEM_MAPPED);
    if (!found) return refuse(address, "no mapped memory begins there", err);
    found->bytes = rights ? found->whole : 0;
    found->read_only = rights == SIM_MEM_READABLE;
    memory->version++;
    return SIM_OK;
}

bool sim_mem_release_virtual(sim_memory *memory, uint64_t address) {
    sim_allocation *mapped = find(memory, address, SIM_MEM_MAPPED);
    sim_allocation *reserved = find(memory, address, SIM_MEM_RESERVED);
    sim_allocation *pages = find(memory, address, SIM_MEM_PAGES);
    if (reserved && !mapped && reserved->extent < reserved->whole) return false;
    if (mapped) mapped[-1].extent += mapped->extent; // of the same reserved addresses
    if (pages) memory->used_bytes[pages->device] -= pages->whole;
    sim_allocation *found = mapped ? mapped : reserved ? reserved : pages;
    if (!found) return false;
    if (found != reserved) sim_mem_drop_shared(memory, address);
    found->bytes = found->whole;
    sim_mem_leave(memory, found);
    return true;
}
