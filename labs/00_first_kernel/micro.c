// The program of lab 00's micro-ladders (`ladder run first_kernel --micro`): branches, addresses in
// constant memory, the carve-out, as data.
#include "reference.h"

#include "program.h"

static int many_blocks(const kl_micro *m) {
    return m->device.multiprocessors * (m->device.simulated ? 8 : 32);
}

// Conditions of the first ladder: granularity and number of paths.
static const struct {
    int granularity, paths;
} conditions[] = {{0, 1}, {1, 2}, {32, 2}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}};
static const char *const condition_labels[] = {"none",  "t > 2", "t / 32 > 2", "t % 2",
                                               "t % 4", "t % 8", "t % 16",     "t % 32"};
enum { CONDITIONS = sizeof conditions / sizeof conditions[0] };

static int call_paths(const kl_micro *m, int at) {
    return micro_paths(conditions[at].granularity, conditions[at].paths, many_blocks(m), m->d_sink);
}

static const char *const address_labels[] = {"1", "2", "4", "8", "16", "32"};
enum { LAST_ADDRESSES = 5 }; // 2^5 is a warp

static int call_constant(const kl_micro *m, int log2_addresses) {
    return micro_constant(1 << log2_addresses, many_blocks(m), m->d_sink);
}

static int call_shared(const kl_micro *m, int log2_addresses) {
    return micro_shared(1 << log2_addresses, many_blocks(m), m->d_sink);
}

static const char *const percent_labels[] = {"0 %", "25 %", "50 %", "75 %", "100 %"};

static int call_carve(const kl_micro *m, int at) {
    return micro_carve(m->d_x, 25 * at, m->device.multiprocessors, m->d_sink);
}

static double carve_bytes(const kl_micro *m, int at) {
    (void)at;
    return (double)m->device.multiprocessors * MICRO_CARVE_BYTES * MICRO_CARVE_ROUNDS;
}

static size_t input_bytes(const kl_device *device) {
    return (size_t)device->multiprocessors * MICRO_CARVE_BYTES;
}

static const kl_micro_sweep sweeps[] = {
    {"branch", "branch: which threads take the other path", "condition", 0, CONDITIONS - 1,
     condition_labels, "active threads, %", "smsp__thread_inst_executed_pred_on.sum",
     "smsp__inst_executed.sum", 100.0 / 32, call_paths, NULL},
    {"constant", "constant memory: different addresses per request", "addresses", 0, LAST_ADDRESSES,
     address_labels, "accesses/request", "sim__constant_ld_turns.sum",
     "sim__constant_ld_requests.sum", 1, call_constant, NULL},
    {"shared", "shared memory: different addresses per request", "addresses", 0, LAST_ADDRESSES,
     address_labels, "wavefronts/request", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "sim__shared_ld_requests.sum", 1, call_shared, NULL},
    {"carveout", "cache: share preferred for shared memory, while 96 KiB per SM are read 16 times",
     "preferred", 0, 4, percent_labels, "L1 hits, %",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 100, call_carve, carve_bytes},
};

int main(int argc, char **argv) {
    static const kl_micro_lab lab = {"first_kernel", "00_first_kernel", sweeps,
                                     sizeof sweeps / sizeof sweeps[0], input_bytes};
    return kl_micro_main(argc, argv, &lab);
}
