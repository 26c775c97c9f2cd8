// What the in-process engine hands on to its checks.
#include "engine/internal.h"

sim_status inprocess_check_unchecked_launch(sim_engine *engine, sim_function_handle handle,
                                            const char *text, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    const inprocess_function *function = inprocess_function_of(self, handle);
    if (!function) return sim_fail(err, SIM_INVALID_HANDLE, "no such kernel: %u", handle);
    if (self->checker)
        sim_checker_unchecked_launch(self->checker, self->modules[function->module].program,
                                     function->function, text);
    return SIM_OK;
}

sim_status inprocess_check_host_finding(sim_engine *engine, uint32_t kind, const char *text,
                                        kl_error *err) {
    (void)err;
    sim_checker *checker = ((inprocess_engine *)engine)->checker;
    if (checker) sim_checker_host_finding(checker, (sim_check_class)kind, text);
    return SIM_OK;
}

sim_status inprocess_check_unset(sim_engine *engine, uint64_t address, uint64_t bytes,
                                 uint64_t pitch, uint64_t *out_unset_bytes, uint64_t *out_first,
                                 kl_error *err) {
    (void)err;
    *out_unset_bytes = *out_first = 0;
    const sim_checker *checker = ((inprocess_engine *)engine)->checker;
    if (checker) *out_unset_bytes = sim_checker_unset(checker, address, bytes, pitch, out_first);
    return SIM_OK;
}

sim_status inprocess_check_library_findings(sim_engine *engine, uint32_t *out_count,
                                            kl_error *err) {
    (void)err;
    sim_checker *checker = ((inprocess_engine *)engine)->checker;
    *out_count = checker ? sim_checker_library_findings(checker, NULL) : 0;
    return SIM_OK;
}

sim_status inprocess_check_called_at(sim_engine *engine, const char *text, kl_error *err) {
    (void)err;
    sim_checker *checker = ((inprocess_engine *)engine)->checker;
    if (checker) sim_checker_library_findings(checker, text);
    return SIM_OK;
}

sim_status inprocess_check_order(sim_engine *engine, uint32_t step, sim_queue queue,
                                 sim_queue other, const char *text, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    (void)err;
    if (self->checker) sim_checker_step(self->checker, (sim_order_step)step, queue, other, text);
    return SIM_OK;
}

sim_status inprocess_check_uses(sim_engine *engine, uint64_t address, uint64_t bytes,
                                uint32_t writes, kl_error *err) {
    (void)err;
    inprocess_note_use((inprocess_engine *)engine, address, bytes, writes);
    return SIM_OK;
}

// Attached memory has another address in the device, and the answer is in that of the program.
sim_status inprocess_check_in_progress(sim_engine *engine, uint64_t address, uint64_t bytes,
                                       uint64_t *out_first, uint64_t *out_run_bytes,
                                       uint32_t *out_use, kl_error *err) {
    const inprocess_engine *self = (inprocess_engine *)engine;
    uint64_t device = sim_mem_device(self->memory, address);
    (void)err;
    *out_first = *out_run_bytes = *out_use = 0;
    if (!self->checker) return SIM_OK;
    sim_checker_in_progress(self->checker, device, bytes, out_first, out_run_bytes, out_use);
    *out_first += address - device;
    return SIM_OK;
}

sim_status inprocess_check_host_access(sim_engine *engine, uint64_t address, uint32_t writes,
                                       const char *text, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    (void)err;
    if (self->checker)
        sim_checker_host_access(self->checker, sim_mem_device(self->memory, address), writes, text);
    return SIM_OK;
}

sim_status inprocess_check_report_get(sim_engine *engine, sim_check_report **out_report,
                                      kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    if (self->checker) return sim_checker_report(self->checker, out_report, err);
    return sim_fail(err, SIM_INVALID_VALUE, "this engine does not check");
}

// ---- which thread wrote each byte of a short range last -----------------------------------------
// For people who look at a wrong value (sim_writes_watch): an observer of the launches, which notes
// their stores and atomics.

enum { WATCHED_BYTES = 1 << 16 };

// The last thread at one byte; zeros: none.
typedef struct last_write {
    uint64_t block;  // as in sim_last_write_get
    uint32_t thread; // likewise
    bool written;    // by some thread
} last_write;

struct inprocess_last_writes {
    sim_observer observer;
    const sim_grid *grid;         // that runs
    uint64_t first, bytes;        // the range, as device addresses
    last_write at[WATCHED_BYTES]; // by byte of the range
};

static void note(inprocess_last_writes *writes, const sim_access_event *event, uint32_t lane) {
    const sim_launch_config *config = &writes->grid->launch->config;
    uint64_t from = sim_access_address(event, lane), end = from + event->bytes;
    uint64_t last = writes->first + writes->bytes;
    sim_dim3 block = sim_unfold(sim_schedule_block(writes->grid, event->block), config->grid);
    sim_dim3 thread = sim_unfold(event->warp * SIM_WARP_LANES + lane, config->block);
    const last_write now = {.block = block.x | (uint64_t)block.y << 32 | (uint64_t)block.z << 48,
                            .thread = thread.x | thread.y << 10 | thread.z << 20,
                            .written = true};
    from = from < writes->first ? writes->first : from;
    for (; from < end && from < last; from++) writes->at[from - writes->first] = now;
}

static void on_access(void *context, const sim_access_event *event) {
    bool writes = event->kind == SIM_ACCESS_WRITE || event->kind == SIM_ACCESS_ATOMIC;
    if (!writes || event->space != PTX_SPACE_GLOBAL) return;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
        if (event->lanes >> lane & 1) note(context, event, lane);
}

const sim_observer *inprocess_write_observer(const inprocess_engine *engine, const sim_grid *grid) {
    if (!engine->last_writes) return NULL;
    engine->last_writes->grid = grid;
    return &engine->last_writes->observer;
}

sim_status inprocess_writes_watch(sim_engine *engine, uint64_t address, uint64_t bytes,
                                  kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    free(self->last_writes);
    self->last_writes = NULL;
    if (bytes == 0 || self->checker) return SIM_OK;
    inprocess_last_writes *writes = calloc(1, sizeof *writes);
    if (!writes) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the notes of writes");
    writes->observer = (sim_observer){.context = writes, .access = on_access};
    writes->first = sim_mem_device(self->memory, address);
    writes->bytes = bytes < WATCHED_BYTES ? bytes : WATCHED_BYTES;
    self->last_writes = writes;
    return SIM_OK;
}

sim_status inprocess_last_write_get(sim_engine *engine, uint64_t address, bool *out_written,
                                    uint64_t *out_block, uint32_t *out_thread, kl_error *err) {
    const inprocess_engine *self = (const inprocess_engine *)engine;
    const inprocess_last_writes *writes = self->last_writes;
    uint64_t at = writes ? sim_mem_device(self->memory, address) - writes->first : 0;
    if (!writes || at >= writes->bytes)
        return sim_fail(err, SIM_INVALID_VALUE, "nobody watches who writes there");
    *out_written = writes->at[at].written;
    *out_block = writes->at[at].block;
    *out_thread = writes->at[at].thread;
    return SIM_OK;
}
