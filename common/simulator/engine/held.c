// Launches that wait for each other or for the host. One of them runs until its threads all wait or
// poll; then it is set aside with all of its state, in an executor of its own, and the program goes
// on.
// Which one goes on, and for how long, follows from the order of the launches and from what they
// write: never from the host's threads.
#include "engine/internal.h"
#include "this_machine.h"

struct inprocess_held {
    inprocess_held *next;
    uint32_t number;
    sim_function_handle handle;
    sim_launch launch;
    launch_run run;
    void *params; // of the launch
    sim_executor *executor;
    sim_grid_state state; // when it ran last
    bool others_ran;      // since then
    // On the program's clock, without its own work: when the blocks that fit beside each other
    // begin, how far those that run have come, and all; when it has written what others may poll,
    // and when what it looks at came there.
    double begin_us, now_us, latest_us, wrote_us, came_us;
    uint64_t begun;       // blocks, when it ran last
    check_parked *checks; // what these know of it while others run
    bool follows;         // its fault is that of an earlier one, with which it waits
};

// Kernels that launch others, or read clocks, run to their end at once; under a debugger all do.
bool inprocess_may_wait(const inprocess_engine *engine, const sim_launch *launch) {
    const sim_bound *bound = launch->function->bound;
    return launch->config.streams && bound->polls && !bound->calls_runtime && !bound->clock &&
           !launch->refusal && !engine->options.debugger;
}

static void free_held(inprocess_held *held) {
    if (!held) return;
    sim_executor_free(held->executor);
    free(held->params);
    free(held);
}

static inprocess_held *new_held(inprocess_engine *self, kl_error *err) {
    inprocess_held *held = self->spare_held;
    if (held) {
        self->spare_held = held->next;
        sim_executor *executor = held->executor;
        *held = (inprocess_held){.executor = executor};
        return held;
    }
    held = calloc(1, sizeof *held);
    if (held && sim_executor_new(1, &held->executor, err) == SIM_OK) return held;
    free_held(held);
    sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a launch that may wait");
    return NULL;
}

static void give_back(inprocess_engine *self, inprocess_held *held) {
    free(held->params);
    held->params = NULL;
    held->next = self->spare_held;
    self->spare_held = held;
}

// Returns the device in use before.
static uint32_t take_up(inprocess_engine *self, inprocess_held *held) {
    held->run.start = kl_now_s();
    if (held->checks)
        sim_checker_launch_take_up(self->checker, held->checks, held->launch.config.queue);
    inprocess_write_observer(self, &held->run.grid); // whose accesses these are
    return inprocess_use(self, held->launch.config.device);
}

static void set_aside(inprocess_engine *self, inprocess_held *held, uint32_t before) {
    if (self->checker)
        held->checks =
            sim_checker_launch_park(self->checker, held->checks, held->launch.config.queue);
    held->run.host_seconds += kl_now_s() - held->run.start;
    inprocess_use(self, before);
}

// ---- times --------------------------------------------------------------------------------------
// A launch that waits begins at its time and goes on when what it looks at has come: a store takes
// a while to the kernel that polls. Its own work, as the model has it, comes on top (timing/sm).

static double arrives_us(double wrote_us, uint32_t from, uint32_t to) {
    return wrote_us + (from == to ? LINK_FLAG_US : LINK_PEER_FLAG_US);
}

static void pass_time(inprocess_engine *self, const inprocess_held *held) {
    uint32_t device = held->launch.config.device;
    for (inprocess_held *other = self->held; other; other = other->next)
        if (other != held)
            other->came_us = sim_larger(
                other->came_us, arrives_us(held->wrote_us, device, other->launch.config.device));
    self->flags_us[device] = sim_larger(self->flags_us[device], held->wrote_us);
}

// What a block writes first does not wait for what it looks at then. Blocks that run here one after
// the other, and fit on the device together, all begin at the same time: their waits do not add up.
static void keep_time(inprocess_engine *self, inprocess_held *held, bool wrote) {
    const sim_grid_blocks blocks = sim_grid_blocks_of(held->executor);
    const bool is_first = held->begun == 0, begins = held->begun != blocks.begun;
    if (wrote || held->state == SIM_GRID_ENDED) {
        held->now_us = sim_larger(held->now_us, held->came_us);
        if (!is_first) held->came_us = 0;
    }
    held->latest_us = sim_larger(held->latest_us, held->now_us);
    if (!is_first && begins) {
        if ((held->begun - 1) / blocks.fit != (blocks.begun - 1) / blocks.fit)
            held->begin_us = held->latest_us;
        if (blocks.beside == 1) held->now_us = held->begin_us;
    }
    held->wrote_us = begins ? held->begin_us : held->now_us;
    held->begun = blocks.begun;
    if (wrote) pass_time(self, held);
}

// What others have written before it began lies there.
static void begin_time(const inprocess_engine *self, inprocess_held *held) {
    held->begin_us = held->now_us = held->latest_us = held->launch.config.start_us;
    for (uint32_t i = 0; i < self->options.devices; i++)
        if (self->flags_us[i] > 0)
            held->came_us = sim_larger(
                held->came_us, arrives_us(self->flags_us[i], i, held->launch.config.device));
}

static void go_on(inprocess_engine *self, inprocess_held *held) {
    uint32_t before = take_up(self, held);
    bool wrote;
    held->state = sim_grid_go_on(held->executor, held->others_ran, &wrote);
    held->others_ran = false;
    for (inprocess_held *other = self->held; wrote && other; other = other->next)
        other->others_ran = other->others_ran || other != held;
    keep_time(self, held, wrote);
    set_aside(self, held, before);
}

static sim_status end(inprocess_engine *self, inprocess_held *held, sim_launch_result *out_result,
                      kl_error *err) {
    uint32_t before = take_up(self, held);
    held->run.function = inprocess_function_of(self, held->handle);
    sim_grid_end(held->executor, &held->run.result);
    if (held->follows) held->run.result.fault.text[0] = '\0';
    sim_status status = inprocess_run_end(self, &held->run, out_result, err);
    out_result->waited_us = held->latest_us - held->launch.config.start_us;
    inprocess_launch_done(self, &held->launch, out_result);
    if (self->checker) sim_checker_parked_free(self->checker, held->checks);
    give_back(self, held);
    inprocess_use(self, before);
    return status;
}

static bool copy_params(inprocess_held *held) {
    size_t bytes = held->launch.param_bytes;
    held->params = malloc(bytes + 1);
    if (held->params && bytes) memcpy(held->params, held->launch.params, bytes);
    held->launch.params = held->params;
    return held->params;
}

sim_status inprocess_run_waiting(inprocess_engine *self, sim_function_handle handle,
                                 const sim_launch *launch, sim_launch_result *out_result,
                                 kl_error *err) {
    inprocess_held *held = new_held(self, err);
    if (!held) return SIM_OUT_OF_MEMORY;
    held->handle = handle;
    held->launch = *launch;
    held->run = (launch_run){
        .launch = &held->launch, .function = inprocess_function_of(self, handle), .waits = true};
    sim_status status = SIM_OUT_OF_MEMORY;
    if (copy_params(held)) status = inprocess_run_begin(self, &held->run, err);
    if (status != SIM_OK) {
        give_back(self, held);
        return status;
    }
    begin_time(self, held);
    held->state = SIM_GRID_ENDED;
    if (held->run.result.status == SIM_OK &&
        sim_grid_begin(held->executor, &held->run.grid, &held->run.result) == SIM_OK)
        go_on(self, held);
    if (held->state == SIM_GRID_ENDED) return end(self, held, out_result, err);
    inprocess_held **last = &self->held;
    while (*last) last = &(*last)->next;
    *last = held;
    out_result->held = held->number = ++self->held_count;
    return SIM_OK;
}

// ---- going on -----------------------------------------------------------------------------------

// Takes out the first that has ended; NULL: none has.
static inprocess_held *take_ended(inprocess_engine *self) {
    for (inprocess_held **link = &self->held; *link; link = &(*link)->next) {
        inprocess_held *held = *link;
        if (held->state != SIM_GRID_ENDED) continue;
        *link = held->next;
        return held;
    }
    return NULL;
}

static bool all_are(const inprocess_engine *self, sim_grid_state state) {
    for (const inprocess_held *held = self->held; held; held = held->next)
        if (held->state != state || held->others_ran) return false;
    return true;
}

// Of launches that wait for each other all blocks that fit on a device run at the same time, as on
// a card; one that waits alone is told of as any other.
static bool widen(inprocess_engine *self) {
    bool any = false;
    for (inprocess_held *held = self->held; self->held->next && held; held = held->next) {
        uint32_t before = take_up(self, held);
        bool widened = sim_grid_widen(held->executor);
        set_aside(self, held, before);
        if (widened) held->state = SIM_GRID_IDLES;
        any = any || widened;
    }
    return any;
}

// One fault tells of all of them.
static void give_up(inprocess_engine *self) {
    inprocess_held *first = self->held;
    for (inprocess_held *held = first; held; held = held->next) {
        held->run.grid.beside = first->next != NULL;
        held->follows = held != first;
        sim_grid_give_up(held->executor);
    }
    for (inprocess_held *held = first->next; held; held = held->next)
        sim_grid_give_up_beside(first->executor, held->executor);
    for (inprocess_held *held = first; held; held = held->next) go_on(self, held);
}

sim_status inprocess_launch_go_on(sim_engine *engine, uint32_t patience,
                                  sim_launch_result *out_result, kl_error *err) {
    inprocess_engine *self = (inprocess_engine *)engine;
    inprocess_held *ended = take_ended(self);
    for (inprocess_held *held = self->held; held; held = held->next) held->others_ran = true;
    while (!ended && self->held) {
        bool wrote = false;
        for (inprocess_held *held = self->held; held; held = held->next) {
            if (held->state == SIM_GRID_STUCK && !held->others_ran) continue;
            go_on(self, held);
        }
        ended = take_ended(self);
        for (inprocess_held *held = self->held; held; held = held->next) wrote |= held->others_ran;
        if (ended || wrote) continue;
        if (patience == SIM_WAIT_NOT) break;
        if (!all_are(self, SIM_GRID_STUCK) || widen(self)) continue;
        if (patience == SIM_WAIT_UNTIL_STUCK) break;
        give_up(self);
        ended = take_ended(self);
    }
    if (!ended) return SIM_OK;
    uint32_t number = ended->number;
    sim_status status = end(self, ended, out_result, err);
    out_result->held = number;
    return status;
}

void inprocess_held_free(inprocess_engine *engine) {
    for (inprocess_held *held; (held = engine->held);) {
        engine->held = held->next;
        if (engine->checker && held->checks) {
            sim_checker_launch_take_up(engine->checker, held->checks, held->launch.config.queue);
            sim_checker_parked_free(engine->checker, held->checks);
        }
        sim_grid_result_free(&held->run.result);
        sim_warp_traces_free(held->run.traces);
        free_held(held);
    }
    for (inprocess_held *held; (held = engine->spare_held);) {
        engine->spare_held = held->next;
        free_held(held);
    }
}
