// Moves bytes between host and device memory whatever mixture of them a call names. Everything is
// done at once; the caller charges the virtual clock.
#include "runtime/memory/memory.h"
#include "advice.h"

// Where a pointer of the program leads.
typedef struct place {
    bool on_host;   // read and write `pointer`; else the engine's `address`
    bool reachable; // by the device: page-locked, managed or device memory
    bool past_end;  // leaves the range it starts in
    bool shared;    // managed: counts as either side
    int device;     // whose memory it is
    void *pointer;
    uint64_t address;
} place;

static place place_of(const void *pointer, uint64_t bytes) {
    uint64_t address = (uint64_t)(uintptr_t)pointer;
    place found = {.pointer = (void *)(uintptr_t)address, .address = address};
    const runtime_range *range = runtime_range_find(address);
    found.device = range ? range->device : runtime.device;
    if (!range) {
        found.reachable = runtime_is_device_address(address);
        found.on_host = !found.reachable;
        return found;
    }
    found.reachable = true;
    found.on_host = range->kind != RUNTIME_MEMORY_DEVICE;
    found.shared = range->kind == RUNTIME_MEMORY_MANAGED;
    const runtime_range *last = runtime.ranges + runtime.range_count - 1;
    while (range->is_mapped && range < last && range[1].is_mapped &&
           range[1].base == range->base + range->bytes && address + bytes > range[1].base)
        range++; // mapped memory goes on
    found.past_end = bytes > range->base + range->bytes - address;
    return found;
}

// Whether `kind` may name these places. A host address as the device side is the usual mistake; a
// device address as the host side is accepted, as on a GPU with unified addressing.
static bool direction_fits(const place *to, const place *from, enum cudaMemcpyKind kind) {
    switch (kind) {
    case cudaMemcpyHostToDevice: return to->reachable;
    case cudaMemcpyDeviceToHost: return from->reachable;
    case cudaMemcpyDeviceToDevice: return to->reachable && from->reachable;
    default: return true;
    }
}

// A variable of the device that host code names has an address on the host, too.
static cudaError_t refuse_direction(const place *to, const place *from, enum cudaMemcpyKind kind) {
    static const char *const kinds[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice",
                                        "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice",
                                        "cudaMemcpyDefault"};
    static const char *const sides[] = {"host", "device"};
    int fits = to->reachable + 2 * from->reachable;
    char text[512];
    kl_advice row = KL_ADVICE_COPY_KIND;
    if (!to->reachable && runtime_map_get(&runtime.variables, to->pointer))
        row = KL_ADVICE_COPY_TO_SYMBOL;
    else if (!from->reachable && runtime_map_get(&runtime.variables, from->pointer))
        row = KL_ADVICE_COPY_FROM_SYMBOL;
    kl_advise(row, KL_WORDS(kinds[kind], sides[to->reachable], sides[from->reachable], kinds[fits]),
              text, sizeof text);
    // Host pointers where device memory is meant: no other kind makes that right.
    bool opposite = fits + (int)kind == cudaMemcpyHostToDevice + cudaMemcpyDeviceToHost;
    if (row == KL_ADVICE_COPY_KIND && !opposite) *strrchr(text, ':') = '\0';
    return runtime_invalid(text);
}

static cudaError_t refuse_size(const place *leaves, uint64_t bytes) {
    const runtime_range *range = runtime_range_find(leaves->address);
    char text[256];
    uint64_t left = range->bytes - (leaves->address - range->base);
    if ((int64_t)bytes < 0)
        snprintf(text, sizeof text, "the size of the copy is a negative number: %" PRId64 " bytes",
                 (int64_t)bytes);
    else
        snprintf(text, sizeof text,
                 "the copy leaves the allocation it starts in: %" PRIu64 " bytes, of which %" PRIu64
                 " are left there (it has %" PRIu64 ")",
                 bytes, left, range->bytes);
    return runtime_invalid(text);
}

static runtime_direction direction_of(const place *to, const place *from) {
    if (to->on_host && from->on_host) {
        if (to->shared == from->shared) return RUNTIME_COPY_ON_HOST;
        return to->shared ? RUNTIME_COPY_HOST_TO_DEVICE : RUNTIME_COPY_DEVICE_TO_HOST;
    }
    if (to->on_host) return RUNTIME_COPY_DEVICE_TO_HOST;
    if (from->on_host) return RUNTIME_COPY_HOST_TO_DEVICE;
    return from->device == to->device ? RUNTIME_COPY_ON_DEVICE : RUNTIME_COPY_TO_PEER;
}

// Of a copy between memory of devices.
static runtime_transfer transfer_of(const place *to, const place *from, uint64_t bytes) {
    return (runtime_transfer){.direction = direction_of(to, from),
                              .bytes = bytes,
                              .reached = runtime.devices[to->device].peers >> from->device & 1 ||
                                         runtime.devices[from->device].peers >> to->device & 1,
                              .source = (uint8_t)from->device};
}

// Finds both sides of a copy of at least one byte and says what is wrong with them.
static cudaError_t find_sides(void *destination, const void *source, uint64_t bytes,
                              enum cudaMemcpyKind kind, place *to, place *from) {
    if (!destination || !source) return runtime_invalid("a copy to or from a null pointer");
    *to = place_of(destination, bytes);
    *from = place_of(source, bytes);
    if (!direction_fits(to, from, kind)) return refuse_direction(to, from, kind);
    if (to->past_end || from->past_end) return refuse_size(to->past_end ? to : from, bytes);
    return cudaSuccess;
}

cudaError_t runtime_copy_check(void *destination, const void *source, uint64_t bytes,
                               enum cudaMemcpyKind kind) {
    place to = {0}, from = {0};
    if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    return bytes ? find_sides(destination, source, bytes, kind, &to, &from) : cudaSuccess;
}

// Before memory of the device goes to the host.
static void check_is_set(uint64_t address, uint64_t bytes) {
    uint64_t unset = 0, first = 0;
    const runtime_range *range = runtime_range_find(address);
    if (!runtime.faults_are_findings || !range) return;
    sim_check_unset(runtime.engine, address, bytes, range->pitch, &unset, &first, NULL);
    if (unset == bytes)
        runtime_tell(SIM_CHECK_UNSET_COPY,
                     "no kernel, copy or fill has written any of the %" PRIu64
                     " bytes that are copied to the host",
                     bytes);
    else if (unset)
        runtime_tell(SIM_CHECK_UNSET_COPY,
                     "no kernel, copy or fill has written %" PRIu64 " of the %" PRIu64
                     " bytes that are copied to the host; the first is byte %" PRIu64,
                     unset, bytes, first);
}

// One row, of which a side is the host's.
static cudaError_t copy_row(void *destination, const void *source, uint64_t bytes,
                            enum cudaMemcpyKind kind, runtime_transfer *out_transfer) {
    place to = {0}, from = {0};
    cudaError_t found = find_sides(destination, source, bytes, kind, &to, &from);
    if (found) return found;
    out_transfer->direction = direction_of(&to, &from);
    out_transfer->bytes += bytes;
    out_transfer->pinned = to.on_host ? to.reachable : from.reachable;
    kl_error err = {0};
    sim_status status = SIM_OK;
    if (to.on_host && !from.on_host) check_is_set(from.address, bytes);
    if (to.on_host && from.on_host) memmove(to.pointer, from.pointer, bytes);
    else if (to.on_host)
        status = sim_memory_read(runtime.engine, to.pointer, from.address, bytes, &err);
    else status = sim_memory_write(runtime.engine, to.address, from.pointer, bytes, &err);
    return status == SIM_OK ? cudaSuccess : runtime_fail(&err);
}

cudaError_t runtime_copy_rows(const runtime_rows *r, enum cudaMemcpyKind kind,
                              runtime_transfer *out_transfer) {
    if ((unsigned)kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
    *out_transfer = (runtime_transfer){.direction = RUNTIME_COPY_ON_HOST};
    if (r->bytes == 0 || r->count == 0) return cudaSuccess;
    place to = {0}, from = {0};
    cudaError_t status = find_sides(r->to, r->from, r->bytes, kind, &to, &from);
    if (status) return status;
    if (!to.on_host && !from.on_host) {
        kl_error err = {0};
        *out_transfer = transfer_of(&to, &from, r->bytes * r->count);
        if (sim_memory_copy_rows(runtime.engine, to.address, r->to_pitch, from.address,
                                 r->from_pitch, r->bytes, r->count, &err) == SIM_OK)
            return cudaSuccess;
        return runtime_fail(&err);
    }
    for (uint64_t row = 0; row < r->count && !status; row++)
        status =
            copy_row((char *)r->to + row * r->to_pitch, (const char *)r->from + row * r->from_pitch,
                     r->bytes, kind, out_transfer);
    return status;
}

void runtime_copy_look(const void *to_pointer, const void *from_pointer,
                       runtime_transfer *out_transfer) {
    place to = place_of(to_pointer, 0), from = place_of(from_pointer, 0);
    *out_transfer = (runtime_transfer){.direction = direction_of(&to, &from),
                                       .pinned = to.on_host ? to.reachable : from.reachable};
}

static cudaError_t find_filled(void *destination, uint64_t bytes, place *to) {
    if (!destination) return runtime_invalid("a fill of a null pointer");
    *to = place_of(destination, bytes);
    if (!to->reachable) return runtime_invalid("the filled memory is the host's own");
    if (to->past_end) return runtime_invalid("the fill leaves the allocation it starts in");
    return cudaSuccess;
}

cudaError_t runtime_fill_check(void *destination, uint64_t bytes) {
    place to = {0};
    return bytes ? find_filled(destination, bytes, &to) : cudaSuccess;
}

cudaError_t runtime_fill_rows(const runtime_rows *r, uint32_t value, uint32_t element_bytes) {
    if (r->bytes == 0 || r->count == 0) return cudaSuccess;
    uint64_t count = r->bytes / element_bytes, span;
    place to = {0};
    if (__builtin_mul_overflow(r->count - 1, r->to_pitch, &span) ||
        __builtin_add_overflow(span, r->bytes, &span))
        return cudaErrorInvalidValue;
    cudaError_t found = find_filled(r->to, span, &to);
    if (found) return found;
    if (!runtime_is_reached(to.address))
        return runtime_invalid(
            "the filled memory is another device's, to which the stream's has no access");
    if (element_bytes < 4) value &= (1u << 8 * element_bytes) - 1;
    if (to.on_host) {
        for (uint64_t row = 0; row < r->count; row++)
            for (uint64_t i = 0; i < count; i++)
                memcpy((char *)to.pointer + row * r->to_pitch + i * element_bytes, &value,
                       element_bytes);
        return cudaSuccess;
    }
    kl_error err = {0};
    if (sim_memory_fill_rows(runtime.engine, to.address, r->to_pitch, value, element_bytes, count,
                             r->count, &err) == SIM_OK)
        return cudaSuccess;
    return runtime_fail(&err);
}
