// State of the engine's end of the debugger. From the ground up: snapshot.c (processes), state.c
// (what a stopped launch looks like), points.c (where breakpoints lie), look.c (whether to stop,
// and what an instruction touches), debugger.c (stops, requests, and going on). Private to this
// module.
#pragma once

#include "debug/debugger.h"
#include "warps/block.h"
#include <semaphore.h>
#include <sys/types.h>

enum {
    DEBUG_SNAPSHOTS = 24,
    DEBUG_BLOCKS = 4096,
    DEBUG_INTERVAL = 1 << 19, // warp instructions from one snapshot to the next, at most
    DEBUG_POLL = 1 << 13      // from one look at clock and socket to the next
};
#define DEBUG_NEVER UINT64_MAX

// Where the thread that steps was when it began to.
typedef struct debug_start {
    sim_location location;
    uint32_t depth;
} debug_start;

typedef struct debug_snapshot {
    uint64_t time;
    pid_t process;
    uint32_t bell; // that wakes it
} debug_snapshot;

// What all processes of the engine share.
typedef struct debug_board {
    pid_t root, live; // who waits for all, and who runs
    bool ended;       // the live one has, with `status`
    int status;
    debug_snapshot snapshots[DEBUG_SNAPSHOTS]; // ascending by time
    uint32_t snapshot_count, snapshot_most;
    sem_t bells[DEBUG_SNAPSHOTS];
    bool has_owner[DEBUG_SNAPSHOTS]; // a snapshot has this bell
    sim_debug_point points[SIM_DEBUG_POINTS];
    uint32_t point_count;
    sim_debug_plan plan;
    uint64_t until;       // backwards and to a time: where to end
    uint64_t begun;       // backwards: where the user was
    debug_start start;    // where the thread that steps was when it began to
    uint32_t from;        // backwards: the snapshot from which it looks
    uint64_t told;        // time of the finding at which it stopped last
    sim_debug_stop found; // to a time: what to say there
} debug_board;

// An instruction that is about to be executed, or was.
typedef struct debug_moment {
    sim_warp *warp; // NULL: none yet
    const sim_instr *instr;
    const sim_frame *frame;
    uint32_t lanes, on;
    uint64_t time;
} debug_moment;

struct sim_debugger {
    int descriptor;
    debug_board *board;
    sim_stepper stepper;

    // Of the launch.
    const sim_grid *grid; // NULL: none is under way
    uint32_t launch;
    const char *text;
    size_t text_bytes;
    sim_debug_findings findings;
    sim_block *blocks[DEBUG_BLOCKS]; // that have run
    uint32_t block_count;
    uint64_t time;    // of the next instruction
    uint64_t due;     // when there is something else to do than to look
    double snapped_s; // this process's time when it made a snapshot last, or was woken
    uint64_t set_off; // from which the user went on last; DEBUG_NEVER: not from an instruction
    debug_moment now, before;

    // What it looks at.
    bool looks;
    uint8_t **marks;     // by function: by pc, index of a breakpoint + 1; NULL: has none
    uint32_t mark_count; // of functions
    uint32_t findings_seen;
    struct {
        uint8_t value[SIM_DEBUG_WATCHED_BYTES];
        bool written, read; // by the instruction `now`
        uint32_t lane;
    } watched[SIM_DEBUG_POINTS];
    debug_start start;   // forwards
    bool leaves;         // the thread that steps has just executed its last instruction
    bool knows_line;     // backwards: of the thread's last instruction
    debug_start last;    // that one's line
    uint64_t first;      // time of the thread's first instruction; DEBUG_NEVER: none yet
    sim_debug_stop best; // backwards: the last stop so far; its time DEBUG_NEVER: none
};

// ---- snapshot.c ----

// Whether it is time for one: what happens from one to the next takes some 30 ms.
bool debug_snapshot_is_due(const sim_debugger *debugger);
// Makes a snapshot of this moment. True: this process is the snapshot's child, which was woken.
bool debug_snapshot_take(sim_debugger *debugger);
// Index of the last one at `time` or before.
uint32_t debug_snapshot_before(const debug_board *board, uint64_t time);
// Ends those after `time`.
void debug_snapshots_drop(debug_board *board, uint64_t time);
void debug_snapshots_end(debug_board *board);
// Wakes it; this process ends.
_Noreturn void debug_snapshot_wake(sim_debugger *debugger, uint32_t index);

// ---- state.c ----

uint64_t debug_linear(const sim_block *block);
sim_debug_thread debug_thread_of(const debug_moment *moment, uint32_t lane);
// The warp of a thread; NULL: its block does not run.
sim_warp *debug_find_warp(const sim_debugger *debugger, const sim_debug_thread *thread);
typedef struct debug_position {
    const sim_frame *frame; // NULL: it has ended, or never was
    uint32_t pc, state;     // sim_debug_lane_state
} debug_position;
debug_position debug_locate(const sim_debugger *debugger, const sim_warp *warp, uint32_t lane);
sim_location debug_location(const sim_function *function, uint32_t pc);
void debug_describe_place(const sim_debugger *debugger, const sim_function *function, uint32_t pc,
                          sim_debug_place *out_place);
void debug_describe_lane(const sim_function *function, uint32_t pc, uint32_t state,
                         sim_debug_lane *out_lane);
// Host address of bytes of a thread's memory; NULL: there is none.
const uint8_t *debug_memory(const sim_debugger *debugger, const sim_warp *warp, uint32_t lane,
                            uint32_t space, uint64_t address, uint32_t bytes);
sim_debug_stop debug_stop_of(const sim_debugger *debugger, sim_debug_reason reason,
                             const debug_moment *moment, uint32_t lane);
// Answers what only reads: data of at most SIM_DEBUG_DATA bytes.
sim_status debug_answer(sim_debugger *debugger, const sim_debug_request *request, uint8_t *data,
                        uint32_t *out_bytes, kl_error *err);

// ---- points.c ----

// Where a breakpoint lies first; false: nowhere.
bool debug_resolve(const sim_debugger *debugger, const sim_debug_point *point,
                   const sim_function **out_function, uint32_t *out_pc);
// Marks the code of all breakpoints of the board.
void debug_mark(sim_debugger *debugger);
void debug_unmark(sim_debugger *debugger);

// ---- look.c ----

// Whether it loads, stores or is atomic at addresses that registers hold.
sim_debug_access debug_access_of(const sim_instr *instr);
// The address of a lane in memory, as the instruction `now` has it, before it is executed.
uint64_t debug_lane_address(const debug_moment *now, uint32_t lane);
// The same in `space`: GLOBAL, SHARED or LOCAL. False: it lies in another one.
bool debug_address_in(const sim_warp *warp, uint8_t instr_space, uint32_t space, uint64_t address,
                      uint64_t *out_address);
void debug_describe_instruction(const debug_moment *now, sim_debug_instruction *out);
// Begins to look, from `now` on, for what the board's plan and points ask.
void debug_look_begin(sim_debugger *debugger);
// Whether to stop here, from a stage on, which goes up from 0: there may be several reasons.
// behind: only for what the instruction before this one did.
bool debug_look(sim_debugger *debugger, bool behind, uint32_t *stage, sim_debug_stop *out_stop);
// The launch is over: what came of its last instruction.
bool debug_look_end(sim_debugger *debugger, sim_debug_stop *out_stop);
