// Parts of a profile that its files alone make.
#pragma once

#include "show/profile/profile.h"

// ---- causes.c -----------------------------------------------------------------------------------
// Causes that lanes, sectors and banks do not show: memory that only looks local, slow pipes, and
// the resource that limits a launch although it is used well.

// Work that a launch would not need: issue slots of idle lanes, wavefronts of bank conflicts,
// sectors of uncoalesced accesses, addresses of constant memory.
enum { LADDER_LOSSES = 4 };
typedef struct ladder_loss {
    int kind;        // of the work
    uint32_t bounds; // of the resources that do it: bits 1 << sim_bound_kind
    uint32_t line;   // that loses most: index into the report's lines
    double share;    // of the launch's time that all lines lose at most
} ladder_loss;

// Those that are worth a word, largest first; returns their number.
int ladder_find_losses(const sim_launch_report *report, const sim_device *device,
                       ladder_loss losses[LADDER_LOSSES]);
// One sentence with the line.
void ladder_loss_text(const sim_launch_report *report, const ladder_loss *lost, char *text,
                      size_t text_bytes);

// Sectors that loads and stores of global memory move.
double ladder_global_sectors(const sim_counters *c);

// One sentence with the line that moves most sectors of local memory, when those are a good part of
// what the launch moves; false: they are not.
bool ladder_advise_local(const sim_launch_report *report, char *text, size_t text_bytes);

// One sentence with the line whose atomics on global memory the launch waits for: they go to few
// sectors, and no resource is busy for half of its time; false: it does not.
bool ladder_advise_atomics(const sim_launch_report *report, const sim_device *device, char *text,
                           size_t text_bytes);

// One sentence with the line that keeps the slow pipe busy, when the XU or the FP64 pipe is what
// limits the launch; false: it is not.
bool ladder_advise_slow_pipe(const sim_launch_report *report, char *text, size_t text_bytes);

// One sentence on the resource that limits the launch (but for the slow pipes), with the line that
// keeps it busy: how to need less of it, or that the launch is near its limit; false: waiting for
// operands limits.
bool ladder_advise_limit(const sim_launch_report *report, const sim_device *device, char *text,
                         size_t text_bytes);

// Largest time of the bounds whose bit (1 << kind) is set, in us.
double ladder_bound_us(const sim_launch_report *report, uint32_t kinds);
// Time of the launch without its start, in us; at least its largest bound.
double ladder_work_us(const sim_launch_report *report, const sim_device *device);

// A quantity of a line or of a launch.
typedef double (*ladder_quantity)(const sim_counters *counters);
// The line that has most of it; the launch as a whole without a line table.
sim_line_counters ladder_busiest(const sim_launch_report *report, ladder_quantity of);

// "1_interleaved.cu:41", or "this kernel" when there is no line table. Returns `where`.
const char *ladder_where(const sim_launch_report *report, const sim_line_counters *at, char *where,
                         size_t where_bytes);

// ---- maps ---------------------------------------------------------------------------------------
// Recorded accesses and branches of a launch as JSON.

// Key "maps" of a launch: of each memory instruction sums and two executions with the addresses of
// the lanes (null: off), of each branch that split a warp how often and which lanes, of each bulk
// tensor copy its first box. report->maps must not be NULL.
void ladder_maps_write(kl_json *json, const sim_launch_report *report);
