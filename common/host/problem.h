// A lab's problem as data and functions: cases, inputs, reference answer, verdict, work.
// The judge and the lab program read it; the graded runner never does. Functions here run on the
// host and must not touch CUDA.
//
// A problem has *families* of cases ("integers whose sum is exact", "maximum at the end"). A
// family, a size and a seed make one *case*; the *suite* lists the (family, size) pairs that `run`
// uses. A judge may describe any other (family, size, seed).
#pragma once

#include "call.h"
#include "compare.h"
#include "error.h"

// ---- a problem ----------------------------------------------------------------------------------

// One array that a step reads or writes.
typedef struct kl_buffer {
    const char *name;      // static string, the parameter's name in the contract
    kl_dtype dtype;        // type of an element
    uint64_t elems;        // number of elements
    uint32_t offset_bytes; // the device pointer lies this many bytes past a 256-byte boundary
    // Of a matrix: elements of a row where it is stored by rows, minus those of a column where it
    // is stored by columns. 0: no matrix. For people alone.
    int64_t line_elems;
} kl_buffer;

// 4, 8 or 12 bytes by size: an offset that breaks the alignment which wide loads need.
static inline uint32_t kl_unaligned_bytes(int64_t size) { return (uint32_t)(4 + 4 * (size % 3)); }

// One case: everything that follows from family, size and seed, set by kl_problem.describe.
typedef struct kl_case {
    int family;                        // index into kl_problem.families
    int64_t size;                      // in the problem's size unit
    uint64_t seed;                     // of the inputs' generator: the same case has the same bytes
    int input_count;                   // of `inputs`
    int output_count;                  // of `outputs`
    kl_buffer inputs[KL_MAX_BUFFERS];  // in the order of the step's parameters
    kl_buffer outputs[KL_MAX_BUFFERS]; // likewise
    int64_t ints[KL_MAX_SCALARS];      // scalars of the call, as the lab's call.c reads them
    double reals[KL_MAX_SCALARS];      // likewise
    uint64_t workspace_bytes;          // device memory that the step may use while it runs; 0: none
    uint64_t prepared_bytes;           // memory for what a preparation makes; 0: none
    int prepare_inputs;                // the preparation sees the inputs before this one
    double work_bytes; // bytes that any solution must move between memory and the chip
    double work_ops;   // arithmetic operations that any solution must do
    double padded_ops; // those of the whole tiles that a solution computes; 0: not by tiles
    // Of the inputs' bytes those that a solution may leave unread: the same data in another form.
    uint64_t unread_bytes;
    bool host; // the step is a function of host memory: buffers lie there, no kernel is launched
    // With `host`: it is a program that launches kernels, whose own preparation gives it the memory
    // of its buffers (kl_adapter.open), and whose whole call is timed by the host's clock.
    bool program;
    // With `program`: its data lie on devices when it is called, and its answer stays there
    // (kl_adapter.place, fetch).
    bool resident;
    // What a person sees of the inputs beside them, or in place of the one of this name: a matrix,
    // an array (1 row), of which kl_problem.picture says the elements. NULL: nothing.
    const char *picture_name;
    int64_t picture_rows, picture_cols; // of it
} kl_case;

enum { KL_HINT_TEXT = 192 };

// What kl_problem.verify says of a step's outputs.
typedef struct kl_verdict {
    bool ok;                 // every element within its bound, and at least one compared
    uint64_t compared;       // 0 compared is never ok
    double max_error;        // infinity when an output is NaN
    double bound;            // allowed error at the element shown
    int output;              // index of the output buffer shown
    uint64_t first_wrong;    // element index in it
    double expected, got;    // there
    char hint[KL_HINT_TEXT]; // what the mistake looks like, for the student; "" when nothing is
                             // recognised
} kl_verdict;

// One step of the ladder, a row of the lab's generated table.
typedef struct kl_step_info {
    int number;         // from 0; the vendor's library is -1 elsewhere
    const char *name;   // the table is made from the lab's lab.json
    const char *reason; // why it is faster or slower than the step before, one line
    bool given;         // handed to the student complete
    int needs_sm;       // compute capability times 10 that its code is for at least; 0: any
    int needs_cuda;     // first major version of the toolkit that compiles it; 0: any
    bool needs_exact;   // its code has features of needs_sm alone, and runs on no later one
    int needs_devices;  // GPUs of the machine that it works on at least; 0 and 1: any machine
} kl_step_info;

// What the solution of a step executes on cases of a family, counted on the simulator: the most
// warp instructions of a call for each 32 of kl_case_work (labs/warp_instructions.csv).
typedef struct kl_executed {
    int step;           // number of the step
    const char *family; // name of the family
    double per_work;    // warp instructions for a warp's worth of work
} kl_executed;

// The number that tells what a step is about: sum of the counters `counter` times `scale`, divided
// by `per`: counters, "element" (the case's size), "outputs" (elements of the first output),
// "product" (work_ops / 2), or "" for none. Names
// of counters as in Nsight Compute, separated by blanks.
typedef struct kl_watch {
    int step;                         // number of the step
    const char *text, *counter, *per; // what is said of the number, and the counters above and
                                      // below the fraction line
    double scale;  // factor that gives the unit which `text` names, e.g. 100 for percent
    double target; // what the solution reaches; NaN: none
    int64_t size;  // of the timed case at which it reaches that; 0: at any
    // "" when the number is of the timed case; else it is of the case of this family and `size`,
    // which is in the lab's suite
    const char *family;
} kl_watch;

// In kl_family.steps: the vendor's library is not asked for these cases.
#define KL_NOT_VENDOR (UINT32_C(1) << 31)

// A kind of case that is made to catch a kind of mistake.
typedef struct kl_family {
    const char *name;    // as `ladder run` prints it: "sum-exact"
    const char *purpose; // what it catches, one line
    uint32_t steps;      // bit s: step s has these cases; 0: every step has
} kl_family;

// A lab's kinds of case are a list of rows F(CONSTANT, name, purpose, steps), a macro LIST(F). This
// makes their enum, with FAMILIES at its end, and the table `families`.
#define KL_FAMILY_CONSTANT(constant, ...) constant,
#define KL_FAMILY_ROW(constant, ...)      {__VA_ARGS__},
#define KL_FAMILIES(LIST)                                                                          \
    enum family { LIST(KL_FAMILY_CONSTANT) FAMILIES };                                             \
    static const kl_family families[FAMILIES] = {LIST(KL_FAMILY_ROW)}

// When a case of the suite is run. Bits of kl_suite_entry.flags.
enum kl_suite_flags {
    KL_CHECK = 1,    // part of the default correctness check
    KL_QUICK = 2,    // part of the check with --quick
    KL_TIME_SIM = 4, // timed on the simulator
    KL_TIME_GPU = 8, // timed on a GPU (checked there too)
    KL_BENCH = 16,   // timed on a GPU only with --bench: more sizes for comparison with a vendor
    KL_BESIDE = 32,  // the checker beside `ladder run` looks at it, whatever its work
};

// One case of the suite; its seed is the problem's, or what --seed says.
typedef struct kl_suite_entry {
    int family;     // index into kl_problem.families
    int64_t size;   // in the problem's size unit
    unsigned flags; // of kl_suite_flags
} kl_suite_entry;

// The ceiling that a lab's rate is held against. It also says what a rate counts: the bytes that
// must move (work_bytes, in GB/s) or the arithmetic that must be done (work_ops, in TFLOP/s).
typedef enum kl_ceiling_kind {
    KL_CEILING_READ,
    KL_CEILING_COPY,
    KL_CEILING_FMA,
    KL_CEILING_LINK,  // copies from and to the host at once; of the problem's timed family
    KL_CEILING_TENSOR // products of 16-bit elements on tensor cores
} kl_ceiling_kind;

// Whether it counts arithmetic.
static inline bool kl_ceiling_is_arithmetic(kl_ceiling_kind kind) {
    return kind == KL_CEILING_FMA || kind == KL_CEILING_TENSOR;
}

// A case with its inputs and reference answer in host memory.
typedef struct kl_prepared {
    kl_case shape;                         // the description from which the rest was made
    void *inputs[KL_MAX_BUFFERS];          // [shape.input_count], each of input_bytes[i], owned
    uint64_t input_bytes[KL_MAX_BUFFERS];  // [shape.input_count]
    uint64_t output_bytes[KL_MAX_BUFFERS]; // [shape.output_count], what a step's outputs take
    // Where buffers lie one after the other, as in the judge's files (kl_case_aligned): each one's
    // offset, and bytes of all.
    uint64_t input_at[KL_MAX_BUFFERS], output_at[KL_MAX_BUFFERS], inputs_span, outputs_span;
    void *solution; // the reference answer, opaque to all but verify; owned
} kl_prepared;

// A lab's problem: all that the judge and the lab program know of it.
typedef struct kl_problem {
    const char *name;                   // short name and symbol prefix: "reduction"
    const char *folder;                 // "02_reduction"
    const char *title;                  // "Parallel reduction"
    const char *size_unit;              // "elements"
    const char *(*unit_of)(int family); // the unit of a family's sizes; NULL: size_unit for all
    kl_ceiling_kind ceiling;            // what 100 % of the rate is
    uint64_t default_seed;              // of the suite's inputs when no other is asked for
    int64_t max_size;                   // the largest size that `describe` takes in any family
    const kl_step_info *steps;          // [step_count], in the order of the ladder
    int step_count;                     // given steps included
    const kl_watch *watches;            // [watch_count], made from the lab's lab.json
    int watch_count;                    // of `watches`
    const kl_executed *executed;        // [executed_count], made from the lab's counts
    int executed_count;                 // of `executed`; 0: nothing was counted
    const kl_family *families;          // [family_count]
    int family_count;                   // of `families`
    const kl_suite_entry *suite;        // [suite_count], in the order in which cases run
    int suite_count;                    // of `suite`
    const char *timed_family; // family used by --size for timing, and shown in the ladder's table
    int devices;       // that the simulator shows its steps when nothing else is asked for; 0: one
    const char *limit; // what vendor.cu measures in place of a library: a row "limit"; NULL: one

    // Fills *out_case. KL_ERROR_INPUT when family or size is out of range.
    kl_status (*describe)(int family, int64_t size, uint64_t seed, kl_case *out_case,
                          kl_error *err);
    // Writes inputs[i]: [elems] of its dtype, host memory owned by the caller.
    kl_status (*generate)(const kl_case *c, void *const *inputs, kl_error *err);
    // Inputs that a person can follow, 1, 2, 3, .., in place of those of `generate`, which have
    // been written (small_case.h). False: this family has none. NULL: no family has.
    bool (*readable)(const kl_case *c, void *const *inputs);
    // An element of what kl_case.picture_name names; NaN: an empty one. NULL: no case has any.
    double (*picture)(const kl_case *c, const void *const *inputs, int64_t row, int64_t col);
    // Likewise the scalars of a case that was described. NULL: they stay.
    void (*readable_scalars)(kl_case *c);
    // Bytes of the opaque reference answer of this case (fixed by the lab).
    uint64_t (*solution_bytes)(const kl_case *c);
    // Computes the reference answer and its error bound once a case.
    kl_status (*solve)(const kl_case *c, const void *const *inputs, void *out_solution,
                       kl_error *err);
    // NULL, or: makes a case whose answers are those that the lab's query program printed on this
    // machine (query.cu). With no case to make for this machine, out_prepared->shape.size is 0.
    // Free with kl_prepared_free in any case.
    kl_status (*of_query)(const char *text, kl_prepared *out_prepared, kl_error *err);
    // Compares outputs with the answer; may read the inputs to explain a mistake.
    void (*verify)(const kl_case *c, const void *const *inputs, const void *solution,
                   const void *const *outputs, kl_verdict *out_verdict);
} kl_problem;

// Whether a call of this case launches kernels, and has a time.
static inline bool kl_case_has_kernels(const kl_case *shape) {
    return !shape->host || shape->program;
}

// Work of a case in operations of a thread: its arithmetic, and a load or a store for each word
// that must move.
double kl_case_work(const kl_case *shape);
// The work below which a case is small: the steps of a lab execute at most some million warp
// instructions for so much. Where tensor cores do it, an instruction does a hundred times as much.
double kl_small_work(const kl_problem *problem);

// "read", "copy", "fma", "link" or "tensor".
const char *kl_ceiling_name(kl_ceiling_kind kind);

// The tables and functions of a problem.c, which have these names in every lab, as fields of its
// kl_problem.
#define KL_PROBLEM_PARTS                                                                           \
    .steps = steps, .step_count = sizeof steps / sizeof steps[0], .watches = watches,              \
    .watch_count = KL_WATCH_COUNT, .executed = executed, .executed_count = KL_EXECUTED_COUNT,      \
    .families = families, .family_count = sizeof families / sizeof families[0], .suite = suite,    \
    .suite_count = sizeof suite / sizeof suite[0], .describe = describe, .generate = generate,     \
    .solution_bytes = solution_bytes, .solve = solve, .verify = verify, .readable = readable

// What a comparison of output 0 found, as a verdict without a hint.
kl_verdict kl_verdict_of(const kl_comparison *compared);

// The failure of kl_problem.describe when it has no such case: KL_ERROR_INPUT, with the family by
// its name. limits: what sizes there are, or NULL.
kl_status kl_no_such_case(const kl_problem *problem, int family, int64_t size, const char *limits,
                          kl_error *err);

// "2^24 elements", "1 element": a size in the unit of its family (-1: unknown).
// Returns `text`; 64 bytes are enough.
const char *kl_size_text(const kl_problem *problem, int family, int64_t size, char *text,
                         size_t text_bytes);

// "sum-exact, 2^24 elements". Returns `text`.
const char *kl_case_title(const kl_problem *problem, const kl_case *shape, char *text,
                          size_t text_bytes);

// Appends the family's name to `text`, behind ", " unless it is the first; what does not fit is
// cut.
void kl_problem_add_name(const kl_problem *problem, int family, char *text, size_t text_bytes);

// Index of the family of this name, or -1.
int kl_problem_family(const kl_problem *problem, const char *name);

// Whether the number is shown for cases of this family: one with a family of its own for those
// alone.
bool kl_watch_is_of(const kl_problem *problem, const kl_watch *watch, int family);

// What the solution reaches of the number in the case of this family and size; NaN: not known. A
// target is of the lab's timed family, or of the number's own, at one size or at any.
double kl_watch_target(const kl_problem *problem, const kl_watch *watch, int family, int64_t size);

// The step that the ladder leads to: the last one; the one before it, where that one has the timed
// family and the last has not, which is then a step beside the ladder, with families of its own.
const kl_step_info *kl_problem_last(const kl_problem *problem);

// True when a step of this number has this family's cases. The vendor's library (-1) has those of
// the step that the ladder leads to, and of one beside it.
bool kl_problem_serves(const kl_problem *problem, int family, int step);

// What is said of a step whose call, or timed calls, changed an input: its name is the argument.
#define KL_INPUT_CHANGED(calls)                                                                    \
    "the input %.64s is not what it was before the " calls ": inputs are const"

// The step of this number, or NULL.
const kl_step_info *kl_problem_step(const kl_problem *problem, int number);

// The name of a step's file, "2_grid.cu". out: [KL_STEP_FILE]; returned.
enum { KL_STEP_FILE = 96 };
const char *kl_step_file(const kl_step_info *step, char *out);

// Compute capability times 10 of the oldest cards that the kit's toolkits compile for. Older ones
// are only simulated, as devices that run code for later ones.
enum { KL_OLDEST_SM = 52 };
// Whether a step cannot run with this toolkit (its major version), on a device of this compute
// capability times 10 or with so many devices (0: not known); then why, as "needs compute
// capability 9.0; this device has 8.6".
bool kl_step_lacks(const kl_step_info *info, int cuda, int sm, int devices, char *text,
                   size_t text_bytes);

// Bytes of a buffer's elements. KL_ERROR_MEMORY when the product overflows.
kl_status kl_buffer_bytes(const kl_buffer *buffer, uint64_t *out_bytes, kl_error *err);

// Describes, generates and solves one case. Free with kl_prepared_free, also after a failure.
kl_status kl_prepare_case(const kl_problem *problem, int family, int64_t size, uint64_t seed,
                          kl_prepared *out_prepared, kl_error *err);
// The same for a case that is described already, whose inputs `fill` writes as kl_problem.generate
// would.
typedef kl_status kl_fill_inputs(const void *context, const kl_case *c, void *const *inputs,
                                 kl_error *err);
kl_status kl_prepare_described(const kl_problem *problem, const kl_case *shape,
                               kl_fill_inputs *fill, const void *context, kl_prepared *out_prepared,
                               kl_error *err);
void kl_prepared_free(kl_prepared *prepared);

enum { KL_CASE_LIST_MAX = 256 };

// One case that somebody wants.
typedef struct kl_listed_case {
    int family;   // index into kl_problem.families
    int64_t size; // in the problem's size unit
    bool marked;  // as the caller means it: it is timed, it belongs to the correctness check
} kl_listed_case;

// The list; zeros are an empty one.
typedef struct kl_case_list {
    kl_listed_case items[KL_CASE_LIST_MAX]; // no pair of family and size twice
    int count;                              // at most KL_CASE_LIST_MAX
} kl_case_list;

// Adds a pair; a second mention may only mark it. KL_ERROR_LIMIT when the list is full.
kl_status kl_case_list_add(kl_case_list *list, int family, int64_t size, bool marked,
                           kl_error *err);

// Small before large, but empty cases last: a failure on a few elements says more.
void kl_case_list_sort(kl_case_list *list);

// ---- cases as plain data ------------------------------------------------------------------------
// A case as plain data, which crosses the socket between the judge and ladder-runner: how large its
// buffers are and where they lie.

enum {
    KL_CASE_FENCE = 256, // bytes of poison around what has fences, so that both ends stay aligned
    KL_CASE_ALIGN = 256  // of each buffer where buffers lie one after the other
};

// What a case is like: plain data.
typedef struct kl_case_layout {
    int32_t input_count, output_count;     // buffers
    uint64_t input_bytes[KL_MAX_BUFFERS];  // [input_count]
    uint64_t output_bytes[KL_MAX_BUFFERS]; // [output_count]
    uint32_t input_offset[KL_MAX_BUFFERS]; // bytes past a 256-byte boundary on the device
    uint64_t workspace_bytes;              // of this case
    uint64_t workspace_max_bytes;          // of all cases; allocated and zeroed once
    uint64_t prepared_bytes;               // for what a preparation makes of each set
    int32_t prepare_inputs;                // the preparation sees the inputs before this one
    uint32_t sets;                         // of inputs; the call of slot s uses set s % sets
    uint32_t slots;                        // of outputs
    uint32_t host;    // 1: the step is a function of host memory, and so are its buffers
    uint32_t program; // 1: kl_case.program; each set has one output, whatever the slot
    uint32_t fenced;  // 1: poison lies behind inputs and around outputs, and fetching looks at it
    uint32_t packed;  // 1: all outputs lie in one block as they are fetched; not with fences
} kl_case_layout;

// A set's scalars: they belong to its data, as a factor drawn from the same seed does.
typedef struct kl_case_scalars {
    int64_t ints[KL_MAX_SCALARS]; // in the order of the lab's problem
    double reals[KL_MAX_SCALARS]; // likewise
} kl_case_scalars;

static inline uint64_t kl_case_aligned(uint64_t bytes) {
    return (bytes + KL_CASE_ALIGN - 1) / KL_CASE_ALIGN * KL_CASE_ALIGN;
}

// Bytes of buffers one after the other: of one set of inputs, or of the outputs of one slot.
static inline uint64_t kl_case_span(const uint64_t *bytes, int count) {
    uint64_t span = 0;
    for (int i = 0; i < count; i++) span += kl_case_aligned(bytes[i]);
    return span;
}

// The layout of cases of one shape, sets[count], with one slot; without fences, in separate
// buffers.
kl_case_layout kl_case_layout_of(const kl_prepared *const *sets, int count,
                                 uint64_t workspace_max_bytes);
kl_case_scalars kl_case_scalars_of(const kl_prepared *set);

// ---- ceilings of warp instructions --------------------------------------------------------------
// How many warp instructions one call of a step may execute on the simulator before it counts as
// endless, or as doing the work of others: a stated multiple of what the lab's own steps execute
// for so much work, whatever the size. labs/warp_instructions.csv has what they execute.

// The ceiling of a call of this step on this case. `solution`: a fifth of it, which keeps the data
// true: the tests of the solutions fail when a step comes near its ceiling.
double kl_instruction_ceiling(const kl_problem *problem, int step, const kl_case *shape,
                              bool solution);

// Warp instructions that the solution's step takes for the case (labs/warp_instructions.csv).
double kl_instructions_expected(const kl_problem *problem, int step, const kl_case *shape);

// What a step that executed so many warp instructions and was stopped is told. True: that a loop
// does not end, as the case has so little work that nothing else is possible; false: how many times
// the expected instructions it was.
bool kl_instruction_ceiling_text(const kl_problem *problem, int step, const kl_case *shape,
                                 double executed, char *text, size_t text_bytes);
