// Frames of registers and local memory of a warp. Filling immediates and special registers costs
// more than a small kernel, so frames are kept: constants are written once a program, launch-wide
// specials once per launch and block coordinates once per block. Registers start in every
// call with values of their own, so that no result depends on which host thread ran what before:
// conspicuous ones where a thread may read what nothing has written, else 0.
#include "warps/block.h"
#include "warps/split.h"

static uint32_t lane_special(const sim_warp *warp, uint8_t id, uint32_t lane) {
    const sim_dim3 *size = &warp->block->grid->launch->config.block;
    uint32_t thread = warp->index * SIM_WARP_LANES + lane;
    switch (id) {
    case SIM_SPECIAL_TID_X: return thread % size->x;
    case SIM_SPECIAL_TID_Y: return thread / size->x % size->y;
    case SIM_SPECIAL_TID_Z: return thread / size->x / size->y;
    case SIM_SPECIAL_LANEID: return lane;
    case SIM_SPECIAL_LANEMASK_EQ: return 1u << lane;
    case SIM_SPECIAL_LANEMASK_LT: return (1u << lane) - 1;
    case SIM_SPECIAL_LANEMASK_LE: return ((1u << lane) - 1) | 1u << lane;
    case SIM_SPECIAL_LANEMASK_GE: return ~((1u << lane) - 1);
    default: return ~(((1u << lane) - 1) | 1u << lane); // LANEMASK_GT
    }
}

static bool differs_by_lane(uint8_t id) {
    return id <= SIM_SPECIAL_TID_Z || id == SIM_SPECIAL_LANEID ||
           (id >= SIM_SPECIAL_LANEMASK_EQ && id <= SIM_SPECIAL_LANEMASK_GT);
}

// Static and dynamic shared memory of a block, as the machine code lays it out.
static uint32_t own_shared(const sim_grid *grid) {
    return grid->launch->static_shared_bytes + grid->launch->config.dynamic_shared_bytes;
}

// Bytes of the reserved shared memory that an H200 says to use.
enum { RESERVED_IN_USE = 288 };

static uint64_t uniform_special(const sim_warp *warp, uint8_t id) {
    const sim_block *block = warp->block;
    const sim_grid *grid = block->grid;
    const sim_device *device = grid->launch->device;
    const sim_launch_config *config = &grid->launch->config;
    const sim_dim3 cluster = config->cluster.x ? config->cluster : (sim_dim3){1, 1, 1};
    const uint32_t unit = device->shared_unit ? device->shared_unit : 1;
    switch (id) {
    case SIM_SPECIAL_NTID_X: return config->block.x;
    case SIM_SPECIAL_NTID_Y: return config->block.y;
    case SIM_SPECIAL_NTID_Z: return config->block.z;
    case SIM_SPECIAL_CTAID_X: return block->id.x;
    case SIM_SPECIAL_CTAID_Y: return block->id.y;
    case SIM_SPECIAL_CTAID_Z: return block->id.z;
    case SIM_SPECIAL_NCTAID_X: return config->grid.x;
    case SIM_SPECIAL_NCTAID_Y: return config->grid.y;
    case SIM_SPECIAL_NCTAID_Z: return config->grid.z;
    case SIM_SPECIAL_WARPID: return warp->index;
    case SIM_SPECIAL_NWARPID: return device->warps_per_sm;
    case SIM_SPECIAL_SMID: return block->index % device->sm_count;
    case SIM_SPECIAL_NSMID: return device->sm_count;
    case SIM_SPECIAL_GRIDID: return grid->index + 1;
    case SIM_SPECIAL_DYNAMIC_SMEM_SIZE: return config->dynamic_shared_bytes;
    case SIM_SPECIAL_TOTAL_SMEM_SIZE: return (own_shared(grid) + unit - 1) / unit * unit;
    case SIM_SPECIAL_AGGR_SMEM_SIZE: return own_shared(grid) + device->shared_reserved_bytes;
    case SIM_SPECIAL_RESERVED_SMEM_BEGIN: return 0;
    case SIM_SPECIAL_RESERVED_SMEM_END: return RESERVED_IN_USE;
    case SIM_SPECIAL_CLUSTER_CTAID_X: return block->id.x % cluster.x;
    case SIM_SPECIAL_CLUSTER_CTAID_Y: return block->id.y % cluster.y;
    case SIM_SPECIAL_CLUSTER_CTAID_Z: return block->id.z % cluster.z;
    case SIM_SPECIAL_CLUSTER_CTARANK: return block->cluster_rank;
    case SIM_SPECIAL_CLUSTERID_X: return block->id.x / cluster.x;
    case SIM_SPECIAL_CLUSTERID_Y: return block->id.y / cluster.y;
    case SIM_SPECIAL_CLUSTERID_Z: return block->id.z / cluster.z;
    case SIM_SPECIAL_CLUSTER_NCTAID_X: return cluster.x;
    case SIM_SPECIAL_CLUSTER_NCTAID_Y: return cluster.y;
    case SIM_SPECIAL_CLUSTER_NCTAID_Z: return cluster.z;
    case SIM_SPECIAL_CLUSTER_NCTARANK: return block->cluster_count;
    case SIM_SPECIAL_NCLUSTERID_X: return config->grid.x / cluster.x;
    case SIM_SPECIAL_NCLUSTERID_Y: return config->grid.y / cluster.y;
    case SIM_SPECIAL_NCLUSTERID_Z: return config->grid.z / cluster.z;
    case SIM_SPECIAL_IS_EXPLICIT_CLUSTER: return config->cluster.x != 0;
    case SIM_SPECIAL_ENVREG1: return grid->workspace >> 32;
    case SIM_SPECIAL_ENVREG2: return (uint32_t)grid->workspace;
    case SIM_SPECIAL_RESERVED_SMEM: return device->shared_reserved_bytes;
    default: return 0;
    }
}

uint64_t sim_special_value(const sim_warp *warp, sim_special_id id, uint32_t lane) {
    return differs_by_lane(id) ? lane_special(warp, id, lane) : uniform_special(warp, id);
}

static void fill32(uint8_t *slot, uint32_t value) {
    uint32_t *lanes = (uint32_t *)slot;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) lanes[lane] = value;
}

static void fill64(uint8_t *slot, uint64_t value) {
    uint64_t *lanes = (uint64_t *)slot;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) lanes[lane] = value;
}

static void fill_special(const sim_warp *warp, sim_frame *frame, const sim_special *special) {
    uint8_t *slot = frame->registers + special->slot;
    if (differs_by_lane(special->id)) {
        uint32_t *lanes = (uint32_t *)slot;
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            lanes[lane] = lane_special(warp, special->id, lane);
    } else if (special->id == SIM_SPECIAL_IS_EXPLICIT_CLUSTER) {
        *(uint32_t *)slot = uniform_special(warp, special->id) ? SIM_ALL_LANES : 0;
    } else if (special->id == SIM_SPECIAL_GRIDID) {
        fill64(slot, uniform_special(warp, special->id));
    } else {
        fill32(slot, (uint32_t)uniform_special(warp, special->id));
    }
}

static void fill_constants(const sim_warp *warp, sim_frame *frame) {
    const sim_function *function = frame->function;
    for (uint32_t i = 0; i < function->constant_count; i++) {
        const sim_constant *constant = &function->constants[i];
        uint8_t *slot = frame->registers + constant->slot;
        uint64_t value = constant->value + (constant->is_shared ? warp->shared_first : 0);
        if (constant->bytes == 8) fill64(slot, value);
        else if (constant->bytes == 4) fill32(slot, (uint32_t)value);
        else *(uint32_t *)slot = (uint32_t)value;
    }
    frame->shared_first = warp->shared_first;
}

static bool same_size(sim_dim3 a, sim_dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// For a launch. A frame stays with its warp, so places in the block follow from the block's size.
static void fill_specials(const sim_warp *warp, sim_frame *frame) {
    sim_dim3 size = warp->block->grid->launch->config.block;
    bool keeps = frame->launch_serial != 0 && same_size(frame->block_size, size);
    for (uint32_t i = 0; i < frame->function->special_count; i++) {
        const sim_special *special = &frame->function->specials[i];
        if (!keeps || !differs_by_lane(special->id)) fill_special(warp, frame, special);
    }
    frame->block_size = size;
}

static void fill_unset(sim_frame *frame, const sim_unset *unset) {
    uint32_t *words = (uint32_t *)(frame->registers + unset->slot);
    for (uint32_t i = 0; i < unset->bytes / 4; i++) words[i] = sim_unset_word(unset, i);
}

// Brings a frame up to date; a frame that is used again in the same block needs nothing of it.
static void refresh(sim_warp *warp, sim_frame *frame) {
    const sim_bound *bound = frame->function->bound;
    const sim_block *block = warp->block;
    if (frame->shared_first != warp->shared_first) fill_constants(warp, frame);
    if (frame->launch_serial != block->worker->launch_serial) fill_specials(warp, frame);
    else if (frame->block_serial != block->serial)
        for (uint32_t i = 0; i < bound->block_special_count; i++)
            fill_special(warp, frame, &bound->block_specials[i]);
    frame->launch_serial = block->worker->launch_serial;
    frame->block_serial = block->serial;
    for (uint32_t i = 0; i < bound->register_range_count; i++)
        memset(frame->registers + bound->registers[i].offset, 0, bound->registers[i].bytes);
    for (uint32_t i = 0; i < frame->function->unset_count; i++)
        fill_unset(frame, &frame->function->unset[i]);
}

static sim_frame *new_frame(sim_warp *warp, const sim_function *function) {
    sim_frame *frame = calloc(1, sizeof *frame);
    size_t bytes = ((size_t)function->frame_bytes + 127) / 64 * 64;
    if (frame) frame->registers = aligned_alloc(64, bytes);
    if (!frame || !frame->registers) {
        free(frame);
        sim_fault_memory(warp);
        return NULL;
    }
    memset(frame->registers, 0, bytes);
    frame->function = function;
    frame->next_owned = warp->frames;
    warp->frames = frame;
    return frame;
}

static bool grow_pools(sim_warp *warp, uint32_t count) {
    sim_frame **pools = realloc(warp->unused_frames, count * sizeof *pools);
    if (!pools) {
        sim_fault_memory(warp);
        return false;
    }
    for (uint32_t i = warp->pool_count; i < count; i++) pools[i] = NULL;
    warp->unused_frames = pools;
    warp->pool_count = count;
    return true;
}

sim_frame *sim_frame_take(sim_warp *warp, const sim_function *function) {
    uint32_t pool = function->bound->index;
    if (pool >= warp->pool_count &&
        !grow_pools(warp, warp->block->grid->launch->program->function_count))
        return NULL;
    sim_frame *frame = warp->unused_frames[pool];
    if (frame) warp->unused_frames[pool] = frame->next;
    else frame = new_frame(warp, function);
    if (!frame) return NULL;
    frame->next = NULL;
    frame->caller = NULL;
    frame->call = NULL;
    frame->local_base = frame->depth = 0;
    frame->allocates = false;
    refresh(warp, frame);
    return frame;
}

void sim_frame_give(sim_warp *warp, sim_frame *frame) {
    uint32_t pool = frame->function->bound->index;
    frame->next = warp->unused_frames[pool];
    warp->unused_frames[pool] = frame;
}

void sim_frames_reset(sim_warp *warp) {
    for (sim_frame *frame = warp->frames; frame; frame = frame->next_owned)
        warp->unused_frames[frame->function->bound->index] = NULL;
    for (sim_frame *frame = warp->frames; frame; frame = frame->next_owned)
        sim_frame_give(warp, frame);
}

void sim_frames_free(sim_warp *warp) {
    while (warp->frames) {
        sim_frame *frame = warp->frames;
        warp->frames = frame->next_owned;
        free(frame->registers);
        free(frame);
    }
    free(warp->unused_frames);
    warp->unused_frames = NULL;
    warp->pool_count = 0;
}

bool sim_warp_reserve_local(sim_warp *warp, uint32_t lanes, uint32_t base, uint32_t bytes) {
    uint32_t end = base + bytes;
    if (end > warp->local_capacity) {
        uint32_t capacity = (end + 255) / 256 * 256;
        uint8_t *grown = realloc(warp->local, (size_t)capacity * SIM_WARP_LANES);
        if (!grown) {
            sim_fault_memory(warp);
            return false;
        }
        warp->local = grown;
        warp->local_capacity = capacity;
    }
    uint32_t *words = (uint32_t *)warp->local;
    for (size_t word = base / 4; word < (end + 3) / 4; word++)
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            if (lanes >> lane & 1) words[word * SIM_WARP_LANES + lane] = SIM_POISON;
    if (warp->observing) sim_observe_local(warp, lanes, base, bytes);
    return true;
}

// ---- a lane's view of memory ------------------------------------------------------------------

const uint8_t *sim_warp_peek(const sim_warp *warp, uint32_t lane, uint64_t address,
                             uint32_t bytes) {
    if (address - SIM_SHARED_WINDOW < SIM_CLUSTER_WINDOW_BYTES) {
        uint64_t offset = sim_shared_offset(warp, address - SIM_SHARED_WINDOW);
        return offset + bytes <= warp->shared_bytes ? warp->shared + offset : NULL;
    }
    if (address - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES) {
        uint64_t offset = address - SIM_LOCAL_WINDOW;
        if (offset + bytes > warp->local_bytes || offset % 4 + bytes > 4) return NULL;
        return warp->local + sim_local_word(offset, lane);
    }
    if (address - SIM_PARAM_WINDOW < SIM_WINDOW_BYTES) {
        uint64_t offset = address - SIM_PARAM_WINDOW;
        return offset + bytes <= warp->param_bytes ? warp->params + offset : NULL;
    }
    const sim_memory *memory = warp->block->grid->memory;
    const sim_allocation *found =
        sim_mem_find_from(memory, address, warp->block->grid->launch->config.device);
    if (!found) {
        const sim_attachment *attached = sim_mem_attached(memory, address, bytes);
        return attached ? attached->host + (address - attached->base) : NULL;
    }
    if (bytes > found->bytes - (address - found->base)) return NULL;
    return warp->origin + address;
}

// ---- the stack of a thread beyond its variables -------------------------------------------------
// alloca, stacksave, stackrestore (PTX ISA 9.0, section 9.7.18 "Stack Manipulation Instructions").
// Lanes may take different amounts, so each has a top of its own; a callee starts above the highest
// of those that call it.

enum { STACK_ALIGN = 16, DEFAULT_STACK_BYTES = 64 * 1024 };

static uint32_t bottom(const sim_frame *frame) {
    return frame->local_base + frame->function->local_bytes;
}

// A device gives a kernel the stack that ptxas found it to need; only recursion and calls through
// pointers, of which nobody can tell beforehand, are held to the limit. Frames here are a
// function's own variables, to which machine code adds saved registers: what overflows here
// overflows there.
static uint64_t stack_of(const sim_grid *grid) {
    uint64_t limit = grid->stack_bytes ? grid->stack_bytes : DEFAULT_STACK_BYTES;
    bool is_exact =
        !grid->launch->function->bound->has_bounded_stack || limit > DEFAULT_STACK_BYTES;
    return is_exact ? limit : DEFAULT_STACK_BYTES;
}

uint64_t sim_stack_limit(const sim_warp *warp) {
    const sim_grid *grid = warp->block->grid;
    return grid->launch->function->local_bytes + stack_of(grid);
}

uint32_t sim_stack_top(const sim_frame *frame, uint32_t lanes) {
    uint32_t top = bottom(frame);
    for (uint32_t rest = frame->allocates ? lanes : 0; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (frame->tops[lane] > top) top = frame->tops[lane];
    }
    return top;
}

static uint32_t *tops_of(sim_frame *frame) {
    if (!frame->allocates) {
        frame->allocates = true;
        frame->highest = bottom(frame);
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) frame->tops[lane] = frame->highest;
    }
    return frame->tops;
}

void sim_stack_allocate(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const uint64_t *bytes = (const uint64_t *)(warp->registers + instr->src[0]);
    uint64_t *out = (uint64_t *)(warp->registers + instr->dst), limit = sim_stack_limit(warp);
    sim_frame *frame = warp->frame;
    uint32_t *tops = tops_of(frame);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t align = (uint64_t)instr->offset, wanted = bytes[lane];
        uint64_t begin = (tops[lane] + align - 1) / align * align;
        uint64_t end = begin + (wanted + STACK_ALIGN - 1) / STACK_ALIGN * STACK_ALIGN;
        if (wanted > limit || end > limit) {
            sim_fault_text(warp, instr, lane, SIM_STACK_OVERFLOW,
                           "stack overflow: alloca of %" PRIu64 " bytes with %" PRIu64
                           " of %" PRIu64 " bytes of local memory in use",
                           wanted, begin, limit);
            return;
        }
        uint32_t from = (uint32_t)begin, count = (uint32_t)(end - begin);
        if (!sim_warp_reserve_local(warp, 1u << lane, from, count)) return;
        tops[lane] = (uint32_t)end;
        if (tops[lane] > frame->highest) frame->highest = tops[lane];
        out[lane] = begin;
    }
    sim_warp_set_frame(warp, frame);
}

void sim_stack_save(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    uint64_t *out = (uint64_t *)(warp->registers + instr->dst);
    const uint32_t *tops = tops_of(warp->frame);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        out[lane] = tops[lane];
    }
}

void sim_stack_restore(sim_warp *warp, const sim_instr *instr, uint32_t lanes) {
    const uint64_t *in = (const uint64_t *)(warp->registers + instr->src[0]);
    uint32_t *tops = tops_of(warp->frame);
    for (uint32_t rest = lanes; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        if (in[lane] < bottom(warp->frame) || in[lane] > tops[lane]) {
            sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                           "stackrestore of 0x%" PRIx64 ", which no stacksave of this call gave",
                           in[lane]);
            return;
        }
        tops[lane] = (uint32_t)in[lane];
    }
}
