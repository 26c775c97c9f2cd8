// Which thread wrote each byte of a short range last (sim_writes_watch), for people who look at a
// wrong value: an observer of the launches, which notes their stores and atomics.
#include "engine/internal.h"

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
