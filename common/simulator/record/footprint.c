// Footprint bitmaps: address space for the whole range in use, pages of it only where something was
// touched.
#include "record/record.h"
#include "record/sectors.h"
#include <sys/mman.h>

enum { SECTOR_BYTES = 32 };

static const uint64_t memory_per_page = SIM_FOOTPRINT_PAGE_WORDS * UINT64_C(64) * SECTOR_BYTES;

static uint64_t page_bytes(void) { return SIM_FOOTPRINT_PAGE_WORDS * sizeof(uint64_t); }

sim_status sim_footprint_prepare(sim_footprint *footprint, uint64_t high_water, kl_error *err) {
    uint64_t pages = (high_water - SIM_GLOBAL_BASE) / memory_per_page + 2;
    if (pages <= footprint->pages) return SIM_OK;
    sim_footprint_free(footprint);
    pages += pages / 2; // room to grow
    uint64_t bytes = pages * (2 * page_bytes() + 1);
    void *mapping = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for footprint maps: %s",
                        strerror(errno));
    footprint->mapping = mapping;
    footprint->mapping_bytes = bytes;
    footprint->pages = pages;
    footprint->read = mapping;
    footprint->written = footprint->read + pages * SIM_FOOTPRINT_PAGE_WORDS;
    footprint->dirty = (_Atomic uint8_t *)(footprint->written + pages * SIM_FOOTPRINT_PAGE_WORDS);
    return SIM_OK;
}

void sim_footprint_free(sim_footprint *footprint) {
    sim_writers *writers = footprint->writers;
    if (footprint->mapping) munmap(footprint->mapping, footprint->mapping_bytes);
    memset(footprint, 0, sizeof *footprint);
    footprint->writers = writers;
}

// Takes the marks of one word of a map.
static uint64_t take(_Atomic uint64_t *word) {
    uint64_t marks = atomic_load_explicit(word, memory_order_relaxed);
    if (marks) atomic_store_explicit(word, 0, memory_order_relaxed);
    return marks;
}

void sim_footprint_take(sim_footprint *footprint, sim_l2_before *recent,
                        const sim_peer_memory *peers, sim_sector_counts *out_counts) {
    *out_counts = (sim_sector_counts){0};
    if (recent) sim_l2_before_begin(recent);
    for (uint64_t page = 0; page < footprint->pages; page++) {
        if (!atomic_load_explicit(&footprint->dirty[page], memory_order_relaxed)) continue;
        atomic_store_explicit(&footprint->dirty[page], 0, memory_order_relaxed);
        uint64_t read = 0, written = 0;
        for (uint64_t i = 0; i < SIM_FOOTPRINT_PAGE_WORDS; i++) {
            uint64_t word = page * SIM_FOOTPRINT_PAGE_WORDS + i;
            uint64_t reads = take(&footprint->read[word]), writes = take(&footprint->written[word]);
            read += (uint64_t)__builtin_popcountll(reads);
            written += (uint64_t)__builtin_popcountll(writes);
            if (recent && (reads | writes)) sim_l2_before_touch(recent, word, reads | writes);
        }
        out_counts->read += read;
        out_counts->written += written;
        if (!peers->is_peers ||
            !peers->is_peers(peers->context, SIM_GLOBAL_BASE + page * memory_per_page))
            continue;
        out_counts->peer_read += read;
        out_counts->peer_written += written;
    }
}

static bool launch_begin(sim_launch_record *launch) {
    launch->footprint.writers = launch->writers;
    if (launch->l2_before) sim_l2_before_prepare(launch->l2_before, launch->high_water);
    return sim_footprint_prepare(&launch->footprint, launch->high_water, NULL) == SIM_OK;
}

static void fold(sim_launch_record *launch, sim_recorded *out_recorded) {
    sim_sector_counts counts;
    sim_footprint_take(&launch->footprint, launch->l2_before, &launch->peers, &counts);
    out_recorded->footprint_read_bytes = counts.read * SECTOR_BYTES;
    out_recorded->footprint_write_bytes = counts.written * SECTOR_BYTES;
    out_recorded->peer_read_bytes = counts.peer_read * SECTOR_BYTES;
    out_recorded->peer_write_bytes = counts.peer_written * SECTOR_BYTES;
}

const sim_recorder sim_recorder_footprint = {.launch_begin = launch_begin, .fold = fold};

// ---- notes of writers ---------------------------------------------------------------------------
// Address space for all device memory, pages of it only where something was noted.

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
