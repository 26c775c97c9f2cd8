// The CUDA runtime in device code: launches from kernels, streams, errors, queries (CUDA C++
// Programming Guide, "CUDA Dynamic Parallelism"). Error codes are those that an H200 with CUDA 13.0
// gives: every bad configuration is cudaErrorInvalidConfiguration, and each thread has a last error
// of its own. Running the launches is engine/children.c's work.
#include "warps/block.h"

static uint32_t thread_of(const sim_warp *warp, uint32_t lane) {
    return warp->index * SIM_WARP_LANES + lane;
}

static sim_children *children_of(const sim_warp *warp) { return warp->block->grid->children; }

// ---- errors of a thread -------------------------------------------------------------------------

// Beside the error: that the thread has asked for it, or that it was no launch's.
enum { ASKED = 0x8000 };

// Returns the thread's error before.
static uint16_t set_error(sim_warp *warp, uint32_t lane, int err) {
    sim_block *block = warp->block;
    if (!block->errors) block->errors = calloc(block->thread_count, sizeof *block->errors);
    if (!block->errors) return 0;
    uint16_t *place = &block->errors[thread_of(warp, lane)], before = *place;
    *place = (uint16_t)err;
    return before;
}

static bool is_unasked(uint16_t err) { return err && !(err & ASKED); }

// Returns `error` from the call and keeps it as the thread's last one.
static void fail(sim_warp *warp, const sim_instr *instr, uint32_t lane, int err) {
    set_error(warp, lane, err | ASKED);
    sim_builtin_return(warp, instr->extra, lane, (uint64_t)err);
}

static void succeed(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    sim_builtin_return(warp, instr->extra, lane, SIM_cudaSuccess);
}

// A launch fails: most programs never ask, so the reason is kept for people.
static void fail_launch(sim_warp *warp, const sim_instr *instr, uint32_t lane, int err,
                        const sim_function *kernel, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
static void fail_launch(sim_warp *warp, const sim_instr *instr, uint32_t lane, int err,
                        const sim_function *kernel, const char *format, ...) {
    sim_children *children = children_of(warp);
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (is_unasked(set_error(warp, lane, err)) || children->unasked++) return;
    const sim_function *function = warp->frame->function;
    sim_location at = {0};
    if (instr->location < function->location_count) at = function->locations[instr->location];
    snprintf(children->failure, sizeof children->failure, "launch of %s from %s, line %u: %s: %s",
             kernel->name, warp->block->grid->launch->function->name, at.line, sim_error_name(err),
             reason);
}

static void ask_error(sim_warp *warp, const sim_instr *instr, uint32_t lane, bool clears) {
    uint16_t *errors = warp->block->errors, err = errors ? errors[thread_of(warp, lane)] : 0;
    if (is_unasked(err)) {
        if (!sim_builtin_in_order(warp, instr, lane)) return;
        children_of(warp)->unasked--;
    }
    if (err) errors[thread_of(warp, lane)] = clears ? SIM_cudaSuccess : err | ASKED;
    sim_builtin_return(warp, instr->extra, lane, err & ~(uint32_t)ASKED);
}

void sim_builtin_get_last_error(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    ask_error(warp, instr, lane, true);
}

void sim_builtin_peek_at_last_error(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    ask_error(warp, instr, lane, false);
}

static void error_string(sim_warp *warp, const sim_instr *instr, uint32_t lane, bool is_name) {
    int err = (int)sim_builtin_argument(warp, instr->extra, 0, lane);
    sim_builtin_return(warp, instr->extra, lane,
                       children_of(warp)->strings + sim_error_string_at(err, is_name));
}

void sim_builtin_get_error_string(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    error_string(warp, instr, lane, false);
}

void sim_builtin_get_error_name(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    error_string(warp, instr, lane, true);
}

// ---- launches -----------------------------------------------------------------------------------

// An argument of three 32-bit words.
static sim_dim3 dim3_argument(const sim_warp *warp, const sim_call *call, uint32_t index,
                              uint32_t lane) {
    sim_dim3 value = {0, 0, 0};
    const sim_frame_param *param = &call->arguments[index];
    if (index < call->argument_count && param->size_bytes == sizeof value)
        memcpy(&value, warp->registers + param->slot + (size_t)lane * sizeof value, sizeof value);
    return value;
}

static const sim_function *kernel_at(const sim_program *program, uint64_t address) {
    uint64_t index = (address - SIM_CODE_WINDOW) / 16;
    if (address < SIM_CODE_WINDOW || address % 16 || index >= program->function_count) return NULL;
    return program->functions[index].is_entry ? &program->functions[index] : NULL;
}

// A buffer that nobody fills; NULL: there is none.
static sim_child *take_slot(sim_children *children) {
    for (uint32_t i = 0; i < children->slot_count; i++) {
        uint32_t at = (children->next_slot + i) % children->slot_count;
        if (children->slots[at].function) continue;
        children->next_slot = at + 1;
        return &children->slots[at];
    }
    return NULL;
}

// NULL when the launch would fail, as on a GPU; nvcc's code then leaves it out.
void sim_builtin_get_parameter_buffer(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_call *call = instr->extra;
    sim_children *children = children_of(warp);
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    uint64_t function = sim_builtin_argument(warp, call, 0, lane);
    sim_child child = {.function = kernel_at(warp->block->grid->launch->program, function),
                       .grid = dim3_argument(warp, call, 1, lane),
                       .block = dim3_argument(warp, call, 2, lane),
                       .dynamic_shared_bytes = (uint32_t)sim_builtin_argument(warp, call, 3, lane),
                       .from_block = warp->block->index,
                       .from_thread = thread_of(warp, lane)};
    sim_builtin_return(warp, call, lane, 0);
    if (!child.function) {
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_INSTRUCTION,
                       "launch of 0x%" PRIx64 ", which is no kernel of this program", function);
        return;
    }
    kl_error why;
    sim_status status = children->admit(children->context, &child, &why);
    if (status == SIM_UNSUPPORTED) {
        sim_fault_text(warp, instr, lane, status, "%s", why.text);
    } else if (status != SIM_OK) {
        fail_launch(warp, instr, lane, SIM_cudaErrorInvalidConfiguration, child.function, "%.200s",
                    why.text);
    } else {
        sim_child *slot = take_slot(children);
        if (!slot) {
            fail_launch(warp, instr, lane, SIM_cudaErrorLaunchPendingCountExceeded, child.function,
                        "all %u parameter buffers are in use", children->slot_count);
            return;
        }
        *slot = child;
        uint64_t index = (uint64_t)(slot - children->slots);
        uint64_t address = children->buffers + index * children->slot_bytes;
        if (warp->observing) sim_observe_heap(warp, address, children->slot_bytes);
        sim_builtin_return(warp, call, lane, address);
    }
}

static bool is_stream(const sim_children *children, uint64_t stream) {
    if (stream < SIM_STREAM_NAMED) return stream <= SIM_STREAM_FIRE_AND_FORGET;
    return stream - SIM_STREAM_NAMED < children->streams;
}

static sim_child *append(sim_children *children) {
    if (!sim_reserve(&children->launched, &children->capacity, children->count, sizeof(sim_child)))
        return NULL;
    return &children->launched[children->count];
}

// The launch takes its parameters along, so that the buffer is free again.
static void launch(sim_warp *warp, const sim_instr *instr, uint32_t lane, sim_child *child,
                   uint64_t buffer) {
    sim_children *children = children_of(warp);
    sim_child *launched = append(children);
    uint32_t bytes = child->function->entry_param_bytes;
    uint8_t *params = malloc(bytes ? bytes : 1);
    if (!launched || !params) {
        free(params);
        sim_fault_memory(warp);
        return;
    }
    memcpy(params, warp->origin + buffer, bytes);
    child->params = params;
    const sim_observer *observer = warp->block->grid->observer;
    if (observer && observer->launched) child->order = observer->launched(observer->context);
    *launched = *child;
    children->count++;
    children->tail_count += child->stream == SIM_STREAM_TAIL;
    succeed(warp, instr, lane);
}

void sim_builtin_launch_device(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    sim_children *children = children_of(warp);
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    uint64_t buffer = sim_builtin_argument(warp, instr->extra, 0, lane);
    uint64_t offset = buffer - children->buffers, index = offset / children->slot_bytes;
    if (buffer < children->buffers || index >= children->slot_count ||
        offset % children->slot_bytes || !children->slots[index].function) {
        fail(warp, instr, lane, SIM_cudaErrorInvalidValue);
        return;
    }
    sim_child child = children->slots[index];
    children->slots[index].function = NULL;
    child.stream = sim_builtin_argument(warp, instr->extra, 1, lane);
    int err = SIM_cudaSuccess;
    if (!is_stream(children, child.stream)) {
        err = SIM_cudaErrorInvalidValue;
        fail_launch(warp, instr, lane, err, child.function,
                    "its stream 0x%" PRIx64 " was not created by this grid", child.stream);
    } else if (child.stream == SIM_STREAM_TAIL && children->tail_count == children->tail_limit) {
        err = SIM_cudaErrorLaunchPendingCountExceeded;
        fail_launch(warp, instr, lane, err, child.function,
                    "%u tail launches are pending, as many as "
                    "cudaLimitDevRuntimePendingLaunchCount allows",
                    children->tail_count);
    } else if (children->count >= children->most) {
        sim_fault_text(
            warp, instr, lane, SIM_RUNAWAY,
            "launch of %s: the limit of %u launches from kernels below one launch of the "
            "host is reached",
            child.function->name, children->tree_limit);
    } else {
        launch(warp, instr, lane, &child, buffer);
    }
    if (err) sim_builtin_return(warp, instr->extra, lane, (uint64_t)err);
}

// ---- conditions of graphs -----------------------------------------------------------------------

// Of threads that set one, the last one in the order of blocks counts.
void sim_builtin_set_condition(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    sim_children *children = children_of(warp);
    uint64_t handle = sim_builtin_argument(warp, instr->extra, 0, lane);
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    if (handle - 1 < children->condition_count)
        children->conditions[handle - 1] =
            (uint32_t)sim_builtin_argument(warp, instr->extra, 1, lane);
    else
        sim_fault_text(warp, instr, lane, SIM_ILLEGAL_ADDRESS,
                       "cudaGraphSetConditional of 0x%" PRIx64
                       ", which cudaGraphConditionalHandleCreate has not made",
                       handle);
}

// ---- results through pointers -------------------------------------------------------------------

static void observe_store(const sim_warp *warp, const sim_instr *instr, uint32_t lane,
                          uint64_t address, uint32_t bytes) {
    uint64_t addresses[SIM_WARP_LANES] = {0};
    uint8_t space = PTX_SPACE_GLOBAL;
    addresses[lane] = address;
    if (address - SIM_SHARED_WINDOW < SIM_CLUSTER_WINDOW_BYTES) {
        space = PTX_SPACE_SHARED;
        addresses[lane] = sim_wide_shared_offset(warp, address);
    } else if (address - SIM_LOCAL_WINDOW < SIM_WINDOW_BYTES) {
        space = PTX_SPACE_LOCAL;
        addresses[lane] = address - SIM_LOCAL_WINDOW;
    } else if (!sim_mem_find(warp->block->grid->memory, address)) {
        return; // memory of the host
    }
    sim_observe_access(warp, instr, UINT32_C(1) << lane, space, bytes, SIM_ACCESS_WRITE, addresses);
}

// Stores `bytes` (4 or 8) at a generic address; false: a fault.
static bool store(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t address,
                  uint64_t value, uint32_t bytes) {
    bool fits = address % bytes == 0 && address - SIM_PARAM_WINDOW >= SIM_WINDOW_BYTES;
    for (uint32_t i = 0; i < bytes && fits; i += 4)
        fits = sim_warp_peek(warp, lane, address + i, 4);
    if (!fits) {
        sim_fault_address(warp, instr, lane, address, bytes, PTX_SPACE_NONE);
        return false;
    }
    if (warp->observing) observe_store(warp, instr, lane, address, bytes);
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t word = (uint32_t)(value >> 8 * i);
        memcpy((uint8_t *)sim_warp_peek(warp, lane, address + i, 4), &word, 4);
    }
    sim_note_change(warp);
    return true;
}

// The call's result through its first argument, and cudaSuccess.
static void answer(sim_warp *warp, const sim_instr *instr, uint32_t lane, uint64_t value,
                   uint32_t bytes) {
    uint64_t address = sim_builtin_argument(warp, instr->extra, 0, lane);
    if (store(warp, instr, lane, address, value, bytes)) succeed(warp, instr, lane);
}

// ---- streams ------------------------------------------------------------------------------------

// Flags as an H200 takes them: 0 too, although the guide asks for cudaStreamNonBlocking.
void sim_builtin_stream_create(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    enum { NON_BLOCKING = 1 };
    sim_children *children = children_of(warp);
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    if (sim_builtin_argument(warp, instr->extra, 1, lane) > NON_BLOCKING)
        fail(warp, instr, lane, SIM_cudaErrorInvalidValue);
    else answer(warp, instr, lane, SIM_STREAM_NAMED + children->streams++, 8);
}

// What waits in the stream still runs, and launches into it are taken on, as on an H200.
void sim_builtin_stream_destroy(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    uint64_t stream = sim_builtin_argument(warp, instr->extra, 0, lane);
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    if (stream >= SIM_STREAM_NAMED && is_stream(children_of(warp), stream))
        succeed(warp, instr, lane);
    else fail(warp, instr, lane, SIM_cudaErrorInvalidValue);
}

// ---- queries ------------------------------------------------------------------------------------

void sim_builtin_get_device(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    answer(warp, instr, lane, 0, 4);
}

void sim_builtin_get_device_count(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    answer(warp, instr, lane, 1, 4);
}

// No preference, whatever the host has asked for.
void sim_builtin_get_cache_config(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    answer(warp, instr, lane, 0, 4);
}

// What the device library of CUDA 13.0 says.
void sim_builtin_get_version(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    answer(warp, instr, lane, 6000, 4);
}

void sim_builtin_get_attribute(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    int attribute = (int)sim_builtin_argument(warp, instr->extra, 1, lane), value;
    if (sim_builtin_argument(warp, instr->extra, 2, lane) != 0)
        fail(warp, instr, lane, SIM_cudaErrorInvalidDevice);
    else if (!sim_attribute(warp->block->grid->launch->device, attribute, &value))
        fail(warp, instr, lane, SIM_cudaErrorInvalidValue);
    else answer(warp, instr, lane, (uint32_t)value, 4);
}

void sim_builtin_get_limit(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    const sim_children *children = children_of(warp);
    switch (sim_builtin_argument(warp, instr->extra, 1, lane)) { // enum cudaLimit
    case 0: answer(warp, instr, lane, children->stack_bytes, 8); break;
    case 1: answer(warp, instr, lane, children->output_bytes, 8); break;
    case 2: answer(warp, instr, lane, children->heap_bytes, 8); break;
    case 4: answer(warp, instr, lane, children->tail_limit, 8); break;
    default: fail(warp, instr, lane, SIM_cudaErrorUnsupportedLimit); break;
    }
}

// ---- memory -------------------------------------------------------------------------------------

// The device heap, as with malloc.
void sim_builtin_runtime_malloc(sim_warp *warp, const sim_instr *instr, uint32_t lane) {
    if (!sim_builtin_in_order(warp, instr, lane)) return;
    uint64_t bytes = sim_builtin_argument(warp, instr->extra, 1, lane);
    uint64_t address = sim_mem_heap_alloc(warp->block->grid->memory, bytes);
    if (warp->observing && address) sim_observe_heap(warp, address, bytes);
    if (address || bytes == 0) answer(warp, instr, lane, address, 8);
    else fail(warp, instr, lane, SIM_cudaErrorMemoryAllocation);
}
