// SPDX-License-Identifier: MIT
// The clocks of kernels (timing/kernel_clock) around launches: what the caches leave to a kernel
// that reads clocks, and what other kernels may have left in them.
#include "engine/internal.h"

#include <string.h>

void inprocess_occupancy(const sim_device *device, const sim_function *function,
                         const sim_launch_config *config, uint32_t registers,
                         sim_occupancy *out_occupancy) {
    uint32_t threads = config->block.x * config->block.y * config->block.z;
    uint32_t shared = inprocess_shared_bytes(function) + config->dynamic_shared_bytes;
    sim_occupancy_compute(device, threads, registers, shared, out_occupancy);
    sim_occupancy_limit_carve_out(device, threads, shared, config->preferred_shared_bytes,
                                  out_occupancy);
    sim_occupancy_limit_barriers(device, threads, function->cubin_barriers, out_occupancy);
}

// Allocations that a parameter points into: all of each, for nobody watches. What comes first
// counts as touched last.
static void touch_arguments(inprocess_engine *self, const inprocess_order *order) {
    for (uint32_t word = order->param_bytes / sizeof(uint64_t); word-- > 0;) {
        uint64_t address, at = word * sizeof address;
        memcpy(&address, (const uint8_t *)order->params + at, sizeof address);
        const sim_allocation *found =
            sim_mem_find(self->memory, sim_mem_device(self->memory, address));
        if (found) sim_clocks_touched(self->clocks, found->base, found->bytes);
    }
}

sim_clocks *inprocess_clocks_begin(inprocess_engine *self, const inprocess_order *order) {
    const sim_device *device = self->base.device;
    const sim_function *function = order->function->function;
    const sim_launch_config *config = order->config;
    if (!self->clocks) return NULL;
    bool estimated;
    sim_occupancy occupancy;
    inprocess_occupancy(device, function, config, inprocess_registers(device, function, &estimated),
                        &occupancy);
    sim_cache_launch launch = {.device = device,
                               .blocks_per_sm = occupancy.blocks_per_sm,
                               .shared_bytes_per_block =
                                   inprocess_shared_bytes(function) + config->dynamic_shared_bytes,
                               .preferred_shared_bytes = config->preferred_shared_bytes};
    const sim_program *program = self->modules[order->function->module].program;
    uint64_t blocks = (uint64_t)config->grid.x * config->grid.y * config->grid.z;
    sim_clocks *kept = sim_clocks_begin(self->clocks, program, function, &launch, blocks);
    if (!kept) touch_arguments(self, order);
    return kept;
}
