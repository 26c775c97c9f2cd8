// The table of live allocations: which addresses are taken, which may be given out next, and
// whether they are within the budget. Touches no page but to poison it.
#include "memory/internal.h"

void sim_mem_repeat(uint8_t *to, uint32_t pattern, uint32_t width, uint64_t bytes) {
    uint64_t done = bytes < width ? bytes : width;
    memcpy(to, &pattern, done); // little endian: the low bytes come first
    for (uint64_t more; done < bytes; done += more) {
        more = done < 1 << 16 ? done : 1 << 16; // that much stays in a cache
        if (more > bytes - done) more = bytes - done;
        memcpy(to + done, to, more);
    }
}

size_t sim_mem_upper(const sim_memory *memory, uint64_t address) {
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (memory->table[middle].base <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Devices have whole blocks of addresses, as a card's driver gives them out: what runs out of an
// allocation does not meet one of another device.
enum { DEVICE_BLOCK = 2 << 20 };

// Where the gap before table entry `index` starts, and where it ends.
static uint64_t gap_start(const sim_memory *memory, size_t index) {
    if (index == 0) return SIM_GLOBAL_BASE;
    const sim_allocation *before = &memory->table[index - 1];
    uint64_t end = before->base + before->extent;
    return before->device == memory->device ? end : sim_mem_round_up(end, DEVICE_BLOCK);
}

static uint64_t gap_end(const sim_memory *memory, size_t index) {
    if (index == memory->count) return SIM_GLOBAL_BASE + memory->span_bytes;
    const sim_allocation *after = &memory->table[index];
    return after->device == memory->device ? after->base
                                           : after->base & ~(uint64_t)(DEVICE_BLOCK - 1);
}

// Next fit. Looks at every gap once, from the cursor to the end and then from the beginning.
static bool find_gap(const sim_memory *memory, uint64_t need, uint64_t align, uint64_t *out_base,
                     size_t *out_index) {
    size_t start = sim_mem_upper(memory, memory->cursor[memory->device]);
    for (size_t step = 0; step <= memory->count + 1; step++) {
        size_t index = (start + step) % (memory->count + 1);
        uint64_t base = gap_start(memory, index), end = gap_end(memory, index);
        if (step == 0 && base < memory->cursor[memory->device])
            base = memory->cursor[memory->device];
        base = sim_mem_round_up(base, align);
        if (base <= end && end - base >= need) {
            *out_base = base;
            *out_index = index;
            return true;
        }
    }
    return false;
}

// Ranges that a new allocation covers are no longer "freed".
static void forget_freed(sim_memory *memory, uint64_t base, uint64_t end) {
    for (size_t i = 0; i < memory->freed_count; i++) {
        sim_allocation *old = &memory->freed[i];
        if (old->base < end && base < old->base + old->bytes) old->bytes = 0;
    }
}

bool sim_mem_insert(sim_memory *memory, size_t index, uint64_t base, uint64_t bytes,
                    uint64_t extent) {
    if (!sim_reserve(&memory->table, &memory->capacity, memory->count, sizeof *memory->table))
        return false;
    memmove(&memory->table[index + 1], &memory->table[index],
            (memory->count - index) * sizeof *memory->table);
    memory->table[index] = (sim_allocation){.base = base,
                                            .bytes = bytes,
                                            .extent = extent,
                                            .id = memory->next_id++,
                                            .device = memory->device,
                                            .reach = memory->reach[memory->device]};
    memory->count++;
    memory->version++;
    if (base + extent > memory->high_water) memory->high_water = base + extent;
    forget_freed(memory, base, base + bytes);
    return true;
}

bool sim_mem_enter(sim_memory *memory, uint64_t bytes, uint64_t align, uint64_t guard,
                   uint64_t *out_address) {
    uint64_t base, taken = sim_mem_round_up(bytes, align);
    size_t index;
    if (bytes > memory->span_bytes || !find_gap(memory, taken + guard, align, &base, &index) ||
        !sim_mem_insert(memory, index, base, bytes, taken + guard))
        return false;
    memory->cursor[memory->device] = base + taken + guard;
    *out_address = base;
    return true;
}

// Wide gaps cost address space only, of which a thousandth of the rest is the most that one takes.
uint64_t sim_mem_gap(const sim_memory *memory, uint64_t bytes, uint64_t align) {
    const uint64_t least = 1 << 20, most = 1 << 28;
    if (memory->guard == SIM_GUARD_NONE) return 0;
    if (memory->guard == SIM_GUARD_UNIT) return align;
    uint64_t gap = bytes < least ? least : bytes > most ? most : bytes;
    uint64_t left = SIM_GLOBAL_BASE + memory->span_bytes - memory->high_water;
    return sim_mem_round_up(gap < left / 1024 ? gap : left / 1024 + 1, align);
}

void sim_mem_guard(sim_memory *memory, sim_guard guard) { memory->guard = guard; }

sim_status sim_mem_take(sim_memory *memory, uint64_t bytes, uint64_t align, uint64_t *out_address,
                        kl_error *err) {
    *out_address = 0;
    if (bytes == 0) return sim_fail(err, SIM_INVALID_VALUE, "an allocation of 0 bytes");
    uint64_t free_bytes = memory->budget_bytes - memory->used_bytes[memory->device];
    bool fits = bytes <= memory->budget_bytes &&
                sim_mem_round_up(bytes, SIM_ALLOCATION_ALIGN) <= free_bytes;
    if (!fits ||
        !sim_mem_enter(memory, bytes, align, sim_mem_gap(memory, bytes, align), out_address))
        return sim_fail(err, SIM_OUT_OF_MEMORY,
                        "%" PRIu64 " bytes asked for, %" PRIu64 " of %" PRIu64 " are free", bytes,
                        free_bytes, memory->budget_bytes);
    memory->used_bytes[memory->device] += sim_mem_round_up(bytes, SIM_ALLOCATION_ALIGN);
    return SIM_OK;
}

bool sim_mem_enter_at(sim_memory *memory, uint64_t address, uint64_t bytes, uint64_t extent) {
    uint64_t offset = address - SIM_GLOBAL_BASE;
    size_t index = sim_mem_upper(memory, address);
    return offset <= memory->span_bytes && extent <= memory->span_bytes - offset &&
           gap_start(memory, index) <= address && gap_end(memory, index) >= address + extent &&
           sim_mem_insert(memory, index, address, bytes, extent);
}

// A freed range comes into another's way only after the cursor has gone round all addresses.
sim_status sim_mem_take_at(sim_memory *memory, uint64_t address, uint64_t bytes, kl_error *err) {
    uint64_t taken = sim_mem_round_up(bytes, SIM_ALLOCATION_ALIGN);
    uint64_t extent = taken + (memory->guard ? SIM_ALLOCATION_ALIGN : 0);
    if (bytes == 0 || bytes > memory->span_bytes || address % SIM_ALLOCATION_ALIGN ||
        address - SIM_GLOBAL_BASE > memory->span_bytes - bytes)
        return sim_fail(err, SIM_INVALID_VALUE,
                        "no allocation of %" PRIu64 " bytes can be at 0x%" PRIx64, bytes, address);
    bool fits = taken <= memory->budget_bytes - memory->used_bytes[memory->device];
    if (!fits || !sim_mem_enter_at(memory, address, bytes, extent))
        return sim_fail(err, SIM_OUT_OF_MEMORY, "%" PRIu64 " bytes asked for at 0x%" PRIx64 ": %s",
                        bytes, address, fits ? "the place is taken" : "not so much memory is free");
    memory->used_bytes[memory->device] += taken;
    return SIM_OK;
}

void sim_mem_leave(sim_memory *memory, const sim_allocation *found) {
    memory->freed[memory->freed_next] = *found;
    memory->freed_next = (memory->freed_next + 1) % FREED_KEPT;
    if (memory->freed_count < FREED_KEPT) memory->freed_count++;
    size_t index = (size_t)(found - memory->table);
    memmove(&memory->table[index], &memory->table[index + 1],
            (memory->count - index - 1) * sizeof *memory->table);
    memory->count--;
    memory->version++;
}

bool sim_mem_goes_on(const sim_memory *memory, const sim_allocation *found, uint64_t end) {
    while (end > found->base + found->bytes) {
        const sim_allocation *next = found + 1;
        if (next == memory->table + memory->count || next->kind != SIM_MEM_MAPPED ||
            found->kind != SIM_MEM_MAPPED || next->base != found->base + found->bytes ||
            !next->bytes)
            return false;
        found = next;
    }
    return true;
}

const sim_allocation *sim_mem_find(const sim_memory *memory, uint64_t address) {
    size_t index = sim_mem_upper(memory, address);
    if (index == 0) return NULL;
    const sim_allocation *found = &memory->table[index - 1];
    return address - found->base < found->bytes ? found : NULL;
}

const sim_allocation *sim_mem_find_from(const sim_memory *memory, uint64_t address,
                                        uint32_t device) {
    const sim_allocation *found = sim_mem_find(memory, address);
    return found && found->reach >> device & 1 ? found : NULL;
}

bool sim_mem_is_peers(const sim_memory *memory, uint64_t address, uint32_t device) {
    size_t index = sim_mem_upper(memory, address);
    if (sim_mem_find(memory, address)) index--;
    const sim_allocation *first = &memory->table[index];
    return index < memory->count && first->device != device && !first->of_host;
}

void sim_mem_use(sim_memory *memory, uint32_t device) { memory->device = (uint8_t)device; }

void sim_mem_peer(sim_memory *memory, uint32_t device, uint32_t peer, bool may) {
    uint8_t bit = (uint8_t)(1u << device), *reach = &memory->reach[peer];
    *reach = may ? *reach | bit : *reach & ~bit;
    for (size_t i = 0; i < memory->count; i++)
        if (memory->table[i].device == peer && !memory->table[i].apart)
            memory->table[i].reach = *reach;
    memory->version++;
}

void sim_mem_reach(sim_memory *memory, uint64_t address, uint8_t devices) {
    sim_allocation *found = (sim_allocation *)sim_mem_find(memory, address);
    if (!found || found->base != address) return;
    found->reach = devices | (uint8_t)(1u << found->device);
    found->apart = true;
    memory->version++;
}

void sim_mem_of_host(sim_memory *memory, uint64_t address) {
    sim_mem_reach(memory, address, SIM_ALL_DEVICES);
    sim_allocation *found = (sim_allocation *)sim_mem_find(memory, address);
    if (found && found->base == address) found->of_host = true;
}

void sim_mem_label(sim_memory *memory, uint64_t address, const char *label) {
    sim_allocation *found = (sim_allocation *)sim_mem_find(memory, address);
    if (found && found->base == address) found->label = label;
}

const sim_allocation *sim_mem_list(const sim_memory *memory, size_t *out_count) {
    *out_count = memory->count;
    return memory->table;
}
