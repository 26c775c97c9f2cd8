// Launches of the in-process engine, and those by kernels (CUDA C++ Programming Guide, "CUDA
// Dynamic Parallelism"): a grid's launches run when it has ended, in the order in which it made
// them, each with all that it launches itself; then its tail launches in iteration. A GPU may
// choose this order. One launch of the host with all below it is a tree, of which this file keeps
// what the modelled time needs.
#include "engine/internal.h"

enum {
    MAX_LAUNCHES = 1 << 16, // below one of the host: each has a report of some kilobytes
    SLOTS = 4096            // parameter buffers: taken and not launched yet
};

typedef struct tree_node { // a grid that has run
    uint32_t parent;       // the root's is 0, itself
    uint32_t index;
    sim_launch *launch;          // owned; NULL: the host's. Checks compare the grids of a tree
    uint64_t stream, from_block; // as in sim_child
    uint32_t from_thread;        // likewise
    double own_us;
    double work_us;                            // of it and all below, if they filled the device
    double streams_us, launching_us, tails_us; // of its launches: longest stream, busiest thread
} tree_node;

typedef struct tree_launch { // a grid that waits
    uint32_t parent;
    sim_child child;
} tree_launch;

typedef struct tree {
    inprocess_engine *engine;
    sim_children children; // of the grid that runs
    tree_node *nodes;
    uint32_t node_count, node_capacity;
    tree_launch *waiting; // the last one is the next to run
    uint32_t waiting_count, waiting_capacity;
    uint32_t unasked;
} tree;

static sim_status no_memory(kl_error *err) {
    return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for launches from kernels");
}

static bool reserve(void **array, uint32_t *capacity, uint64_t count, size_t size) {
    if (count <= *capacity) return true;
    uint64_t wanted = count > 2 * (uint64_t)*capacity ? count + 16 : 2 * (uint64_t)*capacity;
    void *grown = wanted > UINT32_MAX ? NULL : realloc(*array, wanted * size);
    if (!grown) return false;
    *array = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

// ---- what a device keeps for kernels that launch ------------------------------------------------

static sim_status allocate(inprocess_engine *self, uint64_t bytes, const char *label,
                           uint64_t *out_address, kl_error *err) {
    TRY(sim_mem_alloc(self->memory, bytes, out_address, err));
    sim_mem_label(self->memory, *out_address, label);
    return self->checker ? sim_checker_allocated(self->checker, *out_address, false, err) : SIM_OK;
}

static sim_status make_strings(inprocess_engine *self, kl_error *err) {
    size_t bytes = sim_error_strings(NULL, 0);
    char *text = malloc(bytes);
    if (!text) return no_memory(err);
    sim_error_strings(text, bytes);
    uint64_t address = 0;
    sim_status status = allocate(self, bytes, "texts of errors", &address, err);
    if (status == SIM_OK) status = sim_mem_write(self->memory, address, text, bytes, err);
    if (status == SIM_OK) self->device_runtime.strings = address;
    free(text);
    return status;
}

// Buffers that hold the parameters of any kernel of the program.
static sim_status make_buffers(inprocess_engine *self, const sim_program *program, kl_error *err) {
    enum { ALIGN = 64 };
    sim_children *shared = &self->device_runtime;
    uint32_t most = ALIGN;
    for (uint32_t i = 0; i < program->function_count; i++)
        if (program->functions[i].entry_param_bytes > most)
            most = (program->functions[i].entry_param_bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (!shared->slots) shared->slots = calloc(SLOTS, sizeof *shared->slots);
    if (!shared->slots) return no_memory(err);
    if (most <= shared->slot_bytes) return SIM_OK;
    if (shared->buffers) sim_mem_release(self->memory, shared->buffers, NULL);
    shared->slot_bytes = 0;
    TRY(allocate(self, (uint64_t)most * SLOTS, "parameter buffers of launches from kernels",
                 &shared->buffers, err));
    shared->slot_count = SLOTS;
    shared->slot_bytes = most;
    return SIM_OK;
}

void inprocess_device_runtime_free(inprocess_engine *self) { free(self->device_runtime.slots); }

// Kernels find each other by their handles, which hold what the host has set for them.
static sim_status make_handles(inprocess_engine *self, uint32_t module, kl_error *err) {
    sim_function_handle handle;
    if (self->modules[module].launches) return SIM_OK;
    for (uint32_t i = 0;; i++) {
        sim_status status = inprocess_module_kernel(&self->base, module + 1, i, &handle, err);
        if (status == SIM_NOT_FOUND) break;
        TRY(status);
    }
    self->modules[module].launches = true;
    return SIM_OK;
}

static inprocess_function *function_of(const tree *t, const sim_function *function) {
    for (uint32_t i = 0; i < t->engine->function_count; i++)
        if (t->engine->functions[i].function == function) return &t->engine->functions[i];
    return NULL;
}

// ---- whether a launch may be --------------------------------------------------------------------

static sim_launch_config config_of(const sim_child *child) {
    const uint32_t *compiled = child->function->cluster;
    return (sim_launch_config){
        .grid = child->grid,
        .block = child->block,
        .dynamic_shared_bytes = child->dynamic_shared_bytes,
        .cluster = sim_compiled_cluster((sim_dim3){compiled[0], compiled[1], compiled[2]})};
}

static sim_status admit(void *context, const sim_child *child, kl_error *err) {
    const tree *t = context;
    const inprocess_function *function = function_of(t, child->function);
    sim_launch_config config = config_of(child);
    sim_launch launch;
    if (!function)
        return sim_fail(err, SIM_UNSUPPORTED, "%s cannot run here: its module is gone",
                        child->function->name);
    sim_launch_flaw flaw = inprocess_admit(t->engine, function, &config, NULL,
                                           child->function->entry_param_bytes, true, &launch, err);
    // What the device lacks ends the tree when the grid is to start.
    bool may = flaw == SIM_FLAW_NONE || flaw == SIM_FLAW_NO_CLUSTERS;
    return may && !child->function->refusal ? SIM_OK : (sim_status)err->status;
}

// ---- running ------------------------------------------------------------------------------------

static void begin_children(tree *t) {
    inprocess_engine *self = t->engine;
    sim_child *launched = t->children.launched;
    uint32_t capacity = t->children.capacity;
    t->children = self->device_runtime;
    t->children.launched = launched;
    t->children.capacity = capacity;
    t->children.conditions = self->conditions;
    t->children.condition_count = self->condition_count;
    t->children.tail_limit = self->now->pending_launches;
    t->children.most = MAX_LAUNCHES - t->node_count - t->waiting_count;
    t->children.tree_limit = MAX_LAUNCHES;
    t->children.stack_bytes = self->now->stack_bytes;
    t->children.output_bytes = self->now->output.cap_bytes ? self->now->output.cap_bytes : 1 << 20;
    t->children.heap_bytes = sim_mem_heap_bytes(self->memory);
    t->children.admit = admit;
    t->children.context = t;
}

// Those that a finished grid has launched wait, the first one on top.
static bool take_children(tree *t, uint32_t parent) {
    sim_children *children = &t->children;
    bool capacity = reserve((void **)&t->waiting, &t->waiting_capacity,
                            (uint64_t)t->waiting_count + children->count, sizeof *t->waiting);
    for (int tails = 1; tails >= 0; tails--)
        for (uint32_t i = children->count; i-- > 0;) {
            const sim_child *child = &children->launched[i];
            if ((child->stream == SIM_STREAM_TAIL) != tails) continue;
            if (capacity) t->waiting[t->waiting_count++] = (tree_launch){parent, *child};
            else free(child->params);
        }
    for (uint32_t i = 0; i < children->slot_count; i++) children->slots[i].function = NULL;
    children->count = 0;
    return capacity;
}

static void take_failures(tree *t, sim_launch_result *result) {
    if (t->children.unasked && !t->unasked)
        snprintf(result->note, sizeof result->note, "%s", t->children.failure);
    t->unasked += t->children.unasked;
}

// `how`: NULL for the host's launch.
static sim_status run_node(tree *t, launch_run *run, uint32_t parent, const sim_child *how,
                           sim_launch_result *result, kl_error *err) {
    if (!reserve((void **)&t->nodes, &t->node_capacity, (uint64_t)t->node_count + 1,
                 sizeof *t->nodes))
        return no_memory(err);
    sim_launch_result own;
    begin_children(t);
    run->children = &t->children;
    sim_status status = inprocess_run_kernel(t->engine, run, &own, err);
    take_failures(t, result);
    if (!take_children(t, t->node_count) && status == SIM_OK) status = no_memory(err);
    result->fault = own.fault;
    result->warp_instructions += own.warp_instructions;
    result->host_seconds += own.host_seconds;
    if (t->node_count == 0) {
        result->index = own.index;
        result->share = own.share;
    }
    tree_node *node = &t->nodes[t->node_count];
    *node = (tree_node){.parent = parent, .index = t->node_count++, .own_us = own.time_us};
    if (how) {
        node->stream = how->stream;
        node->from_block = how->from_block;
        node->from_thread = how->from_thread;
    }
    if (status == SIM_OK) node->work_us = own.time_us * own.share;
    return status;
}

static sim_status run_child(tree *t, const tree_launch *waiting, sim_launch_result *result,
                            kl_error *err) {
    const sim_child *child = &waiting->child;
    const sim_check_descent descent = {.parent = waiting->parent, .child = *child};
    sim_launch_config config = config_of(child);
    launch_run run = {
        .function = function_of(t, child->function),
        .from_launch = result->index + waiting->parent + 1,
        .descent = &descent,
    };
    uint32_t number = t->node_count;
    kl_error why;
    sim_launch *launch = malloc(sizeof *launch);
    sim_status status = SIM_OUT_OF_MEMORY;
    if (launch) {
        inprocess_admit(t->engine, run.function, &config, child->params,
                        child->function->entry_param_bytes, true, launch, &why);
        run.launch = launch;
        status = run_node(t, &run, waiting->parent, child, result, err);
    } else {
        no_memory(err);
    }
    if (t->node_count > number) t->nodes[number].launch = launch;
    else free(launch);
    free(child->params);
    return status;
}

// ---- modelled time ------------------------------------------------------------------------------

static int compare(uint64_t a, uint64_t b) { return (a > b) - (a < b); }

// What runs one after the other has one key.
static uint64_t stream_key(const tree_node *node) {
    if (node->stream == SIM_STREAM_TAIL) return UINT64_MAX;
    if (node->stream == SIM_STREAM_FIRE_AND_FORGET) return UINT64_C(1) << 63 | node->index;
    if (node->stream >= SIM_STREAM_NAMED) return UINT64_C(1) << 62 | node->stream;
    return node->from_block;
}

static uint64_t thread_key(const tree_node *node) {
    return node->from_block << 10 | node->from_thread;
}

// The last parents first, so that a grid comes after all that it has launched.
static int by_key(const void *left, const void *right, uint64_t (*key)(const tree_node *)) {
    const tree_node *a = *(const tree_node *const *)left, *b = *(const tree_node *const *)right;
    if (a->parent != b->parent) return compare(b->parent, a->parent);
    return compare(key(a), key(b));
}

static int by_stream(const void *left, const void *right) {
    return by_key(left, right, stream_key);
}

static int by_thread(const void *left, const void *right) {
    return by_key(left, right, thread_key);
}

// Until all below it have ended; grids of different streams overlap as far as the device has room.
static double total_us(const tree_node *node) {
    double children = node->streams_us > node->launching_us ? node->streams_us : node->launching_us;
    double total = node->own_us + node->tails_us;
    if (children > 0) total += machine_constant.child_first_us + children;
    return total > node->work_us ? total : node->work_us;
}

// `order`: all nodes but the root.
static void add_launching(tree *t, tree_node **order, uint32_t count) {
    double sum = 0;
    qsort(order, count, sizeof *order, by_thread);
    for (uint32_t i = 0; i < count; i++) {
        bool same = i > 0 && by_thread(&order[i - 1], &order[i]) == 0;
        sum = same ? sum + machine_constant.child_each_us : machine_constant.child_each_us;
        tree_node *parent = &t->nodes[order[i]->parent];
        parent->launching_us = sim_larger(parent->launching_us, sum);
    }
}

static void add_streams(tree *t, tree_node **order, uint32_t count) {
    double sum = 0;
    qsort(order, count, sizeof *order, by_stream);
    for (uint32_t i = 0; i < count; i++) {
        bool same = i > 0 && by_stream(&order[i - 1], &order[i]) == 0;
        tree_node *parent = &t->nodes[order[i]->parent];
        double own = total_us(order[i]);
        parent->work_us += order[i]->work_us;
        if (order[i]->stream == SIM_STREAM_TAIL) {
            parent->tails_us += machine_constant.child_first_us + own;
            continue;
        }
        own = sim_larger(own, machine_constant.child_each_us);
        sum = same ? sum + own : own;
        parent->streams_us = sim_larger(parent->streams_us, sum);
    }
}

static double tree_us(tree *t) {
    uint32_t count = t->node_count - 1;
    tree_node **order = malloc((count + 1) * sizeof *order);
    for (uint32_t i = 0; order && i < count; i++) order[i] = &t->nodes[i + 1];
    if (order && count) {
        add_launching(t, order, count);
        add_streams(t, order, count);
    }
    free(order);
    return total_us(&t->nodes[0]);
}

// ---- one launch of the host ---------------------------------------------------------------------

static void free_tree(tree *t) {
    while (t->waiting_count) free(t->waiting[--t->waiting_count].child.params);
    for (uint32_t i = 0; i < t->node_count; i++) free(t->nodes[i].launch);
    free(t->waiting);
    free(t->nodes);
    free(t->children.launched);
}

static void add_count(const tree *t, sim_launch_result *result) {
    size_t used = strlen(result->note);
    if (t->unasked > 1)
        snprintf(result->note + used, sizeof result->note - used,
                 "\n%u launches from kernels failed in all, and no thread asked for the error",
                 t->unasked);
}

// Makes what kernels need to launch this function's module. Moves the engine's functions.
static sim_status prepare_children(inprocess_engine *self, uint32_t module, kl_error *err) {
    TRY(make_handles(self, module, err));
    if (!self->device_runtime.strings) TRY(make_strings(self, err));
    return make_buffers(self, self->modules[module].program, err);
}

// Runs a kernel of the host's that may launch others, and all that it launches; the result is that
// of all of them together.
static sim_status run_tree(inprocess_engine *self, sim_function_handle handle, launch_run *run,
                           sim_launch_result *out_result, kl_error *err) {
    TRY(prepare_children(self, run->function->module, err));
    run->function = inprocess_function_of(self, handle);
    tree t = {.engine = self};
    sim_status status = run_node(&t, run, 0, NULL, out_result, err);
    while (status == SIM_OK && t.waiting_count) {
        tree_launch next = t.waiting[--t.waiting_count];
        status = run_child(&t, &next, out_result, err);
    }
    if (t.node_count) out_result->time_us = tree_us(&t);
    add_count(&t, out_result);
    free_tree(&t);
    return status;
}

sim_status inprocess_launch_kernel(sim_engine *engine, sim_function_handle handle,
                                   const sim_launch_config *config, const void *params,
                                   uint32_t param_bytes, sim_launch_result *out_result,
                                   kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    memset(out_result, 0, sizeof *out_result);
    inprocess_function *function = inprocess_function_of(self, handle);
    if (!function) return sim_fail(err, SIM_INVALID_HANDLE, "no such kernel: %u", handle);
    sim_launch launch;
    kl_error why;
    sim_launch_flaw flaw =
        inprocess_admit(self, function, config, params, param_bytes, false, &launch, &why);
    // Mistakes that the kernel's own limits show end the call; others end the launch, as a fault
    // that checks report.
    if (flaw == SIM_FLAW_DYNAMIC_SHARED || flaw == SIM_FLAW_REGISTERS ||
        flaw == SIM_FLAW_THREAD_REGISTERS)
        return sim_fail(err, (sim_status)why.status, "%s", why.text);
    if (self->checker)
        sim_checker_launch_submit(self->checker, config->queue, launch.program, launch.function);
    if (inprocess_may_wait(self, &launch))
        return inprocess_run_waiting(self, handle, &launch, out_result, err);
    launch_run run = {.launch = &launch, .function = function};
    sim_status status = launch.function->bound->calls_runtime
                            ? run_tree(self, handle, &run, out_result, err)
                            : inprocess_run_kernel(self, &run, out_result, err);
    inprocess_launch_done(self, &launch, out_result);
    return status;
}
