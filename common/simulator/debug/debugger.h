// The debugger's two ends, in the engine and at the client, and what they say to each other.
#pragma once

#include "warps/grid.h"

// ---- protocol -----------------------------------------------------------------------------------
// What the debugger's two ends say to each other over a socket of packets: the engine, in which a
// launch is stopped (debugger.c), and the client that a user commands (client.c). Both are of one
// build, so messages are these structures as they are. The engine speaks first, when it stops; then
// it answers one request after the other until one of them is to go on.

enum {
    SIM_DEBUG_LANES = 32,
    SIM_DEBUG_NAME = 256,
    SIM_DEBUG_POINTS = 64,        // breakpoints and watchpoints together
    SIM_DEBUG_DATA = 32 << 10,    // bytes of one answer
    SIM_DEBUG_WATCHED_BYTES = 16, // of one watchpoint at most
    SIM_DEBUG_FRAMES = 64,        // of one answer
    SIM_DEBUG_SKIPS = 64          // of a plan
};

// A thread of the launch. Blocks by their linear index: x + width * (y + height * z).
typedef struct sim_debug_thread {
    uint64_t block;      // linear index
    uint32_t warp, lane; // of the block; of the warp
} sim_debug_thread;

// Where a thread is.
typedef struct sim_debug_place {
    uint32_t function, pc; // index of the program's functions, and of its code
    uint32_t ptx_line;     // in the text of the PTX
    uint32_t line;         // of the source; 0: unknown
    char file[SIM_DEBUG_NAME], kernel[SIM_DEBUG_NAME]; // of the source; the function, mangled
    // A client that knows inlined functions makes several places of one: how many calls it is out
    // of the innermost one, and which of the functions there, 0 the innermost.
    uint32_t call, inlined;
} sim_debug_place;

// Why the launch has stopped.
typedef enum sim_debug_reason {
    SIM_DEBUG_LAUNCH,     // it is about to begin
    SIM_DEBUG_STEPPED,    // the step is done
    SIM_DEBUG_BREAKPOINT, // of number `point`
    SIM_DEBUG_WATCHPOINT, // likewise; `old_value`, `new_value`
    SIM_DEBUG_FAULT,      // `text`, the sim_status in `point`; the launch ends when it goes on
    SIM_DEBUG_FINDING,    // `finding`
    SIM_DEBUG_INTERRUPT,  // it was asked to
    SIM_DEBUG_REACHED,    // the time that it was sent to
    SIM_DEBUG_BEGINNING,  // backwards it came to the launch's beginning
    SIM_DEBUG_END // a step came to the launch's end, which is over; no requests are answered
} sim_debug_reason;

// Where and why the launch has stopped.
typedef struct sim_debug_stop {
    uint32_t reason;         // sim_debug_reason
    uint32_t point;          // number of the breakpoint or watchpoint
    bool asks;               // backwards: whether this counts; the answer is sim_debug_plan.counts
    uint64_t time;           // warp instructions of the launch that have begun before
    sim_debug_thread thread; // that stopped it
    uint32_t launch;         // from 0
    char kernel[SIM_DEBUG_NAME];   // mangled
    sim_dim3 grid, block;          // in blocks, and in threads
    uint32_t dynamic_shared_bytes; // of each block
    uint64_t module;               // equal for launches of one program
    // Of the watched place, as in memory: before and after the access.
    uint8_t old_value[SIM_DEBUG_WATCHED_BYTES], new_value[SIM_DEBUG_WATCHED_BYTES];
    bool wrote, read;         // WATCHPOINT: what `thread` is known to have done
    char text[KL_ERROR_TEXT]; // FAULT: what happened
    sim_finding finding;      // FINDING: what was found
} sim_debug_stop;

// A breakpoint or a watchpoint.
typedef enum sim_debug_point_kind {
    SIM_DEBUG_AT_LINE,     // file (its last parts suffice; "": any) and line
    SIM_DEBUG_AT_FUNCTION, // its name in the source, or mangled
    SIM_DEBUG_ON_WRITE,    // space, address and bytes
    SIM_DEBUG_ON_READ,     // likewise
    SIM_DEBUG_ON_ACCESS    // likewise, either of both
} sim_debug_point_kind;

// One of them, as the client hands it over.
typedef struct sim_debug_point {
    uint32_t number, kind; // the user's number; sim_debug_point_kind
    bool asks;             // each time it is met it is the client that decides: it has a condition
    char name[SIM_DEBUG_NAME]; // of the file or the function
    uint32_t line;             // AT_LINE
    uint32_t space;            // ptx_space: GLOBAL, SHARED, LOCAL
    uint64_t address;          // ON_..: of the first byte, in its space
    uint32_t bytes;            // ON_..: how many
    sim_debug_thread thread;   // SHARED: whose block; LOCAL: whose memory
} sim_debug_point;

// How to go on.
typedef enum sim_debug_way {
    SIM_DEBUG_FORWARDS,
    SIM_DEBUG_BACKWARDS,
    SIM_DEBUG_TO_TIME, // `time`
    SIM_DEBUG_AS_WAS   // what was under way, after a breakpoint that asked
} sim_debug_way;
// What ends a step.
typedef enum sim_debug_step {
    SIM_DEBUG_CONTINUE,         // to the next stop
    SIM_DEBUG_LINE,             // another line of the thread
    SIM_DEBUG_LINE_OVER,        // the same, not in functions that are called
    SIM_DEBUG_OUT,              // of the function
    SIM_DEBUG_UNTIL,            // forwards: a line further down, or `time` as a line; or out
    SIM_DEBUG_INSTRUCTION,      // the thread's next
    SIM_DEBUG_INSTRUCTION_OVER, // the same, over calls
    SIM_DEBUG_ANY_OF            // forwards: the next one of `blocks` and `warps` that runs
} sim_debug_step;

// What the client wants of a launch that goes on.
typedef struct sim_debug_plan {
    uint32_t way, step;      // sim_debug_way, sim_debug_step
    sim_debug_thread thread; // which one steps
    uint64_t time;           // TO_TIME: where to; UNTIL: the line, 0: any that is further down
    uint32_t blocks, warps;  // ANY_OF: so many from the thread's on; warps of each block
    bool counts;             // AS_WAS: the stop that asked is one
    uint32_t skip_count;     // of `skips`
    // Lines of the PTX, [first, end), in which a step does not end: of inlined functions.
    struct {
        uint32_t first, end; // of one of them
    } skips[SIM_DEBUG_SKIPS];
} sim_debug_plan;

// What the client asks.
typedef enum sim_debug_ask {
    SIM_DEBUG_ASK_GO,      // plan; answered by the next stop
    SIM_DEBUG_ASK_POINTS,  // `count` points follow: all that there are
    SIM_DEBUG_ASK_RESOLVE, // point: sim_debug_place of where it lies; SIM_NOT_FOUND
    SIM_DEBUG_ASK_BLOCKS,  // sim_debug_block of those that are running
    SIM_DEBUG_ASK_LANES,   // thread: sim_debug_lane of all lanes of its warp
    SIM_DEBUG_ASK_FRAMES,  // thread: sim_debug_place of its calls, innermost first
    SIM_DEBUG_ASK_NAMES, // thread, frame: its registers from number `address` on, a NUL after each
    SIM_DEBUG_ASK_REGISTER,    // thread, frame, name: sim_debug_register
    SIM_DEBUG_ASK_INSTRUCTION, // sim_debug_instruction: the one that is next
    SIM_DEBUG_ASK_MEMORY,      // thread, space, address, bytes
    SIM_DEBUG_ASK_SYMBOL,      // thread, frame, name: sim_debug_symbol
    SIM_DEBUG_ASK_TEXT,        // part of the program's PTX, from byte `address` on
    SIM_DEBUG_ASK_DIGEST,      // uint64_t: of all that the launch has changed so far, for tests
    SIM_DEBUG_ASK_TIMES,       // uint64_t: times of the snapshots
    SIM_DEBUG_ASK_STOP         // without an answer: stop where it is
} sim_debug_ask;

// A request, with the fields that its kind says.
typedef struct sim_debug_request {
    uint32_t kind;                // sim_debug_ask
    sim_debug_thread thread;      // about which it asks
    uint32_t frame;               // calls out of the innermost one
    uint32_t space, bytes, count; // ptx_space; of memory; of points
    uint64_t address;             // of memory, or a number, as the kind says
    char name[SIM_DEBUG_NAME];    // of a register or variable
    sim_debug_plan plan;          // GO
    sim_debug_point point;        // RESOLVE
} sim_debug_request;

// Head of an answer; `bytes` of data follow.
typedef struct sim_debug_answer {
    uint32_t status; // sim_status
    uint32_t bytes;  // of data
    char text[256];  // why it failed
} sim_debug_answer;

// What a lane does.
typedef enum sim_debug_lane_state {
    SIM_DEBUG_ABSENT,       // the block has no such thread
    SIM_DEBUG_ACTIVE,       // of the lanes that run now, or next in their warp
    SIM_DEBUG_DIVERGED,     // ready, on another way than the active ones
    SIM_DEBUG_RECONVERGING, // waits where lanes that diverged meet
    SIM_DEBUG_AT_BARRIER,
    SIM_DEBUG_AT_SYNC, // waits for lanes that its mask names
    SIM_DEBUG_EXITED
} sim_debug_lane_state;

// A lane of a warp, and where it is.
typedef struct sim_debug_lane {
    uint32_t state;                        // sim_debug_lane_state
    uint32_t function, pc, ptx_line, line; // as in sim_debug_place
    uint32_t file;                         // index that is equal for equal files
} sim_debug_lane;

// A block that runs.
typedef struct sim_debug_block {
    uint64_t block;                        // linear index
    uint32_t warps, threads, shared_bytes; // threads: that have not ended
    bool runs;                             // the instruction under way is one of its
} sim_debug_block;

// What the next instruction does to memory.
typedef enum sim_debug_access {
    SIM_DEBUG_NO_ACCESS,
    SIM_DEBUG_LOAD,
    SIM_DEBUG_STORE,
    SIM_DEBUG_ATOMIC
} sim_debug_access;

// The instruction that is next, and the memory that it is about to touch. Accesses are those of ld,
// st, atom and red: not asynchronous copies, matrices, textures, parameters.
typedef struct sim_debug_instruction {
    sim_debug_thread thread; // the first of its lanes
    uint32_t lanes, on;      // of its warp: that are on this path; whose predicate holds
    sim_debug_lane at;       // where they are
    uint32_t depth;          // of calls
    bool is_barrier;         // of the block
    uint32_t access;         // sim_debug_access
    uint32_t space, bytes;   // ptx_space: GLOBAL, SHARED or LOCAL; of each lane
    uint32_t touching;       // lanes with an address
    uint64_t addresses[SIM_DEBUG_LANES]; // in the space
} sim_debug_instruction;

// A register of a warp.
typedef struct sim_debug_register {
    uint64_t values[SIM_DEBUG_LANES]; // of all lanes; of 128 bits the low half
    uint32_t bytes;                   // 0: a predicate
} sim_debug_register;

// Where a variable of the PTX lies.
typedef struct sim_debug_symbol {
    uint32_t space;          // ptx_space
    uint64_t address, bytes; // as SIM_DEBUG_ASK_MEMORY takes it; 0: not known
} sim_debug_symbol;

// ---- debugger.c ---------------------------------------------------------------------------------
// The engine's end of the debugger: launches run instruction by instruction, stop where they are
// asked to, and go back in time. A launch is deterministic, so that a moment of it is a number of
// instructions; to come to an earlier one, a snapshot from before it is woken and goes forward.
//
// A snapshot is a fork of the engine's process that sleeps. Memory of the device, blocks, the
// checker's shadow, everything is in it, and what did not change since is not copied. The process
// that was running until then ends. What outlives it lies in memory that they share.

// The debugger of one engine; opaque.
typedef struct sim_debugger sim_debugger;

// Findings of the checks, where the engine has any.
typedef struct sim_debug_findings {
    void *context; // handed to both; NULL: there are no checks
    // How many there are so far.
    uint32_t (*count)(void *context);
    // One of them, borrowed until the next instruction.
    const sim_finding *(*get)(void *context, uint32_t index);
} sim_debug_findings;

// Starts it in a process without threads, before anything is open that must be closed once: the
// caller goes on in a child, while this process waits for its end, ends all snapshots and exits
// with its status. `descriptor`: a socket of packets (SOCK_SEQPACKET), whose other end is a
// client's.
sim_status sim_debugger_new(int descriptor, sim_debugger **out_debugger, kl_error *err);
// The engine has ended; `status` is that of the process. Does not return.
_Noreturn void sim_debugger_exit(sim_debugger *debugger, int status);

// Around a launch. `text`: the PTX of the program, borrowed until the end. begin fills
// grid->stepper.
void sim_debugger_launch_begin(sim_debugger *debugger, sim_grid *grid, uint32_t launch,
                               const char *text, size_t text_bytes,
                               const sim_debug_findings *findings);
void sim_debugger_launch_end(sim_debugger *debugger);

// ---- client.c -----------------------------------------------------------------------------------
// The client's end of the debugger: what commands of a terminal, an editor or a page are made of.
// It waits for stops, reads what a stopped launch looks like, and lets it go on in either
// direction. While the program's host code runs, or a launch, nothing can be read: SIM_CONNECTION.

// One engine's client.
typedef struct sim_debug_client {
    int descriptor;      // of its socket
    bool stopped;        // a launch is; `stop` says where
    sim_debug_stop stop; // the last one
} sim_debug_client;

// The next stop, which has arrived when the descriptor can be read. SIM_CONNECTION: the engine has
// gone. SIM_DEBUG_END leaves `stopped` false.
sim_status sim_debug_wait(sim_debug_client *client, kl_error *err);
// Lets the launch go on; it stops no more until sim_debug_wait.
sim_status sim_debug_go(sim_debug_client *client, const sim_debug_plan *plan, kl_error *err);
// Asks a launch that runs to stop. Without effect while the host runs.
void sim_debug_ask_to_stop(sim_debug_client *client);

// All breakpoints and watchpoints that there are from now on, for this launch: each launch begins
// without any.
sim_status sim_debug_set_points(sim_debug_client *client, const sim_debug_point *points,
                                uint32_t count, kl_error *err);
// Where a breakpoint lies. SIM_NOT_FOUND.
sim_status sim_debug_resolve(sim_debug_client *client, const sim_debug_point *point,
                             sim_debug_place *out_place, kl_error *err);

// Blocks that run: at most `most`.
sim_status sim_debug_blocks(sim_debug_client *client, sim_debug_block *out_blocks, uint32_t most,
                            uint32_t *out_count, kl_error *err);
// The lanes of a thread's warp.
sim_status sim_debug_lanes(sim_debug_client *client, const sim_debug_thread *thread,
                           sim_debug_lane out_lanes[SIM_DEBUG_LANES], kl_error *err);
// Calls of a thread, the innermost first; of callers the place of the call.
sim_status sim_debug_frames(sim_debug_client *client, const sim_debug_thread *thread,
                            sim_debug_place out_frames[SIM_DEBUG_FRAMES], uint32_t *out_count,
                            kl_error *err);
// A register by its name in PTX, or a special one, of all lanes. SIM_NOT_FOUND.
sim_status sim_debug_read_register(sim_debug_client *client, const sim_debug_thread *thread,
                                   uint32_t frame, const char *name,
                                   sim_debug_register *out_register, kl_error *err);
// Names of a frame's registers, each with a NUL, and one more: for the caller to free.
sim_status sim_debug_names(sim_debug_client *client, const sim_debug_thread *thread, uint32_t frame,
                           char **out_names, kl_error *err);
// The instruction that is next, and the memory that it is about to touch.
sim_status sim_debug_next_instruction(sim_debug_client *client, sim_debug_instruction *out,
                                      kl_error *err);
// Memory as a thread sees it. space: ptx_space; NONE takes generic addresses.
sim_status sim_debug_read_memory(sim_debug_client *client, const sim_debug_thread *thread,
                                 uint32_t space, uint64_t address, void *out, uint64_t bytes,
                                 kl_error *err);
// Where a variable of the PTX lies. SIM_NOT_FOUND.
sim_status sim_debug_find_symbol(sim_debug_client *client, const sim_debug_thread *thread,
                                 uint32_t frame, const char *name, sim_debug_symbol *out_symbol,
                                 kl_error *err);
// The program's PTX, for the caller to free.
sim_status sim_debug_text(sim_debug_client *client, char **out_text, size_t *out_bytes,
                          kl_error *err);
// A number that is equal for equal states of the launch.
sim_status sim_debug_digest(sim_debug_client *client, uint64_t *out_digest, kl_error *err);
// Times of the snapshots: at most `most`.
sim_status sim_debug_times(sim_debug_client *client, uint64_t *out_times, uint32_t most,
                           uint32_t *out_count, kl_error *err);
