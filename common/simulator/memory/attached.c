// Attached ranges: memory that the program already had, given a second, device-side address for
// everything that indexes by address.
#include "memory/internal.h"

const sim_attachment *sim_mem_attached(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    for (size_t i = 0; i < memory->attached_count; i++) {
        const sim_attachment *found = &memory->attached[i];
        if (address - found->base < found->bytes && bytes <= found->bytes - (address - found->base))
            return found;
    }
    return NULL;
}

static bool overlaps(uint64_t address, uint64_t bytes, uint64_t base, uint64_t span) {
    return address < base + span && base < address + bytes;
}

static bool is_attachable(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    if (address == 0 || bytes == 0 || bytes > memory->span_bytes || address > UINT64_MAX - bytes ||
        overlaps(address, bytes, SIM_GLOBAL_BASE, SIM_GLOBAL_SPAN) ||
        overlaps(address, bytes, SIM_SHARED_WINDOW, SIM_WINDOW_BYTES) ||
        overlaps(address, bytes, SIM_LOCAL_WINDOW, SIM_WINDOW_BYTES) ||
        overlaps(address, bytes, SIM_PARAM_WINDOW, SIM_WINDOW_BYTES))
        return false;
    for (size_t i = 0; i < memory->attached_count; i++)
        if (overlaps(address, bytes, memory->attached[i].base, memory->attached[i].bytes))
            return false;
    return true;
}

// The device address agrees with the host's modulo the alignment of allocations, so that sectors
// and lines fall as they would.
sim_status sim_mem_attach(sim_memory *memory, uint64_t address, uint64_t bytes, void *pages,
                          kl_error *err) {
    if (!is_attachable(memory, address, bytes))
        return sim_fail(err, SIM_INVALID_VALUE,
                        "0x%" PRIx64 " and %" PRIu64 " bytes from there cannot be attached",
                        address, bytes);
    if (!sim_reserve(&memory->attached, &memory->attached_capacity, memory->attached_count,
                     sizeof *memory->attached))
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the table of attached ranges");
    uint64_t within = address % SIM_ALLOCATION_ALIGN, device;
    TRY(sim_mem_take(memory, within + bytes, SIM_ALLOCATION_ALIGN, &device, err));
    sim_mem_label(memory, device, "registered host memory");
    sim_mem_of_host(memory, device);
    memory->attached[memory->attached_count++] = (sim_attachment){
        .base = address,
        .bytes = bytes,
        .device = device + within,
        .host = pages ? pages : sim_mem_host(memory, device + within),
    };
    return SIM_OK;
}

sim_status sim_mem_detach(sim_memory *memory, uint64_t address, kl_error *err) {
    for (size_t i = 0; i < memory->attached_count; i++) {
        sim_attachment old = memory->attached[i];
        if (old.base != address) continue;
        memory->attached[i] = memory->attached[--memory->attached_count];
        return sim_mem_release(memory, old.device - address % SIM_ALLOCATION_ALIGN, err);
    }
    return sim_fail(err, SIM_INVALID_VALUE, "nothing is attached at 0x%" PRIx64, address);
}

uint64_t sim_mem_device(const sim_memory *memory, uint64_t address) {
    if (address - SIM_GLOBAL_BASE < SIM_GLOBAL_SPAN) return address;
    const sim_attachment *found = sim_mem_attached(memory, address, 1);
    return found ? found->device + (address - found->base) : address;
}
