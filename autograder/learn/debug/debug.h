// The debugger in a terminal: reads commands as cuda-gdb has them, and prints what comes of them.
#pragma once

#include "debug/debugger.h"
#include "debug/variables/variables.h"
#include "sandbox/process/session.h"
#include "table.h"
#include "utilities/options.h"

// ---- terminal.c ---------------------------------------------------------------------------------

// How a session is to go.
typedef struct ladder_debug_options {
    const ladder_texts *scripts; // files of commands, which come first
    bool batch;                  // ends behind them
    bool check;                  // stops at findings of the checks, too
} ladder_debug_options;

// Debugs a program (argv[0]: its path). *out_failed: a command of a script did.
kl_status ladder_debug(const ladder_kit *kit, char *const *argv,
                       const ladder_debug_options *options, bool *out_failed, kl_error *err);

// ---- page.c -------------------------------------------------------------------------------------
// A recording of a launch as one page of HTML that loads nothing: each line that warps of a block
// execute, with lanes, variables, shared memory and accesses.

// Bounds of a recording. Where one cuts it, the page and the terminal say so.
enum {
    LADDER_DEBUG_PAGE_BYTES = 1900000,       // of the page, which stays below 2 MB
    LADDER_DEBUG_PAGE_MOMENTS = 6000,        // lines that warps execute
    LADDER_DEBUG_PAGE_INSTRUCTIONS = 150000, // warp instructions, some seconds
    LADDER_DEBUG_PAGE_SHARED = 16 << 10,     // bytes of shared memory, the first of each block
    LADDER_DEBUG_PAGE_WARPS = 32             // of all blocks together
};

// What is recorded, and where it goes.
typedef struct ladder_debug_recording {
    const char *path;       // of the page
    const char *title;      // "transpose, step 2"
    uint32_t launch;        // from 0
    uint64_t block;         // linear index of the first one
    uint32_t blocks, warps; // of each block the first; warps 0: as many as there is room for
    uint64_t from;          // time from which on
    bool check;             // records findings of the checks, too
} ladder_debug_recording;

// Runs a program (argv[0]: its path) and writes the page; says on standard output what is in it.
kl_status ladder_debug_page(const ladder_kit *kit, char *const *argv,
                            const ladder_debug_recording *recording, kl_error *err);

// ---- state of the terminal ----------------------------------------------------------------------
// State of the debugger's terminal, and what its files offer each other. From the ground up:
// place.c (threads, places and lines as text), value.c (expressions), stop.c (the program's run and
// its stops), then the commands: run.c, points.c, show.c, print.c; run.c also reads a line, which
// terminal.c runs. For this module and learn/dap, in which an editor takes the terminal's place.

// What fresh memory of the simulator holds, as a word.
#define DEBUG_NEVER_WRITTEN UINT32_C(0x7BDE7BAD)

enum { DEBUG_EXPRESSION = 256, DEBUG_DISPLAYS = 32, DEBUG_CACHED = 16 };

// A breakpoint or watchpoint of the user's.
typedef struct debug_row {
    sim_debug_point point;            // number 0: the row is free
    bool enabled, once;               // once: it goes when it is met
    char what[DEBUG_EXPRESSION];      // the place or the expression, as it was typed
    char condition[DEBUG_EXPRESSION]; // it stops only where this holds; "": always
    uint32_t hits;                    // how often it was met
    bool is_float;                    // what is watched
    bool placed;                      // some kernel so far had code for it
    bool decided;                     // where its condition holds, the terminal's `decide` is asked
} debug_row;

// An expression that is printed at each stop.
typedef struct debug_display {
    uint32_t number;                   // 0: free
    char format;                       // as in print/x; 0: the type's own
    char expression[DEBUG_EXPRESSION]; // as it was typed
} debug_display;

// The state of a debugger: of the program, of what the user has set, and of what is looked at.
typedef struct debug_terminal {
    const ladder_kit *kit; // of the labs
    char *const *argv;     // the program and its arguments, NULL last
    bool check;            // it stops at findings of the checks, too
    bool is_remote;        // an editor commands: nothing waits for stops here, or shows them
    // For an editor: whether the launch stops for a row that is `decided`. The focus is its thread.
    bool (*decide)(struct debug_terminal *t, debug_row *row);
    kl_style style; // of its texts

    ladder_session session;  // the program and its engine
    bool running;            // the program is
    sim_debug_client client; // of the engine
    sim_debug_way way;       // of the last `debug_go`
    bool stop_at_launch;     // the next one
    bool entered;            // a launch has stopped since the program began

    debug_row rows[SIM_DEBUG_POINTS];       // breakpoints and watchpoints
    debug_display displays[DEBUG_DISPLAYS]; // printed at each stop
    uint32_t next_number;                   // of the next breakpoint or watchpoint
    uint32_t next_display;                  // of the next display
    uint32_t next_value;                    // $N of the next value that is printed

    sim_debug_thread focus;        // the thread that is looked at
    uint32_t frame;                // of debug_frames, 0 the innermost
    uint32_t launch;               // of the focus
    char function[SIM_DEBUG_NAME]; // of the place that was shown last

    uint64_t module;          // of `variables`
    sim_variables *variables; // of the program's debug information; NULL: not read yet
    char *text;               // of the PTX
    size_t text_bytes;        // of it

    struct { // registers that were read at this stop
        char name[64];
        uint64_t block;
        uint32_t warp, frame;
        sim_debug_register all;
    } cached[DEBUG_CACHED];
    uint32_t cached_count; // of `cached`

    char list_file[SIM_DEBUG_NAME]; // where `list` goes on
    uint32_t list_line;             // its next line
    bool listed;                    // the command before was `list`
    bool quits;                     // the user wants to leave
    bool failed;                    // a command of a file failed
} debug_terminal;

// ---- place.c ----

// A block by its linear index, as (x,y,z).
sim_dim3 debug_block_of(const debug_terminal *t, uint64_t block);
// A thread by its warp and lane, as (x,y,z).
sim_dim3 debug_thread_at(const debug_terminal *t, uint32_t warp, uint32_t lane);
// "(1,0,0)" in one of a few buffers.
const char *debug_dim_text(sim_dim3 dim);
// "work<<<(2,1,1),(64,1,1)>>>", or without it the name of a function.
void debug_kernel_text(const debug_terminal *t, const char *mangled, bool with_sizes, char *text,
                       size_t bytes);
// The functions in which a thread is, innermost first: its calls, and what is inlined into them
// where the debug information knows it (`call` and `inlined` of a place; `kernel` is an inlined
// function's name). False, and a message: there are none.
bool debug_frames_of(debug_terminal *t, const sim_debug_thread *thread,
                     sim_debug_place frames[SIM_DEBUG_FRAMES], uint32_t *out_count, kl_error *err);
// The same of the focus.
bool debug_frames(debug_terminal *t, sim_debug_place frames[SIM_DEBUG_FRAMES], uint32_t *out_count,
                  kl_error *err);
// The call in which t->frame is: what the engine is asked about.
uint32_t debug_call(debug_terminal *t);
// The same path, or what stands behind the current folder in it.
const char *debug_path_from_here(const char *path);
// "work<<<(2,1,1),(64,1,1)>>> at a.cu:12".
void debug_show_function(const debug_terminal *t, const sim_debug_place *place, bool is_kernel);
// Line number and text of a source file; without one the line of the PTX.
void debug_show_line(debug_terminal *t, const sim_debug_place *place);
// Lines [first, end) of a file. False: it cannot be read, or has none of them.
bool debug_show_lines(const debug_terminal *t, const char *file, uint32_t first, uint32_t end);
void debug_say_focus(const debug_terminal *t);
// "Watchpoint", "Read watchpoint" or "Access watchpoint"; NULL: it is a breakpoint.
const char *debug_watch_name(const debug_row *row);
bool debug_is_stopped(const debug_terminal *t, kl_error *err);

// ---- value.c ----

// Evaluates an expression for a lane of the focus's warp. Free with sim_variables_value_free.
sim_status debug_evaluate(debug_terminal *t, uint32_t lane, const char *expression,
                          const sim_variables_format *format, sim_variables_value *out_value,
                          kl_error *err);
// The same for any thread that stands at a line of the PTX in one of its calls, 0 the innermost;
// inlined: which of the functions there that are inlined, 0 the innermost.
sim_status debug_evaluate_at(debug_terminal *t, const sim_debug_thread *thread, uint32_t frame,
                             uint32_t ptx_line, uint32_t inlined, const char *expression,
                             const sim_variables_format *format, sim_variables_value *out_value,
                             kl_error *err);
// Element or member `index` of an expression's value for the focus: its name and the expression for
// it, both for the caller to free.
sim_status debug_child(debug_terminal *t, const char *expression, uint32_t index, char **out_name,
                       char **out_expression, kl_error *err);
// At each stop: what was read is not so any more.
void debug_forget(debug_terminal *t);
void debug_close_variables(debug_terminal *t);
// "name" as a variable of shared memory of the PTX. False: there is none.
bool debug_shared_variable(debug_terminal *t, const char *name, sim_debug_symbol *out_symbol);

// ---- stop.c ----

// Starts the program and its engine, and waits for nothing.
kl_status debug_launch_program(debug_terminal *t, kl_error *err);
// The same, and waits for its first stop or end.
kl_status debug_start(debug_terminal *t, kl_error *err);
void debug_end(debug_terminal *t);
// What has arrived from the engine. *out_shown: it is a stop for the user.
kl_status debug_take_stop(debug_terminal *t, bool *out_shown, kl_error *err);
// Lets it go on and, unless is_remote, waits. time: as in sim_debug_plan.
kl_status debug_go(debug_terminal *t, sim_debug_way way, sim_debug_step step, uint64_t time,
                   kl_error *err);
// The name of a fault; NULL: it has none.
const char *debug_fault_name(const sim_debug_stop *stop);
// The watched place before and after the access.
void debug_show_watchpoint(debug_terminal *t);
// Prints the displays.
void debug_show_displays(debug_terminal *t);
void debug_show_display(debug_terminal *t, const debug_display *display);
// From now on Ctrl-C stops the launch, not this program.
void debug_catch_interrupt(void);

// ---- Commands ----

// What a command is given: "p/x i" has the format "x" and the text "i".
typedef struct debug_words {
    const char *format; // "": none
    const char *text;   // what stands behind the command
} debug_words;

// Executes a command.
typedef kl_status (*debug_command_fn)(debug_terminal *t, const debug_words *words, kl_error *err);
// A command that can be typed.
typedef struct debug_command {
    const char *name, *alias; // alias: ends in a blank each
    debug_command_fn run;     // what executes it
    bool repeats;             // an empty line is this command again
    const char *arguments;    // as `help` shows them
    const char *help;         // what it does
} debug_command;

#define DEBUG_COMMAND(identifier, name, alias, repeats, arguments, help)                           \
    kl_status debug_cmd_##identifier(debug_terminal *t, const debug_words *words, kl_error *err);
#include "learn/debug/commands.def"
#undef DEBUG_COMMAND

// terminal.c: whether a line begins with a command's name; and runs it.
bool debug_is_command(const char *line);
kl_status debug_run_line(debug_terminal *t, char *line, const debug_command **out_command,
                         kl_error *err);

enum { DEBUG_COMPLETIONS = 64 };
// Names that begin with what was typed; returns how many.
typedef uint32_t (*debug_complete_fn)(const char *typed, size_t length,
                                      const char *out[DEBUG_COMPLETIONS]);

// run.c: reads a line at a terminal, with keys to edit it. NULL: without them.
typedef struct debug_editor debug_editor;
debug_editor *debug_editor_new(debug_complete_fn complete);
void debug_editor_free(debug_editor *editor); // accepts NULL
// A line with its end, into what getline takes. is_terminal: after a prompt. False: there are no
// more.
bool debug_read_line(debug_editor *editor, FILE *in, bool is_terminal, char **line,
                     size_t *capacity);

// points.c: the row of a number; NULL: there is none.
debug_row *debug_row_of(debug_terminal *t, uint32_t number);
// A free row, emptied and enabled: for the caller to give a number to.
kl_status debug_new_row(debug_terminal *t, debug_row **out_row, kl_error *err);
// Fills a row with what an expression of the focus lies at. kind: one of SIM_DEBUG_ON_..
kl_status debug_watch(debug_terminal *t, debug_row *row, sim_debug_point_kind kind, kl_error *err);

// show.c: what a lane does, as words.
const char *debug_lane_text(uint32_t state);
