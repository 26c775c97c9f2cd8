// `ladder tune`: a space of configurations, their results, the search, and what it found.
#pragma once

#include "grade/rubric/lab_files.h"
#include "table.h"

// ---- space.c ------------------------------------------------------------------------------------
// Spaces of compile-time configurations that `ladder tune` searches: parameters with their values,
// rules, named restrictions. A lab registers one by a table labs/<lab>/tune.def (rows: table.h);
// everything here is generic.

enum {
    LADDER_TUNE_PARAMETERS = 24,
    LADDER_TUNE_VALUES = 16,            // of one parameter
    LADDER_TUNE_COMBINATIONS = 1 << 26, // looked at: a second or two
    LADDER_TUNE_CONFIGS = 1 << 20,      // that the rules leave
    LADDER_TUNE_TEXT = 512              // of one configuration
};

// Something that is varied.
typedef struct ladder_tune_parameter {
    const char *name;               // the kernel is compiled with -DTUNE_<name>=<value>
    const char *what;               // what it means, for people
    int values[LADDER_TUNE_VALUES]; // [value_count]
    int value_count;                // of values
} ladder_tune_parameter;

// A named restriction.
typedef struct ladder_tune_set {
    const char *name; // what --set takes
    const char *only; // "BM=128,256 STAGES=3"
    const char *what; // for people
} ladder_tune_set;

// All that may be varied.
typedef struct ladder_tune_space {
    const ladder_tune_parameter *parameters; // [parameter_count]
    int parameter_count;                     // of parameters
    const ladder_tune_set *sets;             // the first is the default
    int set_count;                           // of sets
    // values: [parameter_count]. NULL when the combination makes sense, else why it does not.
    const char *(*misfit)(const int *values);
    // The same for a size of the lab's timed cases.
    const char *(*misfit_size)(const int *values, int64_t size);
} ladder_tune_space;

// A configuration.
typedef struct ladder_tune_config {
    int values[LADDER_TUNE_PARAMETERS]; // by parameter
} ladder_tune_config;

// Which values of each parameter may be taken: bit v of allowed[p] stands for values[v].
typedef struct ladder_tune_filter {
    uint32_t allowed[LADDER_TUNE_PARAMETERS]; // by parameter
} ladder_tune_filter;

// The configurations that are taken.
typedef struct ladder_tune_configs {
    ladder_tune_config *items; // in the order of the table, the last parameter fastest
    size_t count;              // of items
    size_t combinations;       // looked at
    size_t sensible;           // of those, what the rules allow; `count` of them were taken
} ladder_tune_configs;

// A filter that allows every value.
void ladder_tune_filter_all(const ladder_tune_space *space, ladder_tune_filter *out_filter);

// Narrows a filter by "NAME=VALUE[,VALUE..] ..", words separated by blanks. KL_ERROR_USAGE names
// the word that is not understood and what is possible instead.
kl_status ladder_tune_filter_narrow(const ladder_tune_space *space, const char *only,
                                    ladder_tune_filter *filter, kl_error *err);

// Narrows by the set of this name; "all" stands for no restriction, NULL for the first set.
kl_status ladder_tune_filter_set(const ladder_tune_space *space, const char *name,
                                 ladder_tune_filter *filter, kl_error *err);

// All combinations that filter and rules allow; with limit > 0 at most that many, spread evenly
// over them. KL_ERROR_USAGE when nothing is left. Free with ladder_tune_configs_free.
kl_status ladder_tune_enumerate(const ladder_tune_space *space, const ladder_tune_filter *filter,
                                size_t limit, ladder_tune_configs *out_configs, kl_error *err);
void ladder_tune_configs_free(ladder_tune_configs *configs);

// Whether the two have the same value of every parameter.
bool ladder_tune_same(const ladder_tune_space *space, const ladder_tune_config *a,
                      const ladder_tune_config *b);

// "BM=128 BN=64 ..": the parameters in `which` (bit p: parameter p). Returns `text`.
char *ladder_tune_config_text(const ladder_tune_space *space, const ladder_tune_config *config,
                              uint32_t which, char *text, size_t text_bytes);

// The parameters in which the configurations differ: bit p for parameter p.
uint32_t ladder_tune_varying(const ladder_tune_space *space, const ladder_tune_config *items,
                             size_t count);

// Index of a parameter by name (letter case is ignored), or -1.
int ladder_tune_parameter_find(const ladder_tune_space *space, const char *name);

// ---- build.c ------------------------------------------------------------------------------------
// A parametric kernel of which configurations are compiled.

// The kernel, and where its objects are kept.
typedef struct ladder_tune_kernel {
    const ladder_kit *kit;          // where sources lie
    const ladder_lab *lab;          // whose kernel it is
    const ladder_tune_space *space; // what may be varied
    char source[LADDER_PATH];       // solutions/<lab>/tune.cu, or another in its place
    char folder[LADDER_PATH];       // of the source, with a slash at its end
    char cache[LADDER_PATH];        // folder of the objects
    char hash[LADDER_SHA256_TEXT];  // of sources, flags and toolkit
} ladder_tune_kernel;

// source: NULL for the lab's own. It may include what lies beside it as tune.cuh, and what the lab
// gives to its steps: labs/<lab>/<name>.h and, where there is one, <name>.cuh.
kl_status ladder_tune_kernel_open(const ladder_kit *kit, const ladder_lab *lab,
                                  const ladder_tune_space *space, const char *source,
                                  ladder_tune_kernel *out_kernel, kl_error *err);

// ---- record.c -----------------------------------------------------------------------------------
// The results of a search as data: one record a configuration and size, failures with their reason.
// Kept as CSV that grows line by line, so that a search that was stopped goes on where it was;
// shown as JSON (ladder.tune/1).

// What can become of a configuration: F(identifier, word in files and tables, is it a fault, what
// it means).
// clang-format off
#define LADDER_TUNE_STATES(F)                                                                      \
    F(RIGHT, "right", false, "ran, right, measured")                                               \
    F(WRONG, "wrong", true, "ran, wrong result")                                                   \
    F(FAILED, "failed", true, "the runtime reported an error")                                     \
    F(CRASHED, "crashed", true, "the program that ran it ended")                                   \
    F(TIMED_OUT, "timed-out", true, "it did not end in time")                                      \
    F(NOT_COMPILED, "not-compiled", false, "nvcc reported errors")                                 \
    F(SPILLED, "spilled", false, "more registers spilled than --spills allows; not run")           \
    F(UNFIT, "unfit", false, "a rule of the table forbids it at this size; not run")               \
    F(DROPPED, "dropped", false, "below --keep of the best at a smaller size; not run")
// What the simulator counts of it: F(column, counters that are added, by blanks).
#define LADDER_TUNE_COUNT_LIST(F)                                                                  \
    F(instructions, "smsp__inst_executed.sum")                                                     \
    F(fma_instructions, "smsp__inst_executed_pipe_fma.sum")                                        \
    F(global_sectors, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum "                            \
      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")                                            \
    F(shared_passes, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum "                       \
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")                                      \
    F(bank_conflicts, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum "                  \
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")                                  \
    F(barriers, "sim__barriers.sum")
// clang-format on
#define LADDER_TUNE_STATE(identifier, ...) LADDER_TUNE_##identifier,
#define LADDER_TUNE_COUNT(column, ...)     LADDER_TUNE_COUNT_##column,
// What became of a configuration.
typedef enum ladder_tune_state {
    LADDER_TUNE_STATES(LADDER_TUNE_STATE) LADDER_TUNE_STATE_COUNT
} ladder_tune_state;
// What is counted, by the columns' names.
typedef enum ladder_tune_count {
    LADDER_TUNE_COUNT_LIST(LADDER_TUNE_COUNT) LADDER_TUNE_COUNTS
} ladder_tune_count;

enum { LADDER_TUNE_WHY = 256, LADDER_TUNE_SIZES = 16 };

// A configuration at a size.
typedef struct ladder_tune_record {
    bool is_vendor;                    // the vendor's library; no configuration
    ladder_tune_config config;         // that was tried
    int64_t size;                      // 0: every size, of what was not even run
    ladder_tune_state state;           // what became of it
    double us, us_low, us_high;        // median and its interval; NaN when not measured
    int samples;                       // repetitions behind the median
    double rate;                       // in the lab's unit
    double of_vendor;                  // vendor's time just before / this time; NaN without
    double max_error;                  // of an output, against the reference
    int registers, spill_bytes;        // of the machine code; -1: not known
    double bank_share;                 // machine_code.c
    double counts[LADDER_TUNE_COUNTS]; // NaN on a GPU
    char why[LADDER_TUNE_WHY];         // of every state but RIGHT
} ladder_tune_record;

// Where and with what the records were taken. Records of different origins do not mix.
typedef struct ladder_tune_origin {
    const ladder_lab *lab;          // whose kernel was varied
    const ladder_tune_space *space; // what may be varied
    char device[160];               // "NVIDIA H100 80GB HBM3, 132 SMs, compute capability 9.0"
    bool simulated;                 // times are modelled
    char driver[16], runtime[16], toolkit[16]; // "13.0"
    char kernel[16];                           // beginning of the kernel's hash
    char date[32];                             // UTC of the first record, ISO 8601
} ladder_tune_origin;

// All records, in the order in which they were taken.
typedef struct ladder_tune_records {
    ladder_tune_origin origin; // of all of them
    ladder_tune_record *items; // [count]
    size_t count, capacity;    // of items; those that there is memory for
    FILE *file;                // open for more lines; NULL: in memory only
    char path[LADDER_PATH];    // of file
} ladder_tune_records;

// Words of the tables, and whether a state is a fault of the kernel.
const char *ladder_tune_state_word(ladder_tune_state state);
bool ladder_tune_state_is_fault(ladder_tune_state state);
const char *ladder_tune_count_word(ladder_tune_count count);
const char *ladder_tune_rate_unit(const ladder_lab *lab); // "TFLOP/s" or "GB/s"

// A record with nothing measured yet.
ladder_tune_record ladder_tune_record_empty(void);

// Opens the file for more records and reads those that it holds; a half line at its end is cut off.
// An origin other than the file's is KL_ERROR_INPUT that says in what they differ, unless `fresh`,
// which begins the file anew. path NULL: in memory only. Close with ladder_tune_records_close, also
// after a failure.
kl_status ladder_tune_records_open(const char *path, const ladder_tune_origin *origin, bool fresh,
                                   ladder_tune_records *out_records, kl_error *err);
void ladder_tune_records_close(ladder_tune_records *records);

// Adds a record, and to the file a line that is there when this returns. A record that is there
// already, word for word, is not added again.
kl_status ladder_tune_records_add(ladder_tune_records *records, const ladder_tune_record *record,
                                  kl_error *err);

// The newest record of the configuration at this size or at every size; NULL config: of the vendor.
// NULL if none.
const ladder_tune_record *ladder_tune_records_find(const ladder_tune_records *records,
                                                   const ladder_tune_config *config, int64_t size);

// The right configuration with the highest rate at the size, or NULL.
const ladder_tune_record *ladder_tune_records_best(const ladder_tune_records *records,
                                                   int64_t size);

// All of it as ladder.tune/1. KL_ERROR_SYSTEM: it could not be written.
kl_status ladder_tune_records_json(const ladder_tune_records *records, FILE *out, kl_error *err);

// ---- search.c -----------------------------------------------------------------------------------
// The search itself: compiles what is not settled yet, then, size by size, checks and times each
// configuration on the bench, and records everything.

// What the search is doing.
typedef enum ladder_tune_phase { LADDER_TUNE_COMPILING, LADDER_TUNE_MEASURING } ladder_tune_phase;

// How far it is.
typedef struct ladder_tune_progress {
    ladder_tune_phase phase;          // what it is doing
    size_t done, total, failed;       // of this phase; of those done, those that failed
    int64_t size;                     // when measuring
    const ladder_tune_record *newest; // when measuring; may be NULL
    const ladder_tune_record *best;   // likewise
} ladder_tune_progress;

// Told after each configuration.
typedef void ladder_tune_on_progress(void *context, const ladder_tune_progress *progress);

// What is searched.
typedef struct ladder_tune_job {
    const ladder_tune_kernel *kernel;   // that is compiled
    const ladder_tune_configs *configs; // that are tried
    int64_t sizes[LADDER_TUNE_SIZES];   // ascending
    int size_count;                     // of sizes
    bool simulated;                     // which device runs it
    const char *repeat;                 // of a timing, or NULL
    double limit_s;                     // of one compilation and of one trial
    double keep; // a size is for what reached this share of the best before; 0: for all
    int spills;  // bytes that a thread may spill
    int jobs;    // compilations at a time
    ladder_tune_on_progress *progress; // NULL: nobody is told
    void *context;                     // of progress
} ladder_tune_job;

// The sizes at which the lab is timed on a device; returns how many. out_sizes:
// [LADDER_TUNE_SIZES], ascending.
int ladder_tune_default_sizes(const ladder_lab *lab, bool simulated, int64_t *out_sizes);

// Makes them ascend.
void ladder_tune_sort_sizes(int64_t *sizes, int count);

// Asks the lab's program for the device; fills the device's part of *origin.
kl_status ladder_tune_find_device(const ladder_tune_job *job, ladder_tune_origin *origin,
                                  kl_error *err);

// The search; a configuration that fails is a record, no error. What records hold is not done
// again.
kl_status ladder_tune_search(const ladder_tune_job *job, ladder_tune_records *records,
                             kl_error *err);

// ---- report.c -----------------------------------------------------------------------------------
// What a search found, for people: a table of the best configurations, the best of each size as a
// line that --only understands, how many came to what, the faults with their reasons; and a
// picture.

// What is shown.
typedef struct ladder_tune_view {
    const ladder_tune_records *records; // of which the newest count
    const int64_t *sizes;               // ascending
    int size_count;                     // of sizes
    int top;                            // configurations shown
    int map_x, map_y;                   // parameters of the picture's heat map, or -1
} ladder_tune_view;

enum { LADDER_TUNE_TOP = 40 }; // configurations shown at most

// A configuration with its records at the sizes; NULL where it has no right one.
typedef struct ladder_tune_row {
    const ladder_tune_config *config;                // of the row
    const ladder_tune_record *at[LADDER_TUNE_SIZES]; // [size_count]
    int measured;                                    // of the sizes
    double share; // geometric mean over those of rate / best rate of the size
} ladder_tune_row;

// The best configurations, those measured at more sizes first. out_rows: [LADDER_TUNE_TOP]; returns
// how many, at most view->top.
int ladder_tune_ranking(const ladder_tune_view *view, ladder_tune_row *out_rows);

// The table and the lines around it.
void ladder_tune_print(const ladder_tune_view *view, const kl_style *style, FILE *out);

// An SVG file: bars of the best at each size beside the vendor's library, and the heat map when it
// is asked for.
void ladder_tune_draw(const ladder_tune_view *view, FILE *out);

// Faults among the newest records of every configuration and size.
size_t ladder_tune_faults(const ladder_tune_view *view);
