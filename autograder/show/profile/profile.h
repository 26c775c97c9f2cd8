// A profile: what the engine reports of a program's kernel launches, and what to make of it: groups
// of like launches, metrics of a source line, the worst line in words, text for a terminal, JSON
// (ladder.profile/1).
#pragma once

#include "drawing.h"
#include "grade/rubric/rubric.h"
#include "json.h"
#include "records.h"
#include "sandbox/process/session.h"
#include "table.h"
#include "utilities/options.h"

// ---- profile.c ----------------------------------------------------------------------------------

enum {
    LADDER_LANES = 32,          // of a warp
    LADDER_LAUNCHES_MAX = 4096, // reports kept of one program
    LADDER_TIMELINES_MAX = 20,  // and of how many of them a timeline is made
    LADDER_CODES_MAX = 256,     // and the code kept
    LADDER_MAPS_MAX = 20        // and of how many of each kernel accesses are recorded
};

// What is recorded beyond counters; NULL: nothing.
typedef struct ladder_profile_request {
    bool timelines; // device/counters.h
    bool codes;     // device/counters.h
    bool maps;      // device/counters.h
} ladder_profile_request;

// The launches of a program.
typedef struct ladder_profile {
    sim_device device;                                // that was simulated
    char device_name[128];                            // its name
    sim_launch_report *launches[LADDER_LAUNCHES_MAX]; // [count], in their order
    uint32_t count;                                   // of launches
    uint32_t left_out;                                // launches beyond the maximum
    uint32_t prepare_launches;                        // of a step's preparation: the first ones
    uint32_t timeline_cycles;                         // that are shown of a timeline; 0: all
    sim_span_totals call;  // of the whole program, of a step that of its call (device/spans.h)
    const char *lab;       // whose step it is, by its short name; NULL: of none
    bool wrong;            // the results of a step's call are
    bool tells_fidelity;   // in JSON
    bool prints_timelines; // on the terminal; on the page and in JSON are all that were made
} ladder_profile;

// Takes the reports of all launches from the engine. Free with ladder_profile_free, also after a
// failure.
void ladder_profile_free(ladder_profile *profile);

// Sums of all launches.
void ladder_profile_totals(const ladder_profile *profile, sim_counters *out_totals,
                           double *out_time_us);

// What one source line did in a launch. A value that does not apply is NaN.
typedef struct ladder_line {
    double instructions;     // warp instructions
    double lanes;            // share of the lanes that are active, 0 .. 1
    double sectors;          // of global memory, a request of the kind that moves most
    const char *access;      // that kind: "load", "store" or "atomic"
    double wavefronts;       // of shared memory per load or store
    double ideal_wavefronts; // what it would be without conflicts
    double conflict;         // wavefronts / ideal_wavefronts
    double lost_lanes;       // issue slots whose lanes idle: instructions x idle share
    double lost_conflicts;   // wavefronts that conflicts cost
    double lost_sectors;     // sectors that neighbouring addresses would save
    double places;           // of constant memory, a load by a computed address
    double lost_places;      // all but one per load
} ladder_line;

// What the counters of a line come to. Lanes are those that are active, as Nsight Compute counts
// them (smsp__thread_inst_executed): a thread for which a branch's condition is false is no idle
// lane.
ladder_line ladder_line_measure(const sim_counters *counters);

// Cycles that an SM's share of the memory's bandwidth takes for a sector; a shared wavefront takes
// one.
double ladder_sector_cycles(const sim_device *device);

// One sentence on the line that loses most of what costs the launch most, naming file and line;
// false when none stands out.
bool ladder_profile_worst(const sim_launch_report *report, const sim_device *device, char *text,
                          size_t text_bytes);

// "65536 blocks of 256 threads, 12 registers, 1024 bytes of shared memory". Returns `text`.
const char *ladder_config_text(const sim_launch_report *report, char *text, size_t text_bytes);
// Local memory is a stack a thread: arrays with an index that is not constant, and spilled
// registers. Returns `text`.
const char *ladder_local_text(const sim_launch_report *report, char *text, size_t text_bytes);

// How many of the bounds, from the first, are worth showing.
int ladder_bounds_shown(const sim_launch_report *report);

// SMs used, waves, theoretical and achieved occupancy, two units at once: how many rows there are.
// label "": it belongs to the row before. term: heading of docs/glossary.md.
enum { LADDER_ACTIVITY_ROWS = 5 };
typedef struct ladder_activity_row {
    const char *label, *term; // of the row; heading of the glossary
    char text[256];           // the value in words
} ladder_activity_row;
// Fills the rows that apply to a launch; returns how many.
int ladder_activity_rows(const sim_launch_report *report, const sim_device *device,
                         ladder_activity_row rows[LADDER_ACTIVITY_ROWS]);
// A line each.
void ladder_activity_print(const sim_launch_report *report, const sim_device *device,
                           const kl_style *style, FILE *out);

// What to change, a sentence each, most important first; returns their number.
enum { LADDER_ADVICE_MAX = 10, LADDER_ADVICE_TEXT = 512 };
int ladder_profile_advise(const sim_launch_report *report, const sim_device *device,
                          char text[LADDER_ADVICE_MAX][LADDER_ADVICE_TEXT]);

// Every launch: the first of each kernel in full with its source, the others in a line each.
void ladder_profile_print(const ladder_profile *profile, const kl_style *style, FILE *out);
// What results, counts and times are worth, with the instructions by name where the code was kept.
void ladder_fidelity_print(const ladder_profile *profile, const kl_style *style, FILE *out);
// The key "fidelity" of a launch.
void ladder_fidelity_write(kl_json *json, const ladder_profile *profile,
                           const sim_launch_report *launch);
void ladder_profile_write_dim(kl_json *json, const char *key, sim_dim3 dim); // [x, y, z]
kl_status ladder_profile_json(const ladder_profile *profile, FILE *out, kl_error *err);

// Counters and time of two profiles side by side, those that differ.
void ladder_profile_compare(const ladder_profile *a, const char *a_name, const ladder_profile *b,
                            const char *b_name, const kl_style *style, FILE *out);

// What is taken from the engine when a program has ended. once: what a lab's program says of the
// step that it has called (KL_RECORD_PREPARATION); zeros: nothing.
typedef kl_status ladder_program_take(void *context, sim_engine *control, const kl_record *once,
                                      kl_error *err);
// Runs a program on an engine. spans: "1", what happened when is recorded, or "places", with where
// in the program calls are. The program's exit status, or 128 and the signal that ended it, goes to
// *out_exit. foreground: its output goes to the terminal.
kl_status ladder_program_run(const ladder_kit *kit, char *const *argv, bool foreground,
                             const ladder_engine_options *options, const char *spans,
                             ladder_program_take *take, void *context, int *out_exit,
                             kl_error *err);
// The spans until the end of the step's call, for sim_spans_free, and the index of its first one.
kl_status ladder_spans_take(sim_engine *control, const kl_record *once, sim_spans *out_spans,
                            uint32_t *out_first, kl_error *err);

// The program of `argv` on a fresh counting engine; its profile, also when it failed. *out_exit is
// its exit status, or 128 + signal. foreground: its output goes to the terminal; otherwise it is
// shown only when it fails.
kl_status ladder_profile_program(const ladder_kit *kit, char *const *argv, bool foreground,
                                 const ladder_profile_request *request, ladder_profile *out_profile,
                                 int *out_exit, kl_error *err);

// KL_ERROR_INPUT: a step's program ended before it launched anything; what its file says of that.
kl_status ladder_profile_fail(const ladder_kit *kit, const ladder_lab *lab, int step,
                              kl_error *err);

// One call of a lab's step, after bringing it up to date. size, family: NULL for the lab's own.
kl_status ladder_profile_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                              const char *size, const char *family,
                              const ladder_profile_request *request, ladder_profile *out_profile,
                              kl_error *err);
// The arguments with which a lab's program makes one such call on a device, "sim" or "gpu".
void ladder_profile_args(ladder_program_args *args, const char *program, const char *device,
                         int step, bool solution, const char *size, const char *family);
// The same of a step that is up to date.
kl_status ladder_profile_built_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                                    bool solution, const char *size, const char *family,
                                    const ladder_profile_request *request,
                                    ladder_profile *out_profile, kl_error *err);

// The quantities of rows.def: their values and how these are written, for every reader of a profile
// alike.

// A quantity that profiles show.
typedef struct ladder_profile_row {
    sim_counter counter, divisor; // SIM_COUNTER_COUNT: no divisor
    const char *label;            // for people
    int decimals;                 // of the value that are written
    const char *term;             // heading of docs/glossary.md
} ladder_profile_row;

// All of them, in the order of rows.def.
extern const ladder_profile_row ladder_profile_rows[];
extern const int ladder_profile_row_count;

// NaN: the divisor is 0.
double ladder_profile_row_value(const ladder_profile_row *row, const sim_counters *counters);
// Is there anything to show?
bool ladder_profile_row_applies(const ladder_profile_row *row, const sim_counters *counters);
// "-" for NaN. Returns `text`.
const char *ladder_profile_row_text(const ladder_profile_row *row, double value, char *text,
                                    size_t text_bytes);

// Shares of lookups that hit, in per cent; NaN: there were none.
typedef struct ladder_hit_rate {
    const char *label, *term;                        // for people; heading of docs/glossary.md
    double (*percent)(const sim_counters *counters); // of these counters
} ladder_hit_rate;

enum { LADDER_HIT_RATES = 2 };
extern const ladder_hit_rate ladder_hit_rates[LADDER_HIT_RATES]; // of the L1 and of the L2

// ---- source of a launch -------------------------------------------------------------------------
// The source of a launch's lines, for every reader of a profile alike: which lines are shown, and
// how.

// A line that is shown: its text without the indentation that all have in common, with tabs
// replaced, "" when it cannot be read. counters NULL: it did nothing. number 0: lines are left out
// here.
typedef void (*ladder_source_visit)(void *context, uint32_t number, const char *text,
                                    const sim_line_counters *counters);

// Lines [first, end) of the report, which are of one file, with what is between them; far gaps
// are folded.
void ladder_source_walk(const sim_launch_report *report, uint32_t first, uint32_t end,
                        ladder_source_visit visit, void *context);

// ---- machine instructions as text ---------------------------------------------------------------
// The text of machine instructions, by NVIDIA's nvdisasm where this machine has it: the kit's own
// decoder (image/image.h) stops at the operation code.

// The text of a function's instructions.
typedef struct ladder_disassembly {
    char *text;         // what nvdisasm wrote, cut into lines
    const char **lines; // [machine_count]: "LDG.E R2, desc[UR4][R2.64]"; NULL: it has none
} ladder_disassembly;

// The nvdisasm of PATH, else the one beside the kit's nvcc; out: [LADDER_PATH]. False: there is
// none.
bool ladder_disassembler_find(char *out);

// False when there is no nvdisasm or it does not know this code; then there is nothing to free.
bool ladder_disassemble(const sim_code *code, ladder_disassembly *out_disassembly);
void ladder_disassembly_free(ladder_disassembly *disassembly);

// All that the operation code says of a machine instruction: "@!P0 LDG 128 bits".
void ladder_machine_opcode_text(const uint64_t words[2], char *text, size_t text_bytes);

// ---- joined.c -----------------------------------------------------------------------------------
// Source, PTX and machine code of a launch, joined by the line tables.

// A line of the report and the PTX instructions that it was made into.
typedef struct ladder_joined_row {
    char *source;          // its text; NULL: it cannot be read
    uint32_t first, count; // of ladder_joined.instrs
} ladder_joined_row;

// One launch. Borrows the report.
typedef struct ladder_joined {
    const sim_launch_report *report; // with its code
    // [row_count + 1]: the report's lines; the last row has the instructions of all others.
    ladder_joined_row *rows;
    uint32_t row_count;
    uint32_t *instrs;        // indices into the code's PTX instructions, by row
    uint32_t *machine;       // indices into its machine instructions, by PTX instruction:
    uint32_t *machine_first; // [instr_count + 1]: those of i begin at machine[machine_first[i]]
    uint32_t machine_alone;  // machine instructions that belong to no PTX instruction
    ladder_disassembly text; // of these
    bool whole;              // there is one
} ladder_joined;

// Fails for a launch whose code was not kept. Free with ladder_joined_free.
kl_status ladder_joined_make(const sim_launch_report *report, ladder_joined *out_joined,
                             kl_error *err);
void ladder_joined_free(ladder_joined *joined);
// A machine instruction as far as this machine can tell. Returns text.
const char *ladder_joined_machine(const ladder_joined *joined, uint32_t index, char text[128]);
// What there is: PTX alone, or machine code beside it, and who told it. Returns text.
const char *ladder_joined_about(const ladder_joined *joined, char text[256]);
// For a terminal, 80 columns or more; for JSON, an object of an open array.
void ladder_joined_print(const ladder_joined *joined, const kl_style *style, FILE *out);
void ladder_joined_write(const ladder_joined *joined, kl_json *json);

// ---- timeline.c ---------------------------------------------------------------------------------
// A timeline (device/counters.h) in columns: what its picture and its sentences are made of, for
// the terminal, for the page and for JSON alike.

enum { LADDER_TIMELINE_ROWS = 16 }; // shown at most

// A timeline as it is shown.
typedef struct ladder_timeline_view {
    const sim_timeline *timeline; // that is shown
    uint32_t cycles;              // that are shown, from the first
    bool cut;                     // the SM went on after them
    uint32_t each, columns;       // cycles of a column; how many cover all
    uint32_t step, rows;          // every step-th row of the timeline is shown; how many these are
    // Of all rows and cycles that are shown, in per cent: a warp's time by phase, and the SM's
    // issue slots that were used.
    double phases[SIM_PHASE_COUNT], slots;
} ladder_timeline_view;

// cycles: at most so many, 0: all. columns: at most so many. NULL timelines are not allowed.
void ladder_timeline_view_make(const sim_timeline *timeline, uint32_t cycles, uint32_t columns,
                               ladder_timeline_view *out_view);

// What a column shows of a warp.
typedef struct ladder_timeline_cell {
    sim_warp_phase phase; // ISSUE when it issues in a twentieth of the cycles or more, else what
                          // takes most of the others
    bool seldom;          // it issues, but in less than a quarter of the cycles
} ladder_timeline_cell;

// row: 0 .. rows - 1. out_cells: [columns].
void ladder_timeline_cells(const ladder_timeline_view *view, uint32_t row,
                           ladder_timeline_cell *out_cells);
// The warp of a row, as the SM numbers them.
uint32_t ladder_timeline_warp(const ladder_timeline_view *view, uint32_t row);
// Cycles in which it issues, in per cent.
double ladder_timeline_issues(const ladder_timeline_view *view, uint32_t row);
// Issue slots of each column that were used, 0 .. 1. out_shares: [columns].
void ladder_timeline_slots(const ladder_timeline_view *view, double *out_shares);

// What a warp does most of its time, but for issuing; SIM_PHASE_ABSENT when none was there.
sim_warp_phase ladder_timeline_worst(const ladder_timeline_view *view);

// How a picture draws a cell: KL_TIMELINE_.. of common/drawing/drawing.h.
uint32_t ladder_timeline_kind(ladder_timeline_cell cell);
// What a picture is made of.
typedef struct ladder_timeline_picture {
    uint8_t *kinds; // [rows][columns], row-major
    double *used;   // [columns]: share of the issue slots, 0 .. 1
} ladder_timeline_picture;

// False without memory; then there is nothing to free.
bool ladder_timeline_read(const ladder_timeline_view *view, ladder_timeline_picture *out_picture);
void ladder_timeline_picture_free(ladder_timeline_picture *picture);

// The picture. key: with colours and a key of its own, which has a warp's time by phase; else for a
// page that has both. Draws nothing without memory.
void ladder_timeline_draw(const ladder_timeline_view *view, const char *title, bool key, FILE *out);

// Why a launch can have no timeline; NULL: it can. A constant.
const char *ladder_timeline_absence(const sim_launch_report *report);

// "one SM, modelled: its first 5000 cycles". Returns `text`.
const char *ladder_timeline_title(const ladder_timeline_view *view, char *text, size_t text_bytes);
// "64 warps at once; shown are those of scheduler 0". Returns `text`.
const char *ladder_timeline_warps(const ladder_timeline_view *view, char *text, size_t text_bytes);

// What each warp of one SM does, cycle by cycle, in style->width columns. cycles: at most so many;
// 0: all.
void ladder_timeline_print(const sim_timeline *timeline, uint32_t cycles, const kl_style *style,
                           FILE *out);
