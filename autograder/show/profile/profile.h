// SPDX-License-Identifier: MIT
// A profile: what the engine reports of a program's kernel launches, and what to make of it: groups
// of like launches, metrics of a source line, the worst line in words, text for a terminal, JSON
// (ladder.profile/1).
#ifndef LADDER_PROFILE_PROFILE_H
#define LADDER_PROFILE_PROFILE_H

#include <stdio.h>

#include "engine/engine.h"
#include "error.h"
#include "grade/rubric/lab.h"
#include "json.h"
#include "sandbox/process/session.h"
#include "table.h"

enum {
    LADDER_LANES = 32,          // of a warp
    LADDER_LAUNCHES_MAX = 4096, // reports kept of one program
    LADDER_TIMELINES_MAX = 20,  // and of how many of them a timeline is made
    LADDER_CODES_MAX = 256,     // and the code kept
    LADDER_MAPS_MAX = 20        // and of how many of each kernel accesses are recorded
};

// What is recorded beyond counters; NULL: nothing.
typedef struct ladder_profile_request {
    bool timelines; // device/timeline.h
    bool codes;     // device/code.h
    bool maps;      // device/maps.h
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
    bool prints_timelines; // on the terminal; on the page and in JSON are all that were made
} ladder_profile;

// Takes the reports of all launches from the engine. Free with ladder_profile_free, also after a
// failure.
kl_status ladder_profile_fetch(sim_engine *control, ladder_profile *out_profile, kl_error *err);
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
void ladder_profile_write_dim(kl_json *json, const char *key, sim_dim3 dim); // [x, y, z]
kl_status ladder_profile_json(const ladder_profile *profile, FILE *out, kl_error *err);

// Counters and time of two profiles side by side, those that differ.
void ladder_profile_compare(const ladder_profile *a, const char *a_name, const ladder_profile *b,
                            const char *b_name, const kl_style *style, FILE *out);

// The program of `argv` on a fresh counting engine; its profile, also when it failed. *out_exit is
// its exit status, or 128 + signal. foreground: its output goes to the terminal; otherwise it is
// shown only when it fails.
kl_status ladder_profile_program(const ladder_kit *kit, char *const *argv, bool foreground,
                                 const ladder_profile_request *request, ladder_profile *out_profile,
                                 int *out_exit, kl_error *err);

// One call of a lab's step, after bringing it up to date. size, family: NULL for the lab's own.
kl_status ladder_profile_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool solution,
                              const char *size, const char *family,
                              const ladder_profile_request *request, ladder_profile *out_profile,
                              kl_error *err);
// The same of a step that is up to date.
kl_status ladder_profile_built_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                                    bool solution, const char *size, const char *family,
                                    const ladder_profile_request *request,
                                    ladder_profile *out_profile, kl_error *err);

#endif
