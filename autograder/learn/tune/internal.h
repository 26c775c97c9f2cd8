// What the search is made of: compiled configurations and the bench that runs them.
#pragma once

#include "learn/tune/tune.h"
#include "sandbox/process/process.h"

// ---- machine_code.c -----------------------------------------------------------------------------
// What the machine code of a shared object tells before it runs: registers, spills, shared memory,
// and of its busiest loop the mix of instructions and the multiply-adds that wait for a register
// bank.

// What was read of the machine code.
typedef struct ladder_machine_code {
    int registers;    // a thread; the most of all kernels, as are the next two
    int spill_bytes;  // a thread: stores and loads
    int shared_bytes; // static, per block
    // of the loop with the most multiply-adds (FFMA); 0: no such loop, or a kernel of an
    // architecture whose encoding is not known here
    int loop_instructions;
    int loop_products; // multiply-adds in it
    double bank_share; // of them: that read two fresh registers of one bank; NaN without a loop
} ladder_machine_code;

// Registers are in two banks, by the parity of their numbers (Volta to Hopper; Jia et al.,
// "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", 2018, section 2). A fresh
// register is one that the instruction before did not leave in the operand's reuse cache.
// KL_ERROR_INPUT when the file has no machine code or is damaged.
kl_status ladder_machine_code_read(const char *path, uint32_t architecture,
                                   ladder_machine_code *out_code, kl_error *err);

// The loop figures of one kernel's code: 16 bytes per instruction. For tests.
void ladder_machine_code_loop(const uint8_t *code, size_t bytes, ladder_machine_code *out_code);

// ---- build.c ------------------------------------------------------------------------------------
// Compiles a parametric kernel once for each configuration, several at a time. Objects are kept
// under a hash of everything that makes them (sources, flags, toolkit, configuration), failures
// too, so nothing is compiled twice.

enum { LADDER_TUNE_KEY = 25, LADDER_TUNE_REASON = 256 };

// What became of a configuration.
typedef struct ladder_tune_object {
    char key[LADDER_TUNE_KEY];       // <cache>/<key>.so
    bool built;                      // there is an object
    ladder_machine_code code;        // when built
    char reason[LADDER_TUNE_REASON]; // why it was not built
} ladder_tune_object;

// Told after each: how many are done, and how many of them do not compile.
typedef void ladder_tune_built(void *context, size_t done, size_t failed);

// items: [count], out_objects: [count]. A configuration that does not compile is no error of this
// function.
kl_status ladder_tune_build(const ladder_tune_kernel *kernel, const ladder_tune_config *items,
                            size_t count, int jobs, double limit_s, ladder_tune_built *progress,
                            void *context, ladder_tune_object *out_objects, kl_error *err);

// <cache>/<key>.so; out: [LADDER_PATH].
kl_status ladder_tune_object_path(const ladder_tune_kernel *kernel,
                                  const ladder_tune_object *object, char *out, kl_error *err);

// ---- bench.c ------------------------------------------------------------------------------------
// The lab program as a bench (common/lab/internal.h) in a process of its own: it checks and times
// one shared object after the other on one case, and is started anew when one of them takes it
// along.

// On what the objects are tried.
typedef struct ladder_tune_case {
    const ladder_kit *kit; // where programs lie
    const ladder_lab *lab; // whose program is the bench
    const char *device;    // "auto", "sim", "gpu"
    const char *family;    // of the lab's cases
    int64_t size;          // of the case
    const char *repeat;    // repetitions of a timing; NULL: the program's default
    double limit_s;        // of one trial, and of making the inputs
} ladder_tune_case;

enum { LADDER_TUNE_LINE = 4096 };

// The bench while it runs.
typedef struct ladder_tune_bench {
    ladder_process process;      // the lab's program
    bool running;                // it has not gone
    int socket;                  // to it
    char text[LADDER_TUNE_LINE]; // received, not yet read
    size_t text_bytes;           // of text
} ladder_tune_bench;

// Starts the program and waits for its word on the device, which goes into *origin (fields of the
// device only).
kl_status ladder_tune_bench_start(const ladder_tune_case *c, ladder_tune_bench *out_bench,
                                  ladder_tune_origin *origin, kl_error *err);

// Waits until inputs and answers are there.
kl_status ladder_tune_bench_ready(ladder_tune_bench *bench, const ladder_tune_case *c,
                                  kl_error *err);

// One object; fills state, times, error, counts and `why` of *record. When the program has gone,
// bench->running is false afterwards, and the state says how.
kl_status ladder_tune_bench_try(ladder_tune_bench *bench, const ladder_tune_case *c,
                                const char *symbol, const char *object, ladder_tune_record *record,
                                kl_error *err);

// Ends the program.
void ladder_tune_bench_stop(ladder_tune_bench *bench);
