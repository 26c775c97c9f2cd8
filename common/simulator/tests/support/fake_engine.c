// The engine of fake_engine.h: just enough of engine/engine.h's contracts to test its users.
#include "support/fake_engine.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "engine/vtable.h"

enum { MAX_ALLOCATIONS = 256 };
#define FAKE_BYTES (UINT64_C(1) << 30) // of device memory

typedef struct allocation {
    uint64_t base, bytes;
    uint8_t *host;
    bool is_borrowed; // pages of the shared file, or of the caller
} allocation;

fake_engine_state fake;

// The fake's function for a call, with the parameters of its row.
#define IN(type, name)  , __attribute__((unused)) type name
#define OUT(type, name) , __attribute__((unused)) type *out_##name
#define FAKE(call)                                                                                 \
    static sim_status fake_##call(__attribute__((unused))                                          \
                                  sim_engine *engine SIM_FIELDS_##call(IN, OUT, SIM_SKIP),         \
                                  __attribute__((unused)) kl_error *err)
// One that does nothing; dispatch.c has cleared what out-parameters point to.
#define NOTHING(call)                                                                              \
    FAKE(call) { return SIM_OK; }

static allocation allocations[MAX_ALLOCATIONS];
static uint64_t next_address = SIM_GLOBAL_BASE;
static uint32_t functions;
enum { SHARED_BYTES = 64 << 20 };
static const uint64_t shared_base = SIM_GLOBAL_BASE + SIM_GLOBAL_SPAN / 2;
static uint8_t *shared_pages; // where the shared file is mapped here
static int shared_file;
static uint64_t shared_used;
static uint64_t symbols[2];

static allocation *find(uint64_t address) {
    for (int i = 0; i < MAX_ALLOCATIONS; i++)
        if (allocations[i].host && address - allocations[i].base < allocations[i].bytes)
            return &allocations[i];
    return NULL;
}

void *fake_pointer(uint64_t address) {
    allocation *found = find(address);
    return found ? found->host + (address - found->base) : NULL;
}

static uint8_t *range(uint64_t address, uint64_t bytes, kl_error *err) {
    allocation *found = find(address);
    if (found && bytes <= found->bytes - (address - found->base))
        return found->host + (address - found->base);
    sim_fail(err, SIM_INVALID_VALUE, "not inside one allocation");
    return NULL;
}

FAKE(memory_alloc_at) {
    if (bytes > FAKE_BYTES) return sim_fail(err, SIM_OUT_OF_MEMORY, "larger than the fake device");
    for (int i = 0; i < MAX_ALLOCATIONS; i++) {
        if (allocations[i].host) continue;
        allocations[i] = (allocation){address, bytes, malloc(bytes), false};
        memset(allocations[i].host, 0xEE, bytes);
        return SIM_OK;
    }
    return sim_fail(err, SIM_OUT_OF_MEMORY, "too many allocations");
}

FAKE(memory_alloc) {
    TRY(fake_memory_alloc_at(engine, next_address, bytes, err));
    *out_address = next_address;
    next_address += (bytes + SIM_ALLOCATION_ALIGN) & ~(uint64_t)(SIM_ALLOCATION_ALIGN - 1);
    return SIM_OK;
}

FAKE(memory_free) {
    allocation *found = find(address);
    if (!found || found->base != address) return sim_fail(err, SIM_INVALID_VALUE, "not live");
    if (!found->is_borrowed) free(found->host);
    *found = (allocation){0};
    return SIM_OK;
}

FAKE(memory_detach) { return fake_memory_free(engine, address, err); }

static sim_status add_borrowed(uint64_t base, uint64_t bytes, uint8_t *host, kl_error *err) {
    for (int i = 0; i < MAX_ALLOCATIONS; i++) {
        if (allocations[i].host) continue;
        allocations[i] = (allocation){base, bytes, host, true};
        return SIM_OK;
    }
    return sim_fail(err, SIM_OUT_OF_MEMORY, "too many allocations");
}

static void make_shared(void) {
    if (shared_pages) return;
    shared_file = memfd_create("fake device", MFD_CLOEXEC);
    if (ftruncate(shared_file, SHARED_BYTES) != 0) abort();
    shared_pages = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, shared_file, 0);
}

FAKE(memory_alloc_shared) {
    if (bytes > SHARED_BYTES - shared_used)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "larger than the fake device's shared memory");
    make_shared();
    *out_address = shared_base + shared_used;
    uint8_t *host = shared_pages + shared_used;
    shared_used += sim_host_pages_up(bytes) + sim_host_page();
    return add_borrowed(*out_address, bytes, host, err);
}

FAKE(memory_shared_file) {
    if (address - shared_base >= shared_used) return sim_fail(err, SIM_INVALID_VALUE, "not shared");
    *out_descriptor = dup(shared_file);
    *out_offset = address - shared_base;
    return SIM_OK;
}

FAKE(memory_attach) {
    *out_direct = !fake.copies_attached;
    if (bytes > SHARED_BYTES) return sim_fail(err, SIM_INVALID_VALUE, "too many bytes");
    if (*out_direct) return add_borrowed(address, bytes, (uint8_t *)(uintptr_t)address, err);
    TRY(add_borrowed(address, bytes, malloc(bytes), err));
    find(address)->is_borrowed = false;
    return SIM_OK;
}

static void fake_close(sim_engine *engine) {
    for (int i = 0; i < MAX_ALLOCATIONS; i++) {
        if (!allocations[i].is_borrowed) free(allocations[i].host);
        allocations[i] = (allocation){0};
    }
    fake.closed++;
    sim_engine_base_destroy(engine);
    free(engine);
}

FAKE(module_load) {
    if (fake.load_status != SIM_OK) return sim_fail(err, fake.load_status, "told to fail");
    for (int i = 0; i < 2; i++) {
        TRY(i == 0 ? fake_memory_alloc(engine, 64, &symbols[i], err)
                   : fake_memory_alloc_shared(engine, 64, &symbols[i], err));
        memset(fake_pointer(symbols[i]), 7, 64);
    }
    *out_module = ++fake.loads;
    return SIM_OK;
}

FAKE(module_unload) {
    for (int i = 0; i < 2; i++) TRY(fake_memory_free(engine, symbols[i], err));
    fake.unloads++;
    return SIM_OK;
}

FAKE(function_find) {
    if (name[0] != 'k') return sim_fail(err, SIM_NOT_FOUND, "no kernel %s", name);
    snprintf(fake.function, sizeof fake.function, "%s", name);
    *out_function = ++functions;
    return SIM_OK;
}

FAKE(module_kernel) {
    if (index > 0) return sim_fail(err, SIM_NOT_FOUND, "one kernel only");
    return fake_function_find(engine, module, "k", out_function, err);
}

FAKE(function_query) {
    if (function > functions) return sim_fail(err, SIM_INVALID_HANDLE, "no such function");
    *out_info =
        (sim_function_info){.name = "k",
                            .registers = 32,
                            .shared_bytes = 1024,
                            .max_threads = 512,
                            .max_dynamic_shared_bytes = 48128, // with 1024 static ones 48 KiB
                            .ptx_version = 90,
                            .binary_version = 90,
                            .param_count = 2,
                            .param_bytes = 12};
    out_info->params[0].size_bytes = 8;
    out_info->params[1].offset = 8;
    out_info->params[1].size_bytes = 4;
    return SIM_OK;
}

FAKE(symbol_find) {
    bool managed = strcmp(name, "managed") == 0;
    if (!managed && strcmp(name, "symbol") != 0)
        return sim_fail(err, SIM_NOT_FOUND, "no symbol %s", name);
    *out_address = symbols[managed];
    *out_bytes = 64;
    return SIM_OK;
}

FAKE(memory_write) {
    uint8_t *to = range(destination, bytes, err);
    if (!to) return SIM_INVALID_VALUE;
    fake.writes++;
    memcpy(to, source, bytes);
    return SIM_OK;
}

FAKE(memory_read) {
    const uint8_t *from = range(source, bytes, err);
    if (!from) return SIM_INVALID_VALUE;
    fake.reads++;
    memcpy(destination, from, bytes);
    return SIM_OK;
}

FAKE(memory_peek) {
    const uint8_t *from = range(source, bytes, err);
    if (!from) return SIM_INVALID_VALUE;
    fake.peeks++;
    memcpy(destination, from, bytes);
    *out_set = true;
    return SIM_OK;
}

static sim_status copy_row(uint64_t destination, uint64_t source, uint64_t bytes, kl_error *err) {
    uint8_t *to = range(destination, bytes, err);
    const uint8_t *from = range(source, bytes, err);
    if (!to || !from) return SIM_INVALID_VALUE;
    memmove(to, from, bytes);
    return SIM_OK;
}

FAKE(memory_fill) {
    uint8_t *to = range(destination, count * width, err);
    if (!to) return SIM_INVALID_VALUE;
    for (uint64_t i = 0; i < count; i++) memcpy(to + i * width, &value, width);
    return SIM_OK;
}

FAKE(memory_copy_rows) {
    sim_status status = SIM_OK;
    for (uint64_t row = 0; row < rows && status == SIM_OK; row++)
        status = copy_row(destination + row * to_pitch, source + row * from_pitch, bytes, err);
    return status;
}

FAKE(memory_fill_rows) {
    sim_status status = SIM_OK;
    for (uint64_t row = 0; row < rows && status == SIM_OK; row++)
        status = fake_memory_fill(engine, destination + row * pitch, value, width, count, err);
    return status;
}

FAKE(memory_find) {
    const allocation *found = find(address);
    if (!found) return sim_fail(err, SIM_INVALID_VALUE, "no allocation there");
    *out_base = found->base;
    *out_bytes = found->bytes;
    return SIM_OK;
}

FAKE(memory_info) {
    *out_free = 1000;
    *out_total = 2000;
    return SIM_OK;
}

// Virtual memory is tested with the true engine.
FAKE(memory_reserve) { return sim_fail(err, SIM_UNSUPPORTED, "no virtual memory"); }

FAKE(memory_pages) { return fake_memory_reserve(engine, bytes, 0, 0, out_pages, err); }

FAKE(memory_map) { return fake_memory_reserve(engine, address, pages, is_fresh, NULL, err); }

FAKE(memory_access) { return fake_memory_reserve(engine, address, rights, 0, NULL, err); }

static uint32_t fake_condition;

FAKE(condition_set) {
    fake_condition = value;
    return SIM_OK;
}

FAKE(condition_get) {
    *out_value = fake_condition;
    return SIM_OK;
}

FAKE(given_alloc) { return fake_memory_alloc(engine, bytes, out_address, err); }

FAKE(given_free) { return fake_memory_free(engine, address, err); }

FAKE(given_renew) { return range(address, bytes, err) ? SIM_OK : SIM_INVALID_VALUE; }

FAKE(call_end) {
    *out_host_bytes = 77;
    *out_moves = 2;
    *out_moved_bytes = 640;
    return SIM_OK;
}

FAKE(writers_get) {
    *out_nobody = bytes;
    *out_fill = 1;
    *out_host = 2;
    *out_earlier = 3;
    *out_kernel = 4;
    return SIM_OK;
}

FAKE(last_write_get) {
    *out_written = true;
    *out_block = address;
    *out_thread = 5;
    return SIM_OK;
}

FAKE(limit_set) {
    fake.limits[limit] = bytes;
    return SIM_OK;
}

// Handles are 1, 2 ..
FAKE(texture_create) {
    fake.texture = *texture;
    *out_handle = ++fake.textures_made;
    fake.textures_live++;
    return SIM_OK;
}

FAKE(texture_destroy) {
    if (handle > fake.textures_made || fake.textures_live == 0)
        return sim_fail(err, SIM_INVALID_HANDLE, "no such texture");
    fake.textures_live--;
    return SIM_OK;
}

FAKE(launch_kernel) {
    if (function > functions) return sim_fail(err, SIM_INVALID_HANDLE, "no such function");
    fake.config = *config;
    fake.param_bytes = param_bytes < sizeof fake.params ? param_bytes : sizeof fake.params;
    if (fake.param_bytes) memcpy(fake.params, params, fake.param_bytes);
    out_result->index = fake.launches++;
    out_result->time_us = fake.time_us;
    out_result->warp_instructions = 100;
    if (fake.kernel) fake.kernel(&fake);
    out_result->fault = fake.fault;
    if (fake.fault.kind != SIM_OK) return sim_fail(err, fake.fault.kind, "%s", fake.fault.text);
    return SIM_OK;
}

FAKE(take_output) {
    *out_text = strdup(fake.output ? fake.output : "");
    fake.output = NULL;
    return SIM_OK;
}

FAKE(launch_count) {
    *out_count = fake.launches;
    return SIM_OK;
}

FAKE(launch_report_get) {
    if (index >= fake.launches) return sim_fail(err, SIM_INVALID_VALUE, "no launch %u", index);
    sim_launch_report *report = calloc(1, sizeof *report);
    report->kernel = strdup("k");
    report->config = fake.config;
    report->time_us = fake.time_us;
    report->line_count = report->file_count = 1;
    report->lines = calloc(1, sizeof *report->lines);
    report->lines[0].line = 12;
    report->lines[0].counters.value[SIM_COUNTER_INST] = index;
    report->files = calloc(1, sizeof *report->files);
    report->files[0] = strdup("k.cu");
    report->totals.value[SIM_COUNTER_INST] = 100;
    *out_report = report;
    return SIM_OK;
}

FAKE(span_add) {
    sim_span span = {.begin_us = begin_us,
                     .end_us = end_us,
                     .bytes = bytes,
                     .waits_for = waits_for,
                     .call = call,
                     .stream = stream};
    sim_span_unpack(rest, &span);
    return sim_spans_add(&fake.spans, &span, text, err);
}

FAKE(spans_get) {
    *out_spans = fake.spans; // the fake's own
    *out_first = 0;
    return SIM_OK;
}

FAKE(check_report_get) { return sim_fail(err, SIM_INVALID_VALUE, "this engine does not check"); }

NOTHING(function_set_max_dynamic_shared)
NOTHING(device_use)
NOTHING(device_peer)
NOTHING(memory_reach)
NOTHING(memory_owner)
NOTHING(call_begin)
NOTHING(caches_forget)
NOTHING(writes_watch)
NOTHING(launch_go_on)
NOTHING(check_unchecked_launch)
NOTHING(check_host_finding)
NOTHING(check_called_at)
NOTHING(check_order)
NOTHING(check_uses)
NOTHING(check_host_access)
NOTHING(check_unset)
NOTHING(check_library_findings)
NOTHING(check_in_progress)

static const sim_engine_vtable fake_vtable = {
    .close = fake_close,
#define SIM_CALL(id, call, way, who) .call = fake_##call,
#include "engine/calls.def"
#undef SIM_CALL
};

sim_status fake_engine_open(sim_engine **out_engine) {
    sim_engine *engine = calloc(1, sizeof *engine);
    fake.opened++;
    *out_engine = engine;
    return sim_engine_base_init(engine, &fake_vtable, sim_device_find(NULL), NULL);
}

sim_status sim_engine_open_local(const sim_options *options, sim_engine **out_engine,
                                 kl_error *err) {
    (void)err;
    fake.options = *options;
    return fake_engine_open(out_engine);
}

// Programs of the shim's tests do not call it.
void sim_engine_count(sim_engine *engine, bool counts) {
    (void)engine;
    (void)counts;
}
