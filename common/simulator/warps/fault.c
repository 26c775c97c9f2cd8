// What went wrong, where, for which thread, in words: fills the block's fault record and stops the
// warp; of threads that do not get on: fault_stuck.c. The first fault of a block stays; which
// block's fault a launch reports is grids/grid.c's business.
#include "advice.h"
#include "warps/block.h"

static const sim_location *location_of(const sim_function *function, const sim_instr *instr) {
    static const sim_location unknown = {0};
    if (!instr || instr->location >= function->location_count) return &unknown;
    return &function->locations[instr->location];
}

const char *sim_fault_file(const sim_block *block, const sim_location *location) {
    const sim_program *program = block->grid->launch->program;
    if (location->line == 0 || location->file >= program->file_count) return "";
    return program->files[location->file];
}

// "file.cu:12" or, without line information, "PTX line 40 of kernel".
const char *sim_fault_line_text(const sim_block *block, const sim_function *function,
                                const sim_instr *instr, char *text, size_t bytes) {
    const sim_location *location = location_of(function, instr);
    const char *file = sim_fault_file(block, location);
    if (location->line) snprintf(text, bytes, "%s:%u", file, location->line);
    else snprintf(text, bytes, "PTX line %u of %s", instr ? instr->ptx_line : 0, function->name);
    return text;
}

sim_code_site sim_fault_site(const sim_frame *frame, const sim_instr *instr) {
    sim_code_site first = {frame->function, instr};
    for (; frame; frame = frame->caller) {
        if (location_of(frame->function, instr)->line)
            return (sim_code_site){frame->function, instr};
        if (frame->caller) instr = &frame->caller->function->code[frame->return_pc - 1];
    }
    return first;
}

sim_dim3 sim_fault_thread(const sim_warp *warp, uint32_t lane) {
    return sim_unfold(warp->index * SIM_WARP_LANES + lane, warp->block->grid->launch->config.block);
}

static void copy_text(char *to, size_t bytes, const char *from) { snprintf(to, bytes, "%s", from); }

bool sim_fault_begin(sim_block *block, sim_status kind, const sim_function *function,
                     const sim_instr *instr) {
    sim_fault *fault = &block->fault;
    if (fault->kind != SIM_OK) return false;
    const sim_location *location = location_of(function, instr);
    fault->kind = kind;
    fault->block = block->id;
    fault->thread = (sim_dim3){0, 0, 0};
    fault->address = 0;
    fault->access_bytes = 0;
    fault->line = location->line;
    copy_text(fault->kernel, sizeof fault->kernel, block->grid->launch->function->name);
    copy_text(fault->file, sizeof fault->file, sim_fault_file(block, location));
    return true;
}

static void stop(sim_warp *warp, const sim_instr *instr) {
    warp->interrupt = SIM_INTERRUPT_FAULT;
    warp->run_end = instr + 1;
}

// What does not fit is left out from the last whole line on, or of one line from the last whole
// word on, and with it all that would follow.
void sim_fault_append(sim_fault *fault, const char *format, ...) {
    static const char rest[] = " ..", rest_of_lines[] = "\n  ..";
    size_t used = strlen(fault->text), left = sizeof fault->text - used;
    if (used >= sizeof rest && strcmp(fault->text + used - (sizeof rest - 1), rest) == 0) return;
    va_list arguments;
    va_start(arguments, format);
    int wanted = vsnprintf(fault->text + used, left, format, arguments);
    va_end(arguments);
    if (wanted < 0 || (size_t)wanted < left) return;
    char *half = fault->text + sizeof fault->text / 2;
    char *end = fault->text + sizeof fault->text - sizeof rest_of_lines;
    while (end > half && *end != '\n') end--;
    bool lines = end > half;
    if (!lines) end = fault->text + sizeof fault->text - sizeof rest;
    while (end > half && *end != ' ' && *end != '\n') end--;
    strcpy(end, lines ? rest_of_lines : rest);
}

static void append_where(sim_block *block, const sim_warp *warp, sim_code_site at, uint32_t lane) {
    char place[512];
    sim_dim3 thread = sim_fault_thread(warp, lane), id = block->id;
    int length;
    const char *kernel = sim_kernel_name(block->grid->launch->function->name, &length);
    block->fault.thread = thread;
    sim_fault_append(&block->fault, "\n  at %s\n  in thread (%u,%u,%u) of block (%u,%u,%u) of %.*s",
                     sim_fault_line_text(block, at.function, at.instr, place, sizeof place),
                     thread.x, thread.y, thread.z, id.x, id.y, id.z, length, kernel);
}

void sim_fault_text(sim_warp *warp, const sim_instr *instr, uint32_t lane, sim_status kind,
                    const char *format, ...) {
    sim_block *block = warp->block;
    sim_code_site at = sim_fault_site(warp->frame, instr);
    stop(warp, instr);
    if (!sim_fault_begin(block, kind, at.function, at.instr)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(block->fault.text, sizeof block->fault.text, format, arguments);
    va_end(arguments);
    append_where(block, warp, at, lane);
}

void sim_fault_tmem_leak(sim_block *block) {
    const sim_tmem *tmem = block->tmem;
    uint32_t units = 0;
    for (uint32_t i = 0; i < sizeof tmem->owner; i++) units += tmem->owner[i] != 0;
    if (!units || !sim_fault_begin(block, SIM_TENSOR_LEAK, tmem->function, tmem->allocated)) return;
    sim_fault_append(&block->fault,
                     "the block has ended and still has %u columns of tensor memory: one warp must "
                     "give back each allocation by tcgen05.dealloc",
                     units * SIM_TMEM_UNIT);
    append_where(block, &block->warps[0], (sim_code_site){tmem->function, tmem->allocated}, 0);
}

// A copy reads on one side and writes on the other; its tensor map, aligned as such, is read.
static bool copy_writes(const sim_instr *instr, uint8_t space, uint32_t alignment) {
    if (space == PTX_SPACE_SHARED)
        return sim_is_cp_async(instr) || instr->variant == SIM_BULK_TO_SHARED;
    if (instr->op == SIM_OP_BULK_TENSOR && alignment == SIM_TENSOR_MAP_ALIGN) return false;
    return !sim_is_cp_async(instr) && instr->variant == SIM_BULK_TO_GLOBAL;
}

static const char *verb_of(const sim_instr *instr, uint8_t space, uint32_t alignment) {
    switch (sim_role_of(instr)) {
    case SIM_ROLE_STORE: return "write";
    case SIM_ROLE_ATOMIC: return "atomic access";
    case SIM_ROLE_COPY: return copy_writes(instr, space, alignment) ? "write" : "read";
    default: return "read";
    }
}

// The shared address that lies where sim_shared_offset says.
static uint64_t shared_address_of(const sim_warp *warp, uint64_t offset) {
    if (offset < SIM_WINDOW_BYTES) return offset + warp->shared_first;
    return (offset / SIM_WINDOW_BYTES - 1) * SIM_WINDOW_BYTES +
           (offset + SIM_SHARED_START) % SIM_WINDOW_BYTES;
}

// Whether an offset of the cluster is one of the block's own shared memory, or of what lies before
// it and in no block, as a negative index gives: *out_at < 0. Of a block alone all are.
static bool is_own_shared(const sim_warp *warp, uint64_t offset, int64_t *out_at) {
    uint64_t address = shared_address_of(warp, offset);
    *out_at = (int64_t)offset;
    if (offset < SIM_WINDOW_BYTES) {
        if (offset >= SIM_WINDOW_BYTES - SIM_SHARED_START) *out_at -= SIM_WINDOW_BYTES;
        return true;
    }
    if (offset / SIM_WINDOW_BYTES <= warp->block->cluster_count || address > UINT32_MAX)
        return false;
    *out_at = (int32_t)((uint32_t)address - warp->shared_first);
    return warp->block->cluster_count == 1 || (*out_at < 0 && *out_at > -(int64_t)SIM_WINDOW_BYTES);
}

// An address in another block of the cluster.
static void describe_remote(const sim_warp *warp, uint64_t address, char *text, size_t text_bytes) {
    uint64_t rank = address / SIM_WINDOW_BYTES - 1;
    if (rank >= warp->block->cluster_count)
        snprintf(text, text_bytes, "the cluster has %u blocks", warp->block->cluster_count);
    else if (warp->block->cluster[rank].live_threads == 0)
        snprintf(text, text_bytes,
                 "block %" PRIu64 " of the cluster has returned, and its shared memory is gone; "
                 "cluster.sync() before a block returns keeps it",
                 rank);
    else
        snprintf(text, text_bytes,
                 "byte %" PRIu64 " of block %" PRIu64
                 " of the cluster, which has %u bytes of shared memory",
                 address % SIM_WINDOW_BYTES, rank, warp->shared_bytes);
}

// The number, from 1, of the kernel argument with a value in [low, high], and that value; of
// several, the one nearest to high. 0: there is none. out_value may be NULL.
static uint32_t sim_grid_argument_in(const sim_grid *grid, uint64_t low, uint64_t high,
                                     uint64_t *out_value) {
    const sim_function *kernel = grid->launch->function;
    uint64_t best = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < kernel->entry_param_count; i++) {
        const sim_entry_param *param = &kernel->entry_params[i];
        for (uint32_t at = 0; at + 8 <= param->size_bytes; at += 8) { // structs hold pointers, too
            uint64_t value;
            memcpy(&value, (const char *)grid->launch->params + param->offset + at, sizeof value);
            if (value < low || value > high || (found && value <= best)) continue;
            found = i + 1;
            best = value;
        }
    }
    if (out_value) *out_value = best;
    return found;
}

uint32_t sim_grid_argument_into(const sim_grid *grid, const sim_allocation *array,
                                uint64_t *out_pointer) {
    uint32_t argument =
        sim_grid_argument_in(grid, array->base, array->base + array->bytes - 1, out_pointer);
    bool alone = argument && !sim_grid_argument_in(grid, array->base, *out_pointer - 1, NULL);
    return alone ? argument : 0;
}

// "index 8 of argument 5 of the kernel, which has 8 elements of 4 bytes", "byte 0 of coefficients,
// which has 4 bytes": in the words of the source, where a variable, or one argument alone, points
// into the allocation. False: otherwise, and where the address is so far away that another array
// may be meant.
static bool describe_index(const sim_grid *grid, const sim_allocation *array, uint64_t address,
                           uint32_t bytes, char *text, size_t text_bytes) {
    const uint64_t far = 4096;
    uint64_t end = array->base + array->bytes, pointer = array->base;
    char name[128];
    if (address + far < array->base || address > end + far) return false;
    uint32_t argument = array->label ? 0 : sim_grid_argument_into(grid, array, &pointer);
    if (!array->label && !argument) return false;
    bool holds = argument && grid->launch->function->entry_params[argument - 1].size_bytes > 8;
    if (argument)
        snprintf(name, sizeof name, "%sargument %" PRIu32 " of the kernel",
                 holds ? "an array in " : "", argument);
    else snprintf(name, sizeof name, "%s", array->label);
    int64_t offset = (int64_t)(address - pointer);
    uint64_t size = end - pointer, count = size / bytes;
    if (offset % bytes == 0 && size % bytes == 0)
        snprintf(text, text_bytes,
                 "index %" PRId64 " of %s, which has %" PRIu64 " element%s of %" PRIu32 " byte%s",
                 offset / (int64_t)bytes, name, count, count == 1 ? "" : "s", bytes,
                 bytes == 1 ? "" : "s");
    else
        snprintf(text, text_bytes, "byte %" PRId64 " of %s, which has %" PRIu64 " bytes", offset,
                 name, size);
    return true;
}

// The same of an address inside an array.
static bool describe_byte(const sim_grid *grid, uint64_t address, char *text, size_t text_bytes) {
    const sim_allocation *array = sim_mem_find(grid->memory, address);
    uint64_t pointer = 0;
    uint32_t argument = array ? sim_grid_argument_into(grid, array, &pointer) : 0;
    if (!argument) return false;
    snprintf(text, text_bytes, "byte %" PRId64 " of argument %" PRIu32 " of the kernel",
             (int64_t)(address - pointer), argument);
    return true;
}

// Of memory that is another device's, and that the kernel's may not use.
static bool describe_peer(const sim_grid *grid, uint64_t address, char *text, size_t text_bytes) {
    const sim_allocation *found = sim_mem_find(grid->memory, address);
    uint32_t device = grid->launch->config.device;
    char own[16], peer[16];
    if (!found || found->reach >> device & 1) return false;
    snprintf(own, sizeof own, "%" PRIu32, device);
    snprintf(peer, sizeof peer, "%u", found->device);
    size_t used = strlen(text);
    if (found->label)
        snprintf(text + used, text_bytes - used,
                 ". That is of device %s, to which the kernel's device %s has no access: peers use "
                 "memory of cudaMalloc, not variables nor memory of malloc in a kernel",
                 peer, own);
    else
        kl_advise(found->apart ? KL_ADVICE_POOL_ACCESS : KL_ADVICE_PEER_ACCESS, KL_WORDS(own, peer),
                  text + used, text_bytes - used);
    return true;
}

static void describe_global(const sim_grid *grid, uint64_t address, uint32_t bytes, char *text,
                            size_t text_bytes) {
    const uint64_t far = UINT64_C(1) << 32;
    const sim_allocation *nearest = sim_mem_nearest(grid->memory, address);
    int start = snprintf(text, text_bytes, "global address 0x%" PRIx64 ": ", address);
    sim_mem_describe(grid->memory, address, bytes, text + start, text_bytes - (size_t)start);
    size_t used = strlen(text);
    uint32_t argument;
    if (describe_peer(grid, address, text, text_bytes)) return;
    if (sim_mem_is_near(address)) {
        // No pointer of the kernel's lies between the array and freed memory behind it.
        uint64_t end = nearest ? nearest->base + nearest->bytes : 0;
        bool freed = strstr(text, "freed") &&
                     (address < end || sim_grid_argument_in(grid, end, address, NULL));
        bool tells = nearest && !freed && !sim_mem_is_virtual(grid->memory, address);
        if (tells && nearest->bytes > 0 &&
            describe_index(grid, nearest, address, bytes, text, text_bytes))
            return;
        argument = tells && !nearest->label
                       ? sim_grid_argument_in(grid, nearest->base,
                                              nearest->base + nearest->bytes - 1, NULL)
                       : 0;
        if (argument)
            snprintf(text + used, text_bytes - used,
                     ", to which argument %" PRIu32 " of the kernel points", argument);
        return;
    }
    argument = address > far ? sim_grid_argument_in(grid, address - far, address + far, NULL) : 0;
    char number[16];
    snprintf(number, sizeof number, "%" PRIu32, argument);
    if (argument)
        kl_advise(KL_ADVICE_HOST_POINTER, KL_WORDS(number), text + start,
                  text_bytes - (size_t)start);
}

static const char *space_name(uint8_t space) {
    switch (space) {
    case PTX_SPACE_SHARED: return "shared";
    case PTX_SPACE_LOCAL: return "local";
    case PTX_SPACE_PARAM: return "parameter";
    case PTX_SPACE_CONST: return "constant";
    default: return "global";
    }
}

// Of shared memory: the variable's index, if the access is by one's name, and what the block has.
static void describe_shared(const sim_warp *warp, const sim_instr *instr, int64_t at,
                            uint32_t bytes, char *text, size_t text_bytes) {
    const sim_grid *grid = warp->block->grid;
    const sim_symbol *array =
        instr->variable ? &grid->launch->program->symbols[instr->variable - 1] : NULL;
    char name[64];
    int64_t offset = array ? at - (int64_t)array->address : 0;
    bool told =
        array && array->size_bytes > 0 && array->size_bytes % bytes == 0 && offset % bytes == 0;
    int used =
        told ? snprintf(text, text_bytes,
                        "index %" PRId64 " of %s, which has %" PRIu64 " elements of %u bytes; ",
                        offset / (int64_t)bytes, sim_variable_name(array->name, name, sizeof name),
                        array->size_bytes / bytes, bytes)
        : at < 0
            ? snprintf(text, text_bytes,
                       "shared address 0x%x, %" PRId64 " bytes before the block's shared memory: ",
                       warp->shared_first + (uint32_t)at, -at)
            : snprintf(text, text_bytes, "byte %" PRId64 " of shared memory: ", at);
    snprintf(text + used, text_bytes - (size_t)used, "the block has %u bytes of shared memory",
             warp->shared_bytes);
    used = (int)strlen(text);
    if (grid->launch->config.dynamic_shared_bytes > 0)
        snprintf(text + used, text_bytes - (size_t)used,
                 ", %u of them dynamic (the launch's third argument)",
                 grid->launch->config.dynamic_shared_bytes);
}

// "global address 0x10: a null pointer ..": where an access went and what is there.
static void sim_fault_describe(const sim_warp *warp, const sim_instr *instr, uint8_t space,
                               uint64_t address, uint32_t bytes, char *text, size_t text_bytes) {
    const sim_grid *grid = warp->block->grid;
    int used = 0;
    int64_t at = 0;
    bool remote = space == PTX_SPACE_SHARED && !is_own_shared(warp, address, &at);
    if (space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM || remote)
        used = snprintf(text, text_bytes, "%s address 0x%" PRIx64 ": ", space_name(space),
                        remote ? shared_address_of(warp, address) : address);
    text += used;
    text_bytes -= (size_t)used;
    switch (space) {
    case PTX_SPACE_SHARED:
        if (remote) describe_remote(warp, address, text, text_bytes);
        else describe_shared(warp, instr, at, bytes, text, text_bytes);
        break;
    case PTX_SPACE_LOCAL:
        snprintf(text, text_bytes, "the thread has %u bytes of local memory here",
                 warp->local_bytes);
        break;
    case PTX_SPACE_PARAM:
        snprintf(text, text_bytes, "the kernel has %u bytes of parameters", warp->param_bytes);
        break;
    default: describe_global(grid, address, bytes, text, text_bytes);
    }
}

// The codes are an H200's.
static sim_status status_of(const sim_warp *warp, uint8_t space, uint64_t address,
                            bool misaligned) {
    if (misaligned) return SIM_MISALIGNED_ADDRESS;
    if (space == PTX_SPACE_SHARED && address >= SIM_WINDOW_BYTES &&
        address < SIM_CLUSTER_WINDOW_BYTES &&
        address / SIM_WINDOW_BYTES >= warp->block->cluster_count)
        return SIM_NO_BLOCK;
    bool is_window = address - SIM_SHARED_WINDOW < SIM_CLUSTER_WINDOW_BYTES ||
                     address - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES;
    return space == PTX_SPACE_GLOBAL && is_window ? SIM_OTHER_SPACE : SIM_ILLEGAL_ADDRESS;
}

void sim_fault_address(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                       uint32_t bytes, uint8_t space) {
    sim_fault_bulk(warp, instr, lane, address, bytes, bytes, space);
}

void sim_fault_bulk(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                    uint32_t bytes, uint32_t alignment, uint8_t space) {
    sim_block *block = warp->block;
    bool misaligned = (address & (alignment - 1)) != 0;
    sim_code_site at = sim_fault_site(warp->frame, instr);
    stop(warp, instr);
    sim_status status = status_of(warp, space, address, misaligned);
    if (!sim_fault_begin(block, status, at.function, at.instr)) return;
    char nearby[512];
    block->fault.address = address;
    block->fault.access_bytes = bytes;
    if (misaligned) {
        int64_t at;
        if (space == PTX_SPACE_SHARED && is_own_shared(warp, address, &at) && at >= 0)
            snprintf(nearby, sizeof nearby, "byte %" PRId64 " of shared memory", at);
        else if (space == PTX_SPACE_SHARED)
            snprintf(nearby, sizeof nearby, "shared address 0x%" PRIx64,
                     shared_address_of(warp, address));
        else if (space != PTX_SPACE_GLOBAL ||
                 !describe_byte(block->grid, address, nearby, sizeof nearby))
            snprintf(nearby, sizeof nearby, "%s address 0x%" PRIx64, space_name(space), address);
        sim_fault_append(&block->fault,
                         "misaligned %s of %u bytes at %s: the address is not a multiple of %u",
                         verb_of(instr, space, alignment), bytes, nearby, alignment);
    } else {
        sim_fault_describe(warp, instr, space, address, bytes, nearby, sizeof nearby);
        sim_fault_append(&block->fault, "illegal %s of %u byte%s at %s",
                         verb_of(instr, space, alignment), bytes, bytes == 1 ? "" : "s", nearby);
    }
    append_where(block, warp, at, lane);
}

void sim_fault_memory(sim_warp *warp) {
    if (!sim_fault_begin(warp->block, SIM_OUT_OF_MEMORY, warp->block->grid->launch->function, NULL))
        return;
    warp->interrupt = SIM_INTERRUPT_FAULT;
    sim_fault_append(&warp->block->fault,
                     "the host ran out of memory for registers or local memory");
}
