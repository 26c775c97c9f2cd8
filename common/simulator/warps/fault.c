// SPDX-License-Identifier: MIT
// What went wrong, where, for which thread, in words: fills the block's fault record and stops the
// warp. The first fault of a block stays; which block's fault a launch reports is grids/grid.c's
// business.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel_name.h"
#include "device/tensor_map.h"
#include "program/loop.h"
#include "warps/block.h"
#include "warps/mbarrier.h"

static const sim_location *location_of(const sim_function *function, const sim_instr *instr) {
    static const sim_location unknown = {0, 0};
    if (!instr || instr->location >= function->location_count) return &unknown;
    return &function->locations[instr->location];
}

static const char *file_of(const sim_block *block, const sim_location *location) {
    const sim_program *program = block->grid->program;
    if (location->line == 0 || location->file >= program->file_count) return "";
    return program->files[location->file];
}

// "file.cu:12" or, without line information, "PTX line 40 of kernel".
static const char *place_text(const sim_block *block, const sim_function *function,
                              const sim_instr *instr, char *text, size_t bytes) {
    const sim_location *location = location_of(function, instr);
    const char *file = file_of(block, location);
    if (location->line)
        snprintf(text, bytes, "%s:%u", file, location->line);
    else
        snprintf(text, bytes, "PTX line %u of %s", instr ? instr->ptx_line : 0, function->name);
    return text;
}

// Code of the toolkit has no lines of its own (__trap, say): then the place is where the program
// called it.
typedef struct code_place {
    const sim_function *function;
    const sim_instr *instr;
} code_place;

static code_place place_of(const sim_frame *frame, const sim_instr *instr) {
    code_place first = {frame->function, instr};
    for (; frame; frame = frame->caller) {
        if (location_of(frame->function, instr)->line) return (code_place){frame->function, instr};
        if (frame->caller) instr = &frame->caller->function->code[frame->return_pc - 1];
    }
    return first;
}

static sim_dim3 thread_of(const sim_warp *warp, uint32_t lane) {
    const sim_dim3 *size = &warp->block->grid->block;
    uint32_t thread = warp->index * SIM_WARP_LANES + lane;
    return (sim_dim3){thread % size->x, thread / size->x % size->y, thread / size->x / size->y};
}

static void copy_text(char *to, size_t bytes, const char *from) {
    snprintf(to, bytes, "%s", from);
}

static bool begin_fault(sim_block *block, sim_status kind, const sim_function *function,
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
    copy_text(fault->kernel, sizeof fault->kernel, block->grid->function->name);
    copy_text(fault->file, sizeof fault->file, file_of(block, location));
    return true;
}

static void stop(sim_warp *warp, const sim_instr *instr) {
    warp->interrupt = SIM_INTERRUPT_FAULT;
    warp->run_end = instr + 1;
}

static void append(sim_fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));
// What does not fit is left out from the last whole line on, or of one line from the last whole
// word on, and with it all that would follow.
static void append(sim_fault *fault, const char *format, ...) {
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

static void append_where(sim_block *block, const sim_warp *warp, code_place at, uint32_t lane) {
    char place[512];
    sim_dim3 thread = thread_of(warp, lane), id = block->id;
    int length;
    const char *kernel = sim_kernel_name(block->grid->function->name, &length);
    block->fault.thread = thread;
    append(&block->fault, "\n  at %s\n  in thread (%u,%u,%u) of block (%u,%u,%u) of %.*s",
           place_text(block, at.function, at.instr, place, sizeof place), thread.x, thread.y,
           thread.z, id.x, id.y, id.z, length, kernel);
}

void sim_fault_text(sim_warp *warp, const sim_instr *instr, uint32_t lane, sim_status kind,
                    const char *format, ...) {
    sim_block *block = warp->block;
    code_place at = place_of(warp->frame, instr);
    stop(warp, instr);
    if (!begin_fault(block, kind, at.function, at.instr)) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(block->fault.text, sizeof block->fault.text, format, arguments);
    va_end(arguments);
    append_where(block, warp, at, lane);
}

// A copy reads on one side and writes on the other; its tensor map, aligned as such, is read.
static bool copy_writes(const sim_instr *instr, uint8_t space, uint32_t alignment) {
    if (space == PTX_SPACE_SHARED)
        return instr->op == SIM_OP_CP_ASYNC || instr->variant == SIM_BULK_TO_SHARED;
    if (instr->op == SIM_OP_BULK_TENSOR && alignment == SIM_TENSOR_MAP_ALIGN) return false;
    return instr->op != SIM_OP_CP_ASYNC && instr->variant == SIM_BULK_TO_GLOBAL;
}

static const char *verb_of(const sim_instr *instr, uint8_t space, uint32_t alignment) {
    switch (instr->op) {
    case SIM_OP_ST:
    case SIM_OP_STMATRIX: return "write";
    case SIM_OP_CP_ASYNC:
    case SIM_OP_BULK:
    case SIM_OP_BULK_TENSOR: return copy_writes(instr, space, alignment) ? "write" : "read";
    case SIM_OP_ATOM:
    case SIM_OP_RED: return "atomic access";
    default: return "read";
    }
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

uint32_t sim_grid_argument_in(const sim_grid *grid, uint64_t low, uint64_t high,
                              uint64_t *out_value) {
    const sim_function *kernel = grid->function;
    uint64_t best = 0;
    uint32_t found = 0;
    for (uint32_t i = 0; i < kernel->entry_param_count; i++) {
        const sim_entry_param *param = &kernel->entry_params[i];
        for (uint32_t at = 0; at + 8 <= param->size_bytes; at += 8) { // structs hold pointers, too
            uint64_t value;
            memcpy(&value, (const char *)grid->params + param->offset + at, sizeof value);
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

// "index 8 of argument 5 of the kernel, which has 8 elements of 4 bytes", "byte 0 of argument 1 of
// the kernel, which has 4 bytes": in the words of the source, where one argument alone points into
// the allocation. False: otherwise, and where the address is so far away that another array may be
// meant.
static bool describe_index(const sim_grid *grid, const sim_allocation *array, uint64_t address,
                           uint32_t bytes, char *text, size_t text_bytes) {
    const uint64_t far = 4096;
    uint64_t end = array->base + array->bytes, pointer = 0;
    if (address + far < array->base || address > end + far) return false;
    uint32_t argument = sim_grid_argument_into(grid, array, &pointer);
    if (!argument) return false;
    int64_t offset = (int64_t)(address - pointer);
    uint64_t size = end - pointer, count = size / bytes;
    if (offset % bytes == 0 && size % bytes == 0)
        snprintf(text, text_bytes,
                 "index %" PRId64 " of argument %" PRIu32 " of the kernel, which has %" PRIu64
                 " element%s of %" PRIu32 " byte%s",
                 offset / (int64_t)bytes, argument, count, count == 1 ? "" : "s", bytes,
                 bytes == 1 ? "" : "s");
    else
        snprintf(text, text_bytes,
                 "byte %" PRId64 " of argument %" PRIu32 " of the kernel, which has %" PRIu64
                 " bytes",
                 offset, argument, size);
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

static void describe_global(const sim_grid *grid, uint64_t address, uint32_t bytes, char *text,
                            size_t text_bytes) {
    const uint64_t far = UINT64_C(1) << 32;
    const sim_allocation *nearest = sim_mem_nearest(grid->memory, address);
    int start = snprintf(text, text_bytes, "global address 0x%" PRIx64 ": ", address);
    sim_mem_describe(grid->memory, address, bytes, text + start, text_bytes - (size_t)start);
    size_t used = strlen(text);
    uint32_t argument;
    if (sim_mem_is_near(address)) {
        bool tells = nearest && !nearest->label && !strstr(text, "freed");
        if (tells && nearest->bytes > 0 &&
            describe_index(grid, nearest, address, bytes, text, text_bytes))
            return;
        argument = tells ? sim_grid_argument_in(grid, nearest->base,
                                                nearest->base + nearest->bytes - 1, NULL)
                         : 0;
        if (argument)
            snprintf(text + used, text_bytes - used,
                     ", to which argument %" PRIu32 " of the kernel points", argument);
        return;
    }
    argument = address > far ? sim_grid_argument_in(grid, address - far, address + far, NULL) : 0;
    if (argument)
        snprintf(text + start, text_bytes - (size_t)start,
                 "argument %" PRIu32 " of the kernel is a pointer to host memory, which kernels "
                 "cannot reach: allocate with cudaMalloc and copy with cudaMemcpy",
                 argument);
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
static void describe_shared(const sim_warp *warp, const sim_instr *instr, uint64_t address,
                            uint32_t bytes, char *text, size_t text_bytes) {
    const sim_grid *grid = warp->block->grid;
    const sim_symbol *array = instr->variable ? &grid->program->symbols[instr->variable - 1] : NULL;
    char name[64];
    int64_t offset = array ? (int64_t)(address - array->address) : 0;
    bool told =
        array && array->size_bytes > 0 && array->size_bytes % bytes == 0 && offset % bytes == 0;
    int used =
        told ? snprintf(text, text_bytes,
                        "index %" PRId64 " of %s, which has %" PRIu64 " elements of %u bytes; ",
                        offset / (int64_t)bytes, sim_variable_name(array->name, name, sizeof name),
                        array->size_bytes / bytes, bytes)
             : snprintf(text, text_bytes, "byte %" PRIu64 " of shared memory: ", address);
    snprintf(text + used, text_bytes - (size_t)used, "the block has %u bytes of shared memory",
             warp->shared_bytes);
    used = (int)strlen(text);
    if (grid->dynamic_shared_bytes > 0)
        snprintf(text + used, text_bytes - (size_t)used,
                 ", %u of them dynamic (the launch's third argument)", grid->dynamic_shared_bytes);
}

// "global address 0x10: a null pointer ..": where an access went and what is there.
static void describe_space(const sim_warp *warp, const sim_instr *instr, uint8_t space,
                           uint64_t address, uint32_t bytes, char *text, size_t text_bytes) {
    const sim_grid *grid = warp->block->grid;
    int used = 0;
    if (space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM ||
        (space == PTX_SPACE_SHARED && address >= SIM_WINDOW_BYTES))
        used = snprintf(text, text_bytes, "%s address 0x%" PRIx64 ": ", space_name(space), address);
    text += used;
    text_bytes -= (size_t)used;
    switch (space) {
    case PTX_SPACE_SHARED:
        if (address >= SIM_WINDOW_BYTES) {
            describe_remote(warp, address, text, text_bytes);
            break;
        }
        describe_shared(warp, instr, address, bytes, text, text_bytes);
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

void sim_fault_address(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                       uint32_t bytes, uint8_t space) {
    sim_fault_bulk(warp, instr, lane, address, bytes, bytes, space);
}

void sim_fault_bulk(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                    uint32_t bytes, uint32_t alignment, uint8_t space) {
    sim_block *block = warp->block;
    bool misaligned = (address & (alignment - 1)) != 0;
    code_place at = place_of(warp->frame, instr);
    stop(warp, instr);
    if (!begin_fault(block, misaligned ? SIM_MISALIGNED_ADDRESS : SIM_ILLEGAL_ADDRESS, at.function,
                     at.instr))
        return;
    char nearby[512];
    block->fault.address = address;
    block->fault.access_bytes = bytes;
    if (misaligned) {
        if (space == PTX_SPACE_SHARED && address < SIM_WINDOW_BYTES)
            snprintf(nearby, sizeof nearby, "byte %" PRIu64 " of shared memory", address);
        else if (space != PTX_SPACE_GLOBAL ||
                 !describe_byte(block->grid, address, nearby, sizeof nearby))
            snprintf(nearby, sizeof nearby, "%s address 0x%" PRIx64, space_name(space), address);
        append(&block->fault,
               "misaligned %s of %u bytes at %s: the address is not a multiple of %u",
               verb_of(instr, space, alignment), bytes, nearby, alignment);
    } else {
        describe_space(warp, instr, space, address, bytes, nearby, sizeof nearby);
        append(&block->fault, "illegal %s of %u bytes at %s", verb_of(instr, space, alignment),
               bytes, nearby);
    }
    append_where(block, warp, at, lane);
}

void sim_fault_memory(sim_warp *warp) {
    if (!begin_fault(warp->block, SIM_OUT_OF_MEMORY, warp->block->grid->function, NULL)) return;
    warp->interrupt = SIM_INTERRUPT_FAULT;
    append(&warp->block->fault, "the host ran out of memory for registers or local memory");
}

const char *sim_lanes_text(uint32_t lanes, char *text, size_t bytes) {
    enum { RANGES = 6 };
    bool one = (lanes & (lanes - 1)) == 0;
    size_t used = (size_t)snprintf(text, bytes, one ? "lane" : "lanes");
    for (uint32_t lane = 0, count = 0; lane < SIM_WARP_LANES && used < bytes; lane++) {
        uint32_t last = lane;
        if (!(lanes >> lane & 1)) continue;
        while (last + 1 < SIM_WARP_LANES && lanes >> (last + 1) & 1) last++;
        const char *before = count == 0 ? " " : ", ";
        if (++count > RANGES) { // every second one, say
            snprintf(text + used, bytes - used, ", .. (%d lanes)", __builtin_popcount(lanes));
            break;
        }
        used += (size_t)snprintf(text + used, bytes - used, "%s%u", before, lane);
        if (last > lane && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, " to %u", last);
        lane = last;
    }
    return text;
}

// A line of a diagnosis: warps in a row of which the same is to be said share it.
typedef struct state_line {
    uint32_t first, last; // warps
    char text[768];       // "lanes .. at ..: .."; empty: no line yet
} state_line;

static void end_line(sim_block *block, state_line *line) {
    if (line->text[0] == '\0') return;
    if (line->first == line->last)
        append(&block->fault, "\n  warp %u, %s", line->first, line->text);
    else
        append(&block->fault, "\n  warps %u to %u, %s", line->first, line->last, line->text);
    line->text[0] = '\0';
}

static void add_line(sim_block *block, state_line *line, uint32_t warp, const char *text) {
    if (strcmp(line->text, text) == 0 && warp == line->last + 1) {
        line->last = warp;
        return;
    }
    end_line(block, line);
    line->first = line->last = warp;
    copy_text(line->text, sizeof line->text, text);
}

// What the lanes of a split are waiting for.
static void add_waiting(sim_block *block, state_line *line, const sim_warp *warp,
                        const sim_split *split) {
    const sim_function *function = split->frame->function;
    bool barrier = split->state == SIM_SPLIT_BARRIER;
    const sim_instr *instr = &function->code[barrier ? split->pc - 1 : split->pc];
    code_place at = place_of(split->frame, instr);
    char place[512], text[sizeof line->text];
    place_text(block, at.function, at.instr, place, sizeof place);
    char lanes[96];
    int used = snprintf(text, sizeof text,
                        "%s at %s: ", sim_lanes_text(split->lanes, lanes, sizeof lanes), place);
    char *end = text + used;
    size_t left = sizeof text - (size_t)used;
    if (barrier) {
        const sim_barrier *state = &block->barriers[split->barrier];
        uint32_t expected = state->expected_threads ? state->expected_threads : block->live_threads;
        snprintf(end, left, "barrier %u, %u of %u threads have arrived", split->barrier,
                 state->arrived_threads, expected);
    } else if (split->state == SIM_SPLIT_SYNC) {
        uint32_t missing = split->mask & warp->alive & ~split->lanes;
        bool one = (missing & (missing - 1)) == 0;
        snprintf(end, left, "%s.sync with member mask 0x%08x, %s %s missing",
                 sim_op_name((sim_op)instr->op), split->mask,
                 sim_lanes_text(missing, lanes, sizeof lanes), one ? "is" : "are");
    } else {
        snprintf(end, left, "running");
    }
    add_line(block, line, warp->index, text);
}

// "block (1,0,0) of kernel"
static void append_block(sim_block *block) {
    int length;
    const char *kernel = sim_kernel_name(block->grid->function->name, &length);
    append(&block->fault, "block (%u,%u,%u) of %.*s", block->id.x, block->id.y, block->id.z, length,
           kernel);
}

void sim_fault_deadlock(sim_block *block, sim_warp *stuck) {
    const sim_warp *first = stuck;
    for (uint32_t i = 0; !first && i < block->warp_count; i++)
        if (block->warps[i].split_count) first = &block->warps[i];
    if (!first || first->split_count == 0) first = &block->warps[0];
    const sim_split *split = &first->splits[0];
    bool known = first->split_count > 0;
    const sim_instr *instr = NULL;
    if (known) {
        uint32_t pc = split->state == SIM_SPLIT_BARRIER ? split->pc - 1 : split->pc;
        instr = &split->frame->function->code[pc];
    }
    code_place at =
        known ? place_of(split->frame, instr) : (code_place){block->grid->function, NULL};
    if (!begin_fault(block, SIM_DEADLOCK, at.function, at.instr)) return;
    if (known) block->fault.thread = thread_of(first, (uint32_t)__builtin_ctz(split->lanes));
    append(&block->fault, "deadlock in ");
    append_block(block);
    append(&block->fault, ": no thread can make progress");
    state_line line = {.text = ""};
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        if (stuck && warp != stuck) continue;
        for (uint32_t k = 0; k < warp->split_count; k++)
            add_waiting(block, &line, warp, &warp->splits[k]);
        if (warp->alive != warp->existing) {
            char text[128], lanes[96];
            uint32_t gone = warp->existing & ~warp->alive;
            snprintf(text, sizeof text, "%s %s exited", sim_lanes_text(gone, lanes, sizeof lanes),
                     (gone & (gone - 1)) == 0 ? "has" : "have");
            add_line(block, &line, i, text);
        }
    }
    end_line(block, &line);
}

// Running splits and waiting ones.
static void append_all_splits(sim_block *block) {
    state_line line = {.text = ""};
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        char place[512];
        if (warp->lanes && warp->frame && warp->pc < warp->frame->function->code_count) {
            code_place at = place_of(warp->frame, &warp->frame->function->code[warp->pc]);
            char text[sizeof line.text], lanes[96];
            snprintf(text, sizeof text, "%s at %s: running",
                     sim_lanes_text(warp->lanes, lanes, sizeof lanes),
                     place_text(block, at.function, at.instr, place, sizeof place));
            add_line(block, &line, i, text);
        }
        for (uint32_t k = 0; k < warp->split_count; k++)
            if (warp->splits[k].pc < warp->splits[k].frame->function->code_count)
                add_waiting(block, &line, warp, &warp->splits[k]);
    }
    end_line(block, &line);
}

// Where the first lanes are that wait for nothing: of a warp in the middle of its turn, else of one
// whose turn is over.
typedef struct running_lanes {
    const sim_warp *warp; // NULL: all wait
    code_place at;
    uint32_t lanes;
} running_lanes;

static running_lanes running_at(const sim_warp *warp, const sim_frame *frame, uint32_t pc,
                                uint32_t lanes) {
    const sim_function *function = frame->function;
    if (pc >= function->code_count) pc = function->code_count - 1;
    return (running_lanes){warp, place_of(frame, &function->code[pc]), lanes};
}

static running_lanes find_running(const sim_block *block) {
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        if (warp->lanes && warp->frame) return running_at(warp, warp->frame, warp->pc, warp->lanes);
    }
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const sim_warp *warp = &block->warps[i];
        for (uint32_t k = 0; k < warp->split_count; k++) {
            const sim_split *split = &warp->splits[k];
            if (split->state == SIM_SPLIT_READY)
                return running_at(warp, split->frame, split->pc, split->lanes);
        }
    }
    return (running_lanes){.warp = NULL};
}

static bool begin_at_running_warp(sim_block *block, sim_status kind) {
    running_lanes first = find_running(block);
    if (!first.warp) return begin_fault(block, kind, block->grid->function, NULL);
    if (!begin_fault(block, kind, first.at.function, first.at.instr)) return false;
    block->fault.thread = thread_of(first.warp, (uint32_t)__builtin_ctz(first.lanes));
    return true;
}

// "line 12", "lines 12 to 15"
static void append_lines(sim_block *block, const char *before, uint32_t first, uint32_t last) {
    if (first == last)
        append(&block->fault, "%sline %u", before, first);
    else
        append(&block->fault, "%slines %u to %u", before, first, last);
}

// The loop that lanes are in, and the one around it: either may be the one that never ends.
static void append_loop(sim_block *block, const running_lanes *running) {
    sim_loop inner, outer;
    uint32_t file, first, last, outer_file, outer_first, outer_last;
    const sim_function *function = running->at.function;
    if (!running->warp || !running->at.instr) return;
    uint32_t pc = (uint32_t)(running->at.instr - function->code);
    if (!sim_loops_around(function, pc, &inner, &outer)) return;
    if (!sim_loop_lines(function, &inner, &file, &first, &last)) return;
    append_lines(block, " in the loop of ", first, last);
    if (sim_loop_lines(function, &outer, &outer_file, &outer_first, &outer_last) &&
        outer_file == file && outer_first <= first && outer_last >= last &&
        (outer_first < first || outer_last > last))
        append_lines(block, ", inside that of ", outer_first, outer_last);
    append(&block->fault, ",");
    if (block->fault.line) return;
    block->fault.line = first; // jumps of a loop often have no line of their own
    copy_text(block->fault.file, sizeof block->fault.file,
              file_of(block, &(sim_location){.file = file, .line = first}));
}

void sim_fault_runaway(sim_block *block) {
    const running_lanes running = find_running(block);
    if (!begin_at_running_warp(block, SIM_RUNAWAY)) return;
    bool of_block = block->grid->max_block_instructions > 0 && sim_block_is_endless(block);
    append_block(block);
    append(&block->fault, ": the %s took more than %" PRIu64 " warp instructions",
           of_block ? "block" : "launch", of_block ? block->limit : block->launch_limit);
    append(&block->fault, ": an endless loop? Does each iteration change what its condition tests? "
                          "It stopped");
    append_loop(block, &running);
    append(&block->fault, " with");
    append_all_splits(block);
}

// Of an mbarrier that a warp waits for: what it still lacks. False: none waits for one.
static bool append_mbarrier(sim_block *block) {
    const sim_warp *warp = block->warps;
    uint64_t bits;
    for (uint32_t i = 0; i < block->warp_count && !warp->polled_mbarrier; i++)
        warp = &block->warps[i];
    if (!warp->polled_mbarrier || warp->polled_mbarrier - 1 + sizeof bits > warp->shared_bytes)
        return false;
    memcpy(&bits, warp->shared + warp->polled_mbarrier - 1, sizeof bits);
    sim_mbarrier barrier = sim_mbarrier_read(bits);
    append(&block->fault,
           ": the mbarrier (cuda::barrier, cuda::pipeline) at shared address 0x%x never ends its "
           "phase: ",
           warp->polled_mbarrier - 1);
    if (barrier.wanted == barrier.per_phase && barrier.bytes == 0)
        append(
            &block->fault,
            "nobody has arrived in the phase under way, and no other thread can. If the phase "
            "before it was meant, the wait names the wrong parity: 0 for the first phase, then 1 "
            "and 0 alternately");
    else if (barrier.bytes < 0)
        append(&block->fault,
               "%d bytes more have come than it was told to expect: the size of expect_tx must be "
               "that of all copies of the phase",
               -(int)barrier.bytes);
    else if (barrier.wanted)
        append(&block->fault,
               "%u of %u threads have arrived, and no other one can: the count that it is "
               "initialised with must be the number of threads that arrive",
               barrier.per_phase - barrier.wanted, barrier.per_phase);
    else
        append(&block->fault,
               "%d bytes that it was told to expect have not come: no copy under way brings them",
               (int)barrier.bytes);
    return true;
}

void sim_fault_spin(sim_block *block) {
    if (!begin_at_running_warp(block, SIM_DEADLOCK)) return;
    append(&block->fault, "deadlock in ");
    append_block(block);
    if (append_mbarrier(block)) {
        append_all_splits(block);
        return;
    }
    const sim_grid *grid = block->grid;
    const char *who =
        grid->cooperative ? " (nor can the host: a launch ends before the program goes on)"
        : grid->schedule.kind == SIM_SCHEDULE_FORWARD
            ? " (blocks may only wait for earlier ones, unless the launch is cooperative, and none "
              "for the host: a launch ends before the program goes on)"
            : " (blocks start in any order, here not in that of blockIdx, and may only wait for "
              "those that have started: let each take its number from a counter in memory, by "
              "atomicAdd)";
    append(&block->fault,
           ": every thread that is not waiting polls memory that no other thread can change%s",
           who);
    append_all_splits(block);
}
