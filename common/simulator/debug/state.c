// What a stopped launch looks like: blocks, lanes, calls, registers, memory. Only reads.
#include "debug/internal.h"
#include "decode/decode.h"

uint64_t debug_linear(const sim_block *block) {
    const sim_dim3 *size = &block->grid->launch->config.grid;
    return block->id.x + (uint64_t)size->x * (block->id.y + (uint64_t)size->y * block->id.z);
}

sim_debug_thread debug_thread_of(const debug_moment *moment, uint32_t lane) {
    if (!moment->warp) return (sim_debug_thread){0, 0, 0};
    return (sim_debug_thread){debug_linear(moment->warp->block), moment->warp->index, lane};
}

static sim_block *find_block(const sim_debugger *debugger, uint64_t linear) {
    for (uint32_t i = 0; i < debugger->block_count; i++)
        if (debug_linear(debugger->blocks[i]) == linear) return debugger->blocks[i];
    return NULL;
}

sim_warp *debug_find_warp(const sim_debugger *debugger, const sim_debug_thread *thread) {
    const sim_block *block = find_block(debugger, thread->block);
    return block && thread->warp < block->warp_count ? &block->warps[thread->warp] : NULL;
}

static uint32_t state_of(uint8_t split) {
    static const uint32_t states[] = {[SIM_SPLIT_READY] = SIM_DEBUG_DIVERGED,
                                      [SIM_SPLIT_SYNC] = SIM_DEBUG_AT_SYNC,
                                      [SIM_SPLIT_BARRIER] = SIM_DEBUG_AT_BARRIER};
    return states[split];
}

// Lanes that wait at a barrier are where it stands, although the split goes on behind it.
static uint32_t pc_of(const sim_split *split) {
    bool waits = split->state == SIM_SPLIT_BARRIER && split->pc > 0 &&
                 sim_is_barrier(&split->frame->function->code[split->pc - 1]);
    return split->pc - waits;
}

// Of lanes that have come to a point of reconvergence.
static bool find_arrived(const sim_warp *warp, uint32_t lane, debug_position *out) {
    for (uint32_t entry = 1; entry < warp->point_count; entry++) {
        const sim_reconvergence_point *point = &warp->points[entry];
        if (!(point->arrived >> lane & 1) || point->arrived == point->expected) continue;
        const sim_frame *frame = point->is_call ? point->frame->caller : point->frame;
        uint32_t pc = point->is_call ? point->frame->return_pc : point->pc;
        *out = (debug_position){frame, pc, SIM_DEBUG_RECONVERGING};
        return true;
    }
    return false;
}

debug_position debug_locate(const sim_debugger *debugger, const sim_warp *warp, uint32_t lane) {
    const debug_moment *now = &debugger->now;
    debug_position found = {NULL, 0, SIM_DEBUG_ABSENT};
    if (!(warp->existing >> lane & 1)) return found;
    if (warp == now->warp && now->lanes >> lane & 1)
        return (debug_position){now->frame, now->instr->pc, SIM_DEBUG_ACTIVE};
    found.state = SIM_DEBUG_EXITED;
    if (!(warp->alive >> lane & 1)) return found;
    if (warp != now->warp && warp->lanes >> lane & 1)
        return (debug_position){warp->frame, warp->pc, SIM_DEBUG_ACTIVE};
    // The newest split that is ready runs next.
    bool running = warp == now->warp || warp->lanes != 0;
    for (uint32_t i = warp->split_count; i-- > 0;) {
        const sim_split *split = &warp->splits[i];
        bool next = !running && split->state == SIM_SPLIT_READY;
        running |= next;
        if (!(split->lanes >> lane & 1)) continue;
        uint32_t state = next ? SIM_DEBUG_ACTIVE : state_of(split->state);
        return (debug_position){split->frame, pc_of(split), state};
    }
    if (find_arrived(warp, lane, &found)) return found;
    return (debug_position){warp->frame, warp->pc, SIM_DEBUG_ACTIVE}; // of a run under way
}

sim_location debug_location(const sim_function *function, uint32_t pc) {
    if (pc >= function->code_count) return (sim_location){0};
    uint32_t index = function->code[pc].location;
    return index < function->location_count ? function->locations[index] : (sim_location){0};
}

static const char *file_name(const sim_debugger *debugger, sim_location location) {
    const sim_program *program = debugger->grid->launch->program;
    return location.line && location.file < program->file_count ? program->files[location.file]
                                                                : "";
}

void debug_describe_place(const sim_debugger *debugger, const sim_function *function, uint32_t pc,
                          sim_debug_place *out) {
    sim_location location = debug_location(function, pc);
    memset(out, 0, sizeof *out);
    out->function = function->bound->index;
    out->pc = pc;
    out->ptx_line = pc < function->code_count ? function->code[pc].ptx_line : 0;
    out->line = location.line;
    snprintf(out->file, sizeof out->file, "%s", file_name(debugger, location));
    snprintf(out->kernel, sizeof out->kernel, "%s", function->name);
}

const uint8_t *debug_memory(const sim_debugger *debugger, const sim_warp *warp, uint32_t lane,
                            uint32_t space, uint64_t address, uint32_t bytes) {
    if (space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL || space == PTX_SPACE_PARAM) {
        if (address >= SIM_WINDOW_BYTES) return NULL;
        if (space == PTX_SPACE_SHARED) address += warp ? warp->shared_first : SIM_SHARED_START;
        address += space == PTX_SPACE_SHARED  ? SIM_SHARED_WINDOW
                   : space == PTX_SPACE_LOCAL ? SIM_LOCAL_WINDOW
                                              : SIM_PARAM_WINDOW;
    }
    if (warp) return sim_warp_peek(warp, lane, address, bytes);
    const sim_memory *memory = debugger->grid->memory;
    const sim_allocation *found = sim_mem_find(memory, address);
    if (!found || bytes > found->bytes - (address - found->base)) return NULL;
    return sim_mem_origin(memory) + address;
}

sim_debug_stop debug_stop_of(const sim_debugger *debugger, sim_debug_reason reason,
                             const debug_moment *moment, uint32_t lane) {
    sim_debug_stop stop;
    const sim_grid *grid = debugger->grid;
    memset(&stop, 0, sizeof stop);
    stop.reason = reason;
    stop.time = moment->time;
    stop.thread = debug_thread_of(moment, lane);
    stop.launch = debugger->launch;
    snprintf(stop.kernel, sizeof stop.kernel, "%s", grid->launch->function->name);
    stop.grid = grid->launch->config.grid;
    stop.block = grid->launch->config.block;
    stop.dynamic_shared_bytes = grid->launch->config.dynamic_shared_bytes;
    stop.module = (uintptr_t)grid->launch->program;
    return stop;
}

// ---- Answers ------------------------------------------------------------------------------------

static sim_status no_thread(const sim_debugger *debugger, const sim_debug_thread *thread,
                            kl_error *err) {
    const sim_dim3 *size = &debugger->grid->launch->config.grid;
    uint64_t x = thread->block % size->x, y = thread->block / size->x % size->y;
    return sim_fail(err, SIM_NOT_FOUND,
                    "block (%llu,%llu,%llu) does not run at this time: blocks run one after the "
                    "other here",
                    (unsigned long long)x, (unsigned long long)y,
                    (unsigned long long)(thread->block / size->x / size->y));
}

static uint32_t list_blocks(const sim_debugger *debugger, uint8_t *data) {
    sim_debug_block *rows = (sim_debug_block *)data;
    uint32_t count = 0, most = SIM_DEBUG_DATA / sizeof *rows;
    for (uint32_t i = 0; i < debugger->block_count && count < most; i++) {
        const sim_block *block = debugger->blocks[i];
        bool runs = debugger->now.warp && debugger->now.warp->block == block;
        if (block->live_threads == 0 && !runs) continue;
        rows[count++] = (sim_debug_block){debug_linear(block), block->warp_count,
                                          block->live_threads, block->shared_bytes, runs};
    }
    return count * (uint32_t)sizeof *rows;
}

void debug_describe_lane(const sim_function *function, uint32_t pc, uint32_t state,
                         sim_debug_lane *out) {
    sim_location location = debug_location(function, pc);
    *out = (sim_debug_lane){.state = state,
                            .function = function->bound->index,
                            .pc = pc,
                            .ptx_line = pc < function->code_count ? function->code[pc].ptx_line : 0,
                            .line = location.line,
                            .file = location.file};
}

static uint32_t list_lanes(const sim_debugger *debugger, const sim_warp *warp, uint8_t *data) {
    sim_debug_lane *rows = (sim_debug_lane *)data;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        debug_position at = debug_locate(debugger, warp, lane);
        rows[lane] = (sim_debug_lane){.state = at.state};
        if (at.frame) debug_describe_lane(at.frame->function, at.pc, at.state, &rows[lane]);
    }
    return SIM_WARP_LANES * (uint32_t)sizeof *rows;
}

// Frame number `frame` of a thread, 0 the innermost, and where it is in it.
static bool find_frame(const sim_debugger *debugger, const sim_warp *warp, uint32_t lane,
                       uint32_t number, debug_position *out) {
    *out = debug_locate(debugger, warp, lane);
    for (; out->frame && number > 0; number--) {
        out->pc = out->frame->return_pc - 1;
        out->frame = out->frame->caller;
    }
    return out->frame;
}

static uint32_t list_frames(const sim_debugger *debugger, const sim_warp *warp, uint32_t lane,
                            uint8_t *data) {
    sim_debug_place *rows = (sim_debug_place *)data;
    uint32_t count = 0, most = SIM_DEBUG_DATA / sizeof *rows;
    debug_position at;
    if (most > SIM_DEBUG_FRAMES) most = SIM_DEBUG_FRAMES;
    while (count < most && find_frame(debugger, warp, lane, count, &at))
        debug_describe_place(debugger, at.frame->function, at.pc, &rows[count++]);
    return count * (uint32_t)sizeof *rows;
}

// From register number `first` on.
static uint32_t list_names(const sim_function *function, uint64_t first, uint8_t *data) {
    uint32_t bytes = 0;
    uint64_t number = 0;
    for (uint32_t i = 0; i < function->name_count; i++) {
        uint32_t length = (uint32_t)strlen(function->names[i].name) + 1;
        if (function->names[i].kind != SIM_NAME_REGISTER || number++ < first) continue;
        if (bytes + length > SIM_DEBUG_DATA) break;
        memcpy(data + bytes, function->names[i].name, length);
        bytes += length;
    }
    return bytes;
}

static const sim_name *find_name(const sim_function *function, const char *name) {
    for (uint32_t i = 0; i < function->name_count; i++)
        if (strcmp(function->names[i].name, name) == 0) return &function->names[i];
    return NULL;
}

static sim_status read_register(const sim_warp *warp, const sim_frame *frame, const char *name,
                                sim_debug_register *out, kl_error *err) {
    const sim_name *found = find_name(frame->function, name);
    sim_special_id id;
    memset(out, 0, sizeof *out);
    if (!found && sim_special_find(name, &id)) {
        out->bytes = 4;
        for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++)
            out->values[lane] = sim_special_value(warp, id, lane);
        return SIM_OK;
    }
    if (!found || found->kind != SIM_NAME_REGISTER)
        return sim_fail(err, SIM_NOT_FOUND, "No register \"%s\" in this function.", name);
    out->bytes = found->bytes;
    const uint8_t *slot = frame->registers + found->place;
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        if (found->bytes == 0) {
            out->values[lane] = *(const uint32_t *)slot >> lane & 1;
        } else { // a lane's two halves of 128 bits are 32 lanes apart
            uint32_t each = found->bytes == 4 ? 4 : 8;
            memcpy(&out->values[lane], slot + (size_t)lane * each, each);
        }
    }
    return SIM_OK;
}

static sim_status read_memory(const sim_debugger *debugger, const sim_warp *warp,
                              const sim_debug_request *request, uint8_t *data, kl_error *err) {
    uint64_t at = request->address, end = at + request->bytes;
    if (request->bytes > SIM_DEBUG_DATA) return sim_fail(err, SIM_INVALID_VALUE, "too many bytes");
    while (at < end) { // a word, or less: local memory is interleaved
        uint32_t bytes = 4 - (uint32_t)(at % 4);
        if (bytes > end - at) bytes = (uint32_t)(end - at);
        const uint8_t *from =
            debug_memory(debugger, warp, request->thread.lane, request->space, at, bytes);
        if (!from)
            return sim_fail(err, SIM_INVALID_VALUE, "Cannot access memory at address 0x%llx",
                            (unsigned long long)at);
        memcpy(data + (at - request->address), from, bytes);
        at += bytes;
    }
    return SIM_OK;
}

// "tile" of _ZZ4workPiiE4tile, a variable of a function.
static bool is_of_function(const char *symbol, const char *name) {
    char end[SIM_DEBUG_NAME + 32];
    if (strncmp(symbol, "_ZZ", 3) != 0) return false;
    int length = snprintf(end, sizeof end, "E%zu%s", strlen(name), name);
    size_t bytes = strlen(symbol);
    return bytes > (size_t)length && strcmp(symbol + bytes - (size_t)length, end) == 0;
}

// A variable by its name in the PTX, or of this kernel by its name in the source.
static const sim_symbol *variable_of(const sim_debugger *debugger, const char *name) {
    const sim_program *program = debugger->grid->launch->program;
    const char *kernel = debugger->grid->launch->function->name;
    const sim_symbol *found = sim_program_symbol(program, name);
    size_t mangled = strncmp(kernel, "_Z", 2) == 0 ? 2 : 0;
    for (uint32_t i = 0; !found && i < program->symbol_count; i++)
        if (is_of_function(program->symbols[i].name, name) &&
            strstr(program->symbols[i].name, kernel + mangled))
            found = &program->symbols[i];
    return found;
}

static sim_status find_symbol(const sim_debugger *debugger, const sim_frame *frame,
                              const char *name, sim_debug_symbol *out, kl_error *err) {
    const sim_name *local = frame ? find_name(frame->function, name) : NULL;
    if (local && local->kind == SIM_NAME_LOCAL) {
        *out = (sim_debug_symbol){PTX_SPACE_LOCAL, frame->local_base + local->place, 0};
        return SIM_OK;
    }
    if (local && local->kind == SIM_NAME_PARAM) {
        *out = (sim_debug_symbol){PTX_SPACE_PARAM, local->place, 0};
        return SIM_OK;
    }
    const sim_symbol *symbol = variable_of(debugger, name);
    if (!symbol) return sim_fail(err, SIM_NOT_FOUND, "No symbol \"%s\" in current context.", name);
    *out = (sim_debug_symbol){symbol->space, symbol->address, symbol->size_bytes};
    if (symbol->is_dynamic_shared) {
        out->address = debugger->grid->launch->function->dynamic_shared_offset;
        out->bytes = debugger->grid->launch->config.dynamic_shared_bytes;
    }
    return SIM_OK;
}

// ---- Digest -------------------------------------------------------------------------------------

static uint64_t digest_warp(const sim_debugger *debugger, uint64_t sum, const sim_warp *warp) {
    sum = sim_digest(sum, &warp->alive, sizeof warp->alive);
    for (uint32_t lane = 0; lane < SIM_WARP_LANES; lane++) {
        debug_position at = debug_locate(debugger, warp, lane);
        sum = sim_digest(sum, &at.pc, sizeof at.pc);
        sum = sim_digest(sum, &at.state, sizeof at.state);
        for (const sim_frame *frame = at.frame; frame; frame = frame->caller)
            sum = sim_digest(sum, frame->registers, frame->function->frame_bytes);
    }
    return warp->local ? sim_digest(sum, warp->local, (size_t)warp->local_bytes * SIM_WARP_LANES)
                       : sum;
}

static uint64_t digest_all(const sim_debugger *debugger) {
    uint64_t sum = SIM_DIGEST_BEGIN;
    size_t count;
    const sim_memory *memory = debugger->grid->memory;
    const sim_allocation *allocations = sim_mem_list(memory, &count);
    for (size_t i = 0; i < count; i++)
        sum = sim_digest(sum, sim_mem_origin(memory) + allocations[i].base, allocations[i].bytes);
    for (uint32_t i = 0; i < debugger->block_count; i++) {
        const sim_block *block = debugger->blocks[i];
        sum = sim_digest(sum, &block->index, sizeof block->index);
        sum = sim_digest(sum, block->shared, block->shared_bytes);
        sum = sim_digest(sum, block->barriers, sizeof block->barriers);
        for (uint32_t w = 0; w < block->warp_count; w++)
            sum = digest_warp(debugger, sum, &block->warps[w]);
    }
    return sim_digest(sum, &debugger->now.time, sizeof debugger->now.time);
}

static sim_status answer_frame(const sim_debugger *debugger, const sim_debug_request *request,
                               uint8_t *data, uint32_t *out_bytes, kl_error *err) {
    const sim_warp *warp = debug_find_warp(debugger, &request->thread);
    debug_position at = {NULL, 0, 0};
    bool has = warp && find_frame(debugger, warp, request->thread.lane, request->frame, &at);
    if (request->kind == SIM_DEBUG_ASK_SYMBOL) {
        *out_bytes = sizeof(sim_debug_symbol);
        return find_symbol(debugger, at.frame, request->name, (sim_debug_symbol *)data, err);
    }
    if (!warp) return no_thread(debugger, &request->thread, err);
    if (!has) return sim_fail(err, SIM_NOT_FOUND, "The thread has ended.");
    if (request->kind == SIM_DEBUG_ASK_NAMES) {
        *out_bytes = list_names(at.frame->function, request->address, data);
        return SIM_OK;
    }
    *out_bytes = sizeof(sim_debug_register);
    return read_register(warp, at.frame, request->name, (sim_debug_register *)data, err);
}

sim_status debug_answer(sim_debugger *debugger, const sim_debug_request *request, uint8_t *data,
                        uint32_t *out_bytes, kl_error *err) {
    const sim_warp *warp = debug_find_warp(debugger, &request->thread);
    uint32_t lane = request->thread.lane;
    if (lane >= SIM_WARP_LANES) return sim_fail(err, SIM_INVALID_VALUE, "no such lane");
    switch (request->kind) {
    case SIM_DEBUG_ASK_BLOCKS: *out_bytes = list_blocks(debugger, data); return SIM_OK;
    case SIM_DEBUG_ASK_LANES:
        if (!warp) return no_thread(debugger, &request->thread, err);
        *out_bytes = list_lanes(debugger, warp, data);
        return SIM_OK;
    case SIM_DEBUG_ASK_FRAMES:
        if (!warp) return no_thread(debugger, &request->thread, err);
        *out_bytes = list_frames(debugger, warp, lane, data);
        return SIM_OK;
    case SIM_DEBUG_ASK_NAMES:
    case SIM_DEBUG_ASK_REGISTER:
    case SIM_DEBUG_ASK_SYMBOL: return answer_frame(debugger, request, data, out_bytes, err);
    case SIM_DEBUG_ASK_MEMORY:
        *out_bytes = request->bytes;
        return read_memory(debugger, warp, request, data, err);
    case SIM_DEBUG_ASK_TEXT: {
        uint64_t left =
            request->address < debugger->text_bytes ? debugger->text_bytes - request->address : 0;
        *out_bytes = left < SIM_DEBUG_DATA ? (uint32_t)left : SIM_DEBUG_DATA;
        memcpy(data, debugger->text + request->address, *out_bytes);
        return SIM_OK;
    }
    case SIM_DEBUG_ASK_DIGEST: {
        uint64_t sum = digest_all(debugger);
        memcpy(data, &sum, sizeof sum);
        *out_bytes = sizeof sum;
        return SIM_OK;
    }
    case SIM_DEBUG_ASK_TIMES:
        for (uint32_t i = 0; i < debugger->board->snapshot_count; i++)
            memcpy(data + i * sizeof(uint64_t), &debugger->board->snapshots[i].time,
                   sizeof(uint64_t));
        *out_bytes = debugger->board->snapshot_count * (uint32_t)sizeof(uint64_t);
        return SIM_OK;
    default: return sim_fail(err, SIM_INVALID_VALUE, "no such request");
    }
}
