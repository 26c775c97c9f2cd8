// Host side access to device memory: checked copies and fills. No range that leaves its allocation
// is ever touched, not even in part.
#include "memory/internal.h"

// An H200's copies do not reach the device's heap; its fills do.
static sim_status refuse_heap(const sim_memory *memory, uint64_t address, kl_error *err) {
    if (!sim_mem_heap_at(memory, address)) return SIM_OK;
    return sim_fail(err, SIM_INVALID_VALUE,
                    "0x%" PRIx64
                    " is memory of malloc in a kernel, which copies do not reach: let a "
                    "kernel copy it to memory of cudaMalloc",
                    address);
}

// Finds where a range of more than 0 bytes lies in this process.
static sim_status find_range(const sim_memory *memory, const char *what, uint64_t address,
                             uint64_t bytes, uint8_t **out_host, kl_error *err) {
    const sim_allocation *found = sim_mem_find(memory, address);
    *out_host = NULL;
    if (found && bytes <= memory->span_bytes && sim_mem_goes_on(memory, found, address + bytes)) {
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
    return sim_fail(err, SIM_INVALID_VALUE, "%s %" PRIu64 " bytes at 0x%" PRIx64 ": %s", what,
                    bytes, address, place);
}

static void note(sim_memory *memory, uint64_t address, uint64_t bytes, uint8_t who) {
    if (memory->writers)
        sim_writers_note(memory->writers, sim_mem_device(memory, address), bytes, who);
}

// What comes from pages that the host can write is the host's, no matter who wrote last; what goes
// to such pages is counted by who asked for it (engine/inprocess.c), not by notes.
static void note_copy(sim_memory *memory, uint64_t destination, uint64_t source, uint64_t bytes) {
    if (!memory->writers) return;
    if (sim_mem_is_shared(memory, destination))
        sim_writers_forget(memory->writers, destination, bytes);
    else if (sim_mem_is_shared(memory, source)) note(memory, destination, bytes, SIM_WRITER_HOST);
    else
        sim_writers_copy(memory->writers, sim_mem_device(memory, destination),
                         sim_mem_device(memory, source), bytes);
}

sim_status sim_mem_write(sim_memory *memory, uint64_t destination, const void *source,
                         uint64_t bytes, kl_error *err) {
    uint8_t *host;
    if (bytes == 0) return SIM_OK;
    TRY(refuse_heap(memory, destination, err));
    TRY(find_range(memory, "writing", destination, bytes, &host, err));
    memcpy(host, source, bytes);
    note(memory, destination, bytes, SIM_WRITER_HOST);
    return SIM_OK;
}

sim_status sim_mem_read(const sim_memory *memory, void *destination, uint64_t source,
                        uint64_t bytes, kl_error *err) {
    uint8_t *host;
    if (bytes == 0) return SIM_OK;
    TRY(refuse_heap(memory, source, err));
    TRY(find_range(memory, "reading", source, bytes, &host, err));
    memcpy(destination, host, bytes);
    return SIM_OK;
}

sim_status sim_mem_copy(sim_memory *memory, uint64_t destination, uint64_t source, uint64_t bytes,
                        kl_error *err) {
    uint8_t *from, *to;
    if (bytes == 0) return SIM_OK;
    TRY(refuse_heap(memory, source, err));
    TRY(refuse_heap(memory, destination, err));
    TRY(find_range(memory, "copying from", source, bytes, &from, err));
    TRY(find_range(memory, "copying to", destination, bytes, &to, err));
    memmove(to, from, bytes);
    note_copy(memory, destination, source, bytes);
    return SIM_OK;
}

sim_status sim_mem_fill(sim_memory *memory, uint64_t destination, uint32_t value, uint32_t width,
                        uint64_t count, kl_error *err) {
    uint64_t bytes;
    if (width != 1 && width != 2 && width != 4)
        return sim_fail(err, SIM_INVALID_VALUE, "filling elements of %u bytes", width);
    if (__builtin_mul_overflow(count, (uint64_t)width, &bytes))
        return sim_fail(err, SIM_INVALID_VALUE, "filling more than 2^64 bytes");
    if (destination % width)
        return sim_fail(err, SIM_INVALID_VALUE, "0x%" PRIx64 " is not a multiple of %u",
                        destination, width);
    uint8_t *host;
    if (bytes == 0) return SIM_OK;
    TRY(find_range(memory, "filling", destination, bytes, &host, err));
    sim_mem_repeat(host, value, width, bytes);
    note(memory, destination, bytes, SIM_WRITER_FILL);
    return SIM_OK;
}
