// A launch is made and checked here, once, for the host and for kernels (children.c).
// The rules of a configuration stand in sim_launch_check, which the runtime asks, too, because a
// graph's node is checked when it is added, long before it is launched.
#include "engine/internal.h"

enum {
    ESTIMATED_REGISTERS = 32
}; // without a cubin: what small kernels use; reported as an estimate

// ---- what a kernel asks for ---------------------------------------------------------------------

static uint32_t registers_of(const sim_device *device, const sim_function *function,
                             bool *out_estimated) {
    *out_estimated = false;
    if (device->kernel_registers) return device->kernel_registers;
    *out_estimated = function->cubin_registers == 0;
    return *out_estimated ? ESTIMATED_REGISTERS : function->cubin_registers;
}

// Threads that a block may have: the device's limit, the kernel's own bound, and what its registers
// allow.
static uint32_t most_threads(const sim_device *device, const sim_function *function,
                             uint32_t registers) {
    uint32_t most = device->threads_per_block;
    uint64_t bound = 1;
    for (int i = 0; i < 3; i++) bound *= function->max_threads[i] ? function->max_threads[i] : 1;
    if (function->max_threads[0] && bound < most) most = (uint32_t)bound;
    uint32_t by_registers = device->registers_per_block / (registers ? registers : 1) / 32 * 32;
    return by_registers < most ? by_registers : most;
}

uint32_t inprocess_shared_bytes(const sim_function *function) {
    return function->cubin_registers ? function->cubin_shared_bytes : function->shared_bytes;
}

void inprocess_kernel_needs(const sim_device *device, const inprocess_function *entry,
                            sim_function_info *out_info) {
    const sim_function *function = entry->function;
    const uint32_t *cluster = function->cluster;
    out_info->registers = registers_of(device, function, &out_info->registers_estimated);
    out_info->shared_bytes = inprocess_shared_bytes(function);
    out_info->barriers = function->cubin_barriers;
    out_info->max_threads = most_threads(device, function, out_info->registers);
    out_info->max_dynamic_shared_bytes = entry->max_dynamic_shared_bytes;
    out_info->cluster = (sim_dim3){cluster[0], cluster[1], cluster[2]};
    const uint32_t *threads = function->required_threads;
    out_info->required_threads = (sim_dim3){threads[0], threads[1], threads[2]};
    out_info->most_cluster_blocks = function->most_cluster_blocks;
    out_info->param_bytes = function->entry_param_bytes;
}

// ---- what a configuration may be ----------------------------------------------------------------

static bool outside(sim_dim3 size, uint32_t x, uint32_t y, uint32_t z) {
    return !size.x || !size.y || !size.z || size.x > x || size.y > y || size.z > z;
}

static uint64_t volume(sim_dim3 size) { return (uint64_t)size.x * size.y * size.z; }

sim_dim3 sim_compiled_cluster(sim_dim3 cluster) {
    if (!cluster.x) return (sim_dim3){0, 0, 0};
    return (sim_dim3){cluster.x, cluster.y ? cluster.y : 1, cluster.z ? cluster.z : 1};
}

bool sim_cluster_fits(sim_dim3 cluster, uint32_t most) {
    return !outside(cluster, most, most, most) && volume(cluster) <= most;
}

static bool cluster_is_right(const sim_function_info *kernel, const sim_launch_config *config,
                             uint32_t most) {
    sim_dim3 cluster = config->cluster, grid = config->grid, compiled = kernel->cluster;
    if (compiled.x && (compiled.x != cluster.x || (compiled.y && compiled.y != cluster.y) ||
                       (compiled.z && compiled.z != cluster.z)))
        return false;
    uint32_t bound = kernel->most_cluster_blocks;
    return sim_cluster_fits(cluster, bound && bound < most ? bound : most) &&
           !(grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z);
}

void sim_launch_occupancy(const sim_device *device, const sim_function_info *kernel,
                          const sim_launch_config *config, sim_occupancy *out_occupancy) {
    uint32_t threads = (uint32_t)volume(config->block);
    uint32_t shared = kernel->shared_bytes + config->dynamic_shared_bytes;
    sim_occupancy_compute(device, threads, kernel->registers, shared, out_occupancy);
    sim_occupancy_limit_carve_out(device, threads, shared, config->preferred_shared_bytes,
                                  out_occupancy);
    sim_occupancy_limit_barriers(device, threads, kernel->barriers, out_occupancy);
}

sim_launch_flaw sim_launch_check(const sim_device *device, const sim_function_info *kernel,
                                 const sim_launch_config *config, uint32_t cluster_blocks,
                                 sim_occupancy *out_occupancy) {
    uint64_t threads = volume(config->block);
    memset(out_occupancy, 0, sizeof *out_occupancy);
    if (outside(config->grid, SIM_GRID_MOST_X, SIM_GRID_MOST_YZ, SIM_GRID_MOST_YZ))
        return SIM_FLAW_GRID;
    if (threads > device->threads_per_block) return SIM_FLAW_THREADS;
    if (outside(config->block, SIM_BLOCK_MOST_XY, SIM_BLOCK_MOST_XY, SIM_BLOCK_MOST_Z))
        return SIM_FLAW_BLOCK;
    if (config->dynamic_shared_bytes > kernel->max_dynamic_shared_bytes)
        return SIM_FLAW_DYNAMIC_SHARED;
    sim_launch_occupancy(device, kernel, config, out_occupancy);
    if (out_occupancy->limit_registers == 0) return SIM_FLAW_REGISTERS;
    if (kernel->max_threads && threads > kernel->max_threads) return SIM_FLAW_BOUNDS;
    sim_dim3 needs = kernel->required_threads;
    if (needs.x && (config->block.x != needs.x || config->block.y != (needs.y ? needs.y : 1) ||
                    config->block.z != (needs.z ? needs.z : 1)))
        return SIM_FLAW_REQUIRED;
    if (config->cooperative &&
        volume(config->grid) > (uint64_t)out_occupancy->blocks_per_sm * device->sm_count)
        return SIM_FLAW_COOPERATIVE;
    if (config->cluster.x && !cluster_is_right(kernel, config, cluster_blocks))
        return SIM_FLAW_CLUSTER;
    if (!kernel->registers_estimated && kernel->registers > device->registers_per_thread)
        return SIM_FLAW_THREAD_REGISTERS;
    if (config->cluster.x && !sim_device_has_clusters(device)) return SIM_FLAW_NO_CLUSTERS;
    return SIM_FLAW_NONE;
}

// ---- a launch -----------------------------------------------------------------------------------

// The share of the device that a grid fills, for the overlap of small kernels.
static double share_of(const sim_launch *launch) {
    double capacity = (double)launch->resident_blocks, blocks = (double)sim_launch_blocks(launch);
    return blocks < capacity ? blocks / capacity : 1.0;
}

// Of a flaw in the sizes of grid, blocks and clusters.
static void explain_sizes(const sim_launch *launch, sim_launch_flaw flaw, uint32_t most_threads,
                          bool by_kernel, kl_error *out_why) {
    const sim_device *device = launch->device;
    sim_dim3 g = launch->config.grid, b = launch->config.block, c = launch->config.cluster;
    if (flaw == SIM_FLAW_GRID)
        sim_fail(out_why, SIM_LAUNCH_CONFIG, "a grid of %u x %u x %u blocks", g.x, g.y, g.z);
    else if (flaw == SIM_FLAW_NO_CLUSTERS)
        sim_fail(out_why, SIM_LAUNCH_CONFIG,
                 "clusters of %u x %u x %u blocks: %s, compute capability %u.%u, has no thread "
                 "block clusters; they came with 9.0",
                 c.x, c.y, c.z, device->name, device->compute_major, device->compute_minor);
    else if (flaw == SIM_FLAW_CLUSTER && by_kernel)
        sim_fail(out_why, SIM_LAUNCH_CONFIG,
                 "clusters of %u x %u x %u blocks do not divide the grid", c.x, c.y, c.z);
    else if (flaw == SIM_FLAW_CLUSTER)
        sim_fail(out_why, SIM_LAUNCH_CONFIG,
                 "clusters of %u x %u x %u blocks: a cluster has up to %d and divides the grid of "
                 "%u x %u x %u",
                 c.x, c.y, c.z, SIM_CLUSTER_BLOCKS, g.x, g.y, g.z);
    else if (by_kernel)
        sim_fail(out_why, SIM_LAUNCH_CONFIG,
                 "a block of %u x %u x %u threads: the kernel may have %u", b.x, b.y, b.z,
                 most_threads);
    else
        sim_fail(out_why, SIM_LAUNCH_CONFIG,
                 "a block of %u x %u x %u threads: the device allows %u", b.x, b.y, b.z,
                 device->threads_per_block);
}

// Of a flaw in what the blocks need of an SM.
static void explain_needs(const sim_launch *launch, sim_launch_flaw flaw,
                          const sim_function_info *kernel, kl_error *out_why) {
    const sim_device *device = launch->device;
    unsigned long long threads = sim_launch_threads(launch), blocks = sim_launch_blocks(launch);
    if (flaw == SIM_FLAW_DYNAMIC_SHARED)
        sim_fail(out_why, SIM_INVALID_VALUE,
                 "%u bytes of dynamic shared memory asked for, %u are allowed: raise "
                 "cudaFuncAttributeMaxDynamicSharedMemorySize first",
                 launch->config.dynamic_shared_bytes, kernel->max_dynamic_shared_bytes);
    else if (flaw == SIM_FLAW_REGISTERS)
        sim_fail(out_why, SIM_LAUNCH_RESOURCES,
                 "%llu threads of %u registers need more than the %u registers of a block%s",
                 threads, kernel->registers, device->registers_per_block,
                 sim_device_registers_origin(device));
    else if (flaw == SIM_FLAW_THREAD_REGISTERS)
        sim_fail(out_why, SIM_LAUNCH_RESOURCES, "%u registers per thread: the device allows %u%s",
                 kernel->registers, device->registers_per_thread,
                 sim_device_registers_origin(device));
    else
        sim_fail(out_why, SIM_LAUNCH_RESOURCES,
                 "a cooperative launch of %llu blocks: the device holds %llu at once", blocks,
                 (unsigned long long)launch->resident_blocks);
}

static void explain(const sim_launch *launch, sim_launch_flaw flaw, const sim_function_info *kernel,
                    bool by_kernel, kl_error *out_why) {
    uint32_t most = kernel->max_threads;
    switch (flaw) {
    case SIM_FLAW_NONE: out_why->status = SIM_OK; return;
    case SIM_FLAW_REGISTERS:
        if (by_kernel && sim_launch_threads(launch) > most)
            return explain_sizes(launch, flaw, most, by_kernel, out_why);
        // fall through
    case SIM_FLAW_DYNAMIC_SHARED:
    case SIM_FLAW_THREAD_REGISTERS:
    case SIM_FLAW_COOPERATIVE: return explain_needs(launch, flaw, kernel, out_why);
    default: return explain_sizes(launch, flaw, most, by_kernel, out_why);
    }
}

// What only this executor needs: a kernel that it can run, memory for a block, all parameters.
static void check_executable(const sim_launch *launch, kl_error *out_why) {
    const sim_function *function = launch->function;
    uint32_t dynamic = launch->config.dynamic_shared_bytes;
    uint64_t shared =
        (uint64_t)(dynamic ? function->dynamic_shared_offset : function->shared_bytes) + dynamic;
    if (shared > launch->device->shared_bytes_per_block_optin)
        sim_fail(out_why, SIM_LAUNCH_RESOURCES,
                 "%llu bytes of shared memory per block: the device allows %u",
                 (unsigned long long)shared, launch->device->shared_bytes_per_block_optin);
    else if (launch->param_bytes < function->entry_param_bytes)
        sim_fail(out_why, SIM_INVALID_VALUE, "%u bytes of parameters: %s takes %u",
                 launch->param_bytes, function->name, function->entry_param_bytes);
}

sim_launch_flaw inprocess_admit(const inprocess_engine *engine, const inprocess_function *function,
                                const sim_launch_config *config, const void *params,
                                uint32_t param_bytes, bool by_kernel, sim_launch *out_launch,
                                kl_error *out_why) {
    const sim_device *device = engine->base.device;
    sim_function_info needs;
    inprocess_kernel_needs(device, function, &needs);
    if (!needs.registers_estimated && needs.registers < device->registers_least)
        needs.registers = device->registers_least;
    *out_launch = (sim_launch){.device = device,
                               .program = engine->modules[function->module].program,
                               .function = function->function,
                               .config = *config,
                               .params = params,
                               .param_bytes = param_bytes,
                               .registers = needs.registers,
                               .registers_estimated = needs.registers_estimated,
                               .static_shared_bytes = needs.shared_bytes};
    out_launch->config.device = (uint32_t)(engine->now - engine->devices);
    sim_launch_flaw flaw =
        sim_launch_check(device, &needs, config, SIM_CLUSTER_BLOCKS, &out_launch->occupancy);
    out_launch->resident_blocks = (uint64_t)out_launch->occupancy.blocks_per_sm * device->sm_count;
    out_launch->share = share_of(out_launch);
    out_why->status = SIM_OK;
    if (function->function->refusal)
        sim_fail(out_why, SIM_UNSUPPORTED, "%s cannot run here: %s", function->function->name,
                 function->function->refusal);
    else if (flaw != SIM_FLAW_NONE) explain(out_launch, flaw, &needs, by_kernel, out_why);
    else check_executable(out_launch, out_why);
    if (out_why->status != SIM_OK) out_launch->refusal = out_why;
    return flaw;
}
