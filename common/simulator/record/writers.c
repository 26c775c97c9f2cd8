// Notes of writers: address space for all device memory, pages of it only where something was
// noted.
#include "record/sectors.h"
#include <sys/mman.h>

sim_status sim_writers_new(uint64_t span_bytes, sim_writers **out_writers, kl_error *err) {
    uint64_t bytes = span_bytes + span_bytes / SIM_WRITERS_CHUNK + 1;
    sim_writers *writers = calloc(1, sizeof *writers);
    void *mapping = MAP_FAILED;
    if (writers)
        mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) {
        free(writers);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no address space for the notes of writers: %s",
                        strerror(errno));
    }
    writers->notes = mapping;
    writers->marked = writers->notes + span_bytes;
    writers->span_bytes = span_bytes;
    writers->kernel = SIM_WRITER_KERNEL;
    *out_writers = writers;
    return SIM_OK;
}

void sim_writers_free(sim_writers *writers) {
    if (!writers) return;
    munmap(writers->notes, writers->span_bytes + writers->span_bytes / SIM_WRITERS_CHUNK + 1);
    free(writers);
}

void sim_writers_next_call(sim_writers *writers) {
    int call = writers->kernel - SIM_WRITER_KERNEL;
    writers->kernel = (uint8_t)(SIM_WRITER_KERNEL + (call + 1) % SIM_WRITER_CALLS);
}

// The end of the part of [at, end) that lies in one chunk; *out_marked: whether it may have notes.
static uint64_t part_end(const sim_writers *writers, uint64_t at, uint64_t end, bool *out_marked) {
    uint64_t next = (at / SIM_WRITERS_CHUNK + 1) * SIM_WRITERS_CHUNK;
    *out_marked = writers->marked[at / SIM_WRITERS_CHUNK] != 0;
    return next < end ? next : end;
}

// The range as offsets; false: it is empty or not in memory.
static bool offsets(const sim_writers *writers, uint64_t address, uint64_t bytes, uint64_t *out_at,
                    uint64_t *out_end) {
    *out_at = address - SIM_GLOBAL_BASE;
    *out_end = *out_at + bytes;
    return bytes > 0 && bytes <= writers->span_bytes && *out_at <= writers->span_bytes - bytes;
}

void sim_writers_forget(sim_writers *writers, uint64_t address, uint64_t bytes) {
    uint64_t at, end;
    if (!offsets(writers, address, bytes, &at, &end)) return;
    while (at < end) {
        bool marked;
        uint64_t next = part_end(writers, at, end, &marked);
        if (marked) memset(writers->notes + at, SIM_WRITER_NOBODY, next - at);
        if (next - at == SIM_WRITERS_CHUNK) writers->marked[at / SIM_WRITERS_CHUNK] = 0;
        at = next;
    }
}

void sim_writers_count(const sim_writers *writers, uint64_t address, uint64_t bytes,
                       sim_writer_counts *out_counts) {
    uint64_t at, end, notes[256] = {0};
    memset(out_counts, 0, sizeof *out_counts);
    if (!offsets(writers, address, bytes, &at, &end)) return;
    while (at < end) {
        bool marked;
        uint64_t next = part_end(writers, at, end, &marked);
        if (!marked) notes[SIM_WRITER_NOBODY] += next - at;
        for (; marked && at < next; at++) notes[writers->notes[at]]++;
        at = next;
    }
    out_counts->nobody = notes[SIM_WRITER_NOBODY];
    out_counts->fill = notes[SIM_WRITER_FILL];
    out_counts->host = notes[SIM_WRITER_HOST];
    out_counts->kernel = notes[writers->kernel];
    for (int note = SIM_WRITER_KERNEL; note < 256; note++) out_counts->earlier += notes[note];
    out_counts->earlier -= out_counts->kernel;
}

void sim_writers_copy(sim_writers *writers, uint64_t destination, uint64_t source, uint64_t bytes) {
    uint64_t from, to, end;
    if (!offsets(writers, source, bytes, &from, &end) ||
        !offsets(writers, destination, bytes, &to, &end))
        return;
    for (uint64_t chunk = to / SIM_WRITERS_CHUNK; chunk <= (end - 1) / SIM_WRITERS_CHUNK; chunk++)
        writers->marked[chunk] = 1;
    memmove(writers->notes + to, writers->notes + from, bytes);
    for (uint8_t *note = writers->notes + to; note < writers->notes + to + bytes; note++)
        if (*note == SIM_WRITER_NOBODY) *note = SIM_WRITER_FILL;
}
