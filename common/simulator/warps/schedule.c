// The virtual schedule: which block runs at which place of the order, and in which order the warps
// of a block run. Forward is the order of all counts; the others only serve to find kernels whose
// results depend on it. Random ones are affine permutations i -> (a i + b) mod n; hurried and
// alternating ones differ from forward in when a block, a warp or lanes give way.
#include "warps/job.h"

// splitmix64 (Steele, Lea, Flood 2014), for a and b.
static uint64_t mix(uint64_t x) {
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

static uint64_t divisor(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// Place `i` of a permutation of 0 .. n-1. 128 bits, because n may be close to 2^63.
static uint64_t permute(uint64_t i, uint64_t n, uint64_t seed) {
    uint64_t a = mix(seed) % n, b = mix(seed + 1) % n;
    while (divisor(a, n) != 1) a = (a + 1) % n;
    return (uint64_t)(((unsigned __int128)a * i + b) % n);
}

static uint64_t place(const sim_schedule *schedule, uint64_t i, uint64_t n, uint64_t salt) {
    if (n < 2) return i;
    if (schedule->kind == SIM_SCHEDULE_REVERSE) return n - 1 - i;
    if (schedule->kind != SIM_SCHEDULE_RANDOM) return i;
    return permute(i, n, mix(schedule->seed) + salt);
}

// Of blocks that start together each may be the first; those that do not fit beside them start
// later, as on a card, so that who waits for an earlier block waits for one that has started.
static uint64_t place_together(const sim_grid *grid, uint64_t i, uint64_t n, uint64_t together) {
    if (!grid->resident || together == 0) return place(&grid->schedule, i, n, 0);
    uint64_t first = i - i % together, rest = n - first;
    return first + place(&grid->schedule, i - first, rest < together ? rest : together, 0);
}

uint64_t sim_schedule_block(const sim_grid *grid, uint64_t position) {
    sim_dim3 g = grid->launch->config.grid, c = grid->launch->config.cluster;
    uint64_t blocks = (uint64_t)g.x * g.y * g.z, each = sim_launch_cluster_blocks(grid->launch);
    uint64_t cluster =
        place_together(grid, position / each, blocks / each, grid->launch->resident_blocks / each);
    if (each == 1) return cluster;
    // Blocks of a cluster run side by side, in the order of their ranks.
    uint64_t rank = position % each, wide = g.x / c.x, high = g.y / c.y;
    uint64_t x = cluster % wide * c.x + rank % c.x;
    uint64_t y = cluster / wide % high * c.y + rank / c.x % c.y;
    uint64_t z = cluster / wide / high * c.z + rank / c.x / c.y;
    return (z * g.y + y) * g.x + x;
}

void sim_schedule_warps(sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++)
        block->warp_order[i] =
            (uint8_t)place(&block->grid->schedule, i, block->warp_count, block->index + 1);
}

// Those of its own cluster alternate with it, on the same host thread.
bool sim_block_wait_for_earlier(sim_block *block) {
    sim_job *job = block->worker->job;
    uint64_t first = block->index - block->cluster_rank;
    pthread_mutex_lock(&job->lock);
    for (bool waiting = true; waiting && !sim_job_stopped_before(job, first);) {
        waiting = false;
        for (uint32_t i = 0; i < job->worker_count; i++)
            if (job->workers[i].current < first) waiting = true;
        if (waiting) pthread_cond_wait(&job->progressed, &job->lock);
    }
    pthread_mutex_unlock(&job->lock);
    block->ordered = !sim_job_stopped_before(job, first);
    return block->ordered;
}
