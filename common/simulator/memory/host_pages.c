// Pages that host and device use by the same addresses: pages of a file in memory, mapped here
// behind their device addresses and by the program at these addresses themselves. The file is
// sealed, so that the other process can neither shrink it under a running kernel nor make it larger
// than the device.
#include "memory/internal.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// A process under a limit on file sizes is sent a signal when it makes a larger one.
static uint64_t file_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
    return limit.rlim_cur & ~(sim_host_page() - 1);
}

static sim_status make_file(sim_memory *memory, kl_error *err) {
    uint64_t most = file_limit();
    if (memory->shared_file >= 0) return SIM_OK;
    if (memory->shared_bytes > most) memory->shared_bytes = most;
    int file = memfd_create("device memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file >= 0 && ftruncate(file, (off_t)memory->shared_bytes) == 0 &&
        fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
        memory->shared_file = file;
        return SIM_OK;
    }
    int reason = errno;
    if (file >= 0) close(file);
    return sim_fail(err, SIM_OUT_OF_MEMORY,
                    "cannot make %" PRIu64 " bytes of memory that host and device share: %s",
                    memory->shared_bytes, strerror(reason));
}

// First fit in the file.
static bool find_pages(const sim_memory *memory, uint64_t bytes, uint64_t *out_offset,
                       size_t *out_index) {
    uint64_t offset = 0;
    size_t index = 0;
    for (; index < memory->shared_count; index++) {
        const shared_pages *next = &memory->shared[index];
        if (next->offset < offset) continue; // the same pages at another address
        if (next->offset - offset >= bytes) break;
        offset = next->offset + next->bytes;
    }
    *out_offset = offset;
    *out_index = index;
    return bytes <= memory->shared_bytes && offset <= memory->shared_bytes - bytes;
}

static bool grow_shared(sim_memory *memory) {
    return sim_reserve(&memory->shared, &memory->shared_capacity, memory->shared_count,
                       sizeof *memory->shared);
}

static void insert_shared(sim_memory *memory, size_t index, shared_pages made) {
    memmove(&memory->shared[index + 1], &memory->shared[index],
            (memory->shared_count - index) * sizeof made);
    memory->shared[index] = made;
    memory->shared_count++;
}

// Maps pages of the file, or fresh private ones when `offset` is negative, behind device addresses.
static bool map_behind(const sim_memory *memory, uint64_t base, uint64_t bytes, int64_t offset) {
    uint8_t *place = sim_mem_host(memory, base);
    int flags = MAP_NORESERVE | MAP_FIXED | (offset < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
    return mmap(place, bytes, PROT_READ | PROT_WRITE, flags, offset < 0 ? -1 : memory->shared_file,
                offset < 0 ? 0 : offset) == place;
}

// The page behind an allocation is mapped with it: mappings of neighbours then join, of which a
// process may have only so many.
sim_status sim_mem_alloc_shared(sim_memory *memory, uint64_t bytes, uint64_t *out_address,
                                kl_error *err) {
    *out_address = 0;
    if (bytes == 0) return sim_fail(err, SIM_INVALID_VALUE, "an allocation of 0 bytes");
    TRY(make_file(memory, err));
    shared_pages made = {.bytes = sim_host_pages_up(bytes) + sim_host_page()};
    size_t index;
    const size_t few = 1024; // mappings that need not join
    uint64_t page = sim_host_page();
    uint64_t gap = memory->shared_count < few ? sim_mem_gap(memory, bytes, page) : page;
    if (gap < page) gap = page; // which is mapped with it
    bool fits = bytes <= memory->shared_bytes &&
                find_pages(memory, made.bytes, &made.offset, &index) && grow_shared(memory) &&
                sim_mem_enter(memory, bytes, page, gap, &made.base);
    if (!fits)
        return sim_fail(err, SIM_OUT_OF_MEMORY,
                        "%" PRIu64 " bytes asked for, more than is free of the %" PRIu64
                        " that host and device can share",
                        bytes, memory->shared_bytes);
    insert_shared(memory, index, made);
    sim_mem_of_host(memory, made.base);
    *out_address = made.base;
    if (map_behind(memory, made.base, made.bytes, (int64_t)made.offset)) return SIM_OK;
    int reason = errno;
    sim_mem_drop_shared(memory, made.base);
    sim_mem_leave(memory, sim_mem_find(memory, made.base));
    *out_address = 0;
    return sim_fail(err, SIM_OUT_OF_MEMORY, "cannot map shared memory: %s", strerror(reason));
}

static size_t shared_index(const sim_memory *memory, uint64_t base) {
    size_t index = 0;
    while (index < memory->shared_count && memory->shared[index].base != base) index++;
    return index;
}

sim_status sim_mem_shared_file(const sim_memory *memory, uint64_t address, int *out_descriptor,
                               uint64_t *out_offset, kl_error *err) {
    size_t index = shared_index(memory, address);
    if (index == memory->shared_count)
        return sim_fail(err, SIM_INVALID_VALUE, "no shared allocation starts at 0x%" PRIx64,
                        address);
    *out_descriptor = memory->shared_file;
    *out_offset = memory->shared[index].offset;
    return SIM_OK;
}

bool sim_mem_is_shared(const sim_memory *memory, uint64_t address) {
    for (size_t i = 0; i < memory->shared_count; i++)
        if (address - memory->shared[i].base < memory->shared[i].bytes) return true;
    return false;
}

uint64_t sim_mem_take_shared_bytes(sim_memory *memory) {
    uint64_t bytes = 0;
    if (!memory->writers) return 0;
    for (size_t i = 0; i < memory->shared_count; i++) {
        const shared_pages *pages = &memory->shared[i];
        sim_writer_counts counts;
        sim_writers_count(memory->writers, pages->base, pages->bytes, &counts);
        bytes += counts.kernel + counts.earlier;
        sim_writers_forget(memory->writers, pages->base, pages->bytes);
    }
    return bytes;
}

bool sim_mem_map_again(sim_memory *memory, uint64_t pages, uint64_t address, uint64_t bytes) {
    size_t index = shared_index(memory, pages);
    if (index == memory->shared_count || !grow_shared(memory)) return false;
    shared_pages made = {.base = address, .offset = memory->shared[index].offset, .bytes = bytes};
    if (!map_behind(memory, address, bytes, (int64_t)made.offset)) return false;
    insert_shared(memory, index + 1, made);
    return true;
}

static bool is_elsewhere(const sim_memory *memory, size_t index) {
    uint64_t offset = memory->shared[index].offset;
    return (index && memory->shared[index - 1].offset == offset) ||
           (index + 1 < memory->shared_count && memory->shared[index + 1].offset == offset);
}

bool sim_mem_drop_shared(sim_memory *memory, uint64_t base) {
    size_t index = shared_index(memory, base);
    if (index == memory->shared_count) return false;
    shared_pages old = memory->shared[index];
    if (!is_elsewhere(memory, index)) // the next user finds zeros
        fallocate(memory->shared_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  (off_t)old.offset, (off_t)old.bytes);
    map_behind(memory, base, old.bytes, -1);
    memory->shared_count--;
    memmove(&memory->shared[index], &memory->shared[index + 1],
            (memory->shared_count - index) * sizeof old);
    return true;
}

static bool map_own(const sim_memory *memory, const shared_pages *pages) {
    uint8_t *place = sim_mem_host(memory, pages->base);
    return mmap(place, pages->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
                memory->shared_file, (off_t)pages->offset) == place;
}

bool sim_mem_set_aside_shared(sim_memory *memory) {
    for (size_t i = 0; i < memory->shared_count; i++)
        if (!map_own(memory, &memory->shared[i])) return false;
    return true;
}

static bool write_back(const sim_memory *memory, const shared_pages *pages) {
    const uint8_t *from = sim_mem_host(memory, pages->base);
    for (uint64_t done = 0; done < pages->bytes;) {
        ssize_t wrote = pwrite(memory->shared_file, from + done, pages->bytes - done,
                               (off_t)(pages->offset + done));
        if (wrote <= 0) return false;
        done += (uint64_t)wrote;
    }
    return map_behind(memory, pages->base, pages->bytes, (int64_t)pages->offset);
}

bool sim_mem_put_back_shared(sim_memory *memory) {
    for (size_t i = 0; i < memory->shared_count; i++)
        if (!write_back(memory, &memory->shared[i])) return false;
    return true;
}
