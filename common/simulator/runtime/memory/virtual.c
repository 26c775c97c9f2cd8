// Virtual memory: addresses that a program reserves, memory that it creates without an address, and
// where it maps the one to the other (CUDA Driver API, "Virtual Memory Management"). What kernels
// may access is a live range like any other.
#include "runtime/memory/memory.h"

// Memory that cuMemCreate made.
typedef struct pages {
    struct pages *next;
    uint64_t handle, bytes;        // the handle is the engine's name of them
    uint32_t references, mappings; // handles of the program, places
    bool has_content;              // has been mapped
    runtime_backing backing;
} pages;

typedef struct reservation {
    struct reservation *next;
    uint64_t base, bytes;
} reservation;

typedef struct mapping {
    struct mapping *next;
    uint64_t base;
    pages *pages;
    unsigned access; // CUmemAccess_flags of the device
} mapping;

struct runtime_virtual {
    pages *pages;
    reservation *reserved;
    mapping *mappings;
};

static struct runtime_virtual *state(void) {
    if (!runtime.virtual_memory) runtime.virtual_memory = calloc(1, sizeof *runtime.virtual_memory);
    return runtime.virtual_memory;
}

// Puts a copy of `element`, of which a pointer to the next one is the first field, into a list.
static cudaError_t add(void *list, const void *element, size_t bytes) {
    void **first = list, **made = malloc(bytes);
    if (!made) return cudaErrorMemoryAllocation;
    memcpy(made, element, bytes);
    *made = *first;
    *first = made;
    return cudaSuccess;
}

static void drop(void *list, void *element) {
    void **link = list;
    while (*link != element) link = *link;
    *link = *(void **)element;
    free(element);
}

static bool is_whole(uint64_t bytes) { return bytes && bytes % RUNTIME_GRANULE == 0; }

static pages *find_pages(uint64_t handle) {
    pages *found = state() ? state()->pages : NULL;
    while (found && !(found->handle == handle && found->references)) found = found->next;
    return found;
}

static mapping *find_mapping(uint64_t address) {
    mapping *found = state() ? state()->mappings : NULL;
    while (found && address - found->base >= found->pages->bytes) found = found->next;
    return found;
}

static const char NOT_WHOLE[] =
    "addresses and sizes are multiples of the granularity, 2097152 bytes";
static const char NOT_MAPPED[] = "no memory is mapped there, or only a part of it is named";
static const char NO_HANDLE[] = "this is no handle of memory";

// ---- addresses ----------------------------------------------------------------------------------

cudaError_t runtime_virtual_reserve(uint64_t bytes, uint64_t align, uint64_t wanted,
                                    uint64_t *out_address) {
    kl_error err = {0};
    if (!is_whole(bytes) || (align & (align - 1)) || wanted % RUNTIME_GRANULE)
        return runtime_invalid(NOT_WHOLE);
    if (!state()) return cudaErrorMemoryAllocation;
    reservation made = {.bytes = bytes};
    if (align < RUNTIME_GRANULE) align = RUNTIME_GRANULE;
    if (sim_memory_reserve(runtime.engine, bytes, align, wanted, &made.base, &err) != SIM_OK)
        return runtime_fail(&err);
    *out_address = made.base;
    return add(&state()->reserved, &made, sizeof made);
}

static bool has_mappings(const reservation *r) {
    for (const mapping *m = state()->mappings; m; m = m->next)
        if (m->base - r->base < r->bytes) return true;
    return false;
}

cudaError_t runtime_virtual_unreserve(uint64_t address, uint64_t bytes) {
    reservation *found = state() ? state()->reserved : NULL;
    while (found && found->base != address) found = found->next;
    if (!found || found->bytes != bytes) return runtime_invalid("no such addresses are reserved");
    if (has_mappings(found))
        return runtime_invalid("memory is mapped there: cuMemUnmap comes first");
    sim_memory_free(runtime.engine, address, NULL);
    drop(&state()->reserved, found);
    return cudaSuccess;
}

// ---- memory -------------------------------------------------------------------------------------

cudaError_t runtime_virtual_create(uint64_t bytes, const runtime_backing *backing,
                                   uint64_t *out_handle) {
    kl_error err = {0};
    if (!is_whole(bytes)) return runtime_invalid(NOT_WHOLE);
    if (!state()) return cudaErrorMemoryAllocation;
    pages made = {.bytes = bytes, .references = 1, .backing = *backing};
    if (sim_memory_pages(runtime.engine, bytes, &made.handle, &err) != SIM_OK)
        return runtime_fail(&err);
    *out_handle = made.handle;
    return add(&state()->pages, &made, sizeof made);
}

// Memory lives as long as a handle of it or a place where it is mapped.
static void forget_unused(pages *p) {
    if (p->references || p->mappings) return;
    sim_memory_free(runtime.engine, p->handle, NULL);
    drop(&state()->pages, p);
}

cudaError_t runtime_virtual_release(uint64_t handle) {
    pages *found = find_pages(handle);
    if (!found) return runtime_invalid(NO_HANDLE);
    found->references--;
    forget_unused(found);
    return cudaSuccess;
}

cudaError_t runtime_virtual_backing(uint64_t handle, runtime_backing *out) {
    const pages *found = find_pages(handle);
    if (!found) return runtime_invalid(NO_HANDLE);
    *out = found->backing;
    return cudaSuccess;
}

cudaError_t runtime_virtual_retain(uint64_t address, uint64_t *out_handle) {
    mapping *found = find_mapping(address);
    if (!found) return runtime_invalid(NOT_MAPPED);
    found->pages->references++;
    *out_handle = found->pages->handle;
    return cudaSuccess;
}

// ---- mappings -----------------------------------------------------------------------------------

cudaError_t runtime_virtual_map(uint64_t address, uint64_t bytes, uint64_t offset,
                                uint64_t handle) {
    kl_error err = {0};
    pages *found = find_pages(handle);
    if (!found) return runtime_invalid(NO_HANDLE);
    if (address % RUNTIME_GRANULE) return runtime_invalid(NOT_WHOLE);
    if (offset || bytes != found->bytes)
        return runtime_refuse(cudaErrorNotSupported, "memory is mapped as a whole");
    if (sim_memory_map(runtime.engine, address, handle, !found->has_content, &err) != SIM_OK)
        return runtime_fail(&err);
    found->mappings++;
    found->has_content = true;
    return add(&state()->mappings, &(mapping){.base = address, .pages = found}, sizeof(mapping));
}

// Whether mappings fill the addresses, none reaching out of them.
static bool are_mapped(uint64_t address, uint64_t bytes) {
    while (bytes > 0) {
        const mapping *m = find_mapping(address);
        if (!m || m->base != address || m->pages->bytes > bytes) return false;
        address += m->pages->bytes;
        bytes -= m->pages->bytes;
    }
    return true;
}

static cudaError_t give_access(mapping *m, unsigned access) {
    kl_error err = {0};
    runtime_range *range = runtime_range_find(m->base);
    if (range && !access) runtime_range_remove(range);
    if (sim_memory_access(runtime.engine, m->base, access, &err) != SIM_OK)
        return runtime_fail(&err);
    m->access = access;
    if (range || !access) return cudaSuccess;
    return runtime_range_add(&(runtime_range){.kind = RUNTIME_MEMORY_DEVICE,
                                              .base = m->base,
                                              .bytes = m->pages->bytes,
                                              .is_mapped = true});
}

cudaError_t runtime_virtual_access(uint64_t address, uint64_t bytes, unsigned access) {
    if (!bytes || !are_mapped(address, bytes)) return runtime_invalid(NOT_MAPPED);
    cudaError_t status = cudaSuccess;
    for (uint64_t at = 0; at < bytes && !status; at += find_mapping(address + at)->pages->bytes)
        status = give_access(find_mapping(address + at), access);
    return status;
}

cudaError_t runtime_virtual_access_of(uint64_t address, unsigned *out_access) {
    const mapping *found = find_mapping(address);
    if (found) *out_access = found->access;
    return found ? cudaSuccess : cudaErrorInvalidValue;
}

static void unmap(mapping *m) {
    pages *p = m->pages;
    give_access(m, 0);
    sim_memory_free(runtime.engine, m->base, NULL);
    p->mappings--;
    drop(&state()->mappings, m);
    forget_unused(p);
}

// Reserved addresses where nothing is mapped may be unmapped, too, as on an H200.
cudaError_t runtime_virtual_unmap(uint64_t address, uint64_t bytes) {
    const reservation *r = state() ? state()->reserved : NULL;
    while (r && address - r->base >= r->bytes) r = r->next;
    if (!is_whole(bytes) || address % RUNTIME_GRANULE || !r ||
        bytes > r->bytes - (address - r->base))
        return runtime_invalid("only whole reserved addresses are unmapped");
    for (const mapping *m = state()->mappings; m; m = m->next) {
        uint64_t end = m->base + m->pages->bytes;
        bool touches = m->base < address + bytes && address < end;
        if (touches && (m->base < address || end > address + bytes))
            return runtime_invalid(NOT_MAPPED);
    }
    for (uint64_t at = address; at < address + bytes; at += RUNTIME_GRANULE) {
        mapping *m = find_mapping(at);
        if (m) unmap(m);
    }
    return cudaSuccess;
}

void runtime_virtual_reset(void) {
    struct runtime_virtual *v = runtime.virtual_memory;
    while (v && v->mappings) unmap(v->mappings);
    while (v && v->pages) {
        v->pages->references = 0;
        forget_unused(v->pages);
    }
    while (v && v->reserved) {
        sim_memory_free(runtime.engine, v->reserved->base, NULL);
        drop(&v->reserved, v->reserved);
    }
}
