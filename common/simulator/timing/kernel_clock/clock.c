// The time of a device from launch to launch, and of the places of its blocks: see kernel_clock.h.
#include "timing/kernel_clock/internal.h"

sim_clocks *sim_clocks_new(const sim_device *device) {
    sim_clocks *clocks = calloc(1, sizeof *clocks);
    if (!clocks) return NULL;
    clocks->device = device;
    if (caches_begin(&clocks->caches, device)) return clocks;
    sim_clocks_free(clocks);
    return NULL;
}

void sim_clocks_free(sim_clocks *clocks) {
    if (!clocks) return;
    caches_end(&clocks->caches);
    free(clocks->place_free);
    free(clocks);
}

// Registers of the functions that keep time.
static uint32_t most_registers(const sim_program *program) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < program->function_count; i++) {
        const struct sim_clock_code *code = program->functions[i].bound->clock;
        if (code && code->registers > most) most = code->registers;
    }
    return most;
}

sim_clocks *sim_clocks_begin(sim_clocks *clocks, const sim_launch *launch) {
    const struct sim_clock_code *code = launch->function->bound->clock;
    uint32_t sms = clocks->device->sm_count;
    clocks->keeps = false;
    if (!code || !code->reads) return NULL;
    uint64_t each = (sim_launch_blocks(launch) + sms - 1) / sms;
    uint32_t resident = launch->occupancy.blocks_per_sm;
    if (each < resident) resident = (uint32_t)each;
    if (resident == 0) resident = 1;
    free(clocks->place_free);
    clocks->places = resident;
    clocks->place_free = calloc((size_t)sms * clocks->places, sizeof *clocks->place_free);
    if (!clocks->place_free) return NULL;
    caches_launch(&clocks->caches, sim_cache_l1_bytes(launch, resident));
    clocks->registers = most_registers(launch->program);
    clocks->cluster = (clock_barrier){.phase = 0};
    clocks->serial++;
    clocks->keeps = true;
    return clocks;
}

void sim_clocks_end(sim_clocks *clocks, double us) {
    double end = clocks->now + us * clocks->device->clock_mhz;
    size_t places = clocks->keeps ? (size_t)clocks->device->sm_count * clocks->places : 0;
    if (places) end = clocks->now;
    for (size_t i = 0; i < places; i++)
        if (clocks->place_free[i] > end) end = clocks->place_free[i];
    clocks->now = (double)(uint64_t)end + 1;
    clocks->keeps = false;
}

void sim_clocks_touched(sim_clocks *clocks, uint64_t address, uint64_t bytes) {
    caches_touched(&clocks->caches, address, bytes);
}

// ---- A block ----

static bool reserve(sim_block *block, uint32_t registers) {
    clock_block *own = block->clock;
    if (own && own->warps >= block->warp_count && own->registers >= registers) return true;
    size_t bytes = sizeof *own + block->warp_count * sizeof *own->of;
    free(block->clock);
    block->clock = own = malloc(bytes + (size_t)block->warp_count * registers * sizeof(double));
    if (!own) return false;
    own->warps = block->warp_count;
    own->registers = registers;
    return true;
}

// The place on its SM that is free first.
static double *place_of(const sim_clocks *clocks, uint64_t index) {
    double *of_sm = clocks->place_free + index % clocks->device->sm_count * clocks->places;
    double *first = of_sm;
    for (uint32_t i = 1; i < clocks->places; i++)
        if (of_sm[i] < *first) first = &of_sm[i];
    return first;
}

static clock_block *begin_block(sim_clocks *clocks, sim_block *block) {
    if (!reserve(block, clocks->registers)) return NULL;
    clock_block *own = block->clock;
    double *registers = (double *)&own->of[own->warps];
    own->clocks = clocks;
    own->launch = clocks->serial;
    own->serial = block->serial;
    own->place = place_of(clocks, block->index);
    double free_from = *own->place > clocks->now ? *own->place : clocks->now;
    own->begin = free_from + machine_constant.block_start;
    memset(own->barriers, 0, sizeof own->barriers);
    memset(own->constants, 0, sizeof own->constants);
    memset(own->bulk, 0, sizeof own->bulk);
    memset(own->tensor, 0, sizeof own->tensor);
    own->shared = block->warp_count > 1;
    if (own->shared) clock_units_begin(&own->units, clocks->device);
    own->bulk_next = 0;
    own->bulk_free = own->begin;
    for (uint32_t i = 0; i < own->warps; i++)
        own->of[i] = (clock_warp){.now = own->begin,
                                  .order = own->begin,
                                  .barrier = UINT8_MAX,
                                  .next = UINT32_MAX,
                                  .ready = registers + (size_t)i * own->registers};
    return own;
}

clock_warp *clock_warp_of(sim_warp *warp, clock_block **out_block) {
    sim_block *block = warp->block;
    sim_clocks *clocks = block->grid->clocks;
    if (!clocks) return NULL;
    clock_block *own = block->clock;
    if (!own || own->clocks != clocks || own->launch != clocks->serial ||
        own->serial != block->serial)
        own = begin_block(clocks, block);
    *out_block = own;
    return own ? &own->of[warp->index] : NULL;
}
