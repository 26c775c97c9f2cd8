// Device rows and the occupancy calculation (CUDA C++ Programming Guide, "Compute Capabilities";
// the allocation rules are those of NVIDIA's occupancy calculator, and of cuda_occupancy.h from
// compute capability 3.0 on, to which a test holds them).
#include "device/device.h"
#include <string.h>

static const sim_device devices[] = {
#define SIM_DEVICE(identifier, ...) {.id = #identifier, __VA_ARGS__},
#include "device/devices.def"
#undef SIM_DEVICE
};

// Each with a comma before it.
static const char names[] =
#define SIM_DEVICE(identifier, ...) ", " #identifier
#include "device/devices.def"
#undef SIM_DEVICE
    ;

enum { WARP_THREADS = 32 };

const sim_device *sim_device_find(const char *id) {
    if (!id) return &devices[0];
    for (uint32_t i = 0; i < sizeof devices / sizeof devices[0]; i++)
        if (!strcmp(devices[i].id, id)) return &devices[i];
    return NULL;
}

bool sim_device_is_older(const sim_device *device) {
    return device->coalescing != SIM_COALESCE_SECTORS || device->shared_lanes != 32 ||
           device->shared_banks != 32 || device->bank_bytes != 4;
}

const char *sim_device_names(void) { return names + strlen(", "); }

static uint32_t round_up(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

static uint32_t minimum(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Since compute capability 2.0 registers go to warps in units, and each scheduler owns a part of
// the file: so many warps have registers at once as are a multiple of the schedulers. 70 registers
// x 32 lanes = 2240 -> 2304 a warp; 65536 / 2304 = 28 warps per SM; blocks of 8 warps: 3. Before, a
// block got them as a whole: 11 registers x 256 threads = 2816; 8192 / 2816 = 2 blocks.
static uint32_t blocks_by_registers(const sim_device *device, uint32_t warps, uint32_t registers) {
    if (registers == 0) return device->blocks_per_sm;
    if (registers > device->registers_per_thread) return 0;
    if (device->registers_by_block) {
        uint32_t lanes = round_up(warps, device->register_warps) * WARP_THREADS;
        return device->registers_per_sm / round_up(registers * lanes, device->register_unit);
    }
    uint32_t per_warp = round_up(registers * WARP_THREADS, device->register_unit);
    uint32_t fit = device->registers_per_sm / per_warp;
    return fit / device->register_warps * device->register_warps / warps;
}

static uint32_t blocks_by_shared(const sim_device *device, uint32_t shared_bytes) {
    uint32_t need = round_up(shared_bytes + device->shared_reserved_bytes, device->shared_unit);
    if (shared_bytes > device->shared_bytes_per_block_optin) return 0;
    return need == 0 ? device->blocks_per_sm : device->shared_bytes_per_sm / need;
}

static void set_blocks(const sim_device *device, uint32_t warps, uint32_t blocks,
                       sim_occupancy *occupancy) {
    occupancy->blocks_per_sm = blocks;
    occupancy->warps_per_sm = blocks * warps;
    occupancy->fraction = (double)occupancy->warps_per_sm / device->warps_per_sm;
}

uint32_t sim_blocks_by_threads(const sim_device *device, uint64_t threads) {
    uint64_t warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    uint64_t most = device->warps_per_sm / (warps ? warps : 1);
    return most < device->blocks_per_sm ? (uint32_t)most : device->blocks_per_sm;
}

void sim_occupancy_compute(const sim_device *device, uint32_t threads, uint32_t registers,
                           uint32_t shared_bytes, sim_occupancy *out_occupancy) {
    sim_occupancy result = {0};
    if (threads > 0 && threads <= device->threads_per_block) {
        uint32_t warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
        result.limit_blocks = device->blocks_per_sm;
        result.limit_warps = device->warps_per_sm / warps;
        result.limit_registers = blocks_by_registers(device, warps, registers);
        result.limit_shared = blocks_by_shared(device, shared_bytes);
        uint32_t blocks = minimum(minimum(result.limit_blocks, result.limit_warps),
                                  minimum(result.limit_registers, result.limit_shared));
        set_blocks(device, warps, blocks, &result);
        result.limiter = blocks == result.limit_warps       ? SIM_LIMITER_WARPS
                         : blocks == result.limit_registers ? SIM_LIMITER_REGISTERS
                         : blocks == result.limit_shared    ? SIM_LIMITER_SHARED
                                                            : SIM_LIMITER_BLOCKS;
    }
    *out_occupancy = result;
}

// As an H200 answers (docs/validation.md): a cluster runs within a GPC that has as many SMs as it
// has blocks. A device whose GPCs are not known, or have more SMs than it: what its SMs hold.
uint32_t sim_active_clusters(const sim_device *device, uint32_t blocks_per_sm,
                             uint32_t cluster_blocks) {
    const uint16_t *sms = device->gpc_sms.at;
    uint32_t all = blocks_per_sm * device->sm_count / cluster_blocks, within = 0;
    uint32_t in_gpcs = 0;
    for (int i = 0; i < SIM_SIZES && sms[i]; i++) {
        in_gpcs += sms[i];
        if (sms[i] >= cluster_blocks) within += blocks_per_sm * sms[i] / cluster_blocks;
    }
    bool known = in_gpcs && in_gpcs <= device->sm_count;
    return known && cluster_blocks > 2 ? within : all;
}

uint32_t sim_carve_out(const sim_device *device, uint32_t bytes) {
    const uint16_t *kib = device->carve_out_kib.at;
    for (int i = 0; i < SIM_SIZES && kib[i]; i++)
        if (kib[i] * 1024u >= bytes) return kib[i] * 1024u;
    return device->shared_bytes_per_sm;
}

uint32_t sim_preferred_shared(const sim_device *device, int percent) {
    if (percent < 0) return 0;
    uint32_t bytes = (uint32_t)((uint64_t)device->shared_bytes_per_sm * (uint32_t)percent / 100);
    return bytes ? bytes : 1; // none is a preference too: for the smallest carve-out
}

void sim_occupancy_limit_carve_out(const sim_device *device, uint32_t threads,
                                   uint32_t shared_bytes, uint32_t preferred_bytes,
                                   sim_occupancy *occupancy) {
    if (!preferred_bytes || !occupancy->blocks_per_sm) return;
    uint32_t need = round_up(shared_bytes + device->shared_reserved_bytes, device->shared_unit);
    uint32_t carve_out = sim_carve_out(device, preferred_bytes > need ? preferred_bytes : need);
    occupancy->limit_shared = carve_out / need;
    if (occupancy->limit_shared >= occupancy->blocks_per_sm) return;
    set_blocks(device, (threads + WARP_THREADS - 1) / WARP_THREADS, occupancy->limit_shared,
               occupancy);
    occupancy->limiter = SIM_LIMITER_SHARED;
}

void sim_occupancy_limit_barriers(const sim_device *device, uint32_t threads, uint32_t barriers,
                                  sim_occupancy *occupancy) {
    if (!barriers) return;
    occupancy->limit_barriers = device->barriers_per_sm / barriers;
    if (occupancy->limit_barriers >= occupancy->blocks_per_sm) return;
    set_blocks(device, (threads + WARP_THREADS - 1) / WARP_THREADS, occupancy->limit_barriers,
               occupancy);
    occupancy->limiter = SIM_LIMITER_BARRIERS;
}

double sim_device_moves_us(const sim_device *device, uint64_t moves, uint64_t bytes) {
    return (double)moves * device->kernel_us + (double)bytes / (device->copy_gbs * 1e3);
}

const char *sim_limiter_name(sim_limiter limiter) {
    switch (limiter) {
    case SIM_LIMITER_WARPS: return "warps";
    case SIM_LIMITER_BLOCKS: return "blocks";
    case SIM_LIMITER_REGISTERS: return "registers";
    case SIM_LIMITER_SHARED: return "shared memory";
    case SIM_LIMITER_BARRIERS: return "barriers";
    }
    return "?";
}

// ---- features -----------------------------------------------------------------------------------

static const struct {
    uint32_t major, minor;
    const char *what;
} rows[] = {
#define SIM_FEATURE(id, major, minor, what) {major, minor, what},
#include "device/features.def"
#undef SIM_FEATURE
};

_Static_assert(SIM_FEATURE_COUNT <= 32, "a bit for each feature");

static bool is_before(const sim_device *device, uint32_t major, uint32_t minor) {
    return device->compute_major < major ||
           (device->compute_major == major && device->compute_minor < minor);
}

uint32_t sim_device_lacks(const sim_device *device, uint32_t features) {
    uint32_t lacking = 0;
    for (uint32_t i = 0; i < SIM_FEATURE_COUNT; i++)
        if (features >> i & 1 && is_before(device, rows[i].major, rows[i].minor))
            lacking |= UINT32_C(1) << i;
    return lacking;
}

const char *sim_feature_text(sim_feature feature, uint32_t *out_major, uint32_t *out_minor) {
    *out_major = rows[feature].major;
    *out_minor = rows[feature].minor;
    return rows[feature].what;
}

bool sim_device_has_clusters(const sim_device *device) { return !is_before(device, 9, 0); }

bool sim_device_is_foreign(const sim_device *device) {
    return device->compute_major != SIM_COMPILED_MAJOR ||
           device->compute_minor != SIM_COMPILED_MINOR;
}

bool sim_device_has_sm_model(const sim_device *device) {
    return !sim_device_is_foreign(device) && device->l1_caches_global && device->l2_gbs > 0 &&
           device->l1_and_shared_bytes > 0;
}

const char *sim_device_registers_origin(const sim_device *device) {
    if (!sim_device_is_foreign(device) || device->kernel_registers) return "";
    return "; they are those of machine code for compute capability 9.0: a file for --device may "
           "set kernel_registers";
}
