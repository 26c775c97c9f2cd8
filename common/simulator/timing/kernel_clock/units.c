// What the warps of a block share: schedulers, pipes, the load/store unit, the port to the L2, the
// cache of constants. A warp is up to a stretch of code ahead of the others when it asks for one,
// so that each keeps what was asked of it by windows of some cycles, not the end of the last work.
#include "timing/kernel_clock/internal.h"

enum { WINDOW_PARTS = 1 << 12 }; // of its cycles that can be taken

void clock_units_begin(clock_units *units, const sim_device *device) {
    enum { FEW_CYCLES = 16, MANY_CYCLES = 96, OPERATIONS = 4 };
    memset(units, 0, sizeof *units);
    for (uint32_t s = 0; s < CLOCK_SCHEDULERS; s++) {
        units->schedulers[s].width = FEW_CYCLES;
        for (int p = 0; p < ISSUE_PIPES; p++) {
            double some = OPERATIONS * issue_pipe_cycles(device, p);
            units->pipes[s][p].width = some > FEW_CYCLES ? (uint32_t)some : FEW_CYCLES;
        }
    }
    // A conflict takes long, and much waits here.
    units->memory.width = units->port.width = units->constants.width = MANY_CYCLES;
}

// What is taken of a window.
static clock_window *window_of(clock_unit *unit, uint64_t number) {
    clock_window *at = &unit->of[number % CLOCK_WINDOWS];
    uint16_t lap = (uint16_t)(number / CLOCK_WINDOWS);
    if (at->lap != lap) *at = (clock_window){.lap = lap};
    return at;
}

// The first window that has something left, not before `from`.
static uint64_t first_window(clock_unit *unit, double from) {
    uint64_t number = (uint64_t)from / unit->width;
    while (window_of(unit, number)->taken == WINDOW_PARTS) number++;
    return number;
}

double clock_use(clock_unit *unit, double from, double cycles) {
    uint64_t first = first_window(unit, from);
    uint32_t wanted = (uint32_t)(cycles * WINDOW_PARTS / unit->width + 0.5);
    for (uint64_t number = first; wanted > 0; number++) {
        clock_window *at = window_of(unit, number);
        uint32_t left = WINDOW_PARTS - at->taken, part = left < wanted ? left : wanted;
        at->taken = (uint16_t)(at->taken + part);
        wanted -= part;
    }
    return sim_larger(from, (double)(first * unit->width));
}

// Of its pipes the one that is free first.
static double use_pipe(clock_units *units, uint32_t scheduler, const sim_device *device,
                       const clock_op *op, double from) {
    uint32_t best = ISSUE_PIPES;
    uint64_t first = UINT64_MAX;
    for (uint32_t p = 0; p < ISSUE_PIPES; p++) {
        uint64_t number = first;
        if (op->pipes >> p & 1) number = first_window(&units->pipes[scheduler][p], from);
        if (number >= first) continue;
        first = number;
        best = p;
    }
    if (best == ISSUE_PIPES) return from;
    double cycles = op->holds * issue_pipe_cycles(device, (int)best);
    return clock_use(&units->pipes[scheduler][best], from, cycles);
}

double clock_issue(clock_block *block, const sim_warp *warp, const clock_op *op, double from) {
    const sim_device *device = block->clocks->device;
    uint32_t scheduler = warp->index % device->schedulers_per_sm % CLOCK_SCHEDULERS;
    if (!block->shared || op->kind == CLOCK_BARRIER) return from; // arrivals wait by themselves
    double begin = use_pipe(&block->units, scheduler, device, op, from);
    double cycles = op->issues;
    if (op->kind == CLOCK_BRANCH) cycles = machine_constant.branch_dispatch;
    return clock_use(&block->units.schedulers[scheduler], begin, cycles);
}
