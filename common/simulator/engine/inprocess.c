// The in-process engine: device memory behind engine.h. Modules are in modules.c, launches in
// launch.c, reports in report.c.
#include "engine/internal.h"
#include "device/device.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

// Warp instructions after which a launch counts as endless, unless the options say otherwise: some
// minutes.
#define DEFAULT_MAX_INSTRUCTIONS UINT64_C(20000000000)

static inprocess_engine *inprocess(sim_engine *engine) { return (inprocess_engine *)engine; }

static void inprocess_close(sim_engine *engine) {
    inprocess_engine *self = inprocess(engine);
    inprocess_held_free(self);
    inprocess_reports_free(self);
    sim_spans_free(&self->spans);
    inprocess_modules_free(self);
    sim_executor_free(self->executor);
    sim_cache_memory_free(self->cache_memory);
    sim_clocks_free(self->clocks);
    sim_checker_free(self->checker);
    sim_mem_delete(self->memory);
    sim_texture_table_free(&self->textures);
    inprocess_device_runtime_free(self);
    for (int i = 0; i < SIM_MOST_DEVICES; i++) {
        sim_l2_before_free(&self->devices[i].recent);
        free(self->devices[i].output.text);
    }
    free(self->conditions);
    free(self->last_writes);
    sim_engine_base_destroy(&self->base);
    free(self);
}

sim_status inprocess_memory_alloc(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                                  kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(sim_mem_alloc(self->memory, bytes, out_address, err));
    if (!self->checker) return SIM_OK;
    return sim_checker_allocated(self->checker, *out_address, true, err);
}

sim_status inprocess_memory_alloc_at(sim_engine *engine, uint64_t address, uint64_t bytes,
                                     kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(sim_mem_alloc_at(self->memory, address, bytes, err));
    if (!self->checker) return SIM_OK;
    return sim_checker_allocated(self->checker, address, true, err);
}

sim_status inprocess_memory_alloc_shared(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                                         kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(sim_mem_alloc_shared(self->memory, bytes, out_address, err));
    if (!self->checker) return SIM_OK;
    TRY(sim_checker_allocated(self->checker, *out_address, true, err));
    sim_checker_written(self->checker, *out_address, bytes); // by the host, for all one can tell
    return SIM_OK;
}

sim_status inprocess_memory_reserve(sim_engine *engine, uint64_t bytes, uint64_t align,
                                    uint64_t wanted, uint64_t *out_address, kl_error *err) {
    return sim_mem_reserve(inprocess(engine)->memory, bytes, align, wanted, out_address, err);
}

sim_status inprocess_memory_pages(sim_engine *engine, uint64_t bytes, uint64_t *out_pages,
                                  kl_error *err) {
    return sim_mem_pages_new(inprocess(engine)->memory, bytes, out_pages, err);
}

sim_status inprocess_memory_map(sim_engine *engine, uint64_t address, uint64_t pages,
                                uint32_t is_fresh, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(sim_mem_map(self->memory, address, pages, err));
    if (self->checker) {
        uint64_t bytes = sim_mem_find(self->memory, address)->bytes;
        TRY(sim_checker_allocated(self->checker, address, true, err));
        if (!is_fresh) sim_checker_written(self->checker, address, bytes);
    }
    return sim_mem_access(self->memory, address, SIM_MEM_INACCESSIBLE, err);
}

sim_status inprocess_memory_access(sim_engine *engine, uint64_t address, uint32_t rights,
                                   kl_error *err) {
    return sim_mem_access(inprocess(engine)->memory, address, (sim_mem_rights)rights, err);
}

sim_status inprocess_condition_set(sim_engine *engine, uint64_t number, uint32_t value,
                                   kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    if (number > self->condition_count) {
        uint32_t *larger = realloc(self->conditions, number * sizeof *larger);
        if (!larger) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a condition");
        memset(larger + self->condition_count, 0,
               (number - self->condition_count) * sizeof *larger);
        self->conditions = larger;
        self->condition_count = number;
    }
    self->conditions[number - 1] = value;
    return SIM_OK;
}

sim_status inprocess_condition_get(sim_engine *engine, uint64_t number, uint32_t *out_value,
                                   kl_error *err) {
    const inprocess_engine *self = inprocess(engine);
    if (number - 1 >= self->condition_count)
        return sim_fail(err, SIM_INVALID_VALUE, "there is no such condition of a graph");
    *out_value = self->conditions[number - 1];
    return SIM_OK;
}

sim_status inprocess_memory_shared_file(sim_engine *engine, uint64_t address, int *out_descriptor,
                                        uint64_t *out_offset, kl_error *err) {
    int file;
    TRY(sim_mem_shared_file(inprocess(engine)->memory, address, &file, out_offset, err));
    *out_descriptor = fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (*out_descriptor >= 0) return SIM_OK;
    return sim_fail(err, SIM_OUT_OF_MEMORY, "no descriptor for shared memory: %s", strerror(errno));
}

// In the caller's own process its pages are at its addresses.
sim_status inprocess_memory_attach(sim_engine *engine, uint64_t address, uint64_t bytes,
                                   bool *out_direct, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    void *pages = self->options.serves_others ? NULL : (void *)(uintptr_t)address;
    *out_direct = pages;
    TRY(sim_mem_attach(self->memory, address, bytes, pages, err));
    if (!self->checker) return SIM_OK;
    uint64_t device = sim_mem_device(self->memory, address);
    return sim_checker_allocated(self->checker, sim_mem_find(self->memory, device)->base, false,
                                 err);
}

sim_status inprocess_memory_detach(sim_engine *engine, uint64_t address, kl_error *err) {
    return sim_mem_detach(inprocess(engine)->memory, address, err);
}

sim_status inprocess_memory_free(sim_engine *engine, uint64_t address, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    kl_error reason;
    const sim_allocation *found = sim_mem_find(self->memory, address);
    if (found && found->given)
        return sim_fail(err, SIM_INVALID_VALUE, "0x%llx is not the program's to free",
                        (unsigned long long)address);
    sim_status status = sim_mem_release(self->memory, address, &reason);
    if (status == SIM_OK) return SIM_OK;
    if (self->checker) sim_checker_bad_free(self->checker, address, reason.text);
    return sim_fail(err, status, "%s", reason.text);
}

sim_status inprocess_memory_write(sim_engine *engine, uint64_t destination, const void *source,
                                  uint64_t bytes, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(sim_mem_write(self->memory, destination, source, bytes, err));
    sim_l2_before_pass(&self->now->recent, bytes);
    if (self->clocks) sim_clocks_touched(self->clocks, destination, bytes);
    inprocess_note_use(self, destination, bytes, true);
    if (self->checker)
        sim_checker_written(self->checker, sim_mem_device(self->memory, destination), bytes);
    return SIM_OK;
}

sim_status inprocess_memory_read(sim_engine *engine, void *destination, uint64_t source,
                                 uint64_t bytes, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(sim_mem_read(self->memory, destination, source, bytes, err));
    inprocess_note_use(self, source, bytes, false);
    if (self->checker) sim_checker_host_read(self->checker, destination, bytes);
    self->host_bytes += bytes;
    return SIM_OK;
}

sim_status inprocess_memory_peek(sim_engine *engine, void *destination, uint64_t source,
                                 uint64_t bytes, bool *out_set, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    uint64_t device = sim_mem_device(self->memory, source);
    *out_set = !self->checker || sim_checker_is_set(self->checker, device, bytes);
    return sim_mem_read(self->memory, destination, source, bytes, err);
}

// What the device copies from and to, and what it fills, is in its L2.
static void note_move(inprocess_engine *self, uint64_t address, uint64_t bytes) {
    sim_l2_before *recent = inprocess_recent(self);
    if (recent && sim_l2_before_prepare(recent, sim_mem_high_water(self->memory)))
        sim_l2_before_fill(recent, sim_mem_device(self->memory, address), bytes);
}

static sim_status copy_row(inprocess_engine *self, uint64_t destination, uint64_t source,
                           uint64_t bytes, kl_error *err) {
    TRY(sim_mem_copy(self->memory, destination, source, bytes, err));
    self->moved_bytes += 2 * bytes;
    inprocess_note_use(self, source, bytes, false);
    inprocess_note_use(self, destination, bytes, true);
    note_move(self, source, bytes);
    note_move(self, destination, bytes);
    if (sim_mem_is_shared(self->memory, destination)) self->host_bytes += bytes;
    if (self->clocks) sim_clocks_touched(self->clocks, destination, bytes);
    if (self->checker)
        sim_checker_copied(self->checker, sim_mem_device(self->memory, destination),
                           sim_mem_device(self->memory, source), bytes);
    return SIM_OK;
}

sim_status inprocess_memory_copy_rows(sim_engine *engine, uint64_t destination, uint64_t to_pitch,
                                      uint64_t source, uint64_t from_pitch, uint64_t bytes,
                                      uint64_t rows, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    for (uint64_t row = 0; row < rows; row++) {
        TRY(copy_row(self, destination + row * to_pitch, source + row * from_pitch, bytes, err));
        if (row == 0) self->moves++;
    }
    return SIM_OK;
}

static sim_status fill_row(inprocess_engine *self, uint64_t destination, uint32_t value,
                           uint32_t width, uint64_t count, kl_error *err) {
    TRY(sim_mem_fill(self->memory, destination, value, width, count, err));
    self->moved_bytes += count * width;
    inprocess_note_use(self, destination, count * width, true);
    note_move(self, destination, count * width);
    if (self->clocks) sim_clocks_touched(self->clocks, destination, count * width);
    if (self->checker)
        sim_checker_written(self->checker, sim_mem_device(self->memory, destination),
                            count * width);
    return SIM_OK;
}

sim_status inprocess_memory_fill_rows(sim_engine *engine, uint64_t destination, uint64_t pitch,
                                      uint32_t value, uint32_t width, uint64_t count, uint64_t rows,
                                      kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    for (uint64_t row = 0; row < rows; row++) {
        TRY(fill_row(self, destination + row * pitch, value, width, count, err));
        if (row == 0) self->moves++;
    }
    return SIM_OK;
}

sim_status inprocess_memory_fill(sim_engine *engine, uint64_t destination, uint32_t value,
                                 uint32_t width, uint64_t count, kl_error *err) {
    return inprocess_memory_fill_rows(engine, destination, 0, value, width, count, 1, err);
}

sim_status inprocess_memory_find(sim_engine *engine, uint64_t address, uint64_t *out_base,
                                 uint64_t *out_bytes, kl_error *err) {
    const sim_allocation *allocation = sim_mem_find(inprocess(engine)->memory, address);
    if (!allocation)
        return sim_fail(err, SIM_INVALID_VALUE, "0x%llx is not inside any allocation",
                        (unsigned long long)address);
    *out_base = allocation->base;
    *out_bytes = allocation->bytes;
    return SIM_OK;
}

sim_status inprocess_device_use(sim_engine *engine, uint32_t device, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    if (device >= self->options.devices)
        return sim_fail(err, SIM_INVALID_VALUE, "there is no device %u", device);
    inprocess_use(self, device);
    return SIM_OK;
}

sim_status inprocess_device_peer(sim_engine *engine, uint32_t device, uint32_t peer, uint32_t may,
                                 kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    uint32_t count = self->options.devices;
    if (device >= count || peer >= count || device == peer)
        return sim_fail(err, SIM_INVALID_VALUE, "device %u is no peer of %u", peer, device);
    sim_mem_peer(self->memory, device, peer, may);
    return SIM_OK;
}

sim_status inprocess_memory_reach(sim_engine *engine, uint64_t address, uint32_t devices,
                                  kl_error *err) {
    (void)err;
    sim_mem_reach(inprocess(engine)->memory, address, (uint8_t)devices);
    return SIM_OK;
}

sim_status inprocess_memory_owner(sim_engine *engine, uint64_t address, uint32_t *out_device,
                                  kl_error *err) {
    const sim_allocation *found = sim_mem_find(inprocess(engine)->memory, address);
    if (!found)
        return sim_fail(err, SIM_INVALID_VALUE, "0x%llx is not inside any allocation",
                        (unsigned long long)address);
    *out_device = found->device;
    return SIM_OK;
}

sim_status inprocess_memory_info(sim_engine *engine, uint64_t *out_free, uint64_t *out_total,
                                 kl_error *err) {
    (void)err;
    sim_mem_info(inprocess(engine)->memory, out_free, out_total);
    return SIM_OK;
}

// The given allocation that holds the range.
static sim_status find_given(inprocess_engine *self, uint64_t address, uint64_t bytes,
                             kl_error *err) {
    const sim_allocation *found = sim_mem_find(self->memory, address);
    if (found && found->given && bytes <= found->bytes - (address - found->base)) return SIM_OK;
    return sim_fail(err, SIM_INVALID_VALUE, "0x%llx is not in memory that was given",
                    (unsigned long long)address);
}

sim_status inprocess_given_alloc(sim_engine *engine, uint64_t bytes, uint64_t *out_address,
                                 kl_error *err) {
    TRY(inprocess_memory_alloc(engine, bytes, out_address, err));
    sim_mem_give(inprocess(engine)->memory, *out_address);
    return SIM_OK;
}

sim_status inprocess_given_free(sim_engine *engine, uint64_t address, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(find_given(self, address, 1, err));
    return sim_mem_release(self->memory, address, err);
}

sim_status inprocess_given_renew(sim_engine *engine, uint64_t address, uint64_t bytes,
                                 kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(find_given(self, address, bytes, err));
    if (sim_mem_writers(self->memory))
        sim_writers_forget(sim_mem_writers(self->memory), address, bytes);
    return SIM_OK;
}

sim_status inprocess_call_begin(sim_engine *engine, uint64_t instructions, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    self->call_left = instructions;
    (void)err;
    if (self->checker) sim_checker_step(self->checker, SIM_STEP_ALL, 0, 0, "");
    if (sim_mem_writers(self->memory)) sim_writers_next_call(sim_mem_writers(self->memory));
    self->host_bytes = self->moves = self->moved_bytes = 0;
    self->call_span = self->spans.count;
    sim_l2_before_forget(&self->now->recent);
    return SIM_OK;
}

sim_status inprocess_span_add(sim_engine *engine, double begin_us, double end_us, uint64_t bytes,
                              uint32_t waits_for, uint32_t call, uint32_t stream, uint64_t rest,
                              const char *text, kl_error *err) {
    sim_span span = {.begin_us = begin_us,
                     .end_us = end_us,
                     .bytes = bytes,
                     .waits_for = waits_for,
                     .call = call,
                     .stream = stream};
    if (!sim_span_unpack(rest, &span)) return sim_fail(err, SIM_INVALID_VALUE, "no such span");
    return sim_spans_add(&inprocess(engine)->spans, &span, text, err);
}

sim_status inprocess_spans_get(sim_engine *engine, sim_spans *out_spans, uint32_t *out_first,
                               kl_error *err) {
    const inprocess_engine *self = inprocess(engine);
    sim_status status = SIM_OK;
    for (uint32_t i = 0; i < self->spans.count && status == SIM_OK; i++)
        status = sim_spans_add(out_spans, &self->spans.items[i], self->spans.items[i].text, err);
    if (status != SIM_OK) sim_spans_free(out_spans);
    else out_spans->lost = self->spans.lost;
    *out_first = self->call_span;
    return status;
}

sim_status inprocess_caches_forget(sim_engine *engine, kl_error *err) {
    (void)err;
    sim_l2_before_forget(&inprocess(engine)->now->recent);
    return SIM_OK;
}

sim_status inprocess_call_end(sim_engine *engine, uint64_t *out_host_bytes, uint64_t *out_moves,
                              uint64_t *out_moved_bytes, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    sim_launch_result ended;
    while (self->held) inprocess_launch_go_on(engine, SIM_WAIT_TO_THE_END, &ended, err);
    if (self->checker) sim_checker_step(self->checker, SIM_STEP_ALL, 0, 0, "");
    *out_host_bytes = self->host_bytes;
    *out_moves = self->moves;
    *out_moved_bytes = self->moved_bytes;
    return SIM_OK;
}

sim_status inprocess_writers_get(sim_engine *engine, uint64_t address, uint64_t bytes,
                                 uint64_t *out_nobody, uint64_t *out_fill, uint64_t *out_host,
                                 uint64_t *out_earlier, uint64_t *out_kernel, kl_error *err) {
    const sim_writers *writers = sim_mem_writers(inprocess(engine)->memory);
    if (!writers) return sim_fail(err, SIM_INVALID_VALUE, "this engine keeps no notes of writers");
    sim_writer_counts counts;
    sim_writers_count(writers, address, bytes, &counts);
    *out_nobody = counts.nobody;
    *out_fill = counts.fill;
    *out_host = counts.host;
    *out_earlier = counts.earlier;
    *out_kernel = counts.kernel;
    return SIM_OK;
}

sim_status inprocess_texture_create(sim_engine *engine, const sim_texture_desc *texture,
                                    uint64_t *out_handle, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    TRY(sim_texture_check(texture, err));
    return sim_texture_add(&self->textures, texture, out_handle, err);
}

sim_status inprocess_texture_destroy(sim_engine *engine, uint64_t handle, kl_error *err) {
    return sim_texture_remove(&inprocess(engine)->textures, handle, err);
}

sim_status inprocess_limit_set(sim_engine *engine, sim_limit limit, uint64_t bytes, kl_error *err) {
    enum { MAX_STACK_BYTES = 512 << 10, MAX_PENDING = 1 << 20 }; // a device's most; enough
    inprocess_engine *self = inprocess(engine);
    switch (limit) {
    case SIM_LIMIT_STACK:
        self->now->stack_bytes = bytes < MAX_STACK_BYTES ? (uint32_t)bytes : MAX_STACK_BYTES;
        return SIM_OK;
    case SIM_LIMIT_PENDING_LAUNCHES:
        self->now->pending_launches = bytes < MAX_PENDING ? (uint32_t)bytes : MAX_PENDING;
        return SIM_OK;
    case SIM_LIMIT_INSTRUCTIONS: self->instructions_left = bytes; return SIM_OK;
    case SIM_LIMIT_OUTPUT: self->now->output.cap_bytes = bytes; return SIM_OK;
    default:
        if (sim_mem_set_heap_bytes(self->memory, bytes)) return SIM_OK;
        return sim_fail(err, SIM_INVALID_VALUE,
                        "the heap of kernels exists already: set its size before the first launch "
                        "that calls malloc");
    }
}

sim_status inprocess_take_output(sim_engine *engine, char **out_text, kl_error *err) {
    inprocess_engine *self = inprocess(engine);
    char *text = self->now->output.text ? self->now->output.text : calloc(1, 1);
    if (!text) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the kernel's output");
    self->now->output = (sim_output){.cap_bytes = self->now->output.cap_bytes};
    self->now->said_ring_is_full = false;
    self->host_bytes += strlen(text);
    *out_text = text;
    return SIM_OK;
}

static const sim_engine_vtable inprocess_vtable = {
    .close = inprocess_close,
#define SIM_CALL(id, call, way, who) .call = inprocess_##call,
#include "engine/calls.def"
#undef SIM_CALL
};

void sim_engine_count(sim_engine *engine, bool counts) {
    if (engine->vtable != &inprocess_vtable || !inprocess(engine)->counts) return;
    pthread_mutex_lock(&engine->lock);
    inprocess(engine)->options.mode = counts ? SIM_MODE_COUNT : SIM_MODE_FUNCTIONAL;
    pthread_mutex_unlock(&engine->lock);
}

// Of each device: three quarters of what is free now together, and never more than the device has.
// Under a limit on
// address space (ulimit -v) an eighth of that: the memory's span is up to twice as large, its notes
// as well.
static uint64_t default_memory(const sim_device *device, uint32_t devices) {
    uint64_t pages = (uint64_t)sysconf(_SC_AVPHYS_PAGES);
    uint64_t bytes = pages * (uint64_t)sysconf(_SC_PAGESIZE) / 4 * 3;
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY &&
        bytes > space.rlim_cur / 8)
        bytes = space.rlim_cur / 8;
    bytes /= devices;
    return bytes < device->memory_bytes ? bytes : device->memory_bytes;
}

sim_status sim_engine_open_local(const sim_options *options, sim_engine **out_engine,
                                 kl_error *err) {
    const sim_device *device;
    TRY(sim_device_open(options->device, &device, err));
    if (options->devices > SIM_MOST_DEVICES)
        return sim_fail(err, SIM_INVALID_VALUE, "%u devices: there are 1 to %d", options->devices,
                        SIM_MOST_DEVICES);
    inprocess_engine *self = calloc(1, sizeof *self);
    if (!self) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the engine");
    self->options = *options;
    self->counts = options->mode == SIM_MODE_COUNT;
    self->options.device = device->id;
    if (!options->devices) self->options.devices = 1;
    if (!self->options.memory_bytes)
        self->options.memory_bytes = default_memory(device, self->options.devices);
    self->now = self->devices;
    for (uint32_t i = 0; i < self->options.devices; i++) {
        inprocess_device *each = &self->devices[i];
        if (sim_device_has_sm_model(device)) sim_cache_l2_begin(device, &each->recent);
        each->stack_bytes = 1024;      // cudaLimitStackSize's default
        each->pending_launches = 2048; // cudaLimitDevRuntimePendingLaunchCount's
    }
    if (!self->options.max_instructions) self->options.max_instructions = DEFAULT_MAX_INSTRUCTIONS;
    sim_status status = sim_engine_base_init(&self->base, &inprocess_vtable, device, err);
    if (status != SIM_OK) {
        free(self);
        return status;
    }
    status = sim_mem_new(self->options.memory_bytes, &self->memory, err);
    if (status == SIM_OK)
        status = sim_executor_new(options->debugger ? 1 : options->threads, &self->executor, err);
    if (status == SIM_OK && options->judged && options->mode == SIM_MODE_COUNT)
        status = sim_mem_keep_writers(self->memory, err);
    bool checks = options->mode == SIM_MODE_CHECK;
    if (status == SIM_OK && (checks || options->judged || options->guarded))
        sim_mem_guard(self->memory, checks ? SIM_GUARD_WIDE : SIM_GUARD_UNIT);
    if (status == SIM_OK && options->mode == SIM_MODE_CHECK)
        status = sim_checker_new(self->memory, options->most_elements, &self->checker, err);
    if (status != SIM_OK) {
        inprocess_close(&self->base);
        return status;
    }
    self->base.device_count = self->options.devices;
    *out_engine = &self->base;
    return SIM_OK;
}
